//! Satisfiability of a formula in DIMACS: a model that was evaluated, or a proof that was checked.
//!
//! "Satisfiable" is said only of a model under which every clause was evaluated true; "unsatisfiable" only after an independent checker has
//! accepted the solver's proof step by step. The clauses that the proof uses are a core.

use entail_budget::{Budget, Spent};
use entail_dimacs::Cnf;
use entail_proof::LratChecker;
use entail_sat::{Proof, ProofStep, SatSolver, TracedCadical, Var};

/// What is known about a formula.
#[derive(Clone, Debug)]
pub enum Satisfiability {
    /// It has models: each is a value for every variable. All there are, unless the limit was reached.
    Satisfiable {
        /// The models found.
        models: Vec<Vec<bool>>,
        /// There are no others.
        complete: bool,
    },
    /// It has none.
    Unsatisfiable {
        /// Positions of clauses that have no model together.
        core: Vec<usize>,
        /// The proof, accepted.
        proof: Proof,
    },
    /// Time or memory ran out.
    Unknown(Spent),
}

/// The solver was wrong: a bug.
#[derive(Debug, thiserror::Error)]
pub enum SatFailure {
    /// A clause is false in what was claimed to be a model.
    #[error("clause {0} is false in the solver's model")]
    WrongModel(usize),
    /// The proof was rejected.
    #[error("the solver's proof was rejected: {0}")]
    WrongProof(String),
}

/// Solves a formula, looking for at most so many models.
pub fn satisfiability(cnf: &Cnf, most_models: usize, budget: &Budget) -> Result<Satisfiability, SatFailure> {
    let mut solver = TracedCadical::new();
    let variables: Vec<Var> = (0..cnf.variables).map(|_| solver.new_var()).collect();
    let literal = |number: i32| variables[number.unsigned_abs() as usize - 1].lit(number > 0);
    for clause in &cnf.clauses {
        let clause: Vec<_> = clause.iter().map(|&number| literal(number)).collect();
        solver.add_clause(&clause);
    }
    let mut models: Vec<Vec<bool>> = Vec::new();
    loop {
        match solver.satisfiable(&[], budget) {
            Err(spent) if models.is_empty() => return Ok(Satisfiability::Unknown(spent)),
            Err(_) => {
                return Ok(Satisfiability::Satisfiable {
                    models,
                    complete: false,
                });
            }
            Ok(false) if models.is_empty() => break,
            Ok(false) => {
                return Ok(Satisfiability::Satisfiable {
                    models,
                    complete: true,
                });
            }
            Ok(true) => {
                let model: Vec<bool> = variables
                    .iter()
                    .map(|variable| solver.value(variable.lit(true)).unwrap_or(false))
                    .collect();
                let is_true = |number: &i32| model[number.unsigned_abs() as usize - 1] == (*number > 0);
                if let Some(wrong) = cnf.clauses.iter().position(|clause| !clause.iter().any(is_true)) {
                    return Err(SatFailure::WrongModel(wrong + 1));
                }
                let another: Vec<_> = variables
                    .iter()
                    .zip(&model)
                    .map(|(variable, &value)| variable.lit(!value))
                    .collect();
                models.push(model);
                if models.len() >= most_models {
                    return Ok(Satisfiability::Satisfiable {
                        models,
                        complete: false,
                    });
                }
                solver.add_clause(&another);
            }
        }
    }
    let proof = solver.with_proof(Proof::clone);
    accepted(cnf, &proof).map_err(SatFailure::WrongProof)?;
    let core = proof
        .core()
        .ok_or_else(|| SatFailure::WrongProof("it has no empty clause".into()))?;
    Ok(Satisfiability::Unsatisfiable { core, proof })
}

/// Whether a proof shows that the formula has no model.
fn accepted(cnf: &Cnf, proof: &Proof) -> Result<(), String> {
    let mut checker = LratChecker::new();
    for clause in &cnf.clauses {
        checker.input(clause);
    }
    for step in &proof.steps {
        let checked = match step {
            ProofStep::Original { id, clause } => checker.original(*id, clause),
            ProofStep::Derived { id, clause, hints } => checker.derive(*id, clause, hints),
            ProofStep::Deleted(id) => {
                checker.delete(*id);
                Ok(())
            }
        };
        checked.map_err(|rejected| rejected.to_string())?;
    }
    if checker.is_refuted() {
        Ok(())
    } else {
        Err("it does not derive the empty clause".into())
    }
}
