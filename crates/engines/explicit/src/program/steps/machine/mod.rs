//! Locations compiled to machine code.
//!
//! A location has one routine that tells which of its edges can be taken, and one for each edge that takes it. What is rare (processes that begin or end, messages in the
//! middle of a channel, other processes' variables) and whatever goes wrong is left to the interpreter in `action`, edge by edge: routines give
//! up, and then it is asked. So faults are always the interpreter's.
//!
//! Making machine code takes about as long as interpreting a few thousand steps. Locations are compiled when they have been visited so often that it pays.

mod action;
mod expression;

use super::action::{Act, Compiled};
use entail_machine::{Failure, Finished, Operation, Reader, RoutineId, Variable, Workshop, Writer};
use entail_search::MachineCode;
use expression::{TIMEOUT_BIT, Translator, Unsupported};
use std::sync::atomic::Ordering;

/// The machine code of a location.
#[derive(Clone, Debug)]
pub struct LocationCode {
    readiness: Option<Reader>,
    edges: Box<[Option<Writer>]>,
}

/// Which edges of a location can be taken, by position.
#[derive(Clone, Copy, Debug)]
pub struct Hints(u32);

/// Edges that hints speak about; the interpreter is asked about further ones.
const HINTED: usize = 16;

impl Hints {
    /// The interpreter must be asked about every edge.
    pub const NONE: Hints = Hints(!0 << HINTED);

    /// Whether the edge can be taken; none if the interpreter must be asked.
    #[inline]
    pub fn can_take(self, edge: usize) -> Option<bool> {
        let known = edge < HINTED && self.0 >> (edge + HINTED) & 1 == 0;
        known.then(|| self.0 >> edge & 1 == 1)
    }

    /// Whether no edge can be taken.
    #[inline]
    pub fn is_blocked(self, edges: usize) -> bool {
        self.0 == 0 && edges <= HINTED
    }
}

/// What an edge's routine did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Done {
    Taken,
    Blocked,
    /// The interpreter must begin again.
    Ask,
}

#[inline]
fn arguments((process, record): (usize, usize), timeout: bool) -> [u32; 2] {
    [record as u32, process as u32 | u32::from(timeout) << TIMEOUT_BIT]
}

impl LocationCode {
    #[inline]
    pub fn hints(&self, state: &[u8], channels: &[u32], who: (usize, usize), timeout: bool) -> Hints {
        let found = self
            .readiness
            .as_ref()
            .and_then(|reader| reader.call(state, channels, arguments(who, timeout)));
        found.map_or(Hints::NONE, Hints)
    }

    /// The routine that takes an edge.
    #[inline]
    pub fn edge(&self, position: usize) -> Option<EdgeCode<'_>> {
        self.edges.get(position)?.as_ref().map(EdgeCode)
    }
}

/// A routine that takes an edge.
#[derive(Clone, Copy, Debug)]
pub struct EdgeCode<'c>(&'c Writer);

impl EdgeCode<'_> {
    /// Takes the edge. What is left of the state if the interpreter must be asked is of no use.
    #[inline]
    pub fn take(self, state: &mut [u8], channels: &[u32], who: (usize, usize), timeout: bool) -> Done {
        match self.0.call(state, channels, arguments(who, timeout)) {
            Some(0) => Done::Blocked,
            Some(_) => Done::Taken,
            None => Done::Ask,
        }
    }
}

/// The routines of a location that is being compiled.
struct Drawing {
    kind: usize,
    location: usize,
    readiness: Option<RoutineId>,
    edges: Vec<Option<RoutineId>>,
}

impl Compiled {
    /// Makes machine code for these locations (process type and location), unless somebody else is doing so. What cannot be compiled
    /// stays as it is.
    #[cold]
    pub fn make_machine_code(&self, locations: impl Iterator<Item = (usize, usize)>) {
        if self.workshop_is_busy.swap(true, Ordering::Acquire) {
            return;
        }
        // Without machine code for this processor everything is interpreted.
        let _ = self.compile(locations);
        self.workshop_is_busy.store(false, Ordering::Release);
    }

    /// Makes machine code of everything.
    pub fn make_all_machine_code(&self) {
        let locations = |kind: usize| (0..self.processes[kind].locations.len()).map(move |at| (kind, at));
        self.make_machine_code((0..self.processes.len()).flat_map(locations));
    }

    fn compile(&self, locations: impl Iterator<Item = (usize, usize)>) -> Result<(), Failure> {
        let mut workshop = Workshop::new()?;
        let mut drawings = Vec::new();
        for (kind, location) in locations {
            if self.processes[kind].machine[location].get().is_none() {
                drawings.push(self.draw(&mut workshop, kind, location)?);
            }
        }
        let finished = workshop.finish()?;
        for drawing in drawings {
            let code = drawing.code(&finished);
            // If it is there already, that one is as good.
            let _ = self.processes[drawing.kind].machine[drawing.location].set(code);
        }
        Ok(())
    }

    fn draw(&self, workshop: &mut Workshop, kind: usize, location: usize) -> Result<Drawing, Failure> {
        let compiled = &self.processes[kind].locations[location];
        let mut readiness = None;
        // Edges whose readiness is not supported are found one by one.
        let mut asked = 0u32;
        while compiled.len() <= HINTED && readiness.is_none() {
            let written: Result<RoutineId, usize> = workshop.routine(false, |out| {
                let mut translator = Translator::new(self, kind, out);
                let mut fixed = 0;
                let zero = translator.out.constant(0);
                let result = translator.out.variable(zero);
                for (position, edge) in compiled.iter().enumerate() {
                    if asked >> position & 1 == 1 {
                        fixed |= 1 << (position + HINTED);
                        continue;
                    }
                    if !can_block(&edge.first) {
                        fixed |= 1 << position;
                        continue;
                    }
                    translator
                        .hint(position, &edge.first, result)
                        .map_err(|Unsupported| position)?;
                }
                let result = translator.out.get(result);
                let all = translator.combine_constant(Operation::Or, result, fixed);
                translator.out.answer(all);
                Ok(())
            })?;
            match written {
                Ok(id) => readiness = Some(id),
                Err(position) => asked |= 1 << position,
            }
        }
        let mut edges = Vec::new();
        for edge in compiled.iter() {
            let written = workshop.routine(true, |out| Translator::new(self, kind, out).edge(edge))?;
            edges.push(written.ok());
        }
        Ok(Drawing {
            kind,
            location,
            readiness,
            edges,
        })
    }
}

fn can_block(act: &Act) -> bool {
    matches!(
        act,
        Act::Guard(_) | Act::Send(..) | Act::Receive { .. } | Act::Deterministic(_) | Act::End
    )
}

impl Translator<'_, '_> {
    /// Adds to the result whether an edge can be taken, or that it has to be asked about.
    fn hint(&mut self, position: usize, act: &Act, result: Variable) -> Result<(), Unsupported> {
        let (ask, next) = (self.out.label(), self.out.label());
        self.out.give_up_at(Some(ask));
        let ready = self.readiness(act)?;
        let bit = self.combine_constant(Operation::ShiftLeft, ready, position as i32);
        let so_far = self.out.get(result);
        let more = self.out.combine(Operation::Or, so_far, bit);
        self.out.set(result, more);
        self.out.jump(next);
        self.out.place(ask);
        let so_far = self.out.get(result);
        let more = self.combine_constant(Operation::Or, so_far, 1 << (position + HINTED));
        self.out.set(result, more);
        self.out.place(next);
        self.out.give_up_at(None);
        Ok(())
    }
}

impl Drawing {
    fn code(&self, finished: &Finished) -> LocationCode {
        LocationCode {
            readiness: self.readiness.and_then(|id| finished.reader(id)),
            edges: self
                .edges
                .iter()
                .map(|id| id.and_then(|id| finished.writer(id)))
                .collect(),
        }
    }
}

/// How often locations have been visited, and when to look at that.
#[derive(Debug, Default)]
pub struct Visits {
    counts: Vec<Vec<u32>>,
    entered: u64,
}

/// The first look comes after so many states, the next after twice as many, and so on.
const FIRST_LOOK: u64 = 4_096;

/// A location is compiled if its visits make up for it: so many for each routine.
const VISITS_A_ROUTINE: u32 = 1_000;

impl Visits {
    pub fn new(compiled: &Compiled) -> Visits {
        let processes = compiled.processes.iter();
        Visits {
            counts: processes
                .map(|process| vec![0; process.locations.len()])
                .collect(),
            entered: 0,
        }
    }

    #[inline]
    pub fn count(&mut self, kind: usize, location: usize) {
        self.counts[kind][location] = self.counts[kind][location].saturating_add(1);
    }

    /// Another state is entered.
    #[inline]
    pub fn enter(&mut self, compiled: &Compiled) {
        self.entered += 1;
        if self.entered.is_power_of_two() && self.entered >= FIRST_LOOK {
            self.look(compiled);
        }
    }

    #[cold]
    fn look(&self, compiled: &Compiled) {
        if compiled.machine_code != MachineCode::WhenItPays {
            return;
        }
        let pays = |&(kind, location): &(usize, usize)| {
            let process = &compiled.processes[kind];
            let routines = process.locations[location].len() as u32 + 1;
            process.machine[location].get().is_none()
                && self.counts[kind][location] >= routines.saturating_mul(VISITS_A_ROUTINE)
        };
        let all = self.counts.iter().enumerate();
        let mut hot = all
            .flat_map(|(kind, counts)| (0..counts.len()).map(move |location| (kind, location)))
            .filter(pays)
            .peekable();
        if hot.peek().is_some() {
            compiled.make_machine_code(hot);
        }
    }
}
