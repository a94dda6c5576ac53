//! Hash-consed typed terms.
//!
//! A [`Terms`] store holds a directed acyclic graph in three flat vectors (nodes, operands, sorts) and one hash table
//! that finds an existing node by operator and operands. Building a term twice gives the same id; a node's operands
//! always have smaller ids. Nodes are 20-odd bytes; nothing is ever removed, since a model's terms live as long as it.

use crate::{Sort, Value, VarId};
use hashbrown::{HashMap, HashSet, HashTable};
use rustc_hash::FxBuildHasher;
use std::hash::{BuildHasher, Hash, Hasher};

/// A cone with more than one in this many terms of the store is computed by one pass over the store.
const PASS_OVER: usize = 32;

/// A term of one [`Terms`] store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TermId(pub(crate) u32);

impl TermId {
    /// The position in the store, for tables indexed by terms.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// What a term computes from its operands. Comparisons other than `<`, implication, subtraction of constants and the
/// like are built from these by the constructors of [`Terms`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    /// A value.
    Constant(Value),
    /// A variable now.
    Current(VarId),
    /// A variable (state or frozen) after the step.
    Next(VarId),
    /// Boolean negation.
    Not,
    /// Conjunction of two or more operands, in increasing order of their ids.
    And,
    /// Disjunction of two or more operands, in increasing order of their ids.
    Or,
    /// `if a then b else c`, for every sort.
    Ite,
    /// Equality of two comparable terms; on Booleans, equivalence.
    Equal,
    /// `a < b` on integers, or on words of one shape (by its signedness).
    Less,
    /// Sum (integers; words wrap).
    Add,
    /// Difference (integers; words wrap).
    Subtract,
    /// Negation (integers; words wrap).
    Negate,
    /// Product (integers; words wrap).
    Multiply,
    /// Quotient towards zero. Integers: `x / 0 = 0`. Words: as SMT-LIB (`bvudiv`, `bvsdiv`).
    Divide,
    /// Remainder with the sign of the dividend; `x mod 0 = x`.
    Remainder,
    /// Bitwise complement of a word.
    BitNot,
    /// Bitwise and.
    BitAnd,
    /// Bitwise or.
    BitOr,
    /// Bitwise exclusive or.
    BitXor,
    /// Word shifted left by an integer or an unsigned word; beyond the width it is zero.
    ShiftLeft,
    /// Word shifted right by an integer or an unsigned word: arithmetic on signed words, logical on unsigned ones.
    ShiftRight,
    /// First operand above the second; unsigned.
    Concat,
    /// Bits `high` down to `low`; unsigned.
    Extract {
        /// Highest bit taken.
        high: u32,
        /// Lowest bit taken.
        low: u32,
    },
    /// Wider by so many bits, the number unchanged (sign or zero extension by the operand's signedness).
    Extend {
        /// Bits added.
        by: u32,
    },
    /// The same bits as a word of the given signedness.
    Reinterpret {
        /// The signedness of the result.
        signed: bool,
    },
    /// A truth value as a word of one bit.
    BoolToWord,
    /// The number a word stands for (width at most 62).
    WordToInt,
    /// An integer as a word, wrapping.
    IntToWord {
        /// Width of the result.
        width: u32,
        /// Signedness of the result.
        signed: bool,
    },
    /// The integer that an integer enumeration's constant is.
    AsInteger,
    /// Element of an array at an index of its index sort; outside the index sort, the sort's first value.
    Read,
    /// The array with one element replaced; outside the index sort, the array unchanged.
    Write,
    /// The array (of the term's sort) that has the operand everywhere.
    ConstantArray,
}

#[derive(Clone, Debug)]
struct Node {
    op: Op,
    operands: (u32, u32),
    sort: u32,
}

/// A store of terms.
#[derive(Clone, Debug, Default)]
pub struct Terms {
    nodes: Vec<Node>,
    operands: Vec<TermId>,
    sorts: Vec<Sort>,
    sort_ids: HashMap<Sort, u32, FxBuildHasher>,
    table: HashTable<TermId>,
}

impl Terms {
    /// An empty store.
    pub fn new() -> Terms {
        Terms::default()
    }

    /// How many terms there are; ids are `0..len`.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there is no term.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The operator of a term.
    pub fn op(&self, term: TermId) -> &Op {
        &self.nodes[term.index()].op
    }

    /// The operands of a term, in order.
    pub fn operands(&self, term: TermId) -> &[TermId] {
        let (start, end) = self.nodes[term.index()].operands;
        &self.operands[start as usize..end as usize]
    }

    /// The sort of a term.
    pub fn sort(&self, term: TermId) -> &Sort {
        &self.sorts[self.nodes[term.index()].sort as usize]
    }

    /// The value of a constant term.
    pub fn as_constant(&self, term: TermId) -> Option<&Value> {
        match self.op(term) {
            Op::Constant(value) => Some(value),
            _ => None,
        }
    }

    /// The truth value of a constant Boolean term.
    pub fn as_truth(&self, term: TermId) -> Option<bool> {
        self.as_constant(term).and_then(Value::as_bool)
    }

    /// The term with this operator, operands and sort, new or found. No simplification and no sort check: the
    /// constructors in `build.rs` do both.
    pub(crate) fn intern(&mut self, op: Op, operands: &[TermId], sort: Sort) -> TermId {
        let sort = self.intern_sort(sort);
        let hash = hash_node(&op, operands, sort);
        let (nodes, pool) = (&self.nodes, &self.operands);
        let same = |other: &TermId| {
            let node = &nodes[other.index()];
            let (start, end) = node.operands;
            node.op == op && node.sort == sort && pool[start as usize..end as usize] == *operands
        };
        if let Some(found) = self.table.find(hash, same) {
            return *found;
        }
        let id = TermId(u32::try_from(self.nodes.len()).expect("fewer than 2^32 terms"));
        let start = self.operands.len() as u32;
        self.operands.extend_from_slice(operands);
        self.nodes.push(Node {
            op,
            operands: (start, self.operands.len() as u32),
            sort,
        });
        let (nodes, pool) = (&self.nodes, &self.operands);
        self.table.insert_unique(hash, id, |other| {
            let node = &nodes[other.index()];
            let (start, end) = node.operands;
            hash_node(&node.op, &pool[start as usize..end as usize], node.sort)
        });
        id
    }

    fn intern_sort(&mut self, sort: Sort) -> u32 {
        if let Some(&id) = self.sort_ids.get(&sort) {
            return id;
        }
        let id = self.sorts.len() as u32;
        self.sorts.push(sort.clone());
        self.sort_ids.insert(sort, id);
        id
    }

    /// All terms that the roots are built from, roots included, operands before the terms that use them. The cost is that of the cone, however
    /// large the store is: thousands of small cones are asked for.
    pub fn cone(&self, roots: &[TermId]) -> Vec<TermId> {
        let Some(top) = roots.iter().max() else {
            return Vec::new();
        };
        // A large cone is found faster by passing over the store.
        let small = (top.index() + 1) / PASS_OVER;
        let mut found: HashSet<TermId, FxBuildHasher> = roots.iter().copied().collect();
        let mut pending: Vec<TermId> = found.iter().copied().collect();
        while found.len() <= small
            && let Some(term) = pending.pop()
        {
            let operands = self.operands(term).iter().copied();
            pending.extend(operands.filter(|&operand| found.insert(operand)));
        }
        match pending.is_empty() {
            true => {
                let mut cone: Vec<TermId> = found.into_iter().collect();
                cone.sort_unstable();
                cone
            }
            false => self.large_cone(roots, *top),
        }
    }

    fn large_cone(&self, roots: &[TermId], top: TermId) -> Vec<TermId> {
        let mut needed = vec![false; top.index() + 1];
        for root in roots {
            needed[root.index()] = true;
        }
        for index in (0..needed.len()).rev() {
            if needed[index] {
                for operand in self.operands(TermId(index as u32)) {
                    needed[operand.index()] = true;
                }
            }
        }
        (0..needed.len())
            .filter(|&index| needed[index])
            .map(|index| TermId(index as u32))
            .collect()
    }

    /// For each term, whether the value of a variable after the step occurs in it. One pass over the store; for whoever would
    /// otherwise ask [`Terms::support`] of thousands of terms.
    pub fn mention_next(&self) -> Vec<bool> {
        let mut mention: Vec<bool> = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            let (start, end) = node.operands;
            let below = &self.operands[start as usize..end as usize];
            let here = matches!(node.op, Op::Next(_)) || below.iter().any(|operand| mention[operand.index()]);
            mention.push(here);
        }
        mention
    }

    /// The variables that occur in the roots: now, and after the step; each list in increasing order.
    pub fn support(&self, roots: &[TermId]) -> (Vec<VarId>, Vec<VarId>) {
        let (mut current, mut next) = (Vec::new(), Vec::new());
        for term in self.cone(roots) {
            match self.op(term) {
                Op::Current(variable) => current.push(*variable),
                Op::Next(variable) => next.push(*variable),
                _ => {}
            }
        }
        current.sort_unstable();
        next.sort_unstable();
        (current, next)
    }
}

fn hash_node(op: &Op, operands: &[TermId], sort: u32) -> u64 {
    let mut hasher = FxBuildHasher.build_hasher();
    op.hash(&mut hasher);
    operands.hash(&mut hasher);
    sort.hash(&mut hasher);
    hasher.finish()
}
