//! Removing what no accepting run uses: dead states, idle marks, superfluous acceptance sets.
//!
//! States that cannot be reached or from which nothing is accepted go. For generalized Büchi conditions, marks outside
//! accepting components say nothing and are cleared; inside one, a mark that every edge with some other mark also carries is
//! implied by it; what remains is renumbered component by component, so the automaton needs only as many marks as its
//! neediest component. Linear in the edges, times the square of the marks.

use crate::acceptance::{Acceptance, Marks};
use crate::automaton::Automaton;
use crate::decide::emptiness::accepting_component;
use crate::reduce::components::Components;

impl Automaton {
    /// Removes states that are unreachable or accept nothing. An empty language leaves one state without edges.
    pub fn prune(&mut self) {
        self.remove_unreachable();
        let productive = self.productive();
        if productive.iter().all(|&kept| kept) {
            return;
        }
        self.restrict_states(&productive);
        if self.initial.is_empty() {
            let state = self.add_state();
            self.add_initial(state);
        } else {
            self.remove_unreachable();
        }
    }

    /// Prunes states, then brings the marks of a generalized Büchi condition into their smallest form. Other conditions only lose
    /// marks that occur nowhere.
    pub fn prune_marks(&mut self) {
        self.prune();
        match self.acceptance.as_generalized_buchi() {
            Some(wanted) => self.prune_generalized_buchi(wanted),
            None => self.drop_idle_marks(),
        }
    }

    fn prune_generalized_buchi(&mut self, wanted: Marks) {
        let components = Components::of(self);
        let count = components.members.len();
        let mut needed: Vec<Option<Vec<u32>>> = Vec::with_capacity(count);
        for component in 0..count {
            if !accepting_component(self, &components, component) {
                needed.push(None);
                continue;
            }
            let mut kept: Vec<u32> = wanted.iter().collect();
            let mut position = 0;
            while position < kept.len() {
                let this = kept[position];
                let implied = kept
                    .iter()
                    .any(|&other| other != this && self.mark_implies(&components, component, other, this))
                    || self.mark_is_everywhere(&components, component, this);
                if implied {
                    kept.remove(position);
                } else {
                    position += 1;
                }
            }
            needed.push(Some(kept));
        }
        let total = needed.iter().flatten().map(Vec::len).max().unwrap_or(0) as u32;
        // If some component rejects by having no way to see a mark, at least one mark must exist to tell it apart.
        let rejecting_cycle = (0..count).any(|component| {
            needed[component].is_none() && components.inside(self, component, |_, _| true).cyclic
        });
        let total = if rejecting_cycle { total.max(1) } else { total };
        for source in 0..self.edges.len() {
            let component = components.of[source] as usize;
            for edge in &mut self.edges[source] {
                let inner = components.of[edge.target.index()] as usize == component;
                edge.marks = match &needed[component] {
                    Some(kept) if inner => {
                        let mut marks = Marks::first(total).without(Marks::first(kept.len() as u32));
                        for (position, mark) in kept.iter().enumerate() {
                            if edge.marks.has(*mark) {
                                marks = marks.with(Marks::one(position as u32));
                            }
                        }
                        marks
                    }
                    _ => Marks::NONE,
                };
            }
        }
        self.acceptance = Acceptance::generalized_buchi(total);
        self.mark_count = total;
        self.merge_edges();
    }

    fn mark_implies(&self, components: &Components, component: usize, a: u32, b: u32) -> bool {
        components.members[component].iter().all(|state| {
            self.edges(*state)
                .iter()
                .filter(|edge| components.inner(*state, edge))
                .all(|edge| !edge.marks.has(a) || edge.marks.has(b))
        })
    }

    fn mark_is_everywhere(&self, components: &Components, component: usize, mark: u32) -> bool {
        components.inside(self, component, |_, _| true).common.has(mark)
    }

    fn drop_idle_marks(&mut self) {
        let used = self
            .edges
            .iter()
            .flatten()
            .fold(Marks::NONE, |all, edge| all.with(edge.marks));
        self.acceptance = self.acceptance.restricted_to(used);
        let kept = self.acceptance.marks();
        let mut number = [0u32; 64];
        for (position, mark) in kept.iter().enumerate() {
            number[mark as usize] = position as u32;
        }
        for edge in self.edges.iter_mut().flatten() {
            edge.marks = edge.marks.common(kept).iter().fold(Marks::NONE, |all, mark| {
                all.with(Marks::one(number[mark as usize]))
            });
        }
        self.acceptance = self.acceptance.map(&mut |leaf| match leaf {
            Acceptance::Inf(mark) => Acceptance::Inf(number[*mark as usize]),
            Acceptance::Fin(mark) => Acceptance::Fin(number[*mark as usize]),
            other => other.clone(),
        });
        self.mark_count = kept.0.count_ones();
        self.merge_edges();
    }
}
