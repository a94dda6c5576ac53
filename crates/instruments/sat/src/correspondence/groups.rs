//! Groups of signals that have agreed so far.

use super::{simulate, word};
use crate::aig::{Node, Signal};
use crate::circuit::Circuit;
use rustc_hash::{FxHashMap, FxHashSet};

/// Steps of the simulation; 64 runs go on at once.
const SIMULATED_STEPS: usize = 64;

/// What is simulated.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Runs {
    /// Runs that keep the constraints.
    FromInitialStates,
    /// Arbitrary states, one after the other.
    Anywhere,
}

/// Groups of nodes, members in the order of [`order`](super::order); the first represents the others.
pub(super) struct Groups {
    members: Vec<Vec<Node>>,
    /// For each node, its group and whether it is complemented in it.
    place: Vec<Option<(u32, bool)>>,
}

/// The group of the constant.
const CONSTANTS: usize = 0;

impl Groups {
    pub(super) fn by_simulation(
        circuit: &Circuit,
        order: &[Node],
        is_candidate: impl Fn(Node) -> bool,
        runs: Runs,
    ) -> Groups {
        let mut random = Random::default();
        let mut values = vec![0u64; circuit.aig.len()];
        let mut latches: Vec<u64> = circuit
            .latches
            .iter()
            .map(|latch| match (runs, latch.init.as_constant()) {
                (Runs::FromInitialStates, Some(false)) => 0,
                (Runs::FromInitialStates, Some(true)) => u64::MAX,
                _ => random.next(),
            })
            .collect();
        // Runs that break a constraint do not count after that; initial constraints are not looked at.
        let mut lives = u64::MAX;
        let mut signatures = vec![Signature::default(); circuit.aig.len()];
        for step in 0..SIMULATED_STEPS {
            for (latch, &value) in circuit.latches.iter().zip(&latches) {
                values[latch.node.index()] = value;
            }
            for input in &circuit.inputs {
                values[input.index()] = random.next();
            }
            simulate(&circuit.aig, order, &mut values);
            for node in order {
                signatures[node.index()].add(step, values[node.index()], lives);
            }
            latches = match runs {
                Runs::FromInitialStates => {
                    for &constraint in circuit.constraints.iter().chain(&circuit.step_constraints) {
                        lives &= word(&values, constraint);
                    }
                    if lives == 0 {
                        break;
                    }
                    let next = circuit.latches.iter().map(|latch| word(&values, latch.next));
                    next.collect()
                }
                Runs::Anywhere => circuit.latches.iter().map(|_| random.next()).collect(),
            };
        }
        let mut groups = Groups {
            members: vec![vec![Node::new(0)]],
            place: vec![None; circuit.aig.len()],
        };
        groups.place[0] = Some((CONSTANTS as u32, false));
        let is_input: FxHashSet<Node> = circuit.inputs.iter().copied().collect();
        let mut known: FxHashMap<(u64, u64), usize> = FxHashMap::default();
        for &node in order {
            if node.index() == 0 || is_input.contains(&node) || !is_candidate(node) {
                continue;
            }
            let signature = &signatures[node.index()];
            let group = if signature.is_constant {
                CONSTANTS
            } else {
                *known.entry(signature.hash).or_insert_with(|| {
                    groups.members.push(Vec::new());
                    groups.members.len() - 1
                })
            };
            groups.members[group].push(node);
            groups.place[node.index()] = Some((group as u32, signature.complemented));
        }
        groups
    }

    /// The signal that a node agrees with: the first of its group.
    pub(super) fn first(&self, node: Node) -> Signal {
        match self.place[node.index()] {
            None => node.signal(),
            Some((group, flip)) => {
                let first = self.members[group as usize][0];
                let first_flip = self.place[first.index()].is_some_and(|(_, flip)| flip);
                first.signal().flipped_if(flip != first_flip)
            }
        }
    }

    /// For each node what [`Groups::first`] says.
    pub(super) fn into_firsts(self) -> Vec<Signal> {
        let nodes = (0..self.place.len()).map(Node::new);
        nodes.map(|node| self.first(node)).collect()
    }

    /// Takes a node out of its group.
    pub(super) fn isolate(&mut self, node: Node) {
        if let Some((group, _)) = self.place[node.index()].take() {
            self.members[group as usize].retain(|&member| member != node);
        }
    }

    /// Splits every group by the values that its members have in 64 situations. Says whether anything was split.
    pub(super) fn split(&mut self, observe: impl Fn(Node) -> Observed) -> bool {
        let mut any = false;
        for group in 0..self.members.len() {
            if self.members[group].len() < 2 {
                continue;
            }
            let place = &self.place;
            let normal = |node: Node| {
                let flip = place[node.index()].is_some_and(|(_, flip)| flip);
                let observed = observe(node);
                Observed {
                    value: observed.value ^ if flip { u64::MAX } else { 0 },
                    ..observed
                }
            };
            let first = normal(self.members[group][0]);
            let differs = |seen: &Observed| (first.value ^ seen.value) & first.counts & seen.counts != 0;
            if !self.members[group].iter().any(|&node| differs(&normal(node))) {
                continue;
            }
            any = true;
            let mut stay = Vec::new();
            let mut leave: Vec<Vec<Node>> = Vec::new();
            let mut known: FxHashMap<u64, usize> = FxHashMap::default();
            for &node in &self.members[group] {
                let seen = normal(node);
                if !differs(&seen) {
                    stay.push(node);
                    continue;
                }
                let part = *known.entry(seen.value & seen.counts).or_insert_with(|| {
                    leave.push(Vec::new());
                    leave.len() - 1
                });
                leave[part].push(node);
            }
            self.members[group] = stay;
            for nodes in leave {
                let added = self.members.len() as u32;
                for node in &nodes {
                    if let Some(place) = &mut self.place[node.index()] {
                        place.0 = added;
                    }
                }
                self.members.push(nodes);
            }
        }
        any
    }
}

/// A node's values in 64 situations, and which of them count.
#[derive(Clone, Copy)]
pub(super) struct Observed {
    pub(super) value: u64,
    pub(super) counts: u64,
}

/// A node's values along the simulated runs, complemented if the first is true.
#[derive(Clone, Copy)]
struct Signature {
    hash: (u64, u64),
    complemented: bool,
    is_constant: bool,
}

impl Default for Signature {
    fn default() -> Signature {
        Signature {
            hash: (0, 0),
            complemented: false,
            is_constant: true,
        }
    }
}

impl Signature {
    fn add(&mut self, step: usize, value: u64, lives: u64) {
        if step == 0 {
            self.complemented = value & lives & lives.wrapping_neg() != 0;
        }
        let normal = (if self.complemented { !value } else { value }) & lives;
        self.is_constant &= normal == 0;
        self.hash.0 = (self.hash.0 ^ normal)
            .wrapping_mul(0x9e37_79b9_7f4a_7c15)
            .rotate_left(29);
        self.hash.1 = (self.hash.1.rotate_left(17) ^ normal).wrapping_mul(0xc2b2_ae3d_27d4_eb4f);
    }
}

/// Xorshift: enough for simulation, and the same on every machine.
pub(super) struct Random(u64);

impl Default for Random {
    fn default() -> Random {
        Random(0x9e37_79b9_7f4a_7c15)
    }
}

impl Random {
    pub(super) fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
}
