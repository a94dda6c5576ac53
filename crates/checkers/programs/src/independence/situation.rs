//! One state: who must be in a sufficient set with whom.

use super::Dependence;
use super::known::{First, Known};
use super::sketch::Touched;
use super::touch::{ANY, CHANGE, LOOK, SEND, SORT, TAKE};
use crate::processes::Processes;
use crate::tape::{Eye, Filling, Row, evaluate};
use entail_program::{Expression, Program};

/// A state and what its processes may do.
pub struct Situation<'a> {
    dependence: &'a Dependence,
    program: &'a Program,
    row: &'a Row,
    /// By process: what it may touch from now on.
    futures: Vec<Touched>,
    /// By process: whom it needs, if that was asked.
    needs: Vec<Option<Processes>>,
}

impl<'a> Situation<'a> {
    /// A state.
    pub fn new(dependence: &'a Dependence, program: &'a Program, row: &'a Row) -> Situation<'a> {
        let mut situation = Situation {
            dependence,
            program,
            row,
            futures: Vec::new(),
            needs: vec![None; row.process_count()],
        };
        for process in 0..row.process_count() {
            let future = &situation.known(process).future;
            situation.futures.push(future.touched(program, row, process));
        }
        situation
    }

    fn known(&self, process: usize) -> &'a Known {
        let kind = usize::from(self.row.kind(process).0);
        &self.dependence.known[kind][self.row.location(process).index()]
    }

    /// The smallest set with a process that suffices, if a step of it is possible.
    pub fn closure(&mut self, seed: u8) -> Processes {
        let mut set = Processes::default();
        let mut pending = vec![usize::from(seed)];
        while let Some(process) = pending.pop() {
            if set.contains(process as u8) || process >= self.futures.len() {
                continue;
            }
            set.add(process as u8);
            let needs = match self.needs[process] {
                Some(needs) => needs,
                None => {
                    let needs = self.needs_of(process);
                    self.needs[process] = Some(needs);
                    needs
                }
            };
            pending.extend((0..self.futures.len()).filter(|&other| needs.contains(other as u8)));
        }
        set
    }

    /// The number of a channel, from 0 on, as a process has it now.
    fn channel(&self, process: usize, channel: &Expression) -> Option<usize> {
        let eye = Eye {
            program: self.program,
            process,
            timeout: false,
            longest: 1,
        };
        let number = evaluate(&eye, self.row, channel).ok()?;
        let number = usize::try_from(number).ok()?.checked_sub(1)?;
        (number < self.row.channel_count()).then_some(number)
    }

    /// Whom a process needs in its set: who may ever do something that has to do with its next steps.
    fn needs_of(&self, process: usize) -> Processes {
        let count = self.futures.len();
        let mut everybody = Processes::default();
        (0..count).for_each(|other| everybody.add(other as u8));
        let known = self.known(process);
        let now = known.now.touched(self.program, self.row, process);
        if now.starts || self.may_meet_inside(&now) {
            return everybody;
        }
        // By channel: the uses that are in the way.
        let mut opposed: Vec<u8> = now.uses.iter().map(|&uses| opposed_inside(uses)).collect();
        let mut used: Vec<bool> = now.uses.iter().map(|&uses| uses != 0).collect();
        for (channel, does) in &known.firsts {
            let Some(number) = self.channel(process, channel) else {
                return everybody;
            };
            opposed[number] |= opposed_first(*does, self.row.filling(self.program, number));
            used[number] = true;
        }
        let mut needs = Processes::default();
        if now.ends {
            if process + 1 < count {
                needs.add(process as u8 + 1);
            }
            for number in self.row.own_channels(process) {
                opposed[number] = ANY;
            }
        }
        for other in (0..count).filter(|&other| other != process) {
            let future = &self.futures[other];
            // Channels go with the process that they belong to.
            let takes_away = future.ends && self.row.own_channels(other).any(|number| used[number]);
            let conflicts = now.writes.meets(&future.reads)
                || now.writes.meets(&future.writes)
                || now.reads.meets(&future.writes)
                || opposed
                    .iter()
                    .zip(&future.uses)
                    .any(|(opposed, uses)| opposed & uses != 0);
            if future.starts || takes_away || conflicts {
                needs.add(other as u8);
            }
        }
        needs
    }

    /// Whether a step may go on with a partner that it meets after its first action: then nobody knows here where it ends.
    fn may_meet_inside(&self, now: &Touched) -> bool {
        let mut sends = now
            .uses
            .iter()
            .enumerate()
            .filter(|(_, uses)| *uses & (SEND | SORT) != 0);
        self.dependence.has_meetings
            && (now.sends_anywhere
                || now.any_channel & SORT != 0
                || sends.any(|(number, _)| self.row.filling(self.program, number).capacity == 0))
    }

    /// Whether the next steps of some processes may change what the requirement looks at.
    pub fn is_seen(&self, set: Processes) -> bool {
        let Some(seen) = &self.dependence.seen else {
            return false;
        };
        let seen = seen.touched(self.program, self.row, usize::MAX);
        let mut members = (0..self.futures.len()).filter(|&process| set.contains(process as u8));
        members.any(|process| {
            let known = self.known(process);
            let now = known.now.touched(self.program, self.row, process);
            let firsts = known.firsts.iter();
            let mut firsts = firsts.map(|(channel, _)| self.channel(process, channel));
            let ended = || {
                self.row
                    .own_channels(process)
                    .any(|number| seen.uses[number] != 0)
            };
            seen.reads.meets(&now.writes)
                || now.starts
                || now.ends && ended()
                || now
                    .uses
                    .iter()
                    .zip(&seen.uses)
                    .any(|(uses, seen)| uses & CHANGE != 0 && *seen != 0)
                || firsts.any(|number| number.is_none_or(|number| seen.uses[number] != 0))
        })
    }
}

/// The uses of a channel by others that are in the way of uses somewhere in a step.
fn opposed_inside(uses: u8) -> u8 {
    match uses {
        0 => 0,
        LOOK => CHANGE,
        _ => ANY,
    }
}

/// The uses of a channel by others that are in the way of what a step begins with, or would make it possible.
fn opposed_first(does: First, filling: Filling) -> u8 {
    let is_full = filling.length >= filling.capacity;
    match does {
        _ if filling.capacity == 0 => ANY,
        First::Send | First::Sort if is_full => TAKE,
        First::Send => SEND | SORT | LOOK,
        First::Sort => ANY,
        First::Take | First::TakeAnywhere if filling.length == 0 => SEND | SORT,
        First::Take => TAKE | SORT | LOOK,
        First::TakeAnywhere => ANY,
    }
}
