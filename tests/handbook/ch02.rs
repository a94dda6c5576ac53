//! Chapter 2: temporal logic and fair discrete systems.

use crate::{Fails, Holds, expect, reachable_states, witness_length};

/// E1, figure 1: a loop that counts down from 10, with or without stuttering steps.
fn countdown(stutter: bool, fairness: &str, properties: &str) -> String {
    let stutter = if stutter {
        "| next(at) = at & next(n) = n"
    } else {
        ""
    };
    format!(
        "MODULE main
         VAR at : 0..3; n : 0..10;
         INIT at = 0 & n = 10
         TRANS at = 0 & n > 0 & next(at) = 1 & next(n) = n
             | at = 0 & n <= 0 & next(at) = 3 & next(n) = n
             | at = 1 & n > 0 & next(at) = 2 & next(n) = n - 1
             | at = 2 & next(at) = 0 & next(n) = n
             {stutter}
         {fairness}
         {properties}"
    )
}

const COUNTDOWN_JUSTICE: &str = "JUSTICE at != 0 JUSTICE at != 1 JUSTICE at != 2";

#[test]
fn e1_the_loop_has_32_states_and_needs_31_steps() {
    assert_eq!(reachable_states(&countdown(true, "", "")), 32);
    let model = countdown(true, "", "INVARSPEC NAME never := at != 3;");
    assert_eq!(witness_length(&model, "never"), 31);
}

#[test]
fn e1_stuttering_blocks_termination_unless_it_is_unjust() {
    let properties = "LTLSPEC NAME ends := F at = 3; CTLSPEC NAME all_end := AF at = 3;";
    expect(
        &countdown(true, "", properties),
        &[("ends", Fails), ("all_end", Fails)],
    );
    expect(
        &countdown(true, COUNTDOWN_JUSTICE, properties),
        &[("ends", Holds), ("all_end", Holds)],
    );
}

#[test]
fn e1_without_stuttering_the_end_is_a_dead_end() {
    // Only infinite paths count, and there is none: everything holds vacuously.
    let properties = "CTLSPEC NAME total := AG EX TRUE; CTLSPEC NAME absurd := FALSE;";
    expect(
        &countdown(false, "", properties),
        &[("total", Holds), ("absurd", Holds)],
    );
}

/// E2, figure 2: Peterson's algorithm with program counters; each process may stutter.
fn peterson(fairness: bool, properties: &str) -> String {
    let process = |me: &str, mine: &str, other: &str, my_turn: u8| {
        let other_turn = 1 - my_turn;
        let justice = if fairness {
            [0, 2, 3, 5, 6, 7]
                .map(|at| format!("JUSTICE {me} != {at}"))
                .join("\n")
                + &format!("\nJUSTICE {me} != 4 | (t = {other_turn} & {other} = 1)")
        } else {
            String::new()
        };
        let step = format!(
            "( {me} = 0 & next({me}) = 1 & next({mine}) = {mine} & next(t) = t
             | {me} = 1 & next({me}) = 2 & next({mine}) = {mine} & next(t) = t
             | {me} = 2 & next({me}) = 3 & next({mine}) = 1 & next(t) = t
             | {me} = 3 & next({me}) = 4 & next({mine}) = {mine} & next(t) = {other_turn}
             | {me} = 4 & (t = {my_turn} | {other} = 0) & next({me}) = 5 & next({mine}) = {mine} & next(t) = t
             | {me} = 5 & next({me}) = 6 & next({mine}) = {mine} & next(t) = t
             | {me} = 6 & next({me}) = 7 & next({mine}) = 0 & next(t) = t
             | {me} = 7 & next({me}) = 0 & next({mine}) = {mine} & next(t) = t
             | next({me}) = {me} & next({mine}) = {mine} & next(t) = t )"
        );
        (step, justice)
    };
    let (l_step, l_justice) = process("l", "x", "y", 0);
    let (m_step, m_justice) = process("m", "y", "x", 1);
    format!(
        "MODULE main
         VAR l : 0..7; m : 0..7; t : 0..1; x : 0..1; y : 0..1;
         INIT l = 0 & m = 0 & t = 0 & x = 0 & y = 0
         TRANS ({l_step} & next(m) = m & next(y) = y) | ({m_step} & next(l) = l & next(x) = x)
         {l_justice}
         {m_justice}
         {properties}"
    )
}

const PETERSON: &str = "LTLSPEC NAME exclusion := G !(l = 5 & m = 5);
    CTLSPEC NAME exclusion_ctl := AG !(l = 5 & m = 5);
    LTLSPEC NAME accessible := G (l = 2 -> F l = 5);
    CTLSPEC NAME accessible_ctl := AG (l = 2 -> AF l = 5);";

#[test]
fn e2_peterson_is_accessible_with_justice_and_only_with_it() {
    expect(
        &peterson(true, PETERSON),
        &[
            ("exclusion", Holds),
            ("exclusion_ctl", Holds),
            ("accessible", Holds),
            ("accessible_ctl", Holds),
        ],
    );
    expect(
        &peterson(false, PETERSON),
        &[
            ("exclusion", Holds),
            ("exclusion_ctl", Holds),
            ("accessible", Fails),
            ("accessible_ctl", Fails),
        ],
    );
}

/// E3, figure 3: two processes and a semaphore.
fn semaphore(compassion: bool, properties: &str) -> String {
    let process = |me: &str| {
        let justice = [0, 3, 4, 5].map(|at| format!("JUSTICE {me} != {at}")).join("\n");
        let fairness = if compassion {
            format!("{justice}\nCOMPASSION ({me} = 2 & free, {me} != 2)")
        } else {
            format!("{justice}\nJUSTICE {me} != 2 | !free")
        };
        let step = format!(
            "( {me} in {{0, 1, 3}} & next({me}) = {me} + 1 & next(free) = free
             | {me} = 2 & free & next({me}) = 3 & !next(free)
             | {me} = 4 & next({me}) = 5 & next(free)
             | {me} = 5 & next({me}) = 0 & next(free) = free
             | next({me}) = {me} & next(free) = free )"
        );
        (step, fairness)
    };
    let ((l_step, l_fair), (m_step, m_fair)) = (process("l"), process("m"));
    format!(
        "MODULE main
         VAR l : 0..5; m : 0..5; free : boolean;
         INIT l = 0 & m = 0 & free
         TRANS ({l_step} & next(m) = m) | ({m_step} & next(l) = l)
         {l_fair}
         {m_fair}
         {properties}"
    )
}

#[test]
fn e3_mutual_exclusion_holds_but_accessibility_needs_compassion() {
    let properties =
        "LTLSPEC NAME exclusion := G !(l = 3 & m = 3); LTLSPEC NAME accessible := G (l = 2 -> F l = 3);";
    expect(
        &semaphore(true, properties),
        &[("exclusion", Holds), ("accessible", Holds)],
    );
    expect(
        &semaphore(false, properties),
        &[("exclusion", Holds), ("accessible", Fails)],
    );
}

/// E3, last item: one process and an environment that changes the semaphore as it likes.
#[test]
fn e3_one_process_with_a_chaotic_environment() {
    let model = |fairness: &str| {
        format!(
            "MODULE main
             VAR l : 0..5; free : boolean;
             INIT l = 0 & free
             TRANS (l in {{0, 1, 3}} & next(l) = l + 1 & next(free) = free
                 | l = 2 & free & next(l) = 3 & !next(free)
                 | l = 4 & next(l) = 5 & next(free)
                 | l = 5 & next(l) = 0 & next(free) = free
                 | next(l) = l)
             JUSTICE l != 0 JUSTICE l != 3 JUSTICE l != 4 JUSTICE l != 5
             {fairness}
             LTLSPEC NAME accessible := G F free -> G (l = 2 -> F l = 3);"
        )
    };
    expect(
        &model("COMPASSION (l = 2 & free, l != 2)"),
        &[("accessible", Holds)],
    );
    expect(&model("JUSTICE l != 2 | !free"), &[("accessible", Fails)]);
}

/// E5, figure 5: the family that separates FG p from AF AG p.
#[test]
fn e5_eventually_always_is_linear_and_not_branching() {
    for i in 0..4u32 {
        let model = format!(
            "MODULE main
             VAR p : boolean; y : 0..{i};
             INIT p & y = {i}
             TRANS (p -> next(y) = y) & (!p -> next(y) = max(0, y - 1)) & (p & y > 0 | next(p))
             LTLSPEC NAME linear := F G p; CTLSPEC NAME branching := AF AG p;"
        );
        assert_eq!(reachable_states(&model), u64::from(2 * i + 1));
        expect(
            &model,
            &[
                ("linear", Holds),
                ("branching", if i == 0 { Holds } else { Fails }),
            ],
        );
    }
}

/// E6, figure 6.
#[test]
fn e6_three_states_separate_linear_from_branching() {
    let model = "MODULE main
         VAR p : boolean; x : boolean;
         INIT p & x
         TRANS (p -> next(x) = x) & (!p -> !next(x)) & (p & x | next(p))
         LTLSPEC NAME linear := F G p; CTLSPEC NAME branching := AF AG p;";
    assert_eq!(reachable_states(model), 3);
    expect(model, &[("linear", Holds), ("branching", Fails)]);
}

/// E7: AF AX p is stronger than AX AF p.
#[test]
fn e7_eventually_next_is_not_next_eventually() {
    let model = "MODULE main
         VAR s : 0..2;
         INIT s = 0
         TRANS s = 0 & next(s) in {1, 2} | s = 1 & next(s) in {1, 2} | s = 2 & next(s) = 1
         DEFINE p := s = 1;
         CTLSPEC NAME eventually_next := AF AX p; CTLSPEC NAME next_eventually := AX AF p;";
    expect(model, &[("eventually_next", Fails), ("next_eventually", Holds)]);
}

/// E4: equivalences of formulas, asked of a model that has every word over its variables.
fn any_word(variables: &str, properties: &str) -> String {
    format!("MODULE main VAR {variables} {properties}")
}

#[test]
fn e4_equivalent_formulas_agree_on_every_word() {
    let model = any_word(
        "p : boolean; q : boolean; r : boolean;",
        "LTLSPEC NAME response_by_past := G (p -> F q) <-> G F !(!q S (!q & p));
         LTLSPEC NAME precedence := G (q -> O p) <-> !(!p U (q & !p));
         LTLSPEC NAME persistence := G (p -> G p) <-> G (p -> X p);
         LTLSPEC NAME unless := G ((p & !q) -> X (p | q)) <-> G (p -> (q V (p | q)));
         LTLSPEC NAME exchange := X F p <-> F X p;
         LTLSPEC NAME not_global := G (G (p -> F q) <-> G F !(!q S (!q & p)));
         LTLSPEC NAME weak_until_is_not_associative :=
           (((r V (q | r)) V (p | (r V (q | r)))) <-> (r V ((q V (p | q)) | r)));",
    );
    expect(
        &model,
        &[
            ("response_by_past", Holds),
            ("precedence", Holds),
            ("persistence", Holds),
            ("unless", Holds),
            ("exchange", Holds),
            ("not_global", Fails),
            ("weak_until_is_not_associative", Fails),
        ],
    );
}

#[test]
fn e4_light_and_call_agree_only_when_the_light_is_off_initially() {
    let formula = "(G (light -> (light S call)) <-> G (X light -> (light | call)))";
    let model = any_word(
        "light : boolean; call : boolean;",
        &format!(
            "LTLSPEC NAME printed := G !(light & call) -> {formula};
             LTLSPEC NAME corrected := (!light & G !(light & call)) -> {formula};"
        ),
    );
    expect(&model, &[("printed", Fails), ("corrected", Holds)]);
}
