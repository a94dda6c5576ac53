//! Partial exploration with guarantees: exploring only where it matters for the value.
//!
//! After Brázdil et al. 2014: random walks follow the choices that look best by the bounds known so far and prefer successors that are likely and not yet settled;
//! a walk that meets an unexplored state explores it. In between the explored part is solved as a whole, once as if unexplored states lost and once as if they
//! won ([`crate::unexplored`]). Their graph analysis collapses end components of the part, so that no loop keeps its optimistic value. The part doubles between
//! two such solutions, which therefore cost together about twice as much as the last one. It ends when the bounds are near enough or decide what is asked; at
//! worst when everything is explored.
//!
//! **Invariant:** the bounds hold for the whole model whichever states were explored; walks only decide how soon they are narrow.

use crate::brackets::floats;
use crate::bytecode::Stopped;
use crate::check::{Exactness, Settings, Trouble, Values, Workshop};
use crate::condition::{Condition, Seen};
use crate::expand::{End, Explorer};
use crate::graph::Predecessors;
use crate::iteration::Precision;
use crate::rows::Parts;
use crate::sparse::{NONE, Sparse};
use crate::store::StateStore;
use entail_budget::{Budget, Progress, Snapshot};
use entail_markov::{Certificate, Network, Optimum, Property, interpreter};
use fixedbitset::FixedBitSet;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use std::borrow::Cow;

/// So many states are explored before the first solution.
const FIRST: usize = 1_000;

/// A walk is given up after so many steps.
const LONGEST: usize = 5_000;

/// After so many walks in a row that found nothing new, states are explored in the order in which they were met.
const IDLE: usize = 50;

/// Choices whose values differ by less are equally good to a walk.
const ALIKE: f64 = 1e-9;

/// An answer with the part of the model that it rests on.
pub struct Guided<'n> {
    /// The part.
    pub workshop: Workshop<'n>,
    /// The answer.
    pub values: Values,
    /// Its certificate.
    pub certificate: Certificate,
    /// Whether the bounds are as near as asked for, or decide the threshold: more exploring would change nothing.
    pub decided: bool,
}

/// Explores a network as far as a property needs it, at most about so many states.
pub fn explore_guided<'n>(
    network: &'n Network,
    property: &Property,
    settings: Settings,
    limit: usize,
    budget: &Budget,
    progress: &dyn Progress,
) -> Result<Guided<'n>, Trouble> {
    if network.has_intervals() {
        return Err(Trouble::Unsupported(
            "models with intervals are explored whole: use --engine sparse".to_owned(),
        ));
    }
    let mut part = Part::new(network, property, budget)?;
    // Both solutions of a part contribute to the distance of the bounds.
    let rough = Settings {
        precision: Precision {
            epsilon: settings.precision.epsilon / 4.0,
            ..settings.precision
        },
        exactness: Exactness::Never,
        ..settings
    };
    let mut wanted = FIRST.min(limit);
    loop {
        progress.report(&Snapshot {
            phase: "exploring",
            ..Snapshot::default()
        });
        let more = part.grow(wanted, budget)?;
        let last = !more || part.expanded >= limit;
        let (model, order) = part.model();
        let mut workshop = Workshop::assembled(
            Cow::Borrowed(network),
            Predecessors::new(&model),
            model,
            if more { rough } else { settings },
        );
        let (values, certificate) = workshop.check(property, budget)?;
        let decided = !more || is_decided(&values, &workshop.model.initial, settings.precision);
        if last || decided {
            return Ok(Guided {
                workshop,
                values,
                certificate,
                decided,
            });
        }
        part.follow(&workshop, &order);
        wanted = (part.expanded * 2).min(limit);
    }
}

/// Whether the values of the initial states are known well enough.
fn is_decided(values: &Values, initial: &[u32], precision: Precision) -> bool {
    let mut initial = initial.iter().map(|&state| state as usize);
    match values {
        Values::Truth(truth) => initial.all(|state| !truth.unknown.contains(state)),
        Values::Numbers(bracket) => initial.all(|state| {
            let (low, high) = floats(bracket, state);
            let scale = if precision.relative { low } else { 1.0 };
            high == low || high - low <= precision.epsilon * scale
        }),
        Values::Nothing(_) | Values::Pareto(_) => true,
    }
}

/// The part of a network that has been explored. States have the explorer's numbers, in the order in which they were met.
struct Part<'n> {
    network: &'n Network,
    explorer: Explorer<'n>,
    store: StateStore,
    /// Rows of explored states, in the order in which they were explored.
    rows: Parts,
    initial: Vec<u32>,
    /// By state: which of the explored ones it is.
    position: Vec<u32>,
    expanded: usize,
    /// By state: what the last solution says; later states may have any value.
    bounds: Vec<(f64, f64)>,
    optimum: Optimum,
    settled: Option<Condition>,
    /// States that need not be explored.
    closed: FixedBitSet,
    /// Where looking for a state in the order of meeting goes on.
    next: usize,
    random: StdRng,
    /// The values of choices, or the weights of targets, while one is chosen.
    scratch: Vec<f64>,
}

impl<'n> Part<'n> {
    fn new(network: &'n Network, property: &Property, budget: &Budget) -> Result<Part<'n>, Trouble> {
        let mut store = StateStore::new(network);
        let states = interpreter::initial_states(network, NONE as usize, budget)?;
        let initial = store.intern_values(states);
        let settled = crate::endings::settled(property);
        let settled = settled.map(|set| Condition::new(network, &store.layout, &set));
        Ok(Part {
            network,
            explorer: Explorer::new(network, End::Lower),
            store,
            rows: Parts::new(network),
            initial,
            position: Vec::new(),
            expanded: 0,
            bounds: Vec::new(),
            optimum: Optimum::Max,
            settled,
            closed: FixedBitSet::new(),
            next: 0,
            random: StdRng::seed_from_u64(1),
            scratch: Vec::new(),
        })
    }

    fn is_expanded(&self, state: u32) -> bool {
        self.position
            .get(state as usize)
            .is_some_and(|&position| position != NONE)
    }

    /// Explores a state, unless what is asked is settled in it; whether it did.
    fn expand(&mut self, number: u32) -> Result<bool, Trouble> {
        let at = number as usize;
        if self.closed.contains(at) {
            return Ok(false);
        }
        let mut state = Vec::new();
        self.store.read(at, &mut state);
        let seen = Seen {
            packed: self.store.packed(at),
            values: &state,
        };
        if let Some(settled) = &self.settled
            && self.explorer.meets(settled, seen)
        {
            self.closed.grow(at + 1);
            self.closed.insert(at);
            return Ok(false);
        }
        self.explorer.clear_batch();
        if let Err(Stopped) = self.explorer.expand(seen) {
            return Err(crate::generate::explain(self.network, &state).into());
        }
        self.explorer.look_up_targets(&self.store);
        self.explorer.number_new_targets(&mut self.store);
        self.explorer
            .close_or_stay(0, number, &self.store, &mut self.rows)?;
        self.rows.choices.push((self.rows.rows.len() - 1) as u32);
        self.position.resize(self.store.len(), NONE);
        self.position[at] = self.expanded as u32;
        self.expanded += 1;
        Ok(true)
    }

    /// Explores until so many states are explored; false if none is left.
    fn grow(&mut self, wanted: usize, budget: &Budget) -> Result<bool, Trouble> {
        let mut idle = 0;
        while self.expanded < wanted {
            budget.check()?;
            if idle < IDLE {
                let before = self.expanded;
                self.walk(wanted)?;
                idle = if self.expanded > before { 0 } else { idle + 1 };
                continue;
            }
            while self.next < self.store.len() && self.is_expanded(self.next as u32) {
                self.next += 1;
            }
            if self.next == self.store.len() {
                return Ok(false);
            }
            self.expand(self.next as u32)?;
            self.next += 1;
        }
        Ok(true)
    }

    /// One random walk, which explores what it meets.
    fn walk(&mut self, wanted: usize) -> Result<(), Trouble> {
        let begin = self.random.random_range(0..self.initial.len());
        let mut at = self.initial[begin];
        for _ in 0..LONGEST {
            if !self.is_expanded(at) && (self.expanded >= wanted || !self.expand(at)?) {
                return Ok(());
            }
            match self.successor(at) {
                Some(next) => at = next,
                None => return Ok(()),
            }
        }
        Ok(())
    }

    /// What is known of a state's value.
    fn known(&self, state: u32) -> (f64, f64) {
        self.bounds.get(state as usize).copied().unwrap_or((0.0, 1.0))
    }

    /// How much there is to be found out behind a state.
    fn gap(&self, state: u32) -> f64 {
        let (low, high) = self.known(state);
        match self.closed.contains(state as usize) {
            true => 0.0,
            false if high.is_finite() => high - low,
            false => 1.0,
        }
    }

    /// The next state of a walk; nothing if there is nothing to be found out.
    fn successor(&mut self, state: u32) -> Option<u32> {
        let position = self.position[state as usize] as usize;
        let choices = self.rows.choices[position] as usize..self.rows.choices[position + 1] as usize;
        let floats = self.explorer.numbers.floats();
        let mut scratch = std::mem::take(&mut self.scratch);
        // The better, the larger.
        let worth = |state: u32| match (self.optimum, self.known(state)) {
            (Optimum::Max, (_, high)) => high,
            (Optimum::Min, (low, _)) => -low,
        };
        let row = |choice: usize| self.rows.rows[choice] as usize..self.rows.rows[choice + 1] as usize;
        let target = |at: usize| (self.rows.targets[at], floats[self.rows.values[at].0 as usize]);
        scratch.clear();
        scratch.extend(choices.clone().map(|choice| {
            let terms = row(choice).map(target);
            terms.map(|(to, p)| p * worth(to)).sum::<f64>()
        }));
        let best = scratch.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        // Equal ones in turn: a walk that stayed with the first could go round for ever. Nothing is nearer to infinity than infinity.
        let is_best = |value: f64| value >= best - ALIKE * best.abs().max(1.0) || value.is_infinite();
        let good = scratch.iter().filter(|&&value| is_best(value)).count();
        let mut left = self.random.random_range(0..good.max(1));
        let mut chosen = choices.start;
        for (choice, &value) in choices.zip(&scratch) {
            if is_best(value) {
                chosen = choice;
                if left == 0 {
                    break;
                }
                left -= 1;
            }
        }
        scratch.clear();
        scratch.extend(row(chosen).map(|at| {
            let (to, p) = target(at);
            p * self.gap(to)
        }));
        let total: f64 = scratch.iter().sum();
        let mut left = self.random.random::<f64>() * total;
        let picked = scratch.iter().position(|&weight| {
            left -= weight;
            left < 0.0
        });
        let next = picked.map(|at| self.rows.targets[row(chosen).start + at]);
        self.scratch = scratch;
        next
    }

    /// The part as a model whose states have the numbers that the reference interpreter gives them, with the explorer's numbers in this order.
    fn model(&self) -> (Sparse, Vec<u32>) {
        let mut numbers = vec![NONE; self.store.len()];
        let mut order: Vec<u32> = Vec::new();
        let mut number = |state: u32, order: &mut Vec<u32>| {
            let own = &mut numbers[state as usize];
            if *own == NONE {
                *own = order.len() as u32;
                order.push(state);
            }
            *own
        };
        let initial: Vec<u32> = (self.initial.iter())
            .map(|&state| number(state, &mut order))
            .collect();
        let mut deadlocked = FixedBitSet::with_capacity(self.store.len());
        deadlocked.extend(self.rows.deadlocks.iter().map(|&state| state as usize));
        let (from, mut rows, mut unexplored) = (&self.rows, Parts::new(self.network), Vec::new());
        let mut at = 0;
        while at < order.len() {
            let state = order[at];
            if self.is_expanded(state) {
                let position = self.position[state as usize] as usize;
                for choice in from.choices[position] as usize..from.choices[position + 1] as usize {
                    let row = from.rows[choice] as usize..from.rows[choice + 1] as usize;
                    for transition in row {
                        rows.targets.push(number(from.targets[transition], &mut order));
                        rows.values.push(from.values[transition]);
                    }
                    rows.rows.push(rows.targets.len() as u32);
                    rows.rates.extend(from.rates.get(choice));
                    rows.actions.extend(from.actions.get(choice));
                    for (to, from) in rows.step_rewards.iter_mut().zip(&from.step_rewards) {
                        to.extend(from.get(choice));
                    }
                }
                if deadlocked.contains(state as usize) {
                    rows.deadlocks.push(at as u32);
                }
            } else {
                unexplored.push(at as u32);
                rows.stay(at as u32, self.network.kind, &self.explorer.compiled.earns);
            }
            rows.choices.push((rows.rows.len() - 1) as u32);
            at += 1;
        }
        let explorer = &self.explorer;
        let beside = (
            explorer.mixed.clone(),
            explorer.numbers.clone(),
            self.store.in_order(&order),
        );
        (
            rows.into_model(self.network.kind, initial, &unexplored, beside),
            order,
        )
    }

    /// Takes over what a solution says about the states.
    fn follow(&mut self, workshop: &Workshop<'_>, order: &[u32]) {
        let Some(guide) = &workshop.guide else {
            return;
        };
        self.optimum = guide.optimum;
        self.bounds.resize(self.store.len(), (0.0, 1.0));
        for (&state, &bounds) in order.iter().zip(&guide.bounds) {
            self.bounds[state as usize] = bounds;
        }
    }
}
