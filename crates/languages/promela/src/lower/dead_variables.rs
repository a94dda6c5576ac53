//! Variables that nobody will read any more are set to zero: states that differ only there are one.
//!
//! A local variable is *dead* behind a statement if on every way on it is written before it is read. SPIN resets what a statement writes, and
//! what a condition or a receive reads.

use super::flow::{ElementId, Flow, Node};
use super::machine::Machine;
use entail_program::{Action, CellType, Expression, Place, Scope};
use rustc_hash::FxHashMap;

/// After so many steps over the control flow the rest of the variables is kept: that costs states, and no text takes more time.
const MOST_WORK: usize = 200_000_000;

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

    /// For each element the elements from which control can come to it, and whether it comes there *instead* of executing them.
    fn ways_back(&self) -> Vec<Vec<(ElementId, bool)>> {
        let mut back = vec![Vec::new(); self.flow.elements.len()];
        for id in 0..self.flow.elements.len() {
            self.ways_on(id)
                .into_iter()
                .for_each(|way| back[way].push((id, false)));
            self.ways_out(id).for_each(|way| back[way].push((id, true)));
        }
        back
    }

    /// A variable is live at an element if on some way on from there it is read before it is written. Found backwards from where it is read.
    pub(super) fn forget_dead_variables(&mut self) {
        let back = self.ways_back();
        // Where each variable is read, and where it may be forgotten.
        let mut readers: FxHashMap<u32, Vec<ElementId>> = FxHashMap::default();
        let mut wishes: FxHashMap<u32, Vec<(ElementId, ElementId)>> = FxHashMap::default();
        for id in 0..self.flow.elements.len() {
            let Some(lowered) = &self.lowered[id] else {
                continue;
            };
            for &cell in &lowered.reads {
                readers.entry(cell).or_default().push(id);
            }
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
            let is_read = |cell: &u32| may_forget_what_it_reads && lowered.reads.binary_search(cell).is_ok();
            let read = lowered.reads.iter().filter(|cell| is_read(cell));
            let written = lowered.writes.iter().filter(|cell| !is_zero && !is_read(cell));
            for &cell in read.chain(written) {
                wishes.entry(cell).or_default().push((id, next));
            }
        }
        let mut resets: Vec<(ElementId, u32)> = Vec::new();
        // The variable for which an element was last found to be one where it is live.
        let mut live: Vec<Option<u32>> = vec![None; self.flow.elements.len()];
        let mut work = 0;
        let mut cells: Vec<u32> = wishes.keys().copied().collect();
        cells.sort_unstable();
        for cell in cells {
            let mut pending = readers.remove(&cell).unwrap_or_default();
            pending.iter().for_each(|&id| live[id] = Some(cell));
            while let Some(id) = pending.pop() {
                for &(from, instead) in &back[id] {
                    work += 1;
                    let lowered = self.lowered[from].as_ref();
                    let writes = lowered.is_some_and(|lowered| lowered.writes.binary_search(&cell).is_ok());
                    if live[from] != Some(cell) && (instead || !writes) {
                        live[from] = Some(cell);
                        pending.push(from);
                    }
                }
            }
            let forgotten = wishes[&cell].iter().filter(|(_, next)| live[*next] != Some(cell));
            resets.extend(forgotten.map(|(id, _)| (*id, cell)));
            if work > MOST_WORK {
                break;
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
