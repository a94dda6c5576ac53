//! Reading and writing labelled transition systems.

use crate::Context;
use crate::arguments::{BisimulationName, GraphInput};
use crate::failure::{CommandError, UNKNOWN, meaningless};
use crate::load::{not_written, write_text};
use crate::terminal::note;
use crate::units::parts;
use entail::{
    Bisimulation, GraphFormat, Hidden, NoStructure, Origin, WriteError, load_structure, write_aut, write_dot,
    write_file_with, write_json,
};
use entail_budget::Budget;
use entail_family::{Structure, StructureError};
use entail_model::Lts;
use std::borrow::Cow;
use std::path::Path;

impl From<BisimulationName> for Bisimulation {
    fn from(name: BisimulationName) -> Bisimulation {
        match name {
            BisimulationName::Strong => Bisimulation::Strong,
            BisimulationName::Branching => Bisimulation::Branching,
            BisimulationName::DivergenceBranching => Bisimulation::DivergenceBranching,
            BisimulationName::Weak => Bisimulation::Weak,
            BisimulationName::DivergenceWeak => Bisimulation::DivergenceWeak,
        }
    }
}

impl From<NoStructure> for CommandError {
    fn from(error: NoStructure) -> CommandError {
        match error {
            NoStructure::Load(error) => CommandError::from(error),
            NoStructure::Kind { .. } | NoStructure::NoSuchAction { .. } => {
                CommandError::usage(error.to_string())
            }
            NoStructure::Structure(model, error) => match error {
                StructureError::Model(error) => meaningless(&*model, &error),
                StructureError::Usage(usage) => CommandError::usage(usage.to_string()),
                StructureError::TooLarge(_) => CommandError::input(error.to_string()),
                StructureError::NotExplored(_) | StructureError::Spent(_) => {
                    CommandError::Message(error.to_string(), UNKNOWN)
                }
            },
        }
    }
}

/// Reads a file as a system; what was done on the way is said on standard error.
pub fn load(
    path: &Path,
    input: &GraphInput,
    context: &Context,
    budget: &Budget,
) -> Result<Lts, CommandError> {
    Ok(load_if_any(path, input, context, budget)?)
}

/// The same, told why there is no system.
pub fn load_if_any(
    path: &Path,
    input: &GraphInput,
    context: &Context,
    budget: &Budget,
) -> Result<Lts, NoStructure> {
    let origin = Origin {
        language: input.language.clone(),
        ..Origin::file(path)
    };
    let hide = parts(&input.hide);
    let Structure { lts, notes } = load_structure(context.table, &origin, &context.options, &hide, budget)?;
    for text in notes {
        note!("entail: {text}");
    }
    Ok(lts)
}

/// Which label of `.aut` files is the hidden action.
fn hidden(context: &Context) -> Hidden {
    match context.options.value("tau") {
        Some("i") => Hidden::I,
        Some("tau") => Hidden::Tau,
        _ => Hidden::Either,
    }
}

impl GraphInput {
    /// The same, hiding nothing.
    pub fn without_hiding(&self) -> GraphInput {
        GraphInput {
            hide: Vec::new(),
            ..self.clone()
        }
    }
}

/// A system with actions hidden.
pub fn hide(lts: Lts, names: &[String]) -> Result<Lts, CommandError> {
    let mut hidden = Vec::new();
    for name in names {
        let actions = lts.actions_named(name);
        if actions.is_empty() {
            return Err(CommandError::usage(format!(
                "there is no action `{name}` to hide"
            )));
        }
        hidden.extend(actions);
    }
    Ok(match hidden.is_empty() {
        true => lts,
        false => lts.hide(&hidden),
    })
}

/// The format that a file's name tells.
pub fn format_of(path: &Path) -> Result<GraphFormat, CommandError> {
    GraphFormat::of_file(path).ok_or_else(|| {
        let known = GraphFormat::extensions().join(", .");
        CommandError::usage(format!(
            "cannot tell the format of {} from its name; systems are written as: .{known}",
            path.display()
        ))
    })
}

/// Writes a system.
pub fn save(path: &Path, lts: &Lts, context: &Context) -> Result<(), CommandError> {
    match format_of(path)? {
        GraphFormat::Json => write_text(path, &write_json(lts)),
        GraphFormat::Dot => write_text(
            path,
            &write_dot(&path.file_stem().unwrap_or_default().to_string_lossy(), lts),
        ),
        GraphFormat::Aut => {
            let mut lts = Cow::Borrowed(lts);
            if lts.is_coloured() {
                note!(
                    "entail: an .aut file has no propositions: each state gets a loop with the set of its propositions"
                );
                lts = Cow::Owned(lts.propositions_as_loops());
            }
            if lts.initial().len() != 1 {
                note!("entail: an .aut file has one initial state: `init` leads from a new one to all");
                lts = Cow::Owned(lts.with_one_initial_state());
            }
            let mut refused = None;
            let written = write_file_with(path, |mut out| match write_aut(&lts, &mut out, hidden(context)) {
                Ok(()) => Ok(()),
                Err(WriteError::Io(error)) => Err(error),
                Err(error) => {
                    refused = Some(error.to_string());
                    Err(std::io::Error::other(error))
                }
            });
            match (written, refused) {
                (Ok(()), _) => Ok(()),
                (Err(_), Some(reason)) => Err(CommandError::input(format!(
                    "cannot write {}: {reason}",
                    path.display()
                ))),
                (Err(error), None) => Err(not_written(path, &error)),
            }
        }
    }
}
