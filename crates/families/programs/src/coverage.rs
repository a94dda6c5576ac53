//! Statements of a program that no run executes, as `pan` lists them.
//!
//! All reachable states are visited with the reference interpreter, without reductions, and the statements of every step taken are noted: those
//! of the edge itself and those joined to it. A statement counts as reached if it was executed in some call, where it is one of an inline
//! function. Statements that control cannot come to whatever happens (behind a `goto`) have no edges and are not listed.

use crate::show::steps::{place, statement_at};
use entail_family::{Coverage, Unreached};
use entail_program::{Origin, ProcessTypeId, Program, Requirement, RequirementKind, StateGraph};
use entail_source::Span;
use std::collections::{BTreeMap, BTreeSet};

/// The coverage of a program with at most so many states, or why it is not known.
pub fn coverage(
    program: &Program,
    requirements: &[Requirement],
    most_states: usize,
) -> Result<Coverage, String> {
    let graph = match StateGraph::explore(program, most_states) {
        Ok(Some(graph)) => graph,
        Ok(None) => return Err(format!("the model has more than {most_states} states")),
        Err(fault) => return Err(format!("there is no initial state: {fault}")),
    };
    let mut reached: BTreeSet<Key> = BTreeSet::new();
    for (state, step) in graph.edges.iter().flat_map(|edge| &edge.steps) {
        let movers = [Some((step.process, step.edge)), step.receiver];
        for (number, edge) in movers.into_iter().flatten() {
            let Some(process) = state.processes.get(usize::from(number)) else {
                continue;
            };
            let location = &program.process(process.kind).locations[process.location.index()];
            let edge = location.edges.get(usize::from(edge));
            reached.extend(edge.into_iter().flat_map(origins).map(key));
        }
    }
    let claims: Vec<ProcessTypeId> = (requirements.iter())
        .filter_map(|requirement| match requirement.question {
            RequirementKind::NeverClaim(claim) => Some(claim),
            _ => None,
        })
        .collect();
    let mut found = Coverage {
        states: graph.states.len() as u64,
        ..Coverage::default()
    };
    for (number, process) in program.processes.iter().enumerate() {
        if claims.iter().any(|claim| usize::from(claim.0) == number) {
            continue;
        }
        let edges = process.locations.iter().flat_map(|location| &location.edges);
        let all: BTreeMap<Key, Origin> = edges
            .flat_map(origins)
            .map(|origin| (key(origin), origin))
            .collect();
        // The end of a process is no statement.
        let all = all
            .into_iter()
            .filter(|(_, origin)| !matches!(program.text(*origin), "" | "}"));
        for (key, origin) in all {
            found.parts += 1;
            if reached.contains(&key) {
                continue;
            }
            let (file, line) = program.line(origin);
            let place = place(program, file, line);
            found.unreached.push(Unreached {
                of: process.name.clone(),
                place: Some((place.file, place.line)),
                text: statement_at(program, Origin::new(origin.file, origin.span)),
            });
        }
    }
    Ok(found)
}

/// A statement by its file and place, whatever call it is of.
type Key = (u32, Span);

fn key(origin: Origin) -> Key {
    (origin.file, origin.span)
}

fn origins(edge: &entail_program::Edge) -> impl Iterator<Item = Origin> {
    std::iter::once(edge.origin).chain(edge.joined.iter().copied())
}
