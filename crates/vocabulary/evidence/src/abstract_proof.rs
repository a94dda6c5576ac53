//! Proofs about an abstraction with more paths than the model: enough for formulas about all paths.
//!
//! What a proof is about is built here, for checkers and for saved evidence; engines build their abstractions themselves, in forms of their
//! own, and translate their proofs. That every path of the model is one of the systems built here can be seen from each of them alone:
//!
//! - **Weakened**: conjuncts are left out. A variable that no condition on states reads and whose next value nothing reads is not part of
//!   the state any more: it is chosen anew at every step, as it could be anyway.
//! - **Observed**: a state is one of the model, the one by which an abstract state is *entered*. A step may *leave* from any other state
//!   of the model with the same observed values; that state is an input of the step. The formula is the model's own, read in the states
//!   that are entered. A path of the model leaves every state from where it has entered.

use crate::{CheckReport, DeadEnds, Evidence};
use entail_logic::{Fragment, Question};
use entail_model::{Kept, SortError, TermId, Terms, TransitionSystem, VarId, VarKind};

/// A proof about an abstraction of the model.
#[derive(Clone, Debug)]
pub struct AbstractProof {
    /// Which abstraction.
    pub abstraction: Abstracted,
    /// Evidence that the property holds of it. That all states of a predicate abstraction were searched is a claim without a number that could be
    /// counted again (engines differ in what they call a state): checkers search the model itself.
    pub proof: Box<Evidence>,
}

/// An abstraction with more paths than the model.
#[derive(Clone, Debug)]
pub enum Abstracted {
    /// Some conjuncts are left out, the property's atoms observed.
    Weakened(Kept),
    /// Only the property's atoms and these predicates are observed.
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
                system: weakened(system, kept, &question.atoms()),
                question: question.clone(),
            }),
            Abstracted::Observed(predicates) => {
                if !system.hazards.is_empty() {
                    return Err(CheckReport::rejected(
                        "a predicate abstraction does not exclude hazards",
                    ));
                }
                let mut observed = question.atoms();
                let mut whole = system.clone();
                let list = (whole.terms).import(&predicates.terms, &predicates.list, |variable| variable);
                observed.extend(list);
                Ok(AbstractQuestion {
                    system: entered_states(whole, &observed)?,
                    // Written out as a tree, no part of it shared: so the variables of a monitor are numbered, whatever atoms the proof was found with.
                    question: question.map_atoms(&mut |atom| *atom),
                })
            }
        }
    }
}

/// The system with some of its conjuncts.
fn weakened(system: &TransitionSystem, kept: &Kept, atoms: &[TermId]) -> TransitionSystem {
    let chosen = |list: &[TermId], kept: &[usize]| -> Vec<TermId> {
        let positions = kept.iter();
        positions.filter_map(|&at| list.get(at).copied()).collect()
    };
    let init = chosen(&system.init, &kept.init);
    let invariant = chosen(&system.invariant, &kept.invariant);
    let transition = chosen(&system.transition, &kept.transition);

    let mut remembered = vec![false; system.variables().len()];
    for &condition in init.iter().chain(&invariant).chain(atoms) {
        let (read, _) = system.terms.support(&[condition]);
        read.iter().for_each(|id| remembered[id.index()] = true);
    }
    // A hazard about states counts in every state, one about inputs where inputs can be chosen: the former must not become the latter.
    let is_input = |id: &VarId| system.variable(*id).kind == VarKind::Input;
    for hazard in &system.hazards {
        let (read, determined) = system.terms.support(&[hazard.condition]);
        if determined.is_empty() && !read.iter().any(is_input) {
            read.iter().for_each(|id| remembered[id.index()] = true);
        }
    }
    let pairs = system.compassion.iter().flat_map(|&(often, then)| [often, then]);
    let hazards = system.hazards.iter().map(|hazard| hazard.condition);
    let along_steps = transition.iter().chain(&system.justice).chain(atoms).copied();
    for condition in along_steps.chain(pairs).chain(hazards) {
        let (_, determined) = system.terms.support(&[condition]);
        determined.iter().for_each(|id| remembered[id.index()] = true);
    }
    let mut weaker = TransitionSystem::new();
    for (variable, remembered) in system.variables().iter().zip(remembered) {
        let kind = match variable.kind {
            VarKind::State if !remembered => VarKind::Input,
            kind => kind,
        };
        weaker.add_variable(&variable.name, variable.sort.clone(), kind);
    }
    weaker.terms = system.terms.clone();
    weaker.defines = system.defines.clone();
    (weaker.init, weaker.invariant, weaker.transition) = (init, invariant, transition);
    weaker.justice = system.justice.clone();
    weaker.compassion = system.compassion.clone();
    weaker.hazards = system.hazards.clone();
    weaker
}

/// The system in which a step may leave from any state that looks like the one that was entered.
fn entered_states(system: TransitionSystem, observed: &[TermId]) -> Result<TransitionSystem, CheckReport> {
    let ill_sorted = |problem: SortError| CheckReport::rejected(format!("a predicate: {problem}"));
    let (current, next) = system.terms.support(observed);
    let is_state = |id: &VarId| {
        let known = system.variables().get(id.index());
        known.is_some_and(|variable| variable.kind != VarKind::Input)
    };
    if !next.is_empty() || !current.iter().all(is_state) {
        return Err(CheckReport::rejected("a predicate: it is not about states"));
    }
    let mut abstracted = TransitionSystem::new();
    for variable in system.variables() {
        let kind = match variable.kind {
            VarKind::Input => VarKind::Input,
            VarKind::State | VarKind::Frozen => VarKind::State,
        };
        abstracted.add_variable(&variable.name, variable.sort.clone(), kind);
    }
    abstracted.terms = system.terms.clone();
    let mut left: Vec<Option<TermId>> = vec![None; system.variables().len()];
    for id in system.state_variables() {
        let variable = system.variable(id);
        let name = format!("leaving({})", variable.name);
        let copy = abstracted.add_variable(name, variable.sort.clone(), VarKind::Input);
        let copy = abstracted.current(copy);
        left[id.index()] = Some(copy);
        // What is frozen is so along a step of the model, not from where a state was entered to where it is left.
        if variable.kind == VarKind::Frozen {
            let next = abstracted.next(id);
            let same = abstracted.terms.equal(next, copy).map_err(ill_sorted)?;
            abstracted.transition.push(same);
        }
    }
    let leave = |abstracted: &mut TransitionSystem, terms: &[TermId]| {
        (abstracted.terms)
            .replace(terms, |_, variable, next| match next {
                true => None,
                false => left[variable.index()],
            })
            .map_err(ill_sorted)
    };
    for &term in observed {
        let elsewhere = leave(&mut abstracted, &[term])?[0];
        let alike = (abstracted.terms.equal(term, elsewhere)).map_err(ill_sorted)?;
        abstracted.transition.push(alike);
    }
    let invariant = leave(&mut abstracted, &system.invariant)?;
    let steps = leave(&mut abstracted, &system.transition)?;
    abstracted.transition.extend(invariant.into_iter().chain(steps));
    abstracted.justice = leave(&mut abstracted, &system.justice)?;
    for &(often, then) in &system.compassion {
        let pair = leave(&mut abstracted, &[often, then])?;
        abstracted.compassion.push((pair[0], pair[1]));
    }
    abstracted.init = system.init;
    abstracted.invariant = system.invariant;
    Ok(abstracted)
}
