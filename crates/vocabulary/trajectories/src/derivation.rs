//! Proofs of trajectory assertions by rules (section 25.8.1), as data.
//!
//! A derivation says how an assertion follows from others about the same netlist. Every rule is sound for all trajectories: where the premises hold, the conclusion does.
//!
//! | rule | conclusion | condition |
//! |---|---|---|
//! | reflexivity | `A => A` | |
//! | shift by k | `N^k A => N^k C`, from `A => C` | |
//! | substitution | `P[e/x] \|= A[e/x] => C[e/x]`, from `P \|= A => C` | |
//! | conjunction | `P1 & P2 \|= A1 and A2 => C1 and C2` | |
//! | cases | `(P1 -> A1) and (P2 -> A2) => (P1 -> C1) and (P2 -> C2)` | |
//! | transitivity | `P1 & P2 \|= A1 => C1 and C2` | `A1 and C1` says all that `A2` does |
//! | consequence | what is stated, `P \|= A => C`, from `Q \|= B => D` | `P` implies `Q`, `A` says all that `B` does, `A and D` says all that `C` does |

use crate::{ConditionId, Drive};

/// How an assertion follows from others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Derivation {
    /// An assertion of the specification, by its position, which is an earlier one.
    Premise(usize),
    /// What is driven is there.
    Reflexivity(Vec<Drive>),
    /// So many steps later.
    Shift(u32, Box<Derivation>),
    /// Conditions in the place of variables, all at once.
    Substitution(Vec<(u32, ConditionId)>, Box<Derivation>),
    /// All of them.
    Conjunction(Vec<Derivation>),
    /// Each where its own assumption holds.
    Cases(Vec<Derivation>),
    /// One after the other: what the first demands is what the next drives.
    Transitivity(Vec<Derivation>),
    /// A statement that says no more than is derived.
    Consequence(Box<Statement>, Box<Derivation>),
}

/// An assertion within a proof: `assumption |= antecedent => consequent`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// What is assumed about the symbolic variables.
    pub assumption: ConditionId,
    /// What is driven.
    pub antecedent: Vec<Drive>,
    /// What is demanded.
    pub consequent: Vec<Drive>,
}

impl Derivation {
    /// The assertions that it starts from, in order, each once.
    pub fn premises(&self) -> Vec<usize> {
        let mut found = Vec::new();
        let mut open = vec![self];
        while let Some(next) = open.pop() {
            match next {
                Derivation::Premise(position) => found.push(*position),
                Derivation::Reflexivity(_) => {}
                Derivation::Shift(_, inner)
                | Derivation::Substitution(_, inner)
                | Derivation::Consequence(_, inner) => open.push(inner),
                Derivation::Conjunction(parts)
                | Derivation::Cases(parts)
                | Derivation::Transitivity(parts) => open.extend(parts),
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }
}

/// How an assertion is to be decided.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Method {
    /// By simulating the netlist.
    #[default]
    Simulation,
    /// By rules, from others.
    Rules(Derivation),
    /// By an assertion with other variables, its indices, that a relation between them and the variables gives (Melham and Jones 2002).
    Index(ConditionId),
}
