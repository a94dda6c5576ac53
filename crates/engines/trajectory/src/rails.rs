//! The defining trajectory of an antecedent, symbolically (section 25.6): a pair of functions for each node and time.
//!
//! The first says where the node *may be 1*, the second where it *may be 0*: X is (true, true), 0 is (false, true), 1 is (true, false), and (false, false) is a contradiction. AND is (both, either),
//! an inverter exchanges the two, the join of two values is the conjunction of both. Contradictions arise only where something is driven, so only there they are looked for.
//!
//! Cost: two operations on functions for each gate and time; values of one time are dropped when the next is computed.

use crate::functions::{Functions, Stop, Translated};
use crate::schedule::{Frame, frames};
use entail_budget::Budget;
use entail_trajectories::{
    Assertion, ConditionId, Drive, Gate, Netlist, NodeId, Specification, Weakening, Wire,
};
use rustc_hash::FxHashMap;

/// A value: where it may be 1, and where it may be 0.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Rails<F> {
    pub(crate) high: F,
    pub(crate) low: F,
}

impl<F> Rails<F> {
    /// The value behind a wire, or before it.
    pub(crate) fn through(self, wire: Wire) -> Rails<F> {
        match wire.negated {
            true => Rails {
                high: self.low,
                low: self.high,
            },
            false => self,
        }
    }
}

/// What the comparison of an assertion with a netlist gives, as functions of the variables.
#[derive(Clone, Debug)]
pub(crate) struct Compared<F> {
    /// What is assumed.
    pub(crate) assumption: F,
    /// The antecedent contradicts itself.
    pub(crate) contradiction: F,
    /// The antecedent contradicts itself or the netlist.
    pub(crate) failure: F,
    /// Somewhere the other value than the demanded one stands.
    pub(crate) conflict: F,
    /// Somewhere an X stands where a value is demanded.
    pub(crate) weak: F,
    /// Gates times steps.
    pub(crate) gates: u64,
}

/// What is told of values while they are computed.
pub(crate) trait Watch<F> {
    /// A node has this value at this time.
    fn value(&mut self, time: u32, node: NodeId, value: &Rails<F>);
}

/// Nobody wants to know.
pub(crate) struct Nobody;

impl<F> Watch<F> for Nobody {
    fn value(&mut self, _: u32, _: NodeId, _: &Rails<F>) {}
}

struct Simulation<'s, F: Functions> {
    functions: &'s mut F,
    conditions: Translated<'s, F>,
    /// What is forgotten of each node.
    weakenings: FxHashMap<NodeId, Vec<&'s Weakening>>,
}

/// Simulates a netlist under an antecedent and compares with the consequent. Without `weakens`, weakenings are left out.
pub(crate) fn compare<F: Functions>(
    netlist: &Netlist,
    specification: &Specification,
    assertion: &Assertion,
    functions: &mut F,
    weakens: bool,
    watch: &mut impl Watch<F::Function>,
    budget: &Budget,
) -> Result<Compared<F::Function>, Stop> {
    let nothing = functions.constant(false);
    let mut weakenings: FxHashMap<NodeId, Vec<&Weakening>> = FxHashMap::default();
    for weakening in specification.weakenings.iter().filter(|_| weakens) {
        for node in &weakening.nodes {
            weakenings.entry(*node).or_default().push(weakening);
        }
    }
    let mut simulation = Simulation {
        conditions: Translated::new(&specification.conditions),
        functions,
        weakenings,
    };
    let mut compared = Compared {
        assumption: simulation.condition(assertion.assumption)?,
        contradiction: nothing.clone(),
        failure: nothing.clone(),
        conflict: nothing.clone(),
        weak: nothing,
        gates: 0,
    };
    let mut before: Vec<Option<Rails<F::Function>>> = Vec::new();
    for (time, frame) in frames(netlist, assertion).iter().enumerate() {
        let mut now: Vec<Option<Rails<F::Function>>> = vec![None; netlist.len()];
        for &node in &frame.nodes {
            budget.check()?;
            let value = simulation.gate(netlist.gate(node), &now, &before)?;
            let value = simulation.weakened(node, time as u32, value)?;
            let value = simulation.joined(node, frame, value, &mut compared)?;
            watch.value(time as u32, node, &value);
            now[node.index()] = Some(value);
        }
        compared.gates += frame.nodes.len() as u64;
        simulation.demand(frame, &now, &mut compared)?;
        before = now;
    }
    Ok(compared)
}

impl<F: Functions> Simulation<'_, F> {
    fn condition(&mut self, id: ConditionId) -> Result<F::Function, Stop> {
        self.conditions.get(self.functions, id)
    }

    fn unknown(&self) -> Rails<F::Function> {
        Rails {
            high: self.functions.constant(true),
            low: self.functions.constant(true),
        }
    }

    fn wire(&self, wire: Wire, values: &[Option<Rails<F::Function>>]) -> Rails<F::Function> {
        let value = values.get(wire.node.index()).cloned().flatten();
        value.unwrap_or_else(|| self.unknown()).through(wire)
    }

    fn gate(
        &mut self,
        gate: Gate,
        now: &[Option<Rails<F::Function>>],
        before: &[Option<Rails<F::Function>>],
    ) -> Result<Rails<F::Function>, Stop> {
        Ok(match gate {
            Gate::Zero => Rails {
                high: self.functions.constant(false),
                low: self.functions.constant(true),
            },
            Gate::Input | Gate::Register(None) => self.unknown(),
            Gate::Register(Some(next)) => self.wire(next, before),
            Gate::Copy(a) => self.wire(a, now),
            Gate::And(a, b) => {
                let (a, b) = (self.wire(a, now), self.wire(b, now));
                Rails {
                    high: self.functions.and(&a.high, &b.high)?,
                    low: self.functions.or(&a.low, &b.low)?,
                }
            }
        })
    }

    /// The value with what the weakenings forget.
    fn weakened(
        &mut self,
        node: NodeId,
        time: u32,
        mut value: Rails<F::Function>,
    ) -> Result<Rails<F::Function>, Stop> {
        for weakening in self.weakenings.get(&node).cloned().unwrap_or_default() {
            if weakening.from <= time && weakening.to.is_none_or(|to| time < to) {
                let guard = self.condition(weakening.guard)?;
                value.high = self.functions.or(&value.high, &guard)?;
                value.low = self.functions.or(&value.low, &guard)?;
            }
        }
        if self.functions.is_too_large(&value.high) || self.functions.is_too_large(&value.low) {
            return Ok(self.unknown());
        }
        Ok(value)
    }

    /// Where a drive says 1, and where it says 0.
    fn said(&mut self, drive: &Drive) -> Result<[F::Function; 2], Stop> {
        let (guard, value) = (self.condition(drive.guard)?, self.condition(drive.value)?);
        let one = self.functions.and(&guard, &value)?;
        let zero = self.functions.and(&guard, &self.functions.not(&value))?;
        Ok([one, zero])
    }

    /// The value joined with what drives the node; contradictions are noted.
    fn joined(
        &mut self,
        node: NodeId,
        frame: &Frame,
        mut value: Rails<F::Function>,
        compared: &mut Compared<F::Function>,
    ) -> Result<Rails<F::Function>, Stop> {
        let Some(drives) = frame.driven.get(&node) else {
            return Ok(value);
        };
        let mut alone = self.unknown();
        for drive in drives {
            let [one, zero] = self.said(drive)?;
            alone.high = self.functions.and(&alone.high, &self.functions.not(&zero))?;
            alone.low = self.functions.and(&alone.low, &self.functions.not(&one))?;
        }
        value.high = self.functions.and(&value.high, &alone.high)?;
        value.low = self.functions.and(&value.low, &alone.low)?;
        let possible = self.functions.or(&alone.high, &alone.low)?;
        let contradiction = self.functions.not(&possible);
        compared.contradiction = self.functions.or(&compared.contradiction, &contradiction)?;
        let possible = self.functions.or(&value.high, &value.low)?;
        let failure = self.functions.not(&possible);
        compared.failure = self.functions.or(&compared.failure, &failure)?;
        Ok(value)
    }

    /// Compares the values of a time with what is demanded then.
    fn demand(
        &mut self,
        frame: &Frame,
        now: &[Option<Rails<F::Function>>],
        compared: &mut Compared<F::Function>,
    ) -> Result<(), Stop> {
        let mut demanded: Vec<(&NodeId, &Vec<Drive>)> = frame.demanded.iter().collect();
        demanded.sort_unstable_by_key(|(node, _)| **node);
        for (&node, drives) in demanded {
            let value = self.wire(Wire::of(node), now);
            let unknown = self.functions.and(&value.high, &value.low)?;
            for drive in drives {
                let [one, zero] = self.said(drive)?;
                let not_one = self.functions.and(&one, &self.functions.not(&value.high))?;
                let not_zero = self.functions.and(&zero, &self.functions.not(&value.low))?;
                let other = self.functions.or(&not_one, &not_zero)?;
                compared.conflict = self.functions.or(&compared.conflict, &other)?;
                let asked = self.functions.or(&one, &zero)?;
                let weak = self.functions.and(&asked, &unknown)?;
                compared.weak = self.functions.or(&compared.weak, &weak)?;
            }
        }
        Ok(())
    }
}
