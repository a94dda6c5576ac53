//! The reachable states of a transition system, with what is observed of them, as a labelled transition system.

mod symbolic;

use crate::model::{Content, SystemModel};
use crate::options::LISTING;
use entail_budget::Budget;
use entail_evidence::Notation;
use entail_explicit::{Observed, labelled_graph};
use entail_family::{LoadError, Options, Structure, StructureError, Usage};
use entail_logic::{Logic, Question};
use entail_model::{Op, Sort, TermId, VarKind};
use entail_smv::Scope;
use entail_source::Source;
use std::sync::Arc;

/// More reachable states than this are refused.
const MOST_STATES: usize = 50_000_000;

/// The structure of a model. Observed is what the options asked for; otherwise the atoms of the model's properties; without these, all
/// variables.
pub(crate) fn of_model(
    model: &SystemModel,
    options: &Options,
    budget: &Budget,
) -> Result<Structure, StructureError> {
    if options.has("observe") && model.asked.observed.is_empty() {
        return Err(
            Usage("--observe names expressions that are read together with the model".to_owned()).into(),
        );
    }
    let by_classes = options.parsed(LISTING, |name| match name {
        "explicit" => Ok(false),
        "bdd" => Ok(true),
        _ => Err("explicit or bdd is needed".to_owned()),
    })?;
    let mut notes = Vec::new();
    let observed = match model.asked.observed.as_slice() {
        [] => by_default(model, &mut notes),
        asked => asked.to_vec(),
    };
    if model.system().has_fairness() {
        notes.push("fairness is left out: equivalences are those of all paths".to_owned());
    }
    if by_classes == Some(true) {
        return symbolic::of_model(model, &observed, notes, budget);
    }
    match labelled_graph(model.system(), &observed, MOST_STATES, budget) {
        Ok(Ok(lts)) => Ok(Structure { lts, notes }),
        // Too many, or too wide; classes may be few.
        Ok(Err(_)) if budget.check_now().is_ok() => symbolic::of_model(model, &observed, notes, budget),
        Ok(Err(reason)) => Err(StructureError::NotExplored(reason)),
        Err(error) => Err(model.error(error).into()),
    }
}

fn by_default(model: &SystemModel, notes: &mut Vec<String>) -> Vec<Observed> {
    let system = model.system();
    let mut atoms: Vec<TermId> = (model.content.properties.iter())
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

/// What an expression of `--observe` says: a variable, or a condition in SMV's syntax.
pub(crate) fn observed(model: &mut SystemModel, text: &str) -> Result<Observed, LoadError> {
    let Content { system, scope, .. } = &mut model.content;
    if let Some(id) = system.find_variable(text) {
        let variable = system.variable(id);
        if variable.kind != VarKind::Input && variable.sort != Sort::Bool {
            return Ok(Observed::Value(id));
        }
    }
    let scope = scope.get_or_insert_with(|| Scope::of_system(system));
    let property = scope
        .parse_property(system, text, Logic::Invariant)
        .map_err(|problems| LoadError::invalid(&Source::new("--observe", text), problems))?;
    match property.question {
        Question::Invariant(term) => Ok(Observed::Condition(Arc::from(text), term)),
        _ => Err(not_observable(text).into()),
    }
}

fn not_observable(text: &str) -> Usage {
    Usage(format!(
        "`{text}` is not a condition without temporal operators, so it cannot be observed"
    ))
}
