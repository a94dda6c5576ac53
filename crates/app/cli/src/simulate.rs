//! `entail simulate`: a walk through the model, at random or chosen step by step.
//!
//! The walk is a plain trace: it can be saved, viewed, and continued with `--from`.

use crate::arguments::Simulate;
use crate::choice::{Choice, MOST_AT_ONCE, ask};
use crate::failure::{HOLDS, Stop};
use crate::load::{Warnings, load_any, read_text, write_text};
use crate::save::{extension, save_trace, walk_json};
use crate::terminal::{self, note, print, print_json};
use entail::{AnyModel, Model, SimulationStep, Simulator};
use entail_budget::Budget;
use entail_evidence::Trace;
use entail_evidence::json::{SavedEvidence, resolve_trace};
use entail_model::Value;
use entail_report::SignalTable;
use entail_report::text::{TextOptions, trace_alone};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use std::path::Path;

type Values = Vec<Option<Value>>;

/// So many choices are enumerated and offered at a step.
const MOST_CHOICES: usize = 1_000;

const HELP: &str =
    "a number chooses a step; enter or r: a random one; r N: N random ones; g: on until there is a choice;
b: back; b N: N steps back; p: print the whole state; t: the walk so far;
s FILE: save the walk (.json, .vcd, .dot, .html or text); q: quit
";

pub fn run(options: &Simulate) -> Result<u8, Stop> {
    let model = load_any(
        &options.model,
        options.language.as_deref(),
        None,
        &options.preprocessor,
        Warnings::Shown,
        &Budget::unlimited(),
    )?;
    let model = match model {
        AnyModel::System(model) => *model,
        AnyModel::Program(model) => return crate::simulate_program::run(&model, options),
    };
    if options.trail.is_some() {
        return Err(Stop::usage("--trail guides walks through Promela models only"));
    }
    let simulator = Simulator::new(model.system()).map_err(|reason| Stop::input(reason.to_string()))?;
    let mut walk = Walk {
        model: &model,
        simulator,
        taken: Vec::new(),
        random: StdRng::seed_from_u64(options.seed),
    };
    match &options.from {
        Some(path) => walk.resume(path)?,
        None => walk.begin(options.steps.is_none())?,
    }
    match options.steps {
        Some(steps) => {
            for _ in 0..steps {
                if !walk.step_at_random()? {
                    note!("the walk ends in a state without successors");
                    break;
                }
            }
            match options.json {
                true => print_json(&walk_json(&model, &walk.trace())),
                false => print(&walk.shown()),
            }
        }
        None => walk.converse()?,
    }
    if let Some(path) = &options.trace {
        walk.save(path)?;
    }
    Ok(HOLDS)
}

/// A walk and the means to go on. The last entry of `taken` is where we are, inputs not chosen.
struct Walk<'a> {
    model: &'a Model,
    simulator: Simulator,
    taken: Vec<Values>,
    random: StdRng,
}

impl Walk<'_> {
    fn begin(&mut self, asking: bool) -> Result<(), Stop> {
        let initial = self
            .simulator
            .initial_states(MOST_CHOICES, &Budget::unlimited())
            .unwrap_or_default();
        if initial.is_empty() {
            return Err(Stop::input("the model has no initial state"));
        }
        let chosen = if asking && initial.len() > 1 {
            print(&format!("{} initial states\n", count(initial.len())));
            let lines: Vec<String> = initial.iter().map(|state| self.difference(None, state)).collect();
            match ask(&lines, HELP)? {
                Some(Choice::Step(chosen)) => chosen,
                Some(_) => self.random.random_range(0..initial.len()),
                None => return Ok(()),
            }
        } else {
            self.random.random_range(0..initial.len())
        };
        self.taken.push(initial[chosen].clone());
        Ok(())
    }

    /// Goes to the end of a saved trace, if it is one of this model.
    fn resume(&mut self, path: &Path) -> Result<(), Stop> {
        let wrong = |error: &dyn std::fmt::Display| Stop::input(format!("{}: {error}", path.display()));
        let saved = SavedEvidence::read(&read_text(path)?).map_err(|error| wrong(&error))?;
        let trace = resolve_trace(self.model.system(), &saved).map_err(|error| wrong(&error))?;
        let open = Trace {
            steps: trace.steps,
            loop_start: None,
        };
        entail_evidence::replay(self.model.system(), &open, true).map_err(|error| wrong(&error))?;
        self.taken = open.steps;
        Ok(())
    }

    fn here(&self) -> Values {
        let mut here = self.taken.last().cloned().unwrap_or_default();
        for input in self.model.system().input_variables() {
            if let Some(value) = here.get_mut(input.index()) {
                *value = None;
            }
        }
        here
    }

    fn choices(&self) -> Vec<SimulationStep> {
        self.simulator
            .successors(&self.here(), MOST_CHOICES, &Budget::unlimited())
            .unwrap_or_default()
    }

    fn take(&mut self, step: SimulationStep) {
        if let Some(last) = self.taken.last_mut() {
            *last = step.now;
        }
        self.taken.push(step.next);
    }

    fn step_at_random(&mut self) -> Result<bool, Stop> {
        let mut choices = self.choices();
        if choices.is_empty() {
            return Ok(false);
        }
        let chosen = self.random.random_range(0..choices.len());
        self.take(choices.swap_remove(chosen));
        Ok(true)
    }

    fn trace(&self) -> Trace {
        Trace {
            steps: self.taken.clone(),
            loop_start: None,
        }
    }

    fn shown(&self) -> String {
        let options = TextOptions {
            colour: terminal::colour(),
            ..TextOptions::default()
        };
        trace_alone(
            &SignalTable::of_trace(self.model.system(), &self.trace(), false),
            &options,
        )
    }

    fn save(&self, path: &Path) -> Result<(), Stop> {
        let trace = self.trace();
        match extension(path) {
            "json" => write_text(path, &walk_json(self.model, &trace)),
            _ => {
                let table = SignalTable::of_trace(self.model.system(), &trace, true);
                save_trace(path, &table, self.model.source().name())
            }
        }
    }

    /// What a step changes: inputs chosen, then variables that get another value.
    fn difference(&self, now: Option<&Values>, next: &Values) -> String {
        let mut parts = Vec::new();
        for (position, variable) in self.model.system().variables().iter().enumerate() {
            let input = now.and_then(|now| now[position].as_ref());
            match (&next[position], input) {
                (None, Some(chosen)) => parts.push(format!("[{} = {chosen}]", variable.name)),
                (Some(value), before) if before != Some(value) => {
                    parts.push(format!("{} = {value}", variable.name))
                }
                _ => {}
            }
        }
        if parts.is_empty() {
            "nothing changes".to_owned()
        } else {
            parts.join(", ")
        }
    }

    fn converse(&mut self) -> Result<(), Stop> {
        if self.taken.is_empty() {
            return Ok(());
        }
        print(HELP);
        loop {
            print(&format!("step {}\n", self.taken.len() - 1));
            let choices = self.choices();
            if choices.is_empty() {
                print("no successor: this state is a dead end\n");
            }
            let lines: Vec<String> = choices
                .iter()
                .map(|step| self.difference(Some(&step.now), &step.next))
                .collect();
            match ask(&lines, HELP)? {
                None | Some(Choice::Quit) => return Ok(()),
                Some(Choice::Step(chosen)) => self.take(choices[chosen].clone()),
                Some(Choice::Random(steps)) => {
                    for _ in 0..steps {
                        if !self.step_at_random()? {
                            break;
                        }
                    }
                }
                Some(Choice::Go) => {
                    for _ in 0..MOST_AT_ONCE {
                        let choices = self.choices();
                        let [only] = &choices[..] else { break };
                        self.take(only.clone());
                    }
                }
                Some(Choice::Back(steps)) => {
                    self.taken.truncate(self.taken.len().saturating_sub(steps).max(1));
                    let here = self.here();
                    if let Some(last) = self.taken.last_mut() {
                        *last = here;
                    }
                }
                Some(Choice::Print) => {
                    for (variable, value) in self.model.system().variables().iter().zip(self.here()) {
                        if let Some(value) = value {
                            print(&format!("  {} = {value}\n", variable.name));
                        }
                    }
                }
                Some(Choice::Walk) => print(&self.shown()),
                Some(Choice::Save(path)) => match self.save(Path::new(&path)) {
                    Ok(()) => print(&format!("saved {path}\n")),
                    Err(stop) => terminal::print_stop(&stop),
                },
            }
        }
    }
}

fn count(number: usize) -> String {
    if number >= MOST_CHOICES {
        format!("at least {number}")
    } else {
        number.to_string()
    }
}
