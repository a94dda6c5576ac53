//! Inclusion of finite traces by antichains (De Wulf, Doyen, Henzinger, Raskin 2006).
//!
//! Traces of `s` are traces of a set `T` if every step of `s` leads to a pair of which the same is true; they are not if a step
//! leads to an empty set. The pairs are searched breadth first, so that the trace found is a shortest one, and the deterministic
//! system of sets is never built: a pair `(s, T)` says nothing new if `(s, S)` with a smaller set `S` is known, or if `s` is in
//! `T`. The system is reduced by strong bisimulation before, which makes the last case frequent.
//!
//! A step is *seen* unless it is hidden and leads to a state that looks the same. Where hidden steps do not count, sets are closed
//! under steps that are not seen, and such a step of `s` leaves the set as it is.

use entail_budget::{Budget, Spent};
use entail_evidence::equivalence::{ObservedStep, ObservedTrace};
use entail_model::{ActionId, Lts, StateId, TAU};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use std::rc::Rc;

/// What is found about the traces of some states.
pub(crate) enum Included {
    /// All are traces of the others: pairs of a state and a set that are closed under steps.
    Yes(Vec<(StateId, Vec<StateId>)>),
    /// A trace that the others do not have.
    No(ObservedTrace),
}

type Set = Rc<[StateId]>;

struct Node {
    state: StateId,
    set: Set,
    depth: u32,
    /// Where it comes from and by which action; the start has none.
    from: Option<(u32, ActionId)>,
    /// Whether a smaller set was found at the same depth.
    dominated: bool,
}

struct Search<'a> {
    lts: &'a Lts,
    weak: bool,
    nodes: Vec<Node>,
    queue: VecDeque<u32>,
    /// For each state the nodes with the smallest sets.
    smallest: FxHashMap<StateId, Vec<u32>>,
    /// When each state was last put into the set that is being made.
    mark: Vec<u32>,
    round: u32,
}

/// Whether every trace of some states is a trace of others, in a system reduced by strong bisimulation.
pub(crate) fn included(
    lts: &Lts,
    weak: bool,
    smaller: &[StateId],
    larger: &[StateId],
    budget: &Budget,
) -> Result<Included, Spent> {
    let mut search = Search {
        lts,
        weak,
        nodes: Vec::new(),
        queue: VecDeque::new(),
        smallest: FxHashMap::default(),
        mark: vec![0; lts.state_count()],
        round: 0,
    };
    for &s in smaller {
        let alike = larger.iter().copied().filter(|&t| lts.colour(t) == lts.colour(s));
        let set = search.closed(alike.collect());
        if set.is_empty() {
            let start = lts.propositions(s).to_vec();
            return Ok(Included::No(ObservedTrace {
                start,
                steps: Vec::new(),
            }));
        }
        search.add(s, set, None, 0);
    }
    while let Some(number) = search.queue.pop_front() {
        let Node {
            state,
            ref set,
            depth,
            dominated,
            ..
        } = search.nodes[number as usize];
        if dominated {
            continue;
        }
        let set = set.clone();
        let mut last: Option<(ActionId, usize, Set)> = None;
        for (action, target) in lts.steps(state) {
            budget.check()?;
            let colour = lts.colour(target);
            let unseen = weak && action == TAU && colour == lts.colour(state);
            let next = match &last {
                _ if unseen => set.clone(),
                Some((seen, look, next)) if (*seen, *look) == (action, colour.index()) => next.clone(),
                _ => {
                    let targets = set.iter().flat_map(|&t| lts.successors(t, action));
                    let next = targets.copied().filter(|&t| lts.colour(t) == colour).collect();
                    let next = search.closed(next);
                    last = Some((action, colour.index(), next.clone()));
                    next
                }
            };
            if next.is_empty() {
                return Ok(Included::No(search.trace(number, action, target)));
            }
            search.add(target, next, Some((number, action)), depth + 1);
        }
    }
    let pairs = search.smallest.into_values().flatten().map(|number| {
        let node = &search.nodes[number as usize];
        (node.state, node.set.to_vec())
    });
    let mut pairs: Vec<_> = pairs.collect();
    pairs.sort_unstable();
    Ok(Included::Yes(pairs))
}

impl Search<'_> {
    /// The set without repetition, with what steps that are not seen lead to, in order.
    fn closed(&mut self, mut set: Vec<StateId>) -> Set {
        self.round += 1;
        let round = self.round;
        set.retain(|state| std::mem::replace(&mut self.mark[state.index()], round) != round);
        let mut next = 0;
        while self.weak && next < set.len() {
            let state = set[next];
            next += 1;
            for &target in self.lts.successors(state, TAU) {
                let unseen = self.lts.colour(target) == self.lts.colour(state);
                if unseen && std::mem::replace(&mut self.mark[target.index()], round) != round {
                    set.push(target);
                }
            }
        }
        set.sort_unstable();
        set.into()
    }

    /// Adds a pair unless it says nothing new.
    fn add(&mut self, state: StateId, set: Set, from: Option<(u32, ActionId)>, depth: u32) {
        if set.binary_search(&state).is_ok() {
            return;
        }
        let known = self.smallest.entry(state).or_default();
        if known
            .iter()
            .any(|&node| is_subset(&self.nodes[node as usize].set, &set))
        {
            return;
        }
        known.retain(|&node| {
            let node = &mut self.nodes[node as usize];
            let larger = is_subset(&set, &node.set);
            // One that is nearer to the start may lead to a shorter trace.
            node.dominated |= larger && node.depth == depth;
            !larger
        });
        let number = self.nodes.len() as u32;
        known.push(number);
        self.nodes.push(Node {
            state,
            set,
            depth,
            from,
            dominated: false,
        });
        self.queue.push_back(number);
    }

    /// What is seen on the way to a pair and in one more step.
    fn trace(&self, last: u32, action: ActionId, target: StateId) -> ObservedTrace {
        let mut steps = vec![(self.nodes[last as usize].state, action, target)];
        let mut at = last;
        while let Some((before, action)) = self.nodes[at as usize].from {
            steps.push((
                self.nodes[before as usize].state,
                action,
                self.nodes[at as usize].state,
            ));
            at = before;
        }
        let looks = |state: StateId| self.lts.propositions(state).to_vec();
        let start = looks(self.nodes[at as usize].state);
        let seen = steps.into_iter().rev().filter(|&(from, action, to)| {
            !(self.weak && action == TAU && self.lts.colour(from) == self.lts.colour(to))
        });
        let seen = seen.map(|(_, action, to)| ObservedStep {
            action: self.lts.action_name(action).clone(),
            propositions: looks(to),
        });
        ObservedTrace {
            start,
            steps: seen.collect(),
        }
    }
}

fn is_subset(small: &[StateId], large: &[StateId]) -> bool {
    if small.len() > large.len() {
        return false;
    }
    let mut rest = large.iter();
    small
        .iter()
        .all(|wanted| rest.by_ref().any(|found| found == wanted))
}
