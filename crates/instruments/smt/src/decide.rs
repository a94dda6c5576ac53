//! Deciding a list of formulas at once: what is done to them before and after the search.
//!
//! Floating-point numbers become words. Before that, constants that a conjunct fixes to a written value are replaced by it, so that
//! operations on written numbers are computed instead of translated. Each step is named in [`Decision::claims`] where it has no
//! certificate; the refutation is about [`Decision::formulas`].

use crate::floats::{Lowering, has_floats};
use crate::solver::{Answer, Solver};
use entail_budget::{Budget, Spent};
use entail_first_order::{Interpretation, Op, Refutation, TermId, Terms};
use rustc_hash::FxHashMap;

/// The outcome for a list of formulas.
#[derive(Debug)]
pub struct Decision {
    /// The answer.
    pub answer: Answer,
    /// The model, or a candidate if the answer is unknown.
    pub model: Option<Interpretation>,
    /// The proof, if there is no model.
    pub refutation: Option<Refutation>,
    /// The formulas the proof is about: those given, after the steps in `claims`.
    pub formulas: Vec<TermId>,
    /// Steps from the formulas given to those refuted that have no certificate.
    pub claims: Vec<&'static str>,
}

/// Decides whether formulas have a model together.
pub fn decide(terms: &mut Terms, formulas: &[TermId], budget: &Budget) -> Result<Decision, Spent> {
    let mut claims = Vec::new();
    let mut current = formulas.to_vec();
    let mut lowering = None;
    if has_floats(terms, formulas) {
        current = replace_fixed(terms, &current);
        claims.push("floating-point numbers were translated to words");
        let mut steps = Lowering::default();
        match steps.lower(terms, &current) {
            Ok(lowered) => current = lowered,
            Err(reason) => {
                return Ok(Decision {
                    answer: Answer::Unknown(reason),
                    model: None,
                    refutation: None,
                    formulas: current,
                    claims,
                });
            }
        }
        lowering = Some(steps);
    }
    let mut solver = Solver::new(true);
    for &formula in &current {
        budget.check()?;
        solver.assert(terms, formula);
    }
    let answer = solver.check(terms, &[], budget)?;
    let model = solver.model().map(|model| match &lowering {
        Some(steps) => steps.lift(terms, model),
        None => model.clone(),
    });
    Ok(Decision {
        refutation: solver.refutation().cloned(),
        answer,
        model,
        formulas: current,
        claims,
    })
}

/// The conjuncts of formulas.
fn conjuncts(terms: &Terms, formulas: &[TermId]) -> Vec<TermId> {
    let mut waiting: Vec<TermId> = formulas.iter().rev().copied().collect();
    let mut found = Vec::new();
    while let Some(formula) = waiting.pop() {
        match terms.op(formula) {
            Op::And => waiting.extend(terms.args(formula).iter().rev()),
            _ => found.push(formula),
        }
    }
    found
}

/// Puts values in place of constants that a conjunct fixes, as long as there are new ones. The fixing conjuncts stay.
fn replace_fixed(terms: &mut Terms, formulas: &[TermId]) -> Vec<TermId> {
    let mut current = conjuncts(terms, formulas);
    let mut fixing: Vec<TermId> = Vec::new();
    loop {
        let mut map: FxHashMap<TermId, TermId> = FxHashMap::default();
        let mut kept = Vec::new();
        for &formula in &current {
            let pair = match (terms.op(formula), terms.args(formula)) {
                (Op::Eq, &[a, b]) => [(a, b), (b, a)].into_iter().find(|&(constant, value)| {
                    matches!(terms.op(constant), Op::Apply(_))
                        && terms.args(constant).is_empty()
                        && terms.literal(value).is_some()
                        && !map.contains_key(&constant)
                }),
                _ => None,
            };
            match pair {
                Some((constant, value)) => {
                    map.insert(constant, value);
                    fixing.push(formula);
                }
                None => kept.push(formula),
            }
        }
        if map.is_empty() {
            fixing.extend(current);
            return fixing;
        }
        let replaced = terms.substitute(&kept, &mut map);
        current = conjuncts(terms, &replaced);
    }
}
