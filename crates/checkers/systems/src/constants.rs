//! What constants in the place of local variables show, when a monitor is judged.
//!
//! A monitor of an assertion with local variables reads registers that hold any constants. It sees every word on which the assertion has a truth value if for each of these
//! words there are constants with which it accepts. Here it is said which constants those are, from what runs assign by definition; the form that the monitor was made
//! from plays no part. A word is explained by runs of the sequences of the assertion, and each sequence stands in one of two places:
//!
//! - Some match of it is *chosen* (the antecedent of what is violated, what a cover asks for). The constants are the values that this match assigns, so only letters need be followed
//!   on which a value assigned is that of the constant. A variable gets one value only: not in something that is repeated, nor twice side by side.
//! - All matches are *avoided* (what is violated after an antecedent, or what each match would have to imply). To look only at matches that assign what the constants are leaves some out,
//!   so more words remain to be accepted, whatever the constants are: that is safe. The monitor may know more: where every match assigns at the same distance from its beginning,
//!   the constant is the value there ([`Places`]), and no other letter need be followed.
//!
//! `first_match` turns one place into the other: if matches with other values are left out, a later match is taken for the first. So in an avoided sequence it may
//! assign at known distances only, and in a chosen one it does not stand in itself.
//!
//! What fits into neither is told by name, and the monitor is not judged ([`explained`]).

use entail_logic::{Assertion, Guard, Local, Sequence};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Parts that a sequence is divided into at most.
const MOST_PARTS: usize = 64;

/// Why constants do not explain a word.
pub(crate) type Unexplained = &'static str;

const REPEATED: Unexplained = "a local variable is assigned again and again";
const TWICE: Unexplained = "a local variable is assigned at two places that count together";
const FIRST: Unexplained = "which match is the first depends on values that are not known";

type Explained = Result<BTreeSet<Local>, Unexplained>;

/// Whether constants explain every word on which an assertion has a truth value.
pub(crate) fn explained(assertion: &Assertion<usize>, truth: bool) -> Result<(), Unexplained> {
    settled(assertion, truth, true).map(drop)
}

/// The variables whose constants an assertion settles by having a truth value; `once`: this is asked at one place of a word, not at several.
fn settled(assertion: &Assertion<usize>, truth: bool, once: bool) -> Explained {
    match assertion {
        Assertion::Sequence { sequence, .. } => match truth {
            true => chosen(sequence, once),
            false => avoided(sequence, once),
        },
        Assertion::Not(inner) => settled(inner, !truth, once),
        Assertion::And(left, right) | Assertion::Or(left, right) => {
            let (left, right) = (settled(left, truth, once)?, settled(right, truth, once)?);
            match matches!(assertion, Assertion::And(..)) == truth {
                true => together(left, right),
                false => Ok(&left | &right),
            }
        }
        Assertion::Implication {
            antecedent,
            consequent,
        } => {
            let (first, asked_once) = match truth {
                false => (chosen(antecedent, once)?, once),
                true => {
                    // Matches of one length end at one place.
                    let one_length = length(antecedent).is_some();
                    (avoided(antecedent, once)?, once && one_length)
                }
            };
            together(first, settled(consequent, truth, asked_once)?)
        }
        Assertion::Next { body, .. } | Assertion::Abort { body, .. } => settled(body, truth, once),
        Assertion::Until { left, right, .. } => {
            // True: the left side at many places, the right side at one. False: the other way round.
            let (left, right) = (
                settled(left, truth, once && !truth)?,
                settled(right, truth, once && truth)?,
            );
            together(left, right)
        }
    }
}

/// Two things that both are to be: no variable is settled by both.
fn together(left: BTreeSet<Local>, right: BTreeSet<Local>) -> Explained {
    match left.is_disjoint(&right) {
        true => Ok(&left | &right),
        false => Err(TWICE),
    }
}

fn assigned(sequence: &Sequence<usize>) -> BTreeSet<Local> {
    let mut found = BTreeSet::new();
    sequence.assigned(&mut found);
    found
}

fn chosen(sequence: &Sequence<usize>, once: bool) -> Explained {
    let settled = on_one_run(sequence)?;
    match once || settled.is_empty() {
        true => Ok(settled),
        false => Err(REPEATED),
    }
}

/// The variables that a run may assign, each once.
fn on_one_run(sequence: &Sequence<usize>) -> Explained {
    match sequence {
        Sequence::Empty | Sequence::Guard(_) => Ok(BTreeSet::new()),
        Sequence::Concatenation(left, right)
        | Sequence::Fusion(left, right)
        | Sequence::Intersection(left, right)
        | Sequence::Both(left, right) => together(on_one_run(left)?, on_one_run(right)?),
        Sequence::Union(left, right) => Ok(&on_one_run(left)? | &on_one_run(right)?),
        Sequence::Repetition { body, most, .. } => {
            let settled = on_one_run(body)?;
            match settled.is_empty() || most.is_some_and(|most| most <= 1) {
                true => Ok(settled),
                false => Err(REPEATED),
            }
        }
        Sequence::FirstMatch(inner) => match first_depends_on_values(inner) {
            false => on_one_run(inner),
            true => Err(FIRST),
        },
        Sequence::Assigning { body, local, .. } => together(on_one_run(body)?, BTreeSet::from([*local])),
    }
}

/// Whether `first_match` of something that assigns is part of a sequence.
fn first_depends_on_values(sequence: &Sequence<usize>) -> bool {
    match sequence {
        Sequence::Empty | Sequence::Guard(_) => false,
        Sequence::FirstMatch(inner) => !assigned(inner).is_empty(),
        Sequence::Concatenation(left, right)
        | Sequence::Fusion(left, right)
        | Sequence::Intersection(left, right)
        | Sequence::Both(left, right)
        | Sequence::Union(left, right) => first_depends_on_values(left) || first_depends_on_values(right),
        Sequence::Repetition { body, .. } | Sequence::Assigning { body, .. } => first_depends_on_values(body),
    }
}

fn avoided(sequence: &Sequence<usize>, once: bool) -> Explained {
    let mut settled = BTreeSet::new();
    for part in parts(sequence) {
        let places = Places::of(&part);
        if places.is_none() && first_depends_on_values(&part) {
            return Err(FIRST);
        }
        for (_, local, _) in places.iter().flat_map(|places| &places.at) {
            if !once {
                return Err(REPEATED);
            }
            if !settled.insert(*local) {
                return Err(TWICE);
            }
        }
    }
    Ok(settled)
}

/// The atoms that are true, at distances from where an avoided sequence begins, of the constants that settle it.
pub(crate) fn right_constants(sequence: &Sequence<usize>) -> Vec<(u32, usize)> {
    if assigned(sequence).is_empty() {
        return Vec::new();
    }
    let places = parts(sequence).into_iter().filter_map(|part| Places::of(&part));
    let at = places.flat_map(|places| places.at);
    at.map(|(distance, _, equal)| (distance, equal)).collect()
}

/// Sequences one of which a word matches if it matches the whole, with the alternatives on the outside; the whole alone if there are too many.
fn parts(sequence: &Sequence<usize>) -> Vec<Sequence<usize>> {
    let found = match sequence {
        _ if assigned(sequence).is_empty() => None,
        Sequence::Union(left, right) => {
            let mut all = parts(left);
            all.extend(parts(right));
            Some(all)
        }
        Sequence::Concatenation(left, right) => {
            let (first, second) = (parts(left), parts(right));
            let pairs = first
                .iter()
                .flat_map(|one| second.iter().map(move |other| (one, other)));
            Some(
                pairs
                    .map(|(one, other)| one.clone().then(other.clone()))
                    .collect(),
            )
        }
        _ => None,
    };
    let whole = || vec![sequence.clone()];
    found
        .filter(|found: &Vec<_>| found.len() <= MOST_PARTS)
        .unwrap_or_else(whole)
}

/// The number of letters of all matches, if they have the same.
fn length(sequence: &Sequence<usize>) -> Option<u32> {
    match sequence {
        Sequence::Empty => Some(0),
        Sequence::Guard(_) => Some(1),
        Sequence::Concatenation(left, right) => length(left)?.checked_add(length(right)?),
        Sequence::Fusion(left, right) => length(left)?.checked_add(length(right)?)?.checked_sub(1),
        Sequence::Union(left, right) => length(left).filter(|&one| length(right) == Some(one)),
        Sequence::Intersection(left, right) => length(left).or_else(|| length(right)),
        Sequence::Both(left, right) => Some(length(left)?.max(length(right)?)),
        Sequence::Repetition { body, least, most } => match *most == Some(*least) {
            true => length(body)?.checked_mul(*least),
            false => None,
        },
        Sequence::FirstMatch(body) | Sequence::Assigning { body, .. } => length(body),
    }
}

/// Where a sequence assigns, if all its matches do so at the same distances from their beginning.
struct Places {
    /// Distances, variables, and what is true of a letter on which the value assigned is that of the constant.
    at: Vec<(u32, Local, usize)>,
}

impl Places {
    fn of(sequence: &Sequence<usize>) -> Option<Places> {
        let mut at = Vec::new();
        note_places(sequence, 0, &mut at)?;
        (!at.is_empty()).then_some(Places { at })
    }
}

/// Notes the places of a sequence whose matches begin at a distance; nothing if there are others.
fn note_places(sequence: &Sequence<usize>, begin: u32, at: &mut Vec<(u32, Local, usize)>) -> Option<()> {
    if assigned(sequence).is_empty() {
        return Some(());
    }
    match sequence {
        Sequence::Empty | Sequence::Guard(_) => Some(()),
        Sequence::Concatenation(left, right) | Sequence::Fusion(left, right) => {
            note_places(left, begin, at)?;
            if assigned(right).is_empty() {
                return Some(());
            }
            let shared = u32::from(matches!(sequence, Sequence::Fusion(..)));
            let end = begin.checked_add(length(left)?)?.checked_sub(shared)?;
            note_places(right, end, at)
        }
        Sequence::Intersection(left, right) | Sequence::Both(left, right) => {
            note_places(left, begin, at)?;
            note_places(right, begin, at)
        }
        Sequence::Repetition {
            body,
            least: 1,
            most: Some(1),
        }
        | Sequence::FirstMatch(body) => note_places(body, begin, at),
        Sequence::Union(..) | Sequence::Repetition { .. } => None,
        Sequence::Assigning {
            body, local, equal, ..
        } => {
            note_places(body, begin, at)?;
            let last = begin.checked_add(length(body)?)?.checked_sub(1)?;
            at.push((last, *local, *equal));
            Some(())
        }
    }
}

/// That an atom is true of a letter.
pub(crate) fn atom_is_true(atom: usize) -> Arc<Assertion<usize>> {
    Arc::new(Assertion::guard(Guard::Atom(atom)))
}
