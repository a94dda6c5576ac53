//! Names of clocks, integers and local slots in a written model.
//!
//! The slots of a network are numbered; the language has variables and arrays. Slots that are reached by a computed index are one array if they have the same range and first value, which is all that a declaration
//! of the language can say. Otherwise each is a variable of its own, and an index chooses among them by comparisons. Names are letters, digits and `_`, each given once.

use entail_clocks::{ClockName, Condition, Expression, Network, Place, Statement};
use std::collections::{BTreeMap, HashSet};
use std::ops::Range;

/// Elements among which comparisons choose, at most.
pub(super) const MOST_CHOICES: usize = 256;

/// Words that are no names.
const KEYWORDS: [&str; 16] = [
    "if", "then", "else", "end", "while", "do", "local", "nop", "system", "process", "event", "clock", "int",
    "location", "edge", "sync",
];

/// Gives names that are new.
#[derive(Default)]
pub(super) struct Fresh {
    given: HashSet<String>,
}

impl Fresh {
    /// A name of letters, digits and `_`, as near to the wanted one as it can be.
    pub fn name(&mut self, wanted: &str) -> String {
        let mut name = String::new();
        for letter in wanted.chars() {
            match letter {
                letter if letter.is_ascii_alphanumeric() || letter == '_' => name.push(letter),
                ')' | ']' | '!' | '?' => {}
                _ => name.push('_'),
            }
        }
        let is_name = name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
        if !is_name || KEYWORDS.contains(&name.as_str()) {
            name.insert(0, '_');
        }
        let mut chosen = name.clone();
        let mut number = 2;
        while !self.given.insert(chosen.clone()) {
            chosen = format!("{name}_{number}");
            number += 1;
        }
        chosen
    }
}

/// Where slots, or clocks, are in the written model.
pub(super) struct Memory {
    /// The text of each.
    names: BTreeMap<usize, String>,
    /// Arrays by their first slot, with their slots and names.
    arrays: BTreeMap<usize, (Range<usize>, String)>,
}

/// Ranges that overlap, as one.
fn joined(mut ranges: Vec<Range<usize>>) -> Vec<Range<usize>> {
    ranges.sort_by_key(|range| (range.start, range.end));
    let mut all: Vec<Range<usize>> = Vec::new();
    for range in ranges {
        match all.last_mut().filter(|last| range.start < last.end) {
            Some(last) => last.end = last.end.max(range.end),
            None => all.push(range),
        }
    }
    all
}

/// The name of an array whose first element is called so.
fn whole(element: &str) -> &str {
    element.rsplit_once('[').map_or(element, |(name, _)| name)
}

impl Memory {
    /// Names for slots, those of `ranges` that are `alike` as arrays.
    fn new(
        slots: Range<usize>,
        ranges: Vec<Range<usize>>,
        alike: &dyn Fn(&Range<usize>) -> bool,
        called: &dyn Fn(usize) -> String,
        fresh: &mut Fresh,
    ) -> Memory {
        let mut memory = Memory {
            names: BTreeMap::new(),
            arrays: BTreeMap::new(),
        };
        for range in joined(ranges) {
            if range.len() > 1 && alike(&range) {
                let name = fresh.name(whole(&called(range.start)));
                for slot in range.clone() {
                    memory
                        .names
                        .insert(slot, format!("{name}[{}]", slot - range.start));
                }
                memory.arrays.insert(range.start, (range, name));
            }
        }
        for slot in slots {
            let entry = memory.names.entry(slot);
            entry.or_insert_with(|| fresh.name(&called(slot)));
        }
        memory
    }

    /// The integers of a network and the local slots behind them.
    pub fn of_integers(
        network: &Network,
        places: Vec<Range<usize>>,
        slots: usize,
        fresh: &mut Fresh,
    ) -> Memory {
        let count = network.integers.len();
        let alike = |range: &Range<usize>| {
            if range.start >= count {
                return true;
            }
            let first = &network.integers[range.start];
            range.end <= count
                && (network.integers[range.clone()].iter())
                    .all(|one| (one.low, one.high, one.initial) == (first.low, first.high, first.initial))
        };
        let called = |slot: usize| match network.integers.get(slot) {
            Some(one) => one.name.clone(),
            None => format!("local_{}", slot - count),
        };
        Memory::new(0..slots, places, &alike, &called, fresh)
    }

    /// The clocks of a network.
    pub fn of_clocks(network: &Network, places: Vec<Range<usize>>, fresh: &mut Fresh) -> Memory {
        let called = |clock: usize| network.clock_name(clock).to_owned();
        Memory::new(1..network.dimension(), places, &|_| true, &called, fresh)
    }

    /// The text of a slot.
    pub fn name(&self, slot: usize) -> &str {
        self.names.get(&slot).map_or("", String::as_str)
    }

    /// The array in which slots lie, and where in it.
    pub fn array(&self, base: usize, size: usize) -> Option<(&str, usize, usize)> {
        let (_, (range, name)) = self.arrays.range(..=base).next_back()?;
        (base + size <= range.end).then(|| (name.as_str(), base - range.start, range.len()))
    }

    /// What is declared of some slots: the first of each, its name, and how many there are.
    pub fn declared(&self, slots: Range<usize>) -> Vec<(usize, String, usize)> {
        let mut found = Vec::new();
        let mut slot = slots.start;
        while slot < slots.end {
            match self.arrays.get(&slot) {
                Some((range, name)) => {
                    found.push((slot, name.clone(), range.len()));
                    slot = range.end;
                }
                None => {
                    found.push((slot, self.name(slot).to_owned(), 1));
                    slot += 1;
                }
            }
        }
        found
    }
}

/// The slots and clocks that are reached by computed indices.
#[derive(Default)]
pub(super) struct Reached {
    pub integers: Vec<Range<usize>>,
    pub clocks: Vec<Range<usize>>,
    /// One more than the largest slot.
    pub slots: usize,
}

impl Reached {
    pub fn conditions(&mut self, conditions: &[Condition]) {
        for condition in conditions {
            match condition {
                Condition::Integer(expression) => self.expression(expression),
                Condition::Clock {
                    left, right, bound, ..
                } => {
                    self.clock(left);
                    self.clock(right);
                    self.expression(bound);
                }
                Condition::When(when, inner) => {
                    self.expression(when);
                    self.conditions(inner);
                }
            }
        }
    }

    pub fn statements(&mut self, statements: &[Statement]) {
        for statement in statements {
            match statement {
                Statement::Assign { target, value, .. } => {
                    self.place(target);
                    self.expression(value);
                }
                Statement::Clock {
                    target,
                    source,
                    offset,
                    ..
                } => {
                    self.clock(target);
                    self.clock(source);
                    self.expression(offset);
                }
                Statement::If(condition, then, otherwise) => {
                    self.expression(condition);
                    self.statements(then);
                    self.statements(otherwise);
                }
                Statement::While(condition, body) => {
                    self.expression(condition);
                    self.statements(body);
                }
                Statement::Clear(from, count) => self.slots = self.slots.max(from + count),
                Statement::Assert(expression, _) => self.expression(expression),
                Statement::Return(_)
                | Statement::Call { .. }
                | Statement::Cost(..)
                | Statement::Draw { .. } => {}
            }
        }
    }

    fn clock(&mut self, name: &ClockName) {
        if let Some(index) = &name.index {
            self.clocks.push(name.base..name.base + name.size);
            self.expression(index);
        }
    }

    fn place(&mut self, place: &Place) {
        self.slots = self.slots.max(place.base + place.size);
        if let Some(index) = &place.index {
            self.integers.push(place.base..place.base + place.size);
            self.expression(index);
        }
    }

    pub fn expression(&mut self, expression: &Expression) {
        let mut waiting = vec![expression];
        while let Some(one) = waiting.pop() {
            match one {
                Expression::Constant(_) | Expression::Call(..) | Expression::Real(..) => {}
                Expression::Read(place) => {
                    self.slots = self.slots.max(place.base + place.size);
                    if let Some(index) = &place.index {
                        self.integers.push(place.base..place.base + place.size);
                        waiting.push(index);
                    }
                }
                Expression::Negate(inner)
                | Expression::Not(inner)
                | Expression::Index(inner, _)
                | Expression::Ranged(inner, ..)
                | Expression::Table(_, inner) => waiting.push(inner),
                Expression::Binary(_, left, right) => waiting.extend([&**left, &**right]),
                Expression::Choice(parts) => waiting.extend(parts.iter()),
            }
        }
    }
}
