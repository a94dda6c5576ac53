//! Assertions on finite words, as simulators record them, from the last letter to the first.
//!
//! The truth of every part is computed at every position from that at the next one; a sequence is followed by its automaton, for each state whether a run that has come there will satisfy. So
//! time is the length of the word times the size of the automata, and of each part only one position is kept in mind. What lies beyond the end is taken as the view says (truncated
//! semantics, Eisner et al. 2003); a cut-off decides for everything that is still being evaluated.
//!
//! The checker (`entail-systems-checker`) has the definition, letter by letter and without automata.

use super::sequence_nfa::{SequenceNfa, SequenceTooLarge};
use entail_budget::{Budget, Spent};
use entail_logic::{Assertion, Guard, Sequence, View};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Why an assertion is not evaluated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotEvaluated {
    /// A sequence is too large.
    TooLarge,
    /// It has local variables.
    Locals,
    /// There was not enough time or memory.
    Spent(Spent),
}

impl std::fmt::Display for NotEvaluated {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            NotEvaluated::TooLarge => f.write_str("the automaton of a sequence would be too large"),
            NotEvaluated::Locals => f.write_str("local variables are not followed here"),
            NotEvaluated::Spent(spent) => spent.fmt(f),
        }
    }
}

impl From<SequenceTooLarge> for NotEvaluated {
    fn from(_: SequenceTooLarge) -> NotEvaluated {
        NotEvaluated::TooLarge
    }
}

impl From<Spent> for NotEvaluated {
    fn from(spent: Spent) -> NotEvaluated {
        NotEvaluated::Spent(spent)
    }
}

/// A finite word: the truth of atoms, letter by letter.
pub struct FiniteWord<'w> {
    letters: &'w [Vec<bool>],
    budget: &'w Budget,
}

/// For each position, what a cut-off in force says there.
type Cuts = [Option<bool>];

impl<'w> FiniteWord<'w> {
    /// A word.
    pub fn new(letters: &'w [Vec<bool>], budget: &'w Budget) -> FiniteWord<'w> {
        FiniteWord { letters, budget }
    }

    /// Whether an assertion is true of the word. Of an empty word it is true in the weak view only.
    pub fn holds(&self, assertion: &Assertion<usize>, view: View) -> Result<bool, NotEvaluated> {
        if !assertion.assigned().is_empty() {
            return Err(NotEvaluated::Locals);
        }
        let cuts = vec![None; self.letters.len()];
        let truths = self.truths(assertion, view, &cuts)?;
        Ok(truths.first().copied().unwrap_or(view == View::Weak))
    }

    /// Number of letters of the shortest prefix on which an assertion is false in the weak view: all that follow cannot mend it. Nothing if it is true of the whole word there.
    pub fn shortest_violation(&self, assertion: &Assertion<usize>) -> Result<Option<usize>, NotEvaluated> {
        let violated = |length: usize| {
            let prefix = FiniteWord::new(&self.letters[..length], self.budget);
            prefix.holds(assertion, View::Weak).map(|truth| !truth)
        };
        shortest(self.letters.len(), &violated)
    }

    /// Number of letters of the shortest prefix on which an assertion is true in the strong view, whatever follows.
    pub fn shortest_confirmation(&self, assertion: &Assertion<usize>) -> Result<Option<usize>, NotEvaluated> {
        let confirmed = |length: usize| {
            let prefix = FiniteWord::new(&self.letters[..length], self.budget);
            prefix.holds(assertion, View::Strong)
        };
        shortest(self.letters.len(), &confirmed)
    }

    fn guard(&self, guard: &Guard<usize>, position: usize) -> bool {
        guard.evaluate(&mut |&atom| self.letters[position].get(atom).copied().unwrap_or(false))
    }

    /// The truth at every position at which no cut-off in force applies.
    fn truths(
        &self,
        assertion: &Assertion<usize>,
        view: View,
        cuts: &Cuts,
    ) -> Result<Vec<bool>, NotEvaluated> {
        self.budget.check()?;
        let count = self.letters.len();
        Ok(match assertion {
            Assertion::Sequence { sequence, strong } => self.runs(
                sequence,
                cuts,
                &mut |run| match run {
                    Run::Ended(_) => true,
                    Run::Cut(truth) => truth,
                    Run::Beyond => view.beyond(*strong),
                },
                true,
            )?,
            Assertion::Implication {
                antecedent,
                consequent,
            } => {
                let after = self.truths(consequent, view, cuts)?;
                self.runs(
                    antecedent,
                    cuts,
                    &mut |run| match run {
                        Run::Ended(position) => after[position],
                        Run::Cut(truth) => truth,
                        Run::Beyond => view != View::Strong,
                    },
                    false,
                )?
            }
            Assertion::Not(inner) => {
                let turned: Vec<Option<bool>> = cuts.iter().map(|cut| cut.map(|truth| !truth)).collect();
                let truths = self.truths(inner, view.of_negation(), &turned)?;
                truths.into_iter().map(|truth| !truth).collect()
            }
            Assertion::And(left, right) | Assertion::Or(left, right) => {
                let (left, right) = (self.truths(left, view, cuts)?, self.truths(right, view, cuts)?);
                let is_both = matches!(assertion, Assertion::And(..));
                let join = |(left, right): (bool, bool)| if is_both { left && right } else { left || right };
                left.into_iter().zip(right).map(join).collect()
            }
            Assertion::Next {
                count: steps,
                strong,
                body,
            } => {
                let mut truths = self.truths(body, view, cuts)?;
                for _ in 0..*steps {
                    // What is true one letter later, or what a cut-off says there.
                    let later = (1..count).map(|next| cuts[next].unwrap_or(truths[next]));
                    truths = later.chain((count > 0).then(|| view.beyond(*strong))).collect();
                }
                truths
            }
            Assertion::Until { left, right, strong } => {
                let (left, right) = (self.truths(left, view, cuts)?, self.truths(right, view, cuts)?);
                let mut truths = vec![false; count];
                let mut later = view.beyond(*strong);
                for position in (0..count).rev() {
                    truths[position] = right[position] || (left[position] && later);
                    later = cuts[position].unwrap_or(truths[position]);
                }
                truths
            }
            Assertion::Abort {
                condition,
                accept,
                body,
            } => {
                let here: Vec<Option<bool>> = (0..count)
                    .map(|position| self.guard(condition, position).then_some(*accept))
                    .collect();
                let inner: Vec<Option<bool>> =
                    cuts.iter().zip(&here).map(|(cut, here)| cut.or(*here)).collect();
                let truths = self.truths(body, view, &inner)?;
                here.iter()
                    .zip(truths)
                    .map(|(here, truth)| here.unwrap_or(truth))
                    .collect()
            }
        })
    }

    /// For each position, whether some (or all) runs of a sequence that begin there satisfy what is asked of them.
    fn runs(
        &self,
        sequence: &Arc<Sequence<usize>>,
        cuts: &Cuts,
        asked: &mut dyn FnMut(Run) -> bool,
        some: bool,
    ) -> Result<Vec<bool>, NotEvaluated> {
        let automaton = SequenceNfa::new(sequence)?;
        // A condition that several edges have is looked at once a letter.
        let guards: Vec<&Guard<usize>> = automaton.edges.iter().flatten().map(|edge| &edge.guard).collect();
        let distinct: Vec<&Guard<usize>> = guards
            .iter()
            .copied()
            .collect::<BTreeSet<_>>()
            .into_iter()
            .collect();
        let numbers: Vec<Vec<usize>> = (automaton.edges.iter())
            .map(|edges| {
                let number = |guard: &Guard<usize>| distinct.binary_search(&guard).unwrap_or(0);
                edges.iter().map(|edge| number(&edge.guard)).collect()
            })
            .collect();
        let count = self.letters.len();
        let states = automaton.edges.len();
        // The answer of no run at all.
        let none = !some;
        let is_alive: Vec<bool> = automaton.edges.iter().map(|edges| !edges.is_empty()).collect();
        let beyond = asked(Run::Beyond);
        let mut later: Vec<bool> = is_alive
            .iter()
            .map(|&alive| if alive { beyond } else { none })
            .collect();
        let mut truths = vec![none; count];
        for position in (0..count).rev() {
            self.budget.check()?;
            let holds: Vec<bool> = distinct.iter().map(|guard| self.guard(guard, position)).collect();
            let ended = asked(Run::Ended(position));
            let mut here = vec![none; states];
            for (state, (edges, numbers)) in automaton.edges.iter().zip(&numbers).enumerate() {
                for (edge, number) in edges.iter().zip(numbers) {
                    if !holds[*number] {
                        continue;
                    }
                    let ends = automaton.accepting[edge.to].then_some(ended);
                    for answer in ends.into_iter().chain([later[edge.to]]) {
                        here[state] = if some {
                            here[state] || answer
                        } else {
                            here[state] && answer
                        };
                    }
                }
            }
            truths[position] = here[0];
            if let Some(truth) = cuts[position] {
                let cut = asked(Run::Cut(truth));
                here = is_alive
                    .iter()
                    .map(|&alive| if alive { cut } else { none })
                    .collect();
            }
            later = here;
        }
        Ok(truths)
    }
}

/// What becomes of a run of a sequence.
enum Run {
    /// It is a match that ends here.
    Ended(usize),
    /// It is cut off, with the truth that follows.
    Cut(bool),
    /// It goes on beyond the end.
    Beyond,
}

/// The shortest length with a property that longer ones keep, by bisection.
fn shortest(
    longest: usize,
    has: &dyn Fn(usize) -> Result<bool, NotEvaluated>,
) -> Result<Option<usize>, NotEvaluated> {
    if !has(longest)? {
        return Ok(None);
    }
    // (Lengths up to `without` do not have it.)
    let (mut without, mut with) = (0, longest);
    while without + 1 < with {
        let middle = without + (with - without) / 2;
        match has(middle)? {
            true => with = middle,
            false => without = middle,
        }
    }
    Ok(Some(with))
}
