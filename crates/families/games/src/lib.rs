//! Games that are given vertex by vertex.
//!
//! **Here:** the family of PGSolver's `.pg` and `.gm` files: who wins the start vertex, the solution of the whole game as evidence, playing against it.
//!
//! **Not here:** the solvers (`entail-parity`), the judge (`entail-strategy`), the format (`entail-pgsolver`).
//!
//! **Invariant:** the property is *Even wins from the start vertex*; an answer's evidence is a solution of the whole game, both players' strategies included,
//! and a verdict is accepted only if all of it is right.

mod checker;
mod contest;
mod drawing;
mod model;
mod walk;

use entail_family::{EngineInfo, Family, Language};
use entail_logic::Logic;

/// The row.
pub static FAMILY: Family = Family {
    name: "games",
    about: "two-player games given vertex by vertex: who wins, and how",
    languages: &[Language {
        name: "pgsolver",
        title: "PGSolver",
        extensions: &["pg", "gm", ""],
        recognises: Some(entail_pgsolver::looks_like_game),
    }],
    options: &[],
    engines: &[
        solver(0),
        solver(1),
        solver(2),
        solver(3),
        solver(4),
        solver(5),
        solver(6),
        solver(7),
    ],
    load: model::load,
};

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
        assert_eq!(engines, solvers);
    }
}
