//! The checker's matrices: those with small entries, which it closes in 32 bits, and the same with large ones.

use entail_clocks::evidence::NO_BOUND;
use entail_timed_checker::matrix::{FREE, Matrix, plus};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

/// Constants are multiplied by so much: then they are too large for 32 bits, and ways are as long as before.
const FACTOR: i32 = 1 << 22;

#[test]
fn matrices_are_closed_alike_in_32_and_in_64_bits() {
    let (mut empty, mut full) = (0, 0);
    for seed in 0..3000 {
        let mut random = StdRng::seed_from_u64(seed);
        let size = random.random_range(1..=6);
        let (mut small, mut large) = (Vec::new(), Vec::new());
        for _ in 0..size * size {
            if random.random_bool(0.3) {
                small.push(NO_BOUND);
                large.push(NO_BOUND);
                continue;
            }
            let (constant, equality) = (random.random_range(-3..=12), random.random_range(0..=1));
            small.push(2 * constant + equality);
            large.push(2 * constant * FACTOR + equality);
        }
        let widened = |entry: &i64| match *entry {
            FREE => FREE,
            entry => 2 * (entry >> 1) * i64::from(FACTOR) + (entry & 1),
        };
        match (Matrix::read(size, &small), Matrix::read(size, &large)) {
            (Some(small), Some(large)) => {
                full += 1;
                let entries: Vec<i64> = small.entries.iter().map(widened).collect();
                assert_eq!(entries, large.entries, "seed {seed}");
                let triples =
                    (0..size.pow(3)).map(|code| (code / size / size, code / size % size, code % size));
                for (row, middle, column) in triples {
                    let way = plus(small.at(row, middle), small.at(middle, column));
                    assert!(small.at(row, column) <= way, "seed {seed} is not closed");
                }
            }
            (None, None) => empty += 1,
            other => panic!("seed {seed}: {other:?}"),
        }
    }
    assert!(empty > 300 && full > 300, "{empty} empty, {full} not");
}
