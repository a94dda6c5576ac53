//! Whether all runs of a circuit with free inputs are accepted by a deterministic automaton, or none is: every state of the two together is listed, and the
//! judge of parity games finds cycles.

use entail_aiger::{Aiger, Reset, SymbolKind};
use entail_answer::CheckReport;
use entail_automata::acceptance::{Extreme, Winner};
use entail_automata::{Automaton, Kind, Letter, Marks, State};
use entail_budget::Budget;
use entail_game::{ArenaBuilder, ParityGame, Player, Priority, Solution, Vertex};
use entail_games_checker::parity;
use entail_synthesis::ParityAutomaton;
use std::collections::HashMap;

/// Circuits with more inputs are not checked: every valuation is tried in every state.
const MOST_INPUTS: u32 = 14;

/// Whether all runs are accepted (or, if they should be rejected, none).
pub(crate) fn all_runs_accepted(
    circuit: &Aiger,
    goal: &ParityAutomaton,
    should_accept: bool,
    budget: &Budget,
) -> CheckReport {
    if circuit.inputs > MOST_INPUTS {
        return CheckReport::unchecked(format!("the runs of a circuit with {} inputs", circuit.inputs));
    }
    let automaton = &goal.automaton;
    let &[initial] = automaton.initial() else {
        return CheckReport::unchecked("an automaton with several initial states");
    };
    // Where each input and output of the circuit stands in a letter.
    let place = |kind: SymbolKind, at: u32| {
        let name = circuit.symbol(kind, at)?;
        automaton.propositions().iter().position(|known| known == name)
    };
    let inputs: Vec<Option<usize>> = (0..circuit.inputs)
        .map(|at| place(SymbolKind::Input, at))
        .collect();
    let outputs: Vec<Option<usize>> = (0..circuit.outputs.len() as u32)
        .map(|at| place(SymbolKind::Output, at))
        .collect();
    let first: Vec<bool> = circuit
        .latches
        .iter()
        .map(|latch| latch.reset == Reset::One)
        .collect();
    if circuit.latches.iter().any(|latch| latch.reset == Reset::Free) {
        return CheckReport::unchecked("a circuit with latches that are not set at first");
    }
    let mut numbers: HashMap<(Vec<bool>, State), u32> = HashMap::from([((first.clone(), initial), 0)]);
    let mut waiting = vec![(first, initial)];
    let mut steps: Vec<Vec<(u32, u32)>> = Vec::new();
    let mut at = 0;
    while let Some((latches, state)) = waiting.get(at).cloned() {
        at += 1;
        let mut row = Vec::new();
        for valuation in 0..1u64 << circuit.inputs {
            if let Err(spent) = budget.check() {
                return CheckReport::unchecked(format!("the runs of the circuit ({spent})"));
            }
            let read: Vec<bool> = (0..circuit.inputs).map(|bit| valuation >> bit & 1 == 1).collect();
            let values = circuit.evaluate(&read, &latches);
            let mut letter: Letter = 0;
            let mut set = |place: Option<usize>, truth: bool| {
                if let (Some(place), true) = (place, truth) {
                    letter |= 1 << place;
                }
            };
            inputs
                .iter()
                .zip(&read)
                .for_each(|(place, truth)| set(*place, *truth));
            for (place, output) in outputs.iter().zip(&circuit.outputs) {
                set(*place, Aiger::value(&values, *output));
            }
            let next: Vec<bool> = circuit
                .latches
                .iter()
                .map(|latch| Aiger::value(&values, latch.next))
                .collect();
            let mut edges = automaton.edges(state).iter().enumerate();
            let taken = edges.find(|(_, edge)| automaton.labels.satisfied(edge.label, letter));
            let Some((number, edge)) = taken else {
                return CheckReport::rejected("the automaton has no step for a letter of the circuit");
            };
            let target = edge.target;
            let priority = match &goal.priorities {
                Some(listed) => listed[state.index()].get(number).copied(),
                None => priority(automaton, edge.marks),
            };
            let Some(priority) = priority else {
                return CheckReport::unchecked("an automaton whose condition is not parity");
            };
            let fresh = numbers.len() as u32;
            let number = *numbers.entry((next.clone(), target)).or_insert_with(|| {
                waiting.push((next, target));
                fresh
            });
            row.push((number, priority));
        }
        row.sort_unstable();
        row.dedup();
        steps.push(row);
    }
    judged(&steps, should_accept, budget)
}

/// The priority of marks, max even, by the condition's own convention.
fn priority(automaton: &Automaton, marks: Marks) -> Option<u32> {
    let (extreme, winner, count) = match automaton.kind() {
        Kind::All => return Some(0),
        Kind::None => return Some(1),
        Kind::Buchi => (Extreme::Max, Winner::Even, 1),
        Kind::CoBuchi => (Extreme::Max, Winner::Odd, 1),
        _ => automaton.acceptance().as_parity(automaton.mark_count())?,
    };
    let seen: Vec<u32> = marks.iter().collect();
    let decisive = match extreme {
        Extreme::Max => seen.last().map(|mark| mark + 1),
        Extreme::Min => seen.first().map(|mark| count - mark),
    };
    // Above the priority for "nothing", in the order of importance; then the parity is put right for each.
    Some(match (decisive, seen.last(), seen.first()) {
        (Some(importance), Some(last), Some(first)) => {
            let mark = if extreme == Extreme::Max { *last } else { *first };
            let good = (mark % 2 == 0) == (winner == Winner::Even);
            2 * importance + u32::from(!good)
        }
        _ => u32::from(!automaton.acceptance().accepts(Marks(0))),
    })
}

/// In the graph of all runs, the player who should win does so without doing anything.
fn judged(steps: &[Vec<(u32, u32)>], should_accept: bool, budget: &Budget) -> CheckReport {
    let (winner, mover) = match should_accept {
        true => (Player::Even, Player::Odd),
        false => (Player::Odd, Player::Even),
    };
    let mut arena = ArenaBuilder::default();
    let mut priorities = vec![Priority(0); steps.len()];
    let mut next = steps.len() as u32;
    for row in steps {
        arena.vertex(mover, next..next + row.len() as u32);
        next += row.len() as u32;
    }
    for &(to, priority) in steps.iter().flatten() {
        arena.vertex(mover, [to]);
        priorities.push(Priority(priority));
    }
    let game = arena
        .finish()
        .ok()
        .and_then(|arena| ParityGame::new(arena, priorities));
    let Some(game) = game else {
        return CheckReport::unchecked("more runs than can be listed");
    };
    let mut claim = Solution::open(game.arena().vertex_count());
    for vertex in game.arena().vertices() {
        claim.claim(vertex, winner, None);
    }
    let name = |vertex: Vertex| vertex.to_string();
    match parity::check(&game, &claim, &name, budget) {
        CheckReport::Rejected { .. } => CheckReport::rejected(match should_accept {
            true => "a run of the circuit is rejected by the automaton",
            false => "a run of the circuit is accepted by the automaton",
        }),
        other => other,
    }
}
