//! Minimal deterministic Büchi automata by SAT (Ehlers 2010; Baarir and Duret-Lutz 2014, with the mark on edges).
//!
//! Given a complete deterministic Büchi automaton, the *reference*, a solver is asked for a complete one with fewer states and the same
//! language, the *candidate*: where each letter leads from each state, and whether through the mark. Both languages are the same iff on every cycle of
//! the product either both see the mark or neither does. So two relations on pairs of states (of candidate and reference), each within one
//! strongly connected component of the reference, are required to contain what they are about:
//!
//! - `unmarked candidate`: the pairs joined by a path on which the candidate sees no mark. If an edge that closes it to a cycle is marked in the reference,
//!   it is marked in the candidate.
//! - `unmarked reference`: the same with the reference. An edge that closes it to a cycle and is not marked in the reference is not marked in the candidate.
//!
//! States are numbered in the order in which they are first reached, which removes most symmetries. As long as a smaller candidate is found, it is asked for a smaller one still; the answer "no" makes the last one
//! minimal. Clauses: about `2 (n r)² n l` for `n` states of `r` and `l` letters, so this is for automata with a dozen states.

use crate::acceptance::{Acceptance, Marks};
use crate::algebra::complement::complement_deterministic;
use crate::algebra::typeness::deterministic_buchi;
use crate::automaton::{Automaton, State};
use crate::error::{AutomataError, Result};
use crate::label::{Label, Labels};
use crate::letter_classes::classes_of_letters;
use crate::reduce::components::Components;
use crate::reduce::weak_minimization::minimal_weak;
use entail_budget::Budget;
use entail_sat::{Cadical, Lit, SatSolver};

/// More clauses than this are not written.
const MOST_CLAUSES: usize = 20_000_000;

/// Letters are told apart up to this number.
const MOST_LETTERS: usize = 64;

/// The smallest complete deterministic Büchi automaton (mark on edges) of the language, states that accept nothing left out
/// afterwards; an error if the language has none, or the automaton is too large to be written out for a solver.
pub fn minimal_deterministic_buchi(automaton: &Automaton, budget: &Budget) -> Result<Automaton> {
    let Some(mut smallest) = deterministic_buchi(automaton, budget)? else {
        return Err(AutomataError::NotApplicable(
            "the language has no deterministic Büchi automaton",
        ));
    };
    smallest.reduce_as(false, budget)?;
    smallest = as_buchi(smallest);
    smallest.complete()?;
    // A weak language has a deterministic automaton with a state for each residual language: no other has fewer.
    let outside = complement_deterministic(&smallest)?;
    if let Some(weak) = minimal_weak(&smallest, &outside, smallest.state_count(), budget)? {
        smallest = as_buchi(weak);
        smallest.name = automaton.name.clone();
        smallest.prune();
        return Ok(smallest);
    }
    while smallest.state_count() > 1 {
        match smaller(&smallest, budget)? {
            Some(found) => smallest = found,
            None => break,
        }
    }
    smallest.name = automaton.name.clone();
    smallest.prune();
    Ok(smallest)
}

/// The same automaton with one mark, also where it needs none.
fn as_buchi(automaton: Automaton) -> Automaton {
    let wanted = automaton
        .acceptance()
        .as_generalized_buchi()
        .unwrap_or(Marks::NONE);
    let accepting = automaton.with_marks(|marks| {
        if wanted.subset(marks) {
            Marks::one(0)
        } else {
            Marks::NONE
        }
    });
    accepting.with_acceptance(Acceptance::buchi(), 1)
}

/// The reference, letter by letter.
struct Reference {
    states: usize,
    labels: Labels,
    letters: Vec<Label>,
    initial: usize,
    /// By state and letter: target, whether it is marked, whether it stays in the component.
    steps: Vec<(usize, bool, bool)>,
    component: Vec<u32>,
}

impl Reference {
    fn new(automaton: &Automaton, budget: &Budget) -> Result<Reference> {
        let too_many = AutomataError::TooLarge("more letters than a minimisation by SAT tells apart");
        let (labels, letters) = classes_of_letters(&[automaton], MOST_LETTERS, budget)?.ok_or(too_many)?;
        let components = Components::of(automaton);
        let mut steps = Vec::new();
        for state in automaton.states() {
            for class in &letters {
                let letter = labels.pick(*class).map_or(0, |cube| cube.positive);
                let mut successors = automaton.successors(state, letter);
                let (target, marks) = successors.next().expect("the reference is complete");
                let inside = components.of[state.index()] == components.of[target.index()];
                steps.push((target.index(), marks.has(0), inside));
            }
        }
        Ok(Reference {
            states: automaton.state_count(),
            labels,
            letters,
            initial: automaton.initial()[0].index(),
            steps,
            component: components.of,
        })
    }

    fn step(&self, state: usize, letter: usize) -> (usize, bool, bool) {
        self.steps[state * self.letters.len() + letter]
    }
}

/// What the solver is asked about a candidate with so many states.
struct SizeQuery<'a> {
    reference: &'a Reference,
    states: usize,
    solver: Cadical,
    goes: Vec<Lit>,
    marked: Vec<Lit>,
}

/// Which of the two automata sees no mark on a path.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Unmarked {
    Candidate,
    Reference,
}

impl<'a> SizeQuery<'a> {
    fn new(reference: &'a Reference, states: usize) -> SizeQuery<'a> {
        let mut solver = Cadical::new();
        let mut fresh = |count: usize| -> Vec<Lit> {
            let variables = (0..count).map(|_| solver.new_var().lit(true));
            variables.collect()
        };
        let edges = states * reference.letters.len();
        let (goes, marked) = (fresh(edges * states), fresh(edges));
        SizeQuery {
            reference,
            states,
            solver,
            goes,
            marked,
        }
    }

    fn goes(&self, from: usize, letter: usize, to: usize) -> Lit {
        self.goes[(from * self.reference.letters.len() + letter) * self.states + to]
    }

    fn marked(&self, from: usize, letter: usize) -> Lit {
        self.marked[from * self.reference.letters.len() + letter]
    }

    /// Each letter leads to exactly one state, and to a new one only in order.
    fn is_an_automaton(&mut self) {
        for from in 0..self.states {
            for letter in 0..self.reference.letters.len() {
                let first_seen = from * self.reference.letters.len() + letter + 1;
                let somewhere: Vec<Lit> = (0..self.states).map(|to| self.goes(from, letter, to)).collect();
                self.solver.add_clause(&somewhere);
                for (to, &goes) in somewhere.iter().enumerate() {
                    if to > first_seen {
                        self.solver.add_clause(&[!goes]);
                    }
                    for &other in &somewhere[to + 1..] {
                        self.solver.add_clause(&[!goes, !other]);
                    }
                }
            }
        }
    }

    /// Which pairs of states are reached together.
    fn reached_pairs(&mut self) -> Vec<Lit> {
        let reference = self.reference;
        let pairs = self.states * reference.states;
        let reached: Vec<Lit> = (0..pairs).map(|_| self.solver.new_var().lit(true)).collect();
        let at = |q: usize, r: usize| reached[q * reference.states + r];
        self.solver.add_clause(&[at(0, reference.initial)]);
        for q in 0..self.states {
            for r in 0..reference.states {
                for letter in 0..reference.letters.len() {
                    let (target, _, _) = reference.step(r, letter);
                    for to in 0..self.states {
                        let step = self.goes(q, letter, to);
                        self.solver.add_clause(&[!at(q, r), !step, at(to, target)]);
                    }
                }
            }
        }
        reached
    }

    /// The paths on which one of the automata sees no mark, and what they say of the edges that close a cycle.
    fn unmarked_paths(&mut self, which: Unmarked, reached: &[Lit], budget: &Budget) -> Result<()> {
        let reference = self.reference;
        let (states, letters) = (self.states, reference.letters.len());
        for q in 0..states {
            for r in 0..reference.states {
                budget.check()?;
                // From (q, r), to each pair in the same component of the reference.
                let paths: Vec<Option<Lit>> = (0..states * reference.states)
                    .map(|pair| {
                        let inside = reference.component[pair % reference.states] == reference.component[r];
                        inside.then(|| self.solver.new_var().lit(true))
                    })
                    .collect();
                let path = |q: usize, r: usize| paths[q * reference.states + r];
                let start = path(q, r).expect("a state is in its own component");
                self.solver
                    .add_clause(&[!reached[q * reference.states + r], start]);
                for from in 0..states {
                    for beside in 0..reference.states {
                        let Some(here) = path(from, beside) else { continue };
                        for letter in 0..letters {
                            let (target, sees, inside) = reference.step(beside, letter);
                            if !inside || (which == Unmarked::Reference && sees) {
                                continue;
                            }
                            let marked = self.marked(from, letter);
                            if target == r {
                                // The step back to (q, r) closes a cycle.
                                let closes = self.goes(from, letter, q);
                                match which {
                                    Unmarked::Candidate if sees => {
                                        self.solver.add_clause(&[!here, !closes, marked]);
                                    }
                                    Unmarked::Reference => {
                                        self.solver.add_clause(&[!here, !closes, !marked]);
                                    }
                                    Unmarked::Candidate => {}
                                }
                            }
                            for to in 0..states {
                                let Some(there) = path(to, target) else { continue };
                                let step = self.goes(from, letter, to);
                                match which {
                                    Unmarked::Candidate => {
                                        self.solver.add_clause(&[!here, !step, marked, there]);
                                    }
                                    Unmarked::Reference => self.solver.add_clause(&[!here, !step, there]),
                                }
                            }
                        }
                    }
                }
            }
        }
        Ok(())
    }

    fn answer(&self, propositions: &[String]) -> Result<Automaton> {
        let mut found = Automaton::new(propositions.to_vec(), Acceptance::buchi(), 1)?;
        found.labels = self.reference.labels.clone();
        for _ in 0..self.states {
            found.add_state();
        }
        found.add_initial(State(0));
        let holds = |literal: Lit| self.solver.value(literal) == Some(true);
        for from in 0..self.states {
            for (letter, &label) in self.reference.letters.iter().enumerate() {
                let marks = if holds(self.marked(from, letter)) {
                    Marks::one(0)
                } else {
                    Marks::NONE
                };
                for to in (0..self.states).filter(|&to| holds(self.goes(from, letter, to))) {
                    found.add_edge(State(from as u32), label, State(to as u32), marks);
                }
            }
        }
        found.merge_edges();
        found.remove_unreachable();
        Ok(found)
    }
}

/// An equivalent complete deterministic Büchi automaton with fewer states, if there is one.
fn smaller(automaton: &Automaton, budget: &Budget) -> Result<Option<Automaton>> {
    let reference = Reference::new(automaton, budget)?;
    let states = automaton.state_count() - 1;
    let pairs = states * reference.states;
    let clauses = 2 * (pairs * pairs).saturating_mul(states * reference.letters.len());
    if clauses > MOST_CLAUSES {
        return Err(AutomataError::TooLarge(
            "the automaton is too large for a minimisation by SAT",
        ));
    }
    let mut question = SizeQuery::new(&reference, states);
    question.is_an_automaton();
    let reached = question.reached_pairs();
    question.unmarked_paths(Unmarked::Candidate, &reached, budget)?;
    question.unmarked_paths(Unmarked::Reference, &reached, budget)?;
    if !question.solver.satisfiable(&[], budget)? {
        return Ok(None);
    }
    question.answer(automaton.propositions()).map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algebra::product::intersection;
    use crate::ltl::random::Random;
    use crate::ltl::syntax::parse_any;
    use crate::random_automaton::RandomAutomaton;
    use crate::translate::pipeline::{Translation, translate};

    fn same_language(a: &Automaton, b: &Automaton) -> bool {
        let inside = |x: &Automaton, y: &Automaton| {
            let outside = complement_deterministic(y).expect("deterministic");
            intersection(x, &outside).expect("small").0.is_empty()
        };
        inside(a, b) && inside(b, a)
    }

    /// All complete deterministic Büchi automata over one proposition with so many states.
    fn all_automata(states: usize) -> impl Iterator<Item = Automaton> {
        let choices = 2 * states;
        (0..choices.pow(2 * states as u32)).map(move |number| {
            let mut automaton = Automaton::new(vec!["p0".into()], Acceptance::buchi(), 1).expect("small");
            for _ in 0..states {
                automaton.add_state();
            }
            automaton.add_initial(State(0));
            let mut rest = number;
            for state in 0..states as u32 {
                for positive in [false, true] {
                    let choice = rest % choices;
                    rest /= choices;
                    let label = automaton.labels.literal(0, positive);
                    let marks = if choice % 2 == 1 {
                        Marks::one(0)
                    } else {
                        Marks::NONE
                    };
                    automaton.add_edge(State(state), label, State(choice as u32 / 2), marks);
                }
            }
            automaton
        })
    }

    #[test]
    fn results_are_equivalent_and_none_is_smaller() {
        let budget = Budget::unlimited();
        let mut random = Random::new(9);
        let (mut shrunk, mut searched) = (0, 0);
        for _ in 0..150 {
            let shape = RandomAutomaton {
                states: 2 + random.below(5),
                propositions: 1,
                edges: 2,
                acceptance: (Acceptance::buchi(), 1),
                marked: 20 + random.below(60),
            };
            let drawn = shape.draw(&mut random).expect("small");
            let Some(mut deterministic) = deterministic_buchi(&drawn, &budget).expect("small") else {
                continue;
            };
            deterministic.reduce_as(false, &budget).expect("small");
            let mut complete = as_buchi(deterministic);
            complete.complete().expect("one mark");
            if complete.state_count() > 6 || complete.is_empty() {
                continue;
            }
            let mut minimal = minimal_deterministic_buchi(&drawn, &budget).expect("small");
            assert!(minimal.is_deterministic());
            minimal = as_buchi(minimal);
            minimal.complete().expect("one mark");
            assert!(
                same_language(&complete, &minimal),
                "{complete:?} became {minimal:?}"
            );
            shrunk += usize::from(minimal.state_count() < complete.state_count());
            if let fewer @ 1..=2 = minimal.state_count() - 1 {
                searched += 1;
                let smaller = all_automata(fewer).find(|other| same_language(&complete, other));
                assert!(smaller.is_none(), "{minimal:?} beside {smaller:?}");
            }
        }
        assert!(shrunk > 3 && searched > 30, "{shrunk} and {searched}");
    }

    #[test]
    fn persistence_has_no_deterministic_buchi_automaton() {
        let budget = Budget::unlimited();
        let formula = parse_any("F G p").expect("a formula");
        let automaton = translate(&formula, Translation::default(), &budget).expect("small");
        let refused = minimal_deterministic_buchi(&automaton, &budget);
        assert!(matches!(refused, Err(AutomataError::NotApplicable(_))));
    }
}
