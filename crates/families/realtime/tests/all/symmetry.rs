//! Symmetry of scalars: with it and without it the answers are the same, on models by hand and at random; covers are judged by a checker that knows nothing of it, runs are replayed.

use entail_answer::{Figure, Verdict};
use entail_budget::Budget;
use entail_clocks::evidence::Proof;
use entail_source::Source;
use entail_timed::{Engine, Settings};
use entail_timed_checker::judge_by;
use entail_uppaal::Translation;
use entail_uppaal_checker::{Asked, Tree};
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};

fn effort() -> u64 {
    std::env::var("ENTAIL_EFFORT")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(1)
}

/// The verdict, with the number of zones that were stored, and whether the evidence is listed in full.
fn asked(text: &str, query: &str, symmetry: bool) -> Option<(Verdict, u64, bool)> {
    let parsed = entail_uppaal::parse(&Source::new("m.xta", text))
        .unwrap_or_else(|problems| panic!("{problems:?}\n{text}"));
    let mut translation =
        Translation::new(&parsed.model, "m").unwrap_or_else(|problems| panic!("{problems:?}\n{text}"));
    let properties =
        entail_uppaal::queries(&Source::new("q", query)).unwrap_or_else(|problems| panic!("{problems:?}"));
    let asked = (translation.query(&properties[0])).unwrap_or_else(|problem| panic!("{problem:?}\n{text}"));
    let settings = Settings {
        symmetry,
        ..Settings::default()
    };
    let (network, budget) = (translation.network(), Budget::unlimited());
    let answer = Engine::new(network, settings).check(&asked, &budget).ok()?;
    let proof = answer
        .evidence
        .unwrap_or_else(|| panic!("{:?}: {text}", answer.reason));
    let readings = |ask: &mut entail_timed_checker::Asking<'_>| {
        let tree = Tree::new(&parsed.model).expect("a model that was read");
        ask(&Asked::new(&tree, &properties[0].kind));
    };
    let is_listed = !matches!(proof, Proof::Representatives { .. });
    let report = judge_by(&readings, 1, network, &asked, answer.verdict, &proof, &budget);
    assert_eq!(report.is_accepted(), is_listed, "{report:?}\n{text}\n{query}");
    assert!(!report.is_rejected(), "{report:?}\n{text}\n{query}");
    let Some(Figure::Count(zones)) = answer.statistics.get("zones") else {
        panic!("no figure");
    };
    Some((answer.verdict, *zones, is_listed))
}

/// Fischer's protocol with scalars for processes; with a wrong constant two of them enter.
fn fischer(size: usize, waits: usize) -> String {
    format!(
        "typedef scalar[{size}] id_t; id_t id; bool set;\n\
        process P(const id_t pid) {{ clock x; state A, Req {{ x <= 2 }}, Wait, Cs; init A; trans\n\
        A -> Req {{ guard !set; assign x = 0; }}, Req -> Wait {{ assign x = 0, id = pid, set = true; }},\n\
        Wait -> Req {{ guard !set; assign x = 0; }}, Wait -> Cs {{ guard x > {waits} && set && id == pid; }},\n\
        Cs -> A {{ assign set = false; }}; }}\nsystem P;"
    )
}

const ONE_AT_A_TIME: &str = "A[] forall (i : id_t) forall (j : id_t) (P(i).Cs && P(j).Cs imply i == j)";
const TWO_IN: &str = "E<> exists (i : id_t) exists (j : id_t) i != j && P(i).Cs && P(j).Cs";

#[test]
fn fischers_processes_are_explored_up_to_their_names() {
    for (query, verdict) in [(TWO_IN, Verdict::Fails), (ONE_AT_A_TIME, Verdict::Holds)] {
        let whole = asked(&fischer(4, 2), query, false).expect("no fault");
        let part = asked(&fischer(4, 2), query, true).expect("no fault");
        assert_eq!((whole.0, part.0), (verdict, verdict));
        assert!(part.2 && 8 * part.1 < whole.1, "{part:?} {whole:?}");
    }
    assert_eq!(
        asked(&fischer(4, 1), TWO_IN, true).expect("no fault").0,
        Verdict::Holds
    );
    // Too many permutations to list what they make of the representatives: then nothing is said to be checked.
    let large = asked(&fischer(8, 2), TWO_IN, true).expect("no fault");
    assert_eq!((large.0, large.2), (Verdict::Fails, false));
}

#[test]
fn what_tells_scalars_apart_is_explored_in_full() {
    let text = fischer(3, 2).replace(
        "guard !set; assign x = 0; }, Req",
        "guard !set && pid != 1; assign x = 0; }, Req",
    );
    let question = "E<> exists (i : id_t) P(i).Cs && P(i).x > 9";
    for (text, query) in [
        (text.as_str(), question),
        (&fischer(3, 2), "E<> P(1).Cs && P(0).Cs"),
    ] {
        let (whole, part) = (asked(text, query, false), asked(text, query, true));
        assert_eq!(whole, part, "{query}");
    }
}

fn one(random: &mut StdRng, all: &[&str]) -> String {
    (*all.choose(random).expect("some")).to_owned()
}

/// A random model with scalars. Rarely something tells them apart.
fn model(random: &mut StdRng) -> String {
    let size = random.random_range(2..=3);
    let mut text = format!(
        "typedef scalar[{size}] id_t; typedef struct {{ int[0,1] f; id_t who; }} rec_t;\n\
        id_t owner; bool taken; int[0,2] n; int[0,2] a[id_t]; clock y[id_t]; rec_t r[id_t]; bool m[id_t][id_t]; id_t last[2];\n\
        chan c; chan d[id_t]; broadcast chan b;\n\
        bool mine(id_t i) {{ return taken && owner == i; }} void take(id_t i) {{ id_t old = owner; owner = i; taken = true; a[old] = 1; }}\n\
        int[0,1] odd(int[0,2] k) {{ int[0,2] h; h = k; if (h == 2) {{ h = 0; }} return h; }}\n"
    );
    let guards = [
        "x >= 1",
        "x < 2",
        "x > 2",
        "taken",
        "!taken",
        "owner == pid",
        "owner != pid",
        "n < 2",
        "a[pid] == 1",
        "y[pid] > 1",
        "y[owner] <= 2",
        "forall (i : id_t) a[i] <= 1",
        "exists (i : id_t) a[i] == 2",
        "(sum (i : id_t) a[i]) < 3",
        "a[owner] == 0",
        "mine(pid)",
        "odd(n) == 1",
        "r[pid].who == pid",
        "r[owner].f == 0",
        "m[pid][owner]",
        "last[0] == pid",
        "last[0] != last[1]",
        "(taken ? owner : last[1]) == pid",
    ];
    let odd_guards = ["pid == 0", "n == pid", "owner > pid", "a[1] == 1", "m[0][pid]"];
    let updates = [
        "x = 0",
        "owner = pid",
        "taken = true",
        "taken = false",
        "n = n < 2 ? n + 1 : 0",
        "a[pid] = 2",
        "a[owner] = 1",
        "y[pid] = 0",
        "y[owner] = 0",
        "take(pid)",
        "r[pid].who = owner",
        "r[owner].f = 1",
        "m[pid][owner] = true",
        "m[owner][pid] = !m[pid][pid]",
        "last[1] = last[0], last[0] = pid",
        "a[pid] = 0",
    ];
    let odd_updates = ["owner = 0", "n = pid", "a[0] = 1"];
    let signals = ["c!", "c?", "d[pid]!", "d[pid]?", "d[owner]!", "b!", "b?"];
    let is_odd = random.random_bool(0.15);
    let edges = |random: &mut StdRng, pid: &str, count: usize| {
        let mut list = Vec::new();
        for _ in 0..count {
            let (from, to) = (one(random, &["A", "B", "C"]), one(random, &["A", "B", "C"]));
            let selects = pid == "k" || random.random_bool(0.2);
            let mut guard: Vec<String> = (0..random.random_range(0..=2))
                .map(|_| one(random, &guards))
                .collect();
            let mut update: Vec<String> = (0..random.random_range(0..=2))
                .map(|_| one(random, &updates))
                .collect();
            if is_odd && random.random_bool(0.3) {
                guard.push(one(random, &odd_guards));
            }
            if is_odd && random.random_bool(0.3) {
                update.push(one(random, &odd_updates));
            }
            if selects && random.random_bool(0.5) {
                update.push("owner = k".to_owned());
            }
            let signal = random.random_bool(0.35).then(|| one(random, &signals));
            let mut edge = format!("{from} -> {to} {{ ");
            if selects {
                edge += "select k : id_t; ";
            }
            if !guard.is_empty() {
                edge += &format!("guard ({}); ", guard.join(") && ("));
            }
            if let Some(signal) = signal {
                edge += &format!("sync {signal}; ");
            }
            if !update.is_empty() {
                edge += &format!("assign {}; ", update.join(", "));
            }
            list.push((edge + "}").replace("pid", pid));
        }
        list.join(",\n")
    };
    let invariant = one(random, &["", "{ x <= 3 }", "{ x <= 2 && y[pid] <= 3 }"]);
    let committed = one(random, &["", "", "", "commit B; ", "urgent B; "]);
    let count = random.random_range(3..=6);
    let of_all = edges(random, "pid", count);
    text += &format!(
        "process P(const id_t pid) {{ clock x; state A {invariant}, B, C; {committed}init A; trans\n{of_all}; }}\n"
    );
    let count = random.random_range(1..=2);
    let of_one = edges(random, "k", count);
    text += &format!("process Q() {{ clock x; state A, B, C; init A; trans\n{of_one}; }}\nsystem P, Q;");
    text
}

#[test]
fn with_and_without_symmetry_the_answers_are_the_same_on_random_models() {
    let mut random = StdRng::seed_from_u64(20);
    let queries = [
        "E<> forall (i : id_t) P(i).C",
        "E<> exists (i : id_t) P(i).C && P(i).x > 3",
        "A[] not exists (i : id_t) exists (j : id_t) i != j && P(i).B && P(j).B",
        "E<> n == 2 && taken && Q.C",
        "A[] forall (i : id_t) (owner == i imply a[i] < 2)",
        "E<> exists (i : id_t) m[i][owner] && y[i] > 2",
        "A[] not deadlock",
        "E<> P(1).C && !P(0).C",
    ];
    let (mut fewer, mut decided) = (0, [0, 0]);
    for _ in 0..120 * effort() {
        let text = model(&mut random);
        let query = one(&mut random, &queries);
        let (whole, part) = (asked(&text, &query, false), asked(&text, &query, true));
        assert_eq!(whole.map(|one| one.0), part.map(|one| one.0), "{query}\n{text}");
        if let (Some(whole), Some(part)) = (whole, part) {
            fewer += u64::from(part.1 < whole.1);
            decided[usize::from(whole.0 == Verdict::Holds)] += 1;
        }
    }
    assert!(fewer > 8 * effort(), "{fewer} {decided:?}");
    assert!(decided.iter().all(|&count| count > 20 * effort()), "{decided:?}");
}
