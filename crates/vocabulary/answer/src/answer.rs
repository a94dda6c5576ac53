//! What an engine gives back.

use crate::{Guarantee, Quantity, Statistics};
use serde::{Deserialize, Serialize};
use std::any::Any;
use std::fmt;

/// The answer to "does the model satisfy the property?".
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// Yes; for a question that asks for a number: it is known.
    Holds,
    /// No.
    Fails,
    /// Not decided; the answer's `reason` says why.
    Unknown,
}

impl Verdict {
    /// Its name in reports and saved evidence.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Holds => "holds",
            Verdict::Fails => "fails",
            Verdict::Unknown => "unknown",
        }
    }

    /// The verdict of this name.
    pub fn named(name: &str) -> Option<Verdict> {
        [Verdict::Holds, Verdict::Fails, Verdict::Unknown]
            .into_iter()
            .find(|verdict| verdict.name() == name)
    }
}

/// Why a verdict should be believed, at the border between families and the app. Underneath is plain data that only the family's own
/// checker understands.
pub trait Evidence: Any + fmt::Debug + Send {
    /// What it is called in reports ("trace", "invariant", "exhaustive").
    fn kind(&self) -> &'static str;

    /// Whether it is, or contains, the bare claim that everything was searched. Such a claim can be checked only by searching again.
    fn is_search_claim(&self) -> bool {
        false
    }

    /// Whether it is nothing but such a claim, so that there is nothing else to check.
    fn is_bare_search_claim(&self) -> bool {
        self.is_search_claim()
    }
}

impl dyn Evidence {
    /// The plain data underneath, if it is of this type.
    pub fn data<E: Evidence>(&self) -> Option<&E> {
        let evidence: &dyn Any = self;
        evidence.downcast_ref()
    }
}

/// What the user should look at although it does not change the verdict.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Warning {
    /// What it is about.
    pub kind: WarningKind,
    /// The message.
    pub text: String,
}

/// What a warning is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WarningKind {
    /// The property holds because something in it is never met.
    Vacuous,
    /// A part of the property does not matter: it holds with something stronger in its place.
    IrrelevantPart,
    /// Some state has no successor.
    DeadEnd,
    /// No path meets the fairness constraints.
    NoFairPath,
    /// Anything else.
    Other,
}

impl Warning {
    /// A warning of a kind.
    pub fn new(kind: WarningKind, text: impl Into<String>) -> Warning {
        Warning {
            kind,
            text: text.into(),
        }
    }
}

impl From<String> for Warning {
    fn from(text: String) -> Warning {
        Warning::new(WarningKind::Other, text)
    }
}

impl From<&str> for Warning {
    fn from(text: &str) -> Warning {
        text.to_owned().into()
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// One round of abstraction and refinement: how an answer was found, for people to read.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Round {
    /// What the abstraction keeps, by name: variables, predicates, signals. May be left out where they are too many.
    pub kept: Vec<String>,
    /// What of it is new in this round.
    pub added: Vec<String>,
    /// How large the abstraction is ("3 of 17 variables").
    pub size: String,
    /// What the abstract model said ("fails in 4 steps").
    pub found: String,
    /// How the abstract counterexample died, or why the answer stands.
    pub outcome: String,
    /// What the round took.
    pub seconds: f64,
}

/// The answer to one property, with evidence of type `E`.
#[derive(Clone, Debug)]
pub struct Answer<E = Box<dyn Evidence>> {
    /// The verdict.
    pub verdict: Verdict,
    /// How far it reaches.
    pub guarantee: Guarantee,
    /// The value of a question that asks for a number.
    pub value: Option<Quantity>,
    /// Why it is unknown, or what else is worth knowing about the verdict.
    pub reason: Option<String>,
    /// What the user should look at: vacuity, dead ends, no fair path.
    pub warnings: Vec<Warning>,
    /// Counters.
    pub statistics: Statistics,
    /// The rounds of abstraction it took; none for answers about the model itself.
    pub rounds: Vec<Round>,
    /// Why it should be believed. Only an unknown verdict has none.
    pub evidence: Option<E>,
}

impl<E> Answer<E> {
    /// A complete answer with its evidence.
    pub fn complete(verdict: Verdict, evidence: E) -> Answer<E> {
        Answer {
            verdict,
            guarantee: Guarantee::Complete,
            value: None,
            reason: None,
            warnings: Vec::new(),
            statistics: Statistics::default(),
            rounds: Vec::new(),
            evidence: Some(evidence),
        }
    }

    /// No answer, and why.
    pub fn unknown(reason: impl Into<String>) -> Answer<E> {
        Answer {
            verdict: Verdict::Unknown,
            guarantee: Guarantee::Complete,
            value: None,
            reason: Some(reason.into()),
            warnings: Vec::new(),
            statistics: Statistics::default(),
            rounds: Vec::new(),
            evidence: None,
        }
    }

    /// The same answer with the value that was asked for, if one was.
    pub fn with_value(self, value: impl Into<Option<Quantity>>) -> Answer<E> {
        Answer {
            value: value.into(),
            ..self
        }
    }

    /// The same answer with its evidence in another form.
    pub fn map<F>(self, form: impl FnOnce(E) -> F) -> Answer<F> {
        Answer {
            verdict: self.verdict,
            guarantee: self.guarantee,
            value: self.value,
            reason: self.reason,
            warnings: self.warnings,
            statistics: self.statistics,
            rounds: self.rounds,
            evidence: self.evidence.map(form),
        }
    }

    /// The same answer without its evidence.
    pub fn bare(&self) -> Answer<std::convert::Infallible> {
        Answer {
            verdict: self.verdict,
            guarantee: self.guarantee.clone(),
            value: self.value.clone(),
            reason: self.reason.clone(),
            warnings: self.warnings.clone(),
            statistics: self.statistics.clone(),
            rounds: self.rounds.clone(),
            evidence: None,
        }
    }
}

impl<E: Evidence> Answer<E> {
    /// The same answer as the app sees it.
    pub fn boxed(self) -> Answer {
        self.map(|evidence| Box::new(evidence) as Box<dyn Evidence>)
    }
}

impl Answer {
    /// The evidence as the plain data of a family: nothing if there is none, or if it is not that family's.
    pub fn evidence_as<E: Evidence>(&self) -> Option<&E> {
        self.evidence.as_ref()?.data()
    }
}
