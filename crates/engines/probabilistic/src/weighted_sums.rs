//! What schedulers can reach for several objectives, found by weighted sums.
//!
//! The achievable points are a polytope (with everything below it). For weights, the best scheduler gives a vertex and proves that nothing lies
//! beyond its hyperplane (Forejt, Kwiatkowska and Parker 2012). Vertices found so far are mixed by an exact linear program; its dual says
//! which weights could improve the mixture, and when they do not, the mixture is optimal. Every scheduler is evaluated exactly, so the numbers
//! are exact. Policy iteration begins with a scheduler that stops: from there only schedulers that stop are visited, because what is earned
//! in an end component is never positive.

use crate::check::Trouble;
use crate::components::strongly_connected;
use crate::graph::{Predecessors, surely_some};
use crate::objectives::Stopping;
use entail_budget::{Budget, Spent};
use entail_markov::Rational;
use entail_numeric::elimination::{EliminationError, Equation, solve as eliminate};
use entail_numeric::simplex::{Program, Solution, solve};
use fixedbitset::FixedBitSet;

/// What is known about a query for one number.
pub(crate) enum Achieved {
    Best(Rational),
    Nothing,
}

/// The search.
pub(crate) struct Search {
    process: Stopping,
    /// Choices that never lead to a state from which no scheduler stops, by state.
    usable: Vec<Vec<u32>>,
    policy: Vec<u32>,
    points: Vec<Vec<Rational>>,
    /// The scheduler of each point.
    policies: Vec<Vec<u32>>,
    /// The weights that were tried last, with what they are worth in each state.
    last_facet: (Vec<Rational>, Vec<Rational>),
    /// The shares of points in the mixture that was found last.
    last_shares: Vec<Rational>,
    /// Evidence: mixtures of points, and weights with their values.
    mixtures: Vec<Vec<Rational>>,
    facets: Vec<(Vec<Rational>, Vec<Rational>)>,
}

pub(crate) fn dot(a: &[Rational], b: &[Rational]) -> Rational {
    a.iter().zip(b).fold(Rational::ZERO, |sum, (a, b)| sum + a * b)
}

impl Search {
    pub fn new(process: Stopping, _budget: &Budget) -> Result<Search, Trouble> {
        let model = &process.model;
        let size = model.states();
        let before = Predecessors::new(model);
        let mut everywhere = FixedBitSet::with_capacity(size);
        everywhere.insert_range(..);
        let mut end = FixedBitSet::with_capacity(size);
        end.insert(size - 1);
        let stops = surely_some(model, &before, &everywhere, &end);
        if !stops.contains(process.initial) {
            return Err(Trouble::Unsupported(
                "a reward that is to be small is infinite under every scheduler".to_owned(),
            ));
        }
        let usable: Vec<Vec<u32>> = (0..size)
            .map(|state| {
                let stays = |choice: &usize| {
                    model
                        .targets_of(*choice)
                        .iter()
                        .all(|&target| stops.contains(target as usize))
                };
                let choices = model.choices_of(state).filter(stays);
                choices.map(|choice| choice as u32).collect()
            })
            .collect();
        // A scheduler that stops: backwards from the end.
        let mut policy = vec![u32::MAX; size];
        policy[size - 1] = model.choices_of(size - 1).start as u32;
        let mut waiting = vec![size - 1];
        let mut seen = end;
        while let Some(state) = waiting.pop() {
            for &choice in before.of(state) {
                let owner = before.owner[choice as usize] as usize;
                if usable[owner].contains(&choice) && !seen.put(owner) {
                    policy[owner] = choice;
                    waiting.push(owner);
                }
            }
        }
        Ok(Search {
            process,
            usable,
            policy,
            points: Vec::new(),
            policies: Vec::new(),
            last_facet: Default::default(),
            last_shares: Vec::new(),
            mixtures: Vec::new(),
            facets: Vec::new(),
        })
    }

    pub(crate) fn objectives(&self) -> usize {
        self.process.earned.first().map_or(0, Vec::len)
    }

    /// What a scheduler earns from every state, for some gains of choices.
    fn evaluate(&self, gain: &dyn Fn(usize) -> Rational, budget: &Budget) -> Result<Vec<Rational>, Trouble> {
        let model = &self.process.model;
        let end = model.states() - 1;
        let live = |state: u32| self.policy[state as usize] != u32::MAX && state as usize != end;
        let successors = |state: u32| {
            let row = match live(state) {
                true => model.row(self.policy[state as usize] as usize),
                false => 0..0,
            };
            row.map(|at| model.targets[at])
        };
        let components = strongly_connected(0..model.states() as u32, model.states(), successors, budget)?;
        let mut values = vec![Rational::ZERO; model.states()];
        let mut position = vec![u32::MAX; model.states()];
        for component in components {
            if !live(component[0]) {
                continue;
            }
            for (at, &state) in component.iter().enumerate() {
                position[state as usize] = at as u32;
            }
            let mut equations = Vec::with_capacity(component.len());
            for &state in &component {
                let choice = self.policy[state as usize] as usize;
                let mut equation = Equation {
                    constant: gain(choice),
                    ..Equation::default()
                };
                for at in model.row(choice) {
                    let (target, value) = (model.targets[at] as usize, model.numbers.exact(model.values[at]));
                    match position[target] {
                        u32::MAX => equation.constant += value * &values[target],
                        own => *equation.coefficients.entry(own).or_insert(Rational::ZERO) += value,
                    }
                }
                equations.push(equation);
            }
            let solved = eliminate(equations, budget).map_err(|error| match error {
                EliminationError::Spent(spent) => Trouble::Spent(spent),
                EliminationError::Singular => {
                    Trouble::Undecided("a scheduler that never stops was met".to_owned())
                }
            })?;
            for (&state, value) in component.iter().zip(solved) {
                values[state as usize] = value;
                position[state as usize] = u32::MAX;
            }
        }
        Ok(values)
    }

    /// The vertex that is best for some weights; noted among the points.
    pub(crate) fn vertex(&mut self, weights: &[Rational], budget: &Budget) -> Result<Vec<Rational>, Trouble> {
        let gains: Vec<Rational> = self
            .process
            .earned
            .iter()
            .map(|earned| dot(earned, weights))
            .collect();
        loop {
            let values = self.evaluate(&|choice| gains[choice].clone(), budget)?;
            let model = &self.process.model;
            let mut changed = false;
            for state in 0..model.states() - 1 {
                if self.policy[state] == u32::MAX {
                    continue;
                }
                budget.check()?;
                let mut own = values[state].clone();
                for &choice in &self.usable[state] {
                    let mut value = gains[choice as usize].clone();
                    for at in model.row(choice as usize) {
                        value += model.numbers.exact(model.values[at]) * &values[model.targets[at] as usize];
                    }
                    if value > own {
                        own = value;
                        self.policy[state] = choice;
                        changed = true;
                    }
                }
            }
            if !changed {
                self.last_facet = (weights.to_vec(), values);
                break;
            }
        }
        let mut point = Vec::with_capacity(self.objectives());
        for objective in 0..self.objectives() {
            let values = self.evaluate(&|choice| self.process.earned[choice][objective].clone(), budget)?;
            point.push(values[self.process.initial].clone());
        }
        if !self.points.contains(&point) {
            self.points.push(point.clone());
            self.policies.push(self.policy.clone());
        }
        Ok(point)
    }

    /// The mixture of points with the greatest `margin` (what is to exceed bounds exceeds them by so much; nothing: the objective itself).
    fn mixture(
        &self,
        target: Option<usize>,
        limits: &[Option<(Rational, bool)>],
        all: bool,
        budget: &Budget,
    ) -> Result<Solution, Spent> {
        // Columns: a share of each point, then the margin (as a difference of two, because it may be negative).
        let count = self.points.len();
        let objective = (self.points.iter())
            .map(|point| target.map_or(Rational::ZERO, |target| point[target].clone()))
            .collect();
        let mut program = Program {
            objective,
            ..Program::default()
        };
        let margin = if target.is_none() {
            Rational::ONE
        } else {
            Rational::ZERO
        };
        program.objective.extend([margin.clone(), -margin]);
        for (objective, limit) in limits.iter().enumerate() {
            let Some((bound, strict)) = limit else { continue };
            let mut row: Vec<Rational> = self
                .points
                .iter()
                .map(|point| -point[objective].clone())
                .collect();
            let counted = if target.is_none() && (all || *strict) {
                Rational::ONE
            } else {
                Rational::ZERO
            };
            row.extend([counted.clone(), -counted]);
            program.rows.push(row);
            program.limits.push(-bound.clone());
        }
        for sign in [1, -1] {
            let mut row = vec![Rational::from(sign); count];
            row.extend([Rational::ZERO, Rational::ZERO]);
            program.rows.push(row);
            program.limits.push(Rational::from(sign));
        }
        solve(&program, budget)
    }

    /// The weights that the multipliers of bounds give.
    fn weights(
        &self,
        target: Option<usize>,
        limits: &[Option<(Rational, bool)>],
        dual: &[Rational],
    ) -> Vec<Rational> {
        let mut dual = dual.iter();
        let mut weights = vec![Rational::ZERO; self.objectives()];
        for (objective, limit) in limits.iter().enumerate() {
            if limit.is_some()
                && let Some(multiplier) = dual.next()
            {
                weights[objective] = multiplier.clone();
            }
        }
        if let Some(target) = target {
            weights[target] = Rational::ONE;
        }
        weights
    }

    /// Improves the mixture until the weights of its dual find nothing better; the greatest value, or nothing if bounds cannot be met.
    fn improve(
        &mut self,
        target: Option<usize>,
        limits: &[Option<(Rational, bool)>],
        all: bool,
        budget: &Budget,
    ) -> Result<Option<Rational>, Trouble> {
        loop {
            let Solution::Optimal { value, at, dual } = self.mixture(target, limits, all, budget)? else {
                return Ok(None);
            };
            self.last_shares = at[..self.points.len()].to_vec();
            let weights = self.weights(target, limits, &dual);
            let known = self.points.iter().map(|point| dot(point, &weights)).max();
            let point = self.vertex(&weights, budget)?;
            if Some(dot(&point, &weights)) <= known {
                return Ok(Some(value));
            }
        }
    }

    /// Makes sure that the bounds can be met by a mixture of points; false if no scheduler meets them (strict ones as if they were not).
    fn feasible(&mut self, limits: &[Option<(Rational, bool)>], budget: &Budget) -> Result<bool, Trouble> {
        if self.points.is_empty() {
            let even = vec![Rational::ONE; self.objectives()];
            self.vertex(&even, budget)?;
        }
        if limits.iter().all(Option::is_none) {
            return Ok(true);
        }
        let margin = self.improve(None, limits, true, budget)?;
        Ok(margin.is_some_and(|margin| margin >= Rational::ZERO))
    }

    /// Keeps the mixture that was found last as evidence.
    fn keep_last_point(&mut self) {
        self.mixtures.push(self.last_shares.clone());
    }

    pub(crate) fn keep_last_facet(&mut self) {
        self.facets.push(self.last_facet.clone());
    }

    /// Keeps a point that one scheduler reaches as evidence.
    pub(crate) fn keep_point(&mut self, point: &[Rational]) {
        if let Some(at) = self.points.iter().position(|known| known == point) {
            let mut shares = vec![Rational::ZERO; at];
            shares.push(Rational::ONE);
            self.mixtures.push(shares);
        }
    }

    /// Whether one scheduler meets all bounds: the evidence is a mixture that does, or weights for which none can.
    pub fn achievable(
        &mut self,
        limits: &[Option<(Rational, bool)>],
        budget: &Budget,
    ) -> Result<bool, Trouble> {
        let mut met = self.feasible(limits, budget)?;
        if met && limits.iter().flatten().any(|(_, strict)| *strict) {
            let margin = self.improve(None, limits, false, budget)?;
            met = margin.is_some_and(|margin| margin > Rational::ZERO);
        }
        match met {
            true => self.keep_last_point(),
            false => self.keep_last_facet(),
        }
        Ok(met)
    }

    /// The greatest value of an objective while the bounds of the others are met: the evidence is a mixture that meets the bounds, one that reaches the
    /// value (where strict bounds may be met just so), and weights for which there is no better one.
    pub fn best(
        &mut self,
        target: usize,
        limits: &[Option<(Rational, bool)>],
        budget: &Budget,
    ) -> Result<Achieved, Trouble> {
        let bounded = limits.iter().any(Option::is_some);
        if bounded && !self.achievable(limits, budget)? {
            return Ok(Achieved::Nothing);
        }
        if !bounded {
            self.feasible(limits, budget)?;
        }
        Ok(match self.improve(Some(target), limits, true, budget)? {
            Some(value) => {
                self.keep_last_point();
                self.keep_last_facet();
                Achieved::Best(value)
            }
            None => Achieved::Nothing,
        })
    }

    /// The best of one of two objectives, and among these the best of the other; with the mixture that reaches them and the weights for the first.
    fn corner(&mut self, one: usize, other: usize, budget: &Budget) -> Result<Option<Corner>, Trouble> {
        let mut limits: Vec<Option<(Rational, bool)>> = vec![None; self.objectives()];
        let Achieved::Best(best) = self.best(one, &limits, budget)? else {
            return Ok(None);
        };
        let facet = self.last_facet.clone();
        limits[one] = Some((best.clone(), false));
        let Achieved::Best(rest) = self.best(other, &limits, budget)? else {
            return Ok(None);
        };
        let mut point = vec![Rational::ZERO; self.objectives()];
        point[one] = best;
        point[other] = rest;
        let shares = self.last_shares.clone();
        Ok(Some(Corner { point, shares, facet }))
    }

    /// The vertices of the front of two objectives, from the best of the first to the best of the second. The evidence is a mixture for each, and the
    /// weights of the first objective, of all edges in order, and of the second objective.
    pub fn pareto(
        &mut self,
        first: usize,
        second: usize,
        budget: &Budget,
    ) -> Result<Vec<Vec<Rational>>, Trouble> {
        let left = self.corner(first, second, budget)?;
        let right = self.corner(second, first, budget)?;
        let (Some(left), Some(right)) = (left, right) else {
            return Ok(Vec::new());
        };
        self.mixtures = vec![left.shares];
        self.facets = vec![left.facet];
        let mut front = vec![left.point.clone()];
        // Vertices in between are points of schedulers; the last one may be a mixture.
        let last = right.shares;
        let mut segments = vec![(left.point, right.point)];
        while let Some((left, right)) = segments.pop() {
            if left == right {
                continue;
            }
            // The normal of the segment; both weights are positive because the ends are best in their objectives.
            let mut weights = vec![Rational::ZERO; self.objectives()];
            weights[first] = &right[second] - &left[second];
            weights[second] = &left[first] - &right[first];
            let point = self.vertex(&weights, budget)?;
            if dot(&point, &weights) > dot(&left, &weights) {
                segments.push((point.clone(), right));
                segments.push((left, point));
                continue;
            }
            // A point in the middle of an edge is no vertex.
            let parallel =
                |known: &[Rational]| &known[first] * &weights[second] == &known[second] * &weights[first];
            match &self.facets[..] {
                [_, .., (known, _)] if parallel(known) => {
                    front.pop();
                    self.mixtures.pop();
                }
                _ => self.keep_last_facet(),
            }
            self.mixtures
                .push(match self.points.iter().position(|known| *known == right) {
                    Some(at) => {
                        let mut shares = vec![Rational::ZERO; at];
                        shares.push(Rational::ONE);
                        shares
                    }
                    None => last.clone(),
                });
            front.push(right);
        }
        self.facets.push(right.facet);
        Ok(front)
    }

    pub(crate) fn process(&self) -> &Stopping {
        &self.process
    }

    /// The schedulers of points, the mixtures and the weights that were kept as evidence.
    pub(crate) fn kept(&self) -> Kept<'_> {
        Kept {
            policies: &self.policies,
            mixtures: &self.mixtures,
            facets: &self.facets,
        }
    }

    /// What the scheduler of a point earns from every state, by objective.
    pub(crate) fn worth(&mut self, point: usize, budget: &Budget) -> Result<Vec<Vec<Rational>>, Trouble> {
        self.policy = self.policies[point].clone();
        let earned = |objective: usize| {
            self.evaluate(&|choice| self.process.earned[choice][objective].clone(), budget)
        };
        (0..self.objectives()).map(earned).collect()
    }
}

/// An end of the front of two objectives.
struct Corner {
    point: Vec<Rational>,
    shares: Vec<Rational>,
    facet: (Vec<Rational>, Vec<Rational>),
}

/// What was kept as evidence.
pub(crate) struct Kept<'s> {
    pub policies: &'s [Vec<u32>],
    pub mixtures: &'s [Vec<Rational>],
    pub facets: &'s [(Vec<Rational>, Vec<Rational>)],
}
