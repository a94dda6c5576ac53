//! Arrays over all indices, and functions.
//!
//! An array is a value like any other: `READ`, `WRITE` and `CONSTARRAY` are the operators of the theory of arrays. A function is a frozen
//! array that nothing is known of; one of several arguments is an array of arrays.

use super::scopes::{Member, ScopeId};
use super::{Domain, Kind, Reader, Reported, Typed};
use crate::syntax::ast::{Expr, ExprId, Function, TypeExpr, TypeKind, VarKind};
use entail_first_order::{Op, Sort};
use entail_source::Span;

/// A kind of maps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct MapId(usize);

impl Reader<'_> {
    fn map(&mut self, index: Kind, element: Kind) -> Kind {
        let known = self.maps.iter().position(|&map| map == (index, element));
        Kind::Map(MapId(known.unwrap_or_else(|| {
            self.maps.push((index, element));
            self.maps.len() - 1
        })))
    }

    /// The kinds of a map's indices and elements.
    fn ends(&mut self, value: Typed, span: Span) -> Result<(Kind, Kind), Reported> {
        match value.kind {
            Kind::Map(MapId(number)) => Ok(self.maps[number]),
            _ => Err(self.wrong("smv::sort", "an array over all indices is needed here", span)),
        }
    }

    /// The sort of a kind of maps.
    pub(super) fn map_sort(&mut self, MapId(number): MapId) -> Sort {
        let (index, element) = self.maps[number];
        Sort::Array(self.sort_of(index), self.sort_of(element))
    }

    /// The kind of a type with all values of its sort.
    pub(super) fn map_kind(
        &mut self,
        scope: ScopeId,
        index: &TypeExpr,
        element: &TypeExpr,
    ) -> Result<Kind, Reported> {
        let (from, _) = self.resolve(scope, index)?;
        let to = self.full_kind(scope, element)?;
        Ok(self.map(from, to))
    }

    /// The kind of a type, which must have no bounds of its own: nothing would keep an array's elements within them.
    fn full_kind(&mut self, scope: ScopeId, ty: &TypeExpr) -> Result<Kind, Reported> {
        match self.resolve(scope, ty)? {
            (kind, Domain::All) => Ok(kind),
            _ => {
                let message = "elements of such arrays and values of functions have no bounds: take `integer` or a word";
                Err(self.wrong("smv::not-yet", message, ty.span))
            }
        }
    }

    /// A frozen array that stands for a function.
    pub(super) fn declare_function(
        &mut self,
        title: &str,
        scope: ScopeId,
        arguments: &[TypeExpr],
        result: &TypeExpr,
    ) -> Result<Member, Reported> {
        let mut kind = self.full_kind(scope, result)?;
        for argument in arguments.iter().rev() {
            let (from, _) = self.resolve(scope, argument)?;
            kind = self.map(from, kind);
        }
        let variable = self.declare_variable(title, VarKind::Frozen, kind, Domain::All, result.span)?;
        Ok(Member::Function(variable, arguments.len()))
    }

    /// A value as one of a kind: an integer becomes a real.
    fn fit(&mut self, value: Typed, kind: Kind, span: Span) -> Result<Typed, Reported> {
        match (value.kind, kind) {
            (Kind::Int, Kind::Real) => Ok(Typed {
                term: self.terms.to_real(value.term),
                kind,
            }),
            (found, wanted) if found == wanted => Ok(value),
            _ => Err(self.wrong("smv::sort", "this is not of the type that is needed here", span)),
        }
    }

    fn argument(&mut self, id: ExprId, scope: ScopeId, primed: bool, kind: Kind) -> Result<Typed, Reported> {
        let value = self.value(id, scope, primed)?;
        let span = self.arena.span(id);
        self.fit(value, kind, span)
    }

    /// `READ`, `WRITE` and `CONSTARRAY`.
    pub(super) fn array_call(
        &mut self,
        function: Function,
        arguments: &[ExprId],
        scope: ScopeId,
        primed: bool,
    ) -> Result<Typed, Reported> {
        if function == Function::ConstArray {
            return self.constant_map(arguments[0], arguments[1], scope, primed);
        }
        let array = self.value(arguments[0], scope, primed)?;
        let span = self.arena.span(arguments[0]);
        let (index_kind, element_kind) = self.ends(array, span)?;
        let index = self.argument(arguments[1], scope, primed, index_kind)?;
        match function {
            Function::Read => Ok(Typed {
                term: self.terms.select(array.term, index.term),
                kind: element_kind,
            }),
            _ => {
                let element = self.argument(arguments[2], scope, primed, element_kind)?;
                Ok(Typed {
                    term: self.terms.store(array.term, index.term, element.term),
                    kind: array.kind,
                })
            }
        }
    }

    fn constant_map(
        &mut self,
        ty: ExprId,
        element: ExprId,
        scope: ScopeId,
        primed: bool,
    ) -> Result<Typed, Reported> {
        let span = self.arena.span(ty);
        let kind = match self.arena.get(ty) {
            Expr::TypeOf(inner) => self.value(inner, scope, primed)?.kind,
            Expr::Type(written) => {
                let ty = self.arena.type_at(written).clone();
                match &ty.kind {
                    TypeKind::Map(index, element) => self.map_kind(scope, index, element)?,
                    _ => return Err(self.wrong("smv::sort", "a type of arrays is needed here", span)),
                }
            }
            _ => return Err(self.wrong("smv::sort", "a type is needed here", span)),
        };
        let Kind::Map(MapId(number)) = kind else {
            return Err(self.wrong(
                "smv::sort",
                "a type of arrays over all indices is needed here",
                span,
            ));
        };
        let everywhere = self.argument(element, scope, primed, self.maps[number].1)?;
        let sort = self.sort_of(kind);
        Ok(Typed {
            term: self.terms.build(Op::ConstantArray, &[everywhere.term], sort),
            kind,
        })
    }

    /// A declared function, applied.
    pub(super) fn apply(
        &mut self,
        function: ExprId,
        arguments: &[ExprId],
        scope: ScopeId,
        primed: bool,
        span: Span,
    ) -> Result<Typed, Reported> {
        let (Member::Function(variable, arity), _) = self.resolve_path(function, scope)? else {
            return Err(self.wrong("smv::function", "this is no function", span));
        };
        if arguments.len() != arity {
            let message = format!("the function takes {arity} argument(s), not {}", arguments.len());
            return Err(self.wrong("smv::arity", message, span));
        }
        // Functions do not change, so the one of now is the one of the next state.
        let mut value = self.variable_value(variable, false, span)?;
        for &argument in arguments {
            let (from, to) = self.ends(value, span)?;
            let index = self.argument(argument, scope, primed, from)?;
            value = Typed {
                term: self.terms.select(value.term, index.term),
                kind: to,
            };
        }
        Ok(value)
    }
}
