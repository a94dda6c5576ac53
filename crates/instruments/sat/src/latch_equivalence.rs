//! Latches that always agree (van Eijk): the greatest inductive partition.
//!
//! Random simulation from the initial states groups latches that have agreed so far, up to complement; what is always false or true agrees
//! with a constant. Then, assuming that all latches of a group agree now, is it implied that they agree after a step? The assumption is built
//! into the graph: every latch is replaced by its group's representative, so that most pairs of next values become the same signal and need no
//! further proof. For the others a SAT solver is asked; its counterexample splits every group it can. This is repeated until a whole
//! round splits nothing: then "the latches of a group agree" is true initially and kept by every step.
//!
//! Groups only ever become finer, so there are at most as many rounds as latches. A pair that is too hard is taken for different.

use crate::aig::{Aig, Signal, value_of};
use crate::circuit::Circuit;
use crate::cnf::ConeEncoder;
use crate::{Answer, Cadical, Query, SatSolver};
use entail_budget::{Budget, Spent};
use rustc_hash::FxHashMap;

/// What a latch always is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Replacement {
    /// A constant.
    Constant(bool),
    /// The latch at this position; its complement, if the flag is set.
    Latch(usize, bool),
}

/// Steps of the simulation; 64 runs go on at once.
const SIMULATED_STEPS: usize = 48;

/// A pair of next values gets so many conflicts.
const CONFLICTS: u64 = 300;

/// For each latch, what it always is, if that is a constant or an earlier latch; nothing when the budget is spent.
pub fn latch_equivalences(circuit: &Circuit, budget: &Budget) -> Result<Vec<Option<Replacement>>, Spent> {
    let mut partition = Partition::by_simulation(circuit);
    partition.agree_initially(circuit, budget)?;
    while partition.refine(circuit, budget)? {}
    Ok((0..circuit.latches.len())
        .map(|latch| partition.replacement(latch))
        .collect())
}

/// Groups of latches. Members are in increasing order; the first represents the group, except in the group of constants.
struct Partition {
    groups: Vec<Vec<usize>>,
    /// For each latch, its group and whether it is complemented in it.
    place: Vec<(usize, bool)>,
}

/// The group of latches that are always false (true, if complemented).
const CONSTANTS: usize = 0;

impl Partition {
    fn by_simulation(circuit: &Circuit) -> Partition {
        let mut random = Random(0x9e37_79b9_7f4a_7c15);
        let mut latches: Vec<u64> = circuit
            .latches
            .iter()
            .map(|latch| match latch.init.as_constant() {
                Some(true) => u64::MAX,
                Some(false) => 0,
                None => random.next(),
            })
            .collect();
        // Runs that break a constraint do not count any more. They are not filtered by initial constraints: those are asked of the solver.
        let mut lives = u64::MAX;
        let complemented: Vec<bool> = latches.iter().map(|values| values & 1 == 1).collect();
        let mut signatures: Vec<Vec<u64>> = vec![Vec::with_capacity(SIMULATED_STEPS); latches.len()];
        let of = |values: &[u64], signal: Signal| {
            values[signal.node().index()] ^ if signal.is_complemented() { u64::MAX } else { 0 }
        };
        for _ in 0..SIMULATED_STEPS {
            let mut values = vec![0u64; circuit.aig.len()];
            for (latch, &value) in circuit.latches.iter().zip(&latches) {
                values[latch.node.index()] = value;
            }
            for input in &circuit.inputs {
                values[input.index()] = random.next();
            }
            for index in 1..circuit.aig.len() {
                if let Some((a, b)) = circuit.aig.fanins(crate::aig::Node::new(index)) {
                    values[index] = of(&values, a) & of(&values, b);
                }
            }
            for &constraint in &circuit.constraints {
                lives &= of(&values, constraint);
            }
            for ((signature, &value), &flip) in signatures.iter_mut().zip(&latches).zip(&complemented) {
                signature.push((if flip { !value } else { value }) & lives);
            }
            for &constraint in &circuit.step_constraints {
                lives &= of(&values, constraint);
            }
            if lives == 0 {
                break;
            }
            latches = circuit
                .latches
                .iter()
                .map(|latch| of(&values, latch.next))
                .collect();
        }
        let mut partition = Partition {
            groups: vec![Vec::new()],
            place: Vec::with_capacity(signatures.len()),
        };
        let mut known: FxHashMap<&[u64], usize> = FxHashMap::default();
        for (latch, signature) in signatures.iter().enumerate() {
            let group = if signature.iter().all(|&word| word == 0) {
                CONSTANTS
            } else {
                *known.entry(signature).or_insert_with(|| {
                    partition.groups.push(Vec::new());
                    partition.groups.len() - 1
                })
            };
            partition.groups[group].push(latch);
            partition.place.push((group, complemented[latch]));
        }
        partition
    }

    /// What a latch is under the assumption that all groups agree.
    fn replacement(&self, latch: usize) -> Option<Replacement> {
        let (group, flip) = self.place[latch];
        if group == CONSTANTS {
            return Some(Replacement::Constant(flip));
        }
        let first = self.groups[group][0];
        (first != latch).then(|| Replacement::Latch(first, self.place[first].1 != flip))
    }

    /// Takes a latch out of its group.
    fn isolate(&mut self, latch: usize) {
        let group = self.place[latch].0;
        self.groups[group].retain(|&member| member != latch);
        self.groups.push(vec![latch]);
        self.place[latch].0 = self.groups.len() - 1;
    }

    /// Splits every group by the values that latches have in some state. Says whether anything was split.
    fn split(&mut self, value: impl Fn(usize) -> bool) -> bool {
        let mut any = false;
        for group in 0..self.groups.len() {
            let members = std::mem::take(&mut self.groups[group]);
            let place = &self.place;
            let normal = |latch: usize| value(latch) != place[latch].1;
            // Constants that are not what they should be leave; other groups keep the side of their first member.
            let kept = group != CONSTANTS && members.first().is_some_and(|&first| normal(first));
            let (stay, leave): (Vec<usize>, Vec<usize>) =
                members.into_iter().partition(|&latch| normal(latch) == kept);
            self.groups[group] = stay;
            if !leave.is_empty() {
                any = true;
                let added = self.groups.len();
                for &latch in &leave {
                    self.place[latch].0 = added;
                }
                self.groups.push(leave);
            }
        }
        any
    }

    /// Latches without a constant initial value agree only if the initial constraints say so.
    fn agree_initially(&mut self, circuit: &Circuit, budget: &Budget) -> Result<(), Spent> {
        let is_free = |latch: usize| circuit.latches[latch].init.as_constant().is_none();
        if (0..circuit.latches.len()).all(|latch| !is_free(latch)) {
            return Ok(());
        }
        let mut aig = Aig::new();
        let latches: Vec<Signal> = circuit
            .latches
            .iter()
            .map(|latch| match latch.init.as_constant() {
                Some(value) => Signal::constant(value),
                None => aig.leaf(),
            })
            .collect();
        let constraints: Vec<Signal> = circuit
            .init_constraints
            .iter()
            .chain(&circuit.constraints)
            .copied()
            .collect();
        let required = rebuilt(circuit, &mut aig, &latches, &constraints);
        let (mut solver, mut encoder) = (Cadical::new(), ConeEncoder::new());
        for signal in required {
            let literal = encoder.encode(&aig, signal, &mut solver);
            solver.add_clause(&[literal]);
        }
        for latch in 0..circuit.latches.len() {
            budget.check()?;
            let Some(replacement) = self.replacement(latch) else {
                continue;
            };
            let expected = replaced(&latches, replacement);
            let differ = aig.xor(latches[latch], expected);
            if differ == Signal::FALSE {
                continue;
            }
            let differ = encoder.encode(&aig, differ, &mut solver);
            let query = Query {
                assumptions: &[differ],
                conflict_limit: Some(CONFLICTS),
                ..Query::default()
            };
            if solver.solve_query(query, budget)? != Answer::Unsatisfiable {
                self.isolate(latch);
            }
        }
        Ok(())
    }

    /// One round; says whether something was split.
    fn refine(&mut self, circuit: &Circuit, budget: &Budget) -> Result<bool, Spent> {
        let mut aig = Aig::new();
        let mut latches: Vec<Signal> = Vec::with_capacity(circuit.latches.len());
        let replacements: Vec<Option<Replacement>> = (0..circuit.latches.len())
            .map(|latch| self.replacement(latch))
            .collect();
        for &replacement in &replacements {
            let signal = match replacement {
                Some(replacement) => replaced(&latches, replacement),
                None => aig.leaf(),
            };
            latches.push(signal);
        }
        let mut roots: Vec<Signal> = circuit.latches.iter().map(|latch| latch.next).collect();
        roots.extend(circuit.constraints.iter().chain(&circuit.step_constraints));
        let mut next = rebuilt(circuit, &mut aig, &latches, &roots);
        let required = next.split_off(circuit.latches.len());
        let (mut solver, mut encoder) = (Cadical::new(), ConeEncoder::new());
        for signal in required {
            let literal = encoder.encode(&aig, signal, &mut solver);
            solver.add_clause(&[literal]);
        }
        let mut changed = false;
        for latch in 0..circuit.latches.len() {
            budget.check()?;
            // A group that was split in this round is asked about in the next one.
            let Some(replacement) = self
                .replacement(latch)
                .filter(|now| Some(*now) == replacements[latch])
            else {
                continue;
            };
            let expected = replaced(&next, replacement);
            if next[latch] == expected {
                continue;
            }
            let differ = aig.xor(next[latch], expected);
            let differ = encoder.encode(&aig, differ, &mut solver);
            let query = Query {
                assumptions: &[differ],
                conflict_limit: Some(CONFLICTS),
                ..Query::default()
            };
            match solver.solve_query(query, budget)? {
                Answer::Unsatisfiable => solver.add_clause(&[!differ]),
                Answer::Satisfiable => {
                    let values = aig.evaluate(|leaf| {
                        let literal = encoder.literal(leaf.signal());
                        literal.and_then(|literal| solver.value(literal)).unwrap_or(false)
                    });
                    changed |= self.split(|latch| value_of(&values, next[latch]));
                }
                Answer::Unknown => {
                    self.isolate(latch);
                    changed = true;
                }
            }
        }
        Ok(changed)
    }
}

fn replaced(signals: &[Signal], replacement: Replacement) -> Signal {
    match replacement {
        Replacement::Constant(value) => Signal::constant(value),
        Replacement::Latch(latch, flip) => signals[latch].flipped_if(flip),
    }
}

/// Roots of the circuit in another graph, over the given latches and new leaves for the inputs.
fn rebuilt(circuit: &Circuit, aig: &mut Aig, latches: &[Signal], roots: &[Signal]) -> Vec<Signal> {
    let mut leaves: Vec<Option<Signal>> = vec![None; circuit.aig.len()];
    for (latch, &signal) in circuit.latches.iter().zip(latches) {
        leaves[latch.node.index()] = Some(signal);
    }
    let imported = aig.import(&circuit.aig, roots.iter().copied(), |aig, node| {
        leaves[node.index()].unwrap_or_else(|| aig.leaf())
    });
    let moved = |signal: &Signal| imported.get(*signal).expect("a root");
    roots.iter().map(moved).collect()
}

/// Xorshift: enough for signatures, and the same on every machine.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Init;
    use crate::solver_tests::random_circuit;
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
        let _ = free;
        circuit.latches[0].next = circuit.aig.xor(a, input);
        circuit.latches[1].next = circuit.aig.xor(b, input);
        let same = circuit.aig.xor(c, input);
        circuit.latches[2].next = same;
        let both = circuit.aig.xor(a, b);
        circuit.latches[3].next = circuit.aig.or(both, never);
        let found = latch_equivalences(&circuit, &Budget::unlimited()).expect("no limit");
        assert_eq!(
            found,
            [
                None,
                Some(Replacement::Latch(0, false)),
                Some(Replacement::Latch(0, true)),
                Some(Replacement::Constant(false)),
                None
            ]
        );
    }

    #[test]
    fn what_is_found_is_true_in_every_reachable_state() {
        let mut random = StdRng::seed_from_u64(21);
        let mut found = 0;
        for _ in 0..300 {
            let (circuit, _) = random_circuit(&mut random, 8, 2, 14);
            let replacements = latch_equivalences(&circuit, &Budget::unlimited()).expect("no limit");
            found += replacements.iter().flatten().count();
            let mut state: Vec<bool> = circuit
                .latches
                .iter()
                .map(|latch| {
                    latch
                        .init
                        .as_constant()
                        .unwrap_or_else(|| random.random_bool(0.5))
                })
                .collect();
            for _ in 0..40 {
                for (latch, replacement) in replacements.iter().enumerate() {
                    match replacement {
                        Some(Replacement::Constant(value)) => assert_eq!(state[latch], *value),
                        Some(Replacement::Latch(other, flip)) => {
                            assert!(*other < latch);
                            assert_eq!(state[latch], state[*other] != *flip);
                        }
                        None => {}
                    }
                }
                let inputs: Vec<bool> = circuit.inputs.iter().map(|_| random.random_bool(0.5)).collect();
                let values = circuit.evaluate(&state, &inputs);
                state = circuit.successor(&values);
            }
        }
        assert!(found > 100, "{found}");
    }
}
