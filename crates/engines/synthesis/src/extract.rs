//! From a strategy to a machine.
//!
//! The winner's machine has a state for each state of the product that its strategy reaches. A winner who moves second reads the first mover's signals down to a
//! turn, and writes values that lead on to where the strategy goes. A winner who moves first writes values that lead to the turn that the strategy
//! chooses, and goes on by what it then reads. The machine is loose: all values that lead to where the strategy goes are allowed, and where everything is won nothing is asked for any more.
//! A winner who may go to several states without harm (`Growing::harmless`) goes to one that it has been to before, if it can.

use crate::arena::{Growing, LOST, WON};
use crate::decisions::Decisions;
use crate::loose_nodes::LooseNodes;
use crate::problem::{Problem, SynthesisError};
use crate::product::{Product, Step, Steps, Target};
use entail_game::{Decision, FirstMover, Player, ReactiveMachine, Solution, Vertex};
use entail_reactive::{LooseMachine, LooseNode, OutputSet};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// The machine of the winner.
pub(crate) fn extract(
    problem: &Problem,
    order: &[String],
    product: &mut Product<'_>,
    game: &mut Growing,
    solution: &Solution,
    winner: Player,
    initial: u32,
) -> Result<LooseMachine, SynthesisError> {
    let (reads, writes) = match winner {
        Player::Even => (problem.inputs.clone(), problem.outputs.clone()),
        Player::Odd => (problem.outputs.clone(), problem.inputs.clone()),
    };
    let moves_first = (winner == Player::Even) == (problem.first == FirstMover::Machine);
    let place =
        |names: &[String], name: &str| names.iter().position(|known| known == name).map(|at| at as u32);
    let mut extraction = Extraction {
        read_of: order.iter().map(|name| place(&reads, name)).collect(),
        write_of: order.iter().map(|name| place(&writes, name)).collect(),
        harmless: game.harmless(solution, winner, product.budget)?,
        made: LooseNodes::default(),
        states: FxHashMap::default(),
        waiting: VecDeque::new(),
        roots: Vec::new(),
    };
    match initial {
        WON | LOST => {
            let anything = extraction.made.node(LooseNode::Step {
                allowed: OutputSet::ALL,
                next: None,
            });
            extraction.roots.push(anything);
        }
        _ => {
            extraction.state(Target::State(0, 0));
        }
    }
    while let Some((state, number)) = extraction.waiting.pop_front() {
        let steps = product.steps(state)?;
        let root = match moves_first {
            true => extraction.first(&steps, state, game, solution)?,
            false => extraction.second(&steps, game, solution)?,
        };
        extraction.roots[number as usize] = root;
    }
    Ok(LooseMachine {
        reads,
        writes,
        is_moore: moves_first,
        sets: extraction.made.sets,
        nodes: extraction.made.nodes,
        states: extraction.roots,
    })
}

struct Extraction {
    /// For each signal, its position among what is read, or written.
    read_of: Vec<Option<u32>>,
    write_of: Vec<Option<u32>>,
    /// For each vertex of the winner, where it may go.
    harmless: Vec<Vec<u32>>,
    made: LooseNodes,
    /// The machine's state of each state of the product.
    states: FxHashMap<u32, u32>,
    waiting: VecDeque<(u32, u32)>,
    roots: Vec<u32>,
}

fn lost() -> SynthesisError {
    SynthesisError::Refused("the strategy has no move where it needs one".into())
}

impl Extraction {
    /// The machine's state for where a step leads; nothing if the game is won there. Priorities on the way do not matter any more.
    fn state(&mut self, target: Target) -> Option<u32> {
        let Target::State(state, _) = target else {
            return None;
        };
        if let Some(&known) = self.states.get(&state) {
            return Some(known);
        }
        let number = self.roots.len() as u32;
        self.roots.push(0);
        self.states.insert(state, number);
        self.waiting.push_back((state, number));
        Some(number)
    }

    /// Where a turn goes: among the targets that do no harm, one that is a state already, or else the solution's choice.
    fn chosen(
        &self,
        vertex: u32,
        ends: &[(Target, u32)],
        solution: &Solution,
    ) -> Result<Target, SynthesisError> {
        // The turn was no choice, or is won at once.
        if let Some(&(target, _)) = ends.iter().find(|(_, end)| *end == vertex) {
            return Ok(target);
        }
        let harmless = &self.harmless[vertex as usize];
        let known = ends
            .iter()
            .filter(|(_, end)| harmless.contains(end))
            .filter_map(|&(target, _)| {
                let Target::State(state, _) = target else {
                    return None;
                };
                self.states.get(&state).map(|&number| (number, target))
            });
        if let Some((_, target)) = known.min_by_key(|&(number, _)| number) {
            return Ok(target);
        }
        let wanted = solution.choice(Vertex(vertex)).ok_or_else(lost)?.0;
        let found = ends.iter().find(|(_, end)| *end == wanted);
        found.map(|&(target, _)| target).ok_or_else(lost)
    }

    /// The diagram of a winner who reads first.
    fn second(
        &mut self,
        steps: &Steps,
        game: &mut Growing,
        solution: &Solution,
    ) -> Result<u32, SynthesisError> {
        // What may be written in each turn, and where it leads.
        let mut answers = Vec::with_capacity(steps.turns.len());
        for turn in 0..steps.turns.len() as u32 {
            let ends = game.ends(steps, turn);
            let reached = game.reached(steps, turn);
            let vertex = game.turn(reached);
            let target = self.chosen(vertex, &ends, solution)?;
            // Everything that leads to the same state without harm.
            let same = |other: &Target| match (*other, target) {
                (Target::State(one, _), Target::State(two, _)) => one == two,
                (one, two) => one == two,
            };
            let harmless = &self.harmless[vertex as usize];
            let wanted: Vec<Target> = (ends.iter())
                .filter(|(other, end)| *other == target || same(other) && harmless.contains(end))
                .map(|&(other, _)| other)
                .collect();
            let allowed = self.allowed(
                steps,
                steps.turns[turn as usize],
                &|step| matches!(step, Step::End(target) if wanted.contains(target)),
                &mut FxHashMap::default(),
            )?;
            let next = self.state(target);
            answers.push(self.made.node(LooseNode::Step { allowed, next }));
        }
        let mut done = FxHashMap::default();
        self.copy(
            steps,
            steps.root,
            &mut |_, step| match step {
                Step::Turn(turn) => answers.get(*turn as usize).copied(),
                _ => None,
            },
            &mut done,
        )
    }

    /// The diagram of a winner who writes first.
    fn first(
        &mut self,
        steps: &Steps,
        state: u32,
        game: &mut Growing,
        solution: &Solution,
    ) -> Result<u32, SynthesisError> {
        let vertex = game.state(state);
        let wanted = solution.choice(Vertex(vertex)).ok_or_else(lost)?.0;
        debug_assert!(game.successors(Vertex(vertex)).contains(&wanted));
        let mut chosen = None;
        for turn in 0..steps.turns.len() as u32 {
            let reached = game.reached(steps, turn);
            if game.turn(reached) == wanted {
                chosen = Some(turn);
                break;
            }
        }
        let chosen = chosen.ok_or_else(lost)?;
        let allowed = self.allowed(
            steps,
            steps.root,
            &|step| *step == Step::Turn(chosen),
            &mut FxHashMap::default(),
        )?;
        let mut done = FxHashMap::default();
        self.copy(
            steps,
            steps.turns[chosen as usize],
            &mut |extraction, step| match step {
                Step::End(target) => {
                    let next = extraction.state(*target);
                    Some(extraction.made.node(LooseNode::Step { allowed, next }))
                }
                _ => None,
            },
            &mut done,
        )
    }

    /// The values of what is written that lead from a node to ends that are wanted.
    fn allowed(
        &mut self,
        steps: &Steps,
        at: u32,
        wanted: &dyn Fn(&Step) -> bool,
        done: &mut FxHashMap<u32, OutputSet>,
    ) -> Result<OutputSet, SynthesisError> {
        if let Some(&known) = done.get(&at) {
            return Ok(known);
        }
        let step = &steps.nodes[at as usize];
        let set = match *step {
            Step::Test(signal, low, high) => {
                let low = self.allowed(steps, low, wanted, done)?;
                let high = self.allowed(steps, high, wanted, done)?;
                let write = self.write_of[signal as usize].ok_or_else(lost)?;
                self.made.sets.node(write, low, high)
            }
            _ if wanted(step) => OutputSet::ALL,
            _ => OutputSet::NONE,
        };
        done.insert(at, set);
        Ok(set)
    }

    /// A diagram over what is read, with its ends replaced.
    fn copy(
        &mut self,
        steps: &Steps,
        at: u32,
        end: &mut dyn FnMut(&mut Extraction, &Step) -> Option<u32>,
        done: &mut FxHashMap<u32, u32>,
    ) -> Result<u32, SynthesisError> {
        if let Some(&known) = done.get(&at) {
            return Ok(known);
        }
        let step = &steps.nodes[at as usize];
        let node = match *step {
            Step::Test(signal, low, high) => {
                let low = self.copy(steps, low, end, done)?;
                let high = self.copy(steps, high, end, done)?;
                let read = self.read_of[signal as usize].ok_or_else(lost)?;
                self.made.node(LooseNode::Test { read, low, high })
            }
            _ => end(self, step).ok_or_else(lost)?,
        };
        done.insert(at, node);
        Ok(node)
    }
}

/// A machine that does one of the things that a loose one allows, with equal states merged. Where anything may follow, it stays in one more state for ever.
pub(crate) fn resolved(loose: &LooseMachine) -> ReactiveMachine {
    let mut made = Decisions::default();
    let writes = loose.writes.len();
    let done = loose.states.len() as u32;
    let mut image = Vec::with_capacity(loose.nodes.len());
    for node in &loose.nodes {
        image.push(match *node {
            LooseNode::Test { read, low, high } => made.node(Decision::Test {
                read,
                low: image[low as usize],
                high: image[high as usize],
            }),
            LooseNode::Step { allowed, next } => {
                made.step(loose.sets.pick(allowed, writes), next.unwrap_or(done))
            }
        });
    }
    let ends = |node: &LooseNode| matches!(node, LooseNode::Step { next: None, .. });
    let rest = (loose.nodes.iter().any(ends)).then(|| made.step(vec![false; writes], done));
    let roots = loose.states.iter().map(|&root| image[root as usize]);
    let mut machine = ReactiveMachine {
        reads: loose.reads.clone(),
        writes: loose.writes.clone(),
        is_moore: loose.is_moore,
        states: roots.chain(rest).collect(),
        nodes: made.nodes,
    };
    merge(&mut machine);
    machine
}

/// A node in terms of the numbers of its successors and the classes of next states.
enum Renamed {
    /// Both successors have this number: nothing is tested.
    Same(u32),
    Node(Decision),
}

fn renamed(node: &Decision, of_node: &[u32], class: &[u32]) -> Renamed {
    match node {
        Decision::Test { read, low, high } => {
            let (low, high) = (of_node[*low as usize], of_node[*high as usize]);
            match low == high {
                true => Renamed::Same(low),
                false => Renamed::Node(Decision::Test {
                    read: *read,
                    low,
                    high,
                }),
            }
        }
        Decision::Step { written, next } => Renamed::Node(Decision::Step {
            written: written.clone(),
            next: class[*next as usize],
        }),
    }
}

/// Merges states with the same behaviour, by refining a partition of the states until it is stable.
pub(crate) fn merge(machine: &mut ReactiveMachine) {
    let mut class: Vec<u32> = vec![0; machine.states.len()];
    let mut classes = 1;
    loop {
        // Each node's behaviour, with next states by their class.
        let mut numbers: FxHashMap<Decision, u32> = FxHashMap::default();
        let mut of_node: Vec<u32> = Vec::with_capacity(machine.nodes.len());
        for node in &machine.nodes {
            of_node.push(match renamed(node, &of_node, &class) {
                Renamed::Same(number) => number,
                Renamed::Node(named) => {
                    let fresh = numbers.len() as u32;
                    *numbers.entry(named).or_insert(fresh)
                }
            });
        }
        let mut names: FxHashMap<(u32, u32), u32> = FxHashMap::default();
        let mut next = Vec::with_capacity(class.len());
        for (state, &root) in machine.states.iter().enumerate() {
            let fresh = names.len() as u32;
            next.push(
                *names
                    .entry((class[state], of_node[root as usize]))
                    .or_insert(fresh),
            );
        }
        let stable = names.len() == classes;
        classes = names.len();
        class = next;
        if stable {
            break;
        }
    }
    rebuild(machine, &class, classes);
}

/// The machine on the classes; state 0 is in class 0, since classes are numbered as they are met.
fn rebuild(machine: &mut ReactiveMachine, class: &[u32], classes: usize) {
    let mut representative = vec![usize::MAX; classes];
    for (state, &own) in class.iter().enumerate() {
        if representative[own as usize] == usize::MAX {
            representative[own as usize] = state;
        }
    }
    let mut nodes: Vec<Decision> = Vec::new();
    let mut numbers: FxHashMap<Decision, u32> = FxHashMap::default();
    let mut of_node: Vec<u32> = Vec::with_capacity(machine.nodes.len());
    for node in &machine.nodes {
        of_node.push(match renamed(node, &of_node, class) {
            Renamed::Same(number) => number,
            Renamed::Node(node) => *numbers.entry(node.clone()).or_insert_with(|| {
                nodes.push(node);
                nodes.len() as u32 - 1
            }),
        });
    }
    machine.states = representative
        .iter()
        .map(|&state| of_node[machine.states[state] as usize])
        .collect();
    machine.nodes = nodes;
}
