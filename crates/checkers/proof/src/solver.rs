//! CaDiCaL behind the few calls that a proof checker needs; every "no" comes with a proof that [`LratChecker`] has accepted.
//!
//! The checker hears the input clauses from here and the steps of the proof from CaDiCaL. CaDiCaL's answer alone is not believed: a call
//! that says "unsatisfiable" must have derived the empty clause, or a clause of negated assumptions.

use crate::lrat::{LratChecker, Rejected};
use cadical_sys::{CaDiCal, ProofTracer, Status, Terminator};
use entail_budget::{Budget, Spent};
use rustc_hash::FxHashSet;
use std::cell::RefCell;
use std::rc::Rc;

/// How many conflicts a call may have before the budget is looked at again.
const CONFLICTS_PER_CALL: i32 = 20_000;

/// A literal: a variable (from 1) or, negative, its complement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Lit(i32);

impl std::ops::Not for Lit {
    type Output = Lit;

    fn not(self) -> Lit {
        Lit(-self.0)
    }
}

impl Lit {
    /// The number of its variable.
    pub(crate) fn variable(self) -> u32 {
        self.0.unsigned_abs()
    }

    /// The constant true as a node of decision diagrams.
    pub(crate) const TRUE_NODE: Lit = Lit(1);

    /// The function of a node of decision diagrams.
    pub(crate) fn of_node(number: u32) -> Lit {
        Lit(number as i32)
    }

    /// The literal as a number.
    pub(crate) fn code(self) -> u32 {
        self.0 as u32
    }

    /// Whether it is a variable, and not a complement.
    pub(crate) fn is_positive(self) -> bool {
        self.0 > 0
    }

    /// This literal, or its complement if `flip`.
    pub(crate) fn flipped_if(self, flip: bool) -> Lit {
        if flip { !self } else { self }
    }
}

/// Why a call has no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NoAnswer {
    /// Time or memory.
    Spent(Spent),
    /// The solver's proof is wrong.
    BadProof(Rejected),
    /// Decision diagrams that answer it are too large.
    TooLarge,
}

impl From<crate::diagrams::TooLarge> for NoAnswer {
    fn from(_: crate::diagrams::TooLarge) -> NoAnswer {
        NoAnswer::TooLarge
    }
}

/// Checks the proof while the solver writes it.
#[derive(Debug, Default)]
struct Hearing {
    checker: LratChecker,
    /// The first step that was wrong.
    objection: Option<Rejected>,
    /// Clauses that the solver may take up again: they are kept.
    put_aside: FxHashSet<i64>,
    /// The latest clause about assumptions.
    concluding: Option<i64>,
}

impl Hearing {
    fn note(&mut self, result: Result<(), Rejected>) {
        if let (Err(rejected), None) = (result, &self.objection) {
            self.objection = Some(rejected);
        }
    }
}

struct Listener(Rc<RefCell<Hearing>>);

impl ProofTracer for Listener {
    fn add_original_clause(&mut self, id: i64, _redundant: bool, clause: &[i32], restored: bool) {
        let mut hearing = self.0.borrow_mut();
        let result = match restored {
            true => hearing.checker.restore(id, clause),
            false => hearing.checker.original(id, clause),
        };
        hearing.note(result);
    }

    fn add_derived_clause(&mut self, id: i64, _redundant: bool, witness: i32, clause: &[i32], hints: &[i64]) {
        let mut hearing = self.0.borrow_mut();
        let result = match witness {
            0 => hearing.checker.derive(id, clause, hints),
            _ => Err(Rejected::NotPropagation(id)),
        };
        hearing.note(result);
    }

    fn delete_clause(&mut self, id: i64, _redundant: bool, _clause: &[i32]) {
        let mut hearing = self.0.borrow_mut();
        if !hearing.put_aside.contains(&id) {
            hearing.checker.delete(id);
        }
    }

    fn weaken_minus(&mut self, id: i64, _clause: &[i32]) {
        self.0.borrow_mut().put_aside.insert(id);
    }

    fn add_assumption_clause(&mut self, id: i64, clause: &[i32], hints: &[i64]) {
        let mut hearing = self.0.borrow_mut();
        let result = hearing.checker.derive(id, clause, hints);
        hearing.note(result);
        hearing.concluding = Some(id);
    }

    // The rest is of no concern to a proof.
    fn strengthen(&mut self, _id: i64) {}
    fn finalize_clause(&mut self, _id: i64, _clause: &[i32]) {}
    fn add_assumption(&mut self, _lit: i32) {}
    fn add_constraint(&mut self, _clause: &[i32]) {}
    fn reset_assumptions(&mut self) {}
    fn conclude_sat(&mut self, _kind: i32, _model: &[i32]) {}
    fn conclude_unsat(&mut self, _kind: i32, _ids: &[i64]) {}
    fn conclude_unknown(&mut self, _trail: &[i32]) {}
}

/// Says when to stop.
struct Watch(Rc<RefCell<Budget>>);

impl Terminator for Watch {
    fn terminated(&mut self) -> bool {
        self.0.borrow().check().is_err()
    }
}

/// A SAT solver. Clauses wait until something is asked: many questions are answered without the solver.
pub(crate) struct Solver {
    cadical: CaDiCal,
    variables: i32,
    declared: i32,
    /// Clauses that the solver has not seen, each with a 0 at its end.
    waiting: Vec<i32>,
    /// The budget of the current call.
    watched: Rc<RefCell<Budget>>,
    hearing: Rc<RefCell<Hearing>>,
}

impl Solver {
    pub(crate) fn new() -> Solver {
        Solver::configured(false)
    }

    /// A solver that does nothing but search: for questions that are many and small.
    pub(crate) fn plain() -> Solver {
        Solver::configured(true)
    }

    fn configured(plain: bool) -> Solver {
        let mut cadical = CaDiCal::new();
        // Bounded variable addition needs steps that are no propagation.
        cadical.set("factor", 0);
        // Guessing whole assignments first ("lucky phases", local search) costs more than most of these questions, which are many and small.
        cadical.set("lucky", 0);
        cadical.set("walk", 0);
        if plain {
            cadical.configure("plain");
        }
        let hearing = Rc::new(RefCell::new(Hearing::default()));
        cadical.connect_proof_tracer1(Listener(Rc::clone(&hearing)), true, false);
        let watched = Rc::new(RefCell::new(Budget::unlimited()));
        cadical.connect_terminator(Watch(Rc::clone(&watched)));
        Solver {
            cadical,
            watched,
            hearing,
            variables: 0,
            declared: 0,
            waiting: Vec::new(),
        }
    }

    pub(crate) fn fresh(&mut self) -> Lit {
        self.variables += 1;
        Lit(self.variables)
    }

    pub(crate) fn clause(&mut self, literals: &[Lit]) {
        self.waiting.extend(literals.iter().map(|literal| literal.0));
        self.waiting.push(0);
    }

    /// Tells the solver, and the checker of its proof, what has been said so far.
    fn tell(&mut self) {
        while self.declared < self.variables {
            self.declared = self.cadical.declare_one_more_variable();
        }
        let waiting = std::mem::take(&mut self.waiting);
        for clause in waiting.split_inclusive(|&literal| literal == 0) {
            self.hearing
                .borrow_mut()
                .checker
                .input(&clause[..clause.len() - 1]);
            for &literal in clause {
                self.cadical.add(literal);
            }
        }
    }

    /// Whether the clauses and the assumptions have a model. "No" has been proved.
    pub(crate) fn satisfiable(&mut self, assumptions: &[Lit], budget: &Budget) -> Result<bool, NoAnswer> {
        loop {
            if let Some(answer) = self.try_for(CONFLICTS_PER_CALL, assumptions, budget)? {
                return Ok(answer);
            }
        }
    }

    /// The same, given up after so many conflicts.
    pub(crate) fn try_for(
        &mut self,
        conflicts: i32,
        assumptions: &[Lit],
        budget: &Budget,
    ) -> Result<Option<bool>, NoAnswer> {
        budget.check_now().map_err(NoAnswer::Spent)?;
        self.tell();
        self.hearing.borrow_mut().concluding = None;
        self.watched.replace(budget.same_limits());
        for literal in assumptions {
            self.cadical.assume(literal.0);
        }
        self.cadical.limit("conflicts", conflicts);
        match self.cadical.solve() {
            Status::SATISFIABLE => Ok(Some(true)),
            Status::UNSATISFIABLE => {
                self.cadical.conclude();
                let assumed: Vec<i32> = assumptions.iter().map(|literal| literal.0).collect();
                self.proved(&assumed).map(|()| Some(false))
            }
            Status::UNKNOWN => budget.check_now().map(|()| None).map_err(NoAnswer::Spent),
        }
    }

    /// Whether the proof heard so far is right and excludes the assumptions.
    fn proved(&self, assumptions: &[i32]) -> Result<(), NoAnswer> {
        let hearing = self.hearing.borrow();
        if let Some(objection) = &hearing.objection {
            return Err(NoAnswer::BadProof(objection.clone()));
        }
        let excluded = |id: i64| hearing.checker.excludes(id, assumptions);
        if hearing.checker.is_refuted() || hearing.concluding.is_some_and(excluded) {
            Ok(())
        } else {
            Err(NoAnswer::BadProof(Rejected::Unfinished))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::rngs::StdRng;
    use rand::{Rng, SeedableRng};

    /// Whether some assignment of the variables satisfies all clauses.
    fn truth_table(variables: usize, clauses: &[Vec<i32>]) -> bool {
        (0..1u32 << variables).any(|bits| {
            let holds = |literal: &i32| (bits >> (literal.unsigned_abs() - 1) & 1 == 1) == (*literal > 0);
            clauses.iter().all(|clause| clause.iter().any(holds))
        })
    }

    #[test]
    fn every_no_is_proved_and_every_answer_is_right() {
        let mut random = StdRng::seed_from_u64(5);
        let mut unsatisfiable = 0;
        for _ in 0..400 {
            let variables = random.random_range(3..12);
            let mut solver = Solver::new();
            let literals: Vec<Lit> = (0..variables).map(|_| solver.fresh()).collect();
            let mut clauses: Vec<Vec<i32>> = Vec::new();
            // Clauses come in rounds, with questions under assumptions in between.
            for _ in 0..3 {
                for _ in 0..random.random_range(variables..3 * variables) {
                    let length = random.random_range(1..5);
                    let pick = |random: &mut StdRng| {
                        literals[random.random_range(0..variables)].flipped_if(random.random_bool(0.5))
                    };
                    let clause: Vec<Lit> = (0..length).map(|_| pick(&mut random)).collect();
                    if length > 1 || random.random_bool(0.2) {
                        solver.clause(&clause);
                        clauses.push(clause.iter().map(|literal| literal.0).collect());
                    }
                }
                let assumptions: Vec<Lit> = (0..random.random_range(0..4))
                    .map(|_| literals[random.random_range(0..variables)].flipped_if(random.random_bool(0.5)))
                    .collect();
                let mut asked = clauses.clone();
                asked.extend(assumptions.iter().map(|literal| vec![literal.0]));
                let answer = solver.satisfiable(&assumptions, &Budget::unlimited());
                assert_eq!(answer, Ok(truth_table(variables, &asked)));
                unsatisfiable += usize::from(answer == Ok(false));
            }
        }
        assert!(unsatisfiable > 200, "{unsatisfiable}");
    }

    /// Pigeons in one hole too few: refutations that need search.
    #[test]
    fn a_long_refutation_is_proved() {
        let mut solver = Solver::new();
        let (pigeons, holes) = (8, 7);
        let sits: Vec<Vec<Lit>> = (0..pigeons)
            .map(|_| (0..holes).map(|_| solver.fresh()).collect())
            .collect();
        for pigeon in &sits {
            solver.clause(pigeon);
        }
        for (first, pigeon) in sits.iter().enumerate() {
            for other in &sits[..first] {
                for (&here, &there) in pigeon.iter().zip(other) {
                    solver.clause(&[!here, !there]);
                }
            }
        }
        assert_eq!(solver.satisfiable(&[], &Budget::unlimited()), Ok(false));
        assert!(solver.hearing.borrow().checker.is_refuted());
    }
}
