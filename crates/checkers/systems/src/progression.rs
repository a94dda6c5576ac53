//! Assertions followed letter by letter: what is left to be shown after a letter, as alternatives of sets of duties.
//!
//! A *duty* is a part of an assertion that must turn out true (or false) of the rest of the word. After a letter it has become a positive combination of
//! duties, written as alternatives (a disjunctive normal form): a run chooses one alternative each time. Sequences are followed by partial derivatives, no automaton of a sequence is built. Letters may be partial: where the value of an atom is needed that is
//! not given, the atom is named, and whoever asks decides both cases. Local variables are constants here, in the sense of `constants.rs`.
//!
//! The words of an assertion are those on which some run either has no duty left, or goes on forever and leaves every duty that must end.

use crate::constants::{atom_is_true, right_constants};
use crate::derivatives::{Letter, can_match, derivatives};
use entail_logic::{Assertion, Guard, Sequence};
use rustc_hash::FxHashMap;
use std::cell::Cell;
use std::collections::BTreeSet;
use std::sync::Arc;

/// The number of a duty.
pub(crate) type DutyId = u32;

/// Conditions that cut an evaluation short, the outermost first, each with whether the duty is then fulfilled.
type Aborts = Arc<Vec<(Guard<usize>, bool)>>;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Duty {
    /// An assertion has a truth value, after some letters.
    Truth {
        assertion: Arc<Assertion<usize>>,
        truth: bool,
        wait: u32,
        aborts: Aborts,
    },
    /// The rest of a sequence matches, in some way or in none; where it matches, something more may be asked.
    Rest {
        sequence: Arc<Sequence<usize>>,
        some: bool,
        must_end: bool,
        then: Option<(Arc<Assertion<usize>>, bool)>,
        aborts: Aborts,
    },
}

/// Why there is no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Open {
    /// The value of this atom decides.
    Atom(usize),
    /// There are too many alternatives.
    TooLarge,
}

/// Alternatives, each a set of duties. None at all: it cannot be; an empty one: nothing is left to be shown.
pub(crate) type Alternatives = Vec<BTreeSet<DutyId>>;

/// Most alternatives.
const MOST_ALTERNATIVES: usize = 400;

fn truth(truth: bool) -> Alternatives {
    match truth {
        true => vec![BTreeSet::new()],
        false => Vec::new(),
    }
}

/// Only the least sets: what a larger one allows, a smaller one allows as well.
fn least(mut all: Alternatives) -> Result<Alternatives, Open> {
    all.sort_by_key(BTreeSet::len);
    let mut kept: Alternatives = Vec::new();
    for one in all {
        if !kept.iter().any(|known| known.is_subset(&one)) {
            kept.push(one);
        }
    }
    match kept.len() > MOST_ALTERNATIVES {
        true => Err(Open::TooLarge),
        false => Ok(kept),
    }
}

fn either(mut left: Alternatives, right: Alternatives) -> Result<Alternatives, Open> {
    left.extend(right);
    least(left)
}

pub(crate) fn both(left: &Alternatives, right: &Alternatives) -> Result<Alternatives, Open> {
    if left.len() * right.len() > MOST_ALTERNATIVES * 8 {
        return Err(Open::TooLarge);
    }
    let pairs = left
        .iter()
        .flat_map(|one| right.iter().map(move |other| one | other));
    least(pairs.collect())
}

/// The duties of an assertion, numbered as they are met.
pub(crate) struct Progression {
    duties: Vec<Duty>,
    numbers: FxHashMap<Duty, DutyId>,
    possible: FxHashMap<Arc<Sequence<usize>>, bool>,
}

impl Progression {
    /// The words on which an assertion has a truth value; its duty is number 0.
    pub(crate) fn new(assertion: &Assertion<usize>, truth: bool) -> Progression {
        let mut progression = Progression {
            duties: Vec::new(),
            numbers: FxHashMap::default(),
            possible: FxHashMap::default(),
        };
        progression.number(Duty::Truth {
            assertion: Arc::new(assertion.clone()),
            truth,
            wait: 0,
            aborts: Aborts::default(),
        });
        progression
    }

    fn number(&mut self, duty: Duty) -> DutyId {
        if let Some(&known) = self.numbers.get(&duty) {
            return known;
        }
        let number = self.duties.len() as DutyId;
        self.numbers.insert(duty.clone(), number);
        self.duties.push(duty);
        number
    }

    fn next(&mut self, duty: Duty) -> Alternatives {
        vec![BTreeSet::from([self.number(duty)])]
    }

    /// Whether a run must leave a duty.
    pub(crate) fn must_end(&self, duty: DutyId) -> bool {
        match &self.duties[duty as usize] {
            Duty::Rest { must_end, .. } => *must_end,
            Duty::Truth { assertion, truth, .. } => match &**assertion {
                Assertion::Until { strong, .. } => strong == truth,
                _ => false,
            },
        }
    }

    /// What a duty becomes with a letter.
    pub(crate) fn after(&mut self, duty: DutyId, letter: &[Option<bool>]) -> Result<Alternatives, Open> {
        let duty = self.duties[duty as usize].clone();
        let (Duty::Truth { aborts, .. } | Duty::Rest { aborts, .. }) = &duty;
        for (condition, outcome) in aborts.iter() {
            if value(condition, letter)? {
                return Ok(truth(*outcome));
            }
        }
        match &duty {
            Duty::Truth {
                assertion,
                truth,
                wait: 0,
                aborts,
            } => self.now(assertion, *truth, aborts, letter),
            Duty::Truth {
                assertion,
                truth,
                wait,
                aborts,
            } => Ok(self.next(Duty::Truth {
                assertion: assertion.clone(),
                truth: *truth,
                wait: wait - 1,
                aborts: aborts.clone(),
            })),
            Duty::Rest { .. } => self.rest(&duty, letter),
        }
    }

    fn now(
        &mut self,
        assertion: &Arc<Assertion<usize>>,
        wanted: bool,
        aborts: &Aborts,
        letter: &[Option<bool>],
    ) -> Result<Alternatives, Open> {
        match &**assertion {
            Assertion::Sequence { sequence, strong } => {
                let duty = Duty::Rest {
                    sequence: sequence.clone(),
                    some: wanted,
                    must_end: *strong == wanted,
                    then: None,
                    aborts: aborts.clone(),
                };
                self.beginning(&duty, letter)
            }
            Assertion::Implication {
                antecedent,
                consequent,
            } => {
                let duty = Duty::Rest {
                    sequence: antecedent.clone(),
                    some: !wanted,
                    must_end: !wanted,
                    then: Some((consequent.clone(), wanted)),
                    aborts: aborts.clone(),
                };
                self.beginning(&duty, letter)
            }
            Assertion::Not(inner) => self.now(inner, !wanted, aborts, letter),
            Assertion::And(left, right) | Assertion::Or(left, right) => {
                let left = self.now(left, wanted, aborts, letter)?;
                let right = self.now(right, wanted, aborts, letter)?;
                match matches!(**assertion, Assertion::And(..)) == wanted {
                    true => both(&left, &right),
                    false => either(left, right),
                }
            }
            Assertion::Next { count: 0, body, .. } => self.now(body, wanted, aborts, letter),
            Assertion::Next { count, body, .. } => Ok(self.next(Duty::Truth {
                assertion: body.clone(),
                truth: wanted,
                wait: count - 1,
                aborts: aborts.clone(),
            })),
            Assertion::Until { left, right, .. } => {
                let left = self.now(left, wanted, aborts, letter)?;
                let right = self.now(right, wanted, aborts, letter)?;
                let again = self.next(Duty::Truth {
                    assertion: assertion.clone(),
                    truth: wanted,
                    wait: 0,
                    aborts: aborts.clone(),
                });
                match wanted {
                    true => either(right, both(&left, &again)?),
                    false => both(&right, &either(left, again)?),
                }
            }
            Assertion::Abort {
                condition,
                accept,
                body,
            } => {
                let outcome = *accept == wanted;
                if value(condition, letter)? {
                    return Ok(truth(outcome));
                }
                let mut inner = (**aborts).clone();
                inner.push((condition.clone(), outcome));
                self.now(body, wanted, &Arc::new(inner), letter)
            }
        }
    }

    /// What the first letter makes of a sequence. The constants of one that shall not match are those that are settled by it; no abort changes what they are.
    fn beginning(&mut self, duty: &Duty, letter: &[Option<bool>]) -> Result<Alternatives, Open> {
        let mut whole = self.rest(duty, letter)?;
        let Duty::Rest {
            sequence,
            some: false,
            ..
        } = duty
        else {
            return Ok(whole);
        };
        for (distance, equal) in right_constants(sequence) {
            let right = match distance {
                0 => truth(value(&Guard::Atom(equal), letter)?),
                _ => self.next(Duty::Truth {
                    assertion: atom_is_true(equal),
                    truth: true,
                    wait: distance - 1,
                    aborts: Aborts::default(),
                }),
            };
            whole = both(&whole, &right)?;
        }
        Ok(whole)
    }

    /// What a letter makes of the rest of a sequence.
    fn rest(&mut self, duty: &Duty, letter: &[Option<bool>]) -> Result<Alternatives, Open> {
        let Duty::Rest {
            sequence,
            some,
            then,
            aborts,
            ..
        } = duty
        else {
            return Ok(truth(true));
        };
        let missing = Cell::new(None);
        let found = derivatives(sequence, Letter::Partial(letter, &missing));
        if let Some(atom) = missing.get() {
            return Err(Open::Atom(atom));
        }
        let mut whole = truth(!some);
        for after in found {
            let matched = match (after.is_nullable(), then) {
                (false, _) => None,
                (true, None) => Some(truth(*some)),
                (true, Some((assertion, wanted))) => Some(self.now(assertion, *wanted, aborts, letter)?),
            };
            let goes_on = self.can_match(&after).then(|| {
                let mut later = duty.clone();
                if let Duty::Rest { sequence, .. } = &mut later {
                    *sequence = after.clone();
                }
                self.next(later)
            });
            let mut part = truth(!some);
            for one in matched.into_iter().chain(goes_on) {
                part = match some {
                    true => either(part, one)?,
                    false => both(&part, &one)?,
                };
            }
            whole = match some {
                true => either(whole, part)?,
                false => both(&whole, &part)?,
            };
        }
        Ok(whole)
    }

    fn can_match(&mut self, sequence: &Arc<Sequence<usize>>) -> bool {
        if let Some(&known) = self.possible.get(sequence) {
            return known;
        }
        let found = can_match(sequence);
        self.possible.insert(sequence.clone(), found);
        found
    }
}

/// The truth of a condition under a partial letter.
fn value(guard: &Guard<usize>, letter: &[Option<bool>]) -> Result<bool, Open> {
    ternary(guard, letter).map_err(Open::Atom)
}

/// The truth of a condition, or an atom whose value is missing.
pub(crate) fn ternary(guard: &Guard<usize>, letter: &[Option<bool>]) -> Result<bool, usize> {
    match guard {
        Guard::Constant(truth) => Ok(*truth),
        Guard::Atom(atom) => letter.get(*atom).copied().flatten().ok_or(*atom),
        Guard::Not(inner) => ternary(inner, letter).map(|truth| !truth),
        Guard::And(left, right) | Guard::Or(left, right) => {
            let deciding = matches!(guard, Guard::Or(..));
            match (ternary(left, letter), ternary(right, letter)) {
                (Ok(truth), _) | (_, Ok(truth)) if truth == deciding => Ok(deciding),
                (Ok(_), other) | (other, Ok(_)) => other,
                (missing, _) => missing,
            }
        }
    }
}
