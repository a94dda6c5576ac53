//! What users get beside an answer: tables of experiments, schedulers as files, estimates from random runs.

use entail_answer::{Answer, CheckReport, Guarantee, Quantity, Verdict};
use entail_budget::{Budget, Silent};
use entail_family::{Conclusion, Input, LoadError, Model, Options};
use entail_markov::to_float;
use entail_show::View;
use entail_stochastic::FAMILY;
use std::path::Path;

const DIE: &str = "dtmc\nconst int N;\nmodule die\n s : [0..6];\n [] s<N -> 0.5 : (s'=s+1) + 0.5 : (s'=6);\n [] s>=N -> true;\nendmodule\nrewards \"r\" true : 1; endrewards";

const RUNNING: &str = "mdp\nmodule m\n s : [0..3] init 0;\n [go] s=0 -> (s'=1);\n [wait] s=1 -> (s'=1);\n [safe] s=1 -> 0.7 : (s'=0) + 0.3 : (s'=2);\n [risk] s=1 -> 0.5 : (s'=2) + 0.5 : (s'=3);\n [] s>=2 -> true;\nendmodule\nrewards \"cost\" [safe] true : 2; [risk] true : 1; endrewards";

pub fn options(given: &[(&str, &str)]) -> Options {
    let mut options = Options::default();
    for (name, value) in given {
        options.give(name, *value);
    }
    options
}

pub fn load(text: &str, options: &Options) -> Result<Box<dyn Model>, LoadError> {
    let language = &FAMILY.languages[0];
    (FAMILY.load)(&Input {
        name: "model.prism",
        path: Path::new("model.prism"),
        bytes: text.as_bytes(),
        language,
        options,
        budget: &Budget::unlimited(),
    })
}

/// A model from a file with this name, whose ending tells the language.
pub fn load_from(name: &str, text: &str, options: &Options) -> Result<Box<dyn Model>, LoadError> {
    let ending = name.rsplit('.').next().unwrap_or_default();
    let language = (FAMILY.languages.iter()).find(|language| language.extensions.contains(&ending));
    (FAMILY.load)(&Input {
        name,
        path: Path::new(name),
        bytes: text.as_bytes(),
        language: language.expect("a language"),
        options,
        budget: &Budget::unlimited(),
    })
}

/// The answer to a question, what the checker says about it, and the files that come of it.
pub fn ask(
    text: &str,
    question: &str,
    engine: &str,
    options: &Options,
) -> (Answer, CheckReport, Option<Result<Conclusion, String>>) {
    let mut model = load(text, options).expect("a model");
    let property = model.add_property(question, None).expect("a property");
    let budget = Budget::unlimited();
    let mut session = model.open(options, false).expect("options");
    let answer = session
        .check(engine, property, &budget, &Silent)
        .expect("an answer");
    let mut checker = model.checker(options).expect("options");
    let report = checker.check(property, &answer, &budget);
    // Saved evidence says the same when it is read again.
    if let Some(evidence) = &answer.evidence {
        let saved = serde_json::json!({"evidence": checker.to_saved_json(property, &**evidence)});
        let mut again = Answer::complete(answer.verdict, ())
            .map(|()| checker.evidence_from_json(property, &saved).expect("evidence"));
        again.value = answer.value.clone();
        again.guarantee = answer.guarantee.clone();
        assert_eq!(checker.check(property, &again, &budget), report);
    }
    let concluded = model.conclude(&[(property, &answer)], options);
    (answer, report, concluded)
}

#[test]
fn an_experiment_has_a_value_for_every_combination_and_writes_table_and_picture() {
    let given = options(&[("const", "N=1:3"), ("results", "r.csv"), ("plot", "r.svg")]);
    let (answer, report, concluded) = ask(DIE, "P=? [ F s=N ]", "sparse", &given);
    assert_eq!((answer.verdict, report), (Verdict::Holds, CheckReport::Accepted));
    let conclusion = concluded.expect("asked for").expect("drawn");
    let csv = &conclusion.files[0].1;
    for line in [
        "property,N,value,lower,upper",
        "P=? [ F s=N ],1,1/2,0.5,0.5",
        "P=? [ F s=N ],3,1/8,0.125,0.125",
    ] {
        assert!(csv.lines().any(|own| own == line), "{csv}");
    }
    let View::Chart(chart) = &conclusion.pictures[0].1 else {
        panic!("another picture");
    };
    assert_eq!(chart.series[0].points, [(1.0, 0.5), (2.0, 0.25), (3.0, 0.125)]);
}

#[test]
fn a_bound_fails_in_an_experiment_if_it_fails_in_a_run() {
    let given = options(&[("const", "N=1:3")]);
    let (answer, report, _) = ask(DIE, "P>=0.25 [ F s=N ]", "sparse", &given);
    assert_eq!((answer.verdict, report), (Verdict::Fails, CheckReport::Accepted));
    let (answer, ..) = ask(DIE, "P>=0.125 [ F s=N ]", "sparse", &given);
    assert_eq!(answer.verdict, Verdict::Holds);
}

#[test]
fn results_without_a_range_are_refused() {
    let given = options(&[("const", "N=2"), ("results", "r.csv")]);
    let model = load(DIE, &given).expect("a model");
    assert!(model.check_options(&[0], &given).is_err());
    assert!(load(DIE, &options(&[("const", "N=3:1")])).is_err());
}

#[test]
fn the_scheduler_of_a_decision_process_is_written_in_every_format() {
    for (name, part) in [
        ("s.json", "\"action\": \"safe\""),
        ("s.csv", "1,safe"),
        ("s.dot", "1 -> 0 [label=\"safe 7/10\"]"),
        ("s.tra", "1 0 0.7"),
        ("s.drn", "@type: DTMC"),
    ] {
        let given = options(&[("scheduler", name)]);
        let (answer, report, concluded) = ask(RUNNING, "R{\"cost\"}min=? [ F s=2 ]", "sparse", &given);
        assert_eq!(report, CheckReport::Accepted);
        assert_eq!(
            answer.value.map(|value| value.to_string()).as_deref(),
            Some("20/3")
        );
        let conclusion = concluded.expect("asked for").expect("written");
        let text = &conclusion.files[0].1;
        assert!(text.contains(part), "{text}");
    }
    let given = options(&[("scheduler", "s.xyz")]);
    let (.., concluded) = ask(RUNNING, "Pmax=? [ F s=3 ]", "sparse", &given);
    assert!(concluded.expect("asked for").is_err());
}

const PATROL: &str = "mdp\nmodule m\n s : [0..2] init 0;\n [left] s=0 -> (s'=1);\n [right] s=0 -> 0.5 : (s'=2) + 0.5 : (s'=0);\n [back] s>0 -> (s'=0);\nendmodule\nrewards \"cost\" [right] true : 1; [left] true : 3; endrewards";

#[test]
fn schedulers_that_remember_have_a_variable_for_it() {
    for (question, value, parts) in [
        (
            "Pmax=? [ (G F s=1) & (G F s=2) ]",
            "1",
            ["\"memory\": 1", "\"action\": \"right\""],
        ),
        (
            "Pmin=? [ F G s!=2 ]",
            "0",
            ["\"memory\"", "\"action\": \"right\""],
        ),
        (
            "Pmax=? [ F<=3 s=2 ]",
            "7/8",
            ["\"memory\": 2", "\"action\": \"right\""],
        ),
        (
            "R{\"cost\"}min=? [ C<=3 ]",
            "9/4",
            ["\"memory\": 2", "\"action\": \"right\""],
        ),
        (
            "R{\"cost\"}min=? [ F (s=1 & (F s=2)) ]",
            "5",
            ["\"memory\"", "\"action\": \"left\""],
        ),
        ("Pmax=? [ X s=1 ]", "1", ["\"memory\"", "\"action\": \"left\""]),
    ] {
        let given = options(&[("scheduler", "s.json")]);
        let (answer, report, concluded) = ask(PATROL, question, "sparse", &given);
        assert_eq!(report, CheckReport::Accepted, "{question}: {:?}", answer.reason);
        assert_eq!(
            answer.value.map(|value| value.to_string()).as_deref(),
            Some(value),
            "{question}"
        );
        let conclusion = concluded.expect("asked for").expect("written");
        for part in parts {
            assert!(
                conclusion.files[0].1.contains(part),
                "{question}: {}",
                conclusion.files[0].1
            );
        }
    }
    // The chain as other programs read it: five states, as the scheduler goes left and right in turn.
    for (name, part) in [
        ("s.tra", "\n"),
        ("s.dot", "memory=1"),
        ("s.drn", "@type: DTMC"),
        ("s.csv", "s,memory,action"),
    ] {
        let given = options(&[("scheduler", name)]);
        let (_, report, concluded) = ask(PATROL, "Pmax=? [ (G F s=1) & (G F s=2) ]", "exact", &given);
        assert_eq!(report, CheckReport::Accepted);
        let text = concluded.expect("asked for").expect("written").files[0].1.clone();
        assert!(text.contains(part), "{text}");
    }
}

#[test]
fn schedulers_make_rewards_infinite_and_averages_as_good_as_can_be() {
    let given = options(&[("scheduler", "s.csv")]);
    for question in ["R{\"cost\"}max=? [ F s=1 ]", "R{\"cost\"}max=? [ C ]"] {
        let (answer, report, concluded) = ask(PATROL, question, "sparse", &given);
        assert_eq!(
            (answer.value, report),
            (Some(Quantity::Infinite), CheckReport::Accepted)
        );
        assert!(concluded.expect("asked for").is_ok(), "{question}");
    }
    for question in ["R{\"cost\"}max=? [ S ]", "Smin=? [ s=1 ]", "LRAmax=? [ s=2 ]"] {
        let (_, report, concluded) = ask(PATROL, question, "sparse", &given);
        assert_eq!(report, CheckReport::Accepted, "{question}");
        assert!(concluded.expect("asked for").is_ok(), "{question}");
    }
    for refused in [
        "Pmax=? [ F s=1 || F s=2 ]",
        "multi(Pmax=? [ F s=1 ], P>=0.5 [ F s=2 ])",
    ] {
        let (answer, _, concluded) = ask(PATROL, refused, "sparse", &given);
        assert!(concluded.expect("asked for").is_err(), "{refused}");
        assert!(
            answer.reason.expect("a reason").contains("schedulers"),
            "{refused}"
        );
    }
}

#[test]
fn random_runs_give_an_interval_around_the_value_and_say_how_sure_they_are() {
    let given = options(&[("const", "N=2"), ("error", "0.02"), ("confidence", "0.999")]);
    let (answer, report, _) = ask(DIE, "P=? [ F s=N ]", "statistical", &given);
    assert!(matches!(report, CheckReport::Partly { .. }));
    assert!(matches!(answer.guarantee, Guarantee::Statistical { confidence, .. } if confidence == 0.999));
    let Some(Quantity::Between(low, high)) = answer.value else {
        panic!("an interval")
    };
    let (low, high) = (to_float(&low), to_float(&high));
    assert!(low < 0.25 && 0.25 < high && high - low < 0.041, "{low} {high}");
    for (question, verdict) in [
        ("P>=0.2 [ F s=N ]", Verdict::Holds),
        ("P>=0.3 [ F s=N ]", Verdict::Fails),
        ("P<=0.3 [ F<=2 s=N ]", Verdict::Holds),
        ("P>=0.7 [ G s!=N ]", Verdict::Holds),
        ("P<0.1 [ s<N U s=N ]", Verdict::Fails),
    ] {
        let (answer, ..) = ask(DIE, question, "statistical", &given);
        assert_eq!(answer.verdict, verdict, "{question}");
    }
    let (answer, ..) = ask(RUNNING, "Pmax=? [ F s=3 ]", "statistical", &options(&[]));
    assert_eq!(answer.verdict, Verdict::Unknown);
}

#[test]
fn random_runs_in_continuous_time_meet_the_exact_bounds() {
    let queue = "ctmc\nmodule q\n n : [0..3];\n [] n<3 -> 2 : (n'=n+1);\n [] n>0 -> 3 : (n'=n-1);\nendmodule";
    for question in [
        "P=? [ F<=1 n=3 ]",
        "P=? [ F[0.5,1] n=2 ]",
        "P=? [ n<2 U[0.2,0.9] n=2 ]",
        "P=? [ G<=1 n<2 ]",
    ] {
        let bounds = |engine: &str| {
            let (answer, ..) = ask(
                queue,
                question,
                engine,
                &options(&[("error", "0.01"), ("confidence", "0.9999")]),
            );
            match answer.value {
                Some(Quantity::Between(low, high)) => (to_float(&low), to_float(&high)),
                other => panic!("{question}: {other:?}"),
            }
        };
        let (exact, sampled) = (bounds("sparse"), bounds("statistical"));
        assert!(
            sampled.0 <= exact.1 && exact.0 <= sampled.1,
            "{question}: {exact:?} {sampled:?}"
        );
    }
}

#[test]
fn a_chain_with_a_parameter_has_a_rational_function() {
    let model = "dtmc\nconst double p;\nmodule m\n s : [0..2];\n [] s=0 -> p : (s'=1) + 1-p : (s'=2);\n [] s=1 -> p : (s'=0) + 1-p : (s'=1);\n [] s=2 -> true;\nendmodule\nrewards \"r\" s=0 : 1; s=1 : 2; endrewards";
    let given = options(&[("parametric", "p")]);
    for (question, function) in [
        ("P=? [ F s=2 ]", "1"),
        ("P=? [ s=0 U s=1 ]", "p"),
        // x = 1 + p y, y = 2 + p x + (1-p) y, so y = 2/p + x and x = 3 / (1 - p).
        ("R{\"r\"}=? [ F s=2 ]", "(3) / (-p + 1)"),
    ] {
        let (answer, report, _) = ask(model, question, "sparse", &given);
        assert_eq!(answer.verdict, Verdict::Holds, "{:?}", answer.reason);
        assert_eq!(report, CheckReport::Accepted, "{question}");
        assert_eq!(answer.reason.as_deref(), Some(function), "{question}");
    }
    // What no elimination of states gives is found from values at places.
    for (model, question, function) in [
        (model.to_owned(), "P=? [ F<=2 s=2 ]", "-p + 1"),
        (model.to_owned(), "P=? [ F s=1 ] * 2", "2*p"),
        (model.replace("s=2 -> true", "s=2 & p<2 -> true"), "P=? [ s=0 U s=1 ]", "p"),
    ] {
        let (answer, report, _) = ask(&model, question, "sparse", &given);
        assert_eq!(answer.verdict, Verdict::Holds, "{question}: {:?}", answer.reason);
        assert!(matches!(report, CheckReport::Partly { .. }), "{question}: {report:?}");
        let said = answer.reason.expect("a function");
        assert!(said.starts_with(&format!("{function}, exact at ")), "{said}");
    }
    let choices = "mdp\nconst double p;\nmodule m\n s : [0..1];\n [a] s=0 -> p : (s'=1) + 1-p : (s'=0);\n [b] s=0 -> true;\nendmodule";
    let (answer, ..) = ask(choices, "Pmax=? [ F s=1 ]", "sparse", &given);
    assert_eq!(answer.verdict, Verdict::Unknown);
}

#[test]
fn models_are_written_in_the_formats_of_storm_and_prism() {
    let none = options(&[]);
    let text = |model: &str, extension: &str| {
        let model = load(model, &none).expect("a model");
        let written = model.write(extension, &none).expect("a format").expect("written");
        String::from_utf8(written.bytes).expect("text")
    };
    assert!(
        text(RUNNING, "tra").starts_with("4 6 8\n0 0 1 1 go\n1 0 1 1 wait\n1 1 0 0.7 safe\n1 1 2 0.3 safe\n")
    );
    assert_eq!(text(RUNNING, "sta"), "(s)\n0:(0)\n1:(1)\n2:(2)\n3:(3)\n");
    assert_eq!(text(RUNNING, "lab"), "0=\"init\" 1=\"deadlock\"\n0: 0\n");
    let queue = "ctmc\nmodule q\n n : [0..1];\n [] n<1 -> 2 : (n'=n+1);\n [] n>0 -> 3 : (n'=n-1);\nendmodule\nrewards n=1 : 4; endrewards";
    assert_eq!(text(queue, "srew"), "2 1\n1 4\n");
    // As Storm writes it: exit rates behind states, rates at transitions.
    assert!(text(queue, "drn").ends_with(
        "@model\nstate 0 !2 [0] init\n\taction 0 [0]\n\t\t1 : 2\nstate 1 !3 [4]\n\taction 0 [0]\n\t\t0 : 3\n"
    ));
    let automaton = "ma\nmodule m\n s : [0..1];\n <> s=0 -> 5 : (s'=1);\n [a] s=1 -> (s'=0);\nendmodule";
    assert!(text(automaton, "drn").starts_with("@type: Markov Automaton\n"));
}

#[test]
fn the_front_of_two_objectives_is_a_value_and_is_drawn() {
    let text = "mdp module m s:[0..2]; [a] s=0 -> 0.8:(s'=1)+0.2:(s'=2); [b] s=0 -> 0.9:(s'=1)+0.1:(s'=2); [] s>0 -> true; endmodule rewards \"time\" [a] true : 2; [b] true : 5; endrewards";
    let question = "multi(Pmax=? [ F s=1 ], R{\"time\"}min=? [ C ])";
    let (answer, report, drawn) = ask(text, question, "sparse", &options(&[("plot", "front.svg")]));
    assert_eq!(report, CheckReport::Accepted);
    let value = answer.value.expect("points");
    assert_eq!(value.to_string(), "(9/10, 5), (4/5, 2)");
    let Some(Ok(Conclusion { pictures, .. })) = drawn else {
        panic!("a picture was asked for")
    };
    let [(_, View::Chart(chart))] = &pictures[..] else {
        panic!("one chart")
    };
    assert_eq!(chart.series[0].points, [(0.9, 5.0), (0.8, 2.0)]);
    assert_eq!(
        (chart.x.label.as_str(), chart.y.label.as_str()),
        ("Pmax=? [ F s=1 ]", "R{\"time\"}min=? [ C ]")
    );
    // The schedulers of the front are written: what each does, and how they are mixed.
    let (.., written) = ask(text, question, "sparse", &options(&[("scheduler", "s.json")]));
    let Some(Ok(Conclusion { files, .. })) = written else {
        panic!("a file was asked for")
    };
    let document: serde_json::Value = serde_json::from_str(&files[0].1).expect("JSON");
    assert_eq!(document["points"].as_array().map(Vec::len), Some(2));
    let mut actions = Vec::new();
    for scheduler in document["schedulers"].as_array().expect("schedulers") {
        let states = scheduler["states"].as_array().expect("states");
        assert!(states.iter().any(|own| own["stays"].is_array()));
        actions.push(states[0]["action"].as_str().expect("an action").to_owned());
    }
    actions.sort();
    assert_eq!(actions, ["a", "b"]);
    let (.., written) = ask(text, question, "sparse", &options(&[("scheduler", "s.dot")]));
    assert!(matches!(written, Some(Err(_))));
    // Anything else has no front.
    let (.., drawn) = ask(
        text,
        "Pmax=? [ F s=1 ]",
        "sparse",
        &options(&[("plot", "front.svg")]),
    );
    assert!(matches!(drawn, Some(Err(_))));
}
