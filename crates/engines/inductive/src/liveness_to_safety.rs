//! Liveness to safety (Biere, Artho, Schuppan): a fair lasso is a bad state of a larger circuit.
//!
//! At a guessed position the state is saved; when it is met again, and every fairness signal was true in between, the loop is closed:
//! bad. Each latch gets a shadow, each fairness signal a latch that remembers it since the saved position. Fairness signals
//! are met *along* the positions of the loop, inputs included; the loop closes on the state.

use crate::ltl_monitor::{Closing, LtlMonitor, NoMonitor};
use entail_logic::Formula;
use entail_model::{TermId, TransitionSystem};
use entail_sat::{Circuit, Init, Run, Signal, SystemCircuit};

/// A circuit whose bad signal is "a fair path that satisfies the formula has closed its loop".
pub struct LassoCircuit {
    /// The circuit; its first latches and inputs are the system's.
    pub circuit: Circuit,
    /// The loop is closed.
    pub bad: Signal,
    latches: usize,
    inputs: usize,
    /// Position of the input that says when to save.
    save: usize,
}

impl LassoCircuit {
    /// For fair paths of the system that satisfy a formula in positive normal form without bounds.
    pub fn new(
        system: &TransitionSystem,
        translated: &SystemCircuit,
        formula: &Formula<TermId>,
    ) -> Result<LassoCircuit, NoMonitor> {
        let mut translated = translated.clone();
        let (latches, inputs) = (translated.circuit.latches.len(), translated.circuit.inputs.len());
        let mut monitor = LtlMonitor::new(system, &mut translated);
        monitor.require_at_start(formula)?;
        monitor.require_fairness()?;
        let mut closing = vec![Closing::Equal; latches];
        closing.append(&mut monitor.closing);
        let fair = std::mem::take(&mut monitor.fair);
        let mut circuit = translated.circuit;

        let save = circuit.inputs.len();
        let save_wish = circuit.add_input();
        let saved_at = circuit.latches.len();
        let saved = circuit.add_latch(Init::Zero);
        let saving = circuit.aig.and(save_wish, !saved);
        let in_loop = circuit.aig.or(saved, save_wish);
        circuit.latches[saved_at].next = in_loop;

        let mut closed = vec![saved];
        for (position, closing) in closing.into_iter().enumerate() {
            let now = circuit.latches[position].node.signal();
            if closing == Closing::Free {
                continue;
            }
            let shadow_at = circuit.latches.len();
            let then = circuit.add_latch(Init::Zero);
            let kept = match closing {
                Closing::ClaimedThen(claim) => claim,
                _ => now,
            };
            circuit.latches[shadow_at].next = circuit.aig.mux(saving, kept, then);
            closed.push(match closing {
                Closing::ClaimedThen(_) => circuit.aig.or(!now, then),
                Closing::ThenImpliesNow => circuit.aig.or(!then, now),
                Closing::Equal | Closing::Free => circuit.aig.iff(now, then),
            });
        }
        for signal in fair {
            let seen_at = circuit.latches.len();
            let seen = circuit.add_latch(Init::Zero);
            let met = circuit.aig.or(seen, signal);
            circuit.latches[seen_at].next = circuit.aig.and(in_loop, met);
            closed.push(seen);
        }
        let bad = circuit.aig.and_all(closed);
        Ok(LassoCircuit {
            circuit,
            bad,
            latches,
            inputs,
            save,
        })
    }

    /// A run to bad as a run of the system without its last position, and where its loop starts.
    pub fn lasso(&self, run: &Run) -> (Run, usize) {
        let length = run.inputs.len().saturating_sub(1);
        let start = run
            .inputs
            .iter()
            .position(|inputs| inputs[self.save])
            .unwrap_or(0);
        let cut = |inputs: &Vec<bool>| inputs[..self.inputs].to_vec();
        let run = Run {
            initial: run.initial[..self.latches].to_vec(),
            inputs: run.inputs[..length].iter().map(cut).collect(),
        };
        (run, start)
    }
}
