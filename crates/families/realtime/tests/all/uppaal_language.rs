//! What constructs of UPPAAL's language mean, each in a small model.

use super::uppaal::{decide, parsed};
use entail_clocks::Fault;
use entail_source::Source;
use entail_uppaal::Translation;

pub(crate) fn holds(text: &str, query: &str) -> bool {
    decide(text, query).unwrap_or_else(|fault| panic!("{fault}: {text}"))
}

/// Two processes with three locations each and an edge from the first to the second.
fn pair(declarations: &str, first: &str, second: &str) -> String {
    format!(
        "{declarations}\nprocess P() {{ state A, B, C; init A; trans A -> B {{ {first} }}; }}\nprocess Q() {{ state A, B, C; init A; trans A -> B {{ {second} }}; }}\nsystem P, Q;\n"
    )
}

#[test]
fn a_binary_channel_takes_one_receiver_and_a_broadcast_all_that_can() {
    let text = pair("chan c;", "sync c!;", "sync c?;");
    assert!(holds(&text, "E<> P.B && Q.B") && !holds(&text, "E<> P.B && Q.A"));
    let text = pair("broadcast chan c;", "sync c!;", "sync c?;");
    assert!(holds(&text, "A[] P.B imply Q.B") && holds(&text, "E<> P.B"));
    let text = pair(
        "broadcast chan c; int n;",
        "sync c!; assign n = 1;",
        "guard n > 0; sync c?;",
    );
    assert!(holds(&text, "E<> P.B && Q.A") && !holds(&text, "E<> Q.B"));
}

#[test]
fn a_broadcast_is_heard_exactly_when_the_receivers_clock_guard_holds() {
    let text = pair("broadcast chan c; clock x;", "sync c!;", "guard x >= 2; sync c?;");
    assert!(holds(&text, "E<> P.B && Q.A && x < 2") && holds(&text, "E<> P.B && Q.B && x >= 2"));
    assert!(!holds(&text, "E<> Q.B && x < 2"));
    let text = pair(
        "broadcast chan c; clock x, y;",
        "sync c!; assign y = 0;",
        "guard x >= 2 && x <= 3; sync c?;",
    );
    assert!(
        holds(&text, "E<> P.B && Q.A && y == 0 && x > 3")
            && !holds(&text, "E<> P.B && Q.A && y == 0 && x == 3")
    );
}

#[test]
fn time_stops_where_an_urgent_channel_is_ready_and_nowhere_else() {
    let text = pair("urgent chan c; clock x;", "sync c!;", "sync c?;");
    assert!(!holds(&text, "E<> P.A && x > 0") && holds(&text, "E<> P.B && x > 5"));
    let text = pair(
        "urgent chan c; clock x; int n;",
        "guard n == 1; sync c!;",
        "sync c?;",
    );
    assert!(holds(&text, "E<> P.A && x > 0"));
}

#[test]
fn updates_run_from_sender_to_receiver() {
    let text = pair(
        "chan c; int n, m;",
        "sync c!; assign n = 3;",
        "sync c?; assign m = n + 1;",
    );
    assert!(holds(&text, "A[] P.B imply m == 4"));
}

#[test]
fn committed_locations_go_first() {
    let text = "int n;\nprocess P() { state A, B; commit A; init A; trans A -> B { assign n = 1; }; }\nprocess Q() { state A, B; init A; trans A -> B { assign n = n * 2; }; }\nsystem P, Q;";
    assert!(holds(text, "A[] Q.B imply n == 2"));
}

#[test]
fn priorities_keep_lower_steps_waiting_while_a_higher_one_is_enabled() {
    let text = "chan a, b; clock x;\nchan priority a < default < b;\nprocess P() { state S, A, B; init S; trans S -> A { sync a!; }, S -> B { guard x >= 2; sync b!; }; }\nprocess Q() { state S; init S; trans S -> S { sync a?; }, S -> S { sync b?; }; }\nsystem P, Q;";
    assert!(holds(text, "E<> P.A") && holds(text, "E<> P.B"));
    let reset = text.replace(
        "S -> A { sync a!; }",
        "S -> A { guard x >= 1; sync a!; assign x = 7; }",
    );
    // `a` only while x < 2.
    assert!(holds(&reset, "E<> P.A && x == 7"));
    let late = text.replace("S -> A { sync a!; }", "S -> A { guard x >= 2; sync a!; }");
    assert!(!holds(&late, "E<> P.A"));
    let processes = "int n;\nprocess P() { state A, B; init A; trans A -> B { guard n == 0; assign n = 1; }; }\nprocess Q() { state A, B; init A; trans A -> B { guard n == 0; assign n = 2; }; }\nsystem P < Q;";
    assert!(!holds(processes, "E<> P.B") && holds(processes, "E<> Q.B"));
}

#[test]
fn functions_have_loops_locals_and_parameters_by_reference() {
    let text = "const int N = 4; int a[N] = { 3, 1, 2, 0 }; int least;\n\
        void swap(int &u, int &v) { int t = u; u = v; v = t; }\n\
        void sort() { int i, j; for (i = 0; i < N; i++) for (j = 0; j + 1 < N; j++) if (a[j] > a[j + 1]) swap(a[j], a[j + 1]); }\n\
        int total() { int s = 0; for (k : int[0, N - 1]) s += a[k]; return s; }\n\
        bool sorted() { int i = 0; while (i < N - 1) { if (a[i] > a[i + 1]) return false; i++; } return true; }\n\
        process P() { state A, B; init A; trans A -> B { guard !sorted(); assign sort(), least = a[0]; }; }\nsystem P;";
    assert!(holds(text, "A[] P.B imply (sorted() && a[3] == 3 && least == 0)") && holds(text, "E<> P.B"));
    assert!(holds(text, "A[] total() == 6") && holds(text, "E<> exists (i : int[0, 3]) a[i] == i && P.B"));
}

#[test]
fn a_name_means_what_was_declared_last_before_it() {
    // The function knows the global `n` and the type `t` of its time; the edge knows the template's.
    let text = "int n = 1; typedef int[0, 3] t;\n\
        int late() { return n; }\n\
        process P() { int seen() { t v = 3; return n + v; } void put() { n = 2; } int n = 7; typedef int[0, 1] t;\n\
        int mine() { return n; } int a, b, c;\n\
        state A, B; init A; trans A -> B { assign put(), a = seen(), b = mine(), c = n + late(); }; }\nsystem P;";
    assert!(holds(
        text,
        "A[] P.B imply (P.a == 5 && P.b == 7 && P.c == 9 && n == 2)"
    ));
}

#[test]
fn records_typedefs_selections_and_templates_with_parameters_left() {
    let text = "typedef int[0, 2] id_t; typedef struct { id_t who; bool busy; } job_t; job_t jobs[id_t]; chan go[id_t];\n\
        process P(const id_t id, int &count) { job_t mine; state A, B; init A; trans A -> B { select k : id_t; guard k != id; sync go[k]!; assign mine.who = k, mine.busy = true, jobs[id] = mine, count++; }; }\n\
        process Q(id_t id) { state A, B; init A; trans A -> B { sync go[id]?; }; }\n\
        int total; R(const id_t id) = P(id, total);\nsystem R, Q;";
    assert!(
        holds(text, "E<> R(0).B && jobs[0].who == 2 && Q(2).B")
            && !holds(text, "E<> jobs[1].who == 1 && jobs[1].busy")
    );
    assert!(holds(text, "A[] forall (i : id_t) (Q(i).B imply total > 0)"));
}

#[test]
fn a_value_out_of_its_range_and_an_index_beyond_an_array_are_mistakes_of_the_model() {
    let text =
        "int[0, 2] n;\nprocess P() { state A; init A; trans A -> A { assign n = n + 1; }; }\nsystem P;";
    assert!(matches!(
        decide(text, "E<> n > 7"),
        Err(Fault::Range { value: 3, .. })
    ));
    let text = "int a[2]; int i;\nprocess P() { state A; init A; trans A -> A { guard i < 3; assign a[i] = 1, i++; }; }\nsystem P;";
    assert!(matches!(
        decide(text, "A[] i < 9"),
        Err(Fault::Index { index: 2, size: 2 })
    ));
}

#[test]
fn clocks_in_arrays_and_records_and_functions_that_set_them() {
    let text = "typedef struct { clock c; int n; } timer_t; timer_t t[2]; clock x[3];\n\
        void reset(int i) { t[i].c = 0; t[i].n = t[i].n + 1; x[i] = 5; }\n\
        process P() { state A { t[1].c <= 4 }, B; init A; trans A -> B { guard t[1].c >= 2; assign reset(1); }; }\nsystem P;";
    assert!(holds(
        text,
        "E<> P.B && t[1].c == 0 && t[0].c == 2 && t[1].n == 1 && x[1] == 5"
    ));
    assert!(!holds(text, "E<> P.A && t[1].c > 4") && !holds(text, "E<> P.B && t[0].c < 2"));
}

#[test]
fn invariants_may_depend_on_integers() {
    let text = "bool on; clock x;\nprocess P() { state A { on imply x <= 3 }; init A; trans A -> A { guard x >= 1; assign on = true; }; }\nsystem P;";
    assert!(holds(text, "A[] on imply x <= 3") && holds(text, "E<> x > 100"));
}

#[test]
fn a_deadlock_is_a_state_from_which_no_waiting_helps() {
    let text = "clock x;\nprocess P() { state A { x <= 5 }, B; init A; trans A -> B { guard x >= 2 && x <= 3; }; }\nsystem P;";
    assert!(holds(text, "E<> deadlock && P.A") && !holds(text, "E<> deadlock && P.A && x <= 3"));
    assert!(holds(text, "A[] P.B imply deadlock") && holds(text, "E<> !deadlock && x == 3"));
    let text = "clock x, y;\nprocess P() { state A { x <= 5 }, B; init A; trans A -> B { guard x == 5; }, A -> A { guard x >= 1; assign y = 0; }, B -> A { assign x = 0; }; }\nsystem P;";
    assert!(holds(text, "A[] not deadlock"));
    // The target's invariant keeps the step from being taken.
    let text =
        "clock x;\nprocess P() { state A, B { x <= 1 }; init A; trans A -> B { guard x >= 2; }; }\nsystem P;";
    assert!(holds(text, "A[] deadlock"));
    let text = "clock x;\nprocess P() { state A, B { x <= 1 }; urgent A; init A; trans A -> B { guard x >= 1; }; }\nsystem P;";
    assert!(holds(text, "A[] deadlock"));
}

#[test]
fn maximal_runs_are_infinite_or_end_in_a_deadlock_or_wait_for_ever() {
    // Nothing forces the step: the run waits for ever.
    let text = "clock x;\nprocess P() { state A, B; init A; trans A -> B { }; }\nsystem P;";
    assert!(holds(text, "E[] P.A") && !holds(text, "A<> P.B") && holds(text, "A<> P.A"));
    // The invariant does.
    let text =
        "clock x;\nprocess P() { state A { x <= 3 }, B; init A; trans A -> B { guard x >= 1; }; }\nsystem P;";
    assert!(!holds(text, "E[] P.A") && holds(text, "A<> P.B"));
    // But not if the step may be missed: time stops in A at 3.
    let text =
        "clock x;\nprocess P() { state A { x <= 3 }, B; init A; trans A -> B { guard x <= 2; }; }\nsystem P;";
    assert!(holds(text, "E[] P.A") && !holds(text, "A<> P.B"));
    // Steps without time passing are steps.
    let text = "clock x;\nprocess P() { state A { x <= 3 }, B; init A; trans A -> B { guard x == 3; }, A -> A { }; }\nsystem P;";
    assert!(holds(text, "E[] P.A && x < 1"));
    // Urgent locations end where no step is possible.
    let text =
        "int n;\nprocess P() { state A, B; urgent A, B; init A; trans A -> B { assign n = 1; }; }\nsystem P;";
    assert!(holds(text, "A<> P.B") && holds(text, "A<> n == 1") && !holds(text, "E[] n == 0"));
}

#[test]
fn clocks_in_conditions_on_runs_count_at_every_moment() {
    let text = "clock x;\nprocess P() { state A { x <= 5 }; init A; trans A -> A { guard x >= 4; assign x = 0; }; }\nsystem P;";
    assert!(holds(text, "A<> x > 3") && holds(text, "A<> x == 4") && !holds(text, "A<> x > 4"));
    assert!(holds(text, "E[] x <= 4") && !holds(text, "E[] x < 4"));
    // Parts that meet, with and without a common moment; and a gap.
    assert!(holds(text, "E[] x < 2 || x >= 2") && holds(text, "E[] x <= 2 || x >= 1"));
    assert!(!holds(text, "E[] x < 2 || x > 2") && holds(text, "A<> x == 2"));
    assert!(holds(text, "x == 1 --> x == 3") && !holds(text, "x == 1 --> x > 4"));
    assert!(holds(text, "x >= 4 --> x == 0 || x == 5"));
    // Differences, beside other comparisons: x − y is 0 in A and 2 in B.
    let text = "clock x, y;\nprocess P() { state A { x <= 2 }, B { x <= 5 }; init A; trans A -> B { guard x == 2; assign y = 0; }, B -> A { guard x >= 4; assign x = 0, y = 0; }; }\nsystem P;";
    assert!(holds(text, "E[] x - y < 1 || x >= 2") && !holds(text, "E[] x - y < 1 || x >= 4"));
    assert!(!holds(text, "A<> x - y > 1 && x < 1") && holds(text, "A<> x - y > 1 && x == 3"));
    assert!(holds(text, "x - y > 1 --> x - y < 1 && x == 1"));
}

#[test]
fn what_leads_to_something_does_so_whenever_it_happens() {
    // The second fault may loop.
    let text = "bool repaired;\nclock x;\n\
        process P() { state Busy, Fault { x <= 5 }, Recover { x <= 7 }, Workaround { x <= 9 }; init Busy; trans\n\
        Busy -> Fault { assign x = 0; }, Fault -> Recover { guard x >= 1; }, Recover -> Busy { REPAIR },\n\
        Fault -> Workaround { guard repaired; }, Workaround -> Fault { assign x = 0; }; }\nsystem P;";
    let good = text.replace("REPAIR", "");
    let bad = text.replace("REPAIR", "assign repaired = true;");
    assert!(holds(&good, "P.Fault --> P.Recover") && !holds(&bad, "P.Fault --> P.Recover"));
    assert!(!holds(&good, "P.Recover --> P.Fault") && holds(&good, "P.Busy && P.Fault --> repaired"));
    assert!(holds(&bad, "P.Recover --> P.Busy"));
}

#[test]
fn every_step_does_what_stands_before_and_after_updates() {
    let text = "int n, twice, before; chan c;
        before_update { before = n }
        after_update { twice = 2 * n, n = n > 3 ? 0 : n }
        process P() { state A; init A; trans A -> A { assign n++; }, A -> A { guard n > 1; sync c!; assign n = n + 2; }; }
        process Q() { state A; init A; trans A -> A { sync c?; assign n--; }; }
        system P, Q;";
    assert!(holds(text, "A[] n <= 3 && twice <= 8"));
    assert!(holds(text, "E<> twice == 8 && n == 0 && before == 3"));
    // Both edges of a pair have moved before what follows: 2 + 2 - 1.
    assert!(holds(text, "E<> before == 2 && n == 3 && twice == 6"));
    assert!(!holds(text, "E<> twice == 7"));
    let broadcast = text.replace("chan c;", "broadcast chan c;");
    let parsed = parsed(&broadcast);
    let problems = Translation::new(&parsed.model, "m").err().expect("refused");
    assert!(problems.0[0].message.contains("beside receivers of broadcasts"));
    assert_eq!(broadcast.find("before_update"), Some(problems.0[0].span().start));
}

#[test]
fn an_index_that_changes_something_is_evaluated_once() {
    let text = "int[0, 3] length; int list[4]; int at() { length++; return length - 1; }
        void put(int e) { list[length++] = e; }
        process P() { state A, B, C; init A; trans A -> B { assign put(7), list[length++] = 8; }, B -> C { assign list[at()] = 9; }; }
        system P;";
    assert!(holds(
        text,
        "E<> P.C && length == 3 && list[0] == 7 && list[1] == 8 && list[2] == 9"
    ));
    assert!(holds(text, "A[] P.B imply length == 2 && list[2] == 0"));
}

#[test]
fn parts_that_are_not_evaluated_change_nothing() {
    let text = "int n, m; bool f; clock x;
        int up() { return ++n; }
        void reset(int &k) { k = 0; x = 0; }
        process P() { state A, B; init A; trans
        A -> B { assign f = false && up() > 0, f = f || up() > 0, m = f imply up() == 2, m = m + (n > 5 ? up() : 10 * up()); },
        B -> A { guard n < 9; assign n > 3 ? reset(m) : reset(n); }; }
        system P;";
    assert!(holds(text, "E<> P.B && n == 3 && m == 31 && f"));
    assert!(!holds(text, "E<> P.B && m == 30"));
    assert!(holds(text, "E<> P.A && n == 0 && m == 31 && x == 0"));
    let early = "clock x, y; int n;
        int f(int v) { if (v == 0) { x = 0; return 7; } while (v > 0) { v--; y = v; } return v; }
        process P() { state A { x <= 3 }, B; init A; trans A -> B { guard x == 3; assign n = f(0); }, A -> B { guard x == 2; assign n = f(2); }; }
        system P;";
    assert!(holds(early, "E<> P.B && n == 7 && x == 0 && y == 3"));
    assert!(holds(early, "E<> P.B && n == 0 && x == 2 && y == 0"));
    assert!(!holds(early, "E<> P.B && n == 7 && x > 0 && x == y"));
}

#[test]
fn a_mistake_is_told_with_its_edge_or_location() {
    let text = "clock x; process Train() { state Near { x <= far }, Gone; init Near; trans Near -> Gone { guard z > 2; }; } system Train;";
    let label = |text: &str| {
        let problems = Translation::new(&parsed(text).model, "m").err().expect("refused");
        problems.0[0].labels[0].message.clone()
    };
    assert_eq!(label(text), "at the location Near of `Train`");
    assert_eq!(
        label(&text.replace("far", "9")),
        "on the edge Near → Gone of `Train`"
    );
}

#[test]
fn an_index_is_beyond_its_array_only_where_the_step_is_taken() {
    let text = "bool used[2]; clock x;
        process P(const int id) { state A, B; init A; trans A -> B { guard id < 2; assign used[id] = true; }; }
        P0 = P(0); P5 = P(5); system P0, P5;";
    assert!(holds(text, "E<> used[0]"));
    assert!(holds(text, "A[] P5.A"));
    let wrong = text.replace("guard id < 2;", "");
    assert!(matches!(
        decide(&wrong, "E<> P0.B && P5.B"),
        Err(Fault::Index { index: 5, size: 2 })
    ));
    let literal = text.replace("used[id] = true", "used[7] = true");
    let problems = Translation::new(&parsed(&literal).model, "m")
        .err()
        .expect("refused");
    assert!(
        problems.0[0]
            .message
            .contains("the index 7 is beyond an array of 2")
    );
}

#[test]
fn queries_call_functions_of_processes() {
    let text = "int[0, 1] n;
        process P(const int[0, 1] id) { int k = id; bool mine() { return n == id && k == id; } state A; init A; trans A -> A { assign n = id; }; }
        system P;";
    assert!(holds(text, "E<> P(1).mine()"));
    assert!(holds(text, "A[] P(0).mine() xor P(1).mine()"));
    assert!(!holds(text, "A[] exists (i : int[0, 1]) i == 1 && P(i).mine()"));
    let query = entail_uppaal::queries(&Source::new("q", "E<> P(1).theirs()")).expect("a query");
    let problem = Translation::new(&parsed(text).model, "m")
        .expect("a model")
        .query(&query[0]);
    assert!(problem.expect_err("refused").message.contains("`theirs`"));
}

#[test]
fn powers_are_products_and_associate_as_in_the_manual() {
    let text = "const int N = 3 + 2 ** 3; int[0, 100] n = 2; typedef int[0, 2 ** 3 - 1] t;
        process P() { state A, B; init A; trans A -> B { guard n ** 3 == 8 && N == 11; assign n = n ** 5 + 3 * 2 ** 2; }; }
        system P;";
    assert!(holds(text, "E<> n == 44 && (exists (i : t) i == 7)"));
    let variable = text.replace("n ** 5", "n ** n");
    let problems = Translation::new(&parsed(&variable).model, "m")
        .err()
        .expect("refused");
    assert!(
        problems.0[0]
            .message
            .contains("powers whose exponent is no constant")
    );
}

#[test]
fn hybrid_clocks_are_left_out_where_nothing_depends_on_them() {
    let text = "clock x; hybrid clock fuel = 4.5, heat[2];
        process P() { state A { x <= 3 && fuel' == 0.5 * x && heat[1]' == 2 }, B; init A; trans A -> B { guard x >= 2; assign fuel = 1.5, heat[0] = 0, x = 0; }; }
        system P;";
    assert!(holds(text, "E<> P.B && x == 0"));
    assert!(!holds(text, "E<> P.A && x > 3"));
    let guarded = text.replace("x >= 2", "fuel >= 2");
    let problems = Translation::new(&parsed(&guarded).model, "m")
        .err()
        .expect("refused");
    assert!(problems.0[0].message.contains("depends on a hybrid clock"));
}
