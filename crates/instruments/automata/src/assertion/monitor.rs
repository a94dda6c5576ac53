//! Monitors: alternating automata as circuits with one bit for each state.
//!
//! A monitor watches a word letter by letter; its registers hold the duties in force. Where an expansion leaves a choice between duties, a free
//! input decides: the monitor accepts a word iff *some* values of these inputs make it accept. If acceptance comes after finitely many letters, it
//! is a signal that becomes true (no duty is left); otherwise a signal that is true again and again (breakpoints of Miyano and Hayashi: the duties that must end and were
//! in force at the last breakpoint have ended). An automaton without conjunctions of duties needs no choices: its registers hold the set of
//! all states that some run is in, so the monitor is deterministic and linear in the automaton.

use super::duties::{Automaton, DutyId, Step};
use super::sequence_nfa::SequenceTooLarge;
use entail_logic::{Assertion, Guard};
use rustc_hash::FxHashMap;
use std::hash::Hash;

/// The position of a gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct GateId(pub u32);

/// A gate; its operands are earlier gates.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Gate<A> {
    /// A constant.
    Constant(bool),
    /// What an atom says of the letter.
    Atom(A),
    /// What a register holds.
    Register(u32),
    /// A free input.
    Choice(u32),
    /// Negation.
    Not(GateId),
    /// Conjunction.
    And(GateId, GateId),
}

/// A register of one bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MonitorRegister {
    /// What it holds before the first letter.
    pub initial: bool,
    /// What it holds after a letter.
    pub next: GateId,
}

/// How a monitor accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Acceptance {
    /// The signal is true at some letter.
    Reached(GateId),
    /// The signal is true at infinitely many letters.
    Recurring(GateId),
}

/// A circuit that watches a word.
#[derive(Clone, Debug)]
pub struct Monitor<A> {
    /// The gates.
    pub gates: Vec<Gate<A>>,
    /// The registers.
    pub registers: Vec<MonitorRegister>,
    /// Number of free inputs.
    pub choices: u32,
    /// When it accepts the word.
    pub acceptance: Acceptance,
    /// Whether the word can still be accepted with the choices made so far, this letter included.
    pub alive: GateId,
}

impl<A: Clone + Eq + Hash> Monitor<A> {
    /// The monitor of the words on which an assertion is false.
    pub fn of_violations(assertion: &Assertion<A>) -> Result<Monitor<A>, SequenceTooLarge> {
        Monitor::of(&Automaton::new(assertion, false)?, true)
    }

    /// The monitor of the words on which an assertion is true, judged by a signal that recurs (see [`Monitor::alive`] for what is ruled out at once).
    pub fn of_models(assertion: &Assertion<A>) -> Result<Monitor<A>, SequenceTooLarge> {
        Monitor::of(&Automaton::new(assertion, true)?, false)
    }

    /// The monitor of the words on which an assertion is true, judged by a signal that is reached if finitely many letters can tell.
    pub fn of_witnesses(assertion: &Assertion<A>) -> Result<Monitor<A>, SequenceTooLarge> {
        Monitor::of(&Automaton::new(assertion, true)?, true)
    }

    fn of(automaton: &Automaton<A>, reachable: bool) -> Result<Monitor<A>, SequenceTooLarge> {
        let finite = reachable && !automaton.may_go_on_forever();
        if finite && let Some(monitor) = subsets(automaton) {
            return Ok(monitor);
        }
        Ok(duties_in_force(automaton, finite))
    }
}

/// Gates under construction, each once.
struct Circuit<A> {
    gates: Vec<Gate<A>>,
    known: FxHashMap<Gate<A>, GateId>,
}

impl<A: Clone + Eq + Hash> Circuit<A> {
    fn new() -> Circuit<A> {
        Circuit {
            gates: Vec::new(),
            known: FxHashMap::default(),
        }
    }

    fn gate(&mut self, gate: Gate<A>) -> GateId {
        if let Some(&known) = self.known.get(&gate) {
            return known;
        }
        let id = GateId(self.gates.len() as u32);
        self.gates.push(gate.clone());
        self.known.insert(gate, id);
        id
    }

    fn constant(&mut self, truth: bool) -> GateId {
        self.gate(Gate::Constant(truth))
    }

    fn is(&self, gate: GateId, truth: bool) -> bool {
        self.gates[gate.0 as usize] == Gate::Constant(truth)
    }

    fn not(&mut self, gate: GateId) -> GateId {
        match self.gates[gate.0 as usize] {
            Gate::Constant(truth) => self.constant(!truth),
            Gate::Not(inner) => inner,
            _ => self.gate(Gate::Not(gate)),
        }
    }

    fn and(&mut self, left: GateId, right: GateId) -> GateId {
        if self.is(left, false) || self.is(right, true) || left == right {
            left
        } else if self.is(right, false) || self.is(left, true) {
            right
        } else {
            self.gate(Gate::And(left.min(right), left.max(right)))
        }
    }

    fn or(&mut self, left: GateId, right: GateId) -> GateId {
        let (left, right) = (self.not(left), self.not(right));
        let neither = self.and(left, right);
        self.not(neither)
    }

    fn guard(&mut self, guard: &Guard<A>) -> GateId {
        match guard {
            Guard::Constant(truth) => self.constant(*truth),
            Guard::Atom(atom) => self.gate(Gate::Atom(atom.clone())),
            Guard::Not(inner) => {
                let inner = self.guard(inner);
                self.not(inner)
            }
            Guard::And(left, right) => {
                let (left, right) = (self.guard(left), self.guard(right));
                self.and(left, right)
            }
            Guard::Or(left, right) => {
                let (left, right) = (self.guard(left), self.guard(right));
                self.or(left, right)
            }
        }
    }
}

/// Whether an expansion is about the letter alone.
fn is_immediate<A>(step: &Step<A>) -> bool {
    match step {
        Step::Guard(_) => true,
        Step::Next(_) => false,
        Step::All(parts) | Step::Any(parts) => parts.iter().all(is_immediate),
    }
}

/// An expansion about the letter alone as a gate.
fn immediate<A: Clone + Eq + Hash>(circuit: &mut Circuit<A>, step: &Step<A>) -> GateId {
    match step {
        Step::Guard(guard) => circuit.guard(guard),
        // (Not called for these.)
        Step::Next(_) => circuit.constant(false),
        Step::All(parts) => parts.iter().fold(circuit.constant(true), |whole, part| {
            let part = immediate(circuit, part);
            circuit.and(whole, part)
        }),
        Step::Any(parts) => parts.iter().fold(circuit.constant(false), |whole, part| {
            let part = immediate(circuit, part);
            circuit.or(whole, part)
        }),
    }
}

/// The ways of an expansion: under a condition, one duty or none. Nothing if some way has two duties.
fn ways<A: Clone + Eq + Hash>(
    circuit: &mut Circuit<A>,
    step: &Step<A>,
    condition: GateId,
    into: &mut Vec<(GateId, Option<DutyId>)>,
) -> Option<()> {
    match step {
        Step::Next(duty) => into.push((condition, Some(*duty))),
        step if is_immediate(step) => {
            let holds = immediate(circuit, step);
            into.push((circuit.and(condition, holds), None));
        }
        Step::Guard(_) => {}
        Step::Any(parts) => {
            for part in parts {
                ways(circuit, part, condition, into)?;
            }
        }
        Step::All(parts) => {
            let mut condition = condition;
            let mut later = None;
            for part in parts {
                if is_immediate(part) {
                    let holds = immediate(circuit, part);
                    condition = circuit.and(condition, holds);
                } else if later.replace(part).is_some() {
                    return None;
                }
            }
            ways(circuit, later?, condition, into)?;
        }
    }
    Some(())
}

/// The deterministic monitor of an automaton none of whose expansions asks for two duties at once.
fn subsets<A: Clone + Eq + Hash>(automaton: &Automaton<A>) -> Option<Monitor<A>> {
    let mut circuit = Circuit::new();
    let none = circuit.constant(false);
    let mut next = vec![none; automaton.steps.len()];
    let mut reached = none;
    for (duty, step) in automaton.steps.iter().enumerate() {
        let here = circuit.gate(Gate::Register(duty as u32));
        let mut found = Vec::new();
        ways(&mut circuit, step, here, &mut found)?;
        for (condition, target) in found {
            let into = target.map_or(&mut reached, |target| &mut next[target]);
            *into = circuit.or(*into, condition);
        }
    }
    let alive = next.iter().fold(reached, |any, &one| circuit.or(any, one));
    Some(Monitor {
        registers: registers(next),
        gates: circuit.gates,
        choices: 0,
        acceptance: Acceptance::Reached(reached),
        alive,
    })
}

/// Registers of duties, the first in force at the beginning.
fn registers(next: Vec<GateId>) -> Vec<MonitorRegister> {
    let with_number = next.into_iter().enumerate();
    with_number
        .map(|(number, next)| MonitorRegister {
            initial: number == 0,
            next,
        })
        .collect()
}

/// The demands of the duties in force, collected expansion by expansion.
struct Demands<A> {
    circuit: Circuit<A>,
    choices: u32,
    /// For each duty, when it is in force at the next letter.
    next: Vec<GateId>,
    /// For each duty, when it follows from one that was owed.
    owed: Vec<GateId>,
    /// When a condition that was called for is false.
    failed: GateId,
}

impl<A: Clone + Eq + Hash> Demands<A> {
    /// Collects what an expansion demands where a duty is in force, and where it is owed.
    fn collect(&mut self, step: &Step<A>, in_force: GateId, owed: GateId) {
        match step {
            Step::Next(duty) => {
                self.next[*duty] = self.circuit.or(self.next[*duty], in_force);
                self.owed[*duty] = self.circuit.or(self.owed[*duty], owed);
            }
            step if is_immediate(step) => {
                let holds = immediate(&mut self.circuit, step);
                let fails = self.circuit.not(holds);
                let fails = self.circuit.and(in_force, fails);
                self.failed = self.circuit.or(self.failed, fails);
            }
            Step::Guard(_) => {}
            Step::All(parts) => parts.iter().for_each(|part| self.collect(part, in_force, owed)),
            Step::Any(parts) => {
                let (mut in_force, mut owed) = (in_force, owed);
                let mut later: Vec<&Step<A>> = Vec::new();
                for part in parts {
                    if is_immediate(part) {
                        let holds = immediate(&mut self.circuit, part);
                        let open = self.circuit.not(holds);
                        in_force = self.circuit.and(in_force, open);
                        owed = self.circuit.and(owed, open);
                    } else {
                        later.push(part);
                    }
                }
                let Some((last, others)) = later.split_last() else {
                    return;
                };
                for part in others {
                    let choice = self.circuit.gate(Gate::Choice(self.choices));
                    self.choices += 1;
                    let refused = self.circuit.not(choice);
                    let taken = self.circuit.and(in_force, choice);
                    let taken_owed = self.circuit.and(owed, choice);
                    self.collect(part, taken, taken_owed);
                    in_force = self.circuit.and(in_force, refused);
                    owed = self.circuit.and(owed, refused);
                }
                self.collect(last, in_force, owed);
            }
        }
    }
}

/// The monitor whose registers hold the duties in force, with free choices.
fn duties_in_force<A: Clone + Eq + Hash>(automaton: &Automaton<A>, finite: bool) -> Monitor<A> {
    let count = automaton.steps.len();
    let mut circuit = Circuit::new();
    let none = circuit.constant(false);
    // Registers: the duties, whether a demand failed, then (where it matters) what is owed.
    let failed_before = circuit.gate(Gate::Register(count as u32));
    let binding: Vec<DutyId> = match finite {
        true => Vec::new(),
        false => (0..count).filter(|&duty| automaton.must_end[duty]).collect(),
    };
    let mut owed_now = vec![none; count];
    for (place, &duty) in binding.iter().enumerate() {
        owed_now[duty] = circuit.gate(Gate::Register((count + 1 + place) as u32));
    }
    let mut demands = Demands {
        circuit,
        choices: 0,
        next: vec![none; count],
        owed: vec![none; count],
        failed: none,
    };
    for (duty, step) in automaton.steps.iter().enumerate() {
        let in_force = demands.circuit.gate(Gate::Register(duty as u32));
        demands.collect(step, in_force, owed_now[duty]);
    }
    let Demands {
        mut circuit,
        choices,
        next,
        owed,
        failed,
    } = demands;
    let failed = circuit.or(failed_before, failed);
    let alive = circuit.not(failed);
    let nothing_owed = owed_now.iter().fold(none, |any, &one| circuit.or(any, one));
    let nothing_owed = circuit.not(nothing_owed);
    let acceptance = match finite {
        true => {
            let left = next.iter().fold(none, |any, &one| circuit.or(any, one));
            let none_left = circuit.not(left);
            Acceptance::Reached(circuit.and(alive, none_left))
        }
        false => Acceptance::Recurring(circuit.and(alive, nothing_owed)),
    };
    let mut registers = registers(next.clone());
    registers.push(MonitorRegister {
        initial: false,
        next: failed,
    });
    for &duty in &binding {
        // At a breakpoint everything in force that must end is owed anew.
        let anew = circuit.and(nothing_owed, next[duty]);
        let something = circuit.not(nothing_owed);
        let still = circuit.and(something, owed[duty]);
        registers.push(MonitorRegister {
            initial: false,
            next: circuit.or(anew, still),
        });
    }
    Monitor {
        gates: circuit.gates,
        registers,
        choices,
        acceptance,
        alive,
    }
}
