//! The joint process of several objectives, for those who show what schedulers do in it.

use crate::check::{Checker, Evaluation, NotConfirmed};
use crate::product::Reading;
use entail_budget::Budget;
use entail_markov::{Certificate, Explicit, Property};

/// What a state of the joint process is made of: the values of the variables, the steps that are counted, and the state of each automaton (-1: it has stopped).
pub(crate) fn told(model: &Explicit, key: &(u32, u64, Vec<Reading>)) -> Vec<i64> {
    let (state, steps, readings) = key;
    let automata = readings.iter().map(|(state, _)| state.map_or(-1, i64::from));
    let own = model.states[*state as usize].iter().copied();
    own.chain([*steps as i64]).chain(automata).collect()
}

impl Checker {
    /// The joint process that a certificate's schedulers are about. Its states have the values of the variables, then the steps that are counted, then the states of the
    /// automata.
    pub fn joint_process(
        &self,
        property: &Property,
        certificate: &Certificate,
        budget: &Budget,
    ) -> Result<Explicit, String> {
        let (Property::Multi(parts) | Property::Lexicographic(parts)) = property else {
            return Err("there is one objective only".to_owned());
        };
        match Evaluation::new(self, certificate, budget).process(parts) {
            Ok(process) => Ok(process.model),
            Err(NotConfirmed::Wrong(reason) | NotConfirmed::Unchecked(reason)) => Err(reason),
            Err(NotConfirmed::Spent(spent)) => Err(spent.to_string()),
        }
    }
}
