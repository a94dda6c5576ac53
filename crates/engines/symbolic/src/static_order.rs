//! A variable order from the structure of the model.
//!
//! Variables that occur together should be close. Each conjunct of the model is a hyperedge over its variables, and so is
//! each branch of a large disjunction; the order is the one, among the declaration order and what FORCE makes of it and of a
//! depth-first order, for which the total span of the hyperedges is least.

use crate::encoding::width_of;
use crate::options::InitialOrder;
use crate::stop::Attempt;
use entail_dd::order::{depth_first_order, force_order, total_span};
use entail_model::{Op, Supports, TermId, TransitionSystem, VarId};

/// The bits of all variables from the top of the order down.
pub(crate) fn bit_order(system: &TransitionSystem, wish: &InitialOrder) -> Attempt<Vec<(VarId, usize)>> {
    let declared: Vec<VarId> = system.variable_ids().collect();
    let variables = match wish {
        InitialOrder::Structure => best_order(&hyperedges(system), declared.len())
            .into_iter()
            .map(|index| VarId::new(index as u32))
            .collect(),
        InitialOrder::Declared => declared,
        InitialOrder::Random(seed) => shuffled(declared, *seed),
        InitialOrder::Listed(names) => return listed(system, names),
    };
    let mut order = Vec::new();
    for id in variables {
        for bit in (0..width_of(&system.variable(id).sort)?).rev() {
            order.push((id, bit));
        }
    }
    Ok(order)
}

fn listed(system: &TransitionSystem, names: &[String]) -> Attempt<Vec<(VarId, usize)>> {
    let mut widths = Vec::new();
    let mut by_name = rustc_hash::FxHashMap::default();
    for id in system.variable_ids() {
        widths.push(width_of(&system.variable(id).sort)?);
        by_name.insert(system.variable(id).name.to_string(), id);
    }
    let mut placed: Vec<Vec<bool>> = widths.iter().map(|&width| vec![false; width]).collect();
    let mut order = Vec::new();
    let mut place = |id: VarId, bit: usize, order: &mut Vec<(VarId, usize)>| {
        if !std::mem::replace(&mut placed[id.index()][bit], true) {
            order.push((id, bit));
        }
    };
    for name in names {
        if let Some(&id) = by_name.get(name.as_str()) {
            (0..widths[id.index()])
                .rev()
                .for_each(|bit| place(id, bit, &mut order));
            continue;
        }
        let bit_of = name.rsplit_once('.').and_then(|(base, bit)| {
            let id = *by_name.get(base)?;
            let bit: usize = bit.parse().ok()?;
            (bit < widths[id.index()]).then_some((id, bit))
        });
        // The system may be a part of the model that the order was made for.
        if let Some((id, bit)) = bit_of {
            place(id, bit, &mut order);
        }
    }
    for id in system.variable_ids() {
        (0..widths[id.index()])
            .rev()
            .for_each(|bit| place(id, bit, &mut order));
    }
    Ok(order)
}

fn shuffled(mut variables: Vec<VarId>, seed: u64) -> Vec<VarId> {
    // Fisher–Yates with a linear congruential generator; for tests only.
    let mut state = seed.wrapping_mul(2).wrapping_add(1);
    for at in (1..variables.len()).rev() {
        state = state
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        variables.swap(at, (state >> 33) as usize % (at + 1));
    }
    variables
}

/// The sets of variables that occur together: one for each conjunct, and for each branch of a large disjunction.
pub(crate) fn hyperedges(system: &TransitionSystem) -> Vec<Vec<usize>> {
    let mut supports = Supports::new(&system.terms);
    let mut edges = Vec::new();
    let mut pending: Vec<TermId> = system
        .init
        .iter()
        .chain(&system.invariant)
        .chain(&system.transition)
        .copied()
        .collect();
    while let Some(term) = pending.pop() {
        let operands = system.terms.operands(term);
        match system.terms.op(term) {
            Op::And => pending.extend(operands),
            Op::Or if operands.len() > 16 => {
                edges.extend(
                    operands
                        .iter()
                        .map(|&operand| changed_by(system, &mut supports, operand)),
                );
            }
            _ => edges.push(variables_of(&mut supports, &[term])),
        }
    }
    edges.retain(|edge| edge.len() > 1);
    edges.sort_unstable();
    edges.dedup();
    edges
}

fn variables_of(supports: &mut Supports<'_>, roots: &[TermId]) -> Vec<usize> {
    let (current, next) = supports.of(roots);
    let mut found: Vec<usize> = current.iter().chain(&next).map(|id| id.index()).collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// The variables of a branch without those it only keeps.
fn changed_by(system: &TransitionSystem, supports: &mut Supports<'_>, branch: TermId) -> Vec<usize> {
    let operands = match system.terms.op(branch) {
        Op::And => system.terms.operands(branch).to_vec(),
        _ => vec![branch],
    };
    let moving: Vec<TermId> = operands
        .into_iter()
        .filter(|&operand| kept_variable(system, operand).is_none())
        .collect();
    variables_of(supports, &moving)
}

/// The variable `x` of a condition `next(x) = x`.
pub(crate) fn kept_variable(system: &TransitionSystem, term: TermId) -> Option<VarId> {
    if *system.terms.op(term) != Op::Equal {
        return None;
    }
    match system.terms.operands(term) {
        [a, b] => match (system.terms.op(*a), system.terms.op(*b)) {
            (Op::Current(now), Op::Next(after)) | (Op::Next(after), Op::Current(now)) if now == after => {
                Some(*now)
            }
            _ => None,
        },
        _ => None,
    }
}

/// The candidate whose hyperedges span least.
fn best_order(edges: &[Vec<usize>], count: usize) -> Vec<usize> {
    let declared: Vec<usize> = (0..count).collect();
    let related = depth_first_order(&declared, edges);
    let candidates = [
        declared.clone(),
        force_order(&declared, edges),
        force_order(&related, edges),
    ];
    candidates
        .into_iter()
        .min_by_key(|order| total_span(order, edges))
        .unwrap_or(declared)
}
