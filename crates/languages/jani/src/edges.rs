//! Edges become commands: guards, rates, probabilities, and assignments in the order of their indices.

use crate::composition::action_id;
use crate::json::{Json, Node, Read};
use crate::locations::Places;
use crate::scope::Local;
use crate::variables::Lowering;
use entail_markov::{BinaryOp, Branch, Command, CommandKind, Expr, Kind, Network, Sort, VarId};

/// What edges assign to transient variables, branch by branch.
pub(crate) struct Assigned {
    pub component: usize,
    pub command: usize,
    pub branch: usize,
    pub values: Vec<(String, Expr)>,
}

impl Lowering<'_> {
    /// The command that an edge is.
    pub fn edge(
        &self,
        edge: &Json,
        local: &Local,
        (location, numbers): &Places,
        network: &mut Network,
        (component, position): (usize, usize),
        assigned: &mut Vec<Assigned>,
    ) -> Read<Command> {
        let place = |name: &Json| -> Read<i64> {
            let found = numbers.get(name.text()?);
            found.copied().ok_or_else(|| name.wrong("the name of a location"))
        };
        let mut guard = match location {
            Some(var) => Expr::binary(
                BinaryOp::Eq,
                Expr::Var(*var),
                Expr::from(place(edge.need("location")?)?),
            ),
            None => Expr::truth(),
        };
        if let Some(written) = edge.get("guard") {
            guard = guard.and(self.scope.expr_of(written.need("exp")?, local, Sort::Bool)?);
        }
        let rate = match edge.get("rate") {
            Some(rate) => Some(self.scope.expr_of(rate.need("exp")?, local, Sort::Real)?),
            None => None,
        };
        let kind = match (self.kind, &rate) {
            (Kind::Ctmc, _) | (Kind::Ma, Some(_)) => CommandKind::Markovian,
            (_, Some(_)) => return Err(edge.wrong("an edge without a rate in a discrete model")),
            _ => CommandKind::Probabilistic,
        };
        let action = match edge.get("action") {
            Some(action) => Some(action_id(network, action.text()?)),
            None => None,
        };
        let mut branches = Vec::new();
        for destination in edge.need("destinations")?.list()? {
            let probability = match destination.get("probability") {
                Some(probability) => self.scope.expr_of(probability.need("exp")?, local, Sort::Real)?,
                None => Expr::from(1),
            };
            let weight = match &rate {
                Some(rate) => Expr::binary(BinaryOp::Mul, rate.clone(), probability),
                None => probability,
            };
            let joint = edge.get("action").is_some().then_some(component);
            let (mut assignments, values) = self.assignments(destination, local, joint)?;
            if let Some(var) = location {
                assignments.push((*var, Expr::from(place(destination.need("location")?)?)));
            }
            if !values.is_empty() {
                assigned.push(Assigned {
                    component,
                    command: position,
                    branch: branches.len(),
                    values,
                });
            }
            branches.push(Branch {
                weight,
                upper: None,
                assignments,
                rewards: Vec::new(),
                place: destination.head(),
            });
        }
        Ok(Command {
            action,
            kind,
            guard,
            branches,
            place: edge.head(),
        })
    }

    /// Notes which global names the edges of a component assign in steps that others may take part in.
    pub fn note_written(&mut self, automaton: &Json, component: usize, globals: &[&str]) -> Read<()> {
        for edge in automaton.need("edges")?.list()? {
            if edge.get("action").is_none() {
                continue;
            }
            for destination in edge.need("destinations")?.list()? {
                for assignment in destination.elements("assignments")? {
                    let target = assignment.need("ref")?;
                    // An element of an array changes the array.
                    let name = target.get("exp").unwrap_or(target).text()?;
                    if globals.contains(&name) {
                        let index = index_of(assignment);
                        self.written.push((name.to_owned(), component, index));
                    }
                }
            }
        }
        Ok(())
    }

    /// Refuses a value that reads what another component assigns earlier in the same step.
    fn refuse_handed_over(&self, assignment: &Json, component: usize) -> Read<()> {
        let value = assignment.need("value")?;
        let index = index_of(assignment);
        let handed = |(name, writer, earlier): &&(String, usize, i64)| {
            *writer != component && *earlier < index && mentions(value, name)
        };
        match self.written.iter().find(handed) {
            None => Ok(()),
            Some((name, ..)) => Err(value.refused(&format!(
                "values that one automaton hands to another within a step (`{name}`) are"
            ))),
        }
    }

    /// Assignments in the order of their indices: later ones see what earlier ones assigned.
    #[allow(clippy::type_complexity)]
    fn assignments(
        &self,
        destination: &Json,
        local: &Local,
        component: Option<usize>,
    ) -> Read<(Vec<(VarId, Expr)>, Vec<(String, Expr)>)> {
        let mut ordered: Vec<(i64, &Json)> = Vec::new();
        for assignment in destination.elements("assignments")? {
            if let Some(component) = component {
                self.refuse_handed_over(assignment, component)?;
            }
            ordered.push((index_of(assignment), assignment));
        }
        ordered.sort_by_key(|(index, _)| *index);
        let mut done: Vec<(VarId, Expr)> = Vec::new();
        let mut transients: Vec<(String, Expr)> = Vec::new();
        let mut pending: Vec<(VarId, Expr)> = Vec::new();
        let mut current = ordered.first().map_or(0, |(index, _)| *index);
        // Transient variables that were assigned earlier have these values.
        let mut local = local.clone();
        for (index, assignment) in ordered {
            if index != current {
                merge(&mut done, std::mem::take(&mut pending));
                local.extend(transients.iter().cloned());
                current = index;
            }
            let before = &done;
            let after_earlier = |expr: Expr| {
                expr.substitute(&|var| {
                    let known = before.iter().find(|(other, _)| *other == var);
                    known.map(|(_, expr)| expr.clone())
                })
            };
            let target = assignment.need("ref")?;
            let value = assignment.need("value")?;
            if let Some(elements) = self.assigned_elements(target, value, &local)? {
                for (var, assigned) in elements {
                    let so_far = pending.iter().position(|(other, _)| *other == var);
                    let old = so_far.map_or(Expr::Var(var), |at| pending.swap_remove(at).1);
                    let new = match assigned {
                        (None, value) => after_earlier(value),
                        (Some(condition), value) => {
                            Expr::choose(after_earlier(condition), after_earlier(value), old)
                        }
                    };
                    pending.push((var, new));
                }
                continue;
            }
            let value = after_earlier(self.scope.expr(value, &local)?);
            let name = target.text()?;
            if self.defaults.contains_key(name) {
                transients.retain(|(known, _)| known != name);
                transients.push((name.to_owned(), value));
                continue;
            }
            let var = self.scope.variable(name, &local);
            pending.push((var.ok_or_else(|| target.wrong("a variable"))?, value));
        }
        merge(&mut done, pending);
        Ok((done, transients))
    }
}

/// The index of an assignment: those with smaller ones come first.
fn index_of(assignment: &Json) -> i64 {
    match assignment.get("index").map(|index| &index.node) {
        Some(Node::Number(text)) => text.parse().unwrap_or(0),
        _ => 0,
    }
}

/// Whether a name stands in an expression.
fn mentions(json: &Json, name: &str) -> bool {
    let mut waiting = vec![json];
    while let Some(json) = waiting.pop() {
        match &json.node {
            Node::Text(text) if text == name => return true,
            Node::Object(members) => waiting.extend(members.iter().map(|(_, value)| value)),
            Node::List(elements) => waiting.extend(elements),
            _ => {}
        }
    }
    false
}

fn merge(done: &mut Vec<(VarId, Expr)>, pending: Vec<(VarId, Expr)>) {
    for (var, expr) in pending {
        done.retain(|(other, _)| *other != var);
        done.push((var, expr));
    }
}
