//! Path formulas that are not simple: a deterministic automaton reads the labels, and the product is searched for end components that accept.
//!
//! A product state is a model state with the automaton's state after reading its label and the marks seen on that edge, so that acceptance is a
//! matter of states. For every disjunct of the acceptance condition (marks to be seen finitely often, marks to be seen again and again) the
//! forbidden states are left out and the end components that have all wanted marks are winning; the greatest probability is that of reaching
//! them (de Alfaro 1997). The least is one minus the greatest of the negation.

use crate::brackets;
use crate::check::{Trouble, Workshop};
use crate::components::{EndComponent, end_components};
use crate::graph::Predecessors;
use crate::numbers::Num;
use crate::sparse::Sparse;
use entail_automata::{Automaton, Marks, State, Target, Translation, translate};
use entail_budget::Budget;
use entail_logic::{Binary, Formula, Interval, Unary};
use entail_markov::Bracket;
use entail_markov::{Bounds, Limit, Observer, Optimum, Path};
use fixedbitset::FixedBitSet;
use rustc_hash::{FxHashMap, FxHashSet};

/// The product of a model and an automaton.
pub(crate) struct Product {
    pub model: Sparse,
    /// The product state in which each model state begins.
    pub start: Vec<u32>,
    /// The automaton's state and the marks on the way to it, by product state.
    pub automaton: Vec<(State, Marks)>,
    /// The model's choice of each of the product's.
    pub origin: Vec<u32>,
}

/// The product for a co-safe formula, which is fulfilled once some states are reached.
pub(crate) struct CoSafe {
    pub automaton: Automaton,
    pub sets: Vec<FixedBitSet>,
    pub product: Product,
    /// What the product's choices earn.
    pub rewards: Vec<Num>,
    pub goal: FixedBitSet,
}

impl Product {
    /// The states of end components that accept.
    pub fn won(&self, automaton: &Automaton, budget: &Budget) -> Result<FixedBitSet, Trouble> {
        let mut winning = FixedBitSet::with_capacity(self.model.states());
        for (component, _) in self.accepting(automaton, budget)? {
            winning.extend(component.states.iter().map(|&state| state as usize));
        }
        Ok(winning)
    }

    /// The end components that accept, each with the marks that must be seen again and again in it.
    pub fn accepting(
        &self,
        automaton: &Automaton,
        budget: &Budget,
    ) -> Result<Vec<(EndComponent, Marks)>, Trouble> {
        let mut found = Vec::new();
        for (never, again) in automaton.acceptance().disjuncts() {
            let allowed = self.without(never, automaton);
            for component in end_components(&self.model, &allowed, &|_| true, budget)? {
                if again.subset(self.seen(&component)) {
                    found.push((component, again));
                }
            }
        }
        Ok(found)
    }

    /// The states without some marks. States of the product where the automaton has stopped never win.
    fn without(&self, never: Marks, automaton: &Automaton) -> FixedBitSet {
        let stopped = automaton.state_count();
        let mut allowed = FixedBitSet::with_capacity(self.model.states());
        for (state, (of_automaton, marks)) in self.automaton.iter().enumerate() {
            allowed.set(
                state,
                of_automaton.index() < stopped && marks.common(never).is_empty(),
            );
        }
        allowed
    }

    /// The marks in a component.
    fn seen(&self, component: &EndComponent) -> Marks {
        (component.states.iter()).fold(Marks::NONE, |seen, &state| {
            seen.with(self.automaton[state as usize].1)
        })
    }

    /// The states of accepting components in which a fair scheduler can stay: every choice of a state of the model is taken somewhere in the component, in whatever state of the automaton,
    /// if the component has the state at all. A state of the model with a choice that always leaves is in no such component, and neither is what depends on it.
    fn won_fairly(
        &self,
        automaton: &Automaton,
        (model, owner): (&Sparse, &[u32]),
        budget: &Budget,
    ) -> Result<FixedBitSet, Trouble> {
        let of_model = |choice: u32| owner[self.origin[choice as usize] as usize];
        let mut winning = FixedBitSet::with_capacity(self.model.states());
        for (never, again) in automaton.acceptance().disjuncts() {
            let mut allowed = self.without(never, automaton);
            loop {
                let components = end_components(&self.model, &allowed, &|_| true, budget)?;
                let mut left = false;
                for component in &components {
                    let mut taken: FxHashMap<u32, FxHashSet<u32>> = FxHashMap::default();
                    for &choice in &component.choices {
                        let own = taken.entry(of_model(choice)).or_default();
                        own.insert(self.origin[choice as usize]);
                    }
                    for &state in &component.states {
                        let own = of_model(self.model.choices_of(state as usize).start as u32);
                        if taken.get(&own).map_or(0, FxHashSet::len) < model.choices_of(own as usize).len() {
                            allowed.set(state as usize, false);
                            left = true;
                        }
                    }
                }
                if left {
                    continue;
                }
                let accepting = components
                    .iter()
                    .filter(|component| again.subset(self.seen(component)));
                winning.extend(
                    accepting.flat_map(|component| component.states.iter().map(|&state| state as usize)),
                );
                break;
            }
        }
        Ok(winning)
    }
}

impl Workshop<'_> {
    /// The probability of a path formula.
    pub(crate) fn linear(
        &mut self,
        optimum: Optimum,
        path: &Path,
        budget: &Budget,
    ) -> Result<Bracket, Trouble> {
        if optimum == Optimum::Min && self.model.kind.has_choices() {
            let negated = Path::Not(Box::new(path.clone()));
            return Ok(brackets::complement(self.linear(
                Optimum::Max,
                &negated,
                budget,
            )?));
        }
        let (formula, sets) = self.formula(path, budget)?;
        let automaton = deterministic(&formula, budget)?;
        let product = self.product(&automaton, &sets, budget)?;
        if self.is_fair() {
            self.without_intervals("fair schedulers")?;
        }
        let winning = match self.is_fair() {
            true => product.won_fairly(&automaton, (&self.model, &self.before.owner), budget)?,
            false => product.won(&automaton, budget)?,
        };
        let mut workshop = self.on(&product);
        let everywhere = workshop.everywhere();
        // In a chain only the intervals are left to choose, and they have been asked for by the optimum.
        let reached = if self.model.kind.has_choices() {
            Optimum::Max
        } else {
            optimum
        };
        let bracket = workshop.until_bracket(reached, &everywhere, &winning, budget)?;
        self.sweeps += workshop.sweeps;
        self.observers.push(observer(&automaton, sets.len()));
        let bracket = self.certified(bracket);
        Ok(pulled_back(&bracket, &product.start))
    }

    /// The expected reward until a co-safe path formula is fulfilled.
    pub(crate) fn reward_until_path(
        &mut self,
        optimum: Optimum,
        structure: usize,
        path: &Path,
        budget: &Budget,
    ) -> Result<Bracket, Trouble> {
        if !path.is_co_safe() {
            let message =
                "rewards until a path formula need one that is fulfilled after finitely many steps (co-safe)";
            return Err(Trouble::Unsupported(message.to_owned()));
        }
        // Before the product is made, which shares the numbers.
        let rewards = self.choice_rewards(structure, budget)?;
        let CoSafe {
            automaton,
            sets,
            product,
            rewards,
            goal,
        } = self.co_safe(path, &rewards, budget)?;
        let mut workshop = self.on(&product);
        let bracket = workshop.reward_until(optimum, &rewards, &goal, budget)?;
        self.sweeps += workshop.sweeps;
        self.observers.push(observer(&automaton, sets.len()));
        let bracket = self.certified(bracket);
        Ok(pulled_back(&bracket, &product.start))
    }

    /// The product in which a co-safe formula is a set of states, with what its choices earn.
    pub(crate) fn co_safe(
        &mut self,
        path: &Path,
        rewards: &[Num],
        budget: &Budget,
    ) -> Result<CoSafe, Trouble> {
        let (formula, sets) = self.formula(path, budget)?;
        let mut automaton = deterministic(&formula, budget)?;
        automaton.complete().map_err(refused)?;
        let dual = automaton
            .clone()
            .with_acceptance(automaton.acceptance().dual(), automaton.mark_count());
        let fulfilled: Vec<bool> = automaton
            .states()
            .map(|state| dual.is_empty_from(state))
            .collect();
        let product = self.product(&automaton, &sets, budget)?;
        let rewards: Vec<Num> = product
            .origin
            .iter()
            .map(|&choice| rewards[choice as usize])
            .collect();
        let mut goal = FixedBitSet::with_capacity(product.model.states());
        for (state, (of_automaton, _)) in product.automaton.iter().enumerate() {
            goal.set(state, fulfilled.get(of_automaton.index()) == Some(&true));
        }
        Ok(CoSafe {
            automaton,
            sets,
            product,
            rewards,
            goal,
        })
    }

    /// A workshop on a product.
    pub(crate) fn on(&self, product: &Product) -> Workshop<'_> {
        let mut workshop = Workshop::around(&self.network, product.model.clone(), self.settings);
        workshop.nature = self.nature;
        workshop
    }

    /// A path formula over names of sets of states.
    pub(crate) fn formula(
        &mut self,
        path: &Path,
        budget: &Budget,
    ) -> Result<(Formula<String>, Vec<FixedBitSet>), Trouble> {
        let mut sets = Vec::new();
        let formula = self.translate_path(path, &mut sets, budget)?;
        Ok((formula, sets))
    }

    fn translate_path(
        &mut self,
        path: &Path,
        sets: &mut Vec<FixedBitSet>,
        budget: &Budget,
    ) -> Result<Formula<String>, Trouble> {
        let mut go = |path: &Path, sets: &mut Vec<FixedBitSet>| self.translate_path(path, sets, budget);
        Ok(match path {
            Path::State(states) => {
                let set = self.set(states, budget)?;
                let at = sets.iter().position(|known| *known == set).unwrap_or_else(|| {
                    sets.push(set);
                    sets.len() - 1
                });
                Formula::atom(format!("p{at}"))
            }
            Path::Not(inner) => go(inner, sets)?.not(),
            Path::And(a, b) => Formula::and([go(a, sets)?, go(b, sets)?]),
            Path::Or(a, b) => Formula::or([go(a, sets)?, go(b, sets)?]),
            Path::Implies(a, b) => go(a, sets)?.implies(&go(b, sets)?),
            Path::Iff(a, b) => go(a, sets)?.iff(&go(b, sets)?),
            Path::Next(inner) => go(inner, sets)?.next(),
            Path::Finally(inner, bounds) => {
                let inner = go(inner, sets)?;
                Formula::unary_within(Unary::Finally, self.interval(bounds.as_ref())?, &inner)
            }
            Path::Globally(inner, bounds) => {
                let inner = go(inner, sets)?;
                Formula::unary_within(Unary::Globally, self.interval(bounds.as_ref())?, &inner)
            }
            Path::Until(a, b, bounds) => {
                let (a, b) = (go(a, sets)?, go(b, sets)?);
                Formula::binary_within(Binary::Until, self.interval(bounds.as_ref())?, &a, &b)
            }
            Path::WeakUntil(a, b, bounds) => {
                let (a, b) = (go(a, sets)?, go(b, sets)?);
                Formula::binary_within(Binary::WeakUntil, self.interval(bounds.as_ref())?, &a, &b)
            }
            Path::Release(a, b, bounds) => {
                let (a, b) = (go(a, sets)?, go(b, sets)?);
                Formula::binary_within(Binary::Release, self.interval(bounds.as_ref())?, &a, &b)
            }
        })
    }

    fn interval(&self, bounds: Option<&Bounds>) -> Result<Interval, Trouble> {
        let Some(bounds) = bounds else {
            return Ok(Interval::ALWAYS);
        };
        if self.network.kind.is_timed() || !bounds.is_time() {
            let message = "time and reward bounds inside of path formulas are not supported";
            return Err(Trouble::Unsupported(message.to_owned()));
        }
        let steps = |limit: &Limit| {
            u32::try_from(limit.value.clone()).map_err(|_| Trouble::Unsupported("too many steps".to_owned()))
        };
        let from = match &bounds.lower {
            Some(limit) => steps(limit)? + u32::from(limit.strict),
            None => 0,
        };
        let to = match &bounds.upper {
            Some(limit) if limit.strict => Some(steps(limit)?.saturating_sub(1)),
            Some(limit) => Some(steps(limit)?),
            None => None,
        };
        Ok(Interval { from, to })
    }

    pub(crate) fn product(
        &mut self,
        automaton: &Automaton,
        sets: &[FixedBitSet],
        budget: &Budget,
    ) -> Result<Product, Trouble> {
        let letters = letters(automaton, sets, self.size());
        let mut moves: FxHashMap<(State, u64), Option<(State, Marks)>> = FxHashMap::default();
        let mut step = |state: State, letter: u64| {
            *moves
                .entry((state, letter))
                .or_insert_with(|| automaton.successors(state, letter).next())
        };
        // Where the automaton has no edge, nothing accepts any more: a state of its own, without marks.
        let lost = State(automaton.state_count() as u32);
        let mut follow = |state: State, letter: u64| match state == lost {
            true => (lost, Marks::NONE),
            false => step(state, letter).unwrap_or((lost, Marks::NONE)),
        };
        let initial = automaton.initial().first().copied().unwrap_or(lost);
        let mut numbers: FxHashMap<(u32, State, Marks), u32> = FxHashMap::default();
        let mut found: Vec<(u32, State, Marks)> = Vec::new();
        let mut number = |found: &mut Vec<(u32, State, Marks)>, key: (u32, State, Marks)| {
            *numbers.entry(key).or_insert_with(|| {
                found.push(key);
                (found.len() - 1) as u32
            })
        };
        let mut start = Vec::with_capacity(self.size());
        for (state, &letter) in letters.iter().enumerate() {
            let (next, marks) = follow(initial, letter);
            start.push(number(&mut found, (state as u32, next, marks)));
        }
        let mut model = Sparse::empty(self.model.kind, &self.network);
        model.numbers = self.model.numbers.clone();
        model.initial = (self.model.initial.iter())
            .map(|&state| start[state as usize])
            .collect();
        let mut origin = Vec::new();
        let mut at = 0;
        while at < found.len() {
            budget.check()?;
            let (state, of_automaton, _) = found[at];
            for choice in self.model.choices_of(state as usize) {
                for transition in self.model.row(choice) {
                    let target = self.model.targets[transition];
                    let (next, marks) = follow(of_automaton, letters[target as usize]);
                    model.targets.push(number(&mut found, (target, next, marks)));
                    model.values.push(self.model.values[transition]);
                    model.uppers.extend(self.model.uppers.get(transition));
                }
                model.rows.push(model.targets.len() as u32);
                origin.push(choice as u32);
            }
            model.choices.push(origin.len() as u32);
            at += 1;
        }
        Ok(Product {
            model,
            start,
            automaton: found
                .into_iter()
                .map(|(_, state, marks)| (state, marks))
                .collect(),
            origin,
        })
    }

    /// A workshop around a model that was made otherwise than by exploring.
    pub(crate) fn around<'w>(
        network: &'w entail_markov::Network,
        model: Sparse,
        settings: crate::check::Settings,
    ) -> Workshop<'w> {
        Workshop::assembled(
            std::borrow::Cow::Borrowed(network),
            Predecessors::new(&model),
            model,
            settings,
        )
    }
}

/// The letter that each state of a model is: bit i is proposition i of the automaton, which is the set of that name.
pub(crate) fn letters(automaton: &Automaton, sets: &[FixedBitSet], size: usize) -> Vec<u64> {
    let meaning: Vec<Option<&FixedBitSet>> = (automaton.propositions().iter())
        .map(|name| {
            name.strip_prefix('p')
                .and_then(|at| sets.get(at.parse::<usize>().ok()?))
        })
        .collect();
    let letter = |state: usize| {
        (meaning.iter().enumerate()).fold(0u64, |letter, (bit, set)| {
            letter | u64::from(set.is_some_and(|set| set.contains(state))) << bit
        })
    };
    (0..size).map(letter).collect()
}

/// Automata over more sets than this are not handed on for checking.
const MOST_SETS: usize = 8;

/// An automaton as plain data; without steps if it reads too many sets.
pub(crate) fn observer(automaton: &Automaton, sets: usize) -> Observer {
    let mut observer = Observer {
        sets: sets as u32,
        initial: automaton.initial().first().map_or(0, |state| state.0),
        steps: Vec::new(),
        acceptance: (automaton.acceptance().disjuncts().iter())
            .map(|(never, again)| (never.0, again.0))
            .collect(),
    };
    if sets > MOST_SETS {
        return observer;
    }
    // The automaton's own letters: its propositions are the sets of these names, in another order.
    let own = |letter: u64| {
        (automaton.propositions().iter().enumerate()).fold(0u64, |own, (bit, name)| {
            let set = name.strip_prefix('p').and_then(|at| at.parse::<u32>().ok());
            own | set.map_or(0, |set| letter >> set & 1) << bit
        })
    };
    for state in automaton.states() {
        let step = |letter: u64| {
            let (next, marks) = automaton.successors(state, own(letter)).next()?;
            Some((next.0, marks.0))
        };
        observer.steps.push((0..1u64 << sets).map(step).collect());
    }
    observer
}

fn refused(error: entail_automata::AutomataError) -> Trouble {
    match error {
        entail_automata::AutomataError::Spent(spent) => Trouble::Spent(spent),
        other => Trouble::Unsupported(other.to_string()),
    }
}

/// A deterministic automaton for a formula.
pub(crate) fn deterministic(formula: &Formula<String>, budget: &Budget) -> Result<Automaton, Trouble> {
    let how = Translation {
        target: Target::Parity,
        ..Translation::default()
    };
    translate(formula, how, budget).map_err(refused)
}

/// The values of model states, read off those of the product states in which they begin.
pub(crate) fn pulled_back(bracket: &Bracket, start: &[u32]) -> Bracket {
    match bracket {
        Bracket::Exact(values) => {
            Bracket::Exact(start.iter().map(|&at| values[at as usize].clone()).collect())
        }
        Bracket::Between { lower, upper } => Bracket::Between {
            lower: start.iter().map(|&at| lower[at as usize]).collect(),
            upper: start.iter().map(|&at| upper[at as usize]).collect(),
        },
    }
}
