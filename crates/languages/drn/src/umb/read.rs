//! From an archive to a table.

use super::archive::Archive;
use super::index::{Annotation, Counts, Index, Time, VERSION};
use super::numbers::{Form, bits, long_words, words};
use super::valuations;
use crate::table::{Choice, Outcome, State, Table};
use entail_markov::{Kind, Rational};
use entail_source::{Diagnostic, MOST_BYTES, Span};
use std::collections::HashMap;

/// A model that was read from an archive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Umb {
    /// The model.
    pub table: Table,
    /// The text of the archive's index.
    pub index: String,
}

/// Reads an archive.
pub fn read_umb(bytes: &[u8]) -> Result<Umb, Diagnostic> {
    let wrong =
        |message: String| Diagnostic::error("umb::archive", message, Span::new(0, 0), "in this archive");
    let archive = Archive::unpack(bytes, MOST_BYTES).map_err(wrong)?;
    let index = archive.needed("index.json").map_err(wrong)?;
    let text = String::from_utf8_lossy(index).into_owned();
    let index: Index =
        serde_json::from_str(&text).map_err(|error| wrong(format!("`index.json` is wrong: {error}")))?;
    let table = Reader::new(&archive, &index)
        .and_then(Reader::table)
        .map_err(wrong)?;
    Ok(Umb {
        table: table.checked()?,
        index: text,
    })
}

struct Reader<'a> {
    archive: &'a Archive,
    index: &'a Index,
    kind: Kind,
    states: usize,
    choices: usize,
    branches: usize,
}

fn kind_of(counts: &Counts) -> Result<Kind, String> {
    let refused = |what: &str| Err(format!("{what} are not supported"));
    if counts.observations > 0 {
        return refused("observations (partially observable models)");
    }
    match (counts.time, counts.players) {
        (Time::Discrete, 0) => Ok(Kind::Dtmc),
        (Time::Discrete, 1) => Ok(Kind::Mdp),
        (Time::Stochastic, 0) => Ok(Kind::Ctmc),
        (Time::UrgentStochastic, 0 | 1) => Ok(Kind::Ma),
        (Time::Stochastic, 1) => refused("continuous-time decision processes in UMB files"),
        _ => refused("games with several players"),
    }
}

impl<'a> Reader<'a> {
    fn new(archive: &'a Archive, index: &'a Index) -> Result<Reader<'a>, String> {
        if index.format_version != VERSION {
            let found = index.format_version;
            return Err(format!(
                "version {found} of the format is not supported: {VERSION} is"
            ));
        }
        let counts = &index.transition_system;
        let size = |count: u64, what: &str| match u32::try_from(count) {
            Ok(count) if count < u32::MAX => Ok(count as usize),
            _ => Err(format!("{count} {what} are too many")),
        };
        Ok(Reader {
            archive,
            index,
            kind: kind_of(counts)?,
            states: size(counts.states, "states")?,
            choices: size(counts.choices, "choices")?,
            branches: size(counts.branches, "branches")?,
        })
    }

    /// Where the parts of each of some things begin, and one past the last; one part each, if there is no such file.
    fn borders(&self, name: &str, things: usize, parts: usize) -> Result<Vec<usize>, String> {
        let Some(content) = self.archive.get(name) else {
            return match things == parts {
                true => Ok((0..=things).collect()),
                false => Err(format!("the archive has no file `{name}`")),
            };
        };
        let borders = long_words(name, content, things + 1)?;
        let ordered = borders.windows(2).all(|pair| pair[0] <= pair[1]);
        if !ordered || borders.first() != Some(&0) || borders.last() != Some(&(parts as u64)) {
            return Err(format!("`{name}` does not go from 0 up to {parts}"));
        }
        Ok(borders.into_iter().map(|border| border as usize).collect())
    }

    fn table(self) -> Result<Table, String> {
        let mut table = Table::empty(self.kind);
        table.initial = bits(
            "state-is-initial.bin",
            self.archive.needed("state-is-initial.bin")?,
            self.states,
        )?;
        if table.initial.is_empty() {
            return Err("no state is initial".to_owned());
        }
        if table.initial.len() as u64 != self.index.transition_system.initial_states {
            return Err(format!(
                "{} states are initial, and the index says {}",
                table.initial.len(),
                self.index.transition_system.initial_states
            ));
        }
        // From the branches up: what a missing file stands for is never longer than a file that was there.
        let outcomes = self.outcomes()?;
        let of_choices = self.borders("choice-to-branches.bin", self.choices, self.branches)?;
        let of_states = self.borders("state-to-choices.bin", self.states, self.choices)?;
        let rates = self.rates()?;
        let actions = self.actions(&mut table)?;
        for state in 0..self.states {
            let choices = of_states[state]..of_states[state + 1];
            let alone = !self.kind.has_choices() || rates[state].is_some();
            if alone && choices.len() > 1 {
                return Err(format!(
                    "state {state} has {} choices, and nobody chooses in it",
                    choices.len()
                ));
            }
            let choice = |at: usize| Choice {
                action: actions[at].filter(|_| rates[state].is_none()),
                rate: rates[state].clone(),
                outcomes: outcomes[of_choices[at]..of_choices[at + 1]].to_vec(),
                earned: Vec::new(),
            };
            let choices: Vec<Choice> = choices.map(choice).collect();
            if choices.iter().any(|choice| choice.outcomes.is_empty()) {
                return Err(format!("state {state} has a choice without branches"));
            }
            table.states.push(State {
                choices,
                place: Span::new(0, 0),
            });
        }
        self.labels(&mut table)?;
        self.rewards(&mut table, &of_states, &of_choices)?;
        if let Some(valuation) = self.index.valuations.get("states") {
            let content = self.archive.needed("valuations/states/valuations.bin")?;
            table.variables = valuations::read(valuation, content, self.states)?;
        }
        Ok(table)
    }

    fn outcomes(&self) -> Result<Vec<Outcome>, String> {
        if self.branches == 0 {
            return Ok(Vec::new());
        }
        let name = "branch-to-target.bin";
        let targets = long_words(name, self.archive.needed(name)?, self.branches)?;
        let weights = match &self.index.transition_system.probability {
            Some(of) => {
                let name = "branch-to-probability.bin";
                Form::of(of)?.read(name, self.archive.needed(name)?, self.branches)?
            }
            None if self.branches == self.choices => vec![Rational::ONE; self.branches],
            None => {
                return Err(
                    "choices with several branches without probabilities are not supported".to_owned(),
                );
            }
        };
        (targets.into_iter().zip(weights))
            .map(|(target, weight)| match u32::try_from(target) {
                Ok(target) => Ok(Outcome { target, weight }),
                Err(_) => Err(format!("there is no state {target}")),
            })
            .collect()
    }

    /// The exit rates of states that are left after a random time.
    fn rates(&self) -> Result<Vec<Option<Rational>>, String> {
        if !self.kind.is_timed() {
            return Ok(vec![None; self.states]);
        }
        let Some(of) = &self.index.transition_system.rate else {
            return Err("the index gives no type of exit rates".to_owned());
        };
        let name = "state-to-exit-rate.bin";
        let rates = Form::of(of)?.read(name, self.archive.needed(name)?, self.states)?;
        let mut timed = vec![true; self.states];
        let name = "state-is-markovian.bin";
        if let (Kind::Ma, Some(content)) = (self.kind, self.archive.get(name)) {
            timed.fill(false);
            for state in bits(name, content, self.states)? {
                timed[state as usize] = true;
            }
        }
        if let Some(state) = rates.iter().position(|rate| *rate < Rational::ZERO) {
            return Err(format!("state {state} has a negative exit rate"));
        }
        let timed = rates.into_iter().zip(timed);
        Ok(timed.map(|(rate, timed)| timed.then_some(rate)).collect())
    }

    /// The actions of choices; those without a name are none.
    fn actions(&self, table: &mut Table) -> Result<Vec<Option<u32>>, String> {
        let count = self.index.transition_system.choice_actions as usize;
        let path = "actions/choices";
        let strings = format!("{path}/strings.bin");
        let mapping = format!("{path}/string-mapping.bin");
        if count == 0 || !self.kind.has_choices() || self.archive.get(&mapping).is_none() {
            return Ok(vec![None; self.choices]);
        }
        let letters = self.archive.needed(&strings)?;
        let borders = long_words(&mapping, self.archive.needed(&mapping)?, count + 1)?;
        let mut known = HashMap::new();
        let mut names = Vec::with_capacity(count);
        for pair in borders.windows(2) {
            let part = usize::try_from(pair[0]).ok().zip(usize::try_from(pair[1]).ok());
            let name = part
                .and_then(|(from, to)| letters.get(from..to))
                .and_then(|name| std::str::from_utf8(name).ok())
                .ok_or_else(|| format!("`{mapping}` does not cut `{strings}` into names"))?;
            names.push(match name.is_empty() {
                true => None,
                false => Some(table.action(&mut known, name)),
            });
        }
        let values = format!("{path}/values.bin");
        let of_choices = match self.archive.get(&values) {
            Some(content) => words(&values, content, self.choices)?,
            None => vec![0; self.choices],
        };
        (of_choices.into_iter())
            .map(|action| match names.get(action as usize) {
                Some(name) => Ok(*name),
                None => Err(format!("`{values}` names action {action}, and there are {count}")),
            })
            .collect()
    }

    fn labels(&self, table: &mut Table) -> Result<(), String> {
        for (key, annotation) in self.index.annotations.get("aps").into_iter().flatten() {
            let name = annotation.alias.as_ref().unwrap_or(key);
            let about_states = annotation.applies_to.iter().any(|part| part == "states");
            // What these two names mean is not for a file to say.
            if !about_states || annotation.of.name != "bool" || name == "init" || name == "deadlock" {
                continue;
            }
            let path = format!("annotations/aps/{key}/states/values.bin");
            let states = bits(&path, self.archive.needed(&path)?, self.states)?;
            table.labels.push((name.clone(), states));
        }
        Ok(())
    }

    fn rewards(&self, table: &mut Table, of_states: &[usize], of_choices: &[usize]) -> Result<(), String> {
        for (key, annotation) in self.index.annotations.get("rewards").into_iter().flatten() {
            let structure = table.rewards.len();
            let name = annotation.alias.as_ref().unwrap_or(key);
            table.rewards.push((Some(name.clone()), Vec::new()));
            if let Some(values) = self.earned(key, annotation, "states", self.states)? {
                let earning = (0u32..).zip(values).filter(|(_, reward)| !reward.is_zero());
                table.rewards[structure].1 = earning.collect();
            }
            let by_choice = self.earned(key, annotation, "choices", self.choices)?;
            let by_branch = self.earned(key, annotation, "branches", self.branches)?;
            for (state, borders) in of_states.windows(2).enumerate() {
                for (position, choice) in (borders[0]..borders[1]).enumerate() {
                    let earned = &mut table.states[state].choices[position].earned;
                    for (outcome, branch) in (of_choices[choice]..of_choices[choice + 1]).enumerate() {
                        let of_choice = by_choice.as_ref().map(|values| &values[choice]);
                        let of_branch = by_branch.as_ref().map(|values| &values[branch]);
                        for reward in of_choice.into_iter().chain(of_branch) {
                            if !reward.is_zero() {
                                earned.push((structure, outcome, reward.clone()));
                            }
                        }
                    }
                }
            }
        }
        Ok(())
    }

    fn earned(
        &self,
        key: &str,
        annotation: &Annotation,
        part: &str,
        count: usize,
    ) -> Result<Option<Vec<Rational>>, String> {
        if annotation.applies_to.iter().all(|known| known != part) {
            return Ok(None);
        }
        let path = format!("annotations/rewards/{key}/{part}/values.bin");
        let content = self.archive.needed(&path)?;
        Form::of(&annotation.of)?.read(&path, content, count).map(Some)
    }
}
