//! All of it, within a share of time: fewer states, several codes, the smallest circuit.

use crate::affinity::{affinities, placed};
use crate::encode::{Codes, encode};
use crate::fewest::fewest;
use crate::fold::{Preference, fold_by};
use crate::loose::LooseMachine;
use crate::netlist::Netlist;
use crate::shrink::Shrinking;
use crate::table::Table;
use entail_budget::Budget;
use std::time::{Duration, Instant};

/// Machines whose letters fall into more classes have no table.
const MOST_CLASSES: usize = 1_024;
/// Cells that folding looks at.
const MOST_CELLS: u64 = 20_000_000;
/// Machines with more states are not given a bit for each.
const MOST_HOT: usize = 40;
/// How long codes are tried if there is no limit.
const LONGEST: Duration = Duration::from_secs(10);
/// Placements by affinity that are tried.
const PLACEMENTS: usize = 4;
/// Attempts with other codes that may fail one after the other.
const PATIENCE: usize = 40;

/// A small circuit that does what a machine allows, and the table it was made from; nothing if the machine has too many letters or states, or the time is up before a first circuit.
pub fn small_circuit(machine: &LooseMachine, time: Duration, budget: &Budget) -> Option<(Netlist, Table)> {
    let end = Instant::now() + time;
    let left = || budget.part(end.saturating_duration_since(Instant::now()));
    let table = Table::new(machine, MOST_CLASSES)?;
    let mut tables: Vec<Table> = Vec::new();
    for preference in [Preference::First, Preference::Most, Preference::Last] {
        let folded = fold_by(&table, preference, MOST_CELLS, &budget.part(time / 4)).ok();
        tables.extend(folded);
    }
    let least = tables
        .iter()
        .map(|table| table.rows.len())
        .min()
        .unwrap_or(table.rows.len());
    if let Ok(Some(fewer)) = fewest(&table, least, &budget.part(time / 4)) {
        tables.push(fewer);
    }
    if tables.is_empty() {
        tables.push(table);
    }
    tables.sort_by_key(|table| table.rows.len());
    tables.truncate(2);
    let mut search = Search {
        shrinking: Shrinking::new(),
        best: None,
        seed: 0x9e37_79b9_7f4a_7c15,
    };
    for (at, table) in tables.iter().enumerate() {
        search.codes(table, at, &left);
    }
    let (netlist, at) = search.best?;
    Some((netlist, tables.swap_remove(at)))
}

struct Search {
    shrinking: Shrinking,
    /// The smallest circuit, and its table's position.
    best: Option<(Netlist, usize)>,
    seed: u64,
}

/// The size of the circuit with these codes before it is made smaller.
fn raw_size(table: &Table, order: &[u64], bits: usize, left: &dyn Fn() -> Budget) -> Option<usize> {
    let made = encode(table, &Codes::binary(order, bits), &left()).ok()?;
    Some(made.size())
}

impl Search {
    /// Tries codes for a table.
    fn codes(&mut self, table: &Table, at: usize, left: &dyn Fn() -> Budget) {
        let states = table.rows.len();
        let bits = states.next_power_of_two().trailing_zeros() as usize;
        let given: Vec<u64> = (0..states as u64).collect();
        let size = raw_size(table, &given, bits, left).unwrap_or(usize::MAX);
        let mut candidates = vec![(size, given)];
        if states >= 3
            && let Some(weights) = affinities(table, bits)
        {
            for _ in 0..PLACEMENTS {
                let mut other = placed(&weights, bits, &mut |below| self.random(below));
                let size = self.exchanged(table, &mut other, bits, left);
                candidates.push((size.unwrap_or(usize::MAX), other));
            }
        }
        // Shrinking takes the most time, so the most promising come first.
        candidates.sort_by_key(|(size, _)| *size);
        let (mut size, mut order) = (usize::MAX, Vec::new());
        for (_, codes) in candidates {
            let found = self.attempt(table, at, &Codes::binary(&codes, bits), left);
            if found < size || order.is_empty() {
                (size, order) = (found, codes);
            }
        }
        if (3..=MOST_HOT).contains(&states) {
            self.attempt(table, at, &Codes::one_hot(states), left);
        }
        if states < 3 {
            return;
        }
        // A bit more leaves more codes free.
        for bits in [bits, bits + 1] {
            let mut failed = 0;
            while failed < PATIENCE && left().check_now().is_ok() {
                let other = self.neighbour(&order, bits);
                let found = self.attempt(table, at, &Codes::binary(&other, bits), left);
                failed += 1;
                if found <= size {
                    failed = if found < size { 0 } else { failed };
                    (order, size) = (other, found);
                }
            }
        }
    }

    /// Exchanges codes as long as the circuit becomes smaller that is not yet shrunk: that is quickly seen. Its size, if there is one.
    fn exchanged(
        &mut self,
        table: &Table,
        order: &mut Vec<u64>,
        bits: usize,
        left: &dyn Fn() -> Budget,
    ) -> Option<usize> {
        let whole = left().time_left().unwrap_or(LONGEST);
        let end = Instant::now() + whole / (2 * PLACEMENTS as u32);
        let mut size = raw_size(table, order, bits, left)?;
        let mut failed = 0;
        while failed < 2 * PATIENCE && Instant::now() < end {
            let other = self.neighbour(order, bits);
            failed += 1;
            if let Some(found) = raw_size(table, &other, bits, left).filter(|found| *found <= size) {
                failed = if found < size { 0 } else { failed };
                (*order, size) = (other, found);
            }
        }
        Some(size)
    }

    /// Codes of which two are exchanged, or one is moved to a free number.
    fn neighbour(&mut self, order: &[u64], bits: usize) -> Vec<u64> {
        let mut other = order.to_vec();
        let one = self.random(order.len());
        let number = self.random(1 << bits) as u64;
        match other.iter().position(|&known| known == number) {
            Some(two) => other.swap(one, two),
            None => other[one] = number,
        }
        other
    }

    /// The size of the circuit with these codes.
    fn attempt(&mut self, table: &Table, at: usize, codes: &Codes, left: &dyn Fn() -> Budget) -> usize {
        let Ok(made) = encode(table, codes, &left()) else {
            return usize::MAX;
        };
        let made = self.shrinking.shrink(&made, &left());
        let size = made.size();
        if self.best.as_ref().is_none_or(|(best, _)| size < best.size()) {
            self.best = Some((made, at));
        }
        size
    }

    /// A number below another (xorshift).
    fn random(&mut self, below: usize) -> usize {
        self.seed ^= self.seed << 13;
        self.seed ^= self.seed >> 7;
        self.seed ^= self.seed << 17;
        (self.seed >> 11) as usize % below.max(1)
    }
}
