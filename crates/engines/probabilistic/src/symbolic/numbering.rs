//! Numbers for the states of a set, in the order of the diagram's paths, and walks over pairs of states with the numbers of both.
//!
//! The number of a state is how many states of the set come before it; a diagram whose nodes know how many states are below them gives it in one walk
//! from the root (the offset-labelled diagrams of Kwiatkowska, Norman and Parker 2004). Everything is walked on a copy of the diagrams, at one moment, whose
//! order does not change.

use super::encoding::Encoding;
use entail_dd::{Bdd, Frozen};

/// A bit of the state: its level now and after the step.
#[derive(Clone, Copy)]
struct Pair {
    now: u32,
    next: u32,
    variable: usize,
    /// The position of the bit in the variable's code, from the least significant.
    shift: u32,
}

/// Where a state belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// In the numbered set.
    Open(u64),
    /// Among the goals.
    Goal,
    /// Elsewhere.
    Lost,
}

/// The open states with their numbers, the goals, and other functions to be walked.
pub(super) struct Numbering {
    frozen: Frozen,
    pairs: Vec<Pair>,
    lows: Vec<i64>,
    /// By node of the open set: how many states there are below, over the bits from the node's own level on.
    counts: Vec<u64>,
    /// By node: the position of its level among the pairs.
    positions: Vec<u32>,
    open: u32,
    goal: u32,
    /// The other functions, in the order in which they were given.
    pub others: Vec<u32>,
}

/// Nodes at a position of a walk over pairs of states: what is below them depends on nothing else.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Block {
    position: usize,
    relation: u32,
    row: u32,
    open: u32,
    goal: u32,
}

/// A block with the numbers of its first row and column.
#[derive(Clone, Copy)]
struct At {
    block: Block,
    from: u64,
    to: u64,
}

/// A count, doubled so many times; nothing stays nothing, however often.
#[inline(always)]
fn doubled(count: u64, times: usize) -> u64 {
    if count == 0 { 0 } else { count << times }
}

impl Numbering {
    /// Numbers the states of `open`, which must be fewer than 2^63.
    pub fn new(encoding: &Encoding, open: &Bdd, goal: &Bdd, others: &[&Bdd]) -> Numbering {
        let functions: Vec<&Bdd> = [open, goal].into_iter().chain(others.iter().copied()).collect();
        let (frozen, roots) = Frozen::new(&functions);
        let level = |var| encoding.manager.level(var) as u32;
        let mut pairs = Vec::new();
        for (variable, coded) in encoding.variables.iter().enumerate() {
            let bits = coded.now.bits().iter().zip(coded.next.bits());
            let width = coded.now.bits().len() as u32;
            pairs.extend((0u32..).zip(bits).map(|(at, (&now, &next))| Pair {
                now: level(now),
                next: level(next),
                variable,
                shift: width - 1 - at,
            }));
        }
        pairs.sort_by_key(|pair| pair.now);
        let leaf = pairs.len() as u32;
        let position = |level: u32| pairs.partition_point(|pair| pair.now < level) as u32;
        let nodes = frozen.nodes();
        let positions: Vec<u32> = (nodes.iter())
            .map(|node| match node.level {
                u32::MAX => leaf,
                level => position(level),
            })
            .collect();
        let mut counts = vec![0u64; nodes.len()];
        counts[Frozen::TRUE as usize] = 1;
        let mut inside = vec![false; nodes.len()];
        inside[roots[0] as usize] = true;
        for at in (2..nodes.len()).rev().filter(|&at| at <= roots[0] as usize) {
            if inside[at] {
                inside[nodes[at].lo as usize] = true;
                inside[nodes[at].hi as usize] = true;
            }
        }
        for at in 2..nodes.len() {
            if inside[at] {
                let below = |child: u32| {
                    let skipped = positions[child as usize] - positions[at] - 1;
                    doubled(counts[child as usize], skipped as usize)
                };
                counts[at] = below(nodes[at].lo) + below(nodes[at].hi);
            }
        }
        Numbering {
            frozen,
            pairs,
            lows: encoding.variables.iter().map(|coded| coded.low).collect(),
            counts,
            positions,
            open: roots[0],
            goal: roots[1],
            others: roots[2..].to_vec(),
        }
    }

    /// How many states of the open set agree with a node, over the pairs from a position on.
    #[inline(always)]
    fn count(&self, node: u32, position: usize) -> u64 {
        doubled(
            self.counts[node as usize],
            self.positions[node as usize] as usize - position,
        )
    }

    /// Number of open states.
    pub fn open_states(&self) -> u64 {
        self.count(self.open, 0)
    }

    /// Where a state belongs.
    pub fn place(&self, state: &[i64]) -> Place {
        let (mut open, mut goal, mut number) = (self.open, self.goal, 0);
        for (position, pair) in self.pairs.iter().enumerate() {
            let bit = (state[pair.variable] - self.lows[pair.variable]) >> pair.shift & 1 == 1;
            let (open_lo, open_hi) = self.frozen.cofactors(open, pair.now);
            let (goal_lo, goal_hi) = self.frozen.cofactors(goal, pair.now);
            if bit {
                number += self.count(open_lo, position + 1);
                (open, goal) = (open_hi, goal_hi);
            } else {
                (open, goal) = (open_lo, goal_lo);
            }
        }
        match (open, goal) {
            (Frozen::TRUE, _) => Place::Open(number),
            (_, Frozen::TRUE) => Place::Goal,
            _ => Place::Lost,
        }
    }

    /// Calls `visit` for each open state of a set, with its number. Ends early where `visit` says so.
    pub fn states(&self, set: u32, visit: &mut dyn FnMut(u64) -> bool) -> bool {
        self.states_below(0, set, self.open, 0, visit)
    }

    fn states_below(
        &self,
        position: usize,
        set: u32,
        row: u32,
        from: u64,
        visit: &mut dyn FnMut(u64) -> bool,
    ) -> bool {
        if set == Frozen::FALSE || row == Frozen::FALSE {
            return true;
        }
        let Some(pair) = self.pairs.get(position) else {
            return visit(from);
        };
        let (set_lo, set_hi) = self.frozen.cofactors(set, pair.now);
        let (row_lo, row_hi) = self.frozen.cofactors(row, pair.now);
        let behind = from + self.count(row_lo, position + 1);
        self.states_below(position + 1, set_lo, row_lo, from, visit)
            && self.states_below(position + 1, set_hi, row_hi, behind, visit)
    }

    /// The runs of consecutive numbers that the open states of a set have.
    pub fn runs(&self, set: u32) -> Vec<(u32, u32)> {
        let mut runs: Vec<(u32, u32)> = Vec::new();
        self.runs_below(0, set, self.open, 0, &mut runs);
        runs
    }

    fn runs_below(&self, position: usize, set: u32, row: u32, from: u64, runs: &mut Vec<(u32, u32)>) {
        if set == Frozen::FALSE || row == Frozen::FALSE {
            return;
        }
        match self.pairs.get(position) {
            Some(pair) if set != Frozen::TRUE => {
                let (set_lo, set_hi) = self.frozen.cofactors(set, pair.now);
                let (row_lo, row_hi) = self.frozen.cofactors(row, pair.now);
                let behind = from + self.count(row_lo, position + 1);
                self.runs_below(position + 1, set_lo, row_lo, from, runs);
                self.runs_below(position + 1, set_hi, row_hi, behind, runs);
            }
            _ => {
                let (from, to) = (from as u32, (from + self.count(row, position)) as u32);
                match runs.last_mut() {
                    Some(last) if last.1 == from => last.1 = to,
                    _ => runs.push((from, to)),
                }
            }
        }
    }

    fn whole(&self, relation: u32) -> At {
        At {
            block: Block {
                position: 0,
                relation,
                row: self.open,
                open: self.open,
                goal: self.goal,
            },
            from: 0,
            to: 0,
        }
    }

    /// Calls `visit` for each pair of a relation from an open state to an open state or a goal; `written` says which variables the relation speaks of, all others
    /// stay as they are. Ends early where `visit` says so.
    pub fn transitions(
        &self,
        relation: u32,
        written: &[bool],
        visit: &mut dyn FnMut(u64, Place) -> bool,
    ) -> bool {
        self.walk(self.whole(relation), written, 0, &mut |at| {
            visit(at.from, self.end(at))
        })
    }

    /// Calls `visit` for blocks with at most so many rows that together are a relation, with the numbers of their first row and column.
    pub fn blocks(
        &self,
        relation: u32,
        written: &[bool],
        rows: u64,
        visit: &mut dyn FnMut(u64, u64, Block) -> bool,
    ) -> bool {
        self.walk(self.whole(relation), written, rows, &mut |at| {
            visit(at.from, at.to, at.block)
        })
    }

    /// Calls `visit` for each pair of a block: row and column, counted from its first ones, or [`GOAL`](super::hybrid::GOAL).
    pub fn pairs_of(&self, block: Block, written: &[bool], visit: &mut dyn FnMut(u32, u32)) {
        let at = At {
            block,
            from: 0,
            to: 0,
        };
        self.walk(at, written, 0, &mut |at| {
            let column = match self.end(at) {
                Place::Open(column) => column as u32,
                _ => super::hybrid::GOAL,
            };
            visit(at.from as u32, column);
            true
        });
    }

    /// Where a walk has ended.
    fn end(&self, at: At) -> Place {
        match at.block.open {
            Frozen::TRUE => Place::Open(at.to),
            _ => Place::Goal,
        }
    }

    /// Walks down until at most so many rows are left, or to the end.
    fn walk(&self, at: At, written: &[bool], rows: u64, visit: &mut dyn FnMut(At) -> bool) -> bool {
        let Block {
            position,
            relation,
            row,
            open,
            goal,
        } = at.block;
        let never = relation == Frozen::FALSE || row == Frozen::FALSE;
        if never || (open == Frozen::FALSE && goal == Frozen::FALSE) {
            return true;
        }
        let Some(pair) = self.pairs.get(position) else {
            return visit(at);
        };
        if rows > 0 && self.count(row, position) <= rows {
            return visit(at);
        }
        let (relation_lo, relation_hi) = self.frozen.cofactors(relation, pair.now);
        let (row_lo, row_hi) = self.frozen.cofactors(row, pair.now);
        let (open_lo, open_hi) = self.frozen.cofactors(open, pair.now);
        let (goal_lo, goal_hi) = self.frozen.cofactors(goal, pair.now);
        let row_behind = at.from + self.count(row_lo, position + 1);
        let column_behind = at.to + self.count(open_lo, position + 1);
        for (bit, relation, row, from) in [
            (false, relation_lo, row_lo, at.from),
            (true, relation_hi, row_hi, row_behind),
        ] {
            let (to_lo, to_hi) = match written[pair.variable] {
                true => self.frozen.cofactors(relation, pair.next),
                false if bit => (Frozen::FALSE, relation),
                false => (relation, Frozen::FALSE),
            };
            for (relation, open, goal, to) in [
                (to_lo, open_lo, goal_lo, at.to),
                (to_hi, open_hi, goal_hi, column_behind),
            ] {
                let block = Block {
                    position: position + 1,
                    relation,
                    row,
                    open,
                    goal,
                };
                if !self.walk(At { block, from, to }, written, rows, visit) {
                    return false;
                }
            }
        }
        true
    }
}
