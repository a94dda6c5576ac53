//! Scopes, and what names stand for.

use crate::types::Type;
use entail_clocks::Expression;
use entail_uppaal_tree::{Function, Instance, Template};
use std::collections::HashMap;
use std::sync::Arc;

/// A scope, by number.
pub(crate) type ScopeId = usize;

/// Memory that a name stands for: an element at an offset behind a base, for each kind of memory.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Reference {
    pub root: Root,
    /// First element of each kind.
    pub base: [usize; 3],
    /// Number of elements of each kind in the whole variable.
    pub size: [usize; 3],
    /// Offset of each kind.
    pub offset: [Expression; 3],
}

/// Where a variable lies.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Root {
    /// In the network.
    Variable,
    /// In the slots of a function or an action.
    Local,
    /// Nowhere: a table of constants.
    Constant(Arc<[i64]>),
}

/// What a name stands for.
#[derive(Clone, Debug)]
pub(crate) enum Entity<'m> {
    Value(Type, Reference),
    Type(Type),
    /// A function, with the scope it is declared in and how many names that had then, the function's included.
    Function(&'m Function, ScopeId, usize),
    Template(&'m Template),
    Instance(&'m Instance),
    /// A process of the system, by its number.
    Process(usize),
    /// A location, by its number in the network.
    Location(usize),
}

/// Names of a part of a text, in the order of their declarations.
#[derive(Debug, Default)]
pub(crate) struct Scope<'m> {
    /// The scope around it, and how many of its names are known here.
    parent: Option<(ScopeId, usize)>,
    names: HashMap<String, (usize, Entity<'m>)>,
}

/// All scopes.
#[derive(Debug, Default)]
pub(crate) struct Scopes<'m>(pub Vec<Scope<'m>>);

impl<'m> Scopes<'m> {
    pub fn inside(&mut self, parent: Option<ScopeId>) -> ScopeId {
        self.behind(parent.map(|parent| (parent, usize::MAX)))
    }

    /// A scope in which only the first so many names of the one around it are known: a name means what was declared last before it.
    pub fn behind(&mut self, parent: Option<(ScopeId, usize)>) -> ScopeId {
        self.0.push(Scope {
            parent,
            names: HashMap::new(),
        });
        self.0.len() - 1
    }

    /// How many names a scope has.
    pub fn count(&self, scope: ScopeId) -> usize {
        self.0[scope].names.len()
    }

    /// What a scope itself means by a name.
    pub fn own(&self, scope: ScopeId, name: &str) -> Option<&Entity<'m>> {
        self.0[scope].names.get(name).map(|(_, entity)| entity)
    }

    /// How many names a scope had before this one.
    pub fn position(&self, scope: ScopeId, name: &str) -> Option<usize> {
        self.0[scope].names.get(name).map(|(position, _)| *position)
    }

    pub fn find(&self, scope: ScopeId, name: &str) -> Option<&Entity<'m>> {
        let mut here = Some((scope, usize::MAX));
        while let Some((scope, known)) = here {
            match self.0[scope].names.get(name) {
                Some((position, found)) if *position < known => return Some(found),
                _ => here = self.0[scope].parent,
            }
        }
        None
    }

    /// Enters a name; false if the scope has it already.
    pub fn enter(&mut self, scope: ScopeId, name: &str, entity: Entity<'m>) -> bool {
        let position = self.0[scope].names.len();
        self.0[scope]
            .names
            .insert(name.to_owned(), (position, entity))
            .is_none()
    }
}

impl Reference {
    /// The whole of a variable.
    pub fn whole(root: Root, base: [usize; 3], size: [usize; 3]) -> Reference {
        Reference {
            root,
            base,
            size,
            offset: [const { Expression::Constant(0) }; 3],
        }
    }

    /// A constant.
    pub fn constant(data: Arc<[i64]>) -> Reference {
        let size = [data.len(), 0, 0];
        Reference::whole(Root::Constant(data), [0; 3], size)
    }
}
