//! Reading and writing labelled transition systems.

use crate::arguments::{BisimulationName, GraphInput, HiddenLabel, ListingEngine};
use crate::failure::{Stop, meaningless};
use crate::load::{language, not_written, write_text};
use crate::terminal::note;
use crate::units::parts;
use entail::{
    Bisimulation, GraphFormat, Hidden, Listing, Preprocessing, Structure, StructureError, StructureOptions,
    WriteError, load_structure, write_aut, write_dot, write_file_with, write_json,
};
use entail_budget::Budget;
use entail_model::Lts;
use std::borrow::Cow;
use std::path::Path;

impl From<HiddenLabel> for Hidden {
    fn from(label: HiddenLabel) -> Hidden {
        match label {
            HiddenLabel::Either => Hidden::Either,
            HiddenLabel::I => Hidden::I,
            HiddenLabel::Tau => Hidden::Tau,
        }
    }
}

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

impl From<StructureError> for Stop {
    fn from(error: StructureError) -> Stop {
        match error {
            StructureError::Load(error) => Stop::from(error),
            StructureError::NoSuchAction { .. }
            | StructureError::NotObservable(_)
            | StructureError::NothingToObserve(_) => Stop::usage(error.to_string()),
            StructureError::TooLarge(_) => Stop::input(error.to_string()),
            StructureError::Meaningless(wrong) => meaningless(&wrong.0, &wrong.1),
            StructureError::NotExplored(_) | StructureError::Spent(_) => {
                Stop::Message(error.to_string(), crate::failure::UNKNOWN)
            }
        }
    }
}

/// Reads a file as a system; what was done on the way is said on standard error.
pub fn load(path: &Path, options: &GraphInput, budget: &Budget) -> Result<Lts, Stop> {
    let options = StructureOptions {
        language: language(options.language.as_deref())?,
        hidden: options.tau.into(),
        hide: parts(&options.hide),
        observe: parts(&options.observe),
        listing: match options.engine {
            ListingEngine::Explicit => Listing::States,
            ListingEngine::Bdd => Listing::Classes,
        },
        preprocessing: Preprocessing {
            definitions: options.preprocessor.define.clone(),
            folders: options.preprocessor.include.clone(),
        },
    };
    let Structure { lts, notes } = load_structure(path, &options, budget)?;
    for note in notes {
        note!("entail: {note}");
    }
    Ok(lts)
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
pub fn hide(lts: Lts, names: &[String]) -> Result<Lts, Stop> {
    let mut hidden = Vec::new();
    for name in names {
        let actions = lts.actions_named(name);
        if actions.is_empty() {
            return Err(Stop::usage(format!("there is no action `{name}` to hide")));
        }
        hidden.extend(actions);
    }
    Ok(match hidden.is_empty() {
        true => lts,
        false => lts.hide(&hidden),
    })
}

/// The format that a file's name tells.
pub fn format_of(path: &Path) -> Result<GraphFormat, Stop> {
    GraphFormat::of_file(path).ok_or_else(|| {
        let known = GraphFormat::extensions().join(", .");
        Stop::usage(format!(
            "cannot tell the format of {} from its name; systems are written as: .{known}",
            path.display()
        ))
    })
}

/// Writes a system.
pub fn save(path: &Path, lts: &Lts, tau: HiddenLabel) -> Result<(), Stop> {
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
            let written = write_file_with(path, |mut out| match write_aut(&lts, &mut out, tau.into()) {
                Ok(()) => Ok(()),
                Err(WriteError::Io(error)) => Err(error),
                Err(error) => {
                    refused = Some(error.to_string());
                    Err(std::io::Error::other(error))
                }
            });
            match (written, refused) {
                (Ok(()), _) => Ok(()),
                (Err(_), Some(reason)) => {
                    Err(Stop::input(format!("cannot write {}: {reason}", path.display())))
                }
                (Err(error), None) => Err(not_written(path, &error)),
            }
        }
    }
}
