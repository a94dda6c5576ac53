//! Bounds on rewards, epoch by epoch (Hartmanns, Junges, Katoen and Quatmann 2018).
//!
//! Smallest epochs first, so that the values behind choices that leave an epoch are known when it is solved. What is left are equations over the
//! states of the model, of the choices that stay in the epoch, with known values for the others. Their graph is the same for all epochs
//! that keep the same choices: equations, end components and strongly connected components are made once for each such *kind* of epoch. A component
//! without a cycle, which is the usual case, costs one step; the others are solved by optimistic value iteration.
//!
//! The memory is that of the epochs which others still need, unless there is room to keep all of them for the certificate.

use crate::check::{Trouble, Workshop};
use crate::components::{end_components, strongly_connected};
use crate::costs::{Aim, Costs, Epoch};
use crate::graph::Predecessors;
use crate::iteration::Solver;
use crate::numbers::Numbers;
use crate::sparse::Sparse;
use crate::system::{Role, System};
use entail_budget::{Budget, Spent};
use entail_markov::{Bracket, Optimum};
use entail_numeric::rounding::{down, up};
use fixedbitset::FixedBitSet;
use rustc_hash::FxHashMap;

/// Values of all epochs are kept for a certificate up to this number.
pub(crate) const CERTIFIED: usize = 20_000_000;

/// Bounds are computed again with less slack at most so often.
const ROUNDS: usize = 4;

/// The equations of epochs that keep the same choices.
struct EpochKind {
    system: System,
    /// Strongly connected components, targets first.
    components: Vec<Vec<u32>>,
    roles: Vec<Role>,
    /// The choices that leave the epoch, in the order of the unknowns that stand for them.
    leaving: Vec<u32>,
    /// A state of each block.
    example: Vec<u32>,
    /// The component of each block.
    component: Vec<u32>,
}

impl EpochKind {
    /// Whether all choices of a component lead to where nothing is won: then neither rounding nor iterating makes it more.
    fn is_hopeless(&self, at: usize, component: &[u32], upper: &[f64]) -> bool {
        let mut choices = (component.iter()).flat_map(|&block| self.system.choices_of(block as usize));
        choices.all(|choice| {
            let mut targets = self.system.row(choice).map(|at| self.system.targets[at] as usize);
            self.system.constants[choice] == Numbers::ZERO
                && targets
                    .all(|target| upper[target] == 0.0 || self.component.get(target) == Some(&(at as u32)))
        })
    }

    /// Whether single steps to where all is won make a block's value one: of some choice, or of all, as the optimum asks.
    fn is_certain(&self, block: u32, lower: &[f64]) -> bool {
        let sure = |choice: usize| match self.system.row(choice) {
            row if row.is_empty() => self.system.constants[choice] == Numbers::ONE,
            row if row.len() == 1 => {
                self.system.values[row.start] == Numbers::ONE
                    && lower[self.system.targets[row.start] as usize] == 1.0
            }
            _ => false,
        };
        let mut choices = self.system.choices_of(block as usize);
        match self.system.optimum {
            Optimum::Max => choices.any(sure),
            Optimum::Min => choices.all(sure),
        }
    }
}

/// Bounds of all states.
#[derive(Clone)]
struct Bounds {
    lower: Vec<f64>,
    upper: Vec<f64>,
}

/// Where the choices of a class lead from an epoch.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Leads {
    /// To the same epoch.
    Back,
    /// To the one at this position.
    To(usize),
    /// Beyond a bound.
    Out,
}

/// Solves epochs.
struct EpochSolver<'w> {
    model: &'w Sparse,
    before: &'w Predecessors,
    aim: Aim<'w>,
    costs: &'w Costs,
    kinds: FxHashMap<(Vec<bool>, bool), EpochKind>,
    sweeps: u64,
    /// Some component was solved by iteration, so that a smaller distance can be asked for.
    iterated: bool,
}

impl EpochSolver<'_> {
    /// States of which some scheduler stays in the epoch for ever and misses the goal.
    fn avoiding(&self, open: &FixedBitSet, lost: &FixedBitSet, stays: &dyn Fn(usize) -> bool) -> FixedBitSet {
        let model = self.model;
        let mut avoiding = open.clone();
        avoiding.union_with(lost);
        let inside = |set: &FixedBitSet, choice: usize| {
            let mut targets = model.targets_of(choice).iter();
            stays(choice) && targets.all(|&target| set.contains(target as usize))
        };
        let mut waiting: Vec<usize> = open.ones().collect();
        while let Some(state) = waiting.pop() {
            if !open.contains(state) || !avoiding.contains(state) {
                continue;
            }
            if !(model.choices_of(state)).any(|choice| inside(&avoiding, choice)) {
                avoiding.remove(state);
                let sources = self.before.of(state).iter();
                waiting.extend(sources.map(|&choice| self.before.owner[choice as usize] as usize));
            }
        }
        avoiding
    }

    fn kind(
        &self,
        keeps: &[bool],
        counts: bool,
        numbers: &mut Numbers,
        budget: &Budget,
    ) -> Result<EpochKind, Spent> {
        let (model, aim) = (self.model, self.aim);
        let size = model.states();
        let stays = |choice: usize| keeps[self.costs.class[choice] as usize];
        let mut won = FixedBitSet::with_capacity(size);
        if counts {
            won.union_with(aim.goal);
        }
        let mut open = aim.stay.clone();
        open.difference_with(&won);
        let mut lost = aim.stay.clone();
        lost.union_with(&won);
        lost.toggle_range(..);
        let mut members: Vec<Vec<u32>> = Vec::new();
        // For the greatest probability a scheduler may stay in end components as long as it likes; otherwise staying is a way to miss the goal.
        if aim.optimum == Optimum::Max && model.kind.has_choices() {
            let found = end_components(model, &open, &stays, budget)?;
            members = found.into_iter().map(|component| component.states).collect();
        } else {
            lost = self.avoiding(&open, &lost, &stays);
        }
        let mut roles = vec![Role::Forbidden; size];
        for (block, states) in members.iter().enumerate() {
            for &state in states {
                roles[state as usize] = Role::Block(block as u32);
            }
        }
        for (state, role) in roles.iter_mut().enumerate() {
            if won.contains(state) {
                *role = Role::Known(Numbers::ONE);
            } else if lost.contains(state) {
                *role = Role::Known(Numbers::ZERO);
            } else if *role == Role::Forbidden {
                *role = Role::Block(members.len() as u32);
                members.push(vec![state as u32]);
            }
        }
        let mut leaving = Vec::new();
        let mut outside = |choice: usize| {
            (!stays(choice)).then(|| {
                leaving.push(choice as u32);
                (leaving.len() - 1) as u32
            })
        };
        let system = System::with_outside(model, numbers, aim.optimum, &roles, &members, &mut outside);
        let blocks = system.len();
        let components =
            strongly_connected(0..blocks as u32, blocks, |block| system.successors(block), budget)?;
        let mut component = vec![0; blocks];
        for (at, blocks) in components.iter().enumerate() {
            blocks
                .iter()
                .for_each(|&block| component[block as usize] = at as u32);
        }
        Ok(EpochKind {
            system,
            components,
            component,
            roles,
            leaving,
            example: members.iter().map(|states| states[0]).collect(),
        })
    }

    /// What a choice is worth whose targets have known values.
    fn worth(&self, choice: usize, known: &Bounds, floats: &[f64]) -> (f64, f64) {
        let row = self.model.row(choice);
        let terms = row.len() + 1;
        let (mut low, mut high) = (0.0, 0.0);
        for at in row {
            let (target, probability) = (
                self.model.targets[at] as usize,
                floats[self.model.values[at].0 as usize],
            );
            low += probability * known.lower[target];
            high += probability * known.upper[target];
        }
        let high = if high == 0.0 {
            0.0
        } else {
            up(high, terms).min(1.0)
        };
        // What is certain stays so: the probabilities of a row sum to one.
        let certain = |at: usize| known.lower[self.model.targets[at] as usize] == 1.0;
        match self.model.row(choice).all(certain) {
            true => (1.0, 1.0),
            false => (down(low, terms), high),
        }
    }

    /// The values of an epoch; of the states that are needed, if not all are, and trivial ones for the others.
    fn solve(
        &mut self,
        kind: &EpochKind,
        leads: &[Leads],
        known: &[Option<Bounds>],
        needed: Option<&FixedBitSet>,
        (numbers, epsilon, relative): (&Numbers, f64, bool),
        budget: &Budget,
    ) -> Result<Bounds, Spent> {
        let floats = numbers.floats();
        let is_needed = |state: usize| needed.is_none_or(|needed| needed.contains(state));
        let (mut low, mut high) = (Vec::new(), Vec::new());
        for &choice in &kind.leaving {
            budget.check()?;
            let state = self.before.owner[choice as usize] as usize;
            let worth = match leads[self.costs.class[choice as usize] as usize] {
                _ if !is_needed(state) => (0.0, 1.0),
                Leads::To(at) => match &known[at] {
                    Some(values) => self.worth(choice as usize, values, floats),
                    None => (0.0, 1.0),
                },
                Leads::Back | Leads::Out => (0.0, 0.0),
            };
            low.push(worth.0);
            high.push(worth.1);
        }
        let apart = |low: f64, high: f64| match relative {
            true if low > 0.0 => (high - low) / low,
            true => 0.0,
            false => high - low,
        };
        let mut solver = Solver::with_outside(&kind.system, numbers, &low, &high);
        for (at, component) in kind.components.iter().enumerate() {
            budget.check()?;
            let needed = |&block: &u32| is_needed(kind.example[block as usize] as usize);
            if !component.iter().any(needed) {
                continue;
            }
            if kind.is_hopeless(at, component, &solver.upper) {
                (component.iter()).for_each(|&block| solver.upper[block as usize] = 0.0);
                continue;
            }
            if solver.is_settled_at_once(component) {
                if kind.is_certain(component[0], &solver.lower) {
                    solver.lower[component[0] as usize] = 1.0;
                }
                continue;
            }
            self.iterated = true;
            // What the component's choices lead to is off by so much already.
            let (lower, upper) = (&solver.lower, &solver.upper);
            let behind = (component.iter())
                .flat_map(|&block| kind.system.choices_of(block as usize))
                .flat_map(|choice| kind.system.row(choice))
                .map(|at| kind.system.targets[at] as usize)
                .filter(|&target| kind.component.get(target) != Some(&(at as u32)));
            solver.gap = behind
                .map(|target| apart(lower[target], upper[target]))
                .fold(0.0, f64::max);
            solver.component(component, epsilon, relative, budget)?;
        }
        self.sweeps += solver.sweeps;
        let value = |role: &Role, of: &[f64]| match role {
            Role::Known(Numbers::ZERO) | Role::Forbidden => 0.0,
            Role::Known(_) => 1.0,
            Role::Block(block) => of[*block as usize],
        };
        Ok(Bounds {
            lower: kind.roles.iter().map(|role| value(role, &solver.lower)).collect(),
            upper: kind.roles.iter().map(|role| value(role, &solver.upper)).collect(),
        })
    }

    /// The states of each epoch that some states of the last one can lead to.
    fn needed(
        &self,
        epochs: &[Epoch],
        leads: &[Vec<Leads>],
        initial: &[u32],
        budget: &Budget,
    ) -> Result<Vec<FixedBitSet>, Spent> {
        let size = self.model.states();
        let mut needed = vec![FixedBitSet::with_capacity(size); epochs.len()];
        if let Some(last) = needed.last_mut() {
            last.extend(initial.iter().map(|&state| state as usize));
        }
        for at in (0..epochs.len()).rev() {
            let counts = self.costs.counts(&epochs[at]);
            let mut own = std::mem::take(&mut needed[at]);
            let mut waiting: Vec<usize> = own.ones().collect();
            while let Some(state) = waiting.pop() {
                budget.check()?;
                if !self.aim.stay.contains(state) || (counts && self.aim.goal.contains(state)) {
                    continue;
                }
                for choice in self.model.choices_of(state) {
                    for &target in self.model.targets_of(choice) {
                        match leads[at][self.costs.class[choice] as usize] {
                            Leads::Back if !own.put(target as usize) => waiting.push(target as usize),
                            Leads::To(next) => needed[next].insert(target as usize),
                            Leads::Back | Leads::Out => {}
                        }
                    }
                }
            }
            needed[at] = own;
        }
        Ok(needed)
    }
}

impl Workshop<'_> {
    /// The values of the states in the last epoch (of those that some initial states lead to, if these are given); those of all epochs are noted in
    /// the certificate if there is room for them.
    pub(crate) fn by_epochs(
        &mut self,
        aim: Aim<'_>,
        costs: &Costs,
        epochs: &[Epoch],
        initial: Option<&[u32]>,
        budget: &Budget,
    ) -> Result<Bracket, Trouble> {
        let precision = self.settings.precision;
        // Errors may add up from epoch to epoch.
        let mut epsilon = (precision.epsilon * 0.25 / epochs.len() as f64).max(1e-14);
        for round in 1.. {
            let (values, iterated) = self.epochs_within(aim, costs, epochs, initial, epsilon, budget)?;
            let size = self.size();
            let whole = values.len() == epochs.len() * size;
            let last = match whole {
                true => self.in_epoch(&values, epochs.len() - 1),
                false => values.clone(),
            };
            let near = |&state: &u32| {
                let (low, high) = crate::brackets::floats(&last, state as usize);
                let allowed = precision.epsilon * if precision.relative { low } else { 1.0 };
                high - low <= allowed
            };
            if !iterated || round == ROUNDS || epsilon <= 1e-14 || self.model.initial.iter().all(near) {
                // Without room for all of them the certificate says nothing about this operator.
                let noted = if whole { values } else { Bracket::Exact(Vec::new()) };
                self.certified(noted);
                return Ok(last);
            }
            epsilon = (epsilon * 0.01).max(1e-14);
        }
        Err(Trouble::Undecided("no bounds were found".to_owned()))
    }

    /// The bounds of all epochs, or only of the last one if all are too many, and whether some were found by iteration.
    pub(crate) fn epochs_within(
        &mut self,
        aim: Aim<'_>,
        costs: &Costs,
        epochs: &[Epoch],
        initial: Option<&[u32]>,
        epsilon: f64,
        budget: &Budget,
    ) -> Result<(Bracket, bool), Trouble> {
        let position: FxHashMap<&Epoch, usize> = epochs.iter().zip(0..).collect();
        let leads: Vec<Vec<Leads>> = (epochs.iter().zip(0..))
            .map(|(epoch, at)| {
                let lead = |class| match costs.after(epoch, class).map(|next| position[&next]) {
                    None => Leads::Out,
                    Some(next) if next == at => Leads::Back,
                    Some(next) => Leads::To(next),
                };
                (0..costs.classes()).map(lead).collect()
            })
            .collect();
        let keep = self.size().saturating_mul(epochs.len()) <= CERTIFIED;
        // The last epoch that needs the values of each.
        let mut last_use: Vec<usize> = (0..epochs.len()).collect();
        for (at, leads) in leads.iter().enumerate() {
            for lead in leads {
                if let Leads::To(next) = lead {
                    last_use[*next] = at;
                }
            }
        }
        let mut ended: Vec<Vec<usize>> = vec![Vec::new(); epochs.len()];
        for (epoch, &last) in last_use.iter().enumerate() {
            ended[last].push(epoch);
        }
        let mut numbers = std::mem::take(&mut self.model.numbers);
        let mut solver = EpochSolver {
            model: &self.model,
            before: &self.before,
            aim,
            costs,
            kinds: FxHashMap::default(),
            sweeps: 0,
            iterated: false,
        };
        let relative = self.settings.precision.relative;
        let mut solve_all = || -> Result<Vec<Option<Bounds>>, Spent> {
            let needed = match initial {
                Some(initial) => Some(solver.needed(epochs, &leads, initial, budget)?),
                None => None,
            };
            let mut known: Vec<Option<Bounds>> = vec![None; epochs.len()];
            for (at, epoch) in epochs.iter().enumerate() {
                let keeps: Vec<bool> = leads[at].iter().map(|lead| *lead == Leads::Back).collect();
                let key = (keeps, costs.counts(epoch));
                let kind = match solver.kinds.remove(&key) {
                    Some(kind) => kind,
                    None => solver.kind(&key.0, key.1, &mut numbers, budget)?,
                };
                let needed = needed.as_ref().map(|needed| &needed[at]);
                let how = (&numbers, epsilon, relative);
                let values = solver.solve(&kind, &leads[at], &known, needed, how, budget)?;
                solver.kinds.insert(key, kind);
                known[at] = Some(values);
                for &epoch in ended[at]
                    .iter()
                    .filter(|&&epoch| !keep && epoch + 1 < epochs.len())
                {
                    known[epoch] = None;
                }
            }
            Ok(known)
        };
        let found = solve_all();
        let (sweeps, iterated) = (solver.sweeps, solver.iterated);
        self.sweeps += sweeps;
        self.model.numbers = numbers;
        let (mut lower, mut upper) = (Vec::new(), Vec::new());
        for mut values in found?.into_iter().flatten() {
            lower.append(&mut values.lower);
            upper.append(&mut values.upper);
        }
        Ok((Bracket::Between { lower, upper }, iterated))
    }
}
