//! The front of two objectives as a chart: its vertices with the line between them, which mixtures of neighbours reach.

use entail_answer::{Answer, Quantity, Rational};
use entail_family::Heading;
use entail_markov::{Property, to_float};
use entail_show::{Axis, Chart, Series};

/// The front that an answer found; nothing if the answer is something else.
pub(crate) fn chart(property: &Property, heading: &Heading, answer: &Answer) -> Option<Chart> {
    let (Property::Multi(_), Some(Quantity::Points(points))) = (property, &answer.value) else {
        return None;
    };
    let place = |point: &Vec<Rational>| match &point[..] {
        [x, y] => Some((to_float(x), to_float(y))),
        _ => None,
    };
    let points: Option<Vec<(f64, f64)>> = points.iter().map(place).collect();
    let [x, y] = <[String; 2]>::try_from(objectives(&heading.text)).ok()?;
    let axis = |label| Axis {
        label,
        is_logarithmic: false,
    };
    Some(Chart {
        x: axis(x),
        y: axis(y),
        series: vec![Series {
            name: "what one scheduler can reach".to_owned(),
            points: points?,
            is_dotted: true,
            ..Series::default()
        }],
    })
}

/// The texts of the objectives of `multi(a, b, …)`.
fn objectives(text: &str) -> Vec<String> {
    let inside = text.split_once('(').map_or("", |(_, inside)| inside);
    let mut depth = 1;
    let mut found = vec![String::new()];
    for letter in inside.chars() {
        match letter {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            _ => {}
        }
        match (letter, depth) {
            (_, 0) => break,
            (',', 1) => found.push(String::new()),
            _ => found.last_mut().into_iter().for_each(|last| last.push(letter)),
        }
    }
    found.iter().map(|text| text.trim().to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::objectives;

    #[test]
    fn objectives_end_at_the_commas_between_them() {
        let text = "multi(R{\"a,b\"}max=? [ C<=max(2,3) ], Pmax=? [ F (s=1) ])";
        assert_eq!(
            objectives(text),
            ["R{\"a,b\"}max=? [ C<=max(2,3) ]", "Pmax=? [ F (s=1) ]"]
        );
        assert_eq!(objectives("\"front\""), [""]);
    }
}
