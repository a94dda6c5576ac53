//! From control flow to guarded edges.
//!
//! Two of SPIN's reductions are made here, because they decide what a state is:
//! - *Statement merging* (Holzmann, *The engineering of a model checker*, 1999): steps that cannot block and that no other process can
//!   notice are joined with the step before them.
//! - *Dead variables*: a local variable that is written before it is read on every way on is set to zero after its last use.
//!
//! Both are switched off where SPIN does: merging with `provided` clauses, both with references to variables of other processes.

use super::Lowering;
use super::flow::{ElementId, Flow, Node};
use crate::syntax::parser::{Fail, wrong};
use entail_program::{Action, Edge, Location, LocationId, Origin};
use rustc_hash::FxHashSet;
use std::cell::Cell;

/// What an element does, and how it may be joined with others.
#[derive(Clone, Debug)]
pub struct Lowered {
    pub actions: Vec<Action>,
    pub class: Class,
    /// It touches what other processes can see.
    pub is_global: bool,
    pub reads: Vec<u32>,
    pub writes: Vec<u32>,
}

/// Kinds of steps, as far as joining goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// May block; what follows may be joined to it.
    Guard,
    Receive,
    Send,
    /// Cannot block.
    Plain,
    /// Neither is joined nor joins.
    Apart,
}

/// An edge that is offered at some element.
#[derive(Clone, Debug)]
struct Offer {
    edge: Edge,
    /// The statement.
    element: ElementId,
    /// Where the escape begins, if it is one.
    escape: Option<ElementId>,
}

/// Makes the locations of one process type.
pub struct Machine<'a> {
    pub(super) lowering: &'a Lowering,
    pub(super) flow: &'a Flow,
    pub(super) lowered: Vec<Option<Lowered>>,
    merges: bool,
    /// Where sender and receiver meet, sends join nothing.
    has_rendezvous: bool,
    /// SPIN's number of the first element; the others follow.
    first_number: u32,
    /// The size of each element's actions, and of all edges made so far.
    sizes: Vec<usize>,
    made: Cell<usize>,
}

/// The edges of a process type have no more actions and parts of expressions together.
const MOST_MADE: usize = 1 << 22;

/// What is not done for never claims.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reductions {
    pub merging: bool,
    pub dead_variables: bool,
}

impl Reductions {
    pub const NONE: Reductions = Reductions {
        merging: false,
        dead_variables: false,
    };
}

impl<'a> Machine<'a> {
    /// The locations of a process type; location and element have the same number. Those where control cannot come to from where it is said
    /// to begin have no edges.
    pub fn locations(
        lowering: &'a Lowering,
        flow: &'a Flow,
        reductions: Reductions,
        first_number: u32,
        begin: Vec<ElementId>,
    ) -> Result<Vec<Location>, Fail> {
        let mut machine = Machine {
            lowering,
            flow,
            lowered: Vec::new(),
            merges: reductions.merging,
            has_rendezvous: lowering
                .program
                .channels
                .iter()
                .any(|channel| channel.capacity == 0),
            first_number,
            sizes: Vec::new(),
            made: Cell::new(0),
        };
        for id in 0..flow.elements.len() {
            let lowered = lowering.keep(machine.lower(id));
            machine.lowered.push(lowered.flatten());
        }
        lowering.unless_failed()?;
        if reductions.dead_variables {
            machine.forget_dead_variables();
        }
        if let Some(trace) = &lowering.trace {
            for (lowered, element) in machine.lowered.iter_mut().zip(&flow.elements) {
                let Some(lowered) = lowered else { continue };
                trace.watch(lowering, &mut lowered.actions).ok_or_else(|| {
                    wrong(
                        element.origin,
                        "promela::trace",
                        "a message that depends on the content of a channel cannot be checked against a trace",
                        "this one",
                        "compute it in the statement before",
                    )
                })?;
            }
        }
        machine.sizes = machine.lowered.iter().map(size).collect();
        let at = begin
            .first()
            .map_or_else(Origin::default, |&first| flow.elements[first].origin);
        let offers = machine.offers(begin);
        if machine.made.get() > MOST_MADE {
            return Err(wrong(
                at,
                "promela::too-large",
                "this process type has too many statements that can follow each other",
                "it begins here",
                "use fewer options inside each other",
            ));
        }
        let mut locations = Vec::with_capacity(flow.elements.len());
        for (offers, element) in offers.into_iter().zip(&flow.elements) {
            let labelled = |prefix: &str| element.labels.iter().any(|label| label.starts_with(prefix));
            locations.push(Location {
                edges: Machine::edges(offers),
                is_end: labelled("end") || matches!(element.node, Node::End),
                is_progress: labelled("progress"),
                is_accepting: labelled("accept"),
                is_observed: element.observed,
                origin: element.origin,
            });
        }
        Ok(locations)
    }

    fn blocks(&self) -> &[Option<u32>] {
        &self.lowering.symbols.blocks
    }

    fn location(&self, id: ElementId) -> LocationId {
        match self.flow.elements[id].node {
            Node::Done => LocationId::DONE,
            _ => LocationId(id as u16),
        }
    }

    pub(super) fn successor(&self, id: ElementId) -> Option<ElementId> {
        self.flow.successor(id, self.blocks())
    }

    /// What every element offers. As SPIN does, edges are first pulled to where they are offered (a selection offers the first
    /// statements of its options); then, element by element, the escapes of the statements that are offered are put before them. An
    /// escape comes before those of inner `unless` statements, except that what escapes from it is offered along with it
    /// where it has been put together before: at blocks that begin with an `unless`.
    fn offers(&self, begin: Vec<ElementId>) -> Vec<Vec<Offer>> {
        let mut offers: Vec<Option<Vec<Offer>>> = vec![None; self.flow.elements.len()];
        let mut pending = begin;
        while let Some(id) = pending.pop() {
            self.complete(id, &mut offers);
            // Where control is afterwards; it may have been there for a look at its escapes only.
            for offer in offers[id].iter().flatten() {
                let inside = offer.edge.actions.iter().filter_map(|action| match action {
                    Action::Deterministic(entry) => Some(*entry),
                    _ => None,
                });
                let rests = inside.chain([offer.edge.target]).map(LocationId::index);
                pending.extend(rests.filter(|&next| next < offers.len() && offers[next].is_none()));
            }
            if self.made.get() > MOST_MADE {
                break;
            }
        }
        offers.into_iter().map(Option::unwrap_or_default).collect()
    }

    /// Finds what an element offers. Of an escape, those that escape from it in turn are known if it stands before the element.
    fn complete(&self, id: ElementId, offers: &mut [Option<Vec<Offer>>]) {
        if offers[id].is_some() {
            return;
        }
        let elements = &self.flow.elements;
        let mut own = Vec::new();
        self.plain_offers(id, &mut own);
        let mut numbers: FxHashSet<u32> = own.iter().map(|offer| offer.edge.number).collect();
        let mut starts: FxHashSet<ElementId> = FxHashSet::default();
        // The last that is found comes first.
        let mut escapes: Vec<Offer> = Vec::new();
        for offer in &own {
            let from = &elements[offer.element];
            if matches!(from.node, Node::Dot) {
                continue;
            }
            for escape in from.escapes.iter().rev() {
                let start = self.flow.hunt(escape.first, from.atomic, self.blocks());
                if !starts.insert(start) || self.made.get() > MOST_MADE {
                    continue;
                }
                let mut ways_out = Vec::new();
                if start < id {
                    self.complete(start, offers);
                    ways_out.extend(offers[start].iter().flatten().cloned());
                    let sizes = ways_out.iter().map(|way_out| self.sizes[way_out.element]);
                    self.made.set(self.made.get() + sizes.sum::<usize>());
                } else {
                    self.plain_offers(start, &mut ways_out);
                }
                for way_out in ways_out {
                    if numbers.insert(way_out.edge.number) {
                        let escape = Some(start);
                        escapes.push(Offer { escape, ..way_out });
                    }
                }
            }
        }
        escapes.reverse();
        escapes.extend(own);
        offers[id] = Some(escapes);
    }

    /// The edges of an element: while one escape can be executed, what follows it cannot.
    fn edges(offers: Vec<Offer>) -> Vec<Edge> {
        let mut rank = 0;
        let mut last = None;
        let rank = |offer: &Offer| {
            rank += u16::from(
                last.replace(offer.escape)
                    .is_some_and(|last| last != offer.escape),
            );
            rank
        };
        let ranks: Vec<u16> = offers.iter().map(rank).collect();
        let ranked = |(offer, rank): (Offer, u16)| Edge { rank, ..offer.edge };
        offers.into_iter().zip(ranks).map(ranked).collect()
    }

    /// What an element offers, escapes left out.
    fn plain_offers(&self, id: ElementId, offers: &mut Vec<Offer>) {
        let element = &self.flow.elements[id];
        if self.made.get() > MOST_MADE {
            return;
        }
        match &element.node {
            Node::Choice => {
                for option in &element.runs {
                    let start = self.flow.hunt_start(option.first);
                    if !self.is_dead_end(start) {
                        self.plain_offers(start, offers);
                    }
                }
            }
            // Control that comes from inside of an atomic sequence stops at an `unless` that is outside of it. SPIN's verifier has no
            // steps there: as the escape of a statement in an atomic sequence, an `unless` is never taken.
            Node::Unless => {}
            Node::Block | Node::Atomic => {
                self.plain_offers(self.flow.hunt_start(element.runs[0].first), offers);
            }
            Node::Done => {}
            _ => offers.extend(self.edge(id).map(|edge| Offer {
                edge,
                element: id,
                escape: None,
            })),
        }
    }

    /// An option that can never be taken.
    pub(super) fn is_dead_end(&self, id: ElementId) -> bool {
        let guard = self.lowered[id]
            .as_ref()
            .and_then(|lowered| lowered.actions.first());
        matches!(guard, Some(Action::Guard(guard)) if guard.is_constant(0))
            && self.flow.elements[id].escapes.is_empty()
    }

    fn edge(&self, id: ElementId) -> Option<Edge> {
        let element = &self.flow.elements[id];
        let lowered = self.lowered[id].as_ref()?;
        let mut made = self.sizes[id];
        let mut edge = Edge {
            actions: lowered.actions.clone(),
            target: LocationId(id as u16),
            keeps_control: element.atomic,
            rank: 0,
            number: self.first_number + id as u32,
            origin: element.origin,
            joined: Vec::new(),
        };
        let Some(mut target) = self.successor(id) else {
            return matches!(element.node, Node::End).then_some(edge);
        };
        if self.merges && !element.in_d_step && self.joins_others(id) {
            let mut joined: FxHashSet<ElementId> = FxHashSet::from_iter([id]);
            let mut next = self.flow.early_successor(id, self.blocks());
            while let Some(at) = next
                && self.can_be_joined(at)
                && joined.insert(at)
                && self.made.get() + made <= MOST_MADE
            {
                made += self.sizes[at];
                if matches!(self.flow.elements[at].node, Node::Step(..)) {
                    edge.joined.push(self.flow.elements[at].origin);
                }
                if let Some(lowered) = &self.lowered[at] {
                    edge.actions.extend(
                        lowered
                            .actions
                            .iter()
                            .filter(|action| **action != Action::Skip)
                            .cloned(),
                    );
                }
                edge.keeps_control = self.flow.elements[at].atomic;
                next = self.flow.early_successor(at, self.blocks());
                target = next.unwrap_or(at);
            }
        }
        self.made.set(self.made.get() + made);
        edge.target = self.location(target);
        Some(edge)
    }

    /// A step that cannot block and that nobody else can notice.
    fn can_be_joined(&self, id: ElementId) -> bool {
        let element = &self.flow.elements[id];
        let plain = match &element.node {
            Node::Goto(..) | Node::Dot | Node::Exit => true,
            Node::Step(..) => self.lowered[id]
                .as_ref()
                .is_some_and(|lowered| lowered.class == Class::Plain),
            _ => false,
        };
        plain && element.labels.is_empty() && self.is_private(id)
    }

    fn is_private(&self, id: ElementId) -> bool {
        let element = &self.flow.elements[id];
        let is_global = self.lowered[id].as_ref().is_some_and(|lowered| lowered.is_global);
        element.escapes.is_empty()
            && !element.observed
            && (element.atomic || element.ends_atomic || !is_global)
    }

    fn joins_others(&self, id: ElementId) -> bool {
        let class = self.lowered[id].as_ref().map(|lowered| lowered.class);
        match class {
            Some(Class::Guard | Class::Receive) => self.is_private(id),
            Some(Class::Send) => !self.has_rendezvous && self.is_private(id),
            _ => self.can_be_joined(id),
        }
    }
}

/// Actions and parts of expressions.
fn size(lowered: &Option<Lowered>) -> usize {
    let actions = lowered.iter().flat_map(|lowered| &lowered.actions);
    let mut size = 0;
    for action in actions {
        size += 1;
        action.visit(&mut |_| size += 1);
    }
    size
}
