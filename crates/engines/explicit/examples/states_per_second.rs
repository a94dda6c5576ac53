//! How many states a second the search visits, on a simple interleaving model: `n` processes, each a counter that goes
//! round `0..k`, one process moving at a time. There are exactly `k^n` states and `n * k^n` steps.
//!
//! `cargo run --release -p entail-explicit --example states_per_second [n] [k]`

use entail_budget::{Budget, Silent, peak_memory_bytes, resident_memory_bytes};
use entail_evidence::{CheckOptions, Engine};
use entail_explicit::Explicit;
use entail_logic::{Property, Question};
use entail_model::{Sort, TransitionSystem, VarKind};
use std::time::Instant;

fn main() {
    let mut arguments = std::env::args()
        .skip(1)
        .filter_map(|argument| argument.parse::<i64>().ok());
    let (processes, values) = (arguments.next().unwrap_or(7), arguments.next().unwrap_or(8));
    let mut system = TransitionSystem::new();
    let counters: Vec<_> = (0..processes)
        .map(|number| system.add_variable(format!("c{number}"), Sort::range(0, values - 1), VarKind::State))
        .collect();
    let (zero, one, last) = (
        system.terms.integer(0),
        system.terms.integer(1),
        system.terms.integer(values - 1),
    );
    let mut moves = Vec::new();
    for &mover in &counters {
        let mut conjuncts = Vec::new();
        for &counter in &counters {
            let (now, next) = (system.current(counter), system.next(counter));
            let value = if counter == mover {
                let at_end = system.terms.equal(now, last).expect("integers");
                let more = system.terms.add(now, one).expect("integers");
                system.terms.ite(at_end, zero, more).expect("integers")
            } else {
                now
            };
            conjuncts.push(system.terms.equal(next, value).expect("integers"));
        }
        moves.push(system.terms.and(conjuncts));
    }
    let relation = system.terms.or(moves);
    system.transition.push(relation);
    let mut sum = zero;
    for &counter in &counters {
        let now = system.current(counter);
        let start = system.terms.equal(now, zero).expect("integers");
        system.init.push(start);
        sum = system.terms.add(sum, now).expect("integers");
    }
    let most = system.terms.integer(processes * values);
    let invariant = system.terms.less(sum, most).expect("integers");
    let invariant = if system.terms.as_truth(invariant).is_some() {
        let bound = system.terms.integer(processes * (values - 1));
        system.terms.less_equal(sum, bound).expect("integers")
    } else {
        invariant
    };
    let property = Property {
        name: None,
        text: "sum is small".into(),
        logic: entail_logic::Logic::Invariant,
        question: Question::Invariant(invariant),
    };
    let before = resident_memory_bytes().unwrap_or(0);
    let start = Instant::now();
    let outcome = Explicit::default()
        .check(
            &system,
            &property,
            &CheckOptions::default(),
            &Budget::unlimited(),
            &Silent,
        )
        .expect("the model has a meaning");
    let seconds = start.elapsed().as_secs_f64();
    let states = outcome.statistics.states().unwrap_or(0) as f64;
    let steps = outcome.statistics.transitions().unwrap_or(0) as f64;
    let memory = peak_memory_bytes().unwrap_or(0).saturating_sub(before) as f64;
    println!(
        "{:?}: {states} states, {steps} steps in {seconds:.3} s",
        outcome.verdict
    );
    println!(
        "{:.2} million states/s, {:.2} million steps/s, {:.1} bytes a state in all",
        states / seconds / 1e6,
        steps / seconds / 1e6,
        memory / states
    );
}
