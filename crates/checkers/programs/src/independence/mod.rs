//! Which processes can be left out in a state without losing a violation.
//!
//! A search may take, in a state, only the steps of a set of processes if nothing that the others can do from there on, however long it takes, has anything to do with the next steps of the members: it neither makes one possible or
//! impossible, nor changes what comes of it, nor sees what it does (a persistent set; Godefroid, *Partial-Order Methods for the Verification of Concurrent Systems*, 1996). Here this is found out for the checker, with an analysis of
//! its own that shares nothing with the one by which engines choose their steps, and is coarser:
//!
//! - `touch`: what single actions look at and change, as the text tells;
//! - `sketch`: what is touched by the next step from a location, and by all steps from there on, with operands (elements of arrays, channels) that are computed in a state where the variables in them keep their values;
//! - `known`: sketches for every location of every type;
//! - [`Situation`]: in one state, who must be in a set with whom. Whoever may ever start a process, and whoever meets a partner in the middle of a step, goes with everybody.
//!
//! How full a channel is matters: sending to one that is not full and receiving from one that is not empty are in nobody's way but other senders', or other receivers', and those who ask about the channel. A step that
//! is impossible now must stay so: who could make it possible is in its way.
//!
//! **Invariant:** programs with something that cannot be told from variables and channels (priorities, `provided`, `_last`, `_nr_pr`, variables and locations of other processes) are refused as a whole.

mod known;
mod situation;
mod sketch;
mod touch;

use crate::processes::Processes;
use crate::tape::Row;
use entail_logic::{Formula, Node, Unary};
use entail_program::{Advisor, Choice, Program, Requirement, RequirementKind};
use known::{Known, all_known};
pub use situation::Situation;
use sketch::Sketch;
use std::sync::{Arc, OnceLock};
use touch::{Strange, touches_of_condition};

/// Larger formulas are refused.
const LARGEST_FORMULA: usize = 2_000;

/// What is known of a program's steps before there is a state.
#[derive(Debug)]
pub struct Dependence {
    /// By process type and location.
    known: Vec<Vec<Known>>,
    /// What the requirement looks at in states; nothing for safety.
    seen: Option<Sketch>,
    /// There may be channels where sender and receiver meet.
    has_meetings: bool,
}

impl Dependence {
    /// The analysis of a program for a requirement, or why there is none.
    pub fn new(program: &Program, requirement: &Requirement) -> Result<Dependence, String> {
        let refuse = |Strange(what): Strange| format!("where {what} matter, steps are not told apart");
        if program.has_priorities {
            return Err(refuse(Strange("priorities")));
        }
        if program.has_last {
            return Err(refuse(Strange("the last mover")));
        }
        if program.processes.iter().any(|process| process.provided.is_some()) {
            return Err(refuse(Strange("`provided` clauses")));
        }
        let known = all_known(program).map_err(refuse)?;
        let seen = match &requirement.question {
            RequirementKind::Safety => None,
            RequirementKind::Always(formula)
                if formula.size() <= LARGEST_FORMULA && !counts_steps(formula) =>
            {
                let mut seen = Sketch::default();
                let mut conditions = Vec::new();
                formula.map_atoms(&mut |&atom| conditions.push(atom));
                for condition in conditions {
                    let condition = program.conditions.get(condition);
                    let condition = condition.ok_or("the formula has an unknown condition")?;
                    for touch in touches_of_condition(condition).map_err(refuse)? {
                        seen.add(touch, &|_| false);
                    }
                }
                Some(seen)
            }
            _ => return Err("this requirement may count steps".into()),
        };
        Ok(Dependence {
            known,
            seen,
            has_meetings: program.channels.iter().any(|channel| channel.capacity == 0),
        })
    }
}

/// Whether it may matter to a formula how often a state is repeated: it has a `X`, a bound or something unusual.
fn counts_steps(formula: &Formula<usize>) -> bool {
    match formula.node() {
        Node::Constant(_) | Node::Atom(_) => false,
        Node::Not(operand) => counts_steps(operand),
        Node::And(operands) | Node::Or(operands) => operands.iter().any(counts_steps),
        Node::Implies(left, right) | Node::Iff(left, right) | Node::Xor(left, right) => {
            counts_steps(left) || counts_steps(right)
        }
        Node::Unary(Unary::Finally | Unary::Globally, interval, operand) => {
            !interval.is_always() || counts_steps(operand)
        }
        Node::Binary(_, interval, left, right) => {
            !interval.is_always() || counts_steps(left) || counts_steps(right)
        }
        _ => true,
    }
}

/// Advice for an engine that writes evidence about a reduced search. Programs are looked at when advice is asked for, and not before.
pub fn advisor_of(requirement: &Requirement) -> Arc<dyn Advisor> {
    Arc::new(Advice {
        requirement: requirement.clone(),
        dependence: OnceLock::new(),
    })
}

/// What is advised about the runs of one program.
#[derive(Debug)]
struct Advice {
    requirement: Requirement,
    /// Nothing, if there is no advice.
    dependence: OnceLock<Option<Dependence>>,
}

impl Advice {
    fn dependence(&self, program: &Program) -> Option<&Dependence> {
        let analyse = || Dependence::new(program, &self.requirement).ok();
        self.dependence.get_or_init(analyse).as_ref()
    }
}

impl Advisor for Advice {
    fn has_advice(&self, program: &Program) -> bool {
        self.dependence(program).is_some()
    }

    fn choices(&self, program: &Program, state: &[u8], steps: &[u32]) -> Vec<Choice> {
        let Some(dependence) = self.dependence(program) else {
            return Vec::new();
        };
        let mut row = Row::default();
        if row.read(program, state).is_none() || row.process_count() != steps.len() {
            return Vec::new();
        }
        let all: u32 = steps.iter().sum();
        let mut situation = Situation::new(dependence, program, &row);
        let mut found: Vec<(u32, Processes, Choice)> = Vec::new();
        for seed in (0..steps.len()).filter(|&seed| steps[seed] > 0) {
            let set = situation.closure(seed as u8);
            let members: Vec<bool> = (0..steps.len())
                .map(|process| set.contains(process as u8))
                .collect();
            let taken = steps.iter().zip(&members).filter(|(_, member)| **member);
            let count: u32 = taken.map(|(steps, _)| steps).sum();
            let is_new = found.iter().all(|(_, other, _)| *other != set);
            if count < all && is_new && !situation.is_seen(set) {
                let begins_with = seed as u8;
                found.push((count, set, Choice { begins_with, members }));
            }
        }
        found.sort_by_key(|(count, ..)| *count);
        found.into_iter().map(|(.., choice)| choice).collect()
    }
}
