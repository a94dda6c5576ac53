//! Assertions as automata on infinite words, explicitly.
//!
//! The duties of an assertion are the states of a weak alternating automaton; an expansion in disjunctive normal form gives its edges, and the states that may be
//! stayed in for ever are marked. Alternation is removed by the construction of Miyano and Hayashi.

use super::duties::{Automaton as Duties, Step};
use crate::acceptance::{Acceptance, Marks};
use crate::alternating::{Alternating, AlternatingEdge};
use crate::automaton::{Automaton, State};
use crate::error::{AutomataError, Result};
use crate::label::{Label, Labels};
use crate::services::simplify;
use entail_budget::Budget;
use entail_logic::{Assertion, Guard, Sequence};

/// Most edges of one state before alternation is removed.
const MOST_EDGES: usize = 4_096;

/// The alternating automaton of the words on which an assertion has a truth value.
pub fn alternating_of_assertion(assertion: &Assertion<String>, truth: bool) -> Result<Alternating> {
    let mut propositions = Vec::new();
    atoms_of(assertion, &mut propositions);
    // (The automaton refuses what its labels cannot hold.)
    let empty = Automaton::new(propositions.clone(), Acceptance::buchi(), 1)?;
    let duties = Duties::new(assertion, truth)
        .map_err(|_| AutomataError::NotApplicable("the automaton of a sequence would be too large"))?;
    let mut reading = Reading {
        propositions: &propositions,
        labels: empty.labels.clone(),
    };
    let mut edges = Vec::new();
    for (step, must_end) in duties.steps.iter().zip(&duties.must_end) {
        let marks = match must_end {
            true => Marks::NONE,
            false => Marks::one(0),
        };
        let found = reading.alternatives(step)?.into_iter();
        edges.push(
            found
                .map(|(label, targets)| AlternatingEdge {
                    label,
                    targets,
                    marks,
                })
                .collect(),
        );
    }
    let labels = reading.labels;
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

/// An automaton of the words on which an assertion has a truth value, reduced.
pub fn automaton_of_assertion(
    assertion: &Assertion<String>,
    truth: bool,
    budget: &Budget,
) -> Result<Automaton> {
    let alternating = alternating_of_assertion(assertion, truth)?;
    let automaton = alternating.remove_alternation(budget)?;
    simplify(&automaton, budget)
}

struct Reading<'p> {
    propositions: &'p [String],
    labels: Labels,
}

impl Reading<'_> {
    fn label(&mut self, guard: &Guard<String>) -> Label {
        match guard {
            Guard::Constant(true) => Label::TRUE,
            Guard::Constant(false) => Label::FALSE,
            Guard::Atom(name) => {
                let place = self.propositions.iter().position(|known| known == name);
                self.labels.literal(place.unwrap_or(0) as u32, true)
            }
            Guard::Not(inner) => self.label(inner).not(),
            Guard::And(left, right) => {
                let (left, right) = (self.label(left), self.label(right));
                self.labels.and(left, right)
            }
            Guard::Or(left, right) => {
                let (left, right) = (self.label(left), self.label(right));
                self.labels.or(left, right)
            }
        }
    }

    /// An expansion in disjunctive normal form: letters, and states that must all accept the rest.
    fn alternatives(&mut self, step: &Step<String>) -> Result<Vec<(Label, Vec<State>)>> {
        Ok(match step {
            Step::Guard(guard) => match self.label(guard) {
                Label::FALSE => Vec::new(),
                label => vec![(label, Vec::new())],
            },
            Step::Next(duty) => vec![(Label::TRUE, vec![State(*duty as u32)])],
            Step::Any(parts) => {
                let mut whole = Vec::new();
                for part in parts {
                    whole.extend(self.alternatives(part)?);
                }
                self.joined(whole)?
            }
            Step::All(parts) => {
                let mut whole = vec![(Label::TRUE, Vec::new())];
                for part in parts {
                    let part = self.alternatives(part)?;
                    let mut next = Vec::new();
                    for (left, targets) in &whole {
                        for (right, more) in &part {
                            let label = self.labels.and(*left, *right);
                            if label == Label::FALSE {
                                continue;
                            }
                            let mut all: Vec<State> = targets.iter().chain(more).copied().collect();
                            all.sort_unstable();
                            all.dedup();
                            next.push((label, all));
                        }
                    }
                    whole = self.joined(next)?;
                }
                whole
            }
        })
    }

    /// Alternatives with the same states joined.
    fn joined(&mut self, all: Vec<(Label, Vec<State>)>) -> Result<Vec<(Label, Vec<State>)>> {
        let mut kept: Vec<(Label, Vec<State>)> = Vec::new();
        for (label, targets) in all {
            match kept.iter_mut().find(|(_, known)| *known == targets) {
                Some(known) => known.0 = self.labels.or(known.0, label),
                None => kept.push((label, targets)),
            }
            if kept.len() > MOST_EDGES {
                return Err(AutomataError::NotApplicable(
                    "the automaton of the property would be too large",
                ));
            }
        }
        Ok(kept)
    }
}

/// The atoms of an assertion, each once, in the order in which they are met.
pub fn atoms_of(assertion: &Assertion<String>, into: &mut Vec<String>) {
    match assertion {
        Assertion::Sequence { sequence, .. } => of_sequence(sequence, into),
        Assertion::Not(inner) => atoms_of(inner, into),
        Assertion::And(left, right) | Assertion::Or(left, right) | Assertion::Until { left, right, .. } => {
            atoms_of(left, into);
            atoms_of(right, into);
        }
        Assertion::Implication {
            antecedent,
            consequent,
        } => {
            of_sequence(antecedent, into);
            atoms_of(consequent, into);
        }
        Assertion::Next { body, .. } => atoms_of(body, into),
        Assertion::Abort { condition, body, .. } => {
            of_guard(condition, into);
            atoms_of(body, into);
        }
    }
}

fn of_sequence(sequence: &Sequence<String>, into: &mut Vec<String>) {
    match sequence {
        Sequence::Empty => {}
        Sequence::Guard(guard) => of_guard(guard, into),
        Sequence::Concatenation(left, right)
        | Sequence::Fusion(left, right)
        | Sequence::Union(left, right)
        | Sequence::Intersection(left, right)
        | Sequence::Both(left, right) => {
            of_sequence(left, into);
            of_sequence(right, into);
        }
        Sequence::Repetition { body, .. } | Sequence::FirstMatch(body) | Sequence::Assigning { body, .. } => {
            of_sequence(body, into)
        }
    }
}

fn of_guard(guard: &Guard<String>, into: &mut Vec<String>) {
    match guard {
        Guard::Constant(_) => {}
        Guard::Atom(name) if into.contains(name) => {}
        Guard::Atom(name) => into.push(name.clone()),
        Guard::Not(inner) => of_guard(inner, into),
        Guard::And(left, right) | Guard::Or(left, right) => {
            of_guard(left, into);
            of_guard(right, into);
        }
    }
}
