//! Difference constraints by negative cycles, incrementally and with propagation (Cotton, Maler 2006).
//!
//! `x - y <= c` is an edge from `y` to `x` of weight `c`; bounds of single variables are edges from and to a node that stands for zero. The
//! constraints in force have a solution if and only if there is no cycle of negative weight. Invariant: the potentials satisfy every
//! edge in force, so the reduced weight `potential(from) + weight - potential(to)` of each is at least zero. A new edge that violates this
//! lowers potentials along paths from its end, the largest violation first, until all is satisfied again or its own beginning would have to
//! be lowered: then the paths found close a negative cycle. Taking edges back changes no potential.
//!
//! After an edge, atoms are decided that a shortest path through it implies: Dijkstra's algorithm over reduced weights, forward from
//! its beginning and backward from its end, as long as there are nodes that the edge brings nearer (the relevant ones of Cotton and Maler).
//! An edge that is no shorter than another one between its ends, or whose atom others implied, is left out. Farkas' factors of cycles and paths are all one.
//!
//! Weights are pairs of machine integers, the second counting infinitesimals of strict bounds. Whoever meets a larger number or another form
//! uses the simplex instead. Cost: one pass of a priority queue over what is changed or looked at.

use crate::simplex::Delta;
use entail_first_order::Rational;
use entail_sat::Lit;
use rustc_hash::FxHashSet;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Nodes, and edges of them, that one propagation looks at in each direction. Zero has an edge for every bound of a single variable.
const MOST_VISITED: usize = 120;
const MOST_FOLLOWED: usize = 300;
/// Larger constants are left to the simplex: sums along paths must fit 64 bits.
const LARGEST: i64 = 1 << 38;

/// A whole number and a multiple of an infinitesimal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) struct Weight(i64, i64);

impl Weight {
    /// The weight of a bound, if it is a whole number that is not too large.
    pub fn of(bound: &Delta) -> Option<Weight> {
        let (real, strict) = (bound.real.to_i64()?, bound.infinitesimal.to_i64()?);
        (real.abs() <= LARGEST && strict.abs() <= 1).then_some(Weight(real, strict))
    }

    pub fn negated(self) -> Weight {
        Weight(-self.0, -self.1)
    }

    fn plus(self, other: Weight) -> Weight {
        Weight(self.0 + other.0, self.1 + other.1)
    }

    fn minus(self, other: Weight) -> Weight {
        Weight(self.0 - other.0, self.1 - other.1)
    }
}

/// A node of the graph; the first one stands for zero.
pub(crate) type Node = usize;

/// The node that stands for zero.
pub(crate) const ZERO: Node = 0;

/// An edge: `to - from <= weight`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Edge {
    pub from: Node,
    pub to: Node,
    pub weight: Weight,
}

/// An atom as the edges that its two signs are.
#[derive(Clone, Copy, Debug)]
struct DifferenceAtom {
    lit: Lit,
    positive: Edge,
    negative: Edge,
}

/// The graph of the constraints in force.
pub(crate) struct Differences {
    potentials: Vec<Weight>,
    /// Edges in force, in the order in which they came, with the literals they come from.
    edges: Vec<(Edge, Lit)>,
    outgoing: Vec<Vec<u32>>,
    incoming: Vec<Vec<u32>>,
    /// Literals that edges in force imply; theirs add nothing.
    implied: Vec<Lit>,
    is_implied: FxHashSet<Lit>,
    /// How many edges and implied literals there were when a level was opened.
    marks: Vec<(usize, usize)>,
    /// Edges from here on have not been propagated.
    unpropagated: usize,
    atoms: Vec<DifferenceAtom>,
    /// Atoms with an edge from a node, by position.
    atoms_from: Vec<Vec<u32>>,
    forward: Paths,
    backward: Paths,
    /// Whether the atoms are about integers, once there is one.
    has_integers: Option<bool>,
}

/// Shortest paths from a node, or to it, found last.
#[derive(Default)]
struct Paths {
    /// Reduced distance and the edge that the path came by; meaningful where the stamp is the last one.
    best: Vec<(Weight, u32)>,
    stamps: Vec<u32>,
    stamp: u32,
    /// Nodes whose distance is final, the nearest first.
    settled: Vec<Node>,
    is_settled: Vec<u32>,
    /// Whether the path to a node goes through the edge that is propagated.
    is_relevant: Vec<bool>,
    /// Nodes with such a path whose distance is not final.
    open_relevant: usize,
    queue: BinaryHeap<Reverse<(Weight, Node)>>,
}

const NO_EDGE: u32 = u32::MAX;

impl Paths {
    fn add_node(&mut self) {
        self.best.push((Weight::default(), NO_EDGE));
        self.stamps.push(0);
        self.is_settled.push(0);
        self.is_relevant.push(false);
    }

    /// Forgets the paths found before; they begin at a node, which has a distance and an edge it is reached by.
    fn begin(&mut self, node: Node, distance: Weight, by: u32) {
        self.stamp += 1;
        self.settled.clear();
        self.queue.clear();
        self.open_relevant = 0;
        self.offer(node, distance, by, false);
    }

    fn offer(&mut self, node: Node, distance: Weight, by: u32, is_relevant: bool) {
        let is_new = self.stamps[node] != self.stamp;
        // Of two paths of one length, the one that was there before the new edge.
        if is_new || (distance, is_relevant) < (self.best[node].0, self.is_relevant[node]) {
            if self.is_settled[node] == self.stamp {
                return;
            }
            self.open_relevant -= usize::from(!is_new && self.is_relevant[node]);
            self.open_relevant += usize::from(is_relevant);
            self.is_relevant[node] = is_relevant;
            self.stamps[node] = self.stamp;
            self.best[node] = (distance, by);
            self.queue.push(Reverse((distance, node)));
        }
    }

    /// The next node whose distance is final.
    fn settle(&mut self) -> Option<(Node, Weight)> {
        while let Some(Reverse((distance, node))) = self.queue.pop() {
            if self.is_settled[node] != self.stamp {
                self.is_settled[node] = self.stamp;
                self.open_relevant -= usize::from(self.is_relevant[node]);
                self.settled.push(node);
                return Some((node, distance));
            }
        }
        None
    }

    /// The distance of a node whose path goes through the edge that is propagated.
    fn distance(&self, node: Node) -> Option<Weight> {
        (self.is_settled[node] == self.stamp && self.is_relevant[node]).then(|| self.best[node].0)
    }
}

/// The weight of an edge as potentials change it.
fn reduced(potentials: &[Weight], edge: Edge) -> Weight {
    potentials[edge.from].plus(edge.weight).minus(potentials[edge.to])
}

impl Differences {
    pub fn new() -> Differences {
        let mut differences = Differences {
            potentials: Vec::new(),
            edges: Vec::new(),
            outgoing: Vec::new(),
            incoming: Vec::new(),
            implied: Vec::new(),
            is_implied: FxHashSet::default(),
            marks: Vec::new(),
            unpropagated: 0,
            atoms: Vec::new(),
            atoms_from: Vec::new(),
            forward: Paths::default(),
            backward: Paths::default(),
            has_integers: None,
        };
        differences.add_node();
        differences
    }

    pub fn add_node(&mut self) -> Node {
        self.potentials.push(Weight::default());
        self.outgoing.push(Vec::new());
        self.incoming.push(Vec::new());
        self.atoms_from.push(Vec::new());
        self.forward.add_node();
        self.backward.add_node();
        self.potentials.len() - 1
    }

    /// Whether atoms about integers, or about reals, are all that there is.
    pub fn is_about(&self, integers: bool) -> bool {
        self.has_integers.is_none_or(|known| known == integers)
    }

    /// Makes an atom known to propagation: the edges that it is when it is true, and when it is false.
    pub fn add_atom(&mut self, lit: Lit, positive: Edge, negative: Edge, is_integer: bool) {
        self.has_integers.get_or_insert(is_integer);
        let position = self.atoms.len() as u32;
        self.atoms.push(DifferenceAtom {
            lit,
            positive,
            negative,
        });
        self.atoms_from[positive.from].push(position);
        self.atoms_from[negative.from].push(position);
    }

    pub fn push(&mut self) {
        self.marks.push((self.edges.len(), self.implied.len()));
    }

    pub fn pop_to(&mut self, level: usize) {
        while self.marks.len() > level {
            let (edges, implied) = self.marks.pop().unwrap_or((0, 0));
            while self.edges.len() > edges {
                if let Some((edge, _)) = self.edges.pop() {
                    self.outgoing[edge.from].pop();
                    self.incoming[edge.to].pop();
                }
            }
            for lit in self.implied.drain(implied..) {
                self.is_implied.remove(&lit);
            }
        }
        self.unpropagated = self.unpropagated.min(self.edges.len());
    }

    /// The value of a node, less that of zero.
    pub fn value(&self, node: Node) -> Delta {
        let Weight(real, strict) = self.potentials[node].minus(self.potentials[ZERO]);
        Delta::new(Rational::integer(real), strict)
    }

    /// Requires an edge. The literals of a negative cycle, if that closes one.
    pub fn require(&mut self, edge: Edge, reason: Lit) -> Result<(), Vec<Lit>> {
        // Facts are told again whenever formulas are added.
        let is_known = |&by: &u32| self.edges[by as usize].1 == reason;
        if self.marks.is_empty() && self.outgoing[edge.from].iter().any(is_known) {
            return Ok(());
        }
        let is_longer = |&by: &u32| {
            let known = self.edges[by as usize].0;
            known.to == edge.to && known.weight <= edge.weight
        };
        if self.is_implied.contains(&reason) || self.outgoing[edge.from].iter().any(is_longer) {
            return Ok(());
        }
        let position = self.edges.len() as u32;
        self.edges.push((edge, reason));
        self.outgoing[edge.from].push(position);
        self.incoming[edge.to].push(position);
        match reduced(&self.potentials, edge) < Weight::default() {
            true => self.repair(position),
            false => Ok(()),
        }
    }

    /// Lowers potentials until a new edge is satisfied; the literals of a negative cycle if that cannot be.
    fn repair(&mut self, position: u32) -> Result<(), Vec<Lit>> {
        let (new, _) = self.edges[position as usize];
        let mut lowered: Vec<(Node, Weight)> = Vec::new();
        // Distances here are what potentials must change by, all below zero.
        let first = reduced(&self.potentials, new);
        self.forward.begin(new.to, first, position);
        while let Some((node, change)) = self.forward.settle() {
            if node == new.from {
                let cycle = self.trace(&self.forward, node, Some(position));
                for (node, old) in lowered {
                    self.potentials[node] = old;
                }
                return Err(cycle);
            }
            let old = self.potentials[node];
            lowered.push((node, old));
            self.potentials[node] = old.plus(change);
            for at in 0..self.outgoing[node].len() {
                let by = self.outgoing[node][at];
                let edge = self.edges[by as usize].0;
                if self.forward.is_settled[edge.to] == self.forward.stamp {
                    continue;
                }
                let violated = reduced(&self.potentials, edge);
                if violated < Weight::default() {
                    self.forward.offer(edge.to, violated, by, false);
                }
            }
        }
        Ok(())
    }

    /// The literals of the edges that a path came by, from a node back to where it began or through the edge named.
    fn trace(&self, paths: &Paths, mut node: Node, last: Option<u32>) -> Vec<Lit> {
        let mut literals = Vec::new();
        loop {
            let by = paths.best[node].1;
            if by == NO_EDGE {
                break;
            }
            let (edge, reason) = self.edges[by as usize];
            literals.push(reason);
            if Some(by) == last {
                break;
            }
            // Forward paths are left by the edge's beginning, backward ones by its end.
            node = if edge.to == node { edge.from } else { edge.to };
        }
        literals
    }

    /// The open atoms that paths through the next new edge imply, with the literals they follow from; nothing if no edge is new. `value`
    /// tells what is assigned.
    pub fn propagate(&mut self, value: impl Fn(Lit) -> i8) -> Option<Vec<(Lit, Vec<Lit>)>> {
        if self.unpropagated >= self.edges.len() {
            return None;
        }
        let position = self.unpropagated as u32;
        self.unpropagated += 1;
        let (new, _) = self.edges[position as usize];
        let Differences {
            potentials, edges, ..
        } = self;
        explore(&mut self.backward, (new.to, position), &self.incoming, |by| {
            let edge = edges[by as usize].0;
            (edge.from, reduced(potentials, edge))
        });
        let is_relevant = (self.backward.settled.iter()).any(|&node| {
            self.backward.is_relevant[node]
                && (self.atoms_from[node].iter()).any(|&atom| value(self.atoms[atom as usize].lit) == 0)
        });
        if !is_relevant {
            return Some(Vec::new());
        }
        explore(&mut self.forward, (new.from, position), &self.outgoing, |by| {
            let edge = edges[by as usize].0;
            (edge.to, reduced(potentials, edge))
        });
        let found = self.implied_atoms(position, &value);
        for (lit, _) in &found {
            if self.is_implied.insert(*lit) {
                self.implied.push(*lit);
            }
        }
        Some(found)
    }

    /// The open atoms that paths through an edge imply.
    fn implied_atoms(&self, position: u32, value: &impl Fn(Lit) -> i8) -> Vec<(Lit, Vec<Lit>)> {
        let (new, reason) = self.edges[position as usize];
        let own = reduced(&self.potentials, new);
        let mut found = Vec::new();
        for &start in (self.backward.settled.iter()).filter(|&&start| self.backward.is_relevant[start]) {
            for &atom in &self.atoms_from[start] {
                let atom = &self.atoms[atom as usize];
                if value(atom.lit) != 0 {
                    continue;
                }
                for (side, lit) in [(atom.positive, atom.lit), (atom.negative, !atom.lit)] {
                    let ends = (self.backward.distance(start), self.forward.distance(side.to));
                    let (true, (Some(before), Some(after))) = (side.from == start, ends) else {
                        continue;
                    };
                    // Reduced weights of a path add up to its weight and the potentials of its ends. Both halves have the new edge.
                    let length = (before.plus(after).minus(own))
                        .plus(self.potentials[side.to])
                        .minus(self.potentials[start]);
                    if length <= side.weight {
                        let mut reasons = self.trace(&self.backward, start, None);
                        let other_half = self.trace(&self.forward, side.to, None);
                        reasons.extend(other_half.into_iter().filter(|&one| one != reason));
                        found.push((lit, reasons));
                    }
                }
            }
        }
        found
    }
}

/// Shortest paths from a node over the edges of each node, as long as there may be more of them through the edge named; `follow` gives an
/// edge's other end and its reduced weight.
fn explore(
    paths: &mut Paths,
    (source, through): (Node, u32),
    edges: &[Vec<u32>],
    follow: impl Fn(u32) -> (Node, Weight),
) {
    paths.begin(source, Weight::default(), NO_EDGE);
    let mut followed = 0;
    while (paths.open_relevant > 0 || paths.settled.is_empty())
        && paths.settled.len() < MOST_VISITED
        && followed < MOST_FOLLOWED
    {
        let Some((node, distance)) = paths.settle() else {
            break;
        };
        followed += edges[node].len();
        for &by in &edges[node] {
            let (other, weight) = follow(by);
            let is_relevant = paths.is_relevant[node] || by == through;
            paths.offer(other, distance.plus(weight), by, is_relevant);
        }
    }
}
