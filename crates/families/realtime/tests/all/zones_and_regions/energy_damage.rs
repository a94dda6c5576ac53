//! Evidence about accumulated weights with something changed is rejected.

use super::effort;
use super::energy::{Shape, ask, asked, automaton};
use entail_budget::Budget;
use entail_clocks::evidence::{Because, Proof, Sustained, Time};
use entail_clocks::{Formula, Rational, Upper};
use entail_timed_checker::judge;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

fn more(time: &mut Time, by: i64) {
    time.0 += Rational::from(by);
}

/// Evidence with something changed that makes it wrong; nothing if there is nothing of that kind in it.
fn damaged(random: &mut StdRng, sustained: &Sustained, damage: usize) -> Option<Sustained> {
    let mut damaged = sustained.clone();
    let because = damaged.because.as_mut();
    match (damage, because) {
        // Another verdict, another credit.
        (0, _) => more(damaged.credit.as_mut()?, -1),
        (1, _) => {
            let run = damaged.run.as_mut().filter(|_| sustained.holds)?;
            run.steps.pop();
        }
        (2, Some(Because::Levels(levels))) if !levels.is_empty() => {
            levels.remove(random.random_range(0..levels.len()));
        }
        (3, Some(Because::Levels(levels))) => {
            let ranked = levels
                .iter_mut()
                .max_by_key(|one| one.rank)
                .filter(|one| one.rank > 0)?;
            ranked.level += 100;
        }
        (4, Some(Because::Potentials(all))) if !all.all.is_empty() => {
            all.all.remove(random.random_range(0..all.all.len()));
        }
        (5, Some(Because::Potentials(all))) => {
            let count = all.all.len();
            let one = &mut all.all[random.random_range(0..count.max(1))];
            one.pieces
                .iter_mut()
                .for_each(|piece| more(&mut piece.level.0, 1));
        }
        (6, Some(Because::Potentials(all))) => {
            let first = all.all.iter_mut().find(|one| one.layer.is_none())?;
            first.layer = Some(0);
        }
        (7, Some(Because::Corners { corners, .. })) => {
            corners.remove(random.random_range(0..corners.len()));
        }
        (8, Some(Because::Corners { corners, .. })) => {
            let position = random.random_range(0..corners.len());
            more(&mut corners[position].least, 1);
        }
        _ => return None,
    }
    Some(damaged)
}

#[test]
fn damaged_evidence_about_energy_is_rejected() {
    let budget = Budget::unlimited();
    let mut rejected = [0; 9];
    let mut accepted = [0; 9];
    for number in 0..600 * effort() {
        let mut random = StdRng::seed_from_u64(99_000_000 + number);
        let shape = Shape {
            clock: number % 2 == 0,
            rates: if number % 2 == 0 { 2 } else { 0 },
            weights: 4,
            strict: false,
        };
        let network = automaton(&mut random, shape);
        let (every, upper) = match number % 4 {
            0 => (number % 8 == 0, None),
            2 => (true, Some(Upper::Limit(20))),
            1 => (false, Some(Upper::Limit(6))),
            _ => (false, None),
        };
        let credit = every.then_some(10);
        let query = asked(Formula::Constant(true), every, 0, upper, credit);
        let answer = ask(&network, &query);
        let Some(Proof::Energy { sustained }) = &answer.evidence else {
            continue;
        };
        for damage in 0..rejected.len() {
            let Some(sustained) = damaged(&mut random, sustained, damage) else {
                continue;
            };
            let proof = Proof::Energy { sustained };
            match judge(&network, &query, answer.verdict, &proof, &budget).is_accepted() {
                true => accepted[damage] += 1,
                false => rejected[damage] += 1,
            }
        }
    }
    // What is not needed may be missing, and a potential or a level may have some room; a wrong credit, run, cover or layer is always noticed.
    assert!(
        rejected.iter().all(|&count| count > 3),
        "{rejected:?}, accepted {accepted:?}"
    );
    for damage in [0, 7] {
        assert_eq!(
            accepted[damage], 0,
            "damage {damage}: {rejected:?}, accepted {accepted:?}"
        );
    }
}
