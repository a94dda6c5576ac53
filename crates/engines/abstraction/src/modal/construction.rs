//! From a model and an abstraction to a Kripke modal transition system, without building the concrete structure (chapter 13, 13.4 and
//! 13.6; surveys, feature 10).
//!
//! Abstract states are explored from the initial ones along steps that may be there. For each of them one image gives its *may*
//! successors (∃∃), and inclusion in the preimages of these gives its *must* successors (∀∃). A proposition is true where all concrete
//! states satisfy it, false where none does.
//!
//! The **exact** relation has the steps of the definition. The **approximated** one asks each conjunct of the transition relation by
//! itself whether it allows a step, which is what pushing the quantifiers inwards comes to: it has more *may* steps and never needs
//! the conjunction. Steps that must be there are the same in both.

use super::classes::{Classes, Coarser};
use super::labels::Label;
use entail_budget::Budget;
use entail_dd::Bdd;
use entail_model::{Kmts, KmtsBuilder, KmtsError, StateId, Value};
use entail_symbolic::{Attempt, NotComputed};

/// How the steps that may be there are computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum MaySteps {
    /// Just those with a concrete step behind them.
    #[default]
    Exact,
    /// Those that no single conjunct of the transition relation excludes.
    Approximated,
}

/// What to build.
pub(crate) struct Wanted<'w> {
    pub relation: MaySteps,
    /// Whether steps that must be there are wanted.
    pub must: bool,
    /// Whether dead ends are repeated, which no conjunct says.
    pub stutters: bool,
    pub labels: &'w [Label],
    /// What is known from an abstraction with fewer observations.
    pub coarser: Option<&'w Coarser>,
}

/// The modal system of the abstract states that may be reached. Their numbers are those of `classes`, which must be empty.
pub(crate) fn construct(
    classes: &mut Classes<'_, '_>,
    wanted: &Wanted<'_>,
    budget: &Budget,
) -> Attempt<Kmts> {
    let initial = classes.space.initial().clone();
    let initial = classes.meeting(&initial, budget)?;
    let conjuncts = match wanted.relation {
        MaySteps::Exact => Vec::new(),
        MaySteps::Approximated => classes.space.conjuncts()?,
    };
    let mut may: Vec<Vec<StateId>> = Vec::new();
    while may.len() < classes.tuples.len() {
        let class = StateId::new(may.len() as u32);
        let successors = match wanted.relation {
            MaySteps::Exact => {
                let image = classes.image(class)?;
                classes.meeting(&image, budget)?
            }
            MaySteps::Approximated => {
                let mut successors = approximated(classes, class, &conjuncts, budget)?;
                if wanted.stutters {
                    let image = classes.image(class)?;
                    successors.extend(classes.meeting(&image, budget)?);
                    successors.sort_unstable();
                    successors.dedup();
                }
                successors
            }
        };
        may.push(successors);
    }
    let mut builder = KmtsBuilder::new(may.len());
    for state in initial {
        builder.initial(state);
    }
    for (number, successors) in may.iter().enumerate() {
        budget.check()?;
        let class = StateId::new(number as u32);
        for &to in successors {
            builder.may(class, to);
        }
        if wanted.must {
            for to in must_steps(classes, class, successors, wanted.coarser)? {
                builder.must(class, to);
            }
        }
    }
    for label in wanted.labels {
        let mut holds = Vec::new();
        let mut fails = Vec::new();
        for number in 0..may.len() as u32 {
            let class = StateId::new(number);
            let gamma = classes.gamma(class);
            if gamma.is_subset_of(&label.holds)? {
                holds.push(class);
            } else if gamma.is_disjoint_from(&label.possible)? {
                fails.push(class);
            }
        }
        builder.proposition(label.atom.index().to_string(), holds, fails);
    }
    builder
        .build()
        .map_err(|error: KmtsError| NotComputed::Unsupported(error.to_string()))
}

/// The steps that must be there: plain ones, and those of the coarser state into whatever became of their targets.
fn must_steps(
    classes: &mut Classes<'_, '_>,
    class: StateId,
    successors: &[StateId],
    coarser: Option<&Coarser>,
) -> Attempt<Vec<Vec<StateId>>> {
    let mut found = Vec::new();
    for &to in successors {
        let before = classes.preimage(to)?;
        if classes.gamma(class).is_subset_of(&before)? {
            found.push(vec![to]);
        }
    }
    let tuples = &classes.tuples;
    if let Some(coarser) = coarser
        && let Some(parent) = coarser.parent(&tuples[class.index()])
    {
        for into in coarser.kmts.must(parent) {
            let came_from = |to: &StateId| coarser.parent(&tuples[to.index()]);
            let inside = |to: &StateId| came_from(to).is_some_and(|parent| into.contains(&parent));
            let targets: Vec<StateId> = successors.iter().copied().filter(inside).collect();
            if !targets.is_empty() {
                found.push(targets);
            }
        }
    }
    Ok(found)
}

/// The abstract states that each conjunct by itself allows after this one: observations are given values one after the other, as long
/// as what each conjunct allows is not empty.
fn approximated(
    classes: &mut Classes<'_, '_>,
    class: StateId,
    conjuncts: &[Bdd],
    budget: &Budget,
) -> Attempt<Vec<StateId>> {
    let gamma = classes.gamma(class).clone();
    // Some class must be left, too: the universe is one more condition.
    let mut allowed = vec![classes.universe.clone()];
    for conjunct in conjuncts {
        let after = classes.space.image_by(&gamma, conjunct)?;
        if after.is_false() {
            return Ok(Vec::new());
        }
        if !allowed.contains(&after) {
            allowed.push(after);
        }
    }
    let observations = classes.abstraction.observations.len();
    let mut found = Vec::new();
    let mut pending: Vec<(Vec<Value>, Vec<Bdd>)> = vec![(Vec::new(), allowed)];
    while let Some((prefix, allowed)) = pending.pop() {
        budget.check()?;
        if prefix.len() == observations {
            found.push(classes.number(prefix)?);
            continue;
        }
        // Any of the sets has all values that matter; the first is as good as any.
        for (value, where_it_is) in classes.values_in(prefix.len(), &allowed[0], budget)? {
            let mut rest = Vec::with_capacity(allowed.len());
            for set in &allowed {
                rest.push(set.and(&where_it_is)?);
            }
            if rest.iter().all(|set| !set.is_false()) {
                let mut longer = prefix.clone();
                longer.push(value);
                pending.push((longer, rest));
            }
        }
    }
    found.sort_unstable();
    found.dedup();
    Ok(found)
}
