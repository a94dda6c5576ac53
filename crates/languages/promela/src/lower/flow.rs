//! Control flow: the statements of a process type as linked elements.
//!
//! Which statements are control locations of their own decides how many states there are, so this follows SPIN closely. Every
//! statement is an *element*, linked to the next. A selection or loop has *sequences* for its options and a joining element (a *dot*) behind
//! it; loops come back to a dot in front. `goto`, `break` and dots take no step of their own when control arrives through them
//! ([`Flow::hunt`]), but do when they open an option. A block's element is a location that offers what its first statement offers.

use super::symbols::{ScopeId, SymbolId};
use crate::syntax::ast::*;
use entail_program::{Cell, LocationId, Origin};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// The number of an element, which is also its control location.
pub type ElementId = usize;

/// What an element is.
#[derive(Clone, Debug)]
pub enum Node {
    /// A statement that takes a step.
    Step(Rc<StatementKind>, ScopeId),
    Else,
    Goto(Name, u32),
    /// Behind a loop: where `break` leads.
    Exit,
    Dot,
    Choice,
    Block,
    Atomic,
    Deterministic,
    /// Where a deterministic sequence ends.
    Done,
    Unless,
    End,
}

/// A run of elements. `last` may be a dot that was put behind `extent`, the last of the text.
#[derive(Clone, Copy, Debug)]
pub struct Run {
    pub first: ElementId,
    pub last: ElementId,
    pub extent: ElementId,
}

/// An element of the control flow.
#[derive(Clone, Debug)]
pub struct Element {
    pub node: Node,
    pub next: Option<ElementId>,
    pub runs: Vec<Run>,
    /// Escapes, the outermost first.
    pub escapes: Vec<Run>,
    /// Inside an atomic sequence, and not its last statement.
    pub atomic: bool,
    /// The same before it was settled at which jumps control is given back. SPIN joins statements at that time.
    pub was_atomic: bool,
    /// The last statement of an atomic sequence.
    pub ends_atomic: bool,
    pub in_d_step: bool,
    pub labels: Vec<Name>,
    /// A formula or another process refers to its label.
    pub observed: bool,
    pub origin: Origin,
}

/// The control flow of a process type.
#[derive(Debug, Default)]
pub struct Flow {
    pub elements: Vec<Element>,
    /// Block and element of each label, by name, in the order of the text.
    pub labels: FxHashMap<Name, Vec<(u32, ElementId)>>,
    pub body: Option<Run>,
    pub cells: Vec<Cell>,
    /// Variables by name, for references from outside; the outermost of a name.
    pub locals: FxHashMap<Name, SymbolId>,
    /// Cells whose first value is computed.
    pub computed: Vec<(u32, u32, Expr, ScopeId)>,
    /// What decides whether starting such a process is a local step: its last initializer looks at more than constants and locals.
    pub starts_globally: bool,
    pub scope: Option<ScopeId>,
    /// What a process of this kind is started with.
    pub parameter_types: Vec<TypeName>,
}

impl Flow {
    /// The location of a label.
    pub fn find_label(&self, name: &str) -> Option<LocationId> {
        let (_, element) = self.labels.get(name)?.first()?;
        Some(LocationId(*element as u16))
    }

    /// The element a `goto` in a block leads to: the label of the nearest block around it, else any.
    pub fn target(&self, label: &str, block: u32, blocks: &[Option<u32>]) -> Option<ElementId> {
        let labels = self.labels.get(label)?;
        let mut at = Some(block);
        while let Some(block) = at {
            if let Some((_, found)) = labels.iter().find(|(own, _)| *own == block) {
                return Some(*found);
            }
            at = blocks[block as usize];
        }
        labels.first().map(|(_, found)| *found)
    }

    /// Where control comes to rest that moves to an element from one that is `atomic`: jumps and dots are passed, but an atomic sequence is
    /// not left on the way.
    pub fn hunt(&self, from: ElementId, atomic: bool, blocks: &[Option<u32>]) -> ElementId {
        let mut at = from;
        for _ in 0..500 {
            let element = &self.elements[at];
            let next = match &element.node {
                Node::Goto(label, block) => self.target(label, *block, blocks),
                Node::Dot | Node::Exit => element.next,
                Node::Unless => Some(self.hunt(element.runs[0].first, atomic, blocks)),
                _ => None,
            };
            match next {
                Some(next) if next != at && (!atomic || self.elements[next].atomic) => at = next,
                _ => return at,
            }
        }
        at
    }

    /// The element that opens an option.
    pub fn hunt_start(&self, from: ElementId) -> ElementId {
        let mut at = from;
        for _ in 0..200 {
            let element = &self.elements[at];
            at = match (&element.node, element.next) {
                (Node::Dot, Some(next)) => next,
                (Node::Unless, _) => element.runs[0].first,
                _ => return at,
            };
        }
        at
    }

    /// Where control is after an element, as it was seen when statements are joined.
    pub fn early_successor(&self, id: ElementId, blocks: &[Option<u32>]) -> Option<ElementId> {
        self.after(id, self.elements[id].was_atomic, blocks)
    }

    /// Where control is after an element.
    pub fn successor(&self, id: ElementId, blocks: &[Option<u32>]) -> Option<ElementId> {
        self.after(id, self.elements[id].atomic, blocks)
    }

    fn after(&self, id: ElementId, atomic: bool, blocks: &[Option<u32>]) -> Option<ElementId> {
        let element = &self.elements[id];
        let next = match &element.node {
            Node::Goto(label, block) => self.target(label, *block, blocks),
            _ => element.next,
        }?;
        Some(self.hunt(next, atomic, blocks))
    }
}
