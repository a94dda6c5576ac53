//! Path formulas: the temporal skeleton as a [`Formula`], each maximal part without temporal operators as one term.

use super::scopes::ScopeId;
use super::{Reader, Reported};
use crate::syntax::ast::{Binary, BoundedUnary, Expr, ExprId, Nary, TemporalBinary, TemporalUnary, Unary};
use entail_first_order::{Op, TermId};
use entail_logic::{self as logic, Formula, Interval};

/// Temporal operators nest no deeper than this.
const MAX_DEPTH: u32 = 10_000;
/// No bound is larger.
const MAX_BOUND: i64 = 1_000_000;

impl Reader<'_> {
    /// Whether an expression has a temporal operator, or speaks of the next state.
    pub(super) fn has_temporal(&self, id: ExprId) -> bool {
        self.any(id, |expr| self.is_temporal(expr) || matches!(expr, Expr::Next(_)))
    }

    fn is_temporal(&self, expr: &Expr) -> bool {
        matches!(
            expr,
            Expr::Temporal(..) | Expr::TemporalBinary(..) | Expr::Bounded(..) | Expr::BoundedUntil { .. }
        )
    }

    fn any(&self, id: ExprId, is_wanted: impl Fn(&Expr) -> bool) -> bool {
        let mut waiting = vec![id];
        while let Some(next) = waiting.pop() {
            let expr = self.arena.get(next);
            if is_wanted(&expr) {
                return true;
            }
            self.arena.children(expr, |child| waiting.push(child));
        }
        false
    }

    /// Whether a formula of CTL is one universal operator over formulas without any: then it is a path formula of all paths.
    pub(super) fn is_universal_at_once(&self, id: ExprId) -> bool {
        let is_plain = |id: ExprId| !self.has_temporal(id);
        match self.arena.get(id) {
            Expr::Temporal(TemporalUnary::AF | TemporalUnary::AG | TemporalUnary::AX, body)
            | Expr::Bounded(BoundedUnary::ABF | BoundedUnary::ABG, _, _, body) => is_plain(body),
            Expr::TemporalBinary(TemporalBinary::AU, left, right)
            | Expr::BoundedUntil {
                all: true,
                left,
                right,
                ..
            } => is_plain(left) && is_plain(right),
            _ => false,
        }
    }

    /// Reads a formula that is about one state.
    pub(super) fn state_formula(&mut self, id: ExprId, scope: ScopeId) -> Result<TermId, Reported> {
        let formula = self.formula(id, scope, false)?;
        let cone = self.terms.cone(&[formula]);
        let nexts = self.variables.iter().filter_map(|variable| variable.next);
        match nexts.into_iter().any(|next| cone.binary_search(&next).is_ok()) {
            true => {
                let span = self.arena.span(id);
                Err(self.wrong(
                    "smv::next",
                    "`next` cannot be read here, where a formula is about one state: write `X`",
                    span,
                ))
            }
            false => Ok(formula),
        }
    }

    /// Reads a path formula.
    pub(super) fn path(&mut self, id: ExprId, scope: ScopeId) -> Result<Formula<TermId>, Reported> {
        self.path_at(id, scope, 0)
    }

    fn path_at(&mut self, id: ExprId, scope: ScopeId, depth: u32) -> Result<Formula<TermId>, Reported> {
        let span = self.arena.span(id);
        if !self.any(id, |expr| self.is_temporal(expr)) {
            let atom = self.state_formula(id, scope)?;
            return Ok(match self.terms.op(atom) {
                Op::True => Formula::constant(true),
                Op::False => Formula::constant(false),
                _ => Formula::atom(atom),
            });
        }
        if depth > MAX_DEPTH {
            return Err(self.wrong("smv::nesting", "temporal operators nest too deeply", span));
        }
        stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || {
            self.operator_at(id, scope, depth + 1)
        })
    }

    fn operator_at(&mut self, id: ExprId, scope: ScopeId, depth: u32) -> Result<Formula<TermId>, Reported> {
        let span = self.arena.span(id);
        Ok(match self.arena.get(id) {
            Expr::Unary(Unary::Not, inner) => self.path_at(inner, scope, depth)?.not(),
            Expr::Nary(operator @ (Nary::And | Nary::Or), list) => {
                let members = self.arena.list(list).to_vec();
                let mut parts = Vec::with_capacity(members.len());
                for member in members {
                    parts.push(self.path_at(member, scope, depth)?);
                }
                match operator {
                    Nary::And => Formula::and(parts),
                    _ => Formula::or(parts),
                }
            }
            Expr::Binary(
                operator @ (Binary::Implies | Binary::Iff | Binary::Xnor | Binary::Xor),
                left,
                right,
            ) => {
                let (left, right) = (
                    self.path_at(left, scope, depth)?,
                    self.path_at(right, scope, depth)?,
                );
                match operator {
                    Binary::Implies => left.implies(&right),
                    Binary::Xor => left.xor(&right),
                    _ => left.iff(&right),
                }
            }
            Expr::Temporal(operator, inner) => {
                let inner = self.path_at(inner, scope, depth)?;
                let unary = match operator {
                    TemporalUnary::X | TemporalUnary::AX => logic::Unary::Next,
                    TemporalUnary::F | TemporalUnary::AF => logic::Unary::Finally,
                    TemporalUnary::G | TemporalUnary::AG => logic::Unary::Globally,
                    TemporalUnary::Y => logic::Unary::Yesterday,
                    TemporalUnary::Z => logic::Unary::WeakYesterday,
                    TemporalUnary::H => logic::Unary::Historically,
                    TemporalUnary::O => logic::Unary::Once,
                    _ => {
                        return Err(self.wrong(
                            "smv::quantifier",
                            "a path quantifier cannot stand here",
                            span,
                        ));
                    }
                };
                Formula::unary(unary, &inner)
            }
            Expr::Bounded(operator, low, high, inner) => {
                let interval = self.steps(low, high, id)?;
                let inner = self.path_at(inner, scope, depth)?;
                let unary = match operator {
                    BoundedUnary::F | BoundedUnary::ABF => logic::Unary::Finally,
                    BoundedUnary::G | BoundedUnary::ABG => logic::Unary::Globally,
                    BoundedUnary::H => logic::Unary::Historically,
                    BoundedUnary::O => logic::Unary::Once,
                    _ => {
                        return Err(self.wrong(
                            "smv::quantifier",
                            "a path quantifier cannot stand here",
                            span,
                        ));
                    }
                };
                let path = Formula::unary_within(unary, interval, &inner);
                match (operator, interval.to) {
                    // NuSMV's `H [a,b] p` is false where time is younger than `b`.
                    (BoundedUnary::H, Some(farthest @ 1..)) => {
                        let reach = Interval::bounded(farthest, farthest);
                        let truth = Formula::constant(true);
                        let begun = Formula::unary_within(logic::Unary::Once, reach, &truth);
                        Formula::and([path, begun])
                    }
                    _ => path,
                }
            }
            Expr::TemporalBinary(operator, left, right) => {
                let (left, right) = (
                    self.path_at(left, scope, depth)?,
                    self.path_at(right, scope, depth)?,
                );
                let binary = match operator {
                    TemporalBinary::U | TemporalBinary::AU => logic::Binary::Until,
                    TemporalBinary::V => logic::Binary::Release,
                    TemporalBinary::S => logic::Binary::Since,
                    TemporalBinary::T => logic::Binary::Triggered,
                    TemporalBinary::EU => {
                        return Err(self.wrong(
                            "smv::quantifier",
                            "a path quantifier cannot stand here",
                            span,
                        ));
                    }
                };
                Formula::binary(binary, &left, &right)
            }
            Expr::BoundedUntil {
                all: true,
                low,
                high,
                left,
                right,
            } => {
                let interval = self.steps(low, high, id)?;
                let (left, right) = (
                    self.path_at(left, scope, depth)?,
                    self.path_at(right, scope, depth)?,
                );
                Formula::binary_within(logic::Binary::Until, interval, &left, &right)
            }
            _ => {
                return Err(self.wrong(
                    "smv::misplaced-operator",
                    "a temporal operator cannot stand below this operator",
                    span,
                ));
            }
        })
    }

    fn steps(&mut self, low: i64, high: i64, id: ExprId) -> Result<Interval, Reported> {
        if low < 0 || high < low || high > MAX_BOUND {
            let span = self.arena.span(id);
            return Err(self.wrong(
                "smv::bound",
                format!(
                    "{low} to {high} is no range of steps: bounds are natural numbers, the smaller first"
                ),
                span,
            ));
        }
        Ok(Interval::bounded(low as u32, high as u32))
    }
}
