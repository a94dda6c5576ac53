//! Gates worth their own clauses: wide conjunctions, exclusive ors and multiplexers found in an and-inverter graph.
//!
//! A node `¬(c ∧ t) ∧ ¬(¬c ∧ e)` is a multiplexer (an exclusive or where `e = ¬t`); its two inner nodes need no variable if nothing
//! else uses them. A tree of conjunctions whose inner nodes have one user is one wide conjunction. This is the structural form of
//! Tseitin's encoding that MiniSat+ and ABC use; it removes about half the variables of the plain one.

use crate::aig::{Aig, Node, Signal};

/// A gate: what the node it belongs to is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Gate {
    /// The conjunction of all.
    And(Vec<Signal>),
    /// `a ⊕ b`
    Xor(Signal, Signal),
    /// `if c then t else e`
    Mux(Signal, Signal, Signal),
}

impl Gate {
    /// The signals it reads.
    pub fn operands(&self) -> impl Iterator<Item = Signal> + '_ {
        let (list, few): (&[Signal], [Option<Signal>; 3]) = match self {
            Gate::And(list) => (list, [None; 3]),
            Gate::Xor(a, b) => (&[], [Some(*a), Some(*b), None]),
            Gate::Mux(c, t, e) => (&[], [Some(*c), Some(*t), Some(*e)]),
        };
        list.iter().copied().chain(few.into_iter().flatten())
    }

    /// The clauses that say `out` is this gate, in terms of literals that `literal` gives for signals.
    pub fn clauses<L: Copy + std::ops::Not<Output = L>>(
        &self,
        out: L,
        literal: impl Fn(Signal) -> L,
        mut emit: impl FnMut(&[L]),
    ) {
        match self {
            Gate::And(list) => {
                let mut wide = vec![out];
                for &signal in list {
                    emit(&[!out, literal(signal)]);
                    wide.push(!literal(signal));
                }
                emit(&wide);
            }
            Gate::Xor(a, b) => {
                let (a, b) = (literal(*a), literal(*b));
                emit(&[!out, a, b]);
                emit(&[!out, !a, !b]);
                emit(&[out, !a, b]);
                emit(&[out, a, !b]);
            }
            Gate::Mux(c, t, e) => {
                let (c, t, e) = (literal(*c), literal(*t), literal(*e));
                emit(&[!c, !t, out]);
                emit(&[!c, t, !out]);
                emit(&[c, !e, out]);
                emit(&[c, e, !out]);
                // Redundant, but lets equal branches propagate.
                emit(&[!t, !e, out]);
                emit(&[t, e, !out]);
            }
        }
    }
}

/// Widest conjunction that is put together.
const MAX_WIDTH: usize = 32;

/// The gates that the roots need, operands before the gates that use them, and no gate for nodes that `known` has already.
/// Every root that is not a leaf has a gate.
pub fn gates(aig: &Aig, roots: &[Signal], known: impl Fn(Node) -> bool) -> Vec<(Node, Gate)> {
    // Users of each node among the nodes that are needed; roots count as used many times.
    let mut users: rustc_hash::FxHashMap<Node, u32> = rustc_hash::FxHashMap::default();
    let mut stack: Vec<Node> = Vec::new();
    for root in roots {
        let count = users.entry(root.node()).or_insert(0);
        if *count == 0 && !known(root.node()) {
            stack.push(root.node());
        }
        *count += 2;
    }
    while let Some(node) = stack.pop() {
        let Some((a, b)) = aig.fanins(node) else {
            continue;
        };
        for fanin in [a, b] {
            let count = users.entry(fanin.node()).or_insert(0);
            *count += 1;
            if *count == 1 && !known(fanin.node()) {
                stack.push(fanin.node());
            }
        }
    }
    let single = |node: Node| users.get(&node) == Some(&1) && !known(node);
    let mut found: Vec<(Node, Gate)> = Vec::new();
    let mut visited: rustc_hash::FxHashSet<Node> = rustc_hash::FxHashSet::default();
    let mut pending: Vec<Node> = roots.iter().map(|root| root.node()).collect();
    while let Some(node) = pending.pop() {
        if known(node) || aig.fanins(node).is_none() || !visited.insert(node) {
            continue;
        }
        let gate = selector(aig, node, &single).unwrap_or_else(|| conjunction(aig, node, &single));
        pending.extend(gate.operands().map(Signal::node));
        found.push((node, gate));
    }
    found.sort_unstable_by_key(|(node, _)| *node);
    found
}

fn selector(aig: &Aig, node: Node, single: &impl Fn(Node) -> bool) -> Option<Gate> {
    let (p, q) = aig.fanins(node)?;
    if !p.is_complemented() || !q.is_complemented() {
        return None;
    }
    let ((p0, p1), (q0, q1)) = (aig.fanins(p.node())?, aig.fanins(q.node())?);
    let pairs = [
        (p0, p1, q0, q1),
        (p0, p1, q1, q0),
        (p1, p0, q0, q1),
        (p1, p0, q1, q0),
    ];
    let (c, t, e) = pairs
        .into_iter()
        .find_map(|(c, t, not_c, e)| (c == !not_c).then_some((c, !t, !e)))?;
    if e == !t {
        // if c then t else ¬t
        return Some(Gate::Xor(c, !t));
    }
    (single(p.node()) || single(q.node())).then_some(Gate::Mux(c, t, e))
}

fn conjunction(aig: &Aig, node: Node, single: &impl Fn(Node) -> bool) -> Gate {
    let mut operands = Vec::new();
    let mut stack = vec![node];
    while let Some(node) = stack.pop() {
        let Some((a, b)) = aig.fanins(node) else {
            continue;
        };
        for fanin in [a, b] {
            let inner = !fanin.is_complemented() && aig.fanins(fanin.node()).is_some();
            if inner
                && single(fanin.node())
                && operands.len() + stack.len() < MAX_WIDTH
                && selector(aig, fanin.node(), single).is_none()
            {
                stack.push(fanin.node());
            } else {
                operands.push(fanin);
            }
        }
    }
    operands.sort_unstable();
    operands.dedup();
    Gate::And(operands)
}
