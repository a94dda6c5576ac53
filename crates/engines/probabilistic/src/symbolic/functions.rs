//! Expressions as functions of the state: truth values are sets, numbers are sets by value.
//!
//! Where an expression has no value (a division by zero, an overflow) is a set, too: exactly the states in which the reference evaluator fails, since both
//! evaluate the same operands. Values are handled one by one, which is what makes any arithmetic possible, and what limits the number of values.

use super::encoding::Encoding;
use crate::check::Trouble;
use entail_dd::Bdd;
use entail_markov::{BinaryOp, Domain, Expr, Network, Rational, UnaryOp, Value};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Pairs of values that one operator may combine.
const MOST_PAIRS: usize = 1 << 22;

/// What an expression is in each state.
#[derive(Clone)]
pub(super) enum Function {
    /// The states in which it is true.
    Truth(Bdd),
    /// The states in which it has each of its values.
    Numbers(Vec<(Value, Bdd)>),
}

/// A function with the states in which it has no value.
#[derive(Clone)]
pub(super) struct Meaning {
    pub function: Function,
    pub undefined: Bdd,
}

/// Evaluates expressions, each that is shared once. They outlive it, so that their addresses name them.
pub(super) struct Functions<'n, 'e> {
    network: &'n Network,
    encoding: &'e Encoding,
    known: FxHashMap<*const Expr, Meaning>,
}

impl<'n, 'e> Functions<'n, 'e> {
    pub fn new(network: &'n Network, encoding: &'e Encoding) -> Functions<'n, 'e> {
        Functions {
            network,
            encoding,
            known: FxHashMap::default(),
        }
    }

    /// The states in which an expression is true, and those in which it has no value.
    pub fn truth(&mut self, expr: &'n Expr) -> Result<(Bdd, Bdd), Trouble> {
        let meaning = self.meaning(expr)?;
        match meaning.function {
            Function::Truth(set) => Ok((set.minus(&meaning.undefined)?, meaning.undefined)),
            Function::Numbers(_) => Err(wrong_type()),
        }
    }

    /// The values of a number with their states, and the states in which it has none.
    pub fn numbers(&mut self, expr: &'n Expr) -> Result<(Vec<(Rational, Bdd)>, Bdd), Trouble> {
        let meaning = self.meaning(expr)?;
        let Function::Numbers(cases) = meaning.function else {
            return Err(wrong_type());
        };
        let rational = |(value, set): (Value, Bdd)| value.number().map(|number| (number, set));
        let cases = cases.into_iter().map(rational).collect::<Option<Vec<_>>>();
        Ok((cases.ok_or_else(wrong_type)?, meaning.undefined))
    }

    pub fn meaning(&mut self, expr: &'n Expr) -> Result<Meaning, Trouble> {
        let manager = &self.encoding.manager;
        let everywhere = |function: Function| Meaning {
            function,
            undefined: manager.zero(),
        };
        Ok(match expr {
            Expr::Value(Value::Bool(truth)) => everywhere(Function::Truth(manager.constant(*truth))),
            Expr::Value(value) => {
                let cases = vec![(value.clone(), self.encoding.valid.clone())];
                everywhere(Function::Numbers(cases))
            }
            Expr::Var(var) => everywhere(self.variable(var.index())?),
            Expr::Unary(op, operand) => {
                let operand = self.shared(operand)?;
                self.unary(*op, operand)?
            }
            Expr::Binary(op, left, right) => {
                let (left, right) = (self.shared(left)?, self.shared(right)?);
                match (left.function, right.function) {
                    (Function::Truth(a), Function::Truth(b)) => {
                        logical(*op, (a, left.undefined), (b, right.undefined))?
                    }
                    (Function::Numbers(a), Function::Numbers(b)) => {
                        let undefined = left.undefined.or(&right.undefined)?;
                        self.arithmetic(*op, &a, &b, undefined)?
                    }
                    _ => return Err(wrong_type()),
                }
            }
            Expr::If(condition, yes, no) => {
                let condition = self.shared(condition)?;
                let (yes, no) = (self.shared(yes)?, self.shared(no)?);
                let Function::Truth(chosen) = condition.function else {
                    return Err(wrong_type());
                };
                let undefined = chosen.ite(&yes.undefined, &no.undefined)?;
                let function = match (yes.function, no.function) {
                    (Function::Truth(yes), Function::Truth(no)) => Function::Truth(chosen.ite(&yes, &no)?),
                    (Function::Numbers(yes), Function::Numbers(no)) => {
                        let mut cases = Cases::default();
                        for (value, set) in yes {
                            cases.add(value, set.and(&chosen)?)?;
                        }
                        for (value, set) in no {
                            cases.add(value, set.minus(&chosen)?)?;
                        }
                        Function::Numbers(cases.found)
                    }
                    _ => return Err(wrong_type()),
                };
                Meaning {
                    function,
                    undefined: undefined.or(&condition.undefined)?,
                }
            }
        })
    }

    fn shared(&mut self, expr: &'n Arc<Expr>) -> Result<Meaning, Trouble> {
        // Counted once is seen once: no need to remember it.
        if Arc::strong_count(expr) == 1 {
            return self.meaning(expr);
        }
        let key = Arc::as_ptr(expr);
        if let Some(known) = self.known.get(&key) {
            return Ok(known.clone());
        }
        let meaning = self.meaning(expr)?;
        self.known.insert(key, meaning.clone());
        Ok(meaning)
    }

    fn variable(&self, variable: usize) -> Result<Function, Trouble> {
        let encoding = self.encoding;
        if self.network.variables[variable].domain == Domain::Bool {
            return Ok(Function::Truth(encoding.is(variable, 1)?));
        }
        let coded = &encoding.variables[variable];
        let mut cases = Vec::with_capacity(coded.now.size());
        for code in 0..coded.now.size() {
            let value = coded.low + code as i64;
            cases.push((Value::Int(value), coded.now.equals(&encoding.manager, code)?));
        }
        Ok(Function::Numbers(cases))
    }

    fn unary(&self, op: UnaryOp, operand: Meaning) -> Result<Meaning, Trouble> {
        let mut undefined = operand.undefined;
        let function = match operand.function {
            Function::Truth(set) if op == UnaryOp::Not => Function::Truth(set.not()),
            Function::Truth(_) => return Err(wrong_type()),
            Function::Numbers(operands) => {
                let mut cases = Cases::default();
                for (value, set) in operands {
                    match Expr::unary(op, Expr::Value(value)) {
                        Expr::Value(value) => cases.add(value, set)?,
                        _ => undefined = undefined.or(&set)?,
                    }
                }
                Function::Numbers(cases.found)
            }
        };
        Ok(Meaning { function, undefined })
    }

    fn arithmetic(
        &self,
        op: BinaryOp,
        left: &[(Value, Bdd)],
        right: &[(Value, Bdd)],
        mut undefined: Bdd,
    ) -> Result<Meaning, Trouble> {
        if left.len().saturating_mul(right.len()) > MOST_PAIRS {
            return Err(Trouble::Unsupported(
                "an operator combines too many values for decision diagrams: use --engine sparse".to_owned(),
            ));
        }
        let compares = matches!(
            op,
            BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge
        );
        let mut cases = Cases::default();
        let mut truth = self.encoding.manager.zero();
        for (a, set) in left {
            for (b, other) in right {
                let value = Expr::binary(op, Expr::Value(a.clone()), Expr::Value(b.clone()));
                let value = value.constant();
                if value == Some(&Value::Bool(false)) {
                    continue;
                }
                let both = set.and(other)?;
                if both.is_false() {
                    continue;
                }
                match value {
                    Some(Value::Bool(_)) => truth = truth.or(&both)?,
                    Some(value) => cases.add(value.clone(), both)?,
                    None => undefined = undefined.or(&both)?,
                }
            }
        }
        let function = match compares {
            true => Function::Truth(truth),
            false => Function::Numbers(cases.found),
        };
        Ok(Meaning { function, undefined })
    }
}

/// Sets by value, equal values together.
#[derive(Default)]
struct Cases {
    found: Vec<(Value, Bdd)>,
    places: FxHashMap<(bool, Rational), usize>,
}

impl Cases {
    fn add(&mut self, value: Value, set: Bdd) -> Result<(), Trouble> {
        if set.is_false() {
            return Ok(());
        }
        let whole = matches!(value, Value::Int(_));
        let key = (whole, value.number().ok_or_else(wrong_type)?);
        match self.places.get(&key) {
            Some(&at) => self.found[at].1 = self.found[at].1.or(&set)?,
            None => {
                self.places.insert(key, self.found.len());
                self.found.push((value, set));
            }
        }
        Ok(())
    }
}

/// An operator on truth values: the right side is evaluated only where the left does not decide.
fn logical(op: BinaryOp, (a, no_a): (Bdd, Bdd), (b, no_b): (Bdd, Bdd)) -> Result<Meaning, Trouble> {
    let (truth, right_counts) = match op {
        BinaryOp::And => (a.and(&b)?, no_b.and(&a)?),
        BinaryOp::Or => (a.or(&b)?, no_b.minus(&a)?),
        BinaryOp::Implies => (a.implies(&b)?, no_b.and(&a)?),
        BinaryOp::Iff | BinaryOp::Eq => (a.iff(&b)?, no_b),
        BinaryOp::Ne => (a.xor(&b)?, no_b),
        _ => return Err(wrong_type()),
    };
    Ok(Meaning {
        function: Function::Truth(truth),
        undefined: no_a.or(&right_counts)?,
    })
}

fn wrong_type() -> Trouble {
    Trouble::Unsupported("a value of the wrong type".to_owned())
}
