//! `entail check` of a program of communicating processes.

use crate::arguments::{Check, ProcessFairness, SearchOrder};
use crate::distributed;
use crate::failure::{FAILS, HOLDS, INTERRUPTED, Stop, UNKNOWN};
use crate::progress_line::ProgressLine;
use crate::save_program;
use crate::terminal::{self, print};
use entail::{
    CheckpointFile, MachineCode, Order, PROGRAM_ENGINE, ProgramAnswer, ProgramModel, ProgramRequest,
    SearchOptions, check_program,
};
use entail_budget::{Cancellation, peak_memory_bytes};
use entail_evidence::Verdict;
use entail_program::Question;
use entail_report::chart::{self, Chart};
use entail_report::program::{self, ProgramReport, RequirementReport};
use entail_report::text::TextOptions;
use std::sync::Arc;
use std::time::Instant;

/// Checks what was asked for and prints it.
pub fn run(mut model: ProgramModel, options: &Check, begun: Instant) -> Result<u8, Stop> {
    let selected = select(&mut model, options)?;
    if let Some(engine) = options
        .engine
        .as_deref()
        .filter(|&engine| engine != PROGRAM_ENGINE)
    {
        return Err(Stop::usage(format!(
            "programs are checked by the engine `{PROGRAM_ENGINE}`, not by `{engine}`"
        )));
    }
    let cancellation = Cancellation::default();
    let switch = cancellation.clone();
    // Without a handler Ctrl-C still ends the program, only less politely.
    let _ = ctrlc::set_handler(move || switch.cancel());
    let request = ProgramRequest {
        options: search_options(&model, &selected, options)?,
        requirements: selected,
        timeout: options.timeout.map(|whole| whole.saturating_sub(begun.elapsed())),
        property_timeout: options.property_timeout,
        memory: options.memory,
        cancellation: cancellation.clone(),
    };
    let party = distributed::party(options)?;
    let model = Arc::new(model);
    let text_options = TextOptions {
        colour: terminal::colour(),
        ..TextOptions::default()
    };
    let line = ProgressLine::new(!options.json);
    let show = |answer: &ProgramAnswer| {
        if !options.json {
            line.clear();
            print(&program::requirement(
                model.program(),
                &report(&model, answer),
                &text_options,
            ));
            if let (true, Some(run), Some(replayed)) = (options.msc, &answer.outcome.run, &answer.replayed) {
                print(&chart::text(&Chart::new(model.program(), run, replayed)));
            }
        }
    };
    let answers = match party {
        None => check_program(&model, &request, &line, show),
        Some(party) => match party.check(&model, &request)? {
            Some(answers) => {
                answers.iter().for_each(show);
                Ok(answers)
            }
            // The first worker has the answers.
            None => return Ok(HOLDS),
        },
    };
    line.clear();
    let answers = answers?;
    let report = ProgramReport {
        name: model.source().name(),
        language: "promela",
        program: model.program(),
        requirements: answers.iter().map(|answer| report(&model, answer)).collect(),
        seconds: begun.elapsed().as_secs_f64(),
        peak_memory_bytes: peak_memory_bytes(),
    };
    print(&match options.json {
        true => program::json(&report),
        false => program::summary(&report),
    });
    save_program::check_results(&model, &report, options)?;
    let any = |verdict: Verdict| {
        report
            .requirements
            .iter()
            .any(|answer| answer.verdict() == verdict)
    };
    Ok(match () {
        () if cancellation.is_cancelled() => INTERRUPTED,
        () if any(Verdict::Fails) => FAILS,
        () if any(Verdict::Unknown) => UNKNOWN,
        () => HOLDS,
    })
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

fn report<'a>(model: &'a ProgramModel, answer: &'a ProgramAnswer) -> RequirementReport<'a> {
    RequirementReport {
        requirement: &model.requirements()[answer.requirement],
        outcome: &answer.outcome,
        replayed: answer.replayed.as_ref(),
        engine: PROGRAM_ENGINE,
        seconds: answer.seconds,
    }
}

/// The positions of the requirements asked for: by name or number, formulas of the user's own, or all.
fn select(model: &mut ProgramModel, options: &Check) -> Result<Vec<usize>, Stop> {
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
