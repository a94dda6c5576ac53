//! Sets: unions, membership, and what it means to assign one.
//!
//! `s in t` says that every member of `s` is a member of `t`; a single value is the set of itself. Membership in a choice
//! between sets is a choice between memberships, so `next(x) := c ? {1, 2} : 3` becomes
//! `c ? (next(x) = 1 | next(x) = 2) : next(x) = 3`, which keeps the shape engines enumerate.

use super::Elaborator;
use super::names::ScopeId;
use super::value::{Kind, Lowered, SetId, SetTree};
use crate::syntax::ast::ExprId;
use entail_model::{Op, Sort, TermId, Value};
use entail_source::{Diagnostic, Span};
use rustc_hash::FxHashMap;

impl Elaborator<'_> {
    pub(super) fn union(&mut self, members: &[ExprId], scope: ScopeId, primed: bool, span: Span) -> Lowered {
        let values: Vec<Lowered> = members
            .iter()
            .map(|&member| self.lower(member, scope, primed))
            .collect();
        let mut sets = Vec::with_capacity(values.len());
        for (value, &member) in values.iter().zip(members) {
            match self.set_operand(value, member) {
                Some(set) => sets.push(set),
                None => return Lowered::Error,
            }
        }
        match self.add_set(SetTree::Union(sets)) {
            Some(set) => Lowered::Set(set),
            None => {
                let mut names: Vec<String> = values.iter().map(|value| self.type_name(value)).collect();
                names.dedup();
                self.wrong(Diagnostic::error(
                    "smv::type",
                    format!("the members of a set have types {}", names.join(" and ")),
                    span,
                    "in this set",
                ))
            }
        }
    }

    fn set_operand(&mut self, value: &Lowered, id: ExprId) -> Option<SetId> {
        let span = self.names.arena.span(id);
        let found = match value {
            Lowered::Error => return None,
            Lowered::Term(term) => match self.kind(*term) {
                Kind::Word { .. } => self.type_name(value),
                _ => return self.as_set(value),
            },
            Lowered::Set(set) => return Some(*set),
            other => self.type_name(other),
        };
        self.report(Diagnostic::error(
            "smv::type",
            format!("there are no sets of {found}"),
            span,
            format!("this is {found}"),
        ));
        None
    }

    pub(super) fn membership(
        &mut self,
        left_id: ExprId,
        right_id: ExprId,
        scope: ScopeId,
        primed: bool,
        span: Span,
    ) -> Lowered {
        let left = self.lower(left_id, scope, primed);
        let right = self.lower(right_id, scope, primed);
        let left_set = self.set_operand(&left, left_id);
        let right_set = self.set_operand(&right, right_id);
        let (Some(left_set), Some(right_set)) = (left_set, right_set) else {
            return Lowered::Error;
        };
        let comparable = self
            .names
            .sets
            .kind(left_set)
            .comparable(self.names.sets.kind(right_set));
        if !comparable {
            let (left, right) = (self.type_name(&left), self.type_name(&right));
            return self.wrong(Diagnostic::error(
                "smv::type",
                format!("`in` cannot be applied to {left} and {right}"),
                span,
                "here",
            ));
        }
        if self.widest_range(left_set) > MOST_MEMBERS {
            return self.wrong(Diagnostic::error(
                "smv::too-large",
                format!("the set on the left of `in` is too large: {MOST_MEMBERS} members is the limit"),
                span,
                "here",
            ));
        }
        Lowered::Term(self.subset(left_set, right_set))
    }

    fn subset(&mut self, left: SetId, right: SetId) -> TermId {
        stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || self.subset_here(left, right))
    }

    fn subset_here(&mut self, left: SetId, right: SetId) -> TermId {
        match self.names.sets.tree(left).clone() {
            SetTree::Element(term) => self.member(term, right),
            SetTree::Range(low, high) => {
                if let SetTree::Range(least, most) = *self.names.sets.tree(right) {
                    return self.system.terms.truth(least <= low && high <= most);
                }
                let members: Vec<TermId> = (low..=high)
                    .map(|number| {
                        let number = self.system.terms.integer(number);
                        self.member(number, right)
                    })
                    .collect();
                self.system.terms.and(members)
            }
            SetTree::Union(parts) => {
                let parts: Vec<TermId> = parts.iter().map(|&part| self.subset(part, right)).collect();
                self.system.terms.and(parts)
            }
            SetTree::Choice(condition, yes, no) => {
                let (yes, no) = (self.subset(yes, right), self.subset(no, right));
                self.choice(condition, yes, no)
            }
        }
    }

    fn widest_range(&self, set: SetId) -> i64 {
        stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || match self.names.sets.tree(set) {
            SetTree::Element(_) => 1,
            SetTree::Range(low, high) => high - low + 1,
            SetTree::Union(parts) => parts
                .iter()
                .map(|&part| self.widest_range(part))
                .max()
                .unwrap_or(0),
            SetTree::Choice(_, yes, no) => self.widest_range(*yes).max(self.widest_range(*no)),
        })
    }

    fn choice(&mut self, condition: TermId, yes: TermId, no: TermId) -> TermId {
        match self.system.terms.ite(condition, yes, no) {
            Ok(term) => term,
            Err(_) => self.system.terms.truth(false),
        }
    }

    /// The condition that a value is a member of a set.
    pub(super) fn member(&mut self, value: TermId, set: SetId) -> TermId {
        stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || {
            match self.names.sets.tree(set).clone() {
                SetTree::Element(term) => match self.system.terms.equal(value, term) {
                    Ok(equal) => equal,
                    Err(_) => self.system.terms.truth(false),
                },
                SetTree::Range(low, high) => self.between(value, low, high),
                SetTree::Union(parts) => {
                    let parts: Vec<TermId> = parts.iter().map(|&part| self.member(value, part)).collect();
                    self.system.terms.or(parts)
                }
                SetTree::Choice(condition, yes, no) => {
                    let (yes, no) = (self.member(value, yes), self.member(value, no));
                    self.choice(condition, yes, no)
                }
            }
        })
    }

    /// `low <= value <= high`, also for enumerations that hold symbols.
    fn between(&mut self, value: TermId, low: i64, high: i64) -> TermId {
        if self.kind(value) == Kind::Integer {
            let (bottom, top) = (self.system.terms.integer(low), self.system.terms.integer(high));
            let above = self.system.terms.less_equal(bottom, value);
            let below = self.system.terms.less_equal(value, top);
            if let (Ok(above), Ok(below)) = (above, below) {
                return self.system.terms.and([above, below]);
            }
        }
        let numbers: Vec<i64> = match self.system.terms.sort(value) {
            Sort::Enum(values) => values
                .iter()
                .filter_map(Value::as_int)
                .filter(|number| (low..=high).contains(number))
                .collect(),
            _ => Vec::new(),
        };
        let equal: Vec<TermId> = numbers
            .into_iter()
            .map(|number| self.equals_number(value, number))
            .collect();
        self.system.terms.or(equal)
    }

    /// `target := value` as a constraint on `target`, with the failures of values outside `domain`.
    pub(super) fn assigned(
        &mut self,
        target: TermId,
        name: &str,
        domain: &Sort,
        value: &Lowered,
        span: Span,
    ) -> Option<TermId> {
        match value {
            Lowered::Term(term) => {
                self.check_domain(*term, name, domain, span);
                self.system.terms.equal(target, *term).ok()
            }
            Lowered::Set(set) => {
                self.check_set_domain(*set, name, domain, span);
                Some(self.member(target, *set))
            }
            _ => None,
        }
    }

    fn check_set_domain(&mut self, set: SetId, name: &str, domain: &Sort, span: Span) {
        stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || {
            match self.names.sets.tree(set).clone() {
                SetTree::Element(term) => self.check_domain(term, name, domain, span),
                SetTree::Range(low, high) => {
                    for edge in [low, high] {
                        let edge = self.system.terms.integer(edge);
                        self.check_domain(edge, name, domain, span);
                    }
                    if let Sort::Enum(allowed) = domain {
                        // One more than the domain has: if the range is longer, one of them is outside.
                        for number in (low..=high).take(allowed.len() + 1) {
                            let number = self.system.terms.integer(number);
                            self.check_domain(number, name, domain, span);
                        }
                    }
                }
                SetTree::Union(parts) => {
                    for part in parts {
                        self.check_set_domain(part, name, domain, span);
                    }
                }
                SetTree::Choice(condition, yes, no) => {
                    let mark = self.failures.len();
                    self.check_set_domain(yes, name, domain, span);
                    self.guard_failures(mark, condition);
                    let mark = self.failures.len();
                    self.check_set_domain(no, name, domain, span);
                    if self.failures.len() > mark {
                        let otherwise = self.system.terms.not(condition);
                        self.guard_failures(mark, otherwise);
                    }
                }
            }
        })
    }

    fn check_domain(&mut self, term: TermId, name: &str, domain: &Sort, span: Span) {
        let outside = self.outside(term, domain);
        if self.system.terms.as_truth(outside) == Some(false) {
            return;
        }
        let what = match self.system.terms.as_constant(term) {
            Some(value) => format!("the value {value} is not in the domain of `{name}`"),
            None => format!("the assigned value can be outside the domain of `{name}`"),
        };
        self.fails_when(outside, "smv::domain", format!("{what} ({domain})"), span);
    }

    /// The condition that a value is outside a domain. It is pushed through choices: most branches cannot be outside,
    /// and what is left speaks of few variables.
    fn outside(&mut self, root: TermId, domain: &Sort) -> TermId {
        let mut spine = vec![root];
        let mut seen: FxHashMap<TermId, Option<TermId>> = FxHashMap::default();
        while let Some(term) = spine.pop() {
            if seen.insert(term, None).is_none() && *self.system.terms.op(term) == Op::Ite {
                spine.extend_from_slice(&self.system.terms.operands(term)[1..]);
            }
        }
        // Operands come before the terms built from them.
        let mut order: Vec<TermId> = seen.keys().copied().collect();
        order.sort_unstable();
        for term in order {
            let condition = match *self.system.terms.op(term) {
                Op::Ite => {
                    let [test, yes, no] = self.system.terms.operands(term) else {
                        continue;
                    };
                    let (test, yes, no) = (*test, seen[yes], seen[no]);
                    match (yes, no) {
                        (Some(yes), Some(no)) => self.choice(test, yes, no),
                        _ => continue,
                    }
                }
                _ => self.leaf_outside(term, domain),
            };
            seen.insert(term, Some(condition));
        }
        match seen[&root] {
            Some(condition) => condition,
            None => self.leaf_outside(root, domain),
        }
    }

    fn leaf_outside(&mut self, term: TermId, domain: &Sort) -> TermId {
        let sort = self.system.terms.sort(term).clone();
        let never = self.system.terms.truth(false);
        if sort == *domain || matches!(sort, Sort::Bool | Sort::Word { .. }) {
            return never;
        }
        match domain {
            Sort::Range { low, high } => {
                if sort
                    .integer_bounds()
                    .is_some_and(|(least, most)| *low <= least && most <= *high)
                {
                    return never;
                }
                let (low, high) = (self.system.terms.integer(*low), self.system.terms.integer(*high));
                let (below, above) = (
                    self.system.terms.less(term, low),
                    self.system.terms.less(high, term),
                );
                match (below, above) {
                    (Ok(below), Ok(above)) => self.system.terms.or([below, above]),
                    _ => never,
                }
            }
            Sort::Enum(allowed) => {
                let small = sort.size().is_some_and(|size| size <= allowed.len() as u64);
                if small && sort.values().all(|value| allowed.contains(&value)) {
                    return never;
                }
                let inside: Vec<TermId> = allowed
                    .iter()
                    .map(|value| self.system.terms.constant(value.clone()))
                    .collect();
                match self.system.terms.one_of(term, &inside) {
                    Ok(inside) => self.system.terms.not(inside),
                    Err(_) => never,
                }
            }
            _ => never,
        }
    }
}

/// Ranges on the left of `in` are spelled out up to so many members.
const MOST_MEMBERS: i64 = 100_000;
