//! Zones of two groups of clocks, against points.

use entail_zones::{Bound, Federation, Zone};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

/// Two clocks of one group and one of the other, in quarters up to 5.
const MOST: i32 = 20;

type Point = [i32; 3];

fn contains(zone: &Zone, point: Point) -> bool {
    let value = |clock: usize| if clock == 0 { 0 } else { point[clock - 1] };
    (0..4).all(|left| {
        (0..4).all(|right| {
            let bound = zone.bound(left, right);
            let (difference, limit) = (value(left) - value(right), 4 * bound.constant());
            bound.is_none() || difference < limit || (!bound.is_strict() && difference == limit)
        })
    })
}

fn points() -> impl Iterator<Item = Point> {
    let axis = || (0..=MOST).step_by(2);
    axis().flat_map(move |x| axis().flat_map(move |y| axis().map(move |z| [x, y, z])))
}

fn random_product(random: &mut StdRng) -> Zone {
    loop {
        let mut zone = Zone::universal(4);
        let is_left = (0..3).all(|_| {
            let (left, right) =
                [(1, 0), (0, 1), (2, 0), (0, 2), (1, 2), (2, 1), (3, 0), (0, 3)][random.random_range(0..8)];
            zone.constrain(
                left,
                right,
                Bound::new(random.random_range(-2..4), random.random_bool(0.5)),
            )
        });
        if is_left {
            return zone;
        }
    }
}

#[test]
fn time_passes_and_runs_back_for_one_group_alone() {
    let mut random = StdRng::seed_from_u64(2001);
    for _ in 0..60 {
        let zone = random_product(&mut random);
        assert!(zone.is_separate(3));
        for (group, moves) in [(1..3, [1, 1, 0]), (3..4, [0, 0, 1])] {
            let (mut later, mut earlier) = (zone.clone(), zone.clone());
            later.delay_group(group.clone());
            earlier.undelay_group(group);
            assert!(later.is_separate(3) && earlier.is_separate(3));
            let moved = |point: Point, by: i32| [0, 1, 2].map(|clock| point[clock] + by * moves[clock]);
            for point in points() {
                let is_later = (0..=MOST).any(|by| {
                    let before = moved(point, -by);
                    before.iter().all(|&value| value >= 0) && contains(&zone, before)
                });
                assert_eq!(contains(&later, point), is_later, "{zone:?} {point:?}");
                // Quarters are fine enough, and so is as much time as the largest constant.
                let is_earlier = (0..=2 * MOST).any(|by| contains(&zone, moved(point, by)));
                assert_eq!(contains(&earlier, point), is_earlier, "{zone:?} {point:?}");
            }
        }
    }
}

#[test]
fn strictly_before_takes_some_time() {
    let mut random = StdRng::seed_from_u64(2002);
    for _ in 0..60 {
        let zone = random_product(&mut random);
        let before = zone.strictly_before();
        for point in points() {
            // Eighths would be finer than quarters: points are at halves, so a quarter is some time.
            let takes_time = (1..=2 * MOST).any(|by| contains(&zone, point.map(|value| value + by)));
            let is_before = before.as_ref().is_some_and(|before| contains(before, point));
            assert_eq!(is_before, takes_time, "{zone:?} {point:?}");
        }
    }
}

#[test]
fn products_are_joined_to_products_only_where_that_is_asked() {
    let mut one = Zone::universal(4);
    assert!(one.constrain(1, 0, Bound::below(1)));
    let mut other = Zone::universal(4);
    assert!(other.constrain(1, 0, Bound::at_most(1)) && other.constrain(0, 1, Bound::at_most(-1)));
    assert!(other.constrain(0, 3, Bound::below(0)));
    let both: Federation = [one, other].into_iter().collect();
    let joined = both.clone().merged();
    assert!(joined.zones().len() == 1 && !joined.zones()[0].is_separate(3));
    assert_eq!(both.merged_to(|zone| zone.is_separate(3)).zones().len(), 2);
}
