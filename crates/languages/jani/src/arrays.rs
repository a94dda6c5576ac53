//! Arrays of a fixed length: every element is a variable of its own, named as it is written, `queue[2]`.
//!
//! Reading at an index that is not constant is a choice between the elements; so is writing, for each element whether it is the one. An index outside of the array has no
//! value: the expression then divides by zero, which is an error of the model in the states in which it is evaluated.

use crate::json::{Json, Node, Read};
use crate::scope::{Local, Scope};
use crate::variables::Lowering;
use entail_markov::{BinaryOp, Expr, Sort, Value, VarId};

/// Longer arrays are refused.
const LONGEST: i64 = 4096;

/// The name of an element.
pub(crate) fn element_name(array: &str, index: usize) -> String {
    format!("{array}[{index}]")
}

/// What is assigned to a variable, and under which condition; otherwise it keeps its value.
pub(crate) type Conditional = (Option<Expr>, Expr);

impl Scope<'_> {
    /// The variable with a name.
    pub fn variable(&self, name: &str, local: &Local) -> Option<VarId> {
        match local.get(name) {
            Some(Expr::Var(var)) => Some(*var),
            _ => self.names.get(name).copied(),
        }
    }

    /// The elements of a declared array; none if it is not one.
    pub fn elements(&self, name: &str, local: &Local) -> Vec<VarId> {
        (0..)
            .map_while(|index| self.variable(&element_name(name, index), local))
            .collect()
    }

    /// The elements of an expression that is an array.
    pub fn array(&self, json: &Json, local: &Local) -> Read<Vec<Expr>> {
        if let Node::Text(name) = &json.node {
            let elements = self.elements(name, local);
            return match elements.is_empty() {
                true => Err(json.wrong("an array")),
                false => Ok(elements.into_iter().map(Expr::Var).collect()),
            };
        }
        match json.get("op").and_then(|op| op.text().ok()) {
            Some("av") => {
                let elements = json.need("elements")?.list()?.iter();
                elements.map(|element| self.expr(element, local)).collect()
            }
            Some("ac") => {
                let length = json.need("length")?;
                let Value::Int(count @ 0..=LONGEST) = self.constant(length, local)? else {
                    return Err(length.wrong(&format!("a length from 0 to {LONGEST}")));
                };
                let variable = json.need("var")?.text()?;
                let mut inner = local.clone();
                let mut element = |index: i64| {
                    inner.insert(variable.to_owned(), Expr::from(index));
                    self.expr(json.need("exp")?, &inner)
                };
                (0..count).map(&mut element).collect()
            }
            Some("ite") => {
                let condition = self.expr_of(json.need("if")?, local, Sort::Bool)?;
                let (yes, no) = (
                    self.array(json.need("then")?, local)?,
                    self.array(json.need("else")?, local)?,
                );
                if yes.len() != no.len() {
                    return Err(json.wrong("arrays of the same length"));
                }
                let both = yes.into_iter().zip(no);
                let choose = |(yes, no)| Expr::choose(condition.clone(), yes, no);
                Ok(both.map(choose).collect())
            }
            _ => Err(json.wrong("an array")),
        }
    }

    /// An element of an array.
    pub fn element(&self, json: &Json, local: &Local) -> Read<Expr> {
        let elements = self.array(json.need("exp")?, local)?;
        let index = self.expr_of(json.need("index")?, local, Sort::Int)?;
        let sort = match elements.first() {
            Some(first) => self.sort(first, json)?,
            None => return Err(json.wrong("an array with elements")),
        };
        if let Some(Value::Int(index)) = index.constant() {
            let element = usize::try_from(*index).ok().and_then(|at| elements.get(at));
            return Ok(element.cloned().unwrap_or_else(|| no_value(sort)));
        }
        let cases = elements.into_iter().enumerate().rev();
        Ok(cases.fold(no_value(sort), |otherwise, (at, element)| {
            Expr::choose(index_is(&index, at), element, otherwise)
        }))
    }
}

/// An expression that has no value.
fn no_value(sort: Sort) -> Expr {
    let number = Expr::binary(BinaryOp::Mod, Expr::from(0), Expr::from(0));
    match sort {
        Sort::Bool => Expr::binary(BinaryOp::Eq, number, Expr::from(0)),
        _ => number,
    }
}

impl Lowering<'_> {
    /// What an assignment to an array, or to an element of one, assigns; nothing if the target is no array.
    pub fn assigned_elements(
        &self,
        target: &Json,
        value: &Json,
        local: &Local,
    ) -> Read<Option<Vec<(VarId, Conditional)>>> {
        if let Node::Text(name) = &target.node {
            let elements = self.scope.elements(name, local);
            if elements.is_empty() {
                return Ok(None);
            }
            let values = self.scope.array(value, local)?;
            if values.len() != elements.len() {
                return Err(value.wrong(&format!("an array with {} elements", elements.len())));
            }
            let whole = values.into_iter().map(|value| (None, value));
            return Ok(Some(elements.into_iter().zip(whole).collect()));
        }
        let array = target.need("exp")?;
        let elements = self.scope.elements(array.text()?, local);
        let index = self.scope.expr_of(target.need("index")?, local, Sort::Int)?;
        let value = self.scope.expr(value, local)?;
        if elements.is_empty() {
            return Err(array.wrong("an array with elements"));
        }
        if let Some(Value::Int(index)) = index.constant() {
            let element = usize::try_from(*index).ok().and_then(|at| elements.get(at));
            return match element {
                Some(&element) => Ok(Some(vec![(element, (None, value))])),
                None => Err(target.wrong(&format!("an index from 0 to {}", elements.len() - 1))),
            };
        }
        let outside = Expr::binary(BinaryOp::Lt, index.clone(), Expr::from(0)).or(Expr::binary(
            BinaryOp::Ge,
            index.clone(),
            Expr::from(elements.len() as i64),
        ));
        let mut assigned: Vec<(VarId, Conditional)> = Vec::new();
        for (at, var) in elements.into_iter().enumerate() {
            let sort = self.scope.variables[var.index()].domain.sort();
            let (mut condition, mut value) = (index_is(&index, at), value.clone());
            // The first element speaks for an index that is none.
            if at == 0 {
                condition = outside.clone().or(condition);
                value = Expr::choose(outside.clone(), no_value(sort), value);
            }
            assigned.push((var, (Some(condition), value)));
        }
        Ok(Some(assigned))
    }
}

/// Whether an index is a number.
fn index_is(index: &Expr, at: usize) -> Expr {
    Expr::binary(BinaryOp::Eq, index.clone(), Expr::from(at as i64))
}
