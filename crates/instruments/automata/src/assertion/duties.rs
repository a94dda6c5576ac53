//! Assertions as alternating automata on infinite words, negations included.
//!
//! A *duty* is a state: something that must be true of the rest of the word. Its expansion says what that means for the next letter, as a positive
//! combination of conditions and of duties for the letter after. Sequences contribute the states of their automata, followed along some run
//! (they shall match) or along all runs (they shall not); `until` contributes itself; aborts are carried along by every duty below them.
//! The automaton is weak: every cycle stays within one sequence or one `until`, and it is either allowed to go round forever or bound to leave
//! ([`Automaton::must_end`]).

use super::sequence_nfa::{Edge, SequenceNfa, SequenceTooLarge};
use entail_logic::{Assertion, Guard, Sequence};
use rustc_hash::FxHashMap;
use std::hash::Hash;
use std::rc::Rc;
use std::sync::Arc;

/// The number of a duty.
pub(crate) type DutyId = usize;

/// What a duty means for the next letter.
#[derive(Clone, Debug)]
pub(crate) enum Step<A> {
    /// A condition on the letter.
    Guard(Guard<A>),
    /// All of these.
    All(Vec<Step<A>>),
    /// One of these.
    Any(Vec<Step<A>>),
    /// A duty for the next letter.
    Next(DutyId),
}

impl<A: Clone + PartialEq> Step<A> {
    const fn truth(truth: bool) -> Step<A> {
        Step::Guard(Guard::Constant(truth))
    }

    /// All of several steps; conditions are joined, constants folded.
    fn all(parts: impl IntoIterator<Item = Step<A>>) -> Step<A> {
        let mut guard = Guard::Constant(true);
        let mut rest = Vec::new();
        for part in parts {
            match part {
                Step::Guard(one) => guard = guard.and(&one),
                Step::All(inner) => rest.extend(inner),
                other => rest.push(other),
            }
        }
        match (&guard, rest.len()) {
            (Guard::Constant(false), _) | (_, 0) => Step::Guard(guard),
            (Guard::Constant(true), 1) => rest.remove(0),
            (Guard::Constant(true), _) => Step::All(rest),
            _ => {
                rest.insert(0, Step::Guard(guard));
                Step::All(rest)
            }
        }
    }

    /// One of several steps; conditions are joined, constants folded.
    fn any(parts: impl IntoIterator<Item = Step<A>>) -> Step<A> {
        let mut guard = Guard::Constant(false);
        let mut rest = Vec::new();
        for part in parts {
            match part {
                Step::Guard(one) => guard = guard.or(&one),
                Step::Any(inner) => rest.extend(inner),
                other => rest.push(other),
            }
        }
        match (&guard, rest.len()) {
            (Guard::Constant(true), _) | (_, 0) => Step::Guard(guard),
            (Guard::Constant(false), 1) => rest.remove(0),
            (Guard::Constant(false), _) => Step::Any(rest),
            _ => {
                rest.insert(0, Step::Guard(guard));
                Step::Any(rest)
            }
        }
    }
}

/// Conditions that cut an evaluation short, outermost first, each with the truth that the duty then has.
type Aborts<A> = Rc<Vec<(Guard<A>, bool)>>;

/// Something that must be true of the rest of the word.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Duty<A> {
    /// An assertion is true, or false.
    Assertion(Arc<Assertion<A>>, bool, u32, Aborts<A>),
    /// A run of an automaton goes on.
    Run {
        automaton: usize,
        state: usize,
        /// Some run shall succeed, or all runs shall be harmless.
        exists: bool,
        must_end: bool,
        /// What is asked where the automaton accepts (an assertion and its truth); nothing if accepting is itself success or harm.
        then: Option<(Arc<Assertion<A>>, bool)>,
        aborts: Aborts<A>,
    },
}

/// An alternating automaton. Duty 0 is the initial one.
pub(crate) struct Automaton<A> {
    /// For each duty, its expansion.
    pub(crate) steps: Vec<Step<A>>,
    /// For each duty, whether a run must leave it eventually.
    pub(crate) must_end: Vec<bool>,
}

/// Most duties of an automaton.
const MOST_DUTIES: usize = 100_000;

struct Builder<A> {
    numbers: FxHashMap<Duty<A>, DutyId>,
    duties: Vec<Duty<A>>,
    sequences: FxHashMap<Arc<Sequence<A>>, usize>,
    automata: Vec<Rc<SequenceNfa<A>>>,
}

impl<A: Clone + Eq + Hash> Automaton<A> {
    /// The automaton of the words on which an assertion has a truth value.
    pub(crate) fn new(assertion: &Assertion<A>, truth: bool) -> Result<Automaton<A>, SequenceTooLarge> {
        let mut builder = Builder {
            numbers: FxHashMap::default(),
            duties: Vec::new(),
            sequences: FxHashMap::default(),
            automata: Vec::new(),
        };
        let root = Duty::Assertion(Arc::new(assertion.clone()), truth, 0, Rc::default());
        builder.number(root);
        let mut steps = Vec::new();
        while steps.len() < builder.duties.len() {
            if builder.duties.len() > MOST_DUTIES {
                return Err(SequenceTooLarge);
            }
            let duty = builder.duties[steps.len()].clone();
            steps.push(builder.expand(&duty)?);
        }
        let must_end = builder.duties.iter().map(|duty| match duty {
            Duty::Run { must_end, .. } => *must_end,
            Duty::Assertion(assertion, truth, ..) => match &**assertion {
                // The negation of a strong one may go on forever, that of a weak one must not.
                Assertion::Until { strong, .. } => strong == truth,
                _ => false,
            },
        });
        let must_end = must_end.collect();
        Ok(Automaton { steps, must_end })
    }

    /// The duties that an expansion names.
    pub(crate) fn successors(step: &Step<A>, into: &mut Vec<DutyId>) {
        match step {
            Step::Guard(_) => {}
            Step::All(parts) | Step::Any(parts) => {
                parts.iter().for_each(|part| Automaton::successors(part, into));
            }
            Step::Next(duty) => into.push(*duty),
        }
    }

    /// Whether some duty that need not end can be met again and again: otherwise whatever the automaton accepts is accepted after finitely many letters.
    pub(crate) fn may_go_on_forever(&self) -> bool {
        let successors: Vec<Vec<DutyId>> = (self.steps.iter())
            .map(|step| {
                let mut found = Vec::new();
                Automaton::successors(step, &mut found);
                found
            })
            .collect();
        (0..self.steps.len()).any(|duty| {
            if self.must_end[duty] {
                return false;
            }
            let mut seen = vec![false; self.steps.len()];
            let mut stack = successors[duty].clone();
            while let Some(next) = stack.pop() {
                if next == duty {
                    return true;
                }
                if !std::mem::replace(&mut seen[next], true) {
                    stack.extend(&successors[next]);
                }
            }
            false
        })
    }
}

impl<A: Clone + Eq + Hash> Builder<A> {
    fn number(&mut self, duty: Duty<A>) -> DutyId {
        if let Some(&number) = self.numbers.get(&duty) {
            return number;
        }
        self.numbers.insert(duty.clone(), self.duties.len());
        self.duties.push(duty);
        self.duties.len() - 1
    }

    fn automaton(&mut self, sequence: &Arc<Sequence<A>>) -> Result<usize, SequenceTooLarge> {
        if let Some(&number) = self.sequences.get(sequence) {
            return Ok(number);
        }
        self.automata.push(Rc::new(SequenceNfa::new(sequence)?));
        self.sequences.insert(sequence.clone(), self.automata.len() - 1);
        Ok(self.automata.len() - 1)
    }

    fn expand(&mut self, duty: &Duty<A>) -> Result<Step<A>, SequenceTooLarge> {
        let (inner, aborts) = match duty {
            Duty::Assertion(assertion, truth, delay, aborts) => {
                let inner = match delay {
                    0 => self.now(assertion, *truth, aborts)?,
                    _ => Step::Next(self.number(Duty::Assertion(
                        assertion.clone(),
                        *truth,
                        delay - 1,
                        aborts.clone(),
                    ))),
                };
                (inner, aborts)
            }
            Duty::Run { aborts, .. } => (self.run(duty)?, aborts),
        };
        let mut step = inner;
        for (condition, truth) in aborts.iter().rev() {
            step = cut(condition, *truth, step);
        }
        Ok(step)
    }

    /// What an assertion's truth means for the letter that comes next, the aborts in force aside.
    fn now(
        &mut self,
        assertion: &Arc<Assertion<A>>,
        truth: bool,
        aborts: &Aborts<A>,
    ) -> Result<Step<A>, SequenceTooLarge> {
        Ok(match &**assertion {
            Assertion::Sequence { sequence, strong } => {
                let automaton = self.automaton(sequence)?;
                self.run(&Duty::Run {
                    automaton,
                    state: 0,
                    exists: truth,
                    must_end: *strong == truth,
                    then: None,
                    aborts: aborts.clone(),
                })?
            }
            Assertion::Implication {
                antecedent,
                consequent,
            } => {
                let automaton = self.automaton(antecedent)?;
                self.run(&Duty::Run {
                    automaton,
                    state: 0,
                    exists: !truth,
                    must_end: !truth,
                    then: Some((consequent.clone(), truth)),
                    aborts: aborts.clone(),
                })?
            }
            Assertion::Not(inner) => self.now(inner, !truth, aborts)?,
            Assertion::And(left, right) | Assertion::Or(left, right) => {
                let both = [self.now(left, truth, aborts)?, self.now(right, truth, aborts)?];
                match matches!(**assertion, Assertion::And(..)) == truth {
                    true => Step::all(both),
                    false => Step::any(both),
                }
            }
            Assertion::Next { count: 0, body, .. } => self.now(body, truth, aborts)?,
            Assertion::Next { count, body, .. } => {
                let later = Duty::Assertion(body.clone(), truth, count - 1, aborts.clone());
                Step::Next(self.number(later))
            }
            Assertion::Until { left, right, .. } => {
                let again = Duty::Assertion(assertion.clone(), truth, 0, aborts.clone());
                let again = Step::Next(self.number(again));
                let (left, right) = (self.now(left, truth, aborts)?, self.now(right, truth, aborts)?);
                match truth {
                    true => Step::any([right, Step::all([left, again])]),
                    false => Step::all([right, Step::any([left, again])]),
                }
            }
            Assertion::Abort {
                condition,
                accept,
                body,
            } => {
                let outcome = *accept == truth;
                let mut inner = (**aborts).clone();
                inner.push((condition.clone(), outcome));
                let step = self.now(body, truth, &Rc::new(inner))?;
                cut(condition, outcome, step)
            }
        })
    }

    /// What it means for the letter that comes next that a run goes on.
    fn run(&mut self, duty: &Duty<A>) -> Result<Step<A>, SequenceTooLarge> {
        let Duty::Run {
            automaton,
            state,
            exists,
            then,
            aborts,
            ..
        } = duty
        else {
            return Ok(Step::truth(true));
        };
        let nfa = self.automata[*automaton].clone();
        let mut parts = Vec::new();
        for Edge { guard, to, .. } in &nfa.edges[*state] {
            let accepts = match (nfa.accepting[*to], then) {
                (false, _) => None,
                (true, None) => Some(Step::truth(*exists)),
                (true, Some((assertion, truth))) => Some(self.now(assertion, *truth, aborts)?),
            };
            let goes_on = match nfa.edges[*to].is_empty() {
                true => None,
                false => {
                    let mut next = duty.clone();
                    if let Duty::Run { state, .. } = &mut next {
                        *state = *to;
                    }
                    Some(Step::Next(self.number(next)))
                }
            };
            let after = accepts.into_iter().chain(goes_on);
            parts.push(match exists {
                true => Step::all([Step::Guard(guard.clone()), Step::any(after)]),
                false => Step::any([Step::Guard(guard.negated()), Step::all(after)]),
            });
        }
        Ok(match exists {
            true => Step::any(parts),
            false => Step::all(parts),
        })
    }
}

/// A step, unless a condition decides.
fn cut<A: Clone + PartialEq>(condition: &Guard<A>, truth: bool, step: Step<A>) -> Step<A> {
    match truth {
        true => Step::any([Step::Guard(condition.clone()), step]),
        false => Step::all([Step::Guard(condition.negated()), step]),
    }
}
