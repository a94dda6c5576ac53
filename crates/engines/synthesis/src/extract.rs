//! From a strategy to a machine.
//!
//! The winner's machine has a state for each state of the product that its strategy reaches. A winner who moves second reads the first mover's signals down to a
//! turn, and writes values that lead on to where the strategy goes. A winner who moves first writes values that lead to the turn that the strategy
//! chooses, and goes on by what it then reads. Where everything is won, one more state stays for ever. Equal states are merged in the end.

use crate::arena::{Growing, LOST, WON};
use crate::decisions::Decisions;
use crate::problem::{Problem, SynthesisError};
use crate::product::{Product, Step, Steps, Target};
use entail_game::{Decision, FirstMover, Player, ReactiveMachine, Solution, Vertex};
use rustc_hash::FxHashMap;

/// The machine of the winner.
pub(crate) fn extract(
    problem: &Problem,
    order: &[String],
    product: &mut Product<'_>,
    game: &mut Growing,
    solution: &Solution,
    winner: Player,
    initial: u32,
) -> Result<ReactiveMachine, SynthesisError> {
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
        writes: writes.len(),
        made: Decisions::default(),
        states: FxHashMap::default(),
        waiting: Vec::new(),
        roots: Vec::new(),
    };
    let first = match initial {
        WON | LOST => Target::Won,
        _ => Target::State(0, 0),
    };
    extraction.state(first);
    while let Some((target, number)) = extraction.waiting.pop() {
        let root = match target {
            Target::State(state, _) => {
                let steps = product.steps(state)?;
                match moves_first {
                    true => extraction.first(&steps, state, game, solution)?,
                    false => extraction.second(&steps, game, solution)?,
                }
            }
            _ => {
                let written = vec![false; extraction.writes];
                extraction.made.step(written, number)
            }
        };
        extraction.roots[number as usize] = root;
    }
    let mut machine = ReactiveMachine {
        reads,
        writes,
        is_moore: moves_first,
        nodes: extraction.made.nodes,
        states: extraction.roots,
    };
    merge(&mut machine);
    Ok(machine)
}

struct Extraction {
    /// For each signal, its position among what is read, or written.
    read_of: Vec<Option<u32>>,
    write_of: Vec<Option<u32>>,
    writes: usize,
    made: Decisions,
    states: FxHashMap<Target, u32>,
    waiting: Vec<(Target, u32)>,
    roots: Vec<u32>,
}

fn lost() -> SynthesisError {
    SynthesisError::Refused("the strategy has no move where it needs one".into())
}

impl Extraction {
    /// The machine's state for a state of the product; priorities on the way do not matter any more.
    fn state(&mut self, target: Target) -> u32 {
        let target = match target {
            Target::State(state, _) => Target::State(state, 0),
            _ => Target::Won,
        };
        if let Some(&known) = self.states.get(&target) {
            return known;
        }
        let number = self.roots.len() as u32;
        self.roots.push(0);
        self.states.insert(target, number);
        self.waiting.push((target, number));
        number
    }

    /// The diagram of a winner who reads first.
    fn second(
        &mut self,
        steps: &Steps,
        game: &mut Growing,
        solution: &Solution,
    ) -> Result<u32, SynthesisError> {
        // What is written in each turn, and where it leads.
        let mut answers = Vec::with_capacity(steps.turns.len());
        for turn in 0..steps.turns.len() as u32 {
            let reached = game.reached(steps, turn);
            let vertex = game.turn(reached.clone());
            let wanted = match reached.contains(&vertex) {
                // The turn was no choice, or is won at once.
                true => vertex,
                false => solution.choice(Vertex(vertex)).ok_or_else(lost)?.0,
            };
            let mut written = vec![false; self.writes];
            let leads = |target: Target, game: &mut Growing| game.target(target) == wanted;
            let end = path(
                steps,
                steps.turns[turn as usize],
                &mut |target| leads(target, game),
                &mut |signal, value| {
                    if let Some(at) = self.write_of[signal as usize] {
                        written[at as usize] = value;
                    }
                },
            );
            let next = self.state(end.ok_or_else(lost)?);
            answers.push(self.made.step(written, next));
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
        let mut written = vec![false; self.writes];
        turn_path(steps, chosen, &mut |signal, value| {
            if let Some(at) = self.write_of[signal as usize] {
                written[at as usize] = value;
            }
        })
        .ok_or_else(lost)?;
        let mut done = FxHashMap::default();
        self.copy(
            steps,
            steps.turns[chosen as usize],
            &mut |extraction, step| match step {
                Step::End(target) => {
                    let next = extraction.state(*target);
                    Some(extraction.made.step(written.clone(), next))
                }
                _ => None,
            },
            &mut done,
        )
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
                self.made.node(Decision::Test { read, low, high })
            }
            _ => end(self, step).ok_or_else(lost)?,
        };
        done.insert(at, node);
        Ok(node)
    }
}

/// A way from a node to an end that is wanted; the values on it are handed out.
fn path(
    steps: &Steps,
    from: u32,
    wanted: &mut dyn FnMut(Target) -> bool,
    value: &mut dyn FnMut(u32, bool),
) -> Option<Target> {
    let found = search(
        steps,
        from,
        &mut |step| matches!(step, Step::End(target) if wanted(*target)),
    )?;
    found
        .values
        .iter()
        .for_each(|&(signal, truth)| value(signal, truth));
    match steps.nodes[found.end as usize] {
        Step::End(target) => Some(target),
        _ => None,
    }
}

/// A way from the root to a turn.
fn turn_path(steps: &Steps, turn: u32, value: &mut dyn FnMut(u32, bool)) -> Option<()> {
    let found = search(steps, steps.root, &mut |step| *step == Step::Turn(turn))?;
    found
        .values
        .iter()
        .for_each(|&(signal, truth)| value(signal, truth));
    Some(())
}

struct Found {
    values: Vec<(u32, bool)>,
    end: u32,
}

/// A way through a diagram to a node that is wanted, false before true.
fn search(steps: &Steps, from: u32, wanted: &mut dyn FnMut(&Step) -> bool) -> Option<Found> {
    let mut seen = rustc_hash::FxHashSet::default();
    let mut waiting = vec![(from, Vec::new())];
    while let Some((at, values)) = waiting.pop() {
        if !seen.insert(at) {
            continue;
        }
        let step = &steps.nodes[at as usize];
        if let Step::Test(signal, low, high) = *step {
            let with = |truth: bool| {
                let mut more = values.clone();
                more.push((signal, truth));
                more
            };
            waiting.push((high, with(true)));
            waiting.push((low, with(false)));
        } else if wanted(step) {
            return Some(Found { values, end: at });
        }
    }
    None
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
