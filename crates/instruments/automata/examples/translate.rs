//! Translates formulas given on the command line and prints the automata as HOA.
//!
//! `cargo run --example translate -- 'G(req -> F ack)' …`; words before the formulas choose the target: `buchi`,
//! `state-buchi`, `parity`, `deterministic`.

use entail_automata::formats::hoa_writer::to_hoa;
use entail_automata::ltl::syntax::parse_any;
use entail_automata::{Preference, Target, Translation, translate};
use entail_budget::Budget;

fn main() {
    let mut how = Translation::default();
    for argument in std::env::args().skip(1) {
        match argument.as_str() {
            "buchi" => how.target = Target::Buchi,
            "state-buchi" => how.target = Target::StateBuchi,
            "parity" => how.target = Target::Parity,
            "deterministic" => how.preference = Preference::Deterministic,
            text => match parse_any(text) {
                Ok(formula) => match translate(&formula, how, &Budget::unlimited()) {
                    Ok(automaton) => print!("{}", to_hoa(&automaton)),
                    Err(error) => eprintln!("{text}: {error}"),
                },
                Err(errors) => eprintln!("{text}: {errors}"),
            },
        }
    }
}
