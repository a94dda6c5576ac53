//! Kripke modal transition systems: graphs in which a step may be there, or must be (chapter 13, definition 10).
//!
//! A state stands for many concrete ones. A step `a → b` **may** be there if some concrete state of `a` has a successor in `b`; it
//! **must** be there if every one has. A proposition is true, false, or not known. *Must* steps are kept in their general form, as
//! hyper-transitions (Larsen and Xinxin 1990; Shoham and Grumberg 2004): `a → {b, c}` says that every concrete state of `a` has a successor
//! in `b` or in `c`. With them, splitting `b` and `c` further never loses what was known.
//!
//! Rows are stored one after the other (CSR), targets sorted; propositions are a pair of disjoint sets of states.

use crate::kripke::{Kripke, StateId, StateSet};
use std::sync::Arc;

/// What is known of one proposition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThreeValued {
    /// Its name.
    pub name: Arc<str>,
    /// Where it is true.
    pub holds: StateSet,
    /// Where it is false.
    pub fails: StateSet,
}

/// A Kripke modal transition system. Made by [`KmtsBuilder`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kmts {
    initial: Vec<StateId>,
    may_rows: Vec<u32>,
    may: Vec<StateId>,
    /// The hyper-transitions of state `s` are those numbered `must_rows[s]..must_rows[s + 1]`.
    must_rows: Vec<u32>,
    /// The targets of hyper-transition `h` are `must[targets[h]..targets[h + 1]]`.
    targets: Vec<u32>,
    must: Vec<StateId>,
    propositions: Vec<ThreeValued>,
}

/// Why something is not a Kripke modal transition system.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KmtsError {
    /// A state is mentioned that does not exist.
    #[error("{place} mentions state {state}, but there are {states} states")]
    UnknownState {
        /// Where it is mentioned.
        place: &'static str,
        /// The state.
        state: u32,
        /// How many there are.
        states: usize,
    },
    /// A target of a must step is not the target of a may step.
    #[error("the step from {from} that must be there leads to {to}, to which no step may lead")]
    MustWithoutMay {
        /// The source.
        from: u32,
        /// The target.
        to: u32,
    },
    /// A must step has no target.
    #[error("a step from {0} that must be there has no target")]
    MustNowhere(u32),
    /// A proposition is both true and false.
    #[error("`{name}` is both true and false in state {state}")]
    Contradiction {
        /// The proposition.
        name: Arc<str>,
        /// The state.
        state: usize,
    },
    /// More steps than can be numbered.
    #[error("more than 4294967295 steps")]
    TooManySteps,
}

/// Collects the parts of a [`Kmts`] in any order.
#[derive(Clone, Debug, Default)]
pub struct KmtsBuilder {
    states: usize,
    initial: Vec<StateId>,
    may: Vec<(StateId, StateId)>,
    must: Vec<(StateId, Vec<StateId>)>,
    propositions: Vec<(Arc<str>, Vec<StateId>, Vec<StateId>)>,
}

impl KmtsBuilder {
    /// A builder for a system with this number of states, numbered from 0, and without steps.
    pub fn new(states: usize) -> KmtsBuilder {
        KmtsBuilder {
            states,
            ..KmtsBuilder::default()
        }
    }

    /// An initial state: some of what it stands for is initial.
    pub fn initial(&mut self, state: StateId) -> &mut Self {
        self.initial.push(state);
        self
    }

    /// Adds a may step.
    pub fn may(&mut self, from: StateId, to: StateId) -> &mut Self {
        self.may.push((from, to));
        self
    }

    /// Adds a must step (a hyper-transition): every concrete state has a successor in one of these states.
    pub fn must(&mut self, from: StateId, to: impl IntoIterator<Item = StateId>) -> &mut Self {
        self.must.push((from, to.into_iter().collect()));
        self
    }

    /// Adds a proposition: the states where it is true, and those where it is false.
    pub fn proposition(
        &mut self,
        name: impl AsRef<str>,
        holds: impl IntoIterator<Item = StateId>,
        fails: impl IntoIterator<Item = StateId>,
    ) -> &mut Self {
        self.propositions.push((
            Arc::from(name.as_ref()),
            holds.into_iter().collect(),
            fails.into_iter().collect(),
        ));
        self
    }

    /// The system, with steps sorted. A hyper-transition that another one of the same state implies is left out.
    pub fn build(mut self) -> Result<Kmts, KmtsError> {
        let states = self.states;
        let known = |place, state: StateId| match state.index() < states {
            true => Ok(()),
            false => Err(KmtsError::UnknownState {
                place,
                state: state.index() as u32,
                states,
            }),
        };
        self.initial.sort_unstable();
        self.initial.dedup();
        for &state in &self.initial {
            known("the list of initial states", state)?;
        }
        self.may.sort_unstable();
        self.may.dedup();
        for &(from, to) in &self.may {
            known("a step that may be there", from)?;
            known("a step that may be there", to)?;
        }
        for (from, to) in &mut self.must {
            known("a step that must be there", *from)?;
            to.sort_unstable();
            to.dedup();
            if to.is_empty() {
                return Err(KmtsError::MustNowhere(from.index() as u32));
            }
            for &target in &*to {
                known("a step that must be there", target)?;
                if self.may.binary_search(&(*from, target)).is_err() {
                    return Err(KmtsError::MustWithoutMay {
                        from: from.index() as u32,
                        to: target.index() as u32,
                    });
                }
            }
        }
        // Small targets first: whatever contains an earlier one of the same state is implied by it.
        self.must
            .sort_unstable_by(|(a, left), (b, right)| (a, left.len(), left).cmp(&(b, right.len(), right)));
        let mut kept: Vec<(StateId, Vec<StateId>)> = Vec::with_capacity(self.must.len());
        let mut first = 0;
        for (from, to) in self.must {
            if kept.get(first).is_some_and(|(state, _)| *state != from) {
                first = kept.len();
            }
            let implied = kept[first..]
                .iter()
                .any(|(_, smaller)| smaller.iter().all(|state| to.binary_search(state).is_ok()));
            if !implied {
                kept.push((from, to));
            }
        }
        let too_many = |_| KmtsError::TooManySteps;
        u32::try_from(self.may.len()).map_err(too_many)?;
        u32::try_from(kept.iter().map(|(_, to)| to.len()).sum::<usize>()).map_err(too_many)?;
        let may_sources = self.may.iter().map(|(from, _)| *from);
        let must_sources = kept.iter().map(|(from, _)| *from);
        let mut targets = vec![0];
        let mut must = Vec::new();
        for (_, to) in &kept {
            must.extend(to);
            targets.push(must.len() as u32);
        }
        let mut propositions = Vec::new();
        for (name, holds, fails) in self.propositions {
            let set = |list: Vec<StateId>| -> Result<StateSet, KmtsError> {
                let mut set = StateSet::with_capacity(states);
                for state in list {
                    known("a proposition", state)?;
                    set.insert(state.index());
                }
                Ok(set)
            };
            let (holds, fails) = (set(holds)?, set(fails)?);
            if let Some(state) = holds.intersection(&fails).next() {
                return Err(KmtsError::Contradiction { name, state });
            }
            propositions.push(ThreeValued { name, holds, fails });
        }
        Ok(Kmts {
            initial: self.initial,
            may_rows: rows(states, may_sources),
            may: self.may.iter().map(|(_, to)| *to).collect(),
            must_rows: rows(states, must_sources),
            targets,
            must,
            propositions,
        })
    }
}

/// Where the row of each state begins, given the sorted sources of all entries.
fn rows(states: usize, sources: impl Iterator<Item = StateId>) -> Vec<u32> {
    let mut rows = vec![0u32; states + 1];
    for source in sources {
        rows[source.index() + 1] += 1;
    }
    for state in 0..states {
        rows[state + 1] += rows[state];
    }
    rows
}

impl Kmts {
    /// A structure in which everything is known: what may be there must be there.
    pub fn of_kripke(kripke: &Kripke) -> Kmts {
        let classes: Vec<u32> = (0..kripke.state_count() as u32).collect();
        Kmts::of_partition(kripke, &classes)
    }

    /// The abstraction of a structure by a partition, from the definition: *may* steps by ∃∃, *must* steps by ∀∃, and propositions where all
    /// concrete states agree. `classes` has the number of each state's class. Meant for small structures and as a reference.
    pub fn of_partition(kripke: &Kripke, classes: &[u32]) -> Kmts {
        let count = classes.iter().max().map_or(0, |&last| last as usize + 1);
        let class = |state: StateId| StateId::new(classes[state.index()]);
        let mut builder = KmtsBuilder::new(count);
        for &state in kripke.initial() {
            builder.initial(class(state));
        }
        for (from, to) in kripke.edges() {
            builder.may(class(from), class(to));
        }
        let mut members: Vec<Vec<StateId>> = vec![Vec::new(); count];
        for state in kripke.states() {
            members[class(state).index()].push(state);
        }
        let inhabited = || {
            let classes = members.iter().enumerate();
            classes
                .filter(|(_, members)| !members.is_empty())
                .map(|(number, members)| (StateId::new(number as u32), members))
        };
        for (from, members) in inhabited() {
            for to in (0..count as u32).map(StateId::new) {
                let leads = |state: &StateId| kripke.successors(*state).iter().any(|&next| class(next) == to);
                if members.iter().all(leads) {
                    builder.must(from, [to]);
                }
            }
        }
        for proposition in kripke.propositions() {
            let agree = |truth: bool| -> Vec<StateId> {
                let is = |state: &StateId| proposition.states.contains(state.index()) == truth;
                inhabited()
                    .filter(|(_, members)| members.iter().all(is))
                    .map(|(class, _)| class)
                    .collect()
            };
            builder.proposition(&*proposition.name, agree(true), agree(false));
        }
        builder.build().expect("a partition gives a consistent system")
    }

    /// How many states there are.
    pub fn state_count(&self) -> usize {
        self.may_rows.len() - 1
    }

    /// All states.
    pub fn states(&self) -> impl Iterator<Item = StateId> + use<> {
        (0..self.state_count() as u32).map(StateId::new)
    }

    /// The initial states, sorted.
    pub fn initial(&self) -> &[StateId] {
        &self.initial
    }

    /// Where a step from the state may lead, sorted.
    pub fn may(&self, state: StateId) -> &[StateId] {
        let row = state.index();
        &self.may[self.may_rows[row] as usize..self.may_rows[row + 1] as usize]
    }

    /// The hyper-transitions from the state: into each of these sets a step must lead.
    pub fn must(&self, state: StateId) -> impl Iterator<Item = &[StateId]> {
        let row = state.index();
        (self.must_rows[row] as usize..self.must_rows[row + 1] as usize)
            .map(|hyper| &self.must[self.targets[hyper] as usize..self.targets[hyper + 1] as usize])
    }

    /// Whether there is a must step into this state alone.
    pub fn is_must(&self, from: StateId, to: StateId) -> bool {
        self.must(from).any(|targets| targets == [to])
    }

    /// Number of may steps.
    pub fn may_count(&self) -> usize {
        self.may.len()
    }

    /// How many hyper-transitions there are; plain steps that must be there are among them.
    pub fn must_count(&self) -> usize {
        self.targets.len() - 1
    }

    /// The propositions.
    pub fn propositions(&self) -> &[ThreeValued] {
        &self.propositions
    }

    /// A builder with the parts of this system, for making a changed copy.
    pub fn to_builder(&self) -> KmtsBuilder {
        let mut builder = KmtsBuilder::new(self.state_count());
        builder.initial = self.initial.clone();
        for state in self.states() {
            builder.may.extend(self.may(state).iter().map(|&to| (state, to)));
            builder
                .must
                .extend(self.must(state).map(|to| (state, to.to_vec())));
        }
        let list = |set: &StateSet| set.ones().map(|state| StateId::new(state as u32)).collect();
        builder.propositions = self
            .propositions
            .iter()
            .map(|known| (known.name.clone(), list(&known.holds), list(&known.fails)))
            .collect();
        builder
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::KripkeBuilder;

    fn id(number: u32) -> StateId {
        StateId::new(number)
    }

    #[test]
    fn a_partition_gives_may_by_some_and_must_by_all() {
        // The traffic light: red, green, yellow; green and yellow are one.
        let mut builder = KripkeBuilder::new(3);
        builder.edges([(0, 1), (1, 2), (2, 0)]).initial(id(0));
        builder.proposition("red", [id(0)]);
        builder.proposition("green", [id(1)]);
        let light = builder.build().expect("a structure");
        let known = Kmts::of_partition(&light, &[0, 1, 1]);
        assert_eq!(known.may(id(0)), [id(1)]);
        assert_eq!(known.may(id(1)), [id(0), id(1)]);
        assert!(known.is_must(id(0), id(1)) && !known.is_must(id(1), id(0)) && !known.is_must(id(1), id(1)));
        let [red, green] = known.propositions() else {
            panic!("two propositions");
        };
        assert!(red.holds.contains(0) && red.fails.contains(1));
        assert!(green.fails.contains(0) && !green.holds.contains(1) && !green.fails.contains(1));
        let concrete = Kmts::of_kripke(&light);
        assert_eq!((concrete.may_count(), concrete.must_count()), (3, 3));
        assert_eq!(concrete.to_builder().build().as_ref(), Ok(&concrete));
    }

    #[test]
    fn what_contradicts_itself_is_refused() {
        let mut builder = KmtsBuilder::new(2);
        builder.may(id(0), id(1)).must(id(0), [id(0)]);
        assert_eq!(builder.build(), Err(KmtsError::MustWithoutMay { from: 0, to: 0 }));
        let mut builder = KmtsBuilder::new(1);
        builder.proposition("p", [id(0)], [id(0)]);
        assert!(matches!(builder.build(), Err(KmtsError::Contradiction { .. })));
        let mut builder = KmtsBuilder::new(1);
        builder.may(id(0), id(3));
        assert!(matches!(builder.build(), Err(KmtsError::UnknownState { .. })));
        let mut builder = KmtsBuilder::new(1);
        builder.must(id(0), []);
        assert!(matches!(builder.build(), Err(KmtsError::MustNowhere(0))));
    }

    #[test]
    fn implied_hyper_transitions_are_left_out() {
        let mut builder = KmtsBuilder::new(3);
        for to in [0, 1, 2] {
            builder.may(id(0), id(to));
        }
        builder.must(id(0), [id(2), id(1)]);
        builder.must(id(0), [id(0), id(1), id(2)]);
        builder.must(id(0), [id(0)]);
        let known = builder.build().expect("consistent");
        let hyper: Vec<Vec<StateId>> = known.must(id(0)).map(<[StateId]>::to_vec).collect();
        assert_eq!(hyper, [vec![id(0)], vec![id(1), id(2)]]);
    }
}
