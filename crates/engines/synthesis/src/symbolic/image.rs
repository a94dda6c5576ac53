//! States after a step, forwards.
//!
//! The latches' functions are a conjunction of equations, one for each latch; a variable is quantified as soon as no equation that is left mentions it (Burch, Clarke, Long, *Symbolic model checking
//! with partitioned transition relations*, 1991).

use super::letters::Latch;
use crate::problem::SynthesisError;
use entail_budget::Budget;
use entail_dd::{Bdd, Manager, Substitution, Var};
use rustc_hash::FxHashMap;

/// Equations are put together as long as they have no more nodes than this.
const CLUSTER: usize = 2_000;

/// The steps of latches.
pub(crate) struct Image {
    /// Equations, and the variables that are not mentioned any more after them.
    clusters: Vec<(Bdd, Bdd)>,
    /// Variables that no equation mentions.
    unmentioned: Bdd,
    back: Substitution,
}

impl Image {
    /// The steps of these latches. `others` are further variables of a step; `moved` are variables that hold the next values of some of them already.
    pub fn new(
        manager: &Manager,
        latches: &[Latch],
        others: &[Var],
        moved: &[(Var, Var)],
    ) -> Result<Image, SynthesisError> {
        let after = manager.new_vars(latches.len())?;
        let after_of: FxHashMap<Var, Var> = (latches.iter().map(|latch| latch.variable))
            .zip(after.iter().copied())
            .collect();
        // What a latch holds next stands beside what it holds now.
        let mut order = Vec::new();
        for variable in manager.order() {
            if !after.contains(&variable) {
                order.push(variable);
                order.extend(after_of.get(&variable).copied());
            }
        }
        manager.set_order(&order)?;
        let mut equations: Vec<Bdd> = Vec::new();
        for (latch, &after) in latches.iter().zip(&after) {
            let equation = manager.var(after)?.iff(&latch.next)?;
            match equations.last_mut() {
                Some(last) if last.node_count() + equation.node_count() < CLUSTER => {
                    *last = last.and(&equation)?;
                }
                _ => equations.push(equation),
            }
        }
        let mut last_of: FxHashMap<Var, usize> = FxHashMap::default();
        for (at, equation) in equations.iter().enumerate() {
            for variable in equation.support() {
                last_of.insert(variable, at);
            }
        }
        let now = latches.iter().map(|latch| latch.variable);
        let now: Vec<Var> = now.chain(others.iter().copied()).collect();
        let of = |place: Option<usize>| {
            let wanted = |variable: &&Var| last_of.get(*variable).copied() == place;
            manager.var_set(now.iter().filter(wanted).copied())
        };
        let mut clusters = Vec::with_capacity(equations.len());
        for (at, equation) in equations.iter().enumerate() {
            clusters.push((equation.clone(), of(Some(at))?));
        }
        let renamed = after_of.iter().map(|(&now, &after)| (after, now));
        let moved = moved.iter().map(|&(now, after)| (after, now));
        Ok(Image {
            clusters,
            unmentioned: of(None)?,
            back: Substitution::renaming(manager, renamed.chain(moved))?,
        })
    }

    /// The states that moves lead to.
    pub fn of(&self, moves: &Bdd) -> Result<Bdd, SynthesisError> {
        let mut set = moves.exists(&self.unmentioned)?;
        for (equation, gone) in &self.clusters {
            set = set.and_exists(equation, gone)?;
        }
        Ok(set.substitute(&self.back)?)
    }

    /// The states that are reached from the first ones by what may be done; in those where all is over nothing is.
    pub fn reached(
        &self,
        first: &Bdd,
        may: &Bdd,
        over: &Bdd,
        budget: &Budget,
    ) -> Result<Bdd, SynthesisError> {
        let (mut all, mut border) = (first.clone(), first.clone());
        while !border.is_false() {
            budget.check_now()?;
            let next = self.of(&border.minus(over)?.and(may)?)?;
            border = next.minus(&all)?;
            all = all.or(&border)?;
        }
        Ok(all)
    }
}
