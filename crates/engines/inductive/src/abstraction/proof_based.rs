//! Proof-based abstraction (McMillan and Amla, "Automatic Abstraction without Counterexamples", TACAS 2003), latch by latch.
//!
//! The bounded search is about the whole circuit, with the definition of every latch under a guard. A depth is first tried with the latches that
//! refuted the depths before; if these do not refute it, all are assumed. Then either there is a counterexample of the circuit, or the
//! latches that the refutation used are kept from now on.

use super::objects::Objects;
use super::rounds::Rounds;
use super::small_circuit::SmallCircuit;
use super::unrolling::AbstractUnrolling;
use super::{Abstraction, Advance};
use entail_budget::{Budget, Spent};
use entail_sat::{Answer, Node, Run};

pub(super) struct ProofBased<'o> {
    objects: &'o Objects<'o>,
    unrolling: AbstractUnrolling<'o>,
    latches: Vec<Node>,
    is_needed: Vec<bool>,
    depth: usize,
}

impl<'o> ProofBased<'o> {
    pub(super) fn new(objects: &'o Objects<'o>) -> ProofBased<'o> {
        let mut unrolling = AbstractUnrolling::new(objects);
        for (node, _) in objects.gates() {
            unrolling.keep(*node);
        }
        let latches: Vec<Node> = objects.circuit.latches.iter().map(|latch| latch.node).collect();
        for &latch in &latches {
            unrolling.try_out(latch);
        }
        let mut is_needed = vec![false; objects.circuit.aig.len()];
        for node in objects.of_first_state() {
            is_needed[node.index()] = true;
        }
        ProofBased {
            objects,
            unrolling,
            latches,
            is_needed,
            depth: 0,
        }
    }

    fn run(&self, last: usize) -> Run {
        let circuit = self.objects.circuit;
        let value = |node: Node, position: usize| self.unrolling.value(node, position);
        let first =
            |latch: &entail_sat::Latch| (latch.init.as_constant()).unwrap_or_else(|| value(latch.node, 0));
        let inputs = |position: usize| {
            circuit
                .inputs
                .iter()
                .map(|&input| value(input, position))
                .collect()
        };
        Run {
            initial: circuit.latches.iter().map(first).collect(),
            inputs: (0..=last).map(inputs).collect(),
        }
    }
}

impl Abstraction for ProofBased<'_> {
    fn depth(&self) -> usize {
        self.depth
    }

    fn is_kept(&self, node: Node) -> bool {
        self.is_needed[node.index()] || !self.objects.is_latch(node) && self.objects.can_be_left_out(node)
    }

    fn is_too_coarse(&self) -> bool {
        false
    }

    fn advance(&mut self, rounds: &mut Rounds, budget: &Budget) -> Result<Advance, Spent> {
        let depth = self.depth;
        if self.unrolling.len() <= depth {
            self.unrolling.extend();
        }
        let kept: Vec<Node> = self
            .latches
            .iter()
            .copied()
            .filter(|latch| self.is_needed[latch.index()])
            .collect();
        let mut changed = false;
        if self.unrolling.reaches_bad(depth, &kept, None, budget)? != Answer::Unsatisfiable {
            if self.unrolling.reaches_bad(depth, &self.latches, None, budget)? == Answer::Satisfiable {
                return Ok(Advance::Real(self.run(depth)));
            }
            let mut used = self.unrolling.used(&self.latches);
            // The latches that are kept anyway cost nothing: a refutation with them may need fewer others.
            used.extend(
                kept.iter()
                    .filter(|latch| !used.contains(latch))
                    .copied()
                    .collect::<Vec<Node>>(),
            );
            if self.unrolling.reaches_bad(depth, &used, None, budget)? == Answer::Unsatisfiable {
                used = self.unrolling.used(&used);
            }
            let mut added = 0;
            for latch in used {
                added += usize::from(!std::mem::replace(&mut self.is_needed[latch.index()], true));
            }
            changed = true;
            rounds.push(
                format!("fails in {depth} steps"),
                format!("the proof that the circuit does not needs {added} more latches"),
            );
        }
        self.unrolling.refuted(depth);
        self.depth += 1;
        Ok(Advance::Refuted { changed })
    }

    fn refine(&mut self, _: &SmallCircuit, _: &Run) -> Option<Run> {
        // The bounded search will meet it, and know what it needs.
        None
    }
}
