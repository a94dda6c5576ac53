//! Walking through a model, step by step.

use entail_budget::Budget;
use entail_show::{Column, Shown};
use rand::{Rng, RngCore};
use serde_json::Value as Json;

/// A walk through a model. Before the first choice it is nowhere: the first choices are the initial states.
pub trait Walk {
    /// What can be done now, a line each; at most `most` of them.
    fn choices(&mut self, most: usize, budget: &Budget) -> Vec<String>;

    /// Takes one of the choices that [`Walk::choices`] listed last.
    fn take(&mut self, choice: usize);

    /// Takes a step at random; false if there is none. By default all choices are equally likely.
    fn take_at_random(&mut self, random: &mut dyn RngCore, budget: &Budget) -> bool {
        let choices = self.choices(usize::MAX, budget).len();
        if choices > 0 {
            self.take((&mut &mut *random).random_range(0..choices));
        }
        choices > 0
    }

    /// From now on offers and takes only steps after which a condition in the model's own syntax is true; without one, all again. The error says what is wrong with it.
    fn constrain(&mut self, _condition: Option<&str>) -> Result<(), String> {
        Err("walks through this kind of system take no conditions".to_owned())
    }

    /// Takes steps back, at most to the initial state.
    fn back(&mut self, steps: usize);

    /// Number of steps taken from the initial state.
    fn steps(&self) -> usize {
        let shown = self.shown();
        shown
            .timeline()
            .map_or(0, |timeline| timeline.positions.saturating_sub(1))
    }

    /// Why there is no further step, when there is none.
    fn ending(&self) -> Vec<String> {
        vec!["no successor: this state is a dead end".to_owned()]
    }

    /// The current state, a line for each thing in it; by default the last values of the timeline.
    fn state(&self) -> Vec<String> {
        let shown = self.shown();
        let Some(timeline) = shown.timeline() else {
            return Vec::new();
        };
        let last = timeline.positions.saturating_sub(1);
        let line = |column: &Column| Some(format!("{} = {}", column.name, column.value(last)?));
        timeline.columns.iter().filter_map(line).collect()
    }

    /// The walk so far: a timeline first, and what else this kind shows of runs.
    fn shown(&self) -> Shown;

    /// The walk as a saved document: what [`Walk::resume`] reads, and `entail view`.
    fn to_json(&self) -> Json;

    /// Goes to the end of a saved trace, or says why it is not one of this model.
    fn resume(&mut self, document: &Json) -> Result<(), String>;

    /// Whether the walk has come to an error of the model; it ends with the status of a property that fails.
    fn has_failed(&self) -> bool {
        false
    }

    /// The walk in a format of the field that files of this extension are in; nothing if there is no such format.
    fn export(&self, _extension: &str) -> Option<Result<String, String>> {
        None
    }
}
