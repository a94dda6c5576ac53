//! The cone of influence on random systems: the projection to the kept variables is a bisimulation, and every path of the
//! reduced system is completed to one of the original.

use entail_model::{
    Cone, Sort, TermId, TransitionSystem, Unfolding, Value, VarId, VarKind, cone_of_influence,
};
use proptest::prelude::*;
use std::collections::BTreeSet;

/// A small deterministic source of choices.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }

    fn term(&mut self, system: &mut TransitionSystem, leaves: &[TermId]) -> TermId {
        let leaf = leaves[self.roll(leaves.len() as u64) as usize];
        let constant = system.terms.integer(self.roll(3) as i64);
        match self.roll(4) {
            0 => constant,
            1 => {
                let other = leaves[self.roll(leaves.len() as u64) as usize];
                let condition = system.terms.less(leaf, constant).expect("integers");
                system.terms.ite(condition, other, constant).expect("integers")
            }
            _ => leaf,
        }
    }

    /// A condition on the target: an assignment, a choice, a case of choices, or sometimes a constraint that may block.
    fn condition(&mut self, system: &mut TransitionSystem, target: TermId, leaves: &[TermId]) -> TermId {
        let (a, b) = (self.term(system, leaves), self.term(system, leaves));
        let is_a = system.terms.equal(target, a).expect("integers");
        let is_b = system.terms.equal(target, b).expect("integers");
        match self.roll(8) {
            0 => system.terms.or([is_a, is_b]),
            1 => {
                let condition = system.terms.equal(a, b).expect("integers");
                let either = system.terms.or([is_a, is_b]);
                system.terms.ite(condition, is_a, either).expect("Booleans")
            }
            2 => system.terms.less_equal(target, a).expect("integers"),
            3 => system.terms.not(is_a),
            _ => is_a,
        }
    }
}

/// Four variables over 0..2 with random conditions.
fn random_system(seed: u64) -> TransitionSystem {
    let mut dice = Dice(seed);
    let mut system = TransitionSystem::new();
    for (name, state_only) in [("a", true), ("b", false), ("c", true), ("d", false)] {
        let kind = match dice.roll(5) {
            0 if !state_only => VarKind::Input,
            1 if !state_only => VarKind::Frozen,
            _ => VarKind::State,
        };
        system.add_variable(name, Sort::range(0, 2), kind);
    }
    let ids: Vec<VarId> = system.variable_ids().collect();
    let kind = |system: &TransitionSystem, id: VarId| system.variable(id).kind;
    let now: Vec<TermId> = ids.iter().map(|&id| system.current(id)).collect();
    let states: Vec<TermId> = ids
        .iter()
        .filter(|&&id| kind(&system, id) != VarKind::Input)
        .map(|&id| now[id.index()])
        .collect();
    for &id in &ids {
        let target = now[id.index()];
        match kind(&system, id) {
            VarKind::Input => {
                if dice.roll(3) == 0 {
                    let condition = dice.condition(&mut system, target, &states);
                    system.transition.push(condition);
                }
                continue;
            }
            VarKind::State if dice.roll(6) == 0 => {
                let condition = dice.condition(&mut system, target, &states);
                system.invariant.push(condition);
                continue;
            }
            _ => {}
        }
        if dice.roll(4) > 0 {
            let condition = dice.condition(&mut system, target, &states);
            system.init.push(condition);
        }
        if kind(&system, id) == VarKind::State && dice.roll(5) > 0 {
            let after = system.next(id);
            let mut leaves = now.clone();
            if dice.roll(3) == 0 {
                let other = ids[dice.roll(4) as usize];
                if kind(&system, other) == VarKind::State {
                    leaves.push(system.next(other));
                }
            }
            let condition = dice.condition(&mut system, after, &leaves);
            system.transition.push(condition);
        }
    }
    system
}

fn projected(cone: &Cone, state: &[Option<Value>]) -> Vec<Option<Value>> {
    cone.kept
        .iter()
        .map(|variable| state[variable.index()].clone())
        .collect()
}

type Steps = BTreeSet<Vec<Option<Value>>>;

fn successors(unfolding: &Unfolding, at: usize) -> Steps {
    let state = entail_model::StateId::new(at as u32);
    unfolding
        .kripke
        .successors(state)
        .iter()
        .map(|next| unfolding.states[next.index()].clone())
        .collect()
}

fn initial(unfolding: &Unfolding) -> Steps {
    unfolding
        .kripke
        .initial()
        .iter()
        .map(|state| unfolding.states[state.index()].clone())
        .collect()
}

/// A reduced state with its inputs blanked, as unfoldings show states.
fn find(unfolding: &Unfolding, state: &[Option<Value>]) -> Option<usize> {
    unfolding.states.iter().position(|known| known == state)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn the_projection_is_a_bisimulation(seed in any::<u64>()) {
        let mut system = random_system(seed);
        let a = system.current(VarId::new(0));
        let cone = cone_of_influence(&system, &[a]);
        let (Ok(whole), Ok(part)) = (system.unfold(&[], 1000), cone.system.unfold(&[], 1000)) else {
            // Without initial states there is no structure; then there must be none on either side.
            prop_assert!(system.unfold(&[], 1000).is_err() && cone.system.unfold(&[], 1000).is_err());
            return Ok(());
        };
        let project = |states: Steps| -> Steps { states.iter().map(|state| projected(&cone, state)).collect() };
        prop_assert_eq!(project(initial(&whole)), initial(&part));
        for (at, state) in whole.states.iter().enumerate() {
            let image = find(&part, &projected(&cone, state));
            prop_assert!(image.is_some(), "a projected state is not reachable");
            prop_assert_eq!(project(successors(&whole, at)), successors(&part, image.unwrap_or(0)));
        }
    }

    #[test]
    fn paths_and_lassos_are_completed(seed in any::<u64>(), choices in prop::collection::vec(0usize..10, 6)) {
        let mut system = random_system(seed);
        let a = system.current(VarId::new(0));
        let cone = cone_of_influence(&system, &[a]);
        // Inputs of the reduced system would have to be chosen for the path; keep to systems without.
        prop_assume!(cone.system.input_variables().next().is_none());
        let (Ok(whole), Ok(part)) = (system.unfold(&[], 1000), cone.system.unfold(&[], 1000)) else {
            return Ok(());
        };
        let Some(start) = part.kripke.initial().first() else {
            return Ok(());
        };
        let mut path = vec![*start];
        for choice in choices {
            let last = path[path.len() - 1];
            let next = part.kripke.successors(last);
            if next.is_empty() {
                break;
            }
            path.push(next[choice % next.len()]);
        }
        // A loop, where the last state occurs before.
        let last = path[path.len() - 1];
        let again = path[..path.len() - 1].iter().position(|state| *state == last);
        if again.is_some() {
            path.pop();
        }
        let steps: Vec<Vec<Option<Value>>> = path.iter().map(|state| part.states[state.index()].clone()).collect();
        let completed = cone.complete(&system, &steps, again, 1000);
        let completed = completed.map_err(|error| TestCaseError::fail(error.to_string()))?;
        prop_assert_eq!(completed.loop_start.is_some(), again.is_some());
        let states: Vec<Vec<Option<Value>>> = completed
            .steps
            .iter()
            .map(|step| {
                let mut state = step.clone();
                for input in system.input_variables() {
                    state[input.index()] = None;
                }
                state
            })
            .collect();
        prop_assert!(initial(&whole).contains(&states[0]));
        for position in 0..states.len() {
            let next = if position + 1 < states.len() { Some(position + 1) } else { completed.loop_start };
            let Some(next) = next else { break };
            let at = find(&whole, &states[position]).expect("a reachable state");
            prop_assert!(successors(&whole, at).contains(&states[next]), "step {}", position);
        }
        for (position, step) in completed.steps.iter().enumerate() {
            let place = match again {
                Some(again) if position >= steps.len() => again + (position - again) % (steps.len() - again),
                _ => position,
            };
            prop_assert_eq!(&projected(&cone, step), &steps[place]);
        }
    }
}

#[test]
fn an_unconnected_counter_is_dropped_but_an_unconnected_constraint_is_not() {
    let mut system = TransitionSystem::new();
    let asked = system.add_variable("asked", Sort::Bool, VarKind::State);
    let counter = system.add_variable("counter", Sort::range(0, 7), VarKind::State);
    let blocker = system.add_variable("blocker", Sort::range(0, 7), VarKind::State);
    let (zero, one, eight) = (
        system.terms.integer(0),
        system.terms.integer(1),
        system.terms.integer(8),
    );
    for variable in [counter, blocker] {
        let now = system.current(variable);
        let start = system.terms.equal(now, zero).expect("integers");
        system.init.push(start);
        let after = system.next(variable);
        let sum = system.terms.add(now, one).expect("integers");
        let value = if variable == counter {
            system.terms.remainder(sum, eight).expect("integers")
        } else {
            // Leaves the domain: there is no step from 7, so dropping it would change the paths.
            sum
        };
        let step = system.terms.equal(after, value).expect("integers");
        system.transition.push(step);
    }
    let root = system.current(asked);
    let cone = cone_of_influence(&system, &[root]);
    assert_eq!(cone.kept, [asked, blocker]);
    assert_eq!(cone.dropped.init.len(), 1);
    assert_eq!(cone.dropped.transition.len(), 1);
}

#[test]
fn fairness_is_never_dropped() {
    let mut system = TransitionSystem::new();
    let asked = system.add_variable("asked", Sort::Bool, VarKind::State);
    let fair = system.add_variable("fair", Sort::Bool, VarKind::State);
    let often = system.current(fair);
    system.justice.push(often);
    let root = system.current(asked);
    assert_eq!(cone_of_influence(&system, &[root]).kept, [asked, fair]);
}
