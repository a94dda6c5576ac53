//! A walk through a program, step by step: at random, chosen, or guided by one of SPIN's trails. The reference interpreter makes the steps.

use crate::model::{ProgramModel, named_text};
use crate::run_json;
use crate::show;
use crate::show::steps::{offered, stuck, whereabouts};
use crate::show::values::values;
use entail_budget::Budget;
use entail_family::{LoadError, Options, Walk};
use entail_program::interpret::Move;
use entail_program::{Program, Replayed, Run, replay};
use entail_show::Shown;
use rand::{Rng, RngCore};
use serde_json::{Value as Json, json};
use std::path::Path;

/// Where a walk has come to.
enum Ending {
    /// It has not begun.
    Nowhere,
    /// Something went wrong in the last step.
    Fault(String),
    /// Nobody can move, and these are stuck.
    Stuck(Vec<String>),
    /// Nobody can move, and nobody has to.
    Finished,
    /// The trail says that it returns to before this step.
    Loop(usize),
    /// It could go on.
    Open,
}

impl Ending {
    fn name(&self) -> &'static str {
        match self {
            Ending::Fault(_) => "error",
            Ending::Stuck(_) => "invalid end state",
            Ending::Finished => "valid end state",
            Ending::Loop(_) => "loop",
            Ending::Nowhere | Ending::Open => "open",
        }
    }

    fn lines(self) -> Vec<String> {
        match self {
            Ending::Nowhere | Ending::Open => Vec::new(),
            Ending::Fault(fault) => vec![format!("error: {fault}")],
            Ending::Stuck(who) => {
                let first = "invalid end state: nobody can move".to_owned();
                std::iter::once(first).chain(who).collect()
            }
            Ending::Finished => {
                vec!["valid end state: nobody can move, and every process is where it may stop".to_owned()]
            }
            Ending::Loop(start) => vec![format!(
                "the run goes back to before step {}, for ever",
                start + 1
            )],
        }
    }
}

/// A walk through a program.
pub struct ProgramWalk<'m> {
    model: &'m ProgramModel,
    run: Run,
    /// The run with its states; nothing before the walk has begun.
    replayed: Option<Replayed>,
    /// What [`Walk::choices`] listed last; nothing stands for the beginning.
    listed: Vec<Option<Move>>,
    with_chart: bool,
}

impl<'m> ProgramWalk<'m> {
    /// A walk that has not begun, or is at the end of the trail that the options name.
    pub fn new(model: &'m ProgramModel, options: &Options) -> Result<ProgramWalk<'m>, LoadError> {
        let mut walk = ProgramWalk {
            model,
            run: Run::default(),
            replayed: None,
            listed: Vec::new(),
            with_chart: options.has("msc"),
        };
        if let Some(path) = options.value("trail") {
            let (run, replayed) = model.follow(&named_text(Path::new(path))?)?;
            (walk.run, walk.replayed) = (run, Some(replayed));
        }
        Ok(walk)
    }

    fn program(&self) -> &'m Program {
        self.model.program()
    }

    /// The steps that are possible now.
    fn moves(&self) -> Vec<Move> {
        let replayed = self.replayed.as_ref();
        replayed.map_or(Vec::new(), |replayed| replayed.moves(self.program()))
    }

    fn go(&mut self, chosen: Option<Move>) {
        self.run.loop_start = None;
        match (chosen, &mut self.replayed) {
            (Some(chosen), Some(replayed)) => {
                self.run.steps.push(chosen.step);
                replayed.take(self.model.program(), chosen);
            }
            _ => self.replayed = Some(Replayed::begin(self.model.program())),
        }
    }

    fn where_it_is(&self) -> Ending {
        let Some(replayed) = &self.replayed else {
            return Ending::Nowhere;
        };
        let Some(last) = replayed.situations.last() else {
            let fault = replayed.fault.as_ref().map(ToString::to_string);
            return Ending::Fault(format!("{}, before the first step", fault.unwrap_or_default()));
        };
        if let Some(start) = self.run.loop_start {
            return Ending::Loop(start);
        }
        match &replayed.fault {
            Some(fault) => {
                let step = self.run.steps.last();
                let at = step.map(|step| offered(self.program(), &last.state, step));
                Ending::Fault(format!("{fault}: {}", at.unwrap_or_default()))
            }
            None if !replayed.moves(self.program()).is_empty() => Ending::Open,
            None if last.state.is_valid_end(self.program()) => Ending::Finished,
            None => Ending::Stuck(stuck(self.program(), &last.state)),
        }
    }
}

impl Walk for ProgramWalk<'_> {
    fn choices(&mut self, most: usize, _budget: &Budget) -> Vec<String> {
        let Some(replayed) = &self.replayed else {
            self.listed = vec![None];
            return vec!["the initial state".to_owned()];
        };
        let mut moves = self.moves();
        moves.truncate(most);
        let here = replayed.situations.last();
        let lines = moves
            .iter()
            .zip(here.into_iter().cycle())
            .map(|(found, here)| offered(self.program(), &here.state, &found.step))
            .collect();
        self.listed = moves.into_iter().map(Some).collect();
        lines
    }

    fn take(&mut self, choice: usize) {
        if choice < self.listed.len() {
            let chosen = self.listed.swap_remove(choice);
            self.listed.clear();
            self.go(chosen);
        }
    }

    fn take_at_random(&mut self, mut random: &mut dyn RngCore, _budget: &Budget) -> bool {
        self.listed.clear();
        if self.replayed.is_none() {
            self.go(None);
            return true;
        }
        let mut moves = self.moves();
        if moves.is_empty() {
            return false;
        }
        let chosen = (&mut random).random_range(0..moves.len());
        self.go(Some(moves.swap_remove(chosen)));
        true
    }

    fn back(&mut self, steps: usize) {
        self.listed.clear();
        self.run.loop_start = None;
        for _ in 0..steps.min(self.run.steps.len()) {
            self.run.steps.pop();
            if let Some(replayed) = &mut self.replayed {
                replayed.back();
            }
        }
    }

    fn steps(&self) -> usize {
        self.run.steps.len()
    }

    fn ending(&self) -> Vec<String> {
        self.where_it_is().lines()
    }

    fn has_failed(&self) -> bool {
        matches!(self.where_it_is(), Ending::Fault(_) | Ending::Stuck(_))
    }

    fn state(&self) -> Vec<String> {
        let here = self
            .replayed
            .as_ref()
            .and_then(|replayed| replayed.situations.last());
        let Some(here) = here else {
            return Vec::new();
        };
        let mut lines = whereabouts(self.program(), &here.state);
        let values = values(self.program(), &here.state).into_iter();
        lines.extend(values.map(|value| format!("{} = {}", value.name, value.text)));
        lines
    }

    fn shown(&self) -> Shown {
        match &self.replayed {
            Some(replayed) => {
                let mut shown = show::run(self.program(), &self.run, replayed, self.with_chart);
                // How it ends is said by `ending`; a walk that could go on is not stuck.
                for exhibit in &mut shown.exhibits {
                    if let entail_show::View::Timeline(timeline) = &mut exhibit.view {
                        timeline.ending.clear();
                    }
                }
                shown
            }
            None => Shown::default(),
        }
    }

    fn to_json(&self) -> Json {
        let replayed = self.replayed.as_ref();
        json!({
            "entail": env!("CARGO_PKG_VERSION"), "model": self.model.source().name(), "language": "promela",
            "trace": replayed.map(|replayed| run_json::described(self.program(), &self.run, replayed)),
            "ending": self.where_it_is().name(),
            "error": replayed.and_then(|replayed| replayed.fault.as_ref()).map(ToString::to_string),
        })
    }

    fn resume(&mut self, document: &Json) -> Result<(), String> {
        let trace = match &document["trace"] {
            Json::Null => &document["evidence"]["trace"],
            trace => trace,
        };
        let mut run = run_json::read(trace)?;
        let replayed = replay(self.program(), &run)?;
        run.loop_start = None;
        self.listed.clear();
        (self.run, self.replayed) = (run, Some(replayed));
        Ok(())
    }

    fn export(&self, extension: &str) -> Option<Result<String, String>> {
        (extension == "trail").then(|| self.model.trail(&self.run))
    }
}
