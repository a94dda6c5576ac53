//! Which elements are inside atomic sequences, what can be escaped from, and which steps that do nothing are left out.

use super::flow::{Element, ElementId, Flow, Node, Run};
use crate::syntax::ast::{ExprKind, StatementKind};
use crate::syntax::parser::{Fail, wrong};

impl Flow {
    /// Elements of a run, in order.
    pub fn elements_of(&self, run: Run) -> Vec<ElementId> {
        let mut found = vec![run.first];
        let mut at = run.first;
        while at != run.extent {
            match self.elements[at].next {
                Some(next) => at = next,
                None => break,
            }
            found.push(at);
        }
        found
    }

    /// Marks a run as atomic, or as one deterministic step; control is given back after its last statement.
    pub fn make_atomic(&mut self, run: Run, deterministic: bool) {
        self.walk_atomic(run, deterministic);
        let last = run.last;
        match self.elements[last].node {
            Node::Block | Node::Atomic => {
                let inner = self.elements[last].runs[0];
                self.make_atomic(inner, deterministic);
            }
            Node::Unless => {
                let inner = self.elements[last].runs[0];
                self.make_atomic(inner, deterministic);
            }
            _ => {
                self.elements[last].atomic = false;
                self.elements[last].ends_atomic = true;
            }
        }
    }

    fn walk_atomic(&mut self, run: Run, deterministic: bool) {
        let mut at = run.first;
        loop {
            self.elements[at].atomic = true;
            self.elements[at].in_d_step |= deterministic;
            // Atomic sequences inside are part of the outer one.
            let inner = match self.elements[at].node {
                Node::Atomic => true,
                Node::Deterministic => deterministic,
                _ => false,
            };
            if inner {
                self.elements[at].node = Node::Block;
            }
            if !matches!(self.elements[at].node, Node::Deterministic) {
                for inner in self.elements[at].runs.clone() {
                    self.walk_atomic(inner, deterministic);
                }
            }
            if at == run.last {
                break;
            }
            match self.elements[at].next {
                Some(next) => at = next,
                None => break,
            }
        }
    }

    /// Every statement of a run may be escaped from.
    pub fn attach_escape(&mut self, run: Run, escape: Run) {
        for element in self.elements_of(run) {
            self.escape_from(element, escape);
        }
    }

    fn escape_from(&mut self, id: ElementId, escape: Run) {
        let known = |element: &Element| element.escapes.iter().any(|other| other.first == escape.first);
        if known(&self.elements[id]) {
            return;
        }
        // What is escaped to can be escaped from as well.
        for inner in self.elements[id].escapes.clone() {
            self.attach_escape(inner, escape);
        }
        self.elements[id].escapes.insert(0, escape);
        let runs = self.elements[id].runs.clone();
        match self.elements[id].node {
            Node::Unless => self.attach_escape(runs[0], escape),
            Node::Choice | Node::Atomic | Node::Block => {
                runs.into_iter().for_each(|run| self.attach_escape(run, escape))
            }
            // Only before its first statement can a deterministic sequence be escaped from.
            Node::Deterministic => {}
            _ => {}
        }
    }

    /// Of several steps in a row that do nothing, the first is kept.
    pub fn prune_skips(&mut self, run: Run) {
        let mut in_a_row = 0;
        let mut before: Option<ElementId> = None;
        for id in self.elements_of(run) {
            let element = &self.elements[id];
            let (idle, prints) = match &element.node {
                Node::Step(kind, _) => match &**kind {
                    StatementKind::Expression(expr) => (matches!(expr.kind, ExprKind::Number(1)), false),
                    StatementKind::Print(..) | StatementKind::PrintMessage(_) => (true, true),
                    _ => (false, false),
                },
                _ => (false, false),
            };
            if !idle || !element.labels.is_empty() {
                in_a_row = 0;
                before = Some(id);
                continue;
            }
            in_a_row += 1;
            if in_a_row > 1
                && !prints
                && id != run.first
                && id != run.last
                && id != run.extent
                && let Some(before) = before
            {
                self.elements[before].next = self.elements[id].next;
                continue;
            }
            before = Some(id);
        }
    }

    /// Ties the ends of blocks to what follows them, and settles at which jumps control is given back.
    pub fn mend_jumps(&mut self, blocks: &[Option<u32>]) -> Result<(), Fail> {
        // From the outside in: what follows a block may itself be the end of one.
        for id in (0..self.elements.len()).rev() {
            let next = self.elements[id].next;
            match self.elements[id].node {
                Node::Block | Node::Atomic => {
                    let last = self.elements[id].runs[0].last;
                    if self.elements[last].next.is_none() {
                        self.elements[last].next = next;
                    }
                }
                Node::Deterministic => {
                    let run = self.elements[id].runs[0];
                    // What follows it matters to what is still needed of the variables.
                    self.elements.push(Element {
                        node: Node::Done,
                        next,
                        runs: Vec::new(),
                        escapes: Vec::new(),
                        in_d_step: true,
                        labels: Vec::new(),
                        ..self.elements[id].clone()
                    });
                    let done = self.elements.len() - 1;
                    self.elements[run.last].next = Some(done);
                }
                _ => {}
            }
        }
        for element in &mut self.elements {
            element.was_atomic = element.atomic;
        }
        for id in 0..self.elements.len() {
            let Node::Goto(label, block) = &self.elements[id].node else {
                continue;
            };
            let at = self.elements[id].origin;
            let Some(target) = self.target(label, *block, blocks) else {
                return Err(wrong(
                    at,
                    "promela::label",
                    format!("there is no label `{label}`"),
                    "jumped to here",
                    "put the label before a statement of this process type",
                ));
            };
            let (from, to) = (&self.elements[id], &self.elements[target]);
            if from.in_d_step != to.in_d_step {
                return Err(wrong(
                    at,
                    "promela::d_step",
                    "a jump into or out of a `d_step`",
                    "here",
                    "use `atomic`, or end the `d_step` before the jump",
                ));
            }
            let inside = |element: &Element| element.atomic || element.ends_atomic;
            let (leaves, bridges) = (inside(from) && !inside(to), from.ends_atomic && inside(to));
            if leaves {
                self.elements[id].atomic = false;
                self.elements[id].ends_atomic = true;
            } else if bridges {
                self.elements[id].ends_atomic = false;
                self.elements[id].atomic = true;
            }
        }
        Ok(())
    }
}
