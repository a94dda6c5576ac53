//! Assignments that depend on each other.
//!
//! `x := y; y := x` says nothing that an assignment should say, and NuSMV refuses it. Two graphs are searched for
//! cycles: current and initial values depending on current values, and next values depending on next values.

use super::Elaborator;
use super::failure::cone;
use super::statements::{Assignment, terms_of};
use crate::syntax::ast::AssignKind;
use entail_model::{Op, VarId};
use entail_source::{Diagnostic, Span};
use rustc_hash::FxHashMap;

/// For each assigned variable: where, and what it depends on.
type Graph = FxHashMap<VarId, (Span, Vec<VarId>)>;

impl Elaborator<'_> {
    pub(super) fn check_circular(&mut self, assignments: &[Assignment]) {
        let (mut now, mut later): (Graph, Graph) = Default::default();
        for assignment in assignments {
            let next = assignment.kind == AssignKind::Next;
            let terms = terms_of(self.names, &assignment.value);
            if next && !terms.iter().any(|&term| self.leaves(term).next) {
                continue;
            }
            let mut depends = Vec::new();
            for term in terms {
                for below in cone(&self.system.terms, term) {
                    match self.system.terms.op(below) {
                        Op::Current(variable) if !next => depends.push(*variable),
                        Op::Next(variable) if next => depends.push(*variable),
                        _ => {}
                    }
                }
            }
            let graph = if next { &mut later } else { &mut now };
            let entry = graph
                .entry(assignment.variable)
                .or_insert((assignment.span, Vec::new()));
            entry.1.append(&mut depends);
        }
        for graph in [now, later] {
            if let Some(cycle) = find_cycle(&graph) {
                self.report_cycle(&graph, &cycle);
            }
        }
    }

    fn report_cycle(&mut self, graph: &Graph, cycle: &[VarId]) {
        let names: Vec<String> = cycle
            .iter()
            .chain(cycle.first())
            .map(|&variable| format!("`{}`", self.system.variable(variable).name))
            .collect();
        let mut spans = cycle.iter().map(|variable| graph[variable].0);
        let mut diagnostic = Diagnostic::error(
            "smv::circular",
            format!("circular assignment: {}", names.join(" depends on ")),
            spans.next().unwrap_or_default(),
            "assigned here",
        );
        for span in spans.take(4) {
            diagnostic = diagnostic.with_label(span, "and here");
        }
        self.report(diagnostic);
    }
}

/// Depth-first search with its own stack; a node on the stack met again closes a cycle.
fn find_cycle(graph: &Graph) -> Option<Vec<VarId>> {
    #[derive(Clone, Copy, PartialEq)]
    enum State {
        Open,
        Done,
    }
    let mut states: FxHashMap<VarId, State> = FxHashMap::default();
    let mut roots: Vec<VarId> = graph.keys().copied().collect();
    roots.sort_unstable();
    for root in roots {
        if states.contains_key(&root) {
            continue;
        }
        let mut stack: Vec<(VarId, usize)> = vec![(root, 0)];
        states.insert(root, State::Open);
        while let Some((variable, position)) = stack.last_mut() {
            let successors = graph.get(variable).map_or(&[][..], |(_, depends)| depends);
            let Some(&successor) = successors.get(*position) else {
                states.insert(*variable, State::Done);
                stack.pop();
                continue;
            };
            *position += 1;
            if !graph.contains_key(&successor) {
                continue;
            }
            match states.get(&successor) {
                Some(State::Done) => {}
                Some(State::Open) => {
                    let from = stack.iter().position(|&(variable, _)| variable == successor)?;
                    return Some(stack[from..].iter().map(|&(variable, _)| variable).collect());
                }
                None => {
                    states.insert(successor, State::Open);
                    stack.push((successor, 0));
                }
            }
        }
    }
    None
}
