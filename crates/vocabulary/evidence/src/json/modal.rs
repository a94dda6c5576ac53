//! Abstract models as JSON.
//!
//! ```json
//! {"kind": "modal",
//!  "observations": [{"name": "red", "formula": "light = red", "nodes": ["var light", "symbol red", "= 1 2"]}],
//!  "classes": [[true], [false]], "initial": [0],
//!  "may": [[1], [0, 1]], "must": [[[1]], []],
//!  "literals": [{"atom": "light = red", "holds": [0], "fails": [1]}]}
//! ```
//!
//! Abstract states are numbered from 0; `classes` has what is observed in each. `must` has for each state its hyper-transitions, each a list of
//! targets. Literals are in the order of the property's atoms (by the model's own numbering of terms), then justice and compassion.

use super::document::{ReadError, field, index, join, list, object, text_of};
use super::term_list;
use super::value::{value_from_json, value_to_json};
use crate::{Certificate, ModalModel, Notation};
use entail_logic::Property;
use entail_model::{
    Abstraction, KmtsBuilder, Observation, StateId, StateSet, TermId, Terms, TransitionSystem,
};
use serde_json::{Value as Json, json};
use std::sync::Arc;

/// The propositions of an abstract model for a property: its atoms, then the conditions of fairness that are not among them. CTL does not
/// know compassion.
pub(super) fn atoms(system: &TransitionSystem, property: &Property<TermId>) -> Vec<TermId> {
    let mut atoms = property.question.atoms();
    let compassion = match property.logic.ignores_compassion() {
        true => &[][..],
        false => &system.compassion,
    };
    let compassion = compassion.iter().flat_map(|&(p, q)| [p, q]);
    for term in system.justice.iter().copied().chain(compassion) {
        if !atoms.contains(&term) {
            atoms.push(term);
        }
    }
    atoms
}

pub(super) fn to_json(system: &TransitionSystem, model: &ModalModel) -> Json {
    let kmts = &model.kmts;
    let ones = |set: &StateSet| set.ones().collect::<Vec<usize>>();
    let numbers = |states: &[StateId]| states.iter().map(|state| state.index()).collect::<Vec<usize>>();
    let observations: Vec<Json> = (model.abstraction.observations.iter())
        .map(|observation| {
            let term = Certificate {
                terms: model.terms.clone(),
                invariant: observation.term,
            };
            json!({
                "name": &*observation.name,
                "formula": super::write::term_text(system, &term),
                "nodes": term_list::to_json(system, &term),
            })
        })
        .collect();
    let classes = model.classes.iter();
    let notation = Notation::new(system);
    let literals: Vec<Json> = (kmts.propositions().iter().zip(&model.atoms))
        .map(|(known, &atom)| {
            json!({"atom": notation.term(atom), "holds": ones(&known.holds), "fails": ones(&known.fails)})
        })
        .collect();
    json!({
        "kind": "modal",
        "observations": observations,
        "classes": classes.map(|class| class.iter().map(value_to_json).collect::<Json>()).collect::<Json>(),
        "initial": numbers(kmts.initial()),
        "may": kmts.states().map(|state| numbers(kmts.may(state))).collect::<Vec<_>>(),
        "must": kmts.states().map(|state| kmts.must(state).map(numbers).collect::<Vec<_>>()).collect::<Vec<_>>(),
        "literals": literals,
    })
}

fn numbers(json: &Json, place: &str) -> Result<Vec<StateId>, ReadError> {
    let number = |json: &Json| {
        let number = u32::try_from(index(json, place)?);
        number
            .map(StateId::new)
            .map_err(|_| ReadError::shape(place, "expected the number of a state"))
    };
    list(json, place)?.iter().map(number).collect()
}

pub(super) fn from_json(
    system: &TransitionSystem,
    property: &Property<TermId>,
    json: &Json,
) -> Result<ModalModel, ReadError> {
    let map = object(json, "evidence")?;
    let at = |key: &str| join("evidence", key);
    let rows = |key: &str| list(field(map, "evidence", key)?, &at(key));
    let mut terms = Terms::new();
    let mut abstraction = Abstraction::default();
    for (number, json) in rows("observations")?.iter().enumerate() {
        let place = format!("evidence.observations[{number}]");
        let map = object(json, &place)?;
        let nodes = field(map, &place, "nodes")?;
        let read = term_list::term_from_json(system, 0, nodes, &join(&place, "nodes"))?;
        abstraction.observations.push(Observation {
            name: Arc::from(text_of(map, &place, "name")?),
            term: terms.import(&read.terms, &[read.invariant], |variable| variable)[0],
        });
    }
    let mut classes = Vec::new();
    for (number, json) in rows("classes")?.iter().enumerate() {
        let place = format!("evidence.classes[{number}]");
        let values = list(json, &place)?;
        if values.len() != abstraction.observations.len() {
            return Err(ReadError::shape(place, "expected one value for each observation"));
        }
        let observations = abstraction.observations.iter().zip(values);
        let read = observations.map(|(observation, json)| {
            value_from_json(json, terms.sort(observation.term)).map_err(|why| ReadError::shape(&place, why))
        });
        classes.push(read.collect::<Result<Vec<_>, _>>()?);
    }
    let mut builder = KmtsBuilder::new(classes.len());
    for state in numbers(field(map, "evidence", "initial")?, &at("initial"))? {
        builder.initial(state);
    }
    let state = |number: usize| StateId::new(number as u32);
    for (from, json) in rows("may")?.iter().enumerate() {
        for to in numbers(json, &at("may"))? {
            builder.may(state(from), to);
        }
    }
    for (from, json) in rows("must")?.iter().enumerate() {
        for into in list(json, &at("must"))? {
            builder.must(state(from), numbers(into, &at("must"))?);
        }
    }
    let atoms = atoms(system, property);
    let literals = rows("literals")?;
    if literals.len() != atoms.len() {
        return Err(ReadError::shape(
            at("literals"),
            format!("expected {} literals, one for each atom", atoms.len()),
        ));
    }
    for (number, json) in literals.iter().enumerate() {
        let place = format!("evidence.literals[{number}]");
        let map = object(json, &place)?;
        let states = |key: &str| numbers(field(map, &place, key)?, &join(&place, key));
        builder.proposition(
            atoms[number].index().to_string(),
            states("holds")?,
            states("fails")?,
        );
    }
    let kmts = builder
        .build()
        .map_err(|error| ReadError::shape("evidence", error.to_string()))?;
    Ok(ModalModel {
        terms,
        abstraction,
        classes,
        kmts,
        atoms,
    })
}
