//! From any acceptance condition to parity, keeping determinism: the Zielonka tree.
//!
//! The root of the tree is the set of all marks; the children of a node are the largest subsets on which the condition
//! answers the other way. A product state remembers a leaf; reading marks `m`, it climbs from the leaf to the lowest
//! ancestor that contains `m`, announces that ancestor's depth as priority, and moves to a leaf under the next child in
//! turn. The result has at most `n` times the number of leaves as states, which is optimal for conditions that the
//! structure of the automaton does not simplify (Casares, Colcombet, Fijalkow). Each component has a tree of its own, over the
//! marks that occur in it. For Rabin and Streett this is index appearance.

use crate::acceptance::{Acceptance, Extreme, Kind, Marks, Winner};
use crate::algebra::parity::normalise_parity;
use crate::automaton::{Automaton, State};
use crate::error::{AutomataError, Result};
use crate::numbering::Numbering;
use crate::reduce::components::Components;
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
    deepest: u32,
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
            deepest: 0,
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
                tree.deepest = tree.deepest.max(depth);
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

    /// The leaf from which counting begins.
    pub fn start(&self) -> usize {
        self.first_leaf(0)
    }

    fn first_leaf(&self, mut node: usize) -> usize {
        while let Some(&child) = self.nodes[node].children.first() {
            node = child;
        }
        node
    }

    /// All that [`ZielonkaTree::step`] can answer at a leaf, from the leaf to the root: the marks that are read are among these and not among those of the entry
    /// before; then the next leaf, and the priority.
    pub fn steps(&self, leaf: usize) -> Vec<(Marks, usize, u32)> {
        let mut found = Vec::new();
        let mut at = Some(leaf);
        while let Some(node) = at {
            let marks = self.nodes[node].marks;
            let (next, priority) = self.step(leaf, marks);
            found.push((marks, next, priority));
            at = self.nodes[node].parent;
        }
        found
    }

    /// The leaf after reading marks at a leaf, and the priority announced: an ancestor near the root is more important,
    /// and its priority is even iff its set satisfies the condition.
    pub fn step(&self, leaf: usize, marks: Marks) -> (usize, u32) {
        let marks = marks.common(self.nodes[0].marks);
        let mut below = None;
        let mut at = leaf;
        while !marks.subset(self.nodes[at].marks) {
            below = Some(at);
            at = self.nodes[at].parent.expect("the root has all marks");
        }
        let deepest = self.deepest;
        let priority =
            deepest - self.nodes[at].depth + u32::from(deepest.is_multiple_of(2) != self.root_accepts);
        let Some(below) = below else {
            return (leaf, priority);
        };
        let children = &self.nodes[at].children;
        let position = children
            .iter()
            .position(|child| *child == below)
            .expect("came from a child");
        let next = children[(position + 1) % children.len()];
        (self.first_leaf(next), priority)
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
    let forest = Forest::new(automaton, budget)?;
    let mut result = Automaton::new(automaton.propositions().to_vec(), Acceptance::False, 0)?;
    result.labels = automaton.labels.clone();
    let mut found = Numbering::new();
    for &state in automaton.initial() {
        let start = found.state((state, forest.tree(state).first_leaf(0)), &mut result);
        result.add_initial(start);
    }
    let mut highest = 0;
    let mut at = 0;
    while let Some((state, leaf)) = found.get(at) {
        budget.check()?;
        for edge in automaton.edges(state) {
            let (next, priority) = if forest.components.inner(state, edge) {
                forest.tree(state).step(leaf, edge.marks)
            } else {
                // Between components nothing counts, and every leaf is as good as another.
                (forest.tree(edge.target).first_leaf(0), 0)
            };
            let target = found.state((edge.target, next), &mut result);
            highest = highest.max(priority);
            let marks = Marks(
                1u64.checked_shl(priority)
                    .ok_or(AutomataError::TooManyMarks(priority as usize))?,
            );
            result.add_edge(State(at as u32), edge.label, target, marks);
        }
        at += 1;
    }
    result.acceptance = Acceptance::parity(Extreme::Max, Winner::Even, highest + 1);
    result.mark_count = highest + 1;
    normalise_parity(&mut result)?;
    Ok(result)
}

/// A tree for each component, over the marks that occur in it.
struct Forest {
    components: Components,
    trees: Vec<ZielonkaTree>,
    /// The tree of each component.
    of: Vec<usize>,
}

impl Forest {
    fn new(automaton: &Automaton, budget: &Budget) -> Result<Forest> {
        let components = Components::of(automaton);
        let relevant = automaton.acceptance().marks();
        let mut trees = Vec::new();
        let mut known: FxHashMap<Marks, usize> = FxHashMap::default();
        let mut of = Vec::with_capacity(components.members.len());
        for component in 0..components.members.len() {
            let inside = components.inside(automaton, component, |_, _| true);
            let marks = inside.marks.common(relevant);
            let tree = match known.get(&marks) {
                Some(&tree) => tree,
                None => {
                    trees.push(ZielonkaTree::new(automaton.acceptance(), marks, budget)?);
                    known.insert(marks, trees.len() - 1);
                    trees.len() - 1
                }
            };
            of.push(tree);
        }
        Ok(Forest {
            components,
            trees,
            of,
        })
    }

    fn tree(&self, state: State) -> &ZielonkaTree {
        &self.trees[self.of[self.components.of[state.index()] as usize]]
    }
}
