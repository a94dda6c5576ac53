//! What is touched, partly known from the text and partly computed in a state.

use super::touch::{SEND, Touch};
use crate::tape::{Eye, Row, evaluate};
use entail_program::{Expression, Place, Program};
use std::ops::Range;

/// A set of global variables.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cells(Vec<u64>);

impl Cells {
    pub fn add(&mut self, cells: Range<usize>) {
        if self.0.len() * 64 < cells.end {
            self.0.resize(cells.end.div_ceil(64), 0);
        }
        cells.for_each(|cell| self.0[cell / 64] |= 1 << (cell % 64));
    }

    pub fn meets(&self, other: &Cells) -> bool {
        self.0.iter().zip(&other.0).any(|(own, other)| own & other != 0)
    }

    pub fn has_any(&self, mut cells: Range<usize>) -> bool {
        cells.any(|cell| {
            self.0
                .get(cell / 64)
                .is_some_and(|word| word >> (cell % 64) & 1 == 1)
        })
    }
}

/// The cells that a place can be, whatever its indices are.
pub fn reach(place: &Place) -> Range<usize> {
    let (mut first, mut more) = (place.base as usize, 0);
    for index in &place.indices {
        match index.value {
            Expression::Constant(value @ 0..) if (value as u32) < index.length => {
                first += value as usize * index.stride as usize;
            }
            _ => more += index.length.saturating_sub(1) as usize * index.stride as usize,
        }
    }
    first..first + more + 1
}

/// What is touched by some actions.
#[derive(Clone, Debug, Default)]
pub struct Sketch {
    reads: Cells,
    writes: Cells,
    /// Elements of arrays of which a state tells which; whether they are written.
    elements: Vec<(Place, bool)>,
    /// Channels of which a state tells which, and how they are used.
    channels: Vec<(Expression, u8)>,
    /// How channels are used of which nothing tells which they are.
    any_channel: u8,
    pub starts: bool,
    pub ends: bool,
}

impl Sketch {
    /// Adds something; `keeps_value` says of operands whether they have, whenever it is touched, the value they have in the state in which this is asked.
    pub fn add(&mut self, touch: Touch, keeps_value: &dyn Fn(&Expression) -> bool) {
        match touch {
            Touch::Global(place, is_written) => {
                let cells = reach(&place);
                let is_told = place.indices.iter().all(|index| keeps_value(&index.value));
                if cells.len() > 1 && is_told {
                    let element = (place, is_written);
                    if !self.elements.contains(&element) {
                        self.elements.push(element);
                    }
                } else if is_written {
                    self.writes.add(cells);
                } else {
                    self.reads.add(cells);
                }
            }
            Touch::OwnWritten(_) => {}
            Touch::Channel(channel, uses) if keeps_value(&channel) => {
                match self.channels.iter_mut().find(|(other, _)| *other == channel) {
                    Some((_, known)) => *known |= uses,
                    None => self.channels.push((channel, uses)),
                }
            }
            Touch::Channel(_, uses) => self.any_channel |= uses,
            Touch::Start => self.starts = true,
            Touch::End => self.ends = true,
        }
    }

    /// What is touched if a process is in a state; `usize::MAX` is nobody.
    pub fn touched(&self, program: &Program, row: &Row, process: usize) -> Touched {
        let eye = Eye {
            program,
            process,
            timeout: false,
            longest: 1,
        };
        let mut touched = Touched {
            reads: self.reads.clone(),
            writes: self.writes.clone(),
            uses: vec![self.any_channel; row.channel_count()],
            sends_anywhere: self.any_channel & SEND != 0,
            any_channel: self.any_channel,
            starts: self.starts,
            ends: self.ends,
        };
        for (place, is_written) in &self.elements {
            let cells = match eye.resolve(row, place) {
                Ok(Some(cell)) => cell..cell + 1,
                _ => reach(place),
            };
            match is_written {
                true => touched.writes.add(cells),
                false => touched.reads.add(cells),
            }
        }
        for (channel, uses) in &self.channels {
            let number = evaluate(&eye, row, channel).ok();
            let number = number.and_then(|number| usize::try_from(number).ok()?.checked_sub(1));
            match number.and_then(|number| touched.uses.get_mut(number)) {
                Some(known) => *known |= uses,
                None => {
                    touched.uses.iter_mut().for_each(|known| *known |= uses);
                    touched.sends_anywhere |= uses & SEND != 0;
                    touched.any_channel |= uses;
                }
            }
        }
        touched
    }
}

/// What is touched, in a state.
#[derive(Clone, Debug, Default)]
pub struct Touched {
    pub reads: Cells,
    pub writes: Cells,
    /// By channel: how it is used.
    pub uses: Vec<u8>,
    /// Something may be sent to a channel of which nobody can say which it is.
    pub sends_anywhere: bool,
    /// How channels are used of which nobody can say which they are.
    pub any_channel: u8,
    pub starts: bool,
    pub ends: bool,
}
