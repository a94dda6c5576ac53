//! The program `entail` with one kind of system more: the proof that a kind is one file and one row.

mod family;

use entail::Table;
use std::process::ExitCode;

static FAMILIES: &[&entail_family::Family] = &[&family::FAMILY, &entail_graphs::FAMILY];

fn main() -> ExitCode {
    entail_cli::main_with(Table(FAMILIES))
}
