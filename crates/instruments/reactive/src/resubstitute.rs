//! Signals replaced by others that differ only where nobody can see it.
//!
//! For circuits with few leaves every signal is known completely: its value for all inputs and latches, as words of 64 situations. A gate *matters* where a flip of it changes an output or a next value in a
//! state that is reached. It may be replaced by any signal, or by one or two gates over signals, that agree with it there (resubstitution with observability don't-cares: Mishchenko et al.,
//! *Scalable don't-care-based logic optimization and resynthesis*, 2011). A replacement is kept if the circuit becomes smaller and no output begins to depend on inputs at once.
//! Costs gates times signals squared at worst, times words.

use crate::netlist::Netlist;
use entail_budget::{Budget, Spent};
use entail_sat::{Node, Signal};

/// Circuits with more inputs and latches are left alone.
pub(crate) const MOST_LEAVES: usize = 13;
/// As are those with more gates.
pub(crate) const MOST_GATES: usize = 1_500;
/// So many signals are tried as operands.
const OPERANDS: usize = 80;
/// So many outer operands are tried for two gates.
const OUTER: usize = 24;

/// What takes the place of a gate.
#[derive(Clone, Copy, Debug)]
enum Replacement {
    Signal(Signal),
    And(Signal, Signal),
    Or(Signal, Signal),
    /// An exclusive or, perhaps complemented.
    Xor(Signal, Signal, bool),
    /// `a ∧ (b ∨ c)`, `a ∧ (b ∧ c)` or their complements.
    AndOr(Signal, Signal, Signal, bool),
    AndAnd(Signal, Signal, Signal, bool),
}

/// A smaller circuit with the same runs, or the same circuit.
pub(crate) fn resubstituted(netlist: &Netlist, budget: &Budget) -> Result<Netlist, Spent> {
    let mut current = netlist.swept();
    if current.leaves().len() > MOST_LEAVES || current.gates() > MOST_GATES {
        return Ok(current);
    }
    let reached = Simulation::new(&current).reached(&current);
    let mut skipped = 0;
    loop {
        let simulation = Simulation::new(&current);
        let gates: Vec<Node> = (0..current.circuit.aig.len())
            .map(Node::new)
            .filter(|&node| current.circuit.aig.fanins(node).is_some())
            .collect();
        let mut smaller = None;
        for (at, &gate) in gates.iter().enumerate().rev().skip(skipped) {
            budget.check_now()?;
            let work = Work {
                netlist: &current,
                simulation: &simulation,
                gate,
                care: simulation.matters(&current, gate, &reached),
            };
            if let Some(found) = work.replaced(gates.len()) {
                smaller = Some(found);
                skipped = gates.len() - 1 - at;
                break;
            }
        }
        match smaller {
            Some(found) => current = found,
            // What was skipped may have become replaceable.
            None if skipped > 0 => skipped = 0,
            None => return Ok(current),
        }
    }
}

/// The values of all nodes in all situations.
struct Simulation {
    words: usize,
    inputs: usize,
    values: Vec<Vec<u64>>,
}

/// The situations in which a leaf is true, within a word.
const PATTERNS: [u64; 6] = [
    0xaaaa_aaaa_aaaa_aaaa,
    0xcccc_cccc_cccc_cccc,
    0xf0f0_f0f0_f0f0_f0f0,
    0xff00_ff00_ff00_ff00,
    0xffff_0000_ffff_0000,
    0xffff_ffff_0000_0000,
];

impl Simulation {
    fn new(netlist: &Netlist) -> Simulation {
        let (aig, leaves) = (&netlist.circuit.aig, netlist.leaves());
        let words = 1usize << leaves.len().saturating_sub(6);
        let mut values = vec![vec![0u64; words]; aig.len()];
        for (at, leaf) in leaves.iter().enumerate() {
            for (word, value) in values[leaf.index()].iter_mut().enumerate() {
                *value = match PATTERNS.get(at) {
                    Some(&pattern) => pattern,
                    None if word >> (at - 6) & 1 == 1 => u64::MAX,
                    None => 0,
                };
            }
        }
        let mut simulation = Simulation {
            words,
            inputs: netlist.circuit.inputs.len(),
            values,
        };
        for index in 0..aig.len() {
            if let Some((a, b)) = aig.fanins(Node::new(index)) {
                let gate = (0..words).map(|word| simulation.word(a, word) & simulation.word(b, word));
                simulation.values[index] = gate.collect();
            }
        }
        simulation
    }

    fn word(&self, signal: Signal, word: usize) -> u64 {
        let flip = if signal.is_complemented() { u64::MAX } else { 0 };
        self.values[signal.node().index()][word] ^ flip
    }

    fn is_true(&self, signal: Signal, situation: usize) -> bool {
        self.word(signal, situation / 64) >> (situation % 64) & 1 == 1
    }

    /// The situations in states that are reached.
    fn reached(&self, netlist: &Netlist) -> Vec<u64> {
        let latches = &netlist.circuit.latches;
        let number = |bits: &mut dyn Iterator<Item = bool>| {
            bits.enumerate()
                .fold(0usize, |number, (at, bit)| number | usize::from(bit) << at)
        };
        let mut seen = vec![false; 1 << latches.len()];
        let first = number(&mut netlist.first().into_iter());
        let mut waiting = vec![first];
        let mut reached = vec![0u64; self.words];
        seen[first] = true;
        while let Some(state) = waiting.pop() {
            for letter in 0..1usize << self.inputs {
                let situation = state << self.inputs | letter;
                reached[situation / 64] |= 1 << (situation % 64);
                let next = number(&mut latches.iter().map(|latch| self.is_true(latch.next, situation)));
                if !std::mem::replace(&mut seen[next], true) {
                    waiting.push(next);
                }
            }
        }
        reached
    }

    /// Where a flip of a gate changes a root, among these situations.
    fn matters(&self, netlist: &Netlist, gate: Node, among: &[u64]) -> Vec<u64> {
        let aig = &netlist.circuit.aig;
        let mut flipped: Vec<Option<Vec<u64>>> = vec![None; aig.len()];
        flipped[gate.index()] = Some(self.values[gate.index()].iter().map(|value| !value).collect());
        let word = |flipped: &[Option<Vec<u64>>], signal: Signal, word: usize| match &flipped
            [signal.node().index()]
        {
            Some(values) if signal.is_complemented() => !values[word],
            Some(values) => values[word],
            None => self.word(signal, word),
        };
        for index in gate.index() + 1..aig.len() {
            if let Some((a, b)) = aig.fanins(Node::new(index))
                && (flipped[a.node().index()].is_some() || flipped[b.node().index()].is_some())
            {
                let values: Vec<u64> = (0..self.words)
                    .map(|at| word(&flipped, a, at) & word(&flipped, b, at))
                    .collect();
                if values != self.values[index] {
                    flipped[index] = Some(values);
                }
            }
        }
        let mut care = vec![0u64; self.words];
        for root in netlist.roots() {
            if flipped[root.node().index()].is_some() {
                for (at, care) in care.iter_mut().enumerate() {
                    *care |= (word(&flipped, root, at) ^ self.word(root, at)) & among[at];
                }
            }
        }
        care
    }
}

struct Work<'a> {
    netlist: &'a Netlist,
    simulation: &'a Simulation,
    gate: Node,
    /// Where the gate matters.
    care: Vec<u64>,
}

impl Work<'_> {
    /// The circuit without the gate, if that makes it smaller.
    fn replaced(&self, size: usize) -> Option<Netlist> {
        let usable = self.usable();
        let own = self.owned();
        for signal in self.equal(&usable) {
            if let Some(found) = self.with(Replacement::Signal(signal), size) {
                return Some(found);
            }
        }
        if own < 2 {
            return None;
        }
        let target = self.gate.signal();
        let (above, below) = (
            self.above(target, &self.care, &usable),
            self.above(!target, &self.care, &usable),
        );
        if let Some((a, b)) = self.product(target, &self.care, &above) {
            return self.with(Replacement::And(a, b), size);
        }
        if let Some((a, b)) = self.product(!target, &self.care, &below) {
            return self.with(Replacement::Or(!a, !b), size);
        }
        if own >= 3
            && let Some(two) = self
                .two_gates(target, &above, false, &usable)
                .or_else(|| self.two_gates(!target, &below, true, &usable))
            && let Some(found) = self.with(two, size)
        {
            return Some(found);
        }
        if own >= 4
            && let Some(xor) = self.exclusive(&usable)
        {
            return self.with(xor, size);
        }
        None
    }

    /// Signals that do not depend on the gate.
    fn usable(&self) -> Vec<Signal> {
        let aig = &self.netlist.circuit.aig;
        let depends = aig.depending_on(&[self.gate]);
        let nodes = (1..aig.len()).filter(|&index| !depends[index]);
        nodes
            .map(|index| Node::new(index).signal())
            .flat_map(|signal| [signal, !signal])
            .collect()
    }

    /// How many gates nothing else needs if the gate is gone, itself included.
    fn owned(&self) -> usize {
        let aig = &self.netlist.circuit.aig;
        let mut uses = vec![0u32; aig.len()];
        for index in 1..aig.len() {
            if let Some((a, b)) = aig.fanins(Node::new(index)) {
                uses[a.node().index()] += 1;
                uses[b.node().index()] += 1;
            }
        }
        for root in self.netlist.roots() {
            uses[root.node().index()] += 1;
        }
        let (mut count, mut waiting) = (0, vec![self.gate]);
        while let Some(node) = waiting.pop() {
            let Some((a, b)) = aig.fanins(node) else {
                continue;
            };
            count += 1;
            for operand in [a.node(), b.node()] {
                uses[operand.index()] -= 1;
                if uses[operand.index()] == 0 {
                    waiting.push(operand);
                }
            }
        }
        count
    }

    /// Whether everything in the given situations is as wanted: nothing of what is counted is true.
    fn never(&self, bad: impl Fn(usize) -> u64) -> bool {
        (0..self.simulation.words).all(|word| bad(word) == 0)
    }

    /// Signals that agree with the gate where it matters.
    fn equal(&self, usable: &[Signal]) -> Vec<Signal> {
        let target = self.gate.signal();
        let constants = [Signal::FALSE, Signal::TRUE];
        let candidates = constants.iter().chain(usable);
        let agrees = |signal: Signal| {
            self.never(|word| {
                (self.simulation.word(signal, word) ^ self.simulation.word(target, word)) & self.care[word]
            })
        };
        candidates
            .copied()
            .filter(|&signal| agrees(signal))
            .take(4)
            .collect()
    }

    /// Signals that are true wherever the target is; those that are true least often first.
    fn above(&self, target: Signal, care: &[u64], usable: &[Signal]) -> Vec<Signal> {
        let mut found: Vec<(u32, Signal)> = Vec::new();
        for &signal in usable {
            if self.never(|word| {
                self.simulation.word(target, word) & care[word] & !self.simulation.word(signal, word)
            }) {
                let often = (0..self.simulation.words)
                    .map(|word| (self.simulation.word(signal, word) & care[word]).count_ones());
                found.push((often.sum(), signal));
            }
        }
        found.sort_unstable();
        found.truncate(OPERANDS);
        found.into_iter().map(|(_, signal)| signal).collect()
    }

    /// Two signals whose conjunction is the target.
    fn product(&self, target: Signal, care: &[u64], above: &[Signal]) -> Option<(Signal, Signal)> {
        for (at, &a) in above.iter().enumerate() {
            for &b in &above[at + 1..] {
                if self.never(|word| {
                    self.simulation.word(a, word)
                        & self.simulation.word(b, word)
                        & !self.simulation.word(target, word)
                        & care[word]
                }) {
                    return Some((a, b));
                }
            }
        }
        None
    }

    /// A conjunction of a signal with a gate of two others that is the target.
    fn two_gates(
        &self,
        target: Signal,
        above: &[Signal],
        complemented: bool,
        usable: &[Signal],
    ) -> Option<Replacement> {
        for &outer in above.iter().take(OUTER) {
            let care: Vec<u64> = (self.care.iter().enumerate())
                .map(|(word, care)| care & self.simulation.word(outer, word))
                .collect();
            let below = self.above(!target, &care, usable);
            if let Some((a, b)) = self.product(!target, &care, &below) {
                return Some(Replacement::AndOr(outer, !a, !b, complemented));
            }
            if let Some((a, b)) = self.product(target, &care, above) {
                return Some(Replacement::AndAnd(outer, a, b, complemented));
            }
        }
        None
    }

    /// Two signals whose exclusive or is the gate.
    fn exclusive(&self, usable: &[Signal]) -> Option<Replacement> {
        let plain: Vec<Signal> = usable
            .iter()
            .copied()
            .filter(|signal| !signal.is_complemented())
            .collect();
        let target = self.gate.signal();
        for (at, &a) in plain.iter().enumerate() {
            for &b in &plain[at + 1..] {
                for complemented in [false, true] {
                    let flip = if complemented { u64::MAX } else { 0 };
                    if self.never(|word| {
                        let found = self.simulation.word(a, word) ^ self.simulation.word(b, word) ^ flip;
                        (found ^ self.simulation.word(target, word)) & self.care[word]
                    }) {
                        return Some(Replacement::Xor(a, b, complemented));
                    }
                }
            }
        }
        None
    }

    /// The circuit with the replacement, if it has fewer gates than this and its outputs see no more of the inputs than before.
    fn with(&self, replacement: Replacement, size: usize) -> Option<Netlist> {
        let made = rebuilt(self.netlist, self.gate, replacement);
        let sees = |netlist: &Netlist| {
            let depends = netlist.circuit.aig.depending_on(&netlist.circuit.inputs);
            netlist
                .outputs()
                .iter()
                .any(|output| depends[output.node().index()])
        };
        (made.gates() < size && (sees(self.netlist) || !sees(&made))).then_some(made)
    }
}

/// The circuit with a gate replaced.
fn rebuilt(netlist: &Netlist, gate: Node, replacement: Replacement) -> Netlist {
    let aig = &netlist.circuit.aig;
    let mut made = netlist.skeleton();
    let mut image: Vec<Option<Signal>> = vec![None; aig.len()];
    image[0] = Some(Signal::FALSE);
    for (from, to) in netlist.leaves().into_iter().zip(made.leaves()) {
        image[from.index()] = Some(to.signal());
    }
    let operands = |node: Node| -> Vec<Signal> {
        match (node == gate, replacement) {
            (true, Replacement::Signal(a)) => vec![a],
            (true, Replacement::And(a, b) | Replacement::Or(a, b) | Replacement::Xor(a, b, _)) => vec![a, b],
            (true, Replacement::AndOr(a, b, c, _) | Replacement::AndAnd(a, b, c, _)) => vec![a, b, c],
            _ => aig.fanins(node).map_or_else(Vec::new, |(a, b)| vec![a, b]),
        }
    };
    let roots = netlist.roots();
    let mut waiting: Vec<Node> = roots.iter().map(|root| root.node()).collect();
    while let Some(&node) = waiting.last() {
        if image[node.index()].is_some() {
            waiting.pop();
            continue;
        }
        let operands = operands(node);
        let open = operands
            .iter()
            .map(|signal| signal.node())
            .filter(|node| image[node.index()].is_none());
        let before = waiting.len();
        waiting.extend(open.collect::<Vec<_>>());
        if waiting.len() > before {
            continue;
        }
        waiting.pop();
        let of: Vec<Signal> = (operands.iter())
            .map(|signal| {
                image[signal.node().index()]
                    .unwrap_or(Signal::FALSE)
                    .flipped_if(signal.is_complemented())
            })
            .collect();
        let aig = &mut made.circuit.aig;
        let signal = match (node == gate, replacement) {
            (true, Replacement::Signal(_)) => of[0],
            (true, Replacement::Or(..)) => aig.or(of[0], of[1]),
            (true, Replacement::Xor(_, _, flip)) => aig.xor(of[0], of[1]).flipped_if(flip),
            (true, Replacement::AndOr(.., flip)) => {
                let inner = aig.or(of[1], of[2]);
                aig.and(of[0], inner).flipped_if(flip)
            }
            (true, Replacement::AndAnd(.., flip)) => {
                let inner = aig.and(of[1], of[2]);
                aig.and(of[0], inner).flipped_if(flip)
            }
            _ if of.len() == 2 => aig.and(of[0], of[1]),
            _ => Signal::FALSE,
        };
        image[node.index()] = Some(signal);
    }
    let of = |signal: Signal| {
        image[signal.node().index()]
            .unwrap_or(Signal::FALSE)
            .flipped_if(signal.is_complemented())
    };
    made.circuit.bad = netlist.outputs().iter().map(|&output| of(output)).collect();
    for (latch, old) in made.circuit.latches.iter_mut().zip(&netlist.circuit.latches) {
        latch.next = of(old.next);
    }
    made.swept()
}
