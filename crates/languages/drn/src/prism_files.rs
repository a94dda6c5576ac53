//! PRISM's explicit files: transitions (`.tra`), and beside them labels (`.lab`), values of variables (`.sta`), rewards of states (`.srew`) and of
//! transitions (`.trew`).
//!
//! `.tra`: `states transitions`, then `from to weight` for chains; `states choices transitions`, then `from choice to weight [action]` for decision
//! processes. A file of a chain does not say whether its numbers are probabilities or rates: they are probabilities if those of every state sum
//! to 1. `.lab`: `0="init" 1="deadlock" …`, then `state: label label …`. `.sta`: `(x,y)`, then `state:(3,true)`. Rewards: a header with counts, then
//! `state reward`, or as in `.tra`. Lines that begin with `#` are comments; `# Reward structure "name"` names one.

use crate::table::{Choice, Earned, Outcome, State, Table};
use crate::words::{Read, Word, lines};
use entail_markov::{Domain, Kind, Rational, Variable};
use entail_source::Diagnostic;
use std::collections::HashMap;

const COMMENTS: &[&str] = &["#"];

/// A file that belongs to a file of transitions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Beside {
    /// `.lab`.
    Labels,
    /// `.sta`.
    States,
    /// `.srew`, of the reward structure with this number.
    StateRewards(usize),
    /// `.trew`.
    TransitionRewards(usize),
}

/// Reads a file of transitions. The initial state is 0 unless labels say otherwise.
pub fn read_transitions(text: &str) -> Result<Table, Diagnostic> {
    transitions(text).map_err(|problem| problem.within(text))
}

/// Adds what a file beside the transitions says.
pub fn read_beside(table: &mut Table, what: Beside, text: &str) -> Result<(), Diagnostic> {
    let read = match what {
        Beside::Labels => labels(table, text),
        Beside::States => states(table, text),
        Beside::StateRewards(structure) => state_rewards(table, structure, text),
        Beside::TransitionRewards(structure) => transition_rewards(table, structure, text),
    };
    read.map_err(|problem| problem.within(text))
}

fn missing(text: &str) -> Diagnostic {
    let end = entail_source::Span::new(0, text.len().min(1));
    Diagnostic::error("explicit::format", "the file is empty", end, "here")
}

fn state_number(table: &Table, word: Word<'_>) -> Read<u32> {
    let (count, number) = (table.states.len(), word.count()?);
    match (number as usize) < count {
        true => Ok(number),
        false => Err(word.wrong(format!("there are {count} states, numbered from 0"))),
    }
}

fn transitions(text: &str) -> Read<Table> {
    let mut all = lines(text, COMMENTS);
    let header = all.next().ok_or_else(|| missing(text))?;
    let counts = header.words().map(Word::count).collect::<Read<Vec<u32>>>()?;
    let (states, choices, count) = match counts[..] {
        [states, count] => (states, None, count),
        [states, choices, count] => (states, Some(choices), count),
        _ => return Err(header.wrong("`states transitions` or `states choices transitions` is expected")),
    };
    let mut table = Table::empty(if choices.is_some() { Kind::Mdp } else { Kind::Dtmc });
    let mut actions = HashMap::new();
    let mut found = 0u32;
    for line in all {
        let mut words = line.words();
        let mut word = || words.next().ok_or_else(|| line.wrong("this line is too short"));
        let from = word()?;
        let number = from.count()?;
        if number >= states {
            return Err(from.wrong(format!("the header says {states} states, numbered from 0")));
        }
        // States without transitions are not mentioned; those before this one are known by now.
        if (number as usize) + 1 < table.states.len() {
            return Err(from.wrong("the transitions of a state stand together, by increasing state"));
        }
        fill(&mut table, number as usize + 1, line);
        let position = match choices {
            Some(_) => word()?.count()? as usize,
            None => 0,
        };
        let outcome = Outcome {
            target: word()?.count()?,
            weight: word()?.number()?,
        };
        let name = words.next();
        let action = name
            .filter(|_| choices.is_some())
            .map(|name| table.action(&mut actions, name.text));
        let own = &mut table.states[number as usize].choices;
        if position > own.len() || position + 1 < own.len() {
            return Err(line.wrong("the choices of a state are numbered from 0, one after the other"));
        }
        if position == own.len() {
            own.push(Choice {
                action,
                ..Choice::default()
            });
        }
        own[position].outcomes.push(outcome);
        found += 1;
    }
    if found != count {
        return Err(header.wrong(format!(
            "the header says {count} transitions, and there are {found}"
        )));
    }
    // A header alone must not make anybody allocate gigabytes: every state is mentioned, at least as a target.
    let highest = (table.states.iter())
        .flat_map(|state| &state.choices)
        .flat_map(|choice| &choice.outcomes)
        .map(|outcome| outcome.target as usize + 1)
        .max();
    if states as usize > text.len() || highest.is_some_and(|highest| highest > states as usize) {
        return Err(header.wrong(format!("there cannot be {states} states")));
    }
    fill(&mut table, states as usize, header);
    if states == 0 {
        return Err(header.wrong("a model has at least one state"));
    }
    if let Some(choices) = choices {
        let all: usize = table.states.iter().map(|state| state.choices.len()).sum();
        if all != choices as usize {
            return Err(header.wrong(format!("the header says {choices} choices, and there are {all}")));
        }
    } else if !(table.states.iter()).all(|state| state.choices.iter().all(sums_to_one)) {
        table.kind = Kind::Ctmc;
    }
    table.initial.push(0);
    table.checked()
}

/// Whether the weights of a choice are probabilities, but for rounding.
fn sums_to_one(choice: &Choice) -> bool {
    let sum = (choice.outcomes.iter()).fold(Rational::ZERO, |sum, outcome| sum + &outcome.weight);
    let off = if sum < Rational::ONE {
        Rational::ONE - sum
    } else {
        sum - Rational::ONE
    };
    off * Rational::from(100_000u32) <= Rational::ONE
}

fn fill(table: &mut Table, count: usize, line: Word<'_>) {
    while table.states.len() < count {
        table.states.push(State {
            choices: Vec::new(),
            place: line.span,
        });
    }
}

fn labels(table: &mut Table, text: &str) -> Read<()> {
    let mut all = lines(text, COMMENTS);
    let header = all.next().ok_or_else(|| missing(text))?;
    // By number: the label's position among those of the table, or the initial states, or what is known anyway.
    let mut meaning: HashMap<u32, Option<usize>> = HashMap::new();
    let mut initial = None;
    for declared in header.words() {
        let wrong = || declared.wrong("labels are declared as `0=\"init\"`");
        let (number, name) = declared.split("=").ok_or_else(wrong)?;
        let name = (name
            .text
            .strip_prefix('"')
            .and_then(|name| name.strip_suffix('"')))
        .ok_or_else(wrong)?;
        let number = number.count()?;
        let place = match name {
            "init" => {
                initial = Some(number);
                None
            }
            "deadlock" => None,
            _ => {
                table.labels.push((name.to_owned(), Vec::new()));
                Some(table.labels.len() - 1)
            }
        };
        meaning.insert(number, place);
    }
    let mut begins = Vec::new();
    for line in all {
        let (state, own) =
            (line.split(":")).ok_or_else(|| line.wrong("`state: label label …` is expected"))?;
        let state = state_number(table, state.trim())?;
        for word in own.words() {
            let number = word.count()?;
            if Some(number) == initial {
                begins.push(state);
            }
            match meaning.get(&number) {
                Some(Some(label)) => table.labels[*label].1.push(state),
                Some(None) => {}
                None => return Err(word.wrong("this label was not declared in the first line")),
            }
        }
    }
    for (_, states) in &mut table.labels {
        states.sort_unstable();
        states.dedup();
    }
    begins.sort_unstable();
    begins.dedup();
    if !begins.is_empty() {
        table.initial = begins;
    }
    Ok(())
}

fn states(table: &mut Table, text: &str) -> Read<()> {
    let mut all = lines(text, COMMENTS);
    let header = all.next().ok_or_else(|| missing(text))?;
    let list = |word: Word<'_>| {
        let inside = word
            .text
            .strip_prefix('(')
            .and_then(|text| text.strip_suffix(')'));
        (inside.map(|text| {
            text.split(',')
                .map(|part| part.trim().to_owned())
                .collect::<Vec<String>>()
        }))
        .ok_or_else(|| word.wrong("a list in parentheses is expected"))
    };
    let names = list(header)?;
    let mut values: Vec<Vec<i64>> = vec![Vec::new(); names.len()];
    let mut boolean = vec![false; names.len()];
    for (expected, line) in all.enumerate() {
        let (state, own) =
            (line.split(":")).ok_or_else(|| line.wrong("`state:(value,value,…)` is expected"))?;
        if state_number(table, state.trim())? as usize != expected {
            return Err(state.wrong(format!("state {expected} is expected here")));
        }
        let own_values = list(own.trim())?;
        if own_values.len() != names.len() {
            return Err(own.wrong(format!("{} values are expected", names.len())));
        }
        for (at, value) in own_values.iter().enumerate() {
            let number = match value.as_str() {
                "true" | "false" => {
                    boolean[at] = true;
                    i64::from(value == "true")
                }
                _ => value
                    .parse()
                    .map_err(|_| own.wrong(format!("`{value}` is no value of a variable")))?,
            };
            values[at].push(number);
        }
    }
    if values.iter().any(|values| values.len() != table.states.len()) {
        return Err(header.wrong(format!("values for {} states are expected", table.states.len())));
    }
    if table.initial.len() > 1 {
        return Err(header.wrong("values of variables are read for models with one initial state"));
    }
    for ((name, values), boolean) in names.into_iter().zip(values).zip(boolean) {
        let (low, high) = (values.iter().min(), values.iter().max());
        let domain = match (low, high) {
            _ if boolean => Domain::Bool,
            (Some(&low), Some(&high)) => Domain::Range(low, high),
            _ => Domain::Bool,
        };
        if !values.iter().all(|&value| domain.contains(value)) {
            return Err(header.wrong(format!("`{name}` has truth values and numbers")));
        }
        let variable = Variable {
            name,
            domain,
            hidden: false,
        };
        table.variables.push((variable, values));
    }
    Ok(())
}

/// The structure with a number, with those before it; its name is in a comment.
fn structure<'t>(table: &'t mut Table, number: usize, text: &str) -> &'t mut Earned {
    while table.rewards.len() <= number {
        table.rewards.push((None, Vec::new()));
    }
    let named = (text.lines())
        .filter_map(|line| line.strip_prefix("# Reward structure"))
        .find_map(|rest| rest.trim().strip_prefix('"')?.strip_suffix('"'));
    let (name, earned) = &mut table.rewards[number];
    if let Some(found) = named {
        *name = Some(found.to_owned());
    }
    earned
}

fn state_rewards(table: &mut Table, number: usize, text: &str) -> Read<()> {
    let mut all = lines(text, COMMENTS);
    all.next().ok_or_else(|| missing(text))?;
    let mut found = Vec::new();
    for line in all {
        let words: Vec<Word<'_>> = line.words().collect();
        let [state, reward] = words[..] else {
            return Err(line.wrong("`state reward` is expected"));
        };
        found.push((state_number(table, state)?, reward.number()?));
    }
    found.sort_by_key(|(state, _)| *state);
    if let Some(pair) = found.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        let message = format!("state {} has two rewards", pair[0].0);
        return Err(Diagnostic::error(
            "explicit::rewards",
            message,
            entail_source::Span::new(0, 0),
            "in this file",
        ));
    }
    *structure(table, number, text) = found;
    Ok(())
}

fn transition_rewards(table: &mut Table, number: usize, text: &str) -> Read<()> {
    structure(table, number, text);
    let choices = table.kind.has_choices();
    let mut all = lines(text, COMMENTS);
    all.next().ok_or_else(|| missing(text))?;
    for line in all {
        let words: Vec<Word<'_>> = line.words().collect();
        let (state, choice, target, reward) = match words[..] {
            [state, target, reward] if !choices => (state, 0, target, reward),
            [state, choice, target, reward] if choices => (state, choice.count()? as usize, target, reward),
            _ => return Err(line.wrong("the numbers of a transition and its reward are expected")),
        };
        let (from, to, reward) = (state_number(table, state)?, target.count()?, reward.number()?);
        let own = (table.states[from as usize].choices.get_mut(choice))
            .ok_or_else(|| line.wrong("there is no such choice"))?;
        let outcome = (own.outcomes.iter().position(|outcome| outcome.target == to))
            .ok_or_else(|| line.wrong("there is no such transition"))?;
        own.earned.push((number, outcome, reward));
    }
    Ok(())
}
