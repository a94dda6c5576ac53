//! Guards and updates over packed states: what concerns constants is a mask of bits, the rest is code.
//!
//! Most guards are conjunctions of equations `x = 3` and most updates assign constants; both touch a word or two of the packed state, however
//! many variables they name. Conjuncts are taken out of their order only in front of the first one whose value may be an error, so that a
//! guard is in error exactly where the reference evaluator says so.

use crate::bytecode::{Code, Stopped};
use crate::packing::{Bits, Layout};
use entail_markov::{BinaryOp, Domain, Expr, Network, Sort, UnaryOp, Value, VarId};

/// A state in both of its shapes.
#[derive(Clone, Copy)]
pub(crate) struct Seen<'s> {
    pub packed: &'s [u64],
    pub values: &'s [i64],
}

/// A compiled condition.
pub(crate) struct Condition {
    /// False in every state.
    never: bool,
    bits: Vec<Bits>,
    /// Conjuncts that are left, in their order.
    rest: Vec<Code>,
}

impl Condition {
    /// Compiles a condition.
    pub fn new(network: &Network, layout: &Layout, expr: &Expr) -> Condition {
        let mut condition = Condition {
            never: false,
            bits: Vec::new(),
            rest: Vec::new(),
        };
        let mut conjuncts = Vec::new();
        split(expr, &mut conjuncts);
        let mut in_order = false;
        for conjunct in conjuncts {
            match demand(network, conjunct) {
                Some((var, value)) if !in_order => match layout.bits(var.index(), value) {
                    Some(bits) => condition.never |= !bits.join(&mut condition.bits),
                    None => condition.never = true,
                },
                _ => {
                    in_order |= !cannot_fail(conjunct);
                    condition.rest.push(Code::new(network, conjunct));
                }
            }
        }
        condition
    }

    /// Whether it is true in a state.
    #[inline]
    pub fn holds(&self, network: &Network, state: Seen, stack: &mut Vec<i64>) -> Result<bool, Stopped> {
        if self.never || !self.bits.iter().all(|bits| bits.are_in(state.packed)) {
            return Ok(false);
        }
        for code in &self.rest {
            if code.run(network, state.values, stack)? == 0 {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// The conjuncts of a condition, in their order.
fn split<'e>(expr: &'e Expr, found: &mut Vec<&'e Expr>) {
    let mut left_over = vec![expr];
    while let Some(expr) = left_over.pop() {
        match expr {
            Expr::Binary(BinaryOp::And, left, right) => {
                left_over.push(right);
                left_over.push(left);
            }
            Expr::Value(Value::Bool(true)) => {}
            _ => found.push(expr),
        }
    }
}

/// The variable and the value that a conjunct asks for, if that is all it says.
fn demand(network: &Network, expr: &Expr) -> Option<(VarId, i64)> {
    let boolean = |var: &VarId| network.sort_of(*var) == Sort::Bool;
    match expr {
        Expr::Var(var) if boolean(var) => Some((*var, 1)),
        Expr::Unary(UnaryOp::Not, operand) => match &**operand {
            Expr::Var(var) if boolean(var) => Some((*var, 0)),
            _ => None,
        },
        Expr::Binary(BinaryOp::Eq, left, right) => match (&**left, &**right) {
            (Expr::Var(var), Expr::Value(value)) | (Expr::Value(value), Expr::Var(var))
                if value.sort() == network.sort_of(*var) =>
            {
                Some((*var, value.stored()?))
            }
            _ => None,
        },
        _ => None,
    }
}

/// Whether an expression has a value in every state.
fn cannot_fail(expr: &Expr) -> bool {
    use BinaryOp::*;
    match expr {
        Expr::Value(_) | Expr::Var(_) => true,
        Expr::Unary(op, operand) => *op == UnaryOp::Not && cannot_fail(operand),
        Expr::Binary(And | Or | Implies | Iff | Eq | Ne | Lt | Le | Gt | Ge | Min | Max, left, right) => {
            cannot_fail(left) && cannot_fail(right)
        }
        Expr::Binary(..) | Expr::If(..) => false,
    }
}

/// The compiled assignments of a branch.
pub(crate) struct Update {
    fixed: Vec<Bits>,
    computed: Vec<(u32, Code, Domain)>,
}

impl Update {
    /// Compiles assignments.
    pub fn new(network: &Network, layout: &Layout, assignments: &[(VarId, Expr)]) -> Update {
        let mut update = Update {
            fixed: Vec::new(),
            computed: Vec::new(),
        };
        for (position, (var, expr)) in assignments.iter().enumerate() {
            let domain = network.variables[var.index()].domain;
            let again = assignments[..position].iter().any(|(before, _)| before == var);
            let code = Code::new(network, expr);
            let bits = code
                .constant()
                .filter(|&value| domain.contains(value))
                .and_then(|value| layout.bits(var.index(), value));
            match bits {
                // Joining bits that are not yet there cannot contradict.
                Some(bits) if !again => _ = bits.join(&mut update.fixed),
                _ => update.computed.push((var.0, code, domain)),
            }
        }
        update
    }

    /// Applies the assignments: expressions see the state before, the values go to the packed state after.
    #[inline]
    pub fn apply(
        &self,
        network: &Network,
        before: &[i64],
        layout: &Layout,
        after: &mut [u64],
        stack: &mut Vec<i64>,
    ) -> Result<(), Stopped> {
        for bits in &self.fixed {
            bits.write(after);
        }
        for (var, code, domain) in &self.computed {
            let value = code.run(network, before, stack)?;
            if !domain.contains(value) {
                return Err(Stopped);
            }
            layout.set(*var as usize, value, after);
        }
        Ok(())
    }
}
