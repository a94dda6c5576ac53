//! The record of a proof: input clauses with their reasons, and derived clauses with the clauses they follow from.

use entail_first_order::{RefutationStep, Rule};
use entail_sat::Lit;

/// The record of a proof.
#[derive(Default)]
pub(crate) struct Record {
    pub steps: Vec<RefutationStep>,
    pub count: u32,
}

impl Record {
    pub fn derive(&mut self, clause: &[Lit], hints: Vec<u32>) -> u32 {
        self.count += 1;
        self.steps.push(RefutationStep::Derived {
            id: self.count,
            clause: clause.iter().map(|lit| lit.to_dimacs()).collect(),
            hints: hints.into(),
        });
        self.count
    }

    pub fn input(&mut self, clause: &[Lit], rule: Rule) -> u32 {
        self.count += 1;
        self.steps.push(RefutationStep::Input {
            id: self.count,
            clause: clause.iter().map(|lit| lit.to_dimacs()).collect(),
            rule,
        });
        self.count
    }
}
