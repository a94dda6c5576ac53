//! Assertions evaluated on words, by their definition.
//!
//! No automaton takes part: where a sequence matches is found by partial derivatives (Antimirov), letter by letter; the temporal operators are followed
//! along the word. On a lasso, what is met twice at the same place is not followed again. On a finite word the *weak* view takes what lies beyond for
//! the best (`false` there is `true`: every condition is satisfied), the *strong* view for the worst; negation changes the view. So an assertion that is false in the
//! weak view is false of every continuation, and one that is true in the strong view true of every continuation.

use crate::progression::ternary;
use entail_logic::{Assertion, Guard, Sequence};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::sync::Arc;

/// How the end of a finite word is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum View {
    /// What lies beyond is for the best.
    Weak,
    /// What lies beyond is for the worst.
    Strong,
}

impl View {
    fn other(self) -> View {
        match self {
            View::Weak => View::Strong,
            View::Strong => View::Weak,
        }
    }
}

/// Truth values of atoms, letter by letter; with the start of a loop, an infinite word.
#[derive(Debug)]
pub struct AssertionWord {
    letters: Vec<Vec<bool>>,
    loop_start: Option<usize>,
    /// Whether sequences can match at all, as far as their shape tells.
    possible: RefCell<FxHashMap<Arc<Sequence<usize>>, bool>>,
}

/// What a condition is evaluated on.
#[derive(Clone, Copy)]
pub(crate) enum Letter<'l> {
    /// Values of the atoms.
    Values(&'l [bool]),
    /// Values of some atoms; an atom whose value is missing is noted.
    Partial(&'l [Option<bool>], &'l Cell<Option<usize>>),
    /// Every condition is satisfied.
    Anything,
}

/// Cut-offs in force: conditions, each with the truth that follows.
type Aborts<'a> = Vec<(&'a Guard<usize>, bool)>;

impl AssertionWord {
    /// A word; the loop starts at a position of it.
    pub fn new(letters: Vec<Vec<bool>>, loop_start: Option<usize>) -> AssertionWord {
        let loop_start = loop_start.filter(|&start| start < letters.len());
        AssertionWord {
            letters,
            loop_start,
            possible: RefCell::default(),
        }
    }

    /// Whether an assertion is true of the word. The view matters to finite words only.
    pub fn holds(&self, assertion: &Assertion<usize>, view: View) -> bool {
        self.truth(assertion, 0, view, &mut Vec::new())
    }

    fn successor(&self, position: usize) -> Option<usize> {
        match position + 1 < self.letters.len() {
            true => Some(position + 1),
            false => self.loop_start,
        }
    }

    fn guard(&self, guard: &Guard<usize>, position: usize) -> bool {
        satisfies(Letter::Values(&self.letters[position]), guard)
    }

    /// What the cut-offs in force say at a position, the outermost first.
    fn aborted(&self, aborts: &Aborts<'_>, position: usize) -> Option<bool> {
        let found = aborts
            .iter()
            .find(|(condition, _)| self.guard(condition, position));
        found.map(|(_, truth)| *truth)
    }

    /// The truth at a position, or beyond the end of a finite word.
    fn at<'a>(
        &self,
        assertion: &'a Assertion<usize>,
        position: Option<usize>,
        view: View,
        aborts: &mut Aborts<'a>,
    ) -> bool {
        match position.filter(|&position| position < self.letters.len()) {
            None => view == View::Weak,
            Some(position) => match self.aborted(aborts, position) {
                Some(truth) => truth,
                None => self.truth(assertion, position, view, aborts),
            },
        }
    }

    /// The truth at a position where no cut-off in force applies.
    fn truth<'a>(
        &self,
        assertion: &'a Assertion<usize>,
        position: usize,
        view: View,
        aborts: &mut Aborts<'a>,
    ) -> bool {
        if position >= self.letters.len() {
            return view == View::Weak;
        }
        match assertion {
            Assertion::Sequence { sequence, strong } => {
                let mut end = self.follow(sequence, position, aborts, &mut |_| Some(true));
                if let Some(truth) = end.decided.take() {
                    return truth;
                }
                // Not matched: alive beyond the end, going round forever, or dead.
                (end.beyond && view == View::Weak) || (end.forever && !strong)
            }
            Assertion::Implication {
                antecedent,
                consequent,
            } => {
                let in_force = aborts.clone();
                let end = self.follow(antecedent, position, &in_force, &mut |place| {
                    (!self.truth(consequent, place, view, aborts)).then_some(false)
                });
                end.decided.unwrap_or(!(end.beyond && view == View::Strong))
            }
            Assertion::Not(inner) => {
                let mut turned: Aborts<'a> = aborts
                    .iter()
                    .map(|(condition, truth)| (*condition, !truth))
                    .collect();
                !self.truth(inner, position, view.other(), &mut turned)
            }
            Assertion::And(left, right) => {
                self.truth(left, position, view, aborts) && self.truth(right, position, view, aborts)
            }
            Assertion::Or(left, right) => {
                self.truth(left, position, view, aborts) || self.truth(right, position, view, aborts)
            }
            Assertion::Next { count, body } => {
                let mut place = Some(position);
                for _ in 0..*count {
                    place = place.and_then(|place| self.successor(place));
                    // A cut-off on the way decides as well.
                    match place.map(|place| self.aborted(aborts, place)) {
                        None => return view == View::Weak,
                        Some(Some(truth)) => return truth,
                        Some(None) => {}
                    }
                }
                self.at(body, place, view, aborts)
            }
            Assertion::Until { left, right, strong } => {
                let mut seen = FxHashSet::default();
                let mut place = Some(position);
                while let Some(here) = place {
                    if !seen.insert(here) {
                        return !strong;
                    }
                    if here != position
                        && let Some(truth) = self.aborted(aborts, here)
                    {
                        return truth;
                    }
                    if self.truth(right, here, view, aborts) {
                        return true;
                    }
                    if !self.truth(left, here, view, aborts) {
                        return false;
                    }
                    place = self.successor(here);
                }
                view == View::Weak
            }
            Assertion::Abort {
                condition,
                accept,
                body,
            } => {
                if self.guard(condition, position) {
                    return *accept;
                }
                aborts.push((condition, *accept));
                let truth = self.truth(body, position, view, aborts);
                aborts.pop();
                truth
            }
        }
    }

    /// Follows a sequence from a position: what is asked where a match ends may decide. A cut-off decides for the run that meets it.
    fn follow(
        &self,
        sequence: &Arc<Sequence<usize>>,
        position: usize,
        aborts: &Aborts<'_>,
        matched: &mut dyn FnMut(usize) -> Option<bool>,
    ) -> Followed {
        let mut result = Followed::default();
        let mut seen: FxHashMap<(usize, Arc<Sequence<usize>>), usize> = FxHashMap::default();
        let mut edges: Vec<Vec<usize>> = Vec::new();
        let mut stack = Vec::new();
        let start = (position, sequence.clone());
        seen.insert(start.clone(), 0);
        edges.push(Vec::new());
        stack.push((start, 0));
        let mut cut = None;
        while let Some(((place, rest), number)) = stack.pop() {
            if (place != position || number != 0)
                && let Some(truth) = self.aborted(aborts, place)
            {
                cut = Some(truth);
                continue;
            }
            for after in derivatives(&rest, Letter::Values(&self.letters[place])) {
                if after.is_nullable()
                    && let Some(truth) = matched(place)
                {
                    result.decided = Some(truth);
                    return result;
                }
                if !self.can_go_on(&after) {
                    continue;
                }
                match self.successor(place) {
                    None => result.beyond = true,
                    Some(next) => {
                        let key = (next, after);
                        let count = edges.len();
                        let target = *seen.entry(key.clone()).or_insert(count);
                        if target == count {
                            edges.push(Vec::new());
                            stack.push((key, target));
                        }
                        edges[number].push(target);
                    }
                }
            }
        }
        // Runs are at the same place at the same time: a cut-off meets all that are still alive.
        result.forever = has_cycle(&edges);
        result.decided = cut;
        result
    }

    /// Whether a sequence has a word of at least one letter, as far as its shape tells.
    fn can_go_on(&self, sequence: &Arc<Sequence<usize>>) -> bool {
        if let Some(&known) = self.possible.borrow().get(sequence) {
            return known;
        }
        let found = can_match(sequence);
        self.possible.borrow_mut().insert(sequence.clone(), found);
        found
    }
}

/// Whether a sequence has a word of at least one letter, as far as its shape tells.
pub(crate) fn can_match(sequence: &Arc<Sequence<usize>>) -> bool {
    let mut seen: FxHashSet<Arc<Sequence<usize>>> = FxHashSet::default();
    let mut stack = vec![sequence.clone()];
    while let Some(rest) = stack.pop() {
        for after in derivatives(&rest, Letter::Anything) {
            if after.is_nullable() {
                return true;
            }
            if seen.insert(after.clone()) {
                stack.push(after);
            }
        }
    }
    false
}

/// What was found on following a sequence.
#[derive(Default)]
struct Followed {
    /// A match, or a cut-off, decided.
    decided: Option<bool>,
    /// Some run is alive at the end of the finite word.
    beyond: bool,
    /// Some run goes on forever.
    forever: bool,
}

fn has_cycle(edges: &[Vec<usize>]) -> bool {
    // 0: not seen, 1: on the way, 2: done.
    let mut colour = vec![0_u8; edges.len()];
    for root in 0..edges.len() {
        if colour[root] != 0 {
            continue;
        }
        let mut stack = vec![(root, 0)];
        colour[root] = 1;
        while let Some((node, next)) = stack.pop() {
            match edges[node].get(next) {
                None => colour[node] = 2,
                Some(&target) => {
                    stack.push((node, next + 1));
                    match colour[target] {
                        0 => {
                            colour[target] = 1;
                            stack.push((target, 0));
                        }
                        1 => return true,
                        _ => {}
                    }
                }
            }
        }
    }
    false
}

fn satisfies(letter: Letter<'_>, guard: &Guard<usize>) -> bool {
    match letter {
        Letter::Anything => true,
        Letter::Partial(values, missing) => ternary(guard, values).unwrap_or_else(|atom| {
            missing.set(Some(atom));
            false
        }),
        Letter::Values(values) => guard.evaluate(&mut |&atom| values.get(atom).copied().unwrap_or(false)),
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
        Sequence::Guard(guard) => match satisfies(letter, guard) {
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
