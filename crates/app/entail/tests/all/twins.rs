//! Random systems twice: with ranges `0..k` by the engines of finite systems, with `integer` and these bounds as an invariant by the engines
//! of unbounded ones. The verdicts are the same.
//!
//! Both halves are written from one drawing: assignments that stay within the ranges, or relations that may leave states without a
//! successor (a dead end is a reachable state in both), with a truth variable beside the numbers.

use crate::asked;
use crate::random_smv::{Dice, effort, first_seed};
use entail::run::{Rechecking, Request, Scrutinizing};
use entail_answer::Verdict;
use entail_evidence::DeadEnds;
use entail_family::{Model, Options};
use std::collections::BTreeMap;
use std::time::Duration;

/// How many systems are tried.
const SYSTEMS: u64 = 2_000;
const PROPERTIES: usize = 2;

/// The engines that must decide; the others may give up.
const UNBOUNDED: [&str; 2] = ["ic3mbp", "ic3ia"];
const MAY_GIVE_UP: [&str; 2] = ["kind", "interpolation"];

/// A drawing of a system: two numbers with their largest values, a truth variable, the constraints.
struct Twins {
    tops: [usize; 2],
    /// What both halves have in common: everything but the declarations of the numbers.
    body: String,
}

const NUMBERS: [&str; 2] = ["x", "y"];

impl Twins {
    fn draw(dice: &mut Dice) -> Twins {
        let tops = [2 + dice.roll(5), 1 + dice.roll(4)];
        let mut body = String::from("VAR b : boolean;\n");
        body += &format!("INIT {};\n", Twins::condition(dice, 2, false));
        if dice.percent(60) {
            body += &Twins::assignments(dice, tops);
        } else {
            body += &format!("TRANS {};\n", Twins::condition(dice, 3, true));
            body += &format!("TRANS {};\n", Twins::condition(dice, 2, true));
        }
        for _ in 0..PROPERTIES {
            body += &format!("INVARSPEC {};\n", Twins::condition(dice, 2, false));
        }
        Twins { tops, body }
    }

    /// Next values that stay within the ranges.
    fn assignments(dice: &mut Dice, tops: [usize; 2]) -> String {
        let mut text = String::from("ASSIGN\n");
        for (name, top) in NUMBERS.into_iter().zip(tops) {
            let value = |dice: &mut Dice| match dice.roll(6) {
                0 => dice.roll(top + 1).to_string(),
                1 => format!("({name} < {top} ? {name} + 1 : 0)"),
                2 => format!("({name} > 0 ? {name} - 1 : {name})"),
                3 => format!("(x + y <= {top} ? x + y : {name})"),
                4 => format!("{{{name}, {}}}", dice.roll(top + 1)),
                _ => name.to_owned(),
            };
            let (first, second) = (value(dice), value(dice));
            let guard = Twins::condition(dice, 1, false);
            text += &format!("  next({name}) := case {guard} : {first}; TRUE : {second}; esac;\n");
        }
        if dice.percent(70) {
            text += &format!("  next(b) := {};\n", Twins::condition(dice, 1, false));
        }
        text
    }

    fn condition(dice: &mut Dice, depth: usize, has_next: bool) -> String {
        if depth > 0 && dice.percent(70) {
            let mut part = || Twins::condition(dice, depth - 1, has_next);
            let (first, second) = (part(), part());
            return match dice.roll(4) {
                0 => format!("!{first}"),
                1 => format!("({first} & {second})"),
                2 => format!("({first} -> {second})"),
                _ => format!("({first} | {second})"),
            };
        }
        if dice.percent(20) {
            return if has_next && dice.percent(50) {
                "(next(b) = b)".into()
            } else {
                "b".into()
            };
        }
        let names: &[&str] = match has_next {
            true => &["x", "y", "next(x)", "next(y)"],
            false => &NUMBERS,
        };
        let left = format!(
            "{} {} {}",
            dice.pick(names),
            dice.pick(&["+", "-"]),
            dice.pick(names)
        );
        let left = if dice.percent(50) {
            left
        } else {
            dice.pick(names).to_owned()
        };
        let right = if dice.percent(50) {
            dice.roll(6).to_string()
        } else {
            dice.pick(names).to_owned()
        };
        format!("({left} {} {right})", dice.pick(&["<=", "<", "=", "!=", ">="]))
    }

    fn finite(&self) -> String {
        let [x, y] = self.tops;
        format!("MODULE main\nVAR x : 0..{x}; y : 0..{y};\n{}", self.body)
    }

    fn unbounded(&self) -> String {
        let [x, y] = self.tops;
        let bounds = format!("INVAR x >= 0 & x <= {x} & y >= 0 & y <= {y};");
        format!(
            "MODULE main\nVAR x : integer; y : integer;\n{bounds}\n{}",
            self.body
        )
    }
}

/// The verdict of an engine about a property, whose evidence was accepted; nothing if there is no state to begin with.
fn verdict(
    model: &dyn Model,
    property: usize,
    engine: &'static str,
    options: Options,
    text: &str,
) -> Option<Verdict> {
    let request = Request {
        properties: vec![property],
        engine: Some(engine),
        options,
        timeout: Some(Duration::from_secs(20)),
        rechecking: Rechecking::ToTheEnd,
        scrutiny: Scrutinizing::Never,
        ..Request::default()
    };
    let told = |message: &str| {
        let is_empty = message.contains("no initial state");
        assert!(is_empty, "{engine}: {message}\n{text}");
    };
    let mut answers = match asked::check(model, &request) {
        Ok(answers) => answers,
        Err(failure) => {
            told(&failure.to_string());
            return None;
        }
    };
    let (decided, _) = answers.remove(0);
    if let Some(failure) = &decided.failure {
        told(&failure.message);
        return None;
    }
    Some(decided.answer.verdict)
}

fn bounded(bound: u64) -> Options {
    let mut options = Options::default();
    options.give("bound", bound.to_string());
    options
}

#[test]
fn ranges_and_bounded_integers_have_the_same_verdicts() {
    let finite_engines = ["explicit", "bdd", "ic3"];
    let mut seen: BTreeMap<(&str, bool), usize> = BTreeMap::new();
    let first = first_seed();
    for seed in first..first + SYSTEMS * effort() {
        let twins = Twins::draw(&mut Dice::new(seed));
        let (finite_text, text) = (twins.finite(), twins.unbounded());
        let finite = asked::model(&finite_text);
        let unbounded = asked::read(&text, "nuxmv").unwrap_or_else(|error| panic!("{error}\n{text}"));
        for property in 0..PROPERTIES {
            let name = finite_engines[(seed as usize + property) % finite_engines.len()];
            let options = asked::options(DeadEnds::Maximal, None);
            let Some(expected) = verdict(&*finite, property, name, options, &finite_text) else {
                continue;
            };
            assert_ne!(expected, Verdict::Unknown, "seed {seed}, {name}\n{finite_text}");
            for engine in UNBOUNDED {
                let said = verdict(&*unbounded, property, engine, Options::default(), &text);
                assert_eq!(
                    said,
                    Some(expected),
                    "seed {seed}, {engine} beside {name}, property {property}\n{text}"
                );
            }
            let engine = MAY_GIVE_UP[seed as usize % MAY_GIVE_UP.len()];
            let options = if engine == "kind" {
                bounded(8)
            } else {
                Options::default()
            };
            let said = verdict(&*unbounded, property, engine, options, &text);
            let gave_up = said == Some(Verdict::Unknown);
            assert!(
                said == Some(expected) || gave_up,
                "seed {seed}, {engine} beside {name}, property {property}\n{text}"
            );
            *seen.entry((engine, gave_up)).or_default() += 1;
            *seen.entry(("fails", expected == Verdict::Fails)).or_default() += 1;
        }
    }
    println!("{seen:?}");
    let count = |key: (&str, bool)| seen.get(&key).copied().unwrap_or(0);
    assert!(
        count(("fails", true)) > 20 && count(("fails", false)) > 20,
        "{seen:?}"
    );
    for engine in MAY_GIVE_UP {
        assert!(
            count((engine, false)) > count((engine, true)),
            "{engine} decides little: {seen:?}"
        );
    }
}
