//! The program `entail`.
//!
//! **Here:** arguments, files, the terminal, exit statuses. **Not here:** anything a library user would want too; that is in
//! `entail` (the facade) and `entail-report`.

mod arguments;
mod automaton;
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
mod graph;
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
use failure::{INTERNAL, USAGE};
use std::process::ExitCode;

/// Formulas and syntax trees are walked recursively in places; readers limit their depth so that this is plenty.
const STACK_BYTES: usize = 256 << 20;

fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            // `--help` and `--version` are errors to clap, but not to the user.
            let status = if error.use_stderr() { USAGE } else { 0 };
            let _ = error.print();
            return ExitCode::from(status);
        }
    };
    let worker = std::thread::Builder::new()
        .stack_size(STACK_BYTES)
        .spawn(move || run(arguments));
    let status = worker.map_or(INTERNAL, |worker| worker.join().unwrap_or(INTERNAL));
    ExitCode::from(status)
}

fn run(arguments: Arguments) -> u8 {
    let result = match arguments.command {
        Command::Check(options) => check::run(&options),
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
        Command::Compose(options) => compose::run(&options),
        Command::Compare(options) => compare::run(&options),
    };
    result.unwrap_or_else(|stop| {
        terminal::print_stop(&stop);
        stop.status()
    })
}
