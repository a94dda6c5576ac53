//! The certificate of k-liveness (Claessen, Sörensson): paths that violate `A ψ` meet their fairness at most so often.
//!
//! The certificate is an inductive invariant, but of a larger system: the model with a *monitor* for `¬ψ` and a counter. Whoever makes
//! a certificate and whoever checks it build that system separately, so it is defined here.
//!
//! **The formula.** `φ` is the negation of `ψ`, bounded operators written out, in positive normal form. Its conjuncts (the operands of
//! a conjunction at its top, or `φ` itself) are taken in order; then justice, then compassion.
//!
//! **Variables** are Boolean, numbered in the order in which they come up here. *Required* means: of every step. `x'` is the next value.
//! Equal subformulas that are shared in the formula are treated once, operands from left to right, before the operator.
//!
//! | | initially | meaning |
//! |---|---|---|
//! | conjunct `G χ` | | `claim(χ)` is required |
//! | conjunct `G F χ` | | `claim(χ)` is a fairness signal |
//! | conjunct `F G χ` | `m = 0` | after the variables of `claim(χ)`: `m → m'` and `m → claim(χ)` are required; `m` is a fairness signal |
//! | other conjunct `χ` | | `claim(χ)` is true at the start |
//! | if there were other conjuncts | `m = 1` | one variable for all of them: `¬m'`, and `m → claim(χ)` for each, are required |
//! | justice `p` | | `p` is a fairness signal |
//! | compassion `(p, q)` | `m = 0` | `m → m'` and `m → ¬p` are required; `m ∨ q` is a fairness signal |
//!
//! `claim` of an atom, a conjunction or a disjunction is itself. For the others:
//!
//! | | initially | `claim` | required | fairness |
//! |---|---|---|---|---|
//! | `X a` | `m = 0` | `m'` | `m → a` | |
//! | `a U b`, `F b` | `m = 0` | `b ∨ (a ∧ m')` | `m → claim` | `¬m' ∨ b` |
//! | `a W b` | `m = 0` | `b ∨ (a ∧ m')` | `m → claim` | |
//! | `a R b`, `G b` | `m = 0` | `b ∧ (a ∨ m')` | `m → claim` | |
//! | `a M b` | `m = 0` | `b ∧ (a ∨ m')` | `m → claim` | `¬m' ∨ (a ∧ b)` |
//! | `Y a`, `Z a` | `m = 0`, `m = 1` | `m` | `m' ↔ a` | |
//! | `a S b`, `O b` | `m = 0` | `b ∨ (a ∧ m)` | `m' ↔ claim` | |
//! | `a T b`, `H b` | `m = 1` | `b ∧ (a ∨ m)` | `m' ↔ claim` | |
//!
//! **The counter.** For each fairness signal `f` in order a variable `s`, initially 0, then for each of `bound + 1` places a variable `c`,
//! initially 0. With `all` the conjunction of `s ∨ f` over all signals: `s' ↔ (s ∨ f) ∧ ¬all`; `c_0' ↔ c_0 ∨ all`;
//! `c_{i+1}' ↔ c_{i+1} ∨ (c_i ∧ all)`. The invariant excludes the last `c`.
//!
//! **Why this proves the property.** An infinite path of the model that is fair and satisfies `φ` can be run with the monitor so that every requirement is
//! kept and every fairness signal is met again and again; then `all` happens for ever and the last `c` is reached. No state with it is reachable, so there is no such path.
//! Finite paths are not covered: the certificate is for models in which only infinite paths count.
//!
//! **Hazards.** The monitor blocks paths, so the invariant says nothing about the model's hazards. A model that has hazards needs an
//! inductive invariant of its own that excludes them.

use crate::Certificate;

/// A bound on how often fairness is met on the paths that violate a formula.
#[derive(Clone, Debug)]
pub struct LivenessCertificate {
    /// The bound: on no path are all fairness signals met more often.
    pub bound: u64,
    /// An inductive invariant of the model with monitor and counter; the added variables are numbered after the model's.
    pub invariant: Certificate,
    /// An inductive invariant of the model that excludes its hazards, if it has any.
    pub hazards: Option<Certificate>,
}
