//! The logics that properties are written in.

use std::fmt;

/// The logic that a property is written in. A property may belong to several; this is the one its author used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Logic {
    /// A condition without temporal operators.
    Propositional,
    /// A condition on all reachable states.
    Invariant,
    /// Computation tree logic, with bounded operators.
    Ctl,
    /// Linear temporal logic, with past and bounded operators.
    Ltl,
    /// CTL*.
    CtlStar,
    /// The modal mu-calculus.
    Mu,
    /// Lengths of shortest and longest paths.
    Compute,
    /// No error and no invalid end of a program.
    Safety,
    /// A never claim.
    NeverClaim,
    /// No acceptance cycle.
    Acceptance,
    /// No cycle without progress.
    Progress,
    /// Probabilities, rewards and averages: PCTL, CSL and LTL inside their operators.
    Probabilistic,
    /// Who wins a parity game.
    Parity,
    /// Who wins a game with another objective.
    Game,
    /// Runs in real time: reachability, safety and recurrence with clocks.
    Timed,
    /// Recognised, but not decided yet.
    Unsupported,
}

/// Logics with the names that reports and saved evidence have for them. A logic that is added gets a row here.
const NAMES: [(Logic, &str); 16] = [
    (Logic::Propositional, "propositional"),
    (Logic::Invariant, "invariant"),
    (Logic::Ctl, "ctl"),
    (Logic::Ltl, "ltl"),
    (Logic::CtlStar, "ctl*"),
    (Logic::Mu, "mu"),
    (Logic::Compute, "compute"),
    (Logic::Safety, "safety"),
    (Logic::NeverClaim, "never"),
    (Logic::Acceptance, "acceptance"),
    (Logic::Progress, "progress"),
    (Logic::Probabilistic, "probabilistic"),
    (Logic::Parity, "parity"),
    (Logic::Game, "game"),
    (Logic::Timed, "timed"),
    (Logic::Unsupported, "unsupported"),
];

impl Logic {
    /// Its name in reports and saved evidence.
    pub fn name(self) -> &'static str {
        let row = NAMES.iter().find(|(logic, _)| *logic == self);
        row.map_or("unsupported", |(_, name)| name)
    }

    /// The logic of a name.
    pub fn named(name: &str) -> Option<Logic> {
        NAMES
            .iter()
            .find(|(_, known)| *known == name)
            .map(|(logic, _)| *logic)
    }

    /// Whether path quantifiers of the language that the property came from range over just paths only, compassion left out (as in NuSMV).
    pub fn ignores_compassion(self) -> bool {
        matches!(self, Logic::Ctl | Logic::Compute)
    }
}

impl fmt::Display for Logic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_logic_is_found_by_its_name() {
        for (logic, name) in NAMES {
            assert_eq!(Logic::named(name), Some(logic));
            assert_eq!(logic.name(), name);
        }
    }
}
