//! The proof of a formula of branching time by sets of states: greatest fixpoints as sets that are kept, least ones with ranks.
//!
//! An engine that evaluates fixpoints has, at the end, the set of states where each operator holds. Written down as formulas, with a rank where a fixpoint is
//! a least one and a strategy where a path is said to exist, these sets are a proof that can be checked step by step by a SAT solver, without any fixpoint
//! (Namjoshi 2001). Whoever makes a proof and whoever checks it work separately, so what it consists of is defined here.
//!
//! **The system.** The model itself, or with `monitored` the model with the monitor for `¬ψ` that [`crate::LivenessCertificate`] defines, without its
//! counter, where the property is `A ψ`: then justice is the list of the monitor's fairness signals, there is no compassion, and the formula proved is
//! `false`, which holds of a system without fair paths. `reachable` is an inductive invariant of the system; every claim below is about states inside it.
//! Paths are infinite; a path is *fair* if every justice condition is true at infinitely many of its steps.
//!
//! **Operators.** Walking through the formula with the truth that is wanted of each part, operands from left to right before the operator, every temporal operator
//! met is one entry of `operators`. A negation flips what is wanted, an implication that of its left operand; parts without quantifiers have no entries. `A` where truth is wanted and
//! `E` where falsity is wanted are about *all* paths, the others about *some* path. Below a quantifier every operator is read by what is wanted of it: `F p` as
//! `true U p`, `G p` as `false R p`, `p W q` as `q R (p | q)`, `p M q` as `q U (p & q)`, and where falsity is wanted as its dual with falsity wanted of the operands. Operands are state formulas, or path
//! formulas below the same quantifier where it distributes: all operands of a conjunction about all paths or of a disjunction about some, one operand of the others; the operand of `X`; the right
//! operand of `R` about all paths (not of `W`), of `U` about some (not of `M`); nothing else has a proof of this kind. Bounds are not covered. About some path, only `false R p` is covered.
//! `E X true`, `E X X true`, … have no entry: they are true wherever a fair path begins, and claims are about such states.
//!
//! **Claims.** Each entry has a set of states, and claims that the operator holds in each of them from which a fair path begins. A state formula below "all paths" may also be replaced by membership in
//! `unfair`, states without fair paths; one below "some path" needs membership in `fair`, states with one. With `P`, `Q` the operands, `S` the set, `→` a step inside `reachable`:
//!
//! | operator | all paths | some path |
//! |---|---|---|
//! | `X P` | a step from `S` leads to `P` or `unfair` | the strategy's step leads to `P` |
//! | `P U Q` | `S` is inside `P ∪ Q`; a step from `B = S \ Q \ unfair` leads to `S` or `unfair`; `B` is ranked by stages | `S` is inside `P ∪ Q`; `S \ Q` is inside the stages, and from a state whose stage is the i-th the strategy leads to `Q` or an earlier stage, inside `S` |
//! | `P R Q` | `S` is inside `Q`; a step from `S \ P` leads to `S` or `unfair` | (`P` false) `S` is inside `Q`; for each justice condition, stages cover `S`: the strategy leads to an earlier stage, from the first stage along a step that meets the condition; all inside `S`. Without justice one strategy that stays in `S` |
//!
//! **Ranks of `B`.** The stages `C_1 ⊆ C_2 ⊆ … ⊆ C_n` cover `B`. A step from `B ∩ C_i \ C_{i-1}` to `B` leads to `C_{i-1}`, or to `C_i` along a step that does not
//! meet the justice condition the stage names; a stage that names none is left by every step. So a path that stays in `B` comes to stay in
//! one stage, and is not fair.
//!
//! `unfair` is a set with its ranks as of `true U false` about all paths; `fair` one with its strategies as of `false R true` about some path.
//!
//! **A strategy** gives for each input and each state variable a value that depends on the state: the inputs of the step and the state after it.
//!
//! **The whole.** Every initial state is in the set of the formula, or in `unfair`.
//!
//! **Hazards.** `reachable` excludes the model's hazards; with `monitored`, `hazards` is an invariant of the model that does, if it has any.

use crate::Certificate;
use entail_model::{TermId, Terms, VarId};

/// Sets of states and their ranks that prove a formula.
#[derive(Clone, Debug)]
pub struct FixpointProof {
    /// The store of all formulas, with variables numbered as the system's.
    pub terms: Terms,
    /// Whether the system is the model with the monitor of its property.
    pub monitored: bool,
    /// An inductive invariant.
    pub reachable: TermId,
    /// States without a fair path.
    pub unfair: Option<ProvedSet>,
    /// States with a fair path.
    pub fair: Option<ProvedSet>,
    /// The operators of the formula.
    pub operators: Vec<ProvedSet>,
    /// Of a monitored model: an inductive invariant that excludes its hazards.
    pub hazards: Option<Certificate>,
}

/// States where an operator holds, and why.
#[derive(Clone, Debug)]
pub struct ProvedSet {
    /// The states.
    pub states: TermId,
    /// One for a least fixpoint or a next step that exists, one for each justice condition (or one) for a path that goes on for ever.
    pub progress: Vec<Progress>,
}

/// How an operator's end comes nearer.
#[derive(Clone, Debug, Default)]
pub struct Progress {
    /// Growing sets of states.
    pub stages: Vec<Stage>,
    /// The value of each input and of each state variable after the step, where a step is claimed to exist.
    pub strategy: Vec<(VarId, TermId)>,
}

/// One set of a growing sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stage {
    /// The states up to this stage.
    pub states: TermId,
    /// The justice condition, by its number, that is not met inside the stage; none if the stage is left by every step.
    pub unmet: Option<usize>,
}

impl FixpointProof {
    /// All terms that it is made of.
    pub fn roots(&self) -> Vec<TermId> {
        let mut roots = vec![self.reachable];
        for set in self.operators.iter().chain(&self.unfair).chain(&self.fair) {
            roots.push(set.states);
            for progress in &set.progress {
                roots.extend(progress.stages.iter().map(|stage| stage.states));
                roots.extend(progress.strategy.iter().map(|&(_, value)| value));
            }
        }
        roots
    }

    /// The same proof with other terms and variables.
    pub fn map(
        &self,
        terms: Terms,
        hazards: Option<Certificate>,
        term: &mut dyn FnMut(TermId) -> TermId,
        variable: &mut dyn FnMut(VarId) -> VarId,
    ) -> FixpointProof {
        let mut set = |set: &ProvedSet| ProvedSet {
            states: term(set.states),
            progress: (set.progress.iter())
                .map(|progress| Progress {
                    stages: (progress.stages.iter())
                        .map(|stage| Stage {
                            states: term(stage.states),
                            ..*stage
                        })
                        .collect(),
                    strategy: (progress.strategy.iter())
                        .map(|&(id, value)| (variable(id), term(value)))
                        .collect(),
                })
                .collect(),
        };
        let unfair = self.unfair.as_ref().map(&mut set);
        let fair = self.fair.as_ref().map(&mut set);
        let operators = self.operators.iter().map(&mut set).collect();
        FixpointProof {
            reachable: term(self.reachable),
            monitored: self.monitored,
            unfair,
            fair,
            operators,
            terms,
            hazards,
        }
    }
}
