//! Circuits among the systems: every next value is a function of the state and the inputs.
//!
//! A language of circuits lowers its text to a [`TransitionSystem`] and says here which variables are registers, how each
//! begins and goes on, and which are inputs, both in the order of the text. That is what its witness format counts by: a witness
//! gives the first values that are not determined, the inputs at every step, and nothing else. [`Registers::run`] computes the rest.
//!
//! A register without a next function is chosen anew at every step.

use crate::{Sort, TermId, TransitionSystem, Valuation, Value, VarId, evaluate, evaluate_with};

/// Arrays with more elements are not simulated.
const MOST_ELEMENTS: u64 = 1 << 20;

/// A register: how it begins and goes on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Register {
    /// The variable; an input of the system if it has neither a first nor a next value.
    pub variable: VarId,
    /// Its first value, over registers before it; any value if there is none.
    pub init: Option<TermId>,
    /// Its next value; any value if there is none.
    pub next: Option<TermId>,
}

/// The registers and inputs of a circuit, in the order of its text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Registers {
    /// The registers.
    pub registers: Vec<Register>,
    /// The inputs.
    pub inputs: Vec<VarId>,
}

/// What a witness says: values of registers (by their position) where they are chosen, and of inputs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stimulus {
    /// For each frame, chosen values of registers.
    pub registers: Vec<Vec<(usize, Value)>>,
    /// For each frame, values of inputs.
    pub inputs: Vec<Vec<(usize, Value)>>,
}

/// A stimulus that does not fit the circuit.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StimulusError {
    /// It gives a value to something that is not there.
    #[error("frame {frame} gives a value to {what} {position}, but there are only {count}")]
    NoSuch {
        /// The frame.
        frame: usize,
        /// "register" or "input".
        what: &'static str,
        /// The position given.
        position: usize,
        /// How many there are.
        count: usize,
    },
    /// A value of the wrong sort.
    #[error("frame {frame} gives `{name}` the value {value}, which is not in {sort}")]
    Sort {
        /// The frame.
        frame: usize,
        /// The variable.
        name: String,
        /// The value.
        value: String,
        /// The sort it should have.
        sort: String,
    },
    /// A value would have too many elements to be written out.
    #[error("`{name}` has too many elements to be simulated")]
    TooLarge {
        /// The variable.
        name: String,
    },
    /// A value that the circuit determines otherwise.
    #[error("frame {frame} gives `{name}` the value {given}, but the circuit gives it {computed}")]
    Determined {
        /// The frame.
        frame: usize,
        /// The variable.
        name: String,
        /// The value given.
        given: String,
        /// The value it has.
        computed: String,
    },
}

impl Registers {
    /// The steps of the path that a stimulus drives the circuit along: one for each frame, and the state after the last. What the
    /// stimulus leaves open is the first value of its sort.
    pub fn run(
        &self,
        system: &TransitionSystem,
        stimulus: &Stimulus,
    ) -> Result<Vec<Vec<Option<Value>>>, StimulusError> {
        for variable in system.variables() {
            if let Sort::Array { index, .. } = &variable.sort
                && index.size().is_none_or(|size| size > MOST_ELEMENTS)
            {
                return Err(StimulusError::TooLarge {
                    name: variable.name.to_string(),
                });
            }
        }
        let frames = stimulus.inputs.len().max(stimulus.registers.len());
        let next_terms: Vec<TermId> = self
            .registers
            .iter()
            .filter_map(|register| register.next)
            .collect();
        let cone = system.terms.cone(&next_terms);
        let mut steps: Vec<Vec<Option<Value>>> = Vec::with_capacity(frames + 1);
        let mut computed = self.first(system, stimulus)?;
        for frame in 0..frames {
            let mut step = self.filled(system, stimulus, frame, computed)?;
            for (position, value) in self.given(system, &stimulus.inputs, frame, &self.inputs, "input")? {
                step[self.inputs[position].index()] = Some(value);
            }
            for &input in &self.inputs {
                let sort = &system.variable(input).sort;
                step[input.index()].get_or_insert_with(|| sort.value_at(0));
            }
            let values = evaluate_with(&system.terms, &cone, Valuation::state(&step));
            computed = system.blank();
            for register in &self.registers {
                if let Some(next) = register.next
                    && let Ok(at) = cone.binary_search(&next)
                {
                    computed[register.variable.index()] = values[at].clone();
                }
            }
            steps.push(step);
        }
        let mut last = self.filled(system, stimulus, frames, computed)?;
        for variable in system.input_variables() {
            last[variable.index()] = None;
        }
        steps.push(last);
        Ok(steps)
    }

    /// The first values that are determined: by the circuit, or by the stimulus where a later one depends on them.
    fn first(
        &self,
        system: &TransitionSystem,
        stimulus: &Stimulus,
    ) -> Result<Vec<Option<Value>>, StimulusError> {
        let variables: Vec<VarId> = self.registers.iter().map(|register| register.variable).collect();
        let mut step = system.blank();
        for (position, value) in self.given(system, &stimulus.registers, 0, &variables, "register")? {
            if self.registers[position].init.is_none() {
                step[variables[position].index()] = Some(value);
            }
        }
        for register in &self.registers {
            let place = register.variable.index();
            let sort = &system.variable(register.variable).sort;
            match register.init {
                Some(init) => {
                    let value = evaluate(&system.terms, init, Valuation::state(&step));
                    step[place] = Some(value.unwrap_or_else(|_| sort.value_at(0)));
                }
                None => {
                    step[place].get_or_insert_with(|| sort.value_at(0));
                }
            }
        }
        Ok(step)
    }

    /// Computed values with the chosen ones added; a chosen value must not contradict a computed one.
    fn filled(
        &self,
        system: &TransitionSystem,
        stimulus: &Stimulus,
        frame: usize,
        mut step: Vec<Option<Value>>,
    ) -> Result<Vec<Option<Value>>, StimulusError> {
        let variables: Vec<VarId> = self.registers.iter().map(|register| register.variable).collect();
        for (position, value) in self.given(system, &stimulus.registers, frame, &variables, "register")? {
            let variable = variables[position];
            match &step[variable.index()] {
                Some(computed) if *computed != value => {
                    return Err(StimulusError::Determined {
                        frame,
                        name: system.variable(variable).name.to_string(),
                        given: value.to_string(),
                        computed: computed.to_string(),
                    });
                }
                _ => step[variable.index()] = Some(value),
            }
        }
        for variable in variables {
            let sort = &system.variable(variable).sort;
            step[variable.index()].get_or_insert_with(|| sort.value_at(0));
        }
        Ok(step)
    }

    /// The values a stimulus gives in a frame, looked over.
    fn given(
        &self,
        system: &TransitionSystem,
        all: &[Vec<(usize, Value)>],
        frame: usize,
        variables: &[VarId],
        what: &'static str,
    ) -> Result<Vec<(usize, Value)>, StimulusError> {
        let given = all.get(frame).cloned().unwrap_or_default();
        for (position, value) in &given {
            let Some(&variable) = variables.get(*position) else {
                return Err(StimulusError::NoSuch {
                    frame,
                    what,
                    position: *position,
                    count: variables.len(),
                });
            };
            let variable = system.variable(variable);
            if !variable.sort.contains(value) {
                return Err(StimulusError::Sort {
                    frame,
                    name: variable.name.to_string(),
                    value: value.to_string(),
                    sort: variable.sort.to_string(),
                });
            }
        }
        Ok(given)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::VarKind;

    fn toggle() -> (TransitionSystem, Registers) {
        let mut system = TransitionSystem::new();
        let input = system.add_variable("enable", Sort::Bool, VarKind::Input);
        let latch = system.add_variable("q", Sort::Bool, VarKind::State);
        let (enable, q) = (system.current(input), system.current(latch));
        let next = system.terms.xor(enable, q);
        let init = system.terms.truth(false);
        let registers = Registers {
            registers: vec![Register {
                variable: latch,
                init: Some(init),
                next: Some(next),
            }],
            inputs: vec![input],
        };
        (system, registers)
    }

    #[test]
    fn a_stimulus_drives_the_circuit_and_must_agree_with_it() {
        let (system, registers) = toggle();
        let frame = |truth: bool| vec![(0, Value::Bool(truth))];
        let mut stimulus = Stimulus {
            registers: vec![frame(false)],
            inputs: vec![frame(true), frame(false), frame(true)],
        };
        let steps = registers.run(&system, &stimulus).expect("it fits");
        let q: Vec<Option<bool>> = steps
            .iter()
            .map(|step| step[1].as_ref().and_then(Value::as_bool))
            .collect();
        assert_eq!(q, [Some(false), Some(true), Some(true), Some(false)]);
        assert_eq!(steps[3][0], None);
        stimulus.registers = vec![frame(true)];
        assert!(matches!(
            registers.run(&system, &stimulus),
            Err(StimulusError::Determined { frame: 0, .. })
        ));
        stimulus.registers = vec![vec![(7, Value::Bool(true))]];
        assert!(matches!(
            registers.run(&system, &stimulus),
            Err(StimulusError::NoSuch { position: 7, .. })
        ));
    }
}
