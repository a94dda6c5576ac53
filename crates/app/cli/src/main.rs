//! The program `entail`.
//!
//! **Here:** arguments, files, the terminal, exit statuses. **Not here:** anything a library user would want too; that is in
//! `entail` (the facade) and `entail-report`.

mod arguments;
mod automaton;
mod case;
mod certify;
mod check;
mod check_program;
mod choice;
mod compare;
mod compose;
mod convert;
mod dd;
mod distributed;
mod engines;
mod failure;
mod file_names;
mod graph;
mod limits;
mod load;
mod ltl;
mod minimize;
mod play;
mod progress_line;
mod reachable;
mod sat;
mod save;
mod save_program;
mod simulate;
mod simulate_program;
mod terminal;
mod units;
mod view;

use arguments::{Arguments, Command};
use clap::Parser;
use failure::{INTERNAL, OUTPUT, Stop, USAGE};
use limits::{Limits, PATIENCE};
use std::process::ExitCode;
use std::sync::Arc;

fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            // `--help` and `--version` are errors to clap, but not to the user.
            let status = if error.use_stderr() { USAGE } else { 0 };
            terminal::note_output(error.print());
            return ExitCode::from(complete(status));
        }
    };
    case::note_panics();
    // Ending the process ends what was left behind when a limit was passed.
    std::process::exit(complete(run(arguments)).into())
}

/// The status, if all that was printed could be written.
fn complete(status: u8) -> u8 {
    match terminal::output_error() {
        Some(error) if status != INTERNAL => {
            terminal::say(&format!("entail: cannot write to standard output: {error}\n"));
            OUTPUT
        }
        _ => status,
    }
}

/// `check` keeps its limits itself, since it has something to say when they are passed.
fn limits(command: &Command) -> Limits {
    let (timeout, memory) = match command {
        Command::Check(_) => return Limits::default(),
        Command::Sat(options) => (options.timeout, None),
        Command::Certify(options) => (options.timeout, None),
        Command::Minimize(options) => (options.timeout, None),
        Command::Compare(options) => (options.timeout, options.memory),
        Command::Ltl(options) => (options.timeout, None),
        Command::Automaton(options) => (options.timeout, None),
        Command::Simulate(_)
        | Command::View(_)
        | Command::Convert(_)
        | Command::Engines
        | Command::Dd(_)
        | Command::Compose(_) => (None, None),
    };
    Limits::new(timeout, memory)
}

fn run(arguments: Arguments) -> u8 {
    let limits = limits(&arguments.command);
    // The working thread has a large stack; a panic in it has been noted.
    let kept = std::thread::spawn(move || limits.keep(PATIENCE, move || command(arguments.command))).join();
    let result = match kept {
        Ok(Ok(result)) => result,
        Ok(Err(spent)) => Err(Stop::spent(spent, &spent.to_string())),
        Err(_) => return case::crashed(),
    };
    result.unwrap_or_else(|stop| {
        terminal::print_stop(&stop);
        stop.status()
    })
}

fn command(command: Command) -> Result<u8, Stop> {
    match command {
        Command::Check(options) => check::run(&Arc::from(options)),
        Command::Simulate(options) => simulate::run(&options),
        Command::View(options) => view::run(&options),
        Command::Certify(options) => certify::run(&options),
        Command::Convert(options) => convert::run(&options),
        Command::Engines => engines::run(),
        Command::Sat(options) => sat::run(&options),
        Command::Dd(options) => dd::run(&options),
        Command::Ltl(options) => ltl::run(&options),
        Command::Automaton(options) => automaton::run(&options),
        Command::Minimize(options) => minimize::run(&options),
        Command::Compare(options) => compare::run(&options),
        Command::Compose(options) => compose::run(&options),
    }
}
