//! A printed model means what the system it was printed from means.

use crate::support;
use support::{graph, read};

const MODELS: &[&str] = &[
    "MODULE main VAR x : 0..3; b : boolean; ASSIGN init(x) := 1; init(b) := FALSE; next(b) := !b & x > 1; next(x) := case b : {0, 3}; TRUE : 3 - x; esac; SPEC AG (b -> AF x = 0) INVARSPEC x < 3 LTLSPEC G F b",
    "MODULE main VAR e : {idle, 2, -1}; FROZENVAR f : 0..1; IVAR i : boolean; TRANS i -> next(e) = e; INIT e != idle; JUSTICE i; COMPASSION (e = 2, f = 1); LTLSPEC NAME p1 := e = idle U i",
    "MODULE main VAR w : word[2]; s : signed word[2]; n : -1..2; ASSIGN next(w) := (w + 0ud2_1) * unsigned(s); TRANS next(s) = signed(w) >> n * n mod 2; INVAR w[1:1] = 0ub1_0 | n >= 0; SPEC EBF 1..2 w = 0ud2_3 & A [n = 0 BU 0..2 s < 0sd2_0]",
    "MODULE main VAR x : 0..2; p : process up(x); q : process up(x); MODULE up(v) VAR t : boolean; ASSIGN next(v) := (v + 1) mod 3; next(t) := v = 1; FAIRNESS running DEFINE d := t & v = 0; SPEC AG !d",
    "MODULE main VAR a : array 0..1 of 0..2; i : 0..1; ASSIGN next(a[0]) := a[i]; DEFINE big := a[0] + a[1] > 2; SPEC EF big COMPUTE MAX [big, !big] LTLSPEC H (big -> O a[0] = 2)",
    "MODULE main VAR x : 0..5; y : 0..2; ASSIGN next(x) := y = 0 ? x : x / y; next(y) := (x mod 3); INVARSPEC next(x) <= x",
];

#[test]
fn printing_and_reading_back_gives_the_same_graph_and_questions() {
    for text in MODELS {
        let model = read(text);
        let printed = entail_smv::print(&model.system, &model.properties).expect("no arrays");
        let again = read(&printed);
        let (first, second) = (graph(&model.system, &[]), graph(&again.system, &[]));
        assert_eq!(first.initial, second.initial, "{printed}");
        assert_eq!(first.steps, second.steps, "{printed}");
        assert_eq!(model.properties.len(), again.properties.len(), "{printed}");
        for (before, after) in model.properties.iter().zip(&again.properties) {
            assert_eq!(
                (&before.name, before.logic),
                (&after.name, after.logic),
                "{printed}"
            );
        }
        let twice = entail_smv::print(&again.system, &again.properties).expect("no arrays");
        assert_eq!(graph(&read(&twice).system, &[]).steps, first.steps, "{twice}");
    }
}

#[test]
fn hazards_survive_printing() {
    let model =
        read("MODULE main VAR x : 0..4000; y : 0..4000; z : 0..4000; INVARSPEC 1 / (x * y * z - 720629) = 0");
    let printed = entail_smv::print(&model.system, &model.properties).expect("no arrays");
    assert_eq!(read(&printed).system.hazards.len(), 1, "{printed}");
}

#[test]
fn names_and_terms_of_other_languages_are_written_so_that_smv_reads_them() {
    use entail_model::{Sort, TransitionSystem, VarKind};
    let mut system = TransitionSystem::new();
    let odd = system.add_variable("my var!", Sort::range(-3, 4), VarKind::State);
    let same = system.add_variable("my var!", Sort::word(3), VarKind::State);
    let reserved = system.add_variable("next", Sort::Bool, VarKind::State);
    let (number, word) = (system.current(odd), system.current(same));
    let converted = system.terms.int_to_word(number, 3, false).expect("an integer");
    let equal = system.terms.equal(converted, word).expect("words");
    let divided = system.terms.divide(word, converted).expect("words");
    let all = system.terms.equal(divided, word).expect("words");
    let flag = system.current(reserved);
    let both = system.terms.iff(flag, all);
    system.invariant.push(equal);
    system.init.push(both);
    let printed = entail_smv::print(&system, &[]).expect("no arrays");
    let again = read(&printed);
    let (first, second) = (graph(&system, &[]), graph(&again.system, &[]));
    assert_eq!(first.initial, second.initial, "{printed}");
    assert_eq!(first.steps.len(), second.steps.len(), "{printed}");
}
