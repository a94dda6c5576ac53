//! The program `entail`.

use std::process::ExitCode;

fn main() -> ExitCode {
    entail_cli::main_with(entail::Table(entail::FAMILIES))
}
