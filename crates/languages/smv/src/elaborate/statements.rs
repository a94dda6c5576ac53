//! Constraints, fairness and assignments.
//!
//! `init(x) := e` becomes a conjunct of the initial condition, `next(x) := e` of the transition relation, `x := e` of
//! the invariant, each in the shape `x = e` (or membership, if `e` is a set). A variable is assigned at most once in each
//! way, and not both as a whole and by parts; inputs are never assigned, frozen variables only initially.

use super::Elaborator;
use super::failure::{Failure, cone};
use super::instantiate::Statement;
use super::lower::resolve;
use super::names::{EntityKind, Names, ScopeId};
use super::value::{Kind, Lowered, SetTree};
use crate::syntax::ast::{AssignKind, ConstraintKind, Expr, ExprId, Item, Module};
use entail_model::{Op, TermId, VarId, VarKind};
use entail_source::{Diagnostic, Span};
use rustc_hash::FxHashMap;

/// An assignment, lowered.
pub(super) struct Assignment {
    pub kind: AssignKind,
    pub variable: VarId,
    pub value: Lowered,
    pub failures: Vec<Failure>,
    pub process: ScopeId,
    pub span: Span,
}

/// Which leaves a statement may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reach {
    State,
    StateAndInputs,
    Step,
}

impl Elaborator<'_> {
    /// Adds everything but declarations and specifications.
    pub(super) fn add_statements(&mut self, modules: &[Module], statements: &[Statement]) {
        let mut assignments = Vec::new();
        for &Statement { scope, module, item } in statements {
            match &modules[module].items[item] {
                Item::Constraint { kind, expr } => self.constraint(*kind, *expr, scope),
                Item::Urgent(condition) => {
                    let span = self.names.arena.span(*condition);
                    self.report(
                        Diagnostic::error("smv::urgent", "time does not pass in this model", span, "here")
                            .with_help("begin the text with `@TIME_DOMAIN continuous`"),
                    );
                }
                Item::Compassion { often, then } => {
                    let often = self.checked_truth(*often, scope, "COMPASSION", Reach::StateAndInputs);
                    let then = self.checked_truth(*then, scope, "COMPASSION", Reach::StateAndInputs);
                    if let (Some(often), Some(then)) = (often, then) {
                        self.system.compassion.push((often, then));
                    }
                    self.settle();
                }
                Item::Assign {
                    kind,
                    target,
                    value,
                    span,
                } => {
                    if let Some(assignment) = self.assignment(*kind, *target, *value, *span, scope) {
                        assignments.push(assignment);
                    }
                }
                _ => {}
            }
        }
        self.check_double(&assignments);
        self.check_circular(&assignments);
        self.emit(assignments);
    }

    fn constraint(&mut self, kind: ConstraintKind, expr: ExprId, scope: ScopeId) {
        let (name, reach) = match kind {
            ConstraintKind::Init => ("INIT", Reach::State),
            ConstraintKind::Invar => ("INVAR", Reach::State),
            ConstraintKind::Trans => ("TRANS", Reach::Step),
            ConstraintKind::Justice => ("FAIRNESS", Reach::StateAndInputs),
        };
        let Some(term) = self.checked_truth(expr, scope, name, reach) else {
            self.failures.clear();
            return;
        };
        self.settle();
        let list = match kind {
            ConstraintKind::Justice => {
                self.system.justice.push(term);
                return;
            }
            ConstraintKind::Init => &mut self.system.init,
            ConstraintKind::Invar => &mut self.system.invariant,
            ConstraintKind::Trans => &mut self.system.transition,
        };
        push_conjuncts(&self.system.terms, list, term);
    }

    /// A truth value that uses only what its place allows.
    pub(super) fn checked_truth(
        &mut self,
        expr: ExprId,
        scope: ScopeId,
        what: &str,
        reach: Reach,
    ) -> Option<TermId> {
        let term = self.truth(expr, scope, false, what)?;
        let span = self.names.arena.span(expr);
        self.check_reach(term, reach, what, span).then_some(term)
    }

    pub(super) fn check_reach(&mut self, term: TermId, reach: Reach, what: &str, span: Span) -> bool {
        let leaves = self.leaves(term);
        if leaves.next && reach != Reach::Step {
            self.report(Diagnostic::error(
                "smv::misplaced-operator",
                format!("{what} cannot speak about the next state"),
                span,
                "`next` is used here (perhaps in a DEFINE)",
            ));
            return false;
        }
        if leaves.inputs && reach == Reach::State {
            let input = cone(&self.system.terms, term).into_iter().find_map(|term| {
                match self.system.terms.op(term) {
                    Op::Current(variable) if self.system.variable(*variable).kind == VarKind::Input => {
                        Some(*variable)
                    }
                    _ => None,
                }
            });
            let name = input.map_or(String::new(), |input| {
                self.system.variable(input).name.to_string()
            });
            self.report(
                Diagnostic::error(
                    "smv::input",
                    format!("{what} cannot use the input `{name}`"),
                    span,
                    "an input variable is used here",
                )
                .with_help("inputs belong to a step, not to a state; declare it under VAR to make it part of the state"),
            );
            return false;
        }
        true
    }

    // ----- assignments -----

    fn assignment(
        &mut self,
        kind: AssignKind,
        target: ExprId,
        value: ExprId,
        span: Span,
        scope: ScopeId,
    ) -> Option<Assignment> {
        let variable = self.assigned_variable(target, scope);
        self.failures.clear();
        self.is_initial = kind == AssignKind::Init;
        let lowered = self.lower(value, scope, false);
        self.is_initial = false;
        let failures = std::mem::take(&mut self.failures);
        let variable = variable?;
        let declared = self.system.variable(variable).clone();
        let name = &declared.name;
        match (declared.kind, kind) {
            (VarKind::Input, _) => {
                self.report(Diagnostic::error(
                    "smv::input",
                    format!("the input `{name}` cannot be assigned"),
                    span,
                    "assigned here",
                ));
                return None;
            }
            (VarKind::Frozen, AssignKind::Next | AssignKind::Current) => {
                self.report(Diagnostic::error(
                    "smv::frozen",
                    format!("the frozen variable `{name}` can only be given an initial value"),
                    span,
                    "assigned here",
                ));
                return None;
            }
            _ => {}
        }
        let value_span = self.names.arena.span(value);
        let value_kind = match &lowered {
            Lowered::Error => return None,
            Lowered::Term(term) => Some(self.kind(*term)),
            Lowered::Set(set) => Some(self.names.sets.kind(*set)),
            _ => None,
        };
        let domain = Kind::of_sort(&declared.sort);
        if !value_kind.is_some_and(|value| domain.accepts(value)) {
            let found = self.type_name(&lowered);
            let declared_at = self
                .variable_spans
                .get(variable.index())
                .copied()
                .unwrap_or_default();
            self.report(
                Diagnostic::error(
                    "smv::type",
                    format!("`{name}` is {} and cannot be assigned {found}", domain.name()),
                    value_span,
                    format!("this is {found}"),
                )
                .with_label(declared_at, format!("declared {} here", declared.sort)),
            );
            return None;
        }
        let (reach, what) = match kind {
            AssignKind::Next => (Reach::Step, "a next value"),
            AssignKind::Init => (Reach::State, "an initial value"),
            AssignKind::Current => (Reach::State, "the value of a variable"),
        };
        for term in terms_of(self.names, &lowered) {
            if !self.check_reach(term, reach, what, value_span) {
                return None;
            }
        }
        Some(Assignment {
            kind,
            variable,
            value: lowered,
            failures,
            process: self.names.scope(scope).process,
            span,
        })
    }

    /// The variable on the left of an assignment.
    fn assigned_variable(&mut self, target: ExprId, scope: ScopeId) -> Option<VarId> {
        let span = self.names.arena.span(target);
        let place = self.assigned_place(target, scope, 0)?;
        if let Lowered::Term(term) = place
            && let Op::Current(variable) = *self.system.terms.op(term)
        {
            return Some(variable);
        }
        if !matches!(place, Lowered::Error) {
            let found = self.type_name(&place);
            self.report(Diagnostic::error(
                "smv::assignment",
                "only single variables can be assigned",
                span,
                format!("this is {found}"),
            ));
        }
        None
    }

    fn assigned_place(&mut self, target: ExprId, scope: ScopeId, hops: u32) -> Option<Lowered> {
        let span = self.names.arena.span(target);
        if let Some(entity) = resolve(self.names, target, scope) {
            let found = self.names.entity(entity);
            let (kind, inner_scope) = (found.kind.clone(), found.scope);
            return match kind {
                EntityKind::Variable { .. } => Some(self.entity_value(entity, false, span)),
                EntityKind::Parameter { actual } if hops < 1000 => {
                    self.assigned_place(actual, inner_scope, hops + 1)
                }
                _ => {
                    let name = self.source_text(span);
                    self.report(Diagnostic::error(
                        "smv::assignment",
                        format!("`{name}` is not a variable, so it cannot be assigned"),
                        span,
                        "a variable is expected on the left of `:=`",
                    ));
                    None
                }
            };
        }
        match self.names.arena.get(target) {
            Expr::Index(base, index) => {
                let place = stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || {
                    self.assigned_place(base, scope, hops)
                })?;
                let number = self.constant_integer(index, scope, "an index on the left of `:=`")?;
                let Lowered::Array(array) = place else {
                    return Some(place);
                };
                let high = array.low + array.elements.len() as i64 - 1;
                match array
                    .elements
                    .get(usize::try_from(number - array.low).unwrap_or(usize::MAX))
                {
                    Some(element) => Some(element.clone()),
                    None => {
                        self.report(Diagnostic::error(
                            "smv::index",
                            format!("the index {number} is outside {}..{high}", array.low),
                            span,
                            "assigned here",
                        ));
                        None
                    }
                }
            }
            // Reports what is wrong with the name.
            Expr::Name(_) | Expr::Dot(..) | Expr::SelfRef => match self.lower(target, scope, false) {
                Lowered::Error => None,
                _ => {
                    let name = self.source_text(span);
                    self.report(Diagnostic::error(
                        "smv::assignment",
                        format!("`{name}` is not a variable, so it cannot be assigned"),
                        span,
                        "a variable is expected on the left of `:=`",
                    ));
                    None
                }
            },
            _ => {
                self.report(Diagnostic::error(
                    "smv::assignment",
                    "this parameter stands for an expression, which cannot be assigned",
                    span,
                    "not a variable",
                ));
                None
            }
        }
    }

    fn check_double(&mut self, assignments: &[Assignment]) {
        let mut seen: FxHashMap<(VarId, AssignKind, ScopeId), Span> = FxHashMap::default();
        let mut whole: FxHashMap<VarId, Span> = FxHashMap::default();
        for assignment in assignments {
            let process = match assignment.kind {
                AssignKind::Next => assignment.process,
                _ => Names::MAIN,
            };
            let name = self.system.variable(assignment.variable).name.clone();
            if let Some(&first) = seen.get(&(assignment.variable, assignment.kind, process)) {
                self.report(
                    Diagnostic::error(
                        "smv::assigned-twice",
                        format!("`{name}` is assigned twice"),
                        assignment.span,
                        "again here",
                    )
                    .with_label(first, "first assigned here"),
                );
            } else {
                seen.insert((assignment.variable, assignment.kind, process), assignment.span);
            }
            if assignment.kind == AssignKind::Current {
                whole.insert(assignment.variable, assignment.span);
            }
        }
        for assignment in assignments {
            if let (AssignKind::Init | AssignKind::Next, Some(&first)) =
                (assignment.kind, whole.get(&assignment.variable))
            {
                let name = self.system.variable(assignment.variable).name.clone();
                self.report(
                    Diagnostic::error(
                        "smv::assigned-twice",
                        format!("`{name}` is assigned at every step, so it cannot also have an initial or next value"),
                        assignment.span,
                        "also assigned here",
                    )
                    .with_label(first, "assigned at every step here"),
                );
            }
        }
    }

    fn emit(&mut self, assignments: Vec<Assignment>) {
        let mut interleaved: indexmap::IndexMap<VarId, Vec<Assignment>> = Default::default();
        for assignment in assignments {
            if assignment.kind == AssignKind::Next && self.selector.is_some() {
                interleaved
                    .entry(assignment.variable)
                    .or_default()
                    .push(assignment);
                continue;
            }
            self.failures = assignment.failures;
            self.emit_one(
                assignment.kind,
                assignment.variable,
                &assignment.value,
                assignment.span,
            );
        }
        for (variable, parts) in interleaved {
            let mut value = Lowered::Term(self.system.current(variable));
            let span = parts[0].span;
            for part in parts.into_iter().rev() {
                let Some(runs) = self.runs(part.process) else {
                    continue;
                };
                let mark = self.failures.len();
                self.failures.extend(part.failures);
                self.guard_failures(mark, runs);
                if let Some(chosen) = self.choose(runs, &part.value, &value) {
                    value = chosen;
                }
            }
            self.emit_one(AssignKind::Next, variable, &value, span);
        }
    }

    fn emit_one(&mut self, kind: AssignKind, variable: VarId, value: &Lowered, span: Span) {
        let target = match kind {
            AssignKind::Next => self.system.next(variable),
            _ => self.system.current(variable),
        };
        let (name, sort) = {
            let declared = self.system.variable(variable);
            (declared.name.clone(), declared.sort.clone())
        };
        if let Some(term) = self.assigned(target, &name, &sort, value, span) {
            match kind {
                AssignKind::Init => self.system.init.push(term),
                AssignKind::Next => self.system.transition.push(term),
                AssignKind::Current => self.system.invariant.push(term),
            }
        }
        self.settle();
    }
}

/// Conjuncts are kept apart: engines partition and slice by them.
fn push_conjuncts(terms: &entail_model::Terms, list: &mut Vec<TermId>, term: TermId) {
    match terms.op(term) {
        Op::And => list.extend_from_slice(terms.operands(term)),
        _ => list.push(term),
    }
}

/// The terms a value consists of.
pub(super) fn terms_of(names: &Names, value: &Lowered) -> Vec<TermId> {
    let mut terms = Vec::new();
    let mut sets = Vec::new();
    match value {
        Lowered::Term(term) => terms.push(*term),
        Lowered::Set(set) => sets.push(*set),
        _ => {}
    }
    while let Some(set) = sets.pop() {
        match names.sets.tree(set) {
            SetTree::Element(term) => terms.push(*term),
            SetTree::Range(..) => {}
            SetTree::Union(parts) => sets.extend_from_slice(parts),
            SetTree::Choice(condition, yes, no) => {
                terms.push(*condition);
                sets.extend([*yes, *no]);
            }
        }
    }
    terms
}
