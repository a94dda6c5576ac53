//! From any acceptance condition to parity, keeping determinism: the Zielonka tree.
//!
//! The root of the tree is the set of all marks; the children of a node are the largest subsets on which the condition
//! answers the other way. A product state remembers a leaf; reading marks `m`, it climbs from the leaf to the lowest
//! ancestor that contains `m`, announces that ancestor's depth as priority, and moves to a leaf under the next child in
//! turn. The result has at most `n` times the number of leaves as states, which is optimal for conditions that the
//! structure of the automaton does not simplify (Casares, Colcombet, Fijalkow). For Rabin and Streett this is index appearance.

use crate::acceptance::{Acceptance, Extreme, Kind, Marks, Winner};
use crate::algebra::parity::normalise_parity;
use crate::automaton::{Automaton, State};
use crate::error::{AutomataError, Result};
use entail_budget::Budget;
use rustc_hash::FxHashMap;

struct Node {
    marks: Marks,
    depth: u32,
    parent: Option<usize>,
    children: Vec<usize>,
}

/// The tree of a condition over a set of marks.
pub struct ZielonkaTree {
    nodes: Vec<Node>,
    /// Whether the root's set satisfies the condition.
    root_accepts: bool,
}

/// Trees with more nodes than this are given up.
const LARGEST_TREE: usize = 20_000;

impl ZielonkaTree {
    /// The tree over the given marks.
    pub fn new(acceptance: &Acceptance, marks: Marks, budget: &Budget) -> Result<ZielonkaTree> {
        let mut tree = ZielonkaTree {
            nodes: vec![Node {
                marks,
                depth: 0,
                parent: None,
                children: Vec::new(),
            }],
            root_accepts: acceptance.accepts(marks),
        };
        let mut at = 0;
        while at < tree.nodes.len() {
            budget.check()?;
            if tree.nodes.len() > LARGEST_TREE {
                return Err(AutomataError::NotApplicable("the Zielonka tree is too large"));
            }
            let own = tree.nodes[at].marks;
            let accepts = acceptance.accepts(own);
            for child in largest_subsets(acceptance, own, !accepts) {
                let number = tree.nodes.len();
                let depth = tree.nodes[at].depth + 1;
                tree.nodes.push(Node {
                    marks: child,
                    depth,
                    parent: Some(at),
                    children: Vec::new(),
                });
                tree.nodes[at].children.push(number);
            }
            at += 1;
        }
        Ok(tree)
    }

    /// Number of leaves.
    pub fn leaf_count(&self) -> usize {
        self.nodes.iter().filter(|node| node.children.is_empty()).count()
    }

    fn first_leaf(&self, mut node: usize) -> usize {
        while let Some(&child) = self.nodes[node].children.first() {
            node = child;
        }
        node
    }

    /// The leaf after reading marks at a leaf, and the depth announced.
    fn step(&self, leaf: usize, marks: Marks) -> (usize, u32) {
        let mut below = None;
        let mut at = leaf;
        while !marks.subset(self.nodes[at].marks) {
            below = Some(at);
            at = self.nodes[at].parent.expect("the root has all marks");
        }
        let depth = self.nodes[at].depth;
        let Some(below) = below else {
            return (leaf, depth);
        };
        let children = &self.nodes[at].children;
        let position = children
            .iter()
            .position(|child| *child == below)
            .expect("came from a child");
        let next = children[(position + 1) % children.len()];
        (self.first_leaf(next), depth)
    }
}

/// The largest subsets of `marks` on which the condition answers `wanted`.
fn largest_subsets(acceptance: &Acceptance, marks: Marks, wanted: bool) -> Vec<Marks> {
    // A subset that answers as wanted satisfies a disjunct of the condition (or of its dual): drop from `marks` the marks
    // that must be finite; the rest is the largest such set if what must recur is still there.
    let condition = if wanted {
        acceptance.clone()
    } else {
        acceptance.dual()
    };
    let mut candidates: Vec<Marks> = condition
        .restricted_to(marks)
        .disjuncts()
        .into_iter()
        .filter(|(_, inf)| inf.subset(marks))
        .map(|(fin, _)| marks.without(fin))
        .filter(|set| *set != marks)
        .collect();
    candidates.sort();
    candidates.dedup();
    let all = candidates.clone();
    candidates.retain(|set| !all.iter().any(|other| other != set && set.subset(*other)));
    candidates
}

/// An equivalent parity automaton (max even); deterministic or complete if the source is.
pub fn to_parity(automaton: &Automaton, budget: &Budget) -> Result<Automaton> {
    if automaton.acceptance().as_parity(automaton.mark_count()).is_some()
        || matches!(
            automaton.kind(),
            Kind::Buchi | Kind::CoBuchi | Kind::All | Kind::None
        )
    {
        let mut same = automaton.clone();
        normalise_parity(&mut same)?;
        return Ok(same);
    }
    let relevant = automaton.acceptance().marks();
    let used = automaton
        .edges
        .iter()
        .flatten()
        .fold(Marks::NONE, |all, edge| all.with(edge.marks));
    let tree = ZielonkaTree::new(automaton.acceptance(), relevant.common(used), budget)?;
    let deepest = tree.nodes.iter().map(|node| node.depth).max().unwrap_or(0);
    let mut result = Automaton::new(automaton.propositions().to_vec(), Acceptance::False, 0)?;
    result.labels = automaton.labels.clone();
    let start = tree.first_leaf(0);
    let mut number: FxHashMap<(State, usize), State> = FxHashMap::default();
    let mut pending = Vec::new();
    for &state in automaton.initial() {
        let fresh = result.add_state();
        number.insert((state, start), fresh);
        pending.push((state, start));
        result.add_initial(fresh);
    }
    let mut at = 0;
    while at < pending.len() {
        budget.check()?;
        let (state, leaf) = pending[at];
        for edge in automaton.edges(state) {
            let (next, depth) = tree.step(leaf, edge.marks.common(tree.nodes[0].marks));
            let target = *number.entry((edge.target, next)).or_insert_with(|| {
                pending.push((edge.target, next));
                result.add_state()
            });
            // Smaller depth is more important; an even depth is good iff the root accepts.
            let priority = deepest - depth + u32::from((deepest % 2 == 0) != tree.root_accepts);
            let marks = Marks(
                1u64.checked_shl(priority)
                    .ok_or(AutomataError::TooManyMarks(priority as usize))?,
            );
            result.add_edge(State(at as u32), edge.label, target, marks);
        }
        at += 1;
    }
    result.acceptance = Acceptance::parity(Extreme::Max, Winner::Even, deepest + 2);
    result.mark_count = deepest + 2;
    normalise_parity(&mut result)?;
    Ok(result)
}
