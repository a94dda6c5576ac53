//! Statements: the initial condition, the relation, fairness, the properties to be shown.

use super::scopes::{Member, ScopeId, Statement};
use super::{Choice, Domain, Kind, Reader, Reported, Typed, UnboundedModel, UnboundedProperty};
use crate::syntax::ast::{AssignKind, ConstraintKind, Expr, ExprId, Item, Module, SpecKind, TemporalUnary};
use entail_first_order::{Claim, FirstOrderSystem, SortId, StateVariable, TermId};
use entail_logic::Formula;
use entail_source::{Diagnostic, Diagnostics, Span};
use rustc_hash::FxHashMap;

/// Conditions collected from statements.
#[derive(Default)]
pub(super) struct Conditions {
    pub(super) init: Vec<TermId>,
    /// Over the current state: required of every state.
    invariant: Vec<TermId>,
    /// The invariants with their places.
    pub(super) invariant_places: Vec<(TermId, Span)>,
    pub(super) step: Vec<TermId>,
    /// Where time stands still, with the places that say so.
    pub(super) urgent: Vec<(TermId, Span)>,
    init_errors: Vec<TermId>,
    state_errors: Vec<TermId>,
    pub(super) step_errors: Vec<TermId>,
    justice: Vec<TermId>,
    compassion: Vec<(TermId, TermId)>,
}

/// A property that is still to be read.
enum Wanted {
    Invariant(ExprId),
    Path(ExprId),
}

/// A specification: its name, its text, what it says and where it stands.
type Specification = (Option<String>, String, Wanted, ScopeId);

/// Where a statement is required.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Init,
    State,
    Step,
}

impl Conditions {
    /// A condition, free where one of the errors happens.
    fn require(
        &mut self,
        reader: &mut Reader<'_>,
        place: Place,
        condition: TermId,
        errors: Vec<TermId>,
        span: Span,
    ) {
        let mut parts = errors.clone();
        parts.push(condition);
        let condition = reader.terms.or(&parts);
        if place == Place::State {
            self.invariant_places.push((condition, span));
        }
        let (conditions, known) = match place {
            Place::Init => (&mut self.init, &mut self.init_errors),
            Place::State => (&mut self.invariant, &mut self.state_errors),
            Place::Step => (&mut self.step, &mut self.step_errors),
        };
        conditions.push(condition);
        known.extend(errors);
    }
}

impl Reader<'_> {
    /// Puts the system together.
    pub(super) fn finish(
        mut self,
        statements: &[Statement],
        modules: &[Module],
        warnings: Vec<Diagnostic>,
    ) -> Result<UnboundedModel, Diagnostics> {
        let mut conditions = Conditions::default();
        let mut specifications = Vec::new();
        let mut unsupported = Vec::new();
        // Assignments alone leave every state a successor.
        let goes_on = statements.iter().all(|&(_, module, item)| {
            !matches!(
                modules[module].items[item],
                Item::Constraint {
                    kind: ConstraintKind::Trans | ConstraintKind::Invar | ConstraintKind::Justice,
                    ..
                } | Item::Compassion { .. }
                    | Item::Assign {
                        kind: AssignKind::Current,
                        ..
                    }
            )
        });
        for &(scope, module, item) in statements {
            let item = &modules[module].items[item];
            // A mistake has been reported; the others are looked for all the same.
            let outcome = match item {
                Item::Assign {
                    kind,
                    target,
                    value,
                    span,
                } => self.assign(&mut conditions, *kind, *target, *value, scope, *span),
                Item::Constraint { kind, expr } => self.constrain(&mut conditions, *kind, *expr, scope),
                Item::Spec {
                    kind,
                    name,
                    formula,
                    context,
                } => {
                    let title = name.map(|name| self.arena.names.text(name.symbol).to_owned());
                    let text = self.text_of(self.arena.span(*formula));
                    let scope = match context {
                        Some(instance) => self.instance(*instance, scope),
                        None => Ok(scope),
                    };
                    scope.map(|scope| match self.wanted(*kind, *formula, goes_on) {
                        Ok(wanted) => specifications.push((title, text, wanted, scope)),
                        Err(reason) => unsupported.push((text, reason.to_owned())),
                    })
                }
                Item::Psl { span } => {
                    let reason = "specifications in PSL are not read where variables are unbounded";
                    unsupported.push((self.text_of(*span), reason.to_owned()));
                    Ok(())
                }
                Item::Urgent(condition) if self.is_timed => {
                    self.errors.clear();
                    let read = self.state_formula(*condition, scope);
                    conditions.state_errors.append(&mut self.errors);
                    let span = self.arena.span(*condition);
                    read.map(|condition| conditions.urgent.push((condition, span)))
                }
                Item::Urgent(condition) => {
                    let span = self.arena.span(*condition);
                    let message = "time does not pass here: begin the text with `@TIME_DOMAIN continuous`";
                    Err(self.wrong("smv::urgent", message, span))
                }
                Item::Compassion { often, then } => self.compassion(&mut conditions, *often, *then, scope),
                _ => Ok(()),
            };
            if outcome.is_err() && self.problems.is_empty() {
                self.wrong(
                    "smv::statement",
                    "a statement cannot be read",
                    modules[module].name.span,
                );
            }
        }
        let properties = self.properties(&mut conditions, &specifications);
        if self.is_timed && self.problems.is_empty() && self.let_time_pass(&mut conditions).is_err() {
            return Err(Diagnostics(self.problems));
        }
        if !self.problems.is_empty() {
            return Err(Diagnostics(self.problems));
        }
        Ok(self.system(conditions, properties, unsupported, warnings))
    }

    /// What a specification asks for, if it is of a kind that is decided here. `G p` is about states on endless fair paths; these are
    /// all reachable states where every path goes on and is fair.
    fn wanted(&self, kind: SpecKind, formula: ExprId, goes_on: bool) -> Result<Wanted, &'static str> {
        let is_plain = |id: ExprId| !self.has_temporal(id);
        match (kind, self.arena.get(formula)) {
            (SpecKind::Invariant, _) if is_plain(formula) => Ok(Wanted::Invariant(formula)),
            _ if self.is_timed => Err("only INVARSPEC is checked where time is continuous"),
            (SpecKind::Ctl, Expr::Temporal(TemporalUnary::AG, body))
            | (SpecKind::Ltl, Expr::Temporal(TemporalUnary::G, body))
                if goes_on && is_plain(body) =>
            {
                Ok(Wanted::Invariant(body))
            }
            (SpecKind::Ltl, _) => Ok(Wanted::Path(formula)),
            (SpecKind::Ctl, _) if self.is_universal_at_once(formula) => Ok(Wanted::Path(formula)),
            _ => Err("only invariants and path formulas are checked where variables are unbounded"),
        }
    }

    /// The instance that a specification is to be read in.
    fn instance(&mut self, path: ExprId, scope: ScopeId) -> Result<ScopeId, Reported> {
        match self.resolve_path(path, scope)? {
            (Member::Instance(instance), _) => Ok(instance),
            _ => {
                let span = self.arena.span(path);
                Err(self.wrong("smv::context", "the name of an instance is needed here", span))
            }
        }
    }

    /// The variable that an assignment assigns.
    fn target(&mut self, id: ExprId, scope: ScopeId) -> Result<usize, Reported> {
        match self.resolve_path(id, scope)? {
            (Member::Variable(variable), _) => Ok(variable),
            _ => {
                let span = self.arena.span(id);
                Err(self.wrong("smv::target", "only variables are assigned", span))
            }
        }
    }

    fn assign(
        &mut self,
        conditions: &mut Conditions,
        kind: AssignKind,
        target: ExprId,
        value: ExprId,
        scope: ScopeId,
        span: Span,
    ) -> Result<(), Reported> {
        let variable = self.target(target, scope)?;
        if !self.assigned.insert((variable, kind)) {
            return Err(self.wrong("smv::assigned-twice", "the variable is assigned twice", span));
        }
        self.errors.clear();
        let choice = self.lower(value, scope, false)?;
        let assigned = self.variable_value(variable, kind == AssignKind::Next, span)?;
        let outside = self.outside(variable, &choice, span)?;
        self.note_error(outside);
        let condition = self.member(assigned, &choice, span)?;
        let errors = std::mem::take(&mut self.errors);
        let place = match kind {
            AssignKind::Init => Place::Init,
            AssignKind::Current => Place::State,
            AssignKind::Next => Place::Step,
        };
        if place != Place::Step && self.mentions_inputs(&[condition]) {
            return Err(self.wrong("smv::input", "inputs cannot be read here", span));
        }
        conditions.require(self, place, condition, errors, span);
        Ok(())
    }

    fn mentions_inputs(&self, formulas: &[TermId]) -> bool {
        let cone = self.terms.cone(formulas);
        (self.variables.iter())
            .any(|variable| variable.next.is_none() && cone.binary_search(&variable.current).is_ok())
    }

    /// When a value of a choice is outside of a variable's domain.
    fn outside(&mut self, variable: usize, choice: &Choice, span: Span) -> Result<TermId, Reported> {
        let domain = self.variables[variable].domain.clone();
        if domain == Domain::All {
            return Ok(self.terms.falsehood());
        }
        Ok(match choice {
            Choice::One(value) => {
                let kind = self.variables[variable].kind;
                if value.kind != kind {
                    return Err(self.wrong("smv::sort", "the value is not of the variable's type", span));
                }
                let inside = self.inside(*value, &domain);
                self.terms.not(inside)
            }
            Choice::Several(all) => {
                let mut parts = Vec::new();
                for one in all {
                    parts.push(self.outside(variable, one, span)?);
                }
                self.terms.or(&parts)
            }
            Choice::Between(low, high) => {
                let ends = [self.number(*low), self.number(*high)];
                let parts = ends.map(|end| {
                    let inside = self.inside(end, &domain);
                    self.terms.not(inside)
                });
                self.terms.or(&parts)
            }
            Choice::Cases(branches) => {
                let mut result = self.terms.falsehood();
                for (place, (condition, choice)) in branches.iter().enumerate().rev() {
                    let outside = stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || {
                        self.outside(variable, choice, span)
                    })?;
                    result = match place + 1 == branches.len() {
                        true => outside,
                        false => self.terms.ite(*condition, outside, result),
                    };
                }
                result
            }
        })
    }

    fn inside(&mut self, value: Typed, domain: &Domain) -> TermId {
        match domain {
            Domain::All => self.terms.truth(),
            Domain::Range(low, high) => {
                let (low, high) = (self.terms.int(*low), self.terms.int(*high));
                let parts = [self.terms.le(low, value.term), self.terms.le(value.term, high)];
                self.terms.and(&parts)
            }
            Domain::Values(all) => {
                let mut parts = Vec::new();
                for &one in all {
                    let number = self.terms.int(one);
                    parts.push(self.terms.eq(value.term, number));
                }
                self.terms.or(&parts)
            }
        }
    }

    fn constrain(
        &mut self,
        conditions: &mut Conditions,
        kind: ConstraintKind,
        expr: ExprId,
        scope: ScopeId,
    ) -> Result<(), Reported> {
        let place = match kind {
            ConstraintKind::Init => Place::Init,
            ConstraintKind::Invar => Place::State,
            ConstraintKind::Trans => Place::Step,
            ConstraintKind::Justice => {
                let condition = self.fairness(conditions, expr, scope)?;
                conditions.justice.push(condition);
                return Ok(());
            }
        };
        self.errors.clear();
        let condition = self.formula(expr, scope, false)?;
        let errors = std::mem::take(&mut self.errors);
        let span = self.arena.span(expr);
        if place != Place::Step && self.mentions_inputs(&[condition]) {
            return Err(self.wrong("smv::input", "inputs cannot be read here", span));
        }
        conditions.require(self, place, condition, errors, span);
        Ok(())
    }

    /// A condition of fairness; an error in it is one of the state.
    fn fairness(
        &mut self,
        conditions: &mut Conditions,
        expr: ExprId,
        scope: ScopeId,
    ) -> Result<TermId, Reported> {
        self.errors.clear();
        let condition = self.state_formula(expr, scope)?;
        conditions.state_errors.append(&mut self.errors);
        Ok(condition)
    }

    fn compassion(
        &mut self,
        conditions: &mut Conditions,
        often: ExprId,
        then: ExprId,
        scope: ScopeId,
    ) -> Result<(), Reported> {
        let often = self.fairness(conditions, often, scope)?;
        let then = self.fairness(conditions, then, scope)?;
        conditions.compassion.push((often, then));
        Ok(())
    }

    fn properties(
        &mut self,
        conditions: &mut Conditions,
        specifications: &[Specification],
    ) -> Vec<UnboundedProperty> {
        let mut properties = Vec::new();
        for (name, text, wanted, scope) in specifications {
            self.errors.clear();
            let (Wanted::Invariant(body) | Wanted::Path(body)) = *wanted;
            let place = self.arena.span(body);
            let read = match wanted {
                Wanted::Invariant(body) => self.formula(*body, *scope, false).map(Claim::Invariant),
                Wanted::Path(body) => self.path(*body, *scope).map(Claim::Path),
            };
            let Ok(claim) = read else {
                if self.problems.is_empty() {
                    self.wrong("smv::statement", "the formula cannot be read", place);
                }
                continue;
            };
            conditions.state_errors.append(&mut self.errors);
            if claim.invariant().is_some() && self.mentions_inputs(&claim.formulas()) {
                self.wrong("smv::input", "inputs cannot be read in an invariant", place);
            }
            properties.push(UnboundedProperty {
                name: name.clone(),
                text: text.clone(),
                place,
                goal: claim.clone(),
                holds_or_error: claim,
            });
        }
        properties
    }

    /// The system with domains, frozen variables and the variable that says that an error has happened.
    fn system(
        mut self,
        mut conditions: Conditions,
        mut properties: Vec<UnboundedProperty>,
        unsupported: Vec<(String, String)>,
        warnings: Vec<Diagnostic>,
    ) -> UnboundedModel {
        let mut to_next: FxHashMap<TermId, TermId> = FxHashMap::default();
        for index in 0..self.variables.len() {
            let variable = &self.variables[index];
            let (kind, domain) = (variable.kind, variable.domain.clone());
            let (current, next, is_frozen) = (variable.current, variable.next, variable.is_frozen);
            let inside = self.inside(Typed { term: current, kind }, &domain);
            match next {
                Some(next) => {
                    to_next.insert(current, next);
                    conditions.invariant.push(inside);
                    if is_frozen {
                        conditions.step.push(self.terms.eq(next, current));
                    }
                }
                None => conditions.step.push(inside),
            }
        }
        let invariant = self.terms.and(&conditions.invariant);
        let after = self.terms.substitute(&[invariant], &mut to_next)[0];
        conditions.init.push(invariant);
        conditions.step.extend([invariant, after]);
        let mut variables: Vec<StateVariable> =
            self.variables.iter().filter_map(Reader::state_variable).collect();
        let has_errors = !(conditions.init_errors.is_empty()
            && conditions.step_errors.is_empty()
            && conditions.state_errors.is_empty());
        if has_errors {
            let error = StateVariable {
                name: "model error".into(),
                current: self.terms.constant("model error", SortId::BOOL),
                next: self.terms.constant("next(model error)", SortId::BOOL),
            };
            let at_first = self.terms.or(&conditions.init_errors);
            conditions.init.push(self.terms.eq(error.current, at_first));
            conditions.step_errors.push(error.current);
            let later = self.terms.or(&conditions.step_errors);
            conditions.step.push(self.terms.eq(error.next, later));
            conditions.state_errors.push(error.current);
            let here = self.terms.or(&conditions.state_errors);
            let fine = self.terms.not(here);
            for property in &mut properties {
                (property.goal, property.holds_or_error) = match &property.goal {
                    Claim::Invariant(goal) => (
                        Claim::Invariant(self.terms.and(&[*goal, fine])),
                        Claim::Invariant(self.terms.or(&[*goal, here])),
                    ),
                    Claim::Path(goal) => (
                        Claim::Path(Formula::and([goal.clone(), Formula::atom(fine).globally()])),
                        Claim::Path(Formula::or([goal.clone(), Formula::atom(here).finally()])),
                    ),
                };
            }
            variables.push(error);
        }
        let names: FxHashMap<i64, String> = self
            .symbols
            .iter()
            .map(|(name, &number)| (number, name.clone()))
            .collect();
        let named = |kind: Kind| (kind == Kind::Symbol).then(|| names.clone());
        let (states, free): (Vec<&super::Variable>, Vec<&super::Variable>) = self
            .variables
            .iter()
            .partition(|variable| variable.next.is_some());
        let constants = states
            .iter()
            .map(|variable| named(variable.kind))
            .chain(has_errors.then_some(None))
            .collect();
        UnboundedModel {
            properties,
            unsupported,
            warnings,
            constants,
            input_constants: free.iter().map(|variable| named(variable.kind)).collect(),
            inputs: free.iter().map(|variable| variable.name.clone()).collect(),
            system: FirstOrderSystem {
                inputs: free.iter().map(|variable| variable.current).collect(),
                init: self.terms.and(&conditions.init),
                transition: self.terms.and(&conditions.step),
                justice: conditions.justice,
                compassion: conditions.compassion,
                variables,
                terms: self.terms,
            },
        }
    }
}
