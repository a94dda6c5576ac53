//! Functions from Boolean variables to numbers as multi-terminal diagrams (chapter 7, section 9), on OxiDD.
//!
//! Addition, multiplication and the like are *apply* with arithmetic on the leaves. Matrices and vectors of
//! probabilistic systems are such functions over row and column variables. The number type is a parameter: [`F64`]
//! for floating point, [`Integer`] for checked 64-bit integers, or any type that implements [`NumberBase`].
//!
//! Beware of value explosion: a diagram has at least as many leaves as the function has values.

use crate::edge::Var;
use crate::error::{Error, Result};
use oxidd::error::OutOfMemory;
use oxidd::mtbdd::{MTBDDFunction, MTBDDManagerRef};
use oxidd::{Function, Manager as _, ManagerRef, Node, PseudoBooleanFunction};
use rustc_hash::FxHashMap;

pub use oxidd::NumberBase;
pub use oxidd::mtbdd::terminal::F64;

/// Bytes OxiDD spends on a node with its share of the tables.
const BYTES_PER_NODE: u64 = 40;

/// A 64-bit integer; what does not fit, and quotients that are no integers, are [`Integer::Undefined`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Integer {
    /// No number.
    Undefined,
    /// A number.
    Number(i64),
}

impl PartialOrd for Integer {
    fn partial_cmp(&self, other: &Integer) -> Option<std::cmp::Ordering> {
        match (self, other) {
            (Integer::Number(a), Integer::Number(b)) => a.partial_cmp(b),
            (Integer::Undefined, Integer::Undefined) => Some(std::cmp::Ordering::Equal),
            _ => None,
        }
    }
}

impl Integer {
    fn combine(self, other: Integer, operation: impl Fn(i64, i64) -> Option<i64>) -> Integer {
        match (self, other) {
            (Integer::Number(a), Integer::Number(b)) => {
                operation(a, b).map_or(Integer::Undefined, Integer::Number)
            }
            _ => Integer::Undefined,
        }
    }
}

impl NumberBase for Integer {
    fn zero() -> Integer {
        Integer::Number(0)
    }

    fn one() -> Integer {
        Integer::Number(1)
    }

    fn nan() -> Integer {
        Integer::Undefined
    }

    fn add(&self, other: &Integer) -> Integer {
        self.combine(*other, i64::checked_add)
    }

    fn sub(&self, other: &Integer) -> Integer {
        self.combine(*other, i64::checked_sub)
    }

    fn mul(&self, other: &Integer) -> Integer {
        self.combine(*other, i64::checked_mul)
    }

    fn div(&self, other: &Integer) -> Integer {
        self.combine(*other, |a, b| {
            (a.checked_rem(b)? == 0).then(|| a.checked_div(b)).flatten()
        })
    }
}

/// A number type for leaves.
pub trait Leaf: NumberBase + Send + Sync + 'static {}

impl<N: NumberBase + Send + Sync + 'static> Leaf for N {}

/// Owner of numeric functions over one set of variables.
#[derive(Clone)]
pub struct MtbddManager<N: Leaf> {
    inner: MTBDDManagerRef<N>,
    capacity: usize,
}

/// A function from Boolean variables to numbers.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Mtbdd<N: Leaf> {
    inner: MTBDDFunction<N>,
    capacity: usize,
}

impl<N: Leaf> MtbddManager<N> {
    /// A manager for as many nodes as fit into the memory.
    pub fn new(memory: u64) -> MtbddManager<N> {
        let capacity = (memory / BYTES_PER_NODE).clamp(1 << 10, 1 << 31) as usize;
        let leaves = (capacity / 8).clamp(1 << 8, 1 << 24);
        MtbddManager {
            inner: oxidd::mtbdd::new_manager(capacity, leaves, capacity / 4, 1),
            capacity,
        }
    }

    /// New variables, last in the order.
    pub fn new_vars(&self, count: usize) -> Vec<Var> {
        let range = self
            .inner
            .with_manager_exclusive(|manager| manager.add_vars(count as u32));
        range.map(Var).collect()
    }

    fn lift(&self, outcome: std::result::Result<MTBDDFunction<N>, OutOfMemory>) -> Result<Mtbdd<N>> {
        let inner = outcome.map_err(|_| Error::OutOfMemory {
            capacity: self.capacity,
        })?;
        Ok(Mtbdd {
            inner,
            capacity: self.capacity,
        })
    }

    /// A constant.
    pub fn constant(&self, value: N) -> Result<Mtbdd<N>> {
        self.lift(
            self.inner
                .with_manager_shared(|manager| MTBDDFunction::constant(manager, value)),
        )
    }

    /// The function that is 1 where the variable is true and 0 elsewhere.
    pub fn var(&self, var: Var) -> Result<Mtbdd<N>> {
        self.lift(
            self.inner
                .with_manager_shared(|manager| MTBDDFunction::var(manager, var.0)),
        )
    }
}

impl<N: Leaf> Mtbdd<N> {
    fn lift(&self, outcome: std::result::Result<MTBDDFunction<N>, OutOfMemory>) -> Result<Mtbdd<N>> {
        let inner = outcome.map_err(|_| Error::OutOfMemory {
            capacity: self.capacity,
        })?;
        Ok(Mtbdd {
            inner,
            capacity: self.capacity,
        })
    }

    /// f + g.
    pub fn plus(&self, g: &Mtbdd<N>) -> Result<Mtbdd<N>> {
        self.lift(self.inner.add(&g.inner))
    }

    /// f − g.
    pub fn minus(&self, g: &Mtbdd<N>) -> Result<Mtbdd<N>> {
        self.lift(self.inner.sub(&g.inner))
    }

    /// f · g.
    pub fn times(&self, g: &Mtbdd<N>) -> Result<Mtbdd<N>> {
        self.lift(self.inner.mul(&g.inner))
    }

    /// f / g.
    pub fn divided_by(&self, g: &Mtbdd<N>) -> Result<Mtbdd<N>> {
        self.lift(self.inner.div(&g.inner))
    }

    /// The smaller value at each point.
    pub fn min(&self, g: &Mtbdd<N>) -> Result<Mtbdd<N>> {
        self.lift(PseudoBooleanFunction::min(&self.inner, &g.inner))
    }

    /// The larger value at each point.
    pub fn max(&self, g: &Mtbdd<N>) -> Result<Mtbdd<N>> {
        self.lift(PseudoBooleanFunction::max(&self.inner, &g.inner))
    }

    /// The value at a point.
    pub fn eval(&self, value: impl Fn(Var) -> bool) -> N {
        let vars = self.inner.with_manager_shared(|manager, _| manager.num_vars());
        self.inner.eval((0..vars).map(|var| (var, value(Var(var)))))
    }

    /// Inner nodes of the diagram and leaves, in this order.
    pub fn node_counts(&self) -> (usize, usize) {
        let mut inner = 0;
        let mut leaves = 0;
        self.inner.with_manager_shared(|manager, root| {
            let mut seen = rustc_hash::FxHashSet::default();
            let mut stack = vec![root];
            while let Some(edge) = stack.pop() {
                use oxidd::InnerNode as _;
                if !seen.insert(edge.node_id()) {
                    continue;
                }
                match manager.get_node(edge) {
                    Node::Inner(node) => {
                        inner += 1;
                        stack.extend(node.children());
                    }
                    Node::Terminal(_) => leaves += 1,
                }
            }
        });
        (inner, leaves)
    }

    /// The set of points whose value satisfies a predicate (Z_f of chapter 7), as a function of `manager` in which
    /// variable i stands for variable i here.
    pub fn where_value(&self, manager: &crate::Manager, holds: impl Fn(&N) -> bool) -> Result<crate::Bdd> {
        use oxidd::{HasLevel as _, InnerNode as _};
        self.inner.with_manager_shared(|source, root| {
            // Children before parents, without recursion: a node is finished when it is seen the second time.
            let mut done: FxHashMap<oxidd::NodeID, crate::Bdd> = FxHashMap::default();
            let mut stack = vec![root];
            while let Some(edge) = stack.last().copied() {
                if done.contains_key(&edge.node_id()) {
                    stack.pop();
                    continue;
                }
                match source.get_node(edge) {
                    Node::Terminal(value) => {
                        use std::borrow::Borrow;
                        done.insert(edge.node_id(), manager.constant(holds(value.borrow())));
                    }
                    Node::Inner(node) => {
                        let children: Vec<_> = node.children().collect();
                        let open = children
                            .iter()
                            .filter(|child| !done.contains_key(&child.node_id()));
                        let before = stack.len();
                        stack.extend(open.copied());
                        if stack.len() == before {
                            let var = manager.var(Var(source.level_to_var(node.level())))?;
                            let hi = &done[&children[0].node_id()];
                            let lo = &done[&children[1].node_id()];
                            let function = var.ite(hi, lo)?;
                            done.insert(edge.node_id(), function);
                        }
                    }
                }
            }
            Ok(done[&root.node_id()].clone())
        })
    }
}
