//! `entail automaton`: the algebra of ω-automata on files.
//!
//! Automata are read as HOA or as never claims; alternation is removed on the way in. An answer *no* comes with a lasso
//! word, and the naive membership test has judged it before it is printed. With `--check`, constructions are compared with
//! their arguments on random words.

use crate::arguments::{
    AcceptanceGoal, AutomatonCommand, AutomatonFormat, AutomatonOutput, AutomatonService,
};
use crate::failure::{CommandError, FAILS, HOLDS, UNKNOWN};
use crate::load::write_text;
use crate::terminal::{print, print_file};
use entail::{MOST_BYTES, read_file};
use entail_automata::algebra::complement::{complement, complement_to_buchi};
use entail_automata::algebra::convert::{Goal, convert};
use entail_automata::algebra::determinize::to_deterministic_parity;
use entail_automata::algebra::product::{intersection, union};
use entail_automata::alternating::Alternating;
use entail_automata::decide::inclusion::{difference_word, rejected_word, separating_word};
use entail_automata::formats::{dot, hoa_reader, hoa_writer, never_claim, svg};
use entail_automata::ltl::random::Random;
use entail_automata::random_automaton::RandomAutomaton;
use entail_automata::reduce::sat_minimization::minimal_deterministic_buchi;
use entail_automata::reduce::state_based::to_state_based;
use entail_automata::{Acceptance, AutomataError, Automaton, LassoWord, services};
use entail_budget::Budget;
use entail_source::{Diagnostics, NotText, Source, decode};
use std::io::Read;
use std::path::Path;

pub fn run(options: &AutomatonCommand) -> Result<u8, CommandError> {
    let budget = Budget::unlimited().with_timeout(options.timeout);
    match &options.service {
        AutomatonService::Info { automaton } => {
            let read = read_all(automaton)?;
            let texts: Vec<String> = read.iter().map(described).collect();
            print(&texts.join("\n"));
            Ok(HOLDS)
        }
        AutomatonService::Product { left, right, output } => {
            let (a, b) = read_two(left, right, &budget)?;
            let both = unnamed(intersection(&a, &b).map_err(refused)?.0);
            deliver(&both, output, &|word| a.accepts(word) && b.accepts(word), &budget)
        }
        AutomatonService::Union { left, right, output } => {
            let (a, b) = read_two(left, right, &budget)?;
            let either = unnamed(union(&a, &b).map_err(refused)?);
            deliver(
                &either,
                output,
                &|word| a.accepts(word) || b.accepts(word),
                &budget,
            )
        }
        AutomatonService::Complement {
            automaton,
            buchi,
            output,
        } => {
            let source = read_one(automaton, &budget)?;
            let others = if *buchi {
                complement_to_buchi(&source, &budget)
            } else {
                complement(&source, &budget)
            };
            let others = unnamed(others.map_err(refused)?);
            deliver(&others, output, &|word| !source.accepts(word), &budget)
        }
        AutomatonService::Determinize { automaton, output } => each(automaton, output, &budget, &|source| {
            to_deterministic_parity(source, &budget)
        }),
        AutomatonService::Degeneralize { automaton, output } => each(automaton, output, &budget, &|source| {
            convert(source, Goal::Buchi, &budget)
        }),
        AutomatonService::Convert {
            automaton,
            acceptance,
            output,
        } => each(automaton, output, &budget, &|source| {
            convert(source, goal(*acceptance), &budget)
        }),
        AutomatonService::Simplify {
            automaton,
            sat,
            output,
        } => each(automaton, output, &budget, &|source| {
            if *sat {
                minimal_deterministic_buchi(source, &budget)
            } else {
                services::simplify(source, &budget)
            }
        }),
        AutomatonService::Empty { .. }
        | AutomatonService::Universal { .. }
        | AutomatonService::Included { .. }
        | AutomatonService::Equivalent { .. }
        | AutomatonService::Accepts { .. } => asked(&options.service, &budget),
        AutomatonService::Random {
            seed,
            states,
            props,
            edges,
            output,
        } => {
            let shape = RandomAutomaton {
                states: *states,
                propositions: *props,
                edges: *edges,
                acceptance: (Acceptance::buchi(), 1),
                marked: 30,
            };
            let automaton = shape.draw(&mut Random::new(*seed)).map_err(refused)?;
            deliver(&automaton, output, &|word| automaton.accepts(word), &budget)
        }
    }
}

/// The services that are questions: yes, or a word that shows why not.
fn asked(service: &AutomatonService, budget: &Budget) -> Result<u8, CommandError> {
    match service {
        AutomatonService::Empty { automaton } => {
            let source = read_one(automaton, budget)?;
            let word = source.accepted_word();
            confirm(word.as_ref().is_none_or(|word| source.accepts(word)))?;
            Ok(answer("empty", "not empty, it accepts", word.as_ref()))
        }
        AutomatonService::Universal { automaton } => {
            let source = read_one(automaton, budget)?;
            let word = rejected_word(&source, budget).map_err(refused)?;
            confirm(word.as_ref().is_none_or(|word| !source.accepts(word)))?;
            Ok(answer("universal", "not universal, it rejects", word.as_ref()))
        }
        AutomatonService::Included { left, right } => {
            let (a, b) = read_two(left, right, budget)?;
            let word = difference_word(&a, &b, budget).map_err(refused)?;
            confirm(
                word.as_ref()
                    .is_none_or(|word| a.accepts(word) && !b.accepts(word)),
            )?;
            Ok(answer(
                "included",
                "not included, only the first accepts",
                word.as_ref(),
            ))
        }
        AutomatonService::Equivalent { left, right } => {
            let (a, b) = read_two(left, right, budget)?;
            let word = separating_word(&a, &b, budget).map_err(refused)?;
            confirm(
                word.as_ref()
                    .is_none_or(|word| a.accepts(word) != b.accepts(word)),
            )?;
            let no = match &word {
                Some(word) if a.accepts(word) => "different, only the first accepts",
                _ => "different, only the second accepts",
            };
            Ok(answer("equivalent", no, word.as_ref()))
        }
        AutomatonService::Accepts { automaton, word } => {
            let word = read_word(word)?;
            let accepted = read_one(automaton, budget)?.accepts(&word);
            print(if accepted { "accepted\n" } else { "rejected\n" });
            Ok(if accepted { HOLDS } else { FAILS })
        }
        _ => Err(CommandError::Internal("this service is no question".to_owned())),
    }
}

// ----- reading -----

/// Reads a word such as `p; cycle{!p; q}`.
pub fn read_word(text: &str) -> Result<LassoWord, CommandError> {
    LassoWord::parse(text).map_err(|found| CommandError::Invalid(Source::new("word", text), found))
}

fn read_source(path: &Path) -> Result<Source, CommandError> {
    let name = if path == Path::new("-") {
        "standard input".to_owned()
    } else {
        path.display().to_string()
    };
    let mut bytes = Vec::new();
    let read = if path == Path::new("-") {
        std::io::stdin()
            .lock()
            .take(MOST_BYTES)
            .read_to_end(&mut bytes)
            .map(|_| ())
    } else {
        read_file(path).map(|found| bytes = found)
    };
    read.map_err(|error| CommandError::input(format!("cannot read {name}: {error}")))?;
    let text = decode(bytes).map_err(|NotText { at }| {
        CommandError::input(format!(
            "{name}: not a text, byte {at} is not UTF-8; HOA files are"
        ))
    })?;
    Ok(Source::new(name, text))
}

/// All automata of a file.
fn read_all(path: &Path) -> Result<Vec<Alternating>, CommandError> {
    let source = read_source(path)?;
    let text = source.text();
    let found: Result<Vec<Alternating>, Diagnostics> = if text.trim_start().starts_with("never") {
        never_claim::read_never_claim(text).map(|claim| vec![Alternating::from(&claim)])
    } else {
        let list: Result<Vec<_>, _> = hoa_reader::HoaReader::new(text).collect();
        match list {
            Ok(list) if list.is_empty() => hoa_reader::read_alternating(text).map(|one| vec![one]),
            other => other,
        }
    };
    found.map_err(|diagnostics| CommandError::Invalid(source.clone(), diagnostics))
}

fn read_one(path: &Path, budget: &Budget) -> Result<Automaton, CommandError> {
    let mut all = read_all(path)?;
    match (all.pop(), all.is_empty()) {
        (Some(one), true) => one.remove_alternation(budget).map_err(refused),
        _ => Err(CommandError::input(format!(
            "{} holds {} automata, but this command takes one; split the file",
            path.display(),
            all.len() + 1
        ))),
    }
}

fn read_two(left: &Path, right: &Path, budget: &Budget) -> Result<(Automaton, Automaton), CommandError> {
    if left == right && left == Path::new("-") {
        return Err(CommandError::usage(
            "only one of the automata can come from standard input",
        ));
    }
    Ok((read_one(left, budget)?, read_one(right, budget)?))
}

// ----- constructions -----

/// Applies a construction to every automaton of a file.
fn each(
    path: &Path,
    output: &AutomatonOutput,
    budget: &Budget,
    construct: &dyn Fn(&Automaton) -> entail_automata::Result<Automaton>,
) -> Result<u8, CommandError> {
    let mut texts = String::new();
    for alternating in read_all(path)? {
        let source = alternating.remove_alternation(budget).map_err(refused)?;
        let result = construct(&source).map_err(refused)?;
        texts += &finished(&result, output, &|word| source.accepts(word), budget)?;
    }
    hand_out(&texts, output)
}

/// The name of an argument says nothing true about a result with other words.
fn unnamed(mut automaton: Automaton) -> Automaton {
    automaton.name = None;
    automaton
}

fn deliver(
    automaton: &Automaton,
    output: &AutomatonOutput,
    meaning: &dyn Fn(&LassoWord) -> bool,
    budget: &Budget,
) -> Result<u8, CommandError> {
    let text = finished(automaton, output, meaning, budget)?;
    hand_out(&text, output)
}

fn hand_out(text: &str, output: &AutomatonOutput) -> Result<u8, CommandError> {
    match &output.output {
        Some(path) => write_text(path, text)?,
        None => print_file(text),
    }
    Ok(HOLDS)
}

/// The automaton as asked for: reduced, with acceptance on states, checked, written.
fn finished(
    automaton: &Automaton,
    output: &AutomatonOutput,
    meaning: &dyn Fn(&LassoWord) -> bool,
    budget: &Budget,
) -> Result<String, CommandError> {
    let mut result = automaton.clone();
    if output.simplify {
        result = services::simplify(&result, budget).map_err(refused)?;
    }
    if output.state_based {
        result = to_state_based(&result);
    }
    if output.check {
        let word = services::disagreement(&result, meaning, SAMPLES, budget).map_err(refused)?;
        confirm(word.is_none())?;
    }
    written(&result, output.format)
}

/// How many random words `--check` compares.
const SAMPLES: usize = 200;

/// The automaton in a format.
pub fn written(automaton: &Automaton, format: AutomatonFormat) -> Result<String, CommandError> {
    Ok(match format {
        AutomatonFormat::Hoa => hoa_writer::to_hoa(automaton),
        AutomatonFormat::Dot => dot::to_dot(automaton),
        AutomatonFormat::Svg => svg::to_svg(automaton),
        AutomatonFormat::Never => never_claim::to_never_claim(automaton).map_err(refused)?,
    })
}

/// The library's name of a goal.
pub fn goal(acceptance: AcceptanceGoal) -> Goal {
    match acceptance {
        AcceptanceGoal::Generalized => Goal::GeneralizedBuchi,
        AcceptanceGoal::Buchi => Goal::Buchi,
        AcceptanceGoal::CoBuchi => Goal::CoBuchi,
        AcceptanceGoal::Parity => Goal::Parity,
        AcceptanceGoal::Rabin => Goal::Rabin,
        AcceptanceGoal::Streett => Goal::Streett,
        AcceptanceGoal::Muller => Goal::Muller,
    }
}

// ----- answers -----

/// A construction that gave up: a limit makes it unknown, everything else is about the input.
pub fn refused(error: AutomataError) -> CommandError {
    match error {
        AutomataError::Spent(spent) => CommandError::Message(format!("unknown: {spent}"), UNKNOWN),
        AutomataError::TooLarge(why) => CommandError::Message(format!("unknown: {why}"), UNKNOWN),
        other => CommandError::input(other.to_string()),
    }
}

/// A word that its naive judge does not confirm is a bug in Entail, never an answer.
pub fn confirm(confirmed: bool) -> Result<(), CommandError> {
    if confirmed {
        return Ok(());
    }
    Err(CommandError::Internal(
        "internal error: a word was found on which the result is wrong".to_owned(),
    ))
}

/// *Yes* without a word, *no* with one.
fn answer(yes: &str, no: &str, word: Option<&LassoWord>) -> u8 {
    match word {
        None => {
            print(&format!("{yes}\n"));
            HOLDS
        }
        Some(word) => {
            print(&format!("{no}\n  {word}\n"));
            FAILS
        }
    }
}

fn described(automaton: &Alternating) -> String {
    let edges: usize = automaton.edges.iter().map(Vec::len).sum();
    let mut rows: Vec<(&str, String)> = Vec::new();
    if let Some(name) = &automaton.name {
        rows.push(("name", name.clone()));
    }
    rows.push(("states", automaton.edges.len().to_string()));
    rows.push(("edges", edges.to_string()));
    rows.push(("propositions", automaton.propositions.join(", ")));
    rows.push((
        "acceptance",
        format!("{} ({} marks)", automaton.acceptance, automaton.mark_count),
    ));
    match automaton.to_nondeterministic() {
        Err(_) => rows.push(("branching", "universal (alternating)".to_owned())),
        Ok(plain) => {
            let name = plain.kind().hoa_name();
            rows.push(("kind", name.unwrap_or_else(|| "Emerson-Lei".to_owned())));
            rows.push(("transitions", format!("{}", plain.transition_count())));
            let facts = [
                ("deterministic", plain.is_deterministic()),
                ("complete", plain.is_complete()),
                ("semi-deterministic", plain.is_semi_deterministic()),
                ("unambiguous", plain.is_unambiguous()),
                ("weak", plain.is_weak()),
                ("very weak", plain.is_very_weak()),
                ("terminal", plain.is_terminal()),
                ("state-based", plain.is_state_based()),
                ("empty", plain.is_empty()),
            ];
            rows.extend(
                facts
                    .into_iter()
                    .map(|(fact, truth)| (fact, if truth { "yes" } else { "no" }.to_owned())),
            );
        }
    }
    rows.into_iter()
        .map(|(key, value)| format!("{key:<20}{value}\n"))
        .collect()
}
