//! Abstraction maps for a model: read, checked, and handed to the engine that uses them.

use crate::load::read_named;
use crate::model::{Content, SystemModel};
use entail_abstraction::{AbstractOptions, MaySteps, Mode, NoPartition, Splitting, States, check_partition};
use entail_budget::Budget;
use entail_family::LoadError;
use entail_model::{TransitionSystem, Value, VarId};
use entail_smv::{DataMap, MapMode, Scope, read_abstraction_map};
use entail_source::{Diagnostic, Diagnostics};
use std::path::Path;

/// Reads an abstraction map (`.abs`) for a model. Without refinement it is used as it is written.
pub(crate) fn load(
    model: &mut SystemModel,
    path: &Path,
    budget: &Budget,
) -> Result<AbstractOptions, LoadError> {
    let source = read_named(path)?;
    let Content { system, scope, .. } = &mut model.content;
    let scope = scope.get_or_insert_with(|| Scope::of_system(system));
    let map = read_abstraction_map(&source, scope, system)
        .map_err(|problems| LoadError::invalid(&source, problems))?;
    let problems: Vec<Diagnostic> = (map.data_maps.iter())
        .filter_map(|map| no_partition(system, map, budget))
        .collect();
    if !problems.is_empty() {
        return Err(LoadError::invalid(&source, Diagnostics(problems)));
    }
    Ok(AbstractOptions {
        abstraction: map.abstraction,
        mode: match map.mode {
            Some(MapMode::May) => Mode::May,
            Some(MapMode::Must) => Mode::Must,
            Some(MapMode::ThreeValued) | None => Mode::ThreeValued,
        },
        relation: match map.approximated {
            true => MaySteps::Approximated,
            false => MaySteps::Exact,
        },
        states: match map.reachable {
            true => States::Reachable,
            false => States::All,
        },
        splitting: match map.split_one {
            true => Splitting::One,
            false => Splitting::All,
        },
        refine: false,
        ..AbstractOptions::default()
    })
}

/// What is wrong with the classes of a map, if they are no partition.
fn no_partition(system: &TransitionSystem, map: &DataMap, budget: &Budget) -> Option<Diagnostic> {
    let conditions: Vec<_> = map.classes.iter().map(|class| class.condition).collect();
    let shown = |values: &[(VarId, Value)]| -> String {
        let each = values
            .iter()
            .map(|(id, value)| format!("{} = {value}", system.variable(*id).name));
        each.collect::<Vec<_>>().join(", ")
    };
    match check_partition(system, &conditions, budget) {
        Ok(Ok(())) => None,
        Ok(Err(NoPartition::Uncovered(values))) => Some(
            Diagnostic::error(
                "abs::uncovered",
                format!("the classes of `{}` do not cover {}", map.name, shown(&values)),
                map.span,
                "every value needs a class",
            )
            .with_help("add a class for what is left, or make one of them wider"),
        ),
        Ok(Err(NoPartition::Overlap(first, second, values))) => {
            let (first, second) = (&map.classes[first], &map.classes[second]);
            let message = format!(
                "the classes `{}` and `{}` of `{}` overlap: both have {}",
                first.name,
                second.name,
                map.name,
                shown(&values)
            );
            Some(
                Diagnostic::error("abs::overlap", message, second.span, "this class")
                    .with_label(first.span, "and this one"),
            )
        }
        Err(_) => Some(Diagnostic::error(
            "abs::unchecked",
            format!(
                "it could not be decided whether the classes of `{}` are a partition",
                map.name
            ),
            map.span,
            "within the limits of memory and time",
        )),
    }
}
