//! How far an answer reaches.

use crate::Figure;

/// How far an answer reaches.
#[derive(Clone, Debug, PartialEq)]
pub enum Guarantee {
    /// For all behaviours.
    Complete,
    /// For paths of at most so many steps.
    Bounded(u64),
    /// For the part of the state space that a lossy search has seen.
    Partial {
        /// Estimated share of the states seen, between 0 and 1.
        coverage: f64,
    },
    /// With this probability, for answers found by sampling.
    Statistical {
        /// Probability that the answer is right, between 0 and 1.
        confidence: f64,
        /// How far the value may be off, with that probability; nothing for a test of a hypothesis.
        error: Option<f64>,
    },
    /// The value is within this distance of the true one, but no proved bounds are known.
    Approximate {
        /// The distance aimed at.
        error: f64,
    },
}

impl Guarantee {
    /// Its name in reports and saved evidence.
    pub fn name(&self) -> &'static str {
        match self {
            Guarantee::Complete => "complete",
            Guarantee::Bounded(_) => "bounded",
            Guarantee::Partial { .. } => "partial",
            Guarantee::Statistical { .. } => "statistical",
            Guarantee::Approximate { .. } => "approximate",
        }
    }

    /// What a reader must know about an answer that is not complete.
    pub fn caveat(&self) -> Option<String> {
        match self {
            Guarantee::Complete => None,
            Guarantee::Bounded(bound) => Some(format!("only for paths of at most {bound} steps")),
            Guarantee::Partial { coverage } => {
                Some(format!("only for about {:.1} % of the states", coverage * 100.0))
            }
            Guarantee::Statistical { confidence, error } => Some(match error {
                Some(error) => format!("within {error} with probability {confidence}"),
                None => format!("with probability {confidence}"),
            }),
            Guarantee::Approximate { error } => Some(format!("about, error {error} aimed at")),
        }
    }

    /// The keys that reports and saved evidence have for it beside its name.
    pub fn figures(&self) -> Vec<(&'static str, Figure)> {
        match self {
            Guarantee::Complete => Vec::new(),
            Guarantee::Bounded(bound) => vec![("bound", Figure::Count(*bound))],
            Guarantee::Partial { coverage } => vec![("coverage", Figure::Share(*coverage))],
            Guarantee::Statistical { confidence, error } => {
                let error = error.map(|error| ("error", Figure::Share(error)));
                [("confidence", Figure::Share(*confidence))]
                    .into_iter()
                    .chain(error)
                    .collect()
            }
            Guarantee::Approximate { error } => vec![("error", Figure::Share(*error))],
        }
    }

    /// The guarantee of a name with its figures.
    pub fn named(name: &str, figure: impl Fn(&str) -> Option<f64>) -> Option<Guarantee> {
        Some(match name {
            "complete" => Guarantee::Complete,
            "bounded" => Guarantee::Bounded(figure("bound")? as u64),
            "partial" => Guarantee::Partial {
                coverage: figure("coverage")?,
            },
            "statistical" => Guarantee::Statistical {
                confidence: figure("confidence")?,
                error: figure("error"),
            },
            "approximate" => Guarantee::Approximate {
                error: figure("error")?,
            },
            _ => return None,
        })
    }
}
