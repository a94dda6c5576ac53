//! Looking for a violation when the reachable states do not fit into memory.
//!
//! Breadth-first search in which only a dense part of each frontier is followed (Ravi and Somenzi 1995: the heavy branch of the
//! diagram, at most so many nodes), and only so much of what was seen is remembered. What it finds is real, and each state of a
//! ring has a predecessor in the ring before it, so traces are built as usual (though a shorter one may exist). That nothing is found
//! proves nothing; the answer says how much was looked at.

use crate::machine::{Machine, Path};
use crate::model::EncodedSystem;
use crate::reachability::{Reached, Watch};
use crate::stop::{Attempt, NotComputed};
use entail_dd::{Bdd, Error};

/// Nodes of a frontier that are followed at first, and below which the search gives up.
const FOLLOWED_NODES: usize = 20_000;
const TOO_FEW_NODES: usize = 50;

/// What a search of a part of the reachable states has found.
pub(crate) struct Hunt {
    /// A path to the goal.
    pub path: Option<Path>,
    pub rounds: usize,
    /// The base-2 logarithm of the number of states that were seen and remembered, rounded down.
    pub log2_states: u64,
}

impl EncodedSystem<'_> {
    /// Looks for a state of the goal in a part of the reachable states. What is known about the model is given up for it.
    pub fn hunt(&mut self, goal: &Bdd, watch: Watch<'_>) -> Attempt<Hunt> {
        let initial = self.machine.initial.clone();
        self.reached = Reached::start(&initial);
        self.labels.clear();
        self.fair = None;
        self.manager().collect_garbage();
        let (reached, rounds) = follow(&self.machine, &initial, goal, FOLLOWED_NODES, watch)?;
        let path = match reached.states.is_disjoint_from(goal)? {
            true => None,
            false => reached.path_to(&self.encoding, &self.machine, goal, watch)?,
        };
        let log2_states = reached.states.count(&self.machine.vars).bits().saturating_sub(1);
        Ok(Hunt {
            path,
            rounds,
            log2_states,
        })
    }
}

/// The rings that were followed; the last one may meet the goal.
fn follow(
    machine: &Machine,
    initial: &Bdd,
    goal: &Bdd,
    nodes: usize,
    watch: Watch<'_>,
) -> Attempt<(Reached, usize)> {
    let mut reached = Reached::start(initial);
    let mut nodes = nodes;
    while reached.states.is_disjoint_from(goal)? {
        let rounds = reached.rings.len();
        let last = reached
            .rings
            .last_mut()
            .expect("the first ring is there from the start");
        watch.report("part of the reachable states", rounds, last)?;
        *last = last.subset(nodes)?;
        let image = machine
            .image(last)
            .and_then(|image| Ok(image.minus(&reached.states)?));
        let new = match image {
            Ok(new) => new,
            Err(NotComputed::Diagram(Error::OutOfMemory { .. })) if nodes > TOO_FEW_NODES => {
                nodes /= 2;
                continue;
            }
            Err(stop) => return Err(stop),
        };
        if new.is_false() {
            break;
        }
        let meeting = new.and(goal)?;
        let new = if meeting.is_false() { new } else { meeting };
        reached.states = match reached.states.or(&new) {
            Ok(states) => states,
            // What is forgotten may be looked at again.
            Err(Error::OutOfMemory { .. }) => new.clone(),
            Err(error) => return Err(error.into()),
        };
        if reached.states.node_count() > 8 * nodes {
            reached.states = reached.states.subset(4 * nodes)?.or(&new)?;
        }
        reached.rings.push(new);
    }
    let rounds = reached.rings.len() - 1;
    Ok((reached, rounds))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::SymbolicOptions;
    use entail_budget::{Budget, Silent};
    use entail_evidence::{CheckOptions, DeadEnds};
    use entail_model::{Sort, TransitionSystem, VarKind};

    /// A bit that is shifted along a row of others, all of which may also be set at will.
    fn row(length: usize) -> TransitionSystem {
        let mut system = TransitionSystem::new();
        let ids: Vec<_> = (0..length)
            .map(|at| system.add_variable(format!("x{at}"), Sort::Bool, VarKind::State))
            .collect();
        for (at, &id) in ids.iter().enumerate() {
            let (now, next) = (system.current(id), system.next(id));
            let clear = system.terms.not(now);
            system.init.push(clear);
            if at > 0 {
                let before = system.current(ids[at - 1]);
                let allowed = system.terms.or([now, before]);
                let step = system.terms.implies(next, allowed);
                system.transition.push(step);
            }
        }
        system
    }

    #[test]
    fn a_violation_is_found_in_a_small_part_of_the_states() {
        let mut system = row(12);
        let last = system.find_variable("x11").expect("a variable");
        let bad = system.current(last);
        let budget = Budget::unlimited();
        let watch = Watch {
            budget: &budget,
            progress: &Silent,
        };
        let options = CheckOptions {
            dead_ends: DeadEnds::Infinite,
            ..CheckOptions::default()
        };
        let model = EncodedSystem::build(&system, &options, &SymbolicOptions::default(), watch);
        let mut model = model.unwrap_or_else(|_| panic!("a model"));
        let goal = model.condition(bad).unwrap_or_else(|_| panic!("a condition"));
        for nodes in [1_000, 20] {
            let initial = model.machine.initial.clone();
            let (reached, rounds) =
                follow(&model.machine, &initial, &goal, nodes, watch).unwrap_or_else(|_| panic!("rings"));
            assert_eq!(rounds, 12, "a set bit moves on by one place a step");
            let path = reached.path_to(&model.encoding, &model.machine, &goal, watch);
            let path = path.unwrap_or_else(|_| panic!("a search")).expect("a path");
            assert_eq!(path.points.len(), 13);
        }
        let hunt = model.hunt(&goal, watch).unwrap_or_else(|_| panic!("a search"));
        assert!(hunt.path.is_some());
        let nowhere = goal.manager().zero();
        let hunt = model.hunt(&nowhere, watch).unwrap_or_else(|_| panic!("a search"));
        assert!(hunt.path.is_none());
        assert_eq!(hunt.log2_states, 12);
    }
}
