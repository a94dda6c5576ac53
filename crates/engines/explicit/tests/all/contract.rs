//! What the engine's contract promises besides verdicts: hazards, dead ends, bounds, budgets, quantities, warnings.

use entail_budget::{Budget, Progress, Silent, Snapshot};
use entail_evidence::{CheckOptions, DeadEnds, Engine, Evidence, Guarantee, Outcome, Quantity, Verdict};
use entail_explicit::{Explicit, Simulator, reachable_graph};
use entail_logic::{Formula, Property, Question};
use entail_model::{Hazard, Sort, TermId, TransitionSystem, VarId, VarKind};
use entail_systems_checker::check_outcome;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

fn property(question: Question<TermId>, logic: entail_logic::Logic) -> Property<TermId> {
    Property {
        name: None,
        text: String::new(),
        logic,
        question,
    }
}

fn check(system: &TransitionSystem, question: Question<TermId>, options: &CheckOptions) -> Outcome {
    Explicit::default()
        .check(
            system,
            &property(question, entail_logic::Logic::Ctl),
            options,
            &Budget::unlimited(),
            &Silent,
        )
        .expect("the model has a meaning")
}

/// `x` counts from 0 to `last` and stays there, or with `stays` false has no successor there.
fn counter(last: i64, stays: bool) -> (TransitionSystem, VarId) {
    let mut system = TransitionSystem::new();
    let x = system.add_variable("x", Sort::range(0, last), VarKind::State);
    let (now, next) = (system.current(x), system.next(x));
    let (zero, one, most) = (
        system.terms.integer(0),
        system.terms.integer(1),
        system.terms.integer(last),
    );
    let start = system.terms.equal(now, zero).expect("integers");
    system.init.push(start);
    let more = system.terms.add(now, one).expect("integers");
    let at_end = system.terms.equal(now, most).expect("integers");
    let value = if stays {
        system.terms.ite(at_end, most, more).expect("integers")
    } else {
        more
    };
    let step = system.terms.equal(next, value).expect("integers");
    system.transition.push(step);
    (system, x)
}

fn is(system: &mut TransitionSystem, x: VarId, value: i64) -> TermId {
    let (x, value) = (system.current(x), system.terms.integer(value));
    system.terms.equal(x, value).expect("integers")
}

#[test]
fn a_reachable_hazard_is_an_error_of_the_model_with_its_trace() {
    let (mut system, x) = counter(3, false);
    // What a language records for `next(x) := x + 1` with x in 0..3.
    let at_end = is(&mut system, x, 3);
    system.hazards.push(Hazard {
        condition: at_end,
        message: "the value 4 is outside 0..3".into(),
        place: Some((5, 9)),
    });
    let always = system.terms.truth(true);
    let result = Explicit::default().check(
        &system,
        &property(Question::Invariant(always), entail_logic::Logic::Invariant),
        &CheckOptions::default(),
        &Budget::unlimited(),
        &Silent,
    );
    let error = result.expect_err("a hazard is reachable");
    assert_eq!(
        (error.message.as_str(), error.place),
        ("the value 4 is outside 0..3", Some((5, 9)))
    );
    assert_eq!(error.trace.expect("how to get there").steps.len(), 4);
}

#[test]
fn a_hazard_of_a_step_that_leaves_the_domain_is_found_although_the_step_does_not_exist() {
    let (mut system, x) = counter(3, false);
    let i = system.add_variable("i", Sort::Bool, VarKind::Input);
    let input = system.current(i);
    let at_end = is(&mut system, x, 3);
    let condition = system.terms.and([at_end, input]);
    system.hazards.push(Hazard {
        condition,
        message: "outside".into(),
        place: None,
    });
    let formula = Formula::constant(true).globally().forall();
    let result = Explicit::default().check(
        &system,
        &property(Question::Formula(formula), entail_logic::Logic::Ctl),
        &CheckOptions::default(),
        &Budget::unlimited(),
        &Silent,
    );
    assert_eq!(result.expect_err("a hazard is reachable").message, "outside");
}

#[test]
fn no_initial_state_is_an_error_of_the_model() {
    let (mut system, x) = counter(3, true);
    let at_two = is(&mut system, x, 2);
    system.init.push(at_two);
    let always = system.terms.truth(true);
    let result = Explicit::default().check(
        &system,
        &property(Question::Invariant(always), entail_logic::Logic::Invariant),
        &CheckOptions::default(),
        &Budget::unlimited(),
        &Silent,
    );
    assert!(
        result
            .expect_err("no initial state")
            .message
            .contains("no initial state")
    );
}

#[test]
fn a_dead_end_is_a_warning_or_an_error_as_the_policy_says() {
    let (mut system, x) = counter(3, false);
    let at_end = is(&mut system, x, 3);
    let reaches = Formula::atom(at_end).finally().forall();
    let mut options = CheckOptions::default();
    let outcome = check(&system, Question::Formula(reaches.clone()), &options);
    assert!(
        outcome
            .warnings
            .iter()
            .any(|warning| warning.text.contains("x = 3"))
    );
    options.dead_ends = DeadEnds::Error;
    let result = Explicit::default().check(
        &system,
        &property(Question::Formula(reaches), entail_logic::Logic::Ctl),
        &options,
        &Budget::unlimited(),
        &Silent,
    );
    let error = result.expect_err("a dead end is reachable");
    assert!(error.message.contains("x = 3"));
    assert_eq!(error.trace.expect("how to get there").length(), 3);
}

#[test]
fn a_bounded_search_says_its_bound_and_a_search_that_ends_before_it_is_complete() {
    let (mut system, x) = counter(9, true);
    let at_seven = is(&mut system, x, 7);
    let never = system.terms.not(at_seven);
    for (bound, verdict, guarantee) in [
        (3, Verdict::Holds, Guarantee::Bounded(3)),
        (7, Verdict::Fails, Guarantee::Complete),
        (40, Verdict::Fails, Guarantee::Complete),
    ] {
        let options = CheckOptions {
            bound: Some(bound),
            ..CheckOptions::default()
        };
        for question in [
            Question::Invariant(never),
            Question::Formula(Formula::atom(never).globally().forall()),
        ] {
            let outcome = check(&system, question.clone(), &options);
            // The violating lasso of the formula needs the loop at 9, which no path of 7 steps has.
            if bound == 7 && matches!(question, Question::Formula(_)) {
                continue;
            }
            assert_eq!(
                (outcome.verdict, outcome.guarantee.clone()),
                (verdict, guarantee.clone()),
                "{bound}"
            );
            let report = check_outcome(
                &system,
                &property(question, entail_logic::Logic::Ctl),
                &outcome,
                &options,
                &Budget::unlimited(),
            );
            assert!(!report.is_rejected(), "{report}");
        }
    }
}

#[derive(Default)]
struct Counting(AtomicU64);

impl Progress for Counting {
    fn report(&self, snapshot: &Snapshot) {
        self.0.fetch_max(snapshot.states.unwrap_or(0), Ordering::Relaxed);
    }
}

#[test]
fn a_spent_budget_gives_unknown_with_what_was_reached() {
    let mut system = TransitionSystem::new();
    let x = system.add_variable("x", Sort::word(40), VarKind::State);
    let (now, next) = (system.current(x), system.next(x));
    let one = system
        .terms
        .constant(entail_model::Value::Word(entail_model::Word::from_u64(
            40, false, 1,
        )));
    let more = system.terms.add(now, one).expect("words");
    let step = system.terms.equal(next, more).expect("words");
    let start = system.terms.equal(now, one).expect("words");
    system.init.push(start);
    system.transition.push(step);
    let always = system.terms.truth(true);
    let progress = Counting::default();
    let budget = Budget::unlimited().with_timeout(Some(Duration::from_millis(100)));
    let outcome = Explicit::default()
        .check(
            &system,
            &property(Question::Invariant(always), entail_logic::Logic::Invariant),
            &CheckOptions::default(),
            &budget,
            &progress,
        )
        .expect("the model has a meaning");
    assert_eq!(outcome.verdict, Verdict::Unknown);
    assert!(outcome.statistics.states().is_some_and(|states| states > 1000));
    assert!(outcome.reason.is_some_and(|reason| reason.contains("time limit")));
    assert!(progress.0.into_inner() > 1000);
}

#[test]
fn an_unconstrained_initial_word_does_not_keep_the_budget_from_being_seen() {
    let mut system = TransitionSystem::new();
    system.add_variable("x", Sort::word(128), VarKind::State);
    let always = system.terms.truth(true);
    let budget = Budget::unlimited().with_timeout(Some(Duration::from_millis(50)));
    let outcome = Explicit::default()
        .check(
            &system,
            &property(Question::Invariant(always), entail_logic::Logic::Invariant),
            &CheckOptions::default(),
            &budget,
            &Silent,
        )
        .expect("the model has a meaning");
    assert_eq!(outcome.verdict, Verdict::Unknown);
}

#[test]
fn lengths_of_paths_are_those_of_nusmv() {
    let (mut system, x) = counter(7, true);
    let at: Vec<TermId> = (0..8).map(|value| is(&mut system, x, value)).collect();
    let nowhere = system.terms.truth(false);
    let options = CheckOptions::default();
    let value = |question| {
        let outcome = check(&system, question, &options);
        outcome.value.expect("a value")
    };
    assert_eq!(value(Question::ShortestPath(at[0], at[3])), Quantity::whole(3));
    assert_eq!(value(Question::LongestPath(at[0], at[3])), Quantity::whole(3));
    assert_eq!(value(Question::LongestPath(at[3], at[0])), Quantity::Infinite);
    assert_eq!(value(Question::ShortestPath(at[3], at[0])), Quantity::Infinite);
    assert_eq!(value(Question::LongestPath(nowhere, at[0])), Quantity::Undefined);
    assert_eq!(value(Question::LongestPath(at[5], at[5])), Quantity::whole(0));
    assert_eq!(value(Question::ShortestPath(at[5], at[5])), Quantity::whole(0));
}

#[test]
fn a_vacuous_pass_and_the_absence_of_fair_paths_are_warnings() {
    let (mut system, x) = counter(3, true);
    let (at_two, small) = (is(&mut system, x, 2), is(&mut system, x, 1));
    let impossible = system.terms.and([at_two, small]);
    let body = Formula::atom(impossible).implies(&Formula::atom(small));
    let outcome = check(
        &system,
        Question::Formula(body.globally().forall()),
        &CheckOptions::default(),
    );
    // The antecedent was folded to false by the constructors; it is true nowhere all the same.
    assert!(
        outcome
            .warnings
            .iter()
            .any(|warning| warning.text.contains("vacuously"))
    );
    system.justice.push(at_two);
    let fails_without = Formula::atom(small).globally().forall();
    let outcome = check(
        &system,
        Question::Formula(fails_without),
        &CheckOptions::default(),
    );
    assert_eq!(outcome.verdict, Verdict::Holds);
    assert!(
        outcome
            .warnings
            .iter()
            .any(|warning| warning.text.contains("no fair path"))
    );
}

#[test]
fn a_session_answers_later_properties_from_the_graph_of_the_first() {
    let (mut system, x) = counter(9, true);
    let at: Vec<TermId> = (0..10).map(|value| is(&mut system, x, value)).collect();
    let options = CheckOptions::default();
    let engine = Explicit::default();
    let mut session = engine.open(&system, &options);
    let budget = Budget::unlimited();
    for (question, verdict) in [
        (
            Question::Formula(Formula::atom(at[9]).finally().forall()),
            Verdict::Holds,
        ),
        (Question::Invariant(at[0]), Verdict::Fails),
        (
            Question::Formula(Formula::atom(at[4]).finally().exists()),
            Verdict::Holds,
        ),
    ] {
        let property = property(question, entail_logic::Logic::Ctl);
        let outcome = session.check(&property, &budget, &Silent).expect("a meaning");
        assert_eq!(outcome.verdict, verdict);
        let report = check_outcome(&system, &property, &outcome, &options, &budget);
        assert!(report.is_accepted(), "{report}");
    }
}

#[test]
fn existential_formulas_that_hold_show_their_path() {
    let (mut system, x) = counter(9, true);
    let at_four = is(&mut system, x, 4);
    let formula = Formula::atom(at_four).finally().exists();
    let outcome = check(&system, Question::Formula(formula), &CheckOptions::default());
    match outcome.evidence {
        Some(Evidence::Explanation(tree)) => match tree.because {
            entail_evidence::Because::Path(path) => assert_eq!(path.trace.length(), 4),
            other => panic!("a path was expected, not {other:?}"),
        },
        other => panic!("an explanation was expected, not {other:?}"),
    }
}

#[test]
fn simulation_and_drawing_see_the_same_states() {
    let (system, _) = counter(5, true);
    let budget = Budget::unlimited();
    let graph = reachable_graph(&system, 100, &budget)
        .expect("a meaning")
        .expect("small");
    assert!(graph.complete && graph.initial == 1 && graph.states.len() == 6 && graph.edges.len() == 6);
    let simulator = Simulator::new(&system).expect("supported");
    let mut state = simulator
        .initial_states(10, &budget)
        .expect("unlimited")
        .remove(0);
    for number in 0..6 {
        assert_eq!(state, graph.states[number]);
        state = simulator
            .successors(&state, 10, &budget)
            .expect("unlimited")
            .remove(0)
            .next;
    }
    let part = reachable_graph(&system, 2, &budget)
        .expect("a meaning")
        .expect("small");
    assert!(!part.complete && part.states.len() == 3);
}

#[test]
fn a_violation_near_the_start_is_found_without_seeing_the_rest() {
    // A counter that may pause in every step.
    let (mut system, x) = counter(200_000, true);
    let (now, next) = (system.current(x), system.next(x));
    let pauses = system.terms.equal(next, now).expect("integers");
    system.transition[0] = system.terms.or([system.transition[0], pauses]);
    let at_five = is(&mut system, x, 5);
    let never = Formula::atom(at_five).not().globally().forall();
    let property = property(Question::Formula(never), entail_logic::Logic::Ltl);
    let options = CheckOptions::default();
    let outcome = Explicit::default()
        .check(&system, &property, &options, &Budget::unlimited(), &Silent)
        .expect("a meaning");
    assert_eq!(outcome.verdict, Verdict::Fails);
    assert!(
        outcome.statistics.states() < Some(100_000),
        "{:?}",
        outcome.statistics
    );
    let report = check_outcome(&system, &property, &outcome, &options, &Budget::unlimited());
    assert!(!report.is_rejected(), "{report}");
}

#[test]
fn ltl_after_ctl_uses_the_graph_that_is_there_and_gives_the_same_lasso() {
    let (mut system, x) = counter(9, true);
    let at: Vec<TermId> = (0..10).map(|value| is(&mut system, x, value)).collect();
    let options = CheckOptions::default();
    let budget = Budget::unlimited();
    let reaches = property(
        Question::Formula(Formula::atom(at[9]).finally().exists()),
        entail_logic::Logic::Ctl,
    );
    let returns = Formula::atom(at[3]).finally().globally().forall();
    let stays = property(Question::Formula(returns), entail_logic::Logic::Ltl);
    let engine = Explicit::default();
    let mut fresh = engine.open(&system, &options);
    let alone = fresh.check(&stays, &budget, &Silent).expect("a meaning");
    let mut session = engine.open(&system, &options);
    session.check(&reaches, &budget, &Silent).expect("a meaning");
    let later = session.check(&stays, &budget, &Silent).expect("a meaning");
    assert_eq!(alone.verdict, later.verdict);
    assert_eq!(format!("{:?}", alone.evidence), format!("{:?}", later.evidence));
    assert!(check_outcome(&system, &stays, &later, &options, &budget).is_accepted());
}
