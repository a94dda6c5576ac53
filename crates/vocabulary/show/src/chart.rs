//! Values along an axis: a probability over a parameter, a clock over time, a Pareto curve.

use serde::{Deserialize, Serialize};

/// Series over two axes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Chart {
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// The lines.
    pub series: Vec<Series>,
}

/// An axis.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Axis {
    /// What is measured.
    pub label: String,
    /// Ticks are powers of ten.
    pub is_logarithmic: bool,
}

/// A line.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Series {
    /// What it is called in the legend.
    pub name: String,
    /// Its points, in the order in which they are connected.
    pub points: Vec<(f64, f64)>,
    /// Between points the value stays; without it, it changes evenly.
    pub is_stepped: bool,
    /// The points are marked: the vertices of a front.
    #[serde(default)]
    pub is_dotted: bool,
    /// What is known around the line: places with a lower and an upper value.
    #[serde(default)]
    pub band: Vec<(f64, f64, f64)>,
}
