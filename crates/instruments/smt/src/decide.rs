//! Deciding a list of formulas at once: what is done to them before and after the search.
//!
//! Floating-point numbers become words. Before that, constants that a conjunct fixes to a written value are replaced by it, so that
//! operations on written numbers are computed instead of translated. Each step is named in [`Decision::claims`] where it has no
//! certificate; the refutation is about [`Decision::formulas`]. Constants that conjuncts define are replaced
//! ([`Decision::definitions`] is the certificate), where there are neither floating-point numbers nor quantifiers.

use crate::eliminate::{Definitions, eliminate, extend_model};
use crate::floats::{Lowering, has_floats};
use crate::guess::{guess, has_products};
use crate::quantifiers::{Instances, Round};
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
    /// Universal formulas with the truth values the model is meant to give them; for a false one, its body for constants at which the
    /// model makes it false.
    pub universals: Vec<(TermId, bool, Option<TermId>)>,
    /// Constants that were replaced by what a conjunct says they equal, round by round; `formulas` are what is left.
    pub definitions: Vec<Definitions>,
}

impl Decision {
    fn satisfiable(model: Interpretation, formulas: Vec<TermId>, claims: Vec<&'static str>) -> Decision {
        Decision {
            answer: Answer::Satisfiable,
            model: Some(model),
            refutation: None,
            formulas,
            claims,
            universals: Vec::new(),
            definitions: Vec::new(),
        }
    }
}

/// How deeply questions about universal formulas are nested.
const MOST_DEPTH: usize = 4;

/// Decides whether formulas have a model together.
pub fn decide(terms: &mut Terms, formulas: &[TermId], budget: &Budget) -> Result<Decision, Spent> {
    decide_inside(terms, formulas, 0, budget)
}

impl Decision {
    fn unknown(reason: String, formulas: Vec<TermId>, claims: Vec<&'static str>) -> Decision {
        Decision {
            answer: Answer::Unknown(reason),
            model: None,
            refutation: None,
            formulas,
            claims,
            universals: Vec::new(),
            definitions: Vec::new(),
        }
    }
}

/// The same for a question that arose inside another one.
pub(crate) fn decide_inside(
    terms: &mut Terms,
    formulas: &[TermId],
    depth: usize,
    budget: &Budget,
) -> Result<Decision, Spent> {
    let mut claims = Vec::new();
    let mut current = formulas.to_vec();
    let mut lowering = None;
    if has_floats(terms, formulas) {
        current = replace_fixed(terms, &current);
        claims.push("floating-point numbers were translated to words");
        let mut steps = Lowering::default();
        match steps.lower(terms, &current, budget)? {
            Ok(lowered) => current = lowered,
            Err(reason) => return Ok(Decision::unknown(reason, current, claims)),
        }
        lowering = Some(steps);
    }
    if depth > MOST_DEPTH {
        return Ok(Decision::unknown(
            "quantifiers are nested too deeply".into(),
            current,
            claims,
        ));
    }
    let is_quantified = terms
        .cone(&current)
        .iter()
        .any(|&term| matches!(terms.op(term), Op::Forall(_)));
    let mut definitions = Vec::new();
    if lowering.is_none() && !is_quantified {
        let eliminated = eliminate(terms, &current, budget)?;
        current = eliminated.formulas;
        definitions = eliminated.rounds;
    }
    let lift = |terms: &Terms, model: &Interpretation| match &lowering {
        Some(steps) => steps.lift(terms, model),
        None => {
            let mut model = model.clone();
            extend_model(terms, &mut model, &definitions);
            model
        }
    };
    let guesses = !is_quantified && has_products(terms, &current);
    let share = |of: u32| match budget.time_left() {
        Some(left) => budget.part(left / of),
        None => budget.same_limits(),
    };
    if guesses && let Some(model) = guess(terms, &current, &[], 24, &share(4)) {
        return Ok(Decision::satisfiable(lift(terms, &model), current, claims));
    }
    let mut solver = Solver::new(true);
    solver.defers_universals = true;
    solver.watch(budget);
    for &formula in &current {
        budget.check()?;
        solver.assert(terms, formula);
    }
    solver.offer_equalities(terms, &current);
    let mut instances = Instances::default();
    // Where products are linearized, a model is looked for near the first assignments, and half of the time is left for guessing in the end.
    let mut part = if guesses { share(12) } else { budget.same_limits() };
    let mut is_first = guesses;
    let answer = loop {
        let answer = match solver.check(terms, &[], &part) {
            Err(_) if is_first => {
                budget.check_now()?;
                is_first = false;
                if let Some(model) = guess(terms, &current, &solver.nearby, 0, &share(12)) {
                    return Ok(Decision::satisfiable(lift(terms, &model), current, claims));
                }
                part = share(2);
                continue;
            }
            Err(spent) if guesses => {
                budget.check_now()?;
                Answer::Unknown(spent.to_string())
            }
            answer => answer?,
        };
        if answer != Answer::Satisfiable || solver.universals.is_empty() {
            break answer;
        }
        match instances.round(terms, &mut solver, depth, budget)? {
            Round::Holds => break answer,
            Round::Again => {}
            Round::Unknown(reason) => break Answer::Unknown(reason),
        }
    };
    if guesses
        && matches!(answer, Answer::Unknown(_))
        && let Some(model) = guess(terms, &current, &solver.nearby, 60, budget)
    {
        return Ok(Decision::satisfiable(lift(terms, &model), current, claims));
    }
    let model = solver.model().map(|model| {
        let mut model = model.clone();
        model.complete(terms, &solver.universals);
        lift(terms, &model)
    });
    let values = std::mem::take(&mut solver.universal_values);
    let universals = values
        .into_iter()
        .map(|(formula, value)| (formula, value, instances.witness(formula)));
    Ok(Decision {
        refutation: solver.refutation().cloned(),
        answer,
        model,
        formulas: current,
        claims,
        universals: universals
            .map(|one| lowering.as_ref().map_or(one, |steps| steps.original(one)))
            .collect(),
        definitions,
    })
}

/// The conjuncts of formulas.
pub(crate) fn conjuncts(terms: &Terms, formulas: &[TermId]) -> Vec<TermId> {
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
