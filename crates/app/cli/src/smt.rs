//! `entail smt`: the commands of an SMT-LIB script, answered in the order they come.

use crate::arguments::Smt;
use crate::failure::{CommandError, INTERNAL};
use crate::load::read_text;
use crate::terminal::{print, say};
use entail::run_script;
use entail_budget::Budget;

/// Exit status of a script with a command that could not be carried out.
const INVALID: u8 = 65;

pub fn run(options: &Smt) -> Result<u8, CommandError> {
    let text = read_text(&options.script)?;
    let budget = Budget::unlimited().with_timeout(options.timeout);
    let outcome = run_script(&text, &budget, &mut |answer| print(&format!("{answer}\n")));
    for problem in &outcome.internal {
        say(&format!("entail: internal error: {problem}\n"));
    }
    if options.verbose {
        for note in &outcome.notes {
            say(&format!("entail: {note}\n"));
        }
    }
    Ok(match (outcome.internal.is_empty(), outcome.errors) {
        (false, _) => INTERNAL,
        (true, 0) => 0,
        (true, _) => INVALID,
    })
}
