//! Alternating automata, and how alternation is removed.
//!
//! An edge of an alternating automaton leads to a *set* of states, all of which must accept the rest of the word; several
//! edges are a choice. So the transition function is a positive Boolean formula in disjunctive normal form, split by
//! letters. [`Alternating::dual`] swaps choice and obligation; [`Alternating::remove_alternation`] is the construction of
//! Miyano and Hayashi: follow the set of all copies, and a second set of those that have not seen a mark since the last
//! time it was empty. `3^n` states at worst. Other conditions: `algebra::alternation_removal`. [`very_weak`] is the linear-size automaton of an LTL formula.

use crate::acceptance::{Acceptance, Marks};
use crate::algebra::alternation_removal::remove_by_strategies;
use crate::automaton::{Automaton, State};
use crate::error::{AutomataError, Result};
use crate::label::{Label, Labels};
use crate::ltl::arena::{Arena, Ltl, LtlNode};
use crate::numbering::Numbering;
use crate::reduce::powerset::split_letters;
use crate::translate::expansion::Expansion;
use entail_budget::Budget;
use rustc_hash::FxHashMap;

/// An edge to all of `targets` at once; no target means that every continuation is accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AlternatingEdge {
    /// The letters.
    pub label: Label,
    /// The states that must all accept the rest; sorted.
    pub targets: Vec<State>,
    /// What is seen on the way.
    pub marks: Marks,
}

/// An alternating automaton on infinite words.
#[derive(Clone)]
pub struct Alternating {
    /// Proposition `i` is variable `i` of the labels.
    pub propositions: Vec<String>,
    /// The store of the labels.
    pub labels: Labels,
    /// The edges of each state.
    pub edges: Vec<Vec<AlternatingEdge>>,
    /// The choice of initial sets.
    pub initial: Vec<Vec<State>>,
    /// The condition every infinite branch must satisfy.
    pub acceptance: Acceptance,
    /// Number of marks.
    pub mark_count: u32,
    /// A name for people.
    pub name: Option<String>,
}

impl From<&Automaton> for Alternating {
    fn from(automaton: &Automaton) -> Alternating {
        let edges = automaton.states().map(|state| {
            let list = automaton.edges(state).iter().map(|edge| AlternatingEdge {
                label: edge.label,
                targets: vec![edge.target],
                marks: edge.marks,
            });
            list.collect()
        });
        Alternating {
            propositions: automaton.propositions().to_vec(),
            labels: automaton.labels.clone(),
            edges: edges.collect(),
            initial: automaton.initial().iter().map(|state| vec![*state]).collect(),
            acceptance: automaton.acceptance().clone(),
            mark_count: automaton.mark_count(),
            name: automaton.name.clone(),
        }
    }
}

impl Alternating {
    /// Whether some edge or start leads to more or less than one state.
    pub fn is_alternating(&self) -> bool {
        self.initial.iter().any(|set| set.len() != 1)
            || self.edges.iter().flatten().any(|edge| edge.targets.len() != 1)
    }

    /// The same automaton, if every edge has one target.
    pub fn to_nondeterministic(&self) -> Result<Automaton> {
        if self.is_alternating() {
            return Err(AutomataError::NotApplicable("the automaton is alternating"));
        }
        let mut result = Automaton::new(
            self.propositions.clone(),
            self.acceptance.clone(),
            self.mark_count,
        )?;
        result.labels = self.labels.clone();
        result.name = self.name.clone();
        for _ in &self.edges {
            result.add_state();
        }
        for (source, list) in self.edges.iter().enumerate() {
            for edge in list {
                result.add_edge(State(source as u32), edge.label, edge.targets[0], edge.marks);
            }
        }
        for set in &self.initial {
            result.add_initial(set[0]);
        }
        Ok(result)
    }

    /// Choices become obligations and the condition its dual: the complement language (for one initial set).
    pub fn dual(&self) -> Result<Alternating> {
        let mut result = self.clone();
        if !self.is_state_based() {
            return Err(AutomataError::NotApplicable(
                "dualising needs acceptance on states",
            ));
        }
        result.acceptance = self.acceptance.dual();
        result.initial = hitting_sets(&self.initial);
        for (state, list) in self.edges.iter().enumerate() {
            let marks = list.first().map_or(Marks::NONE, |edge| edge.marks);
            let parts: Vec<(Label, Vec<State>)> = list
                .iter()
                .map(|edge| (edge.label, edge.targets.clone()))
                .collect();
            let mut dual = Vec::new();
            for (label, sets) in split_letters(parts, &mut result.labels) {
                for targets in hitting_sets(&sets) {
                    dual.push(AlternatingEdge {
                        label,
                        targets,
                        marks,
                    });
                }
            }
            result.edges[state] = dual;
        }
        Ok(result)
    }

    /// Whether all edges of each state carry the same marks.
    pub fn is_state_based(&self) -> bool {
        self.edges
            .iter()
            .all(|list| list.iter().all(|edge| edge.marks == list[0].marks))
    }

    /// A nondeterministic automaton of the same language: a Büchi automaton for an alternating Büchi automaton (one mark, or none
    /// if every branch is good); for co-Büchi, parity and Rabin conditions by guessed strategies.
    pub fn remove_alternation(&self, budget: &Budget) -> Result<Automaton> {
        if !self.is_alternating() {
            return self.to_nondeterministic();
        }
        let trivial = self.acceptance == Acceptance::True;
        let never = self.acceptance == Acceptance::False;
        if !trivial && !never && self.acceptance != Acceptance::buchi() {
            return remove_by_strategies(self, budget);
        }
        let good = |marks: Marks| trivial || (!never && marks.has(0));
        let mut result = Automaton::new(self.propositions.clone(), Acceptance::buchi(), 1)?;
        result.labels = self.labels.clone();
        result.name = self.name.clone();
        // All copies, and those that owe a mark.
        let mut found: Numbering<(Vec<State>, Vec<State>)> = Numbering::new();
        for set in &self.initial {
            let start = found.state((set.clone(), Vec::new()), &mut result);
            result.add_initial(start);
        }
        let mut at = 0;
        while let Some((all, owing)) = found.get(at) {
            budget.check()?;
            let restart = owing.is_empty();
            // Each copy chooses an edge; what has been chosen so far.
            let mut choices: Vec<(Label, Vec<State>, Vec<State>)> = vec![(Label::TRUE, vec![], vec![])];
            for state in &all {
                let mut next: Vec<(Label, Vec<State>, Vec<State>)> = Vec::new();
                for (label, targets, owed) in &choices {
                    for edge in &self.edges[state.index()] {
                        let both = result.labels.and(*label, edge.label);
                        if both == Label::FALSE {
                            continue;
                        }
                        let mut targets = targets.clone();
                        targets.extend(&edge.targets);
                        targets.sort_unstable();
                        targets.dedup();
                        let mut owed = owed.clone();
                        if !good(edge.marks) && (restart || owing.contains(state)) {
                            owed.extend(&edge.targets);
                            owed.sort_unstable();
                            owed.dedup();
                        }
                        match next.iter_mut().find(|(_, t, o)| *t == targets && *o == owed) {
                            Some(same) => same.0 = result.labels.or(same.0, both),
                            None => next.push((both, targets, owed)),
                        }
                    }
                }
                choices = next;
            }
            for (label, targets, owed) in choices {
                let marks = if owed.is_empty() {
                    Marks::one(0)
                } else {
                    Marks::NONE
                };
                let target = found.state((targets, owed), &mut result);
                result.add_edge(State(at as u32), label, target, marks);
            }
            at += 1;
        }
        result.merge_edges();
        Ok(result)
    }
}

/// The minimal sets that meet every given set: the dual of a disjunctive normal form.
fn hitting_sets(sets: &[Vec<State>]) -> Vec<Vec<State>> {
    let mut all: Vec<Vec<State>> = vec![vec![]];
    for set in sets {
        let mut next: Vec<Vec<State>> = Vec::new();
        for partial in &all {
            if set.iter().any(|state| partial.contains(state)) {
                next.push(partial.clone());
                continue;
            }
            for state in set {
                let mut longer = partial.clone();
                longer.push(*state);
                longer.sort_unstable();
                next.push(longer);
            }
        }
        next.sort();
        next.dedup();
        let others = next.clone();
        next.retain(|set| {
            !others
                .iter()
                .any(|other| other != set && other.iter().all(|state| set.contains(state)))
        });
        all = next;
    }
    all
}

/// The very weak alternating automaton of a formula in positive normal form: a state for each temporal subformula it
/// meets, Büchi acceptance with marks on the states that may be stayed in for ever.
pub fn very_weak(arena: &mut Arena, formula: Ltl, budget: &Budget) -> Result<Alternating> {
    let propositions = arena.propositions.clone();
    let stays: FxHashMap<u32, bool> = (0..arena.nodes.len() as u32)
        .map(|index| {
            let waits = matches!(
                arena.nodes[index as usize],
                LtlNode::Finally(_) | LtlNode::Until(..) | LtlNode::StrongRelease(..)
            );
            (index, !waits)
        })
        .collect();
    let mut expansion = Expansion::new(arena)?;
    expansion.hand_on_everything();
    let mut number: FxHashMap<Ltl, State> = FxHashMap::default();
    let mut pending = vec![formula];
    number.insert(formula, State(0));
    let mut edges = Vec::new();
    let mut at = 0;
    while at < pending.len() {
        budget.check()?;
        let formula = pending[at];
        let marks = if stays.get(&formula.0).copied().unwrap_or(true) {
            Marks::one(0)
        } else {
            Marks::NONE
        };
        let mut list = Vec::new();
        for (label, next) in expansion.obligations(formula, budget)? {
            let mut targets: Vec<State> = next
                .into_iter()
                .map(|formula| {
                    let fresh = State(pending.len() as u32);
                    let target = *number.entry(formula).or_insert(fresh);
                    if target == fresh {
                        pending.push(formula);
                    }
                    target
                })
                .collect();
            targets.sort_unstable();
            list.push(AlternatingEdge {
                label,
                targets,
                marks,
            });
        }
        edges.push(list);
        at += 1;
    }
    let mut labels = std::mem::take(&mut expansion.labels);
    labels.limit(usize::MAX);
    Ok(Alternating {
        propositions,
        labels,
        edges,
        initial: vec![vec![State(0)]],
        acceptance: Acceptance::buchi(),
        mark_count: 1,
        name: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn minimal_hitting_sets_dualise_positive_formulas() {
        let (p, q, r) = (State(0), State(1), State(2));
        // (q1 | q2) & q3 is met minimally by {q1,q3} and {q2,q3} only.
        assert_eq!(hitting_sets(&[vec![p, q], vec![r]]), vec![vec![p, r], vec![q, r]]);
        // The dual of p | (true & q) is p & q.
        assert_eq!(hitting_sets(&[vec![p], vec![q]]), vec![vec![p, q]]);
        assert_eq!(hitting_sets(&[]), vec![Vec::<State>::new()]);
    }
}
