//! A verdict from an abstract model: what is observed of states, and the Kripke modal transition system of what can be observed.

use entail_model::{Abstraction, Kmts, Observation, TermId, Terms, Value};

/// An abstract model in which the property is true, or false, of the model it was made from.
///
/// Why that shows something: let every state of the model look as the observations say. If the initial states look like initial states, every
/// step looks like one that may be there, every step that must be there is there from each state that looks like its source, and
/// propositions are as they are said to be, then the modal system tells nothing wrong (chapter 13, theorems 4 and 5).
#[derive(Clone, Debug)]
pub struct ModalModel {
    /// The terms of the observations; variables are numbered as the system's.
    pub terms: Terms,
    /// What is observed, in terms of this store.
    pub abstraction: Abstraction,
    /// What is observed in each abstract state.
    pub classes: Vec<Vec<Value>>,
    /// The abstract states and steps.
    pub kmts: Kmts,
    /// What the propositions of `kmts` are, in terms of the system: the atoms of the property, then the justice conditions.
    pub atoms: Vec<TermId>,
}

impl ModalModel {
    /// Takes over what is observed from another store.
    pub fn new(
        store: &Terms,
        abstraction: &Abstraction,
        classes: Vec<Vec<Value>>,
        kmts: Kmts,
        atoms: Vec<TermId>,
    ) -> ModalModel {
        let mut terms = Terms::new();
        let observed: Vec<TermId> = abstraction.observations.iter().map(|seen| seen.term).collect();
        let imported = terms.import(store, &observed, |variable| variable);
        let observations = abstraction.observations.iter().zip(imported);
        ModalModel {
            terms,
            abstraction: Abstraction {
                observations: observations
                    .map(|(seen, term)| Observation {
                        name: seen.name.clone(),
                        term,
                    })
                    .collect(),
            },
            classes,
            kmts,
            atoms,
        }
    }
}
