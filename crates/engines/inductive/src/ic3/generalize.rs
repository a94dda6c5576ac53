//! Generalisation: fewer literals, more states excluded (MIC with counterexamples to generalisation, Hassan, Bradley, Somenzi).
//!
//! Each literal is dropped in turn, the least active first. If the larger cube has a predecessor, that state (a CTG) may itself be
//! easy to exclude one frame earlier; a few such attempts later, the cube is joined with the predecessor instead. CTGs cost many
//! queries and pay only on hard parts of a model, so they are used for obligations that keep coming back.

use super::{Cube, Ic3};
use entail_budget::Spent;
use entail_sat::{Lit, SatSolver};

/// CTGs tried for one literal.
const MAX_CTGS: usize = 3;

/// How deep CTGs of CTGs are generalised.
const CTG_DEPTH: usize = 1;

/// An obligation that comes back this often is worth more effort: before, its lemmas are generalised without CTGs.
const HARD_OBLIGATION: u32 = 3;

/// Literals in a row that could not be dropped before giving up.
const MAX_FAILURES: usize = 12;

impl Ic3 {
    /// A smaller cube that is still inductive relative to `frame - 1`; `visits` says how often its obligation was looked at.
    pub(super) fn generalize(&mut self, cube: Cube, frame: usize, visits: u32) -> Result<Cube, Spent> {
        let depth = if visits > HARD_OBLIGATION { CTG_DEPTH } else { 0 };
        self.minimal_inductive(cube, frame, depth)
    }

    fn minimal_inductive(&mut self, mut cube: Cube, frame: usize, depth: usize) -> Result<Cube, Spent> {
        let mut order: Vec<Lit> = cube.clone();
        let rank = |literal: &Lit| {
            let latch = self.latch_of[literal.var().index()].unwrap_or(0);
            self.activity[latch as usize]
        };
        order.sort_by(|a, b| rank(a).total_cmp(&rank(b)));
        let mut kept: Vec<Lit> = Vec::new();
        let mut failures = 0;
        for literal in order {
            if cube.len() <= 1 || failures > MAX_FAILURES {
                break;
            }
            let Ok(at) = cube.binary_search(&literal) else {
                continue;
            };
            let mut smaller = cube.clone();
            smaller.remove(at);
            match self.down(smaller, frame, &kept, depth)? {
                Some(core) => {
                    cube = core;
                    failures = 0;
                }
                None => {
                    kept.push(literal);
                    failures += 1;
                }
            }
        }
        Ok(cube)
    }

    /// A part of the cube that is inductive relative to `frame - 1` and has all `kept` literals, if one is found.
    fn down(
        &mut self,
        mut cube: Cube,
        frame: usize,
        kept: &[Lit],
        depth: usize,
    ) -> Result<Option<Cube>, Spent> {
        let mut ctgs = 0;
        loop {
            self.budget.check()?;
            if self.meets_init(&cube)? {
                return Ok(None);
            }
            if let Some(core) = self.inductive_core(&cube, frame)? {
                return Ok(Some(core));
            }
            if depth == 0 {
                return Ok(None);
            }
            // What the predecessor looks like must be read before another query goes to that solver.
            let solver = self.frames.solver(frame - 1);
            let joined: Cube = cube
                .iter()
                .copied()
                .filter(|&literal| solver.value(literal) != Some(false))
                .collect();
            let target = self.primed(&cube);
            if ctgs < MAX_CTGS && frame > 1 {
                let (ctg, _) = self.lifted(frame - 1, &target, true)?;
                if !self.meets_init(&ctg)?
                    && let Some(core) = self.inductive_core(&ctg, frame - 1)?
                {
                    ctgs += 1;
                    let reached = self.push_forward(&core, frame - 1)?;
                    let lemma = self.minimal_inductive(core, reached, depth - 1)?;
                    self.learn(lemma, reached);
                    continue;
                }
            }
            ctgs = 0;
            let keeps_all = kept.iter().all(|literal| joined.binary_search(literal).is_ok());
            if !keeps_all || joined.is_empty() || joined.len() == cube.len() {
                return Ok(None);
            }
            cube = joined;
        }
    }
}
