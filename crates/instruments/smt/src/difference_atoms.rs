//! Between atoms about numbers and the graph of differences.
//!
//! Every variable of the tableau that is a constant, or one constant less another, is a difference of two nodes. As long as all bounds are
//! about such variables, of integers alone or of reals alone, and are whole numbers of moderate size, the graph decides them and the tableau is only
//! asked at the end: it takes the graph's values over, and the bounds with them, for whoever looks at values. The first atom of another kind
//! ends this for good, and so does a function or an array. (Integers beside reals need the tests of divisors on the tableau's rows; where
//! theories are combined, following paths costs more than it decides.)

use crate::core::ClauseRef;
use crate::differences::{Edge, Node, Weight};
use crate::rows::Consequence;
use crate::simplex::{Delta, FarkasConflict, SimplexVar};
use crate::solver::{FinalCheck, Solver};
use entail_first_order::Rational;
use entail_sat::Lit;

/// The edge that a bound of a difference is.
fn edge_of((plus, minus): (Node, Node), is_upper: bool, bound: &Delta) -> Option<Edge> {
    let weight = Weight::of(bound)?;
    Some(match is_upper {
        true => Edge {
            from: minus,
            to: plus,
            weight,
        },
        false => Edge {
            from: plus,
            to: minus,
            weight: weight.negated(),
        },
    })
}

impl Solver {
    /// Makes an atom known to the graph, or gives the graph up.
    pub(crate) fn enter_difference(&mut self, lit: Lit, var: SimplexVar, sides: [(bool, Delta); 2]) {
        let Some(differences) = &mut self.differences else {
            return;
        };
        let is_integer = self.simplex.is_integer[var];
        let edge = |(is_upper, bound): &(bool, Delta)| {
            let nodes = self.difference_of[var].filter(|_| differences.is_about(is_integer));
            edge_of(nodes?, *is_upper, bound)
        };
        match (edge(&sides[0]), edge(&sides[1])) {
            (Some(positive), Some(negative)) => {
                differences.add_atom(lit, positive, negative, is_integer);
            }
            _ => self.give_differences_up(),
        }
    }

    /// Leaves all bounds to the tableau, which is told everything once more.
    pub(crate) fn give_differences_up(&mut self) {
        if self.differences.is_some() {
            self.backtrack(0);
            self.differences = None;
            self.theory_head = 0;
        }
    }

    /// Requires a bound of the graph; nothing if there is no graph.
    pub(crate) fn require_difference(
        &mut self,
        var: SimplexVar,
        is_upper: bool,
        bound: &Delta,
        reason: Lit,
    ) -> Option<Result<(), FarkasConflict>> {
        let differences = self.differences.as_mut()?;
        let edge = edge_of(self.difference_of[var]?, is_upper, bound)?;
        let with_factor = |lit: Lit| (lit, Rational::one());
        let required = differences.require(edge, reason);
        Some(required.map_err(|cycle| cycle.into_iter().map(with_factor).collect()))
    }

    /// Decides atoms that new edges imply. A conflict, if there is one.
    pub(crate) fn propagate_differences(&mut self) -> Option<ClauseRef> {
        loop {
            let core = &self.core;
            let found = self.differences.as_mut()?.propagate(|lit| core.value(lit))?;
            for (implied, reasons) in found {
                let consequence = Consequence {
                    implied: (implied, Rational::one()),
                    reasons: reasons.into_iter().map(|lit| (lit, Rational::one())).collect(),
                };
                if let Some(conflict) = self.learn_consequence(consequence) {
                    return Some(conflict);
                }
            }
        }
    }

    /// Hands the graph's values and the bounds in force to the tableau.
    pub(crate) fn take_difference_values(&mut self) -> Option<FinalCheck> {
        let differences = self.differences.as_ref()?;
        let values: Vec<(SimplexVar, Delta)> = (0..self.simplex.count())
            .filter(|&var| self.is_leaf[var])
            .filter_map(|var| Some((var, differences.value(self.difference_of[var]?.0))))
            .collect();
        self.simplex.take_values(values);
        for position in 0..self.core.trail.len() {
            let lit = self.core.trail[position];
            let Some(atom) = &self.bound_atoms[lit.var().index()] else {
                continue;
            };
            let (var, side) = (
                atom.var,
                if lit.is_positive() {
                    &atom.positive
                } else {
                    &atom.negative
                },
            );
            let (is_upper, bound) = side.clone();
            if let Err(conflict) = self.simplex.assert_bound(var, is_upper, bound, lit) {
                let conflict = self.farkas_conflict(conflict);
                self.handle_conflict(conflict);
                return Some(FinalCheck::Again);
            }
        }
        None
    }
}
