//! UPPAAL models as syntax trees.
//!
//! **Here:** declarations, templates, instantiations, expressions, statements and queries as a text has them, with their places.
//!
//! **Not here:** names, types, meaning.
//!
//! **Conventions** on which translation and checker agree without sharing code:
//! - processes stand in the order of the system line; a template with parameters left gives one process for each choice of values, the last parameter changing fastest;
//! - locations are numbered process by process, in the order of the text;
//! - edges are numbered process by process, in the order of the text, one for each choice of selected values, the last name changing fastest;
//! - integers are numbered by declaration: first the global ones, then those of each process; an array lies element by element, a record field by field; constants have no number;
//! - clocks and channels are numbered likewise, clocks from 1, since 0 is the reference clock.

mod chance;
mod expression;
mod model;

pub use chance::{Chance, Extent, ExtentBy, Trial, TrialPath};
pub use expression::{Expr, ExprKind, Operator, Quantifier, Unary};
pub use model::{
    ArraySize, Branch, Control, Declaration, Declarator, Edge, Function, GanttBar, GanttEntry, Hook, Initial,
    Instance, Item, Location, Model, Parameter, Prefix, PriorityElement, Property, PropertyKind, Select,
    Statement, StatementKind, Sync, SystemEntry, Template, TimeLimit, TypeExpr, TypeKind, strategy,
};
