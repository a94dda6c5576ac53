//! What an automaton's structure tells: deterministic, complete, weak, terminal, and so on.
//!
//! All linear in the edges (up to the label operations), except unambiguity, which looks at the square of the automaton.

use crate::acceptance::Marks;
use crate::automaton::{Automaton, State};
use crate::decide::emptiness::accepting_component;
use crate::label::Label;
use crate::reduce::components::Components;

impl Automaton {
    /// At most one initial state, and at most one successor for each letter.
    pub fn is_deterministic(&self) -> bool {
        let mut labels = self.labels.clone();
        self.initial.len() <= 1
            && self.edges.iter().all(|list| {
                let mut seen = Label::FALSE;
                list.iter().all(|edge| {
                    let fresh = !labels.intersects(seen, edge.label);
                    seen = labels.or(seen, edge.label);
                    fresh
                })
            })
    }

    /// At least one initial state, and at least one successor for each letter.
    pub fn is_complete(&self) -> bool {
        let mut labels = self.labels.clone();
        !self.initial.is_empty()
            && self.edges.iter().all(|list| {
                list.iter()
                    .fold(Label::FALSE, |all, edge| labels.or(all, edge.label))
                    == Label::TRUE
            })
    }

    /// All edges that leave a state carry the same marks.
    pub fn is_state_based(&self) -> bool {
        self.edges
            .iter()
            .all(|list| list.iter().all(|edge| edge.marks == list[0].marks))
    }

    /// In each component either every cycle is accepting or none is (judged by the marks all inner edges share).
    pub fn is_weak(&self) -> bool {
        let components = Components::of(self);
        let relevant = self.acceptance.marks();
        (0..components.members.len()).all(|component| {
            let inside = components.inside(self, component, |_, _| true);
            !inside.cyclic || inside.marks.common(relevant) == inside.common.common(relevant)
        })
    }

    /// Weak with every component a single state.
    pub fn is_very_weak(&self) -> bool {
        self.is_weak()
            && Components::of(self)
                .members
                .iter()
                .all(|members| members.len() == 1)
    }

    /// Weak, and accepting components are complete and never left: once there, every continuation is accepted.
    pub fn is_terminal(&self) -> bool {
        let components = Components::of(self);
        let mut labels = self.labels.clone();
        self.is_weak()
            && (0..components.members.len()).all(|component| {
                !accepting_component(self, &components, component)
                    || components.members[component].iter().all(|state| {
                        let edges = self.edges(*state);
                        edges.iter().all(|edge| components.inner(*state, edge))
                            && edges
                                .iter()
                                .fold(Label::FALSE, |all, edge| labels.or(all, edge.label))
                                == Label::TRUE
                    })
            })
    }

    /// Deterministic from every accepting component on.
    pub fn is_semi_deterministic(&self) -> bool {
        let components = Components::of(self);
        let mut follows = vec![false; self.state_count()];
        for component in (0..components.members.len()).rev() {
            let members = &components.members[component];
            let here = members.iter().any(|state| follows[state.index()])
                || accepting_component(self, &components, component);
            if here {
                for state in members {
                    follows[state.index()] = true;
                    for edge in self.edges(*state) {
                        follows[edge.target.index()] = true;
                    }
                }
            }
        }
        let mut labels = self.labels.clone();
        self.states().filter(|state| follows[state.index()]).all(|state| {
            let mut seen = Label::FALSE;
            self.edges(state).iter().all(|edge| {
                let fresh = !labels.intersects(seen, edge.label);
                seen = labels.or(seen, edge.label);
                fresh
            })
        })
    }

    /// No word has two accepting runs. (Searches the square for an accepting pair of different runs.)
    pub fn is_unambiguous(&self) -> bool {
        let mut trimmed = self.clone();
        let productive = trimmed.productive();
        trimmed.restrict_states(&productive);
        trimmed.merge_edges();
        let product = crate::algebra::product::intersection(&trimmed, &trimmed);
        let Ok((product, pairs)) = product else {
            return false;
        };
        let productive = product.productive();
        product.states().all(|state| {
            let (left, right) = pairs[state.index()];
            left == right || !productive[state.index()]
        })
    }

    /// Whether the state plainly accepts every word: the only way on is back to it, accepting.
    pub fn accepts_all_from(&self, state: State) -> bool {
        self.universal_sink(state)
    }

    /// The states that accept every word whatever the marks say: members of accepting complete sinks.
    pub(crate) fn universal_sink(&self, state: State) -> bool {
        let edges = self.edges(state);
        let mut labels = self.labels.clone();
        let all = edges
            .iter()
            .fold(Label::FALSE, |all, edge| labels.or(all, edge.label));
        let mut marks = edges.iter().map(|edge| edge.marks).collect::<Vec<Marks>>();
        marks.dedup();
        all == Label::TRUE
            && edges.iter().all(|edge| edge.target == state)
            && marks.len() == 1
            && self.acceptance.accepts(marks[0])
    }
}
