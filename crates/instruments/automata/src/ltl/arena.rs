//! Hash-consed LTL formulas in positive normal form.
//!
//! The translation and its simplifications compare, memoise and negate formulas all the time; here equal formulas are
//! equal numbers ([`Ltl`]), and what is known of each node by its syntax alone ([`Traits`]) is computed once. Constructors in this file
//! only bring operands into canonical shape (flat, sorted, without constants); the laws of temporal logic are applied in
//! [`crate::ltl::simplify`].

use crate::label::{Label, Labels};
use entail_budget::{Budget, Spent};
use rustc_hash::FxHashMap;

/// A formula in an [`Arena`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Ltl(pub(crate) u32);

/// The outermost operator of a formula.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum LtlNode {
    /// True.
    True,
    /// False.
    False,
    /// A proposition (by number) or its negation.
    Literal(u32, bool),
    /// Conjunction of at least two, sorted.
    And(Vec<Ltl>),
    /// Disjunction of at least two, sorted.
    Or(Vec<Ltl>),
    /// `X`
    Next(Ltl),
    /// `F`
    Finally(Ltl),
    /// `G`
    Globally(Ltl),
    /// `U`
    Until(Ltl, Ltl),
    /// `R`
    Release(Ltl, Ltl),
    /// `W`
    WeakUntil(Ltl, Ltl),
    /// `M`
    StrongRelease(Ltl, Ltl),
}

/// What the syntax of a formula tells.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Traits {
    /// No temporal operator.
    pub boolean: bool,
    /// A pure eventuality: true now if true at any later time.
    pub eventual: bool,
    /// A pure universality: true for ever if true now.
    pub universal: bool,
    /// No `X`.
    pub next_free: bool,
    /// Syntactically a safety property.
    pub safety: bool,
    /// Syntactically a guarantee (co-safety) property.
    pub guarantee: bool,
    /// Syntactically an obligation.
    pub obligation: bool,
    /// Syntactically a persistence property.
    pub persistence: bool,
    /// Syntactically a recurrence property.
    pub recurrence: bool,
}

impl Traits {
    const CONSTANT: Traits = Traits {
        boolean: true,
        eventual: true,
        universal: true,
        next_free: true,
        safety: true,
        guarantee: true,
        obligation: true,
        persistence: true,
        recurrence: true,
    };

    fn meet(self, other: Traits) -> Traits {
        Traits {
            boolean: self.boolean && other.boolean,
            eventual: self.eventual && other.eventual,
            universal: self.universal && other.universal,
            next_free: self.next_free && other.next_free,
            safety: self.safety && other.safety,
            guarantee: self.guarantee && other.guarantee,
            obligation: self.obligation && other.obligation,
            persistence: self.persistence && other.persistence,
            recurrence: self.recurrence && other.recurrence,
        }
    }

    /// Both eventual and universal: the truth of the formula does not depend on the position.
    pub fn positionless(self) -> bool {
        self.eventual && self.universal
    }
}

/// A store of formulas over a list of propositions.
#[derive(Clone, Default)]
pub struct Arena {
    pub(crate) nodes: Vec<LtlNode>,
    pub(crate) traits: Vec<Traits>,
    table: FxHashMap<LtlNode, Ltl>,
    negations: FxHashMap<Ltl, Ltl>,
    /// The propositions, by number.
    pub propositions: Vec<String>,
    pub(crate) implications: FxHashMap<(Ltl, Ltl), bool>,
    pub(crate) simplified: FxHashMap<Ltl, Ltl>,
    pub(crate) booleans: Labels,
    boolean_labels: FxHashMap<Ltl, Label>,
}

/// Runs a recursive step with enough stack.
pub(crate) fn deep<R>(step: impl FnOnce() -> R) -> R {
    stacker::maybe_grow(128 * 1024, 4 * 1024 * 1024, step)
}

impl Arena {
    /// An empty store.
    pub fn new() -> Arena {
        let mut arena = Arena::default();
        arena.intern(LtlNode::True);
        arena.intern(LtlNode::False);
        arena
    }

    /// An empty store whose Boolean functions, and those of automata made from it, are watched (see [`Labels::watch`]).
    pub(crate) fn watched(budget: &Budget) -> Arena {
        let mut arena = Arena::new();
        arena.booleans.watch(budget);
        arena
    }

    /// Whether what was made so far counts.
    pub(crate) fn check_watch(&self) -> Result<(), Spent> {
        self.booleans.check_watch()
    }

    /// True.
    pub const TRUE: Ltl = Ltl(0);
    /// False.
    pub const FALSE: Ltl = Ltl(1);

    /// The outermost operator.
    pub fn node(&self, formula: Ltl) -> &LtlNode {
        &self.nodes[formula.0 as usize]
    }

    /// What the syntax tells.
    pub fn traits(&self, formula: Ltl) -> Traits {
        self.traits[formula.0 as usize]
    }

    /// The number of a proposition, new if need be.
    pub fn proposition(&mut self, name: &str) -> u32 {
        match self.propositions.iter().position(|known| known == name) {
            Some(position) => position as u32,
            None => {
                self.propositions.push(name.to_string());
                self.propositions.len() as u32 - 1
            }
        }
    }

    fn intern(&mut self, node: LtlNode) -> Ltl {
        if let Some(&known) = self.table.get(&node) {
            return known;
        }
        let formula = Ltl(self.nodes.len() as u32);
        self.traits.push(self.compute_traits(&node));
        self.nodes.push(node.clone());
        self.table.insert(node, formula);
        formula
    }

    fn compute_traits(&self, node: &LtlNode) -> Traits {
        let of = |formula: &Ltl| self.traits(*formula);
        match node {
            LtlNode::True | LtlNode::False => Traits::CONSTANT,
            LtlNode::Literal(..) => Traits {
                eventual: false,
                universal: false,
                ..Traits::CONSTANT
            },
            LtlNode::And(list) | LtlNode::Or(list) => {
                list.iter().map(of).fold(Traits::CONSTANT, Traits::meet)
            }
            LtlNode::Next(a) => Traits {
                boolean: false,
                next_free: false,
                ..of(a)
            },
            LtlNode::Finally(a) => {
                let a = of(a);
                Traits {
                    boolean: false,
                    eventual: true,
                    universal: a.universal,
                    next_free: a.next_free,
                    safety: false,
                    guarantee: a.guarantee,
                    obligation: a.guarantee,
                    persistence: a.persistence,
                    recurrence: a.guarantee,
                }
            }
            LtlNode::Globally(a) => {
                let a = of(a);
                Traits {
                    boolean: false,
                    eventual: a.eventual,
                    universal: true,
                    next_free: a.next_free,
                    safety: a.safety,
                    guarantee: false,
                    obligation: a.safety,
                    persistence: a.safety,
                    recurrence: a.recurrence,
                }
            }
            LtlNode::Until(a, b) => {
                let (a, b) = (of(a), of(b));
                Traits {
                    boolean: false,
                    eventual: b.eventual,
                    universal: b.universal,
                    next_free: a.next_free && b.next_free,
                    safety: false,
                    guarantee: a.guarantee && b.guarantee,
                    obligation: a.obligation && b.guarantee,
                    persistence: a.persistence && b.persistence,
                    recurrence: a.recurrence && b.guarantee,
                }
            }
            LtlNode::WeakUntil(a, b) => {
                let (a, b) = (of(a), of(b));
                Traits {
                    boolean: false,
                    eventual: a.eventual && b.eventual,
                    universal: b.universal,
                    next_free: a.next_free && b.next_free,
                    safety: a.safety && b.safety,
                    guarantee: false,
                    obligation: a.safety && b.obligation,
                    persistence: a.safety && b.persistence,
                    recurrence: a.recurrence && b.recurrence,
                }
            }
            LtlNode::Release(a, b) => {
                let (a, b) = (of(a), of(b));
                Traits {
                    boolean: false,
                    eventual: b.eventual,
                    universal: b.universal,
                    next_free: a.next_free && b.next_free,
                    safety: a.safety && b.safety,
                    guarantee: false,
                    obligation: a.obligation && b.safety,
                    persistence: a.persistence && b.safety,
                    recurrence: a.recurrence && b.recurrence,
                }
            }
            LtlNode::StrongRelease(a, b) => {
                let (a, b) = (of(a), of(b));
                Traits {
                    boolean: false,
                    eventual: b.eventual,
                    universal: a.universal && b.universal,
                    next_free: a.next_free && b.next_free,
                    safety: false,
                    guarantee: a.guarantee && b.guarantee,
                    obligation: a.guarantee && b.obligation,
                    persistence: a.persistence && b.persistence,
                    recurrence: a.guarantee && b.recurrence,
                }
            }
        }
    }

    /// A constant.
    pub fn constant(truth: bool) -> Ltl {
        if truth { Arena::TRUE } else { Arena::FALSE }
    }

    /// A proposition or its negation.
    pub fn literal(&mut self, proposition: u32, positive: bool) -> Ltl {
        self.intern(LtlNode::Literal(proposition, positive))
    }

    /// The conjunction in canonical shape; syntactically complementary operands make it false.
    pub fn raw_and(&mut self, operands: impl IntoIterator<Item = Ltl>) -> Ltl {
        self.raw_list(operands, true)
    }

    /// The disjunction in canonical shape.
    pub fn raw_or(&mut self, operands: impl IntoIterator<Item = Ltl>) -> Ltl {
        self.raw_list(operands, false)
    }

    fn raw_list(&mut self, operands: impl IntoIterator<Item = Ltl>, conjunction: bool) -> Ltl {
        let neutral = Arena::constant(conjunction);
        let absorbing = Arena::constant(!conjunction);
        let mut list = Vec::new();
        for operand in operands {
            match self.node(operand) {
                LtlNode::And(inner) if conjunction => list.extend(inner.iter().copied()),
                LtlNode::Or(inner) if !conjunction => list.extend(inner.iter().copied()),
                _ => list.push(operand),
            }
        }
        list.sort_unstable();
        list.dedup();
        list.retain(|&operand| operand != neutral);
        if list.contains(&absorbing) {
            return absorbing;
        }
        for position in 0..list.len() {
            if let LtlNode::Literal(p, truth) = *self.node(list[position]) {
                let opposite = self.table.get(&LtlNode::Literal(p, !truth));
                if opposite.is_some_and(|opposite| list.binary_search(opposite).is_ok()) {
                    return absorbing;
                }
            }
        }
        match list.len() {
            0 => neutral,
            1 => list[0],
            _ if conjunction => self.intern(LtlNode::And(list)),
            _ => self.intern(LtlNode::Or(list)),
        }
    }

    /// `X a`
    pub fn raw_next(&mut self, a: Ltl) -> Ltl {
        if a == Arena::TRUE || a == Arena::FALSE {
            a
        } else {
            self.intern(LtlNode::Next(a))
        }
    }

    /// `F a`
    pub fn raw_finally(&mut self, a: Ltl) -> Ltl {
        match self.node(a) {
            LtlNode::True | LtlNode::False | LtlNode::Finally(_) => a,
            _ => self.intern(LtlNode::Finally(a)),
        }
    }

    /// `G a`
    pub fn raw_globally(&mut self, a: Ltl) -> Ltl {
        match self.node(a) {
            LtlNode::True | LtlNode::False | LtlNode::Globally(_) => a,
            _ => self.intern(LtlNode::Globally(a)),
        }
    }

    /// `a U b`
    pub fn raw_until(&mut self, a: Ltl, b: Ltl) -> Ltl {
        if a == Arena::FALSE || a == b || b == Arena::TRUE || b == Arena::FALSE {
            b
        } else if a == Arena::TRUE {
            self.raw_finally(b)
        } else {
            self.intern(LtlNode::Until(a, b))
        }
    }

    /// `a R b`
    pub fn raw_release(&mut self, a: Ltl, b: Ltl) -> Ltl {
        if a == Arena::TRUE || a == b || b == Arena::TRUE || b == Arena::FALSE {
            b
        } else if a == Arena::FALSE {
            self.raw_globally(b)
        } else {
            self.intern(LtlNode::Release(a, b))
        }
    }

    /// `a W b`
    pub fn raw_weak_until(&mut self, a: Ltl, b: Ltl) -> Ltl {
        if a == Arena::FALSE || a == b || b == Arena::TRUE {
            b
        } else if a == Arena::TRUE {
            Arena::TRUE
        } else if b == Arena::FALSE {
            self.raw_globally(a)
        } else {
            self.intern(LtlNode::WeakUntil(a, b))
        }
    }

    /// `a M b`
    pub fn raw_strong_release(&mut self, a: Ltl, b: Ltl) -> Ltl {
        if a == Arena::TRUE || a == b || b == Arena::FALSE {
            b
        } else if a == Arena::FALSE {
            Arena::FALSE
        } else if b == Arena::TRUE {
            self.raw_finally(a)
        } else {
            self.intern(LtlNode::StrongRelease(a, b))
        }
    }

    /// The negation, again in positive normal form.
    pub fn negate(&mut self, formula: Ltl) -> Ltl {
        if let Some(&known) = self.negations.get(&formula) {
            return known;
        }
        let result = deep(|| match self.node(formula).clone() {
            LtlNode::True => Arena::FALSE,
            LtlNode::False => Arena::TRUE,
            LtlNode::Literal(p, truth) => self.literal(p, !truth),
            LtlNode::And(list) => {
                let list: Vec<Ltl> = list.into_iter().map(|operand| self.negate(operand)).collect();
                self.raw_or(list)
            }
            LtlNode::Or(list) => {
                let list: Vec<Ltl> = list.into_iter().map(|operand| self.negate(operand)).collect();
                self.raw_and(list)
            }
            LtlNode::Next(a) => {
                let a = self.negate(a);
                self.raw_next(a)
            }
            LtlNode::Finally(a) => {
                let a = self.negate(a);
                self.raw_globally(a)
            }
            LtlNode::Globally(a) => {
                let a = self.negate(a);
                self.raw_finally(a)
            }
            LtlNode::Until(a, b) => {
                let (a, b) = (self.negate(a), self.negate(b));
                self.raw_release(a, b)
            }
            LtlNode::Release(a, b) => {
                let (a, b) = (self.negate(a), self.negate(b));
                self.raw_until(a, b)
            }
            LtlNode::WeakUntil(a, b) => {
                let (a, b) = (self.negate(a), self.negate(b));
                self.raw_strong_release(a, b)
            }
            LtlNode::StrongRelease(a, b) => {
                let (a, b) = (self.negate(a), self.negate(b));
                self.raw_weak_until(a, b)
            }
        });
        self.negations.insert(formula, result);
        self.negations.insert(result, formula);
        result
    }

    /// The Boolean function of a formula without temporal operators.
    pub(crate) fn boolean_label(&mut self, formula: Ltl) -> Label {
        if let Some(&known) = self.boolean_labels.get(&formula) {
            return known;
        }
        let result = match self.node(formula).clone() {
            LtlNode::True => Label::TRUE,
            LtlNode::False => Label::FALSE,
            LtlNode::Literal(p, truth) => self.booleans.literal(p, truth),
            LtlNode::And(list) => list.into_iter().fold(Label::TRUE, |all, operand| {
                let operand = deep(|| self.boolean_label(operand));
                self.booleans.and(all, operand)
            }),
            LtlNode::Or(list) => list.into_iter().fold(Label::FALSE, |any, operand| {
                let operand = deep(|| self.boolean_label(operand));
                self.booleans.or(any, operand)
            }),
            _ => unreachable!("only asked of Boolean formulas"),
        };
        self.boolean_labels.insert(formula, result);
        result
    }

    /// The direct subformulas.
    pub fn operands(&self, formula: Ltl) -> Vec<Ltl> {
        match self.node(formula) {
            LtlNode::True | LtlNode::False | LtlNode::Literal(..) => vec![],
            LtlNode::And(list) | LtlNode::Or(list) => list.clone(),
            LtlNode::Next(a) | LtlNode::Finally(a) | LtlNode::Globally(a) => vec![*a],
            LtlNode::Until(a, b)
            | LtlNode::Release(a, b)
            | LtlNode::WeakUntil(a, b)
            | LtlNode::StrongRelease(a, b) => vec![*a, *b],
        }
    }

    /// Number of distinct subformulas.
    pub fn size(&self, formula: Ltl) -> usize {
        let mut seen = rustc_hash::FxHashSet::default();
        let mut stack = vec![formula];
        while let Some(formula) = stack.pop() {
            if seen.insert(formula) {
                stack.extend(self.operands(formula));
            }
        }
        seen.len()
    }
}
