//! What an operator asks: over which schedulers and probabilities, by which rewards, within which bounds, under which condition, in which states.

use crate::ast::*;
use crate::expression::Parsed;
use crate::lower_property::{Context, has_bounds};
use entail_markov::{
    Aggregate, BinaryOp, BoundedBy, Bounds, Comparison, End, Limit, OpenBound, Optimum, Path, Property,
    Query, Rational, RewardStructure, Sort, StateReward, Threshold,
};
use entail_source::{Diagnostic, Span};

/// A bound that a quantile asks for.
pub(crate) struct Unknown {
    pub name: String,
    /// How many operators must be around it.
    pub around: u32,
    /// The bound of the path formula, and its end, once it is met.
    pub place: Option<(usize, End)>,
}

/// What an operator asks for.
pub(crate) struct Asked {
    pub optimum: Option<Optimum>,
    pub query: Query,
    /// The probabilities of intervals are chosen against the scheduler.
    against: bool,
}

impl Asked {
    /// The property that asks for it.
    pub fn of(&self, property: Property) -> Property {
        match self.against {
            true => Property::Robust(Box::new(property)),
            false => property,
        }
    }
}

impl Context<'_> {
    /// Which schedulers count, and what is asked.
    pub(crate) fn query(
        &self,
        extremum: Extremum,
        relation: &RelationalOperator,
        span: Span,
        chance: bool,
    ) -> Parsed<Asked> {
        let uncertain = self.network.has_intervals();
        let choices = self.network.kind.has_choices();
        let mut against = false;
        let optimum = match extremum {
            Extremum::None => None,
            Extremum::Min => Some(Optimum::Min),
            Extremum::Max => Some(Optimum::Max),
            Extremum::Two(schedulers, probabilities) if uncertain && choices => {
                against = schedulers != probabilities;
                Some(schedulers)
            }
            Extremum::Two(..) => {
                let message = match choices {
                    true => {
                        "two optima are for models with intervals of probabilities, and this one has none"
                    }
                    false => "two optima are for models with choices, and this one has none",
                };
                return Err(Diagnostic::error("prism::optimum", message, span, "here"));
            }
        };
        let alone = matches!(extremum, Extremum::Min | Extremum::Max);
        if uncertain && choices && alone {
            let message =
                "a model with choices and intervals has two optima: over schedulers, and over probabilities";
            let problem = Diagnostic::error("prism::optimum", message, span, "the second is missing");
            return Err(problem.with_help(
                "write Pmaxmin=? for the best scheduler and the worst probabilities, or Pmaxmax=?",
            ));
        }
        match relation {
            RelationalOperator::Query => {
                if optimum.is_none() && uncertain && !choices {
                    let message = "a model with intervals of probabilities has no single value";
                    let problem = Diagnostic::error("prism::optimum", message, span, "min or max is missing");
                    return Err(problem.with_help("write Pmin=?, Pmax=?, Rmin=? or Rmax=?"));
                }
                if optimum.is_none() && choices {
                    let message =
                        "a model with choices has no single value: ask for the least or the greatest";
                    let problem = Diagnostic::error("prism::optimum", message, span, "min or max is missing");
                    return Err(problem.with_help("write Pmin=?, Pmax=?, Rmin=? or Rmax=?"));
                }
                let query = Query::Value;
                Ok(Asked {
                    optimum,
                    query,
                    against,
                })
            }
            RelationalOperator::Compare(op, bound) => {
                let value = self.scope.constant_number(bound)?;
                if chance && (value < Rational::ZERO || value > Rational::ONE) {
                    let message = format!("the bound {value} is no probability");
                    return Err(Diagnostic::error(
                        "prism::bound",
                        message,
                        bound.span,
                        "not between 0 and 1",
                    ));
                }
                let comparison = match op {
                    BinaryOp::Lt => Comparison::Lt,
                    BinaryOp::Le => Comparison::Le,
                    BinaryOp::Gt => Comparison::Gt,
                    _ => Comparison::Ge,
                };
                let query = Query::Compare(Threshold {
                    comparison,
                    bound: value,
                });
                Ok(Asked {
                    optimum,
                    query,
                    against,
                })
            }
        }
    }

    pub(crate) fn structure(&self, name: &RewardName, span: Span) -> Parsed<usize> {
        let rewards = &self.network.rewards;
        let missing = |message: String| {
            let known: Vec<String> = rewards
                .iter()
                .filter_map(|known| known.name.as_ref())
                .map(|name| format!("\"{name}\""))
                .collect();
            let problem = Diagnostic::error("prism::rewards", message, span, "in this operator");
            match known.is_empty() {
                true => problem,
                false => problem.with_help(format!("there are: {}", known.join(", "))),
            }
        };
        match name {
            RewardName::Default if rewards.is_empty() => Err(missing("the model has no rewards".to_owned())),
            RewardName::Default => Ok(0),
            RewardName::Named(name) => (rewards.iter().position(|known| known.name.as_ref() == Some(name)))
                .ok_or_else(|| missing(format!("there are no rewards \"{name}\""))),
            RewardName::Index(index) => {
                let at = self.scope.constant_int(index)?;
                match usize::try_from(at - 1) {
                    Ok(at) if at < rewards.len() => Ok(at),
                    _ => Err(missing(format!("there is no reward structure number {at}"))),
                }
            }
            RewardName::Time if self.timed => Ok(self.passing_time(span)),
            RewardName::Time => {
                let mut extra = self.extra.borrow_mut();
                extra.push(RewardStructure {
                    name: Some("time".to_owned()),
                    states: vec![StateReward {
                        guard: entail_markov::Expr::truth(),
                        value: entail_markov::Expr::from(1),
                        place: span,
                    }],
                    ..RewardStructure::default()
                });
                Ok(rewards.len() + extra.len() - 1)
            }
        }
    }

    /// The reward of 1 for every step by which time passes.
    fn passing_time(&self, span: Span) -> usize {
        let mut extra = self.extra.borrow_mut();
        let time = self
            .network
            .actions
            .iter()
            .rposition(|name| name.starts_with(entail_markov::digital_clocks::TIME));
        extra.push(RewardStructure {
            name: Some("time".to_owned()),
            transitions: vec![entail_markov::TransitionReward {
                action: time.map(|at| entail_markov::ActionId(at as u32)),
                guard: entail_markov::Expr::truth(),
                value: entail_markov::Expr::from(1),
                place: span,
            }],
            ..RewardStructure::default()
        });
        self.network.rewards.len() + extra.len() - 1
    }

    pub(crate) fn time(&self, ast: &Ast) -> Parsed<Rational> {
        let value = self.scope.constant_number(ast)?;
        if value < Rational::ZERO {
            let message = format!("the time {value} is negative");
            return Err(Diagnostic::error("prism::bound", message, ast.span, "here"));
        }
        if !self.network.kind.is_timed() && !value.is_int() {
            let message = format!("steps are whole numbers, and {value} is none");
            return Err(Diagnostic::error("prism::bound", message, ast.span, "here"));
        }
        Ok(value)
    }

    /// The probability of an event under a condition, in the initial state. In a chain that of both divided by that of the condition; with choices, of reaching
    /// one set of states if another one is reached.
    pub(crate) fn given(
        &self,
        event: &Ast,
        condition: &Ast,
        asked: &Asked,
        filtered: bool,
    ) -> Parsed<Property> {
        let refused =
            |message: &str, span: Span| Err(Diagnostic::error("prism::refused", message, span, "here"));
        if self.network.has_intervals() {
            return refused(
                "conditional probabilities of interval models are not supported",
                condition.span,
            );
        }
        // The condition may be impossible in other states than the first, where there is no value then.
        if self.around.get() > 1 || filtered {
            let message = "conditional probabilities inside of other operators and filters are not supported";
            return refused(message, condition.span);
        }
        let (first, second) = (self.path(event)?, self.path(condition)?);
        for (path, written) in [(&first, event), (&second, condition)] {
            if has_bounds(path) {
                let message = "bounds inside of conditional probabilities are not supported";
                return refused(message, written.span);
            }
        }
        let query = &asked.query;
        if self.network.kind.has_choices() {
            let states = |path: Path, written: &Ast| match path {
                Path::Finally(states, None) => match *states {
                    Path::State(states) => Ok(states),
                    _ => Err(written.span),
                },
                _ => Err(written.span),
            };
            return match (states(first, event), states(second, condition)) {
                (Ok(event), Ok(condition)) => Ok(Property::Conditional {
                    optimum: asked.optimum,
                    query: query.clone(),
                    event,
                    condition,
                }),
                (Err(span), _) | (_, Err(span)) => {
                    let message = "with choices, both sides of a conditional probability must be `F` of a set of states";
                    refused(message, span)
                }
            };
        }
        let chance = |path: Path| Property::Filter {
            aggregate: Aggregate::State,
            property: Box::new(Property::Probability {
                optimum: None,
                query: Query::Value,
                path,
            }),
            states: Box::new(Property::Init),
        };
        let both = Path::And(Box::new(first), Box::new(second.clone()));
        let value = Property::binary(BinaryOp::Div, chance(both), chance(second));
        Ok(match query {
            Query::Value => value,
            Query::Compare(threshold) => {
                let op = match threshold.comparison {
                    Comparison::Lt => BinaryOp::Lt,
                    Comparison::Le => BinaryOp::Le,
                    Comparison::Gt => BinaryOp::Gt,
                    Comparison::Ge => BinaryOp::Ge,
                };
                let bound = Property::Expr(entail_markov::Expr::from(threshold.bound.clone()));
                Property::binary(op, value, bound)
            }
        })
    }

    pub(crate) fn filtered(&self, property: Property, filters: &[OldFilter]) -> Parsed<Property> {
        let mut states = Property::Init;
        let mut aggregate = None;
        for filter in filters {
            match filter {
                OldFilter::States(ast) => {
                    states = self.property(ast)?;
                    self.require(&states, Sort::Bool, ast.span)?;
                    aggregate = aggregate.or(Some(Aggregate::State));
                }
                OldFilter::Min => aggregate = Some(Aggregate::Min),
                OldFilter::Max => aggregate = Some(Aggregate::Max),
            }
        }
        Ok(match aggregate {
            None => property,
            Some(aggregate) => Property::Filter {
                aggregate,
                property: Box::new(property),
                states: Box::new(states),
            },
        })
    }

    pub(crate) fn bounds(&self, bounds: &TimeBounds) -> Parsed<Bounds> {
        let mut first = self.one_bounds(bounds, 0)?;
        for (other, position) in bounds.others.iter().zip(1..) {
            first.others.push(self.one_bounds(other, position)?);
        }
        Ok(first)
    }

    /// A limit that has no value because it is asked for: its place is noted.
    fn open_limit(&self, ast: &Ast, position: usize, end: End) -> Parsed<bool> {
        let Node::Name(name) = &ast.node else {
            return Ok(false);
        };
        let mut unknown = self.unknown.borrow_mut();
        let Some(variable) = unknown.iter_mut().find(|known| known.name == *name) else {
            return Ok(false);
        };
        if variable.place.replace((position, end)).is_some() || self.around.get() != variable.around {
            let message = format!("`{name}` must bound the quantile's own path formula, once");
            return Err(Diagnostic::error("prism::quantile", message, ast.span, "here"));
        }
        Ok(true)
    }

    fn one_bounds(&self, bounds: &TimeBounds, position: usize) -> Parsed<Bounds> {
        let discrete = !self.network.kind.is_timed() && bounds.reward.is_none();
        let limit = |bound: &Option<(Box<Ast>, bool)>, end: End| -> Parsed<Option<Limit>> {
            let Some((ast, strict)) = bound else {
                return Ok(None);
            };
            let strict = *strict;
            if self.open_limit(ast, position, end)? {
                let value = Rational::ZERO;
                return Ok(Some(Limit { value, strict }));
            }
            let value = self.scope.constant_number(ast)?;
            if discrete && !value.is_int() {
                let message = format!("steps are whole numbers, and {value} is none");
                return Err(Diagnostic::error("prism::bound", message, ast.span, "here"));
            }
            if value < Rational::ZERO {
                let message = format!("the bound {value} is negative");
                return Err(Diagnostic::error("prism::bound", message, ast.span, "here"));
            }
            if end == End::Upper && strict && value.is_zero() {
                let message = "nothing happens before time 0";
                return Err(Diagnostic::error("prism::bound", message, ast.span, "here"));
            }
            Ok(Some(Limit { value, strict }))
        };
        let lower = limit(&bounds.lower, End::Lower)?;
        let upper = limit(&bounds.upper, End::Upper)?;
        let is_open = |end| {
            let unknown = self.unknown.borrow();
            unknown.iter().any(|known| known.place == Some((position, end)))
        };
        if let (Some(lower), Some(upper)) = (&lower, &upper)
            && lower.value > upper.value
            && !is_open(End::Upper)
            && let Some((ast, _)) = &bounds.upper
        {
            let message = format!("the interval [{},{}] is empty", lower.value, upper.value);
            return Err(Diagnostic::error("prism::bound", message, ast.span, "here"));
        }
        let by = match &bounds.reward {
            None if self.timed => BoundedBy::Reward(self.passing_time(Span::default())),
            None => BoundedBy::Time,
            Some((name, span)) => {
                let name = name.clone().map_or(RewardName::Default, RewardName::Named);
                BoundedBy::Reward(self.structure(&name, *span)?)
            }
        };
        Ok(Bounds {
            lower,
            upper,
            by,
            others: Vec::new(),
        })
    }

    /// `quantile(B, P>=0.5 [ F{"cost"}<=B a ])`.
    pub(crate) fn quantile(&self, names: &[(String, Span)], written: &Ast) -> Parsed<Property> {
        let wrong =
            |message: String, span: Span| Err(Diagnostic::error("prism::quantile", message, span, "here"));
        if self.around.get() > 0 || !self.unknown.borrow().is_empty() {
            return wrong(
                "a quantile inside of another operator is not supported".to_owned(),
                written.span,
            );
        }
        for (name, span) in names {
            self.unknown.borrow_mut().push(Unknown {
                name: name.clone(),
                around: 1,
                place: None,
            });
            if names.iter().filter(|(other, _)| other == name).count() > 1 {
                return wrong(format!("`{name}` is asked for twice"), *span);
            }
        }
        let property = self.property(written)?;
        let unknown = self.unknown.take();
        let bounded = matches!(
            &property,
            Property::Probability {
                query: Query::Compare(_),
                path: Path::Finally(_, Some(_)) | Path::Until(_, _, Some(_)),
                ..
            }
        );
        if !bounded {
            let message = "a quantile is asked of `P` with a threshold around `F` or `U` with bounds";
            return wrong(message.to_owned(), written.span);
        }
        let mut variables = Vec::new();
        for (unknown, (_, span)) in unknown.into_iter().zip(names) {
            let Some((position, end)) = unknown.place else {
                return wrong(format!("`{}` is not a bound of the formula", unknown.name), *span);
            };
            variables.push(OpenBound {
                name: unknown.name,
                position,
                end,
            });
        }
        Ok(Property::Quantile {
            variables,
            property: Box::new(property),
        })
    }
}
