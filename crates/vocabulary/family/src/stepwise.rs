//! Kinds of systems that are given by a step function, and what they get for it.
//!
//! A kind whose states are computed one after the other implements [`Stepwise`]: which states it begins in, and which steps a state has.
//! Timelines, walks, the replay of runs and the labelled transition system come from that alone. A state is plain data that serialises to
//! a JSON object; its keys are the columns of timelines, and a [`StateTrace`] of such states has the shape that `entail view`,
//! `simulate --from` and `docs/report.schema.json` know. Kinds with large state spaces bring their own, faster forms.

use crate::{Structure, StructureError, Walk};
use entail_budget::Budget;
use entail_model::{LtsBuilder, StateId};
use entail_show::{Cell, Column, ColumnKind, ColumnRole, Move, Shown, Timeline};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};
use std::collections::{HashMap, HashSet};
use std::hash::Hash;

/// A system that is given by its initial states and the steps of every state.
pub trait Stepwise {
    /// A state; as JSON it is an object, with an entry for each thing that people see.
    type State: Clone + Eq + Hash + Serialize + DeserializeOwned;

    /// The initial states, each once.
    fn initial(&self) -> Vec<Self::State>;

    /// The steps of a state, always in the same order: what is done, and the state that it leads to.
    fn steps(&self, state: &Self::State) -> Vec<(String, Self::State)>;

    /// Whether the states are a run: the first is initial, and a step leads from each to the next. An error says where it is not one.
    fn replay(&self, states: &[Self::State]) -> Result<(), String> {
        match states.first() {
            None => return Err("a run has at least one state".to_owned()),
            Some(first) if !self.initial().contains(first) => {
                return Err("the first state is not initial".to_owned());
            }
            Some(_) => {}
        }
        for (number, pair) in states.windows(2).enumerate() {
            if !self.steps(&pair[0]).iter().any(|(_, to)| *to == pair[1]) {
                return Err(format!("no step leads from state {number} to the next"));
            }
        }
        Ok(())
    }

    /// Whether all runs stay among these states: the initial ones are there, and no step leads out. An error says where one does.
    fn contains_all_runs(&self, states: &[Self::State]) -> Result<(), String> {
        let set: HashSet<&Self::State> = states.iter().collect();
        if !self.initial().iter().all(|first| set.contains(first)) {
            return Err("an initial state is not in the set".to_owned());
        }
        for state in states {
            if let Some((action, _)) = self.steps(state).iter().find(|(_, to)| !set.contains(to)) {
                return Err(format!("`{action}` leads out of the set, from {}", json!(state)));
            }
        }
        Ok(())
    }

    /// A run as people see it: a column for each entry of the states, and between them what is done.
    fn timeline(&self, states: &[Self::State]) -> Timeline {
        let done = |pair: &[Self::State]| {
            let steps = self.steps(&pair[0]);
            let step = steps.into_iter().find(|(_, to)| *to == pair[1]);
            Move {
                text: step.map(|(text, _)| text).unwrap_or_default(),
                ..Move::default()
            }
        };
        Timeline {
            columns: columns(states),
            positions: states.len(),
            moves: states.windows(2).map(done).collect(),
            ..Timeline::default()
        }
    }

    /// The reachable states as a labelled transition system: `most` of them at most.
    fn reachable(&self, most: usize, budget: &Budget) -> Result<Structure, StructureError> {
        let mut states = self.initial();
        let mut number: HashMap<Self::State, usize> = states.iter().cloned().zip(0..).collect();
        let mut steps = Vec::new();
        let mut at = 0;
        while at < states.len() {
            budget.check()?;
            for (action, to) in self.steps(&states[at]) {
                let target = *number.entry(to.clone()).or_insert_with(|| {
                    states.push(to);
                    states.len() - 1
                });
                steps.push((at, action, target));
            }
            if states.len() > most {
                return Err(StructureError::NotExplored(format!("there are more than {most}")));
            }
            at += 1;
        }
        let id = |state: usize| StateId::new(u32::try_from(state).unwrap_or(u32::MAX));
        let mut builder = LtsBuilder::new(states.len() as u64);
        for state in 0..self.initial().len() {
            builder.initial(id(state));
        }
        for (from, action, to) in steps {
            let action = builder.action(&action);
            builder.transition(id(from), action, id(to));
        }
        Ok(Structure {
            lts: builder.build()?,
            notes: Vec::new(),
        })
    }
}

/// A trace as evidence and saved walks hold it: states as JSON objects.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StateTrace<S> {
    /// After the last state the trace goes on here, for ever.
    pub loop_start: Option<usize>,
    /// The states.
    pub steps: Vec<S>,
}

impl<S> StateTrace<S> {
    /// A trace that ends.
    pub fn finite(steps: Vec<S>) -> StateTrace<S> {
        StateTrace {
            loop_start: None,
            steps,
        }
    }
}

/// A column for each entry of the states, in the order in which they first occur.
fn columns<S: Serialize>(states: &[S]) -> Vec<Column> {
    let mut columns: Vec<Column> = Vec::new();
    for (position, state) in states.iter().enumerate() {
        let Ok(Json::Object(entries)) = serde_json::to_value(state) else {
            continue;
        };
        for (name, value) in entries {
            let (kind, text) = match &value {
                Json::Bool(true) => (ColumnKind::Boolean, "TRUE".to_owned()),
                Json::Bool(false) => (ColumnKind::Boolean, "FALSE".to_owned()),
                Json::String(text) => (ColumnKind::Text, text.clone()),
                Json::Number(number) => (ColumnKind::Integer, number.to_string()),
                other => (ColumnKind::Text, other.to_string()),
            };
            let known = columns.iter().position(|column| column.name == name);
            let column = known.unwrap_or_else(|| {
                columns.push(Column::new(name, ColumnRole::State, kind));
                columns.len() - 1
            });
            columns[column].record(position, Some(Cell::text(text)));
        }
    }
    columns
}

/// A walk through a system with a step function.
pub struct StepWalk<'m, M: Stepwise> {
    system: &'m M,
    states: Vec<M::State>,
    /// Where the choices that were listed last lead.
    offered: Vec<M::State>,
}

impl<'m, M: Stepwise> StepWalk<'m, M> {
    /// A walk that has not begun.
    pub fn new(system: &'m M) -> StepWalk<'m, M> {
        StepWalk {
            system,
            states: Vec::new(),
            offered: Vec::new(),
        }
    }
}

impl<M: Stepwise> Walk for StepWalk<'_, M> {
    fn choices(&mut self, most: usize, _budget: &Budget) -> Vec<String> {
        let described = |state: M::State| {
            let shown = json!(state).to_string();
            (format!("begin with {shown}"), state)
        };
        let steps = match self.states.last() {
            None => self.system.initial().into_iter().map(described).collect(),
            Some(here) => self.system.steps(here),
        };
        let (texts, offered): (Vec<String>, _) = steps.into_iter().take(most).unzip();
        self.offered = offered;
        texts
    }

    fn take(&mut self, choice: usize) {
        self.states.extend(self.offered.get(choice).cloned());
    }

    fn back(&mut self, steps: usize) {
        let kept = self.states.len().saturating_sub(steps).max(1);
        self.states.truncate(kept);
    }

    fn steps(&self) -> usize {
        self.states.len().saturating_sub(1)
    }

    fn shown(&self) -> Shown {
        self.system.timeline(&self.states).into()
    }

    fn to_json(&self) -> Json {
        json!({"trace": StateTrace::finite(self.states.clone())})
    }

    /// Reads saved walks and saved evidence.
    fn resume(&mut self, document: &Json) -> Result<(), String> {
        let places = [&document["trace"], &document["evidence"]["trace"]];
        let trace = places.into_iter().find(|place| place.is_object());
        let trace = trace.ok_or("the file has no trace")?;
        let trace: StateTrace<M::State> =
            serde_json::from_value(trace.clone()).map_err(|error| format!("`trace`: {error}"))?;
        self.system.replay(&trace.steps)?;
        self.states = trace.steps;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;
    use rand::rngs::StdRng;

    /// Counts to three and begins again.
    struct Clock;

    #[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
    struct Hand {
        at: u8,
    }

    impl Stepwise for Clock {
        type State = Hand;

        fn initial(&self) -> Vec<Hand> {
            vec![Hand { at: 0 }]
        }

        fn steps(&self, state: &Hand) -> Vec<(String, Hand)> {
            let at = (state.at + 1) % 4;
            vec![
                ("tick".to_owned(), Hand { at }),
                ("wait".to_owned(), state.clone()),
            ]
        }
    }

    fn run(hands: &[u8]) -> Vec<Hand> {
        hands.iter().map(|&at| Hand { at }).collect()
    }

    #[test]
    fn a_run_is_replayed_and_anything_else_is_refused() {
        assert_eq!(Clock.replay(&run(&[0, 1, 1, 2, 3, 0])), Ok(()));
        for wrong in [&[][..], &[1, 2], &[0, 1, 3]] {
            assert!(Clock.replay(&run(wrong)).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn a_set_that_a_step_leaves_or_that_lacks_the_start_does_not_contain_all_runs() {
        assert_eq!(Clock.contains_all_runs(&run(&[2, 0, 3, 1])), Ok(()));
        for wrong in [&[][..], &[0, 1, 2], &[1, 2, 3]] {
            assert!(Clock.contains_all_runs(&run(wrong)).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn a_timeline_has_a_column_for_each_entry_and_says_what_is_done() {
        let timeline = Clock.timeline(&run(&[0, 1, 1]));
        assert_eq!(timeline.columns[0].name, "at");
        assert_eq!(timeline.columns[0].kind, ColumnKind::Integer);
        assert_eq!(timeline.columns[0].value(2), Some("1"));
        let done: Vec<&str> = timeline.moves.iter().map(|one| one.text.as_str()).collect();
        assert_eq!(done, ["tick", "wait"]);
    }

    #[test]
    fn the_reachable_states_are_a_system_unless_there_are_too_many() {
        let structure = Clock.reachable(4, &Budget::unlimited()).expect("four states");
        assert_eq!(structure.lts.state_count(), 4);
        assert_eq!(structure.lts.transition_count(), 8);
        assert!(matches!(
            Clock.reachable(3, &Budget::unlimited()),
            Err(StructureError::NotExplored(_))
        ));
    }

    #[test]
    fn a_saved_walk_is_resumed_where_it_ended_and_a_false_one_is_not() {
        let budget = Budget::unlimited();
        let mut random = StdRng::seed_from_u64(1);
        let mut walk = StepWalk::new(&Clock);
        for _ in 0..10 {
            assert!(walk.take_at_random(&mut random, &budget));
        }
        assert_eq!(Walk::steps(&walk), 9);
        walk.back(3);
        let mut second = StepWalk::new(&Clock);
        second.resume(&walk.to_json()).expect("it is a walk of the clock");
        assert_eq!(second.states, walk.states);
        let wrong = json!({"trace": {"loop_start": null, "steps": [{"at": 0}, {"at": 2}]}});
        assert!(second.resume(&wrong).is_err());
        assert!(second.resume(&json!({})).is_err());
        assert_eq!(second.states, walk.states);
    }
}
