//! k-liveness (Claessen, Sörensson): how often can fairness be met on a path that violates the property?
//!
//! The circuit has a monitor for the violation; whenever all its fairness signals have been met once more, a chain of latches is
//! filled by one. If the end of the chain cannot be reached, no path meets its fairness for ever, and the property holds. If it can, that says
//! nothing, and a longer chain is tried. The latches and their order are defined by [`entail_evidence::LivenessCertificate`].
//!
//! What the monitor requires, it requires of steps: the certificate's checker asks for nothing of a path's last state.

use crate::ltl_monitor::{LtlMonitor, NoMonitor};
use entail_logic::Formula;
use entail_model::{TermId, TransitionSystem};
use entail_sat::{Circuit, Init, Signal, SystemCircuit};

/// A system with a monitor, and the signal that is true whenever fairness was met once more.
pub struct FairnessCounter {
    circuit: Circuit,
    all_met: Signal,
}

impl FairnessCounter {
    /// For fair paths of the system that satisfy a formula in positive normal form without bounds.
    pub fn new(
        system: &TransitionSystem,
        translated: &SystemCircuit,
        formula: &Formula<TermId>,
    ) -> Result<FairnessCounter, NoMonitor> {
        let mut translated = translated.clone();
        let own_constraints = translated.circuit.constraints.len();
        let mut monitor = LtlMonitor::new(system, &mut translated);
        monitor.require_at_start(formula)?;
        monitor.require_fairness()?;
        let fair = std::mem::take(&mut monitor.fair);
        let mut circuit = translated.circuit;
        let required = circuit.constraints.split_off(own_constraints);
        circuit.step_constraints.extend(required);

        let first_seen = circuit.latches.len();
        let seen: Vec<Signal> = fair.iter().map(|_| circuit.add_latch(Init::Zero)).collect();
        let met: Vec<Signal> = seen
            .iter()
            .zip(&fair)
            .map(|(&seen, &signal)| circuit.aig.or(seen, signal))
            .collect();
        let all_met = circuit.aig.and_all(met.iter().copied());
        for (position, met) in met.into_iter().enumerate() {
            circuit.latches[first_seen + position].next = circuit.aig.and(met, !all_met);
        }
        Ok(FairnessCounter { circuit, all_met })
    }

    /// The circuit whose bad signal is "fairness was met more than `bound` times".
    pub fn exceeding(&self, bound: u64) -> (Circuit, Signal) {
        let mut circuit = self.circuit.clone();
        let mut before = Signal::TRUE;
        for _ in 0..=bound {
            let at = circuit.latches.len();
            let place = circuit.add_latch(Init::Zero);
            let reached = circuit.aig.and(before, self.all_met);
            circuit.latches[at].next = circuit.aig.or(place, reached);
            before = place;
        }
        (circuit, before)
    }
}
