//! Simplifying a formula by asking automata.
//!
//! Some redundancies no syntactic rule sees: `(X p U q) | X !(p U (p & q))` is valid. For each conjunction and disjunction
//! in the formula we ask whether an operand follows from the others (or implies them), by translating the conjunction
//! that would be its counterexample and checking emptiness. Translations here are unreduced and bounded in size; a
//! question too large is not answered, which only costs an opportunity.
//!
//! Last comes the shape the translation likes best: `q | F a` with `q` independent of the position becomes `F (q | a)`, so
//! that waiting for `a` and for the right moment to commit to `q` share a state.

use crate::ltl::arena::{Arena, Ltl, LtlNode, deep};
use crate::translate::expansion::expand_bounded;
use entail_budget::Budget;
use rustc_hash::FxHashMap;

/// Counterexample automata larger than this are not built.
const LARGEST_QUESTION: usize = 60;
/// Lists longer than this are not examined.
const LONGEST_LIST: usize = 8;
/// Formulas with more subformulas than this are not examined.
const LARGEST_FORMULA: usize = 60;

/// An equivalent formula without operands that others make redundant.
pub fn simplify_by_containment(arena: &mut Arena, formula: Ltl, budget: &Budget) -> Ltl {
    if arena.size(formula) > LARGEST_FORMULA || arena.propositions.len() > 12 {
        return formula;
    }
    let mut pass = Pass {
        arena,
        budget,
        done: FxHashMap::default(),
    };
    let result = pass.visit(formula);
    pass.arena.simplify(result)
}

struct Pass<'a> {
    arena: &'a mut Arena,
    budget: &'a Budget,
    done: FxHashMap<Ltl, Ltl>,
}

impl Pass<'_> {
    fn visit(&mut self, formula: Ltl) -> Ltl {
        if self.arena.traits(formula).boolean {
            return formula;
        }
        if let Some(&known) = self.done.get(&formula) {
            return known;
        }
        let operands: Vec<Ltl> = self
            .arena
            .operands(formula)
            .into_iter()
            .map(|operand| deep(|| self.visit(operand)))
            .collect();
        let arena = &mut *self.arena;
        let rebuilt = match arena.node(formula).clone() {
            LtlNode::And(_) => arena.and(operands),
            LtlNode::Or(_) => arena.or(operands),
            LtlNode::Next(_) => arena.next(operands[0]),
            LtlNode::Finally(_) => arena.finally(operands[0]),
            LtlNode::Globally(_) => arena.globally(operands[0]),
            LtlNode::Until(..) => arena.until(operands[0], operands[1]),
            LtlNode::Release(..) => arena.release(operands[0], operands[1]),
            LtlNode::WeakUntil(..) => arena.weak_until(operands[0], operands[1]),
            LtlNode::StrongRelease(..) => arena.strong_release(operands[0], operands[1]),
            _ => formula,
        };
        let result = match arena.node(rebuilt).clone() {
            LtlNode::And(list) if list.len() <= LONGEST_LIST => self.shorten(list, true),
            LtlNode::Or(list) if list.len() <= LONGEST_LIST => self.shorten(list, false),
            _ => rebuilt,
        };
        self.done.insert(formula, result);
        result
    }

    /// Drops operands that follow from the rest of a conjunction, or imply the rest of a disjunction.
    fn shorten(&mut self, mut list: Vec<Ltl>, conjunction: bool) -> Ltl {
        let mut position = 0;
        while position < list.len() {
            let this = list[position];
            let rest: Vec<Ltl> = list.iter().copied().filter(|&other| other != this).collect();
            let counterexample = if conjunction {
                let not_this = self.arena.negate(this);
                let mut parts = rest.clone();
                parts.push(not_this);
                self.arena.and(parts)
            } else {
                let mut parts: Vec<Ltl> = rest.iter().map(|&other| self.arena.negate(other)).collect();
                parts.push(this);
                self.arena.and(parts)
            };
            if !rest.is_empty() && self.unsatisfiable(counterexample) {
                list.remove(position);
            } else {
                position += 1;
            }
        }
        // What is left may contradict itself, or be valid.
        let (whole, question) = if conjunction {
            let whole = self.arena.and(list);
            (whole, whole)
        } else {
            let whole = self.arena.or(list);
            let negated = self.arena.negate(whole);
            (whole, negated)
        };
        if self.unsatisfiable(question) {
            Arena::constant(!conjunction)
        } else {
            whole
        }
    }

    fn unsatisfiable(&mut self, formula: Ltl) -> bool {
        let formula = self.arena.simplify(formula);
        if formula == Arena::FALSE {
            return true;
        }
        match expand_bounded(self.arena, formula, LARGEST_QUESTION, self.budget) {
            Ok(Some(automaton)) => automaton.is_empty(),
            _ => false,
        }
    }
}

/// The formula with positionless alternatives of an `F` moved into it.
pub fn commit_late(arena: &mut Arena, formula: Ltl) -> Ltl {
    let LtlNode::Or(list) = arena.node(formula).clone() else {
        return formula;
    };
    let mut inside = Vec::new();
    let mut outside = Vec::new();
    let mut waits = false;
    for operand in list {
        match *arena.node(operand) {
            LtlNode::Finally(a) => {
                waits = true;
                inside.push(a);
            }
            _ if arena.traits(operand).positionless() => inside.push(operand),
            _ => outside.push(operand),
        }
    }
    if !waits {
        return formula;
    }
    let inside = arena.raw_or(inside);
    outside.push(arena.raw_finally(inside));
    arena.raw_or(outside)
}
