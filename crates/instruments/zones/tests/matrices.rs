//! Zones against a naive matrix and against points.

use entail_zones::{Bound, Extrapolation, LowerUpper, Zone, covers, is_subset};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

const CLOCKS: usize = 3;

/// Points of a grid fine enough to meet every region of these constants.
fn points() -> Vec<[i32; CLOCKS]> {
    let values: Vec<i32> = (0..=20).collect();
    let mut all = Vec::new();
    for &x in &values {
        for &y in &values {
            for &z in values.iter().step_by(2) {
                all.push([x, y, z]);
            }
        }
    }
    all
}

/// Whether a zone contains a point in quarters.
fn contains(zone: &Zone, point: &[i32; CLOCKS]) -> bool {
    let value = |clock: usize| if clock == 0 { 0 } else { point[clock - 1] };
    (0..=CLOCKS).all(|left| {
        (0..=CLOCKS).all(|right| {
            let bound = zone.bound(left, right);
            let (difference, limit) = (value(left) - value(right), 4 * bound.constant());
            bound.is_none() || difference < limit || (!bound.is_strict() && difference == limit)
        })
    })
}

fn constraint(random: &mut StdRng) -> (usize, usize, Bound) {
    let left = random.random_range(0..=CLOCKS);
    let right = (left + random.random_range(1..=CLOCKS)) % (CLOCKS + 1);
    (
        left,
        right,
        Bound::new(random.random_range(-2..=4), random.random_bool(0.5)),
    )
}

fn random_zone(random: &mut StdRng) -> Zone {
    loop {
        let constraints: Vec<_> = (0..random.random_range(1..=4))
            .map(|_| constraint(random))
            .collect();
        if let Some(zone) = Zone::of_constraints(CLOCKS + 1, &constraints) {
            return zone;
        }
    }
}

#[test]
fn operations_on_zones_are_operations_on_their_points() {
    let points = points();
    for seed in 0..60 {
        let mut random = StdRng::seed_from_u64(seed);
        let zone = random_zone(&mut random);
        let (left, right, bound) = constraint(&mut random);
        let mut cut = zone.clone();
        let is_full = cut.constrain(left, right, bound);
        let mut reset = zone.clone();
        reset.assign(1, 0, 2);
        let mut before = zone.clone();
        let has_before = before.unassign(1, 2, 1);
        for point in &points {
            let value = |clock: usize| if clock == 0 { 0 } else { point[clock - 1] };
            let difference = value(left) - value(right);
            let limit = 4 * bound.constant();
            let meets = difference < limit || (!bound.is_strict() && difference == limit);
            assert_eq!(is_full && contains(&cut, point), contains(&zone, point) && meets);
            if contains(&zone, point) {
                assert!(contains(&reset, &[8, point[1], point[2]]));
            }
            let after = [point[1] + 4, point[1], point[2]];
            assert_eq!(has_before && contains(&before, point), contains(&zone, &after));
        }
    }
}

#[test]
fn extrapolations_are_larger_and_lie_within_the_simulation() {
    for seed in 0..500 {
        let mut random = StdRng::seed_from_u64(seed);
        let zone = random_zone(&mut random);
        let mut constants = vec![LowerUpper { lower: 0, upper: 0 }];
        for _ in 0..CLOCKS {
            let mut one = || {
                if random.random_bool(0.2) {
                    LowerUpper::NEVER
                } else {
                    random.random_range(0..4)
                }
            };
            constants.push(LowerUpper {
                lower: one(),
                upper: one(),
            });
        }
        let mut last: Option<Zone> = None;
        for extrapolation in [Extrapolation::M, Extrapolation::MPlus, Extrapolation::LuPlus] {
            let mut larger = zone.clone();
            extrapolation.apply(&mut larger, &constants);
            assert!(is_subset(zone.cells(), larger.cells()), "{extrapolation:?}");
            assert!(
                covers(larger.cells(), zone.cells(), &constants),
                "{extrapolation:?} of {zone:?} by {constants:?}"
            );
            if let Some(last) = last {
                assert!(
                    is_subset(last.cells(), larger.cells()),
                    "{extrapolation:?} is coarser"
                );
            }
            last = Some(larger);
        }
        let mut between = zone.clone();
        Extrapolation::Lu.apply(&mut between, &constants);
        assert!(covers(between.cells(), zone.cells(), &constants));
    }
}

#[test]
fn the_zone_of_the_handbook_is_empty_where_clocks_are_not_negative() {
    // Figures 12 and 13 of chapter 29: x1 ≤ 3, 4 ≤ x1 − x2 ≤ 10, x1 − x3 ≤ 2, x3 − x2 ≤ 2 force x2 ≤ −1.
    let constraints = [
        (1, 0, Bound::at_most(3)),
        (1, 2, Bound::at_most(10)),
        (2, 1, Bound::at_most(-4)),
        (1, 3, Bound::at_most(2)),
        (3, 2, Bound::at_most(2)),
    ];
    assert_eq!(Zone::of_constraints(4, &constraints), None);
}

#[test]
fn simulation_forgets_what_is_beyond_the_constants() {
    // Fischer's zones at x > 10 with L(x) = 10 and no upper constant: any larger x is simulated.
    let far = Zone::of_constraints(2, &[(0, 1, Bound::at_most(-20))]).expect("not empty");
    let near =
        Zone::of_constraints(2, &[(0, 1, Bound::below(-10)), (1, 0, Bound::at_most(12))]).expect("not empty");
    let constants = |lower: i32, upper: i32| [LowerUpper { lower: 0, upper: 0 }, LowerUpper { lower, upper }];
    assert!(covers(
        far.cells(),
        near.cells(),
        &constants(10, LowerUpper::NEVER)
    ));
    assert!(!covers(far.cells(), near.cells(), &constants(15, 15)));
    assert!(!is_subset(far.cells(), near.cells()));
}
