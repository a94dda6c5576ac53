//! Sets of states as evidence: each state is looked at by itself.
//!
//! An invariant holds if it is true in every state (or step) of a set that has the initial states and that no step leaves. A formula holds on all just paths if states have positions of the automaton of its violations
//! (`entail-linear-checker`, made here from the formula) with ranks: every step leads to a state of the set in which every new position of the automaton has a rank, and ranks go down as [`Descent`] says. Justice conditions have marks beside the automaton's. Compassion leaves paths out, so it
//! need not be looked at. Steps are found by the reference's backtracking; hazards and dead ends are looked for as the reference does.
//!
//! What is not known of a step counts against the evidence: an edge of the automaton is taken unless a condition is known to forbid it, and a justice condition is met unless it is known to be false.
//!
//! Memory: the set, and one state with its steps. Cost: one enumeration of the steps of each state, a lookup for each.

use super::Checker;
use crate::condition::{Condition, Conditions};
use crate::reference::{Enumerator, Met, NotRechecked, Visit, choosing_system, hazard_at, hazard_conditions};
use entail_answer::{CheckReport, ClosedSet, Rank, RankedSet, SetIndex};
use entail_evidence::{DeadEnds, Truth, decode_state, encode_state};
use entail_linear_checker::{Descent, violations};
use entail_logic::{Formula, Node, Observer, ObserverEdge, Quantifier, Question};
use entail_model::{TermId, TransitionSystem, Valuation, Value};

/// The automaton of the paths that violate a formula, and the terms that its conditions are.
#[derive(Clone, Debug)]
pub struct Observed {
    /// The automaton.
    pub observer: Observer,
    /// Its conditions by number.
    pub atoms: Vec<TermId>,
}

/// The automaton for a question about all paths; nothing for other questions, and for formulas that are not supported.
pub fn observer_of(question: &Question<TermId>) -> Option<Observed> {
    match question {
        Question::Formula(formula) => observed(formula),
        _ => None,
    }
}

fn observed(formula: &Formula<TermId>) -> Option<Observed> {
    let path = match formula.node() {
        Node::Quantified(Quantifier::Forall, path) => path,
        Node::Quantified(Quantifier::Exists, _) => return None,
        _ => formula,
    };
    let mut atoms = Vec::new();
    path.for_each_atom(&mut |&atom| {
        if !atoms.contains(&atom) {
            atoms.push(atom);
        }
    });
    let number = |atom: &TermId| atoms.iter().position(|other| other == atom).unwrap_or(0);
    let observer = violations(&path.map_atoms(&mut |atom| number(atom))).ok()?;
    Some(Observed { observer, atoms })
}

/// Why a set was not accepted.
enum Obstacle {
    Wrong(String),
    Unknown(NotRechecked),
}

impl From<NotRechecked> for Obstacle {
    fn from(why: NotRechecked) -> Obstacle {
        Obstacle::Unknown(why)
    }
}

fn wrong<T>(reason: impl Into<String>) -> Result<T, Obstacle> {
    Err(Obstacle::Wrong(reason.into()))
}

fn report(result: Result<(), Obstacle>) -> CheckReport {
    match result {
        Ok(()) => CheckReport::Accepted,
        Err(Obstacle::Wrong(reason)) => CheckReport::rejected(reason),
        Err(Obstacle::Unknown(why)) => CheckReport::unchecked(format!("the set of states ({why})")),
    }
}

/// Whether a set shows that an atom is true in all reachable states, or at all steps from them.
pub(super) fn closed(checker: &Checker<'_>, atom: TermId, set: &ClosedSet) -> CheckReport {
    let is_about_steps = checker.is_about_steps(atom);
    let observed: &[TermId] = if is_about_steps { &[atom] } else { &[] };
    let condition = Condition::new(&checker.system.terms, atom);
    report(Pass::run(checker, set, observed, |pass, number, state| {
        if number == BEFORE {
            return Ok(());
        }
        if !is_about_steps && condition.truth(Valuation::state(state)) != Truth::True {
            return wrong("the property is not true in a state of the set");
        }
        match pass
            .steps
            .iter()
            .any(|step| step.labels.first() == Some(&Truth::False))
        {
            true => wrong("the property is not true at a step from a state of the set"),
            false => Ok(()),
        }
    }))
}

/// Whether states with ranks show that no just path violates a formula.
pub(super) fn ranked(checker: &Checker<'_>, formula: &Formula<TermId>, set: &RankedSet) -> CheckReport {
    let Some(Observed { observer, atoms }) = observed(formula) else {
        return CheckReport::rejected("ranks cannot show this formula");
    };
    if checker.dead_ends == DeadEnds::Maximal {
        return CheckReport::rejected("ranks say nothing about finite paths");
    }
    let descent = Descent {
        marks: observer.marks,
    };
    let observed: Vec<TermId> = atoms.iter().chain(&checker.system.justice).copied().collect();
    let justice = atoms.len();
    report(Pass::run(checker, set.states(), &observed, |pass, number, _| {
        if number == BEFORE {
            let mut initial = pass.steps.iter();
            return match initial.all(|step| set.rank(step.to, 0).is_some()) {
                true => Ok(()),
                false => wrong("an initial state has no rank"),
            };
        }
        for step in &pass.steps {
            let (atoms, justice) = step.labels.split_at(justice);
            let is_just = |condition: u16| {
                (justice.get(usize::from(condition))).is_none_or(|truth| *truth != Truth::False)
            };
            let may_be_taken = |edge: &&ObserverEdge| {
                let literals = edge.literals.iter();
                literals
                    .clone()
                    .all(|&(atom, value)| atoms[atom] != Truth::from(Some(!value)))
            };
            for &from in set.of(number) {
                let Some(edges) = observer.positions.get(usize::from(from.at)) else {
                    return wrong("the set has a position that the automaton does not have");
                };
                for edge in edges.iter().filter(may_be_taken) {
                    let to: Option<Rank> = set.rank(step.to, edge.target);
                    match to {
                        None => return wrong("a step leaves the states with ranks"),
                        Some(to) if !descent.allows(from, to, edge.marks, is_just) => {
                            return wrong("the ranks do not go down along a step");
                        }
                        Some(_) => {}
                    }
                }
            }
        }
        Ok(())
    }))
}

/// The number that stands for the moment before the first state: its steps lead to the initial states.
const BEFORE: u64 = u64::MAX;

/// A step from the state at hand: the position in the set of the state it leads to, and the truth of what is observed.
struct Step {
    to: u64,
    labels: Vec<Truth>,
}

/// A pass over the states of a set.
struct Pass<'c> {
    system: &'c TransitionSystem,
    index: SetIndex<'c>,
    steps: Vec<Step>,
    bytes: Vec<u8>,
}

impl<'c> Pass<'c> {
    /// Looks at the initial states, then at each state of the set with its steps, which all lead into the set. No hazard is met, and no state is a dead end where that is an error.
    fn run(
        checker: &'c Checker<'_>,
        set: &'c ClosedSet,
        observed: &[TermId],
        mut look: impl FnMut(&Pass<'_>, u64, &[Option<Value>]) -> Result<(), Obstacle>,
    ) -> Result<(), Obstacle> {
        let system = checker.system;
        let enumerator = Enumerator::new(system, checker.limits, checker.budget);
        let still = choosing_system(system);
        let choices = still
            .as_ref()
            .map(|still| Enumerator::new(still, checker.limits, checker.budget));
        let hazards = Conditions::new(&system.terms, &hazard_conditions(system));
        let observed = Conditions::new(&system.terms, observed);
        let mut pass = Pass {
            system,
            index: SetIndex::new(set),
            steps: Vec::new(),
            bytes: Vec::new(),
        };
        let mut trouble = None;
        let visit = |trouble: &mut Option<String>, found: Option<String>| {
            *trouble = trouble.take().or(found);
            Ok(if trouble.is_some() {
                Visit::Stop
            } else {
                Visit::Continue
            })
        };
        enumerator.initial_states(&mut |state| {
            let left = pass.add(state, Vec::new());
            visit(&mut trouble, left)
        })?;
        match trouble.take() {
            Some(trouble) => return wrong(trouble),
            None if pass.steps.is_empty() => return wrong("the model has no initial state"),
            None => look(&pass, BEFORE, &[])?,
        }
        let mut number = 0;
        set.for_each(|bytes| {
            checker.budget.check().map_err(NotRechecked::from)?;
            let Some(state) = decode_state(system, bytes) else {
                return wrong("the set has something that is no state of the model");
            };
            let meaningless = |hazard: String| format!("the model has no meaning: {hazard}");
            let here = Valuation::state(&state);
            trouble = hazard_at(system, &hazards, here, Met::State).map(meaningless);
            if let (Some(choices), None) = (&choices, &trouble) {
                choices.steps_from(&state, &mut |now, _| {
                    let hazard = hazard_at(system, &hazards, Valuation::state(now), Met::Choice);
                    visit(&mut trouble, hazard.map(meaningless))
                })?;
            }
            pass.steps.clear();
            if trouble.is_none() {
                enumerator.steps_from(&state, &mut |now, after| {
                    let step = Valuation::step(now, after);
                    let hazard = hazard_at(system, &hazards, step, Met::Step).map(meaningless);
                    let left = pass.add(after, observed.truths(step));
                    visit(&mut trouble, hazard.or(left))
                })?;
            }
            if let Some(trouble) = trouble.take() {
                return wrong(trouble);
            }
            if pass.steps.is_empty() {
                match checker.dead_ends {
                    DeadEnds::Infinite => {}
                    DeadEnds::Error => {
                        return wrong("a state without successors is in the set, which is an error here");
                    }
                    DeadEnds::Stutter => {
                        let labels = observed.truths(Valuation::step(&state, &state));
                        pass.steps.push(Step { to: number, labels });
                    }
                    // No step, but what is observed is asked about the last state.
                    DeadEnds::Maximal => {
                        let labels = observed.truths(here);
                        pass.steps.push(Step { to: number, labels });
                    }
                }
            }
            number += 1;
            look(&pass, number - 1, &state)
        })
    }

    /// Adds a step to a state; what is wrong with it if that is not in the set.
    fn add(&mut self, state: &[Option<Value>], labels: Vec<Truth>) -> Option<String> {
        let encoded = encode_state(self.system, state, &mut self.bytes);
        match encoded.and_then(|()| self.index.position(&self.bytes)) {
            Some(to) => {
                self.steps.push(Step { to, labels });
                None
            }
            None => Some("a step leaves the set of states, or an initial state is not in it".into()),
        }
    }
}
