//! `entail simulate` of a program of communicating processes: at random, chosen step by step, or guided by a trail.
//!
//! The reference interpreter makes the steps. What processes print is shown as SPIN's simulator shows it, indented by the process.

use crate::arguments::Simulate;
use crate::choice::{Choice, MOST_AT_ONCE, ask};
use crate::failure::{FAILS, HOLDS, Stop};
use crate::load::{read_text, write_text};
use crate::save::extension;
use crate::save_program::save_run;
use crate::terminal::{self, print, print_json, print_stop};
use entail::ProgramModel;
use entail_program::interpret::Move;
use entail_program::{Program, Replayed, Run};
use entail_report::chart::{self, Chart};
use entail_report::program;
use entail_report::text::TextOptions;
use entail_source::Source;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use std::path::Path;

const HELP: &str =
    "a number chooses a step; enter or r: a random one; r N: N random ones; g: on until there is a choice;
b: back; b N: N steps back; p: print where everybody is and all values; t: the walk so far;
s FILE: save the walk (.trail, .json, .dot or text); q: quit
";

pub fn run(model: &ProgramModel, options: &Simulate) -> Result<u8, Stop> {
    if options.from.is_some() {
        return Err(Stop::usage(
            "--from continues walks of transition systems only; walk on from the beginning with the same --seed and more --steps",
        ));
    }
    let mut walk = Walk {
        model,
        run: Run::default(),
        replayed: Replayed::begin(model.program()),
        random: StdRng::seed_from_u64(options.seed),
    };
    if let Some(path) = &options.trail {
        let trail = Source::new(path.to_string_lossy(), read_text(path)?);
        (walk.run, walk.replayed) = model.follow(&trail)?;
    }
    // A trail is followed to its end; it is walked on from there if somebody says how far.
    match options.steps.or(options.trail.is_some().then_some(0)) {
        Some(steps) => {
            for _ in 0..steps {
                if !walk.step_at_random() {
                    break;
                }
            }
            match options.json {
                true => print_json(&walk.json()),
                false => print(&(walk.shown() + &walk.ending().text() + &walk.chart(options.msc))),
            }
        }
        None => walk.converse()?,
    }
    if let Some(path) = &options.trace {
        walk.save(path)?;
    }
    Ok(match walk.ending() {
        Ending::Fault(_) | Ending::Stuck(_) => FAILS,
        Ending::Finished | Ending::Loop(_) | Ending::Open(_) => HOLDS,
    })
}

/// Where a walk has come to.
enum Ending {
    /// Something went wrong in the last step.
    Fault(String),
    /// Nobody can move, and these are stuck.
    Stuck(String),
    /// Nobody can move, and nobody has to.
    Finished,
    /// The trail says that it returns to before this step.
    Loop(usize),
    /// After so many steps it could go on.
    Open(usize),
}

impl Ending {
    fn text(&self) -> String {
        match self {
            Ending::Fault(fault) => format!("error: {fault}\n"),
            Ending::Stuck(who) => format!("invalid end state: nobody can move\n{who}"),
            Ending::Finished => {
                "valid end state: nobody can move, and every process is where it may stop\n".into()
            }
            Ending::Loop(start) => format!("the run goes back to before step {}, for ever\n", start + 1),
            Ending::Open(steps) => format!("the walk stops after {steps} steps and could go on\n"),
        }
    }

    fn name(&self) -> &'static str {
        match self {
            Ending::Fault(_) => "error",
            Ending::Stuck(_) => "invalid end state",
            Ending::Finished => "valid end state",
            Ending::Loop(_) => "loop",
            Ending::Open(_) => "open",
        }
    }
}

/// A walk and the means to go on.
struct Walk<'a> {
    model: &'a ProgramModel,
    run: Run,
    replayed: Replayed,
    random: StdRng,
}

impl Walk<'_> {
    fn program(&self) -> &Program {
        self.model.program()
    }

    fn take(&mut self, chosen: Move) {
        self.run.steps.push(chosen.step);
        self.replayed.take(self.model.program(), chosen);
    }

    fn step_at_random(&mut self) -> bool {
        self.run.loop_start = None;
        let mut moves = self.replayed.moves(self.program());
        if moves.is_empty() {
            return false;
        }
        let chosen = self.random.random_range(0..moves.len());
        self.take(moves.swap_remove(chosen));
        true
    }

    fn ending(&self) -> Ending {
        let Some(last) = self.replayed.situations.last() else {
            let fault = self.replayed.fault.as_ref().map(ToString::to_string);
            return Ending::Fault(format!("{}, before the first step", fault.unwrap_or_default()));
        };
        if let Some(start) = self.run.loop_start {
            return Ending::Loop(start);
        }
        match &self.replayed.fault {
            Some(fault) => {
                let step = self.run.steps.last();
                let at = step.map(|step| program::offered(self.program(), &last.state, step));
                Ending::Fault(format!("{fault}: {}", at.unwrap_or_default()))
            }
            None if !self.replayed.moves(self.program()).is_empty() => Ending::Open(self.run.steps.len()),
            None if last.state.is_valid_end(self.program()) => Ending::Finished,
            None => Ending::Stuck(program::stuck(self.program(), &last.state)),
        }
    }

    fn options(&self) -> TextOptions {
        TextOptions {
            colour: terminal::colour(),
            ..TextOptions::default()
        }
    }

    fn shown(&self) -> String {
        program::walk(self.program(), &self.run, &self.replayed, &self.options())
    }

    fn chart(&self, wanted: bool) -> String {
        match wanted {
            true => chart::text(&Chart::new(self.program(), &self.run, &self.replayed)),
            false => String::new(),
        }
    }

    fn json(&self) -> String {
        let document = serde_json::json!({
            "entail": env!("CARGO_PKG_VERSION"), "model": self.model.source().name(), "language": "promela",
            "trace": program::trace(self.program(), &self.run, &self.replayed),
            "ending": self.ending().name(),
            "error": self.replayed.fault.as_ref().map(ToString::to_string),
        });
        format!("{document}\n")
    }

    fn save(&self, path: &Path) -> Result<(), Stop> {
        match extension(path) {
            "json" => write_text(path, &self.json()),
            _ => save_run(path, self.model, &self.run, &self.replayed),
        }
    }

    fn converse(&mut self) -> Result<(), Stop> {
        print(HELP);
        loop {
            print(&format!("step {}\n", self.run.steps.len()));
            let moves = self.replayed.moves(self.program());
            if moves.is_empty() {
                print(&self.ending().text());
            }
            let lines: Vec<String> = match self.replayed.situations.last() {
                Some(here) => moves
                    .iter()
                    .map(|found| program::offered(self.program(), &here.state, &found.step))
                    .collect(),
                None => Vec::new(),
            };
            let before = self.run.steps.len();
            match ask(&lines, HELP)? {
                None | Some(Choice::Quit) => return Ok(()),
                Some(Choice::Step(chosen)) => self.take(moves[chosen].clone()),
                Some(Choice::Random(steps)) => {
                    for _ in 0..steps {
                        if !self.step_at_random() {
                            break;
                        }
                    }
                }
                Some(Choice::Go) => {
                    for _ in 0..MOST_AT_ONCE {
                        match self.replayed.moves(self.program()).as_slice() {
                            [only] => self.take(only.clone()),
                            _ => break,
                        }
                    }
                }
                Some(Choice::Back(steps)) => {
                    for _ in 0..steps.min(self.run.steps.len()) {
                        self.run.steps.pop();
                        self.replayed.back();
                    }
                }
                Some(Choice::Print) => {
                    if let Some(here) = self.replayed.situations.last() {
                        print(&program::whereabouts(self.program(), &here.state));
                        for (name, value) in program::values(self.program(), &here.state) {
                            print(&format!("  {name} = {value}\n"));
                        }
                    }
                }
                Some(Choice::Walk) => print(&self.shown()),
                Some(Choice::Save(path)) => match self.save(Path::new(&path)) {
                    Ok(()) => print(&format!("saved {path}\n")),
                    Err(stop) => print_stop(&stop),
                },
            }
            if self.run.steps.len() > before {
                print(&program::walk_from(
                    self.program(),
                    &self.run,
                    &self.replayed,
                    before,
                    &self.options(),
                ));
            }
        }
    }
}
