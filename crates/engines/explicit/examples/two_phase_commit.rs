//! Two-phase commit (Gray and Lamport, *Consensus on transaction commit*, 2006) as a system in Rust: `cargo run --release --example two_phase_commit 5`.
//!
//! Resource managers decide together, led by a transaction manager, whether to commit. With three, four and five of them there are 288, 1,568 and 8,832 states.

use entail_explicit::{Checker, System};
use serde::{Deserialize, Serialize};

/// How far a resource manager is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) enum Manager {
    Working,
    Prepared,
    Committed,
    Aborted,
}

/// What the transaction manager has decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Decision {
    None,
    Commit,
    Abort,
}

/// Everything at once. Messages are never lost and never taken away.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct State {
    /// Of each resource manager: how far it is, whether it has said that it is prepared, whether that was heard.
    managers: Vec<(Manager, bool, bool)>,
    decision: Decision,
}

/// What can happen.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Action {
    HearPrepared(usize),
    DecideToCommit,
    DecideToAbort,
    Prepare(usize),
    ChooseToAbort(usize),
    HearCommit(usize),
    HearAbort(usize),
}

/// The protocol.
pub(crate) struct TwoPhaseCommit {
    managers: usize,
    /// Managers are interchangeable.
    symmetric: bool,
}

/// The protocol with so many resource managers; symmetric if they are taken to be interchangeable.
pub(crate) fn system(managers: usize, symmetric: bool) -> TwoPhaseCommit {
    TwoPhaseCommit { managers, symmetric }
}

impl System for TwoPhaseCommit {
    type State = State;
    type Action = Action;

    fn initial(&self) -> Vec<State> {
        vec![State {
            managers: vec![(Manager::Working, false, false); self.managers],
            decision: Decision::None,
        }]
    }

    fn actions(&self, _: &State) -> Vec<Action> {
        let each = (0..self.managers).flat_map(|number| {
            [
                Action::HearPrepared(number),
                Action::Prepare(number),
                Action::ChooseToAbort(number),
                Action::HearCommit(number),
                Action::HearAbort(number),
            ]
        });
        each.chain([Action::DecideToCommit, Action::DecideToAbort])
            .collect()
    }

    fn step(&self, state: &State, action: &Action) -> Option<State> {
        let mut next = state.clone();
        let undecided = state.decision == Decision::None;
        match *action {
            Action::HearPrepared(number) if undecided && state.managers[number].1 => {
                next.managers[number].2 = true;
            }
            Action::DecideToCommit if undecided && state.managers.iter().all(|manager| manager.2) => {
                next.decision = Decision::Commit;
            }
            Action::DecideToAbort if undecided => next.decision = Decision::Abort,
            Action::Prepare(number) if state.managers[number].0 == Manager::Working => {
                next.managers[number] = (Manager::Prepared, true, state.managers[number].2);
            }
            Action::ChooseToAbort(number) if state.managers[number].0 == Manager::Working => {
                next.managers[number].0 = Manager::Aborted;
            }
            Action::HearCommit(number) if state.decision == Decision::Commit => {
                next.managers[number].0 = Manager::Committed;
            }
            Action::HearAbort(number) if state.decision == Decision::Abort => {
                next.managers[number].0 = Manager::Aborted;
            }
            _ => return None,
        }
        Some(next)
    }

    fn representative(&self, state: &State) -> State {
        let mut sorted = state.clone();
        if self.symmetric {
            sorted.managers.sort_unstable();
        }
        sorted
    }
}

fn main() {
    let managers = std::env::args()
        .nth(1)
        .and_then(|number| number.parse().ok())
        .unwrap_or(5);
    for symmetric in [false, true] {
        let system = system(managers, symmetric);
        let is = |state: &State, wanted: Manager| state.managers.iter().any(|manager| manager.0 == wanted);
        let begun = std::time::Instant::now();
        let replies = Checker::new(&system)
            .always("consistent", |state| {
                !(is(state, Manager::Committed) && is(state, Manager::Aborted))
            })
            .sometimes("a commit", |state| {
                state
                    .managers
                    .iter()
                    .all(|manager| manager.0 == Manager::Committed)
            })
            .eventually("a decision", |state| state.decision != Decision::None)
            .check();
        println!(
            "{managers} managers, symmetric: {symmetric}, {:.3} s",
            begun.elapsed().as_secs_f64()
        );
        for reply in replies {
            let steps = reply.path.map_or(String::new(), |path| {
                format!(", a path of {} steps", path.steps.len())
            });
            println!(
                "  {:12} {:?}, {} states{steps}",
                reply.name, reply.holds, reply.states
            );
        }
    }
}
