//! The reference against answers worked out by hand: the handbook's chapter 2 and surveys.

use super::{CheckLimits, Evaluation, Graph, Scope};
use crate::samples::Numbered;
use entail_budget::Budget;
use entail_evidence::DeadEnds;
use entail_logic::{Formula, Interval, Unary};
use entail_model::TermId;

/// The states that satisfy a formula, under the default policy.
fn satisfying(model: &Numbered, formula: &Formula<TermId>) -> Vec<usize> {
    satisfying_with(model, formula, DeadEnds::Infinite)
}

fn satisfying_with(model: &Numbered, formula: &Formula<TermId>, dead_ends: DeadEnds) -> Vec<usize> {
    let mut observed = model.system.justice.clone();
    observed.extend(model.system.compassion.iter().flat_map(|&(p, q)| [p, q]));
    formula.for_each_atom(&mut |&atom| observed.push(atom));
    let scope = Scope {
        further: &[],
        observed,
        dead_ends,
        bound: None,
    };
    let (limits, budget) = (CheckLimits::default(), Budget::unlimited());
    let graph = Graph::build(&model.system, &scope, limits, &budget).expect("small");
    let mut evaluation = Evaluation::new(&model.system, &graph, limits, &budget).expect("small");
    let truths = evaluation.states(formula).expect("small");
    // States are numbered as they are found; tell them by their value.
    let mut states: Vec<usize> = (0..graph.states().len())
        .filter(|&state| truths[state])
        .filter_map(|state| graph.states()[state][0].as_ref()?.as_int())
        .map(|number| number as usize)
        .collect();
    states.sort_unstable();
    states
}

#[test]
fn eventually_always_is_not_eventually_always_on_all_paths() {
    // Chapter 2, E6: t2 (p) → t2, t1; t1 (not p) → t0; t0 (p) → t0. Here t2 is 0, t1 is 1, t0 is 2.
    let mut model = Numbered::new(3, &[(0, 0), (0, 1), (1, 2), (2, 2)]);
    let p = Formula::atom(model.set(&[0, 2]));
    let linear = p.globally().finally().forall();
    let branching = p.globally().forall().finally().forall();
    assert_eq!(satisfying(&model, &linear), [0, 1, 2]);
    assert_eq!(satisfying(&model, &branching), [1, 2]);
}

#[test]
fn eventually_next_is_not_next_eventually() {
    // Chapter 2, E7: s0 (not p) → s1, s2; s1 (p) → s1, s2; s2 (not p) → s1.
    let mut model = Numbered::new(3, &[(0, 1), (0, 2), (1, 1), (1, 2), (2, 1)]);
    let p = Formula::atom(model.set(&[1]));
    let first = p.next().forall().finally().forall();
    let second = p.finally().forall().next().forall();
    assert!(!satisfying(&model, &first).contains(&0));
    assert!(satisfying(&model, &second).contains(&0));
}

#[test]
fn labelling_of_until_names_the_states_of_the_survey() {
    // Surveys: s0{a} → s1, s2; s1{a} stays away from b; s2{a} → s3; s3{b}.
    let mut model = Numbered::new(4, &[(0, 1), (0, 2), (1, 1), (2, 3), (3, 3)]);
    let (a, b) = (
        Formula::atom(model.set(&[0, 1, 2])),
        Formula::atom(model.set(&[3])),
    );
    assert_eq!(satisfying(&model, &a.until(&b).exists()), [0, 2, 3]);
    assert_eq!(satisfying(&model, &a.until(&b).forall()), [2, 3]);
}

#[test]
fn a_loop_with_stuttering_terminates_only_under_justice() {
    // Chapter 2, E1 in small: 0 → 1 → 2, each may also stay.
    let mut model = Numbered::new(3, &[(0, 0), (0, 1), (1, 1), (1, 2), (2, 2)]);
    let end = Formula::atom(model.set(&[2]));
    assert_eq!(satisfying(&model, &end.finally().forall()), [2]);
    let (leaves_0, leaves_1) = (model.set(&[1, 2]), model.set(&[0, 2]));
    model.system.justice = vec![leaves_0, leaves_1];
    assert_eq!(satisfying(&model, &end.finally().forall()), [0, 1, 2]);
}

#[test]
fn a_semaphore_needs_compassion_and_justice_is_not_enough() {
    // 0: we wait, the semaphore is free; 1: we wait, it is taken; 2: we have it.
    let mut model = Numbered::new(3, &[(0, 1), (1, 0), (0, 2), (2, 2)]);
    let entered = Formula::atom(model.set(&[2])).finally().forall();
    let (not_free, free, inside) = (model.set(&[1, 2]), model.set(&[0]), model.set(&[2]));
    model.system.justice = vec![not_free];
    assert_eq!(satisfying(&model, &entered), [2]);
    model.system.justice.clear();
    model.system.compassion = vec![(free, inside)];
    assert_eq!(satisfying(&model, &entered), [0, 1, 2]);
}

#[test]
fn the_policies_differ_at_a_dead_end() {
    // 0 → 1, and 1 has no successor.
    let mut model = Numbered::new(2, &[(0, 1)]);
    let end = Formula::atom(model.set(&[1]));
    let some = |dead_ends, formula: &Formula<TermId>| satisfying_with(&model, formula, dead_ends);
    let anything = Formula::constant(true);
    // No infinite path: everything holds on all of them, and nothing on some.
    assert_eq!(some(DeadEnds::Infinite, &end.finally().exists()), [0usize; 0]);
    assert_eq!(some(DeadEnds::Infinite, &end.not().globally().forall()), [0, 1]);
    // The path ends: a next state exists only in 0.
    assert_eq!(some(DeadEnds::Maximal, &anything.next().exists()), [0]);
    assert_eq!(some(DeadEnds::Maximal, &end.finally().forall()), [0, 1]);
    assert_eq!(some(DeadEnds::Maximal, &end.globally().exists()), [1]);
    assert_eq!(some(DeadEnds::Maximal, &end.next().next().exists()), [0usize; 0]);
    // The last state repeats.
    assert_eq!(some(DeadEnds::Stutter, &end.next().next().exists()), [0, 1]);
    assert_eq!(
        some(DeadEnds::Stutter, &end.globally().finally().forall()),
        [0, 1]
    );
}

#[test]
fn bounds_count_steps() {
    let mut model = Numbered::new(4, &[(0, 1), (1, 2), (2, 3), (3, 3)]);
    let end = Formula::atom(model.set(&[3]));
    let within = |from, to| Formula::unary_within(Unary::Finally, Interval::bounded(from, to), &end).exists();
    assert_eq!(satisfying(&model, &within(0, 2)), [1, 2, 3]);
    assert_eq!(satisfying(&model, &within(3, 3)), [0, 1, 2, 3]);
    assert_eq!(satisfying(&model, &within(2, 1)), [0usize; 0]);
}
