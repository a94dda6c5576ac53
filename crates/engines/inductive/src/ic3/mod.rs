//! IC3 (Bradley; as "property directed reachability" Eén, Mishchenko, Brayton): an inductive invariant grown clause by clause.
//!
//! Frames `F_0 = Init, F_1, …, F_k` over-approximate the states reachable in at most so many steps; each is a set of clauses, and
//! `F_i ⊇ F_{i+1}` as clauses. A state of `F_k` that is bad is an *obligation*: either it has a predecessor in `F_{k-1}`, which is an
//! obligation one frame earlier, or a generalisation of it is excluded from the frames up to `k`. Excluded cubes (*lemmas*) are
//! propagated forwards; when a frame equals its successor it is the invariant.
//!
//! A lemma is stored at the last frame it is known for (delta encoding). One solver a frame, over one copy of the transition relation:
//! the next value of a latch is a literal of the same copy. Every query is restricted to the cone of what it asks.
//!
//! Constraints hold in every frame's solver. Step constraints are assumed where a step is asked for and not where a bad state is:
//! a bad state need not have a successor.
//!
//! The files: `frames` (solvers and lemmas), `relative` (the one-step queries), `lifting`, `generalize`, `obligations`.

mod frames;
mod generalize;
mod lifting;
mod obligations;
mod relative;

use crate::answer::{Invariant, LatchCube, SafetyAnswer};
use crate::bmc::Interrupted;
use entail_budget::{Budget, Progress, Snapshot, Spent};
use entail_sat::{Cdcl, Circuit, GateCnf, Lit, Run, SatSolver, Signal};
use frames::Frames;
use obligations::{Obligation, Obligations};

/// A set of states: latch literals that all hold, sorted.
type Cube = Vec<Lit>;

/// A search that can be interrupted and taken up again.
pub(crate) struct Ic3 {
    circuit: Circuit,
    cnf: GateCnf,
    bad: Lit,
    step: Option<Lit>,
    constraints: Vec<Lit>,
    /// For each variable, the latch it is.
    latch_of: Vec<Option<u32>>,
    /// For each latch, the literal of its next value.
    next: Vec<Lit>,
    frames: Frames,
    /// The transition relation without frames and constraints, for lifting.
    lifter: Cdcl,
    /// The initial states.
    initial: Cdcl,
    /// How often a latch was in a lemma, lately.
    activity: Vec<f64>,
    activity_bump: f64,
    obligations: Obligations,
    budget: Budget,
    /// Bad is not reached within so many steps, if that much is known.
    proved: Option<u64>,
}

/// Decides whether bad is reachable.
pub fn ic3(
    circuit: &Circuit,
    bad: Signal,
    budget: &Budget,
    progress: &dyn Progress,
) -> Result<SafetyAnswer, Interrupted> {
    Ic3::new(circuit, bad).advance(budget, progress)
}

impl Ic3 {
    /// Goes on until there is an answer or the budget is spent. Frames and lemmas stay; what was owed is forgotten.
    pub(crate) fn advance(
        &mut self,
        budget: &Budget,
        progress: &dyn Progress,
    ) -> Result<SafetyAnswer, Interrupted> {
        self.budget = budget.same_limits();
        self.run(progress).map_err(|spent| Interrupted {
            spent,
            safe_up_to: self.proved,
        })
    }

    pub(crate) fn new(circuit: &Circuit, bad: Signal) -> Ic3 {
        let mut circuit = circuit.clone();
        let steps = circuit.step_constraints.clone();
        let step = circuit.aig.and_all(steps);
        let mut roots = vec![bad, step];
        roots.extend(circuit.constraints.iter().chain(&circuit.init_constraints));
        let cnf = GateCnf::new(&circuit, &roots);
        let mut latch_of = vec![None; cnf.variables()];
        for (position, latch) in circuit.latches.iter().enumerate() {
            latch_of[cnf.lit(latch.node.signal()).var().index()] = Some(position as u32);
        }
        let constraints: Vec<Lit> = circuit
            .constraints
            .iter()
            .map(|&signal| cnf.lit(signal))
            .collect();
        let mut lifter = Cdcl::new();
        cnf.load(&mut lifter);
        let mut base = lifter.clone();
        for &constraint in &constraints {
            base.add_to_domain(constraint.var(), cnf.fanins());
            base.add_clause(&[constraint]);
        }
        let mut initial = base.clone();
        for latch in &circuit.latches {
            if let Some(value) = latch.init.as_constant() {
                let literal = cnf.lit(latch.node.signal()).flipped_if(!value);
                initial.add_to_domain(literal.var(), cnf.fanins());
                initial.add_clause(&[literal]);
            }
        }
        for &constraint in &circuit.init_constraints {
            let literal = cnf.lit(constraint);
            initial.add_to_domain(literal.var(), cnf.fanins());
            initial.add_clause(&[literal]);
        }
        Ic3 {
            bad: cnf.lit(bad),
            step: (step != Signal::TRUE).then(|| cnf.lit(step)),
            constraints,
            latch_of,
            next: circuit.latches.iter().map(|latch| cnf.lit(latch.next)).collect(),
            frames: Frames::new(base, initial.clone()),
            lifter,
            initial,
            activity: vec![0.0; circuit.latches.len()],
            activity_bump: 1.0,
            obligations: Obligations::default(),
            cnf,
            circuit,
            budget: Budget::unlimited(),
            proved: None,
        }
    }

    fn run(&mut self, progress: &dyn Progress) -> Result<SafetyAnswer, Spent> {
        // The initial states are frame 0; without them there is nothing to reach.
        if self.frames.top() == 0 {
            if let Some(root) = self.bad_state(0)? {
                return Ok(SafetyAnswer::Unsafe(self.counterexample(root)?));
            }
            self.proved = Some(0);
            self.frames.push();
        }
        loop {
            let top = self.frames.top();
            while let Some(root) = self.bad_state(top)? {
                if let Some(start) = self.block(root, top)? {
                    return Ok(SafetyAnswer::Unsafe(self.counterexample(start)?));
                }
            }
            self.proved = Some(top as u64);
            progress.report(&Snapshot {
                phase: "ic3",
                depth: Some(top as u64),
                states: None,
                frontier: Some(self.frames.lemma_count() as u64),
                nodes: None,
            });
            self.frames.push();
            if let Some(fixpoint) = self.propagate()? {
                let lemmas = self.frames.lemmas_from(fixpoint + 1);
                let excluded = lemmas.map(|cube| self.latch_cube(cube)).collect();
                return Ok(SafetyAnswer::Safe(Invariant {
                    excluded,
                    formulas: Vec::new(),
                }));
            }
        }
    }

    fn latch_cube(&self, cube: &Cube) -> LatchCube {
        let latch = |literal: Lit| self.latch_of[literal.var().index()].expect("cubes are about latches");
        cube.iter()
            .map(|&literal| (latch(literal) as usize, literal.is_positive()))
            .collect()
    }

    /// An obligation for a bad state of a frame, if the frame has one.
    fn bad_state(&mut self, frame: usize) -> Result<Option<usize>, Spent> {
        // Between two bad states nothing is owed.
        self.obligations.clear();
        let bad = self.bad;
        let fanins = self.cnf.fanins();
        let solver = self.frames.solver(frame);
        solver.restrict_to([bad], fanins);
        if !solver.satisfiable(&[bad], &self.budget)? {
            return Ok(None);
        }
        let (cube, inputs) = self.lifted(frame, &[bad], false)?;
        Ok(Some(self.obligations.add_node(cube, inputs, None)))
    }

    /// Excludes an obligation and all its predecessors, or finds one that is initial.
    fn block(&mut self, root: usize, frame: usize) -> Result<Option<usize>, Spent> {
        if self.meets_init(&self.obligations.node(root).cube.clone())? {
            return Ok(Some(root));
        }
        self.obligations.push(Obligation { frame, node: root });
        while let Some(Obligation { frame, node }) = self.obligations.pop() {
            self.budget.check()?;
            let cube = self.obligations.node(node).cube.clone();
            let top = self.frames.top();
            if let Some(known) = self.frames.excluded_at(&cube, frame) {
                if known < top {
                    self.obligations.push(Obligation {
                        frame: known + 1,
                        node,
                    });
                }
                continue;
            }
            match self.inductive_core(&cube, frame)? {
                Some(core) => {
                    let visits = self.obligations.node(node).visits;
                    let lemma = self.generalize(core, frame, visits)?;
                    let reached = self.push_forward(&lemma, frame)?;
                    self.learn(lemma, reached);
                    if reached < top {
                        self.obligations.push(Obligation {
                            frame: reached + 1,
                            node,
                        });
                    }
                }
                None => {
                    let target = self.primed(&cube);
                    let (predecessor, inputs) = self.lifted(frame - 1, &target, true)?;
                    let initial = frame == 1 || self.meets_init(&predecessor)?;
                    let added = self.obligations.add_node(predecessor, inputs, Some(node));
                    if initial {
                        return Ok(Some(added));
                    }
                    self.obligations.push(Obligation { frame, node });
                    self.obligations.push(Obligation {
                        frame: frame - 1,
                        node: added,
                    });
                }
            }
        }
        Ok(None)
    }

    /// The highest frame up to the top in which a lemma of `frame` still holds.
    fn push_forward(&mut self, lemma: &Cube, frame: usize) -> Result<usize, Spent> {
        let mut reached = frame;
        while reached < self.frames.top() && self.is_inductive(lemma, reached + 1)? {
            reached += 1;
        }
        Ok(reached)
    }

    fn learn(&mut self, lemma: Cube, frame: usize) {
        self.activity_bump *= 1.02;
        for literal in &lemma {
            if let Some(latch) = self.latch_of[literal.var().index()] {
                self.activity[latch as usize] += self.activity_bump;
            }
        }
        if self.activity_bump > 1e100 {
            self.activity.iter_mut().for_each(|activity| *activity *= 1e-100);
            self.activity_bump = 1.0;
        }
        self.frames.add(lemma, frame);
    }

    /// Moves lemmas to the next frame where they still hold there; gives the first frame that has become equal to its successor.
    fn propagate(&mut self) -> Result<Option<usize>, Spent> {
        for frame in 1..self.frames.top() {
            for lemma in self.frames.lemmas_at(frame) {
                if !self.frames.has(&lemma, frame) {
                    continue;
                }
                if let Some(core) = self.pushed_core(&lemma, frame + 1)? {
                    self.frames.add(core, frame + 1);
                }
            }
            if self.frames.is_empty(frame) {
                return Ok(Some(frame));
            }
        }
        Ok(None)
    }

    /// The run from an initial obligation to bad.
    fn counterexample(&mut self, start: usize) -> Result<Run, Spent> {
        let cube = self.obligations.node(start).cube.clone();
        self.initial.unrestricted();
        // The cube meets the initial states; where it does not, the run is rejected by whoever replays it.
        self.initial.satisfiable(&cube, &self.budget)?;
        let value = |solver: &Cdcl, literal: Lit| solver.value(literal).unwrap_or(false);
        let latches = self.circuit.latches.iter();
        let initial = latches
            .map(|latch| value(&self.initial, self.cnf.lit(latch.node.signal())))
            .collect();
        let mut inputs = Vec::new();
        let mut at = Some(start);
        while let Some(node) = at {
            let node = self.obligations.node(node);
            let chosen = |literal: Lit| node.inputs.contains(&literal);
            let position = self
                .circuit
                .inputs
                .iter()
                .map(|input| chosen(self.cnf.lit(input.signal())));
            inputs.push(position.collect());
            at = node.successor;
        }
        Ok(Run { initial, inputs })
    }
}
