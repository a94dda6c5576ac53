//! Expressions as terms: names, choices, conditions.

use super::scopes::{Member, ScopeId};
use super::{Choice, Kind, Reader, Reported, Typed};
use crate::syntax::ast::{Binary, Expr, ExprId, Function, Nary, Unary};
use entail_first_order::{Rational, SortId, TermId};
use entail_source::Span;

/// How deeply conditions may be nested.
const MOST_NESTED: usize = 2_000;
/// From how many elements an index may choose.
const MOST_PLACES: usize = 100_000;

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
            Choice::Cases(branches) => {
                let mut result: Option<Typed> = None;
                for (condition, choice) in branches.into_iter().rev() {
                    let value =
                        stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || self.single(choice, span))?;
                    result = Some(match result {
                        None => value,
                        Some(rest) => {
                            let (yes, no) = self.alike(value, rest, span)?;
                            Typed {
                                term: self.terms.ite(condition, yes.term, no.term),
                                kind: yes.kind,
                            }
                        }
                    });
                }
                result.ok_or_else(|| self.wrong("smv::case", "there is no branch", span))
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
                Ok(Choice::Cases(vec![(condition, yes), (otherwise, no)]))
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
                self.nary(operator, &operands, scope, primed, span)
                    .map(Choice::One)
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
            Expr::Apply(function, list) => {
                let arguments = self.arena.list(list).to_vec();
                self.apply(function, &arguments, scope, primed, span)
                    .map(Choice::One)
            }
            Expr::Call(function @ (Function::Read | Function::Write | Function::ConstArray), list) => {
                let arguments = self.arena.list(list).to_vec();
                self.array_call(function, &arguments, scope, primed)
                    .map(Choice::One)
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
        let result = match self.guards.len() > MOST_NESTED {
            true => Err(self.wrong(
                "smv::nesting",
                "conditions are nested too deeply",
                Span::new(0, 0),
            )),
            false => read(self),
        };
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
        Ok(Choice::Cases(read))
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
            Choice::Cases(branches) => {
                let mut result = self.terms.falsehood();
                for (place, (condition, choice)) in branches.iter().enumerate().rev() {
                    let inside =
                        stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || self.member(value, choice, span))?;
                    result = match place + 1 == branches.len() {
                        true => inside,
                        false => self.terms.ite(*condition, inside, result),
                    };
                }
                result
            }
        })
    }

    /// What a path of names stands for.
    pub(super) fn resolve_path(&mut self, id: ExprId, scope: ScopeId) -> Result<(Member, ScopeId), Reported> {
        let span = self.arena.span(id);
        let found = match self.arena.get(id) {
            Expr::Name(symbol) => self.scopes.all[scope].members.get(&symbol).cloned(),
            Expr::SelfRef => Some(Member::Instance(scope)),
            Expr::Dot(inner, symbol) => match self.resolve_path(inner, scope)? {
                (Member::Instance(inside), _) => {
                    let member = self.scopes.all[inside].members.get(&symbol).cloned();
                    let member = member.ok_or_else(|| self.unknown_name(span))?;
                    return self.follow(member, inside, 0);
                }
                _ => None,
            },
            Expr::Index(array, index) => {
                let (array, owner) = self.resolve_path(array, scope)?;
                let Some((low, members)) = self.elements(&array) else {
                    return Err(self.wrong("smv::index", "this is no array", span));
                };
                let index = self.constant(index, scope)?;
                let place = usize::try_from(index - low).ok();
                return match place.and_then(|place| members.get(place)).cloned() {
                    Some(member) => self.follow(member, owner, 0),
                    None => Err(self.wrong("smv::index", "this index is outside of the array", span)),
                };
            }
            _ => None,
        };
        let member = found.ok_or_else(|| self.unknown_name(span))?;
        self.follow(member, scope, 0)
    }

    /// Parameters that are names stand for what these are.
    fn follow(
        &mut self,
        member: Member,
        scope: ScopeId,
        depth: usize,
    ) -> Result<(Member, ScopeId), Reported> {
        match member {
            Member::Parameter(argument, parent) if depth < 1000 => match self.arena.get(argument) {
                Expr::Name(symbol) => match self.scopes.all[parent].members.get(&symbol).cloned() {
                    Some(inner) => self.follow(inner, parent, depth + 1),
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
        if let Expr::Name(symbol) = self.arena.get(id)
            && self.is_timed
            && self.arena.names.text(symbol) == super::time::TIME
            && !self.scopes.all[scope].members.contains_key(&symbol)
        {
            let time = self.time_variable(span)?;
            return self.variable_value(time, primed, span).map(Choice::One);
        }
        // An element of an array by an index that is not constant: one of all.
        if let Expr::Index(..) = self.arena.get(id) {
            let mut branches = Vec::new();
            for (condition, member, owner) in self.places(id, scope, primed)? {
                let value = self.guarded(condition, |reader| {
                    reader.member_value(member, owner, primed, span)
                })?;
                branches.push((condition, value));
            }
            return match branches.len() {
                1 => Ok(branches.remove(0).1),
                _ => Ok(Choice::Cases(branches)),
            };
        }
        let (member, owner) = self.resolve_path(id, scope)?;
        self.member_value(member, owner, primed, span)
    }

    /// The elements of what is an array, with the lowest index.
    fn elements(&self, member: &Member) -> Option<(i64, Vec<Member>)> {
        match member {
            Member::Array(low, members) => Some((*low, members.clone())),
            Member::Define(body) => match self.arena.get(*body) {
                Expr::ArrayLiteral(list) => {
                    let members = self.arena.list(list).iter().map(|&body| Member::Define(body));
                    Some((0, members.collect()))
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// What an indexed name may stand for, each with the condition under which it does. An index outside of its array is an error.
    fn places(
        &mut self,
        id: ExprId,
        scope: ScopeId,
        primed: bool,
    ) -> Result<Vec<(TermId, Member, ScopeId)>, Reported> {
        let Expr::Index(array, index) = self.arena.get(id) else {
            let (member, owner) = self.resolve_path(id, scope)?;
            return Ok(vec![(self.terms.truth(), member, owner)]);
        };
        let span = self.arena.span(id);
        let index = self.value(index, scope, primed)?;
        if index.kind != Kind::Int {
            return Err(self.wrong("smv::index", "an index is an integer", span));
        }
        let number = self.terms.number(index.term).and_then(Rational::to_i64);
        let mut found = Vec::new();
        for (condition, member, owner) in self.places(array, scope, primed)? {
            let Some((low, members)) = self.elements(&member) else {
                return Err(self.wrong("smv::index", "this is no array", span));
            };
            let mut inside = Vec::new();
            for (place, member) in members.into_iter().enumerate() {
                let place = low + place as i64;
                if number.is_some_and(|number| number != place) {
                    continue;
                }
                let here = self.terms.int(place);
                let is_here = self.terms.eq(index.term, here);
                inside.push(is_here);
                let (member, owner) = self.follow(member, owner, 0)?;
                found.push((self.terms.and(&[condition, is_here]), member, owner));
            }
            if number.is_some() && inside.is_empty() {
                return Err(self.wrong("smv::index", "this index is outside of the array", span));
            }
            let some = self.terms.or(&inside);
            let outside = self.terms.not(some);
            let outside = self.terms.and(&[condition, outside]);
            self.note_error(outside);
        }
        match found.len() > MOST_PLACES {
            true => Err(self.wrong(
                "smv::too-large",
                "there are too many elements to choose from",
                span,
            )),
            false => Ok(found),
        }
    }

    fn member_value(
        &mut self,
        member: Member,
        owner: ScopeId,
        primed: bool,
        span: Span,
    ) -> Result<Choice, Reported> {
        match member {
            Member::Variable(variable) => self.variable_value(variable, primed, span).map(Choice::One),
            Member::Define(body) => {
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
            Member::Function(..) => {
                Err(self.wrong("smv::function", "a function needs its arguments here", span))
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
