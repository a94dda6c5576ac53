//! What is asked of the checkers before a script's answer is given.

use crate::model::scope_of;
use entail_budget::Budget;
use entail_first_order::sexpr::Reader;
use entail_first_order::{Evaluator, FirstOrderSystem, Interpretation, Op, Sort, TermId, Terms};
use entail_proof::first_order::{
    AletheProof, BitsFault, FirstOrderJudgement, LawFault, LawJudge, alethe, check_k_induction,
    check_refutation, refute_by_bits, replaced,
};
use entail_smt::{Answer, Decision, Definitions, ProvingRefuter, decide};
use entail_smtlib::read_term;

/// Judges the proof that formulas have no model: what is left without a certificate, or why it is rejected.
/// Laws of words beyond the first `read` were applied by a solver that is not believed where it translated floating-point numbers.
pub(crate) fn judge_refutation(
    terms: &mut Terms,
    formulas: &[TermId],
    decision: &Decision,
    (laws, read): (&mut LawJudge, usize),
    budget: &Budget,
) -> Result<Vec<&'static str>, String> {
    // The proof is about formulas that were translated without a certificate: their bits say whether the result is right.
    if !decision.claims.is_empty() {
        match refute_by_bits(terms, formulas, &third_of(budget)) {
            Ok(()) => return Ok(judge_laws(terms, laws, read, budget)?.into_iter().collect()),
            Err(BitsFault::HasModel) => return Err("the bits of the formulas have a model".into()),
            Err(BitsFault::Undecided(_)) => {}
        }
    }
    let refutation = decision.refutation.as_ref().ok_or("there is no proof")?;
    let refuted = refuted_formulas(terms, formulas, decision)?;
    let checked = check_refutation(terms, &refuted, refutation, budget)?;
    let applied = match decision.claims.is_empty() {
        true => terms.applied_laws().len(),
        false => read,
    };
    let unproved = judge_laws(terms, laws, applied, budget)?;
    let claims = checked.unjustified.iter().chain(&decision.claims).copied();
    Ok(claims.chain(unproved).collect())
}

/// The proof of a decision as text, if it has one.
pub(crate) fn proof_of(terms: &mut Terms, formulas: &[TermId], decision: &Decision) -> Option<AletheProof> {
    let refutation = decision.refutation.as_ref()?;
    let refuted = refuted_formulas(terms, formulas, decision).ok()?;
    Some(alethe(terms, &refuted, refutation))
}

/// A third of what is left of a budget.
fn third_of(budget: &Budget) -> Budget {
    match budget.time_left() {
        Some(left) => budget.part(left / 3),
        None => budget.same_limits(),
    }
}

/// Judges the laws of words that were applied: what is to be said if some were not shown, or why the proof is rejected.
fn judge_laws(
    terms: &Terms,
    laws: &mut LawJudge,
    until: usize,
    budget: &Budget,
) -> Result<Option<&'static str>, String> {
    match laws.judge(terms, until, &third_of(budget)) {
        Ok(()) => Ok(None),
        Err(LawFault::Wrong(why)) => Err(format!("a law of words is wrong: {why}")),
        Err(LawFault::Undecided(_)) => Ok(Some("a law of words was applied that was not shown again")),
    }
}

/// The formulas a proof is about: those that follow from the ones asked for by replacing what they define, or those that were translated
/// without a certificate.
fn refuted_formulas(
    terms: &mut Terms,
    formulas: &[TermId],
    decision: &Decision,
) -> Result<Vec<TermId>, String> {
    if !decision.claims.is_empty() {
        return Ok(decision.formulas.clone());
    }
    let pairs = |round: &Definitions| round.iter().map(|one| (one.constant, one.value)).collect();
    let rounds: Vec<Vec<(TermId, TermId)>> = decision.definitions.iter().map(pairs).collect();
    replaced(terms, formulas, &rounds)
}

/// Whether universal formulas that formulas speak of have the truth values claimed under a model: a true one because the question for
/// a counterexample is refuted, with a proof that is checked; a false one because its body is false for the constants named.
pub(crate) fn confirm_universals(
    terms: &mut Terms,
    formulas: &[TermId],
    model: &Interpretation,
    universals: &[(TermId, bool, Option<TermId>)],
    budget: &Budget,
) -> Result<(), String> {
    if !universals.is_empty() && compares_open_arrays(terms, formulas) {
        return Err("arrays over an uninterpreted sort are compared, and its elements are counted".into());
    }
    let mut needed: Vec<TermId> = terms.cone(formulas);
    needed.extend(universals.iter().filter_map(|(_, _, witness)| *witness));
    let needed = terms.cone(&needed);
    for &(universal, holds, witness) in universals {
        if needed.binary_search(&universal).is_err() {
            continue;
        }
        if holds {
            let residual = terms
                .residual(model, universal)
                .ok_or("a value cannot be written")?;
            let decision = decide(terms, &residual.formulas, budget).map_err(|spent| spent.to_string())?;
            let refuted = refuted_formulas(terms, &residual.formulas, &decision)?;
            let refutation = decision.refutation.ok_or("it was not refuted again")?;
            if decision.answer != Answer::Unsatisfiable {
                return Err("it was not refuted again".into());
            }
            check_refutation(terms, &refuted, &refutation, budget)?;
            continue;
        }
        let witness = witness.ok_or("there is no counterexample")?;
        let mut evaluator = Evaluator::new(terms, model);
        for &(other, value, _) in universals {
            evaluator.assume(other, value);
        }
        if evaluator.is_true(witness) != Ok(false) {
            return Err("a counterexample is none".into());
        }
    }
    Ok(())
}

/// Whether formulas compare arrays whose indices are elements of an uninterpreted sort. Two such arrays that are written differently may be
/// the same one where a quantified formula makes the sort finite, and neither evaluation nor residuals see that.
fn compares_open_arrays(terms: &Terms, formulas: &[TermId]) -> bool {
    let is_open = |term: TermId| {
        let mut sort = terms.sort_of(term);
        let mut found = false;
        while let Sort::Array(index, element) = *terms.sort(sort) {
            found |=
                !matches!(terms.sort(index), Sort::Int | Sort::Real) && terms.cardinality(index).is_none();
            sort = element;
        }
        found
    };
    terms.cone(formulas).into_iter().any(|term| {
        let args = terms.args(term);
        match terms.op(term) {
            Op::Eq => is_open(args[0]),
            Op::Apply(_) => args.iter().any(|&arg| is_open(arg)),
            Op::Select | Op::Store => is_open(args[1]),
            _ => false,
        }
    })
}

/// Whether the invariant of a system of Horn clauses is accepted; what its proof leaves open.
pub(crate) fn judge_horn(
    mut system: FirstOrderSystem,
    property: TermId,
    depth: usize,
    invariant: &str,
    budget: &Budget,
) -> Result<Option<String>, String> {
    let mut scope = scope_of(&system);
    let read = Reader::new(invariant).all().map_err(|error| error.to_string())?;
    let expression = read.first().ok_or("there is no invariant")?;
    let invariant =
        read_term(&mut system.terms, &mut scope, expression).map_err(|problem| problem.message)?;
    match check_k_induction(&system, property, invariant, depth, &mut ProvingRefuter, budget) {
        FirstOrderJudgement::Accepted => Ok(None),
        FirstOrderJudgement::Unjustified(why) => Ok(Some(format!(
            "sat: the proof has steps without a certificate ({why})"
        ))),
        FirstOrderJudgement::Rejected(why) | FirstOrderJudgement::Unfinished(why) => Err(why),
    }
}
