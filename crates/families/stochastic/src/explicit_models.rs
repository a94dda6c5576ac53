//! Reading explicit models: DRN files, UMB archives, and files of transitions with those of the same name beside them.
//!
//! Properties are written in PRISM's language. Their names are resolved in a model without commands that declares the variables of the table.

use crate::load::read_text;
use crate::model::{Origin, StochasticModel};
use entail_drn::{Beside, Table, read_beside, read_drn, read_transitions, read_umb};
use entail_family::{Input, LoadError, Usage};
use entail_markov::{Domain, Kind, Network, Variable};
use entail_prism::{Constants, ModelFile};
use entail_source::Source;

/// Reward structures beyond the first have numbers in their files' names, up to this.
const MOST_STRUCTURES: usize = 9;

/// Reads an explicit model.
pub(crate) fn load(
    input: &Input<'_>,
    source: &Source,
    constants: Constants,
) -> Result<StochasticModel, LoadError> {
    let invalid = |problem| LoadError::invalid(source, problem);
    let table = match input.language.name {
        "drn" => read_drn(source.text()).map_err(invalid)?,
        "umb" => {
            let read = read_umb(input.bytes).map_err(invalid)?;
            return of_archive(input, read.table, &read.index, constants);
        }
        _ => {
            let mut table = read_transitions(source.text()).map_err(invalid)?;
            for (suffix, what) in files_beside() {
                let stem = input.path.file_stem().unwrap_or_default().to_string_lossy();
                let path = input.path.with_file_name(format!("{stem}{suffix}"));
                if !path.is_file() {
                    continue;
                }
                let text = read_text(&path)?;
                read_beside(&mut table, what, &text).map_err(|problem| {
                    LoadError::invalid(&Source::new(path.to_string_lossy(), &text), problem)
                })?;
            }
            table
        }
    };
    let network = table.network();
    let names = declarations(&network)?;
    let origin = Origin::Explicit(input.language.name, Box::new(names));
    Ok(StochasticModel::new(source.clone(), network, constants, origin))
}

/// The model of an archive. Variables whose names PRISM does not allow cannot be asked about, and are left out.
fn of_archive(
    input: &Input<'_>,
    mut table: Table,
    index: &str,
    constants: Constants,
) -> Result<StochasticModel, LoadError> {
    let mut network = table.network();
    let names = match declarations(&network) {
        Ok(names) => names,
        Err(_) => {
            table.variables.clear();
            network = table.network();
            declarations(&network)?
        }
    };
    let origin = Origin::Explicit(input.language.name, Box::new(names));
    let source = Source::new(input.name, index);
    Ok(StochasticModel::new(source, network, constants, origin))
}

/// The endings of files that belong to transitions. PRISM writes one structure as `m.srew`, several as `m1.srew`, `m2.srew`.
fn files_beside() -> Vec<(String, Beside)> {
    let mut files = vec![
        (".lab".to_owned(), Beside::Labels),
        (".sta".to_owned(), Beside::States),
        (".srew".to_owned(), Beside::StateRewards(0)),
        (".trew".to_owned(), Beside::TransitionRewards(0)),
    ];
    for number in 1..=MOST_STRUCTURES {
        files.push((format!("{number}.srew"), Beside::StateRewards(number - 1)));
        files.push((format!("{number}.trew"), Beside::TransitionRewards(number - 1)));
    }
    files
}

/// The same for a network whose variables have other names, too: those that PRISM does not allow cannot be asked about.
pub(crate) fn declarations_of_some(network: &Network) -> Result<ModelFile, LoadError> {
    let mut variables = network.variables.clone();
    for (at, variable) in variables.iter_mut().enumerate() {
        let alone = format!("dtmc module m {} : bool; endmodule", variable.name);
        if variable.hidden || entail_prism::read_model(&alone).is_err() {
            variable.name = format!("unnamed_variable_{at}");
        }
    }
    declared(network.kind, &variables)
}

fn declarations(network: &Network) -> Result<ModelFile, LoadError> {
    declared(network.kind, &network.variables)
}

/// A PRISM model that declares some variables, and nothing else.
fn declared(kind: Kind, variables: &[Variable]) -> Result<ModelFile, LoadError> {
    let mut text = format!("{}\nmodule states\n", kind.name());
    for variable in variables {
        let domain = match variable.domain {
            Domain::Bool => "bool".to_owned(),
            Domain::Range(low, high) => format!("[{low}..{high}]"),
            Domain::Unbounded => "int".to_owned(),
        };
        text += &format!("{} : {domain};\n", variable.name);
    }
    text += "endmodule\n";
    entail_prism::read_model(&text).map_err(|problem| {
        Usage(format!(
            "a variable of the states has no name that PRISM allows: {problem}"
        ))
        .into()
    })
}
