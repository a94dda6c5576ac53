//! Random automata, reproducible from a seed: for differential tests and for measuring.

use crate::acceptance::{Acceptance, Marks};
use crate::automaton::{Automaton, State};
use crate::error::Result;
use crate::ltl::random::Random;

/// What random automata look like.
#[derive(Clone, Debug, PartialEq)]
pub struct RandomAutomaton {
    /// Number of states, at least one.
    pub states: usize,
    /// Propositions `p0, p1, …`.
    pub propositions: usize,
    /// Edges that leave each state, before equal ones are joined.
    pub edges: usize,
    /// The condition, and the number of its marks.
    pub acceptance: (Acceptance, u32),
    /// An edge carries each mark with this chance, in percent.
    pub marked: usize,
}

impl RandomAutomaton {
    /// The next random automaton.
    pub fn draw(&self, random: &mut Random) -> Result<Automaton> {
        let names: Vec<String> = (0..self.propositions).map(|i| format!("p{i}")).collect();
        let mut automaton = Automaton::new(names, self.acceptance.0.clone(), self.acceptance.1)?;
        let states = self.states.max(1);
        for _ in 0..states {
            automaton.add_state();
        }
        automaton.add_initial(State(0));
        for source in 0..states as u32 {
            for _ in 0..self.edges {
                let letter = random.draw() & automaton.letter_mask();
                // Some labels are one letter, some leave all propositions but one open.
                let label = if self.propositions > 0 && random.below(3) == 0 {
                    let chosen = random.below(self.propositions) as u32;
                    automaton.labels.literal(chosen, letter & 1 == 0)
                } else {
                    automaton.labels.minterm(letter, self.propositions)
                };
                let target = State(random.below(states) as u32);
                let marks = (0..self.acceptance.1)
                    .filter(|_| random.below(100) < self.marked)
                    .fold(Marks::NONE, |all, mark| all.with(Marks::one(mark)));
                automaton.add_edge(State(source), label, target, marks);
            }
        }
        automaton.merge_edges();
        Ok(automaton)
    }
}
