//! Properties in the mu-calculus.
//!
//! Paths are the infinite ones (of which a total relation has no others), and the just ones under justice. CTL is translated
//! ([`Formula::to_mu`]); the translation for structures with dead ends asks at the end of each operator whether a path goes on, so that
//! no verdict depends on totality. As in NuSMV only initial states count in which such a path begins.
//!
//! A justice condition about inputs is met along a step, not in a state. It may be met where some step satisfies it, and is never sure:
//! as an atom that is not true anywhere and false where no step satisfies it, it occurs in the translation just where that is sound
//! (positively below `E`, negatively below `A`).

use entail_evidence::DeadEnds;
use entail_logic::mu::{Fairness, Fixpoint, Mu, MuVar};
use entail_logic::{Formula, Fragment, Question};
use entail_model::{TermId, TransitionSystem};

/// What a property comes to.
pub(crate) fn to_mu(
    system: &TransitionSystem,
    question: &Question<TermId>,
    dead_ends: DeadEnds,
    total: bool,
) -> Result<Mu<TermId>, String> {
    match question {
        Question::Invariant(atom) => {
            let always = MuVar::new("Z");
            let body = Mu::and([Mu::atom(*atom), Mu::variable(&always).every_next()]);
            Ok(body.fixpoint(Fixpoint::Greatest, &always))
        }
        Question::Mu(formula) => Ok(formula.clone()),
        Question::Formula(formula) => {
            if !total && dead_ends == DeadEnds::Maximal {
                return Err(
                    "some states have no successor, and paths that end there are to count: the abstract model has no such paths"
                        .into(),
                );
            }
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
            if total && justice.is_empty() {
                return formula.to_mu(Fairness::Total).map_err(|error| error.to_string());
            }
            let begins = Formula::constant(true).globally().exists();
            begins
                .implies(formula)
                .to_mu(Fairness::Justice(&justice))
                .map_err(|error| error.to_string())
        }
        Question::ShortestPath(..) | Question::LongestPath(..) => {
            Err("lengths of paths are not those of abstract paths".into())
        }
    }
}
