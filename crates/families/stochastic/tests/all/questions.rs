//! Questions to small models, from the text to the checked answer.

use entail_answer::{CheckReport, Verdict};
use entail_budget::{Budget, Silent};
use entail_family::{Input, LoadError, Model, Options};
use entail_stochastic::FAMILY;
use std::path::Path;

/// What is said about a model, and what the checker says about that.
fn ask(text: &str, question: &str) -> (String, Option<CheckReport>) {
    ask_in(Path::new("model.prism"), text, "", question)
}

/// A model that is read from a text with this name.
fn read(path: &Path, text: &str, options: &Options) -> Result<Box<dyn Model>, LoadError> {
    let language = (FAMILY.languages.iter())
        .find(|language| language.claims(path, None))
        .expect("a language");
    (FAMILY.load)(&Input {
        name: &path.to_string_lossy(),
        path,
        bytes: text.as_bytes(),
        language,
        options,
        budget: &Budget::unlimited(),
    })
}

fn ask_in(path: &Path, text: &str, constants: &str, question: &str) -> (String, Option<CheckReport>) {
    let mut options = Options::default();
    if !constants.is_empty() {
        options.give("const", constants);
    }
    ask_with(path, text, &options, "sparse", question)
}

fn ask_with(
    path: &Path,
    text: &str,
    options: &Options,
    engine: &str,
    question: &str,
) -> (String, Option<CheckReport>) {
    let budget = Budget::unlimited();
    let mut model = match read(path, text, options) {
        Ok(model) => model,
        Err(error) => return (format!("error: {error}"), None),
    };
    let property = match model.add_property(question, None) {
        Ok(property) => property,
        Err(error) => return (format!("error: {error}"), None),
    };
    let answer = model
        .open(options, false)
        .expect("options")
        .check(engine, property, &budget, &Silent);
    match answer {
        Err(error) => (format!("mistake: {}", error.message), None),
        Ok(answer) => {
            let report = model
                .checker(options)
                .expect("options")
                .check(property, &answer, &budget);
            let said = match (&answer.value, answer.verdict) {
                (Some(value), _) => value.to_string(),
                (None, Verdict::Unknown) => format!("unknown: {}", answer.reason.unwrap_or_default()),
                (None, verdict) => match answer.reason {
                    Some(reason) => format!("{}: {reason}", verdict.name()),
                    None => verdict.name().to_owned(),
                },
            };
            (said, Some(report))
        }
    }
}

const TWO_LOOPS: &str = r#"
mdp
module m
  s : [0..2];
  [a] s=0 -> (s'=1);
  [] s=1 -> (s'=1);
  [b] s=1 -> (s'=2);
  [] s=2 -> (s'=2);
endmodule
rewards "R1" [a] s=0 : 1; [b] s=1 : 2; endrewards
rewards "R2" [a] s=0 : 2; [b] s=1 : 1; endrewards
"#;

#[test]
fn several_objectives_share_one_scheduler() {
    let said = |question: &str| ask(TWO_LOOPS, question).0;
    assert_eq!(said("multi(P>=0.4 [ G F s=2 ], P>=0.6 [ G F s=1 ])"), "holds");
    assert_eq!(said("multi(P>=0.5 [ G F s=2 ], P>=0.6 [ G F s=1 ])"), "fails");
    assert_eq!(said("multi(Pmax=? [ F s=2 ], P>=0.6 [ G F s=1 ])"), "2/5");
    assert_eq!(said("multi(R{\"R1\"}max=? [ C ], P>=0.4 [ G F s=1 ])"), "11/5");
    assert_eq!(
        said("multi(R{\"R2\"}max=? [ C ], P>=0.4 [ G F s=1 ], P>=0.4 [ G F s=2 ])"),
        "13/5"
    );
    assert_eq!(said("multi(R{\"R1\"}min=? [ C ], R{\"R2\"}>=0 [ C ])"), "1");
    assert!(said("multi(Pmax=? [ F s=2 ], P>=0.6 [ G F s=1 ], P>=0.6 [ G F s=2 ])").contains("undefined"));
    assert!(said("multi(R{\"R1\"}max=? [ C ], Pmax=? [ G F s=1 ])").ends_with("(3, 0), (1, 1)"));
    assert!(said("multi(R{\"R1\"}max=? [ C<=1 ], P>=1 [ F s=2 ])").starts_with('1'));
    assert!(said("multilex(R{\"R1\"}max=? [ C ], Pmax=? [ G F s=1 ])").ends_with("(3, 0)"));
    assert!(said("multilex(Pmax=? [ G F s=1 ], R{\"R1\"}max=? [ C ])").ends_with("(1, 1)"));
}

#[test]
fn a_mistake_in_one_property_of_a_file_does_not_prevent_the_others() {
    let file = std::env::temp_dir().join(format!("entail-mistakes-{}.props", std::process::id()));
    let read_with = |properties: &str| {
        std::fs::write(&file, properties).expect("a file");
        let mut options = Options::default();
        options.give("properties", file.to_string_lossy());
        read(Path::new("model.prism"), TWO_LOOPS, &options)
    };
    let model = read_with(
        "Pmax=? [ F s=2 ];\n\"odd\": Pmax=? [ F<0 s=2 ];\nPmax=? [ F unknown ];\nPmin=? [ F s=2 ];",
    );
    let model = model.unwrap_or_else(|error| panic!("{error}"));
    let texts: Vec<&str> = model
        .properties()
        .iter()
        .map(|heading| heading.text.as_str())
        .collect();
    assert_eq!(texts, ["Pmax=? [ F s=2 ]", "Pmin=? [ F s=2 ]"]);
    let left: Vec<(Option<String>, String)> = (model.unsupported().into_iter())
        .map(|(heading, reason)| (heading.name, reason))
        .collect();
    assert_eq!(left.len(), 2);
    assert_eq!(left[0].0.as_deref(), Some("odd"));
    assert!(
        left[0].1.contains(":2:19: nothing happens before time 0"),
        "{}",
        left[0].1
    );
    assert!(
        left[1].1.contains(":3:12: ") && left[1].1.contains("unknown"),
        "{}",
        left[1].1
    );
    // Where nothing is left, the file is wrong.
    assert!(read_with("Pmax=? [ F<0 s=2 ]").is_err());
    std::fs::remove_file(&file).expect("it was written");
}

#[test]
fn what_several_objectives_can_reach_is_proved() {
    for question in [
        "multi(P>=0.4 [ G F s=2 ], P>=0.6 [ G F s=1 ])",
        "multi(P>=0.5 [ G F s=2 ], P>=0.6 [ G F s=1 ])",
        "multi(P>0.4 [ G F s=2 ], P>0.6 [ G F s=1 ])",
        "multi(Pmax=? [ F s=2 ], P>0.6 [ G F s=1 ])",
        "multi(R{\"R1\"}max=? [ C ], P>=0.4 [ G F s=1 ])",
        "multi(R{\"R1\"}min=? [ C ], R{\"R2\"}>=0 [ C ])",
        "multi(R{\"R1\"}max=? [ C ], Pmax=? [ G F s=1 ])",
        "multi(R{\"R1\"}min=? [ C ], Pmin=? [ G F s=1 ])",
        "multi(R{\"R1\"}max=? [ C<=1 ], P>=1 [ F s=2 ])",
        "multilex(Pmax=? [ G F s=1 ], R{\"R1\"}max=? [ C ])",
    ] {
        let (said, report) = ask(TWO_LOOPS, question);
        assert_eq!(report, Some(CheckReport::Accepted), "{question}: {said}");
    }
}

#[test]
fn bounds_on_costs_and_the_bounds_that_are_enough() {
    // Two heads in a row are needed, at a cost of 1 a toss; the other choice costs 5 and is sure.
    let tosses = r#"
mdp
module m
  s : [0..2];
  [toss] s=0 -> 1/2:(s'=1) + 1/2:(s'=0);
  [pay] s=0 -> (s'=2);
  [toss] s=1 -> 1/2:(s'=2) + 1/2:(s'=0);
  [] s=2 -> true;
endmodule
rewards "cost" [toss] true : 1; [pay] true : 5; endrewards
rewards "tosses" [toss] true : 1; endrewards
"#;
    for (question, answer) in [
        (r#"Pmax=? [ F{"cost"}<=2 s=2 ]"#, "1/4"),
        (r#"Pmax=? [ F{"cost"}<=4 s=2 ]"#, "1/2"),
        (r#"Pmax=? [ F{"cost"}<=5 s=2 ]"#, "1"),
        (r#"Pmax=? [ F{"cost"}<=5,{"tosses"}>=1 s=2 ]"#, "19/32"),
        (r#"Pmax=? [ F{"cost"}<6,{"tosses"}>=1,<=2 s=2 ]"#, "1/4"),
        (r#"Pmin=? [ F{"cost"}<=5 s=2 ]"#, "1/4"),
        (r#"quantile(min B, Pmax>=0.5 [ F{"cost"}<=B s=2 ])"#, "4"),
        (r#"quantile(B, Pmax>=0.9 [ F{"cost"}<=B s=2 ])"#, "5"),
        (r#"quantile(B, Pmin>=0.9 [ F{"tosses"}<=B s=2 ])"#, "12"),
        (r#"quantile(B, Pmin>=0.5 [ F{"cost"}<=B s=1 ])"#, "infinity"),
        (r#"quantile(B, Pmax<=0.5 [ F{"cost"}<=B s=2 ])"#, "4"),
    ] {
        let (said, report) = ask(tosses, question);
        assert_eq!(said, answer, "{question}");
        assert_eq!(report, Some(CheckReport::Accepted), "{question}");
    }
}

#[test]
fn conditional_probabilities_of_chains_are_quotients() {
    let die = r#"
dtmc
module die
  s : [0..3];
  [] s=0 -> 1/2:(s'=1) + 1/3:(s'=2) + 1/6:(s'=3);
  [] s>0 -> true;
endmodule
"#;
    let (said, report) = ask(die, "P=? [ F s=1 || F s<=2&s>0 ]");
    assert_eq!(said, "3/5");
    assert_eq!(report, Some(CheckReport::Accepted));
    assert_eq!(ask(die, "P>=0.6 [ F s=1 || F s<=2&s>0 ]").0, "holds");
    assert_eq!(ask(die, "P>0.6 [ F s=1 || F s<=2&s>0 ]").0, "fails");
    assert_eq!(ask(TWO_LOOPS, "Pmax=? [ F s=1 || F s=2 ]").0, "1");
}

#[test]
fn fair_schedulers_leave_loops_that_they_can_leave() {
    assert_eq!(ask(TWO_LOOPS, "Pmin=? [ F s=2 ]").0, "0");
    assert_eq!(ask(TWO_LOOPS, "Pmin=? [ F s=2 ] [fair]").0, "1");
    assert_eq!(ask(TWO_LOOPS, "Pmax=? [ G F s=1 ] [nofair]").0, "1");
    assert_eq!(ask(TWO_LOOPS, "Pmax=? [ G F s=1 ] [fair]").0, "0");
    let judged = |question: &str| ask(TWO_LOOPS, question).1;
    assert_eq!(judged("Pmin=? [ F s=2 ] [fair]"), Some(CheckReport::Accepted));
    assert_eq!(judged("Pmax=? [ G s<2 ] [fair]"), Some(CheckReport::Accepted));
    assert_eq!(judged("Pmax=? [ G F s=1 ] [fair]"), Some(CheckReport::Accepted));
    // Whoever takes both ways in turn is fair, although never both after the same one.
    let turns =
        "mdp module m s:[0..2] init 0; [a] s=0 -> (s'=1); [b] s=0 -> (s'=2); [c] s>0 -> (s'=0); endmodule";
    let question = "Pmax=? [ G ((s=1 => (X X s=2)) & (s=2 => (X X s=1))) ] [fair]";
    assert_eq!(
        ask(turns, question),
        ("1".to_owned(), Some(CheckReport::Accepted))
    );
    assert_eq!(
        ask(turns, "Pmax=? [ F G s!=2 ] [fair]"),
        ("0".to_owned(), Some(CheckReport::Accepted))
    );
    for refused in [
        "R{\"R1\"}min=? [ F s=2 ] [fair]",
        "Pmin=? [ F{\"R1\"}<=2 s=2 ] [fair]",
    ] {
        let said = ask(TWO_LOOPS, refused).0;
        assert!(
            said.contains("fair") || said.starts_with("error"),
            "{refused}: {said}"
        );
    }
}

#[test]
fn clocks_count_as_far_as_properties_look_and_nothing_is_asked_that_whole_times_do_not_keep() {
    let clock = "pta module m s : [0..2]; x : clock; y : clock; [a] s=0 & x>=4 -> 0.5:(s'=1)&(x'=0)+0.5:(s'=2); endmodule rewards \"cost\" s=0 : 2; [a] true : 3; endrewards label \"ten\" = x=10;";
    let said = |question: &str| {
        let (said, report) = ask(clock, question);
        assert!(
            report.is_none_or(|report| report == CheckReport::Accepted),
            "{question}"
        );
        said
    };
    // The model itself compares the clock with 4 only.
    assert_eq!(said("Pmax=? [ F x=10 ]"), "1");
    assert_eq!(said("Pmax=? [ F \"ten\" ]"), "1");
    assert_eq!(said("Pmax=? [ F s=1 & x>=7 ]"), "1/2");
    assert_eq!(said("Pmin=? [ G x<12 ]"), "0");
    assert_eq!(said("Pmax=? [ F<=4 s=1 ]"), "1/2");
    // Four time units at 2, and the step.
    assert_eq!(said("Rmin=? [ F s>0 ]"), "11");
    // What zones and regions decide is no mistake, but nothing for clocks that are integers.
    for (question, reason) in [
        ("Pmax=? [ F x<2 & s=1 ]", "strict comparisons"),
        ("Pmax=? [ F x>=y ]", "comparisons of two clocks"),
        ("Pmax=? [ G x<=12 ]", "strict comparisons"),
        ("Pmax=? [ F !(x>=2) ]", "strict comparisons"),
        ("Pmax=? [ F<4 s=1 ]", "strict bounds"),
    ] {
        let said = ask(clock, question).0;
        assert!(
            said.starts_with("unknown: ") && said.contains(reason) && said.contains("--engine backward"),
            "{question}: {said}"
        );
    }
    for (question, reason) in [
        ("P<1 [ F P<1 [ F s=1 ] ]", "operators inside of other operators"),
        ("Pmax=? [ X s=1 ]", "single steps"),
        ("Pmax=? [ F{\"cost\"}<=4 s=1 ]", "bounds on what time earns"),
        ("Rmax=? [ C<=5 ]", "rewards within a time"),
        ("Smax=? [ s=1 ]", "long-run averages"),
        ("filter(count, x>=2)", "filters over other states"),
        ("Pmax=? [ G F x=3 ]", "comparisons"),
    ] {
        let said = said(question);
        assert!(
            said.starts_with("error: ") && said.contains(reason),
            "{question}: {said}"
        );
    }
    let rewards =
        "pta module m s : [0..1]; x : clock; [a] x>=4 -> (s'=1); endmodule rewards x>=2 : 1; endrewards";
    assert!(
        ask(rewards, "Rmax=? [ F s=1 ]")
            .0
            .contains("rewards that depend on clocks")
    );
}

#[test]
fn a_timelock_is_a_mistake_of_the_model() {
    let clock = |enabled: &str| {
        format!(
            "pta module m s:[0..1]; x:clock; invariant (s=0 => x<=2) endinvariant [] s=0 & {enabled} -> (s'=1); endmodule"
        )
    };
    assert!(ask(&clock("x>=3"), "Pmax=? [ F s=1 ]").0.contains("timelock"));
    assert_eq!(ask(&clock("x>=2"), "Pmax=? [ F s=1 ]").0, "1");
}

#[test]
fn nothing_and_certainty_are_told_from_what_is_near_them() {
    let chain = "dtmc module m s:[0..3]; [] s=0 -> 0.3:(s'=1)+0.7:(s'=2); [] s=1 -> (s'=3); [] s=2 -> (s'=3); [] s=3 -> true; endmodule";
    for (question, said) in [
        ("P>0 [ F<=1 s=3 ]", "fails"),
        ("P>=1 [ F<=2 s=3 ]", "holds"),
        ("P>=1 [ F P>0 [ F<=1 s=3 ] ]", "holds"),
    ] {
        let (found, report) = ask(chain, question);
        assert_eq!(found, said, "{question}");
        assert_eq!(report, Some(CheckReport::Accepted), "{question}");
    }
}

/// A file that a model is written to, without the order of labels.
fn written(path: &Path, text: &str, constants: &str, extension: &str) -> String {
    let mut options = Options::default();
    if !constants.is_empty() {
        options.give("const", constants);
    }
    let model = read(path, text, &options).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let bytes = match model.write(extension, &options) {
        Some(Ok(converted)) => converted.bytes,
        _ => panic!("{extension} is written"),
    };
    String::from_utf8(bytes).expect("text")
}

const EXAMPLES: [(&str, &str, &str, &str); 4] = [
    (
        "die.pm",
        include_str!("../../../../../examples/probabilistic/die.pm"),
        "",
        "P=? [ F s=7 ]",
    ),
    (
        "running.nm",
        include_str!("../../../../../examples/probabilistic/running.nm"),
        "",
        "R{\"cost\"}min=? [ F \"succ\" ]",
    ),
    (
        "queue.sm",
        include_str!("../../../../../examples/probabilistic/queue.sm"),
        "N=3",
        "R{\"length\"}=? [ S ]",
    ),
    (
        "deadline.ma",
        include_str!("../../../../../examples/probabilistic/deadline.ma"),
        "",
        "Pmax=? [ F s=3 ]",
    ),
];

#[test]
fn what_is_written_as_drn_is_read_as_the_same_model() {
    for (name, text, constants, question) in EXAMPLES {
        let drn = written(Path::new(name), text, constants, "drn");
        let again = written(Path::new("model.drn"), &drn, "", "drn");
        let sorted = |text: &str| -> Vec<Vec<String>> {
            let words = |line: &str| {
                let mut words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
                words.sort_unstable();
                words
            };
            text.lines().map(words).collect()
        };
        assert_eq!(sorted(&drn), sorted(&again), "{name}");
        let question = if question.contains("s=") {
            "filter(count, true)"
        } else {
            question
        };
        let (here, _) = ask_in(Path::new(name), text, constants, question);
        let (there, report) = ask_in(Path::new("model.drn"), &drn, "", question);
        assert_eq!(here, there, "{name}");
        assert_eq!(report, Some(CheckReport::Accepted), "{name}");
    }
}

#[test]
fn what_is_written_as_files_of_prism_is_read_with_labels_values_and_rewards() {
    let folder = std::env::temp_dir().join(format!("entail-explicit-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    for (name, text, constants, question) in EXAMPLES {
        if name.ends_with(".ma") {
            continue;
        }
        let transitions = folder.join("model.tra");
        for extension in ["tra", "lab", "sta"] {
            let part = written(Path::new(name), text, constants, extension);
            std::fs::write(transitions.with_extension(extension), part).expect("written");
        }
        let text_of = |path: &Path| std::fs::read_to_string(path).expect("read");
        let (here, _) = ask_in(Path::new(name), text, constants, "filter(count, true)");
        let (there, _) = ask_in(&transitions, &text_of(&transitions), "", "filter(count, true)");
        assert_eq!(here, there, "{name}");
        if question.starts_with('P') {
            let (here, _) = ask_in(Path::new(name), text, constants, question);
            let (there, report) = ask_in(&transitions, &text_of(&transitions), "", question);
            assert_eq!(here, there, "{name}");
            assert_eq!(report, Some(CheckReport::Accepted), "{name}");
        }
        assert_eq!(
            written(&transitions, &text_of(&transitions), "", "tra")
                .lines()
                .count(),
            text_of(&transitions).lines().count()
        );
    }
    let chain = "2 3\n0 0 0.5\n0 1 0.5\n1 1 1\n";
    let transitions = folder.join("chain.tra");
    for (extension, content) in [
        ("lab", "0=\"init\" 1=\"deadlock\" 2=\"there\"\n0: 0\n1: 2\n"),
        ("srew", "# Reward structure \"visits\"\n2 1\n0 3\n"),
        ("trew", "2 1\n0 1 10\n"),
    ] {
        std::fs::write(transitions.with_extension(extension), content).expect("written");
    }
    let (said, report) = ask_in(&transitions, chain, "", "R{\"visits\"}=? [ F \"there\" ]");
    assert_eq!((said.as_str(), report), ("16", Some(CheckReport::Accepted)));
    std::fs::remove_dir_all(&folder).expect("removed");
}

#[test]
fn explicit_models_that_contradict_themselves_are_refused() {
    let drn = |head: &str, body: &str| format!("@type: {head}\n@model\n{body}");
    let one = "state 0 init\naction 0\n0 : 1\n";
    for (text, expected) in [
        (drn("POMDP", one), "not supported"),
        (drn("DTMC\n@nr_states\n4000000000", one), "4000000000 states"),
        (drn("DTMC\n@parameters\np q", one), "parameters"),
        (drn("DTMC", "state 0 init\naction 0\n7 : 1\n"), "only 1 states"),
        (
            drn("DTMC", "state 1 init\naction 0\n0 : 1\n"),
            "state 0 is expected",
        ),
        (drn("DTMC", "state 0\naction 0\n0 : 1\n"), "`init`"),
        (
            drn("DTMC", "state 0 init\naction 0\n0 : [0.1, 0.5]\n"),
            "intervals",
        ),
        (drn("CTMC", "state 0 !3 init\naction 0\n0 : 1\n"), "exit rate"),
        (drn("MDP", "action 0\n"), "before the first state"),
        (drn("DTMC\n@placeholders\n$p : 1/0", one), "a number is expected"),
        ("@type: DTMC\n".to_owned(), "`@model` is missing"),
    ] {
        let (said, _) = ask_in(Path::new("model.drn"), &text, "", "P=? [ F true ]");
        assert!(
            said.starts_with("error") && said.contains(expected),
            "{expected}: {said}"
        );
    }
    let placeholders = drn(
        "DTMC\n@placeholders\n$p : 1/3\n$q : 2/3",
        "state 0 init\naction 0\n0 : $p\n1 : $q\nstate 1 \"two words\"\naction 0\n1 : 1\n",
    );
    let (said, _) = ask_in(Path::new("model.drn"), &placeholders, "", "P=? [ X s=1 ]");
    assert_eq!(said, "2/3");
    for (text, expected) in [
        ("4294967000 1\n0 0 1\n", "cannot be"),
        ("1 2\n0 0 1\n", "2 transitions"),
        ("1 1\n0 3 1\n", "cannot be"),
        ("1 1 1\n0 5 0 1\n", "numbered from 0"),
        ("", "empty"),
    ] {
        let (said, _) = ask_in(Path::new("absent.tra"), text, "", "P=? [ F true ]");
        assert!(
            said.starts_with("error") && said.contains(expected),
            "{expected}: {said}"
        );
    }
}

/// An interval chain: from 0 the goal is reached with a probability in [0.1, 0.2] or the way goes back by 3, with at least a half.
const LOOSE: &str = r#"
dtmc
module m
  s : [0..3];
  [] s=0 -> [0.1,0.2]:(s'=1) + [0.2,0.4]:(s'=2) + [0.5,0.7]:(s'=3);
  [] s=3 -> (s'=0);
  [] s>0 & s<3 -> true;
endmodule
rewards "steps" true : 1; endrewards
"#;

#[test]
fn intervals_have_a_least_and_a_greatest_value() {
    let certified = |text: &str, question: &str| {
        let (said, report) = ask(text, question);
        assert_eq!(report, Some(CheckReport::Accepted), "{question}: {said}");
        said
    };
    // The least: 0.1 beside 0.4 of being lost, whatever goes back; the greatest: 0.2 beside 0.2.
    assert_eq!(certified(LOOSE, "Pmin=? [ F s=1 ]"), "1/5");
    assert_eq!(certified(LOOSE, "Pmax=? [ F s=1 ]"), "1/2");
    assert_eq!(certified(LOOSE, "Pmin=? [ X s=1 ]"), "1/10");
    assert_eq!(certified(LOOSE, "Pmax=? [ G s!=1 ]"), "4/5");
    assert_eq!(certified(LOOSE, "Pmin=? [ F G s=2 ]"), "1/2");
    // One step after each return: as rarely or as often as possible.
    assert_eq!(certified(LOOSE, "Rmin=? [ F s=1|s=2 ]"), "3");
    assert_eq!(certified(LOOSE, "Rmax=? [ F s=1|s=2 ]"), "17/3");
    assert_eq!(certified(LOOSE, "P>=0.2 [ F s=1 ]"), "holds");
    assert_eq!(certified(LOOSE, "P>0.2 [ F s=1 ]"), "fails");
    assert_eq!(certified(LOOSE, "P<=0.4 [ F s=1 ]"), "fails");
    let bounded = certified(LOOSE, "Pmax=? [ F<=3 s=1 ]");
    assert!(
        bounded.starts_with("[0.31999") || bounded.starts_with("[0.34"),
        "{bounded}"
    );
    // Steps together: ends are multiplied.
    let pair = r#"
mdp
module a x : [0..1]; [go] x=0 -> [0.8,0.9]:(x'=0) + [0.1,0.2]:(x'=1); [stay] x=1 -> true; endmodule
module b y : [0..1]; [go] y=0 -> [0.8,0.9]:(y'=0) + [0.1,0.2]:(y'=1); [stay] y=1 -> true; endmodule
"#;
    assert_eq!(certified(pair, "Pmaxmax=? [ X x=1&y=1 ]"), "1/25");
    assert_eq!(certified(pair, "Pmaxmin=? [ X x=1&y=1 ]"), "1/100");
}

#[test]
fn the_worst_probabilities_may_make_another_choice_the_best() {
    let mdp = r#"
mdp
module m
  s : [0..2];
  [safe] s=0 -> [0.5,0.6]:(s'=1) + [0.4,0.5]:(s'=2);
  [risk] s=0 -> [0.1,0.9]:(s'=1) + [0.1,0.9]:(s'=2);
  [] s>0 -> true;
endmodule
"#;
    for (question, value) in [
        ("Pmaxmin=? [ F s=1 ]", "1/2"),
        ("Pmaxmax=? [ F s=1 ]", "9/10"),
        ("Pminmax=? [ F s=1 ]", "3/5"),
        ("Pminmin=? [ F s=1 ]", "1/10"),
        ("Pmaxmin=? [ F G s=1 ]", "1/2"),
        ("Pminmax=? [ F G s=1 ]", "3/5"),
        ("P>=0.1 [ F s=1 ]", "holds"),
        ("P>0.1 [ F s=1 ]", "fails"),
    ] {
        let (said, report) = ask(mdp, question);
        assert_eq!(
            (said.as_str(), report),
            (value, Some(CheckReport::Accepted)),
            "{question}"
        );
    }
    assert!(ask(mdp, "Pmax=? [ F s=1 ]").0.contains("two optima"));
    assert!(
        ask(TWO_LOOPS, "Pmaxmin=? [ F s=1 ]")
            .0
            .contains("this one has none")
    );
    assert!(ask(LOOSE, "P=? [ F s=1 ]").0.contains("no single value"));
    assert!(
        ask(LOOSE, "Pmaxmin=? [ F s=1 ]")
            .0
            .contains("models with choices")
    );
    assert!(
        ask(LOOSE, "Pmax=? [ F s=1 || F s=2 ]")
            .0
            .contains("not supported")
    );
    assert!(
        ask(LOOSE, "R{\"steps\"}max=? [ S ]")
            .0
            .contains("long-run averages of interval models")
    );
}

#[test]
fn intervals_without_a_distribution_are_mistakes() {
    let model = |weights: &str| {
        format!("dtmc\nmodule m s : [0..2];\n[] s=0 -> {weights};\n[] s>0 -> true; endmodule\n")
    };
    for (weights, part) in [
        ("[0,0.5]:(s'=1) + [0.5,1]:(s'=2)", "may be zero"),
        ("[0.6,0.5]:(s'=1) + [0.4,0.5]:(s'=2)", "is empty"),
        ("[0.6,0.7]:(s'=1) + [0.5,0.6]:(s'=2)", "does not contain 1"),
        ("[0.1,0.2]:(s'=1) + [0.5,0.6]:(s'=2)", "does not contain 1"),
        ("[0.1,0.2:(s'=1)", "after an interval"),
        ("[0.1]:(s'=1)", "between the ends"),
    ] {
        let said = ask(&model(weights), "Pmax=? [ F s=1 ]").0;
        assert!(said.contains(part), "{weights}: {said}");
    }
    let rates = "ctmc\nmodule m s : [0..1];\n[] s=0 -> [1,2]:(s'=1);\nendmodule\n";
    assert!(ask(rates, "P=? [ F s=1 ]").0.contains("not for the rates"));
}

#[test]
fn conditional_probabilities_of_decision_processes_begin_again() {
    // If 3 is seen at all, 1 was seen before only by the first choice.
    let mdp = r#"
mdp
module m
  s : [0..4];
  [a] s=0 -> 0.5:(s'=1) + 0.5:(s'=4);
  [b] s=0 -> 0.1:(s'=1) + 0.4:(s'=3) + 0.5:(s'=4);
  [] s=1 -> 0.5:(s'=3) + 0.5:(s'=4);
  [] s>1 -> true;
endmodule
"#;
    for (question, value) in [
        ("Pmax=? [ F s=1 || F s=3 ]", "1"),
        ("Pmin=? [ F s=1 || F s=3 ]", "1/9"),
        ("Pmax=? [ F s=3 || F s=1 ]", "1/2"),
        ("P>=0.1 [ F s=1 || F s=3 ]", "holds"),
    ] {
        let (said, report) = ask(mdp, question);
        assert_eq!(
            (said.as_str(), report),
            (value, Some(CheckReport::Accepted)),
            "{question}"
        );
    }
    assert!(
        ask(mdp, "Pmax=? [ F s=3 || F s=2 ]")
            .0
            .contains("no scheduler gives the condition a chance")
    );
    assert!(ask(mdp, "Pmax=? [ G s=0 || F s=2 ]").0.contains("must be `F`"));
}

#[test]
fn a_quotient_has_the_values_of_the_model() {
    let text = r#"
dtmc
module m
  s : [0..6];
  [] s=0 -> 1/3:(s'=1) + 1/6:(s'=2) + 1/2:(s'=3);
  [] s=1 -> 1/2:(s'=4) + 1/2:(s'=6);
  [] s=2 -> 1/2:(s'=5) + 1/2:(s'=6);
  [] s>2 -> true;
endmodule
label "goal" = s=4|s=5;
rewards "steps" s<3 : 1; endrewards
"#;
    let options = Options::default();
    let budget = Budget::unlimited();
    let model = read(Path::new("model.prism"), text, &options).expect("correct");
    let small = model
        .quotient("drn", &options, &budget)
        .expect("a format")
        .expect("found");
    assert_eq!((small.before, small.after), ((7, 11), (4, 6)));
    assert_eq!(small.not_checked, None);
    assert_eq!(small.classes, [0, 1, 1, 2, 3, 2, 3]);
    let drn = String::from_utf8(small.written.bytes).expect("text");
    for question in ["P=? [ F \"goal\" ]", "R{\"steps\"}=? [ C ]"] {
        let (said, report) = ask_in(Path::new("small.drn"), &drn, "", question);
        assert_eq!(
            (said, report),
            (ask(text, question).0, Some(CheckReport::Accepted)),
            "{question}"
        );
    }
    assert!(model.quotient("aut", &options, &budget).is_none());
}

#[test]
fn rewards_of_both_signs_are_expected_in_chains_and_refused_elsewhere() {
    let text = |kind: &str| {
        format!(
            "{kind}\nmodule m s : [0..2];\n[] s=0 -> 0.9:(s'=1) + 0.1:(s'=2);\n[] s=1 -> (s'=0);\n[] s=2 -> true;\nendmodule\n\
             rewards \"paid\" s=0 : -10; endrewards\nrewards \"both\" s=0 : -10; s=1 : 4; endrewards\n"
        )
    };
    let chain = text("dtmc");
    // Ten visits of 0 on the average, nine of 1.
    for (question, value) in [
        ("R{\"paid\"}=? [ F s=2 ]", "-100"),
        ("R{\"both\"}=? [ F s=2 ]", "-64"),
        ("R{\"both\"}=? [ F s=1 ]", "infinity"),
        ("R{\"paid\"}<=-100 [ F s=2 ]", "holds"),
    ] {
        let (said, report) = ask(&chain, question);
        assert_eq!(
            (said.as_str(), report),
            (value, Some(CheckReport::Accepted)),
            "{question}"
        );
    }
    for (kind, question) in [
        ("mdp", "R{\"paid\"}min=? [ F s=2 ]"),
        ("dtmc", "R{\"paid\"}=? [ C ]"),
        ("dtmc", "R{\"paid\"}=? [ C<=10 ]"),
    ] {
        assert!(
            ask(&text(kind), question).0.contains("negative rewards"),
            "{question}"
        );
    }
}

/// Tails are counted until heads: infinitely many states, nearly all of them unlikely.
const TAILS: &str = r#"
dtmc
module coin
  tails : int init 0;
  heads : bool init false;
  [] !heads -> 1/2 : (heads'=true) + 1/2 : (tails'=tails+1);
  [] heads -> true;
endmodule
rewards "tosses" !heads : 1; endrewards
"#;

#[test]
fn a_part_of_an_infinite_model_bounds_its_values() {
    let path = Path::new("coin.pm");
    let mut few = Options::default();
    few.give("state-limit", "12");
    let (said, _) = ask_with(path, TAILS, &few, "sparse", "P>=0.4999999 [ F heads & tails>=1 ]");
    assert!(said.starts_with("unknown"), "{said}");
    let (said, report) = ask_with(path, TAILS, &few, "sparse", "P>=0.4 [ F heads & tails>=1 ]");
    assert_eq!((said.as_str(), report), ("holds", Some(CheckReport::Accepted)));
    let (said, report) = ask_with(path, TAILS, &few, "sparse", "P=? [ F heads & tails>=1 ]");
    assert!(said.starts_with("[0.4"), "{said}");
    assert_eq!(report, Some(CheckReport::Accepted));
    // What is earned beyond the part is not known, only that it is not negative.
    let (said, _) = ask_with(path, TAILS, &few, "sparse", "R{\"tosses\"}=? [ F heads ]");
    assert!(said.contains("at least 1.9"), "{said}");
    let (said, _) = ask_with(path, TAILS, &few, "sparse", "S=? [ heads ]");
    assert!(said.contains("whole model"), "{said}");

    let all = Options::default();
    let (said, report) = ask_with(path, TAILS, &all, "partial", "P=? [ F heads & tails>=1 ]");
    assert!(said.starts_with("[0.49999"), "{said}");
    assert_eq!(report, Some(CheckReport::Accepted));
    let (said, report) = ask_with(path, TAILS, &all, "partial", "P>0.5 [ F heads & tails>=0 ]");
    assert_eq!((said.as_str(), report), ("holds", Some(CheckReport::Accepted)));
}
