//! Which commands can be enabled in a state, found without looking at their guards.

use entail_markov::{Domain, Expr, Network, VarId};
use rustc_hash::FxHashMap;

/// Commands of one component with the same action, by the value of a variable that most of their guards compare with a constant: those
/// whose guards ask for another value need not be looked at.
pub(crate) struct Group {
    selector: usize,
    low: i64,
    by_value: Vec<Vec<u32>>,
    /// For values outside of the table.
    others: Vec<u32>,
}

/// Selectors with more values than this make no table.
const MOST_VALUES: i64 = 4096;

impl Group {
    pub fn new(network: &Network, component: usize, action: Option<entail_markov::ActionId>) -> Group {
        let commands = &network.components[component].commands;
        let own: Vec<u32> = (0..commands.len() as u32)
            .filter(|&at| commands[at as usize].action == action)
            .collect();
        let mut asked: Vec<Vec<(VarId, i64)>> = Vec::new();
        let mut count: FxHashMap<VarId, usize> = FxHashMap::default();
        for &at in &own {
            let mut equations = Vec::new();
            demanded(&commands[at as usize].guard, &mut equations);
            for (var, _) in &equations {
                *count.entry(*var).or_default() += 1;
            }
            asked.push(equations);
        }
        let range = |var: &VarId| match network.variables[var.index()].domain {
            Domain::Bool => Some((0, 1)),
            Domain::Range(low, high) if high.checked_sub(low)? < MOST_VALUES => Some((low, high)),
            _ => None,
        };
        let best = (count.into_iter())
            .filter(|(var, _)| range(var).is_some())
            .max_by_key(|&(var, count)| (count, std::cmp::Reverse(var.0)));
        let (Some((selector, _)), true) = (best, own.len() > 1) else {
            return Group {
                selector: 0,
                low: 0,
                by_value: Vec::new(),
                others: own,
            };
        };
        let (low, high) = range(&selector).unwrap_or((0, 0));
        let for_value = |value: i64| {
            let fits = |(_, asked): &(&u32, &Vec<(VarId, i64)>)| {
                asked
                    .iter()
                    .all(|&(var, wanted)| var != selector || wanted == value)
            };
            own.iter().zip(&asked).filter(fits).map(|(&at, _)| at).collect()
        };
        Group {
            selector: selector.index(),
            low,
            by_value: (low..=high).map(for_value).collect(),
            others: own,
        }
    }

    /// The commands that may be enabled in a state, in their order.
    pub fn candidates(&self, state: &[i64]) -> &[u32] {
        if self.by_value.is_empty() {
            return &self.others;
        }
        let at = state[self.selector].wrapping_sub(self.low) as usize;
        self.by_value.get(at).unwrap_or(&self.others)
    }
}

/// The values of variables without which a condition is false.
fn demanded(guard: &Expr, found: &mut Vec<(VarId, i64)>) {
    match guard {
        Expr::Binary(entail_markov::BinaryOp::And, left, right) => {
            demanded(left, found);
            demanded(right, found);
        }
        Expr::Binary(entail_markov::BinaryOp::Eq, left, right) => match (&**left, &**right) {
            (Expr::Var(var), Expr::Value(value)) | (Expr::Value(value), Expr::Var(var)) => {
                if let Some(value) = value.stored() {
                    found.push((*var, value));
                }
            }
            _ => {}
        },
        _ => {}
    }
}
