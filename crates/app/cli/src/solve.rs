//! `entail solve`: a game's winning regions and strategies, checked, in a file of the field's own format.

use crate::Context;
use crate::arguments::Solve;
use crate::failure::{CommandError, HOLDS, UNKNOWN, meaningless};
use crate::limits::Limits;
use crate::load::{Warnings, origin, show_warnings, write_text};
use crate::save::extension;
use crate::terminal::{note, print, print_file, print_json};
use entail::run::{self, Decided, Failure, Request};
use entail::{Loaded, engine_of, refuse_for_engine};
use entail_answer::{CheckReport, Verdict};
use entail_budget::Silent;
use entail_family::{Checker, Command};
use entail_report::text::{self, TextOptions};
use serde_json::json;
use std::path::Path;
use std::time::Instant;

/// The format of solutions where the output's name says nothing else.
const SOLUTION: &str = "sol";

pub fn run(options: &Solve, context: &Context) -> Result<u8, CommandError> {
    let begun = Instant::now();
    let limits = Limits::new(options.timeout, options.memory);
    limits.heed_signals();
    let loaded = load(
        &options.game,
        options.language.as_deref(),
        Command::Check,
        context,
        &limits,
    )?;
    let read = begun.elapsed();
    let mut status = HOLDS;
    let mut stop = None;
    decide(
        &loaded,
        options.solver.as_deref(),
        context,
        &limits,
        &mut |decided, checker| match finish(&decided, checker, &loaded, options, read.as_secs_f64()) {
            Ok(ended) => status = ended,
            Err(problem) => stop = Some(problem),
        },
    )?;
    stop.map_or(Ok(status), Err)
}

/// Reads a model, and shows what its reader wondered about.
pub fn load(
    path: &Path,
    language: Option<&str>,
    command: Command,
    context: &Context,
    limits: &Limits,
) -> Result<Loaded, CommandError> {
    let origin = origin(path, language);
    let loaded = (context.table).load(&origin, command, &context.options, &limits.budget())?;
    show_warnings(&*loaded.model, Warnings::Shown);
    Ok(loaded)
}

/// Decides the first property of a model, with its evidence checked to the end.
pub fn decide(
    loaded: &Loaded,
    engine: Option<&str>,
    context: &Context,
    limits: &Limits,
    found: &mut dyn FnMut(Decided, &dyn Checker),
) -> Result<(), CommandError> {
    decide_property(loaded, 0, engine, context, limits, found)
}

/// The same for any property.
pub fn decide_property(
    loaded: &Loaded,
    property: usize,
    engine: Option<&str>,
    context: &Context,
    limits: &Limits,
    found: &mut dyn FnMut(Decided, &dyn Checker),
) -> Result<(), CommandError> {
    let model = &*loaded.model;
    if model.properties().is_empty() {
        return Err(CommandError::usage(format!(
            "there is no question about {}",
            model.source().name()
        )));
    }
    let engine = engine.map(|name| engine_of(loaded.family, name)).transpose()?;
    if let Some(engine) = engine {
        refuse_for_engine(loaded.family, engine, &context.options)?;
    }
    let request = Request {
        properties: vec![property],
        engine,
        options: context.options.clone(),
        timeout: limits.time_left(),
        memory: limits.memory,
        default_memory: limits.default_memory,
        cancellation: limits.cancellation.clone(),
        rechecking: run::Rechecking::ToTheEnd,
        ..Request::default()
    };
    match run::check(model, &request, &Silent, |decided, checker| {
        found(decided, checker)
    }) {
        Ok(()) => Ok(()),
        Err(Failure::Model(error)) => Err(meaningless(model, &error)),
        Err(Failure::Usage(usage)) => Err(usage.into()),
    }
}

fn finish(
    decided: &Decided,
    checker: &dyn Checker,
    loaded: &Loaded,
    options: &Solve,
    read: f64,
) -> Result<u8, CommandError> {
    if let Some(error) = &decided.failure {
        return Err(CommandError::Internal(error.message.clone()));
    }
    let model = &*loaded.model;
    if decided.answer.verdict == Verdict::Unknown {
        let reason = decided.answer.reason.as_deref().unwrap_or("it was not solved");
        return Err(CommandError::Message(reason.to_owned(), UNKNOWN));
    }
    let exported = |wanted: &str| match checker.export(0, &decided.answer, wanted) {
        Some(text) => text.map_err(CommandError::usage),
        None => Err(CommandError::usage(format!(
            "what solves {} cannot be written as `.{wanted}`",
            model.source().name()
        ))),
    };
    if let Some(output) = &options.output {
        let wanted = match extension(output) {
            "dot" | "gv" => "dot",
            _ => SOLUTION,
        };
        write_text(output, &exported(wanted)?)?;
    }
    let heading = &model.properties()[0];
    if options.dot {
        print_file(&exported("dot")?);
    } else if options.json {
        let evidence = (decided.answer.evidence.as_ref()).map(|evidence| checker.to_json(0, &**evidence));
        let document = json!({
            "entail": env!("CARGO_PKG_VERSION"), "model": model.source().name(), "solver": decided.engine,
            "question": heading.text, "verdict": decided.answer.verdict.name(), "evidence": evidence,
            "checked": decided.checked.as_ref().is_some_and(CheckReport::is_accepted),
            "read_seconds": read, "seconds": decided.seconds,
        });
        print_json(&format!("{document:#}\n"));
    } else {
        let look = TextOptions {
            detail: true,
            ..TextOptions::default()
        };
        print(&format!("{}  {}\n", decided.answer.verdict.name(), heading.text));
        print(&text::shown(&checker.show(0, &decided.answer), &look));
        print(&format!(
            "solved by {} in {:.3} s, read in {read:.3} s; {}\n",
            decided.engine,
            decided.seconds,
            (decided.checked.as_ref()).map_or_else(|| "not checked".to_owned(), CheckReport::to_string)
        ));
        if let Some(output) = &options.output {
            note!("entail: the solution is in {}", output.display());
        }
    }
    Ok(HOLDS)
}
