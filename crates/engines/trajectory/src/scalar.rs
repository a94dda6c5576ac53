//! One valuation by itself: the values of all nodes, where they disagree with what is demanded, and where an X comes from.

use crate::functions::{Functions, Stop};
use crate::rails::{Compared, Rails, Watch, compare};
use entail_budget::Budget;
use entail_trajectories::{Assertion, Drive, Gate, Netlist, NodeId, Specification, Wire};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;

/// A value of three-valued simulation, or none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ternary {
    /// Unknown.
    X,
    /// 0.
    Zero,
    /// 1.
    One,
    /// Both: a contradiction.
    Contradiction,
}

impl Ternary {
    /// As people write it.
    pub fn letter(self) -> char {
        match self {
            Ternary::X => 'X',
            Ternary::Zero => '0',
            Ternary::One => '1',
            Ternary::Contradiction => '!',
        }
    }

    fn of(rails: &Rails<bool>) -> Ternary {
        match (rails.high, rails.low) {
            (true, true) => Ternary::X,
            (false, true) => Ternary::Zero,
            (true, false) => Ternary::One,
            (false, false) => Ternary::Contradiction,
        }
    }
}

/// Functions of variables whose values are known.
pub(crate) struct Constants<'v>(pub(crate) &'v [bool]);

impl Functions for Constants<'_> {
    type Function = bool;

    fn constant(&self, truth: bool) -> bool {
        truth
    }

    fn variable(&mut self, number: u32) -> Result<bool, Stop> {
        Ok(self.0.get(number as usize).copied().unwrap_or(false))
    }

    fn and(&mut self, a: &bool, b: &bool) -> Result<bool, Stop> {
        Ok(*a && *b)
    }

    fn not(&self, a: &bool) -> bool {
        !*a
    }
}

#[derive(Default)]
struct Record(FxHashMap<(u32, NodeId), Ternary>);

impl Watch<bool> for Record {
    fn value(&mut self, time: u32, node: NodeId, value: &Rails<bool>) {
        self.0.insert((time, node), Ternary::of(value));
    }
}

/// A node that does not have the value that is demanded of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Disagreement {
    /// The node.
    pub node: NodeId,
    /// When.
    pub time: u32,
    /// What is demanded.
    pub demanded: bool,
    /// What it is.
    pub found: Ternary,
}

/// The simulation of one valuation.
pub struct Valued<'a> {
    netlist: &'a Netlist,
    assertion: &'a Assertion,
    truths: Vec<bool>,
    values: FxHashMap<(u32, NodeId), Ternary>,
    compared: Compared<bool>,
}

impl<'a> Valued<'a> {
    /// Simulates a valuation of the variables; `weakens` says whether what the specification weakens is X.
    pub fn new(
        netlist: &'a Netlist,
        specification: &Specification,
        assertion: &'a Assertion,
        valuation: &[bool],
        weakens: bool,
    ) -> Option<Valued<'a>> {
        let mut record = Record::default();
        let budget = Budget::unlimited();
        let mut constants = Constants(valuation);
        let compared = compare(
            netlist,
            specification,
            assertion,
            &mut constants,
            weakens,
            &mut record,
            &budget,
        );
        Some(Valued {
            netlist,
            assertion,
            truths: specification.conditions.evaluate(valuation),
            values: record.0,
            compared: compared.ok()?,
        })
    }

    /// The value of a node at a time; X where it was not computed.
    pub fn value(&self, time: u32, node: NodeId) -> Ternary {
        self.values.get(&(time, node)).copied().unwrap_or(Ternary::X)
    }

    /// Whether the valuation counts: the assumption allows it, and nothing contradicts the antecedent.
    pub fn counts(&self) -> bool {
        self.compared.assumption && !self.compared.failure
    }

    /// The earliest node with the other value than the demanded one, or, without one, the earliest X where a value is demanded.
    pub fn disagreement(&self) -> Option<Disagreement> {
        let wrong = self.assertion.consequent.iter().filter_map(|drive| {
            let demanded = self.demanded(drive)?;
            let found = self.value(drive.time, drive.node);
            let agrees = matches!((demanded, found), (true, Ternary::One) | (false, Ternary::Zero));
            (!agrees).then_some(Disagreement {
                node: drive.node,
                time: drive.time,
                demanded,
                found,
            })
        });
        wrong.min_by_key(|wrong| (wrong.found == Ternary::X, wrong.time, wrong.node))
    }

    /// The value that a drive speaks of, where its guard is true.
    fn demanded(&self, drive: &Drive) -> Option<bool> {
        let truth = |id: entail_trajectories::ConditionId| self.truths[id.index()];
        truth(drive.guard).then(|| truth(drive.value))
    }

    /// Where an X comes from: inputs and first values of registers that nothing drives, or nodes that are X only because they are weakened; at most so many, the nearest first.
    pub fn sources(&self, time: u32, node: NodeId, most: usize) -> Vec<(u32, NodeId)> {
        let mut open = VecDeque::from([(time, node)]);
        let mut seen: FxHashSet<(u32, NodeId)> = FxHashSet::default();
        let mut found = Vec::new();
        while let Some((time, node)) = open.pop_front() {
            if !seen.insert((time, node)) || found.len() >= most {
                continue;
            }
            let x_of = |time: u32, wire: Wire| {
                let at = (time, wire.node);
                (self.value(at.0, at.1) == Ternary::X).then_some(at)
            };
            let behind: Vec<(u32, NodeId)> = match self.netlist.gate(node) {
                Gate::And(a, b) => [a, b].into_iter().filter_map(|wire| x_of(time, wire)).collect(),
                Gate::Copy(a) => x_of(time, a).into_iter().collect(),
                Gate::Register(Some(next)) if time > 0 => x_of(time - 1, next).into_iter().collect(),
                _ => Vec::new(),
            };
            match behind.is_empty() {
                true => found.push((time, node)),
                false => open.extend(behind),
            }
        }
        found
    }
}
