//! Edges become commands: guards, rates, probabilities, and assignments in the order of their indices.

use crate::composition::{action_id, in_all_ways};
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

/// An edge with the names and locations of its automaton.
#[derive(Clone, Copy)]
pub(crate) struct Part<'e> {
    pub edge: &'e Json,
    pub local: &'e Local,
    pub places: &'e Places,
}

impl Part<'_> {
    fn place(&self, name: &Json) -> Read<i64> {
        let found = self.places.1.get(name.text()?);
        found.copied().ok_or_else(|| name.wrong("the name of a location"))
    }
}

impl Lowering<'_> {
    /// The command that an edge is, or that several edges of different automata are which are always taken together.
    pub fn edge(
        &self,
        parts: &[Part<'_>],
        network: &mut Network,
        (component, position): (usize, usize),
        assigned: &mut Vec<Assigned>,
    ) -> Read<Command> {
        let (mut guard, mut rate) = (Expr::truth(), None);
        for part in parts {
            if let Some(var) = part.places.0 {
                let here = Expr::from(part.place(part.edge.need("location")?)?);
                guard = guard.and(Expr::binary(BinaryOp::Eq, Expr::Var(var), here));
            }
            if let Some(written) = part.edge.get("guard") {
                guard = guard.and(self.scope.expr_of(written.need("exp")?, part.local, Sort::Bool)?);
            }
            if let Some(written) = part.edge.get("rate") {
                let own = self.scope.expr_of(written.need("exp")?, part.local, Sort::Real)?;
                rate = Some(product(rate, own));
            }
        }
        let first = parts[0].edge;
        let kind = match (self.kind, &rate) {
            (Kind::Ctmc, _) | (Kind::Ma, Some(_)) => CommandKind::Markovian,
            (_, Some(_)) => return Err(first.wrong("an edge without a rate in a discrete model")),
            _ => CommandKind::Probabilistic,
        };
        let action = match first.get("action") {
            Some(action) => Some(action_id(network, action.text()?)),
            None => None,
        };
        let mut branches = Vec::new();
        let destinations =
            (parts.iter()).map(|part| Ok(part.edge.need("destinations")?.list()?.iter().collect()));
        for destinations in in_all_ways(&destinations.collect::<Read<Vec<_>>>()?) {
            let mut weight = rate.clone();
            for (part, destination) in parts.iter().zip(&destinations) {
                if let Some(probability) = destination.get("probability") {
                    let own = (self.scope).expr_of(probability.need("exp")?, part.local, Sort::Real)?;
                    weight = Some(product(weight, own));
                }
            }
            for (sampled, chance) in self.samples(parts, &destinations)? {
                self.scope.chosen.borrow_mut().extend(sampled);
                let (mut assignments, values) = self.assignments(parts, &destinations)?;
                for (part, destination) in parts.iter().zip(&destinations) {
                    if let Some(var) = part.places.0 {
                        assignments.push((var, Expr::from(part.place(destination.need("location")?)?)));
                    }
                }
                if !values.is_empty() {
                    assigned.push(Assigned {
                        component,
                        command: position,
                        branch: branches.len(),
                        values,
                    });
                }
                let weight = match chance.is_one() {
                    true => weight.clone(),
                    false => Some(product(weight.clone(), Expr::from(chance))),
                };
                branches.push(Branch {
                    weight: weight.unwrap_or_else(|| Expr::from(1)),
                    upper: None,
                    assignments,
                    rewards: Vec::new(),
                    place: destinations[0].head(),
                });
            }
        }
        Ok(Command {
            action,
            kind,
            guard,
            branches,
            place: first.head(),
        })
    }

    /// An expression with names for the values that variables have before the step, whatever is assigned to them in the step.
    fn as_before(&self, expr: &Expr) -> Expr {
        let half = (self.scope.variables.len() / 2) as u32;
        expr.substitute(&|var| Some(Expr::Var(VarId(var.0 + half))))
    }

    /// The variable whose value before the step has this name; nothing if it is no such name.
    fn now(&self, var: VarId) -> Option<VarId> {
        let half = (self.scope.variables.len() / 2) as u32;
        var.0.checked_sub(half).map(VarId)
    }

    /// Assignments of all edges in the order of their indices: later ones see what earlier ones assigned, also those of other automata.
    #[allow(clippy::type_complexity)]
    fn assignments(
        &self,
        parts: &[Part<'_>],
        destinations: &[&Json],
    ) -> Read<(Vec<(VarId, Expr)>, Vec<(String, Expr)>)> {
        let mut ordered: Vec<(i64, usize, &Json)> = Vec::new();
        for (part, destination) in destinations.iter().enumerate() {
            for assignment in destination.elements("assignments")? {
                ordered.push((index_of(assignment), part, assignment));
            }
        }
        ordered.sort_by_key(|(index, ..)| *index);
        let mut done: Vec<(VarId, Expr)> = Vec::new();
        let mut transients: Vec<(String, Expr)> = Vec::new();
        let mut pending: Vec<(VarId, Expr)> = Vec::new();
        let mut current = ordered.first().map_or(0, |(index, ..)| *index);
        // Transient variables that were assigned earlier have these values.
        let mut locals: Vec<Local> = parts.iter().map(|part| part.local.clone()).collect();
        for (index, part, assignment) in ordered {
            if index != current {
                merge(&mut done, std::mem::take(&mut pending));
                for local in &mut locals {
                    local.extend(
                        transients
                            .iter()
                            .map(|(name, value)| (name.clone(), self.as_before(value))),
                    );
                }
                current = index;
            }
            let local = &locals[part];
            let before = &done;
            let after_earlier = |expr: Expr| {
                expr.substitute(&|var| match self.now(var) {
                    Some(now) => Some(Expr::Var(now)),
                    None => {
                        let known = before.iter().find(|(other, _)| *other == var);
                        known.map(|(_, expr)| expr.clone())
                    }
                })
            };
            let target = assignment.need("ref")?;
            let value = assignment.need("value")?;
            if let Some(elements) = self.assigned_parts(target, value, local)? {
                for (var, assigned) in elements {
                    let so_far = pending.iter().position(|(other, _)| *other == var);
                    let old =
                        so_far.map_or_else(|| after_earlier(Expr::Var(var)), |at| pending.swap_remove(at).1);
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
            let value = after_earlier(self.scope.expr(value, local)?);
            let name = target.text()?;
            if self.defaults.contains_key(name) {
                transients.retain(|(known, _)| known != name);
                transients.push((name.to_owned(), value));
                continue;
            }
            let var = self.scope.variable(name, local);
            let var = var.ok_or_else(|| target.wrong("a variable"))?;
            if parts.len() > 1 && pending.iter().any(|(other, _)| *other == var) {
                return Err(target.wrong("a variable that no other assignment of the step has"));
            }
            pending.push((var, value));
        }
        merge(&mut done, pending);
        Ok((done, transients))
    }
}

/// A product that may have no factor yet.
fn product(so_far: Option<Expr>, factor: Expr) -> Expr {
    match so_far {
        Some(so_far) => Expr::binary(BinaryOp::Mul, so_far, factor),
        None => factor,
    }
}

/// Whether the edges of one automaton read what those of another assign earlier in the same step.
pub(crate) fn hand_over(writers: &[&Json], readers: &[&Json], globals: &[&str]) -> Read<bool> {
    let mut written: Vec<(&str, i64)> = Vec::new();
    for assignment in assignments_of(writers)? {
        let target = assignment.need("ref")?;
        // A part of a value changes the value.
        let mut whole = target;
        while let Some(inner) = whole.get("exp") {
            whole = inner;
        }
        let name = whole.text()?;
        if globals.contains(&name) {
            written.push((name, index_of(assignment)));
        }
    }
    for assignment in assignments_of(readers)? {
        let index = index_of(assignment);
        let target = assignment.need("ref")?;
        let value = assignment.need("value")?;
        let handed = |&(name, earlier): &(&str, i64)| {
            earlier < index && (mentions(value, name) || indices_mention(target, name))
        };
        if written.iter().any(handed) {
            return Ok(true);
        }
    }
    Ok(false)
}

fn assignments_of<'e>(edges: &[&'e Json]) -> Read<Vec<&'e Json>> {
    let mut found = Vec::new();
    for edge in edges {
        for destination in edge.need("destinations")?.list()? {
            found.extend(destination.elements("assignments")?);
        }
    }
    Ok(found)
}

/// The index of an assignment: those with smaller ones come first.
fn index_of(assignment: &Json) -> i64 {
    match assignment.get("index").map(|index| &index.node) {
        Some(Node::Number(text)) => text.parse().unwrap_or(0),
        _ => 0,
    }
}

/// Whether a name stands in an index of what is assigned to.
fn indices_mention(target: &Json, name: &str) -> bool {
    let mut whole = Some(target);
    while let Some(part) = whole {
        if part.get("index").is_some_and(|index| mentions(index, name)) {
            return true;
        }
        whole = part.get("exp");
    }
    false
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
