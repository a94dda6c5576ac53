//! Accepting cycles on the fly: Couvreur's algorithm.
//!
//! Couvreur, *On-the-fly verification of linear temporal logic* (FM 1999): one depth-first search that keeps a stack of the roots of strongly connected components that are
//! still open, with the marks met inside. When an edge closes a cycle, the components on it are joined; as soon as one meets all that is
//! wanted, there is an accepting cycle. Any number of marks costs nothing more (generalized acceptance). What cannot be said before a component is closed (strong fairness, Rabin
//! pairs) is asked when it is. Linear in the part of the product that is seen.

use super::marks::unite;
use std::ops::Range;

/// A graph whose nodes are numbered as they are found, with marks on its edges; usually the product of a system and an automaton.
pub trait Product {
    /// Why a search cannot go on.
    type Stop;

    /// Words in a set of marks.
    fn words(&self) -> usize;

    /// Nodes have numbers less than this; it may rise with every call of [`Product::enter`].
    fn node_count(&self) -> usize;

    /// Finds the edges of a node: called once for each, before the others are asked about it. Nothing if coming here is accepted whatever follows.
    fn enter(&mut self, node: u32) -> Result<Option<Range<usize>>, Self::Stop>;

    /// Where an edge leads; adds the marks that it meets.
    fn edge(&self, node: u32, edge: usize, marks: &mut [u64]) -> u32;

    /// The search has come back from a node for good. Nodes are left in the reverse order in which they were entered.
    fn leave(&mut self, _node: u32) {}

    /// Whether a cycle that meets these marks, and perhaps more, is accepted.
    fn accepts(&self, met: &[u64]) -> bool;

    /// Whether there is an accepted cycle in a component that meets these marks together.
    fn closed(&mut self, _members: &[u32], _met: &[u64]) -> Result<bool, Self::Stop> {
        Ok(false)
    }
}

/// What a search found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// No accepted cycle can be reached.
    Nothing,
    /// Coming to this node is accepted.
    End(u32),
    /// There is an accepted cycle through the nodes that [`Couvreur::is_inside`] tells.
    Cycle,
    /// There is an accepted cycle among these nodes.
    Among(Vec<u32>),
}

/// The components on the way of a search: the order of the first node of each, the marks met inside, and the marks of the edge
/// by which it was entered.
#[derive(Debug)]
struct Roots {
    words: usize,
    orders: Vec<u32>,
    /// Two rows of words a component: met, entered.
    marks: Vec<u64>,
    joined: Vec<u64>,
}

impl Roots {
    fn new(words: usize) -> Roots {
        Roots {
            words,
            orders: Vec::new(),
            marks: Vec::new(),
            joined: vec![0; words],
        }
    }

    fn last(&self) -> Option<u32> {
        self.orders.last().copied()
    }

    /// What is met in the last component.
    fn met(&self) -> &[u64] {
        let at = self.marks.len() - 2 * self.words;
        &self.marks[at..at + self.words]
    }

    fn enter(&mut self, order: u32, entered: &[u64]) {
        self.orders.push(order);
        self.marks.resize(self.marks.len() + self.words, 0);
        self.marks.extend_from_slice(entered);
    }

    fn leave(&mut self) {
        self.orders.pop();
        self.marks.truncate(self.marks.len() - 2 * self.words);
    }

    /// An edge with these marks leads back to a node of this order: what lies between is one component.
    fn join(&mut self, reached: u32, met: &[u64]) {
        self.joined.copy_from_slice(met);
        while self.last().is_some_and(|order| order > reached) {
            let at = self.marks.len() - 2 * self.words;
            unite(&mut self.joined, &self.marks[at..at + self.words]);
            unite(&mut self.joined, &self.marks[at + self.words..]);
            self.leave();
        }
        let at = self.marks.len() - 2 * self.words;
        unite(&mut self.marks[at..at + self.words], &self.joined);
    }
}

const UNSEEN: u32 = 0;
const CLOSED: u32 = u32::MAX;

/// The search.
#[derive(Debug, Default)]
pub struct Couvreur {
    /// The order of discovery by node; `CLOSED` when its component is done.
    order: Vec<u32>,
    count: u32,
    /// The order of the root of the component that was found.
    found: Option<u32>,
    /// The most nodes that were on the way at once.
    pub depth: u64,
    /// Edges that were followed.
    pub transitions: u64,
}

impl Couvreur {
    /// A search that has seen nothing.
    pub fn new() -> Couvreur {
        Couvreur::default()
    }

    /// Whether a node was entered.
    pub fn has_entered(&self, node: u32) -> bool {
        self.order
            .get(node as usize)
            .is_some_and(|&order| order != UNSEEN)
    }

    /// Whether a node is in the component that was found.
    pub fn is_inside(&self, node: u32) -> bool {
        let order = self.order.get(node as usize).copied().unwrap_or(UNSEEN);
        self.found.is_some_and(|root| order != CLOSED && order >= root)
    }

    /// Searches everything that can be reached from a node and was not seen before.
    pub fn explore<P: Product>(&mut self, product: &mut P, first: u32) -> Result<Found, P::Stop> {
        let words = product.words();
        let mut roots = Roots::new(words);
        let mut live: Vec<u32> = Vec::new();
        // The nodes on the way, with the edges that are still to be followed.
        let mut way: Vec<(u32, Range<usize>)> = Vec::new();
        let mut met = vec![0; words];
        let mut entering = (!self.has_entered(first)).then_some(first);
        loop {
            if let Some(node) = entering.take() {
                let Some(edges) = product.enter(node)? else {
                    return Ok(Found::End(node));
                };
                self.order.resize(product.node_count(), UNSEEN);
                self.count += 1;
                self.order[node as usize] = self.count;
                self.transitions += edges.len() as u64;
                roots.enter(self.count, &met);
                live.push(node);
                way.push((node, edges));
                self.depth = self.depth.max(way.len() as u64);
            }
            let Some((node, edges)) = way.last_mut() else {
                return Ok(Found::Nothing);
            };
            let node = *node;
            let Some(edge) = edges.next() else {
                way.pop();
                if roots.last() == Some(self.order[node as usize]) {
                    let first = live.iter().rposition(|&member| member == node);
                    let first = first.expect("the root of an open component is live");
                    if product.closed(&live[first..], roots.met())? {
                        return Ok(Found::Among(live.split_off(first)));
                    }
                    for member in live.drain(first..) {
                        self.order[member as usize] = CLOSED;
                    }
                    roots.leave();
                }
                product.leave(node);
                continue;
            };
            met.fill(0);
            let target = product.edge(node, edge, &mut met);
            match self.order[target as usize] {
                UNSEEN => entering = Some(target),
                CLOSED => {}
                reached => {
                    roots.join(reached, &met);
                    if product.accepts(roots.met()) {
                        self.found = roots.last();
                        return Ok(Found::Cycle);
                    }
                }
            }
        }
    }
}
