//! What UPPAAL models mean: small ones by hand, random ones beside the checker's evaluation of the text and the region graph.

use super::uppaal_language::holds;
use entail_answer::{Quantity, Verdict};
use entail_budget::Budget;
use entail_clocks::discrete::{ClockConstraint, Discrete};
use entail_clocks::evidence::{CoverNodes, Proof, Time};
use entail_clocks::regions::RegionGraph;
use entail_clocks::{Fault, Meaning, Move, Query, Rational};
use entail_source::Source;
use entail_timed::{Engine, Settings};
use entail_timed_checker::under::judge_under;
use entail_timed_checker::{Asking, judge, judge_by};
use entail_uppaal::{Parsed, Translation};
use entail_uppaal_checker::{Asked, Tree};
use entail_uppaal_tree::{Model, PropertyKind};
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use std::collections::{HashSet, VecDeque};

fn effort() -> u64 {
    std::env::var("ENTAIL_EFFORT")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(1)
}

pub(crate) fn parsed(text: &str) -> Parsed {
    let source = Source::new("m.xta", text);
    entail_uppaal::parse(&source).unwrap_or_else(|problems| panic!("{problems:?}\n{text}"))
}

/// What the text of a model means, to whoever asks.
fn readings<'m>(model: &'m Model, property: &'m PropertyKind) -> impl Fn(&mut Asking<'_>) + Sync {
    move |ask| {
        let tree = Tree::new(model).expect("a model that was read");
        ask(&Asked::new(&tree, property));
    }
}

/// The value that a query asks for, as text; the evidence is judged by network and text.
fn value(text: &str, query: &str) -> String {
    let parsed = parsed(text);
    let mut translation = Translation::new(&parsed.model, "m").expect("a model");
    let properties = entail_uppaal::queries(&Source::new("q", query)).expect("a query");
    let mut values = Vec::new();
    for property in &properties {
        let asked = translation.query(property).expect("a query");
        let budget = Budget::unlimited();
        let answer = Engine::new(translation.network(), Settings::default()).check(&asked, &budget);
        let answer = answer.expect("no fault");
        let proof = answer.evidence.expect("evidence");
        let readings = readings(&parsed.model, &property.kind);
        let network = translation.network();
        let report = judge_by(&readings, 2, network, &asked, answer.verdict, &proof, &budget);
        assert!(report.is_accepted(), "{report:?}: {text}");
        let Proof::Extreme { extreme } = &proof else {
            panic!("{proof:?}");
        };
        let open = if extreme.attained || extreme.value.is_none() {
            ""
        } else {
            "~"
        };
        values.push(format!(
            "{}: {open}{}",
            property.text,
            answer.value.expect("a value")
        ));
    }
    values.join("; ")
}

#[test]
fn extreme_values_of_integers_and_clocks() {
    let text = "clock x, y; int n;\n\
        process P() { state A { x <= 5 }, B { x < 9 }, C; init A; trans\n\
        A -> A { guard x >= 2 && n < 3; assign x = 0, n++; }, A -> B { guard x >= 4; }, B -> C { guard y > 11; assign y = 0; }; }\nsystem P;";
    assert_eq!(value(text, "sup: n"), "sup: n: 3");
    assert_eq!(value(text, "sup{P.A}: x, n"), "sup{P.A}: x: 5; sup{P.A}: n: 3");
    assert_eq!(value(text, "bounds{P.B}: x"), "inf{P.B}: x: 4; sup{P.B}: x: ~9");
    assert_eq!(value(text, "inf{P.B && n == 3}: y"), "inf{P.B && n == 3}: y: 10");
    assert_eq!(value(text, "sup{P.B}: y"), "sup{P.B}: y: ~24");
    assert_eq!(value(text, "sup: y"), "sup: y: infinity");
    assert_eq!(value(text, "sup{P.C && P.A}: n"), "sup{P.C && P.A}: n: undefined");
    assert_eq!(value(text, "inf{P.C}: x"), "inf{P.C}: x: 4");
    assert_eq!(
        value(text, "inf{P.C && n == 0}: x"),
        "inf{P.C && n == 0}: x: undefined"
    );
}

#[test]
fn the_least_cost_in_the_long_run_is_judged_by_the_text() {
    let text = include_str!("../../../../../examples/timed/upkeep.xta");
    let parsed = parsed(text);
    let mut translation = Translation::new(&parsed.model, "upkeep").expect("a model");
    for query in ["E[] true", "E[] !M.Worn", "E[] M.Works"] {
        let properties = entail_uppaal::queries(&Source::new("q", query)).expect("a query");
        let Query::Stay(formulas, true) = translation.query(&properties[0]).expect("a query") else {
            panic!("another kind of question");
        };
        let asked = Query::LongRun(formulas[0].clone());
        let network = translation.network();
        let budget = Budget::unlimited();
        let answer = Engine::new(network, Settings::default()).check(&asked, &budget);
        let answer = answer.expect("no fault");
        let value = answer.value.expect("a value").to_string();
        assert_eq!(
            value,
            if query == "E[] M.Works" {
                "undefined"
            } else {
                "9/5"
            }
        );
        let readings = readings(&parsed.model, &properties[0].kind);
        let mut proof = answer.evidence.expect("evidence");
        let report = judge_by(&readings, 1, network, &asked, answer.verdict, &proof, &budget);
        assert!(report.is_accepted(), "{report:?}: {query}");
        if let Proof::LongRun { long_run } = &mut proof {
            long_run.corners.pop();
        }
        assert!(!judge_by(&readings, 1, network, &asked, answer.verdict, &proof, &budget).is_accepted());
    }
}

/// Decides a query; the evidence is judged by the network and by the text, and damaged evidence is rejected by both.
pub(crate) fn decide(text: &str, query: &str) -> Result<bool, Fault> {
    let parsed = parsed(text);
    let mut translation =
        Translation::new(&parsed.model, "m").unwrap_or_else(|problems| panic!("{problems:?}\n{text}"));
    let properties =
        entail_uppaal::queries(&Source::new("q", query)).unwrap_or_else(|problems| panic!("{problems:?}"));
    let asked = translation
        .query(&properties[0])
        .unwrap_or_else(|problem| panic!("{problem:?}"));
    let network = translation.network();
    let budget = Budget::unlimited();
    let answer = Engine::new(network, Settings::default())
        .check(&asked, &budget)
        .map_err(|trouble| trouble.trouble.fault)?;
    let proof = answer
        .evidence
        .unwrap_or_else(|| panic!("{:?}: {text}", answer.reason));
    let readings = readings(&parsed.model, &properties[0].kind);
    let report = judge(network, &asked, answer.verdict, &proof, &budget);
    assert!(report.is_accepted(), "{report:?} by the network: {text}");
    let report = judge_by(&readings, 2, network, &asked, answer.verdict, &proof, &budget);
    assert!(report.is_accepted(), "{report:?} by the text: {text}");
    let mut damaged = proof;
    match &mut damaged {
        Proof::Run { run } => match run.steps.last_mut() {
            Some(step) => step.edges.push(usize::MAX),
            None => run.rest = Time(Rational::from(-1)),
        },
        Proof::Lasso { lasso } => lasso.cycle.clear(),
        Proof::Stay { stay } => stay.since = usize::MAX,
        Proof::Extreme { extreme } => extreme.value = extreme.value.map_or(Some(7), |value| Some(value + 1)),
        // A condition that does not hold at first has nothing to cover.
        Proof::Cover { cover } if cover.nodes.is_empty() && cover.prelude.is_empty() => {
            return Ok(answer.verdict == Verdict::Holds);
        }
        Proof::Cover { cover } => {
            cover.nodes = CoverNodes::default();
            cover.prelude = CoverNodes::default();
        }
        Proof::Strategy { strategy } => strategy.winning = CoverNodes::default(),
        Proof::Spoiled { losing } => *losing = CoverNodes::default(),
        Proof::Cheapest { cheapest } => cheapest.cost += 1,
        Proof::LongRun { long_run } => long_run.cost += 1,
        Proof::Energy { sustained } => sustained.holds = !sustained.holds,
        Proof::Soonest { soonest } => soonest.strategy.winning = CoverNodes::default(),
        Proof::Branching { branching } => branching.holds = !branching.holds,
        Proof::Under { strategy, .. } => strategy.winning = CoverNodes::default(),
        Proof::Samples { samples } => samples.seed += 1,
        Proof::Representatives { .. } => panic!("everything is listed: {text}"),
    }
    assert!(!judge_by(&readings, 2, network, &asked, answer.verdict, &damaged, &budget).is_accepted());
    Ok(answer.verdict == Verdict::Holds)
}

/// The report of a whole model with its queries: verdicts, as they are decided and checked through the family.
fn verdicts(text: &str, queries: &[&str]) -> Vec<(Verdict, Option<Quantity>)> {
    let source = Source::new("m.xta", text);
    let parsed = entail_uppaal::parse(&source).unwrap_or_else(|problems| panic!("{problems:?}\n{text}"));
    let mut translation =
        Translation::new(&parsed.model, "m").unwrap_or_else(|problems| panic!("{problems:?}\n{text}"));
    let list = Source::new("q", queries.join("\n"));
    let properties = entail_uppaal::queries(&list).unwrap_or_else(|problems| panic!("{problems:?}"));
    let budget = Budget::unlimited();
    let mut found = Vec::new();
    for (number, property) in properties.iter().enumerate() {
        let asked = translation
            .query_after(property, &properties[..number])
            .unwrap_or_else(|problem| panic!("{problem:?}"));
        let mut network = translation.network().clone();
        if let Query::Soonest(_) = asked {
            network.clocks.push(entail_clocks::Clock {
                name: "time".to_owned(),
            });
        }
        let answer = Engine::new(&network, Settings::default()).check(&asked, &budget);
        let answer = answer.expect("nothing goes wrong");
        let proof = answer
            .evidence
            .as_ref()
            .unwrap_or_else(|| panic!("{:?}", answer.reason));
        let tree = Tree::new(&parsed.model).expect("a tree");
        let report = match (&asked, &property.kind) {
            (Query::Under { game, question }, PropertyKind::Under(kind, name)) => {
                let strategy = entail_uppaal_tree::strategy(name, &properties).expect("a strategy");
                let subject = entail_timed_checker::under::Subject {
                    game: (&Asked::new(&tree, &strategy.kind), game),
                    question: (&Asked::new(&tree, kind), question),
                    network: &network,
                };
                judge_under(&subject, answer.verdict, proof, &budget)
            }
            (Query::Soonest(game), kind) => {
                let subject = entail_timed_checker::soonest::Subject {
                    meaning: &|limit, ask| ask(&Asked::new(&tree, kind).within(limit)),
                    game,
                    network: &network,
                };
                subject.judge(answer.verdict, proof, &budget)
            }
            _ => continue,
        };
        assert!(report.is_accepted(), "{}: {report:?}", property.text);
        found.push((answer.verdict, answer.value));
    }
    found
}

/// Pieces of random models.
const GUARDS: [&str; 17] = [
    "x >= 1",
    "x <= 2",
    "y < 2 && n > 0",
    "x == 1",
    "n == 0",
    "a[n % 2] == 1",
    "f imply x > 1",
    "next(n) != 1",
    "s.u < 2 or n == 1",
    "y > 1 && x < 3",
    "forall (i : int[0, 1]) a[i] < 2",
    "x - y <= 1",
    "z <= 1",
    "z > 0 && z < 3",
    "!f",
    "twice() != 1",
    "exists (i : int[0, 1]) a[i] == n",
];
const UPDATES: [&str; 24] = [
    "x = 0",
    "y = 0",
    "z = 0",
    "n = (n + 1) % 3",
    "a[n % 2] = n",
    "f = !f",
    "bump()",
    "s.u = next(s.u), s.v = f",
    "x = n",
    "n = next(next(n))",
    "clear(x)",
    "swap(a[0], a[1])",
    "n = a[0] > 1 ? 0 : 1",
    "y = 1, x = 0",
    "n = take()",
    "a[1] = n++ % 3",
    "n = twice()",
    "f = n > 0 && (n = n - 1) > 0",
    "f = f || (a[0] = n % 3) > 1",
    "n = f ? take() : n",
    "(f imply (n = 0) == 0) ? bump() : clear(y)",
    "f = f xor (n = next(n)) > 0",
    "n = settle(y, n)",
    "a[0] = grow(n)",
];
const CHANNELS: [&str; 6] = ["c", "d", "e", "ch[n % 2]", "ch[1]", "d"];
const INVARIANTS: [&str; 5] = ["x <= 3", "y <= 2 && n < 3", "f imply x <= 2", "z <= 2", "n < 3"];

pub(crate) fn random_model(random: &mut StdRng) -> String {
    let mut text = "clock x, y; int n; int a[2] = { 0, 1 }; bool f; struct { int[0, 2] u; bool v; } s;\n\
        chan c; broadcast chan d; chan ch[2]; urgent chan e;\n\
        int next(int v) { int i; for (i = 0; i < 2; i++) { if (v == i) return i + 1; } return 0; }\n\
        void bump() { n = next(n); f = n > 1; }\n\
        void clear(clock &k) { k = 0; }\n\
        int settle(clock &k, int v) { if (v > 2) return 2; k = 0; if (v == 1) { x = 1; return 0; } return v; }\n\
        int take() { int old = a[0]; a[0] = 0; return old; }\n\
        void swap(int &u, int &v) { int t = u; u = v; v = t; }\n\
        int grow(int &i) { i = (i + 1) % 3; return i; }\n\
        int twice() { int k = n; grow(k); return grow(k); }\n"
        .to_owned();
    if random.random_bool(0.3) {
        text += *[
            "chan priority c < default < d;\n",
            "chan priority ch[1], c < ch[0] < default;\n",
        ]
        .choose(random)
        .expect("two");
    }
    for process in ["P", "Q"] {
        let invariant = |random: &mut StdRng| match random.random_bool(0.35) {
            true => format!(" {{ {} }}", INVARIANTS.choose(random).expect("some")),
            false => String::new(),
        };
        let states: Vec<String> = ["A", "B", "C"]
            .iter()
            .map(|name| format!("{name}{}", invariant(random)))
            .collect();
        text += &format!(
            "process {process}(int[0, 1] id) {{\n clock z;\n state {};\n",
            states.join(", ")
        );
        if random.random_bool(0.2) {
            text += &format!(" commit {};\n", ["B", "C"].choose(random).expect("two"));
        }
        if random.random_bool(0.2) {
            text += " urgent B;\n";
        }
        text += " init A;\n trans";
        let count = random.random_range(3..=5);
        for number in 0..count {
            let name = |random: &mut StdRng| *["A", "B", "C"].choose(random).expect("three");
            let mut edge = String::new();
            if random.random_bool(0.15) {
                edge += "select k : int[0, 1]; ";
            }
            let channel = CHANNELS.choose(random).filter(|_| random.random_bool(0.6));
            let urgent = channel == Some(&"e");
            if random.random_bool(0.6) {
                let guard = match urgent {
                    true => "n < 2",
                    false => GUARDS.choose(random).expect("some"),
                };
                edge += &format!("guard {guard}; ");
            }
            if let Some(channel) = channel {
                edge += &format!(
                    "sync {channel}{}; ",
                    if random.random_bool(0.5) { "!" } else { "?" }
                );
            }
            let updates: Vec<&str> = (0..random.random_range(0..=2))
                .map(|_| *UPDATES.choose(random).expect("some"))
                .collect();
            if !updates.is_empty() {
                edge += &format!("assign {}; ", updates.join(", "));
            }
            let end = if number + 1 == count { ";" } else { "," };
            text += &format!("\n  {} -> {} {{ {edge}}}{end}", name(random), name(random));
        }
        text += "\n}\n";
    }
    text += *[
        "system P, Q;",
        "P0 = P(1); system Q, P0;",
        "P0 = P(0); Q0 = Q(1); system P0 < Q0;",
    ]
    .choose(random)
    .expect("three");
    text
}

/// Edges, guard, updates, the target's invariant, the target.
type Sorted = (Vec<usize>, Vec<String>, String, Vec<String>, Result<Discrete, ()>);

/// Steps in a form that does not depend on the order in which constraints are found.
fn sorted(moves: Vec<Move>) -> Vec<Sorted> {
    let list = |constraints: &[ClockConstraint]| {
        let mut all: Vec<String> = constraints.iter().map(|one| format!("{one:?}")).collect();
        all.sort();
        all.dedup();
        all
    };
    let one = |step: Move| {
        let updates = match step.target {
            Ok(_) => format!("{:?}", step.updates),
            Err(_) => String::new(),
        };
        let (guard, invariant) = (list(&step.guard), list(&step.invariant));
        (step.edges, guard, updates, invariant, step.target.map_err(|_| ()))
    };
    let mut all: Vec<_> = moves.into_iter().map(one).collect();
    all.sort_by_key(|one| format!("{one:?}"));
    all.dedup();
    all
}

#[test]
fn translation_and_text_mean_the_same_on_random_models() {
    let mut compared = 0;
    for seed in 0..150 * effort() {
        let mut random = StdRng::seed_from_u64(seed);
        let text = random_model(&mut random);
        let parsed = parsed(&text);
        let mut translation = Translation::new(&parsed.model, "m")
            .unwrap_or_else(|problems| panic!("seed {seed}: {problems:?}\n{text}"));
        let query = "E<> n == 2 && f && x > 1";
        let properties = entail_uppaal::queries(&Source::new("q", query)).expect("a query");
        let asked = translation.query(&properties[0]).expect("a query");
        let network = translation.network();
        let tree = Tree::new(&parsed.model).unwrap_or_else(|reason| panic!("seed {seed}: {reason}\n{text}"));
        let meaning = Asked::new(&tree, &properties[0].kind);
        let starts = Meaning::starts(network).expect("states");
        assert_eq!(meaning.starts().expect("states"), starts, "seed {seed}\n{text}");
        let mut seen: HashSet<Discrete> = starts.iter().cloned().collect();
        let mut waiting: VecDeque<Discrete> = starts.into();
        while let Some(state) = waiting.pop_front().filter(|_| seen.len() < 150) {
            let own = |result: Result<Vec<Move>, _>| result.map(sorted).map_err(|_| ());
            let (one, other) = (own(Meaning::moves(network, &state)), own(meaning.moves(&state)));
            assert_eq!(one, other, "seed {seed}, {state:?}\n{text}");
            assert_eq!(
                Meaning::may_delay(network, &state).map_err(|_| ()),
                meaning.may_delay(&state).map_err(|_| ()),
                "seed {seed}, {state:?}\n{text}"
            );
            let formulas = asked.formulas();
            assert_eq!(
                Meaning::satisfying(network, formulas, 0, &state).expect("a value"),
                meaning.satisfying(formulas, 0, &state).expect("a value"),
            );
            compared += 1;
            for (.., target) in one.into_iter().flatten() {
                if let Ok(next) = target
                    && seen.insert(next.clone())
                {
                    waiting.push_back(next);
                }
            }
        }
    }
    assert!(compared > 1000, "{compared}");
}

#[test]
fn zones_decide_as_regions_do_on_random_models() {
    let mut decided = [0, 0];
    for seed in 0..150 * effort() {
        let mut random = StdRng::seed_from_u64(1000 + seed);
        // Without differences of clocks, which the regions keep apart by their own means.
        let text = random_model(&mut random).replace("x - y <= 1", "x <= 1");
        let query = *[
            "E<> n == 2 && f && x > 1",
            "E<> a[1] == 2 && y > 2",
            "E<> s.u == 2",
            "A[] n < 2 or x > 0",
            "A[] not deadlock",
            "E<> deadlock && n == 1",
            "E<> !deadlock && x > 2 && f",
            "A[] deadlock imply y >= 1",
            "E[] n < 2",
            "E[] x <= 2 or f",
            "A<> n == 1",
            "A<> f || y > 2",
            "n == 1 --> a[0] == 1",
            "f --> x > 1 && n == 0",
            "s.u > 0 && x < 2 --> y == 1 or n == 2",
        ]
        .choose(&mut random)
        .expect("some");
        let parsed = parsed(&text);
        let mut translation = Translation::new(&parsed.model, "m").expect("a model");
        let properties = entail_uppaal::queries(&Source::new("q", query)).expect("a query");
        let asked = translation.query(&properties[0]).expect("a query");
        let Ok(Some(graph)) = RegionGraph::explore(translation.network(), &asked, 15_000) else {
            continue;
        };
        let expected = graph.exists(&asked).expect("no fault") == asked.wants_it();
        assert_eq!(
            decide(&text, query).ok(),
            Some(expected),
            "seed {seed}: {query}\n{text}"
        );
        decided[usize::from(expected)] += 1;
    }
    assert!(decided[0] > 0 && decided[1] > 0, "{decided:?}");
}

/// A plant that the controller may leave from `A` at any time up to 3, and its opponent from 2 on; over `hand` both sides move together.
const PLANT: &str = "
clock x; chan hand;
process P() {
    state A { x <= 3 }, B, Bad, End;
    init A;
    trans A -> B { guard x >= 1; sync hand!; assign x = 0; },
          A -u-> Bad { guard x >= 2; },
          B -u-> End { guard x >= 1; },
          B -> Bad { guard x >= 5; };
}
process Q() { state I; init I; trans I -> I { sync hand?; }; }
process U() { state I; init I; trans I -u-> I { sync hand?; }; }
system P, %;
";

#[test]
fn questions_under_strategies_are_about_what_they_leave() {
    let text = PLANT.replace('%', "Q");
    let queries = [
        "strategy Safe = control: A[] not P.Bad",
        "A[] P.A imply x < 2 under Safe",
        "E<> P.End under Safe",
        "A<> P.B under Safe",
        "E[] P.A under Safe",
        "P.A --> P.B under Safe",
        "strategy Go = control: A<> P.B",
        "A<> P.B under Go",
        "E<> P.Bad && x < 4 under Go",
        "E<> P.A && x > 1 under Go",
    ];
    let found: Vec<bool> = verdicts(&text, &queries)
        .iter()
        .map(|(verdict, _)| *verdict == Verdict::Holds)
        .collect();
    // From 2 on the opponent may do harm: Safe leaves A before. Go takes its step at 1; in B, the game is won, and everything may happen, but x is at least 5 when it is bad.
    assert_eq!(found, [true, true, true, false, true, true, false, false]);
}

#[test]
fn games_against_time_are_won_as_soon_as_possible() {
    let text = PLANT.replace('%', "Q");
    let forced = text.replace("B, Bad", "B { x <= 4 }, Bad");
    let queries = [
        "control_t*: A<> P.B",
        "control_t*(7): A<> P.B",
        "control_t*(0): A<> P.B",
        "control_t*(9, 1): A[ not P.Bad U P.End ]",
        "control_t*(4): A<> P.End",
    ];
    let value = |time: i64| (Verdict::Holds, Some(Quantity::Exact(Rational::from(time))));
    let lost = (Verdict::Fails, None);
    assert_eq!(
        verdicts(&forced, &queries),
        // In B up to 5, and then one unit must be left.
        [value(1), value(1), lost.clone(), value(6), lost]
    );
    // Both sides together get to the end.
    assert!(holds(&text, "E<> control: A<> P.End"));
    assert!(!holds(&text, "E<> control: A<> P.End && x < 1"));
}

#[test]
fn games_are_won_by_whoever_can_and_forced_moves_count() {
    let with = |helper: &str| PLANT.replace('%', helper);
    // Leave in time; in B nobody is forced to move, so the end cannot be forced.
    assert!(holds(&with("Q"), "control: A[] not P.Bad"));
    assert!(holds(&with("Q"), "control: A<> P.B"));
    assert!(!holds(&with("Q"), "control: A<> P.End"));
    assert!(holds(&with("Q"), "control: A[ not P.Bad W P.End ]"));
    assert!(!holds(&with("Q"), "control: A[ not P.Bad U P.End ]"));
    assert!(holds(
        &with("Q"),
        "strategy S = control: A[ P.A U P.B && x <= 0 ]"
    ));
    // A handshake with the opponent is the opponent's: from 2 on it may choose the other edge.
    assert!(!holds(&with("U"), "control: A[] not P.Bad"));
    assert!(!holds(&with("U"), "control: A<> P.B"));
    // With an invariant in B the opponent has to move in the end, and the controller may wait for it.
    let forced = with("Q").replace("B, Bad", "B { x <= 4 }, Bad");
    assert!(holds(&forced, "control: A<> P.End"));
    assert!(holds(&forced, "control: A[ not P.Bad U P.End ]"));
    // A bound without a last moment forces it as well; one that nobody can meet is the end of the run.
    let strict = with("Q").replace("B, Bad", "B { x < 4 }, Bad");
    assert!(holds(&strict, "control: A<> P.End"));
    let stopped = with("Q")
        .replace("B -u-> End { guard x >= 1; }", "B -u-> End { guard x >= 9; }")
        .replace("B, Bad", "B { x <= 4 }, Bad");
    assert!(!holds(&stopped, "control: A<> P.End"));
    assert!(holds(&stopped, "control: A[] not P.Bad"));
}

#[test]
fn costs_are_what_the_text_says() {
    let text = "
        int n = 2; chan go;
        process P() {
            clock x;
            state A { x <= 9 && cost' == n + 1 }, B { cost' == 4 && x <= 20 }, End;
            init A;
            trans A -> B { guard x >= 2; sync go!; assign n = 5, cost += n; },
                  A -> End { guard x >= 8; assign cost += 3; },
                  B -> End { guard x >= 4; };
        }
        process Q() {
            state I { cost' == 1 };
            init I;
            trans I -> I { sync go?; assign cost += n; };
        }
        system P, Q;
    ";
    let source = Source::new("costs.xta", text);
    let parsed = entail_uppaal::parse(&source).expect("a model");
    let properties = entail_uppaal::queries(&Source::new("q", "E<> P.End")).expect("a query");
    let mut translation = Translation::new(&parsed.model, "costs").expect("a network");
    let Query::Reach(goal, true) = translation.query(&properties[0]).expect("a question") else {
        panic!("another question");
    };
    let query = Query::Cheapest(goal);
    let network = translation.network();
    let budget = Budget::unlimited();
    let answer = Engine::new(network, Settings::default())
        .check(&query, &budget)
        .expect("no fault");
    // Four units at 3 + 1, and the step at 5 + 5; later units would be at 4 + 1; the other edge comes after 8 units, and costs 3.
    assert_eq!(
        answer.value,
        Some(entail_answer::Quantity::Exact(Rational::from(26)))
    );
    let proof = answer.evidence.expect("evidence");
    let readings = readings(&parsed.model, &properties[0].kind);
    assert!(judge(network, &query, answer.verdict, &proof, &budget).is_accepted());
    assert!(judge_by(&readings, 2, network, &query, answer.verdict, &proof, &budget).is_accepted());
    let Proof::Cheapest { mut cheapest } = proof else {
        panic!("another proof");
    };
    cheapest.cost -= 1;
    let cheaper = Proof::Cheapest { cheapest };
    assert!(judge_by(&readings, 2, network, &query, answer.verdict, &cheaper, &budget).is_rejected());
}

#[test]
fn clocks_stand_still_where_invariants_say_so() {
    let model = "clock x, y; bool b; \
        process P() { state A { x' == 0 && y <= 5 }, B { x' == b && y <= 10 }, C { y <= 10 }; init A; \
        trans A -> B { guard y >= 3; assign b = 1; }, B -> C { guard x >= 4; assign b = 0; }; } system P;";
    assert!(holds(model, "E<> P.C && y == 7"));
    assert!(!holds(model, "E<> P.C && y < 7"));
    assert!(holds(model, "A[] P.A imply x == 0"));
    assert!(holds(model, "E<> P.C && x == 7"));
    assert!(!holds(model, "E<> P.C && x > 7"));
}

#[test]
fn rates_that_depend_on_a_condition_are_refused() {
    let text = "clock x; bool b; process P() { state A { b imply x' == 0 }; init A; } system P;";
    let parsed = entail_uppaal::parse(&Source::new("m.xta", text)).expect("it is read");
    let Err(problems) = Translation::new(&parsed.model, "m") else {
        panic!("it is refused")
    };
    assert!(
        format!("{problems:?}").contains("depend on a condition"),
        "{problems:?}"
    );
}

#[test]
fn rows_of_a_gantt_chart_are_those_of_the_model() {
    let text = "typedef int[0, 1] id; process P(const id i) { state A, B; init A; trans A -> B { }; } \
        process Q() { state I; init I; } system P, Q; \
        gantt { Task(i : id): P(i).A -> 1, P(i).B -> i + 2; Any: for (i : id) P(i).B -> 7; Other: Q.I -> 5; }";
    let parsed = entail_uppaal::parse(&Source::new("m.xta", text)).expect("it is read");
    let translation = Translation::new(&parsed.model, "m").unwrap_or_else(|problems| panic!("{problems:?}"));
    let rows = &translation.network().gantt;
    let names: Vec<&str> = rows.iter().map(|row| row.name.as_str()).collect();
    assert_eq!(names, ["Task i=0", "Task i=1", "Any", "Other"]);
    assert_eq!(
        rows.iter().map(|row| row.bars.len()).collect::<Vec<_>>(),
        [2, 2, 2, 1]
    );
    let initial = &translation.network().initial()[0];
    let colour = rows[1].bars[1].1.value(&initial.integers);
    assert_eq!(colour, Ok(3));
}
