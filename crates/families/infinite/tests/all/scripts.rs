//! Whole scripts with floating-point numbers, quantifiers and products: what is answered, and random ones beside trying all values. Cores,
//! interpolants, and systems written in other formats.

use entail_answer::Verdict;
use entail_budget::{Budget, Silent};
use entail_family::{Input, Options};
use entail_unbounded::{FAMILY, ScriptOptions, run_script};
use std::path::Path;
use std::time::Duration;

fn answers(script: &str) -> Vec<String> {
    let budget = Budget::unlimited().with_timeout(Some(Duration::from_secs(20)));
    let mut said = Vec::new();
    let outcome = run_script(script, ScriptOptions::default(), &budget, &mut |line| {
        said.push(line.to_owned())
    });
    assert_eq!(outcome.internal, Vec::<String>::new(), "{script}");
    said
}

#[test]
fn operations_on_floating_point_numbers_are_decided() {
    let sums = "
        (declare-const x (_ FloatingPoint 5 11)) (declare-const y Float16) (declare-const r RoundingMode)
        (assert (fp.lt x y)) (assert (not (fp.isInfinite x))) (assert (not (fp.isInfinite y)))
        (push) (assert (fp.eq (fp.add r x y) (fp.sub r x y))) (check-sat) (pop)
        (push) (assert (fp.lt (fp.add RTP x y) (fp.add RTN x y))) (check-sat) (pop)
        (push) (assert (= (fp.neg x) y)) (assert (not (fp.isPositive y))) (check-sat) (pop)";
    assert_eq!(answers(sums), ["sat", "unsat", "unsat"]);
    let written = "
        (declare-const x Float64) (declare-const y Float64)
        (assert (= x ((_ to_fp 11 53) RNE 0.1))) (assert (= y ((_ to_fp 11 53) RNE 0.2)))
        (push) (assert (= (fp.add RNE x y) ((_ to_fp 11 53) RNE 0.3))) (check-sat) (pop)
        (push) (assert (= (fp.rem x y) x)) (check-sat) (get-value (x)) (pop)
        (assert (= ((_ fp.to_sbv 8) RNA ((_ to_fp 11 53) RNE -2.5)) #xfd)) (check-sat)";
    let said = answers(written);
    assert_eq!(
        (said[0].as_str(), said[1].as_str(), said[3].as_str()),
        ("unsat", "sat", "sat")
    );
    assert!(said[2].starts_with("((x (fp #b0 #b01111111011 #b"), "{}", said[2]);
}

#[test]
fn what_a_conversion_leaves_open_may_be_anything_but_is_a_function() {
    let open = "
        (declare-const x Float32) (declare-const y Float32)
        (assert (fp.isNaN x)) (assert (= ((_ fp.to_ubv 8) RNE x) #x42)) (check-sat)
        (assert (fp.isNaN y)) (assert (= ((_ fp.to_ubv 8) RNE y) #x43)) (check-sat)";
    assert_eq!(answers(open), ["sat", "unsat"]);
}

#[test]
fn quantified_formulas_are_refuted_by_instances_and_confirmed_under_models() {
    for (script, expected) in [
        (
            "(assert (forall ((x Int)) (exists ((y Int)) (= (* 2 y) x))))",
            "unsat",
        ),
        ("(assert (forall ((x Int)) (exists ((y Int)) (< x y))))", "sat"),
        (
            "(declare-fun f (Int) Int) (assert (forall ((x Int)) (= (f x) 3))) (assert (= (f 7) 4))",
            "unsat",
        ),
        (
            "(declare-fun f (Int) Int) (assert (forall ((x Int)) (<= 0 (f x)))) (assert (= (f 7) 4))",
            "sat",
        ),
        (
            "(declare-sort A) (declare-fun f (A) A) (assert (forall ((x A)) (not (= (f x) x))))",
            "sat",
        ),
        (
            "(declare-sort A) (declare-const a A) (assert (forall ((x A)) (not (= x a))))",
            "unsat",
        ),
        (
            "(assert (forall ((a Real)) (exists ((b Real)) (and (>= (+ a b) 0.0) (<= b 0.0)))))",
            "unsat",
        ),
        (
            "(assert (exists ((x (_ BitVec 4))) (forall ((y (_ BitVec 4))) (bvule x y))))",
            "sat",
        ),
        (
            "(assert (forall ((x Float16)) (= (fp.abs x) (fp.abs (fp.neg x)))))",
            "sat",
        ),
    ] {
        assert_eq!(answers(&format!("{script}(check-sat)")), [expected], "{script}");
    }
}

#[test]
fn arrays_of_truth_values_and_arrays_as_arguments_are_decided() {
    for (script, expected) in [
        (
            "(declare-fun b () (Array Int Bool)) (declare-fun i () Int) (declare-fun s () (Array Int Bool))
             (assert (= s (store b 59 true))) (assert (= s (store s i (not (select s i)))))",
            "unsat",
        ),
        (
            "(declare-fun a () (Array Int Int)) (declare-fun b () (Array Int Int)) (declare-fun p ((Array Int Int)) Bool)
             (assert (p a)) (assert (not (p b))) (assert (= (select a 0) (select b 0)))",
            "sat",
        ),
        (
            "(declare-fun a () (Array (Array Int Bool) Bool)) (declare-fun b () (Array (Array Int Bool) Bool))
             (declare-fun c () (Array (Array Int Bool) Bool)) (assert (distinct a b c))",
            "sat",
        ),
    ] {
        assert_eq!(answers(&format!("{script} (check-sat)")), [expected], "{script}");
    }
}

#[test]
fn reciprocals_and_monotonous_products_are_decided() {
    let script = "
        (declare-const x Real) (declare-const y Real) (declare-const z Real)
        (push) (assert (< 0 x)) (assert (<= x y)) (assert (not (<= (/ 1 y) (/ 1 x)))) (check-sat) (pop)
        (push) (assert (< 0 x y)) (assert (< 0 z)) (assert (<= (* y z) (* x z))) (check-sat) (pop)
        (push) (assert (< 1 x y)) (assert (>= (* x x) (* y y))) (check-sat) (pop)
        (push) (assert (< 0 x y)) (assert (< (/ 1 y) (/ 1 x))) (check-sat) (pop)
        (push) (assert (< 12 x)) (assert (<= (* (- x 13) (/ (* 13 (+ x 13)) x)) (- 1))) (check-sat) (pop)";
    assert_eq!(answers(script), ["unsat", "unsat", "unsat", "sat", "sat"]);
}

#[test]
fn products_and_quotients_of_variables_are_decided() {
    for (script, expected) in [
        ("(assert (= (* x x) 2))", "unsat"),
        ("(assert (= (* x y) 12)) (assert (< 1 x y))", "sat"),
        ("(assert (< (* x x) 0))", "unsat"),
        (
            "(assert (> x 0)) (assert (> y 0)) (assert (< (* x y) x))",
            "unsat",
        ),
        (
            "(assert (= (* (+ x y) (- x y)) (+ (- (* x x) (* y y)) 1)))",
            "unsat",
        ),
        (
            "(assert (> y 3)) (assert (= (div x y) 5)) (assert (= (mod x y) 2))",
            "sat",
        ),
        ("(assert (not (= y 0))) (assert (< (mod x y) 0))", "unsat"),
    ] {
        let script = format!("(declare-const x Int)(declare-const y Int){script}(check-sat)");
        assert_eq!(answers(&script), [expected], "{script}");
    }
}

/// A small generator of random numbers, seeded.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (self.0 >> 33) % limit
    }
}

/// The value of a term where the three variables are given.
type Meaning = Box<dyn Fn(&[i64; 3]) -> i64>;

/// A term as text, with its value where the three variables are given.
struct Made {
    text: String,
    value: Meaning,
}

fn number(random: &mut Random, depth: u32) -> Made {
    if depth == 0 || random.below(4) == 0 {
        if random.below(3) == 0 {
            let value = random.below(4) as i64;
            return Made {
                text: value.to_string(),
                value: Box::new(move |_| value),
            };
        }
        let place = random.below(3) as usize;
        return Made {
            text: ["x", "y", "z"][place].into(),
            value: Box::new(move |values| values[place]),
        };
    }
    let (a, b) = (number(random, depth - 1), number(random, depth - 1));
    let (left, right) = (a.value, b.value);
    match random.below(3) {
        0 => Made {
            text: format!("(+ {} {})", a.text, b.text),
            value: Box::new(move |values| left(values) + right(values)),
        },
        1 => Made {
            text: format!("(- {} {})", a.text, b.text),
            value: Box::new(move |values| left(values) - right(values)),
        },
        _ => Made {
            text: format!("(* {} {})", a.text, b.text),
            value: Box::new(move |values| left(values) * right(values)),
        },
    }
}

type Test = Box<dyn Fn(&[i64; 3]) -> bool>;

fn formula(random: &mut Random) -> (String, Test) {
    let (a, b) = (number(random, 2), number(random, 2));
    let (left, right) = (a.value, b.value);
    match random.below(3) {
        0 => (
            format!("(<= {} {})", a.text, b.text),
            Box::new(move |values| left(values) <= right(values)),
        ),
        1 => (
            format!("(= {} {})", a.text, b.text),
            Box::new(move |values| left(values) == right(values)),
        ),
        _ => (
            format!("(distinct {} {})", a.text, b.text),
            Box::new(move |values| left(values) != right(values)),
        ),
    }
}

fn effort() -> u64 {
    std::env::var("ENTAIL_EFFORT")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(1)
}

/// All values of the variables between -2 and 2.
fn cube() -> impl Iterator<Item = [i64; 3]> {
    (-2..=2).flat_map(|x| (-2..=2).flat_map(move |y| (-2..=2).map(move |z| [x, y, z])))
}

#[test]
fn random_products_of_small_integers_are_decided_as_by_trying_all_values() {
    let mut decided = 0;
    for seed in 0..60 * effort() {
        let mut random = Random(seed);
        let parts: Vec<(String, Test)> = (0..2 + random.below(2)).map(|_| formula(&mut random)).collect();
        let mut script = String::new();
        for name in ["x", "y", "z"] {
            script += &format!("(declare-const {name} Int)(assert (<= (- 2) {name} 2))");
        }
        parts
            .iter()
            .for_each(|(text, _)| script += &format!("(assert {text})"));
        let expected = cube().any(|values| parts.iter().all(|(_, holds)| holds(&values)));
        let said = answers(&format!("{script}(check-sat)"));
        if said != ["unknown"] {
            assert_eq!(said, [if expected { "sat" } else { "unsat" }], "{script}");
            decided += 1;
        }
    }
    assert!(decided >= 40 * effort(), "{decided} decided");
}

#[test]
fn random_quantified_formulas_over_small_integers_are_decided_as_by_trying_all_values() {
    let mut decided = 0;
    for seed in 1000..1000 + 40 * effort() {
        let mut random = Random(seed);
        let (text, holds) = formula(&mut random);
        let is_bounded = "(<= (- 2) y 2) (<= (- 2) z 2)";
        let universal =
            format!("(forall ((y Int)) (exists ((z Int)) (=> (<= (- 2) y 2) (and {is_bounded} {text}))))");
        let script = format!("(declare-const x Int)(assert (<= (- 2) x 2))(assert {universal})(check-sat)");
        let expected = (-2..=2).any(|x| (-2..=2).all(|y| (-2..=2).any(|z| holds(&[x, y, z]))));
        let said = answers(&script);
        if said != ["unknown"] {
            assert_eq!(said, [if expected { "sat" } else { "unsat" }], "{script}");
            decided += 1;
        }
    }
    assert!(decided >= 20 * effort(), "{decided} decided");
}

#[test]
fn cores_are_minimal_on_request_and_assumptions_are_their_own() {
    let script = "(set-option :minimal-unsat-cores true)(declare-fun x () Int)(declare-fun y () Int)\
        (assert (! (< x y) :named a))(assert (! (< y x) :named b))(assert (! (< 0 x) :named c))(assert (! (< x 5) :named d))\
        (check-sat)(get-unsat-core)(check-sat-assuming ((< 3 x) (< y 2)))(get-unsat-assumptions)";
    let said = answers(script);
    assert_eq!(said[0], "unsat");
    assert_eq!(said[1], "(a b)");
    // The assertions contradict each other without any assumption.
    assert_eq!(said[2..], ["unsat", "()"]);
    let script = "(declare-fun x () Int)(declare-fun y () Int)(assert (< x y))\
        (check-sat-assuming ((< 3 x) (< y 2) (< 0 y)))(get-unsat-assumptions)";
    let said = answers(script);
    assert_eq!(said, ["unsat", "((< 3 x) (< y 2))"]);
}

#[test]
fn interpolants_are_printed_for_named_groups_and_refused_with_a_reason() {
    let script = "(declare-fun x () Int)(declare-fun y () Int)(declare-fun z () Int)\
        (assert (! (= x 0) :named a))(assert (! (= y (+ x 1)) :named b))(assert (! (= z (+ y 1)) :named c))(assert (! (< z 2) :named d))\
        (check-sat)(get-interpolants a b (and c d))(get-interpolants a b)(get-interpolants a e)";
    let said = answers(script);
    assert_eq!(said[0], "unsat");
    assert!(
        said[1].starts_with('(') && said[1].contains('x') && said[1].contains('y'),
        "{said:?}"
    );
    assert!(!said[1].contains('z'), "{said:?}");
    assert!(said[2].contains("have a model together"), "{said:?}");
    assert!(said[3].contains("no assertion is named `e`"), "{said:?}");
    let script = "(declare-sort S 0)(declare-fun a () S)(declare-fun b () S)(declare-fun c () S)(declare-fun f (S) S)\
        (assert (! (and (= a b) (= (f a) c)) :named left))(assert (! (not (= (f b) c)) :named right))\
        (check-sat)(get-interpolants left right)";
    let said = answers(script);
    assert_eq!(said[0], "unsat");
    assert!(
        ["((= (f b) c))", "((= c (f b)))"].contains(&said[1].as_str()),
        "{said:?}"
    );
}

/// The verdicts of a system in a language.
pub fn verdicts(text: &[u8], language: &str) -> (Vec<Verdict>, Vec<Vec<u8>>) {
    let options = Options::default();
    let budget = Budget::unlimited().with_timeout(Some(Duration::from_secs(60)));
    let model = (FAMILY.load)(&Input {
        name: "system",
        path: Path::new("system"),
        bytes: text,
        language: (FAMILY.languages.iter())
            .find(|known| known.name == language)
            .expect("a language of the family"),
        options: &options,
        budget: &budget,
    });
    let model = model.unwrap_or_else(|error| panic!("{error:?}\n{}", String::from_utf8_lossy(text)));
    let mut session = model
        .open(&options, false)
        .unwrap_or_else(|_| panic!("a session"));
    let mut found = Vec::new();
    for property in 0..model.properties().len() {
        let answer = session.check("ic3ia", property, &budget, &Silent);
        found.push(answer.unwrap_or_else(|_| panic!("an answer")).verdict);
    }
    let written = ["vmt", "mcmt", "smt2"].map(|format| {
        let converted = model.write(format, &options).expect("a format");
        converted.expect("a system without functions").bytes
    });
    (found, written.to_vec())
}

#[test]
fn systems_keep_their_verdicts_as_vmt_mcmt_and_clauses() {
    let examples = [
        ("nuxmv", "sum.smv"),
        ("vmt", "bakery.vmt"),
        ("mcmt", "counter.mcmt"),
        ("horn", "loop.smt2"),
    ];
    for (language, file) in examples {
        let path = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../../../examples/infinite")
            .join(file);
        let (expected, written) = verdicts(&std::fs::read(path).expect("an example"), language);
        assert!(!expected.contains(&Verdict::Unknown), "{file}: {expected:?}");
        let all_hold = expected.iter().all(|&verdict| verdict == Verdict::Holds);
        for (target, text) in ["vmt", "mcmt", "horn"].iter().zip(written) {
            let (found, _) = verdicts(&text, target);
            if *target == "horn" {
                assert_eq!(
                    found,
                    [if all_hold { Verdict::Holds } else { Verdict::Fails }],
                    "{file} as {target}"
                );
            } else {
                assert_eq!(found, expected, "{file} as {target}");
            }
        }
    }
}
