//! Games, and specifications that are games of a system against its environment.
//!
//! **Here:** the family of PGSolver's `.pg` and `.gm` files (who wins the start vertex?), of games with other objectives (`.game`), of Boolean equation systems (`.bes`), and of specifications of reactive systems, in TLSF, extended HOA, or
//! as a formula with inputs and outputs (is there a machine that realizes them?). GR(1) specifications of Slugs are such formulas.
//!
//! **Not here:** the solvers (`entail-parity`, `entail-objectives`, `entail-synthesis`), the judge of solutions (`entail-strategy`), the formats (`entail-pgsolver`, `entail-arena`, `entail-tlsf`).
//!
//! **Invariants:** an answer about a game has a solution of the whole game as evidence, both players' strategies included; an answer about a specification has
//! a circuit, the system's or the environment's, which is closed by free inputs and given to a model checker, or, in GR(1), ranks, which are judged by local conditions. No judge shares code with the solver.

mod accepted;
mod checker;
mod circuit;
mod closed;
mod concurrent;
mod concurrent_checker;
mod concurrent_contest;
mod contest;
mod core;
mod drawing;
mod equations;
mod game_formula;
mod listed;
mod machine_formats;
mod machine_table;
mod model;
mod objective;
mod objective_checker;
mod objective_contest;
mod plant;
mod questions;
mod ranks;
mod realization;
mod route;
mod small;
mod specification;
mod walk;

use entail_family::{Command, EngineInfo, Family, Input, Language, LoadError, Model, OptionSpec, standard};
use entail_logic::Logic;

/// The row.
pub static FAMILY: Family = Family {
    name: "games",
    about: "two-player games, and specifications of reactive systems: who wins, and how",
    languages: &[
        Language {
            name: "pgsolver",
            title: "PGSolver",
            extensions: &["pg", "gm", ""],
            recognises: Some(entail_pgsolver::looks_like_game),
        },
        Language {
            name: "game",
            title: "games with an objective",
            extensions: &["game"],
            recognises: None,
        },
        Language {
            name: "bes",
            title: "Boolean equation systems",
            extensions: &["bes"],
            recognises: None,
        },
        Language {
            name: "tlsf",
            title: "TLSF",
            extensions: &["tlsf"],
            recognises: None,
        },
        Language {
            name: "slugs",
            title: "Slugs' GR(1) specifications",
            extensions: &["slugsin"],
            recognises: None,
        },
        Language {
            name: "structured-slugs",
            title: "structured slugs",
            extensions: &["structuredslugs"],
            recognises: None,
        },
        Language {
            name: "ehoa",
            title: "extended HOA",
            extensions: &["ehoa"],
            recognises: None,
        },
        Language {
            name: "aiger-game",
            title: "AIGER with controllable inputs",
            extensions: &[],
            recognises: None,
        },
        Language {
            name: "synthesis-ltl",
            title: "LTL with inputs and outputs",
            extensions: &[],
            recognises: None,
        },
    ],
    options: &[CORE, MACHINE, PARAMETER, SEMANTICS, INPUTS, OUTPUTS, THREADS],
    engines: &[
        solver(0),
        solver(1),
        solver(2),
        solver(3),
        solver(4),
        solver(5),
        solver(6),
        solver(7),
        solver(8),
        EngineInfo {
            name: objective::ENGINE,
            about: "games with other objectives: attractors, Zielonka trees and parity games, energy progress measures, strategy improvement; both players at once: nested fixpoints",
            logics: &[Logic::Game],
        },
        route(0),
        route(1),
        route(2),
        route(3),
        route(4),
        EngineInfo {
            name: ranks::ENGINE,
            about: ranks::ABOUT,
            logics: &[Logic::Ltl],
        },
        EngineInfo {
            name: plant::ENGINE,
            about: "safety games on circuits with controllable inputs: the greatest fixpoint with decision diagrams",
            logics: &[Logic::Safety],
        },
    ],
    load,
};

const COMMANDS: &[Command] = &[
    Command::Check,
    Command::Synth,
    Command::Certify,
    Command::Structure,
];

/// `--threads N`
const THREADS: OptionSpec = standard::THREADS.for_engines(&["fixpoint-iteration", "strategy-improvement"]);

/// `--parameter NAME=NUMBER`
const PARAMETER: OptionSpec = OptionSpec::with_value(
    "parameter",
    "NAME=NUMBER",
    "Give a parameter of a TLSF specification another value",
)
.of(COMMANDS)
.repeated();

/// `--semantics HOW`
const SEMANTICS: OptionSpec = OptionSpec::choice(
    "semantics",
    &[
        ("mealy", "outputs may depend on the inputs of the same step"),
        ("moore", "outputs are decided before the inputs of the same step"),
    ],
    "The kind of machine that is looked for; the default is what the specification says, or Mealy",
)
.of(COMMANDS);

/// `--core`
pub(crate) const CORE: OptionSpec = OptionSpec::switch(
    "core",
    "Of a TLSF specification that is unrealizable, find guarantees that cannot be met together",
)
.of(&[Command::Check, Command::Synth]);

/// `--machine`
pub(crate) const MACHINE: OptionSpec = OptionSpec::switch(
    "machine",
    "Make the winner's machine as evidence also where ranks would do (GR(1)); `entail synth` does so",
)
.of(&[Command::Check, Command::Synth]);

/// `--inputs NAMES`
const INPUTS: OptionSpec =
    OptionSpec::with_value("inputs", "NAMES", "The inputs of --formula, separated by commas")
        .of(&[Command::Synth])
        .repeated();

/// `--outputs NAMES`
const OUTPUTS: OptionSpec = OptionSpec::with_value(
    "outputs",
    "NAMES",
    "The outputs of --formula, separated by commas",
)
.of(&[Command::Synth])
.repeated();

fn load(input: &Input<'_>) -> Result<Box<dyn Model>, LoadError> {
    match input.language.name {
        "pgsolver" => model::load(input),
        "game" => objective::load(input),
        "bes" => equations::load(input),
        "aiger-game" => plant::load(input),
        _ => specification::load(input),
    }
}

/// A way to decide specifications as it is listed.
const fn route(row: usize) -> EngineInfo {
    let route = route::Route::ALL[row];
    EngineInfo {
        name: route.name(),
        about: route.about(),
        logics: &[Logic::Ltl],
    }
}

/// A solver as it is listed.
const fn solver(row: usize) -> EngineInfo {
    let (_, name, about) = entail_parity::SOLVERS[row];
    EngineInfo {
        name,
        about,
        logics: &[Logic::Parity],
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_solver_is_an_engine() {
        let engines: Vec<&str> = super::FAMILY.engines.iter().map(|engine| engine.name).collect();
        let solvers = entail_parity::SOLVERS.map(|(_, name, _)| name);
        assert_eq!(engines[..solvers.len()], solvers);
    }
}
