//! Which steps a modality looks at: those of some named actions, or those of all others.
//!
//! The actions of a system are not known where a formula is written, so a set is kept as names and whether they are left out: "all" leaves out nothing. Sets are closed under union and
//! complement.

use super::Action;
use std::sync::Arc;

/// A set of actions: those named, or all but those named. Names are sorted and occur once.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Actions {
    names: Arc<[Action]>,
    left_out: bool,
}

impl Actions {
    /// All actions.
    pub fn any() -> Actions {
        Actions::all_but([])
    }

    /// One action.
    pub fn one(name: impl Into<Action>) -> Actions {
        Actions::of([name.into()])
    }

    /// These actions.
    pub fn of(names: impl IntoIterator<Item = Action>) -> Actions {
        let mut names: Vec<Action> = names.into_iter().collect();
        names.sort_unstable();
        names.dedup();
        Actions {
            names: names.into(),
            left_out: false,
        }
    }

    /// All but these actions.
    pub fn all_but(names: impl IntoIterator<Item = Action>) -> Actions {
        Actions::of(names).complement()
    }

    /// All other actions.
    pub fn complement(&self) -> Actions {
        Actions {
            names: Arc::clone(&self.names),
            left_out: !self.left_out,
        }
    }

    /// The actions of either set.
    pub fn union(&self, other: &Actions) -> Actions {
        let both = || self.names.iter().chain(other.names.iter()).cloned();
        match (self.left_out, other.left_out) {
            (false, false) => Actions::of(both()),
            (true, true) => {
                Actions::all_but(both().filter(|name| !self.contains(name) && !other.contains(name)))
            }
            (true, false) => {
                Actions::all_but(self.names.iter().filter(|name| !other.contains(name)).cloned())
            }
            (false, true) => other.union(self),
        }
    }

    /// Whether an action is in the set.
    pub fn contains(&self, name: &str) -> bool {
        self.names.binary_search_by(|one| (**one).cmp(name)).is_ok() != self.left_out
    }

    /// Whether all actions are.
    pub fn is_any(&self) -> bool {
        self.left_out && self.names.is_empty()
    }

    /// The names: of the actions in the set, or of those that are not ([`Actions::is_complement`]).
    pub fn names(&self) -> &[Action] {
        &self.names
    }

    /// Whether the names are those of the actions that are not in the set.
    pub fn is_complement(&self) -> bool {
        self.left_out
    }
}

impl From<Option<Action>> for Actions {
    /// The action, or all.
    fn from(action: Option<Action>) -> Actions {
        action.map_or_else(Actions::any, Actions::one)
    }
}
