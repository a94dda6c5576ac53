//! The handbook's answers: the circuit of chapter 10 and mutual exclusion of chapter 20.

use entail_budget::{Budget, Silent};
use entail_evidence::{CheckOptions, Engine, Evidence, Verdict};
use entail_inductive::{Induction, InductiveEngine, Method, SafetyAnswer, bounded_search, ic3, k_induction};
use entail_sat::{Circuit, Init, Signal};
use entail_smv::SmvModel;
use entail_source::Source;
use entail_systems_checker::check_outcome;

/// Three registers: the first is loaded when all are zero, the others shift.
fn ring() -> (Circuit, [Signal; 3]) {
    let mut circuit = Circuit::new();
    let c: [Signal; 3] = std::array::from_fn(|_| circuit.add_latch(Init::Zero));
    let empty = circuit.aig.and_all(c.map(|bit| !bit));
    for (latch, next) in [empty, c[0], c[1]].into_iter().enumerate() {
        circuit.latches[latch].next = next;
    }
    (circuit, c)
}

/// "The count is this number."
fn count_is(circuit: &mut Circuit, c: [Signal; 3], number: usize) -> Signal {
    let bits = (0..3).map(|bit| c[bit].flipped_if(number >> bit & 1 == 0));
    let bits: Vec<Signal> = bits.collect();
    circuit.aig.and_all(bits)
}

fn first_depth(circuit: &Circuit, bad: Signal) -> Option<usize> {
    match bounded_search(circuit, bad, Some(20), &Budget::unlimited(), &Silent) {
        Ok(SafetyAnswer::Unsafe(run)) => {
            assert!(circuit.is_counterexample(&run, bad));
            Some(run.inputs.len() - 1)
        }
        _ => None,
    }
}

fn induction_depth(circuit: &Circuit, bad: Signal) -> Option<u64> {
    match k_induction(circuit, bad, Some(20), &Budget::unlimited(), &Silent) {
        Ok(Induction::Inductive(depth)) => Some(depth),
        _ => None,
    }
}

fn is_safe(circuit: &Circuit, bad: Signal) -> bool {
    matches!(
        ic3(circuit, bad, &Budget::unlimited(), &Silent),
        Ok(SafetyAnswer::Safe(_))
    )
}

#[test]
fn the_ring_reaches_four_counts_and_the_others_are_inductively_excluded() {
    let (mut circuit, c) = ring();
    for (count, depth) in [(0, 0), (1, 1), (2, 2), (4, 3)] {
        let bad = count_is(&mut circuit, c, count);
        assert_eq!(first_depth(&circuit, bad), Some(depth), "count {count}");
        assert!(!is_safe(&circuit, bad));
    }
    // 3, 5 and 7 have no predecessor; 6 has two, which have none.
    for (count, depth) in [(3, 1), (5, 1), (7, 1), (6, 2)] {
        let bad = count_is(&mut circuit, c, count);
        assert_eq!(induction_depth(&circuit, bad), Some(depth), "count {count}");
        assert!(is_safe(&circuit, bad));
    }
}

#[test]
fn at_most_one_bit_is_inductive_and_count_below_five_needs_two_states() {
    let (mut circuit, c) = ring();
    let pairs: Vec<Signal> = [(0, 1), (0, 2), (1, 2)]
        .into_iter()
        .map(|(a, b)| circuit.aig.and(c[a], c[b]))
        .collect();
    let two_bits = circuit.aig.or_all(pairs);
    assert_eq!(induction_depth(&circuit, two_bits), Some(1));
    let low = circuit.aig.or(c[0], c[1]);
    let five_or_more = circuit.aig.and(c[2], low);
    assert_eq!(induction_depth(&circuit, five_or_more), Some(2));
}

fn model(text: &str) -> SmvModel {
    entail_smv::read(&Source::new("test.smv", text)).expect("a correct model")
}

const RING: &str = "MODULE main
VAR c0 : boolean; c1 : boolean; c2 : boolean;
ASSIGN init(c0) := FALSE; init(c1) := FALSE; init(c2) := FALSE;
  next(c0) := !c0 & !c1 & !c2; next(c1) := c0; next(c2) := c1;
INVARSPEC !(c2 & c1 & !c0)
LTLSPEC F (c2 & c1 & c0)
LTLSPEC F (c2 & !c1 & !c0)
LTLSPEC G F (c2 & !c1 & !c0)
LTLSPEC F G !(c2 & !c1 & !c0)
";

#[test]
fn lassos_of_the_ring() {
    let model = model(RING);
    let (budget, options) = (Budget::unlimited(), CheckOptions::default());
    let bounded = CheckOptions {
        bound: Some(12),
        ..CheckOptions::default()
    };
    let verdicts: Vec<(Verdict, Option<u64>)> = model
        .properties
        .iter()
        .map(|property| {
            let engine = InductiveEngine::new(Method::Bmc);
            let outcome = engine
                .check(&model.system, property, &bounded, &budget, &Silent)
                .expect("a model with a meaning");
            let report = check_outcome(&model.system, property, &outcome, &options, &budget);
            assert!(report.is_accepted(), "{}: {report:?}", property.text);
            (outcome.verdict, outcome.statistics.depth())
        })
        .collect();
    let expected = [
        (Verdict::Unknown, Some(12)),
        (Verdict::Fails, Some(4)),
        (Verdict::Unknown, Some(12)),
        (Verdict::Unknown, Some(12)),
        (Verdict::Fails, Some(4)),
    ];
    assert_eq!(verdicts, expected);
    let proved = InductiveEngine::new(Method::Ic3)
        .check(&model.system, &model.properties[0], &options, &budget, &Silent)
        .expect("a model with a meaning");
    assert!(matches!(proved.evidence, Some(Evidence::Invariant(_))));
}

/// Mutual exclusion as corrected by the handbook: the entry guards ask for `try`.
const MUTEX: &str = "MODULE main
VAR try1 : boolean; try2 : boolean; crit1 : boolean; crit2 : boolean; turn : boolean;
IVAR rule : {t1, e1, x1, t2, e2, x2};
INIT !try1 & !try2 & !crit1 & !crit2 & !turn
TRANS case
  rule = t1 : !try1 & next(try1) & !next(turn) & next(try2) = try2 & next(crit1) = crit1 & next(crit2) = crit2;
  rule = e1 : try1 & (!try2 | turn) & next(crit1) & next(try1) = try1 & next(try2) = try2 & next(crit2) = crit2 & next(turn) = turn;
  rule = x1 : crit1 & !next(crit1) & !next(try1) & next(try2) = try2 & next(crit2) = crit2 & next(turn) = turn;
  rule = t2 : !try2 & next(try2) & next(turn) & next(try1) = try1 & next(crit1) = crit1 & next(crit2) = crit2;
  rule = e2 : try2 & (!try1 | !turn) & next(crit2) & next(try1) = try1 & next(try2) = try2 & next(crit1) = crit1 & next(turn) = turn;
  rule = x2 : crit2 & !next(crit2) & !next(try2) & next(try1) = try1 & next(crit1) = crit1 & next(turn) = turn;
  TRUE : FALSE;
esac
INVARSPEC !(crit1 & crit2)
";

#[test]
fn mutual_exclusion_is_four_inductive_and_gets_a_checked_invariant() {
    let model = model(MUTEX);
    let (budget, options) = (Budget::unlimited(), CheckOptions::default());
    let property = &model.properties[0];
    for method in [Method::KInduction, Method::Ic3] {
        let outcome = InductiveEngine::new(method)
            .check(&model.system, property, &options, &budget, &Silent)
            .expect("a model with a meaning");
        assert_eq!(outcome.verdict, Verdict::Holds);
        if method == Method::KInduction {
            assert_eq!(outcome.statistics.depth(), Some(4));
        }
        let Some(Evidence::Invariant(certificate)) = &outcome.evidence else {
            panic!("no invariant");
        };
        let entail_logic::Question::Invariant(safe) = property.question else {
            panic!("an invariant was asked");
        };
        assert_eq!(
            entail_proof::check_invariant(&model.system, certificate, safe, &budget),
            Ok(())
        );
    }
}

/// Chapter 10, example 8: what lasts from some point on, and how often its contrary happens before.
#[test]
fn k_liveness_finds_the_bounds_of_chapter_ten() {
    let counter = "MODULE main
VAR value : 0..7;
ASSIGN init(value) := 0; next(value) := value = 7 ? 7 : value + 1;
LTLSPEC F G value = 7
LTLSPEC F G value != 3
LTLSPEC G F value = 7
LTLSPEC G (value = 2 -> F value = 5)
";
    let model = model(counter);
    let (budget, options) = (Budget::unlimited(), CheckOptions::default());
    let bounds: Vec<u64> = model
        .properties
        .iter()
        .map(|property| {
            let outcome = InductiveEngine::new(Method::Ic3)
                .check(&model.system, property, &options, &budget, &Silent)
                .expect("a model with a meaning");
            assert_eq!(outcome.verdict, Verdict::Holds, "{}", property.text);
            let Some(Evidence::Liveness(certificate)) = &outcome.evidence else {
                panic!("{}: no bound", property.text);
            };
            let entail_logic::Question::Formula(formula) = &property.question else {
                panic!("a formula was asked");
            };
            let path = formula.operands()[0];
            let accepted = entail_proof::check_liveness(
                &model.system,
                certificate,
                path,
                entail_evidence::DeadEnds::Infinite,
                &budget,
            );
            assert_eq!(accepted, Ok(()), "{}", property.text);
            certificate.bound
        })
        .collect();
    // The last: three steps after the trigger, and one while the violation is still to be guessed.
    assert_eq!(bounds[..2], [7, 1]);
    assert!(bounds[2] <= 8 && bounds[3] <= 5, "{bounds:?}");
}

#[test]
fn a_proof_without_any_fair_path_is_reported_as_vacuous() {
    let stuck = "MODULE main
VAR value : 0..3;
ASSIGN init(value) := 0; next(value) := value < 3 ? value + 1 : 3;
JUSTICE value = 1
LTLSPEC G F value = 2
";
    let options = CheckOptions::default();
    for (text, vacuous) in [
        (stuck.to_owned(), true),
        (stuck.replace("JUSTICE value = 1", ""), false),
    ] {
        let model = model(&text.replace("G F value = 2", "F value = 2"));
        let outcome = InductiveEngine::new(Method::Ic3)
            .check(
                &model.system,
                &model.properties[0],
                &options,
                &Budget::unlimited(),
                &Silent,
            )
            .expect("a model with a meaning");
        assert_eq!(outcome.verdict, Verdict::Holds);
        assert_eq!(!outcome.warnings.is_empty(), vacuous, "{:?}", outcome.warnings);
    }
}
