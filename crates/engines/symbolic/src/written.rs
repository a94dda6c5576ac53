//! Sets of states as terms, many of them in one store.
//!
//! Each node of a diagram becomes an if-then-else over a condition "this bit of this variable is 1", built once for all sets: the sets of a proof share most of
//! their nodes.

use crate::certificate::bit_condition;
use crate::encoding::{Bit, Encoding};
use entail_dd::{Bdd, Var};
use entail_model::{Sort, TermId, Terms, TransitionSystem, VarId};
use rustc_hash::FxHashMap;

/// More nodes than this are not written out.
const LARGEST: usize = 300_000;

/// Writes diagrams as terms.
pub(crate) struct Writer<'a> {
    system: &'a TransitionSystem,
    encoding: &'a Encoding,
    /// Bits beside the model's, numbered as Boolean variables after the model's.
    further: &'a [Bit],
    pub terms: Terms,
    conditions: FxHashMap<Var, TermId>,
    built: FxHashMap<Bdd, TermId>,
}

impl<'a> Writer<'a> {
    pub fn new(system: &'a TransitionSystem, encoding: &'a Encoding, further: &'a [Bit]) -> Writer<'a> {
        Writer {
            system,
            encoding,
            further,
            terms: Terms::new(),
            conditions: FxHashMap::default(),
            built: FxHashMap::default(),
        }
    }

    fn condition(&mut self, var: Var) -> Option<TermId> {
        if let Some(&known) = self.conditions.get(&var) {
            return Some(known);
        }
        let further = self.further.iter().position(|bit| bit.current == var);
        let condition = match further {
            Some(place) => {
                let id = VarId::new((self.system.variables().len() + place) as u32);
                self.terms.current(id, Sort::Bool)
            }
            None => bit_condition(self.system, self.encoding, &mut self.terms, var)?,
        };
        self.conditions.insert(var, condition);
        Some(condition)
    }

    /// The set as a term over current values; none if it speaks of other bits, or all sets together are too large.
    pub fn set(&mut self, states: &Bdd) -> Option<TermId> {
        // Children before parents, with a list of pending nodes instead of recursion.
        let mut pending = vec![states.clone()];
        while let Some(node) = pending.pop() {
            if self.built.contains_key(&node) {
                continue;
            }
            if self.built.len() > LARGEST {
                return None;
            }
            let Some((var, low, high)) = node.top() else {
                let constant = self.terms.truth(node.is_true());
                self.built.insert(node, constant);
                continue;
            };
            match (self.built.get(&high), self.built.get(&low)) {
                (Some(&high), Some(&low)) => {
                    let condition = self.condition(var)?;
                    let term = self.terms.ite(condition, high, low).ok()?;
                    self.built.insert(node, term);
                }
                _ => pending.extend([node, high, low]),
            }
        }
        self.built.get(states).copied()
    }
}
