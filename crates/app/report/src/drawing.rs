//! Drawings: shapes at given places, as SVG.

use crate::html::{SVG_SPACE, escaped};
use entail_show::{Drawing, Place, Shape, Tone};
use std::fmt::Write;

/// Room around the shapes.
const MARGIN: f64 = 12.0;
/// Length and half width of an arrow's head.
const HEAD: (f64, f64) = (9.0, 3.5);
/// How the drawing looks in a file of its own; pages have their own style.
const STYLE: &str = "text{font:11px sans-serif;fill:#222;text-anchor:middle}.title{font:bold 14px sans-serif}.shape{stroke:#444;fill:none}.disc{fill:#fff}.faint{stroke:#bbb;fill:none}text.faint{fill:#888;stroke:none}.marked{stroke:#b3261e;stroke-width:2}text.marked{fill:#b3261e;stroke:none}.disc.marked{fill:#fde7e5}.area{fill:#2457c5;fill-opacity:.15;stroke:#2457c5}.area.marked{fill:#b3261e;stroke:#b3261e}.head{stroke:none;fill:#444}.head.marked{fill:#b3261e}";

/// The drawing as a file.
pub fn svg(drawing: &Drawing) -> String {
    drawn(drawing, SVG_SPACE)
}

/// The drawing as a part of a page.
pub(crate) fn embedded(drawing: &Drawing) -> String {
    drawn(drawing, "")
}

fn class(tone: Tone) -> &'static str {
    match tone {
        Tone::Plain => "",
        Tone::Faint => " faint",
        Tone::Marked => " marked",
        Tone::Title => " title",
    }
}

fn drawn(drawing: &Drawing, space: &str) -> String {
    let (mut low, mut high) = (
        (f64::INFINITY, f64::INFINITY),
        (f64::NEG_INFINITY, f64::NEG_INFINITY),
    );
    for (x, y) in drawing.places().filter(|(x, y)| x.is_finite() && y.is_finite()) {
        low = (low.0.min(x), low.1.min(y));
        high = (high.0.max(x), high.1.max(y));
    }
    if low.0 > high.0 {
        (low, high) = ((0.0, 0.0), (1.0, 1.0));
    }
    let (left, top) = (low.0 - MARGIN, low.1 - MARGIN);
    let (wide, tall) = (high.0 - low.0 + 2.0 * MARGIN, high.1 - low.1 + 2.0 * MARGIN);
    let mut out = format!(
        "<svg class=\"drawing\"{space} width=\"{wide:.0}\" height=\"{tall:.0}\" viewBox=\"{left:.1} {top:.1} {wide:.1} {tall:.1}\" role=\"img\" aria-label=\"{}\">\n<style>.drawing {}</style>\n",
        escaped(&drawing.about),
        STYLE.replace('}', "}.drawing ").trim_end_matches(".drawing ")
    );
    for shape in &drawing.shapes {
        match shape {
            Shape::Circle {
                at: (x, y),
                radius,
                tone,
            } => {
                let _ = writeln!(
                    out,
                    "<circle class=\"shape disc{}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius:.1}\"/>",
                    class(*tone)
                );
            }
            Shape::Line { through, arrow, tone } => {
                let _ = writeln!(
                    out,
                    "<path class=\"shape{}\" d=\"{}\"/>",
                    class(*tone),
                    path(through)
                );
                if *arrow {
                    head(&mut out, through, *tone);
                }
            }
            Shape::Area { corners, tone } => {
                let _ = writeln!(
                    out,
                    "<path class=\"area{}\" d=\"{}Z\"/>",
                    class(*tone),
                    path(corners)
                );
            }
            Shape::Text {
                at: (x, y),
                text,
                tone,
            } => {
                let class = class(*tone).trim_start();
                let _ = writeln!(
                    out,
                    "<text class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\">{}</text>",
                    escaped(text)
                );
            }
        }
    }
    out.push_str("</svg>\n");
    out
}

fn path(places: &[Place]) -> String {
    let mut text = String::new();
    for (number, (x, y)) in places.iter().enumerate() {
        let _ = write!(text, "{}{x:.1} {y:.1}", if number == 0 { "M" } else { "L" });
    }
    text
}

/// The head of an arrow at the end of a line.
fn head(out: &mut String, through: &[Place], tone: Tone) {
    let [.., from, to] = through else { return };
    let (x, y) = (to.0 - from.0, to.1 - from.1);
    let length = x.hypot(y);
    if length < f64::EPSILON {
        return;
    }
    let (x, y) = (x / length, y / length);
    let base = (to.0 - HEAD.0 * x, to.1 - HEAD.0 * y);
    let side = (HEAD.1 * y, -HEAD.1 * x);
    let corners = [
        *to,
        (base.0 + side.0, base.1 + side.1),
        (base.0 - side.0, base.1 - side.1),
    ];
    let _ = writeln!(
        out,
        "<path class=\"head{}\" d=\"{}Z\"/>",
        class(tone),
        path(&corners)
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_are_at_their_places_and_texts_are_escaped() {
        let drawing = Drawing {
            about: "a < b".to_owned(),
            shapes: vec![
                Shape::Line {
                    through: vec![(0.0, 0.0), (30.0, 40.0)],
                    arrow: true,
                    tone: Tone::Marked,
                },
                Shape::Text {
                    at: (15.0, 20.0),
                    text: "x<5 & y".to_owned(),
                    tone: Tone::Plain,
                },
            ],
        };
        let picture = svg(&drawing);
        assert!(picture.contains("M0.0 0.0L30.0 40.0"));
        // The head ends where the line does, and is as long as it should be: 9 of 50.
        assert!(
            picture.contains("class=\"head marked\" d=\"M30.0 40.0L27.4 30.7L21.8 34.9Z\""),
            "{picture}"
        );
        assert!(picture.contains("x&lt;5 &amp; y") && picture.contains("a &lt; b"));
        assert!(!picture.contains("NaN") && !picture.contains("inf"));
    }

    #[test]
    fn an_empty_drawing_has_a_size() {
        let picture = svg(&Drawing::default());
        assert!(picture.contains("width=\"25\" height=\"25\""), "{picture}");
    }
}
