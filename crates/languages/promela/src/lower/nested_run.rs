//! `run` inside the expression of an assignment, an assertion or a `printf`.
//!
//! The process is started first and its number kept in a variable of its own, which the expression then uses. SPIN allows that in these
//! statements; conditions that start processes it refuses. One `run` can stand in an expression, and only where it is always evaluated.

use super::build::Builder;
use crate::syntax::ast::*;
use crate::syntax::parser::{Fail, wrong};
use entail_program::{Binary, CellType, Origin};

/// The variable that keeps the number.
const NUMBER: &str = "_run";

impl Builder<'_> {
    /// The statement with its `run` taken out, if there is one inside of an expression.
    pub(super) fn without_nested_run(
        &mut self,
        kind: &StatementKind,
        at: Origin,
    ) -> Result<Option<StatementKind>, Fail> {
        let mut kind = kind.clone();
        let exprs: Vec<&mut Expr> = match &mut kind {
            StatementKind::Assign(_, value) if matches!(value.kind, ExprKind::Run(..)) => return Ok(None),
            StatementKind::Assign(_, value) | StatementKind::Assert(value) => vec![value],
            StatementKind::Print(_, values) => values.iter_mut().collect(),
            _ => return Ok(None),
        };
        let mut runs = 0;
        exprs.iter().for_each(|expr| {
            expr.visit(&mut |inner| runs += usize::from(matches!(inner.kind, ExprKind::Run(..))))
        });
        if runs == 0 {
            return Ok(None);
        }
        let found = exprs.into_iter().find_map(take);
        let (Some(run), 1) = (found, runs) else {
            return Err(wrong(
                at,
                "promela::run",
                "one `run` can stand in an expression, and not behind `&&`, `||` or `->`",
                "here",
                "write `x = run p()` and use `x`",
            ));
        };
        if self.lowering.symbols.find(NUMBER, Some(self.scope)).is_none() {
            let declared = Declared {
                name: NUMBER.into(),
                kind: TypeName::Basic(CellType::ProcessNumber),
                length: None,
                initializer: None,
                hidden: true,
                local: false,
                at,
            };
            self.declare(&declared, &mut Vec::new())?;
        }
        let start = StatementKind::Assign(number(at), run);
        Ok(Some(StatementKind::Starting(Box::new(start), Box::new(kind))))
    }
}

fn number(at: Origin) -> Variable {
    Variable {
        parts: vec![(NUMBER.into(), None)],
        at,
    }
}

/// Takes a `run` out of an expression; nothing if there is none, or not in a place that is always evaluated.
fn take(expr: &mut Expr) -> Option<Expr> {
    match &mut expr.kind {
        ExprKind::Run(..) => {
            let variable = ExprKind::Variable(number(expr.at));
            Some(Expr {
                kind: std::mem::replace(&mut expr.kind, variable),
                at: expr.at,
            })
        }
        ExprKind::Unary(_, operand) => take(operand),
        ExprKind::Binary(Binary::And | Binary::Or, left, _) => take(left),
        ExprKind::Binary(_, left, right) => take(left).or_else(|| take(right)),
        ExprKind::Conditional(parts) => take(&mut parts[0]),
        _ => None,
    }
}
