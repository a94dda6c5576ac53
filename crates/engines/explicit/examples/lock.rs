//! Two threads and a lock that one of them forgets to look at.

use entail_explicit::{Checker, SearchOptions, System};
use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum At {
    Idle,
    Waiting,
    Inside,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct State {
    threads: [At; 2],
    locked: bool,
}

#[derive(Clone, Debug)]
enum Action {
    Ask(usize),
    Enter(usize),
    Leave(usize),
}

struct Lock {
    /// The second thread looks at the lock before it enters.
    is_right: bool,
}

impl System for Lock {
    type State = State;
    type Action = Action;

    fn initial(&self) -> Vec<State> {
        vec![State {
            threads: [At::Idle; 2],
            locked: false,
        }]
    }

    fn actions(&self, state: &State) -> Vec<Action> {
        let action = |thread: usize| match state.threads[thread] {
            At::Idle => Action::Ask(thread),
            At::Waiting => Action::Enter(thread),
            At::Inside => Action::Leave(thread),
        };
        vec![action(0), action(1)]
    }

    fn step(&self, state: &State, action: &Action) -> Option<State> {
        let mut next = state.clone();
        match *action {
            Action::Ask(thread) => next.threads[thread] = At::Waiting,
            Action::Enter(thread) => {
                let looks = thread == 0 || self.is_right;
                if looks && state.locked {
                    return None;
                }
                next.threads[thread] = At::Inside;
                next.locked = true;
            }
            Action::Leave(thread) => {
                next.threads[thread] = At::Idle;
                next.locked = false;
            }
        }
        Some(next)
    }
}

fn main() {
    let is_alone = |state: &State| state.threads != [At::Inside; 2];
    let right = Lock { is_right: true };
    Checker::new(&right)
        .always("one at a time", is_alone)
        .sometimes("the second gets in", |state| state.threads[1] == At::Inside)
        .no_dead_ends("goes on")
        .searching(SearchOptions {
            threads: 2,
            ..SearchOptions::default()
        })
        .assert_properties();

    let wrong = Lock { is_right: false };
    let replies = Checker::new(&wrong).always("one at a time", is_alone).check();
    assert_eq!(replies[0].holds, Some(false));
    if let Some(path) = &replies[0].path {
        println!("{path}");
    }
}
