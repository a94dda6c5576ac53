//! Drawings: shapes at places that their author chose, or that mean something. Unlike a [`crate::Graph`], which whoever draws arranges.

use serde::{Deserialize, Serialize};

/// A place: to the right, and down.
pub type Place = (f64, f64);

/// Shapes, the lowest first.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Drawing {
    /// What it shows, for those who cannot see it.
    pub about: String,
    /// The shapes.
    pub shapes: Vec<Shape>,
}

/// A shape.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", tag = "shape")]
pub enum Shape {
    /// A circle.
    Circle {
        /// Its centre.
        at: Place,
        /// Its radius.
        radius: f64,
        /// How it stands out.
        tone: Tone,
    },
    /// A line through several places.
    Line {
        /// The places.
        through: Vec<Place>,
        /// Whether it ends in an arrow.
        arrow: bool,
        /// How it stands out.
        tone: Tone,
    },
    /// What lies between several places.
    Area {
        /// Its corners.
        corners: Vec<Place>,
        /// How it stands out.
        tone: Tone,
    },
    /// A line of text.
    Text {
        /// Its middle, on the line it stands on.
        at: Place,
        /// The text.
        text: String,
        /// How it stands out.
        tone: Tone,
    },
}

/// How a shape stands out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Tone {
    /// As it is.
    #[default]
    Plain,
    /// Less than others: axes, remarks.
    Faint,
    /// It is what the drawing is about.
    Marked,
    /// A title.
    Title,
}

impl Drawing {
    /// All places that must be in the picture.
    pub fn places(&self) -> impl Iterator<Item = Place> + '_ {
        self.shapes.iter().flat_map(|shape| match shape {
            Shape::Circle {
                at: (x, y), radius, ..
            } => vec![(x - radius, y - radius), (x + radius, y + radius)],
            Shape::Line { through, .. } => through.clone(),
            Shape::Area { corners, .. } => corners.clone(),
            Shape::Text {
                at: (x, y),
                text,
                tone,
            } => {
                let letter = if *tone == Tone::Title {
                    LETTER * 1.3
                } else {
                    LETTER
                };
                let half = letter * text.chars().count() as f64 / 2.0;
                vec![(x - half, y - 12.0), (x + half, y + 4.0)]
            }
        })
    }
}

/// The width of a letter, about.
const LETTER: f64 = 6.0;
