//! Frames: their lemmas and their solvers.
//!
//! `delta[i]` has the lemmas whose last known frame is `i`; frame `i` consists of `delta[i], delta[i+1], …`. A lemma's clause is in the
//! solvers of frames 1 to `i`. Lemmas that a new one subsumes are dropped here at once; their clauses stay in the solvers until
//! so many are dead that the solver is built again.

use super::Cube;
use entail_sat::{Cdcl, Fanins, Lit, SatSolver};

/// A solver is rebuilt when it has this many dead clauses and more dead than living ones.
const DEAD_CLAUSES: usize = 400;

pub(super) struct Frames {
    /// The transition relation with the constraints, nothing else.
    base: Cdcl,
    solvers: Vec<Cdcl>,
    delta: Vec<Vec<Cube>>,
    /// Clauses each solver was given since it was built.
    given: Vec<usize>,
}

impl Frames {
    pub(super) fn new(base: Cdcl, initial: Cdcl) -> Frames {
        Frames {
            base,
            solvers: vec![initial],
            delta: vec![Vec::new()],
            given: vec![0],
        }
    }

    /// The number of the last frame.
    pub(super) fn top(&self) -> usize {
        self.solvers.len() - 1
    }

    /// Adds a frame without lemmas.
    pub(super) fn push(&mut self) {
        self.solvers.push(self.base.clone());
        self.delta.push(Vec::new());
        self.given.push(0);
    }

    pub(super) fn solver(&mut self, frame: usize) -> &mut Cdcl {
        &mut self.solvers[frame]
    }

    pub(super) fn lemma_count(&self) -> usize {
        self.delta.iter().map(Vec::len).sum()
    }

    pub(super) fn lemmas_from(&self, frame: usize) -> impl Iterator<Item = &Cube> + '_ {
        self.delta[frame..].iter().flatten()
    }

    /// The lemmas that end at a frame, short ones first.
    pub(super) fn lemmas_at(&self, frame: usize) -> Vec<Cube> {
        let mut lemmas = self.delta[frame].clone();
        lemmas.sort_by_key(Vec::len);
        lemmas
    }

    pub(super) fn has(&self, lemma: &Cube, frame: usize) -> bool {
        self.delta[frame].contains(lemma)
    }

    pub(super) fn is_empty(&self, frame: usize) -> bool {
        self.delta[frame].is_empty()
    }

    /// The last frame, `frame` or later, from which some lemma excludes the whole cube.
    pub(super) fn excluded_at(&self, cube: &Cube, frame: usize) -> Option<usize> {
        (frame..=self.top())
            .rev()
            .find(|&at| self.delta[at].iter().any(|lemma| is_subset(lemma, cube)))
    }

    /// Excludes a cube from the frames up to `frame`.
    pub(super) fn add(&mut self, lemma: Cube, frame: usize) {
        // Solvers up to a frame that had this very lemma have its clause already.
        let mut from = 1;
        for at in 1..=frame {
            if self.delta[at].contains(&lemma) {
                from = at + 1;
            }
            self.delta[at].retain(|old| !is_subset(&lemma, old));
        }
        let clause: Vec<Lit> = lemma.iter().map(|&literal| !literal).collect();
        for at in from..=frame {
            self.give(at, &clause);
        }
        self.delta[frame].push(lemma);
        for at in 1..=frame {
            let living: usize = self.delta[at..].iter().map(Vec::len).sum();
            if self.given[at] > DEAD_CLAUSES && self.given[at] > 2 * living {
                self.rebuild(at);
            }
        }
    }

    fn give(&mut self, at: usize, clause: &[Lit]) {
        let solver = &mut self.solvers[at];
        for literal in clause {
            // Latches are leaves: a lemma's variables need nothing else.
            solver.add_to_domain(literal.var(), &Fanins::default());
        }
        solver.add_clause(clause);
        self.given[at] += 1;
    }

    fn rebuild(&mut self, at: usize) {
        self.solvers[at] = self.base.clone();
        self.given[at] = 0;
        let living: Vec<Cube> = self.delta[at..].iter().flatten().cloned().collect();
        for lemma in living {
            let clause: Vec<Lit> = lemma.iter().map(|&literal| !literal).collect();
            self.give(at, &clause);
        }
    }
}

/// Whether every literal of the first sorted cube is in the second.
pub(super) fn is_subset(small: &[Lit], large: &[Lit]) -> bool {
    if small.len() > large.len() {
        return false;
    }
    let mut rest = large.iter();
    small.iter().all(|literal| rest.any(|other| other == literal))
}
