//! Hidden vacuity (section 25.4.1): an antecedent without a contradiction in three values that no run of the circuit with Boolean values does.
//!
//! Three-valued simulation does not see that `a & !a` is never 1. Whether some valuation and some Boolean run agree with the antecedent is one question to a SAT solver: the circuit is unrolled
//! with free inputs and free first values, and what is driven must be so.

use crate::functions::{Functions, Stop, Translated};
use crate::satisfiability::Graph;
use crate::schedule::frames;
use entail_budget::Budget;
use entail_sat::Signal;
use entail_trajectories::{Assertion, Gate, Netlist, Specification, Wire};

/// Whether some valuation that is assumed, and some Boolean run, do what the antecedent says.
pub(crate) fn has_run(
    netlist: &Netlist,
    specification: &Specification,
    assertion: &Assertion,
    budget: &Budget,
) -> Result<bool, Stop> {
    // (What is demanded does not matter here.)
    let driving = Assertion {
        consequent: Vec::new(),
        ..assertion.clone()
    };
    let mut graph = Graph::new(specification.variables());
    let mut conditions = Translated::new(&specification.conditions);
    let mut agrees = conditions.get(&mut graph, assertion.assumption)?;
    let mut before: Vec<Option<Signal>> = Vec::new();
    for (time, frame) in frames(netlist, &driving).iter().enumerate() {
        let mut now: Vec<Option<Signal>> = vec![None; netlist.len()];
        for &node in &frame.nodes {
            budget.check()?;
            let of = |wire: Wire, values: &[Option<Signal>]| {
                let value = values.get(wire.node.index()).copied().flatten();
                value.map(|signal| signal.flipped_if(wire.negated))
            };
            let value = match netlist.gate(node) {
                Gate::Zero => Some(Signal::constant(false)),
                Gate::Copy(a) => of(a, &now),
                Gate::And(a, b) => match (of(a, &now), of(b, &now)) {
                    (Some(a), Some(b)) => Some(graph.and(&a, &b)?),
                    _ => None,
                },
                Gate::Register(Some(next)) if time > 0 => of(next, &before),
                _ => None,
            };
            let value = value.unwrap_or_else(|| graph.aig.leaf());
            now[node.index()] = Some(value);
            for drive in frame.driven.get(&node).into_iter().flatten() {
                let guard = conditions.get(&mut graph, drive.guard)?;
                let wanted = conditions.get(&mut graph, drive.value)?;
                let same = graph.aig.iff(value, wanted);
                let said = graph.or(&!guard, &same)?;
                agrees = graph.and(&agrees, &said)?;
            }
        }
        before = now;
    }
    Ok(graph.model(agrees, budget)?.is_some())
}
