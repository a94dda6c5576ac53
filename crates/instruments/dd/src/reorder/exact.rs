//! The best order of few variables, by dynamic programming over sets (Friedman and Supowit 1990).
//!
//! How many nodes a level has depends only on *which* variables are above it, not on their order: it is the
//! number of different subfunctions, up to complement, that remain when those variables are fixed and that depend
//! on the level's variable. So the best order of a set above is the best over its last element of the best order
//! of the rest. Subfunctions are truth tables.
//!
//! Cost: for n variables and r functions about `n · 4^n · r / 64` word operations.

use crate::edge::Edge;
use crate::error::{Error, Result};
use crate::kernel::Kernel;
use rustc_hash::FxHashSet;
use std::sync::atomic::Ordering::Relaxed;

/// How many variables in use exact reordering takes on.
pub const EXACT_LIMIT: usize = 12;

/// The best order for the functions that handles hold. Variables that do not occur in them come last.
pub(super) fn best_order(kernel: &Kernel) -> Result<Vec<u32>> {
    let roots: Vec<u32> = (1..kernel.end())
        .filter(|&node| kernel.external[node as usize].load(Relaxed) > 0)
        .collect();
    let mut used = vec![false; kernel.var_at.len()];
    for node in 1..kernel.end() {
        if kernel.is_node(node) {
            used[kernel.var_at[kernel.label(node) as usize] as usize] = true;
        }
    }
    // In the present order, so that ties leave things as they are.
    let (vars, unused): (Vec<u32>, Vec<u32>) = kernel.var_at.iter().partition(|&&var| used[var as usize]);
    let n = vars.len();
    if n > EXACT_LIMIT {
        return Err(Error::TooManyForExact {
            variables: n,
            limit: EXACT_LIMIT,
        });
    }
    let functions: Vec<Vec<bool>> = roots
        .iter()
        .map(|&root| truth_table(kernel, root, &vars))
        .collect();

    let mut cost = vec![usize::MAX; 1 << n];
    let mut last = vec![0usize; 1 << n];
    cost[0] = 0;
    for above in 0..1usize << n {
        let widths = widths(&functions, n, above);
        for x in (0..n).filter(|x| above & (1 << x) == 0) {
            let with = above | 1 << x;
            let total = cost[above] + widths[x];
            if total < cost[with] {
                cost[with] = total;
                last[with] = x;
            }
        }
    }
    let mut order = Vec::new();
    let mut set = (1usize << n) - 1;
    while set != 0 {
        order.push(vars[last[set]]);
        set &= !(1 << last[set]);
    }
    order.reverse();
    order.extend(unused);
    Ok(order)
}

/// The values of a node's function; bit `i` of the index is the value of `vars[i]`.
fn truth_table(kernel: &Kernel, root: u32, vars: &[u32]) -> Vec<bool> {
    let mut place = vec![0; kernel.var_at.len()];
    for (i, &var) in vars.iter().enumerate() {
        place[var as usize] = i;
    }
    (0..1usize << vars.len())
        .map(|row| {
            let mut edge = Edge::to_node(root);
            while !edge.is_constant() {
                let var = kernel.var_at[kernel.level(edge) as usize];
                let (lo, hi) = kernel.cofactors(edge);
                edge = if row & (1 << place[var as usize]) != 0 {
                    hi
                } else {
                    lo
                };
            }
            edge == Edge::TRUE
        })
        .collect()
}

/// For each variable not in `above`, how many nodes its level has if it comes right after the set `above`.
fn widths(functions: &[Vec<bool>], n: usize, above: usize) -> Vec<usize> {
    let below = ((1usize << n) - 1) & !above;
    let mut subfunctions: FxHashSet<Vec<bool>> = FxHashSet::default();
    for function in functions {
        for fixed in subsets(above) {
            let table: Vec<bool> = subsets(below).map(|free| function[fixed | free]).collect();
            // Complement edges: a function and its negation share a node.
            let flip = table[0];
            subfunctions.insert(table.into_iter().map(|value| value ^ flip).collect());
        }
    }
    let mut widths = vec![0; n];
    let free: Vec<usize> = (0..n).filter(|x| below & (1 << x) != 0).collect();
    for table in &subfunctions {
        for (i, &x) in free.iter().enumerate() {
            if (0..table.len()).any(|row| table[row] != table[row ^ (1 << i)]) {
                widths[x] += 1;
            }
        }
    }
    widths
}

/// All subsets of a set of bits, in increasing order.
fn subsets(set: usize) -> impl Iterator<Item = usize> {
    let mut next = Some(0usize);
    std::iter::from_fn(move || {
        let this = next?;
        next = if this == set {
            None
        } else {
            Some((this.wrapping_sub(set)) & set)
        };
        Some(this)
    })
}
