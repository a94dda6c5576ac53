//! Path formulas: small systems twice, by the engines with their evidence judged and by a search of all states beside an automaton;
//! systems with endlessly many states whose answers are known; damaged evidence.

use crate::integers_in_smv::{Formula as StateFormula, Random, effort};
use entail_answer::{Answer, CheckReport, Verdict};
use entail_budget::{Budget, Silent};
use entail_family::{Input, Model, Options};
use entail_linear_checker::violations;
use entail_logic::{Binary, Formula, ObserverEdge};
use entail_unbounded::{FAMILY, InfiniteEvidence};
use std::collections::HashMap;
use std::path::Path;
use std::time::Duration;

const ENGINES: [&str; 5] = ["bmc", "recurring", "ic3ia", "ic3mbp", "ranks"];

fn load(text: &str, language: &str) -> Box<dyn Model> {
    let options = Options::default();
    let model = (FAMILY.load)(&Input {
        name: "system",
        path: Path::new("system"),
        bytes: text.as_bytes(),
        language: (FAMILY.languages.iter())
            .find(|known| known.name == language)
            .expect("a language of the family"),
        options: &options,
        budget: &Budget::unlimited(),
    });
    model.unwrap_or_else(|error| panic!("{error:?}\n{text}"))
}

fn answer(model: &dyn Model, engine: &str, property: usize, time: Duration) -> Answer {
    let mut options = Options::default();
    match engine {
        "bmc" => options.give("bound", "14"),
        "recurring" => options.give("bound", "4"),
        _ => {}
    }
    let budget = Budget::unlimited().with_timeout(Some(time));
    let mut session = model
        .open(&options, false)
        .unwrap_or_else(|_| panic!("a session"));
    let answer = session.check(engine, property, &budget, &Silent);
    answer.unwrap_or_else(|_| panic!("an answer"))
}

fn judged(model: &dyn Model, property: usize, answer: &Answer) -> CheckReport {
    let options = Options::default();
    let mut checker = model.checker(&options).unwrap_or_else(|_| panic!("a checker"));
    let budget = Budget::unlimited().with_timeout(Some(Duration::from_secs(60)));
    checker.check(property, answer, &budget)
}

fn random_path(random: &mut Random, depth: u64) -> Formula<usize> {
    if depth == 0 {
        return Formula::atom(random.below(2) as usize);
    }
    let a = random_path(random, depth - 1);
    match random.below(9) {
        0 => a.not(),
        1 => a.next(),
        2 => a.finally(),
        3 => a.globally(),
        4 => a.globally().finally(),
        5 => a.finally().globally(),
        other => {
            let b = random_path(random, depth - 1);
            match other {
                6 => Formula::binary(Binary::Until, &a, &b),
                7 => Formula::or([a, b]),
                _ => a.implies(&b),
            }
        }
    }
}

fn path_text(formula: &Formula<usize>, atoms: &[String]) -> String {
    formula
        .display_with(|atom: &usize, f| write!(f, "({})", atoms[*atom]))
        .to_string()
}

/// Whether a fair endless path violates the formula, by searching the states with the automaton of the violations: the greatest set of
/// pairs from which every condition of fairness can be met again inside the set.
fn is_violated(
    init: &StateFormula,
    step: &StateFormula,
    justice: &StateFormula,
    atoms: &[StateFormula],
    path: &Formula<usize>,
    top: i64,
) -> bool {
    let observer = violations(path).expect("a small formula");
    let states: Vec<[i64; 2]> = (0..=top).flat_map(|x| (0..=top).map(move |y| [x, y])).collect();
    let suits = |edge: &ObserverEdge, state: [i64; 2]| {
        (edge.literals.iter()).all(|&(atom, value)| atoms[atom].holds(state, state) == value)
    };
    type Pair = ([i64; 2], u16);
    let mut waiting: Vec<Pair> = (states.iter())
        .filter(|&&state| init.holds(state, state))
        .map(|&state| (state, 0))
        .collect();
    // For each pair its successors, with the conditions of fairness that the step meets.
    let mut steps: HashMap<Pair, Vec<(Pair, u64)>> = HashMap::new();
    let own = 1 << observer.marks;
    while let Some((state, position)) = waiting.pop() {
        if steps.contains_key(&(state, position)) {
            continue;
        }
        let mut after = Vec::new();
        for edge in &observer.positions[position as usize] {
            if suits(edge, state) {
                let met = edge.marks | if justice.holds(state, state) { own } else { 0 };
                for &next in states.iter().filter(|&&next| step.holds(state, next)) {
                    after.push(((next, edge.target), met));
                }
            }
        }
        waiting.extend(after.iter().map(|(pair, _)| *pair));
        steps.insert((state, position), after);
    }
    let mut alive: Vec<Pair> = steps.keys().copied().collect();
    loop {
        let before = alive.len();
        for mark in 0..=observer.marks {
            // Those from which a step that meets the mark can be reached inside the set.
            let mut good: Vec<Pair> = Vec::new();
            loop {
                let inside = |pair: &Pair| alive.contains(pair);
                let new: Vec<Pair> = (alive.iter().copied())
                    .filter(|pair| !good.contains(pair))
                    .filter(|pair| {
                        (steps[pair].iter())
                            .any(|(next, met)| inside(next) && (met >> mark & 1 == 1 || good.contains(next)))
                    })
                    .collect();
                if new.is_empty() {
                    break;
                }
                good.extend(new);
            }
            alive = good;
        }
        if alive.len() == before {
            return !alive.is_empty();
        }
    }
}

#[test]
fn path_formulas_of_small_systems_are_decided_as_by_searching_all_states() {
    let mut random = Random(11);
    let mut decided: HashMap<(&str, Verdict), usize> = HashMap::new();
    let rounds = 120 * effort();
    for round in 0..rounds {
        let top = 1 + random.below(2) as i64;
        let init = StateFormula::random(&mut random, false, 1);
        let step = StateFormula::random(&mut random, true, 1);
        let justice = StateFormula::random(&mut random, false, 0);
        let atoms = [0, 1].map(|_| StateFormula::random(&mut random, false, 0));
        let path = random_path(&mut random, 1 + round % 2);
        let texts = atoms.clone().map(|atom| atom.text());
        let text = format!(
            "MODULE main\nVAR x : integer; y : integer;\nINVAR x >= 0 & x <= {top} & y >= 0 & y <= {top};\nINIT {};\nTRANS {};\n\
             JUSTICE {};\nLTLSPEC {};\n",
            init.text(),
            step.text(),
            justice.text(),
            path_text(&path, &texts)
        );
        let expected = match is_violated(&init, &step, &justice, &atoms, &path, top) {
            true => Verdict::Fails,
            false => Verdict::Holds,
        };
        let model = load(&text, "nuxmv");
        let mut is_decided = false;
        for engine in ENGINES {
            let answer = answer(&*model, engine, 0, Duration::from_secs(5));
            if answer.verdict == Verdict::Unknown {
                continue;
            }
            assert_eq!(answer.verdict, expected, "{engine}: {text}");
            assert_eq!(
                judged(&*model, 0, &answer),
                CheckReport::Accepted,
                "{engine}: {text}"
            );
            *decided.entry((engine, expected)).or_default() += 1;
            is_decided = true;
            if expected == Verdict::Fails {
                break;
            }
        }
        assert!(is_decided, "nobody decides {text}");
    }
    assert!(decided[&("bmc", Verdict::Fails)] > 3, "{decided:?}");
    assert!(decided[&("ranks", Verdict::Holds)] > 3, "{decided:?}");
}

/// Systems with endlessly many states, what is asked of them, and the answers.
const KNOWN: &str = "
MODULE main
VAR x : integer; y : integer; b : boolean;
INIT x >= 0 & y >= 0
TRANS next(x) = (x > 0 ? x - 1 : x) & next(y) = (b ? y + 1 : y)
LTLSPEC F x = 0
LTLSPEC G F x = 0
LTLSPEC F y > 100
LTLSPEC (G F b) -> F y > 100
LTLSPEC (G b) -> F y < 0
LTLSPEC G (x = 3 -> F x < 3)
LTLSPEC G (x > 0 -> O x >= 1)
LTLSPEC F G x > 0
";

#[test]
fn endless_systems_have_their_known_answers() {
    let model = load(KNOWN, "nuxmv");
    use Verdict::{Fails, Holds};
    for (property, expected) in [Holds, Holds, Fails, Holds, Fails, Holds, Holds, Fails]
        .into_iter()
        .enumerate()
    {
        let text = &model.properties()[property].text;
        let found = (ENGINES.into_iter())
            .map(|engine| (engine, answer(&*model, engine, property, Duration::from_secs(3))))
            .find(|(_, answer)| answer.verdict != Verdict::Unknown);
        let (engine, answer) = found.unwrap_or_else(|| panic!("nobody decides {text}"));
        assert_eq!(answer.verdict, expected, "{engine}: {text}");
        assert_eq!(
            judged(&*model, property, &answer),
            CheckReport::Accepted,
            "{engine}: {text}"
        );
    }
}

#[test]
fn damaged_evidence_about_endless_paths_is_rejected() {
    let model = load(KNOWN, "nuxmv");
    let time = Duration::from_secs(10);
    let is_accepted = |property: usize, verdict: Verdict, evidence: InfiniteEvidence| {
        let answer = Answer::complete(verdict, evidence).boxed();
        judged(&*model, property, &answer) == CheckReport::Accepted
    };
    let ranked = answer(&*model, "ranks", 0, time);
    let Some(InfiniteEvidence::Ranked {
        predicates,
        ranks,
        invariant,
    }) = ranked.evidence_as::<InfiniteEvidence>().cloned()
    else {
        panic!("ranks decide it: {ranked:?}");
    };
    let with = |predicates: &[String], ranks: &[String], invariant: &str| InfiniteEvidence::Ranked {
        predicates: predicates.to_vec(),
        ranks: ranks.to_vec(),
        invariant: invariant.to_owned(),
    };
    assert!(is_accepted(
        0,
        Verdict::Holds,
        with(&predicates, &ranks, &invariant)
    ));
    assert!(
        !is_accepted(0, Verdict::Holds, with(&predicates, &[], &invariant)),
        "no rank"
    );
    assert!(
        !is_accepted(0, Verdict::Holds, with(&predicates, &ranks, "true")),
        "no invariant"
    );
    assert!(
        !is_accepted(0, Verdict::Holds, with(&predicates, &["y".into()], &invariant)),
        "a rank that grows"
    );
    assert!(
        !is_accepted(
            0,
            Verdict::Holds,
            with(&predicates, &["|next(x)|".into()], &invariant)
        ),
        "no state"
    );
    assert!(
        !is_accepted(7, Verdict::Holds, with(&predicates, &ranks, &invariant)),
        "another formula"
    );
    let counted = InfiniteEvidence::Counted {
        bound: 0,
        invariant: "true".into(),
    };
    assert!(!is_accepted(0, Verdict::Holds, counted));

    let recurring = answer(&*model, "recurring", 4, time);
    let Some(InfiniteEvidence::Recurring {
        steps,
        inputs,
        set,
        moves,
    }) = recurring.evidence_as::<InfiniteEvidence>().cloned()
    else {
        panic!("it goes on for ever: {recurring:?}");
    };
    let with = |set: &str, moves: &[entail_unbounded::RecurringMove]| InfiniteEvidence::Recurring {
        steps: steps.clone(),
        inputs: inputs.clone(),
        set: set.to_owned(),
        moves: moves.to_vec(),
    };
    assert!(is_accepted(4, Verdict::Fails, with(&set, &moves)));
    assert!(
        !is_accepted(4, Verdict::Fails, with("true", &moves)),
        "too large a set"
    );
    assert!(
        !is_accepted(4, Verdict::Fails, with("false", &moves)),
        "an empty set"
    );
    assert!(!is_accepted(4, Verdict::Fails, with(&set, &[])), "no step");
    assert!(
        !is_accepted(3, Verdict::Fails, with(&set, &moves)),
        "another formula"
    );
    let mut other = moves.clone();
    other[0].next[1] = "(+ y 2)".into();
    assert!(
        !is_accepted(4, Verdict::Fails, with(&set, &other)),
        "another step"
    );

    let lasso = answer(&*model, "bmc", 2, time);
    let Some(InfiniteEvidence::Lasso {
        steps,
        inputs,
        loop_start,
    }) = lasso.evidence_as::<InfiniteEvidence>().cloned()
    else {
        panic!("a lasso: {lasso:?}");
    };
    let with = |steps: &[Vec<String>], loop_start: usize| InfiniteEvidence::Lasso {
        steps: steps.to_vec(),
        inputs: inputs.clone(),
        loop_start,
    };
    assert!(is_accepted(2, Verdict::Fails, with(&steps, loop_start)));
    assert!(!is_accepted(2, Verdict::Fails, with(&steps, steps.len())));
    assert!(
        !is_accepted(0, Verdict::Fails, with(&steps, loop_start)),
        "another formula"
    );
    let mut other = steps.clone();
    other[0][1] = "(- 1)".into();
    assert!(
        !is_accepted(2, Verdict::Fails, with(&other, loop_start)),
        "not initial"
    );
}

#[test]
fn vmt_has_temporal_properties_and_keeps_them_when_written_again() {
    let text = "
(declare-fun x () Int)(declare-fun x.n () Int)(declare-fun ltl.G (Bool) Bool)
(define-fun .x () Int (! x :next x.n))
(define-fun i () Bool (! (<= 0 x) :init true))
(define-fun t () Bool (! (= x.n (ite (< 0 x) (- x 1) x)) :trans true))
(define-fun p0 () Bool (! (= x 0) :live-property 0))
(define-fun p1 () Bool (! (ltl.G (=> (= x 3) (ltl.X (= x 2)))) :ltl-property 1))
(define-fun p2 () Bool (! (ltl.U (< 0 x) (= x 1)) :ltl-property 2))";
    use Verdict::{Fails, Holds};
    let verdicts = |model: &dyn Model| -> Vec<Verdict> {
        (0..model.properties().len())
            .map(|property| {
                let engines = ["bmc", "ranks"].into_iter();
                let mut answers =
                    engines.map(|engine| answer(model, engine, property, Duration::from_secs(2)));
                let found = answers
                    .find(|answer| answer.verdict != Verdict::Unknown)
                    .expect("decided");
                assert_eq!(judged(model, property, &found), CheckReport::Accepted);
                found.verdict
            })
            .collect()
    };
    let model = load(text, "vmt");
    assert_eq!(verdicts(&*model), [Holds, Holds, Fails]);
    let written = model
        .write("vmt", &Options::default())
        .expect("a format")
        .expect("written");
    let again = load(&String::from_utf8_lossy(&written.bytes), "vmt");
    assert_eq!(verdicts(&*again), [Holds, Holds, Fails]);
    let clauses = model
        .write("smt2", &Options::default())
        .expect("a format")
        .expect("written");
    assert!(
        clauses.notes.iter().any(|note| note.contains("left out")),
        "{:?}",
        clauses.notes
    );
}

#[test]
fn temporal_operators_stand_where_they_can() {
    let options = Options::default();
    for (text, why) in [
        ("(ltl.G true)", ":init"),
        ("(= (ite (ltl.G (= x 0)) 1 2) 1)", ":ltl-property"),
    ] {
        let text = format!(
            "(declare-fun x () Int)(declare-fun x.n () Int)(define-fun .x () Int (! x :next x.n))\
             (define-fun t () Bool (! (= x x.n) :trans true))(define-fun p () Bool (! {text} {why} true))"
        );
        let read = (FAMILY.load)(&Input {
            name: "system",
            path: Path::new("system"),
            bytes: text.as_bytes(),
            language: (FAMILY.languages.iter())
                .find(|known| known.name == "vmt")
                .expect("a language of the family"),
            options: &options,
            budget: &Budget::unlimited(),
        });
        assert!(read.is_err(), "{text}");
    }
}
