//! Our solver against CaDiCaL on random formulas: verdicts, models, cores, temporary clauses, domains; and CNF against simulation.

use crate::{
    Aig, Answer, Cadical, Cdcl, Circuit, GateCnf, Init, Lit, Query, SatSolver, Signal, Var, value_of,
};
use entail_budget::Budget;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

fn random_clause(random: &mut StdRng, variables: usize, length: usize) -> Vec<Lit> {
    (0..length)
        .map(|_| Var::new(random.random_range(0..variables)).lit(random.random_bool(0.5)))
        .collect()
}

fn satisfied(solver: &Cdcl, clause: &[Lit]) -> bool {
    clause.iter().any(|&literal| solver.value(literal) == Some(true))
}

#[test]
fn verdicts_models_and_cores_agree_with_cadical() {
    let mut random = StdRng::seed_from_u64(3);
    let budget = Budget::unlimited();
    let (mut satisfiable, mut unsatisfiable) = (0, 0);
    for round in 0..600 {
        let variables = random.random_range(3..if round % 10 == 0 { 80 } else { 25 });
        let (mut ours, mut other) = (Cdcl::new(), Cadical::new());
        for _ in 0..variables {
            ours.new_var();
            other.new_var();
        }
        let mut clauses: Vec<Vec<Lit>> = Vec::new();
        for _ in 0..8 {
            for _ in 0..random.random_range(0..variables) {
                let length = random.random_range(2..4);
                let clause = random_clause(&mut random, variables, length);
                ours.add_clause(&clause);
                other.add_clause(&clause);
                clauses.push(clause);
            }
            let assumptions = {
                let length = random.random_range(0..5);
                random_clause(&mut random, variables, length)
            };
            let constraint = {
                let length = random.random_range(0..4);
                random_clause(&mut random, variables, length)
            };
            let query = Query {
                assumptions: &assumptions,
                constraint: &constraint,
                conflict_limit: None,
            };
            let expected = other.solve_query(query, &budget).expect("no limit");
            assert_eq!(ours.solve_query(query, &budget), Ok(expected));
            if expected == Answer::Satisfiable {
                satisfiable += 1;
                assert!(clauses.iter().all(|clause| satisfied(&ours, clause)));
                assert!(constraint.is_empty() || satisfied(&ours, &constraint));
                assert!(
                    assumptions
                        .iter()
                        .all(|&literal| ours.value(literal) == Some(true))
                );
            } else {
                unsatisfiable += 1;
                let core: Vec<Lit> = ours.failures().to_vec();
                assert!(core.iter().all(|literal| assumptions.contains(literal)));
                let again = Query {
                    assumptions: &core,
                    constraint: &constraint,
                    conflict_limit: None,
                };
                assert_eq!(other.solve_query(again, &budget), Ok(Answer::Unsatisfiable));
            }
        }
    }
    assert!(
        satisfiable > 1000 && unsatisfiable > 1000,
        "{satisfiable} {unsatisfiable}"
    );
}

/// A random circuit and all its signals.
pub(crate) fn random_circuit(
    random: &mut StdRng,
    latches: usize,
    inputs: usize,
    gates: usize,
) -> (Circuit, Vec<Signal>) {
    let mut circuit = Circuit::new();
    let mut pool: Vec<Signal> = (0..latches)
        .map(|_| {
            let init = [Init::Zero, Init::One, Init::Free][random.random_range(0..3)];
            circuit.add_latch(init)
        })
        .collect();
    pool.extend((0..inputs).map(|_| circuit.add_input()));
    for _ in 0..gates {
        let mut pick = || pool[random.random_range(0..pool.len())].flipped_if(random.random_bool(0.5));
        let (a, b, c) = (pick(), pick(), pick());
        let aig: &mut Aig = &mut circuit.aig;
        pool.push(match random.random_range(0..4) {
            0 => aig.xor(a, b),
            1 => aig.mux(a, b, c),
            _ => aig.and(a, b),
        });
    }
    for latch in 0..latches {
        circuit.latches[latch].next =
            pool[random.random_range(0..pool.len())].flipped_if(random.random_bool(0.5));
    }
    (circuit, pool)
}

#[test]
fn clauses_of_a_circuit_have_exactly_its_values() {
    let mut random = StdRng::seed_from_u64(5);
    let budget = Budget::unlimited();
    for _ in 0..150 {
        let (circuit, pool) = random_circuit(&mut random, 3, 3, 25);
        let roots: Vec<Signal> = (0..3).map(|_| pool[random.random_range(0..pool.len())]).collect();
        let cnf = GateCnf::new(&circuit, &roots);
        let mut solver = Cdcl::new();
        cnf.load(&mut solver);
        for pattern in 0..64u32 {
            let bits: Vec<bool> = (0..6).map(|bit| pattern >> bit & 1 == 1).collect();
            let values = circuit.evaluate(&bits[..3], &bits[3..]);
            let leaves = circuit
                .latches
                .iter()
                .map(|latch| latch.node)
                .chain(circuit.inputs.iter().copied());
            let assumptions: Vec<Lit> = leaves
                .zip(&bits)
                .map(|(node, &bit)| cnf.lit(node.signal()).flipped_if(!bit))
                .collect();
            assert_eq!(solver.satisfiable(&assumptions, &budget), Ok(true));
            for root in roots
                .iter()
                .copied()
                .chain(circuit.latches.iter().map(|latch| latch.next))
            {
                assert_eq!(solver.value(cnf.lit(root)), Some(value_of(&values, root)));
            }
        }
    }
}

#[test]
fn a_domain_changes_neither_verdicts_nor_the_meaning_of_models() {
    let mut random = StdRng::seed_from_u64(6);
    let budget = Budget::unlimited();
    let (mut partial, mut refuted) = (0, 0);
    for _ in 0..300 {
        let (circuit, pool) = random_circuit(&mut random, 6, 4, 40);
        let roots: Vec<Signal> = (0..4).map(|_| pool[random.random_range(0..pool.len())]).collect();
        let cnf = GateCnf::new(&circuit, &roots);
        let (mut ours, mut other) = (Cdcl::new(), Cadical::new());
        cnf.load(&mut ours);
        cnf.load(&mut other);
        for _ in 0..12 {
            if random.random_bool(0.4) {
                // A clause about latches, as IC3 learns them.
                let clause: Vec<Lit> = (0..random.random_range(1..4))
                    .map(|_| {
                        let latch = circuit.latches[random.random_range(0..6)];
                        cnf.lit(latch.node.signal()).flipped_if(random.random_bool(0.5))
                    })
                    .collect();
                for literal in &clause {
                    ours.add_to_domain(literal.var(), cnf.fanins());
                }
                ours.add_clause(&clause);
                other.add_clause(&clause);
            }
            let mut signal = || {
                cnf.lit(roots[random.random_range(0..4)])
                    .flipped_if(random.random_bool(0.5))
            };
            let assumptions = [signal(), signal()];
            let constraint = [signal(), signal()];
            let constraint = if random.random_bool(0.5) {
                &constraint[..]
            } else {
                &[]
            };
            let query = Query {
                assumptions: &assumptions,
                constraint,
                conflict_limit: None,
            };
            ours.restrict_to(assumptions.iter().chain(constraint).copied(), cnf.fanins());
            let found = ours.solve_query(query, &budget).expect("no limit");
            assert_eq!(other.solve_query(query, &budget), Ok(found));
            if found == Answer::Unsatisfiable {
                refuted += 1;
                continue;
            }
            // Whatever completes the partial model of the leaves satisfies the query.
            let mut complete: Vec<Lit> = Vec::new();
            for node in circuit
                .latches
                .iter()
                .map(|latch| latch.node)
                .chain(circuit.inputs.iter().copied())
            {
                let literal = cnf.lit(node.signal());
                match ours.value(literal) {
                    Some(value) => complete.push(literal.flipped_if(!value)),
                    None => {
                        partial += 1;
                        complete.push(literal.flipped_if(random.random_bool(0.5)));
                    }
                }
            }
            complete.extend(assumptions);
            let check = Query {
                assumptions: &complete,
                constraint,
                conflict_limit: None,
            };
            assert_eq!(other.solve_query(check, &budget), Ok(Answer::Satisfiable));
        }
    }
    assert!(partial > 300 && refuted > 300, "{partial} {refuted}");
}
