//! States with ranks as evidence that a formula holds on every infinite path of a system written in Rust.
//!
//! The evidence is about an automaton of the words that violate the formula, which is made by whoever wants to be shown it (`entail_linear_checker::violations` makes one from the definition) and
//! not by what decided the question. [`Checker::ranked_set`] gives the reachable pairs of a state and a position of the automaton, each with a level and a mark. [`Checker::accepts_ranks`] looks at each state by itself, with nothing of the search: initial states are there at the
//! automaton's first position, every step leads to a pair that is there, levels never rise, and a step that keeps the level keeps the mark and does not meet it. So on every infinite path some mark
//! is missed from some time on, and the automaton does not accept it (Namjoshi, *Certifying model checkers*, CAV 2001). As everywhere, a state in which nothing can be done is repeated for ever, and what is alike
//! up to the symmetry that the system claims counts as the same.

use super::System;
use super::checker::{Checker, Condition, RustProperty};
use super::steps::{RustSteps, pack, unpack};
use crate::marked_product::MarkedProduct;
use entail_answer::{Rank, RankedSet};
use entail_logic::{Formula, Observer, ObserverEdge};
use entail_search::cycles::ranks::ranks;
use entail_search::{Steps, Successors};
use rustc_hash::FxHashMap;

/// A condition with its name.
type Named<'q, S> = (String, Condition<'q, <S as System>::State>);

/// More pairs are not written down.
const MOST_PAIRS: u64 = 20_000_000;

impl<'q, S: System> Checker<'q, S> {
    /// The formula that was asked under a name ([`Checker::formula`], [`Checker::eventually`]), with the numbers of its conditions for their names; nothing if no formula was.
    pub fn asked_formula(&self, name: &str) -> Option<Formula<usize>> {
        let (formula, conditions) = self.asked(name)?;
        let mut is_known = true;
        let numbered = formula.map_atoms(&mut |atom: &String| {
            let number = conditions.iter().position(|(other, _)| other == atom);
            is_known &= number.is_some();
            number.unwrap_or(0)
        });
        is_known.then_some(numbered)
    }

    fn asked(&self, name: &str) -> Option<(&Formula<String>, &[Named<'q, S>])> {
        self.questions
            .iter()
            .find_map(|(asked, question)| match question {
                RustProperty::Formula(formula, conditions) if asked == name => {
                    Some((formula, conditions.as_slice()))
                }
                _ => None,
            })
    }

    /// The reachable states with ranks for an automaton of the words that violate a formula that was asked; nothing if there is no such question, the budget does not suffice, or a state cannot be packed. If the formula does not hold, the ranks break the rule.
    pub fn ranked_set(&self, name: &str, observer: &Observer) -> Option<RankedSet> {
        let (_, conditions) = self.asked(name)?;
        let steps = RustSteps {
            system: self.system,
            watched: Vec::new(),
            estimate: None,
            automaton: None,
        };
        let mut numbers: FxHashMap<Box<[u8]>, u32> = FxHashMap::default();
        let mut states: Vec<Box<[u8]>> = Vec::new();
        // Of each state, once it was asked for: what holds in it and where it leads.
        let mut rows: Vec<Option<(Vec<bool>, Vec<u32>)>> = Vec::new();
        let mut out = Steps::default();
        let mut number = |state: &[u8], states: &mut Vec<Box<[u8]>>| match numbers.get(state) {
            Some(&number) => number,
            None => {
                let number = states.len() as u32;
                numbers.insert(state.into(), number);
                states.push(state.into());
                number
            }
        };
        let mut numbered = |out: &Steps<_>, states: &mut Vec<Box<[u8]>>| -> Option<Vec<u32>> {
            if out.first_flaw().is_some() {
                return None;
            }
            Some(
                (0..out.len())
                    .map(|position| number(out.state(position), states))
                    .collect(),
            )
        };
        steps.initial_packed(&mut out);
        let initial = numbered(&out, &mut states)?;
        let initial: Vec<(u32, u16)> = initial.into_iter().map(|state| (state, 0)).collect();
        let product = MarkedProduct::explore(initial, MOST_PAIRS, |(state, at), edges| {
            self.budget.check().ok()?;
            let place = state as usize;
            rows.resize_with(rows.len().max(place + 1), || None);
            if rows[place].is_none() {
                let truths = truths::<S>(conditions, &unpack::<S>(&states[place])?);
                steps.expand_packed(&states[place], &mut out);
                let mut next = numbered(&out, &mut states)?;
                if next.is_empty() {
                    next.push(state);
                }
                rows[place] = Some((truths, next));
            }
            let (truths, next) = rows[place].as_ref()?;
            for edge in observer
                .positions
                .get(usize::from(at))?
                .iter()
                .filter(|edge| suits(edge, truths))
            {
                edges.extend(next.iter().map(|&next| ((next, edge.target), edge.marks)));
            }
            Some(())
        })?;
        let required = ((1u128 << observer.marks) - 1) as u64;
        let ranks = ranks(&product, required, &self.budget).ok()?;
        let mut by_state: Vec<Vec<Rank>> = vec![Vec::new(); states.len()];
        for (&(state, at), rank) in product.pairs.iter().zip(ranks) {
            by_state[state as usize].push(Rank {
                at,
                level: rank.level,
                missing: rank.missing as u16,
            });
        }
        let ranked = states
            .into_iter()
            .zip(by_state)
            .filter(|(_, ranks)| !ranks.is_empty());
        RankedSet::new(ranked.collect())
    }

    /// Whether states with ranks show that a formula that was asked holds on every infinite path, given an automaton of all words that violate it. The error says why not.
    pub fn accepts_ranks(&self, name: &str, observer: &Observer, set: &RankedSet) -> Result<(), String> {
        let (_, conditions) = self.asked(name).ok_or("no formula was asked under this name")?;
        let rank = |state: &S::State, at: u16| {
            let bytes = pack::<S>(&self.system.representative(state));
            let place = bytes.and_then(|bytes| set.states().position(&bytes));
            place.and_then(|place| set.rank(place, at))
        };
        let is_known = |state: &S::State| rank(state, 0).is_some();
        if !self.system.initial().iter().all(is_known) {
            return Err("an initial state has no rank".into());
        }
        let mut place = 0;
        set.states().for_each(|bytes| {
            self.budget.check().map_err(|spent| spent.to_string())?;
            let state =
                unpack::<S>(bytes).filter(|state| pack::<S>(state).is_some_and(|again| again == bytes));
            let state = state.ok_or("the set has something that is no state")?;
            let truths = truths::<S>(conditions, &state);
            let actions = self.system.actions(&state);
            let mut next: Vec<S::State> = actions
                .iter()
                .filter_map(|action| self.system.step(&state, action))
                .collect();
            if next.is_empty() {
                next.push(state);
            }
            for from in set.of(place) {
                let edges = observer
                    .positions
                    .get(usize::from(from.at))
                    .ok_or("a rank is at no position of the automaton")?;
                for edge in edges.iter().filter(|edge| suits(edge, &truths)) {
                    for next in &next {
                        let to = rank(next, edge.target).ok_or("a step leads to what has no rank")?;
                        let is_missed =
                            u32::from(from.missing) < observer.marks && edge.marks >> from.missing & 1 == 0;
                        let stays = to.level == from.level && to.missing == from.missing && is_missed;
                        if to.level >= from.level && !stays {
                            return Err("the ranks do not go down along a step".to_owned());
                        }
                    }
                }
            }
            place += 1;
            Ok(())
        })
    }
}

/// Which conditions hold in a state.
fn truths<S: System>(conditions: &[Named<'_, S>], state: &S::State) -> Vec<bool> {
    conditions.iter().map(|(_, condition)| condition(state)).collect()
}

/// Whether an edge of an automaton may be taken where these conditions hold.
fn suits(edge: &ObserverEdge, truths: &[bool]) -> bool {
    let agrees = |&(condition, value): &(usize, bool)| truths.get(condition) == Some(&value);
    edge.literals.iter().all(agrees)
}
