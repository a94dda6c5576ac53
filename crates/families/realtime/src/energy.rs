//! `--energy`: whether what runs accumulate stays within bounds.
//!
//! `E[] φ` asks for a run with infinitely many steps that stays in φ, `A[] true` about all runs. The weights are UPPAAL's costs, of either sign.

use entail_clocks::{Energy, Expression, Formula, Query, Rational, Upper};
use entail_family::Options;
use std::borrow::Cow;

/// The largest bound, in either direction.
const MOST_BOUND: i64 = 1 << 40;

/// The bounds, and what runs begin with.
pub(crate) struct Bounds {
    lower: i64,
    upper: Option<Upper>,
    credit: Option<Rational>,
}

fn read(text: &str) -> Option<(i64, Option<Upper>)> {
    let number = |text: &str| {
        let number = text.trim().parse::<i64>().ok();
        number.filter(|number| number.abs() <= MOST_BOUND)
    };
    let parts: Vec<&str> = text.split(',').collect();
    match parts.as_slice() {
        [lower] => Some((number(lower)?, None)),
        [lower, upper] => Some((number(lower)?, Some(Upper::Limit(number(upper)?)))),
        [lower, upper, weak] if weak.trim() == "weak" => {
            Some((number(lower)?, Some(Upper::Weak(number(upper)?))))
        }
        _ => None,
    }
}

/// Whether a text is a value of `--energy`.
pub(crate) fn are_bounds(text: &str) -> Result<(), String> {
    match read(text) {
        Some((lower, Some(upper))) if upper.bound() < lower => {
            Err("the upper bound is below the lower one".to_owned())
        }
        Some(_) => Ok(()),
        None => Err("write `L`, `L,U` or `L,U,weak` with whole numbers, such as 0,10".to_owned()),
    }
}

/// Whether a text is a value of `--credit`.
pub(crate) fn is_credit(text: &str) -> Result<(), String> {
    match text.parse::<Rational>() {
        Ok(_) => Ok(()),
        Err(_) => Err("a number is needed, such as 5 or 7/2".to_owned()),
    }
}

/// Whether options make a question: the error says why not.
pub(crate) fn may_open(options: &Options, has_costs: bool) -> Result<(), String> {
    let refused = |message: &str| Err(message.to_owned());
    match (options.has("energy"), options.has("credit")) {
        (false, true) => refused("--credit: it is what runs begin with where --energy is asked"),
        (false, false) => Ok(()),
        _ if options.has("optimal") || options.has("time-divergent") => {
            refused("--energy: it is not asked together with --optimal or --time-divergent")
        }
        _ if !has_costs => refused(
            "--energy: the model accumulates nothing (`cost' == e` in invariants, `cost += e` on edges)",
        ),
        _ => Ok(()),
    }
}

/// Whether no state satisfies a condition, as it is written.
fn is_never(formula: &Formula) -> bool {
    match formula {
        Formula::Constant(truth) => !truth,
        Formula::Integer(Expression::Constant(number)) => *number == 0,
        Formula::Not(inner) => match &**inner {
            Formula::Integer(Expression::Constant(number)) => *number != 0,
            inner => *inner == Formula::Constant(true),
        },
        _ => false,
    }
}

impl Bounds {
    pub fn of(options: &Options) -> Option<Bounds> {
        let (lower, upper) = read(options.value("energy")?)?;
        let credit = options.value("credit").and_then(|text| text.parse().ok());
        Some(Bounds { lower, upper, credit })
    }

    /// The question about energy that a query is; other queries are as they are.
    pub fn asked<'q>(&self, query: &'q Query) -> Result<Cow<'q, Query>, String> {
        let (within, every) = match query {
            Query::Stay(formulas, true) if formulas.len() == 1 => (formulas[0].clone(), false),
            Query::Reach(formula, false) if is_never(formula) => (Formula::Constant(true), true),
            Query::Reach(_, false) | Query::Stay(..) => {
                return Err(
                    "--energy is asked of `E[] φ` and of `A[] true`: ask other conditions by themselves"
                        .to_owned(),
                );
            }
            _ => return Ok(Cow::Borrowed(query)),
        };
        Ok(Cow::Owned(Query::Energy(Box::new(Energy {
            within,
            every,
            lower: self.lower,
            upper: self.upper,
            credit: self.credit.clone(),
        }))))
    }
}
