//! Charts with axes: values over a parameter or over time.

use crate::html::{SVG_SPACE, escaped};
use entail_show::{Axis, Chart, Series, Table};
use std::fmt::Write;

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 380.0;
/// Room at the left, right, top and bottom of the field.
const MARGINS: (f64, f64, f64, f64) = (70.0, 20.0, 20.0, 50.0);
/// The colours of the series, one after the other.
pub(crate) const COLOURS: [&str; 6] = ["#2457c5", "#b3261e", "#147a44", "#8a5a00", "#7a4fd0", "#0b7285"];
/// More rows than this are left out of a table for a terminal.
const MOST_ROWS: usize = 24;
/// How the chart looks in a file of its own; pages have their own style.
const STYLE: &str = "text{font:12px sans-serif;fill:#222}.axis{stroke:#222;fill:none}.rule{stroke:#ddd}.series{fill:none;stroke-width:2}";

/// The chart as a file.
pub fn svg(chart: &Chart) -> String {
    drawn(chart, SVG_SPACE, &format!("<style>{STYLE}</style>\n"))
}

/// The chart as a part of a page.
pub(crate) fn embedded(chart: &Chart) -> String {
    drawn(chart, "", "")
}

/// The points as a table, for terminals: a row for each value of the horizontal axis.
pub(crate) fn table(chart: &Chart) -> Table {
    let points = chart.series.iter().flat_map(|series| &series.points);
    let mut places: Vec<f64> = points.map(|point| point.0).collect();
    places.sort_by(f64::total_cmp);
    places.dedup();
    let row = |&x: &f64| -> Vec<String> {
        let value = |series: &Series| {
            series
                .points
                .iter()
                .find(|point| point.0 == x)
                .map(|point| number(point.1))
        };
        let cells = chart
            .series
            .iter()
            .map(|series| value(series).unwrap_or_default());
        std::iter::once(number(x)).chain(cells).collect()
    };
    let (first, last) = match places.len() > MOST_ROWS {
        true => places.split_at(MOST_ROWS / 2),
        false => (&places[..], &[][..]),
    };
    let last = &last[last.len().saturating_sub(MOST_ROWS / 2)..];
    let mut rows: Vec<Vec<String>> = first.iter().map(row).collect();
    if !last.is_empty() {
        rows.push(vec!["…".into()]);
    }
    rows.extend(last.iter().map(row));
    let names = chart.series.iter().map(|series| match series.name.is_empty() {
        true => chart.y.label.clone(),
        false => series.name.clone(),
    });
    Table {
        heads: std::iter::once(chart.x.label.clone()).chain(names).collect(),
        rows,
    }
}

/// An axis with the range it shows.
pub(crate) struct Scale<'a> {
    axis: &'a Axis,
    low: f64,
    high: f64,
}

impl<'a> Scale<'a> {
    /// The range of some values. What a logarithmic axis cannot show, and what is no number, is left out.
    pub(crate) fn new(axis: &'a Axis, values: impl Iterator<Item = f64>) -> Scale<'a> {
        let mut scale = Scale {
            axis,
            low: f64::INFINITY,
            high: f64::NEG_INFINITY,
        };
        for value in values.filter_map(|value| scale_of(axis, value)) {
            scale.low = scale.low.min(value);
            scale.high = scale.high.max(value);
        }
        if scale.low > scale.high {
            (scale.low, scale.high) = (0.0, 1.0);
        } else if scale.low == scale.high {
            (scale.low, scale.high) = (scale.low - 0.5, scale.high + 0.5);
        }
        scale
    }

    /// Where a value is, between 0 and 1.
    pub(crate) fn share(&self, value: f64) -> Option<f64> {
        let share = (scale_of(self.axis, value)? - self.low) / (self.high - self.low);
        share.is_finite().then_some(share)
    }

    /// Values that get a tick: powers of ten, or round numbers.
    pub(crate) fn ticks(&self) -> Vec<f64> {
        let wide = self.high - self.low;
        let rough = wide / 6.0;
        let power = 10f64.powf(rough.log10().floor());
        let mut step = [1.0, 2.0, 5.0, 10.0]
            .into_iter()
            .map(|factor| factor * power)
            .find(|step| *step >= rough)
            .unwrap_or(rough);
        if self.axis.is_logarithmic {
            step = step.ceil().max(1.0);
        }
        let first = (self.low / step).ceil() as i64;
        let values = (first..first + 20).map(|at| at as f64 * step);
        let inside = values.take_while(|value| *value <= self.high + wide * 1e-9);
        inside
            .map(|value| match self.axis.is_logarithmic {
                true => 10f64.powf(value),
                false => value,
            })
            .collect()
    }
}

fn scale_of(axis: &Axis, value: f64) -> Option<f64> {
    match axis.is_logarithmic {
        true if value > 0.0 && value.is_finite() => Some(value.log10()),
        false if value.is_finite() => Some(value),
        _ => None,
    }
}

/// A number as a reader wants it: short.
pub(crate) fn number(value: f64) -> String {
    let size = value.abs();
    if value == value.trunc() && size < 1e9 {
        return format!("{value:.0}");
    }
    if !(1e-4..1e9).contains(&size) {
        return format!("{value:.3e}");
    }
    let text = format!("{value:.6}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn drawn(chart: &Chart, space: &str, style: &str) -> String {
    let (left, right, top, bottom) = MARGINS;
    let (wide, high) = (WIDTH - left - right, HEIGHT - top - bottom);
    let points = || {
        let band = |series: &'_ Series| {
            let ends = |&(x, low, high): &(f64, f64, f64)| [(x, low), (x, high)];
            series.band.iter().flat_map(ends).collect::<Vec<_>>()
        };
        (chart.series.iter()).flat_map(move |series| series.points.iter().copied().chain(band(series)))
    };
    let xs = Scale::new(&chart.x, points().map(|point| point.0));
    let ys = Scale::new(&chart.y, points().map(|point| point.1));
    let legend = HEIGHT + 6.0;
    let full = legend + 20.0 * chart.series.len() as f64;
    let mut out = format!(
        "<svg class=\"chart\"{space} width=\"{WIDTH}\" height=\"{full}\" viewBox=\"0 0 {WIDTH} {full}\" role=\"img\" aria-label=\"chart\">\n{style}"
    );
    for value in xs.ticks() {
        let Some(share) = xs.share(value) else { continue };
        let (x, base) = (left + share * wide, top + high);
        let _ = writeln!(
            out,
            "<line class=\"rule\" x1=\"{x:.1}\" y1=\"{top}\" x2=\"{x:.1}\" y2=\"{base}\"/><text text-anchor=\"middle\" x=\"{x:.1}\" y=\"{}\">{}</text>",
            base + 16.0,
            number(value)
        );
    }
    for value in ys.ticks() {
        let Some(share) = ys.share(value) else { continue };
        let (y, end) = (top + (1.0 - share) * high, left + wide);
        let _ = writeln!(
            out,
            "<line class=\"rule\" x1=\"{left}\" y1=\"{y:.1}\" x2=\"{end}\" y2=\"{y:.1}\"/><text text-anchor=\"end\" x=\"{}\" y=\"{:.1}\">{}</text>",
            left - 6.0,
            y + 4.0,
            number(value)
        );
    }
    let base = top + high;
    let _ = writeln!(
        out,
        "<path class=\"axis\" d=\"M{left} {top}L{left} {base}L{} {base}\"/><text text-anchor=\"middle\" x=\"{}\" y=\"{}\">{}</text><text text-anchor=\"middle\" transform=\"translate(14 {}) rotate(-90)\">{}</text>",
        left + wide,
        left + wide / 2.0,
        base + 38.0,
        escaped(&chart.x.label),
        top + high / 2.0,
        escaped(&chart.y.label)
    );
    for (position, series) in chart.series.iter().enumerate() {
        let colour = COLOURS[position % COLOURS.len()];
        let at = |point: &(f64, f64)| {
            let (x, y) = (xs.share(point.0)?, ys.share(point.1)?);
            Some((left + x * wide, top + (1.0 - y) * high))
        };
        if !series.band.is_empty() {
            let upper = series.band.iter().map(|&(x, _, high)| at(&(x, high)));
            let lower = series.band.iter().rev().map(|&(x, low, _)| at(&(x, low)));
            let outline = line(upper.chain(lower).flatten().map(Some), false);
            let _ = writeln!(
                out,
                "<path class=\"band\" fill=\"{colour}\" fill-opacity=\"0.2\" stroke=\"none\" d=\"{outline}Z\"/>"
            );
        }
        if series.is_dotted {
            for (x, y) in series.points.iter().filter_map(at) {
                let _ = writeln!(
                    out,
                    "<circle fill=\"{colour}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\"/>"
                );
            }
        }
        let y = legend + 20.0 * position as f64;
        let _ = writeln!(
            out,
            "<path class=\"series\" stroke=\"{colour}\" d=\"{}\"/><path class=\"series\" stroke=\"{colour}\" d=\"M{left} {y}L{} {y}\"/><text x=\"{}\" y=\"{}\">{}</text>",
            line(series.points.iter().map(at), series.is_stepped),
            left + 24.0,
            left + 32.0,
            y + 4.0,
            escaped(&series.name)
        );
    }
    out.push_str("</svg>\n");
    out
}

/// The line through points; one that cannot be shown interrupts it.
fn line(points: impl Iterator<Item = Option<(f64, f64)>>, is_stepped: bool) -> String {
    let mut path = String::new();
    let mut last: Option<(f64, f64)> = None;
    for point in points {
        if let Some((x, y)) = point {
            let _ = match last {
                None => write!(path, "M{x:.1} {y:.1}"),
                Some((_, before)) if is_stepped => write!(path, "L{x:.1} {before:.1}L{x:.1} {y:.1}"),
                Some(_) => write!(path, "L{x:.1} {y:.1}"),
            };
        }
        last = point;
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart(points: &[(f64, f64)], is_logarithmic: bool) -> Chart {
        Chart {
            x: Axis::default(),
            y: Axis {
                label: "P <max>".into(),
                is_logarithmic,
            },
            series: vec![Series {
                name: "s".into(),
                points: points.to_vec(),
                ..Series::default()
            }],
        }
    }

    #[test]
    fn every_point_that_can_be_shown_is_inside_the_field() {
        for logarithmic in [false, true] {
            let chart = chart(
                &[(0.0, 1e-9), (1.0, 0.0), (2.0, f64::NAN), (3.0, 1e6)],
                logarithmic,
            );
            let text = svg(&chart);
            assert!(text.contains("P &lt;max&gt;") && !text.contains("NaN") && !text.contains("inf"));
        }
        assert!(svg(&chart(&[], false)).contains("</svg>"));
        assert!(svg(&chart(&[(1.0, 1.0)], true)).contains("</svg>"));
    }

    #[test]
    fn bands_and_vertices_are_inside_the_field() {
        let mut chart = chart(&[(0.0, 1.0), (1.0, 2.0)], false);
        chart.series[0].is_dotted = true;
        chart.series[0].band = vec![(0.0, 0.5, 1.5), (1.0, 1.5, 9.0)];
        let text = svg(&chart);
        assert_eq!(text.matches("<circle").count(), 2);
        // The axis reaches to the upper end of the band, which is at the upper edge of the field.
        let (_, _, top, _) = MARGINS;
        let band = text.split("class=\"band\"").nth(1).expect("a band");
        assert!(band.contains(&format!(" {top:.1}L")), "{band}");
        assert!(text.contains(">9<") || text.contains(">8<"));
    }

    #[test]
    fn a_table_has_a_row_for_each_place_and_is_not_long() {
        let small = chart(&[(0.0, 0.5), (1.0, 0.25)], false);
        assert_eq!(table(&small).rows, [["0", "0.5"], ["1", "0.25"]]);
        let points: Vec<(f64, f64)> = (0..1_000).map(|at| (f64::from(at), 0.0)).collect();
        assert_eq!(table(&chart(&points, false)).rows.len(), MOST_ROWS + 1);
    }
}
