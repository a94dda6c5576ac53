//! A circuit as a transition system, with AIGER 1.9's properties.
//!
//! Latches are state variables, inputs inputs, all Boolean, named by the symbol table or `l3`, `i2`; every name occurs once.
//!
//! **Invariant constraints** must hold at every step of a trace up to and including the bad one, and may read inputs. A state invariant
//! of the system would ask too much (it would also bind the state *after* the bad step), so each constraint is a condition of the
//! transition relation: no step leaves a state under inputs that violate it. A bad state counts only where the constraints hold too:
//! the question is whether `bad & c0 & c1 …` can be met. If that reads inputs it is a question about steps, and those satisfy the
//! constraints anyway; if not, it is a question about states, and says all that is needed.
//!
//! **Justice properties** ask for a path on which all constraints always hold, and every condition of the property and every fairness
//! constraint is true infinitely often. The system's justice is the fairness constraints; the property is that no such path exists.

use crate::circuit::{Aiger, Literal, Reset, SymbolKind};
use entail_logic::{Formula, Property, Question};
use entail_model::{Define, Register, Registers, Sort, TermId, TransitionSystem, VarKind};
use rustc_hash::FxHashSet;

/// A circuit as a system with its properties.
#[derive(Clone, Debug)]
pub struct AigerModel {
    /// The system.
    pub system: TransitionSystem,
    /// Bad-state properties, then justice properties.
    pub properties: Vec<Property<TermId>>,
    /// Latches and inputs, in order.
    pub registers: Registers,
    /// How many of the properties are about bad states.
    pub bad: usize,
}

/// Most inputs of a circuit: a binary file need not have a byte for each.
const MOST_INPUTS: u32 = 1 << 22;

/// The system of a circuit; or why there is none.
pub fn lower(circuit: &Aiger) -> Result<AigerModel, String> {
    if circuit.inputs > MOST_INPUTS {
        return Err(format!(
            "the circuit has {} inputs; more than {MOST_INPUTS} cannot be checked",
            circuit.inputs
        ));
    }
    let mut lowering = Lowering {
        circuit,
        system: TransitionSystem::new(),
        taken: FxHashSet::default(),
        terms: Vec::with_capacity(circuit.last_variable() as usize + 1),
    };
    let registers = lowering.variables();
    lowering.gates();
    let registers = lowering.steps(registers);
    let (properties, bad) = lowering.properties();
    Ok(AigerModel {
        system: lowering.system,
        properties,
        registers,
        bad,
    })
}

struct Lowering<'a> {
    circuit: &'a Aiger,
    system: TransitionSystem,
    taken: FxHashSet<String>,
    /// The term of each variable.
    terms: Vec<TermId>,
}

impl Lowering<'_> {
    /// The name of something: its symbol, or its kind and position; with a number if it is taken.
    fn name(&mut self, kind: SymbolKind, position: u32) -> String {
        let plain = format!("{}{position}", kind.letter());
        let wanted = self
            .circuit
            .symbol(kind, position)
            .map(str::trim)
            .filter(|name| !name.is_empty())
            .unwrap_or(&plain);
        let wanted = wanted.to_owned();
        self.unique(wanted)
    }

    fn unique(&mut self, wanted: String) -> String {
        let mut name = wanted.clone();
        let mut number = 2;
        while !self.taken.insert(name.clone()) {
            name = format!("{wanted}#{number}");
            number += 1;
        }
        name
    }

    fn variables(&mut self) -> Registers {
        let truth = self.system.terms.truth(false);
        self.terms.push(truth);
        let mut registers = Registers::default();
        for position in 0..self.circuit.inputs {
            let name = self.name(SymbolKind::Input, position);
            let variable = self.system.add_variable(name, Sort::Bool, VarKind::Input);
            let term = self.system.current(variable);
            self.terms.push(term);
            registers.inputs.push(variable);
        }
        for (position, latch) in self.circuit.latches.iter().enumerate() {
            let name = self.name(SymbolKind::Latch, position as u32);
            let variable = self.system.add_variable(name, Sort::Bool, VarKind::State);
            let term = self.system.current(variable);
            self.terms.push(term);
            let first = match latch.reset {
                Reset::Zero => Some((self.system.terms.not(term), false)),
                Reset::One => Some((term, true)),
                Reset::Free => None,
            };
            self.system.init.extend(first.map(|(condition, _)| condition));
            registers.registers.push(Register {
                variable,
                init: first.map(|(_, value)| self.system.terms.truth(value)),
                next: None,
            });
        }
        registers
    }

    fn gates(&mut self) {
        for &[a, b] in &self.circuit.gates {
            let (a, b) = (self.term(a), self.term(b));
            let gate = self.system.terms.and_gate(a, b);
            self.terms.push(gate);
        }
    }

    fn term(&mut self, literal: Literal) -> TermId {
        let term = self.terms[literal.variable() as usize];
        if literal.is_negated() {
            self.system.terms.not(term)
        } else {
            term
        }
    }

    fn steps(&mut self, mut registers: Registers) -> Registers {
        for (latch, register) in self.circuit.latches.iter().zip(&mut registers.registers) {
            let next = self.term(latch.next);
            register.next = Some(next);
            let after = self.system.next(register.variable);
            let step = self.system.terms.iff(after, next);
            self.system.transition.push(step);
        }
        registers
    }

    /// A named literal: outputs and properties can be looked at and spoken about.
    fn define(&mut self, kind: SymbolKind, position: usize, literal: Literal) -> (String, TermId) {
        let term = self.term(literal);
        let name = self.name(kind, position as u32);
        self.system.defines.push(Define {
            name: name.as_str().into(),
            term,
        });
        (name, term)
    }

    fn properties(&mut self) -> (Vec<Property<TermId>>, usize) {
        let circuit = self.circuit;
        if !circuit.outputs_are_bad() {
            for (position, &output) in circuit.outputs.iter().enumerate() {
                self.define(SymbolKind::Output, position, output);
            }
        }
        let mut constraints = Vec::new();
        for (position, &constraint) in circuit.constraints.iter().enumerate() {
            let (_, term) = self.define(SymbolKind::Constraint, position, constraint);
            constraints.push(term);
        }
        let holds: Vec<TermId> = constraints
            .iter()
            .copied()
            .filter(|&term| self.system.terms.as_truth(term) != Some(true))
            .collect();
        self.system.transition.extend(holds);
        for (position, &fairness) in circuit.fairness.iter().enumerate() {
            let (_, term) = self.define(SymbolKind::Fairness, position, fairness);
            self.system.justice.push(term);
        }
        let mut properties = Vec::new();
        let (kind, bad) = circuit.bad_states();
        for (position, &bad) in bad.iter().enumerate() {
            let (name, term) = self.define(kind, position, bad);
            let met = self.system.terms.and(constraints.iter().copied().chain([term]));
            properties.push(Property {
                text: format!("!{}", written(&name)),
                name: Some(name),
                logic: entail_logic::Logic::Invariant,
                question: Question::Invariant(self.system.terms.not(met)),
            });
        }
        let count = properties.len();
        for (position, conditions) in circuit.justice.iter().enumerate() {
            let name = self.name(SymbolKind::Justice, position as u32);
            let mut recurring = Vec::new();
            let mut texts = Vec::new();
            for (number, &condition) in conditions.iter().enumerate() {
                let term = self.term(condition);
                let part = self.unique(format!("{name}_{number}"));
                texts.push(format!("G F {}", written(&part)));
                self.system.defines.push(Define {
                    name: part.as_str().into(),
                    term,
                });
                recurring.push(Formula::atom(term).finally().globally());
            }
            let path = Formula::and(recurring);
            let text = if texts.is_empty() {
                "FALSE".to_owned()
            } else {
                format!("!({})", texts.join(" & "))
            };
            properties.push(Property {
                name: Some(name),
                text,
                logic: entail_logic::Logic::Ltl,
                question: Question::Formula(path.not().forall()),
            });
        }
        (properties, count)
    }
}

/// A name as formulas have it: in quotes if it is not an identifier.
fn written(name: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '#' | '.');
    if name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') && name.chars().all(plain) {
        name.to_owned()
    } else {
        format!("\"{name}\"")
    }
}
