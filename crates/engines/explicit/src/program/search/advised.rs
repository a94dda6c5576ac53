//! Reduction by somebody else's advice, for evidence: which steps suffice in a state is said by those who will check it, and what was taken of each state's steps is written down.

use crate::program::steps::action::Compiled;
use crate::program::steps::space::Successors;
use crate::program::steps::unpack::unpack;
use entail_program::state_bytes::encode;
use entail_program::{Advisor, Program, Taken};
use entail_search::{GroupSet, StateNumber};

/// How much must go on where some steps are left out, so that nothing is put off for ever.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GoesOn {
    /// One of the steps that are taken: enough for what goes wrong after finitely many steps.
    Once,
    /// All steps that are taken.
    Always,
}

/// Advice and what was made of it.
pub struct Advised<'s> {
    pub advisor: &'s dyn Advisor,
    pub program: &'s Program,
    pub goes_on: GoesOn,
    /// By state; nothing where the steps were never asked for.
    taken: Vec<Option<Taken>>,
    next: u32,
    bytes: Vec<u8>,
}

impl<'s> Advised<'s> {
    /// Nothing was asked yet.
    pub fn new(advisor: &'s dyn Advisor, program: &'s Program, goes_on: GoesOn) -> Advised<'s> {
        Advised {
            advisor,
            program,
            goes_on,
            taken: Vec::new(),
            next: 0,
            bytes: Vec::new(),
        }
    }

    /// Sets of processes whose steps suffice in a state, each with the process it is told by.
    pub fn choices(
        &mut self,
        compiled: &Compiled,
        state: &[u8],
        out: &Successors,
    ) -> Vec<(Option<u8>, GroupSet)> {
        if out.diverges || out.timeout || out.list.is_empty() {
            return Vec::new();
        }
        let state = unpack(self.program, compiled, state);
        encode(self.program, &state, &mut self.bytes);
        let mut steps = vec![0u32; state.processes.len()];
        for successor in &out.list {
            steps[usize::from(successor.process)] += 1;
        }
        let choices = self.advisor.choices(self.program, &self.bytes, &steps);
        let set_of = |members: &[bool]| {
            let mut set = GroupSet::default();
            for (process, _) in members.iter().enumerate().filter(|(_, member)| **member) {
                set.insert(process as u8);
            }
            set
        };
        let choices = choices.iter();
        choices
            .map(|choice| (Some(choice.begins_with), set_of(&choice.members)))
            .collect()
    }

    /// Notes what was taken of the steps of a state.
    pub fn note(&mut self, state: StateNumber, begins_with: Option<u8>) {
        if self.taken.len() <= state.index() {
            self.taken.resize(state.index() + 1, None);
        }
        let order = self.next;
        self.taken[state.index()] = Some(Taken { begins_with, order });
        self.next += 1;
    }

    /// What was taken of the steps of a state. Where nobody asked for them, all may be.
    pub fn taken(&self, state: StateNumber) -> Taken {
        let known = self.taken.get(state.index()).copied().flatten();
        known.unwrap_or(Taken {
            begins_with: None,
            order: u32::MAX,
        })
    }
}
