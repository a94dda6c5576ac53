//! Chapter 13: abstraction and refinement. (What is about Kripke modal transition systems, quotients and simulation is tested beside those.)

use crate::{Fails, Holds, Verdict, expect, rounds};

/// E1: two processes and a flag. State by state: 8 reachable states.
const MUTEX: &str = "MODULE main
     VAR p1 : {n, t, c}; p2 : {n, t, c}; flag : boolean;
     IVAR who : 1..2;
     ASSIGN
       init(p1) := n; init(p2) := n; init(flag) := TRUE;
       next(p1) := case who != 1 : p1; p1 = n : t; p1 = t & flag : c; p1 = c : n; TRUE : p1; esac;
       next(p2) := case who != 2 : p2; p2 = n : t; p2 = t & flag : c; p2 = c : n; TRUE : p2; esac;
       next(flag) := case
         who = 1 & p1 = t & flag | who = 2 & p2 = t & flag : FALSE;
         who = 1 & p1 = c | who = 2 & p2 = c               : TRUE;
         TRUE                                              : flag;
       esac;
     -- A step of a process that cannot move is none.
     TRANS who = 1 -> !(p1 = t & !flag)
     TRANS who = 2 -> !(p2 = t & !flag)";

#[test]
fn the_mutex_and_its_properties() {
    let model = format!(
        "{MUTEX}
         CTLSPEC NAME exclusion := AG !(p1 = c & p2 = c);
         CTLSPEC NAME live := AG (p1 = t -> AF p1 = c);
         CTLSPEC NAME flag := AG (flag <-> (p1 != c & p2 != c));
         LTLSPEC NAME waits := G (p1 = n -> (p1 = t) V (p1 != c | p1 = t));
         CTLSPEC NAME again := AG EF (p1 = n & p2 = n & flag);
         CTLSPEC NAME calm := EG AF flag;"
    );
    let expected = [
        ("exclusion", Holds),
        ("live", Fails),
        ("flag", Holds),
        ("waits", Holds),
        ("again", Holds),
        ("calm", Holds),
    ];
    expect(&model, &expected);
}

/// E4: about one process, what the other does is of no concern: the first abstraction has the answer.
#[test]
fn a_property_of_one_process_is_proved_without_the_other() {
    let model = format!("{MUTEX}\nLTLSPEC G (p1 = n -> (p1 = t) V (p1 != c | p1 = t))");
    let (verdict, seen) = rounds(&model, "cegar");
    assert_eq!(verdict, Holds);
    assert_eq!(seen.len(), 1);
    assert_eq!(seen[0].kept, ["p1"]);
}

/// E4: `AG (T1 -> AF C1)` fails on the abstraction, and the counterexample is real.
#[test]
fn an_abstract_counterexample_that_is_real() {
    let model = format!("{MUTEX}\nLTLSPEC G (p1 = t -> F p1 = c)");
    let (verdict, _) = rounds(&model, "cegar");
    assert_eq!(verdict, Fails);
}

/// E5: red is followed by green, yellow, red. With red and not-red alone, not-red may stay for ever; that is spurious.
#[test]
fn the_traffic_light_needs_a_second_look() {
    let model = "MODULE main
         VAR light : {red, green, yellow};
         INIT light = red
         TRANS (light = red & next(light) = green) | (light = green & next(light) = yellow)
             | (light = yellow & next(light) = red)
         LTLSPEC NAME again := G F light = red;
         CTLSPEC NAME again_ctl := AG AF light = red;";
    expect(model, &[("again", Holds), ("again_ctl", Holds)]);
    let (verdict, seen) = rounds(model, "predicates");
    assert_eq!(verdict, Holds);
    assert_eq!(seen[0].kept, ["light = red"]);
    assert!(seen[0].found.contains("lasso"), "{seen:?}");
    assert!(seen[0].outcome.contains("spurious"), "{seen:?}");
    assert!(seen.len() > 1);
}

/// The bus arbiter of the surveys: after a request one of two buses is chosen, three signals follow, then the grant.
#[test]
fn the_bus_arbiter_grants() {
    let model = "MODULE main
         VAR at : {idle, request, a, b, c, d, e, f, grant};
         INIT at = idle
         TRANS
           (at = idle & next(at) in {idle, request}) | (at = request & next(at) in {a, d})
           | (at = a & next(at) = b) | (at = b & next(at) = c) | (at = c & next(at) = grant)
           | (at = d & next(at) = e) | (at = e & next(at) = f) | (at = f & next(at) = grant)
           | (at = grant & next(at) = idle)
         LTLSPEC NAME served := G (at = request -> F at = grant);
         CTLSPEC NAME served_ctl := AG (at = request -> AF at = grant);";
    expect(model, &[("served", Holds), ("served_ctl", Holds)]);
    let (verdict, seen) = rounds(model, "predicates");
    assert_eq!(verdict, Holds);
    assert!(
        seen.len() > 1,
        "merging the intermediate states is too coarse: {seen:?}"
    );
}

/// SplitPATH as in the surveys: 1..12 in four classes of three; the abstract path through all four dies in the third.
#[test]
fn a_path_that_dies_in_its_third_class() {
    let model = "MODULE main
         VAR x : 1..12; last : boolean;
         INIT x in 1..3 & !last
         TRANS (x = 1 & next(x) = 4) | (x = 2 & next(x) = 5) | (x = 3 & next(x) = 6) | (x = 6 & next(x) = 9)
             | (x = 7 & next(x) = 10) | (x in {4, 5, 8, 9, 10, 11, 12} & next(x) = x)
         TRANS next(last) = (x in {7, 8, 9} & next(x) in {10, 11, 12})
         INVARSPEC NAME third := !last;";
    expect(model, &[("third", Holds)]);
    let (verdict, seen) = rounds(model, "predicates");
    assert_eq!(verdict, Holds);
    assert!(seen.len() > 1);
}

/// A formula that is not about all paths is not for an abstraction that has more of them.
#[test]
fn existential_truths_are_not_transferred() {
    let model = format!("{MUTEX}\nCTLSPEC EF (p1 = t & EG p1 != c)");
    for engine in ["cegar", "predicates"] {
        let (verdict, _) = rounds(&model, engine);
        assert_eq!(verdict, Verdict::Unknown);
    }
}
