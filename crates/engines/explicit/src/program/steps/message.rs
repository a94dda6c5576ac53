//! Messages: what is put into channels and taken out of them.

use super::action::{Compiled, Draft, Expected, Working};
use super::code::Code;
use super::layout::{CHANNEL_TAG, ChannelLayout, LENGTH, MESSAGES, Records, Width};
use entail_program::Fault;

impl Compiled {
    /// How the channel with a record lies in bytes.
    #[inline]
    pub fn channel_layout(&self, bytes: &[u8], record: usize) -> &ChannelLayout {
        &self.layout.channels[(bytes[record] - CHANNEL_TAG) as usize]
    }

    /// The number and record of the channel of a send or receive.
    pub fn channel_of(
        &self,
        state: &Working,
        who: (usize, usize),
        timeout: bool,
        channel: &Code,
    ) -> Result<(i32, usize), Fault> {
        self.find_channel(&state.bytes, &state.records, who, timeout, channel)
    }

    #[inline]
    fn find_channel(
        &self,
        bytes: &[u8],
        records: &Records,
        who: (usize, usize),
        timeout: bool,
        channel: &Code,
    ) -> Result<(i32, usize), Fault> {
        let (number, record) = self.look(bytes, records, who, timeout, |view| {
            let number = view.value(channel);
            (number, view.channel(number))
        })?;
        record.map(|record| (number, record)).ok_or(Fault::NoChannel)
    }

    /// Writes a message for the channel with a record behind the last byte of `message`.
    pub fn message(
        &self,
        state: &Working,
        who: (usize, usize),
        timeout: bool,
        record: usize,
        fields: &[Code],
        message: &mut Vec<u8>,
    ) -> Result<(), Fault> {
        let channel = self.channel_layout(&state.bytes, record);
        let begin = message.len();
        message.resize(begin + channel.message, 0);
        for (code, (offset, width)) in fields.iter().zip(&channel.fields) {
            let number = self.evaluate(state, who, timeout, |view| view.value(code))?;
            width.store(message, begin + offset, number);
        }
        match fields.len() == channel.fields.len() {
            true => Ok(()),
            false => Err(Fault::Fields {
                given: fields.len(),
                expected: channel.fields.len(),
            }),
        }
    }

    pub(super) fn send(
        &self,
        state: &mut Draft<'_>,
        who: (usize, usize),
        timeout: bool,
        channel: &Code,
        fields: &[Code],
        sorted: bool,
    ) -> Result<bool, Fault> {
        let (_, record) = self.find_channel(state.bytes(), state.records, who, timeout, channel)?;
        let layout = self.channel_layout(state.bytes(), record);
        let length = state.bytes()[record + LENGTH] as usize;
        if length >= layout.capacity {
            return Ok(false);
        }
        let messages = record + MESSAGES;
        let end = messages + length * layout.message;
        if fields.len() != layout.fields.len() {
            return Err(Fault::Fields {
                given: fields.len(),
                expected: layout.fields.len(),
            });
        }
        for (code, (offset, width)) in fields.iter().zip(&layout.fields) {
            let number = self.value(state, who, timeout, code)?;
            width.store(state.bytes_mut(), end + offset, number);
        }
        let bytes = state.bytes_mut();
        if sorted {
            // The new message is behind the others: it changes places with the larger ones.
            let larger = |other: usize| {
                for (offset, width) in &layout.fields {
                    let (new, old) = (width.load(bytes, end + offset), width.load(bytes, other + offset));
                    if new != old {
                        return old > new;
                    }
                }
                false
            };
            let position = (0..length)
                .map(|position| messages + position * layout.message)
                .find(|&other| larger(other));
            if let Some(position) = position {
                bytes[position..end + layout.message].rotate_right(layout.message);
            }
        }
        bytes[record + LENGTH] += 1;
        Ok(true)
    }

    /// The channel's record and the position of the message that a receive takes, if there is one.
    pub(super) fn message_for(
        &self,
        bytes: &[u8],
        records: &Records,
        who: (usize, usize),
        timeout: bool,
        channel: &Code,
        (expected, anywhere, keep): (&[Expected], bool, bool),
    ) -> Result<Option<(usize, usize)>, Fault> {
        let (_, record) = self.find_channel(bytes, records, who, timeout, channel)?;
        let layout = self.channel_layout(bytes, record);
        if keep && layout.capacity == 0 {
            return Err(Fault::PolledRendezvous);
        }
        if bytes[record + LENGTH] == 0 {
            return Ok(None);
        }
        let fields = Fault::Fields {
            given: expected.len(),
            expected: layout.fields.len(),
        };
        if expected.len() > layout.fields.len() {
            return Err(fields);
        }
        let found = self.look(bytes, records, who, timeout, |view| {
            view.matching(record, anywhere, |field| match expected.get(field) {
                Some(Expected::Match(code)) => Some(code),
                _ => None,
            })
        })?;
        match found {
            Some(_) if expected.len() < layout.fields.len() => Err(fields),
            found => Ok(found.map(|position| (record, position))),
        }
    }

    pub(super) fn receive(
        &self,
        state: &mut Draft<'_>,
        who: (usize, usize),
        timeout: bool,
        channel: &Code,
        receive: (&[Expected], bool, bool),
    ) -> Result<bool, Fault> {
        let found = self.message_for(state.bytes(), state.records, who, timeout, channel, receive)?;
        let Some((record, position)) = found else {
            return Ok(false);
        };
        let (expected, _, keep) = receive;
        let layout = self.channel_layout(state.bytes(), record);
        let length = state.bytes()[record + LENGTH] as usize;
        let at = record + MESSAGES + position * layout.message;
        // Binding first and removing then is SPIN's order.
        for (expected, (offset, width)) in expected.iter().zip(&layout.fields) {
            if let Expected::Bind(spot) = expected {
                let field = width.load(state.bytes(), at + offset);
                self.assign(state, who, timeout, spot, field)?;
            }
        }
        if !keep {
            let end = record + MESSAGES + length * layout.message;
            let bytes = state.bytes_mut();
            bytes.copy_within(at + layout.message..end, at);
            bytes[end - layout.message..end].fill(0);
            bytes[record + LENGTH] -= 1;
        }
        Ok(true)
    }

    /// Stores the fields of a message, one after the other.
    pub fn bind(
        &self,
        state: &mut Draft<'_>,
        who: (usize, usize),
        timeout: bool,
        expected: &[Expected],
        fields: &[(usize, Width)],
        message: &[u8],
    ) -> Result<(), Fault> {
        for (expected, (offset, width)) in expected.iter().zip(fields) {
            if let Expected::Bind(spot) = expected {
                self.assign(state, who, timeout, spot, width.load(message, *offset))?;
            }
        }
        Ok(())
    }
}
