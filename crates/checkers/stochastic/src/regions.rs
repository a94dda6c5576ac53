//! Judging that a bound holds in a whole region of parameters: by boxes that cover it, each with a certificate for its decision process.
//!
//! Nothing is taken from an engine but the boxes and the certificates. In every state the weights and rewards are written as polynomials of the parameters,
//! which must be multi-affine; then what a state does at a point of a box is a mixture, with the same shares for all its outcomes, of what it does
//! at the corners. The reference interpreter builds the model at each corner; all must have the same states and transitions, and then so has every point between.
//! The process in which every state chooses a corner is put together here, and the certificate is judged for it as for any other.
//!
//! Cost: polynomials once in every state; for every box one explicit model for each corner.

use crate::check::{Checker, Claim};
use crate::polynomial::Polynomial;
use entail_answer::{CheckReport, Verdict};
use entail_budget::Budget;
use entail_markov::interpreter::{self, ExploreError, Interpreter};
use entail_markov::parametric::{Parametric, corners};
use entail_markov::{
    ActionId, Certificate, CommandKind, Explicit, Kind, Network, Optimum, Path, Property, Query, Rational,
    RewardKind, Row, explore, naive,
};

/// A box of points: the least and the greatest value of each parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Region {
    /// The least values.
    pub low: Vec<Rational>,
    /// The greatest values.
    pub high: Vec<Rational>,
}

impl Region {
    /// Whether a point lies in it.
    pub fn contains(&self, point: &[Rational]) -> bool {
        let mut ends = self.low.iter().zip(&self.high).zip(point);
        point.len() == self.low.len() && ends.all(|((low, high), value)| low <= value && value <= high)
    }

    fn contains_all(&self, other: &Region) -> bool {
        self.contains(&other.low) && self.contains(&other.high)
    }

    /// Whether two boxes have inner points in common.
    pub fn overlaps(&self, other: &Region) -> bool {
        let mut ends = (self.low.iter().zip(&self.high)).zip(other.low.iter().zip(&other.high));
        ends.all(|((low, high), (from, to))| match low == high && from == to {
            true => low == from,
            false => low.max(from) < high.min(to),
        })
    }

    fn is_sane(&self, parameters: usize) -> bool {
        self.low.len() == parameters
            && self.high.len() == parameters
            && self.low.iter().zip(&self.high).all(|(low, high)| low <= high)
    }
}

/// Whether boxes cover a region. Where none contains it, it is cut where one of them ends, and both halves are looked at: every cut takes an end away, so
/// that this ends.
pub fn covers(region: &Region, parts: &[Region]) -> bool {
    // Closed boxes that share inner points with the region, or the region itself where it is flat.
    let meets = |part: &&Region| {
        (0..region.low.len()).all(|at| {
            let flat = region.low[at] == region.high[at];
            let (low, high) = (&part.low[at], &part.high[at]);
            match flat {
                true => *low <= region.low[at] && region.low[at] <= *high,
                false => *low < region.high[at] && region.low[at] < *high,
            }
        })
    };
    let near: Vec<Region> = parts.iter().filter(meets).cloned().collect();
    if near.iter().any(|part| part.contains_all(region)) {
        return true;
    }
    for part in &near {
        for at in 0..region.low.len() {
            for end in [&part.low[at], &part.high[at]] {
                if region.low[at] < *end && *end < region.high[at] {
                    let (mut left, mut right) = (region.clone(), region.clone());
                    left.high[at] = end.clone();
                    right.low[at] = end.clone();
                    return covers(&left, &near) && covers(&right, &near);
                }
            }
        }
    }
    false
}

/// Judges bounds over regions of one parametric model.
pub struct RegionChecker<'m> {
    model: &'m Parametric,
    property: Property,
    structure: Option<usize>,
    limit: usize,
}

impl<'m> RegionChecker<'m> {
    /// A checker of one property; nothing if regions are not judged for it. At most so many states are built.
    pub fn new(model: &'m Parametric, asked: &Property, limit: usize) -> Result<RegionChecker<'m>, String> {
        let has_choices = model.network().kind.has_choices();
        let worst = |query: &Query, optimum: Option<Optimum>| {
            let Query::Compare(threshold) = query else {
                return Err("the property has no bound".to_owned());
            };
            let worst = match threshold.comparison.is_upper() {
                true => Optimum::Max,
                false => Optimum::Min,
            };
            match optimum {
                Some(optimum) if has_choices && optimum != worst => {
                    Err("the scheduler is asked to play against the parameters".to_owned())
                }
                _ => Ok(Some(worst)),
            }
        };
        let mut property = asked.of_all_initial_states().clone();
        let structure = match &mut property {
            Property::Probability { optimum, query, path } => {
                *optimum = worst(query, *optimum)?;
                flat(path, model)?;
                None
            }
            Property::Reward {
                optimum,
                query,
                structure,
                kind,
            } => {
                *optimum = worst(query, *optimum)?;
                match kind {
                    RewardKind::Reach(Path::Finally(goal, None)) => flat(goal, model)?,
                    _ => return Err("a reward of this kind".to_owned()),
                }
                Some(*structure)
            }
            _ => return Err("the property is none about one value with a bound".to_owned()),
        };
        Ok(RegionChecker {
            model,
            property,
            structure,
            limit,
        })
    }

    /// Whether the bound holds in the region, by boxes with certificates.
    pub fn check(&self, region: &Region, parts: &[(Region, &Certificate)], budget: &Budget) -> CheckReport {
        let boxes: Vec<Region> = parts.iter().map(|(part, _)| part.clone()).collect();
        if !boxes.iter().all(|part| part.is_sane(self.model.parameters())) {
            return CheckReport::rejected("a part of the region that is none");
        }
        // Boxes inside that cover the region touch each other, so that all have one graph.
        if !boxes.iter().all(|part| region.contains_all(part)) {
            return CheckReport::rejected("a part that is not inside the region");
        }
        if !covers(region, &boxes) {
            return CheckReport::rejected("the parts do not cover the region");
        }
        self.each(parts, false, budget)
    }

    /// Whether the bound holds in each of some boxes in the region, which have no inner point in common and need not cover it.
    pub fn check_some(
        &self,
        region: &Region,
        parts: &[(Region, &Certificate)],
        budget: &Budget,
    ) -> CheckReport {
        let sane = |part: &Region| part.is_sane(self.model.parameters()) && region.contains_all(part);
        if !parts.iter().all(|(part, _)| sane(part)) {
            return CheckReport::rejected("a part of the region that is none");
        }
        self.each(parts, true, budget)
    }

    /// Judges the certificates of boxes. The polynomials of all are the same where all have one graph.
    fn each(&self, parts: &[(Region, &Certificate)], apart: bool, budget: &Budget) -> CheckReport {
        let mut is_first = true;
        for (part, certificate) in parts {
            let lifted = match self.lifted(part, apart || is_first, budget) {
                Ok(lifted) => lifted,
                Err(Refused::Wrong(reason)) => return CheckReport::rejected(reason),
                Err(Refused::Explore(error)) => {
                    return CheckReport::unchecked(format!("the model was not built again ({error})"));
                }
            };
            is_first = false;
            let claim = Claim {
                verdict: Verdict::Holds,
                value: None,
            };
            let report = lifted.check(&self.property, &claim, certificate, budget);
            if !report.is_accepted() {
                return report;
            }
        }
        CheckReport::Accepted
    }

    /// The decision process of a box; `with_shapes` looks at the polynomials too, which are the same for all boxes.
    fn lifted(&self, part: &Region, with_shapes: bool, budget: &Budget) -> Result<Checker, Refused> {
        let corners = corners(&part.low, &part.high);
        let networks: Vec<Network> = corners.iter().map(|corner| self.model.at(corner)).collect();
        let mut models = Vec::with_capacity(networks.len());
        for network in &networks {
            models.push(explore(network, self.limit, budget)?);
        }
        let mut lifted = self.together(&models)?;
        if with_shapes {
            self.shapes(&networks[0], &models[0], budget)?;
        }
        let mut network = networks
            .into_iter()
            .next()
            .ok_or_else(|| wrong("a box without corners"))?;
        network.kind = Kind::Mdp;
        lifted.kind = Kind::Mdp;
        Ok(Checker {
            network,
            model: lifted,
            unexplored: Vec::new(),
        })
    }

    /// The models at the corners as one in which every state chooses; they must have the same states and transitions.
    fn together(&self, models: &[Explicit]) -> Result<Explicit, Refused> {
        let first = &models[0];
        let targets = |row: &Row| {
            row.targets
                .iter()
                .map(|(target, _)| *target)
                .collect::<Vec<u32>>()
        };
        let structures = first.state_rewards.len();
        for other in models {
            let same = other.states == first.states
                && other.initial == first.initial
                && other.deadlocks == first.deadlocks
                && other.rows.iter().zip(&first.rows).all(|(a, b)| {
                    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| targets(a) == targets(b))
                });
            if !same {
                return Err(wrong("a part of the region is not graph preserving"));
            }
        }
        let mut rows = Vec::with_capacity(first.rows.len());
        for state in 0..first.rows.len() {
            let mut own: Vec<Row> = Vec::new();
            for choice in 0..first.rows[state].len() {
                for model in models {
                    let row = &model.rows[state][choice];
                    let earned = |structure| match self.structure == Some(structure) {
                        true => naive::step_value(model, structure, state, row),
                        false => Rational::ZERO,
                    };
                    let row = Row {
                        action: None,
                        rate: None,
                        targets: row.targets.clone(),
                        uppers: Vec::new(),
                        rewards: (0..structures).map(earned).collect(),
                    };
                    if !own.contains(&row) {
                        own.push(row);
                    }
                }
            }
            rows.push(own);
        }
        Ok(Explicit {
            kind: Kind::Mdp,
            states: first.states.clone(),
            rows,
            initial: first.initial.clone(),
            deadlocks: first.deadlocks.clone(),
            state_rewards: vec![vec![Rational::ZERO; first.states.len()]; structures],
        })
    }

    /// Whether weights and rewards are multi-affine in every state.
    fn shapes(&self, network: &Network, model: &Explicit, budget: &Budget) -> Result<(), Refused> {
        let interpreter = Interpreter::new(network);
        for state in &model.states {
            budget.check().map_err(ExploreError::from)?;
            let choices = interpreter.choices(state).map_err(ExploreError::from)?;
            for choice in &choices {
                let mut joint = vec![0; self.model.parameters()];
                for &(component, position) in &choice.commands {
                    let own = self.degrees_of_command(component, position, state)?;
                    joint.iter_mut().zip(own).for_each(|(sum, own)| *sum += own);
                }
                let earned = self.degrees_of_step(choice.action, state)?;
                joint.iter_mut().zip(earned).for_each(|(sum, own)| *sum += own);
                is_affine(&joint)?;
            }
            let Some(structure) = self.structure else { continue };
            for reward in &self.model.network().rewards[structure].states {
                let applies = interpreter::truth(network, &reward.guard, state, reward.place);
                if applies.map_err(ExploreError::from)? {
                    is_affine(
                        &self
                            .polynomial(&reward.value, state)?
                            .degrees(self.model.parameters()),
                    )?;
                }
            }
        }
        Ok(())
    }

    fn polynomial(&self, expr: &entail_markov::Expr, state: &[i64]) -> Result<Polynomial, Refused> {
        Polynomial::of(self.model, expr, state)
            .ok_or_else(|| wrong("a weight or reward is no polynomial of the parameters"))
    }

    /// The degrees of a command's weights with what its branches earn; probabilities must sum to 1.
    fn degrees_of_command(
        &self,
        component: usize,
        position: usize,
        state: &[i64],
    ) -> Result<Vec<u32>, Refused> {
        let parameters = self.model.parameters();
        let command = &self.model.network().components[component].commands[position];
        let mut found = vec![0; parameters];
        let mut sum = Polynomial::constant(parameters, Rational::ZERO);
        let mut open = false;
        for branch in &command.branches {
            let weight = self.polynomial(&branch.weight, state)?;
            let mut own = weight.degrees(parameters);
            for (structure, value) in &branch.rewards {
                if Some(*structure) == self.structure {
                    let earned = self.polynomial(value, state)?.degrees(parameters);
                    own.iter_mut().zip(earned).for_each(|(sum, own)| *sum += own);
                }
            }
            found
                .iter_mut()
                .zip(own)
                .for_each(|(most, own)| *most = own.max(*most));
            open |= weight.value().is_none();
            sum = sum.add(&weight, &Rational::ONE);
        }
        if open && command.kind == CommandKind::Probabilistic && sum.value() != Some(Rational::ONE) {
            return Err(wrong("probabilities with parameters that do not sum to 1"));
        }
        Ok(found)
    }

    /// The degrees of what a step earns.
    fn degrees_of_step(&self, action: Option<ActionId>, state: &[i64]) -> Result<Vec<u32>, Refused> {
        let mut found = vec![0; self.model.parameters()];
        let network = self.model.network();
        let steps = self
            .structure
            .iter()
            .flat_map(|&structure| &network.rewards[structure].transitions);
        for reward in steps.filter(|reward| reward.action == action) {
            let applies = interpreter::truth(network, &reward.guard, state, reward.place);
            if applies.map_err(ExploreError::from)? {
                let own = self
                    .polynomial(&reward.value, state)?
                    .degrees(self.model.parameters());
                found
                    .iter_mut()
                    .zip(own)
                    .for_each(|(most, own)| *most = own.max(*most));
            }
        }
        Ok(found)
    }
}

/// Why a box has no decision process.
enum Refused {
    Wrong(String),
    Explore(ExploreError),
}

impl From<ExploreError> for Refused {
    fn from(error: ExploreError) -> Refused {
        Refused::Explore(error)
    }
}

fn wrong(reason: &str) -> Refused {
    Refused::Wrong(reason.to_owned())
}

fn is_affine(degrees: &[u32]) -> Result<(), Refused> {
    match degrees.iter().all(|&degree| degree <= 1) {
        true => Ok(()),
        false => Err(wrong("a weight or reward is not multi-affine in the parameters")),
    }
}

/// Refuses path formulas that do not mean the same about the decision process.
fn flat(path: &Path, model: &Parametric) -> Result<(), String> {
    let by_steps = |bounds: &Option<entail_markov::Bounds>| match bounds {
        Some(bounds) if model.network().kind.is_timed() || !bounds.is_time() => {
            Err("bounds on time or rewards".to_owned())
        }
        _ => Ok(()),
    };
    match path {
        Path::State(states) => match &**states {
            Property::Expr(expr) if model.mentions(expr).is_some() => {
                Err("a parameter in the property".to_owned())
            }
            Property::Expr(_) | Property::Init | Property::Deadlock => Ok(()),
            _ => Err("an inner operator".to_owned()),
        },
        Path::Not(inner) | Path::Next(inner) => flat(inner, model),
        Path::And(a, b) | Path::Or(a, b) | Path::Implies(a, b) | Path::Iff(a, b) => {
            flat(a, model)?;
            flat(b, model)
        }
        Path::Until(a, b, bounds) | Path::WeakUntil(a, b, bounds) | Path::Release(a, b, bounds) => {
            by_steps(bounds)?;
            flat(a, model)?;
            flat(b, model)
        }
        Path::Finally(inner, bounds) | Path::Globally(inner, bounds) => {
            by_steps(bounds)?;
            flat(inner, model)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn boxed(ends: &[(i64, i64)]) -> Region {
        Region {
            low: ends.iter().map(|end| Rational::from(end.0)).collect(),
            high: ends.iter().map(|end| Rational::from(end.1)).collect(),
        }
    }

    #[test]
    fn boxes_cover_a_region_or_leave_a_gap() {
        let region = boxed(&[(0, 4), (0, 4)]);
        let quarters = [
            boxed(&[(0, 2), (0, 2)]),
            boxed(&[(2, 4), (0, 2)]),
            boxed(&[(0, 2), (2, 4)]),
            boxed(&[(2, 4), (2, 4)]),
        ];
        assert!(covers(&region, &quarters));
        for left_out in 0..4 {
            let mut fewer = quarters.to_vec();
            fewer.remove(left_out);
            assert!(!covers(&region, &fewer));
        }
        // A pinwheel: no cut through the whole region fits all boxes.
        let pinwheel = [
            boxed(&[(0, 3), (0, 1)]),
            boxed(&[(3, 4), (0, 3)]),
            boxed(&[(1, 4), (3, 4)]),
            boxed(&[(0, 1), (1, 4)]),
            boxed(&[(1, 3), (1, 3)]),
        ];
        assert!(covers(&region, &pinwheel));
        assert!(!covers(&region, &pinwheel[..4]));
        // Flat regions.
        let line = boxed(&[(1, 1), (0, 4)]);
        assert!(covers(&line, &quarters));
        assert!(covers(&line, &[boxed(&[(1, 1), (0, 4)])]));
        assert!(!covers(&line, &[boxed(&[(2, 3), (0, 4)])]));
        assert!(!covers(&region, &[]));
    }
}
