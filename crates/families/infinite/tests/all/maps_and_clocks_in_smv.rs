//! Arrays over all indices, functions and continuous time in SMV: small systems beside a search of all their states, and what is refused.

use super::integers_in_smv::{Random, decide, effort, read};
use entail_smv::{looks_unbounded, read_unbounded};
use entail_source::Source;
use std::collections::BTreeSet;

/// All states reachable from some by a function that gives the successors.
fn reachable<S: Ord + Clone>(initial: Vec<S>, successors: impl Fn(&S) -> Vec<S>) -> BTreeSet<S> {
    let mut reached: BTreeSet<S> = initial.iter().cloned().collect();
    let mut waiting = initial;
    while let Some(state) = waiting.pop() {
        for next in successors(&state) {
            if reached.insert(next.clone()) {
                waiting.push(next);
            }
        }
    }
    reached
}

/// How many properties of random models hold, and how many do not.
#[derive(Default)]
struct Tally([usize; 2]);

impl Tally {
    /// Compares a verdict, if there is one, with what a search has found.
    fn compare(&mut self, text: &str, expected: bool) {
        if let Some(verdict) = decide(&read(text), 0) {
            assert_eq!(verdict, expected, "{text}");
            self.0[usize::from(expected)] += 1;
        }
    }

    fn is_enough(&self) {
        assert!(
            self.0.iter().all(|&count| count > 5),
            "{:?} fail and hold",
            self.0
        );
    }
}

#[test]
fn arrays_are_decided_as_by_trying_all_values() {
    let mut random = Random(3);
    let mut tally = Tally::default();
    for _ in 0..24 * effort() {
        let mut number = |limit: u64| random.below(limit) as i64;
        let (reset, other, top) = (number(2), number(3), 1 + number(2));
        let (left, right, slack) = (number(3), number(3), number(3) - 1);
        let text = format!(
            "MODULE main\nVAR a : array integer of integer; i : 0..2;\n\
             ASSIGN init(a) := CONSTARRAY(typeof(a), 0);\n\
             next(a) := case\n  READ(a, i) >= {top} : WRITE(a, i, {reset});\n\
             READ(a, i) = READ(a, {other}) : WRITE(a, i, READ(a, i) + 1);\n  TRUE : a;\nesac;\n\
             INVARSPEC READ(a, {left}) <= READ(a, {right}) + {slack};\n"
        );
        let reached = reachable(
            (0..3).map(|place| ([0i64; 3], place)).collect(),
            |&(cells, place): &([i64; 3], usize)| {
                let mut next = cells;
                if cells[place] >= top {
                    next[place] = reset;
                } else if cells[place] == cells[other as usize] {
                    next[place] += 1;
                }
                (0..3).map(|place| (next, place)).collect()
            },
        );
        let expected =
            (reached.iter()).all(|(cells, _)| cells[left as usize] <= cells[right as usize] + slack);
        tally.compare(&text, expected);
    }
    tally.is_enough();
}

#[test]
fn functions_do_not_change_and_give_equal_values_to_equal_arguments() {
    let text = "MODULE main\nFUN f : integer * boolean -> real; g : word[4] -> boolean;\n\
                VAR x : integer; y : integer; w : unsigned word[4]; old : real; a : array word[4] of signed word[8];\n\
                ASSIGN init(old) := f(x, TRUE); next(x) := x; next(old) := old;\n\
                next(a) := WRITE(a, w, 0sd8_3);\n\
                INVARSPEC old = f(x, TRUE);\n\
                INVARSPEC x = y -> f(x, FALSE) = f(y, FALSE);\n\
                INVARSPEC f(x, TRUE) = f(x, FALSE);\n\
                INVARSPEC g(w) -> g(w + 0ud4_1);\n\
                INVARSPEC READ(WRITE(a, w, 0sd8_5), w) = 0sd8_5;\n\
                INVARSPEC READ(a, w) = 0sd8_3;\n";
    assert!(looks_unbounded(text.as_bytes()));
    let model = read(text);
    let verdicts: Vec<Option<bool>> = (0..6).map(|at| decide(&model, at)).collect();
    let expected = [true, true, false, false, true, false].map(Some);
    assert_eq!(verdicts, expected);
}

#[test]
fn elements_of_nested_arrays_and_of_literals_are_chosen_by_values() {
    let text = "MODULE main\nCONSTANTS red;\nVAR n : integer; i : 0..1; j : 0..2;\n\
                m : array 0..1 of array 0..2 of integer; s : {red, green};\n\
                DEFINE table := [[1, 2, 3], [4, 5, n]];\n\
                INVAR n > 5; INVAR m[i][j] = table[i][j];\n\
                INVARSPEC m[i][j] >= 1;\nINVARSPEC m[i][j] = 3 * i + j + 1;\nINVARSPEC table[1][2] > 5;\n\
                INVARSPEC toint(swconst(-3, 4)) = -3;\n\
                INVARSPEC resize(-0sd8_3, 4) = -0sd4_3 & sizeof(0ud7_1) = 7 & uwconst(5, 3) = 0ud3_5;\n";
    let model = read(text);
    let verdicts: Vec<Option<bool>> = (0..5).map(|at| decide(&model, at)).collect();
    assert_eq!(verdicts, [true, false, true, true, true].map(Some));
}

/// Edges between locations: from, to, which clock is compared with what, and which is reset.
type Edge = (usize, usize, usize, &'static str, i64, Option<usize>);

/// Time in quarters of the half unit: for two clocks that tells all regions apart.
const UNIT: i64 = 8;

#[test]
fn clocks_are_decided_as_by_small_steps_of_time() {
    let mut random = Random(11);
    let mut tally = Tally::default();
    for _ in 0..30 * effort() {
        let mut number = |limit: u64| random.below(limit) as usize;
        let comparisons = ["<", "<=", ">", ">=", "="];
        let edges: Vec<Edge> = (0..3)
            .map(|_| {
                let reset = [None, Some(0), Some(1)][number(3)];
                (
                    number(3),
                    number(3),
                    number(2),
                    comparisons[number(5)],
                    number(3) as i64,
                    reset,
                )
            })
            .collect();
        let limits: Vec<Option<(usize, i64)>> = (0..3)
            .map(|_| (number(2) == 0).then(|| (number(2), 1 + number(2) as i64)))
            .collect();
        let (goal, clock, comparison, bound) =
            (number(3), number(2), comparisons[number(5)], number(3) as i64);
        let is_urgent = number(4) == 0;
        let names = ["c", "d"];
        let mut text = String::from(
            "@TIME_DOMAIN continuous\nMODULE main\nVAR l : 0..2; c : clock; d : clock;\nINIT l = 0 & c = 0 & d = 0;\nTRANS FALSE\n",
        );
        for &(from, to, clock, comparison, bound, reset) in &edges {
            text += &format!(
                " | (l = {from} & {} {comparison} {bound} & next(l) = {to}",
                names[clock]
            );
            for (place, name) in names.iter().enumerate() {
                match reset == Some(place) {
                    true => text += &format!(" & next({name}) = 0"),
                    false => text += &format!(" & next({name}) = {name}"),
                }
            }
            text += ")\n";
        }
        text += ";\n";
        for (location, limit) in limits.iter().enumerate() {
            if let Some((clock, bound)) = limit {
                text += &format!("INVAR l = {location} -> {} <= {bound};\n", names[*clock]);
            }
        }
        if is_urgent {
            text += "URGENT l = 1;\n";
        }
        text += &format!(
            "INVARSPEC !(l = {goal} & {} {comparison} {bound} & time >= 1);\n",
            names[clock]
        );
        let compare = |left: i64, comparison: &str, right: i64| match comparison {
            "<" => left < right * UNIT,
            "<=" => left <= right * UNIT,
            ">" => left > right * UNIT,
            ">=" => left >= right * UNIT,
            _ => left == right * UNIT,
        };
        let allowed = |location: usize, clocks: [i64; 2]| {
            limits[location].is_none_or(|(clock, bound)| clocks[clock] <= bound * UNIT)
        };
        // Clocks beyond all constants are alike, and so is the time beyond one unit.
        let cap = |value: i64| value.min(3 * UNIT);
        let initial = (0usize, [0i64; 2], 0i64);
        let initial = allowed(0, [0, 0]).then_some(initial);
        let reached = reachable(initial.into_iter().collect(), |&(location, clocks, time)| {
            let mut next = Vec::new();
            if !(is_urgent && location == 1) && allowed(location, clocks.map(|value| cap(value + 1))) {
                next.push((location, clocks.map(|value| cap(value + 1)), (time + 1).min(UNIT)));
            }
            for &(from, to, clock, comparison, bound, reset) in &edges {
                let mut after = clocks;
                if let Some(reset) = reset {
                    after[reset] = 0;
                }
                if from == location && compare(clocks[clock], comparison, bound) && allowed(to, after) {
                    next.push((to, after, time));
                }
            }
            next
        });
        let expected = !reached.iter().any(|&(location, clocks, time)| {
            location == goal && compare(clocks[clock], comparison, bound) && time >= UNIT
        });
        tally.compare(&text, expected);
    }
    tally.is_enough();
}

#[test]
fn what_time_and_maps_do_not_allow_is_refused() {
    let timed = "@TIME_DOMAIN continuous\nMODULE main\nVAR c : clock; b : boolean;\n";
    let plain = "MODULE main\nVAR a : array integer of integer; x : integer;\n";
    for text in [
        format!("{timed}INVAR c <= 1 | c >= 2;\n"),
        format!("{timed}INVAR c != 1;\n"),
        format!("{timed}INVAR b <-> c = 1;\n"),
        format!("{timed}URGENT c > 1;\n"),
        format!("{timed}INVAR c * c <= 1;\n"),
        "MODULE main\nVAR c : clock;\n".to_owned(),
        "MODULE main\nVAR x : integer;\nURGENT x = 1;\n".to_owned(),
        format!("{plain}INVAR READ(x, 1) = 1;\n"),
        format!("{plain}INVAR READ(a, TRUE) = 1;\n"),
        format!("{plain}INVAR a = CONSTARRAY(integer, 1);\n"),
        format!("{plain}FUN f : integer -> 0..3;\n"),
        format!("{plain}FUN f : integer -> integer;\nINVAR f = a;\n"),
        format!("{plain}FUN f : integer -> integer;\nINVAR f(1, 2) = 0;\n"),
    ] {
        let read = read_unbounded(&Source::new("wrong.smv", text.as_str()));
        assert!(read.is_err(), "{text}");
    }
    let urgent = format!("{timed}URGENT c > 1;\n");
    let problems =
        read_unbounded(&Source::new("urgent.smv", urgent.as_str())).expect_err("it depends on a clock");
    let place = problems.0[0].span();
    assert_eq!(&urgent[place.start..place.end], "c > 1");
    for text in [
        format!("{timed}INVAR b -> c <= 1; INVAR b <-> c <= 2;\n"),
        format!("{timed}INVAR c <= 1 | b;\nINVARSPEC time >= c;\nLTLSPEC F b;\n"),
    ] {
        assert!(
            read_unbounded(&Source::new("right.smv", text.as_str())).is_ok(),
            "{text}"
        );
    }
}
