use super::checker::judged;
use super::layer::{Asked, RunCheck, read};
use super::{evaluated, event};
use entail_budget::Budget;
use entail_logic::View;
use entail_source::{Diagnostic, Source};
use entail_systemverilog::Said;
use entail_waves::Recording;
use rand::{Rng, SeedableRng, rngs::StdRng};
use std::fmt::Write as _;

fn effort() -> usize {
    std::env::var("ENTAIL_EFFORT").map_or(1, |text| text.parse().unwrap_or(1))
}

/// A run of a clock and some signals of two bits: values from step to step, as a simulator writes them.
fn recorded(steps: &[[u8; 3]]) -> Recording {
    let mut text = "$timescale 1 ns $end\n$scope module top $end\n$var wire 1 c clk $end\n".to_owned();
    for name in ["a", "b", "w"] {
        let _ = writeln!(text, "$var wire 2 {name} {name} [1:0] $end");
    }
    text.push_str("$upscope $end\n$enddefinitions $end\n#0\n0c\n");
    for (number, values) in steps.iter().enumerate() {
        for (name, value) in ["a", "b", "w"].iter().zip(values) {
            let _ = writeln!(text, "b{value:b} {name}");
        }
        let _ = write!(text, "#{}\n1c\n#{}\n0c\n", number * 10 + 5, number * 10 + 9);
    }
    entail_waves::read(&Source::new("run.vcd", text)).expect("a run")
}

fn asked(recording: &Recording, text: &str, clock: &str, view: View) -> Result<RunCheck, Diagnostic> {
    read(&Asked {
        recording,
        scope: &["top".to_owned()],
        said: Said::Assert,
        text,
        clock: Some(&event(clock)),
        view,
    })
}

/// The truth and the step that shows it, judged.
fn found(recording: &Recording, text: &str, view: View) -> (bool, Option<usize>) {
    let check = asked(recording, text, "clk", view).unwrap_or_else(|problem| panic!("{text}: {problem:?}"));
    let budget = Budget::unlimited();
    let (truth, step) = evaluated(&check, &budget).expect("small");
    assert!(judged(&check, truth, step, &budget).is_accepted(), "{text}");
    assert!(judged(&check, !truth, step, &budget).is_rejected(), "{text}");
    let other = Some(step.map_or(check.letters.len() - 1, |step| step + 1));
    assert!(judged(&check, truth, other, &budget).is_rejected(), "{text}");
    (truth, step)
}

#[test]
fn the_views_differ_where_the_run_ends_too_early() {
    // Chapter 24, example 9: `F p` without p, `G q` with q throughout.
    let run = recorded(&[[0, 1, 2], [0, 1, 3], [0, 1, 0]]);
    let of = |text: &str| [View::Weak, View::Neutral, View::Strong].map(|view| found(&run, text, view).0);
    assert_eq!(of("eventually! a[0]"), [true, false, false]);
    assert_eq!(of("always b[0]"), [true, true, false]);
    assert_eq!(of("next[3] a[0]"), [true, true, false]);
    assert_eq!(of("next![3] a[0]"), [true, false, false]);
    assert_eq!(of("{b[0][*5]}"), [true, true, false]);
    assert_eq!(of("{b[0][*5]}!"), [true, false, false]);
    assert_eq!(of("always (w == 3 -> next! (w == 0))"), [true, true, false]);
    assert_eq!(found(&run, "never (w == 2'b11)", View::Neutral), (false, Some(1)));
    assert_eq!(found(&run, "eventually! (w == 3)", View::Strong), (true, Some(1)));
    // Example 7: a reset ends what has begun.
    assert_eq!(
        found(
            &run,
            "(always (b[0] -> next[2] a[0])) abort (w == 3)",
            View::Neutral
        ),
        (true, Some(1))
    );
}

#[test]
fn values_are_those_before_the_edge_and_prev_is_zero_at_first() {
    let run = recorded(&[[1, 3, 2], [2, 3, 3], [3, 2, 0]]);
    assert_eq!(found(&run, "a == 1", View::Neutral), (true, Some(0)));
    assert_eq!(found(&run, "always (prev(a) + 1 == a)", View::Weak), (true, None));
    assert_eq!(
        found(&run, "always (prev(a, 2) == a - 2'd2)", View::Weak),
        (false, Some(0))
    );
    assert_eq!(
        found(&run, "next (fell(b) || {a, b} == 4'b1011)", View::Neutral),
        (true, Some(1))
    );
    assert_eq!(
        found(&run, "always stable(b[1])", View::Neutral),
        (false, Some(0))
    );
    assert_eq!(
        found(
            &run,
            "forall i in {0:1}: eventually! (w[i] && a == 2)",
            View::Neutral
        ),
        (true, Some(1))
    );
    assert_eq!(
        found(&run, "always (onehot(a) || countones(b) < 2)", View::Neutral),
        (true, None)
    );
}

#[test]
fn a_run_with_two_clocks_is_about_the_ticks_of_both() {
    let text = "$scope module top $end\n$var wire 1 c clk $end\n$var wire 1 d slow $end\n$var wire 1 p p $end\n$var wire 1 q q $end\n$upscope $end\n\
        $enddefinitions $end\n#0\n0c\n0d\n1p\n0q\n#1\n1c\n#2\n0c\n0p\n1q\n#3\n1c\n1d\n#4\n0c\n0d\n0q\n#5\n1c\n#6\n0c\n#7\n1d\n";
    let run = entail_waves::read(&Source::new("run.vcd", text)).expect("a run");
    let of = |text: &str| found(&run, text, View::Neutral);
    // Ticks of the slow clock: times 3 and 7, with q first true and then false.
    assert_eq!(of("({q; !q}!)@(posedge slow)"), (true, Some(1)));
    assert!(of("always ({p}@(posedge clk) |=> {q}@(posedge slow))").0);
    assert!(!of("always ({p}@(posedge clk) |=> {!q}@(posedge slow))").0);
}

#[test]
fn what_is_not_known_is_not_true() {
    let text = "$scope module top $end\n$var wire 1 c clk $end\n$var reg 4 a a [3:0] $end\n$var wire 2 b b [0:1] $end\n$upscope $end\n$enddefinitions $end\n\
        #0\n0c\nbx a\nb10 b\n#1\n1c\n#2\n0c\nb1x0 a\n#3\n1c\n";
    let run = entail_waves::read(&Source::new("run.vcd", text)).expect("a run");
    let of = |text: &str| found(&run, text, View::Neutral).0;
    assert!(of("isunknown(a)") && !of("a == 0") && !of("a != 0") && !of("!(a == 0)"));
    assert!(of("next (a[2] && !a[0] && a[1] === 1'bx)"));
    assert!(of("next (a ==? 4'b01?0)") && of("next (|a)") && !of("next (&a[2:1])"));
    // Bit 0 of an ascending range is the highest.
    assert!(of("b[0] && !b[1] && b == 2'b10"));
}

#[test]
fn the_end_of_a_match_is_a_condition() {
    let run = recorded(&[[1, 0, 0], [1, 0, 0], [2, 0, 0], [1, 3, 0], [2, 1, 0]]);
    // Matches of {a is 1; a is 2} end at steps 2 and 4.
    let of = |text: &str| found(&run, text, View::Neutral);
    assert_eq!(of("always (ended({a == 1; a == 2}) -> b == 0)"), (false, Some(4)));
    assert_eq!(
        of("eventually! (prev(ended({a == 1; a == 2})) && b == 3)"),
        (true, Some(3))
    );
    assert_eq!(
        of("never (ended({a == 1; a == 1}) && !ended({a == 1; true}))"),
        (true, None)
    );
    assert_eq!(
        of("always (ended({a == 1; {a == 2} | {ended({!a[0]}); b == 3}}) -> a[1])"),
        (false, Some(3))
    );
}

#[test]
fn mistakes_have_their_places() {
    let run = recorded(&[[0, 0, 0]]);
    let wrong = |text: &str, clock: &str, code: &str, at: &str| {
        let problem = asked(&run, text, clock, View::Weak).expect_err(text);
        assert_eq!(problem.code, code, "{text}: {problem:?}");
        let span = problem.span();
        assert_eq!(
            text.get(span.start..span.end.min(text.len())),
            Some(at),
            "{text}: {problem:?}"
        );
    };
    wrong("always (a == zz)", "clk", "psl::signal", "zz");
    wrong("always {a;b[*3:1]}", "clk", "psl::syntax", "3");
    wrong("always ended({a; zz} )", "clk", "psl::signal", "zz");
    wrong(
        "always (nondet(a) == b)",
        "clk",
        "psl::unsupported",
        "(nondet(a) == b)",
    );
    wrong("always (a[1:2] == 0)", "clk", "wave::expression", "1");
    wrong("always (a $$ b)", "clk", "wave::expression", "$$");
    assert!(asked(&run, "always a", "nowhere", View::Weak).is_err());
    assert!(
        asked(
            &run,
            "forall w[31:0] in boolean: always (a == w)",
            "clk",
            View::Weak
        )
        .is_err()
    );
}

#[test]
fn damaged_texts_are_read_or_refused() {
    let mut random = StdRng::seed_from_u64(7);
    let text = "$scope module top $end\n$var wire 2 ! a [1:0] $end\n$upscope $end\n$enddefinitions $end\n#0\nb10 !\n#5\nbx1 !\n#9\n";
    let property = "forall i in {0:1}: always {a[i]; prev(a, 2) == 2'b1x ? |a : {2{a}} > 4'sd3} |=> next_e[1:3](a <-> !a)";
    let run = recorded(&[[0, 1, 2], [1, 2, 3]]);
    for _ in 0..400 * effort() {
        let damaged = |text: &str, random: &mut StdRng| {
            let mut bytes = text.as_bytes().to_vec();
            for _ in 0..random.random_range(1..4) {
                let place = random.random_range(0..bytes.len());
                match random.random_range(0..3) {
                    0 => drop(bytes.remove(place)),
                    1 => bytes[place] = random.random_range(32..127),
                    _ => bytes.insert(place, b"()[]{}'!:;x0$"[random.random_range(0..13)]),
                }
            }
            String::from_utf8_lossy(&bytes).into_owned()
        };
        let _ = entail_waves::read(&Source::new("run.vcd", damaged(text, &mut random)));
        let _ = asked(&run, &damaged(property, &mut random), "clk", View::Weak);
    }
}

/// A random sequence over the signals of [`recorded`].
fn sequence(random: &mut StdRng, depth: u32) -> String {
    let condition = [
        "a[0]",
        "!b[1]",
        "a == w",
        "prev(b) < a",
        "rose(w[0])",
        "^a",
        "(a & b) != 0",
        "true",
        "stable(w)",
    ];
    let condition = |random: &mut StdRng| condition[random.random_range(0..condition.len())];
    if depth == 0 {
        return match random.random_range(0..6) {
            0 => format!("{}[*{}]", condition(random), random.random_range(0..3)),
            1 => format!("{}[+]", condition(random)),
            2 => format!("{}[->{}]", condition(random), random.random_range(1..3)),
            3 => format!("{}[=1]", condition(random)),
            _ => condition(random).to_owned(),
        };
    }
    let (left, right) = (sequence(random, depth - 1), sequence(random, depth - 1));
    let sign = [";", ";", ":", "|", "&", "&&", "within"][random.random_range(0..7)];
    let times = ["", "", "", "[*]", "[*1:2]"][random.random_range(0..5)];
    format!("{{{{{left}}} {sign} {{{right}}}}}{times}")
}

fn property(random: &mut StdRng, depth: u32) -> String {
    if depth == 0 {
        let strong = if random.random_bool(0.5) { "!" } else { "" };
        return match random.random_range(0..3) {
            0 => format!("{{{}}}{strong}", sequence(random, 1)),
            _ => ["a[1]", "(b >= w)", "fell(a[0])", "(w ? a : b[1])"][random.random_range(0..4)].to_owned(),
        };
    }
    let one = property(random, depth - 1);
    match random.random_range(0..13) {
        0 => format!("(!({one}))"),
        1 => format!("(({one}) && ({}))", property(random, depth - 1)),
        2 => format!("(({one}) -> ({}))", property(random, depth - 1)),
        3 => format!("({{{}}} |-> ({one}))", sequence(random, 1)),
        4 => format!("({{{}}} |=> ({one}))", sequence(random, 1)),
        5 => format!("(next ({one}))"),
        6 => format!("(next![2] ({one}))"),
        7 => format!("(({one}) until! ({}))", property(random, depth - 1)),
        8 => format!("(({one}) before ({}))", property(random, depth - 1)),
        9 => format!("(always ({one}))"),
        10 => format!("(eventually! ({one}))"),
        11 => format!("(next_e[1:3] ({one}))"),
        _ => format!("(({one}) abort (a == 3))"),
    }
}

#[test]
fn random_properties_are_evaluated_as_their_definitions_say_in_every_view() {
    let mut random = StdRng::seed_from_u64(24);
    let budget = Budget::unlimited();
    let mut seen = [[0_usize; 2]; 3];
    for _ in 0..300 * effort() {
        let steps: Vec<[u8; 3]> = (0..random.random_range(1..9))
            .map(|_| [(); 3].map(|()| random.random_range(0..4)))
            .collect();
        let run = recorded(&steps);
        let depth = random.random_range(0..4);
        let text = property(&mut random, depth);
        let views = [View::Strong, View::Neutral, View::Weak];
        let truths = views.map(|view| found(&run, &text, view).0);
        assert!(truths.is_sorted(), "strong, neutral, weak: {text} {steps:?}");
        for (truth, seen) in truths.into_iter().zip(&mut seen) {
            seen[usize::from(truth)] += 1;
        }
        // The step that shows a violation is the first at which a shorter run would show it.
        let first = (1..=steps.len()).find(|&length| {
            let check = asked(&recorded(&steps[..length]), &text, "clk", View::Weak).expect("read before");
            !evaluated(&check, &budget).expect("small").0
        });
        let said = found(&run, &text, View::Weak);
        assert_eq!(first.is_none(), said.0, "{text} {steps:?}");
        assert_eq!(
            first.map(|length| length - 1),
            said.1.filter(|_| !said.0),
            "{text} {steps:?}"
        );
    }
    assert!(seen.iter().flatten().all(|count| *count > 20), "{seen:?}");
}
