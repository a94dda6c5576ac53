//! From a property of a system to a bad signal of a circuit, and from a circuit's answer back to evidence about the system.
//!
//! Bad is "the property is violated, or a hazard of the model is met"; which of the two it was is seen by replaying the run on
//! the circuit. So a proof excludes the hazards too, as its checker demands.

use crate::abstraction::LocalizationRound;
use crate::answer::{CircuitFormula, Invariant, Leaf};
use crate::k_liveness::FairnessCounter;
use crate::liveness_to_safety::LassoCircuit;
use crate::ltl_monitor::NoMonitor;
use crate::reduction::Reduced;
use entail_budget::Budget;
use entail_evidence::{Certificate, ModelError, Round, Trace};
use entail_logic::Formula;
use entail_model::{Sort, TermId, Terms, TransitionSystem, VarId};
use entail_sat::{Circuit, Node, NotEncoded, Reads, Run, Signal, SystemCircuit, value_of};
use rustc_hash::FxHashMap;

/// A condition that must not be met, where it is looked for.
#[derive(Clone, Copy, Debug)]
struct Watched {
    signal: Signal,
    place: Reads,
}

/// What a run ends with.
#[derive(Clone, Debug)]
pub enum Ending {
    /// The property is violated.
    Violation(Trace),
    /// The model has no meaning.
    Error(Box<ModelError>),
}

/// A system as a circuit, ready for questions.
pub struct Task<'a> {
    system: &'a TransitionSystem,
    translated: SystemCircuit,
    hazards: Vec<Watched>,
}

impl<'a> Task<'a> {
    /// Translates the system.
    pub fn new(system: &'a TransitionSystem, budget: &Budget) -> Result<Task<'a>, NotEncoded> {
        let mut translated = SystemCircuit::new(system, budget)?;
        let mut hazards = Vec::new();
        for hazard in &system.hazards {
            let (signal, place) = translated.observe(system, hazard.condition, true)?;
            let signal = translated.at(signal, place);
            hazards.push(Watched { signal, place });
        }
        Ok(Task {
            system,
            translated,
            hazards,
        })
    }

    /// Translates properties within this budget from now on.
    pub fn watch(&mut self, budget: &Budget) {
        self.translated.watch(budget);
    }

    /// The circuit.
    pub fn circuit(&self) -> &Circuit {
        &self.translated.circuit
    }

    /// Whether every state has a successor, as far as the circuit's shape shows.
    pub fn is_total_by_shape(&self) -> bool {
        self.translated.is_total_by_shape()
    }

    /// "The atom is false", where it can be asked; and whether that takes a step.
    pub fn violation(&mut self, atom: TermId) -> Result<(Signal, Reads), NotEncoded> {
        let (signal, place) = self.translated.observe(self.system, atom, false)?;
        Ok((self.translated.at(!signal, place), place))
    }

    /// "Some hazard is met."
    pub fn hazard(&mut self) -> Signal {
        let signals: Vec<Signal> = self.hazards.iter().map(|hazard| hazard.signal).collect();
        self.translated.circuit.aig.or_all(signals)
    }

    /// One or the other.
    pub fn either(&mut self, a: Signal, b: Signal) -> Signal {
        self.translated.circuit.aig.or(a, b)
    }

    /// What a run that ends badly shows. Hazards come first: a model without meaning has no verdict.
    pub fn ending(&self, run: &Run, place: Reads) -> Ending {
        let positions = self.translated.circuit.simulate(run);
        let last = positions.last();
        let met = last.and_then(|values| {
            self.hazards
                .iter()
                .position(|hazard| value_of(values, hazard.signal))
        });
        match met {
            None => Ending::Violation(self.trace(run, place)),
            Some(met) => {
                let hazard = &self.system.hazards[met];
                Ending::Error(Box::new(ModelError {
                    message: hazard.message.clone(),
                    place: hazard.place,
                    trace: Some(self.trace(run, self.hazards[met].place)),
                    help: None,
                }))
            }
        }
    }

    /// A run in the model's words; what is about a step shows the state after it.
    pub fn trace(&self, run: &Run, place: Reads) -> Trace {
        Trace {
            steps: self.translated.steps_of(self.system, run, place == Reads::Next),
            loop_start: None,
        }
    }

    /// The circuit whose bad state is a fair lasso that satisfies a formula.
    pub fn lasso_circuit(&self, formula: &Formula<TermId>) -> Result<LassoCircuit, NoMonitor> {
        LassoCircuit::new(self.system, &self.translated, formula)
    }

    /// The circuit that counts how often a fair path that satisfies a formula meets its fairness.
    pub fn fairness_counter(&self, formula: &Formula<TermId>) -> Result<FairnessCounter, NoMonitor> {
        FairnessCounter::new(self.system, &self.translated, formula)
    }

    /// A lasso in the model's words.
    pub fn lasso(&self, run: &Run, loop_start: usize) -> Trace {
        let mut steps = self.translated.steps_of(self.system, run, true);
        steps.pop();
        Trace {
            steps,
            loop_start: Some(loop_start),
        }
    }

    /// "The latch has the value" as a term. Latches after the system's own belong to a monitor: a Boolean variable each.
    fn literal(&self, terms: &mut Terms, latch: usize, value: bool) -> TermId {
        match latch.checked_sub(self.translated.circuit.latches.len()) {
            None => self.translated.latch_term(self.system, terms, latch, value),
            Some(added) => {
                let number = self.system.variables().len() + added;
                let now = terms.current(VarId::new(number as u32), Sort::Bool);
                if value { now } else { terms.not(now) }
            }
        }
    }

    /// An inductive set of latch values as an invariant over the system's variables, and a monitor's if the circuit had one.
    pub fn certificate(&self, invariant: &Invariant) -> Certificate {
        let mut terms = Terms::new();
        let mut conjuncts = Vec::with_capacity(invariant.excluded.len());
        for cube in &invariant.excluded {
            let literals: Vec<TermId> = cube
                .iter()
                .map(|&(latch, value)| self.literal(&mut terms, latch, !value))
                .collect();
            conjuncts.push(terms.or(literals));
        }
        for formula in &invariant.formulas {
            conjuncts.extend(self.claims(&mut terms, formula));
        }
        let invariant = terms.and(conjuncts);
        Certificate { terms, invariant }
    }

    /// Rounds of abstraction of a reduced circuit, with the names of what is kept.
    pub fn named(&self, reduced: &Reduced, rounds: Vec<LocalizationRound>) -> Vec<Round> {
        let mut named: Vec<Round> = Vec::with_capacity(rounds.len());
        for LocalizationRound { mut round, latches } in rounds {
            let latches = latches.iter().map(|&latch| reduced.latch_of_whole(latch));
            round.kept = self.names(latches);
            let before = named.last().map_or(&[][..], |before| &before.kept);
            let is_new = |name: &&String| !before.contains(name);
            round.added = round.kept.iter().filter(is_new).cloned().collect();
            named.push(round);
        }
        named
    }

    /// The variables that latches are bits of, and how many bits where not all; latches after the system's own are a monitor's.
    fn names(&self, latches: impl Iterator<Item = usize>) -> Vec<String> {
        let mut bits: Vec<(VarId, usize, usize)> = Vec::new();
        let mut of_monitor = 0;
        for latch in latches {
            if latch >= self.translated.circuit.latches.len() {
                of_monitor += 1;
                continue;
            }
            let (variable, all) = self.translated.owner(latch);
            match bits.iter_mut().find(|(known, _, _)| *known == variable) {
                Some((_, kept, _)) => *kept += 1,
                None => bits.push((variable, 1, all)),
            }
        }
        let name = |&(variable, kept, all): &(VarId, usize, usize)| {
            let name = &self.system.variable(variable).name;
            match kept == all {
                true => name.to_string(),
                false => format!("{name} ({kept} of {all} bits)"),
            }
        };
        let monitor = match of_monitor {
            0 => None,
            1 => Some("a latch of the monitor".to_owned()),
            _ => Some(format!("{of_monitor} latches of the monitor")),
        };
        bits.iter().map(name).chain(monitor).collect()
    }

    /// Whether each input of the circuit is one of the system; the others choose next values.
    pub fn inputs_of_system(&self) -> Vec<bool> {
        let inputs = 0..self.translated.circuit.inputs.len();
        inputs
            .map(|input| self.translated.is_input_of_system(input))
            .collect()
    }

    /// Claims over latches and inputs of the system as terms, gate by gate. Each comes right after what it is made of, so that the order of terms is one in
    /// which earlier claims help with later ones.
    fn claims(&self, terms: &mut Terms, formula: &CircuitFormula) -> Vec<TermId> {
        let leaf_of: FxHashMap<Node, Leaf> = formula.leaves.iter().copied().collect();
        let mut known: FxHashMap<Node, TermId> = FxHashMap::default();
        let of = |known: &FxHashMap<Node, TermId>, terms: &mut Terms, signal: Signal| {
            let term = known[&signal.node()];
            if signal.is_complemented() {
                terms.not(term)
            } else {
                term
            }
        };
        let mut claims = formula.claims.iter().peekable();
        let mut found = Vec::with_capacity(formula.claims.len());
        let roots = formula.claims.iter().flat_map(|&(a, b)| [a, b]);
        for node in formula.aig.cone(roots) {
            let term = match (formula.aig.fanins(node), leaf_of.get(&node)) {
                (Some((a, b)), _) => {
                    let (a, b) = (of(&known, terms, a), of(&known, terms, b));
                    terms.and_gate(a, b)
                }
                (None, Some(&Leaf::Latch(latch))) => self.literal(terms, latch, true),
                (None, Some(&Leaf::Input(input))) => self.translated.input_term(self.system, terms, input),
                (None, None) => terms.truth(false),
            };
            known.insert(node, term);
            let is_made =
                |&&(a, b): &&(Signal, Signal)| known.contains_key(&a.node()) && known.contains_key(&b.node());
            while let Some(&(a, b)) = claims.next_if(is_made) {
                let (a, b) = (of(&known, terms, a), of(&known, terms, b));
                found.push(terms.iff(a, b));
            }
        }
        found
    }
}
