//! The options that programs understand, and how they make a search.

use crate::model::ProgramModel;
use entail_family::{Command, LoadError, OptionSpec, Options, Usage, standard};
use entail_program::{Program, RequirementKind};
use entail_search::{CheckpointFile, DiskOptions, MachineCode, Order, SearchOptions, Subject, digest, units};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// How often a search is saved where nothing else is said.
const SAVED_EVERY: Duration = Duration::from_secs(300);

/// The options of the family.
pub(crate) const OPTIONS: &[OptionSpec] = &[
    standard::THREADS,
    standard::TAU,
    OptionSpec::choice(
        "fairness",
        &[
            ("none", "all runs count"),
            (
                "weak",
                "a process that can always move from some time on moves again and again",
            ),
        ],
        "Which infinite runs count",
    ),
    OptionSpec::switch(
        "no-reduction",
        "Take every step in every order, also where one order suffices",
    )
    .not_with(&["reduction"]),
    OptionSpec::with_value(
        "reduction",
        "KINDS",
        "Which steps are left out: off, persistent (persistent sets; the default), sleep (sleep sets, safety only: all states along fewer steps), or with `--search dfs` persistent,sleep",
    )
    .not_with(&["no-reduction", "shortest"])
    .checked(|text| Reductions::read(text).map(|_| ())),
    OptionSpec::switch(
        "symmetry",
        "Interchange processes of one type that nobody can tell apart, if the program allows it (safety only)",
    )
    .not_with(&["shortest", "context-bound", "checkpoint", "resume"]),
    standard::SEARCH.not_with(&["shortest", "context-bound"]),
    standard::WALKS.checked(|text| units::walks(text).map(|_| ())),
    OptionSpec::switch(
        "shortest",
        "Find a shortest violating run of all: breadth first, without reduction",
    )
    .not_with(&["search", "context-bound", "symmetry", "reduction"]),
    OptionSpec::with_value(
        "context-bound",
        "N",
        "Search runs with the fewest changes of the moving process first, up to so many changes",
    )
    .not_with(&["search", "shortest", "checkpoint", "resume", "symmetry"])
    .checked(|text| changes(text).map(|_| ())),
    standard::CHECKPOINT.not_with(&["context-bound", "symmetry"]),
    standard::CHECKPOINT_EVERY.checked(|text| units::duration(text).map(|_| ())),
    standard::RESUME.not_with(&["context-bound", "symmetry"]),
    standard::STORAGE.checked(|text| units::storage(text).map(|_| ())),
    OptionSpec::switch(
        "interpret",
        "Interpret every step; by default those that are made often are compiled to machine code",
    ),
    OptionSpec::switch("msc", "Print runs as message sequence charts, too").of(&[
        Command::Check,
        Command::Simulate,
        Command::Certify,
    ]),
    OptionSpec::with_value("trail", "FILE", "Follow a trail of SPIN").of(&[Command::Simulate]),
    standard::DEFINE,
    standard::INCLUDE,
];

/// Which reductions are asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Reductions {
    persistent: bool,
    sleep: bool,
}

impl Reductions {
    fn read(text: &str) -> Result<Reductions, String> {
        let (persistent, sleep) = match text {
            "off" => (false, false),
            "persistent" => (true, false),
            "sleep" => (false, true),
            "persistent,sleep" | "sleep,persistent" => (true, true),
            _ => {
                return Err(format!(
                    "`{text}` is no reduction: write off, persistent, sleep or persistent,sleep"
                ));
            }
        };
        Ok(Reductions { persistent, sleep })
    }
}

fn changes(text: &str) -> Result<u32, String> {
    text.parse()
        .map_err(|_| "a number of changes is needed".to_owned())
}

/// Whether only runs count that are weakly fair.
pub(crate) fn is_fair(options: &Options) -> bool {
    options.value("fairness") == Some("weak")
}

/// How to search, without checkpoints.
pub fn search_options(options: &Options) -> Result<SearchOptions, Usage> {
    let threads = options.parsed("threads", |text| match text.parse::<usize>() {
        Ok(threads @ 1..) => Ok(threads),
        _ => Err("a number from 1 on is needed".to_owned()),
    })?;
    let reductions = match options.parsed("reduction", Reductions::read)? {
        Some(reductions) => reductions,
        None => Reductions {
            persistent: !options.has("no-reduction") && !options.has("shortest"),
            sleep: false,
        },
    };
    if reductions.persistent && reductions.sleep && options.value("search") != Some("dfs") {
        let message =
            "persistent and sleep sets go together depth first: add --search dfs, or ask for one of them";
        return Err(Usage(message.into()));
    }
    let cores = || std::thread::available_parallelism().map_or(1, usize::from);
    Ok(SearchOptions {
        weak_fairness: is_fair(options),
        reduction: reductions.persistent,
        sleep_sets: reductions.sleep,
        storage: options.parsed("storage", units::storage)?.unwrap_or_default(),
        disk: DiskOptions {
            folder: options.value("storage").and_then(units::storage_folder),
            buffer: None,
        },
        order: match options.value("search") {
            Some("dfs") => Order::DepthFirst,
            Some("random") => Order::Random,
            _ => Order::BreadthFirst,
        },
        walks: options.parsed("walks", units::walks)?.unwrap_or_default(),
        context_bound: options.parsed("context-bound", changes)?,
        threads: threads.unwrap_or_else(cores),
        // Which path is found is then left to chance, so several threads look for cycles only where they are asked for.
        cycle_threads: threads.unwrap_or(1),
        machine_code: match options.has("interpret") {
            true => MachineCode::Never,
            false => MachineCode::default(),
        },
        ..SearchOptions::default()
    })
}

/// The file in which a search is saved, and the one that it goes on with.
fn checkpoint_paths(options: &Options) -> Option<(PathBuf, Option<PathBuf>)> {
    let path = |name: &str| options.value(name).map(PathBuf::from);
    let from = path("resume");
    Some((path("checkpoint").or_else(|| from.clone())?, from))
}

/// What goes wrong with checkpoints while a search goes on.
pub(crate) type Troubles = Arc<Mutex<Vec<String>>>;

/// How to search for one property. `again` says that this search was saved before and is to go on.
pub(crate) fn search_for(
    model: &ProgramModel,
    property: usize,
    options: &Options,
    again: bool,
    troubles: &Troubles,
) -> Result<SearchOptions, LoadError> {
    let mut search = search_options(options)?;
    let Some((path, from)) = checkpoint_paths(options) else {
        return Ok(search);
    };
    let requirement = &model.requirements()[property];
    if requirement.question != RequirementKind::Safety
        || search.order != Order::BreadthFirst
        || search.storage.is_lossy()
    {
        let message = "checkpoints are for safety, searched breadth first with exact or tree storage";
        return Err(Usage(message.into()).into());
    }
    let every = options.parsed("checkpoint-every", units::duration)?;
    let from = match again && path.exists() {
        true => Some(path.clone()),
        false => from,
    };
    let troubles = troubles.clone();
    // A file may be given another name.
    let program = Program {
        sources: Vec::new(),
        ..model.program().clone()
    };
    let subject = Subject {
        model: digest(&program),
        property: digest(&model.requirements().get(property)),
        options: format!("reduction {}", if search.reduction { "on" } else { "off" }),
    };
    let file = CheckpointFile::new(
        path.clone(),
        from.as_deref(),
        every.unwrap_or(SAVED_EVERY),
        subject,
        move |trouble| {
            if let Ok(mut troubles) = troubles.lock() {
                troubles.push(trouble.to_owned());
            }
        },
    );
    let file = file.map_err(|error| LoadError::Unreadable {
        path: from.unwrap_or(path),
        reason: error.to_string(),
    })?;
    search.checkpoints = Some(Arc::new(file));
    Ok(search)
}

/// Whether the options make sense for these properties together.
pub(crate) fn check(model: &ProgramModel, properties: &[usize], options: &Options) -> Result<(), LoadError> {
    search_options(options)?;
    if checkpoint_paths(options).is_some() {
        let [property] = properties else {
            let message = "a checkpoint is of one property: say which with --property";
            return Err(Usage(message.into()).into());
        };
        search_for(model, *property, options, false, &Troubles::default())?;
    }
    Ok(())
}
