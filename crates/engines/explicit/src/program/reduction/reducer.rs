//! Sets of processes whose steps suffice in a state.
//!
//! Overman's algorithm for persistent sets (Godefroid, *Partial-Order Methods for the Verification of Concurrent Systems*, 1996, section 4.5): begin with one process
//! that can move; whoever may at any later time get in the way of the next steps of a member becomes a member, too. In the
//! way of a step that is possible is what touches the same things; in the way of one that is not possible is what could make it
//! possible. Then nothing the others do before a member moves makes a difference to what members can do, and it can as well be done
//! afterwards.
//!
//! A set can be used in place of all steps if besides no step of it changes what the requirement looks at, and if nobody waits for ever because of it: that
//! the search sees to.

use super::access::{Manner, Unbounded};
use super::footprint::Footprint;
use super::statics::{Known, Marked, Operation, Sketch, Statics, channels};
use crate::program::steps::action::{Compiled, Working};
use crate::program::steps::layout::{CHANNEL_TAG, LENGTH, location};
use crate::program::steps::space::Successors;
use entail_program::{Action, Expression, Program, RequirementKind};
use entail_search::GroupSet;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// What a process touches, the state considered.
#[derive(Debug)]
pub(super) struct Resolved {
    /// A number of its own.
    pub(super) number: u32,
    /// What others would have to do to be in the way of its next steps, besides what the firsts say.
    pub(super) opposed: Footprint,
    /// Its next steps, besides the firsts.
    pub(super) now: Footprint,
    future: Footprint,
}

/// Finds sets that suffice. One for each thread: it remembers what it has computed.
#[derive(Clone, Debug)]
pub struct Reducer {
    pub(super) statics: Arc<Statics>,
    /// What the requirement looks at.
    visible: Arc<Footprint>,
    resolved: FxHashMap<Box<[u8]>, Arc<Resolved>>,
    key: Vec<u8>,
    /// For the state at hand, by process.
    processes: Vec<Arc<Resolved>>,
    /// By process: whom it needs in its set; none if that is not known yet.
    needs: Vec<Option<GroupSet>>,
    choices: Vec<(usize, GroupSet)>,
    /// By the numbers of what two processes touch: whether they are in each other's way, channels of operations left aside.
    pub(super) meetings: FxHashMap<(u32, u32), bool>,
}

impl Reducer {
    /// A reducer for what a requirement asks of a program, or why there is none. That the requirement does not count steps is assumed.
    pub fn new(
        program: &Program,
        compiled: &Compiled,
        question: &RequirementKind,
    ) -> Result<Reducer, String> {
        let refuse = |Unbounded(what): Unbounded| format!("the model uses {what}");
        if program.has_priorities {
            return Err(refuse(Unbounded("priorities")));
        }
        if program.has_last {
            return Err(refuse(Unbounded("`_last`")));
        }
        let flags = |flag: fn(&entail_program::Location) -> bool| -> Marked {
            let of = |process: &entail_program::ProcessType| process.locations.iter().map(flag).collect();
            program.processes.iter().map(of).collect()
        };
        let mut conditions: Vec<&Expression> = Vec::new();
        let mut marks = false;
        let marked = match question {
            RequirementKind::NoAcceptanceCycle => flags(|location| location.is_accepting),
            RequirementKind::Progress => flags(|location| location.is_progress),
            _ => flags(|_| false),
        };
        match question {
            RequirementKind::Safety => {}
            RequirementKind::NoAcceptanceCycle | RequirementKind::Progress => marks = true,
            RequirementKind::Always(formula) => {
                formula.map_atoms(&mut |&atom| conditions.extend(program.conditions.get(atom)));
            }
            RequirementKind::NeverClaim(claim) => {
                let edges = program
                    .process(*claim)
                    .locations
                    .iter()
                    .flat_map(|location| &location.edges);
                for action in edges.flat_map(|edge| edge.actions.first()) {
                    if let Action::Guard(condition) | Action::Assert(condition) = action {
                        conditions.push(condition);
                    }
                }
            }
        }
        let statics = Statics::new(program, &compiled.layout, &marked).map_err(refuse)?;
        let visible = statics
            .of_conditions(program, compiled, conditions, marks)
            .map_err(refuse)?;
        Ok(Reducer {
            statics: Arc::new(statics),
            visible: Arc::new(visible.opposed()),
            resolved: FxHashMap::default(),
            key: Vec::new(),
            processes: Vec::new(),
            needs: Vec::new(),
            choices: Vec::new(),
            meetings: FxHashMap::default(),
        })
    }

    /// Sets of processes whose steps suffice in a state, those with the fewest steps first. `out` are all successors of the state.
    pub fn choices(
        &mut self,
        compiled: &Compiled,
        state: &Working,
        out: &Successors,
    ) -> &[(usize, GroupSet)] {
        self.choices.clear();
        let movers = out.list.iter().map(|successor| successor.process);
        if out.diverges || out.timeout || movers.clone().min() == movers.clone().max() {
            return &self.choices;
        }
        let count = state.records.processes.len();
        let mut steps = vec![0usize; count];
        movers.for_each(|process| steps[usize::from(process)] += 1);
        self.processes.clear();
        self.needs.clear();
        self.needs.resize(count, None);
        for process in 0..count {
            let resolved = self.resolve(compiled, state, process);
            self.processes.push(resolved);
        }
        for seed in (0..count).rev().filter(|&seed| steps[seed] > 0) {
            let set = self.closure(compiled, state, seed);
            let members = || (0..count).filter(|&process| set.contains(process as u8));
            let taken: usize = members().map(|process| steps[process]).sum();
            if taken == out.list.len() || self.choices.iter().any(|(_, other)| set.includes(other)) {
                continue;
            }
            let mut moving = members().filter(|&process| steps[process] > 0);
            if !moving.any(|process| self.is_visible(compiled, state, process)) {
                self.choices.push((taken, set));
            }
        }
        self.choices.sort_by_key(|(taken, _)| *taken);
        &self.choices
    }

    /// What a process touches, from its location and the values that its accesses depend on.
    pub(super) fn resolve(&mut self, compiled: &Compiled, state: &Working, process: usize) -> Arc<Resolved> {
        let record = state.records.processes[process] as usize;
        let kind = state.bytes[record] as usize;
        self.key.clear();
        self.key.push(process as u8);
        self.key.extend_from_slice(&state.bytes[record..record + 3]);
        for &(at, length) in &self.statics.keys[kind] {
            self.key
                .extend_from_slice(&state.bytes[record + at..record + at + length]);
        }
        if let Some(found) = self.resolved.get(self.key.as_slice()) {
            return Arc::clone(found);
        }
        let known = &self.statics.known[kind][location(&state.bytes, record)];
        let who = (process, record);
        let now = self.statics.footprint(compiled, state, who, &known.now);
        let found = Arc::new(Resolved {
            number: self.resolved.len() as u32,
            opposed: now.opposed(),
            now,
            future: self.statics.footprint(compiled, state, who, &known.future),
        });
        self.resolved
            .insert(self.key.as_slice().into(), Arc::clone(&found));
        found
    }

    fn closure(&mut self, compiled: &Compiled, state: &Working, seed: usize) -> GroupSet {
        let mut set = GroupSet::default();
        let mut pending = vec![seed];
        while let Some(process) = pending.pop() {
            if set.contains(process as u8) {
                continue;
            }
            set.insert(process as u8);
            let needs = match self.needs[process] {
                Some(needs) => needs,
                None => {
                    let needs = self.needs_of(compiled, state, process);
                    self.needs[process] = Some(needs);
                    needs
                }
            };
            pending.extend((0..self.processes.len()).filter(|&other| needs.contains(other as u8)));
        }
        set
    }

    /// Whom a process needs in its set.
    fn needs_of(&self, compiled: &Compiled, state: &Working, process: usize) -> GroupSet {
        let mut needs = GroupSet::default();
        let record = state.records.processes[process] as usize;
        let known = &self.statics.known[state.bytes[record] as usize][location(&state.bytes, record)];
        let mut opposed = self.processes[process].opposed.clone();
        let who = (process, record);
        if !known.immediate.is_empty() {
            let immediate = self.statics.late(compiled, state, who, &known.immediate);
            opposed.add(&immediate.opposed());
        }
        let operations = self.operations(compiled, state, who, known);
        oppose_operations(compiled, state, known.firsts.len(), &operations, &mut opposed);
        for record in operations
            .iter()
            .filter_map(|&(_, channel)| channel.map(|(_, record)| record))
        {
            // Channels go with the process that made them.
            let makers = state
                .records
                .processes
                .partition_point(|&other| (other as usize) < record);
            if let Some(maker) = makers.checked_sub(1)
                && maker != process
                && self.processes[maker].future.ends
            {
                needs.insert(maker as u8);
            }
        }
        let younger = process + 1;
        if known.ends {
            if younger < self.processes.len() {
                needs.insert(younger as u8);
            }
            for (number, &channel) in state.records.channels.iter().enumerate() {
                if channel as usize > record {
                    opposed.claim(number as u8 + 1);
                }
            }
        }
        for (other, resolved) in self.processes.iter().enumerate() {
            if other != process && opposed.meets(&resolved.future) {
                needs.insert(other as u8);
            }
        }
        needs
    }

    /// What the next steps of a process do with which channels; those of the first actions come first.
    pub(super) fn operations<'s>(
        &self,
        compiled: &Compiled,
        state: &Working,
        who: (usize, usize),
        known: &'s Known,
    ) -> Vec<OnChannel<'s>> {
        let all = known.firsts.iter().chain(&known.later);
        all.map(|operation| (operation, self.channel(compiled, state, who, operation)))
            .collect()
    }

    fn channel(
        &self,
        compiled: &Compiled,
        state: &Working,
        who: (usize, usize),
        operation: &Operation,
    ) -> Option<(u8, usize)> {
        let number = compiled.evaluate(state, who, false, |view| view.value(&operation.channel));
        let number = u8::try_from(number.ok()?).ok()?;
        let record = *state.records.channels.get(usize::from(number).checked_sub(1)?)?;
        Some((number, record as usize))
    }

    /// Whether the next steps of a process change what the requirement looks at.
    fn is_visible(&self, compiled: &Compiled, state: &Working, process: usize) -> bool {
        if self.visible.meets(&self.processes[process].now) {
            return true;
        }
        let record = state.records.processes[process] as usize;
        let known = &self.statics.known[state.bytes[record] as usize][location(&state.bytes, record)];
        let mut touched = self
            .statics
            .late(compiled, state, (process, record), &known.immediate);
        for operation in known.firsts.iter().chain(&known.later) {
            if let Some((number, _)) = self.channel(compiled, state, (process, record), operation) {
                channels(&mut touched, operation.manner).insert(number);
            }
        }
        self.visible.meets(&touched)
    }
}

/// An operation, and the number of the channel that it is about and where that begins, if it is there.
pub(super) type OnChannel<'s> = (&'s Operation, Option<(u8, usize)>);

/// Adds what others would have to do to be in the way of operations on channels, the first `firsts` of which begin steps.
pub(super) fn oppose_operations(
    compiled: &Compiled,
    state: &Working,
    firsts: usize,
    operations: &[OnChannel<'_>],
    opposed: &mut Footprint,
) {
    for (position, &(operation, channel)) in operations.iter().enumerate() {
        let Some((number, record)) = channel else {
            // Nothing can be done with a channel that is not there, unless somebody makes it.
            opposed.starts = true;
            continue;
        };
        let filling = Filling {
            length: state.bytes[record + LENGTH] as usize,
            capacity: compiled.layout.channels[(state.bytes[record] - CHANNEL_TAG) as usize].capacity,
        };
        if position < firsts {
            operation.oppose(number, filling, opposed);
        } else {
            let alike = operations.iter().filter(|(other, channel)| {
                other.manner == operation.manner && channel.is_some_and(|(other, _)| other == number)
            });
            operation.oppose_later(number, filling, alike.count(), opposed);
        }
    }
}

/// How full a channel is.
#[derive(Clone, Copy)]
struct Filling {
    length: usize,
    capacity: usize,
}

impl Operation {
    /// What others would have to do to be in the way of this, or to make it possible.
    fn oppose(&self, channel: u8, filling: Filling, opposed: &mut Footprint) {
        let is_full = filling.length >= filling.capacity;
        let manners: &[Manner] = match self.manner {
            _ if filling.capacity == 0 => return opposed.claim(channel),
            Manner::Send if !is_full => &[Manner::Send, Manner::Sort, Manner::Probe, Manner::Room],
            Manner::Sort if !is_full => return opposed.claim(channel),
            Manner::Send | Manner::Sort => &[Manner::Receive],
            Manner::Room if is_full => &[Manner::Receive],
            Manner::Room => &[Manner::Send, Manner::Sort],
            _ if filling.length == 0 => &[Manner::Send, Manner::Sort],
            _ if self.anywhere => return opposed.claim(channel),
            Manner::Peek => &[Manner::Receive, Manner::Sort],
            Manner::Receive => &[Manner::Receive, Manner::Sort, Manner::Probe, Manner::Peek],
            Manner::Probe | Manner::Read | Manner::Write => return opposed.claim(channel),
        };
        for &manner in manners {
            channels(opposed, manner).insert(channel);
        }
    }

    /// The same for what is done in the middle of a step that does so many things like it: as long as there are enough messages, or
    /// enough room, whatever others do at the other end changes nothing.
    fn oppose_later(&self, channel: u8, filling: Filling, alike: usize, opposed: &mut Footprint) {
        let enough = match self.manner {
            Manner::Receive => filling.length >= alike,
            Manner::Send => filling.length + alike <= filling.capacity,
            _ => false,
        };
        match enough && filling.capacity > 0 && !self.anywhere {
            true => self.oppose(channel, filling, opposed),
            false => opposed.claim(channel),
        }
    }
}

impl Footprint {
    /// Everything that can be done with a channel.
    fn claim(&mut self, channel: u8) {
        for manner in [
            Manner::Send,
            Manner::Sort,
            Manner::Receive,
            Manner::Probe,
            Manner::Peek,
        ] {
            channels(self, manner).insert(channel);
        }
    }
}

impl Statics {
    fn footprint(
        &self,
        compiled: &Compiled,
        state: &Working,
        who: (usize, usize),
        sketch: &Sketch,
    ) -> Footprint {
        let mut all = self.late(compiled, state, who, &sketch.late);
        all.add(&sketch.certain);
        all
    }
}
