//! What an abstraction keeps or leaves out: a system's conjuncts, put together by the variable they determine.

use entail_model::{Kept, Supports, TermId, TransitionSystem, VarId, VarKind, assigned_next};
use rustc_hash::FxHashMap;

/// Conjuncts that are kept or left out together: those that determine one variable (its initial value, its next value, what
/// is said of it alone), or a constraint between several.
#[derive(Clone, Debug, Default)]
pub(crate) struct Part {
    /// The variable, if it is about one.
    pub(crate) variable: Option<VarId>,
    /// About how many bits of state keeping it costs.
    pub(crate) bits: u64,
    /// Its conjuncts.
    pub(crate) conjuncts: Kept,
    /// Variables whose values it restricts.
    pub(crate) determines: Vec<VarId>,
    /// Variables it reads, those it determines among them.
    pub(crate) reads: Vec<VarId>,
}

/// All parts of a system.
#[derive(Clone, Debug)]
pub(crate) struct Parts {
    pub(crate) list: Vec<Part>,
    /// For each variable the parts that determine it.
    determined_by: Vec<Vec<usize>>,
}

/// Where a conjunct stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Moment {
    Init,
    Invariant,
    Transition,
}

impl Parts {
    /// Takes a system apart.
    pub(crate) fn new(system: &TransitionSystem) -> Parts {
        let mut supports = Supports::new(&system.terms);
        let mut list: Vec<Part> = Vec::new();
        let mut part_of: FxHashMap<VarId, usize> = FxHashMap::default();
        let moments = [
            (Moment::Transition, &system.transition),
            (Moment::Init, &system.init),
            (Moment::Invariant, &system.invariant),
        ];
        for (moment, conjuncts) in moments {
            for (position, &conjunct) in conjuncts.iter().enumerate() {
                let (current, next) = supports.of(&[conjunct]);
                let determines = match moment {
                    Moment::Transition if next.is_empty() => current.clone(),
                    Moment::Transition if next.len() == 1 => next.clone(),
                    Moment::Transition => match assigned_next(system, conjunct, &next) {
                        Some(variable) => vec![variable],
                        None => next.clone(),
                    },
                    Moment::Init | Moment::Invariant => current.clone(),
                };
                let variable = match determines.as_slice() {
                    [variable] if system.variable(*variable).kind != VarKind::Input => Some(*variable),
                    _ => None,
                };
                let at = match variable {
                    Some(variable) => *part_of.entry(variable).or_insert(list.len()),
                    None => list.len(),
                };
                if at == list.len() {
                    let of_state = |variable: &&VarId| system.variable(**variable).kind != VarKind::Input;
                    list.push(Part {
                        variable,
                        bits: determines
                            .iter()
                            .filter(of_state)
                            .map(|&one| system.variable(one).sort.bits())
                            .sum(),
                        ..Part::default()
                    });
                }
                let part = &mut list[at];
                let positions = match moment {
                    Moment::Init => &mut part.conjuncts.init,
                    Moment::Invariant => &mut part.conjuncts.invariant,
                    Moment::Transition => &mut part.conjuncts.transition,
                };
                positions.push(position);
                part.determines.extend(determines);
                part.reads.extend(current.into_iter().chain(next));
            }
        }
        let mut determined_by = vec![Vec::new(); system.variables().len()];
        for (at, part) in list.iter_mut().enumerate() {
            for variables in [&mut part.determines, &mut part.reads] {
                variables.sort_unstable();
                variables.dedup();
            }
            for variable in &part.determines {
                determined_by[variable.index()].push(at);
            }
        }
        Parts { list, determined_by }
    }

    /// How many parts there are.
    pub(crate) fn len(&self) -> usize {
        self.list.len()
    }

    /// The parts about single variables that determine what the terms read: the coarsest abstraction that is appropriate for them.
    pub(crate) fn about(&self, system: &TransitionSystem, terms: &[TermId]) -> Vec<usize> {
        let (current, next) = system.terms.support(terms);
        let mut found: Vec<usize> = (current.iter().chain(&next))
            .flat_map(|variable| &self.determined_by[variable.index()])
            .copied()
            .filter(|&part| self.list[part].variable.is_some())
            .collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Adds the parts that determine what chosen parts (or the given variables) read. Whether there were any.
    pub(crate) fn widen(&self, chosen: &mut [bool], variables: &[VarId]) -> bool {
        let read = (0..self.len())
            .filter(|&part| chosen[part])
            .flat_map(|part| &self.list[part].reads)
            .chain(variables);
        let new: Vec<usize> = read
            .flat_map(|variable| &self.determined_by[variable.index()])
            .copied()
            .filter(|&part| !chosen[part])
            .collect();
        for &part in &new {
            chosen[part] = true;
        }
        !new.is_empty()
    }

    /// The conjuncts of the chosen parts.
    pub(crate) fn kept(&self, chosen: &[bool]) -> Kept {
        let mut kept = Kept::default();
        for (part, _) in self.list.iter().zip(chosen).filter(|(_, is_chosen)| **is_chosen) {
            kept.init.extend(&part.conjuncts.init);
            kept.invariant.extend(&part.conjuncts.invariant);
            kept.transition.extend(&part.conjuncts.transition);
        }
        for positions in [&mut kept.init, &mut kept.invariant, &mut kept.transition] {
            positions.sort_unstable();
        }
        kept
    }

    /// A part in words.
    pub(crate) fn name(&self, system: &TransitionSystem, part: usize) -> String {
        let name = |variable: VarId| system.variable(variable).name.to_string();
        match &self.list[part] {
            Part {
                variable: Some(variable),
                ..
            } => name(*variable),
            Part { determines, .. } => {
                let shown: Vec<String> = determines.iter().take(NAMES).map(|&one| name(one)).collect();
                let more = if determines.len() > NAMES { ", …" } else { "" };
                format!("constraint({}{more})", shown.join(", "))
            }
        }
    }
}

/// Number of variables in the name of a constraint.
const NAMES: usize = 4;
