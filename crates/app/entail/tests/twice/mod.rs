//! Random systems twice: with ranges by an engine of finite systems, with `integer` and the same bounds by those of unbounded ones.

use crate::asked::{self, recheck};
use crate::random_smv::{Dice, effort};
use entail::run::{Rechecking, Request};
use entail_answer::{CheckReport, Verdict};
use entail_evidence::DeadEnds;
use entail_family::Model;
use std::collections::BTreeMap;
use std::time::Duration;

const FINITE: [&str; 3] = ["explicit", "bdd", "ic3"];
const UNBOUNDED: [&str; 4] = ["kind", "ic3mbp", "ic3ia", "interpolation"];
const NAMES: [&str; 2] = ["x", "y"];

/// A condition over the variables, perhaps with their next values.
fn condition(dice: &mut Dice, top: usize, has_next: bool, depth: u32) -> String {
    if depth > 0 && dice.roll(2) == 0 {
        let (a, b) = (
            condition(dice, top, has_next, depth - 1),
            condition(dice, top, has_next, depth - 1),
        );
        return match dice.roll(3) {
            0 => format!("({a} | {b})"),
            1 => format!("({a} & {b})"),
            _ => format!("!({a})"),
        };
    }
    let mut name = || match (has_next, dice.roll(4)) {
        (true, 0) => "next(x)".to_owned(),
        (true, 1) => "next(y)".to_owned(),
        (_, roll) => NAMES[roll % 2].to_owned(),
    };
    let (a, b) = (name(), name());
    let number = dice.roll(top + 1);
    match dice.roll(6) {
        0 => "b".to_owned(),
        1 => format!("({a} <= {b})"),
        2 => format!("({a} + {b} <= {number})"),
        3 => format!("({a} = {number})"),
        4 => format!("({a} < {number})"),
        _ => format!("({a} - {b} = {number})"),
    }
}

/// The next value of a variable: every branch stays within the bounds.
fn next_value(dice: &mut Dice, name: &str, top: usize) -> String {
    let other = if name == "x" { "y" } else { "x" };
    let mut branches = String::new();
    for _ in 0..1 + dice.roll(3) {
        let guard = condition(dice, top, false, 1);
        let number = dice.roll(top + 1);
        branches += &match dice.roll(5) {
            0 => format!("{guard} & {name} < {top} : {name} + 1; "),
            1 => format!("{guard} & {name} > 0 : {name} - 1; "),
            2 => format!("{guard} : {other}; "),
            3 => format!("{guard} : {{{number}, {name}}}; "),
            _ => format!("{guard} & {name} + {other} <= {top} : {name} + {other}; "),
        };
    }
    format!("case {branches}TRUE : {name}; esac")
}

/// A system with a place for the declarations of `x` and `y`, and the largest value of each.
fn system(dice: &mut Dice) -> (String, usize) {
    let top = 2 + dice.roll(5);
    let mut body = format!(
        "INIT {} & x <= {};\n",
        condition(dice, top, false, 1),
        dice.roll(top + 1)
    );
    if dice.roll(3) > 0 {
        for name in NAMES {
            body += &format!("ASSIGN next({name}) := {};\n", next_value(dice, name, top));
        }
    } else {
        body += &format!("TRANS {};\n", condition(dice, top, true, 2));
    }
    if dice.roll(4) == 0 {
        body += &format!("INVAR {};\n", condition(dice, top, false, 1));
    }
    body += &format!("INVARSPEC {};\n", condition(dice, top, false, 2));
    (body, top)
}

fn verdict(model: &mut dyn Model, engine: &'static str, options: entail_family::Options) -> Option<Verdict> {
    let request = Request {
        engine: Some(engine),
        options,
        timeout: Some(Duration::from_secs(20)),
        rechecking: Rechecking::ToTheEnd,
        ..Request::default()
    };
    let mut answers = asked::check(model, &request).unwrap_or_else(|_| panic!("{engine} fails"));
    let (decided, document) = answers.remove(0);
    let found = decided.answer.verdict;
    if found != Verdict::Unknown {
        let report = recheck(model, &document).expect("a document of ours");
        assert_eq!(report, CheckReport::Accepted, "{engine}");
        return Some(found);
    }
    None
}

#[test]
fn integers_within_bounds_are_decided_as_ranges_are() {
    let mut seen: BTreeMap<(&str, Option<bool>), usize> = BTreeMap::new();
    for seed in 0..120 * effort() {
        let mut dice = Dice::new(seed);
        let (body, top) = system(&mut dice);
        let ranges = format!("MODULE main\nVAR x : 0..{top}; y : 0..{top}; b : boolean;\n{body}");
        let integers = format!(
            "MODULE main\nVAR x : integer; y : integer; b : boolean;\nINVAR x >= 0 & x <= {top} & y >= 0 & y <= {top};\n{body}"
        );
        let finite = FINITE[seed as usize % FINITE.len()];
        let unbounded = UNBOUNDED[seed as usize % UNBOUNDED.len()];
        let mut first = asked::model(&ranges);
        let mut second =
            asked::read(&integers, "nuxmv").unwrap_or_else(|error| panic!("{error}\n{integers}"));
        let expected = verdict(first.as_mut(), finite, asked::options(DeadEnds::Maximal, None));
        let found = verdict(second.as_mut(), unbounded, entail_family::Options::default());
        let expected = expected.unwrap_or_else(|| panic!("seed {seed}: {finite} decides nothing\n{ranges}"));
        if let Some(found) = found {
            assert_eq!(
                found, expected,
                "seed {seed}: {finite} and {unbounded}\n{integers}"
            );
        }
        *seen
            .entry((unbounded, found.map(|found| found == Verdict::Holds)))
            .or_default() += 1;
    }
    let count = |wanted: Option<bool>| -> usize {
        let rows = seen.iter().filter(|((_, verdict), _)| *verdict == wanted);
        rows.map(|(_, count)| count).sum()
    };
    assert!(count(Some(true)) > 10 && count(Some(false)) > 10, "{seen:?}");
    assert!(
        count(None) * 5 < count(Some(true)) + count(Some(false)),
        "{seen:?}"
    );
}
