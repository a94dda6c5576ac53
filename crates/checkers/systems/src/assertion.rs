//! Assertions evaluated on words, by their definition.
//!
//! No automaton takes part: where a sequence matches is found by following its runs letter by letter ([`crate::threads`]), each with the values that local
//! variables have in it; the temporal operators are followed
//! along the word. On a lasso, what is met twice at the same place is not followed again. On a finite word the *weak* view takes what lies beyond for
//! the best (`false` there is `true`: every condition is satisfied), the *strong* view for the worst; negation changes the view. So an assertion that is false in the
//! weak view is false of every continuation, and one that is true in the strong view true of every continuation. In the *neutral* view the word is all there is: what weak operators
//! wait for need not come.

use crate::threads::{At, Locals, Outcome, Thread, can_match, step};
use entail_budget::Budget;
use entail_logic::{Assertion, Guard, Sequence, View};
use entail_model::Value;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::{Cell, RefCell};
use std::sync::Arc;

/// What is true of a word under values of local variables. What is not known is nothing.
pub trait LocalReader {
    /// Whether an atom reads local variables.
    fn reads(&self, atom: usize) -> bool;
    /// The truth of such an atom at a position.
    fn truth(&self, atom: usize, position: usize, locals: &Locals) -> Option<bool>;
    /// The value of an expression that is assigned.
    fn value(&self, expression: u32, position: usize, locals: &Locals) -> Option<Value>;
}

/// Truth values of atoms, letter by letter; with the start of a loop, an infinite word.
pub struct AssertionWord<'r> {
    letters: Vec<Vec<bool>>,
    loop_start: Option<usize>,
    /// Who knows about local variables.
    reader: Option<&'r dyn LocalReader>,
    /// Something was asked of local variables that is not known, or the budget was spent.
    open: Cell<bool>,
    /// What evaluating may spend.
    budget: Option<&'r Budget>,
    /// Whether runs can match at all, as far as their shape tells.
    possible: RefCell<FxHashMap<Thread, bool>>,
}

/// Cut-offs in force: conditions, with the values they read, each with the truth that follows.
type Aborts<'a> = Vec<(&'a Guard<usize>, Locals, bool)>;

impl<'r> AssertionWord<'r> {
    /// A word; the loop starts at a position of it.
    pub fn new(letters: Vec<Vec<bool>>, loop_start: Option<usize>) -> AssertionWord<'r> {
        let loop_start = loop_start.filter(|&start| start < letters.len());
        AssertionWord {
            letters,
            loop_start,
            reader: None,
            open: Cell::new(false),
            budget: None,
            possible: RefCell::default(),
        }
    }

    /// The word with somebody who knows about local variables.
    #[must_use]
    pub fn with_locals(mut self, reader: &'r dyn LocalReader) -> AssertionWord<'r> {
        self.reader = Some(reader);
        self
    }

    /// The word, which is evaluated as long as a budget allows.
    #[must_use]
    pub fn within(mut self, budget: &'r Budget) -> AssertionWord<'r> {
        self.budget = Some(budget);
        self
    }

    /// Whether something was asked of local variables that is not known, or the budget was spent: then no answer counts.
    pub fn is_open(&self) -> bool {
        self.open.get()
    }

    /// Whether an assertion is true of the word. The view matters to finite words only.
    pub fn holds(&self, assertion: &Assertion<usize>, view: View) -> bool {
        self.truth(assertion, 0, view, &Locals::default(), &mut Vec::new())
    }

    /// Number of letters.
    pub(crate) fn len(&self) -> usize {
        self.letters.len()
    }

    pub(crate) fn successor(&self, position: usize) -> Option<usize> {
        match position + 1 < self.letters.len() {
            true => Some(position + 1),
            false => self.loop_start,
        }
    }

    pub(crate) fn guard(&self, guard: &Guard<usize>, position: usize, locals: &Locals) -> bool {
        guard.evaluate(
            &mut |&atom| match self.reader.filter(|reader| reader.reads(atom)) {
                None => self.letters[position].get(atom).copied().unwrap_or(false),
                Some(reader) => reader.truth(atom, position, locals).unwrap_or_else(|| {
                    self.open.set(true);
                    false
                }),
            },
        )
    }

    pub(crate) fn value(&self, expression: u32, position: usize, locals: &Locals) -> Option<Value> {
        let value = self
            .reader
            .and_then(|reader| reader.value(expression, position, locals));
        if value.is_none() {
            self.open.set(true);
        }
        value
    }

    /// What the cut-offs in force say at a position, the outermost first.
    fn aborted(&self, aborts: &Aborts<'_>, position: usize) -> Option<bool> {
        let found = aborts
            .iter()
            .find(|(condition, locals, _)| self.guard(condition, position, locals));
        found.map(|(_, _, truth)| *truth)
    }

    /// The truth at a position, or beyond the end of a finite word.
    fn at<'a>(
        &self,
        assertion: &'a Assertion<usize>,
        position: Option<usize>,
        view: View,
        locals: &Locals,
        aborts: &mut Aborts<'a>,
    ) -> bool {
        match position.filter(|&position| position < self.letters.len()) {
            None => view == View::Weak,
            Some(position) => match self.aborted(aborts, position) {
                Some(truth) => truth,
                None => self.truth(assertion, position, view, locals, aborts),
            },
        }
    }

    /// The truth at a position where no cut-off in force applies.
    fn truth<'a>(
        &self,
        assertion: &'a Assertion<usize>,
        position: usize,
        view: View,
        locals: &Locals,
        aborts: &mut Aborts<'a>,
    ) -> bool {
        if position >= self.letters.len() {
            return view == View::Weak;
        }
        if self.open.get() || self.budget.is_some_and(|budget| budget.check().is_err()) {
            self.open.set(true);
            return false;
        }
        match assertion {
            Assertion::Sequence { sequence, strong } => {
                let mut end = self.follow(sequence, position, locals, aborts, &mut |_, _| Some(true));
                if let Some(truth) = end.decided.take() {
                    return truth;
                }
                // Not matched: alive beyond the end, going round forever, or dead.
                (end.beyond && view.beyond(*strong)) || (end.forever && !strong)
            }
            Assertion::Implication {
                antecedent,
                consequent,
            } => {
                let in_force = aborts.clone();
                let end = self.follow(antecedent, position, locals, &in_force, &mut |place, locals| {
                    (!self.truth(consequent, place, view, locals, aborts)).then_some(false)
                });
                end.decided.unwrap_or(!(end.beyond && view == View::Strong))
            }
            Assertion::Not(inner) => {
                let mut turned: Aborts<'a> = aborts
                    .iter()
                    .map(|(condition, locals, truth)| (*condition, locals.clone(), !truth))
                    .collect();
                !self.truth(inner, position, view.of_negation(), locals, &mut turned)
            }
            Assertion::And(left, right) => {
                self.truth(left, position, view, locals, aborts)
                    && self.truth(right, position, view, locals, aborts)
            }
            Assertion::Or(left, right) => {
                self.truth(left, position, view, locals, aborts)
                    || self.truth(right, position, view, locals, aborts)
            }
            Assertion::Next { count, strong, body } => {
                let mut place = Some(position);
                for _ in 0..*count {
                    place = place.and_then(|place| self.successor(place));
                    // A cut-off on the way decides as well.
                    match place.map(|place| self.aborted(aborts, place)) {
                        None => return view.beyond(*strong),
                        Some(Some(truth)) => return truth,
                        Some(None) => {}
                    }
                }
                self.at(body, place, view, locals, aborts)
            }
            Assertion::Until { left, right, strong } => {
                let mut seen = FxHashSet::default();
                let mut place = Some(position);
                while let Some(here) = place.filter(|_| !self.open.get()) {
                    if !seen.insert(here) {
                        return !strong;
                    }
                    if here != position
                        && let Some(truth) = self.aborted(aborts, here)
                    {
                        return truth;
                    }
                    if self.truth(right, here, view, locals, aborts) {
                        return true;
                    }
                    if !self.truth(left, here, view, locals, aborts) {
                        return false;
                    }
                    place = self.successor(here);
                }
                view.beyond(*strong)
            }
            Assertion::Abort {
                condition,
                accept,
                body,
            } => {
                if self.guard(condition, position, locals) {
                    return *accept;
                }
                aborts.push((condition, locals.clone(), *accept));
                let truth = self.truth(body, position, view, locals, aborts);
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
        locals: &Locals,
        aborts: &Aborts<'_>,
        matched: &mut dyn FnMut(usize, &Locals) -> Option<bool>,
    ) -> Followed {
        let mut result = Followed::default();
        let mut seen: FxHashMap<(usize, Thread), usize> = FxHashMap::default();
        let mut edges: Vec<Vec<usize>> = Vec::new();
        let mut stack = Vec::new();
        let start = (position, Thread::new(sequence, locals));
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
            let at = At::Position(self, place);
            for outcome in step(&rest, at) {
                let after = match outcome {
                    Outcome::Ended(locals) => match matched(place, &locals) {
                        None => continue,
                        decided => {
                            result.decided = decided;
                            return result;
                        }
                    },
                    Outcome::Rest(after) if self.can_go_on(&after) => after,
                    Outcome::Rest(_) => continue,
                };
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

    /// Whether a run can match after more letters, as far as its shape tells.
    fn can_go_on(&self, thread: &Thread) -> bool {
        if let Some(&known) = self.possible.borrow().get(thread) {
            return known;
        }
        let found = can_match(thread);
        self.possible.borrow_mut().insert(thread.clone(), found);
        found
    }
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
