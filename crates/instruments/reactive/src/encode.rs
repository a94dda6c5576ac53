//! From a table and codes of its states to a circuit.
//!
//! Everything is a decision diagram over latches, what is read and what is written. What may be written is one relation; outputs are chosen from it one after the other, each as a function
//! between what it must be and what it may be, and put in before the next. Next states likewise, bit by bit, free where anything may follow. Codes that no state has are free everywhere.

use crate::cover::Covering;
use crate::loose::{OutputSet, OutputSets};
use crate::netlist::Netlist;
use crate::table::{LetterNode, Table};
use entail_budget::Budget;
use entail_dd::{Bdd, Config, Error, Manager, Var};
use entail_sat::Init;
use rustc_hash::FxHashMap;

/// Memory of the manager.
const MEMORY: u64 = 256 << 20;

/// The codes of a table's states: different ones, the first state's all false.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Codes {
    /// Bits of a code.
    pub bits: usize,
    /// Which bits of each state's code are true.
    pub of_state: Vec<Vec<bool>>,
}

impl Codes {
    /// Numbers in binary: state `at` has the number `order[at]`, but for an exclusive or with that of the first state.
    pub fn binary(order: &[u64], bits: usize) -> Codes {
        let first = order.first().copied().unwrap_or(0);
        let code = |&number: &u64| (0..bits).map(|bit| (number ^ first) >> bit & 1 == 1).collect();
        Codes {
            bits,
            of_state: order.iter().map(code).collect(),
        }
    }

    /// A bit for each state but the first.
    pub fn one_hot(states: usize) -> Codes {
        let bits = states.saturating_sub(1);
        let code = |state: usize| (0..bits).map(|bit| bit + 1 == state).collect();
        Codes {
            bits,
            of_state: (0..states).map(code).collect(),
        }
    }
}

/// A circuit that does what a table allows.
pub fn encode(table: &Table, codes: &Codes, budget: &Budget) -> Result<Netlist, Error> {
    let manager = Manager::new(&Config {
        memory: MEMORY,
        threads: 1,
    })?;
    manager.watch(budget);
    let latches = manager.new_vars(codes.bits)?;
    let reads = manager.new_vars(table.reads.len())?;
    let writes = manager.new_vars(table.writes.len())?;
    let mut netlist = Netlist::default();
    let mut signals = FxHashMap::default();
    for &read in &reads {
        signals.insert(read, netlist.circuit.add_input());
    }
    for &latch in &latches {
        signals.insert(latch, netlist.circuit.add_latch(Init::Zero));
    }
    let covering = Covering {
        manager: &manager,
        signals,
    };
    let mut here = Vec::with_capacity(table.rows.len());
    let mut used = manager.zero();
    for code in &codes.of_state {
        let state = manager.cube(latches.iter().copied().zip(code.iter().copied()))?;
        used = used.or(&state)?;
        here.push(state);
    }
    let encoding = Encoding {
        table,
        manager: &manager,
        reads: &reads,
        here: &here,
        unused: used.not(),
    };
    let mut relation = encoding.allowed(&writes)?;
    for (at, &write) in writes.iter().enumerate() {
        let later = manager.var_set(writes[at + 1..].iter().copied())?;
        let possible = relation.exists(&later)?;
        let [without, with] = [possible.cofactor(write, false)?, possible.cofactor(write, true)?];
        let (lower, upper) = (with.minus(&without)?, with.or(&without.not())?);
        let (signal, function) = covering.between(&mut netlist.circuit.aig, &lower, &upper)?;
        relation = relation.compose(write, &function)?;
        netlist.circuit.bad.push(signal);
    }
    for bit in 0..codes.bits {
        let may = |free: bool| {
            encoding.by_state(&|cell| match cell.next {
                Some(next) => codes.of_state[next as usize][bit],
                None => free,
            })
        };
        let (lower, upper) = (may(false)?, may(true)?.or(&encoding.unused)?);
        let (signal, _) = covering.between(&mut netlist.circuit.aig, &lower, &upper)?;
        netlist.circuit.latches[bit].next = signal;
    }
    Ok(netlist.swept())
}

struct Encoding<'a> {
    table: &'a Table,
    manager: &'a Manager,
    reads: &'a [Var],
    /// That the latches hold each state's code.
    here: &'a [Bdd],
    unused: Bdd,
}

impl Encoding<'_> {
    /// The diagram of letters with functions at its ends.
    fn letters(&self, end: &dyn Fn(usize) -> Result<Bdd, Error>) -> Result<Bdd, Error> {
        let mut made: Vec<Bdd> = Vec::with_capacity(self.table.letters.len());
        for node in &self.table.letters {
            made.push(match *node {
                LetterNode::Class(class) => end(class as usize)?,
                LetterNode::Test(read, low, high) => {
                    let test = self.manager.var(self.reads[read as usize])?;
                    test.ite(&made[high as usize], &made[low as usize])?
                }
            });
        }
        Ok(made.pop().unwrap_or_else(|| self.manager.zero()))
    }

    /// Where the cell of the state and the letter is as wanted.
    fn by_state(&self, wanted: &dyn Fn(&crate::table::Cell) -> bool) -> Result<Bdd, Error> {
        let mut all = self.manager.zero();
        for (state, row) in self.here.iter().zip(&self.table.rows) {
            let letters = self.letters(&|class| Ok(self.manager.constant(wanted(&row[class]))))?;
            all = all.or(&state.and(&letters)?)?;
        }
        Ok(all)
    }

    /// What may be written where.
    fn allowed(&self, writes: &[Var]) -> Result<Bdd, Error> {
        let mut known: FxHashMap<OutputSet, Bdd> = FxHashMap::default();
        let mut all = self.unused.clone();
        for (state, row) in self.here.iter().zip(&self.table.rows) {
            for cell in row {
                set(&self.table.sets, cell.allowed, writes, self.manager, &mut known)?;
            }
            let letters = self.letters(&|class| Ok(known[&row[class].allowed].clone()))?;
            all = all.or(&state.and(&letters)?)?;
        }
        Ok(all)
    }
}

/// A set of outputs as a function.
fn set(
    sets: &OutputSets,
    wanted: OutputSet,
    writes: &[Var],
    manager: &Manager,
    known: &mut FxHashMap<OutputSet, Bdd>,
) -> Result<Bdd, Error> {
    if let Some(function) = known.get(&wanted) {
        return Ok(function.clone());
    }
    let function = match sets.top(wanted) {
        None => manager.constant(wanted == OutputSet::ALL),
        Some((write, low, high)) => {
            let low = set(sets, low, writes, manager, known)?;
            let high = set(sets, high, writes, manager, known)?;
            manager.var(writes[write as usize])?.ite(&high, &low)?
        }
    };
    known.insert(wanted, function.clone());
    Ok(function)
}
