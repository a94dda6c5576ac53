//! The one-step queries: is a cube inductive relative to a frame, and which of its literals show it?
//!
//! "Relative to frame i" means `F_{i-1} ∧ ¬cube ∧ T ∧ cube'` is unsatisfiable; the failed assumptions among `cube'` give a smaller
//! cube with the same property, to which literals are added back until it excludes the initial states.

use super::{Cube, Ic3};
use entail_budget::Spent;
use entail_sat::{Answer, Lit, Query, SatSolver};

impl Ic3 {
    /// The literals that say "next, the cube holds".
    pub(super) fn primed(&self, cube: &[Lit]) -> Vec<Lit> {
        cube.iter().map(|&literal| self.prime(literal)).collect()
    }

    fn prime(&self, literal: Lit) -> Lit {
        let latch = self.latch_of[literal.var().index()].expect("cubes are about latches");
        self.next[latch as usize].flipped_if(!literal.is_positive())
    }

    /// Whether a step from `frame - 1` leads into the cube (from outside it, if `from_outside`). The solver keeps the model.
    fn has_predecessor(&mut self, cube: &[Lit], frame: usize, from_outside: bool) -> Result<bool, Spent> {
        let mut ordered: Vec<Lit> = cube.to_vec();
        let rank = |literal: &Lit| {
            let latch = self.latch_of[literal.var().index()].unwrap_or(0);
            self.activity[latch as usize]
        };
        ordered.sort_by(|a, b| rank(b).total_cmp(&rank(a)));
        let mut assumptions: Vec<Lit> = Vec::with_capacity(cube.len() + 1);
        assumptions.extend(self.step);
        assumptions.extend(self.primed(&ordered));
        let outside: Vec<Lit> = if from_outside {
            cube.iter().map(|&literal| !literal).collect()
        } else {
            Vec::new()
        };
        let fanins = self.cnf.fanins();
        let solver = self.frames.solver(frame - 1);
        solver.restrict_to(assumptions.iter().chain(&outside).copied(), fanins);
        let query = Query {
            assumptions: &assumptions,
            constraint: &outside,
            conflict_limit: None,
        };
        Ok(solver.solve_query(query, &self.budget)? == Answer::Satisfiable)
    }

    /// If the cube is inductive relative to `frame - 1`, a part of it that is, and that excludes the initial states.
    pub(super) fn inductive_core(&mut self, cube: &Cube, frame: usize) -> Result<Option<Cube>, Spent> {
        if self.has_predecessor(cube, frame, true)? {
            return Ok(None);
        }
        self.core(cube, frame).map(Some)
    }

    /// The same for a lemma of `frame - 1`, which excludes itself.
    pub(super) fn pushed_core(&mut self, cube: &Cube, frame: usize) -> Result<Option<Cube>, Spent> {
        if self.has_predecessor(cube, frame, false)? {
            return Ok(None);
        }
        self.core(cube, frame).map(Some)
    }

    pub(super) fn is_inductive(&mut self, cube: &Cube, frame: usize) -> Result<bool, Spent> {
        Ok(!self.has_predecessor(cube, frame, true)?)
    }

    fn core(&mut self, cube: &Cube, frame: usize) -> Result<Cube, Spent> {
        let mut failed: Vec<Lit> = self.frames.solver(frame - 1).failures().to_vec();
        failed.sort_unstable();
        let kept: Cube = cube
            .iter()
            .copied()
            .filter(|&literal| failed.binary_search(&self.prime(literal)).is_ok())
            .collect();
        self.away_from_init(kept, cube)
    }

    /// Whether some initial state is in the cube.
    pub(super) fn meets_init(&mut self, cube: &[Lit]) -> Result<bool, Spent> {
        if cube.iter().any(|&literal| self.contradicts_init(literal)) {
            return Ok(false);
        }
        if self.circuit.init_constraints.is_empty() {
            return Ok(true);
        }
        self.initial.restrict_to(cube.iter().copied(), self.cnf.fanins());
        self.initial.satisfiable(cube, &self.budget)
    }

    fn contradicts_init(&self, literal: Lit) -> bool {
        let latch = self.latch_of[literal.var().index()].expect("cubes are about latches");
        let init = self.circuit.latches[latch as usize].init.as_constant();
        init.is_some_and(|value| value != literal.is_positive())
    }

    /// Adds literals of a cube without initial states to a part of it until that has none either.
    fn away_from_init(&mut self, mut part: Cube, whole: &Cube) -> Result<Cube, Spent> {
        if !self.meets_init(&part)? {
            return Ok(part);
        }
        if let Some(&literal) = whole.iter().find(|&&literal| self.contradicts_init(literal)) {
            part.push(literal);
        } else {
            self.initial.restrict_to(whole.iter().copied(), self.cnf.fanins());
            if self.initial.satisfiable(whole, &self.budget)? {
                // The whole cube has an initial state: only a caller's mistake leads here; keep it whole.
                return Ok(whole.clone());
            }
            part.extend_from_slice(self.initial.failures());
        }
        part.sort_unstable();
        part.dedup();
        Ok(part)
    }
}
