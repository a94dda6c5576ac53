//! Chapter 13's examples and the surveys' abstraction examples, with every number.

use entail_abstraction::{
    AbstractEngine, AbstractOptions, MaySteps, Modalities, Mode, States, abstract_model, modal_simulation,
    three_valued,
};
use entail_budget::{Budget, Silent};
use entail_evidence::{CheckOptions, CheckReport, Engine, ModalModel, Outcome, Verdict};
use entail_logic::Logic;
use entail_logic::mu::parse_mu;
use entail_model::{Abstraction, Kmts, Kripke, KripkeBuilder, StateId, TermId, Value};
use entail_smv::{SmvModel, read, read_abstraction_map};
use entail_source::Source;
use entail_systems_checker::check_outcome;

const MUTEX: &str = include_str!("../../../../../examples/abstraction/mutex.smv");

fn model(text: &str) -> SmvModel {
    read(&Source::new("model", text)).expect("a model")
}

fn observed(model: &mut SmvModel, map: &str) -> Abstraction {
    let source = Source::new("map", map);
    let SmvModel { scope, system, .. } = model;
    read_abstraction_map(&source, scope, system)
        .expect(map)
        .abstraction
}

fn options(abstraction: Abstraction, mode: Mode, states: States) -> AbstractOptions {
    AbstractOptions {
        abstraction,
        mode,
        states,
        refine: false,
        ..AbstractOptions::default()
    }
}

/// Asks a formula of an abstract model; evidence must be accepted.
fn ask(model: &mut SmvModel, options: &AbstractOptions, formula: &str) -> Outcome {
    let property = model.parse_property(formula, Logic::CtlStar).expect(formula);
    let check = CheckOptions::default();
    let budget = Budget::unlimited();
    let engine = AbstractEngine {
        options: options.clone(),
    };
    let outcome = engine
        .check(&model.system, &property, &check, &budget, &Silent)
        .expect("the model has a meaning");
    if outcome.verdict != Verdict::Unknown {
        let report = check_outcome(&model.system, &property, &outcome, &check, &budget);
        assert_eq!(report, CheckReport::Accepted, "{formula}");
    }
    outcome
}

fn build(model: &mut SmvModel, options: &AbstractOptions, atoms: &[&str]) -> ModalModel {
    let atoms: Vec<TermId> = atoms
        .iter()
        .map(|atom| {
            let property = model.parse_property(atom, Logic::Invariant).expect(atom);
            property.question.atoms()[0]
        })
        .collect();
    abstract_model(
        &model.system,
        &atoms,
        options,
        &CheckOptions::default(),
        &Budget::unlimited(),
    )
    .expect("small")
}

/// The steps between classes, by the single value that is observed.
fn steps(model: &ModalModel) -> (Vec<String>, Vec<String>) {
    let name = |state: StateId| model.classes[state.index()][0].to_string();
    let (mut may, mut must) = (Vec::new(), Vec::new());
    for from in model.kmts.states() {
        may.extend(
            model
                .kmts
                .may(from)
                .iter()
                .map(|&to| format!("{}->{}", name(from), name(to))),
        );
        for targets in model.kmts.must(from) {
            let targets: Vec<String> = targets.iter().map(|&to| name(to)).collect();
            must.push(format!("{}->{}", name(from), targets.join("|")));
        }
    }
    may.sort();
    must.sort();
    (may, must)
}

const M1: &str = "map a := p1 { a1: !C1 & !C2; a2: C1 & !C2; a3: !C1 & C2; both: C1 & C2; }";
const M2: &str = "map b := p1 { b1: N1; b2: T1; b3: C1; }";
const M3: &str = "map b := p1 { b1: N1 & N2; b2: T1 & N2 | N1 & T2; b4: C1 & T2 | T1 & C2; \
                  b3: T1 & T2 | C1 & N2 | N1 & C2 | C1 & C2; }";
const M4: &str = "map b := p1 { b1: N1 & N2; b2: T1 & N2 | N1 & T2; b4: C1 & T2 | T1 & C2; c3: T1 & T2; \
                  c4: C1 & N2 | N1 & C2 | C1 & C2; }";

/// Example 1 as a structure: s1 to s8 are 0 to 7.
fn mutex_structure() -> Kripke {
    let id = StateId::new;
    let mut builder = KripkeBuilder::new(8);
    builder.edges([
        (0, 1),
        (0, 2),
        (1, 3),
        (1, 4),
        (2, 4),
        (2, 5),
        (3, 0),
        (3, 6),
        (4, 6),
        (4, 7),
        (5, 0),
        (5, 7),
        (6, 2),
        (7, 1),
    ]);
    builder.initial(id(0));
    builder.proposition("F0", [0, 1, 2, 4].map(id));
    builder.proposition("rest", [id(0)]);
    builder.build().expect("a structure")
}

#[test]
fn e1_mutual_exclusion_on_abstract_models() {
    let mut mutex = model(MUTEX);
    let concrete = mutex.system.unfold(&[], 100).expect("small");
    assert_eq!(
        (concrete.kripke.state_count(), concrete.kripke.edge_count()),
        (8, 14)
    );
    let refined = AbstractOptions::default();
    for (formula, verdict) in [
        ("AG !(C1 & C2)", Verdict::Holds),
        ("AG (T1 -> AF C1)", Verdict::Fails),
        ("AG (T2 -> AF C2)", Verdict::Fails),
        ("AG (flag <-> (!C1 & !C2))", Verdict::Holds),
        ("EG AF flag", Verdict::Holds),
        ("AG EF (N1 & N2 & flag)", Verdict::Holds),
        ("G (T1 -> F C1)", Verdict::Fails),
        ("G !(C1 & C2)", Verdict::Holds),
        ("G F flag", Verdict::Holds),
    ] {
        assert_eq!(ask(&mut mutex, &refined, formula).verdict, verdict, "{formula}");
    }
}

#[test]
fn e2_existential_abstraction_proves_mutual_exclusion() {
    let mut mutex = model(MUTEX);
    let map = observed(&mut mutex, M1);
    let may = options(map.clone(), Mode::May, States::Reachable);
    let m1 = build(&mut mutex, &may, &["C1", "C2", "flag"]);
    let (steps, must) = steps(&m1);
    assert_eq!(
        steps,
        [
            "a1->a1", "a1->a2", "a1->a3", "a2->a1", "a2->a2", "a3->a1", "a3->a3"
        ]
    );
    assert!(
        must.is_empty(),
        "existential abstraction has no steps that must be there"
    );
    assert_eq!(m1.kmts.initial().len(), 1);
    assert_eq!(ask(&mut mutex, &may, "AG !(C1 & C2)").verdict, Verdict::Holds);
    assert_eq!(
        ask(&mut mutex, &may, "AG (flag <-> (!C1 & !C2))").verdict,
        Verdict::Holds
    );
}

#[test]
fn e4_what_existential_abstraction_does_not_transfer() {
    let mut mutex = model(MUTEX);
    let map = observed(&mut mutex, M2);
    let may = options(map.clone(), Mode::May, States::Reachable);
    let m2 = build(&mut mutex, &may, &["N1", "T1", "C1"]);
    assert_eq!(
        steps(&m2).0,
        ["b1->b1", "b1->b2", "b2->b2", "b2->b3", "b3->b1", "b3->b3"]
    );
    assert_eq!(
        ask(&mut mutex, &may, "AG (N1 -> !E [!T1 U C1 & !T1])").verdict,
        Verdict::Holds
    );
    // The counterexample b1, b2, b2, … is real, but existential abstraction does not know.
    let waiting = ask(&mut mutex, &may, "AG (T1 -> AF C1)");
    assert_eq!(waiting.verdict, Verdict::Unknown);
    let reason = waiting.reason.expect("a reason");
    assert!(
        reason.contains("may be spurious") && reason.contains("[b = b1] -> [b = b2] -> again from [b = b2]"),
        "{reason}"
    );
    let existential = ask(&mut mutex, &may, "EF (T1 & EG !C1)");
    assert_eq!(existential.verdict, Verdict::Unknown);
    assert!(existential.reason.expect("a reason").contains("some path"));
    // With steps that must be there both are decided.
    let three = options(map, Mode::ThreeValued, States::Reachable);
    assert_eq!(ask(&mut mutex, &three, "EF T1").verdict, Verdict::Holds);
    assert_eq!(
        ask(&mut mutex, &AbstractOptions::default(), "EF (T1 & EG !C1)").verdict,
        Verdict::Holds
    );
}

#[test]
fn e5_traffic_light() {
    let text = "MODULE main VAR light : {red, green, yellow}; ASSIGN init(light) := red; \
                next(light) := case light = red : green; light = green : yellow; TRUE : red; esac;";
    let mut light = model(text);
    let map = observed(&mut light, "map light { red: light = red; go: light != red; }");
    let may = options(map.clone(), Mode::May, States::All);
    let abstracted = build(&mut light, &may, &["light = red"]);
    assert_eq!(steps(&abstracted).0, ["go->go", "go->red", "red->go"]);
    let outcome = ask(&mut light, &may, "AG AF light = red");
    assert_eq!(outcome.verdict, Verdict::Unknown);
    let reason = outcome.reason.expect("a reason");
    assert!(reason.contains("again from [light = go]"), "{reason}");
    let linear = ask(&mut light, &may, "G F light = red");
    assert_eq!(linear.verdict, Verdict::Unknown);
    assert!(
        linear
            .reason
            .expect("a reason")
            .contains("again from [light = go]")
    );
    // Splitting `go` decides it.
    for formula in ["AG AF light = red", "G F light = red"] {
        let refine = AbstractOptions {
            refine: true,
            ..options(map.clone(), Mode::ThreeValued, States::All)
        };
        let outcome = ask(&mut light, &refine, formula);
        assert_eq!(outcome.verdict, Verdict::Holds);
        assert_eq!(outcome.rounds.len(), 2, "{:?}", outcome.rounds);
    }
}

#[test]
fn e7_m3_knows_one_and_not_the_other() {
    let mut mutex = model(MUTEX);
    let map = observed(&mut mutex, M3);
    let three = options(map, Mode::ThreeValued, States::Reachable);
    let m3 = build(&mut mutex, &three, &["flag"]);
    let (may, must) = steps(&m3);
    assert_eq!(must, ["b1->b2", "b2->b3", "b3->b4", "b4->b2"]);
    assert_eq!(may, ["b1->b2", "b2->b3", "b3->b1", "b3->b4", "b4->b2"]);
    let flag = &m3.kmts.propositions()[0];
    let at = |name: &str| {
        m3.classes
            .iter()
            .position(|class| class[0] == Value::symbol(name))
            .expect("a class")
    };
    for (name, holds, fails) in [
        ("b1", true, false),
        ("b2", true, false),
        ("b3", false, false),
        ("b4", false, true),
    ] {
        assert_eq!(
            (flag.holds.contains(at(name)), flag.fails.contains(at(name))),
            (holds, fails),
            "{name}"
        );
    }
    assert_eq!(ask(&mut mutex, &three, "EG AF flag").verdict, Verdict::Holds);
    let rest = ask(&mut mutex, &three, "AG EF (N1 & N2 & flag)");
    assert_eq!(rest.verdict, Verdict::Unknown);
    let reason = rest.reason.expect("a reason");
    assert!(reason.contains("[b = b3] -> [b = b1] is to blame"), "{reason}");

    // The same from the structure, and M ⪯ M3.
    let structure = mutex_structure();
    let by_hand = Kmts::of_partition(&structure, &[0, 1, 1, 2, 2, 2, 3, 3]);
    assert_eq!((by_hand.may_count(), by_hand.must_count()), (5, 4));
    let budget = Budget::unlimited();
    let simulates = |a: &Kmts, b: &Kmts| modal_simulation(a, b, &budget).expect("no limit").is_some();
    assert!(simulates(&Kmts::of_kripke(&structure), &by_hand));
    assert!(!simulates(&by_hand, &Kmts::of_kripke(&structure)));
    let formula = parse_mu("nu X. (mu Y. rest | <>Y) & []X").expect("a formula");
    let formula = formula.map_atoms(&mut |name: &String| usize::from(name == "rest"));
    let known = three_valued(&by_hand, &formula, Modalities::Both, &budget).expect("closed");
    assert_eq!(known.at(StateId::new(0)), None);
}

#[test]
fn e8_splitting_b3_decides_it() {
    let mut mutex = model(MUTEX);
    let map = observed(&mut mutex, M4);
    let three = options(map, Mode::ThreeValued, States::Reachable);
    let m4 = build(&mut mutex, &three, &["flag"]);
    let (may, must) = steps(&m4);
    assert_eq!(
        may,
        [
            "b1->b2", "b2->c3", "b2->c4", "b4->b2", "c3->b4", "c4->b1", "c4->b4"
        ]
    );
    assert_eq!(must, may);
    assert_eq!(
        ask(&mut mutex, &three, "AG EF (N1 & N2 & flag)").verdict,
        Verdict::Holds
    );
    // Refinement finds the split by itself, from M3.
    let coarse = observed(&mut mutex, M3);
    let refine = AbstractOptions {
        refine: true,
        ..options(coarse, Mode::ThreeValued, States::Reachable)
    };
    let outcome = ask(&mut mutex, &refine, "AG EF (N1 & N2 & flag)");
    assert_eq!(outcome.verdict, Verdict::Holds);
    assert_eq!(outcome.rounds.len(), 2, "{:?}", outcome.rounds);
}

#[test]
fn e9_paths_that_end_are_no_infinite_paths() {
    // From x = 1 no path goes on: only infinite paths count, and there AF is not asked.
    let text = "MODULE main VAR x : 0..2; ASSIGN init(x) := {0, 1}; TRANS x = 0 & next(x) = 2 | x = 2 & next(x) = 2;";
    let mut short = model(text);
    for (formula, verdict) in [
        ("AF x = 2", Verdict::Holds),
        ("AG x != 1", Verdict::Holds),
        ("EX x = 2", Verdict::Holds),
    ] {
        let outcome = ask(&mut short, &AbstractOptions::default(), formula);
        assert_eq!(outcome.verdict, verdict, "{formula}");
        assert!(
            outcome
                .warnings
                .iter()
                .any(|warning| warning.text.contains("only infinite paths count"))
        );
    }
}

#[test]
fn surveys_predicate_abstraction() {
    // x := x + 1, with P1: x <= 1, P2: x > y, P3: y = 2; naturals cut at 7.
    let text = "MODULE main VAR x : 0..7; y : 0..7; ASSIGN next(x) := x < 7 ? x + 1 : x; next(y) := y;";
    let mut count = model(text);
    let map = observed(
        &mut count,
        "predicate P1 := x <= 1; predicate P2 := x > y; predicate P3 := y = 2;",
    );
    let look = |x: i64, y: i64, model: &SmvModel| -> Vec<bool> {
        let mut state = model.system.blank();
        state[0] = Some(Value::Int(x));
        state[1] = Some(Value::Int(y));
        let values = map.observe(&model.system, &state).expect("values");
        values
            .iter()
            .map(|value| value.as_bool().expect("a predicate"))
            .collect()
    };
    assert_eq!(look(0, 0, &count), [true, false, false]);
    assert_eq!(look(1, 2, &count), [true, false, true]);
    let built = build(
        &mut count,
        &options(map.clone(), Mode::ThreeValued, States::All),
        &["x <= 1"],
    );
    let class = |bits: [bool; 3]| -> StateId {
        let tuple: Vec<Value> = bits.iter().map(|&bit| Value::Bool(bit)).collect();
        StateId::new(
            built
                .classes
                .iter()
                .position(|class| *class == tuple)
                .expect("a class") as u32,
        )
    };
    let mut successors: Vec<Vec<Value>> = built
        .kmts
        .may(class([true, false, false]))
        .iter()
        .map(|to| built.classes[to.index()].clone())
        .collect();
    successors.sort();
    // From x in {0, 1}, y >= x, y != 2: x = 0 stays at most 1 (above y or not), x = 1 does not (above y = 1, or not).
    let tuple = |bits: [bool; 3]| bits.iter().map(|&bit| Value::Bool(bit)).collect::<Vec<_>>();
    let expected = [
        [false, false, false],
        [false, true, false],
        [true, false, false],
        [true, true, false],
    ]
    .map(tuple);
    assert_eq!(successors, expected);
}

#[test]
fn surveys_data_abstraction() {
    let text =
        "MODULE main VAR x : -8..8; ASSIGN init(x) := 2; next(x) := case x > 6 : -7; TRUE : x + 2; esac;";
    let mut count = model(text);
    let signs = observed(
        &mut count,
        "map x by sign; map parity := x by parity; map x by modulo 3; map size := x by ranges -8..-1, 0..3, 4..8;",
    );
    let look = |x: i64, model: &SmvModel| -> Vec<String> {
        let mut state = model.system.blank();
        state[0] = Some(Value::Int(x));
        let values = signs.observe(&model.system, &state).expect("values");
        values.iter().map(Value::to_string).collect()
    };
    assert_eq!(look(2, &count), ["positive", "even", "2", "0..3"]);
    assert_eq!(look(-7, &count), ["negative", "odd", "2", "-8..-1"]);
    assert_eq!(look(0, &count), ["zero", "even", "0", "0..3"]);
    let sign = observed(&mut count, "map x by sign; map x by parity;");
    let may = options(sign, Mode::May, States::All);
    let by_sign = build(&mut count, &may, &["x > 0"]);
    assert!(by_sign.kmts.state_count() <= 6);
    // From 2 only even numbers come until 8, then odd ones from -7: sign and parity together show that 0 is never met, the sign alone does not.
    assert_eq!(ask(&mut count, &may, "AG x != 0").verdict, Verdict::Holds);
    let sign = observed(&mut count, "map x by sign;");
    let sign_alone = options(sign, Mode::May, States::All);
    assert_eq!(
        ask(&mut count, &sign_alone, "AG x != 0").verdict,
        Verdict::Unknown
    );
    let outcome = ask(&mut count, &may, "AG x > 0");
    assert_eq!(outcome.verdict, Verdict::Unknown);
    assert_eq!(
        ask(&mut count, &AbstractOptions::default(), "AG (x = 2 -> AX x = 4)").verdict,
        Verdict::Holds
    );
}

#[test]
fn surveys_until() {
    // s0{a} -> s1, s2; s1{a} reaches no b-state; s2{a} -> s3; s3{b}.
    let text = "MODULE main VAR s : 0..3; INIT s = 0; \
                TRANS s = 0 & next(s) in {1, 2} | s = 1 & next(s) = 1 | s = 2 & next(s) = 3 | s = 3 & next(s) = 3; \
                DEFINE a := s != 3; b := s = 3;";
    let mut graph = model(text);
    let refined = AbstractOptions::default();
    assert_eq!(ask(&mut graph, &refined, "E [a U b]").verdict, Verdict::Holds);
    assert_eq!(ask(&mut graph, &refined, "A [a U b]").verdict, Verdict::Fails);
    assert_eq!(
        ask(&mut graph, &refined, "AG (s = 2 -> A [a U b])").verdict,
        Verdict::Holds
    );
}

#[test]
fn abstractions_that_do_not_decide_the_atoms_are_refused() {
    let mut mutex = model(MUTEX);
    let map = observed(&mut mutex, "visible flag;");
    let may = options(map.clone(), Mode::May, States::All);
    let outcome = ask(&mut mutex, &may, "AG !(C1 & C2)");
    assert_eq!(outcome.verdict, Verdict::Unknown);
    let reason = outcome.reason.expect("a reason");
    assert!(
        reason.contains("not appropriate") && reason.contains("add `predicate"),
        "{reason}"
    );
    let three = options(map, Mode::ThreeValued, States::All);
    let outcome = ask(&mut mutex, &three, "AG !(C1 & C2)");
    assert!(outcome.reason.expect("a reason").contains("not known whether"));
}

#[test]
fn the_approximated_relation_is_coarser() {
    // b always follows a; each conjunct by itself does not say so of both.
    let text = "MODULE main VAR a : boolean; b : boolean; IVAR i : boolean; \
                ASSIGN init(a) := FALSE; init(b) := FALSE; next(a) := i; next(b) := i;";
    let mut both = model(text);
    let map = observed(&mut both, "predicate a; predicate b;");
    let exact = options(map, Mode::May, States::All);
    let approximated = AbstractOptions {
        relation: MaySteps::Approximated,
        ..exact.clone()
    };
    assert_eq!(build(&mut both, &exact, &[]).kmts.may_count(), 4);
    assert_eq!(build(&mut both, &approximated, &[]).kmts.may_count(), 16);
    assert_eq!(ask(&mut both, &exact, "AG (a <-> b)").verdict, Verdict::Holds);
    assert_eq!(
        ask(&mut both, &approximated, "AG (a <-> b)").verdict,
        Verdict::Unknown
    );
    let refined = AbstractOptions {
        mode: Mode::ThreeValued,
        refine: true,
        ..approximated
    };
    assert_eq!(ask(&mut both, &refined, "AG (a <-> b)").verdict, Verdict::Holds);
}
