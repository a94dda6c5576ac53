//! `entail simulate`: a walk through the model, at random or chosen step by step.
//!
//! A walk can be saved, viewed, and continued with `--from`, at its end or at a step (`--at`).

use crate::Context;
use crate::arguments::Simulate;
use crate::choice::{Choice, MOST_AT_ONCE, ask};
use crate::failure::{CommandError, FAILS, HOLDS};
use crate::load::{Warnings, origin, read_text, show_warnings, write_text};
use crate::save::{extension, save_shown};
use crate::survey;
use crate::terminal::{self, note, print, print_json, text_options};
use entail_budget::{Budget, Silent};
use entail_evidence::json::sealed;
use entail_family::{Command, Model, SurveyWish, Walk};
use entail_report::saved::add_walk;
use entail_report::text::{self, TextOptions};
use rand::SeedableRng;
use rand::rngs::StdRng;
use serde_json::{Value as Json, json};
use std::path::Path;

/// So many choices are listed and offered at a step.
const MOST_CHOICES: usize = 1_000;

/// A state is shown on a line of so many letters.
const MOST_LETTERS: usize = 160;

const HELP: &str =
    "a number chooses a step; enter or r: a random one; r N: N random ones; g: on until there is a choice;
c CONDITION: only steps after which it is true; c: all steps again; f TEXT: list choices that contain it;
b: back; b N: N steps back; p: print the whole state; t: the walk so far;
s FILE: save the walk (.json, .vcd, .csv, .dot, .html, text, or a format of the field); q: quit
";

pub fn run(options: &Simulate, context: &Context) -> Result<u8, CommandError> {
    let budget = Budget::unlimited();
    let origin = origin(&options.model, options.language.as_deref());
    let loaded = context
        .table
        .load(&origin, Command::Simulate, &context.options, &budget)?;
    let mut loaded = loaded;
    for text in &options.spec {
        loaded.model.add_property(text, None)?;
    }
    let model = &*loaded.model;
    show_warnings(model, Warnings::Shown);
    let mut wanted = context.options.clone();
    if model.survey_wish(&wanted) != SurveyWish::None {
        wanted.give("seed", options.seed.to_string());
        if let Some(steps) = options.steps {
            wanted.give("steps", steps.to_string());
        }
        return survey::run(model, &wanted, options.json, true, &budget, &Silent);
    }
    if !options.spec.is_empty() {
        return Err(CommandError::usage("--spec goes with many runs: --samples N"));
    }
    let walk = match model.walk(&context.options) {
        None => {
            return Err(CommandError::usage(format!(
                "there are no walks through {}",
                loaded.family.name
            )));
        }
        Some(walk) => walk?,
    };
    let mut stroll = Stroll {
        model,
        digest: loaded.digest.to_string(),
        walk,
        random: StdRng::seed_from_u64(options.seed),
        look: text_options(&options.look),
        budget,
    };
    if let Some(path) = &options.from {
        stroll.resume(path)?;
        let steps = stroll.walk.steps();
        match options.at {
            Some(at) if at > steps => {
                let name = path.display();
                return Err(CommandError::usage(format!(
                    "{name} has no step {at}: its last is {steps}"
                )));
            }
            Some(at) => stroll.walk.back(steps - at),
            None => {}
        }
    }
    if let Some(condition) = &options.constraint {
        stroll
            .walk
            .constrain(Some(condition))
            .map_err(CommandError::usage)?;
    }
    let is_guided = stroll.walk.steps() > 0 && options.from.is_none();
    match options.steps.or(is_guided.then_some(0)) {
        Some(steps) => {
            stroll.begin_at_random()?;
            for _ in 0..steps {
                if !stroll.step_at_random() {
                    break;
                }
            }
            let can_go_on = stroll.can_go_on();
            let ending = stroll.ending(can_go_on);
            match options.json {
                true => {
                    print_json(&stroll.document());
                    let worth_telling = ending.iter().filter(|_| !can_go_on);
                    worth_telling.for_each(|line| note!("{line}"));
                }
                false => {
                    print(&stroll.shown());
                    ending.iter().for_each(|line| print(&format!("{line}\n")));
                }
            }
        }
        None => stroll.converse()?,
    }
    if let Some(path) = &options.trace {
        stroll.save(path)?;
    }
    Ok(match stroll.walk.has_failed() {
        true => FAILS,
        false => HOLDS,
    })
}

/// A state on a line; `p` prints all of it.
fn shortened(state: &str) -> String {
    let state = state.split_whitespace().collect::<Vec<_>>().join(" ");
    match state.char_indices().nth(MOST_LETTERS) {
        Some((end, _)) => format!("{} …", &state[..end]),
        None => state,
    }
}

/// A walk and the means to go on.
struct Stroll<'m> {
    model: &'m dyn Model,
    digest: String,
    walk: Box<dyn Walk + 'm>,
    random: StdRng,
    look: TextOptions,
    budget: Budget,
}

impl Stroll<'_> {
    /// Goes to an initial state, if the walk is nowhere yet.
    fn begin_at_random(&mut self) -> Result<(), CommandError> {
        match self.is_begun() || self.step_at_random() {
            true => Ok(()),
            false => Err(CommandError::input("the model has no initial state")),
        }
    }

    /// Goes to the end of a saved trace, if it is one of this model.
    fn resume(&mut self, path: &Path) -> Result<(), CommandError> {
        let wrong =
            |error: &dyn std::fmt::Display| CommandError::input(format!("{}: {error}", path.display()));
        let document: Json = serde_json::from_str(&read_text(path)?).map_err(|error| wrong(&error))?;
        entail_evidence::json::check_seal(&document).map_err(|error| wrong(&error))?;
        self.walk.resume(&document).map_err(|error| wrong(&error))
    }

    fn step_at_random(&mut self) -> bool {
        self.walk.take_at_random(&mut self.random, &self.budget)
    }

    fn can_go_on(&mut self) -> bool {
        !self.walk.choices(1, &self.budget).is_empty()
    }

    /// How the walk ends.
    fn ending(&self, can_go_on: bool) -> Vec<String> {
        let shown = self.walk.shown();
        let returns = shown
            .timeline()
            .is_some_and(|timeline| timeline.loop_start.is_some());
        match can_go_on && !returns {
            true => vec![format!(
                "the walk stops after {} steps and could go on",
                self.walk.steps()
            )],
            false => self.walk.ending(),
        }
    }

    /// The rows of the walk from a step on, where each says what is done.
    fn shown_from(&self, step: usize) -> String {
        match self.walk.shown().timeline() {
            Some(timeline) if !timeline.moves.is_empty() => text::timeline_from(timeline, step, &self.look),
            _ => String::new(),
        }
    }

    fn shown(&self) -> String {
        text::shown(&self.walk.shown(), &self.look)
    }

    /// The walk as JSON that `view` and `--from` read.
    fn document(&self) -> String {
        let mut document = json!({
            "entail": env!("CARGO_PKG_VERSION"), "format": entail::saved::FORMAT, "model": self.model.source().name(),
            "language": self.model.language(), "digest": self.digest,
        });
        if let (Json::Object(map), Json::Object(walk)) = (&mut document, self.walk.to_json()) {
            map.extend(walk);
        }
        add_walk(&mut document, &self.walk.shown());
        sealed(document)
    }

    fn save(&self, path: &Path) -> Result<(), CommandError> {
        if let Some(text) = self.walk.export(extension(path)) {
            let text =
                text.map_err(|why| CommandError::usage(format!("cannot write {}: {why}", path.display())))?;
            return write_text(path, &text);
        }
        match extension(path) {
            "json" => write_text(path, &self.document()),
            _ => save_shown(path, &self.walk.shown(), self.model.source().name()),
        }
    }

    /// Whether there is a state.
    fn is_begun(&self) -> bool {
        let shown = self.walk.shown();
        shown.timeline().is_some_and(|timeline| timeline.positions > 0)
    }

    /// Goes to the initial state, asking for it if there are several; false if nobody answers.
    fn begin(&mut self) -> Result<bool, CommandError> {
        let choices = self.walk.choices(MOST_CHOICES, &self.budget);
        match choices.len() {
            0 => return Err(CommandError::input("the model has no initial state")),
            1 => self.walk.take(0),
            several => {
                let at_least = if several >= MOST_CHOICES { "at least " } else { "" };
                print(&format!("{at_least}{several} initial states\n"));
                match ask(&choices, HELP)? {
                    None | Some(Choice::Quit) => return Ok(false),
                    Some(Choice::Step(chosen)) => self.walk.take(chosen),
                    Some(_) => drop(self.step_at_random()),
                }
            }
        }
        Ok(true)
    }

    fn converse(&mut self) -> Result<(), CommandError> {
        if !self.is_begun() && !self.begin()? {
            return Ok(());
        }
        print(HELP);
        loop {
            let before = self.walk.steps();
            print(&format!(
                "step {before}   {}\n",
                shortened(&self.walk.state().join(", "))
            ));
            let choices = self.walk.choices(MOST_CHOICES, &self.budget);
            if choices.is_empty() {
                self.walk
                    .ending()
                    .iter()
                    .for_each(|line| print(&format!("{line}\n")));
            }
            match ask(&choices, HELP)? {
                None | Some(Choice::Quit) => return Ok(()),
                Some(Choice::Step(chosen)) => self.walk.take(chosen),
                Some(Choice::Random(steps)) => {
                    for _ in 0..steps {
                        if !self.step_at_random() {
                            break;
                        }
                    }
                }
                Some(Choice::Go) => {
                    for _ in 0..MOST_AT_ONCE {
                        if self.walk.choices(2, &self.budget).len() != 1 {
                            break;
                        }
                        self.walk.take(0);
                    }
                }
                Some(Choice::Back(steps)) => self.walk.back(steps),
                Some(Choice::Constrain(condition)) => {
                    let condition = Some(condition.as_str()).filter(|text| !text.is_empty());
                    if let Err(problem) = self.walk.constrain(condition) {
                        print(&format!("{problem}\n"));
                    }
                }
                // Listed where it was asked for.
                Some(Choice::Search(_)) => {}
                Some(Choice::Print) => {
                    self.walk
                        .state()
                        .iter()
                        .for_each(|line| print(&format!("  {line}\n")));
                }
                Some(Choice::Walk) => print(&self.shown()),
                Some(Choice::Save(path)) => match self.save(Path::new(&path)) {
                    Ok(()) => print(&format!("saved {path}\n")),
                    Err(stop) => terminal::print_stop(&stop),
                },
            }
            if self.walk.steps() > before {
                print(&self.shown_from(before));
            }
        }
    }
}
