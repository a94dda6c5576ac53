//! Judging answers about a program, with the reference interpreter alone, and their evidence in other forms.

use crate::model::ProgramModel;
use crate::{options, run_json, show};
use entail_answer::{Answer, CheckReport, ClosedSet, Evidence, RankedSet, Verdict};
use entail_budget::Budget;
use entail_family::{Checker, Options, ReadError};
use entail_program::{ProgramEvidence, ReducedSet, Reduction, Replayed, Run, replay};
use entail_programs_checker::{check_closed, check_ranked, check_reduced, judge, search_again};
use entail_show::Shown;
use serde_json::{Map, Value as Json, json};
use std::any::Any;
use std::cell::RefCell;
use std::rc::Rc;

/// Judges answers about one program.
pub struct RunChecker<'m> {
    model: &'m ProgramModel,
    /// Only weakly fair runs count.
    fair: bool,
    /// Message sequence charts are shown without being asked for.
    with_charts: bool,
    /// The run that was repeated last, with its states.
    known: RefCell<Option<(Run, Rc<Replayed>)>>,
}

impl<'m> RunChecker<'m> {
    /// A checker under these options.
    pub fn new(model: &'m ProgramModel, options: &Options) -> RunChecker<'m> {
        RunChecker {
            model,
            fair: options::is_fair(options),
            with_charts: options.has("msc"),
            known: RefCell::default(),
        }
    }

    /// A run with its states, if it can be repeated.
    fn replayed(&self, run: &Run) -> Option<Rc<Replayed>> {
        if let Some((known, replayed)) = &*self.known.borrow()
            && known == run
        {
            return Some(replayed.clone());
        }
        let replayed = Rc::new(replay(self.model.program(), run).ok()?);
        self.known.replace(Some((run.clone(), replayed.clone())));
        Some(replayed)
    }
}

fn run_of(answer: &Answer) -> Option<&Run> {
    match answer.evidence_as()? {
        ProgramEvidence::Run(run) => Some(run),
        ProgramEvidence::Closed(_)
        | ProgramEvidence::Ranked(_)
        | ProgramEvidence::Reduced(_)
        | ProgramEvidence::Exhaustive { .. } => None,
    }
}

/// Adds the texts of states with ranks.
fn add_ranked(set: &RankedSet, map: &mut Map<String, Json>) {
    map.insert("set".into(), set.states().to_text().into());
    map.insert("ranks".into(), set.ranks_to_text().into());
}

/// A text of some evidence.
fn text_at<'j>(evidence: &'j Json, key: &str) -> Result<&'j str, String> {
    let text = evidence[key].as_str();
    text.ok_or_else(|| format!("`evidence.{key}`: expected a text in base 64"))
}

/// States with ranks, from their texts.
fn read_ranked(evidence: &Json) -> Result<RankedSet, String> {
    let states = evidence["states"].as_u64();
    let states = states.ok_or("`evidence.states`: expected a number")?;
    let set = RankedSet::from_text(text_at(evidence, "set")?, text_at(evidence, "ranks")?, states);
    set.ok_or_else(|| {
        "`evidence.set`, `evidence.ranks`: expected a sorted set of so many states with their ranks".into()
    })
}

impl Checker for RunChecker<'_> {
    fn check(&mut self, property: usize, answer: &Answer, budget: &Budget) -> CheckReport {
        let (program, requirements) = (self.model.program(), self.model.requirements());
        let Some(requirement) = requirements.get(property) else {
            return CheckReport::rejected("there is no such property");
        };
        match (answer.verdict, answer.evidence_as::<ProgramEvidence>()) {
            (Verdict::Unknown, _) => CheckReport::Accepted,
            (Verdict::Fails, Some(ProgramEvidence::Run(run))) => {
                match judge(program, requirement, run, self.fair) {
                    Ok(replayed) => {
                        self.known.replace(Some((run.clone(), Rc::new(replayed))));
                        CheckReport::Accepted
                    }
                    Err(reason) => CheckReport::rejected(reason),
                }
            }
            (Verdict::Holds, Some(ProgramEvidence::Closed(set))) => {
                check_closed(program, requirement, set, budget)
            }
            (Verdict::Holds, Some(ProgramEvidence::Ranked(set))) => {
                check_ranked(program, requirement, self.fair, set, budget)
            }
            (Verdict::Holds, Some(ProgramEvidence::Reduced(_))) if self.fair => {
                CheckReport::rejected("a reduced search shows nothing about fair runs")
            }
            (Verdict::Holds, Some(ProgramEvidence::Reduced(set))) => {
                check_reduced(program, requirement, set, budget)
            }
            (Verdict::Holds, Some(ProgramEvidence::Exhaustive { .. })) => {
                search_again(program, requirement, self.fair, budget)
            }
            _ => {
                let kind = answer
                    .evidence
                    .as_ref()
                    .map_or("none", |evidence| evidence.kind());
                CheckReport::rejected(format!("evidence of kind `{kind}` cannot show this verdict"))
            }
        }
    }

    fn to_json(&self, _property: usize, evidence: &dyn Evidence) -> Map<String, Json> {
        let mut map = Map::from_iter([("kind".to_owned(), evidence.kind().into())]);
        let evidence: &dyn Any = evidence;
        match evidence.downcast_ref() {
            Some(ProgramEvidence::Run(run)) => {
                let trace = match self.replayed(run) {
                    Some(replayed) => run_json::described(self.model.program(), run, &replayed),
                    None => run_json::bare(run),
                };
                map.insert("trace".into(), trace);
            }
            Some(ProgramEvidence::Closed(set)) => {
                map.insert("states".into(), set.len().into());
            }
            Some(ProgramEvidence::Ranked(set)) => {
                map.insert("states".into(), set.states().len().into());
                map.insert("pairs".into(), set.ranks().into());
            }
            Some(ProgramEvidence::Reduced(set)) => {
                map.insert("states".into(), set.ranked().states().len().into());
                map.insert("pairs".into(), set.ranked().ranks().into());
                map.insert("reduced_states".into(), set.reduced_states().into());
            }
            Some(ProgramEvidence::Exhaustive { states }) => {
                map.insert("states".into(), (*states).into());
            }
            None => {}
        }
        map
    }

    fn to_saved_json(&self, property: usize, evidence: &dyn Evidence) -> Map<String, Json> {
        let mut map = self.to_json(property, evidence);
        let evidence: &dyn Any = evidence;
        match evidence.downcast_ref() {
            Some(ProgramEvidence::Closed(set)) => {
                map.insert("set".into(), set.to_text().into());
            }
            Some(ProgramEvidence::Ranked(set)) => add_ranked(set, &mut map),
            Some(ProgramEvidence::Reduced(set)) => {
                add_ranked(set.ranked(), &mut map);
                map.insert("taken".into(), set.taken_to_text().into());
            }
            _ => {}
        }
        map
    }

    fn evidence_from_json(&self, _property: usize, document: &Json) -> Result<Box<dyn Evidence>, ReadError> {
        let evidence = &document["evidence"];
        match evidence["kind"].as_str() {
            // What the document shows of the run must be what the run does.
            Some("run") => {
                let run = run_json::read(&evidence["trace"])?;
                // A run that cannot be repeated is rejected by `check`.
                let described = self
                    .replayed(&run)
                    .map(|replayed| run_json::described(self.model.program(), &run, &replayed));
                let difference = described.and_then(|real| run_json::difference(&evidence["trace"], &real));
                match difference {
                    Some(difference) => Err(ReadError::False(difference)),
                    None => Ok(Box::new(ProgramEvidence::Run(run))),
                }
            }
            Some("closed-set") => {
                let states = evidence["states"].as_u64();
                let states = states.ok_or("`evidence.states`: expected a number")?;
                let set = ClosedSet::from_text(text_at(evidence, "set")?, states);
                let set = set.ok_or("`evidence.set`: expected a sorted set of so many states")?;
                Ok(Box::new(ProgramEvidence::Closed(set)))
            }
            Some("ranked-set") => Ok(Box::new(ProgramEvidence::Ranked(read_ranked(evidence)?))),
            Some("reduced-set") => {
                let taken = text_at(evidence, "taken")?;
                let set = ReducedSet::from_text(read_ranked(evidence)?, taken);
                let set =
                    set.ok_or("`evidence.taken`: expected what was taken of the steps of each state")?;
                Ok(Box::new(ProgramEvidence::Reduced(set)))
            }
            Some("exhaustive") => {
                let states = evidence["states"].as_u64();
                let states = states.ok_or("`evidence.states`: expected a number")?;
                Ok(Box::new(ProgramEvidence::Exhaustive { states }))
            }
            Some(kind) => Err(ReadError::NotEvidence(format!(
                "evidence of kind `{kind}` says nothing about a program"
            ))),
            None => {
                Err("`evidence.kind`: expected run, closed-set, ranked-set, reduced-set or exhaustive".into())
            }
        }
    }

    fn show(&self, _property: usize, answer: &Answer) -> Shown {
        let run = run_of(answer);
        let shown = run.and_then(|run| {
            let replayed = self.replayed(run)?;
            Some(show::run(self.model.program(), run, &replayed, self.with_charts))
        });
        shown.unwrap_or_default()
    }

    fn details(&self, _property: usize, answer: &Answer) -> Map<String, Json> {
        let mut details = Map::new();
        // These two are always there, for readers that look for them.
        let figures = answer.guarantee.figures();
        for key in ["bound", "coverage"] {
            if !figures.iter().any(|(name, _)| *name == key) {
                details.insert(key.into(), Json::Null);
            }
        }
        let reduction = match Reduction::told(&answer.statistics).unwrap_or_default() {
            Reduction::Off => json!({"used": false}),
            Reduction::Used => json!({"used": true}),
            Reduction::Refused(reason) => json!({"used": false, "reason": reason}),
        };
        details.insert("reduction".into(), reduction);
        details
    }

    fn export_formats(&self) -> &'static [&'static str] {
        &["trail"]
    }

    fn export(&self, _property: usize, answer: &Answer, extension: &str) -> Option<Result<String, String>> {
        match extension {
            "trail" => Some(self.model.trail(run_of(answer)?)),
            _ => None,
        }
    }
}
