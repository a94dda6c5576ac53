//! Judging traces and invariants.

use crate::model::{InfiniteModel, scope_of};
use entail_answer::{Answer, CheckReport, Evidence, Verdict};
use entail_budget::Budget;
use entail_family::{Checker, ReadError, evidence_from_document, evidence_to_map};
use entail_first_order::sexpr::Reader;
use entail_first_order::{
    Evaluator, FirstOrderSystem, FirstOrderTrace, Interpretation, SortId, TermId, Terms, Value,
};
use entail_proof::first_order::{FirstOrderJudgement, LawFault, LawJudge, check_k_induction};
use entail_show::{Cell, Column, ColumnKind, ColumnRole, Shown, Timeline, View};
use entail_smt::ProvingRefuter;
use entail_smtlib::{Scope, read_term};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};
use std::any::Any;

/// Why an answer should be believed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum InfiniteEvidence {
    /// A path to a violation, in exact values as SMT-LIB writes them.
    Trace {
        /// For each position, the values of the variables in their order.
        steps: Vec<Vec<String>>,
        /// For each position, the values of the inputs in their order.
        inputs: Vec<Vec<String>>,
    },
    /// Property and invariant are inductive together, assuming so many consecutive states.
    Induction {
        /// The number of consecutive states assumed.
        depth: usize,
        /// The invariant, as SMT-LIB writes it, over the variables.
        invariant: String,
    },
}

impl InfiniteEvidence {
    pub(crate) fn of_trace(system: &FirstOrderSystem, trace: &FirstOrderTrace) -> InfiniteEvidence {
        let terms = &system.terms;
        let states: Vec<SortId> = system
            .variables
            .iter()
            .map(|variable| terms.sort_of(variable.current))
            .collect();
        let inputs: Vec<SortId> = system.inputs.iter().map(|&input| terms.sort_of(input)).collect();
        let print = |rows: &[Vec<Value>], sorts: &[SortId]| {
            let row = |row: &Vec<Value>| {
                row.iter()
                    .zip(sorts)
                    .map(|(value, &sort)| terms.print_value(value, sort))
                    .collect()
            };
            rows.iter().map(row).collect()
        };
        InfiniteEvidence::Trace {
            steps: print(&trace.states, &states),
            inputs: print(&trace.inputs, &inputs),
        }
    }
}

impl Evidence for InfiniteEvidence {
    fn kind(&self) -> &'static str {
        match self {
            InfiniteEvidence::Trace { .. } => "trace",
            InfiniteEvidence::Induction { .. } => "induction",
        }
    }
}

fn read_one(terms: &mut Terms, scope: &mut Scope, text: &str) -> Result<TermId, String> {
    let read = Reader::new(text).all().map_err(|error| error.to_string())?;
    match read.as_slice() {
        [expression] => read_term(terms, scope, expression).map_err(|problem| problem.message),
        _ => Err("one term is needed".into()),
    }
}

/// A value from its text; integers stand for reals where these are wanted.
fn read_value(terms: &mut Terms, text: &str, sort: SortId) -> Result<Value, String> {
    let mut term = read_one(terms, &mut Scope::default(), text)?;
    if sort == SortId::REAL {
        term = terms.to_real(term);
    }
    if terms.sort_of(term) != sort {
        return Err(format!("`{text}` is no value of its variable"));
    }
    let nothing = Interpretation::default();
    Evaluator::new(terms, &nothing)
        .value(term)
        .map_err(|_| format!("`{text}` is no value"))
}

pub(crate) struct InfiniteChecker<'m> {
    pub model: &'m InfiniteModel,
}

impl InfiniteChecker<'_> {
    fn replay(&self, property: usize, steps: &[Vec<String>], inputs: &[Vec<String>]) -> Result<(), String> {
        let system = &self.model.system;
        let mut terms = system.terms.clone();
        let mut read = |rows: &[Vec<String>], constants: &[TermId]| -> Result<Vec<Vec<Value>>, String> {
            let mut all = Vec::new();
            for row in rows {
                if row.len() != constants.len() {
                    return Err("a position does not give every variable a value".into());
                }
                let mut values = Vec::new();
                for (text, &constant) in row.iter().zip(constants) {
                    let sort = terms.sort_of(constant);
                    values.push(read_value(&mut terms, text, sort)?);
                }
                all.push(values);
            }
            Ok(all)
        };
        let currents: Vec<TermId> = system.variables.iter().map(|variable| variable.current).collect();
        let trace = FirstOrderTrace {
            states: read(steps, &currents)?,
            inputs: read(inputs, &system.inputs)?,
        };
        system.replay(&trace, self.model.refuted[property])
    }

    /// Judges the laws of words that were applied when the system was read.
    fn judge_laws(&self, budget: &Budget) -> CheckReport {
        match LawJudge::default().judge(&self.model.system.terms, usize::MAX, budget) {
            Ok(()) => CheckReport::Accepted,
            Err(LawFault::Wrong(why)) => CheckReport::rejected(format!("a law of words is wrong: {why}")),
            Err(LawFault::Undecided(why)) => {
                CheckReport::unchecked(format!("laws of words that were applied in reading ({why})"))
            }
        }
    }

    fn induction(&self, property: usize, depth: usize, invariant: &str, budget: &Budget) -> CheckReport {
        let mut system = self.model.system.clone();
        let mut scope = scope_of(&system);
        let invariant = match read_one(&mut system.terms, &mut scope, invariant) {
            Ok(term) if system.terms.sort_of(term) == SortId::BOOL => term,
            Ok(_) => return CheckReport::rejected("the invariant is no formula"),
            Err(why) => return CheckReport::rejected(format!("the invariant cannot be read: {why}")),
        };
        let goal = self.model.properties[property].invariant;
        match check_k_induction(&system, goal, invariant, depth, &mut ProvingRefuter, budget) {
            FirstOrderJudgement::Accepted => CheckReport::Accepted,
            FirstOrderJudgement::Rejected(why) => CheckReport::rejected(why),
            FirstOrderJudgement::Unjustified(why) => CheckReport::unchecked(format!(
                "the induction was shown again, but steps of the proof have no certificate: {why}"
            )),
            FirstOrderJudgement::Unfinished(why) => {
                CheckReport::unchecked(format!("that the invariant is inductive ({why})"))
            }
        }
    }
}

impl Checker for InfiniteChecker<'_> {
    fn check(&mut self, property: usize, answer: &Answer, budget: &Budget) -> CheckReport {
        match (answer.verdict, answer.evidence_as::<InfiniteEvidence>()) {
            (Verdict::Fails, Some(InfiniteEvidence::Trace { steps, inputs })) => {
                match self.replay(property, steps, inputs) {
                    Ok(()) => self.judge_laws(budget),
                    Err(why) => CheckReport::rejected(why),
                }
            }
            (Verdict::Holds, Some(InfiniteEvidence::Induction { depth, invariant })) => {
                self.induction(property, *depth, invariant, budget)
            }
            (_, None) => CheckReport::rejected("there is no evidence"),
            _ => CheckReport::rejected("the evidence is for another verdict"),
        }
    }

    fn to_json(&self, _property: usize, evidence: &dyn Evidence) -> Map<String, Json> {
        let evidence: &dyn Any = evidence;
        (evidence.downcast_ref::<InfiniteEvidence>()).map_or_else(Map::new, evidence_to_map)
    }

    fn evidence_from_json(&self, _property: usize, document: &Json) -> Result<Box<dyn Evidence>, ReadError> {
        Ok(Box::new(evidence_from_document::<InfiniteEvidence>(document)?))
    }

    fn show(&self, _property: usize, answer: &Answer) -> Shown {
        let Some(InfiniteEvidence::Trace { steps, inputs }) = answer.evidence_as() else {
            return Shown::default();
        };
        let system = &self.model.system;
        let mut columns = Vec::new();
        type Named<'n> = Option<&'n FxHashMap<i64, String>>;
        let mut add = |name: &str, role: ColumnRole, rows: &[Vec<String>], index: usize, named: Named<'_>| {
            let mut column = Column::new(name, role, ColumnKind::Text);
            for (position, row) in rows.iter().enumerate() {
                let shown = row.get(index).map(|text| {
                    let number = named.and_then(|names| names.get(&text.parse::<i64>().ok()?));
                    number.unwrap_or(text)
                });
                column.record(position, shown.map(Cell::text));
            }
            columns.push(column);
        };
        let names = &self.model.names;
        for (index, variable) in system.variables.iter().enumerate() {
            let named = names.states.get(index).and_then(Option::as_ref);
            add(&variable.name, ColumnRole::State, steps, index, named);
        }
        for (index, &input) in system.inputs.iter().enumerate() {
            let written = system.terms.print(input);
            let name = names.input_names.get(index).unwrap_or(&written);
            let named = names.inputs.get(index).and_then(Option::as_ref);
            add(name, ColumnRole::Input, inputs, index, named);
        }
        Shown::default().main(View::Timeline(Timeline {
            columns,
            positions: steps.len(),
            ..Timeline::default()
        }))
    }
}
