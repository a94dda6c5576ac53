//! CaDiCaL with a record of its proof: which clauses were given, which derived from which.
//!
//! The record is a list of steps in the manner of LRAT; an independent checker (`entail-proof`) can replay it, and interpolants are read off
//! it. Techniques whose steps are not propagation (bounded variable addition) are switched off, so every derived clause follows from its hints
//! by unit propagation in their order.

use crate::{Answer, Cadical, Lit, Query, SatSolver, Var};
use cadical_sys::{CaDiCal, ProofTracer};
use entail_budget::{Budget, Spent};
use rustc_hash::FxHashSet;
use std::cell::RefCell;
use std::fmt::Write;
use std::rc::Rc;

/// A step of a proof. Literals are DIMACS numbers; ids are the solver's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProofStep {
    /// An input clause.
    Original {
        /// Its number.
        id: i64,
        /// The clause.
        clause: Box<[i32]>,
    },
    /// A clause that follows from the hints by propagation.
    Derived {
        /// Its number.
        id: i64,
        /// The clause.
        clause: Box<[i32]>,
        /// The clauses it follows from, in the order of propagation.
        hints: Box<[i64]>,
    },
    /// A clause that is not used any more.
    Deleted(i64),
}

/// A recorded proof.
#[derive(Clone, Debug, Default)]
pub struct Proof {
    /// The steps in order.
    pub steps: Vec<ProofStep>,
    /// A step was no propagation: the proof cannot be used.
    pub is_broken: bool,
    /// Clauses that the solver has put aside; they are not deleted.
    put_aside: FxHashSet<i64>,
}

impl Proof {
    /// Positions of input clauses, in the order they were given, that the empty clause depends on; none if it was not derived.
    pub fn core(&self) -> Option<Vec<usize>> {
        let mut wanted: FxHashSet<i64> = FxHashSet::default();
        let mut refuted = false;
        let mut inputs = self
            .steps
            .iter()
            .filter(|step| matches!(step, ProofStep::Original { .. }))
            .count();
        let mut core = Vec::new();
        for step in self.steps.iter().rev() {
            let (id, clause, hints): (&i64, &[i32], &[i64]) = match step {
                ProofStep::Original { id, clause } => (id, clause, &[]),
                ProofStep::Derived { id, clause, hints } => (id, clause, hints),
                ProofStep::Deleted(_) => continue,
            };
            inputs -= usize::from(matches!(step, ProofStep::Original { .. }));
            let is_end = !refuted && clause.is_empty();
            refuted |= is_end;
            if is_end || wanted.contains(id) {
                wanted.extend(hints);
                if matches!(step, ProofStep::Original { .. }) {
                    core.push(inputs);
                }
            }
        }
        core.reverse();
        refuted.then_some(core)
    }

    /// The derived steps as LRAT text. The format numbers input clauses from 1 in the order of the formula, as the solver does.
    pub fn lrat(&self) -> String {
        let mut text = String::new();
        let mut latest = 0;
        for step in &self.steps {
            match step {
                ProofStep::Original { id, .. } => latest = latest.max(*id),
                ProofStep::Derived { id, clause, hints } => {
                    let _ = write!(text, "{id}");
                    for literal in clause {
                        let _ = write!(text, " {literal}");
                    }
                    text += " 0";
                    for hint in hints {
                        let _ = write!(text, " {hint}");
                    }
                    text += " 0\n";
                    latest = *id;
                }
                ProofStep::Deleted(id) => {
                    let _ = writeln!(text, "{latest} d {id} 0");
                }
            }
        }
        text
    }
}

struct Recorder(Rc<RefCell<Proof>>);

impl ProofTracer for Recorder {
    fn add_original_clause(&mut self, id: i64, _redundant: bool, clause: &[i32], restored: bool) {
        if !restored {
            let clause = clause.into();
            self.0.borrow_mut().steps.push(ProofStep::Original { id, clause });
        }
    }

    fn add_derived_clause(&mut self, id: i64, _redundant: bool, witness: i32, clause: &[i32], hints: &[i64]) {
        let mut proof = self.0.borrow_mut();
        proof.is_broken |= witness != 0;
        proof.steps.push(ProofStep::Derived {
            id,
            clause: clause.into(),
            hints: hints.into(),
        });
    }

    fn delete_clause(&mut self, id: i64, _redundant: bool, _clause: &[i32]) {
        let mut proof = self.0.borrow_mut();
        if !proof.put_aside.contains(&id) {
            proof.steps.push(ProofStep::Deleted(id));
        }
    }

    // The solver may take such a clause up again under its number.
    fn weaken_minus(&mut self, id: i64, _clause: &[i32]) {
        self.0.borrow_mut().put_aside.insert(id);
    }

    // The rest does not matter to a proof.
    fn strengthen(&mut self, _id: i64) {}
    fn finalize_clause(&mut self, _id: i64, _clause: &[i32]) {}
    fn add_assumption(&mut self, _lit: i32) {}
    fn add_constraint(&mut self, _clause: &[i32]) {}
    fn reset_assumptions(&mut self) {}
    fn add_assumption_clause(&mut self, id: i64, clause: &[i32], hints: &[i64]) {
        self.add_derived_clause(id, true, 0, clause, hints);
    }
    fn conclude_sat(&mut self, _kind: i32, _model: &[i32]) {}
    fn conclude_unsat(&mut self, _kind: i32, _ids: &[i64]) {}
    fn conclude_unknown(&mut self, _trail: &[i32]) {}
}

/// A CaDiCaL solver that records its proof.
pub struct TracedCadical {
    solver: Cadical,
    proof: Rc<RefCell<Proof>>,
}

impl Default for TracedCadical {
    fn default() -> TracedCadical {
        TracedCadical::new()
    }
}

impl TracedCadical {
    /// A solver without clauses.
    pub fn new() -> TracedCadical {
        let mut cadical = CaDiCal::new();
        cadical.set("factor", 0);
        let proof = Rc::new(RefCell::new(Proof::default()));
        cadical.connect_proof_tracer1(Recorder(Rc::clone(&proof)), true, false);
        TracedCadical {
            solver: Cadical::over(cadical),
            proof,
        }
    }

    /// Reads the proof so far.
    pub fn with_proof<T>(&self, read: impl FnOnce(&Proof) -> T) -> T {
        read(&self.proof.borrow())
    }
}

impl SatSolver for TracedCadical {
    fn new_var(&mut self) -> Var {
        self.solver.new_var()
    }

    fn variables(&self) -> usize {
        self.solver.variables()
    }

    fn add_clause(&mut self, literals: &[Lit]) {
        self.solver.add_clause(literals);
    }

    fn solve_query(&mut self, query: Query<'_>, budget: &Budget) -> Result<Answer, Spent> {
        self.solver.solve_query(query, budget)
    }

    fn value(&self, literal: Lit) -> Option<bool> {
        self.solver.value(literal)
    }

    fn failed(&self, assumption: Lit) -> bool {
        self.solver.failed(assumption)
    }

    fn set_phase(&mut self, literal: Lit) {
        self.solver.set_phase(literal);
    }
}
