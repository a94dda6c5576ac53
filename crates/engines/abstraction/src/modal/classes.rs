//! Abstract states as sets of concrete ones.
//!
//! An abstract state is a tuple of observed values, and a number. Its concretisation γ is the conjunction "every observation has its
//! value", built when the tuple is first met. Which abstract states meet a set of concrete ones is found by picking a state, observing
//! it, taking away everything that looks the same, and so on: no domain is ever enumerated, and the cost is one conjunction for each
//! abstract state found.
//!
//! Images and preimages are remembered by the set, so that splitting one class does not compute those of the others again.

use entail_budget::Budget;
use entail_dd::Bdd;
use entail_model::{Abstraction, Kmts, Observation, StateId, Terms, Value};
use entail_symbolic::{Attempt, NotComputed, Observed, State, StateSpace};
use rustc_hash::FxHashMap;

/// More abstract states than this are given up on.
pub(crate) const MOST_CLASSES: usize = 1 << 20;

/// The abstract states met so far.
pub(crate) struct Classes<'s, 'a> {
    pub space: &'s mut StateSpace<'a>,
    /// The terms of the model, and those that refinement adds.
    pub terms: Terms,
    pub abstraction: Abstraction,
    observed: Vec<Observed>,
    /// The concrete states that count.
    pub universe: Bdd,
    numbers: Numbers,
    pub tuples: Vec<Vec<Value>>,
    pub gammas: Vec<Bdd>,
    images: Remembered,
    preimages: Remembered,
}

/// Abstract states by what is observed.
type Numbers = FxHashMap<Vec<Value>, StateId>;

/// The modal system of an abstraction with fewer observations.
pub(crate) struct Coarser {
    observations: usize,
    numbers: Numbers,
    pub kmts: Kmts,
}

impl Coarser {
    /// The state that stands for all that this one stands for, and more.
    pub fn parent(&self, tuple: &[Value]) -> Option<StateId> {
        self.numbers.get(&tuple[..self.observations]).copied()
    }
}

#[allow(clippy::mutable_key_type)] // What may change inside a handle is a count, not its identity.
type Remembered = FxHashMap<Bdd, Bdd>;

impl<'s, 'a> Classes<'s, 'a> {
    pub fn new(
        space: &'s mut StateSpace<'a>,
        terms: Terms,
        abstraction: &Abstraction,
        universe: Bdd,
    ) -> Attempt<Classes<'s, 'a>> {
        let mut classes = Classes {
            space,
            terms,
            abstraction: Abstraction::default(),
            observed: Vec::new(),
            universe,
            numbers: FxHashMap::default(),
            tuples: Vec::new(),
            gammas: Vec::new(),
            images: Remembered::default(),
            preimages: Remembered::default(),
        };
        for observation in &abstraction.observations {
            classes.observe(observation.clone())?;
        }
        Ok(classes)
    }

    /// Puts the abstract states and their modal system aside: more observations are to follow.
    pub fn coarser(&mut self, kmts: Kmts) -> Coarser {
        self.tuples.clear();
        self.gammas.clear();
        Coarser {
            observations: self.observed.len(),
            numbers: std::mem::take(&mut self.numbers),
            kmts,
        }
    }

    /// One more observation; all abstract states are forgotten. Whether it is new.
    pub fn observe(&mut self, observation: Observation) -> Attempt<bool> {
        let term = observation.term;
        if !self.abstraction.add(observation) {
            return Ok(false);
        }
        self.observed.push(self.space.observed(&self.terms, term)?);
        self.numbers.clear();
        self.tuples.clear();
        self.gammas.clear();
        Ok(true)
    }

    /// The number of an abstract state.
    pub fn number(&mut self, tuple: Vec<Value>) -> Attempt<StateId> {
        if let Some(&number) = self.numbers.get(&tuple) {
            return Ok(number);
        }
        if self.tuples.len() >= MOST_CLASSES {
            let message = format!("there are more than {MOST_CLASSES} abstract states");
            return Err(NotComputed::Unsupported(message));
        }
        let mut gamma = self.universe.clone();
        for (observed, value) in self.observed.iter().zip(&tuple) {
            gamma = gamma.and(&observed.is(self.space, value)?)?;
        }
        let number = StateId::new(self.tuples.len() as u32);
        self.numbers.insert(tuple.clone(), number);
        self.tuples.push(tuple);
        self.gammas.push(gamma);
        Ok(number)
    }

    /// What is observed of a state.
    pub fn look(&self, state: &State) -> Attempt<Vec<Value>> {
        self.observed.iter().map(|observed| observed.at(state)).collect()
    }

    /// The abstract states that meet a set of concrete ones.
    pub fn meeting(&mut self, states: &Bdd, budget: &Budget) -> Attempt<Vec<StateId>> {
        let mut rest = states.and(&self.universe)?;
        let mut found = Vec::new();
        while let Some(state) = self.space.pick(&rest) {
            budget.check()?;
            let tuple = self.look(&state)?;
            let number = self.number(tuple)?;
            rest = rest.minus(&self.gammas[number.index()])?;
            found.push(number);
        }
        found.sort_unstable();
        Ok(found)
    }

    /// The values that one observation has in a set of states.
    pub fn values_in(&self, position: usize, states: &Bdd, budget: &Budget) -> Attempt<Vec<(Value, Bdd)>> {
        let observed = &self.observed[position];
        let mut rest = states.clone();
        let mut values = Vec::new();
        while let Some(state) = self.space.pick(&rest) {
            budget.check()?;
            let value = observed.at(&state)?;
            let where_it_is = observed.is(self.space, &value)?;
            rest = rest.minus(&where_it_is)?;
            values.push((value, where_it_is));
        }
        Ok(values)
    }

    /// What an abstract state stands for.
    pub fn gamma(&self, class: StateId) -> &Bdd {
        &self.gammas[class.index()]
    }

    /// Successors of what an abstract state stands for.
    pub fn image(&mut self, class: StateId) -> Attempt<Bdd> {
        let gamma = self.gamma(class).clone();
        if let Some(known) = self.images.get(&gamma) {
            return Ok(known.clone());
        }
        let image = self.space.image(&gamma)?;
        self.images.insert(gamma, image.clone());
        Ok(image)
    }

    /// Predecessors of what an abstract state stands for.
    pub fn preimage(&mut self, class: StateId) -> Attempt<Bdd> {
        let gamma = self.gamma(class).clone();
        if let Some(known) = self.preimages.get(&gamma) {
            return Ok(known.clone());
        }
        let preimage = self.space.preimage(&gamma)?;
        self.preimages.insert(gamma, preimage.clone());
        Ok(preimage)
    }

    /// The abstract state as people read it.
    pub fn show(&self, class: StateId) -> String {
        self.abstraction.show(&self.tuples[class.index()]).to_string()
    }
}
