//! Ranks as plain data: sets of states written out, what they share once.

use super::rules::Rules;
use crate::problem::SynthesisError;
use entail_dd::{Bdd, FunctionId, Var};
use entail_game::{EnvironmentLayer, Gr1Ranks, SystemLayer, WrittenSet, WrittenSets};
use rustc_hash::FxHashMap;

/// Ranks whose sets are diagrams.
pub(crate) enum Ranked<'f> {
    /// The states that the system wins, and the layers of each goal: an assumption, and states.
    System(&'f Bdd, &'f [Vec<(usize, Bdd)>]),
    /// The layers of the environment: a goal, the states, and for each assumption the states from which it is met in so many steps.
    Environment(Vec<(usize, Bdd, Vec<Vec<Bdd>>)>),
}

/// Writes sets.
pub(crate) struct Writer {
    /// The place of each variable's signal in the order.
    places: FxHashMap<Var, u32>,
    written: WrittenSets,
    known: FxHashMap<FunctionId, WrittenSet>,
}

impl Writer {
    /// From now on the order of variables stays as it is. Functions that are written must be kept by the caller.
    pub fn new(rules: &Rules) -> Writer {
        let manager = &rules.manager;
        manager.set_auto_reorder(None);
        let mut signals: Vec<&(String, Var)> = rules.signals.iter().collect();
        signals.sort_by_key(|(_, variable)| manager.level(*variable));
        Writer {
            places: signals
                .iter()
                .zip(0..)
                .map(|((_, variable), at)| (*variable, at))
                .collect(),
            written: WrittenSets {
                order: signals.into_iter().map(|(name, _)| name.clone()).collect(),
                nodes: Vec::new(),
            },
            known: FxHashMap::default(),
        }
    }

    /// The ranks as plain data.
    pub fn ranks(&mut self, ranked: &Ranked<'_>) -> Result<Gr1Ranks, SynthesisError> {
        Ok(match ranked {
            Ranked::System(wins, layers) => {
                let mut goals = Vec::with_capacity(layers.len());
                for of_goal in *layers {
                    let mut written = Vec::with_capacity(of_goal.len());
                    for (assumption, states) in of_goal {
                        written.push(SystemLayer {
                            assumption: *assumption as u32,
                            states: self.set(states)?,
                        });
                    }
                    goals.push(written);
                }
                Gr1Ranks::System {
                    wins: self.set(wins)?,
                    goals,
                }
            }
            Ranked::Environment(found) => {
                let mut layers = Vec::with_capacity(found.len());
                for (goal, states, hunts) in found {
                    let mut written = Vec::with_capacity(hunts.len());
                    for hunt in hunts {
                        let sets: Result<Vec<_>, _> = hunt.iter().map(|set| self.set(set)).collect();
                        written.push(sets?);
                    }
                    layers.push(EnvironmentLayer {
                        goal: *goal as u32,
                        states: self.set(states)?,
                        hunts: written,
                    });
                }
                Gr1Ranks::Environment { layers }
            }
        })
    }

    /// All that was written.
    pub fn finish(self) -> WrittenSets {
        self.written
    }

    fn set(&mut self, set: &Bdd) -> Result<WrittenSet, SynthesisError> {
        let Some((variable, low, high)) = set.top() else {
            return Ok(match set.is_true() {
                true => WrittenSet::ALL,
                false => WrittenSet::NONE,
            });
        };
        if let Some(&known) = self.known.get(&set.id()) {
            return Ok(known);
        }
        let place = *self
            .places
            .get(&variable)
            .ok_or(SynthesisError::TooLarge("a set of states depends on next values"))?;
        let [low, high] = [
            stacker::maybe_grow(64 << 10, 1 << 20, || self.set(&low))?,
            stacker::maybe_grow(64 << 10, 1 << 20, || self.set(&high))?,
        ];
        let number = u32::try_from(self.written.nodes.len() + 2)
            .map_err(|_| SynthesisError::TooLarge("the ranks have too many nodes"))?;
        self.written.nodes.push([place, low.0, high.0]);
        self.known.insert(set.id(), WrittenSet(number));
        Ok(WrittenSet(number))
    }
}
