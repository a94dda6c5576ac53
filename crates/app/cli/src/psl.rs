//! `entail ltl` for PSL: formulas with sequences, `{req;busy[*3..5];ack}|->(busy U done)`.
//!
//! They become automata through their duties. A word that is printed is evaluated once more by the definition, in the checker's room.

use crate::arguments::{AutomatonFormat, Ltl, LtlService};
use crate::automaton::{confirm, goal, read_word, refused, written};
use crate::failure::{CommandError, HOLDS};
use crate::load::write_text;
use crate::ltl::answer;
use crate::terminal::{print, print_file};
use entail_automata::algebra::convert::convert;
use entail_automata::algebra::product::intersection;
use entail_automata::assertion::{
    SafetyKind, alternating_of_assertion, atoms_of, automaton_of_assertion, safety_kind,
};
use entail_automata::formats::hoa_writer;
use entail_automata::ltl::classify::{Class, classify_automaton, is_safety, stutter_difference};
use entail_automata::ltl::syntax::parse_any;
use entail_automata::reduce::state_based::to_state_based;
use entail_automata::{Automaton, LassoWord, services};
use entail_budget::Budget;
use entail_logic::{Assertion, Formula, Guard, Node, psl};
use entail_source::{Diagnostic, Source, Span};
use entail_systems_checker::{AssertionWord, View};
use std::ops::RangeInclusive;
use std::sync::Arc;

/// Whether a formula is one of PSL: it has sequences.
pub(crate) fn is_psl(text: &str) -> bool {
    text.contains('{')
}

/// The formulas of a service.
pub(crate) fn formulas(service: &LtlService) -> Vec<&str> {
    match service {
        LtlService::Translate { formula, .. }
        | LtlService::Sat { formula }
        | LtlService::Valid { formula }
        | LtlService::Classify { formula }
        | LtlService::Simplify { formula, .. }
        | LtlService::Print { formula, .. }
        | LtlService::Word { formula, .. } => vec![formula],
        LtlService::Implies { left, right } | LtlService::Equivalent { left, right } => vec![left, right],
        LtlService::Random { .. } => Vec::new(),
    }
}

pub(crate) fn run(options: &Ltl) -> Result<u8, CommandError> {
    let budget = Budget::unlimited().with_timeout(options.timeout);
    let automaton = |assertion: &Assertion<String>, truth: bool| {
        automaton_of_assertion(assertion, truth, &budget).map_err(refused)
    };
    match &options.service {
        LtlService::Translate {
            formula,
            acceptance,
            deterministic,
            alternating,
            output,
        } => {
            let assertion = read(formula)?;
            let text = if *alternating {
                let mut automaton = alternating_of_assertion(&assertion, true).map_err(refused)?;
                automaton.name = Some(formula.clone());
                hoa_writer::alternating_to_hoa(&automaton)
            } else {
                let mut automaton = automaton(&assertion, true)?;
                if *deterministic || !matches!(acceptance, crate::arguments::AcceptanceGoal::Generalized) {
                    automaton = convert(&automaton, goal(*acceptance), &budget).map_err(refused)?;
                    automaton = services::simplify(&automaton, &budget).map_err(refused)?;
                }
                if output.state_based || output.format == AutomatonFormat::Never {
                    automaton = to_state_based(&automaton);
                }
                if output.check {
                    let meaning = |word: &LassoWord| holds(&assertion, word);
                    let word = services::disagreement(&automaton, &meaning, SAMPLES, &budget);
                    confirm(word.map_err(refused)?.is_none())?;
                }
                automaton.name = Some(formula.clone());
                written(&automaton, output.format)?
            };
            match &output.output {
                Some(path) => write_text(path, &text)?,
                None => print_file(&text),
            }
            Ok(HOLDS)
        }
        LtlService::Sat { formula } => {
            let assertion = read(formula)?;
            let word = automaton(&assertion, true)?.accepted_word();
            confirm(word.as_ref().is_none_or(|word| holds(&assertion, word)))?;
            answer("satisfiable", "unsatisfiable", word.is_some(), word.as_ref())
        }
        LtlService::Valid { formula } => {
            let assertion = read(formula)?;
            let word = automaton(&assertion, false)?.accepted_word();
            confirm(word.as_ref().is_none_or(|word| !holds(&assertion, word)))?;
            answer("valid", "not valid", word.is_none(), word.as_ref())
        }
        LtlService::Implies { left, right } => {
            let (left, right) = (read(left)?, read(right)?);
            let word = against(&left, &right, &automaton)?;
            answer("implied", "not implied", word.is_none(), word.as_ref())
        }
        LtlService::Equivalent { left, right } => {
            let (left, right) = (read(left)?, read(right)?);
            let word = match against(&left, &right, &automaton)? {
                Some(word) => Some(word),
                None => against(&right, &left, &automaton)?,
            };
            answer("equivalent", "different", word.is_none(), word.as_ref())
        }
        LtlService::Word { formula, word } => {
            let truth = holds(&read(formula)?, &read_word(word)?);
            answer("true on the word", "false on the word", truth, None)
        }
        LtlService::Classify { formula } => {
            let assertion = read(formula)?;
            let (positive, negative) = (automaton(&assertion, true)?, automaton(&assertion, false)?);
            let class = classify_automaton(&positive, &negative, &budget).map_err(refused)?;
            let stutter = stutter_difference(&positive, &negative).map_err(refused)?;
            print(&format!(
                "class: {}\n{}stutter-invariant: {}\n",
                class.name(),
                shown_violations(&assertion, class, &positive, &budget)?,
                if stutter.is_none() { "yes" } else { "no" }
            ));
            Ok(HOLDS)
        }
        LtlService::Simplify { .. } | LtlService::Print { .. } | LtlService::Random { .. } => Err(
            CommandError::usage("this service is for formulas without sequences"),
        ),
    }
}

/// How violations of a safety property show; nothing of other properties. A word that is told is confirmed by the definition, in the checker's room.
fn shown_violations(
    assertion: &Assertion<String>,
    class: Class,
    automaton: &Automaton,
    budget: &Budget,
) -> Result<String, CommandError> {
    if !matches!(class, Class::Safety | Class::SafetyAndGuarantee) {
        return Ok(String::new());
    }
    let kind = safety_kind(assertion, automaton, budget).map_err(refused)?;
    let is_silent = |word: &LassoWord, lengths: RangeInclusive<usize>| {
        (lengths.into_iter()).all(|length| is_weakly_true(assertion, word, length))
    };
    Ok(match kind {
        SafetyKind::Intentional => "safety: intentional (every bad prefix tells why it is bad)\n".to_owned(),
        SafetyKind::Accidental(word) => {
            let length = word.prefix.len();
            confirm(is_silent(&word, length..=length))?;
            format!(
                "safety: accidental (every violation is told by some prefix, but not at once: nothing mends {})\n",
                word.prefix_text()
            )
        }
        SafetyKind::Pathological(word) => {
            confirm(!holds(assertion, &word) && is_silent(&word, 0..=2 * word.len()))?;
            format!("safety: pathological (no prefix of this violation tells why: {word})\n")
        }
    })
}

/// The same for a formula without sequences, if it is one of PSL: those with past operators are not.
pub(crate) fn shown_violations_of(formula: &str, budget: &Budget) -> Result<String, CommandError> {
    let Ok(assertion) = read(formula) else {
        return Ok(String::new());
    };
    let automaton = |truth| automaton_of_assertion(&assertion, truth, budget).map_err(refused);
    let (positive, negative) = (automaton(true)?, automaton(false)?);
    match is_safety(&positive, &negative).map_err(refused)? {
        true => shown_violations(&assertion, Class::Safety, &positive, budget),
        false => Ok(String::new()),
    }
}

/// How many random words `--check` compares.
const SAMPLES: usize = 200;

/// The automaton of the words on which a formula has a truth value.
type Automata<'a> = dyn Fn(&Assertion<String>, bool) -> Result<Automaton, CommandError> + 'a;

/// A word of the first formula that is none of the second.
fn against(
    left: &Assertion<String>,
    right: &Assertion<String>,
    automaton: &Automata<'_>,
) -> Result<Option<LassoWord>, CommandError> {
    let (yes, no) = (automaton(left, true)?, automaton(right, false)?);
    let word = intersection(&yes, &no).map_err(refused)?.0.accepted_word();
    confirm(
        word.as_ref()
            .is_none_or(|word| holds(left, word) && !holds(right, word)),
    )?;
    Ok(word)
}

/// Whether a formula is true of a word, by its definition.
fn holds(assertion: &Assertion<String>, word: &LassoWord) -> bool {
    let (letters, numbered) = lettered(assertion, word, word.len());
    AssertionWord::new(letters, Some(word.prefix.len())).holds(&numbered, View::Weak)
}

/// Whether a formula is not contradicted by so many letters of a word.
fn is_weakly_true(assertion: &Assertion<String>, word: &LassoWord, length: usize) -> bool {
    let (letters, numbered) = lettered(assertion, word, length);
    AssertionWord::new(letters, None).holds(&numbered, View::Weak)
}

/// The first letters of a word as truths of a formula's atoms, and the formula with their numbers.
fn lettered(
    assertion: &Assertion<String>,
    word: &LassoWord,
    length: usize,
) -> (Vec<Vec<bool>>, Assertion<usize>) {
    let mut atoms = Vec::new();
    atoms_of(assertion, &mut atoms);
    let place = |name: &String| word.propositions.iter().position(|known| known == name);
    let places: Vec<Option<usize>> = atoms.iter().map(place).collect();
    let letters = (0..length).map(|position| {
        let letter = word.letter(position);
        let value = |place: &Option<usize>| place.is_some_and(|place| letter >> place & 1 == 1);
        places.iter().map(value).collect()
    });
    let numbered = assertion.map(&mut |name| atoms.iter().position(|known| known == name).unwrap_or(0));
    (letters.collect(), numbered)
}

fn read(text: &str) -> Result<Assertion<String>, CommandError> {
    let mut boolean = |text: &str, offset: usize| {
        let problem = |message: &str| {
            let place = Span::new(offset, offset + text.len());
            Diagnostic::error("psl::expression", message.to_owned(), place, "here")
        };
        let formula = parse_any(text).map_err(|problems| {
            let first = problems.0.first();
            problem(first.map_or("this is no expression", |one| one.message.as_str()))
        })?;
        guard(&formula).ok_or_else(|| problem("an expression has no temporal operators"))
    };
    psl::read_formula(text, &mut boolean)
        .map_err(|problem| CommandError::Invalid(Source::new("formula", text), problem.into()))
}

/// A formula without temporal operators as a condition.
fn guard(formula: &Formula<String>) -> Option<Guard<String>> {
    let of = |formula: &Formula<String>| guard(formula);
    Some(match formula.node() {
        Node::Constant(truth) => Guard::Constant(*truth),
        Node::Atom(name) => Guard::Atom(name.clone()),
        Node::Not(inner) => of(inner)?.negated(),
        Node::And(parts) => (parts.iter()).try_fold(Guard::Constant(true), |all, part| {
            Some::<Guard<String>>(all.and(&guard(part)?))
        })?,
        Node::Or(parts) => (parts.iter()).try_fold(Guard::Constant(false), |all, part| {
            Some::<Guard<String>>(all.or(&guard(part)?))
        })?,
        Node::Implies(left, right) => of(left)?.negated().or(&of(right)?),
        Node::Iff(left, right) => {
            let (left, right) = (of(left)?, of(right)?);
            let both = left.and(&right);
            let neither = left.negated().and(&right.negated());
            Guard::Or(Arc::new(both), Arc::new(neither))
        }
        Node::Xor(left, right) => {
            let (left, right) = (of(left)?, of(right)?);
            let one = left.and(&right.negated());
            Guard::Or(Arc::new(one), Arc::new(left.negated().and(&right)))
        }
        _ => return None,
    })
}
