//! Trees of paths: which formula is true or false where, and why.

use super::dress::Dress;
use super::timeline::timeline;
use super::{Extent, under_quantifier};
use entail_evidence::{Because, DeadEnds, Explanation, Notation, PathWitness, Trace, Truth};
use entail_logic::Formula;
use entail_model::{TermId, TransitionSystem};
use entail_show::{Child, FormulaRow, Support, Timeline, Tree};
use entail_systems_checker::{PathEnd, PathWord};

/// Makes timelines and trees of one model.
pub(super) struct Paths<'a> {
    system: &'a TransitionSystem,
    dead_ends: DeadEnds,
    extent: Extent,
    dress: &'a Dress,
    notation: Notation<'a>,
}

impl<'a> Paths<'a> {
    pub(super) fn new(
        system: &'a TransitionSystem,
        dead_ends: DeadEnds,
        extent: Extent,
        dress: &'a Dress,
    ) -> Paths<'a> {
        Paths {
            system,
            dead_ends,
            extent,
            dress,
            notation: Notation::new(system),
        }
    }

    /// A claim with its reasons.
    pub(super) fn claim(&self, claim: &Explanation) -> Tree {
        let (support, children) = match &claim.because {
            Because::Evaluation => (Support::Evaluation, Vec::new()),
            Because::Exhaustion => (Support::Exhaustion, Vec::new()),
            Because::Operands(operands) => {
                let child = |operand| Child {
                    position: None,
                    claim: self.claim(operand),
                };
                (Support::Operands, operands.iter().map(child).collect())
            }
            Because::Path(witness) => self.path(witness, under_quantifier(&claim.formula)),
        };
        Tree {
            text: self.notation.formula(&claim.formula),
            truth: Some(claim.truth),
            support,
            children,
        }
    }

    fn path(&self, witness: &PathWitness, formula: &Formula<TermId>) -> (Support, Vec<Child>) {
        let known: Vec<(usize, &Explanation)> = (witness.notes.iter())
            .map(|note| (note.position, &note.explanation))
            .collect();
        let children = known.iter().map(|&(position, claim)| Child {
            position: Some(position),
            claim: self.claim(claim),
        });
        let children = children.collect();
        let timeline = self.timeline(&witness.trace, Some(formula), &known);
        (Support::Path(timeline), children)
    }

    /// A path with the truth of a formula's parts; some may be known at some positions.
    pub(super) fn timeline(
        &self,
        trace: &Trace,
        formula: Option<&Formula<TermId>>,
        known: &[(usize, &Explanation)],
    ) -> Timeline {
        let mut shown = timeline(self.system, trace, self.extent == Extent::Full, self.dress);
        if self.extent == Extent::Full
            && !self.dress.is_foreign()
            && let Some(formula) = formula
            && let Some(word) = PathWord::new(self.system, trace, PathEnd::of(trace, self.dead_ends))
        {
            let mut word = word.with_known(|position, formula| {
                let found = known
                    .iter()
                    .find(|(at, claim)| *at == position && claim.formula == *formula);
                found.map(|(_, claim)| claim.truth)
            });
            shown.formulas = (word.subformulas(formula).iter())
                .map(|row| FormulaRow {
                    text: self.notation.formula(&row.formula),
                    depth: row.depth,
                    truth: row.at.iter().map(|&truth| known_truth(truth)).collect(),
                })
                .collect();
        }
        shown
    }
}

fn known_truth(truth: Truth) -> Option<bool> {
    match truth {
        Truth::True => Some(true),
        Truth::False => Some(false),
        Truth::Unknown => None,
    }
}
