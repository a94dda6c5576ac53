//! Properties as they are asked of abstract models: in the mu-calculus, or about single paths.
//!
//! CTL is translated ([`Formula::to_mu`]). Path quantifiers range over infinite paths: abstract states stand only for states from which such a
//! path starts, so that every one of them has a successor. Under justice they range over just paths, and as in NuSMV only initial
//! states count in which one begins.
//!
//! A justice condition about inputs is met along a step, not in a state. It may be met where some step satisfies it, and is never sure:
//! as an atom that is not true anywhere and false where no step satisfies it, it occurs in the translation just where that is sound
//! (positively below `E`, negatively below `A`).

use super::cause::{Cause, cause};
use super::engine::stopped;
use super::evaluation::{Known, Modalities, three_valued};
use super::linear::LinearFormula;
use super::path::{AbstractPath, doubtful_path};
use entail_budget::Budget;
use entail_evidence::Verdict;
use entail_logic::mu::{Fairness, Fixpoint, Modality, Mu, MuNode, MuVar};
use entail_logic::{Formula, Fragment, Node, Quantifier, Question};
use entail_model::{Kmts, TermId, TransitionSystem};
use entail_symbolic::Attempt;

/// A property whose atoms are positions of propositions.
pub(crate) enum Asked {
    Mu(Mu<usize>),
    Linear(LinearFormula),
}

/// What an abstract model says about it.
pub(crate) struct Finding {
    pub verdict: Verdict,
    /// Why it is unknown.
    pub cause: Option<Cause>,
    /// A path on which a property about all paths is in doubt.
    pub path: Option<AbstractPath>,
}

/// The propositions that matter for a property: its atoms, then justice, then (for linear time) compassion.
pub(crate) fn propositions(system: &TransitionSystem, question: &Question<TermId>) -> Vec<TermId> {
    let mut found = question.atoms();
    let compassion = system.compassion.iter().flat_map(|&(p, q)| [p, q]);
    for term in system.justice.iter().copied().chain(compassion) {
        if !found.contains(&term) {
            found.push(term);
        }
    }
    found
}

/// What a property comes to.
pub(crate) fn asked(system: &TransitionSystem, question: &Question<TermId>) -> Result<Asked, String> {
    let propositions = propositions(system, question);
    let at = |term: &TermId| {
        let position = propositions.iter().position(|other| other == term);
        position.expect("every atom and every fairness condition is a proposition")
    };
    let mu = match question {
        Question::Invariant(atom) => {
            let always = MuVar::new("Z");
            let body = Mu::and([Mu::atom(*atom), Mu::variable(&always).every_next()]);
            body.fixpoint(Fixpoint::Greatest, &always)
        }
        Question::Mu(formula) => formula.clone(),
        Question::Formula(formula) if formula.is_in(Fragment::Ctl) && system.compassion.is_empty() => {
            let justice: Vec<Formula<TermId>> =
                system.justice.iter().map(|&term| Formula::atom(term)).collect();
            let translated = match justice.is_empty() {
                true => formula.to_mu(Fairness::Total),
                false => {
                    let begins = Formula::constant(true).globally().exists();
                    begins.implies(formula).to_mu(Fairness::Justice(&justice))
                }
            };
            translated.map_err(|error| error.to_string())?
        }
        Question::Formula(formula) => {
            let Node::Quantified(quantifier, path) = formula.node() else {
                return Err(NOT_ASKED.into());
            };
            if !path.is_in(Fragment::QuantifierFree) {
                return Err(NOT_ASKED.into());
            }
            if *quantifier == Quantifier::Exists && system.has_fairness() {
                return Err(
                    "formulas E ψ of linear time are not asked of abstract models with fairness".into(),
                );
            }
            return Ok(Asked::Linear(LinearFormula {
                quantifier: *quantifier,
                path: path.map_atoms(&mut |term| at(term)),
                justice: system.justice.iter().map(at).collect(),
                compassion: system.compassion.iter().map(|(p, q)| (at(p), at(q))).collect(),
            }));
        }
        Question::ShortestPath(..) | Question::LongestPath(..) => {
            return Err("lengths of paths are not those of abstract paths".into());
        }
    };
    Ok(Asked::Mu(mu.map_atoms(&mut |term| at(term))))
}

/// What is told of a formula that is neither.
const NOT_ASKED: &str = "abstract models are asked invariants, CTL (without compassion), linear time and the mu-calculus, not all of CTL*";

impl Asked {
    /// Whether it speaks of all successors only, and whether of some only.
    pub fn quantifiers(&self) -> (bool, bool) {
        match self {
            Asked::Linear(formula) => {
                let universal = formula.quantifier == Quantifier::Forall;
                (universal, !universal)
            }
            Asked::Mu(formula) => quantifiers(formula),
        }
    }

    /// What is known of the property in the initial states.
    pub fn decide(&self, kmts: &Kmts, modalities: Modalities, budget: &Budget) -> Attempt<Finding> {
        let formula = match self {
            Asked::Mu(formula) => formula,
            Asked::Linear(formula) => {
                let answer = formula.decide(kmts, modalities, budget)?;
                return Ok(Finding {
                    verdict: answer.verdict,
                    cause: answer.cause,
                    path: answer.path,
                });
            }
        };
        let known = three_valued(kmts, formula, modalities, budget).map_err(stopped)?;
        let mut finding = Finding {
            verdict: verdict(kmts, &known),
            cause: None,
            path: None,
        };
        let mut initial = kmts.initial().iter().copied();
        if let Some(state) = initial.find(|&state| known.at(state).is_none())
            && finding.verdict == Verdict::Unknown
        {
            finding.cause = cause(kmts, formula, modalities, state, budget).map_err(stopped)?;
            if self.quantifiers().0 {
                let path = doubtful_path(kmts, formula, modalities, state, budget);
                finding.path = Some(path.map_err(stopped)?);
            }
        }
        Ok(finding)
    }
}

/// True in all initial states, false in one of them, or neither.
fn verdict(kmts: &Kmts, known: &Known) -> Verdict {
    let mut values = kmts.initial().iter().map(|&state| known.at(state));
    if values.clone().any(|value| value == Some(false)) {
        Verdict::Fails
    } else if values.all(|value| value == Some(true)) {
        Verdict::Holds
    } else {
        Verdict::Unknown
    }
}

fn quantifiers(formula: &Mu<usize>) -> (bool, bool) {
    let (mut universal, mut existential) = (true, true);
    let mut pending = vec![formula];
    while let Some(formula) = pending.pop() {
        match formula.node() {
            MuNode::Modal(Modality::Some, ..) => universal = false,
            MuNode::Modal(Modality::Every, ..) => existential = false,
            _ => {}
        }
        pending.extend(formula.operands());
    }
    (universal, existential)
}
