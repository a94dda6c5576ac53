//! Where sender and receiver meet.
//!
//! The sender's part is done first; everybody who is ready to receive the message goes on from there.

use super::action::{Act, CompiledEdge, Expected, Working};
use super::code::Code;
use super::layout::{Records, Width, location};
use super::space::{Before, Space, Successors};
use entail_program::{Fault, Step};

/// A message that is offered where sender and receiver meet.
struct Offered<'m> {
    channel: i32,
    message: &'m [u8],
    sender: usize,
    step: Step,
}

/// What became of an offer.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Taken {
    No,
    Yes,
    /// There is no message to offer.
    Failed,
}

impl<'a> Space<'a> {
    /// Offers a message to all who may receive it.
    #[expect(clippy::too_many_arguments, reason = "the parts of one handshake")]
    pub(super) fn offer(
        &mut self,
        state: &Working,
        who: (usize, usize),
        timeout: bool,
        edge: &CompiledEdge,
        (channel, channel_record): (i32, usize),
        step: Step,
        before: Before<'_>,
        out: &mut Successors,
    ) -> Taken {
        let Act::Send(_, fields, _) = &edge.first else {
            return Taken::No;
        };
        let compiled = self.compiled;
        let begin = out.bytes.len();
        let mut message = std::mem::take(&mut self.message);
        message.clear();
        if let Err(fault) = compiled.message(state, who, timeout, channel_record, fields, &mut message) {
            self.message = message;
            self.fail(begin, step, fault, before, out);
            return Taken::Failed;
        }
        // The sender's part is done first, and its receivers go on from there.
        let begin = self.copy(state, out);
        let sent = compiled.finish(&mut self.draft(begin, out), who, timeout, edge);
        let taken = match sent {
            Ok(()) => {
                let mut bytes = self.pool.pop().unwrap_or_default();
                bytes.clear();
                bytes.extend_from_slice(&out.bytes[begin..]);
                out.bytes.truncate(begin);
                let mut after = Working {
                    bytes,
                    records: std::mem::take(&mut self.after),
                };
                after.records.find(&compiled.layout, &after.bytes);
                let offered = Offered {
                    channel,
                    message: &message,
                    sender: who.0,
                    step,
                };
                let met = self.meet(&after, offered, timeout, before, out);
                self.pool.push(after.bytes);
                self.after = after.records;
                self.reshaped = true;
                if met { Taken::Yes } else { Taken::No }
            }
            Err(fault) => {
                self.fail(begin, step, fault, before, out);
                Taken::Yes
            }
        };
        self.message = message;
        taken
    }

    /// The receivers that are ready for an offered message; says whether there are any.
    fn meet(
        &mut self,
        after: &Working,
        offered: Offered<'_>,
        timeout: bool,
        before: Before<'_>,
        out: &mut Successors,
    ) -> bool {
        let compiled = self.compiled;
        let mut met = false;
        self.reshaped = true;
        for receiver in (0..after.records.processes.len())
            .rev()
            .filter(|&other| other != offered.sender)
        {
            let record = after.records.processes[receiver] as usize;
            let who = (receiver, record);
            let kind = after.bytes[record] as usize;
            let at = location(&after.bytes, record);
            if !compiled.processes[kind].receives[at] || !self.is_provided(after, who, kind, timeout) {
                continue;
            }
            let edges = &compiled.processes[kind].locations[at];
            let mut rank_taken = None;
            for (position, edge) in edges.iter().enumerate() {
                let rank = edge.rank;
                if rank_taken.is_some_and(|taken| taken < rank) {
                    break;
                }
                let ready = match self.is_ready(after, who, timeout, edge, &offered) {
                    Ok(false) => continue,
                    other => other,
                };
                rank_taken = Some(rank);
                met = true;
                let step = Step {
                    receiver: Some((receiver as u8, position as u16)),
                    ..offered.step
                };
                let begin = self.copy(after, out);
                let result = ready.and_then(|_| self.hand_over(begin, out, who, timeout, edge, &offered));
                match result {
                    Ok(()) => {
                        let control = edge.keeps_control.then_some(receiver as u8);
                        self.arrive(begin, step, control, before, out);
                    }
                    Err(fault) => self.fail(begin, step, fault, before, out),
                }
            }
        }
        met
    }

    fn is_ready(
        &self,
        state: &Working,
        who: (usize, usize),
        timeout: bool,
        edge: &CompiledEdge,
        offered: &Offered<'_>,
    ) -> Result<bool, Fault> {
        let Act::Receive {
            channel, expected, ..
        } = &edge.first
        else {
            return Ok(false);
        };
        let value = |code: &Code| {
            self.compiled
                .evaluate(state, who, timeout, |view| view.value(code))
        };
        if value(channel)? != offered.channel {
            return Ok(false);
        }
        let fields = self.fields_of(&state.bytes, &state.records, offered.channel);
        if expected.len() != fields.len() {
            return Err(Fault::Fields {
                given: expected.len(),
                expected: fields.len(),
            });
        }
        for (expected, (offset, width)) in expected.iter().zip(fields) {
            if let Expected::Match(code) = expected
                && value(code)? != width.load(offered.message, *offset)
            {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn fields_of(&self, bytes: &[u8], records: &Records, channel: i32) -> &'a [(usize, Width)] {
        let record = records.channels.get((channel as usize).wrapping_sub(1));
        let compiled = self.compiled;
        record.map_or(&[], |&record| {
            &compiled.channel_layout(bytes, record as usize).fields
        })
    }

    fn hand_over(
        &mut self,
        begin: usize,
        out: &mut Successors,
        who: (usize, usize),
        timeout: bool,
        edge: &CompiledEdge,
        offered: &Offered<'_>,
    ) -> Result<(), Fault> {
        let compiled = self.compiled;
        if let Act::Receive { expected, .. } = &edge.first {
            let fields = self.fields_of(&out.bytes[begin..], &self.draft, offered.channel);
            let mut draft = self.draft(begin, out);
            compiled.bind(&mut draft, who, timeout, expected, fields, offered.message)?;
        }
        compiled.finish(&mut self.draft(begin, out), who, timeout, edge)
    }
}
