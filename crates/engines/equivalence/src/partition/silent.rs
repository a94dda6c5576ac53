//! The system without cycles of hidden steps.
//!
//! States on a cycle of hidden steps that does not change the colour are branching bisimilar, so each strongly connected component of these
//! steps becomes one state. What is left of them has no cycle. Where divergence is seen, a component with a cycle gets a step of a new action to itself.

use entail_budget::{Budget, Spent};
use entail_evidence::equivalence::Partition;
use entail_model::{Lts, StateId, TAU};

const NEW: u32 = u32::MAX;

/// The contracted system in compressed rows. In a row the *silent* steps (hidden, the colour stays) come first.
pub(crate) struct Contracted {
    /// The new state of each state.
    pub component_of: Vec<u32>,
    pub states: usize,
    /// The transitions of state `s` are `offsets[s]..offsets[s + 1]`.
    pub offsets: Vec<u32>,
    /// Where the silent ones end.
    pub silent_end: Vec<u32>,
    pub source: Vec<u32>,
    pub target: Vec<u32>,
    /// 0 for silent steps, then the actions from 1 (hidden steps that change the colour have 1), and divergence.
    pub label: Vec<u32>,
    /// All labels are below.
    pub labels: u32,
}

impl Contracted {
    /// Silent steps between blocks are not silent any more. Each row keeps its order: silent steps, hidden ones that are seen, others.
    pub fn reveal(&mut self, partition: &Partition) {
        let block = partition.blocks();
        for state in 0..self.states {
            let row = self.offsets[state] as usize..self.silent_end[state] as usize;
            let mut silent = row.start;
            for transition in row {
                if block[self.target[transition] as usize] == block[state] {
                    // Targets of one label need no order.
                    self.target.swap(transition, silent);
                    silent += 1;
                }
            }
            for transition in silent..self.silent_end[state] as usize {
                self.label[transition] = 1;
            }
            self.silent_end[state] = silent as u32;
        }
    }
}

/// Contracts the cycles of silent steps.
pub(crate) fn contract(lts: &Lts, sees_divergence: bool, budget: &Budget) -> Result<Contracted, Spent> {
    let (component_of, divergent) = components(lts, budget)?;
    let states = divergent.len();
    let divergence = lts.actions().len() as u32 + 1;
    let component = |state: StateId| component_of[state.index()];
    // A step of the new system: none if it is silent inside a component.
    let kept = |from: StateId, action: entail_model::ActionId, to: StateId| {
        let silent = action == TAU && lts.colour(from) == lts.colour(to);
        let label = if silent { 0 } else { action.index() as u32 + 1 };
        (!silent || component(from) != component(to)).then(|| (label, component(to)))
    };
    let mut offsets = vec![0u32; states + 1];
    for step in lts.transitions() {
        if kept(step.from, step.action, step.to).is_some() {
            offsets[component(step.from) as usize + 1] += 1;
        }
    }
    if sees_divergence {
        for (state, _) in divergent.iter().enumerate().filter(|(_, divergent)| **divergent) {
            offsets[state + 1] += 1;
        }
    }
    for state in 0..states {
        offsets[state + 1] += offsets[state];
    }
    let mut place = offsets.clone();
    let mut rows: Vec<(u32, u32)> = vec![(0, 0); offsets[states] as usize];
    let mut put = |state: u32, step: (u32, u32)| {
        let place = &mut place[state as usize];
        rows[*place as usize] = step;
        *place += 1;
    };
    for step in lts.transitions() {
        if let Some(kept) = kept(step.from, step.action, step.to) {
            put(component(step.from), kept);
        }
    }
    if sees_divergence {
        for (state, _) in divergent.iter().enumerate().filter(|(_, divergent)| **divergent) {
            put(state as u32, (divergence, state as u32));
        }
    }
    budget.check_now()?;
    let mut result = Contracted {
        states,
        offsets: vec![0],
        silent_end: Vec::with_capacity(states),
        source: Vec::with_capacity(rows.len()),
        target: Vec::with_capacity(rows.len()),
        label: Vec::with_capacity(rows.len()),
        labels: divergence + 1,
        component_of: Vec::new(),
    };
    for state in 0..states {
        let row = &mut rows[offsets[state] as usize..offsets[state + 1] as usize];
        row.sort_unstable();
        let mut last = None;
        let mut silent_end = result.target.len() as u32;
        for &mut step in row {
            if last.replace(step) != Some(step) {
                result.source.push(state as u32);
                result.label.push(step.0);
                result.target.push(step.1);
                silent_end += u32::from(step.0 == 0);
            }
        }
        result.silent_end.push(silent_end);
        result.offsets.push(result.target.len() as u32);
    }
    result.component_of = component_of;
    Ok(result)
}

/// The strongly connected components of the silent steps, and which have a cycle (Tarjan 1972, with a stack of its own; the
/// stack of open states and the path are one array each).
fn components(lts: &Lts, budget: &Budget) -> Result<(Vec<u32>, Vec<bool>), Spent> {
    let states = lts.state_count();
    let mut component_of = vec![NEW; states];
    let mut divergent = Vec::new();
    // The smallest order of a state on the stack that is known to be reached; NEW if never visited.
    let mut low = vec![NEW; states];
    // The path: a state, its order, how many of its hidden steps have been followed.
    let mut path: Vec<(StateId, u32, u32)> = Vec::new();
    let mut open: Vec<StateId> = Vec::new();
    let mut time = 0;
    for root in lts.states() {
        if low[root.index()] != NEW {
            continue;
        }
        let mut entered = Some(root);
        loop {
            if let Some(state) = entered.take() {
                low[state.index()] = time;
                open.push(state);
                path.push((state, time, 0));
                time += 1;
            }
            let Some((state, order, followed)) = path.last_mut() else {
                break;
            };
            let state = *state;
            if let Some(&to) = lts.successors(state, TAU).get(*followed as usize) {
                *followed += 1;
                if lts.colour(state) == lts.colour(to) && component_of[to.index()] == NEW {
                    match low[to.index()] {
                        NEW => entered = Some(to),
                        other => low[state.index()] = low[state.index()].min(other),
                    }
                }
                continue;
            }
            budget.check()?;
            let order = *order;
            path.pop();
            let lowest = low[state.index()];
            if let Some((before, ..)) = path.last() {
                low[before.index()] = low[before.index()].min(lowest);
            }
            if lowest == order {
                let component = divergent.len() as u32;
                let mut size = 0;
                while let Some(member) = open.pop() {
                    component_of[member.index()] = component;
                    size += 1;
                    if member == state {
                        break;
                    }
                }
                divergent.push(size > 1 || lts.successors(state, TAU).contains(&state));
            }
        }
    }
    Ok((component_of, divergent))
}
