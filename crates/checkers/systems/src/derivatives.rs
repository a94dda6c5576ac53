//! Partial derivatives of sequences (Antimirov): what is left to match after a letter.
//!
//! Letters may be partial: where the value of an atom is needed that is missing, it is noted. Each derivative is a sequence made of parts of the one it began
//! with, so there are finitely many.

use crate::progression::ternary;
use entail_logic::{Guard, Sequence};
use rustc_hash::FxHashSet;
use std::cell::Cell;
use std::collections::BTreeSet;
use std::hash::Hash;
use std::sync::Arc;

/// What a condition is evaluated on.
#[derive(Clone, Copy)]
pub(crate) enum Letter<'l> {
    /// Values of some atoms; an atom whose value is missing is noted.
    Partial(&'l [Option<bool>], &'l Cell<Option<usize>>),
    /// Every condition is satisfied.
    Anything,
}

impl Letter<'_> {
    /// Whether a condition is satisfied; an atom that is missing is noted.
    pub(crate) fn satisfies(self, guard: &Guard<usize>) -> bool {
        match self {
            Letter::Anything => true,
            Letter::Partial(values, missing) => ternary(guard, values).unwrap_or_else(|atom| {
                missing.set(Some(atom));
                false
            }),
        }
    }
}

/// What comes of every letter: each is decided as far as what is done with it asks.
fn after_every_letter<T>(step: &mut dyn FnMut(Letter<'_>) -> Vec<T>) -> Vec<T> {
    let mut found = Vec::new();
    let mut open: Vec<Vec<Option<bool>>> = vec![Vec::new()];
    while let Some(letter) = open.pop() {
        let missing = Cell::new(None);
        let after = step(Letter::Partial(&letter, &missing));
        let Some(atom) = missing.get() else {
            found.extend(after);
            continue;
        };
        for truth in [true, false] {
            let mut letter = letter.clone();
            letter.resize(letter.len().max(atom + 1), None);
            letter[atom] = Some(truth);
            open.push(letter);
        }
    }
    found
}

/// Whether a sequence has a word of at least one letter, as far as its shape tells: a word whose letters satisfy every condition or, where the earliest match is
/// asked for and that letter may be too good, are letters like others.
pub(crate) fn can_match(sequence: &Arc<Sequence<usize>>) -> bool {
    let left = |rest: &Arc<Sequence<usize>>, letter: Letter<'_>| {
        let terms = derivatives(rest, letter).into_iter();
        terms.map(|rest| (!rest.is_nullable()).then_some(rest)).collect()
    };
    ends_somewhere(sequence, asks_for_first(sequence), &left)
}

/// Whether some word leads to an end, letters being what `can_match` says. `left` tells what a letter leaves of a rest; nothing, if that ends it.
pub(crate) fn ends_somewhere<T: Clone + Eq + Hash>(
    whole: &T,
    asks_for_first: bool,
    left: &dyn Fn(&T, Letter<'_>) -> Vec<Option<T>>,
) -> bool {
    let by_any = |rest: &T| left(rest, Letter::Anything);
    let by_all = |rest: &T| {
        let mut after = after_every_letter(&mut |letter| left(rest, letter));
        after.extend(by_any(rest));
        after
    };
    reaches_an_end(whole, &by_any) || (asks_for_first && reaches_an_end(whole, &by_all))
}

fn reaches_an_end<T: Clone + Eq + Hash>(whole: &T, after: &dyn Fn(&T) -> Vec<Option<T>>) -> bool {
    let mut seen: FxHashSet<T> = FxHashSet::default();
    let mut stack = vec![whole.clone()];
    while let Some(rest) = stack.pop() {
        for after in after(&rest) {
            let Some(after) = after else {
                return true;
            };
            if seen.insert(after.clone()) {
                stack.push(after);
            }
        }
    }
    false
}

/// Whether `first_match` is part of a sequence.
pub(crate) fn asks_for_first(sequence: &Sequence<usize>) -> bool {
    match sequence {
        Sequence::FirstMatch(_) => true,
        Sequence::Empty | Sequence::Guard(_) => false,
        Sequence::Concatenation(left, right)
        | Sequence::Fusion(left, right)
        | Sequence::Union(left, right)
        | Sequence::Intersection(left, right)
        | Sequence::Both(left, right) => asks_for_first(left) || asks_for_first(right),
        Sequence::Repetition { body, .. } | Sequence::Assigning { body, .. } => asks_for_first(body),
    }
}

pub(crate) type Terms = BTreeSet<Arc<Sequence<usize>>>;

fn then(left: Arc<Sequence<usize>>, right: &Arc<Sequence<usize>>) -> Arc<Sequence<usize>> {
    match (&*left, &**right) {
        (Sequence::Empty, _) => right.clone(),
        (_, Sequence::Empty) => left,
        _ => Arc::new(Sequence::Concatenation(left, right.clone())),
    }
}

/// The sequences one of which the rest of a word must match after a letter.
pub(crate) fn derivatives(sequence: &Sequence<usize>, letter: Letter<'_>) -> Terms {
    match sequence {
        Sequence::Empty => Terms::new(),
        Sequence::Guard(guard) => match letter.satisfies(guard) {
            true => Terms::from([Arc::new(Sequence::Empty)]),
            false => Terms::new(),
        },
        Sequence::Concatenation(left, right) => {
            let first = derivatives(left, letter).into_iter();
            let mut terms: Terms = first.map(|rest| then(rest, right)).collect();
            if left.is_nullable() {
                terms.extend(derivatives(right, letter));
            }
            terms
        }
        Sequence::Fusion(left, right) => {
            let mut terms = Terms::new();
            for rest in derivatives(left, letter) {
                if rest.is_nullable() {
                    terms.extend(derivatives(right, letter));
                }
                if *rest != Sequence::Empty {
                    terms.insert(Arc::new(Sequence::Fusion(rest, right.clone())));
                }
            }
            terms
        }
        Sequence::Union(left, right) => {
            let mut terms = derivatives(left, letter);
            terms.extend(derivatives(right, letter));
            terms
        }
        Sequence::Intersection(left, right) => {
            let (left, right) = (derivatives(left, letter), derivatives(right, letter));
            let pairs = left
                .iter()
                .flat_map(|one| right.iter().map(move |other| (one, other)));
            pairs
                .map(|(one, other)| match (&**one, &**other) {
                    (Sequence::Empty, Sequence::Empty) => one.clone(),
                    _ => Arc::new(Sequence::Intersection(one.clone(), other.clone())),
                })
                .collect()
        }
        Sequence::Both(left, right) => {
            // One of them may be over: the other goes on alone.
            let (first, second) = (derivatives(left, letter), derivatives(right, letter));
            let mut terms = Terms::new();
            for one in &first {
                for other in &second {
                    if one.is_nullable() {
                        terms.insert(other.clone());
                    }
                    if other.is_nullable() {
                        terms.insert(one.clone());
                    }
                    terms.insert(Arc::new(Sequence::Both(one.clone(), other.clone())));
                }
            }
            if left.is_nullable() {
                terms.extend(second);
            }
            if right.is_nullable() {
                terms.extend(first);
            }
            terms
        }
        Sequence::Repetition { body, least, most } => {
            let rest = match (most, least) {
                (Some(0), _) => return Terms::new(),
                (Some(1), _) => Arc::new(Sequence::Empty),
                _ => Arc::new(Sequence::Repetition {
                    body: body.clone(),
                    least: least.saturating_sub(1),
                    most: most.map(|most| most - 1),
                }),
            };
            derivatives(body, letter)
                .into_iter()
                .map(|first| then(first, &rest))
                .collect()
        }
        // (Only matches count here that assign the value which the variable's constant has: see `constants.rs`.)
        Sequence::Assigning { body, equal, .. } => {
            let guard = Arc::new(Sequence::Guard(Guard::Atom(*equal)));
            derivatives(&Sequence::Fusion(body.clone(), guard), letter)
        }
        Sequence::FirstMatch(inner) => {
            if inner.is_nullable() {
                return Terms::new();
            }
            let terms = derivatives(inner, letter);
            if terms.iter().any(|term| term.is_nullable()) {
                return Terms::from([Arc::new(Sequence::Empty)]);
            }
            let whole = terms
                .into_iter()
                .reduce(|one, other| Arc::new(Sequence::Union(one, other)));
            whole
                .map(|whole| Arc::new(Sequence::FirstMatch(whole)))
                .into_iter()
                .collect()
        }
    }
}
