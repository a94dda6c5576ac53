//! Making a circuit smaller, by whatever helps.
//!
//! First the latches: those that no output needs, that never change, or that always agree with another are gone. Then in turns, as long as the circuit becomes smaller: covering its functions again
//! with unreached states as don't-cares, rewriting cuts, and resubstitution. A spent budget gives the smallest circuit so far.

use crate::mapping::rewritten;
use crate::netlist::Netlist;
use crate::reachable::resynthesized;
use crate::resubstitute::resubstituted;
use crate::small_formulas::SmallFormulas;
use entail_budget::{Budget, Spent};
use entail_sat::{Effort, Signal, corresponding_signals};

/// Circuits with more inputs and latches are not made again from their functions.
const MOST_LEAVES: usize = 60;
/// As are those with more gates.
const MOST_GATES: usize = 30_000;
/// Turns.
const ROUNDS: usize = 6;

/// A circuit that writes the same from its first state on for all inputs, and is no larger.
pub fn shrink(netlist: &Netlist, budget: &Budget) -> Netlist {
    Shrinking::new().shrink(netlist, budget)
}

/// What is needed again and again.
pub(crate) struct Shrinking {
    formulas: SmallFormulas,
}

impl Shrinking {
    pub fn new() -> Shrinking {
        Shrinking {
            formulas: SmallFormulas::new(),
        }
    }

    pub fn shrink(&self, netlist: &Netlist, budget: &Budget) -> Netlist {
        let mut best = live(&netlist.swept());
        if let Ok(fewer) = merged_latches(&best, budget) {
            keep(&mut best, live(&fewer));
        }
        for _ in 0..ROUNDS {
            let before = best.size();
            if self.round(&mut best, budget).is_err() || best.size() == before {
                break;
            }
        }
        best
    }

    fn round(&self, best: &mut Netlist, budget: &Budget) -> Result<(), Spent> {
        if best.leaves().len() <= MOST_LEAVES && best.gates() <= MOST_GATES {
            for sift in [false, true] {
                budget.check_now()?;
                // Diagrams that become too large are no reason to stop.
                if let Ok(made) = resynthesized(best, sift, budget) {
                    let made = self.locally(&made, budget)?;
                    keep(best, live(&made));
                }
            }
        }
        let made = self.locally(best, budget)?;
        keep(best, live(&made));
        Ok(())
    }

    /// Cuts and resubstitution as long as they help.
    pub fn locally(&self, netlist: &Netlist, budget: &Budget) -> Result<Netlist, Spent> {
        let mut best = netlist.clone();
        loop {
            let before = best.size();
            let cut = rewritten(&best, &self.formulas, budget)?;
            keep(&mut best, cut);
            let resubstituted = resubstituted(&best, budget)?;
            keep(&mut best, resubstituted);
            if best.size() == before {
                return Ok(best);
            }
        }
    }
}

/// Takes the smaller circuit.
fn keep(best: &mut Netlist, made: Netlist) {
    if made.size() < best.size() {
        *best = made;
    }
}

impl Netlist {
    /// The same without latches and gates that no output needs.
    pub fn live(&self) -> Netlist {
        live(self)
    }
}

fn live(netlist: &Netlist) -> Netlist {
    let circuit = &netlist.circuit;
    let mut needed = vec![false; circuit.latches.len()];
    let mut roots: Vec<Signal> = circuit.bad.clone();
    loop {
        let cone = circuit.aig.cone(roots.iter().copied());
        let mut more = false;
        for (at, latch) in circuit.latches.iter().enumerate() {
            if !needed[at] && cone.binary_search(&latch.node).is_ok() {
                needed[at] = true;
                more = true;
                roots.push(latch.next);
            }
        }
        if !more {
            break;
        }
    }
    let same: Vec<Option<Signal>> = (needed.iter())
        .map(|&needed| (!needed).then_some(Signal::FALSE))
        .collect();
    without(netlist, &same)
}

/// Without the latches for which a signal is given: a constant, or another latch.
fn without(netlist: &Netlist, same: &[Option<Signal>]) -> Netlist {
    let circuit = &netlist.circuit;
    let mut made = Netlist::default();
    let mut image: rustc_hash::FxHashMap<usize, Signal> = rustc_hash::FxHashMap::default();
    for input in &circuit.inputs {
        image.insert(input.index(), made.circuit.add_input());
    }
    for (latch, same) in circuit.latches.iter().zip(same) {
        if same.is_none() {
            image.insert(latch.node.index(), made.circuit.add_latch(latch.init));
        }
    }
    for (latch, same) in circuit.latches.iter().zip(same) {
        if let Some(same) = same {
            let signal = match same.as_constant() {
                Some(truth) => Signal::constant(truth),
                None => {
                    let other = image.get(&same.node().index()).copied().unwrap_or(Signal::FALSE);
                    other.flipped_if(same.is_complemented())
                }
            };
            image.insert(latch.node.index(), signal);
        }
    }
    let kept = circuit
        .latches
        .iter()
        .zip(same)
        .filter(|(_, same)| same.is_none());
    let next: Vec<Signal> = kept.map(|(latch, _)| latch.next).collect();
    let roots = circuit.bad.iter().chain(&next).copied();
    let imported = made.circuit.aig.import(&circuit.aig, roots, |_, node| {
        image.get(&node.index()).copied().unwrap_or(Signal::FALSE)
    });
    let of = |signal: Signal| imported.get(signal).unwrap_or(Signal::FALSE);
    made.circuit.bad = circuit.bad.iter().map(|&output| of(output)).collect();
    for (latch, next) in made.circuit.latches.iter_mut().zip(next) {
        latch.next = of(next);
    }
    made
}

/// Latches that are constant or agree with an earlier one are replaced.
fn merged_latches(netlist: &Netlist, budget: &Budget) -> Result<Netlist, Spent> {
    let circuit = &netlist.circuit;
    let is_latch = |node: entail_sat::Node| circuit.latches.iter().any(|latch| latch.node == node);
    let found = corresponding_signals(circuit, is_latch, Effort::Little, budget)?;
    let same = |latch: &entail_sat::Latch| {
        let same = found.of(latch.node);
        (same != latch.node.signal()).then_some(same)
    };
    let same: Vec<Option<Signal>> = circuit.latches.iter().map(same).collect();
    Ok(without(netlist, &same))
}
