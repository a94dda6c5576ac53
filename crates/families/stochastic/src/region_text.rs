//! Regions of parameters as users write them: `0.1<=p<=0.9,0.2<=q<=0.3`, and a model with its parameters left open.

use entail_family::LoadError;
use entail_markov::Rational;
use entail_prism::constant_value;
use entail_source::{Diagnostic, Source, Span};
use entail_stochastic_checker::regions::Region;

/// Every parameter doubles the number of corners.
const MOST_PARAMETERS: usize = 8;

/// A region: a box of values of some parameters, in the order in which they are written.
#[derive(Clone, Debug)]
pub(crate) struct Bounds {
    pub parameters: Vec<String>,
    pub region: Region,
}

/// Reads a region; its parameters must be constants of the model that can be left open.
pub(crate) fn read(text: &str, no_parameter: &dyn Fn(&str) -> Option<String>) -> Result<Bounds, LoadError> {
    let source = Source::new("--region", text);
    bounds(text, no_parameter).map_err(|problem| LoadError::invalid(&source, problem))
}

fn problem(message: String, span: Span, label: &str) -> Diagnostic {
    Diagnostic::error("region::text", message, span, label)
        .with_help("write a region as 0.1<=p<=0.9,0.2<=q<=0.3")
}

/// A piece of a text, and where it stands without the blanks around it.
fn piece(text: &str, from: usize) -> (&str, Span) {
    let begin = from + (text.len() - text.trim_start().len());
    let trimmed = text.trim();
    (trimmed, Span::new(begin, begin + trimmed.len()))
}

fn bounds(text: &str, no_parameter: &dyn Fn(&str) -> Option<String>) -> Result<Bounds, Diagnostic> {
    let mut found = Bounds {
        parameters: Vec::new(),
        region: Region {
            low: Vec::new(),
            high: Vec::new(),
        },
    };
    let mut from = 0;
    let parts = text.split(',').count();
    if parts > MOST_PARAMETERS {
        let message = format!("{parts} parameters: a region has at most {MOST_PARAMETERS}");
        return Err(problem(message, Span::new(0, text.len()), "too many"));
    }
    for part in text.split(',') {
        let (own, whole) = piece(part, from);
        let pieces: Vec<&str> = part.split("<=").collect();
        let [low, name, high] = pieces[..] else {
            let message = format!("`{own}` is no LOW<=NAME<=HIGH");
            return Err(problem(message, whole, "bounds of one parameter are expected"));
        };
        let middle = from + low.len() + 2;
        let number = |text: &str, at: usize| {
            let (text, span) = piece(text, at);
            let value = constant_value(text).and_then(|value| value.number());
            value.map(|value| (value, span)).ok_or_else(|| {
                problem(
                    format!("`{text}` is no number"),
                    span,
                    "a number is expected, such as 0.5 or 1/3",
                )
            })
        };
        let (low, _) = number(low, from)?;
        let (high, span) = number(high, middle + name.len() + 2)?;
        if low > high {
            return Err(problem(
                format!("{low} is more than {high}"),
                whole,
                "an empty region",
            ));
        }
        let (name, place) = piece(name, middle);
        if let Some(reason) = no_parameter(name) {
            return Err(problem(reason, place, "no parameter"));
        }
        if found.parameters.iter().any(|known| known == name) {
            return Err(problem(format!("{name} has bounds twice"), span, "again here"));
        }
        found.parameters.push(name.to_owned());
        found.region.low.push(low);
        found.region.high.push(high);
        from += part.len() + 1;
    }
    Ok(found)
}

/// A point for people: `p=1/2, q=0.25`.
pub(crate) fn shown(names: &[&str], point: &[Rational]) -> String {
    let parts = (names.iter().zip(point)).map(|(name, value)| format!("{name}={value}"));
    parts.collect::<Vec<_>>().join(", ")
}

/// Reads the names of parameters: `p,q`.
pub(crate) fn names(text: &str, no_parameter: &dyn Fn(&str) -> Option<String>) -> Result<Vec<String>, LoadError> {
    let source = Source::new("--parametric", text);
    let mut found: Vec<String> = Vec::new();
    let mut from = 0;
    for part in text.split(',') {
        let (name, place) = piece(part, from);
        from += part.len() + 1;
        let reason = match found.iter().any(|known| known == name) {
            true => Some(format!("{name} is named twice")),
            false => no_parameter(name),
        };
        if let Some(reason) = reason {
            let problem = Diagnostic::error("region::parameter", reason, place, "no parameter");
            return Err(LoadError::invalid(&source, problem));
        }
        found.push(name.to_owned());
    }
    Ok(found)
}
