//! Recognising interleaving: from the conjuncts of a model to the parts of a disjunctive relation.
//!
//! Two shapes are looked for.
//!
//! - **A large disjunction of actions**, each of which says what moves and keeps the rest by `next(x) = x`. Actions that keep
//!   the same variables become one part; the equations are not represented.
//! - **A selector**: an input such that, for each of its values, most conjuncts turn into `next(x) = x` (the scheduler of
//!   SMV's processes). Each value becomes a part, with the conjuncts as they are under that value.
//!
//! Everything else is one part with all conjuncts.

use crate::encoding::{Bit, Encoding};
use crate::relation::PartSpec;
use crate::static_order::kept_variable;
use crate::stop::Attempt;
use crate::translate::{Translator, balanced};
use entail_dd::Bdd;
use entail_model::{Op, TermId, TransitionSystem, VarId, VarKind};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// Disjunctions with fewer branches are left as they are.
const MANY_BRANCHES: usize = 12;
/// Inputs with more values are no selectors.
const MANY_CHOICES: u64 = 64;

/// The conjuncts of a conjunction, nested ones included.
pub(crate) fn flatten(system: &TransitionSystem, conditions: &[TermId]) -> Vec<TermId> {
    let mut flat = Vec::new();
    let mut pending: Vec<TermId> = conditions.iter().rev().copied().collect();
    while let Some(term) = pending.pop() {
        match system.terms.op(term) {
            Op::And => pending.extend(system.terms.operands(term).iter().rev()),
            _ => flat.push(term),
        }
    }
    flat
}

/// The parts of a system's transition relation.
pub(crate) fn parts(
    system: &TransitionSystem,
    translator: &mut Translator<'_>,
    disjunctive: bool,
) -> Attempt<Vec<PartSpec>> {
    let conjuncts = flatten(system, &system.transition);
    if disjunctive && let Some(parts) = actions(system, translator, &conjuncts)? {
        return Ok(parts);
    }
    let mut conditions = Vec::with_capacity(conjuncts.len());
    for &conjunct in &conjuncts {
        conditions.push(translator.condition(conjunct)?);
    }
    translator.forget();
    let encoding = translator.encoding;
    if disjunctive && let Some(parts) = by_selector(system, encoding, &conditions)? {
        return Ok(parts);
    }
    conditions.extend(encoding.valid_inputs.iter().cloned());
    Ok(vec![PartSpec {
        conjuncts: conditions,
        changed: encoding.state_bits.clone(),
        inputless: false,
    }])
}

fn bits_of<'a>(encoding: &'a Encoding, variables: impl Iterator<Item = VarId> + 'a) -> Vec<Bit> {
    variables
        .flat_map(|id| encoding.layouts[id.index()].bits.iter().copied())
        .collect()
}

/// A disjunction of actions, grouped by what they keep.
fn actions(
    system: &TransitionSystem,
    translator: &mut Translator<'_>,
    conjuncts: &[TermId],
) -> Attempt<Option<Vec<PartSpec>>> {
    let branches_of = |term: &TermId| match system.terms.op(*term) {
        Op::Or => system.terms.operands(*term).len(),
        _ => 0,
    };
    let Some(&choice) = conjuncts.iter().max_by_key(|term| branches_of(term)) else {
        return Ok(None);
    };
    if branches_of(&choice) < MANY_BRANCHES {
        return Ok(None);
    }
    let mut groups: BTreeMap<Vec<VarId>, Vec<Vec<TermId>>> = BTreeMap::new();
    for &branch in system.terms.operands(choice) {
        let operands = flatten(system, &[branch]);
        let mut kept: Vec<VarId> = operands
            .iter()
            .filter_map(|&operand| kept_variable(system, operand))
            .collect();
        kept.retain(|&id| system.variable(id).kind == VarKind::State);
        kept.sort_unstable();
        kept.dedup();
        let moving = operands.into_iter().filter(|&operand| {
            kept_variable(system, operand).is_none_or(|id| kept.binary_search(&id).is_err())
        });
        let moving: Vec<TermId> = moving.collect();
        groups.entry(kept).or_default().push(moving);
    }
    let states = system
        .state_variables()
        .filter(|&id| system.variable(id).kind == VarKind::State)
        .count();
    let mean_kept = groups
        .iter()
        .map(|(kept, branches)| kept.len() * branches.len())
        .sum::<usize>() as f64
        / branches_of(&choice) as f64;
    if mean_kept < states as f64 * 0.5 {
        return Ok(None);
    }
    let mut common = Vec::new();
    for &conjunct in conjuncts.iter().filter(|&&conjunct| conjunct != choice) {
        common.push(translator.condition(conjunct)?);
    }
    let encoding = translator.encoding;
    common.extend(encoding.valid_inputs.iter().cloned());
    let mut parts = Vec::with_capacity(groups.len());
    for (kept, branches) in groups {
        let mut moves = Vec::with_capacity(branches.len());
        for branch in branches {
            let mut conditions = Vec::with_capacity(branch.len());
            for condition in branch {
                conditions.push(translator.condition(condition)?);
            }
            moves.push(balanced(conditions, encoding.manager.one(), Bdd::and)?);
        }
        let mut conjuncts = common.clone();
        conjuncts.push(balanced(moves, encoding.manager.zero(), Bdd::or)?);
        let moving = system
            .state_variables()
            .filter(|&id| system.variable(id).kind == VarKind::State && kept.binary_search(&id).is_err());
        parts.push(PartSpec {
            conjuncts,
            changed: bits_of(encoding, moving),
            inputless: false,
        });
    }
    translator.forget();
    Ok(Some(parts))
}

/// One part for each value of an input that decides which variables are kept.
fn by_selector(
    system: &TransitionSystem,
    encoding: &Encoding,
    conditions: &[Bdd],
) -> Attempt<Option<Vec<PartSpec>>> {
    let manager = &encoding.manager;
    #[allow(clippy::mutable_key_type)] // What may change inside a handle is a count, not its identity.
    let mut frames: FxHashMap<Bdd, VarId> = FxHashMap::default();
    let changing: Vec<VarId> = system
        .state_variables()
        .filter(|&id| system.variable(id).kind == VarKind::State)
        .collect();
    for &id in &changing {
        let mut frame = manager.one();
        for bit in &encoding.layouts[id.index()].bits {
            if let Some(next) = bit.next {
                frame = frame.and(&manager.var(bit.current)?.iff(&manager.var(next)?)?)?;
            }
        }
        if !frame.is_true() {
            frames.insert(frame, id);
        }
    }
    for selector in system.input_variables() {
        let layout = &encoding.layouts[selector.index()];
        let Some(choices) = layout
            .sort
            .size()
            .filter(|&size| (2..=MANY_CHOICES).contains(&size))
        else {
            continue;
        };
        let own: Vec<entail_dd::Var> = layout.bits.iter().map(|bit| bit.current).collect();
        let mentioned = conditions
            .iter()
            .filter(|c| c.support().iter().any(|var| own.contains(var)))
            .count();
        if mentioned * 2 < changing.len() || changing.len() < 2 {
            continue;
        }
        let mut parts = Vec::new();
        let mut kept_in_all = 0;
        for choice in 0..choices {
            let chosen = manager.cube(
                own.iter()
                    .enumerate()
                    .map(|(place, &var)| (var, choice >> place & 1 == 1)),
            )?;
            let mut conjuncts = vec![chosen.clone()];
            let mut kept = Vec::new();
            for condition in conditions {
                let here = condition.cofactor_by(&chosen)?;
                match frames.get(&here) {
                    Some(&id) => kept.push(id),
                    None => conjuncts.push(here),
                }
            }
            conjuncts.extend(encoding.valid_inputs.iter().cloned());
            kept.sort_unstable();
            kept.dedup();
            kept_in_all += kept.len();
            let moving = changing
                .iter()
                .copied()
                .filter(|id| kept.binary_search(id).is_err());
            parts.push(PartSpec {
                conjuncts,
                changed: bits_of(encoding, moving),
                inputless: false,
            });
        }
        if kept_in_all * 2 >= changing.len() * choices as usize {
            return Ok(Some(parts));
        }
    }
    Ok(None)
}
