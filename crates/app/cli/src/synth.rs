//! `entail synth`: a machine that realizes a specification, checked, in a file; or the environment's machine that prevents it.

use crate::Context;
use crate::arguments::{Arguments, Command as Subcommand, Synth};
use crate::check;
use crate::failure::{CommandError, FAILS, HOLDS, UNKNOWN};
use crate::limits::Limits;
use crate::load::{Warnings, origin, show_warnings, write_text};
use crate::save::extension;
use crate::solve::decide;
use crate::terminal::{note, print, print_file};
use clap::Parser;
use entail::Origin;
use entail::run::Decided;
use entail_answer::{CheckReport, Verdict};
use entail_family::{Checker, Command};
use entail_report::text::{self, TextOptions};
use std::path::Path;
use std::sync::Arc;

/// The language of `--formula`.
const FORMULA: &str = "synthesis-ltl";

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
    if options.realizability || options.json {
        return realizability(options, context);
    }
    let limits = Limits::new(options.timeout, options.memory);
    limits.heed_signals();
    let origin = specification(options)?;
    let loaded = (context.table).load(&origin, Command::Synth, &context.options, &limits.budget())?;
    show_warnings(&*loaded.model, Warnings::Shown);
    let mut ended = Ok(UNKNOWN);
    decide(&loaded, None, context, &limits, &mut |decided, checker| {
        ended = finish(&decided, checker, options);
    })?;
    ended
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

fn finish(decided: &Decided, checker: &dyn Checker, options: &Synth) -> Result<u8, CommandError> {
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
    match &options.output {
        Some(output) => {
            write_text(output, &exported(extension(output))?)?;
            print(&format!("{word}\n"));
        }
        None => {
            print(&format!("{word}\n"));
            match options.quiet {
                true => {}
                false => print_file(&exported("aag")?),
            }
        }
    }
    if !options.quiet {
        let shown = text::shown(&checker.show(decided.property, answer), &TextOptions::default());
        note!("{}", shown.trim_end());
        note!(
            "entail: {} in {:.3} s; {checked}",
            decided.engine,
            decided.seconds
        );
    }
    Ok(status)
}
