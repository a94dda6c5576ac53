//! Built-in functions: conversions between types, word sizes, counting, minimum and maximum.

use super::Elaborator;
use super::names::ScopeId;
use super::value::{Kind, Lowered};
use crate::syntax::ast::{ExprId, Function, List};
use entail_model::{TermId, Value, Word};
use entail_source::{Diagnostic, Span};

impl Elaborator<'_> {
    pub(super) fn call(
        &mut self,
        function: Function,
        list: List,
        scope: ScopeId,
        primed: bool,
        span: Span,
    ) -> Lowered {
        let arguments = self.names.arena.list(list).to_vec();
        match function {
            Function::Count => return self.count(&arguments, scope, primed, span),
            Function::UwConst | Function::SwConst => {
                return self.word_constant(function == Function::SwConst, &arguments, scope, span);
            }
            Function::Read | Function::Write | Function::ConstArray => {
                self.infinite_type::<()>("array over all indices", span);
                return Lowered::Error;
            }
            _ => {}
        }
        let Some(first) = self.term(arguments[0], scope, primed) else {
            return Lowered::Error;
        };
        let kind = self.kind(first);
        let terms = &mut self.system.terms;
        let built = match (function, kind) {
            (Function::Abs, Kind::Integer) => {
                let zero = terms.integer(0);
                let negative = terms.less(first, zero);
                let negated = terms.negate(first);
                match (negative, negated) {
                    (Ok(negative), Ok(negated)) => terms.ite(negative, negated, first),
                    (Err(error), _) | (_, Err(error)) => Err(error),
                }
            }
            (Function::Min | Function::Max, Kind::Integer | Kind::Word { .. }) => {
                return self.extremum(function, first, &arguments, scope, primed, span);
            }
            (Function::Bool, Kind::Boolean) => Ok(first),
            (Function::Bool, Kind::Integer) => {
                let zero = self.equals_number(first, 0);
                Ok(self.system.terms.not(zero))
            }
            (Function::Bool, Kind::Word { width: 1, .. }) => {
                let zero = self.equals_number(first, 0);
                Ok(self.system.terms.not(zero))
            }
            (Function::Word1, Kind::Boolean) => terms.bool_to_word(first),
            (Function::ToInt | Function::Floor, Kind::Integer) => Ok(first),
            (Function::ToInt, Kind::Boolean) => {
                let (one, zero) = (terms.integer(1), terms.integer(0));
                terms.ite(first, one, zero)
            }
            (Function::ToInt, Kind::Word { .. }) => terms.word_to_int(first),
            (Function::Signed, Kind::Word { signed: false, .. }) => terms.reinterpret(first, true),
            (Function::Unsigned, Kind::Word { signed: true, .. }) => terms.reinterpret(first, false),
            (Function::SizeOf, Kind::Word { width, .. }) => Ok(terms.integer(i64::from(width))),
            (Function::Extend | Function::Resize, Kind::Word { width, signed }) => {
                return self.change_width(function, first, (width, signed), arguments[1], scope, span);
            }
            _ => {
                let argument = self.names.arena.span(arguments[0]);
                return self.wrong(Diagnostic::error(
                    "smv::type",
                    format!("`{}` cannot be applied to {}", name(function), kind.name()),
                    argument,
                    format!("this is {}", kind.name()),
                ));
            }
        };
        self.built(built, span)
    }

    fn count(&mut self, arguments: &[ExprId], scope: ScopeId, primed: bool, span: Span) -> Lowered {
        let flags: Vec<Option<TermId>> = arguments
            .iter()
            .map(|&argument| self.truth(argument, scope, primed, "an argument of `count`"))
            .collect();
        let Some(flags) = flags.into_iter().collect::<Option<Vec<TermId>>>() else {
            return Lowered::Error;
        };
        let (one, zero) = (self.system.terms.integer(1), self.system.terms.integer(0));
        let mut numbers = Vec::with_capacity(flags.len());
        for flag in flags {
            match self.system.terms.ite(flag, one, zero) {
                Ok(number) => numbers.push(number),
                Err(error) => return self.built(Err(error), span),
            }
        }
        let built = self.balanced_sum(&numbers);
        self.built(built, span)
    }

    fn extremum(
        &mut self,
        function: Function,
        first: TermId,
        arguments: &[ExprId],
        scope: ScopeId,
        primed: bool,
        span: Span,
    ) -> Lowered {
        let Some(second) = self.term(arguments[1], scope, primed) else {
            return Lowered::Error;
        };
        if self.kind(first) != self.kind(second) {
            let (left, right) = (self.kind(first).name(), self.kind(second).name());
            return self.wrong(Diagnostic::error(
                "smv::type",
                format!("`{}` cannot be applied to {left} and {right}", name(function)),
                span,
                "here",
            ));
        }
        let terms = &mut self.system.terms;
        let built = terms.less(first, second).and_then(|less| match function {
            Function::Min => terms.ite(less, first, second),
            _ => terms.ite(less, second, first),
        });
        self.built(built, span)
    }

    fn word_constant(&mut self, signed: bool, arguments: &[ExprId], scope: ScopeId, span: Span) -> Lowered {
        let value = self.constant_integer(arguments[0], scope, "the value of a word constant");
        let width = self.constant_integer(arguments[1], scope, "the width of a word constant");
        let (Some(value), Some(width)) = (value, width) else {
            return Lowered::Error;
        };
        if width < 1 || width > crate::syntax::MAX_WORD_WIDTH as i64 {
            return self.wrong(Diagnostic::error(
                "smv::width",
                format!("a word cannot have {width} bits"),
                span,
                "here",
            ));
        }
        let width = width as u32;
        let fits = width > 63 || {
            let half = 1i128 << (width - 1);
            let most = if signed { half - 1 } else { 2 * half - 1 };
            (-half..=most).contains(&i128::from(value))
        };
        if !fits {
            return self.wrong(Diagnostic::error(
                "smv::word-constant",
                format!("{value} does not fit in {width} bits"),
                span,
                "here",
            ));
        }
        let word = Word::from_integer(width, signed, &value.into());
        Lowered::Term(self.system.terms.constant(Value::Word(word)))
    }

    /// `extend(w, n)` adds `n` bits; `resize(w, n)` makes `n` bits, and of a signed word keeps the sign bit.
    fn change_width(
        &mut self,
        function: Function,
        word: TermId,
        shape: (u32, bool),
        by: ExprId,
        scope: ScopeId,
        span: Span,
    ) -> Lowered {
        let (width, signed) = shape;
        let Some(number) = self.constant_integer(by, scope, "a number of bits") else {
            return Lowered::Error;
        };
        let limit = crate::syntax::MAX_WORD_WIDTH as i64;
        let target = match function {
            Function::Extend => i64::from(width) + number,
            _ => number,
        };
        if number < 0 || target < 1 || target > limit {
            return self.wrong(Diagnostic::error(
                "smv::width",
                format!("a word cannot have {target} bits"),
                span,
                "here",
            ));
        }
        let target = target as u32;
        let terms = &mut self.system.terms;
        let built = if target >= width {
            terms.extend(word, target - width)
        } else if !signed {
            terms.extract(word, target - 1, 0)
        } else {
            let sign = terms.extract(word, width - 1, width - 1);
            let joined = match target {
                1 => sign,
                _ => terms
                    .extract(word, target - 2, 0)
                    .and_then(|rest| terms.concat(sign?, rest)),
            };
            joined.and_then(|joined| terms.reinterpret(joined, true))
        };
        self.built(built, span)
    }
}

fn name(function: Function) -> &'static str {
    match function {
        Function::Abs => "abs",
        Function::Min => "min",
        Function::Max => "max",
        Function::Bool => "bool",
        Function::Word1 => "word1",
        Function::ToInt => "toint",
        Function::Signed => "signed",
        Function::Unsigned => "unsigned",
        Function::Extend => "extend",
        Function::Resize => "resize",
        Function::SizeOf => "sizeof",
        Function::UwConst => "uwconst",
        Function::SwConst => "swconst",
        Function::Count => "count",
        Function::Floor => "floor",
        Function::Read => "READ",
        Function::Write => "WRITE",
        Function::ConstArray => "CONSTARRAY",
    }
}
