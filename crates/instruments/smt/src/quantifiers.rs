//! Universal formulas by matching ([`crate::matching`]) and model-based instantiation (Ge, de Moura 2009).
//!
//! For the search a universal formula is an atom. When an assignment makes it false, its body is made false for new constants; when it
//! makes it true, a counterexample is looked for: the formula's residual under the model is decided by a solver of its own (which may
//! meet universal formulas again, inside), and a counterexample becomes an instance. Terms that have the counterexample's value in the
//! model are preferred to the value itself, since they follow the model when it changes. If no formula has a counterexample the model is
//! one; whoever reports it asks the same questions again and checks the refutations.

use crate::bound_instances::bound_terms;
use crate::decide::decide_inside;
use crate::matching::{Known, Trigger};
use crate::solver::{Answer, Solver};
use entail_budget::{Budget, Spent};
use entail_first_order::{
    Evaluator, Interpretation, Op, Rational, Rule, Sort, SortId, SymbolId, TermId, Terms, Value,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// How many of the solver's terms are looked at for an instance.
const MOST_CANDIDATES: usize = 1_500;
/// How many arguments of functions are tried for each bound variable, and how many combinations of them.
const MOST_ARGUMENTS: usize = 24;
const MOST_COMBINATIONS: usize = 200;
/// How many matches become instances at once.
const MOST_AT_ONCE: usize = 12;
/// How many rounds of instances are made in one call.
const MOST_ROUNDS: usize = 300;

/// What was done so far for the universal formulas of a solver.
#[derive(Default)]
pub(crate) struct Instances {
    /// Formulas with their bodies for new constants.
    witnesses: FxHashMap<TermId, TermId>,
    done: FxHashSet<(TermId, Vec<TermId>)>,
    rounds: usize,
}

/// What a round came to.
pub(crate) enum Round {
    /// No universal formula has a counterexample.
    Holds,
    /// Instances were added.
    Again,
    /// It cannot be decided, for this reason.
    Unknown(String),
}

impl Solver {
    /// Keeps the truth values of universal formulas.
    pub(crate) fn note_universals(&mut self) {
        self.universal_values = (self.universals.iter())
            .filter_map(|&formula| Some((formula, self.core.value(*self.lits.get(&formula)?) > 0)))
            .collect();
    }

    fn lemma(&mut self, terms: &mut Terms, universal: (TermId, bool), instance: (TermId, bool), rule: Rule) {
        self.backtrack(0);
        let (own, other) = (
            self.internalize(terms, universal.0),
            self.internalize(terms, instance.0),
        );
        let signed = |lit: entail_sat::Lit, value: bool| if value { lit } else { !lit };
        self.clause(&[signed(own, universal.1), signed(other, instance.1)], rule);
    }
}

impl Instances {
    /// The formula that a false universal formula's body became, for new constants.
    pub fn witness(&self, universal: TermId) -> Option<TermId> {
        self.witnesses.get(&universal).copied()
    }

    /// Looks at the universal formulas of a model, and adds what is missing.
    pub fn round(
        &mut self,
        terms: &mut Terms,
        solver: &mut Solver,
        depth: usize,
        budget: &Budget,
    ) -> Result<Round, Spent> {
        self.rounds += 1;
        if self.rounds > MOST_ROUNDS {
            return Ok(Round::Unknown("too many instances of quantified formulas".into()));
        }
        let mut model = solver.model().cloned().unwrap_or_default();
        let values = solver.universal_values.clone();
        model.complete(terms, &solver.universals);
        let mut is_changed = false;
        for &(universal, holds) in &values {
            if holds || self.witnesses.contains_key(&universal) {
                continue;
            }
            let Op::Forall(bound) = terms.op(universal).clone() else {
                continue;
            };
            let constants: Vec<TermId> = (bound.iter())
                .map(|&symbol| {
                    let data = terms.symbol(symbol).clone();
                    terms.constant(&data.name, data.result)
                })
                .collect();
            let Some(body) = terms.instance(universal, &constants) else {
                continue;
            };
            self.witnesses.insert(universal, body);
            solver.lemma(
                terms,
                (universal, true),
                (body, false),
                Rule::Skolem(universal, constants),
            );
            is_changed = true;
        }
        if is_changed {
            return Ok(Round::Again);
        }
        // Terms that are there come first: the question for a counterexample may meet quantifiers again.
        for &(universal, _) in values.iter().filter(|(_, holds)| *holds) {
            is_changed |= self.matched_instances(terms, solver, &model, universal, budget)?
                || self.instance_of_known_terms(terms, solver, &model, universal, budget)?;
        }
        if is_changed {
            return Ok(Round::Again);
        }
        let mut unknown = None;
        for &(universal, _) in values.iter().filter(|(_, holds)| *holds) {
            match self.counterexample(terms, solver, &model, universal, depth, budget)? {
                Ok(true) => is_changed = true,
                Ok(false) => {}
                Err(reason) => unknown = Some(reason),
            }
        }
        Ok(match (is_changed, unknown) {
            (true, _) => Round::Again,
            (false, Some(reason)) => Round::Unknown(reason),
            (false, None) => Round::Holds,
        })
    }

    /// Whether an instance was added; why it is not known whether one is needed.
    fn counterexample(
        &mut self,
        terms: &mut Terms,
        solver: &mut Solver,
        model: &Interpretation,
        universal: TermId,
        depth: usize,
        budget: &Budget,
    ) -> Result<Result<bool, String>, Spent> {
        let Some(residual) = terms.residual(model, universal) else {
            return Ok(Err("a model cannot be written as terms".into()));
        };
        let decision = decide_inside(terms, &residual.formulas, depth + 1, budget)?;
        let found = match decision.answer {
            Answer::Unsatisfiable => return Ok(Ok(false)),
            Answer::Unknown(reason) => return Ok(Err(reason)),
            Answer::Satisfiable => decision.model.unwrap_or_default(),
        };
        let mut evaluator = Evaluator::new(terms, &found);
        let mut wanted: Vec<Value> = Vec::new();
        for &witness in &residual.witnesses {
            match evaluator.value(witness) {
                Ok(value) => wanted.push(value),
                Err(_) => return Ok(Err("a counterexample has no value".into())),
            }
        }
        let mut names: FxHashMap<Value, u64> = FxHashMap::default();
        for ((_, number), &constant) in &residual.elements {
            if let Ok(value) = evaluator.value(constant) {
                names.insert(value, *number);
            }
        }
        if let Some(values) = self.bounding_terms(terms, model, universal, &wanted)
            && self.add(terms, solver, universal, values)
        {
            return Ok(Ok(true));
        }
        let candidates = Candidates::new(terms, solver, model);
        let mut choices: Vec<Vec<TermId>> = Vec::new();
        for (value, &witness) in wanted.iter().zip(&residual.witnesses) {
            let sort = terms.sort_of(witness);
            let value = match (value, terms.sort(sort)) {
                (Value::Element(_), Sort::Uninterpreted(_)) => match names.get(value) {
                    Some(&number) => Value::Element(number),
                    None => return Ok(Err("a counterexample is outside of the universe".into())),
                },
                _ => value.clone(),
            };
            let mut choice: Vec<TermId> = candidates.with(&value, terms, sort);
            if choice.is_empty()
                && let Value::Number(number) = &value
            {
                choice = candidates.beside(number, terms, sort);
            }
            choice.extend(terms.literal_term(&value, sort));
            if choice.is_empty() && matches!(terms.sort(sort), Sort::Uninterpreted(_)) {
                choice.push(terms.constant("some", sort));
            }
            if choice.is_empty() {
                return Ok(Err("a counterexample cannot be written as a term".into()));
            }
            choices.push(choice);
        }
        // The first choice that is new; then the written values.
        for pick in 0..3usize {
            let values: Vec<TermId> = (choices.iter())
                .map(|choice| match pick {
                    2 => choice[choice.len() - 1],
                    _ => choice[pick.min(choice.len() - 1)],
                })
                .collect();
            if self.add(terms, solver, universal, values) {
                return Ok(Ok(true));
            }
        }
        Ok(Err("instances of quantified formulas repeat".into()))
    }
}

impl Instances {
    /// Terms for the bound variables that bound a counterexample, where all variables are numbers.
    fn bounding_terms(
        &self,
        terms: &mut Terms,
        model: &Interpretation,
        universal: TermId,
        values: &[Value],
    ) -> Option<Vec<TermId>> {
        let Op::Forall(bound) = terms.op(universal).clone() else {
            return None;
        };
        let mut extended = model.clone();
        for (&symbol, value) in bound.iter().zip(values) {
            if !matches!(value, Value::Number(_) | Value::Bool(_)) {
                return None;
            }
            extended.set(symbol, value.clone());
        }
        bound_terms(terms, &extended, &bound, terms.args(universal)[0])
    }

    /// Adds the instance for these terms; whether it is new.
    fn add(
        &mut self,
        terms: &mut Terms,
        solver: &mut Solver,
        universal: TermId,
        values: Vec<TermId>,
    ) -> bool {
        if !self.done.insert((universal, values.clone())) {
            return false;
        }
        let Some(instance) = terms.instance(universal, &values) else {
            return false;
        };
        let rule = Rule::Instance(universal, values);
        solver.lemma(terms, (universal, false), (instance, true), rule);
        true
    }

    /// Adds instances that the model makes false, with terms that match a trigger; whether there are any.
    fn matched_instances(
        &mut self,
        terms: &mut Terms,
        solver: &mut Solver,
        model: &Interpretation,
        universal: TermId,
        budget: &Budget,
    ) -> Result<bool, Spent> {
        let Op::Forall(bound) = terms.op(universal).clone() else {
            return Ok(false);
        };
        let body = terms.args(universal)[0];
        let triggers = Trigger::of(terms, universal);
        if triggers.is_empty() {
            return Ok(false);
        }
        let ground = ground_terms(terms, solver);
        let known = Known::new(terms, &ground, model);
        // The variables get other values at each match.
        let mut extended = model.clone();
        let mut added = 0;
        for trigger in triggers {
            for values in trigger.matches(terms, &known, model) {
                budget.check()?;
                if added >= MOST_AT_ONCE {
                    return Ok(true);
                }
                let mut evaluator = Evaluator::new(terms, model);
                let mut has_values = true;
                for (&symbol, &term) in bound.iter().zip(&values) {
                    match evaluator.value(term) {
                        Ok(value) => extended.set(symbol, value),
                        Err(_) => has_values = false,
                    }
                }
                if !has_values || Evaluator::new(terms, &extended).is_true(body) != Ok(false) {
                    continue;
                }
                added += usize::from(self.add(terms, solver, universal, values));
            }
        }
        Ok(added > 0)
    }

    /// Adds an instance that the model makes false, with terms that functions are applied to already; whether there is one. Such
    /// instances are about values that the model must change, while others may move a function's default from place to place.
    fn instance_of_known_terms(
        &mut self,
        terms: &mut Terms,
        solver: &mut Solver,
        model: &Interpretation,
        universal: TermId,
        budget: &Budget,
    ) -> Result<bool, Spent> {
        let Op::Forall(bound) = terms.op(universal).clone() else {
            return Ok(false);
        };
        let body = terms.args(universal)[0];
        let mut pools: Vec<Vec<(TermId, Value)>> = Vec::new();
        let known = arguments(terms, solver);
        for &symbol in bound.iter() {
            let sort = terms.symbol(symbol).result;
            let mut evaluator = Evaluator::new(terms, model);
            let mut pool: Vec<(TermId, Value)> = Vec::new();
            for &term in known.iter().filter(|&&term| terms.sort_of(term) == sort) {
                if let Ok(value) = evaluator.value(term)
                    && !pool.iter().any(|(_, other)| *other == value)
                {
                    pool.push((term, value));
                }
                if pool.len() >= MOST_ARGUMENTS {
                    break;
                }
            }
            pools.push(pool);
        }
        let all = pools.iter().map(Vec::len);
        let combinations = all.fold(1, usize::saturating_mul).min(MOST_COMBINATIONS);
        let mut extended = model.clone();
        for number in 0..combinations {
            budget.check()?;
            let mut rest = number;
            let mut values = Vec::with_capacity(bound.len());
            for (&symbol, pool) in bound.iter().zip(&pools) {
                let (term, value) = &pool[rest % pool.len()];
                rest /= pool.len();
                values.push(*term);
                extended.set(symbol, value.clone());
            }
            let is_false = Evaluator::new(terms, &extended).is_true(body) == Ok(false);
            if is_false && self.add(terms, solver, universal, values) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// Terms that functions and arrays are applied to.
fn arguments(terms: &Terms, solver: &Solver) -> Vec<TermId> {
    let mut known: Vec<TermId> = solver.internalized.iter().copied().collect();
    known.sort_unstable();
    let mut found: Vec<TermId> = Vec::new();
    for term in known {
        match terms.op(term) {
            Op::Apply(_) => found.extend(terms.args(term)),
            Op::Select | Op::Store => found.push(terms.args(term)[1]),
            _ => {}
        }
    }
    found.sort_unstable();
    found.dedup();
    found.truncate(MOST_CANDIDATES);
    found
}

/// Small terms without bound variables that the solver knows, the oldest first.
fn ground_terms(terms: &Terms, solver: &Solver) -> Vec<TermId> {
    let mut bound: FxHashSet<SymbolId> = FxHashSet::default();
    for index in 0..terms.len() {
        if let Op::Forall(symbols) = terms.op(TermId::from_index(index)) {
            bound.extend(symbols.iter().copied());
        }
    }
    let is_ground = |term: TermId| {
        let cone = terms.cone(&[term]);
        cone.len() <= 200
            && cone.iter().all(|&part| {
                !matches!(terms.op(part), Op::Apply(symbol) if bound.contains(symbol))
                    && !matches!(terms.op(part), Op::Forall(_) | Op::Difference)
            })
    };
    let mut known: Vec<TermId> = solver.internalized.iter().copied().collect();
    known.sort_unstable();
    known.truncate(MOST_CANDIDATES);
    known.retain(|&term| {
        let is_simple = matches!(
            terms.op(term),
            Op::Apply(_) | Op::Select | Op::Add | Op::Mul | Op::Store
        );
        is_simple && is_ground(term)
    });
    known
}

/// Terms the solver knows, by their values in the model.
struct Candidates {
    by_value: FxHashMap<Value, Vec<TermId>>,
}

impl Candidates {
    fn new(terms: &Terms, solver: &Solver, model: &Interpretation) -> Candidates {
        let mut evaluator = Evaluator::new(terms, model);
        let mut by_value: FxHashMap<Value, Vec<TermId>> = FxHashMap::default();
        for term in ground_terms(terms, solver) {
            if let Ok(value) = evaluator.value(term) {
                by_value.entry(value).or_default().push(term);
            }
        }
        Candidates { by_value }
    }

    /// Terms one more or less than a known one that have this number.
    fn beside(&self, number: &Rational, terms: &mut Terms, sort: SortId) -> Vec<TermId> {
        let mut found = Vec::new();
        for by in [1, -1] {
            let by = Rational::integer(by);
            let known = self.with(&Value::Number(number - &by), terms, sort);
            if let Some(&term) = known.first() {
                let step = terms.numeral(by, sort);
                found.push(terms.add(&[term, step], sort));
            }
        }
        found
    }

    fn with(&self, value: &Value, terms: &Terms, sort: SortId) -> Vec<TermId> {
        let all = self.by_value.get(value).map(Vec::as_slice).unwrap_or_default();
        all.iter()
            .copied()
            .filter(|&term| terms.sort_of(term) == sort)
            .take(4)
            .collect()
    }
}
