//! Where `next` and temporal operators may stand.
//!
//! The grammar accepts every operator everywhere; this pass says where that was wrong. `next` belongs in transition
//! relations, right sides of `next(x) :=`, defines, invariants and LTL, and never inside another `next`; CTL operators
//! belong in CTL specifications only, at the top or below Boolean connectives, and likewise for LTL. A formula from
//! the command line may mix them. The pass keeps its own stack, so deep expressions cost it nothing.

use super::ast::{
    Arena, AssignKind, Binary, BoundedUnary, ConstraintKind, Expr, ExprId, Item, Module, SpecKind,
    TemporalBinary, TemporalUnary, TypeExpr, TypeKind,
};
use entail_source::Diagnostic;

/// What may stand in an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Allowed {
    /// Current state only.
    Simple,
    /// Also `next`.
    Next,
    Ctl,
    Ltl,
    CtlStar,
}

impl Allowed {
    /// What may stand below an operator that is neither Boolean nor temporal.
    fn below_term(self) -> Allowed {
        match self {
            Allowed::Ctl => Allowed::Simple,
            Allowed::Ltl | Allowed::CtlStar => Allowed::Next,
            other => other,
        }
    }
}

/// Checks every expression of a model.
pub(super) fn check_model(arena: &Arena, modules: &[Module], diagnostics: &mut Vec<Diagnostic>) {
    let mut check = |expr, allowed| check(arena, expr, allowed, diagnostics);
    for item in modules.iter().flat_map(|module| &module.items) {
        match item {
            Item::Variable { ty, .. } => check_type(ty, &mut check),
            Item::Define { body, .. } => check(*body, Allowed::Next),
            Item::Function {
                arguments, result, ..
            } => {
                for ty in arguments.iter().chain([result]) {
                    check_type(ty, &mut check);
                }
            }
            Item::Assign { kind, value, .. } => check(
                *value,
                if *kind == AssignKind::Next {
                    Allowed::Next
                } else {
                    Allowed::Simple
                },
            ),
            Item::Constraint { kind, expr } => check(
                *expr,
                if *kind == ConstraintKind::Trans {
                    Allowed::Next
                } else {
                    Allowed::Simple
                },
            ),
            Item::Urgent(condition) => check(*condition, Allowed::Simple),
            Item::Compassion { often, then } => {
                check(*often, Allowed::Simple);
                check(*then, Allowed::Simple);
            }
            Item::Spec { kind, formula, .. } => check(*formula, allowed_in(*kind)),
            Item::Constants(_) | Item::Psl { .. } | Item::Isa(_) => {}
        }
    }
}

/// Checks one formula.
pub(super) fn check_formula(
    arena: &Arena,
    formula: ExprId,
    kind: SpecKind,
    diagnostics: &mut Vec<Diagnostic>,
) {
    check(arena, formula, allowed_in(kind), diagnostics);
}

fn allowed_in(kind: SpecKind) -> Allowed {
    match kind {
        SpecKind::Ctl | SpecKind::Compute => Allowed::Ctl,
        SpecKind::Ltl => Allowed::Ltl,
        SpecKind::Invariant => Allowed::Next,
        SpecKind::CtlStar => Allowed::CtlStar,
    }
}

fn check_type(ty: &TypeExpr, check: &mut impl FnMut(ExprId, Allowed)) {
    match &ty.kind {
        TypeKind::Range(low, high) => {
            check(*low, Allowed::Simple);
            check(*high, Allowed::Simple);
        }
        TypeKind::Word { width, .. } => check(*width, Allowed::Simple),
        TypeKind::Array(dimensions, element) => {
            for (low, high) in dimensions {
                check(*low, Allowed::Simple);
                check(*high, Allowed::Simple);
            }
            check_type(element, check);
        }
        TypeKind::Instance { arguments, .. } => {
            for argument in arguments {
                check(*argument, Allowed::Next);
            }
        }
        TypeKind::Map(index, element) => {
            check_type(index, check);
            check_type(element, check);
        }
        TypeKind::Boolean | TypeKind::Enum(_) | TypeKind::Integer | TypeKind::Real | TypeKind::Clock => {}
    }
}

enum Family {
    Ctl,
    Ltl,
    Quantifier,
}

fn check(arena: &Arena, root: ExprId, allowed: Allowed, diagnostics: &mut Vec<Diagnostic>) {
    let mut stack = vec![(root, allowed, false)];
    while let Some((id, allowed, inside_next)) = stack.pop() {
        let expr = arena.get(id);
        let mut push = |child, allowed| stack.push((child, allowed, inside_next));
        match expr {
            Expr::Next(inner) => {
                if inside_next {
                    diagnostics.push(misplaced(arena, id, "`next` inside `next`"));
                } else if !matches!(allowed, Allowed::Next | Allowed::Ltl | Allowed::CtlStar) {
                    diagnostics.push(misplaced(arena, id, "`next` cannot stand here").with_help(
                        "`next` belongs in TRANS, in `next(x) := …`, in DEFINE, INVARSPEC and LTLSPEC",
                    ));
                }
                stack.push((inner, Allowed::Simple, true));
            }
            Expr::Temporal(operator, inner) => {
                check_family(arena, id, family(operator), allowed, diagnostics);
                push(inner, operand(allowed));
            }
            Expr::Bounded(operator, _, _, inner) => {
                let family = match operator {
                    BoundedUnary::ABF | BoundedUnary::EBF | BoundedUnary::ABG | BoundedUnary::EBG => {
                        Family::Ctl
                    }
                    BoundedUnary::F | BoundedUnary::G | BoundedUnary::H | BoundedUnary::O => Family::Ltl,
                };
                check_family(arena, id, family, allowed, diagnostics);
                push(inner, operand(allowed));
            }
            Expr::TemporalBinary(operator, left, right) => {
                let family = match operator {
                    TemporalBinary::AU | TemporalBinary::EU => Family::Ctl,
                    _ => Family::Ltl,
                };
                check_family(arena, id, family, allowed, diagnostics);
                push(left, operand(allowed));
                push(right, operand(allowed));
            }
            Expr::BoundedUntil { left, right, .. } => {
                check_family(arena, id, Family::Ctl, allowed, diagnostics);
                push(left, operand(allowed));
                push(right, operand(allowed));
            }
            Expr::Compute(_, left, right) => {
                push(left, Allowed::Ctl);
                push(right, Allowed::Ctl);
            }
            Expr::Unary(super::ast::Unary::Not, inner) => push(inner, allowed),
            Expr::Nary(super::ast::Nary::And | super::ast::Nary::Or, list) => {
                for &member in arena.list(list) {
                    push(member, allowed);
                }
            }
            Expr::Binary(Binary::Implies | Binary::Iff | Binary::Xor | Binary::Xnor, left, right) => {
                push(left, allowed);
                push(right, allowed);
            }
            other => {
                let below = allowed.below_term();
                arena.children(other, |child| push(child, below));
            }
        }
    }
}

/// What an operator's operand may hold: once misplaced, the operand is not blamed again.
fn operand(allowed: Allowed) -> Allowed {
    match allowed {
        Allowed::Simple | Allowed::Next => Allowed::CtlStar,
        other => other,
    }
}

fn family(operator: TemporalUnary) -> Family {
    use TemporalUnary::*;
    match operator {
        All | Exists => Family::Quantifier,
        AX | EX | AF | EF | AG | EG => Family::Ctl,
        X | F | G | Y | Z | H | O => Family::Ltl,
    }
}

fn check_family(
    arena: &Arena,
    id: ExprId,
    family: Family,
    allowed: Allowed,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let fine = match family {
        Family::Ctl => matches!(allowed, Allowed::Ctl | Allowed::CtlStar),
        Family::Ltl => matches!(allowed, Allowed::Ltl | Allowed::CtlStar),
        Family::Quantifier => allowed == Allowed::CtlStar,
    };
    if fine {
        return;
    }
    let (name, section) = match family {
        Family::Ctl => ("a CTL operator", "CTLSPEC"),
        Family::Ltl => ("an LTL operator", "LTLSPEC"),
        Family::Quantifier => ("a path quantifier", "CTLSPEC"),
    };
    diagnostics.push(
        misplaced(arena, id, &format!("{name} cannot stand here"))
            .with_help(format!("it belongs in a {section}, below Boolean operators only")),
    );
}

fn misplaced(arena: &Arena, id: ExprId, message: &str) -> Diagnostic {
    Diagnostic::error("smv::misplaced-operator", message, arena.span(id), "here")
}
