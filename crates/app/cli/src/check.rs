//! `entail check`: decide, print as it is decided, save what was asked for.

use crate::arguments::{Check, DeadEndPolicy, ReorderMode};
use crate::check_program;
use crate::failure::{FAILS, HOLDS, INTERRUPTED, Stop, UNKNOWN, meaningless};
use crate::load::{Warnings, load_any, read_text};
use crate::progress_line::ProgressLine;
use crate::reachable;
use crate::save;
use crate::terminal::{self, print};
use entail::{
    AbstractOptions, Answer, AnyModel, EngineSettings, Failure, InitialOrder, Launcher, Mode, Model,
    Rechecking, Reordering, Request, Slicing,
};
use entail_budget::{Budget, Cancellation, peak_memory_bytes};
use entail_dd::order::read_order;
use entail_evidence::{CheckOptions, DeadEnds, Outcome, Verdict};
use entail_logic::Property;
use entail_model::TermId;
use entail_report::{ModelReport, PropertyReport, Report, json, text};
use std::ffi::OsString;
use std::io::BufReader;
use std::time::Instant;

/// The engine's name on the line of a property that no engine can decide yet.
const NO_ENGINE: &str = "none";

pub fn run(options: &Check) -> Result<u8, Stop> {
    let begun = Instant::now();
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
    )?;
    let mut model = match loaded {
        AnyModel::Program(model) => return check_program::run(*model, options, begun),
        AnyModel::System(model) => model,
    };
    let selected = select(&mut model, options)?;
    let abstraction = abstraction(&mut model, options)?;
    let not_yet = if options.property.is_empty() && options.spec.is_empty() && options.mu.is_empty() {
        model.not_yet()
    } else {
        Vec::new()
    };

    let cancellation = Cancellation::default();
    let switch = cancellation.clone();
    // Without a handler Ctrl-C still ends the program, only less politely.
    let _ = ctrlc::set_handler(move || switch.cancel());
    let dead_ends = options.dead_ends.map_or(DeadEnds::default(), policy);
    let request = Request {
        properties: selected,
        engine: match abstraction {
            Some(_) => Some(ABSTRACT.to_owned()),
            None => options.engine.clone(),
        },
        options: CheckOptions {
            bound: options.bound,
            dead_ends,
            threads: options.threads.unwrap_or(1),
        },
        settings: EngineSettings {
            abstraction: abstraction.unwrap_or_default(),
            ..settings(&model, options)?
        },
        timeout: options.timeout.map(|whole| whole.saturating_sub(begun.elapsed())),
        property_timeout: options.property_timeout,
        memory: options.memory,
        cancellation: cancellation.clone(),
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
    };
    if let Some(engine) = &options.as_worker {
        let (input, output) = (BufReader::new(std::io::stdin()), std::io::stdout());
        entail::serve(&model, engine, &request, input, output, || {
            std::process::exit(HOLDS.into())
        });
        return Ok(HOLDS);
    }
    if options.reachable {
        return reachable::run(&model, &request, options);
    }
    let shown = ModelReport {
        name: model.source().name(),
        language: model.language().name(),
        system: model.system(),
        dead_ends,
    };
    let text_options = text::TextOptions {
        colour: terminal::colour(),
        all_values: options.verbose > 1,
        defines: options.verbose > 0,
        rounds: options.verbose > 0,
        ..text::TextOptions::default()
    };
    let line = ProgressLine::new(!options.json);
    let print_answer = |answer: &PropertyReport<'_>| {
        if !options.json {
            line.clear();
            print(&text::property(&shown, answer, &text_options));
        }
    };
    let answers = entail::check(&model, &request, &line, |answer| {
        print_answer(&property_report(&model, answer));
        if options.verbose > 0 && !options.json {
            eprintln!("  engine {}: {}", answer.engine, answer.chosen_because);
        }
    });
    line.clear();
    let answers = answers.map_err(|failure| match failure {
        Failure::Model(error) => meaningless(&model, &error),
        other => other.into(),
    })?;
    let undecided: Vec<(Property<TermId>, Outcome)> = not_yet
        .into_iter()
        .map(|(property, reason)| (property, Outcome::unknown(reason)))
        .collect();
    let mut properties: Vec<PropertyReport<'_>> = answers
        .iter()
        .map(|answer| property_report(&model, answer))
        .collect();
    for (property, outcome) in &undecided {
        let answer = PropertyReport {
            property,
            outcome,
            engine: NO_ENGINE,
            seconds: 0.0,
            checked: None,
        };
        print_answer(&answer);
        properties.push(answer);
    }
    let report = Report {
        model: shown,
        properties,
        seconds: begun.elapsed().as_secs_f64(),
        peak_memory_bytes: peak_memory_bytes(),
    };
    print(&if options.json {
        json::report(&report)
    } else {
        text::summary(&report)
    });
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
        () if cancellation.is_cancelled() => INTERRUPTED,
        () if any(Verdict::Fails) => FAILS,
        () if any(Verdict::Unknown) => UNKNOWN,
        () => HOLDS,
    })
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

fn property_report<'a>(model: &'a Model, answer: &'a Answer) -> PropertyReport<'a> {
    PropertyReport {
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
fn abstraction(model: &mut Model, options: &Check) -> Result<Option<AbstractOptions>, Stop> {
    let wanted = options.abstraction.is_some() || options.three_valued;
    if let Some(engine) = options.engine.as_ref().filter(|name| wanted && *name != ABSTRACT) {
        return Err(Stop::usage(format!(
            "--abstract and --three-valued ask the engine `{ABSTRACT}`, and --engine names `{engine}`"
        )));
    }
    let budget = Budget::unlimited()
        .with_timeout(options.timeout)
        .with_memory(options.memory);
    let mut settings = match &options.abstraction {
        Some(path) => model.load_abstraction(path, &budget)?,
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
            eprintln!(
                "entail: {}: {} names are not variables of the model ({named})",
                path.display(),
                foreign.len()
            );
        }
        settings.bdd.order = InitialOrder::Listed(listed);
    }
    Ok(settings)
}
