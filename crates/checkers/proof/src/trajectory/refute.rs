//! Refuting the negated comparison of an assertion.
//!
//! A node at a time is a pair of literals: it is known to be 1, it is known to be 0. An input knows nothing; AND is known to be 1 if both inputs are, and 0 if one is; what is driven is known besides. The pairs
//! are made on demand, from the nodes that are demanded, back through gates and time. For each demanded value it is refuted that the assumption holds and the value is not known: by decision diagrams of the checker's own as long as
//! they are small, otherwise by a solver whose proof is checked; where that cannot be refuted, with the further assumption that nothing driven is known to be both.

use super::conditions::Literals;
use crate::gates::{Form, Gates};
use crate::induction::Refusal;
use crate::solver::{Lit, NoAnswer};
use entail_budget::Budget;
use entail_trajectories::{
    Assertion, ConditionId, Drive, Gate, Netlist, NodeId, Relation, Specification, Wire,
};
use rustc_hash::FxHashMap;

/// What is known of a value.
#[derive(Clone, Copy)]
struct Known {
    one: Lit,
    zero: Lit,
}

type Place = (NodeId, u32);

struct Encoding<'e> {
    claim: &'e Claim<'e>,
    gates: Gates,
    literals: Literals,
    known: FxHashMap<Place, Known>,
}

/// Accepts the claim that an assertion holds.
pub fn check_assertion(
    netlist: &Netlist,
    specification: &Specification,
    assertion: &Assertion,
    budget: &Budget,
) -> Result<(), Refusal> {
    let claim = Claim::new(netlist, specification, assertion);
    let open = claim.not_seen_by_diagrams(budget)?;
    claim.refute(&open, budget)?;
    match &assertion.relation {
        None => Ok(()),
        Some(relation) => claim.check_relation(relation, budget),
    }
}

/// The demanded values of an assertion of which small diagrams do not tell that they are known.
pub(super) fn unseen(
    netlist: &Netlist,
    specification: &Specification,
    assertion: &Assertion,
    budget: &Budget,
) -> Result<Vec<Drive>, Refusal> {
    Claim::new(netlist, specification, assertion).not_seen_by_diagrams(budget)
}

/// What is judged.
struct Claim<'c> {
    netlist: &'c Netlist,
    specification: &'c Specification,
    assertion: &'c Assertion,
    driven: FxHashMap<Place, Vec<Drive>>,
}

/// Demanded values whose diagrams are too large before diagrams are given up.
const MOST_FAILURES: usize = 4;

impl<'c> Claim<'c> {
    fn new(netlist: &'c Netlist, specification: &'c Specification, assertion: &'c Assertion) -> Claim<'c> {
        let mut driven: FxHashMap<Place, Vec<Drive>> = FxHashMap::default();
        for drive in &assertion.antecedent {
            driven.entry((drive.node, drive.time)).or_default().push(*drive);
        }
        Claim {
            netlist,
            specification,
            assertion,
            driven,
        }
    }

    fn encoding(&self, form: Form) -> Encoding<'_> {
        let mut encoding = Encoding {
            claim: self,
            gates: Gates::in_form(form),
            literals: Literals::default(),
            known: FxHashMap::default(),
        };
        let assumption = encoding.condition(self.assertion.assumption);
        encoding.gates.require(assumption);
        encoding
    }

    /// The demanded values of which small diagrams do not tell that they are known. Values share diagrams as long as these stay small.
    fn not_seen_by_diagrams(&self, budget: &Budget) -> Result<Vec<Drive>, Refusal> {
        let mut open = Vec::new();
        let mut failures = 0;
        let mut encoding = self.encoding(Form::Diagrams);
        for drive in &self.assertion.consequent {
            if failures > MOST_FAILURES {
                open.push(*drive);
                continue;
            }
            let mut told = encoding.misses(drive, budget);
            if matches!(told, Err(NoAnswer::TooLarge)) {
                encoding = self.encoding(Form::Diagrams);
                told = encoding.misses(drive, budget);
            }
            match told {
                Ok(false) => {}
                Ok(true) => open.push(*drive),
                Err(NoAnswer::TooLarge) => {
                    failures += 1;
                    encoding = self.encoding(Form::Diagrams);
                    open.push(*drive);
                }
                Err(other) => return Err(other.into()),
            }
        }
        Ok(open)
    }

    /// Refutes that a relation is false of values that agree with what is known.
    fn check_relation(&self, relation: &Relation, budget: &Budget) -> Result<(), Refusal> {
        let mut encoding = self.encoding(Form::Clauses);
        for sample in &relation.samples {
            let known = encoding.known((sample.node, sample.time), budget)?;
            let value = encoding.literals.variable(&mut encoding.gates, sample.variable);
            encoding.gates.clause(&[!known.one, value]);
            encoding.gates.clause(&[!known.zero, !value]);
        }
        // (Where something driven is known to be both, there is no trajectory.)
        encoding.exclude_contradictions(budget)?;
        let formula = encoding.condition(relation.formula);
        match encoding.gates.satisfiable(&[!formula], budget)? {
            true => Err(Refusal::Comparison),
            false => Ok(()),
        }
    }

    /// Refutes of each of some demanded values that it is not known, with proofs that are checked.
    fn refute(&self, demanded: &[Drive], budget: &Budget) -> Result<(), Refusal> {
        let mut encoding = self.encoding(Form::Clauses);
        let mut open = Vec::new();
        for drive in demanded {
            if encoding.misses(drive, budget)? {
                open.push(*drive);
            }
        }
        if open.is_empty() {
            return Ok(());
        }
        // What is missed may be so only where the antecedent contradicts itself or the circuit.
        encoding.exclude_contradictions(budget)?;
        for drive in &open {
            if encoding.misses(drive, budget)? {
                return Err(Refusal::Comparison);
            }
        }
        Ok(())
    }
}

impl Encoding<'_> {
    fn condition(&mut self, id: ConditionId) -> Lit {
        let conditions = &self.claim.specification.conditions;
        self.literals.condition(&mut self.gates, conditions, id)
    }

    /// Nothing driven is known to be both.
    fn exclude_contradictions(&mut self, budget: &Budget) -> Result<(), NoAnswer> {
        for drive in &self.claim.assertion.antecedent {
            let known = self.known((drive.node, drive.time), budget)?;
            let both = self.gates.and(known.one, known.zero);
            self.gates.require(!both);
        }
        Ok(())
    }

    /// Whether a demanded value may be unknown.
    fn misses(&mut self, drive: &Drive, budget: &Budget) -> Result<bool, NoAnswer> {
        let known = self.known((drive.node, drive.time), budget)?;
        let [one, zero] = self.said(drive);
        let missed = [self.gates.and(one, !known.one), self.gates.and(zero, !known.zero)];
        for missed in missed {
            if self.gates.satisfiable(&[missed], budget)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Where a drive says 1, and where it says 0.
    fn said(&mut self, drive: &Drive) -> [Lit; 2] {
        let guard = self.condition(drive.guard);
        let value = self.condition(drive.value);
        [self.gates.and(guard, value), self.gates.and(guard, !value)]
    }

    /// The places that the value at a place is made of.
    fn operands(&self, (node, time): Place) -> Vec<(Wire, u32)> {
        match self.claim.netlist.gate(node) {
            Gate::And(a, b) => vec![(a, time), (b, time)],
            Gate::Copy(a) => vec![(a, time)],
            Gate::Register(Some(next)) if time > 0 => vec![(next, time - 1)],
            _ => Vec::new(),
        }
    }

    /// What is known at a place.
    fn known(&mut self, place: Place, budget: &Budget) -> Result<Known, NoAnswer> {
        let mut open = vec![place];
        while let Some(&next) = open.last() {
            budget.check().map_err(NoAnswer::Spent)?;
            if self.known.contains_key(&next) {
                open.pop();
                continue;
            }
            let operands = self.operands(next);
            let missing: Vec<Place> = operands
                .iter()
                .map(|&(wire, time)| (wire.node, time))
                .filter(|place| !self.known.contains_key(place))
                .collect();
            if !missing.is_empty() {
                open.extend(missing);
                continue;
            }
            let known = self.combined(next, &operands);
            self.known.insert(next, known);
            open.pop();
        }
        Ok(self.known[&place])
    }

    fn combined(&mut self, place: Place, operands: &[(Wire, u32)]) -> Known {
        let read = |encoding: &Self, &(wire, time): &(Wire, u32)| {
            let Known { one, zero } = encoding.known[&(wire.node, time)];
            match wire.negated {
                true => Known { one: zero, zero: one },
                false => Known { one, zero },
            }
        };
        let inputs: Vec<Known> = operands.iter().map(|operand| read(self, operand)).collect();
        let never = self.gates.constant(false);
        let is_zero = self.claim.netlist.gate(place.0) == Gate::Zero;
        let mut ones = Vec::new();
        let mut zeros = vec![self.gates.constant(is_zero)];
        if !inputs.is_empty() {
            ones.push(self.gates.all(inputs.iter().map(|input| input.one)));
            zeros.extend(inputs.iter().map(|input| input.zero));
        } else {
            ones.push(never);
        }
        for drive in self.claim.driven.get(&place).cloned().unwrap_or_default() {
            let [one, zero] = self.said(&drive);
            ones.push(one);
            zeros.push(zero);
        }
        Known {
            one: self.gates.any(ones),
            zero: self.gates.any(zeros),
        }
    }
}
