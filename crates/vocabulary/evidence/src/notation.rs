//! Terms and formulas as text, in the model's own names.
//!
//! For people: reports show subformulas with it, and saved evidence says with it which formula a claim is about. A term that a
//! define names is printed by that name. The text is SMV's, but it need not be read back: long terms are cut with `…`
//! (terms are graphs, and written out as trees they can be exponentially long).

use entail_logic::Formula;
use entail_model::{Op, TermId, TransitionSystem};
use rustc_hash::FxHashMap;
use std::fmt::Write;
use std::sync::Arc;

/// Operators nested deeper than this are cut.
const DEEPEST: usize = 24;
/// A term's text is cut after about so many characters.
const LONGEST: usize = 400;

/// Prints terms and formulas of one system.
pub struct Notation<'a> {
    system: &'a TransitionSystem,
    defines: FxHashMap<TermId, Arc<str>>,
}

impl<'a> Notation<'a> {
    /// The notation of a system. Defines of single variables and constants are left out: their own names say more.
    pub fn new(system: &'a TransitionSystem) -> Notation<'a> {
        let mut defines = FxHashMap::default();
        for define in &system.defines {
            let leaf = matches!(
                system.terms.op(define.term),
                Op::Constant(_) | Op::Current(_) | Op::Next(_)
            );
            if !leaf {
                defines
                    .entry(define.term)
                    .or_insert_with(|| Arc::clone(&define.name));
            }
        }
        Notation { system, defines }
    }

    /// A formula as text.
    pub fn formula(&self, formula: &Formula<TermId>) -> String {
        formula
            .display_with(|term, out| out.write_str(&self.term(*term)))
            .to_string()
    }

    /// A term as text.
    pub fn term(&self, term: TermId) -> String {
        let mut text = String::new();
        self.write(term, 0, 0, &mut text);
        text
    }

    /// Writes a term; `tightness` is that of the surrounding operator (higher binds tighter).
    fn write(&self, term: TermId, tightness: u8, depth: usize, out: &mut String) {
        if let Some(name) = self.defines.get(&term) {
            out.push_str(name);
            return;
        }
        if depth > DEEPEST || out.len() > LONGEST {
            out.push('…');
            return;
        }
        let terms = &self.system.terms;
        let operands = terms.operands(term);
        let name = |variable: &entail_model::VarId| {
            let variables = self.system.variables();
            variables
                .get(variable.index())
                .map_or("?", |variable| &*variable.name)
        };
        let infix = |symbol: &str, own: u8, out: &mut String| {
            let wrap = own < tightness || (own == tightness && own != AND && own != OR);
            if wrap {
                out.push('(');
            }
            for (position, &operand) in operands.iter().enumerate() {
                if position > 0 {
                    let _ = write!(out, " {symbol} ");
                }
                self.write(operand, own, depth + 1, out);
            }
            if wrap {
                out.push(')');
            }
        };
        match terms.op(term) {
            Op::Constant(value) => {
                let _ = write!(out, "{value}");
            }
            Op::Current(variable) => out.push_str(name(variable)),
            Op::Next(variable) => {
                let _ = write!(out, "next({})", name(variable));
            }
            Op::Not => self.write_not(operands[0], tightness, depth, out),
            Op::And => infix("&", AND, out),
            Op::Or => infix("|", OR, out),
            Op::Equal => self.write_relation(operands, "=", tightness, depth, out),
            Op::Less => infix("<", RELATION, out),
            Op::Add => infix("+", SUM, out),
            Op::Subtract => infix("-", SUM, out),
            Op::Multiply => infix("*", PRODUCT, out),
            Op::Divide => infix("/", PRODUCT, out),
            Op::Remainder => infix("mod", PRODUCT, out),
            Op::BitAnd => infix("&", AND, out),
            Op::BitOr => infix("|", OR, out),
            Op::BitXor => infix("xor", OR, out),
            Op::ShiftLeft => infix("<<", SUM, out),
            Op::ShiftRight => infix(">>", SUM, out),
            Op::Concat => infix("::", PRODUCT, out),
            Op::Ite => {
                out.push('(');
                self.write(operands[0], RELATION, depth + 1, out);
                out.push_str(" ? ");
                self.write(operands[1], RELATION, depth + 1, out);
                out.push_str(" : ");
                self.write(operands[2], RELATION, depth + 1, out);
                out.push(')');
            }
            Op::Extract { high, low } => {
                self.write(operands[0], TIGHTEST, depth + 1, out);
                let _ = write!(out, "[{high}:{low}]");
            }
            Op::Read => {
                self.write(operands[0], TIGHTEST, depth + 1, out);
                out.push('[');
                self.write(operands[1], 0, depth + 1, out);
                out.push(']');
            }
            Op::AsInteger => self.write(operands[0], tightness, depth + 1, out),
            op => {
                let function = match op {
                    Op::Negate => "-",
                    Op::BitNot => "!",
                    Op::Extend { .. } => "extend",
                    Op::Reinterpret { signed: true } => "signed",
                    Op::Reinterpret { signed: false } => "unsigned",
                    Op::BoolToWord => "word1",
                    Op::WordToInt => "toint",
                    Op::IntToWord { signed: true, .. } => "swconst",
                    Op::IntToWord { .. } => "uwconst",
                    Op::Write => "WRITE",
                    _ => "CONSTARRAY",
                };
                out.push_str(function);
                out.push('(');
                for (position, &operand) in operands.iter().enumerate() {
                    if position > 0 {
                        out.push_str(", ");
                    }
                    self.write(operand, 0, depth + 1, out);
                }
                match op {
                    Op::Extend { by } => {
                        let _ = write!(out, ", {by}");
                    }
                    Op::IntToWord { width, .. } => {
                        let _ = write!(out, ", {width}");
                    }
                    _ => {}
                }
                out.push(')');
            }
        }
    }

    /// `a != b`, `a >= b`, or `!a`.
    fn write_not(&self, operand: TermId, tightness: u8, depth: usize, out: &mut String) {
        let symbol = match self.system.terms.op(operand) {
            _ if self.defines.contains_key(&operand) => None,
            Op::Equal => Some("!="),
            Op::Less => Some(">="),
            _ => None,
        };
        let Some(symbol) = symbol else {
            out.push('!');
            self.write(operand, TIGHTEST, depth + 1, out);
            return;
        };
        let sides = self.system.terms.operands(operand);
        self.write_relation(sides, symbol, tightness, depth, out);
    }

    /// `a = b`; equality is symmetric, and people write the constant on the right.
    fn write_relation(&self, sides: &[TermId], symbol: &str, tightness: u8, depth: usize, out: &mut String) {
        let is_constant = |side: TermId| self.system.terms.as_constant(side).is_some();
        let swap = symbol != ">=" && is_constant(sides[0]) && !is_constant(sides[1]);
        let (left, right) = if swap {
            (sides[1], sides[0])
        } else {
            (sides[0], sides[1])
        };
        let wrap = RELATION <= tightness;
        if wrap {
            out.push('(');
        }
        self.write(left, RELATION, depth + 1, out);
        let _ = write!(out, " {symbol} ");
        self.write(right, RELATION, depth + 1, out);
        if wrap {
            out.push(')');
        }
    }
}

const OR: u8 = 1;
const AND: u8 = 2;
const RELATION: u8 = 3;
const SUM: u8 = 4;
const PRODUCT: u8 = 5;
const TIGHTEST: u8 = 6;

#[cfg(test)]
mod tests {
    use super::*;
    use entail_model::{Define, Sort, TransitionSystem, VarKind};

    #[test]
    fn terms_are_printed_with_names_and_needed_parentheses_only() {
        let mut system = TransitionSystem::new();
        let state = system.add_variable("s", Sort::range(0, 3), VarKind::State);
        let state = system.current(state);
        let terms = &mut system.terms;
        let mut is = |number| {
            let number = terms.integer(number);
            terms.equal(state, number).expect("both are numbers")
        };
        let (a, two, three) = (is(1), is(2), is(3));
        let b = terms.or([two, three]);
        let both = terms.and([a, b]);
        let not_a = terms.not(a);
        let named = terms.not(both);
        system.defines.push(Define {
            name: "both".into(),
            term: both,
        });
        let notation = Notation::new(&system);
        assert_eq!(notation.term(b), "s = 2 | s = 3");
        assert_eq!(notation.term(not_a), "s != 1");
        assert_eq!(notation.term(named), "!both");
        assert_eq!(
            notation.formula(&Formula::atom(not_a).globally().forall()),
            "AG s != 1"
        );
    }
}
