//! Expressions become values: names, choices, indexing, and the dispatch to operators and functions.
//!
//! `primed` says that the expression stands below `next(…)`: variables then stand for their next values. A define or
//! a parameter is lowered once for each of the two and remembered with its failures, so a model costs what its text
//! costs, however often its names are used.

use super::Elaborator;
use super::failure::Failure;
use super::names::{Cache, EntityId, EntityKind, Names, ScopeId};
use super::value::{ArrayValue, Kind, Lowered, SetId, SetTree};
use crate::syntax::ast::{Binary, Expr, ExprId, List, Nary, Unary};
use entail_model::{Op, TermId, Value, Word};
use entail_source::{Diagnostic, Span};
use std::sync::Arc;

impl Elaborator<'_> {
    /// The value of an expression read in `scope`.
    pub(super) fn lower(&mut self, id: ExprId, scope: ScopeId, primed: bool) -> Lowered {
        stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || self.lower_here(id, scope, primed))
    }

    fn lower_here(&mut self, id: ExprId, scope: ScopeId, primed: bool) -> Lowered {
        let span = self.names.arena.span(id);
        match self.names.arena.get(id) {
            Expr::Bool(truth) => Lowered::Term(self.system.terms.truth(truth)),
            Expr::Number(number) => Lowered::Term(self.system.terms.integer(number)),
            Expr::Real => self.wrong(Diagnostic::error(
                "smv::not-yet",
                "real constants need a model with `real` variables",
                span,
                "a real number",
            )),
            Expr::Word(word) => {
                let literal = self.names.arena.word(word);
                let word = Word::new(literal.width, literal.signed, literal.bits.clone());
                Lowered::Term(self.system.terms.constant(Value::Word(word)))
            }
            Expr::Name(_) | Expr::SelfRef | Expr::Dot(..) | Expr::Index(..) => self.path(id, scope, primed),
            Expr::BitSelect { word, high, low } => self.bit_select(word, high, low, scope, primed, span),
            Expr::Unary(Unary::Not, inner) => self.negation(inner, scope, primed, span),
            Expr::Unary(Unary::Negate, inner) => self.minus(inner, scope, primed, span),
            Expr::Nary(Nary::Add, list) => self.sum(list, scope, primed, span),
            Expr::Nary(nary, list) => self.connective(nary, list, scope, primed, span),
            Expr::Binary(Binary::In, left, right) => self.membership(left, right, scope, primed, span),
            Expr::Binary(Binary::Union, left, right) => self.union(&[left, right], scope, primed, span),
            Expr::Binary(binary, left, right) => self.binary(binary, left, right, scope, primed, span),
            Expr::Set(list) => {
                let members = self.names.arena.list(list).to_vec();
                match members.as_slice() {
                    // Braces around one expression are parentheses.
                    [single] => self.lower(*single, scope, primed),
                    several => self.union(several, scope, primed, span),
                }
            }
            Expr::Range(low, high) => {
                if low > high {
                    return self.wrong(Diagnostic::error(
                        "smv::empty-range",
                        format!("the range {low}..{high} is empty"),
                        span,
                        "no value lies in it",
                    ));
                }
                match self.add_set(SetTree::Range(low, high)) {
                    Some(set) => Lowered::Set(set),
                    None => Lowered::Error,
                }
            }
            Expr::IfThenElse(condition, yes, no) => {
                self.if_then_else(condition, yes, no, scope, primed, span)
            }
            Expr::Case(list) => self.case(list, scope, primed, span),
            Expr::Next(inner) => {
                if primed {
                    return self.wrong(Diagnostic::error(
                        "smv::misplaced-operator",
                        "`next` inside `next`",
                        span,
                        "this is already about the next state",
                    ));
                }
                self.lower(inner, scope, true)
            }
            Expr::Call(function, list) => self.call(function, list, scope, primed, span),
            Expr::Apply(..) | Expr::TypeOf(_) | Expr::Type(_) => {
                self.infinite_type::<()>("function", span);
                Lowered::Error
            }
            Expr::ArrayLiteral(list) => self.array_literal(list, scope, primed),
            Expr::Temporal(..)
            | Expr::Bounded(..)
            | Expr::TemporalBinary(..)
            | Expr::BoundedUntil { .. }
            | Expr::Compute(..) => self.wrong(Diagnostic::error(
                "smv::misplaced-operator",
                "a temporal operator cannot stand here",
                span,
                "here",
            )),
        }
    }

    /// Reports and gives the value that stands for an error.
    pub(super) fn wrong(&mut self, diagnostic: Diagnostic) -> Lowered {
        self.report(diagnostic);
        Lowered::Error
    }

    /// The expression as a term; sets, arrays and instances are reported as the wrong type.
    pub(super) fn term(&mut self, id: ExprId, scope: ScopeId, primed: bool) -> Option<TermId> {
        let value = self.lower(id, scope, primed);
        let span = self.names.arena.span(id);
        self.as_term(&value, span)
    }

    pub(super) fn as_term(&mut self, value: &Lowered, span: Span) -> Option<TermId> {
        match value {
            Lowered::Term(term) => Some(*term),
            Lowered::Error => None,
            other => {
                let found = self.type_name(other);
                self.report(Diagnostic::error(
                    "smv::type",
                    format!("expected a single value, found {found}"),
                    span,
                    format!("this is {found}"),
                ));
                None
            }
        }
    }

    pub(super) fn type_name(&self, value: &Lowered) -> String {
        value.type_name(&self.system.terms, &self.names.sets)
    }

    pub(super) fn add_set(&mut self, tree: SetTree) -> Option<SetId> {
        self.names.sets.add(&self.system.terms, tree)
    }

    /// A value as a set.
    pub(super) fn as_set(&mut self, value: &Lowered) -> Option<SetId> {
        match value {
            Lowered::Term(term) => self.add_set(SetTree::Element(*term)),
            Lowered::Set(set) => Some(*set),
            _ => None,
        }
    }

    pub(super) fn kind(&self, term: TermId) -> Kind {
        Kind::of_sort(self.system.terms.sort(term))
    }

    /// The expression as a truth value; `what` names its role.
    pub(super) fn truth(&mut self, id: ExprId, scope: ScopeId, primed: bool, what: &str) -> Option<TermId> {
        let term = self.term(id, scope, primed)?;
        match self.kind(term) {
            Kind::Boolean => Some(term),
            other => {
                let span = self.names.arena.span(id);
                self.report(Diagnostic::error(
                    "smv::type",
                    format!("{what} must be boolean, not {}", other.name()),
                    span,
                    format!("this is {}", other.name()),
                ));
                None
            }
        }
    }

    // ----- names -----

    fn path(&mut self, id: ExprId, scope: ScopeId, primed: bool) -> Lowered {
        let span = self.names.arena.span(id);
        if let Some(entity) = resolve(self.names, id, scope) {
            if let (Expr::Name(symbol), EntityKind::Parameter { .. }) =
                (self.names.arena.get(id), &self.names.entity(entity).kind)
                && let Some(&constant) = self.names.constants.get(&symbol)
            {
                let text = self.names.text(symbol).to_string();
                return self.wrong(
                    Diagnostic::error(
                        "smv::ambiguous",
                        format!("`{text}` is both a parameter and a symbolic constant"),
                        span,
                        "ambiguous",
                    )
                    .with_label(constant, "a constant here"),
                );
            }
            return self.entity_value(entity, primed, span);
        }
        match self.names.arena.get(id) {
            Expr::SelfRef => Lowered::Instance,
            Expr::Name(symbol) => {
                if self.names.constants.contains_key(&symbol) {
                    let value = Value::symbol(self.names.text(symbol));
                    return Lowered::Term(self.system.terms.constant(value));
                }
                let text = self.names.text(symbol).to_string();
                self.undefined(&text, &text, scope, span)
            }
            Expr::Dot(base, symbol) => self.member_value(id, base, symbol, scope, primed),
            Expr::Index(base, index) => self.index(base, index, scope, primed, span),
            _ => Lowered::Error,
        }
    }

    fn member_value(
        &mut self,
        id: ExprId,
        base: ExprId,
        symbol: crate::syntax::interner::Symbol,
        scope: ScopeId,
        primed: bool,
    ) -> Lowered {
        let span = self.names.arena.span(id);
        let member = self.names.text(symbol).to_string();
        // Constants may have composite names (the process selector's do).
        let whole = self.source_text(span);
        if let Some(symbol) = self.names.arena.names.find(&whole)
            && self.names.constants.contains_key(&symbol)
        {
            return Lowered::Term(self.system.terms.constant(Value::symbol(whole)));
        }
        match resolve_scope(self.names, base, scope) {
            Some(inner) => self.undefined(&whole, &member, inner, span),
            None => {
                if let Expr::Name(first) = self.names.arena.get(base)
                    && resolve(self.names, base, scope).is_none()
                {
                    let text = self.names.text(first).to_string();
                    let span = self.names.arena.span(base);
                    return self.undefined(&text, &text, scope, span);
                }
                match self.lower(base, scope, primed) {
                    Lowered::Error => Lowered::Error,
                    other => {
                        let found = self.type_name(&other);
                        let base_span = self.names.arena.span(base);
                        self.wrong(
                            Diagnostic::error(
                                "smv::undefined",
                                format!("`{whole}` is not declared"),
                                span,
                                "unknown name",
                            )
                            .with_label(base_span, format!("this is {found}")),
                        )
                    }
                }
            }
        }
    }

    fn undefined(&mut self, shown: &str, wanted: &str, scope: ScopeId, span: Span) -> Lowered {
        let mut diagnostic = Diagnostic::error(
            "smv::undefined",
            format!("`{shown}` is not declared"),
            span,
            "unknown name",
        );
        diagnostic.help = if wanted == "running" {
            Some("`running` exists in processes only".to_string())
        } else {
            self.names
                .suggestion(scope, wanted)
                .map(|name| format!("did you mean `{name}`?"))
                .or_else(|| {
                    (wanted.len() > 1 && wanted.ends_with('-'))
                        .then(|| "identifiers may contain `-`; put a space before `->`".to_string())
                })
        };
        self.wrong(diagnostic)
    }

    /// The value of a declared name.
    pub(super) fn entity_value(&mut self, id: EntityId, primed: bool, span: Span) -> Lowered {
        let entity = self.names.entity(id);
        match &entity.values[usize::from(primed)] {
            Cache::Done(value, failures) => {
                let (value, failures) = (value.clone(), failures.clone());
                self.failures.extend(failures.iter().cloned());
                return value;
            }
            Cache::InProgress => {
                let (name, declared) = (entity.name.clone(), entity.span);
                return self.wrong(Diagnostic::error(
                    "smv::circular",
                    format!("`{name}` is defined in terms of itself"),
                    declared,
                    "this definition is circular",
                ));
            }
            Cache::Empty => {}
        }
        let (kind, scope, name) = (entity.kind.clone(), entity.scope, entity.name.clone());
        let remembered = match kind {
            EntityKind::Variable { .. } if primed => {
                let current = self.entity_value(id, false, span);
                return self.primed_variable(&current, span);
            }
            EntityKind::Variable { .. } => {
                return self.wrong(Diagnostic::error(
                    "smv::not-constant",
                    format!("`{name}` is a variable, but a constant is needed"),
                    span,
                    "a variable",
                ));
            }
            EntityKind::Instance(_) => return Lowered::Instance,
            EntityKind::Running(process) => return self.running(process, primed, span),
            EntityKind::Define { body } => body,
            EntityKind::Parameter { actual } => actual,
        };
        self.names.entity_mut(id).values[usize::from(primed)] = Cache::InProgress;
        let outside = std::mem::take(&mut self.failures);
        // What has a name may be used elsewhere, too.
        let is_initial = std::mem::take(&mut self.is_initial);
        let value = self.lower(remembered, scope, primed);
        self.is_initial = is_initial;
        let failures: Arc<[Failure]> = std::mem::replace(&mut self.failures, outside).into();
        self.failures.extend(failures.iter().cloned());
        self.names.entity_mut(id).values[usize::from(primed)] = Cache::Done(value.clone(), failures);
        value
    }

    fn primed_variable(&mut self, value: &Lowered, span: Span) -> Lowered {
        match value {
            Lowered::Term(term) => match *self.system.terms.op(*term) {
                Op::Current(variable) => {
                    if self.system.variable(variable).kind == entail_model::VarKind::Input {
                        let name = self.system.variable(variable).name.clone();
                        return self.wrong(
                            Diagnostic::error(
                                "smv::input",
                                format!("the input `{name}` has no next value"),
                                span,
                                "an input variable below `next`",
                            )
                            .with_help("inputs belong to a step, not to a state"),
                        );
                    }
                    Lowered::Term(self.system.next(variable))
                }
                _ => value.clone(),
            },
            Lowered::Array(array) => {
                let elements = array
                    .elements
                    .iter()
                    .map(|element| self.primed_variable(element, span))
                    .collect();
                Lowered::Array(Arc::new(ArrayValue {
                    low: array.low,
                    elements,
                }))
            }
            other => other.clone(),
        }
    }

    fn array_literal(&mut self, list: List, scope: ScopeId, primed: bool) -> Lowered {
        let members = self.names.arena.list(list).to_vec();
        let elements: Vec<Lowered> = members
            .iter()
            .map(|&member| self.lower(member, scope, primed))
            .collect();
        Lowered::Array(Arc::new(ArrayValue { low: 0, elements }))
    }

    // ----- indexing -----

    fn index(&mut self, base: ExprId, index: ExprId, scope: ScopeId, primed: bool, span: Span) -> Lowered {
        let array = match self.lower(base, scope, primed) {
            Lowered::Array(array) => array,
            Lowered::Error => return Lowered::Error,
            other => {
                let found = self.type_name(&other);
                let mut diagnostic = Diagnostic::error(
                    "smv::type",
                    format!("only arrays have elements, not {found}"),
                    span,
                    format!("this indexes {found}"),
                );
                if let Lowered::Term(term) = other
                    && let Kind::Word { .. } = self.kind(term)
                {
                    diagnostic.help = Some("select bits of a word with `w[high:low]`".to_string());
                }
                return self.wrong(diagnostic);
            }
        };
        let Some(position) = self.term(index, scope, primed) else {
            return Lowered::Error;
        };
        self.element(&array, position, self.names.arena.span(index), span)
    }

    fn element(&mut self, array: &ArrayValue, index: TermId, index_span: Span, span: Span) -> Lowered {
        let low = array.low;
        let high = low + array.elements.len() as i64 - 1;
        if let Some(constant) = self.system.terms.as_constant(index) {
            let number = match constant {
                Value::Int(number) => Some(*number),
                Value::Word(word) => i64::try_from(word.to_integer()).ok(),
                _ => None,
            };
            if let Some(number) = number {
                if (low..=high).contains(&number) {
                    return array.elements[(number - low) as usize].clone();
                }
                return self.wrong(Diagnostic::error(
                    "smv::index",
                    format!("the index {number} is outside {low}..{high}"),
                    index_span,
                    format!("this is {number}"),
                ));
            }
        }
        let kind = self.kind(index);
        if !matches!(kind, Kind::Integer | Kind::Word { .. }) {
            return self.wrong(Diagnostic::error(
                "smv::type",
                format!("an index is an integer or a word, not {}", kind.name()),
                index_span,
                format!("this is {}", kind.name()),
            ));
        }
        let mut equals = Vec::with_capacity(array.elements.len());
        for number in low..=high {
            let equal = self.equals_number(index, number);
            equals.push(equal);
        }
        let within = self.system.terms.or(equals.iter().copied());
        let outside = match self.within_bounds(index, low, high) {
            true => self.system.terms.truth(false),
            false => self.system.terms.not(within),
        };
        self.fails_when(
            outside,
            "smv::index",
            format!("the index can be outside {low}..{high}"),
            index_span,
        );
        let Some((last, others)) = array.elements.split_last() else {
            return Lowered::Error;
        };
        let mut value = last.clone();
        for (element, &equal) in others.iter().zip(&equals).rev() {
            value = match self.choose(equal, element, &value) {
                Some(value) => value,
                None => {
                    return self.wrong(Diagnostic::error(
                        "smv::type",
                        "the elements of this array have different types, so the index must be constant",
                        span,
                        "indexed here",
                    ));
                }
            };
        }
        value
    }

    fn within_bounds(&self, index: TermId, low: i64, high: i64) -> bool {
        match self.system.terms.sort(index) {
            entail_model::Sort::Word { width, signed: false } => {
                low <= 0 && *width < 62 && (1i64 << *width) - 1 <= high
            }
            sort => sort
                .integer_bounds()
                .is_some_and(|(least, most)| low <= least && most <= high),
        }
    }

    /// `index = number` for an integer or word index; false where the word cannot be that number.
    pub(super) fn equals_number(&mut self, index: TermId, number: i64) -> TermId {
        let constant = match self.kind(index) {
            Kind::Word { width, signed } => {
                let word = Word::from_integer(width, signed, &number.into());
                if word.to_integer() != number.into() {
                    return self.system.terms.truth(false);
                }
                self.system.terms.constant(Value::Word(word))
            }
            _ => self.system.terms.integer(number),
        };
        match self.system.terms.equal(index, constant) {
            Ok(equal) => equal,
            Err(_) => self.system.terms.truth(false),
        }
    }

    // ----- choices -----

    /// `condition ? yes : no`; nothing if the two do not go together.
    pub(super) fn choose(&mut self, condition: TermId, yes: &Lowered, no: &Lowered) -> Option<Lowered> {
        Some(match (yes, no) {
            (Lowered::Error, _) | (_, Lowered::Error) => Lowered::Error,
            (Lowered::Term(yes), Lowered::Term(no)) => {
                self.kind(*yes).common(self.kind(*no))?;
                Lowered::Term(self.system.terms.ite(condition, *yes, *no).ok()?)
            }
            (Lowered::Array(yes), Lowered::Array(no))
                if yes.low == no.low && yes.elements.len() == no.elements.len() =>
            {
                let elements: Option<Vec<Lowered>> = yes
                    .elements
                    .iter()
                    .zip(&no.elements)
                    .map(|(yes, no)| self.choose(condition, yes, no))
                    .collect();
                Lowered::Array(Arc::new(ArrayValue {
                    low: yes.low,
                    elements: elements?,
                }))
            }
            (Lowered::Set(_), Lowered::Set(_) | Lowered::Term(_)) | (Lowered::Term(_), Lowered::Set(_)) => {
                let (yes, no) = (self.as_set(yes)?, self.as_set(no)?);
                let choice = self.add_set(SetTree::Choice(condition, yes, no))?;
                Lowered::Set(match self.system.terms.as_truth(condition) {
                    Some(true) => yes,
                    Some(false) => no,
                    None => choice,
                })
            }
            _ => return None,
        })
    }

    fn if_then_else(
        &mut self,
        condition: ExprId,
        yes: ExprId,
        no: ExprId,
        scope: ScopeId,
        primed: bool,
        span: Span,
    ) -> Lowered {
        let Some(test) = self.truth(condition, scope, primed, "the condition") else {
            self.lower(yes, scope, primed);
            self.lower(no, scope, primed);
            return Lowered::Error;
        };
        let mark = self.failures.len();
        let yes_value = self.lower(yes, scope, primed);
        self.guard_failures(mark, test);
        let mark = self.failures.len();
        let no_value = self.lower(no, scope, primed);
        let otherwise = self.system.terms.not(test);
        self.guard_failures(mark, otherwise);
        match self.choose(test, &yes_value, &no_value) {
            Some(value) => value,
            None => self.branch_mismatch(&yes_value, yes, &no_value, no, span),
        }
    }

    pub(super) fn branch_mismatch(
        &mut self,
        yes: &Lowered,
        yes_id: ExprId,
        no: &Lowered,
        no_id: ExprId,
        span: Span,
    ) -> Lowered {
        let (yes, no) = (self.type_name(yes), self.type_name(no));
        let (yes_span, no_span) = (self.names.arena.span(yes_id), self.names.arena.span(no_id));
        let mut diagnostic = Diagnostic::error(
            "smv::type",
            format!("the results of a choice have types {yes} and {no}"),
            yes_span,
            format!("this is {yes}"),
        );
        if no_span != span {
            diagnostic = diagnostic.with_label(no_span, format!("this is {no}"));
        }
        self.wrong(diagnostic)
    }
}

/// The entity a path denotes as a whole.
pub(super) fn resolve(names: &Names, id: ExprId, scope: ScopeId) -> Option<EntityId> {
    stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || {
        let structural = match names.arena.get(id) {
            Expr::Name(symbol) => names.scope(scope).members.get(&symbol).copied(),
            Expr::Dot(base, symbol) => resolve_scope(names, base, scope)
                .and_then(|inner| names.scope(inner).members.get(&symbol).copied()),
            _ => None,
        };
        match structural {
            None if names.has_composite => {
                names.find_path(id, scope, |names, entity| instance_of(names, entity, 0))
            }
            found => found,
        }
    })
}

/// The instance a path denotes.
pub(super) fn resolve_scope(names: &Names, id: ExprId, scope: ScopeId) -> Option<ScopeId> {
    if let Expr::SelfRef = names.arena.get(id) {
        return Some(scope);
    }
    instance_of(names, resolve(names, id, scope)?, 0)
}

/// How many parameters to follow: one given in terms of itself would go on for ever.
const MOST_HOPS: u32 = 200;

/// The instance an entity denotes: itself, or through parameters.
pub(super) fn instance_of(names: &Names, id: EntityId, hops: u32) -> Option<ScopeId> {
    let entity = names.entity(id);
    match entity.kind {
        EntityKind::Instance(scope) => Some(scope),
        EntityKind::Parameter { actual } => instance_of_path(names, actual, entity.scope, hops + 1),
        _ => None,
    }
}

fn instance_of_path(names: &Names, id: ExprId, scope: ScopeId, hops: u32) -> Option<ScopeId> {
    if hops > MOST_HOPS {
        return None;
    }
    let entity = match names.arena.get(id) {
        Expr::SelfRef => return Some(scope),
        Expr::Name(symbol) => *names.scope(scope).members.get(&symbol)?,
        Expr::Dot(base, symbol) => {
            let inner = instance_of_path(names, base, scope, hops + 1)?;
            *names.scope(inner).members.get(&symbol)?
        }
        _ => return None,
    };
    instance_of(names, entity, hops + 1)
}
