//! A BTOR2 circuit in memory: its lines, each referring to earlier ones by position.

use crate::Operator;
use num_bigint::BigUint;
use std::sync::Arc;

/// The position of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LineIndex(pub u32);

impl LineIndex {
    /// As a position in a list.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A use of an earlier line; negated if the file says `-n`: every bit flipped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Argument {
    /// The line.
    pub line: LineIndex,
    /// Whether its bits are flipped.
    pub negated: bool,
}

impl Argument {
    /// The line as it is.
    pub fn plain(line: LineIndex) -> Argument {
        Argument { line, negated: false }
    }
}

/// What a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BitSort {
    /// Bit vectors of this width, at least 1.
    Bits(u32),
    /// An array of bit vectors, indexed by bit vectors.
    Array {
        /// Bits of an index.
        index: u32,
        /// Bits of an element.
        element: u32,
    },
}

/// What a line says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Node {
    /// Chosen anew at every step.
    Input(BitSort),
    /// A register.
    State(BitSort),
    /// A constant.
    Constant {
        /// Its width.
        width: u32,
        /// Its bits.
        bits: Arc<BigUint>,
    },
    /// An operator on earlier lines.
    Operation {
        /// The result.
        sort: BitSort,
        /// The operator.
        operator: Operator,
        /// As many as the operator has.
        arguments: Vec<Argument>,
        /// The numbers that `slice` (upper, lower) and the extensions (bits added) have besides.
        numbers: Vec<u32>,
    },
    /// The first value of a state.
    Init {
        /// The state.
        state: LineIndex,
        /// Its value; for an array, possibly one element for all.
        value: Argument,
    },
    /// The next value of a state.
    Next {
        /// The state.
        state: LineIndex,
        /// Its value.
        value: Argument,
    },
    /// This must never be true.
    Bad(Argument),
    /// This is true at every step that counts.
    Constraint(Argument),
    /// This is true infinitely often on every path that counts for justice.
    Fair(Argument),
    /// No path has all of these true infinitely often.
    Justice(Vec<Argument>),
    /// Something to look at.
    Output(Argument),
}

impl Node {
    /// The sort of its value, if it has one.
    pub fn sort(&self) -> Option<BitSort> {
        match self {
            Node::Input(sort) | Node::State(sort) | Node::Operation { sort, .. } => Some(*sort),
            Node::Constant { width, .. } => Some(BitSort::Bits(*width)),
            _ => None,
        }
    }
}

/// A circuit: nodes in the order of the text, sorts left out. Arguments refer to earlier nodes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Btor2 {
    /// The nodes.
    pub nodes: Vec<Node>,
    /// For each node, the number it has in the file.
    pub ids: Vec<u64>,
    /// For each node, its name if it has one.
    pub symbols: Vec<Option<String>>,
}

impl Btor2 {
    /// Adds a node with the next free number.
    pub fn add(&mut self, node: Node, symbol: Option<String>) -> LineIndex {
        let id = self.ids.last().map_or(1, |last| last + 1);
        self.add_numbered(node, id, symbol)
    }

    /// Adds a node under a number.
    pub fn add_numbered(&mut self, node: Node, id: u64, symbol: Option<String>) -> LineIndex {
        self.nodes.push(node);
        self.ids.push(id);
        self.symbols.push(symbol);
        LineIndex(self.nodes.len() as u32 - 1)
    }

    /// A node.
    pub fn node(&self, line: LineIndex) -> &Node {
        &self.nodes[line.index()]
    }

    /// The sort of a node's value, if it has one.
    pub fn sort(&self, line: LineIndex) -> Option<BitSort> {
        self.node(line).sort()
    }

    /// All nodes with their positions.
    pub fn lines(&self) -> impl Iterator<Item = (LineIndex, &Node)> {
        self.nodes
            .iter()
            .enumerate()
            .map(|(position, node)| (LineIndex(position as u32), node))
    }
}
