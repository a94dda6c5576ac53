//! Terms, sorts and values as SMT-LIB writes them.
//!
//! Shared terms are printed once each, in `let`s around the whole, so the text is as large as the term's graph.

use crate::sexpr::quoted;
use crate::{Op, Rational, Sort, SortId, TermId, Terms, Value};
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

impl Terms {
    /// A sort.
    pub fn print_sort(&self, sort: SortId) -> String {
        match self.sort(sort) {
            Sort::Bool => "Bool".into(),
            Sort::Int => "Int".into(),
            Sort::Real => "Real".into(),
            Sort::Word(width) => format!("(_ BitVec {width})"),
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
            (Value::Word(value), _) => value.to_string(),
            (Value::Array(..), _) => "?".into(),
        }
    }

    fn operator_text(&self, term: TermId) -> String {
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
            Op::Apply(symbol) => quoted(&self.symbol(*symbol).name),
            Op::Forall(bound) => {
                let one = |symbol: &crate::SymbolId| {
                    let symbol = self.symbol(*symbol);
                    format!("({} {})", quoted(&symbol.name), self.print_sort(symbol.result))
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
        }
    }

    /// A term. Parts that occur more than once and are not small are named by `let`.
    pub fn print(&self, root: TermId) -> String {
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
            let mut text = self.operator_text(term);
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
