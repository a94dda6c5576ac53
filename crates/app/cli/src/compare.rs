//! `entail compare`: are two systems the same, or is one at least the other?

use crate::Context;
use crate::arguments::{Compare, Look, RelationName};
use crate::failure::{CommandError, FAILS, HOLDS, INPUT, UNKNOWN, USAGE};
use crate::graph;
use crate::limits::Limits;
use crate::load::{make_folder, read_text, write_text};
use crate::play;
use crate::terminal::{note, print, print_json, text_options};
use crate::units::parts;
use entail::{
    Board, Comparable, CompareFailure, GraphFormat, Incomparable, NoStructure, Origin, Preparation,
    comparable, compare, shown_game,
};
use entail_answer::CheckReport;
use entail_budget::Budget;
use entail_evidence::equivalence::ShownComparison;
use entail_evidence::equivalence::{Comparison, Relation, RelationQuery};
use entail_evidence::json::{check_seal, sealed};
use entail_family::Command;
use entail_relations_checker::check_comparison;
use entail_report::compare::{Compared, ComparisonReport};
use serde_json::{Value as Json, json};
use std::path::Path;

/// The relation between graphs of a name, or the name of a relation that only some kinds of systems have.
fn relation_named(name: RelationName) -> Result<Relation, &'static str> {
    Ok(match name {
        RelationName::Strong => Relation::Strong,
        RelationName::Branching => Relation::Branching,
        RelationName::DivergenceBranching => Relation::DivergenceBranching,
        RelationName::Weak => Relation::Weak,
        RelationName::Simulation => Relation::Simulation,
        RelationName::ReadySimulation => Relation::ReadySimulation,
        RelationName::Trace => Relation::Trace,
        RelationName::WeakTrace => Relation::WeakTrace,
        RelationName::TimedBisimulation => return Err("timed-bisimulation"),
        RelationName::TimedSimulation => return Err("timed-simulation"),
        RelationName::TimeAbstract => return Err("time-abstract"),
        RelationName::TimeAbstractSimulation => return Err("time-abstract-simulation"),
        RelationName::Inclusion => return Err("inclusion"),
    })
}

impl From<Incomparable> for CommandError {
    fn from(error: Incomparable) -> CommandError {
        let status = match error {
            Incomparable::Unknown { .. } => USAGE,
            _ => INPUT,
        };
        CommandError::Message(error.to_string(), status)
    }
}

/// The file's name in what a comparison saves.
const EVIDENCE_FILE: &str = "comparison.json";
/// The value of the key `format` of what is saved about a relation that only some kinds of systems have.
const FORMAT: &str = "entail-comparison";

pub fn run(options: &Compare, context: &Context) -> Result<u8, CommandError> {
    let budget = Limits::new(options.timeout, options.memory).budget();
    let document = options.certify.as_deref().map(read_evidence).transpose()?;
    // What was saved says itself which relation it is about.
    let of_kind = (document.as_ref())
        .filter(|document| document["format"] == FORMAT)
        .and_then(|document| document["relation"].as_str());
    if let Some(own) = of_kind {
        return beside(options, context, own, document.as_ref(), &budget);
    }
    let relation = match relation_named(options.relation) {
        Ok(relation) => relation,
        Err(own) => return beside(options, context, own, document.as_ref(), &budget),
    };
    let saved = match (&options.certify, &document) {
        (Some(path), Some(document)) => {
            let wrong = |error| CommandError::input(format!("{}: {error}", path.display()));
            Some(Comparison::from_json(document).map_err(wrong)?)
        }
        _ => None,
    };
    let question = match &saved {
        Some((question, _)) => *question,
        None => question(options, relation)?,
    };
    if options.play {
        play::check(question.relation)?;
    }
    let Some(loaded) = load(options, context, question, &budget)? else {
        // A kind without labelled transition systems may have a relation of this name nevertheless.
        return beside(options, context, question.relation.name(), None, &budget);
    };
    let Comparable { first, second, notes } = loaded;
    let names = names(options);
    let report = |answer: Result<&Comparison, String>, seconds, check_seconds, play: &[String]| {
        let shown = ShownComparison {
            names: [&names[0], &names[1]],
            systems: [&first, &second],
            question,
            answer: answer.as_ref().ok().copied(),
        };
        let compared = |side: usize| Compared {
            name: &names[side],
            states: shown.systems[side].state_count(),
            transitions: shown.systems[side].transition_count(),
        };
        let report = ComparisonReport {
            systems: [compared(0), compared(1)],
            relation: &question.relation.to_string(),
            both_ways: question.both_ways,
            related: shown
                .answer
                .map(|answer| matches!(answer, Comparison::Related(_))),
            sentence: &shown.sentence(),
            reason: answer.as_ref().err().map(String::as_str),
            shown: &shown.shown(play),
            details: &shown.details(play),
            notes: &notes,
            seconds,
            check_seconds,
        };
        match options.json {
            true => print_json(&format!("{:#}\n", report.json())),
            false => print(&report.text(&text_options(&Look::default()))),
        }
    };
    if let Some((question, comparison)) = &saved {
        return match check_comparison(&first, &second, *question, comparison, &budget) {
            Ok(()) => {
                report(Ok(comparison), 0.0, 0.0, &[]);
                Ok(status(comparison))
            }
            Err(rejected) => Err(CommandError::input(format!(
                "the evidence is rejected: {rejected}"
            ))),
        };
    }
    let compared = compare(&first, &second, question, &budget).map_err(|failure| match failure {
        CompareFailure::TooLarge(_) => CommandError::input(failure.to_string()),
        CompareFailure::Rejected(..) => CommandError::Internal(failure.to_string()),
    })?;
    let (seconds, check_seconds) = (compared.time.as_secs_f64(), compared.check_time.as_secs_f64());
    let comparison = match &compared.comparison {
        Ok(comparison) => comparison,
        Err(spent) => {
            report(Err(spent.to_string()), seconds, check_seconds, &[]);
            return Ok(UNKNOWN);
        }
    };
    let board = Board {
        systems: [&first, &second],
        names: [&names[0], &names[1]],
    };
    let game = match comparison {
        Comparison::Unrelated(unrelated) if !options.play => shown_game(board, unrelated),
        _ => Vec::new(),
    };
    report(Ok(comparison), seconds, check_seconds, &game);
    if options.play {
        play::play(board, question, comparison)?;
    }
    if let Some(folder) = &options.evidence {
        make_folder(folder)?;
        write_text(&folder.join(EVIDENCE_FILE), &sealed(comparison.to_json(question)))?;
    }
    Ok(status(comparison))
}

/// Compares two models by a relation that their kind has, or checks what was saved about it.
fn beside(
    options: &Compare,
    context: &Context,
    relation: &str,
    saved: Option<&Json>,
    budget: &Budget,
) -> Result<u8, CommandError> {
    if options.play || options.equivalence {
        return Err(CommandError::usage(format!(
            "--play and --equivalence have no meaning for the relation `{relation}`"
        )));
    }
    if !options.graph.hide.is_empty() || context.options.has("observe") {
        return Err(CommandError::usage(format!(
            "--hide and --observe are for labelled transition systems, and have no meaning for the relation `{relation}` of other models"
        )));
    }
    let read = |path: &Path| {
        let origin = Origin {
            language: options.graph.language.clone(),
            ..Origin::file(path)
        };
        (context.table).load(&origin, Command::Structure, &context.options, budget)
    };
    let (first, second) = (read(&options.first)?, read(&options.second)?);
    let compared = match saved {
        None => first.model.beside(&*second.model, relation, budget),
        Some(document) => {
            let evidence = &document["evidence"];
            (first.model).beside_again(&*second.model, relation, evidence, budget)
        }
    };
    let Some(compared) = compared else {
        let kind = first.family.name;
        return Err(CommandError::usage(format!(
            "{} is one of {kind}, which are not compared by `{relation}`",
            options.first.display()
        )));
    };
    let compared = compared.map_err(CommandError::input)?;
    if let CheckReport::Rejected { reason } = &compared.check {
        return Err(match options.certify {
            Some(_) => CommandError::input(format!("the evidence is rejected: {reason}")),
            None => CommandError::Internal(format!("the evidence about `{relation}` was rejected: {reason}")),
        });
    }
    let names = names(options);
    let related = compared.related.as_ref().ok().copied();
    let verb = match related {
        Some(true) => "are related",
        Some(false) => "are not related",
        None => "may or may not be related",
    };
    let sentence = format!("{} and {} {verb} by {relation}", names[0], names[1]);
    let notes: Vec<String> = match &compared.check {
        CheckReport::Partly { .. } => vec![compared.check.to_string()],
        _ => Vec::new(),
    };
    let system = |side: usize| Compared {
        name: &names[side],
        states: compared.sizes[side].0,
        transitions: compared.sizes[side].1,
    };
    let report = ComparisonReport {
        systems: [system(0), system(1)],
        relation,
        both_ways: false,
        related,
        sentence: &sentence,
        reason: compared.related.as_ref().err().map(String::as_str),
        shown: &compared.shown,
        details: &compared.details,
        notes: &notes,
        seconds: compared.time.as_secs_f64(),
        check_seconds: compared.check_time.as_secs_f64(),
    };
    match options.json {
        true => print_json(&format!("{:#}\n", report.json())),
        false => print(&report.text(&text_options(&Look::default()))),
    }
    if let (Some(folder), Some(evidence)) = (&options.evidence, compared.evidence) {
        make_folder(folder)?;
        let document = json!({
            "entail": env!("CARGO_PKG_VERSION"),
            "format": FORMAT,
            "systems": names,
            "relation": relation,
            "evidence": evidence,
        });
        write_text(&folder.join(EVIDENCE_FILE), &sealed(document))?;
    }
    Ok(match related {
        Some(true) => HOLDS,
        Some(false) => FAILS,
        None => UNKNOWN,
    })
}

/// What the systems are called in the answer.
fn names(options: &Compare) -> [String; 2] {
    let names = [
        options.first.display().to_string(),
        options.second.display().to_string(),
    ];
    match names[0] == names[1] {
        true => [format!("{} (first)", names[0]), format!("{} (second)", names[1])],
        false => names,
    }
}

fn status(comparison: &Comparison) -> u8 {
    match comparison {
        Comparison::Related(_) => HOLDS,
        Comparison::Unrelated(_) => FAILS,
    }
}

fn question(options: &Compare, relation: Relation) -> Result<RelationQuery, CommandError> {
    if options.preorder && relation.is_bisimulation() {
        return Err(CommandError::usage(format!(
            "--preorder asks which of two systems is larger, but the relation `{relation}` is symmetric; simulation, ready-simulation, \
             trace and weak-trace have a larger side"
        )));
    }
    Ok(match options.equivalence {
        true => RelationQuery::equivalence(relation),
        false => RelationQuery::preorder(relation),
    })
}

/// Both as labelled transition systems; nothing if the first is of a kind that has none.
fn load(
    options: &Compare,
    context: &Context,
    question: RelationQuery,
    budget: &Budget,
) -> Result<Option<Comparable>, CommandError> {
    // What is hidden or observed may be in one of the two only; so it is looked for in both, afterwards. What is observed of models
    // is known to them alone.
    let graphs = [&options.first, &options.second]
        .into_iter()
        .all(|path| GraphFormat::of_file(path).is_some());
    let input = options.graph.without_hiding();
    let observe = parts(context.options.values("observe"));
    let mut own = context.clone();
    if graphs {
        own.options = own.options.without("observe");
    }
    let first = match graph::load_if_any(&options.first, &input, &own, budget) {
        Err(NoStructure::Kind { .. }) => return Ok(None),
        first => first?,
    };
    let second = graph::load(&options.second, &input, &own, budget)?;
    let preparation = Preparation {
        hide: parts(&options.graph.hide),
        chosen: !observe.is_empty(),
        observe: if graphs { observe } else { Vec::new() },
    };
    let names = names(options);
    Ok(Some(comparable(
        (first, &names[0]),
        (second, &names[1]),
        question,
        &preparation,
    )?))
}

/// Reads what a comparison saved; a document whose checksum does not fit is refused.
fn read_evidence(path: &Path) -> Result<Json, CommandError> {
    let wrong = |error: &dyn std::fmt::Display| CommandError::input(format!("{}: {error}", path.display()));
    let document = serde_json::from_str(&read_text(path)?).map_err(|error| wrong(&error))?;
    if !check_seal(&document).map_err(|error| wrong(&error))? {
        note!("entail: {} {}", path.display(), entail::NO_SEAL);
    }
    Ok(document)
}
