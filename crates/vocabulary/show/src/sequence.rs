//! Message sequence charts: lanes side by side, messages as arrows between them.

use serde::{Deserialize, Serialize};

/// A run as a chart. A row is a step.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SequenceChart {
    /// The processes, in the order in which they appear.
    pub lanes: Vec<Lane>,
    /// The steps.
    pub rows: Vec<SequenceRow>,
    /// The messages, in the order in which they are sent.
    pub arrows: Vec<Arrow>,
    /// The run returns to before this row.
    pub loop_start: Option<usize>,
}

/// A process.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lane {
    /// Its name.
    pub name: String,
    /// The first row in which it is there.
    pub first: usize,
    /// The row behind the last in which it is there.
    pub end: usize,
}

/// A step.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SequenceRow {
    /// The lane of the process that moves.
    pub lane: usize,
    /// Where the statement stands.
    pub place: String,
    /// The statement.
    pub text: String,
}

/// A message.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Arrow {
    /// Row and lane where it is sent.
    pub from: (usize, usize),
    /// Row and lane where it is received, if it is.
    pub to: Option<(usize, usize)>,
    /// Its channel.
    pub channel: String,
    /// Its content.
    pub message: String,
}
