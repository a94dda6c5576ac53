//! Statements of a program that no run executes, as `pan` lists them, and edges that no run takes.
//!
//! All reachable states are visited with the reference interpreter, without reductions, and the statements of every step taken are noted: those
//! of the edge itself and those joined to it. A statement counts as reached if it was executed in some call, where it is one of an inline
//! function; in which call, and by which type of process, is a matter of its edges, which are listed where the statement is reached elsewhere. Statements that control cannot
//! come to whatever happens (behind a `goto`) have no edges and are not listed.

use crate::show::steps::{place, statement_at};
use entail_family::{Coverage, Part, PartKind};
use entail_program::{Edge, Origin, ProcessTypeId, Program, Requirement, RequirementKind, StateGraph};
use entail_source::Span;
use std::collections::{BTreeMap, BTreeSet};

/// The coverage of a program with at most so many states, or why it is not known.
pub fn coverage(program: &Program, requirements: &[Requirement], most_states: usize) -> Coverage {
    let graph = match StateGraph::explore(program, most_states) {
        Ok(Some(graph)) => graph,
        Ok(None) => return Coverage::unknown(format!("the model has more than {most_states} states")),
        Err(fault) => return Coverage::unknown(format!("there is no initial state: {fault}")),
    };
    let mut reached: BTreeSet<Key> = BTreeSet::new();
    let mut taken: BTreeSet<(usize, CallKey)> = BTreeSet::new();
    for (state, step) in graph.edges.iter().flat_map(|edge| &edge.steps) {
        let movers = [Some((step.process, step.edge)), step.receiver];
        for (number, edge) in movers.into_iter().flatten() {
            let Some(process) = state.processes.get(usize::from(number)) else {
                continue;
            };
            let location = &program.process(process.kind).locations[process.location.index()];
            let edge = location.edges.get(usize::from(edge));
            for origin in edge.into_iter().flat_map(origins) {
                reached.insert(key(origin));
                taken.insert((usize::from(process.kind.0), call_key(origin)));
            }
        }
    }
    let claims: Vec<ProcessTypeId> = (requirements.iter())
        .filter_map(|requirement| match requirement.question {
            RequirementKind::NeverClaim(claim) => Some(claim),
            _ => None,
        })
        .collect();
    let mut found = Coverage {
        states: Ok(graph.states.len() as u64),
        parts: 0,
        unreached: Vec::new(),
        proofs: None,
    };
    for (number, process) in program.processes.iter().enumerate() {
        if claims.iter().any(|claim| usize::from(claim.0) == number) {
            continue;
        }
        let edges = process.locations.iter().flat_map(|location| &location.edges);
        // The end of a process is no statement.
        let all: BTreeMap<CallKey, Origin> = edges
            .flat_map(origins)
            .filter(|origin| !matches!(program.text(*origin), "" | "}"))
            .map(|origin| (call_key(origin), origin))
            .collect();
        let statements: BTreeMap<Key, Origin> =
            (all.values()).map(|origin| (key(*origin), *origin)).collect();
        let unreached = statements.iter().filter(|(key, _)| !reached.contains(key));
        let statement = |origin: &Origin| Origin::new(origin.file, origin.span);
        let unreached = unreached.map(|(_, origin)| (PartKind::Statement, statement(origin)));
        let untaken =
            (all.iter()).filter(|(call, _)| reached.contains(&call.0) && !taken.contains(&(number, **call)));
        let untaken = untaken.map(|(_, origin)| (PartKind::Edge, *origin));
        found.parts += statements.len() + all.values().filter(|origin| origin.call.is_some()).count();
        for (kind, origin) in unreached.chain(untaken) {
            let (file, line) = program.line(origin.call().unwrap_or(origin));
            let place = place(program, file, line);
            found.unreached.push(Part {
                kind,
                of: process.name.clone(),
                place: Some((place.file, place.line)),
                text: statement_at(program, origin),
            });
        }
    }
    found
}

/// A statement by its file and place, whatever call it is of.
type Key = (u32, Span);

/// The same with the call.
type CallKey = (Key, Option<(u32, Span)>);

fn key(origin: Origin) -> Key {
    (origin.file, origin.span)
}

fn call_key(origin: Origin) -> CallKey {
    (key(origin), origin.call)
}

fn origins(edge: &Edge) -> impl Iterator<Item = Origin> {
    std::iter::once(edge.origin).chain(edge.joined.iter().copied())
}
