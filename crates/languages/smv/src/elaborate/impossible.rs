//! Antecedents that no values of the variables make true.
//!
//! Terms are folded as they are made, also by the sorts of variables: with `x : 0..7`, `x = 9 -> p` is `TRUE` before any engine sees it, and the
//! specification would hold in silence. So the antecedents that became `FALSE` are noted while a specification is lowered, for whoever tells what a
//! *holds* means. An antecedent that speaks of no variable (`FALSE`, or a parameter that an instance fixes) was switched off on purpose.

use super::Elaborator;
use super::lower::resolve;
use super::names::{EntityKind, ScopeId};
use crate::syntax::ast::ExprId;
use rustc_hash::FxHashSet;

impl Elaborator<'_> {
    /// Notes an antecedent of a specification that has become `FALSE`, with its text.
    pub(super) fn note_impossible(&mut self, antecedent: ExprId, scope: ScopeId) {
        if self.impossible.is_none() || !self.speaks_of_variables(antecedent, scope) {
            return;
        }
        let text = self.spec_text(self.names.arena.span(antecedent), scope);
        if let Some(noted) = &mut self.impossible
            && !noted.contains(&text)
        {
            noted.push(text);
        }
    }

    /// Whether a variable is named in an expression, in the definitions that it uses or in the parameters.
    fn speaks_of_variables(&self, id: ExprId, scope: ScopeId) -> bool {
        let (mut open, mut seen) = (vec![(id, scope)], FxHashSet::default());
        while let Some((id, scope)) = open.pop() {
            if !seen.insert((id, scope)) {
                continue;
            }
            match resolve(self.names, id, scope).map(|entity| self.names.entity(entity)) {
                None => {
                    (self.names.arena).children(self.names.arena.get(id), |child| open.push((child, scope)))
                }
                Some(entity) => match entity.kind {
                    EntityKind::Define { body: inner } | EntityKind::Parameter { actual: inner } => {
                        open.push((inner, entity.scope));
                    }
                    EntityKind::Variable { .. } | EntityKind::Running(_) => return true,
                    EntityKind::Instance(_) => {}
                },
            }
        }
        false
    }
}
