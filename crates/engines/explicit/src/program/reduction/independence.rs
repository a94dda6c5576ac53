//! Which processes are independent in a state, for sleep sets: neither changes what the other can do next, and both orders lead to the same state.
//!
//! The next steps of two processes are compared, those that are not possible included: what could make them possible is in their way. Whatever depends on the future of a process plays no part. On the safe side, nobody is independent of a process that
//!
//! - may meet a partner, whose steps then belong to its own (a channel without room is all that is asked),
//! - starts a process or ends, because processes and channels have numbers,
//! - uses a channel that is not there.
//!
//! Where nobody could move before `timeout` was true, and where an atomic sequence goes on for ever, nobody is independent. Quadratic in the number of processes that can move; what depends on nothing but the places of two processes is remembered.

use super::footprint::{ChannelSet, Footprint};
use super::reducer::{Reducer, Resolved, oppose_operations};
use super::statics::channels;
use crate::program::steps::action::{Compiled, Working};
use crate::program::steps::layout::{CHANNEL_TAG, location};
use crate::program::steps::space::Successors;
use entail_search::GroupSet;
use std::sync::Arc;

/// What the next steps of a process do.
struct Next {
    process: u8,
    resolved: Arc<Resolved>,
    /// What the values of other variables and the channels add to that: what is in the way, and what is touched.
    added: Option<(Footprint, Footprint)>,
}

impl Reducer {
    /// For each process with a step in `out` that is not alone: the processes, of those with a step and those that are asleep, that are independent of it.
    pub fn independence(
        &mut self,
        compiled: &Compiled,
        state: &Working,
        out: &Successors,
        asleep: &GroupSet,
        found: &mut Vec<(u8, GroupSet)>,
    ) {
        if out.timeout || out.diverges {
            return;
        }
        let mut moving = *asleep;
        out.list
            .iter()
            .for_each(|successor| moving.insert(successor.process));
        let moving = moving.low_word();
        if moving.count_ones() < 2 {
            return;
        }
        let without_room = without_room(compiled, state);
        let count = state.records.processes.len().min(64);
        let processes = (0..count).filter(|process| moving >> process & 1 == 1);
        let next: Vec<Next> = processes
            .filter_map(|process| self.next_of(compiled, state, process, without_room.as_ref()))
            .collect();
        found.extend(next.iter().map(|one| (one.process, GroupSet::default())));
        for first in 0..next.len() {
            for second in first + 1..next.len() {
                if !self.are_dependent(&next[first], &next[second]) {
                    found[first].1.insert(next[second].process);
                    found[second].1.insert(next[first].process);
                }
            }
        }
    }

    /// What a process does next; nothing if nobody is independent of that.
    fn next_of(
        &mut self,
        compiled: &Compiled,
        state: &Working,
        process: usize,
        without_room: Option<&ChannelSet>,
    ) -> Option<Next> {
        let resolved = self.resolve(compiled, state, process);
        let meets = |touched: &Footprint| without_room.is_some_and(|channels| touched.uses(channels));
        if resolved.now.starts || resolved.now.ends || meets(&resolved.now) {
            return None;
        }
        let record = state.records.processes[process] as usize;
        let known = &self.statics.known[state.bytes[record] as usize][location(&state.bytes, record)];
        if known.ends {
            return None;
        }
        let mut added = None;
        if !known.firsts.is_empty() || !known.later.is_empty() || !known.immediate.is_empty() {
            let who = (process, record);
            let mut touched = self.statics.late(compiled, state, who, &known.immediate);
            let mut opposed = touched.opposed();
            let operations = self.operations(compiled, state, who, known);
            for &(operation, channel) in &operations {
                channels(&mut touched, operation.manner).insert(channel?.0);
            }
            if meets(&touched) {
                return None;
            }
            oppose_operations(compiled, state, known.firsts.len(), &operations, &mut opposed);
            added = Some((opposed, touched));
        }
        Some(Next {
            process: process as u8,
            resolved,
            added,
        })
    }

    fn are_dependent(&mut self, first: &Next, second: &Next) -> bool {
        let (one, other) = (&first.resolved, &second.resolved);
        let known = self.meetings.entry((one.number, other.number));
        *known.or_insert_with(|| one.opposed.meets(&other.now) || other.opposed.meets(&one.now))
            || first.hinders(second)
            || second.hinders(first)
    }
}

impl Next {
    /// Whether one gets in the way of the other, as far as that depends on more than their places.
    fn hinders(&self, other: &Next) -> bool {
        let touched = self.added.as_ref().map(|(_, touched)| touched);
        let opposed = other.added.as_ref().map(|(opposed, _)| opposed);
        touched.is_some_and(|touched| other.resolved.opposed.meets(touched))
            || opposed.is_some_and(|opposed| {
                opposed.meets(&self.resolved.now) || touched.is_some_and(|touched| opposed.meets(touched))
            })
    }
}

/// The channels without room for messages, if the program has any.
fn without_room(compiled: &Compiled, state: &Working) -> Option<ChannelSet> {
    let kinds = &compiled.layout.channels;
    if kinds.iter().all(|kind| kind.capacity > 0) {
        return None;
    }
    let mut found = ChannelSet::default();
    for (number, &record) in state.records.channels.iter().enumerate() {
        let kind = usize::from(state.bytes[record as usize] - CHANNEL_TAG);
        if kinds[kind].capacity == 0 {
            found.insert(number as u8 + 1);
        }
    }
    Some(found)
}
