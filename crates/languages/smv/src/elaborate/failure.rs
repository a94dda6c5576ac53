//! Partial operations: divisions by zero, missing `case` branches, indices and values out of range.
//!
//! NuSMV stops when such an operation fails for *some* values of the variables it depends on, reachable or not,
//! unless the failing operand does not matter (`y = 0 | x / y = 1` is fine). Lowering therefore records a [`Failure`]
//! with the condition under which it happens, weakened by every operator that can make the operand irrelevant.
//! [`Elaborator::settle`] then decides each condition by a search over the variables it depends on, cutting a branch as
//! soon as the condition is known: satisfiable is an error with the values shown, unsatisfiable is nothing. If the
//! search would be too long, the condition becomes a hazard of the system, which engines must find unreachable.
//!
//! Most operations cannot fail at all, whatever stands around them (a `case` that is exhaustive), so the bare
//! condition is tried first and its answer remembered. Variables are tried in the order of the conjuncts they occur in,
//! shortest first: a conjunct about one counter refutes the rest of the conjunction in a handful of steps.

use super::Elaborator;
use entail_model::{Hazard, Op, TermId, Terms, Valuation, Value, VarId, evaluate_with};
use entail_source::{Diagnostic, Span};

/// An operation that has no result when `condition` is true.
#[derive(Clone, Debug)]
pub(crate) struct Failure {
    /// When it happens and matters.
    pub condition: TermId,
    /// When it happens, whether or not it matters.
    pub bare: TermId,
    pub code: &'static str,
    pub message: String,
    pub span: Span,
}

/// How many term evaluations the search may spend on one condition, and on all of a model.
const EFFORT_EACH: u64 = 400_000;
const EFFORT_ALL: u64 = 8_000_000;

/// What the search found.
#[derive(Clone, Debug)]
pub(super) enum Found {
    Never,
    When(Vec<(VarId, bool, Value)>),
    TooLong,
}

impl Elaborator<'_> {
    /// Records that an operation fails under a condition.
    pub(super) fn fails_when(&mut self, condition: TermId, code: &'static str, message: String, span: Span) {
        if self.system.terms.as_truth(condition) != Some(false) {
            self.failures.push(Failure {
                condition,
                bare: condition,
                code,
                message,
                span,
            });
        }
    }

    /// Weakens the failures recorded since `mark`: they matter only if `guard` is true.
    pub(super) fn guard_failures(&mut self, mark: usize, guard: TermId) {
        for failure in &mut self.failures[mark..] {
            failure.condition = self.system.terms.and([failure.condition, guard]);
        }
        let terms = &self.system.terms;
        let mut position = 0;
        self.failures.retain(|failure| {
            position += 1;
            position <= mark || terms.as_truth(failure.condition) != Some(false)
        });
    }

    /// Decides every recorded failure: error, nothing, or hazard.
    pub(super) fn settle(&mut self) {
        for failure in std::mem::take(&mut self.failures) {
            let bare = self.search(failure.bare);
            let found = match bare {
                Found::Never => Found::Never,
                _ => self.search(failure.condition),
            };
            match found {
                Found::Never => {}
                Found::When(values) => {
                    let mut diagnostic =
                        Diagnostic::error(failure.code, failure.message, failure.span, "here");
                    if !values.is_empty() {
                        let values: Vec<String> = values
                            .iter()
                            .take(8)
                            .map(|(variable, next, value)| {
                                let name = &self.system.variable(*variable).name;
                                match next {
                                    true => format!("next({name}) = {value}"),
                                    false => format!("{name} = {value}"),
                                }
                            })
                            .collect();
                        diagnostic = diagnostic.with_help(format!("for example when {}", values.join(", ")));
                    }
                    self.report(diagnostic);
                }
                Found::TooLong => self.add_hazard(failure),
            }
        }
    }

    /// One hazard per place: what fails there in several contexts fails in their disjunction.
    fn add_hazard(&mut self, failure: Failure) {
        let place = Some((failure.span.start, failure.span.end));
        let known = self
            .system
            .hazards
            .iter_mut()
            .find(|hazard| hazard.place == place && hazard.message == failure.message);
        match known {
            Some(hazard) => hazard.condition = self.system.terms.or([hazard.condition, failure.condition]),
            None => self.system.hazards.push(Hazard {
                condition: failure.condition,
                message: failure.message,
                place,
            }),
        }
    }

    fn search(&mut self, condition: TermId) -> Found {
        if let Some(known) = self.searched.get(&condition) {
            return known.clone();
        }
        let found = self.search_anew(condition);
        self.searched.insert(condition, found.clone());
        found
    }

    fn search_anew(&mut self, condition: TermId) -> Found {
        match self.system.terms.as_truth(condition) {
            Some(true) => return Found::When(Vec::new()),
            Some(false) => return Found::Never,
            None => {}
        }
        let cone = cone(&self.system.terms, condition);
        let leaves = leaves_in_order(&self.system.terms, condition);
        let budget = EFFORT_EACH.min(EFFORT_ALL.saturating_sub(self.effort)) / cone.len().max(1) as u64;
        // The valuations are as long as the model has variables, the searches are many and small: they share them.
        let variables = self.system.variables().len();
        let (mut current, mut next) = std::mem::take(&mut self.valuations);
        current.resize(variables, None);
        next.resize(variables, None);
        let mut search = Search {
            elaborator: self,
            cone: &cone,
            leaves: &leaves,
            current,
            next,
            budget,
        };
        let outcome = search.assign(0);
        let spent = budget - search.budget;
        let found = match outcome {
            Some(true) => Found::When(search.witness()),
            Some(false) => Found::Never,
            None => Found::TooLong,
        };
        for &(variable, next) in &leaves {
            *search.slot(variable, next) = None;
        }
        self.valuations = (search.current, search.next);
        self.effort += spent * cone.len() as u64;
        found
    }
}

struct Search<'a, 'b> {
    elaborator: &'a Elaborator<'b>,
    cone: &'a [TermId],
    leaves: &'a [(VarId, bool)],
    current: Vec<Option<Value>>,
    next: Vec<Option<Value>>,
    budget: u64,
}

impl Search<'_, '_> {
    /// Whether the condition can be made true by the leaves from `depth` on; nothing if the budget is spent.
    fn assign(&mut self, depth: usize) -> Option<bool> {
        self.budget = self.budget.checked_sub(1)?;
        let valuation = Valuation::step(&self.current, &self.next);
        let terms = &self.elaborator.system.terms;
        let known = evaluate_with(terms, self.cone, valuation)
            .pop()
            .flatten()
            .and_then(|value| value.as_bool());
        if let Some(known) = known {
            return Some(known);
        }
        let &(variable, next) = self.leaves.get(depth)?;
        let sort = &self.elaborator.system.variable(variable).sort;
        for position in 0..sort.size()? {
            self.slot(variable, next).replace(sort.value_at(position));
            match self.assign(depth + 1) {
                Some(false) => {}
                decided => return decided,
            }
        }
        *self.slot(variable, next) = None;
        Some(false)
    }

    fn slot(&mut self, variable: VarId, next: bool) -> &mut Option<Value> {
        let values = if next { &mut self.next } else { &mut self.current };
        &mut values[variable.index()]
    }

    fn witness(&self) -> Vec<(VarId, bool, Value)> {
        self.leaves
            .iter()
            .filter_map(|&(variable, next)| {
                let values = if next { &self.next } else { &self.current };
                Some((variable, next, values[variable.index()].clone()?))
            })
            .collect()
    }
}

/// The variables of a condition, those of its shortest conjunct first.
fn leaves_in_order(terms: &Terms, condition: TermId) -> Vec<(VarId, bool)> {
    let conjuncts: &[TermId] = match terms.op(condition) {
        Op::And => terms.operands(condition),
        _ => &[condition],
    };
    let mut groups: Vec<Vec<(VarId, bool)>> = conjuncts
        .iter()
        .map(|&conjunct| {
            let mut leaves = Vec::new();
            for term in cone(terms, conjunct) {
                match terms.op(term) {
                    Op::Current(variable) => leaves.push((*variable, false)),
                    Op::Next(variable) => leaves.push((*variable, true)),
                    _ => {}
                }
            }
            leaves
        })
        .collect();
    groups.sort_by_key(Vec::len);
    let mut order = indexmap::IndexSet::new();
    order.extend(groups.into_iter().flatten());
    order.into_iter().collect()
}

/// The terms below `root`, operands first. Unlike [`Terms::cone`] its cost is the cone's size, not the store's.
pub(super) fn cone(terms: &Terms, root: TermId) -> Vec<TermId> {
    let mut seen = rustc_hash::FxHashSet::default();
    let mut stack = vec![root];
    while let Some(term) = stack.pop() {
        if seen.insert(term) {
            stack.extend_from_slice(terms.operands(term));
        }
    }
    let mut cone: Vec<TermId> = seen.into_iter().collect();
    cone.sort_unstable();
    cone
}
