//! Paths through a model, as plain data.

use entail_model::Value;

/// A finite path, or with `loop_start` an infinite one: after the last step it goes on at `loop_start`.
///
/// Each step gives a value to every variable, indexed as the system's variables. An input's value at step `k` is the one
/// chosen for the transition from step `k` to its successor; in the last step of a finite path inputs are not chosen (`None`).
/// Other `None`s do not occur in a complete trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    /// The steps; at least one.
    pub steps: Vec<Vec<Option<Value>>>,
    /// Where the path goes on after the last step, if it is infinite.
    pub loop_start: Option<usize>,
}

impl Trace {
    /// The position after `position`: the next step, or back to the start of the loop; none at the end of a finite path.
    pub fn successor(&self, position: usize) -> Option<usize> {
        if position + 1 < self.steps.len() {
            Some(position + 1)
        } else {
            self.loop_start
        }
    }

    /// What it is called in reports: a lasso if it goes on for ever.
    pub fn kind(&self) -> &'static str {
        match self.loop_start {
            Some(_) => "lasso",
            None => "trace",
        }
    }

    /// Number of transitions shown, the closing one of a loop included.
    pub fn length(&self) -> usize {
        self.steps.len() - 1 + usize::from(self.loop_start.is_some())
    }
}
