//! Gates that are always true, seen by a solver that knows a part of the gates they are made of.
//!
//! The part are the latest gates below a literal, up to a number; what they read besides is taken for free. What is true then is true. The clauses of the part go to a solver of its own, so a question costs what its
//! part costs, however many gates there are: one solver for everything decides gates that the question does not depend on, and its upkeep (subsumption, elimination, taking up what was eliminated)
//! is paid again and again. As with every solver here, each "no" has a checked proof. (Windows of growing size: Mishchenko et al., "Improvements to combinational equivalence checking", 2006.)

use crate::gates::{Gate, Gates};
use crate::solver::{Lit, NoAnswer};
use entail_budget::Budget;
use rustc_hash::FxHashMap;
use std::collections::{BTreeSet, BinaryHeap};

/// How much of the gates is looked at.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part {
    /// The most gates.
    pub(crate) gates: usize,
    /// Conflicts after which the question is given up.
    pub(crate) conflicts: i32,
}

impl Gates {
    /// Whether a literal is true by a part of the gates that it is made of. "No" says nothing.
    pub(crate) fn is_true_in_part(
        &self,
        literal: Lit,
        part: Part,
        budget: &Budget,
    ) -> Result<bool, NoAnswer> {
        let root = self.resolved(literal);
        let mut opened: BTreeSet<u32> = BTreeSet::new();
        let mut waiting: BinaryHeap<u32> = BinaryHeap::from([root.variable()]);
        while let Some(latest) = waiting.pop()
            && opened.len() < part.gates
        {
            if let Some(gate) = self.definition(latest)
                && opened.insert(latest)
            {
                waiting.extend(self.inputs(gate).into_iter().map(Lit::variable));
            }
        }
        let mut own = Gates::plain();
        let truth = self.constant(true);
        let mut images: FxHashMap<u32, Lit> = FxHashMap::default();
        images.insert(truth.variable(), own.constant(truth.is_positive()));
        // (What a gate is made of is older than the gate.)
        for &variable in &opened {
            let Some(gate) = self.definition(variable) else {
                return Ok(false);
            };
            let mut image = |own: &mut Gates, literal: Lit| {
                let image = *images.entry(literal.variable()).or_insert_with(|| own.fresh());
                image.flipped_if(!literal.is_positive())
            };
            let inputs: Vec<Lit> = self
                .inputs(gate)
                .into_iter()
                .map(|input| image(&mut own, input))
                .collect();
            let made = match gate {
                Gate::And(_) => own.all(inputs),
                Gate::Xor(..) => own.xor(inputs[0], inputs[1]),
                Gate::Mux(..) => own.mux(inputs[0], inputs[1], inputs[2]),
            };
            images.insert(variable, made);
        }
        let Some(made) = images.get(&root.variable()) else {
            return Ok(false);
        };
        let made = made.flipped_if(!root.is_positive());
        Ok(own.is_true(made) || own.try_for(part.conflicts, &[!made], budget)? == Some(false))
    }
}
