//! The sets of states of a model, for other engines: abstraction asks for images and for what is observed of a state.
//!
//! Every set is a function of the current bits whose elements satisfy the invariants of the model. Operations end with [`NotComputed`] when the
//! budget that was last given to [`StateSpace::watch`] is spent.

use crate::certificate::write_out;
use crate::denotation::Denotation;
use crate::interleaving::flatten;
use crate::machine::Point;
use crate::model::{EncodedSystem, conjunction, looks_ahead};
use crate::options::SymbolicOptions;
use crate::reachability::Watch;
use crate::stop::{Attempt, NotComputed};
use crate::translate::Translator;
use entail_budget::{Budget, Progress, Silent};
use entail_dd::{Bdd, Manager, Var};
use entail_evidence::CheckOptions;
use entail_model::{TermId, Terms, TransitionSystem, Value, Word};
use num_bigint::BigUint;
use rustc_hash::FxHashMap;

/// The states and steps of a model as decision diagrams.
pub struct StateSpace<'a> {
    model: EncodedSystem<'a>,
    states: Bdd,
}

/// One state.
#[derive(Clone, Debug)]
pub struct State {
    point: Point,
    bits: FxHashMap<Var, bool>,
}

/// A term as a function of the state.
#[derive(Clone, Debug)]
pub struct Observed(Denotation);

impl<'a> StateSpace<'a> {
    /// Encodes a model.
    pub fn open(
        system: &'a TransitionSystem,
        options: &CheckOptions,
        settings: &SymbolicOptions,
        budget: &Budget,
    ) -> Attempt<StateSpace<'a>> {
        let watch = Watch {
            budget,
            progress: &Silent,
        };
        let model = EncodedSystem::build(system, options, settings, watch)?;
        let states = conjunction(model.manager(), model.invariants.clone())?;
        Ok(StateSpace { model, states })
    }

    /// From now on this budget counts.
    pub fn watch(&self, budget: &Budget) {
        self.model.manager().watch(budget);
    }

    /// The manager of all sets.
    pub fn manager(&self) -> &Manager {
        self.model.manager()
    }

    /// All states, reachable or not.
    pub fn states(&self) -> &Bdd {
        &self.states
    }

    /// The initial states.
    pub fn initial(&self) -> &Bdd {
        &self.model.machine.initial
    }

    /// The reachable states. Ends with [`NotComputed::Model`] if a hazard can be met.
    pub fn reachable(&mut self, budget: &Budget, progress: &dyn Progress) -> Attempt<Bdd> {
        self.model.reachable(Watch { budget, progress })
    }

    /// Successors.
    pub fn image(&self, states: &Bdd) -> Attempt<Bdd> {
        self.model.machine.image(states)
    }

    /// Predecessors.
    pub fn preimage(&self, states: &Bdd) -> Attempt<Bdd> {
        let before = self.model.machine.preimage(&self.model.encoding, states)?;
        Ok(before.and(&self.states)?)
    }

    /// The model.
    pub(crate) fn system(&self) -> &TransitionSystem {
        self.model.system
    }

    /// The set of just one state.
    pub(crate) fn cube(&self, state: &State) -> Attempt<Bdd> {
        self.model.machine.cube(&self.model.encoding, &state.point)
    }

    /// The states with a step (not the repetition of a dead end) that satisfies a condition on current, input and next values.
    pub fn states_before(&self, condition: &Bdd) -> Attempt<Bdd> {
        let EncodedSystem {
            machine, encoding, ..
        } = &self.model;
        let before = machine.preimage_of_steps(encoding, &self.states, condition)?;
        Ok(before.and(&self.states)?)
    }

    /// The states with a step that satisfies a condition; the repetition of a dead end does if the condition is true whatever the inputs.
    pub fn states_along(&self, condition: &Bdd) -> Attempt<Bdd> {
        let EncodedSystem {
            machine, encoding, ..
        } = &self.model;
        let before = machine.preimage_along(encoding, &self.states, Some(condition))?;
        Ok(before.and(&self.states)?)
    }

    /// The states in which some inputs can be chosen (whether or not a step follows) so that a condition without next values is true.
    pub fn states_choosing(&self, condition: &Bdd) -> Attempt<Bdd> {
        let system = self.model.system;
        let mut choices = self.model.encoding.valid_inputs.clone();
        for &conjunct in &system.transition {
            if !looks_ahead(system, conjunct) {
                choices.push(self.model.condition(conjunct)?);
            }
        }
        let choices = conjunction(self.manager(), choices)?;
        let inputs = self
            .manager()
            .var_set(self.model.encoding.input_bits.iter().copied())?;
        Ok(condition.and_exists(&choices, &inputs)?.and(&self.states)?)
    }

    /// The points where a Boolean term is true. The term may be from another store whose variables are those of the model.
    pub fn condition(&self, terms: &Terms, term: TermId) -> Attempt<Bdd> {
        Translator::new(&self.model.encoding, terms).condition(term)
    }

    /// A term about states as a function.
    pub fn observed(&self, terms: &Terms, term: TermId) -> Attempt<Observed> {
        Ok(Observed(
            Translator::new(&self.model.encoding, terms).denotation(term)?,
        ))
    }

    /// The conjuncts of the transition relation, invariants of the next state and validity of inputs included.
    pub fn conjuncts(&self) -> Attempt<Vec<Bdd>> {
        let EncodedSystem {
            system,
            encoding,
            invariants,
            ..
        } = &self.model;
        let mut translator = Translator::new(encoding, &system.terms);
        let mut conjuncts = encoding.valid_inputs.clone();
        for conjunct in flatten(system, &system.transition) {
            conjuncts.push(translator.condition(conjunct)?);
        }
        for invariant in invariants {
            conjuncts.push(invariant.substitute(&encoding.to_next)?);
        }
        Ok(conjuncts)
    }

    /// What follows a set of states if only this conjunct of the relation is asked for.
    pub fn image_by(&self, states: &Bdd, conjunct: &Bdd) -> Attempt<Bdd> {
        let encoding = &self.model.encoding;
        let bits = encoding.state_bits.iter().map(|bit| bit.current);
        let gone = encoding
            .manager
            .var_set(bits.chain(encoding.input_bits.iter().copied()))?;
        let after = states.and_exists(conjunct, &gone)?;
        Ok(after.substitute(&encoding.to_current)?)
    }

    /// Some state of a set.
    pub fn pick(&self, states: &Bdd) -> Option<State> {
        let machine = &self.model.machine;
        let point = machine.pick(states)?;
        let bits = machine.vars.iter().copied().zip(point.0.iter().copied());
        let bits = bits.collect();
        Some(State { point, bits })
    }

    /// The values of the model's variables in a state.
    pub fn valuation(&self, state: &State) -> Vec<Option<Value>> {
        self.model
            .machine
            .valuation(&self.model.encoding, &state.point, None)
    }

    /// How many states there are in a set, in decimal.
    pub fn count(&self, states: &Bdd) -> String {
        states.count(&self.model.machine.vars).to_string()
    }

    /// The set as a term over current values, added to a store; none if its diagram is too large to be written out.
    pub fn term(&self, states: &Bdd, terms: &mut Terms) -> Option<TermId> {
        write_out(self.model.system, &self.model.encoding, states, terms)
    }
}

impl State {
    /// Whether it is in a set.
    pub fn is_in(&self, states: &Bdd) -> bool {
        states.eval(|var| self.bits.get(&var).copied().unwrap_or(false))
    }
}

impl Observed {
    /// The points where the term has the value.
    pub fn is(&self, space: &StateSpace<'_>, value: &Value) -> Attempt<Bdd> {
        self.0.is(space.manager(), value)
    }

    /// The value in a state.
    pub fn at(&self, state: &State) -> Attempt<Value> {
        value_at(&self.0, state)
    }
}

fn value_at(denotation: &Denotation, state: &State) -> Attempt<Value> {
    let bits = |bits: &[Bdd]| -> Vec<bool> { bits.iter().map(|bit| state.is_in(bit)).collect() };
    Ok(match denotation {
        Denotation::Bool(truth) => Value::Bool(state.is_in(truth)),
        Denotation::Cases(cases) => {
            let case = cases.iter().find(|(_, guard)| state.is_in(guard));
            let no_value = || NotComputed::Unsupported("a term has no value in a state".into());
            case.ok_or_else(no_value)?.0.clone()
        }
        Denotation::Integer(vector) => {
            let bits = bits(vector);
            let negative = bits.last().copied().unwrap_or(false);
            let number = (0..64).fold(0i64, |number, place| {
                let bit = bits.get(place).copied().unwrap_or(negative);
                number | i64::from(bit) << place
            });
            Value::Int(number)
        }
        Denotation::Word { bits: vector, signed } => {
            let mut number = BigUint::default();
            for (place, bit) in bits(vector).into_iter().enumerate() {
                number.set_bit(place as u64, bit);
            }
            Value::Word(Word::new(vector.len() as u32, *signed, number))
        }
        Denotation::Array(elements) => {
            let values = elements.iter().map(|element| value_at(element, state));
            Value::Array(values.collect::<Attempt<_>>()?)
        }
    })
}
