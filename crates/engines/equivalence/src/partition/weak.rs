//! Weak bisimulation: strong bisimulation of the saturated system (Kanellakis, Smolka 1990; Milner 1989).
//!
//! First the system is reduced by branching bisimulation, which is finer; that leaves no cycles of silent steps but single loops, which are
//! taken away or, where divergence is seen, become steps of a new action. Then every state gets a step for each that it can do with silent steps before
//! and after, and a silent step to each state that silent steps lead to, itself included. The saturated system can be quadratic in the size of the reduced one.

use super::branching::branching;
use super::strong::strong;
use entail_budget::{Budget, Spent};
use entail_evidence::equivalence::{Bisimulation, Partition};
use entail_model::{ActionId, Lts, LtsBuilder, StateId, TAU};

/// The coarsest weak bisimulation that is finer than the colours; divergence-preserving if divergence is seen.
pub(super) fn weak(lts: &Lts, sees_divergence: bool, budget: &Budget) -> Result<Partition, Spent> {
    let reduced = branching(lts, sees_divergence, budget)?;
    let relation = match sees_divergence {
        true => Bisimulation::DivergenceBranching,
        false => Bisimulation::Branching,
    };
    let quotient = reduced
        .quotient(lts, relation)
        .expect("a quotient has no more states than its system");
    let saturated = saturate(&quotient, sees_divergence, budget)?;
    Ok(reduced.then(&strong(&saturated, budget)?))
}

/// The weak steps of a system whose only cycles of silent steps are loops.
fn saturate(lts: &Lts, sees_divergence: bool, budget: &Budget) -> Result<Lts, Spent> {
    let mut builder = LtsBuilder::new(lts.state_count() as u64);
    for name in lts.actions() {
        builder.action(name);
    }
    // No action of a file has a line break in its name.
    let divergence = builder.action("\ndivergence");
    for state in lts.states() {
        if lts.is_coloured() {
            let colour = builder.colour(lts.propositions(state).iter().cloned());
            builder.paint(state, colour);
        }
    }
    let mut closure = Closure::new(lts);
    let (mut before, mut after) = (Vec::new(), Vec::new());
    let mut steps: Vec<(ActionId, StateId)> = Vec::new();
    for state in lts.states() {
        budget.check()?;
        closure.of([state], &mut before);
        steps.clear();
        for &from in &before {
            builder.transition(state, TAU, from);
            for (action, to) in lts.steps(from) {
                let silent = action == TAU && lts.colour(from) == lts.colour(to);
                if !silent {
                    steps.push((action, to));
                } else if from == to && sees_divergence {
                    steps.push((divergence, to));
                }
            }
        }
        steps.sort_unstable();
        steps.dedup();
        for group in steps.chunk_by(|left, right| left.0 == right.0) {
            closure.of(group.iter().map(|step| step.1), &mut after);
            for &to in &after {
                // The row is long: memory is what runs out.
                budget.check()?;
                builder.transition(state, group[0].0, to);
            }
        }
    }
    Ok(builder.build().expect("the states are those of a system"))
}

/// The states that silent steps lead to.
struct Closure<'a> {
    lts: &'a Lts,
    /// The last search in which a state was found.
    found: Vec<u32>,
    search: u32,
}

impl Closure<'_> {
    fn new(lts: &Lts) -> Closure<'_> {
        Closure {
            lts,
            found: vec![0; lts.state_count()],
            search: 0,
        }
    }

    fn of(&mut self, start: impl IntoIterator<Item = StateId>, reached: &mut Vec<StateId>) {
        // Searches are numbered; after 2^32 of them the marks are cleared.
        self.search = self.search.wrapping_add(1);
        if self.search == 0 {
            self.found.fill(0);
            self.search = 1;
        }
        let Closure { lts, found, search } = self;
        let mut visit = |state: StateId, reached: &mut Vec<StateId>| {
            if std::mem::replace(&mut found[state.index()], *search) != *search {
                reached.push(state);
            }
        };
        reached.clear();
        for state in start {
            visit(state, reached);
        }
        let mut at = 0;
        while at < reached.len() {
            let from = reached[at];
            for &to in lts.successors(from, TAU) {
                if lts.colour(from) == lts.colour(to) {
                    visit(to, reached);
                }
            }
            at += 1;
        }
    }
}
