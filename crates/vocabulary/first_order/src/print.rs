//! Terms, sorts and values as SMT-LIB writes them.
//!
//! Shared terms are printed once each, in `let`s around the whole, so the text is as large as the term's graph.

use crate::script::SymbolNames;
use crate::sexpr::quoted;
use crate::{FloatOp, Format, Op, Rational, Rounding, Sort, SortId, TermId, Terms, Value};
use num_bigint::BigUint;
use rustc_hash::FxHashMap;
use std::fmt::Write;

/// A number of a sort.
pub fn print_number(value: &Rational, sort: SortId) -> String {
    let point = if sort == SortId::REAL { ".0" } else { "" };
    let size = value.abs();
    let plain = match size.is_integer() {
        true => format!("{}{point}", size.numerator()),
        false => format!("(/ {}.0 {}.0)", size.numerator(), size.denominator()),
    };
    if value.is_negative() {
        format!("(- {plain})")
    } else {
        plain
    }
}

/// A word in binary, or in hexadecimal where that fits.
pub fn print_word(value: &BigUint, width: u32) -> String {
    match width % 4 {
        0 => format!("#x{:0>1$}", value.to_str_radix(16), width as usize / 4),
        _ => format!("#b{:0>1$}", value.to_str_radix(2), width as usize),
    }
}

/// A floating-point number by its three parts.
fn print_float(bits: &BigUint, format: Format) -> String {
    if format.is_nan(bits) {
        return format!("(_ NaN {} {})", format.exponent, format.significand);
    }
    let digits = format!("{:0>1$}", bits.to_str_radix(2), format.width() as usize);
    let (sign, rest) = digits.split_at(1);
    let (exponent, fraction) = rest.split_at(format.exponent as usize);
    format!("(fp #b{sign} #b{exponent} #b{fraction})")
}

impl Terms {
    fn float_operator(&self, op: FloatOp, sort: SortId) -> String {
        let to_fp = |name: &str| match self.sort(sort) {
            Sort::Float(format) => format!("(_ {name} {} {})", format.exponent, format.significand),
            _ => name.to_owned(),
        };
        match op {
            FloatOp::FromBits | FloatOp::Convert | FloatOp::FromReal | FloatOp::FromSigned => to_fp("to_fp"),
            FloatOp::FromUnsigned => to_fp("to_fp_unsigned"),
            FloatOp::ToBits => "fp.to_ieee_bv".into(),
            FloatOp::Abs => "fp.abs".into(),
            FloatOp::Neg => "fp.neg".into(),
            FloatOp::Add => "fp.add".into(),
            FloatOp::Sub => "fp.sub".into(),
            FloatOp::Mul => "fp.mul".into(),
            FloatOp::Div => "fp.div".into(),
            FloatOp::Fma => "fp.fma".into(),
            FloatOp::Sqrt => "fp.sqrt".into(),
            FloatOp::Remainder => "fp.rem".into(),
            FloatOp::RoundToIntegral => "fp.roundToIntegral".into(),
            FloatOp::Min => "fp.min".into(),
            FloatOp::Max => "fp.max".into(),
            FloatOp::LessEqual => "fp.leq".into(),
            FloatOp::Less => "fp.lt".into(),
            FloatOp::Equal => "fp.eq".into(),
            FloatOp::IsNormal => "fp.isNormal".into(),
            FloatOp::IsSubnormal => "fp.isSubnormal".into(),
            FloatOp::IsZero => "fp.isZero".into(),
            FloatOp::IsInfinite => "fp.isInfinite".into(),
            FloatOp::IsNan => "fp.isNaN".into(),
            FloatOp::IsNegative => "fp.isNegative".into(),
            FloatOp::IsPositive => "fp.isPositive".into(),
            FloatOp::ToUnsigned(width) => format!("(_ fp.to_ubv {width})"),
            FloatOp::ToSigned(width) => format!("(_ fp.to_sbv {width})"),
            FloatOp::FitsUnsigned(width) => format!("(_ fits-unsigned {width})"),
            FloatOp::FitsSigned(width) => format!("(_ fits-signed {width})"),
            FloatOp::ToReal => "fp.to_real".into(),
        }
    }

    /// A sort.
    pub fn print_sort(&self, sort: SortId) -> String {
        match self.sort(sort) {
            Sort::Bool => "Bool".into(),
            Sort::Int => "Int".into(),
            Sort::Real => "Real".into(),
            Sort::Word(width) => format!("(_ BitVec {width})"),
            Sort::Float(format) => {
                format!("(_ FloatingPoint {} {})", format.exponent, format.significand)
            }
            Sort::Rounding => "RoundingMode".into(),
            Sort::Array(index, element) => {
                format!(
                    "(Array {} {})",
                    self.print_sort(*index),
                    self.print_sort(*element)
                )
            }
            Sort::Uninterpreted(name) => quoted(name),
        }
    }

    /// A value of a sort.
    pub fn print_value(&self, value: &Value, sort: SortId) -> String {
        match (value, self.sort(sort)) {
            (Value::Bool(value), _) => value.to_string(),
            (Value::Number(value), _) => print_number(value, sort),
            (Value::Word(value), Sort::Word(width)) => print_word(value, *width),
            (Value::Array(default, exceptions), Sort::Array(index, element)) => {
                let mut text = format!(
                    "((as const {}) {})",
                    self.print_sort(sort),
                    self.print_value(default, *element)
                );
                for (at, what) in exceptions {
                    let (at, what) = (self.print_value(at, *index), self.print_value(what, *element));
                    text = format!("(store {text} {at} {what})");
                }
                text
            }
            (Value::Element(number), _) => format!("(as @{number} {})", self.print_sort(sort)),
            (Value::Word(value), Sort::Float(format)) => print_float(value, *format),
            (Value::Word(value), Sort::Rounding) => usize::try_from(value)
                .ok()
                .and_then(|place| Rounding::ALL.get(place))
                .map_or("?", |mode| mode.name())
                .into(),
            (Value::Word(value), _) => value.to_string(),
            (Value::Array(..), _) => "?".into(),
        }
    }

    /// The operator of a term, as it stands before the operands.
    pub fn operator_text(&self, term: TermId, names: &SymbolNames) -> String {
        let node = self.node(term);
        match &node.op {
            Op::True => "true".into(),
            Op::False => "false".into(),
            Op::Not => "not".into(),
            Op::And => "and".into(),
            Op::Or => "or".into(),
            Op::Xor => "xor".into(),
            Op::Eq => "=".into(),
            Op::Ite => "ite".into(),
            Op::Apply(symbol) => names.of(self, *symbol),
            Op::Forall(bound) => {
                let one = |symbol: &crate::SymbolId| {
                    let sort = self.print_sort(self.symbol(*symbol).result);
                    format!("({} {sort})", names.of(self, *symbol))
                };
                format!("forall ({})", bound.iter().map(one).collect::<Vec<_>>().join(" "))
            }
            Op::Number(value) => print_number(value, node.sort),
            Op::Add => "+".into(),
            Op::Mul => "*".into(),
            Op::Le => "<=".into(),
            Op::Lt => "<".into(),
            Op::ToReal => "to_real".into(),
            Op::ToInt => "to_int".into(),
            Op::IntDiv => "div".into(),
            Op::Divide => "/".into(),
            Op::Word(value) => print_word(value, self.width(term)),
            Op::Concat => "concat".into(),
            Op::Extract(high, low) => format!("(_ extract {high} {low})"),
            Op::WordNot => "bvnot".into(),
            Op::WordAnd => "bvand".into(),
            Op::WordOr => "bvor".into(),
            Op::WordXor => "bvxor".into(),
            Op::WordNeg => "bvneg".into(),
            Op::WordAdd => "bvadd".into(),
            Op::WordMul => "bvmul".into(),
            Op::WordDivide => "bvudiv".into(),
            Op::WordRemainder => "bvurem".into(),
            Op::ShiftLeft => "bvshl".into(),
            Op::ShiftRight => "bvlshr".into(),
            Op::ShiftRightSigned => "bvashr".into(),
            Op::WordLess => "bvult".into(),
            Op::WordLessSigned => "bvslt".into(),
            Op::Select => "select".into(),
            Op::Store => "store".into(),
            Op::ConstantArray => format!("(as const {})", self.print_sort(node.sort)),
            Op::Difference => "array-difference".into(),
            Op::Rounding(mode) => mode.name().into(),
            Op::Float(op) => self.float_operator(*op, node.sort),
        }
    }

    /// A term. Parts that occur more than once and are not small are named by `let`.
    pub fn print(&self, root: TermId) -> String {
        self.print_named(root, &SymbolNames::default())
    }

    /// A term with other names for some symbols.
    pub fn print_named(&self, root: TermId, names: &SymbolNames) -> String {
        let cone = self.cone(&[root]);
        let is_bound = cone.iter().any(|&term| matches!(self.op(term), Op::Forall(_)));
        let mut uses: FxHashMap<TermId, usize> = FxHashMap::default();
        for &term in &cone {
            for &arg in self.args(term) {
                *uses.entry(arg).or_default() += 1;
            }
        }
        let mut texts: FxHashMap<TermId, String> = FxHashMap::default();
        let mut bindings: Vec<(String, String)> = Vec::new();
        for &term in &cone {
            let mut text = self.operator_text(term, names);
            if !self.args(term).is_empty() {
                text.insert(0, '(');
                for arg in self.args(term) {
                    let _ = write!(text, " {}", texts[arg]);
                }
                text.push(')');
            }
            let is_shared = uses.get(&term).copied().unwrap_or(0) > 1 && !self.args(term).is_empty();
            // A name in front of everything would leave the scope of a quantifier.
            if is_shared && text.len() > 12 && !is_bound {
                let name = format!("?{}", bindings.len());
                bindings.push((name.clone(), text));
                text = name;
            }
            texts.insert(term, text);
        }
        let body = texts.remove(&root).unwrap_or_default();
        let count = bindings.len();
        let mut text = String::new();
        for (name, bound) in bindings {
            let _ = write!(text, "(let (({name} {bound})) ");
        }
        text + &body + &")".repeat(count)
    }
}
