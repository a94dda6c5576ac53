//! Local variables as constants, for those who look for one word.
//!
//! Somebody who looks for a word on which an assertion is false (or true) may guess the values that local variables get in the attempt that shows it: with a
//! constant in the place of each variable, an assignment is the condition that the constant has the value assigned. That is how PSL^pract (Eisner, Fisman,
//! Havlicek) lets an automaton guess and check; a constant is enough because a variable that is assigned again has another number ([`Local`]).
//!
//! A guess is existential. It may be drawn in front of the search where the match that assigns is one that the searcher chooses: of an antecedent, if a
//! violation is looked for. Where *every* match would have to be considered (a sequence that shall fail to match), it may not, unless the word alone tells the value:
//! an assignment at a fixed distance from where the sequence begins. There the guess is bound to the right value, and others show nothing. What is neither
//! is refused ([`NotFrozen`]).
//!
//! **Invariant:** for every word there are constants such that the result has the wanted truth, iff the assertion has it. The cost is linear. Nobody who judges a proof
//! takes this form for the assertion.

use entail_logic::{Assertion, Guard, Local, Sequence};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Why local variables are not constants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotFrozen {
    /// A variable is assigned in something that is repeated.
    Repeated(Local),
    /// All values that a variable may get would have to be looked at together.
    EveryValue(Local),
    /// A variable is assigned on both sides of an operator.
    Twice(Local),
}

impl NotFrozen {
    /// The variable that it is about.
    pub fn local(self) -> Local {
        match self {
            NotFrozen::Repeated(local) | NotFrozen::EveryValue(local) | NotFrozen::Twice(local) => local,
        }
    }
}

/// The assertion with constants in the place of local variables, for a search for a word on which it has the wanted truth.
pub fn frozen<A: Clone + PartialEq>(
    assertion: &Assertion<A>,
    wanted: bool,
) -> Result<Assertion<A>, NotFrozen> {
    freeze(assertion, wanted, false)
}

/// `cut`: some abort may end the evaluation early.
fn freeze<A: Clone + PartialEq>(
    assertion: &Assertion<A>,
    wanted: bool,
    cut: bool,
) -> Result<Assertion<A>, NotFrozen> {
    if assertion.assigned().is_empty() {
        return Ok(assertion.clone());
    }
    Ok(match assertion {
        Assertion::Sequence { sequence, strong } => return asserted(sequence, *strong, wanted, cut),
        Assertion::Not(inner) => freeze(inner, !wanted, cut)?.negated(),
        Assertion::And(left, right) | Assertion::Or(left, right) => {
            let is_and = matches!(assertion, Assertion::And(..));
            // Both sides have to be as wanted: each with values of its own.
            if is_and == wanted {
                disjoint(&left.assigned(), &right.assigned())?;
            }
            let (left, right) = (freeze(left, wanted, cut)?, freeze(right, wanted, cut)?);
            match is_and {
                true => left.and(right),
                false => left.or(right),
            }
        }
        Assertion::Implication {
            antecedent,
            consequent,
        } => {
            let sites = sites(antecedent);
            let there = Assertion::Implication {
                antecedent: Arc::new(freeze_sequence(antecedent)?),
                consequent: Arc::new(freeze(consequent, wanted, cut)?),
            };
            if !wanted {
                return Ok(there);
            }
            // Every match counts: there shall be one, and its values known.
            match sites {
                Some(Sites { length: Some(_), at }) if !cut || at.iter().all(|site| site.0 == 0) => {
                    bound(&at, there, wanted)
                }
                _ => return Err(every_value(&assertion.assigned())),
            }
        }
        Assertion::Next { count, strong, body } => freeze(body, wanted, cut)?.after(*count, *strong),
        Assertion::Until { left, right, strong } => {
            // One of the two is asked at a single place; the other at many.
            let many = if wanted { left } else { right };
            none(&many.assigned())?;
            freeze(left, wanted, cut)?.until(freeze(right, wanted, cut)?, *strong)
        }
        Assertion::Abort {
            condition,
            accept,
            body,
        } => Assertion::Abort {
            condition: condition.clone(),
            accept: *accept,
            body: Arc::new(freeze(body, wanted, true)?),
        },
    })
}

fn none(assigned: &BTreeSet<Local>) -> Result<(), NotFrozen> {
    match assigned.is_empty() {
        true => Ok(()),
        false => Err(every_value(assigned)),
    }
}

fn every_value(assigned: &BTreeSet<Local>) -> NotFrozen {
    NotFrozen::EveryValue(assigned.first().copied().unwrap_or(Local(0)))
}

fn disjoint(left: &BTreeSet<Local>, right: &BTreeSet<Local>) -> Result<(), NotFrozen> {
    match left.intersection(right).next() {
        None => Ok(()),
        Some(&local) => Err(NotFrozen::Twice(local)),
    }
}

/// What is true if the constants that are assigned at known distances have the values assigned there, or is of no use.
fn bound<A: Clone>(at: &[(u32, A)], body: Assertion<A>, wanted: bool) -> Assertion<A> {
    let right = at
        .iter()
        .map(|(distance, equal)| Assertion::guard(Guard::Atom(equal.clone())).after(*distance, true));
    match (right.reduce(Assertion::and), wanted) {
        (None, _) => body,
        (Some(right), true) => right.and(body),
        (Some(right), false) => right.negated().or(body),
    }
}

/// The assignments of a sequence, each made by every match, at the same distance from its beginning.
struct Sites<A> {
    /// The length of all matches, if they have one length.
    length: Option<u32>,
    /// Distances, and what is true where the constant has the right value.
    at: Vec<(u32, A)>,
}

fn assigns<A: Clone>(sequence: &Sequence<A>) -> BTreeSet<Local> {
    let mut found = BTreeSet::new();
    sequence.assigned(&mut found);
    found
}

/// The sequence with constants in the place of local variables.
fn freeze_sequence<A: Clone + PartialEq>(sequence: &Sequence<A>) -> Result<Sequence<A>, NotFrozen> {
    let assigned = assigns(sequence);
    if assigned.is_empty() {
        return Ok(sequence.clone());
    }
    let one = |inner: &Arc<Sequence<A>>| freeze_sequence(inner).map(Arc::new);
    Ok(match sequence {
        Sequence::Empty | Sequence::Guard(_) => sequence.clone(),
        Sequence::Concatenation(left, right) => Sequence::Concatenation(one(left)?, one(right)?),
        Sequence::Fusion(left, right) => Sequence::Fusion(one(left)?, one(right)?),
        Sequence::Union(left, right) => Sequence::Union(one(left)?, one(right)?),
        Sequence::Intersection(left, right) | Sequence::Both(left, right) => {
            disjoint(&assigns(left), &assigns(right))?;
            match sequence {
                Sequence::Both(..) => Sequence::Both(one(left)?, one(right)?),
                _ => Sequence::Intersection(one(left)?, one(right)?),
            }
        }
        Sequence::Repetition {
            body,
            least: 1,
            most: Some(1),
        } => freeze_sequence(body)?,
        Sequence::Repetition { .. } => {
            let local = assigned.first().copied().unwrap_or(Local(0));
            return Err(NotFrozen::Repeated(local));
        }
        // Which match is the first is told by the word only if the values are.
        Sequence::FirstMatch(inner) => match sites(inner) {
            Some(_) => Sequence::FirstMatch(one(inner)?),
            None => return Err(every_value(&assigned)),
        },
        Sequence::Assigning { body, equal, .. } => {
            let equal = Guard::Atom(equal.clone());
            match freeze_sequence(body)? {
                Sequence::Guard(guard) => Sequence::Guard(guard.and(&equal)),
                body => Sequence::Fusion(Arc::new(body), Arc::new(Sequence::Guard(equal))),
            }
        }
    })
}

/// The sequence as an assertion with constants.
fn asserted<A: Clone + PartialEq>(
    sequence: &Sequence<A>,
    strong: bool,
    wanted: bool,
    cut: bool,
) -> Result<Assertion<A>, NotFrozen> {
    let assigned = assigns(sequence);
    let plain = |sequence: Sequence<A>| Assertion::Sequence {
        sequence: Arc::new(sequence),
        strong,
    };
    // A match is chosen, or nothing is assigned.
    if assigned.is_empty() || (wanted && strong) {
        return Ok(plain(freeze_sequence(sequence)?));
    }
    if let Sequence::Union(left, right) = sequence {
        if !wanted {
            disjoint(&assigns(left), &assigns(right))?;
        }
        let left = asserted(left, strong, wanted, cut)?;
        return Ok(left.or(asserted(right, strong, wanted, cut)?));
    }
    // What begins with a letter without assignments is a condition now and the rest later.
    if let Some((first, rest)) = first_letter(sequence).filter(|(_, rest)| !rest.is_nullable()) {
        let rest = asserted(&rest, strong, wanted, cut)?.after(1, true);
        return Ok(match first {
            Guard::Constant(true) => rest,
            first => Assertion::guard(first).and(rest),
        });
    }
    match sites(sequence) {
        Some(Sites { at, .. }) if !cut || at.iter().all(|site| site.0 == 0) => {
            Ok(bound(&at, plain(freeze_sequence(sequence)?), wanted))
        }
        _ => Err(every_value(&assigned)),
    }
}

/// The first letter of a concatenation, if it is one of every match and assigns nothing, and the rest.
fn first_letter<A: Clone + PartialEq>(sequence: &Sequence<A>) -> Option<(Guard<A>, Sequence<A>)> {
    let Sequence::Concatenation(left, right) = sequence else {
        return None;
    };
    match &**left {
        Sequence::Guard(guard) => Some((guard.clone(), (**right).clone())),
        Sequence::Concatenation(..) => {
            let (first, rest) = first_letter(left)?;
            Some((first, rest.then((**right).clone())))
        }
        Sequence::Repetition {
            body,
            least,
            most: Some(most),
        } if least == most => match (&**body, least) {
            (_, 0) => first_letter(right),
            (Sequence::Guard(guard), 1) => Some((guard.clone(), (**right).clone())),
            (Sequence::Guard(guard), _) => {
                let fewer = Sequence::Guard(guard.clone()).repeated(least - 1, Some(least - 1));
                Some((guard.clone(), fewer.then((**right).clone())))
            }
            _ => None,
        },
        _ => None,
    }
}

/// Its assignments, if every match makes them at the same distances.
fn sites<A: Clone + PartialEq>(sequence: &Sequence<A>) -> Option<Sites<A>> {
    let found = |length: Option<u32>, at: Vec<(u32, A)>| Some(Sites { length, at });
    match sequence {
        Sequence::Empty => found(Some(0), Vec::new()),
        Sequence::Guard(_) => found(Some(1), Vec::new()),
        Sequence::Concatenation(left, right) | Sequence::Fusion(left, right) => {
            let (mut left, right) = (sites(left)?, sites(right)?);
            let shared = u32::from(matches!(sequence, Sequence::Fusion(..)));
            if right.at.is_empty() {
                let length = left.length.zip(right.length);
                return found(length.and_then(|(one, other)| sum(one, other, shared)), left.at);
            }
            let before = left.length?;
            for (distance, equal) in right.at {
                left.at.push((sum(before, distance, shared)?, equal));
            }
            let length = right.length.and_then(|other| sum(before, other, shared));
            found(length, left.at)
        }
        Sequence::Union(left, right) => {
            let (left, right) = (sites(left)?, sites(right)?);
            let length = left.length.filter(|_| left.length == right.length);
            (left.at.is_empty() && right.at.is_empty()).then_some(Sites {
                length,
                at: Vec::new(),
            })
        }
        Sequence::Intersection(left, right) | Sequence::Both(left, right) => {
            let (mut left, right) = (sites(left)?, sites(right)?);
            left.at.extend(right.at);
            let length = match sequence {
                Sequence::Both(..) => left.length.zip(right.length).map(|(one, other)| one.max(other)),
                _ => left.length.or(right.length),
            };
            found(length, left.at)
        }
        Sequence::Repetition { body, least, most } => {
            let inner = sites(body)?;
            if !inner.at.is_empty() {
                return match (least, most) {
                    (1, Some(1)) => Some(inner),
                    _ => None,
                };
            }
            let count = Some(*least).filter(|_| *most == Some(*least));
            let length = inner.length.zip(count);
            found(length.and_then(|(one, count)| one.checked_mul(count)), Vec::new())
        }
        Sequence::FirstMatch(inner) => sites(inner),
        Sequence::Assigning { body, equal, .. } => {
            let mut inner = sites(body)?;
            let last = inner.length?.checked_sub(1)?;
            inner.at.push((last, equal.clone()));
            Some(inner)
        }
    }
}

/// The distance of what lies so far behind the end of something, less a letter that both share.
fn sum(before: u32, distance: u32, shared: u32) -> Option<u32> {
    before.checked_add(distance)?.checked_sub(shared)
}
