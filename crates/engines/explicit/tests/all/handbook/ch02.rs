//! Chapter 2: temporal logic and fair discrete systems.

use super::{Bench, decide, holds, kripke_formula};
use entail_evidence::{DeadEnds, Evidence, Verdict};
use entail_logic::Question;
use entail_model::{KripkeBuilder, Sort, StateId, TermId, VarId, VarKind};

/// `l0: while (n > 0) { l1: n := n - 1; l2: } l3`, with or without stuttering.
fn loop_program(stutters: bool) -> (Bench, VarId, VarId) {
    let mut bench = Bench::new();
    let (pc, n) = (bench.variable("pc", 0, 3), bench.variable("n", 0, 10));
    let starts = [bench.is(pc, 0), bench.is(n, 10)];
    bench.system.init = starts.to_vec();
    let at: Vec<TermId> = (0..4).map(|line| bench.is(pc, line)).collect();
    let empty = bench.is(n, 0);
    let positive = bench.not(empty);
    let enter = bench.and([at[0], positive]);
    let leave = bench.and([at[0], empty]);
    let mut moves = vec![
        bench.transition(enter, &[(pc, 1)]),
        bench.transition(leave, &[(pc, 3)]),
        bench.transition(at[2], &[(pc, 0)]),
    ];
    let (now, next, one) = (
        bench.system.current(n),
        bench.system.next(n),
        bench.system.terms.integer(1),
    );
    let less = bench.system.terms.subtract(now, one).expect("integers");
    let decrement = bench.system.terms.equal(next, less).expect("integers");
    let to_two = bench.becomes(pc, 2);
    moves.push(bench.and([at[1], decrement, to_two]));
    if stutters {
        moves.push(bench.stutter());
    }
    bench.relation(moves);
    (bench, pc, n)
}

#[test]
fn e1_the_loop_ends_if_it_is_treated_justly() {
    let (mut bench, pc, _) = loop_program(true);
    let at: Vec<TermId> = (0..4).map(|line| bench.is(pc, line)).collect();
    let ends = bench.formula("F l3", &[("l3", at[3])]);
    let outcome = decide(
        &bench.system,
        Question::Formula(ends.clone()),
        entail_logic::Logic::Ltl,
        DeadEnds::Infinite,
    );
    assert_eq!(outcome.verdict, Verdict::Fails);
    assert_eq!(outcome.statistics.states(), Some(32));
    bench.system.justice = (0..3).map(|line| bench.system.terms.not(at[line])).collect();
    assert!(holds(&bench.system, &ends));
}

#[test]
fn e1_the_shortest_way_to_the_end_has_31_steps() {
    let (mut bench, pc, _) = loop_program(true);
    let at_end = bench.is(pc, 3);
    let never = bench.not(at_end);
    let outcome = decide(
        &bench.system,
        Question::Invariant(never),
        entail_logic::Logic::Invariant,
        DeadEnds::Infinite,
    );
    match outcome.evidence {
        Some(Evidence::Trace(trace)) => assert_eq!(trace.length(), 31),
        other => panic!("a trace was expected, not {other:?}"),
    }
}

#[test]
fn e1_without_stuttering_the_loop_ends_and_has_a_dead_end() {
    let (mut bench, pc, _) = loop_program(false);
    let at_end = bench.is(pc, 3);
    let verdict = |bench: &Bench, text: &str, policy| {
        let formula = bench.formula(text, &[("l3", at_end)]);
        decide(
            &bench.system,
            Question::Formula(formula),
            entail_logic::Logic::Ctl,
            policy,
        )
        .verdict
    };
    assert_eq!(verdict(&bench, "AF l3", DeadEnds::Maximal), Verdict::Holds);
    assert_eq!(verdict(&bench, "AG EX TRUE", DeadEnds::Maximal), Verdict::Fails);
    // Every path ends, so under the reading of infinite paths everything holds, with a warning.
    let formula = bench.formula("AG EX TRUE", &[]);
    let outcome = decide(
        &bench.system,
        Question::Formula(formula),
        entail_logic::Logic::Ctl,
        DeadEnds::Infinite,
    );
    assert!(
        outcome
            .warnings
            .iter()
            .any(|warning| warning.text.contains("vacuously"))
    );
    assert!(
        outcome
            .warnings
            .iter()
            .any(|warning| warning.text.contains("pc = 3, n = 0"))
    );
}

/// Peterson's algorithm as the chapter gives it; process `k` has program counter `pc[k]`.
struct Peterson {
    bench: Bench,
    at_l: Vec<TermId>,
    at_m: Vec<TermId>,
}

fn peterson() -> Peterson {
    let mut bench = Bench::new();
    let (l, m) = (bench.variable("l", 0, 7), bench.variable("m", 0, 7));
    let (t, x, y) = (
        bench.variable("t", 0, 1),
        bench.variable("x", 0, 1),
        bench.variable("y", 0, 1),
    );
    for variable in [l, m, t, x, y] {
        let start = bench.is(variable, 0);
        bench.system.init.push(start);
    }
    let mut moves = vec![bench.stutter()];
    let mut justice = Vec::new();
    let mut at = Vec::new();
    // Process, own flag, the other's flag, the turn it gives away, the turn it waits for.
    for (pc, flag, other, given, wanted) in [(l, x, y, 1, 0), (m, y, x, 0, 1)] {
        let here: Vec<TermId> = (0..8).map(|line| bench.is(pc, line)).collect();
        let (turn, free) = (bench.is(t, wanted), bench.is(other, 0));
        let may_enter = bench.or([turn, free]);
        let enter = bench.and([here[4], may_enter]);
        moves.extend([
            bench.transition(here[0], &[(pc, 1)]),
            bench.transition(here[1], &[(pc, 2)]),
            bench.transition(here[2], &[(pc, 3), (flag, 1)]),
            bench.transition(here[3], &[(pc, 4), (t, given)]),
            bench.transition(enter, &[(pc, 5)]),
            bench.transition(here[5], &[(pc, 6)]),
            bench.transition(here[6], &[(pc, 7), (flag, 0)]),
            bench.transition(here[7], &[(pc, 0)]),
        ]);
        for line in [0, 2, 3, 5, 6, 7] {
            let left = bench.not(here[line]);
            justice.push(left);
        }
        let (left, blocked) = (bench.not(here[4]), bench.not(may_enter));
        justice.push(bench.or([left, blocked]));
        at.push(here);
    }
    bench.relation(moves);
    bench.system.justice = justice;
    let at_m = at.pop().expect("two processes");
    let at_l = at.pop().expect("two processes");
    Peterson { bench, at_l, at_m }
}

#[test]
fn e2_peterson_excludes_and_gives_access_under_justice_only() {
    let Peterson {
        mut bench,
        at_l,
        at_m,
    } = peterson();
    let atoms = [("l2", at_l[2]), ("l5", at_l[5]), ("m5", at_m[5])];
    let exclusion = bench.formula("G !(l5 & m5)", &atoms);
    let access = bench.formula("G (l2 -> F l5)", &atoms);
    let branching_access = bench.formula("AG (l2 -> AF l5)", &atoms);
    assert!(holds(&bench.system, &exclusion));
    assert!(holds(&bench.system, &access));
    assert!(holds(&bench.system, &branching_access));
    bench.system.justice.clear();
    assert!(holds(&bench.system, &exclusion));
    assert!(!holds(&bench.system, &access));
    assert!(!holds(&bench.system, &branching_access));
}

/// The semaphore program; the pairs are (at the wait, at the critical section) for each process, and the semaphore.
fn semaphore() -> (Bench, Vec<Vec<TermId>>, TermId) {
    let mut bench = Bench::new();
    let (l, m) = (bench.variable("l", 0, 5), bench.variable("m", 0, 5));
    let x = bench.variable("x", 0, 1);
    let starts = [bench.is(l, 0), bench.is(m, 0), bench.is(x, 1)];
    bench.system.init = starts.to_vec();
    let free = bench.is(x, 1);
    let mut moves = vec![bench.stutter()];
    let mut at = Vec::new();
    for pc in [l, m] {
        let here: Vec<TermId> = (0..6).map(|line| bench.is(pc, line)).collect();
        let enter = bench.and([here[2], free]);
        moves.extend([
            bench.transition(here[0], &[(pc, 1)]),
            bench.transition(here[1], &[(pc, 2)]),
            bench.transition(enter, &[(pc, 3), (x, 0)]),
            bench.transition(here[3], &[(pc, 4)]),
            bench.transition(here[4], &[(pc, 5), (x, 1)]),
            bench.transition(here[5], &[(pc, 0)]),
        ]);
        for line in [0, 3, 4, 5] {
            let left = bench.not(here[line]);
            bench.system.justice.push(left);
        }
        at.push(here);
    }
    bench.relation(moves);
    (bench, at, free)
}

#[test]
fn e3_mutual_exclusion_holds_but_accessibility_needs_compassion() {
    let (mut bench, at, free) = semaphore();
    let atoms = [("l2", at[0][2]), ("l3", at[0][3]), ("m3", at[1][3])];
    let exclusion = bench.formula("G !(l3 & m3)", &atoms);
    let access = bench.formula("G (l2 -> F l3)", &atoms);
    let branching_access = bench.formula("AG (l2 -> AF l3)", &atoms);
    let just = bench.system.justice.clone();
    for here in &at {
        let (left, taken) = (bench.not(here[2]), bench.not(free));
        let waits_justly = bench.or([left, taken]);
        bench.system.justice.push(waits_justly);
    }
    assert!(holds(&bench.system, &exclusion));
    assert!(!holds(&bench.system, &access));
    bench.system.justice = just;
    for here in &at {
        let (enabled, left) = (bench.and([here[2], free]), bench.not(here[2]));
        bench.system.compassion.push((enabled, left));
    }
    assert!(holds(&bench.system, &exclusion));
    assert!(holds(&bench.system, &access));
    assert!(holds(&bench.system, &branching_access));
}

/// `M_i`: `(p -> y' = y) & (!p -> y' = max(0, y - 1)) & ((p & y > 0) | p')`, from `p & y = i`.
fn family(bound: i64) -> (Bench, TermId) {
    let mut bench = Bench::new();
    let p = bench.system.add_variable("p", Sort::Bool, VarKind::State);
    let y = bench.variable("y", 0, bound);
    let (p_now, p_next) = (bench.system.current(p), bench.system.next(p));
    let (y_now, y_next) = (bench.system.current(y), bench.system.next(y));
    let full = bench.is(y, bound);
    bench.system.init = vec![p_now, full];
    let terms = &mut bench.system.terms;
    let (zero, one) = (terms.integer(0), terms.integer(1));
    let keeps = terms.equal(y_next, y_now).expect("integers");
    let less = terms.subtract(y_now, one).expect("integers");
    let at_zero = terms.equal(y_now, zero).expect("integers");
    let down = terms.ite(at_zero, zero, less).expect("integers");
    let falls = terms.equal(y_next, down).expect("integers");
    let first = terms.implies(p_now, keeps);
    let not_p = terms.not(p_now);
    let second = terms.implies(not_p, falls);
    let positive = terms.not(at_zero);
    let may_drop = terms.and([p_now, positive]);
    let third = terms.or([may_drop, p_next]);
    bench.system.transition = vec![first, second, third];
    (bench, p_now)
}

#[test]
fn e5_eventually_always_is_not_branching() {
    for bound in 0..6 {
        let (bench, p) = family(bound);
        let linear = bench.formula("F G p", &[("p", p)]);
        let branching = bench.formula("AF AG p", &[("p", p)]);
        let outcome = decide(
            &bench.system,
            Question::Formula(linear),
            entail_logic::Logic::Ltl,
            DeadEnds::Infinite,
        );
        assert_eq!(outcome.verdict, Verdict::Holds);
        assert_eq!(outcome.statistics.states(), Some(2 * bound as u64 + 1));
        assert_eq!(holds(&bench.system, &branching), bound == 0);
    }
}

#[test]
fn e6_a_path_may_wait_before_it_drops() {
    let mut builder = KripkeBuilder::new(3);
    builder
        .edges([(0, 0), (0, 1), (1, 2), (2, 2)])
        .initial(StateId::new(0))
        .proposition("p", [StateId::new(0), StateId::new(2)]);
    let kripke = builder.build().expect("a structure");
    for (text, expected) in [
        ("F G p", true),
        ("AF AG p", false),
        ("E (F !p)", true),
        ("E G p", true),
    ] {
        let (system, formula) = kripke_formula(&kripke, text);
        assert_eq!(holds(&system, &formula), expected, "{text}");
    }
}

#[test]
fn e7_next_and_eventually_do_not_commute_in_branching_time() {
    let mut builder = KripkeBuilder::new(3);
    builder
        .edges([(0, 1), (0, 2), (1, 1), (1, 2), (2, 1)])
        .initial(StateId::new(0))
        .proposition("p", [StateId::new(1)]);
    let kripke = builder.build().expect("a structure");
    for (text, expected) in [
        ("AF AX p", false),
        ("AX AF p", true),
        ("F X p", true),
        ("X F p", true),
    ] {
        let (system, formula) = kripke_formula(&kripke, text);
        assert_eq!(holds(&system, &formula), expected, "{text}");
    }
}
