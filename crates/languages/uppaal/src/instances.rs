//! What instances are made with: which arguments are constants, and which parameters a template may change.
//!
//! An argument that is given by value is a constant. A parameter of a partial instance is one if it is declared so, also by its type. A parameter without `const` that a template gets by value is a variable of
//! the process in UPPAAL; here it is a constant, and a template that changes it is refused.

use crate::compiler::{Compiler, unsupported, wrong};
use crate::parser::Read;
use entail_source::{Diagnostic, Span};
use entail_uppaal_tree::{
    Declaration, Declarator, Expr, ExprKind, Instance, Item, Model, Parameter, TypeExpr, TypeKind,
};
use std::collections::HashSet;

/// What a text says about constants that types do not.
#[derive(Debug, Default)]
pub(crate) struct Constancy {
    /// Types that are declared with `const`.
    types: HashSet<String>,
    /// Parameters of templates that are variables.
    variables: HashSet<String>,
}

impl Constancy {
    pub fn of(model: &Model) -> Constancy {
        let mut found = Constancy::default();
        for item in &model.items {
            match item {
                Item::Declaration(Declaration::Types(of, declarators)) if found.is_constant(of) => {
                    let name = |one: &Declarator| one.name.clone();
                    found.types.extend(declarators.iter().map(name));
                }
                Item::Template(template) => {
                    let variables = template.parameters.iter().filter(|one| !one.by_reference);
                    let variables: Vec<&Parameter> =
                        variables.filter(|one| !found.is_constant(&one.of)).collect();
                    let names = variables.into_iter().map(|one| one.declarator.name.clone());
                    found.variables.extend(names);
                }
                _ => {}
            }
        }
        found
    }

    fn is_constant(&self, of: &TypeExpr) -> bool {
        of.prefix.constant || matches!(&of.kind, TypeKind::Named(name) if self.types.contains(name))
    }
}

/// The names in an expression.
fn names<'e>(expr: &'e Expr, found: &mut Vec<(&'e str, Span)>) {
    match &expr.kind {
        ExprKind::Name(name) => found.push((name, expr.span)),
        ExprKind::Unary(_, inner) | ExprKind::Field(inner, _) => names(inner, found),
        ExprKind::Binary(_, left, right) | ExprKind::Index(left, right) => {
            names(left, found);
            names(right, found);
        }
        ExprKind::Choice(parts) => parts.iter().for_each(|part| names(part, found)),
        ExprKind::Call(_, arguments) => arguments.iter().for_each(|one| names(one, found)),
        _ => {}
    }
}

impl Compiler<'_> {
    /// Refuses an argument by value that is no constant.
    pub fn refuse_variables(&self, argument: &Expr, instance: &Instance) -> Read<()> {
        let mut mentioned = Vec::new();
        names(argument, &mut mentioned);
        for (name, span) in mentioned {
            let mut own = instance.parameters.iter();
            let parameter = own.find(|one| one.declarator.name == name);
            if parameter.is_some_and(|one| !self.constancy.is_constant(&one.of)) {
                let message = format!("the parameter `{name}` is no constant, and one is expected");
                let help = format!("declare it with `const` in the parameters of `{}`", instance.name);
                return Err(wrong("uppaal::parameter", message, span).with_help(help));
            }
        }
        Ok(())
    }

    /// The mistake of changing a constant: where it is a parameter that UPPAAL takes for a variable, it is not the author's.
    pub fn constant_changed(&self, target: &Expr, span: Span) -> Diagnostic {
        let mut mentioned = Vec::new();
        names(target, &mut mentioned);
        match mentioned
            .first()
            .filter(|(name, _)| self.constancy.variables.contains(*name))
        {
            Some((name, _)) => {
                unsupported(&format!("changes of `{name}`, a parameter given by value,"), span)
            }
            None => wrong("uppaal::type", "a constant cannot be changed", span),
        }
    }
}
