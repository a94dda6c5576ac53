//! Expressions as terms: names, choices, conditions.

use super::scopes::{Member, ScopeId};
use super::{Choice, Kind, Reader, Reported, Typed};
use crate::syntax::ast::{Binary, Expr, ExprId, Nary, Unary};
use entail_first_order::{Rational, SortId, TermId};
use entail_source::Span;

impl Reader<'_> {
    pub(super) fn text_of(&self, span: Span) -> String {
        let text = self.source.text();
        let inside = text.get(span.start..span.end.min(text.len())).unwrap_or_default();
        inside.split_whitespace().collect::<Vec<&str>>().join(" ")
    }

    /// A whole number that does not depend on the state.
    pub(super) fn constant(&mut self, id: ExprId, scope: ScopeId) -> Result<i64, Reported> {
        let value = self.value(id, scope, false)?;
        let number = self.terms.number(value.term).and_then(Rational::to_i64);
        number.ok_or_else(|| {
            let span = self.arena.span(id);
            self.wrong("smv::constant", "a constant whole number is needed here", span)
        })
    }

    /// The one value of an expression.
    pub(super) fn value(&mut self, id: ExprId, scope: ScopeId, primed: bool) -> Result<Typed, Reported> {
        let span = self.arena.span(id);
        let choice = self.lower(id, scope, primed)?;
        self.single(choice, span)
    }

    fn single(&mut self, choice: Choice, span: Span) -> Result<Typed, Reported> {
        match choice {
            Choice::One(value) => Ok(value),
            Choice::Between(low, high) if low == high => Ok(self.number(low)),
            Choice::If(condition, yes, no) => {
                let (yes, no) = (self.single(*yes, span)?, self.single(*no, span)?);
                let (yes, no) = self.alike(yes, no, span)?;
                Ok(Typed {
                    term: self.terms.ite(condition, yes.term, no.term),
                    kind: yes.kind,
                })
            }
            _ => Err(self.wrong("smv::set", "a single value is needed here, not a set", span)),
        }
    }

    pub(super) fn formula(&mut self, id: ExprId, scope: ScopeId, primed: bool) -> Result<TermId, Reported> {
        let value = self.value(id, scope, primed)?;
        match value.kind {
            Kind::Bool => Ok(value.term),
            _ => {
                let span = self.arena.span(id);
                Err(self.wrong("smv::sort", "a formula is needed here", span))
            }
        }
    }

    pub(super) fn number(&mut self, value: i64) -> Typed {
        Typed {
            term: self.terms.int(value),
            kind: Kind::Int,
        }
    }

    /// The values of an expression read in a scope; primed below `next(…)`.
    pub(super) fn lower(&mut self, id: ExprId, scope: ScopeId, primed: bool) -> Result<Choice, Reported> {
        stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || self.lower_here(id, scope, primed))
    }

    fn lower_here(&mut self, id: ExprId, scope: ScopeId, primed: bool) -> Result<Choice, Reported> {
        let span = self.arena.span(id);
        let typed = |term: TermId, kind: Kind| Ok(Choice::One(Typed { term, kind }));
        match self.arena.get(id) {
            Expr::Bool(value) => typed(self.terms.bool(value), Kind::Bool),
            Expr::Number(value) => Ok(Choice::One(self.number(value))),
            Expr::Real => match real_value(&self.text_of(span)) {
                Some(value) => typed(self.terms.numeral(value, SortId::REAL), Kind::Real),
                None => Err(self.wrong("smv::real", "this is no number", span)),
            },
            Expr::Word(word) => {
                let literal = self.arena.word(word).clone();
                let (width, signed) = (literal.width, literal.signed);
                typed(self.terms.word(literal.bits, width), Kind::Word { width, signed })
            }
            Expr::Name(_) | Expr::Dot(..) | Expr::Index(..) | Expr::SelfRef => {
                self.path_value(id, scope, primed, span)
            }
            Expr::Next(inner) => match primed {
                true => Err(self.wrong("smv::next", "`next` inside `next`", span)),
                false => self.lower(inner, scope, true),
            },
            Expr::IfThenElse(condition, yes, no) => {
                let condition = self.formula(condition, scope, primed)?;
                let yes = self.guarded(condition, |reader| reader.lower(yes, scope, primed))?;
                let otherwise = self.terms.not(condition);
                let no = self.guarded(otherwise, |reader| reader.lower(no, scope, primed))?;
                Ok(Choice::If(condition, Box::new(yes), Box::new(no)))
            }
            Expr::Case(list) => {
                let branches = self.arena.list(list).to_vec();
                self.case(&branches, scope, primed)
            }
            Expr::Set(list) => {
                let members = self.arena.list(list).to_vec();
                let all: Result<Vec<Choice>, Reported> = members
                    .iter()
                    .map(|&member| self.lower(member, scope, primed))
                    .collect();
                let mut all = all?;
                Ok(match all.len() {
                    1 => all.remove(0),
                    _ => Choice::Several(all),
                })
            }
            Expr::Binary(Binary::Union, left, right) => Ok(Choice::Several(vec![
                self.lower(left, scope, primed)?,
                self.lower(right, scope, primed)?,
            ])),
            Expr::Range(low, high) => Ok(Choice::Between(low, high)),
            Expr::Binary(Binary::In, left, right) => {
                let value = self.value(left, scope, primed)?;
                let set = self.lower(right, scope, primed)?;
                typed(self.member(value, &set, span)?, Kind::Bool)
            }
            Expr::Nary(operator, list) => {
                let operands = self.arena.list(list).to_vec();
                self.nary(operator, &operands, scope, primed, span).map(Choice::One)
            }
            Expr::Unary(Unary::Not, inner) => {
                let value = self.value(inner, scope, primed)?;
                self.negation(value, span).map(Choice::One)
            }
            Expr::Unary(Unary::Negate, inner) => {
                let value = self.value(inner, scope, primed)?;
                self.minus(value, span).map(Choice::One)
            }
            Expr::Binary(operator, left, right) => {
                let left = self.value(left, scope, primed)?;
                let right = match operator {
                    // The right side of an implication matters only where the left one holds.
                    Binary::Implies if left.kind == Kind::Bool => {
                        self.guarded(left.term, |reader| reader.value(right, scope, primed))?
                    }
                    _ => self.value(right, scope, primed)?,
                };
                self.binary(operator, left, right, span).map(Choice::One)
            }
            Expr::Call(function, list) => {
                let arguments = self.arena.list(list).to_vec();
                self.call(function, &arguments, scope, primed, span)
                    .map(Choice::One)
            }
            Expr::BitSelect { word, high, low } => {
                let word = self.value(word, scope, primed)?;
                let (high, low) = (self.constant(high, scope)?, self.constant(low, scope)?);
                self.bits(word, high, low, span).map(Choice::One)
            }
            _ => Err(self.wrong("smv::not-yet", "this is not supported with integers", span)),
        }
    }

    /// Reads something under a condition: errors inside count only where it holds.
    pub(super) fn guarded<T>(
        &mut self,
        condition: TermId,
        read: impl FnOnce(&mut Self) -> Result<T, Reported>,
    ) -> Result<T, Reported> {
        self.guards.push(condition);
        let result = read(self);
        self.guards.pop();
        result
    }

    /// Notes an error that happens if the condition holds where the expression is evaluated.
    pub(super) fn note_error(&mut self, condition: TermId) {
        let mut parts = self.guards.clone();
        parts.push(condition);
        let all = self.terms.and(&parts);
        if all != self.terms.falsehood() {
            self.errors.push(all);
        }
    }

    fn case(&mut self, branches: &[ExprId], scope: ScopeId, primed: bool) -> Result<Choice, Reported> {
        let mut read: Vec<(TermId, Choice)> = Vec::new();
        let depth = self.guards.len();
        for pair in branches.chunks(2) {
            let condition = self.formula(pair[0], scope, primed)?;
            let value = self.guarded(condition, |reader| reader.lower(pair[1], scope, primed))?;
            read.push((condition, value));
            let otherwise = self.terms.not(condition);
            self.guards.push(otherwise);
        }
        // Nothing matched.
        let truth = self.terms.truth();
        self.note_error(truth);
        self.guards.truncate(depth);
        let mut result: Option<Choice> = None;
        for (condition, value) in read.into_iter().rev() {
            result = Some(match result {
                None => value,
                Some(rest) => Choice::If(condition, Box::new(value), Box::new(rest)),
            });
        }
        result.ok_or(Reported)
    }

    /// Whether a value is one of a choice.
    pub(super) fn member(&mut self, value: Typed, choice: &Choice, span: Span) -> Result<TermId, Reported> {
        Ok(match choice {
            Choice::One(other) => {
                let (a, b) = self.alike(value, *other, span)?;
                self.terms.eq(a.term, b.term)
            }
            Choice::Several(all) => {
                let mut parts = Vec::with_capacity(all.len());
                for one in all {
                    parts.push(self.member(value, one, span)?);
                }
                self.terms.or(&parts)
            }
            Choice::Between(low, high) => {
                let (low, high) = (self.number(*low), self.number(*high));
                let (above, bottom) = self.alike(value, low, span)?;
                let (below, top) = self.alike(value, high, span)?;
                let parts = [
                    self.terms.le(bottom.term, above.term),
                    self.terms.le(below.term, top.term),
                ];
                self.terms.and(&parts)
            }
            Choice::If(condition, yes, no) => {
                let (yes, no) = (self.member(value, yes, span)?, self.member(value, no, span)?);
                self.terms.ite(*condition, yes, no)
            }
        })
    }

    /// What a path of names stands for.
    fn resolve_path(&mut self, id: ExprId, scope: ScopeId) -> Result<(Member, ScopeId), Reported> {
        let span = self.arena.span(id);
        let found = match self.arena.get(id) {
            Expr::Name(symbol) => self.scopes.all[scope].members.get(&symbol).cloned(),
            Expr::SelfRef => Some(Member::Instance(scope)),
            Expr::Dot(inner, symbol) => match self.resolve_path(inner, scope)? {
                (Member::Instance(inside), _) => {
                    let member = self.scopes.all[inside].members.get(&symbol).cloned();
                    let member = member.ok_or_else(|| self.unknown_name(span))?;
                    return self.follow(member, inside, 0, span);
                }
                _ => None,
            },
            Expr::Index(array, index) => match self.resolve_path(array, scope)? {
                (Member::Array(low, members), owner) => {
                    let index = self.constant(index, scope)?;
                    let place = usize::try_from(index - low).ok();
                    let member = place.and_then(|place| members.get(place)).cloned();
                    return match member {
                        Some(member) => Ok((member, owner)),
                        None => Err(self.wrong("smv::index", "this index is outside of the array", span)),
                    };
                }
                _ => None,
            },
            _ => None,
        };
        let member = found.ok_or_else(|| self.unknown_name(span))?;
        self.follow(member, scope, 0, span)
    }

    /// Parameters that are names stand for what these are.
    fn follow(
        &mut self,
        member: Member,
        scope: ScopeId,
        depth: usize,
        span: Span,
    ) -> Result<(Member, ScopeId), Reported> {
        match member {
            Member::Parameter(argument, parent) if depth < 1000 => match self.arena.get(argument) {
                Expr::Name(symbol) => match self.scopes.all[parent].members.get(&symbol).cloned() {
                    Some(inner) => self.follow(inner, parent, depth + 1, span),
                    None => Ok((Member::Define(argument), parent)),
                },
                Expr::Dot(..) | Expr::Index(..) | Expr::SelfRef => self.resolve_path(argument, parent),
                _ => Ok((Member::Define(argument), parent)),
            },
            other => Ok((other, scope)),
        }
    }

    fn unknown_name(&mut self, span: Span) -> Reported {
        let name = self.text_of(span);
        self.wrong("smv::unknown-name", format!("`{name}` is not declared"), span)
    }

    fn path_value(
        &mut self,
        id: ExprId,
        scope: ScopeId,
        primed: bool,
        span: Span,
    ) -> Result<Choice, Reported> {
        // Symbolic constants are names that nothing else declares.
        if let Expr::Name(symbol) = self.arena.get(id)
            && !self.scopes.all[scope].members.contains_key(&symbol)
            && let Some(&number) = self.symbols.get(self.arena.names.text(symbol))
        {
            return Ok(Choice::One(Typed {
                term: self.terms.int(number),
                kind: Kind::Symbol,
            }));
        }
        // An array with an index that is not constant: one element of all.
        if let Expr::Index(array, index) = self.arena.get(id)
            && let Ok((Member::Array(low, members), _)) = self.resolve_path(array, scope)
        {
            let value = self.value(index, scope, primed)?;
            if self.terms.number(value.term).is_none() {
                return self.element(low, &members, value, primed, span);
            }
        }
        match self.resolve_path(id, scope)? {
            (Member::Variable(variable), _) => self.variable_value(variable, primed, span).map(Choice::One),
            (Member::Define(body), owner) => {
                self.depth += 1;
                if self.depth > 2_000 {
                    return Err(self.wrong("smv::circular", "definitions depend on each other", span));
                }
                let key = (body, owner, primed);
                let result = match self.defined.get(&key) {
                    // Errors inside are noted where the definition is used first under no condition.
                    Some(known) if self.guards.is_empty() => Ok(known.clone()),
                    _ => self.lower(body, owner, primed),
                };
                self.depth -= 1;
                if let (Ok(choice), true) = (&result, self.guards.is_empty() && self.errors.is_empty()) {
                    self.defined.insert(key, choice.clone());
                }
                result
            }
            _ => Err(self.wrong("smv::value", "this is no value", span)),
        }
    }

    pub(super) fn variable_value(
        &mut self,
        variable: usize,
        primed: bool,
        span: Span,
    ) -> Result<Typed, Reported> {
        let variable = &self.variables[variable];
        let kind = variable.kind;
        match (primed, variable.next) {
            (false, _) => Ok(Typed {
                term: variable.current,
                kind,
            }),
            (true, Some(term)) => Ok(Typed { term, kind }),
            (true, None) => Err(self.wrong("smv::next", "an input has no next value", span)),
        }
    }

    fn element(
        &mut self,
        low: i64,
        members: &[Member],
        index: Typed,
        primed: bool,
        span: Span,
    ) -> Result<Choice, Reported> {
        if index.kind != Kind::Int {
            return Err(self.wrong("smv::index", "an index is an integer", span));
        }
        let mut result: Option<Choice> = None;
        let mut inside = Vec::new();
        for (place, member) in members.iter().enumerate() {
            let &Member::Variable(variable) = member else {
                return Err(self.wrong("smv::not-yet", "nested arrays need constant indices here", span));
            };
            let value = self.variable_value(variable, primed, span)?;
            let here = self.terms.int(low + place as i64);
            let is_here = self.terms.eq(index.term, here);
            inside.push(is_here);
            result = Some(match result {
                None => Choice::One(value),
                Some(rest) => Choice::If(is_here, Box::new(Choice::One(value)), Box::new(rest)),
            });
        }
        let some = self.terms.or(&inside);
        let outside = self.terms.not(some);
        self.note_error(outside);
        result.ok_or(Reported)
    }

    fn nary(
        &mut self,
        operator: Nary,
        operands: &[ExprId],
        scope: ScopeId,
        primed: bool,
        span: Span,
    ) -> Result<Typed, Reported> {
        let depth = self.guards.len();
        let mut values: Vec<Typed> = Vec::new();
        for &operand in operands {
            let value = self.value(operand, scope, primed)?;
            // What follows a false conjunct or a true disjunct does not matter.
            match (operator, value.kind) {
                (Nary::And, Kind::Bool) => self.guards.push(value.term),
                (Nary::Or, Kind::Bool) => {
                    let not = self.terms.not(value.term);
                    self.guards.push(not);
                }
                _ => {}
            }
            values.push(value);
        }
        self.guards.truncate(depth);
        self.fold(operator, &values, span)
    }
}

/// A decimal number, one with an exponent, or a fraction `f'1/2`.
fn real_value(text: &str) -> Option<Rational> {
    let lower = text.to_ascii_lowercase();
    if let Some(fraction) = lower.strip_prefix("f'") {
        let (above, below) = fraction.split_once('/')?;
        let below = Rational::parse(below).filter(|below| !below.is_zero())?;
        return Some(&Rational::parse(above)? / &below);
    }
    let Some((digits, exponent)) = lower.split_once('e') else {
        return Rational::parse(&lower);
    };
    let exponent: i64 = exponent.parse().ok().filter(|size: &i64| size.abs() <= 10_000)?;
    let power = Rational::from_big(num_bigint::BigInt::from(10).pow(exponent.unsigned_abs() as u32));
    let digits = Rational::parse(digits)?;
    Some(match exponent < 0 {
        true => &digits / &power,
        false => &digits * &power,
    })
}
