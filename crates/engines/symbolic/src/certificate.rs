//! A set of states as a term: what makes a proof of an invariant checkable by others.
//!
//! Each node of the diagram becomes an if-then-else over a condition "this bit of this variable is 1", built once. The
//! reachable states themselves are an inductive invariant; the term has as many operators as the diagram has nodes.

use crate::encoding::{Encoding, width_of};
use entail_dd::{Bdd, Var};
use entail_evidence::Certificate;
use entail_model::{Sort, TermId, Terms, TransitionSystem, VarKind};
use rustc_hash::FxHashMap;

/// Diagrams with more nodes are not written out.
const LARGEST: usize = 200_000;

/// The set as an inductive invariant, unless it is too large or speaks of bits outside the model.
pub(crate) fn certificate(
    system: &TransitionSystem,
    encoding: &Encoding,
    states: &Bdd,
) -> Option<Certificate> {
    let mut terms = Terms::new();
    let invariant = write_out(system, encoding, states, &mut terms)?;
    Some(Certificate { terms, invariant })
}

/// The set as a term over current values, unless it is too large or speaks of bits outside the model.
pub(crate) fn write_out(
    system: &TransitionSystem,
    encoding: &Encoding,
    states: &Bdd,
    terms: &mut Terms,
) -> Option<TermId> {
    if states.node_count() > LARGEST {
        return None;
    }
    let mut conditions: FxHashMap<Var, TermId> = FxHashMap::default();
    for var in states.support() {
        let condition = bit_condition(system, encoding, terms, var)?;
        conditions.insert(var, condition);
    }
    // Children before parents, with a list of pending nodes instead of recursion.
    #[allow(clippy::mutable_key_type)] // What may change inside a handle is a count, not its identity.
    let mut built: FxHashMap<Bdd, TermId> = FxHashMap::default();
    let mut pending = vec![states.clone()];
    while let Some(node) = pending.pop() {
        if built.contains_key(&node) {
            continue;
        }
        let Some((var, low, high)) = node.top() else {
            let constant = terms.truth(node.is_true());
            built.insert(node, constant);
            continue;
        };
        match (built.get(&high), built.get(&low)) {
            (Some(&high), Some(&low)) => {
                let term = terms.ite(conditions[&var], high, low).ok()?;
                built.insert(node, term);
            }
            _ => pending.extend([node, high, low]),
        }
    }
    built.get(states).copied()
}

/// The term that is true iff the bit is 1.
pub(crate) fn bit_condition(
    system: &TransitionSystem,
    encoding: &Encoding,
    terms: &mut Terms,
    var: Var,
) -> Option<TermId> {
    for id in system.variable_ids() {
        let layout = &encoding.layouts[id.index()];
        if layout.kind == VarKind::Input {
            continue;
        }
        if let Some(place) = layout.bits.iter().position(|bit| bit.current == var) {
            let variable = terms.current(id, layout.sort.clone());
            return bit_of(terms, variable, &layout.sort, place);
        }
    }
    None
}

fn bit_of(terms: &mut Terms, term: TermId, sort: &Sort, place: usize) -> Option<TermId> {
    match sort {
        Sort::Bool => Some(term),
        Sort::Word { .. } => {
            let bit = terms.extract(term, place as u32, place as u32).ok()?;
            let truth = terms.truth(true);
            let one = terms.bool_to_word(truth).ok()?;
            terms.equal(bit, one).ok()
        }
        Sort::Range { low, high } if high - low >= 64 => {
            let base = terms.integer(*low);
            let position = terms.subtract(term, base).ok()?;
            let width = width_of(sort).ok()? as u32;
            let word = terms.int_to_word(position, width, false).ok()?;
            bit_of(terms, word, &Sort::word(width), place)
        }
        Sort::Range { .. } | Sort::Enum(_) => {
            let chosen: Vec<TermId> = sort
                .values()
                .enumerate()
                .filter(|(position, _)| position >> place & 1 == 1)
                .map(|(_, value)| terms.constant(value))
                .collect();
            terms.one_of(term, &chosen).ok()
        }
        Sort::Array { index, element } => {
            let width = width_of(element).ok()?;
            let at = terms.constant(index.value_at((place / width) as u64));
            let element_term = terms.read(term, at).ok()?;
            bit_of(terms, element_term, element, place % width)
        }
    }
}
