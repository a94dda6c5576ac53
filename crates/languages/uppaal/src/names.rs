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
    Function(&'m Function, ScopeId),
    Template(&'m Template),
    Instance(&'m Instance),
    /// A process of the system, by its number.
    Process(usize),
    /// A location, by its number in the network.
    Location(usize),
}

/// Names of a part of a text.
#[derive(Debug, Default)]
pub(crate) struct Scope<'m> {
    pub parent: Option<ScopeId>,
    pub names: HashMap<String, Entity<'m>>,
}

/// All scopes.
#[derive(Debug, Default)]
pub(crate) struct Scopes<'m>(pub Vec<Scope<'m>>);

impl<'m> Scopes<'m> {
    pub fn inside(&mut self, parent: Option<ScopeId>) -> ScopeId {
        self.0.push(Scope {
            parent,
            names: HashMap::new(),
        });
        self.0.len() - 1
    }

    pub fn find(&self, scope: ScopeId, name: &str) -> Option<&Entity<'m>> {
        let mut here = Some(scope);
        while let Some(scope) = here {
            if let Some(found) = self.0[scope].names.get(name) {
                return Some(found);
            }
            here = self.0[scope].parent;
        }
        None
    }

    /// Enters a name; false if the scope has it already.
    pub fn enter(&mut self, scope: ScopeId, name: &str, entity: Entity<'m>) -> bool {
        self.0[scope].names.insert(name.to_owned(), entity).is_none()
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
