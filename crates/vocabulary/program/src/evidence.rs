//! Why an answer about a program should be believed. Plain data.

use crate::reduced_set::ReducedSet;
use crate::run::Run;
use entail_answer::{ClosedSet, Evidence, Figure, RankedSet, Statistics};

/// Why an answer about a program should be believed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProgramEvidence {
    /// A run that violates the requirement. `entail_programs_checker::judge` judges it.
    Run(Run),
    /// All reachable states at rest, and perhaps more, written by [`crate::state_bytes::encode`]: no step leaves them, and nothing is wrong in any of them.
    /// `entail_programs_checker::check_closed` looks at each.
    Closed(ClosedSet),
    /// States at rest with positions of what watches for violations, and ranks: no infinite run violates the requirement. `entail_programs_checker::check_ranked` looks at each state.
    Ranked(RankedSet),
    /// States at rest of a reduced search, with what was taken of their steps, and ranks where infinite runs are watched. `entail_programs_checker::check_reduced` looks at each state, and finds out by itself whether what was taken
    /// suffices.
    Reduced(ReducedSet),
    /// Everything was searched. `entail_programs_checker::search_again` does so once more.
    Exhaustive {
        /// States that were stored.
        states: u64,
    },
}

impl Evidence for ProgramEvidence {
    fn kind(&self) -> &'static str {
        match self {
            ProgramEvidence::Run(_) => "run",
            ProgramEvidence::Closed(_) => "closed-set",
            ProgramEvidence::Ranked(_) => "ranked-set",
            ProgramEvidence::Reduced(_) => "reduced-set",
            ProgramEvidence::Exhaustive { .. } => "exhaustive",
        }
    }

    fn is_search_claim(&self) -> bool {
        matches!(self, ProgramEvidence::Exhaustive { .. })
    }
}

/// Whether a search left out steps because the order of independent steps does not matter (partial-order reduction).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Reduction {
    /// It was switched off.
    #[default]
    Off,
    /// It was used.
    Used,
    /// It would not be sound, for this reason.
    Refused(String),
}

/// The name of the counter that tells about reduction.
const REDUCTION: &str = "reduction";

/// What the counter's text begins with where reduction was refused; the reason follows.
const REFUSED: &str = "refused: ";

impl Reduction {
    /// Tells it among an answer's counters.
    pub fn tell(&self, statistics: &mut Statistics) {
        let text = match self {
            Reduction::Off => "off".to_owned(),
            Reduction::Used => "used".to_owned(),
            Reduction::Refused(reason) => format!("{REFUSED}{reason}"),
        };
        statistics.set(REDUCTION, Figure::Text(text));
    }

    /// What an answer's counters tell about it, if they do.
    pub fn told(statistics: &Statistics) -> Option<Reduction> {
        let Some(Figure::Text(text)) = statistics.get(REDUCTION) else {
            return None;
        };
        match (text.as_str(), text.strip_prefix(REFUSED)) {
            ("off", _) => Some(Reduction::Off),
            ("used", _) => Some(Reduction::Used),
            (_, Some(reason)) => Some(Reduction::Refused(reason.to_owned())),
            _ => None,
        }
    }
}
