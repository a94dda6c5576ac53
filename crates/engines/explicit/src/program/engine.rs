//! The engine for programs.

use super::explorer::ProgramSteps;
use super::reduction::{Reducer, Symmetry};
use super::search::closed::closed_set;
use super::search::ranked::ranked_set;
use super::search::reduced::reduced_set;
use super::search::watch::Watch;
use super::search::watched::{self, WatchedProgram};
use super::search::{lasso, verdict};
use super::steps::action::Compiled;
use super::steps::space::Space;
use entail_answer::{Answer, Figure, Guarantee};
use entail_budget::{Budget, Progress};
use entail_logic::Observer;
use entail_program::{
    Advisor, Program, ProgramEvidence, ReducedSet, Reduction, Requirement, RequirementKind,
};
use entail_search::cycles::linear::{Verdict, accepted_path};
use entail_search::cycles::product::Stop;
use entail_search::{Exact, MachineCode, Order, SearchOptions, Storage, Store, Tree};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Writing down all states of a safe program may take this, and as long again as the search.
const CLOSE_AT_LEAST: Duration = Duration::from_millis(500);

/// More states than this are written down only where that is asked for: looking at them again would take too long.
const MOST_CLOSED: u64 = 1_000_000;

/// More than this are never written down: the set is made in memory.
const MOST_EVER: u64 = 20_000_000;

/// After a reduced search, all states are written down instead of those of a reduced one if they are at most so many, or at most so many times those that it met.
const CLOSED_ANYWAY: u64 = 20_000;
const CLOSED_TIMES: u64 = 2;

/// Whether all states of a safe program are written down as evidence.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Closing {
    /// Where that takes about as long as the search, and others can look at them in reasonable time.
    #[default]
    WhileItPays,
    /// Always, as far as time and memory suffice.
    Always,
    /// Never.
    Never,
}

/// Decides requirements of programs, state by state.
#[derive(Clone, Debug, Default)]
pub struct ProgramEngine {
    /// How to search.
    pub options: SearchOptions,
    /// Whether evidence is written that can be checked without a search.
    pub closing: Closing,
    /// Whether processes that nobody can tell apart are interchanged (safety only).
    pub symmetry: bool,
    /// The automaton of the runs that violate the formula that is asked about, as those have it who will check the evidence. It plays no part in the decision; without it there are no ranks for formulas.
    pub observer: Option<Observer>,
    /// What those who will check the evidence say about steps that suffice. It plays no part in the decision; without it there is no evidence of reduced searches.
    pub advisor: Option<Arc<dyn Advisor>>,
}

impl ProgramEngine {
    /// Decides one requirement.
    pub fn check(
        &self,
        program: &Program,
        requirement: &Requirement,
        budget: &Budget,
        progress: &dyn Progress,
    ) -> Answer<ProgramEvidence> {
        let mut compiled = match Compiled::new(program) {
            Ok(compiled) => compiled,
            Err(reason) => return Answer::unknown(reason),
        };
        compiled.machine_code = self.options.machine_code;
        if compiled.machine_code == MachineCode::Always {
            compiled.make_all_machine_code();
        }
        let mut space = Space::new(&compiled, budget);
        let fair = self.options.weak_fairness && requirement.question != RequirementKind::Safety;
        let watch = match &requirement.question {
            RequirementKind::Safety => None,
            question => match Watch::new(program, &space, question, budget) {
                Ok(watch) => Some(watch),
                Err(reason) => return Answer::unknown(reason),
            },
        };
        let symmetry = match (self.symmetry, &watch) {
            (false, _) => None,
            (true, Some(_)) => Some(Err("infinite runs are looked for among all states".to_owned())),
            (true, None) if self.options.context_bound.is_some() => {
                Some(Err("changes of the moving process are counted".to_owned()))
            }
            (true, None) => Some(Symmetry::of(program, &compiled)),
        };
        let is_symmetric = matches!(symmetry, Some(Ok(_)));
        let refused = |reason: &str| (None, Reduction::Refused(reason.into()));
        let (reducer, reduction) = match self.options.reduction {
            false => (None, Reduction::Off),
            true if fair => refused("fairness is about every step"),
            true if is_symmetric => refused("processes are interchanged"),
            true if watch.is_none() && self.options.context_bound.is_some() => {
                refused("changes of the moving process are counted")
            }
            true if watch.as_ref().is_some_and(|watch| watch.counts_steps) => {
                refused("the property may count steps")
            }
            true => match Reducer::new(program, &compiled, &requirement.question) {
                Ok(reducer) => (Some(reducer), Reduction::Used),
                Err(reason) => refused(&reason),
            },
        };
        let sleep = self.options.sleep_sets.then(|| match &watch {
            Some(_) => Err("infinite runs need every step".to_owned()),
            None if is_symmetric => Err("processes are interchanged".to_owned()),
            None => Reducer::new(program, &compiled, &requirement.question),
        });
        if watch.is_some() && self.options.order == Order::Random {
            return Answer::unknown(
                "random paths are followed for a while, so they show nothing about infinite runs",
            );
        }
        let begun = Instant::now();
        let mut answer = match &watch {
            None => {
                let model = ProgramSteps {
                    compiled: &compiled,
                    reducer,
                    sleep: sleep.clone().and_then(Result::ok),
                    symmetry: symmetry.clone().and_then(Result::ok),
                };
                let options = SearchOptions {
                    sleep_sets: model.sleep.is_some(),
                    ..self.options.clone()
                };
                let searched = entail_search::search(&model, &options, budget, progress);
                verdict::answer_of(&mut space, searched, model.symmetry.as_ref())
            }
            Some(watch)
                if self.options.cycle_threads > 1
                    && !fair
                    && matches!(self.options.storage, Storage::Auto | Storage::Exact) =>
            {
                let found = together(
                    &mut space,
                    &WatchedProgram::new(&compiled, reducer.clone(), watch),
                    &self.options,
                    budget,
                    progress,
                );
                match found {
                    Some(answer) => stored("exact", answer),
                    None => {
                        let answer = cycles(&mut space, reducer, Exact::new(), watch, fair, budget, progress);
                        stored("exact", answer)
                    }
                }
            }
            Some(watch) => match self.options.storage {
                Storage::Auto | Storage::Exact => {
                    let answer = cycles(&mut space, reducer, Exact::new(), watch, fair, budget, progress);
                    stored("exact", answer)
                }
                Storage::Tree => {
                    let answer = cycles(&mut space, reducer, Tree::new(), watch, fair, budget, progress);
                    stored("tree", answer)
                }
                Storage::HashCompact(_) | Storage::Bitstate(_) | Storage::Disk => {
                    Answer::unknown("cycles are searched with exact or tree storage only")
                }
            },
        };
        let question = (program, &requirement.question);
        let watched = (&mut space, watch.as_ref(), fair);
        let advisor = self.advisor.as_deref().filter(|_| reduction == Reduction::Used);
        self.close(&mut answer, question, watched, advisor, begun.elapsed(), budget);
        reduction.tell(&mut answer.statistics);
        tell(&mut answer, "symmetry", symmetry);
        tell(&mut answer, "sleep_sets", sleep);
        answer
    }

    /// The states of a search that is reduced by the advice that was handed in, whatever the verdict; nothing if there is no advice, or there are more than `most`.
    pub fn reduced_states(
        &self,
        program: &Program,
        requirement: &Requirement,
        most: u64,
        budget: &Budget,
    ) -> Option<ReducedSet> {
        let compiled = Compiled::new(program).ok()?;
        let mut space = Space::new(&compiled, budget);
        let watch = match (&requirement.question, &self.observer) {
            (RequirementKind::Safety, _) => None,
            (question, Some(observer)) => Some(Watch::of_observer(program, &space, question, observer)?),
            (question, None) => Some(Watch::new(program, &space, question, budget).ok()?),
        };
        let advisor = self
            .advisor
            .as_deref()
            .filter(|advisor| advisor.has_advice(program))?;
        reduced_set(program, &mut space, watch.as_ref(), advisor, most, budget)
    }

    /// Replaces the claim that everything was searched by the set of all states, with ranks where infinite runs are watched, or by the states of a reduced search, if there is time for it.
    fn close(
        &self,
        answer: &mut Answer<ProgramEvidence>,
        (program, question): (&Program, &RequirementKind),
        (space, watch, fair): (&mut Space<'_>, Option<&Watch>, bool),
        advisor: Option<&dyn Advisor>,
        searched_in: Duration,
        budget: &Budget,
    ) {
        if answer.verdict != entail_answer::Verdict::Holds || answer.guarantee != Guarantee::Complete {
            return;
        }
        let part = budget.part(CLOSE_AT_LEAST + searched_in);
        let (most, budget) = match self.closing {
            Closing::Never => return,
            Closing::WhileItPays => (MOST_CLOSED, &part),
            Closing::Always => (MOST_EVER, budget),
        };
        let needs_observer = matches!(question, RequirementKind::Always(_) | RequirementKind::Progress);
        let handed_in = match (&self.observer, needs_observer) {
            (Some(observer), true) => match Watch::of_observer(program, space, question, observer) {
                Some(watch) => Some(watch),
                None => return,
            },
            (None, true) => return,
            (_, false) => None,
        };
        let watch = handed_in.as_ref().or(watch);
        let compiled = space.compiled;
        let all = |most: u64| match watch {
            None => closed_set(program, compiled, most, budget).map(ProgramEvidence::Closed),
            Some(watch) => {
                let mut space = Space::new(compiled, budget);
                let set = ranked_set(program, &mut space, watch, fair, most, budget);
                set.map(ProgramEvidence::Ranked)
            }
        };
        let evidence = match advisor {
            None => all(most),
            Some(advisor) => {
                let met = answer.statistics.count("states").unwrap_or(0);
                let few = most.min(CLOSED_ANYWAY.max(met.saturating_mul(CLOSED_TIMES)));
                let reduced = || {
                    if !advisor.has_advice(program) {
                        return None;
                    }
                    let mut space = Space::new(compiled, budget);
                    let set = reduced_set(program, &mut space, watch, advisor, most, budget);
                    set.map(ProgramEvidence::Reduced)
                };
                all(few)
                    .or_else(reduced)
                    .or_else(|| if few < most { all(most) } else { None })
            }
        };
        answer.evidence = evidence.or(answer.evidence.take());
    }
}

/// Tells among the counters whether something that was asked for was used.
fn tell<T>(answer: &mut Answer<ProgramEvidence>, name: &'static str, used: Option<Result<T, String>>) {
    if let Some(used) = used {
        let told = match used {
            Ok(_) => "used".to_owned(),
            Err(reason) => format!("refused: {reason}"),
        };
        answer.statistics.set(name, Figure::Text(told));
    }
}

fn stored(storage: &str, mut answer: Answer<ProgramEvidence>) -> Answer<ProgramEvidence> {
    answer.statistics.set("storage", Figure::Text(storage.into()));
    answer
}

/// The same on several threads. Nothing if one thread has to look into it: a condition could not be evaluated.
fn together(
    space: &mut Space<'_>,
    model: &WatchedProgram<'_>,
    options: &SearchOptions,
    budget: &Budget,
    progress: &dyn Progress,
) -> Option<Answer<ProgramEvidence>> {
    let judged = accepted_path(model, options, budget, progress);
    let mut answer = match judged.verdict {
        Verdict::Nothing => verdict::holds(judged.counts),
        Verdict::Diverges => Answer::unknown(lasso::DIVERGES),
        Verdict::Accepted(found) => match watched::run_along(space, &found) {
            Ok(run) => verdict::fails(run),
            Err(spent) => Answer::unknown(spent.to_string()),
        },
        Verdict::Stopped(Stop::Spent(spent)) => Answer::unknown(spent.to_string()),
        Verdict::Stopped(Stop::Blind(_) | Stop::Flaw(..)) => return None,
        Verdict::Stopped(Stop::Full | Stop::Crowded | Stop::Halted) => {
            Answer::unknown("there are more states than can be numbered")
        }
    };
    answer.statistics = verdict::statistics(judged.counts).with("state_bytes", judged.bytes);
    Some(answer)
}

/// Looks for infinite runs that violate what is watched for.
fn cycles<S: Store>(
    space: &mut Space<'_>,
    reducer: Option<Reducer>,
    store: S,
    watch: &Watch,
    fair: bool,
    budget: &Budget,
    progress: &dyn Progress,
) -> Answer<ProgramEvidence> {
    let (found, counts, bytes) = lasso::search(space, reducer, store, watch, fair, budget, progress);
    let mut answer = match found {
        lasso::Found::Nothing => verdict::holds(counts),
        lasso::Found::Violation(run) => verdict::fails(run),
        lasso::Found::Stopped(reason) => Answer::unknown(reason),
    };
    answer.statistics = verdict::statistics(counts).with("state_bytes", bytes);
    answer
}
