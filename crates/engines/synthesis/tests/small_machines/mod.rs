//! Machines and circuits made small do what is allowed, and nothing else than before: random loose machines with every code, random circuits in all reached states.

use crate::effort;
use entail_automata::ltl::random::Random;
use entail_budget::Budget;
use entail_reactive::{
    Codes, LooseMachine, LooseNode, Netlist, OutputSet, OutputSets, Table, encode, fewest, fold, shrink,
    small_circuit,
};
use entail_sat::{Init, Signal};
use std::collections::HashSet;
use std::time::Duration;

/// A set of outputs, not empty.
fn random_set(random: &mut Random, sets: &mut OutputSets, writes: u32) -> OutputSet {
    loop {
        let mut layer: Vec<OutputSet> = (0..1 << writes)
            .map(|_| {
                if random.below(3) == 0 {
                    OutputSet::NONE
                } else {
                    OutputSet::ALL
                }
            })
            .collect();
        for write in (0..writes).rev() {
            layer = layer
                .chunks(2)
                .map(|pair| sets.node(write, pair[0], pair[1]))
                .collect();
        }
        if layer[0] != OutputSet::NONE {
            return layer[0];
        }
    }
}

fn random_machine(random: &mut Random) -> LooseMachine {
    let (states, reads, writes) = (
        1 + random.below(6),
        random.below(4) as u32,
        1 + random.below(3) as u32,
    );
    let name = |kind: &str, count: u32| (0..count).map(|at| format!("{kind}{at}")).collect();
    let mut machine = LooseMachine {
        reads: name("r", reads),
        writes: name("w", writes),
        is_moore: random.below(3) == 0,
        sets: OutputSets::default(),
        nodes: Vec::new(),
        states: Vec::new(),
    };
    for _ in 0..states {
        let own = random_set(random, &mut machine.sets, writes);
        let mut layer: Vec<u32> = Vec::new();
        for _ in 0..1 << reads {
            let allowed = match machine.is_moore {
                true => own,
                false => random_set(random, &mut machine.sets, writes),
            };
            let next = (random.below(8) > 0).then(|| random.below(states) as u32);
            machine.nodes.push(LooseNode::Step { allowed, next });
            layer.push(machine.nodes.len() as u32 - 1);
        }
        for read in (0..reads).rev() {
            let pairs: Vec<(u32, u32)> = layer.chunks(2).map(|pair| (pair[0], pair[1])).collect();
            layer.clear();
            for (low, high) in pairs {
                machine.nodes.push(LooseNode::Test { read, low, high });
                layer.push(machine.nodes.len() as u32 - 1);
            }
        }
        machine.states.push(layer[0]);
    }
    machine
}

fn bits(number: usize, count: usize) -> Vec<bool> {
    (0..count).map(|bit| number >> bit & 1 == 1).collect()
}

/// What a machine asks for in a state.
fn asked(machine: &LooseMachine, state: u32, letter: &[bool]) -> (OutputSet, Option<u32>) {
    let mut at = machine.states[state as usize];
    loop {
        match machine.nodes[at as usize] {
            LooseNode::Test { read, low, high } => at = if letter[read as usize] { high } else { low },
            LooseNode::Step { allowed, next } => return (allowed, next),
        }
    }
}

/// What is written in a state on a letter, and the next state.
type Steps<'s, S> = dyn Fn(&S, &[bool]) -> (Vec<bool>, S) + 's;

/// Everything that something does step by step is allowed.
fn assert_refines<S: Clone + Eq + std::hash::Hash>(machine: &LooseMachine, first: S, step: &Steps<'_, S>) {
    let mut seen: HashSet<(u32, S)> = HashSet::from([(0, first.clone())]);
    let mut waiting = vec![(0, first)];
    while let Some((state, own)) = waiting.pop() {
        let mut before: Option<Vec<bool>> = None;
        for letter in 0..1 << machine.reads.len() {
            let letter = bits(letter, machine.reads.len());
            let (allowed, next) = asked(machine, state, &letter);
            let (written, own) = step(&own, &letter);
            assert!(machine.sets.contains(allowed, &written), "{machine:?}");
            if machine.is_moore {
                assert_eq!(before.get_or_insert_with(|| written.clone()), &written);
            }
            if let Some(next) = next
                && seen.insert((next, own.clone()))
            {
                waiting.push((next, own));
            }
        }
    }
}

fn assert_netlist_refines(machine: &LooseMachine, netlist: &Netlist) {
    assert_refines(machine, netlist.first(), &|latches: &Vec<bool>, letter| {
        netlist.step(latches, letter)
    });
}

#[test]
fn reduced_machines_and_circuits_with_any_codes_do_only_what_is_allowed() {
    let budget = Budget::unlimited();
    let mut random = Random::new(5);
    let (mut folded_away, mut fewer) = (0, 0);
    for _ in 0..60 * effort() {
        let machine = random_machine(&mut random);
        let table = Table::new(&machine, 1 << 10).expect("few letters");
        let folded = fold(&table, u64::MAX, &budget).expect("no limit");
        folded_away += table.rows.len() - folded.rows.len();
        let least = fewest(&table, folded.rows.len(), &budget).expect("no limit");
        fewer += least.iter().count();
        for table in [&table, &folded].into_iter().chain(&least) {
            let resolved = table.resolved();
            assert_eq!(resolved.fault(), None);
            assert_refines(&machine, 0, &|&state: &u32, letter: &[bool]| {
                let (written, next) = resolved.step(state, &|at| letter[at as usize]);
                (written.to_vec(), next)
            });
            let states = table.rows.len();
            let bits = states.next_power_of_two().trailing_zeros() as usize;
            let mut order: Vec<u64> = (0..1 << (bits + 1)).collect();
            for at in (1..order.len()).rev() {
                order.swap(at, random.below(at + 1));
            }
            order.truncate(states);
            let plain: Vec<u64> = (0..states as u64).collect();
            for codes in [
                Codes::binary(&plain, bits),
                Codes::one_hot(states),
                Codes::binary(&order, bits + 1),
            ] {
                let netlist = encode(table, &codes, &budget).expect("small");
                assert_netlist_refines(&machine, &netlist);
            }
        }
        let (small, _) = small_circuit(&machine, Duration::from_millis(30), &budget).expect("small");
        assert_netlist_refines(&machine, &small);
    }
    assert!(folded_away > 30 && fewer > 0, "{folded_away} {fewer}");
}

fn random_circuit(random: &mut Random, inputs: usize, latches: usize, gates: usize) -> Netlist {
    let mut netlist = Netlist::default();
    let mut pool: Vec<Signal> = (0..inputs).map(|_| netlist.circuit.add_input()).collect();
    for _ in 0..latches {
        pool.push(netlist.circuit.add_latch(Init::from(random.below(2) == 0)));
    }
    let pick = |random: &mut Random, pool: &[Signal]| {
        pool[random.below(pool.len())].flipped_if(random.below(2) == 0)
    };
    for _ in 0..gates {
        let (a, b, c) = (pick(random, &pool), pick(random, &pool), pick(random, &pool));
        let aig = &mut netlist.circuit.aig;
        pool.push(match random.below(4) {
            0 => aig.xor(a, b),
            1 => aig.mux(a, b, c),
            _ => aig.and(a, b),
        });
    }
    for latch in 0..latches {
        netlist.circuit.latches[latch].next = pick(random, &pool);
    }
    netlist.circuit.bad = (0..1 + random.below(3)).map(|_| pick(random, &pool)).collect();
    netlist
}

#[test]
fn circuits_write_the_same_before_and_after_shrinking() {
    let mut random = Random::new(8);
    let (mut before, mut after) = (0, 0);
    for round in 0..40 * effort() {
        let (inputs, latches) = (1 + random.below(4), random.below(5));
        let gates = 5 + random.below(40);
        let netlist = random_circuit(&mut random, inputs, latches, gates);
        // A spent budget on the way must give a right circuit, too.
        let budget = match round % 4 {
            0 => Budget::unlimited().with_timeout(Some(Duration::from_millis(2))),
            _ => Budget::unlimited(),
        };
        let small = shrink(&netlist, &budget);
        before += netlist.size();
        after += small.size();
        assert!(small.size() <= netlist.size());
        let first = (netlist.first(), small.first());
        let mut seen = HashSet::from([first.clone()]);
        let mut waiting = vec![first];
        while let Some((one, other)) = waiting.pop() {
            for letter in 0..1 << inputs {
                let letter = bits(letter, inputs);
                let ((written, one), (same, other)) =
                    (netlist.step(&one, &letter), small.step(&other, &letter));
                assert_eq!(written, same, "{netlist:?}");
                if seen.insert((one.clone(), other.clone())) {
                    waiting.push((one, other));
                }
            }
        }
    }
    assert!(after * 3 < before * 2, "{after} of {before}");
}

/// More inputs than can be listed: cuts and diagrams alone, seen by random values.
#[test]
fn circuits_with_many_inputs_write_the_same_before_and_after_shrinking() {
    let mut random = Random::new(9);
    for _ in 0..4 * effort() {
        let netlist = random_circuit(&mut random, 20, 6, 120);
        let small = shrink(
            &netlist,
            &Budget::unlimited().with_timeout(Some(Duration::from_millis(300))),
        );
        let (mut one, mut other) = (netlist.first(), small.first());
        for _ in 0..400 {
            let letter: Vec<bool> = (0..20).map(|_| random.below(2) == 0).collect();
            let ((written, next), (same, other_next)) =
                (netlist.step(&one, &letter), small.step(&other, &letter));
            assert_eq!(written, same);
            (one, other) = (next, other_next);
        }
    }
}
