//! Recording a value over a run, in as many points as a picture can show.
//!
//! A point between two that have its value says nothing and is left out. When there are too many, every second is dropped, and from then on points must be farther apart.

use entail_clocks::Reading;
use entail_clocks::evidence::Curve;

/// Points of a curve, at most.
const MOST_POINTS: usize = 4000;

/// A curve that grows.
pub(crate) struct Recorder {
    curve: Curve,
    /// Points nearer to the last one than this are left out.
    apart: f64,
    /// The last point that was left out.
    pending: Option<(f64, f64)>,
}

/// Whether a reading changes while time passes, other than by jumps.
fn is_continuous(reading: &Reading) -> bool {
    match reading {
        Reading::Clocks { .. } => true,
        Reading::Sum(parts) => parts.iter().any(is_continuous),
        Reading::Scaled(.., part) | Reading::Times(_, part) => is_continuous(part),
        Reading::Integer(_) | Reading::Truth(_) => false,
    }
}

impl Recorder {
    pub fn new(run: u64, name: &str, reading: &Reading) -> Recorder {
        Recorder {
            curve: Curve {
                run,
                name: name.to_owned(),
                points: Vec::new(),
                is_stepped: !is_continuous(reading),
            },
            apart: 0.0,
            pending: None,
        }
    }

    /// The value at a position.
    pub fn point(&mut self, at: f64, value: f64) {
        let points = &mut self.curve.points;
        let is_same = points.last().is_some_and(|&(_, last)| last == value);
        let is_near = points.last().is_some_and(|&(last, _)| at - last < self.apart);
        if (self.curve.is_stepped && is_same) || is_near {
            self.pending = Some((at, value));
            return;
        }
        points.push((at, value));
        self.pending = None;
        if points.len() > MOST_POINTS {
            let mut position = 0;
            points.retain(|_| {
                position += 1;
                position % 2 == 1
            });
            let length = points.last().map_or(0.0, |&(at, _)| at) - points[0].0;
            self.apart = length / (MOST_POINTS / 2) as f64;
        }
    }

    /// The curve, with its last point.
    pub fn into_curve(mut self) -> Curve {
        self.curve.points.extend(self.pending);
        self.curve
    }
}
