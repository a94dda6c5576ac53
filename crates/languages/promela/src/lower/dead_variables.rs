//! Variables that nobody will read any more are set to zero: states that differ only there are one.
//!
//! A local variable is *dead* behind a statement if on every way on it is written before it is read. SPIN resets what a statement writes, and
//! what a condition or a receive reads.

use super::flow::{ElementId, Flow, Node};
use super::machine::Machine;
use entail_program::{Action, CellType, Expression, Place, Scope};

impl Machine<'_> {
    /// Where control can be after an element, for looking ahead: the options of a selection one by one.
    fn ways_on(&self, id: ElementId) -> Vec<ElementId> {
        let element = &self.flow.elements[id];
        let mut ways: Vec<ElementId> = match element.node {
            Node::Choice => element
                .runs
                .iter()
                .map(|option| self.flow.hunt_start(option.first))
                .filter(|&start| !self.is_dead_end(start))
                .collect(),
            Node::Block | Node::Atomic | Node::Deterministic | Node::Unless => {
                vec![self.flow.hunt_start(element.runs[0].first)]
            }
            Node::Done => element.next.into_iter().collect(),
            _ => self.successor(id).into_iter().collect(),
        };
        ways.extend(self.ways_out(id));
        ways
    }

    /// Where control can be instead of executing an element.
    fn ways_out(&self, id: ElementId) -> impl Iterator<Item = ElementId> {
        let element = &self.flow.elements[id];
        let passed = matches!(element.node, Node::Dot | Node::Goto(..));
        let escapes = element.escapes.iter().filter(move |_| !passed);
        escapes.map(|escape| self.flow.hunt_start(escape.first))
    }

    /// Whether on every way on from an element a variable is written before it is read.
    fn is_dead(&self, cell: u32, from: ElementId) -> bool {
        let mut seen = vec![false; self.flow.elements.len()];
        let mut pending = vec![from];
        while let Some(id) = pending.pop() {
            if std::mem::replace(&mut seen[id], true) {
                continue;
            }
            if let Some(lowered) = &self.lowered[id] {
                if lowered.reads.contains(&cell) {
                    return false;
                }
                if lowered.writes.contains(&cell) {
                    // It may be escaped from before it is written.
                    pending.extend(self.ways_out(id));
                    continue;
                }
            }
            pending.extend(self.ways_on(id));
        }
        true
    }

    pub(super) fn forget_dead_variables(&mut self) {
        let mut resets: Vec<(ElementId, u32)> = Vec::new();
        for id in 0..self.flow.elements.len() {
            let Some(lowered) = &self.lowered[id] else {
                continue;
            };
            if self.flow.elements[id].in_d_step {
                continue;
            }
            let is_zero =
                matches!(lowered.actions.first(), Some(Action::Assign(_, value)) if value.is_constant(0));
            let may_forget_what_it_reads =
                matches!(
                    lowered.actions.first(),
                    Some(Action::Guard(_) | Action::Receive { .. })
                ) || matches!(lowered.actions.first(), Some(Action::Start { number: None, .. }));
            let Some(next) = self.successor(id) else {
                continue;
            };
            let read = lowered.reads.iter().filter(|_| may_forget_what_it_reads);
            let written = lowered.writes.iter().filter(|_| !is_zero);
            for &cell in read.chain(written) {
                if self.is_dead(cell, next) && !resets.contains(&(id, cell)) {
                    resets.push((id, cell));
                }
            }
        }
        for (id, cell) in resets {
            let place = Place {
                scope: Scope::Local,
                base: cell,
                indices: Vec::new(),
                kind: self.flow.cells[cell as usize].kind,
            };
            if let Some(lowered) = &mut self.lowered[id] {
                lowered
                    .actions
                    .push(Action::Assign(place, Expression::Constant(0)));
            }
        }
    }
}

impl Flow {
    /// Whether a cell is a variable by itself that may be forgotten: no array, no record, no channel.
    pub fn is_scalar(&self, cell: u32) -> bool {
        let cell = &self.cells[cell as usize];
        cell.kind != CellType::Channel && !cell.name.contains(['[', '.'])
    }
}
