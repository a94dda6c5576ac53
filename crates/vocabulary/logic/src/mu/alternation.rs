//! Alternation depth (chapter 26, definition 1) and the classes Sigma and Pi.
//!
//! In a well-named formula, `X` *depends on* an outer variable `Y` if `Y` occurs free in the fixpoint that binds `X`. The
//! depth of a variable is the length of the longest chain of dependent variables of alternating kind that ends with it as
//! the outermost; the depth of a formula is the largest depth of its variables. Fixpoints that are merely nested, without
//! the dependence, do not alternate: that is what makes `mu X. (nu Y. p & <>Y) | <>X` depth 1.
//!
//! The rank of a variable in the verification game (max parity, even wins for the formula) follows from its depth.

use super::{Fixpoint, Mu, MuNode, MuVar};
use crate::nesting::deep;
use hashbrown::{HashMap, HashSet};

/// A bound variable with what the alternation analysis says about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoundVariable {
    /// The variable.
    pub variable: MuVar,
    /// Least or greatest.
    pub fixpoint: Fixpoint,
    /// Length of the longest alternating chain of dependent variables that it is the outermost of; at least 1.
    pub depth: usize,
}

impl BoundVariable {
    /// Its rank in the verification game: even for `nu`, odd for `mu`, larger where more alternation is below.
    pub fn rank(&self) -> usize {
        let even = self.depth / 2 * 2;
        match self.fixpoint {
            Fixpoint::Greatest => even,
            Fixpoint::Least => even + 1,
        }
    }
}

/// The alternation structure of a formula.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alternation {
    /// The bound variables, inner ones first.
    pub variables: Vec<BoundVariable>,
}

impl Alternation {
    /// The alternation depth: 0 without fixpoints, 1 if alternation-free.
    pub fn depth(&self) -> usize {
        self.variables.iter().map(|bound| bound.depth).max().unwrap_or(0)
    }

    /// Whether the formula is in Sigma_n: no alternating chain is longer than `n`, those with `nu` outermost are shorter.
    pub fn in_sigma(&self, n: usize) -> bool {
        self.within(n, Fixpoint::Least)
    }

    /// Whether the formula is in Pi_n: no alternating chain is longer than `n`, those with `mu` outermost are shorter.
    pub fn in_pi(&self, n: usize) -> bool {
        self.within(n, Fixpoint::Greatest)
    }

    fn within(&self, n: usize, outermost: Fixpoint) -> bool {
        self.variables
            .iter()
            .all(|bound| bound.depth + usize::from(bound.fixpoint != outermost) <= n)
    }

    /// What is known of a variable.
    pub fn of(&self, variable: &MuVar) -> Option<&BoundVariable> {
        self.variables.iter().find(|bound| bound.variable == *variable)
    }
}

impl<A: Clone> Mu<A> {
    /// The alternation structure of the formula, renamed by [`Mu::well_named`] first.
    pub fn alternation(&self) -> Alternation {
        let mut analysis = Analysis::default();
        analysis.visit(&self.well_named());
        Alternation {
            variables: analysis.done,
        }
    }

    /// The alternation depth.
    pub fn alternation_depth(&self) -> usize {
        self.alternation().depth()
    }
}

#[derive(Default)]
struct Analysis {
    done: Vec<BoundVariable>,
    /// For a variable whose binder is being visited: the depths of the inner variables that depend on it, with their kinds.
    dependants: HashMap<MuVar, Vec<(Fixpoint, usize)>>,
}

impl Analysis {
    /// Visits inner binders first and returns the free variables.
    fn visit<A>(&mut self, formula: &Mu<A>) -> HashSet<MuVar> {
        deep(|| match formula.node() {
            MuNode::Variable(variable) => HashSet::from_iter([variable.clone()]),
            MuNode::Fixpoint(fixpoint, variable, body) => {
                let mut free = self.visit(body);
                free.remove(variable);
                let below = self.dependants.remove(variable).unwrap_or_default();
                let depth = below
                    .into_iter()
                    .map(|(kind, depth)| depth + usize::from(kind != *fixpoint))
                    .max()
                    .unwrap_or(1);
                for outer in &free {
                    self.dependants
                        .entry(outer.clone())
                        .or_default()
                        .push((*fixpoint, depth));
                }
                self.done.push(BoundVariable {
                    variable: variable.clone(),
                    fixpoint: *fixpoint,
                    depth,
                });
                free
            }
            _ => {
                let mut free = HashSet::new();
                for operand in formula.operands() {
                    free.extend(self.visit(operand));
                }
                free
            }
        })
    }
}
