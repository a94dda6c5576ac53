//! CaDiCaL as the search of formulas that are mostly bits.
//!
//! Our own clause learning keeps a record and talks to the theories at every step; on thousands of gates CaDiCaL is far ahead. So where
//! words were translated to bits, all clauses (theory lemmas among them) are handed over from time to time. If they have no model, that is
//! the answer: the record gets the clause as a claim, and whoever checks the proof searches again, over an encoding of its own. If they
//! have one, its values become the phases of our search, which then walks to that assignment without a conflict, except those that the
//! theories raise; the lemmas from these are in the next call. Clauses are handed over once.

use crate::solver::Solver;
use entail_budget::{Budget, Spent};
use entail_first_order::Rule;
use entail_sat::{Cadical, Lit, Query, SatSolver};

/// Why a clause that CaDiCaL found is true.
const FOUND: Rule = Rule::Claimed("clauses were refuted by a search without a record");
/// Conflicts of our own before the first call, where the clauses are few or theories take part.
const PATIENCE: u64 = 500;
/// Conflicts of our own between later calls.
const INTERVAL: u64 = 2_000;
/// The same where the clauses are many and theories take part: lemmas on demand, each asked for with a model of all the others.
const SHORT_INTERVAL: u64 = 200;
/// So many clauses are handed over at once, without a conflict of our own.
const MANY_CLAUSES: usize = 5_000;
/// Conflicts of a call where theories take part: lemmas may be missing that make the question easy.
const MOST_CONFLICTS: u64 = 100_000;

/// The other solver, and what it knows.
pub(crate) struct Host {
    sat: Cadical,
    clauses: usize,
    units: usize,
}

impl Solver {
    /// Whether no theory but words takes part.
    fn is_propositional(&self) -> bool {
        self.congruence.is_empty() && self.simplex.count() == 0 && self.universals.is_empty()
    }

    fn has_many_clauses(&self) -> bool {
        self.core.clause_count() >= MANY_CLAUSES
    }

    /// A theory gave lemmas: a model of many clauses that meets them is not looked for here.
    pub(crate) fn expect_host(&mut self) {
        if self.host.is_some() && self.has_many_clauses() {
            self.host_due = Some(self.core.conflicts);
        }
    }

    /// Whether the clauses should be handed over now; the search is at level 0.
    pub(crate) fn is_host_due(&mut self) -> bool {
        if self.bits.is_empty() {
            return false;
        }
        let conflicts = self.core.conflicts;
        match self.host_due {
            Some(due) => conflicts >= due,
            None if self.has_many_clauses() => true,
            None => {
                self.host_due = Some(conflicts + PATIENCE);
                false
            }
        }
    }

    /// Asks for a model of the clauses under assumptions. If there is none, the assumptions that were needed, and the number of the
    /// clause that says so in the record.
    pub(crate) fn ask_host(
        &mut self,
        literals: &[Lit],
        budget: &Budget,
    ) -> Result<Option<(Vec<Lit>, u32)>, Spent> {
        let is_propositional = self.is_propositional();
        let host = self.host.get_or_insert_with(|| Host {
            sat: Cadical::new(),
            clauses: 0,
            units: 0,
        });
        while host.sat.variables() < self.core.variable_count() {
            host.sat.new_var();
        }
        for &unit in &self.core.trail[host.units..] {
            host.sat.add_clause(&[unit]);
        }
        host.units = self.core.trail.len();
        for index in host.clauses..self.core.clause_count() {
            if index % 1024 == 0 {
                budget.check_now()?;
            }
            if let Some(lits) = self.core.clause_literals(index) {
                host.sat.add_clause(lits);
            }
        }
        host.clauses = self.core.clause_count();
        let interval = match !is_propositional && self.core.clause_count() >= MANY_CLAUSES {
            true => SHORT_INTERVAL,
            false => INTERVAL,
        };
        self.host_due = Some(self.core.conflicts + interval);
        let query = Query {
            assumptions: literals,
            conflict_limit: (!is_propositional).then_some(MOST_CONFLICTS),
            ..Query::default()
        };
        match host.sat.solve_query(query, budget)? {
            entail_sat::Answer::Unknown => Ok(None),
            entail_sat::Answer::Satisfiable => {
                for var in 0..self.core.variable_count() {
                    let lit = entail_sat::Var::new(var).lit(true);
                    let value = host.sat.value(lit).unwrap_or(false);
                    self.core.set_phase(if value { lit } else { !lit });
                }
                Ok(None)
            }
            entail_sat::Answer::Unsatisfiable => {
                let mut needed: Vec<Lit> = (literals.iter().copied())
                    .filter(|&lit| host.sat.failed(lit))
                    .collect();
                needed.sort_unstable();
                needed.dedup();
                let clause: Vec<Lit> = needed.iter().map(|&lit| !lit).collect();
                let id = match &mut self.core.record {
                    Some(record) => record.input(&clause, FOUND),
                    None => 0,
                };
                self.core.is_refuted |= needed.is_empty();
                Ok(Some((needed, id)))
            }
        }
    }
}
