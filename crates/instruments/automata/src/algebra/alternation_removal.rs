//! Alternation removed by guessing a strategy: for every condition that has positional ones.
//!
//! A word is accepted iff the player who chooses edges wins against the one who then chooses a target. If the condition is a disjunction of
//! `Fin … & Inf` pairs with at most one `Inf` each (Büchi, co-Büchi, parity, Rabin), a positional strategy wins if any does: a choice of an edge for each state at each
//! position. So fresh propositions write the choices beside the word. A nondeterministic automaton finds a branch that follows them and is not
//! accepted, or a choice that the letter does not allow; the complement of that automaton accepts the words with a winning
//! strategy beside them, and projection forgets the strategy (the way from alternating to nondeterministic automata of Muller and Schupp). `2^O(n k log n k)` states at
//! worst, for `k` what the condition costs as a Büchi automaton.

use crate::acceptance::{Acceptance, Marks};
use crate::algebra::complement::complement;
use crate::algebra::product::union;
use crate::algebra::projection::project;
use crate::alternating::Alternating;
use crate::automaton::{Automaton, State};
use crate::error::{AutomataError, Result};
use crate::label::Label;
use entail_budget::Budget;

/// A nondeterministic automaton of the same language; an error if winning may take memory.
pub(crate) fn remove_by_strategies(automaton: &Alternating, budget: &Budget) -> Result<Automaton> {
    let pairs = automaton.acceptance.disjuncts();
    if pairs.iter().any(|(_, inf)| inf.0.count_ones() > 1) {
        return Err(AutomataError::NotApplicable(
            "alternation is removed where positional strategies win: from Büchi, co-Büchi, parity and Rabin automata",
        ));
    }
    let choices = Choices::of(automaton);
    let mut result = Automaton::empty(automaton.propositions.clone())?;
    for start in &automaton.initial {
        let refuter = choices.refuter(automaton, start)?;
        let winning = project(&complement(&refuter, budget)?, &choices.names);
        result = union(&result, &winning)?;
    }
    result.reduce(budget)?;
    result.name = automaton.name.clone();
    Ok(result)
}

/// The propositions in which choices are written.
struct Choices {
    names: Vec<String>,
    /// The first proposition of each state, and how many it has.
    of_state: Vec<(u32, u32)>,
}

impl Choices {
    fn of(automaton: &Alternating) -> Choices {
        let mut choices = Choices {
            names: Vec::new(),
            of_state: Vec::new(),
        };
        for (state, edges) in automaton.edges.iter().enumerate() {
            let bits = edges.len().max(1).next_power_of_two().trailing_zeros();
            let first = automaton.propositions.len() + choices.names.len();
            choices.of_state.push((first as u32, bits));
            let names = (0..bits).map(|bit| format!("\u{1}choice{state}.{bit}"));
            choices.names.extend(names);
        }
        choices
    }

    /// Accepts a word with choices if some branch from these states is not accepted, or some choice is not allowed.
    fn refuter(&self, automaton: &Alternating, start: &[State]) -> Result<Automaton> {
        let propositions = automaton.propositions.iter().chain(&self.names).cloned();
        let caught = automaton.mark_count;
        if caught >= 64 {
            return Err(AutomataError::TooManyMarks(65));
        }
        let acceptance = Acceptance::any([automaton.acceptance.dual(), Acceptance::Inf(caught)]);
        let mut refuter = Automaton::new(propositions.collect(), acceptance, caught + 1)?;
        refuter.labels = automaton.labels.clone();
        for _ in &automaton.edges {
            refuter.add_state();
        }
        let wrong = refuter.add_state();
        refuter.add_edge(wrong, Label::TRUE, wrong, Marks::one(caught));
        for (number, edges) in automaton.edges.iter().enumerate() {
            let state = State(number as u32);
            let mut allowed = Label::FALSE;
            for (code, edge) in edges.iter().enumerate() {
                let chosen = self.code(number, code, &mut refuter);
                let taken = refuter.labels.and(chosen, edge.label);
                allowed = refuter.labels.or(allowed, taken);
                for &target in &edge.targets {
                    refuter.add_edge(state, taken, target, edge.marks);
                }
            }
            refuter.add_edge(state, allowed.not(), wrong, Marks::NONE);
        }
        for &state in start {
            refuter.add_initial(state);
        }
        refuter.remove_unreachable();
        refuter.merge_edges();
        Ok(refuter)
    }

    /// "The edge with this number is chosen in the state."
    fn code(&self, state: usize, code: usize, automaton: &mut Automaton) -> Label {
        let (first, bits) = self.of_state[state];
        (0..bits).fold(Label::TRUE, |all, bit| {
            let literal = automaton.labels.literal(first + bit, code >> bit & 1 == 1);
            automaton.labels.and(all, literal)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::alternating::AlternatingEdge;
    use crate::ltl::random::{Random, random_word};
    use crate::word::LassoWord;

    /// Whether some positional choice on the positions of the word and the states wins: all of them are tried.
    fn accepts(automaton: &Alternating, word: &LassoWord) -> bool {
        let states = automaton.edges.len();
        let allowed: Vec<Vec<&AlternatingEdge>> = (0..word.len() * states)
            .map(|node| {
                let letter = word.letter(node / states);
                let edges = automaton.edges[node % states].iter();
                edges
                    .filter(|edge| automaton.labels.satisfied(edge.label, letter))
                    .collect()
            })
            .collect();
        let strategies: usize = allowed.iter().map(|edges| edges.len().max(1)).product();
        let wins = |strategy: usize, start: &[State]| {
            let caught = automaton.mark_count;
            let bad = Acceptance::any([automaton.acceptance.dual(), Acceptance::Inf(caught)]);
            let mut branches = Automaton::new(vec![], bad, caught + 1).expect("few marks");
            for _ in 0..=allowed.len() {
                branches.add_state();
            }
            let stuck = State(allowed.len() as u32);
            branches.add_edge(stuck, Label::TRUE, stuck, Marks::one(caught));
            let mut rest = strategy;
            for (node, edges) in allowed.iter().enumerate() {
                let from = State(node as u32);
                if edges.is_empty() {
                    branches.add_edge(from, Label::TRUE, stuck, Marks::NONE);
                    continue;
                }
                let edge = edges[rest % edges.len()];
                rest /= edges.len();
                for target in &edge.targets {
                    let next = word.next(node / states) * states + target.index();
                    branches.add_edge(from, Label::TRUE, State(next as u32), edge.marks);
                }
            }
            for &state in start {
                branches.add_initial(state);
            }
            branches.is_empty()
        };
        let mut starts = automaton.initial.iter();
        starts.any(|start| (0..strategies).any(|strategy| wins(strategy, start)))
    }

    #[test]
    fn words_are_accepted_as_by_trying_all_strategies() {
        let budget = Budget::unlimited();
        let mut random = Random::new(31);
        let conditions = [
            (Acceptance::co_buchi(), 1),
            (Acceptance::buchi(), 1),
            // Parity min even with three priorities, and two Rabin pairs.
            (
                Acceptance::any([
                    Acceptance::Inf(0),
                    Acceptance::all([Acceptance::Fin(1), Acceptance::Inf(2)]),
                ]),
                3,
            ),
            (
                Acceptance::any([
                    Acceptance::all([Acceptance::Fin(0), Acceptance::Inf(1)]),
                    Acceptance::all([Acceptance::Fin(2), Acceptance::Inf(0)]),
                ]),
                3,
            ),
        ];
        let (mut yes, mut no) = (0, 0);
        for round in 0..160 {
            let (acceptance, mark_count) = conditions[round % conditions.len()].clone();
            let states = 2;
            let mut automaton = Alternating {
                propositions: vec!["p".into()],
                labels: crate::label::Labels::default(),
                edges: Vec::new(),
                initial: vec![vec![State(0)], vec![State(0), State(1)]],
                acceptance,
                mark_count,
                name: None,
            };
            automaton.initial.truncate(1 + round % 2);
            for _ in 0..states {
                let mut edges = Vec::new();
                for _ in 0..1 + random.below(3) {
                    let label = match random.below(3) {
                        0 => Label::TRUE,
                        sign => automaton.labels.literal(0, sign == 1),
                    };
                    let all = (0..states as u32).map(State);
                    let targets = all.filter(|_| random.below(2) == 0).collect();
                    let marks = (0..mark_count).filter(|_| random.below(3) == 0);
                    let marks = marks.fold(Marks::NONE, |all, mark| all.with(Marks::one(mark)));
                    edges.push(AlternatingEdge {
                        label,
                        targets,
                        marks,
                    });
                }
                automaton.edges.push(edges);
            }
            let plain = remove_by_strategies(&automaton, &budget).expect("positional");
            for _ in 0..12 {
                let mut word = random_word(1, 2, &mut random);
                word.propositions = vec!["p".into()];
                let expected = accepts(&automaton, &word);
                assert_eq!(plain.accepts(&word), expected, "{word} {:?}", automaton.edges);
                *if expected { &mut yes } else { &mut no } += 1;
            }
        }
        assert!(yes > 300 && no > 300, "{yes} and {no}");
    }

    #[test]
    fn conditions_that_take_memory_are_refused() {
        let automaton = Alternating {
            propositions: vec![],
            labels: crate::label::Labels::default(),
            edges: vec![vec![]],
            initial: vec![vec![State(0)]],
            acceptance: Acceptance::generalized_buchi(2),
            mark_count: 2,
            name: None,
        };
        let refused = remove_by_strategies(&automaton, &Budget::unlimited());
        assert!(matches!(refused, Err(AutomataError::NotApplicable(_))));
    }
}
