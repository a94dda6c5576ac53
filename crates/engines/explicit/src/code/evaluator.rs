//! A fixed list of terms, evaluated in many states or along many steps.

use super::compile::Compiler;
use super::instruction::{Code, Target};
use super::machine::{Context, Machine};
use crate::Unsupported;
use crate::layout::{Layout, Register};
use entail_model::{TermId, TransitionSystem, VarKind};

/// Compiled scalar terms with a machine of their own.
#[derive(Debug)]
pub(crate) struct Evaluator {
    code: Code,
    machine: Machine,
    entries: Vec<(Target, Register)>,
}

impl Evaluator {
    pub fn new(
        system: &TransitionSystem,
        layout: &Layout,
        terms: &[TermId],
    ) -> Result<Evaluator, Unsupported> {
        let mut compiler = Compiler::new(system, layout, terms)?;
        let entries: Vec<_> = terms.iter().map(|&term| compiler.entry(term)).collect();
        let (code, resolve) = compiler.finish();
        let entries = entries
            .into_iter()
            .map(|(start, register)| (resolve(start), register))
            .collect();
        Ok(Evaluator {
            machine: Machine::new(&code),
            code,
            entries,
        })
    }

    /// Whether there is nothing to evaluate.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Takes over the variables' registers: current state, inputs and next state.
    pub fn load(&mut self, leaves: &[i64]) {
        self.machine.registers[..leaves.len()].copy_from_slice(leaves);
        self.machine.state_changed();
    }

    /// Takes over a packed state as the current one.
    pub fn load_state(&mut self, layout: &Layout, packed: &[u64]) {
        layout.unpack(packed, &mut self.machine.registers);
        self.machine.state_changed();
    }

    /// The value of a term in what was loaded.
    pub fn cell(&mut self, system: &TransitionSystem, layout: &Layout, number: usize) -> i64 {
        let (start, register) = self.entries[number];
        let context = Context {
            code: &self.code,
            layout,
            terms: &system.terms,
        };
        self.machine.evaluate(context, start);
        self.machine.registers[register as usize]
    }

    /// The truth of a term in what was loaded.
    pub fn truth(&mut self, system: &TransitionSystem, layout: &Layout, number: usize) -> bool {
        self.cell(system, layout, number) != 0
    }
}

/// Whether a term speaks of a step: it reads an input or a next value.
pub(crate) fn is_about_steps(system: &TransitionSystem, term: TermId) -> bool {
    let (current, next) = system.terms.support(&[term]);
    let kind = |variable: &entail_model::VarId| system.variable(*variable).kind;
    current.iter().any(|variable| kind(variable) == VarKind::Input)
        || next.iter().any(|variable| kind(variable) == VarKind::State)
}
