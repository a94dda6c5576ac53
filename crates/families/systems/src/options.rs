//! The options of transition systems, and their values as engines take them.

use crate::engines::{ABSTRACT, EngineSettings};
use crate::equivalence::{AGAINST, EACH};
use crate::model::SystemModel;
use crate::project::{FILE_LIST, PROPERTIES, SOURCE};
use crate::reset::Reset;
use crate::simulated::Simulated;
use entail_evidence::json::dead_ends_name;
use entail_evidence::{CheckOptions, DeadEnds};
use entail_family::{Command, OptionSpec, Options, Usage, standard};
use entail_logic::Question;
use entail_search::{CheckpointFile, Order, SearchOptions, Subject, digest, units};
use entail_symbolic::Reordering;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Commands that compare two circuits.
const COMPARING: &[Command] = &[Command::Check, Command::Certify];

/// Engines that search states one by one.
const EXPLICIT: &[&str] = &["explicit"];

/// How often a search is saved where nothing else is said.
const SAVED_EVERY: Duration = Duration::from_secs(300);

/// Engines that use decision diagrams.
const DIAGRAMS: &[&str] = &["bdd", "cegar", "predicates", ABSTRACT];

/// Engines that use several threads.
const THREADED: &[&str] = &["explicit", "bdd", "cegar", "predicates", ABSTRACT];

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
    "sweep",
    "cegar",
    "predicates",
];

/// `--top MODULE`
pub(crate) const TOP: OptionSpec = OptionSpec::with_value(
    "top",
    "MODULE",
    "The top module of a Verilog design; by default yosys finds it",
)
.of(standard::READING);

/// `--parameter NAME=NUMBER`
pub(crate) const PARAMETER: OptionSpec = OptionSpec::with_value(
    "parameter",
    "NAME=NUMBER",
    "Give a parameter (of a specification, or of the top module of a Verilog design) another value",
)
.repeated()
.of(standard::READING);

/// The options, in the order in which help lists them.
pub(crate) const OPTIONS: &[OptionSpec] = &[
    standard::BOUND.for_engines(BOUNDED),
    standard::THREADS.for_engines(THREADED),
    standard::SEARCH.for_engines(EXPLICIT),
    standard::WALKS
        .for_engines(EXPLICIT)
        .checked(|text| units::walks(text).map(|_| ())),
    standard::STORAGE
        .for_engines(EXPLICIT)
        .checked(|text| units::storage(text).map(|_| ())),
    standard::CHECKPOINT.for_engines(EXPLICIT),
    standard::CHECKPOINT_EVERY
        .for_engines(EXPLICIT)
        .checked(|text| units::duration(text).map(|_| ())),
    standard::RESUME.for_engines(EXPLICIT),
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
    TOP,
    OptionSpec::with_value(
        "reset",
        "NAME=VALUE:STEPS",
        "A signal of a Verilog design that has this value in the first steps, and the other one from then on (`rst_n=0:3`)",
    )
    .of(standard::READING)
    .checked(|text| Reset::read(text).map(|_| ())),
    OptionSpec::switch(
        "modular",
        "What instances in a Verilog design assume is shown of what surrounds them, and not assumed; assumptions of the top module are",
    )
    .of(standard::READING),
    OptionSpec::with_value(
        "from-run",
        "RUN.vcd[:SCOPE][@TIME]",
        "A run that a simulator has recorded: the registers of a Verilog design begin with the values that they have at its end, or at a time",
    )
    .of(standard::READING)
    .checked(|text| Simulated::read(text).map(|_| ())),
    OptionSpec::with_value(
        FILE_LIST,
        "LIST.f",
        "The files of a Verilog design, its macros and folders, as simulators take them",
    )
    .repeated()
    .short('f')
    .of(standard::READING),
    OptionSpec::with_value(SOURCE, "FILE", "A further file of a Verilog design")
        .repeated()
        .of(standard::READING),
    OptionSpec::with_value(
        PROPERTIES,
        "FILE.psl",
        "Properties of a Verilog design in PSL: verification units, bound to its modules",
    )
    .repeated()
    .of(standard::READING),
    OptionSpec::with_value("task", "NAME", "The task of a SymbiYosys project").of(standard::READING),
    standard::DEFINE,
    standard::INCLUDE,
    PARAMETER,
    OptionSpec::with_value(
        AGAINST,
        "GOLD",
        "Is the circuit equivalent to this one? (`entail equiv GOLD GATE` asks the same)",
    )
    .of(COMPARING),
    OptionSpec::with_value(
        "map",
        "FILE",
        "Names of inputs, registers and outputs of two circuits that belong together, a pair on each line",
    )
    .of(COMPARING),
    OptionSpec::switch(EACH, "Compare two circuits output by output, with an answer for each").of(COMPARING),
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
    settings.search.threads = options.parsed("threads", number)?.unwrap_or(1) as usize;
    settings.search.cycle_threads = settings.search.threads;
    settings.search.storage = options.parsed("storage", units::storage)?.unwrap_or_default();
    settings.search.disk.folder = options.value("storage").and_then(units::storage_folder);
    settings.search.walks = options.parsed("walks", units::walks)?.unwrap_or_default();
    settings.search.order = match options.value("search") {
        Some("dfs") => Order::DepthFirst,
        Some("random") => Order::Random,
        _ => Order::BreadthFirst,
    };
    Ok(settings)
}

/// What goes wrong with checkpoints while a search goes on.
pub(crate) type Troubles = Arc<Mutex<Vec<String>>>;

/// How a property is searched whose search is saved on the way; nothing if that was not asked for. `again` says that this search was saved before and is to go on.
pub(crate) fn saved_search(
    model: &SystemModel,
    position: usize,
    options: &Options,
    again: bool,
    troubles: &Troubles,
) -> Result<Option<SearchOptions>, String> {
    let path = |name: &str| options.value(name).map(PathBuf::from);
    let from = path("resume");
    let Some(path) = path("checkpoint").or_else(|| from.clone()) else {
        return Ok(None);
    };
    let mut search = engine_settings(options)
        .map_err(|usage| usage.to_string())?
        .search;
    let property = model.property(position);
    let is_invariant = property.is_some_and(|asked| matches!(asked.question, Question::Invariant(_)));
    if !is_invariant || search.order != Order::BreadthFirst || search.storage.is_lossy() {
        return Err(
            "checkpoints are for invariants, searched breadth first with exact or tree storage".into(),
        );
    }
    let every = options.parsed("checkpoint-every", units::duration);
    let every = every.map_err(|usage| usage.to_string())?.unwrap_or(SAVED_EVERY);
    let check = check_options(options).map_err(|usage| usage.to_string())?;
    let subject = Subject {
        model: digest(model.system()),
        property: digest(&property.map(|asked| (&asked.text, &asked.question))),
        options: format!(
            "dead ends {:?}, bound {:?}, {}",
            check.dead_ends,
            check.bound,
            if options.has("whole") { "whole" } else { "cone" }
        ),
    };
    let from = match again && path.exists() {
        true => Some(path.clone()),
        false => from,
    };
    let troubles = troubles.clone();
    let file = CheckpointFile::new(path, from.as_deref(), every, subject, move |trouble| {
        if let Ok(mut troubles) = troubles.lock() {
            troubles.push(trouble.to_owned());
        }
    });
    search.checkpoints = Some(Arc::new(file.map_err(|error| error.to_string())?));
    Ok(Some(search))
}
