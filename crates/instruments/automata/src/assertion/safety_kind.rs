//! How a safety property shows its violations: intentionally, accidentally, or pathologically safe (Kupferman and Vardi, *Model checking of safety properties*, 2001).
//!
//! A *bad* prefix is one that no continuation mends. An *informative* prefix is one that tells why: following the property letter by letter, without ever asking what else could be possible,
//! comes to a contradiction; that is, the property is false of it in the weak view. Every informative prefix is bad. Where the converse is true, the property is intentionally safe; where
//! at least every violating word has an informative prefix, accidentally; where some has none, pathologically, and no monitor that follows the property will ever see that word go wrong.
//!
//! Two automata run side by side, both deterministic: the subsets of the automaton of the property with its acceptance dropped (empty: the prefix is bad), and the least sets of duties that
//! would refute the property, one of which is empty once the prefix is informative. Exponential and doubly exponential in the property; letters are gone through one by one.

use super::words::{alternating_of_assertion, atoms_of};
use crate::alternating::Alternating;
use crate::automaton::{Automaton, State};
use crate::error::{AutomataError, Result};
use crate::label::Letter;
use crate::ltl::classify::closure;
use crate::word::LassoWord;
use entail_budget::Budget;
use entail_logic::Assertion;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// How a safety property shows its violations.
#[derive(Clone, Debug)]
pub enum SafetyKind {
    /// Every bad prefix tells why it is bad.
    Intentional,
    /// Every violating word has a prefix that tells why, but there is a bad prefix that does not: the beginning of this word before its cycle.
    Accidental(LassoWord),
    /// No prefix of this violating word tells why.
    Pathological(LassoWord),
}

/// Most propositions, most pairs of sets, and most sets of duties in one of them.
const MOST_PROPOSITIONS: usize = 10;
const MOST_PAIRS: usize = 50_000;
const MOST_SETS: usize = 2_000;

/// What is left of a property after a prefix.
#[derive(Clone, PartialEq, Eq, Hash)]
struct After {
    /// The states of its automaton; none if the prefix is bad.
    possible: BTreeSet<State>,
    /// The least sets of duties whose fulfilment would refute it; an empty one if it is refuted.
    refutations: BTreeSet<BTreeSet<State>>,
}

impl After {
    fn is_bad(&self) -> bool {
        self.possible.is_empty()
    }

    fn is_informative(&self) -> bool {
        self.refutations.first().is_some_and(BTreeSet::is_empty)
    }

    /// Its prefix is bad and does not tell why.
    fn is_silent(&self) -> bool {
        self.is_bad() && !self.is_informative()
    }
}

/// How a property shows its violations, given an automaton of it; it must be a safety property.
pub fn safety_kind(
    assertion: &Assertion<String>,
    automaton: &Automaton,
    budget: &Budget,
) -> Result<SafetyKind> {
    let mut propositions = Vec::new();
    atoms_of(assertion, &mut propositions);
    if propositions.len() > MOST_PROPOSITIONS {
        return Err(AutomataError::NotApplicable(
            "how violations show is found out for at most 10 propositions",
        ));
    }
    let search = Search {
        possible: closure(automaton).over(&propositions)?,
        refuting: alternating_of_assertion(assertion, false)?,
        letters: 1 << propositions.len(),
    };
    search.kind(propositions, budget)
}

struct Search {
    possible: Automaton,
    refuting: Alternating,
    letters: Letter,
}

impl Search {
    fn kind(&self, propositions: Vec<String>, budget: &Budget) -> Result<SafetyKind> {
        let start = After {
            possible: self.possible.initial().iter().copied().collect(),
            refutations: least(
                self.refuting
                    .initial
                    .iter()
                    .map(|set| set.iter().copied().collect()),
            ),
        };
        let mut found = vec![start.clone()];
        let mut numbers: FxHashMap<After, usize> = FxHashMap::from_iter([(start, 0)]);
        let mut came_from: Vec<Option<(usize, Letter)>> = vec![None];
        // Steps between silent prefixes only: a cycle of them is a word that never tells.
        let mut silent_steps: Vec<Vec<(Letter, usize)>> = vec![Vec::new()];
        let mut first_silent = None;
        let mut at = 0;
        while at < found.len() {
            budget.check()?;
            let here = found[at].clone();
            if !here.is_informative() {
                for letter in 0..self.letters {
                    let next = self.after(&here, letter)?;
                    let is_silent = next.is_silent();
                    let number = *numbers.entry(next.clone()).or_insert_with(|| {
                        found.push(next);
                        came_from.push(Some((at, letter)));
                        silent_steps.push(Vec::new());
                        found.len() - 1
                    });
                    if is_silent {
                        first_silent = first_silent.or(Some((at, letter)));
                        silent_steps[at].push((letter, number));
                    }
                    if found.len() > MOST_PAIRS {
                        return Err(AutomataError::NotApplicable(
                            "how violations show would take too many sets to find out",
                        ));
                    }
                }
            }
            at += 1;
        }
        let Some((before, letter)) = first_silent else {
            return Ok(SafetyKind::Intentional);
        };
        let path = |mut number: usize| {
            let mut letters = Vec::new();
            while let Some((before, letter)) = came_from[number] {
                letters.push(letter);
                number = before;
            }
            letters.reverse();
            letters
        };
        Ok(match cycle(&silent_steps) {
            Some((number, letters)) => {
                SafetyKind::Pathological(LassoWord::new(propositions, path(number), letters))
            }
            None => {
                let mut prefix = path(before);
                prefix.push(letter);
                SafetyKind::Accidental(LassoWord::new(propositions, prefix, vec![0]))
            }
        })
    }

    fn after(&self, here: &After, letter: Letter) -> Result<After> {
        let possible = here.possible.iter();
        let possible = possible
            .flat_map(|&state| self.possible.successors(state, letter))
            .map(|(target, _)| target)
            .collect();
        let mut refutations = BTreeSet::new();
        for duties in &here.refutations {
            let mut ways = BTreeSet::from([BTreeSet::new()]);
            for &duty in duties {
                let edges = self.refuting.edges[duty.index()].iter();
                let open: Vec<_> = edges
                    .filter(|edge| self.refuting.labels.satisfied(edge.label, letter))
                    .collect();
                let joined = ways.iter().flat_map(|way: &BTreeSet<State>| {
                    let with = |targets: &[State]| way.iter().chain(targets).copied().collect();
                    open.iter().map(move |edge| with(&edge.targets))
                });
                ways = least(joined);
                if ways.len() > MOST_SETS {
                    return Err(TOO_MANY);
                }
            }
            refutations.extend(ways);
        }
        let refutations = least(refutations);
        match refutations.len() > MOST_SETS {
            true => Err(TOO_MANY),
            false => Ok(After {
                possible,
                refutations,
            }),
        }
    }
}

const TOO_MANY: AutomataError =
    AutomataError::NotApplicable("how violations show would take too many sets of duties to find out");

/// The sets that contain no other one: whoever fulfils more has fulfilled less as well.
fn least(sets: impl IntoIterator<Item = BTreeSet<State>>) -> BTreeSet<BTreeSet<State>> {
    let mut by_size: Vec<BTreeSet<State>> = sets.into_iter().collect();
    by_size.sort_by_key(BTreeSet::len);
    let mut kept: Vec<BTreeSet<State>> = Vec::new();
    for set in by_size {
        if !kept.iter().any(|smaller| smaller.is_subset(&set)) {
            kept.push(set);
        }
    }
    kept.into_iter().collect()
}

/// A cycle of a graph: a node on it, and the labels along it.
fn cycle(steps: &[Vec<(Letter, usize)>]) -> Option<(usize, Vec<Letter>)> {
    #[derive(Clone, Copy, PartialEq)]
    enum Seen {
        No,
        OnPath,
        Done,
    }
    let mut seen = vec![Seen::No; steps.len()];
    for root in 0..steps.len() {
        if seen[root] != Seen::No {
            continue;
        }
        // The path from the root: each node with the number of its next step, and the letter that led to it.
        let mut path: Vec<(usize, usize, Letter)> = vec![(root, 0, 0)];
        seen[root] = Seen::OnPath;
        while let Some((node, next, _)) = path.last_mut() {
            let Some(&(letter, target)) = steps[*node].get(*next) else {
                seen[*node] = Seen::Done;
                path.pop();
                continue;
            };
            *next += 1;
            match seen[target] {
                Seen::Done => {}
                Seen::No => {
                    seen[target] = Seen::OnPath;
                    path.push((target, 0, letter));
                }
                Seen::OnPath => {
                    let begin = path.iter().position(|(node, ..)| *node == target)?;
                    let letters = path[begin + 1..].iter().map(|&(.., letter)| letter);
                    return Some((target, letters.chain([letter]).collect()));
                }
            }
        }
    }
    None
}
