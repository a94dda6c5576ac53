//! From the statements of a process type to its control flow.
//!
//! Elements are made in the order in which SPIN's parser makes them: that gives them SPIN's numbers.

use super::Lowering;
use super::flow::{Element, ElementId, Flow, Node, Run};
use super::symbols::{ScopeId, Symbol};
use crate::syntax::ast::*;
use crate::syntax::declaration::constant_value;
use crate::syntax::parser::{Fail, wrong};
use entail_program::{CellType, Initial, LocationId, Origin};
use rustc_hash::FxHashSet;
use std::rc::Rc;

/// What is collected while a process type is read.
pub struct Builder<'a> {
    pub lowering: &'a mut Lowering,
    pub flow: Flow,
    /// Labels that somebody refers to from outside.
    pub observed: &'a FxHashSet<Name>,
    pub(super) scope: ScopeId,
    pub(super) breaks: Vec<Name>,
    /// Declarations still come before all statements.
    pub(super) opening: bool,
}

impl<'a> Builder<'a> {
    /// Reads a process type.
    pub fn build(
        lowering: &'a mut Lowering,
        proctype: &Proctype,
        observed: &'a FxHashSet<Name>,
    ) -> Result<Flow, Fail> {
        let block = lowering.symbols.open_block(None);
        let mut builder = Builder {
            lowering,
            flow: Flow::default(),
            observed,
            scope: ScopeId { last: None, block },
            breaks: Vec::new(),
            opening: true,
        };
        for parameter in &proctype.parameters {
            if parameter.length.is_some() {
                return Err(wrong(
                    parameter.at,
                    "promela::parameter",
                    "a parameter cannot be an array",
                    "here",
                    "pass a record that contains the array, or use a global one",
                ));
            }
            builder.declare(parameter, &mut Vec::new())?;
            builder.flow.parameter_types.push(parameter.kind.clone());
        }
        let mut run = builder.sequence(&proctype.body)?;
        let end = builder.element(Node::End, proctype.end);
        builder.append(&mut run, end);
        builder.flow.body = run;
        builder.flow.scope = Some(builder.scope);
        let mut flow = builder.flow;
        flow.mend_jumps(&lowering.symbols.blocks)?;
        if flow.elements.len() >= LocationId::DONE.index() {
            return Err(wrong(
                proctype.at,
                "promela::too-large",
                "the process type has more than 65,000 statements",
                "here",
                "split it into several",
            ));
        }
        Ok(flow)
    }

    pub(super) fn element(&mut self, node: Node, origin: Origin) -> ElementId {
        self.flow.elements.push(Element {
            node,
            next: None,
            runs: Vec::new(),
            escapes: Vec::new(),
            atomic: false,
            was_atomic: false,
            ends_atomic: false,
            in_d_step: false,
            labels: Vec::new(),
            observed: false,
            origin,
        });
        self.flow.elements.len() - 1
    }

    pub(super) fn append(&mut self, run: &mut Option<Run>, element: ElementId) {
        match run {
            None => {
                *run = Some(Run {
                    first: element,
                    last: element,
                    extent: element,
                });
            }
            Some(run) => {
                self.flow.elements[run.last].next = Some(element);
                run.last = element;
                run.extent = element;
            }
        }
    }

    /// Puts a dot behind a run without making it longer.
    fn append_dot(&mut self, run: &mut Run, dot: ElementId) {
        self.flow.elements[run.last].next = Some(dot);
        run.last = dot;
    }

    fn label(&mut self, element: ElementId, name: Name) {
        let observed = self.observed.contains(&name);
        self.flow.elements[element].labels.push(name.clone());
        self.flow.elements[element].observed |= observed;
        let labels = self.flow.labels.entry(name).or_default();
        labels.push((self.scope.block, element));
    }

    pub(super) fn sequence(&mut self, statements: &[Statement]) -> Result<Option<Run>, Fail> {
        let mut run = None;
        for statement in statements {
            self.statement(statement, &mut run)?;
        }
        Ok(run)
    }

    /// A sequence in a block of its own.
    pub(super) fn block(&mut self, statements: &[Statement], at: Origin) -> Result<Run, Fail> {
        let (outer, opening) = (self.scope, std::mem::replace(&mut self.opening, false));
        self.scope.block = self.lowering.symbols.open_block(Some(outer.block));
        let run = self.sequence(statements)?;
        self.scope = outer;
        self.opening = opening;
        self.nonempty(run, at)
    }

    fn nonempty(&mut self, run: Option<Run>, at: Origin) -> Result<Run, Fail> {
        run.ok_or_else(|| {
            wrong(
                at,
                "promela::empty",
                "there is no statement here",
                "here",
                "a sequence has at least one; use `skip` to do nothing",
            )
        })
    }

    pub(super) fn step(&mut self, kind: StatementKind, at: Origin) -> ElementId {
        let scope = self.scope;
        self.element(Node::Step(Rc::new(kind), scope), at)
    }

    pub(super) fn statement(&mut self, statement: &Statement, run: &mut Option<Run>) -> Result<(), Fail> {
        let at = statement.at;
        if let StatementKind::Declare(declared) = &statement.kind {
            let mut assignments = Vec::new();
            self.declare(declared, &mut assignments)?;
            for assignment in assignments {
                let element = self.step(assignment, declared.at);
                self.append(run, element);
            }
            return Ok(());
        }
        if let StatementKind::Exclusive(kind, channels) = &statement.kind {
            for channel in channels {
                let place = self.lowering.place_of(Some(self.scope));
                let symbol = self.lowering.resolve(channel, place)?;
                let symbol = self.lowering.symbols.symbol(symbol);
                match kind {
                    Exclusivity::Receive => symbol.one_receiver.set(true),
                    Exclusivity::Send => symbol.one_sender.set(true),
                }
            }
            return Ok(());
        }
        let element = self.unlabelled(statement, run)?;
        let jump = matches!(self.flow.elements[element].node, Node::Goto(..));
        let special = |name: &Name| {
            ["accept", "end", "progress"]
                .iter()
                .any(|prefix| name.starts_with(prefix))
        };
        if jump
            && statement
                .labels
                .iter()
                .any(|(name, _)| special(name) || self.observed.contains(name))
        {
            // A jump is no place to be at: a step that does nothing is put before it, to carry the label. SPIN does so only for special
            // labels; jumps with other labels that somebody looks at become such steps themselves.
            self.lowering.numbers_differ |= !statement.labels.iter().any(|(name, _)| special(name));
            let skip = self.step(skip(at), at);
            self.append(run, skip);
            self.append(run, element);
            for (name, _) in &statement.labels {
                self.label(skip, name.clone());
            }
        } else {
            // Selections and loops are part of the run already: a dot may stand before them, one always does behind.
            let placed = matches!(self.flow.elements[element].node, Node::Choice | Node::Unless);
            if !placed {
                self.append(run, element);
            }
            for (name, _) in &statement.labels {
                self.label(element, name.clone());
            }
        }
        self.opening = false;
        Ok(())
    }

    /// The element of a statement; what a selection or loop needs around it is put into the run.
    fn unlabelled(&mut self, statement: &Statement, run: &mut Option<Run>) -> Result<ElementId, Fail> {
        let at = statement.at;
        Ok(match &statement.kind {
            StatementKind::Else => self.element(Node::Else, at),
            StatementKind::Goto(label) => {
                let block = self.scope.block;
                self.element(Node::Goto(label.clone(), block), at)
            }
            StatementKind::Break => {
                let Some(label) = self.breaks.last().cloned() else {
                    return Err(wrong(
                        at,
                        "promela::break",
                        "`break` outside of a loop",
                        "here",
                        "use it inside `do ... od` or `for`",
                    ));
                };
                let block = self.scope.block;
                self.element(Node::Goto(label, block), at)
            }
            StatementKind::If(options) => {
                let runs = self.options(options, at)?;
                self.choice(runs, false, at, run)?
            }
            StatementKind::Do(options) => {
                self.open_loop();
                let runs = self.options(options, at)?;
                self.choice(runs, true, at, run)?
            }
            StatementKind::For(variable, range, body) => self.for_loop(variable, range, body, at, run)?,
            StatementKind::Select(variable, low, high) => self.select(variable, low, high, at, run)?,
            StatementKind::Block(body) => self.nested(Node::Block, body, at)?,
            StatementKind::Atomic(body) => {
                let element = self.nested(Node::Atomic, body, at)?;
                let inner = self.flow.elements[element].runs[0];
                self.flow.make_atomic(inner, false);
                element
            }
            StatementKind::Deterministic(body) => {
                let element = self.nested(Node::Deterministic, body, at)?;
                let inner = self.flow.elements[element].runs[0];
                self.flow.make_atomic(inner, true);
                element
            }
            StatementKind::Unless(main, escape) => self.unless(main, escape, at, run)?,
            kind => {
                let split = self.without_nested_run(kind, at)?;
                self.step(split.unwrap_or_else(|| kind.clone()), at)
            }
        })
    }

    fn nested(&mut self, node: Node, body: &[Statement], at: Origin) -> Result<ElementId, Fail> {
        let inner = self.block(body, at)?;
        let element = self.element(node, at);
        self.flow.elements[element].runs.push(inner);
        Ok(element)
    }

    fn options(&mut self, options: &[Sequence], at: Origin) -> Result<Vec<Run>, Fail> {
        let mut runs = Vec::new();
        for option in options {
            let opening = std::mem::replace(&mut self.opening, false);
            let run = self.sequence(option)?;
            self.opening = opening;
            let run = self.nonempty(run, at)?;
            self.flow.prune_skips(run);
            runs.push(run);
        }
        Ok(runs)
    }

    /// A selection, or a loop: `else` goes to the end, a dot joins the options.
    pub(super) fn choice(
        &mut self,
        mut runs: Vec<Run>,
        is_loop: bool,
        at: Origin,
        run: &mut Option<Run>,
    ) -> Result<ElementId, Fail> {
        let is_else = |flow: &Flow, run: &Run| matches!(flow.elements[run.first].node, Node::Else);
        if runs.iter().filter(|run| is_else(&self.flow, run)).count() > 1 {
            return Err(wrong(
                at,
                "promela::else",
                "there are two `else` in one selection",
                "here",
                "one `else` stands for all other cases",
            ));
        }
        if let Some(position) = runs.iter().position(|run| is_else(&self.flow, run)) {
            let otherwise = runs.remove(position);
            runs.push(otherwise);
        }
        let dot = self.element(Node::Dot, at);
        for option in &mut runs {
            self.append_dot(option, dot);
        }
        let choice = self.element(Node::Choice, at);
        self.flow.elements[choice].runs = runs;
        if is_loop {
            self.append(run, dot);
            let exit = self.element(Node::Exit, at);
            if let Some(label) = self.breaks.pop() {
                self.label(exit, label);
            }
            self.append(run, choice);
            self.append(run, exit);
        } else {
            self.append(run, choice);
            self.append(run, dot);
        }
        Ok(choice)
    }

    fn unless(
        &mut self,
        main: &Statement,
        escape: &Statement,
        at: Origin,
        run: &mut Option<Run>,
    ) -> Result<ElementId, Fail> {
        let mut runs = Vec::new();
        for part in [main, escape] {
            let inner = match &part.kind {
                StatementKind::Block(body) if part.labels.is_empty() => self.block(body, at)?,
                _ => {
                    let opening = std::mem::replace(&mut self.opening, false);
                    let inner = self.sequence(std::slice::from_ref(part))?;
                    self.opening = opening;
                    self.nonempty(inner, at)?
                }
            };
            runs.push(inner);
        }
        let dot = self.element(Node::Dot, at);
        for inner in &mut runs {
            self.append_dot(inner, dot);
        }
        let element = self.element(Node::Unless, at);
        let (main, escape) = (runs[0], runs[1]);
        self.flow.elements[element].runs = runs;
        self.flow.attach_escape(main, escape);
        self.append(run, element);
        self.append(run, dot);
        Ok(element)
    }

    /// Declares a local variable. Behind the first statement it is an assignment.
    pub(super) fn declare(
        &mut self,
        declared: &Declared,
        assignments: &mut Vec<StatementKind>,
    ) -> Result<(), Fail> {
        let base = self.lowering.symbols.make_cells(declared, &mut self.flow.cells)?;
        if let Some(Initializer::Channel(capacity, fields)) = &declared.initializer {
            let kind = self.lowering.channel_type(*capacity, fields, declared.at)?;
            for cell in &mut self.flow.cells[base as usize..] {
                cell.initial = Initial::Channel(kind);
            }
        }
        let symbol = Symbol {
            name: declared.name.clone(),
            kind: declared.kind.clone(),
            length: declared.length,
            base,
            is_global: false,
            is_private: false,
            one_receiver: false.into(),
            one_sender: false.into(),
            at: declared.at,
        };
        let before = self.scope;
        let id = self.lowering.symbols.declare(symbol, Some(&mut self.scope))?;
        self.flow.locals.entry(declared.name.clone()).or_insert(id);
        let whole = Variable {
            parts: vec![(declared.name.clone(), None)],
            at: declared.at,
        };
        let cells = self.flow.cells.len() as u32 - base;
        match &declared.initializer {
            None => {
                if !self.opening
                    && matches!(declared.kind, TypeName::Basic(kind) if kind != CellType::Channel)
                {
                    let zero = Expr {
                        kind: ExprKind::Number(0),
                        at: declared.at,
                    };
                    assignments.push(StatementKind::Assign(whole, zero));
                }
            }
            Some(Initializer::Value(value)) => {
                let local = matches!(&value.kind, ExprKind::Variable(variable) if self.lowering.symbols.find(&variable.parts[0].0, Some(before)).is_some_and(|id| !self.lowering.symbols.symbol(id).is_global));
                self.flow.starts_globally = constant_value(value).is_none() && !local;
                if !self.opening && declared.length.is_none() {
                    assignments.push(StatementKind::Assign(whole, value.clone()));
                } else {
                    self.flow.computed.push((base, cells, value.clone(), before));
                }
            }
            Some(Initializer::List(values)) => {
                self.flow.starts_globally = true;
                for (position, value) in values.iter().enumerate().take(cells as usize) {
                    self.flow
                        .computed
                        .push((base + position as u32, 1, value.clone(), before));
                }
            }
            Some(Initializer::Channel(..)) => self.flow.starts_globally = true,
        }
        Ok(())
    }
}

fn skip(at: Origin) -> StatementKind {
    StatementKind::Expression(Expr {
        kind: ExprKind::Number(1),
        at,
    })
}
