//! Formulas that tell states of labelled systems apart: Hennessy–Milner logic and its relatives.
//!
//! A formula is a list of nodes whose operands come before them, with equal parts written once: separating formulas can be
//! exponentially larger as trees than as graphs. The operators are those that characterise the relations:
//!
//! - `<a>f` and conjunction and negation: strong bisimulation (Hennessy, Milner 1985); without negation: simulation; with
//!   negation of `<a>true` only: ready simulation;
//! - `<<a>>f`, with hidden steps before and after: weak bisimulation;
//! - `f <a> g`, through hidden steps in `f` to a step `a` into `g`: branching bisimulation (De Nicola, Vaandrager 1995);
//!   with endless hidden steps in `f`: divergence-preserving branching bisimulation.

use entail_logic::mu::{Fixpoint, Modality, Mu, MuNode, MuVar};
use entail_model::TAU_NAME;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// The position of a node in its formula or graph.
pub type HmlId = u32;

/// One operator.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum HmlNode {
    /// True everywhere.
    True,
    /// The state has this proposition.
    Proposition {
        /// Its name.
        name: Arc<str>,
    },
    /// Negation.
    Not {
        /// What is not true.
        of: HmlId,
    },
    /// Conjunction of at least two.
    And {
        /// The conjuncts.
        of: Vec<HmlId>,
    },
    /// `<a>f`: some step leads to `f`.
    Some {
        /// The step's action.
        action: Arc<str>,
        /// What is true after it.
        then: HmlId,
    },
    /// `<<a>>f`: hidden steps, a step `a`, hidden steps lead to `f`; with the hidden action, hidden steps alone do, too. Here a
    /// hidden step that changes the propositions is seen: it counts as a step, not as one of those before and after.
    Weak {
        /// The action that is seen.
        action: Arc<str>,
        /// What is true in the end.
        then: HmlId,
    },
    /// `f <a> g`: hidden steps through states with `f`, then a step `a` from such a state, lead to `g`. With the hidden action:
    /// `g` is true here, or hidden steps through states with `f` lead to `g`.
    Until {
        /// What is true on the way.
        along: HmlId,
        /// The action of the last step.
        action: Arc<str>,
        /// What is true in the end.
        then: HmlId,
    },
    /// Endless hidden steps through states where something is true.
    Forever {
        /// What is true for ever.
        along: HmlId,
    },
}

impl HmlNode {
    /// The operands.
    pub fn operands(&self) -> Vec<HmlId> {
        match self {
            HmlNode::True | HmlNode::Proposition { .. } => Vec::new(),
            HmlNode::Not { of } => vec![*of],
            HmlNode::And { of } => of.clone(),
            HmlNode::Some { then, .. } | HmlNode::Weak { then, .. } => vec![*then],
            HmlNode::Until { along, then, .. } => vec![*along, *then],
            HmlNode::Forever { along } => vec![*along],
        }
    }

    /// The same operator over other operands.
    pub fn map(&self, mut map: impl FnMut(HmlId) -> HmlId) -> HmlNode {
        let mut node = self.clone();
        match &mut node {
            HmlNode::True | HmlNode::Proposition { .. } => {}
            HmlNode::Not { of } => *of = map(*of),
            HmlNode::And { of } => of.iter_mut().for_each(|operand| *operand = map(*operand)),
            HmlNode::Some { then, .. } | HmlNode::Weak { then, .. } => *then = map(*then),
            HmlNode::Until { along, then, .. } => {
                *along = map(*along);
                *then = map(*then);
            }
            HmlNode::Forever { along } => *along = map(*along),
        }
        node
    }
}

/// A formula: its last node, with what that uses before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hml {
    nodes: Vec<HmlNode>,
}

impl Hml {
    /// The formula with these nodes, if operands come before what uses them and there is one at all.
    pub fn new(nodes: Vec<HmlNode>) -> Option<Hml> {
        let formula = Hml { nodes };
        formula.is_ordered().then_some(formula)
    }

    /// Whether operands come before what uses them. A formula that was read from a file may be anything.
    pub fn is_ordered(&self) -> bool {
        !self.nodes.is_empty()
            && (self.nodes.iter().enumerate())
                .all(|(place, node)| node.operands().iter().all(|&operand| (operand as usize) < place))
    }

    /// The nodes; the last is the formula.
    pub fn nodes(&self) -> &[HmlNode] {
        &self.nodes
    }

    /// The last node.
    pub fn root(&self) -> HmlId {
        self.nodes.len() as HmlId - 1
    }

    /// The number of nodes as a tree, of every part; the largest number stands for more.
    pub fn tree_sizes(&self) -> Vec<u64> {
        let mut sizes: Vec<u64> = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            let below = node.operands().into_iter().map(|operand| sizes[operand as usize]);
            sizes.push(below.fold(1, u64::saturating_add));
        }
        sizes
    }

    /// The number of nodes as a tree; the largest number stands for more.
    pub fn tree_size(&self) -> u64 {
        self.tree_sizes().last().copied().unwrap_or(0)
    }

    /// How deeply modalities are nested.
    pub fn depth(&self) -> usize {
        let mut depths: Vec<usize> = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            let below = node
                .operands()
                .iter()
                .map(|&operand| depths[operand as usize])
                .max();
            let modal = !matches!(node, HmlNode::Not { .. } | HmlNode::And { .. });
            depths.push(below.map_or(0, |below| below + usize::from(modal)));
        }
        depths.last().copied().unwrap_or(0)
    }

    /// The formula in the mu-calculus. Equal parts are shared in memory. Modalities have no action if they are about Kripke
    /// structures, where all steps are hidden; there `<<a>>f` cannot be written, as it looks at how propositions change.
    pub fn to_mu(&self, of_kripke: bool) -> Option<Mu<Arc<str>>> {
        if of_kripke && (self.nodes.iter()).any(|node| matches!(node, HmlNode::Weak { .. })) {
            return None;
        }
        let mut positive: Vec<Mu<Arc<str>>> = Vec::with_capacity(self.nodes.len());
        let mut negative: Vec<Mu<Arc<str>>> = Vec::with_capacity(self.nodes.len());
        for (place, node) in self.nodes.iter().enumerate() {
            let writer = Writer {
                of_kripke,
                variable: MuVar::new(format!("X{place}")),
            };
            let plain = writer.node(node, &|operand| positive[operand as usize].clone(), true);
            let plain = match node {
                HmlNode::Not { of } => negative[*of as usize].clone(),
                _ => plain,
            };
            let dual = writer.node(node, &|operand| negative[operand as usize].clone(), false);
            let dual = match node {
                HmlNode::Not { of } => positive[*of as usize].clone(),
                _ => dual,
            };
            positive.push(plain);
            negative.push(dual);
        }
        positive.pop()
    }
}

/// Writes one operator, or its dual over negated operands.
struct Writer {
    of_kripke: bool,
    variable: MuVar,
}

type Part = Mu<Arc<str>>;

impl Writer {
    fn modal(&self, plain: bool, action: &str, operand: Part) -> Part {
        let modality = if plain { Modality::Some } else { Modality::Every };
        let action = (!self.of_kripke).then(|| Arc::from(action));
        MuNode::Modal(modality, action.into(), operand).into()
    }

    fn fixpoint(&self, plain: bool, fixpoint: Fixpoint, body: Part) -> Part {
        let fixpoint = if plain { fixpoint } else { fixpoint.dual() };
        body.fixpoint(fixpoint, &self.variable)
    }

    fn node(&self, node: &HmlNode, operand: &dyn Fn(HmlId) -> Part, plain: bool) -> Part {
        let and = |parts: Vec<Part>| if plain { Mu::and(parts) } else { Mu::or(parts) };
        let or = |parts: Vec<Part>| if plain { Mu::or(parts) } else { Mu::and(parts) };
        let again = || self.modal(plain, TAU_NAME, Mu::variable(&self.variable));
        let hidden = |f: Part| self.fixpoint(plain, Fixpoint::Least, or(vec![f, again()]));
        match node {
            HmlNode::True => Mu::constant(plain),
            HmlNode::Proposition { name } => MuNode::Literal(name.clone(), plain).into(),
            // The caller has both polarities at hand.
            HmlNode::Not { of } => operand(*of),
            HmlNode::And { of } => and(of.iter().map(|&f| operand(f)).collect()),
            HmlNode::Some { action, then } => self.modal(plain, action, operand(*then)),
            HmlNode::Weak { action, then } if **action == *TAU_NAME => hidden(operand(*then)),
            HmlNode::Weak { action, then } => hidden(self.modal(plain, action, hidden(operand(*then)))),
            HmlNode::Until { along, action, then } if **action == *TAU_NAME => {
                let on = and(vec![operand(*along), again()]);
                self.fixpoint(plain, Fixpoint::Least, or(vec![operand(*then), on]))
            }
            HmlNode::Until { along, action, then } => {
                let step = self.modal(plain, action, operand(*then));
                let body = and(vec![operand(*along), or(vec![step, again()])]);
                self.fixpoint(plain, Fixpoint::Least, body)
            }
            HmlNode::Forever { along } => {
                let body = and(vec![operand(*along), again()]);
                self.fixpoint(plain, Fixpoint::Greatest, body)
            }
        }
    }
}

/// Formulas under construction: equal nodes are one, and trivial ones are not made.
#[derive(Clone, Debug, Default)]
pub struct HmlGraph {
    nodes: Vec<HmlNode>,
    numbers: FxHashMap<HmlNode, HmlId>,
}

impl HmlGraph {
    /// A graph without nodes.
    pub fn new() -> HmlGraph {
        HmlGraph::default()
    }

    /// A node.
    pub fn node(&self, id: HmlId) -> &HmlNode {
        &self.nodes[id as usize]
    }

    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The number of a node; its operands are in the graph.
    pub fn add(&mut self, node: HmlNode) -> HmlId {
        let node = match node {
            HmlNode::Not { of } => match self.node(of) {
                HmlNode::Not { of } => return *of,
                _ => HmlNode::Not { of },
            },
            HmlNode::And { of } => {
                let mut list = Vec::with_capacity(of.len());
                for operand in of {
                    match self.node(operand) {
                        HmlNode::True => {}
                        HmlNode::And { of } => list.extend(of.iter().copied()),
                        _ => list.push(operand),
                    }
                }
                list.sort_unstable();
                list.dedup();
                match list[..] {
                    [] => HmlNode::True,
                    [only] => return only,
                    _ => HmlNode::And { of: list },
                }
            }
            node => node,
        };
        if let Some(&known) = self.numbers.get(&node) {
            return known;
        }
        let id = self.nodes.len() as HmlId;
        self.nodes.push(node.clone());
        self.numbers.insert(node, id);
        id
    }

    /// Adds all of a formula and gives its number here.
    pub fn adopt(&mut self, formula: &Hml) -> HmlId {
        let mut numbers: Vec<HmlId> = Vec::with_capacity(formula.nodes.len());
        for node in &formula.nodes {
            let id = self.add(node.map(|operand| numbers[operand as usize]));
            numbers.push(id);
        }
        numbers.last().copied().unwrap_or(0)
    }

    /// The formula of this number alone.
    pub fn extract(&self, root: HmlId) -> Hml {
        let mut used = vec![false; root as usize + 1];
        used[root as usize] = true;
        for id in (0..=root as usize).rev() {
            if used[id] {
                for operand in self.nodes[id].operands() {
                    used[operand as usize] = true;
                }
            }
        }
        let mut place = vec![0; root as usize + 1];
        let mut nodes = Vec::new();
        for id in (0..=root as usize).filter(|&id| used[id]) {
            place[id] = nodes.len() as HmlId;
            nodes.push(self.nodes[id].map(|operand| place[operand as usize]));
        }
        Hml { nodes }
    }
}
