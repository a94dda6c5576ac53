//! `entail synth`: a machine that realizes a specification, checked, in a file; or the environment's machine that prevents it.

use crate::Context;
use crate::arguments::{Arguments, Command as Subcommand, Synth};
use crate::check;
use crate::failure::{CommandError, FAILS, HOLDS, UNKNOWN};
use crate::limits::Limits;
use crate::load::{Warnings, origin, show_warnings, write_bytes, write_text};
use crate::save::extension;
use crate::solve::{decide, decide_property};
use crate::terminal::{note, print, print_file};
use clap::Parser;
use entail::Origin;
use entail::run::Decided;
use entail_answer::{CheckReport, Verdict};
use entail_budget::Budget;
use entail_family::{Checker, Command, Options};
use entail_report::text::{self, TextOptions};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The language of `--formula`.
const FORMULA: &str = "synthesis-ltl";

/// The engine of `--minimize`.
const SMALLEST: &str = "smallest-synthesis";
/// The engine that looks a second time for a smaller circuit; plants have none.
const SMALL_CIRCUITS: &str = "small-synthesis";
/// How long it is tried if there is no limit.
const MINIMIZE_TIME: Duration = Duration::from_secs(60);
/// Without `--minimize`, a circuit with more latches and gates than this is given a second look.
const SMALL: usize = 8;
/// How long that takes at least, and at most: between them, as long as it took to find the first.
const SECOND_LOOK: [Duration; 2] = [Duration::from_secs(2), Duration::from_secs(12)];

/// The option of families that makes a machine the evidence.
const MACHINE: &str = "machine";

/// Circuits in binary are made from those in ASCII when they are written.
const BINARY: &str = "aig";

/// The language of circuits that are to be controlled: their files are otherwise read as models.
const PLANT: &str = "aiger-game";

/// The language of a file, where its name alone would tell another.
fn language(path: &Path, given: Option<&str>) -> Option<String> {
    match (given, extension(path)) {
        (Some(name), _) => Some(name.to_owned()),
        (None, "aag" | "aig") => Some(PLANT.to_owned()),
        _ => None,
    }
}

pub fn run(options: &Synth, context: &Context) -> Result<u8, CommandError> {
    if let Some(spec) = &options.spec {
        return strategy(spec, options, context);
    }
    if options.realizability || options.json {
        return realizability(options, context);
    }
    let limits = Limits::new(options.timeout, options.memory);
    limits.heed_signals();
    let origin = specification(options)?;
    let loaded = (context.table).load(&origin, Command::Synth, &context.options, &limits.budget())?;
    show_warnings(&*loaded.model, Warnings::Shown);
    // Where ranks would do as evidence, a machine is wanted nevertheless.
    let mut asked = context.options.clone();
    if (loaded.family.options.iter()).any(|option| option.name == MACHINE) {
        asked.give(MACHINE, "");
    }
    let context = &Context {
        table: context.table,
        options: asked,
    };
    let mut found: Vec<Result<Machine, CommandError>> = Vec::new();
    let attempt = |engine: Option<&str>, limits: &Limits, found: &mut Vec<Result<Machine, CommandError>>| {
        decide(&loaded, engine, context, limits, &mut |decided, checker| {
            found.push(machine(&decided, checker, options));
        })
    };
    if options.minimize {
        let time = limits.time_left().map_or(MINIMIZE_TIME, |left| left / 2);
        attempt(Some(SMALLEST), &limits.within(time), &mut found)?;
        found.retain(Result::is_ok);
    }
    let begun = Instant::now();
    attempt(None, &limits, &mut found)?;
    let is_large = |found: &Result<Machine, CommandError>| {
        (found.as_ref().ok()).is_some_and(|machine| machine.size.is_some_and(|size| size > SMALL))
    };
    if found.iter().all(is_large) {
        let [least, most] = SECOND_LOOK;
        let time = begun.elapsed().clamp(least, most);
        attempt(Some(SMALL_CIRCUITS), &limits.within(time), &mut found)?;
        found.retain(Result::is_ok);
    }
    // What was judged comes before what was not, then the smaller circuit.
    let rank = |found: &Result<Machine, CommandError>| match found {
        Ok(machine) => (!machine.is_judged, machine.size.unwrap_or(usize::MAX - 1)),
        Err(_) => (true, usize::MAX),
    };
    match found.into_iter().min_by_key(rank) {
        Some(found) => finish(&found?, options, context),
        None => Ok(UNKNOWN),
    }
}

/// A strategy for what is asked about a model.
fn strategy(spec: &str, options: &Synth, context: &Context) -> Result<u8, CommandError> {
    let Some(path) = &options.specification else {
        return Err(CommandError::usage("--spec asks about a model: name its file"));
    };
    let limits = Limits::new(options.timeout, options.memory);
    limits.heed_signals();
    let origin = origin(path, options.language.as_deref());
    let mut loaded = (context.table).load(&origin, Command::Synth, &context.options, &limits.budget())?;
    show_warnings(&*loaded.model, Warnings::Shown);
    let property = loaded.model.add_property(spec, None)?;
    let mut found = None;
    decide_property(
        &loaded,
        property,
        None,
        context,
        &limits,
        &mut |decided, checker| {
            found = Some(machine(&decided, checker, options));
        },
    )?;
    match found {
        Some(found) => finish(&found?, options, context),
        None => Ok(UNKNOWN),
    }
}

/// Where the specification is.
fn specification(options: &Synth) -> Result<Origin, CommandError> {
    match (&options.specification, &options.formula) {
        (Some(path), None) => Ok(origin(
            path,
            language(path, options.language.as_deref()).as_deref(),
        )),
        (None, Some(formula)) => Ok(Origin {
            path: "formula".into(),
            language: Some(FORMULA.into()),
            text: Some(formula.clone()),
        }),
        _ => Err(CommandError::usage(
            "give a specification, or --formula with --inputs and --outputs",
        )),
    }
}

/// The question alone, answered as `entail check` answers it.
fn realizability(options: &Synth, context: &Context) -> Result<u8, CommandError> {
    let mut arguments: Vec<String> = vec!["entail".into(), "check".into()];
    let file = match (&options.specification, &options.formula) {
        (Some(path), None) => path.clone(),
        // What has no file is given one for as long as it takes.
        _ => {
            return Err(CommandError::usage(
                "--realizability and --json need a file with the specification",
            ));
        }
    };
    arguments.push(file.to_string_lossy().into_owned());
    if let Some(language) = language(&file, options.language.as_deref()) {
        arguments.extend(["--language".into(), language]);
    }
    if options.json {
        arguments.push("--json".into());
    }
    if let Some(timeout) = options.timeout {
        arguments.extend(["--timeout".into(), format!("{}ms", timeout.as_millis())]);
    }
    match Arguments::try_parse_from(arguments) {
        Ok(Arguments {
            command: Subcommand::Check(check),
        }) => check::run(&Arc::from(check), context),
        _ => Err(CommandError::Internal("the question could not be put".into())),
    }
}

/// A machine with what is said of it.
struct Machine {
    word: &'static str,
    status: u8,
    /// In the format that is asked for.
    text: String,
    /// Latches and gates, if it is a circuit.
    size: Option<usize>,
    /// Whether a checker accepted it.
    is_judged: bool,
    /// What is known of it.
    notes: String,
}

fn machine(decided: &Decided, checker: &dyn Checker, options: &Synth) -> Result<Machine, CommandError> {
    if let Some(error) = &decided.failure {
        return Err(CommandError::Internal(error.message.clone()));
    }
    let answer = &decided.answer;
    let (word, status) = match answer.verdict {
        Verdict::Holds => ("realizable", HOLDS),
        Verdict::Fails => ("unrealizable", FAILS),
        Verdict::Unknown => {
            let reason = answer.reason.as_deref().unwrap_or("it was not decided");
            return Err(CommandError::Message(format!("unknown: {reason}"), UNKNOWN));
        }
    };
    let checked = (decided.checked.as_ref()).map_or_else(|| "not checked".to_owned(), CheckReport::to_string);
    let exported = |wanted: &str| match checker.export(decided.property, answer, wanted) {
        Some(text) => text.map_err(CommandError::usage),
        None => Err(CommandError::usage(format!(
            "a machine cannot be written as `.{wanted}`"
        ))),
    };
    let text = match (&options.output, &options.strategy) {
        (Some(output), _) if extension(output) == BINARY => exported("aag")?,
        (Some(output), _) => exported(extension(output))?,
        (None, Some(_)) if status == HOLDS => exported("json")?,
        (None, None) if !options.quiet && options.spec.is_none() => exported("aag")?,
        _ => String::new(),
    };
    let shown = text::shown(&checker.show(decided.property, answer), &TextOptions::default());
    Ok(Machine {
        word,
        status,
        size: circuit_size(&exported("aag").unwrap_or_default()),
        is_judged: decided.checked == Some(CheckReport::Accepted),
        text,
        notes: format!(
            "{}\nentail: {} in {:.3} s; {checked}",
            shown.trim_end(),
            decided.engine,
            decided.seconds
        ),
    })
}

/// Latches and gates of a circuit in ASCII: the third and fifth number of its first line.
fn circuit_size(text: &str) -> Option<usize> {
    let numbers: Vec<usize> = (text.lines().next()?.strip_prefix("aag ")?.split(' '))
        .filter_map(|word| word.parse().ok())
        .collect();
    Some(numbers.get(2)? + numbers.get(4)?)
}

/// A circuit in binary.
fn binary(text: &str, context: &Context) -> Result<Vec<u8>, CommandError> {
    let ascii = Origin {
        path: "machine.aag".into(),
        language: Some("aiger".into()),
        text: Some(text.to_owned()),
    };
    let options = Options::default();
    let loaded = (context.table).load(&ascii, Command::Structure, &options, &Budget::unlimited())?;
    match loaded.model.write(BINARY, &options) {
        Some(Ok(converted)) => Ok(converted.bytes),
        _ => Err(CommandError::Internal("the circuit has no binary form".into())),
    }
}

fn finish(machine: &Machine, options: &Synth, context: &Context) -> Result<u8, CommandError> {
    let output = options.output.as_ref().or(options.strategy.as_ref());
    if let Some(output) = output.filter(|_| !machine.text.is_empty()) {
        match extension(output) {
            BINARY => write_bytes(output, &binary(&machine.text, context)?)?,
            _ => write_text(output, &machine.text)?,
        }
    }
    print(&format!("{}\n", machine.word));
    if output.is_none() && !options.quiet {
        print_file(&machine.text);
    }
    if !options.quiet {
        note!("{}", machine.notes);
    }
    Ok(machine.status)
}
