//! The symbolic states of a search, grouped by what must be the same for one to cover another: the discrete state, and the sides of the tracked differences that their zones lie on.
//!
//! Most models track no differences: there a group is a discrete state, with its number, and only the first member of each is stored.

use crate::cover_search::NodeId;
use crate::space::StateId;
use rustc_hash::{FxHashMap, FxHashSet};

/// A group, by number.
pub(crate) type GroupId = u32;

/// No symbolic state.
pub(crate) const NOBODY: NodeId = NodeId::MAX;

/// The groups.
#[derive(Debug)]
pub(crate) struct Groups {
    /// The first member of each; each member knows the next.
    first: Vec<NodeId>,
    sided: Option<Sided>,
}

/// Groups where differences are tracked.
#[derive(Debug, Default)]
struct Sided {
    states: Vec<StateId>,
    numbers: FxHashMap<(StateId, u64), GroupId>,
}

impl Groups {
    /// No groups; says whether differences are tracked.
    pub fn new(tracks_differences: bool) -> Groups {
        Groups {
            first: Vec::new(),
            sided: tracks_differences.then(Sided::default),
        }
    }

    /// The group of a state and sides, if there is one.
    pub fn find(&self, state: StateId, sides: u64) -> Option<GroupId> {
        match &self.sided {
            None => Some(state),
            Some(sided) => sided.numbers.get(&(state, sides)).copied(),
        }
    }

    /// The group of a state and sides.
    pub fn number(&mut self, state: StateId, sides: u64) -> GroupId {
        let Some(sided) = &mut self.sided else {
            return state;
        };
        *sided.numbers.entry((state, sides)).or_insert_with(|| {
            sided.states.push(state);
            sided.states.len() as GroupId - 1
        })
    }

    /// The discrete state of a group.
    pub fn state(&self, group: GroupId) -> StateId {
        match &self.sided {
            None => group,
            Some(sided) => sided.states[group as usize],
        }
    }

    /// The first member of a group, or [`NOBODY`].
    pub fn first(&self, group: GroupId) -> NodeId {
        self.first.get(group as usize).copied().unwrap_or(NOBODY)
    }

    /// Number of discrete states that have members.
    pub fn states(&self) -> usize {
        let with_members = (0..self.first.len() as GroupId).filter(|&group| self.first(group) != NOBODY);
        match &self.sided {
            None => with_members.count(),
            Some(_) => (with_members.map(|group| self.state(group)))
                .collect::<FxHashSet<StateId>>()
                .len(),
        }
    }

    /// Puts somebody else at the head of a group.
    pub fn set_first(&mut self, group: GroupId, node: NodeId) {
        let place = group as usize;
        if self.first.len() <= place {
            self.first.resize(place + 1, NOBODY);
        }
        self.first[place] = node;
    }
}
