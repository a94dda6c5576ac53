//! Random runs: probabilities that are known by hand, chains in continuous time solved by a naive series, and random networks beside zones and the checker's replay.

use entail_answer::{Answer, Guarantee, Quantity, Verdict};
use entail_budget::Budget;
use entail_clocks::Query;
use entail_clocks::evidence::{Proof, Samples};
use entail_sampling::Settings;
use entail_source::Source;
use entail_timed::Engine;
use entail_timed_checker::judge_by;
use entail_timed_checker::samples::follows;
use entail_uppaal::Translation;
use entail_uppaal_checker::{Asked, Tree};
use entail_uppaal_tree::{Model, PropertyKind};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

pub(crate) fn effort() -> u64 {
    let text = std::env::var("ENTAIL_EFFORT").ok();
    text.and_then(|text| text.parse().ok()).unwrap_or(1)
}

pub(crate) const SETTINGS: Settings = Settings {
    // So sure that one failure in many thousand tests is expected.
    confidence: 0.99999,
    error: 0.02,
    indifference: 0.02,
    seed: 1,
    threads: 1,
};

pub(crate) fn model(text: &str) -> Model {
    let read = entail_uppaal::parse(&Source::new("m.xta", text));
    read.unwrap_or_else(|problems| panic!("{problems:?}\n{text}"))
        .model
}

fn ask_with(text: &str, query: &str, settings: Settings) -> Answer<Proof> {
    let model = model(text);
    let mut translation = Translation::new(&model, "m").unwrap_or_else(|problems| panic!("{problems:?}"));
    let read =
        entail_uppaal::queries(&Source::new("q", query)).unwrap_or_else(|problem| panic!("{problem:?}"));
    let asked = translation
        .query(&read[0])
        .unwrap_or_else(|problem| panic!("{problem:?}"));
    let Query::Chance(chance) = &asked else {
        panic!("{query} is not statistical");
    };
    let answer = entail_sampling::check(translation.network(), chance, settings, &Budget::unlimited());
    let answer = answer.unwrap_or_else(|failure| panic!("{failure:?}"));
    if answer.verdict != Verdict::Unknown {
        assert!(matches!(answer.guarantee, Guarantee::Statistical { .. }));
        assert!(follows(samples(&answer), settings.confidence, answer.value.as_ref()).is_ok());
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

fn interval(answer: &Answer<Proof>) -> (f64, f64) {
    match &answer.value {
        Some(Quantity::Between(low, high)) => (low.to_f64().value(), high.to_f64().value()),
        other => panic!("{other:?}: {:?}", answer.reason),
    }
}

/// The estimate lies around the number.
fn assert_near(text: &str, query: &str, exact: f64) {
    let (low, high) = interval(&ask(text, query));
    assert!(
        (low..=high).contains(&exact),
        "{query}: {exact} not in [{low}, {high}]\n{text}"
    );
}

fn why_unknown(text: &str, query: &str) -> String {
    let answer = ask(text, query);
    assert_eq!(answer.verdict, Verdict::Unknown, "{query}");
    answer.reason.expect("a reason")
}

#[test]
fn races_of_uniform_and_exponential_delays_are_won_as_integrals_say() {
    let race = |first: &str, second: &str| {
        format!(
            "clock x; int w;\n\
             process P() {{ state A {{ {first} }}, B; init A; trans A -> B {{ assign w = w == 0 ? 1 : w; }}; }}\n\
             process Q() {{ state A {{ {second} }}, B; init A; trans A -> B {{ assign w = w == 0 ? 2 : w; }}; }}\n\
             system P, Q;"
        )
    };
    let wins = "Pr[<=1000](<> w == 1)";
    // The first is uniform up to 2, the second up to 3: half of (2 − 2/3).
    assert_near(&race("x <= 2", "x <= 3"), wins, 2.0 / 3.0);
    assert_near(&race("; 2", "; 3"), wins, 0.4);
    assert_near(&race("; 1:2", "; 0.25"), wins, 2.0 / 3.0);
    // 1 − e^−1 of an exponential one against a uniform one up to 1: ∫ e^−t dt.
    assert_near(&race("x <= 1", "; 1"), wins, 1.0 - (-1f64).exp());
    assert_near(&race("x <= 1", "x < 1"), wins, 0.5);
}

#[test]
fn delays_begin_where_the_first_output_opens_and_end_with_the_invariant() {
    let text = |place: &str, guard: &str| {
        format!(
            "clock x;\nprocess P() {{ state A {{ {place} }}, B; init A; trans A -> B {{ guard {guard}; }}; }}\nsystem P;"
        )
    };
    assert_near(&text("x <= 3", "x >= 1"), "Pr[<=2](<> P.B)", 0.5);
    assert_near(&text("; 2", "x >= 1"), "Pr[<=2](<> P.B)", 1.0 - (-2f64).exp());
    assert_near(&text("x <= 3", "x >= 1"), "Pr[<=2]([] P.A)", 0.5);
    assert_near(&text("x <= 4", "x > 2"), "Pr[x<=3](<> P.B)", 0.5);
    // Exactly 3, which no rounding misses.
    let exact = text("x <= 3", "x >= 3");
    assert_eq!(
        samples(&ask(&exact, "Pr[<=3; 500](<> P.B)")).shares[0].successes,
        500
    );
    assert_eq!(
        samples(&ask(&exact, "Pr[<=2; 500](<> P.B)")).shares[0].successes,
        0
    );
    // Conditions on clocks come true while time passes.
    assert_near(&text("; 1", "true"), "Pr[<=9](<> P.A && x > 1)", (-1f64).exp());
    assert_near(&text("; 1", "true"), "Pr[<=9](x < 2 U P.B)", 1.0 - (-2f64).exp());
}

#[test]
fn edges_are_equally_likely_and_branches_as_their_weights_say() {
    let text = "broadcast chan go; clock x; int n;\n\
        process P() { state A { x <= 1 }, B, C, D, E; branchpoint b; init A; trans\n\
          A -> B { sync go!; }, A -> C { guard n == 1; }, A -> b { }, b -> D { probability 3; }, b -> E { probability 1; }; }\n\
        process Q() { state A, B, C; branchpoint b; init A; trans A -> b { sync go?; assign n = 5; }, b -> B { probability 1.5; assign n++; }, b -> C { probability 0.5; }; }\n\
        system P, Q;";
    assert_near(text, "Pr[<=2](<> P.B)", 0.5);
    assert_near(text, "Pr[<=2](<> P.C)", 0.0);
    assert_near(text, "Pr[<=2](<> P.D)", 0.375);
    assert_near(text, "Pr[#<=1](<> P.E)", 0.125);
    assert_near(text, "Pr[#<=0](<> P.E)", 0.0);
    // Half of the broadcasts end in B with weight 3 to 1, after both updates.
    assert_near(text, "Pr[<=2](<> Q.B && n == 6)", 0.375);
    assert_near(text, "Pr[<=2](<> Q.C && n == 5)", 0.125);
}

#[test]
fn committed_and_urgent_locations_and_channels_let_no_time_pass() {
    let text = "urgent broadcast chan hurry; clock x, t; int n;\n\
        process P() { state A { x <= 1 }, B, C, D; commit B; urgent C; init A; trans A -> B { assign t = 0; }, B -> C { assign n = 1; }, C -> D { }; }\n\
        process Q() { state A { ; 5 }, B; init A; trans A -> B { guard n == 1; sync hurry!; }; }\n\
        process R() { state A { ; 1000000 }, B; init A; trans A -> B { guard n == 1; }; }\n\
        system P, Q, R;";
    // The urgent location and the urgent channel come before anything that takes time, in either order.
    assert_eq!(
        samples(&ask(text, "Pr[<=3; 400](<> Q.B && P.D && t == 0)")).shares[0].successes,
        400
    );
    assert_near(text, "Pr[<=3](<> Q.A && P.D)", 0.5);
    assert_near(text, "Pr[<=3](<> R.B && !P.D)", 0.0);
}

#[test]
fn means_tests_comparisons_and_curves() {
    let text = "clock x; int n;\n\
        process P() { state A { ; 2 }; init A; trans A -> A { assign n++; }; }\n\
        process Q() { state A { x <= 4 }, B; init A; trans A -> B { guard x >= 2; }; }\nsystem P, Q;";
    // A Poisson process, and the least of a variable that grows.
    assert_near(text, "E[<=3; 5000](max: n)", 6.0);
    assert_near(text, "E[<=3; 50](min: n + 7)", 7.0);
    assert_near(text, "E[<=4; 5000](min: Q.A)", 0.0);
    assert_near(text, "E[<=3; 5000](max: Q.B)", 0.5);
    assert_near(text, "E[<=3; 500](max: sum (i : int[1,3]) (Q.A || Q.B))", 3.0);
    assert_near(text, "E[<=3; 500](max: sum (i : int[1,3]) (x > i))", 2.0);
    assert_near(text, "E[<=3; 500](max: sum (i : int[1,3]) i)", 6.0);
    for (query, verdict) in [
        ("Pr[<=3](<> Q.B) >= 0.45", Verdict::Holds),
        ("Pr[<=3](<> Q.B) >= 0.55", Verdict::Fails),
        ("Pr[<=3](<> Q.B) <= 0.55", Verdict::Holds),
        ("Pr[<=3](<> Q.B) <= 0.45", Verdict::Fails),
        ("Pr[<=5](<> Q.B) >= 1", Verdict::Holds),
        ("Pr[<=5](<> Q.B) <= 1", Verdict::Holds),
        ("Pr[<=3]([] Q.A) >= 0", Verdict::Holds),
        ("Pr[<=3](<> Q.B) >= Pr[<=3](<> n >= 9)", Verdict::Holds),
        ("Pr[<=3](<> n >= 9) >= Pr[<=3](<> Q.B)", Verdict::Fails),
    ] {
        assert_eq!(ask(text, query).verdict, verdict, "{query}");
    }
    let answer = ask(text, "simulate [<=3; 4] { n, x - 1, Q.B }");
    let found = samples(&answer);
    assert_eq!(found.curves.len(), 12);
    let clock = &found.curves[1];
    assert_eq!((clock.name.as_str(), clock.points[0]), ("x - 1", (0.0, -1.0)));
    assert_eq!(clock.points.last(), Some(&(3.0, 2.0)));
    let answer = ask(text, "simulate [<=3; 40] { n } : 5 : Q.B");
    assert_eq!(samples(&answer).curves.len(), 5);
    assert!(samples(&answer).witness.is_some());
    assert_eq!(samples(&ask(text, "simulate 3 [<=3] { n }")).curves.len(), 3);
}

#[test]
fn the_same_seed_gives_the_same_runs_and_another_one_others() {
    let text = "clock x;\nprocess P() { state A { x <= 2 }, B; init A; trans A -> B { }; }\nsystem P;";
    let with = |seed| {
        samples(&ask_with(
            text,
            "Pr[<=1; 300](<> P.B)",
            Settings { seed, ..SETTINGS },
        ))
        .clone()
    };
    assert_eq!(with(7), with(7));
    assert_ne!(with(7), with(8));
}

#[test]
fn answers_do_not_depend_on_the_number_of_threads() {
    let text = "clock x; int n;\nprocess P() { state A { x <= 2 }, B; init A; trans A -> B { assign n = 3; }; }\nsystem P;";
    for query in [
        "Pr[<=1; 301](<> P.B)",
        "Pr[<=1](<> P.B) >= 0.3",
        "Pr[<=2](<> P.B) >= Pr[<=1](<> P.B)",
        "E[<=1; 101](max: n)",
    ] {
        let with = |threads| {
            let answer = ask_with(text, query, Settings { threads, ..SETTINGS });
            (answer.verdict, samples(&answer).clone())
        };
        assert_eq!(with(1), with(2), "{query}");
        assert_eq!(with(1), with(3), "{query}");
    }
}

#[test]
fn what_the_documentation_demands_of_models_is_noticed() {
    let no_rate = "process P() { state A, B; init A; trans A -> B { }; }\nsystem P;";
    assert!(why_unknown(no_rate, "Pr[<=1](<> P.B)").contains("neither an invariant"));
    let blocked = "chan c;\nprocess P() { state A { ; 1 }, B; init A; trans A -> B { sync c!; }; }\nprocess Q() { state A; init A; }\nsystem P, Q;";
    assert!(why_unknown(blocked, "Pr[<=9](<> P.B)").contains("nobody can receive"));
    let stuck =
        "clock x;\nprocess P() { state A { x <= 3 }, B; init A; trans A -> B { guard x > 5; }; }\nsystem P;";
    assert!(why_unknown(stuck, "Pr[<=9](<> P.B)").contains("time cannot pass"));
    assert_near(stuck, "Pr[<=2](<> P.B)", 0.0);
    let zeno = "process P() { state A; urgent A; init A; trans A -> A { }; }\nsystem P;";
    assert!(why_unknown(zeno, "Pr[<=9](<> false)").contains("same moment"));
    let refused = |query: &str| {
        let model = model(no_rate);
        let mut translation = Translation::new(&model, "m").expect("a model");
        let read = entail_uppaal::queries(&Source::new("q", query));
        match read.map(|read| translation.query(&read[0])) {
            Ok(Err(problem)) => problem.message,
            Err(problems) => problems.0[0].message.clone(),
            Ok(Ok(query)) => panic!("{query:?}"),
        }
    };
    assert!(refused("Pr (<>[0,3] P.B)").contains("metric interval temporal logic"));
    assert!(refused("Pr[<=3](<> P.B) under S").contains("under"));
    assert!(refused("Pr[<=3](<> deadlock)").contains("deadlock"));
    assert!(refused("Pr[<=3](<> P.B) >= 1.5").contains("no probability"));
    assert!(refused("E[<=3](max: P.B)").contains("number of runs"));
    assert!(refused("Pr[<=-1](<> P.B)").contains("-1"));
}

/// The probability that a chain, given by rates, is in a state at some time, by the series of Poisson weights.
fn transient(rates: &[Vec<f64>], goal: usize, time: f64) -> f64 {
    let count = rates.len();
    let exit = |row: &[f64]| row.iter().sum::<f64>();
    let largest = rates.iter().map(|row| exit(row)).fold(1.0, f64::max);
    let mut now = vec![0.0; count];
    now[0] = 1.0;
    let (mut weight, mut sum) = ((-largest * time).exp(), 0.0);
    for step in 1..400 {
        sum += weight * now[goal];
        let mut next = vec![0.0; count];
        for (state, row) in rates.iter().enumerate() {
            next[state] += now[state] * (1.0 - exit(row) / largest);
            for (target, rate) in row.iter().enumerate() {
                next[target] += now[state] * rate / largest;
            }
        }
        now = next;
        weight *= largest * time / f64::from(step);
    }
    sum
}

#[test]
fn random_chains_are_at_their_goal_as_the_naive_series_says() {
    let mut random = StdRng::seed_from_u64(2011);
    for _ in 0..6 * effort() {
        let count = random.random_range(2..5usize);
        let mut rates = vec![vec![0.0; count]; count];
        let (mut places, mut edges) = (Vec::new(), Vec::new());
        for (state, row) in rates.iter_mut().enumerate() {
            // The goal, the last one, is never left: reaching it in time is being there.
            let targets: Vec<usize> = match state + 1 == count {
                true => Vec::new(),
                false => (0..random.random_range(1..4))
                    .map(|_| random.random_range(0..count))
                    .collect(),
            };
            let rate = random.random_range(1..5u32);
            places.push(format!("L{state} {{ ; {rate} }}"));
            for &target in &targets {
                edges.push(format!("L{state} -> L{target} {{ }}"));
                // A loop leads nowhere else, but is one of the edges.
                row[target] += f64::from(rate) / targets.len() as f64;
            }
            row[state] = 0.0;
        }
        let text = format!(
            "process P() {{ state {}; init L0; trans {}; }}\nsystem P;",
            places.join(", "),
            edges.join(", ")
        );
        let goal = count - 1;
        assert_near(
            &text,
            &format!("Pr[<=1](<> P.L{goal})"),
            transient(&rates, goal, 1.0),
        );
    }
}

/// A random network in which delays are always defined: everything is sent by broadcast, and rates are everywhere.
pub(crate) fn random_network(random: &mut StdRng) -> String {
    let mut text = "broadcast chan a, b; clock x, y; int[0,3] n;\n".to_owned();
    for process in 0..2 {
        let places: Vec<String> = (0..3)
            .map(|place| match random.random_range(0..3) {
                0 => format!(
                    "L{place} {{ {} <= {}; 1 }}",
                    ["x", "y"][process],
                    random.random_range(1..4)
                ),
                _ => format!("L{place} {{ ; {} }}", random.random_range(1..4)),
            })
            .collect();
        let edges: Vec<String> = (0..5)
            .map(|_| {
                let (from, to) = (random.random_range(0..3), random.random_range(0..3));
                let guard = match random.random_range(0..4) {
                    0 => format!(
                        "guard {} >= {};",
                        ["x", "y"][random.random_range(0..2)],
                        random.random_range(0..4)
                    ),
                    1 => format!("guard n < {};", random.random_range(1..4)),
                    2 => format!("guard x <= {};", random.random_range(1..4)),
                    _ => String::new(),
                };
                let sync =
                    ["sync a!;", "sync b!;", "sync a?;", "sync b?;", "", ""][random.random_range(0..6)];
                let assign = [
                    "assign x = 0;",
                    "assign y = 0;",
                    "assign x = 0, y = 0;",
                    "assign n = (n + 1) % 4;",
                    "",
                ][random.random_range(0..5)];
                format!("L{from} -> L{to} {{ {guard} {sync} {assign} }}")
            })
            .collect();
        text += &format!(
            "process P{process}() {{ state {}; init L0; trans {}; }}\n",
            places.join(", "),
            edges.join(", ")
        );
    }
    text + "system P0, P1;"
}

#[test]
fn what_random_runs_meet_is_reachable_and_their_runs_replay() {
    let mut random = StdRng::seed_from_u64(29);
    let budget = Budget::unlimited();
    let (mut met, mut tried) = (0, 0);
    for _ in 0..60 * effort() {
        let text = random_network(&mut random);
        let goal = format!(
            "P0.L{} && P1.L{} && x {} {} && n >= {}",
            random.random_range(0..3),
            random.random_range(0..3),
            ["<", ">", ">="][random.random_range(0..3)],
            random.random_range(0..4),
            random.random_range(0..2)
        );
        let model = model(&text);
        let mut translation = Translation::new(&model, "m").expect("a model");
        let read = entail_uppaal::queries(&Source::new("q", format!("Pr[<=10; 40](<> {goal})\nE<> {goal}")));
        let read = read.expect("queries");
        let (chance, reach) = (translation.query(&read[0]), translation.query(&read[1]));
        let (Ok(Query::Chance(chance)), Ok(reach)) = (chance, reach) else {
            panic!("{goal}");
        };
        let network = translation.network();
        let answer = entail_sampling::check(network, &chance, SETTINGS, &budget).expect("no fault");
        if answer.verdict == Verdict::Unknown {
            // Time may be stuck in such networks.
            continue;
        }
        tried += 1;
        let found = samples(&answer);
        assert_eq!(found.witness.is_some(), found.shares[0].successes > 0);
        let Some(run) = &found.witness else { continue };
        met += 1;
        let proved = Engine::new(network, Default::default())
            .check(&reach, &budget)
            .expect("no fault");
        assert_eq!(proved.verdict, Verdict::Holds, "{goal}\n{text}");
        let kind: &PropertyKind = &read[1].kind;
        let proof = Proof::Run { run: run.clone() };
        let report = judge_by(
            &|ask| ask(&Asked::new(&Tree::new(&model).expect("a model"), kind)),
            1,
            network,
            &reach,
            Verdict::Holds,
            &proof,
            &budget,
        );
        assert!(report.is_accepted(), "{report:?}\n{goal}\n{text}");
    }
    assert!(met * 5 > tried && tried > 20, "{met} of {tried}");
}

#[test]
fn figures_that_do_not_follow_from_the_counts_are_rejected() {
    let text = "clock x;\nprocess P() { state A { x <= 2 }, B; init A; trans A -> B { }; }\nsystem P;";
    let answer = ask(text, "Pr[<=1; 300](<> P.B)");
    let found = samples(&answer);
    let judged = |samples: &Samples, confidence| follows(samples, confidence, answer.value.as_ref());
    assert!(judged(found, SETTINGS.confidence).is_ok());
    let mut fewer = found.clone();
    fewer.shares[0].successes -= 20;
    assert!(judged(&fewer, SETTINGS.confidence).is_err());
    assert!(judged(found, 0.9999999).is_err());
    fewer.shares.clear();
    assert!(judged(&fewer, SETTINGS.confidence).is_err());
}

#[test]
fn readings_are_added_and_multiplied() {
    let text = "clock x; int n = 3;
        process P() { state A { x <= 1 }, B { x <= 9 }; init A; trans A -> B { guard x >= 1; assign n = 5; }; }
        system P;";
    // -1.25 at A, where n is 3, and 1.5 at B, where it is 5.
    let query = "E[<=2; 10](max: 0.25*P.A + 4*P.B - n / 2.0)";
    let (low, high) = interval(&ask(text, query));
    assert!(low <= 1.5 && 1.5 <= high && high - low < 1e-6, "{low} {high}");
    let (low, high) = interval(&ask(text, "E[<=2; 10](min: (P.A + P.B) * 3 - n)"));
    assert!(low <= -2.0 && -2.0 <= high && high - low < 1e-6, "{low} {high}");
    // A comma behind the last reading is UPPAAL's, too.
    let answer = ask(text, "simulate [<=2; 1] { 2*P.A + 1, n, }");
    let curves = &samples(&answer).curves;
    assert_eq!(
        curves.iter().map(|curve| curve.name.as_str()).collect::<Vec<_>>(),
        ["2*P.A + 1", "n"]
    );
    assert_eq!(curves[0].points.first().map(|point| point.1), Some(3.0));
}

#[test]
fn clocks_stand_still_in_random_runs_where_invariants_say_so() {
    // `work` runs at B only, where P stays for exactly 2 of every 5 units; after 3 rounds it is 6, at time 14.
    let text = "clock x, work;
        process P() { state A { x <= 3 && work' == 0 }, B { x <= 2 }; init A; trans
        A -> B { guard x >= 3; assign x = 0; }, B -> A { guard x >= 2; assign x = 0; }; }
        system P;";
    assert_near(text, "Pr[<=14](<> work >= 5)", 1.0);
    assert_near(text, "Pr[<=12](<> work >= 5)", 0.0);
    assert_near(text, "Pr[<=100]([] work <= x + 40 || x >= 0)", 1.0);
    let (low, high) = interval(&ask(text, "E[<=15; 20](max: work)"));
    assert!(low <= 6.0 && 6.0 <= high && high - low < 1e-6, "{low} {high}");
    // Runs bounded by a clock that stands still go on while it does: at 6, P comes back to A.
    let (low, high) = interval(&ask(text, "E[work<=6; 20](max: work - x)"));
    assert!(low <= 6.0 && 6.0 <= high && high - low < 1e-6, "{low} {high}");
    // An invariant on a clock that stands still bounds nothing, and a guard on it opens when it has run.
    let late = "clock x, w; process P() { state A { w <= 1 && x <= 4 && w' == 0 }, B; init A; trans A -> B { guard w >= 1; }, A -> A { guard x >= 4; assign x = 0, w = 1; }; } system P;";
    assert_near(late, "Pr[<=9](<> P.B && w == 1 + 0)", 1.0);
}
