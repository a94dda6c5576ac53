//! Probabilistic systems: Markov chains, Markov decision processes, continuous-time chains, Markov automata.
//!
//! **Here:** the family of PRISM, JANI and explicit models: reading a model with values for its constants, its properties, the engines, the checker, walks.
//!
//! **Not here:** what a network means (`entail-markov`), how properties are decided (`entail-probabilistic`), how certificates are checked
//! (`entail-stochastic-checker`).
//!
//! **Invariant:** a number is printed only as an interval or a fraction that the certificate proves, or is said not to be re-checked.

mod beside;
mod by_size;
mod checker;
mod constants;
mod drn;
mod experiment;
mod explicit_files;
mod explicit_models;
mod front;
mod function_text;
mod functions;
mod instances;
mod joint_schedulers;
mod likely_paths;
mod listed;
mod load;
mod model;
mod quotient;
mod real_time;
mod region;
mod region_chart;
mod region_partition;
mod region_text;
mod runs;
mod saved;
mod scheduler;
mod session;
mod umb;
mod walk;

use entail_family::{Command, EngineInfo, Family, Language, OptionSpec, standard};
use entail_logic::Logic;

fn is_positive_number(text: &str) -> Result<(), String> {
    match text.parse::<f64>() {
        Ok(number) if number > 0.0 && number < 1.0 => Ok(()),
        _ => Err("a number between 0 and 1 is needed, such as 1e-6".to_owned()),
    }
}

fn is_runs(text: &str) -> Result<(), String> {
    match text.parse::<u64>() {
        Ok(runs) if runs > 0 => Ok(()),
        _ => Err("a number of runs is needed".to_owned()),
    }
}

fn is_count(text: &str) -> Result<(), String> {
    text.parse::<u32>()
        .map(drop)
        .map_err(|_| "a number of states is needed".to_owned())
}

const EVERYWHERE: &[Command] = &[
    Command::Check,
    Command::Simulate,
    Command::Certify,
    Command::Structure,
];

/// Engines that make random runs.
const SAMPLING: &[&str] = &["statistical"];

/// The row.
pub static FAMILY: Family = Family {
    name: "stochastic",
    about: "probabilistic systems: Markov chains, decision processes, continuous time",
    languages: &[
        Language {
            name: "prism",
            title: "PRISM",
            extensions: &["prism", "pm", "nm", "sm", "ma"],
            recognises: None,
        },
        Language {
            name: "jani",
            title: "JANI",
            extensions: &["jani"],
            recognises: None,
        },
        Language {
            name: "drn",
            title: "Storm's explicit models (DRN)",
            extensions: &["drn"],
            recognises: None,
        },
        Language {
            name: "umb",
            title: "explicit models of PRISM and Storm (UMB)",
            extensions: &["umb"],
            recognises: None,
        },
        Language {
            name: "tra",
            title: "PRISM's explicit models",
            extensions: &["tra"],
            recognises: None,
        },
    ],
    options: &[
        OptionSpec::with_value(
            "const",
            "N=3,T=0:10:100",
            "Values for the undefined constants; ranges make an experiment",
        )
        .of(EVERYWHERE)
        .repeated(),
        OptionSpec::with_value(
            "properties",
            "FILE",
            "Also check the properties in this file (.props, .pctl, .csl)",
        )
        .of(&[Command::Check, Command::Certify, Command::Simulate])
        .repeated(),
        OptionSpec::with_value(
            "samples",
            "N",
            "Make so many random runs, and tell where they end, what they reach and what they earn",
        )
        .checked(is_runs)
        .of(&[Command::Simulate]),
        OptionSpec::with_value(
            "choices",
            "HOW",
            "How runs make choices: uniform, or as the scheduler in this file does (.json, written by check --scheduler)",
        )
        .of(&[Command::Simulate]),
        OptionSpec::with_value(
            "precision",
            "E",
            "How near the bounds must be; relative unless --absolute (default 1e-6)",
        )
        .checked(is_positive_number),
        OptionSpec::switch("absolute", "The precision is absolute"),
        OptionSpec::with_value(
            "method",
            "NAME",
            "How equations are solved: ovi (default), svi, ii, pi, lp, rational-search; vi proves nothing",
        ),
        OptionSpec::with_value(
            "bisimulation",
            "WHEN",
            "Put bisimilar states together first: auto (default: where it pays), always, never",
        ),
        OptionSpec::switch(
            "fair",
            "Only schedulers count that take every choice again and again where they can (PRISM's -fair)",
        )
        .of(&[Command::Check, Command::Certify]),
        OptionSpec::with_value("results", "FILE", "Write the values of an experiment as CSV"),
        OptionSpec::with_value(
            "plot",
            "FILE",
            "Draw the values of an experiment over the last range of constants, or the front of two objectives (.svg)",
        ),
        OptionSpec::with_value(
            "parametric",
            "P,Q",
            "Leave these constants open: the value is a rational function of them (chains)",
        )
        .of(&[Command::Check, Command::Certify]),
        OptionSpec::with_value(
            "region",
            "L<=P<=H,…",
            "Leave these constants open: does a bound hold wherever they lie between their ends?",
        )
        .of(&[Command::Check, Command::Certify]),
        OptionSpec::with_value(
            "partition",
            "E",
            "Divide the region into good and bad parts, until at most this share of it is open",
        )
        .checked(is_positive_number)
        .of(&[Command::Check]),
        OptionSpec::with_value(
            "scheduler",
            "FILE",
            "Write the best scheduler (.json, .csv), or the chain it makes (.dot, .tra, .drn)",
        ),
        OptionSpec::with_value(
            "confidence",
            "P",
            "With which probability an answer by sampling is right (default 0.99)",
        )
        .checked(is_positive_number)
        .of(&[Command::Check, Command::Simulate])
        .for_engines(SAMPLING),
        OptionSpec::with_value(
            "error",
            "E",
            "How far a probability by sampling may be off (default 0.01; where runs are split relatively to itself, default 0.1)",
        )
        .checked(is_positive_number)
        .for_engines(SAMPLING),
        OptionSpec::choice(
            "estimator",
            &[
                ("clopper-pearson", "as many runs as the exact interval needs; for a bound a sequential test"),
                ("okamoto", "as many runs as Okamoto's bound needs"),
                ("splitting", "runs are split on their way to the goal, for small probabilities"),
            ],
            "How probabilities are estimated from random runs",
        )
        .for_engines(SAMPLING),
        OptionSpec::with_value(
            "importance",
            "EXPR",
            "For --estimator splitting: a number that grows towards the goal (default: how nearly the goal's condition is met)",
        )
        .for_engines(SAMPLING),
        OptionSpec::number("seed", "The seed of random runs (default 1)").for_engines(SAMPLING),
        OptionSpec::with_value(
            "state-limit",
            "N",
            "Leave states beyond this number unexplored: answers are bounds",
        )
        .checked(is_count),
        standard::THREADS,
    ],
    engines: &[
        EngineInfo {
            name: "adaptive",
            about: "by the size of the model: explicit states, then the part that matters, then decision diagrams (the default)",
            logics: &[Logic::Probabilistic],
        },
        EngineInfo {
            name: "sparse",
            about: "explicit states; sound bounds by optimistic value iteration, exact numbers where that is cheap",
            logics: &[Logic::Probabilistic],
        },
        EngineInfo {
            name: "symbolic",
            about: "decision diagrams; states one by one only where graph analysis leaves them open",
            logics: &[Logic::Probabilistic],
        },
        EngineInfo {
            name: "partial",
            about: "only the part of the model that matters, found by guided walks; sound bounds for the whole",
            logics: &[Logic::Probabilistic],
        },
        EngineInfo {
            name: "statistical",
            about: "random runs of a chain; an interval, or a verdict, that is right with the asked confidence",
            logics: &[Logic::Probabilistic],
        },
        EngineInfo {
            name: "exact",
            about: "explicit states; exact rational numbers by policy iteration and elimination",
            logics: &[Logic::Probabilistic],
        },
        EngineInfo {
            name: "digital",
            about: "timed automata: clocks as integers, then as `adaptive` (where constraints are closed)",
            logics: &[Logic::Probabilistic],
        },
        EngineInfo {
            name: "backward",
            about: "timed automata: backward reachability on zones, also with strict bounds and differences of clocks",
            logics: &[Logic::Probabilistic],
        },
        EngineInfo {
            name: "regions",
            about: "timed automata: the region graph, state by state, also with strict bounds and differences of clocks",
            logics: &[Logic::Probabilistic],
        },
    ],
    load: load::load,
};
