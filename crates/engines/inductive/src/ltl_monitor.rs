//! A path formula as a monitor circuit: the tester with kept promises ([`entail_automata::tester`]), in latches and constraints.
//!
//! A promise is an input (the path's guess) that a latch hands on to the next position, where a constraint makes it good; a memory is a
//! latch. A path satisfies the formula iff it can be run with all constraints kept and every fairness signal met again and again.
//!
//! Which latches there are, and in which order, is part of the certificate of k-liveness ([`entail_evidence::LivenessCertificate`]): this file and
//! the checker follow the same definition.

use crate::fair_paths::MAX_BOUND;
use entail_automata::AutomataError;
use entail_automata::ltl::simplify_path::simplify_path;
use entail_automata::tester::{Bit, Condition, Gate, Tester};
use entail_logic::{Formula, Node};
use entail_model::{TermId, TransitionSystem};
use entail_sat::{Init, NotEncoded, Signal, SystemCircuit};

/// How a latch must compare when a path returns to an earlier position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Closing {
    /// It must have the same value.
    Equal,
    /// What is promised now was claimed then: the signal is the claim.
    ClaimedThen(Signal),
    /// What was remembered then is remembered now, too.
    ThenImpliesNow,
    /// Any two values will do.
    Free,
}

/// Why a formula has no monitor.
pub enum NoMonitor {
    /// It has path quantifiers inside.
    Quantifier,
    /// An atom cannot be encoded.
    Atom(NotEncoded),
    /// It has no tester.
    Formula(AutomataError),
    /// Its bounds are too large to be written out.
    Bounds,
}

impl From<NotEncoded> for NoMonitor {
    fn from(reason: NotEncoded) -> NoMonitor {
        NoMonitor::Atom(reason)
    }
}

/// Adds a monitor to a system's circuit: signals that are all true infinitely often on some run of it along a path, if and only if the path
/// is fair and violates the formula. The circuit's other paths stay what they were: a run that breaks a constraint of the monitor is not
/// cut off, but remembered.
pub fn justice_of_violations(
    system: &TransitionSystem,
    translated: &mut SystemCircuit,
    path: &Formula<TermId>,
) -> Result<Vec<Signal>, NoMonitor> {
    let written_out = path.expand_bounds(MAX_BOUND).map_err(|_| NoMonitor::Bounds)?;
    let violation = simplify_path(&written_out.negated_normal_form());
    let own_constraints = translated.circuit.constraints.len();
    let mut monitor = LtlMonitor::new(system, translated);
    monitor.require_at_start(&violation)?;
    monitor.require_fairness()?;
    let mut justice = std::mem::take(&mut monitor.fair);
    let circuit = &mut translated.circuit;
    let required = circuit.constraints.split_off(own_constraints);
    let position = circuit.latches.len();
    let kept_so_far = circuit.add_latch(Init::One);
    let kept = circuit.aig.and_all(required.into_iter().chain([kept_so_far]));
    circuit.latches[position].next = kept;
    justice.push(kept);
    Ok(justice)
}

/// A monitor under construction inside a system's circuit.
pub struct LtlMonitor<'a> {
    system: &'a TransitionSystem,
    translated: &'a mut SystemCircuit,
    /// Met infinitely often on the paths that satisfy the formula.
    pub fair: Vec<Signal>,
    /// For each latch added, in order, how it closes a loop.
    pub closing: Vec<Closing>,
}

/// A latch of the monitor, with what the bit is at this position: the latch, or the guess it hands on.
struct Register {
    latch: usize,
    held: Signal,
    value: Signal,
}

impl<'a> LtlMonitor<'a> {
    /// A monitor that asks for nothing yet.
    pub fn new(system: &'a TransitionSystem, translated: &'a mut SystemCircuit) -> LtlMonitor<'a> {
        LtlMonitor {
            system,
            translated,
            fair: Vec::new(),
            closing: Vec::new(),
        }
    }

    fn or(&mut self, a: Signal, b: Signal) -> Signal {
        self.translated.circuit.aig.or(a, b)
    }

    /// Requires a signal at every position where a condition is true.
    fn require_if(&mut self, condition: Signal, then: Signal) {
        let kept = self.or(!condition, then);
        self.translated.circuit.constraints.push(kept);
    }

    fn latch(&mut self, init: Init, closing: Closing) -> (usize, Signal) {
        let signal = self.translated.circuit.add_latch(init);
        self.closing.push(closing);
        (self.translated.circuit.latches.len() - 1, signal)
    }

    fn set_next(&mut self, latch: usize, next: Signal) {
        self.translated.circuit.latches[latch].next = next;
    }

    /// Requires a formula (in positive normal form, without bounds) of the whole path.
    pub fn require_at_start(&mut self, formula: &Formula<TermId>) -> Result<(), NoMonitor> {
        let tester = Tester::kept(formula).map_err(NoMonitor::Formula)?;
        let first_place = self.closing.len();
        let registers: Vec<Register> = tester.bits.iter().map(|bit| self.register(*bit)).collect();
        let gates = self.gates(&tester, &registers)?;
        let value = |condition: Condition| {
            let gate = gates[condition.gate()];
            if condition.is_negated() { !gate } else { gate }
        };
        for (place, (bit, register)) in tester.bits.iter().zip(&registers).enumerate() {
            match *bit {
                Bit::Promise { claim } => {
                    self.require_if(register.held, value(claim));
                    self.closing[first_place + place] = Closing::ClaimedThen(value(claim));
                }
                Bit::Memory { next, .. } => self.set_next(register.latch, value(next)),
                Bit::Lasting => {}
            }
        }
        for condition in &tester.always {
            self.require_if(Signal::TRUE, value(*condition));
        }
        if let Some(start) = tester.start {
            let (latch, first) = self.latch(Init::One, Closing::Free);
            self.set_next(latch, Signal::FALSE);
            self.require_if(first, value(start));
        }
        self.fair
            .extend(tester.justice.iter().map(|&condition| value(condition)));
        Ok(())
    }

    fn register(&mut self, bit: Bit) -> Register {
        match bit {
            Bit::Promise { .. } => {
                let value = self.translated.circuit.add_input();
                let (latch, held) = self.latch(Init::Zero, Closing::Equal);
                self.set_next(latch, value);
                Register { latch, held, value }
            }
            Bit::Memory { initially, .. } => {
                let (latch, held) = self.latch(Init::from(initially), Closing::ThenImpliesNow);
                Register {
                    latch,
                    held,
                    value: held,
                }
            }
            Bit::Lasting => self.lasting(),
        }
    }

    /// A latch that is false until a guessed position and true from there on.
    fn lasting(&mut self) -> Register {
        let guess = self.translated.circuit.add_input();
        let (latch, held) = self.latch(Init::Zero, Closing::Equal);
        let next = self.or(held, guess);
        self.set_next(latch, next);
        Register {
            latch,
            held,
            value: held,
        }
    }

    fn gates(&mut self, tester: &Tester<TermId>, registers: &[Register]) -> Result<Vec<Signal>, NoMonitor> {
        let mut gates: Vec<Signal> = Vec::with_capacity(tester.gates().len());
        for gate in tester.gates() {
            let value = |condition: Condition| {
                let gate = gates[condition.gate()];
                if condition.is_negated() { !gate } else { gate }
            };
            let signal = match *gate {
                Gate::True => Signal::TRUE,
                Gate::Bit(bit) => registers[bit].value,
                Gate::And(a, b) => {
                    let (a, b) = (value(a), value(b));
                    self.translated.circuit.aig.and(a, b)
                }
                Gate::Leaf(leaf) => match tester.leaves[leaf].node() {
                    Node::Atom(atom) => self.translated.term(self.system, *atom)?,
                    _ => return Err(NoMonitor::Quantifier),
                },
            };
            gates.push(signal);
        }
        Ok(gates)
    }

    /// Justice and compassion of the system.
    pub fn require_fairness(&mut self) -> Result<(), NoMonitor> {
        for &justice in &self.system.justice {
            let met = self.translated.term(self.system, justice)?;
            self.fair.push(met);
        }
        for &(often, then) in &self.system.compassion {
            let (p, q) = (
                self.translated.term(self.system, often)?,
                self.translated.term(self.system, then)?,
            );
            // Either q again and again, or from some guessed position on never p.
            let over = self.lasting().held;
            self.require_if(over, !p);
            let met = self.or(over, q);
            self.fair.push(met);
        }
        Ok(())
    }
}
