//! Locations: a variable for each automaton that has several, transient values and conditions under which time may pass.

use crate::composition::Element;
use crate::json::Read;
use crate::model::functions;
use crate::scope::Local;
use crate::variables::Lowering;
use entail_markov::{BinaryOp, Domain, Expr, Sort, VarId, Variable};
use std::collections::HashMap;

/// The variable for the location of an automaton, if it has several, and the locations' numbers.
pub(crate) type Places = (Option<VarId>, HashMap<String, i64>);

/// Declares the variables of an automaton, and one for its location.
pub(crate) fn declarations<'j>(lowering: &mut Lowering<'j>, element: &Element<'j>) -> Read<(Local, Places)> {
    functions(element.automaton, &mut lowering.scope)?;
    let mut local = Local::new();
    for variable in element.automaton.elements("variables")? {
        lowering.variable(variable, &element.name, &mut local)?;
    }
    let mut numbers = HashMap::new();
    for location in element.automaton.need("locations")?.list()? {
        numbers.insert(location.name()?.to_owned(), numbers.len() as i64);
    }
    let count = numbers.len() as i64;
    let var = (count > 1).then(|| {
        lowering.declare(Variable {
            name: format!("{}.location", element.name),
            domain: Domain::Range(0, count - 1),
            hidden: false,
        })
    });
    let mut starts = Vec::new();
    for start in element.automaton.need("initial-locations")?.list()? {
        let name = start.text()?;
        starts.push(
            *numbers
                .get(name)
                .ok_or_else(|| start.wrong("the name of a location"))?,
        );
    }
    if let Some(var) = var {
        match starts.as_slice() {
            [only] => lowering.initial.push((var, Some(Expr::from(*only)))),
            _ => lowering.initial.push((var, None)),
        }
    }
    Ok((local, (var, numbers)))
}

/// Transient variables have their default value except in locations that say otherwise.
pub(crate) fn transients(
    lowering: &mut Lowering<'_>,
    elements: &[Element<'_>],
    locals: &[Local],
    locations: &[Places],
) -> Read<()> {
    for (at, element) in elements.iter().enumerate() {
        let (var, numbers) = &locations[at];
        for location in element.automaton.need("locations")?.list()? {
            let here = numbers[location.name()?];
            for value in location.elements("transient-values")? {
                let name = value.need("ref")?.text()?;
                let expr = lowering.scope.expr(value.need("value")?, &locals[at])?;
                let Some(otherwise) = lowering.scope.transients.get(name).cloned() else {
                    return Err(value.wrong("a transient variable"));
                };
                let merged = match var {
                    Some(var) => {
                        let condition = Expr::binary(BinaryOp::Eq, Expr::Var(*var), Expr::from(here));
                        Expr::choose(condition, expr, otherwise)
                    }
                    None => expr,
                };
                lowering.scope.transients.insert(name.to_owned(), merged);
            }
        }
    }
    Ok(())
}

/// Conditions under which time may pass, by location.
pub(crate) fn invariants(
    lowering: &mut Lowering<'_>,
    elements: &[Element<'_>],
    locals: &[Local],
    locations: &[Places],
) -> Read<()> {
    for (at, element) in elements.iter().enumerate() {
        let (var, numbers) = &locations[at];
        for location in element.automaton.need("locations")?.list()? {
            let Some(condition) = location.get("time-progress") else {
                continue;
            };
            let expr = lowering
                .scope
                .expr_of(condition.need("exp")?, &locals[at], Sort::Bool)?;
            let elsewhere = match var {
                Some(var) => {
                    let here = Expr::from(numbers[location.name()?]);
                    Expr::binary(BinaryOp::Ne, Expr::Var(*var), here)
                }
                None => Expr::from(false),
            };
            lowering
                .timing
                .invariants
                .push((elsewhere.or(expr), condition.head()));
        }
    }
    Ok(())
}
