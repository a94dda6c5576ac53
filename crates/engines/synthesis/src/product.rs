//! The product of the parts, state by state.
//!
//! A state is what is left of the skeleton, a state of each part that still occurs in it, and a memory of the condition. Its steps are the diagrams of the parts walked through at once: a
//! tuple of nodes, one for each part, is split by the first signal that any of them tests. Signals of the player who moves first come first; a tuple that
//! tests none of them any more is a *turn*, all there is to know for the player who moves second.

use crate::condition::Condition;
use crate::part::{Fate, Node, Part};
use crate::problem::SynthesisError;
use crate::skeleton::{Skeleton, Truth};
use entail_budget::Budget;
use rustc_hash::FxHashMap;

/// The state of a part that does not matter any more, and the node of such a part.
const FORGOTTEN: u32 = u32::MAX;

/// The fate of a part that is not decided; otherwise it is 0 or 1.
const OPEN: u8 = 2;

fn code(fate: Fate) -> u8 {
    match fate {
        Fate::Decided(truth) => u8::from(truth),
        Fate::Open => OPEN,
    }
}

/// Where a step leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Target {
    /// The formula is true, whatever happens.
    Won,
    /// The formula is false, whatever happens.
    Lost,
    /// A state, with a priority on the way.
    State(u32, u32),
}

/// A node of a state's steps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// A signal, and the nodes if it is false and true.
    Test(u32, u32, u32),
    /// The player who moves second is to move.
    Turn(u32),
    /// The end.
    End(Target),
}

/// The steps of a state.
pub(crate) struct Steps {
    pub nodes: Vec<Step>,
    pub root: u32,
    /// The node of each turn.
    pub turns: Vec<u32>,
}

/// What is left of the skeleton when the fates of parts are known.
#[derive(Clone)]
enum Left {
    Decided(bool),
    /// The number of what is left, and which parts occur in it.
    Open(u32, Vec<bool>),
}

/// The product.
pub(crate) struct Product<'b> {
    pub parts: Vec<Part>,
    /// What can be left of the formula; the whole comes first.
    skeletons: Vec<Skeleton>,
    skeleton_numbers: FxHashMap<Skeleton, u32>,
    /// Signals below this level are the first mover's.
    pub boundary: u32,
    pub budget: &'b Budget,
    /// Keys of the states: the condition's memory, the skeleton, then the parts' states.
    pub states: Vec<Box<[u32]>>,
    numbers: FxHashMap<Box<[u32]>, u32>,
    left: FxHashMap<(u32, Vec<u8>), Left>,
    conditions: Vec<Condition>,
    condition_numbers: FxHashMap<Vec<u32>, u32>,
    /// The condition of each state.
    condition_of: Vec<u32>,
}

impl<'b> Product<'b> {
    pub fn new(parts: Vec<Part>, skeleton: Skeleton, boundary: u32, budget: &'b Budget) -> Product<'b> {
        Product {
            parts,
            skeleton_numbers: FxHashMap::from_iter([(skeleton.clone(), 0)]),
            skeletons: vec![skeleton],
            boundary,
            budget,
            states: Vec::new(),
            numbers: FxHashMap::default(),
            left: FxHashMap::default(),
            conditions: Vec::new(),
            condition_numbers: FxHashMap::default(),
            condition_of: Vec::new(),
        }
    }

    /// Where everything begins.
    pub fn initial(&mut self) -> Result<Target, SynthesisError> {
        let states: Vec<u32> = self.parts.iter().map(|part| part.initial).collect();
        self.target(None, 0, &states, &|_| 0)
    }

    /// What is left of a skeleton when these are the fates of the parts: [`OPEN`] or a truth.
    fn left(&mut self, skeleton: u32, fates: Vec<u8>) -> Left {
        let key = (skeleton, fates);
        if let Some(left) = self.left.get(&key) {
            return left.clone();
        }
        let truth = |part: u32| match key.1[part as usize] {
            OPEN => Truth::Open,
            fate => Truth::Known(fate == 1),
        };
        let simple = self.skeletons[skeleton as usize].simplified(&truth);
        let left = match simple {
            Skeleton::Constant(truth) => Left::Decided(truth),
            _ => {
                let mut matters = vec![false; self.parts.len()];
                simple.for_each_part(&mut |part| matters[part as usize] = true);
                let next = self.skeletons.len() as u32;
                let number = *self.skeleton_numbers.entry(simple.clone()).or_insert(next);
                if number == next {
                    self.skeletons.push(simple);
                }
                Left::Open(number, matters)
            }
        };
        self.left.insert(key, left.clone());
        left
    }

    /// What is left of a skeleton when the parts come to these states, and the states with those forgotten that do not occur in it; or the decision.
    fn normal(&mut self, skeleton: u32, states: &[u32]) -> Result<(u32, Vec<u32>), bool> {
        let fate = |(&state, part): (&u32, &Part)| match state {
            FORGOTTEN => OPEN,
            _ => code(part.fate[state as usize]),
        };
        let fates: Vec<u8> = states.iter().zip(&self.parts).map(fate).collect();
        match self.left(skeleton, fates) {
            Left::Decided(truth) => Err(truth),
            Left::Open(skeleton, matters) => {
                let kept = (states.iter().zip(matters))
                    .map(|(&state, matters)| if matters { state } else { FORGOTTEN })
                    .collect();
                Ok((skeleton, kept))
            }
        }
    }

    /// The same for a tuple of nodes, whose first entry is the skeleton: parts that are decided below their nodes are put in. Nothing if that decides
    /// everything.
    fn normal_tuple(&mut self, mut tuple: Box<[u32]>) -> Result<Box<[u32]>, bool> {
        let fate = |(&node, part): (&u32, &Part)| match node {
            FORGOTTEN => OPEN,
            _ => code(part.node_fate[node as usize]),
        };
        if tuple[1..]
            .iter()
            .zip(&self.parts)
            .map(fate)
            .all(|fate| fate == OPEN)
        {
            return Ok(tuple);
        }
        let fates: Vec<u8> = tuple[1..].iter().zip(&self.parts).map(fate).collect();
        match self.left(tuple[0], fates) {
            Left::Decided(truth) => Err(truth),
            Left::Open(skeleton, matters) => {
                tuple[0] = skeleton;
                for (node, matters) in tuple[1..].iter_mut().zip(matters) {
                    if !matters {
                        *node = FORGOTTEN;
                    }
                }
                Ok(tuple)
            }
        }
    }

    /// The components of parts in these states.
    fn components(&self, states: &[u32]) -> Vec<u32> {
        let component = |(&state, part): (&u32, &Part)| match state {
            FORGOTTEN => FORGOTTEN,
            _ => part.component[state as usize],
        };
        states.iter().zip(&self.parts).map(component).collect()
    }

    fn condition(&mut self, skeleton: u32, components: &[u32]) -> Result<u32, SynthesisError> {
        let mut key = vec![skeleton];
        key.extend_from_slice(components);
        if let Some(&known) = self.condition_numbers.get(&key) {
            return Ok(known);
        }
        let optional: Vec<Option<u32>> = (components.iter())
            .map(|&component| (component != FORGOTTEN).then_some(component))
            .collect();
        let skeleton = &self.skeletons[skeleton as usize];
        let condition = Condition::new(skeleton, &self.parts, &optional, self.budget)?;
        self.conditions.push(condition);
        let number = self.conditions.len() as u32 - 1;
        self.condition_numbers.insert(key, number);
        Ok(number)
    }

    /// The state that is reached from another (nothing: at the beginning) when this is left of the skeleton and the parts come to these states
    /// with these priorities.
    fn target(
        &mut self,
        from: Option<u32>,
        skeleton: u32,
        states: &[u32],
        priority: &dyn Fn(usize) -> u32,
    ) -> Result<Target, SynthesisError> {
        let (skeleton, states) = match self.normal(skeleton, states) {
            Ok(left) => left,
            Err(true) => return Ok(Target::Won),
            Err(false) => return Ok(Target::Lost),
        };
        let components = self.components(&states);
        let condition = self.condition(skeleton, &components)?;
        let (memory, priority) = match from {
            Some(from) if self.condition_of[from as usize] == condition => {
                let memory = self.states[from as usize][0];
                self.conditions[condition as usize].step(memory, priority)
            }
            // Components change finitely often, so that nothing is counted then.
            _ => (self.conditions[condition as usize].start(), 0),
        };
        let mut key = Vec::with_capacity(states.len() + 2);
        key.extend([memory, skeleton]);
        key.extend(states);
        let key = key.into_boxed_slice();
        let number = match self.numbers.get(&key) {
            Some(&known) => known,
            None => {
                let number = u32::try_from(self.states.len())
                    .map_err(|_| SynthesisError::TooLarge("the product has too many states"))?;
                self.states.push(key.clone());
                self.condition_of.push(condition);
                self.numbers.insert(key, number);
                number
            }
        };
        Ok(Target::State(number, priority))
    }

    /// The steps of a state.
    pub fn steps(&mut self, state: u32) -> Result<Steps, SynthesisError> {
        let key = &self.states[state as usize];
        let roots = (key[2..].iter().zip(&self.parts)).map(|(&state, part)| match state {
            FORGOTTEN => FORGOTTEN,
            _ => part.roots[state as usize],
        });
        let start: Vec<u32> = std::iter::once(key[1]).chain(roots).collect();
        let mut walk = Walk {
            state,
            nodes: Vec::new(),
            turns: Vec::new(),
            first: FxHashMap::default(),
            second: FxHashMap::default(),
            tests: FxHashMap::default(),
            ends: FxHashMap::default(),
            turn_nodes: FxHashMap::default(),
        };
        let root = walk.first(self, start.into_boxed_slice())?;
        Ok(Steps {
            nodes: walk.nodes,
            root,
            turns: walk.turns,
        })
    }
}

/// Walking through the diagrams of all parts at once. A tuple begins with what is left of the skeleton.
struct Walk {
    state: u32,
    nodes: Vec<Step>,
    turns: Vec<u32>,
    first: FxHashMap<Box<[u32]>, u32>,
    second: FxHashMap<Box<[u32]>, u32>,
    tests: FxHashMap<(u32, u32, u32), u32>,
    ends: FxHashMap<Target, u32>,
    turn_nodes: FxHashMap<u32, u32>,
}

impl Walk {
    fn push(&mut self, step: Step) -> u32 {
        self.nodes.push(step);
        self.nodes.len() as u32 - 1
    }

    fn test(&mut self, signal: u32, low: u32, high: u32) -> u32 {
        if low == high {
            return low;
        }
        match self.tests.get(&(signal, low, high)) {
            Some(&known) => known,
            None => {
                let node = self.push(Step::Test(signal, low, high));
                self.tests.insert((signal, low, high), node);
                node
            }
        }
    }

    fn end(&mut self, target: Target) -> u32 {
        match self.ends.get(&target) {
            Some(&known) => known,
            None => {
                let node = self.push(Step::End(target));
                self.ends.insert(target, node);
                node
            }
        }
    }

    /// The turn with this diagram.
    fn turn(&mut self, diagram: u32) -> u32 {
        match self.turn_nodes.get(&diagram) {
            Some(&known) => known,
            None => {
                self.turns.push(diagram);
                let node = self.push(Step::Turn(self.turns.len() as u32 - 1));
                self.turn_nodes.insert(diagram, node);
                node
            }
        }
    }

    /// The first signal that a tuple tests.
    fn top(product: &Product<'_>, tuple: &[u32]) -> Option<u32> {
        let level = |(&node, part): (&u32, &Part)| match node {
            FORGOTTEN => None,
            _ => match part.nodes[node as usize] {
                Node::Test(level, ..) => Some(level),
                Node::End(..) => None,
            },
        };
        tuple[1..].iter().zip(&product.parts).filter_map(level).min()
    }

    fn cofactor(product: &Product<'_>, tuple: &[u32], top: u32, high: bool) -> Box<[u32]> {
        let follow = |(&node, part): (&u32, &Part)| match node {
            FORGOTTEN => FORGOTTEN,
            _ => match part.nodes[node as usize] {
                Node::Test(level, low, up) if level == top => match high {
                    true => up,
                    false => low,
                },
                _ => node,
            },
        };
        let nodes = tuple[1..].iter().zip(&product.parts).map(follow);
        std::iter::once(tuple[0]).chain(nodes).collect()
    }

    fn decided(&mut self, truth: bool) -> u32 {
        self.end(if truth { Target::Won } else { Target::Lost })
    }

    fn first(&mut self, product: &mut Product<'_>, tuple: Box<[u32]>) -> Result<u32, SynthesisError> {
        let tuple = match product.normal_tuple(tuple) {
            Ok(tuple) => tuple,
            Err(truth) => {
                let end = self.decided(truth);
                return Ok(self.turn(end));
            }
        };
        if let Some(&known) = self.first.get(&tuple) {
            return Ok(known);
        }
        product.budget.check()?;
        let node = match Walk::top(product, &tuple).filter(|&top| top < product.boundary) {
            Some(top) => {
                let low = self.first(product, Walk::cofactor(product, &tuple, top, false))?;
                let high = self.first(product, Walk::cofactor(product, &tuple, top, true))?;
                self.test(top, low, high)
            }
            None => {
                let diagram = self.second(product, tuple.clone())?;
                self.turn(diagram)
            }
        };
        self.first.insert(tuple, node);
        Ok(node)
    }

    fn second(&mut self, product: &mut Product<'_>, tuple: Box<[u32]>) -> Result<u32, SynthesisError> {
        let tuple = match product.normal_tuple(tuple) {
            Ok(tuple) => tuple,
            Err(truth) => return Ok(self.decided(truth)),
        };
        if let Some(&known) = self.second.get(&tuple) {
            return Ok(known);
        }
        product.budget.check()?;
        let node = match Walk::top(product, &tuple) {
            Some(top) => {
                let low = self.second(product, Walk::cofactor(product, &tuple, top, false))?;
                let high = self.second(product, Walk::cofactor(product, &tuple, top, true))?;
                self.test(top, low, high)
            }
            None => {
                let end = |(&node, part): (&u32, &Part)| match node {
                    FORGOTTEN => (FORGOTTEN, 0),
                    _ => match part.nodes[node as usize] {
                        Node::End((next, priority)) => (next, priority),
                        Node::Test(..) => (FORGOTTEN, 0),
                    },
                };
                let ends: Vec<(u32, u32)> = tuple[1..].iter().zip(&product.parts).map(end).collect();
                let states: Vec<u32> = ends.iter().map(|&(next, _)| next).collect();
                let target = product.target(Some(self.state), tuple[0], &states, &|part| ends[part].1)?;
                self.end(target)
            }
        };
        self.second.insert(tuple, node);
        Ok(node)
    }
}
