//! The naive evaluation of separating formulas: for every part the set of states where it is true, operands first.

use super::{Hml, HmlId, HmlNode};
use entail_model::{ActionId, Lts, StateId, TAU, TAU_NAME};
use fixedbitset::FixedBitSet;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// The states of a system where a formula is true.
pub fn states_where(formula: &Hml, lts: &Lts) -> FixedBitSet {
    let mut evaluation = Evaluation {
        lts,
        actions: (lts.actions().iter().enumerate())
            .map(|(number, name)| (&**name, ActionId::new(number as u32)))
            .collect(),
        hidden: None,
        truth: Vec::with_capacity(formula.nodes().len()),
    };
    let mut last_use = vec![0; formula.nodes().len()];
    for (place, node) in formula.nodes().iter().enumerate() {
        for operand in node.operands() {
            last_use[operand as usize] = place;
        }
    }
    for (place, node) in formula.nodes().iter().enumerate() {
        let truth = evaluation.node(node);
        evaluation.truth.push(truth);
        for operand in node.operands() {
            if last_use[operand as usize] == place {
                evaluation.truth[operand as usize] = FixedBitSet::new();
            }
        }
    }
    evaluation.truth.pop().unwrap_or_default()
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
    /// The hidden steps backwards: rows of sources.
    hidden: Option<(Vec<u32>, Vec<StateId>)>,
    /// The truth of the nodes so far; empty where it is not needed any more.
    truth: Vec<FixedBitSet>,
}

impl Evaluation<'_> {
    fn everywhere(&self) -> FixedBitSet {
        let mut all = FixedBitSet::with_capacity(self.lts.state_count());
        all.insert_range(..);
        all
    }

    fn select(&self, mut chosen: impl FnMut(StateId) -> bool) -> FixedBitSet {
        let mut set = FixedBitSet::with_capacity(self.lts.state_count());
        for state in self.lts.states() {
            set.set(state.index(), chosen(state));
        }
        set
    }

    fn at(&self, id: HmlId) -> &FixedBitSet {
        &self.truth[id as usize]
    }

    fn node(&mut self, node: &HmlNode) -> FixedBitSet {
        match node {
            HmlNode::True => self.everywhere(),
            HmlNode::Proposition { name } => {
                let has: Vec<bool> = (self.lts.colours().iter())
                    .map(|set| set.contains(name))
                    .collect();
                self.select(|state| has[self.lts.colour(state).index()])
            }
            HmlNode::Not { of } => {
                let mut set = self.at(*of).clone();
                set.toggle_range(..);
                set
            }
            HmlNode::And { of } => {
                let mut set = self.everywhere();
                for &operand in of {
                    set.intersect_with(self.at(operand));
                }
                set
            }
            HmlNode::Some { action, then } => self.before(action, self.at(*then)),
            HmlNode::Weak { action, then } => {
                let all = self.everywhere();
                let end = self.at(*then).clone();
                let end = self.backwards(end, &all, Hidden::Unseen);
                let mut start = self.before(action, &end);
                if &**action == TAU_NAME {
                    // Hidden steps that are seen count as a step; without one there is nothing to wait for.
                    start.union_with(&end);
                }
                self.backwards(start, &all, Hidden::Unseen)
            }
            HmlNode::Until { along, action, then } => {
                let along = self.at(*along).clone();
                match &**action == TAU_NAME {
                    true => {
                        let end = self.at(*then).clone();
                        self.backwards(end, &along, Hidden::All)
                    }
                    false => {
                        let mut start = self.before(action, self.at(*then));
                        start.intersect_with(&along);
                        self.backwards(start, &along, Hidden::All)
                    }
                }
            }
            HmlNode::Forever { along } => {
                let along = self.at(*along).clone();
                self.forever(along)
            }
        }
    }

    /// The states with a step of this action into a set.
    fn before(&self, action: &Arc<str>, set: &FixedBitSet) -> FixedBitSet {
        let Some(&action) = self.actions.get(&**action) else {
            return FixedBitSet::with_capacity(self.lts.state_count());
        };
        self.select(|state| {
            (self.lts.successors(state, action).iter()).any(|target| set.contains(target.index()))
        })
    }

    /// The set, and the states in `along` from which hidden steps through such states lead into it.
    fn backwards(&mut self, mut set: FixedBitSet, along: &FixedBitSet, which: Hidden) -> FixedBitSet {
        let lts = self.lts;
        let (offsets, sources) = self.hidden.get_or_insert_with(|| hidden_backwards(lts));
        let mut pending: Vec<usize> = set.ones().collect();
        while let Some(state) = pending.pop() {
            for source in &sources[offsets[state] as usize..offsets[state + 1] as usize] {
                let taken = which == Hidden::All
                    || lts.propositions(*source) == lts.propositions(StateId::new(state as u32));
                if taken && along.contains(source.index()) && !set.put(source.index()) {
                    pending.push(source.index());
                }
            }
        }
        set
    }

    /// The states with an endless path of hidden steps within a set: those without a step into it go, again and again.
    fn forever(&mut self, mut set: FixedBitSet) -> FixedBitSet {
        let lts = self.lts;
        let mut steps: Vec<u32> = vec![0; lts.state_count()];
        let mut pending = Vec::new();
        for state in set.ones() {
            let within = (lts.successors(StateId::new(state as u32), TAU).iter())
                .filter(|target| set.contains(target.index()));
            steps[state] = within.count() as u32;
            if steps[state] == 0 {
                pending.push(state);
            }
        }
        let (offsets, sources) = self.hidden.get_or_insert_with(|| hidden_backwards(lts));
        while let Some(state) = pending.pop() {
            set.set(state, false);
            for source in &sources[offsets[state] as usize..offsets[state + 1] as usize] {
                let source = source.index();
                if set.contains(source) && steps[source] > 0 {
                    steps[source] -= 1;
                    if steps[source] == 0 {
                        pending.push(source);
                    }
                }
            }
        }
        set
    }
}

fn hidden_backwards(lts: &Lts) -> (Vec<u32>, Vec<StateId>) {
    let mut offsets = vec![0u32; lts.state_count() + 1];
    for state in lts.states() {
        for target in lts.successors(state, TAU) {
            offsets[target.index() + 1] += 1;
        }
    }
    for state in 0..lts.state_count() {
        offsets[state + 1] += offsets[state];
    }
    let mut next = offsets.clone();
    let mut sources = vec![StateId::new(0); offsets[lts.state_count()] as usize];
    for state in lts.states() {
        for target in lts.successors(state, TAU) {
            sources[next[target.index()] as usize] = state;
            next[target.index()] += 1;
        }
    }
    (offsets, sources)
}
