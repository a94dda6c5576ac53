//! Chapter 3: modelling for verification.

use crate::{Fails, Holds, expect};

/// E1, figures 12 and 13: a main loop that waits for interrupts to count a timer down, in its intended reading (an
/// interrupt at the return re-enters the handler; what is not assigned keeps its value).
fn interrupts(environment: &str, fairness: &str, properties: &str) -> String {
    format!(
        "MODULE main
         VAR
           mode : {{main, isr}};
           pc : {{la, lb, lc}};
           handler : {{idle, ld, le}};
           timer : 0..3;
         IVAR interrupt : boolean;
         DEFINE returns := mode = isr & (handler = ld & timer = 0 | handler = le);
         ASSIGN
           init(mode) := main; init(pc) := la; init(handler) := idle; init(timer) := 3;
           next(mode) := case
               mode = main & interrupt : isr;
               returns & interrupt     : isr;
               returns                 : main;
               TRUE                    : mode;
             esac;
           next(pc) := case
               mode != main        : pc;
               pc = la & timer = 0 : lc;
               pc = la             : lb;
               pc = lb             : la;
               TRUE                : lc;
             esac;
           next(handler) := case
               mode != isr             : handler;
               handler = idle           : ld;
               handler = ld & timer > 0 : le;
               TRUE                    : idle;
             esac;
           next(timer) := case
               mode = isr & handler = le & timer > 0 : timer - 1;
               TRUE                                 : timer;
             esac;
         {environment}
         {fairness}
         {properties}"
    )
}

#[test]
fn e1_continuous_interrupts_keep_main_from_progress() {
    let properties = "LTLSPEC NAME reaches_c := F pc = lc; INVARSPEC NAME counts := timer >= 0;";
    expect(
        &interrupts("", "", properties),
        &[("reaches_c", Fails), ("counts", Holds)],
    );
}

#[test]
fn e1_without_interrupts_the_timer_never_runs_out() {
    let properties = "LTLSPEC NAME reaches_c := F pc = lc;";
    expect(
        &interrupts("TRANS !interrupt", "", properties),
        &[("reaches_c", Fails)],
    );
}

#[test]
fn e1_infinitely_many_interrupts_and_steps_of_main_reach_the_end() {
    let fairness = "JUSTICE interrupt & mode = main JUSTICE mode = main & !interrupt";
    let properties = "LTLSPEC NAME reaches_c := F pc = lc;";
    expect(&interrupts("", fairness, properties), &[("reaches_c", Holds)]);
}

/// E3, figure 4: the arbiter's truth table. A request is the port asked for, 0 for none.
#[test]
fn e3_the_arbiter_never_grants_one_port_twice_and_alternates() {
    let model = "MODULE main
         VAR priority : boolean;
         IVAR req0 : 0..2; req1 : 0..2;
         DEFINE
           contention := req0 = req1 & req0 != 0;
           grant0 := req0 != 0 & !(contention & priority);
           grant1 := req1 != 0 & !(contention & !priority);
         ASSIGN
           init(priority) := FALSE;
           next(priority) := contention ? !priority : priority;
         LTLSPEC NAME exclusive := G !(contention & grant0 & grant1);
         LTLSPEC NAME somebody := G (contention -> grant0 | grant1);
         LTLSPEC NAME both := G (req0 != 0 & req1 != 0 & req0 != req1 -> grant0 & grant1);
         LTLSPEC NAME alternates := G (contention & grant0 -> X (contention -> grant1));";
    expect(
        model,
        &[
            ("exclusive", Holds),
            ("somebody", Holds),
            ("both", Holds),
            ("alternates", Holds),
        ],
    );
}

/// E3, figure 5 as printed: when a flit comes and another leaves, the counter has to go up and down at once. The relation is
/// then empty; every later property would hold vacuously, and the model checker has to say so.
#[test]
fn e3_the_printed_buffer_contradicts_itself() {
    let buffer = |contradiction: bool| {
        let guard = if contradiction {
            "TRUE"
        } else {
            "!(enqueue & dequeue)"
        };
        format!(
            "MODULE main
             VAR num : 0..8;
             IVAR arrives : boolean; leaves : boolean;
             DEFINE enqueue := arrives & num < 8; dequeue := leaves & num > 0;
             INIT num = 0
             TRANS enqueue & {guard} -> next(num) = num + 1
             TRANS dequeue & {guard} -> next(num) = num - 1
             TRANS enqueue = dequeue & ({guard} -> !enqueue) -> next(num) = num
             CTLSPEC NAME streams := EF EX num = 8;"
        )
    };
    expect(&buffer(false), &[("streams", Holds)]);
    expect(&buffer(true), &[("streams", Holds)]);
    let input = "MODULE main
         VAR num : 0..8; INIT num = 1
         TRANS next(num) = num + 1
         TRANS next(num) = num - 1
         CTLSPEC NAME vacuous := num = 7;";
    expect(input, &[("vacuous", Holds)]);
}
