//! The four surveys: examples that finite models can express.

use crate::{Fails, Holds, expect};

/// Mutual exclusion without fairness: safe, but nobody is bound to enter.
#[test]
fn mutual_exclusion_is_safe_and_not_live_without_fairness() {
    let model = "MODULE user(other)
         VAR at : {neutral, trying, critical};
         ASSIGN init(at) := neutral;
         next(at) := case
             at = neutral                                              : {neutral, trying};
             at = trying & other.at != critical & !other.goes          : {trying, critical};
             at = critical                                             : {critical, neutral};
             TRUE                                                      : at;
           esac;
         DEFINE goes := at = trying & first;
         VAR first : boolean;
         MODULE main
         VAR a : user(b); b : user(a);
         INVAR a.first != b.first
         TRANS !(next(a.at) = critical & next(b.at) = critical)
         CTLSPEC NAME safe := AG !(a.at = critical & b.at = critical);
         CTLSPEC NAME live := AG (AF a.at = critical & AF b.at = critical);";
    expect(model, &[("safe", Holds), ("live", Fails)]);
}

/// Peterson's protocol with phases, one process moving at a time, both infinitely often.
#[test]
fn peterson_has_no_deadlock_and_every_trying_process_enters() {
    let process = |me: usize| {
        let other = 1 - me;
        format!(
            "next(p{me}) := case
                 who != {me}                                          : p{me};
                 p{me} = idle                                         : {{idle, trying}};
                 p{me} = trying & !(request{other} & turn = {other})  : critical;
                 p{me} = critical                                     : idle;
                 TRUE                                                 : p{me};
               esac;
             next(request{me}) := case
                 who != {me} : request{me};
                 TRUE        : next(p{me}) != idle;
               esac;
             init(p{me}) := idle; init(request{me}) := FALSE;"
        )
    };
    let model = format!(
        "MODULE main
         VAR p0 : {{idle, trying, critical}}; p1 : {{idle, trying, critical}};
             request0 : boolean; request1 : boolean; turn : 0..1;
         IVAR who : 0..1;
         ASSIGN {} {}
         next(turn) := case
             who = 0 & p0 = idle & next(p0) = trying : 1;
             who = 1 & p1 = idle & next(p1) = trying : 0;
             TRUE                                    : turn;
           esac;
         JUSTICE who = 0
         JUSTICE who = 1
         JUSTICE p0 != critical | who = 0
         CTLSPEC NAME no_deadlock := !EF AX FALSE;
         CTLSPEC NAME exclusion := AG !(p0 = critical & p1 = critical);
         CTLSPEC NAME enters0 := AG (p0 = trying -> A [p0 = trying U p0 = critical]);
         CTLSPEC NAME enters1 := AG (p1 = trying -> A [p1 = trying U p1 = critical]);",
        process(0),
        process(1)
    );
    expect(
        &model,
        &[
            ("no_deadlock", Holds),
            ("exclusion", Holds),
            ("enters0", Holds),
            ("enters1", Holds),
        ],
    );
}

/// Labelling for E[a U b] and A[a U b]: s0{a} → s1, s2; s1{a} stays; s2{a} → s3; s3{b} stays.
#[test]
fn until_labels_the_states_the_survey_names() {
    let model = |start: u8, properties: &str| {
        format!(
            "MODULE main
             VAR s : 0..3;
             INIT s = {start}
             TRANS s = 0 & next(s) in {{1, 2}} | s = 1 & next(s) = 1 | s = 2 & next(s) = 3 | s = 3 & next(s) = 3
             DEFINE a := s < 3; b := s = 3;
             {properties}"
        )
    };
    let properties = "CTLSPEC NAME some := E [a U b]; CTLSPEC NAME all := A [a U b];";
    expect(&model(0, properties), &[("some", Holds), ("all", Fails)]);
    expect(&model(1, properties), &[("some", Fails), ("all", Fails)]);
    expect(&model(2, properties), &[("some", Holds), ("all", Holds)]);
    expect(&model(3, properties), &[("some", Holds), ("all", Holds)]);
}

/// The traffic light, and its abstraction that merges green and yellow.
#[test]
fn the_traffic_light_is_live_but_its_abstraction_is_not() {
    let concrete = "MODULE main
         VAR light : {red, green, yellow};
         ASSIGN init(light) := red;
         next(light) := case light = red : green; light = green : yellow; TRUE : red; esac;
         CTLSPEC NAME stops := AG AF light = red;";
    expect(concrete, &[("stops", Holds)]);
    let abstraction = "MODULE main
         VAR light : {red, go};
         ASSIGN init(light) := red;
         next(light) := case light = red : go; TRUE : {red, go}; esac;
         CTLSPEC NAME stops := AG AF light = red;";
    expect(abstraction, &[("stops", Fails)]);
}

/// The bus arbiter: every request is granted, whichever bus is chosen.
#[test]
fn the_bus_arbiter_grants_every_request() {
    let model = "MODULE main
         VAR at : {idle, request, a, b, c, d, e, f, grant};
         ASSIGN init(at) := idle;
         next(at) := case
             at = idle : {idle, request};
             at = request : {a, d};
             at = a : b; at = b : c; at = c : grant;
             at = d : e; at = e : f; at = f : grant;
             TRUE : idle;
           esac;
         CTLSPEC NAME granted := AG (at = request -> AF at = grant);";
    expect(model, &[("granted", Holds)]);
}

/// The dualities of CTL's fixpoint characterisations, on every state of an unconstrained model.
#[test]
fn until_through_exists_until_and_exists_globally() {
    let model = "MODULE main
         VAR p : boolean; q : boolean;
         CTLSPEC NAME duality := A [p U q] <-> !E [!q U (!p & !q)] & !EG !q;
         CTLSPEC NAME unfold := AG (E [p U q] <-> q | p & EX E [p U q]);
         CTLSPEC NAME always := AG (AG p <-> p & AX AG p);";
    expect(model, &[("duality", Holds), ("unfold", Holds), ("always", Holds)]);
}
