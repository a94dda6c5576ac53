//! Chapter 5: explicit-state model checking.

use super::{Bench, decide};
use entail_evidence::{DeadEnds, Evidence, Verdict};
use entail_logic::Question;
use entail_model::{Sort, TermId, VarKind};

#[test]
fn e2_two_counters_of_k_bits_have_two_to_the_2k_states() {
    for width in [4u32, 5] {
        let mut bench = Bench::new();
        let counters =
            ["a", "b"].map(|name| bench.system.add_variable(name, Sort::word(width), VarKind::State));
        let zero = bench
            .system
            .terms
            .constant(entail_model::Value::Word(entail_model::Word::from_u64(
                width, false, 0,
            )));
        let one = bench
            .system
            .terms
            .constant(entail_model::Value::Word(entail_model::Word::from_u64(
                width, false, 1,
            )));
        let mut moves = Vec::new();
        for counter in counters {
            let now = bench.system.current(counter);
            let start = bench.system.terms.equal(now, zero).expect("words");
            bench.system.init.push(start);
            let next = bench.system.next(counter);
            let more = bench.system.terms.add(now, one).expect("words");
            let counts = bench.system.terms.equal(next, more).expect("words");
            let other = if counter == counters[0] {
                counters[1]
            } else {
                counters[0]
            };
            let keeps = bench.keeps(other);
            moves.push(bench.and([counts, keeps]));
        }
        bench.relation(moves);
        let always = bench.system.terms.truth(true);
        let outcome = decide(
            &bench.system,
            Question::Invariant(always),
            entail_logic::Logic::Invariant,
            DeadEnds::Infinite,
        );
        assert_eq!(outcome.statistics.states(), Some(1 << (2 * width)));
    }
}

/// `n` chains of `k` states, one moving at a time.
fn chains(processes: usize, length: i64) -> (Bench, Vec<TermId>) {
    let mut bench = Bench::new();
    let counters: Vec<_> = (0..processes)
        .map(|number| bench.variable(&format!("p{number}"), 0, length - 1))
        .collect();
    let mut moves = Vec::new();
    let mut ends = Vec::new();
    for &counter in &counters {
        let start = bench.is(counter, 0);
        bench.system.init.push(start);
        for value in 0..length - 1 {
            let here = bench.is(counter, value);
            moves.push(bench.transition(here, &[(counter, value + 1)]));
        }
        ends.push(bench.is(counter, length - 1));
    }
    bench.relation(moves);
    (bench, ends)
}

#[test]
fn e8_interleaved_chains_have_k_to_the_n_states() {
    for (processes, length) in [(3, 4), (4, 5)] {
        let (mut bench, _) = chains(processes, length);
        let always = bench.system.terms.truth(true);
        let outcome = decide(
            &bench.system,
            Question::Invariant(always),
            entail_logic::Logic::Invariant,
            DeadEnds::Infinite,
        );
        let (n, k) = (processes as u64, length as u64);
        assert_eq!(outcome.statistics.states(), Some(k.pow(n as u32)));
        assert_eq!(
            outcome.statistics.transitions(),
            Some(n * k.pow(n as u32 - 1) * (k - 1))
        );
        assert_eq!(outcome.warnings.len(), 1, "the end of all chains is a dead end");
    }
}

#[test]
fn e6_breadth_first_counterexamples_have_the_length_of_the_distance() {
    let (mut bench, ends) = chains(3, 4);
    let all_ended = bench.and(ends);
    let never = bench.not(all_ended);
    let outcome = decide(
        &bench.system,
        Question::Invariant(never),
        entail_logic::Logic::Invariant,
        DeadEnds::Infinite,
    );
    assert_eq!(outcome.verdict, Verdict::Fails);
    match outcome.evidence {
        Some(Evidence::Trace(trace)) => assert_eq!(trace.length(), 9),
        other => panic!("a trace was expected, not {other:?}"),
    }
}
