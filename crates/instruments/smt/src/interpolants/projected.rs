//! Interpolants without a proof: one side's own symbols are projected away, model by model.
//!
//! A model of the left side gives literals that imply it; without the symbols that the right side does not have (model-based projection)
//! they say something that contradicts the right side, and what of them is needed for that is kept. When every model of the left side
//! satisfies one of these conjunctions, their disjunction is an interpolant. The same with the sides exchanged gives its negation. It needs no
//! proof, so lemmas that mix both sides do not matter: cuts of integers, equations between theories, words. It may find no end; then
//! there is none.

use crate::projection::project;
use crate::{Answer, Solver, implicant};
use entail_budget::{Budget, Spent};
use entail_first_order::{Op, TermId, Terms};
use rustc_hash::FxHashSet;

/// So many models are tried on each side.
const MOST_MODELS: usize = 48;

/// An interpolant of two sides that have no model together; none if it is not found.
pub fn projected_interpolant(
    terms: &mut Terms,
    left: &[TermId],
    right: &[TermId],
    budget: &Budget,
) -> Result<Option<TermId>, Spent> {
    if let Some(found) = covered(terms, left, right, budget)? {
        return Ok(Some(found));
    }
    let exchanged = covered(terms, right, left, budget)?;
    Ok(exchanged.map(|found| terms.not(found)))
}

/// A disjunction of conjunctions that follows from the first side and contradicts the second, in symbols of both.
fn covered(
    terms: &mut Terms,
    side: &[TermId],
    other: &[TermId],
    budget: &Budget,
) -> Result<Option<TermId>, Spent> {
    let known: FxHashSet<usize> = symbols(terms, other).map(|(symbol, _)| symbol).collect();
    let own: Vec<(usize, TermId)> = (symbols(terms, side))
        .filter(|(symbol, _)| !known.contains(symbol))
        .collect();
    // Functions cannot be projected.
    if own.iter().any(|(_, term)| !terms.args(*term).is_empty()) {
        return Ok(None);
    }
    let constants: Vec<TermId> = own.into_iter().map(|(_, term)| term).collect();
    let (mut models, mut contradicted) = (Solver::new(false), Solver::new(false));
    for &formula in side {
        models.assert(terms, formula);
    }
    for &formula in other {
        contradicted.assert(terms, formula);
    }
    let mut cubes = Vec::new();
    for _ in 0..MOST_MODELS {
        match models.check(terms, &[], budget)? {
            Answer::Unsatisfiable => return Ok(Some(terms.or(&cubes))),
            Answer::Unknown(_) => return Ok(None),
            Answer::Satisfiable => {}
        }
        let model = models.model().cloned().unwrap_or_default();
        let Some(literals) = implicant(terms, &model, side) else {
            return Ok(None);
        };
        let Some(literals) = project(terms, &model, literals, &constants) else {
            return Ok(None);
        };
        if contradicted.check(terms, &literals, budget)? != Answer::Unsatisfiable {
            return Ok(None);
        }
        let core: Vec<TermId> = contradicted.unsat_core().to_vec();
        let cube = terms.and(&core);
        if symbols(terms, &[cube]).any(|(symbol, _)| !known.contains(&symbol)) {
            return Ok(None);
        }
        cubes.push(cube);
        let rest = terms.not(cube);
        models.assert(terms, rest);
    }
    Ok(None)
}

/// The symbols of formulas, each with a term that applies it.
fn symbols(terms: &Terms, formulas: &[TermId]) -> impl Iterator<Item = (usize, TermId)> {
    let mut met = FxHashSet::default();
    let mut found = Vec::new();
    for term in terms.cone(formulas) {
        if let Op::Apply(symbol) = terms.op(term)
            && met.insert(symbol.index())
        {
            found.push((symbol.index(), term));
        }
    }
    found.into_iter()
}
