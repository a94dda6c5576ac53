//! The values of states that `filter(print, …)` lists, as a table.

use entail_answer::Quantity;
use entail_budget::Budget;
use entail_markov::{Listed, ListedValue, Network, explore};
use entail_show::Table;

/// Larger models are not explored again for their states' values.
const MOST_STATES: usize = 300_000;

/// More rows are not shown in a terminal.
const MOST_ROWS: usize = 50;

/// The states with their values; nothing if the model is too large.
pub(crate) fn table(network: &Network, listed: &[Listed]) -> Option<Table> {
    let model = explore(network, MOST_STATES, &Budget::unlimited()).ok()?;
    let row = |listed: &Listed| -> Option<Vec<String>> {
        let state = network.show_state(model.states.get(listed.state as usize)?);
        let value = match &listed.value {
            ListedValue::Truth(truth) => truth.to_string(),
            value => match value.bounds()? {
                (Some(low), Some(high)) if low == high => Quantity::Exact(low).to_string(),
                (Some(low), Some(high)) => Quantity::Between(low, high).to_string(),
                _ => Quantity::Infinite.to_string(),
            },
        };
        Some(vec![listed.state.to_string(), state, value])
    };
    let mut rows: Vec<Vec<String>> = listed.iter().take(MOST_ROWS).map(row).collect::<Option<_>>()?;
    if listed.len() > MOST_ROWS {
        rows.push(vec![
            "…".to_owned(),
            format!("{} more", listed.len() - MOST_ROWS),
            String::new(),
        ]);
    }
    Some(Table {
        heads: ["number", "state", "value"].map(str::to_owned).to_vec(),
        rows,
    })
}
