//! What every SAT solver here can do.
//!
//! The interface is incremental: clauses are added between calls, each call has assumptions of its own and, optionally, one
//! clause that is only required in that call (`constraint`, as CaDiCaL's `constrain`). After `Satisfiable` the solver has
//! values; after `Unsatisfiable` it says which assumptions it needed.

use crate::{Lit, Var};
use entail_budget::{Budget, Spent};

/// The answer of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// There is a model; ask for values.
    Satisfiable,
    /// There is none; ask for the failed assumptions.
    Unsatisfiable,
    /// The call's conflict limit was reached.
    Unknown,
}

/// One call's question beyond the clauses.
#[derive(Clone, Copy, Debug, Default)]
pub struct Query<'a> {
    /// Literals assumed true.
    pub assumptions: &'a [Lit],
    /// A clause required in this call only; empty means none.
    pub constraint: &'a [Lit],
    /// Give up after so many conflicts.
    pub conflict_limit: Option<u64>,
}

/// An incremental SAT solver.
pub trait SatSolver {
    /// A new variable; numbers are consecutive.
    fn new_var(&mut self) -> Var;

    /// How many variables there are.
    fn variables(&self) -> usize;

    /// Requires a clause from now on.
    fn add_clause(&mut self, literals: &[Lit]);

    /// Decides the clauses under a query.
    fn solve_query(&mut self, query: Query<'_>, budget: &Budget) -> Result<Answer, Spent>;

    /// The value of a literal after [`Answer::Satisfiable`]; `None` where it does not matter.
    fn value(&self, literal: Lit) -> Option<bool>;

    /// Whether the assumption was needed for [`Answer::Unsatisfiable`].
    fn failed(&self, assumption: Lit) -> bool;

    /// The value a variable is tried with first.
    fn set_phase(&mut self, literal: Lit);

    /// Whether the clauses have a model in which the assumptions are true.
    fn satisfiable(&mut self, assumptions: &[Lit], budget: &Budget) -> Result<bool, Spent> {
        let query = Query {
            assumptions,
            ..Query::default()
        };
        Ok(self.solve_query(query, budget)? == Answer::Satisfiable)
    }
}
