//! Paths through a system written in Rust, made by doing what leads from one state to the next.

use super::System;
use std::fmt::{Debug, Display, Formatter};

/// A way through a system: where it begins, what is done and where that leads; and where it goes on after the last step, if it is infinite.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Path<State, Action> {
    /// Where it begins.
    pub initial: State,
    /// What is done, and the state after it.
    pub steps: Vec<(Action, State)>,
    /// The path returns to the state before this step; if it is the number of steps, the last state is repeated for ever.
    pub loop_start: Option<usize>,
}

impl<State, Action> Path<State, Action> {
    /// The state before a step; the last state for the number of steps.
    pub fn state(&self, position: usize) -> &State {
        match position {
            0 => &self.initial,
            position => &self.steps[position - 1].1,
        }
    }
}

/// A line for each state, with what is done between them; where an infinite path goes on, last.
impl<State: Debug, Action: Debug> Display for Path<State, Action> {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:>4}  {:?}", 0, self.initial)?;
        for (position, (action, state)) in self.steps.iter().enumerate() {
            write!(f, "\n      {action:?}\n{:>4}  {state:?}", position + 1)?;
        }
        match self.loop_start {
            Some(start) if start == self.steps.len() => write!(f, "\n      for ever"),
            Some(start) => write!(f, "\n      and again from {start}"),
            None => Ok(()),
        }
    }
}

/// The path of a system.
pub type PathOf<S> = Path<<S as System>::State, <S as System>::Action>;

/// A path along representatives; nothing if there is none, which would be an error here or in the system.
pub fn along<S: System>(system: &S, way: &[S::State]) -> Option<PathOf<S>> {
    let (wanted, rest) = way.split_first()?;
    let mut initial = system.initial().into_iter();
    let initial = initial.find(|state| system.representative(state) == *wanted)?;
    let mut path = Path {
        initial,
        steps: Vec::new(),
        loop_start: None,
    };
    for next in rest {
        go(system, &mut path, next)?;
    }
    Some(path)
}

/// Goes on to a state with this representative. One in which nothing can be done is repeated without a step.
pub fn go<S: System>(system: &S, path: &mut PathOf<S>, wanted: &S::State) -> Option<()> {
    let state = path.state(path.steps.len());
    let actions = system.actions(state);
    let is_stuck = actions.iter().all(|action| system.step(state, action).is_none());
    if is_stuck && system.representative(state) == *wanted {
        return Some(());
    }
    let step = actions.into_iter().find_map(|action| {
        let after = system.step(state, &action)?;
        (system.representative(&after) == *wanted).then_some((action, after))
    })?;
    path.steps.push(step);
    Some(())
}
