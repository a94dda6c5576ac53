//! Statistical queries: `Pr[<=10](<> p)`, `E[<=10; 100](max: e)`, `simulate [<=10; 5] {e1, e2}`, and what they ask about a network.

use crate::compiler::{Compiler, Linear, Typed, wrong};
use crate::names::{Entity, Reference, ScopeId};
use crate::parser::{Parser, Read};
use crate::tokens::Token;
use entail_clocks::{self as clocks, Expression, Formula, Rational, Reading};
use entail_uppaal_tree::{
    Chance, Expr, ExprKind, Extent, ExtentBy, Operator, PropertyKind, Quantifier, Trial, TrialPath, Unary,
};
use std::sync::Arc;

/// Runs that are asked for, at most.
const MOST_RUNS: i64 = 1_000_000_000;
/// Summands of a sum, at most.
const MOST_SUMMANDS: i64 = 4096;
/// Runs of `simulate` without their number.
const ONE_RUN: u64 = 1;
/// Time that a run may be asked to take, at most; clocks are not compared with larger numbers either.
const LONGEST: i64 = clocks::discrete::MOST_CONSTANT;

const UNDER: PropertyKind = PropertyKind::Other("strategies (`under`)");

fn chance(chance: Chance) -> PropertyKind {
    PropertyKind::Chance(Box::new(chance))
}

/// `Pr[…](…)`, alone, beside a number or beside another, after its first word.
pub(crate) fn probability(parser: &mut Parser<'_>) -> Read<PropertyKind> {
    if !parser.is("[") {
        return Ok(PropertyKind::Other("metric interval temporal logic (`Pr φ`)"));
    }
    let trial = trial(parser)?;
    if parser.is("under") {
        return Ok(UNDER);
    }
    let at_least = parser.take(">=");
    if !at_least && !parser.take("<=") {
        // The older form has a question mark.
        parser.take("?");
        return Ok(chance(Chance::Probability(trial)));
    }
    let threshold = match parser.peek().clone() {
        Token::Word(word) if word == "Pr" && at_least => {
            parser.next();
            let other = self::trial(parser)?;
            if parser.is("under") {
                return Ok(UNDER);
            }
            return Ok(chance(Chance::Compare(Box::new([trial, other]))));
        }
        Token::Number(number) => number.to_string(),
        Token::Double(text) => text,
        _ => return Err(parser.unexpected("a probability")),
    };
    if decimal(&threshold).is_none_or(|(number, divisor)| number > divisor) {
        return Err(parser.problem(format!("{threshold} is no probability: they go from 0 to 1")));
    }
    parser.next();
    if parser.is("under") {
        return Ok(UNDER);
    }
    Ok(chance(Chance::Test {
        trial,
        at_least,
        threshold,
    }))
}

/// `[…](<> p)`, `([] p)` or `(p U q)`.
fn trial(parser: &mut Parser<'_>) -> Read<Trial> {
    let extent = extent(parser)?;
    parser.expect("(")?;
    let path = if parser.take("<>") {
        TrialPath::Finally(parser.expression()?)
    } else if parser.take("[]") {
        TrialPath::Globally(parser.expression()?)
    } else {
        let stay = parser.expression()?;
        if !parser.take("U") {
            let problem = parser.unexpected("`U`");
            return Err(problem.with_help("write `<> q`, `[] p` or `p U q` between the parentheses"));
        }
        TrialPath::Until(stay, parser.expression()?)
    };
    parser.expect(")")?;
    Ok(Trial { extent, path })
}

/// `[<=10]`, `[#<=10; 100]`, `[x<=10]`.
fn extent(parser: &mut Parser<'_>) -> Read<Extent> {
    parser.expect("[")?;
    let (by, most) = if parser.take("<=") {
        (ExtentBy::Time, parser.expression()?)
    } else if parser.take("#") {
        parser.expect("<=")?;
        (ExtentBy::Steps, parser.expression()?)
    } else {
        let whole = parser.expression()?;
        match whole.kind {
            ExprKind::Binary(Operator::LessEqual, clock, most) => (ExtentBy::Clock(*clock), *most),
            _ => {
                let problem = wrong("uppaal::syntax", "this does not bound runs", whole.span);
                let help = "write `<=T` for time, `#<=N` for steps, `x<=C` for a clock";
                return Err(problem.with_help(help));
            }
        }
    };
    let runs = match parser.take(";") {
        true => Some(parser.expression()?),
        false => None,
    };
    parser.expect("]")?;
    Ok(Extent { by, most, runs })
}

/// `E[…](max: e)` or `min`, from its bracket on.
pub(crate) fn mean(parser: &mut Parser<'_>) -> Read<PropertyKind> {
    let extent = extent(parser)?;
    parser.expect("(")?;
    let largest = parser.take("max");
    if !largest && !parser.take("min") {
        return Err(parser.unexpected("`max:` or `min:`"));
    }
    parser.expect(":")?;
    let of = parser.expression()?;
    parser.expect(")")?;
    if parser.is("under") {
        return Ok(UNDER);
    }
    Ok(chance(Chance::Mean { extent, largest, of }))
}

/// `simulate […] {e1, e2} : k : p`, after its first word; the number of runs may stand before the bracket, as it used to.
pub(crate) fn simulate(parser: &mut Parser<'_>) -> Read<PropertyKind> {
    let mut runs = None;
    if let Token::Number(number) = *parser.peek() {
        runs = Some(Expr {
            span: parser.span(),
            kind: ExprKind::Number(number),
        });
        parser.next();
    }
    let mut extent = extent(parser)?;
    extent.runs = extent.runs.or(runs);
    parser.expect("{")?;
    let mut of = Vec::new();
    while of.is_empty() || parser.take(",") {
        // UPPAAL accepts a comma behind the last one.
        if !of.is_empty() && parser.is("}") {
            break;
        }
        of.push((String::new(), parser.expression()?));
    }
    parser.expect("}")?;
    let mut only = None;
    if parser.take(":") {
        let first = parser.expression()?;
        only = Some(match parser.take(":") {
            true => (Some(first), parser.expression()?),
            false => (None, first),
        });
    }
    if parser.is("under") {
        return Ok(UNDER);
    }
    Ok(chance(Chance::Simulate { extent, of, only }))
}

/// A number as written (`0.25`, `1e-3`), as a quotient; nothing if it has too many digits.
pub(crate) fn decimal(text: &str) -> Option<(i64, i64)> {
    let (digits, exponent) = match text.split_once(['e', 'E']) {
        Some((digits, exponent)) => (digits, exponent.parse::<i32>().ok()?),
        None => (text, 0),
    };
    let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
    let number: i64 = format!("{whole}{part}").parse().ok()?;
    let places = exponent - i32::try_from(part.len()).ok()?;
    let power = 10i64.checked_pow(places.unsigned_abs())?;
    match places < 0 {
        true => Some((number, power)),
        false => Some((number.checked_mul(power)?, 1)),
    }
}

impl Compiler<'_> {
    /// What a statistical query asks about the network.
    pub fn chance(&mut self, chance: &Chance) -> Read<clocks::Chance> {
        Ok(match chance {
            Chance::Probability(trial) => clocks::Chance::Probability {
                runs: self.runs(&trial.extent)?,
                trial: self.trial(trial)?,
            },
            Chance::Test {
                trial,
                at_least,
                threshold,
            } => {
                let (number, divisor) = decimal(threshold).unwrap_or((0, 1));
                clocks::Chance::Test {
                    trial: self.trial(trial)?,
                    at_least: *at_least,
                    threshold: Rational::from(number) / Rational::from(divisor),
                }
            }
            Chance::Compare(pair) => {
                clocks::Chance::Compare(Box::new([self.trial(&pair[0])?, self.trial(&pair[1])?]))
            }
            Chance::Mean { extent, largest, of } => {
                let Some(runs) = self.runs(extent)? else {
                    let problem = wrong(
                        "uppaal::runs",
                        "the number of runs is not given",
                        extent.most.span,
                    );
                    return Err(
                        problem.with_help("a mean is taken over so many runs: `E[<=10; 100](max: e)`")
                    );
                };
                clocks::Chance::Mean {
                    extent: self.extent(extent)?,
                    runs,
                    largest: *largest,
                    of: self.reading(of)?,
                }
            }
            Chance::Simulate { extent, of, only } => {
                let mut readings = Vec::new();
                for (text, one) in of {
                    readings.push((text.clone(), self.reading(one)?));
                }
                let only = match only {
                    None => None,
                    Some((most, condition)) => {
                        let most = match most {
                            Some(most) => self.count(most)?,
                            None => u64::MAX,
                        };
                        Some((most, self.plain(condition)?))
                    }
                };
                clocks::Chance::Simulate {
                    extent: self.extent(extent)?,
                    runs: self.runs(extent)?.unwrap_or(ONE_RUN),
                    of: readings,
                    only,
                }
            }
        })
    }

    fn trial(&mut self, trial: &Trial) -> Read<clocks::Trial> {
        let anything = Formula::Constant(true);
        let (stay, goal, wanted) = match &trial.path {
            TrialPath::Finally(goal) => (anything, self.plain(goal)?, true),
            TrialPath::Globally(stay) => (anything, Formula::Not(Box::new(self.plain(stay)?)), false),
            TrialPath::Until(stay, goal) => (self.plain(stay)?, self.plain(goal)?, true),
        };
        Ok(clocks::Trial {
            extent: self.extent(&trial.extent)?,
            stay,
            goal,
            wanted,
        })
    }

    /// A condition that says nothing about deadlocks.
    fn plain(&mut self, condition: &Expr) -> Read<Formula> {
        let formula = self.formula(condition, 0)?;
        match formula.mentions_deadlock() {
            true => {
                let message = "`deadlock` cannot be asked of random runs";
                Err(wrong("uppaal::unsupported", message, condition.span))
            }
            false => Ok(formula),
        }
    }

    fn extent(&mut self, extent: &Extent) -> Read<clocks::Extent> {
        let most = self.constant(&extent.most, 0)?;
        if most < 0 || most >= LONGEST && extent.by != ExtentBy::Steps {
            let message = format!("runs cannot be bounded by {most}");
            return Err(wrong("uppaal::range", message, extent.most.span));
        }
        Ok(match &extent.by {
            ExtentBy::Time => clocks::Extent::Time(most),
            ExtentBy::Steps => clocks::Extent::Steps(most as u64),
            ExtentBy::Clock(clock) => match self.reading(clock)? {
                Reading::Clocks {
                    plus,
                    minus,
                    offset: Expression::Constant(0),
                } if minus == clocks::ClockName::one(0) => clocks::Extent::Clock(plus, most),
                _ => {
                    let message = "runs are bounded by time, by steps (`#`) or by a clock";
                    return Err(wrong("uppaal::type", message, clock.span));
                }
            },
        })
    }

    fn runs(&mut self, extent: &Extent) -> Read<Option<u64>> {
        extent.runs.as_ref().map(|runs| self.count(runs)).transpose()
    }

    fn count(&mut self, expr: &Expr) -> Read<u64> {
        match self.constant(expr, 0)? {
            count @ 1..=MOST_RUNS => Ok(count as u64),
            count => Err(wrong(
                "uppaal::range",
                format!("{count} is no number of runs"),
                expr.span,
            )),
        }
    }

    /// A sum, difference or multiple of readings; nothing if it is none of these.
    fn combined(&mut self, expr: &Expr, scope: ScopeId) -> Option<Read<Reading>> {
        let minus = |reading: Reading| Reading::Scaled(-1, 1, Box::new(reading));
        match &expr.kind {
            ExprKind::Unary(Unary::Minus, inner) => Some(self.reading_in(inner, scope).map(minus)),
            ExprKind::Binary(operator @ (Operator::Add | Operator::Subtract), left, right) => {
                let both = self.reading_in(left, scope).and_then(|left| {
                    let right = self.reading_in(right, scope)?;
                    let right = if *operator == Operator::Add {
                        right
                    } else {
                        minus(right)
                    };
                    Ok(Reading::Sum(vec![left, right]))
                });
                Some(both)
            }
            ExprKind::Binary(Operator::Multiply, left, right) => {
                let (factor, other) = match self.factor(left, scope) {
                    Some(factor) => (factor, right),
                    None => match self.factor(right, scope) {
                        Some(factor) => (factor, left),
                        None => return self.times(left, right, scope),
                    },
                };
                let scaled = |inner| Reading::Scaled(factor.0, factor.1, Box::new(inner));
                Some(self.reading_in(other, scope).map(scaled))
            }
            ExprKind::Binary(Operator::Divide, left, right) => {
                let (number, divisor) = self.factor(right, scope).filter(|(number, _)| *number != 0)?;
                let scaled = |inner| Reading::Scaled(divisor, number, Box::new(inner));
                Some(self.reading_in(left, scope).map(scaled))
            }
            _ => None,
        }
    }

    /// A reading times a number that changes in steps only; nothing if neither is one.
    fn times(&mut self, left: &Expr, right: &Expr, scope: ScopeId) -> Option<Read<Reading>> {
        for (number, other) in [(left, right), (right, left)] {
            if let Ok(Typed::Integer(factor, _) | Typed::Real(factor)) = self.value(number, scope) {
                let times = |inner| Reading::Times(factor.clone(), Box::new(inner));
                return Some(self.reading_in(other, scope).map(times));
            }
        }
        None
    }

    /// A constant, as a quotient.
    fn factor(&mut self, expr: &Expr, scope: ScopeId) -> Option<(i64, i64)> {
        match &expr.kind {
            ExprKind::Double(text) => decimal(text),
            _ => self.constant(expr, scope).ok().map(|number| (number, 1)),
        }
    }

    fn reading(&mut self, expr: &Expr) -> Read<Reading> {
        self.reading_in(expr, 0)
    }

    fn reading_in(&mut self, expr: &Expr, scope: ScopeId) -> Read<Reading> {
        // Locations and conditions can be summed up here, which they cannot in the model.
        if let ExprKind::Quantified(Quantifier::Sum, name, of, inner) = &expr.kind {
            let resolved = self.resolve(of, scope)?;
            let Some((low, high)) = resolved.range().filter(|(low, high)| high - low < MOST_SUMMANDS) else {
                return Err(wrong(
                    "uppaal::type",
                    "the values of this type cannot be summed over",
                    of.span,
                ));
            };
            let mut all = Vec::new();
            for value in low..=high {
                let inside = self.scopes.inside(Some(scope));
                let constant = Reference::constant(Arc::new([value]));
                self.scopes
                    .enter(inside, name, Entity::Value(resolved.clone(), constant));
                all.push(self.reading_in(inner, inside)?);
            }
            return Ok(Reading::Sum(all));
        }
        let read = match self.value(expr, scope) {
            // So can sums, differences and multiples of them, also by decimal numbers.
            Ok(Typed::Unknown) => match self.combined(expr, scope) {
                Some(whole) => return whole,
                None => return self.known(None, expr.span).map(Reading::Integer),
            },
            Ok(read) => read,
            Err(problem) => return self.combined(expr, scope).unwrap_or(Err(problem)),
        };
        Ok(match read {
            Typed::Integer(expression, _) | Typed::Real(expression) => Reading::Integer(expression),
            Typed::Clock(Linear { plus, minus, offset }) => Reading::Clocks { plus, minus, offset },
            read @ Typed::Formula(_) => {
                let formula = self.as_formula(read, expr.span)?;
                if formula.mentions_deadlock() {
                    let message = "`deadlock` cannot be asked of random runs";
                    return Err(wrong("uppaal::unsupported", message, expr.span));
                }
                Reading::Truth(formula)
            }
            other => {
                let message = format!("this is {}, and a number is expected", other.name());
                return Err(wrong("uppaal::type", message, expr.span));
            }
        })
    }
}
