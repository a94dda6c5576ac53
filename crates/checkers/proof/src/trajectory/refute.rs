//! Refuting the negated comparison of an assertion.
//!
//! A node at a time is a pair of literals: it is known to be 1, it is known to be 0. An input knows nothing; AND is known to be 1 if both inputs are, and 0 if one is; what is driven is known besides. The pairs
//! are made on demand, from the nodes that are demanded or driven, back through gates and time. Satisfiable would be: the assumption holds, nothing driven is known to be both, and something demanded
//! is not known.

use crate::gates::Gates;
use crate::induction::Refusal;
use crate::solver::Lit;
use entail_budget::Budget;
use entail_trajectories::{
    Assertion, Condition, ConditionId, Drive, Gate, Netlist, NodeId, Specification, Wire,
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
    netlist: &'e Netlist,
    specification: &'e Specification,
    gates: Gates,
    variables: FxHashMap<u32, Lit>,
    conditions: FxHashMap<ConditionId, Lit>,
    driven: FxHashMap<Place, Vec<Drive>>,
    known: FxHashMap<Place, Known>,
}

/// Accepts the claim that an assertion holds.
pub fn check_assertion(
    netlist: &Netlist,
    specification: &Specification,
    assertion: &Assertion,
    budget: &Budget,
) -> Result<(), Refusal> {
    let mut driven: FxHashMap<Place, Vec<Drive>> = FxHashMap::default();
    for drive in &assertion.antecedent {
        driven.entry((drive.node, drive.time)).or_default().push(*drive);
    }
    let mut encoding = Encoding {
        netlist,
        specification,
        gates: Gates::new(),
        variables: FxHashMap::default(),
        conditions: FxHashMap::default(),
        driven,
        known: FxHashMap::default(),
    };
    let assumption = encoding.condition(assertion.assumption);
    encoding.gates.require(assumption);
    for drive in &assertion.antecedent {
        let known = encoding.known((drive.node, drive.time), budget)?;
        let both = encoding.gates.and(known.one, known.zero);
        encoding.gates.require(!both);
    }
    let mut missed = Vec::with_capacity(assertion.consequent.len());
    for drive in &assertion.consequent {
        let known = encoding.known((drive.node, drive.time), budget)?;
        let [one, zero] = encoding.said(drive);
        missed.push(encoding.gates.and(one, !known.one));
        missed.push(encoding.gates.and(zero, !known.zero));
    }
    let some = encoding.gates.any(missed);
    match encoding.gates.satisfiable(&[some], budget)? {
        true => Err(Refusal::Comparison),
        false => Ok(()),
    }
}

impl Encoding<'_> {
    fn condition(&mut self, id: ConditionId) -> Lit {
        let mut open = vec![(id, false)];
        while let Some((id, ready)) = open.pop() {
            if self.conditions.contains_key(&id) {
                continue;
            }
            let condition = self.specification.conditions.get(id);
            let of = |encoding: &Self, id: ConditionId| encoding.conditions[&id];
            let literal = match condition {
                Condition::Constant(truth) => self.gates.constant(truth),
                Condition::Variable(number) => {
                    let gates = &mut self.gates;
                    *self.variables.entry(number).or_insert_with(|| gates.fresh())
                }
                Condition::Not(a) if ready => !of(self, a),
                Condition::And(a, b) if ready => {
                    let (a, b) = (of(self, a), of(self, b));
                    self.gates.and(a, b)
                }
                Condition::Xor(a, b) if ready => {
                    let (a, b) = (of(self, a), of(self, b));
                    self.gates.xor(a, b)
                }
                Condition::Not(a) => {
                    open.extend([(id, true), (a, false)]);
                    continue;
                }
                Condition::And(a, b) | Condition::Xor(a, b) => {
                    open.extend([(id, true), (a, false), (b, false)]);
                    continue;
                }
            };
            self.conditions.insert(id, literal);
        }
        self.conditions[&id]
    }

    /// Where a drive says 1, and where it says 0.
    fn said(&mut self, drive: &Drive) -> [Lit; 2] {
        let guard = self.condition(drive.guard);
        let value = self.condition(drive.value);
        [self.gates.and(guard, value), self.gates.and(guard, !value)]
    }

    /// The places that the value at a place is made of.
    fn operands(&self, (node, time): Place) -> Vec<(Wire, u32)> {
        match self.netlist.gate(node) {
            Gate::And(a, b) => vec![(a, time), (b, time)],
            Gate::Copy(a) => vec![(a, time)],
            Gate::Register(Some(next)) if time > 0 => vec![(next, time - 1)],
            _ => Vec::new(),
        }
    }

    /// What is known at a place.
    fn known(&mut self, place: Place, budget: &Budget) -> Result<Known, Refusal> {
        let mut open = vec![place];
        while let Some(&next) = open.last() {
            budget.check().map_err(Refusal::Spent)?;
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
        let is_zero = self.netlist.gate(place.0) == Gate::Zero;
        let mut ones = Vec::new();
        let mut zeros = vec![self.gates.constant(is_zero)];
        if !inputs.is_empty() {
            ones.push(self.gates.all(inputs.iter().map(|input| input.one)));
            zeros.extend(inputs.iter().map(|input| input.zero));
        } else {
            ones.push(never);
        }
        for drive in self.driven.get(&place).cloned().unwrap_or_default() {
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
