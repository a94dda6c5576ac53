//! The reachable states of a transition system, with what is observed of them.

use super::{Listing, Structure, StructureError, symbolic};
use crate::Model;
use crate::model::{Content, LoadError};
use entail_budget::Budget;
use entail_evidence::Notation;
use entail_explicit::{Observed, labelled_graph};
use entail_logic::Logic;
use entail_logic::Question;
use entail_model::{Op, Sort, TermId, VarKind};
use entail_smv::Scope;
use entail_source::Source;
use std::sync::Arc;

/// More reachable states than this are refused.
const MOST_STATES: usize = 50_000_000;

/// The structure of a model. Observed are the given expressions; without any, the atoms of the model's properties; without these, all variables.
pub fn of_model(
    mut model: Model,
    observe: &[String],
    listing: Listing,
    budget: &Budget,
) -> Result<Structure, StructureError> {
    let mut notes = Vec::new();
    let observed = match observe {
        [] => by_default(&model, &mut notes),
        texts => (texts.iter())
            .map(|text| observed(&mut model, text))
            .collect::<Result<_, _>>()?,
    };
    if model.system().has_fairness() {
        notes.push("fairness is left out: equivalences are those of all paths".to_owned());
    }
    if listing == Listing::Classes {
        return symbolic::of_model(model, &observed, notes, budget);
    }
    match labelled_graph(model.system(), &observed, MOST_STATES, budget) {
        Ok(Ok(lts)) => Ok(Structure { lts, notes }),
        // Too many, or too wide; classes may be few.
        Ok(Err(_)) if budget.check_now().is_ok() => symbolic::of_model(model, &observed, notes, budget),
        Ok(Err(reason)) => Err(StructureError::NotExplored(reason)),
        Err(error) => Err(StructureError::Meaningless(Box::new((model, error)))),
    }
}

fn by_default(model: &Model, notes: &mut Vec<String>) -> Vec<Observed> {
    let system = model.system();
    let mut atoms: Vec<TermId> = (model.properties().iter())
        .flat_map(|property| property.question.atoms())
        // A condition and its negation are seen together.
        .map(|atom| match system.terms.op(atom) {
            Op::Not => system.terms.operands(atom)[0],
            _ => atom,
        })
        .collect();
    atoms.sort_unstable();
    atoms.dedup();
    if atoms.is_empty() {
        let variables: Vec<_> = (system.variable_ids())
            .filter(|&variable| system.variable(variable).kind != VarKind::Input)
            .collect();
        notes.push("observed: all variables; --observe chooses".to_owned());
        return variables.into_iter().map(Observed::Value).collect();
    }
    let notation = Notation::new(system);
    let mut names: Vec<String> = Vec::new();
    for &atom in &atoms {
        let text = notation.term(atom);
        // Long texts are cut, and may be the same then.
        let name = match names.contains(&text) {
            true => format!("{text} ({})", names.len() + 1),
            false => text,
        };
        names.push(name);
    }
    notes.push(format!("observed: {}; --observe chooses", names.join(", ")));
    (names.iter().zip(atoms))
        .map(|(name, atom)| Observed::Condition(Arc::from(name.as_str()), atom))
        .collect()
}

/// A variable, or a condition in SMV's syntax.
fn observed(model: &mut Model, text: &str) -> Result<Observed, StructureError> {
    let text = text.trim();
    let Content { system, scope, .. } = &mut model.content;
    if let Some(variable) = system.find_variable(text) {
        let variable_is = system.variable(variable);
        if variable_is.kind != VarKind::Input && variable_is.sort != Sort::Bool {
            return Ok(Observed::Value(variable));
        }
    }
    let scope = scope.get_or_insert_with(|| Scope::of_system(system));
    match scope.parse_property(system, text, Logic::Invariant) {
        Ok(property) => match property.question {
            Question::Invariant(term) => Ok(Observed::Condition(Arc::from(text), term)),
            _ => Err(StructureError::NotObservable(text.to_owned())),
        },
        Err(diagnostics) => Err(StructureError::Load(LoadError::Invalid {
            source_text: Source::new("--observe", text),
            diagnostics,
        })),
    }
}
