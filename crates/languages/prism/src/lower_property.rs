//! Properties: operators resolved, bounds evaluated, labels and names of other properties replaced.

use crate::ast::*;
use crate::expression::Parsed;
use crate::operator_query::Unknown;
use crate::scope::{Renaming, Scope, type_problem};
use entail_markov::{
    Aggregate, BinaryOp, Network, Path, Property, Query, RewardKind, RewardStructure, Sort, UnaryOp,
};
use entail_source::{Diagnostic, Span};
use std::cell::{Cell, RefCell};
use std::collections::HashMap;

/// What properties can refer to.
pub(crate) struct Context<'a> {
    pub scope: &'a Scope<'a>,
    pub network: &'a Network,
    /// Time passes in steps of its own: bounds count these.
    pub timed: bool,
    /// Labels of the properties file.
    pub labels: HashMap<&'a str, &'a NamedAst>,
    /// Properties by name.
    pub properties: HashMap<&'a str, &'a PropertyAst>,
    pub entered: RefCell<Vec<String>>,
    /// Reward structures that the property needs beside the model's.
    pub extra: RefCell<Vec<RewardStructure>>,
    /// How many operators and filters are around what is lowered.
    pub around: Cell<u32>,
    /// The bounds that the quantile around asks for.
    pub unknown: RefCell<Vec<Unknown>>,
}

/// The filter operators.
const FILTERS: &[(&str, Aggregate)] = &[
    ("min", Aggregate::Min),
    ("max", Aggregate::Max),
    ("argmin", Aggregate::ArgMin),
    ("argmax", Aggregate::ArgMax),
    ("count", Aggregate::Count),
    ("sum", Aggregate::Sum),
    ("avg", Aggregate::Avg),
    ("first", Aggregate::First),
    ("range", Aggregate::Range),
    ("forall", Aggregate::ForAll),
    ("exists", Aggregate::Exists),
    ("print", Aggregate::Print),
    ("printall", Aggregate::PrintAll),
    ("state", Aggregate::State),
];

impl Context<'_> {
    /// Lowers a property.
    pub fn property(&self, ast: &Ast) -> Parsed<Property> {
        let around = matches!(
            ast.node,
            Node::Probability(..)
                | Node::Reward(..)
                | Node::Steady(..)
                | Node::Exists(_)
                | Node::ForAll(_)
                | Node::Filter(..)
        );
        self.around.set(self.around.get() + u32::from(around));
        let lowered = stacker::maybe_grow(128 << 10, 4 << 20, || self.lower(ast));
        self.around.set(self.around.get() - u32::from(around));
        lowered
    }

    fn lower(&self, ast: &Ast) -> Parsed<Property> {
        let plain = Renaming::new();
        Ok(match &ast.node {
            Node::Label(name) => return self.label(name, ast.span),
            Node::Unary(op, operand) => {
                let operand_property = self.property(operand)?;
                let wanted = if *op == UnaryOp::Not {
                    Sort::Bool
                } else {
                    Sort::Real
                };
                self.require(&operand_property, wanted, operand.span)?;
                Property::unary(*op, operand_property)
            }
            Node::Binary(op, left, right) => {
                let (a, b) = (self.property(left)?, self.property(right)?);
                let (sort_a, sort_b) = (self.sort(&a, left.span)?, self.sort(&b, right.span)?);
                let wanted = match op {
                    BinaryOp::And | BinaryOp::Or | BinaryOp::Implies | BinaryOp::Iff => Sort::Bool,
                    BinaryOp::Eq | BinaryOp::Ne if sort_a == Sort::Bool && sort_b == Sort::Bool => Sort::Bool,
                    _ => Sort::Real,
                };
                self.require(&a, wanted, left.span)?;
                self.require(&b, wanted, right.span)?;
                Property::binary(*op, a, b)
            }
            Node::If(condition, yes, no) => {
                let lowered = self.property(condition)?;
                self.require(&lowered, Sort::Bool, condition.span)?;
                Property::choose(lowered, self.property(yes)?, self.property(no)?)
            }
            Node::Call(name, arguments) if name == "multi" || name == "multilex" => {
                let objectives = arguments.iter().map(|argument| self.property(argument));
                let objectives = objectives.collect::<Parsed<_>>()?;
                match name.as_str() {
                    "multi" => Property::Multi(objectives),
                    _ => Property::Lexicographic(objectives),
                }
            }
            Node::Quantile(names, property) => self.quantile(names, property)?,
            Node::Call(name, arguments) => self.call(name, arguments, ast)?,
            Node::Probability(extremum, relation, path, filters) => {
                let asked = self.query(*extremum, relation, ast.span, true)?;
                if let Node::Given(event, condition) = &path.node {
                    return self.given(event, condition, &asked, !filters.is_empty());
                }
                let written = path;
                let path = self.path(written)?;
                if !is_simple(&path) && has_bounds(&path) {
                    let message = "bounds inside of LTL formulas are not supported";
                    let problem =
                        Diagnostic::error("prism::refused", message, written.span, "in this formula");
                    return Err(problem.with_help("bounded operators stand alone: P=? [ a U<=5 b ]"));
                }
                let property = Property::Probability {
                    optimum: asked.optimum,
                    query: asked.query.clone(),
                    path,
                };
                self.filtered(asked.of(property), filters)?
            }
            Node::Steady(extremum, relation, states, filters) => {
                let asked = self.query(*extremum, relation, ast.span, true)?;
                let lowered = self.property(states)?;
                self.require(&lowered, Sort::Bool, states.span)?;
                let property = Property::SteadyState {
                    optimum: asked.optimum,
                    query: asked.query.clone(),
                    states: Box::new(lowered),
                };
                self.filtered(asked.of(property), filters)?
            }
            Node::Reward(name, extremum, relation, kind, filters) => {
                let asked = self.query(*extremum, relation, ast.span, false)?;
                let property = Property::Reward {
                    optimum: asked.optimum,
                    query: asked.query.clone(),
                    structure: self.structure(name, ast.span)?,
                    kind: self.reward_kind(kind)?,
                };
                self.filtered(asked.of(property), filters)?
            }
            Node::Exists(path) | Node::ForAll(path) => {
                let lowered = self.path(path)?;
                if has_bounds(&lowered) {
                    let message = "A and E with bounded operators are not supported";
                    return Err(Diagnostic::error("prism::refused", message, path.span, "here"));
                }
                match &ast.node {
                    Node::Exists(_) => Property::Exists(lowered),
                    _ => Property::ForAll(lowered),
                }
            }
            Node::Filter(name, span, property, states) => {
                self.filter((name, *span), property, states.as_deref())?
            }
            Node::Temporal(..) => {
                let message = "a path formula where a property of states is needed";
                let problem = Diagnostic::error("prism::path", message, ast.span, "here");
                return Err(
                    problem.with_help("put it into an operator such as P=? [ … ], A [ … ] or E [ … ]")
                );
            }
            Node::Given(..) => {
                return Err(Diagnostic::error(
                    "prism::path",
                    "a condition outside of P",
                    ast.span,
                    "here",
                ));
            }
            _ => Property::Expr(self.scope.expr(ast, &plain)?),
        })
    }

    /// What a reward is summed over.
    fn reward_kind(&self, kind: &RewardQuery) -> Parsed<RewardKind> {
        Ok(match kind {
            RewardQuery::Path(path) => {
                let lowered = self.path(path)?;
                if !lowered.is_co_safe() {
                    let message = "rewards until a formula need one that is fulfilled after finitely many steps (co-safe)";
                    return Err(Diagnostic::error(
                        "prism::co-safe",
                        message,
                        path.span,
                        "this may never be",
                    ));
                }
                RewardKind::Reach(lowered)
            }
            RewardQuery::Total => RewardKind::Total,
            RewardQuery::LongRun => RewardKind::LongRun,
            RewardQuery::Cumulative(time) => RewardKind::Cumulative(self.time(time)?),
            RewardQuery::Instant(time) => RewardKind::Instant(self.time(time)?),
        })
    }

    /// `filter(name, property, states)`.
    fn filter(&self, name: (&str, Span), property: &Ast, states: Option<&Ast>) -> Parsed<Property> {
        let (name, span) = name;
        let Some((_, aggregate)) = FILTERS.iter().find(|(known, _)| *known == name) else {
            let message = format!("there is no filter `{name}`");
            let names: Vec<&str> = FILTERS.iter().map(|(name, _)| *name).collect();
            let problem = Diagnostic::error("prism::filter", message, span, "unknown filter");
            return Err(problem.with_help(format!("there are: {}", names.join(", "))));
        };
        let states = match states {
            Some(states) => {
                let lowered = self.property(states)?;
                self.require(&lowered, Sort::Bool, states.span)?;
                lowered
            }
            None => Property::truth(),
        };
        let lowered = self.property(property)?;
        if matches!(
            aggregate,
            Aggregate::ForAll | Aggregate::Exists | Aggregate::Count
        ) {
            self.require(&lowered, Sort::Bool, property.span)?;
        }
        Ok(Property::Filter {
            aggregate: *aggregate,
            property: Box::new(lowered),
            states: Box::new(states),
        })
    }

    /// Whether the model or the properties give a label or a property this name.
    fn declares(&self, name: &str) -> bool {
        self.labels.contains_key(name)
            || self.properties.contains_key(name)
            || self.network.labels.iter().any(|(known, _)| known == name)
    }

    fn label(&self, name: &str, span: Span) -> Parsed<Property> {
        match name {
            "init" => return Ok(Property::Init),
            "deadlock" => return Ok(Property::Deadlock),
            "unexplored" if !self.declares(name) => return Ok(Property::Unexplored),
            _ => {}
        }
        if let Some(label) = self.labels.get(name) {
            return self.guarded(name, span, || {
                let lowered = self.property(&label.body)?;
                self.require(&lowered, Sort::Bool, label.body.span)?;
                Ok(lowered)
            });
        }
        if let Some((_, expr)) = self.network.labels.iter().find(|(known, _)| known == name) {
            return Ok(Property::Expr(expr.clone()));
        }
        if let Some(property) = self.properties.get(name) {
            return self.guarded(name, span, || self.property(&property.body));
        }
        let message = format!("there is no label \"{name}\"");
        let known: Vec<String> = self
            .network
            .labels
            .iter()
            .map(|(name, _)| format!("\"{name}\""))
            .collect();
        let problem = Diagnostic::error("prism::label", message, span, "unknown label");
        Err(match known.is_empty() {
            true => problem,
            false => problem.with_help(format!("there are: {}", known.join(", "))),
        })
    }

    /// Unfolds a name, which must not lead back to itself.
    fn guarded(&self, name: &str, span: Span, unfold: impl FnOnce() -> Parsed<Property>) -> Parsed<Property> {
        if self.entered.borrow().iter().any(|other| other == name) {
            let message = format!("\"{name}\" is defined by itself");
            return Err(Diagnostic::error("prism::circle", message, span, "here"));
        }
        self.entered.borrow_mut().push(name.to_owned());
        let unfolded = unfold();
        self.entered.borrow_mut().pop();
        unfolded
    }

    /// The sort of a property's value.
    fn sort(&self, property: &Property, span: Span) -> Parsed<Sort> {
        Ok(match property {
            Property::Expr(expr) => self.network.sort(expr).map_err(|_| {
                Diagnostic::error("prism::type", "operands of the wrong types", span, "in here")
            })?,
            Property::Unary(UnaryOp::Not, _) => Sort::Bool,
            Property::Unary(..) => Sort::Real,
            Property::Binary(op, ..) => match op {
                BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div | BinaryOp::Mod => Sort::Real,
                BinaryOp::Pow | BinaryOp::Log | BinaryOp::Min | BinaryOp::Max => Sort::Real,
                _ => Sort::Bool,
            },
            Property::If(_, yes, _) => self.sort(yes, span)?,
            Property::Robust(inner) => self.sort(inner, span)?,
            Property::Probability { query, .. }
            | Property::Conditional { query, .. }
            | Property::Reward { query, .. }
            | Property::SteadyState { query, .. } => match query {
                Query::Value => Sort::Real,
                Query::Compare(_) => Sort::Bool,
            },
            Property::Init
            | Property::Deadlock
            | Property::Unexplored
            | Property::Exists(_)
            | Property::ForAll(_) => Sort::Bool,
            Property::Filter {
                aggregate, property, ..
            } => match aggregate {
                Aggregate::ForAll | Aggregate::Exists | Aggregate::ArgMin | Aggregate::ArgMax => Sort::Bool,
                Aggregate::Count | Aggregate::Sum | Aggregate::Avg => Sort::Real,
                _ => self.sort(property, span)?,
            },
            Property::Quantile { .. } => Sort::Real,
            Property::Multi(objectives) | Property::Lexicographic(objectives) => match objectives.first() {
                Some(first) => self.sort(first, span)?,
                None => Sort::Bool,
            },
        })
    }

    pub(crate) fn require(&self, property: &Property, wanted: Sort, span: Span) -> Parsed<()> {
        let found = self.sort(property, span)?;
        match (found == Sort::Bool) == (wanted == Sort::Bool) {
            true => Ok(()),
            false => Err(type_problem(wanted, found, span)),
        }
    }

    fn call(&self, name: &str, arguments: &[Ast], ast: &Ast) -> Parsed<Property> {
        if let Ok(expr) = self.scope.expr(ast, &Renaming::new()) {
            return Ok(Property::Expr(expr));
        }
        let mut lowered = Vec::new();
        for argument in arguments {
            let property = self.property(argument)?;
            self.require(&property, Sort::Real, argument.span)?;
            lowered.push(property);
        }
        let op = match (name, lowered.len()) {
            ("min", 1..) => BinaryOp::Min,
            ("max", 1..) => BinaryOp::Max,
            ("pow", 2) => BinaryOp::Pow,
            ("log", 2) => BinaryOp::Log,
            ("mod", 2) => BinaryOp::Mod,
            ("floor" | "ceil" | "round", 1) => {
                let op = match name {
                    "floor" => UnaryOp::Floor,
                    "ceil" => UnaryOp::Ceil,
                    _ => UnaryOp::Round,
                };
                return Ok(Property::unary(op, lowered.remove(0)));
            }
            _ => return self.scope.expr(ast, &Renaming::new()).map(Property::Expr),
        };
        let joined = lowered.into_iter().reduce(|a, b| Property::binary(op, a, b));
        joined.ok_or_else(|| Diagnostic::error("prism::function", "arguments are missing", ast.span, "here"))
    }

    /// Lowers a path formula.
    pub fn path(&self, ast: &Ast) -> Parsed<Path> {
        stacker::maybe_grow(128 << 10, 4 << 20, || self.lower_path(ast))
    }

    fn lower_path(&self, ast: &Ast) -> Parsed<Path> {
        let boxed = |ast: &Ast| self.path(ast).map(Box::new);
        Ok(match &ast.node {
            Node::Temporal(op, bounds, operands) => {
                let bounds = bounds.as_ref().map(|bounds| self.bounds(bounds)).transpose()?;
                match (op, operands.as_slice()) {
                    (Temporal::Next, [operand]) => Path::Next(boxed(operand)?),
                    (Temporal::Finally, [operand]) => Path::Finally(boxed(operand)?, bounds),
                    (Temporal::Globally, [operand]) => Path::Globally(boxed(operand)?, bounds),
                    (Temporal::Until, [left, right]) => Path::Until(boxed(left)?, boxed(right)?, bounds),
                    (Temporal::WeakUntil, [left, right]) => {
                        Path::WeakUntil(boxed(left)?, boxed(right)?, bounds)
                    }
                    (Temporal::Release, [left, right]) => Path::Release(boxed(left)?, boxed(right)?, bounds),
                    _ => {
                        return Err(Diagnostic::error(
                            "prism::path",
                            "a strange path formula",
                            ast.span,
                            "here",
                        ));
                    }
                }
            }
            Node::Unary(UnaryOp::Not, operand) if has_temporal(operand) => Path::Not(boxed(operand)?),
            Node::Binary(op, left, right) if has_temporal(ast) => match op {
                BinaryOp::And => Path::And(boxed(left)?, boxed(right)?),
                BinaryOp::Or => Path::Or(boxed(left)?, boxed(right)?),
                BinaryOp::Implies => Path::Implies(boxed(left)?, boxed(right)?),
                BinaryOp::Iff => Path::Iff(boxed(left)?, boxed(right)?),
                _ => {
                    let message = "temporal operators are combined with `&`, `|`, `=>` and `<=>` only";
                    return Err(Diagnostic::error("prism::path", message, ast.span, "here"));
                }
            },
            Node::If(condition, yes, no) if has_temporal(ast) => {
                let condition = boxed(condition)?;
                let yes = Path::And(condition.clone(), boxed(yes)?);
                let no = Path::And(Box::new(Path::Not(condition)), boxed(no)?);
                Path::Or(Box::new(yes), Box::new(no))
            }
            Node::Label(name)
                if !self.labels.contains_key(name.as_str())
                    && self
                        .properties
                        .get(name.as_str())
                        .is_some_and(|property| has_temporal(&property.body)) =>
            {
                let property = self.properties[name.as_str()];
                self.path(&property.body)?
            }
            _ => {
                let property = self.property(ast)?;
                self.require(&property, Sort::Bool, ast.span)?;
                Path::State(Box::new(property))
            }
        })
    }
}

/// Whether an operator of a path formula has bounds.
pub(crate) fn has_bounds(path: &Path) -> bool {
    match path {
        Path::State(_) => false,
        Path::Not(inner) | Path::Next(inner) => has_bounds(inner),
        Path::And(a, b) | Path::Or(a, b) | Path::Implies(a, b) | Path::Iff(a, b) => {
            has_bounds(a) || has_bounds(b)
        }
        Path::Until(a, b, bounds) | Path::WeakUntil(a, b, bounds) | Path::Release(a, b, bounds) => {
            bounds.is_some() || has_bounds(a) || has_bounds(b)
        }
        Path::Finally(inner, bounds) | Path::Globally(inner, bounds) => bounds.is_some() || has_bounds(inner),
    }
}

/// Whether a path formula is one temporal operator around properties of states, or the negation of one.
fn is_simple(path: &Path) -> bool {
    match path {
        Path::State(_) => true,
        Path::Not(inner) => is_simple(inner),
        Path::Next(inner) | Path::Finally(inner, _) | Path::Globally(inner, _) => inner.as_state().is_some(),
        Path::Until(a, b, _) | Path::WeakUntil(a, b, _) | Path::Release(a, b, _) => {
            a.as_state().is_some() && b.as_state().is_some()
        }
        _ => false,
    }
}

/// Whether a temporal operator occurs outside of other operators' brackets.
fn has_temporal(ast: &Ast) -> bool {
    match &ast.node {
        Node::Temporal(..) => true,
        Node::Unary(_, operand) => has_temporal(operand),
        Node::Binary(_, left, right) => has_temporal(left) || has_temporal(right),
        Node::If(condition, yes, no) => has_temporal(condition) || has_temporal(yes) || has_temporal(no),
        _ => false,
    }
}
