//! A part of the formula as a set of states, with one bit for each state of a nondeterministic automaton.
//!
//! A part, or its negation, that is a safety or a guarantee property needs no deterministic automaton: where every infinite run is accepting, it holds as long as some run is left; where
//! runs are accepting only once they have reached a state that accepts everything, it holds once one has (Kupferman, Vardi, *Model checking of safety properties*, 2001). The set of the states that
//! runs may be in is all that must be known. Deterministic automata have a state for each set, which may be exponentially many, and their numbers in binary have functions that are as large; the
//! bits of a set follow the automaton's edges one by one.

use super::component::{Component, Seen};
use super::letters::{Latch, Letters};
use crate::part::components;
use crate::problem::SynthesisError;
use entail_automata::translate::pipeline::satisfying_automaton;
use entail_automata::{AutomataError, Automaton, Kind, Label, Marks, State};
use entail_budget::Budget;
use entail_dd::Bdd;
use entail_logic::{Binary, Formula, Node, Unary};
use rustc_hash::{FxHashMap, FxHashSet};
use std::time::{Duration, Instant};

/// Automata with fewer states have few sets.
const FEWEST_STATES: usize = 4;
/// Automata with more states would need too many bits.
const MOST_STATES: usize = 24;
/// If there are at most so many sets for each state, their numbers in binary do.
const SETS_PER_STATE: usize = 4;
/// Letters that are tried for each set.
const LETTERS_PER_SET: usize = 64;

/// The first of the two translations may take so long; the second ten times as long as the first did, but at least this.
const LONGEST_TRANSLATION: Duration = Duration::from_millis(500);
const SHORTEST_TRANSLATION: Duration = Duration::from_millis(20);

/// An automaton whose sets of states decide a part.
pub(crate) struct Sets {
    pub automaton: Automaton,
    /// Whether it is one of the part's negation.
    negated: bool,
    /// Whether words are accepted whose runs go on for ever. Otherwise they must reach a state that accepts everything.
    is_closed: bool,
}

impl Sets {
    /// The sets of a formula, if it is of the right kind and they are worth it.
    pub fn new(formula: &Formula<String>, budget: &Budget) -> Result<Option<Sets>, SynthesisError> {
        if formula.is_propositional() {
            return Ok(None);
        }
        // The side that says what is always so first: it is the smaller one of nested untils.
        let negation = formula.negated_normal_form();
        let sides = match (is_plainly_safe(formula), is_plainly_safe(&negation)) {
            (true, _) => [(formula, false), (&negation, true)],
            (_, true) => [(&negation, true), (formula, false)],
            _ => return Ok(None),
        };
        let mut best: Option<Sets> = None;
        let mut time = LONGEST_TRANSLATION;
        for (wanted, negated) in sides {
            let begun = Instant::now();
            let automaton = match one_sided(wanted, &budget.part(time)) {
                Ok(automaton) => automaton,
                Err(AutomataError::Spent(_)) => {
                    budget.check_now()?;
                    continue;
                }
                Err(error) => return Err(error.into()),
            };
            time = (10 * begun.elapsed()).max(SHORTEST_TRANSLATION);
            let states = automaton.state_count();
            let is_fewer = (best.as_ref()).is_none_or(|best| states < best.automaton.state_count());
            if let Some(is_closed) = kind(&automaton).filter(|_| is_fewer) {
                best = Some(Sets {
                    automaton,
                    negated,
                    is_closed,
                });
            }
        }
        let Some(sets) = best else {
            return Ok(None);
        };
        let states = sets.automaton.state_count();
        if !(FEWEST_STATES..=MOST_STATES).contains(&states) {
            return Ok(None);
        }
        Ok(has_many_sets(&sets.automaton, SETS_PER_STATE * states).then_some(sets))
    }

    /// The part as bits. `tests` are what the automaton's propositions observe, in their order, so many steps late.
    pub fn component(
        &self,
        letters: &Letters,
        tests: &[Bdd],
        late: u32,
        latches: &mut Vec<Latch>,
    ) -> Result<Component, SynthesisError> {
        let (automaton, manager) = (&self.automaton, &letters.manager);
        let variables = manager.new_vars(automaton.state_count())?;
        let begun = letters.begun(late)?;
        let mut known: FxHashMap<Label, Bdd> = FxHashMap::default();
        let mut after = vec![manager.zero(); variables.len()];
        let (mut none, mut all) = (manager.one(), manager.zero());
        for state in automaton.states() {
            let here = manager.var(variables[state.index()])?;
            for edge in automaton.edges(state) {
                let letter = self.function(letters, edge.label, tests, &mut known)?;
                let target = &mut after[edge.target.index()];
                *target = target.or(&here.and(&letter)?)?;
            }
            none = none.minus(&here)?;
            if automaton.accepts_all_from(state) {
                all = all.or(&here)?;
            }
        }
        for (at, (&variable, step)) in variables.iter().zip(&after).enumerate() {
            latches.push(Latch {
                variable,
                first: automaton.initial().contains(&State(at as u32)),
                next: begun.ite(step, &manager.var(variable)?)?,
            });
        }
        // While neither is decided: runs that go on for ever are enough, or are not.
        let truth = match self.is_closed {
            true => none.not(),
            false => all.clone(),
        };
        Ok(match self.negated {
            true => Component {
                decided: [all, none],
                seen: Seen::Weak(truth.not()),
            },
            false => Component {
                decided: [none, all],
                seen: Seen::Weak(truth),
            },
        })
    }

    fn function(
        &self,
        letters: &Letters,
        label: Label,
        tests: &[Bdd],
        known: &mut FxHashMap<Label, Bdd>,
    ) -> Result<Bdd, SynthesisError> {
        if let Some(done) = known.get(&label) {
            return Ok(done.clone());
        }
        let labels = &self.automaton.labels;
        let function = match labels.top(label) {
            None => letters.manager.constant(label == Label::TRUE),
            Some(proposition) => {
                let (low, high) = labels.children(label);
                let low = self.function(letters, low, tests, known)?;
                let high = self.function(letters, high, tests, known)?;
                tests[proposition as usize].ite(&high, &low)?
            }
        };
        known.insert(label, function.clone());
        Ok(function)
    }
}

/// Whether random words lead to more sets of states than this.
fn has_many_sets(automaton: &Automaton, many: usize) -> bool {
    let mut initial: Vec<State> = automaton.initial().to_vec();
    initial.sort_unstable();
    let mut found = FxHashSet::default();
    let mut set = initial.clone();
    let mut seed = 0x9e37_79b9_7f4a_7c15_u64;
    for step in 0..LETTERS_PER_SET * many {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        // Letters with half, and with a quarter of the propositions.
        let letter = match step % 2 {
            0 => seed,
            _ => seed & seed.rotate_left(29),
        };
        let targets = set.iter().flat_map(|&state| automaton.successors(state, letter));
        let mut next: Vec<State> = targets.map(|(target, _)| target).collect();
        next.sort_unstable();
        next.dedup();
        let is_over = next.iter().all(|&state| automaton.accepts_all_from(state));
        set = if is_over { initial.clone() } else { next };
        found.insert(set.clone());
        if found.len() > many {
            return true;
        }
    }
    false
}

/// Whether a formula in which only atoms are negated says no more than what is always so.
fn is_plainly_safe(formula: &Formula<String>) -> bool {
    let own = match formula.node() {
        Node::Constant(_) | Node::Atom(_) | Node::Not(_) | Node::And(_) | Node::Or(_) => true,
        Node::Unary(operator, ..) => matches!(operator, Unary::Next | Unary::Globally),
        Node::Binary(operator, ..) => matches!(operator, Binary::Release | Binary::WeakUntil),
        _ => false,
    };
    own && formula.operands().into_iter().all(is_plainly_safe)
}

/// A small automaton of a formula, made without looking at its negation, which may have an exponentially larger one.
fn one_sided(formula: &Formula<String>, budget: &Budget) -> Result<Automaton, AutomataError> {
    let mut automaton = satisfying_automaton(formula, budget)?;
    automaton.reduce(budget)?;
    Ok(automaton)
}

/// Whether every infinite run of an automaton is accepting, or (false) only those that reach a state that accepts everything; nothing if neither is plain to see.
fn kind(automaton: &Automaton) -> Option<bool> {
    if !matches!(
        automaton.kind(),
        Kind::All | Kind::Buchi | Kind::GeneralizedBuchi(_)
    ) {
        return None;
    }
    let edges = |state: State| automaton.edges(state).iter();
    let steps: Vec<Vec<(u32, u32)>> = (automaton.states())
        .map(|state| edges(state).map(|edge| (edge.target.0, 0)).collect())
        .collect();
    let component = components(&steps);
    let mut is_closed = true;
    // The marks inside of each component, but for those of states that accept everything.
    let mut marks: FxHashMap<u32, Marks> = FxHashMap::default();
    for state in automaton.states() {
        let own = component[state.index()];
        let is_end = automaton.accepts_all_from(state);
        for edge in edges(state).filter(|edge| component[edge.target.index()] == own) {
            is_closed &= automaton.acceptance().accepts(edge.marks);
            if !is_end {
                marks.entry(own).or_default().0 |= edge.marks.0;
            }
        }
    }
    let is_terminal = marks
        .values()
        .all(|&marks| !automaton.acceptance().accepts(marks));
    (is_closed || is_terminal).then_some(is_closed)
}
