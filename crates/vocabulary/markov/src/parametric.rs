//! Networks with parameters: constants that are left open, and what the network is once they have values.
//!
//! A parameter is a variable behind all others that no command changes. It may stand in weights and in values of rewards, and nowhere else: then the states
//! of a network are the same whatever the parameters are, as long as no weight becomes zero. States of such a network have no parameters: their
//! variables are those before.

use crate::expr::{Expr, VarId};
use crate::network::{Initial, Network};
use crate::{Rational, SemanticError};
use entail_source::Span;

/// A network with parameters.
#[derive(Clone, Debug)]
pub struct Parametric {
    network: Network,
    parameters: usize,
}

impl Parametric {
    /// A network of which the last variables are parameters. A parameter in a place where none may stand is an error.
    pub fn new(network: Network, parameters: usize) -> Result<Parametric, SemanticError> {
        let parametric = Parametric { network, parameters };
        let network = &parametric.network;
        let refuse = |expr: &Expr, place: Option<Span>, what: &str| match parametric.mentions(expr) {
            None => Ok(()),
            Some(name) => Err(SemanticError {
                message: format!("the parameter {name} stands in {what}"),
                place,
                state: None,
                help: Some(
                    "parameters of a region may stand in probabilities, rates and rewards only".to_owned(),
                ),
            }),
        };
        for command in network
            .components
            .iter()
            .flat_map(|component| &component.commands)
        {
            refuse(&command.guard, Some(command.place), "a guard")?;
            for branch in &command.branches {
                for (variable, value) in &branch.assignments {
                    if parametric.parameter(*variable).is_some() {
                        let message = "a parameter is changed";
                        return Err(SemanticError::new(message, branch.place, None));
                    }
                    refuse(value, Some(branch.place), "an update")?;
                }
                if branch.upper.is_some() {
                    let message = "parameters beside intervals of probabilities";
                    return Err(SemanticError::new(message, branch.place, None));
                }
            }
        }
        for structure in &network.rewards {
            for reward in &structure.states {
                refuse(&reward.guard, Some(reward.place), "the guard of a reward")?;
            }
            for reward in &structure.transitions {
                refuse(&reward.guard, Some(reward.place), "the guard of a reward")?;
            }
        }
        for (name, states) in &network.labels {
            refuse(states, None, &format!("the label \"{name}\""))?;
        }
        if let Initial::Predicate(states, place) = &network.initial {
            refuse(states, Some(*place), "the description of initial states")?;
        }
        Ok(parametric)
    }

    /// The network as it was read, parameters among its variables.
    pub fn network(&self) -> &Network {
        &self.network
    }

    /// How many parameters there are.
    pub fn parameters(&self) -> usize {
        self.parameters
    }

    /// The position among the parameters of a variable that is one.
    pub fn parameter(&self, variable: VarId) -> Option<usize> {
        variable
            .index()
            .checked_sub(self.network.variables.len() - self.parameters)
    }

    /// The name of a parameter.
    pub fn name(&self, parameter: usize) -> &str {
        let first = self.network.variables.len() - self.parameters;
        &self.network.variables[first + parameter].name
    }

    /// A parameter that an expression mentions.
    pub fn mentions(&self, expr: &Expr) -> Option<&str> {
        let mut found = None;
        expr.for_each_variable(&mut |variable| found = found.or(self.parameter(variable)));
        found.map(|parameter| self.name(parameter))
    }

    /// The network at a point: a value for each parameter.
    pub fn at(&self, point: &[Rational]) -> Network {
        let mut network = self.network.clone();
        let value = |variable: VarId| Some(Expr::from(point[self.parameter(variable)?].clone()));
        let set = |expr: &mut Expr| *expr = expr.substitute(&value);
        for command in network
            .components
            .iter_mut()
            .flat_map(|component| &mut component.commands)
        {
            for branch in &mut command.branches {
                set(&mut branch.weight);
                branch.rewards.iter_mut().for_each(|(_, value)| set(value));
            }
        }
        for structure in &mut network.rewards {
            structure
                .states
                .iter_mut()
                .for_each(|reward| set(&mut reward.value));
            (structure.transitions.iter_mut()).for_each(|reward| set(&mut reward.value));
        }
        let variables = network.variables.len() - self.parameters;
        network.variables.truncate(variables);
        if let Initial::Values(values) = &mut network.initial {
            values.truncate(variables);
        }
        network
    }
}

/// The corners of a box of points: each parameter at its least or greatest value. One corner where both are the same.
pub fn corners(low: &[Rational], high: &[Rational]) -> Vec<Vec<Rational>> {
    let mut found = vec![Vec::new()];
    for (low, high) in low.iter().zip(high) {
        let ends: &[&Rational] = if low == high { &[low] } else { &[low, high] };
        found = (found.iter())
            .flat_map(|corner: &Vec<Rational>| {
                ends.iter()
                    .map(move |&end| [corner.as_slice(), std::slice::from_ref(end)].concat())
            })
            .collect();
    }
    found
}

/// An outcome of a state's choice with the parameters left open.
#[derive(Clone, Debug)]
pub struct OpenOutcome<'m> {
    /// The weights that are multiplied, one of each command that takes part.
    pub factors: Vec<&'m Expr>,
    /// What is earned on the way, by reward structure, each to be added.
    pub rewards: Vec<&'m (usize, Expr)>,
    /// Where it leads.
    pub target: Vec<i64>,
}

impl Parametric {
    /// What can happen in a state, choice by choice, in the order of the reference interpreter: what each is called, and its outcomes. `interpreter` is
    /// that of the network at some point: what is enabled and what changes does not depend on parameters.
    #[allow(clippy::type_complexity)]
    pub fn open_choices(
        &self,
        interpreter: &crate::interpreter::Interpreter<'_>,
        state: &[i64],
    ) -> Result<Vec<(Option<crate::ActionId>, Vec<OpenOutcome<'_>>)>, SemanticError> {
        let mut found = Vec::new();
        for choice in interpreter.choices(state)? {
            let mut outcomes = vec![OpenOutcome {
                factors: Vec::new(),
                rewards: Vec::new(),
                target: state.to_vec(),
            }];
            for &(component, position) in &choice.commands {
                let command = &self.network.components[component].commands[position];
                let mut next = Vec::with_capacity(outcomes.len() * command.branches.len());
                for outcome in &outcomes {
                    for branch in &command.branches {
                        let mut own = outcome.clone();
                        own.factors.push(&branch.weight);
                        own.rewards.extend(&branch.rewards);
                        for (variable, expr) in &branch.assignments {
                            let wrong = |error: &dyn std::fmt::Display| {
                                let place = branch.place;
                                SemanticError::new(error.to_string(), place, None)
                            };
                            let value = self.network.eval(expr, state).map_err(|error| wrong(&error))?;
                            let stored = value.stored().ok_or_else(|| wrong(&"no value of a variable"))?;
                            if !self.network.variables[variable.index()].domain.contains(stored) {
                                return Err(wrong(&"a variable leaves its range"));
                            }
                            own.target[variable.index()] = stored;
                        }
                        next.push(own);
                    }
                }
                outcomes = next;
            }
            found.push((choice.action, outcomes));
        }
        Ok(found)
    }
}
