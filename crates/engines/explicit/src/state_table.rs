//! The states of a graph by number: packed words in an exact store of `entail-search`.
//!
//! One thread fills it, so numbers are dense and states are numbered in the order of discovery. Each state also has the number of the state it was
//! first reached from.

use crate::layout::Layout;
use entail_search::{Exact, Refusal, StateNumber, Store};

/// The number of a visited state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct StateId(pub u32);

impl StateId {
    /// For tables indexed by states.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The visited states.
#[derive(Debug)]
pub(crate) struct StateTable {
    words: usize,
    store: Exact,
    pen: <Exact as Store>::Pen,
}

/// Room for reading states.
#[derive(Debug)]
pub(crate) struct Reader {
    pen: <Exact as Store>::Pen,
    bytes: Vec<u8>,
    packed: Vec<u64>,
}

/// There is no number left for another state.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TableFull;

impl From<Refusal> for TableFull {
    fn from(_: Refusal) -> TableFull {
        TableFull
    }
}

impl StateTable {
    pub fn new(layout: &Layout) -> StateTable {
        let store = Exact::new();
        StateTable {
            words: layout.words(),
            pen: store.pen(1),
            store,
        }
    }

    /// How many states there are.
    pub fn len(&self) -> usize {
        self.store.numbers() as usize
    }

    /// The packed state of a number.
    pub fn state(&self, layout: &Layout, id: StateId) -> Vec<u64> {
        let mut packed = vec![0; self.words];
        layout.words_of(&self.store.copy(StateNumber(id.0)), &mut packed);
        packed
    }

    /// Room for reading many states.
    pub fn reader(&self) -> Reader {
        Reader {
            pen: self.store.pen(1),
            bytes: Vec::new(),
            packed: vec![0; self.words],
        }
    }

    /// The packed state of a number.
    pub fn read<'r>(&self, layout: &Layout, id: StateId, reader: &'r mut Reader) -> &'r [u64] {
        self.store
            .open(&mut reader.pen, StateNumber(id.0), &mut reader.bytes);
        layout.words_of(&reader.bytes, &mut reader.packed);
        &reader.packed
    }

    /// The state it was first reached from; none for initial states.
    pub fn parent(&self, id: StateId) -> Option<StateId> {
        self.store
            .parent(StateNumber(id.0))
            .map(|parent| StateId(parent.0))
    }

    /// All numbers, in the order of discovery.
    pub fn ids(&self) -> impl Iterator<Item = StateId> + use<> {
        (0..self.store.numbers()).map(StateId)
    }

    /// The number of the state, and whether it is new.
    pub fn insert(
        &mut self,
        layout: &Layout,
        packed: &[u64],
        parent: Option<StateId>,
    ) -> Result<(StateId, bool), TableFull> {
        let parent = parent.map(|parent| StateNumber(parent.0));
        let (number, new) = self.store.insert(&mut self.pen, layout.bytes(packed), parent)?;
        Ok((StateId(number.0), new))
    }
}
