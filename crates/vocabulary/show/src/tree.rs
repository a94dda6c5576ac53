//! Claims with their reasons: why a formula is true or false in a state, why a game is won, how a proof goes.

use crate::Timeline;
use serde::{Deserialize, Serialize};

/// A claim and what it rests on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tree {
    /// What is claimed.
    pub text: String,
    /// Whether it is claimed to be true or false; nothing for a node that is no claim.
    pub truth: Option<bool>,
    /// What it rests on.
    pub support: Support,
    /// The claims it rests on, in order.
    pub children: Vec<Child>,
}

/// What a claim rests on, beside its children.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", tag = "by", content = "content")]
pub enum Support {
    /// It can be seen by looking at the state.
    Evaluation,
    /// Everything was searched.
    Exhaustion,
    /// Its children.
    Operands,
    /// A path; children with a position speak about its states.
    Path(Timeline),
    /// A rule, named.
    Rule(String),
}

/// A claim that another rests on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Child {
    /// The position on the parent's path that it speaks about.
    pub position: Option<usize>,
    /// The claim.
    pub claim: Tree,
}

impl Tree {
    /// The first path from the root on, in depth-first order.
    pub fn first_timeline(&self) -> Option<&Timeline> {
        match &self.support {
            Support::Path(timeline) => Some(timeline),
            _ => self
                .children
                .iter()
                .find_map(|child| child.claim.first_timeline()),
        }
    }
}
