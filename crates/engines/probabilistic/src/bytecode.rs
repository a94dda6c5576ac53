//! Expressions over integers and Booleans as code for a small stack machine; what needs rationals is left to the reference evaluator.
//!
//! Conditions short-circuit by jumps; comparisons of a variable with a constant or a variable, and sums of a variable and a constant, are one
//! instruction. Overflow and division by zero stop the machine: the caller asks the reference interpreter for the error.

use entail_markov::{BinaryOp, Expr, Network, Sort, UnaryOp, Value};

#[derive(Clone, Debug)]
enum Op {
    Push(i64),
    Var(u32),
    CompareVar(BinaryOp, u32, i64),
    CompareVars(BinaryOp, u32, u32),
    /// The sum of a variable and a constant.
    Plus(u32, i64),
    Not,
    Neg,
    Binary(BinaryOp),
    /// Jumps if the top is false and leaves it there; otherwise drops it.
    JumpIfFalse(u32),
    /// The same if it is true.
    JumpIfTrue(u32),
    /// Drops the top and jumps if it was false.
    Branch(u32),
    Jump(u32),
    /// The value by the reference evaluator.
    Reference(u32),
}

/// Compiled code of one expression.
#[derive(Clone, Debug)]
pub(crate) struct Code {
    ops: Vec<Op>,
    references: Vec<Expr>,
}

/// Why the machine stopped: the reference evaluator knows more.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stopped;

impl Code {
    /// Compiles an expression of integer or Boolean sort.
    pub fn new(network: &Network, expr: &Expr) -> Code {
        let mut code = Code {
            ops: Vec::new(),
            references: Vec::new(),
        };
        code.compile(network, expr);
        code
    }

    /// The constant that it is, if it is one.
    pub fn constant(&self) -> Option<i64> {
        match self.ops.as_slice() {
            [Op::Push(value)] => Some(*value),
            _ => None,
        }
    }

    fn is_integral(network: &Network, expr: &Expr) -> bool {
        matches!(network.sort(expr), Ok(Sort::Int | Sort::Bool))
    }

    fn compile(&mut self, network: &Network, expr: &Expr) {
        match expr {
            Expr::Value(Value::Bool(truth)) => self.ops.push(Op::Push(i64::from(*truth))),
            Expr::Value(Value::Int(number)) => self.ops.push(Op::Push(*number)),
            Expr::Value(Value::Real(_)) => self.reference(expr),
            Expr::Var(var) => self.ops.push(Op::Var(var.0)),
            Expr::Unary(UnaryOp::Not, operand) => {
                self.compile(network, operand);
                self.ops.push(Op::Not);
            }
            Expr::Unary(op, operand) if Code::is_integral(network, operand) => {
                self.compile(network, operand);
                if *op == UnaryOp::Neg {
                    self.ops.push(Op::Neg);
                }
            }
            Expr::Unary(..) => self.reference(expr),
            Expr::Binary(op, left, right) => self.binary(network, expr, *op, left, right),
            Expr::If(condition, yes, no)
                if Code::is_integral(network, yes) && Code::is_integral(network, no) =>
            {
                self.compile(network, condition);
                let branch = self.ops.len();
                self.ops.push(Op::Branch(0));
                self.compile(network, yes);
                let jump = self.ops.len();
                self.ops.push(Op::Jump(0));
                self.ops[branch] = Op::Branch(self.ops.len() as u32);
                self.compile(network, no);
                self.ops[jump] = Op::Jump(self.ops.len() as u32);
            }
            Expr::If(..) => self.reference(expr),
        }
    }

    fn binary(&mut self, network: &Network, expr: &Expr, op: BinaryOp, left: &Expr, right: &Expr) {
        use BinaryOp::*;
        if !Code::is_integral(network, left) || !Code::is_integral(network, right) || matches!(op, Div | Log)
        {
            return self.reference(expr);
        }
        match op {
            And | Or | Implies => {
                self.compile(network, left);
                if op == Implies {
                    self.ops.push(Op::Not);
                }
                let jump = self.ops.len();
                self.ops.push(Op::Jump(0));
                self.compile(network, right);
                let end = self.ops.len() as u32;
                self.ops[jump] = if op == And {
                    Op::JumpIfFalse(end)
                } else {
                    Op::JumpIfTrue(end)
                };
            }
            Eq | Ne | Lt | Le | Gt | Ge => match (left, right) {
                (Expr::Var(var), Expr::Value(value)) if value.stored().is_some() => {
                    self.ops
                        .push(Op::CompareVar(op, var.0, value.stored().unwrap_or(0)));
                }
                (Expr::Var(left), Expr::Var(right)) => {
                    self.ops.push(Op::CompareVars(op, left.0, right.0));
                }
                _ => self.operands(network, op, left, right),
            },
            Add | Sub => match (left, right) {
                (Expr::Var(var), Expr::Value(Value::Int(value))) if op == Add || *value != i64::MIN => {
                    let value = if op == Add { *value } else { -*value };
                    self.ops.push(Op::Plus(var.0, value));
                }
                _ => self.operands(network, op, left, right),
            },
            _ => self.operands(network, op, left, right),
        }
    }

    fn operands(&mut self, network: &Network, op: BinaryOp, left: &Expr, right: &Expr) {
        self.compile(network, left);
        self.compile(network, right);
        self.ops.push(Op::Binary(op));
    }

    fn reference(&mut self, expr: &Expr) {
        self.ops.push(Op::Reference(self.references.len() as u32));
        self.references.push(expr.clone());
    }

    /// The value in a state.
    pub fn run(&self, network: &Network, state: &[i64], stack: &mut Vec<i64>) -> Result<i64, Stopped> {
        match self.ops.as_slice() {
            [Op::CompareVar(op, var, value)] => {
                return Ok(i64::from(compare(*op, state[*var as usize], *value)));
            }
            [Op::CompareVars(op, left, right)] => {
                return Ok(i64::from(compare(
                    *op,
                    state[*left as usize],
                    state[*right as usize],
                )));
            }
            [Op::Plus(var, value)] => return state[*var as usize].checked_add(*value).ok_or(Stopped),
            [Op::Var(var)] => return Ok(state[*var as usize]),
            [Op::Push(value)] => return Ok(*value),
            _ => {}
        }
        stack.clear();
        let mut at = 0;
        while let Some(op) = self.ops.get(at) {
            at += 1;
            match op {
                Op::Push(value) => stack.push(*value),
                Op::Var(var) => stack.push(state[*var as usize]),
                Op::CompareVar(op, var, value) => {
                    stack.push(i64::from(compare(*op, state[*var as usize], *value)))
                }
                Op::CompareVars(op, left, right) => stack.push(i64::from(compare(
                    *op,
                    state[*left as usize],
                    state[*right as usize],
                ))),
                Op::Plus(var, value) => {
                    stack.push(state[*var as usize].checked_add(*value).ok_or(Stopped)?);
                }
                Op::Not => {
                    let top = stack.pop().ok_or(Stopped)?;
                    stack.push(i64::from(top == 0));
                }
                Op::Neg => {
                    let top = stack.pop().ok_or(Stopped)?;
                    stack.push(top.checked_neg().ok_or(Stopped)?);
                }
                Op::Binary(op) => {
                    let (b, a) = (stack.pop().ok_or(Stopped)?, stack.pop().ok_or(Stopped)?);
                    stack.push(apply(*op, a, b)?);
                }
                Op::JumpIfFalse(to) | Op::JumpIfTrue(to) => {
                    let wanted = matches!(op, Op::JumpIfTrue(_));
                    if (stack.last() != Some(&0)) == wanted {
                        at = *to as usize;
                    } else {
                        stack.pop();
                    }
                }
                Op::Branch(to) => {
                    if stack.pop() == Some(0) {
                        at = *to as usize;
                    }
                }
                Op::Jump(to) => at = *to as usize,
                Op::Reference(which) => {
                    let value = network
                        .eval(&self.references[*which as usize], state)
                        .map_err(|_| Stopped)?;
                    stack.push(value.stored().ok_or(Stopped)?);
                }
            }
        }
        stack.pop().ok_or(Stopped)
    }
}

#[inline]
fn compare(op: BinaryOp, a: i64, b: i64) -> bool {
    match op {
        BinaryOp::Eq => a == b,
        BinaryOp::Ne => a != b,
        BinaryOp::Lt => a < b,
        BinaryOp::Le => a <= b,
        BinaryOp::Gt => a > b,
        _ => a >= b,
    }
}

fn apply(op: BinaryOp, a: i64, b: i64) -> Result<i64, Stopped> {
    use BinaryOp::*;
    match op {
        Eq | Ne | Lt | Le | Gt | Ge => Ok(i64::from(compare(op, a, b))),
        Iff => Ok(i64::from(a == b)),
        And => Ok(i64::from(a != 0 && b != 0)),
        Or => Ok(i64::from(a != 0 || b != 0)),
        Implies => Ok(i64::from(a == 0 || b != 0)),
        Add => a.checked_add(b).ok_or(Stopped),
        Sub => a.checked_sub(b).ok_or(Stopped),
        Mul => a.checked_mul(b).ok_or(Stopped),
        Min => Ok(a.min(b)),
        Max => Ok(a.max(b)),
        Mod if b > 0 => Ok(a.rem_euclid(b)),
        Pow if b >= 0 => u32::try_from(b)
            .ok()
            .and_then(|b| a.checked_pow(b))
            .ok_or(Stopped),
        Mod | Pow | Div | Log => Err(Stopped),
    }
}
