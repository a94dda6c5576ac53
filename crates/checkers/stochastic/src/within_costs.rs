//! Bounds on rewards, several bounds, and quantiles: a certificate for every epoch.
//!
//! What is left of the bounds (to be spent below upper ones, to be earned below lower ones) is an *epoch*, and the certificate has bounds for every
//! state in every epoch that can come about. They are judged as those of the model that one would get by unfolding what has been earned:
//! smallest epochs first, so that what lies in others is judged before it is used. The unfolding is never built.
//!
//! Costs are whole numbers of units here. Epochs are ordered by the sum of what is left, then bound by bound, the lower end of each first.

use crate::check::{Evaluation, NotConfirmed, effective};
use crate::inequality::{Bound, Prepared, Side};
use crate::numbers::exact_indicator;
use entail_markov::interpreter::{self, Choice};
use entail_markov::{
    BoundedBy, Bounds, Bracket, End, Kind, Limit, OpenBound, Optimum, Path, Property, Query, Rational, Row,
    Threshold, naive,
};
use std::cmp::Ordering;
use std::collections::{BTreeSet, HashMap};

type Epoch = Vec<u64>;

/// What rows cost by the counts of bounds.
pub(crate) struct Counts {
    /// Which bound and end each number of an epoch is left of.
    left: Vec<(usize, End)>,
    /// The costs in units that occur, for each number of an epoch.
    different: Vec<Vec<u64>>,
    /// By state and row: the position of its costs among these.
    costs: Vec<Vec<usize>>,
    /// The unit of each bound.
    units: Vec<Rational>,
}

/// `stay U goal` under an optimum.
struct Aim<'a> {
    optimum: Optimum,
    stay: &'a [bool],
    goal: &'a [bool],
}

fn too_large() -> NotConfirmed {
    NotConfirmed::Unchecked("a bound on rewards that are no small fractions".to_owned())
}

fn divisor(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { divisor(b, a % b) }
}

/// The greatest number that all of some numbers are multiples of, over their common denominator.
fn unit(earned: &[Vec<Rational>]) -> Option<Rational> {
    let (mut above, mut below) = (0u64, 1u64);
    for value in earned.iter().flatten().filter(|value| !value.is_zero()) {
        let numerator = u64::try_from(value.numerator().clone()).ok()?;
        let denominator = u64::try_from(value.denominator().clone()).ok()?;
        let common = (below / divisor(below, denominator)).checked_mul(denominator)?;
        let (old, new) = (
            above.checked_mul(common / below)?,
            numerator.checked_mul(common / denominator)?,
        );
        (above, below) = (divisor(old, new), common);
    }
    let above = if above == 0 { below } else { above };
    Some(Rational::from(above) / Rational::from(below))
}

impl Counts {
    /// What an epoch becomes by some costs; nothing where too much is spent.
    fn after(&self, epoch: &[u64], costs: &[u64]) -> Option<Epoch> {
        let mut next = epoch.to_vec();
        for ((left, cost), (_, end)) in next.iter_mut().zip(costs).zip(&self.left) {
            *left = match end {
                End::Lower => left.saturating_sub(*cost),
                End::Upper => left.checked_sub(*cost)?,
            };
        }
        Some(next)
    }

    fn is_earned(&self, epoch: &[u64]) -> bool {
        let open = |(&(_, end), &left): (&(usize, End), &u64)| end == End::Lower && left > 0;
        !self.left.iter().zip(epoch).any(open)
    }

    /// All epochs that come about, in order.
    fn epochs(&self, starts: impl Iterator<Item = Epoch>) -> Vec<Epoch> {
        let ranked = |epoch: Epoch| (epoch.iter().sum::<u64>(), epoch);
        let mut open: Vec<Epoch> = starts.collect();
        let mut found: BTreeSet<(u64, Epoch)> = open.iter().cloned().map(ranked).collect();
        while let Some(epoch) = open.pop() {
            for costs in &self.different {
                if let Some(next) = self.after(&epoch, costs)
                    && found.insert(ranked(next.clone()))
                {
                    open.push(next);
                }
            }
        }
        found.into_iter().map(|(_, epoch)| epoch).collect()
    }

    /// Where everything begins; nothing if that is beyond a bound. `asked` is an end that has so many units instead of its limit.
    fn start(
        &self,
        bounds: &[&Bounds],
        asked: Option<(usize, End, u64)>,
    ) -> Result<Option<Epoch>, NotConfirmed> {
        let mut start = Vec::new();
        for &(at, end) in &self.left {
            if let Some((_, _, units)) = asked.filter(|asked| (asked.0, asked.1) == (at, end)) {
                start.push(units);
                continue;
            }
            let limit = match end {
                End::Lower => bounds[at].lower.as_ref(),
                End::Upper => bounds[at].upper.as_ref(),
            };
            let Some(Limit { value, strict }) = limit else {
                return Err(NotConfirmed::Wrong("a bound without a limit".to_owned()));
            };
            let share = value / &self.units[at];
            let whole = share.is_int();
            let below = u64::try_from(share.floor()).map_err(|_| too_large())?;
            start.push(match (end, whole, strict) {
                (End::Upper, true, true) if below == 0 => return Ok(None),
                (End::Upper, true, true) => below - 1,
                (End::Upper, _, _) => below,
                (End::Lower, true, false) => below,
                (End::Lower, _, _) => below + 1,
            });
        }
        Ok(Some(start))
    }
}

/// The values in the epoch at a position.
fn part(bracket: &Bracket, at: usize, size: usize) -> Bracket {
    let states = at * size..(at + 1) * size;
    match bracket {
        Bracket::Exact(values) => Bracket::Exact(values[states].to_vec()),
        Bracket::Between { lower, upper } => Bracket::Between {
            lower: lower[states.clone()].to_vec(),
            upper: upper[states].to_vec(),
        },
    }
}

impl Evaluation<'_> {
    /// Whether all outcomes of a choice, and all choices that are mixed by chance, earn the same by a structure.
    fn earns_alike(&self, structure: usize) -> Result<bool, NotConfirmed> {
        let network = &self.checker.network;
        let rewards = &network.rewards[structure];
        let mixed = !network.kind.has_choices();
        if (rewards.transitions.is_empty() || !mixed) && !rewards.on_branches {
            return Ok(true);
        }
        let wrong = |error: String| NotConfirmed::Wrong(error);
        let of_choice = |choice: &Choice, state: &[i64]| -> Result<Option<Rational>, NotConfirmed> {
            let mut sum = interpreter::step_reward(network, structure, state, choice.action)
                .map_err(|error| wrong(error.to_string()))?;
            for &(component, command) in &choice.commands {
                let mut earned: Option<Rational> = None;
                for branch in &network.components[component].commands[command].branches {
                    let number = |expr| {
                        let value = network
                            .eval(expr, state)
                            .map_err(|error| wrong(error.to_string()))?;
                        value
                            .number()
                            .ok_or_else(|| wrong("a weight that is no number".to_owned()))
                    };
                    if number(&branch.weight)?.is_zero() {
                        continue;
                    }
                    let mut own = Rational::ZERO;
                    for (_, value) in branch.rewards.iter().filter(|(known, _)| *known == structure) {
                        own += number(value)?;
                    }
                    match &earned {
                        Some(earned) if *earned != own => return Ok(None),
                        _ => earned = Some(own),
                    }
                }
                sum += earned.unwrap_or(Rational::ZERO);
            }
            Ok(Some(sum))
        };
        for state in &self.checker.model.states {
            self.budget.check()?;
            let choices = interpreter::choices(network, state).map_err(|error| wrong(error.to_string()))?;
            let mut first: Option<Rational> = None;
            for choice in &choices {
                let Some(own) = of_choice(choice, state)? else {
                    return Ok(false);
                };
                match &first {
                    Some(first) if mixed && *first != own => return Ok(false),
                    _ => first = Some(own),
                }
            }
        }
        Ok(true)
    }

    fn counts(&self, bounds: &[&Bounds], asked: Option<(usize, End)>) -> Result<Counts, NotConfirmed> {
        let model = &self.checker.model;
        if !matches!(model.kind, Kind::Dtmc | Kind::Mdp) {
            return Err(NotConfirmed::Unchecked(
                "bounds on rewards in timed models".to_owned(),
            ));
        }
        let (mut left, mut units) = (Vec::new(), Vec::new());
        let mut costs: Vec<Vec<Vec<u64>>> = (model.rows.iter())
            .map(|rows| vec![Vec::new(); rows.len()])
            .collect();
        for (at, bounds) in bounds.iter().enumerate() {
            let earned: Vec<Vec<Rational>> = match bounds.by {
                BoundedBy::Time => (model.rows.iter())
                    .map(|rows| vec![Rational::ONE; rows.len()])
                    .collect(),
                BoundedBy::Reward(structure) => {
                    if !self.earns_alike(structure)? {
                        let what = "bounds on rewards that outcomes earn differently";
                        return Err(NotConfirmed::Unchecked(what.to_owned()));
                    }
                    let value = |(state, rows): (usize, &Vec<Row>)| {
                        let of_row = |row: &Row| naive::step_value(model, structure, state, row);
                        rows.iter().map(of_row).collect()
                    };
                    model.rows.iter().enumerate().map(value).collect()
                }
            };
            let unit = unit(&earned).ok_or_else(too_large)?;
            for (limit, end) in [(&bounds.lower, End::Lower), (&bounds.upper, End::Upper)] {
                if limit.is_none() && asked != Some((at, end)) {
                    continue;
                }
                left.push((at, end));
                for (own, earned) in costs.iter_mut().flatten().zip(earned.iter().flatten()) {
                    let share = earned / &unit;
                    if !share.is_int() {
                        return Err(NotConfirmed::Wrong(
                            "a reward that is no multiple of its unit".to_owned(),
                        ));
                    }
                    own.push(u64::try_from(share.floor()).map_err(|_| too_large())?);
                }
            }
            units.push(unit);
        }
        let different: BTreeSet<Vec<u64>> = costs.iter().flatten().cloned().collect();
        let different: Vec<Vec<u64>> = different.into_iter().collect();
        let number = |own: &Vec<u64>| different.binary_search(own).unwrap_or(0);
        let numbers = |rows: &Vec<Vec<u64>>| rows.iter().map(number).collect();
        Ok(Counts {
            left,
            units,
            costs: costs.iter().map(numbers).collect(),
            different,
        })
    }

    /// The probability of `stay U goal` within bounds on rewards, or several bounds.
    pub(crate) fn until_within_costs(
        &mut self,
        optimum: Optimum,
        stay: &[bool],
        goal: &[bool],
        bounds: &Bounds,
    ) -> Result<Bracket, NotConfirmed> {
        let bounds: Vec<&Bounds> = bounds.all().collect();
        let counts = self.counts(&bounds, None)?;
        let Some(start) = counts.start(&bounds, None)? else {
            return Ok(exact_indicator(&vec![false; self.size()]));
        };
        let epochs = counts.epochs(std::iter::once(start));
        let aim = Aim { optimum, stay, goal };
        let bracket = self.proved(&aim, &counts, &epochs)?;
        Ok(part(&bracket, epochs.len() - 1, self.size()))
    }

    /// The certificate's next bracket, once it is proved for all epochs.
    fn proved(&mut self, aim: &Aim<'_>, counts: &Counts, epochs: &[Epoch]) -> Result<Bracket, NotConfirmed> {
        let bracket = self.next_bracket()?.clone();
        if bracket.is_empty() {
            return Err(NotConfirmed::Unchecked(
                "bounds on rewards with too many epochs".to_owned(),
            ));
        }
        let size = self.size();
        if bracket.len() != size * epochs.len() {
            return Err(NotConfirmed::Wrong(
                "the certificate has another number of epochs".to_owned(),
            ));
        }
        let position: HashMap<&Epoch, usize> = epochs.iter().zip(0..).collect();
        let rows = self.checker.model.rows.iter();
        let rows: Vec<Vec<Prepared<'_>>> = rows
            .map(|rows| rows.iter().map(Prepared::new).collect())
            .collect();
        // Where the goal is reached with positive probability as the lower bounds promise.
        let mut hopeful = vec![false; bracket.len()];
        for (at, epoch) in epochs.iter().enumerate() {
            // Where a row leads: the place of the first state of the next epoch.
            let places: Vec<Option<usize>> = (counts.different.iter())
                .map(|costs| Some(position.get(&counts.after(epoch, costs)?)? * size))
                .collect();
            let next = |state: usize, row: usize| places[counts.costs[state][row]];
            let earned = counts.is_earned(epoch);
            let won: Vec<bool> = aim.goal.iter().map(|&goal| goal && earned).collect();
            self.epoch(aim, &won, at * size, &next, (&rows, &bracket), &mut hopeful)?;
        }
        Ok(bracket)
    }

    /// Judges the bounds of one epoch, whose states begin at a place of the bracket.
    fn epoch(
        &self,
        aim: &Aim<'_>,
        won: &[bool],
        base: usize,
        next: &dyn Fn(usize, usize) -> Option<usize>,
        (rows, bracket): (&[Vec<Prepared<'_>>], &Bracket),
        hopeful: &mut [bool],
    ) -> Result<(), NotConfirmed> {
        let extreme = self.nature.of(aim.optimum);
        let wrong = |what: &str, state: usize| {
            Err(NotConfirmed::Wrong(format!(
                "{what} (state {state}, place {base})"
            )))
        };
        // How a state's value compares with what a row leads to; beyond the bounds that is nothing.
        let order = |state: usize, at: usize, side: Side, own: Bound<'_>| match next(state, at) {
            None => Some(own.to_whole(0)),
            Some(place) => rows[state][at].compare(bracket, place, side, own, extreme),
        };
        let keeps = |state: usize, at: usize, lower: Bound<'_>| {
            order(state, at, Side::Lower, lower).is_some_and(Ordering::is_le)
        };
        let touches = |state: usize, at: usize, hopeful: &[bool]| {
            next(state, at).is_some_and(|place| {
                let mut targets = self.checker.model.rows[state][at].targets.iter();
                targets.any(|(target, _)| hopeful[place + *target as usize])
            })
        };
        let mut promising = Vec::new();
        for state in 0..rows.len() {
            self.budget.check()?;
            let bound = |side| Bound::of(bracket, base + state, side);
            let (Some(lower), Some(upper)) = (bound(Side::Lower), bound(Side::Upper)) else {
                return wrong("a probability is infinite", state);
            };
            if lower.is_above(upper) || upper.to_whole(0).is_lt() || lower.to_whole(1).is_gt() {
                return wrong("the bounds are no bounds of a probability", state);
            }
            if won[state] {
                if upper.to_whole(1).is_lt() {
                    return wrong("the goal has an upper bound below 1", state);
                }
                hopeful[base + state] = true;
                continue;
            }
            if !aim.stay[state] {
                if lower.to_whole(0).is_gt() {
                    return wrong("a lost state has a positive lower bound", state);
                }
                continue;
            }
            let mut choices = 0..rows[state].len();
            if upper.to_whole(1).is_lt() {
                let covers = |at: usize| order(state, at, Side::Upper, upper).is_some_and(Ordering::is_ge);
                let fine = match aim.optimum {
                    Optimum::Max => choices.clone().all(covers),
                    Optimum::Min => choices.clone().any(covers),
                };
                if !fine {
                    return wrong("the upper bound is exceeded after one step", state);
                }
            }
            if lower.to_whole(0).is_gt() {
                if aim.optimum == Optimum::Min && !choices.all(|at| keeps(state, at, lower)) {
                    return wrong("the lower bound is missed after one step", state);
                }
                promising.push((state, lower));
            }
        }
        // The choices that keep lower bounds must lead to the goal.
        while !promising.is_empty() {
            let before = promising.len();
            let mut left = Vec::new();
            for (state, lower) in promising.into_iter().rev() {
                self.budget.check()?;
                let mut choices = 0..rows[state].len();
                let joins = match aim.optimum {
                    Optimum::Max => choices.any(|at| touches(state, at, hopeful) && keeps(state, at, lower)),
                    // All of them keep it.
                    Optimum::Min => choices.all(|at| touches(state, at, hopeful)),
                };
                match joins {
                    true => hopeful[base + state] = true,
                    false => left.push((state, lower)),
                }
            }
            left.reverse();
            promising = left;
            if let (Some((state, _)), true) = (promising.first(), promising.len() == before) {
                return wrong("no choice keeps the lower bound and reaches the goal", *state);
            }
        }
        Ok(())
    }

    /// Whether all initial states meet a threshold, as far as bounds tell.
    fn met(&self, bracket: &Bracket, threshold: &Threshold) -> Option<bool> {
        let meets = |state: usize| {
            let holds = |value: Option<Rational>| Some(threshold.comparison.holds(&value?, &threshold.bound));
            let (low, high) = (holds(bracket.lower(state))?, holds(bracket.upper(state))?);
            (low == high).then_some(low)
        };
        let answers: Vec<Option<bool>> = (self.checker.model.initial.iter())
            .map(|&state| meets(state as usize))
            .collect();
        match answers.contains(&Some(false)) {
            true => Some(false),
            false => answers.into_iter().collect::<Option<Vec<bool>>>().map(|_| true),
        }
    }

    /// The bound that a quantile asks for: the first bracket is the number of units (nothing: there is no end; -1: there is no bound), and those
    /// behind it prove that the threshold is passed just there.
    pub(crate) fn quantile(
        &mut self,
        variables: &[OpenBound],
        property: &Property,
    ) -> Result<Option<Bracket>, NotConfirmed> {
        let refuse = |what: &str| Err(NotConfirmed::Wrong(what.to_owned()));
        let ([variable], Property::Probability { optimum, query, path }) = (variables, property) else {
            return refuse("a quantile of another kind");
        };
        let Query::Compare(threshold) = query else {
            return refuse("a quantile without a threshold");
        };
        let (stay, goal, bounds) = match path {
            Path::Finally(goal, Some(bounds)) => (None, goal, bounds),
            Path::Until(stay, goal, Some(bounds)) => (Some(stay), goal, bounds),
            _ => return refuse("a quantile of a formula without bounds"),
        };
        let mut states = |path: &Path| match path.as_state() {
            Some(states) => self.set(states),
            None => Err(NotConfirmed::Wrong(
                "a path formula where states are needed".to_owned(),
            )),
        };
        let stay = stay.map(|stay| states(stay)).transpose()?;
        let goal = states(goal)?;
        let stay = stay.unwrap_or_else(|| vec![true; goal.len()]);
        let rises = variable.end == End::Upper;
        // Whether a larger bound meets the threshold if a smaller one does, so that the least is meant.
        let least = rises != threshold.comparison.is_upper();
        let marker = self.next_bracket()?.clone();
        let Bracket::Exact(marker) = &marker else {
            return refuse("a quantile that is no number");
        };
        let optimum = effective(*optimum, query);
        let [Some(units)] = &marker[..] else {
            let rest = without(bounds, variable);
            let limit = self.until_of_known(optimum, stay, goal, rest.as_ref())?;
            // Larger bounds give at most this.
            return match rises && self.met(&limit, threshold) == Some(!least) {
                true => Ok(Some(Bracket::Exact(vec![None; self.size()]))),
                false => refuse("some bound may be enough"),
            };
        };
        let bounds: Vec<&Bounds> = bounds.all().collect();
        let asked = (variable.position, variable.end);
        let counts = self.counts(&bounds, Some(asked))?;
        // The first number of units that meets the threshold, or the first that does not.
        let change = match least {
            true => units.clone(),
            false => units + Rational::ONE,
        };
        let Ok(change) = u64::try_from(change) else {
            return refuse("a quantile that is no number of units");
        };
        let start = |units: u64| {
            let start = counts.start(&bounds, Some((asked.0, asked.1, units)))?;
            start.ok_or_else(|| NotConfirmed::Wrong("a bound is never met".to_owned()))
        };
        let starts: Vec<Epoch> = (0..=change).map(start).collect::<Result<_, _>>()?;
        let epochs = counts.epochs(starts.iter().cloned());
        let aim = Aim {
            optimum,
            stay: &stay,
            goal: &goal,
        };
        let bracket = self.proved(&aim, &counts, &epochs)?;
        let met = |units: u64| {
            let at = epochs.iter().position(|epoch| *epoch == starts[units as usize])?;
            self.met(&part(&bracket, at, goal.len()), threshold)
        };
        if met(change) != Some(least) || (change > 0 && met(change - 1) != Some(!least)) {
            return refuse("the certificate does not prove where the threshold is passed");
        }
        if *units < Rational::ZERO {
            return Ok(None);
        }
        let limit = match variable.end {
            End::Lower => &bounds[asked.0].lower,
            End::Upper => &bounds[asked.0].upper,
        };
        let unit = &counts.units[asked.0];
        let mut bound = units * unit;
        // Between two whole numbers of units all bounds are alike: the outermost whole number that still is.
        if unit.is_int() && rises && !least {
            bound = bound + unit - Rational::ONE;
        }
        if unit.is_int() && !rises && least && !units.is_zero() {
            bound = bound - unit + Rational::ONE;
        }
        if limit.as_ref().is_some_and(|limit| limit.strict) {
            // Whole numbers: less than one more is at most this.
            if !counts.units[asked.0].is_int() || variable.end == End::Lower {
                return refuse("a strict bound that is asked for");
            }
            bound += Rational::ONE;
        }
        Ok(Some(Bracket::Exact(vec![Some(bound); self.size()])))
    }
}

/// The bounds that are left when the one that is asked for is dropped.
fn without(bounds: &Bounds, dropped: &OpenBound) -> Option<Bounds> {
    let mut kept = Vec::new();
    for (at, one) in bounds.all().enumerate() {
        let mut one = one.clone();
        one.others.clear();
        if at == dropped.position {
            match dropped.end {
                End::Lower => one.lower = None,
                End::Upper => one.upper = None,
            }
        }
        if one.lower.is_some() || one.upper.is_some() {
            kept.push(one);
        }
    }
    let others = kept.split_off(1.min(kept.len()));
    kept.pop().map(|first| Bounds { others, ..first })
}
