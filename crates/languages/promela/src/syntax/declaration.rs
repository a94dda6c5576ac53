//! Declarations of variables and channels, and the constants in them.

use super::ast::*;
use super::parser::{Fail, Parser, is_keyword, wrong};
use super::token::Kind;
use entail_program::CellType;

impl Parser<'_> {
    /// `mtype` begins a list of names rather than a variable.
    pub(super) fn is_message_list(&self) -> bool {
        let skip = if self.ahead(1).is(":") { 3 } else { 1 };
        self.ahead(skip).is("=") && self.ahead(skip + 1).is("{") || self.ahead(skip).is("{")
    }

    /// A constant expression.
    pub(super) fn constant(&mut self) -> Result<i32, Fail> {
        let expression = self.expression()?;
        constant_value(&expression).ok_or_else(|| {
            wrong(
                expression.at,
                "promela::constant",
                "a constant is expected here",
                "not a constant",
                "use a number, or a macro that stands for one",
            )
        })
    }

    /// Whether a declaration begins here.
    pub(super) fn starts_declaration(&self) -> bool {
        match &self.peek().kind {
            Kind::Name(word) => match &**word {
                "hidden" | "show" | "local" => true,
                "bit" | "bool" | "byte" | "short" | "int" | "unsigned" | "mtype" | "chan" | "pid" => true,
                word => self.known.records.contains(word) && matches!(self.ahead(1).kind, Kind::Name(_)),
            },
            _ => false,
        }
    }

    pub(super) fn type_name(&mut self) -> Result<TypeName, Fail> {
        let Kind::Name(word) = &self.peek().kind else {
            return self.unexpected("a type");
        };
        self.at += 1;
        Ok(TypeName::Basic(match &**word {
            "bit" | "bool" => CellType::Bit,
            "byte" => CellType::Byte,
            "short" => CellType::Short,
            "int" => CellType::Int,
            "unsigned" => CellType::Unsigned(32),
            "chan" => CellType::Channel,
            "pid" => CellType::ProcessNumber,
            "mtype" => {
                if self.peek().is(":") {
                    self.at += 1;
                    self.name("the name of a set of messages")?;
                }
                CellType::MessageName
            }
            _ if self.known.records.contains(word) => return Ok(TypeName::Record(word.clone())),
            _ => {
                self.at -= 1;
                return self.unexpected("a type");
            }
        }))
    }

    /// One declaration of one or more variables.
    pub(super) fn declaration(&mut self, declared: &mut Vec<Declared>) -> Result<(), Fail> {
        let (mut hidden, mut local) = (false, false);
        while let Some(word) = ["hidden", "show", "local"]
            .into_iter()
            .find(|word| self.peek().is_name(word))
        {
            hidden |= word == "hidden";
            local |= word == "local";
            self.at += 1;
        }
        let kind = self.type_name()?;
        loop {
            let (name, at) = self.name("the name of a variable")?;
            let mut kind = kind.clone();
            if kind == TypeName::Basic(CellType::Unsigned(32)) {
                self.expect(":")?;
                let bits = self.constant()?;
                if !(1..=32).contains(&bits) {
                    return self.fail(
                        at,
                        "the number of bits is not between 1 and 32",
                        "write `unsigned x : 5`",
                    );
                }
                kind = TypeName::Basic(CellType::Unsigned(bits as u8));
            }
            let mut length = None;
            if self.accept("[") {
                let size = self.constant()?;
                self.expect("]")?;
                match u32::try_from(size) {
                    Ok(size @ 1..=100_000) => length = Some(size),
                    _ => {
                        return self.fail(
                            at,
                            format!("an array cannot have {size} elements"),
                            "use a length from 1 to 100000",
                        );
                    }
                }
            }
            let initializer = match self.accept("=") {
                false => None,
                true if self.accept("[") => {
                    let capacity = self.constant()?;
                    if !(0..=255).contains(&capacity) {
                        return self.fail(
                            at,
                            format!("a channel cannot hold {capacity} messages"),
                            "use a capacity from 0 to 255",
                        );
                    }
                    self.expect("]")?;
                    if !self.accept_name("of") {
                        return self.unexpected("`of`");
                    }
                    self.expect("{")?;
                    let mut fields = Vec::new();
                    while !self.accept("}") {
                        if !self.accept(",") {
                            let at = self.here();
                            fields.push((self.type_name()?, at));
                        }
                    }
                    Some(Initializer::Channel(capacity, fields))
                }
                true if self.accept("{") => {
                    let mut values = Vec::new();
                    while !self.accept("}") {
                        if !self.accept(",") {
                            values.push(self.expression()?);
                        }
                    }
                    Some(Initializer::List(values))
                }
                true => Some(Initializer::Value(self.expression()?)),
            };
            declared.push(Declared {
                name,
                kind,
                length,
                initializer,
                hidden,
                local,
                at,
            });
            // In a list of parameters `a, byte b` goes on with a type.
            if !(self.peek().is(",")
                && matches!(&self.ahead(1).kind, Kind::Name(next) if !is_keyword(next) && !(self.known.records.contains(next))))
            {
                return Ok(());
            }
            self.at += 1;
        }
    }
}

/// The value of a constant expression.
pub(crate) fn constant_value(expression: &Expr) -> Option<i32> {
    use entail_program::{Binary, Unary};
    match &expression.kind {
        ExprKind::Number(number) => Some(*number),
        ExprKind::Unary(Unary::Negate, operand) => Some(constant_value(operand)?.wrapping_neg()),
        ExprKind::Binary(operator, left, right) => {
            let (left, right) = (constant_value(left)?, constant_value(right)?);
            match operator {
                Binary::Add => Some(left.wrapping_add(right)),
                Binary::Subtract => Some(left.wrapping_sub(right)),
                Binary::Multiply => Some(left.wrapping_mul(right)),
                Binary::Divide => left.checked_div(right),
                Binary::Remainder => left.checked_rem(right),
                Binary::ShiftLeft => Some(left.wrapping_shl(right as u32)),
                _ => None,
            }
        }
        _ => None,
    }
}
