//! Decision diagrams of the judge's own: sets of steps, as plain as they can be.
//!
//! Reduced and ordered (Bryant 1986), two constants, no complemented edges, no reordering. A level is even for the value of a signal now, odd for its next value, so that shifting a set of
//! letters to the next letter moves each node one level down. Nodes are made in order and never collected; what was made since a [`Mark`] can be thrown away again as a whole, when a
//! condition is judged. Too many nodes, or a spent budget, are an error and never an answer.

use entail_budget::{Budget, Spent};
use rustc_hash::FxHashMap;

/// More nodes are not made.
const MOST_NODES: usize = 24_000_000;
/// After so many nodes the budget is asked.
const NODES_BETWEEN_QUESTIONS: usize = 1 << 12;
/// Results that are remembered, at least.
const REMEMBERED: usize = 1 << 14;

/// A set of steps, or of letters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Set(u32);

impl Set {
    pub const NONE: Set = Set(0);
    pub const ALL: Set = Set(1);
}

/// Why there is no answer.
#[derive(Clone, Copy, Debug)]
pub(super) enum Unfinished {
    Spent(Spent),
    TooLarge,
}

/// The level of the constants.
const BOTTOM: u32 = u32::MAX;

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Node {
    level: u32,
    low: Set,
    high: Set,
}

/// Who chooses the variable of a level, and in which letter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Chosen {
    pub by_system: bool,
    pub next: bool,
}

/// What was computed: an operation with its operands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Done {
    Nothing,
    /// If one then another else a third.
    Choose(Set, Set, Set),
    /// What both have in common, whatever the quantified variables are.
    Common(u8, Set, Set),
    Shift(Set),
}

/// How many nodes there were.
pub(super) struct Mark(usize);

/// Sets with their nodes.
pub(super) struct Diagrams<'b> {
    nodes: Vec<Node>,
    numbers: FxHashMap<Node, Set>,
    remembered: Vec<(Done, Set)>,
    /// For each signal in the order, whether the system chooses it.
    by_system: Vec<bool>,
    budget: &'b Budget,
}

type Made = Result<Set, Unfinished>;

impl<'b> Diagrams<'b> {
    /// No sets yet, over signals in this order.
    pub fn new(by_system: Vec<bool>, budget: &'b Budget) -> Diagrams<'b> {
        let constant = Node {
            level: BOTTOM,
            low: Set::NONE,
            high: Set::NONE,
        };
        Diagrams {
            nodes: vec![constant; 2],
            numbers: FxHashMap::default(),
            remembered: vec![(Done::Nothing, Set::NONE); REMEMBERED],
            by_system,
            budget,
        }
    }

    /// The letters, or steps, in which a signal is true.
    pub fn signal(&mut self, place: usize, next: bool) -> Made {
        let level = place as u32 * 2 + u32::from(next);
        self.node(level, Set::NONE, Set::ALL)
    }

    /// A node about a signal of the letter now.
    pub fn letter_node(&mut self, place: u32, low: Set, high: Set) -> Made {
        self.node(place * 2, low, high)
    }

    /// Whether a set can be under a node about this signal now.
    pub fn is_below(&self, place: u32, set: Set) -> bool {
        self.nodes[set.0 as usize].level > place * 2
    }

    fn node(&mut self, level: u32, low: Set, high: Set) -> Made {
        if low == high {
            return Ok(low);
        }
        let node = Node { level, low, high };
        if let Some(&known) = self.numbers.get(&node) {
            return Ok(known);
        }
        let count = self.nodes.len();
        if count.is_multiple_of(NODES_BETWEEN_QUESTIONS) {
            self.budget.check_now().map_err(Unfinished::Spent)?;
        }
        if count >= MOST_NODES {
            return Err(Unfinished::TooLarge);
        }
        self.nodes.push(node);
        let made = Set(count as u32);
        self.numbers.insert(node, made);
        if count > self.remembered.len() {
            self.remembered = vec![(Done::Nothing, Set::NONE); self.remembered.len() * 2];
        }
        Ok(made)
    }

    /// Remembers how many nodes there are.
    pub fn mark(&self) -> Mark {
        Mark(self.nodes.len())
    }

    /// Throws away what was made since.
    pub fn forget_since(&mut self, mark: &Mark) {
        for node in self.nodes.drain(mark.0..) {
            self.numbers.remove(&node);
        }
        self.remembered.fill((Done::Nothing, Set::NONE));
    }

    fn place(&self, done: Done) -> usize {
        let [kind, a, b, c] = match done {
            Done::Nothing => [0; 4],
            Done::Choose(a, b, c) => [1, a.0, b.0, c.0],
            Done::Common(which, a, b) => [2 + u32::from(which), a.0, b.0, 0],
            Done::Shift(a) => [1 << 9, a.0, 0, 0],
        };
        let mut mixed = u64::from(kind);
        for part in [a, b, c] {
            mixed = (mixed ^ u64::from(part))
                .wrapping_mul(0xd6e8_feb8_6659_fd93)
                .rotate_left(29);
        }
        mixed as usize & (self.remembered.len() - 1)
    }

    fn recall(&self, done: Done) -> Option<Set> {
        let (known, result) = self.remembered[self.place(done)];
        (known == done).then_some(result)
    }

    fn remember(&mut self, done: Done, result: Set) -> Set {
        let place = self.place(done);
        self.remembered[place] = (done, result);
        result
    }

    fn level(&self, set: Set) -> u32 {
        self.nodes[set.0 as usize].level
    }

    fn parts(&self, set: Set, level: u32) -> (Set, Set) {
        let node = self.nodes[set.0 as usize];
        match node.level == level {
            true => (node.low, node.high),
            false => (set, set),
        }
    }

    /// The elements of `then` that are in `condition`, and those of `otherwise` that are not.
    pub fn choose(&mut self, condition: Set, then: Set, otherwise: Set) -> Made {
        match (condition, then, otherwise) {
            (Set::ALL, ..) => return Ok(then),
            (Set::NONE, ..) => return Ok(otherwise),
            _ if then == otherwise => return Ok(then),
            (_, Set::ALL, Set::NONE) => return Ok(condition),
            _ => {}
        }
        let done = Done::Choose(condition, then, otherwise);
        if let Some(known) = self.recall(done) {
            return Ok(known);
        }
        let level = self
            .level(condition)
            .min(self.level(then))
            .min(self.level(otherwise));
        let (c, t, o) = (
            self.parts(condition, level),
            self.parts(then, level),
            self.parts(otherwise, level),
        );
        let low = deeper(|| self.choose(c.0, t.0, o.0))?;
        let high = deeper(|| self.choose(c.1, t.1, o.1))?;
        let result = self.node(level, low, high)?;
        Ok(self.remember(done, result))
    }

    pub fn and(&mut self, one: Set, other: Set) -> Made {
        self.choose(one, other, Set::NONE)
    }

    pub fn or(&mut self, one: Set, other: Set) -> Made {
        self.choose(one, Set::ALL, other)
    }

    pub fn not(&mut self, set: Set) -> Made {
        self.choose(set, Set::NONE, Set::ALL)
    }

    fn is_chosen(&self, level: u32, how: Chosen) -> bool {
        (level % 2 == 1) == how.next && self.by_system.get(level as usize / 2) == Some(&how.by_system)
    }

    /// What two sets have in common, for some values of what is chosen in this way.
    pub fn some(&mut self, how: Chosen, one: Set, other: Set) -> Made {
        let (one, other) = (Set(one.0.min(other.0)), Set(one.0.max(other.0)));
        if one == Set::NONE {
            return Ok(Set::NONE);
        }
        let level = self.level(one).min(self.level(other));
        if level == BOTTOM {
            return Ok(Set::ALL);
        }
        let done = Done::Common(u8::from(how.by_system) * 2 + u8::from(how.next), one, other);
        if let Some(known) = self.recall(done) {
            return Ok(known);
        }
        let (a, b) = (self.parts(one, level), self.parts(other, level));
        let low = deeper(|| self.some(how, a.0, b.0))?;
        let result = match self.is_chosen(level, how) {
            true if low == Set::ALL => Set::ALL,
            true => {
                let high = deeper(|| self.some(how, a.1, b.1))?;
                self.or(low, high)?
            }
            false => {
                let high = deeper(|| self.some(how, a.1, b.1))?;
                self.node(level, low, high)?
            }
        };
        Ok(self.remember(done, result))
    }

    /// What is in a set for all values of what is chosen in this way.
    pub fn every(&mut self, how: Chosen, set: Set) -> Made {
        let outside = self.not(set)?;
        let some_outside = self.some(how, outside, Set::ALL)?;
        self.not(some_outside)
    }

    /// The steps whose next letter is in a set of letters.
    pub fn shifted(&mut self, set: Set) -> Made {
        let level = self.level(set);
        if level == BOTTOM {
            return Ok(set);
        }
        if let Some(known) = self.recall(Done::Shift(set)) {
            return Ok(known);
        }
        let (low, high) = self.parts(set, level);
        let low = deeper(|| self.shifted(low))?;
        let high = deeper(|| self.shifted(high))?;
        let result = self.node(level + 1, low, high)?;
        Ok(self.remember(Done::Shift(set), result))
    }
}

/// Recursion is as deep as there are levels.
fn deeper<T>(work: impl FnOnce() -> T) -> T {
    stacker::maybe_grow(64 << 10, 1 << 20, work)
}
