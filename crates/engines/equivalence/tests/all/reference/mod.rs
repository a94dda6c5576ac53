//! The relations by their definitions, on all pairs of states; and random systems.
use entail_evidence::equivalence::{Relation, RelationQuery};
use entail_model::{ActionId, Lts, LtsBuilder, StateId, TAU};
use rand::Rng;
use rand::rngs::StdRng;
use std::collections::BTreeSet;
use std::sync::Arc;

/// How random systems look.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    pub states: u32,
    pub transitions: u32,
    /// Beside the hidden one.
    pub actions: u32,
    pub hidden: bool,
    pub propositions: u32,
    pub initial: u32,
}

pub fn random_lts(random: &mut StdRng, shape: Shape) -> Lts {
    let mut builder = LtsBuilder::new(shape.states.into());
    for _ in 0..shape.transitions {
        let action = random.random_range(u32::from(!shape.hidden)..=shape.actions);
        let name = match action {
            0 => "tau".to_owned(),
            more => char::from(b'a' + (more - 1) as u8).to_string(),
        };
        let action = builder.action(&name);
        let from = StateId::new(random.random_range(0..shape.states));
        let to = StateId::new(random.random_range(0..shape.states));
        builder.transition(from, action, to);
    }
    if shape.propositions > 0 {
        for state in 0..shape.states {
            let here = (0..shape.propositions).filter(|_| random.random_range(0..3) == 0);
            let here: Vec<Arc<str>> = here.map(|p| Arc::from(format!("p{p}"))).collect();
            let colour = builder.colour(here);
            builder.paint(StateId::new(state), colour);
        }
    }
    for _ in 0..shape.initial {
        builder.initial(StateId::new(random.random_range(0..shape.states)));
    }
    builder.build().unwrap()
}

/// A shape for small systems that are related now and then.
pub fn random_shape(random: &mut StdRng) -> Shape {
    let states = random.random_range(1..7);
    Shape {
        states,
        transitions: random.random_range(0..2 * states + 2),
        actions: random.random_range(0..3),
        hidden: true,
        propositions: random.random_range(0..2),
        initial: if random.random_range(0..4) == 0 { 2 } else { 1 },
    }
}

/// The answer by the definition of the relation.
pub fn related(first: &Lts, second: &Lts, question: RelationQuery) -> bool {
    let both = first.beside(second).unwrap();
    let offset = first.state_count() as u32;
    let left = first.initial().to_vec();
    let right: Vec<StateId> = (second.initial().iter())
        .map(|state| StateId::new(state.index() as u32 + offset))
        .collect();
    let weak = question.relation == Relation::WeakTrace;
    if let Relation::Trace | Relation::WeakTrace = question.relation {
        return traces_included(&both, weak, &left, &right)
            && (!question.both_ways || traces_included(&both, weak, &right, &left));
    }
    let relation = pairs(&both, question.relation);
    let n = both.state_count();
    let met = |these: &[StateId], those: &[StateId]| {
        (these.iter()).all(|s| those.iter().any(|t| relation[s.index() * n + t.index()]))
    };
    met(&left, &right) && (!question.both_ways || met(&right, &left))
}

/// The greatest relation that its definition allows, on all pairs.
pub fn pairs(lts: &Lts, relation: Relation) -> Vec<bool> {
    let n = lts.state_count();
    let mut holds = vec![true; n * n];
    for s in lts.states() {
        for t in lts.states() {
            holds[s.index() * n + t.index()] = lts.propositions(s) == lts.propositions(t);
        }
    }
    loop {
        let mut next = holds.clone();
        for s in lts.states() {
            for t in lts.states() {
                let at = s.index() * n + t.index();
                let ok = match relation {
                    Relation::Simulation => transfer_strong(lts, &holds, s, t),
                    Relation::ReadySimulation => transfer_strong(lts, &holds, s, t) && can_no_more(lts, s, t),
                    Relation::Strong => {
                        transfer_strong(lts, &holds, s, t) && transfer_strong(lts, &holds, t, s)
                    }
                    Relation::Branching => {
                        transfer_branching(lts, &holds, s, t) && transfer_branching(lts, &holds, t, s)
                    }
                    Relation::DivergenceBranching => {
                        transfer_branching(lts, &holds, s, t)
                            && transfer_branching(lts, &holds, t, s)
                            && diverges_within(lts, &holds, s, t) == diverges_within(lts, &holds, t, s)
                    }
                    Relation::Weak => transfer_weak(lts, &holds, s, t) && transfer_weak(lts, &holds, t, s),
                    _ => unreachable!("not a relation on states"),
                };
                next[at] = holds[at] && ok;
            }
        }
        if next == holds {
            return holds;
        }
        holds = next;
    }
}

fn at(lts: &Lts, holds: &[bool], s: StateId, t: StateId) -> bool {
    holds[s.index() * lts.state_count() + t.index()]
}

fn transfer_strong(lts: &Lts, holds: &[bool], s: StateId, t: StateId) -> bool {
    lts.steps(s).all(|(action, target)| {
        (lts.successors(t, action).iter()).any(|&answer| at(lts, holds, target, answer))
    })
}

fn can_no_more(lts: &Lts, s: StateId, t: StateId) -> bool {
    lts.steps(t)
        .all(|(action, _)| !lts.successors(s, action).is_empty())
}

pub fn hidden_closure(lts: &Lts, from: impl IntoIterator<Item = StateId>) -> BTreeSet<StateId> {
    let mut all: BTreeSet<StateId> = from.into_iter().collect();
    let mut pending: Vec<StateId> = all.iter().copied().collect();
    while let Some(state) = pending.pop() {
        pending.extend(lts.successors(state, TAU).iter().filter(|&&to| all.insert(to)));
    }
    all
}

fn transfer_branching(lts: &Lts, holds: &[bool], s: StateId, t: StateId) -> bool {
    lts.steps(s).all(|(action, target)| {
        (action == TAU && at(lts, holds, target, t))
            || hidden_closure(lts, [t]).iter().any(|&before| {
                at(lts, holds, s, before)
                    && (lts.successors(before, action).iter()).any(|&after| at(lts, holds, target, after))
            })
    })
}

/// Whether hidden steps go on for ever from `s` through states related to `t`.
fn diverges_within(lts: &Lts, holds: &[bool], s: StateId, t: StateId) -> bool {
    let mut within: BTreeSet<StateId> = lts.states().filter(|&x| at(lts, holds, x, t)).collect();
    loop {
        let size = within.len();
        let now = within.clone();
        within.retain(|&x| lts.successors(x, TAU).iter().any(|to| now.contains(to)));
        if within.len() == size {
            return within.contains(&s);
        }
    }
}

fn unseen_closure(lts: &Lts, from: impl IntoIterator<Item = StateId>) -> BTreeSet<StateId> {
    let mut all: BTreeSet<StateId> = from.into_iter().collect();
    let mut pending: Vec<StateId> = all.iter().copied().collect();
    while let Some(state) = pending.pop() {
        for &to in lts.successors(state, TAU) {
            if lts.propositions(to) == lts.propositions(state) && all.insert(to) {
                pending.push(to);
            }
        }
    }
    all
}

/// Hidden steps that change the propositions are steps to be matched.
fn transfer_weak(lts: &Lts, holds: &[bool], s: StateId, t: StateId) -> bool {
    lts.steps(s).all(|(action, target)| {
        let before = unseen_closure(lts, [t]);
        let steps = before
            .iter()
            .flat_map(|&state| lts.successors(state, action).iter().copied());
        let mut answers = unseen_closure(lts, steps);
        if action == TAU {
            answers.extend(before);
        }
        answers.iter().any(|&answer| at(lts, holds, target, answer))
    })
}

/// What is seen of a step: nothing, or the action and the look of the target.
fn seen(lts: &Lts, weak: bool, from: StateId, action: ActionId, to: StateId) -> Option<(ActionId, usize)> {
    let unseen = weak && action == TAU && lts.colour(from) == lts.colour(to);
    (!unseen).then_some((action, lts.colour(to).index()))
}

fn traces_included(lts: &Lts, weak: bool, left: &[StateId], right: &[StateId]) -> bool {
    type Set = BTreeSet<StateId>;
    let close = |set: Set| {
        let mut all = set.clone();
        let mut pending: Vec<StateId> = set.into_iter().collect();
        while let Some(state) = pending.pop() {
            for &to in lts.successors(state, TAU) {
                if seen(lts, weak, state, TAU, to).is_none() && all.insert(to) {
                    pending.push(to);
                }
            }
        }
        all
    };
    let colours: BTreeSet<usize> = left.iter().map(|&s| lts.colour(s).index()).collect();
    let with = |states: &[StateId], colour: usize| -> Set {
        close(
            states
                .iter()
                .copied()
                .filter(|&s| lts.colour(s).index() == colour)
                .collect(),
        )
    };
    let mut known: BTreeSet<(Set, Set)> = BTreeSet::new();
    let mut pending: Vec<(Set, Set)> = (colours.iter())
        .map(|&colour| (with(left, colour), with(right, colour)))
        .collect();
    while let Some((here, there)) = pending.pop() {
        if here.is_empty() || !known.insert((here.clone(), there.clone())) {
            continue;
        }
        if there.is_empty() {
            return false;
        }
        let steps = |set: &Set, wanted: (ActionId, usize)| -> Set {
            let mut after = Set::new();
            for &state in set {
                for (action, to) in lts.steps(state) {
                    if seen(lts, weak, state, action, to) == Some(wanted) {
                        after.insert(to);
                    }
                }
            }
            close(after)
        };
        let labels: BTreeSet<(ActionId, usize)> = (here.iter())
            .flat_map(|&state| {
                lts.steps(state)
                    .filter_map(move |(action, to)| seen(lts, weak, state, action, to))
            })
            .collect();
        for label in labels {
            pending.push((steps(&here, label), steps(&there, label)));
        }
    }
    true
}
