//! `entail check`: decide, print as it is decided, save what was asked for.

use crate::arguments::{Check, DeadEndPolicy, ReorderMode};
use crate::case::{self, Case};
use crate::check_program;
use crate::failure::{FAILS, HOLDS, INTERNAL, INTERRUPTED, Stop, UNKNOWN, meaningless};
use crate::limits::{Limits, NO_PATIENCE, PATIENCE};
use crate::load::{Warnings, load_any, read_text};
use crate::progress_line::ProgressLine;
use crate::reachable;
use crate::save;
use crate::terminal::{self, note, print, print_json};
use entail::{
    AbstractOptions, Answer, AnyModel, EngineSettings, Failure, InitialOrder, Launcher, Mode, Model,
    ProgramModel, Rechecking, Reordering, Request, Slicing,
};
use entail_budget::{Budget, peak_memory_bytes};
use entail_dd::order::read_order;
use entail_evidence::json as evidence_json;
use entail_evidence::{CheckOptions, DeadEnds, Outcome, Verdict};
use entail_logic::Property;
use entail_model::TermId;
use entail_report::{InternalReport, ModelReport, PropertyReport, Report, json, text};
use std::ffi::OsString;
use std::io::BufReader;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Instant;

/// The engine's name on the line of a property that no engine can decide yet.
const NO_ENGINE: &str = "none";

/// What is checked, when everything has been read.
struct Prepared {
    model: Model,
    selected: Vec<usize>,
    /// The engine that the user wants, if one.
    engine: Option<String>,
    settings: EngineSettings,
}

/// Processes that may need memory at the same time: this one, and about as many as race.
const PROCESSES: u64 = 2;

pub fn run(options: &Arc<Check>) -> Result<u8, Stop> {
    let begun = Instant::now();
    let limits = Limits::new(options.timeout, options.memory);
    let limits = match options.as_worker {
        Some(_) => limits.shared(PROCESSES),
        None => {
            limits.heed_signals();
            limits
        }
    };
    let read = {
        let (options, budget) = (options.clone(), limits.budget());
        limits.keep(NO_PATIENCE, move || prepare(&options, &budget))
    };
    let prepared = match read {
        Ok(Ok(Readable::System(prepared))) => *prepared,
        Ok(Ok(Readable::Program(model, selected))) => {
            return check_program::run(*model, selected, options, &limits, begun);
        }
        Ok(Err(Stop::Message(reason, status)))
            if options.json && [UNKNOWN, INTERRUPTED].contains(&status) =>
        {
            return Err(not_read(options, begun, reason, status));
        }
        Ok(Err(stop)) => return Err(stop),
        Err(spent) => {
            let name = options.model.display();
            let Stop::Message(reason, status) = Stop::spent(spent, &format!("{spent} while {name} was read"))
            else {
                return Err(Stop::Internal(spent.to_string()));
            };
            return Err(match options.json {
                true => not_read(options, begun, reason, status),
                false => Stop::Message(reason, status),
            });
        }
    };
    let Prepared {
        model,
        selected,
        engine,
        settings,
    } = prepared;
    let not_yet = if options.property.is_empty() && options.spec.is_empty() && options.mu.is_empty() {
        model.not_yet()
    } else {
        Vec::new()
    };
    let dead_ends = options.dead_ends.map_or(DeadEnds::default(), policy);
    let request = Request {
        properties: selected,
        engine,
        options: CheckOptions {
            bound: options.bound,
            dead_ends,
            threads: options.threads.unwrap_or(1),
        },
        settings,
        timeout: limits.time_left(),
        property_timeout: options.property_timeout,
        memory: limits.memory,
        default_memory: limits.default_memory,
        cancellation: limits.cancellation.clone(),
        rechecking: match (options.recheck, options.no_certify) {
            (_, true) => Rechecking::Never,
            (true, _) => Rechecking::ToTheEnd,
            _ => Rechecking::WhileItPays,
        },
        launcher: options
            .as_worker
            .is_none()
            .then(|| launcher(&model, options))
            .flatten(),
        slicing: match options.whole {
            true => Slicing::Whole,
            false => Slicing::Cone,
        },
        fault: case::fault(),
    };
    let (model, request) = (Arc::new(model), Arc::new(request));
    if options.as_worker.is_some() || options.reachable {
        let (options, model, request) = (options.clone(), model.clone(), request.clone());
        let done = limits.keep(PATIENCE, move || match &options.as_worker {
            Some(engine) => {
                let (input, output) = (BufReader::new(std::io::stdin()), std::io::stdout());
                entail::serve(&model, engine, &request, input, output, || {
                    std::process::exit(HOLDS.into())
                });
                Ok(HOLDS)
            }
            None => reachable::run(&model, &request, &options),
        });
        return done.unwrap_or_else(|spent| Err(Stop::spent(spent, &spent.to_string())));
    }

    let line = Arc::new(ProgressLine::new(!options.json));
    let found = Arc::new(Mutex::new(Found::default()));
    let checked = {
        let (options, model, request) = (options.clone(), model.clone(), request.clone());
        let (found, line) = (found.clone(), line.clone());
        limits.keep(PATIENCE, move || {
            entail::check_each(&model, &request, &*line, |answer| {
                if let Ok(mut found) = found.lock() {
                    found.add(answer, &model, &options, &line);
                }
            })
        })
    };
    line.clear();
    let mut found = match found.lock() {
        Ok(mut found) => found.close(),
        Err(_) => return Err(Stop::Internal("an answer could not be shown".into())),
    };
    match checked {
        Ok(Ok(())) => {}
        Ok(Err(Failure::Model(error))) => return Err(meaningless(&model, &error)),
        Ok(Err(other)) => return Err(other.into()),
        Err(spent) => {
            for &position in &request.properties {
                if !found
                    .answers
                    .iter()
                    .any(|(answer, _)| answer.property == position)
                {
                    let answer = Answer::unknown(position, NO_ENGINE, spent.to_string());
                    found.add(answer, &model, options, &line);
                }
            }
            // What still works on the model keeps its translation, which would be left behind.
            if let Some(folder) = model.translation().as_deref().and_then(Path::parent) {
                let _ = std::fs::remove_dir_all(folder);
            }
        }
    }
    let undecided: Vec<(Property<TermId>, Outcome)> = not_yet
        .into_iter()
        .map(|(property, reason)| (property, Outcome::unknown(reason)))
        .collect();
    let mut properties: Vec<PropertyReport<'_>> = found
        .answers
        .iter()
        .map(|(answer, internal)| property_report(&model, answer, internal.as_ref()))
        .collect();
    for (property, outcome) in &undecided {
        let answer = PropertyReport {
            property,
            outcome,
            engine: NO_ENGINE,
            seconds: 0.0,
            checked: None,
            internal: None,
        };
        print_answer(&model, &answer, options);
        properties.push(answer);
    }
    let report = Report {
        model: model_report(&model, options),
        properties,
        seconds: begun.elapsed().as_secs_f64(),
        peak_memory_bytes: peak_memory_bytes(),
    };
    match options.json {
        true => print_json(&json::report(&report)),
        false => print(&text::summary(&report)),
    }
    save::check_results(&model, &report, options)?;
    if options.save_order.is_some() {
        reachable::explore(&model, &request, options)?;
    }

    let any = |verdict: Verdict| {
        report
            .properties
            .iter()
            .any(|answer| answer.outcome.verdict == verdict)
    };
    Ok(match () {
        () if report.properties.iter().any(|answer| answer.internal.is_some()) => INTERNAL,
        () if limits.cancellation.is_cancelled() => INTERRUPTED,
        () if any(Verdict::Fails) => FAILS,
        () if any(Verdict::Unknown) => UNKNOWN,
        () => HOLDS,
    })
}

/// A model of either kind that has been read.
enum Readable {
    System(Box<Prepared>),
    /// With what is asked.
    Program(Box<ProgramModel>, Vec<usize>),
}

/// Reads the model and all that belongs to it.
fn prepare(options: &Check, budget: &Budget) -> Result<Readable, Stop> {
    let warnings = if options.json || options.as_worker.is_some() {
        Warnings::Silent
    } else {
        Warnings::Shown
    };
    let loaded = load_any(
        &options.model,
        options.language.as_deref(),
        options.top.as_deref(),
        &options.preprocessor,
        warnings,
        budget,
    )?;
    let mut model = match loaded {
        AnyModel::Program(mut model) => {
            let selected = check_program::select(&mut model, options)?;
            return Ok(Readable::Program(model, selected));
        }
        AnyModel::System(model) => model,
    };
    let selected = select(&mut model, options)?;
    let abstraction = abstraction(&mut model, options, budget)?;
    Ok(Readable::System(Box::new(Prepared {
        selected,
        engine: match abstraction {
            Some(_) => Some(ABSTRACT.to_owned()),
            None => options.engine.clone(),
        },
        settings: EngineSettings {
            abstraction: abstraction.unwrap_or_default(),
            ..settings(&model, options)?
        },
        model: *model,
    })))
}

/// There is nothing to be said about properties, since they have not even been read.
fn not_read(options: &Check, begun: Instant, reason: String, status: u8) -> Stop {
    let document = serde_json::json!({
        "entail": env!("CARGO_PKG_VERSION"), "model": options.model.display().to_string(), "properties": [],
        "reason": reason, "seconds": begun.elapsed().as_secs_f64(), "peak_memory_bytes": peak_memory_bytes(),
    });
    print_json(&format!("{document}\n"));
    Stop::Message(reason, status)
}

/// The answers so far, each with the mistake it met. Once they are reported, others come too late.
#[derive(Default)]
struct Found {
    answers: Vec<(Answer, Option<InternalReport>)>,
    closed: bool,
}

impl Found {
    /// Shows an answer, and keeps it.
    fn add(&mut self, answer: Answer, model: &Model, options: &Check, line: &ProgressLine) {
        if self.closed {
            return;
        }
        let internal = answer.internal.as_ref().map(|error| {
            let property = &model.properties()[answer.property];
            let name = (model.source().name(), model.language().name());
            let dead_ends = options.dead_ends.map_or(DeadEnds::default(), policy);
            let document = |claim: &Outcome| {
                evidence_json::document(model.system(), name, property, claim, dead_ends, answer.engine)
            };
            Case {
                message: &error.message,
                model: &options.model,
                language: model.language().name(),
                property: serde_json::json!({
                    "name": property.name, "formula": property.text, "logic": property.logic,
                }),
                engine: answer.engine,
                claim: error.claim.as_deref().map(document),
                folder: options.evidence.as_deref(),
            }
            .save()
        });
        line.clear();
        print_answer(
            model,
            &property_report(model, &answer, internal.as_ref()),
            options,
        );
        if options.verbose > 0 && !options.json {
            note!("  engine {}: {}", answer.engine, answer.chosen_because);
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

fn model_report<'a>(model: &'a Model, options: &Check) -> ModelReport<'a> {
    ModelReport {
        name: model.source().name(),
        language: model.language().name(),
        system: model.system(),
        dead_ends: options.dead_ends.map_or(DeadEnds::default(), policy),
    }
}

fn print_answer(model: &Model, answer: &PropertyReport<'_>, options: &Check) {
    if options.json {
        return;
    }
    let text_options = text::TextOptions {
        colour: terminal::colour(),
        all_values: options.verbose > 1,
        defines: options.verbose > 0,
        rounds: options.verbose > 0,
        ..text::TextOptions::default()
    };
    print(&text::property(
        &model_report(model, options),
        answer,
        &text_options,
    ));
}

/// Racing engines run in processes of this program with this command line. What was translated need not be translated again.
fn launcher(model: &Model, options: &Check) -> Option<Launcher> {
    let mut arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    if let Some(file) = model.translation() {
        for argument in &mut arguments {
            if *argument == *options.model {
                *argument = file.clone().into();
            } else if let Some(text) = argument.to_str().filter(|text| text.ends_with("verilog")) {
                *argument = text.replace("verilog", "btor2").into();
            }
        }
        if options.language.is_none() {
            arguments.extend(["--language".into(), "btor2".into()]);
        }
    }
    arguments.push("--as-worker".into());
    Some(Launcher {
        program: std::env::current_exe().ok()?,
        arguments,
    })
}

fn property_report<'a>(
    model: &'a Model,
    answer: &'a Answer,
    internal: Option<&'a InternalReport>,
) -> PropertyReport<'a> {
    PropertyReport {
        internal,
        property: &model.properties()[answer.property],
        outcome: &answer.outcome,
        engine: answer.engine,
        seconds: answer.seconds,
        checked: answer.checked.as_ref(),
    }
}

/// The positions of the properties asked for: by name or number, formulas of the user's own, or all.
fn select(model: &mut Model, options: &Check) -> Result<Vec<usize>, Stop> {
    let mut selected = Vec::new();
    for wanted in &options.property {
        let known = model.properties();
        let by_name = known
            .iter()
            .position(|property| property.name.as_deref() == Some(wanted));
        let by_number = wanted
            .parse::<usize>()
            .ok()
            .and_then(|number| number.checked_sub(1))
            .filter(|&at| at < known.len());
        let position = by_name.or(by_number).ok_or_else(|| {
            let names: Vec<&str> = known
                .iter()
                .filter_map(|property| property.name.as_deref())
                .collect();
            let names = if names.is_empty() {
                "none has a name".to_owned()
            } else {
                names.join(", ")
            };
            Stop::usage(format!(
                "there is no property `{wanted}`; the model has {} (by name: {names}), numbered from 1",
                known.len()
            ))
        })?;
        selected.push(position);
    }
    for formula in &options.spec {
        selected.push(model.add_property(formula)?);
    }
    for formula in &options.mu {
        selected.push(model.add_mu_property(formula)?);
    }
    if options.property.is_empty() && options.spec.is_empty() && options.mu.is_empty() {
        selected = (0..model.properties().len()).collect();
    }
    Ok(selected)
}

/// The engine of abstract models.
const ABSTRACT: &str = "abstract";

/// How the model is to be abstracted, if the user wants that.
fn abstraction(model: &mut Model, options: &Check, budget: &Budget) -> Result<Option<AbstractOptions>, Stop> {
    let wanted = options.abstraction.is_some() || options.three_valued;
    if let Some(engine) = options.engine.as_ref().filter(|name| wanted && *name != ABSTRACT) {
        return Err(Stop::usage(format!(
            "--abstract and --three-valued ask the engine `{ABSTRACT}`, and --engine names `{engine}`"
        )));
    }
    let mut settings = match &options.abstraction {
        Some(path) => model.load_abstraction(path, budget)?,
        None => AbstractOptions::default(),
    };
    if options.three_valued {
        settings.mode = Mode::ThreeValued;
        settings.refine = true;
    }
    Ok(wanted.then_some(settings))
}

fn policy(policy: DeadEndPolicy) -> DeadEnds {
    match policy {
        DeadEndPolicy::Infinite => DeadEnds::Infinite,
        DeadEndPolicy::Maximal => DeadEnds::Maximal,
        DeadEndPolicy::Stutter => DeadEnds::Stutter,
        DeadEndPolicy::Error => DeadEnds::Error,
    }
}

/// The settings of single engines. An order file may leave variables out (they follow), but not invent them.
fn settings(model: &Model, options: &Check) -> Result<EngineSettings, Stop> {
    let mut settings = EngineSettings::default();
    if let Some(mode) = options.reorder {
        settings.bdd.reordering = match mode {
            ReorderMode::None => Reordering::None,
            ReorderMode::Sift | ReorderMode::Group => Reordering::Sift,
            ReorderMode::Converge => Reordering::Converge,
        };
    }
    if let Some(path) = &options.order {
        let listed = read_order(&read_text(path)?)
            .map_err(|error| Stop::input(format!("{}: {error}", path.display())))?;
        let known = |name: &str| model.system().find_variable(name).is_some();
        let bit_of = |name: &str| {
            name.rsplit_once('.').is_some_and(|(variable, bit)| {
                known(variable) && bit.bytes().all(|byte| byte.is_ascii_digit())
            })
        };
        let foreign: Vec<&str> = listed
            .iter()
            .map(String::as_str)
            .filter(|name| !known(name) && !bit_of(name))
            .collect();
        let named = foreign.iter().take(5).copied().collect::<Vec<_>>().join(", ");
        if foreign.len() == listed.len() && !listed.is_empty() {
            return Err(Stop::input(format!(
                "{}: none of its variables is one of the model ({named})",
                path.display()
            )));
        }
        if !foreign.is_empty() && !options.json {
            note!(
                "entail: {}: {} names are not variables of the model ({named})",
                path.display(),
                foreign.len()
            );
        }
        settings.bdd.order = InitialOrder::Listed(listed);
    }
    Ok(settings)
}
