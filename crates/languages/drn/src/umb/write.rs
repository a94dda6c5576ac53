//! From a table to an archive.

use super::archive::Archive;
use super::index::{Annotation, Counts, FileData, Index, Time, Type, VERSION};
use super::numbers::{Form, packed_bits, packed_words};
use super::valuations;
use crate::table::{Choice, Table};
use entail_markov::{Kind, Rational};
use std::collections::BTreeMap;

/// Writes a table as an archive. Numbers are doubles where these are read again as they are, otherwise fractions.
pub fn write_umb(table: &Table) -> Result<Vec<u8>, String> {
    let mut archive = Archive::default();
    let choices: Vec<&Choice> = table.states.iter().flat_map(|state| &state.choices).collect();
    let borders = |counts: &mut dyn Iterator<Item = usize>| {
        let mut sum = 0;
        let ends = counts.map(|count| {
            sum += count as u64;
            sum
        });
        packed_words(std::iter::once(0).chain(ends))
    };
    let of_states = borders(&mut table.states.iter().map(|state| state.choices.len()));
    let of_choices = borders(&mut choices.iter().map(|choice| choice.outcomes.len()));
    archive.put("state-to-choices.bin", of_states);
    archive.put("choice-to-branches.bin", of_choices);
    archive.put(
        "state-is-initial.bin",
        packed_bits(table.states.len(), &table.initial),
    );
    let targets = choices.iter().flat_map(|choice| &choice.outcomes);
    archive.put(
        "branch-to-target.bin",
        packed_words(targets.map(|outcome| u64::from(outcome.target))),
    );
    let weights: Vec<Rational> = choices
        .iter()
        .flat_map(|choice| shares(table.kind, choice))
        .collect();
    let probability = numbers(&mut archive, "branch-to-probability.bin", &weights)?;
    let rate = exit_rates(&mut archive, table)?;
    let actions = actions(&mut archive, table, &choices);
    let mut annotations = BTreeMap::new();
    let labels = labels(&mut archive, table);
    let rewards = rewards(&mut archive, table, &choices)?;
    for (group, named) in [("aps", labels), ("rewards", rewards)] {
        if !named.is_empty() {
            annotations.insert(group.to_owned(), named);
        }
    }
    let mut of_variables = BTreeMap::new();
    if !table.variables.is_empty() {
        let (valuation, content) = valuations::write(&table.variables, table.states.len());
        archive.put("valuations/states/valuations.bin", content);
        of_variables.insert("states".to_owned(), valuation);
    }
    let index = Index {
        format_version: VERSION,
        format_revision: 0,
        file_data: Some(FileData {
            tool: Some("Entail".to_owned()),
            tool_version: Some(env!("CARGO_PKG_VERSION").to_owned()),
        }),
        transition_system: Counts {
            time: match table.kind {
                Kind::Dtmc | Kind::Mdp => Time::Discrete,
                Kind::Ctmc => Time::Stochastic,
                Kind::Ma => Time::UrgentStochastic,
            },
            players: u32::from(table.kind.has_choices()),
            states: table.states.len() as u64,
            initial_states: table.initial.len() as u64,
            choices: choices.len() as u64,
            choice_actions: actions,
            branches: weights.len() as u64,
            branch_actions: 0,
            observations: 0,
            probability: (!weights.is_empty()).then_some(probability),
            rate,
        },
        annotations,
        valuations: of_variables,
    };
    let text = serde_json::to_string_pretty(&index).map_err(|error| error.to_string())?;
    archive.put("index.json", text.into_bytes());
    archive.pack()
}

/// The rate with which a state is left by a choice that takes time.
fn rate_of(kind: Kind, choice: &Choice) -> Option<Rational> {
    match (&choice.rate, kind) {
        (Some(rate), Kind::Ctmc) => Some(rate * total(choice)),
        (Some(rate), _) => Some(rate.clone()),
        (None, Kind::Ctmc) => Some(total(choice)),
        _ => None,
    }
}

fn total(choice: &Choice) -> Rational {
    (choice.outcomes.iter()).fold(Rational::ZERO, |sum, outcome| sum + &outcome.weight)
}

/// The probabilities of outcomes; rates of chains are divided by their sum.
fn shares(kind: Kind, choice: &Choice) -> Vec<Rational> {
    let total = match kind {
        Kind::Ctmc => total(choice),
        _ => Rational::ONE,
    };
    (choice.outcomes.iter())
        .map(|outcome| match total.is_zero() {
            true => Rational::ZERO,
            false => &outcome.weight / &total,
        })
        .collect()
}

/// Adds a file of numbers in the form that fits, and names their type.
fn numbers(archive: &mut Archive, name: &str, numbers: &[Rational]) -> Result<Type, String> {
    let form = Form::fitting(numbers.iter())?;
    put_numbers(archive, name, numbers, form);
    Ok(form.to_type())
}

fn put_numbers(archive: &mut Archive, name: &str, numbers: &[Rational], form: Form) {
    let mut content = Vec::new();
    for number in numbers {
        form.write(number, &mut content);
    }
    archive.put(name, content);
}

fn exit_rates(archive: &mut Archive, table: &Table) -> Result<Option<Type>, String> {
    if !table.kind.is_timed() {
        return Ok(None);
    }
    let rate = |choices: &[Choice]| choices.first().and_then(|choice| rate_of(table.kind, choice));
    let rates: Vec<Option<Rational>> = (table.states.iter()).map(|state| rate(&state.choices)).collect();
    if table.kind == Kind::Ma {
        let timed: Vec<u32> = (0u32..)
            .zip(&rates)
            .filter_map(|(state, rate)| rate.as_ref().map(|_| state))
            .collect();
        archive.put("state-is-markovian.bin", packed_bits(rates.len(), &timed));
    }
    let rates: Vec<Rational> = rates.into_iter().map(Option::unwrap_or_default).collect();
    numbers(archive, "state-to-exit-rate.bin", &rates).map(Some)
}

/// Adds the actions of choices; how many there are. The first has no name, if some choice has none.
fn actions(archive: &mut Archive, table: &Table, choices: &[&Choice]) -> u32 {
    if choices.iter().all(|choice| choice.action.is_none()) {
        return 0;
    }
    let unnamed = choices.iter().any(|choice| choice.action.is_none());
    let names: Vec<&str> = (unnamed.then_some(""))
        .into_iter()
        .chain(table.actions.iter().map(String::as_str))
        .collect();
    let value = |choice: &&Choice| match choice.action {
        Some(action) => action + u32::from(unnamed),
        None => 0,
    };
    let values = choices.iter().map(value).flat_map(u32::to_le_bytes);
    archive.put("actions/choices/values.bin", values.collect());
    let mut end = 0;
    let ends = names.iter().map(|name| {
        end += name.len() as u64;
        end
    });
    let mapping = packed_words(std::iter::once(0).chain(ends));
    archive.put("actions/choices/string-mapping.bin", mapping);
    archive.put("actions/choices/strings.bin", names.concat().into_bytes());
    names.len() as u32
}

/// A name for files, different for each position: letters and digits of the name, with the position where something had to be left out.
fn key(name: &str, position: usize) -> String {
    let plain: String = name
        .chars()
        .filter(|letter| letter.is_ascii_alphanumeric() || *letter == '_' || *letter == '-')
        .collect();
    match plain == name && !name.is_empty() {
        true => plain,
        false => format!("{plain}.{position}"),
    }
}

fn annotation(name: &str, applies_to: &[&str], of: Type) -> Annotation {
    Annotation {
        alias: Some(name.to_owned()),
        applies_to: applies_to.iter().map(|part| (*part).to_owned()).collect(),
        of,
    }
}

fn labels(archive: &mut Archive, table: &Table) -> BTreeMap<String, Annotation> {
    let mut named = BTreeMap::new();
    for (position, (name, states)) in table.labels.iter().enumerate() {
        let key = key(name, position);
        let bits = packed_bits(table.states.len(), states);
        archive.put(format!("annotations/aps/{key}/states/values.bin"), bits);
        let of = Type {
            name: "bool".to_owned(),
            size: Some(1),
        };
        named.insert(key, annotation(name, &["states"], of));
    }
    named
}

fn rewards(
    archive: &mut Archive,
    table: &Table,
    choices: &[&Choice],
) -> Result<BTreeMap<String, Annotation>, String> {
    let mut named = BTreeMap::new();
    for (structure, (name, earning)) in table.rewards.iter().enumerate() {
        let name = name.clone().unwrap_or_else(|| format!("reward{}", structure + 1));
        let key = key(&name, structure);
        let mut of_states = vec![Rational::ZERO; table.states.len()];
        for (state, reward) in earning {
            of_states[*state as usize] = reward.clone();
        }
        let mut of_branches = Vec::new();
        for choice in choices {
            let begin = of_branches.len();
            of_branches.resize(begin + choice.outcomes.len(), Rational::ZERO);
            for (of, outcome, reward) in &choice.earned {
                if *of == structure {
                    of_branches[begin + outcome] += reward;
                }
            }
        }
        // What all outcomes of a choice earn is a reward of the choice, which more tools understand.
        let mut of_choices = Vec::with_capacity(choices.len());
        let mut begin = 0;
        for choice in choices {
            let own = &of_branches[begin..begin + choice.outcomes.len()];
            let same = own.windows(2).all(|pair| pair[0] == pair[1]);
            of_choices.push(same.then(|| own.first().cloned().unwrap_or_default()));
            begin += choice.outcomes.len();
        }
        let of_choices: Option<Vec<Rational>> = of_choices.into_iter().collect();
        let (part, steps) = match of_choices {
            Some(of_choices) => ("choices", of_choices),
            None => ("branches", of_branches),
        };
        let form = Form::fitting(of_states.iter().chain(&steps))?;
        let mut applies_to = Vec::new();
        for (part, values) in [("states", of_states), (part, steps)] {
            if part != "states" && values.iter().all(Rational::is_zero) {
                continue;
            }
            let path = format!("annotations/rewards/{key}/{part}/values.bin");
            put_numbers(archive, &path, &values, form);
            applies_to.push(part);
        }
        named.insert(key, annotation(&name, &applies_to, form.to_type()));
    }
    Ok(named)
}
