//! Real-time systems: networks of timed automata.
//!
//! **Here:** the family of TChecker and UPPAAL models: reading a model, its queries, the engine, the checker, walks, what is shown.
//!
//! **Not here:** what a network means (`entail-clocks`), how queries are decided (`entail-timed`), how evidence is judged (`entail-timed-checker`).
//!
//! **Invariant:** no verdict is given that the checker has not replayed or proved again, or that is not said to be unchecked.

mod automata;
mod beside;
mod checker;
mod divergent;
mod energy;
mod fastest;
mod formula_text;
mod linear;
mod model;
mod nested;
mod parts;
mod pictures;
mod plane;
mod query;
mod sequence;
mod session;
mod statistical;
mod strategy;
mod trace;
mod walk;

use entail_family::{Command, EngineInfo, Family, Language, OptionSpec, standard};
use entail_logic::Logic;

const SAMPLING: &[&str] = &[statistical::ENGINE];

fn is_share(text: &str) -> Result<(), String> {
    match text.parse::<f64>() {
        Ok(number) if number > 0.0 && number < 1.0 => Ok(()),
        _ => Err("a number between 0 and 1 is needed, such as 0.05".to_owned()),
    }
}

fn is_table_size(text: &str) -> Result<(), String> {
    match text.parse::<u32>() {
        Ok(6..=36) => Ok(()),
        _ => Err("a number from 6 to 36 is needed".to_owned()),
    }
}

const ABOUT_MODEL: &[Command] = &[Command::Check, Command::Simulate, Command::Certify];

/// The row.
pub static FAMILY: Family = Family {
    name: "realtime",
    about: "real-time systems: networks of timed automata",
    languages: &[
        Language::new("tchecker", "TChecker", &["tck"]),
        Language::new("uppaal", "UPPAAL", &["xml", "xta", "ta"]),
    ],
    options: &[
        OptionSpec::with_value("queries", "FILE", "Also check the queries in this file (.q)").repeated(),
        OptionSpec::with_value(
            "properties",
            "FILE",
            "Also check the properties in this file; a second file on the command line is one, too",
        )
        .repeated(),
        OptionSpec::with_value(
            "reach",
            "LABELS",
            "Is a state reachable that carries all these labels?",
        )
        .repeated(),
        OptionSpec::with_value(
            "liveness",
            "LABELS",
            "Is there an infinite run that meets each of these labels again and again?",
        )
        .repeated(),
        OptionSpec::choice(
            "optimal",
            &[
                ("time", "the least time that passes until then"),
                (
                    "cost",
                    "the least cost of getting there (`cost' == e`, `cost += e`)",
                ),
                ("ratio", "the least cost per unit of time in the long run"),
            ],
            "Of `E<>`: how soon, or at what cost, can it be? Of `E[]`: at what cost per unit of time can it stay so for ever (ratio)?",
        )
        .of(ABOUT_MODEL),
        OptionSpec::with_value(
            "energy",
            "BOUNDS",
            "Of `E[] φ`: can some run stay in φ for ever while what it accumulates (`cost' == e`, `cost += e`, of either sign) stays within bounds? Of `A[] true`: do all? BOUNDS: `L`, not below L; `L,U`, nor above U; `L,U,weak`, what is above U is lost",
        )
        .checked(energy::are_bounds)
        .of(ABOUT_MODEL),
        OptionSpec::with_value(
            "credit",
            "C",
            "With --energy, what runs begin with, such as 5 or 7/2 (default: the least that is enough is found)",
        )
        .checked(energy::is_credit)
        .of(ABOUT_MODEL),
        OptionSpec::switch(
            "time-divergent",
            "Let only runs count in which time diverges: of `E[]`, `A<>`, `-->`, formulas about runs, and what is met again and again",
        )
        .of(ABOUT_MODEL),
        OptionSpec::choice(
            "out-of-range",
            &[
                ("error", "a mistake of the model, as TChecker does"),
                ("disable", "the step cannot be taken, as TChecker's manual says"),
            ],
            "What it means when an integer would leave its range",
        )
        .of(ABOUT_MODEL),
        OptionSpec::choice(
            "extrapolation",
            &[
                ("none", "zones stay exact; the default for reachability"),
                ("m", "ExtraM"),
                ("m+", "ExtraM+"),
                ("lu", "ExtraLU"),
                ("lu+", "ExtraLU+; the default for cycles"),
            ],
            "How zones are made finitely many",
        ),
        OptionSpec::choice(
            "bounds",
            &[
                ("local", "by location, from static analysis; the default"),
                ("global", "the same everywhere"),
            ],
            "Which clock constants matter where",
        ),
        OptionSpec::choice(
            "cover",
            &[
                ("inclusion", "zones as sets"),
                ("am", "simulation by largest constants"),
                ("alu", "simulation by lower and upper constants; the default"),
            ],
            "When a symbolic state makes another superfluous",
        ),
        OptionSpec::choice(
            "order",
            &[
                ("bfs", "breadth first; the default"),
                ("dfs", "depth first"),
                ("random", "at random"),
                ("rank", "large zones first"),
            ],
            "In which order symbolic states are expanded",
        ),
        OptionSpec::switch(
            "no-symmetry",
            "Explore all states, also those that differ by a permutation of scalars only",
        ),
        OptionSpec::choice(
            "zones",
            &[
                ("all", "each zone that no other covers; the default"),
                ("hull", "the convex hull of those at a discrete state: *holds* or *fails* is as sure, but may become *unknown*"),
                ("bitstate", "two bits of a table for each: what is found is exact, what is not found is *unknown*"),
            ],
            "What is kept of the zones that were met, where what is reachable is asked",
        ),
        OptionSpec::with_value(
            "bits",
            "N",
            "The table of --zones bitstate has 2^N bits, 6 to 36 (default 29)",
        )
        .checked(is_table_size),
        OptionSpec::switch(
            "local-time",
            "Let time pass in each process on its own, so that independent steps need no order, where what is reachable is asked",
        ),
        standard::THREADS,
        OptionSpec::with_value(
            "gantt",
            "FILE",
            "Draw the first run found as a Gantt chart (SVG): where each process is, and when",
        ),
        OptionSpec::with_value(
            "clocks",
            "FILE",
            "Draw the clocks of the first run found over time (SVG)",
        ),
        OptionSpec::with_value(
            "drawing",
            "FILE",
            "Draw the automata where their author drew them, with the first run found marked (SVG)",
        ),
        OptionSpec::with_value(
            "plane",
            "FILE",
            "Draw the zones of two clocks along the first run found (SVG)",
        ),
        OptionSpec::with_value("plane-clocks", "X,Y", "The clocks of --plane (default: the first two)"),
        OptionSpec::with_value(
            "confidence",
            "P",
            "With which probability a statistical answer is right (default 0.95)",
        )
        .checked(is_share)
        .for_engines(SAMPLING),
        OptionSpec::with_value(
            "error",
            "E",
            "How far an estimated probability may be off (default 0.05), or how near to the number it is tested against it cannot be told from it (default 0.01)",
        )
        .checked(is_share)
        .for_engines(SAMPLING),
        OptionSpec::number("seed", "The seed of random runs (default 1)").for_engines(SAMPLING),
        OptionSpec::with_value(
            "plot",
            "FILE",
            "Draw what random runs gave (.svg): values over time, or when a goal is met",
        )
        .for_engines(SAMPLING),
    ],
    engines: &[
        EngineInfo::new(
            "zones",
            "covering search, strongly connected components and games on zones",
            &[Logic::Timed],
        ),
        EngineInfo::new(
            statistical::ENGINE,
            "random runs, for `Pr`, `E[…]` and `simulate`: estimates with a stated confidence",
            &[Logic::Timed],
        ),
    ],
    load: model::load,
};
