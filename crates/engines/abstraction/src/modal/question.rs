//! Properties in the mu-calculus.
//!
//! CTL is translated ([`Formula::to_mu`]). Path quantifiers range over infinite paths: abstract states stand only for states from which such a
//! path starts, so that every one of them has a successor. Under justice they range over just paths, and as in NuSMV only initial
//! states count in which one begins.
//!
//! A justice condition about inputs is met along a step, not in a state. It may be met where some step satisfies it, and is never sure:
//! as an atom that is not true anywhere and false where no step satisfies it, it occurs in the translation just where that is sound
//! (positively below `E`, negatively below `A`).

use entail_logic::mu::{Fairness, Fixpoint, Mu, MuVar};
use entail_logic::{Formula, Fragment, Question};
use entail_model::{TermId, TransitionSystem};

/// What a property comes to.
pub(crate) fn to_mu(system: &TransitionSystem, question: &Question<TermId>) -> Result<Mu<TermId>, String> {
    match question {
        Question::Invariant(atom) => {
            let always = MuVar::new("Z");
            let body = Mu::and([Mu::atom(*atom), Mu::variable(&always).every_next()]);
            Ok(body.fixpoint(Fixpoint::Greatest, &always))
        }
        Question::Mu(formula) => Ok(formula.clone()),
        Question::Formula(formula) => {
            if !system.compassion.is_empty() {
                return Err("compassion cannot be expressed in the mu-calculus of abstract states".into());
            }
            if !formula.is_in(Fragment::Ctl) {
                return Err(
                    "only CTL, invariants and the mu-calculus are checked with three truth values".into(),
                );
            }
            let justice: Vec<Formula<TermId>> =
                system.justice.iter().map(|&term| Formula::atom(term)).collect();
            let translated = match justice.is_empty() {
                true => formula.to_mu(Fairness::Total),
                false => {
                    let begins = Formula::constant(true).globally().exists();
                    begins.implies(formula).to_mu(Fairness::Justice(&justice))
                }
            };
            translated.map_err(|error| error.to_string())
        }
        Question::ShortestPath(..) | Question::LongestPath(..) => {
            Err("lengths of paths are not those of abstract paths".into())
        }
    }
}
