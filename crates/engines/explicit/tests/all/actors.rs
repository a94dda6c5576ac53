//! Systems of actors: what networks, timers and crashes can do; the examples with all their states counted in the plainest way; linearizability against all orders.

use entail_explicit::{
    Actor, ActorAction, ActorSystem, Checker, Effects, Id, Network, Register, RegisterOperation,
    SharedObject, System, Trial,
};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use std::collections::BTreeSet;

#[path = "../../examples/cache.rs"]
#[allow(dead_code, reason = "the example has a program of its own")]
mod cache;
#[path = "../../examples/linearizable_register.rs"]
#[allow(dead_code, reason = "the example has a program of its own")]
mod linearizable_register;
#[path = "../../examples/paxos.rs"]
#[allow(dead_code, reason = "the example has a program of its own")]
mod paxos;
#[path = "../../examples/raft_election.rs"]
#[allow(dead_code, reason = "the example has a program of its own")]
mod raft_election;

/// All states, found in the plainest way; nothing if there are more than so many.
fn all_states<S: System>(system: &S, most: usize) -> Option<BTreeSet<S::State>>
where
    S::State: Ord,
{
    let mut seen: BTreeSet<S::State> = system.initial().into_iter().collect();
    let mut pending: Vec<S::State> = seen.iter().cloned().collect();
    while let Some(state) = pending.pop() {
        for action in system.actions(&state) {
            let next = system.step(&state, &action);
            pending.extend(next.filter(|next| seen.insert(next.clone())));
        }
        if seen.len() > most {
            return None;
        }
    }
    Some(seen)
}

/// The first actor sends 1, 2 and 3 to the second, which writes down what arrives, at most so much.
struct Counting {
    most: usize,
}

impl Actor for Counting {
    type Message = u8;
    type State = Vec<u8>;
    type Timer = ();

    fn start(&self, me: Id, effects: &mut Effects<Self>) -> Vec<u8> {
        if me == Id(0) {
            (1..=3).for_each(|number| effects.send(Id(1), number));
        }
        Vec::new()
    }

    fn receive(&self, _: Id, heard: &mut Vec<u8>, _: Id, message: &u8, _: &mut Effects<Self>) {
        if heard.len() < self.most {
            heard.push(*message);
        }
    }
}

/// What the second actor may have heard when no message is left, or, where messages stay, when it has heard enough.
fn heard_on(network: Network, most: usize) -> BTreeSet<Vec<u8>> {
    let system = ActorSystem::new(vec![Counting { most }, Counting { most }]).on(network);
    let states = all_states(&system, 100_000).expect("there are few states");
    let ends = states
        .into_iter()
        .filter(|state| state.network.messages().is_empty() || state.actors[1].len() == most);
    ends.map(|state| state.actors[1].clone()).collect()
}

fn subsequences() -> BTreeSet<Vec<u8>> {
    let chosen = |set: u8| (1..=3).filter(|number| set >> number & 1 == 1).collect();
    (0..16u8).step_by(2).map(chosen).collect()
}

#[test]
fn networks_do_what_their_names_say() {
    assert_eq!(heard_on(Network::Ordered, 9), BTreeSet::from([vec![1, 2, 3]]));
    assert_eq!(heard_on(Network::Unordered, 9).len(), 6);
    assert_eq!(heard_on(Network::Ordered.lossy(), 9), subsequences());
    let sizes = heard_on(Network::Unordered.lossy(), 9);
    // All orders of all subsets: 1 + 3 + 6 + 6.
    assert_eq!(sizes.len(), 16);
    // Again and again, but in order.
    let repeated = heard_on(Network::Ordered.duplicating(), 4);
    assert!(repeated.iter().all(|heard| heard.is_sorted() && heard.len() <= 4));
    assert!(repeated.contains(&vec![1, 1, 2, 3]) && repeated.contains(&vec![1, 1, 1, 1]));
    assert!(!repeated.contains(&vec![1, 3, 3, 3]));
    let anything = heard_on(Network::Unordered.duplicating(), 4);
    assert_eq!(anything.len(), 81);
    assert!(heard_on(Network::Ordered.lossy().duplicating(), 4).contains(&vec![1, 3, 3, 3]));
}

/// Counts how often its timer has run out, and remembers that it has been down.
struct Ticking;

impl Actor for Ticking {
    type Message = ();
    type State = (u8, bool);
    type Timer = char;

    fn start(&self, _: Id, effects: &mut Effects<Self>) -> (u8, bool) {
        effects.set_timer('a');
        effects.set_timer('b');
        effects.cancel_timer('b');
        (0, false)
    }

    fn receive(&self, _: Id, _: &mut (u8, bool), _: Id, _: &(), _: &mut Effects<Self>) {}

    fn timeout(&self, _: Id, state: &mut (u8, bool), timer: &char, effects: &mut Effects<Self>) {
        assert_eq!(*timer, 'a', "the other was cancelled");
        state.0 += 1;
        if state.0 < 3 {
            effects.set_timer('a');
        }
    }

    fn restart(&self, _: Id, before: &(u8, bool), _: &mut Effects<Self>) -> (u8, bool) {
        (before.0, true)
    }
}

#[test]
fn timers_run_out_and_crashes_take_them_away() {
    let steady = ActorSystem::new(vec![Ticking]);
    assert_eq!(all_states(&steady, 100).map(|states| states.len()), Some(4));
    let replies = Checker::new(&steady)
        .eventually("three", |state| state.actors[0].0 == 3)
        .check();
    assert_eq!(replies[0].holds, Some(true));
    // Down after 0, 1, 2 or 3 ticks, for ever.
    let mortal = ActorSystem::new(vec![Ticking]).with_crashes(1);
    assert_eq!(all_states(&mortal, 100).map(|states| states.len()), Some(8));
    // And back again, without the timer.
    let back = ActorSystem::new(vec![Ticking]).with_restarts(1);
    assert_eq!(all_states(&back, 100).map(|states| states.len()), Some(12));
    let replies = Checker::new(&back)
        .sometimes("back", |state| state.actors[0] == (2, true))
        .always("at most three", |state| state.actors[0].0 <= 3)
        .check();
    let path = replies[0].path.as_ref().expect("there is a way");
    let last: Vec<_> = path.steps.iter().map(|(action, _)| action.clone()).collect();
    assert_eq!(
        last[2..],
        [ActorAction::Crash(Id(0)), ActorAction::Restart(Id(0))]
    );
    assert_eq!(replies[1].holds, Some(true));
}

/// Whether a checker counts the states that there are, and they all are right.
fn agrees_with_naive<S: System>(system: &S, most: usize, is_right: impl Fn(&S::State) -> bool + Sync)
where
    S::State: Ord,
{
    let states = all_states(system, most).expect("there are not too many states");
    assert!(states.iter().all(&is_right));
    let replies = Checker::new(system).always("right", &is_right).check();
    assert_eq!(replies[0].holds, Some(true));
    assert_eq!(replies[0].states, states.len() as u64);
}

#[test]
fn caches_are_coherent_where_messages_stay_in_order() {
    agrees_with_naive(&cache::system(2, Network::Ordered), 20_000, cache::is_coherent);
    let unordered = cache::system(2, Network::Unordered);
    let replies = Checker::new(&unordered)
        .always("coherent", cache::is_coherent)
        .check();
    assert_eq!(replies[0].holds, Some(false));
    let replies = Checker::new(&cache::system(2, Network::Ordered))
        .no_dead_ends("goes on")
        .check();
    assert_eq!(replies[0].holds, Some(true));
}

#[test]
fn paxos_decides_one_value_if_proposers_look() {
    let careless = paxos::system(false);
    let replies = Checker::new(&careless).always("one value", paxos::agrees).check();
    assert_eq!(replies[0].holds, Some(false));
    let careful = paxos::system(true).on(Network::Ordered);
    let replies = Checker::new(&careful)
        .always("one value", paxos::agrees)
        .sometimes("a decision", |state| !paxos::decided(state).is_empty())
        .check();
    assert!(replies.iter().all(|reply| reply.holds == Some(true)));
}

#[test]
fn one_leader_is_elected_in_a_term_if_votes_are_written_down() {
    let right = raft_election::system(true, 0, 1);
    agrees_with_naive(&right, 200_000, raft_election::one_leader_a_term);
    let forgetful = raft_election::system(false, 1, 1);
    let replies = Checker::new(&forgetful)
        .always("one leader", raft_election::one_leader_a_term)
        .check();
    assert_eq!(replies[0].holds, Some(false));
}

#[test]
fn a_register_is_linearizable_if_readers_write_back() {
    let careless = linearizable_register::system(false, 5);
    let replies = Checker::new(&careless)
        .always("linearizable", linearizable_register::is_linearizable)
        .check();
    assert_eq!(replies[0].holds, Some(false));
    let path = replies[0].path.as_ref().expect("a failure has a path");
    let seen = &path.state(path.steps.len()).history;
    assert!(!seen.is_linearizable() && !seen.is_sequentially_consistent());
    let careful = linearizable_register::system(true, 5);
    let replies = Checker::new(&careful)
        .always("linearizable", linearizable_register::is_linearizable)
        .sometimes("all is done", |state| state.history.len() == 3)
        .check();
    assert!(replies.iter().all(|reply| reply.holds == Some(true)));
}

/// An operation with the times of its call and its answer.
type Timed = (u8, RegisterOperation<u8>, usize, Option<(usize, Option<u8>)>);

/// Whether some order of all answered operations and some open ones explains them: every order is tried.
fn explained_by_some_order(operations: &[Timed], in_real_time: bool) -> bool {
    fn go(left: &[Timed], register: &Register<u8>, in_real_time: bool) -> bool {
        if left.iter().all(|operation| operation.3.is_none()) {
            return true;
        }
        (0..left.len()).any(|first| {
            let (client, operation, called, answer) = &left[first];
            let blocked = left.iter().enumerate().any(|(other, (who, _, at, end))| {
                let is_before = match in_real_time {
                    true => end.is_some_and(|(end, _)| end < *called),
                    false => false,
                };
                other != first && (is_before || who == client && at < called)
            });
            let mut register = register.clone();
            let given = register.perform(operation);
            let fits = answer.as_ref().is_none_or(|(_, answer)| *answer == given);
            let mut rest = left.to_vec();
            rest.remove(first);
            !blocked && fits && go(&rest, &register, in_real_time)
        })
    }
    go(operations, &Register(0), in_real_time)
}

#[test]
fn histories_are_judged_as_by_trying_every_order() {
    let mut dice = StdRng::seed_from_u64(11);
    let (mut linearizable, mut consistent, mut neither) = (0, 0, 0);
    for _ in 0..3_000 {
        let mut trial = Trial::new(Register(0u8));
        let mut operations: Vec<Timed> = Vec::new();
        for time in 0..dice.random_range(2..12usize) {
            let client = dice.random_range(0..3u8);
            let open = operations
                .iter_mut()
                .find(|(who, _, _, end)| *who == client && end.is_none());
            match open {
                Some(operation) => {
                    let answer = match operation.1 {
                        RegisterOperation::Read => Some(dice.random_range(0..3)),
                        RegisterOperation::Write(_) => None,
                    };
                    operation.3 = Some((time, answer));
                    trial.answered(client, answer);
                }
                None => {
                    let operation = match dice.random_bool(0.5) {
                        true => RegisterOperation::Read,
                        false => RegisterOperation::Write(dice.random_range(1..3)),
                    };
                    operations.push((client, operation.clone(), time, None));
                    trial.called(client, operation.clone());
                }
            }
        }
        let expected = explained_by_some_order(&operations, true);
        assert_eq!(trial.is_linearizable(), expected, "{operations:?}");
        let weaker = explained_by_some_order(&operations, false);
        assert_eq!(trial.is_sequentially_consistent(), weaker, "{operations:?}");
        linearizable += u32::from(expected);
        consistent += u32::from(weaker && !expected);
        neither += u32::from(!weaker);
    }
    assert!(
        linearizable > 200 && consistent > 20 && neither > 200,
        "{linearizable} {consistent} {neither}"
    );
    // A client that is answered without a call, or calls twice, cannot be explained.
    let mut confused = Trial::new(Register(0u8));
    confused.answered(0, None);
    assert!(!confused.is_linearizable());
}
