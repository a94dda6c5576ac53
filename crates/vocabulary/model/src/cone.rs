//! Cone of influence: the part of a system that a question depends on.
//!
//! The usual cone drops every conjunct that is not connected with the question. That changes verdicts when what is dropped
//! could have blocked: an unsatisfiable initial condition, a transition relation that is not total, an invariant that
//! cuts steps off. Here a conjunct is dropped only if it is an **assignment** to a dropped variable: a condition that some
//! value of that variable satisfies whatever the others are (`next(x) = f`, a choice, a case of those, recognised by
//! shape), at most one for each variable at each moment, and no assignments in a circle. Everything else is a **constraint**
//! and is kept with all its variables, connected or not. So are all fairness conditions (dropping one may change
//! which paths are fair) and all hazards (they must stay unreachable).
//!
//! **Contract.** The paths of the reduced system from its initial states are exactly the projections of the paths of the
//! original, finite or infinite, fair or not; and a state has a successor in the one iff all states that it is the projection of
//! have one in the other. Every CTL* formula over kept variables has the same truth value. A trace of the reduced system is
//! completed to one of the original by [`Cone::complete`], which chooses values for the dropped variables.
//!
//! Cost: linear in the size of the conditions, times the number of variables that a condition may assign (usually one).

use crate::enumerate::{DomainTooLarge, Enumeration, Leaf};
use crate::total::always_satisfiable;
use crate::{Define, Hazard, Supports, TermId, TransitionSystem, Value, VarId, VarKind};
use std::collections::BTreeSet;
use std::ops::ControlFlow;

/// A system reduced to what some terms depend on.
#[derive(Clone, Debug)]
pub struct Cone {
    /// The reduced system, with a store of terms of its own.
    pub system: TransitionSystem,
    /// The variables of the original that were kept; the reduced system has them in this order.
    pub kept: Vec<VarId>,
    /// The conditions of the original that were dropped.
    pub dropped: Dropped,
    /// The dropped variables in an order in which their initial values, and their later ones, can be chosen.
    init_order: Vec<VarId>,
    step_order: Vec<VarId>,
}

/// Conjuncts of the original system that are not in the reduced one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Dropped {
    /// Of the initial condition.
    pub init: Vec<TermId>,
    /// Of the invariant.
    pub invariant: Vec<TermId>,
    /// Of the transition relation.
    pub transition: Vec<TermId>,
}

/// Why a trace was not completed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CompleteError {
    /// A dropped variable has too many values to choose from.
    #[error(transparent)]
    Domain(#[from] DomainTooLarge),
    /// The trace is not one of the reduced system.
    #[error("the trace has no completion at step {0}: it is not a path of the reduced system")]
    NotAPath(usize),
    /// The dropped variables did not return to an earlier value within the allowed rounds.
    #[error("the loop does not close for the dropped variables within {0} rounds")]
    LoopTooLong(usize),
}

/// When a condition applies.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Moment {
    Init,
    Invariant,
    Transition,
}

struct Conjunct {
    term: TermId,
    moment: Moment,
    current: Vec<VarId>,
    next: Vec<VarId>,
    /// The variable it assigns; none if it is a constraint.
    target: Option<VarId>,
}

/// The part of the system that the roots depend on.
pub fn cone_of_influence(system: &TransitionSystem, roots: &[TermId]) -> Cone {
    let mut seeds: Vec<TermId> = roots.to_vec();
    seeds.extend(&system.justice);
    seeds.extend(system.compassion.iter().flat_map(|&(often, then)| [often, then]));
    seeds.extend(system.hazards.iter().map(|hazard| hazard.condition));
    let (current, next) = system.terms.support(&seeds);
    let mut needed: BTreeSet<VarId> = current.into_iter().chain(next).collect();

    let mut conjuncts = conjuncts(system, &needed);
    let (init_order, step_order) = settle_targets(system, &mut conjuncts);

    for conjunct in conjuncts.iter().filter(|conjunct| conjunct.target.is_none()) {
        needed.extend(conjunct.current.iter().chain(&conjunct.next));
    }
    let mut assignments: Vec<Vec<&Conjunct>> = vec![Vec::new(); system.variables().len()];
    for conjunct in &conjuncts {
        if let Some(target) = conjunct.target {
            assignments[target.index()].push(conjunct);
        }
    }
    let mut work: Vec<VarId> = needed.iter().copied().collect();
    while let Some(variable) = work.pop() {
        for conjunct in &assignments[variable.index()] {
            for &other in conjunct.current.iter().chain(&conjunct.next) {
                if needed.insert(other) {
                    work.push(other);
                }
            }
        }
    }
    let without = |order: Vec<VarId>| {
        order
            .into_iter()
            .filter(|variable| !needed.contains(variable))
            .collect()
    };
    Cone {
        init_order: without(init_order),
        step_order: without(step_order),
        ..reduce(system, &needed, &conjuncts)
    }
}

/// The variable whose next value a condition on steps assigns: some value satisfies it whatever the others are. The first, if there are several.
pub fn assigned_next(system: &TransitionSystem, conjunct: TermId, next: &[VarId]) -> Option<VarId> {
    let is_assigned = |variable: &&VarId| {
        let sort = &system.variable(**variable).sort;
        always_satisfiable(&system.terms, conjunct, Leaf::Next(**variable), sort)
    };
    next.iter().find(is_assigned).copied()
}

/// All conjuncts with the variable each may assign, if it is a matter of one conjunct.
fn conjuncts(system: &TransitionSystem, asked: &BTreeSet<VarId>) -> Vec<Conjunct> {
    let mut supports = Supports::new(&system.terms);
    let mut of = |terms: &[TermId], moment: Moment| -> Vec<Conjunct> {
        terms
            .iter()
            .map(|&term| {
                let (current, next) = supports.of(&[term]);
                let target = assigned(system, term, moment, &current, &next, asked);
                Conjunct {
                    term,
                    moment,
                    current,
                    next,
                    target,
                }
            })
            .collect()
    };
    let mut all = of(&system.init, Moment::Init);
    all.extend(of(&system.invariant, Moment::Invariant));
    all.extend(of(&system.transition, Moment::Transition));
    all
}

/// The variable that a conjunct assigns; if there is a choice, one that is not asked about.
fn assigned(
    system: &TransitionSystem,
    term: TermId,
    moment: Moment,
    current: &[VarId],
    next: &[VarId],
    asked: &BTreeSet<VarId>,
) -> Option<VarId> {
    let kind = |variable: VarId| system.variable(variable).kind;
    let leaves: Vec<Leaf> = match moment {
        Moment::Init => current.iter().copied().map(Leaf::Current).collect(),
        // A frozen variable cannot follow the others.
        Moment::Invariant => current
            .iter()
            .copied()
            .filter(|&variable| kind(variable) == VarKind::State)
            .map(Leaf::Current)
            .collect(),
        Moment::Transition => {
            let inputs = current
                .iter()
                .copied()
                .filter(|&variable| kind(variable) == VarKind::Input);
            next.iter()
                .copied()
                .map(Leaf::Next)
                .chain(inputs.map(Leaf::Current))
                .collect()
        }
    };
    let mut candidates = leaves
        .into_iter()
        .filter(|leaf| {
            let sort = &system.variable(leaf.variable()).sort;
            always_satisfiable(&system.terms, term, *leaf, sort)
        })
        .map(Leaf::variable);
    let first = candidates.next()?;
    if !asked.contains(&first) {
        return Some(first);
    }
    candidates
        .find(|variable| !asked.contains(variable))
        .or(Some(first))
}

/// Turns assignments into constraints where a variable has several for one moment or they go in a circle. Gives the
/// variables that are left in the order in which they can be computed: initially, and after a step.
fn settle_targets(system: &TransitionSystem, conjuncts: &mut [Conjunct]) -> (Vec<VarId>, Vec<VarId>) {
    let mut counts = vec![[0usize; 3]; system.variables().len()];
    for conjunct in conjuncts.iter() {
        if let Some(target) = conjunct.target {
            counts[target.index()][conjunct.moment as usize] += 1;
        }
    }
    let settled = |variable: VarId| match counts[variable.index()] {
        [0, 1, 0] => true,
        [init, invariant, step] => init <= 1 && invariant == 0 && step <= 1,
    };
    constrain(conjuncts, |variable| !settled(variable));
    loop {
        let (init_order, init_circle) = order(system, conjuncts, Moment::Init);
        let (step_order, step_circle) = order(system, conjuncts, Moment::Transition);
        if init_circle.is_empty() && step_circle.is_empty() {
            return (init_order, step_order);
        }
        constrain(conjuncts, |variable| {
            init_circle.contains(&variable) || step_circle.contains(&variable)
        });
    }
}

/// Makes the assignments to these variables constraints.
fn constrain(conjuncts: &mut [Conjunct], to: impl Fn(VarId) -> bool) {
    for conjunct in conjuncts {
        if conjunct.target.is_some_and(&to) {
            conjunct.target = None;
        }
    }
}

/// The variables to be given values at a moment, those that others are computed from first; and those in or behind a circle.
fn order(system: &TransitionSystem, conjuncts: &[Conjunct], moment: Moment) -> (Vec<VarId>, BTreeSet<VarId>) {
    let is_input = |variable: &VarId| system.variable(*variable).kind == VarKind::Input;
    let is_frozen = |variable: &VarId| system.variable(*variable).kind == VarKind::Frozen;
    let takes_part = |variable: &VarId| match moment {
        Moment::Init => !is_input(variable),
        _ => !is_frozen(variable),
    };
    // For each variable, those that are computed from it, and how many it is still waiting for.
    let mut dependants: Vec<Vec<VarId>> = vec![Vec::new(); system.variables().len()];
    let mut waits = vec![0usize; system.variables().len()];
    for conjunct in conjuncts {
        let Some(target) = conjunct.target else {
            continue;
        };
        let at_this_moment: Vec<VarId> = match (moment, conjunct.moment) {
            (Moment::Init, Moment::Init | Moment::Invariant) => conjunct.current.clone(),
            // After a step, the invariant speaks of the next values.
            (Moment::Transition, Moment::Invariant) => conjunct
                .current
                .iter()
                .copied()
                .filter(|variable| !is_frozen(variable))
                .collect(),
            (Moment::Transition, Moment::Transition) => {
                let inputs = conjunct.current.iter().copied().filter(is_input);
                conjunct.next.iter().copied().chain(inputs).collect()
            }
            _ => continue,
        };
        for other in at_this_moment {
            if other != target && takes_part(&other) {
                dependants[other.index()].push(target);
                waits[target.index()] += 1;
            }
        }
    }
    let all: Vec<VarId> = system.variable_ids().filter(takes_part).collect();
    let mut sorted: Vec<VarId> = all
        .iter()
        .copied()
        .filter(|variable| waits[variable.index()] == 0)
        .collect();
    let mut at = 0;
    while at < sorted.len() {
        for &dependant in &dependants[sorted[at].index()] {
            waits[dependant.index()] -= 1;
            if waits[dependant.index()] == 0 {
                sorted.push(dependant);
            }
        }
        at += 1;
    }
    let circle = all
        .into_iter()
        .filter(|variable| waits[variable.index()] > 0)
        .collect();
    (sorted, circle)
}

fn reduce(system: &TransitionSystem, needed: &BTreeSet<VarId>, conjuncts: &[Conjunct]) -> Cone {
    let kept: Vec<VarId> = needed.iter().copied().collect();
    let mut reduced = TransitionSystem::new();
    for &variable in &kept {
        let variable = system.variable(variable);
        reduced.add_variable(&variable.name, variable.sort.clone(), variable.kind);
    }
    let (staying, going): (Vec<&Conjunct>, Vec<&Conjunct>) = conjuncts
        .iter()
        .partition(|conjunct| conjunct.target.is_none_or(|target| needed.contains(&target)));
    let mut supports = Supports::new(&system.terms);
    let defines: Vec<&Define> = system
        .defines
        .iter()
        .filter(|define| {
            let (current, next) = supports.of(&[define.term]);
            current
                .iter()
                .chain(&next)
                .all(|variable| needed.contains(variable))
        })
        .collect();

    // All terms in one go: each import looks at the whole store.
    let compassion = system.compassion.iter().flat_map(|&(often, then)| [often, then]);
    let roots: Vec<TermId> = (staying.iter().map(|conjunct| conjunct.term))
        .chain(system.justice.iter().copied())
        .chain(compassion)
        .chain(system.hazards.iter().map(|hazard| hazard.condition))
        .chain(defines.iter().map(|define| define.term))
        .collect();
    let images = reduced
        .terms
        .import(&system.terms, &roots, |variable| renamed(&kept, variable));
    let mut images = images.into_iter();
    let mut image = || images.next().expect("one for each root");
    for conjunct in &staying {
        let list = match conjunct.moment {
            Moment::Init => &mut reduced.init,
            Moment::Invariant => &mut reduced.invariant,
            Moment::Transition => &mut reduced.transition,
        };
        list.push(image());
    }
    reduced.justice = system.justice.iter().map(|_| image()).collect();
    reduced.compassion = system.compassion.iter().map(|_| (image(), image())).collect();
    for hazard in &system.hazards {
        let condition = image();
        reduced.hazards.push(Hazard {
            condition,
            ..hazard.clone()
        });
    }
    for define in defines {
        let name = define.name.clone();
        reduced.defines.push(Define { name, term: image() });
    }

    let mut dropped = Dropped::default();
    for conjunct in going {
        let list = match conjunct.moment {
            Moment::Init => &mut dropped.init,
            Moment::Invariant => &mut dropped.invariant,
            Moment::Transition => &mut dropped.transition,
        };
        list.push(conjunct.term);
    }
    Cone {
        system: reduced,
        kept,
        dropped,
        init_order: Vec::new(),
        step_order: Vec::new(),
    }
}

/// The number of a kept variable in the reduced system.
fn renamed(kept: &[VarId], variable: VarId) -> VarId {
    let at = kept
        .binary_search(&variable)
        .expect("the cone of what is kept is kept");
    VarId::new(at as u32)
}

impl Cone {
    /// A term of the original in the reduced system's store, if it depends on kept variables only.
    pub fn import(&mut self, original: &TransitionSystem, term: TermId) -> Option<TermId> {
        let (current, next) = original.terms.support(&[term]);
        let place = |variable: &VarId| self.kept.binary_search(variable).ok();
        if !current
            .iter()
            .chain(&next)
            .all(|variable| place(variable).is_some())
        {
            return None;
        }
        let kept = &self.kept;
        let rename = |variable: VarId| renamed(kept, variable);
        Some(self.system.terms.import(&original.terms, &[term], rename)[0])
    }

    /// A path of the original system whose projection is the given path of the reduced one.
    ///
    /// Each step of a path gives a value to every variable; `loop_start` says where the path goes on after its last step, if it
    /// is infinite (inputs of the last step of a finite path have no value). The dropped variables may need several
    /// rounds through the loop, at most `rounds`, until they return to an earlier value; the completed path is that much longer.
    pub fn complete(
        &self,
        original: &TransitionSystem,
        steps: &[Vec<Option<Value>>],
        loop_start: Option<usize>,
        rounds: usize,
    ) -> Result<CompletedPath, CompleteError> {
        self.complete_from(original, None, steps, loop_start, rounds)
    }

    /// The same for a path that goes on from a state of the original system (of which the first step is the projection), instead of
    /// from an initial one.
    pub fn complete_from(
        &self,
        original: &TransitionSystem,
        start: Option<&[Option<Value>]>,
        steps: &[Vec<Option<Value>>],
        loop_start: Option<usize>,
        rounds: usize,
    ) -> Result<CompletedPath, CompleteError> {
        let mut system = original.clone();
        let later: Vec<TermId> = self
            .dropped
            .invariant
            .iter()
            .map(|&term| system.primed(term))
            .collect();
        let at_first: Vec<TermId> = self
            .dropped
            .init
            .iter()
            .chain(&self.dropped.invariant)
            .copied()
            .collect();
        let on_step: Vec<TermId> = self.dropped.transition.iter().chain(&later).copied().collect();
        let first_leaves: Vec<Leaf> = self.init_order.iter().copied().map(Leaf::Current).collect();
        let step_leaves: Vec<Leaf> = self
            .step_order
            .iter()
            .map(|&variable| match original.variable(variable).kind {
                VarKind::Input => Leaf::Current(variable),
                _ => Leaf::Next(variable),
            })
            .collect();
        let first = Enumeration::new(&system, first_leaves, &at_first);
        let step = Enumeration::new(&system, step_leaves, &on_step);

        let widen = |narrow: &[Option<Value>]| {
            let mut wide = original.blank();
            for (value, variable) in narrow.iter().zip(&self.kept) {
                wide[variable.index()] = value.clone();
            }
            wide
        };
        let Some(beginning) = steps.first() else {
            return Err(CompleteError::NotAPath(0));
        };
        let mut state = widen(beginning);
        match start {
            None => (state, _) = solve(&first, state, Vec::new())?.ok_or(CompleteError::NotAPath(0))?,
            Some(start) => {
                for id in original.state_variables() {
                    state[id.index()] = start[id.index()].clone();
                }
            }
        }
        let mut path = vec![state];
        let mut at = 0;
        // Where the path was each time it came to the start of the loop.
        let mut turns: Vec<usize> = Vec::new();
        loop {
            if loop_start == Some(at) {
                let here = path.len() - 1;
                let same = |turn: &&usize| {
                    self.state_part(original, &path[**turn]) == self.state_part(original, &path[here])
                };
                if let Some(&turn) = turns.iter().find(same) {
                    path.pop();
                    return Ok(CompletedPath {
                        steps: path,
                        loop_start: Some(turn),
                    });
                }
                if turns.len() > rounds {
                    return Err(CompleteError::LoopTooLong(rounds));
                }
                turns.push(here);
            }
            let next_at = if at + 1 < steps.len() {
                Some(at + 1)
            } else {
                loop_start
            };
            let Some(next_at) = next_at else {
                return Ok(CompletedPath {
                    steps: path,
                    loop_start: None,
                });
            };
            let here = path.len() - 1;
            let mut after = widen(&steps[next_at]);
            for variable in original.variable_ids() {
                if original.variable(variable).kind == VarKind::Frozen {
                    after[variable.index()] = path[here][variable.index()].clone();
                }
            }
            let solved = solve(&step, path[here].clone(), after)?;
            let (now, after) = solved.ok_or(CompleteError::NotAPath(here))?;
            path[here] = now;
            path.push(after);
            at = next_at;
        }
    }

    /// The values of the dropped variables that belong to the state.
    fn state_part<'v>(
        &self,
        original: &TransitionSystem,
        step: &'v [Option<Value>],
    ) -> Vec<&'v Option<Value>> {
        original
            .state_variables()
            .map(|variable| &step[variable.index()])
            .collect()
    }
}

/// A path of the original system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompletedPath {
    /// A value for every variable at every step.
    pub steps: Vec<Vec<Option<Value>>>,
    /// Where it goes on after the last step, if it is infinite.
    pub loop_start: Option<usize>,
}

/// The first solution.
fn solve(
    enumeration: &Enumeration<'_>,
    mut current: Vec<Option<Value>>,
    mut next: Vec<Option<Value>>,
) -> Result<Option<Solution>, DomainTooLarge> {
    let mut found = None;
    enumeration.for_each(&mut current, &mut next, &mut |current, next| {
        found = Some((current.to_vec(), next.to_vec()));
        ControlFlow::Break(())
    })?;
    Ok(found)
}

type Solution = (Vec<Option<Value>>, Vec<Option<Value>>);
