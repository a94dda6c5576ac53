//! What people look at, as plain data.
//!
//! **Here:** the small vocabulary in which every kind of system shows its answers: a [`Timeline`] (steps, columns, what changed, the
//! loop, who moved and where in the source), a [`Tree`] of claims, a [`Table`], a [`Graph`], a [`Chart`] with axes, a [`Drawing`] of shapes, a
//! [`SequenceChart`] of messages, a [`MarkedSource`], and notes. [`Shown`] is a list of them for one answer.
//!
//! **Not here:** how any of them is drawn (`entail-report`), what they mean for a model (families fill them in), and any claim that
//! a checker could check: this is for eyes only.
//!
//! **What a caller may rely on:** positions in a timeline are numbered from 0; a column's values are stored as changes, so that a long
//! trace in which little happens is small; all texts are as the model's author would write them, not escaped for any format.

mod chart;
mod drawing;
mod graph;
mod schedule;
mod sequence;
mod source;
mod table;
mod timeline;
mod tree;
mod well_formed;

pub use chart::{Axis, Chart, Series};
pub use drawing::{Drawing, Place, Shape, Tone};
pub use graph::{Graph, GraphEdge, GraphNode};
pub use schedule::{Bar, Schedule, ScheduleRow};
pub use sequence::{Arrow, Lane, SequenceChart, SequenceRow};
pub use source::{Mark, MarkedSource, SourcePlace};
pub use table::Table;
pub use timeline::{
    Cell, Column, ColumnKind, ColumnRole, FormulaRow, Move, Nature, Partner, StateKey, Timeline,
};
pub use tree::{Child, Support, Tree};

use serde::{Deserialize, Serialize};

/// Everything that is shown about one answer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Shown {
    /// The parts of the property that are violated, as text; empty where the whole property is all that can be named.
    pub violated: Vec<String>,
    /// What to look at, the most important first.
    pub exhibits: Vec<Exhibit>,
}

/// One thing to look at.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Exhibit {
    /// What it is called, where there are several.
    pub title: Option<String>,
    /// When it is shown without being asked for.
    pub prominence: Prominence,
    /// The thing itself.
    pub view: View,
}

/// When an exhibit is shown in a terminal. Reports for a browser show everything.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Prominence {
    /// Always.
    Main,
    /// When more detail is asked for.
    Detail,
    /// Only in reports and files.
    Report,
}

/// The kinds of things people look at.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "kind", content = "content")]
pub enum View {
    /// States one after the other.
    Timeline(Timeline),
    /// Claims with their reasons.
    Tree(Tree),
    /// Rows and columns of text.
    Table(Table),
    /// Nodes and edges.
    Graph(Graph),
    /// Values along an axis.
    Chart(Chart),
    /// Who does what, and when.
    Schedule(Schedule),
    /// Shapes at given places.
    Drawing(Drawing),
    /// Messages between processes.
    Sequence(SequenceChart),
    /// A text with marks.
    Source(MarkedSource),
    /// Plain sentences.
    Notes(Vec<String>),
}

/// A timeline alone, always shown.
impl From<Timeline> for Shown {
    fn from(timeline: Timeline) -> Shown {
        Shown::default().main(View::Timeline(timeline))
    }
}

impl Shown {
    /// Adds something that is always shown.
    pub fn main(mut self, view: View) -> Shown {
        self.push(Prominence::Main, view);
        self
    }

    /// Adds something without a title.
    pub fn push(&mut self, prominence: Prominence, view: View) {
        self.exhibits.push(Exhibit {
            title: None,
            prominence,
            view,
        });
    }

    /// The first timeline: of the exhibits, or of a tree among them. It is what is saved as the trace.
    pub fn timeline(&self) -> Option<&Timeline> {
        self.exhibits.iter().find_map(|exhibit| match &exhibit.view {
            View::Timeline(timeline) => Some(timeline),
            View::Tree(tree) => tree.first_timeline(),
            _ => None,
        })
    }
}
