//! Proofs about an abstraction with more paths than the model: enough for formulas about all paths.
//!
//! Whoever finds such a proof and whoever checks it build the abstraction from the same plain data, so what it is is said here.

use crate::{CheckReport, DeadEnds, Evidence};
use entail_logic::{Fragment, Node, Quantifier, Question};
use entail_model::{Kept, SortError, TermId, Terms, TransitionSystem, VarKind, existential_abstraction};

/// A proof about an abstraction of the model.
#[derive(Clone, Debug)]
pub struct AbstractProof {
    /// Which abstraction.
    pub abstraction: Abstracted,
    /// Evidence that the property holds of it.
    pub proof: Box<Evidence>,
}

/// An abstraction with more paths than the model.
#[derive(Clone, Debug)]
pub enum Abstracted {
    /// Some conjuncts are left out ([`Kept::weaken`], the property's atoms observed).
    Weakened(Kept),
    /// Only the property's atoms and these predicates are observed ([`existential_abstraction`]).
    Observed(Predicates),
}

/// Terms about states in a store of their own, variables numbered as the system's.
#[derive(Clone, Debug, Default)]
pub struct Predicates {
    /// The store.
    pub terms: Terms,
    /// The terms.
    pub list: Vec<TermId>,
}

/// The question that a proof about an abstraction answers.
#[derive(Clone, Debug)]
pub struct AbstractQuestion {
    /// The abstract system.
    pub system: TransitionSystem,
    /// What is asked of it.
    pub question: Question<TermId>,
}

impl Abstracted {
    /// The abstract system and what has to hold of it, if that establishes the property of the model: it is about all paths, and every path that counts
    /// in the model counts in the abstraction.
    pub fn question(
        &self,
        system: &TransitionSystem,
        question: &Question<TermId>,
        dead_ends: DeadEnds,
    ) -> Result<AbstractQuestion, CheckReport> {
        let universal = match question {
            Question::Invariant(_) => true,
            // A path that ends in the model may go on in the abstraction: only where endless paths alone count, all is well.
            Question::Formula(_) if dead_ends != DeadEnds::Infinite => {
                return Err(CheckReport::rejected(
                    "an abstract proof is about endless paths, and here others count as well",
                ));
            }
            Question::Formula(formula) => formula.is_in(Fragment::ActlStar),
            _ => false,
        };
        if !universal {
            return Err(CheckReport::rejected(
                "an abstract proof cannot establish a property that is not about all paths",
            ));
        }
        match self {
            Abstracted::Weakened(kept) => Ok(AbstractQuestion {
                system: kept.weaken(system, &question.atoms()),
                question: question.clone(),
            }),
            Abstracted::Observed(predicates) => {
                if !system.hazards.is_empty() {
                    return Err(CheckReport::rejected(
                        "a predicate abstraction does not exclude hazards",
                    ));
                }
                let mut system = system.clone();
                let list = system
                    .terms
                    .import(&predicates.terms, &predicates.list, |variable| variable);
                let mut observed = question.atoms();
                observed.extend(list);
                observed_question(&system, &observed, question)
                    .map_err(|problem| CheckReport::rejected(format!("a predicate: {problem}")))
            }
        }
    }
}

/// Why there is no predicate abstraction.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotObserved {
    /// It reads inputs or next values.
    #[error("it is not about states")]
    NotAboutStates,
    /// It does not fit.
    #[error(transparent)]
    Sort(#[from] SortError),
}

/// What has to hold of the abstraction by observed terms, which begin with the question's atoms in their order. Paths there have one more position
/// at their start.
pub fn observed_question(
    system: &TransitionSystem,
    observed: &[TermId],
    question: &Question<TermId>,
) -> Result<AbstractQuestion, NotObserved> {
    let (current, next) = system.terms.support(observed);
    if !next.is_empty()
        || current
            .iter()
            .any(|&id| system.variable(id).kind == VarKind::Input)
    {
        return Err(NotObserved::NotAboutStates);
    }
    let mut abstraction = existential_abstraction(system, observed)?;
    let atoms = question.atoms();
    let seen: Vec<TermId> = abstraction
        .observed
        .iter()
        .map(|&variable| abstraction.system.current(variable))
        .collect();
    let asked = question.map_atoms(&mut |atom| atoms.binary_search(atom).map_or(*atom, |at| seen[at]));
    let question = match asked {
        Question::Invariant(atom) => {
            let started = abstraction.system.current(abstraction.started);
            Question::Invariant(abstraction.system.terms.implies(started, atom))
        }
        Question::Formula(formula) => Question::Formula(match formula.node() {
            // `A X A ψ` without the second quantifier: linear time stays linear time.
            Node::Quantified(Quantifier::Forall, path) => path.next().forall(),
            _ => formula.next().forall(),
        }),
        other => other,
    };
    Ok(AbstractQuestion {
        system: abstraction.system,
        question,
    })
}
