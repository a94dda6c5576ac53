//! Expressions, from the weakest operator down, as SPIN's grammar ranks them.

use super::ast::*;
use super::parser::{Fail, Parser};
use super::token::Kind;
use entail_program::{Binary, Probe, Unary};

/// What binds two operands.
#[derive(Clone, Copy)]
enum Infix {
    Plain(Binary),
    Formula(TemporalPair),
}

/// Infix operators by strength, the weakest first. Those with `true` exist in formulas only.
const STRENGTH: [&[(&str, bool, Infix)]; 12] = {
    use Binary::*;
    use Infix::{Formula, Plain};
    use TemporalPair::*;
    [
        &[
            ("->", true, Formula(Implies)),
            ("implies", true, Formula(Implies)),
            ("<->", true, Formula(Equivalent)),
            ("equivalent", true, Formula(Equivalent)),
        ],
        &[("||", false, Plain(Or)), ("\\/", true, Plain(Or))],
        &[("&&", false, Plain(And)), ("/\\", true, Plain(And))],
        &[
            ("U", true, Formula(Until)),
            ("until", true, Formula(Until)),
            ("stronguntil", true, Formula(Until)),
            ("W", true, Formula(WeakUntil)),
            ("weakuntil", true, Formula(WeakUntil)),
            ("V", true, Formula(Release)),
            ("release", true, Formula(Release)),
        ],
        &[("|", false, Plain(BitOr))],
        &[("^", false, Plain(BitXor))],
        &[("&", false, Plain(BitAnd))],
        &[("==", false, Plain(Equal)), ("!=", false, Plain(NotEqual))],
        &[
            (">", false, Plain(Greater)),
            ("<", false, Plain(Less)),
            (">=", false, Plain(GreaterEqual)),
            ("<=", false, Plain(LessEqual)),
        ],
        &[("<<", false, Plain(ShiftLeft)), (">>", false, Plain(ShiftRight))],
        &[("+", false, Plain(Add)), ("-", false, Plain(Subtract))],
        &[
            ("*", false, Plain(Multiply)),
            ("/", false, Plain(Divide)),
            ("%", false, Plain(Remainder)),
        ],
    ]
};

/// Deeper trees of expressions are refused, so that no walk over them overflows the stack.
const HIGHEST: usize = 2_000;

fn is_temporal(expression: &Expr) -> bool {
    matches!(
        expression.kind,
        ExprKind::Temporal(..) | ExprKind::TemporalPair(..)
    )
}

impl Parser<'_> {
    /// Any expression.
    pub(super) fn expression(&mut self) -> Result<Expr, Fail> {
        // The deepest of the expressions inside an operand counts.
        let before = self.height;
        let expression = self.deeper(|parser| parser.infix(0))?;
        self.height = self.height.max(before);
        Ok(expression)
    }

    fn infix(&mut self, strength: usize) -> Result<Expr, Fail> {
        let Some(operators) = STRENGTH.get(strength) else {
            return self.prefix();
        };
        let start = self.here();
        let mut left = self.infix(strength + 1)?;
        while let Some(operator) = self.infix_operator(operators) {
            self.at += 1;
            let height = self.height;
            // `p U q U r` is `p U (q U r)` to some and `(p U q) U r` to SPIN.
            let right = self.infix(strength + 1)?;
            self.height = self.height.max(height) + 1;
            if self.height > HIGHEST {
                return self.fail(start, "the expression is too long", "split it into parts");
            }
            if let Infix::Plain(plain) = operator
                && !matches!(plain, Binary::And | Binary::Or)
                && let Some(inner) = [&left, &right].into_iter().find(|operand| is_temporal(operand))
            {
                let help = "`<>`, `[]`, `X` and `!` bind more tightly than comparisons: write `<> (y == 1)`";
                return self.fail(inner.at, "a formula stands where a value is expected", help);
            }
            let (a, b) = (Box::new(left), Box::new(right));
            left = Expr {
                kind: match operator {
                    Infix::Plain(operator) => ExprKind::Binary(operator, a, b),
                    Infix::Formula(operator) => ExprKind::TemporalPair(operator, a, b),
                },
                at: self.since(start),
            };
        }
        Ok(left)
    }

    fn infix_operator(&self, operators: &[(&str, bool, Infix)]) -> Option<Infix> {
        let token = self.peek();
        operators
            .iter()
            .find(|(text, formula, _)| {
                (self.in_formula || !formula)
                    && match &token.kind {
                        Kind::Mark(mark) => mark == text,
                        Kind::Name(name) => &**name == *text,
                        _ => false,
                    }
            })
            .map(|(_, _, operator)| *operator)
    }

    fn prefix(&mut self) -> Result<Expr, Fail> {
        let start = self.here();
        let temporal = match &self.peek().kind {
            Kind::Mark("[]") => Some(Temporal::Always),
            Kind::Mark("<>") => Some(Temporal::Eventually),
            Kind::Name(name) if self.in_formula => match &**name {
                "always" => Some(Temporal::Always),
                "eventually" => Some(Temporal::Eventually),
                "X" | "next" => Some(Temporal::Next),
                _ => None,
            },
            _ => None,
        };
        if let Some(operator) = temporal {
            if !self.in_formula {
                return self.fail(
                    start,
                    "temporal operators stand in `ltl` formulas only",
                    "move the formula into `ltl name { ... }`",
                );
            }
            self.at += 1;
            let operand = self.deeper(|parser| parser.prefix())?;
            return Ok(Expr {
                kind: ExprKind::Temporal(operator, Box::new(operand)),
                at: self.since(start),
            });
        }
        let (operator, times) = match self.peek().kind {
            Kind::Mark("!") => (Unary::Not, 1),
            Kind::Mark("!!") => (Unary::Not, 2),
            Kind::Mark("-") => (Unary::Negate, 1),
            Kind::Mark("--") => (Unary::Negate, 2),
            Kind::Mark("~") => (Unary::Complement, 1),
            _ => return self.operand(),
        };
        self.at += 1;
        let mut operand = self.deeper(|parser| parser.prefix())?;
        for _ in 0..times {
            operand = Expr {
                at: self.since(start),
                kind: ExprKind::Unary(operator, Box::new(operand)),
            };
        }
        Ok(operand)
    }

    fn operand(&mut self) -> Result<Expr, Fail> {
        self.height = 0;
        let start = self.here();
        let kind = match &self.peek().kind {
            Kind::Number(number) => {
                self.at += 1;
                ExprKind::Number(*number)
            }
            Kind::Mark("(") => {
                self.at += 1;
                let inner = self.expression()?;
                let kind = if !self.in_formula && self.accept("->") {
                    let then = self.expression()?;
                    self.expect(":")?;
                    let otherwise = self.expression()?;
                    ExprKind::Conditional(Box::new([inner, then, otherwise]))
                } else {
                    inner.kind
                };
                self.expect(")")?;
                kind
            }
            Kind::Name(word) => match &**word {
                "true" | "skip" => self.word(ExprKind::Number(1)),
                "false" => self.word(ExprKind::Number(0)),
                "timeout" => self.word(ExprKind::Timeout),
                "np_" => self.word(ExprKind::NonProgress),
                "run" => self.run()?,
                "len" => self.probe(Probe::Length)?,
                "full" => self.probe(Probe::Full)?,
                "nfull" => self.probe(Probe::NotFull)?,
                "empty" => self.probe(Probe::Empty)?,
                "nempty" => self.probe(Probe::NotEmpty)?,
                "enabled" => ExprKind::Enabled(self.one_argument()?),
                "get_priority" => ExprKind::Priority(self.one_argument()?),
                "pc_value" => ExprKind::LocationOf(self.one_argument()?),
                "c_expr" | "c_code" => return self.embedded(),
                name if self.known.proctypes.contains(name) && self.is_remote() => self.remote()?,
                _ => {
                    let variable = self.variable()?;
                    self.poll_or_variable(variable)?
                }
            },
            _ => return self.unexpected("an expression"),
        };
        Ok(Expr {
            kind,
            at: self.since(start),
        })
    }

    fn word(&mut self, kind: ExprKind) -> ExprKind {
        self.at += 1;
        kind
    }

    fn one_argument(&mut self) -> Result<Box<Expr>, Fail> {
        self.at += 1;
        self.expect("(")?;
        let argument = self.expression()?;
        self.expect(")")?;
        Ok(Box::new(argument))
    }

    fn probe(&mut self, probe: Probe) -> Result<ExprKind, Fail> {
        self.at += 1;
        self.expect("(")?;
        let channel = self.variable()?;
        self.expect(")")?;
        Ok(ExprKind::Probe(probe, channel))
    }

    fn run(&mut self) -> Result<ExprKind, Fail> {
        self.at += 1;
        let (name, _) = self.name("the name of a proctype")?;
        self.expect("(")?;
        let arguments = self.arguments(")")?;
        let priority = self.priority()?;
        Ok(ExprKind::Run(name, arguments, priority))
    }

    /// Expressions separated by commas, up to the closing mark.
    pub(super) fn arguments(&mut self, close: &'static str) -> Result<Vec<Expr>, Fail> {
        let mut arguments = Vec::new();
        if self.accept(close) {
            return Ok(arguments);
        }
        loop {
            arguments.push(self.expression()?);
            if self.accept(close) {
                return Ok(arguments);
            }
            self.expect(",")?;
        }
    }

    /// `p@l`, `p:x`, `p[i]@l`, `p[i]:x`.
    fn is_remote(&self) -> bool {
        let mut after = 1;
        if self.ahead(1).is("[") {
            let mut open = 0;
            loop {
                match self.ahead(after).kind {
                    Kind::Mark("[") => open += 1,
                    Kind::Mark("]") => open -= 1,
                    Kind::End => return false,
                    _ => {}
                }
                after += 1;
                if open == 0 {
                    break;
                }
            }
        }
        self.ahead(after).is("@") || self.ahead(after).is(":")
    }

    fn remote(&mut self) -> Result<ExprKind, Fail> {
        let (process, _) = self.name("the name of a proctype")?;
        let number = match self.accept("[") {
            true => {
                let number = self.expression()?;
                self.expect("]")?;
                Some(Box::new(number))
            }
            false => None,
        };
        if self.accept("@") {
            let (label, _) = self.name("a label")?;
            return Ok(ExprKind::RemoteLabel(process, number, label));
        }
        self.expect(":")?;
        let variable = self.variable()?;
        Ok(ExprKind::RemoteVariable(process, number, variable))
    }

    /// A variable with its indices and fields.
    pub(super) fn variable(&mut self) -> Result<Variable, Fail> {
        let start = self.here();
        let mut parts = Vec::new();
        loop {
            let (name, _) = self.name("the name of a variable")?;
            let index = match self.peek().is("[") {
                true => {
                    self.at += 1;
                    let index = self.expression()?;
                    self.expect("]")?;
                    Some(index)
                }
                false => None,
            };
            parts.push((name, index));
            if !(self.peek().is(".") && matches!(self.ahead(1).kind, Kind::Name(_))) {
                break;
            }
            self.at += 1;
        }
        Ok(Variable {
            parts,
            at: self.since(start),
        })
    }

    fn poll_or_variable(&mut self, variable: Variable) -> Result<ExprKind, Fail> {
        let anywhere = self.peek().is("??");
        if (anywhere || self.peek().is("?")) && self.ahead(1).is("[") {
            self.at += 2;
            let arguments = self.receive_arguments()?;
            self.expect("]")?;
            return Ok(ExprKind::Poll(variable, arguments, anywhere));
        }
        Ok(ExprKind::Variable(variable))
    }

    /// The arguments of a receive: `a, b`, or `a(b, c)`.
    pub(super) fn receive_arguments(&mut self) -> Result<Vec<Argument>, Fail> {
        let mut arguments = Vec::new();
        let mut open = 0;
        loop {
            while self.accept("(") {
                open += 1;
            }
            arguments.push(self.receive_argument()?);
            while open > 0 && self.accept(")") {
                open -= 1;
            }
            if self.peek().is("(") {
                continue;
            }
            if !self.accept(",") {
                break;
            }
        }
        match open {
            0 => Ok(arguments),
            _ => self.unexpected("`)`"),
        }
    }

    fn receive_argument(&mut self) -> Result<Argument, Fail> {
        let at = self.here();
        let number = |value| Expr {
            kind: ExprKind::Number(value),
            at,
        };
        match &self.peek().kind {
            Kind::Number(value) => {
                self.at += 1;
                Ok(Argument::Value(number(*value)))
            }
            Kind::Mark("-") => {
                self.at += 1;
                match &self.next().kind {
                    Kind::Number(value) => Ok(Argument::Value(number(value.wrapping_neg()))),
                    _ => {
                        self.at -= 1;
                        self.unexpected("a number")
                    }
                }
            }
            Kind::Name(word) => match &**word {
                "eval" => Ok(Argument::Eval(*self.one_argument()?)),
                "true" => {
                    self.at += 1;
                    Ok(Argument::Value(number(1)))
                }
                "false" => {
                    self.at += 1;
                    Ok(Argument::Value(number(0)))
                }
                _ => Ok(Argument::Store(self.variable()?)),
            },
            _ => self.unexpected("a variable, a constant or `eval(...)`"),
        }
    }
}
