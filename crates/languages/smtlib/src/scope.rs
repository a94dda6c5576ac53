//! What names mean, with levels that can be left.

use entail_first_order::{SortId, SymbolId, TermId};
use rustc_hash::FxHashMap;

/// What a name means.
#[derive(Clone, Debug)]
pub enum Meaning {
    /// A declared function or constant.
    Function(SymbolId),
    /// A definition: parameters, which are constants, and the body.
    Macro(Vec<TermId>, TermId),
    /// A local name of `let` or of a quantifier.
    Local(TermId),
}

/// What a name of a sort means.
#[derive(Clone, Debug)]
pub(crate) enum SortMeaning {
    /// A sort.
    Sort(SortId),
    /// A sort with parameters: how many, for uninterpreted ones.
    Constructor(u32),
    /// An abbreviation: its parameters and its text.
    Abbreviation(Vec<String>, entail_first_order::sexpr::Sexpr),
}

enum Change {
    Name(String, Option<Meaning>),
    SortName(String, Option<SortMeaning>),
}

/// Names in force.
#[derive(Default)]
pub struct Scope {
    names: FxHashMap<String, Meaning>,
    sorts: FxHashMap<String, SortMeaning>,
    changes: Vec<Change>,
    levels: Vec<(usize, usize)>,
    /// Declared symbols in order.
    declared: Vec<SymbolId>,
}

impl Scope {
    /// What a name means.
    pub fn meaning(&self, name: &str) -> Option<&Meaning> {
        self.names.get(name)
    }

    pub(crate) fn sort_meaning(&self, name: &str) -> Option<&SortMeaning> {
        self.sorts.get(name)
    }

    /// Gives a name a meaning.
    pub fn define(&mut self, name: &str, meaning: Meaning) {
        if let Meaning::Function(symbol) = meaning {
            self.declared.push(symbol);
        }
        let before = self.names.insert(name.to_owned(), meaning);
        self.changes.push(Change::Name(name.to_owned(), before));
    }

    pub(crate) fn define_sort(&mut self, name: &str, meaning: SortMeaning) {
        let before = self.sorts.insert(name.to_owned(), meaning);
        self.changes.push(Change::SortName(name.to_owned(), before));
    }

    /// Symbols that were declared and are in force, in order.
    pub fn declared(&self) -> &[SymbolId] {
        &self.declared
    }

    /// Opens a level.
    pub fn push(&mut self) {
        self.levels.push((self.changes.len(), self.declared.len()));
    }

    /// Leaves a level; false if there is none.
    pub fn pop(&mut self) -> bool {
        let Some((changes, declared)) = self.levels.pop() else {
            return false;
        };
        self.undo(changes);
        self.declared.truncate(declared);
        true
    }

    fn undo(&mut self, down_to: usize) {
        while self.changes.len() > down_to {
            match self.changes.pop() {
                Some(Change::Name(name, Some(meaning))) => drop(self.names.insert(name, meaning)),
                Some(Change::Name(name, None)) => drop(self.names.remove(&name)),
                Some(Change::SortName(name, Some(meaning))) => drop(self.sorts.insert(name, meaning)),
                Some(Change::SortName(name, None)) => drop(self.sorts.remove(&name)),
                None => {}
            }
        }
    }

    /// How many levels are open.
    pub fn depth(&self) -> usize {
        self.levels.len()
    }

    /// A mark to which local names are taken back.
    pub(crate) fn mark(&self) -> usize {
        self.changes.len()
    }

    pub(crate) fn define_local(&mut self, name: &str, term: TermId) {
        let before = self.names.insert(name.to_owned(), Meaning::Local(term));
        self.changes.push(Change::Name(name.to_owned(), before));
    }

    pub(crate) fn forget_to(&mut self, mark: usize) {
        self.undo(mark);
    }
}
