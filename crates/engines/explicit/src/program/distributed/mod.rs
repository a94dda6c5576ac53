//! Searches over several processes and machines.
//!
//! Processes that know the same secret find each other ([`connect`]) and keep signed connections with signs of life ([`link`]). States are divided among workers by their hash; [`links`] carries
//! them, in rounds, on timely dataflow. [`explore`] visits all nodes ([`nodes`]: states, or
//! pairs of a state and a watcher), [`cycles`] finds what violates a requirement about infinite runs. There is no reduction: whether a set of steps suffices would
//! have to be asked of other workers.
//!
//! When another process is lost, timely's threads panic with a message that says which, and the search never comes back: whoever runs processes of a cluster must see to it that a panic ends them.

mod connect;
mod cycles;
mod explore;
mod handshake;
mod link;
mod links;
mod nodes;
mod secret;

use super::search::path::{run_along, steps_between};
use super::search::verdict;
use super::search::watch::Watch;
use super::steps::action::Compiled;
use super::steps::space::{Space, Successors};
use connect::Membership;
use entail_answer::Answer;
use entail_budget::{Budget, Spent};
use entail_program::{Program, ProgramEvidence, Reduction, Requirement, RequirementKind, Run};
use entail_search::{Cause, Counts, Violation};
use explore::{Explored, Share};
use links::Links;
use nodes::Nodes;
pub use secret::Secret;
use std::any::Any;
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::time::Duration;
use timely::communication::allocator::ProcessBuilder;
use timely::communication::allocator::zero_copy::initialize::initialize_networking_from_sockets;
use timely::communication::{AllocatorBuilder, Hooks};
use timely::{CommunicationConfig, WorkerConfig};

/// Who takes part.
#[derive(Clone, Debug)]
pub enum Cluster {
    /// So many threads of this process.
    Threads(usize),
    /// Processes that listen at these addresses, of which this is the one with this number, with so many threads each.
    Processes {
        /// `host:port` of each.
        addresses: Vec<String>,
        /// Which of them this process is.
        index: usize,
        /// Threads of each.
        threads: usize,
        /// What all of them know and nobody else.
        secret: Secret,
    },
}

/// What may be spent.
#[derive(Debug, Default)]
pub struct Limits {
    /// On everything.
    pub all: Budget,
    /// On each requirement.
    pub each: Option<Duration>,
}

/// Decides requirements together with the other processes of a cluster, which must be asked the same of the same program. The process of the first worker
/// sends what was found out, one requirement after the other; the others send nothing.
pub fn check_together(
    program: Arc<Program>,
    requirements: Vec<Requirement>,
    cluster: &Cluster,
    limits: Limits,
    found: Sender<Answer<ProgramEvidence>>,
) -> Result<(), String> {
    let (builders, guard) = build(cluster, &limits.all)?;
    let guards = timely::execute::execute_from(builders, guard, WorkerConfig::default(), move |worker| {
        let mut links = Links::new(worker);
        // Programs that differ would be searched as one that nobody has.
        let print = fingerprint(&program, &requirements);
        if links.share(&print).iter().any(|other| *other != print) {
            return Err("the processes do not check the same model".to_owned());
        }
        for requirement in &requirements {
            let budget = match limits.each {
                Some(time) if limits.all.time_left().is_none_or(|left| time < left) => limits.all.part(time),
                _ => limits.all.same_limits(),
            };
            let mut answer = decide(&program, requirement, &mut links, &budget);
            Reduction::Refused("the search is distributed".into()).tell(&mut answer.statistics);
            if links.index() == 0 {
                // If nobody wants to know any more, the others still need this worker.
                let _ = found.send(answer);
            }
        }
        Ok(())
    })?;
    guards.join().into_iter().try_for_each(|result| result?)
}

/// What timely needs to begin.
type Communication = (Vec<AllocatorBuilder>, Box<dyn Any + Send>);

fn build(cluster: &Cluster, budget: &Budget) -> Result<Communication, String> {
    match cluster {
        Cluster::Threads(threads) => CommunicationConfig::Process((*threads).max(1)).try_build(),
        Cluster::Processes {
            addresses,
            index,
            threads,
            secret,
        } => {
            let threads = (*threads).max(1);
            let member = Membership {
                addresses,
                own: *index,
                threads,
                secret,
            };
            let links = connect::connect(&member, budget)?;
            let hooks = Hooks::default();
            let here = ProcessBuilder::new_typed_vector(threads, hooks.refill.clone(), hooks.spill.clone());
            let (builders, guard) = initialize_networking_from_sockets(here, links, *index, threads, hooks)
                .map_err(|error| format!("cannot use the connections: {error}"))?;
            let builders = builders.into_iter().map(AllocatorBuilder::Tcp).collect();
            Ok((builders, Box::new(guard)))
        }
    }
}

/// Programs of the same text differ if they were read with other definitions, by another version, or asked other things.
fn fingerprint(program: &Program, requirements: &[Requirement]) -> [u8; 32] {
    use sha2::Digest;
    // A file may have another name on another machine.
    let program = Program {
        sources: Vec::new(),
        ..program.clone()
    };
    let told = format!("{} {program:?} {requirements:?}", env!("CARGO_PKG_VERSION"));
    sha2::Sha256::digest(told).into()
}

/// What a search begins with: what watches, and the initial state.
type Beginning = (Option<Watch>, Vec<u8>);

/// Prepares the search for one requirement; otherwise what there is to say without one.
fn begin(
    program: &Program,
    compiled: &Compiled,
    requirement: &Requirement,
    budget: &Budget,
) -> Result<Beginning, Box<Answer<ProgramEvidence>>> {
    let watch = match &requirement.question {
        RequirementKind::Safety => None,
        question => {
            let space = Space::new(compiled, budget);
            Some(
                Watch::new(program, &space, question, budget)
                    .map_err(|reason| Box::new(Answer::unknown(reason)))?,
            )
        }
    };
    match compiled.initial() {
        Ok(initial) => Ok((watch, initial.bytes)),
        Err(fault) if watch.is_none() => Err(Box::new(Answer {
            reason: Some(fault.to_string()),
            ..verdict::fails(Run::default())
        })),
        Err(fault) => Err(Box::new(Answer::unknown(fault.to_string()))),
    }
}

/// Decides one requirement. Only what the first worker says has the run.
fn decide(
    program: &Program,
    requirement: &Requirement,
    links: &mut Links<'_>,
    budget: &Budget,
) -> Answer<ProgramEvidence> {
    let compiled = Compiled::new(program).map_err(|reason| Box::new(Answer::unknown(reason)));
    let begun = compiled
        .as_ref()
        .map_err(Clone::clone)
        .and_then(|compiled| begin(program, compiled, requirement, budget));
    // Either all workers search or none.
    let all_begin = links
        .share(&[u8::from(begun.is_ok())])
        .iter()
        .all(|said| said == &[1]);
    let (compiled, (watch, initial)) = match (&compiled, begun) {
        (Ok(compiled), Ok(begun)) if all_begin => (compiled, begun),
        (_, Err(answer)) => return *answer,
        _ => return Answer::unknown("another worker cannot begin"),
    };
    let mut space = Space::new(compiled, budget);
    let mut share = Share::new(watch.is_some());
    let mut nodes = Nodes::new(&mut space, watch.as_ref());
    let explored = share.explore(links, &mut nodes, &initial, budget);
    let diverges = links
        .share(&[u8::from(nodes.diverges)])
        .iter()
        .any(|said| said == &[1]);
    let counts = Counts {
        states: share.all.0,
        transitions: share.all.1,
        depth: share.depth,
        diverges,
        dead_end: None,
    };
    let mut answer = match explored {
        Explored::Stopped(reason) => Answer::unknown(reason),
        Explored::Violation(place) => {
            let path = share.path_to(links, place);
            let states = path.iter().map(|node| nodes.state(node).to_vec()).collect();
            match finite_run(nodes.space, states, watch.is_none()) {
                Ok((run, reason)) => Answer {
                    reason,
                    ..verdict::fails(run)
                },
                Err(spent) => Answer::unknown(spent.to_string()),
            }
        }
        Explored::All if watch.is_some() => infinite(&share, links, &mut nodes, counts, budget),
        Explored::All => Answer {
            reason: diverges.then(|| verdict::DIVERGES.into()),
            ..verdict::holds(counts)
        },
    };
    answer.statistics = verdict::statistics(counts);
    answer
}

/// The run along states, and what goes wrong at its end.
fn finite_run(
    space: &mut Space<'_>,
    path: Vec<Vec<u8>>,
    is_safety: bool,
) -> Result<(Run, Option<String>), Spent> {
    let mut fault = None;
    let mut repeats = false;
    if let Some(last) = path.last() {
        let mut out = Successors::default();
        space.expand(last, &mut out)?;
        match is_safety {
            true => fault = out.list.iter().find_map(|successor| successor.fault.clone()),
            // The watcher may have come to its end while the last state was repeated.
            false => repeats = out.list.is_empty() && path.iter().rev().nth(1) == Some(last),
        }
    }
    let reason = match (&fault, is_safety) {
        (Some(fault), _) => Some(fault.to_string()),
        (None, true) => Some("invalid end state".into()),
        (None, false) => None,
    };
    let cause = fault.map_or(Cause::End, Cause::Step);
    let mut run = run_along(space, &Violation { path, cause }, None)?;
    if repeats {
        run.loop_start = Some(run.steps.len());
    }
    Ok((run, reason))
}

/// Looks for an accepting cycle.
fn infinite(
    share: &Share,
    links: &mut Links<'_>,
    nodes: &mut Nodes<'_, '_>,
    counts: Counts,
    budget: &Budget,
) -> Answer<ProgramEvidence> {
    let alive = match cycles::remaining(share, links, nodes, budget) {
        Ok(alive) => alive,
        Err(reason) => return Answer::unknown(reason),
    };
    let Some((start, cycle)) = cycles::cycle(share, links, nodes, &alive) else {
        return match counts.diverges {
            true => {
                Answer::unknown("an atomic sequence can go on for ever, which the property cannot look into")
            }
            false => verdict::holds(counts),
        };
    };
    let path = share.path_to(links, start);
    let mut follow = |path: &[Vec<u8>], run: &mut Run| -> Result<(), Spent> {
        for pair in path.windows(2) {
            let (from, to) = (nodes.state(&pair[0]), nodes.state(&pair[1]));
            run.steps.extend(steps_between(nodes.space, from, to, None)?);
        }
        Ok(())
    };
    let mut run = Run::default();
    let followed = follow(&path, &mut run).and_then(|()| {
        run.loop_start = Some(run.steps.len());
        follow(&cycle, &mut run)
    });
    match followed {
        Ok(()) => verdict::fails(run),
        Err(spent) => Answer::unknown(spent.to_string()),
    }
}
