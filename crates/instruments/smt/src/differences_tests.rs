//! Random walks of edges that come and go, beside shortest paths between all nodes.

use crate::differences::{Differences, Edge, Weight};
use crate::simplex::Delta;
use entail_first_order::Rational;
use entail_sat::{Lit, Var};

const NODES: usize = 6;

struct Draw(u64);

impl Draw {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (self.0 >> 33) % limit
    }
}

fn weight(real: i64, strict: i64) -> Weight {
    Weight::of(&Delta::new(Rational::integer(real), strict)).expect("a small number")
}

/// A constraint by its ends, number and strictness.
type Constraint = (usize, usize, i64, i64);

fn edge(&(from, to, real, strict): &Constraint) -> Edge {
    Edge {
        from,
        to,
        weight: weight(real, strict),
    }
}

/// Shortest distances between all nodes; nothing if there is a negative cycle. Infinitesimals are counted in thousandths.
fn closure(edges: &[Constraint]) -> Option<Vec<Vec<Option<i64>>>> {
    let mut best = vec![vec![None; NODES]; NODES];
    (0..NODES).for_each(|node| best[node][node] = Some(0));
    for &(from, to, real, strict) in edges {
        let length = real * 1000 + strict;
        let known: &mut Option<i64> = &mut best[from][to];
        *known = Some(known.map_or(length, |known| known.min(length)));
    }
    for middle in 0..NODES {
        for from in 0..NODES {
            for to in 0..NODES {
                if let (Some(a), Some(b)) = (best[from][middle], best[middle][to]) {
                    let known = best[from][to].unwrap_or(i64::MAX);
                    best[from][to] = Some(known.min(a + b));
                }
            }
        }
    }
    (0..NODES).all(|node| best[node][node] >= Some(0)).then_some(best)
}

/// The atoms of a walk: each is a constraint, its negation the opposite one.
fn atoms(draw: &mut Draw) -> Vec<[Constraint; 2]> {
    (0..14)
        .map(|_| {
            let from = draw.below(NODES as u64) as usize;
            let to = (from + 1 + draw.below(NODES as u64 - 1) as usize) % NODES;
            let real = draw.below(11) as i64 - 4;
            [(from, to, real, 0), (to, from, -real, -1)]
        })
        .collect()
}

/// Whether literals are a cycle of constraints that is negative.
fn is_negative_cycle(literals: &[Lit], meaning: impl Fn(Lit) -> Constraint) -> bool {
    let edges: Vec<Constraint> = literals.iter().map(|&lit| meaning(lit)).collect();
    let mut balance = [0i64; NODES];
    for &(from, to, ..) in &edges {
        balance[from] -= 1;
        balance[to] += 1;
    }
    let length: i64 = edges
        .iter()
        .map(|(_, _, real, strict)| real * 1000 + strict)
        .sum();
    balance == [0; NODES] && length < 0
}

#[test]
fn cycles_values_and_consequences_are_those_of_shortest_paths() {
    let effort: u64 = std::env::var("ENTAIL_EFFORT").map_or(1, |text| text.parse().unwrap_or(1));
    let (mut conflicts, mut consequences) = (0, 0);
    for seed in 0..400 * effort {
        let mut draw = Draw(seed);
        let atoms = atoms(&mut draw);
        let meaning = |lit: Lit| atoms[lit.var().index()][usize::from(!lit.is_positive())];
        let mut graph = Differences::new();
        for _ in 1..NODES {
            graph.add_node();
        }
        for (index, [positive, negative]) in atoms.iter().enumerate() {
            graph.add_atom(Var::new(index).lit(true), edge(positive), edge(negative), false);
        }
        // Levels of literals that are required.
        let mut levels: Vec<Vec<Lit>> = vec![Vec::new()];
        for _ in 0..60 {
            if draw.below(4) == 0 {
                let keep = draw.below(levels.len() as u64) as usize;
                graph.pop_to(keep);
                levels.truncate(keep + 1);
                continue;
            }
            let lit = Var::new(draw.below(14) as usize).lit(draw.below(2) == 0);
            let assigned: Vec<Lit> = levels.iter().flatten().copied().collect();
            if assigned.iter().any(|one| one.var() == lit.var()) {
                continue;
            }
            graph.push();
            levels.push(vec![lit]);
            let mut all: Vec<Constraint> = assigned.iter().map(|&lit| meaning(lit)).collect();
            all.push(meaning(lit));
            let distances = closure(&all);
            if let Err(cycle) = graph.require(edge(&meaning(lit)), lit) {
                assert!(
                    distances.is_none() && is_negative_cycle(&cycle, meaning),
                    "seed {seed}"
                );
                conflicts += 1;
                levels.pop();
                graph.pop_to(levels.len() - 1);
                continue;
            }
            let distances = distances.expect("no negative cycle was found");
            for &(from, to, real, strict) in &all {
                let difference = graph.value(to).minus(&graph.value(from));
                assert!(
                    difference <= Delta::new(Rational::integer(real), strict),
                    "seed {seed}"
                );
            }
            let value = |other: Lit| i8::from(other == lit || assigned.contains(&other));
            while let Some(found) = graph.propagate(value) {
                for (implied, reasons) in found {
                    let (from, to, real, strict) = meaning(implied);
                    assert!(distances[from][to].is_some_and(|least| least <= real * 1000 + strict));
                    // With the negation the reasons are a negative cycle.
                    let mut cycle = reasons;
                    cycle.push(!implied);
                    assert!(is_negative_cycle(&cycle, meaning), "seed {seed}");
                    consequences += 1;
                }
            }
        }
    }
    assert!(
        conflicts > 1000 && consequences > 1000,
        "{conflicts} {consequences}"
    );
}
