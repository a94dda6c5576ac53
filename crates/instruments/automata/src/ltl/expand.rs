//! From the shared syntax tree to the arena and back: negations pushed in, bounded operators unrolled.
//!
//! A bounded operator becomes nested `X`, as its meaning says (see `entail_logic::Interval`); the sum of all bounds is
//! limited so that `F[0,4000000000] p` is an error and not an endless loop. Past operators must be gone before
//! (see [`crate::translate::past`]). Path quantifiers are refused: this is the linear-time logic.

use super::arena::{Arena, Ltl, LtlNode, deep};
use crate::error::{AutomataError, Result};
use entail_logic::{Binary, Formula, Interval, Node, Unary};
use rustc_hash::FxHashMap;

/// How many `X` bounded operators may unroll to in one formula.
pub const MAX_UNROLLING: u32 = 20_000;

/// Reads a future-time LTL formula into an arena.
pub fn to_arena(formula: &Formula<String>, arena: &mut Arena) -> Result<Ltl> {
    let normal = formula.positive_normal_form();
    let mut reading = Reading {
        arena,
        done: FxHashMap::default(),
        unrolled: 0,
    };
    reading.read(&normal)
}

struct Reading<'a> {
    arena: &'a mut Arena,
    done: FxHashMap<usize, Ltl>,
    unrolled: u32,
}

impl Reading<'_> {
    fn read(&mut self, formula: &Formula<String>) -> Result<Ltl> {
        if let Some(&done) = self.done.get(&formula.address()) {
            return Ok(done);
        }
        let result = deep(|| self.read_operator(formula))?;
        self.done.insert(formula.address(), result);
        Ok(result)
    }

    fn read_operator(&mut self, formula: &Formula<String>) -> Result<Ltl> {
        Ok(match formula.node() {
            Node::Constant(truth) => Arena::constant(*truth),
            Node::Atom(name) => {
                let p = self.arena.proposition(name);
                self.arena.literal(p, true)
            }
            Node::Not(inner) => {
                let inner = self.read(inner)?;
                self.arena.negate(inner)
            }
            Node::And(list) | Node::Or(list) => {
                let operands = list
                    .iter()
                    .map(|operand| self.read(operand))
                    .collect::<Result<Vec<_>>>()?;
                if matches!(formula.node(), Node::And(_)) {
                    self.arena.raw_and(operands)
                } else {
                    self.arena.raw_or(operands)
                }
            }
            Node::Unary(op, interval, a) => {
                let a = self.read(a)?;
                match op {
                    Unary::Next => self.arena.raw_next(a),
                    Unary::Finally => self.until(*interval, Arena::TRUE, a)?,
                    Unary::Globally => self.release(*interval, Arena::FALSE, a)?,
                    _ => return Err(past_operator()),
                }
            }
            Node::Binary(op, interval, a, b) => {
                let (a, b) = (self.read(a)?, self.read(b)?);
                match op {
                    Binary::Until => self.until(*interval, a, b)?,
                    Binary::Release => self.release(*interval, a, b)?,
                    Binary::WeakUntil if interval.is_always() => self.arena.raw_weak_until(a, b),
                    Binary::StrongRelease if interval.is_always() => self.arena.raw_strong_release(a, b),
                    Binary::WeakUntil => {
                        let either = self.arena.raw_or([a, b]);
                        self.release(*interval, b, either)?
                    }
                    Binary::StrongRelease => {
                        let both = self.arena.raw_and([a, b]);
                        self.until(*interval, b, both)?
                    }
                    _ => return Err(past_operator()),
                }
            }
            Node::Implies(..) | Node::Iff(..) | Node::Xor(..) => {
                unreachable!("gone in positive normal form")
            }
            Node::Quantified(..) => {
                return Err(AutomataError::NotLtl(
                    "path quantifiers are not part of LTL".into(),
                ));
            }
        })
    }

    fn charge(&mut self, steps: u32) -> Result<()> {
        self.unrolled = self.unrolled.saturating_add(steps);
        if self.unrolled > MAX_UNROLLING {
            return Err(AutomataError::NotLtl(format!(
                "bounded operators unroll to more than {MAX_UNROLLING} steps"
            )));
        }
        Ok(())
    }

    /// `a U[from,to] b`
    fn until(&mut self, interval: Interval, a: Ltl, b: Ltl) -> Result<Ltl> {
        if interval.is_empty() {
            return Ok(Arena::FALSE);
        }
        let mut result = match interval.to {
            None => self.arena.raw_until(a, b),
            Some(to) => {
                self.charge(to - interval.from)?;
                let mut result = b;
                for _ in interval.from..to {
                    let next = self.arena.raw_next(result);
                    let go_on = self.arena.raw_and([a, next]);
                    result = self.arena.raw_or([b, go_on]);
                }
                result
            }
        };
        self.charge(interval.from)?;
        for _ in 0..interval.from {
            let next = self.arena.raw_next(result);
            result = self.arena.raw_and([a, next]);
        }
        Ok(result)
    }

    /// `a R[from,to] b`, the dual of until.
    fn release(&mut self, interval: Interval, a: Ltl, b: Ltl) -> Result<Ltl> {
        let (a, b) = (self.arena.negate(a), self.arena.negate(b));
        let until = self.until(interval, a, b)?;
        Ok(self.arena.negate(until))
    }
}

fn past_operator() -> AutomataError {
    AutomataError::NotLtl("a past operator where only future ones are expected".into())
}

/// The formula as a shared syntax tree.
pub fn from_arena(arena: &Arena, formula: Ltl) -> Formula<String> {
    let atoms: Vec<Formula<String>> = arena.propositions.iter().cloned().map(Formula::atom).collect();
    from_arena_over(arena, formula, &atoms)
}

/// The formula as a shared syntax tree, with a formula for each proposition.
pub fn from_arena_over<A: Clone>(arena: &Arena, formula: Ltl, atoms: &[Formula<A>]) -> Formula<A> {
    let mut writing = Writing {
        arena,
        atoms,
        done: FxHashMap::default(),
    };
    writing.write(formula)
}

struct Writing<'a, A> {
    arena: &'a Arena,
    atoms: &'a [Formula<A>],
    done: FxHashMap<Ltl, Formula<A>>,
}

impl<A: Clone> Writing<'_, A> {
    fn write(&mut self, formula: Ltl) -> Formula<A> {
        if let Some(done) = self.done.get(&formula) {
            return done.clone();
        }
        let operands = self.arena.operands(formula).into_iter();
        let operands: Vec<Formula<A>> = operands.map(|operand| deep(|| self.write(operand))).collect();
        let result = match (self.arena.node(formula), operands.as_slice()) {
            (LtlNode::True, _) => Formula::constant(true),
            (LtlNode::False, _) => Formula::constant(false),
            (LtlNode::Literal(p, true), _) => self.atoms[*p as usize].clone(),
            (LtlNode::Literal(p, false), _) => self.atoms[*p as usize].not(),
            (LtlNode::And(_), list) => Formula::and(list.iter().cloned()),
            (LtlNode::Or(_), list) => Formula::or(list.iter().cloned()),
            (LtlNode::Next(_), [a]) => a.next(),
            (LtlNode::Finally(_), [a]) => a.finally(),
            (LtlNode::Globally(_), [a]) => a.globally(),
            (LtlNode::Until(..), [a, b]) => a.until(b),
            (LtlNode::Release(..), [a, b]) => a.release(b),
            (LtlNode::WeakUntil(..), [a, b]) => Formula::binary(Binary::WeakUntil, a, b),
            (LtlNode::StrongRelease(..), [a, b]) => Formula::binary(Binary::StrongRelease, a, b),
            _ => unreachable!("operators have as many operands as they need"),
        };
        self.done.insert(formula, result.clone());
        result
    }
}
