//! States one after the other: a trace, a lasso, a run, a walk.

use crate::SourcePlace;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A sequence of states with what happens between them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Timeline {
    /// What is observed of every state, in the order in which it is shown.
    pub columns: Vec<Column>,
    /// Number of positions, numbered from 0.
    pub positions: usize,
    /// After the last position the sequence goes on here, for ever. The number of positions means: the last state is repeated.
    pub loop_start: Option<usize>,
    /// Who moves between positions: the move at `i` leads from position `i` to the next. Empty where the kind of system has no movers; a
    /// last move without a position after it went wrong.
    pub moves: Vec<Move>,
    /// Which state each position is, so that positions can be found in a [`crate::Graph`]; empty where that is not known.
    pub keys: Vec<StateKey>,
    /// The truth of the property's subformulas at every position.
    pub formulas: Vec<FormulaRow>,
    /// The position at which the property is violated, where there is a single one.
    pub violation: Option<usize>,
    /// How the sequence ends, in sentences.
    pub ending: Vec<String>,
}

/// Identifies a state of a model within one run of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct StateKey(pub u64);

/// A named value over time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Column {
    /// Its name; dots separate scopes.
    pub name: String,
    /// What it is in the model.
    pub role: ColumnRole,
    /// What its values are.
    pub kind: ColumnKind,
    /// Its type, as the model's language writes it.
    pub type_text: Option<String>,
    /// A value that is not worth showing when it is the first one (a counter that is born with 0).
    pub quiet: Option<Arc<str>>,
    /// Where it is declared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<SourcePlace>,
    /// Whether the model's author knows it.
    #[serde(default, skip_serializing_if = "Nature::is_own")]
    pub nature: Nature,
    /// Where the value changes, in ascending order of positions; nothing where it has no value.
    changes: Vec<(usize, Option<Cell>)>,
}

/// What a column is in the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ColumnRole {
    /// Part of the state.
    State,
    /// An input: its value at a position belongs to the step from that position.
    Input,
    /// A value that never changes.
    Frozen,
    /// Computed from others.
    Define,
}

/// Whether the model's author knows a column.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Nature {
    /// It is in the model's text.
    #[default]
    Own,
    /// A translator made it: it is shown only when it is asked for.
    Generated,
    /// A clock whose rising edge is the step from each position to the next.
    Rising,
    /// A clock whose falling edge is the step.
    Falling,
}

impl Nature {
    /// It is in the model's text, and has values of its own.
    pub fn is_own(&self) -> bool {
        *self == Nature::Own
    }
}

/// What the values of a column are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ColumnKind {
    /// Truth values.
    Boolean,
    /// Words of so many bits, whose cells have their bits.
    Word(u32),
    /// Integers.
    Integer,
    /// Anything else.
    Text,
}

/// A value as people read it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cell {
    /// The text.
    pub text: Arc<str>,
    /// Of words: their bits, the most significant first.
    pub bits: Option<Arc<str>>,
}

impl Cell {
    /// A value that is nothing but its text.
    pub fn text(text: impl AsRef<str>) -> Cell {
        Cell {
            text: Arc::from(text.as_ref()),
            bits: None,
        }
    }
}

impl Column {
    /// A column without values yet.
    pub fn new(name: impl Into<String>, role: ColumnRole, kind: ColumnKind) -> Column {
        Column {
            name: name.into(),
            role,
            kind,
            type_text: None,
            quiet: None,
            place: None,
            nature: Nature::Own,
            changes: Vec::new(),
        }
    }

    /// A column with these texts as its values, from position 0 on.
    pub fn of_texts(
        name: impl Into<String>,
        role: ColumnRole,
        kind: ColumnKind,
        texts: impl IntoIterator<Item = impl AsRef<str>>,
    ) -> Column {
        let mut column = Column::new(name, role, kind);
        for (position, text) in texts.into_iter().enumerate() {
            column.record(position, Some(Cell::text(text)));
        }
        column
    }

    /// Says what the value is at a position; positions are recorded in ascending order, and a value stays until another is recorded.
    pub fn record(&mut self, position: usize, cell: Option<Cell>) {
        let unchanged = match self.changes.last() {
            Some((_, last)) => *last == cell,
            None => cell.is_none(),
        };
        if !unchanged {
            self.changes.push((position, cell));
        }
    }

    /// The value at a position.
    pub fn cell(&self, position: usize) -> Option<&Cell> {
        let behind = self.changes.partition_point(|(at, _)| *at <= position);
        self.changes.get(behind.checked_sub(1)?)?.1.as_ref()
    }

    /// The text of the value at a position.
    pub fn value(&self, position: usize) -> Option<&str> {
        self.cell(position).map(|cell| &*cell.text)
    }

    /// Whether the value at a position differs from the one before; the first position shows everything.
    pub fn changes_at(&self, position: usize) -> bool {
        position == 0
            || self
                .changes
                .binary_search_by_key(&position, |(at, _)| *at)
                .is_ok()
    }

    /// Whether it has different values at different positions.
    pub fn varies(&self) -> bool {
        match self.changes.as_slice() {
            [] => false,
            [(at, _)] => *at > 0,
            _ => true,
        }
    }

    /// Where the value changes, with the new value.
    pub fn changes(&self) -> impl Iterator<Item = (usize, Option<&Cell>)> {
        self.changes.iter().map(|(at, cell)| (*at, cell.as_ref()))
    }

    /// Whether a new value at this position is worth telling to somebody who reads only what changes: not where it is absent, nor where
    /// it is [quiet](Column::quiet) and there was none before.
    pub fn is_news_at(&self, position: usize) -> bool {
        let Some(now) = self.cell(position) else {
            return false;
        };
        let before = position.checked_sub(1).and_then(|before| self.cell(before));
        match before {
            Some(before) => before != now,
            None => self.quiet.as_deref() != Some(&*now.text),
        }
    }
}

/// What happens between two positions, where somebody moves.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Move {
    /// Who moves: a process, a component, a player.
    pub lane: String,
    /// Where in the source.
    pub place: Option<SourcePlace>,
    /// What is done, as the source says it.
    pub text: String,
    /// The other process of a rendezvous: the receiver.
    pub partner: Option<Partner>,
    /// What is worth knowing before the move ("timeout").
    pub remarks: Vec<String>,
    /// Lines printed by the move, indented as the language's reference tool does.
    pub printed: Vec<String>,
}

impl Move {
    /// A move of which nothing but what is done is said.
    pub fn of_text(text: impl Into<String>) -> Move {
        Move {
            text: text.into(),
            ..Move::default()
        }
    }
}

/// A process that takes part in the move of another.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Partner {
    /// The process.
    pub lane: String,
    /// Where in the source.
    pub place: Option<SourcePlace>,
    /// What is done.
    pub text: String,
}

/// A subformula with its truth at every position.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FormulaRow {
    /// The subformula.
    pub text: String,
    /// How deep it stands in the property.
    pub depth: usize,
    /// Its truth at each position; nothing where that is not known.
    pub truth: Vec<Option<bool>>,
}

impl Timeline {
    /// Keeps only the columns for which `wanted` says so.
    pub fn project(&mut self, mut wanted: impl FnMut(&Column) -> bool) {
        self.columns.retain(|column| wanted(column));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(values: &[Option<&str>]) -> Column {
        let mut column = Column::new("x", ColumnRole::State, ColumnKind::Text);
        for (position, value) in values.iter().enumerate() {
            column.record(position, value.map(Cell::text));
        }
        column
    }

    #[test]
    fn a_column_gives_back_the_values_that_were_recorded() {
        let values = [None, Some("0"), Some("0"), Some("1"), None, Some("1")];
        let column = column(&values);
        for (position, value) in values.iter().enumerate() {
            assert_eq!(column.value(position), *value);
        }
        assert_eq!(column.changes().count(), 4);
        assert!(column.varies());
    }

    #[test]
    fn a_quiet_value_is_news_only_when_it_replaces_another() {
        let mut column = column(&[None, Some("0"), Some("1"), Some("0")]);
        column.quiet = Some("0".into());
        let news: Vec<bool> = (0..4).map(|at| column.is_news_at(at)).collect();
        assert_eq!(news, [false, false, true, true]);
    }
}
