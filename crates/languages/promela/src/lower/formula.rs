//! LTL formulas: what has no temporal operator inside is a condition, the rest is the formula over conditions.

use super::Lowering;
use super::expression::Where;
use crate::syntax::ast::*;
use crate::syntax::parser::Fail;
use entail_logic::{Binary as Temporals, Formula, Unary as Modal};
use entail_program::{Binary, Unary};

impl Lowering {
    /// A formula; its atoms are positions in the program's conditions.
    pub fn formula(&mut self, expr: &Expr) -> Result<Formula<usize>, Fail> {
        if !expr.is_temporal() {
            if let ExprKind::Number(value) = expr.kind {
                return Ok(Formula::constant(value != 0));
            }
            // Conjunctions of conditions are split, so that each condition is evaluated once.
            match &expr.kind {
                ExprKind::Binary(Binary::And | Binary::Or, ..) | ExprKind::Unary(Unary::Not, _) => {}
                _ => {
                    let condition = self.expression(expr, Where::default())?;
                    let known = self
                        .program
                        .conditions
                        .iter()
                        .position(|other| *other == condition);
                    return Ok(Formula::atom(known.unwrap_or_else(|| {
                        let text = self.sources[expr.at.file as usize].slice(expr.at.span);
                        self.condition_texts.push(text.to_owned());
                        self.program.conditions.push(condition);
                        self.program.conditions.len() - 1
                    })));
                }
            }
        }
        Ok(match &expr.kind {
            ExprKind::Unary(Unary::Not, operand) => self.formula(operand)?.not(),
            ExprKind::Binary(Binary::And, left, right) => {
                Formula::and([self.formula(left)?, self.formula(right)?])
            }
            ExprKind::Binary(Binary::Or, left, right) => {
                Formula::or([self.formula(left)?, self.formula(right)?])
            }
            ExprKind::Temporal(operator, operand) => {
                let operand = self.formula(operand)?;
                let operator = match operator {
                    Temporal::Always => Modal::Globally,
                    Temporal::Eventually => Modal::Finally,
                    Temporal::Next => Modal::Next,
                };
                Formula::unary(operator, &operand)
            }
            ExprKind::TemporalPair(operator, left, right) => {
                let (left, right) = (self.formula(left)?, self.formula(right)?);
                match operator {
                    TemporalPair::Until => Formula::binary(Temporals::Until, &left, &right),
                    TemporalPair::WeakUntil => Formula::binary(Temporals::WeakUntil, &left, &right),
                    TemporalPair::Release => Formula::binary(Temporals::Release, &left, &right),
                    TemporalPair::Implies => left.implies(&right),
                    TemporalPair::Equivalent => left.iff(&right),
                }
            }
            // Anything else is an error, which the reader of conditions reports.
            _ => {
                self.expression(expr, Where::default())?;
                Formula::constant(false)
            }
        })
    }
}
