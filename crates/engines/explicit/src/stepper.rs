//! A system compiled for enumeration: its initial states, and the steps from a state.
//!
//! Two plans, one for `init` and `invariant`, one for `transition` and `invariant` of the next state, are scheduled and
//! compiled once. An input is enumerated only if some transition condition or some observed term (fairness, a hazard, an
//! atom of the property) reads it; the others keep the first value of their domain.
//!
//! A value outside its variable's domain gives no step. Where the system has hazards, such a step is still shown to the
//! caller (`Found::Outside`), since it is what a hazard may be about.

use crate::Unsupported;
use crate::code::compile::Compiler;
use crate::code::instruction::{Code, Target};
use crate::code::machine::{Context, Machine};
use crate::layout::Layout;
use crate::plan::emit::emit_plan;
use crate::plan::schedule::Scheduler;
use crate::plan::{UnknownVariable, Unknowns};
use entail_budget::{Budget, Spent};
use entail_model::{TermId, TransitionSystem, VarId, VarKind};

/// A compiled system.
#[derive(Debug)]
pub(crate) struct Stepper {
    pub system: TransitionSystem,
    pub layout: Layout,
    code: Code,
    initial: Target,
    step: Target,
    lenient: bool,
}

/// A solution of one of the plans.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Found {
    /// The packed state is in the cursor.
    State,
    /// Some variable would get a value outside its domain.
    Outside,
}

impl Stepper {
    /// Compiles the system; the observed terms may read inputs.
    pub fn new(system: &TransitionSystem, observed: &[TermId]) -> Result<Stepper, Unsupported> {
        let mut system = system.clone();
        let layout = Layout::of(&system)?;
        let size = |variable: VarId| {
            let domains = layout
                .now(variable)
                .map(|register| layout.domain(register).size_estimate());
            domains.product::<f64>()
        };

        let mut conditions = system.transition.clone();
        for condition in system.invariant.clone() {
            let primed = system.primed(condition);
            conditions.push(primed);
        }
        let read: Vec<TermId> = conditions.iter().chain(observed).copied().collect();
        let (read, _) = system.terms.support(&read);
        let enumerated: Vec<VarId> = read
            .into_iter()
            .filter(|&variable| system.variable(variable).kind == VarKind::Input)
            .collect();

        let mut step_unknowns = Unknowns::default();
        for variable in system.variable_ids() {
            let next = match system.variable(variable).kind {
                VarKind::State => true,
                VarKind::Input if enumerated.contains(&variable) => false,
                _ => continue,
            };
            let registers = if next {
                layout.after(variable)
            } else {
                layout.now(variable)
            };
            let unknown = UnknownVariable {
                variable,
                registers,
                size: size(variable),
            };
            step_unknowns.add(unknown, next);
        }
        let mut initial_unknowns = Unknowns::default();
        for variable in system.state_variables() {
            let unknown = UnknownVariable {
                variable,
                registers: layout.now(variable),
                size: size(variable),
            };
            initial_unknowns.add(unknown, false);
        }

        let start: Vec<TermId> = system.init.iter().chain(&system.invariant).copied().collect();
        let all = |unknowns: &Unknowns| (0..unknowns.len() as u32).map(crate::plan::Unknown);
        let initial_plan =
            Scheduler::new(&system.terms, &initial_unknowns, &start).plan(&start, all(&initial_unknowns));
        let step_plan =
            Scheduler::new(&system.terms, &step_unknowns, &conditions).plan(&conditions, all(&step_unknowns));

        let roots: Vec<TermId> = start.iter().chain(&conditions).copied().collect();
        let mut compiler = Compiler::new(&system, &layout, &roots)?;
        let initial = emit_plan(&mut compiler, &initial_unknowns, &initial_plan);
        let step = emit_plan(&mut compiler, &step_unknowns, &step_plan);
        let (mut code, resolve) = compiler.finish();
        let (initial, step) = (resolve(initial), resolve(step));
        for variable in system.input_variables() {
            for register in layout.now(variable) {
                code.registers[register as usize] = layout.domain(register).cell_at(0);
            }
        }
        Ok(Stepper {
            lenient: !system.hazards.is_empty(),
            system,
            layout,
            code,
            initial,
            step,
        })
    }

    /// A cursor over initial states and steps.
    pub fn cursor(&self) -> Cursor<'_> {
        let mut machine = Machine::new(&self.code);
        machine.lenient = self.lenient;
        Cursor {
            stepper: self,
            machine,
            packed: vec![0; self.layout.words()],
            enumerating_initial: false,
        }
    }
}

/// Enumerates initial states, or the steps from a state.
#[derive(Debug)]
pub(crate) struct Cursor<'s> {
    stepper: &'s Stepper,
    machine: Machine,
    packed: Vec<u64>,
    enumerating_initial: bool,
}

impl Cursor<'_> {
    /// Starts on the initial states.
    pub fn start_initial(&mut self) {
        self.enumerating_initial = true;
        self.machine.start(self.stepper.initial, true);
    }

    /// Starts on the steps from a state.
    pub fn start_steps(&mut self, state: &[u64]) {
        self.enumerating_initial = false;
        self.stepper.layout.unpack(state, &mut self.machine.registers);
        self.machine.start(self.stepper.step, false);
    }

    /// The next solution; a state or step may come more than once.
    #[inline]
    pub fn next(&mut self, budget: &Budget) -> Result<Option<Found>, Spent> {
        let stepper = self.stepper;
        let context = Context {
            code: &stepper.code,
            layout: &stepper.layout,
            terms: &stepper.system.terms,
        };
        if !self.machine.resume(context, budget)? {
            return Ok(None);
        }
        let inside = if self.enumerating_initial {
            stepper.layout.pack_now(&self.machine.registers, &mut self.packed)
        } else {
            stepper
                .layout
                .pack_after(&self.machine.registers, &mut self.packed)
        };
        Ok(Some(if inside { Found::State } else { Found::Outside }))
    }

    /// The state found: an initial state, or the one the step leads to.
    pub fn packed(&self) -> &[u64] {
        &self.packed
    }

    /// The registers of all variables: current state, inputs, next state.
    pub fn leaves(&self) -> &[i64] {
        &self.machine.registers[..self.stepper.layout.leaves()]
    }
}
