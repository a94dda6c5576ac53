//! Schedules (Gantt charts): who does what, and when.

use serde::{Deserialize, Serialize};

/// Rows above one axis of time.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Schedule {
    /// What the axis measures.
    pub time: String,
    /// The rows, from above.
    pub rows: Vec<ScheduleRow>,
}

/// What one of them does.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ScheduleRow {
    /// Who.
    pub name: String,
    /// Its stretches, in order.
    pub bars: Vec<Bar>,
}

/// A stretch of time. One that takes no time is a mark.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Bar {
    /// When it begins.
    pub from: f64,
    /// When it ends.
    pub to: f64,
    /// What is done; the same has the same colour.
    pub what: String,
}
