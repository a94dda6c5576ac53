//! Reading expressions, by precedence as UPPAAL's grammar has it.

use crate::parser::{Parser, Read};
use crate::tokens::Token;
use entail_uppaal_tree::{Expr, ExprKind, Operator, Quantifier, Unary};

/// Operators between operands by level, the weakest first; all of them associate to the left.
const LEVELS: [&[(&str, Operator)]; 12] = [
    &[
        ("||", Operator::Or),
        ("or", Operator::Or),
        ("xor", Operator::Xor),
        ("imply", Operator::Imply),
    ],
    &[("&&", Operator::And), ("and", Operator::And)],
    &[("|", Operator::BitOr)],
    &[("^", Operator::BitXor)],
    &[("&", Operator::BitAnd)],
    &[("==", Operator::Equal), ("!=", Operator::Different)],
    &[
        ("<", Operator::Less),
        ("=<", Operator::LessEqual),
        ("=>", Operator::GreaterEqual),
        ("<=", Operator::LessEqual),
        (">=", Operator::GreaterEqual),
        (">", Operator::Greater),
    ],
    &[("<?", Operator::Minimum), (">?", Operator::Maximum)],
    &[("<<", Operator::ShiftLeft), (">>", Operator::ShiftRight)],
    &[("+", Operator::Add), ("-", Operator::Subtract)],
    &[
        ("*", Operator::Multiply),
        ("/", Operator::Divide),
        ("%", Operator::Remainder),
    ],
    &[("**", Operator::Power)],
];

/// Signs that UPPAAL 3 had beside others.
const OLD_SIGNS: [&str; 2] = ["=<", "=>"];

const ASSIGNMENTS: [(&str, Option<Operator>); 12] = [
    ("=", None),
    (":=", None),
    ("+=", Some(Operator::Add)),
    ("-=", Some(Operator::Subtract)),
    ("*=", Some(Operator::Multiply)),
    ("/=", Some(Operator::Divide)),
    ("%=", Some(Operator::Remainder)),
    ("|=", Some(Operator::BitOr)),
    ("&=", Some(Operator::BitAnd)),
    ("^=", Some(Operator::BitXor)),
    ("<<=", Some(Operator::ShiftLeft)),
    (">>=", Some(Operator::ShiftRight)),
];

/// Words that cannot be names in expressions.
const RESERVED: [&str; 25] = [
    "and", "or", "xor", "imply", "not", "forall", "exists", "sum", "int", "bool", "clock", "chan", "void",
    "scalar", "struct", "typedef", "const", "if", "else", "for", "while", "do", "return", "system",
    "process",
];

impl Parser<'_> {
    /// An expression.
    pub fn expression(&mut self) -> Read<Expr> {
        self.deeper(|parser| {
            let left = parser.choice()?;
            for (sign, operator) in ASSIGNMENTS {
                if parser.take(sign) {
                    let right = parser.expression()?;
                    return Ok(Expr {
                        span: left.span.to(right.span),
                        kind: ExprKind::Assign(operator, Box::new(left), Box::new(right)),
                    });
                }
            }
            Ok(left)
        })
    }

    fn choice(&mut self) -> Read<Expr> {
        let condition = self.level(0)?;
        if !self.take("?") {
            return Ok(condition);
        }
        self.deeper(|parser| {
            let then = parser.expression()?;
            parser.expect(":")?;
            let otherwise = parser.choice()?;
            Ok(Expr {
                span: condition.span.to(otherwise.span),
                kind: ExprKind::Choice(Box::new([condition, then, otherwise])),
            })
        })
    }

    fn level(&mut self, level: usize) -> Read<Expr> {
        let Some(operators) = LEVELS.get(level) else {
            return self.unary();
        };
        let mut left = self.level(level + 1)?;
        let mut length = 0;
        loop {
            // `c?` and `c!` end a label; `a ? b : c` does not begin an operator of these levels.
            let is_it =
                |(sign, _): &&(&str, Operator)| self.is(sign) && (self.old || !OLD_SIGNS.contains(sign));
            let Some((_, operator)) = operators.iter().find(is_it) else {
                return Ok(left);
            };
            // In a list of priorities, `<` separates.
            if *operator == Operator::Less && self.less_separates {
                return Ok(left);
            }
            self.next();
            let right = match operator {
                // `a imply b` and the others of its level associate to the left.
                _ if self.is_quantifier() => self.expression()?,
                _ => self.level(level + 1)?,
            };
            length += 1;
            if length > 1000 {
                return Err(self.problem("this expression is too long"));
            }
            left = Expr {
                span: left.span.to(right.span),
                kind: ExprKind::Binary(*operator, Box::new(left), Box::new(right)),
            };
        }
    }

    fn is_quantifier(&self) -> bool {
        ["forall", "exists", "sum"].iter().any(|word| self.is(word))
    }

    fn unary(&mut self) -> Read<Expr> {
        let start = self.span();
        for (sign, operator) in [
            ("-", Unary::Minus),
            ("+", Unary::Plus),
            ("!", Unary::Not),
            ("not", Unary::Not),
        ] {
            if self.take(sign) {
                let inner = self.deeper(Parser::unary)?;
                let span = start.to(inner.span);
                // The least number is written as a negation.
                if let (Unary::Minus, ExprKind::Number(number)) = (operator, &inner.kind) {
                    let kind = ExprKind::Number(-number);
                    return Ok(Expr { span, kind });
                }
                return Ok(Expr {
                    span,
                    kind: ExprKind::Unary(operator, Box::new(inner)),
                });
            }
        }
        for (sign, by) in [("++", 1), ("--", -1)] {
            if self.take(sign) {
                let target = self.deeper(Parser::unary)?;
                return Ok(Expr {
                    span: start.to(target.span),
                    kind: ExprKind::Step {
                        after: false,
                        by,
                        target: Box::new(target),
                    },
                });
            }
        }
        self.postfix()
    }

    fn postfix(&mut self) -> Read<Expr> {
        let mut left = self.primary()?;
        let mut length = 0;
        loop {
            length += 1;
            if length > 1000 {
                return Err(self.problem("this expression is too long"));
            }
            let kind = if self.take("[") {
                let index = self.expression()?;
                self.expect("]")?;
                ExprKind::Index(Box::new(left.clone()), Box::new(index))
            } else if self.take("(") {
                let arguments = self.arguments()?;
                ExprKind::Call(Box::new(left.clone()), arguments)
            } else if self.take(".") {
                let (name, _) = self.name("the name of a field or a location")?;
                ExprKind::Field(Box::new(left.clone()), name)
            } else if self.take("'") {
                ExprKind::Rate(Box::new(left.clone()))
            } else if self.is("++") || self.is("--") {
                let by = if self.take("++") { 1 } else { -1 };
                if by == -1 {
                    self.next();
                }
                ExprKind::Step {
                    after: true,
                    by,
                    target: Box::new(left.clone()),
                }
            } else {
                return Ok(left);
            };
            left = Expr {
                span: left.span.to(self.last_span()),
                kind,
            };
        }
    }

    /// Expressions up to a closing parenthesis.
    pub fn arguments(&mut self) -> Read<Vec<Expr>> {
        let mut all = Vec::new();
        if self.take(")") {
            return Ok(all);
        }
        loop {
            all.push(self.expression()?);
            if self.take(")") {
                return Ok(all);
            }
            self.expect(",")?;
        }
    }

    fn primary(&mut self) -> Read<Expr> {
        let (token, span) = self.peek_at();
        let kind = match token {
            Token::Number(number) => ExprKind::Number(number),
            Token::Double(text) => ExprKind::Double(text),
            Token::Text(text) => ExprKind::Text(text),
            Token::Word(word) => match word.as_str() {
                "true" => ExprKind::Truth(true),
                "false" => ExprKind::Truth(false),
                "deadlock" => ExprKind::Deadlock,
                "forall" | "exists" | "sum" => return self.quantified(&word),
                name if RESERVED.contains(&name) => return Err(self.unexpected("an expression")),
                _ => ExprKind::Name(word),
            },
            Token::Sign("(") => {
                self.next();
                // A list of priorities does not reach into parentheses.
                let separates = std::mem::replace(&mut self.less_separates, false);
                let inner = self.expression()?;
                self.less_separates = separates;
                self.expect(")")?;
                return Ok(Expr {
                    span: span.to(self.last_span()),
                    kind: inner.kind,
                });
            }
            _ => return Err(self.unexpected("an expression")),
        };
        self.next();
        Ok(Expr { span, kind })
    }

    fn quantified(&mut self, word: &str) -> Read<Expr> {
        let quantifier = match word {
            "forall" => Quantifier::ForAll,
            "exists" => Quantifier::Exists,
            _ => Quantifier::Sum,
        };
        let start = self.span();
        self.next();
        self.expect("(")?;
        let (name, _) = self.new_name("a name")?;
        self.expect(":")?;
        let of = self.type_expression()?;
        self.expect(")")?;
        let inner = self.expression()?;
        Ok(Expr {
            span: start.to(inner.span),
            kind: ExprKind::Quantified(quantifier, name, Box::new(of), Box::new(inner)),
        })
    }
}
