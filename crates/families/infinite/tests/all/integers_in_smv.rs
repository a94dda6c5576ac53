//! SMV with `integer` and `real` variables: small systems twice, as terms by the engines and by trying all values; and what is refused.

use entail_budget::Budget;
use entail_first_order::{Claim, TermId};
use entail_infinite::{Found, by_interpolation, k_induction, predicate_abstraction, property_directed};
use entail_proof::first_order::{FirstOrderJudgement, check_k_induction};
use entail_smt::ProvingRefuter;
use entail_smtlib::{Meaning, Scope, read_term};
use entail_smv::{UnboundedModel, looks_unbounded, read_unbounded};
use entail_source::Source;
use std::collections::BTreeSet;
use std::time::Duration;

/// A small generator of random numbers, seeded.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, limit: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (self.0 >> 33) % limit
    }
}

const NAMES: [&str; 2] = ["x", "y"];

/// `left (<=, =) right`, or two of them, as text and as a meaning.
#[derive(Clone, Debug)]
pub enum Formula {
    /// Factors of x, y and their next values, and a number: at most zero, or zero.
    Linear([i64; 4], i64, bool),
    Either(Box<Formula>, Box<Formula>),
    Not(Box<Formula>),
}

impl Formula {
    pub fn random(random: &mut Random, has_next: bool, depth: u32) -> Formula {
        if depth > 0 {
            match random.below(3) {
                0 => {
                    let parts = [0, 1].map(|_| Box::new(Formula::random(random, has_next, depth - 1)));
                    let [a, b] = parts;
                    return Formula::Either(a, b);
                }
                1 => return Formula::Not(Box::new(Formula::random(random, has_next, depth - 1))),
                _ => {}
            }
        }
        let mut factors = [0; 4];
        for (place, factor) in factors.iter_mut().enumerate() {
            if place < 2 || has_next {
                *factor = random.below(3) as i64 - 1;
            }
        }
        Formula::Linear(factors, random.below(7) as i64 - 3, random.below(3) == 0)
    }

    pub fn text(&self) -> String {
        match self {
            Formula::Linear(factors, number, is_equation) => {
                let names = ["x", "y", "next(x)", "next(y)"];
                let mut sum = format!("{number}");
                for (factor, name) in factors.iter().zip(names) {
                    match factor {
                        0 => {}
                        1 => sum += &format!(" + {name}"),
                        _ => sum += &format!(" - {name}"),
                    }
                }
                format!("({sum} {} 0)", if *is_equation { "=" } else { "<=" })
            }
            Formula::Either(a, b) => format!("({} | {})", a.text(), b.text()),
            Formula::Not(a) => format!("!{}", a.text()),
        }
    }

    pub fn holds(&self, now: [i64; 2], next: [i64; 2]) -> bool {
        match self {
            Formula::Linear(factors, number, is_equation) => {
                let values = [now[0], now[1], next[0], next[1]];
                let sum: i64 = number + factors.iter().zip(values).map(|(f, v)| f * v).sum::<i64>();
                if *is_equation { sum == 0 } else { sum <= 0 }
            }
            Formula::Either(a, b) => a.holds(now, next) || b.holds(now, next),
            Formula::Not(a) => !a.holds(now, next),
        }
    }
}

/// Whether the formula holds in every reachable state, by trying all values up to a bound.
fn by_trying(init: &Formula, step: &Formula, property: &Formula, top: i64) -> bool {
    let all: Vec<[i64; 2]> = (0..=top).flat_map(|x| (0..=top).map(move |y| [x, y])).collect();
    let mut reached: BTreeSet<[i64; 2]> = all.iter().copied().filter(|&s| init.holds(s, s)).collect();
    let mut waiting: Vec<[i64; 2]> = reached.iter().copied().collect();
    while let Some(state) = waiting.pop() {
        for &next in &all {
            if step.holds(state, next) && reached.insert(next) {
                waiting.push(next);
            }
        }
    }
    reached.iter().all(|&state| property.holds(state, state))
}

pub fn read(text: &str) -> UnboundedModel {
    let mut model = match read_unbounded(&Source::new("model.smv", text)) {
        Ok(model) => model,
        Err(problems) => panic!("{problems:?}\n{text}"),
    };
    // These tests are about invariants: `AG p` is taken as one.
    for property in &mut model.properties {
        let invariant = property.goal.sufficient_invariant(&mut model.system.terms);
        property.goal = Claim::Invariant(invariant.expect("an invariant"));
    }
    model
}

fn invariant(claim: &Claim) -> TermId {
    claim.invariant().expect("an invariant")
}

/// The verdict of induction and IC3, with its evidence judged.
pub fn decide(model: &UnboundedModel, property: usize) -> Option<bool> {
    let budget = limit();
    let goal = invariant(&model.properties[property].goal);
    let mut found = k_induction(&model.system, goal, Some(6), &budget);
    if !matches!(found, Found::Holds { .. } | Found::Fails(_)) {
        found = property_directed(&model.system, goal, &budget);
    }
    judge(model, property, found)
}

fn limit() -> Budget {
    Budget::unlimited().with_timeout(Some(Duration::from_secs(20)))
}

/// A verdict, if there is one and its evidence is right.
fn judge(model: &UnboundedModel, property: usize, found: Found) -> Option<bool> {
    let budget = limit();
    let goal = invariant(&model.properties[property].goal);
    match found {
        Found::Holds { depth, invariant } => {
            let mut system = model.system.clone();
            let mut scope = Scope::default();
            for variable in &system.variables {
                scope.define(&variable.name, Meaning::Macro(Vec::new(), variable.current));
            }
            let expressions = entail_first_order::sexpr::Reader::new(&invariant).all();
            let expression = &expressions.expect("printed by an engine")[0];
            let term = read_term(&mut system.terms, &mut scope, expression).expect("printed by an engine");
            let judged = check_k_induction(&system, goal, term, depth, &mut ProvingRefuter, &budget);
            assert_eq!(judged, FirstOrderJudgement::Accepted);
            Some(true)
        }
        Found::Fails(trace) => {
            let path = model
                .system
                .replay(&trace, invariant(&model.properties[property].holds_or_error));
            path.is_ok().then_some(false)
        }
        _ => None,
    }
}

pub fn effort() -> u64 {
    std::env::var("ENTAIL_EFFORT")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(1)
}

#[test]
fn integers_within_bounds_are_decided_as_by_trying_all_values() {
    let mut random = Random(7);
    let (mut holds, mut fails, mut undecided) = (0, 0, 0);
    for round in 0..400 * effort() {
        let top = 2 + random.below(3) as i64;
        let init = Formula::random(&mut random, false, 1);
        let step = Formula::random(&mut random, true, 2);
        let property = Formula::random(&mut random, false, 1);
        let kind = if round % 4 == 0 { "real" } else { "integer" };
        // Reals are whole here because their floors are themselves.
        let whole = match kind {
            "real" => NAMES
                .map(|name| format!("INVAR floor({name}) = {name};\n"))
                .concat(),
            _ => String::new(),
        };
        let bounds = match kind {
            "real" => format!("INVAR x >= 0 & x <= {top} & y >= 0.0 & y <= {top};"),
            _ => format!("INVAR x >= 0 & x <= {top} & y in 0..{top};"),
        };
        let text = format!(
            "MODULE main\nVAR x : {kind}; y : {kind};\n{whole}{bounds}\nINIT {};\nTRANS {};\nINVARSPEC {};\n",
            init.text(),
            step.text(),
            property.text()
        );
        let expected = by_trying(&init, &step, &property, top);
        let model = read(&text);
        assert_eq!(decide(&model, 0), Some(expected), "{text}");
        let goal = invariant(&model.properties[0].goal);
        let found = predicate_abstraction(&model.system, goal, &[], &limit());
        assert_eq!(judge(&model, 0, found), Some(expected), "predicates: {text}");
        let found = by_interpolation(&model.system, goal, &limit());
        let verdict = judge(&model, 0, found);
        assert!(
            verdict.is_none_or(|verdict| verdict == expected),
            "interpolation: {text}"
        );
        undecided += usize::from(verdict.is_none());
        match expected {
            true => holds += 1,
            false => fails += 1,
        }
    }
    assert!(holds > 5 && fails > 5, "{holds} {fails}");
    assert!(
        undecided * 4 < holds + fails,
        "interpolation leaves {undecided} open"
    );
}

const COUNTER: &str = "
MODULE cell(limit)
VAR n : integer; mode : {idle, busy};
ASSIGN
  init(n) := 0; init(mode) := idle;
  next(n) := case mode = busy & n < limit : n + 1; TRUE : n; esac;
  next(mode) := {idle, busy};
DEFINE full := n >= limit;
MODULE main
FROZENVAR top : integer;
VAR a : cell(top); r : real; w : 0..3;
INVAR top >= 5;
ASSIGN
  init(r) := 0.5; next(r) := r / 2.0;
  init(w) := 0; next(w) := w < 3 ? w + 1 : 0;
INVARSPEC NAME bounded := a.n <= top;
INVARSPEC a.n < top;
INVARSPEC r > 0.0;
INVARSPEC floor(r) = 0;
CTLSPEC AG w <= 3;
CTLSPEC EF w = 3;
";

#[test]
fn modules_reals_frozen_variables_and_enumerations_are_read_as_nuxmv_does() {
    let model = read(COUNTER);
    assert_eq!(model.unsupported.len(), 1);
    let verdicts: Vec<Option<bool>> = (0..model.properties.len()).map(|at| decide(&model, at)).collect();
    assert_eq!(verdicts[0], Some(true), "bounded");
    assert_eq!(verdicts[1], Some(false), "it becomes full");
    assert_eq!(verdicts[2], Some(true), "halves stay positive");
    assert_eq!(verdicts[4], Some(true), "the range");
}

#[test]
fn errors_of_the_model_are_neither_holding_nor_failing_properties() {
    let text = "MODULE main\nVAR x : 0..3; y : integer;\nASSIGN init(x) := 0; next(x) := x + 1;\ninit(y) := 0; next(y) := y;\n\
                INVARSPEC y = 0;\n";
    let model = read(text);
    assert_eq!(decide(&model, 0), None, "the value 4 is outside of the domain");
    let text = "MODULE main\nVAR y : integer;\nASSIGN init(y) := 0; next(y) := case y < 3 : y + 1; y = 3 : 0; esac;\n\
                INVARSPEC y <= 3;\nINVARSPEC y <= 2;\n";
    let model = read(text);
    assert_eq!(decide(&model, 0), Some(true));
    assert_eq!(decide(&model, 1), Some(false));
}

#[test]
fn unbounded_models_are_told_from_finite_ones_and_mistakes_have_places() {
    assert!(looks_unbounded(b"MODULE main\nVAR x :integer;"));
    assert!(looks_unbounded(b"MODULE main VAR a : array 0..2 of real;"));
    assert!(!looks_unbounded(
        b"MODULE main\nVAR x : 0..3; -- : integer\n integer : boolean;"
    ));
    for text in [
        "MODULE main VAR x : integer; ASSIGN next(x) := y;",
        "MODULE main VAR x : integer; ASSIGN next(x) := TRUE;",
        "MODULE main VAR x : integer; b : boolean; INVARSPEC x + b = 1;",
        "MODULE main VAR x : integer; ASSIGN next(x) := 1; next(x) := 2;",
        "MODULE main VAR x : integer; DEFINE a := b; b := a; INVARSPEC a = x;",
        "MODULE main IVAR i : integer; VAR x : integer; INVARSPEC i = x;",
    ] {
        assert!(read_unbounded(&Source::new("wrong.smv", text)).is_err(), "{text}");
    }
}

#[test]
fn a_sum_of_inputs_that_are_not_negative_is_not_negative() {
    let text = "MODULE main\nVAR y : integer; x : integer;\nINVAR x >= 0;\nASSIGN init(y) := 0; next(y) := y + x;\n\
                INVARSPEC y >= 0;\nINVARSPEC y < 10;\n";
    let model = read(text);
    for (property, expected) in [(0, true), (1, false)] {
        let goal = invariant(&model.properties[property].goal);
        let found = predicate_abstraction(&model.system, goal, &[], &limit());
        assert_eq!(judge(&model, property, found), Some(expected));
    }
}
