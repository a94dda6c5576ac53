//! What has to be computed when: the drives of each time, and the nodes that the comparison depends on.
//!
//! Only the fan-in, back through time, of nodes that are demanded or driven is simulated. (A driven node matters even where nothing demanded depends on it: the circuit may
//! contradict it.)

use entail_trajectories::{Assertion, Drive, Gate, Netlist, NodeId};
use rustc_hash::FxHashMap;

/// What happens at one time.
#[derive(Clone, Debug, Default)]
pub(crate) struct Frame {
    /// The nodes that are computed, in order.
    pub(crate) nodes: Vec<NodeId>,
    /// What drives them.
    pub(crate) driven: FxHashMap<NodeId, Vec<Drive>>,
    /// What is demanded of them.
    pub(crate) demanded: FxHashMap<NodeId, Vec<Drive>>,
}

/// The frames of an assertion.
pub(crate) fn frames(netlist: &Netlist, assertion: &Assertion) -> Vec<Frame> {
    let mut frames = vec![Frame::default(); assertion.depth() as usize + 1];
    for drive in &assertion.antecedent {
        let driven = &mut frames[drive.time as usize].driven;
        driven.entry(drive.node).or_default().push(*drive);
    }
    for drive in &assertion.consequent {
        let demanded = &mut frames[drive.time as usize].demanded;
        demanded.entry(drive.node).or_default().push(*drive);
    }
    let mut wanted: Vec<NodeId> = Vec::new();
    let mut is_needed = vec![false; netlist.len()];
    for frame in frames.iter_mut().rev() {
        is_needed.fill(false);
        let mut open = std::mem::take(&mut wanted);
        open.extend(frame.driven.keys().chain(frame.demanded.keys()));
        while let Some(node) = open.pop() {
            if std::mem::replace(&mut is_needed[node.index()], true) {
                continue;
            }
            match netlist.gate(node) {
                Gate::And(a, b) => open.extend([a.node, b.node]),
                Gate::Copy(a) => open.push(a.node),
                Gate::Register(Some(next)) => wanted.push(next.node),
                Gate::Zero | Gate::Input | Gate::Register(None) => {}
            }
        }
        let needed = is_needed.iter().enumerate().filter(|(_, needed)| **needed);
        frame.nodes = needed.map(|(index, _)| NodeId(index as u32)).collect();
    }
    frames
}
