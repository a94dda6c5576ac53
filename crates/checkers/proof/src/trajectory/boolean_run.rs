//! A run with values 0 and 1 along the path of an assertion graph, step by step.

use entail_trajectories::{AssertionGraph, BooleanRun, Gate, Netlist, NodeId, Walk, Wire};

/// The values of all nodes in each step of a run; says what is wrong if it does not take the path of a walk. `matters` says which nodes the graph depends on.
pub(super) fn boolean_frames(
    netlist: &Netlist,
    graph: &AssertionGraph,
    truths: &[bool],
    (walk, run): (&Walk, &BooleanRun),
    matters: &[bool],
) -> Result<Vec<Vec<bool>>, &'static str> {
    check_path(walk, run)?;
    let count = |which: fn(Gate) -> bool| netlist.gates().filter(|(_, gate)| which(*gate)).count();
    let free = count(|gate| matches!(gate, Gate::Input | Gate::Register(None)));
    let stored = count(|gate| matches!(gate, Gate::Register(Some(_))));
    let fits = run.inputs.len() == run.edges.len() && run.registers.len() == stored;
    if !fits || run.inputs.iter().any(|step| step.len() != free) {
        return Err("the run is of another circuit");
    }
    let mut frames: Vec<Vec<bool>> = Vec::new();
    let mut state = run.registers.clone();
    let mut states = vec![state.clone()];
    for (&edge, inputs) in run.edges.iter().zip(&run.inputs) {
        let frame = one_step(netlist, &state, inputs);
        let edge = graph
            .edges
            .get(edge as usize)
            .ok_or("the graph has no such edge")?;
        let driven = edge.antecedent.iter().filter(|drive| truths[drive.guard.index()]);
        for drive in driven {
            if frame[drive.node.index()] != truths[drive.value.index()] {
                return Err("the run does not do what an antecedent says");
            }
        }
        state = (netlist.gates())
            .filter_map(|(_, gate)| match gate {
                Gate::Register(Some(next)) => Some(frame[next.node.index()] != next.negated),
                _ => None,
            })
            .collect();
        states.push(state.clone());
        frames.push(frame);
    }
    if let Some(to) = run.back_to {
        let registers = netlist
            .gates()
            .filter(|(_, gate)| matches!(gate, Gate::Register(Some(_))));
        let places: Vec<NodeId> = registers.map(|(node, _)| node).collect();
        let begin = states.get(to as usize).ok_or("the run comes back to no step")?;
        let same = (places.iter().zip(begin.iter().zip(&state)))
            .all(|(node, (begin, end))| begin == end || !matters[node.index()]);
        if !same {
            return Err("the run does not come back to a state");
        }
    }
    let edge = walk
        .edges
        .get(walk.at as usize)
        .and_then(|&edge| graph.edges.get(edge as usize));
    let is_wrong = edge.is_some_and(|edge| {
        let demanded = edge.consequent.iter().filter(|drive| truths[drive.guard.index()]);
        let mut here = demanded.filter(|drive| drive.node.0 == walk.node);
        here.any(|drive| frames[walk.at as usize][drive.node.index()] != truths[drive.value.index()])
    });
    match is_wrong {
        true => Ok(frames),
        false => Err("the run has the demanded value"),
    }
}

/// A run takes the path of its walk, whose loop may be repeated.
fn check_path(walk: &Walk, run: &BooleanRun) -> Result<(), &'static str> {
    let other = Err("the run takes another path");
    let Some((path, rest)) = run.edges.split_at_checked(walk.edges.len()) else {
        return other;
    };
    if path != walk.edges || run.back_to != walk.back_to {
        return other;
    }
    let round = match walk.back_to {
        None => &[],
        Some(to) => walk.edges.get(to as usize..).unwrap_or(&[]),
    };
    let repeats = match round.is_empty() {
        true => rest.is_empty(),
        false => rest.chunks(round.len()).all(|part| part == round),
    };
    if repeats { Ok(()) } else { other }
}

fn one_step(netlist: &Netlist, state: &[bool], inputs: &[bool]) -> Vec<bool> {
    let (mut state, mut inputs) = (state.iter().copied(), inputs.iter().copied());
    let mut frame: Vec<bool> = Vec::with_capacity(netlist.len());
    for (_, gate) in netlist.gates() {
        let of = |wire: Wire| frame[wire.node.index()] != wire.negated;
        let value = match gate {
            Gate::Zero => false,
            Gate::Input | Gate::Register(None) => inputs.next().unwrap_or(false),
            Gate::Register(Some(_)) => state.next().unwrap_or(false),
            Gate::And(a, b) => of(a) && of(b),
            Gate::Copy(a) => of(a),
        };
        frame.push(value);
    }
    frame
}
