//! Expressions, conditions and statements as the language writes them.
//!
//! The language has sums, products, comparisons, conjunctions, the negation of one condition, and `(if … then … else …)`. Everything else is written with these: a disjunction is a choice of 1 or 0. An index beyond an
//! array and a value out of its range stop a run: where it is not clear that they cannot happen, the written model reads an element that does not exist, or sets a variable out of its range.

use super::memory::{MOST_CHOICES, Memory};
use entail_clocks::{Binary, ClockName, Comparison, Condition, Expression, Place, Statement};

/// Bytes of one guard or action, at most.
const MOST_TEXT: usize = 1 << 20;

/// Why a model with floating-point numbers is not written.
const FLOATING: &str = "it has floating-point numbers";

/// A variable of value 0, and an array of two: element `-1` of it does not exist.
pub(super) const NOWHERE: (&str, &str) = ("nowhere", "nothing");

/// Writes code of a network.
pub(super) struct Texts<'n> {
    pub integers: &'n Memory,
    pub clocks: &'n Memory,
    /// The names of [`NOWHERE`] in this model.
    pub nowhere: (String, String),
    /// Ranges of the integers.
    pub ranges: &'n [(i64, i64)],
    /// Whether a run may have to be stopped.
    pub stops: bool,
}

type Text = Result<String, String>;

fn limited(text: String) -> Text {
    match text.len() > MOST_TEXT {
        true => Err("an expression becomes very long".to_owned()),
        false => Ok(text),
    }
}

fn opposite(comparison: Comparison) -> Comparison {
    match comparison {
        Comparison::Less => Comparison::GreaterEqual,
        Comparison::LessEqual => Comparison::Greater,
        Comparison::Equal => Comparison::Different,
        Comparison::Different => Comparison::Equal,
        Comparison::GreaterEqual => Comparison::Less,
        Comparison::Greater => Comparison::LessEqual,
    }
}

impl Texts<'_> {
    /// A number that does not exist.
    fn nothing(&mut self) -> String {
        self.stops = true;
        format!("{}[{} - 1]", self.nowhere.1, self.nowhere.0)
    }

    /// What stops a run.
    fn stop(&mut self) -> String {
        self.stops = true;
        format!("{} = 1", self.nowhere.0)
    }

    /// A value that must lie in a range.
    fn checked(&mut self, inner: &Expression, low: i64, high: i64) -> Text {
        let (from, to) = inner.range(self.ranges);
        let text = self.term(inner)?;
        if low <= from && to <= high {
            return Ok(text);
        }
        let nothing = self.nothing();
        limited(format!(
            "(if {text} >= {} && {text} <= {} then {text} else {nothing})",
            number(low)?,
            number(high)?
        ))
    }

    /// An integer.
    pub fn term(&mut self, expression: &Expression) -> Text {
        let text = match expression {
            Expression::Constant(value) => number(*value)?,
            Expression::Read(place) => self.read(place)?,
            Expression::Negate(inner) => format!("(0 - {})", self.term(inner)?),
            Expression::Not(_) | Expression::Binary(Binary::Compare(_) | Binary::And | Binary::Or, ..) => {
                match self.all_of(expression, true)?.as_str() {
                    "" => "1".to_owned(),
                    condition => format!("(if {condition} then 1 else 0)"),
                }
            }
            Expression::Choice(parts) => {
                let [condition, then, otherwise] = &**parts;
                let (then, otherwise) = (self.term(then)?, self.term(otherwise)?);
                match self.all_of(condition, true)?.as_str() {
                    "" => then,
                    condition => format!("(if {condition} then {then} else {otherwise})"),
                }
            }
            Expression::Index(inner, size) => self.checked(inner, 0, *size as i64 - 1)?,
            Expression::Ranged(inner, low, high) => match **inner {
                Expression::Constant(value) if !(*low..=*high).contains(&value) => self.nothing(),
                _ => self.checked(inner, *low, *high)?,
            },
            Expression::Table(table, index) => {
                let index = self.term(index)?;
                let entries: Vec<String> = table.iter().map(|&one| number(one)).collect::<Result<_, _>>()?;
                self.chosen(&index, &entries)?
            }
            Expression::Call(function, _) => {
                return Err(format!("the function `{}` is called", function.name));
            }
            Expression::Binary(operator, left, right) => self.arithmetic(*operator, left, right)?,
            Expression::Real(..) => return Err(FLOATING.to_owned()),
        };
        limited(text)
    }

    fn arithmetic(&mut self, operator: Binary, left: &Expression, right: &Expression) -> Text {
        let is_negative = left.range(self.ranges).0 < 0;
        let places = match right {
            Expression::Constant(places @ 0..=30) => Some(1i64 << places),
            _ => None,
        };
        let (first, second) = (self.term(left)?, self.term(right)?);
        Ok(match (operator, places) {
            (Binary::Add, _) => format!("({first} + {second})"),
            (Binary::Subtract, _) => format!("({first} - {second})"),
            (Binary::Multiply, _) => format!("({first} * {second})"),
            (Binary::Divide, _) => format!("({first} / {second})"),
            (Binary::Remainder, _) => format!("({first} % {second})"),
            (Binary::Minimum, _) => format!("(if {second} < {first} then {second} else {first})"),
            (Binary::Maximum, _) => format!("(if {second} > {first} then {second} else {first})"),
            (Binary::ShiftLeft, Some(power)) => format!("({first} * {power})"),
            (Binary::ShiftRight, Some(power)) if !is_negative => format!("({first} / {power})"),
            (Binary::ShiftLeft | Binary::ShiftRight, _) => {
                return Err("numbers are shifted by other numbers than constants, or below 0".to_owned());
            }
            (Binary::BitAnd | Binary::BitOr | Binary::BitXor, _) => {
                return Err("operators on bits (`&`, `|`, `^`) are used".to_owned());
            }
            (Binary::Compare(_) | Binary::And | Binary::Or, _) => {
                return Err("a condition is no number".to_owned());
            }
        })
    }

    /// One of several texts, by an index.
    fn chosen(&mut self, index: &str, all: &[String]) -> Text {
        if all.len() > MOST_CHOICES {
            return Err(format!("an index chooses among {} values that differ", all.len()));
        }
        let mut text = self.nothing();
        for (at, one) in all.iter().enumerate().rev() {
            text = limited(format!("(if {index} == {at} then {one} else {text})"))?;
        }
        Ok(text)
    }

    /// The element of an array that an index chooses.
    fn element(&mut self, place: &Place, index: &Expression) -> Result<Option<String>, String> {
        let Some((name, first, length)) = self.integers.array(place.base, place.size) else {
            return Ok(None);
        };
        let name = name.to_owned();
        let index = match first == 0 && length == place.size {
            true => self.term(index)?,
            false => self.checked(index, 0, place.size as i64 - 1)?,
        };
        Ok(Some(match first {
            0 => format!("{name}[{index}]"),
            first => format!("{name}[{first} + {index}]"),
        }))
    }

    fn read(&mut self, place: &Place) -> Text {
        let Some(index) = &place.index else {
            return Ok(self.integers.name(place.base).to_owned());
        };
        if let Some(element) = self.element(place, index)? {
            return Ok(element);
        }
        let index = self.term(index)?;
        let slots = place.base..place.base + place.size;
        let all: Vec<String> = slots.map(|slot| self.integers.name(slot).to_owned()).collect();
        self.chosen(&index, &all)
    }

    /// A condition, or its opposite, as a conjunction; empty if it always holds.
    pub fn all_of(&mut self, expression: &Expression, wanted: bool) -> Text {
        let mut found = Vec::new();
        self.conjuncts(expression, wanted, &mut found)?;
        limited(found.join(" && "))
    }

    fn conjuncts(
        &mut self,
        expression: &Expression,
        wanted: bool,
        found: &mut Vec<String>,
    ) -> Result<(), String> {
        match (expression, wanted) {
            (Expression::Constant(value), _) => {
                if (*value != 0) != wanted {
                    found.push("0 != 0".to_owned());
                }
            }
            (Expression::Not(inner), _) => self.conjuncts(inner, !wanted, found)?,
            (Expression::Binary(Binary::Compare(comparison), left, right), _) => {
                let sign = if wanted {
                    *comparison
                } else {
                    opposite(*comparison)
                }
                .sign();
                found.push(format!("{} {sign} {}", self.term(left)?, self.term(right)?));
            }
            (Expression::Binary(Binary::And, left, right), true)
            | (Expression::Binary(Binary::Or, left, right), false) => {
                self.conjuncts(left, wanted, found)?;
                self.conjuncts(right, wanted, found)?;
            }
            (Expression::Binary(Binary::And | Binary::Or, left, right), _) => {
                // One of the two, the second only where the first is not.
                let (first, second) = (self.all_of(left, wanted)?, self.all_of(right, wanted)?);
                if !first.is_empty() && !second.is_empty() {
                    found.push(format!(
                        "(if {first} then 1 else (if {second} then 1 else 0)) == 1"
                    ));
                }
            }
            (other, true) => found.push(format!("{} != 0", self.term(other)?)),
            (other, false) => found.push(format!("{} == 0", self.term(other)?)),
        }
        Ok(())
    }

    /// A guard or an invariant.
    pub fn conditions(&mut self, conditions: &[Condition]) -> Text {
        let mut found = Vec::new();
        for condition in conditions {
            match condition {
                Condition::Integer(expression) => self.conjuncts(expression, true, &mut found)?,
                Condition::Clock {
                    left,
                    right,
                    comparison,
                    bound,
                } => found.push(self.clock_condition(left, right, *comparison, bound)?),
                Condition::When(..) => {
                    return Err("clocks are bounded where a condition on variables holds".to_owned());
                }
            }
        }
        limited(found.join(" && "))
    }

    fn clock_condition(
        &mut self,
        left: &ClockName,
        right: &ClockName,
        comparison: Comparison,
        bound: &Expression,
    ) -> Text {
        let nobody = ClockName::one(0);
        let value = self.term(bound)?;
        Ok(match (*left == nobody, *right == nobody) {
            (_, true) => format!("{} {} {value}", self.clock(left)?, comparison.sign()),
            // 0 - x < n
            (true, false) => {
                let value = match bound {
                    Expression::Constant(bound) => number(-bound)?,
                    _ => format!("(0 - {value})"),
                };
                format!("{} {} {value}", self.clock(right)?, comparison.mirrored().sign())
            }
            (false, false) => {
                format!(
                    "{} - {} {} {value}",
                    self.clock(left)?,
                    self.clock(right)?,
                    comparison.sign()
                )
            }
        })
    }

    fn clock(&mut self, name: &ClockName) -> Text {
        let Some(index) = &name.index else {
            return Ok(self.clocks.name(name.base).to_owned());
        };
        match self.clocks.array(name.base, name.size) {
            Some((array, first, length)) => {
                let array = array.to_owned();
                let index = match first == 0 && length == name.size {
                    true => self.term(index)?,
                    false => self.checked(index, 0, name.size as i64 - 1)?,
                };
                Ok(match first {
                    0 => format!("{array}[{index}]"),
                    first => format!("{array}[{first} + {index}]"),
                })
            }
            None => Err("a clock is chosen by an index among one".to_owned()),
        }
    }

    /// Statements in a row.
    pub fn statements(&mut self, statements: &[Statement]) -> Text {
        let mut found = Vec::new();
        for statement in statements {
            match statement {
                Statement::Assign { target, value, .. } => {
                    let value = self.term(value)?;
                    found.push(self.assignment(target, &value)?);
                }
                Statement::Clock {
                    target,
                    source,
                    offset,
                    ..
                } => {
                    let target = self.clock(target)?;
                    let offset_text = self.term(offset)?;
                    found.push(match (*source == ClockName::one(0), offset) {
                        (true, _) => format!("{target} = {offset_text}"),
                        (false, Expression::Constant(0)) => format!("{target} = {}", self.clock(source)?),
                        (false, _) => format!("{target} = {offset_text} + {}", self.clock(source)?),
                    });
                }
                Statement::If(condition, then, otherwise) => {
                    let condition = match self.all_of(condition, true)? {
                        empty if empty.is_empty() => "0 == 0".to_owned(),
                        condition => condition,
                    };
                    let (then, otherwise) = (self.statements(then)?, self.statements(otherwise)?);
                    let then = if then.is_empty() { "nop".to_owned() } else { then };
                    found.push(match otherwise.is_empty() {
                        true => format!("if {condition} then {then} end"),
                        false => format!("if {condition} then {then} else {otherwise} end"),
                    });
                }
                Statement::While(condition, body) => {
                    let condition = match self.all_of(condition, true)? {
                        empty if empty.is_empty() => "0 == 0".to_owned(),
                        condition => condition,
                    };
                    let body = self.statements(body)?;
                    let body = if body.is_empty() { "nop".to_owned() } else { body };
                    found.push(format!("while {condition} do {body} end"));
                }
                Statement::Clear(from, count) => {
                    found.extend(
                        (*from..from + count).map(|slot| format!("{} = 0", self.integers.name(slot))),
                    );
                }
                Statement::Assert(condition, _) => {
                    let broken = self.all_of(condition, false)?;
                    let stop = self.stop();
                    match broken.as_str() {
                        "" => found.push(stop),
                        broken => found.push(format!("if {broken} then {stop} end")),
                    }
                }
                Statement::Return(_) => return Err("an edge returns".to_owned()),
                Statement::Call { function, .. } => {
                    return Err(format!("the function `{}` is called", function.name));
                }
                // What it costs cannot be said.
                Statement::Cost(..) => {}
                Statement::Draw { .. } => return Err(FLOATING.to_owned()),
            }
        }
        limited(found.join("; "))
    }

    fn assignment(&mut self, target: &Place, value: &str) -> Text {
        let Some(index) = &target.index else {
            return Ok(format!("{} = {value}", self.integers.name(target.base)));
        };
        if let Some(element) = self.element(target, index)? {
            return Ok(format!("{element} = {value}"));
        }
        if target.size > MOST_CHOICES {
            return Err(format!(
                "an index chooses among {} variables that differ",
                target.size
            ));
        }
        let index = self.term(index)?;
        let mut text = self.stop();
        for at in (0..target.size).rev() {
            let name = self.integers.name(target.base + at);
            text = limited(format!(
                "if {index} == {at} then {name} = {value} else {text} end"
            ))?;
        }
        Ok(text)
    }
}

/// A number; the language has 32 bits.
fn number(value: i64) -> Text {
    match i32::try_from(value) {
        Ok(i32::MIN) => Ok(format!("(-{} - 1)", i32::MAX)),
        Ok(value) if value < 0 => Ok(format!("(-{})", value.unsigned_abs())),
        Ok(value) => Ok(value.to_string()),
        Err(_) => Err(format!("the number {value} does not fit into 32 bits")),
    }
}
