//! Runs with Boolean values.
//!
//! **Hidden vacuity** (section 25.4.1): an antecedent without a contradiction in three values that no run of the circuit with Boolean values does. Three-valued simulation does not see that `a & !a` is never 1.
//!
//! **Walks of assertion graphs** that fail with three values: whether a run with Boolean values takes the same path. On it a demanded value is the other one as well, since values that are known are the same in all runs.
//!
//! Both are one question to a SAT solver: the circuit is unrolled with free inputs and free first values, and what is driven must be so.

use crate::functions::{Functions, Stop, Translated};
use crate::satisfiability::Graph;
use crate::schedule::frames;
use entail_budget::Budget;
use entail_sat::Signal;
use entail_trajectories::{
    Assertion, AssertionGraph, BooleanRun, ConditionId, Drive, Gate, Method, Netlist, NodeId, Specification,
    Walk, Wire,
};
use rustc_hash::FxHashMap;

/// Most times that the loop of a path is repeated to close with Boolean values.
pub(crate) const MOST_ROUNDS: usize = 4;

/// The circuit, unrolled as far as what is driven and demanded needs.
struct Unrolled {
    graph: Graph,
    /// Where what is assumed holds and what is driven is so.
    agrees: Signal,
    values: FxHashMap<(NodeId, u32), Signal>,
}

fn unroll(
    netlist: &Netlist,
    specification: &Specification,
    assertion: &Assertion,
    budget: &Budget,
) -> Result<Unrolled, Stop> {
    let mut graph = Graph::new(specification.variables());
    let mut conditions = Translated::new(&specification.conditions);
    let mut agrees = conditions.get(&mut graph, assertion.assumption)?;
    let mut values: FxHashMap<(NodeId, u32), Signal> = FxHashMap::default();
    for (time, frame) in (0u32..).zip(&frames(netlist, assertion)) {
        for &node in &frame.nodes {
            budget.check()?;
            let of = |wire: Wire, time: u32| {
                let value = values.get(&(wire.node, time));
                value.map(|signal| signal.flipped_if(wire.negated))
            };
            let value = match netlist.gate(node) {
                Gate::Zero => Some(Signal::constant(false)),
                Gate::Copy(a) => of(a, time),
                Gate::And(a, b) => match (of(a, time), of(b, time)) {
                    (Some(a), Some(b)) => Some(graph.and(&a, &b)?),
                    _ => None,
                },
                Gate::Register(Some(next)) if time > 0 => of(next, time - 1),
                _ => None,
            };
            let value = value.unwrap_or_else(|| graph.aig.leaf());
            values.insert((node, time), value);
            for drive in frame.driven.get(&node).into_iter().flatten() {
                let guard = conditions.get(&mut graph, drive.guard)?;
                let wanted = conditions.get(&mut graph, drive.value)?;
                let same = graph.aig.iff(value, wanted);
                let said = graph.or(&!guard, &same)?;
                agrees = graph.and(&agrees, &said)?;
            }
        }
    }
    Ok(Unrolled {
        graph,
        agrees,
        values,
    })
}

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
    let unrolled = unroll(netlist, specification, &driving, budget)?;
    Ok(unrolled.graph.model(unrolled.agrees, budget)?.is_some())
}

/// A Boolean run along the path of a walk. A loop of the path may be repeated some times until registers are as before; they are those that the graph depends on.
pub(crate) fn run_along(
    netlist: &Netlist,
    specification: &Specification,
    graph: &AssertionGraph,
    registers: &[(NodeId, Wire)],
    walk: &Walk,
    budget: &Budget,
) -> Result<Option<BooleanRun>, Stop> {
    let Some(back_to) = walk.back_to else {
        return run(
            netlist,
            specification,
            graph,
            &[],
            walk,
            (walk.edges.clone(), None),
            budget,
        );
    };
    let mut edges = walk.edges.clone();
    for _ in 0..MOST_ROUNDS {
        let path = (edges.clone(), Some(back_to));
        let found = run(netlist, specification, graph, registers, walk, path, budget)?;
        if found.is_some() {
            return Ok(found);
        }
        edges.extend_from_slice(&walk.edges[back_to as usize..]);
    }
    Ok(None)
}

fn run(
    netlist: &Netlist,
    specification: &Specification,
    graph: &AssertionGraph,
    registers: &[(NodeId, Wire)],
    walk: &Walk,
    (edges, back_to): (Vec<u32>, Option<u32>),
    budget: &Budget,
) -> Result<Option<BooleanRun>, Stop> {
    let truths = specification.conditions.evaluate(&walk.values);
    let mut antecedent = Vec::new();
    for (time, &edge) in (0..).zip(&edges) {
        let drives = &graph.edges[edge as usize].antecedent;
        let driven = drives.iter().filter(|drive| truths[drive.guard.index()]);
        antecedent.extend(driven.map(|drive| Drive {
            node: drive.node,
            time,
            guard: ConditionId::TRUE,
            value: ConditionId::constant(truths[drive.value.index()]),
        }));
    }
    let last = edges.len() as u32 - 1;
    // What must be known at the ends of the loop; nothing is demanded of it.
    let looked_at = |node: NodeId, time: u32| Drive {
        node,
        time,
        guard: ConditionId::FALSE,
        value: ConditionId::FALSE,
    };
    let ends = registers.iter().flat_map(|&(register, next)| {
        [
            looked_at(register, back_to.unwrap_or(0)),
            looked_at(next.node, last),
        ]
    });
    let assertion = Assertion {
        name: graph.name.clone(),
        text: String::new(),
        place: graph.place,
        assumption: ConditionId::TRUE,
        antecedent,
        consequent: ends.collect(),
        is_indexed: false,
        relation: None,
        method: Method::Simulation,
    };
    let mut unrolled = unroll(netlist, specification, &assertion, budget)?;
    let mut agrees = unrolled.agrees;
    for &(register, next) in registers {
        let before = unrolled.values.get(&(register, back_to.unwrap_or(0)));
        let after = unrolled.values.get(&(next.node, last));
        if let (Some(&before), Some(&after)) = (before, after) {
            let same = unrolled.graph.aig.iff(before, after.flipped_if(next.negated));
            agrees = unrolled.graph.and(&agrees, &same)?;
        }
    }
    let is_free = |gate: Gate| matches!(gate, Gate::Input | Gate::Register(None));
    let free: Vec<NodeId> = netlist
        .gates()
        .filter(|(_, gate)| is_free(*gate))
        .map(|(node, _)| node)
        .collect();
    let stored: Vec<NodeId> = (netlist.gates())
        .filter(|(_, gate)| matches!(gate, Gate::Register(Some(_))))
        .map(|(node, _)| node)
        .collect();
    let inputs = (0..=last).flat_map(|time| free.iter().map(move |&node| (node, time)));
    let places: Vec<(NodeId, u32)> = stored.iter().map(|&node| (node, 0)).chain(inputs).collect();
    // (What nothing depends on is 0.)
    let zero = Signal::constant(false);
    let signals: Vec<Signal> = places
        .iter()
        .map(|place| unrolled.values.get(place).copied().unwrap_or(zero))
        .collect();
    let found = unrolled.graph.values(agrees, &signals, budget)?;
    Ok(found.map(|mut values| {
        let rest = values.split_off(stored.len());
        BooleanRun {
            inputs: match free.len() {
                0 => vec![Vec::new(); edges.len()],
                width => rest.chunks(width).map(<[bool]>::to_vec).collect(),
            },
            registers: values,
            edges,
            back_to,
        }
    }))
}
