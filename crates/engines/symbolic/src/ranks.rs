//! Ranks by which no fair path stays in a set: the order in which the fixpoint of Emerson and Lei removes its states.
//!
//! States without a successor in what is left are removed (they are left by every step), then for each justice condition the states from which no step that meets it can
//! be reached. What is removed in one round has no step back to what is left, so the rounds are ranks ([`entail_evidence::FixpointProof`]'s module says
//! what is asked of them).

use crate::fair_states::Fixpoints;
use crate::stop::{Attempt, NotComputed};
use entail_dd::Bdd;

/// More rounds than this are no useful proof.
const MOST_STAGES: usize = 4_000;

/// The states removed up to a round, and the justice condition that was not met.
pub(crate) type Stages = Vec<(Bdd, Option<usize>)>;

impl Fixpoints<'_> {
    /// The stages of a set in which no fair path stays; none if one does.
    pub fn ranks(&self, within: &Bdd, justice: &[Bdd]) -> Attempt<Option<Stages>> {
        let mut left = within.clone();
        let mut removed = within.manager().zero();
        let mut stages = Stages::new();
        loop {
            self.watch.report("ranks", stages.len(), &left)?;
            let before = left.clone();
            while !left.is_false() {
                let leaving = left.minus(&self.pre(&left)?)?;
                if leaving.is_false() {
                    break;
                }
                left = left.minus(&leaving)?;
                removed = removed.or(&leaving)?;
                self.push(&mut stages, &removed, None)?;
            }
            for (number, condition) in justice.iter().enumerate() {
                if left.is_false() {
                    break;
                }
                let along = Some(condition);
                let meeting = self
                    .machine
                    .preimage_along(self.encoding, &left, along)?
                    .and(&left)?;
                let reaching = self.until(&left, &meeting)?;
                let cut_off = left.minus(&reaching)?;
                if !cut_off.is_false() {
                    left = reaching;
                    removed = removed.or(&cut_off)?;
                    self.push(&mut stages, &removed, Some(number))?;
                }
            }
            if left.is_false() {
                return Ok(Some(stages));
            }
            if left == before {
                return Ok(None);
            }
        }
    }

    fn push(&self, stages: &mut Stages, removed: &Bdd, unmet: Option<usize>) -> Attempt<()> {
        self.watch.budget.check_now()?;
        if stages.len() >= MOST_STAGES {
            return Err(NotComputed::Unsupported("too many ranks".into()));
        }
        stages.push((removed.clone(), unmet));
        Ok(())
    }
}
