//! Computing away what is high level: parameters, definitions, sets, enumerations, big operators, bounds.
//!
//! Definitions without arguments are computed when they are first needed; functions are called with values. A case of a definition with a guard applies if
//! the guard is true; the first that applies counts, and `otherwise` applies if no other does. A guard `formula ~ pattern` applies if the formula looks
//! like the pattern, and binds the pattern's names. Expansion stops with an error when it nests calls too deeply or makes too much.

mod formula;
mod sets;

use crate::deep;
use crate::syntax::*;
use crate::value::{Ltl, Term, Value};
use entail_budget::Budget;
use entail_source::{Diagnostic, Diagnostics, Span};
use std::collections::HashMap;
use std::rc::Rc;

/// Calls are nested at most so deeply.
const MOST_CALLS: usize = 2_000;
/// At most so many expressions are evaluated.
const MOST_STEPS: u64 = 50_000_000;
/// Sets have at most so many elements, buses so many signals.
const MOST_ELEMENTS: i64 = 1_000_000;

type Evaluated<T> = Result<T, Diagnostics>;

/// What a name stands for.
enum Global<'f> {
    Ready(Value),
    Waiting(&'f Definition),
    /// It is being computed: to need it now is to need it for itself.
    Busy(&'f Definition),
    Function(&'f Definition),
}

/// The names of a file and the signals that have been declared.
pub struct Evaluator<'f> {
    globals: HashMap<&'f str, Global<'f>>,
    places: HashMap<&'f str, Span>,
    locals: Vec<(String, Value)>,
    /// Where the names of the function at work begin among the locals.
    frame: usize,
    calls: usize,
    steps: u64,
    budget: &'f Budget,
    /// The names of signals.
    pub signals: Vec<String>,
}

fn error(code: &'static str, message: String, span: Span, label: &str, help: &str) -> Diagnostics {
    Diagnostic::error(code, message, span, label)
        .with_help(help)
        .into()
}

impl<'f> Evaluator<'f> {
    /// With the parameters and definitions of a file; some parameters may have other values.
    pub fn new(file: &'f File, parameters: &[(String, i64)], budget: &'f Budget) -> Evaluated<Evaluator<'f>> {
        let mut evaluator = Evaluator {
            globals: HashMap::new(),
            places: HashMap::new(),
            locals: Vec::new(),
            frame: 0,
            calls: 0,
            steps: 0,
            budget,
            signals: Vec::new(),
        };
        for definition in file.parameters.iter().chain(&file.definitions) {
            let global = match definition.arguments.is_empty() {
                true => Global::Waiting(definition),
                false => Global::Function(definition),
            };
            evaluator.define(&definition.name, definition.span, global)?;
        }
        for (name, value) in parameters {
            let known = file.parameters.iter().find(|known| known.name == *name);
            let Some(parameter) = known else {
                let names: Vec<&str> = file.parameters.iter().map(|known| known.name.as_str()).collect();
                let message = match names.is_empty() {
                    true => format!("the specification has no parameter `{name}`, nor any other"),
                    false => format!(
                        "the specification has no parameter `{name}`; it has {}",
                        names.join(", ")
                    ),
                };
                let start = Span::new(0, 0);
                return Err(error(
                    "tlsf::parameter",
                    message,
                    start,
                    "in this file",
                    "parameters stand in the section PARAMETERS",
                ));
            };
            evaluator
                .globals
                .insert(&parameter.name, Global::Ready(Value::Number(*value)));
        }
        for enumeration in &file.enumerations {
            for (value, span, codes) in &enumeration.values {
                evaluator.define(value, *span, Global::Ready(Value::Code(codes.clone())))?;
            }
        }
        Ok(evaluator)
    }

    /// Gives a name its meaning.
    fn define(&mut self, name: &'f str, span: Span, global: Global<'f>) -> Evaluated<()> {
        if let Some(first) = self.places.insert(name, span) {
            let problem = Diagnostic::error(
                "tlsf::twice",
                format!("`{name}` is defined twice"),
                span,
                "the second time",
            )
            .with_label(first, "the first time")
            .with_help("give one of them another name");
            return Err(problem.into());
        }
        self.globals.insert(name, global);
        Ok(())
    }

    /// Declares a signal; its value, and how many bits it has.
    pub fn declare(&mut self, signal: &'f Signal, enumerations: &'f [Enumeration]) -> Evaluated<Value> {
        let first = self.signals.len() as u32;
        let width = match &signal.kind {
            SignalKind::Single => None,
            SignalKind::Bus(width) => {
                let count = self.number(width)?;
                if !(0..=MOST_ELEMENTS).contains(&count) {
                    let message = format!("a bus cannot have {count} signals");
                    return Err(error(
                        "tlsf::width",
                        message,
                        width.span,
                        "this width",
                        "use a small natural number",
                    ));
                }
                Some(count as u32)
            }
            SignalKind::Typed(name) => match enumerations.iter().find(|known| known.name == *name) {
                Some(known) => Some(known.size as u32),
                None => {
                    let message = format!("there is no enumeration `{name}`");
                    let help =
                        "define it with `enum` in DEFINITIONS; or is a `;` missing between two signals?";
                    return Err(error(
                        "tlsf::enumeration",
                        message,
                        signal.span,
                        "of this signal",
                        help,
                    ));
                }
            },
        };
        let value = match width {
            None => {
                self.signals.push(signal.name.clone());
                Value::Formula(Rc::new(Ltl::Signal(first)))
            }
            Some(width) => {
                let names = (0..width).map(|bit| format!("{}_{bit}", signal.name));
                self.signals.extend(names);
                Value::Bus(first, width)
            }
        };
        self.define(&signal.name, signal.span, Global::Ready(value.clone()))?;
        Ok(value)
    }

    /// The value of an expression.
    pub fn value(&mut self, expr: &Expr) -> Evaluated<Value> {
        deep(|| self.computed(expr))
    }

    fn computed(&mut self, expr: &Expr) -> Evaluated<Value> {
        self.steps += 1;
        let spent = |message: String| {
            error(
                "tlsf::expansion",
                message,
                expr.span,
                "here",
                "is the recursion meant to end?",
            )
        };
        if self.steps > MOST_STEPS {
            return Err(spent("the specification grows beyond all bounds".into()));
        }
        if self.steps.is_multiple_of(1024)
            && let Err(reason) = self.budget.check_now()
        {
            return Err(spent(format!("expanding the specification: {reason}")));
        }
        match &expr.node {
            Node::Number(number) => Ok(Value::Number(*number)),
            Node::Name(name) => self.name(name, expr.span),
            Node::Call(name, arguments) => self.call(name, arguments, expr.span),
            Node::Set(_) | Node::Range(..) | Node::Big(Big::Cup | Big::Cap, ..) => {
                self.set(expr).map(Value::Set)
            }
            Node::Infix(Infix::Cup | Infix::Cap | Infix::SetMinus, ..) => self.set(expr).map(Value::Set),
            Node::Prefix(Prefix::SizeOf | Prefix::Size | Prefix::Min | Prefix::Max, _)
            | Node::Big(Big::Sum | Big::Product, ..)
            | Node::Infix(Infix::Plus | Infix::Minus | Infix::Mul | Infix::Div | Infix::Mod, ..) => {
                self.number(expr).map(Value::Number)
            }
            _ => self.formula(expr).map(Value::Formula),
        }
    }

    fn name(&mut self, name: &str, span: Span) -> Evaluated<Value> {
        if let Some((_, value)) = self.locals[self.frame..]
            .iter()
            .rev()
            .find(|(known, _)| known == name)
        {
            return Ok(value.clone());
        }
        let Some((&key, global)) = self.globals.get_key_value(name) else {
            let help = "names are those of signals, parameters, definitions, and values of enumerations";
            return Err(error(
                "tlsf::unknown",
                format!("there is no `{name}`"),
                span,
                "this name",
                help,
            ));
        };
        match global {
            Global::Ready(value) => Ok(value.clone()),
            Global::Busy(definition) => {
                let problem = Diagnostic::error(
                    "tlsf::circular",
                    format!("`{name}` is defined by itself"),
                    span,
                    "it is needed here",
                )
                .with_label(definition.span, "to define this");
                Err(problem.into())
            }
            Global::Function(definition) => {
                let message = format!("`{name}` needs {} arguments", definition.arguments.len());
                Err(error(
                    "tlsf::arguments",
                    message,
                    span,
                    "here it has none",
                    "write the arguments in parentheses",
                ))
            }
            Global::Waiting(definition) => {
                let definition: &'f Definition = definition;
                self.globals.insert(key, Global::Busy(definition));
                let value = self.in_frame(Vec::new(), |evaluator| evaluator.cases(definition, span))?;
                self.globals.insert(key, Global::Ready(value.clone()));
                Ok(value)
            }
        }
    }

    /// Does something where only these names, and the global ones, are known.
    fn in_frame<T>(
        &mut self,
        names: Vec<(String, Value)>,
        work: impl FnOnce(&mut Self) -> Evaluated<T>,
    ) -> Evaluated<T> {
        let (frame, length) = (self.frame, self.locals.len());
        self.frame = length;
        self.locals.extend(names);
        self.calls += 1;
        let result = work(self);
        self.calls -= 1;
        self.locals.truncate(length);
        self.frame = frame;
        result
    }

    fn call(&mut self, name: &str, arguments: &[Expr], span: Span) -> Evaluated<Value> {
        let definition: &'f Definition = match self.globals.get(name) {
            Some(Global::Function(definition)) => definition,
            Some(_) => {
                let message = format!("`{name}` is no function");
                return Err(error(
                    "tlsf::arguments",
                    message,
                    span,
                    "here it has arguments",
                    "leave them out",
                ));
            }
            None => {
                let help = "functions are defined in DEFINITIONS";
                return Err(error(
                    "tlsf::unknown",
                    format!("there is no function `{name}`"),
                    span,
                    "this one",
                    help,
                ));
            }
        };
        if definition.arguments.len() != arguments.len() {
            let (wanted, given) = (definition.arguments.len(), arguments.len());
            let message = format!("`{name}` has {wanted} arguments, and here it is given {given}");
            let problem = Diagnostic::error("tlsf::arguments", message, span, "here");
            return Err(problem.with_label(definition.span, "defined here").into());
        }
        if self.calls >= MOST_CALLS {
            let help = "every recursion needs a case that ends it: a guard such as `n == 0 : …`";
            return Err(error(
                "tlsf::recursion",
                format!("`{name}` calls itself without end"),
                span,
                "in this call",
                help,
            ));
        }
        let mut names = Vec::with_capacity(arguments.len());
        for (argument, name) in arguments.iter().zip(&definition.arguments) {
            names.push((name.clone(), self.value(argument)?));
        }
        self.in_frame(names, |evaluator| evaluator.cases(definition, span))
    }

    /// The value of the first case that applies.
    fn cases(&mut self, definition: &'f Definition, span: Span) -> Evaluated<Value> {
        let mut otherwise = None;
        for case in &definition.cases {
            let Node::Infix(Infix::Colon, guard, body) = &case.node else {
                return self.value(case);
            };
            if guard.node == Node::Otherwise {
                otherwise = otherwise.or(Some(body));
                continue;
            }
            let known = self.locals.len();
            let applies = self.guard(guard)?;
            let value = match applies {
                true => Some(self.value(body)),
                false => None,
            };
            self.locals.truncate(known);
            if let Some(value) = value {
                return value;
            }
        }
        match otherwise {
            Some(body) => self.value(body),
            None => {
                let message = format!("no case of `{}` applies", definition.name);
                let problem = Diagnostic::error("tlsf::no-case", message, span, "needed here")
                    .with_label(definition.span, "of this definition")
                    .with_help("add a case `otherwise : …`");
                Err(problem.into())
            }
        }
    }

    fn guard(&mut self, guard: &Expr) -> Evaluated<bool> {
        if let Node::Infix(Infix::Pattern, formula, pattern) = &guard.node {
            let formula = self.formula(formula)?;
            return Ok(self.matches(&formula, pattern));
        }
        let formula = self.formula(guard)?;
        match *formula {
            Ltl::Constant(truth) => Ok(truth),
            _ => {
                let help = "a guard compares numbers or sets, or is `formula ~ pattern`";
                Err(error(
                    "tlsf::guard",
                    "the guard depends on signals".into(),
                    guard.span,
                    "this guard",
                    help,
                ))
            }
        }
    }

    /// Whether a formula looks like a pattern; names of the pattern are bound.
    fn matches(&mut self, formula: &Term, pattern: &Expr) -> bool {
        let mut all = |pairs: &[(&Term, &Expr)]| {
            pairs
                .iter()
                .all(|(formula, pattern)| self.matches(formula, pattern))
        };
        match (&**formula, &pattern.node) {
            (_, Node::Wild) => true,
            (_, Node::Name(name)) => {
                self.locals.push((name.clone(), Value::Formula(formula.clone())));
                true
            }
            (Ltl::Constant(truth), Node::True) => *truth,
            (Ltl::Constant(truth), Node::False) => !truth,
            (Ltl::Not(one), Node::Prefix(Prefix::Not, other))
            | (Ltl::Next(one), Node::Prefix(Prefix::Next, other))
            | (Ltl::StrongNext(one), Node::Prefix(Prefix::StrongNext, other))
            | (Ltl::Previous(one), Node::Prefix(Prefix::Previous, other))
            | (Ltl::Globally(one), Node::Prefix(Prefix::Globally, other))
            | (Ltl::Finally(one), Node::Prefix(Prefix::Finally, other))
            | (Ltl::Historically(one), Node::Prefix(Prefix::Historically, other))
            | (Ltl::Once(one), Node::Prefix(Prefix::Once, other)) => all(&[(one, other)]),
            (Ltl::Implies(a, b), Node::Infix(Infix::Implies, c, d))
            | (Ltl::Equiv(a, b), Node::Infix(Infix::Equiv, c, d))
            | (Ltl::Until(a, b), Node::Infix(Infix::Until, c, d))
            | (Ltl::Release(a, b), Node::Infix(Infix::Release, c, d))
            | (Ltl::Weak(a, b), Node::Infix(Infix::Weak, c, d))
            | (Ltl::Since(a, b), Node::Infix(Infix::Since, c, d))
            | (Ltl::Triggered(a, b), Node::Infix(Infix::Triggered, c, d)) => all(&[(a, c), (b, d)]),
            (Ltl::And(parts), Node::Infix(Infix::And, c, d))
            | (Ltl::Or(parts), Node::Infix(Infix::Or, c, d)) => match parts.as_slice() {
                [a, b] => all(&[(a, c), (b, d)]),
                _ => false,
            },
            _ => false,
        }
    }

    /// A number.
    pub fn number(&mut self, expr: &Expr) -> Evaluated<i64> {
        let overflow = || {
            error(
                "tlsf::number",
                "the number is too large".into(),
                expr.span,
                "here",
                "use smaller numbers",
            )
        };
        match &expr.node {
            Node::Infix(
                operator @ (Infix::Plus | Infix::Minus | Infix::Mul | Infix::Div | Infix::Mod),
                left,
                right,
            ) => {
                let (left, divisor) = (self.number(left)?, right.span);
                let right = self.number(right)?;
                if right == 0 && matches!(operator, Infix::Div | Infix::Mod) {
                    return Err(error(
                        "tlsf::zero",
                        "division by zero".into(),
                        divisor,
                        "this is 0",
                        "divide by something else",
                    ));
                }
                let result = match operator {
                    Infix::Plus => left.checked_add(right),
                    Infix::Minus => left.checked_sub(right),
                    Infix::Mul => left.checked_mul(right),
                    // As in `syfco`, towards minus infinity.
                    Infix::Div => left
                        .checked_sub(left.rem_euclid(right))
                        .map(|_| floor_div(left, right)),
                    _ => Some(left - right * floor_div(left, right)),
                };
                result.ok_or_else(overflow)
            }
            Node::Prefix(Prefix::SizeOf, operand) => match self.value(operand)? {
                Value::Bus(_, width) => Ok(i64::from(width)),
                other => Err(self.mismatch("a bus", &other, operand.span)),
            },
            Node::Prefix(Prefix::Size, operand) => Ok(self.set(operand)?.len() as i64),
            Node::Prefix(which @ (Prefix::Min | Prefix::Max), operand) => {
                let set = self.set(operand)?;
                let wanted = if *which == Prefix::Min {
                    set.first()
                } else {
                    set.last()
                };
                match wanted {
                    Some(Value::Number(number)) => Ok(*number),
                    Some(other) => Err(self.mismatch("a set of numbers", other, operand.span)),
                    None => Err(error(
                        "tlsf::empty",
                        "the set is empty".into(),
                        operand.span,
                        "this set",
                        "MIN and MAX need an element",
                    )),
                }
            }
            Node::Big(which @ (Big::Sum | Big::Product), conditions, body) => {
                let neutral = i64::from(*which == Big::Product);
                let mut result = neutral;
                self.for_each(conditions, &mut |evaluator| {
                    let number = evaluator.number(body)?;
                    let next = match which {
                        Big::Sum => result.checked_add(number),
                        _ => result.checked_mul(number),
                    };
                    result = next.ok_or_else(overflow)?;
                    Ok(())
                })?;
                Ok(result)
            }
            Node::Number(_) | Node::Name(_) | Node::Call(..) => match self.value(expr)? {
                Value::Number(number) => Ok(number),
                other => Err(self.mismatch("a number", &other, expr.span)),
            },
            _ => Err(error(
                "tlsf::type",
                "this is no number".into(),
                expr.span,
                "a number is needed here",
                "",
            )),
        }
    }

    fn mismatch(&self, wanted: &str, found: &Value, span: Span) -> Diagnostics {
        let message = format!("expected {wanted}, and this is {}", found.kind());
        error("tlsf::type", message, span, "here", "")
    }
}

fn floor_div(left: i64, right: i64) -> i64 {
    let quotient = left.wrapping_div(right);
    match (left % right != 0) && ((left < 0) != (right < 0)) {
        true => quotient - 1,
        false => quotient,
    }
}
