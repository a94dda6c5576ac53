//! Judging assertions that follow from others: by the rules of section 25.8.1, or from an assertion about indices.
//!
//! A derivation is walked from its end to its premises with an *environment*, a literal for each symbolic variable, and a time: substitution changes the environment in which what lies before is read, a shift
//! the time. What is met at the premises so stands in the variables of the end already, as pairs of literals, *said to be 1* and *said to be 0*. The condition of each rule is refuted to be violated,
//! by a solver whose proof is checked. That the premises hold is judged elsewhere.
//!
//! An indexed form is an assertion of its own, judged as any other, together with a function for each index: read in the environment of these functions it is to say no less than what it proves. What relation it came from does not matter.

use super::conditions::{Literals, as_conditions};
use super::refute::check_assertion;
use crate::gates::Gates;
use crate::induction::Refusal;
use crate::solver::Lit;
use entail_budget::Budget;
use entail_trajectories::{
    Assertion, ConditionId, Derivation, Drive, IndexedForm, Method, Netlist, NodeId, Specification,
};
use rustc_hash::FxHashMap;

const GAP: Refusal = Refusal::Underived("a rule needs what is not said before");
const MALFORMED: Refusal = Refusal::Underived("it is no assertion about this circuit");

/// What is said of a node at a time.
#[derive(Clone, Copy)]
struct Said {
    place: (NodeId, u32),
    one: Lit,
    zero: Lit,
}

/// An assertion in the variables of the end.
#[derive(Clone)]
struct Read {
    assumption: Lit,
    antecedent: Vec<Said>,
    consequent: Vec<Said>,
}

/// Accepts the claim that an assertion follows from its premises, if these hold.
pub fn check_derivation(
    specification: &Specification,
    position: usize,
    derivation: &Derivation,
    budget: &Budget,
) -> Result<(), Refusal> {
    // A premise comes before what it proves, so nothing proves itself.
    if derivation.premises().iter().any(|&premise| premise >= position) {
        return Err(MALFORMED);
    }
    let assertion = specification.assertions.get(position).ok_or(MALFORMED)?;
    let mut judge = Judge::new(specification, budget);
    let mut outermost = judge.outermost();
    let stated = judge.read(assertion, &mut outermost, 0);
    let derived = judge.conclusion(derivation, &mut outermost, 0)?;
    judge.follows(&stated, &derived)
}

/// Accepts the claim that an assertion follows from one about indices, which is judged as well.
pub fn check_indexed(
    netlist: &Netlist,
    specification: &Specification,
    assertion: &Assertion,
    form: &IndexedForm,
    budget: &Budget,
) -> Result<(), Refusal> {
    if assertion.relation.is_some() {
        return Err(MALFORMED);
    }
    let mut extended = specification.clone();
    let variables = specification.variables();
    let made = as_conditions(&mut extended.conditions, &form.functions, variables).ok_or(MALFORMED)?;
    let function = |number: u32| made.get(number as usize).copied().ok_or(MALFORMED);
    let side = |list: &[(u32, u32, u32, u32)]| -> Result<Vec<Drive>, Refusal> {
        let mut drives = Vec::with_capacity(2 * list.len());
        for &(node, time, one, zero) in list {
            if node as usize >= netlist.len() || time > assertion.depth() {
                return Err(MALFORMED);
            }
            for (guard, value) in [(one, ConditionId::TRUE), (zero, ConditionId::FALSE)] {
                let (node, guard) = (NodeId(node), function(guard)?);
                drives.push(Drive {
                    node,
                    time,
                    guard,
                    value,
                });
            }
        }
        Ok(drives)
    };
    let about_indices = Assertion {
        assumption: ConditionId::TRUE,
        antecedent: side(&form.antecedent)?,
        consequent: side(&form.consequent)?,
        is_indexed: false,
        relation: None,
        method: Method::Simulation,
        ..assertion.clone()
    };
    check_assertion(netlist, &extended, &about_indices, budget)?;
    let mut judge = Judge::new(&extended, budget);
    let mut outermost = judge.outermost();
    let stated = judge.read(assertion, &mut outermost, 0);
    let mut chosen = outermost.clone();
    chosen.forget_conditions();
    for &(index, choice) in &form.choice {
        if index as usize >= variables {
            return Err(MALFORMED);
        }
        let choice = judge.condition(&mut outermost, function(choice)?);
        chosen.set_variable(index, choice);
    }
    let derived = judge.read(&about_indices, &mut chosen, 0);
    judge.follows(&stated, &derived)
}

struct Judge<'j> {
    specification: &'j Specification,
    budget: &'j Budget,
    gates: Gates,
}

impl<'j> Judge<'j> {
    fn new(specification: &'j Specification, budget: &'j Budget) -> Judge<'j> {
        Judge {
            specification,
            budget,
            gates: Gates::new(),
        }
    }

    /// The environment of the end: a literal of its own for each variable.
    fn outermost(&mut self) -> Literals {
        let mut literals = Literals::default();
        for number in 0..self.specification.variables() as u32 {
            literals.variable(&mut self.gates, number);
        }
        literals
    }

    fn condition(&mut self, environment: &mut Literals, id: ConditionId) -> Lit {
        environment.condition(&mut self.gates, &self.specification.conditions, id)
    }

    fn drives(&mut self, drives: &[Drive], environment: &mut Literals, later: u32) -> Vec<Said> {
        let mut all = Vec::with_capacity(drives.len());
        for drive in drives {
            let guard = self.condition(environment, drive.guard);
            let value = self.condition(environment, drive.value);
            all.push(Said {
                place: (drive.node, drive.time.saturating_add(later)),
                one: self.gates.and(guard, value),
                zero: self.gates.and(guard, !value),
            });
        }
        all
    }

    fn read(&mut self, assertion: &Assertion, environment: &mut Literals, later: u32) -> Read {
        Read {
            assumption: self.condition(environment, assertion.assumption),
            antecedent: self.drives(&assertion.antecedent, environment, later),
            consequent: self.drives(&assertion.consequent, environment, later),
        }
    }

    /// What a derivation concludes, read in an environment and so much later.
    fn conclusion(
        &mut self,
        derivation: &Derivation,
        environment: &mut Literals,
        later: u32,
    ) -> Result<Read, Refusal> {
        let mut each = |judge: &mut Self, parts: &[Derivation]| {
            let read = |part| judge.conclusion(part, environment, later);
            parts.iter().map(read).collect::<Result<Vec<Read>, Refusal>>()
        };
        match derivation {
            Derivation::Conjunction(parts) => {
                let parts = each(self, parts)?;
                Ok(self.joined(parts))
            }
            Derivation::Cases(parts) => {
                let mut parts = each(self, parts)?;
                for part in &mut parts {
                    for said in part.antecedent.iter_mut().chain(&mut part.consequent) {
                        said.one = self.gates.and(part.assumption, said.one);
                        said.zero = self.gates.and(part.assumption, said.zero);
                    }
                    part.assumption = self.gates.constant(true);
                }
                Ok(self.joined(parts))
            }
            Derivation::Transitivity(parts) => {
                let mut parts = each(self, parts)?.into_iter();
                let Some(mut whole) = parts.next() else {
                    return Err(MALFORMED);
                };
                for next in parts {
                    whole.assumption = self.gates.and(whole.assumption, next.assumption);
                    let before: Vec<Said> = whole
                        .antecedent
                        .iter()
                        .chain(&whole.consequent)
                        .copied()
                        .collect();
                    self.covers(whole.assumption, &before, &next.antecedent)?;
                    whole.consequent.extend(next.consequent);
                }
                Ok(whole)
            }
            Derivation::Premise(position) => {
                let premise = self.specification.assertions.get(*position).ok_or(MALFORMED)?;
                match premise.relation.is_some() {
                    true => Err(MALFORMED),
                    false => Ok(self.read(premise, environment, later)),
                }
            }
            Derivation::Reflexivity(drives) => {
                let said = self.drives(drives, environment, later);
                Ok(Read {
                    assumption: self.gates.constant(true),
                    antecedent: said.clone(),
                    consequent: said,
                })
            }
            Derivation::Shift(steps, inner) => {
                let later = later.checked_add(*steps).ok_or(MALFORMED)?;
                self.conclusion(inner, environment, later)
            }
            Derivation::Substitution(pairs, inner) => {
                let mut inside = environment.clone();
                inside.forget_conditions();
                for &(variable, condition) in pairs {
                    let value = self.condition(environment, condition);
                    inside.set_variable(variable, value);
                }
                self.conclusion(inner, &mut inside, later)
            }
            Derivation::Consequence(statement, inner) => {
                let derived = self.conclusion(inner, environment, later)?;
                let stated = Read {
                    assumption: self.condition(environment, statement.assumption),
                    antecedent: self.drives(&statement.antecedent, environment, later),
                    consequent: self.drives(&statement.consequent, environment, later),
                };
                self.follows(&stated, &derived)?;
                Ok(stated)
            }
        }
    }

    fn joined(&mut self, parts: Vec<Read>) -> Read {
        let assumption = self.gates.all(parts.iter().map(|part| part.assumption));
        let mut whole = Read {
            assumption,
            antecedent: Vec::new(),
            consequent: Vec::new(),
        };
        for part in parts {
            whole.antecedent.extend(part.antecedent);
            whole.consequent.extend(part.consequent);
        }
        whole
    }

    /// Accepts that what is stated says no more than what is derived.
    fn follows(&mut self, stated: &Read, derived: &Read) -> Result<(), Refusal> {
        if self
            .gates
            .satisfiable(&[stated.assumption, !derived.assumption], self.budget)?
        {
            return Err(GAP);
        }
        self.covers(stated.assumption, &stated.antecedent, &derived.antecedent)?;
        let known: Vec<Said> = stated
            .antecedent
            .iter()
            .chain(&derived.consequent)
            .copied()
            .collect();
        self.covers(stated.assumption, &known, &stated.consequent)
    }

    /// Accepts that wherever something is assumed, what is known contradicts itself or says all that is wanted.
    fn covers(&mut self, assumed: Lit, known: &[Said], wanted: &[Said]) -> Result<(), Refusal> {
        let mut places: FxHashMap<(NodeId, u32), (Vec<Lit>, Vec<Lit>)> = FxHashMap::default();
        for said in known {
            let place = places.entry(said.place).or_default();
            place.0.push(said.one);
            place.1.push(said.zero);
        }
        let mut contradictions = None;
        for said in wanted {
            let (ones, zeros) = places.get(&said.place).cloned().unwrap_or_default();
            let (one, zero) = (self.gates.any(ones), self.gates.any(zeros));
            for missed in [[said.one, !one], [said.zero, !zero]] {
                let question = [assumed, missed[0], missed[1]];
                if !self.gates.satisfiable(&question, self.budget)? {
                    continue;
                }
                // Only where what is known contradicts itself: there is no trajectory then.
                let consistent = *contradictions.get_or_insert_with(|| {
                    let both: Vec<Lit> = (places.values())
                        .map(|(ones, zeros)| {
                            let (one, zero) = (self.gates.any(ones.clone()), self.gates.any(zeros.clone()));
                            !self.gates.and(one, zero)
                        })
                        .collect();
                    self.gates.all(both)
                });
                let question = [assumed, missed[0], missed[1], consistent];
                if self.gates.satisfiable(&question, self.budget)? {
                    return Err(GAP);
                }
            }
        }
        Ok(())
    }
}
