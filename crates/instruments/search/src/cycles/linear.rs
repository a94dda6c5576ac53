//! Is there an infinite path that a watcher accepts? On one thread by Couvreur's algorithm, on several by nested depth-first searches that help each other.
//!
//! Both make the [product](super::product) as they go and stop at the first accepted cycle, or where the watcher comes to its end. The path that is given out leads there along
//! the stack of the search on several threads; on one thread it is a shortest one among the nodes that were seen.

use super::concurrent;
use super::couvreur::{self, Couvreur, Product};
use super::product::{LinearModel, Seat, Shared, Stop};
use crate::ending::Counts;
use crate::model::Searchable;
use crate::options::SearchOptions;
use entail_budget::{Budget, Progress, Snapshot};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
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
        _ => concurrent::search(model, options, budget, progress),
    }
}

/// The product as one thread sees it.
struct Alone<'m, M: LinearModel + 'm> {
    shared: Shared,
    seat: Seat<'m, M>,
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
    let shared = Shared::new(false);
    let mut product = Alone {
        seat: Seat::new(model, &shared, 1, options.reduction, budget),
        shared,
        pending: Vec::new(),
        frames: Vec::new(),
        entered: 0,
        progress,
    };
    let mut couvreur = Couvreur::new();
    let verdict = match product.run(&mut couvreur) {
        Ok(Some(lasso)) => Verdict::Accepted(lasso),
        Ok(None) if product.shared.diverges.load(Ordering::Relaxed) => Verdict::Diverges,
        Ok(None) => Verdict::Nothing,
        Err(stop) => Verdict::Stopped(stop),
    };
    Judged {
        verdict,
        counts: Counts {
            states: product.seat.new_pairs,
            transitions: couvreur.transitions,
            depth: couvreur.depth,
            ..Counts::default()
        },
        system_states: product.seat.new_states,
        bytes: product.shared.bytes(),
    }
}

impl<M: LinearModel> Alone<'_, M> {
    /// Does something with the seat, making room until there is enough.
    fn with_room<T>(
        &mut self,
        mut act: impl FnMut(&mut Self) -> Result<T, Stop<M::Flaw>>,
    ) -> Result<T, Stop<M::Flaw>> {
        loop {
            match act(self) {
                Err(Stop::Crowded) => self.shared.grow(1)?,
                other => return other,
            }
        }
    }

    fn run(&mut self, couvreur: &mut Couvreur) -> Result<Option<Lasso>, Stop<M::Flaw>> {
        let initial = self.with_room(|product| product.seat.initial(&product.shared))?;
        for &first in &initial {
            self.pending.clear();
            self.frames.clear();
            match couvreur.explore(self, first)? {
                couvreur::Found::Nothing => {}
                couvreur::Found::End(goal) => {
                    let entered = |pair: u32| pair == goal || couvreur.has_entered(pair);
                    let path = self.walk(&initial, |pair, _| pair == goal, entered)?;
                    return Ok(Some(self.lasso(&path, &[])));
                }
                couvreur::Found::Cycle | couvreur::Found::Among(_) => {
                    return self.cycle(&initial, couvreur).map(Some);
                }
            }
        }
        Ok(None)
    }

    fn moves(&mut self, number: u32, moves: &mut Vec<(u32, u64)>) -> Result<(), Stop<M::Flaw>> {
        let begin = moves.len();
        self.with_room(|product| {
            moves.truncate(begin);
            let pair = product.seat.pair(&product.shared, number);
            product.seat.moves(&product.shared, pair, moves)
        })
    }

    /// A shortest way into the component that was found, and round in it through all marks.
    fn cycle(&mut self, initial: &[u32], couvreur: &Couvreur) -> Result<Lasso, Stop<M::Flaw>> {
        let entered = |pair: u32| couvreur.has_entered(pair);
        let inside = |pair: u32| couvreur.is_inside(pair);
        let stem = self.walk(initial, |pair, _| inside(pair), entered)?;
        let start = stem.last().map_or(0, |&(pair, _)| pair);
        let mut missing = self.seat.required();
        let mut round: Vec<(u32, u64)> = Vec::new();
        loop {
            let at = round.last().map_or(start, |&(pair, _)| pair);
            if missing == 0 && at == start && !round.is_empty() {
                break;
            }
            let wanted = |pair: u32, marks: u64| match missing {
                0 => pair == start,
                _ => marks & missing != 0,
            };
            let way = self.walk_from(at, wanted, inside)?;
            if way.is_empty() {
                // The component has the marks, so this is not reached; a path without them would be rejected.
                break;
            }
            for &(_, marks) in &way {
                missing &= !marks;
            }
            round.extend(way);
        }
        Ok(self.lasso(&stem, &round))
    }

    fn lasso(&self, stem: &[(u32, u64)], round: &[(u32, u64)]) -> Lasso {
        let states = |walk: &[(u32, u64)]| {
            let state = |&(pair, _): &(u32, u64)| self.shared.state(self.shared.pair(pair).state);
            walk.iter().map(state).collect()
        };
        Lasso {
            stem: states(stem),
            round: states(round),
        }
    }

    /// The shortest way from one of some pairs to a wanted one, both included.
    fn walk(
        &mut self,
        from: &[u32],
        wanted: impl Fn(u32, u64) -> bool,
        allowed: impl Fn(u32) -> bool,
    ) -> Result<Vec<(u32, u64)>, Stop<M::Flaw>> {
        if let Some(&first) = from.iter().find(|&&pair| wanted(pair, 0)) {
            return Ok(vec![(first, 0)]);
        }
        self.breadth_first(from, wanted, allowed, true)
    }

    /// The shortest way of at least a step from a pair to a wanted one; the first is left out.
    fn walk_from(
        &mut self,
        from: u32,
        wanted: impl Fn(u32, u64) -> bool,
        allowed: impl Fn(u32) -> bool,
    ) -> Result<Vec<(u32, u64)>, Stop<M::Flaw>> {
        self.breadth_first(&[from], wanted, allowed, false)
    }

    fn breadth_first(
        &mut self,
        from: &[u32],
        wanted: impl Fn(u32, u64) -> bool,
        allowed: impl Fn(u32) -> bool,
        with_first: bool,
    ) -> Result<Vec<(u32, u64)>, Stop<M::Flaw>> {
        let mut reached: FxHashMap<u32, Option<(u32, u64)>> = from.iter().map(|&pair| (pair, None)).collect();
        let mut queue: VecDeque<u32> = from.iter().copied().collect();
        let mut moves = Vec::new();
        while let Some(pair) = queue.pop_front() {
            moves.clear();
            self.moves(pair, &mut moves)?;
            for &(to, marks) in moves.iter().filter(|&&(to, _)| allowed(to)) {
                if wanted(to, marks) {
                    let (mut way, mut at) = (vec![(to, marks)], pair);
                    while let Some((before, marks)) = reached[&at] {
                        way.push((at, marks));
                        at = before;
                    }
                    if with_first {
                        way.push((at, 0));
                    }
                    way.reverse();
                    return Ok(way);
                }
                reached.entry(to).or_insert_with(|| {
                    queue.push_back(to);
                    Some((pair, marks))
                });
            }
        }
        Ok(Vec::new())
    }
}

impl<M: LinearModel> Product for Alone<'_, M> {
    type Stop = Stop<<M as Searchable>::Flaw>;

    fn words(&self) -> usize {
        1
    }

    fn node_count(&self) -> usize {
        self.shared.pair_numbers() as usize
    }

    fn enter(&mut self, number: u32) -> Result<Option<Range<usize>>, Self::Stop> {
        self.seat.poll()?;
        let pair = self.seat.pair(&self.shared, number);
        if self.seat.is_done(pair) {
            return Ok(None);
        }
        self.entered += 1;
        if self.entered.is_multiple_of(8192) {
            self.progress.report(&Snapshot {
                phase: "searching for a violating run",
                depth: Some(self.frames.len() as u64),
                states: Some(self.shared.pair_numbers().into()),
                ..Snapshot::default()
            });
        }
        let first = self.pending.len();
        let mut moves = std::mem::take(&mut self.pending);
        let found = self.moves(number, &mut moves);
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
        met[0] & self.seat.required() == self.seat.required()
    }
}
