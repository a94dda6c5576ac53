//! Continuous time (`@TIME_DOMAIN continuous`): clocks, and steps in which time passes (Cimatti, Griggio, Magnago, Roveri, Tonetta, CAV 2019).
//!
//! A step is one of the model (no time passes, `ASSIGN` and `TRANS` hold, also of clocks) or one in which `delta` > 0 units pass: clocks and
//! `time` grow by it, nothing else changes. Every state between the two ends of such a step must satisfy the invariants. They are
//! required of the ends alone, which is enough where the values of `delta` that satisfy an invariant are an interval; that is looked
//! for in the formula's shape, and a model where it does not show is refused. The states in between are then reached by shorter steps,
//! so an invariant of the discrete system is one of the timed system, and conversely.
//!
//! Path formulas about continuous time ask about open intervals between changes too, and are not read.

use super::statements::Conditions;
use super::{Domain, Kind, Reader, Reported};
use crate::syntax::ast::VarKind;
use entail_first_order::{Op, SortId, TermId};
use entail_source::Span;
use rustc_hash::FxHashSet;

/// The input that says how much time passes.
const DELTA: &str = "delta";
/// The time since the beginning.
pub(super) const TIME: &str = "time";

impl Reader<'_> {
    /// The variable `time`, made when it is mentioned first.
    pub(super) fn time_variable(&mut self, span: Span) -> Result<usize, Reported> {
        if let Some(known) = self.time {
            return Ok(known);
        }
        let variable = self.declare_variable(TIME, VarKind::State, Kind::Real, Domain::All, span)?;
        self.variables[variable].is_clock = true;
        self.time = Some(variable);
        Ok(variable)
    }

    /// Adds the steps in which time passes to those of the model.
    pub(super) fn let_time_pass(&mut self, conditions: &mut Conditions) -> Result<(), Reported> {
        self.check_invariants(conditions)?;
        let delta = self.declare_variable(DELTA, VarKind::Input, Kind::Real, Domain::All, Span::new(0, 0))?;
        let delta = self.variables[delta].current;
        let zero = self.terms.numeral(0.into(), SortId::REAL);
        let (is_still, passes) = (self.terms.eq(delta, zero), self.terms.lt(zero, delta));
        let steps = std::mem::take(&mut conditions.step);
        let mut in_the_model = vec![self.terms.and(&steps)];
        let mut meanwhile = Vec::new();
        for index in 0..self.variables.len() {
            let variable = &self.variables[index];
            let (current, is_clock) = (variable.current, variable.is_clock);
            let Some(next) = variable.next else {
                continue;
            };
            let later = match is_clock {
                true => self.terms.add(&[current, delta], SortId::REAL),
                false => current,
            };
            meanwhile.push(self.terms.eq(next, later));
            if self.time == Some(index) {
                in_the_model.push(self.terms.eq(next, current));
                conditions.init.push(self.terms.eq(current, zero));
            }
        }
        let urgent: Vec<TermId> = conditions.urgent.iter().map(|&(urgent, _)| urgent).collect();
        let is_urgent = self.terms.or(&urgent);
        meanwhile.push(self.terms.not(is_urgent));
        let (in_the_model, meanwhile) = (self.terms.and(&in_the_model), self.terms.and(&meanwhile));
        conditions.step = vec![
            self.terms.le(zero, delta),
            self.terms.implies(is_still, in_the_model),
            self.terms.implies(passes, meanwhile),
        ];
        for error in &mut conditions.step_errors {
            *error = self.terms.and(&[is_still, *error]);
        }
        Ok(())
    }

    /// Invariants must hold for an interval of time, and urgency may not depend on it.
    fn check_invariants(&mut self, conditions: &Conditions) -> Result<(), Reported> {
        let clocks: FxHashSet<TermId> = (self.variables.iter())
            .filter(|variable| variable.is_clock)
            .map(|variable| variable.current)
            .collect();
        for &(invariant, span) in &conditions.invariant_places {
            let timed = self.depending_on(invariant, &clocks);
            if !self.is_interval(invariant, true, &timed) {
                let message =
                    "an invariant must hold for an interval of time: this one may hold, fail and hold again";
                return Err(self.wrong("smv::invariant-in-time", message, span));
            }
        }
        for &(urgent, span) in &conditions.urgent {
            if !self.depending_on(urgent, &clocks).is_empty() {
                return Err(self.wrong("smv::urgent", "URGENT may not depend on clocks", span));
            }
        }
        Ok(())
    }

    /// The terms below a formula that depend on a clock.
    fn depending_on(&self, formula: TermId, clocks: &FxHashSet<TermId>) -> FxHashSet<TermId> {
        let mut found: FxHashSet<TermId> = FxHashSet::default();
        // Operands come before the terms that use them.
        for term in self.terms.cone(&[formula]) {
            if clocks.contains(&term) || self.terms.args(term).iter().any(|arg| found.contains(arg)) {
                found.insert(term);
            }
        }
        found
    }

    /// Whether the times at which a formula (or, negated, its complement) holds are an interval whatever else is the case.
    fn is_interval(&self, term: TermId, is_positive: bool, timed: &FxHashSet<TermId>) -> bool {
        if !timed.contains(&term) {
            return true;
        }
        let args = self.terms.args(term);
        let depends = |arg: &TermId| timed.contains(arg);
        stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || match self.terms.op(term) {
            Op::Not => self.is_interval(args[0], !is_positive, timed),
            // Intervals have an interval in common; of alternatives, one alone may depend on the time.
            op @ (Op::And | Op::Or) => {
                let is_intersection = (*op == Op::And) == is_positive;
                (is_intersection || args.iter().filter(|&arg| depends(arg)).count() == 1)
                    && args.iter().all(|&arg| self.is_interval(arg, is_positive, timed))
            }
            Op::Le | Op::Lt => args.iter().all(|&arg| self.is_affine(arg, timed)),
            Op::Eq if self.terms.sort_of(args[0]) == SortId::BOOL => {
                args.iter().filter(|&arg| depends(arg)).count() == 1
                    && args
                        .iter()
                        .all(|&arg| self.is_interval(arg, true, timed) && self.is_interval(arg, false, timed))
            }
            Op::Eq => is_positive && args.iter().all(|&arg| self.is_affine(arg, timed)),
            Op::Ite => {
                !depends(&args[0])
                    && args[1..]
                        .iter()
                        .all(|&arg| self.is_interval(arg, is_positive, timed))
            }
            _ => false,
        })
    }

    /// Whether a number grows or falls steadily with time.
    fn is_affine(&self, term: TermId, timed: &FxHashSet<TermId>) -> bool {
        if !timed.contains(&term) {
            return true;
        }
        let args = self.terms.args(term);
        stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || match self.terms.op(term) {
            Op::Apply(_) => args.is_empty(),
            Op::Add => args.iter().all(|&arg| self.is_affine(arg, timed)),
            Op::Mul => {
                args.iter().filter(|&arg| timed.contains(arg)).count() == 1
                    && args.iter().all(|&arg| self.is_affine(arg, timed))
            }
            Op::Ite => !timed.contains(&args[0]) && args[1..].iter().all(|&arg| self.is_affine(arg, timed)),
            _ => false,
        })
    }
}
