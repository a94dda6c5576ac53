//! Strongly connected components (Tarjan, without recursion).
//!
//! Components are numbered in reverse topological order: every edge leads to a component with a number no larger than its
//! own. A filter leaves edges out, which is how searches look inside parts of an automaton. Linear time.

use crate::acceptance::Marks;
use crate::automaton::{Automaton, Edge, State};

/// The components of (a part of) an automaton.
pub struct Components {
    /// The component of each state; `u32::MAX` for states that were not visited.
    pub of: Vec<u32>,
    /// The states of each component.
    pub members: Vec<Vec<State>>,
}

/// What is known of one component.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Inside {
    /// It has an edge inside, so a run can stay.
    pub cyclic: bool,
    /// The marks on its inner edges, together.
    pub marks: Marks,
    /// The marks that all its inner edges share.
    pub common: Marks,
}

impl Components {
    /// The components reachable from the initial states.
    pub fn of(automaton: &Automaton) -> Components {
        Components::within(automaton, automaton.initial(), |_, _| true)
    }

    /// The components reachable from `roots` along edges for which `keep` says yes.
    pub fn within(automaton: &Automaton, roots: &[State], keep: impl Fn(State, &Edge) -> bool) -> Components {
        const UNSEEN: u32 = u32::MAX;
        let size = automaton.state_count();
        let mut index = vec![UNSEEN; size];
        let mut low = vec![0u32; size];
        let mut of = vec![UNSEEN; size];
        let mut members: Vec<Vec<State>> = Vec::new();
        let mut stack: Vec<State> = Vec::new();
        let mut calls: Vec<(State, usize)> = Vec::new();
        let mut counter = 0;
        for &root in roots {
            if index[root.index()] != UNSEEN {
                continue;
            }
            index[root.index()] = counter;
            low[root.index()] = counter;
            counter += 1;
            stack.push(root);
            calls.push((root, 0));
            while let Some(top) = calls.last_mut() {
                let (state, position) = *top;
                let edges = automaton.edges(state);
                if position < edges.len() {
                    top.1 += 1;
                    let edge = &edges[position];
                    if !keep(state, edge) {
                        continue;
                    }
                    let target = edge.target;
                    if index[target.index()] == UNSEEN {
                        index[target.index()] = counter;
                        low[target.index()] = counter;
                        counter += 1;
                        stack.push(target);
                        calls.push((target, 0));
                    } else if of[target.index()] == UNSEEN {
                        low[state.index()] = low[state.index()].min(index[target.index()]);
                    }
                } else {
                    calls.pop();
                    if let Some((parent, _)) = calls.last() {
                        low[parent.index()] = low[parent.index()].min(low[state.index()]);
                    }
                    if low[state.index()] == index[state.index()] {
                        let mut component = Vec::new();
                        while let Some(member) = stack.pop() {
                            of[member.index()] = members.len() as u32;
                            component.push(member);
                            if member == state {
                                break;
                            }
                        }
                        members.push(component);
                    }
                }
            }
        }
        Components { of, members }
    }

    /// Whether the edge stays in the component of its source.
    pub fn inner(&self, source: State, edge: &Edge) -> bool {
        self.of[source.index()] == self.of[edge.target.index()]
    }

    /// What the inner edges of a component carry.
    pub fn inside(
        &self,
        automaton: &Automaton,
        component: usize,
        keep: impl Fn(State, &Edge) -> bool,
    ) -> Inside {
        let mut inside = Inside {
            cyclic: false,
            marks: Marks::NONE,
            common: Marks(u64::MAX),
        };
        for &state in &self.members[component] {
            for edge in automaton.edges(state) {
                if self.inner(state, edge) && keep(state, edge) {
                    inside.cyclic = true;
                    inside.marks = inside.marks.with(edge.marks);
                    inside.common = inside.common.common(edge.marks);
                }
            }
        }
        inside
    }
}
