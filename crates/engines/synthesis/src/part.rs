//! A part of the formula: its deterministic parity automaton, as decision diagrams.
//!
//! The transition function of each state is a diagram over the signals in one order for all parts: first those of the player who moves first. At its ends are
//! the next state and the priority. About each state it is known whether the part is decided for good, and about each component whether all runs
//! that stay there are accepted, or none, or whether that depends on their priorities.

use crate::branching::{self, Branching, Split, in_order};
use crate::priorities::fewest_priorities;
use crate::problem::{ParityAutomaton, SynthesisError};
use entail_automata::acceptance::{Extreme, Winner};
use entail_automata::{Automaton, Kind, Label, Marks};
use entail_budget::Budget;
use entail_game::{ArenaBuilder, ParityGame, Player, Priority, Vertex};
use entail_parity::{Solver, solve};
use rustc_hash::FxHashMap;

/// A node of a part's diagrams; an end is the next state and the priority on the way (max even).
pub(crate) type Node = branching::Node<(u32, u32)>;

/// What is known about runs from a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    /// All are accepted, or none is.
    Decided(bool),
    /// It is still open.
    Open,
}

/// What is known about runs that stay in a component.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Stay {
    /// All are accepted, or none is.
    Uniform(bool),
    /// The highest priority seen again and again decides; priorities from the lowest to the highest occur.
    Mixed(u32, u32),
}

/// A part.
#[derive(Debug)]
pub(crate) struct Part {
    pub nodes: Vec<Node>,
    /// The node of each state.
    pub roots: Vec<u32>,
    pub initial: u32,
    pub fate: Vec<Fate>,
    /// The fate that all ends below a node have in common.
    pub node_fate: Vec<Fate>,
    pub component: Vec<u32>,
    pub stay: Vec<Stay>,
}

impl Part {
    /// The part of a deterministic parity automaton. `level` says where a proposition stands in the order of signals.
    pub fn new(
        goal: &ParityAutomaton,
        level: &dyn Fn(&str) -> Option<u32>,
        budget: &Budget,
    ) -> Result<Part, SynthesisError> {
        let (mut automaton, levels) = in_order(&goal.automaton, level, budget)?;
        automaton.complete_within(budget)?;
        let priorities = Priorities::of(&automaton)?;
        let &[initial] = automaton.initial() else {
            return Err(SynthesisError::Refused(
                "an automaton that is to be a game needs one initial state".into(),
            ));
        };
        let steps = automaton.states().map(|state| {
            let edges = automaton.edges(state).iter().enumerate();
            edges
                .map(|(at, edge)| {
                    let given =
                        (goal.priorities.as_ref()).and_then(|all| all.get(state.index())?.get(at).copied());
                    (
                        edge.target.0,
                        given.unwrap_or_else(|| priorities.of_marks(edge.marks)),
                    )
                })
                .collect()
        });
        let steps: Vec<Vec<(u32, u32)>> = steps.collect();
        let reduced = fewest_priorities(&steps);
        let mut diagrams = Branching::new();
        let mut split = Split::default();
        let mut roots = Vec::new();
        for state in automaton.states() {
            let steps = automaton.edges(state).iter().zip(&reduced[state.index()]);
            let mut choices: Vec<(Label, (u32, u32))> = steps
                .map(|(edge, &priority)| (edge.label, (edge.target.0, priority)))
                .collect();
            choices.sort_unstable();
            let labels = &automaton.labels;
            roots.push(diagrams.choose(labels, choices, &levels, &mut split, &mut only_end, budget)?);
        }
        let mut part = Part {
            nodes: diagrams.nodes,
            roots,
            initial: initial.0,
            fate: Vec::new(),
            node_fate: Vec::new(),
            component: Vec::new(),
            stay: Vec::new(),
        };
        part.find_components();
        part.find_fates(budget)?;
        Ok(part)
    }

    /// The ends of each state's diagram.
    fn steps(&self, state: usize) -> Vec<(u32, u32)> {
        let mut seen = rustc_hash::FxHashSet::default();
        let mut waiting = vec![self.roots[state]];
        let mut ends = Vec::new();
        while let Some(at) = waiting.pop() {
            if !seen.insert(at) {
                continue;
            }
            match self.nodes[at as usize] {
                Node::Test(_, low, high) => waiting.extend([low, high]),
                Node::End((next, priority)) => ends.push((next, priority)),
            }
        }
        ends.sort_unstable();
        ends.dedup();
        ends
    }

    fn find_components(&mut self) {
        let steps: Vec<Vec<(u32, u32)>> = (0..self.roots.len()).map(|state| self.steps(state)).collect();
        self.component = components(&steps);
        let count = self.component.iter().max().map_or(0, |&last| last as usize + 1);
        // Priorities of the edges inside each component, and the edges themselves.
        let mut inside: Vec<Vec<(u32, u32, u32)>> = vec![Vec::new(); count];
        for (from, list) in steps.iter().enumerate() {
            for &(to, priority) in list {
                if self.component[from] == self.component[to as usize] {
                    inside[self.component[from] as usize].push((from as u32, to, priority));
                }
            }
        }
        self.stay = inside.iter().map(|edges| stay(edges)).collect();
    }

    /// Whether the part is decided from each state: by games of one player, who looks for an accepted run, or for one that is not.
    fn find_fates(&mut self, budget: &Budget) -> Result<(), SynthesisError> {
        let steps: Vec<Vec<(u32, u32)>> = (0..self.roots.len()).map(|state| self.steps(state)).collect();
        let mut possible = Vec::new();
        for player in Player::BOTH {
            let mut arena = ArenaBuilder::default();
            let mut priorities = Vec::new();
            // After the states there is a vertex for each step.
            let mut next = steps.len() as u32;
            for list in &steps {
                arena.vertex(player, next..next + list.len() as u32);
                next += list.len() as u32;
                priorities.push(Priority(0));
            }
            for &(to, priority) in steps.iter().flatten() {
                arena.vertex(player, [to]);
                priorities.push(Priority(priority));
            }
            let game = arena
                .finish()
                .ok()
                .and_then(|arena| ParityGame::new(arena, priorities));
            let game = game.ok_or(SynthesisError::TooLarge("an automaton has states without steps"))?;
            let (solution, _) = solve(&game, Solver::Auto, budget)?;
            let wins = (0..steps.len() as u32).map(|state| solution.winner(Vertex(state)) == Some(player));
            possible.push(wins.collect::<Vec<bool>>());
        }
        self.fate = (0..steps.len())
            .map(|state| match (possible[0][state], possible[1][state]) {
                (true, false) => Fate::Decided(true),
                (false, true) => Fate::Decided(false),
                _ => Fate::Open,
            })
            .collect();
        // Nodes come after those they lead to.
        for node in &self.nodes {
            let fate = match *node {
                Node::End((next, _)) => self.fate[next as usize],
                Node::Test(_, low, high) => {
                    match (self.node_fate[low as usize], self.node_fate[high as usize]) {
                        (Fate::Decided(one), Fate::Decided(other)) if one == other => Fate::Decided(one),
                        _ => Fate::Open,
                    }
                }
            };
            self.node_fate.push(fate);
        }
        Ok(())
    }
}

/// What all cycles of a component have in common: it is enough to look at the highest priorities.
fn stay(edges: &[(u32, u32, u32)]) -> Stay {
    if edges.is_empty() {
        return Stay::Uniform(false);
    }
    let wins = |player: u32| has_cycle(edges, player);
    match (wins(0), wins(1)) {
        (true, true) => {
            let priorities = edges.iter().map(|&(_, _, priority)| priority);
            let low = priorities.clone().min().unwrap_or(0);
            Stay::Mixed(low, priorities.max().unwrap_or(0))
        }
        (accepting, _) => Stay::Uniform(accepting),
    }
}

/// Whether some cycle has a highest priority of this parity.
fn has_cycle(edges: &[(u32, u32, u32)], parity: u32) -> bool {
    let mut waiting = vec![edges.to_vec()];
    while let Some(edges) = waiting.pop() {
        let Some(highest) = edges.iter().map(|&(_, _, priority)| priority).max() else {
            continue;
        };
        // A strongly connected set of edges has a cycle through an edge of its highest priority.
        if highest % 2 == parity {
            return true;
        }
        let lower: Vec<(u32, u32, u32)> = edges.into_iter().filter(|edge| edge.2 < highest).collect();
        let mut names: Vec<u32> = lower.iter().flat_map(|&(from, to, _)| [from, to]).collect();
        names.sort_unstable();
        names.dedup();
        let name = |state: u32| names.partition_point(|&known| known < state);
        let mut steps = vec![Vec::new(); names.len()];
        for &(from, to, priority) in &lower {
            steps[name(from)].push((name(to) as u32, priority));
        }
        let component = components(&steps);
        let mut groups: FxHashMap<u32, Vec<(u32, u32, u32)>> = FxHashMap::default();
        for edge in lower {
            let (from, to) = (component[name(edge.0)], component[name(edge.1)]);
            if from == to {
                groups.entry(from).or_default().push(edge);
            }
        }
        waiting.extend(groups.into_values());
    }
    false
}

/// The strongly connected component of each state.
pub(crate) fn components(steps: &[Vec<(u32, u32)>]) -> Vec<u32> {
    const UNSEEN: u32 = u32::MAX;
    let size = steps.len();
    let (mut number, mut low, mut component) = (vec![UNSEEN; size], vec![0; size], vec![UNSEEN; size]);
    let (mut stack, mut count, mut found) = (Vec::new(), 0, 0);
    for root in 0..size {
        if number[root] != UNSEEN {
            continue;
        }
        let mut path: Vec<(usize, usize)> = vec![(root, 0)];
        while let Some((state, at)) = path.pop() {
            if at == 0 {
                number[state] = count;
                low[state] = count;
                count += 1;
                stack.push(state);
            }
            if let Some(&(to, _)) = steps[state].get(at) {
                let to = to as usize;
                path.push((state, at + 1));
                if number[to] == UNSEEN {
                    path.push((to, 0));
                } else if component[to] == UNSEEN {
                    low[state] = low[state].min(number[to]);
                }
                continue;
            }
            if let Some(&(above, _)) = path.last() {
                low[above] = low[above].min(low[state]);
            }
            if low[state] == number[state] {
                while let Some(member) = stack.pop() {
                    component[member] = found;
                    if member == state {
                        break;
                    }
                }
                found += 1;
            }
        }
    }
    component
}

/// How the marks of an automaton become priorities, max even.
enum Priorities {
    All(bool),
    Parity(Extreme, Winner, u32),
}

impl Priorities {
    fn of(automaton: &Automaton) -> Result<Priorities, SynthesisError> {
        match automaton.kind() {
            Kind::All => return Ok(Priorities::All(true)),
            Kind::None => return Ok(Priorities::All(false)),
            _ => {}
        }
        let count = automaton.mark_count();
        match automaton.acceptance().as_parity(count) {
            Some((extreme, winner, count)) => Ok(Priorities::Parity(extreme, winner, count)),
            None => match automaton.kind() {
                // One mark: seen again and again, or not.
                Kind::Buchi => Ok(Priorities::Parity(Extreme::Max, Winner::Even, 1)),
                Kind::CoBuchi => Ok(Priorities::Parity(Extreme::Max, Winner::Odd, 1)),
                _ => Err(SynthesisError::Refused(
                    "the automaton's condition is not parity".into(),
                )),
            },
        }
    }

    /// The priority of an edge. One without marks is less important than all others, and good only if no marks at all are.
    fn of_marks(&self, marks: Marks) -> u32 {
        let (extreme, winner, count) = match self {
            Priorities::All(accepting) => return u32::from(!accepting),
            Priorities::Parity(extreme, winner, count) => (*extreme, *winner, *count),
        };
        let decisive = match extreme {
            Extreme::Max => marks.iter().max(),
            Extreme::Min => marks.iter().min(),
        };
        // A run without marks is rejected under "even" and "max odd"; for all conventions below, by its own rule.
        let good = |mark: u32| mark.is_multiple_of(2) == (winner == Winner::Even);
        let offset = 2;
        match (decisive, extreme) {
            (Some(mark), Extreme::Max) => {
                let priority = offset + mark;
                priority + u32::from((priority % 2 == 0) != good(mark))
            }
            (Some(mark), Extreme::Min) => {
                let top = offset + 2 * count;
                let priority = top - mark;
                // Keeps the order: all priorities are shifted by the same parity.
                priority + u32::from((priority % 2 == 0) != good(mark))
            }
            (None, _) => match no_marks_accepted(extreme, winner, count) {
                true => 0,
                false => 1,
            },
        }
    }
}

/// Whether a run that sees no mark is accepted, by the definition of the condition: nothing is seen again and again.
fn no_marks_accepted(extreme: Extreme, winner: Winner, count: u32) -> bool {
    entail_automata::Acceptance::parity(extreme, winner, count).accepts(Marks(0))
}

/// The only end of a step; all edges that are left must agree on it.
fn only_end(mut ends: Vec<(u32, u32)>) -> Result<(u32, u32), SynthesisError> {
    ends.sort_unstable();
    ends.dedup();
    let wrong = match ends[..] {
        [end] => return Ok(end),
        [] => "the automaton is not complete",
        _ => "the automaton is not deterministic",
    };
    Err(SynthesisError::Refused(wrong.into()))
}
