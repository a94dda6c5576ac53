//! Whether an automaton accepts a lasso word, straight from the definition.
//!
//! The product of the word's positions and the states is a finite graph. A run is accepting iff the marks on the edges it
//! takes infinitely often satisfy the condition; so for each accepting set of marks we ask for a strongly connected part
//! whose marks are exactly that set. Exponential in the number of marks on purpose: it shares nothing with the emptiness
//! check and serves as its judge. With more than [`NAIVE_MARKS`] marks the generic emptiness check answers instead.

use crate::acceptance::Marks;
use crate::automaton::{Automaton, Edge, State};
use crate::label::Label;
use crate::reduce::components::Components;
use crate::word::LassoWord;

/// The largest number of marks for which all sets are tried.
pub const NAIVE_MARKS: u32 = 10;

impl Automaton {
    /// Whether the word is accepted.
    pub fn accepts(&self, word: &LassoWord) -> bool {
        self.accepts_from(self.initial(), word)
    }

    /// Whether the word is accepted from one of these states.
    pub fn accepts_from(&self, start: &[State], word: &LassoWord) -> bool {
        let product = self.word_product(start, word);
        let used = product
            .edges
            .iter()
            .flatten()
            .fold(Marks::NONE, |all, edge| all.with(edge.marks));
        let used = used.common(self.acceptance().marks());
        if used.0.count_ones() > NAIVE_MARKS {
            return !product.is_empty();
        }
        let list: Vec<u32> = used.iter().collect();
        (0u64..1 << list.len()).any(|subset| {
            let marks = list
                .iter()
                .enumerate()
                .filter(|(bit, _)| subset >> bit & 1 == 1)
                .fold(Marks::NONE, |all, (_, mark)| all.with(Marks::one(*mark)));
            self.acceptance().accepts(marks) && has_part_with_exactly(&product, marks, used)
        })
    }

    /// The graph of positions and states that runs over the word take.
    pub(crate) fn word_product(&self, start: &[State], word: &LassoWord) -> Automaton {
        let word = word.over(self.propositions());
        let size = word.len();
        let mut product = Automaton {
            propositions: Vec::new(),
            labels: crate::label::Labels::default(),
            edges: vec![Vec::new(); size * self.state_count()],
            initial: start.to_vec(),
            acceptance: self.acceptance().clone(),
            mark_count: self.mark_count(),
            name: None,
        };
        let number = |position: usize, state: State| State((position * self.state_count()) as u32 + state.0);
        for position in 0..size {
            for state in self.states() {
                product.edges[number(position, state).index()] = self
                    .successors(state, word.letter(position))
                    .map(|(target, marks)| Edge {
                        label: Label::TRUE,
                        target: number(word.next(position), target),
                        marks,
                    })
                    .collect();
            }
        }
        product
    }
}

fn has_part_with_exactly(graph: &Automaton, marks: Marks, relevant: Marks) -> bool {
    let keep = |_: State, edge: &Edge| edge.marks.common(relevant).subset(marks);
    // First what is reachable at all, then components using only the allowed edges.
    let reachable = Components::of(graph);
    let roots: Vec<State> = graph
        .states()
        .filter(|state| reachable.of[state.index()] != u32::MAX)
        .collect();
    let components = Components::within(graph, &roots, keep);
    (0..components.members.len()).any(|component| {
        let inside = components.inside(graph, component, keep);
        inside.cyclic && inside.marks.common(relevant) == marks
    })
}
