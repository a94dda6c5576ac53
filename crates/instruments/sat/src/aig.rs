//! And-inverter graphs with structural hashing and local rewriting.
//!
//! A node is a leaf or the conjunction of two signals; a signal is a node or its complement. Node 0 is the constant false.
//! Fanins have smaller numbers than their node, so walking numbers upwards is walking the graph in topological order and
//! nothing here recurses on its depth.
//!
//! `and` looks two levels down (Brummayer and Biere, "Local two-level and-inverter graph minimization without blowup"): contradiction,
//! idempotence, subsumption, substitution and resolution. Each rule gives an existing signal or a smaller conjunction, so
//! construction terminates and costs constant time a node.

use rustc_hash::FxHashMap;
use std::fmt;
use std::ops::Not;

/// A node of one [`Aig`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Node(u32);

impl Node {
    /// The node of this number.
    pub fn new(index: usize) -> Node {
        Node(index as u32)
    }

    /// Its number.
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }

    /// The node as a signal.
    #[inline]
    pub fn signal(self) -> Signal {
        Signal(self.0 << 1)
    }
}

/// A node or its complement.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Signal(u32);

impl Signal {
    /// Never true.
    pub const FALSE: Signal = Signal(0);
    /// Always true.
    pub const TRUE: Signal = Signal(1);

    /// The constant signal.
    pub fn constant(truth: bool) -> Signal {
        Signal(u32::from(truth))
    }

    /// The node.
    #[inline]
    pub fn node(self) -> Node {
        Node(self.0 >> 1)
    }

    /// Whether the signal is the complement of its node.
    #[inline]
    pub fn is_complemented(self) -> bool {
        self.0 & 1 == 1
    }

    /// The truth value of a constant signal.
    pub fn as_constant(self) -> Option<bool> {
        (self.0 < 2).then_some(self.0 == 1)
    }

    /// This signal, or its complement if `flip`.
    #[inline]
    pub fn flipped_if(self, flip: bool) -> Signal {
        Signal(self.0 ^ u32::from(flip))
    }
}

impl Not for Signal {
    type Output = Signal;

    #[inline]
    fn not(self) -> Signal {
        Signal(self.0 ^ 1)
    }
}

impl fmt::Debug for Signal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.is_complemented() { "!" } else { "" };
        write!(f, "{sign}{}", self.0 >> 1)
    }
}

/// Stands in the place of a leaf's fanins.
const LEAF: Signal = Signal(u32::MAX);

/// An and-inverter graph.
#[derive(Clone, Debug)]
pub struct Aig {
    fanins: Vec<(Signal, Signal)>,
    table: FxHashMap<(Signal, Signal), Node>,
}

impl Default for Aig {
    fn default() -> Aig {
        Aig::new()
    }
}

impl Aig {
    /// A graph with the constant only.
    pub fn new() -> Aig {
        Aig {
            fanins: vec![(LEAF, LEAF)],
            table: FxHashMap::default(),
        }
    }

    /// How many nodes there are, the constant included.
    pub fn len(&self) -> usize {
        self.fanins.len()
    }

    /// Whether there is nothing but the constant.
    pub fn is_empty(&self) -> bool {
        self.fanins.len() == 1
    }

    /// A new leaf.
    pub fn leaf(&mut self) -> Signal {
        self.fanins.push((LEAF, LEAF));
        Node((self.fanins.len() - 1) as u32).signal()
    }

    /// The two signals a node is the conjunction of; none for a leaf or the constant.
    #[inline]
    pub fn fanins(&self, node: Node) -> Option<(Signal, Signal)> {
        let (a, b) = self.fanins[node.index()];
        (a != LEAF).then_some((a, b))
    }

    /// `a ∧ b`
    pub fn and(&mut self, a: Signal, b: Signal) -> Signal {
        let (mut a, mut b) = if a < b { (a, b) } else { (b, a) };
        loop {
            if a == b || a == Signal::TRUE {
                return b;
            }
            if a == !b || a == Signal::FALSE {
                return Signal::FALSE;
            }
            match self.rewrite(a, b).or_else(|| self.rewrite(b, a)) {
                Some(Rewrite::To(signal)) => return signal,
                Some(Rewrite::And(c, d)) => (a, b) = if c < d { (c, d) } else { (d, c) },
                None => break,
            }
        }
        let fanins = &mut self.fanins;
        self.table
            .entry((a, b))
            .or_insert_with(|| {
                fanins.push((a, b));
                Node((fanins.len() - 1) as u32)
            })
            .signal()
    }

    /// What `a ∧ b` is by looking at `a`'s fanins, and at `b`'s where both are conjunctions.
    fn rewrite(&self, a: Signal, b: Signal) -> Option<Rewrite> {
        let (a0, a1) = self.fanins(a.node())?;
        if a.is_complemented() {
            // ¬(a0 ∧ a1) ∧ b
            if b == !a0 || b == !a1 {
                return Some(Rewrite::To(b));
            }
            if b == a0 {
                return Some(Rewrite::And(b, !a1));
            }
            if b == a1 {
                return Some(Rewrite::And(b, !a0));
            }
        } else {
            if b == !a0 || b == !a1 {
                return Some(Rewrite::To(Signal::FALSE));
            }
            if b == a0 || b == a1 {
                return Some(Rewrite::To(a));
            }
        }
        let (b0, b1) = self.fanins(b.node())?;
        match (a.is_complemented(), b.is_complemented()) {
            (false, false) => {
                if a0 == !b0 || a0 == !b1 || a1 == !b0 || a1 == !b1 {
                    return Some(Rewrite::To(Signal::FALSE));
                }
                if a0 == b0 || a1 == b0 {
                    return Some(Rewrite::And(a, b1));
                }
                if a0 == b1 || a1 == b1 {
                    return Some(Rewrite::And(a, b0));
                }
            }
            (false, true) => {
                // a0 ∧ a1 ∧ ¬(b0 ∧ b1)
                if a0 == !b0 || a0 == !b1 || a1 == !b0 || a1 == !b1 {
                    return Some(Rewrite::To(a));
                }
                if a0 == b0 || a1 == b0 {
                    return Some(Rewrite::And(a, !b1));
                }
                if a0 == b1 || a1 == b1 {
                    return Some(Rewrite::And(a, !b0));
                }
            }
            (true, true) => {
                // ¬(x ∧ y) ∧ ¬(x ∧ ¬y) = ¬x
                let pairs = [
                    (a0, a1, b0, b1),
                    (a0, a1, b1, b0),
                    (a1, a0, b0, b1),
                    (a1, a0, b1, b0),
                ];
                for (x, y, same, opposite) in pairs {
                    if x == same && y == !opposite {
                        return Some(Rewrite::To(!x));
                    }
                }
            }
            (true, false) => {}
        }
        None
    }

    /// `a ∨ b`
    pub fn or(&mut self, a: Signal, b: Signal) -> Signal {
        !self.and(!a, !b)
    }

    /// `a ⊕ b`
    pub fn xor(&mut self, a: Signal, b: Signal) -> Signal {
        let both = self.and(a, b);
        let neither = self.and(!a, !b);
        self.and(!both, !neither)
    }

    /// `a ↔ b`
    pub fn iff(&mut self, a: Signal, b: Signal) -> Signal {
        !self.xor(a, b)
    }

    /// `if condition then a else b`
    pub fn mux(&mut self, condition: Signal, a: Signal, b: Signal) -> Signal {
        if a == b {
            return a;
        }
        if a == !b {
            return self.iff(condition, a);
        }
        let then = self.and(condition, a);
        let otherwise = self.and(!condition, b);
        self.or(then, otherwise)
    }

    /// The conjunction of all, as a balanced tree.
    pub fn and_all(&mut self, signals: impl IntoIterator<Item = Signal>) -> Signal {
        let mut layer: Vec<Signal> = signals.into_iter().collect();
        layer.sort_unstable();
        layer.dedup();
        while layer.len() > 1 {
            layer = layer
                .chunks(2)
                .map(|pair| match pair {
                    [a, b] => self.and(*a, *b),
                    rest => rest[0],
                })
                .collect();
        }
        layer.first().copied().unwrap_or(Signal::TRUE)
    }

    /// The disjunction of all.
    pub fn or_all(&mut self, signals: impl IntoIterator<Item = Signal>) -> Signal {
        let negated: Vec<Signal> = signals.into_iter().map(|signal| !signal).collect();
        !self.and_all(negated)
    }

    /// The nodes that the roots depend on, roots included, in increasing order.
    pub fn cone(&self, roots: impl IntoIterator<Item = Signal>) -> Vec<Node> {
        let mut needed = vec![false; self.len()];
        let mut top = 0;
        for root in roots {
            needed[root.node().index()] = true;
            top = top.max(root.node().index() + 1);
        }
        for index in (0..top).rev() {
            if needed[index]
                && let Some((a, b)) = self.fanins(Node::new(index))
            {
                needed[a.node().index()] = true;
                needed[b.node().index()] = true;
            }
        }
        (0..top).filter(|&index| needed[index]).map(Node::new).collect()
    }

    /// Whether each node depends on one of these nodes; each does on itself.
    pub fn depending_on(&self, nodes: &[Node]) -> Vec<bool> {
        let mut depends = vec![false; self.len()];
        for node in nodes {
            depends[node.index()] = true;
        }
        for index in 1..self.len() {
            if let Some((a, b)) = self.fanins(Node::new(index)) {
                depends[index] |= depends[a.node().index()] || depends[b.node().index()];
            }
        }
        depends
    }

    /// The values of all nodes, given the leaves'.
    pub fn evaluate(&self, mut leaf: impl FnMut(Node) -> bool) -> Vec<bool> {
        let mut values: Vec<bool> = Vec::with_capacity(self.len());
        for index in 0..self.len() {
            let of = |signal: Signal| values[signal.node().index()] != signal.is_complemented();
            let value = match self.fanins(Node::new(index)) {
                Some((a, b)) => of(a) && of(b),
                None => index > 0 && leaf(Node::new(index)),
            };
            values.push(value);
        }
        values
    }

    /// Copies the cones of roots of another graph into this one; `leaf` says what the other's leaves are here. The result has
    /// a signal for every node of the cones.
    pub fn import(
        &mut self,
        other: &Aig,
        roots: impl IntoIterator<Item = Signal>,
        mut leaf: impl FnMut(&mut Aig, Node) -> Signal,
    ) -> Imported {
        let mut image = vec![None; other.len()];
        for node in other.cone(roots) {
            let of = |signal: Signal, image: &[Option<Signal>]| {
                image[signal.node().index()]
                    .expect("fanins come before their node")
                    .flipped_if(signal.is_complemented())
            };
            image[node.index()] = Some(match other.fanins(node) {
                Some((a, b)) => {
                    let (a, b) = (of(a, &image), of(b, &image));
                    self.and(a, b)
                }
                None if node.index() == 0 => Signal::FALSE,
                None => leaf(self, node),
            });
        }
        Imported { image }
    }
}

/// Where the nodes of another graph went.
#[derive(Clone, Debug)]
pub struct Imported {
    image: Vec<Option<Signal>>,
}

impl Imported {
    /// The signal here for a signal there, if it was in the imported cones.
    pub fn get(&self, signal: Signal) -> Option<Signal> {
        let image = self.image.get(signal.node().index()).copied().flatten()?;
        Some(image.flipped_if(signal.is_complemented()))
    }
}

/// What a local rule found.
enum Rewrite {
    To(Signal),
    And(Signal, Signal),
}

/// The value of a signal among node values.
pub fn value_of(values: &[bool], signal: Signal) -> bool {
    values[signal.node().index()] != signal.is_complemented()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::rngs::StdRng;
    use rand::{Rng, SeedableRng};

    /// Truth tables over four leaves as 16-bit masks.
    const LEAVES: [u16; 4] = [0xaaaa, 0xcccc, 0xf0f0, 0xff00];

    #[test]
    fn rewriting_keeps_the_function() {
        let mut random = StdRng::seed_from_u64(1);
        for _ in 0..300 {
            let mut aig = Aig::new();
            let mut pool: Vec<(Signal, u16)> = LEAVES.iter().map(|&table| (aig.leaf(), table)).collect();
            for _ in 0..60 {
                let mut pick = || {
                    let (signal, table) = pool[random.random_range(0..pool.len())];
                    if random.random_bool(0.5) {
                        (!signal, !table)
                    } else {
                        (signal, table)
                    }
                };
                let ((a, ta), (b, tb), (c, tc)) = (pick(), pick(), pick());
                pool.push(match random.random_range(0..4) {
                    0 => (aig.xor(a, b), ta ^ tb),
                    1 => (aig.mux(a, b, c), (ta & tb) | (!ta & tc)),
                    _ => (aig.and(a, b), ta & tb),
                });
            }
            for assignment in 0..16u16 {
                let values = aig.evaluate(|node| assignment >> (node.index() - 1) & 1 == 1);
                for &(signal, table) in &pool {
                    assert_eq!(value_of(&values, signal), table >> assignment & 1 == 1);
                }
            }
        }
    }

    #[test]
    fn a_gate_and_what_it_is_an_operand_of_depend_on_it() {
        let mut aig = Aig::new();
        let (a, b, c) = (aig.leaf(), aig.leaf(), aig.leaf());
        let gate = aig.and(a, b);
        let (above, beside) = (aig.and(gate, c), aig.and(!b, c));
        let depends = aig.depending_on(&[gate.node()]);
        let of = [a, b, c, gate, above, beside].map(|signal| depends[signal.node().index()]);
        assert_eq!(of, [false, false, false, true, true, false]);
    }

    #[test]
    fn equal_structure_is_one_node() {
        let mut aig = Aig::new();
        let (a, b, c) = (aig.leaf(), aig.leaf(), aig.leaf());
        let left = aig.and(a, b);
        assert_eq!(left, aig.and(b, a));
        assert_eq!(aig.and(left, a), left);
        assert_eq!(aig.and(left, !a), Signal::FALSE);
        let or = aig.or(a, c);
        assert_eq!(aig.and(or, a), a);
        let (x, y) = (aig.and(a, b), aig.and(a, !b));
        assert_eq!(aig.or(x, y), a);
    }
}
