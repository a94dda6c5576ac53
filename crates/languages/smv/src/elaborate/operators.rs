//! Operators: which types they take, and the terms they make.
//!
//! Logical operators take truth values, or words of one type bit by bit; arithmetic and comparisons take integers or
//! words of one type; `=` takes whatever converts. A logical operator on truth values hides the failure of an operand
//! that does not matter, as NuSMV's decision diagrams do: `y = 0 | x / y = 1` never fails.

use super::Elaborator;
use super::failure::Failure;
use super::names::ScopeId;
use super::value::{Kind, Lowered};
use crate::syntax::ast::{Binary, ExprId, List, Nary};
use entail_model::{SortError, TermId, Value, Word};
use entail_source::{Diagnostic, Span};

impl Elaborator<'_> {
    fn illegal(
        &mut self,
        symbol: &str,
        left: TermId,
        right: TermId,
        left_id: ExprId,
        right_id: ExprId,
    ) -> Lowered {
        let (left_span, right_span) = (self.names.arena.span(left_id), self.names.arena.span(right_id));
        let help = match (self.kind(left), self.kind(right)) {
            (Kind::Word { width, signed }, Kind::Integer) => {
                Some(self.as_word(right, right_span, width, signed))
            }
            (Kind::Integer, Kind::Word { width, signed }) => {
                Some(self.as_word(left, left_span, width, signed))
            }
            _ => None,
        };
        let (left, right) = (self.kind(left).name(), self.kind(right).name());
        let mut diagnostic = {
            Diagnostic::error(
                "smv::type",
                format!("`{symbol}` cannot be applied to {left} and {right}"),
                left_span,
                format!("this is {left}"),
            )
            .with_label(right_span, format!("this is {right}"))
        };
        diagnostic.help = help;
        self.wrong(diagnostic)
    }

    /// How an integer is written as a word of a kind.
    fn as_word(&self, integer: TermId, span: Span, width: u32, signed: bool) -> String {
        let letter = if signed { 's' } else { 'u' };
        match self.system.terms.as_constant(integer) {
            Some(Value::Int(number)) if *number >= 0 => {
                format!("a word of {width} bits with this value is `0{letter}d{width}_{number}`")
            }
            _ => {
                let text = self.source.slice(span);
                let function = if signed { "swconst" } else { "uwconst" };
                format!(
                    "an integer is no word: `{function}({text}, {width})` for a constant, or `toint` of the word"
                )
            }
        }
    }

    pub(super) fn built(&mut self, result: Result<TermId, SortError>, span: Span) -> Lowered {
        match result {
            Ok(term) => Lowered::Term(term),
            Err(error) => self.wrong(Diagnostic::error("smv::type", error.to_string(), span, "here")),
        }
    }

    fn illegal_unary(&mut self, symbol: &str, kind: Kind, id: ExprId) -> Lowered {
        let span = self.names.arena.span(id);
        self.wrong(Diagnostic::error(
            "smv::type",
            format!("`{symbol}` cannot be applied to {}", kind.name()),
            span,
            format!("this is {}", kind.name()),
        ))
    }

    pub(super) fn negation(&mut self, inner: ExprId, scope: ScopeId, primed: bool, span: Span) -> Lowered {
        let Some(term) = self.term(inner, scope, primed) else {
            return Lowered::Error;
        };
        match self.kind(term) {
            Kind::Boolean => Lowered::Term(self.system.terms.not(term)),
            Kind::Word { .. } => {
                let built = self.system.terms.bit_not(term);
                self.built(built, span)
            }
            other => self.illegal_unary("!", other, inner),
        }
    }

    pub(super) fn minus(&mut self, inner: ExprId, scope: ScopeId, primed: bool, span: Span) -> Lowered {
        let Some(term) = self.term(inner, scope, primed) else {
            return Lowered::Error;
        };
        match self.kind(term) {
            Kind::Integer | Kind::Word { .. } => {
                let built = self.system.terms.negate(term);
                self.built(built, span)
            }
            other => self.illegal_unary("-", other, inner),
        }
    }

    /// A sum of any length, built as a balanced tree.
    pub(super) fn sum(&mut self, list: List, scope: ScopeId, primed: bool, span: Span) -> Lowered {
        let members = self.names.arena.list(list).to_vec();
        let Some(terms) = self.operands(&members, scope, primed) else {
            return Lowered::Error;
        };
        let first = self.kind(terms[0]);
        for (position, &term) in terms.iter().enumerate() {
            let kind = self.kind(term);
            if kind != first || !matches!(kind, Kind::Integer | Kind::Word { .. }) {
                let left = position.saturating_sub(1);
                let (left, right) = if position == 0 { (0, 1) } else { (left, position) };
                return self.illegal("+", terms[left], terms[right], members[left], members[right]);
            }
        }
        let built = self.balanced_sum(&terms);
        self.built(built, span)
    }

    pub(super) fn balanced_sum(&mut self, terms: &[TermId]) -> Result<TermId, SortError> {
        let mut level = terms.to_vec();
        while level.len() > 1 {
            level = level
                .chunks(2)
                .map(|pair| match pair {
                    [a, b] => self.system.terms.add(*a, *b),
                    rest => Ok(rest[0]),
                })
                .collect::<Result<Vec<TermId>, SortError>>()?;
        }
        match level.first() {
            Some(&sum) => Ok(sum),
            None => Ok(self.system.terms.integer(0)),
        }
    }

    /// All operands as terms, every wrong one reported.
    fn operands(&mut self, members: &[ExprId], scope: ScopeId, primed: bool) -> Option<Vec<TermId>> {
        let terms: Vec<Option<TermId>> = members
            .iter()
            .map(|&member| self.term(member, scope, primed))
            .collect();
        terms.into_iter().collect()
    }

    /// `&` and `|` of any length.
    pub(super) fn connective(
        &mut self,
        nary: Nary,
        list: List,
        scope: ScopeId,
        primed: bool,
        span: Span,
    ) -> Lowered {
        let members = self.names.arena.list(list).to_vec();
        let mark = self.failures.len();
        let mut terms = Vec::with_capacity(members.len());
        let mut failing: Vec<(usize, Vec<Failure>)> = Vec::new();
        let mut broken = false;
        for (position, &member) in members.iter().enumerate() {
            match self.term(member, scope, primed) {
                Some(term) => terms.push(term),
                None => broken = true,
            }
            if self.failures.len() > mark {
                failing.push((position, self.failures.split_off(mark)));
            }
        }
        if broken {
            return Lowered::Error;
        }
        let symbol = if nary == Nary::And { "&" } else { "|" };
        let first = self.kind(terms[0]);
        for (position, &term) in terms.iter().enumerate() {
            let kind = self.kind(term);
            if kind != first || !matches!(kind, Kind::Boolean | Kind::Word { .. }) {
                let (left, right) = if position == 0 {
                    (0, 1)
                } else {
                    (position - 1, position)
                };
                return self.illegal(symbol, terms[left], terms[right], members[left], members[right]);
            }
        }
        if first != Kind::Boolean {
            for (_, failures) in failing {
                self.failures.extend(failures);
            }
            let mut result = terms[0];
            for &term in &terms[1..] {
                let built = match nary {
                    Nary::And => self.system.terms.bit_and(result, term),
                    _ => self.system.terms.bit_or(result, term),
                };
                match built {
                    Ok(term) => result = term,
                    Err(_) => return self.built(built, span),
                }
            }
            return Lowered::Term(result);
        }
        if !failing.is_empty() {
            self.hide_irrelevant_failures(nary, &terms, failing);
        }
        Lowered::Term(match nary {
            Nary::And => self.system.terms.and(terms),
            _ => self.system.terms.or(terms),
        })
    }

    /// An operand's failure matters only where no operand that cannot fail decides the connective.
    fn hide_irrelevant_failures(
        &mut self,
        nary: Nary,
        terms: &[TermId],
        failing: Vec<(usize, Vec<Failure>)>,
    ) {
        let mut safe: Vec<TermId> = Vec::new();
        for (position, &term) in terms.iter().enumerate() {
            if !failing.iter().any(|&(at, _)| at == position) {
                safe.push(match nary {
                    Nary::And => term,
                    _ => self.system.terms.not(term),
                });
            }
        }
        let undecided = self.system.terms.and(safe);
        let mark = self.failures.len();
        for (_, failures) in failing {
            self.failures.extend(failures);
        }
        self.guard_failures(mark, undecided);
    }

    pub(super) fn binary(
        &mut self,
        operator: Binary,
        left_id: ExprId,
        right_id: ExprId,
        scope: ScopeId,
        primed: bool,
        span: Span,
    ) -> Lowered {
        let mark = self.failures.len();
        let left = self.term(left_id, scope, primed);
        let left_failures = self.failures.split_off(mark);
        let right = self.term(right_id, scope, primed);
        let right_failures = self.failures.split_off(mark);
        let (Some(left), Some(right)) = (left, right) else {
            return Lowered::Error;
        };
        let hides = operator == Binary::Implies
            && self.kind(left) == Kind::Boolean
            && self.kind(right) == Kind::Boolean;
        if hides && left_failures.is_empty() != right_failures.is_empty() {
            let guard = match left_failures.is_empty() {
                true => left,
                false => self.system.terms.not(right),
            };
            self.failures.extend(left_failures);
            self.failures.extend(right_failures);
            self.guard_failures(mark, guard);
        } else {
            self.failures.extend(left_failures);
            self.failures.extend(right_failures);
        }
        let (left_kind, right_kind) = (self.kind(left), self.kind(right));
        let logical = left_kind == right_kind && matches!(left_kind, Kind::Boolean | Kind::Word { .. });
        let arithmetic = left_kind == right_kind && matches!(left_kind, Kind::Integer | Kind::Word { .. });
        let fits = match operator {
            Binary::Implies | Binary::Iff | Binary::Xor | Binary::Xnor => logical,
            Binary::Equal | Binary::NotEqual => left_kind.comparable(right_kind),
            Binary::Less
            | Binary::LessEqual
            | Binary::Greater
            | Binary::GreaterEqual
            | Binary::Subtract
            | Binary::Multiply
            | Binary::Divide
            | Binary::Modulo => arithmetic,
            Binary::ShiftLeft | Binary::ShiftRight => {
                matches!(left_kind, Kind::Word { .. })
                    && matches!(right_kind, Kind::Integer | Kind::Word { signed: false, .. })
            }
            Binary::Concat => matches!((left_kind, right_kind), (Kind::Word { .. }, Kind::Word { .. })),
            Binary::Union | Binary::In => false,
        };
        if !fits {
            return self.illegal(symbol(operator), left, right, left_id, right_id);
        }
        if matches!(operator, Binary::Divide | Binary::Modulo) {
            let zero = self.equals_number(right, 0);
            let divisor = self.names.arena.span(right_id);
            self.fails_when(zero, "smv::division", "division by zero".to_string(), divisor);
        }
        if matches!(operator, Binary::ShiftLeft | Binary::ShiftRight) {
            return self.shift(operator, left, right, right_id, span);
        }
        let bits = left_kind != Kind::Boolean;
        if operator == Binary::Implies && !bits && self.system.terms.as_truth(left) == Some(false) {
            self.note_impossible(left_id, scope);
        }
        let terms = &mut self.system.terms;
        let built = match operator {
            Binary::Implies if bits => {
                let complement = terms.bit_not(left);
                complement.and_then(|complement| terms.bit_or(complement, right))
            }
            Binary::Implies => Ok(terms.implies(left, right)),
            Binary::Iff | Binary::Xnor if bits => {
                let differ = terms.bit_xor(left, right);
                differ.and_then(|differ| terms.bit_not(differ))
            }
            Binary::Iff | Binary::Xnor => Ok(terms.iff(left, right)),
            Binary::Xor if bits => terms.bit_xor(left, right),
            Binary::Xor => Ok(terms.xor(left, right)),
            Binary::Equal => terms.equal(left, right),
            Binary::NotEqual => terms.differ(left, right),
            Binary::Less => terms.less(left, right),
            Binary::LessEqual => terms.less_equal(left, right),
            Binary::Greater => terms.less(right, left),
            Binary::GreaterEqual => terms.less_equal(right, left),
            Binary::Subtract => terms.subtract(left, right),
            Binary::Multiply => terms.multiply(left, right),
            Binary::Divide => terms.divide(left, right),
            Binary::Modulo => terms.remainder(left, right),
            Binary::Concat => terms.concat(left, right),
            Binary::ShiftLeft | Binary::ShiftRight | Binary::Union | Binary::In => return Lowered::Error,
        };
        if operator == Binary::Concat
            && let Ok(word) = built
            && let Kind::Word { width, .. } = self.kind(word)
            && u64::from(width) > crate::syntax::MAX_WORD_WIDTH
        {
            return self.too_wide(span);
        }
        self.built(built, span)
    }

    pub(super) fn too_wide(&mut self, span: Span) -> Lowered {
        let limit = crate::syntax::MAX_WORD_WIDTH;
        self.wrong(Diagnostic::error(
            "smv::width",
            format!("a word has at most {limit} bits"),
            span,
            "this is wider",
        ))
    }

    /// A shift by `0..=width`; beyond that it fails.
    fn shift(&mut self, operator: Binary, word: TermId, by: TermId, by_id: ExprId, span: Span) -> Lowered {
        let Kind::Word { width, .. } = self.kind(word) else {
            return Lowered::Error;
        };
        let most = i64::from(width);
        let by_span = self.names.arena.span(by_id);
        let (outside, negative) = match self.kind(by) {
            Kind::Word { width: by_width, .. } => {
                let fits = by_width < 62 && (1i64 << by_width) - 1 <= most;
                let outside = match fits {
                    true => self.system.terms.truth(false),
                    false => {
                        let limit = Word::from_integer(by_width, false, &most.into());
                        let limit = self.system.terms.constant(Value::Word(limit));
                        match self.system.terms.less(limit, by) {
                            Ok(outside) => outside,
                            Err(error) => return self.built(Err(error), span),
                        }
                    }
                };
                (outside, false)
            }
            _ => {
                let (zero, limit) = (self.system.terms.integer(0), self.system.terms.integer(most));
                let below = self.system.terms.less(by, zero);
                let above = self.system.terms.less(limit, by);
                let (Ok(below), Ok(above)) = (below, above) else {
                    return Lowered::Error;
                };
                let bounds = self.system.terms.sort(by).integer_bounds();
                let outside = self.system.terms.or([below, above]);
                (outside, bounds.is_some_and(|(least, _)| least < 0))
            }
        };
        self.fails_when(
            outside,
            "smv::shift",
            format!("a shift of a word[{width}] must be by 0 to {width} bits"),
            by_span,
        );
        let apply = |elaborator: &mut Self, by: TermId| match operator {
            Binary::ShiftLeft => elaborator.system.terms.shift_left(word, by),
            _ => elaborator.system.terms.shift_right(word, by),
        };
        if !negative {
            let built = apply(self, by);
            return self.built(built, span);
        }
        // The term language shifts by natural numbers only: spell the cases out.
        let mut result = word;
        for number in 1..=most {
            let amount = self.system.terms.integer(number);
            let here = self.equals_number(by, number);
            let built = apply(self, amount).and_then(|shifted| self.system.terms.ite(here, shifted, result));
            match built {
                Ok(term) => result = term,
                Err(error) => return self.built(Err(error), span),
            }
        }
        Lowered::Term(result)
    }

    pub(super) fn bit_select(
        &mut self,
        word_id: ExprId,
        high_id: ExprId,
        low_id: ExprId,
        scope: ScopeId,
        primed: bool,
        span: Span,
    ) -> Lowered {
        let word = self.term(word_id, scope, primed);
        let high = self.constant_integer(high_id, scope, "a bit position");
        let low = self.constant_integer(low_id, scope, "a bit position");
        let (Some(word), Some(high), Some(low)) = (word, high, low) else {
            return Lowered::Error;
        };
        let kind = self.kind(word);
        let Kind::Word { width, .. } = kind else {
            return self.illegal_unary("[:]", kind, word_id);
        };
        if low < 0 || high < low || high >= i64::from(width) {
            return self.wrong(
                Diagnostic::error(
                    "smv::bits",
                    format!("bits {high} to {low} do not exist in a word[{width}]"),
                    span,
                    "selected here",
                )
                .with_help(format!(
                    "write `[high:low]` with {} >= high >= low >= 0",
                    width - 1
                )),
            );
        }
        let built = self.system.terms.extract(word, high as u32, low as u32);
        self.built(built, span)
    }
}

/// The operator as written.
fn symbol(operator: Binary) -> &'static str {
    match operator {
        Binary::Implies => "->",
        Binary::Iff => "<->",
        Binary::Xor => "xor",
        Binary::Xnor => "xnor",
        Binary::Equal => "=",
        Binary::NotEqual => "!=",
        Binary::Less => "<",
        Binary::LessEqual => "<=",
        Binary::Greater => ">",
        Binary::GreaterEqual => ">=",
        Binary::Subtract => "-",
        Binary::Multiply => "*",
        Binary::Divide => "/",
        Binary::Modulo => "mod",
        Binary::ShiftLeft => "<<",
        Binary::ShiftRight => ">>",
        Binary::Concat => "::",
        Binary::Union => "union",
        Binary::In => "in",
    }
}
