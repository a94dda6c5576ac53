//! Diagrams as evidence: every function that is met gets a number, its cofactors before it.

use super::step::{Cone, State};
use entail_dd::{Bdd, FunctionId, Var};
use entail_trajectories::StateSet;
use rustc_hash::FxHashMap;

/// Functions that were written down.
pub(crate) struct Record<'r> {
    /// The number of each variable of the manager in the specification.
    pub(crate) numbers: &'r FxHashMap<Var, u32>,
    pub(crate) functions: Vec<(u32, u32, u32)>,
    known: FxHashMap<FunctionId, u32>,
}

impl<'r> Record<'r> {
    pub(crate) fn new(numbers: &'r FxHashMap<Var, u32>) -> Record<'r> {
        Record {
            numbers,
            functions: Vec::new(),
            known: FxHashMap::default(),
        }
    }

    /// The number of a function.
    pub(crate) fn number(&mut self, function: &Bdd) -> u32 {
        let mut open = vec![function.clone()];
        while let Some(next) = open.last().cloned() {
            if self.numbered(&next).is_some() {
                open.pop();
                continue;
            }
            let Some((variable, low, high)) = next.top() else {
                open.pop();
                continue;
            };
            match (self.numbered(&high), self.numbered(&low)) {
                (Some(one), Some(other)) => {
                    let variable = self.numbers.get(&variable).copied().unwrap_or(u32::MAX);
                    self.functions.push((variable, one, other));
                    self.known.insert(next.id(), self.functions.len() as u32 + 1);
                    open.pop();
                }
                (one, other) => {
                    open.extend(one.is_none().then_some(high));
                    open.extend(other.is_none().then_some(low));
                }
            }
        }
        self.numbered(function).unwrap_or(0)
    }

    fn numbered(&self, function: &Bdd) -> Option<u32> {
        match function.is_constant() {
            true => Some(u32::from(function.is_true())),
            false => self.known.get(&function.id()).copied(),
        }
    }

    /// A set of states; registers that may be both are left out.
    pub(crate) fn states(&mut self, cone: &Cone, state: &State<Bdd>) -> StateSet {
        let told = cone.registers.iter().zip(&state.registers);
        let told = told.filter(|(_, rails)| rails.high != state.alive || rails.low != state.alive);
        let registers = told
            .map(|((register, _), rails)| (register.0, self.number(&rails.high), self.number(&rails.low)));
        let registers = registers.collect();
        StateSet {
            alive: self.number(&state.alive),
            registers,
        }
    }
}
