//! The variables of many terms of one store, one after the other.
//!
//! [`Terms::support`] looks at every term below its roots' ids; asked about each conjunct of a large model that is quadratic. Here each
//! question is a depth-first search that costs what it visits, and the marks of earlier searches are told apart by a stamp.

use crate::{Op, TermId, Terms, VarId};

/// Finds the variables of terms.
#[derive(Debug)]
pub struct Supports<'a> {
    terms: &'a Terms,
    seen: Vec<u32>,
    stamp: u32,
}

impl<'a> Supports<'a> {
    /// For the terms of a store.
    pub fn new(terms: &'a Terms) -> Supports<'a> {
        Supports {
            terms,
            seen: vec![0; terms.len()],
            stamp: 0,
        }
    }

    /// The variables that occur in the roots: now, and after the step; each list in increasing order.
    pub fn of(&mut self, roots: &[TermId]) -> (Vec<VarId>, Vec<VarId>) {
        self.stamp += 1;
        let (mut current, mut next) = (Vec::new(), Vec::new());
        let mut pending = roots.to_vec();
        while let Some(term) = pending.pop() {
            if std::mem::replace(&mut self.seen[term.index()], self.stamp) == self.stamp {
                continue;
            }
            match self.terms.op(term) {
                Op::Current(variable) => current.push(*variable),
                Op::Next(variable) => next.push(*variable),
                _ => pending.extend(self.terms.operands(term)),
            }
        }
        current.sort_unstable();
        next.sort_unstable();
        (current, next)
    }
}
