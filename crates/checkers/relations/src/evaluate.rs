//! The naive evaluation of separating formulas, where it is asked for.
//!
//! Two passes over the parts. Downwards, from the formula to its parts: in which states a part has to be known. Upwards: where it
//! is true, with the truth of its operands at hand. So a formula that follows one path through a large system costs as much as the
//! path, and no part is evaluated twice in a state.

use entail_evidence::equivalence::{Hml, HmlNode};
use entail_model::{ActionId, Lts, StateId, TAU, TAU_NAME};
use rustc_hash::FxHashMap;

/// The states among `asked` in which a formula is true.
pub fn states_where(formula: &Hml, lts: &Lts, asked: &[StateId]) -> Vec<StateId> {
    let nodes = formula.nodes();
    let evaluation = Evaluation {
        lts,
        actions: (lts.actions().iter().enumerate())
            .map(|(number, name)| (&**name, ActionId::new(number as u32)))
            .collect(),
    };
    let mut domains: Vec<Vec<StateId>> = vec![Vec::new(); nodes.len()];
    domains[formula.root() as usize] = asked.to_vec();
    for place in (0..nodes.len()).rev() {
        let mut domain = std::mem::take(&mut domains[place]);
        domain.sort_unstable();
        domain.dedup();
        evaluation.ask(&nodes[place], &domain, &mut domains);
        domains[place] = domain;
    }
    let mut truths: Vec<Vec<bool>> = Vec::with_capacity(nodes.len());
    for (place, node) in nodes.iter().enumerate() {
        let truth = evaluation.node(node, &domains[place], &domains, &truths);
        truths.push(truth);
    }
    let (domain, truth) = (&domains[nodes.len() - 1], &truths[nodes.len() - 1]);
    domain
        .iter()
        .zip(truth)
        .filter(|(_, truth)| **truth)
        .map(|(state, _)| *state)
        .collect()
}

/// Which hidden steps are taken.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Hidden {
    All,
    /// Those between states with the same propositions.
    Unseen,
}

struct Evaluation<'a> {
    lts: &'a Lts,
    actions: FxHashMap<&'a str, ActionId>,
}

impl Evaluation<'_> {
    fn hidden(&self, from: StateId, which: Hidden) -> impl Iterator<Item = StateId> + '_ {
        (self.lts.successors(from, TAU).iter().copied()).filter(move |&to| {
            which == Hidden::All || self.lts.propositions(from) == self.lts.propositions(to)
        })
    }

    /// All that hidden steps lead to, in order.
    fn closure(&self, from: &[StateId], which: Hidden) -> Vec<StateId> {
        let mut known: rustc_hash::FxHashSet<StateId> = from.iter().copied().collect();
        let mut all = from.to_vec();
        let mut next = 0;
        while let Some(&state) = all.get(next) {
            next += 1;
            all.extend(self.hidden(state, which).filter(|&to| known.insert(to)));
        }
        all.sort_unstable();
        all.dedup();
        all
    }

    fn after(&self, from: &[StateId], action: &str) -> Vec<StateId> {
        let Some(&action) = self.actions.get(action) else {
            return Vec::new();
        };
        let targets = from.iter().flat_map(|&state| self.lts.successors(state, action));
        let mut targets: Vec<StateId> = targets.copied().collect();
        targets.sort_unstable();
        targets.dedup();
        targets
    }

    /// Asks the operands of a node where they have to be known.
    fn ask(&self, node: &HmlNode, domain: &[StateId], domains: &mut [Vec<StateId>]) {
        match node {
            HmlNode::True | HmlNode::Proposition { .. } => {}
            HmlNode::Not { of } => domains[*of as usize].extend_from_slice(domain),
            HmlNode::And { of } => {
                for &part in of {
                    domains[part as usize].extend_from_slice(domain);
                }
            }
            HmlNode::Some { action, then } => domains[*then as usize].extend(self.after(domain, action)),
            HmlNode::Weak { action, then } => {
                let ends = self.weak_ends(domain, action).1;
                domains[*then as usize].extend(ends);
            }
            HmlNode::Until { along, action, then } => {
                let reached = self.closure(domain, Hidden::All);
                domains[*then as usize].extend(match &**action == TAU_NAME {
                    true => reached.clone(),
                    false => self.after(&reached, action),
                });
                domains[*along as usize].extend(reached);
            }
            HmlNode::Forever { along } => domains[*along as usize].extend(self.closure(domain, Hidden::All)),
        }
    }

    /// What steps that are not seen lead to, and where a step and more such steps lead from there.
    fn weak_ends(&self, domain: &[StateId], action: &str) -> (Vec<StateId>, Vec<StateId>) {
        let starts = self.closure(domain, Hidden::Unseen);
        let mut ends = self.after(&starts, action);
        if action == TAU_NAME {
            ends.extend_from_slice(&starts);
        }
        (starts, self.closure(&ends, Hidden::Unseen))
    }

    /// Where a node is true, for each state of its domain.
    fn node(
        &self,
        node: &HmlNode,
        domain: &[StateId],
        domains: &[Vec<StateId>],
        truths: &[Vec<bool>],
    ) -> Vec<bool> {
        let at = |part: u32, state: StateId| {
            (domains[part as usize].binary_search(&state)).is_ok_and(|place| truths[part as usize][place])
        };
        let select = |chosen: &dyn Fn(StateId) -> bool| domain.iter().map(|&state| chosen(state)).collect();
        let leads = |state: StateId, action: &str, wanted: &dyn Fn(StateId) -> bool| {
            let action = self.actions.get(action);
            action.is_some_and(|&action| self.lts.successors(state, action).iter().any(|&to| wanted(to)))
        };
        match node {
            HmlNode::True => vec![true; domain.len()],
            HmlNode::Proposition { name } => select(&|state| self.lts.propositions(state).contains(name)),
            HmlNode::Not { of } => select(&|state| !at(*of, state)),
            HmlNode::And { of } => select(&|state| of.iter().all(|&part| at(part, state))),
            HmlNode::Some { action, then } => select(&|state| leads(state, action, &|to| at(*then, to))),
            HmlNode::Weak { action, then } => {
                let (starts, ends) = self.weak_ends(domain, action);
                let good = self.backwards(&ends, Hidden::Unseen, &|_| true, &|state| at(*then, state));
                let good = |state: StateId| ends.binary_search(&state).is_ok_and(|place| good[place]);
                let hidden = &**action == TAU_NAME;
                let begun = self.backwards(&starts, Hidden::Unseen, &|_| true, &|state| {
                    hidden && good(state) || leads(state, action, &good)
                });
                restrict(domain, &starts, &begun)
            }
            HmlNode::Until { along, action, then } => {
                let reached = self.closure(domain, Hidden::All);
                let hidden = &**action == TAU_NAME;
                let truth =
                    self.backwards(
                        &reached,
                        Hidden::All,
                        &|state| at(*along, state),
                        &|state| match hidden {
                            true => at(*then, state),
                            false => at(*along, state) && leads(state, action, &|to| at(*then, to)),
                        },
                    );
                restrict(domain, &reached, &truth)
            }
            HmlNode::Forever { along } => {
                let reached = self.closure(domain, Hidden::All);
                let truth = self.forever(&reached, &|state| at(*along, state));
                restrict(domain, &reached, &truth)
            }
        }
    }

    /// For each of a closed set of states, whether hidden steps from states where that is allowed lead to a goal.
    fn backwards(
        &self,
        states: &[StateId],
        which: Hidden,
        allowed: &dyn Fn(StateId) -> bool,
        goal: &dyn Fn(StateId) -> bool,
    ) -> Vec<bool> {
        let sources = self.sources(states, which);
        let mut truth: Vec<bool> = states.iter().map(|&state| goal(state)).collect();
        let mut pending: Vec<usize> = (0..states.len()).filter(|&place| truth[place]).collect();
        while let Some(place) = pending.pop() {
            for &source in &sources[place] {
                if !truth[source] && allowed(states[source]) {
                    truth[source] = true;
                    pending.push(source);
                }
            }
        }
        truth
    }

    /// For each of a closed set of states, whether hidden steps go on for ever through states of a kind: those without a step to
    /// another go, again and again.
    fn forever(&self, states: &[StateId], kind: &dyn Fn(StateId) -> bool) -> Vec<bool> {
        let sources = self.sources(states, Hidden::All);
        let mut truth: Vec<bool> = states.iter().map(|&state| kind(state)).collect();
        let mut steps = vec![0u32; states.len()];
        for place in (0..states.len()).filter(|&place| truth[place]) {
            for &source in &sources[place] {
                steps[source] += 1;
            }
        }
        let mut pending: Vec<usize> = (0..states.len())
            .filter(|&place| truth[place] && steps[place] == 0)
            .collect();
        while let Some(place) = pending.pop() {
            truth[place] = false;
            for &source in &sources[place] {
                steps[source] -= 1;
                if truth[source] && steps[source] == 0 {
                    pending.push(source);
                }
            }
        }
        truth
    }

    /// The hidden steps between a closed set of states, backwards and by place.
    fn sources(&self, states: &[StateId], which: Hidden) -> Vec<Vec<usize>> {
        let mut sources = vec![Vec::new(); states.len()];
        for (place, &state) in states.iter().enumerate() {
            for to in self.hidden(state, which) {
                if let Ok(target) = states.binary_search(&to) {
                    sources[target].push(place);
                }
            }
        }
        sources
    }
}

/// The truth in some of the states.
fn restrict(domain: &[StateId], states: &[StateId], truth: &[bool]) -> Vec<bool> {
    let at = |state: &StateId| states.binary_search(state).is_ok_and(|place| truth[place]);
    domain.iter().map(at).collect()
}
