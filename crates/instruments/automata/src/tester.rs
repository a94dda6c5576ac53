//! The symbolic tableau: a path formula as bits, conditions and justice, for engines that work on decision diagrams or circuits.
//!
//! A [`Tester`] is plain data. It has a bit for each promise the formula makes about the next position and for each memory it keeps of
//! the previous one; run beside a model, it accepts the paths that satisfy the formula (the *temporal testers* of Pnueli and Zaks,
//! the tableau of Clarke, Grumberg and Hamaguchi):
//!
//! - `X p`: a promise `x` of `p`; `p U q` is `q | p & x` with `x` a promise of `p U q`, and justice "it is false, or `q`";
//! - `Y p`: a memory `y` of `p`, at first false; `p S q` is `q | p & y` with `y` a memory of `p S q`.
//!
//! It comes in two kinds ([`Promises`]). *Exact* promises are true if and only if they are kept: along a path, every bit and the truth of every subformula is
//! determined, negation is free, and where a path ends no promise is open. *Kept* promises need only be kept where they are made, so the formula must be in
//! positive normal form; conjuncts `G χ`, `G F χ` and `F G χ` of the whole formula need no promise of their own.
//! One bit a temporal operator either way, which is the point: the automaton of a formula can be exponentially larger than its bits.
//!
//! Leaves are atoms, and state formulas below path quantifiers: what they mean is the engine's business.

use crate::error::{AutomataError, Result};
use crate::ltl::arena::deep;
use entail_logic::{Binary, Formula, Interval, Node, Unary};
use rustc_hash::FxHashMap;
use std::hash::Hash;
use std::ops::Not;

/// Bounded operators are written out up to this many steps.
const LONGEST_CHAIN: u32 = 2_000;

/// A Boolean function in a [`Tester`]: one of its gates, or the negation of one.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Condition(u32);

impl Condition {
    /// Always true.
    pub const TRUE: Condition = Condition(0);
    /// Never true.
    pub const FALSE: Condition = Condition(1);

    /// The position of the gate in [`Tester::gates`].
    pub fn gate(self) -> usize {
        (self.0 >> 1) as usize
    }

    /// Whether it is the gate's negation.
    pub fn is_negated(self) -> bool {
        self.0 & 1 == 1
    }
}

impl Not for Condition {
    type Output = Condition;
    fn not(self) -> Condition {
        Condition(self.0 ^ 1)
    }
}

/// A gate; operands come before the gates that use them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Gate {
    /// True.
    True,
    /// The truth of a leaf of the formula, by its position in [`Tester::leaves`].
    Leaf(usize),
    /// The value of a bit at this position.
    Bit(usize),
    /// Both.
    And(Condition, Condition),
}

/// How a bit changes along a path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bit {
    /// Guessed at each position: the claim is true at the next one (see [`Promises`]).
    Promise {
        /// What is promised.
        claim: Condition,
    },
    /// Remembers a condition of the position before.
    Memory {
        /// Its value at the first position.
        initially: bool,
        /// Its value at the next position.
        next: Condition,
    },
    /// Guessed; once true it stays true.
    Lasting,
}

/// What it means that a promise is not made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Promises {
    /// Its claim is false at the next position.
    Exact,
    /// Nothing: only promises that are made have to be kept.
    Kept,
}

/// The tester of a formula.
#[derive(Clone, Debug)]
pub struct Tester<A> {
    gates: Vec<Gate>,
    /// Atoms and quantified formulas.
    pub leaves: Vec<Formula<A>>,
    /// The bits, in the order in which the formula needs them: operands before operators, from left to right.
    pub bits: Vec<Bit>,
    /// Of which kind the promises are.
    pub promises: Promises,
    /// True at the first position of the paths that satisfy the formula; none if the formula only speaks of all positions.
    pub start: Option<Condition>,
    /// True at every position.
    pub always: Vec<Condition>,
    /// Each true at infinitely many positions.
    pub justice: Vec<Condition>,
}

impl<A: Clone + Eq + Hash> Tester<A> {
    /// The tester with exact promises of any path formula.
    pub fn exact(formula: &Formula<A>) -> Result<Tester<A>> {
        let mut builder = Builder::new(Promises::Exact);
        builder.tester.start = Some(builder.truth(formula)?);
        Ok(builder.tester)
    }

    /// The tester with kept promises of a path formula in positive normal form without bounds.
    pub fn kept(formula: &Formula<A>) -> Result<Tester<A>> {
        let mut builder = Builder::new(Promises::Kept);
        let conjuncts = match formula.node() {
            Node::And(list) => list.as_slice(),
            _ => std::slice::from_ref(formula),
        };
        for conjunct in conjuncts {
            builder.require(conjunct)?;
        }
        Ok(builder.tester)
    }

    /// The gates, operands first.
    pub fn gates(&self) -> &[Gate] {
        &self.gates
    }
}

/// Where an operator looks.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Way {
    Ahead,
    Back,
}

struct Builder<A> {
    tester: Tester<A>,
    gates: FxHashMap<Gate, Condition>,
    leaves: FxHashMap<Formula<A>, Condition>,
    /// By address: the caller keeps the formula alive.
    known: FxHashMap<usize, Condition>,
    /// What exact promises and memories there are, by what they are about.
    promised: FxHashMap<Condition, Condition>,
    remembered: FxHashMap<Condition, Condition>,
    untils: FxHashMap<(Way, Condition, Condition), Condition>,
}

impl<A: Clone + Eq + Hash> Builder<A> {
    fn new(promises: Promises) -> Builder<A> {
        Builder {
            tester: Tester {
                gates: vec![Gate::True],
                leaves: Vec::new(),
                bits: Vec::new(),
                promises,
                start: None,
                always: Vec::new(),
                justice: Vec::new(),
            },
            gates: FxHashMap::default(),
            known: FxHashMap::default(),
            promised: FxHashMap::default(),
            remembered: FxHashMap::default(),
            untils: FxHashMap::default(),
            leaves: FxHashMap::default(),
        }
    }

    fn gate(&mut self, gate: Gate) -> Condition {
        let gates = &mut self.tester.gates;
        *self.gates.entry(gate).or_insert_with(|| {
            gates.push(gate);
            Condition((gates.len() as u32 - 1) << 1)
        })
    }

    fn and(&mut self, a: Condition, b: Condition) -> Condition {
        match (a.min(b), a.max(b)) {
            (Condition::TRUE, other) => other,
            (Condition::FALSE, _) => Condition::FALSE,
            (a, b) if a == b => a,
            (a, b) if a == !b => Condition::FALSE,
            (a, b) => self.gate(Gate::And(a, b)),
        }
    }

    fn or(&mut self, a: Condition, b: Condition) -> Condition {
        !self.and(!a, !b)
    }

    fn iff(&mut self, a: Condition, b: Condition) -> Condition {
        let (both, neither) = (self.and(a, b), self.and(!a, !b));
        self.or(both, neither)
    }

    fn fresh(&mut self, bit: Bit) -> (usize, Condition) {
        let place = self.tester.bits.len();
        self.tester.bits.push(bit);
        (place, self.gate(Gate::Bit(place)))
    }

    /// A promise whose claim is said later, by [`Builder::claims`].
    fn open_promise(&mut self) -> (usize, Condition) {
        self.fresh(Bit::Promise {
            claim: Condition::TRUE,
        })
    }

    fn claims(&mut self, promise: usize, claim: Condition) {
        self.tester.bits[promise] = Bit::Promise { claim };
    }

    fn promise(&mut self, claim: Condition) -> Condition {
        if let Some(&known) = self.promised.get(&claim) {
            return known;
        }
        let (_, promise) = self.fresh(Bit::Promise { claim });
        if self.tester.promises == Promises::Exact {
            self.promised.insert(claim, promise);
        }
        promise
    }

    /// The condition at the position before; false at the first.
    fn memory(&mut self, next: Condition) -> Condition {
        if let Some(&known) = self.remembered.get(&next) {
            return known;
        }
        let initially = false;
        let (_, memory) = self.fresh(Bit::Memory { initially, next });
        if self.tester.promises == Promises::Exact {
            self.remembered.insert(next, memory);
        }
        memory
    }

    /// What the laws say of a node of either kind of tester, given the truth (or the claims) of its operands.
    fn truth(&mut self, formula: &Formula<A>) -> Result<Condition> {
        if let Some(&known) = self.known.get(&formula.address()) {
            return Ok(known);
        }
        let truth = deep(|| self.truth_of_node(formula))?;
        self.known.insert(formula.address(), truth);
        Ok(truth)
    }

    fn truth_of_node(&mut self, formula: &Formula<A>) -> Result<Condition> {
        let exact = self.tester.promises == Promises::Exact;
        Ok(match formula.node() {
            Node::Constant(true) => Condition::TRUE,
            Node::Constant(false) => Condition::FALSE,
            Node::Atom(_) | Node::Quantified(..) => {
                if let Some(&known) = self.leaves.get(formula) {
                    return Ok(known);
                }
                self.tester.leaves.push(formula.clone());
                let leaf = self.gate(Gate::Leaf(self.tester.leaves.len() - 1));
                self.leaves.insert(formula.clone(), leaf);
                leaf
            }
            Node::Not(p) if exact || matches!(p.node(), Node::Atom(_) | Node::Quantified(..)) => {
                !self.truth(p)?
            }
            Node::And(list) => {
                let mut all = Condition::TRUE;
                for p in list {
                    let p = self.truth(p)?;
                    all = self.and(all, p);
                }
                all
            }
            Node::Or(list) => {
                let mut none = Condition::TRUE;
                for p in list {
                    let p = self.truth(p)?;
                    none = self.and(none, !p);
                }
                !none
            }
            Node::Implies(p, q) if exact => {
                let (p, q) = (self.truth(p)?, self.truth(q)?);
                self.or(!p, q)
            }
            Node::Iff(p, q) if exact => {
                let (p, q) = (self.truth(p)?, self.truth(q)?);
                self.iff(p, q)
            }
            Node::Xor(p, q) if exact => {
                let (p, q) = (self.truth(p)?, self.truth(q)?);
                !self.iff(p, q)
            }
            Node::Unary(op, interval, p) => {
                let p = self.truth(p)?;
                match op {
                    Unary::Next => self.promise(p),
                    Unary::Yesterday => self.memory(p),
                    Unary::WeakYesterday if exact => !self.memory(!p),
                    Unary::WeakYesterday => {
                        let initially = true;
                        self.fresh(Bit::Memory { initially, next: p }).1
                    }
                    Unary::Finally => self.binary(Binary::Until, *interval, Condition::TRUE, p)?,
                    Unary::Globally => self.binary(Binary::Release, *interval, Condition::FALSE, p)?,
                    Unary::Once => self.binary(Binary::Since, *interval, Condition::TRUE, p)?,
                    Unary::Historically => self.binary(Binary::Triggered, *interval, Condition::FALSE, p)?,
                }
            }
            Node::Binary(op, interval, p, q) => {
                let (p, q) = (self.truth(p)?, self.truth(q)?);
                self.binary(*op, *interval, p, q)?
            }
            Node::Not(_) | Node::Implies(..) | Node::Iff(..) | Node::Xor(..) => {
                return Err(AutomataError::NotLtl(
                    "kept promises need a formula in positive normal form".into(),
                ));
            }
        })
    }

    fn binary(&mut self, op: Binary, interval: Interval, p: Condition, q: Condition) -> Result<Condition> {
        if self.tester.promises == Promises::Kept {
            return match interval {
                Interval::ALWAYS => Ok(self.claim(op, p, q)),
                _ => Err(AutomataError::NotLtl(
                    "kept promises need a formula without bounds".into(),
                )),
            };
        }
        Ok(match op {
            Binary::Until => self.until(Way::Ahead, p, q, interval)?,
            Binary::Release => !self.until(Way::Ahead, !p, !q, interval)?,
            // p M q = q U (p & q); p W q = q R (p | q).
            Binary::StrongRelease => {
                let both = self.and(p, q);
                self.until(Way::Ahead, q, both, interval)?
            }
            Binary::WeakUntil => {
                let neither = self.and(!p, !q);
                !self.until(Way::Ahead, !q, neither, interval)?
            }
            Binary::Since => self.until(Way::Back, p, q, interval)?,
            Binary::Triggered => !self.until(Way::Back, !p, !q, interval)?,
        })
    }

    /// `p U q` or `p S q` with exact promises. The steps of an interval are written out, from the last one inwards; behind
    /// them there is the operator without bounds.
    fn until(&mut self, way: Way, p: Condition, q: Condition, interval: Interval) -> Result<Condition> {
        if interval.is_empty() {
            return Ok(Condition::FALSE);
        }
        let last = interval.to.unwrap_or(interval.from);
        if last > LONGEST_CHAIN {
            return Err(AutomataError::NotLtl(format!(
                "the bounds {interval} are too large"
            )));
        }
        let mut truth = match interval.to {
            Some(_) => q,
            None => self.unbounded(way, p, q),
        };
        for step in (0..last).rev() {
            let further = match way {
                Way::Ahead => self.promise(truth),
                Way::Back => self.memory(truth),
            };
            truth = self.and(further, p);
            if step >= interval.from {
                truth = self.or(truth, q);
            }
        }
        Ok(truth)
    }

    fn unbounded(&mut self, way: Way, p: Condition, q: Condition) -> Condition {
        if let Some(&known) = self.untils.get(&(way, p, q)) {
            return known;
        }
        let truth = match way {
            Way::Ahead => {
                let truth = self.claim(Binary::WeakUntil, p, q);
                let met = self.or(!truth, q);
                self.tester.justice.push(met);
                truth
            }
            Way::Back => self.claim(Binary::Since, p, q),
        };
        self.untils.insert((way, p, q), truth);
        truth
    }

    /// An operator over claims: the bit it needs, and the justice.
    fn claim(&mut self, op: Binary, p: Condition, q: Condition) -> Condition {
        match op {
            Binary::Until | Binary::WeakUntil | Binary::Release | Binary::StrongRelease => {
                let (place, promise) = self.open_promise();
                let waits = matches!(op, Binary::Until | Binary::WeakUntil);
                let claim = self.unfold(waits, p, q, promise);
                self.claims(place, claim);
                let met = match op {
                    Binary::Until => q,
                    Binary::StrongRelease => self.and(p, q),
                    _ => return claim,
                };
                let fair = self.or(!promise, met);
                self.tester.justice.push(fair);
                claim
            }
            Binary::Since | Binary::Triggered => {
                let initially = op == Binary::Triggered;
                let next = Condition::TRUE;
                let (place, before) = self.fresh(Bit::Memory { initially, next });
                let next = self.unfold(!initially, p, q, before);
                self.tester.bits[place] = Bit::Memory { initially, next };
                next
            }
        }
    }

    /// `q | p & further`, or for releases `q & (p | further)`.
    fn unfold(&mut self, waits: bool, p: Condition, q: Condition, further: Condition) -> Condition {
        if waits {
            let waiting = self.and(p, further);
            self.or(q, waiting)
        } else {
            let released = self.or(p, further);
            self.and(q, released)
        }
    }

    /// Requires a conjunct of the whole formula.
    fn require(&mut self, formula: &Formula<A>) -> Result<()> {
        if let Some(inner) = operand_of(formula, Unary::Globally) {
            match operand_of(inner, Unary::Finally) {
                Some(often) => {
                    let claim = self.truth(often)?;
                    self.tester.justice.push(claim);
                }
                None => {
                    let claim = self.truth(inner)?;
                    self.tester.always.push(claim);
                }
            }
            return Ok(());
        }
        let stays = operand_of(formula, Unary::Finally).and_then(|inner| operand_of(inner, Unary::Globally));
        if let Some(inner) = stays {
            let claim = self.truth(inner)?;
            let (_, over) = self.fresh(Bit::Lasting);
            let kept = self.or(!over, claim);
            self.tester.always.push(kept);
            self.tester.justice.push(over);
            return Ok(());
        }
        let claim = self.truth(formula)?;
        let so_far = self.tester.start.unwrap_or(Condition::TRUE);
        self.tester.start = Some(self.and(so_far, claim));
        Ok(())
    }
}

/// The operand of an operator without bounds.
fn operand_of<A>(formula: &Formula<A>, wanted: Unary) -> Option<&Formula<A>> {
    match formula.node() {
        Node::Unary(op, interval, inner) if *op == wanted && interval.is_always() => Some(inner),
        _ => None,
    }
}
