//! What a finite path must show, by policy; inductive invariants; the limits of the reference.

use super::{Checker, check_outcome};
use crate::reference::CheckLimits;
use crate::samples::Numbered;
use entail_answer::CheckReport;
use entail_budget::Budget;
use entail_evidence::{
    Because, Certificate, CheckOptions, DeadEnds, Evidence, Exhaustive, Explanation, Guarantee, Outcome,
    PathWitness, Searched, Trace, Verdict,
};
use entail_logic::{Formula, Property, Question};
use entail_model::TermId;

/// Judges a path from state 0 as the reason why `E path` is true in the initial state.
fn judge(
    model: &Numbered,
    path: &Formula<TermId>,
    states: &[i64],
    loop_start: Option<usize>,
    dead_ends: DeadEnds,
) -> CheckReport {
    let formula = path.exists();
    let tree = Explanation {
        formula: formula.clone(),
        truth: true,
        state: model.state(states[0]),
        because: Because::Path(PathWitness {
            trace: Trace {
                steps: states.iter().map(|&state| model.state(state)).collect(),
                loop_start,
            },
            notes: Vec::new(),
        }),
    };
    let outcome = Outcome::complete(Verdict::Holds, Evidence::Explanation(tree));
    let budget = Budget::unlimited();
    let checker = Checker::new(&model.system, dead_ends, CheckLimits::default(), &budget);
    checker.outcome(&Question::Formula(formula), &outcome)
}

/// 0 → 1 → 2 (dead end), 1 → 3, 3 → 3.
fn forked() -> Numbered {
    Numbered::new(4, &[(0, 1), (1, 2), (1, 3), (3, 3)])
}

#[test]
fn a_finite_path_must_go_on_where_only_infinite_paths_count() {
    let mut model = forked();
    let (one, two) = (Formula::atom(model.set(&[1])), Formula::atom(model.set(&[2])));
    // From 1 an infinite path goes on through 3.
    assert!(judge(&model, &one.finally(), &[0, 1], None, DeadEnds::Infinite).is_accepted());
    // 2 is a dead end.
    assert!(judge(&model, &two.finally(), &[0, 1, 2], None, DeadEnds::Infinite).is_rejected());
    assert!(judge(&model, &two.finally(), &[0, 1, 2], None, DeadEnds::Maximal).is_accepted());
    assert!(judge(&model, &two.finally(), &[0, 1, 2], None, DeadEnds::Stutter).is_accepted());

    // Every continuation of 1 ends, though 1 itself has a successor.
    let mut ending = Numbered::new(3, &[(0, 1), (1, 2)]);
    let one = Formula::atom(ending.set(&[1]));
    match judge(&ending, &one.finally(), &[0, 1], None, DeadEnds::Infinite) {
        CheckReport::Rejected { reason } => assert!(reason.contains("dead end"), "{reason}"),
        other => panic!("{other}"),
    }
}

#[test]
fn a_complete_path_decides_more_than_an_open_one() {
    let mut model = forked();
    let never_three = Formula::atom(model.set(&[0, 1, 2])).globally();
    assert!(judge(&model, &never_three, &[0, 1, 2], None, DeadEnds::Maximal).is_accepted());
    assert!(judge(&model, &never_three, &[0, 1, 2], None, DeadEnds::Stutter).is_accepted());
    // Before the end nothing is decided, and the prefix does not pass as complete.
    assert!(judge(&model, &never_three, &[0, 1], None, DeadEnds::Maximal).is_rejected());
    let never_next = Formula::constant(true).next().not();
    assert!(judge(&model, &never_next.finally(), &[0, 1, 2], None, DeadEnds::Maximal).is_accepted());
    assert!(judge(&model, &never_next.finally(), &[0, 1, 2], None, DeadEnds::Stutter).is_rejected());
}

#[test]
fn a_repeated_state_is_a_step_only_at_a_dead_end_under_stutter() {
    let mut model = forked();
    let two = Formula::atom(model.set(&[2])).globally().finally();
    assert!(judge(&model, &two, &[0, 1, 2], Some(2), DeadEnds::Stutter).is_accepted());
    assert!(judge(&model, &two, &[0, 1, 2], Some(2), DeadEnds::Infinite).is_rejected());
    let one = Formula::atom(model.set(&[1])).globally().finally();
    assert!(judge(&model, &one, &[0, 1], Some(1), DeadEnds::Stutter).is_rejected());
}

#[test]
fn with_fairness_a_finite_path_needs_a_fair_continuation() {
    let mut model = forked();
    let (one, three) = (Formula::atom(model.set(&[1])), model.set(&[3]));
    model.system.justice = vec![three];
    assert!(judge(&model, &one.finally(), &[0, 1], None, DeadEnds::Infinite).is_accepted());
    let zero = model.set(&[0]);
    model.system.justice = vec![zero];
    assert!(judge(&model, &one.finally(), &[0, 1], None, DeadEnds::Infinite).is_rejected());
    // Where dead ends complete a path, the way through 2 is fair.
    assert!(judge(&model, &one.finally(), &[0, 1], None, DeadEnds::Maximal).is_accepted());
}

#[test]
fn a_tree_for_one_initial_state_does_not_speak_for_the_others() {
    let mut model = Numbered::new(3, &[(0, 1), (1, 1), (2, 2)]);
    model.system.init = vec![model.set(&[0, 2])];
    let one = Formula::atom(model.set(&[1]));
    assert!(judge(&model, &one.finally(), &[0, 1], Some(1), DeadEnds::Infinite).is_rejected());
    let mut model = Numbered::new(3, &[(0, 1), (1, 1), (2, 1)]);
    model.system.init = vec![model.set(&[0, 2])];
    let one = Formula::atom(model.set(&[1]));
    assert!(judge(&model, &one.finally(), &[0, 1], Some(1), DeadEnds::Infinite).is_accepted());
}

#[test]
fn an_invariant_must_hold_initially_be_kept_and_imply_the_property() {
    // 0 ↔ 1, and 2 → 3 is not reachable; the property is "not 3".
    let mut model = Numbered::new(4, &[(0, 1), (1, 0), (2, 3), (3, 3)]);
    let safe = model.set(&[0, 1, 2]);
    let check = |states: &[i64]| {
        // A certificate has a store of its own.
        let mut other = Numbered::new(4, &[]);
        let certificate = Certificate {
            invariant: other.set(states),
            terms: other.system.terms,
        };
        let outcome = Outcome::complete(Verdict::Holds, Evidence::Invariant(certificate));
        let property = Property {
            name: None,
            text: String::new(),
            logic: entail_logic::Logic::Invariant,
            question: Question::Invariant(safe),
        };
        let options = CheckOptions::default();
        check_outcome(&model.system, &property, &outcome, &options, &Budget::unlimited()).to_string()
    };
    assert_eq!(check(&[0, 1]), "checked");
    assert!(check(&[1]).contains("initial"));
    assert!(check(&[0]).contains("leaves"));
    assert!(check(&[0, 1, 2]).contains("leaves"));
    assert!(check(&[0, 1, 2, 3]).contains("violates"));
}

#[test]
fn what_is_too_large_or_bounded_is_said_not_to_be_rechecked() {
    let edges: Vec<(i64, i64)> = (0..50).map(|state| (state, (state + 1) % 50)).collect();
    let mut model = Numbered::new(50, &edges);
    let question = Question::Invariant(model.set(&(0..50).collect::<Vec<_>>()));
    let claim = |states| {
        Outcome::complete(
            Verdict::Holds,
            Evidence::Exhaustive(Exhaustive {
                states,
                satisfying: None,
                searched: Searched::Model,
            }),
        )
    };
    let budget = Budget::unlimited();
    let limits = CheckLimits {
        states: 20,
        ..CheckLimits::default()
    };
    let small = Checker::new(&model.system, DeadEnds::Infinite, limits, &budget);
    match small.outcome(&question, &claim(50)) {
        CheckReport::Partly { unchecked } => assert!(unchecked[0].contains("more than 20"), "{unchecked:?}"),
        other => panic!("{other}"),
    }
    let large = Checker::new(&model.system, DeadEnds::Infinite, CheckLimits::default(), &budget);
    let mut bounded = claim(8);
    bounded.guarantee = Guarantee::Bounded(7);
    assert!(large.outcome(&question, &bounded).is_accepted());
    assert!(large.outcome(&question, &claim(8)).is_rejected());
    bounded.guarantee = Guarantee::Partial { coverage: 0.5 };
    assert!(!large.outcome(&question, &bounded).is_accepted());

    let spent = Budget::unlimited();
    spent.cancellation().cancel();
    let stopped = Checker::new(&model.system, DeadEnds::Infinite, CheckLimits::default(), &spent);
    assert!(matches!(
        stopped.outcome(&question, &claim(50)),
        CheckReport::Partly { .. }
    ));
}
