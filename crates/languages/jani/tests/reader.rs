//! What the reader of JANI accepts, and that no text makes it panic.

use entail_budget::Budget;
use entail_jani::{Constants, read};
use entail_markov::{Kind, Rational, Value, explore};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

/// Two automata that synchronise, a transient reward, a function, ordered assignments.
const MODEL: &str = r#"{
  "jani-version": 1, "name": "toss", "type": "mdp", "features": ["derived-operators", "functions"],
  "actions": [{"name": "toss"}],
  "constants": [{"name": "N", "type": "int"}, {"name": "p", "type": "real", "value": {"op": "/", "left": 1, "right": 3}}],
  "functions": [{"name": "next", "type": "int", "parameters": [{"name": "x", "type": "int"}],
                 "body": {"op": "min", "left": {"op": "+", "left": "x", "right": 1}, "right": "N"}}],
  "variables": [{"name": "cost", "type": "real", "transient": true, "initial-value": 0},
                {"name": "n", "type": {"kind": "bounded", "base": "int", "lower-bound": 0, "upper-bound": "N"}, "initial-value": 0}],
  "automata": [
    {"name": "coin", "locations": [{"name": "here"}, {"name": "there"}], "initial-locations": ["here"],
     "edges": [
       {"location": "here", "action": "toss", "destinations": [
         {"location": "here", "probability": {"exp": "p"}, "assignments": [{"ref": "cost", "value": 2}]},
         {"location": "there", "probability": {"exp": {"op": "-", "left": 1, "right": "p"}},
          "assignments": [{"ref": "n", "value": {"op": "call", "function": "next", "args": ["n"]}}, {"ref": "cost", "value": 2}]}]},
       {"location": "there", "guard": {"exp": {"op": "<", "left": "n", "right": "N"}}, "destinations": [{"location": "here"}]}]},
    {"name": "other", "locations": [{"name": "only"}], "initial-locations": ["only"],
     "edges": [{"location": "only", "action": "toss", "destinations": [{"location": "only"}]}]}],
  "system": {"elements": [{"automaton": "coin"}, {"automaton": "other"}], "syncs": [{"synchronise": ["toss", "toss"], "result": "toss"}]},
  "properties": [
    {"name": "all", "expression": {"op": "filter", "fun": "max", "states": {"op": "initial"},
      "values": {"op": "Pmax", "exp": {"op": "F", "exp": {"op": "=", "left": "n", "right": "N"}}}}},
    {"name": "cost", "expression": {"op": "filter", "fun": "values", "states": {"op": "initial"},
      "values": {"op": "Emin", "exp": "cost", "accumulate": ["steps"], "reach": {"op": "=", "left": "n", "right": "N"}}}},
    {"name": "strange", "expression": {"op": "Emin", "exp": "cost", "reward-instants": []}}]
}"#;

fn constants() -> Constants {
    [("N".to_owned(), Value::Int(3))].into()
}

#[test]
fn a_model_with_most_features_is_read() {
    let read = read(MODEL, &constants()).unwrap_or_else(|problem| panic!("{problem}"));
    assert_eq!(read.network.kind, Kind::Mdp);
    let model = explore(&read.network, 1000, &Budget::unlimited()).expect("small");
    assert_eq!(model.states.len(), 6);
    assert!(read.properties[0].meaning.is_ok() && read.properties[1].meaning.is_ok());
    assert!(
        read.properties[2]
            .meaning
            .as_ref()
            .is_err_and(|reason| reason.contains("not supported"))
    );
    // Every toss costs 2, whatever comes of it.
    assert_eq!(model.rows[0][0].rewards[0], 2.into());
}

/// A queue of two places: what comes is put behind what is there, and the first goes out while the others move up.
fn queue(index: &str) -> String {
    r#"{
  "jani-version": 1, "name": "queue", "type": "mdp", "features": ["arrays"],
  "variables": [{"name": "size", "type": {"kind": "bounded", "base": "int", "lower-bound": 0, "upper-bound": 2}, "initial-value": 0}],
  "automata": [
    {"name": "q", "locations": [{"name": "l"}], "initial-locations": ["l"],
     "variables": [{"name": "a", "type": {"kind": "array", "base": {"kind": "bounded", "base": "int", "lower-bound": 0, "upper-bound": 2}},
                    "initial-value": {"op": "ac", "length": 2, "var": "i", "exp": 0}}],
     "edges": [
       {"location": "l", "guard": {"exp": {"op": "<", "left": "size", "right": 2}}, "destinations": [
         {"location": "l", "probability": {"exp": 0.5}, "assignments": [
           {"ref": {"op": "aa", "exp": "a", "index": "INDEX"}, "value": 1}, {"ref": "size", "value": {"op": "+", "left": "size", "right": 1}}]},
         {"location": "l", "probability": {"exp": 0.5}, "assignments": [
           {"ref": {"op": "aa", "exp": "a", "index": "INDEX"}, "value": 2}, {"ref": "size", "value": {"op": "+", "left": "size", "right": 1}}]}]},
       {"location": "l", "guard": {"exp": {"op": ">", "left": "size", "right": 0}}, "destinations": [
         {"location": "l", "assignments": [
           {"ref": "a", "value": {"op": "ac", "length": 2, "var": "i", "exp":
             {"op": "ite", "if": {"op": "<", "left": "i", "right": {"op": "-", "left": "size", "right": 1}},
              "then": {"op": "aa", "exp": "a", "index": {"op": "+", "left": "i", "right": 1}}, "else": 0}}},
           {"ref": "size", "value": {"op": "-", "left": "size", "right": 1}}]}]}]}],
  "system": {"elements": [{"automaton": "q"}]},
  "properties": [{"name": "both", "expression": {"op": "filter", "fun": "max", "states": {"op": "initial"},
      "values": {"op": "Pmax", "exp": {"op": "F", "exp": {"op": "=", "left": {"op": "aa", "exp": "a", "index": {"op": "-", "left": "size", "right": 1}}, "right": 2}}}}}]
}"#
    .replace("\"INDEX\"", index)
}

#[test]
fn arrays_have_a_variable_for_each_element() {
    let read = read(&queue("\"size\""), &constants()).unwrap_or_else(|problem| panic!("{problem}"));
    let names: Vec<&str> = (read.network.variables.iter())
        .map(|variable| variable.name.as_str())
        .collect();
    assert_eq!(names, ["size", "a[0]", "a[1]"]);
    let model = explore(&read.network, 1000, &Budget::unlimited()).expect("small");
    // Empty, one of two, two of two each; free places are zero.
    assert_eq!(model.states.len(), 1 + 2 + 4);
    assert!(model.states.contains(&vec![2, 1, 2]) && model.states.contains(&vec![1, 2, 0]));
    assert!(read.properties[0].meaning.is_ok());
}

#[test]
fn an_index_outside_of_an_array_is_an_error_of_the_model() {
    let outside = queue(r#"{"op": "+", "left": "size", "right": 1}"#);
    let read = read(&outside, &constants()).unwrap_or_else(|problem| panic!("{problem}"));
    assert!(explore(&read.network, 1000, &Budget::unlimited()).is_err());
    let problem = entail_jani::read(&queue("2"), &constants()).expect_err("an index that is none");
    assert!(problem.message.contains("an index from 0 to 1"), "{problem}");
}

/// A random model with a value that has parts, and the same model written with plain variables.
///
/// The value is an array of two jobs, each with an age, a flag, and perhaps a mark; the plain model has eight variables for it. The assignments are drawn from the same list.
fn twins(random: &mut StdRng) -> (String, String) {
    let range = r#"{"kind": "bounded", "base": "int", "lower-bound": 1, "upper-bound": 3}"#;
    let job = |age: &str, done: &str, mark: &str| {
        format!(
            r#"{{"op": "dv", "type": "job", "values": [{{"member": "done", "value": {done}}}, {{"member": "age", "value": {age}}}, {{"member": "mark", "value": {mark}}}]}}"#
        )
    };
    let some = |value: &str| format!(r#"{{"op": "ov", "exp": {value}}}"#);
    let none = r#"{"op": "empty"}"#;
    let of = |at: &str, member: &str| {
        format!(r#"{{"op": "da", "member": "{member}", "exp": {{"op": "aa", "exp": "q", "index": {at}}}}}"#)
    };
    // Reading `q[i]` in the plain model: a choice between two variables.
    let plain = |at: &str, part: &str| match at {
        "0" | "1" => format!(r#""{part}{at}""#),
        _ => format!(
            r#"{{"op": "ite", "if": {{"op": "=", "left": {at}, "right": 0}}, "then": "{part}0", "else": "{part}1"}}"#
        ),
    };
    let assign = |target: &str, value: &str| format!(r#"{{"ref": {target}, "value": {value}}}"#);
    // Writing to `q[i]`: each variable is kept or assigned.
    let put = |at: &str, part: &str, value: &str| -> Vec<String> {
        match at {
            "0" | "1" => vec![assign(&format!(r#""{part}{at}""#), value)],
            _ => (0..2)
                .map(|index| {
                    let here = format!(r#"{{"op": "=", "left": {at}, "right": {index}}}"#);
                    let kept =
                        format!(r#"{{"op": "ite", "if": {here}, "then": {value}, "else": "{part}{index}"}}"#);
                    assign(&format!(r#""{part}{index}""#), &kept)
                })
                .collect(),
        }
    };
    let (mut edges, mut plain_edges) = (Vec::new(), Vec::new());
    for _ in 0..random.random_range(2..5) {
        let (mut destinations, mut plain_destinations) = (Vec::new(), Vec::new());
        let guard_at = ["0", "1", r#""i""#][random.random_range(0..3)];
        let (guard, plain_guard) = match random.random_range(0..4) {
            0 => (of(guard_at, "done"), plain(guard_at, "done")),
            1 => (
                format!(
                    r#"{{"op": "≠", "left": {}, "right": {none}}}"#,
                    of(guard_at, "mark")
                ),
                plain(guard_at, "marked"),
            ),
            2 => {
                let is = |value: &str| {
                    format!(
                        r#"{{"op": "=", "left": {}, "right": {}}}"#,
                        of(guard_at, "mark"),
                        some(value)
                    )
                };
                let both = format!(
                    r#"{{"op": "∧", "left": {}, "right": {{"op": "=", "left": {}, "right": 2}}}}"#,
                    plain(guard_at, "marked"),
                    plain(guard_at, "mark")
                );
                (is("2"), both)
            }
            _ => {
                let less = |age: String| format!(r#"{{"op": "<", "left": {age}, "right": 3}}"#);
                (less(of(guard_at, "age")), less(plain(guard_at, "age")))
            }
        };
        for half in 0..2 {
            let at = ["0", "1", r#""i""#][random.random_range(0..3)];
            let age = ["1", "2", "3"][random.random_range(0..3)];
            let done = ["true", "false"][random.random_range(0..2)];
            let mark = random
                .random_bool(0.5)
                .then(|| ["1", "2"][random.random_range(0..2)]);
            let written = mark.map_or_else(|| none.to_owned(), some);
            let element = format!(r#"{{"op": "aa", "exp": "q", "index": {at}}}"#);
            let (mut values, mut plain_values) = (Vec::new(), Vec::new());
            let marked = if mark.is_some() { "true" } else { "false" };
            match random.random_range(0..4) {
                0 => {
                    values.push(assign(&element, &job(age, done, &written)));
                    plain_values.extend(put(at, "age", age));
                    plain_values.extend(put(at, "done", done));
                    plain_values.extend(put(at, "marked", marked));
                    plain_values.extend(put(at, "mark", mark.unwrap_or("1")));
                }
                1 => {
                    values.push(assign(&of(at, "mark"), &written));
                    plain_values.extend(put(at, "marked", marked));
                    plain_values.extend(put(at, "mark", mark.unwrap_or("1")));
                }
                2 => {
                    values.push(assign(&of(at, "age"), age));
                    plain_values.extend(put(at, "age", age));
                }
                _ => {
                    // One job becomes what a function makes of the other.
                    let other = r#"{"op": "call", "function": "older", "args": [{"op": "aa", "exp": "q", "index": 1}]}"#;
                    values.push(assign(r#"{"op": "aa", "exp": "q", "index": 0}"#, other));
                    plain_values.push(assign(
                        r#""age0""#,
                        r#"{"op": "min", "left": 3, "right": {"op": "+", "left": "age1", "right": 1}}"#,
                    ));
                    for part in ["done", "marked", "mark"] {
                        plain_values.push(assign(&format!(r#""{part}0""#), &format!(r#""{part}1""#)));
                    }
                }
            }
            let next = assign(r#""i""#, &random.random_range(0..2).to_string());
            values.push(next.clone());
            plain_values.push(next);
            let destination = |values: &[String]| {
                let chance = if half == 0 { "0.25" } else { "0.75" };
                format!(
                    r#"{{"location": "l", "probability": {{"exp": {chance}}}, "assignments": [{}]}}"#,
                    values.join(",")
                )
            };
            destinations.push(destination(&values));
            plain_destinations.push(destination(&plain_values));
        }
        let edge = |guard: &str, destinations: &[String]| {
            format!(
                r#"{{"location": "l", "guard": {{"exp": {guard}}}, "destinations": [{}]}}"#,
                destinations.join(",")
            )
        };
        edges.push(edge(&guard, &destinations));
        plain_edges.push(edge(&plain_guard, &plain_destinations));
    }
    let model = |declared: &str, variables: &str, edges: &[String]| {
        format!(
            r#"{{"jani-version": 1, "name": "twins", "type": "mdp", {declared}
              "variables": [{{"name": "i", "type": {{"kind": "bounded", "base": "int", "lower-bound": 0, "upper-bound": 1}}, "initial-value": 0}}, {variables}],
              "automata": [{{"name": "a", "locations": [{{"name": "l"}}], "initial-locations": ["l"], "edges": [{}]}}],
              "system": {{"elements": [{{"automaton": "a"}}]}}}}"#,
            edges.join(",")
        )
    };
    let declared = format!(
        r#""datatypes": [{{"name": "job", "members": [{{"name": "done", "type": "bool"}}, {{"name": "age", "type": {range}}}, {{"name": "mark", "type": {{"kind": "option", "base": {range}}}}}]}}],
           "functions": [{{"name": "older", "type": {{"kind": "datatype", "ref": "job"}}, "parameters": [{{"name": "j", "type": {{"kind": "datatype", "ref": "job"}}}}], "body": {}}}],"#,
        job(
            r#"{"op": "min", "left": 3, "right": {"op": "+", "left": {"op": "da", "exp": "j", "member": "age"}, "right": 1}}"#,
            r#"{"op": "da", "exp": "j", "member": "done"}"#,
            r#"{"op": "da", "exp": "j", "member": "mark"}"#
        )
    );
    let queue = format!(
        r#"{{"name": "q", "type": {{"kind": "array", "base": {{"kind": "datatype", "ref": "job"}}}}, "initial-value": {{"op": "av", "elements": [{}, {}]}}}}"#,
        job("1", "false", none),
        job("2", "true", &some("2"))
    );
    let variable = |name: &str, sort: &str, value: &str| {
        format!(r#"{{"name": "{name}", "type": {sort}, "initial-value": {value}}}"#)
    };
    // In the order in which parts become variables.
    let variables = [
        variable("done0", "\"bool\"", "false"),
        variable("age0", range, "1"),
        variable("marked0", "\"bool\"", "false"),
        variable("mark0", range, "1"),
        variable("done1", "\"bool\"", "true"),
        variable("age1", range, "2"),
        variable("marked1", "\"bool\"", "true"),
        variable("mark1", range, "2"),
    ];
    (
        model(&declared, &queue, &edges),
        model("", &variables.join(","), &plain_edges),
    )
}

#[test]
fn values_with_parts_are_as_many_plain_variables() {
    let mut random = StdRng::seed_from_u64(81);
    let effort = std::env::var("ENTAIL_EFFORT")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(1);
    let mut large = 0;
    for round in 0..200 * effort {
        let (composite, plain) = twins(&mut random);
        let [composite, plain] = [&composite, &plain].map(|text| {
            let read = read(text, &Constants::new())
                .unwrap_or_else(|problem| panic!("round {round}: {problem}\n{text}"));
            explore(&read.network, 10_000, &Budget::unlimited()).expect("small")
        });
        assert_eq!(composite.states, plain.states, "round {round}");
        assert_eq!(composite.rows, plain.rows, "round {round}");
        large += usize::from(plain.states.len() > 4);
    }
    assert!(large > 50, "{large}");
}

/// A box that may have something in it.
const BOX: &str = r#"{
  "jani-version": 1, "name": "box", "type": "mdp", "features": ["datatypes"],
  "datatypes": [{"name": "box", "members": [{"name": "size", "type": "int"}, {"name": "content", "type": {"kind": "option", "base": "int"}}]}],
  "variables": [{"name": "b", "type": {"kind": "datatype", "ref": "box"}, "initial-value":
     {"op": "dv", "type": "box", "values": [{"member": "size", "value": 1}, {"member": "content", "value": {"op": "empty"}}]}}],
  "automata": [{"name": "a", "locations": [{"name": "l"}], "initial-locations": ["l"], "edges": [
     {"location": "l", "guard": {"exp": {"op": "=", "left": {"op": "da", "exp": "b", "member": "content"}, "right": {"op": "empty"}}},
      "destinations": [{"location": "l", "assignments": [{"ref": {"op": "da", "exp": "b", "member": "content"}, "value": {"op": "ov", "exp": 2}}]}]}]}],
  "system": {"elements": [{"automaton": "a"}]},
  "properties": [{"name": "full", "expression": {"op": "filter", "fun": "max", "states": {"op": "initial"},
     "values": {"op": "Pmax", "exp": {"op": "F", "exp": {"op": "=", "left": {"op": "oa", "exp": {"op": "da", "exp": "b", "member": "content"}}, "right": 2}}}}}]
}"#;

#[test]
fn mistakes_about_values_with_parts_are_told() {
    let full = read(BOX, &Constants::new()).unwrap_or_else(|problem| panic!("{problem}"));
    let model = explore(&full.network, 10, &Budget::unlimited()).expect("small");
    assert_eq!(model.states, [[1, 0, 0], [1, 1, 2]]);
    assert!(full.properties[0].meaning.is_ok());
    for (from, to, message) in [
        (r#""ref": "box"}"#, r#""ref": "crate"}"#, "the name of a datatype"),
        (
            r#"{"member": "size", "value": 1}, "#,
            "",
            "a value for the member `size`",
        ),
        (
            r#""member": "content"}, "right""#,
            r#""member": "lid"}, "right""#,
            "the name of a member",
        ),
        (
            r#""right": {"op": "empty"}"#,
            r#""right": 3"#,
            "values of one type (not an option and a number or truth value)",
        ),
        (r#"{"op": "ov", "exp": 2}"#, "2", "values of one type"),
        (
            r#"{"op": "ov", "exp": 2}"#,
            r#"{"op": "ov", "exp": "b"}"#,
            "values of one type",
        ),
        (
            r#""initial-value":"#,
            r#""transient": true, "initial-value":"#,
            "transient",
        ),
        (
            r#"{"kind": "option", "base": "int"}"#,
            r#"{"kind": "datatype", "ref": "box"}"#,
            "the type of the initial value",
        ),
        (
            r#""base": "int""#,
            r#""base": {"kind": "datatype", "ref": "box"}"#,
            "datatypes that contain themselves",
        ),
        (
            r#"{"op": "da", "exp": "b", "member": "content"}, "value""#,
            r#"{"op": "oa", "exp": {"op": "da", "exp": "b", "member": "content"}}, "value""#,
            "inside of an option",
        ),
    ] {
        let changed = BOX.replacen(from, to, 1);
        assert_ne!(changed, BOX, "{from}");
        let problem = read(&changed, &Constants::new()).expect_err(to);
        assert!(problem.message.contains(message), "{to}: {problem}");
    }
}

#[test]
fn an_option_without_a_value_has_none() {
    let asked = r#"{"op": "=", "left": {"op": "oa", "exp": {"op": "da", "exp": "b", "member": "content"}}, "right": 0}"#;
    let guard =
        r#"{"op": "=", "left": {"op": "da", "exp": "b", "member": "content"}, "right": {"op": "empty"}}"#;
    let read =
        read(&BOX.replacen(guard, asked, 1), &Constants::new()).unwrap_or_else(|problem| panic!("{problem}"));
    assert!(explore(&read.network, 10, &Budget::unlimited()).is_err());
}

#[test]
fn rewards_on_leaving_states_and_values_at_a_moment_are_told_apart() {
    let timed = MODEL.replacen("mdp", "ma", 1);
    let timed = timed.replace(r#""accumulate": ["steps"]"#, r#""accumulate": ["exit"]"#);
    let constants: Constants = constants();
    let found = read(&timed, &constants).unwrap_or_else(|problem| panic!("{problem}"));
    assert!(found.properties[1].meaning.is_ok());
    // What a transient variable is worth in states is nothing here, and is earned with every step, not with time.
    let earned = found.network.rewards.last().expect("a structure");
    assert!(earned.states.is_empty() && !earned.transitions.is_empty());
    let instant = MODEL.replacen(r#""accumulate": ["steps"], "#, "", 1);
    let found = read(&instant, &constants).unwrap_or_else(|problem| panic!("{problem}"));
    let refused = found.properties[1].meaning.as_ref().expect_err("no accumulation");
    assert!(refused.contains("at the moment"), "{refused}");
}

/// A sender that puts one of two values into `j`, and a receiver that stores it in the same step in the place that `j` names, and clears `j`.
const HANDED_OVER: &str = r#"{
  "jani-version": 1, "name": "post", "type": "mdp", "features": ["arrays"],
  "actions": [{"name": "send!"}, {"name": "send?"}, {"name": "send"}],
  "variables": [{"name": "j", "type": {"kind": "bounded", "base": "int", "lower-bound": 0, "upper-bound": 2}, "initial-value": 0},
                {"name": "cost", "type": "real", "transient": true, "initial-value": 0}],
  "automata": [
    {"name": "sender", "locations": [{"name": "s"}, {"name": "t"}], "initial-locations": ["s"],
     "edges": [{"location": "s", "action": "send!", "destinations": [
         {"location": "t", "probability": {"exp": 0.25}, "assignments": [{"ref": "j", "value": 1}, {"ref": "cost", "value": 5}]},
         {"location": "t", "probability": {"exp": 0.75}, "assignments": [{"ref": "j", "value": 2}]}]}]},
    {"name": "receiver", "locations": [{"name": "r"}], "initial-locations": ["r"],
     "variables": [{"name": "a", "type": {"kind": "array", "base": {"kind": "bounded", "base": "int", "lower-bound": 0, "upper-bound": 4}},
                    "initial-value": {"op": "ac", "length": 3, "var": "i", "exp": 0}}],
     "edges": [{"location": "r", "action": "send?", "destinations": [{"location": "r", "assignments": [
         {"ref": {"op": "aa", "exp": "a", "index": 0}, "value": 4, "index": 0},
         {"ref": {"op": "aa", "exp": "a", "index": "j"}, "value": {"op": "+", "left": "j", "right": 1}, "index": 1},
         {"ref": "j", "value": 0, "index": 2}]}]}]}],
  "system": {"elements": [{"automaton": "sender"}, {"automaton": "receiver"}], "syncs": [{"synchronise": ["send!", "send?"], "result": "send"}]},
  "properties": [{"name": "cost", "expression": {"op": "filter", "fun": "values", "states": {"op": "initial"},
      "values": {"op": "Emin", "exp": "cost", "accumulate": ["steps"], "reach": {"op": "=", "left": {"op": "aa", "exp": "a", "index": 0}, "right": 4}}}}]
}"#;

#[test]
fn an_automaton_hands_a_value_to_another_within_a_step() {
    let read = read(HANDED_OVER, &Constants::new()).unwrap_or_else(|problem| panic!("{problem}"));
    assert!(read.properties[0].meaning.is_ok());
    let names: Vec<&str> = (read.network.variables.iter())
        .map(|variable| variable.name.as_str())
        .collect();
    let model = explore(&read.network, 1000, &Budget::unlimited()).expect("small");
    let quarter = Rational::ONE / Rational::from(4);
    let ends: Vec<(Vec<i64>, Rational)> = (model.rows[0][0].targets.iter())
        .map(|(target, probability)| {
            let state = &model.states[*target as usize];
            let value = |name: &str| state[names.iter().position(|known| *known == name).expect(name)];
            (
                ["j", "a[0]", "a[1]", "a[2]"].map(value).to_vec(),
                probability.clone(),
            )
        })
        .collect();
    // What was assigned to other elements before stays.
    let expected = [
        (vec![0, 4, 2, 0], quarter.clone()),
        (vec![0, 4, 0, 3], Rational::ONE - &quarter),
    ];
    assert_eq!(ends, expected);
    assert_eq!(model.rows[0].len(), 1);
    // A quarter of the steps costs 5.
    assert_eq!(model.rows[0][0].rewards[0], Rational::from(5) * quarter);
    // Both clear it at the same time: which comes last?
    let twice = HANDED_OVER.replace(
        r#"{"ref": "cost", "value": 5}"#,
        r#"{"ref": "j", "value": 1, "index": 2}"#,
    );
    let problem = entail_jani::read(&twice, &Constants::new()).expect_err("two values at once");
    assert!(problem.message.contains("no other assignment"), "{problem}");
}

#[test]
fn a_transient_value_is_that_of_the_moment_when_it_was_assigned() {
    // `t` takes the old value of `x`, and `x` a new one at the same time; later `y` takes `t`, and `z` the new `x`.
    let text = r#"{"jani-version": 1, "name": "swap", "type": "dtmc",
      "variables": [{"name": "t", "type": "int", "transient": true, "initial-value": 0},
        {"name": "x", "type": {"kind": "bounded", "base": "int", "lower-bound": 0, "upper-bound": 9}, "initial-value": 3},
        {"name": "y", "type": {"kind": "bounded", "base": "int", "lower-bound": 0, "upper-bound": 9}, "initial-value": 0},
        {"name": "z", "type": {"kind": "bounded", "base": "int", "lower-bound": 0, "upper-bound": 9}, "initial-value": 0}],
      "automata": [{"name": "a", "locations": [{"name": "l"}, {"name": "m"}], "initial-locations": ["l"],
        "edges": [{"location": "l", "destinations": [{"location": "m", "assignments": [
          {"ref": "t", "value": "x", "index": -1}, {"ref": "x", "value": {"op": "+", "left": "x", "right": 1}, "index": -1},
          {"ref": "y", "value": {"op": "+", "left": "t", "right": "x"}, "index": 1}, {"ref": "z", "value": "t", "index": 1}]}]}]}],
      "system": {"elements": [{"automaton": "a"}]}}"#;
    let read = read(text, &Constants::new()).unwrap_or_else(|problem| panic!("{problem}"));
    let model = explore(&read.network, 1000, &Budget::unlimited()).expect("small");
    assert_eq!(model.states[1][..3], [4, 7, 3]);
}

#[test]
fn a_value_is_chosen_among_whole_numbers() {
    let text = |condition: &str, kind: &str| {
        let any = format!(r#"{{"op": "trc", "exp": {{"op": "nondet", "var": "i", "exp": {condition}}}}}"#);
        format!(
            r#"{{"jani-version": 1, "name": "any", "type": "{kind}",
            "variables": [{{"name": "x", "type": {{"kind": "bounded", "base": "int", "lower-bound": 0, "upper-bound": 9}}, "initial-value": 0}}],
            "automata": [{{"name": "a", "locations": [{{"name": "l"}}, {{"name": "m"}}], "initial-locations": ["l"],
              "edges": [{{"location": "l", "destinations": [
                {{"location": "m", "probability": {{"exp": 0.5}}, "assignments": [{{"ref": "x", "value": {any}}}]}},
                {{"location": "m", "probability": {{"exp": 0.5}}}}]}}]}}],
            "system": {{"elements": [{{"automaton": "a"}}]}}}}"#
        )
    };
    let between = |lower: &str, low: &str, upper: &str, high: &str| {
        format!(
            r#"{{"op": "∧", "left": {{"op": "{lower}", "left": {low}, "right": "i"}}, "right": {{"op": "{upper}", "left": "i", "right": {high}}}}}"#
        )
    };
    for (condition, expected) in [
        (between("≤", "1", "≤", "3"), vec![1, 2, 3]),
        (between("<", "1", "<", "3"), vec![1, 2]),
        (between("≤", "2.5", "<", "4.5"), vec![2, 3, 4]),
        (between("≤", "7", "≤", "7"), vec![7]),
    ] {
        let read = read(&text(&condition, "mdp"), &Constants::new());
        let read = read.unwrap_or_else(|problem| panic!("{problem}"));
        let model = explore(&read.network, 1000, &Budget::unlimited()).expect("small");
        let found: Vec<i64> = (model.rows[0].iter())
            .map(|row| model.states[row.targets[0].0 as usize][0])
            .collect();
        assert_eq!(found, expected, "{condition}");
    }
    for (condition, kind, message) in [
        (between("≤", "1", "≤", "3"), "dtmc", "no choices"),
        (between("<", "3", "≤", "3"), "mdp", "some number fulfils"),
        (between("≤", "-1", "≤", "3"), "mdp", "from 0 on"),
        (between("≤", "1", "≤", "90000"), "mdp", "so many values"),
        (
            r#"{"op": "≤", "left": 1, "right": "i"}"#.to_owned(),
            "mdp",
            "between two",
        ),
    ] {
        let problem = read(&text(&condition, kind), &Constants::new()).expect_err(message);
        assert!(problem.message.contains(message), "{problem}");
    }
}

#[test]
fn what_is_missing_or_refused_is_named_with_its_place() {
    let cases = [
        ("{", "the name of a member"),
        ("{\"type\": \"sha\"}", "models of type `sha` are not supported"),
        ("[1, 2", "the end of the list"),
        ("{\"type\": \"mdp\"}", "is missing"),
    ];
    for (text, message) in cases {
        let problem = read(text, &constants()).expect_err(text);
        assert!(problem.message.contains(message), "{text}: {problem}");
    }
    let problem = read(MODEL, &Constants::new()).expect_err("N has no value");
    assert!(
        problem.message.contains("the constant N has no value"),
        "{problem}"
    );
}

#[test]
fn no_damage_makes_the_reader_panic() {
    let mut random = StdRng::seed_from_u64(8);
    for _ in 0..3000 {
        let mut bytes = MODEL.as_bytes().to_vec();
        for _ in 0..random.random_range(1..5) {
            let at = random.random_range(0..bytes.len());
            match random.random_range(0..4) {
                0 if bytes.len() > 1 => drop(bytes.remove(at)),
                1 => bytes.insert(at, random.random_range(32..127)),
                2 => bytes.truncate(at.max(1)),
                _ => bytes[at] = random.random_range(32..127),
            }
        }
        if let Ok(text) = String::from_utf8(bytes)
            && let Ok(read) = read(&text, &constants())
        {
            let _ = explore(&read.network, 200, &Budget::unlimited());
        }
    }
}

/// A chain in continuous time with two outcomes of one edge, a label, several initial states.
const RACE: &str = r#"{"jani-version": 1, "name": "race", "type": "ctmc", "actions": [],
 "variables": [{"name": "x", "type": {"kind": "bounded", "base": "int", "lower-bound": -1, "upper-bound": 2}}, {"name": "b", "type": "bool", "initial-value": false},
  {"name": "up", "type": "bool", "transient": true, "initial-value": false}],
 "restrict-initial": {"exp": {"op": "<", "left": "x", "right": 1}},
 "automata": [{"name": "m", "locations": [{"name": "l", "transient-values": [{"ref": "up", "value": {"op": ">", "left": "x", "right": 0}}]}], "initial-locations": ["l"], "edges": [
  {"location": "l", "rate": {"exp": {"op": "+", "left": "x", "right": 2}}, "guard": {"exp": {"op": "<", "left": "x", "right": 2}}, "destinations": [
   {"location": "l", "probability": {"exp": 0.25}, "assignments": [{"ref": "x", "value": {"op": "+", "left": "x", "right": 1}}]},
   {"location": "l", "probability": {"exp": 0.75}, "assignments": [{"ref": "b", "value": {"op": "¬", "exp": "b"}}]}]},
  {"location": "l", "rate": {"exp": 0.1}, "guard": {"exp": {"op": "=", "left": "x", "right": 2}}, "destinations": [{"location": "l", "assignments": [{"ref": "x", "value": -1}]}]}]}],
 "system": {"elements": [{"automaton": "m"}]}, "properties": []}"#;

#[test]
fn what_is_written_is_read_again_as_the_same_model() {
    for (text, constants) in [(MODEL, constants()), (RACE, Constants::new())] {
        let network = read(text, &constants)
            .unwrap_or_else(|problem| panic!("{problem}"))
            .network;
        let written = entail_jani::write(&network, "again").expect("it can be written");
        let again =
            read(&written, &Constants::new()).unwrap_or_else(|problem| panic!("{problem}\n{written}"));
        let [before, after] = [&network, &again.network]
            .map(|network| explore(network, 1000, &Budget::unlimited()).expect("small"));
        assert_eq!(before.states, after.states);
        assert_eq!(before.initial, after.initial);
        for (rows, others) in before.rows.iter().zip(&after.rows) {
            assert_eq!(rows.len(), others.len());
            for (row, other) in rows.iter().zip(others) {
                assert_eq!((&row.targets, &row.rate), (&other.targets, &other.rate));
                assert_eq!(
                    network.action_name(row.action),
                    again.network.action_name(other.action)
                );
            }
        }
        let truths = |network: &entail_markov::Network| {
            let mut found = Vec::new();
            for (name, set) in &network.labels {
                for state in &before.states {
                    found.push((name.clone(), network.holds(set, state).expect("a set")));
                }
            }
            found
        };
        assert_eq!(truths(&network), truths(&again.network));
    }
}

/// A model of type `sta` with an assignment that samples, and a clock that begins with 0.0.
fn sampling(distribution: &str) -> String {
    r#"{
 "jani-version": 1, "name": "backoff", "type": "sta", "features": ["derived-operators"],
 "variables": [{"name": "x", "type": "clock", "initial-value": 0.0},
               {"name": "n", "type": {"kind": "bounded", "base": "int", "lower-bound": 0, "upper-bound": 9}, "initial-value": 0}],
 "automata": [{"name": "a", "locations": [{"name": "here", "time-progress": {"exp": {"op": "≤", "left": "x", "right": 0}}},
                                          {"name": "there"}], "initial-locations": ["here"],
   "edges": [{"location": "here", "destinations": [{"location": "there", "assignments":
      [{"ref": "n", "value": {"op": "+", "left": 1, "right": DISTRIBUTION}}]}]}]}],
 "system": {"elements": [{"automaton": "a"}]}
}"#
    .replace("DISTRIBUTION", distribution)
}

#[test]
fn what_is_sampled_from_finitely_many_values_becomes_branches() {
    let probabilities = |distribution: &str| -> Vec<(i64, Rational)> {
        let read = read(&sampling(distribution), &Constants::new()).unwrap_or_else(|error| panic!("{error}"));
        let model = explore(&read.network, 100, &Budget::unlimited()).expect("small");
        let n = read
            .network
            .variables
            .iter()
            .position(|variable| variable.name == "n");
        let n = n.expect("declared");
        let first = model.rows[model.initial[0] as usize].iter();
        let row = first.max_by_key(|row| row.targets.len()).expect("a choice");
        (row.targets.iter())
            .map(|(target, probability)| (model.states[*target as usize][n], probability.clone()))
            .collect()
    };
    let share = |above: u64, below: u64| Rational::from(above) / Rational::from(below);
    assert_eq!(
        probabilities(r#"{"distribution": "DiscreteUniform", "args": [2, 4]}"#),
        [(3, share(1, 3)), (4, share(1, 3)), (5, share(1, 3))]
    );
    assert_eq!(
        probabilities(r#"{"distribution": "Bernoulli", "args": [0.25]}"#),
        [(1, share(3, 4)), (2, share(1, 4))]
    );
    assert_eq!(
        probabilities(r#"{"distribution": "Binomial", "args": [0.5, 2]}"#),
        [(1, share(1, 4)), (2, share(1, 2)), (3, share(1, 4))]
    );
    for (distribution, reason) in [
        (r#"{"distribution": "Exponential", "args": [1]}"#, "`Exponential`"),
        (
            r#"{"distribution": "DiscreteUniform", "args": [3, 2]}"#,
            "a range of whole numbers",
        ),
        (
            r#"{"distribution": "DiscreteUniform", "args": ["n", 2]}"#,
            "a constant",
        ),
        (r#"{"distribution": "Bernoulli", "args": [2]}"#, "a probability"),
        (
            r#"{"distribution": "Bernoulli", "args": []}"#,
            "number of arguments",
        ),
    ] {
        let problem = read(&sampling(distribution), &Constants::new()).expect_err("refused");
        assert!(problem.to_string().contains(reason), "{problem}");
    }
}
