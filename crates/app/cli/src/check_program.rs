//! `entail check` of a program of communicating processes.

use crate::arguments::{Check, ProcessFairness, SearchOrder};
use crate::case::{self, Case};
use crate::distributed;
use crate::failure::{FAILS, HOLDS, INTERNAL, INTERRUPTED, Stop, UNKNOWN};
use crate::limits::{Limits, PATIENCE, TIME_TO_SAVE};
use crate::progress_line::ProgressLine;
use crate::save_program;
use crate::terminal::{self, print, print_json};
use entail::{
    CheckpointFile, Failure, MachineCode, Order, PROGRAM_ENGINE, ProgramAnswer, ProgramModel, ProgramRequest,
    SearchOptions, check_program_each,
};
use entail_budget::peak_memory_bytes;
use entail_evidence::Verdict;
use entail_program::{Outcome, Question};
use entail_report::InternalReport;
use entail_report::chart::{self, Chart};
use entail_report::program::{self, ProgramReport, RequirementReport};
use entail_report::text::TextOptions;
use serde_json::json;
use std::sync::{Arc, Mutex};
use std::time::Instant;

/// Checks what was asked for and prints it.
pub fn run(
    model: ProgramModel,
    selected: Vec<usize>,
    options: &Arc<Check>,
    limits: &Limits,
    begun: Instant,
) -> Result<u8, Stop> {
    if let Some(engine) = options
        .engine
        .as_deref()
        .filter(|&engine| engine != PROGRAM_ENGINE)
    {
        return Err(Stop::usage(format!(
            "programs are checked by the engine `{PROGRAM_ENGINE}`, not by `{engine}`"
        )));
    }
    let request = ProgramRequest {
        options: search_options(&model, &selected, options)?,
        requirements: selected,
        timeout: limits.time_left(),
        property_timeout: options.property_timeout,
        memory: limits.memory,
        default_memory: limits.default_memory,
        cancellation: limits.cancellation.clone(),
        fault: case::fault(),
    };
    let party = distributed::party(options)?;
    let patience = match options.checkpoint.is_some() || options.resume.is_some() {
        true => TIME_TO_SAVE,
        false => PATIENCE,
    };
    let line = Arc::new(ProgressLine::new(!options.json));
    let found = Arc::new(Mutex::new(Found::default()));
    let (model, request) = (Arc::new(model), Arc::new(request));
    let checked = {
        let (options, model, request) = (options.clone(), model.clone(), request.clone());
        let (found, line) = (found.clone(), line.clone());
        let shown = line.clone();
        let add = move |model: &ProgramModel, answer| {
            if let Ok(mut found) = found.lock() {
                shown.clear();
                found.add(answer, model, &options);
            }
        };
        match party {
            // It keeps the limits itself, and with the other processes.
            Some(party) => match party.check(&model, &request)? {
                Some(answers) => {
                    answers.into_iter().for_each(|answer| add(&model, answer));
                    Ok(Ok(true))
                }
                None => Ok(Ok(false)),
            },
            None => limits.keep(patience, move || {
                check_program_each(&model, &request, &*line, |answer| add(&model, answer));
                Ok::<bool, Failure>(true)
            }),
        }
    };
    line.clear();
    let mut found = match found.lock() {
        Ok(mut found) => found.close(),
        Err(_) => return Err(Stop::Internal("an answer could not be shown".into())),
    };
    match checked {
        Ok(Ok(true)) => {}
        // The first worker has the answers.
        Ok(Ok(false)) => return Ok(HOLDS),
        Ok(Err(failure)) => return Err(failure.into()),
        Err(spent) => {
            for &position in &request.requirements {
                if !found
                    .answers
                    .iter()
                    .any(|(answer, _)| answer.requirement == position)
                {
                    found.add(
                        ProgramAnswer::unknown(position, spent.to_string()),
                        &model,
                        options,
                    );
                }
            }
        }
    }
    let report = ProgramReport {
        name: model.source().name(),
        language: "promela",
        digest: model.digest().to_string(),
        program: model.program(),
        requirements: found
            .answers
            .iter()
            .map(|(answer, internal)| report(&model, answer, internal.as_ref()))
            .collect(),
        seconds: begun.elapsed().as_secs_f64(),
        peak_memory_bytes: peak_memory_bytes(),
    };
    match options.json {
        true => print_json(&program::json(&report)),
        false => print(&program::summary(&report)),
    }
    save_program::check_results(&model, &report, options)?;
    let any = |verdict: Verdict| {
        report
            .requirements
            .iter()
            .any(|answer| answer.verdict() == verdict)
    };
    Ok(match () {
        () if report.requirements.iter().any(|answer| answer.internal.is_some()) => INTERNAL,
        () if limits.cancellation.is_cancelled() => INTERRUPTED,
        () if any(Verdict::Fails) => FAILS,
        () if any(Verdict::Unknown) => UNKNOWN,
        () => HOLDS,
    })
}

/// The answers so far, each with the mistake it met. Once they are reported, others come too late.
#[derive(Default)]
struct Found {
    answers: Vec<(ProgramAnswer, Option<InternalReport>)>,
    closed: bool,
}

impl Found {
    /// Shows an answer, and keeps it.
    fn add(&mut self, answer: ProgramAnswer, model: &ProgramModel, options: &Check) {
        if self.closed {
            return;
        }
        let internal = answer.internal.as_ref().map(|error| {
            let requirement = &model.requirements()[answer.requirement];
            let run = |claim: &Outcome| {
                let steps = claim.run.iter().flat_map(|run| &run.steps);
                let steps: Vec<_> = steps
                    .map(
                        |step| json!({"process": step.process, "edge": step.edge, "receiver": step.receiver}),
                    )
                    .collect();
                let loop_start = claim.run.as_ref().and_then(|run| run.loop_start);
                json!({"holds": claim.holds, "run": {"steps": steps, "loop_start": loop_start}})
            };
            Case {
                message: &error.message,
                model: &options.model,
                language: "promela",
                property: json!({"name": requirement.name, "formula": requirement.text}),
                engine: PROGRAM_ENGINE,
                claim: error.claim.as_deref().map(run),
                folder: options.evidence.as_deref(),
            }
            .save()
        });
        if !options.json {
            let text_options = TextOptions {
                colour: terminal::colour(),
                ..TextOptions::default()
            };
            print(&program::requirement(
                model.program(),
                &report(model, &answer, internal.as_ref()),
                &text_options,
            ));
            if let (true, Some(run), Some(replayed)) = (options.msc, &answer.outcome.run, &answer.replayed) {
                print(&chart::text(&Chart::new(model.program(), run, replayed)));
            }
        }
        self.answers.push((answer, internal));
    }

    fn close(&mut self) -> Found {
        let answers = std::mem::take(&mut self.answers);
        self.closed = true;
        Found {
            answers,
            closed: false,
        }
    }
}

/// How to search.
fn search_options(model: &ProgramModel, selected: &[usize], options: &Check) -> Result<SearchOptions, Stop> {
    let mut search = SearchOptions {
        weak_fairness: options.fairness == Some(ProcessFairness::Weak),
        reduction: !options.no_reduction && !options.shortest,
        storage: options.storage.unwrap_or_default(),
        order: match options.search {
            Some(SearchOrder::Dfs) => Order::DepthFirst,
            _ => Order::BreadthFirst,
        },
        context_bound: options.context_bound,
        threads: options
            .threads
            .or_else(|| std::thread::available_parallelism().ok().map(usize::from))
            .unwrap_or(1),
        machine_code: match options.interpret {
            true => MachineCode::Never,
            false => MachineCode::default(),
        },
        ..SearchOptions::default()
    };
    if let Some(path) = options.checkpoint.as_ref().or(options.resume.as_ref()) {
        let is_safety = |position: &usize| model.requirements()[*position].question == Question::Safety;
        let [requirement] = selected else {
            return Err(Stop::usage(
                "a checkpoint is of one property: say which with --property",
            ));
        };
        if !is_safety(requirement) || search.order == Order::DepthFirst || search.storage.is_lossy() {
            return Err(Stop::usage(
                "checkpoints are for safety, searched breadth first with exact or tree storage",
            ));
        }
        let every = options.checkpoint_every;
        let file = CheckpointFile::new(
            path.clone(),
            options.resume.as_deref(),
            every,
            (model, *requirement),
            &search,
            terminal::warn,
        );
        search.checkpoints = Some(Arc::new(file.map_err(|error| Stop::input(error.to_string()))?));
    }
    Ok(search)
}

fn report<'a>(
    model: &'a ProgramModel,
    answer: &'a ProgramAnswer,
    internal: Option<&'a InternalReport>,
) -> RequirementReport<'a> {
    RequirementReport {
        internal,
        requirement: &model.requirements()[answer.requirement],
        outcome: &answer.outcome,
        replayed: answer.replayed.as_ref(),
        engine: PROGRAM_ENGINE,
        seconds: answer.seconds,
    }
}

/// The positions of the requirements asked for: by name or number, formulas of the user's own, or all.
pub fn select(model: &mut ProgramModel, options: &Check) -> Result<Vec<usize>, Stop> {
    if !options.mu.is_empty() {
        return Err(Stop::usage(
            "programs are asked LTL formulas (--spec), not those of the mu-calculus",
        ));
    }
    let mut selected = Vec::new();
    for wanted in &options.property {
        let known = model.requirements();
        let by_name = known
            .iter()
            .position(|requirement| requirement.name.as_deref() == Some(wanted));
        let by_number = wanted
            .parse::<usize>()
            .ok()
            .and_then(|number| number.checked_sub(1))
            .filter(|&at| at < known.len());
        selected.push(by_name.or(by_number).ok_or_else(|| {
            Stop::usage(format!(
                "there is no property `{wanted}`; the model has {}, numbered from 1",
                known.len()
            ))
        })?);
    }
    for formula in &options.spec {
        selected.push(model.add_formula(formula)?);
    }
    if options.property.is_empty() && options.spec.is_empty() {
        selected = (0..model.requirements().len()).collect();
    }
    Ok(selected)
}
