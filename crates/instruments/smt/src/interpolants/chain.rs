//! A refutation as resolution steps.
//!
//! A derived clause comes with the clauses it follows from by unit propagation. Going back from the clause that became false, each clause
//! that propagated a literal in use is resolved with what there is so far; the result is the derived clause or part of it. Only steps that
//! the empty clause needs are kept.

use entail_budget::{Budget, Spent};
use entail_first_order::{Literal, Refutation, RefutationStep, Rule};
use rustc_hash::{FxHashMap, FxHashSet};

/// How a clause comes about.
pub(super) enum Chain<'a> {
    Input(&'a [Literal], &'a Rule),
    /// A clause, resolved with others on literals that it, or the result so far, has negated.
    Resolved(u32, Vec<(Literal, u32)>),
}

/// The steps that the empty clause needs, in their order.
pub(super) struct Proof<'a> {
    pub steps: Vec<(u32, Chain<'a>)>,
    /// The number of the empty clause.
    pub last: u32,
}

/// The resolution steps of a refutation; none if a step does not follow.
pub(super) fn resolution_proof<'a>(
    refutation: &'a Refutation,
    budget: &Budget,
) -> Result<Option<Proof<'a>>, Spent> {
    let mut clauses: FxHashMap<u32, Vec<Literal>> = FxHashMap::default();
    let mut steps: Vec<(u32, Chain<'_>)> = Vec::with_capacity(refutation.steps.len());
    let mut values: Vec<i8> = vec![0; refutation.atoms.len() + 1];
    let mut last = None;
    for step in &refutation.steps {
        budget.check()?;
        let (id, clause) = match step {
            RefutationStep::Input { id, clause, rule } => {
                steps.push((*id, Chain::Input(clause, rule)));
                (*id, clause.to_vec())
            }
            RefutationStep::Derived { id, clause, hints } => {
                let Some((chain, clause)) = resolve(clause, hints, &clauses, &mut values) else {
                    return Ok(None);
                };
                steps.push((*id, chain));
                (*id, clause)
            }
        };
        if clause.is_empty() {
            last = Some(id);
            break;
        }
        clauses.insert(id, clause);
    }
    let Some(last) = last else { return Ok(None) };
    let mut needed: FxHashSet<u32> = FxHashSet::from_iter([last]);
    for (id, chain) in steps.iter().rev() {
        if let (true, Chain::Resolved(first, others)) = (needed.contains(id), chain) {
            needed.insert(*first);
            needed.extend(others.iter().map(|(_, other)| other));
        }
    }
    steps.retain(|(id, _)| needed.contains(id));
    Ok(Some(Proof { steps, last }))
}

fn resolve<'a>(
    clause: &[Literal],
    hints: &[u32],
    clauses: &FxHashMap<u32, Vec<Literal>>,
    values: &mut [i8],
) -> Option<(Chain<'a>, Vec<Literal>)> {
    let place = |literal: Literal| literal.unsigned_abs() as usize;
    let value = |values: &[i8], literal: Literal| i32::from(values[place(literal)]) * literal.signum();
    let mut assigned = Vec::new();
    for &literal in clause {
        if values[place(literal)] == 0 {
            values[place(literal)] = -literal.signum() as i8;
            assigned.push(place(literal));
        }
    }
    let mut units: Vec<(Literal, u32)> = Vec::new();
    let mut falsified = None;
    for &hint in hints {
        let Some(lits) = clauses.get(&hint) else { continue };
        let mut open = lits.iter().filter(|&&literal| value(values, literal) >= 0);
        match (open.next(), open.next()) {
            (None, _) => {
                falsified = Some(hint);
                break;
            }
            (Some(&unit), None) if value(values, unit) == 0 => {
                values[place(unit)] = unit.signum() as i8;
                assigned.push(place(unit));
                units.push((unit, hint));
            }
            _ => {}
        }
    }
    for place in assigned {
        values[place] = 0;
    }
    let first = falsified?;
    let mut current: FxHashSet<Literal> = clauses[&first].iter().copied().collect();
    let mut steps = Vec::new();
    for &(unit, hint) in units.iter().rev() {
        if current.remove(&-unit) {
            current.extend(clauses[&hint].iter().filter(|&&literal| literal != unit));
            steps.push((unit, hint));
        }
    }
    Some((Chain::Resolved(first, steps), current.into_iter().collect()))
}
