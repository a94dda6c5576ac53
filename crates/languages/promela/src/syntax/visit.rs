//! Walking over all expressions of a syntax tree.

use super::ast::*;

impl Expr {
    /// Calls `visit` with this expression and all inside.
    pub fn visit(&self, visit: &mut dyn FnMut(&Expr)) {
        visit(self);
        match &self.kind {
            ExprKind::Number(_) | ExprKind::Timeout | ExprKind::NonProgress => {}
            ExprKind::Variable(variable) | ExprKind::Probe(_, variable) => variable.visit(visit),
            ExprKind::Unary(_, operand)
            | ExprKind::Enabled(operand)
            | ExprKind::Priority(operand)
            | ExprKind::LocationOf(operand)
            | ExprKind::Temporal(_, operand) => operand.visit(visit),
            ExprKind::Binary(_, left, right) | ExprKind::TemporalPair(_, left, right) => {
                left.visit(visit);
                right.visit(visit);
            }
            ExprKind::Conditional(parts) => parts.iter().for_each(|part| part.visit(visit)),
            ExprKind::Run(_, arguments, _) => arguments.iter().for_each(|argument| argument.visit(visit)),
            ExprKind::Poll(variable, arguments, _) => {
                variable.visit(visit);
                arguments.iter().for_each(|argument| argument.visit(visit));
            }
            ExprKind::RemoteLabel(_, number, _) => {
                if let Some(number) = number {
                    number.visit(visit);
                }
            }
            ExprKind::RemoteVariable(_, number, variable) => {
                if let Some(number) = number {
                    number.visit(visit);
                }
                variable.visit(visit);
            }
        }
    }

    /// Whether there is a temporal operator inside.
    pub fn is_temporal(&self) -> bool {
        let mut found = false;
        self.visit(&mut |expr| {
            found |= matches!(expr.kind, ExprKind::Temporal(..) | ExprKind::TemporalPair(..))
        });
        found
    }
}

impl Variable {
    fn visit(&self, visit: &mut dyn FnMut(&Expr)) {
        self.parts
            .iter()
            .filter_map(|(_, index)| index.as_ref())
            .for_each(|index| index.visit(visit));
    }
}

impl Variable {
    /// The variable as an expression: what is received or counted through is looked at, too.
    pub fn used(&self, visit: &mut dyn FnMut(&Expr)) {
        let whole = Expr {
            at: self.at,
            kind: ExprKind::Variable(self.clone()),
        };
        whole.visit(visit);
    }
}

impl Argument {
    fn visit(&self, visit: &mut dyn FnMut(&Expr)) {
        match self {
            Argument::Value(value) | Argument::Eval(value) => value.visit(visit),
            Argument::Store(variable) => variable.used(visit),
        }
    }
}

impl Statement {
    /// Calls `visit` with this statement and all inside.
    pub fn each(&self, visit: &mut dyn FnMut(&Statement)) {
        visit(self);
        match &self.kind {
            StatementKind::If(options) | StatementKind::Do(options) => {
                options.iter().flatten().for_each(|inner| inner.each(visit))
            }
            StatementKind::For(_, _, body)
            | StatementKind::Atomic(body)
            | StatementKind::Deterministic(body)
            | StatementKind::Block(body) => body.iter().for_each(|inner| inner.each(visit)),
            StatementKind::Unless(main, escape) => {
                main.each(visit);
                escape.each(visit);
            }
            _ => {}
        }
    }

    /// Calls `visit` with every expression inside.
    pub fn visit(&self, visit: &mut dyn FnMut(&Expr)) {
        let sequence = |statements: &Sequence, visit: &mut dyn FnMut(&Expr)| {
            statements.iter().for_each(|statement| statement.visit(visit));
        };
        match &self.kind {
            StatementKind::Expression(expr)
            | StatementKind::Assert(expr)
            | StatementKind::PrintMessage(expr) => expr.visit(visit),
            StatementKind::Change(variable, _) => variable.visit(visit),
            StatementKind::Assign(variable, expr) => {
                match expr.kind {
                    ExprKind::Run(..) if variable.parts.iter().any(|(_, index)| index.is_some()) => {
                        variable.used(visit)
                    }
                    _ => variable.visit(visit),
                }
                expr.visit(visit);
            }
            StatementKind::Send(variable, fields, _) => {
                variable.visit(visit);
                fields.iter().for_each(|field| field.visit(visit));
            }
            StatementKind::Receive {
                channel, arguments, ..
            } => {
                channel.visit(visit);
                arguments.iter().for_each(|argument| argument.visit(visit));
            }
            StatementKind::If(options) | StatementKind::Do(options) => {
                options.iter().for_each(|option| sequence(option, visit))
            }
            StatementKind::For(variable, range, body) => {
                variable.used(visit);
                if let Range::Between(low, high) = range {
                    low.visit(visit);
                    high.visit(visit);
                }
                sequence(body, visit);
            }
            StatementKind::Select(variable, low, high)
            | StatementKind::SelectFromMany(variable, low, high) => {
                variable.used(visit);
                low.visit(visit);
                high.visit(visit);
            }
            StatementKind::Atomic(body) | StatementKind::Deterministic(body) | StatementKind::Block(body) => {
                sequence(body, visit)
            }
            StatementKind::Unless(main, escape) => {
                main.visit(visit);
                escape.visit(visit);
            }
            // A variable that is only printed is not looked at.
            StatementKind::Print(_, values) => values.iter().for_each(|value| {
                value.visit(&mut |expr| {
                    if !matches!(expr.kind, ExprKind::Variable(_)) {
                        visit(expr);
                    }
                })
            }),
            StatementKind::SetPriority(process, value) => {
                process.visit(visit);
                value.visit(visit);
            }
            StatementKind::Declare(declared) => match &declared.initializer {
                Some(Initializer::Value(value)) => value.visit(visit),
                Some(Initializer::List(values)) => values.iter().for_each(|value| value.visit(visit)),
                _ => {}
            },
            // Made after everything has been looked at.
            StatementKind::Starting(..) => {}
            StatementKind::Else
            | StatementKind::Break
            | StatementKind::Goto(_)
            | StatementKind::Exclusive(..) => {}
        }
    }
}
