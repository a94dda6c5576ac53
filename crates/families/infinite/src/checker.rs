//! Judging traces, invariants, and evidence about endless paths.

use crate::evidence::{InfiniteEvidence, RecurringMove, read_one, read_trace};
use crate::model::{InfiniteModel, scope_of};
use entail_answer::{Answer, CheckReport, Evidence, Verdict};
use entail_budget::Budget;
use entail_family::{Checker, ReadError, evidence_from_document, evidence_to_map};
use entail_first_order::{Claim, FirstOrderSystem, SortId, TermId};
use entail_proof::first_order::{
    FirstOrderJudgement, LawFault, LawJudge, Watched, check_k_induction, check_lasso,
};
use entail_show::{Cell, Column, ColumnKind, ColumnRole, Shown, Timeline, View};
use entail_smt::ProvingRefuter;
use rustc_hash::FxHashMap;
use serde_json::{Map, Value as Json};
use std::any::Any;

pub(crate) struct InfiniteChecker<'m> {
    pub model: &'m InfiniteModel,
}

impl InfiniteChecker<'_> {
    fn replay(&self, property: usize, steps: &[Vec<String>], inputs: &[Vec<String>]) -> Result<(), String> {
        let system = &self.model.system;
        let trace = read_trace(system, steps, inputs)?;
        match &self.model.refuted[property] {
            Claim::Invariant(invariant) => system.replay(&trace, *invariant),
            Claim::Path(_) => Err("a finite path violates no path formula".into()),
        }
    }

    fn lasso(
        &self,
        property: usize,
        steps: &[Vec<String>],
        inputs: &[Vec<String>],
        back: usize,
    ) -> Result<(), String> {
        let system = &self.model.system;
        let trace = read_trace(system, steps, inputs)?;
        match &self.model.refuted[property] {
            Claim::Path(path) => check_lasso(system, path, &trace, back),
            Claim::Invariant(_) => Err("an endless path is no violation of an invariant".into()),
        }
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
        match (self.model.properties[property].claim).sufficient_invariant(&mut system.terms) {
            Some(goal) => self.inductive(system, goal, depth, invariant, budget),
            None => CheckReport::rejected("an invariant does not prove this path formula"),
        }
    }

    /// Judges an inductive invariant, as text, of a system.
    fn inductive(
        &self,
        mut system: FirstOrderSystem,
        goal: TermId,
        depth: usize,
        invariant: &str,
        budget: &Budget,
    ) -> CheckReport {
        let mut scope = scope_of(&system);
        let invariant = match read_one(&mut system.terms, &mut scope, invariant) {
            Ok(term) if system.terms.sort_of(term) == SortId::BOOL => term,
            Ok(_) => return CheckReport::rejected("the invariant is no formula"),
            Err(why) => return CheckReport::rejected(format!("the invariant cannot be read: {why}")),
        };
        let judged = check_k_induction(&system, goal, invariant, depth, &mut ProvingRefuter, budget);
        report(
            judged,
            "the induction was shown again",
            "that the invariant is inductive",
        )
    }

    /// The system beside the checker's monitor of the paths that violate a claim.
    fn watched(&self, claim: &Claim) -> Result<Watched, CheckReport> {
        match claim {
            Claim::Path(path) => Watched::new(&self.model.system, path)
                .map_err(|why| CheckReport::unchecked(format!("the monitor of the formula ({why})"))),
            Claim::Invariant(_) => Err(CheckReport::rejected("the evidence is for a path formula")),
        }
    }

    fn counted(&self, property: usize, bound: u64, invariant: &str, budget: &Budget) -> CheckReport {
        let watched = match self.watched(&self.model.properties[property].claim) {
            Ok(watched) => watched,
            Err(report) => return report,
        };
        match watched.counted(bound) {
            Ok((system, goal)) => self.inductive(system, goal, 1, invariant, budget),
            Err(why) => CheckReport::unchecked(why),
        }
    }

    fn ranked(
        &self,
        property: usize,
        predicates: &[String],
        ranks: &[String],
        invariant: &str,
        budget: &Budget,
    ) -> CheckReport {
        let watched = match self.watched(&self.model.properties[property].claim) {
            Ok(watched) => watched,
            Err(report) => return report,
        };
        let mut rounds = watched.with_rounds();
        let mut scope = scope_of(&rounds.system);
        let mut read = |texts: &[String]| -> Result<Vec<TermId>, String> {
            (texts.iter())
                .map(|text| read_one(&mut rounds.system.terms, &mut scope, text))
                .collect()
        };
        let terms = read(predicates).and_then(|predicates| Ok((predicates, read(ranks)?)));
        let compared = terms.and_then(|(predicates, ranks)| rounds.compared(&predicates, &ranks));
        match compared {
            Ok((system, goal)) => self.inductive(system, goal, 1, invariant, budget),
            Err(why) => CheckReport::rejected(why),
        }
    }

    fn recurring(
        &self,
        property: usize,
        stem: (&[Vec<String>], &[Vec<String>]),
        set: &str,
        moves: &[RecurringMove],
        budget: &Budget,
    ) -> CheckReport {
        let mut watched = match self.watched(&self.model.refuted[property]) {
            Ok(watched) => watched,
            Err(report) => return report,
        };
        let mut scope = scope_of(watched.system());
        let mut read = |texts: &[String]| -> Result<Vec<TermId>, String> {
            (texts.iter())
                .map(|text| read_one(watched.terms(), &mut scope, text))
                .collect()
        };
        let mut steps = Vec::new();
        for one in moves {
            match read(&one.inputs).and_then(|inputs| Ok((inputs, read(&one.next)?))) {
                Ok(step) => steps.push(step),
                Err(why) => return CheckReport::rejected(format!("a step cannot be read: {why}")),
            }
        }
        let set = match read(&[set.to_owned()]) {
            Ok(read) if watched.terms().sort_of(read[0]) == SortId::BOOL => read[0],
            Ok(_) => return CheckReport::rejected("the set is no formula"),
            Err(why) => return CheckReport::rejected(format!("the set cannot be read: {why}")),
        };
        let trace = match read_trace(watched.system(), stem.0, stem.1) {
            Ok(trace) => trace,
            Err(why) => return CheckReport::rejected(why),
        };
        let judged = watched.recurs(&trace, set, &steps, &mut ProvingRefuter, budget);
        report(
            judged,
            "that the path goes on was shown again",
            "that the path goes on for ever",
        )
    }
}

/// A judgement as a report; `shown` says what was done where parts of proofs have no certificate, `wanted` what was to be shown.
fn report(judgement: FirstOrderJudgement, shown: &str, wanted: &str) -> CheckReport {
    match judgement {
        FirstOrderJudgement::Accepted => CheckReport::Accepted,
        FirstOrderJudgement::Rejected(why) => CheckReport::rejected(why),
        FirstOrderJudgement::Unjustified(why) => CheckReport::unchecked(format!(
            "{shown}, but steps of the proof have no certificate: {why}"
        )),
        FirstOrderJudgement::Unfinished(why) => CheckReport::unchecked(format!("{wanted} ({why})")),
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
            (
                Verdict::Fails,
                Some(InfiniteEvidence::Lasso {
                    steps,
                    inputs,
                    loop_start,
                }),
            ) => match self.lasso(property, steps, inputs, *loop_start) {
                Ok(()) => self.judge_laws(budget),
                Err(why) => CheckReport::rejected(why),
            },
            (
                Verdict::Fails,
                Some(InfiniteEvidence::Recurring {
                    steps,
                    inputs,
                    set,
                    moves,
                }),
            ) => self.recurring(property, (steps, inputs), set, moves, budget),
            (Verdict::Holds, Some(InfiniteEvidence::Induction { depth, invariant })) => {
                self.induction(property, *depth, invariant, budget)
            }
            (Verdict::Holds, Some(InfiniteEvidence::Counted { bound, invariant })) => {
                self.counted(property, *bound, invariant, budget)
            }
            (
                Verdict::Holds,
                Some(InfiniteEvidence::Ranked {
                    predicates,
                    ranks,
                    invariant,
                }),
            ) => self.ranked(property, predicates, ranks, invariant, budget),
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
        match answer.evidence_as() {
            Some(InfiniteEvidence::Trace { steps, inputs }) => self.timeline(steps, inputs, None, Vec::new()),
            Some(InfiniteEvidence::Lasso {
                steps,
                inputs,
                loop_start,
            }) => self.timeline(steps, inputs, Some(*loop_start), Vec::new()),
            Some(InfiniteEvidence::Recurring {
                steps,
                inputs,
                set,
                moves,
            }) => self.timeline(steps, inputs, None, self.going_on(set, moves)),
            _ => Shown::default(),
        }
    }
}

impl InfiniteChecker<'_> {
    /// How a path goes on that need not return, in sentences.
    fn going_on(&self, set: &str, moves: &[RecurringMove]) -> Vec<String> {
        let mut ending = vec![format!(
            "from here it goes on for ever: every state with {set} has a way back to such a state"
        )];
        for (number, one) in moves.iter().enumerate() {
            let changed: Vec<String> = (self.model.system.variables.iter().zip(&one.next))
                .filter(|(variable, next)| variable.name != **next)
                .map(|(variable, next)| format!("{}' = {next}", variable.name))
                .collect();
            ending.push(format!("step {}: {}", number + 1, changed.join(", ")));
        }
        ending
    }

    fn timeline(
        &self,
        steps: &[Vec<String>],
        inputs: &[Vec<String>],
        loop_start: Option<usize>,
        ending: Vec<String>,
    ) -> Shown {
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
            loop_start,
            ending,
            ..Timeline::default()
        }))
    }
}
