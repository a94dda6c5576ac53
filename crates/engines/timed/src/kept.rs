//! Lists that a search keeps for discrete states, one after the other: joint edges by number, and steps.

use crate::keys::{read_numbers, write_numbers};
use crate::space::{StateId, Target, Transition};
use std::sync::Arc;

/// Lists of numbers, one after the other.
#[derive(Debug, Default)]
pub(crate) struct Lists {
    numbers: Vec<u32>,
    ends: Vec<u32>,
}

impl Lists {
    pub fn push(&mut self, list: impl Iterator<Item = u32>) -> u32 {
        self.numbers.extend(list);
        self.ends.push(self.numbers.len() as u32);
        self.ends.len() as u32 - 1
    }

    pub fn get(&self, list: u32) -> Option<&[u32]> {
        let end = *self.ends.get(list as usize)?;
        let start = list.checked_sub(1).map_or(0, |before| self.ends[before as usize]);
        Some(&self.numbers[start as usize..end as usize])
    }
}

/// Bytes of kept steps, at most: the last list begins before.
pub(crate) const MOST_KEPT: usize = 1 << 31;

/// Steps of states, one list after the other, in a few bytes each.
#[derive(Debug, Default)]
pub(crate) struct Kept {
    pub bytes: Vec<u8>,
    ends: Vec<u32>,
}

impl Kept {
    pub fn push(&mut self, steps: &[Transition]) -> u32 {
        let numbers = steps.iter().flat_map(|step| {
            let target = match step.target {
                Target::State(state) => i64::from(state),
                Target::Fault(fault) => -1 - i64::from(fault),
            };
            [i64::from(step.joint), i64::from(step.effect), target]
        });
        write_numbers(&mut self.bytes, numbers);
        self.ends.push(self.bytes.len() as u32);
        self.ends.len() as u32 - 1
    }

    pub fn get(&self, list: u32) -> Option<Arc<[Transition]>> {
        let end = *self.ends.get(list as usize)?;
        let start = list.checked_sub(1).map_or(0, |before| self.ends[before as usize]);
        let numbers = read_numbers(&self.bytes[start as usize..end as usize]);
        let step = |numbers: &[i64]| Transition {
            joint: numbers[0] as u32,
            effect: numbers[1] as u32,
            target: match numbers[2] {
                fault if fault < 0 => Target::Fault((-1 - fault) as u32),
                state => Target::State(state as StateId),
            },
        };
        Some(numbers.chunks_exact(3).map(step).collect())
    }
}
