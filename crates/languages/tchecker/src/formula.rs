//! Conditions on states: labels, locations, integers, clocks, `deadlock`, with the connectives.

use crate::code::Reader;
use crate::tokens::Token;
use crate::types::{Meaning, Names, Typed, compared};
use entail_clocks::{Condition, Expression, Formula, Network};
use entail_source::{Diagnostic, Span};

/// Reads a condition on the states of a network: labels and `process.location`, comparisons of integers and clocks, `deadlock` (where nothing has that name), `!`, `&&`, `||`, parentheses.
pub fn state_formula(text: &str, part: Span, network: &Network) -> Result<Formula, Diagnostic> {
    let names = names_of(network);
    let mut reader = Reader::new(text, part, &names, network.integers.len())?;
    let formula = disjunction(&mut reader, network)?;
    reader.end()?;
    Ok(formula)
}

/// The names of the variables of a network; `a[0]`, `a[1]`, … are an array.
fn names_of(network: &Network) -> Names {
    fn add<'a>(names: &mut Names, all: impl Iterator<Item = &'a String>, first: usize, is_clock: bool) {
        for (position, name) in all.enumerate() {
            let base = name.split('[').next().unwrap_or(name);
            let meaning = names.entry(base.to_owned()).or_insert(match is_clock {
                true => Meaning::Clock(first + position, 0),
                false => Meaning::Integer(first + position, 0),
            });
            match meaning {
                Meaning::Clock(_, size) | Meaning::Integer(_, size) | Meaning::Local(_, size) => *size += 1,
            }
        }
    }
    let mut names = Names::new();
    add(&mut names, network.integers.iter().map(|one| &one.name), 0, false);
    add(&mut names, network.clocks.iter().map(|one| &one.name), 1, true);
    names
}

type Read<T> = Result<T, Diagnostic>;

fn disjunction(reader: &mut Reader<'_, '_>, network: &Network) -> Read<Formula> {
    reader.deeper(|reader| {
        let mut parts = vec![conjunction(reader, network)?];
        while reader.take("||") || reader.take("or") {
            parts.push(conjunction(reader, network)?);
        }
        Ok(match parts.len() {
            1 => parts.remove(0),
            _ => Formula::Or(parts),
        })
    })
}

fn conjunction(reader: &mut Reader<'_, '_>, network: &Network) -> Read<Formula> {
    let mut parts = vec![negation(reader, network)?];
    while reader.take("&&") || reader.take("and") {
        parts.push(negation(reader, network)?);
    }
    Ok(match parts.len() {
        1 => parts.remove(0),
        _ => Formula::And(parts),
    })
}

fn negation(reader: &mut Reader<'_, '_>, network: &Network) -> Read<Formula> {
    if reader.take("!") || reader.take("not") {
        let inner = reader.deeper(|reader| negation(reader, network))?;
        return Ok(Formula::Not(Box::new(inner)));
    }
    atom(reader, network)
}

fn atom(reader: &mut Reader<'_, '_>, network: &Network) -> Read<Formula> {
    let start = reader.span();
    if reader.take("true") {
        return Ok(Formula::Constant(true));
    }
    if reader.take("false") {
        return Ok(Formula::Constant(false));
    }
    let is_variable = |name: &str| {
        let is_it =
            |one: &str| one == name || one.strip_prefix(name).is_some_and(|rest| rest.starts_with('['));
        network.integers.iter().any(|one| is_it(&one.name))
            || network.clocks.iter().any(|one| is_it(&one.name))
    };
    let is_named = |name: &str| {
        is_variable(name)
            || network.label(name).is_some()
            || network.processes.iter().any(|process| process.name == name)
    };
    if !is_named("deadlock") && reader.take("deadlock") {
        return Ok(Formula::Deadlock);
    }
    if let Token::Word(name) = reader.peek() {
        if !is_variable(name) {
            reader.next();
            if reader.take(".") {
                let (token, span) = reader.next();
                let Token::Word(location) = token else {
                    return Err(reader.unexpected("the name of a location"));
                };
                return network.location(name, location).map(Formula::At).ok_or_else(|| {
                    let message = format!("there is no location `{name}.{location}`");
                    Diagnostic::error("tchecker::unknown", message, start.to(span), "this name")
                });
            }
            return network.label(name).map(Formula::Label).ok_or_else(|| {
                let message = format!("there is no label or variable `{name}`");
                Diagnostic::error("tchecker::unknown", message, start, "this name")
                    .with_help("labels are declared with `labels:`; a location is written `process.location`")
            });
        }
    }
    if reader.take("(") {
        let inner = disjunction(reader, network)?;
        reader.expect(")")?;
        return Ok(inner);
    }
    let read = reader.relation()?;
    Ok(match read {
        Typed::Integer(expression) | Typed::Truth(expression) => Formula::Integer(expression),
        Typed::Conditions(all) => {
            let one = |condition: Condition| match condition {
                Condition::Integer(expression) => Formula::Integer(expression),
                // The language has none of these.
                Condition::When(..) => Formula::Constant(true),
                Condition::Clock {
                    left,
                    right,
                    comparison,
                    bound,
                } => Formula::Clock {
                    left,
                    right,
                    comparison,
                    bound,
                },
            };
            Formula::And(all.into_iter().map(one).collect())
        }
        other => {
            // A clock alone is no condition: say so as a comparison with nothing would.
            let nothing = Typed::Truth(Expression::Constant(1));
            compared(other, entail_clocks::Comparison::Equal, nothing, start)?;
            Formula::Constant(false)
        }
    })
}
