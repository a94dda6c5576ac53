//! `entail compose`: two systems in parallel.

use crate::Context;
use crate::arguments::Compose;
use crate::failure::{CommandError, HOLDS};
use crate::graph;
use crate::terminal::print;
use crate::units::parts;
use entail_budget::Budget;
use entail_model::{Lts, Synchronisation};
use std::sync::Arc;

pub fn run(options: &Compose, context: &Context) -> Result<u8, CommandError> {
    graph::format_of(&options.output)?;
    let budget = Budget::unlimited();
    // What is hidden in the result may be what the systems do together.
    let input = options.graph.without_hiding();
    let left = graph::load(&options.left, &input, context, &budget)?;
    let right = graph::load(&options.right, &input, context, &budget)?;
    let together = match &options.sync {
        _ if options.interleave => Synchronisation::None,
        None => Synchronisation::Shared,
        Some(names) => Synchronisation::On(names_of_both(names, &left, &right)?),
    };
    let both = (left.parallel(&right, &together)).map_err(|error| CommandError::input(error.to_string()))?;
    let both = graph::hide(both, &parts(&options.graph.hide))?;
    graph::save(&options.output, &both, context)?;
    print(&format!(
        "{} states, {} transitions\n",
        both.state_count(),
        both.transition_count()
    ));
    Ok(HOLDS)
}

fn names_of_both(names: &str, left: &Lts, right: &Lts) -> Result<Vec<Arc<str>>, CommandError> {
    let names = parts(&[names.to_owned()]);
    for name in &names {
        if left.actions_named(name).is_empty() && right.actions_named(name).is_empty() {
            return Err(CommandError::usage(format!(
                "neither system has an action `{name}`"
            )));
        }
    }
    Ok(names.into_iter().map(Arc::from).collect())
}
