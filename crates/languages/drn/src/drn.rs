//! Storm's DRN ("direct encoding"): a header, then each state with its rewards, labels, choices and transitions, a line each.
//!
//! ```text
//! @type: MDP
//! @reward_models
//! steps
//! @nr_states
//! 2
//! @model
//! state 0 [1] init
//!     action go [0]
//!         0 : 0.5
//!         1 : 1/2
//! state 1 [0] done
//!     action stay
//!         1 : 1
//! ```
//! In timed models a state has its exit rate, `!3`. Transitions of continuous-time chains are rates; those of Markov automata are probabilities,
//! and the first choice of a state whose exit rate is not zero is the one that takes time. Placeholders (`$p`) stand for numbers.

use crate::table::{Choice, Outcome, State, Table};
use crate::words::{Read, Word, lines};
use entail_markov::{Kind, Rational};
use entail_source::Diagnostic;
use std::collections::HashMap;

/// What the header says.
#[derive(Default)]
struct Header<'t> {
    kind: Option<Kind>,
    rewards: Vec<&'t str>,
    states: Option<(u32, Word<'t>)>,
    choices: Option<(u32, Word<'t>)>,
    placeholders: HashMap<&'t str, Rational>,
}

/// Names of choices without one.
const UNNAMED: &[&str] = &["__NOLABEL__", "_"];

struct Reader<'t> {
    header: Header<'t>,
    table: Table,
    actions: HashMap<String, u32>,
    labels: HashMap<&'t str, Vec<u32>>,
    /// Labels in the order in which they were first met.
    order: Vec<&'t str>,
    /// The exit rate of the state being read, if it has one.
    rate: Option<Rational>,
    /// The exit rates of all states that have one.
    rates: Vec<(usize, Rational)>,
    choices: u32,
}

/// Reads a DRN file.
pub fn read_drn(text: &str) -> Result<Table, Diagnostic> {
    read(text).map_err(|problem| problem.within(text))
}

fn read(text: &str) -> Read<Table> {
    let end = Word {
        text: "",
        span: entail_source::Span::new(text.len(), text.len()),
    };
    let mut all = lines(text, &["//"]).peekable();
    let mut header = Header::default();
    loop {
        let Some(line) = all.next() else {
            return Err(end.wrong("`@model` is missing"));
        };
        if line.text == "@model" {
            break;
        }
        let mut next = || {
            let ends = all.peek().is_none_or(|line| line.text.starts_with('@'));
            if ends { None } else { all.next() }
        };
        if let Some(kind) = line.after("@type:") {
            header.kind = Some(kind_of(kind.trim())?);
        } else if let Some(value) = line.after("@value_type:") {
            let value = value.trim();
            if !matches!(
                value.text,
                "double" | "rational" | "double-interval" | "rational-interval"
            ) {
                return Err(value.wrong(format!(
                    "models with values of type {} are not supported",
                    value.text
                )));
            }
        } else {
            match line.text {
                "@parameters" => {
                    if let Some(names) = next() {
                        return Err(names.wrong("models with parameters are not supported"));
                    }
                }
                "@placeholders" => {
                    while let Some(entry) = next() {
                        let (name, value) = (entry.split(":"))
                            .ok_or_else(|| entry.wrong("a placeholder is written `$name : number`"))?;
                        let name = (name.trim().text.strip_prefix('$'))
                            .ok_or_else(|| name.wrong("the name of a placeholder begins with `$`"))?;
                        header.placeholders.insert(name, value.trim().number()?);
                    }
                }
                "@reward_models" => header
                    .rewards
                    .extend(next().iter().flat_map(|line| line.words()).map(|word| word.text)),
                "@nr_states" | "@nr_choices" => {
                    let count = next().ok_or_else(|| line.wrong("a number is expected in the next line"))?;
                    let place = match line.text {
                        "@nr_states" => &mut header.states,
                        _ => &mut header.choices,
                    };
                    *place = Some((count.count()?, count));
                }
                _ => return Err(line.wrong("this is not a part of a DRN header")),
            }
        }
    }
    let kind = (header.kind).ok_or_else(|| end.wrong("`@type:` is missing before `@model`"))?;
    let mut reader = Reader {
        table: Table::empty(kind),
        header,
        actions: HashMap::new(),
        labels: HashMap::new(),
        order: Vec::new(),
        rate: None,
        rates: Vec::new(),
        choices: 0,
    };
    let names = reader.header.rewards.iter();
    reader.table.rewards = names.map(|&name| (Some(name.to_owned()), Vec::new())).collect();
    for line in all {
        reader.line(line)?;
    }
    reader.finish(end)
}

fn kind_of(word: Word<'_>) -> Read<Kind> {
    match word.text.to_ascii_lowercase().as_str() {
        "dtmc" => Ok(Kind::Dtmc),
        "ctmc" => Ok(Kind::Ctmc),
        "mdp" => Ok(Kind::Mdp),
        "ma" | "markov automaton" => Ok(Kind::Ma),
        _ => Err(word
            .wrong(format!("models of type {} are not supported", word.text))
            .with_help("dtmc, ctmc, mdp and Markov Automaton are read")),
    }
}

/// A name that may be in quotation marks.
fn unquoted(text: &str) -> &str {
    (text.strip_prefix('"'))
        .and_then(|rest| rest.strip_suffix('"'))
        .unwrap_or(text)
}

impl<'t> Reader<'t> {
    fn line(&mut self, line: Word<'t>) -> Read<()> {
        let begins = |word: &str| {
            line.after(word)
                .filter(|rest| rest.text.starts_with(char::is_whitespace))
        };
        if let Some(rest) = begins("state") {
            return self.state(line, rest.trim());
        }
        if let Some(rest) = begins("action") {
            return self.action(line, rest.trim());
        }
        self.transition(line)
    }

    fn value(&self, word: Word<'t>) -> Read<Rational> {
        match word.text.strip_prefix('$') {
            Some(name) => (self.header.placeholders.get(name).cloned())
                .ok_or_else(|| word.wrong("this placeholder was not declared")),
            None if word.text.starts_with('[') => {
                Err(word.wrong("intervals of probabilities are not supported"))
            }
            None => word.number(),
        }
    }

    /// The numbers in brackets at the beginning, and what follows.
    fn rewards(&self, rest: Word<'t>) -> Read<(Vec<Rational>, Word<'t>)> {
        let Some(inside) = rest.after("[") else {
            return Ok((Vec::new(), rest));
        };
        let (inside, rest) = (inside.split("]")).ok_or_else(|| rest.wrong("a closing `]` is missing"))?;
        let mut found = Vec::new();
        for part in inside
            .parts(|letter| letter == ',')
            .map(Word::trim)
            .filter(|part| !part.text.is_empty())
        {
            found.push(self.value(part)?);
        }
        if found.len() > self.table.rewards.len() {
            return Err(inside.wrong(format!(
                "{} rewards, and {} reward models were named",
                found.len(),
                self.table.rewards.len()
            )));
        }
        Ok((found, rest.trim()))
    }

    fn state(&mut self, line: Word<'t>, rest: Word<'t>) -> Read<()> {
        let mut rest = rest;
        let number = rest
            .words()
            .next()
            .ok_or_else(|| line.wrong("the number of the state is missing"))?;
        let at = number.count()?;
        if at as usize != self.table.states.len() {
            return Err(number.wrong(format!("state {} is expected here", self.table.states.len())));
        }
        rest = rest.after(number.text).unwrap_or(rest).trim();
        self.rate = None;
        if let Some(rate) = rest.after("!") {
            let rate = rate
                .words()
                .next()
                .ok_or_else(|| rest.wrong("an exit rate is expected"))?;
            let value = self.value(rate)?;
            self.rates.push((at as usize, value.clone()));
            self.rate = Some(value);
            rest = rest
                .after("!")
                .and_then(|rest| rest.after(rate.text))
                .unwrap_or(rest)
                .trim();
        }
        let (rewards, mut rest) = self.rewards(rest)?;
        for (structure, reward) in rewards
            .into_iter()
            .enumerate()
            .filter(|(_, reward)| !reward.is_zero())
        {
            self.table.rewards[structure].1.push((at, reward));
        }
        if rest.text.starts_with('{') {
            return Err(rest.wrong("observations (partially observable models) are not supported"));
        }
        self.table.states.push(State {
            choices: Vec::new(),
            place: line.span,
        });
        while let Some(first) = rest.words().next() {
            let quoted = rest.after("\"").and_then(|inside| inside.split("\""));
            let (label, behind) = match quoted {
                Some((inside, behind)) => (inside, behind),
                None => (first, rest.after(first.text).unwrap_or(rest)),
            };
            rest = behind.trim();
            let name = label.text;
            if name == "init" {
                self.table.initial.push(at);
            } else if name != "deadlock" {
                let states = self.labels.entry(name).or_insert_with(|| {
                    self.order.push(name);
                    Vec::new()
                });
                if states.last() != Some(&at) {
                    states.push(at);
                }
            }
        }
        Ok(())
    }

    fn action(&mut self, line: Word<'t>, rest: Word<'t>) -> Read<()> {
        let name = rest
            .words()
            .next()
            .ok_or_else(|| line.wrong("the name of the choice is missing"))?;
        let (rewards, left) = self.rewards(rest.after(name.text).unwrap_or(rest).trim())?;
        if !left.text.is_empty() {
            return Err(left.wrong("nothing more is expected in this line"));
        }
        let kind = self.table.kind;
        let Some(position) = self.table.states.last().map(|state| state.choices.len()) else {
            return Err(line.wrong("a choice before the first state"));
        };
        if !kind.has_choices() && position > 0 {
            return Err(line.wrong("a state of a chain has one choice"));
        }
        // Numbers are positions, not names.
        let named = kind.has_choices() && !UNNAMED.contains(&name.text) && name.text.parse::<u32>().is_err();
        let action = match named {
            true => Some(self.table.action(&mut self.actions, unquoted(name.text))),
            false => None,
        };
        let rate = self
            .rate
            .clone()
            .filter(|rate| kind == Kind::Ma && position == 0 && !rate.is_zero());
        let earned = rewards
            .into_iter()
            .enumerate()
            .filter(|(_, reward)| !reward.is_zero());
        let choice = Choice {
            action: action.filter(|_| rate.is_none()),
            rate,
            outcomes: Vec::new(),
            // The outcomes are not known yet: they are filled in when the state ends.
            earned: earned.map(|(structure, reward)| (structure, 0, reward)).collect(),
        };
        self.choices += 1;
        if let Some(state) = self.table.states.last_mut() {
            state.choices.push(choice);
        }
        Ok(())
    }

    fn transition(&mut self, line: Word<'t>) -> Read<()> {
        let (target, weight) = (line.split(":")).ok_or_else(|| {
            line.wrong("a line `state …`, `action …` or `target : probability` is expected")
        })?;
        let outcome = Outcome {
            target: target.trim().count()?,
            weight: self.value(weight.trim())?,
        };
        let choice = (self.table.states.last_mut()).and_then(|state| state.choices.last_mut());
        match choice {
            Some(choice) => choice.outcomes.push(outcome),
            None => return Err(line.wrong("a transition before the first choice of a state")),
        }
        Ok(())
    }

    /// An error where the rates of a chain's state do not sum to its exit rate (nearly: files are rounded).
    fn rates_agree(&self) -> Read<()> {
        for (at, rate) in &self.rates {
            let state = &self.table.states[*at];
            let outcomes = state.choices.iter().flat_map(|choice| &choice.outcomes);
            let sum = outcomes.fold(Rational::ZERO, |sum, outcome| sum + &outcome.weight);
            let off = if &sum < rate { rate - &sum } else { &sum - rate };
            if off * Rational::from(10_000u32) > *rate {
                let message = format!("the rates of state {at} sum to {sum}, and its exit rate is {rate}");
                return Err(Diagnostic::error(
                    "explicit::rates",
                    message,
                    state.place,
                    "in this state",
                ));
            }
        }
        Ok(())
    }

    fn finish(mut self, end: Word<'t>) -> Read<Table> {
        for (said, found, what) in [
            (self.header.states, self.table.states.len(), "states"),
            (self.header.choices, self.choices as usize, "choices"),
        ] {
            if let Some((said, word)) = said
                && said as usize != found
            {
                return Err(word.wrong(format!("the header says {said} {what}, and there are {found}")));
            }
        }
        if self.table.initial.is_empty() {
            return Err(end.wrong("no state has the label `init`"));
        }
        if self.table.kind == Kind::Ctmc {
            self.rates_agree()?;
        }
        for state in &mut self.table.states {
            for choice in &mut state.choices {
                let of_choice = std::mem::take(&mut choice.earned);
                for (structure, _, reward) in of_choice {
                    let each = (0..choice.outcomes.len()).map(|outcome| (structure, outcome, reward.clone()));
                    choice.earned.extend(each);
                }
            }
            state.choices.retain(|choice| !choice.outcomes.is_empty());
        }
        for name in self.order {
            let states = self.labels.remove(name).unwrap_or_default();
            self.table.labels.push((name.to_owned(), states));
        }
        self.table.checked()
    }
}
