//! A strategy as gates: what is written, the next memory, and what the latches that these read hold next.
//!
//! Each is a function between what it must be and what it may be: choices that are left, and states that are not reached, are room for it. First it is freed of variables that it need not read,
//! those first that nothing has read before; then it is covered with few gates. Later functions may read what was written.

use super::strategy::Strategy;
use crate::problem::SynthesisError;
use entail_budget::Budget;
use entail_dd::{Bdd, Manager, Var};
use entail_reactive::{Covering, Netlist, narrowed};
use entail_sat::{Init, Signal};
use rustc_hash::FxHashMap;

/// The circuit of a strategy. What is read are its inputs, what is written its outputs, in order.
pub(crate) fn woven(strategy: &Strategy<'_>, budget: &Budget) -> Result<Netlist, SynthesisError> {
    let manager = &strategy.game.manager;
    let mut netlist = Netlist::default();
    let mut signals = FxHashMap::default();
    for &read in &strategy.reads {
        signals.insert(read, netlist.circuit.add_input());
    }
    let latches = strategy
        .game
        .latches
        .iter()
        .map(|latch| (latch.variable, latch.first));
    let first = strategy.store.first().iter().copied();
    let memory = strategy.store.now.iter().copied().zip(first);
    let mut places: FxHashMap<Var, usize> = FxHashMap::default();
    for (variable, first) in latches.chain(memory) {
        places.insert(variable, netlist.circuit.latches.len());
        let init = if first { Init::One } else { Init::Zero };
        signals.insert(variable, netlist.circuit.add_latch(init));
    }
    let mut weaving = Weaving {
        strategy,
        covering: Covering { manager, signals },
        netlist,
        read: Vec::new(),
        budget,
    };
    let mut care = strategy.care.clone();
    let may_write = strategy.may_write(&strategy.may)?;
    for (at, &write) in strategy.writes.iter().enumerate() {
        let later = manager.var_set(strategy.writes[at + 1..].iter().copied())?;
        let (signal, function) = weaving.chosen(&may_write.exists(&later)?, write, &care)?;
        weaving.covering.signals.insert(write, signal);
        weaving.netlist.circuit.bad.push(signal);
        care = care.and(&manager.var(write)?.iff(&function)?)?;
    }
    let mut may = strategy.may.clone();
    let mut moves = care.clone();
    let after = &strategy.store.after;
    for (at, (&now, &next)) in strategy.store.now.iter().zip(after).enumerate() {
        let later = manager.var_set(after[at + 1..].iter().copied())?;
        let (signal, function) = weaving.chosen(&may.exists(&later)?, next, &care)?;
        may = may.compose(next, &function)?;
        moves = moves.and(&manager.var(next)?.iff(&function)?)?;
        weaving.netlist.circuit.latches[places[&now]].next = signal;
    }
    // Now everything is settled, and fewer states may be reached.
    let care = strategy.reached(&moves)?.and(&care)?;
    let mut done = 0;
    while let Some(&variable) = weaving.read.get(done) {
        done += 1;
        let latch = strategy
            .game
            .latches
            .iter()
            .find(|latch| latch.variable == variable);
        if let Some(latch) = latch {
            let (lower, upper) = (latch.next.and(&care)?, latch.next.or(&care.not())?);
            let (signal, _) = weaving.between(lower, upper)?;
            weaving.netlist.circuit.latches[places[&variable]].next = signal;
        }
    }
    Ok(weaving.netlist.live())
}

struct Weaving<'a> {
    strategy: &'a Strategy<'a>,
    covering: Covering<'a>,
    netlist: Netlist,
    /// The latches that functions read so far, in the order in which they were met.
    read: Vec<Var>,
    budget: &'a Budget,
}

impl Weaving<'_> {
    /// A function for a variable such that a relation holds where it matters.
    fn chosen(&mut self, relation: &Bdd, variable: Var, care: &Bdd) -> Result<(Signal, Bdd), SynthesisError> {
        let [without, with] = [
            relation.cofactor(variable, false)?,
            relation.cofactor(variable, true)?,
        ];
        let lower = care.and(&with)?.minus(&without)?;
        self.between(lower, with.or(&care.not())?)
    }

    /// A function between two others that reads little.
    fn between(&mut self, lower: Bdd, upper: Bdd) -> Result<(Signal, Bdd), SynthesisError> {
        self.budget.check_now()?;
        let latches = self.strategy.game.latches.iter().map(|latch| latch.variable);
        let state: Vec<Var> = latches.chain(self.strategy.store.now.iter().copied()).collect();
        let (known, fresh): (Vec<Var>, Vec<Var>) = state.iter().partition(|one| self.read.contains(one));
        let (writes, reads) = (&self.strategy.writes, &self.strategy.reads);
        let order = fresh.iter().chain(writes).chain(&known).chain(reads).copied();
        let manager: &Manager = self.covering.manager;
        let (lower, upper) = narrowed(manager, lower, upper, order)?;
        let (signal, function) = self
            .covering
            .between(&mut self.netlist.circuit.aig, &lower, &upper)?;
        for variable in function.support() {
            if state.contains(&variable) && !self.read.contains(&variable) {
                self.read.push(variable);
            }
        }
        Ok((signal, function))
    }
}
