//! Circuits of words whose memories are too large to be taken apart into bits: BTOR2 as systems over words and arrays.
//!
//! The circuit is lowered to a finite-state system as always (`entail-btor2`), and its terms are written with the operators of first-order
//! terms, which mean the same of words: division by zero, shifts beyond the width and wrapping are SMT-LIB's in both.

use entail_first_order::{
    Claim, FirstOrderProperty, FirstOrderSystem, Op, Sort, SortId, StateVariable, TermId, Terms,
};
use entail_logic::{Node, Quantifier, Question};
use entail_model as model;
use entail_source::Source;
use num_bigint::BigUint;
use rustc_hash::FxHashMap;

/// The system of a circuit with its properties and the names of its inputs; what is wrong otherwise.
pub(crate) fn read_circuit(source: &Source) -> Result<Circuit, entail_source::Diagnostics> {
    let circuit = entail_btor2::read(source)?;
    let problem = |message: String| {
        let place = entail_source::Span::new(0, 0);
        entail_source::Diagnostics::from(entail_source::Diagnostic::error(
            "btor2::sort",
            message,
            place,
            "in this file",
        ))
    };
    let lowered = entail_btor2::lower(&circuit).map_err(|error| problem(error.to_string()))?;
    let mut translation = Translation::new(&lowered.system);
    translation.system(&lowered).ok_or_else(|| {
        problem("an operator of this circuit has no counterpart among words and arrays".into())
    })
}

/// A circuit as a system.
pub(crate) struct Circuit {
    pub system: FirstOrderSystem,
    pub properties: Vec<FirstOrderProperty>,
    pub input_names: Vec<String>,
}

/// Terms of the finite system as first-order terms.
struct Translation<'m> {
    from: &'m model::TransitionSystem,
    terms: Terms,
    /// For each variable, what stands for it now and after the step; an input has no next value.
    variables: Vec<(TermId, Option<TermId>)>,
    known: FxHashMap<model::TermId, TermId>,
}

impl<'m> Translation<'m> {
    fn new(from: &'m model::TransitionSystem) -> Translation<'m> {
        Translation {
            from,
            terms: Terms::new(),
            variables: Vec::new(),
            known: FxHashMap::default(),
        }
    }

    fn sort(&mut self, sort: &model::Sort) -> Option<SortId> {
        Some(match sort {
            model::Sort::Bool => SortId::BOOL,
            model::Sort::Word { width, .. } => self.terms.word_sort(*width),
            model::Sort::Array { index, element } => {
                let (index, element) = (self.sort(index)?, self.sort(element)?);
                self.terms.sort_id(Sort::Array(index, element))
            }
            _ => return None,
        })
    }

    fn system(&mut self, lowered: &entail_btor2::Btor2Model) -> Option<Circuit> {
        let from = self.from;
        let (mut states, mut inputs, mut input_names) = (Vec::new(), Vec::new(), Vec::new());
        let mut transition = Vec::new();
        for variable in from.variables() {
            let sort = self.sort(&variable.sort)?;
            let current = self.terms.constant(&variable.name, sort);
            if variable.kind == model::VarKind::Input {
                inputs.push(current);
                input_names.push(variable.name.to_string());
                self.variables.push((current, None));
                continue;
            }
            let next = self.terms.constant(&format!("next({})", variable.name), sort);
            if variable.kind == model::VarKind::Frozen {
                transition.push(self.terms.eq(next, current));
            }
            self.variables.push((current, Some(next)));
            states.push(StateVariable {
                name: variable.name.to_string(),
                current,
                next,
            });
        }
        let init = self.all(&from.init)?;
        transition.extend(self.all(&from.transition)?);
        let justice = self.all(&from.justice)?;
        let mut properties = Vec::new();
        for property in &lowered.properties {
            let claim = match &property.question {
                Question::Invariant(formula) => Claim::Invariant(self.term(*formula)?),
                Question::Formula(formula) => match formula.node() {
                    Node::Quantified(Quantifier::Forall, path) => {
                        let mut is_complete = true;
                        let truth = self.terms.truth();
                        let path = path.map_atoms(&mut |&atom| {
                            self.term(atom).unwrap_or_else(|| {
                                is_complete = false;
                                truth
                            })
                        });
                        Claim::Path(is_complete.then_some(path)?)
                    }
                    _ => return None,
                },
                _ => return None,
            };
            properties.push(FirstOrderProperty {
                name: property.name.clone(),
                text: property.text.clone(),
                place: (0, 0),
                claim,
            });
        }
        Some(Circuit {
            system: FirstOrderSystem {
                init: self.terms.and(&init),
                transition: self.terms.and(&transition),
                variables: states,
                inputs,
                justice,
                compassion: Vec::new(),
                terms: std::mem::take(&mut self.terms),
            },
            properties,
            input_names,
        })
    }

    fn all(&mut self, formulas: &[model::TermId]) -> Option<Vec<TermId>> {
        formulas.iter().map(|&formula| self.term(formula)).collect()
    }

    /// A term, operands first.
    fn term(&mut self, root: model::TermId) -> Option<TermId> {
        for term in self.from.terms.cone(&[root]) {
            if !self.known.contains_key(&term) {
                let translated = self.translated(term)?;
                self.known.insert(term, translated);
            }
        }
        self.known.get(&root).copied()
    }

    fn is_signed(&self, term: model::TermId) -> bool {
        self.from
            .terms
            .sort(term)
            .word_shape()
            .is_some_and(|(_, signed)| signed)
    }

    fn translated(&mut self, term: model::TermId) -> Option<TermId> {
        use model::Op as From;
        let from = self.from;
        let operands = from.terms.operands(term);
        let args: Vec<TermId> = operands.iter().map(|operand| self.known[operand]).collect();
        let first_signed = operands.first().is_some_and(|&operand| self.is_signed(operand));
        let terms = &mut self.terms;
        Some(match (from.terms.op(term), args.as_slice()) {
            (From::Constant(value), _) => self.constant(value, from.terms.sort(term))?,
            (From::Current(variable), _) => self.variables[variable.index()].0,
            (From::Next(variable), _) => self.variables[variable.index()].1?,
            (From::Not, &[a]) => terms.not(a),
            (From::And, all) => terms.and(all),
            (From::Or, all) => terms.or(all),
            (From::Ite, &[condition, yes, no]) => terms.ite(condition, yes, no),
            (From::Equal, &[a, b]) => terms.eq(a, b),
            (From::Less, &[a, b]) if first_signed => terms.word_less_signed(a, b),
            (From::Less, &[a, b]) => terms.word_less(a, b),
            (From::Add, &[a, b]) => terms.word_binary(Op::WordAdd, a, b),
            (From::Subtract, &[a, b]) => {
                let negated = terms.word_unary(Op::WordNeg, b);
                terms.word_binary(Op::WordAdd, a, negated)
            }
            (From::Negate, &[a]) => terms.word_unary(Op::WordNeg, a),
            (From::Multiply, &[a, b]) => terms.word_binary(Op::WordMul, a, b),
            (From::Divide, &[a, b]) if first_signed => terms.word_signed_divide(a, b),
            (From::Divide, &[a, b]) => terms.word_binary(Op::WordDivide, a, b),
            (From::Remainder, &[a, b]) if first_signed => terms.word_signed_remainder(a, b),
            (From::Remainder, &[a, b]) => terms.word_binary(Op::WordRemainder, a, b),
            (From::BitNot, &[a]) => terms.word_unary(Op::WordNot, a),
            (From::BitAnd, &[a, b]) => terms.word_binary(Op::WordAnd, a, b),
            (From::BitOr, &[a, b]) => terms.word_binary(Op::WordOr, a, b),
            (From::BitXor, &[a, b]) => terms.word_binary(Op::WordXor, a, b),
            (From::ShiftLeft, &[a, b]) => self.shift(Op::ShiftLeft, a, b)?,
            (From::ShiftRight, &[a, b]) if first_signed => self.shift(Op::ShiftRightSigned, a, b)?,
            (From::ShiftRight, &[a, b]) => self.shift(Op::ShiftRight, a, b)?,
            (From::Concat, &[a, b]) => terms.concat(a, b),
            (From::Extract { high, low }, &[a]) => terms.extract(a, *high, *low),
            (From::Extend { by }, &[a]) if first_signed => terms.sign_extend(a, *by),
            (From::Extend { by }, &[a]) => terms.zero_extend(a, *by),
            (From::Reinterpret { .. }, &[a]) => a,
            (From::BoolToWord, &[a]) => {
                let (one, zero) = (terms.word(1u32.into(), 1), terms.word(0u32.into(), 1));
                terms.ite(a, one, zero)
            }
            (From::Read, &[array, index]) => terms.select(array, index),
            (From::Write, &[array, index, element]) => terms.store(array, index, element),
            (From::ConstantArray, &[element]) => {
                let sort = self.sort(from.terms.sort(term))?;
                self.terms.build(Op::ConstantArray, &[element], sort)
            }
            _ => return None,
        })
    }

    fn width(&self, word: TermId) -> Option<u32> {
        match self.terms.sort(self.terms.sort_of(word)) {
            Sort::Word(width) => Some(*width),
            _ => None,
        }
    }

    /// A shift by a word of any width.
    fn shift(&mut self, op: Op, word: TermId, by: TermId) -> Option<TermId> {
        let (width, other) = (self.width(word)?, self.width(by)?);
        if other < width {
            let by = self.terms.zero_extend(by, width - other);
            return Some(self.terms.word_binary(op, word, by));
        }
        // In the wider of the two nothing is lost; of the result the low bits count.
        let wide = match op {
            Op::ShiftRightSigned => self.terms.sign_extend(word, other - width),
            _ => self.terms.zero_extend(word, other - width),
        };
        let shifted = self.terms.word_binary(op, wide, by);
        Some(self.terms.extract(shifted, width - 1, 0))
    }

    fn constant(&mut self, value: &model::Value, sort: &model::Sort) -> Option<TermId> {
        Some(match (value, sort) {
            (model::Value::Bool(truth), _) => self.terms.bool(*truth),
            (model::Value::Word(word), _) => self.terms.word(word.bits().clone(), word.width()),
            (model::Value::Array(elements), model::Sort::Array { index, element }) => {
                let (width, is_signed) = index.word_shape()?;
                if is_signed {
                    return None;
                }
                let array_sort = self.sort(sort)?;
                let mut elements = elements.iter();
                let everywhere = self.constant(elements.next()?, element)?;
                let mut array = self.terms.build(Op::ConstantArray, &[everywhere], array_sort);
                for (place, value) in elements.enumerate() {
                    let value = self.constant(value, element)?;
                    if value != everywhere {
                        let place = self.terms.word(BigUint::from(place + 1), width);
                        array = self.terms.store(array, place, value);
                    }
                }
                array
            }
            _ => return None,
        })
    }
}
