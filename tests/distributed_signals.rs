//! Whole-program tests: whatever signals the processes of a distributed search get, all of them end, and no wrong answer is given.

mod cluster;
mod program;

use cluster::{Running, assert_all_end, effort, hosts, large_model, processes, signal, worker};
use program::{Program, Run, text_file};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use std::time::Duration;

/// Time for the search to be on its way. If it is not, what is asserted must hold all the same.
const A_WHILE: Duration = Duration::from_millis(500);

fn assert_no_answer(run: &Run) {
    assert_eq!(run.status, 69, "{}{}", run.stdout, run.stderr);
    assert!(run.stdout.is_empty(), "{}", run.stdout);
    assert!(run.stderr.contains("there is no answer"), "{}", run.stderr);
}

fn assert_unknown(run: &Run, status: i32, reason: &str) {
    assert_eq!(run.status, status, "{}{}", run.stdout, run.stderr);
    let lines = run.stdout.lines().filter(|line| line.starts_with("unknown "));
    assert_eq!(lines.count(), 3, "{}", run.stdout);
    assert!(run.stdout.contains(reason), "{}", run.stdout);
}

#[test]
fn ctrl_c_and_terminate_give_the_verdict_lines() {
    for name in ["INT", "TERM"] {
        let (model, hosts) = (large_model(), hosts(3));
        let search = Running::check(&model, &hosts, &[]);
        worker(&hosts, 2);
        std::thread::sleep(A_WHILE);
        search.signal(name);
        assert_unknown(&search.end(), 130, "interrupted");
        assert_all_end(&hosts);
    }
}

#[test]
fn a_process_that_waits_for_others_can_be_interrupted() {
    let (model, hosts) = (large_model(), hosts(2));
    let secret = text_file("a secret of the tests\n", ".secret");
    let search = Running::check(
        &model,
        &hosts,
        &["--index", "0", "--secret", &secret.to_string_lossy()],
    );
    std::thread::sleep(A_WHILE);
    search.signal("TERM");
    assert_unknown(&search.end(), 130, "interrupted");
}

#[test]
fn workers_end_when_their_coordinator_is_killed() {
    let (model, hosts) = (large_model(), hosts(3));
    let search = Running::check(&model, &hosts, &[]);
    worker(&hosts, 1);
    worker(&hosts, 2);
    std::thread::sleep(A_WHILE);
    search.signal("KILL");
    search.end();
    assert_all_end(&hosts);
}

#[test]
fn workers_end_when_their_coordinator_is_stopped() {
    let (model, hosts) = (large_model(), hosts(3));
    let mut search = Running::check(&model, &hosts, &[]);
    worker(&hosts, 2);
    std::thread::sleep(A_WHILE);
    search.signal("STOP");
    // Those that have ended stay until the coordinator asks how, without a command line.
    let begun = std::time::Instant::now();
    while processes(&hosts).len() > 1 {
        assert!(
            begun.elapsed() < cluster::HANG,
            "workers of a stopped coordinator go on"
        );
        std::thread::sleep(A_WHILE);
    }
    assert!(search.is_running());
    search.signal("CONT");
    assert_no_answer(&search.end());
    assert_all_end(&hosts);
}

#[test]
fn a_worker_that_is_killed_or_stopped_is_noticed() {
    for name in ["KILL", "STOP"] {
        let (model, hosts) = (large_model(), hosts(3));
        let search = Running::check(&model, &hosts, &[]);
        let lost = worker(&hosts, 1);
        std::thread::sleep(A_WHILE);
        signal(lost, name);
        assert_no_answer(&search.end());
        assert_all_end(&hosts);
    }
}

#[test]
fn a_stopped_worker_does_not_keep_a_search_from_its_time_limit() {
    for delay in [Duration::ZERO, A_WHILE] {
        let (model, hosts) = (large_model(), hosts(2));
        let search = Running::check(&model, &hosts, &["--timeout", "3s"]);
        let stopped = worker(&hosts, 1);
        std::thread::sleep(delay);
        signal(stopped, "STOP");
        assert_unknown(&search.end(), 2, "time limit of");
        assert_all_end(&hosts);
    }
}

#[test]
fn a_worker_that_is_told_to_end_ends_the_search() {
    let (model, hosts) = (large_model(), hosts(2));
    let search = Running::check(&model, &hosts, &[]);
    let told = worker(&hosts, 1);
    std::thread::sleep(A_WHILE);
    signal(told, "TERM");
    let run = search.end();
    assert!([2, 69].contains(&run.status), "{}{}", run.stdout, run.stderr);
    assert!(!run.stdout.contains("holds "), "{}", run.stdout);
    assert_all_end(&hosts);
}

/// Signals at any time to anybody: the right verdicts, or none.
#[test]
fn random_signals_give_no_wrong_answer() {
    let text = cluster::MODEL
        .replace("byte a, b", "int a, b")
        .replace("60", "250");
    let model = text_file(&text, ".pml");
    let right = Program::check(&model)
        .args(["--no-reduction", "--json"])
        .run()
        .verdicts();
    let mut random = StdRng::seed_from_u64(11);
    for round in 0..4 * effort() {
        let hosts = hosts(random.random_range(1..4));
        let limit = ["1s", "60s"][random.random_range(0..2)];
        let search = Running::check(&model, &hosts, &["--json", "--timeout", limit]);
        let mut sent = Vec::new();
        for _ in 0..random.random_range(0..3) {
            std::thread::sleep(Duration::from_millis(random.random_range(0..400)));
            let all = processes(&hosts);
            if !all.is_empty() {
                let (process, number) = all[random.random_range(0..all.len())];
                let name = ["KILL", "TERM", "INT", "STOP", "CONT", "HUP"][random.random_range(0..6)];
                signal(process, name);
                sent.push((name, number));
            }
        }
        // A coordinator that was stopped goes on some day.
        std::thread::sleep(Duration::from_millis(100));
        search.signal("CONT");
        let run = search.end();
        let context = format!(
            "round {round}, {sent:?}: {} {}{}",
            run.status, run.stdout, run.stderr
        );
        assert!([-1, 0, 1, 2, 69, 130].contains(&run.status), "{context}");
        if run.status == 69 || run.status == -1 {
            assert!(run.stdout.is_empty(), "{context}");
        } else {
            let said = run.verdicts();
            // Interrupted at the very beginning, there is an error instead of properties.
            let nothing = run.status == 130 && said.is_empty() && run.stdout.contains("there is no answer");
            assert!(nothing || said.len() == right.len(), "{context}");
            for (said, right) in said.iter().zip(&right) {
                assert!(said == right || said == "unknown", "{context}");
            }
            assert!(run.status != 0 || said == right, "{context}");
        }
        // A worker that was stopped ends when it goes on.
        processes(&hosts)
            .iter()
            .for_each(|(process, _)| signal(*process, "CONT"));
        assert_all_end(&hosts);
    }
}
