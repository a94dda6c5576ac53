//! Which states of a block can reach a set of transitions by inert steps, and which cannot: the smaller answer, in time that it can pay.
//!
//! *Red* states can: they are found from the sources of the transitions, backwards along inert steps. *Blue* states cannot: bottom states without
//! such a transition, and states without one whose inert steps all lead to blue states. Both searches go on in turn; when one ends, so
//! does the other. A state whose inert steps all lead to blue states, but which has such a transition, costs a look at all its transitions, and
//! will be a new bottom state: that happens once in its life.

use super::Graph;
use super::blocks::Blocks;
use super::outgoing::{INERT, Outgoing};

/// How many transitions one search looks at before it is the other's turn.
const TURN: u32 = 8;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Unknown,
    Red,
    Blue,
}

/// Room for searches, of which one runs at a time.
pub(super) struct Search {
    side: Vec<Side>,
    /// Inert steps of a state that do not lead to a blue state, for states in `counted`.
    left: Vec<u32>,
    counted: Vec<u32>,
    red: Vec<u32>,
    blue: Vec<u32>,
}

/// Where a search is: in the transitions into a state it has found.
#[derive(Default)]
struct Cursor {
    state: usize,
    incoming: u32,
}

impl Cursor {
    /// The next state with an inert step into one of the states found.
    #[inline]
    fn next(&mut self, found: &[u32], graph: &Graph, outgoing: &Outgoing, fuel: &mut u32) -> Option<u32> {
        while *fuel > 0 {
            let &state = found.get(self.state)?;
            *fuel -= 1;
            let incoming = graph.silent_incoming(state);
            match incoming.get(self.incoming as usize) {
                Some(&transition) => {
                    self.incoming += 1;
                    if outgoing.sets.set_of(transition) == INERT {
                        return Some(graph.source[transition as usize]);
                    }
                }
                None => {
                    *self = Cursor {
                        state: self.state + 1,
                        incoming: 0,
                    }
                }
            }
        }
        None
    }
}

impl Search {
    pub fn new(states: usize) -> Search {
        Search {
            side: vec![Side::Unknown; states],
            left: vec![0; states],
            counted: Vec::new(),
            red: Vec::new(),
            blue: Vec::new(),
        }
    }

    /// Searches a block whose bottom states with a transition in `splitter` are marked, and which has others. Gives the states that were found, and
    /// whether these are the red ones; then [`Search::forget`] them.
    pub fn run(
        &mut self,
        graph: &Graph,
        blocks: &Blocks,
        outgoing: &Outgoing,
        block: u32,
        splitter: u32,
    ) -> (&[u32], bool) {
        let mut bottoms = blocks.unmarked_bottoms(block).iter();
        let mut sources = outgoing.sets.elements(splitter).iter();
        let (mut red_at, mut blue_at) = (Cursor::default(), Cursor::default());
        // The state whose transitions are being looked at, and which is next.
        let mut looking: Option<(u32, u32)> = None;
        let is_red = loop {
            let mut fuel = TURN;
            while fuel > 0 {
                let Some(&transition) = sources.next() else {
                    break;
                };
                fuel -= 1;
                self.paint_red(graph.source[transition as usize]);
            }
            while let Some(state) = red_at.next(&self.red, graph, outgoing, &mut fuel) {
                self.paint_red(state);
            }
            if fuel > 0 {
                break true;
            }
            let mut fuel = TURN;
            while fuel > 0 {
                let Some(&state) = bottoms.next() else {
                    break;
                };
                fuel -= 1;
                self.side[state as usize] = Side::Blue;
                self.blue.push(state);
            }
            loop {
                if let Some((state, from)) = looking.take() {
                    let mut transitions = from..graph.offsets[state as usize + 1];
                    let mut meets = false;
                    while fuel > 0 && !meets && self.side[state as usize] == Side::Unknown {
                        let Some(transition) = transitions.next() else {
                            self.side[state as usize] = Side::Blue;
                            self.blue.push(state);
                            break;
                        };
                        fuel -= 1;
                        meets = outgoing.sets.set_of(transition) == splitter;
                    }
                    if !meets && self.side[state as usize] == Side::Unknown {
                        looking = Some((state, transitions.start));
                        break;
                    }
                }
                let Some(state) = blue_at.next(&self.blue, graph, outgoing, &mut fuel) else {
                    break;
                };
                if self.side[state as usize] == Side::Red {
                    continue;
                }
                let left = &mut self.left[state as usize];
                if *left == 0 {
                    *left = blocks.inert_steps(state);
                    self.counted.push(state);
                }
                *left -= 1;
                if *left == 0 {
                    looking = Some((state, graph.offsets[state as usize]));
                }
            }
            if fuel > 0 {
                break false;
            }
        };
        (if is_red { &self.red } else { &self.blue }, is_red)
    }

    #[inline]
    fn paint_red(&mut self, state: u32) {
        let side = &mut self.side[state as usize];
        if *side == Side::Unknown {
            *side = Side::Red;
            self.red.push(state);
        }
    }

    /// Makes room for the next search.
    pub fn forget(&mut self) {
        for state in self.red.drain(..).chain(self.blue.drain(..)) {
            self.side[state as usize] = Side::Unknown;
        }
        for state in self.counted.drain(..) {
            self.left[state as usize] = 0;
        }
    }
}
