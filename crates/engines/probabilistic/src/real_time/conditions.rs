//! Conditions about clocks as unions of zones, where the values of all other variables are known.

use entail_markov::clock_constraints::{self, ClockComparison, Condition};
use entail_markov::{BinaryOp, Expr, Network, SemanticError, VarId};
use entail_source::Span;
use entail_zones::{Bound, Federation, Zone};

/// A state without its clocks.
pub(super) struct Discrete<'a> {
    pub network: &'a Network,
    pub clocks: &'a [VarId],
    /// Values of all variables; those of clocks mean nothing.
    pub state: &'a [i64],
}

impl Discrete<'_> {
    fn dimension(&self) -> usize {
        self.clocks.len() + 1
    }

    /// The values of the clocks under which a condition holds.
    pub fn zones(&self, expr: &Expr, place: Span) -> Result<Federation, SemanticError> {
        self.where_it_is(expr, true, place)
    }

    /// The values of the clocks under which a condition has a truth value.
    pub fn where_it_is(&self, expr: &Expr, wanted: bool, place: Span) -> Result<Federation, SemanticError> {
        let of = |expr: &Expr, wanted: bool| self.where_it_is(expr, wanted, place);
        Ok(
            match clock_constraints::split(self.network, expr, self.clocks, place)? {
                Condition::Plain(expr) => {
                    let holds = self.network.holds(expr, self.state).map_err(|error| {
                        SemanticError::new(error.to_string(), place, self.network.show_state(self.state))
                    })?;
                    match holds == wanted {
                        true => Federation::from(Zone::universal(self.dimension())),
                        false => Federation::default(),
                    }
                }
                Condition::Not(operand) => of(operand, !wanted)?,
                Condition::Both(BinaryOp::Iff, left, right) => {
                    let mut all = of(left, true)?.meet_all(&of(right, wanted)?);
                    all.add_all(of(left, false)?.meet_all(&of(right, !wanted)?));
                    all
                }
                Condition::Both(op, left, right) => {
                    // `and` is what is wanted of `and`, and not wanted of the others, whose operands turn round accordingly.
                    let (of_left, of_right) = match op {
                        BinaryOp::Implies => (!wanted, wanted),
                        _ => (wanted, wanted),
                    };
                    let first = of(left, of_left)?;
                    match (op == BinaryOp::And) == wanted {
                        true if first.is_empty() => first,
                        true => first.meet_all(&of(right, of_right)?),
                        false => {
                            let mut all = first;
                            all.add_all(of(right, of_right)?);
                            all
                        }
                    }
                }
                Condition::If(condition, yes, no) => {
                    let mut all = of(condition, true)?;
                    if !all.is_empty() {
                        all = all.meet_all(&of(yes, wanted)?);
                    }
                    let otherwise = of(condition, false)?;
                    if !otherwise.is_empty() {
                        all.add_all(otherwise.meet_all(&of(no, wanted)?));
                    }
                    all
                }
                Condition::Compare(comparison) => self.compared(&comparison, wanted, place)?,
            },
        )
    }

    fn clock(&self, clock: Option<VarId>) -> usize {
        let at = clock.and_then(|clock| self.clocks.iter().position(|known| *known == clock));
        at.map_or(0, |at| at + 1)
    }

    fn compared(
        &self,
        comparison: &ClockComparison,
        wanted: bool,
        place: Span,
    ) -> Result<Federation, SemanticError> {
        let number = clock_constraints::bound_in(self.network, &comparison.bound, self.state, place)? as i32;
        let (one, other) = (self.clock(comparison.plus), self.clock(comparison.minus));
        let at_most = (one, other, Bound::at_most(number));
        let below = (one, other, Bound::below(number));
        let at_least = (other, one, Bound::at_most(-number));
        let above = (other, one, Bound::below(-number));
        let zones: Vec<Vec<(usize, usize, Bound)>> = match (comparison.op, wanted) {
            (BinaryOp::Le, true) | (BinaryOp::Gt, false) => vec![vec![at_most]],
            (BinaryOp::Lt, true) | (BinaryOp::Ge, false) => vec![vec![below]],
            (BinaryOp::Ge, true) | (BinaryOp::Lt, false) => vec![vec![at_least]],
            (BinaryOp::Gt, true) | (BinaryOp::Le, false) => vec![vec![above]],
            (BinaryOp::Eq, true) | (BinaryOp::Ne, false) => vec![vec![at_most, at_least]],
            _ => vec![vec![below], vec![above]],
        };
        let dimension = self.dimension();
        Ok((zones.iter())
            .filter_map(|constraints| Zone::of_constraints(dimension, constraints))
            .collect())
    }
}
