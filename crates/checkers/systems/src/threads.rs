//! Runs of sequences, letter by letter, each with the values that local variables have in it.
//!
//! This is how a match is defined (IEEE 1800-2017, annex F): a run reads a letter, and either it has matched there, with values of the local variables, or something is left
//! to match. Parts that run side by side (`and`, `intersect`) have values of their own, and give on those of the variables that they assign. A letter beyond the
//! end of a finite word satisfies every condition and assigns nothing.
//!
//! What is left of a run is made of parts of the sequence it began with and of values, so on a lasso there are finitely many as long as values are.

use crate::assertion::AssertionWord;
use crate::derivatives::{Letter, asks_for_first, ends_somewhere};
use entail_logic::{Guard, Local, Sequence};
use entail_model::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Values of local variables.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Locals(Arc<BTreeMap<Local, Value>>);

impl Locals {
    /// The value of a variable, if it has one.
    pub fn get(&self, local: Local) -> Option<&Value> {
        self.0.get(&local)
    }

    /// All variables that have values.
    pub fn iter(&self) -> impl Iterator<Item = (Local, &Value)> {
        self.0.iter().map(|(&local, value)| (local, value))
    }

    fn with(&self, local: Local, value: Value) -> Locals {
        let mut values = (*self.0).clone();
        values.insert(local, value);
        Locals(Arc::new(values))
    }

    /// These values, and those of some variables from elsewhere.
    fn merged(&self, other: &Locals, from_other: &BTreeSet<Local>) -> Locals {
        let taken = from_other
            .iter()
            .filter_map(|&local| Some((local, other.get(local)?)));
        taken.fold(self.clone(), |whole, (local, value)| {
            whole.with(local, value.clone())
        })
    }
}

/// A sequence that is yet to begin or under way.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Thread {
    /// Not begun.
    Begin(Arc<Sequence<usize>>, Locals),
    /// Under way; then a sequence.
    Then(Arc<Thread>, Arc<Sequence<usize>>),
    /// Under way; then a sequence that begins with the last letter.
    Fused(Arc<Thread>, Arc<Sequence<usize>>),
    /// Two under way that end together; the variables that the second assigns.
    Together(Arc<Thread>, Arc<Thread>, Arc<BTreeSet<Local>>),
    /// Two under way, the later of which ends the whole; the variables that the first and the second assign.
    Both(
        Arc<Thread>,
        Arc<Thread>,
        Arc<BTreeSet<Local>>,
        Arc<BTreeSet<Local>>,
    ),
    /// One under way beside one that has ended, with its values; the variables that come from the ended one.
    Beside(Arc<Thread>, Locals, Arc<BTreeSet<Local>>),
    /// Several under way, of which those that end first count.
    First(Vec<Thread>),
    /// Under way; then a variable gets a value.
    Assign(Arc<Thread>, Local, u32),
}

/// What a letter makes of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// The letter was the last one of a match.
    Ended(Locals),
    /// This is left.
    Rest(Thread),
}

/// Where a letter is read.
#[derive(Clone, Copy)]
pub(crate) enum At<'w> {
    /// In a word.
    Position(&'w AssertionWord<'w>, usize),
    /// Beyond its end, or where only the shape of runs counts.
    Letter(Letter<'w>),
}

impl At<'_> {
    fn satisfies(self, guard: &Guard<usize>, locals: &Locals) -> bool {
        match self {
            At::Position(word, position) => word.guard(guard, position, locals),
            At::Letter(letter) => letter.satisfies(guard),
        }
    }

    fn assigned(self, locals: Locals, local: Local, value: u32) -> Locals {
        let found = match self {
            At::Position(word, position) => word.value(value, position, &locals),
            At::Letter(_) => None,
        };
        match found {
            Some(value) => locals.with(local, value),
            None => locals,
        }
    }
}

impl Thread {
    pub(crate) fn new(sequence: &Arc<Sequence<usize>>, locals: &Locals) -> Thread {
        Thread::Begin(sequence.clone(), locals.clone())
    }
}

/// Whether a run can match after more letters, as far as its shape tells (see `derivatives.rs`).
pub(crate) fn can_match(thread: &Thread) -> bool {
    ends_somewhere(thread, waits_for_first(thread), &|rest, letter| {
        let outcomes = step(rest, At::Letter(letter)).into_iter();
        let left = outcomes.map(|outcome| match outcome {
            Outcome::Ended(_) => None,
            Outcome::Rest(rest) => Some(rest),
        });
        left.collect()
    })
}

/// Whether `first_match` is part of what is left.
fn waits_for_first(thread: &Thread) -> bool {
    match thread {
        Thread::First(_) => true,
        Thread::Begin(sequence, _) => asks_for_first(sequence),
        Thread::Then(first, second) | Thread::Fused(first, second) => {
            waits_for_first(first) || asks_for_first(second)
        }
        Thread::Together(left, right, _) | Thread::Both(left, right, ..) => {
            waits_for_first(left) || waits_for_first(right)
        }
        Thread::Beside(rest, ..) | Thread::Assign(rest, ..) => waits_for_first(rest),
    }
}

/// What a letter makes of a run; each outcome once.
pub(crate) fn step(thread: &Thread, at: At<'_>) -> Vec<Outcome> {
    let mut found = Vec::new();
    let mut put = |outcome: Outcome| {
        if !found.contains(&outcome) {
            found.push(outcome);
        }
    };
    match thread {
        Thread::Begin(sequence, locals) => begin(sequence, locals, at, &mut put),
        Thread::Then(first, second) => {
            for outcome in step(first, at) {
                then(outcome, second, &mut put);
            }
        }
        Thread::Fused(first, second) => {
            for outcome in step(first, at) {
                fused(outcome, second, at, &mut put);
            }
        }
        Thread::Together(left, right, from_right) => {
            together(&step(left, at), &step(right, at), from_right, &mut put);
        }
        Thread::Both(left, right, from_left, from_right) => {
            both(
                &step(left, at),
                &step(right, at),
                (from_left, from_right),
                &mut put,
            );
        }
        Thread::Beside(rest, ended, from_ended) => {
            for outcome in step(rest, at) {
                put(match outcome {
                    Outcome::Ended(locals) => Outcome::Ended(locals.merged(ended, from_ended)),
                    Outcome::Rest(rest) => {
                        Outcome::Rest(Thread::Beside(Arc::new(rest), ended.clone(), from_ended.clone()))
                    }
                });
            }
        }
        Thread::First(threads) => {
            let outcomes = threads.iter().flat_map(|thread| step(thread, at)).collect();
            first_of(outcomes, &mut put);
        }
        Thread::Assign(rest, local, value) => {
            for outcome in step(rest, at) {
                assign(outcome, *local, *value, at, &mut put);
            }
        }
    }
    found
}

fn begin(sequence: &Arc<Sequence<usize>>, locals: &Locals, at: At<'_>, put: &mut dyn FnMut(Outcome)) {
    let begun = |sequence: &Arc<Sequence<usize>>| step(&Thread::new(sequence, locals), at);
    match &**sequence {
        Sequence::Empty => {}
        Sequence::Guard(guard) => {
            if at.satisfies(guard, locals) {
                put(Outcome::Ended(locals.clone()));
            }
        }
        Sequence::Concatenation(left, right) => {
            for outcome in begun(left) {
                then(outcome, right, put);
            }
            if left.is_nullable() {
                begun(right).into_iter().for_each(put);
            }
        }
        Sequence::Fusion(left, right) => {
            for outcome in begun(left) {
                fused(outcome, right, at, put);
            }
        }
        Sequence::Union(left, right) => {
            begun(left).into_iter().for_each(&mut *put);
            begun(right).into_iter().for_each(put);
        }
        Sequence::Intersection(left, right) => {
            together(&begun(left), &begun(right), &assigned_by(right), put);
        }
        Sequence::Both(left, right) => {
            let (first, second) = (begun(left), begun(right));
            both(&first, &second, (&assigned_by(left), &assigned_by(right)), put);
            if left.is_nullable() {
                second.into_iter().for_each(&mut *put);
            }
            if right.is_nullable() {
                first.into_iter().for_each(put);
            }
        }
        Sequence::Repetition { body, least, most } => {
            let rest = match most {
                Some(0) => return,
                Some(1) => Arc::new(Sequence::Empty),
                _ => Arc::new(Sequence::Repetition {
                    body: body.clone(),
                    least: least.saturating_sub(1),
                    most: most.map(|most| most - 1),
                }),
            };
            for outcome in begun(body) {
                then(outcome, &rest, put);
            }
        }
        Sequence::FirstMatch(inner) => {
            if !inner.is_nullable() {
                first_of(begun(inner), put);
            }
        }
        Sequence::Assigning {
            body, local, value, ..
        } => {
            for outcome in begun(body) {
                assign(outcome, *local, *value, at, put);
            }
        }
    }
}

fn assigned_by(sequence: &Sequence<usize>) -> Arc<BTreeSet<Local>> {
    let mut found = BTreeSet::new();
    sequence.assigned(&mut found);
    Arc::new(found)
}

/// After what has come of the first part, the second.
fn then(outcome: Outcome, second: &Arc<Sequence<usize>>, put: &mut dyn FnMut(Outcome)) {
    match outcome {
        Outcome::Rest(rest) if **second == Sequence::Empty => put(Outcome::Rest(rest)),
        Outcome::Rest(rest) => put(Outcome::Rest(Thread::Then(Arc::new(rest), second.clone()))),
        Outcome::Ended(locals) => {
            if **second != Sequence::Empty {
                put(Outcome::Rest(Thread::new(second, &locals)));
            }
            if second.is_nullable() {
                put(Outcome::Ended(locals));
            }
        }
    }
}

/// With the last letter of the first part, the second.
fn fused(outcome: Outcome, second: &Arc<Sequence<usize>>, at: At<'_>, put: &mut dyn FnMut(Outcome)) {
    match outcome {
        Outcome::Rest(rest) => put(Outcome::Rest(Thread::Fused(Arc::new(rest), second.clone()))),
        Outcome::Ended(locals) => step(&Thread::new(second, &locals), at).into_iter().for_each(put),
    }
}

fn together(
    left: &[Outcome],
    right: &[Outcome],
    from_right: &Arc<BTreeSet<Local>>,
    put: &mut dyn FnMut(Outcome),
) {
    for one in left {
        for other in right {
            match (one, other) {
                (Outcome::Ended(one), Outcome::Ended(other)) => {
                    put(Outcome::Ended(one.merged(other, from_right)));
                }
                (Outcome::Rest(one), Outcome::Rest(other)) => {
                    let (one, other) = (Arc::new(one.clone()), Arc::new(other.clone()));
                    put(Outcome::Rest(Thread::Together(one, other, from_right.clone())));
                }
                _ => {}
            }
        }
    }
}

fn both(
    left: &[Outcome],
    right: &[Outcome],
    (from_left, from_right): (&Arc<BTreeSet<Local>>, &Arc<BTreeSet<Local>>),
    put: &mut dyn FnMut(Outcome),
) {
    for one in left {
        for other in right {
            put(match (one, other) {
                (Outcome::Ended(one), Outcome::Ended(other)) => Outcome::Ended(one.merged(other, from_right)),
                (Outcome::Ended(ended), Outcome::Rest(rest)) => Outcome::Rest(Thread::Beside(
                    Arc::new(rest.clone()),
                    ended.clone(),
                    from_left.clone(),
                )),
                (Outcome::Rest(rest), Outcome::Ended(ended)) => Outcome::Rest(Thread::Beside(
                    Arc::new(rest.clone()),
                    ended.clone(),
                    from_right.clone(),
                )),
                (Outcome::Rest(one), Outcome::Rest(other)) => {
                    let (one, other) = (Arc::new(one.clone()), Arc::new(other.clone()));
                    Outcome::Rest(Thread::Both(one, other, from_left.clone(), from_right.clone()))
                }
            });
        }
    }
}

/// Those that have ended, if any has; otherwise all go on.
fn first_of(outcomes: Vec<Outcome>, put: &mut dyn FnMut(Outcome)) {
    let mut going = Vec::new();
    let mut is_over = false;
    for outcome in outcomes {
        match outcome {
            Outcome::Ended(locals) => {
                is_over = true;
                put(Outcome::Ended(locals));
            }
            Outcome::Rest(rest) if !going.contains(&rest) => going.push(rest),
            Outcome::Rest(_) => {}
        }
    }
    if !is_over && !going.is_empty() {
        put(Outcome::Rest(Thread::First(going)));
    }
}

fn assign(outcome: Outcome, local: Local, value: u32, at: At<'_>, put: &mut dyn FnMut(Outcome)) {
    put(match outcome {
        Outcome::Ended(locals) => Outcome::Ended(at.assigned(locals, local, value)),
        Outcome::Rest(rest) => Outcome::Rest(Thread::Assign(Arc::new(rest), local, value)),
    });
}
