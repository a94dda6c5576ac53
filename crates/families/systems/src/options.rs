//! The options of transition systems, and their values as engines take them.

use crate::engines::{ABSTRACT, EngineSettings};
use entail_evidence::json::dead_ends_name;
use entail_evidence::{CheckOptions, DeadEnds};
use entail_family::{Command, OptionSpec, Options, Usage, standard};
use entail_symbolic::Reordering;

/// Commands that read a model.
const ALL: &[Command] = &[
    Command::Check,
    Command::Simulate,
    Command::Certify,
    Command::Structure,
];

/// Engines that use decision diagrams.
const DIAGRAMS: &[&str] = &["bdd", "cegar", "predicates", ABSTRACT];

/// Engines that look at paths of bounded length, or say why they do not.
const BOUNDED: &[&str] = &[
    "explicit",
    "bmc",
    "kind",
    "ic3",
    "interpolation",
    "interpolation-sequence",
    "gla",
    "pba",
    "cegar",
    "predicates",
];

/// The options, in the order in which help lists them.
pub(crate) const OPTIONS: &[OptionSpec] = &[
    standard::BOUND.for_engines(BOUNDED),
    standard::THREADS.for_engines(DIAGRAMS),
    standard::DEAD_ENDS,
    OptionSpec::with_value(
        "abstract",
        "MAP.abs",
        "Decide on an abstract model: what is observed of the states is written in this file (visible variables, predicates, data maps)",
    )
    .for_engines(&[ABSTRACT]),
    OptionSpec::switch(
        "three-valued",
        "Decide on an abstract model with three truth values, and split its states until the answer is known",
    )
    .for_engines(&[ABSTRACT]),
    OptionSpec::with_value(
        "order",
        "FILE.ord",
        "The initial variable order of decision diagrams, as a NuSMV order file",
    )
    .for_engines(DIAGRAMS),
    OptionSpec::with_value(
        "save-order",
        "FILE.ord",
        "Save the variable order that the search for reachable states ends with",
    ),
    OptionSpec::choice(
        "reorder",
        &[
            ("none", "the order stays as it is"),
            ("sift", "sift current/next pairs when the diagrams grow"),
            ("group", "the same: pairs always move together"),
            ("converge", "sift until it gains little"),
        ],
        "Whether and how the variable order is improved on the way",
    )
    .for_engines(DIAGRAMS),
    OptionSpec::switch(
        "reachable",
        "Count the reachable states (by decision diagrams) instead of checking properties",
    ),
    OptionSpec::switch(
        "whole",
        "Let engines see the whole model, not only the part that a property depends on",
    ),
    OptionSpec::with_value(
        "top",
        "MODULE",
        "The top module of a Verilog design; by default yosys finds it",
    )
    .of(ALL),
    standard::OBSERVE,
    standard::TAU,
    OptionSpec::choice(
        LISTING,
        &[
            ("explicit", "one by one (where they are too many, as with bdd)"),
            (
                "bdd",
                "by classes of strong bisimulation, on decision diagrams, without listing states",
            ),
        ],
        "How the reachable states of a model are found",
    )
    .of(&[Command::Structure]),
];

/// The option of commands on labelled transition systems that says how states are found. (`entail check` has an option of this name, too,
/// which is common to all families.)
pub(crate) const LISTING: &str = "engine";

/// What a dead end means, by the option's value.
pub(crate) fn dead_ends_named(name: &str) -> Option<DeadEnds> {
    [
        DeadEnds::Infinite,
        DeadEnds::Maximal,
        DeadEnds::Stutter,
        DeadEnds::Error,
    ]
    .into_iter()
    .find(|policy| dead_ends_name(*policy) == name)
}

/// What all engines are told.
pub(crate) fn check_options(options: &Options) -> Result<CheckOptions, Usage> {
    let dead_ends = |name: &str| {
        dead_ends_named(name).ok_or_else(|| "infinite, maximal, stutter or error is needed".to_owned())
    };
    Ok(CheckOptions {
        bound: options.parsed("bound", number)?,
        dead_ends: options.parsed("dead-ends", dead_ends)?.unwrap_or_default(),
        threads: options.parsed("threads", number)?.unwrap_or(1) as usize,
    })
}

fn number(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| "a number is needed".to_owned())
}

/// What single engines are told, as far as the options say it alone.
pub(crate) fn engine_settings(options: &Options) -> Result<EngineSettings, Usage> {
    let mut settings = EngineSettings::default();
    let reordering = options.parsed("reorder", |name| match name {
        "none" => Ok(Reordering::None),
        "sift" | "group" => Ok(Reordering::Sift),
        "converge" => Ok(Reordering::Converge),
        _ => Err("none, sift, group or converge is needed".to_owned()),
    })?;
    if let Some(reordering) = reordering {
        settings.bdd.reordering = reordering;
    }
    Ok(settings)
}
