//! Graph algorithms written straight from the definitions, to compare the fixpoints with.
use entail_fixpoint::{Graph, GraphAlgebra};
use proptest::prelude::*;

/// A small graph with two propositions.
#[derive(Clone, Debug)]
pub struct Small {
    pub states: usize,
    pub edges: Vec<(u32, u32)>,
    pub p: Vec<usize>,
    pub q: Vec<usize>,
}

impl Small {
    pub fn algebra(&self) -> GraphAlgebra {
        let labelled = self.edges.iter().map(|&(from, to)| (from, "a", to));
        GraphAlgebra::new(Graph::labelled(self.states, labelled))
            .with_atom("p", self.p.clone())
            .with_atom("q", self.q.clone())
    }

    pub fn successors(&self, state: usize) -> Vec<usize> {
        self.edges
            .iter()
            .filter(|(from, _)| *from as usize == state)
            .map(|(_, to)| *to as usize)
            .collect()
    }

    pub fn has(&self, state: usize, proposition: &str) -> bool {
        match proposition {
            "p" => self.p.contains(&state),
            _ => self.q.contains(&state),
        }
    }

    /// The states reachable from one in at least `least` (0 or 1) steps through states that satisfy `inside` (the first and the
    /// last included).
    pub fn reach(&self, from: usize, least: usize, inside: impl Fn(usize) -> bool) -> Vec<usize> {
        let mut seen = vec![false; self.states];
        let mut work = Vec::new();
        if !inside(from) {
            return vec![];
        }
        if least == 0 {
            work.push(from);
        } else {
            work.extend(self.successors(from));
        }
        while let Some(state) = work.pop() {
            if inside(state) && !seen[state] {
                seen[state] = true;
                work.extend(self.successors(state));
            }
        }
        (0..self.states).filter(|&state| seen[state]).collect()
    }

    /// Whether from the state an infinite path inside meets every set infinitely often: some reachable state lies with members
    /// of all sets on one cycle.
    pub fn fair_cycle(
        &self,
        from: usize,
        inside: impl Fn(usize) -> bool + Copy,
        sets: &[Vec<usize>],
    ) -> bool {
        self.reach(from, 0, inside).into_iter().any(|turn| {
            let round = self.reach(turn, 1, inside);
            round.contains(&turn)
                && sets.iter().all(|set| {
                    round
                        .iter()
                        .any(|&met| set.contains(&met) && self.reach(met, 1, inside).contains(&turn))
                })
        })
    }

    /// Whether a path inside (of any length, 0 included) ends in a dead end inside.
    pub fn ends(&self, from: usize, inside: impl Fn(usize) -> bool) -> bool {
        self.reach(from, 0, inside)
            .into_iter()
            .any(|state| self.successors(state).is_empty())
    }
}

/// Graphs of up to five states; `total` ones have a successor everywhere.
pub fn graphs(total: bool) -> impl Strategy<Value = Small> {
    (1usize..6).prop_flat_map(move |states| {
        let edge = (0..states as u32, 0..states as u32);
        (
            Just(states),
            prop::collection::vec(edge, 0..10),
            prop::collection::vec(0..states, 0..4),
            prop::collection::vec(0..states, 0..4),
            prop::collection::vec(0..states as u32, states),
        )
            .prop_map(move |(states, mut edges, p, q, fallback)| {
                if total {
                    for state in 0..states as u32 {
                        if !edges.iter().any(|(from, _)| *from == state) {
                            edges.push((state, fallback[state as usize]));
                        }
                    }
                }
                Small { states, edges, p, q }
            })
    })
}
