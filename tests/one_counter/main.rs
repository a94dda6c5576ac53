//! The program `entail` with one kind of system more: the proof that a kind is one file and one row.
//!
//! This executable is both: started with the variable `ONE_COUNTER` it is the program, which races engines in processes of itself;
//! otherwise it is the test that starts it.

mod commands;
mod family;

use entail::Table;
use std::process::ExitCode;

static FAMILIES: &[&entail_family::Family] = &[&family::FAMILY, &entail_graphs::FAMILY];

fn main() -> ExitCode {
    match std::env::var_os(commands::AS_PROGRAM) {
        Some(_) => entail_cli::main_with(Table(FAMILIES)),
        None => commands::test(),
    }
}
