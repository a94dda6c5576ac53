//! Judging what is said of recorded runs: the property is evaluated by its definition.

use super::{RunModel, layer::RunCheck};
use entail_answer::{Answer, CheckReport, Evidence, Verdict};
use entail_budget::Budget;
use entail_family::{Checker, ReadError, evidence_from_document, evidence_to_map};
use entail_logic::View;
use entail_show::{Cell, Column, ColumnKind, ColumnRole, Shown, Timeline, View as Exhibited};
use entail_systems_checker::AssertionWord;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};
use std::any::Any;
use std::sync::Arc;

/// Why an answer about a run should be believed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", tag = "kind")]
pub enum RunEvidence {
    /// The run itself.
    Run {
        /// Number of its steps.
        steps: usize,
        /// The step from which on the answer is certain, whatever follows; nothing if it is the end of the run that decides.
        step: Option<usize>,
        /// The time of that step.
        time: Option<u64>,
    },
}

impl Evidence for RunEvidence {
    fn kind(&self) -> &'static str {
        "run"
    }

    fn is_search_claim(&self) -> bool {
        false
    }
}

pub(crate) struct RunChecker<'m> {
    pub(crate) model: &'m RunModel,
}

/// Steps that are shown at most before the one that decides.
const SHOWN: usize = 1_000;

/// Judges a truth value and the step that shows it.
pub(crate) fn judged(check: &RunCheck, truth: bool, step: Option<usize>, budget: &Budget) -> CheckReport {
    let (count, assertion) = (check.letters.len(), &check.assertion);
    // What is true of the first letters; nothing if there was no time to see.
    let on = |length: usize, view: View| {
        let word = AssertionWord::new(check.letters[..length].to_vec(), None).within(budget);
        let truth = word.holds(assertion, view);
        (!word.is_open()).then_some(truth)
    };
    // From that step on nothing can change it, and before it something could.
    let (view, settled) = match truth {
        true => (View::Strong, true),
        false => (View::Weak, false),
    };
    let mut wanted = vec![(count, check.view, truth)];
    match step {
        Some(step) if step >= count => return CheckReport::rejected("the run has no such step"),
        Some(step) => {
            wanted.push((step + 1, view, settled));
            if step > 0 {
                wanted.push((step, view, !settled));
            }
        }
        None => wanted.push((count, view, !settled)),
    }
    for (length, view, wanted) in wanted {
        match on(length, view) {
            None => return CheckReport::unchecked("what the property is by its definition on so long a run"),
            Some(found) if found != wanted => {
                return CheckReport::rejected("by its definition the property has another value");
            }
            Some(_) => {}
        }
    }
    CheckReport::Accepted
}

impl Checker for RunChecker<'_> {
    fn check(&mut self, property: usize, answer: &Answer, budget: &Budget) -> CheckReport {
        let check = &self.model.checks[property];
        let truth = match answer.verdict {
            Verdict::Holds => true,
            Verdict::Fails => false,
            Verdict::Unknown => return CheckReport::rejected("there is no answer"),
        };
        let Some(RunEvidence::Run { steps, step, time }) = answer.evidence_as::<RunEvidence>() else {
            return CheckReport::rejected("there is no evidence");
        };
        let known = step.and_then(|step| {
            check
                .times
                .get(step)
                .map(|times| self.model.recording.times[times.0])
        });
        if *steps != check.letters.len() || *time != known {
            return CheckReport::rejected("this is about another run");
        }
        judged(check, truth, *step, budget)
    }

    fn to_json(&self, _property: usize, evidence: &dyn Evidence) -> Map<String, Json> {
        let evidence: &dyn Any = evidence;
        (evidence.downcast_ref::<RunEvidence>()).map_or_else(Map::new, evidence_to_map)
    }

    fn evidence_from_json(&self, _property: usize, document: &Json) -> Result<Box<dyn Evidence>, ReadError> {
        Ok(Box::new(evidence_from_document::<RunEvidence>(document)?))
    }

    fn show(&self, property: usize, answer: &Answer) -> Shown {
        let check = &self.model.checks[property];
        let Some(RunEvidence::Run { step, time, .. }) = answer.evidence_as::<RunEvidence>() else {
            return Shown::default();
        };
        let fails = answer.verdict == Verdict::Fails;
        // Of what holds, only what is met has something to show.
        let is_covered = check.is_cover && step.is_some();
        if !fails && !is_covered {
            return Shown::default();
        }
        let end = step.map_or(check.letters.len(), |step| step + 1);
        let begin = end.saturating_sub(SHOWN);
        let recording = &self.model.recording;
        let columns = check.signals.iter().map(|&number| {
            let signal = &recording.signals[number];
            let kind = match signal.width {
                1 => ColumnKind::Boolean,
                width => ColumnKind::Word(width),
            };
            let mut column = Column::new(signal.path(), ColumnRole::State, kind);
            for (position, (_, sampled)) in check.times[begin..end].iter().enumerate() {
                let word = recording.value(number, *sampled);
                let cell = Cell {
                    text: Arc::from(word.to_string()),
                    bits: (signal.width > 1).then(|| Arc::from(word.digits())),
                };
                column.record(position, Some(cell));
            }
            column
        });
        let what = if fails { "fails" } else { "is met" };
        let ending = match (step, time) {
            (Some(step), Some(time)) => format!("it {what} at step {step}, at time {time}"),
            _ if check.is_cover => "it is not met in the run".to_owned(),
            _ if check.view == View::Strong => "what follows the run could make it fail".to_owned(),
            _ => "the run ends before what must come has come".to_owned(),
        };
        let mut endings = vec![ending];
        if begin > 0 {
            endings.push(format!("the first {begin} steps are left out"));
        }
        Shown::default().main(Exhibited::Timeline(Timeline {
            columns: columns.collect(),
            positions: end - begin,
            violation: step.filter(|_| fails).map(|step| step - begin),
            ending: endings,
            ..Timeline::default()
        }))
    }
}
