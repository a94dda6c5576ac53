//! The verdict on an LTL property, with its evidence, from a search on the fly.
//!
//! *Fails* comes with the path that was found. *Holds* claims an exhaustive search, so what the search did not need to see is
//! enumerated as well: the number of states is the model's, and hazards and dead ends are found wherever they are. Two more
//! questions to the same graph tell whether the property holds vacuously.

use super::bad_prefix::as_short_as_decided;
use super::on_the_fly::{Query, accepted_path, has_accepted_path};
use super::property_automaton::PropertyAutomaton;
use crate::code::evaluator::is_about_steps;
use crate::search::explore::ExplorationEnd;
use crate::search::rows::Rows;
use crate::state_table::StateId;
use crate::stepper::Stepper;
use entail_automata::AutomataError;
use entail_evidence::{
    Because, DeadEnds, Evidence, Exhaustive, Explanation, Outcome, PathWitness, Searched, Verdict, Warning,
    WarningKind,
};
use entail_logic::{Formula, Interval, Node, Quantifier, Unary};
use entail_model::TermId;

/// The path formula of a property that is about all infinite paths and has no other quantifier.
pub(crate) fn linear_path(formula: &Formula<TermId>) -> Option<&Formula<TermId>> {
    fn has_quantifier(formula: &Formula<TermId>) -> bool {
        matches!(formula.node(), Node::Quantified(..))
            || formula
                .operands()
                .into_iter()
                .any(|part| stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || has_quantifier(part)))
    }
    match formula.node() {
        Node::Quantified(Quantifier::Forall, path) if !has_quantifier(path) => Some(path),
        _ => None,
    }
}

/// Judges `A path`, given the automaton of the paths that violate it.
pub(crate) fn judge<R: Rows>(
    query: &Query<'_>,
    rows: &mut R,
    formula: &Formula<TermId>,
    violating: PropertyAutomaton<TermId>,
    policy: DeadEnds,
) -> Result<Outcome, ExplorationEnd> {
    let statistics = |rows: &R| rows.explored().statistics_without_depth();
    if let Some(path) = accepted_path(query, rows, violating)? {
        let trace = path.trace(query.stepper, rows, policy, query.budget)?;
        let explanation = Explanation {
            formula: formula.clone(),
            truth: false,
            state: values(query, rows, path.states[0]),
            because: Because::Path(PathWitness {
                trace: as_short_as_decided(&query.stepper.system, trace, formula),
                notes: Vec::new(),
            }),
        };
        let mut outcome = Outcome::complete(Verdict::Fails, Evidence::Explanation(explanation));
        outcome.statistics = statistics(rows);
        return Ok(outcome);
    }
    rows.complete()?;
    let claim = Exhaustive {
        states: rows.explored().table.len() as u64,
        satisfying: None,
        searched: Searched::Model,
    };
    let mut outcome = Outcome::complete(Verdict::Holds, Evidence::Exhaustive(claim));
    outcome.statistics = statistics(rows);
    outcome.warnings.extend(vacuity(query, rows, formula, policy)?);
    Ok(outcome)
}

/// How a property may hold vacuously.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Vacuity {
    NoPath,
    NoAntecedent,
}

/// Path formulas that some path must satisfy, lest the property hold vacuously. `may_end` says that finite paths, which do not count, are possible.
pub(crate) fn vacuity_questions(
    stepper: &Stepper,
    formula: &Formula<TermId>,
    may_end: bool,
) -> Vec<(Formula<TermId>, Vacuity)> {
    let mut questions = Vec::new();
    if stepper.system.has_fairness() || may_end {
        questions.push((Formula::constant(true), Vacuity::NoPath));
    }
    if let Some(antecedent) = antecedent(formula) {
        let mut about_steps = false;
        antecedent.for_each_atom(&mut |&term| about_steps |= is_about_steps(&stepper.system, term));
        if !about_steps && antecedent.is_propositional() {
            questions.push((antecedent.finally(), Vacuity::NoAntecedent));
        }
    }
    questions
}

/// The warning about it.
pub(crate) fn vacuous(stepper: &Stepper, kind: Vacuity) -> Warning {
    match kind {
        Vacuity::NoPath => {
            let kind = if stepper.system.has_fairness() {
                "fair"
            } else {
                "infinite"
            };
            let text = format!("no {kind} path starts in an initial state: the property holds vacuously");
            Warning::new(WarningKind::NoFairPath, text)
        }
        Vacuity::NoAntecedent => {
            let text = "the property holds vacuously: its antecedent is true in no reachable state";
            Warning::new(WarningKind::Vacuous, text)
        }
    }
}

/// Why a property that holds may say less than it seems to.
fn vacuity<R: Rows>(
    query: &Query<'_>,
    rows: &mut R,
    formula: &Formula<TermId>,
    policy: DeadEnds,
) -> Result<Option<Warning>, ExplorationEnd> {
    let may_end = policy == DeadEnds::Infinite && rows.explored().dead_end.is_some();
    for (path, kind) in vacuity_questions(query.stepper, formula, may_end) {
        if !some_path(query, rows, &path)? {
            return Ok(Some(vacuous(query.stepper, kind)));
        }
    }
    Ok(None)
}

/// The `p` of `A G (p -> q)`.
fn antecedent(formula: &Formula<TermId>) -> Option<&Formula<TermId>> {
    let Node::Unary(Unary::Globally, Interval::ALWAYS, body) = linear_path(formula)?.node() else {
        return None;
    };
    match body.node() {
        Node::Implies(antecedent, _) => Some(antecedent),
        _ => None,
    }
}

/// Whether some fair path satisfies a path formula.
fn some_path<R: Rows>(
    query: &Query<'_>,
    rows: &mut R,
    path: &Formula<TermId>,
) -> Result<bool, ExplorationEnd> {
    match PropertyAutomaton::new(path, query.budget) {
        Ok(automaton) => has_accepted_path(query, rows, automaton),
        // A formula too large to be asked gives no warning.
        Err(AutomataError::Spent(spent)) => Err(ExplorationEnd::Unknown {
            reason: spent.to_string(),
            statistics: rows.explored().statistics(),
        }),
        Err(_) => Ok(true),
    }
}

fn values<R: Rows>(query: &Query<'_>, rows: &R, state: u32) -> Vec<Option<entail_model::Value>> {
    let layout = &query.stepper.layout;
    layout.values(&rows.explored().table.state(layout, StateId(state)))
}
