//! One valuation, simulated: every node at every time, in the order of the netlist.
//!
//! A value is a set of possible values, as two bits: 1 for "0 is possible", 2 for "1 is possible". A gate's set is that of the results over all members of its inputs' sets, taken by enumeration, not by a
//! formula; what drives a node takes members away, and an empty set is a contradiction.

use entail_trajectories::{Assertion, Drive, Gate, Netlist, NodeId, Specification, Wire};

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
        let mut frame = vec![ANY; netlist.len()];
        let mut forced = vec![ANY; netlist.len()];
        for drive in assertion.antecedent.iter().filter(|drive| drive.time == time) {
            if let Some(value) = truth_of(drive) {
                forced[drive.node.index()] &= if value { 0b10 } else { 0b01 };
            }
        }
        for (node, gate) in netlist.gates() {
            let possible = match gate {
                Gate::Zero => 0b01,
                Gate::Input | Gate::Register(None) => ANY,
                Gate::Register(Some(next)) => replayed.frames.last().map_or(ANY, |before| read(next, before)),
                Gate::Copy(a) => read(a, &frame),
                Gate::And(a, b) => both(read(a, &frame), read(b, &frame)),
            };
            let possible = possible & forced[node.index()];
            if possible == 0 && replayed.contradiction.is_none() {
                replayed.contradiction = Some((node, time));
            }
            frame[node.index()] = possible;
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
    replayed
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
