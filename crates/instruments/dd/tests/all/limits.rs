//! Memory, time and cancellation: errors as values, and a manager that goes on working afterwards.

use entail_budget::{Budget, Cancellation, Spent};
use entail_dd::{AutoReorder, Bdd, Config, Error, Manager, Result};
use std::time::Duration;

/// (x0 ↔ y0) ∧ … with all x before all y: about 3·2^n nodes.
fn blocked_comparator(manager: &Manager, n: usize) -> Result<Bdd> {
    let vars = manager.new_vars(2 * n)?;
    let mut equal = manager.one();
    for i in 0..n {
        let bit = manager.var(vars[i])?.iff(&manager.var(vars[n + i])?)?;
        equal = equal.and(&bit)?;
    }
    Ok(equal)
}

#[test]
fn running_out_of_nodes_is_an_error_and_not_the_end() {
    let manager = Manager::new(&Config {
        memory: 1 << 20,
        threads: 1,
    })
    .unwrap();
    let capacity = manager.statistics().capacity;
    assert_eq!(
        blocked_comparator(&manager, 40).unwrap_err(),
        Error::OutOfMemory { capacity }
    );
    assert_eq!(manager.live_nodes(), 0);
    let small = blocked_comparator(&manager, 6).unwrap();
    assert_eq!(small.node_count(), 3 * (1 << 6) - 4);
}

#[test]
fn garbage_is_collected_when_the_store_is_full() {
    let manager = Manager::new(&Config {
        memory: 1 << 20,
        threads: 1,
    })
    .unwrap();
    let capacity = manager.statistics().capacity;
    let vars = manager.new_vars(60).unwrap();
    let mut made = 0;
    let mut bits = 1u64;
    for _ in 0..2000 {
        bits = bits
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        let cube = manager.cube(vars.iter().enumerate().map(|(i, &var)| (var, bits >> i & 1 == 1)));
        made += cube.unwrap().node_count();
    }
    assert!(made > 3 * capacity);
    assert!(manager.statistics().collections > 0);
}

/// The work done is what counts, not the time: after the deadline, no more nodes are made than between a few looks at the clock.
#[test]
fn a_deadline_interrupts_one_long_operation() {
    let manager = Manager::new(&Config::default()).unwrap();
    let vars = manager.new_vars(52).unwrap();
    let equal = |pairs: std::ops::Range<usize>| {
        pairs.fold(manager.one(), |all, i| {
            let bit = manager
                .var(vars[i])
                .unwrap()
                .iff(&manager.var(vars[26 + i]).unwrap());
            all.and(&bit.unwrap()).unwrap()
        })
    };
    let (low, high) = (equal(0..13), equal(13..26));
    manager.watch(&Budget::unlimited().with_timeout(Some(Duration::ZERO)));
    // 200 million nodes, if it were to end.
    assert!(matches!(low.and(&high), Err(Error::Spent(Spent::Time(_)))));
    assert!(
        manager.statistics().peak_nodes < 2_000_000,
        "{:?}",
        manager.statistics()
    );
    // With more time the manager can be used again.
    manager.watch(&Budget::unlimited());
    assert!(blocked_comparator(&manager, 8).is_ok());
}

#[test]
fn cancellation_from_another_thread_is_seen() {
    let switch = Cancellation::default();
    let budget = Budget::unlimited().with_cancellation(switch.clone());
    let manager = Manager::for_budget(&budget, 1).unwrap();
    let stopper = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(100));
        switch.cancel();
    });
    assert_eq!(
        blocked_comparator(&manager, 60).unwrap_err(),
        Error::Spent(Spent::Cancelled)
    );
    stopper.join().unwrap();
}

#[test]
fn two_threads_count_the_queens_as_one_does() {
    for threads in [1, 2] {
        let manager = Manager::new(&Config {
            threads,
            ..Config::default()
        })
        .unwrap();
        let n = 8;
        let vars = manager.new_vars(n * n).unwrap();
        let cell = |i: usize, j: usize| manager.var(vars[i * n + j]).unwrap();
        let mut all = manager.one();
        for i in 0..n {
            let row = (0..n).fold(manager.zero(), |row, j| row.or(&cell(i, j)).unwrap());
            all = all.and(&row).unwrap();
        }
        for (a, b) in (0..n * n).flat_map(|a| (0..a).map(move |b| (a, b))) {
            let ((i, j), (k, l)) = ((a / n, a % n), (b / n, b % n));
            if i == k || j == l || i + j == k + l || i + l == k + j {
                all = all.and(&cell(i, j).and(&cell(k, l)).unwrap().not()).unwrap();
            }
        }
        assert_eq!(all.count(&vars), 92u32.into());
    }
}

#[test]
fn handles_can_be_used_from_several_threads() {
    let manager = Manager::new(&Config {
        memory: 1 << 26,
        threads: 1,
    })
    .unwrap();
    manager.set_auto_reorder(Some(AutoReorder {
        first_at: 300,
        ..AutoReorder::default()
    }));
    let vars = manager.new_vars(24).unwrap();
    let parts: Vec<Bdd> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..4)
            .map(|part| {
                let (manager, vars) = (&manager, &vars);
                scope.spawn(move || {
                    let mut f = manager.zero();
                    for i in 0..12 {
                        let pair = manager.literal(vars[i], part & 1 == 0).unwrap();
                        let other = manager.literal(vars[12 + i], part & 2 == 0).unwrap();
                        f = f.or(&pair.and(&other).unwrap()).unwrap();
                    }
                    f
                })
            })
            .collect();
        workers.into_iter().map(|worker| worker.join().unwrap()).collect()
    });
    for (part, f) in parts.iter().enumerate() {
        assert!(f.eval(|var| if var.index() < 12 {
            part & 1 == 0
        } else {
            part & 2 == 0
        }));
        assert!(!f.eval(|var| if var.index() < 12 {
            part & 1 != 0
        } else {
            part & 2 != 0
        }));
    }
}

#[test]
fn thousands_of_levels_do_not_overflow_the_stack() {
    let manager = Manager::new(&Config::default()).unwrap();
    let vars = manager.new_vars(20_000).unwrap();
    let even = manager.var_set(vars.iter().copied().step_by(2)).unwrap();
    let odd = manager.var_set(vars.iter().copied().skip(1).step_by(2)).unwrap();
    let all = even.and(&odd).unwrap();
    assert_eq!(all.node_count(), 20_000);
    assert_eq!(all.exists(&even).unwrap(), odd);
    assert_eq!(even.and_exists(&odd, &odd).unwrap(), even);
    assert_eq!(all.count_log2(&vars), 0.0);
}
