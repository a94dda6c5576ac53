//! Floating-point numbers, hybrid clocks and rates in random runs: probabilities that are known in closed form, distributions by their moments, and integer models in both translations, run by run.

use crate::statistical::{SETTINGS, effort, model, random_network};
use entail_answer::{Answer, Quantity, Verdict};
use entail_budget::Budget;
use entail_clocks::evidence::{Proof, Samples};
use entail_clocks::{Draw, Expression, Fault, Query, Real, to_bits};
use entail_sampling::Settings;
use entail_source::{Diagnostic, Source};
use entail_timed::Engine;
use entail_timed_checker::judge_by;
use entail_timed_checker::samples::follows;
use entail_uppaal::{RANDOM_ONLY, Translation};
use entail_uppaal_checker::{Asked, Tree};
use entail_uppaal_tree::Property;
use rand::SeedableRng;
use rand::rngs::StdRng;

fn property(query: &str) -> Property {
    let read = entail_uppaal::queries(&Source::new("q", query));
    read.unwrap_or_else(|problem| panic!("{problem:?}")).remove(0)
}

fn ask_with(text: &str, query: &str, settings: Settings) -> Answer<Proof> {
    let model = model(text);
    let mut translation =
        Translation::for_random_runs(&model, "m").unwrap_or_else(|problems| panic!("{problems:?}"));
    let asked = translation
        .query(&property(query))
        .unwrap_or_else(|problem| panic!("{problem:?}"));
    let Query::Chance(chance) = &asked else {
        panic!("{query} is not statistical");
    };
    let answer = entail_sampling::check(translation.network(), chance, settings, &Budget::unlimited());
    let answer = answer.unwrap_or_else(|failure| panic!("{failure:?}"));
    if answer.verdict != Verdict::Unknown {
        assert!(follows(samples(&answer), settings.confidence, answer.value.as_ref()).is_ok());
        assert!(samples(&answer).witness.is_none());
    }
    answer
}

fn ask(text: &str, query: &str) -> Answer<Proof> {
    ask_with(text, query, SETTINGS)
}

fn samples(answer: &Answer<Proof>) -> &Samples {
    match &answer.evidence {
        Some(Proof::Samples { samples }) => samples,
        other => panic!("{other:?}: {:?}", answer.reason),
    }
}

/// The estimate lies around the number.
fn assert_near(text: &str, query: &str, exact: f64) {
    let answer = ask(text, query);
    let Some(Quantity::Between(low, high)) = &answer.value else {
        panic!("{query}: {:?}\n{text}", answer.reason);
    };
    let (low, high) = (low.to_f64().value(), high.to_f64().value());
    assert!(
        (low..=high).contains(&exact),
        "{query}: {exact} not in [{low}, {high}]\n{text}"
    );
}

/// All runs do it, or none.
fn assert_all(text: &str, query: &str, wanted: bool) {
    let answer = ask(text, query);
    let share = samples(&answer).shares[0];
    let expected = if wanted { share.runs } else { 0 };
    assert_eq!(share.successes, expected, "{query}\n{text}");
}

/// What the translation for everything but random runs says, or the one for these.
fn refused(text: &str, for_random_runs: bool) -> Diagnostic {
    let model = model(text);
    let made = match for_random_runs {
        true => Translation::for_random_runs(&model, "m"),
        false => Translation::new(&model, "m"),
    };
    match made {
        Err(problems) => problems.0[0].clone(),
        Ok(_) => panic!("accepted:\n{text}"),
    }
}

fn one_process(declarations: &str, states: &str, edges: &str) -> String {
    format!("{declarations}\nprocess P() {{ state {states}; init A; trans {edges}; }}\nsystem P;")
}

#[test]
fn rates_of_locations_are_numbers_that_functions_give() {
    let leaves = |declarations: &str, rate: &str| {
        one_process(declarations, &format!("A {{ ; {rate} }}, B"), "A -> B { }")
    };
    let expected = |rate: f64| 1.0 - (-rate).exp();
    assert_near(
        &leaves("const double r = 1.5;", "r"),
        "Pr[<=1](<> P.B)",
        expected(1.5),
    );
    assert_near(
        &leaves("double r = 0.5;", "r * 1.4"),
        "Pr[<=1](<> P.B)",
        expected(0.7),
    );
    assert_near(
        &leaves("double f(double x) { return sqrt(x) + exp(0.0); }", "f(0.25)"),
        "Pr[<=1](<> P.B)",
        expected(1.5),
    );
    assert_near(
        &leaves("const int n = 3; const double d = 2.0;", "n / d"),
        "Pr[<=1](<> P.B)",
        expected(1.5),
    );
    // Of two exponential delays the first ends first as the rates say.
    let race = "const double a = 0.7, b = 1.3;\n\
        process P() { state A { ; a }, B; init A; trans A -> B { }; }\n\
        process Q() { state A { ; b }, B; init A; trans A -> B { }; }\nsystem P, Q;";
    assert_near(race, "Pr[<=50](Q.A U P.B)", 0.35);
}

#[test]
fn weights_of_branches_are_numbers_that_functions_give() {
    let text = "const double w = pow(2.0, 0.5);\n\
        process P() { state A { ; 1 }, B, C; branchpoint b; init A; trans A -> b { },\n\
          b -> B { probability w * w; }, b -> C { probability fabs(-6.0); }; }\nsystem P;";
    assert_near(text, "Pr[<=60](<> P.B)", 0.25);
}

#[test]
fn clocks_run_at_any_rate_and_meet_their_bounds() {
    // Uniform between 2 and 5, as x runs from 4 to 10 at the rate 2.
    let fast = one_process(
        "clock x;",
        "A { x <= 10 && x' == 2 }, B",
        "A -> B { guard x >= 4; }",
    );
    assert_near(&fast, "Pr[<=3](<> P.B)", 1.0 / 3.0);
    // At a rate that no grid has, the bound and the guard meet in one moment.
    for rate in ["3", "7", "0.1", "1.0/3", "123.456"] {
        let text = one_process(
            "clock x, t;",
            &format!("A {{ x <= 10 && x' == {rate} }}, B {{ x <= 10 && x' == 0; 1000 }}, C"),
            "A -> B { guard x >= 10; }, B -> C { guard x >= 10; }",
        );
        assert_all(&text, "Pr[<=1000; 100](<> P.C)", true);
        assert_all(&text, "Pr[<=1000; 100](<> x > 10.0001 && !P.C)", false);
    }
    // A rate that depends on an integer.
    let chosen = one_process(
        "clock x; int[0,3] r = 3;",
        "A { x <= 6 && x' == r }, B",
        "A -> B { guard x >= 6; }",
    );
    assert_all(&chosen, "Pr[<=2; 100](<> P.B)", true);
    assert_all(&chosen, "Pr[<=1; 100](<> P.B)", false);
    // A clock that falls has a lower bound in its guard only.
    let falls = one_process(
        "hybrid clock h = 5.0; clock t;",
        "A { t <= 4 && h' == -0.5 }, B",
        "A -> B { guard h <= 3.5; }",
    );
    assert_all(&falls, "Pr[<=4; 100](<> P.B)", true);
    assert_all(&falls, "Pr[t <= 2; 100](<> P.B)", false);
    // It leaves A between 3 and 4, and h grows at the rate 1 from then on.
    assert_near(&falls, "E[<=4; 200](min: h)", 3.25);
}

#[test]
fn values_of_clocks_go_on_when_rates_change() {
    // At the rate 1 for 2 units, then at the rate 0.25: 2 + 0.25 · 4 = 3 after 6 units.
    let text = one_process(
        "clock x, t;",
        "A { t <= 2 }, B { x' == 0.25 && t <= 100 }",
        "A -> B { guard t >= 2; }",
    );
    assert_all(&text, "Pr[<=6; 50](<> x >= 3)", true);
    assert_all(&text, "Pr[<=6; 50](<> x > 3.0001)", false);
    assert_near(&text, "E[<=6; 50](max: x)", 3.0);
    assert_near(&text, "E[<=6; 50](max: 2.5 * x - t)", 3.0);
    assert_near(&text, "E[<=6; 50](max: x - 2)", 1.0);
}

#[test]
fn clocks_are_set_to_numbers_and_copied() {
    let text = one_process(
        "clock x = 1.5, y; double d;",
        "A { y <= 2 }, B { y <= 100 }",
        "A -> B { guard y >= 2; assign d = 2 * x + y, x = d / 2, y = x; }",
    );
    // x is 3.5 after 2 units, d is 9, and both clocks are 4.5 then.
    assert_all(
        &text,
        "Pr[<=3; 20](<> P.B && d == 9.0 && x - y == 0 && x >= 5.5)",
        true,
    );
    assert_all(&text, "Pr[<=3; 20](<> y > 5.501)", false);
    // Of a function that reads and sets clocks the value is that of the step.
    let function = one_process(
        "clock x; double last[2];\nvoid note() { last[1] = last[0]; last[0] = x; x = 0; }",
        "A { x <= 2 }, B { x <= 3 }, C",
        "A -> B { guard x >= 2; assign note(); }, B -> C { guard x >= 3; assign note(); }",
    );
    assert_all(
        &function,
        "Pr[<=5; 20](<> P.C && last[0] == 3.0 && last[1] == 2.0 && x == 0)",
        true,
    );
}

#[test]
fn random_numbers_decide_as_their_distributions_say() {
    let drawn = |draw: &str, condition: &str| {
        one_process(
            "double d;",
            "A { ; 1000 }, B { ; 1000 }, C",
            &format!("A -> B {{ assign d = {draw}; }}, B -> C {{ guard {condition}; }}"),
        )
    };
    let reached = "Pr[<=1000](<> P.C)";
    assert_near(&drawn("random(1)", "d < 0.3"), reached, 0.3);
    assert_near(&drawn("random(4.0) - 1", "d >= 2"), reached, 0.25);
    assert_near(&drawn("random_normal(2, 0.5)", "d > 2.5"), reached, 0.158_655);
    assert_near(
        &drawn("random_poisson(2)", "d == 2"),
        reached,
        2.0 * (-2f64).exp(),
    );
    assert_near(&drawn("random_weibull(2, 1)", "d > 1"), reached, (-1f64).exp());
    assert_near(&drawn("random_gamma(1, 2)", "d > 2"), reached, (-1f64).exp());
    assert_near(&drawn("random_beta(1, 3)", "d > 0.5"), reached, 0.125);
    assert_near(&drawn("random_tri(0, 1, 2)", "d < 0.5"), reached, 0.125);
    assert_near(&drawn("random_arcsine(0, 1)", "d < 0.25"), reached, 1.0 / 3.0);
    // Draws of one step are independent of each other.
    assert_near(&drawn("random(1) + random(1)", "d < 1"), reached, 0.5);
    assert_near(
        &drawn("random(1) < 0.5 ? random(1) : 2.0", "d < 0.5"),
        reached,
        0.25,
    );
    assert_near(&drawn("random(1) * 10, d = fint(d)", "d == 7"), reached, 0.1);
}

#[test]
fn distributions_have_their_means_and_variances() {
    let expected: &[(Draw, &[f64], f64, f64)] = &[
        (Draw::Uniform, &[6.0], 3.0, 3.0),
        (Draw::Normal, &[5.0, 2.0], 5.0, 4.0),
        (Draw::Poisson, &[3.5], 3.5, 3.5),
        (Draw::Poisson, &[40.0], 40.0, 40.0),
        (Draw::Arcsine, &[1.0, 3.0], 2.0, 0.5),
        (Draw::Beta, &[2.0, 3.0], 0.4, 0.04),
        (Draw::Gamma, &[2.5, 2.0], 5.0, 10.0),
        (Draw::Gamma, &[0.5, 2.0], 1.0, 2.0),
        (Draw::Triangular, &[0.0, 1.0, 5.0], 2.0, 21.0 / 18.0),
        (Draw::Weibull, &[1.0, 2.0], 2.0, 4.0),
    ];
    for &(draw, parameters, mean, variance) in expected {
        let (mut generator, count) = (7, 200_000);
        let (mut sum, mut squares) = (0.0, 0.0);
        for _ in 0..count {
            let number = draw.draw(parameters, &mut generator).expect("a distribution");
            sum += number;
            squares += number * number;
        }
        let found = sum / f64::from(count);
        // Eight standard errors of the mean; the variance is looked at more roughly.
        let aside = 8.0 * (variance / f64::from(count)).sqrt();
        assert!((found - mean).abs() < aside, "{draw:?}: mean {found}");
        let spread = squares / f64::from(count) - found * found;
        assert!(
            (spread / variance - 1.0).abs() < 0.05,
            "{draw:?}: variance {spread}"
        );
    }
}

#[test]
fn what_has_no_value_is_told() {
    for (draw, parameters) in [
        (Draw::Normal, &[0.0, -1.0][..]),
        (Draw::Beta, &[0.0, 1.0]),
        (Draw::Triangular, &[0.0, 3.0, 2.0]),
        (Draw::Poisson, &[f64::NAN]),
        (Draw::Uniform, &[f64::INFINITY]),
    ] {
        assert_eq!(draw.draw(parameters, &mut 1), Err(Fault::NoDistribution));
    }
    let truncated = |number: f64| {
        let argument = Expression::Constant(to_bits(number));
        Expression::Real(Real::Truncate, Box::new([argument])).value(&[])
    };
    assert_eq!(truncated(-2.9), Ok(-2));
    assert_eq!(truncated(1e19), Err(Fault::NoInteger));
    assert_eq!(truncated(f64::NAN), Err(Fault::NoInteger));
    let text = one_process(
        "double d = 1.0; int n;",
        "A { ; 1 }, B",
        "A -> B { assign n = fint(d / 0.0); }",
    );
    let model = model(&text);
    let mut translation = Translation::for_random_runs(&model, "m").expect("a model");
    let Ok(Query::Chance(chance)) = translation.query(&property("Pr[<=100](<> P.B)")) else {
        panic!("no question");
    };
    let failure = entail_sampling::check(translation.network(), &chance, SETTINGS, &Budget::unlimited());
    assert_eq!(failure.expect_err("no integer").trouble.fault, Fault::NoInteger);
}

#[test]
fn code_has_variables_arrays_records_parameters_and_results_of_numbers() {
    let text = one_process(
        "typedef struct { double re, im; int n; } z_t;\n\
         z_t z = { 1.5, -2.0, 3 }, w;\n\
         double a[3] = { 0.5, 1.0, 1.5 };\n\
         double total(double & b[3], int from) { double s = 0.0; for (i : int[0,2]) if (i >= from) { s += b[i]; b[i] *= 2; } return s; }\n\
         double square(z_t v) { return v.re * v.re + v.im * v.im; }\n\
         bool near(double p, double q) { return fabs(p - q) < 1e-12; }\n\
         double d, e; int n;",
        "A { ; 100 }, B",
        "A -> B { assign w = z, w.im = total(a, 1), d = square(w), e = sum (i : int[0,2]) a[i] * i, n = near(d, 8.5) && near(e, 8.0) ? 1 : 2, d++, e -= 0.5; }",
    );
    // 1.5² + 2.5², then 0.5·0 + 2·1 + 3·2.
    assert_all(
        &text,
        "Pr[<=100; 20](<> P.B && n == 1 && d == 9.5 && e == 7.5 && z.im == -2.0 && w.n == 3)",
        true,
    );
}

#[test]
fn urgent_broadcasts_are_sent_as_soon_as_clocks_allow() {
    let text = "urgent broadcast chan now; clock x; hybrid clock h;\n\
        process P() { state A { h' == 2.5 }, B { h' == 2.5 }; init A; trans A -> B { guard h >= 5; sync now!; }; }\n\
        process Q() { state A { ; 1 }, B; init A; trans A -> B { sync now?; }, A -> B { }; }\nsystem P, Q;";
    assert_all(text, "Pr[<=2; 50](<> P.B && Q.B)", true);
    assert_all(text, "Pr[<=9; 50](<> P.A && x > 2.0001)", false);
    assert_near(text, "Pr[<=1](<> Q.B)", 1.0 - (-1f64).exp());
}

#[test]
fn doubles_and_hybrid_clocks_on_which_nothing_depends_are_left_out_of_other_questions() {
    let text = "const double k = 2.5; double d = 1.0, e[2]; hybrid clock h; clock x; int[0,9] n;\n\
        double twice(double a) { d = a; return 2 * a + x; }\n\
        process P() { state A { x <= 3 && h' == d * 2 }, B; init A; trans A -> B { guard x >= 2; assign n = fint(k * 2), d = twice(x) * random(1), e[0] += d++, h = n++; }; }\n\
        system P;";
    let model = model(text);
    let mut translation = Translation::new(&model, "m").unwrap_or_else(|problems| panic!("{problems:?}"));
    assert_eq!(translation.network().integers.len(), 1);
    assert!(translation.falls_short());
    for (query, verdict) in [
        ("E<> P.B && n == 6", Verdict::Holds),
        ("A[] P.B imply n == 6 && x >= 2", Verdict::Holds),
        ("A[] P.A", Verdict::Fails),
    ] {
        let asked = property(query);
        let question = translation.query(&asked).expect("a question");
        let engine = Engine::new(translation.network(), Default::default());
        let answer = engine
            .check(&question, &Budget::unlimited())
            .unwrap_or_else(|_| panic!("{query}"));
        assert_eq!(answer.verdict, verdict, "{query}");
        let proof = answer.evidence.expect("evidence");
        let report = judge_by(
            &|ask| ask(&Asked::new(&Tree::new(&model).expect("a tree"), &asked.kind)),
            1,
            translation.network(),
            &question,
            verdict,
            &proof,
            &Budget::unlimited(),
        );
        assert!(report.is_accepted(), "{query}: {report:?}");
    }
    // With t between 2 and 3 the step is taken: h is 2t before, 5 after it, and 8 − t in the end.
    assert_near(text, "E[<=3; 2000](max: h)", 17.0 / 3.0);
}

#[test]
fn what_depends_on_numbers_is_refused_by_name_outside_of_random_runs() {
    let about = |declarations: &str, state: &str, edge: &str| {
        let states = match state {
            "" => "A, B".to_owned(),
            state => format!("A {{ {state} }}, B"),
        };
        one_process(declarations, &states, &format!("A -> B {{ {edge} }}"))
    };
    for (text, message) in [
        (about("double d;", "", "guard d > 1;"), "floating-point number"),
        (
            about("double d; int n;", "", "assign n = fint(d);"),
            "floating-point number",
        ),
        (about("double d; clock x;", "x <= d", ""), "floating-point number"),
        (about("clock x;", "x <= 2.5", ""), "floating-point number"),
        (about("clock x;", "x' == 2", ""), "rates of clocks"),
        (about("clock x; double d;", "x' == d", ""), "rates of clocks"),
        (about("clock x = 1.5;", "", ""), "begin with another value"),
        (
            about("clock x; double d;", "", "assign x = d;"),
            "floating-point number",
        ),
        (
            about("urgent broadcast chan c; clock x;", "", "guard x > 1; sync c!;"),
            "urgent",
        ),
    ] {
        let problem = refused(&text, false);
        assert_eq!(problem.code, RANDOM_ONLY, "{text}");
        assert!(problem.message.contains(message), "{}: {text}", problem.message);
        let model = model(&text);
        let mut translation =
            Translation::for_random_runs(&model, "m").unwrap_or_else(|all| panic!("{all:?}\n{text}"));
        assert_eq!(
            translation.query(&property("E<> P.B")).expect_err("refused").code,
            RANDOM_ONLY
        );
    }
    for (text, message) in [
        (
            about("clock x, y;", "x' == y", ""),
            "derivatives that depend on clocks",
        ),
        (
            about("clock x, y;", "x' == 2 * x + 1.5", ""),
            "derivatives that depend on clocks",
        ),
        (about("clock x, y;", "", "guard x * y > 1;"), "clocks"),
        (about("double d;", "", "guard random(1) < 0.5;"), "random numbers"),
    ] {
        let problem = refused(&text, true);
        assert_eq!(problem.code, "uppaal::unsupported", "{text}");
        assert!(problem.message.contains(message), "{}: {text}", problem.message);
    }
}

#[test]
fn integer_models_run_alike_in_both_translations() {
    for seed in 0..60 * effort() {
        let text = random_network(&mut StdRng::seed_from_u64(seed));
        let model = model(&text);
        let mut both = Vec::new();
        for for_random_runs in [false, true] {
            let mut translation = match for_random_runs {
                true => Translation::for_random_runs(&model, "m"),
                false => Translation::new(&model, "m"),
            }
            .unwrap_or_else(|problems| panic!("{problems:?}\n{text}"));
            assert_eq!(translation.network().reals.is_some(), for_random_runs);
            let mut found = Vec::new();
            for query in [
                "Pr[<=6; 60](<> P0.L1 && n > 1)",
                "Pr[<=7; 60](<> x > 2 && P1.L2)",
                "E[<=6; 40](max: n + 1)",
                "E[<=6; 40](max: x - 1)",
            ] {
                let Ok(Query::Chance(chance)) = translation.query(&property(query)) else {
                    panic!("{query}");
                };
                let answer =
                    entail_sampling::check(translation.network(), &chance, SETTINGS, &Budget::unlimited());
                found.push(match answer {
                    Ok(answer) => (
                        answer.reason,
                        answer.evidence.map(|proof| match proof {
                            Proof::Samples { samples } => (samples.shares, samples.mean, samples.when),
                            other => panic!("{other:?}"),
                        }),
                    ),
                    Err(failure) => (Some(failure.trouble.fault.to_string()), None),
                });
            }
            both.push(format!("{found:?}"));
        }
        assert_eq!(both[0], both[1], "{text}");
    }
}
