//! Modal simulation between Kripke modal transition systems (chapter 13, definition 11).
//!
//! `left ⪯ right` says that the right one tells nothing wrong about the left one: a relation between their states, in which every initial
//! state on the left has a partner, such that what is known of a proposition on the right is known on the left; every step that may be
//! taken on the left may be taken on the right, to a partner; every step that must be there on the right must be there on the left, each of
//! its targets a partner of a target on the right. What is true or false on the right is then true or false on the left (theorems 4 and 5).
//!
//! The largest relation is found by removing pairs until nothing changes: simple, and meant for small systems.

use entail_budget::{Budget, Spent};
use entail_model::{Kmts, StateId};
use fixedbitset::FixedBitSet;

/// For every state on the left its partners on the right, if every initial state has an initial partner. Propositions are matched by name;
/// those that only one system has say nothing.
pub fn modal_simulation(
    left: &Kmts,
    right: &Kmts,
    budget: &Budget,
) -> Result<Option<Vec<FixedBitSet>>, Spent> {
    let mut partners: Vec<FixedBitSet> = Vec::with_capacity(left.state_count());
    for state in left.states() {
        let mut row = FixedBitSet::with_capacity(right.state_count());
        row.extend(
            right
                .states()
                .filter(|&other| agrees(left, state, right, other))
                .map(StateId::index),
        );
        partners.push(row);
    }
    loop {
        let mut changed = false;
        for state in left.states() {
            budget.check_now()?;
            let row: Vec<StateId> = partners[state.index()].ones().map(number).collect();
            for other in row {
                if !matches(left, state, right, other, &partners) {
                    partners[state.index()].remove(other.index());
                    changed = true;
                }
            }
        }
        if !changed {
            break;
        }
    }
    let initial = |state: &StateId| {
        let mut initial = right.initial().iter();
        initial.any(|other| partners[state.index()].contains(other.index()))
    };
    let all = left.initial().iter().all(initial);
    Ok(all.then_some(partners))
}

fn number(state: usize) -> StateId {
    StateId::new(state as u32)
}

fn agrees(left: &Kmts, state: StateId, right: &Kmts, other: StateId) -> bool {
    right.propositions().iter().all(|known| {
        let same = left.propositions().iter().find(|label| label.name == known.name);
        same.is_none_or(|label| {
            (!known.holds.contains(other.index()) || label.holds.contains(state.index()))
                && (!known.fails.contains(other.index()) || label.fails.contains(state.index()))
        })
    })
}

fn matches(left: &Kmts, state: StateId, right: &Kmts, other: StateId, partners: &[FixedBitSet]) -> bool {
    let related = |a: &StateId, b: &StateId| partners[a.index()].contains(b.index());
    let may = |to: &StateId| right.may(other).iter().any(|target| related(to, target));
    let must = |wanted: &[StateId]| {
        left.must(state).any(|found| {
            found
                .iter()
                .all(|to| wanted.iter().any(|target| related(to, target)))
        })
    };
    left.may(state).iter().all(may) && right.must(other).all(must)
}

#[cfg(test)]
mod tests {
    use super::*;
    use entail_model::{Kmts, KripkeBuilder};

    #[test]
    fn an_abstraction_tells_nothing_wrong_and_an_invention_does() {
        let id = StateId::new;
        let mut builder = KripkeBuilder::new(3);
        builder.edges([(0, 1), (1, 2), (2, 0)]).initial(id(0));
        builder.proposition("red", [id(0)]);
        let light = builder.build().expect("a structure");
        let concrete = Kmts::of_kripke(&light);
        let coarse = Kmts::of_partition(&light, &[0, 1, 1]);
        let simulated = |a: &Kmts, b: &Kmts| {
            modal_simulation(a, b, &Budget::unlimited())
                .expect("no limit")
                .is_some()
        };
        assert!(simulated(&concrete, &coarse));
        assert!(!simulated(&coarse, &concrete));
        assert!(simulated(&coarse, &coarse));
        let mut wrong = coarse.to_builder();
        wrong.must(id(1), [id(0)]);
        assert!(!simulated(&concrete, &wrong.build().expect("consistent")));
    }
}
