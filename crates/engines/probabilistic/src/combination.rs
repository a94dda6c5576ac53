//! Values of all states put together: arithmetic and comparisons of properties, and filters, by which the values of many states become one.

use crate::brackets::{self, Outcome, Truth};
use crate::check::{Trouble, Values, Workshop};
use entail_budget::Budget;
use entail_markov::{Aggregate, BinaryOp, Bracket, Expr, Listed, ListedValue, Property, Rational, UnaryOp};
use fixedbitset::FixedBitSet;

impl Workshop<'_> {
    pub(crate) fn unary(&self, op: UnaryOp, operand: Values) -> Result<Values, Trouble> {
        match (op, operand) {
            (UnaryOp::Not, Values::Truth(mut truth)) => {
                truth.yes.toggle_range(..);
                truth.yes.difference_with(&truth.unknown);
                Ok(Values::Truth(truth))
            }
            (UnaryOp::Neg, Values::Numbers(bracket)) => {
                let zero = Bracket::Exact(vec![Some(Rational::ZERO); bracket.len()]);
                self.binary(BinaryOp::Sub, Values::Numbers(zero), Values::Numbers(bracket))
            }
            (_, Values::Numbers(Bracket::Exact(values))) => {
                let apply = |value: Option<Rational>| -> Result<Option<Rational>, Trouble> {
                    let infinite = || Trouble::Unsupported("a function of infinity".to_owned());
                    let expr = Expr::unary(op, Expr::from(value.ok_or_else(infinite)?));
                    Ok(expr.constant().and_then(|value| value.number()))
                };
                Ok(Values::Numbers(Bracket::Exact(
                    values.into_iter().map(apply).collect::<Result<_, _>>()?,
                )))
            }
            _ => Err(Trouble::Unsupported(
                "a function of numbers that are only bounded: try --engine exact".to_owned(),
            )),
        }
    }

    pub(crate) fn binary(&self, op: BinaryOp, left: Values, right: Values) -> Result<Values, Trouble> {
        match (left, right) {
            (Values::Truth(a), Values::Truth(b)) => {
                let mut unknown = a.unknown;
                unknown.union_with(&b.unknown);
                let (mut a, b) = (a.yes, b.yes);
                match op {
                    BinaryOp::And => a.intersect_with(&b),
                    BinaryOp::Or => a.union_with(&b),
                    BinaryOp::Implies => {
                        a.toggle_range(..);
                        a.union_with(&b);
                    }
                    BinaryOp::Iff | BinaryOp::Eq => {
                        a.symmetric_difference_with(&b);
                        a.toggle_range(..);
                    }
                    BinaryOp::Ne => a.symmetric_difference_with(&b),
                    _ => {
                        return Err(Trouble::Unsupported(
                            "truth values where numbers are needed".to_owned(),
                        ));
                    }
                }
                a.difference_with(&unknown);
                Ok(Values::Truth(Truth { yes: a, unknown }))
            }
            (Values::Numbers(a), Values::Numbers(b)) => match brackets::arithmetic(op, &a, &b) {
                Outcome::Numbers(bracket) => Ok(Values::Numbers(bracket)),
                Outcome::Truth(truth) => Ok(Values::Truth(truth)),
                Outcome::Undefined(what) => Err(Trouble::Unsupported(format!("{what}: try --engine exact"))),
            },
            _ => Err(Trouble::Unsupported("operands of different types".to_owned())),
        }
    }

    pub(crate) fn filter(
        &self,
        aggregate: Aggregate,
        states: &FixedBitSet,
        values: Values,
    ) -> Result<Values, Trouble> {
        let size = self.size();
        let Some(first) = states.ones().next() else {
            return Err(Trouble::Unsupported(
                "no reachable state satisfies the filter".to_owned(),
            ));
        };
        let everywhere = |truth: bool| {
            let mut set = FixedBitSet::with_capacity(size);
            set.set_range(.., truth);
            Values::Truth(set.into())
        };
        let number = |low: Option<Rational>, high: Option<Rational>, exact: bool| {
            Values::Numbers(match exact {
                true => Bracket::Exact(vec![low; size]),
                false => Bracket::Between {
                    lower: vec![low.map_or(f64::INFINITY, |low| brackets::around(&low).0); size],
                    upper: vec![high.map_or(f64::INFINITY, |high| brackets::around(&high).1); size],
                },
            })
        };
        let one_state = || match states.count_ones(..) {
            1 => Ok(()),
            count => Err(Trouble::Unsupported(format!(
                "the filter `state` needs one state, and {count} satisfy it"
            ))),
        };
        if let Values::Truth(truth) = &values
            && !truth.unknown.is_disjoint(states)
        {
            return Err(Trouble::Undecided(
                "a property under a filter is too near to its bound".to_owned(),
            ));
        }
        match (aggregate, values) {
            (Aggregate::ForAll, Values::Truth(set)) => Ok(everywhere(states.is_subset(&set.yes))),
            (Aggregate::Exists, Values::Truth(set)) => Ok(everywhere(!states.is_disjoint(&set.yes))),
            (Aggregate::Count, Values::Truth(set)) => {
                let count = Some(Rational::from(states.intersection(&set.yes).count() as u64));
                Ok(number(count.clone(), count, true))
            }
            (Aggregate::State, values) => {
                one_state()?;
                self.filter(Aggregate::First, states, values)
            }
            (Aggregate::First, Values::Truth(set)) => Ok(everywhere(set.yes.contains(first))),
            (Aggregate::Print | Aggregate::PrintAll, Values::Truth(set)) => {
                Ok(everywhere(states.is_subset(&set.yes)))
            }
            (Aggregate::First, Values::Numbers(bracket)) => {
                let exact = matches!(bracket, Bracket::Exact(_));
                Ok(number(bracket.lower(first), bracket.upper(first), exact))
            }
            (Aggregate::Min | Aggregate::Max, Values::Numbers(bracket)) => {
                let exact = matches!(bracket, Bracket::Exact(_));
                let extreme = |value: &dyn Fn(usize) -> Option<Rational>| -> Option<Rational> {
                    let all = states.ones().map(value);
                    match aggregate {
                        Aggregate::Min => all.flatten().min(),
                        _ => all.collect::<Option<Vec<_>>>()?.into_iter().max(),
                    }
                };
                Ok(number(
                    extreme(&|state| bracket.lower(state)),
                    extreme(&|state| bracket.upper(state)),
                    exact,
                ))
            }
            (Aggregate::Sum | Aggregate::Avg, Values::Numbers(bracket)) => {
                let exact = matches!(bracket, Bracket::Exact(_));
                let count = match aggregate {
                    Aggregate::Avg => Rational::from(states.count_ones(..) as u64),
                    _ => Rational::ONE,
                };
                let sum = |value: &dyn Fn(usize) -> Option<Rational>| -> Option<Rational> {
                    let sum = states
                        .ones()
                        .try_fold(Rational::ZERO, |sum, state| Some(sum + value(state)?))?;
                    Some(sum / &count)
                };
                Ok(number(
                    sum(&|state| bracket.lower(state)),
                    sum(&|state| bracket.upper(state)),
                    exact,
                ))
            }
            (Aggregate::Range | Aggregate::Print | Aggregate::PrintAll, values @ Values::Numbers(_)) => {
                Ok(values)
            }
            (Aggregate::ArgMin | Aggregate::ArgMax, Values::Numbers(bracket)) => {
                Ok(Values::Truth(extreme_states(aggregate, states, &bracket)))
            }
            _ => Err(Trouble::Unsupported(
                "this filter does not go with this property".to_owned(),
            )),
        }
    }
}

/// More states are not listed.
const MOST_LISTED: usize = 10_000;

impl Workshop<'_> {
    /// The values that `filter(print, …)` and `filter(printall, …)` list, state by state: all of them, or those that are neither false nor zero. Nothing if the property lists none, or
    /// too many.
    pub fn listed(&mut self, property: &Property, budget: &Budget) -> Result<Option<Vec<Listed>>, Trouble> {
        let Property::Filter {
            aggregate: aggregate @ (Aggregate::Print | Aggregate::PrintAll),
            property,
            states,
        } = property
        else {
            return Ok(None);
        };
        let states = self.set(states, budget)?;
        if states.count_ones(..) > MOST_LISTED {
            return Ok(None);
        }
        self.only_initial = false;
        let values = self.property(property, budget)?;
        let value = |state: usize| match &values {
            Values::Numbers(bracket) => Some(ListedValue::of(bracket, state)),
            Values::Truth(truth) if !truth.unknown.contains(state) => {
                Some(ListedValue::Truth(truth.yes.contains(state)))
            }
            _ => None,
        };
        let one = |state: usize| {
            Some(Listed {
                state: state as u32,
                value: value(state)?,
            })
        };
        let all = states.ones().filter_map(one);
        let kept = all.filter(|listed| *aggregate == Aggregate::PrintAll || !listed.value.is_nothing());
        Ok(Some(kept.collect()))
    }
}

/// Which of some states have the least or the greatest value, as far as the bounds tell.
fn extreme_states(aggregate: Aggregate, states: &FixedBitSet, bracket: &Bracket) -> Truth {
    let mut truth = Truth::new(bracket.len());
    // Infinity (nothing) is greater than all numbers.
    let less = |a: &Option<Rational>, b: &Option<Rational>| match (a, b) {
        (None, _) => false,
        (Some(_), None) => true,
        (Some(a), Some(b)) => a < b,
    };
    for state in states.ones() {
        let (low, high) = (bracket.lower(state), bracket.upper(state));
        let others = || states.ones().filter(|&other| other != state);
        // It is beaten for sure, or by none for sure.
        let beaten = |other: usize| match aggregate {
            Aggregate::ArgMin => less(&bracket.upper(other), &low),
            _ => less(&high, &bracket.lower(other)),
        };
        let perhaps = |other: usize| match aggregate {
            Aggregate::ArgMin => less(&bracket.lower(other), &high),
            _ => less(&low, &bracket.upper(other)),
        };
        let decided = match others().any(beaten) {
            true => Some(false),
            false => (!others().any(perhaps)).then_some(true),
        };
        truth.note(state, decided);
    }
    truth
}
