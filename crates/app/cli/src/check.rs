//! `entail check`: decide, print as it is decided, save what was asked for.

use crate::Context;
use crate::arguments::Check;
use crate::case;
use crate::distributed;
use crate::failure::{
    CommandError, FAILS, HOLDS, INTERNAL, INTERRUPTED, UNKNOWN, diagnostic_json, meaningless, placeless_json,
};
use crate::found::Found;
use crate::limits::{Limits, NO_PATIENCE, PATIENCE, TIME_TO_SAVE};
use crate::load::{Warnings, origin, show_warnings};
use crate::progress_line::ProgressLine;
use crate::save;
use crate::survey;
use crate::terminal::{print, print_json, text_options, warn};
use entail::run::{Assignment, Failure, Launcher, Rechecking, Request, Scrutinizing};
use entail::{Loaded, Origin, Table, engine_of, refuse_for_engine, run};
use entail_answer::{Verdict, WarningKind};
use entail_budget::{Budget, peak_memory_bytes};
use entail_family::{Command, Handover, Model, SurveyWish, Thoroughness};
use entail_logic::Logic;
use entail_report::{Report, json, text};
use serde_json::Value as Json;
use std::cell::Cell;
use std::io::BufReader;
use std::sync::{Arc, Mutex};
use std::time::Instant;

/// Processes that may need memory at the same time: this one, and about as many as race.
const PROCESSES: u64 = 2;

/// State graphs with more states than this are not shown in reports.
const MOST_IN_REPORT: usize = 300;
/// What models with more states do not reach is not looked for.
const MOST_COVERED: usize = 20_000;

const NO_PROPERTIES: &str = "the model has no properties: nothing was checked (--spec FORMULA adds one)";

/// What is checked, when everything has been read.
struct Prepared {
    loaded: Loaded,
    selected: Vec<usize>,
    /// The formulas that were added to those of the model.
    added: Vec<(String, Option<Logic>)>,
    engine: Option<&'static str>,
}

/// Checks, and says in the form that was asked for if nothing can be checked.
pub fn run(check: &Arc<Check>, context: &Context) -> Result<u8, CommandError> {
    let begun = Instant::now();
    let reported = Cell::new(false);
    let ended = decide_and_report(check, context, begun, &reported);
    if let Err(error) = &ended
        && (check.json || check.json_lines)
        && !reported.get()
    {
        print_json(&error_document(check, begun, error));
    }
    ended
}

fn decide_and_report(
    check: &Arc<Check>,
    context: &Context,
    begun: Instant,
    reported: &Cell<bool>,
) -> Result<u8, CommandError> {
    let limits = Limits::new(check.timeout, check.memory);
    limits.heed_signals();
    let prepared = {
        let (check, context, budget) = (check.clone(), context.clone(), limits.budget());
        limits.keep(NO_PATIENCE, move || prepare(&check, &context, &budget))
    };
    let prepared = match prepared {
        Ok(Ok(prepared)) => prepared,
        Ok(Err(stop)) => return Err(stop),
        Err(spent) => {
            let name = check.model.display();
            return Err(CommandError::spent(
                spent,
                &format!("{spent} while {name} was read"),
            ));
        }
    };
    let Prepared {
        loaded,
        selected,
        added,
        engine,
    } = prepared;
    let request = Arc::new(Request {
        properties: selected,
        engine,
        options: context.options.clone(),
        timeout: limits.time_left(),
        property_timeout: check.property_timeout,
        memory: limits.memory,
        default_memory: limits.default_memory,
        cancellation: limits.cancellation.clone(),
        rechecking: match (check.recheck, check.no_certify) {
            (_, true) => Rechecking::Never,
            (true, _) => Rechecking::ToTheEnd,
            _ => Rechecking::WhileItPays,
        },
        thoroughness: match (check.evidence.is_some() || check.recheck, check.no_certify) {
            (true, _) => Thoroughness::Whole,
            (_, true) => Thoroughness::Least,
            _ => Thoroughness::WhileItPays,
        },
        scrutiny: match (check.no_vacuity, check.strict || check.witness) {
            (true, _) => Scrutinizing::Never,
            (_, true) => Scrutinizing::Thoroughly,
            _ => Scrutinizing::InPassing,
        },
        launcher: launcher(&*loaded.model, check, context, added, &limits),
        fault: case::fault(),
    });
    let loaded = Arc::new(loaded);
    let wish = loaded.model.survey_wish(&context.options);
    if wish == SurveyWish::Instead {
        return surveyed(check, context, &loaded, &limits, true);
    }
    let names = loaded.model.properties().iter();
    let names = names.map(|heading| heading.name.clone().unwrap_or_else(|| heading.text.clone()));
    let line = Arc::new(ProgressLine::new(
        !check.json && !check.json_lines && !check.look.quiet,
        names,
    ));
    let found = Arc::new(Mutex::new(Found::default()));
    let ended = match distributed::party(check, context)? {
        Some(party) => party.check(check, context, &loaded, &request, &found)?,
        None => decide(check, context, &loaded, &request, &limits, &found, &line),
    };
    line.clear();
    let found = match found.lock() {
        Ok(mut found) => found.close(&request.properties),
        Err(_) => return Err(CommandError::Internal("an answer could not be shown".into())),
    };
    let found = complete(found, ended, check, &loaded, &request)?;
    reported.set(true);
    report(&found, check, context, &loaded, begun)?;
    if wish == SurveyWish::Beside {
        surveyed(check, context, &loaded, &limits, false)?;
    }
    Ok(match () {
        () if found.items.iter().any(|item| item.decided.failure.is_some()) => INTERNAL,
        () if limits.cancellation.is_cancelled() => INTERRUPTED,
        () if found.any(Verdict::Fails) || check.strict && means_little(&found) => FAILS,
        () if found.any(Verdict::Unknown) => UNKNOWN,
        () => HOLDS,
    })
}

/// Whether an answer, or that there is none, would give a false sense of safety.
fn means_little(found: &Found) -> bool {
    let is_grave = |kind: WarningKind| !matches!(kind, WarningKind::Other | WarningKind::IrrelevantPart);
    found.items.is_empty()
        || found.items.iter().any(|item| {
            let mut warnings = item.decided.answer.warnings.iter();
            item.heading.logic == Logic::Unsupported || warnings.any(|warning| is_grave(warning.kind))
        })
}

/// How deciding ended: by itself, because the model has no meaning, or because a limit was passed.
pub enum Ended {
    ByItself,
    Failed(Failure),
    Limit(String),
    /// Another process of a search over several has the answers.
    Elsewhere,
}

/// Lets the runner decide, and leaves it behind when a limit is passed.
fn decide(
    check: &Arc<Check>,
    context: &Context,
    loaded: &Arc<Loaded>,
    request: &Arc<Request>,
    limits: &Limits,
    found: &Arc<Mutex<Found>>,
    line: &Arc<ProgressLine>,
) -> Ended {
    let (check, context, loaded) = (check.clone(), context.clone(), loaded.clone());
    let (request, found, line) = (request.clone(), found.clone(), line.clone());
    let patience = match loaded.model.saves_its_work(&context.options) {
        true => TIME_TO_SAVE,
        false => PATIENCE,
    };
    let checked = limits.keep(patience, move || {
        let model = &*loaded.model;
        run::check(model, &request, &*line, |decided, checker| {
            if let Ok(mut found) = found.lock() {
                found.add(decided, checker, model, &check, &context, &line);
            }
        })
    });
    match checked {
        Ok(Ok(())) => Ended::ByItself,
        Ok(Err(failure)) => Ended::Failed(failure),
        Err(spent) => Ended::Limit(spent.to_string()),
    }
}

/// The answers with those that nobody gave.
fn complete(
    mut found: Found,
    ended: Ended,
    check: &Check,
    loaded: &Loaded,
    request: &Request,
) -> Result<Found, CommandError> {
    let model = &*loaded.model;
    match ended {
        Ended::ByItself | Ended::Elsewhere => {}
        Ended::Failed(Failure::Model(error)) => return Err(meaningless(model, &error)),
        Ended::Failed(Failure::Usage(usage)) => return Err(usage.into()),
        Ended::Limit(reason) => {
            for &position in &request.properties {
                if !found.items.iter().any(|item| item.decided.property == position) {
                    let heading = model.properties()[position].clone();
                    found.add_unknown(heading, position, reason.clone(), model, check);
                }
            }
        }
    }
    if check.property.is_empty() && check.spec.is_empty() && check.mu.is_empty() {
        let known = model.properties().len();
        for (number, (heading, reason)) in model.unsupported().into_iter().enumerate() {
            found.add_unknown(heading, known + number, reason, model, check);
        }
    }
    Ok(found)
}

/// Prints what comes last, and saves what was asked for.
fn report(
    found: &Found,
    check: &Check,
    context: &Context,
    loaded: &Loaded,
    begun: Instant,
) -> Result<(), CommandError> {
    let model = &*loaded.model;
    let (settings, figures) = (model.settings(&context.options), model.figures());
    let answers: Vec<_> = (found.items.iter())
        .map(|item| (item.decided.property, &item.decided.answer))
        .filter(|&(property, _)| property < model.properties().len())
        .collect();
    let report = Report {
        name: model.source().name(),
        language: model.language(),
        settings: &settings,
        figures: &figures,
        source: model.source(),
        answers: found.items.iter().map(|item| item.report()).collect(),
        graph: None,
        coverage: match check.coverage || check.verbose > 0 || check.report.is_some() {
            true => model.coverage(
                &answers,
                MOST_COVERED,
                &Budget::unlimited().with_timeout(Some(save::DRAWING)),
            ),
            false => None,
        },
        seconds: begun.elapsed().as_secs_f64(),
        peak_memory_bytes: peak_memory_bytes(),
    };
    if found.items.is_empty() && !(check.json || check.json_lines) {
        warn(NO_PROPERTIES);
    }
    match (check.json, check.json_lines) {
        (true, _) => {
            let mut document = json::document(&report);
            document["warnings"] = warnings_json(model, found).into();
            print_json(&format!("{document}\n"));
        }
        (false, false) => {
            let told = report
                .coverage
                .as_ref()
                .filter(|_| check.coverage || check.verbose > 0);
            if let Some(coverage) = told {
                print(&text::coverage(coverage, &text_options(&check.look)));
            }
            print(&text::summary(&report));
        }
        (false, true) => {}
    }
    let whole = Report {
        answers: found.items.iter().map(|item| item.report_in_full()).collect(),
        graph: match &check.report {
            Some(_) => model.graph(
                MOST_IN_REPORT,
                &Budget::unlimited().with_timeout(Some(save::DRAWING)),
            ),
            None => None,
        },
        ..report
    };
    save::check_results(found, &whole, check, loaded)?;
    match model.conclude(&answers, &context.options) {
        Some(Ok(concluded)) => save::conclusion(concluded),
        // Verdicts do not depend on it: what cannot be drawn or written is said.
        Some(Err(reason)) => {
            warn(&reason);
            Ok(())
        }
        None => Ok(()),
    }
}

/// What is said about the model as a whole.
fn warnings_json(model: &dyn Model, found: &Found) -> Vec<Json> {
    let source = model.source();
    let mut warnings: Vec<Json> = (model.warnings().iter())
        .map(|one| diagnostic_json(source, one))
        .collect();
    if found.items.is_empty() {
        warnings.push(placeless_json("warning", "entail::no-properties", NO_PROPERTIES));
    }
    warnings
}

fn surveyed(
    check: &Arc<Check>,
    context: &Context,
    loaded: &Arc<Loaded>,
    limits: &Limits,
    printed: bool,
) -> Result<u8, CommandError> {
    let (check, options, loaded) = (check.clone(), context.options.clone(), loaded.clone());
    let budget = limits.budget();
    let done = limits.keep(PATIENCE, move || {
        let line = ProgressLine::new(!check.json, std::iter::empty());
        let status = survey::run(&*loaded.model, &options, check.json, printed, &budget, &line);
        line.clear();
        status
    });
    done.unwrap_or_else(|spent| Err(CommandError::spent(spent, &spent.to_string())))
}

/// Reads the model and all that belongs to it.
fn prepare(check: &Check, context: &Context, budget: &Budget) -> Result<Prepared, CommandError> {
    let origin = origin(&check.model, check.language.as_deref());
    let mut loaded = context
        .table
        .load(&origin, Command::Check, &context.options, budget)?;
    let warnings = match check.json || check.json_lines {
        true => Warnings::Silent,
        false => Warnings::Shown,
    };
    show_warnings(&*loaded.model, warnings);
    let engine = match &check.engine {
        None => None,
        Some(name) => {
            let engine = engine_of(loaded.family, name)?;
            refuse_for_engine(loaded.family, engine, &context.options)?;
            Some(engine)
        }
    };
    let (selected, added) = select(&mut *loaded.model, check)?;
    loaded.model.check_options(&selected, &context.options)?;
    Ok(Prepared {
        loaded,
        selected,
        added,
        engine,
    })
}

/// There is nothing to be said about properties: the document says why.
fn error_document(check: &Check, begun: Instant, error: &CommandError) -> String {
    let (reason, errors) = error.to_json();
    let document = serde_json::json!({
        "entail": env!("CARGO_PKG_VERSION"), "schema": json::SCHEMA, "model": check.model.display().to_string(),
        "language": null, "properties": [], "reason": reason, "errors": errors, "seconds": begun.elapsed().as_secs_f64(),
        "peak_memory_bytes": peak_memory_bytes(),
    });
    format!("{document}\n")
}

/// Formulas that were added to those of a model, with the logic where that was given.
type Added = Vec<(String, Option<Logic>)>;

/// The positions of the properties asked for (by name or number, formulas of the user's own, or all), and the formulas that were added.
fn select(model: &mut dyn Model, check: &Check) -> Result<(Vec<usize>, Added), CommandError> {
    let mut selected = Vec::new();
    for wanted in &check.property {
        selected.push(position(model, wanted)?);
    }
    let specs = check.spec.iter().map(|text| (text.clone(), None));
    let formulas = check.mu.iter().map(|text| (text.clone(), Some(Logic::Mu)));
    let added: Added = specs.chain(formulas).collect();
    for (text, logic) in &added {
        selected.push(model.add_property(text, *logic)?);
    }
    if check.property.is_empty() && added.is_empty() {
        selected = (0..model.properties().len()).collect();
    }
    Ok((selected, added))
}

fn position(model: &dyn Model, wanted: &str) -> Result<usize, CommandError> {
    let known = model.properties();
    let by_name = known
        .iter()
        .position(|heading| heading.name.as_deref() == Some(wanted));
    let by_number = wanted
        .parse::<usize>()
        .ok()
        .and_then(|number| number.checked_sub(1))
        .filter(|&at| at < known.len());
    by_name.or(by_number).ok_or_else(|| {
        let names: Vec<&str> = known
            .iter()
            .filter_map(|heading| heading.name.as_deref())
            .collect();
        let names = match names.is_empty() {
            true => "none has a name".to_owned(),
            false => names.join(", "),
        };
        CommandError::usage(format!(
            "there is no property `{wanted}`; the model has {} (by name: {names}), numbered from 1",
            known.len()
        ))
    })
}

/// Racing engines run in processes of this program, which are told the model and the options.
fn launcher(
    model: &dyn Model,
    check: &Check,
    context: &Context,
    added: Added,
    limits: &Limits,
) -> Option<Launcher> {
    let mut origin = origin(&check.model, check.language.as_deref());
    if let Handover::Text { language, text } = model.handover() {
        origin = Origin {
            language: Some(language.to_owned()),
            text: Some(text),
            ..origin
        };
    }
    Some(Launcher {
        program: std::env::current_exe().ok()?,
        arguments: vec!["worker".into()],
        assignment: Assignment {
            origin,
            options: context.options.clone(),
            added,
            memory: limits.memory,
            default_memory: limits.default_memory.map(|bytes| bytes / PROCESSES),
        },
    })
}

/// `entail worker`: the other side of a race.
pub fn worker(table: Table) -> Result<u8, CommandError> {
    let (input, output) = (BufReader::new(std::io::stdin()), std::io::stdout());
    let served = run::serve(table, input, output, || std::process::exit(HOLDS.into()));
    served.map(|()| HOLDS).map_err(CommandError::Internal)
}
