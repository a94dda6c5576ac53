//! Ordering the conditions of a conjunction.
//!
//! The scheduler keeps the conditions that are still pending and how many unknowns each has left, as in unit propagation:
//!
//! 1. A condition without unknowns is tested at once.
//! 2. An equality with one unknown alone on a side, or a literal, determines that unknown.
//! 3. A conjunction under known escapes, `e | a & b`, is taken apart into `e | a` and `e | b`: implications with known
//!    premises are conditions on each of their conclusions.
//! 4. When nothing is determined, the cheapest of these is taken: split a disjunction, a choice or an equivalence
//!    into alternatives, each scheduled in the same way; or count through the domain of an unknown, preferably one
//!    that lets other conditions determine something (a process selector, an input).
//!
//! After a split every unknown of the split condition is known in every alternative, so what comes after it is scheduled
//! once. An alternative that leaves such an unknown open looks for another pending condition that restricts it before it
//! counts through its domain. Without splits nested in splits the cost is linear in the size of the conditions, apart from
//! the choice in rule 4.

use super::condition::{Condition, make_distinct, test};
use super::estimate::Estimates;
use super::support::Supports;
use super::{Literal, Plan, Step, Unknown, Unknowns};
use entail_model::{Op, Sort, TermId, Terms};
use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;
use std::collections::VecDeque;
use std::rc::Rc;

/// Domains up to this size are counted through rather than split around.
const SMALL: f64 = 8.0;

/// How often a plan may use a condition twice to narrow an unknown down.
const MOST_HELPERS: u32 = 10_000;

/// Plans one conjunction.
pub(crate) struct Scheduler<'a> {
    pub(super) terms: &'a Terms,
    unknowns: &'a Unknowns,
    supports: Supports,
    estimates: Estimates,
    known: Vec<bool>,
    /// Unknowns in the order they became known.
    trail: Vec<Unknown>,
    /// The conjunctions around the present one, innermost last.
    pub(super) scopes: Vec<Scope>,
    /// How often another condition may still be looked for; a guard against plans that grow exponentially.
    helpers_left: u32,
}

#[derive(Debug, Default)]
pub(super) struct Scope {
    pub pending: Vec<Pending>,
    watchers: HashMap<Unknown, Vec<u32>, FxBuildHasher>,
    testable: VecDeque<u32>,
    single: VecDeque<u32>,
}

#[derive(Debug)]
pub(super) struct Pending {
    pub condition: Condition,
    /// Unknowns left, as seen by the scope itself.
    open: u32,
    pub done: bool,
}

/// What to do when nothing is determined.
enum Move {
    Split(u32),
    Count(Unknown),
}

impl<'a> Scheduler<'a> {
    /// A scheduler for conditions built from the given roots.
    pub fn new(terms: &'a Terms, unknowns: &'a Unknowns, roots: &[TermId]) -> Scheduler<'a> {
        Scheduler {
            terms,
            unknowns,
            supports: Supports::new(terms, roots, unknowns),
            estimates: Estimates::default(),
            known: vec![false; unknowns.len()],
            trail: Vec::new(),
            scopes: Vec::new(),
            helpers_left: MOST_HELPERS,
        }
    }

    /// A plan for all conditions that also gives a value to each unknown in `wanted`.
    pub fn plan(&mut self, conditions: &[TermId], wanted: impl IntoIterator<Item = Unknown>) -> Plan {
        let literals = conditions.iter().map(|&term| Literal::new(term, true)).collect();
        let mut plan = self.conjunction(literals);
        for unknown in wanted {
            if !self.known[unknown.index()] {
                plan.push(Step::Each(unknown));
                self.learn(unknown);
            }
        }
        plan
    }

    fn learn(&mut self, unknown: Unknown) {
        debug_assert!(!self.known[unknown.index()]);
        self.known[unknown.index()] = true;
        self.trail.push(unknown);
        if let Some(scope) = self.scopes.last_mut() {
            let Scope {
                pending,
                watchers,
                testable,
                single,
            } = scope;
            for &number in watchers.get(&unknown).into_iter().flatten() {
                let pending = &mut pending[number as usize];
                pending.open -= 1;
                match pending.open {
                    _ if pending.done => {}
                    0 => testable.push_back(number),
                    1 => single.push_back(number),
                    _ => {}
                }
            }
        }
    }

    /// Forgets what was learned since the trail had this length. Only for unknowns learned in inner scopes.
    fn forget(&mut self, length: usize) {
        for unknown in self.trail.drain(length..) {
            self.known[unknown.index()] = false;
        }
    }

    pub(super) fn open_unknowns(&self, term: TermId) -> impl Iterator<Item = Unknown> + '_ {
        self.supports
            .of(term)
            .iter()
            .copied()
            .filter(|unknown| !self.known[unknown.index()])
    }

    pub(super) fn is_known(&self, term: TermId) -> bool {
        self.open_unknowns(term).next().is_none()
    }

    // ----- a conjunction -----

    fn conjunction(&mut self, literals: Vec<Literal>) -> Plan {
        stacker::maybe_grow(128 * 1024, 4 * 1024 * 1024, || {
            self.conjunction_in_new_scope(literals)
        })
    }

    fn conjunction_in_new_scope(&mut self, literals: Vec<Literal>) -> Plan {
        let none: Rc<[Literal]> = Rc::from([]);
        let stack = literals.into_iter().rev();
        let mut conditions = Vec::new();
        if !self.flatten(
            stack.map(|literal| (Rc::clone(&none), literal)).collect(),
            &mut conditions,
        ) {
            return vec![Step::Never];
        }
        self.scopes.push(Scope::default());
        self.watch(conditions);
        let mut plan = Plan::new();
        loop {
            self.propagate(&mut plan);
            if self.distribute() {
                continue;
            }
            match self.choose_move() {
                None => break,
                Some(Move::Split(number)) => {
                    let pending = &mut self.scope().pending[number as usize];
                    pending.done = true;
                    let condition = pending.condition.clone();
                    let step = self.split(&condition);
                    plan.push(step);
                    let learned: Vec<Unknown> = self.open_unknowns(condition.literal.term).collect();
                    for unknown in learned {
                        self.learn(unknown);
                    }
                }
                Some(Move::Count(unknown)) => self.restrict(unknown, &mut plan),
            }
        }
        self.scopes.pop();
        plan
    }

    /// Adds conditions to the present scope.
    pub(super) fn watch(&mut self, conditions: Vec<Condition>) {
        for condition in conditions {
            let unknowns: Vec<Unknown> = self.open_unknowns(condition.literal.term).collect();
            let scope = self.scope();
            let number = scope.pending.len() as u32;
            let open = unknowns.len() as u32;
            for unknown in unknowns {
                scope.watchers.entry(unknown).or_default().push(number);
            }
            match open {
                0 => scope.testable.push_back(number),
                1 => scope.single.push_back(number),
                _ => {}
            }
            scope.pending.push(Pending {
                condition,
                open,
                done: false,
            });
        }
    }

    pub(super) fn scope(&mut self) -> &mut Scope {
        self.scopes.last_mut().expect("inside a conjunction")
    }

    /// Rules 1 and 2, as long as they apply.
    fn propagate(&mut self, plan: &mut Plan) {
        loop {
            if let Some(number) = self.scope().testable.pop_front() {
                let pending = &mut self.scope().pending[number as usize];
                if !pending.done {
                    pending.done = true;
                    let condition = pending.condition.clone();
                    plan.push(test(&condition));
                }
            } else if let Some(number) = self.scope().single.pop_front() {
                let pending = &self.scope().pending[number as usize];
                if pending.done || pending.open != 1 {
                    continue;
                }
                let condition = pending.condition.clone();
                if let Some((step, unknown)) = self.determines(&condition) {
                    self.scope().pending[number as usize].done = true;
                    plan.push(step);
                    self.learn(unknown);
                }
            } else {
                return;
            }
        }
    }

    /// The step by which a condition with one unknown left determines it, if it does.
    fn determines(&self, condition: &Condition) -> Option<(Step, Unknown)> {
        if !condition.escapes.is_empty() {
            return None;
        }
        let literal = condition.literal;
        let free = |term| {
            self.unknowns
                .of_term(self.terms, term)
                .filter(|unknown| !self.known[unknown.index()])
        };
        if let Some(unknown) = free(literal.term) {
            let step = Step::Decide {
                unknown,
                truth: literal.positive,
            };
            return Some((step, unknown));
        }
        let operands = self.terms.operands(literal.term);
        if *self.terms.op(literal.term) != Op::Equal
            || !(literal.positive || *self.terms.sort(operands[0]) == Sort::Bool)
        {
            return None;
        }
        [(operands[0], operands[1]), (operands[1], operands[0])]
            .into_iter()
            .find_map(|(side, value)| {
                let unknown = free(side)?;
                let step = Step::Assign {
                    unknown,
                    value,
                    negated: !literal.positive,
                };
                self.is_known(value).then_some((step, unknown))
            })
    }

    // ----- when nothing is determined -----

    fn choose_move(&mut self) -> Option<Move> {
        let scope = self.scopes.last().expect("inside a conjunction");
        let mut best_split: Option<(f64, u32)> = None;
        // Unknowns of pending conditions, with the number of conditions that would then determine or test something.
        let mut unlocks: HashMap<Unknown, u32, FxBuildHasher> = HashMap::default();
        for (number, pending) in scope.pending.iter().enumerate() {
            if pending.done {
                continue;
            }
            let literal = pending.condition.literal;
            let mut open = self.open_unknowns(literal.term);
            let single = (pending.open == 1).then(|| open.next()).flatten();
            drop(open);
            if self.is_splittable(&pending.condition) {
                let estimate = self
                    .estimates
                    .of(literal, self.terms, self.unknowns, &self.supports);
                let worth = single.is_none_or(|unknown| estimate < self.unknowns.get(unknown).size);
                if worth && best_split.is_none_or(|(least, _)| estimate < least) {
                    best_split = Some((estimate, number as u32));
                }
            }
            match single {
                Some(unknown) => *unlocks.entry(unknown).or_default() += 1,
                None => {
                    for unknown in self.open_unknowns(literal.term) {
                        let gain = u32::from(self.would_determine(literal, unknown));
                        *unlocks.entry(unknown).or_default() += gain;
                    }
                }
            }
        }
        let size = |unknown: &Unknown| self.unknowns.get(*unknown).size;
        let best_count = unlocks
            .iter()
            .filter(|(_, gain)| **gain > 0)
            .min_by(|(a, gain_a), (b, gain_b)| {
                let rank = |unknown: &Unknown, gain: u32| size(unknown) / f64::from(1 + gain);
                rank(a, **gain_a).total_cmp(&rank(b, **gain_b)).then(a.cmp(b))
            })
            .map(|(unknown, _)| *unknown);
        match (best_split, best_count) {
            (Some((estimate, _)), Some(unknown)) if size(&unknown) <= estimate.max(SMALL) => {
                Some(Move::Count(unknown))
            }
            (Some((_, number)), _) => Some(Move::Split(number)),
            (None, Some(unknown)) => Some(Move::Count(unknown)),
            (None, None) => unlocks
                .keys()
                .min_by(|a, b| size(a).total_cmp(&size(b)).then(a.cmp(b)))
                .map(|&unknown| Move::Count(unknown)),
        }
    }

    /// Whether the condition would determine another unknown if this one were known.
    fn would_determine(&self, literal: Literal, unknown: Unknown) -> bool {
        let operands = self.terms.operands(literal.term);
        *self.terms.op(literal.term) == Op::Equal
            && (literal.positive || *self.terms.sort(operands[0]) == Sort::Bool)
            && [(operands[0], operands[1]), (operands[1], operands[0])]
                .into_iter()
                .any(|(side, value)| {
                    let open_side = self
                        .unknowns
                        .of_term(self.terms, side)
                        .is_some_and(|side| side != unknown && !self.known[side.index()]);
                    open_side && self.open_unknowns(value).all(|open| open == unknown)
                })
    }

    fn is_splittable(&self, condition: &Condition) -> bool {
        let literal = condition.literal;
        let guarded = !condition.escapes.is_empty() && self.open_unknowns(literal.term).nth(1).is_none();
        guarded || self.is_splittable_literal(literal)
    }

    fn is_splittable_literal(&self, literal: Literal) -> bool {
        match (self.terms.op(literal.term), literal.positive) {
            (Op::Or, true) | (Op::And, false) | (Op::Ite, _) => true,
            (Op::Equal, _) => *self.terms.sort(self.terms.operands(literal.term)[0]) == Sort::Bool,
            _ => false,
        }
    }

    // ----- splitting -----

    fn split(&mut self, condition: &Condition) -> Step {
        let literal = condition.literal;
        if condition.escapes.is_empty() {
            return self.split_literal(literal);
        }
        let wanted: Vec<Unknown> = self.open_unknowns(literal.term).collect();
        Step::Branch {
            any_of: condition.escapes.to_vec(),
            then: self.alternative(Vec::new(), &wanted),
            otherwise: self.alternative(vec![literal], &wanted),
        }
    }

    fn split_literal(&mut self, literal: Literal) -> Step {
        let operands = self.terms.operands(literal.term);
        let wanted: Vec<Unknown> = self.open_unknowns(literal.term).collect();
        let with = |term, positive| Literal::new(term, positive);
        match self.terms.op(literal.term) {
            Op::Ite if self.is_known(operands[0]) => Step::Branch {
                any_of: vec![with(operands[0], true)],
                then: self.alternative(vec![with(operands[1], literal.positive)], &wanted),
                otherwise: self.alternative(vec![with(operands[2], literal.positive)], &wanted),
            },
            Op::Ite => Step::Alternatives(vec![
                self.alternative(
                    vec![with(operands[0], true), with(operands[1], literal.positive)],
                    &wanted,
                ),
                self.alternative(
                    vec![with(operands[0], false), with(operands[2], literal.positive)],
                    &wanted,
                ),
            ]),
            Op::Equal => {
                let alternative = |scheduler: &mut Self, truth: bool| {
                    let second = with(operands[1], truth == literal.positive);
                    scheduler.alternative(vec![with(operands[0], truth), second], &wanted)
                };
                Step::Alternatives(vec![alternative(self, true), alternative(self, false)])
            }
            _ => {
                let (known, open): (Vec<Literal>, Vec<Literal>) = operands
                    .iter()
                    .map(|&operand| with(operand, literal.positive))
                    .partition(|operand| self.is_known(operand.term));
                let mut alternatives: Vec<Plan> = open
                    .into_iter()
                    .map(|operand| self.alternative(vec![operand], &wanted))
                    .collect();
                make_distinct(&mut alternatives);
                let alternatives = Step::Alternatives(alternatives);
                if known.is_empty() {
                    return alternatives;
                }
                Step::Branch {
                    any_of: known,
                    then: self.alternative(Vec::new(), &wanted),
                    otherwise: vec![alternatives],
                }
            }
        }
    }

    /// A plan for the conditions that gives a value to every wanted unknown; nothing is known afterwards that was not before.
    fn alternative(&mut self, literals: Vec<Literal>, wanted: &[Unknown]) -> Plan {
        let length = self.trail.len();
        // An empty scope absorbs what is learned here, so that the conjunction outside does not see it.
        let mut plan = self.conjunction(literals);
        self.scopes.push(Scope::default());
        if !matches!(plan.last(), Some(Step::Never)) {
            for &unknown in wanted {
                if !self.known[unknown.index()] {
                    self.restrict(unknown, &mut plan);
                }
            }
        }
        self.scopes.pop();
        self.forget(length);
        plan
    }

    /// Gives a value to one unknown: by a pending condition of some conjunction around that has no other unknown, if there
    /// is one that narrows it down; otherwise each value of the domain.
    fn restrict(&mut self, unknown: Unknown, plan: &mut Plan) {
        match self.helper(unknown) {
            Some((scope, number)) => {
                let condition = self.scopes[scope].pending[number].condition.clone();
                match self.determines(&condition) {
                    Some((step, _)) => plan.push(step),
                    None => {
                        self.scopes[scope].pending[number].done = true;
                        let step = self.split(&condition);
                        self.scopes[scope].pending[number].done = false;
                        plan.push(step);
                    }
                }
            }
            None => plan.push(Step::Each(unknown)),
        }
        self.learn(unknown);
    }

    fn helper(&mut self, unknown: Unknown) -> Option<(usize, usize)> {
        if self.helpers_left == 0 {
            return None;
        }
        let size = self.unknowns.get(unknown).size;
        let mut best: Option<(f64, (usize, usize))> = None;
        for (at, scope) in self.scopes.iter().enumerate() {
            for &number in scope.watchers.get(&unknown).into_iter().flatten() {
                let pending = &scope.pending[number as usize];
                let literal = pending.condition.literal;
                if pending.done || !self.open_unknowns(literal.term).all(|open| open == unknown) {
                    continue;
                }
                let estimate = if self.determines(&pending.condition).is_some() {
                    1.0
                } else if self.is_splittable(&pending.condition) {
                    self.estimates
                        .of(literal, self.terms, self.unknowns, &self.supports)
                } else {
                    continue;
                };
                if estimate < size && best.is_none_or(|(least, _)| estimate < least) {
                    best = Some((estimate, (at, number as usize)));
                }
            }
        }
        self.helpers_left -= u32::from(best.is_some());
        best.map(|(_, place)| place)
    }
}
