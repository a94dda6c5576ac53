//! Types become sorts, and variables enter the system.
//!
//! Bounds and widths are constant expressions: they are lowered like any expression and must come out constant. An
//! array becomes one variable per element, named `a[3]`.

use super::Elaborator;
use super::names::{Cache, EntityId, EntityKind, ScopeId};
use super::value::{ArrayValue, Lowered};
use crate::syntax::ast::{Expr, ExprId, TypeExpr, TypeKind, VarKind};
use entail_model::{Sort, Value};
use entail_source::{Diagnostic, Span};
use std::sync::Arc;

/// How many variables the arrays of a model may have together.
const MOST_ELEMENTS: usize = 1_000_000;

/// The widest word accepted.
const MAX_WIDTH: i64 = crate::syntax::MAX_WORD_WIDTH as i64;

impl Elaborator<'_> {
    /// Adds a declared variable (or the elements of an array) to the system.
    pub(super) fn declare_variable(&mut self, id: EntityId) {
        let entity = self.names.entity(id);
        let EntityKind::Variable { kind, ty } = entity.kind.clone() else {
            return;
        };
        let (name, scope, span) = (entity.name.clone(), entity.scope, entity.span);
        let value = match self.resolve_type(&ty, scope, &name) {
            Some((dimensions, sort)) => self.add_elements(&name, &dimensions, &sort, kind, span),
            None => Lowered::Error,
        };
        self.names.entity_mut(id).values[0] = Cache::Done(value, Arc::from([]));
    }

    fn add_elements(
        &mut self,
        name: &str,
        dimensions: &[(i64, i64)],
        sort: &Sort,
        kind: VarKind,
        span: Span,
    ) -> Lowered {
        let Some((&(low, high), inner)) = dimensions.split_first() else {
            let kind = match kind {
                VarKind::State => entail_model::VarKind::State,
                VarKind::Input => entail_model::VarKind::Input,
                VarKind::Frozen => entail_model::VarKind::Frozen,
            };
            let variable = self.system.add_variable(name, sort.clone(), kind);
            self.variable_spans.push(span);
            return Lowered::Term(self.system.current(variable));
        };
        let elements = (low..=high)
            .map(|index| self.add_elements(&format!("{name}[{index}]"), inner, sort, kind, span))
            .collect();
        Lowered::Array(Arc::new(ArrayValue { low, elements }))
    }

    /// The dimensions (outermost first) and the element sort of a type.
    fn resolve_type(&mut self, ty: &TypeExpr, scope: ScopeId, name: &str) -> Option<(Vec<(i64, i64)>, Sort)> {
        match &ty.kind {
            TypeKind::Boolean => Some((Vec::new(), Sort::Bool)),
            TypeKind::Range(low, high) => {
                let (low, high) = self.bounds(*low, *high, scope, ty.span)?;
                Some((Vec::new(), Sort::Range { low, high }))
            }
            TypeKind::Enum(values) => Some((Vec::new(), self.enumeration(values)?)),
            TypeKind::Word { signed, width } => {
                let number = self.constant_integer(*width, scope, "the width of a word")?;
                if !(1..=MAX_WIDTH).contains(&number) {
                    self.report(Diagnostic::error(
                        "smv::width",
                        format!("a word has between 1 and {MAX_WIDTH} bits, not {number}"),
                        self.names.arena.span(*width),
                        format!("this is {number}"),
                    ));
                    return None;
                }
                let (width, signed) = (number as u32, *signed);
                Some((Vec::new(), Sort::Word { width, signed }))
            }
            TypeKind::Array(ranges, element) => {
                let mut dimensions = Vec::new();
                let mut elements: usize = 1;
                for &(low, high) in ranges {
                    let (low, high) = self.bounds(low, high, scope, ty.span)?;
                    elements = elements.saturating_mul((high - low) as usize + 1);
                    dimensions.push((low, high));
                }
                if elements.saturating_add(self.system.variables().len()) > MOST_ELEMENTS {
                    self.report(Diagnostic::error(
                        "smv::too-large",
                        format!("the array `{name}` is too large: {MOST_ELEMENTS} variables is the limit"),
                        ty.span,
                        "this array",
                    ));
                    return None;
                }
                let (_, sort) = self.resolve_type(element, scope, name)?;
                Some((dimensions, sort))
            }
            TypeKind::Integer => self.infinite_type("integer", ty.span),
            TypeKind::Real => self.infinite_type("real", ty.span),
            TypeKind::Clock => self.infinite_type("clock", ty.span),
            TypeKind::Map(..) => self.infinite_type("array over all indices", ty.span),
            TypeKind::Instance { .. } => None,
        }
    }

    /// Types of infinitely many values belong to another reader.
    pub(super) fn infinite_type<T>(&mut self, what: &str, span: Span) -> Option<T> {
        self.report(
            Diagnostic::error(
                "smv::infinite",
                format!("the type `{what}` has no place in a finite-state model"),
                span,
                "not finite, or not by itself",
            )
            .with_help(
                "`--language nuxmv` reads it; or use a range such as `0..255` or a word such as `word[8]`",
            ),
        );
        None
    }

    fn bounds(&mut self, low: ExprId, high: ExprId, scope: ScopeId, span: Span) -> Option<(i64, i64)> {
        let bottom = self.constant_integer(low, scope, "a bound of a range");
        let top = self.constant_integer(high, scope, "a bound of a range");
        let (bottom, top) = (bottom?, top?);
        if bottom > top {
            self.report(
                Diagnostic::error(
                    "smv::empty-range",
                    format!("the range {bottom}..{top} is empty"),
                    span,
                    "no value lies in it",
                )
                .with_help("write the smaller bound first"),
            );
            return None;
        }
        Some((bottom, top))
    }

    fn enumeration(&mut self, values: &[ExprId]) -> Option<Sort> {
        let mut seen: rustc_hash::FxHashMap<Value, Span> = Default::default();
        let mut sort = Vec::with_capacity(values.len());
        for &id in values {
            let span = self.names.arena.span(id);
            let value = match self.names.arena.get(id) {
                Expr::Name(symbol) => Value::symbol(self.names.text(symbol)),
                Expr::Number(number) => Value::Int(number),
                _ => {
                    self.report(
                        Diagnostic::error(
                            "smv::enumeration",
                            "truth values cannot be part of an enumeration",
                            span,
                            "a truth value",
                        )
                        .with_help("use the type `boolean`"),
                    );
                    return None;
                }
            };
            if let Some(first) = seen.insert(value.clone(), span) {
                self.report(
                    Diagnostic::error(
                        "smv::duplicate",
                        format!("`{value}` occurs twice in this enumeration"),
                        span,
                        "again here",
                    )
                    .with_label(first, "first here"),
                );
                return None;
            }
            sort.push(value);
        }
        Some(Sort::Enum(sort.into()))
    }

    /// The value of a constant integer expression.
    pub(super) fn constant_integer(&mut self, id: ExprId, scope: ScopeId, what: &str) -> Option<i64> {
        let value = self.lower(id, scope, false);
        let span = self.names.arena.span(id);
        match &value {
            Lowered::Error => None,
            Lowered::Term(term) => {
                let constant = self.system.terms.as_constant(*term).and_then(Value::as_int);
                if constant.is_none() {
                    let found = match self.system.terms.as_constant(*term) {
                        Some(_) => format!("this is {}", self.type_name(&value)),
                        None => "this depends on the state".to_string(),
                    };
                    self.report(Diagnostic::error(
                        "smv::not-constant",
                        format!("{what} must be a constant integer"),
                        span,
                        found,
                    ));
                }
                constant
            }
            _ => {
                let found = self.type_name(&value);
                self.report(Diagnostic::error(
                    "smv::not-constant",
                    format!("{what} must be a constant integer"),
                    span,
                    format!("this is {found}"),
                ));
                None
            }
        }
    }
}
