//! Paths in the part of a product that is known: a shortest way to a pair, or into a component and round in it through all marks.

use super::linear::Lasso;
use super::product::{LinearModel, Seat, Shared, Stop};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// The known part of a product, as one thread sees it.
pub struct Known<'m, M: LinearModel + 'm> {
    pub shared: Shared,
    pub seat: Seat<'m, M>,
}

impl<M: LinearModel> Known<'_, M> {
    /// Does something with the seat, making room until there is enough.
    pub fn with_room<T>(
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

    /// Adds the moves of a pair.
    pub fn moves(&mut self, number: u32, moves: &mut Vec<(u32, u64)>) -> Result<(), Stop<M::Flaw>> {
        let begin = moves.len();
        self.with_room(|product| {
            moves.truncate(begin);
            let pair = product.seat.pair(&product.shared, number);
            product.seat.moves(&product.shared, pair, moves)
        })
    }

    /// A shortest way to a pair at which the watcher has come to its end, among pairs that were seen.
    pub fn path_to_end(
        &mut self,
        initial: &[u32],
        goal: u32,
        is_seen: impl Fn(u32) -> bool,
    ) -> Result<Lasso, Stop<M::Flaw>> {
        let is_allowed = |pair: u32| pair == goal || is_seen(pair);
        let path = self.walk(initial, |pair, _| pair == goal, is_allowed)?;
        Ok(self.lasso(&path, &[]))
    }

    /// A shortest way into the component that was found, among pairs that were seen, and round in it through all marks.
    pub fn cycle(
        &mut self,
        initial: &[u32],
        is_seen: impl Fn(u32) -> bool,
        is_inside: impl Fn(u32) -> bool,
    ) -> Result<Lasso, Stop<M::Flaw>> {
        let stem = self.walk(initial, |pair, _| is_inside(pair), is_seen)?;
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
            let way = self.walk_from(at, wanted, &is_inside)?;
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
