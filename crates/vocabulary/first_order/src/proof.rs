//! Proofs that a list of formulas has no model, as plain data.
//!
//! A refutation is a propositional proof in the manner of LRAT over atoms that stand for terms. Its input clauses are asserted formulas
//! and clauses that are true for a reason of their own, given as a [`Rule`]: the meaning of a connective, a theory lemma with its
//! certificate. `checkers/proof` judges refutations; solvers give them.

use crate::{Rational, TermId, Terms};
use entail_budget::Budget;

/// An atom's number, counted from 1, negative for its negation.
pub type Literal = i32;

/// What a propositional variable of a proof stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Atom {
    /// The truth of a formula.
    Formula(TermId),
    /// Nothing: it may be chosen true once, to switch on formulas asserted under it.
    Free,
}

/// A sum of inequalities with factors, then rounded where all its variables are integers.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Combination {
    /// Literals of the clause, with factors of the inequalities that their negations are, these in lowest whole numbers. Negative only
    /// for an equation.
    pub literals: Vec<(Literal, Rational)>,
    /// Factors of earlier combinations, by position.
    pub earlier: Vec<(usize, Rational)>,
}

/// Why a clause is true.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rule {
    /// The clause is the asserted formula of this number, perhaps under negated free atoms.
    Asserted(usize),
    /// The clause is one free atom, chosen true.
    Chosen,
    /// The clause follows from what the connective of this formula means for its operands.
    Connective(TermId),
    /// The clause says what a conditional term equals.
    Conditional(TermId),
    /// The equations among the negated literals contradict the others by reflexivity, symmetry, transitivity and congruence.
    Congruence,
    /// The last of these combinations of the negated literals is a contradiction of numbers.
    Linear(Vec<Combination>),
    /// This literal of the clause is an equation; that its left side is less is contradicted first, that it is greater second.
    LinearSplit(Literal, Vec<Combination>, Vec<Combination>),
    /// The clause is one inequality that a quotient or floor satisfies by definition.
    Quotient(TermId),
    /// The clause is an axiom of arrays about this term.
    Array(TermId),
    /// The clause is about a product or quotient: one equation of equal polynomials, the definition of a quotient, or a bound that the
    /// factors' distances from these two numbers give.
    Product(TermId, Rational, Rational),
    /// The negations of the literals are polynomial conditions without a common solution over the reals, even if those that are not strict are
    /// widened by this margin.
    Cells(Rational),
    /// The clause says that an instance of a universal formula follows from it: its body with these terms for the bound variables.
    Instance(TermId, Vec<TermId>),
    /// The clause says that a universal formula holds if its body does for these constants, which mean nothing else.
    Skolem(TermId, Vec<TermId>),
    /// The clause is claimed without a certificate, for this reason.
    Claimed(&'static str),
}

/// One step of a proof. Clauses are numbered from 1 in the order of the steps that add one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RefutationStep {
    /// A clause that is true for a reason of its own.
    Input {
        /// Its number.
        id: u32,
        /// The clause.
        clause: Box<[Literal]>,
        /// The reason.
        rule: Rule,
    },
    /// A clause that follows from earlier ones by unit propagation in the order of the hints.
    Derived {
        /// Its number.
        id: u32,
        /// The clause.
        clause: Box<[Literal]>,
        /// The numbers of the clauses used.
        hints: Box<[u32]>,
    },
}

/// A proof that asserted formulas have no model: the last step derives the empty clause.
#[derive(Clone, Debug, Default)]
pub struct Refutation {
    /// What the variables stand for.
    pub atoms: Vec<Atom>,
    /// The steps.
    pub steps: Vec<RefutationStep>,
}

/// Whoever can be asked for refutations. Nothing it says is believed without the proof.
pub trait Refuter {
    /// A proof that the formulas have no model together, or why there is none.
    fn refute(
        &mut self,
        terms: &mut Terms,
        formulas: &[TermId],
        budget: &Budget,
    ) -> Result<Refutation, String>;
}
