//! CaDiCaL behind our interface.
//!
//! CaDiCaL asks from time to time whether to go on; the answer is the budget's. Some of its inner loops ask rarely, so a call is also made in
//! slices of conflicts; what was learned in a slice is kept.

use crate::{Answer, Lit, Query, SatSolver, Var};
use cadical_sys::{CaDiCal, Status, Terminator};
use entail_budget::{Budget, Spent};
use std::cell::RefCell;
use std::rc::Rc;

/// Conflicts between two looks at the budget.
const SLICE: u64 = 5_000;

/// A CaDiCaL solver.
pub struct Cadical {
    cadical: CaDiCal,
    variables: usize,
    model: Vec<bool>,
    failed: Vec<Lit>,
    /// The budget of the current call.
    watched: Rc<RefCell<Budget>>,
}

struct Watch(Rc<RefCell<Budget>>);

impl Terminator for Watch {
    fn terminated(&mut self) -> bool {
        self.0.borrow().check().is_err()
    }
}

impl Default for Cadical {
    fn default() -> Cadical {
        Cadical::new()
    }
}

impl Cadical {
    /// A solver without clauses.
    pub fn new() -> Cadical {
        Cadical::over(CaDiCal::new())
    }

    /// The same over a solver that was set up otherwise and has no variables yet.
    pub(crate) fn over(mut cadical: CaDiCal) -> Cadical {
        let watched = Rc::new(RefCell::new(Budget::unlimited()));
        cadical.connect_terminator(Watch(Rc::clone(&watched)));
        Cadical {
            cadical,
            variables: 0,
            model: Vec::new(),
            failed: Vec::new(),
            watched,
        }
    }
}

impl SatSolver for Cadical {
    fn new_var(&mut self) -> Var {
        let declared = self.cadical.declare_one_more_variable();
        debug_assert_eq!(declared as usize, self.variables + 1);
        self.variables += 1;
        Var::new(self.variables - 1)
    }

    fn variables(&self) -> usize {
        self.variables
    }

    fn add_clause(&mut self, literals: &[Lit]) {
        for literal in literals {
            self.cadical.add(literal.to_dimacs());
        }
        self.cadical.add(0);
    }

    fn solve_query(&mut self, query: Query<'_>, budget: &Budget) -> Result<Answer, Spent> {
        let mut left = query.conflict_limit.unwrap_or(u64::MAX);
        self.watched.replace(budget.same_limits());
        loop {
            budget.check_now()?;
            for assumption in query.assumptions {
                self.cadical.assume(assumption.to_dimacs());
            }
            if !query.constraint.is_empty() {
                for literal in query.constraint {
                    self.cadical.constrain(literal.to_dimacs());
                }
                self.cadical.constrain(0);
            }
            let slice = left.min(SLICE);
            self.cadical.limit("conflicts", slice as i32);
            match self.cadical.solve() {
                Status::SATISFIABLE => {
                    self.model.clear();
                    for variable in 1..=self.variables as i32 {
                        let value = self.cadical.val(variable) > 0;
                        self.model.push(value);
                    }
                    return Ok(Answer::Satisfiable);
                }
                Status::UNSATISFIABLE => {
                    self.failed.clear();
                    for &assumption in query.assumptions {
                        if self.cadical.failed(assumption.to_dimacs()) {
                            self.failed.push(assumption);
                        }
                    }
                    return Ok(Answer::Unsatisfiable);
                }
                Status::UNKNOWN => {
                    budget.check_now()?;
                    left -= slice;
                    if left == 0 {
                        return Ok(Answer::Unknown);
                    }
                }
            }
        }
    }

    fn value(&self, literal: Lit) -> Option<bool> {
        let value = *self.model.get(literal.var().index())?;
        Some(value == literal.is_positive())
    }

    fn failed(&self, assumption: Lit) -> bool {
        self.failed.contains(&assumption)
    }

    fn set_phase(&mut self, literal: Lit) {
        self.cadical.phase(literal.to_dimacs());
    }
}
