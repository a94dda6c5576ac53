//! CaDiCaL behind the few calls that a proof checker needs.

use cadical_sys::{CaDiCal, Status};
use entail_budget::{Budget, Spent};

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
    /// This literal, or its complement if `flip`.
    pub(crate) fn flipped_if(self, flip: bool) -> Lit {
        if flip { !self } else { self }
    }
}

/// A SAT solver.
pub(crate) struct Solver {
    cadical: CaDiCal,
}

impl Solver {
    pub(crate) fn new() -> Solver {
        Solver {
            cadical: CaDiCal::new(),
        }
    }

    pub(crate) fn fresh(&mut self) -> Lit {
        Lit(self.cadical.declare_one_more_variable())
    }

    pub(crate) fn clause(&mut self, literals: &[Lit]) {
        for literal in literals {
            self.cadical.add(literal.0);
        }
        self.cadical.add(0);
    }

    /// Whether the clauses and the assumptions have a model.
    pub(crate) fn satisfiable(&mut self, assumptions: &[Lit], budget: &Budget) -> Result<bool, Spent> {
        loop {
            budget.check_now()?;
            for literal in assumptions {
                self.cadical.assume(literal.0);
            }
            self.cadical.limit("conflicts", CONFLICTS_PER_CALL);
            match self.cadical.solve() {
                Status::SATISFIABLE => return Ok(true),
                Status::UNSATISFIABLE => return Ok(false),
                Status::UNKNOWN => {}
            }
        }
    }
}
