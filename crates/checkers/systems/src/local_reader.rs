//! What conditions say on a trace under values of local variables.
//!
//! A local variable is one or several variables of the system that nothing else depends on. Whatever value it has on the trace does not count: where a condition is evaluated,
//! the value that it has in the run of the assertion is put in its place.

use crate::assertion::LocalReader;
use crate::condition::Condition;
use crate::threads::Locals;
use entail_evidence::{Trace, Truth};
use entail_logic::Local;
use entail_model::{TermId, TransitionSystem, Valuation, Value, VarId};

/// Some bits of a local variable, as a variable of the system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LocalBits {
    /// The variable of the system.
    pub variable: VarId,
    /// The position of its lowest bit in the local variable.
    pub low: u32,
    /// Number of bits.
    pub width: u32,
}

impl LocalBits {
    /// The bits of a value.
    fn of(&self, value: &Value) -> Option<Value> {
        match value {
            Value::Bool(_) if (self.low, self.width) == (0, 1) => Some(value.clone()),
            Value::Word(word) if self.low + self.width > word.width() => None,
            Value::Word(word) if self.width == 1 => Some(Value::Bool(word.bit(self.low))),
            Value::Word(word) => Some(Value::Word(word.extract(self.low + self.width - 1, self.low))),
            _ => None,
        }
    }
}

/// A trace whose conditions may read local variables.
pub struct TraceLocals<'a> {
    steps: &'a [Vec<Option<Value>>],
    loop_start: Option<usize>,
    /// Letters have the values of the step before.
    lags: bool,
    variables: &'a [Vec<LocalBits>],
    /// The atoms that read variables.
    atoms: Vec<Option<Condition<'a>>>,
    values: Vec<Condition<'a>>,
}

impl<'a> TraceLocals<'a> {
    /// Variables by the numbers of locals; atoms; the expressions that are assigned.
    pub fn new(
        system: &'a TransitionSystem,
        trace: &'a Trace,
        variables: &'a [Vec<LocalBits>],
        atoms: &[TermId],
        values: &[TermId],
    ) -> TraceLocals<'a> {
        let terms = &system.terms;
        let reads = |term: TermId| {
            let (current, _) = terms.support(&[term]);
            let mut bits = variables.iter().flatten();
            bits.any(|bits| current.contains(&bits.variable))
        };
        TraceLocals {
            steps: &trace.steps,
            loop_start: trace.loop_start,
            lags: false,
            variables,
            atoms: atoms
                .iter()
                .map(|&term| reads(term).then(|| Condition::new(terms, term)))
                .collect(),
            values: values.iter().map(|&term| Condition::new(terms, term)).collect(),
        }
    }

    /// The same where a letter has the values of the step before it.
    #[must_use]
    pub fn a_step_before(mut self) -> TraceLocals<'a> {
        self.lags = true;
        self
    }

    /// The value of a term in the letter at a position; nothing if it differs from round to round.
    fn at(&self, condition: &Condition<'_>, position: usize, locals: &Locals) -> Option<Value> {
        if !self.lags {
            return self.in_step(condition, position, locals);
        }
        let before = self.in_step(condition, position.checked_sub(1)?, locals)?;
        if self.loop_start == Some(position) {
            let last = self.in_step(condition, self.steps.len().checked_sub(1)?, locals)?;
            return (last == before).then_some(before);
        }
        Some(before)
    }

    /// The value of a term in a step.
    fn in_step(&self, condition: &Condition<'_>, position: usize, locals: &Locals) -> Option<Value> {
        let mut step = self.steps.get(position)?.clone();
        for (number, bits) in self.variables.iter().enumerate() {
            let value = locals.get(Local(u32::try_from(number).ok()?));
            for bits in bits {
                *step.get_mut(bits.variable.index())? = value.and_then(|value| bits.of(value));
            }
        }
        condition.value(Valuation::state(&step))
    }
}

impl LocalReader for TraceLocals<'_> {
    fn reads(&self, atom: usize) -> bool {
        self.atoms.get(atom).is_some_and(Option::is_some)
    }

    fn truth(&self, atom: usize, position: usize, locals: &Locals) -> Option<bool> {
        let condition = self.atoms.get(atom)?.as_ref()?;
        // (Before the first step, everything is zero.)
        if self.lags && position == 0 {
            return Some(false);
        }
        match Truth::from(self.at(condition, position, locals)?.as_bool()) {
            Truth::True => Some(true),
            Truth::False => Some(false),
            Truth::Unknown => None,
        }
    }

    fn value(&self, expression: u32, position: usize, locals: &Locals) -> Option<Value> {
        self.at(self.values.get(expression as usize)?, position, locals)
    }
}
