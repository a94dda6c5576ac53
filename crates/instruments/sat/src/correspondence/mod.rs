//! Signals that agree.
//!
//! Two questions with one method. *Equivalent* signals are the same function of latches and inputs (SAT sweeping: Kuehlmann and Krohm; Mishchenko et
//! al., "FRAIGs"). *Corresponding* signals agree in every reachable state (van Eijk, "Sequential equivalence checking based on structural
//! similarities"; ABC's `scorr`): the greatest inductive partition of latches and gates.
//!
//! Random simulation groups signals that have agreed so far, up to complement; what is always false or true agrees with the constant.
//! Then a copy of the circuit is built in which every signal is replaced by the first of its group (speculative reduction), so that most
//! pairs become the same node and need no further proof. For the others a SAT solver is asked; its counterexample, and random variations of it,
//! split every group they can. This is repeated until a whole round splits nothing. In a copy a pair is asked about with earlier pairs
//! replaced; that is sound because the answers only count when all pairs of the round are proved.
//!
//! For correspondence the groups must agree in the initial states, and after a step from any state in which they agree. The assumption is
//! built into the first of two copies in the same way; what a replaced gate is by its own definition is assumed, too, as clauses: that `a ∧ b` is
//! always false says more than that this gate may be replaced by the constant.
//!
//! Constraints are used of the first copy only, never of the position that is asked about. So the signals agree at every position *up to* which the
//! constraints hold, whether or not they hold there; and what agrees may be replaced in the constraints, too. (If they were used, a constraint would
//! be found to be always true, and be gone.)
//!
//! Groups only ever become finer, so this ends. A pair that is too hard is taken for different, or put off until all others are decided ([`Effort`]). The graph, its clauses and the
//! proved pairs are kept from round to round.
//!
//! The files: `groups` (simulation, splitting), `frames` (copies of the circuit and questions about them).

mod frames;
mod groups;
mod sweep;

use crate::aig::{Aig, Node, Signal};
use crate::circuit::Circuit;
use entail_budget::{Budget, Spent};
use frames::{Frames, Patience, Place, Round};
use groups::{Groups, Runs};

/// What each node always is: an earlier signal that agrees with it, or the node itself. Latches agree with latches and constants only.
#[derive(Clone, Debug)]
pub struct Correspondence {
    same_as: Vec<Signal>,
    /// See [`Correspondence::essential`].
    essential: Vec<Node>,
}

impl Correspondence {
    /// Nothing is known to agree with anything else.
    pub fn trivial(circuit: &Circuit) -> Correspondence {
        let same_as = (0..circuit.aig.len()).map(|index| Node::new(index).signal());
        Correspondence {
            same_as: same_as.collect(),
            essential: Vec::new(),
        }
    }

    /// From now on the node agrees with this constant, or this signal before it.
    pub fn merge(&mut self, node: Node, same: Signal) {
        self.same_as[node.index()] = same;
        self.essential.push(node);
    }

    /// The first signal that always agrees with this node.
    pub fn of(&self, node: Node) -> Signal {
        self.same_as[node.index()]
    }

    /// Nodes that agree with an earlier one, and with which.
    pub fn merged(&self) -> impl Iterator<Item = (Node, Signal)> + '_ {
        let pairs = self.same_as.iter().enumerate();
        pairs
            .map(|(index, &same)| (Node::new(index), same))
            .filter(|(node, same)| *same != node.signal())
    }

    /// The nodes among the merged ones whose agreement implies that of all others.
    pub fn essential(&self) -> &[Node] {
        &self.essential
    }
}

/// Conflicts after which a question about one pair is given up.
const CONFLICTS: u64 = 200;

/// Conflicts after which it is given up even if all effort is taken.
const MOST_CONFLICTS: u64 = 2_000_000;

/// The same for agreement after a step, where one pair that is open may cost others, and IC3 is there for what is left.
const MOST_CONFLICTS_OF_STEPS: u64 = 20_000;

/// How much is done about pairs that are hard to decide.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// They are taken for different.
    Little,
    /// They are put off and asked about again with more patience, while the others are decided as if these agreed.
    Much,
}

/// The signals that are the same function of latches and inputs. Nothing is essential about them.
pub fn equivalent_signals(
    circuit: &Circuit,
    effort: Effort,
    budget: &Budget,
) -> Result<Correspondence, Spent> {
    let order = order(circuit);
    let mut groups = Groups::by_simulation(circuit, &order, |_| true, Runs::Anywhere);
    let mut anywhere = Frames::new(circuit, &order, Place::Anywhere);
    settle(&mut anywhere, &mut groups, effort, MOST_CONFLICTS, budget)?;
    Ok(Correspondence {
        same_as: groups.into_firsts(),
        essential: Vec::new(),
    })
}

/// Asks until all pairs of all groups agree.
fn settle(
    frames: &mut Frames<'_>,
    groups: &mut Groups,
    effort: Effort,
    most_conflicts: u64,
    budget: &Budget,
) -> Result<(), Spent> {
    let mut conflicts = CONFLICTS;
    loop {
        let patience = Patience {
            conflicts,
            puts_off: effort == Effort::Much && conflicts < most_conflicts,
        };
        match frames.round(groups, patience, budget)? {
            Round::Split => {}
            Round::PutOff => conflicts *= 10,
            Round::Settled => return Ok(()),
        }
    }
}

/// The signals among the candidates that agree in every reachable state under all inputs.
pub fn corresponding_signals(
    circuit: &Circuit,
    is_candidate: impl Fn(Node) -> bool,
    effort: Effort,
    budget: &Budget,
) -> Result<Correspondence, Spent> {
    let order = order(circuit);
    let mut groups = Groups::by_simulation(circuit, &order, is_candidate, Runs::FromInitialStates);
    let mut initially = Frames::new(circuit, &order, Place::Initial);
    let mut after_step = Frames::new(circuit, &order, Place::AfterStep);
    for frames in [&mut initially, &mut after_step] {
        settle(frames, &mut groups, effort, MOST_CONFLICTS_OF_STEPS, budget)?;
    }
    let essential = Frames::new(circuit, &order, Place::Anywhere).essential(&groups, budget)?;
    Ok(Correspondence {
        same_as: groups.into_firsts(),
        essential,
    })
}

/// All latches, then the other nodes that anything depends on: a topological order in which a latch agrees with a latch or a constant,
/// never with a gate.
fn order(circuit: &Circuit) -> Vec<Node> {
    let latches = circuit.latches.iter();
    let mut order: Vec<Node> = latches.clone().map(|latch| latch.node).collect();
    let mut is_latch = vec![false; circuit.aig.len()];
    for node in &order {
        is_latch[node.index()] = true;
    }
    let cone = circuit
        .aig
        .cone(latches.map(|latch| latch.next).chain(circuit.roots()));
    order.extend(cone.into_iter().filter(|node| !is_latch[node.index()]));
    order
}

fn word(values: &[u64], signal: Signal) -> u64 {
    values[signal.node().index()] ^ if signal.is_complemented() { u64::MAX } else { 0 }
}

/// The values of gates in 64 situations at once; those of leaves are there.
fn simulate(aig: &Aig, order: &[Node], values: &mut [u64]) {
    for &node in order {
        if let Some((a, b)) = aig.fanins(node) {
            values[node.index()] = word(values, a) & word(values, b);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solver_tests::random_circuit;
    use crate::{Init, value_of};
    use rand::rngs::StdRng;
    use rand::{Rng, SeedableRng};

    #[test]
    fn copies_complements_and_constants_are_found() {
        let mut circuit = Circuit::new();
        let input = circuit.add_input();
        let a = circuit.add_latch(Init::Zero);
        let b = circuit.add_latch(Init::Zero);
        let c = circuit.add_latch(Init::One);
        let never = circuit.add_latch(Init::Zero);
        let free = circuit.add_latch(Init::Free);
        circuit.latches[0].next = circuit.aig.xor(a, input);
        circuit.latches[1].next = circuit.aig.xor(b, input);
        circuit.latches[2].next = circuit.aig.xor(c, input);
        let both = circuit.aig.xor(a, b);
        circuit.latches[3].next = circuit.aig.or(both, never);
        let found =
            corresponding_signals(&circuit, |_| true, Effort::Much, &Budget::unlimited()).expect("no limit");
        let same = [a, b, c, never, free].map(|latch| found.of(latch.node()));
        assert_eq!(same, [a, a, !a, Signal::FALSE, free]);
        // The gates follow from the latches.
        let latches = [b, c, never].map(Signal::node);
        assert_eq!(found.essential(), latches);
    }

    /// Two multiplexers built in different ways are one; structural hashing does not see it.
    #[test]
    fn equal_functions_are_found() {
        let mut circuit = Circuit::new();
        let [a, b, c] = [0; 3].map(|_| circuit.add_input());
        let mux = circuit.aig.mux(a, b, c);
        let (with, without) = (circuit.aig.and(a, b), circuit.aig.and(!a, c));
        let always = circuit.aig.and(b, c);
        let consensus = circuit.aig.or_all([with, without, always]);
        circuit.bad = vec![mux, consensus];
        assert_ne!(mux, consensus);
        let found = equivalent_signals(&circuit, Effort::Little, &Budget::unlimited()).expect("no limit");
        let resolve = |signal: Signal| found.of(signal.node()).flipped_if(signal.is_complemented());
        assert_eq!(resolve(mux), resolve(consensus));
        assert!(found.essential().is_empty());
    }

    /// The greatest inductive partition by its definition: what agrees initially, split as long as some step from a state in which the groups agree tells members apart. For each node, its group
    /// and whether it is complemented there.
    fn naive_partition(circuit: &Circuit) -> Vec<(usize, bool)> {
        let (latches, inputs) = (circuit.latches.len(), circuit.inputs.len());
        let bits = |number: usize, count: usize| -> Vec<bool> {
            (0..count).map(|bit| number >> bit & 1 == 1).collect()
        };
        let is_initial = |state: &usize| {
            let fits = |(position, latch): (usize, &crate::Latch)| {
                latch
                    .init
                    .as_constant()
                    .is_none_or(|value| (state >> position & 1 == 1) == value)
            };
            circuit.latches.iter().enumerate().all(fits)
        };
        let evaluated = |state: usize| -> Vec<Vec<bool>> {
            let state = bits(state, latches);
            (0..1usize << inputs)
                .map(|input| circuit.evaluate(&state, &bits(input, inputs)))
                .collect()
        };
        let all: Vec<Vec<Vec<bool>>> = (0..1usize << latches).map(evaluated).collect();
        let mut partition: Vec<(usize, bool)> = vec![(0, false); circuit.aig.len()];
        let mut seen: Vec<usize> = (0..1usize << latches).filter(is_initial).collect();
        loop {
            // Groups of nodes that agree, up to complement, wherever they were looked at.
            let reference = &all[seen[0]][0];
            let mut known: std::collections::BTreeMap<Vec<bool>, usize> = std::collections::BTreeMap::new();
            let before = partition.clone();
            for node in 0..circuit.aig.len() {
                let flip = reference[node];
                let values = seen.iter().flat_map(|&state| &all[state]);
                let signature: Vec<bool> = values.map(|values| values[node] != flip).collect();
                let next = known.len();
                partition[node] = (*known.entry(signature).or_insert(next), flip);
            }
            let agrees = |values: &Vec<bool>| {
                let mut of_group = vec![None; circuit.aig.len()];
                circuit
                    .constraints
                    .iter()
                    .all(|&constraint| value_of(values, constraint))
                    && (0..circuit.aig.len())
                        .filter(|&node| node == 0 || circuit.inputs.iter().all(|input| input.index() != node))
                        .all(|node| {
                            let (group, flip) = partition[node];
                            *of_group[group].get_or_insert(values[node] != flip) == (values[node] != flip)
                                && (partition[0].0 != group || values[node] == (flip != partition[0].1))
                        })
            };
            for values in all.iter().flatten().filter(|values| agrees(values)) {
                let next = circuit.successor(values);
                let next = next
                    .iter()
                    .rev()
                    .fold(0, |number, &bit| number * 2 + usize::from(bit));
                if !seen.contains(&next) {
                    seen.push(next);
                }
            }
            if partition == before {
                return partition;
            }
        }
    }

    #[test]
    fn the_greatest_inductive_partition_is_found() {
        let mut random = StdRng::seed_from_u64(23);
        let mut merged = 0;
        for round in 0..300 {
            let (circuit, roots) = random_circuit(&mut random, 5, 2, 22);
            let mut circuit = Circuit {
                bad: roots.clone(),
                ..circuit
            };
            if round % 3 == 0 {
                circuit.constraints = vec![roots[random.random_range(0..roots.len())]];
            }
            let found = corresponding_signals(&circuit, |_| true, Effort::Much, &Budget::unlimited())
                .expect("no limit");
            let partition = naive_partition(&circuit);
            let candidates: Vec<Node> = order(&circuit)
                .into_iter()
                .filter(|node| !circuit.inputs.contains(node))
                .collect();
            for &a in &candidates {
                for &b in &candidates {
                    let (in_a, in_b) = (partition[a.index()], partition[b.index()]);
                    let expected = (in_a.0 == in_b.0).then_some(in_a.1 != in_b.1);
                    let (to_a, to_b) = (found.of(a), found.of(b));
                    let same = (to_a.node() == to_b.node())
                        .then_some(to_a.is_complemented() != to_b.is_complemented());
                    assert_eq!(same, expected, "round {round}: {a:?} {b:?}");
                }
            }
            merged += found.merged().count();
        }
        assert!(merged > 1000, "{merged}");
    }

    #[test]
    fn what_is_found_is_true() {
        let mut random = StdRng::seed_from_u64(21);
        let (mut corresponding, mut equivalent) = (0, 0);
        for _ in 0..400 {
            let (circuit, roots) = random_circuit(&mut random, 8, 2, 24);
            let mut constraints = Vec::new();
            for _ in 0..random.random_range(0..3) {
                let root = roots[random.random_range(0..roots.len())];
                constraints.push(root.flipped_if(random.random_bool(0.5)));
            }
            let circuit = Circuit {
                constraints,
                bad: roots,
                ..circuit
            };
            let always = corresponding_signals(&circuit, |_| true, Effort::Much, &Budget::unlimited())
                .expect("no limit");
            let everywhere =
                equivalent_signals(&circuit, Effort::Much, &Budget::unlimited()).expect("no limit");
            corresponding += always.merged().count();
            equivalent += everywhere.merged().count();
            let first = |latch: &crate::Latch| latch.init.as_constant();
            let mut state: Vec<bool> = circuit
                .latches
                .iter()
                .map(|latch| first(latch).unwrap_or_else(|| random.random_bool(0.5)))
                .collect();
            for _ in 0..40 {
                let mut flip = || random.random_bool(0.5);
                let inputs: Vec<bool> = circuit.inputs.iter().map(|_| flip()).collect();
                let anything: Vec<bool> = circuit.latches.iter().map(|_| flip()).collect();
                let values = circuit.evaluate(&state, &inputs);
                let is_kept = |&constraint: &Signal| value_of(&values, constraint);
                let goes_on = circuit.constraints.iter().all(is_kept);
                for (node, same) in always.merged() {
                    assert_eq!(values[node.index()], value_of(&values, same));
                }
                let elsewhere = circuit.evaluate(&anything, &inputs);
                for (node, same) in everywhere.merged() {
                    assert_eq!(elsewhere[node.index()], value_of(&elsewhere, same));
                }
                if !goes_on {
                    break;
                }
                state = circuit.successor(&values);
            }
        }
        assert!(
            corresponding > 1000 && equivalent > 50,
            "{corresponding} {equivalent}"
        );
    }
}
