//! Processes: interleaving by a selector.
//!
//! If a model has processes, an input `_process_selector_` picks one of them (or `main`) at every step. `running` of a
//! process says that it was picked. An assignment `next(x) := e` takes effect when the process it belongs to runs; when
//! another process that does not assign `x` runs, `x` keeps its value; a variable that nobody assigns is free, as
//! in any model. TRANS, INVAR and INIT are not affected: they hold at every step.

use super::Elaborator;
use super::names::{Cache, Entity, EntityId, EntityKind, Names, ScopeId};
use super::value::Lowered;
use crate::syntax::ast::{Ident, TypeExpr, TypeKind, VarKind};
use entail_model::{Sort, TermId, Value};
use entail_source::{Diagnostic, Span};
use std::sync::Arc;

const SELECTOR: &str = "_process_selector_";

impl Elaborator<'_> {
    /// Adds the selector and the names `running`, if there are processes.
    pub(super) fn add_processes(&mut self) {
        if self.processes.is_empty() {
            return;
        }
        let span = Span::new(0, 0);
        let mut processes = vec![Names::MAIN];
        processes.extend(self.processes.iter().copied());
        let values: Vec<Value> = processes
            .iter()
            .map(|&process| self.process_constant(process))
            .collect();
        for value in &values {
            if let Value::Symbol(name) = value {
                let symbol = self.names.arena.names.intern(name);
                self.names.constants.entry(symbol).or_insert(span);
            }
        }
        let sort = Sort::enumeration(values);
        let selector = self
            .system
            .add_variable(SELECTOR, sort, entail_model::VarKind::Input);
        self.variable_spans.push(span);
        self.selector = Some(selector);
        let term = self.system.current(selector);
        let symbol = self.names.arena.names.intern(SELECTOR);
        let id = EntityId(self.names.entities.len() as u32);
        self.names.entities.push(Entity {
            kind: EntityKind::Variable {
                kind: VarKind::Input,
                ty: TypeExpr {
                    kind: TypeKind::Boolean,
                    span,
                },
            },
            name: Arc::from(SELECTOR),
            span,
            scope: Names::MAIN,
            values: [Cache::Done(Lowered::Term(term), Arc::from([])), Cache::Empty],
        });
        self.names.scopes[0].members.insert(symbol, id);
        let running = self.names.arena.names.intern("running");
        for process in processes {
            let name = Ident {
                symbol: running,
                span,
            };
            self.declare(process, name, EntityKind::Running(process));
        }
    }

    fn process_constant(&self, process: ScopeId) -> Value {
        match &*self.names.scope(process).name {
            "" => Value::symbol("main"),
            name => Value::symbol(name),
        }
    }

    /// The condition that a process runs in this step.
    pub(super) fn runs(&mut self, process: ScopeId) -> Option<TermId> {
        let selector = self.selector?;
        let constant = self.process_constant(process);
        let selector = self.system.current(selector);
        let constant = self.system.terms.constant(constant);
        self.system.terms.equal(selector, constant).ok()
    }

    pub(super) fn running(&mut self, process: ScopeId, primed: bool, span: Span) -> Lowered {
        if primed {
            return self.wrong(Diagnostic::error(
                "smv::input",
                "`running` has no next value",
                span,
                "which process runs is chosen anew at every step",
            ));
        }
        match self.runs(process) {
            Some(term) => Lowered::Term(term),
            None => Lowered::Error,
        }
    }
}
