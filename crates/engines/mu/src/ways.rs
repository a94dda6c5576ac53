//! The ways in which a state can satisfy a set of nodes.
//!
//! A way chooses an operand at every disjunction that the nodes come down to. It is contradictory if two literals are, or if a cycle of choices without a step (in a formula that is not
//! guarded) passes a least fixpoint outermost. What matters of a way are its literals and its traces: from which node it comes to which modality, and the outermost fixpoint in
//! between. A way that has all traces of another asks for more of the next states and is left out. There may be exponentially many ways.

use crate::nodes::Nodes;
use entail_budget::{Budget, Spent};
use entail_logic::mu::{Fixpoint, MuNode};
use fixedbitset::FixedBitSet;

/// From a node to a modality, with the outermost fixpoint passed.
pub(crate) type Trace = (u32, u32, Option<u32>);

/// A way to satisfy a set of nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Way {
    /// The traces, sorted.
    pub traces: Vec<Trace>,
    /// The literal nodes that are true.
    pub literals: Vec<u32>,
    /// The modalities, sorted.
    pub modalities: Vec<u32>,
}

/// A way that is being chosen.
#[derive(Clone)]
struct Partial {
    reached: FixedBitSet,
    /// Nodes that are reached and not looked at yet.
    open: Vec<u32>,
    /// From each node that was looked at to the next ones.
    edges: Vec<(u32, u32)>,
}

/// All ways to satisfy these nodes, but those that ask for more than another.
pub(crate) fn ways(nodes: &Nodes<'_>, duties: &[u32], budget: &Budget) -> Result<Vec<Way>, Spent> {
    let mut reached = FixedBitSet::with_capacity(nodes.0.len());
    reached.extend(duties.iter().map(|&node| node as usize));
    let start = Partial {
        reached,
        open: duties.to_vec(),
        edges: Vec::new(),
    };
    let mut found: Vec<Way> = Vec::new();
    let mut waiting = vec![start];
    while let Some(mut partial) = waiting.pop() {
        budget.check()?;
        match partial.go_on(nodes) {
            Progress::Stuck => {}
            Progress::Branch(node) => {
                for &operand in nodes.0[node as usize].operands.iter().rev() {
                    let mut chosen = partial.clone();
                    chosen.reach(node, operand);
                    waiting.push(chosen);
                }
            }
            Progress::Done => {
                let Some(way) = partial.way(nodes, duties) else {
                    continue;
                };
                let within =
                    |a: &Way, b: &Way| a.traces.iter().all(|trace| b.traces.binary_search(trace).is_ok());
                if !found.iter().any(|known| within(known, &way)) {
                    found.retain(|known| !within(&way, known));
                    found.push(way);
                }
            }
        }
    }
    Ok(found)
}

enum Progress {
    /// A contradiction.
    Stuck,
    /// An operand of this disjunction is to be chosen.
    Branch(u32),
    Done,
}

impl Partial {
    fn reach(&mut self, from: u32, to: u32) {
        self.edges.push((from, to));
        if !self.reached.put(to as usize) {
            self.open.push(to);
        }
    }

    /// Looks at open nodes up to the next disjunction.
    fn go_on(&mut self, nodes: &Nodes<'_>) -> Progress {
        let mut disjunctions = Vec::new();
        while let Some(number) = self.open.pop() {
            let node = &nodes.0[number as usize];
            match node.formula {
                MuNode::Constant(false) => return Progress::Stuck,
                MuNode::Constant(true) | MuNode::Modal(..) => {}
                MuNode::Literal(name, positive) => {
                    let opposite = |other: usize| {
                        matches!(nodes.0[other].formula,
                            MuNode::Literal(known, sign) if known == name && sign != positive)
                    };
                    if self.reached.ones().any(opposite) {
                        return Progress::Stuck;
                    }
                }
                MuNode::Or(_) => disjunctions.push(number),
                MuNode::And(_) | MuNode::Fixpoint(..) | MuNode::Variable(_) => {
                    for &operand in &node.operands {
                        self.reach(number, operand);
                    }
                }
            }
        }
        match disjunctions.pop() {
            None => Progress::Done,
            Some(last) => {
                self.open = disjunctions;
                Progress::Branch(last)
            }
        }
    }

    /// The way that has been chosen; nothing if it goes round a least fixpoint for ever.
    fn way(&self, nodes: &Nodes<'_>, duties: &[u32]) -> Option<Way> {
        let mut next: Vec<Vec<u32>> = vec![Vec::new(); nodes.0.len()];
        for &(from, to) in &self.edges {
            next[from as usize].push(to);
        }
        // Only a variable leads back, so that every cycle passes the fixpoint of one.
        for number in self.reached.ones() {
            let node = &nodes.0[number];
            if let MuNode::Fixpoint(Fixpoint::Least, ..) = node.formula
                && returns(nodes, &next, number as u32)
            {
                return None;
            }
        }
        let mut traces = Vec::new();
        for &duty in duties {
            traces.extend(
                (passed(nodes, &next, duty).into_iter()).filter_map(|(node, outermost)| {
                    let is_modal = matches!(nodes.0[node as usize].formula, MuNode::Modal(..));
                    is_modal.then_some((duty, node, outermost))
                }),
            );
        }
        traces.sort_unstable();
        traces.dedup();
        let of_kind = |fits: fn(&MuNode<String>) -> bool| {
            let numbers = self
                .reached
                .ones()
                .filter(move |&number| fits(nodes.0[number].formula));
            numbers.map(|number| number as u32).collect()
        };
        Some(Way {
            traces,
            literals: of_kind(|formula| matches!(formula, MuNode::Literal(..))),
            modalities: of_kind(|formula| matches!(formula, MuNode::Modal(..))),
        })
    }
}

/// What is reached from a node without a step, with the outermost fixpoint passed on the way, the first and the last node included.
fn passed(nodes: &Nodes<'_>, next: &[Vec<u32>], from: u32) -> Vec<(u32, Option<u32>)> {
    let outer = |known: Option<u32>, number: u32| match (known, nodes.0[number as usize].formula) {
        (None, MuNode::Fixpoint(..)) => Some(number),
        (Some(before), MuNode::Fixpoint(..))
            if nodes.0[number as usize].depth < nodes.0[before as usize].depth =>
        {
            Some(number)
        }
        _ => known,
    };
    let mut found = vec![(from, outer(None, from))];
    let mut at = 0;
    while let Some(&(number, outermost)) = found.get(at) {
        at += 1;
        for &to in &next[number as usize] {
            let reached = (to, outer(outermost, to));
            if !found.contains(&reached) {
                found.push(reached);
            }
        }
    }
    found
}

/// Whether a fixpoint is come back to without passing one around it.
fn returns(nodes: &Nodes<'_>, next: &[Vec<u32>], fixpoint: u32) -> bool {
    (passed(nodes, next, fixpoint).iter())
        .any(|&(number, outermost)| outermost == Some(fixpoint) && next[number as usize].contains(&fixpoint))
}
