//! Specifications become questions.
//!
//! A formula's temporal skeleton becomes a [`Formula`]; each maximal part without temporal operators becomes one atom, a
//! Boolean term. CTL operators are pairs of a path quantifier and a path operator; an LTL formula is asked of all
//! paths. A specification inside an instance is read in that instance's scope, and its text gets ` IN p` as NuSMV prints it.

use super::Elaborator;
use super::instantiate::Statement;
use super::lower::resolve_scope;
use super::names::{Names, ScopeId};
use super::statements::Reach;
use crate::syntax::ast::{
    Binary, BoundedUnary, Distance, Expr, ExprId, Item, Module, Nary, SpecKind, TemporalBinary,
    TemporalUnary, Unary,
};
use crate::syntax::lexer::tokenise;
use entail_logic::{self as logic, Formula, Fragment, Interval, Logic, Node, Property, Question};
use entail_model::TermId;
use entail_source::{Diagnostic, Span};
use rustc_hash::FxHashMap;

/// A specification that was recognised but cannot be checked yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsupported {
    /// Its text.
    pub text: String,
    /// Why.
    pub reason: String,
    /// Where.
    pub span: Span,
}

/// How deep temporal operators may nest: formulas, unlike terms, are walked recursively by everybody.
const MAX_FORMULA_DEPTH: u32 = 1_000;

/// The largest bound of a bounded operator.
const MAX_BOUND: i64 = u32::MAX as i64;

/// The specifications of a model.
#[derive(Default)]
pub(super) struct Specified {
    pub(super) properties: Vec<Property<TermId>>,
    /// Where each stands.
    pub(super) places: Vec<Span>,
    /// Antecedents that no values make true, each with the position of its property.
    pub(super) impossible: Vec<(usize, String)>,
    pub(super) unsupported: Vec<Unsupported>,
}

impl Elaborator<'_> {
    pub(super) fn add_properties(&mut self, modules: &[Module], statements: &[Statement]) -> Specified {
        let mut found = Specified::default();
        let mut named: FxHashMap<String, Span> = FxHashMap::default();
        for &Statement { scope, module, item } in statements {
            match &modules[module].items[item] {
                Item::Spec {
                    kind,
                    name,
                    formula,
                    context,
                } => {
                    let full = name.map(|name| {
                        let local = self.names.text(name.symbol).to_string();
                        self.names.full_name(scope, &local).to_string()
                    });
                    if let (Some(full), Some(name)) = (&full, name)
                        && let Some(first) = named.insert(full.clone(), name.span)
                    {
                        self.report(
                            Diagnostic::error(
                                "smv::duplicate",
                                format!("two properties are called `{full}`"),
                                name.span,
                                "again here",
                            )
                            .with_label(first, "first here"),
                        );
                    }
                    if let Some((property, impossible)) =
                        self.property(*kind, full, *formula, *context, scope)
                    {
                        let position = found.properties.len();
                        let impossible = impossible.into_iter().map(|text| (position, text));
                        found.impossible.extend(impossible);
                        found.places.push(self.names.arena.span(*formula));
                        found.properties.push(property);
                    }
                }
                Item::Psl { span } => {
                    let reason = "sequences of PSL are left to whoever has monitors for them".to_string();
                    let text = self
                        .spec_text(*span, scope)
                        .trim_start_matches("PSLSPEC ")
                        .to_string();
                    found.unsupported.push(Unsupported {
                        text,
                        reason,
                        span: *span,
                    });
                }
                _ => {}
            }
        }
        found
    }

    /// One specification, read in the instance `context` of `scope` (or in `scope` itself), with the antecedents in it that no values make true.
    pub(super) fn property(
        &mut self,
        kind: SpecKind,
        name: Option<String>,
        formula: ExprId,
        context: Option<ExprId>,
        scope: ScopeId,
    ) -> Option<(Property<TermId>, Vec<String>)> {
        let scope = match context {
            Some(context) => self.context(context, scope)?,
            None => scope,
        };
        let text = self.spec_text(self.names.arena.span(formula), scope);
        self.impossible = Some(Vec::new());
        let question = self.question(kind, formula, scope);
        let impossible = self.impossible.take().unwrap_or_default();
        self.settle();
        let (question, logic) = question?;
        let property = Property {
            name,
            text,
            logic,
            question,
        };
        Some((property, impossible))
    }

    fn context(&mut self, context: ExprId, scope: ScopeId) -> Option<ScopeId> {
        if let Some(inner) = resolve_scope(self.names, context, scope) {
            return Some(inner);
        }
        let span = self.names.arena.span(context);
        let name = self.source_text(span);
        if name == "main" && scope == Names::MAIN {
            return Some(scope);
        }
        self.report(Diagnostic::error(
            "smv::undefined",
            format!("there is no instance `{name}`"),
            span,
            "a module instance is expected after IN",
        ));
        None
    }

    /// The text of a specification: one blank between tokens that had any, comments gone, the instance added.
    pub(super) fn spec_text(&self, span: Span, scope: ScopeId) -> String {
        let slice = self.source.slice(span);
        let mut text = String::with_capacity(slice.len());
        let mut end = 0;
        for lexeme in tokenise(slice, &mut Vec::new()) {
            let (start, stop) = (lexeme.start as usize, lexeme.end as usize);
            if start == stop {
                continue;
            }
            if start > end && end > 0 {
                text.push(' ');
            }
            text.push_str(&slice[start..stop]);
            end = stop;
        }
        let instance = &self.names.scope(scope).name;
        if !instance.is_empty() {
            text.push_str(" IN ");
            text.push_str(instance);
        }
        text
    }

    fn question(&mut self, kind: SpecKind, id: ExprId, scope: ScopeId) -> Option<(Question<TermId>, Logic)> {
        match kind {
            SpecKind::Invariant => {
                let atom = self.checked_truth(id, scope, "INVARSPEC", Reach::Step)?;
                Some((Question::Invariant(atom), Logic::Invariant))
            }
            SpecKind::Compute => {
                let Expr::Compute(distance, from, to) = self.names.arena.get(id) else {
                    return None;
                };
                for side in [from, to] {
                    if self.names.temporal[side.index()] {
                        self.report(Diagnostic::error(
                            "smv::not-yet",
                            "temporal operators in COMPUTE are not supported yet",
                            self.names.arena.span(side),
                            "only state conditions here",
                        ));
                        return None;
                    }
                }
                let from = self.checked_truth(from, scope, "COMPUTE", Reach::State)?;
                let to = self.checked_truth(to, scope, "COMPUTE", Reach::State)?;
                let question = match distance {
                    Distance::Min => Question::ShortestPath(from, to),
                    Distance::Max => Question::LongestPath(from, to),
                };
                Some((question, Logic::Compute))
            }
            SpecKind::Ctl => {
                let formula = self.formula(id, scope, Reach::State, 0)?;
                Some((Question::Formula(formula), Logic::Ctl))
            }
            SpecKind::Ltl => {
                let formula = self.formula(id, scope, Reach::Step, 0)?;
                Some((Question::Formula(formula.forall()), Logic::Ltl))
            }
            SpecKind::CtlStar => self.free_formula(id, scope),
        }
    }

    /// A formula of the command line: its shape decides the logic.
    fn free_formula(&mut self, id: ExprId, scope: ScopeId) -> Option<(Question<TermId>, Logic)> {
        let formula = self.formula(id, scope, Reach::Step, 0)?;
        let state_formula = formula.is_state_formula();
        if state_formula && !formula.is_propositional() {
            // Below a path quantifier, inputs and next values have no meaning.
            let mut atoms = Vec::new();
            formula.for_each_atom(&mut |&atom| atoms.push(atom));
            let span = self.names.arena.span(id);
            for atom in atoms {
                if !self.check_reach(atom, Reach::State, "a formula with path quantifiers", span) {
                    return None;
                }
            }
        }
        let logic = if !state_formula && formula.is_in(Fragment::QuantifierFree) {
            Logic::Ltl
        } else if formula.is_in(Fragment::Ctl) {
            Logic::Ctl
        } else {
            Logic::CtlStar
        };
        let formula = match state_formula {
            true => formula,
            false => formula.forall(),
        };
        Some((Question::Formula(formula), logic))
    }

    fn formula(&mut self, id: ExprId, scope: ScopeId, reach: Reach, depth: u32) -> Option<Formula<TermId>> {
        let span = self.names.arena.span(id);
        if !self.names.temporal[id.index()] {
            let atom = self.checked_truth(id, scope, "a formula", reach)?;
            return Some(match self.system.terms.as_truth(atom) {
                Some(truth) => Formula::constant(truth),
                None => Formula::atom(atom),
            });
        }
        if depth > MAX_FORMULA_DEPTH {
            self.report(Diagnostic::error(
                "smv::nesting",
                format!("temporal operators nest too deeply: {MAX_FORMULA_DEPTH} levels is the limit"),
                span,
                "too deep here",
            ));
            return None;
        }
        stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || {
            self.operator(id, scope, reach, depth + 1)
        })
    }

    fn operator(&mut self, id: ExprId, scope: ScopeId, reach: Reach, depth: u32) -> Option<Formula<TermId>> {
        let span = self.names.arena.span(id);
        let part = |elaborator: &mut Self, id| elaborator.formula(id, scope, reach, depth);
        Some(match self.names.arena.get(id) {
            Expr::Unary(Unary::Not, inner) => part(self, inner)?.not(),
            Expr::Nary(nary, list) => {
                let members = self.names.arena.list(list).to_vec();
                let parts: Vec<Option<Formula<TermId>>> =
                    members.iter().map(|&member| part(self, member)).collect();
                let parts: Vec<Formula<TermId>> = parts.into_iter().collect::<Option<_>>()?;
                match nary {
                    Nary::And => Formula::and(parts),
                    Nary::Or => Formula::or(parts),
                    Nary::Add => return None,
                }
            }
            Expr::Binary(operator, left_id, right) => {
                let (left, right) = (part(self, left_id), part(self, right));
                let (left, right) = (left?, right?);
                if operator == Binary::Implies && matches!(left.node(), Node::Constant(false)) {
                    self.note_impossible(left_id, scope);
                }
                match operator {
                    Binary::Implies => left.implies(&right),
                    Binary::Iff | Binary::Xnor => left.iff(&right),
                    Binary::Xor => left.xor(&right),
                    _ => return None,
                }
            }
            Expr::Temporal(operator, inner) => {
                let inner = part(self, inner)?;
                match operator {
                    TemporalUnary::All => inner.forall(),
                    TemporalUnary::Exists => inner.exists(),
                    TemporalUnary::AX => inner.next().forall(),
                    TemporalUnary::EX => inner.next().exists(),
                    TemporalUnary::AF => inner.finally().forall(),
                    TemporalUnary::EF => inner.finally().exists(),
                    TemporalUnary::AG => inner.globally().forall(),
                    TemporalUnary::EG => inner.globally().exists(),
                    TemporalUnary::X => inner.next(),
                    TemporalUnary::F => inner.finally(),
                    TemporalUnary::G => inner.globally(),
                    TemporalUnary::Y => Formula::unary(logic::Unary::Yesterday, &inner),
                    TemporalUnary::Z => Formula::unary(logic::Unary::WeakYesterday, &inner),
                    TemporalUnary::H => Formula::unary(logic::Unary::Historically, &inner),
                    TemporalUnary::O => Formula::unary(logic::Unary::Once, &inner),
                }
            }
            Expr::Bounded(operator, low, high, inner) => {
                let interval = self.interval(low, high, span);
                let inner = part(self, inner)?;
                let interval = interval?;
                let path = match operator {
                    BoundedUnary::ABF | BoundedUnary::EBF | BoundedUnary::F => logic::Unary::Finally,
                    BoundedUnary::ABG | BoundedUnary::EBG | BoundedUnary::G => logic::Unary::Globally,
                    BoundedUnary::H => logic::Unary::Historically,
                    BoundedUnary::O => logic::Unary::Once,
                };
                let mut path = Formula::unary_within(path, interval, &inner);
                // NuSMV's `H [a,b] p` is `p` seen back as far as `b` steps ago: where time is younger than that, it is false.
                if let (BoundedUnary::H, Some(farthest @ 1..)) = (operator, interval.to) {
                    let reach = Interval::bounded(farthest, farthest);
                    let begun = Formula::unary_within(logic::Unary::Once, reach, &Formula::constant(true));
                    path = Formula::and([path, begun]);
                }
                match operator {
                    BoundedUnary::ABF | BoundedUnary::ABG => path.forall(),
                    BoundedUnary::EBF | BoundedUnary::EBG => path.exists(),
                    _ => path,
                }
            }
            Expr::TemporalBinary(operator, left, right) => {
                let (left, right) = (part(self, left), part(self, right));
                let (left, right) = (left?, right?);
                match operator {
                    TemporalBinary::AU => left.until(&right).forall(),
                    TemporalBinary::EU => left.until(&right).exists(),
                    TemporalBinary::U => left.until(&right),
                    TemporalBinary::V => left.release(&right),
                    TemporalBinary::S => Formula::binary(logic::Binary::Since, &left, &right),
                    TemporalBinary::T => Formula::binary(logic::Binary::Triggered, &left, &right),
                }
            }
            Expr::BoundedUntil {
                all,
                low,
                high,
                left,
                right,
            } => {
                let interval = self.interval(low, high, span);
                let (left, right) = (part(self, left), part(self, right));
                let path = Formula::binary_within(logic::Binary::Until, interval?, &left?, &right?);
                if all { path.forall() } else { path.exists() }
            }
            _ => {
                self.report(Diagnostic::error(
                    "smv::misplaced-operator",
                    "a temporal operator cannot stand below this operator",
                    span,
                    "here",
                ));
                return None;
            }
        })
    }

    fn interval(&mut self, low: i64, high: i64, span: Span) -> Option<Interval> {
        if low < 0 || high < low || high > MAX_BOUND {
            self.report(Diagnostic::error(
                "smv::bound",
                format!("{low} to {high} is no range of steps"),
                span,
                "bounds are natural numbers, the smaller first",
            ));
            return None;
        }
        Some(Interval::bounded(low as u32, high as u32))
    }
}
