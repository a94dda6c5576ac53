//! Answers of `compare` are those of the definitions, and the checker accepts their evidence.

use crate::reference;
use entail_budget::Budget;
use entail_equivalence::compare;
use entail_evidence::equivalence::{Comparison, HmlNode, Relation, RelationQuery, Side, Style, Unrelated};
use entail_model::{Lts, LtsBuilder, StateId};
use entail_relations_checker::check_comparison;
use rand::SeedableRng;
use rand::rngs::StdRng;
use reference::{random_lts, random_shape, related};

fn process(states: u64, steps: &[(u32, &str, u32)]) -> Lts {
    let mut builder = LtsBuilder::new(states);
    builder.transitions(steps.iter().copied());
    builder.initial(StateId::new(0));
    builder.build().unwrap()
}

/// The answer, after its evidence was checked.
fn answer(first: &Lts, second: &Lts, question: RelationQuery) -> Comparison {
    let budget = Budget::unlimited();
    let comparison = compare(first, second, question, &budget).unwrap();
    if let Err(rejected) = check_comparison(first, second, question, &comparison, &budget) {
        panic!("{question:?}: {rejected}\n{comparison:?}\n{first:?}\n{second:?}");
    }
    comparison
}

fn equivalent(first: &Lts, second: &Lts, relation: Relation) -> bool {
    matches!(
        answer(first, second, RelationQuery::equivalence(relation)),
        Comparison::Related(_)
    )
}

fn below(first: &Lts, second: &Lts, relation: Relation) -> bool {
    matches!(
        answer(first, second, RelationQuery::preorder(relation)),
        Comparison::Related(_)
    )
}

/// The formula that is true in the first of two systems and false in the second.
fn formula(first: &Lts, second: &Lts, relation: Relation) -> String {
    match answer(first, second, RelationQuery::preorder(relation)) {
        Comparison::Unrelated(Unrelated::Formula {
            formula,
            holds_in: Side::First,
        }) => formula.text(Style::Modal),
        other => panic!("{other:?}"),
    }
}

#[test]
fn answers_are_those_of_the_definitions() {
    let mut random = StdRng::seed_from_u64(7);
    let mut counts = [[0u32; 2]; 8];
    for _ in 0..1500 {
        let shape = random_shape(&mut random);
        let first = random_lts(&mut random, shape);
        let second = random_lts(&mut random, shape);
        for (place, relation) in Relation::ALL.into_iter().enumerate() {
            for question in [
                RelationQuery::preorder(relation),
                RelationQuery::equivalence(relation),
            ] {
                let comparison = answer(&first, &second, question);
                let yes = matches!(comparison, Comparison::Related(_));
                counts[place][usize::from(yes)] += 1;
                assert_eq!(
                    yes,
                    related(&first, &second, question),
                    "{question:?}\n{first:?}\n{second:?}\n{comparison:?}"
                );
            }
        }
    }
    assert!(counts.iter().flatten().all(|&count| count > 100), "{counts:?}");
}

#[test]
fn chapter_32_items_1_to_4() {
    let ab = process(3, &[(0, "a", 1), (1, "b", 2)]);
    let twice = process(5, &[(0, "a", 1), (1, "b", 2), (0, "a", 3), (3, "b", 4)]);
    assert!(equivalent(&ab, &twice, Relation::Strong));

    let p = process(4, &[(0, "a", 1), (1, "b", 2), (1, "c", 3)]);
    let q = process(5, &[(0, "a", 1), (1, "b", 3), (0, "a", 2), (2, "c", 4)]);
    assert!(equivalent(&p, &q, Relation::Trace));
    assert!(!equivalent(&p, &q, Relation::Strong));
    assert_eq!(formula(&p, &q, Relation::Strong), "[a]<b>true");
    // One can be simulated, the other cannot.
    assert!(below(&q, &p, Relation::Simulation));
    assert_eq!(formula(&p, &q, Relation::Simulation), "<a>(<c>true & <b>true)");
    assert!(!below(&q, &p, Relation::ReadySimulation));

    let a_tau_b = process(4, &[(0, "a", 1), (1, "tau", 2), (2, "b", 3)]);
    assert!(!equivalent(&a_tau_b, &ab, Relation::Strong));
    assert!(equivalent(&a_tau_b, &ab, Relation::Weak));
    assert!(equivalent(&a_tau_b, &ab, Relation::DivergenceBranching));

    let tau_a = process(3, &[(0, "tau", 1), (1, "a", 2)]);
    let a = process(2, &[(0, "a", 1)]);
    assert!(equivalent(&tau_a, &a, Relation::Weak));
    let tau_a_or_b = process(4, &[(0, "tau", 1), (1, "a", 2), (0, "b", 3)]);
    let a_or_b = process(3, &[(0, "a", 1), (0, "b", 2)]);
    assert!(!equivalent(&tau_a_or_b, &a_or_b, Relation::Weak));
    assert_eq!(formula(&a_or_b, &tau_a_or_b, Relation::Weak), "[[tau]]<<b>>true");
}

#[test]
fn formulas_stay_in_the_logic_of_their_relation() {
    let live = process(1, &[(0, "tau", 0)]);
    let dead = process(1, &[]);
    assert!(equivalent(&live, &dead, Relation::Branching));
    assert_eq!(
        formula(&live, &dead, Relation::DivergenceBranching),
        "nu X. <tau>X"
    );
    let p = process(4, &[(0, "a", 1), (1, "b", 2), (1, "c", 3)]);
    let q = process(5, &[(0, "a", 1), (1, "b", 3), (0, "a", 2), (2, "c", 4)]);
    let Comparison::Unrelated(Unrelated::Formula { formula, .. }) =
        answer(&p, &q, RelationQuery::preorder(Relation::Simulation))
    else {
        panic!("the first is not simulated");
    };
    assert!(
        !formula
            .nodes()
            .iter()
            .any(|node| matches!(node, HmlNode::Not { .. }))
    );
}

#[test]
fn a_vending_machine_that_decides_early_is_another_machine() {
    let late = process(
        5,
        &[(0, "coin", 1), (1, "soda", 2), (1, "coin", 3), (3, "juice", 4)],
    );
    let early = process(
        7,
        &[
            (0, "coin", 1),
            (1, "soda", 2),
            (0, "coin", 3),
            (3, "coin", 4),
            (4, "juice", 5),
        ],
    );
    assert!(equivalent(&late, &early, Relation::Trace));
    assert!(!equivalent(&late, &early, Relation::Strong));
    assert!(below(&early, &late, Relation::Simulation));
    assert!(!below(&late, &early, Relation::Simulation));
    assert_eq!(formula(&late, &early, Relation::Strong), "[coin]<coin>true");
}

#[test]
fn finer_relations_imply_coarser_ones() {
    use Relation::*;
    let mut random = StdRng::seed_from_u64(11);
    for _ in 0..800 {
        let shape = random_shape(&mut random);
        let (first, second) = (random_lts(&mut random, shape), random_lts(&mut random, shape));
        for (finer, coarser) in [
            (Strong, DivergenceBranching),
            (DivergenceBranching, Branching),
            (Branching, Weak),
            (Strong, ReadySimulation),
            (ReadySimulation, Simulation),
            (Simulation, Trace),
            (Trace, WeakTrace),
        ] {
            let holds = |relation| equivalent(&first, &second, relation);
            assert!(
                !holds(finer) || holds(coarser),
                "{finer} but not {coarser}: {first:?} {second:?}"
            );
            let holds = |relation| below(&first, &second, relation);
            assert!(
                !holds(finer) || holds(coarser),
                "{finer} but not {coarser}: {first:?} {second:?}"
            );
        }
    }
}

fn structure(states: u64, edges: &[(u32, u32)], propositions: &[(&str, &[u32])]) -> Lts {
    let mut builder = LtsBuilder::new(states);
    builder.transitions(edges.iter().map(|&(from, to)| (from, "tau", to)));
    for state in 0..states as u32 {
        let here = propositions.iter().filter(|(_, states)| states.contains(&state));
        let colour = builder.colour(
            here.map(|(name, _)| std::sync::Arc::from(*name))
                .collect::<Vec<_>>(),
        );
        builder.paint(StateId::new(state), colour);
    }
    builder.initial(StateId::new(0));
    builder.build().unwrap()
}

#[test]
fn chapter_13_e2_an_existential_abstraction_simulates_the_model() {
    let edges = [
        (0, 1),
        (0, 2),
        (1, 3),
        (1, 4),
        (2, 4),
        (2, 5),
        (3, 0),
        (3, 6),
        (4, 6),
        (4, 7),
        (5, 0),
        (5, 7),
        (6, 2),
        (7, 1),
    ];
    let model = structure(
        8,
        &edges,
        &[("C1", &[3, 6]), ("C2", &[5, 7]), ("F0", &[0, 1, 2, 4])],
    );
    let edges = [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (2, 0), (2, 2)];
    let abstraction = structure(3, &edges, &[("C1", &[1]), ("C2", &[2]), ("F0", &[0])]);
    assert!(below(&model, &abstraction, Relation::Simulation));
    assert!(!below(&abstraction, &model, Relation::Simulation));
    assert!(!equivalent(&model, &abstraction, Relation::Strong));
}

#[test]
fn chapter_13_e9_a_structure_that_stops_is_simulated_by_one_that_goes_on() {
    // `AF p` is true of the second and false of the first, whose only path ends at once.
    let stops = structure(1, &[], &[("p", &[])]);
    let goes_on = structure(2, &[(0, 1), (1, 1)], &[("p", &[1])]);
    assert!(below(&stops, &goes_on, Relation::Simulation));
    assert!(!below(&stops, &goes_on, Relation::ReadySimulation));
    assert!(below(&stops, &goes_on, Relation::Trace));
}

#[test]
fn chapter_32_items_8_to_10() {
    // <b1>…<bm>true iff b1…bm is a trace; [a]false iff there is no a.
    let abc = process(4, &[(0, "a", 1), (1, "b", 2), (2, "c", 3)]);
    let ab = process(3, &[(0, "a", 1), (1, "b", 2)]);
    assert_eq!(formula(&abc, &ab, Relation::Strong), "<a><b><c>true");
    assert_eq!(formula(&ab, &abc, Relation::Strong), "<a><b>[c]false");
    // Six singleton blocks: p, q, b + c, b, c and nothing.
    let steps = [
        (0, "a", 2),
        (1, "a", 3),
        (1, "a", 4),
        (2, "b", 5),
        (2, "c", 5),
        (3, "b", 5),
        (4, "c", 5),
    ];
    let all = process(6, &steps);
    let partition = entail_equivalence::bisimulation(
        &all,
        entail_equivalence::Bisimulation::Strong,
        &Budget::unlimited(),
    )
    .unwrap();
    assert_eq!(partition.block_count(), 6);
    // On deterministic systems bisimulation is equality of traces.
    let mut random = StdRng::seed_from_u64(5);
    for _ in 0..500 {
        let shape = random_shape(&mut random);
        let [first, second] = [0, 1].map(|_| {
            let lts = random_lts(
                &mut random,
                reference::Shape {
                    propositions: 0,
                    initial: 1,
                    ..shape
                },
            );
            let mut builder = LtsBuilder::new(lts.state_count() as u64);
            for state in lts.states() {
                for (action, name) in lts.actions().iter().enumerate() {
                    let action = entail_model::ActionId::new(action as u32);
                    if let Some(to) = lts.successors(state, action).first() {
                        builder.transitions([(state.index() as u32, &**name, to.index() as u32)]);
                    }
                }
            }
            builder.initial(lts.initial()[0]);
            builder.build().unwrap()
        });
        assert_eq!(
            equivalent(&first, &second, Relation::Strong),
            equivalent(&first, &second, Relation::Trace)
        );
    }
}

#[test]
fn systems_may_simulate_each_other_and_not_be_bisimilar() {
    // a.b and a.b + a.
    let one = process(3, &[(0, "a", 1), (1, "b", 2)]);
    let other = process(4, &[(0, "a", 1), (1, "b", 2), (0, "a", 3)]);
    assert!(equivalent(&one, &other, Relation::Simulation));
    assert!(!equivalent(&one, &other, Relation::ReadySimulation));
    assert_eq!(formula(&one, &other, Relation::Strong), "[a]<b>true");
}
