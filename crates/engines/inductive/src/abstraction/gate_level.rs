//! Gate-level abstraction (Mishchenko, Eén, Brayton, Baumgartner, Case, Sapra, "GLA: Gate-Level Abstraction Revisited", DATE 2013).
//!
//! Kept is what the bounded search needed so far, latch by latch and gate by gate. At each depth: while the abstract circuit reaches bad, the
//! counterexample is taken apart into the guesses it rests on (`cause.rs`). If the run of the whole circuit under the same inputs ends badly, it is a
//! counterexample of the circuit; that is so if there are no guesses. Otherwise the objects that were guessed are kept, on trial. When the depth
//! is refuted, those on trial that the refutation did not need are left out again: counterexamples make the abstraction grow,
//! proofs make it shrink (Amla and McMillan's hybrid, 2004).
//!
//! Only guesses that turn out wrong in that run could be tried first, but the run leaves the counterexample's path at its first wrong
//! guess, and what it says of later ones is chance: on controllers beside datapaths this led deep into the datapath.
//!
//! Progress: objects on trial only become more until their depth is refuted, and a refuted depth stays refuted. So no counterexample is met twice.

#[cfg(debug_assertions)]
use super::cause::Guess;
use super::cause::cause;
use super::objects::{Object, Objects};
use super::rounds::Rounds;
use super::small_circuit::SmallCircuit;
use super::unrolling::AbstractUnrolling;
use super::{Abstraction, Advance};
use crate::unrolling::{Start, Unrolling};
use entail_budget::{Budget, Spent};
use entail_sat::{Answer, Cadical, Node, Query, Run, SatSolver, Signal};
#[cfg(debug_assertions)]
use rustc_hash::FxHashSet;

/// A refinement reaches one level deeper after so many counterexamples at the same depth: long chains of gates are not followed link by link.
const DEEPER_EVERY: usize = 4;

/// After so many counterexamples at one depth, and again whenever they have doubled, the whole circuit is asked about it.
const ASK_THE_WHOLE_AFTER: usize = 8;

/// How many conflicts that may take, for each counterexample.
const CONFLICTS_OF_THE_WHOLE: u64 = 200;

/// Conflicts for each attempt to do without an object.
const CONFLICTS: u64 = 200;

/// At most so many attempts at one depth.
const ATTEMPTS: usize = 60;

pub(super) struct GateLevel<'o> {
    objects: &'o Objects<'o>,
    unrolling: AbstractUnrolling<'o>,
    /// All smaller depths are refuted.
    depth: usize,
    /// Counterexamples at this depth.
    met: usize,
    whole: Whole<'o>,
    #[cfg(debug_assertions)]
    causes: FxHashSet<Vec<Guess>>,
}

impl<'o> GateLevel<'o> {
    pub(super) fn new(objects: &'o Objects<'o>) -> GateLevel<'o> {
        GateLevel {
            objects,
            unrolling: AbstractUnrolling::new(objects),
            depth: 0,
            met: 0,
            whole: Whole {
                objects,
                unrolling: None,
                refuted: 0,
            },
            #[cfg(debug_assertions)]
            causes: FxHashSet::default(),
        }
    }

    /// Takes an abstract counterexample apart: the run of the circuit that it shows, or the objects that it guessed.
    fn judge(&mut self, last: usize, value: impl Fn(Node, usize) -> bool) -> Result<Run, Vec<Node>> {
        let guesses = cause(self.objects, &self.unrolling.kept(), last, &value);
        #[cfg(debug_assertions)]
        {
            let mut key = guesses.clone();
            key.push(Guess {
                node: Node::new(0),
                position: last,
                value: false,
            });
            debug_assert!(
                self.causes.insert(key),
                "an abstract counterexample was met twice"
            );
        }
        let circuit = self.objects.circuit;
        let run = self.run(last, &value);
        if circuit.is_counterexample(&run, self.objects.bad) {
            return Ok(run);
        }
        let mut guessed: Vec<Node> = guesses.iter().map(|guess| guess.node).collect();
        guessed.sort_unstable();
        guessed.dedup();
        Err(guessed)
    }

    /// The run of the whole circuit with the counterexample's inputs.
    fn run(&self, last: usize, value: impl Fn(Node, usize) -> bool) -> Run {
        let circuit = self.objects.circuit;
        let first = |latch: &entail_sat::Latch| {
            let kept = self.unrolling.is_kept(latch.node);
            (latch.init.as_constant()).unwrap_or_else(|| kept && value(latch.node, 0))
        };
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

    /// Tries objects out, and what they read, some levels deep.
    fn try_out(&mut self, nodes: Vec<Node>) {
        let mut level = nodes;
        for _ in 0..=self.met / DEEPER_EVERY {
            let mut below: Vec<Node> = Vec::new();
            for node in level {
                self.unrolling.try_out(node);
                below.extend(self.objects.operands(node).map(Signal::node));
                if let Object::Latch(latch) = self.objects.of(node) {
                    below.push(self.objects.circuit.latches[latch].next.node());
                }
            }
            below.retain(|&node| self.objects.can_be_left_out(node) && !self.unrolling.is_kept(node));
            below.sort_unstable();
            below.dedup();
            level = below;
        }
    }

    /// The objects on trial that a refutation of the current depth needs, after some attempts to do without one. The last call refuted it.
    fn needed(&mut self, budget: &Budget) -> Result<Vec<Node>, Spent> {
        let mut needed = self.unrolling.used(self.unrolling.on_trial());
        // In another order the solver may find another refutation.
        for _ in 0..3 {
            needed.reverse();
            if self.refutes(&needed, budget)? {
                let used = self.unrolling.used(&needed);
                if used.len() == needed.len() {
                    break;
                }
                needed = used;
            }
        }
        // Latches first: they are what a proof is about.
        let mut candidates = needed.clone();
        candidates.sort_by_key(|&node| (!self.objects.is_latch(node), std::cmp::Reverse(node)));
        for candidate in candidates.into_iter().take(ATTEMPTS) {
            if needed.contains(&candidate) {
                let without: Vec<Node> = needed.iter().copied().filter(|&node| node != candidate).collect();
                if self.refutes(&without, budget)? {
                    needed = self.unrolling.used(&without);
                }
            }
        }
        needed.sort_unstable();
        Ok(needed)
    }

    fn refutes(&mut self, defined: &[Node], budget: &Budget) -> Result<bool, Spent> {
        let answer = self
            .unrolling
            .reaches_bad(self.depth, defined, Some(CONFLICTS), budget)?;
        Ok(answer == Answer::Unsatisfiable)
    }
}

impl Abstraction for GateLevel<'_> {
    fn depth(&self) -> usize {
        self.depth
    }

    fn is_kept(&self, node: Node) -> bool {
        self.unrolling.is_kept(node)
    }

    fn is_too_coarse(&self) -> bool {
        self.met > 0
    }

    fn advance(&mut self, rounds: &mut Rounds, budget: &Budget) -> Result<Advance, Spent> {
        let depth = self.depth;
        if self.unrolling.len() <= depth {
            self.unrolling.extend();
        }
        loop {
            budget.check_now()?;
            let trials = self.unrolling.on_trial().to_vec();
            if self.unrolling.reaches_bad(depth, &trials, None, budget)? == Answer::Unsatisfiable {
                break;
            }
            let unrolling = &self.unrolling;
            // Values are read now: the solver forgets them with the next clause.
            let model: Vec<Vec<bool>> = unrolling.values();
            let column = unrolling.columns();
            let value = move |node: Node, position: usize| {
                let row: &Vec<bool> = &model[position];
                row.get(column[node.index()] as usize).copied().unwrap_or(false)
            };
            match self.judge(depth, value) {
                Ok(run) => return Ok(Advance::Real(run)),
                Err(guessed) => {
                    self.try_out(guessed);
                    self.met += 1;
                    if self.met >= ASK_THE_WHOLE_AFTER
                        && self.met.is_power_of_two()
                        && let Some(run) = self.whole.counterexample(depth, self.met as u64, budget)?
                    {
                        return Ok(Advance::Real(run));
                    }
                }
            }
        }
        let tried = self.unrolling.on_trial().len();
        let needed = if tried == 0 {
            Vec::new()
        } else {
            self.needed(budget)?
        };
        self.unrolling.decide_trials(&needed);
        self.unrolling.refuted(depth);
        if self.met > 0 {
            rounds.refuted(depth, self.met, tried, needed.len());
        }
        self.depth += 1;
        self.met = 0;
        Ok(Advance::Refuted {
            changed: !needed.is_empty(),
        })
    }

    fn refine(&mut self, small: &SmallCircuit, run: &Run) -> Option<Run> {
        let last = run.inputs.len() - 1;
        let value = small.values(run);
        match self.judge(last, value) {
            Ok(run) => Some(run),
            Err(guessed) => {
                for node in guessed {
                    self.unrolling.keep(node);
                }
                None
            }
        }
    }
}

/// Bounded search in the whole circuit, for depths at which the abstraction fails in many ways. A bug is found sooner there.
struct Whole<'o> {
    objects: &'o Objects<'o>,
    unrolling: Option<Unrolling<'o, Cadical>>,
    /// Smaller depths are known to be refuted, and the solver knows it.
    refuted: usize,
}

impl Whole<'_> {
    /// A run to bad of this length, if one is found within limits. All smaller depths were refuted by the abstraction.
    fn counterexample(&mut self, depth: usize, patience: u64, budget: &Budget) -> Result<Option<Run>, Spent> {
        let Objects { circuit, bad, .. } = *self.objects;
        let unrolling = self
            .unrolling
            .get_or_insert_with(|| Unrolling::new(circuit, &[bad], Start::Initial, Cadical::new()));
        while unrolling.len() <= depth {
            unrolling.extend();
        }
        for refuted in self.refuted..depth {
            let violated = unrolling.literal(bad, refuted);
            unrolling.solver.add_clause(&[!violated]);
        }
        if self.refuted > depth {
            return Ok(None);
        }
        self.refuted = depth;
        let violated = unrolling.literal(bad, depth);
        let query = Query {
            assumptions: &[violated],
            constraint: &[],
            conflict_limit: Some(patience * CONFLICTS_OF_THE_WHOLE),
        };
        match unrolling.solver.solve_query(query, budget)? {
            Answer::Satisfiable => return Ok(Some(unrolling.run(depth))),
            Answer::Unsatisfiable => {
                unrolling.solver.add_clause(&[!violated]);
                self.refuted = depth + 1;
            }
            Answer::Unknown => {}
        }
        Ok(None)
    }
}
