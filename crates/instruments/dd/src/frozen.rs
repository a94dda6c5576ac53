//! Functions as plain arrays of nodes, for those who walk them many times: no lock, no handles, no complement edges.
//!
//! A copy does not follow what the manager does later: its levels are those of the order at the time of copying. Children stand before their parents.

use crate::bdd::Bdd;
use crate::edge::Edge;
use rustc_hash::FxHashMap;

/// A node: its level, and its cofactors as positions in the copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrozenNode {
    /// The level of its variable; leaves are below all.
    pub level: u32,
    /// Where it leads if the variable is false.
    pub lo: u32,
    /// Where it leads if the variable is true.
    pub hi: u32,
}

/// A copy of some functions of one manager.
#[derive(Clone, Debug)]
pub struct Frozen {
    nodes: Vec<FrozenNode>,
}

impl Frozen {
    /// The position of the constant false.
    pub const FALSE: u32 = 0;
    /// The position of the constant true.
    pub const TRUE: u32 = 1;

    /// Copies functions of one manager; the positions of their roots. One visit a node.
    pub fn new(functions: &[&Bdd]) -> (Frozen, Vec<u32>) {
        let leaf = |at: u32| FrozenNode {
            level: u32::MAX,
            lo: at,
            hi: at,
        };
        let mut nodes = vec![leaf(Frozen::FALSE), leaf(Frozen::TRUE)];
        let Some(first) = functions.first() else {
            return (Frozen { nodes }, Vec::new());
        };
        let manager = first.manager();
        let state = manager.state();
        let kernel = &state.kernel;
        let mut places: FxHashMap<Edge, u32> = FxHashMap::default();
        places.insert(Edge::FALSE, Frozen::FALSE);
        places.insert(Edge::TRUE, Frozen::TRUE);
        let mut roots = Vec::with_capacity(functions.len());
        for function in functions {
            let mut stack = vec![function.edge()];
            while let Some(&edge) = stack.last() {
                if places.contains_key(&edge) {
                    stack.pop();
                    continue;
                }
                let (lo, hi) = kernel.cofactors(edge);
                match (places.get(&lo), places.get(&hi)) {
                    (Some(&lo), Some(&hi)) => {
                        places.insert(edge, nodes.len() as u32);
                        let level = kernel.level(edge);
                        nodes.push(FrozenNode { level, lo, hi });
                        stack.pop();
                    }
                    (known_lo, known_hi) => {
                        let missing = [(known_lo, lo), (known_hi, hi)];
                        stack.extend(
                            missing
                                .iter()
                                .filter(|(known, _)| known.is_none())
                                .map(|(_, edge)| *edge),
                        );
                    }
                }
            }
            roots.push(places[&function.edge()]);
        }
        (Frozen { nodes }, roots)
    }

    /// All nodes: first the constants false and true, then the others, children before parents.
    pub fn nodes(&self) -> &[FrozenNode] {
        &self.nodes
    }

    /// The cofactors of the function at a position by the variable of a level, which is not below its root's.
    #[inline(always)]
    pub fn cofactors(&self, at: u32, level: u32) -> (u32, u32) {
        let node = self.nodes[at as usize];
        match node.level == level {
            true => (node.lo, node.hi),
            false => (at, at),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Config, Manager};

    #[test]
    fn a_copy_has_the_values_of_the_function() {
        let manager = Manager::new(&Config::default()).expect("memory");
        let vars = manager.new_vars(3).expect("variables");
        let [a, b, c] = [0, 1, 2].map(|at| manager.var(vars[at]).expect("a variable"));
        let f = a.xor(&b).and_then(|f| f.or(&c)).expect("memory");
        let g = f.not();
        let (frozen, roots) = Frozen::new(&[&f, &g, &manager.one(), &manager.zero()]);
        assert_eq!(roots[2..], [Frozen::TRUE, Frozen::FALSE]);
        for values in 0..8u32 {
            let value = |at: usize| values >> at & 1 == 1;
            let walk = |root: u32| {
                (0..3).fold(root, |at, level| {
                    let (lo, hi) = frozen.cofactors(at, level);
                    if value(level as usize) { hi } else { lo }
                })
            };
            let expected = u32::from(f.eval(|var| value(var.index())));
            assert_eq!(walk(roots[0]), expected);
            assert_eq!(walk(roots[1]), 1 - expected);
        }
        let parents_behind =
            |(at, node): (usize, &FrozenNode)| (node.lo as usize) < at && (node.hi as usize) < at;
        assert!(frozen.nodes().iter().enumerate().skip(2).all(parents_behind));
    }
}
