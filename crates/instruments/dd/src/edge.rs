//! Names for variables, levels and edges.
//!
//! An edge is a node number with a complement bit in its lowest position, so that negation is one exclusive or
//! (chapter 7, section 6). The only leaf is node 0; the constant *true* is the plain edge to it.

/// A variable of a [`crate::Manager`]. It keeps its number for ever; its place in the order is its *level*.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Var(pub(crate) u32);

impl Var {
    /// The variable created as the `index`-th of its manager, counting from 0.
    pub fn new(index: usize) -> Var {
        Var(u32::try_from(index).expect("variable numbers are small"))
    }

    /// How many variables were created before this one.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The level of the leaf: below every variable.
pub(crate) const LEAF_LEVEL: u32 = u32::MAX;

/// A function inside the kernel: node number and complement bit. Does not keep its node alive.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Edge(pub(crate) u32);

impl Edge {
    pub(crate) const TRUE: Edge = Edge(0);
    pub(crate) const FALSE: Edge = Edge(1);

    /// The uncomplemented edge to a node.
    #[inline(always)]
    pub(crate) fn to_node(node: u32) -> Edge {
        Edge(node << 1)
    }

    #[inline(always)]
    pub(crate) fn node(self) -> u32 {
        self.0 >> 1
    }

    #[inline(always)]
    pub(crate) fn is_complemented(self) -> bool {
        self.0 & 1 != 0
    }

    /// 1 if complemented, else 0.
    #[inline(always)]
    pub(crate) fn parity(self) -> u32 {
        self.0 & 1
    }

    #[inline(always)]
    pub(crate) fn is_constant(self) -> bool {
        self.0 <= 1
    }

    #[inline(always)]
    pub(crate) fn regular(self) -> Edge {
        Edge(self.0 & !1)
    }

    /// Complements the edge if `parity` is 1.
    #[inline(always)]
    pub(crate) fn with_parity(self, parity: u32) -> Edge {
        Edge(self.0 ^ parity)
    }
}

impl std::ops::Not for Edge {
    type Output = Edge;

    #[inline(always)]
    fn not(self) -> Edge {
        Edge(self.0 ^ 1)
    }
}
