//! Rewriting by cuts.
//!
//! Each gate has *cuts*: sets of at most four signals that it is a function of. Where a cut is used, the gate costs the smallest formula of that function. Choosing cuts so that the sum of what the roots need is small is
//! technology mapping for area (Mishchenko, Chatterjee, Brayton, *DAG-aware AIG rewriting*, 2006, and their priority cuts, 2007): first by area flow, then by the exact area that a gate alone is
//! responsible for. The chosen formulas are put together again with structural hashing. Cost is linear in gates times cuts.

use crate::netlist::Netlist;
use crate::small_formulas::{SmallFormulas, VARIABLES};
use entail_budget::{Budget, Spent};
use entail_sat::{Aig, Node, Signal};

/// Cuts that are kept of a gate.
const CUTS: usize = 10;
/// Rounds of exact area.
const ROUNDS: usize = 3;

/// Up to four leaves, and the function of them.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Cut {
    leaves: Vec<u32>,
    function: u16,
    /// Conjunctions of its smallest formula.
    size: u32,
}

/// A circuit with the same functions; usually smaller, never more often asked for than that: the caller compares.
pub(crate) fn rewritten(
    netlist: &Netlist,
    formulas: &SmallFormulas,
    budget: &Budget,
) -> Result<Netlist, Spent> {
    let aig = &netlist.circuit.aig;
    let roots = netlist.roots();
    let mut mapping = Mapping::new(aig, &roots, formulas, budget)?;
    for root in &roots {
        mapping.reference(root.node().index());
    }
    for _ in 0..ROUNDS {
        budget.check_now()?;
        mapping.improve();
    }
    Ok(mapping.rebuilt(netlist, formulas))
}

struct Mapping<'a> {
    aig: &'a Aig,
    /// Gates that roots need, operands first.
    order: Vec<Node>,
    cuts: Vec<Vec<Cut>>,
    chosen: Vec<usize>,
    /// How often a gate is a root or a leaf of a chosen cut.
    references: Vec<u32>,
}

impl<'a> Mapping<'a> {
    fn new(
        aig: &'a Aig,
        roots: &[Signal],
        formulas: &SmallFormulas,
        budget: &Budget,
    ) -> Result<Mapping<'a>, Spent> {
        let cone = aig.cone(roots.iter().copied());
        let order: Vec<Node> = cone
            .into_iter()
            .filter(|&node| aig.fanins(node).is_some())
            .collect();
        let mut fanout = vec![0u32; aig.len()];
        for &node in &order {
            if let Some((a, b)) = aig.fanins(node) {
                fanout[a.node().index()] += 1;
                fanout[b.node().index()] += 1;
            }
        }
        for root in roots {
            fanout[root.node().index()] += 1;
        }
        let mut cuts: Vec<Vec<Cut>> = vec![Vec::new(); aig.len()];
        let mut flow = vec![0f64; aig.len()];
        for &node in &order {
            budget.check()?;
            let Some((a, b)) = aig.fanins(node) else {
                continue;
            };
            let mut found: Vec<(f64, Cut)> = Vec::new();
            for left in with_itself(&cuts, a.node()) {
                for right in with_itself(&cuts, b.node()) {
                    let Some(cut) = joined(&left, a, &right, b, formulas) else {
                        continue;
                    };
                    if found.iter().any(|(_, known)| known.leaves == cut.leaves) {
                        continue;
                    }
                    let shared = |&leaf: &u32| flow[leaf as usize] / f64::from(fanout[leaf as usize].max(1));
                    let cost = f64::from(cut.size) + cut.leaves.iter().map(shared).sum::<f64>();
                    found.push((cost, cut));
                }
            }
            found.sort_by(|one, other| one.0.total_cmp(&other.0).then(one.1.leaves.cmp(&other.1.leaves)));
            found.truncate(CUTS);
            flow[node.index()] = found.first().map_or(0.0, |(cost, _)| *cost);
            cuts[node.index()] = found.into_iter().map(|(_, cut)| cut).collect();
        }
        Ok(Mapping {
            aig,
            order,
            chosen: vec![0; aig.len()],
            references: vec![0; aig.len()],
            cuts,
        })
    }

    /// Counts one more use of a node; what that costs. Works on a stack of its own, since graphs are deep.
    fn reference(&mut self, node: usize) -> u32 {
        let (mut cost, mut waiting) = (0, vec![node]);
        while let Some(at) = waiting.pop() {
            self.references[at] += 1;
            if self.references[at] == 1
                && let Some(cut) = self.cuts[at].get(self.chosen[at])
            {
                cost += cut.size;
                waiting.extend(cut.leaves.iter().map(|&leaf| leaf as usize));
            }
        }
        cost
    }

    /// Takes a use back.
    fn release(&mut self, node: usize) {
        let mut waiting = vec![node];
        while let Some(at) = waiting.pop() {
            self.references[at] -= 1;
            if self.references[at] == 0
                && let Some(cut) = self.cuts[at].get(self.chosen[at])
            {
                waiting.extend(cut.leaves.iter().map(|&leaf| leaf as usize));
            }
        }
    }

    /// Chooses for each gate in use the cut for which it alone is responsible for least.
    fn improve(&mut self) {
        for at in 0..self.order.len() {
            let node = self.order[at].index();
            let uses = self.references[node];
            if uses == 0 {
                continue;
            }
            // As if it were used once.
            self.references[node] = 1;
            self.release(node);
            let mut best = (u32::MAX, 0);
            for cut in 0..self.cuts[node].len() {
                self.chosen[node] = cut;
                let cost = self.reference(node);
                self.release(node);
                best = best.min((cost, cut));
            }
            self.chosen[node] = best.1;
            self.reference(node);
            self.references[node] = uses;
        }
    }

    fn rebuilt(&self, netlist: &Netlist, formulas: &SmallFormulas) -> Netlist {
        let mut made = netlist.skeleton();
        let mut image: Vec<Signal> = vec![Signal::FALSE; self.aig.len()];
        for (from, to) in netlist.leaves().into_iter().zip(made.leaves()) {
            image[from.index()] = to.signal();
        }
        for node in &self.order {
            let at = node.index();
            if self.references[at] == 0 {
                continue;
            }
            if let Some(cut) = self.cuts[at].get(self.chosen[at]) {
                let mut leaves = [Signal::FALSE; 4];
                for (signal, &leaf) in leaves.iter_mut().zip(&cut.leaves) {
                    *signal = image[leaf as usize];
                }
                image[at] = formula(&mut made.circuit.aig, cut.function, &leaves, formulas);
            }
        }
        let of = |signal: Signal| image[signal.node().index()].flipped_if(signal.is_complemented());
        made.circuit.bad = netlist.outputs().iter().map(|&output| of(output)).collect();
        for (latch, old) in made.circuit.latches.iter_mut().zip(&netlist.circuit.latches) {
            latch.next = of(old.next);
        }
        made.swept()
    }
}

/// The cuts of a node, and the node by itself.
fn with_itself(cuts: &[Vec<Cut>], node: Node) -> Vec<Cut> {
    let itself = match node.index() {
        0 => Cut {
            leaves: Vec::new(),
            function: 0,
            size: 0,
        },
        index => Cut {
            leaves: vec![index as u32],
            function: VARIABLES[0],
            size: 0,
        },
    };
    let mut all = cuts[node.index()].clone();
    all.push(itself);
    all
}

/// The cut of a conjunction; nothing if it has too many leaves, or no small formula.
fn joined(left: &Cut, a: Signal, right: &Cut, b: Signal, formulas: &SmallFormulas) -> Option<Cut> {
    let mut leaves = left.leaves.clone();
    leaves.extend(&right.leaves);
    leaves.sort_unstable();
    leaves.dedup();
    if leaves.len() > 4 {
        return None;
    }
    let side = |cut: &Cut, signal: Signal| {
        let function = spread(cut, &leaves);
        if signal.is_complemented() {
            !function
        } else {
            function
        }
    };
    let function = side(left, a) & side(right, b);
    Some(Cut {
        size: formulas.size(function)?,
        function,
        leaves,
    })
}

/// A cut's function over more leaves.
fn spread(cut: &Cut, leaves: &[u32]) -> u16 {
    let place: Vec<usize> = (cut.leaves.iter())
        .map(|leaf| leaves.iter().position(|other| other == leaf).unwrap_or(0))
        .collect();
    (0..16).fold(0, |table, assignment: u16| {
        let row =
            (place.iter().enumerate()).fold(0, |row, (at, &place)| row | (assignment >> place & 1) << at);
        table | (cut.function >> row & 1) << assignment
    })
}

/// The gates of a function's smallest formula. It is at most seven deep.
fn formula(aig: &mut Aig, function: u16, leaves: &[Signal; 4], formulas: &SmallFormulas) -> Signal {
    if function == 0 || function == u16::MAX {
        return Signal::constant(function != 0);
    }
    for (&variable, &leaf) in VARIABLES.iter().zip(leaves) {
        if function == variable || function == !variable {
            return leaf.flipped_if(function != variable);
        }
    }
    let (a, b, complemented) = formulas.operands(function);
    let a = formula(aig, a, leaves, formulas);
    let b = formula(aig, b, leaves, formulas);
    aig.and(a, b).flipped_if(complemented)
}
