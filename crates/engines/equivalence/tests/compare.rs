//! Answers of `compare` are those of the definitions, and the checker accepts their evidence.

mod reference;

use entail_budget::Budget;
use entail_equivalence::compare;
use entail_evidence::equivalence::{
    Comparison, HmlNode, Question, Relation, Side, Style, Unrelated, check_comparison,
};
use entail_model::{Lts, LtsBuilder, StateId};
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
fn answer(first: &Lts, second: &Lts, question: Question) -> Comparison {
    let budget = Budget::unlimited();
    let comparison = compare(first, second, question, &budget).unwrap();
    if let Err(rejected) = check_comparison(first, second, question, &comparison, &budget) {
        panic!("{question:?}: {rejected}\n{comparison:?}\n{first:?}\n{second:?}");
    }
    comparison
}

fn equivalent(first: &Lts, second: &Lts, relation: Relation) -> bool {
    matches!(
        answer(first, second, Question::equivalence(relation)),
        Comparison::Related(_)
    )
}

fn below(first: &Lts, second: &Lts, relation: Relation) -> bool {
    matches!(
        answer(first, second, Question::preorder(relation)),
        Comparison::Related(_)
    )
}

/// The formula that is true in the first of two systems and false in the second.
fn formula(first: &Lts, second: &Lts, relation: Relation) -> String {
    match answer(first, second, Question::preorder(relation)) {
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
            for question in [Question::preorder(relation), Question::equivalence(relation)] {
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
    println!("{}", formula(&a_or_b, &tau_a_or_b, Relation::Branching));
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
        answer(&p, &q, Question::preorder(Relation::Simulation))
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
