//! Lifting: from one state with a property to a cube of states with it.
//!
//! The solver's model is a state and inputs that lead to the target. Under these inputs, which latch values does that need? Ask whether
//! the state and the inputs leave room for "not the target, or a constraint violated"; they do not, and the failed
//! assumptions are enough (Chockler, Ivrii, Matsliah, Moran, Nevo). The lifted cube keeps all constraints under the recorded inputs, so
//! every state in it really leads to the target.

use super::{Cube, Ic3};
use entail_budget::Spent;
use entail_sat::{Answer, Lit, Query, SatSolver};

impl Ic3 {
    /// The lifted state of a frame's model and its inputs; `target` holds under them, along a step if `step`.
    pub(super) fn lifted(
        &mut self,
        frame: usize,
        target: &[Lit],
        step: bool,
    ) -> Result<(Cube, Vec<Lit>), Spent> {
        let mut avoid: Vec<Lit> = target.iter().map(|&literal| !literal).collect();
        avoid.extend(self.constraints.iter().map(|&constraint| !constraint));
        if step {
            avoid.extend(self.step.map(|step| !step));
        }
        avoid.sort_unstable();
        avoid.dedup();
        self.lifter.restrict_to(avoid.iter().copied(), self.cnf.fanins());
        let solver = self.frames.solver(frame);
        let chosen = |literal: Lit| solver.value(literal).map(|value| literal.flipped_if(!value));
        let mut inputs: Vec<Lit> = Vec::new();
        for input in &self.circuit.inputs {
            inputs.extend(chosen(self.cnf.lit(input.signal())));
        }
        let mut state: Cube = Vec::new();
        for latch in &self.circuit.latches {
            let literal = self.cnf.lit(latch.node.signal());
            if self.lifter.is_in_domain(literal.var()) {
                state.extend(chosen(literal));
            }
        }
        // Latches that lemmas mention rarely are dropped first: the failed assumptions tend to be early ones.
        let rank = |literal: &Lit| {
            let latch = self.latch_of[literal.var().index()].unwrap_or(0);
            self.activity[latch as usize]
        };
        state.sort_by(|a, b| rank(b).total_cmp(&rank(a)));
        let fixed = inputs
            .iter()
            .copied()
            .filter(|literal| self.lifter.is_in_domain(literal.var()));
        let fixed: Vec<Lit> = fixed.collect();
        for _ in 0..2 {
            let assumptions: Vec<Lit> = fixed.iter().chain(&state).copied().collect();
            let query = Query {
                assumptions: &assumptions,
                constraint: &avoid,
                conflict_limit: None,
            };
            if self.lifter.solve_query(query, &self.budget)? != Answer::Unsatisfiable {
                break;
            }
            let mut failed = self.lifter.failures().to_vec();
            failed.sort_unstable();
            let before = state.len();
            state.retain(|literal| failed.binary_search(literal).is_ok());
            if state.len() == before {
                break;
            }
            state.reverse();
        }
        state.sort_unstable();
        Ok((state, inputs))
    }
}
