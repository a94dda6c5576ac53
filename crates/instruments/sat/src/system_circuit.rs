//! A transition system as a circuit, and the way back.
//!
//! Every bit of a state or frozen variable is a latch, every bit of an input an input. A transition conjunct `next(x) = f` (one a
//! variable, `f` over current variables, inputs, and next values that are functions themselves) becomes `x`'s next function.
//! The other state variables get an input for each bit of their next value, and the other conjuncts become *step constraints*
//! over these. So:
//!
//! - a state invariant, and "the bits are a value of the sort", are constraints of every position;
//! - remaining transition conjuncts, "`f`'s value fits the sort of `x`", and the state invariant of the next state are step
//!   constraints (the last follows from the constraint at the next position; said here it makes single steps stronger);
//! - a bad state counts where all steps *before* it are allowed, whether or not it has a successor itself. A property or hazard that
//!   speaks of a step counts only with an allowed step.
//!
//! Initial conjuncts `x = constant` become latch values; the others are initial constraints.

use crate::aig::{Signal, value_of};
use crate::arithmetic::Bits;
use crate::blast::{Blaster, Leaf, recode};
use crate::circuit::{Circuit, Init, Run};
use crate::encoding::{NotEncoded, belongs, bit_term, decode, encode, shape};
use entail_budget::Budget;
use entail_model::{Op, Sort, TermId, Terms, TransitionSystem, Value, VarId, VarKind};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// The most bits of one variable.
const MAX_VARIABLE_BITS: usize = 1 << 22;

/// A system as a circuit.
#[derive(Clone, Debug)]
pub struct SystemCircuit {
    /// The circuit; its `bad` list is empty until a property is asked.
    pub circuit: Circuit,
    /// The bits of each variable now: latches, or inputs.
    bits: Vec<Bits>,
    /// Where each latch belongs: variable and bit.
    latch_owners: Vec<(VarId, usize)>,
    /// The same for the first inputs; those after them choose next values.
    input_owners: Vec<(VarId, usize)>,
    blaster: Blaster,
    /// Transition conjuncts that speak of inputs and current variables only, conjoined.
    choosing: Signal,
    /// All step constraints, conjoined.
    step: Signal,
}

/// What a term may read, as far as questions about it differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reads {
    /// State variables only.
    State,
    /// Inputs, no next values.
    Inputs,
    /// Next values.
    Next,
}

impl SystemCircuit {
    /// Translates a system within a budget.
    pub fn new(system: &TransitionSystem, budget: &Budget) -> Result<SystemCircuit, NotEncoded> {
        let mut circuit = Circuit::new();
        let mut blaster = Blaster::new();
        blaster.watch(Arc::new(budget.same_limits()));
        let mut bits = Vec::new();
        let mut latch_owners = Vec::new();
        let mut input_owners = Vec::new();
        for variable in system.variable_ids() {
            let (width, _) = shape(&system.variable(variable).sort)?;
            if width > MAX_VARIABLE_BITS {
                let name = &system.variable(variable).name;
                return Err(NotEncoded::TooLarge(format!("the {width} bits of `{name}`")));
            }
            let is_input = system.variable(variable).kind == VarKind::Input;
            let code: Bits = (0..width)
                .map(|bit| {
                    if is_input {
                        input_owners.push((variable, bit));
                        circuit.add_input()
                    } else {
                        latch_owners.push((variable, bit));
                        circuit.add_latch(Init::Free)
                    }
                })
                .collect();
            blaster.bind(
                Leaf {
                    variable,
                    next: false,
                },
                code.clone(),
            );
            if system.variable(variable).kind == VarKind::Frozen {
                blaster.bind(Leaf { variable, next: true }, code.clone());
            }
            bits.push(code);
        }
        let mut translated = SystemCircuit {
            circuit,
            bits,
            latch_owners,
            input_owners,
            blaster,
            choosing: Signal::TRUE,
            step: Signal::TRUE,
        };
        translated.initial_states(system)?;
        let relational = translated.next_functions(system)?;
        translated.steps(system, &relational)?;
        Ok(translated)
    }

    /// Translates terms within this budget from now on.
    pub fn watch(&mut self, budget: &Budget) {
        self.blaster.watch(Arc::new(budget.same_limits()));
    }

    fn signal(&mut self, terms: &Terms, term: TermId) -> Result<Signal, NotEncoded> {
        self.blaster.signal(&mut self.circuit.aig, terms, term)
    }

    /// Constants go to the latches, everything else is a constraint on the first state.
    fn initial_states(&mut self, system: &TransitionSystem) -> Result<(), NotEncoded> {
        let first_latch = self.first_latches();
        for &conjunct in &system.init {
            if let Some((variable, value)) = constant_assignment(&system.terms, conjunct) {
                let sort = &system.variable(variable).sort;
                let latches =
                    first_latch[&variable]..first_latch[&variable] + self.bits[variable.index()].len();
                let is_state = system.variable(variable).kind != VarKind::Input;
                if is_state
                    && sort.contains(&value)
                    && self.circuit.latches[latches.clone()]
                        .iter()
                        .all(|latch| latch.init == Init::Free)
                {
                    for (latch, bit) in self.circuit.latches[latches]
                        .iter_mut()
                        .zip(encode(&value, sort)?)
                    {
                        latch.init = Init::from(bit);
                    }
                    continue;
                }
            }
            let signal = self.signal(&system.terms, conjunct)?;
            self.circuit.init_constraints.push(signal);
        }
        self.circuit
            .init_constraints
            .retain(|&signal| signal != Signal::TRUE);
        Ok(())
    }

    fn first_latches(&self) -> FxHashMap<VarId, usize> {
        let mut first = FxHashMap::default();
        for (position, &(variable, _)) in self.latch_owners.iter().enumerate() {
            first.entry(variable).or_insert(position);
        }
        // Variables of one value have no bit; they still need an entry.
        for index in 0..self.bits.len() {
            first.entry(VarId::new(index as u32)).or_insert(0);
        }
        first
    }

    /// Finds a function for the next value of as many variables as possible; gives back the conjuncts that remain.
    fn next_functions(&mut self, system: &TransitionSystem) -> Result<Vec<TermId>, NotEncoded> {
        let mut candidates: Vec<(TermId, VarId, Definition)> = Vec::new();
        let mut remaining = Vec::new();
        // Large circuits have thousands of conjuncts, nearly all of them functions of the current state: one pass settles those.
        let mention_next = system.terms.mention_next();
        for &conjunct in &system.transition {
            let definition = next_definition(&system.terms, &mention_next, conjunct);
            match definition {
                Some((variable, definition)) if system.variable(variable).kind == VarKind::State => {
                    candidates.push((conjunct, variable, definition));
                }
                _ => remaining.push(conjunct),
            }
        }
        // A definition may use next values once they are functions; each round settles those it can.
        loop {
            let before = candidates.len();
            let mut waiting = Vec::new();
            for (conjunct, variable, definition) in candidates {
                if self.blaster.leaf(Leaf { variable, next: true }).is_some() {
                    remaining.push(conjunct);
                    continue;
                }
                let (_, next) = match definition {
                    Definition::Term(term) | Definition::Negated(term) if mention_next[term.index()] => {
                        system.terms.support(&[term])
                    }
                    _ => Default::default(),
                };
                let ready = next
                    .iter()
                    .all(|&variable| self.blaster.leaf(Leaf { variable, next: true }).is_some());
                if ready {
                    self.define(system, variable, &definition)?;
                } else {
                    waiting.push((conjunct, variable, definition));
                }
            }
            candidates = waiting;
            if candidates.is_empty() || candidates.len() == before {
                break;
            }
        }
        remaining.extend(candidates.into_iter().map(|(conjunct, _, _)| conjunct));
        for variable in system.state_variables() {
            if self.blaster.leaf(Leaf { variable, next: true }).is_none() {
                let width = self.bits[variable.index()].len();
                let code: Bits = (0..width).map(|_| self.circuit.add_input()).collect();
                let valid = belongs(&mut self.circuit.aig, &code, &system.variable(variable).sort);
                self.circuit.step_constraints.push(valid);
                self.blaster.bind(Leaf { variable, next: true }, code);
            }
        }
        remaining.sort_unstable();
        Ok(remaining)
    }

    fn define(
        &mut self,
        system: &TransitionSystem,
        variable: VarId,
        definition: &Definition,
    ) -> Result<(), NotEncoded> {
        let sort = &system.variable(variable).sort;
        let code = match *definition {
            Definition::Constant(truth) => vec![Signal::constant(truth)],
            Definition::Negated(term) => vec![!self.signal(&system.terms, term)?],
            Definition::Term(term) => {
                let bits = self.blaster.bits(&mut self.circuit.aig, &system.terms, term)?;
                let from = system.terms.sort(term);
                let fits = fits(&mut self.circuit, &bits, from, sort)?;
                self.circuit.step_constraints.push(fits);
                recode(&mut self.circuit.aig, &bits, from, sort)?
            }
        };
        self.blaster.bind(Leaf { variable, next: true }, code);
        Ok(())
    }

    fn steps(&mut self, system: &TransitionSystem, relational: &[TermId]) -> Result<(), NotEncoded> {
        for position in 0..self.latch_owners.len() {
            let (variable, bit) = self.latch_owners[position];
            let next = self
                .blaster
                .leaf(Leaf { variable, next: true })
                .and_then(|code| code.get(bit).copied());
            self.circuit.latches[position].next =
                next.ok_or(NotEncoded::Malformed("a latch without a next value"))?;
        }
        let mut choosing = Vec::new();
        for &conjunct in relational {
            let signal = self.signal(&system.terms, conjunct)?;
            self.circuit.step_constraints.push(signal);
            if reads(system, conjunct) != Reads::Next {
                choosing.push(signal);
            }
        }
        for variable in system.variable_ids() {
            let sort = &system.variable(variable).sort;
            let valid = belongs(&mut self.circuit.aig, &self.bits[variable.index()], sort);
            if system.variable(variable).kind == VarKind::Input {
                self.circuit.step_constraints.push(valid);
                choosing.push(valid);
            } else {
                self.circuit.constraints.push(valid);
            }
        }
        let mut next_state = next_state_blaster(self, system);
        for &conjunct in &system.invariant {
            let now = self.signal(&system.terms, conjunct)?;
            self.circuit.constraints.push(now);
            let next = next_state.signal(&mut self.circuit.aig, &system.terms, conjunct)?;
            self.circuit.step_constraints.push(next);
        }
        for list in [&mut self.circuit.constraints, &mut self.circuit.step_constraints] {
            list.sort_unstable();
            list.dedup();
            list.retain(|&signal| signal != Signal::TRUE);
        }
        self.choosing = self.circuit.aig.and_all(choosing);
        let all = self.circuit.step_constraints.clone();
        self.step = self.circuit.aig.and_all(all);
        Ok(())
    }

    /// A condition where it can be met: of a state alone; of a state with inputs that can be chosen (`hazard`), or of a step.
    pub fn observe(
        &mut self,
        system: &TransitionSystem,
        term: TermId,
        hazard: bool,
    ) -> Result<(Signal, Reads), NotEncoded> {
        let signal = self.signal(&system.terms, term)?;
        Ok(match (reads(system, term), hazard) {
            // What is wrong in a state is wrong whether or not inputs can be chosen there.
            (Reads::State, _) => (signal, Reads::State),
            (Reads::Next, _) | (Reads::Inputs, false) => (signal, Reads::Next),
            (Reads::Inputs, true) => (signal, Reads::Inputs),
        })
    }

    /// The signal "this is true here and the place exists": under the step constraints for a step, under what inputs must satisfy
    /// for a choice of inputs.
    pub fn at(&mut self, signal: Signal, place: Reads) -> Signal {
        let context = match place {
            Reads::State => Signal::TRUE,
            Reads::Inputs => self.choosing,
            Reads::Next => self.step,
        };
        self.circuit.aig.and(signal, context)
    }

    /// The signal of a Boolean term, wherever it is read.
    pub fn term(&mut self, system: &TransitionSystem, term: TermId) -> Result<Signal, NotEncoded> {
        self.signal(&system.terms, term)
    }

    /// All step constraints as one signal.
    pub fn step(&self) -> Signal {
        self.step
    }

    /// Whether every state that satisfies the constraints has a successor, seen from the shape of the circuit alone.
    pub fn is_total_by_shape(&self) -> bool {
        self.circuit.step_constraints.is_empty() && self.circuit.constraints.is_empty()
    }

    /// A run as steps of the system: values of all variables, no inputs in the last. With `one_more`, the state after the run's
    /// last position is shown too.
    pub fn steps_of(&self, system: &TransitionSystem, run: &Run, one_more: bool) -> Vec<Vec<Option<Value>>> {
        let positions = self.circuit.simulate(run);
        let mut steps: Vec<Vec<Option<Value>>> = positions
            .iter()
            .map(|values| self.valuation(system, values, true))
            .collect();
        if let (true, Some(last)) = (one_more, positions.last()) {
            let latches = self.circuit.successor(last);
            let values = self.circuit.evaluate(&latches, &[]);
            steps.push(self.valuation(system, &values, false));
        }
        if let Some(last) = steps.last_mut() {
            for input in system.input_variables() {
                last[input.index()] = None;
            }
        }
        steps
    }

    /// The variables' values at one position, from its node values.
    pub fn valuation(&self, system: &TransitionSystem, values: &[bool], inputs: bool) -> Vec<Option<Value>> {
        let of = |variable: VarId| {
            let bits: Vec<bool> = self.bits[variable.index()]
                .iter()
                .map(|&signal| value_of(values, signal))
                .collect();
            decode(&bits, &system.variable(variable).sort)
        };
        system
            .variable_ids()
            .map(|variable| {
                (inputs || system.variable(variable).kind != VarKind::Input).then(|| of(variable))
            })
            .collect()
    }

    /// "Latch `position` holds `value`" as a term over the system's variables.
    pub fn latch_term(
        &self,
        system: &TransitionSystem,
        terms: &mut Terms,
        position: usize,
        value: bool,
    ) -> TermId {
        let term = self.owned_bit(system, terms, self.latch_owners[position]);
        if value { term } else { terms.not(term) }
    }

    /// The variable a latch is a bit of; how many bits that has.
    pub fn owner(&self, latch: usize) -> (VarId, usize) {
        let (variable, _) = self.latch_owners[latch];
        (variable, self.bits[variable.index()].len())
    }

    /// Whether an input of the circuit is a bit of an input of the system.
    pub fn is_input_of_system(&self, position: usize) -> bool {
        position < self.input_owners.len()
    }

    /// "Input `position`, one of the system's, is true" as a term over the system's variables.
    pub fn input_term(&self, system: &TransitionSystem, terms: &mut Terms, position: usize) -> TermId {
        self.owned_bit(system, terms, self.input_owners[position])
    }

    fn owned_bit(
        &self,
        system: &TransitionSystem,
        terms: &mut Terms,
        (variable, bit): (VarId, usize),
    ) -> TermId {
        let current = terms.current(variable, system.variable(variable).sort.clone());
        bit_term(terms, current, bit)
    }
}

/// What a term reads.
pub fn reads(system: &TransitionSystem, term: TermId) -> Reads {
    let (current, next) = system.terms.support(&[term]);
    if next
        .iter()
        .any(|&variable| system.variable(variable).kind == VarKind::State)
    {
        Reads::Next
    } else if current
        .iter()
        .any(|&variable| system.variable(variable).kind == VarKind::Input)
    {
        Reads::Inputs
    } else {
        Reads::State
    }
}

/// Reads current variables as the next state's.
fn next_state_blaster(translated: &SystemCircuit, system: &TransitionSystem) -> Blaster {
    let mut blaster = Blaster::new();
    for variable in system.state_variables() {
        if let Some(code) = translated.blaster.leaf(Leaf { variable, next: true }) {
            blaster.bind(
                Leaf {
                    variable,
                    next: false,
                },
                code.clone(),
            );
        }
    }
    blaster
}

/// Whether a value of one sort belongs to another.
fn fits(circuit: &mut Circuit, bits: &[Signal], from: &Sort, to: &Sort) -> Result<Signal, NotEncoded> {
    let aig = &mut circuit.aig;
    match (from, to) {
        (from, to) if from == to => Ok(Signal::TRUE),
        (Sort::Range { low: a, high: b }, Sort::Range { low: c, high: d }) if c <= a && b <= d => {
            Ok(Signal::TRUE)
        }
        (Sort::Range { .. }, Sort::Range { low, high }) => {
            // Compare in two's complement wide enough for both.
            let (width, sign) = shape(from)?;
            let (width, sign) = (width.max(64) + 1, sign);
            let value = crate::arithmetic::resize(bits, width, sign);
            let (low, high) = (
                crate::arithmetic::number(i128::from(*low), width),
                crate::arithmetic::number(i128::from(*high), width),
            );
            let below = aig.less(&value, &low, crate::Sign::Signed);
            let above = aig.less(&high, &value, crate::Sign::Signed);
            Ok(aig.and(!below, !above))
        }
        (Sort::Array { element: a, .. }, Sort::Array { element: b, .. }) => {
            let step = shape(a)?.0.max(1);
            let mut all = Vec::new();
            for chunk in bits.chunks(step) {
                all.push(fits(circuit, chunk, a, b)?);
            }
            Ok(circuit.aig.and_all(all))
        }
        _ => {
            if from.size().is_none_or(|size| size > 1 << 12) {
                return Err(NotEncoded::TooManyValues(from.to_string(), to.to_string()));
            }
            let mut allowed = Vec::new();
            for value in from.values().filter(|value| to.contains(value)) {
                let code = crate::encoding::constant(&value, from)?;
                allowed.push(aig.same(bits, &code));
            }
            Ok(aig.or_all(allowed))
        }
    }
}

/// How a next value is given.
enum Definition {
    Term(TermId),
    Negated(TermId),
    Constant(bool),
}

/// The variable whose next value a conjunct defines, and how.
fn next_definition(terms: &Terms, mention_next: &[bool], conjunct: TermId) -> Option<(VarId, Definition)> {
    let next = |term: TermId| match terms.op(term) {
        Op::Next(variable) => Some(*variable),
        _ => None,
    };
    let equality = |term: TermId| {
        let [a, b] = *terms.operands(term) else {
            return None;
        };
        // A variable is not defined by itself.
        let free_of = |variable: VarId, term: TermId| {
            !mention_next[term.index()] || !terms.support(&[term]).1.contains(&variable)
        };
        match (next(a), next(b)) {
            (Some(variable), _) if free_of(variable, b) => Some((variable, b)),
            (_, Some(variable)) if free_of(variable, a) => Some((variable, a)),
            _ => None,
        }
    };
    match terms.op(conjunct) {
        Op::Next(variable) => Some((*variable, Definition::Constant(true))),
        Op::Equal => equality(conjunct).map(|(variable, term)| (variable, Definition::Term(term))),
        Op::Not => {
            let inner = terms.operands(conjunct)[0];
            match terms.op(inner) {
                Op::Next(variable) => Some((*variable, Definition::Constant(false))),
                Op::Equal if *terms.sort(terms.operands(inner)[0]) == Sort::Bool => {
                    equality(inner).map(|(variable, term)| (variable, Definition::Negated(term)))
                }
                _ => None,
            }
        }
        _ => None,
    }
}

/// The variable and value of `x = constant`, `b`, `!b`.
fn constant_assignment(terms: &Terms, conjunct: TermId) -> Option<(VarId, Value)> {
    let current = |term: TermId| match terms.op(term) {
        Op::Current(variable) => Some(*variable),
        _ => None,
    };
    match terms.op(conjunct) {
        Op::Current(variable) => Some((*variable, Value::Bool(true))),
        Op::Not => Some((current(terms.operands(conjunct)[0])?, Value::Bool(false))),
        Op::Equal => {
            let [a, b] = *terms.operands(conjunct) else {
                return None;
            };
            [(a, b), (b, a)]
                .into_iter()
                .find_map(|(x, value)| Some((current(x)?, terms.as_constant(value)?.clone())))
        }
        _ => None,
    }
}
