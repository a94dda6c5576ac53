//! Actions as machine code.

use super::expression::{Translator, Unsupported, size};
use crate::program::steps::action::{Act, CompiledEdge, Expected, LONGEST_SEQUENCE};
use crate::program::steps::code::Code;
use crate::program::steps::layout::{LAST, LENGTH, LOCATION, MESSAGES, PROCESSES};
use entail_machine::{Label, Operation, Size, Value, Window};
use entail_program::LocationId;

/// More bytes than this are not moved piece by piece.
const MOST_MOVED: usize = 256;

/// A deterministic sequence with more locations is left to the interpreter.
const LONGEST_TRANSLATED: usize = 64;

impl Translator<'_, '_> {
    /// 1 if the action can be performed, else 0.
    pub fn readiness(&mut self, act: &Act) -> Result<Value, Unsupported> {
        match act {
            Act::Guard(condition) => self.truth(condition),
            Act::Send(channel, ..) => self.has_room(channel),
            Act::Receive {
                channel,
                expected,
                anywhere: false,
                keep,
            } => {
                let zero = self.out.constant(0);
                let result = self.out.variable(zero);
                let (no, end) = (self.out.label(), self.out.label());
                self.receivable(channel, expected, *keep, no, |this, _, _| {
                    let one = this.out.constant(1);
                    this.out.set(result, one);
                    this.out.jump(end);
                    Ok(())
                })?;
                self.out.place(no);
                self.out.place(end);
                Ok(self.out.get(result))
            }
            Act::Receive { .. } => Err(Unsupported),
            Act::End => {
                let count = self.out.load(self.globals, PROCESSES as u32, Size::Byte);
                let next = self.combine_constant(Operation::Add, self.process, 1);
                Ok(self.out.combine(Operation::Equal, next, count))
            }
            Act::Deterministic(entry) => {
                let compiled = self.compiled;
                let zero = self.out.constant(0);
                let result = self.out.variable(zero);
                let end = self.out.label();
                for edge in compiled.processes[self.kind].locations[*entry as usize].iter() {
                    if matches!(edge.first, Act::Deterministic(_)) {
                        return Err(Unsupported);
                    }
                    let ready = self.readiness(&edge.first)?;
                    self.out.set(result, ready);
                    let next = self.out.label();
                    self.out.branch(ready, end, next);
                    self.out.place(next);
                }
                self.out.place(end);
                Ok(self.out.get(result))
            }
            _ => Ok(self.out.constant(1)),
        }
    }

    /// Code for each kind of channel in which the first message is the expected one; goes on at `no` if it is not.
    fn receivable(
        &mut self,
        channel: &Code,
        expected: &[Expected],
        keep: bool,
        no: Label,
        mut then: impl FnMut(&mut Self, usize, Window) -> Result<(), Unsupported>,
    ) -> Result<(), Unsupported> {
        let wanted: Vec<Option<&Code>> = expected
            .iter()
            .map(|expected| match expected {
                Expected::Match(code) => Some(code),
                _ => None,
            })
            .collect();
        self.each_kind(channel, |this, kind, window| {
            let layout = &this.compiled.layout.channels[kind];
            match layout.capacity {
                0 if keep => this.out.give_up(),
                // A receiver does not begin a handshake.
                0 => this.out.jump(no),
                _ if expected.len() != layout.fields.len() => {
                    let length = this.out.load(window, LENGTH as u32, Size::Byte);
                    let wrong = this.out.label();
                    this.out.branch(length, wrong, no);
                    this.out.place(wrong);
                    this.out.give_up();
                }
                _ => {
                    this.first_matches(kind, window, &wanted, no)?;
                    then(this, kind, window)?;
                }
            }
            Ok(())
        })
    }

    /// Performs an edge, its first action included.
    pub fn edge(&mut self, edge: &CompiledEdge) -> Result<(), Unsupported> {
        let blocked = self.out.label();
        self.perform(&edge.first, blocked)?;
        if self.compiled.has_last {
            self.out
                .store(self.globals, LAST as u32, Size::Byte, self.process);
        }
        self.rest(edge)?;
        let target = self.out.constant(edge.target.into());
        self.out
            .store(self.own, LOCATION as u32, Size::UnsignedShort, target);
        let one = self.out.constant(1);
        self.out.answer(one);
        self.out.place(blocked);
        let zero = self.out.constant(0);
        self.out.answer(zero);
        Ok(())
    }

    /// What blocks behind the first action is a fault.
    fn rest(&mut self, edge: &CompiledEdge) -> Result<(), Unsupported> {
        let blocked = self.out.label();
        for act in &edge.rest {
            self.perform(act, blocked)?;
        }
        let end = self.out.label();
        self.out.jump(end);
        self.out.place(blocked);
        self.out.give_up();
        self.out.place(end);
        Ok(())
    }

    fn perform(&mut self, act: &Act, blocked: Label) -> Result<(), Unsupported> {
        match act {
            Act::Guard(condition) => {
                let value = self.value(condition)?;
                let next = self.out.label();
                self.out.branch(value, next, blocked);
                self.out.place(next);
            }
            Act::Else | Act::Skip => {}
            Act::AssignLocal(at, width, code) => {
                let value = self.value(code)?;
                self.store(self.own, *at, *width, value);
            }
            Act::AssignGlobal(at, width, code) => {
                let value = self.value(code)?;
                self.store(self.globals, *at, *width, value);
            }
            Act::Assign(spot, code) => {
                let value = self.value(code)?;
                let (window, offset) = self.locate(spot)?;
                self.store(window, offset, spot.width, value);
            }
            Act::Assert(condition) | Act::Require(condition, _) => {
                let value = self.value(condition)?;
                self.out.give_up_unless(value);
            }
            Act::Print(values) => {
                for code in values {
                    self.value(code)?;
                }
            }
            Act::Send(channel, fields, false) => self.send(channel, fields, blocked)?,
            Act::Receive {
                channel,
                expected,
                anywhere: false,
                keep,
            } => self.receive(channel, expected, *keep, blocked)?,
            Act::Deterministic(entry) => self.deterministic(*entry, blocked)?,
            Act::Send(..) | Act::Receive { .. } | Act::Start(..) | Act::SetPriority(..) | Act::End => {
                return Err(Unsupported);
            }
        }
        Ok(())
    }

    fn send(&mut self, channel: &Code, fields: &[Code], blocked: Label) -> Result<(), Unsupported> {
        let end = self.out.label();
        self.each_kind(channel, |this, kind, window| {
            let compiled = this.compiled;
            let layout = &compiled.layout.channels[kind];
            if layout.capacity == 0 || layout.fields.len() != fields.len() {
                this.out.give_up();
                return Ok(());
            }
            let length = this.out.load(window, LENGTH as u32, Size::Byte);
            let has_room = this.combine_constant(Operation::Less, length, layout.capacity as i32);
            let next = this.out.label();
            this.out.branch(has_room, next, blocked);
            this.out.place(next);
            let message = layout.message as u32;
            let slots = (length, layout.capacity as u32, message);
            let slot = this.out.piece(window, MESSAGES as u32, slots, message);
            for (code, (offset, width)) in fields.iter().zip(&layout.fields) {
                let value = this.value(code)?;
                this.store(slot, *offset as u32, *width, value);
            }
            let more = this.combine_constant(Operation::Add, length, 1);
            this.out.store(window, LENGTH as u32, Size::Byte, more);
            this.out.jump(end);
            Ok(())
        })?;
        self.out.place(end);
        Ok(())
    }

    fn receive(
        &mut self,
        channel: &Code,
        expected: &[Expected],
        keep: bool,
        blocked: Label,
    ) -> Result<(), Unsupported> {
        let end = self.out.label();
        self.receivable(channel, expected, keep, blocked, |this, kind, window| {
            let compiled = this.compiled;
            let layout = &compiled.layout.channels[kind];
            for (expected, (offset, width)) in expected.iter().zip(&layout.fields) {
                if let Expected::Bind(spot) = expected {
                    let at = (MESSAGES + offset) as u32;
                    let value = this.out.load(window, at, size(*width));
                    let (place, offset) = this.locate(spot)?;
                    this.store(place, offset, spot.width, value);
                }
            }
            if !keep {
                // What is behind the last message is zero, so all slots can be moved.
                let moved = (layout.capacity - 1) * layout.message;
                if moved > MOST_MOVED || layout.message > MOST_MOVED {
                    return Err(Unsupported);
                }
                let (message, first) = (layout.message as u32, MESSAGES as u32);
                let length = this.out.load(window, LENGTH as u32, Size::Byte);
                this.out.move_down(window, first + message, first, moved as u32);
                this.out.clear(window, first + moved as u32, message);
                let less = this.combine_constant(Operation::Subtract, length, 1);
                this.out.store(window, LENGTH as u32, Size::Byte, less);
            }
            this.out.jump(end);
            Ok(())
        })?;
        self.out.place(end);
        Ok(())
    }

    /// A deterministic sequence as one piece of code: its locations are labels.
    fn deterministic(&mut self, entry: u16, blocked: Label) -> Result<(), Unsupported> {
        let compiled = self.compiled;
        let locations = &compiled.processes[self.kind].locations;
        let zero = self.out.constant(0);
        let steps = self.out.variable(zero);
        let end = self.out.label();
        let mut labels = vec![(entry, self.out.label())];
        let mut position = 0;
        self.out.jump(labels[0].1);
        while let Some(&(at, label)) = labels.get(position) {
            position += 1;
            if position > LONGEST_TRANSLATED {
                return Err(Unsupported);
            }
            self.out.place(label);
            // The interpreter says what is wrong with a sequence that is too long.
            let count = self.out.get(steps);
            let is_short = self.combine_constant(Operation::Below, count, LONGEST_SEQUENCE as i32);
            self.out.give_up_unless(is_short);
            for edge in locations[at as usize].iter() {
                if matches!(edge.first, Act::Deterministic(_)) {
                    return Err(Unsupported);
                }
                let next = self.out.label();
                self.perform(&edge.first, next)?;
                self.rest(edge)?;
                let count = self.out.get(steps);
                let more = self.combine_constant(Operation::Add, count, 1);
                self.out.set(steps, more);
                if edge.target == LocationId::DONE.0 {
                    self.out.jump(end);
                } else {
                    let known = labels.iter().find(|(target, _)| *target == edge.target);
                    let target = match known {
                        Some(&(_, label)) => label,
                        None => {
                            let label = self.out.label();
                            labels.push((edge.target, label));
                            label
                        }
                    };
                    self.out.jump(target);
                }
                self.out.place(next);
            }
            // Nothing can be done here: at the beginning it blocks, later that is a fault.
            let count = self.out.get(steps);
            let late = self.out.label();
            self.out.branch(count, late, blocked);
            self.out.place(late);
            self.out.give_up();
        }
        self.out.place(end);
        Ok(())
    }
}
