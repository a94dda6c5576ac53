//! Random formulas beside trying everything: arrays over two indices with functions of arrays, where one array can be written in many ways,
//! and universal formulas over the reals, whose truth changes at few points. What is written with formulas, names and patterns, does not matter.

use entail_budget::Budget;
use entail_first_order::Rational;
use entail_unbounded::{ScriptOptions, run_script};
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

fn effort() -> u64 {
    let text = std::env::var("ENTAIL_EFFORT").ok();
    text.and_then(|text| text.parse().ok()).unwrap_or(1)
}

/// Numbers by splitmix64.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % bound
    }
}

/// Values of `a`, `b` (arrays as their two elements), `i`, `e`, and the function `f` of arrays as the set of those it is true of.
#[derive(Clone, Copy)]
struct Values {
    arrays: [[bool; 2]; 2],
    bits: [bool; 2],
    f: u8,
}

fn everything() -> impl Iterator<Item = Values> {
    (0..1u32 << 10).map(|number| {
        let bit = |place: u32| number >> place & 1 == 1;
        Values {
            arrays: [[bit(0), bit(1)], [bit(2), bit(3)]],
            bits: [bit(4), bit(5)],
            f: (number >> 6) as u8 & 15,
        }
    })
}

/// A text, and what it means.
struct Made<T> {
    text: String,
    value: Box<dyn Fn(&Values) -> T>,
}

/// Indices and elements are truth values, or words of one bit: whether formulas can stand in their place.
fn bit(random: &mut Random, depth: u64, are_formulas: bool) -> Made<bool> {
    match random.below(if depth == 0 { 3 } else { 6 }) {
        0 => {
            let value = random.below(2) == 1;
            let text = match (are_formulas, value) {
                (true, _) => value.to_string(),
                (false, true) => "#b1".to_owned(),
                (false, false) => "#b0".to_owned(),
            };
            Made {
                text,
                value: Box::new(move |_| value),
            }
        }
        which @ 1..=2 => {
            let place = which as usize - 1;
            let text = ["i", "e"][place].to_owned();
            Made {
                text,
                value: Box::new(move |values| values.bits[place]),
            }
        }
        3 if are_formulas => formula(random, depth - 1, true),
        _ => {
            let (array, index) = (
                array(random, depth - 1, are_formulas),
                bit(random, depth - 1, are_formulas),
            );
            Made {
                text: format!("(select {} {})", array.text, index.text),
                value: Box::new(move |values| (array.value)(values)[usize::from((index.value)(values))]),
            }
        }
    }
}

fn array(random: &mut Random, depth: u64, are_formulas: bool) -> Made<[bool; 2]> {
    match random.below(if depth == 0 { 2 } else { 6 }) {
        which @ 0..=1 => {
            let place = which as usize;
            let text = ["a", "b"][place].to_owned();
            Made {
                text,
                value: Box::new(move |values| values.arrays[place]),
            }
        }
        2 => {
            let element = bit(random, depth - 1, are_formulas);
            Made {
                text: format!("((as const (Array S S)) {})", element.text),
                value: Box::new(move |values| [(element.value)(values); 2]),
            }
        }
        _ => {
            let base = array(random, depth - 1, are_formulas);
            let (index, element) = (
                bit(random, depth - 1, are_formulas),
                bit(random, depth - 1, are_formulas),
            );
            Made {
                text: format!("(store {} {} {})", base.text, index.text, element.text),
                value: Box::new(move |values| {
                    let mut array = (base.value)(values);
                    array[usize::from((index.value)(values))] = (element.value)(values);
                    array
                }),
            }
        }
    }
}

fn formula(random: &mut Random, depth: u64, are_formulas: bool) -> Made<bool> {
    match random.below(4) {
        0 => {
            let one = array(random, depth, are_formulas);
            Made {
                text: format!("(f {})", one.text),
                value: Box::new(move |values| {
                    let [low, high] = (one.value)(values);
                    values.f >> (u8::from(low) + 2 * u8::from(high)) & 1 == 1
                }),
            }
        }
        1 => {
            let (left, right) = (
                array(random, depth, are_formulas),
                array(random, depth, are_formulas),
            );
            Made {
                text: format!("(= {} {})", left.text, right.text),
                value: Box::new(move |values| (left.value)(values) == (right.value)(values)),
            }
        }
        2 => {
            let (left, right) = (bit(random, depth, are_formulas), bit(random, depth, are_formulas));
            Made {
                text: format!("(= {} {})", left.text, right.text),
                value: Box::new(move |values| (left.value)(values) == (right.value)(values)),
            }
        }
        _ if depth > 0 => {
            let inner = formula(random, depth - 1, are_formulas);
            Made {
                text: format!("(not {})", inner.text),
                value: Box::new(move |values| !(inner.value)(values)),
            }
        }
        _ => Made {
            text: "true".into(),
            value: Box::new(|_| true),
        },
    }
}

#[test]
fn arrays_over_two_indices_are_decided_as_by_trying_all_of_them() {
    let (mut decided, mut all) = (0, 0);
    for seed in 0..300 * effort() {
        let mut random = Random(seed);
        let are_formulas = seed % 2 == 0;
        let sort = if are_formulas { "Bool" } else { "(_ BitVec 1)" };
        let mut script = format!(
            "(define-sort S () {sort})(declare-const a (Array S S))(declare-const b (Array S S))\
             (declare-const i S)(declare-const e S)(declare-fun f ((Array S S)) Bool)"
        );
        let count = 3 + random.below(4);
        let parts: Vec<Made<bool>> = (0..count)
            .map(|_| formula(&mut random, 3, are_formulas))
            .collect();
        for part in &parts {
            script += &format!("(assert {})", part.text);
        }
        let expected = everything().any(|values| parts.iter().all(|part| (part.value)(&values)));
        let said = answers(&format!("{script}(check-sat)"));
        all += 1;
        if said != ["unknown"] {
            assert_eq!(said, [if expected { "sat" } else { "unsat" }], "{script}");
            decided += 1;
        }
    }
    assert!(decided * 100 >= all * 97, "{decided} of {all}");
}

/// `p x + q y <= r`.
type Row = [i64; 3];

fn holds([p, q, r]: &Row, x: &Rational, y: &Rational) -> bool {
    &(&Rational::integer(*p) * x) + &(&Rational::integer(*q) * y) <= Rational::integer(*r)
}

/// Points, the middles between them, and one beyond each end.
fn with_middles(mut points: Vec<Rational>) -> Vec<Rational> {
    let two = Rational::integer(2);
    points.sort();
    points.dedup();
    let mut all: Vec<Rational> = points
        .windows(2)
        .map(|pair| &(&pair[0] + &pair[1]) / &two)
        .collect();
    match (points.first(), points.last()) {
        (Some(first), Some(last)) => all.extend([first - &Rational::one(), last + &Rational::one()]),
        _ => all.push(Rational::zero()),
    }
    all.extend(points);
    all
}

/// Whether a clause of inequalities and negated ones holds for all `y`: where it changes, between, and beyond.
fn for_all(clauses: &[Vec<(Row, bool)>], x: &Rational) -> bool {
    let rows = clauses.iter().flatten().filter(|(row, _)| row[1] != 0);
    let crossings = rows.map(|([p, q, r], _)| {
        let rest = &Rational::integer(*r) - &(&Rational::integer(*p) * x);
        &rest / &Rational::integer(*q)
    });
    let clause_holds =
        |clause: &Vec<(Row, bool)>, y: &Rational| clause.iter().any(|(row, sign)| holds(row, x, y) == *sign);
    with_middles(crossings.collect())
        .iter()
        .all(|y| clauses.iter().all(|clause| clause_holds(clause, y)))
}

/// Whether there is an `x` for which the clauses hold for all `y`: what holds changes only where two of the lines meet, or one is upright.
fn is_possible(clauses: &[Vec<(Row, bool)>]) -> bool {
    let rows: Vec<&Row> = clauses.iter().flatten().map(|(row, _)| row).collect();
    let mut meetings = Vec::new();
    for [p, q, r] in &rows {
        if *q == 0 && *p != 0 {
            meetings.push(&Rational::integer(*r) / &Rational::integer(*p));
        }
        for [s, t, u] in &rows {
            let determinant = p * t - s * q;
            if determinant != 0 {
                meetings.push(&Rational::integer(r * t - u * q) / &Rational::integer(determinant));
            }
        }
    }
    with_middles(meetings).iter().any(|x| for_all(clauses, x))
}

#[test]
fn universal_formulas_over_the_reals_are_decided_as_at_the_points_where_they_change() {
    let (mut decided, mut all) = (0, 0);
    for seed in 0..150 * effort() {
        let mut random = Random(7_000_000 + seed);
        let mut factor = |bound: u64| random.below(2 * bound + 1) as i64 - bound as i64;
        let clauses: Vec<Vec<(Row, bool)>> = (0..2 + seed % 3)
            .map(|_| {
                (0..3)
                    .map(|_| ([factor(2), factor(3), factor(4)], factor(1) >= 0))
                    .collect()
            })
            .collect();
        let literal = |([p, q, r], sign): &(Row, bool)| {
            let written = |number: &i64| {
                if *number < 0 {
                    format!("(- {})", -number)
                } else {
                    number.to_string()
                }
            };
            let row = format!(
                "(<= (+ (* {} x) (* {} y)) {})",
                written(p),
                written(q),
                written(r)
            );
            if *sign { row } else { format!("(not {row})") }
        };
        let clause = |clause: &Vec<(Row, bool)>| {
            format!(
                "(or {})",
                clause.iter().map(literal).collect::<Vec<_>>().join(" ")
            )
        };
        let body = clauses.iter().map(clause).collect::<Vec<_>>().join(" ");
        let script =
            format!("(declare-const x Real)(assert (forall ((y Real)) (and {body} true)))(check-sat)");
        let said = answers(&script);
        all += 1;
        if said != ["unknown"] {
            assert_eq!(
                said,
                [if is_possible(&clauses) { "sat" } else { "unsat" }],
                "{script}"
            );
            decided += 1;
        }
    }
    assert!(decided * 100 >= all * 97, "{decided} of {all}");
}

#[test]
fn patterns_lead_to_instances_and_change_no_answer() {
    let sets = |pattern: &str| {
        format!(
            "(declare-sort Set 0)(declare-sort Element 0)(declare-fun member (Element Set) Bool)(declare-fun union (Set Set) Set)\
             (declare-const a Set)(declare-const b Set)(declare-const c Element)\
             (assert (forall ((x Element) (s Set) (t Set))
               (! (= (member x (union s t)) (or (member x s) (member x t))) {pattern} :weight 3 :qid |union of sets|)))\
             (assert (member c (union a b)))(assert (not (member c (union b a))))(check-sat)"
        )
    };
    for pattern in [
        "",
        ":pattern ((member x (union s t)))",
        ":pattern ((member x s) (union s t)) :pattern ((member x (union s t)))",
        // One that cannot be matched, as it lacks variables, is as good as none.
        ":pattern ((union s t))",
        ":pattern (union s t)",
        ":no-pattern (union s t)",
        ":skolemid s1 :pattern ((member x s) (member x t) (union s t))",
    ] {
        assert_eq!(answers(&sets(pattern)), ["unsat"], "{pattern}");
    }
    let wrong = answers(&sets(":pattern ((member s x))"));
    assert!(
        wrong[0].starts_with("(error \"line 2: `member` takes a Element here, not a Set"),
        "{wrong:?}"
    );
    assert!(answers(&sets(":pattern x"))[0].contains("a pattern is a list of terms"));
    // A trigger inside of another quantifier follows what is put in place of the outer variable.
    let nested = "(declare-fun f (Int Int) Int)(declare-const k Int)\
        (assert (forall ((x Int)) (! (forall ((y Int)) (! (= (f x y) (+ x y)) :pattern ((f x y)))) :pattern ((f x 0)))))\
        (assert (= (f k 0) 1))(assert (not (= (f k 5) 6)))(check-sat)";
    assert_eq!(answers(nested), ["unsat"]);
}

#[test]
fn names_hold_in_their_command_and_questions_that_are_refused_spoil_nothing() {
    let named = "(declare-const x Int)(assert (= (! (+ x 1) :named n) (- n 0)))(define-fun g () Int (! (* 2 x) :named m))\
        (assert (= m 4))(check-sat)(get-value (n))";
    assert_eq!(answers(named), ["sat", "((n 3))"]);
    let model = "(declare-const x Real)(declare-const p Bool)(assert (=> p (> x 2)))\
        (check-sat-assuming-model (x p) (1 true))(check-sat-assuming-model (x p) ((/ 5 2) true))(get-unsat-model-interpolant)(check-sat)";
    let said = answers(model);
    assert_eq!(
        (said[0].as_str(), said[1].as_str(), said[3].as_str()),
        ("unsat", "sat", "sat")
    );
    assert!(said[2].starts_with("(error"), "{said:?}");
    let mistaken = "(declare-const x Real)(check-sat-assuming-model (x) (true))(check-sat)";
    let said = answers(mistaken);
    assert!(said[0].contains("not of the constant's sort"), "{said:?}");
    let unread = answers("(declare-fun f (Int) Int)(assert (= f f))(check-sat)");
    assert!(
        unread[0].contains("functions as values are not supported"),
        "{unread:?}"
    );
    assert_eq!(unread[1], "unknown");
}

#[test]
fn one_array_written_in_two_ways_is_one_argument() {
    let written = "(define-sort A () (Array (_ BitVec 1) Int))(declare-fun f (A) Int)\
        (assert (not (= (f (store (store ((as const A) 0) #b0 5) #b1 6)) (f (store (store ((as const A) 1) #b0 5) #b1 6)))))(check-sat)";
    assert_eq!(answers(written), ["unsat"]);
    // Where a quantified formula says how many indices there are, arrays that look different are not told apart.
    let counted = "(declare-sort U 0)(declare-const c U)(declare-fun h ((Array U Int)) Int)\
        (assert (forall ((x U)) (= x c)))\
        (assert (not (= (h (store ((as const (Array U Int)) 0) c 5)) (h (store ((as const (Array U Int)) 1) c 5)))))(check-sat)";
    assert_ne!(answers(counted), ["sat"]);
}
