//! What stands in the place of machine code in a build without it: there is none, and the interpreter is asked about every edge.

use super::action::Compiled;

/// The machine code of a location: never any.
#[derive(Clone, Debug)]
pub enum LocationCode {}

/// Which edges of a location can be taken: not known.
#[derive(Clone, Copy, Debug)]
pub struct Hints;

impl Hints {
    /// The interpreter must be asked about every edge.
    pub const NONE: Hints = Hints;

    /// Whether the edge can be taken: the interpreter must be asked.
    #[inline]
    pub fn can_take(self, _edge: usize) -> Option<bool> {
        None
    }

    /// Whether no edge can be taken.
    #[inline]
    pub fn is_blocked(self, edges: usize) -> bool {
        edges == 0
    }
}

/// What an edge's routine did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(dead_code, reason = "routines that do not exist do nothing")]
pub enum Done {
    Taken,
    Blocked,
    Ask,
}

/// A routine that takes an edge: never any.
#[derive(Clone, Copy, Debug)]
pub enum EdgeCode {}

impl EdgeCode {
    #[inline]
    pub fn take(self, _state: &mut [u8], _channels: &[u32], _who: (usize, usize), _timeout: bool) -> Done {
        match self {}
    }
}

impl LocationCode {
    #[inline]
    pub fn hints(&self, _state: &[u8], _channels: &[u32], _who: (usize, usize), _timeout: bool) -> Hints {
        match *self {}
    }

    #[inline]
    pub fn edge(&self, _position: usize) -> Option<EdgeCode> {
        match *self {}
    }
}

impl Compiled {
    /// Everything stays interpreted.
    pub fn make_all_machine_code(&self) {}
}

/// How often locations have been visited: of no interest here.
#[derive(Debug, Default)]
pub struct Visits;

impl Visits {
    pub fn new(_compiled: &Compiled) -> Visits {
        Visits
    }

    #[inline]
    pub fn count(&mut self, _kind: usize, _location: usize) {}

    #[inline]
    pub fn enter(&mut self, _compiled: &Compiled) {}
}
