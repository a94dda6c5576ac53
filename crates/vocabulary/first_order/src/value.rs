//! Values of terms, and interpretations of symbols.

use crate::{Rational, Sort, SortId, SymbolId, Terms};
use num_bigint::BigUint;
use num_traits::Zero;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// A value of a sort.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Value {
    /// A truth value.
    Bool(bool),
    /// A number, of either arithmetic sort.
    Number(Rational),
    /// A word, its width is the sort's; the bits of a floating-point number; the place of a rounding mode among all.
    Word(BigUint),
    /// An element of an uninterpreted sort; different numbers are different elements.
    Element(u64),
    /// An array that has one value almost everywhere; an exception never has that value.
    Array(Box<Value>, BTreeMap<Value, Value>),
}

impl Value {
    /// The truth value, if it is one.
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Value::Bool(value) => Some(*value),
            _ => None,
        }
    }

    /// The number, if it is one.
    pub fn as_number(&self) -> Option<&Rational> {
        match self {
            Value::Number(value) => Some(value),
            _ => None,
        }
    }

    /// Some value of a sort.
    pub fn of_sort(terms: &Terms, sort: SortId) -> Value {
        let mut sort = sort;
        let mut depth = 0;
        loop {
            let value = match terms.sort(sort) {
                Sort::Bool => Value::Bool(false),
                Sort::Int | Sort::Real => Value::Number(Rational::zero()),
                Sort::Word(_) | Sort::Float(_) | Sort::Rounding => Value::Word(BigUint::zero()),
                Sort::Uninterpreted(_) => Value::Element(0),
                Sort::Array(_, element) => {
                    sort = *element;
                    depth += 1;
                    continue;
                }
            };
            return (0..depth).fold(value, |inner, _| Value::Array(Box::new(inner), BTreeMap::new()));
        }
    }

    /// Whether it is a value of this sort: whole where integers are wanted, no wider than its word.
    pub fn belongs(&self, terms: &Terms, sort: SortId) -> bool {
        match (self, terms.sort(sort)) {
            (Value::Bool(_), Sort::Bool)
            | (Value::Number(_), Sort::Real)
            | (Value::Element(_), Sort::Uninterpreted(_)) => true,
            (Value::Number(value), Sort::Int) => value.is_integer(),
            (Value::Word(value), Sort::Word(width)) => value.bits() <= u64::from(*width),
            (Value::Word(value), Sort::Float(format)) => {
                value.bits() <= u64::from(format.width()) && (!format.is_nan(value) || *value == format.nan())
            }
            (Value::Word(value), Sort::Rounding) => *value < BigUint::from(5u32),
            (Value::Array(default, exceptions), Sort::Array(index, element)) => {
                let fits =
                    |(at, what): (&Value, &Value)| at.belongs(terms, *index) && what.belongs(terms, *element);
                default.belongs(terms, *element) && exceptions.iter().all(fits)
            }
            _ => false,
        }
    }

    /// An array changed at an index.
    pub fn stored(self, index: Value, element: Value) -> Value {
        match self {
            Value::Array(default, mut exceptions) => {
                match *default == element {
                    true => drop(exceptions.remove(&index)),
                    false => drop(exceptions.insert(index, element)),
                }
                Value::Array(default, exceptions)
            }
            other => other,
        }
    }

    /// The element at an index.
    pub fn selected(&self, index: &Value) -> Value {
        match self {
            Value::Array(default, exceptions) => exceptions.get(index).unwrap_or(default).clone(),
            other => other.clone(),
        }
    }
}

/// A function: a table, and the value everywhere else. A constant has only the latter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FunctionValue {
    /// Values at these arguments.
    pub table: BTreeMap<Vec<Value>, Value>,
    /// The value elsewhere.
    pub otherwise: Value,
}

impl FunctionValue {
    /// A constant.
    pub fn constant(value: Value) -> FunctionValue {
        FunctionValue {
            table: BTreeMap::new(),
            otherwise: value,
        }
    }

    /// The value at these arguments.
    pub fn at(&self, arguments: &[Value]) -> &Value {
        self.table.get(arguments).unwrap_or(&self.otherwise)
    }
}

/// What symbols mean; a symbol that is not there has some fixed value of its sort.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Interpretation {
    /// Meanings of symbols.
    pub functions: FxHashMap<SymbolId, FunctionValue>,
}

impl Interpretation {
    /// Gives a constant its value.
    pub fn set(&mut self, symbol: SymbolId, value: Value) {
        self.functions.insert(symbol, FunctionValue::constant(value));
    }

    /// Gives a meaning to every symbol of formulas that has none: of an uninterpreted sort an element that is mentioned already, if
    /// there is one, so that the universe does not grow.
    pub fn complete(&mut self, terms: &Terms, formulas: &[crate::TermId]) {
        let mut known: FxHashMap<SortId, Value> = FxHashMap::default();
        let mut symbols: Vec<SymbolId> = self.functions.keys().copied().collect();
        symbols.sort_unstable();
        for symbol in symbols {
            let function = &self.functions[&symbol];
            if let Value::Element(_) = function.otherwise {
                known
                    .entry(terms.symbol(symbol).result)
                    .or_insert_with(|| function.otherwise.clone());
            }
        }
        for term in terms.cone(formulas) {
            if let crate::Op::Apply(symbol) = terms.op(term)
                && !self.functions.contains_key(symbol)
            {
                let sort = terms.symbol(*symbol).result;
                let value = known
                    .get(&sort)
                    .cloned()
                    .unwrap_or_else(|| Value::of_sort(terms, sort));
                self.set(*symbol, value);
            }
        }
    }

    /// Whether every symbol has values of its sort.
    pub fn is_well_sorted(&self, terms: &Terms) -> bool {
        self.functions.iter().all(|(&symbol, function)| {
            let result = terms.symbol(symbol).result;
            function.otherwise.belongs(terms, result)
                && function.table.values().all(|value| value.belongs(terms, result))
        })
    }

    /// A symbol's value at these arguments.
    pub fn value(&self, terms: &Terms, symbol: SymbolId, arguments: &[Value]) -> Value {
        match self.functions.get(&symbol) {
            Some(function) => function.at(arguments).clone(),
            None => Value::of_sort(terms, terms.symbol(symbol).result),
        }
    }
}
