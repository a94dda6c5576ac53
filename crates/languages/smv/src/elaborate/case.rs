//! `case` distinctions: a chain of choices, an error where no branch fits, and the branches for coverage.

use super::names::ScopeId;
use super::value::Lowered;
use super::{Branch, Elaborator};
use crate::syntax::ast::{ExprId, List};
use entail_model::TermId;
use entail_source::Span;

/// Branches behind so many of the same case are not remembered.
const MOST_BRANCHES_OF_A_CASE: usize = 256;
/// Branches of a model that are remembered.
const MOST_BRANCHES: usize = 20_000;

impl Elaborator<'_> {
    /// Remembers when a branch is taken: its own condition is true, and none before it.
    fn note_branch(&mut self, negated: &[TermId], test: TermId, place: Span) {
        // What this costs grows with the square of the branches.
        if negated.len() >= MOST_BRANCHES_OF_A_CASE || self.branches.len() >= MOST_BRANCHES {
            return;
        }
        let condition = self.system.terms.and(negated.iter().copied().chain([test]));
        let branch = Branch {
            place,
            condition,
            is_initial: self.is_initial,
        };
        if self.known_branches.insert(branch) {
            self.branches.push(branch);
        }
    }

    /// The value of a `case`: that of its first branch whose condition is true.
    pub(super) fn case(&mut self, list: List, scope: ScopeId, primed: bool, span: Span) -> Lowered {
        let branches = self.names.arena.list(list).to_vec();
        let mut rows: Vec<(TermId, Lowered, ExprId)> = Vec::with_capacity(branches.len() / 2);
        let mut negated: Vec<TermId> = Vec::with_capacity(branches.len() / 2);
        let mut broken = false;
        for pair in branches.chunks_exact(2) {
            let before = self.failures.len();
            let test = self.truth(pair[0], scope, primed, "the condition of a case");
            if self.failures.len() > before {
                let guard = self.system.terms.and(negated.iter().copied());
                self.guard_failures(before, guard);
            }
            let mark = self.failures.len();
            let value = self.lower(pair[1], scope, primed);
            let Some(test) = test else {
                broken = true;
                continue;
            };
            if self.failures.len() > mark {
                let guard = self.system.terms.and(negated.iter().copied().chain([test]));
                self.guard_failures(mark, guard);
            }
            let place = self.names.arena.span(pair[0]).to(self.names.arena.span(pair[1]));
            self.note_branch(&negated, test, place);
            negated.push(self.system.terms.not(test));
            rows.push((test, value, pair[1]));
        }
        if broken {
            return Lowered::Error;
        }
        let exhausted = rows
            .last()
            .is_some_and(|&(test, ..)| self.system.terms.as_truth(test) == Some(true));
        if !exhausted {
            let none = self.system.terms.and(negated);
            self.fails_when(
                none,
                "smv::case",
                "the conditions of this case are not exhaustive".to_string(),
                span,
            );
        }
        let Some((_, last, last_id)) = rows.pop() else {
            return Lowered::Error;
        };
        let (mut value, mut below) = (last, last_id);
        for (test, result, result_id) in rows.into_iter().rev() {
            value = match self.choose(test, &result, &value) {
                Some(value) => value,
                None => return self.branch_mismatch(&result, result_id, &value, below, span),
            };
            below = result_id;
        }
        value
    }
}
