//! The coarsest bisimulation by naive refinement: the reference that fast engines are compared with.
//!
//! States start in blocks by colour. In each round a block falls apart by the *signatures* of its states (Blom, Orzan 2003): what
//! they can do, up to hidden steps, into which blocks. When no block falls apart, the partition is the coarsest bisimulation.

use crate::partition_check::{Check, Seen, weak_steps};
use entail_budget::{Budget, Spent};
use entail_evidence::equivalence::{Bisimulation, Partition};
use entail_model::{ActionId, Lts, StateId};
use rustc_hash::FxHashMap;

/// The coarsest bisimulation of this kind.
pub fn coarsest_partition(lts: &Lts, relation: Bisimulation, budget: &Budget) -> Result<Partition, Spent> {
    let keys: Vec<u32> = (lts.states())
        .map(|state| lts.colour(state).index() as u32)
        .collect();
    let mut partition = Partition::from_keys(&keys);
    loop {
        let finer = refined(lts, &partition, relation, budget)?;
        if finer.block_count() == partition.block_count() {
            return Ok(finer);
        }
        partition = finer;
    }
}

/// One round: states stay together if they are in one block and have one signature.
pub(super) fn refined(
    lts: &Lts,
    partition: &Partition,
    relation: Bisimulation,
    budget: &Budget,
) -> Result<Partition, Spent> {
    let check = Check {
        lts,
        partition,
        relation,
        budget,
    };
    let signatures = match relation {
        Bisimulation::Strong | Bisimulation::Branching | Bisimulation::DivergenceBranching => {
            check.signatures()?
        }
        Bisimulation::Weak | Bisimulation::DivergenceWeak => check.weak_signatures()?,
    };
    let mut numbers: FxHashMap<(u32, &[Seen]), u32> = FxHashMap::default();
    let mut keys = Vec::with_capacity(lts.state_count());
    for state in lts.states() {
        let fresh = numbers.len() as u32;
        let signature = signatures.of(state);
        keys.push(
            *numbers
                .entry((partition.block(state), signature))
                .or_insert(fresh),
        );
    }
    Ok(Partition::from_keys(&keys))
}

/// Divergence is a step of its own, to the same place.
fn divergence(lts: &Lts) -> ActionId {
    ActionId::new(lts.actions().len() as u32)
}

/// Signatures, several states having one.
struct Signatures {
    number: Vec<u32>,
    all: Vec<Vec<Seen>>,
}

impl Signatures {
    fn of(&self, state: StateId) -> &[Seen] {
        &self.all[self.number[state.index()] as usize]
    }
}

impl Check<'_> {
    /// What can be done after hidden steps inside the block. The states of a component have one signature; components are
    /// numbered so that those that a component leads to come first.
    fn signatures(&self) -> Result<Signatures, Spent> {
        let components = self.components()?;
        let mut all: Vec<Vec<Seen>> = vec![Vec::new(); components.left.len()];
        let mut states: Vec<StateId> = self.lts.states().collect();
        states.sort_by_key(|state| components.of[state.index()]);
        for members in states.chunk_by(|a, b| components.of[a.index()] == components.of[b.index()]) {
            let component = components.of[members[0].index()];
            let mut here = Vec::new();
            for &member in members {
                self.budget.check()?;
                self.seen(member, &mut here);
                for to in self.inside(member) {
                    let target = components.of[to.index()];
                    if target != component {
                        here.extend_from_slice(&all[target as usize]);
                    }
                }
            }
            if self.relation.sees_divergence() && components.cyclic[component as usize] {
                here.push((divergence(self.lts), self.partition.block(members[0])));
            }
            here.sort_unstable();
            here.dedup();
            all[component as usize] = here;
        }
        Ok(Signatures {
            number: components.of,
            all,
        })
    }

    /// What can be done with hidden steps before and after.
    fn weak_signatures(&self) -> Result<Signatures, Spent> {
        // Cycles of hidden steps are those of the partition by colour: all states of one are weakly bisimilar.
        let colours: Vec<u32> = (self.lts.states())
            .map(|state| self.lts.colour(state).index() as u32)
            .collect();
        let colours = Partition::from_keys(&colours);
        let hidden = Check {
            partition: &colours,
            ..*self
        };
        let components = hidden.components()?;
        let mut all = Vec::with_capacity(self.lts.state_count());
        for state in self.lts.states() {
            let mut here: Vec<Seen> = weak_steps(self.lts, self.partition, state, self.budget)?
                .into_iter()
                .collect();
            if self.relation.sees_divergence() {
                let (mut found, mut todo) = (vec![false; self.lts.state_count()], vec![(state, false)]);
                let mut seen = vec![(state, false)];
                while let Some((from, diverged)) = todo.pop() {
                    self.budget.check()?;
                    let diverged = diverged || components.cyclic[components.of[from.index()] as usize];
                    if diverged && !std::mem::replace(&mut found[from.index()], true) {
                        here.push((divergence(self.lts), self.partition.block(from)));
                    }
                    for to in hidden.inside(from) {
                        if !seen.contains(&(to, diverged)) {
                            seen.push((to, diverged));
                            todo.push((to, diverged));
                        }
                    }
                }
            }
            here.sort_unstable();
            here.dedup();
            all.push(here);
        }
        Ok(Signatures {
            number: (0..self.lts.state_count() as u32).collect(),
            all,
        })
    }
}
