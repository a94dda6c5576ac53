//! Sets of processes.

use entail_program::Step;

/// A set of processes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Processes([u64; 4]);

impl Processes {
    /// Adds a process.
    pub fn add(&mut self, process: u8) {
        self.0[usize::from(process / 64)] |= 1 << (process % 64);
    }

    /// Adds those who take part in a step.
    pub fn add_movers(&mut self, step: &Step) {
        self.add(step.process);
        if let Some((receiver, _)) = step.receiver {
            self.add(receiver);
        }
    }

    /// Whether a process is in it.
    pub fn contains(&self, process: u8) -> bool {
        self.0[usize::from(process / 64)] >> (process % 64) & 1 == 1
    }
}
