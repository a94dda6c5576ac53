//! Fixpoints on sets of states: `E[p U q]`, and the states from which a fair path starts.
//!
//! **Justice** (Emerson, Lei 1986; chapter 8, Eq. 15): the greatest set Z inside φ such that from every state of Z, for each
//! condition J, a path inside φ leads to a step that satisfies J and ends in Z:
//! `νZ. φ ∧ ⋀ E[φ U φ ∧ pre_J(Z)]`. Conditions are met along steps, so they may read inputs. (The iteration starts from φ,
//! not from everything, which the book's figure forgets.)
//!
//! **Compassion** (Kesten, Pnueli, Raviv; chapter 2, Algorithm 4): states satisfying `p` from which `q` cannot be reached are
//! removed as well. What is left reaches a component that is fair; since a fair path may meet such a `p` finitely often, the
//! answer is everything that can reach what is left.

use crate::encoding::Encoding;
use crate::machine::Machine;
use crate::reachability::Watch;
use crate::stop::Attempt;
use entail_dd::Bdd;

/// What fixpoints need.
#[derive(Clone, Copy)]
pub(crate) struct Fixpoints<'a> {
    pub encoding: &'a Encoding,
    pub machine: &'a Machine,
    pub watch: Watch<'a>,
}

impl Fixpoints<'_> {
    pub fn pre(&self, states: &Bdd) -> Attempt<Bdd> {
        self.machine.preimage(self.encoding, states)
    }

    /// States of `p ∪ q` from which a path inside `p` leads to `q`.
    pub fn until(&self, p: &Bdd, q: &Bdd) -> Attempt<Bdd> {
        let mut found = q.clone();
        let mut frontier = q.clone();
        let mut rounds = 0;
        while !frontier.is_false() {
            rounds += 1;
            self.watch.report("backward search", rounds, &frontier)?;
            let before = found.clone();
            if self.machine.parts.len() > 1 {
                // Chaining: each part works on what the earlier ones have added.
                for part in &self.machine.parts {
                    let new = part
                        .preimage(self.encoding, &frontier, None)?
                        .and(p)?
                        .minus(&found)?;
                    if !new.is_false() {
                        found = found.or(&new)?;
                        frontier = frontier.or(&new)?;
                    }
                }
            } else {
                let new = self.pre(&frontier)?.and(p)?;
                found = found.or(&new)?;
            }
            frontier = found.minus(&before)?;
        }
        Ok(found)
    }

    /// The states of a set from which a path stays in it for ever. After the first round only predecessors of what was
    /// removed last can lose their last successor, and usually they are few.
    pub fn trim(&self, within: &Bdd) -> Attempt<Bdd> {
        let mut core = within.and(&self.pre(within)?)?;
        let mut removed = within.minus(&core)?;
        let mut rounds = 0;
        while !removed.is_false() && !core.is_false() {
            rounds += 1;
            self.watch.report("dead ends", rounds, &removed)?;
            let candidates = self.pre(&removed)?.and(&core)?;
            if candidates.is_false() {
                break;
            }
            // By way of their successors: few states have few, and the core, which may be large, is only intersected.
            let successors = self.machine.image(&candidates)?.and(&core)?;
            removed = candidates.minus(&self.pre(&successors)?)?;
            core = core.minus(&removed)?;
        }
        Ok(core)
    }

    /// The part of `within` on whose paths every fairness condition can be met for ever, before what only leads there is added.
    pub fn fair_core(&self, within: &Bdd, justice: &[Bdd], compassion: &[(Bdd, Bdd)]) -> Attempt<Bdd> {
        let mut core = within.clone();
        let mut rounds = 0;
        loop {
            rounds += 1;
            self.watch.report("fair cycles", rounds, &core)?;
            let before = core.clone();
            // Without a successor in the core no path stays in it; cheap, and it cuts much.
            core = self.trim(&core)?;
            for condition in justice {
                let meeting = self
                    .machine
                    .preimage_along(self.encoding, &core, Some(condition))?
                    .and(&core)?;
                core = self.until(&core, &meeting)?;
            }
            for (p, q) in compassion {
                let meeting = core.and(q)?;
                let reaching = self.until(&core, &meeting)?;
                core = core.minus(p)?.or(&reaching)?;
            }
            if core == before {
                return Ok(core);
            }
        }
    }

    /// States of `within` from which a fair path stays inside it.
    pub fn fair(&self, within: &Bdd, justice: &[Bdd], compassion: &[(Bdd, Bdd)]) -> Attempt<Bdd> {
        let core = self.fair_core(within, justice, compassion)?;
        if compassion.is_empty() {
            return Ok(core);
        }
        self.until(within, &core)
    }
}
