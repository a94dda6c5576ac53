//! What searches know of a system: a successor function over packed states.
//!
//! States are byte strings of at most 65,535 bytes; equal states are equal bytes. A [`Searchable`] is shared by all threads; each has an [`Explorer`] of its own, which may
//! keep what it needs between states. The searches are generic in the model and in its list of successors, so that nothing is called through a pointer where states are made.
//!
//! Whoever has a kind of system writes [`Explorer::initial`] and [`Explorer::expand`]; everything else has a default. [`Steps`] is a ready list of successors; a kind that
//! makes states in place has its own [`Successors`].

use entail_budget::{Budget, Spent};
use std::fmt::Debug;

/// A system whose states can be searched.
pub trait Searchable: Sync {
    /// Something that goes wrong: in a step, in a state, or before there is an initial one.
    type Flaw: Clone + Debug + Send;

    /// What a thread explores it with.
    type Explorer<'m>: Explorer<Flaw = Self::Flaw>
    where
        Self: 'm;

    /// Another explorer, which watches a budget.
    fn explorer<'m>(&'m self, budget: &'m Budget) -> Self::Explorer<'m>;
}

/// What a thread explores a model with.
pub trait Explorer: Send {
    /// Something that goes wrong.
    type Flaw: Clone + Debug + Send;
    /// A list of successors.
    type Successors: Successors<Flaw = Self::Flaw>;

    /// The initial states, always in the same order. A flaw among them says what goes wrong before there is one.
    fn initial(&mut self, out: &mut Self::Successors) -> Result<(), Spent>;

    /// All successors of a state, always in the same order. Where states are alike up to symmetry, `out` may have a representative of each.
    fn expand(&mut self, state: &[u8], out: &mut Self::Successors) -> Result<(), Spent>;

    /// What is wrong with a state by itself. Asked once of every state, when it is found.
    #[inline]
    fn inspect(&mut self, _state: &[u8]) -> Option<Self::Flaw> {
        None
    }

    /// Sets of action groups whose steps suffice in the state that was expanded last, those with the fewest steps first: their sizes, and they.
    /// There may be none. A set must be persistent (Godefroid) and its steps invisible to what is asked; that nobody is ignored for ever the search sees to.
    #[inline]
    fn choices(&mut self, _out: &Self::Successors) -> &[(usize, GroupSet)] {
        &[]
    }

    /// The same without the steps of groups that are asleep. They have steps in the state, so it is no end; whether these are left out or not, the search takes none of them.
    #[inline]
    fn expand_awake(
        &mut self,
        state: &[u8],
        _asleep: &GroupSet,
        out: &mut Self::Successors,
    ) -> Result<(), Spent> {
        self.expand(state, out)
    }

    /// For each group with a step in `out`: the groups, of those with a step and those that are asleep, whose next steps are all independent of all next steps of this one
    /// in the state that was expanded last. Groups that are not named are independent of nobody. Two groups are independent if neither changes what the other can do next,
    /// what goes wrong in that, or where one comes to by both, in either order; with several groups in one step all of them count. Only groups below 64 can sleep.
    #[inline]
    fn independence(
        &mut self,
        _out: &Self::Successors,
        _asleep: &GroupSet,
        _found: &mut Vec<(u8, GroupSet)>,
    ) {
    }

    /// How far a state seems to be from what is looked for: best-first search takes the smallest first.
    #[inline]
    fn estimate(&mut self, _state: &[u8]) -> u64 {
        0
    }

    /// Whether the system may stop in a state that has no successors.
    #[inline]
    fn may_end(&mut self, _state: &[u8]) -> bool {
        true
    }
}

/// The successors of a state, in the order in which a search takes them.
pub trait Successors: Default + Send {
    /// Something that goes wrong in a step.
    type Flaw;

    /// How many steps there are, those that go wrong included.
    fn len(&self) -> usize;

    /// Whether there is no step.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The state that a step leads to; empty if it goes wrong.
    fn state(&self, position: usize) -> &[u8];

    /// The action group of a step: who makes it. Steps of a group are taken or put off together by reductions, and go on without a change of context.
    #[inline]
    fn group(&self, _position: usize) -> u8 {
        0
    }

    /// Whether a group takes part in a step.
    #[inline]
    fn takes_part(&self, position: usize, group: u8) -> bool {
        self.group(position) == group
    }

    /// What goes wrong in a step.
    fn flaw(&self, position: usize) -> Option<&Self::Flaw>;

    /// The first flaw of all.
    #[inline]
    fn first_flaw(&self) -> Option<&Self::Flaw> {
        (0..self.len()).find_map(|position| self.flaw(position))
    }

    /// Something that begins in this state goes on for ever without coming to another one, so having no successors is not an end.
    #[inline]
    fn diverges(&self) -> bool {
        false
    }
}

/// A set of action groups.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GroupSet([u64; 4]);

impl GroupSet {
    /// Adds a group.
    #[inline]
    pub fn insert(&mut self, group: u8) {
        self.0[usize::from(group) / 64] |= 1 << (group % 64);
    }

    /// Whether a group is in the set.
    #[inline]
    pub fn contains(&self, group: u8) -> bool {
        self.0[usize::from(group) / 64] >> (group % 64) & 1 == 1
    }

    /// The groups below 64, one bit each.
    pub fn low_word(&self) -> u64 {
        self.0[0]
    }

    /// A set of groups below 64.
    pub fn from_low_word(groups: u64) -> GroupSet {
        GroupSet([groups, 0, 0, 0])
    }

    /// Whether all groups of another set are in this one.
    pub fn includes(&self, other: &GroupSet) -> bool {
        self.0.iter().zip(other.0).all(|(own, other)| other & !own == 0)
    }
}

/// A list of successors for kinds of systems that need nothing special.
#[derive(Clone, Debug)]
pub struct Steps<F> {
    bytes: Vec<u8>,
    /// Where each state ends, and the group of its step.
    ends: Vec<(u32, u8)>,
    /// Positions of steps that go wrong, in their order.
    flaws: Vec<(u32, F)>,
    diverges: bool,
}

impl<F> Default for Steps<F> {
    fn default() -> Steps<F> {
        Steps {
            bytes: Vec::new(),
            ends: Vec::new(),
            flaws: Vec::new(),
            diverges: false,
        }
    }
}

impl<F> Steps<F> {
    /// Forgets everything.
    #[inline]
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
        self.flaws.clear();
        self.diverges = false;
    }

    /// Adds a step of a group to a state.
    #[inline]
    pub fn push(&mut self, group: u8, state: &[u8]) {
        self.bytes.extend_from_slice(state);
        self.ends.push((self.bytes.len() as u32, group));
    }

    /// Adds a step of a group that goes wrong.
    pub fn push_flaw(&mut self, group: u8, flaw: F) {
        self.flaws.push((self.ends.len() as u32, flaw));
        self.push(group, &[]);
    }

    /// Says that something goes on for ever without coming to another state.
    pub fn set_diverges(&mut self) {
        self.diverges = true;
    }

    /// The state that was added last, if the list is not empty.
    pub fn last_state(&self) -> Option<&[u8]> {
        (self.ends.len().checked_sub(1)).map(|last| &self.bytes[self.begin(last)..])
    }

    /// Bytes that the list has.
    pub fn bytes(&self) -> usize {
        self.bytes.len() + self.ends.len() * size_of::<(u32, u8)>()
    }

    #[inline]
    fn begin(&self, position: usize) -> usize {
        match position {
            0 => 0,
            position => self.ends[position - 1].0 as usize,
        }
    }
}

impl<F: Send> Successors for Steps<F> {
    type Flaw = F;

    #[inline]
    fn len(&self) -> usize {
        self.ends.len()
    }

    #[inline]
    fn state(&self, position: usize) -> &[u8] {
        &self.bytes[self.begin(position)..self.ends[position].0 as usize]
    }

    #[inline]
    fn group(&self, position: usize) -> u8 {
        self.ends[position].1
    }

    fn flaw(&self, position: usize) -> Option<&F> {
        let found = self.flaws.iter().find(|(at, _)| *at as usize == position);
        found.map(|(_, flaw)| flaw)
    }

    #[inline]
    fn first_flaw(&self) -> Option<&F> {
        self.flaws.first().map(|(_, flaw)| flaw)
    }

    #[inline]
    fn diverges(&self) -> bool {
        self.diverges
    }
}
