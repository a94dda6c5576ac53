//! Simplification of path formulas over any atoms, past operators included.
//!
//! The laws of [`crate::ltl::simplify`] are about future operators. A past operator (over operands that are simplified first)
//! and a state formula below a path quantifier are propositions to them: equal ones the same proposition.

use super::arena::{Arena, deep};
use super::expand::{from_arena_over, to_arena};
use crate::error::Result;
use entail_logic::{Formula, Node};
use rustc_hash::FxHashMap;
use std::hash::Hash;

/// Larger formulas are left as they are: the laws compare subformulas with each other.
const LARGEST_SIMPLIFIED: usize = 400;

/// An equivalent formula, usually smaller, in positive normal form; or if it is large, the formula itself. Only infinite paths count.
pub fn simplify_path<A: Clone + Eq + Hash>(formula: &Formula<A>) -> Formula<A> {
    let attempt = || -> Result<Formula<A>> {
        let mut simplification = Simplification {
            leaves: Vec::new(),
            numbers: FxHashMap::default(),
        };
        simplification.simplify(formula)
    };
    if formula.size() > LARGEST_SIMPLIFIED {
        return formula.clone();
    }
    // What cannot be simplified (bounds too large to be written out) stays as it is.
    attempt().unwrap_or_else(|_| formula.clone())
}

struct Simplification<A> {
    /// What propositions stand for.
    leaves: Vec<Formula<A>>,
    numbers: FxHashMap<Formula<A>, usize>,
}

impl<A: Clone + Eq + Hash> Simplification<A> {
    fn simplify(&mut self, formula: &Formula<A>) -> Result<Formula<A>> {
        let named = self.named(formula)?;
        let mut arena = Arena::new();
        let raw = to_arena(&named, &mut arena)?;
        if arena.size(raw) > LARGEST_SIMPLIFIED {
            return Ok(formula.clone());
        }
        let simple = arena.simplify(raw);
        let leaves: Vec<Formula<A>> = arena
            .propositions
            .iter()
            .map(|name| self.leaves[number_of(name)].clone())
            .collect();
        Ok(from_arena_over(&arena, simple, &leaves))
    }

    /// The formula with propositions for leaves.
    fn named(&mut self, formula: &Formula<A>) -> Result<Formula<String>> {
        deep(|| {
            let leaf = match formula.node() {
                Node::Atom(_) | Node::Quantified(..) => Some(formula.clone()),
                Node::Unary(op, ..) if op.is_past() => Some(self.with_simple_operands(formula)?),
                Node::Binary(op, ..) if op.is_past() => Some(self.with_simple_operands(formula)?),
                _ => None,
            };
            if let Some(leaf) = leaf {
                let leaves = &mut self.leaves;
                let number = *self.numbers.entry(leaf).or_insert_with_key(|leaf| {
                    leaves.push(leaf.clone());
                    leaves.len() - 1
                });
                return Ok(Formula::atom(name_of(number)));
            }
            let operands = formula
                .operands()
                .into_iter()
                .map(|operand| self.named(operand))
                .collect::<Result<Vec<_>>>()?;
            Ok(formula.over(operands))
        })
    }

    fn with_simple_operands(&mut self, formula: &Formula<A>) -> Result<Formula<A>> {
        let operands = formula
            .operands()
            .into_iter()
            .map(|operand| self.simplify(operand))
            .collect::<Result<Vec<_>>>()?;
        Ok(formula.with_operands(operands))
    }
}

fn name_of(number: usize) -> String {
    number.to_string()
}

fn number_of(name: &str) -> usize {
    name.parse().expect("named by its number")
}
