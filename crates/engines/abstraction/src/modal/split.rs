//! From the cause of an unknown answer to a finer abstraction.

use super::cause::Cause;
use super::classes::Classes;
use super::labels::Label;
use super::options::Splitting;
use entail_model::Observation;
use entail_symbolic::Attempt;
use std::sync::Arc;

/// What makes the abstraction finer.
pub(crate) enum Split {
    /// One more observation, which splits the state that is to blame.
    By(Observation),
    /// The step to blame is not there at all: an exact relation does not have it.
    NoSuchStep,
    /// Nothing: a justice condition about inputs is not decided by any state, or the set is too large to be written down.
    Nothing,
}

/// Longer names of observations are replaced by short ones.
const LONGEST_NAME: usize = 40;

/// The observation that tells apart what the cause does not: "has a successor in that abstract state", or the atom itself.
pub(crate) fn split(
    classes: &mut Classes<'_, '_>,
    labels: &[Label],
    cause: Cause,
    splitting: Splitting,
    round: usize,
) -> Attempt<Split> {
    let (state, set, name) = match cause {
        Cause::Literal { state, proposition } => {
            let label = &labels[proposition];
            if label.holds != label.possible {
                return Ok(Split::Nothing);
            }
            (state, label.holds.clone(), format!("atom {}", proposition + 1))
        }
        Cause::Step { from, to } => {
            let before = classes.preimage(to)?;
            if classes.gamma(from).is_disjoint_from(&before)? {
                return Ok(Split::NoSuchStep);
            }
            (from, before, format!("EX [{}]", classes.show(to)))
        }
    };
    let set = match splitting {
        Splitting::All => set.restrict(&classes.universe)?,
        Splitting::One => set.and(classes.gamma(state))?,
    };
    // What was split before is named by the round that did it.
    let name = match name.chars().count() {
        ..=LONGEST_NAME if splitting == Splitting::All => name,
        _ => format!("split{}", round + 1),
    };
    Ok(match classes.space.term(&set, &mut classes.terms) {
        Some(term) => Split::By(Observation {
            name: Arc::from(name),
            term,
        }),
        None => Split::Nothing,
    })
}
