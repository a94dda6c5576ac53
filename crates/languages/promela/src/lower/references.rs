//! What a program refers to from outside of where it belongs, and which variables are read at all.

use crate::syntax::ast::*;
use rustc_hash::{FxHashMap, FxHashSet};

/// What is referred to from outside of the process type it belongs to.
#[derive(Default)]
pub struct References {
    pub labels: FxHashMap<Name, FxHashSet<Name>>,
    /// Some variable is.
    pub variables: bool,
    /// A process is started with a priority.
    pub priorities: bool,
    /// Variables whose values are looked at, other than for printing.
    pub read: FxHashSet<Name>,
}

pub fn references(units: &[Unit]) -> References {
    let mut found = References::default();
    let mut note = |expr: &Expr| match &expr.kind {
        ExprKind::RemoteLabel(process, _, label) => {
            found
                .labels
                .entry(process.clone())
                .or_default()
                .insert(label.clone());
        }
        ExprKind::RemoteVariable(..) => found.variables = true,
        ExprKind::Variable(variable) => {
            found.read.insert(variable.parts[0].0.clone());
        }
        ExprKind::Run(_, _, Some(_)) => found.priorities = true,
        _ => {}
    };
    for unit in units {
        match unit {
            Unit::Formula(_, formula) => formula.visit(&mut note),
            Unit::Proctype(proctype) | Unit::Never(proctype) | Unit::Trace(proctype) => {
                if let Some(condition) = &proctype.provided {
                    condition.visit(&mut note);
                }
                proctype
                    .body
                    .iter()
                    .for_each(|statement| statement.visit(&mut note));
            }
            Unit::Variable(Declared {
                initializer: Some(Initializer::Value(value)),
                ..
            }) => value.visit(&mut note),
            Unit::Variable(Declared {
                initializer: Some(Initializer::List(values)),
                ..
            }) => values.iter().for_each(|value| value.visit(&mut note)),
            _ => {}
        }
    }
    found
}
