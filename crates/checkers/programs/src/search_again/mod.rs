//! Deciding a requirement anew, to check an engine that says that it holds.
//!
//! Everything here is written for clarity and shares nothing with any engine: the reference interpreter makes the states ([`states`]), every
//! order of steps is taken, a formula is negated and made a tableau ([`tableau`]) and a never claim is followed location by
//! location ([`watcher`]), and the product of both is built as a whole and taken apart into strongly connected components
//! ([`product`]). It takes much more time and memory than an engine needs, so it is for small programs and within a budget; what it does not
//! decide, it says.

mod product;
mod states;
mod tableau;
mod watcher;

use entail_answer::CheckReport;
use entail_budget::{Budget, Spent};
use entail_program::Program;
use entail_program::{Requirement, RequirementKind};
use states::RestingStates;
use tableau::Tableau;
use watcher::{AcceptanceLabels, Claim, NoProgress};

/// Programs with more states than this are not searched again.
const MOST_STATES: usize = 400_000;

/// Products with more nodes than this are not searched again.
const MOST_NODES: usize = 4_000_000;

/// Why a requirement was not decided.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Undecided {
    /// There are too many states.
    TooLarge,
    /// The product of the states with what is watched for is too large.
    ProductTooLarge,
    /// Time or memory is spent.
    Spent(Spent),
    /// A condition of the requirement has no value in a reachable state.
    NoValue(String),
    /// An atomic sequence has no end, so that there is no next state.
    Diverges,
    /// The requirement is of a form that is not supported.
    Unsupported(&'static str),
}

impl From<Spent> for Undecided {
    fn from(spent: Spent) -> Undecided {
        Undecided::Spent(spent)
    }
}

impl Undecided {
    fn text(&self) -> String {
        match self {
            Undecided::TooLarge => {
                format!("the program has more than {MOST_STATES} states, too many for the reference interpreter")
            }
            Undecided::ProductTooLarge => "the program's states together with the requirement are too many for the reference interpreter".into(),
            Undecided::Spent(spent) => format!("the search by the reference interpreter was stopped: {spent}"),
            Undecided::NoValue(fault) => {
                format!("the requirement cannot be evaluated in a reachable state: {fault}")
            }
            Undecided::Diverges => {
                "an atomic sequence can go on for ever, which the requirement cannot look into".into()
            }
            Undecided::Unsupported(what) => format!("the reference interpreter does not support {what}"),
        }
    }
}

/// Checks the claim that a requirement holds (with `fair`, on those infinite runs in which every process that can always move from some time
/// on does) by deciding it anew. What is too large for the budget, or at all, is not accepted but left unchecked.
pub fn search_again(
    program: &Program,
    requirement: &Requirement,
    fair: bool,
    budget: &Budget,
) -> CheckReport {
    match violation(program, &requirement.question, fair, budget) {
        Ok(None) => CheckReport::Accepted,
        Ok(Some(reason)) => CheckReport::rejected(reason),
        Err(undecided) => CheckReport::unchecked(format!(
            "that no run violates it was not searched again: {}",
            undecided.text()
        )),
    }
}

/// What violates the requirement, if anything does.
fn violation(
    program: &Program,
    question: &RequirementKind,
    fair: bool,
    budget: &Budget,
) -> Result<Option<String>, Undecided> {
    let fair = fair && *question != RequirementKind::Safety;
    let states = match RestingStates::explore(program, fair, budget)? {
        Ok(states) => states,
        Err(fault) if *question == RequirementKind::Safety => return Ok(Some(fault.to_string())),
        Err(fault) => return Err(Undecided::NoValue(fault.to_string())),
    };
    if *question == RequirementKind::Safety {
        return Ok(states.danger(program));
    }
    if states.diverges() {
        return Err(Undecided::Diverges);
    }
    let is_violated = match question {
        RequirementKind::Safety => false,
        RequirementKind::Always(formula) => {
            let mut tableau = Tableau::new(program, &states, &formula.not())?;
            product::has_violation(&states, &mut tableau, fair, budget)?
        }
        RequirementKind::NeverClaim(claim) => {
            product::has_violation(&states, &mut Claim::new(program, &states, *claim), fair, budget)?
        }
        RequirementKind::NoAcceptanceCycle => product::has_violation(
            &states,
            &mut AcceptanceLabels::new(program, &states),
            fair,
            budget,
        )?,
        RequirementKind::Progress => {
            product::has_violation(&states, &mut NoProgress::new(program, &states), fair, budget)?
        }
    };
    Ok(is_violated.then(|| "the reference interpreter finds a run that violates it".to_owned()))
}
