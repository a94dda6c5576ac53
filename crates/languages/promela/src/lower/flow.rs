//! Control flow: the statements of a process type as linked elements.
//!
//! Which statements are control locations of their own decides how many states there are, so this follows SPIN closely. Every
//! statement is an *element*, linked to the next. A selection or loop has *sequences* for its options and a joining element (a *dot*) behind
//! it; loops come back to a dot in front. `goto`, `break` and dots take no step of their own when control arrives through them
//! ([`Flow::hunt`]), but do when they open an option. A block's element is a location that offers what its first statement offers.

use super::Lowering;
use super::symbols::{ScopeId, Symbol, SymbolId};
use crate::syntax::ast::*;
use crate::syntax::parser::{Fail, constant_value, wrong};
use entail_program::{Binary, Cell, CellType, Initial, LocationId, Origin};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// The number of an element, which is also its control location.
pub type ElementId = usize;

/// What an element is.
#[derive(Clone, Debug)]
pub enum Node {
    /// A statement that takes a step.
    Step(Rc<StatementKind>, ScopeId),
    Else,
    Goto(Name, u32),
    /// Behind a loop: where `break` leads.
    Exit,
    Dot,
    Choice,
    Block,
    Atomic,
    Deterministic,
    /// Where a deterministic sequence ends.
    Done,
    Unless,
    End,
}

/// A run of elements. `last` may be a dot that was put behind `extent`, the last of the text.
#[derive(Clone, Copy, Debug)]
pub struct Run {
    pub first: ElementId,
    pub last: ElementId,
    pub extent: ElementId,
}

/// An element of the control flow.
#[derive(Clone, Debug)]
pub struct Element {
    pub node: Node,
    pub next: Option<ElementId>,
    pub runs: Vec<Run>,
    /// Escapes, the outermost first.
    pub escapes: Vec<Run>,
    /// Inside an atomic sequence, and not its last statement.
    pub atomic: bool,
    /// The last statement of an atomic sequence.
    pub ends_atomic: bool,
    pub in_d_step: bool,
    pub labels: Vec<Name>,
    /// A formula or another process refers to its label.
    pub observed: bool,
    pub origin: Origin,
}

/// The control flow of a process type.
#[derive(Debug, Default)]
pub struct Flow {
    pub elements: Vec<Element>,
    /// Label, block, element.
    pub labels: Vec<(Name, u32, ElementId)>,
    pub body: Option<Run>,
    pub cells: Vec<Cell>,
    /// Variables by name, for references from outside; the outermost of a name.
    pub locals: FxHashMap<Name, SymbolId>,
    /// Cells whose first value is computed.
    pub computed: Vec<(u32, u32, Expr, ScopeId)>,
    /// What decides whether starting such a process is a local step: its last initializer looks at more than constants and locals.
    pub starts_globally: bool,
    pub scope: Option<ScopeId>,
    /// What a process of this kind is started with.
    pub parameter_types: Vec<TypeName>,
}

/// What is collected while a process type is read.
pub struct Builder<'a> {
    pub lowering: &'a mut Lowering,
    pub flow: Flow,
    /// Labels that somebody refers to from outside.
    pub observed: &'a FxHashSet<Name>,
    scope: ScopeId,
    breaks: Vec<Name>,
    /// Declarations still come before all statements.
    opening: bool,
}

impl Flow {
    /// The location of a label.
    pub fn find_label(&self, name: &str) -> Option<LocationId> {
        let found = self.labels.iter().find(|(label, _, _)| **label == *name)?;
        Some(LocationId(found.2 as u16))
    }

    /// The element a `goto` in a block leads to: the label of the nearest block around it, else any.
    pub fn target(&self, label: &str, block: u32, blocks: &[Option<u32>]) -> Option<ElementId> {
        let mut at = Some(block);
        while let Some(block) = at {
            if let Some(found) = self
                .labels
                .iter()
                .find(|(name, own, _)| **name == *label && *own == block)
            {
                return Some(found.2);
            }
            at = blocks[block as usize];
        }
        self.labels
            .iter()
            .find(|(name, _, _)| **name == *label)
            .map(|found| found.2)
    }

    /// Where control comes to rest that moves to an element from one that is `atomic`: jumps and dots are passed, but an atomic sequence is
    /// not left on the way.
    pub fn hunt(&self, from: ElementId, atomic: bool, blocks: &[Option<u32>]) -> ElementId {
        let mut at = from;
        for _ in 0..500 {
            let element = &self.elements[at];
            let next = match &element.node {
                Node::Goto(label, block) => self.target(label, *block, blocks),
                Node::Dot | Node::Exit => element.next,
                Node::Unless => Some(self.hunt(element.runs[0].first, atomic, blocks)),
                _ => None,
            };
            match next {
                Some(next) if next != at && (!atomic || self.elements[next].atomic) => at = next,
                _ => return at,
            }
        }
        at
    }

    /// The element that opens an option.
    pub fn hunt_start(&self, from: ElementId) -> ElementId {
        let mut at = from;
        for _ in 0..200 {
            let element = &self.elements[at];
            at = match (&element.node, element.next) {
                (Node::Dot, Some(next)) => next,
                (Node::Unless, _) => element.runs[0].first,
                _ => return at,
            };
        }
        at
    }

    /// Where control is after an element.
    pub fn successor(&self, id: ElementId, blocks: &[Option<u32>]) -> Option<ElementId> {
        let element = &self.elements[id];
        let next = match &element.node {
            Node::Goto(label, block) => self.target(label, *block, blocks),
            _ => element.next,
        }?;
        Some(self.hunt(next, element.atomic, blocks))
    }
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

    fn element(&mut self, node: Node, origin: Origin) -> ElementId {
        self.flow.elements.push(Element {
            node,
            next: None,
            runs: Vec::new(),
            escapes: Vec::new(),
            atomic: false,
            ends_atomic: false,
            in_d_step: false,
            labels: Vec::new(),
            observed: false,
            origin,
        });
        self.flow.elements.len() - 1
    }

    fn append(&mut self, run: &mut Option<Run>, element: ElementId) {
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
        self.flow.labels.push((name, self.scope.block, element));
    }

    fn sequence(&mut self, statements: &[Statement]) -> Result<Option<Run>, Fail> {
        let mut run = None;
        for statement in statements {
            self.statement(statement, &mut run)?;
        }
        Ok(run)
    }

    /// A sequence in a block of its own.
    fn block(&mut self, statements: &[Statement], at: Origin) -> Result<Run, Fail> {
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

    fn step(&mut self, kind: StatementKind, at: Origin) -> ElementId {
        let scope = self.scope;
        self.element(Node::Step(Rc::new(kind), scope), at)
    }

    fn statement(&mut self, statement: &Statement, run: &mut Option<Run>) -> Result<(), Fail> {
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
            StatementKind::Select(variable, low, high) => {
                self.lowering.numbers_differ = true;
                let start = self.step(StatementKind::Assign(variable.clone(), low.clone()), at);
                self.append(run, start);
                self.open_loop();
                let mut more = None;
                for kind in [guard(variable, Binary::Less, high), increment(variable)] {
                    let element = self.step(kind, at);
                    self.append(&mut more, element);
                }
                let mut leave = None;
                let jump = self.jump_out(at);
                self.append(&mut leave, jump);
                let runs = [leave, more].into_iter().flatten().collect();
                self.choice(runs, true, at, run)?
            }
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
            _ => {
                let scope = self.scope;
                self.element(Node::Step(Rc::new(statement.kind.clone()), scope), at)
            }
        })
    }

    fn nested(&mut self, node: Node, body: &[Statement], at: Origin) -> Result<ElementId, Fail> {
        let inner = self.block(body, at)?;
        let element = self.element(node, at);
        self.flow.elements[element].runs.push(inner);
        Ok(element)
    }

    fn open_loop(&mut self) {
        let name = format!(":b{}", self.flow.elements.len());
        self.breaks.push(name.into());
    }

    fn jump_out(&mut self, at: Origin) -> ElementId {
        let label = self.breaks.last().cloned().unwrap_or_else(|| "".into());
        let block = self.scope.block;
        self.element(Node::Goto(label, block), at)
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
    fn choice(
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

    fn for_loop(
        &mut self,
        variable: &Variable,
        range: &Range,
        body: &[Statement],
        at: Origin,
        run: &mut Option<Run>,
    ) -> Result<ElementId, Fail> {
        let number = |value: i32| Expr {
            kind: ExprKind::Number(value),
            at,
        };
        let (low, high) = match range {
            Range::Between(low, high) => (low.clone(), high.clone()),
            Range::In(array) => {
                let place = self.lowering.place_of(Some(self.scope));
                let symbol = self.lowering.symbols.symbol(self.lowering.resolve(array, place)?);
                let Some(length) = symbol.length.filter(|_| array.parts.len() == 1) else {
                    return Err(wrong(
                        array.at,
                        "promela::for",
                        "`for` runs over arrays and ranges only",
                        "this is no array",
                        "write `for (i : 0 .. n)`",
                    ));
                };
                (number(0), number(length as i32 - 1))
            }
        };
        let start = self.step(StatementKind::Assign(variable.clone(), low), at);
        self.append(run, start);
        self.open_loop();
        let outer = self.scope;
        let mut main = None;
        let test = self.step(guard(variable, Binary::LessEqual, &high), at);
        self.append(&mut main, test);
        self.scope.block = self.lowering.symbols.open_block(Some(outer.block));
        let opening = std::mem::replace(&mut self.opening, false);
        for statement in body {
            self.statement(statement, &mut main)?;
        }
        self.opening = opening;
        self.scope = outer;
        let next = self.step(increment(variable), at);
        self.append(&mut main, next);
        let mut leave = None;
        let otherwise = self.element(Node::Else, at);
        self.append(&mut leave, otherwise);
        let jump = self.jump_out(at);
        self.append(&mut leave, jump);
        let runs = [leave, main].into_iter().flatten().collect();
        self.choice(runs, true, at, run)
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
    fn declare(&mut self, declared: &Declared, assignments: &mut Vec<StatementKind>) -> Result<(), Fail> {
        let base = self.lowering.symbols.make_cells(declared, &mut self.flow.cells)?;
        if let Some(Initializer::Channel(capacity, fields)) = &declared.initializer {
            let kind = self.lowering.channel_type(*capacity, fields);
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

fn guard(variable: &Variable, operator: Binary, bound: &Expr) -> StatementKind {
    let value = Expr {
        kind: ExprKind::Variable(variable.clone()),
        at: variable.at,
    };
    StatementKind::Expression(Expr {
        at: variable.at,
        kind: ExprKind::Binary(operator, Box::new(value), Box::new(bound.clone())),
    })
}

fn increment(variable: &Variable) -> StatementKind {
    let at = variable.at;
    let old = Expr {
        kind: ExprKind::Variable(variable.clone()),
        at,
    };
    let one = Expr {
        kind: ExprKind::Number(1),
        at,
    };
    StatementKind::Assign(
        variable.clone(),
        Expr {
            kind: ExprKind::Binary(Binary::Add, Box::new(old), Box::new(one)),
            at,
        },
    )
}
