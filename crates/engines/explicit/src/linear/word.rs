//! Why a path satisfies a path formula: which state formulas along it matter.
//!
//! The formula's parts are evaluated at every position of the path, unrolled far enough that past operators have settled;
//! then its truth is justified from the top: a conjunction by all its parts, a disjunction by one, an until by the first
//! position that fulfils it and what must hold before, and so on. What is left are literals at positions.
//!
//! A formula in positive normal form is evaluated *strongly* past the end of an undecided path (nothing is true there), so
//! what is justified holds on every continuation; past the end of a complete finite path weak operators are true.

use super::path::{Ending, GraphPath};
use super::path_formula::{Atom, Path, PathFormulas, PathId, Strength};
use crate::graph::state_graph::StateGraph;
use entail_logic::Interval;
use hashbrown::{HashMap, HashSet};
use rustc_hash::FxBuildHasher;

/// Unrolled paths longer than this are not analysed.
const LONGEST: usize = 1 << 16;

/// A literal that matters: the atom has this truth at this position of the path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Fact {
    pub position: usize,
    pub atom: u32,
    pub truth: bool,
}

struct Word<'a> {
    formulas: &'a PathFormulas,
    graph: &'a StateGraph,
    path: &'a GraphPath,
    /// Unrolled length.
    length: usize,
    /// What the last unrolled position is followed by.
    back: Option<usize>,
    truths: HashMap<PathId, Vec<bool>, FxBuildHasher>,
}

/// A set of literals along the path that makes the formula true; none if it is not true or the path is too long.
pub(crate) fn justify(
    graph: &StateGraph,
    path: &GraphPath,
    formulas: &PathFormulas,
    root: PathId,
) -> Option<Vec<Fact>> {
    let steps = path.states.len();
    let (length, back) = match path.ending {
        Ending::Loop(start) => {
            let period = steps - start;
            // A yesterday settles one position later than its operand, a since or triggered up to two rounds.
            let (mut positions, mut rounds) = (0usize, 1usize);
            for id in formulas.ids() {
                match formulas.node(id) {
                    Path::Yesterday(..) => positions += 1,
                    Path::Since(..) | Path::Triggered(..) => rounds += 2,
                    _ => {}
                }
            }
            let rounds = rounds + positions.div_ceil(period);
            let length = start + period.checked_mul(rounds)?;
            (length, Some(length - period))
        }
        Ending::Open | Ending::Ended => (steps, None),
    };
    if length > LONGEST {
        return None;
    }
    let mut word = Word {
        formulas,
        graph,
        path,
        length,
        back,
        truths: HashMap::default(),
    };
    word.evaluate(root);
    word.truths[&root][0].then(|| word.facts(root))
}

impl Word<'_> {
    /// The position of the path shown at an unrolled position.
    fn shown(&self, position: usize) -> usize {
        match self.path.ending {
            Ending::Loop(start) if position >= start => {
                start + (position - start) % (self.path.states.len() - start)
            }
            _ => position,
        }
    }

    fn successor(&self, position: usize) -> Option<usize> {
        if position + 1 < self.length {
            Some(position + 1)
        } else {
            self.back
        }
    }

    /// Truth past the end of a finite path.
    fn beyond(&self, strength: Strength) -> bool {
        strength == Strength::Weak && self.path.ending == Ending::Ended
    }

    /// The position so many steps later.
    fn ahead(&self, position: usize, steps: usize) -> Option<usize> {
        let at = position + steps;
        match self.back {
            _ if at < self.length => Some(at),
            Some(back) => Some(back + (at - back) % (self.length - back)),
            None => None,
        }
    }

    /// Distances from a position that have to be looked at for an operator over this interval.
    fn distances(&self, interval: Interval) -> std::ops::RangeInclusive<usize> {
        let from = interval.from as usize;
        let most = from.saturating_add(2 * self.length);
        from..=interval.to.map_or(most, |to| (to as usize).min(most))
    }

    fn evaluate(&mut self, id: PathId) {
        if self.truths.contains_key(&id) {
            return;
        }
        let formulas = self.formulas;
        let operands: Vec<PathId> = match formulas.node(id) {
            Path::And(list) | Path::Or(list) => list.to_vec(),
            Path::Next(p, _) | Path::Yesterday(p, _) => vec![*p],
            Path::Until(p, q, _) | Path::Release(p, q, _) | Path::Since(p, q) | Path::Triggered(p, q) => {
                vec![*p, *q]
            }
            Path::Constant(_) | Path::Literal { .. } => Vec::new(),
        };
        for &operand in &operands {
            stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || self.evaluate(operand));
        }
        let at = |id: &PathId, position: usize| self.truths[id][position];
        let positions = 0..self.length;
        let values: Vec<bool> = match formulas.node(id) {
            Path::Constant(truth) => vec![*truth; self.length],
            Path::Literal { atom, positive } => positions
                .map(|position| self.literal(*atom, position) == Some(*positive))
                .collect(),
            Path::And(list) => positions.map(|i| list.iter().all(|p| at(p, i))).collect(),
            Path::Or(list) => positions.map(|i| list.iter().any(|p| at(p, i))).collect(),
            Path::Next(p, strength) => positions
                .map(|i| {
                    self.successor(i)
                        .map_or(self.beyond(*strength), |next| at(p, next))
                })
                .collect(),
            Path::Until(p, q, interval) => {
                if interval.to.is_none() && interval.from == 0 {
                    self.fixpoint(false, |i, later| at(q, i) || (at(p, i) && later.unwrap_or(false)))
                } else {
                    positions
                        .map(|i| self.fulfilled(p, q, *interval, i).is_some())
                        .collect()
                }
            }
            Path::Release(p, q, interval) => {
                if interval.to.is_none() && interval.from == 0 {
                    let beyond = self.beyond(Strength::Weak);
                    self.fixpoint(true, |i, later| at(q, i) && (at(p, i) || later.unwrap_or(beyond)))
                } else {
                    positions
                        .map(|i| self.released(p, q, *interval, i).is_some())
                        .collect()
                }
            }
            Path::Yesterday(p, strength) => positions
                .map(|i| {
                    i.checked_sub(1)
                        .map_or(*strength == Strength::Weak, |before| at(p, before))
                })
                .collect(),
            Path::Since(p, q) => {
                let mut last = false;
                positions
                    .map(|i| {
                        last = at(q, i) || (at(p, i) && last);
                        last
                    })
                    .collect()
            }
            Path::Triggered(p, q) => {
                let mut last = true;
                positions
                    .map(|i| {
                        last = at(q, i) && (at(p, i) || last);
                        last
                    })
                    .collect()
            }
        };
        self.truths.insert(id, values);
    }

    fn literal(&self, atom: u32, position: usize) -> Option<bool> {
        let shown = self.shown(position);
        match &self.formulas.atoms[atom as usize] {
            Atom::State(_, states) => Some(states.contains(self.path.states[shown] as usize)),
            Atom::Step(bit) => match self.path.edges.get(shown) {
                Some(&edge) => Some(self.graph.meets(edge, *bit)),
                None => {
                    let mark = self.graph.mark_at_end(self.path.states[shown]);
                    (self.path.ending == Ending::Ended).then(|| self.graph.mark_contains(mark, *bit))
                }
            },
        }
    }

    /// A fixpoint of `v(i) = step(i, v(i+1))` from the given start, round by round.
    fn fixpoint(&self, start: bool, step: impl Fn(usize, Option<bool>) -> bool) -> Vec<bool> {
        let mut values = vec![start; self.length];
        loop {
            let mut changed = false;
            for position in (0..self.length).rev() {
                let later = self.successor(position).map(|next| values[next]);
                let value = step(position, later);
                changed |= value != values[position];
                values[position] = value;
            }
            if !changed {
                return values;
            }
        }
    }

    /// The distance at which `p U q` is fulfilled.
    fn fulfilled(&self, p: &PathId, q: &PathId, interval: Interval, position: usize) -> Option<usize> {
        let distances = self.distances(interval);
        for distance in 0..=*distances.end() {
            let at = self.ahead(position, distance)?;
            if distances.contains(&distance) && self.truths[q][at] {
                return Some(distance);
            }
            if !self.truths[p][at] {
                return None;
            }
        }
        None
    }

    /// If `p R q` is true: the distance at which `p` releases `q` (`Some(None)`: it need not).
    fn released(&self, p: &PathId, q: &PathId, interval: Interval, position: usize) -> Option<Option<usize>> {
        let distances = self.distances(interval);
        for distance in 0..=*distances.end() {
            let Some(at) = self.ahead(position, distance) else {
                return self.beyond(Strength::Weak).then_some(None);
            };
            if distances.contains(&distance) && !self.truths[q][at] {
                return None;
            }
            if self.truths[p][at] {
                return Some(Some(distance));
            }
        }
        Some(None)
    }

    // ----- justification -----

    fn facts(&self, root: PathId) -> Vec<Fact> {
        let mut facts: HashSet<Fact, FxBuildHasher> = HashSet::default();
        let mut seen: HashSet<(PathId, usize), FxBuildHasher> = HashSet::default();
        let mut waiting = vec![(root, 0usize)];
        while let Some((id, position)) = waiting.pop() {
            if !seen.insert((id, position)) {
                continue;
            }
            match self.formulas.node(id) {
                Path::Constant(_) => {}
                Path::Literal { atom, positive } => {
                    facts.insert(Fact {
                        position: self.shown(position),
                        atom: *atom,
                        truth: *positive,
                    });
                }
                Path::And(list) => waiting.extend(list.iter().map(|&p| (p, position))),
                Path::Or(list) => {
                    let true_ones = list.iter().filter(|p| self.truths[*p][position]);
                    if let Some(&easiest) = true_ones.min_by_key(|p| self.difficulty(**p)) {
                        waiting.push((easiest, position));
                    }
                }
                Path::Next(p, _) => waiting.extend(self.successor(position).map(|next| (*p, next))),
                Path::Until(p, q, interval) => {
                    if let Some(distance) = self.fulfilled(p, q, *interval, position) {
                        let places = (0..distance).filter_map(|steps| self.ahead(position, steps));
                        waiting.extend(places.map(|at| (*p, at)));
                        waiting.extend(self.ahead(position, distance).map(|at| (*q, at)));
                    }
                }
                Path::Release(p, q, interval) => {
                    if let Some(released) = self.released(p, q, *interval, position) {
                        let distances = self.distances(*interval);
                        let last = released.unwrap_or(usize::MAX).min(*distances.end());
                        for distance in *distances.start()..=last {
                            match self.ahead(position, distance) {
                                Some(at) => waiting.push((*q, at)),
                                None => break,
                            }
                        }
                        let release = released.filter(|&distance| distance < *distances.end());
                        waiting.extend(
                            release
                                .and_then(|distance| self.ahead(position, distance))
                                .map(|at| (*p, at)),
                        );
                    }
                }
                Path::Yesterday(p, _) => waiting.extend(position.checked_sub(1).map(|before| (*p, before))),
                Path::Since(p, q) => {
                    for at in (0..=position).rev() {
                        if self.truths[q][at] {
                            waiting.push((*q, at));
                            break;
                        }
                        waiting.push((*p, at));
                    }
                }
                Path::Triggered(p, q) => {
                    for at in (0..=position).rev() {
                        waiting.push((*q, at));
                        if self.truths[p][at] {
                            waiting.push((*p, at));
                            break;
                        }
                    }
                }
            }
        }
        let mut facts: Vec<Fact> = facts.into_iter().collect();
        facts.sort_unstable();
        facts
    }

    /// Prefers what a reader can see in the state itself.
    fn difficulty(&self, id: PathId) -> u32 {
        match self.formulas.node(id) {
            Path::Constant(_) => 0,
            Path::Literal { atom, .. } => match &self.formulas.atoms[*atom as usize] {
                Atom::State(formula, _) if !formula.is_propositional() => 3,
                _ => 0,
            },
            Path::And(list) | Path::Or(list) => list.iter().map(|&p| self.difficulty(p)).max().unwrap_or(0),
            _ => 2,
        }
    }
}
