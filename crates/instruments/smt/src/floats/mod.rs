//! Floating-point numbers as words.
//!
//! [`Lowering`] rewrites formulas so that numbers are their bits and rounding modes words of three bits, operation by operation
//! (Brain, Schanda, Sun 2019). Every NaN has the same bits, so equality of numbers is equality of words: free constants are required to
//! have them, whatever else may be a NaN (a function's result, an array's element, bits that are read) is replaced by them. A model of the
//! words becomes a model of the numbers by giving symbols their meaning back ([`Lowering::lift`]).
//!
//! The translation has no certificate of its own. It shares nothing with the evaluator that judges models, except that a written real
//! number is rounded by it.

mod arithmetic;
mod circuit;
mod convert;
#[cfg(test)]
mod tests;
mod unpacked;

use circuit::Circuit;
use entail_budget::{Budget, Spent};
use entail_first_order::{
    FloatOp, FunctionValue, Interpretation, Op, Sort, SortId, SymbolId, TermId, Terms, Value,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// What became of symbols and terms.
#[derive(Default)]
pub(crate) struct Lowering {
    done: FxHashMap<TermId, TermId>,
    symbols: FxHashMap<SymbolId, SymbolId>,
    bound: FxHashSet<SymbolId>,
    /// Conditions on the words of free constants.
    conditions: Vec<TermId>,
}

/// Whether terms speak of floating-point numbers or rounding modes.
pub(crate) fn has_floats(terms: &Terms, formulas: &[TermId]) -> bool {
    let mut sorts: FxHashMap<SortId, bool> = FxHashMap::default();
    terms.cone(formulas).iter().any(|&term| {
        let sort = terms.sort_of(term);
        *sorts.entry(sort).or_insert_with(|| mentions(terms, sort)) || matches!(terms.op(term), Op::Float(_))
    })
}

/// The sorts a sort is made of, itself included, parts first.
fn parts_of(terms: &Terms, sort: SortId) -> Vec<SortId> {
    let mut found = vec![sort];
    let mut seen: FxHashSet<SortId> = FxHashSet::default();
    let mut position = 0;
    while position < found.len() {
        if let Sort::Array(index, element) = *terms.sort(found[position]) {
            for part in [index, element] {
                if seen.insert(part) {
                    found.push(part);
                }
            }
        }
        position += 1;
    }
    found.sort_unstable();
    found
}

fn mentions(terms: &Terms, sort: SortId) -> bool {
    let is_float = |&part: &SortId| matches!(terms.sort(part), Sort::Float(_) | Sort::Rounding);
    parts_of(terms, sort).iter().any(is_float)
}

fn lowered_sort(terms: &mut Terms, sort: SortId) -> SortId {
    let mut images: FxHashMap<SortId, SortId> = FxHashMap::default();
    for part in parts_of(terms, sort) {
        let image = match *terms.sort(part) {
            Sort::Float(format) => terms.word_sort(format.width()),
            Sort::Rounding => terms.word_sort(3),
            Sort::Array(index, element) => {
                let (index, element) = (images[&index], images[&element]);
                terms.sort_id(Sort::Array(index, element))
            }
            _ => part,
        };
        images.insert(part, image);
    }
    images[&sort]
}

impl Lowering {
    /// Formulas over words, with conditions on free constants behind them; or what cannot be written so.
    pub fn lower(
        &mut self,
        terms: &mut Terms,
        formulas: &[TermId],
        budget: &Budget,
    ) -> Result<Result<Vec<TermId>, String>, Spent> {
        let cone = terms.cone(formulas);
        for &term in &cone {
            if let Op::Forall(bound) = terms.op(term) {
                self.bound.extend(bound.iter().copied());
            }
        }
        for term in cone {
            budget.check_now()?;
            if !self.done.contains_key(&term) {
                match self.term(terms, term) {
                    Ok(image) => drop(self.done.insert(term, image)),
                    Err(reason) => return Ok(Err(reason)),
                }
            }
        }
        let mut lowered: Vec<TermId> = formulas.iter().map(|formula| self.done[formula]).collect();
        lowered.append(&mut self.conditions);
        Ok(Ok(lowered))
    }

    fn symbol(&mut self, terms: &mut Terms, symbol: SymbolId) -> SymbolId {
        if let Some(&known) = self.symbols.get(&symbol) {
            return known;
        }
        let data = terms.symbol(symbol).clone();
        let arguments: Vec<SortId> = data
            .arguments
            .iter()
            .map(|&sort| lowered_sort(terms, sort))
            .collect();
        let result = lowered_sort(terms, data.result);
        let image = match arguments == data.arguments && result == data.result {
            true => symbol,
            false => terms.declare(&data.name, &arguments, result),
        };
        self.symbols.insert(symbol, image);
        image
    }

    /// A word that may be any pattern, as the word of a number or mode.
    fn admitted(terms: &mut Terms, word: TermId, sort: SortId) -> TermId {
        match terms.sort(sort).clone() {
            Sort::Float(format) => Circuit { terms }.canonical(format, word),
            Sort::Rounding => {
                let mut circuit = Circuit { terms };
                let five = circuit.constant(5, 3);
                let is_mode = circuit.less(word, five);
                let first = circuit.zeros(3);
                circuit.ite(is_mode, word, first)
            }
            _ => word,
        }
    }

    fn term(&mut self, terms: &mut Terms, term: TermId) -> Result<TermId, String> {
        let node = terms.node(term).clone();
        let args: Vec<TermId> = node.args.iter().map(|arg| self.done[arg]).collect();
        let sort = lowered_sort(terms, node.sort);
        Ok(match &node.op {
            Op::Rounding(mode) => Circuit { terms }.constant(mode.index() as i64, 3),
            Op::Float(op) => operation(terms, *op, &node.args, &args, node.sort)
                .ok_or_else(|| format!("this is not translated to words: {}", short(terms, term)))?,
            Op::Apply(symbol) => {
                let image = self.symbol(terms, *symbol);
                let word = terms.make(Op::Apply(image), &args, sort);
                let admitted = Lowering::admitted(terms, word, node.sort);
                if admitted != word && args.is_empty() && !self.bound.contains(symbol) {
                    self.conditions.push(terms.eq(admitted, word));
                    return Ok(word);
                }
                admitted
            }
            Op::Select => {
                let word = terms.build(Op::Select, &args, sort);
                Lowering::admitted(terms, word, node.sort)
            }
            Op::Forall(bound) => {
                let bound: Vec<SymbolId> = bound.iter().map(|&one| self.symbol(terms, one)).collect();
                terms.make(Op::Forall(bound.into()), &args, SortId::BOOL)
            }
            op => terms.build(op.clone(), &args, sort),
        })
    }

    /// A universal formula over words with its truth value, as the original one; the formula of its counterexample has none.
    pub fn original(
        &self,
        (formula, value, _): (TermId, bool, Option<TermId>),
    ) -> (TermId, bool, Option<TermId>) {
        let original = self.done.iter().find(|(_, image)| **image == formula);
        (original.map_or(formula, |(&original, _)| original), value, None)
    }

    /// The interpretation of the original symbols.
    pub fn lift(&self, terms: &Terms, model: &Interpretation) -> Interpretation {
        let mut lifted = model.clone();
        for (&symbol, &image) in &self.symbols {
            if symbol == image {
                continue;
            }
            let Some(function) = model.functions.get(&image) else {
                continue;
            };
            let data = terms.symbol(symbol);
            let table = function.table.iter().map(|(arguments, value)| {
                let arguments = arguments
                    .iter()
                    .zip(&data.arguments)
                    .map(|(value, &sort)| lifted_value(terms, value, sort));
                (arguments.collect(), lifted_value(terms, value, data.result))
            });
            lifted.functions.insert(
                symbol,
                FunctionValue {
                    table: table.collect(),
                    otherwise: lifted_value(terms, &function.otherwise, data.result),
                },
            );
            lifted.functions.remove(&image);
        }
        lifted
    }
}

fn short(terms: &Terms, term: TermId) -> String {
    terms.print(term).chars().take(80).collect()
}

fn lifted_value(terms: &Terms, value: &Value, sort: SortId) -> Value {
    match (value, terms.sort(sort)) {
        (Value::Word(bits), Sort::Float(format)) => Value::Word(format.canonical(bits.clone())),
        (Value::Word(bits), Sort::Rounding) if *bits > 4u32.into() => Value::Word(0u32.into()),
        (Value::Array(default, exceptions), Sort::Array(index, element)) => {
            let default = lifted_value(terms, default, *element);
            let mut array = Value::Array(Box::new(default), Default::default());
            for (at, what) in exceptions {
                array = array.stored(
                    lifted_value(terms, at, *index),
                    lifted_value(terms, what, *element),
                );
            }
            array
        }
        _ => value.clone(),
    }
}

/// An operation on words; `original` are the operands before the translation.
fn operation(
    terms: &mut Terms,
    op: FloatOp,
    original: &[TermId],
    args: &[TermId],
    sort: SortId,
) -> Option<TermId> {
    let own = match terms.sort(sort) {
        Sort::Float(format) => Some(*format),
        _ => None,
    };
    let format = original.iter().find_map(|&arg| terms.format(arg));
    let number = original.get(1).and_then(|&arg| terms.number(arg)).cloned();
    let mut circuit = Circuit { terms };
    let c = &mut circuit;
    Some(match op {
        FloatOp::FromBits => c.canonical(own?, args[0]),
        FloatOp::ToBits => args[0],
        FloatOp::Abs | FloatOp::Neg => {
            let format = own?;
            let is_nan = c.is_nan(format, args[0]);
            let rest = c.slice(args[0], format.width() - 2, 0);
            let negative = c.bit(args[0], format.width() - 1);
            let flipped = c.not(negative);
            let falsehood = c.truth(false);
            let sign = c.flag(if op == FloatOp::Neg { flipped } else { falsehood }, 1);
            let result = c.join(sign, rest);
            c.ite(is_nan, args[0], result)
        }
        FloatOp::Add => c.float_add(own?, args[0], args[1], args[2]),
        FloatOp::Sub => {
            let format = own?;
            let rest = c.slice(args[2], format.width() - 2, 0);
            let negative = c.bit(args[2], format.width() - 1);
            let flipped = c.not(negative);
            let sign = c.flag(flipped, 1);
            let opposite = c.join(sign, rest);
            c.float_add(format, args[0], args[1], opposite)
        }
        FloatOp::Mul => c.float_mul(own?, args[0], args[1], args[2]),
        FloatOp::Div => c.float_div(own?, args[0], args[1], args[2]),
        FloatOp::Fma => c.float_fma(own?, args[0], args[1], args[2], args[3]),
        FloatOp::Sqrt => c.float_sqrt(own?, args[0], args[1]),
        FloatOp::Remainder => c.float_remainder(own?, args[0], args[1])?,
        FloatOp::RoundToIntegral => c.float_round_to_integral(own?, args[0], args[1]),
        FloatOp::Min | FloatOp::Max => {
            let format = own?;
            let (x_nan, y_nan) = (c.is_nan(format, args[0]), c.is_nan(format, args[1]));
            let first = match op {
                FloatOp::Min => c.float_order(FloatOp::Less, format, args[0], args[1]),
                _ => c.float_order(FloatOp::Less, format, args[1], args[0]),
            };
            let takes_first = c.or(&[first, y_nan]);
            let number = c.not(x_nan);
            let takes_first = c.and(&[takes_first, number]);
            c.ite(takes_first, args[0], args[1])
        }
        FloatOp::LessEqual | FloatOp::Less | FloatOp::Equal => c.float_order(op, format?, args[0], args[1]),
        FloatOp::IsNormal
        | FloatOp::IsSubnormal
        | FloatOp::IsZero
        | FloatOp::IsInfinite
        | FloatOp::IsNan
        | FloatOp::IsNegative
        | FloatOp::IsPositive => c.float_test(op, format?, args[0]),
        FloatOp::Convert => c.float_convert(format?, own?, args[0], args[1]),
        FloatOp::FromReal => c.float_from_number(own?, args[0], &number?)?,
        FloatOp::FromSigned => c.float_from_word(own?, args[0], args[1], true),
        FloatOp::FromUnsigned => c.float_from_word(own?, args[0], args[1], false),
        FloatOp::ToUnsigned(width) => c.float_to_word(format?, args[0], args[1], width, false).0,
        FloatOp::ToSigned(width) => c.float_to_word(format?, args[0], args[1], width, true).0,
        FloatOp::FitsUnsigned(width) => c.float_to_word(format?, args[0], args[1], width, false).1,
        FloatOp::FitsSigned(width) => c.float_to_word(format?, args[0], args[1], width, true).1,
        FloatOp::ToReal => c.float_to_real(format?, args[0])?,
    })
}
