//! Bounds over regions of parameters: beside the naive solver at points of the region, and with evidence that was damaged.

use crate::beside_answers::{load, options};
use entail_answer::{Answer, CheckReport, Verdict};
use entail_budget::{Budget, Silent};
use entail_family::{LoadError, Model, ModelError, Options};
use entail_markov::parametric::Parametric;
use entail_markov::{Bracket, Certificate, Explicit, Optimum, Rational, Value, explore, naive};
use entail_prism::Constants;
use entail_stochastic_checker::regions::{Region, RegionChecker};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use serde_json::{Value as Json, json};

pub fn effort() -> u64 {
    let factor = std::env::var("ENTAIL_EFFORT").ok();
    factor.and_then(|text| text.parse().ok()).unwrap_or(1)
}

fn decide(
    text: &str,
    region: &str,
    question: &str,
    engine: &str,
) -> Result<(Answer, CheckReport), ModelError> {
    let given = options(&[("region", region)]);
    let mut model = load(text, &given).expect("a model");
    let property = model.add_property(question, None).expect("a property");
    let budget = Budget::unlimited();
    let mut session = model.open(&given, false).expect("options");
    let answer = session.check(engine, property, &budget, &Silent)?;
    let report = match answer.verdict {
        Verdict::Unknown => CheckReport::Accepted,
        _ => judged(&*model, &given, property, &answer, &|_| {}),
    };
    Ok((answer, report))
}

/// What the checker says of saved evidence after some damage.
fn judged(
    model: &dyn Model,
    given: &Options,
    property: usize,
    answer: &Answer,
    damage: &dyn Fn(&mut Json),
) -> CheckReport {
    let mut checker = model.checker(given).expect("options");
    let evidence = answer.evidence.as_ref().expect("evidence");
    let mut saved = json!({"evidence": checker.to_saved_json(property, &**evidence)});
    damage(&mut saved["evidence"]);
    match checker.evidence_from_json(property, &saved) {
        Ok(evidence) => {
            let again = Answer::complete(answer.verdict, ()).map(|()| evidence);
            checker.check(property, &again, &Budget::unlimited())
        }
        Err(_) => CheckReport::rejected("unreadable"),
    }
}

/// Two coins in a row; both must show heads: p*q. Then heads of the first alone: p.
const COINS: &str = "dtmc\nconst double p;\nconst double q;\nconst double rest = 1-p;\nmodule m\n s : [0..3];\n [] s=0 -> p : (s'=1) + rest : (s'=3);\n [] s=1 -> q : (s'=2) + 1-q : (s'=3);\nendmodule\nlabel \"both\" = s=2;\nrewards \"r\" s=0 : p; s=1 : 2; endrewards";

/// The least value is inside: p (1-p), for each toss of its own command.
const ARCH: &str = "dtmc\nconst double p;\nmodule m\n s : [0..3];\n [] s=0 -> p : (s'=1) + 1-p : (s'=3);\n [] s=1 -> 1-p : (s'=2) + p : (s'=3);\nendmodule";

#[test]
fn a_bound_holds_in_a_region_or_is_violated_at_a_point_of_it() {
    for (text, region, question, verdict) in [
        (
            COINS,
            "0.1<=p<=0.9,0.2<=q<=0.3",
            "P<=0.27 [ F \"both\" ]",
            Verdict::Holds,
        ),
        (
            COINS,
            "0.1<=p<=0.9,0.2<=q<=0.3",
            "P<0.27 [ F \"both\" ]",
            Verdict::Fails,
        ),
        (
            COINS,
            "0.1<=p<=0.9,1/4<=q<=0.25",
            "P>=0.025 [ F \"both\" ]",
            Verdict::Holds,
        ),
        (
            COINS,
            "0.1<=p<=0.9,0.2<=q<=0.3",
            "R{\"r\"}<=2.7 [ F s>=2 ]",
            Verdict::Holds,
        ),
        (
            COINS,
            "0.1<=p<=0.9,0.2<=q<=0.3",
            "R{\"r\"}<=2.6 [ F s>=2 ]",
            Verdict::Fails,
        ),
        // At each state by itself lifting sees 0.9 * 0.9; the greatest value is 1/4, in the middle.
        (ARCH, "0.1<=p<=0.9", "P<=0.26 [ F s=2 ]", Verdict::Holds),
        (ARCH, "0.1<=p<=0.9", "P<=0.24 [ F s=2 ]", Verdict::Fails),
        (ARCH, "0.1<=p<=0.9", "P>=0.089 [ F<=2 s=2 ]", Verdict::Holds),
        (
            ARCH,
            "0.1<=p<=0.9",
            "P>=0.089 [ (F s=1) & (F s=2) ]",
            Verdict::Holds,
        ),
    ] {
        for engine in ["adaptive", "exact"] {
            let (answer, report) = decide(text, region, question, engine).expect("an answer");
            assert_eq!(
                answer.verdict, verdict,
                "{question} in {region}: {:?}",
                answer.reason
            );
            assert_eq!(report, CheckReport::Accepted, "{question}");
        }
    }
}

#[test]
fn what_is_not_judged_over_regions_is_unknown_and_says_why() {
    let square =
        "dtmc\nconst double p;\nmodule m\n s : [0..1];\n [] s=0 -> p*p : (s'=1) + 1-p*p : (s'=0);\nendmodule";
    let together = "dtmc\nconst double p;\nmodule a\n s : [0..1];\n [t] s=0 -> p : (s'=1) + 1-p : true;\nendmodule\nmodule b\n r : [0..1];\n [t] r=0 -> p : (r'=1) + 1-p : true;\nendmodule";
    let choices = "mdp\nconst double p;\nmodule m\n s : [0..2];\n [a] s=0 -> p : (s'=1) + 1-p : (s'=2);\n [b] s=0 -> 0.5 : (s'=1) + 0.5 : (s'=2);\nendmodule";
    let queue = "ctmc\nconst double p;\nmodule m\n s : [0..1];\n [] s=0 -> p : (s'=1);\nendmodule";
    for (text, region, question, reason) in [
        (square, "0.1<=p<=0.9", "P<=1 [ F s=1 ]", "not affine in p"),
        (together, "0.1<=p<=0.9", "P<=1 [ F s=1 ]", "not affine in p"),
        (choices, "0.1<=p<=0.9", "Pmin<=0.5 [ F s=1 ]", "a game"),
        (choices, "0<=p<=0.9", "P<=0.5 [ F s=1 ]", "not graph preserving"),
        (choices, "0.1<=p<=0.9", "Pmax=? [ F s=1 ]", "judged by a bound"),
        (
            choices,
            "0.1<=p<=0.9",
            "P<=0.5 [ F (P>=0.5 [ F s=1 ]) ]",
            "inner operators",
        ),
        (choices, "0.1<=p<=0.9", "P<=0.5 [ F s>p ]", "in the property"),
        (queue, "0.1<=p<=0.9", "P<=0.5 [ F<=2 s=1 ]", "bounds on time"),
    ] {
        let (answer, _) = decide(text, region, question, "adaptive").expect("an answer");
        assert_eq!(answer.verdict, Verdict::Unknown, "{question}");
        let said = answer.reason.expect("a reason");
        assert!(said.contains(reason), "{question}: {said}");
    }
    // What is no probability is a mistake of the model at the command, with the corner.
    let error = decide(choices, "0.1<=p<=1.5", "P<=0.5 [ F s=1 ]", "adaptive").expect_err("no probability");
    assert!(
        error.message.contains("p=3/2") && error.place.is_some(),
        "{error:?}"
    );
}

#[test]
fn mistakes_of_regions_are_told_at_their_places() {
    let place = |text: &str, region: &str| match load(text, &options(&[("region", region)])) {
        Err(LoadError::Invalid {
            source_text,
            diagnostics,
        }) => {
            let span = diagnostics.0[0].span();
            (
                source_text.slice(span).to_owned(),
                diagnostics.0[0].message.clone(),
            )
        }
        Err(other) => panic!("{region}: {other}"),
        Ok(_) => panic!("{region}: no mistake"),
    };
    for (region, at, message) in [
        ("0.1<p<0.9", "0.1<p<0.9", "no LOW<=NAME<=HIGH"),
        ("0.1<=p<=0.9, x<=q<=1", "x", "no number"),
        ("0.1<=p<=0.9,0.2<=z<=0.3", "z", "no constant z"),
        ("0.9<=p<=0.1", "0.9<=p<=0.1", "more than"),
        ("0.1<=p<=0.9,0.1<=p<=0.9", "0.9", "twice"),
        ("0.1<=rest<=0.9", "rest", "has a value"),
        ("", "", "no LOW<=NAME<=HIGH"),
    ] {
        let (slice, said) = place(COINS, region);
        assert_eq!(slice, at, "{region}: {said}");
        assert!(said.contains(message), "{region}: {said}");
    }
    let model = "dtmc\nconst int N;\nconst double p;\nmodule m\n s : [0..1];\n [] s=0 & p>0.5 -> N/10 : (s'=1) + 1-N/10 : true;\nendmodule";
    assert!(place(model, "1<=N<=3").1.contains("type double"));
    // Where a parameter may not stand, in the model's text.
    let fixed = model.replace("const int N;", "const int N = 1;");
    let (slice, said) = place(&fixed, "0.1<=p<=0.9");
    assert!(
        slice.starts_with("[] s=0") && said.contains("guard"),
        "{slice}: {said}"
    );
}

#[test]
fn damaged_evidence_about_regions_is_rejected() {
    let given = options(&[("region", "0.1<=p<=0.9")]);
    let mut model = load(ARCH, &given).expect("a model");
    let holds = model.add_property("P<=0.3 [ F s=2 ]", None).expect("a property");
    let fails = model.add_property("P<=0.24 [ F s=2 ]", None).expect("a property");
    let budget = Budget::unlimited();
    let mut session = model.open(&given, false).expect("options");
    let answer = session
        .check("adaptive", holds, &budget, &Silent)
        .expect("an answer");
    let judge = |damage: &dyn Fn(&mut Json)| judged(&*model, &given, holds, &answer, damage);
    assert_eq!(judge(&|_| {}), CheckReport::Accepted);
    let mut count = 0;
    judge(&|evidence| assert!(evidence["parts"].as_array().expect("parts").len() > 3));
    let parts = answer_parts(&*model, &given, holds, &answer);
    for at in 0..parts {
        let without = |evidence: &mut Json| {
            evidence["parts"].as_array_mut().expect("parts").remove(at);
        };
        let narrower = |evidence: &mut Json| evidence["parts"][at]["low"] = json!(["8/9"]);
        let whole = |evidence: &mut Json| {
            evidence["parts"] = json!([evidence["parts"][at].clone()]);
            evidence["parts"][0]["low"] = json!(["1/10"]);
            evidence["parts"][0]["high"] = json!(["9/10"]);
        };
        let too_good = |evidence: &mut Json| {
            let bracket = &mut evidence["parts"][at]["certificate"]["brackets"][0];
            *bracket = json!({"exact": vec!["0"; 4]});
        };
        for damage in [&without as &dyn Fn(&mut Json), &narrower, &whole, &too_good] {
            assert!(judge(damage).is_rejected(), "part {at}");
            count += 1;
        }
    }
    assert!(count >= 16);
    let other = options(&[("region", "0.1<=p<=0.95")]);
    assert!(judged(&*model, &other, holds, &answer, &|_| {}).is_rejected());
    // A point that does not violate the bound, one outside, none.
    let answer = session
        .check("adaptive", fails, &budget, &Silent)
        .expect("an answer");
    let judge = |damage: &dyn Fn(&mut Json)| judged(&*model, &given, fails, &answer, damage);
    assert_eq!(judge(&|_| {}), CheckReport::Accepted);
    for point in [json!(["1/10"]), json!(["1"]), json!(["x"]), json!([])] {
        let moved = |evidence: &mut Json| evidence["violated"]["values"] = point.clone();
        assert!(judge(&moved).is_rejected(), "{point}");
    }
    assert!(judge(&|evidence| evidence["violated"] = Json::Null).is_rejected());
    let lower = |evidence: &mut Json| {
        evidence["violated"]["certificate"]["brackets"][0] = json!({"exact": ["1/4", "0", "1", "1"]});
    };
    assert!(judge(&lower).is_rejected());
}

fn answer_parts(model: &dyn Model, given: &Options, property: usize, answer: &Answer) -> usize {
    let checker = model.checker(given).expect("options");
    let evidence = answer.evidence.as_ref().expect("evidence");
    let saved = checker.to_saved_json(property, &**evidence);
    saved["parts"].as_array().expect("parts").len()
}

/// The weights of a random command.
fn weights(random: &mut StdRng, kind: &str) -> &'static [&'static str] {
    let discrete: [&[&str]; 8] = [
        &["p", "1-p"],
        &["q", "1-q"],
        &["p*q", "p*(1-q)", "1-p"],
        &["0.5*p", "0.5*q", "1-0.5*p-0.5*q"],
        &["(p+q)/2", "1-(p+q)/2"],
        &["1/3", "2/3"],
        &["1-p", "p"],
        &["1"],
    ];
    let rates: [&[&str]; 5] = [&["p"], &["2*q", "1"], &["p*q", "1-p"], &["1+p", "q"], &["3"]];
    match kind {
        "ctmc" => rates[random.random_range(0..rates.len())],
        _ => discrete[random.random_range(0..discrete.len())],
    }
}

pub fn random_model(random: &mut StdRng, kind: &str) -> String {
    let size = random.random_range(3..6u32);
    let mut text = format!("{kind}\nconst double p;\nconst double q;\nmodule m\n s : [0..{size}];\n");
    for state in 0..size - 1 {
        for _ in 0..random.random_range(1..=2) {
            let branches: Vec<String> = (weights(random, kind).iter())
                .map(|weight| format!("{weight} : (s'={})", random.random_range(0..=size)))
                .collect();
            text += &format!(" [] s={state} -> {};\n", branches.join(" + "));
        }
    }
    // The last but one is a trap, the last the goal.
    text + "endmodule\nrewards \"r\" s=0 : 1+p; s=1 : 2; s=2 : q; [] s=1 : 3; endrewards"
}

pub fn fraction(random: &mut StdRng, from: i64, to: i64) -> Rational {
    Rational::from(random.random_range(from..=to)) / Rational::from(20)
}

fn explored(text: &str, point: &[Rational]) -> Explicit {
    let file = entail_prism::read_model(text).expect("a model");
    let names = ["p", "q"].into_iter().zip(point);
    let constants: Constants = names
        .map(|(name, value)| (name.to_owned(), Value::Real(value.clone())))
        .collect();
    let built = entail_prism::build(&file, &constants).expect("a network");
    explore(&built.network, 100, &Budget::unlimited()).expect("few states")
}

/// What a question asks for: the last state as goal.
#[derive(Clone, Copy)]
pub enum Asked {
    Reach,
    Avoiding,
    Steps,
    Reward,
}

/// The worst value over schedulers at a point; nothing if it is infinite.
pub fn value(text: &str, point: &[Rational], asked: Asked, upper: bool) -> Option<Rational> {
    let model = explored(text, point);
    let last = text.split("[0..").nth(1).and_then(|rest| rest.split(']').next());
    let last: i64 = last.and_then(|number| number.parse().ok()).expect("a range");
    let goal: Vec<bool> = model.states.iter().map(|state| state[0] == last).collect();
    let optimum = if upper { Optimum::Max } else { Optimum::Min };
    let all = vec![true; goal.len()];
    let first = model.initial[0] as usize;
    match asked {
        Asked::Reach => Some(naive::probability(&model, &all, &goal, optimum).swap_remove(first)),
        Asked::Avoiding => {
            let stay: Vec<bool> = model.states.iter().map(|state| state[0] != 1).collect();
            Some(naive::probability(&model, &stay, &goal, optimum).swap_remove(first))
        }
        Asked::Steps => Some(naive::bounded_probability(&model, &all, &goal, 3, optimum).swap_remove(first)),
        Asked::Reward => naive::reward(&model, 0, &goal, optimum).swap_remove(first),
    }
}

#[test]
pub fn random_models_over_regions_agree_with_the_naive_solver_at_points() {
    let mut random = StdRng::seed_from_u64(71);
    let (mut held, mut failed, mut open) = (0, 0, 0);
    for round in 0..120 * effort() {
        let kind = ["dtmc", "mdp", "ctmc"][(round % 3) as usize];
        let text = random_model(&mut random, kind);
        let asked = match random.random_range(0..4) {
            0 => Asked::Avoiding,
            1 if kind != "ctmc" => Asked::Steps,
            2 => Asked::Reward,
            _ => Asked::Reach,
        };
        let upper = random.random_bool(0.5);
        let low = [fraction(&mut random, 1, 10), fraction(&mut random, 1, 10)];
        let high = [
            &low[0] + fraction(&mut random, 0, 9),
            &low[1] + fraction(&mut random, 1, 9),
        ];
        let points: Vec<Vec<Rational>> = (0..8)
            .map(|_| {
                let ends = low.iter().zip(&high);
                ends.map(|(low, high)| low + (high - low) * fraction(&mut random, 0, 20))
                    .collect()
            })
            .collect();
        let values: Vec<Option<Rational>> = points
            .iter()
            .map(|point| value(&text, point, asked, upper))
            .collect();
        let known = values.iter().flatten();
        let worst = if upper { known.max() } else { known.min() };
        let shift = Rational::from(random.random_range(-2..=4i64)) / Rational::from(50);
        let bound = match (worst, upper) {
            (None, _) => Rational::from(5),
            (Some(worst), true) => worst + shift,
            (Some(worst), false) => worst - shift,
        };
        // PRISM's whole numbers have an end.
        let thousands = (&bound * Rational::from(1000)).floor();
        let bound = match bound.to_string().len() > 18 {
            true => Rational::from(thousands) / Rational::from(1000),
            false => bound,
        };
        let last = text
            .split("[0..")
            .nth(1)
            .and_then(|rest| rest.split(']').next())
            .expect("a range");
        let sign = if upper { "<=" } else { ">=" };
        let question = match asked {
            Asked::Reach => format!("P{sign}({bound}) [ F s={last} ]"),
            Asked::Avoiding => format!("P{sign}({bound}) [ s!=1 U s={last} ]"),
            Asked::Steps => format!("P{sign}({bound}) [ F<=3 s={last} ]"),
            Asked::Reward => format!("R{{\"r\"}}{sign}({bound}) [ F s={last} ]"),
        };
        // A bound outside of [0, 1] is no question about a probability.
        if !matches!(asked, Asked::Reward) && (bound < Rational::ZERO || bound > Rational::ONE) {
            continue;
        }
        let region = format!("{}<=p<={},{}<=q<={}", low[0], high[0], low[1], high[1]);
        let (answer, report) = decide(&text, &region, &question, "adaptive").expect("an answer");
        assert_eq!(
            report,
            CheckReport::Accepted,
            "{text}\n{region} {question}: {:?}",
            answer.reason
        );
        let meets = |value: &Option<Rational>| match value {
            Some(value) if upper => *value <= bound,
            Some(value) => *value >= bound,
            None => !upper,
        };
        let said = answer.reason.clone().unwrap_or_default();
        match answer.verdict {
            Verdict::Holds => {
                held += 1;
                assert!(
                    values.iter().all(meets),
                    "{text}\n{region} {question} holds, and not at a point"
                );
            }
            Verdict::Fails => {
                failed += 1;
                let point = said.trim_start_matches("violated at ").split(", ");
                let point: Vec<Rational> = point
                    .map(|part| {
                        part.split('=')
                            .nth(1)
                            .and_then(|number| number.parse().ok())
                            .expect("a number")
                    })
                    .collect();
                let there = value(&text, &point, asked, upper);
                assert!(
                    !meets(&there),
                    "{text}\n{region} {question}: {said}, and it is not"
                );
            }
            _ => open += 1,
        }
        let all_meet = values.iter().all(meets);
        assert!(
            all_meet || answer.verdict != Verdict::Holds,
            "{text}\n{region} {question}"
        );
    }
    assert!(
        held > 20 && failed > 10,
        "{held} hold, {failed} fail, {open} are open"
    );
    assert!(
        open * 10 <= held + failed,
        "{held} hold, {failed} fail, {open} are open"
    );
}

#[test]
fn the_checker_sees_for_itself_that_a_model_cannot_be_lifted() {
    // At both corners the value is 9/100, and 1/4 between them: a certificate for the corners proves nothing.
    let model = |weights: &str| {
        format!("dtmc\nconst double p;\nmodule m\n s : [0..2];\n [] s=0 -> {weights};\nendmodule")
    };
    let judge = |weights: &str, low: &str, high: &str, value: &str| {
        let text = model(weights);
        let file = entail_prism::read_model(&text).expect("a model");
        let built = entail_prism::build_open(&file, &Constants::new(), &["p".to_owned()]).expect("a network");
        let constants = (&Constants::new(), &["p".to_owned()][..]);
        let asked = entail_prism::read_properties("P<=0.1 [ F s=1 ]").expect("a property");
        let property = entail_prism::lower_property_open(&file, &built.network, constants, &[], &asked, 0);
        let property = property.expect("a property").0;
        let parametric = Parametric::new(built.network, 1).expect("in weights only");
        let number = |text: &str| vec![text.parse::<Rational>().expect("a number")];
        let region = Region {
            low: number(low),
            high: number(high),
        };
        let exact = [value, "1", "0"].iter().map(|text| text.parse().ok()).collect();
        let certificate = Certificate {
            brackets: vec![Bracket::Exact(exact)],
            ..Certificate::default()
        };
        let checker = RegionChecker::new(&parametric, &property, 1000).expect("a bound");
        checker.check(&region, &[(region.clone(), &certificate)], &Budget::unlimited())
    };
    let told = |report: CheckReport| match report {
        CheckReport::Rejected { reason } => reason,
        other => panic!("{other:?}"),
    };
    let square = "p*(1-p) : (s'=1) + 1-p*(1-p) : (s'=2)";
    assert!(told(judge(square, "1/10", "9/10", "9/100")).contains("multi-affine"));
    let jump = "min(p,1-p)*0.9 : (s'=1) + 1-0.9*min(p,1-p) : (s'=2)";
    assert!(told(judge(jump, "1/10", "9/10", "9/100")).contains("no polynomial"));
    let scaled = "p : (s'=1) + 0.999999-0.999999*p : (s'=2)";
    assert!(told(judge(scaled, "1/100", "1/10", "1/10")).contains("sum to 1"));
    let vanishing = "p : (s'=1) + 1-p : (s'=2)";
    assert!(told(judge(vanishing, "0", "1/10", "1/10")).contains("graph preserving"));
    assert!(told(judge(vanishing, "1/100", "1/10", "1/100")).len() > 3);
    assert_eq!(judge(vanishing, "1/100", "1/10", "1/10"), CheckReport::Accepted);
    // What vanishes of a power by cancelling is affine all the same.
    let cancelled = "p*p+p*(1-p) : (s'=1) + 1-p : (s'=2)";
    assert_eq!(judge(cancelled, "1/100", "1/10", "1/10"), CheckReport::Accepted);
}
