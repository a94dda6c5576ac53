//! Floating-point numbers.
//!
//! A model is translated in two ways. For **random runs** floating-point variables have memory, clocks run at any rate, and code reads the value of a clock in a slot that mirrors it ([`entail_clocks::Reals`]). For
//! everything else, the **exact** translation, they are left out, as UPPAAL's symbolic queries ignore them: they have no memory, what is done to them is dropped, and where anything else would depend on one, it is
//! refused by name. Constants keep their values in both.

use crate::compiler::{Compiler, Linear, Typed, wrong};
use crate::names::ScopeId;
use crate::parser::Read;
use entail_clocks::{
    Binary, ClockName, DRAWS, Draw, Expression, FUNCTIONS, Place, Real, Statement, from_bits, to_bits,
};
use entail_source::{Diagnostic, Span};
use entail_uppaal_tree::Expr;

/// The code of mistakes that only the exact translation has.
pub const RANDOM_ONLY: &str = "uppaal::random-runs-only";

/// Something that only random runs can do.
pub(crate) fn random_only(message: impl Into<String>, span: Span) -> Diagnostic {
    wrong(RANDOM_ONLY, message, span)
}

/// Where code stands: whether it runs at one moment, so that clocks have a value there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Moment {
    /// In the update of an edge.
    Step,
    /// In the rate of a clock.
    Rate,
    /// Anywhere else.
    Other,
}

/// What random runs need beside the network.
#[derive(Debug, Default)]
pub(crate) struct RandomRuns {
    /// The slot of the generator of random numbers.
    pub generator: usize,
    /// For each clock the slot in which code finds its value.
    pub mirrors: Vec<usize>,
    /// Clocks that flow.
    pub flowing: Vec<bool>,
    /// Clocks that are set to the values of clocks.
    pub copies: Vec<(ClockName, ClockName)>,
}

impl RandomRuns {
    /// One of these clocks takes values that others do not.
    pub fn flows(&mut self, clock: &ClockName) {
        for one in clock.candidates().filter(|&one| one > 0) {
            self.flowing.resize(self.flowing.len().max(one), false);
            self.flowing[one - 1] = true;
        }
    }

    /// What is set to the value of a clock that flows, flows, too.
    pub fn spread(&mut self) {
        loop {
            let flows = |clocks: &ClockName| {
                let mut all = clocks.candidates().filter(|&one| one > 0);
                all.any(|one| self.flowing.get(one - 1) == Some(&true))
            };
            let open = (self.copies.iter()).find(|(target, source)| flows(source) && !flows(target));
            let Some((target, _)) = open.cloned() else {
                return;
            };
            self.flows(&target);
        }
    }
}

fn constant(expression: &Expression) -> Option<i64> {
    match expression {
        Expression::Constant(bits) => Some(*bits),
        _ => None,
    }
}

/// A floating-point number as it is stored: without the mark that it is one.
pub(crate) fn stored(expression: Expression) -> Expression {
    match expression {
        Expression::Real(Real::Same, mut inner) => std::mem::replace(&mut inner[0], Expression::Constant(0)),
        other => other,
    }
}

/// What is stored, marked as a floating-point number.
pub(crate) fn marked(expression: Expression) -> Expression {
    Expression::Real(Real::Same, Box::new([expression]))
}

/// A floating-point constant.
pub(crate) fn real_constant(number: f64) -> Expression {
    marked(Expression::Constant(to_bits(number)))
}

/// The value of a floating-point constant.
pub(crate) fn constant_value(expression: &Expression) -> Option<f64> {
    match expression {
        Expression::Real(Real::Same, inner) => constant(&inner[0]).map(from_bits),
        _ => None,
    }
}

/// An operator on floating-point numbers, evaluated if its arguments are constants.
pub(crate) fn real(operator: Real, arguments: Vec<Expression>) -> Expression {
    let arguments: Vec<Expression> = match operator {
        Real::Whole => arguments,
        _ => arguments.into_iter().map(stored).collect(),
    };
    let is_constant = arguments.iter().all(|argument| constant(argument).is_some());
    let whole = Expression::Real(operator, arguments.into());
    match is_constant.then(|| whole.value(&[])) {
        Some(Ok(bits)) if operator.gives_real() => marked(Expression::Constant(bits)),
        Some(Ok(number)) => Expression::Constant(number),
        _ => whole,
    }
}

/// An integer or a floating-point number as the latter.
fn as_number(expression: Expression) -> Expression {
    match expression.is_real() {
        true => expression,
        false => real(Real::Whole, vec![expression]),
    }
}

/// The sum of two numbers, which is an integer if both are.
pub(crate) fn number_sum(left: Expression, right: Expression) -> Expression {
    match left.is_real() || right.is_real() {
        true => real(Real::Add, vec![as_number(left), as_number(right)]),
        false => crate::terms::sum(left, right),
    }
}

/// The product of two numbers, one of which is no integer.
pub(crate) fn number_product(left: Expression, right: Expression) -> Expression {
    real(Real::Multiply, vec![as_number(left), as_number(right)])
}

/// A number with the other sign.
pub(crate) fn number_negated(number: Expression) -> Expression {
    match number.is_real() {
        true => real(Real::Negate, vec![number]),
        false => crate::terms::folded(Expression::Negate(Box::new(number))),
    }
}

/// An integer that a number is, if it is written as a floating-point constant.
pub(crate) fn whole_if_it_is(number: Expression) -> Expression {
    match constant_value(&number) {
        Some(value) if value.fract() == 0.0 && value.abs() < 1e9 => Expression::Constant(value as i64),
        _ => number,
    }
}

impl Compiler<'_> {
    /// Whether this is the translation for random runs.
    pub fn is_random(&self) -> bool {
        self.random.is_some()
    }

    /// The slot that mirrors a clock.
    fn mirror(&self, clock: &ClockName) -> Place {
        let mirrors = self.random.as_ref().map_or(&[][..], |random| &random.mirrors);
        let base = mirrors.get(clock.base.wrapping_sub(1)).copied().unwrap_or(0);
        Place {
            base,
            size: clock.size,
            index: clock.index.clone().map(Box::new),
        }
    }

    /// A typed expression as a floating-point number; nothing if it is not known in this translation.
    pub fn as_real(&mut self, read: Typed, span: Span) -> Read<Option<Expression>> {
        Ok(match read {
            Typed::Integer(value, _) => Some(real(Real::Whole, vec![value])),
            Typed::Real(value) => Some(value),
            Typed::Unknown => None,
            Typed::Clock(_) if !self.is_random() => None,
            Typed::Clock(linear) => {
                if self.functions.is_inside() {
                    self.does.reads_clocks = true;
                } else {
                    self.expect_moment(span)?;
                }
                let reference = ClockName::one(0);
                let mut whole = marked(Expression::Read(self.mirror(&linear.plus)));
                if linear.plus == reference {
                    whole = real_constant(0.0);
                }
                if linear.minus != reference {
                    let minus = marked(Expression::Read(self.mirror(&linear.minus)));
                    whole = real(Real::Subtract, vec![whole, minus]);
                }
                Some(number_sum(whole, linear.offset))
            }
            other => {
                let message = format!("this is {}, and a number is expected", other.name());
                return Err(wrong("uppaal::type", message, span));
            }
        })
    }

    /// Whether clocks have a value where the code stands.
    pub fn expect_moment(&self, span: Span) -> Read<()> {
        let message = match self.moment {
            Moment::Step => return Ok(()),
            Moment::Rate => "derivatives that depend on clocks are not supported",
            Moment::Other => {
                "clocks can be added to and subtracted from numbers, and multiplied by them in queries; other operators on clocks are supported in updates only"
            }
        };
        Err(wrong("uppaal::unsupported", message, span))
    }

    /// A floating-point number on whose value something depends.
    pub fn known(&self, number: Option<Expression>, span: Span) -> Read<Expression> {
        match number {
            Some(number) if self.is_random() || constant_value(&number).is_some() => Ok(number),
            _ => {
                let message = "this depends on a hybrid clock or a floating-point number, which are known in random runs (`Pr`, `E`, `simulate`) only";
                Err(random_only(message, span))
            }
        }
    }

    /// A floating-point constant.
    pub fn constant_real(&mut self, expr: &Expr, scope: ScopeId) -> Read<f64> {
        let (was, effects) = (self.constant, self.effects.take());
        self.constant = true;
        let read = self
            .value(expr, scope)
            .and_then(|read| self.as_real(read, expr.span));
        (self.constant, self.effects) = (was, effects);
        let value = match read? {
            Some(number) => number.number(&[]).ok(),
            None => None,
        };
        value.ok_or_else(|| wrong("uppaal::constant", "a constant is expected", expr.span))
    }

    /// An operator one of whose operands is a floating-point number, or which makes one of clocks.
    pub fn real_operation(&mut self, binary: Binary, both: (Typed, Typed), span: Span) -> Read<Typed> {
        let operator = match binary {
            Binary::Add => Real::Add,
            Binary::Subtract => Real::Subtract,
            Binary::Multiply => Real::Multiply,
            Binary::Divide => Real::Divide,
            Binary::Minimum => Real::Minimum,
            Binary::Maximum => Real::Maximum,
            _ => {
                let message = format!("{} and {} cannot be combined so", both.0.name(), both.1.name());
                return Err(wrong("uppaal::type", message, span));
            }
        };
        let linear = |clock: Linear, number: Expression| Linear {
            offset: number_sum(clock.offset, number),
            ..clock
        };
        Ok(match (both, operator) {
            ((Typed::Clock(clock), Typed::Real(number)), Real::Add)
            | ((Typed::Real(number), Typed::Clock(clock)), Real::Add) => {
                Typed::Clock(linear(clock, whole_if_it_is(number)))
            }
            ((Typed::Clock(clock), Typed::Real(number)), Real::Subtract) => {
                Typed::Clock(linear(clock, whole_if_it_is(number_negated(number))))
            }
            ((left, right), operator) => {
                let (left, right) = (self.as_real(left, span)?, self.as_real(right, span)?);
                match (left, right) {
                    (Some(left), Some(right)) => Typed::Real(real(operator, vec![left, right])),
                    _ => Typed::Unknown,
                }
            }
        })
    }

    /// `a ** b`, of which one is no integer.
    pub fn real_power(&mut self, both: (Typed, Typed), span: Span) -> Read<Typed> {
        let position = FUNCTIONS.iter().position(|one| one.name == "pow").unwrap_or(0);
        let (base, exponent) = (self.as_real(both.0, span)?, self.as_real(both.1, span)?);
        Ok(match (base, exponent) {
            (Some(base), Some(exponent)) => Typed::Real(real(Real::Function(position), vec![base, exponent])),
            _ => Typed::Unknown,
        })
    }

    /// A comparison of numbers, one of which is a floating-point number; `is_known` says whether its truth must be.
    pub fn real_comparison(
        &mut self,
        comparison: entail_clocks::Comparison,
        both: (Typed, Typed),
        span: Span,
    ) -> Read<Typed> {
        let (left, right) = (self.as_real(both.0, span)?, self.as_real(both.1, span)?);
        let (left, right) = (self.known(left, span)?, self.known(right, span)?);
        Ok(Typed::Integer(
            real(Real::Compare(comparison), vec![left, right]),
            true,
        ))
    }

    /// A function of floating-point numbers or a random number; nothing if there is none of this name.
    pub fn real_function(
        &mut self,
        name: &str,
        arguments: &[Expr],
        span: Span,
        scope: ScopeId,
    ) -> Read<Option<Typed>> {
        let draw = DRAWS
            .iter()
            .find(|(known, _)| *known == name)
            .map(|(_, draw)| *draw);
        let function = FUNCTIONS.iter().position(|one| one.name == name);
        let count = match (draw, function, name) {
            (Some(draw), _, _) => draw.arguments(),
            (_, Some(function), _) => FUNCTIONS[function].arguments,
            (_, _, "fint" | "ilogb" | "signbit") => 1,
            (_, _, "ldexp") => 2,
            _ => return Ok(None),
        };
        if arguments.len() != count {
            let message = format!(
                "`{name}` has {count} parameters, and {} arguments are given",
                arguments.len()
            );
            return Err(wrong("uppaal::type", message, span));
        }
        let mut numbers = Vec::new();
        let read = self.operands(&arguments.iter().collect::<Vec<&Expr>>(), scope)?;
        for (read, argument) in read.into_iter().zip(arguments) {
            numbers.push(self.as_real(read, argument.span)?);
        }
        let known: Option<Vec<Expression>> = numbers.iter().cloned().collect();
        if let Some(draw) = draw {
            return self.draw(draw, known, span).map(Some);
        }
        let operator = match (function, name) {
            (Some(function), _) => Real::Function(function),
            (_, "ldexp") => {
                return Ok(Some(match known {
                    Some(numbers) => {
                        let two = FUNCTIONS.iter().position(|one| one.name == "exp2").unwrap_or(0);
                        let power = real(Real::Function(two), vec![numbers[1].clone()]);
                        Typed::Real(real(Real::Multiply, vec![numbers[0].clone(), power]))
                    }
                    None => Typed::Unknown,
                }));
            }
            (_, "fint") => Real::Truncate,
            (_, "ilogb") => Real::Exponent,
            _ => Real::Sign,
        };
        Ok(Some(match (known, operator.gives_real()) {
            (Some(numbers), true) => Typed::Real(real(operator, numbers)),
            (None, true) => Typed::Unknown,
            (_, false) => {
                let number = self.known(numbers.remove(0), span)?;
                Typed::Integer(real(operator, vec![number]), operator == Real::Sign)
            }
        }))
    }

    /// A random number, drawn into a slot of its own.
    fn draw(&mut self, draw: Draw, parameters: Option<Vec<Expression>>, span: Span) -> Read<Typed> {
        let Some(random) = &self.random else {
            return Ok(Typed::Unknown);
        };
        let generator = random.generator;
        if self.constant {
            return Err(wrong("uppaal::constant", "a constant is expected", span));
        }
        if self.effects.is_none() {
            let message = "random numbers are drawn in updates only";
            return Err(wrong("uppaal::unsupported", message, span));
        }
        let target = Place::variable(self.slot(1));
        // The generator is a variable of the model.
        self.does.writes = true;
        let statement = Statement::Draw {
            target: target.clone(),
            draw,
            parameters: parameters.unwrap_or_default().into(),
            generator,
            span,
        };
        self.emit(statement, span)?;
        Ok(Typed::Real(marked(Expression::Read(target))))
    }

    /// A clock gets a value, in random runs: what reads it as a number finds it in its mirror.
    pub fn set_mirror(&mut self, clock: &ClockName, read: Typed, span: Span) -> Read<()> {
        let value = self.as_real(read, span)?;
        let value = stored(self.known(value, span)?);
        let target = self.mirror(clock);
        self.emit(Statement::Assign { target, value, span }, span)
    }
}
