//! Equation systems: the vectorial form of the mu-calculus.
//!
//! A formula becomes one equation per fixpoint, `X =mu f` or `X =nu f`, whose right-hand side mentions other variables
//! instead of nested fixpoints. The equations are ordered, outermost first: the solution of the first is a fixpoint in which
//! the rest is solved anew for every value of its variable. The form is linear in the formula, whereas going back
//! ([`EquationSystem::to_formula`], Bekić's principle) may copy right-hand sides and grow exponentially.

use super::{Fixpoint, Mu, MuNode, MuVar};
use crate::nesting::deep;

/// One equation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Equation<A> {
    /// The variable it defines.
    pub variable: MuVar,
    /// Whether the least or the greatest solution is meant.
    pub fixpoint: Fixpoint,
    /// A formula without fixpoints.
    pub body: Mu<A>,
}

/// An ordered system of equations with a formula over its variables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EquationSystem<A> {
    /// The equations, outermost first.
    pub equations: Vec<Equation<A>>,
    /// What is asked: a formula without fixpoints over the variables.
    pub goal: Mu<A>,
}

impl<A: Clone> Mu<A> {
    /// The formula as a system of equations, one for each fixpoint. Variables are renamed by [`Mu::well_named`] first.
    pub fn to_equations(&self) -> EquationSystem<A> {
        let mut equations = Vec::new();
        let goal = self.well_named().flatten_into(&mut equations);
        EquationSystem {
            equations: equations.into_iter().flatten().collect(),
            goal,
        }
    }

    /// Replaces fixpoints by their variables, collecting equations. Each gets its place before its body is visited.
    fn flatten_into(&self, equations: &mut Vec<Option<Equation<A>>>) -> Mu<A> {
        deep(|| match self.node() {
            MuNode::Fixpoint(fixpoint, variable, body) => {
                let place = equations.len();
                equations.push(None);
                let body = body.flatten_into(equations);
                equations[place] = Some(Equation {
                    variable: variable.clone(),
                    fixpoint: *fixpoint,
                    body,
                });
                Mu::variable(variable)
            }
            _ => self.map_operands(|operand| operand.flatten_into(equations)),
        })
    }
}

impl<A: Clone> EquationSystem<A> {
    /// One formula with the same meaning, by Bekić's principle: the innermost equation becomes a fixpoint formula, which is
    /// put into the others, and so on outwards.
    pub fn to_formula(&self) -> Mu<A> {
        let mut bodies: Vec<Mu<A>> = self
            .equations
            .iter()
            .map(|equation| equation.body.clone())
            .collect();
        let mut goal = self.goal.clone();
        for (index, equation) in self.equations.iter().enumerate().rev() {
            let solved = bodies[index].fixpoint(equation.fixpoint, &equation.variable);
            // An outer equation may use this variable, and so may an inner one that was solved before: it is free in
            // what that one left behind.
            for body in &mut bodies[..index] {
                *body = body.substitute(&equation.variable, &solved);
            }
            goal = goal.substitute(&equation.variable, &solved);
        }
        goal
    }
}
