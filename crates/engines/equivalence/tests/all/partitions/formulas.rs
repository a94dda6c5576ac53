//! A quotient satisfies the formulas that its relation keeps, and no others are needed to tell states apart.

use super::systems::{random_system, shapes};
use entail_budget::Budget;
use entail_equivalence::{Bisimulation, bisimulation};
use entail_fixpoint::{Graph, GraphAlgebra, evaluate};
use entail_logic::mu::parse_mu;
use entail_model::Lts;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

/// In which states a formula is true.
fn truth(lts: &Lts, text: &str) -> Vec<bool> {
    let mut steps: Vec<(u32, String, u32)> = (lts.transitions())
        .map(|step| {
            let name = lts.action_name(step.action).to_string();
            (step.from.index() as u32, name, step.to.index() as u32)
        })
        .collect();
    // A state beside the system knows all actions.
    let beside = lts.state_count() as u32;
    steps.extend(["a0", "a1", "a2", "tau"].map(|name| (beside, name.to_owned(), beside)));
    let graph = Graph::labelled(
        lts.state_count() + 1,
        steps.iter().map(|(from, name, to)| (*from, name.as_str(), *to)),
    );
    let mut algebra = GraphAlgebra::new(graph);
    for name in ["p0", "p1"] {
        let holds = lts
            .states()
            .filter(|&state| lts.propositions(state).iter().any(|one| &**one == name));
        algebra = algebra.with_atom(name, holds.map(|state| state.index()).collect::<Vec<_>>());
    }
    let formula = parse_mu(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    let region = evaluate(&mut algebra, &formula).unwrap().region;
    lts.states().map(|state| region.contains(state.index())).collect()
}

/// A formula of the mu-calculus with `open` variables `X0`, `X1`, … around it.
fn mu(random: &mut StdRng, depth: u32, open: u32) -> String {
    let choice = if depth == 0 {
        random.random_range(0..3)
    } else {
        random.random_range(0..9)
    };
    let action = ["a0", "a1", "a2", "tau"][random.random_range(0..4)];
    let mut inner = |open| mu(random, depth.saturating_sub(1), open);
    match choice {
        0 => ["p0", "p1", "true"][random.random_range(0..3)].to_owned(),
        1 => ["!p0", "!p1", "false"][random.random_range(0..3)].to_owned(),
        2 if open > 0 => format!("X{}", random.random_range(0..open)),
        2 | 3 => format!("<{action}> ({})", inner(open)),
        4 => format!("[{action}] ({})", inner(open)),
        5 => format!("({}) & ({})", inner(open), inner(open)),
        6 => format!("({}) | ({})", inner(open), inner(open)),
        7 => format!("(mu X{open}. ({}))", inner(open + 1)),
        _ => format!("(nu X{open}. ({}))", inner(open + 1)),
    }
}

/// A formula that branching bisimulation keeps: until, through hidden steps (De Nicola, Vaandrager 1995); with divergence, also "for ever".
fn until(random: &mut StdRng, depth: u32, divergence: bool) -> String {
    let choice = if depth == 0 {
        0
    } else {
        random.random_range(0..if divergence { 6 } else { 5 })
    };
    let action = ["a0", "a1", "a2"][random.random_range(0..3)];
    let atom = ["p0", "!p0", "p1", "true"][random.random_range(0..4)];
    let number = random.random_range(0..1_000_000);
    let mut inner = || until(random, depth.saturating_sub(1), divergence);
    match choice {
        0 => atom.to_owned(),
        1 => format!(
            "(mu U{number}. ({}) & (<{action}> ({}) | <tau> U{number}))",
            inner(),
            inner()
        ),
        2 => format!("(mu U{number}. ({}) | ({}) & <tau> U{number})", inner(), inner()),
        3 => format!("!({})", inner()),
        4 => format!("({}) & ({})", inner(), inner()),
        // A path of hidden steps that goes on for ever.
        _ => format!("(nu U{number}. ({}) & <tau> U{number})", inner()),
    }
}

#[test]
fn strong_quotients_satisfy_the_same_formulas_of_the_mu_calculus() {
    let mut random = StdRng::seed_from_u64(21);
    for _ in 0..600 {
        let shape = shapes(&mut random);
        let lts = random_system(&mut random, shape);
        let partition = bisimulation(&lts, Bisimulation::Strong, &Budget::unlimited()).unwrap();
        let quotient = partition.quotient(&lts, Bisimulation::Strong).unwrap();
        for _ in 0..6 {
            let formula = mu(&mut random, 4, 0);
            let (large, small) = (truth(&lts, &formula), truth(&quotient, &formula));
            for state in lts.states() {
                assert_eq!(
                    large[state.index()],
                    small[partition.block(state) as usize],
                    "{formula} in state {state} of {lts:?}"
                );
            }
        }
    }
}

#[test]
fn branching_quotients_satisfy_the_same_formulas_of_until() {
    let mut random = StdRng::seed_from_u64(22);
    for round in 0..1200 {
        let divergence = round % 2 == 1;
        let relation = match divergence {
            true => Bisimulation::DivergenceBranching,
            false => Bisimulation::Branching,
        };
        let shape = shapes(&mut random);
        let lts = random_system(&mut random, shape);
        let partition = bisimulation(&lts, relation, &Budget::unlimited()).unwrap();
        let quotient = partition.quotient(&lts, relation).unwrap();
        for _ in 0..6 {
            let formula = until(&mut random, 3, divergence);
            let (large, small) = (truth(&lts, &formula), truth(&quotient, &formula));
            for state in lts.states() {
                assert_eq!(
                    large[state.index()],
                    small[partition.block(state) as usize],
                    "{relation}: {formula} in state {state} of {lts:?}"
                );
            }
        }
    }
}
