//! Machine code beside the interpreter: the same states, verdicts and runs, whatever goes wrong.

use entail_explicit::{MachineCode, SearchOptions};
use entail_programs::{Preprocessing, ProgramModel};
use entail_source::Source;
use std::path::Path;
use told::{Outcome, ProgramRequest, check_program};

use crate::random_programs;
use crate::told;

/// So many milliseconds are spent on a model, and a while longer to compare.
const MOST: u64 = 1_500;

/// The answers to everything that is asked, without reduction.
fn outcomes(model: &ProgramModel, machine_code: MachineCode, milliseconds: u64) -> Vec<Outcome> {
    let request = ProgramRequest {
        requirements: (0..model.requirements().len()).collect(),
        options: SearchOptions {
            reduction: false,
            machine_code,
            ..SearchOptions::default()
        },
        timeout: Some(std::time::Duration::from_millis(milliseconds)),
    };
    check_program(model, &request).unwrap_or_else(|error| panic!("{error}"))
}

/// Compares both, and gives the reason and the number of states of the first answer.
fn compared(name: &str, model: &ProgramModel) -> (Option<String>, u64) {
    let interpreted = outcomes(model, MachineCode::Never, MOST);
    if interpreted.iter().all(|outcome| outcome.holds.is_none()) {
        return (interpreted[0].reason.clone(), interpreted[0].states);
    }
    let compiled = outcomes(model, MachineCode::Always, 20 * MOST);
    assert_eq!(interpreted.len(), compiled.len());
    for (left, right) in interpreted.iter().zip(&compiled) {
        let told = |outcome: &Outcome| {
            let counts = (outcome.states, outcome.transitions, outcome.depth);
            (outcome.holds, outcome.reason.clone(), counts, outcome.run.clone())
        };
        if left.holds.is_some() {
            assert_eq!(told(left), told(right), "{name}");
        }
    }
    (interpreted[0].reason.clone(), interpreted[0].states)
}

fn read(text: &str) -> ProgramModel {
    ProgramModel::read(Source::new("model.pml", text)).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

#[test]
fn random_programs_have_the_same_states_either_way() {
    for seed in 5_000..5_150 {
        let text = random_programs::program(seed);
        compared(&text, &read(&text));
    }
}

/// What goes wrong is said by the interpreter, after the same steps.
#[test]
fn faults_are_the_same_either_way() {
    let table = [
        (
            "byte x = 3; active proctype p() { do :: x > 0 -> x = x - 1 :: x = 6 / x od }",
            "division by zero",
        ),
        (
            "int x = 3; active proctype p() { do :: x = x - 1 :: x = 7 % x od }",
            "division by zero",
        ),
        (
            "byte a[3]; byte i; active proctype p() { do :: a[i] = i; i = i + 1 od }",
            "index 3 is outside",
        ),
        (
            "byte a[3]; short i; active proctype p() { do :: a[i] == 0 -> i = i - 1 od }",
            "index -1 is outside",
        ),
        (
            "byte x; active [2] proctype p() { do :: x < 9 -> x++ :: assert(x != 5) od }",
            "assertion violated",
        ),
        (
            "byte x; active proctype p() { do :: x < 9 -> x++ :: d_step { x > 4; x > 6; x = 0 } od }",
            "d_step blocks",
        ),
        (
            "byte x; active proctype p() { x = 1; d_step { x == 1; do :: x = 1 - x od } }",
            "can go on for ever",
        ),
        (
            "chan c; byte x; active proctype p() { do :: x < 4 -> x++ :: x == 4 -> c!1 od }",
            "uninitialized channel",
        ),
        (
            "chan c; byte x; active proctype p() { do :: x < 4 -> x++ :: x == 4 -> c?x od }",
            "uninitialized channel",
        ),
        (
            "chan c = [2] of { byte, byte }; chan d = [2] of { byte }; chan e; byte x; active proctype p() { e = d; c!1,2; e!x; e = c; e?x }",
            "fields",
        ),
    ];
    for (text, expected) in table {
        let (reason, _) = compared(text, &read(text));
        assert!(reason.is_some_and(|reason| reason.contains(expected)), "{text}");
    }
}

/// All operators on all kinds of variables.
#[test]
fn values_are_the_same_either_way() {
    let operators = [
        "+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", "==", "!=", "<", "<=", ">", ">=", "&&", "||",
    ];
    let kinds = [
        "bit",
        "byte",
        "short",
        "int",
        "unsigned u : 3,",
        "unsigned u : 11,",
        "unsigned u : 21,",
    ];
    for kind in kinds {
        let (kind, name) = match kind.strip_suffix(',') {
            Some(declaration) => (declaration.to_owned(), "u"),
            None => (format!("{kind} v"), "v"),
        };
        let mut text = format!("{kind}[1]; int x; byte a[4]; short b[3]; int n;\n",).replace("[1]", "");
        text += "active proctype p() { byte k; int y; do\n";
        for operator in operators {
            text += &format!(
                ":: n < 3 -> n++; {name} = (x {operator} (y + 2)); x = x + {name} - 40; a[k % 4] = x; y = ~a[(k + 1) % 4]\n"
            );
            text += &format!(
                ":: n < 3 -> n++; b[n % 3] = (({name} > 1 && b[0] / (k + 1) < 3) -> -x : (x {operator} 3)); x = b[1] * 300; k++\n"
            );
        }
        text += "od }";
        let (_, states) = compared(&text, &read(&text));
        assert!(states > 1_000, "{states}");
    }
}

/// Channels of several kinds and sizes, in atomic and deterministic sequences, polled, kept, sorted, and received from anywhere.
#[test]
fn messages_are_the_same_either_way() {
    let text = "
        mtype = { go, stop }; chan a = [1] of { mtype, byte, short }; chan b = [1] of { byte }; chan m = [0] of { mtype, byte };
        chan s = [1] of { byte }; chan names[2] = [1] of { byte }; byte g; bit flag;
        active proctype sender() { byte k; mtype what; end: do
            :: k < 2 -> atomic { a!go,k,0 - k; k++ } :: nfull(b) -> b!k :: m!stop(k) :: k == 2 -> d_step { k = 0; what = stop }
            :: atomic { s!!(2 - k); names[k % 2]!k } :: a!what,k,g od }
        active proctype receiver() { byte x; short y; end: do
            :: a?go,x,y :: a?stop,x,eval(g) :: b?x -> g = x % 2 :: m?stop,x :: m?go,x :: a?[go,x,0] -> flag = 1 - flag
            :: s??1 :: s?<x> :: names[flag]?x :: len(a) == 1 && empty(b) -> d_step { if :: x > 1 -> x = 0 :: else -> x++ fi; g = x % 2 }
            :: timeout -> g = 0 od }";
    let (_, states) = compared(text, &read(text));
    assert!(states > 1_000, "{states}");
}

/// Other processes' variables and locations, priorities, processes that come and go: left to the interpreter, between compiled steps.
#[test]
fn what_is_rare_is_the_same_either_way() {
    let table = [
        "byte n; proctype child(byte v) { byte w; w = v; n = n + w; n = n - w } active proctype p() { do :: _nr_pr < 4 -> run child(_nr_pr) od }",
        "byte x; active proctype p() { byte y; a: x = 1 - x; b: y = x; goto a } active proctype q() { end: do :: p@b -> x = 2 :: p[0]:y == 0 -> x = 3 od }",
        "byte x; active proctype p() priority 2 { x = 1; x = 2; set_priority(_pid, 1) } active proctype q() { x = 3; assert(x == 3) }",
        "byte x; active proctype p() provided (x < 3) { do :: x++ od } active proctype q() { end: do :: x == 3 -> x = _last od }",
        "byte x; active proctype p() { { do :: x < 5 -> x++ od } unless { x == 3 } }",
    ];
    for text in table {
        compared(text, &read(text));
    }
}

/// The models of the benchmark set, where it is there.
#[test]
fn known_models_have_the_same_states_either_way() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../../shared/bench/promela");
    let models = [
        "spin/Examples/leader0.pml",
        "spin/Examples/abp.pml",
        "spin/Examples/wordcount.pml",
        "spin/Examples/manna_pnueli.pml",
        "spin/Examples/werkplaats.pml",
        "spin/Examples/sat.pml",
        "spin/Examples/welfare.pml",
        "spin/Examples/LTL/mobile2.pml",
        "spin/Examples/LTL/diskhead.pml",
        "spin/Examples/LTL/zune.pml",
        "spin/Examples/Book_1991/p320.pml",
        "spin/Examples/Book_1991/p105.2.pml",
        "spin/Examples/Book_1991/p123.pml",
        "ltsmin/examples/fgs.promela",
        "ltsmin/examples/p312.pml",
    ];
    for name in models {
        let path = folder.join(name);
        if path.exists() {
            let model =
                ProgramModel::load(&path, Preprocessing::default()).unwrap_or_else(|error| panic!("{error}"));
            compared(name, &model);
        }
    }
}
