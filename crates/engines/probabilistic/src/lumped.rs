//! Quotients: equations and models with one unknown, or one state, for each class of bisimilar ones.
//!
//! Classes are made with respect to what an operator asks, and nothing else: which states it starts from knowing (colours), what choices earn and how fast
//! they are (labels). The refinement is `entail_equivalence::weighted`; probabilities are compared by their interned numbers, so exactly. A value of a class is the
//! value of each of its states, and what is inductive on the quotient is inductive on the model: sums over classes are sums over their states. So the
//! certificate is one for the whole model, and its checker does not need to know that there was a quotient.
//!
//! **When it pays.** Refining costs about as much as some dozen sweeps of an iteration, and all of it is lost when it gives up. Measured on some 60 questions
//! (`bench/probabilistic/quotients.py`): small equations are refined in milliseconds, and a third fewer unknowns are worth it where they mix slowly; of large ones, those with few classes
//! gain (half of the time for a quotient of a tenth), those with a third as many classes as unknowns lose (wlan: 1.2 times as long). Operators over a known, large number of steps
//! gain even then (polling: a third of the time with a third of the states).

use crate::check::{Quotients, Trouble, Workshop};
use crate::numbers::{Num, Numbers};
use crate::sparse::{NONE, Sparse};
use crate::system::System;
use entail_budget::{Budget, Spent};
use entail_equivalence::weighted::{Lumping, Weighted, lump};
use entail_markov::{Bracket, Expr, Property};
use fixedbitset::FixedBitSet;
use rustc_hash::FxHashMap;

/// Smaller systems are solved as they are.
const SMALL: usize = 1_000;

/// Equations with more unknowns are large.
const LARGE: usize = 10_000;

/// Step-bounded and time-bounded operators that take fewer steps are computed on the model as it is.
const FEW_STEPS: u64 = 40;

impl Quotients {
    /// How many classes a quotient of so many states may have to be used; nothing if it is not to be tried. Operators that are not bounded say no
    /// number of steps.
    fn most_classes(self, size: usize, steps: Option<u64>) -> Option<usize> {
        match self {
            Quotients::Never => None,
            Quotients::Always => Some(size),
            Quotients::WherePaying if size < SMALL => None,
            Quotients::WherePaying => match steps {
                Some(steps) => (steps >= FEW_STEPS).then_some(size / 2),
                None if size <= LARGE => Some(size / 3 * 2),
                None => Some(size / 4),
            },
        }
    }
}

impl System {
    /// The quotient of the equations, with the class of each block; nothing if it does not pay.
    pub fn lumped(
        &self,
        numbers: &mut Numbers,
        quotients: Quotients,
        budget: &Budget,
    ) -> Result<Option<(System, Vec<u32>)>, Spent> {
        let Some(most) = quotients.most_classes(self.len(), None) else {
            return Ok(None);
        };
        if !self.uppers.is_empty() {
            return Ok(None);
        }
        let weighted = Weighted {
            choices: &self.blocks,
            rows: &self.rows,
            targets: &self.targets,
            weights: &self.values,
        };
        let labels: Vec<u32> = self.constants.iter().map(|constant| constant.0).collect();
        let colours = vec![0; self.len()];
        let mut add = |a: Num, b: Num| numbers.add(a, b);
        let Some(lumping) = lump(weighted, &colours, &labels, most, &mut add, budget)? else {
            return Ok(None);
        };
        let rows = quotient_rows(weighted, &lumping, numbers);
        let small = System {
            optimum: self.optimum,
            probability: self.probability,
            constants: rows
                .origin
                .iter()
                .map(|&choice| self.constants[choice as usize])
                .collect(),
            blocks: rows.choices,
            rows: rows.rows,
            targets: rows.targets,
            values: rows.values,
            uppers: Vec::new(),
            generous: self.generous,
        };
        Ok(Some((small, lumping.states)))
    }
}

/// The rows of a quotient.
pub(crate) struct Rows {
    pub choices: Vec<u32>,
    pub rows: Vec<u32>,
    pub targets: Vec<u32>,
    pub values: Vec<Num>,
    /// The choice that each choice of the quotient stands for.
    pub origin: Vec<u32>,
}

/// For each class the choices of its representative, alike ones once, with targets of one class put together.
pub(crate) fn quotient_rows(system: Weighted<'_, Num>, lumping: &Lumping, numbers: &mut Numbers) -> Rows {
    let mut found = Rows {
        choices: vec![0],
        rows: vec![0],
        targets: Vec::new(),
        values: Vec::new(),
        origin: Vec::new(),
    };
    let mut seen: Vec<u32> = Vec::new();
    for &state in &lumping.representatives {
        seen.clear();
        for choice in system.choices[state as usize]..system.choices[state as usize + 1] {
            let class = lumping.choices[choice as usize];
            if seen.contains(&class) {
                continue;
            }
            seen.push(class);
            let from = found.targets.len();
            let row = system.rows[choice as usize] as usize..system.rows[choice as usize + 1] as usize;
            for at in row {
                let target = lumping.states[system.targets[at] as usize];
                match found.targets[from..].iter().position(|&known| known == target) {
                    Some(known) => {
                        let value = &mut found.values[from + known];
                        *value = numbers.add(*value, system.weights[at]);
                    }
                    None => {
                        found.targets.push(target);
                        found.values.push(system.weights[at]);
                    }
                }
            }
            found.rows.push(found.targets.len() as u32);
            found.origin.push(choice);
        }
        found.choices.push(found.origin.len() as u32);
    }
    found
}

/// A smaller model in which bisimilar states are one.
pub(crate) struct Quotient<'w> {
    pub workshop: Workshop<'w>,
    /// The class of each state.
    classes: Vec<u32>,
    representatives: Vec<u32>,
    /// The choice that each choice of the quotient stands for.
    origin: Vec<u32>,
}

impl Quotient<'_> {
    /// The classes of a set that is a union of classes.
    pub fn set(&self, set: &FixedBitSet) -> FixedBitSet {
        let mut found = FixedBitSet::with_capacity(self.representatives.len());
        for (class, &state) in self.representatives.iter().enumerate() {
            found.set(class, set.contains(state as usize));
        }
        found
    }

    /// What belongs to the representatives.
    pub fn of_states<T: Copy>(&self, values: &[T]) -> Vec<T> {
        (self.representatives.iter())
            .map(|&state| values[state as usize])
            .collect()
    }

    /// What belongs to the choices that are left.
    pub fn of_choices<T: Copy>(&self, values: &[T]) -> Vec<T> {
        self.origin
            .iter()
            .map(|&choice| values[choice as usize])
            .collect()
    }

    /// Number of classes.
    pub fn classes(&self) -> u64 {
        self.representatives.len() as u64
    }

    /// The values of all states.
    pub fn lift(&self, bracket: &Bracket) -> Bracket {
        lift(bracket, &self.classes)
    }
}

/// The values of states, from those of their classes.
pub(crate) fn lift(bracket: &Bracket, classes: &[u32]) -> Bracket {
    let classes = || classes.iter().map(|&class| class as usize);
    match bracket {
        Bracket::Exact(values) => Bracket::Exact(classes().map(|class| values[class].clone()).collect()),
        Bracket::Between { lower, upper } => Bracket::Between {
            lower: classes().map(|class| lower[class]).collect(),
            upper: classes().map(|class| upper[class]).collect(),
        },
    }
}

/// Pairs of numbers as one.
#[derive(Default)]
struct Pairs(FxHashMap<(u32, u32), u32>);

impl Pairs {
    fn name(&mut self, first: u32, second: u32) -> u32 {
        let next = self.0.len() as u32;
        *self.0.entry((first, second)).or_insert(next)
    }
}

impl Workshop<'_> {
    /// The quotient that respects colours of states and what choices earn, for an operator that takes so many steps; nothing if it does not pay.
    /// Only the states in `moving` have steps to be respected.
    pub(crate) fn quotient(
        &self,
        colours: &[u32],
        moving: &FixedBitSet,
        rewards: Option<&[Num]>,
        steps: u64,
        budget: &Budget,
    ) -> Result<Option<Quotient<'_>>, Trouble> {
        let Some(most) = (self.settings.quotients).most_classes(self.size(), Some(steps)) else {
            return Ok(None);
        };
        if self.model.has_intervals() {
            return Ok(None);
        }
        let mut numbers = self.model.numbers.clone();
        let labels = self.labels(|choice| rewards.map_or(0, |rewards| rewards[choice].0));
        let still = self.standing_still(moving);
        let weighted = still.as_ref().map_or(self.rows_with_weights(), Still::weighted);
        let labels = match &still {
            Some(still) => (still.origin.iter())
                .map(|&choice| {
                    let owner = self.before.owner[choice as usize] as usize;
                    if moving.contains(owner) {
                        labels[choice as usize]
                    } else {
                        NONE
                    }
                })
                .collect(),
            None => labels,
        };
        let mut add = |a: Num, b: Num| numbers.add(a, b);
        let Some(lumping) = lump(weighted, colours, &labels, most, &mut add, budget)? else {
            return Ok(None);
        };
        let rows = quotient_rows(weighted, &lumping, &mut numbers);
        let origin: Vec<u32> = match &still {
            Some(still) => rows
                .origin
                .iter()
                .map(|&choice| still.origin[choice as usize])
                .collect(),
            None => rows.origin.clone(),
        };
        let at_choices = |values: &[Num]| -> Vec<Num> {
            match values.is_empty() {
                true => Vec::new(),
                false => origin.iter().map(|&choice| values[choice as usize]).collect(),
            }
        };
        let mut initial: Vec<u32> = Vec::new();
        for &state in &self.model.initial {
            let class = lumping.states[state as usize];
            if !initial.contains(&class) {
                initial.push(class);
            }
        }
        let model = Sparse {
            choices: rows.choices,
            rows: rows.rows,
            targets: rows.targets,
            values: rows.values,
            rates: at_choices(&self.model.rates),
            initial,
            numbers,
            ..Sparse::empty(self.model.kind, &self.network)
        };
        Ok(Some(Quotient {
            workshop: Workshop::around(&self.network, model, self.settings),
            classes: lumping.states,
            representatives: lumping.representatives,
            origin,
        }))
    }

    fn rows_with_weights(&self) -> Weighted<'_, Num> {
        Weighted {
            choices: &self.model.choices,
            rows: &self.model.rows,
            targets: &self.model.targets,
            weights: &self.model.values,
        }
    }

    /// For each choice one name of its rate and of what it earns.
    fn labels(&self, earned: impl Fn(usize) -> u32) -> Vec<u32> {
        let mut pairs = Pairs::default();
        let rate = |choice: usize| self.model.rates.get(choice).map_or(NONE, |rate| rate.0);
        (0..self.model.rows.len() - 1)
            .map(|choice| pairs.name(rate(choice), earned(choice)))
            .collect()
    }

    /// The model in which states that do not move have a loop of weight one instead of their choices; nothing if all move.
    fn standing_still(&self, moving: &FixedBitSet) -> Option<Still> {
        if moving.count_ones(..) == self.size() {
            return None;
        }
        let mut still = Still {
            choices: vec![0],
            rows: vec![0],
            targets: Vec::new(),
            values: Vec::new(),
            origin: Vec::new(),
        };
        for state in 0..self.size() {
            let own = self.model.choices_of(state);
            let own = if moving.contains(state) {
                own
            } else {
                own.start..own.start + 1
            };
            for choice in own {
                match moving.contains(state) {
                    true => {
                        still.targets.extend_from_slice(self.model.targets_of(choice));
                        still
                            .values
                            .extend_from_slice(&self.model.values[self.model.row(choice)]);
                    }
                    false => {
                        still.targets.push(state as u32);
                        still.values.push(Numbers::ONE);
                    }
                }
                still.rows.push(still.targets.len() as u32);
                still.origin.push(choice as u32);
            }
            still.choices.push(still.origin.len() as u32);
        }
        Some(still)
    }

    /// Which states are bisimilar: they satisfy the same labels of the network, earn the same by each of its structures, are both initial or not, and
    /// have the same choices up to names of actions, in steps or in time.
    pub fn bisimilar(&mut self, budget: &Budget) -> Result<Vec<u32>, Trouble> {
        let size = self.size();
        let mut colours = vec![0u32; size];
        let recolour = |colours: &mut Vec<u32>, value: &dyn Fn(usize) -> u32| {
            let mut pairs = Pairs::default();
            for (state, colour) in colours.iter_mut().enumerate() {
                *colour = pairs.name(*colour, value(state));
            }
        };
        let mut sets = vec![self.model.deadlocks.clone(), FixedBitSet::with_capacity(size)];
        sets[1].extend(self.model.initial.iter().map(|&state| state as usize));
        let named: Vec<Expr> = (self.network.labels.iter()).map(|(_, set)| set.clone()).collect();
        for set in named {
            sets.push(self.set(&Property::Expr(set), budget)?);
        }
        for set in &sets {
            recolour(&mut colours, &|state| u32::from(set.contains(state)));
        }
        let mut labels = self.labels(|_| 0);
        for structure in 0..self.network.rewards.len() {
            let rewards = self.state_rewards(structure, budget)?;
            recolour(&mut colours, &|state| rewards[state].0);
            let steps = &self.model.step_rewards[structure];
            let mut pairs = Pairs::default();
            for (label, step) in labels.iter_mut().zip(steps) {
                *label = pairs.name(*label, step.0);
            }
        }
        let mut numbers = std::mem::take(&mut self.model.numbers);
        let mut add = |a: Num, b: Num| numbers.add(a, b);
        let found = lump(
            self.rows_with_weights(),
            &colours,
            &labels,
            size,
            &mut add,
            budget,
        );
        self.model.numbers = numbers;
        match found? {
            Some(lumping) => Ok(lumping.states),
            None => Err(Trouble::Undecided(
                "more classes than states were found".to_owned(),
            )),
        }
    }
}

/// A model some of whose states stand still.
struct Still {
    choices: Vec<u32>,
    rows: Vec<u32>,
    targets: Vec<u32>,
    values: Vec<Num>,
    /// The model's choice behind each choice.
    origin: Vec<u32>,
}

impl Still {
    fn weighted(&self) -> Weighted<'_, Num> {
        Weighted {
            choices: &self.choices,
            rows: &self.rows,
            targets: &self.targets,
            weights: &self.values,
        }
    }
}
