//! Looking at diagrams: sizes, support, evaluation, counting.
//!
//! Nothing here makes nodes, so nothing here can run out of nodes. Each function visits each node at most once.

use crate::bdd::Bdd;
use crate::edge::{Edge, Var};
use crate::kernel::Kernel;
use crate::manager::Manager;
use fixedbitset::FixedBitSet;
use num_bigint::BigUint;
use num_traits::{One, Zero};
use rustc_hash::{FxHashMap, FxHashSet};

impl Bdd {
    /// Inner nodes of the diagram, with complement edges and without the leaf.
    pub fn node_count(&self) -> usize {
        shared_node_count([self])
    }

    /// Inner nodes of the plain diagram, in which a function and its complement do not share nodes: the number that
    /// textbooks give.
    pub fn plain_node_count(&self) -> usize {
        let manager = self.manager();
        let state = manager.state();
        let mut seen: FxHashSet<Edge> = FxHashSet::default();
        let mut stack = vec![self.edge()];
        while let Some(edge) = stack.pop() {
            if !edge.is_constant() && seen.insert(edge) {
                let (lo, hi) = state.kernel.cofactors(edge);
                stack.extend([lo, hi]);
            }
        }
        seen.len()
    }

    /// The variables the function depends on, by level.
    pub fn support(&self) -> Vec<Var> {
        let manager = self.manager();
        let state = manager.state();
        let kernel = &state.kernel;
        let mut levels = FixedBitSet::with_capacity(kernel.var_at.len());
        visit(kernel, [self.edge()], |node| {
            levels.insert(kernel.label(node) as usize)
        });
        levels.ones().map(|level| Var(kernel.var_at[level])).collect()
    }

    /// The support as a positive cube.
    pub fn support_cube(&self) -> crate::Result<Bdd> {
        self.manager().var_set(self.support())
    }

    /// The topmost variable with the cofactors (lo, hi) by it, unless the function is constant.
    pub fn top(&self) -> Option<(Var, Bdd, Bdd)> {
        let manager = self.manager();
        let state = manager.state();
        if self.is_constant() {
            return None;
        }
        let (lo, hi) = state.kernel.cofactors(self.edge());
        let var = Var(state.kernel.var_at[state.kernel.level(self.edge()) as usize]);
        Some((var, Bdd::hold(&manager, lo), Bdd::hold(&manager, hi)))
    }

    /// The value at a point.
    pub fn eval(&self, value: impl Fn(Var) -> bool) -> bool {
        let manager = self.manager();
        let state = manager.state();
        let kernel = &state.kernel;
        let mut edge = self.edge();
        while !edge.is_constant() {
            let (lo, hi) = kernel.cofactors(edge);
            edge = if value(Var(kernel.var_at[kernel.level(edge) as usize])) {
                hi
            } else {
                lo
            };
        }
        edge == Edge::TRUE
    }

    /// How many assignments to `vars` satisfy the function. `vars` must contain the support, each variable once.
    pub fn count(&self, vars: &[Var]) -> BigUint {
        let counter = Counter::new(self, vars);
        let manager = self.manager();
        let state = manager.state();
        counter.exact(&state.kernel, self.edge())
    }

    /// The base-2 logarithm of [`Bdd::count`]; negative infinity if unsatisfiable. Much cheaper with thousands of
    /// variables, and good to about ten digits.
    pub fn count_log2(&self, vars: &[Var]) -> f64 {
        let manager = self.manager();
        let state = manager.state();
        let fraction = density(&state.kernel, self.edge());
        fraction.mantissa.log2() + fraction.exponent as f64 + vars.len() as f64
    }
}

/// Inner nodes of several functions together, shared ones counted once.
pub fn shared_node_count<'a>(functions: impl IntoIterator<Item = &'a Bdd>) -> usize {
    let functions: Vec<&Bdd> = functions.into_iter().collect();
    let Some(first) = functions.first() else {
        return 0;
    };
    let manager = first.manager();
    let state = manager.state();
    let mut count = 0;
    visit(&state.kernel, functions.iter().map(|f| first.operand(f)), |_| {
        count += 1
    });
    count
}

impl Manager {
    /// For each level the number of nodes of the given functions on it: the profile of the diagrams.
    pub fn profile<'a>(&self, functions: impl IntoIterator<Item = &'a Bdd>) -> Vec<usize> {
        let state = self.state();
        let mut profile = vec![0; state.kernel.var_at.len()];
        let edges: Vec<Edge> = functions.into_iter().map(Bdd::edge).collect();
        visit(&state.kernel, edges, |node| {
            profile[state.kernel.label(node) as usize] += 1
        });
        profile
    }
}

/// Calls `see` for each inner node reachable from the edges, once.
pub(crate) fn visit(kernel: &Kernel, edges: impl IntoIterator<Item = Edge>, mut see: impl FnMut(u32)) {
    let mut seen: FxHashSet<u32> = FxHashSet::default();
    let mut stack: Vec<u32> = Vec::new();
    for edge in edges {
        stack.push(edge.node());
        while let Some(node) = stack.pop() {
            if node != 0 && seen.insert(node) {
                see(node);
                let (lo, hi) = kernel.children(node);
                stack.push(hi.node());
                stack.push(lo.node());
            }
        }
    }
}

/// The nodes reachable from an edge, children before parents.
pub(crate) fn bottom_up(kernel: &Kernel, edges: impl IntoIterator<Item = Edge>) -> Vec<u32> {
    let mut nodes = Vec::new();
    visit(kernel, edges, |node| nodes.push(node));
    nodes.sort_unstable_by_key(|&node| std::cmp::Reverse(kernel.label(node)));
    nodes
}

/// Counts models over a set of variables.
struct Counter {
    /// For each level, how many variables of the set are above it; one entry more for the leaf.
    above: Vec<usize>,
}

impl Counter {
    fn new(f: &Bdd, vars: &[Var]) -> Counter {
        let support = f.support();
        let manager = f.manager();
        let state = manager.state();
        let kernel = &state.kernel;
        let mut chosen = FixedBitSet::with_capacity(kernel.var_at.len());
        vars.iter()
            .for_each(|var| chosen.insert(kernel.level_of[var.index()] as usize));
        assert!(
            support
                .iter()
                .all(|var| chosen.contains(kernel.level_of[var.index()] as usize)),
            "models can only be counted over a superset of the support"
        );
        let mut above = vec![0];
        for level in 0..kernel.var_at.len() {
            above.push(above[level] + usize::from(chosen.contains(level)));
        }
        Counter { above }
    }

    fn rank(&self, kernel: &Kernel, edge: Edge) -> usize {
        self.above[(kernel.level(edge) as usize).min(self.above.len() - 1)]
    }

    /// Models over the chosen variables. Each node's own count is over those at or below its level.
    fn exact(&self, kernel: &Kernel, f: Edge) -> BigUint {
        let total = *self.above.last().expect("there is always an entry for the leaf");
        let mut counts: FxHashMap<u32, BigUint> = FxHashMap::default();
        counts.insert(0, BigUint::one());
        let count_of = |counts: &FxHashMap<u32, BigUint>, edge: Edge| {
            let count = counts[&edge.node()].clone();
            if edge.is_complemented() {
                (BigUint::one() << (total - self.rank(kernel, edge))) - count
            } else {
                count
            }
        };
        for node in bottom_up(kernel, [f]) {
            let rank = self.rank(kernel, Edge::to_node(node));
            let (lo, hi) = kernel.children(node);
            let mut sum = BigUint::zero();
            for child in [lo, hi] {
                sum += count_of(&counts, child) << (self.rank(kernel, child) - rank - 1);
            }
            counts.insert(node, sum);
        }
        count_of(&counts, f) << self.rank(kernel, f)
    }
}

/// A non-negative number with a wide exponent.
#[derive(Clone, Copy)]
struct Wide {
    mantissa: f64,
    exponent: i64,
}

impl Wide {
    fn new(mantissa: f64, exponent: i64) -> Wide {
        if mantissa == 0.0 {
            return Wide {
                mantissa,
                exponent: 0,
            };
        }
        let shift = mantissa.log2().floor() as i64;
        Wide {
            mantissa: mantissa / 2f64.powi(shift as i32),
            exponent: exponent + shift,
        }
    }

    fn plus(self, other: Wide) -> Wide {
        if self.mantissa == 0.0 {
            return other;
        }
        if other.mantissa == 0.0 {
            return self;
        }
        let (large, small) = if self.exponent >= other.exponent {
            (self, other)
        } else {
            (other, self)
        };
        let gap = (small.exponent - large.exponent).max(-1100) as i32;
        Wide::new(large.mantissa + small.mantissa * 2f64.powi(gap), large.exponent)
    }

    fn half(self) -> Wide {
        Wide {
            mantissa: self.mantissa,
            exponent: self.exponent - i64::from(self.mantissa != 0.0),
        }
    }
}

/// The fraction of all assignments that satisfy the function. Both a function and its complement are computed for
/// each node, since a difference from one would lose the small fractions.
fn density(kernel: &Kernel, f: Edge) -> Wide {
    let mut densities: FxHashMap<u32, [Wide; 2]> = FxHashMap::default();
    densities.insert(
        0,
        [
            Wide {
                mantissa: 1.0,
                exponent: 0,
            },
            Wide {
                mantissa: 0.0,
                exponent: 0,
            },
        ],
    );
    for node in bottom_up(kernel, [f]) {
        let (lo, hi) = kernel.children(node);
        let side = |parity: u32| {
            let lo = densities[&lo.node()][(lo.parity() ^ parity) as usize];
            let hi = densities[&hi.node()][(hi.parity() ^ parity) as usize];
            lo.plus(hi).half()
        };
        let both = [side(0), side(1)];
        densities.insert(node, both);
    }
    densities[&f.node()][f.parity() as usize]
}
