//! Rates of locations and weights of branch points: numbers that may be written with a decimal point, and become quotients of integers.

use crate::compiler::{Compiler, Typed, wrong};
use crate::names::ScopeId;
use crate::parser::Read;
use crate::reals::number_product;
use crate::statistical::decimal;
use crate::terms::folded;
use entail_clocks::{Binary, Branch, Expression, Ratio};
use entail_uppaal_tree::{self as tree, Expr, ExprKind, Operator};

const ONE: Expression = Expression::Constant(1);

fn product(left: Expression, right: Expression) -> Expression {
    match (left, right) {
        (ONE, other) | (other, ONE) => other,
        (left, right) if left.is_real() || right.is_real() => number_product(left, right),
        (left, right) => folded(Expression::binary(Binary::Multiply, left, right)),
    }
}

/// Whether a decimal point occurs in it; without one, numbers are divided as integers are.
fn has_decimals(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Double(_) => true,
        ExprKind::Unary(_, inner) => has_decimals(inner),
        ExprKind::Binary(_, left, right) => has_decimals(left) || has_decimals(right),
        _ => false,
    }
}

impl Compiler<'_> {
    /// A number; nothing if it is not known in this translation.
    fn ratio(&mut self, expr: &Expr, scope: ScopeId) -> Read<Option<Ratio>> {
        let problem = match self.quotient(expr, scope) {
            Ok(ratio) => return Ok(Some(ratio)),
            Err(problem) => problem,
        };
        match self.value(expr, scope)? {
            Typed::Real(number) => Ok(Some(Ratio { number, divisor: ONE })),
            // Only random runs ask for it.
            Typed::Unknown => {
                self.left_out = true;
                Ok(None)
            }
            _ => Err(problem),
        }
    }

    /// A number that is a quotient of integers.
    fn quotient(&mut self, expr: &Expr, scope: ScopeId) -> Read<Ratio> {
        if !has_decimals(expr) {
            return Ok(Ratio {
                number: self.integer(expr, scope)?,
                divisor: ONE,
            });
        }
        match &expr.kind {
            ExprKind::Double(text) => match decimal(text) {
                Some((number, divisor)) => Ok(Ratio {
                    number: Expression::Constant(number),
                    divisor: Expression::Constant(divisor),
                }),
                None => Err(wrong(
                    "uppaal::range",
                    format!("the number {text} has too many digits"),
                    expr.span,
                )),
            },
            ExprKind::Binary(Operator::Multiply, left, right) => {
                let (left, right) = (self.quotient(left, scope)?, self.quotient(right, scope)?);
                Ok(Ratio {
                    number: product(left.number, right.number),
                    divisor: product(left.divisor, right.divisor),
                })
            }
            ExprKind::Binary(Operator::Divide, left, right) => {
                let (left, right) = (self.quotient(left, scope)?, self.quotient(right, scope)?);
                Ok(Ratio {
                    number: product(left.number, right.divisor),
                    divisor: product(left.divisor, right.number),
                })
            }
            ExprKind::Binary(operator @ (Operator::Add | Operator::Subtract), left, right) => {
                let (left, right) = (self.quotient(left, scope)?, self.quotient(right, scope)?);
                let operator = match operator {
                    Operator::Add => Binary::Add,
                    _ => Binary::Subtract,
                };
                let number = Expression::binary(
                    operator,
                    product(left.number, right.divisor.clone()),
                    product(right.number, left.divisor.clone()),
                );
                Ok(Ratio {
                    number: folded(number),
                    divisor: product(left.divisor, right.divisor),
                })
            }
            _ => Err(wrong(
                "uppaal::unsupported",
                "decimal numbers are added, subtracted, multiplied and divided only",
                expr.span,
            )),
        }
    }

    /// The rate of a location.
    pub fn exponential(&mut self, location: usize, rate: &(Expr, Option<Expr>), scope: ScopeId) -> Read<()> {
        let Some(mut ratio) = self.ratio(&rate.0, scope)? else {
            return Ok(());
        };
        if let Some(divisor) = &rate.1 {
            let Some(divisor) = self.ratio(divisor, scope)? else {
                return Ok(());
            };
            ratio = Ratio {
                number: product(ratio.number, divisor.divisor),
                divisor: product(ratio.divisor, divisor.number),
            };
        }
        let rates = &mut self.network.chances.rates;
        rates.resize(rates.len().max(location + 1), None);
        rates[location] = Some(ratio);
        Ok(())
    }

    /// The way through a branch point that an edge is; `copy` tells the choices of selected values apart.
    pub fn branch(&mut self, edge: usize, branch: &tree::Branch, copy: usize, scope: ScopeId) -> Read<()> {
        let weight = match &branch.weight {
            Some(weight) => self.ratio(weight, scope)?,
            None => None,
        };
        let weight = weight.unwrap_or(Ratio {
            number: ONE,
            divisor: ONE,
        });
        let branches = &mut self.network.chances.branches;
        branches.resize(branches.len().max(edge + 1), None);
        // Points are compared among the edges of one location only.
        branches[edge] = Some(Branch {
            point: (branch.of << 20) | copy,
            weight,
        });
        Ok(())
    }
}
