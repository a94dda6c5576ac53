//! Options that only some kinds of systems understand: declared as data, so that the command line, its help, and the refusal of options
//! where they mean nothing are made from one list.

use crate::Usage;
use std::collections::BTreeMap;

/// A command that takes options of families.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command {
    /// `entail check`
    Check,
    /// `entail simulate`
    Simulate,
    /// `entail synth`
    Synth,
    /// `entail certify`
    Certify,
    /// `entail convert`, `minimize`, `compare`, `compose`: what lists the states of a model.
    Structure,
}

/// Whether the value of an option has the right form, or what is wrong with it.
pub type ValueCheck = fn(&str) -> Result<(), String>;

/// An option.
#[derive(Clone, Copy, Debug)]
pub struct OptionSpec {
    /// Its long name, without dashes.
    pub name: &'static str,
    /// Its short name.
    pub short: Option<char>,
    /// What its value is called in help; nothing for a switch.
    pub value: Option<&'static str>,
    /// The values it can have, each with a line of help; none if they are free.
    pub choices: &'static [(&'static str, &'static str)],
    /// Whether it may be given several times.
    pub repeats: bool,
    /// One line of help.
    pub help: &'static str,
    /// The commands that take it.
    pub commands: &'static [Command],
    /// The engines it is for; none: all of the family.
    pub engines: &'static [&'static str],
    /// Other options that it cannot be given with.
    pub conflicts: &'static [&'static str],
    /// Checks the value's form, so that a mistake is told before anything is read.
    pub check: Option<ValueCheck>,
}

impl OptionSpec {
    /// A switch of `entail check`.
    pub const fn switch(name: &'static str, help: &'static str) -> OptionSpec {
        OptionSpec {
            name,
            short: None,
            value: None,
            choices: &[],
            repeats: false,
            help,
            commands: &[Command::Check],
            engines: &[],
            conflicts: &[],
            check: None,
        }
    }

    /// An option of `entail check` with a value.
    pub const fn with_value(name: &'static str, value: &'static str, help: &'static str) -> OptionSpec {
        OptionSpec {
            value: Some(value),
            ..OptionSpec::switch(name, help)
        }
    }

    /// An option of `entail check` whose value is a number.
    pub const fn number(name: &'static str, help: &'static str) -> OptionSpec {
        fn is_number(text: &str) -> Result<(), String> {
            let read = text.parse::<u64>();
            read.map(drop)
                .map_err(|_| "a number from 0 on is needed".to_owned())
        }
        OptionSpec::with_value(name, "N", help).checked(is_number)
    }

    /// An option of `entail check` with one of some values.
    pub const fn choice(
        name: &'static str,
        choices: &'static [(&'static str, &'static str)],
        help: &'static str,
    ) -> OptionSpec {
        OptionSpec {
            value: Some("HOW"),
            choices,
            ..OptionSpec::switch(name, help)
        }
    }

    /// The same for these commands.
    pub const fn of(self, commands: &'static [Command]) -> OptionSpec {
        OptionSpec { commands, ..self }
    }

    /// The same for these engines only.
    pub const fn for_engines(self, engines: &'static [&'static str]) -> OptionSpec {
        OptionSpec { engines, ..self }
    }

    /// The same, not together with these.
    pub const fn not_with(self, conflicts: &'static [&'static str]) -> OptionSpec {
        OptionSpec { conflicts, ..self }
    }

    /// The same with a short name.
    pub const fn short(self, short: char) -> OptionSpec {
        OptionSpec {
            short: Some(short),
            ..self
        }
    }

    /// The same, several times if the user likes.
    pub const fn repeated(self) -> OptionSpec {
        OptionSpec {
            repeats: true,
            ..self
        }
    }

    /// The same with a check of the value's form.
    pub const fn checked(self, check: ValueCheck) -> OptionSpec {
        OptionSpec {
            check: Some(check),
            ..self
        }
    }
}

/// The options that were given, by name, with their values (a switch has an empty one).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options(BTreeMap<String, Vec<String>>);

impl Options {
    /// Adds a value.
    pub fn give(&mut self, name: &str, value: impl Into<String>) {
        self.0.entry(name.to_owned()).or_default().push(value.into());
    }

    /// Whether an option was given.
    pub fn has(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// Its value, the last one if there are several.
    pub fn value(&self, name: &str) -> Option<&str> {
        self.0.get(name)?.last().map(String::as_str)
    }

    /// All its values.
    pub fn values(&self, name: &str) -> &[String] {
        self.0.get(name).map_or(&[], Vec::as_slice)
    }

    /// Its value, read.
    pub fn parsed<T>(
        &self,
        name: &str,
        read: impl FnOnce(&str) -> Result<T, String>,
    ) -> Result<Option<T>, Usage> {
        let read = |text: &str| read(text).map_err(|problem| Usage(format!("--{name} {text}: {problem}")));
        self.value(name).map(read).transpose()
    }

    /// Its value as a number; nothing if it was not given, or is none (which [`OptionSpec::number`] has excluded).
    pub fn number(&self, name: &str) -> Option<u64> {
        self.value(name)?.parse().ok()
    }

    /// The parts of all its values between commas; commas inside brackets or quotes do not separate.
    pub fn parts(&self, name: &str) -> Vec<String> {
        let mut parts = Vec::new();
        for text in self.values(name) {
            let (mut depth, mut quoted) = (0u32, false);
            let mut part = String::new();
            for letter in text.chars() {
                match letter {
                    '"' => quoted = !quoted,
                    '(' | '[' | '{' if !quoted => depth += 1,
                    ')' | ']' | '}' if !quoted => depth = depth.saturating_sub(1),
                    _ => {}
                }
                if letter == ',' && depth == 0 && !quoted {
                    parts.push(std::mem::take(&mut part));
                } else {
                    part.push(letter);
                }
            }
            parts.push(part);
        }
        (parts.iter().map(|part| part.trim().to_owned()))
            .filter(|part| !part.is_empty())
            .collect()
    }

    /// The same without an option.
    pub fn without(&self, name: &str) -> Options {
        let mut others = self.clone();
        others.0.remove(name);
        others
    }

    /// All options with their values.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &[String])> {
        self.0
            .iter()
            .map(|(name, values)| (name.as_str(), values.as_slice()))
    }
}

/// Options that several families share; each names those it understands.
pub mod standard {
    use super::{Command, OptionSpec};

    fn count(text: &str) -> Result<(), String> {
        match text.parse::<usize>() {
            Ok(1..) => Ok(()),
            _ => Err("a number from 1 on is needed".to_owned()),
        }
    }

    fn steps(text: &str) -> Result<(), String> {
        text.parse::<u64>()
            .map(|_| ())
            .map_err(|_| "a number of steps is needed".to_owned())
    }

    /// `--threads N`
    pub const THREADS: OptionSpec =
        OptionSpec::with_value("threads", "N", "Threads an engine may use").checked(count);

    /// `--search ORDER`
    pub const SEARCH: OptionSpec = OptionSpec::choice(
        "search",
        &[
            ("bfs", "all states, breadth first: violating runs are short"),
            ("dfs", "all states, depth first"),
            (
                "random",
                "no search of all states: random paths, which find violations and prove nothing",
            ),
        ],
        "How states are searched for safety",
    );

    /// `--storage HOW`
    pub const STORAGE: OptionSpec = OptionSpec::with_value(
        "storage",
        "HOW",
        "How states are stored: exact, tree, disk[:FOLDER], hash-compact[:BITS], bitstate[:SIZE]; by default exact, tree when memory gets short, then disk",
    );

    /// `--walks N`
    pub const WALKS: OptionSpec = OptionSpec::with_value(
        "walks",
        "N[xSTEPS]",
        "So many random paths, of at most so many steps, with --search random; by default 10000x10000",
    );

    /// `--checkpoint FILE`
    pub const CHECKPOINT: OptionSpec = OptionSpec::with_value(
        "checkpoint",
        "FILE",
        "Save a breadth-first search for safety in this file on the way, to go on with it later",
    );

    /// `--checkpoint-every TIME`
    pub const CHECKPOINT_EVERY: OptionSpec = OptionSpec::with_value(
        "checkpoint-every",
        "TIME",
        "After how much time it is saved again; by default 5m",
    );

    /// `--resume FILE`
    pub const RESUME: OptionSpec = OptionSpec::with_value(
        "resume",
        "FILE",
        "Go on with a search that was saved with --checkpoint; it is saved in the same file unless that names another",
    );

    /// `--bound K`
    pub const BOUND: OptionSpec =
        OptionSpec::with_value("bound", "K", "Look only at paths of at most so many steps").checked(steps);

    /// `--dead-ends HOW`
    pub const DEAD_ENDS: OptionSpec = OptionSpec::choice(
        "dead-ends",
        &[
            ("infinite", "only infinite paths count"),
            ("maximal", "a path may end in a dead end"),
            ("stutter", "a dead end repeats for ever"),
            ("error", "a dead end is an error of the model"),
        ],
        "What a state without successors means; the default is what the model's language says",
    );

    /// `--define NAME=TEXT`, for languages with a preprocessor
    pub const DEFINE: OptionSpec = OptionSpec::with_value(
        "define",
        "NAME=TEXT",
        "Define a macro (N=4, or N for 1) for the preprocessor",
    )
    .short('D')
    .repeated()
    .of(READING);

    /// `--include DIR`, for languages with a preprocessor
    pub const INCLUDE: OptionSpec =
        OptionSpec::with_value("include", "DIR", "Look for included files in this folder, too")
            .short('I')
            .repeated()
            .of(READING);

    /// Commands that read a model.
    pub const READING: &[Command] = &[
        Command::Check,
        Command::Simulate,
        Command::Certify,
        Command::Structure,
    ];

    /// `--tau HOW`
    pub const TAU: OptionSpec = OptionSpec::choice(
        "tau",
        &[
            ("either", "i and tau; tau is written"),
            ("i", "i, as in CADP"),
            ("tau", "tau, as in mCRL2"),
        ],
        "Which label of .aut files is the hidden action",
    )
    .of(&[Command::Structure]);

    /// `--observe EXPRESSIONS`
    pub const OBSERVE: OptionSpec = OptionSpec::with_value(
        "observe",
        "EXPRESSIONS",
        "What is seen of states, separated by commas; by default the atoms of the properties",
    )
    .of(&[Command::Structure])
    .repeated();
}
