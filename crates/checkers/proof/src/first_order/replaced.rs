//! Formulas with constants replaced by what conjuncts say they equal.
//!
//! In a model of the formulas both sides of such a conjunct have one value, so putting one in place of the other changes no truth value:
//! what has no model afterwards had none before. Whether a constant occurs in its own definition does not matter for that. Nothing is
//! taken over from whoever replaced them but the list of definitions: each must be found among the conjuncts, and replacing is done anew.

use entail_first_order::{Op, TermId, Terms};
use rustc_hash::{FxHashMap, FxHashSet};

/// The members of conjunctions, nested ones too.
fn parts(terms: &Terms, formulas: &[TermId]) -> FxHashSet<TermId> {
    let mut found: FxHashSet<TermId> = FxHashSet::default();
    let mut waiting = formulas.to_vec();
    while let Some(formula) = waiting.pop() {
        if found.insert(formula) && *terms.op(formula) == Op::And {
            waiting.extend_from_slice(terms.args(formula));
        }
    }
    found
}

/// Formulas that are true in every model of the ones given, with these constants replaced, round by round and in the order of each round.
/// An error if a definition is not among the conjuncts.
pub fn replaced(
    terms: &mut Terms,
    formulas: &[TermId],
    rounds: &[Vec<(TermId, TermId)>],
) -> Result<Vec<TermId>, String> {
    let mut current = formulas.to_vec();
    for round in rounds {
        let known = parts(terms, &current);
        let mut map: FxHashMap<TermId, TermId> = FxHashMap::default();
        for &(constant, value) in round {
            let stated = match value {
                value if value == terms.truth() => constant,
                value if value == terms.falsehood() => {
                    terms.make(Op::Not, &[constant], terms.sort_of(constant))
                }
                value => {
                    let sides = [constant.min(value), constant.max(value)];
                    terms.make(Op::Eq, &sides, terms.sort_of(terms.truth()))
                }
            };
            if !known.contains(&stated) {
                return Err(format!(
                    "{} is not said to equal what replaces it",
                    terms.print(constant)
                ));
            }
            let image = terms.substitute(&[value], &mut map)[0];
            map.insert(constant, image);
        }
        let mut members: Vec<TermId> = known.into_iter().collect();
        members.sort_unstable();
        current = terms.substitute(&members, &mut map);
    }
    // A refutation may speak of any member.
    Ok(parts(terms, &current).into_iter().collect())
}
