//! Product and union.
//!
//! The product walks both automata in lockstep; the marks of the second are moved behind those of the first and the
//! conditions are joined by "and" (intersection) or, for complete automata, by "or" (synchronous union). The plain union
//! puts the automata side by side, each keeping its own marks: `n1 + n2` states.

use crate::acceptance::{Acceptance, Marks};
use crate::automaton::{Automaton, State, joint_propositions};
use crate::error::{AutomataError, Result};
use rustc_hash::FxHashMap;

/// The product automaton and the pair of states each of its states stands for.
pub type Product = (Automaton, Vec<(State, State)>);

/// Accepts what both accept. At most `n1 * n2` states.
pub fn intersection(a: &Automaton, b: &Automaton) -> Result<Product> {
    synchronous(a, b, |left, right| Acceptance::all([left, right]))
}

/// Accepts what either accepts, by the product of complete automata: deterministic if both are.
pub fn synchronous_union(a: &Automaton, b: &Automaton) -> Result<Product> {
    let (mut a, mut b) = (a.clone(), b.clone());
    a.complete()?;
    b.complete()?;
    synchronous(&a, &b, |left, right| Acceptance::any([left, right]))
}

fn synchronous(
    a: &Automaton,
    b: &Automaton,
    join: impl Fn(Acceptance, Acceptance) -> Acceptance,
) -> Result<Product> {
    let propositions = joint_propositions(a, b);
    let mut a = a.over(&propositions)?;
    let b = b.over(&propositions)?;
    let offset = a.mark_count();
    let total = offset + b.mark_count();
    if total > 64 {
        return Err(AutomataError::TooManyMarks(total as usize));
    }
    let acceptance = join(a.acceptance().clone(), b.acceptance().shifted(offset));
    let mut product = Automaton::new(propositions, acceptance, total)?;
    // Work in the first automaton's store; bring the second's labels over once.
    let mut imported = FxHashMap::default();
    let right: Vec<Vec<(crate::label::Label, State, Marks)>> = b
        .states()
        .map(|state| {
            b.edges(state)
                .iter()
                .map(|edge| {
                    let label = a.labels.import(&b.labels, edge.label, &|var| var, &mut imported);
                    (label, edge.target, edge.marks.shifted(offset))
                })
                .collect()
        })
        .collect();
    product.labels = std::mem::take(&mut a.labels);
    let mut pairs: Vec<(State, State)> = Vec::new();
    let mut number: FxHashMap<(State, State), State> = FxHashMap::default();
    for &left in a.initial() {
        for &right in b.initial() {
            let state = product.add_state();
            number.insert((left, right), state);
            pairs.push((left, right));
            product.add_initial(state);
        }
    }
    let mut at = 0;
    while at < pairs.len() {
        let (p, q) = pairs[at];
        for edge in a.edges(p) {
            for &(label, target, marks) in &right[q.index()] {
                let both = product.labels.and(edge.label, label);
                if both == crate::label::Label::FALSE {
                    continue;
                }
                let pair = (edge.target, target);
                let state = *number.entry(pair).or_insert_with(|| {
                    pairs.push(pair);
                    product.add_state()
                });
                product.add_edge(State(at as u32), both, state, edge.marks.with(marks));
            }
        }
        at += 1;
    }
    Ok((product, pairs))
}

/// Accepts what either accepts: both side by side.
pub fn union(a: &Automaton, b: &Automaton) -> Result<Automaton> {
    let propositions = joint_propositions(a, b);
    let mut result = a.over(&propositions)?;
    let b = b.over(&propositions)?;
    // Two generalized Büchi conditions can share marks: each side carries all marks the other needs.
    if let (Some(left), Some(right)) = (
        a.acceptance().as_generalized_buchi(),
        b.acceptance().as_generalized_buchi(),
    ) {
        return Ok(shared_union(result, left, &b, right));
    }
    let offset = a.mark_count();
    // One mark tells on which side a run is, where a condition might hold without any mark.
    let side = offset + b.mark_count();
    let total = side + 1;
    if total > 64 {
        return Err(AutomataError::TooManyMarks(total as usize));
    }
    result.acceptance = Acceptance::any([
        Acceptance::all([Acceptance::Fin(side), a.acceptance().clone()]),
        Acceptance::all([Acceptance::Inf(side), b.acceptance().shifted(offset)]),
    ]);
    result.mark_count = total;
    append(&mut result, &b, |marks| {
        marks.shifted(offset).with(Marks::one(side))
    });
    Ok(result)
}

fn shared_union(mut result: Automaton, left: Marks, b: &Automaton, right: Marks) -> Automaton {
    let rank = |wanted: Marks, marks: Marks| {
        wanted
            .iter()
            .enumerate()
            .filter(|(_, mark)| marks.has(*mark))
            .fold(Marks::NONE, |all, (position, _)| {
                all.with(Marks::one(position as u32))
            })
    };
    let (own, others) = (left.0.count_ones(), right.0.count_ones());
    let count = own.max(others);
    let fill = |have: u32| Marks::first(count).without(Marks::first(have));
    for edge in result.edges.iter_mut().flatten() {
        edge.marks = rank(left, edge.marks).with(fill(own));
    }
    result.acceptance = Acceptance::generalized_buchi(count);
    result.mark_count = count;
    append(&mut result, b, |marks| rank(right, marks).with(fill(others)));
    result
}

fn append(result: &mut Automaton, b: &Automaton, marks: impl Fn(Marks) -> Marks) {
    let shift = result.state_count() as u32;
    let mut imported = FxHashMap::default();
    for state in b.states() {
        let fresh = result.add_state();
        for edge in b.edges(state) {
            let label = result
                .labels
                .import(&b.labels, edge.label, &|var| var, &mut imported);
            result.add_edge(fresh, label, State(edge.target.0 + shift), marks(edge.marks));
        }
    }
    for state in b.initial() {
        result.initial.push(State(state.0 + shift));
    }
}
