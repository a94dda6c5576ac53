//! Expressions: names resolved, functions unfolded, transient variables replaced by what they are in a state.

use crate::composite::Tree;
use crate::json::{Json, Node, Read};
use crate::selection::Chosen;
use entail_markov::{BinaryOp, Expr, Sort, UnaryOp, Value, VarId, Variable, decimal};
use entail_source::Diagnostic;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::ops::{Deref, DerefMut};

/// A function.
pub(crate) struct Function<'j> {
    pub parameters: Vec<String>,
    pub body: &'j Json,
}

/// What names mean.
#[derive(Default)]
pub(crate) struct Scope<'j> {
    pub constants: HashMap<String, Expr>,
    pub variables: Vec<Variable>,
    pub names: HashMap<String, VarId>,
    /// The values of transient variables in a state.
    pub transients: HashMap<String, Expr>,
    pub functions: HashMap<String, Function<'j>>,
    pub datatypes: HashMap<String, &'j Json>,
    /// The parts of variables that have parts.
    pub trees: HashMap<String, Tree>,
    depth: Cell<u32>,
    /// What is chosen in the command that is being made.
    pub chosen: RefCell<Chosen>,
}

/// Parameters of functions, and names of a copied automaton's own variables.
#[derive(Clone, Debug, Default)]
pub(crate) struct Local {
    plain: HashMap<String, Expr>,
    /// Those that have parts.
    pub trees: HashMap<String, Tree>,
}

impl Local {
    pub fn new() -> Local {
        Local::default()
    }
}

impl Deref for Local {
    type Target = HashMap<String, Expr>;

    fn deref(&self) -> &HashMap<String, Expr> {
        &self.plain
    }
}

impl DerefMut for Local {
    fn deref_mut(&mut self) -> &mut HashMap<String, Expr> {
        &mut self.plain
    }
}

/// Functions unfold into each other at most so deep.
const DEEPEST: u32 = 200;

impl<'j> Scope<'j> {
    pub fn sort(&self, expr: &Expr, at: &Json) -> Read<Sort> {
        // Constants that are left open are used before they are declared, behind all variables.
        let sort = |var: VarId| self.variables.get(var.index()).map_or(Sort::Int, |own| own.domain.sort());
        expr.sort(&sort)
            .map_err(|_| Diagnostic::error("jani::type", "operands of the wrong types", at.head(), "in here"))
    }

    /// An expression of a sort (an integer is a number too).
    pub fn expr_of(&self, json: &Json, local: &Local, sort: Sort) -> Read<Expr> {
        let expr = self.expr(json, local)?;
        let found = self.sort(&expr, json)?;
        match (sort, found) {
            (a, b) if a == b => Ok(expr),
            (Sort::Real, Sort::Int) => Ok(expr),
            _ => {
                let message = format!("{} is needed, and this is {}", sort.name(), found.name());
                Err(Diagnostic::error(
                    "jani::type",
                    message,
                    json.head(),
                    found.name(),
                ))
            }
        }
    }

    /// The value of a constant expression.
    pub fn constant(&self, json: &Json, local: &Local) -> Read<Value> {
        let expr = self.expr(json, local)?;
        match expr.constant() {
            Some(value) => Ok(value.clone()),
            None => {
                let mut depends = false;
                expr.for_each_variable(&mut |_| depends = true);
                if depends {
                    return Err(json.wrong("a constant"));
                }
                expr.eval(&[], &|_| Sort::Int).map_err(|error| {
                    Diagnostic::error("jani::value", error.to_string(), json.head(), "in here")
                })
            }
        }
    }

    pub fn expr(&self, json: &Json, local: &Local) -> Read<Expr> {
        stacker::maybe_grow(64 << 10, 4 << 20, || self.lower(json, local))
    }

    fn name(&self, json: &Json, name: &str, local: &Local) -> Read<Expr> {
        if let Some(expr) = local.get(name) {
            return Ok(expr.clone());
        }
        if let Some(var) = self.names.get(name) {
            return Ok(Expr::Var(*var));
        }
        if let Some(expr) = self.transients.get(name).or_else(|| self.constants.get(name)) {
            return Ok(expr.clone());
        }
        if local.trees.contains_key(name) || self.trees.contains_key(name) {
            return Err(json.wrong("a number or truth value, not a value with parts"));
        }
        let message = format!("`{name}` is not declared");
        Err(Diagnostic::error(
            "jani::unknown",
            message,
            json.head(),
            "unknown name",
        ))
    }

    fn lower(&self, json: &Json, local: &Local) -> Read<Expr> {
        let op = match &json.node {
            Node::Bool(truth) => return Ok(Expr::from(*truth)),
            Node::Number(text) => return number(json, text),
            Node::Text(name) => return self.name(json, name, local),
            Node::Object(_) => match json.get("op") {
                Some(op) => op.text()?,
                None => match json.get("constant").map(Json::text) {
                    Some(Ok("e")) => {
                        let value = entail_markov::from_float(std::f64::consts::E);
                        return value.map(Expr::from).ok_or_else(|| json.wrong("an expression"));
                    }
                    Some(Ok("π")) => {
                        let value = entail_markov::from_float(std::f64::consts::PI);
                        return value.map(Expr::from).ok_or_else(|| json.wrong("an expression"));
                    }
                    _ => return Err(json.wrong("an expression")),
                },
            },
            _ => return Err(json.wrong("an expression")),
        };
        let side = |name: &str| self.expr(json.need(name)?, local);
        let unary = |op: UnaryOp| -> Read<Expr> {
            let operand = json.get("exp").or_else(|| json.get("operand"));
            let operand = operand.ok_or_else(|| json.wrong("an operand \"exp\""))?;
            Ok(Expr::unary(op, self.expr(operand, local)?))
        };
        let binary = |op: BinaryOp| -> Read<Expr> { Ok(Expr::binary(op, side("left")?, side("right")?)) };
        let found = match op {
            "∧" => binary(BinaryOp::And)?,
            "∨" => binary(BinaryOp::Or)?,
            "⇒" => binary(BinaryOp::Implies)?,
            "¬" => unary(UnaryOp::Not)?,
            "=" => self.equal(json, local)?,
            "≠" => Expr::unary(UnaryOp::Not, self.equal(json, local)?),
            "<" => binary(BinaryOp::Lt)?,
            "≤" => binary(BinaryOp::Le)?,
            ">" => binary(BinaryOp::Gt)?,
            "≥" => binary(BinaryOp::Ge)?,
            "+" => binary(BinaryOp::Add)?,
            "-" if json.get("left").is_some() => binary(BinaryOp::Sub)?,
            "-" => unary(UnaryOp::Neg)?,
            "*" => binary(BinaryOp::Mul)?,
            "/" => binary(BinaryOp::Div)?,
            "%" => binary(BinaryOp::Mod)?,
            "pow" => {
                // Powers are real numbers; those of whole numbers that are whole stay so, for assignments to whole variables.
                let (base, exponent) = (side("left")?, side("right")?);
                let negative = matches!(exponent.constant(), Some(Value::Int(number)) if *number < 0);
                let base = match negative {
                    true => Expr::binary(BinaryOp::Div, base, Expr::from(1)),
                    false => base,
                };
                Expr::binary(BinaryOp::Pow, base, exponent)
            }
            "log" => binary(BinaryOp::Log)?,
            "min" => binary(BinaryOp::Min)?,
            "max" => binary(BinaryOp::Max)?,
            "floor" => unary(UnaryOp::Floor)?,
            "ceil" => unary(UnaryOp::Ceil)?,
            "trc" => {
                let value = unary(UnaryOp::Floor)?;
                let up = unary(UnaryOp::Ceil)?;
                let negative = Expr::binary(BinaryOp::Lt, value.clone(), Expr::from(0));
                Expr::choose(negative, up, value)
            }
            "abs" => {
                let value = self.expr(json.need("exp")?, local)?;
                let negative = Expr::binary(BinaryOp::Lt, value.clone(), Expr::from(0));
                Expr::choose(negative, Expr::unary(UnaryOp::Neg, value.clone()), value)
            }
            "ite" => {
                let condition = self.expr_of(json.need("if")?, local, Sort::Bool)?;
                Expr::choose(condition, side("then")?, side("else")?)
            }
            "sgn" => {
                let value = self.expr(json.need("exp")?, local)?;
                let than_zero = |op| Expr::binary(op, value.clone(), Expr::from(0));
                let positive = Expr::choose(than_zero(BinaryOp::Gt), Expr::from(1), Expr::from(0));
                Expr::choose(than_zero(BinaryOp::Lt), Expr::from(-1), positive)
            }
            "call" | "aa" | "da" | "oa" => match self.tree(json, local)? {
                Tree::Leaf(expr) => return Ok(expr),
                _ => return Err(json.wrong("a number or truth value, not a value with parts")),
            },
            "av" | "ac" | "dv" | "ov" | "empty" => {
                return Err(json.wrong("a number or truth value, not a value with parts"));
            }
            "nondet" => {
                let chosen = self.chosen.borrow().get(&json.span.start).copied();
                return match chosen {
                    Some(value) => Ok(Expr::from(value)),
                    None => Err(json
                        .refused("values that are chosen, but as whole numbers (`trc`) in assignments, are")),
                };
            }
            other => {
                return Err(json.refused(&format!("the operator `{other}` is")));
            }
        };
        self.sort(&found, json)?;
        Ok(found)
    }

    /// The variable with a name.
    pub fn variable(&self, name: &str, local: &Local) -> Option<VarId> {
        match local.get(name) {
            Some(Expr::Var(var)) => Some(*var),
            _ => self.names.get(name).copied(),
        }
    }

    /// What a function gives for its arguments.
    pub fn call(&self, json: &Json, local: &Local) -> Read<Tree> {
        let name = json.need("function")?.text()?;
        let Some(function) = self.functions.get(name) else {
            return Err(json.wrong(&format!("a declared function (not `{name}`)")));
        };
        let arguments = json.elements("args")?;
        if arguments.len() != function.parameters.len() {
            return Err(json.wrong(&format!("{} argument(s)", function.parameters.len())));
        }
        if self.depth.get() > DEEPEST {
            return Err(json.refused("recursive functions are"));
        }
        let mut inner = Local::new();
        for (parameter, argument) in function.parameters.iter().zip(arguments) {
            match self.tree(argument, local)? {
                Tree::Leaf(expr) => {
                    inner.insert(parameter.clone(), expr);
                }
                parts => {
                    inner.trees.insert(parameter.clone(), parts);
                }
            }
        }
        self.depth.set(self.depth.get() + 1);
        let body = self.tree(function.body, &inner);
        self.depth.set(self.depth.get() - 1);
        body
    }
}

fn number(json: &Json, text: &str) -> Read<Expr> {
    if let Ok(whole) = text.parse::<i64>() {
        return Ok(Expr::from(whole));
    }
    decimal(text)
        .map(Expr::from)
        .ok_or_else(|| json.wrong("a number"))
}
