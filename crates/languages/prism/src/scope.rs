//! Names and what they stand for: constants, formulas, variables, labels, properties.
//!
//! Constants are evaluated when they are first needed; a circle of constants or formulas is an error that shows the circle. A renamed module
//! sees formulas as they would be after renaming the names inside them, as PRISM has it: formulas are unfolded first.

use crate::ast::*;
use crate::expression::Parsed;
use entail_markov::{BinaryOp, Domain, EvalError, Expr, Rational, Sort, UnaryOp, Value, VarId, Variable};
use entail_source::{Diagnostic, Span};
use std::cell::RefCell;
use std::collections::HashMap;

/// Values that a user gives to constants, by name.
pub type Constants = HashMap<String, Value>;

/// What names mean while expressions are lowered.
pub(crate) struct Scope<'a> {
    constants: HashMap<&'a str, &'a ConstantAst>,
    given: &'a Constants,
    values: RefCell<HashMap<String, Value>>,
    formulas: HashMap<&'a str, &'a NamedAst>,
    unfolding: RefCell<Vec<String>>,
    pub variables: Vec<Variable>,
    pub places: Vec<Span>,
    names: HashMap<String, VarId>,
    /// Whether constants are left open: then those that are computed from them depend on them.
    open: bool,
}

/// A map from names to names, in a renamed module.
pub(crate) type Renaming = HashMap<String, String>;

impl<'a> Scope<'a> {
    pub fn new(given: &'a Constants) -> Scope<'a> {
        Scope {
            constants: HashMap::new(),
            given,
            values: RefCell::default(),
            formulas: HashMap::new(),
            unfolding: RefCell::default(),
            variables: Vec::new(),
            places: Vec::new(),
            names: HashMap::new(),
            open: false,
        }
    }

    fn taken(&self, name: &str, span: Span) -> Parsed<()> {
        let first = (self.constants.get(name).map(|constant| constant.span))
            .or_else(|| self.formulas.get(name).map(|formula| formula.span))
            .or_else(|| self.names.get(name).map(|var| self.places[var.index()]));
        match first {
            None => Ok(()),
            Some(first) => {
                let message = format!("`{name}` is declared twice");
                let problem = Diagnostic::error("prism::twice", message, span, "again here");
                Err(problem.with_label(first, "first here"))
            }
        }
    }

    pub fn declare_constant(&mut self, constant: &'a ConstantAst) -> Parsed<()> {
        self.taken(&constant.name, constant.span)?;
        self.constants.insert(&constant.name, constant);
        Ok(())
    }

    pub fn declare_formula(&mut self, formula: &'a NamedAst) -> Parsed<()> {
        self.taken(&formula.name, formula.span)?;
        self.formulas.insert(&formula.name, formula);
        Ok(())
    }

    pub fn declare_variable(&mut self, variable: Variable, span: Span) -> Parsed<VarId> {
        self.taken(&variable.name, span)?;
        let var = VarId(self.variables.len() as u32);
        self.names.insert(variable.name.clone(), var);
        self.variables.push(variable);
        self.places.push(span);
        Ok(var)
    }

    /// Leaves a constant open: from now on its name stands for a variable of its own, behind all others.
    pub fn declare_parameter(&mut self, name: &str, span: Span) -> Parsed<()> {
        let problem = match self.constants.get(name) {
            None => Some((format!("the model has no constant {name}"), span)),
            Some(declared) if declared.value.is_some() || self.given.contains_key(name) => Some((
                format!("the constant {name} has a value and cannot be a parameter"),
                declared.span,
            )),
            Some(declared) if declared.sort != Sort::Real => Some((
                format!(
                    "a parameter is a constant of type double, and {name} is {}",
                    declared.sort.name()
                ),
                declared.span,
            )),
            Some(_) => None,
        };
        if let Some((message, place)) = problem {
            return Err(Diagnostic::error("prism::parameter", message, place, "here"));
        }
        self.open = true;
        self.names
            .insert(name.to_owned(), VarId(self.variables.len() as u32));
        self.variables.push(Variable {
            name: name.to_owned(),
            domain: Domain::Unbounded,
            hidden: true,
        });
        self.places.push(span);
        Ok(())
    }

    /// What a constant is computed from, if that is left open.
    fn depending(&self, name: &str, span: Span) -> Parsed<Option<Expr>> {
        let declared = self.constants.get(name).copied();
        let Some((declared, body)) = declared.and_then(|declared| Some((declared, declared.value.as_ref()?)))
        else {
            return Ok(None);
        };
        self.enter(name, span)?;
        let expr = self.expr(body, &Renaming::new());
        self.unfolding.borrow_mut().pop();
        let expr = expr?;
        if !has_variables(&expr) {
            return Ok(None);
        }
        match declared.sort {
            Sort::Real => Ok(Some(expr)),
            sort => Err(type_problem(sort, Sort::Real, body.span)),
        }
    }

    pub fn variable(&self, name: &str) -> Option<VarId> {
        self.names.get(name).copied()
    }

    /// The value of a constant that is declared or given.
    fn constant(&self, name: &str, span: Span) -> Parsed<Option<Value>> {
        if let Some(value) = self.values.borrow().get(name) {
            return Ok(Some(value.clone()));
        }
        let given = self.given.get(name).cloned();
        let Some(&declared) = self.constants.get(name) else {
            return Ok(given);
        };
        let value = match (given, &declared.value) {
            (Some(_), Some(_)) => {
                let message =
                    format!("the constant {name} has a value in the model and cannot be given another");
                return Err(Diagnostic::error(
                    "prism::constant",
                    message,
                    declared.span,
                    "defined here",
                ));
            }
            (Some(value), None) => value,
            (None, Some(body)) => {
                self.enter(name, span)?;
                let value = self.constant_value(body);
                self.unfolding.borrow_mut().pop();
                value?
            }
            (None, None) => {
                let message = format!("the constant {name} has no value");
                let problem = Diagnostic::error("prism::undefined", message, span, "needed here");
                return Err(problem.with_help(format!("give one with --const {name}=…")));
            }
        };
        let value = match (declared.sort, value) {
            (Sort::Bool, Value::Bool(truth)) => Value::Bool(truth),
            (Sort::Int, Value::Int(number)) => Value::Int(number),
            (Sort::Real, Value::Int(number)) => Value::Real(Rational::from(number)),
            (Sort::Real, Value::Real(number)) => Value::Real(number),
            (sort, value) => {
                let message = format!("the constant {name} is {}, and {value} is not", sort.name());
                return Err(Diagnostic::error(
                    "prism::type",
                    message,
                    declared.span,
                    "declared here",
                ));
            }
        };
        self.values.borrow_mut().insert(name.to_owned(), value.clone());
        Ok(Some(value))
    }

    fn enter(&self, name: &str, span: Span) -> Parsed<()> {
        let mut unfolding = self.unfolding.borrow_mut();
        if let Some(at) = unfolding.iter().position(|other| other == name) {
            let circle = [&unfolding[at..], &[name.to_owned()]].concat().join(" → ");
            let message = format!("definitions in a circle: {circle}");
            return Err(Diagnostic::error("prism::circle", message, span, "here"));
        }
        unfolding.push(name.to_owned());
        Ok(())
    }

    /// The value of an expression without variables.
    pub fn constant_value(&self, ast: &Ast) -> Parsed<Value> {
        let expr = self.expr(ast, &Renaming::new())?;
        if has_variables(&expr) {
            let message = "a constant value is needed";
            return Err(Diagnostic::error(
                "prism::constant",
                message,
                ast.span,
                "this depends on the state",
            ));
        }
        expr.eval(&[], &|_| Sort::Int)
            .map_err(|error| evaluation_problem(&error, ast.span))
    }

    pub fn constant_int(&self, ast: &Ast) -> Parsed<i64> {
        match self.constant_value(ast)? {
            Value::Int(number) => Ok(number),
            value => {
                let message = format!("an integer is needed, and this is {value}");
                Err(Diagnostic::error("prism::type", message, ast.span, "no integer"))
            }
        }
    }

    pub fn constant_number(&self, ast: &Ast) -> Parsed<Rational> {
        let value = self.constant_value(ast)?;
        value
            .number()
            .ok_or_else(|| type_problem(Sort::Real, Sort::Bool, ast.span))
    }

    /// An expression of a sort (an integer is a number too).
    pub fn expr_of(&self, ast: &Ast, renaming: &Renaming, sort: Sort) -> Parsed<Expr> {
        let expr = self.expr(ast, renaming)?;
        let found = self.sort(&expr, ast)?;
        match (sort, found) {
            (a, b) if a == b => Ok(expr),
            (Sort::Real, Sort::Int) => Ok(expr),
            _ => Err(type_problem(sort, found, ast.span)),
        }
    }

    pub fn sort(&self, expr: &Expr, ast: &Ast) -> Parsed<Sort> {
        expr.sort(&|var| self.variables[var.index()].domain.sort())
            .map_err(|_| Diagnostic::error("prism::type", "operands of the wrong types", ast.span, "in here"))
    }

    /// Lowers an expression.
    pub fn expr(&self, ast: &Ast, renaming: &Renaming) -> Parsed<Expr> {
        stacker::maybe_grow(128 << 10, 4 << 20, || self.lower(ast, renaming))
    }

    fn lower(&self, ast: &Ast, renaming: &Renaming) -> Parsed<Expr> {
        Ok(match &ast.node {
            Node::Bool(truth) => Expr::from(*truth),
            Node::Int(number) => Expr::from(*number),
            Node::Real(number) => Expr::from(number.clone()),
            Node::Name(name) => return self.name(name, ast.span, renaming),
            Node::Unary(op, operand) => {
                let lowered = self.expr(operand, renaming)?;
                let sort = self.sort(&lowered, operand)?;
                let wanted = if *op == UnaryOp::Not {
                    Sort::Bool
                } else {
                    Sort::Real
                };
                if (sort == Sort::Bool) != (wanted == Sort::Bool) {
                    return Err(type_problem(wanted, sort, operand.span));
                }
                Expr::unary(*op, lowered)
            }
            Node::Binary(op, left, right) => {
                let (a, b) = (self.expr(left, renaming)?, self.expr(right, renaming)?);
                self.check_operands(*op, (&a, left), (&b, right))?;
                Expr::binary(*op, a, b)
            }
            Node::If(condition, yes, no) => {
                let condition = self.expr_of(condition, renaming, Sort::Bool)?;
                let (a, b) = (self.expr(yes, renaming)?, self.expr(no, renaming)?);
                let chosen = Expr::choose(condition, a, b);
                self.sort(&chosen, ast)?;
                chosen
            }
            Node::Call(name, arguments) => return self.call(name, arguments, ast, renaming),
            _ => {
                let message = "an operator of properties inside an expression";
                return Err(Diagnostic::error("prism::operator", message, ast.span, "here"));
            }
        })
    }

    fn check_operands(&self, op: BinaryOp, left: (&Expr, &Ast), right: (&Expr, &Ast)) -> Parsed<()> {
        use BinaryOp::*;
        let (a, b) = (self.sort(left.0, left.1)?, self.sort(right.0, right.1)?);
        let wrong = |wanted: Sort| {
            let wrong = |sort: Sort| (sort == Sort::Bool) != (wanted == Sort::Bool);
            if wrong(a) {
                Err(type_problem(wanted, a, left.1.span))
            } else if wrong(b) {
                Err(type_problem(wanted, b, right.1.span))
            } else {
                Ok(())
            }
        };
        match op {
            And | Or | Implies | Iff => wrong(Sort::Bool),
            Eq | Ne if a == Sort::Bool && b == Sort::Bool => Ok(()),
            _ => wrong(Sort::Real),
        }
    }

    fn name(&self, name: &str, span: Span, renaming: &Renaming) -> Parsed<Expr> {
        if let Some(formula) = self.formulas.get(name) {
            self.enter(name, span)?;
            let body = self.expr(&formula.body, renaming);
            self.unfolding.borrow_mut().pop();
            return body;
        }
        let renamed = renaming.get(name).map_or(name, String::as_str);
        if renamed != name && self.formulas.contains_key(renamed) {
            return self.name(renamed, span, &Renaming::new());
        }
        if let Some(var) = self.names.get(renamed) {
            return Ok(Expr::Var(*var));
        }
        if self.open
            && let Some(expr) = self.depending(renamed, span)?
        {
            return Ok(expr);
        }
        if let Some(value) = self.constant(renamed, span)? {
            return Ok(Expr::Value(value));
        }
        let message = format!("`{renamed}` is not declared");
        let problem = Diagnostic::error("prism::unknown", message, span, "unknown name");
        Err(match self.similar(renamed) {
            Some(other) => problem.with_help(format!("did you mean `{other}`?")),
            None => problem.with_help(format!("declare it, or give a value with --const {renamed}=…")),
        })
    }

    /// A declared name that differs in one letter or in case.
    fn similar(&self, name: &str) -> Option<String> {
        let near = |other: &str| {
            other.eq_ignore_ascii_case(name)
                || (other.len() == name.len()
                    && other.bytes().zip(name.bytes()).filter(|(a, b)| a != b).count() == 1
                    && name.len() > 2)
        };
        let all = (self.names.keys().map(String::as_str))
            .chain(self.constants.keys().copied())
            .chain(self.formulas.keys().copied());
        let mut found: Vec<&str> = all.filter(|other| near(other)).collect();
        found.sort_unstable();
        found.first().map(|other| (*other).to_owned())
    }

    fn call(&self, name: &str, arguments: &[Ast], ast: &Ast, renaming: &Renaming) -> Parsed<Expr> {
        let name = renaming.get(name).map_or(name, String::as_str);
        let mut lowered = Vec::new();
        for argument in arguments {
            let expr = self.expr(argument, renaming)?;
            if self.sort(&expr, argument)? == Sort::Bool {
                return Err(type_problem(Sort::Real, Sort::Bool, argument.span));
            }
            lowered.push(expr);
        }
        function(name, lowered, ast.span, &|expr| self.sort(expr, ast))
    }
}

/// A function applied to values or expressions, with its arguments checked.
fn function(
    name: &str,
    arguments: Vec<Expr>,
    span: Span,
    sort: &dyn Fn(&Expr) -> Parsed<Sort>,
) -> Parsed<Expr> {
    let count = arguments.len();
    let arity = match name {
        "min" | "max" => count.max(1),
        "floor" | "ceil" | "round" => 1,
        "pow" | "mod" | "log" => 2,
        _ => {
            let message = format!("there is no function `{name}`");
            let problem = Diagnostic::error("prism::function", message, span, "unknown function");
            return Err(problem.with_help("there are min, max, floor, ceil, round, pow, mod, log"));
        }
    };
    if count != arity {
        let message = format!("`{name}` takes {arity} argument(s), not {count}");
        return Err(Diagnostic::error("prism::function", message, span, "here"));
    }
    let mut arguments = arguments.into_iter();
    let first = arguments
        .next()
        .ok_or_else(|| Diagnostic::error("prism::function", "arguments are missing", span, "here"))?;
    let second = |mut rest: std::vec::IntoIter<Expr>| rest.next().unwrap_or_else(|| Expr::from(0));
    Ok(match name {
        "min" => arguments.fold(first, |a, b| Expr::binary(BinaryOp::Min, a, b)),
        "max" => arguments.fold(first, |a, b| Expr::binary(BinaryOp::Max, a, b)),
        "floor" => Expr::unary(UnaryOp::Floor, first),
        "ceil" => Expr::unary(UnaryOp::Ceil, first),
        "round" => Expr::unary(UnaryOp::Round, first),
        "pow" => Expr::binary(BinaryOp::Pow, first, second(arguments)),
        "log" => Expr::binary(BinaryOp::Log, first, second(arguments)),
        _ => {
            let second = second(arguments);
            if sort(&first)? != Sort::Int || sort(&second)? != Sort::Int {
                return Err(Diagnostic::error(
                    "prism::type",
                    "`mod` is for integers",
                    span,
                    "here",
                ));
            }
            Expr::binary(BinaryOp::Mod, first, second)
        }
    })
}

pub(crate) fn has_variables(expr: &Expr) -> bool {
    let mut found = false;
    expr.for_each_variable(&mut |_| found = true);
    found
}

pub(crate) fn type_problem(wanted: Sort, found: Sort, span: Span) -> Diagnostic {
    let message = format!("{} is needed, and this is {}", wanted.name(), found.name());
    Diagnostic::error("prism::type", message, span, found.name())
}

pub(crate) fn evaluation_problem(error: &EvalError, span: Span) -> Diagnostic {
    Diagnostic::error("prism::value", error.to_string(), span, "in here")
}
