//! Quantiles: the least or greatest bound for which a probability meets its threshold.
//!
//! The values of smaller epochs are those of smaller bounds (Hartmanns, Junges, Katoen and Quatmann 2018; Baier et al. 2014), so one run over the
//! epochs answers the question for all bounds up to some number of units. That number is doubled until the threshold is passed. Whether it is ever passed is
//! asked first, where the limit for large bounds is the probability without the bound.

use crate::brackets::meets;
use crate::check::{Exactness, Trouble, Values, Workshop, effective};
use crate::costs::{Aim, Costs, Epoch};
use crate::epochs::CERTIFIED;
use entail_budget::Budget;
use entail_markov::{Bounds, Bracket, End, OpenBound, Path, Property, Query, Rational, Threshold};

/// Up to so many states of all epochs together a value that is too near to the threshold is computed exactly.
const EXACTLY: usize = 100_000;

/// What is asked.
struct Asked<'a> {
    aim: Aim<'a>,
    bounds: Vec<&'a Bounds>,
    open: (usize, End),
    threshold: &'a Threshold,
    costs: Costs,
}

fn refused(message: &str) -> Trouble {
    Trouble::Unsupported(message.to_owned())
}

/// The bounds without one of their ends; nothing if none is left.
pub(crate) fn without(bounds: &[&Bounds], (at, end): (usize, End)) -> Option<Bounds> {
    let mut left: Vec<Bounds> = Vec::new();
    for (position, bounds) in bounds.iter().enumerate() {
        let mut own = Bounds {
            others: Vec::new(),
            ..(*bounds).clone()
        };
        match end {
            _ if position != at => {}
            End::Lower => own.lower = None,
            End::Upper => own.upper = None,
        }
        if own.lower.is_some() || own.upper.is_some() {
            left.push(own);
        }
    }
    let mut left = left.into_iter();
    let first = left.next()?;
    Some(Bounds {
        others: left.collect(),
        ..first
    })
}

impl Asked<'_> {
    fn start(&self, units: u64) -> Result<Epoch, Trouble> {
        let start = self.costs.start(&self.bounds, Some((self.open, units)))?;
        start.ok_or_else(|| refused("a bound of the quantile's formula is never met"))
    }

    /// The least or greatest bound that leaves so many units: a whole number where all rewards are whole, otherwise a number of units.
    fn bound(&self, units: u64, least: bool) -> Result<Rational, Trouble> {
        let (at, end) = self.open;
        let unit = self.costs.unit(at);
        let limit = match end {
            End::Lower => &self.bounds[at].lower,
            End::Upper => &self.bounds[at].upper,
        };
        let mut value = Rational::from(units) * unit;
        if unit.is_int() {
            value += match (end, least) {
                (End::Upper, false) => unit - Rational::ONE,
                (End::Lower, true) if units > 0 => Rational::ONE - unit,
                _ => Rational::ZERO,
            };
        }
        if !limit.as_ref().is_some_and(|limit| limit.strict) {
            return Ok(value);
        }
        match end {
            End::Upper if unit.is_int() => Ok(value + Rational::ONE),
            _ => Err(refused(
                "a bound that is asked for may be strict only if it is an upper one on whole numbers",
            )),
        }
    }
}

impl Workshop<'_> {
    /// The least or greatest bound for which a probability meets its threshold in the initial states.
    pub(crate) fn quantile(
        &mut self,
        variables: &[OpenBound],
        property: &Property,
        budget: &Budget,
    ) -> Result<Values, Trouble> {
        let [variable] = variables else {
            return Err(refused("quantiles of several bounds at once are not supported"));
        };
        let Property::Probability {
            optimum,
            query: query @ Query::Compare(threshold),
            path,
        } = property
        else {
            return Err(refused("a quantile is asked of a probability with a threshold"));
        };
        let (stay, goal, bounds) = match path {
            Path::Finally(goal, Some(bounds)) => (self.everywhere(), self.path_set(goal, budget)?, bounds),
            Path::Until(stay, goal, Some(bounds)) => {
                (self.path_set(stay, budget)?, self.path_set(goal, budget)?, bounds)
            }
            _ => return Err(refused("a quantile is asked of `F` or `U` with bounds")),
        };
        let rising = variable.end == End::Upper;
        let least = rising != threshold.comparison.is_upper();
        let bounds: Vec<&Bounds> = bounds.all().collect();
        let open = (variable.position, variable.end);
        let asked = Asked {
            aim: Aim {
                optimum: effective(*optimum, query),
                stay: &stay,
                goal: &goal,
            },
            costs: self.costs(&bounds, Some(open), budget)?,
            bounds,
            open,
            threshold,
        };
        // The marker stands before the brackets that prove it.
        let place = self.certificate.len();
        if rising {
            let rest = without(&asked.bounds, open);
            let limit = self.until_known(
                asked.aim.optimum,
                stay.clone(),
                goal.clone(),
                rest.as_ref(),
                budget,
            )?;
            if self.met(&limit, threshold) == Some(!least) {
                self.certificate.insert(place, Bracket::Exact(vec![None]));
                return Ok(Values::Numbers(Bracket::Exact(vec![None; self.size()])));
            }
            self.certificate.truncate(place);
        }
        self.first_change(&asked, least, budget)
    }

    /// Whether all initial states meet the threshold; nothing if the bounds do not tell.
    fn met(&self, bracket: &Bracket, threshold: &Threshold) -> Option<bool> {
        let truth = meets(bracket, threshold);
        let mut all = Some(true);
        for state in self.model.initial.iter().map(|&state| state as usize) {
            match (truth.unknown.contains(state), truth.yes.contains(state)) {
                (false, false) => return Some(false),
                (true, _) => all = None,
                _ => {}
            }
        }
        all
    }

    /// The values of all epochs that the bounds up to so many units lead to.
    fn up_to(
        &mut self,
        asked: &Asked<'_>,
        units: u64,
        exact: bool,
        budget: &Budget,
    ) -> Result<(Vec<Epoch>, Bracket), Trouble> {
        let starts = (0..=units).map(|units| asked.start(units));
        let starts: Vec<Epoch> = starts.collect::<Result<_, _>>()?;
        let epochs = asked.costs.closure(starts, budget)?;
        let all = self.size().saturating_mul(epochs.len());
        if all > if exact { EXACTLY } else { CERTIFIED } {
            let message = match exact {
                true => {
                    "the value is too near to the threshold, and there are too many epochs to compute it exactly"
                }
                false => "the bound is too large: there is no room for the values of all smaller ones",
            };
            return Err(Trouble::Undecided(message.to_owned()));
        }
        let bracket = match exact {
            true => {
                let before = std::mem::replace(&mut self.settings.exactness, Exactness::Always);
                let bracket = self.unfolded(asked.aim, &asked.costs, &epochs, budget);
                self.settings.exactness = before;
                bracket?
            }
            false => {
                let epsilon = (self.settings.precision.epsilon * 0.25 / epochs.len() as f64).max(1e-14);
                self.epochs_within(asked.aim, &asked.costs, &epochs, None, epsilon, budget)?
                    .0
            }
        };
        Ok((epochs, bracket))
    }

    /// The number of units for which the threshold is first met (or first missed), as a bound, with its certificate.
    fn first_change(&mut self, asked: &Asked<'_>, least: bool, budget: &Budget) -> Result<Values, Trouble> {
        let mut exact = self.settings.exactness == Exactness::Always;
        let (mut most, mut units) = (1u64, 0u64);
        let changed = 'search: loop {
            budget.check_now()?;
            let (epochs, bracket) = self.up_to(asked, most, exact, budget)?;
            while units <= most {
                let start = asked.start(units)?;
                let at = epochs.iter().position(|epoch| *epoch == start);
                let values = self.in_epoch(&bracket, at.unwrap_or(epochs.len() - 1));
                match self.met(&values, asked.threshold) {
                    Some(met) if met == least => break 'search units,
                    Some(_) => units += 1,
                    None if exact => {
                        return Err(Trouble::Undecided(
                            "a value is too near to the threshold".to_owned(),
                        ));
                    }
                    None => {
                        exact = true;
                        // A smaller number of units first: exact values are dear.
                        most = units;
                        continue 'search;
                    }
                }
            }
            most = most.saturating_mul(2).max(1);
        };
        let (_, bracket) = self.up_to(asked, changed, exact, budget)?;
        let best = if least {
            Some(changed)
        } else {
            changed.checked_sub(1)
        };
        let marker = best.map_or(-Rational::ONE, Rational::from);
        self.certified(Bracket::Exact(vec![Some(marker)]));
        self.certified(bracket);
        Ok(match best {
            Some(units) => Values::Numbers(Bracket::Exact(vec![
                Some(asked.bound(units, least)?);
                self.size()
            ])),
            None => Values::Nothing("no bound meets the threshold".to_owned()),
        })
    }
}
