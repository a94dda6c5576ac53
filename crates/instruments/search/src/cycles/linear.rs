//! Is there an infinite path that a watcher accepts? On one thread by Couvreur's algorithm, on several by components that they find together.
//!
//! Both make the [product](super::product) as they go and stop at the first accepted cycle, or where the watcher comes to its end. The path that is given out is a shortest one among the nodes that were seen.

use super::components_together;
use super::couvreur::{self, Couvreur, Product};
use super::lassos::Known;
use super::product::{LinearModel, Seat, Shared, Stop};
use crate::ending::Counts;
use crate::model::Searchable;
use crate::options::SearchOptions;
use entail_budget::{Budget, Progress, Snapshot};
use std::ops::Range;
use std::sync::atomic::Ordering;

/// An infinite path, or a finite one after which whatever follows is accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lasso {
    /// The states from an initial one to where the loop begins, or to the end.
    pub stem: Vec<Vec<u8>>,
    /// The states of the loop after its first, which is the last of the stem and comes again at the end; empty if there is no loop.
    pub round: Vec<Vec<u8>>,
}

/// What a search for accepted paths comes to.
#[derive(Debug)]
pub enum Verdict<F> {
    /// There is none.
    Nothing,
    /// There is none, but something goes on for ever that the watcher cannot look into.
    Diverges,
    /// This one is.
    Accepted(Lasso),
    /// It could not be decided.
    Stopped(Stop<F>),
}

/// What was found, and what was counted: states are pairs.
#[derive(Debug)]
pub struct Judged<F> {
    /// What was found.
    pub verdict: Verdict<F>,
    /// What was counted.
    pub counts: Counts,
    /// States of the system alone that were seen.
    pub system_states: u64,
    /// Bytes of memory for all of it.
    pub bytes: u64,
}

/// Searches for an accepted path.
pub fn accepted_path<M: LinearModel>(
    model: &M,
    options: &SearchOptions,
    budget: &Budget,
    progress: &dyn Progress,
) -> Judged<M::Flaw> {
    match options.cycle_threads {
        0 | 1 => alone(model, options, budget, progress),
        _ => components_together::search(model, options, budget, progress),
    }
}

/// The product as one thread sees it.
struct Alone<'m, M: LinearModel + 'm> {
    known: Known<'m, M>,
    /// The moves of the pairs on the way of the search, one after the other; and where those of each begin.
    pending: Vec<(u32, u64)>,
    frames: Vec<usize>,
    entered: u64,
    progress: &'m dyn Progress,
}

fn alone<M: LinearModel>(
    model: &M,
    options: &SearchOptions,
    budget: &Budget,
    progress: &dyn Progress,
) -> Judged<M::Flaw> {
    let shared = Shared::new(model, budget);
    let mut product = Alone {
        known: Known {
            seat: Seat::new(model, &shared, 1, options.reduction, budget),
            shared,
        },
        pending: Vec::new(),
        frames: Vec::new(),
        entered: 0,
        progress,
    };
    let mut couvreur = Couvreur::new();
    let verdict = match product.run(&mut couvreur) {
        Ok(Some(lasso)) => Verdict::Accepted(lasso),
        Ok(None) if product.known.shared.diverges.load(Ordering::Relaxed) => Verdict::Diverges,
        Ok(None) => Verdict::Nothing,
        Err(stop) => Verdict::Stopped(stop),
    };
    Judged {
        verdict,
        counts: Counts {
            states: product.entered,
            transitions: couvreur.transitions,
            depth: couvreur.depth,
            ..Counts::default()
        },
        system_states: product.known.seat.new_states,
        bytes: product.known.shared.bytes(),
    }
}

impl<M: LinearModel> Alone<'_, M> {
    fn run(&mut self, couvreur: &mut Couvreur) -> Result<Option<Lasso>, Stop<M::Flaw>> {
        let initial = self.known.with_room(|known| known.seat.initial(&known.shared))?;
        for &first in &initial {
            self.pending.clear();
            self.frames.clear();
            match couvreur.explore(self, first)? {
                couvreur::Found::Nothing => {}
                couvreur::Found::End(goal) => {
                    let is_seen = |pair: u32| couvreur.has_entered(pair);
                    return self.known.path_to_end(&initial, goal, is_seen).map(Some);
                }
                couvreur::Found::Cycle | couvreur::Found::Among(_) => {
                    let is_seen = |pair: u32| couvreur.has_entered(pair);
                    let is_inside = |pair: u32| couvreur.is_inside(pair);
                    return self.known.cycle(&initial, is_seen, is_inside).map(Some);
                }
            }
        }
        Ok(None)
    }
}

impl<M: LinearModel> Product for Alone<'_, M> {
    type Stop = Stop<<M as Searchable>::Flaw>;

    fn words(&self) -> usize {
        1
    }

    fn node_count(&self) -> usize {
        self.known.shared.pair_numbers() as usize
    }

    fn enter(&mut self, number: u32) -> Result<Option<Range<usize>>, Self::Stop> {
        self.known.seat.poll()?;
        let pair = self.known.seat.pair(&self.known.shared, number);
        if self.known.seat.is_done(pair) {
            return Ok(None);
        }
        self.entered += 1;
        if self.entered.is_multiple_of(8192) {
            self.progress.report(&Snapshot {
                phase: "searching for a violating run",
                depth: Some(self.frames.len() as u64),
                states: Some(self.known.shared.pair_numbers().into()),
                ..Snapshot::default()
            });
        }
        let first = self.pending.len();
        let mut moves = std::mem::take(&mut self.pending);
        let found = self.known.moves(number, &mut moves);
        self.pending = moves;
        found?;
        self.frames.push(first);
        Ok(Some(first..self.pending.len()))
    }

    fn edge(&self, _: u32, edge: usize, marks: &mut [u64]) -> u32 {
        let (to, met) = self.pending[edge];
        marks[0] |= met;
        to
    }

    fn leave(&mut self, _: u32) {
        let first = self.frames.pop().expect("the pair was entered");
        self.pending.truncate(first);
    }

    fn accepts(&self, met: &[u64]) -> bool {
        met[0] & self.known.seat.required() == self.known.seat.required()
    }
}
