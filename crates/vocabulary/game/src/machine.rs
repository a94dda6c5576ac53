//! Machines that react: states, and in each a decision diagram over what is read, with what is written and the next state at its ends.

/// Who decides first in a step of a reactive system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FirstMover {
    /// The environment: the machine sees the inputs of a step before it writes. A Mealy machine.
    Environment,
    /// The machine: it writes before it sees the inputs. A Moore machine.
    Machine,
}

/// A node of a decision diagram.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Decision {
    /// Goes on by the value of something that is read.
    Test {
        /// Its position among what is read.
        read: u32,
        /// The node if it is false.
        low: u32,
        /// The node if it is true.
        high: u32,
    },
    /// The end of a step.
    Step {
        /// What is written, in the order of its names.
        written: Vec<bool>,
        /// The next state.
        next: u32,
    },
}

/// A deterministic machine. State 0 is the first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReactiveMachine {
    /// The names of what is read.
    pub reads: Vec<String>,
    /// The names of what is written.
    pub writes: Vec<String>,
    /// Whether it writes before it reads: then all steps of a state write the same.
    pub is_moore: bool,
    /// The nodes; those a node leads to come before it.
    pub nodes: Vec<Decision>,
    /// The node of each state.
    pub states: Vec<u32>,
}

impl ReactiveMachine {
    /// Why this is no machine, if it is none: numbers that are out of range, a node that leads to a later one, a state that writes before it reads and
    /// whose steps write different things.
    pub fn fault(&self) -> Option<String> {
        for (at, node) in self.nodes.iter().enumerate() {
            let problem = match node {
                Decision::Test { read, low, high } => {
                    *read as usize >= self.reads.len() || *low as usize >= at || *high as usize >= at
                }
                Decision::Step { written, next } => {
                    written.len() != self.writes.len() || *next as usize >= self.states.len()
                }
            };
            if problem {
                return Some(format!("node {at} is broken"));
            }
        }
        if self.states.is_empty() || self.states.iter().any(|&root| root as usize >= self.nodes.len()) {
            return Some("a state has no node".to_owned());
        }
        if self.is_moore {
            let late = (0..self.states.len()).find(|&state| self.written_first(state).is_none());
            return late.map(|state| format!("state {state} reads before it writes"));
        }
        None
    }

    /// What a state writes whatever it reads, if that is always the same.
    pub fn written_first(&self, state: usize) -> Option<&[bool]> {
        let mut seen = vec![false; self.nodes.len()];
        let mut waiting = vec![*self.states.get(state)?];
        let mut found: Option<&[bool]> = None;
        while let Some(at) = waiting.pop() {
            if std::mem::replace(seen.get_mut(at as usize)?, true) {
                continue;
            }
            match &self.nodes[at as usize] {
                Decision::Test { low, high, .. } => waiting.extend([*low, *high]),
                Decision::Step { written, .. } => match found {
                    Some(other) if other != written => return None,
                    _ => found = Some(written),
                },
            }
        }
        found
    }

    /// What is written in a state for given values of what is read, and the next state.
    pub fn step(&self, state: u32, read: &dyn Fn(u32) -> bool) -> (&[bool], u32) {
        let mut at = self.states[state as usize];
        loop {
            match &self.nodes[at as usize] {
                Decision::Test {
                    read: signal,
                    low,
                    high,
                } => at = if read(*signal) { *high } else { *low },
                Decision::Step { written, next } => return (written, *next),
            }
        }
    }
}
