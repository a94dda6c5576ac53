//! Small decision diagrams of the checker's own, for questions about models of moderate width.
//!
//! Sets that an engine found by fixpoints are small as diagrams, and so are most questions about them: whether some state, or some step, breaks a condition.
//! A solver has to search for what a diagram says at once. The diagrams here share nothing with those of engines: reduced and ordered
//! (Bryant 1986), with complemented edges, no reordering, no collection. A literal is an edge: its number is the node, its sign the complement; node 1 is the constant.
//! The sign of every node's upper edge is positive, so that each function has one literal, and two functions are equal if their literals are.
//!
//! A question is a list of functions that must be true together. They are multiplied together by the elimination of one variable after the other, each as
//! soon as all functions that speak of it are one (bucket elimination, Dechter 1999), so that the product itself is never built.
//!
//! Whoever makes too many nodes gets no answer, and asks a solver. Until then, what is computed after the limit was passed means nothing; [`Diagrams::satisfiable`] says so.

use crate::solver::Lit;
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::rc::Rc;

/// More nodes are not made.
const MOST_NODES: usize = 1 << 18;

/// More steps of operations are not made.
const MOST_STEPS: usize = 1 << 23;

/// The results of operations that are remembered, at first and at most.
const FEWEST_REMEMBERED: usize = 1 << 12;
const MOST_REMEMBERED: usize = 1 << 18;

/// The constant's level, below all variables.
const BOTTOM: u32 = u32::MAX;

/// A function was given up because its diagrams are too large.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TooLarge;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Node {
    level: u32,
    high: Lit,
    low: Lit,
}

/// What is remembered of an operation: its operands, its kind, and the result.
#[derive(Clone, Copy)]
struct Remembered {
    operands: [Lit; 3],
    kind: u32,
    result: Lit,
}

/// Kinds of operations; greater ones are conjunctions under a quantifier, each with a set of variables of its own.
const AND: u32 = 1;
const MUX: u32 = 2;
const FIRST_QUANTIFIED: u32 = 3;

/// The variables of a function, by level.
type Support = Rc<[u64]>;

/// Functions of numbered variables.
pub(crate) struct Diagrams {
    nodes: Vec<Node>,
    /// Nodes by what they are: open addressing, 0 is an empty place.
    places: Vec<u32>,
    remembered: Vec<Remembered>,
    supports: FxHashMap<u32, Support>,
    /// The variables that are quantified now, and the kind of operation that quantifies them.
    quantified: Vec<bool>,
    quantifying: u32,
    variables: u32,
    steps: usize,
    /// The walk that each node was last met by, and the number of walks.
    visited: Vec<u32>,
    visits: u32,
}

const TRUE: Lit = Lit::TRUE_NODE;

/// How many variables a set of them has.
fn width(support: &[u64]) -> u32 {
    support.iter().map(|word| word.count_ones()).sum()
}

fn mixed(parts: [u32; 4]) -> usize {
    let mut hash = 0u64;
    for part in parts {
        hash = (hash.rotate_left(23) ^ u64::from(part)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }
    (hash ^ hash >> 29) as usize
}

impl Diagrams {
    pub(crate) fn new() -> Diagrams {
        let constant = Node {
            level: BOTTOM,
            high: TRUE,
            low: TRUE,
        };
        Diagrams {
            // Nodes are numbered from 1; the first entry stands for no node.
            nodes: vec![constant, constant],
            places: vec![0; 1 << 12],
            remembered: vec![
                Remembered {
                    operands: [TRUE; 3],
                    kind: 0,
                    result: TRUE,
                };
                FEWEST_REMEMBERED
            ],
            supports: FxHashMap::default(),
            quantified: Vec::new(),
            quantifying: FIRST_QUANTIFIED,
            variables: 0,
            steps: 0,
            visited: Vec::new(),
            visits: 0,
        }
    }

    /// A new variable, below all others.
    pub(crate) fn variable(&mut self) -> Lit {
        let level = self.variables;
        self.variables += 1;
        self.node(level, TRUE, !TRUE)
    }

    /// Whether everything computed so far means something.
    fn is_spent(&self) -> bool {
        self.nodes.len() > MOST_NODES || self.steps > MOST_STEPS
    }

    fn level(&self, literal: Lit) -> u32 {
        self.nodes[literal.variable() as usize].level
    }

    /// The function where the variable of a level, at or above its own, is true, and where it is false.
    fn split(&self, literal: Lit, level: u32) -> (Lit, Lit) {
        let node = self.nodes[literal.variable() as usize];
        match node.level == level {
            true => {
                let flip = literal < !literal;
                (node.high.flipped_if(flip), node.low.flipped_if(flip))
            }
            false => (literal, literal),
        }
    }

    /// The function "if the variable of this level then `high` else `low`", both of which are about lower levels.
    fn node(&mut self, level: u32, high: Lit, low: Lit) -> Lit {
        if high == low {
            return high;
        }
        let flip = high < !high;
        let node = Node {
            level,
            high: high.flipped_if(flip),
            low: low.flipped_if(flip),
        };
        let mask = self.places.len() - 1;
        let mut place = mixed([level, node.high.code(), node.low.code(), 0]) & mask;
        loop {
            let number = self.places[place];
            if number == 0 {
                break;
            }
            if self.nodes[number as usize] == node {
                return Lit::of_node(number).flipped_if(flip);
            }
            place = (place + 1) & mask;
        }
        let number = self.nodes.len() as u32;
        self.nodes.push(node);
        self.places[place] = number;
        if self.nodes.len() * 2 > self.places.len() {
            self.grow();
        }
        Lit::of_node(number).flipped_if(flip)
    }

    fn grow(&mut self) {
        let size = self.places.len() * 2;
        self.places = vec![0; size];
        for (number, node) in self.nodes.iter().enumerate().skip(2) {
            let mut place = mixed([node.level, node.high.code(), node.low.code(), 0]) & (size - 1);
            while self.places[place] != 0 {
                place = (place + 1) & (size - 1);
            }
            self.places[place] = number as u32;
        }
        if self.remembered.len() < MOST_REMEMBERED {
            let none = Remembered {
                operands: [TRUE; 3],
                kind: 0,
                result: TRUE,
            };
            let size = self.remembered.len() * 2;
            self.remembered.clear();
            self.remembered.resize(size, none);
        }
    }

    /// The place of an operation's result, and the result if it is remembered.
    fn recall(&mut self, operands: [Lit; 3], kind: u32) -> Option<Lit> {
        self.steps += 1;
        let known = &self.remembered[self.memory_place(operands, kind)];
        (known.kind == kind && known.operands == operands).then_some(known.result)
    }

    fn remember(&mut self, operands: [Lit; 3], kind: u32, result: Lit) -> Lit {
        let place = self.memory_place(operands, kind);
        self.remembered[place] = Remembered {
            operands,
            kind,
            result,
        };
        result
    }

    fn memory_place(&self, operands: [Lit; 3], kind: u32) -> usize {
        let [a, b, c] = operands.map(Lit::code);
        mixed([a, b, c, kind]) & (self.remembered.len() - 1)
    }

    pub(crate) fn and(&mut self, a: Lit, b: Lit) -> Lit {
        let (a, b) = (a.min(b), a.max(b));
        if a == b || b == TRUE {
            return a;
        }
        if a == TRUE {
            return b;
        }
        if a == !b || a == !TRUE || b == !TRUE || self.is_spent() {
            return !TRUE;
        }
        let operands = [a, b, TRUE];
        if let Some(known) = self.recall(operands, AND) {
            return known;
        }
        let level = self.level(a).min(self.level(b));
        let ((a1, a0), (b1, b0)) = (self.split(a, level), self.split(b, level));
        let (high, low) = (self.and(a1, b1), self.and(a0, b0));
        let result = self.node(level, high, low);
        self.remember(operands, AND, result)
    }

    /// If the condition then one function else another.
    pub(crate) fn mux(&mut self, condition: Lit, then: Lit, otherwise: Lit) -> Lit {
        if condition == TRUE || then == otherwise {
            return then;
        }
        if condition == !TRUE {
            return otherwise;
        }
        if then == TRUE || then == condition {
            return !self.and(!condition, !otherwise);
        }
        if then == !TRUE || then == !condition {
            return self.and(!condition, otherwise);
        }
        if otherwise == TRUE || otherwise == !condition {
            return !self.and(condition, !then);
        }
        if otherwise == !TRUE || otherwise == condition {
            return self.and(condition, then);
        }
        if self.is_spent() {
            return !TRUE;
        }
        let operands = [condition, then, otherwise];
        if let Some(known) = self.recall(operands, MUX) {
            return known;
        }
        let level = operands.map(|operand| self.level(operand)).into_iter().min();
        let level = level.unwrap_or(BOTTOM);
        let [(c1, c0), (t1, t0), (o1, o0)] = operands.map(|operand| self.split(operand, level));
        let (high, low) = (self.mux(c1, t1, o1), self.mux(c0, t0, o0));
        let result = self.node(level, high, low);
        self.remember(operands, MUX, result)
    }

    /// Whether the quantified variables have values for which both functions are true.
    fn and_exists(&mut self, a: Lit, b: Lit) -> Lit {
        let (a, b) = (a.min(b), a.max(b));
        if a == !b || a == !TRUE || b == !TRUE || self.is_spent() {
            return !TRUE;
        }
        let level = self.level(a).min(self.level(b));
        if level == BOTTOM {
            return TRUE;
        }
        let operands = [a, b, TRUE];
        if let Some(known) = self.recall(operands, self.quantifying) {
            return known;
        }
        let ((a1, a0), (b1, b0)) = (self.split(a, level), self.split(b, level));
        let high = self.and_exists(a1, b1);
        let result = if !self.quantified[level as usize] {
            let low = self.and_exists(a0, b0);
            self.node(level, high, low)
        } else if high == TRUE {
            TRUE
        } else {
            let low = self.and_exists(a0, b0);
            !self.and(!high, !low)
        };
        self.remember(operands, self.quantifying, result)
    }

    /// The variables that a function depends on.
    fn support(&mut self, literal: Lit) -> Support {
        let root = literal.variable();
        let words = (self.variables as usize).div_ceil(64);
        // (Variables may have been added since.)
        if let Some(known) = self.supports.get(&root).filter(|known| known.len() == words) {
            return Rc::clone(known);
        }
        let mut support = vec![0u64; words];
        // (A list that is kept: most functions are small beside all nodes.)
        self.visited.resize(self.nodes.len(), 0);
        self.visits += 1;
        let mut pending = vec![root];
        while let Some(number) = pending.pop() {
            let last = &mut self.visited[number as usize];
            if number == 1 || std::mem::replace(last, self.visits) == self.visits {
                continue;
            }
            let node = self.nodes[number as usize];
            support[node.level as usize / 64] |= 1 << (node.level % 64);
            pending.extend([node.high.variable(), node.low.variable()]);
        }
        let support: Support = support.into();
        self.supports.insert(root, Rc::clone(&support));
        support
    }

    /// Whether all functions can be true together.
    pub(crate) fn satisfiable(&mut self, functions: impl IntoIterator<Item = Lit>) -> Result<bool, TooLarge> {
        let mut functions: Vec<Lit> = functions.into_iter().filter(|&one| one != TRUE).collect();
        functions.sort_unstable();
        functions.dedup();
        let mut pieces = self.absorbed(functions);
        let mut found = pieces.iter().all(|&(one, _)| one != !TRUE);
        while found && pieces.len() > 1 {
            found = self.eliminate(&mut pieces);
        }
        match self.is_spent() {
            true => Err(TooLarge),
            false => Ok(found),
        }
    }

    /// The functions with their supports; one that speaks of no other variables than another is multiplied with it at once.
    fn absorbed(&mut self, functions: Vec<Lit>) -> Vec<(Lit, Support)> {
        let mut wide: Vec<(Lit, Support)> = functions
            .into_iter()
            .map(|one| (one, self.support(one)))
            .collect();
        wide.sort_unstable_by_key(|(one, support)| (Reverse(width(support)), one.variable()));
        let mut pieces: Vec<(Lit, Support)> = Vec::new();
        for (one, support) in wide {
            let is_wider = |(_, other): &(Lit, Support)| {
                let mut words = support.iter().zip(other.iter());
                words.all(|(own, other)| own & !other == 0)
            };
            match pieces.iter().position(is_wider) {
                Some(at) => pieces[at].0 = self.and(pieces[at].0, one),
                None => pieces.push((one, support)),
            }
        }
        pieces
            .into_iter()
            .filter(|&(one, _)| one != TRUE)
            .map(|(one, _)| (one, self.support(one)))
            .collect()
    }

    /// Makes one piece of all that speak of some variable, without the variables that no other piece speaks of. False if they exclude each other.
    fn eliminate(&mut self, pieces: &mut Vec<(Lit, Support)>) -> bool {
        let words = (self.variables as usize).div_ceil(64);
        let spoken = (0..words).map(|word| {
            let of = pieces.iter().map(|(_, support)| support[word]);
            of.fold(0, |all, one| all | one)
        });
        let spoken: Vec<u64> = spoken.collect();
        let is_spoken = |variable: &u32| spoken[*variable as usize / 64] >> (variable % 64) & 1 == 1;
        let filled = (0..words as u32).filter(|&word| spoken[word as usize] != 0);
        let candidates = filled.flat_map(|word| (word * 64..(word + 1) * 64).filter(is_spoken));
        let cheapest = candidates.filter_map(|variable| {
            let (word, bit) = (variable as usize / 64, 1u64 << (variable % 64));
            let mut together = pieces.iter().filter(|(_, support)| support[word] & bit != 0);
            let mut union: Vec<u64> = together.next()?.1.to_vec();
            let mut count = 1;
            for (_, support) in together {
                count += 1;
                union
                    .iter_mut()
                    .zip(support.iter())
                    .for_each(|(all, one)| *all |= one);
            }
            Some(((width(&union), count), variable, union))
        });
        let Some((_, variable, union)) = cheapest.min() else {
            // Only constants are left, and none of them is false.
            pieces.truncate(1);
            return true;
        };
        let (word, bit) = (variable as usize / 64, 1u64 << (variable % 64));
        let (mut together, apart): (Vec<_>, Vec<_>) =
            (pieces.drain(..)).partition(|(_, support)| support[word] & bit != 0);
        *pieces = apart;
        let is_elsewhere = |word: usize, bit: u64| pieces.iter().any(|(_, support)| support[word] & bit != 0);
        self.quantified = (0..self.variables as usize)
            .map(|one| {
                let (word, bit) = (one / 64, 1u64 << (one % 64));
                union[word] & bit != 0 && !is_elsewhere(word, bit)
            })
            .collect();
        self.quantifying += 1;
        together.sort_unstable_by_key(|(one, support)| (width(support), one.variable()));
        let (last, _) = together.pop().unwrap_or((TRUE, Rc::from([])));
        let product = together.iter().fold(TRUE, |all, (one, _)| self.and(all, *one));
        let piece = self.and_exists(product, last);
        if piece != TRUE {
            let support = self.support(piece);
            pieces.push((piece, support));
        }
        piece != !TRUE
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::rngs::StdRng;
    use rand::{Rng, SeedableRng};

    const VARIABLES: usize = 5;

    /// A random function with its truth table.
    fn random_functions(diagrams: &mut Diagrams, random: &mut StdRng) -> Vec<(Lit, u32)> {
        let mut all: Vec<(Lit, u32)> = vec![(TRUE, u32::MAX)];
        for variable in 0..VARIABLES {
            let table = (0..1u32 << VARIABLES).fold(0, |table, row| table | (row >> variable & 1) << row);
            all.push((diagrams.variable(), table));
        }
        for _ in 0..40 {
            let mut pick = || {
                let (literal, table) = all[random.random_range(0..all.len())];
                let flip = random.random_bool(0.5);
                (literal.flipped_if(flip), if flip { !table } else { table })
            };
            let ((a, ta), (b, tb), (c, tc)) = (pick(), pick(), pick());
            let made = match random.random_bool(0.5) {
                true => (diagrams.and(a, b), ta & tb),
                false => (diagrams.mux(a, b, c), ta & tb | !ta & tc),
            };
            all.push(made);
        }
        all
    }

    #[test]
    fn equal_functions_and_only_they_have_one_literal_and_conjunctions_are_decided() {
        let mut random = StdRng::seed_from_u64(3);
        let mut conflicts = 0;
        for _ in 0..300 {
            let mut diagrams = Diagrams::new();
            let all = random_functions(&mut diagrams, &mut random);
            for (one, table) in &all {
                for (other, second) in &all {
                    assert_eq!(one == other, table == second);
                    assert_eq!(*one == !*other, *table == !second);
                }
            }
            for _ in 0..20 {
                let chosen: Vec<(Lit, u32)> = (0..random.random_range(0..6))
                    .map(|_| all[random.random_range(0..all.len())])
                    .collect();
                let together = chosen.iter().fold(u32::MAX, |all, (_, table)| all & table);
                let found = diagrams.satisfiable(chosen.iter().map(|(literal, _)| *literal));
                assert_eq!(found, Ok(together != 0));
                conflicts += usize::from(together == 0);
            }
        }
        assert!(conflicts > 500, "{conflicts}");
    }

    #[test]
    fn what_is_too_large_has_no_answer() {
        // The bits of two numbers one after the other instead of side by side: each sum of all pairs doubles the diagram.
        let mut diagrams = Diagrams::new();
        let first: Vec<Lit> = (0..24).map(|_| diagrams.variable()).collect();
        let second: Vec<Lit> = (0..24).map(|_| diagrams.variable()).collect();
        let mut none = TRUE;
        for (&a, &b) in first.iter().zip(&second) {
            let both = diagrams.and(a, b);
            none = diagrams.and(none, !both);
        }
        assert_eq!(diagrams.satisfiable([none]), Err(TooLarge));
    }
}
