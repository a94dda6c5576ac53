//! Is a partition a bisimulation, and is it the coarsest?
//!
//! The first question is answered in one pass. A *bottom component* is a strongly connected component of the hidden steps inside blocks that no such
//! step leaves (for strong bisimulation, where nothing is hidden: every state by itself). Each state can reach one without being seen,
//! and has nothing but it in the end. So the partition is a branching bisimulation if and only if the states of a block have one
//! colour, and each bottom component of a block has, together, all the steps to other blocks or with other actions that states of the
//! block have. It respects divergence if and only if in a block with a cycle each bottom component has one. For weak
//! bisimulation, each state is asked for each step of its block, with hidden steps before and after; that is a search from every state.
//!
//! The second question is answered by naive refinement (Kanellakis, Smolka 1983) of the quotient, where nothing must be equivalent.

use crate::partition_reference::refined;
use entail_budget::{Budget, Spent};
use entail_evidence::equivalence::{Bisimulation, Partition};
use entail_model::{ActionId, Lts, StateId, TAU};
use rustc_hash::{FxHashMap, FxHashSet};

/// Why a partition is not what it is claimed to be.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PartitionError {
    /// It is about other states.
    #[error("the partition has {0} states, the system {1}")]
    OtherStates(usize, usize),
    /// What holds in two states of a block differs.
    #[error("states {0} and {1} are in one block, but other propositions hold there")]
    Colours(StateId, StateId),
    /// A state cannot match a step.
    #[error(
        "state {state} is in one block with a state that does `{action}` into block {block}, and cannot match that"
    )]
    Step {
        /// The state.
        state: StateId,
        /// The action.
        action: String,
        /// The block that the step leads into.
        block: u32,
    },
    /// A state cannot take hidden steps for ever, but one of its block can.
    #[error("state {0} is in one block with a state that takes hidden steps for ever, and cannot do so")]
    Divergence(StateId),
    /// Two blocks should be one.
    #[error("the states of blocks {0} and {1} are equivalent")]
    NotCoarsest(u32, u32),
    /// There was not enough time or memory to know.
    #[error("not checked: {0}")]
    Spent(Spent),
}

impl From<Spent> for PartitionError {
    fn from(spent: Spent) -> Self {
        PartitionError::Spent(spent)
    }
}

/// What is seen of a step.
pub(super) type Seen = (ActionId, u32);

/// Accepts a partition that is a bisimulation of this kind (perhaps not the coarsest one).
pub fn check_partition(
    lts: &Lts,
    partition: &Partition,
    relation: Bisimulation,
    budget: &Budget,
) -> Result<(), PartitionError> {
    if partition.state_count() != lts.state_count() {
        return Err(PartitionError::OtherStates(
            partition.state_count(),
            lts.state_count(),
        ));
    }
    let mut first = vec![None; partition.block_count()];
    for state in lts.states() {
        let first = *first[partition.block(state) as usize].get_or_insert(state);
        if lts.colour(state) != lts.colour(first) {
            return Err(PartitionError::Colours(first, state));
        }
    }
    let check = Check {
        lts,
        partition,
        relation,
        budget,
    };
    let components = check.components()?;
    match relation {
        Bisimulation::Strong | Bisimulation::Branching | Bisimulation::DivergenceBranching => {
            check.bottoms_match(&components)?;
        }
        Bisimulation::Weak | Bisimulation::DivergenceWeak => check.states_match_weakly()?,
    }
    match relation.sees_divergence() {
        true => check.divergence(&components),
        false => Ok(()),
    }
}

pub(super) struct Check<'a> {
    pub lts: &'a Lts,
    pub partition: &'a Partition,
    pub relation: Bisimulation,
    pub budget: &'a Budget,
}

/// The strongly connected components of the hidden steps inside blocks.
pub(super) struct Components {
    /// The component of each state; those that a component leads to have smaller numbers.
    pub of: Vec<u32>,
    /// Whether a step leaves it inside its block.
    pub left: Vec<bool>,
    /// Whether it has a cycle.
    pub cyclic: Vec<bool>,
}

impl Check<'_> {
    fn is_inside(&self, from: StateId, action: ActionId, to: StateId) -> bool {
        self.relation.hides() && action == TAU && self.partition.same(from, to)
    }

    /// The hidden steps of a state inside its block.
    pub fn inside(&self, from: StateId) -> impl Iterator<Item = StateId> + '_ {
        (self.lts.steps(from))
            .take_while(|(action, _)| *action == TAU)
            .filter(move |&(action, to)| self.is_inside(from, action, to))
            .map(|(_, to)| to)
    }

    /// Tarjan 1972, with a stack of its own.
    pub fn components(&self) -> Result<Components, Spent> {
        const NEW: u32 = u32::MAX;
        const DONE: u32 = u32::MAX - 1;
        let states = self.lts.state_count();
        let (mut low, mut of) = (vec![NEW; states], vec![0; states]);
        let (mut left, mut cyclic) = (Vec::new(), Vec::new());
        let (mut path, mut open) = (Vec::new(), Vec::new());
        let mut time = 0;
        for root in self.lts.states() {
            if low[root.index()] != NEW {
                continue;
            }
            low[root.index()] = time;
            open.push(root);
            path.push((root, time, self.inside(root)));
            time += 1;
            while let Some((state, order, steps)) = path.last_mut() {
                self.budget.check()?;
                let (state, order) = (*state, *order);
                if let Some(to) = steps.next() {
                    match low[to.index()] {
                        NEW => {
                            low[to.index()] = time;
                            open.push(to);
                            path.push((to, time, self.inside(to)));
                            time += 1;
                        }
                        DONE => {}
                        other => low[state.index()] = low[state.index()].min(other),
                    }
                    continue;
                }
                path.pop();
                let lowest = low[state.index()];
                if let Some((before, ..)) = path.last() {
                    low[before.index()] = low[before.index()].min(lowest);
                }
                if lowest == order {
                    let start = open
                        .iter()
                        .rposition(|&one| one == state)
                        .expect("an open state is on the stack");
                    let component = left.len() as u32;
                    for &member in &open[start..] {
                        of[member.index()] = component;
                        low[member.index()] = DONE;
                    }
                    let members = &open[start..];
                    let inner = |to: StateId| of[to.index()] == component && low[to.index()] == DONE;
                    left.push(
                        members
                            .iter()
                            .any(|&member| self.inside(member).any(|to| !inner(to))),
                    );
                    cyclic.push(members.len() > 1 || self.inside(state).any(|to| to == state));
                    open.truncate(start);
                }
            }
        }
        Ok(Components { of, left, cyclic })
    }

    /// The steps of a state that are seen, each once.
    pub fn seen(&self, state: StateId, into: &mut Vec<Seen>) {
        into.extend(
            (self.lts.steps(state))
                .filter(|&(action, to)| !self.is_inside(state, action, to))
                .map(|(action, to)| (action, self.partition.block(to))),
        );
    }

    /// For each block the steps that some of its states have.
    fn steps_of_blocks(&self) -> Result<Vec<StepSet>, PartitionError> {
        let mut of_block = vec![StepSet::default(); self.partition.block_count()];
        let mut here = Vec::new();
        for state in self.lts.states() {
            self.budget.check()?;
            here.clear();
            self.seen(state, &mut here);
            of_block[self.partition.block(state) as usize].add(&here);
        }
        of_block.iter_mut().for_each(StepSet::settle);
        Ok(of_block)
    }

    fn bottoms_match(&self, components: &Components) -> Result<(), PartitionError> {
        let of_block = self.steps_of_blocks()?;
        // The states of bottom components, by component; most components are single states.
        let mut bottoms: Vec<StateId> = (self.lts.states())
            .filter(|state| !components.left[components.of[state.index()] as usize])
            .collect();
        bottoms.sort_by_key(|state| components.of[state.index()]);
        let mut here = Vec::new();
        for members in
            bottoms.chunk_by(|left, right| components.of[left.index()] == components.of[right.index()])
        {
            self.budget.check()?;
            here.clear();
            for &member in members {
                self.seen(member, &mut here);
            }
            here.sort_unstable();
            here.dedup();
            let wanted = &of_block[self.partition.block(members[0]) as usize].steps;
            if let Some(&missing) = wanted.iter().find(|step| here.binary_search(step).is_err()) {
                return Err(self.unmatched(members[0], missing));
            }
        }
        Ok(())
    }

    fn unmatched(&self, state: StateId, (action, block): Seen) -> PartitionError {
        PartitionError::Step {
            state,
            action: self.lts.action_name(action).to_string(),
            block,
        }
    }

    fn divergence(&self, components: &Components) -> Result<(), PartitionError> {
        let block = |state: StateId| self.partition.block(state) as usize;
        let mut divergent = vec![false; self.partition.block_count()];
        for state in self.lts.states() {
            divergent[block(state)] |= components.cyclic[components.of[state.index()] as usize];
        }
        for state in self.lts.states() {
            let component = components.of[state.index()] as usize;
            if divergent[block(state)] && !components.left[component] && !components.cyclic[component] {
                return Err(PartitionError::Divergence(state));
            }
        }
        Ok(())
    }

    fn states_match_weakly(&self) -> Result<(), PartitionError> {
        let of_block = self.steps_of_blocks()?;
        for state in self.lts.states() {
            let here = weak_steps(self.lts, self.partition, state, self.budget)?;
            let wanted = &of_block[self.partition.block(state) as usize].steps;
            if let Some(&missing) = wanted.iter().find(|step| !here.contains(*step)) {
                return Err(self.unmatched(state, missing));
            }
        }
        Ok(())
    }
}

/// A growing set of steps: a sorted part, and new ones behind it that are sorted in when they have become as many.
#[derive(Clone, Default)]
struct StepSet {
    steps: Vec<Seen>,
    sorted: usize,
}

impl StepSet {
    fn add(&mut self, new: &[Seen]) {
        let StepSet { steps, sorted } = self;
        for step in new {
            if steps[..*sorted].binary_search(step).is_err() {
                steps.push(*step);
            }
        }
        if steps.len() > 2 * *sorted {
            self.settle();
        }
    }

    fn settle(&mut self) {
        self.steps.sort_unstable();
        self.steps.dedup();
        self.sorted = self.steps.len();
    }
}

/// What a state can do with hidden steps before and after, none of which changes the colour. A hidden step inside the block is not listed: doing nothing matches it.
pub(super) fn weak_steps(
    lts: &Lts,
    partition: &Partition,
    state: StateId,
    budget: &Budget,
) -> Result<FxHashSet<Seen>, Spent> {
    let hidden = |from: StateId| {
        (lts.successors(from, TAU).iter().copied()).filter(move |&to| lts.colour(from) == lts.colour(to))
    };
    let closure = |start: Vec<StateId>| -> Result<FxHashSet<StateId>, Spent> {
        let mut found: FxHashSet<StateId> = start.iter().copied().collect();
        let mut todo = start;
        while let Some(from) = todo.pop() {
            budget.check()?;
            todo.extend(hidden(from).filter(|&to| found.insert(to)));
        }
        Ok(found)
    };
    let mut after: FxHashMap<ActionId, Vec<StateId>> = FxHashMap::default();
    let before = closure(vec![state])?;
    let mut steps: FxHashSet<Seen> = before.iter().map(|&to| (TAU, partition.block(to))).collect();
    for &from in &before {
        for (action, to) in lts.steps(from) {
            if action != TAU || lts.colour(from) != lts.colour(to) {
                after.entry(action).or_default().push(to);
            }
        }
    }
    for (action, targets) in after {
        let reached = closure(targets)?;
        steps.extend(reached.iter().map(|&to| (action, partition.block(to))));
    }
    Ok(steps)
}

/// How the question whether a partition is the coarsest was answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Coarsest {
    /// Rounds of refinement until all blocks were apart.
    pub rounds: usize,
}

/// Accepts the quotient of a partition if no two of its states are equivalent: then the partition was the coarsest one. At most
/// one round a state, each a pass over the quotient.
pub fn check_coarsest(
    quotient: &Lts,
    relation: Bisimulation,
    budget: &Budget,
) -> Result<Coarsest, PartitionError> {
    let keys: Vec<u32> = (quotient.states())
        .map(|state| quotient.colour(state).index() as u32)
        .collect();
    let mut partition = Partition::from_keys(&keys);
    let mut rounds = 0;
    while partition.block_count() < quotient.state_count() {
        let finer = refined(quotient, &partition, relation, budget)?;
        if finer.block_count() == partition.block_count() {
            let mut first = vec![None; partition.block_count()];
            for state in quotient.states() {
                let first = *first[partition.block(state) as usize].get_or_insert(state);
                if first != state {
                    return Err(PartitionError::NotCoarsest(
                        first.index() as u32,
                        state.index() as u32,
                    ));
                }
            }
        }
        partition = finer;
        rounds += 1;
    }
    Ok(Coarsest { rounds })
}
