//! One valuation, simulated: every node at every time, in the order of the netlist.
//!
//! A value is a set of possible values, as two bits: 1 for "0 is possible", 2 for "1 is possible". A gate's set is that of the results over all members of its inputs' sets, taken by enumeration, not by a
//! formula; what drives a node takes members away, and an empty set is a contradiction.

use super::boolean_run::boolean_frames;
use entail_trajectories::{
    Assertion, AssertionGraph, Drive, Gate, Netlist, NodeId, Relation, Satisfaction, Specification, Walk,
    Wire,
};

/// Possible values: bit 0 stands for 0, bit 1 for 1.
type Possible = u8;

const ANY: Possible = 0b11;

/// The values of a run under one valuation.
#[derive(Clone, Debug)]
pub struct Replayed {
    /// For each time, the possible values of each node.
    frames: Vec<Vec<Possible>>,
    /// Whether the assumption allows the valuation.
    pub allowed: bool,
    /// A node and time that are contradictory, if there are any.
    pub contradiction: Option<(NodeId, u32)>,
    /// Nodes and times with the other value than is demanded.
    pub conflicts: Vec<(NodeId, u32)>,
    /// Nodes and times without a value where one is demanded.
    pub unknown: Vec<(NodeId, u32)>,
}

impl Replayed {
    /// The letter of a value: 0, 1, X, or ! for a contradiction.
    pub fn letter(&self, time: u32, node: NodeId) -> char {
        let possible = self
            .frames
            .get(time as usize)
            .and_then(|frame| frame.get(node.index()));
        match possible {
            Some(0b01) => '0',
            Some(0b10) => '1',
            Some(0) => '!',
            _ => 'X',
        }
    }

    /// The number of times.
    pub fn times(&self) -> usize {
        self.frames.len()
    }
}

/// Simulates a netlist under an antecedent with values for the variables.
pub fn replay(
    netlist: &Netlist,
    specification: &Specification,
    assertion: &Assertion,
    values: &[bool],
) -> Replayed {
    let truths = specification.conditions.evaluate(values);
    let truth_of = |drive: &Drive| truths[drive.guard.index()].then(|| truths[drive.value.index()]);
    let mut replayed = Replayed {
        frames: Vec::new(),
        allowed: truths[assertion.assumption.index()],
        contradiction: None,
        conflicts: Vec::new(),
        unknown: Vec::new(),
    };
    for time in 0..=assertion.depth() {
        let driven = assertion.antecedent.iter().filter(|drive| drive.time == time);
        let driven = driven.filter_map(|drive| Some((drive.node, truth_of(drive)?)));
        let (frame, contradiction) = next_frame(netlist, replayed.frames.last(), driven);
        if let (Some(node), None) = (contradiction, replayed.contradiction) {
            replayed.contradiction = Some((node, time));
        }
        for drive in assertion.consequent.iter().filter(|drive| drive.time == time) {
            let Some(demanded) = truth_of(drive) else {
                continue;
            };
            let found = frame[drive.node.index()];
            let other: Possible = if demanded { 0b01 } else { 0b10 };
            if found == other {
                replayed.conflicts.push((drive.node, time));
            } else if found == ANY {
                replayed.unknown.push((drive.node, time));
            }
        }
        replayed.frames.push(frame);
    }
    if let Some(relation) = &assertion.relation
        && let [first, ..] = relation.samples[..]
        && is_false(specification, relation, values, &replayed.frames)
    {
        replayed.conflicts.push((first.node, first.time));
    }
    replayed
}

/// Whether all samples of a relation have values, and it is false of them.
fn is_false(
    specification: &Specification,
    relation: &Relation,
    values: &[bool],
    frames: &[Vec<Possible>],
) -> bool {
    let mut values = values.to_vec();
    for sample in &relation.samples {
        let frame = frames.get(sample.time as usize);
        let value = match frame.and_then(|frame| frame.get(sample.node.index())) {
            Some(0b01) => false,
            Some(0b10) => true,
            _ => return false,
        };
        let place = sample.variable as usize;
        values.resize(values.len().max(place + 1), false);
        values[place] = value;
    }
    !specification.conditions.evaluate(&values)[relation.formula.index()]
}

/// The values of a step after another, or of the first, where some nodes are driven; and a node that is contradictory then.
fn next_frame(
    netlist: &Netlist,
    before: Option<&Vec<Possible>>,
    driven: impl Iterator<Item = (NodeId, bool)>,
) -> (Vec<Possible>, Option<NodeId>) {
    let mut frame = vec![ANY; netlist.len()];
    let mut forced = vec![ANY; netlist.len()];
    for (node, value) in driven {
        forced[node.index()] &= if value { 0b10 } else { 0b01 };
    }
    let mut contradiction = None;
    for (node, gate) in netlist.gates() {
        let possible = match gate {
            Gate::Zero => 0b01,
            Gate::Input | Gate::Register(None) => ANY,
            Gate::Register(Some(next)) => before.map_or(ANY, |before| read(next, before)),
            Gate::Copy(a) => read(a, &frame),
            Gate::And(a, b) => both(read(a, &frame), read(b, &frame)),
        };
        let possible = possible & forced[node.index()];
        if possible == 0 {
            contradiction = contradiction.or(Some(node));
        }
        frame[node.index()] = possible;
    }
    (frame, contradiction)
}

/// Simulates a path of an assertion graph; says what is wrong if it is no counterexample. The frames are its steps.
pub fn check_walk(
    netlist: &Netlist,
    specification: &Specification,
    graph: &AssertionGraph,
    walk: &Walk,
) -> Result<Replayed, &'static str> {
    if walk.values.len() != specification.variables() {
        return Err("the valuation is of other variables");
    }
    let truths = specification.conditions.evaluate(&walk.values);
    if !truths[graph.assumption.index()] {
        return Err("the assumption excludes the valuation");
    }
    let mut frames: Vec<Vec<Possible>> = Vec::new();
    let mut vertices = vec![0];
    for &edge in &walk.edges {
        let edge = graph
            .edges
            .get(edge as usize)
            .ok_or("the graph has no such edge")?;
        if vertices.last() != Some(&edge.from) {
            return Err("the edges are no path");
        }
        vertices.push(edge.to);
        let driven = edge.antecedent.iter().filter(|drive| truths[drive.guard.index()]);
        let driven = driven.map(|drive| (drive.node, truths[drive.value.index()]));
        let (frame, contradiction) = next_frame(netlist, frames.last(), driven);
        if contradiction.is_some() {
            return Err("an antecedent contradicts itself or the circuit there");
        }
        frames.push(frame);
    }
    let place = (NodeId(walk.node), walk.at);
    let is_wrong = |drive: &Drive| {
        let other = if truths[drive.value.index()] { 0b01 } else { 0b10 };
        let frame = frames.get(walk.at as usize);
        let found = frame.and_then(|frame| frame.get(drive.node.index()));
        drive.node == place.0 && truths[drive.guard.index()] && found == Some(&other)
    };
    let edge = walk
        .edges
        .get(walk.at as usize)
        .and_then(|&edge| graph.edges.get(edge as usize));
    if !edge.is_some_and(|edge| edge.consequent.iter().any(is_wrong)) {
        return Err("the circuit does not have the other value there");
    }
    let last = vertices.last().copied().unwrap_or(0);
    let is_over = graph.is_terminal(last);
    let matters = what_matters(netlist, graph);
    let comes_back = |to: u32| {
        let to = to as usize;
        let state = |after: usize| -> Vec<Possible> {
            let registers = netlist.gates().filter_map(|(node, gate)| match gate {
                Gate::Register(Some(next)) if matters[node.index()] => Some(next),
                _ => None,
            });
            let value = |next: Wire| {
                after
                    .checked_sub(1)
                    .map_or(ANY, |before| read(next, &frames[before]))
            };
            registers.map(value).collect()
        };
        to < walk.edges.len() && vertices[to] == last && state(to) == state(walk.edges.len())
    };
    let is_fair = |to: u32| {
        let round = walk.edges.iter().skip(to as usize);
        round.into_iter().any(|&edge| graph.edges[edge as usize].is_fair)
    };
    let goes_on = match (graph.satisfaction, walk.back_to) {
        (Satisfaction::Strong, None) => true,
        (Satisfaction::Normal | Satisfaction::Terminal, None) => is_over,
        (Satisfaction::Normal, Some(to)) => comes_back(to),
        (Satisfaction::Fair, Some(to)) => comes_back(to) && is_fair(to),
        _ => false,
    };
    if !goes_on {
        return Err("the path does not go on as the graph asks");
    }
    // With a run of values 0 and 1, that is what is shown.
    let frames = match &walk.run {
        None => frames,
        Some(run) => {
            let frames = boolean_frames(netlist, graph, &truths, (walk, run), &matters)?;
            let possible = |frame: Vec<bool>| frame.into_iter().map(|value| 1 << u8::from(value)).collect();
            frames.into_iter().map(possible).collect()
        }
    };
    Ok(Replayed {
        frames,
        allowed: true,
        contradiction: None,
        conflicts: vec![place],
        unknown: Vec::new(),
    })
}

/// The nodes that what a graph drives and demands depends on, now or later.
fn what_matters(netlist: &Netlist, graph: &AssertionGraph) -> Vec<bool> {
    let mut matters = vec![false; netlist.len()];
    let edges = graph.edges.iter();
    for drive in edges.flat_map(|edge| edge.antecedent.iter().chain(&edge.consequent)) {
        matters[drive.node.index()] = true;
    }
    let gates: Vec<(NodeId, Gate)> = netlist.gates().collect();
    // Gates read what comes before them, registers anything: again until nothing is new.
    loop {
        let before = matters.clone();
        for (node, gate) in gates.iter().rev() {
            if !matters[node.index()] {
                continue;
            }
            match gate {
                Gate::And(a, b) => [a, b]
                    .into_iter()
                    .for_each(|wire| matters[wire.node.index()] = true),
                Gate::Copy(a) | Gate::Register(Some(a)) => matters[a.node.index()] = true,
                Gate::Zero | Gate::Input | Gate::Register(None) => {}
            }
        }
        if matters == before {
            return matters;
        }
    }
}

fn read(wire: Wire, frame: &[Possible]) -> Possible {
    let possible = frame[wire.node.index()];
    match wire.negated {
        true => (possible & 1) << 1 | possible >> 1,
        false => possible,
    }
}

/// The results of AND over all members of two sets.
fn both(a: Possible, b: Possible) -> Possible {
    let mut results = 0;
    for x in 0..2u8 {
        for y in 0..2u8 {
            if a >> x & 1 == 1 && b >> y & 1 == 1 {
                results |= 1 << (x & y);
            }
        }
    }
    results
}
