//! Sifting of blocks (Rudell 1993; groups as in Panda and Somenzi 1995).
//!
//! The blocks are taken by decreasing number of nodes. Each moves to the nearer end of the order, then to the
//! other, and is brought back to where the diagrams were smallest. A direction is given up when the diagrams have
//! outgrown the limit, or when a lower bound says that nothing better can follow (after Drechsler, Günther, Somenzi
//! 2001). While a block moves down, only its own levels and those below that interact with it can become smaller,
//! and the latter not by much: a node of such a level is a cofactor, by the block's variables, of a node the level
//! has once the block is below it, so with one variable in the block at most half the nodes go, with two three
//! quarters. While it moves up, the levels above it that interact with it may vanish.
//!
//! Cost: at most (number of blocks)² block swaps, each the product of the blocks' sizes in level swaps.

use super::level_tables::LevelTables;
use super::{Groups, Meter, ReorderEnd};

/// The blocks of the order from the top: where each begins, with one entry more for the end.
struct Blocks {
    start: Vec<usize>,
}

impl Blocks {
    fn of(tables: &LevelTables, groups: &Groups) -> Blocks {
        let mut start = vec![0];
        for size in groups.block_sizes(&tables.kernel.var_at) {
            start.push(start[start.len() - 1] + size);
        }
        Blocks { start }
    }

    fn count(&self) -> usize {
        self.start.len() - 1
    }

    fn levels(&self, position: usize) -> std::ops::Range<usize> {
        self.start[position]..self.start[position + 1]
    }

    /// Exchanges the blocks at `position` and the next one. Each variable of the lower block rises through the
    /// upper one. If memory runs out on the way, the blocks are put back as they were.
    fn swap(&mut self, tables: &mut LevelTables, position: usize) -> Result<(), ReorderEnd> {
        let upper = self.levels(position);
        let lower = self.levels(position + 1);
        let plan = || {
            let top = upper.start;
            lower
                .clone()
                .enumerate()
                .flat_map(move |(risen, level)| (top + risen..level).rev())
        };
        for (done, at) in plan().enumerate() {
            if let Err(halt) = tables.swap(at) {
                // Undoing a swap needs no more than it freed.
                let undo: Vec<usize> = plan().take(done).collect();
                for &at in undo.iter().rev() {
                    tables.swap(at)?;
                }
                return Err(halt);
            }
        }
        self.start[position + 1] = upper.start + lower.len();
        Ok(())
    }
}

/// One pass of sifting over all blocks.
pub(super) fn sift(tables: &mut LevelTables, groups: &Groups, meter: &Meter) -> Result<(), ReorderEnd> {
    let mut blocks = Blocks::of(tables, groups);
    // A block is recognised by its first variable, wherever it moves.
    let mut queue: Vec<(usize, u32)> = (0..blocks.count())
        .map(|position| {
            (
                weight(tables, &blocks, position),
                tables.var_at(blocks.levels(position).start),
            )
        })
        .filter(|&(weight, _)| weight > 0)
        .collect();
    queue.sort_unstable_by(|a, b| b.cmp(a));
    queue.truncate(meter.limits.max_blocks);
    for (_, first) in queue {
        let level = tables.kernel.level_of[first as usize] as usize;
        let position = blocks.start.partition_point(|&start| start <= level) - 1;
        sift_block(tables, &mut blocks, position, meter)?;
    }
    Ok(())
}

fn weight(tables: &LevelTables, blocks: &Blocks, position: usize) -> usize {
    blocks
        .levels(position)
        .map(|level| tables.size_of(tables.var_at(level)))
        .sum()
}

/// How many nodes the blocks in `range` have that interact with the block at `position`.
fn interacting(
    tables: &LevelTables,
    blocks: &Blocks,
    position: usize,
    range: impl Iterator<Item = usize>,
) -> usize {
    range
        .filter(|&other| interact(tables, blocks, position, other))
        .map(|other| weight(tables, blocks, other))
        .sum()
}

fn interact(tables: &LevelTables, blocks: &Blocks, a: usize, b: usize) -> bool {
    blocks.levels(a).any(|x| {
        blocks
            .levels(b)
            .any(|y| tables.interaction.interact(tables.var_at(x), tables.var_at(y)))
    })
}

#[derive(Clone, Copy, PartialEq)]
enum Direction {
    Up,
    Down,
}

/// Where a travelling block has been smallest.
struct Best {
    position: usize,
    size: usize,
}

fn sift_block(
    tables: &mut LevelTables,
    blocks: &mut Blocks,
    start: usize,
    meter: &Meter,
) -> Result<(), ReorderEnd> {
    let mut best = Best {
        position: start,
        size: tables.total(),
    };
    let mut at = start;
    let near_first = if start * 2 < blocks.count() {
        [Direction::Up, Direction::Down]
    } else {
        [Direction::Down, Direction::Up]
    };
    let mut outcome = Ok(());
    for direction in near_first {
        outcome = travel(tables, blocks, &mut at, direction, &mut best, meter);
        if outcome.is_err() {
            break;
        }
    }
    // Back to the best position. It was passed before, so there was room for it.
    while at < best.position {
        blocks.swap(tables, at)?;
        at += 1;
    }
    while at > best.position {
        blocks.swap(tables, at - 1)?;
        at -= 1;
    }
    outcome
}

fn travel(
    tables: &mut LevelTables,
    blocks: &mut Blocks,
    at: &mut usize,
    direction: Direction,
    best: &mut Best,
    meter: &Meter,
) -> Result<(), ReorderEnd> {
    let count = blocks.count();
    // Nodes of levels still to be passed that interact with the block.
    let mut ahead = match direction {
        Direction::Down => interacting(tables, blocks, *at, *at + 1..count),
        Direction::Up => interacting(tables, blocks, *at, 0..*at),
    };
    loop {
        let gain = match direction {
            Direction::Down => ahead - (ahead >> blocks.levels(*at).len().min(63)),
            Direction::Up => ahead,
        };
        let floor = (tables.total() - gain).saturating_sub(weight(tables, blocks, *at));
        if floor >= best.size {
            return Ok(());
        }
        let neighbour = match direction {
            Direction::Down if *at + 1 < count => *at + 1,
            Direction::Up if *at > 0 => *at - 1,
            _ => return Ok(()),
        };
        meter.check(tables)?;
        if interact(tables, blocks, *at, neighbour) {
            ahead -= weight(tables, blocks, neighbour);
        }
        match blocks.swap(tables, neighbour.min(*at)) {
            // No room is like too much growth: there may be room in the other direction.
            Err(ReorderEnd::Full) => return Ok(()),
            swapped => swapped?,
        }
        *at = neighbour;
        let size = tables.total();
        if size < best.size {
            *best = Best { position: *at, size };
        }
        if size as f64 > best.size as f64 * meter.limits.max_growth {
            return Ok(());
        }
    }
}
