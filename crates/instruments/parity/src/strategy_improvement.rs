//! Strategy improvement (Vöge and Jurdziński, CAV 2000), with an exit (Luttenberger, 2008).
//!
//! Even may end the play at each of its vertices, and does so everywhere at first. The value of a play that ends is how often each priority was seen:
//! the highest priority at which two values differ decides, where more is better for Even if it is even. A play that goes on for ever is worth more than
//! all that end, since Even never closes a cycle that Odd wins, and cycles that Odd wins without Even are solved beforehand. Odd answers Even's strategy as well as it can, itself by improvement; then Even
//! changes every vertex to a step of higher value. When nothing can be improved, Even wins where plays go on for ever, and Odd everywhere else: around a
//! cycle that keeps to Odd's moves values cannot fall, so its highest priority is odd.
//!
//! With several threads the plays of one length, and the vertices at which a move may be changed, are shared. A play has one predecessor by each of its vertices' moves, so no two threads find the same
//! vertex; which of two vertices of a layer comes first does not matter.

use crate::board::{Board, NONE, Outcome};
use crate::crew::with_crew;
use crate::preprocess::preprocess;
use crate::side_by_side::Threads;
use crate::solve::take_over;
use entail_budget::{Budget, Spent};
use std::cmp::Ordering;
use std::ops::Range;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering::Relaxed};

/// The move that ends the play.
const EXIT: u32 = NONE;
/// The row of a play that goes on for ever.
const NO_END: u32 = NONE;

/// Solves a board.
pub(crate) fn solve(board: &Board, threads: Threads, budget: &Budget) -> Result<Outcome, Spent> {
    let mut outcome = Outcome::open(board.len());
    preprocess(board, &mut outcome, budget)?;
    let open: Vec<u32> = (0..board.len() as u32).filter(|&v| outcome.is_open(v)).collect();
    if !open.is_empty() {
        let part = board.part(open, &mut vec![NONE; board.len()]);
        take_over(&part, &improve(&part, threads, budget)?, &mut outcome);
    }
    Ok(outcome)
}

/// Solves a board on which every cycle that Odd wins has a vertex of Even.
fn improve(board: &Board, threads: Threads, budget: &Budget) -> Result<Outcome, Spent> {
    let size = board.len();
    let first = |v: u32| match board.owner(v) {
        0 => EXIT,
        _ => board.successors(v)[0],
    };
    let everywhere = |value: u32, count: usize| (0..count).map(|_| AtomicU32::new(value)).collect();
    let players = Players {
        board,
        budget,
        choice: (0..size as u32).map(|v| AtomicU32::new(first(v))).collect(),
        values: everywhere(0, size * board.levels()),
        order: everywhere(NONE, size),
        row: everywhere(NO_END, size),
        found: AtomicUsize::new(0),
        changed: AtomicBool::new(false),
        spent: OnceLock::new(),
    };
    with_crew(
        threads,
        |task, places| players.work(task, places),
        |crew| {
            let run = |task: Task, positions: usize| {
                crew.run(task, positions);
                players.spent.get().map_or(Ok(()), |spent| Err(*spent))
            };
            // The values of all plays, backwards from where they end: those of one step, of two, and so on.
            let evaluate = || {
                players.found.store(0, Relaxed);
                run(Task::Begin, size)?;
                let mut done = 0;
                loop {
                    let end = players.found.load(Relaxed);
                    if done == end {
                        return Ok(());
                    }
                    run(Task::Layer(done), end - done)?;
                    done = end;
                }
            };
            let improve = |player: u8| {
                players.changed.store(false, Relaxed);
                run(Task::Improve(player), size)?;
                Ok(players.changed.load(Relaxed))
            };
            loop {
                evaluate()?;
                while improve(1)? {
                    evaluate()?;
                }
                if !improve(0)? {
                    return Ok(());
                }
            }
        },
    )?;
    let mut outcome = Outcome::open(size);
    for (vertex, (row, choice)) in players.row.iter().zip(&players.choice).enumerate() {
        let winner = u8::from(row.load(Relaxed) != NO_END);
        outcome.set(vertex as u32, winner, choice.load(Relaxed));
    }
    Ok(outcome)
}

/// What threads do together.
#[derive(Clone, Copy)]
enum Task {
    /// Forgets where plays lead, and finds the vertices at which they end.
    Begin,
    /// The values of the plays from here on in the order, and the plays that are longer by one step.
    Layer(usize),
    /// Better moves of a player.
    Improve(u8),
}

struct Players<'b> {
    board: &'b Board,
    budget: &'b Budget,
    choice: Vec<AtomicU32>,
    /// Rows that say how often a play sees each priority. They are in the order in which ends are found backwards, so that all plays with the same number of steps stand side by side.
    values: Vec<AtomicU32>,
    /// The vertex of each row.
    order: Vec<AtomicU32>,
    /// The row of the play from each vertex, if it ends.
    row: Vec<AtomicU32>,
    /// Rows that are taken.
    found: AtomicUsize,
    /// Whether a move was changed.
    changed: AtomicBool,
    /// Set when the budget is spent; nothing means anything then.
    spent: OnceLock<Spent>,
}

impl Players<'_> {
    fn work(&self, task: Task, places: Range<usize>) {
        if let Err(spent) = self.budget.check() {
            // Another thread may have said so already.
            let _ = self.spent.set(spent);
            return;
        }
        match task {
            Task::Begin => self.begin(places),
            Task::Layer(begin) => self.layer(begin + places.start..begin + places.end),
            Task::Improve(player) => self.improve(player, places),
        }
    }

    fn value(&self, row: u32) -> &[AtomicU32] {
        let levels = self.board.levels();
        &self.values[row as usize * levels..][..levels]
    }

    /// Takes rows for vertices.
    fn take_rows(&self, vertices: &[u32]) {
        let begin = self.found.fetch_add(vertices.len(), Relaxed);
        for (row, &vertex) in (begin..).zip(vertices) {
            self.order[row].store(vertex, Relaxed);
            self.row[vertex as usize].store(row as u32, Relaxed);
        }
    }

    fn begin(&self, places: Range<usize>) {
        let mut ends = Vec::new();
        for vertex in places {
            match self.choice[vertex].load(Relaxed) {
                EXIT => ends.push(vertex as u32),
                _ => self.row[vertex].store(NO_END, Relaxed),
            }
        }
        self.take_rows(&ends);
    }

    fn layer(&self, rows: Range<usize>) {
        let mut longer = Vec::new();
        for row in rows {
            let vertex = self.order[row].load(Relaxed);
            let own = self.value(row as u32);
            match self.choice[vertex as usize].load(Relaxed) {
                EXIT => own.iter().for_each(|count| count.store(0, Relaxed)),
                to => {
                    let after = self.value(self.row[to as usize].load(Relaxed));
                    for (count, after) in own.iter().zip(after) {
                        count.store(after.load(Relaxed), Relaxed);
                    }
                }
            }
            let seen = &own[self.board.priority(vertex) as usize];
            seen.store(seen.load(Relaxed) + 1, Relaxed);
            let mut last = NONE;
            for &from in self.board.predecessors(vertex) {
                // An edge may be there twice, side by side.
                if self.choice[from as usize].load(Relaxed) == vertex && from != last {
                    longer.push(from);
                }
                last = from;
            }
        }
        self.take_rows(&longer);
    }

    /// The order of what comes after a step, from Even's point of view.
    fn compare(&self, one: u32, other: u32) -> Ordering {
        let row = |v: u32| match v {
            EXIT => None,
            _ => Some(self.row[v as usize].load(Relaxed)),
        };
        let (one, other) = (row(one), row(other));
        // Going on for ever is best.
        match (one == Some(NO_END), other == Some(NO_END)) {
            (false, false) => {}
            (one, other) => return one.cmp(&other),
        }
        if one == other {
            return Ordering::Equal;
        }
        for level in (0..self.board.levels()).rev() {
            let count = |row: Option<u32>| row.map_or(0, |row| self.value(row)[level].load(Relaxed));
            let order = match level % 2 {
                0 => count(one).cmp(&count(other)),
                _ => count(other).cmp(&count(one)),
            };
            if order.is_ne() {
                return order;
            }
        }
        Ordering::Equal
    }

    /// Changes the moves of a player to better ones.
    fn improve(&self, player: u8, vertices: Range<usize>) {
        let better = match player {
            0 => Ordering::Greater,
            _ => Ordering::Less,
        };
        let mut changed = false;
        for vertex in vertices {
            if self.board.owner(vertex as u32) != player {
                continue;
            }
            let before = self.choice[vertex].load(Relaxed);
            let mut choice = before;
            for &to in self.board.successors(vertex as u32) {
                if self.compare(to, choice) == better {
                    choice = to;
                }
            }
            if choice != before {
                self.choice[vertex].store(choice, Relaxed);
                changed = true;
            }
        }
        if changed {
            self.changed.store(true, Relaxed);
        }
    }
}
