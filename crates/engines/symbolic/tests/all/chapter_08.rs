//! The worked examples of chapter 8 and its errata, through the engine.

use entail_budget::{Budget, Silent};
use entail_evidence::{Because, CheckOptions, DeadEnds, Engine, Evidence, Outcome, Verdict};
use entail_logic::{Formula, Property, Question};
use entail_model::{Kripke, KripkeBuilder, Sort, StateId, TermId, TransitionSystem, VarKind};
use entail_proof::{KnownInvariant, check_fixpoints, check_invariant};
use entail_symbolic::SymbolicEngine;
use entail_systems_checker::check_outcome;

type Sets<'a> = &'a [(&'a str, &'a [u32])];

fn structure(
    states: u64,
    edges: &[(u32, u32)],
    initial: &[u32],
    labels: Sets<'_>,
    justice: &[&[u32]],
) -> Kripke {
    let mut builder = KripkeBuilder::new(states);
    builder.edges(edges.iter().copied());
    for &state in initial {
        builder.initial(StateId::new(state));
    }
    for (name, members) in labels {
        builder.proposition(name, members.iter().map(|&state| StateId::new(state)));
    }
    for members in justice {
        builder.justice(members.iter().map(|&state| StateId::new(state)));
    }
    builder.build().expect("a well-formed structure")
}

/// The structure of Fig. 1, from the given initial states.
fn figure_1(initial: &[u32], justice: &[&[u32]]) -> Kripke {
    let edges = [(0, 1), (0, 2), (1, 1), (1, 2), (2, 3), (3, 3)];
    structure(4, &edges, initial, &[("p", &[0, 1]), ("q", &[1, 2])], justice)
}

fn formula(system: &TransitionSystem, text: &str) -> Formula<TermId> {
    let parsed = entail_logic::parse(text).expect(text);
    parsed.map_atoms(&mut |name: &String| {
        let define = system
            .defines
            .iter()
            .find(|define| &*define.name == name.as_str());
        define.expect("a proposition").term
    })
}

fn check(kripke: &Kripke, text: &str, dead_ends: DeadEnds) -> Outcome {
    let system = kripke.to_system();
    let formula = formula(&system, text);
    let property = Property {
        name: None,
        text: text.into(),
        logic: entail_logic::Logic::CtlStar,
        question: Question::Formula(formula),
    };
    let options = CheckOptions {
        dead_ends,
        ..CheckOptions::default()
    };
    let outcome = SymbolicEngine::default()
        .check(&system, &property, &options, &Budget::unlimited(), &Silent)
        .expect("a meaningful model");
    if let (Some(Evidence::Fixpoints(proof)), Question::Formula(formula)) =
        (&outcome.evidence, &property.question)
    {
        let known = &mut KnownInvariant::default();
        let formula = match formula.is_state_formula() {
            true => formula.clone(),
            false => formula.forall(),
        };
        let judged = check_fixpoints(&system, proof, &formula, dead_ends, known, &Budget::unlimited());
        assert_eq!(judged, Ok(()), "{text}");
        return outcome;
    }
    let report = check_outcome(&system, &property, &outcome, &options, &Budget::unlimited());
    assert!(report.is_accepted(), "{text}: {report}");
    outcome
}

fn holds(kripke: &Kripke, text: &str) -> bool {
    check(kripke, text, DeadEnds::Infinite).verdict == Verdict::Holds
}

/// The states that satisfy a formula, found by asking from each state alone.
fn satisfying(justice: &[&[u32]], text: &str) -> Vec<u32> {
    (0..4)
        .filter(|&state| holds(&figure_1(&[state], justice), text))
        .collect()
}

#[test]
fn example_3_sets_of_states_satisfying_ctl_formulas() {
    for (text, expected) in [
        ("EX q", vec![0, 1]),
        ("EG p", vec![0, 1]),
        ("AF !p", vec![2, 3]),
        ("E [p U (!p & q)]", vec![0, 1, 2]),
        ("EF (!p & !q)", vec![0, 1, 2, 3]),
        ("AG (!p -> AX !p)", vec![0, 1, 2, 3]),
    ] {
        assert_eq!(satisfying(&[], text), expected, "{text}");
    }
}

#[test]
fn example_3_fairness_changes_the_answers() {
    assert_eq!(satisfying(&[&[2, 3]], "EG p"), Vec::<u32>::new());
    assert_eq!(satisfying(&[&[2, 3]], "AF !p"), vec![0, 1, 2, 3]);
    // With fairness {p} the fair states are s0 and s1: from the others no path counts, so everything is true of all.
    assert_eq!(satisfying(&[&[0, 1]], "AX FALSE"), vec![2, 3]);
}

#[test]
fn example_3_a_shortest_counterexample_has_two_steps() {
    let outcome = check(&figure_1(&[0], &[]), "AG (p | q)", DeadEnds::Infinite);
    assert_eq!(outcome.verdict, Verdict::Fails);
    let Some(Evidence::Explanation(tree)) = outcome.evidence else {
        panic!("a tree of paths is expected");
    };
    let Because::Path(witness) = tree.because else {
        panic!("a path is expected");
    };
    assert_eq!(witness.trace.steps.len(), 3);
}

#[test]
fn example_3_linear_time_at_the_first_state() {
    let kripke = figure_1(&[0], &[]);
    assert!(holds(&kripke, "A X q"));
    assert!(!holds(&kripke, "A F !p"));
    assert!(holds(&kripke, "A G (!p -> X !p)"));
    assert!(holds(&kripke, "A (F G q | F G !q)"));
    assert!(!holds(&kripke, "A (F G !q)"));
    assert!(holds(&kripke, "A G (!p -> O p)"));
    assert!(!holds(&kripke, "A (G F p -> F !p)"));
}

#[test]
fn erratum_fair_eg_keeps_its_operand() {
    // s0(!p) -> s1(p) -> s1 with fairness {true}: EG p is {s1}.
    for (initial, expected) in [(0, false), (1, true)] {
        let kripke = structure(2, &[(0, 1), (1, 1)], &[initial], &[("p", &[1])], &[&[0, 1]]);
        assert_eq!(holds(&kripke, "EG p"), expected);
    }
}

#[test]
fn erratum_nested_operators_are_fair_too() {
    // s0 -> s0, s1; s1 -> s1; fairness {s0}: on fair paths s1 is never entered, so AX AG !b holds in s0.
    let kripke = structure(2, &[(0, 0), (0, 1), (1, 1)], &[0], &[("b", &[1])], &[&[0]]);
    assert!(holds(&kripke, "AX AG !b"));
    assert!(!holds(&kripke, "EF EF b"));
    assert!(holds(&kripke, "A G (X !b)"));
}

#[test]
fn dead_ends_mean_what_the_policy_says() {
    // s0 -> s1, s0 -> s0; s1 is a dead end.
    let kripke = structure(2, &[(0, 0), (0, 1)], &[0], &[("b", &[1])], &[]);
    for (text, policy, expected) in [
        ("EF b", DeadEnds::Infinite, false),
        ("EF b", DeadEnds::Maximal, true),
        ("EF b", DeadEnds::Stutter, true),
        ("EF EG b", DeadEnds::Stutter, true),
        ("AG EX TRUE", DeadEnds::Infinite, true),
        ("AG EX TRUE", DeadEnds::Maximal, false),
        ("A F X b", DeadEnds::Stutter, false),
        ("A (F b -> F X !b)", DeadEnds::Maximal, false),
    ] {
        assert_eq!(
            check(&kripke, text, policy).verdict == Verdict::Holds,
            expected,
            "{text} {policy:?}"
        );
    }
}

#[test]
fn an_invariant_that_holds_comes_with_a_proof_that_a_sat_solver_accepts() {
    // A modulo-6 counter beside one that follows it.
    let mut system = TransitionSystem::new();
    let counter = system.add_variable("n", Sort::range(0, 6), VarKind::State);
    let shadow = system.add_variable("w", Sort::word(3), VarKind::State);
    let (n, n_next) = (system.current(counter), system.next(counter));
    let (w, w_next) = (system.current(shadow), system.next(shadow));
    let terms = &mut system.terms;
    let (zero, one, last) = (terms.integer(0), terms.integer(1), terms.integer(5));
    let more = terms.add(n, one).expect("integers");
    let wraps = terms.equal(n, last).expect("integers");
    let following = terms.ite(wraps, zero, more).expect("integers");
    let copied = terms.int_to_word(following, 3, false).expect("an integer");
    let start_word = terms.int_to_word(zero, 3, false).expect("an integer");
    let init = [
        terms.equal(n, zero).expect("integers"),
        terms.equal(w, start_word).expect("words"),
    ];
    let step = [
        terms.equal(n_next, following).expect("integers"),
        terms.equal(w_next, copied).expect("words"),
    ];
    let six = terms.integer(6);
    let as_word = terms.int_to_word(n, 3, false).expect("an integer");
    let agree = terms.equal(as_word, w).expect("words");
    let below = terms.less(n, six).expect("integers");
    let safe = terms.and([agree, below]);
    system.init.extend(init);
    system.transition.extend(step);
    let property = Property {
        name: None,
        text: "n = w and n < 6".into(),
        logic: entail_logic::Logic::Invariant,
        question: Question::Invariant(safe),
    };
    let outcome = SymbolicEngine::default()
        .check(
            &system,
            &property,
            &CheckOptions::default(),
            &Budget::unlimited(),
            &Silent,
        )
        .expect("a meaningful model");
    assert_eq!(outcome.verdict, Verdict::Holds);
    let Some(Evidence::Invariant(certificate)) = &outcome.evidence else {
        panic!("an inductive invariant is expected");
    };
    check_invariant(&system, certificate, safe, &Budget::unlimited()).expect("inductive and safe");
}

#[test]
fn a_model_without_initial_states_is_an_error() {
    let mut system = TransitionSystem::new();
    let variable = system.add_variable("b", Sort::Bool, VarKind::State);
    let b = system.current(variable);
    let not_b = system.terms.not(b);
    system.init.extend([b, not_b]);
    let property = Property {
        name: None,
        text: "b".into(),
        logic: entail_logic::Logic::Invariant,
        question: Question::Invariant(b),
    };
    let result = SymbolicEngine::default().check(
        &system,
        &property,
        &CheckOptions::default(),
        &Budget::unlimited(),
        &Silent,
    );
    assert!(result.is_err());
}
