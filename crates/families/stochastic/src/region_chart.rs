//! Parts of a region as a picture: areas over one or two parameters.
//!
//! A picture has bands over one axis. The region is cut into strips where parts end; in each strip the intervals of one kind that touch are put together, and the
//! first of all strips make a band, the second another, and so on.

use crate::region::{Part, RegionProof};
use entail_markov::{Rational, to_float};
use entail_show::{Axis, Chart, Series};
use entail_stochastic_checker::regions::Region;

/// A box of one or two parameters: where it lies across and upwards.
type Rectangle = [Rational; 4];

/// A picture of the parts, if there are one or two parameters.
pub(crate) fn region_chart(names: &[String], region: &Region, proof: &RegionProof) -> Option<Chart> {
    let flat = [Rational::ZERO, Rational::ONE];
    let rectangle = |low: &[Rational], high: &[Rational]| -> Option<Rectangle> {
        match (low, high) {
            ([from], [to]) => Some([from.clone(), to.clone(), flat[0].clone(), flat[1].clone()]),
            ([from, under], [to, over]) => Some([from.clone(), to.clone(), under.clone(), over.clone()]),
            _ => None,
        }
    };
    rectangle(&region.low, &region.high)?;
    let of = |part: &Part| {
        let part = part.region()?;
        rectangle(&part.low, &part.high)
    };
    let mut series = Vec::new();
    for (name, parts) in [("good", &proof.parts), ("bad", &proof.bad)] {
        let rectangles: Vec<Rectangle> = parts.iter().map(of).collect::<Option<_>>()?;
        series.extend(bands(name, &rectangles));
    }
    let axis = |label: Option<&String>| Axis {
        label: label.cloned().unwrap_or_default(),
        is_logarithmic: false,
    };
    Some(Chart {
        x: axis(names.first()),
        y: axis(names.get(1)),
        series,
    })
}

/// Bands that make the union of rectangles; the first one has the name.
fn bands(name: &str, rectangles: &[Rectangle]) -> Vec<Series> {
    let mut cuts: Vec<&Rational> = rectangles.iter().flat_map(|[from, to, ..]| [from, to]).collect();
    cuts.sort();
    cuts.dedup();
    let mut found: Vec<Series> = Vec::new();
    for strip in cuts.windows(2) {
        let inside = |rectangle: &&Rectangle| rectangle[0] <= *strip[0] && *strip[1] <= rectangle[1];
        let mut intervals: Vec<(&Rational, &Rational)> =
            (rectangles.iter().filter(inside)).map(|[_, _, under, over]| (under, over)).collect();
        intervals.sort();
        let mut joined: Vec<(&Rational, &Rational)> = Vec::new();
        for (under, over) in intervals {
            match joined.last_mut() {
                Some(last) if under <= last.1 => last.1 = last.1.max(over),
                _ => joined.push((under, over)),
            }
        }
        for (layer, (under, over)) in joined.into_iter().enumerate() {
            if found.len() <= layer {
                found.push(Series {
                    name: if layer == 0 { name.to_owned() } else { format!("{name} ({})", layer + 1) },
                    ..Series::default()
                });
            }
            let band = &mut found[layer].band;
            let (from, to) = (to_float(strip[0]), to_float(strip[1]));
            let (under, over) = (to_float(under), to_float(over));
            // Nothing between strips that do not touch.
            if let Some(&(end, ..)) = band.last().filter(|last| last.0 < from) {
                band.extend([(end, under, under), (from, under, under)]);
            }
            band.extend([(from, under, over), (to, under, over)]);
        }
    }
    for own in &mut found {
        own.points = own.band.iter().map(|&(x, under, _)| (x, under)).collect();
    }
    found
}
