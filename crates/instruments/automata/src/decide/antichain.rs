//! Inclusion of Büchi automata by antichains of relations, without a complement.
//!
//! If `L(A)` is not inside `L(B)`, some word `u v v v …` tells: `u` leads `A` from the start to a state `s`, and `v` leads it
//! from `s` by a marked edge back to `s`. Whether `B` accepts depends only on the set `X` of states `B` can be in after `u`, and
//! on the relation that `v` makes between the states of `B`: from where to where, and whether through a mark. Acceptance is
//! monotone in both, so of all sets and of all relations only the minimal ones matter: each is compared with those known
//! for the same state of `A`, and a larger one is dropped with everything that would follow from it. "Larger" is meant up to
//! simulation in `B`. (The subsumption of Abdulla, Chen, Clemente, Holík, Hong, Mayr and Vojnar 2011 for Ramsey-based inclusion,
//! with prefixes and periods explored apart as in Doveri, Ganty and Mazzocchi 2022.)
//!
//! Worst case exponential in `B`; given up beyond [`Limits`]. Differences are found on the way, with their word.

use crate::acceptance::Marks;
use crate::automaton::{Automaton, State};
use crate::error::Result;
use crate::label::Letter;
use crate::letter_classes::letter_classes;
use crate::reduce::components::Components;
use crate::reduce::simulation::{SimulationRelation, direct_simulation};
use crate::word::LassoWord;
use entail_budget::Budget;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

/// What the search may grow to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// Classes of letters that no label tells apart.
    pub letters: usize,
    /// Sets and relations kept.
    pub elements: usize,
}

/// The answer of the search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    /// Every word of `A` is a word of `B`.
    Included,
    /// A word of `A` that is not one of `B`.
    Difference(LassoWord),
    /// A limit was reached.
    GivenUp,
}

/// Whether every word of `a` is one of `b`: Büchi automata over the same propositions, with the mark on edges.
pub(crate) fn inclusion(a: &Automaton, b: &Automaton, limits: Limits, budget: &Budget) -> Result<Answer> {
    let Some(letters) = letter_classes(&[a, b], limits.letters, budget)? else {
        return Ok(Answer::GivenUp);
    };
    let search = Search::new(a, b, letters, budget)?;
    let Some(prefixes) = search.prefixes(limits, budget)? else {
        return Ok(Answer::GivenUp);
    };
    let components = Components::of(a);
    for s in a.states() {
        let starts =
            |edge: &&crate::automaton::Edge| search.is_marked(edge.marks, a) && components.inner(s, edge);
        if a.edges(s).iter().any(|edge| starts(&edge)) && !prefixes[s.index()].is_empty() {
            match search.periods(s, &components, &prefixes, limits, budget)? {
                Answer::Included => {}
                other => return Ok(other),
            }
        }
    }
    Ok(Answer::Included)
}

/// A set of states of `B`, as bits.
type Set = Vec<u64>;

fn has(set: &[u64], state: usize) -> bool {
    set[state / 64] >> (state % 64) & 1 == 1
}

fn insert(set: &mut [u64], state: usize) {
    set[state / 64] |= 1 << (state % 64);
}

fn members(set: &[u64]) -> impl Iterator<Item = usize> + '_ {
    set.iter().enumerate().flat_map(|(word, bits)| {
        let mut rest = *bits;
        std::iter::from_fn(move || {
            (rest != 0).then(|| {
                let bit = rest.trailing_zeros() as usize;
                rest &= rest - 1;
                word * 64 + bit
            })
        })
    })
}

/// What a word does to `B`: for each state where it may lead, and where through a mark.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Steps {
    words: usize,
    /// Two sets a row: reached, reached through a mark.
    rows: Vec<u64>,
}

impl Steps {
    fn empty(states: usize) -> Steps {
        let words = states.div_ceil(64).max(1);
        Steps {
            words,
            rows: vec![0; 2 * words * states],
        }
    }

    fn reached(&self, from: usize) -> &[u64] {
        &self.rows[2 * from * self.words..(2 * from + 1) * self.words]
    }

    fn size(&self) -> u32 {
        self.rows.iter().map(|word| word.count_ones()).sum()
    }

    fn marked(&self, from: usize) -> &[u64] {
        &self.rows[(2 * from + 1) * self.words..(2 * from + 2) * self.words]
    }

    /// This word, then a letter; from the states of `rows` only.
    fn then(&self, letter: &Steps, rows: &[usize]) -> Steps {
        let words = self.words;
        let mut result = Steps {
            words,
            rows: vec![0; self.rows.len()],
        };
        for &from in rows {
            let (reached, marked) = result.rows[2 * from * words..(2 * from + 2) * words].split_at_mut(words);
            for between in members(self.reached(from)) {
                let through_mark = has(self.marked(from), between);
                for word in 0..words {
                    reached[word] |= letter.reached(between)[word];
                    marked[word] |= if through_mark {
                        letter.reached(between)[word]
                    } else {
                        letter.marked(between)[word]
                    };
                }
            }
        }
        result
    }
}

/// An element of an antichain, with the way it was made.
struct Element<T> {
    state: State,
    value: T,
    parent: Option<usize>,
    letter: Letter,
    /// A smaller one was found later.
    dropped: bool,
}

/// The letters that made an element.
fn word_of<T>(elements: &[Element<T>], mut at: usize) -> Vec<Letter> {
    let mut letters = Vec::new();
    while let Some(parent) = elements[at].parent {
        letters.push(elements[at].letter);
        at = parent;
    }
    letters.reverse();
    letters
}

struct Search<'a> {
    a: &'a Automaton,
    b: &'a Automaton,
    letters: Vec<Letter>,
    /// What each letter does to `B`.
    steps: Vec<Steps>,
    /// The states that simulate each state of `B`, itself included.
    above: Vec<Set>,
}

/// The minimal sets at each state of `A`, with their words.
type Prefixes = Vec<Vec<(Set, Vec<Letter>)>>;

impl<'a> Search<'a> {
    fn new(a: &'a Automaton, b: &'a Automaton, letters: Vec<Letter>, budget: &Budget) -> Result<Search<'a>> {
        let count = b.state_count();
        let everything = *b.acceptance() == crate::acceptance::Acceptance::True;
        let steps = letters
            .iter()
            .map(|&letter| {
                let mut steps = Steps::empty(count);
                let words = steps.words;
                for state in b.states() {
                    let row = 2 * state.index() * words;
                    for (target, marks) in b.successors(state, letter) {
                        insert(&mut steps.rows[row..row + words], target.index());
                        if everything || marks.has(0) {
                            insert(&mut steps.rows[row + words..row + 2 * words], target.index());
                        }
                    }
                }
                steps
            })
            .collect();
        let relation: SimulationRelation = direct_simulation(&mut b.clone(), budget)?;
        let above = (0..count)
            .map(|s| {
                let mut set = vec![0; count.div_ceil(64).max(1)];
                for t in (0..count).filter(|&t| s == t || relation.has(s, t)) {
                    insert(&mut set, t);
                }
                set
            })
            .collect();
        Ok(Search {
            a,
            b,
            letters,
            steps,
            above,
        })
    }

    fn is_marked(&self, marks: Marks, automaton: &Automaton) -> bool {
        *automaton.acceptance() == crate::acceptance::Acceptance::True || marks.has(0)
    }

    /// Whether each state of `x` is simulated by one of `y`.
    fn at_most(&self, x: &[u64], y: &[u64]) -> bool {
        members(x).all(|state| {
            self.above[state]
                .iter()
                .zip(y)
                .any(|(above, other)| above & other != 0)
        })
    }

    /// Drops what is simulated by something else in the same row.
    fn maximal(&self, mut steps: Steps, rows: &[usize]) -> Steps {
        let words = steps.words;
        for &row in rows {
            let marked = self.maximal_set(steps.marked(row));
            let mut reached = self.maximal_set(steps.reached(row));
            // Rows through a mark are rows.
            for (word, more) in reached.iter_mut().zip(&marked) {
                *word |= more;
            }
            let at = 2 * row * words;
            steps.rows[at..at + words].copy_from_slice(&reached);
            steps.rows[at + words..at + 2 * words].copy_from_slice(&marked);
        }
        steps
    }

    fn maximal_set(&self, set: &[u64]) -> Set {
        let mut result = set.to_vec();
        for state in members(set) {
            let simulating = self.above[state].iter().zip(&result);
            let mut others: Set = simulating.map(|(above, kept)| above & kept).collect();
            others[state / 64] &= !(1 << (state % 64));
            if others.iter().any(|word| *word != 0) {
                result[state / 64] &= !(1 << (state % 64));
            }
        }
        result
    }

    fn steps_at_most(&self, x: &Steps, y: &Steps, rows: &[usize]) -> bool {
        rows.iter().all(|&row| {
            self.at_most(x.reached(row), y.reached(row)) && self.at_most(x.marked(row), y.marked(row))
        })
    }

    /// The minimal sets of states in which `B` can be when `A` is in each state.
    fn prefixes(&self, limits: Limits, budget: &Budget) -> Result<Option<Prefixes>> {
        let mut start = vec![0; self.b.state_count().div_ceil(64).max(1)];
        for state in self.b.initial() {
            insert(&mut start, state.index());
        }
        let mut elements: Vec<Element<Set>> = Vec::new();
        let mut at_state: Vec<Vec<usize>> = vec![Vec::new(); self.a.state_count()];
        let mut queue: VecDeque<usize> = VecDeque::new();
        let mut arrivals: Vec<(State, Set, Option<usize>, Letter)> = self
            .a
            .initial()
            .iter()
            .map(|&state| (state, start.clone(), None, 0))
            .collect();
        loop {
            for (state, value, parent, letter) in arrivals.drain(..) {
                let known = &mut at_state[state.index()];
                if known
                    .iter()
                    .any(|&other| self.at_most(&elements[other].value, &value))
                {
                    continue;
                }
                known.retain(|&other| {
                    let larger = self.at_most(&value, &elements[other].value);
                    elements[other].dropped |= larger;
                    !larger
                });
                known.push(elements.len());
                queue.push_back(elements.len());
                elements.push(Element {
                    state,
                    value,
                    parent,
                    letter,
                    dropped: false,
                });
            }
            if elements.len() > limits.elements {
                return Ok(None);
            }
            let Some(at) = queue.pop_front() else { break };
            budget.check()?;
            if elements[at].dropped {
                continue;
            }
            for (steps, &letter) in self.steps.iter().zip(&self.letters) {
                let mut next: Option<Set> = None;
                for (target, _) in self.a.successors(elements[at].state, letter) {
                    let next = next.get_or_insert_with(|| {
                        let mut next = vec![0; steps.words];
                        for state in members(&elements[at].value) {
                            for (word, more) in next.iter_mut().zip(steps.reached(state)) {
                                *word |= more;
                            }
                        }
                        next
                    });
                    arrivals.push((target, next.clone(), Some(at), letter));
                }
            }
        }
        let minimal = |list: &Vec<usize>| {
            let each = list.iter();
            each.map(|&at| (elements[at].value.clone(), word_of(&elements, at)))
                .collect()
        };
        Ok(Some(at_state.iter().map(minimal).collect()))
    }

    /// Looks at the minimal relations of the words that lead `A` from `s` by a marked edge back to `s`.
    fn periods(
        &self,
        s: State,
        components: &Components,
        prefixes: &Prefixes,
        limits: Limits,
        budget: &Budget,
    ) -> Result<Answer> {
        let rows = self.rows_beside(s, prefixes);
        let mut elements: Vec<Element<Steps>> = Vec::new();
        let mut at_state: Vec<Vec<usize>> = vec![Vec::new(); self.a.state_count()];
        // Small relations first: they make others superfluous.
        let mut queue: BinaryHeap<Reverse<(u32, usize)>> = BinaryHeap::new();
        // The empty word is the root of all others; it is not a period itself.
        elements.push(Element {
            state: s,
            value: Steps::empty(0),
            parent: None,
            letter: 0,
            dropped: false,
        });
        let mut arrivals: Vec<(State, Steps, usize, Letter)> = Vec::new();
        for (number, &letter) in self.letters.iter().enumerate() {
            for edge in self.a.edges(s) {
                let taken = components.inner(s, edge)
                    && self.is_marked(edge.marks, self.a)
                    && self.a.labels.satisfied(edge.label, letter);
                if taken {
                    let mut value = Steps::empty(self.b.state_count());
                    for &row in &rows {
                        let span = 2 * row * value.words..2 * (row + 1) * value.words;
                        value.rows[span.clone()].copy_from_slice(&self.steps[number].rows[span]);
                    }
                    arrivals.push((edge.target, self.maximal(value, &rows), 0, letter));
                }
            }
        }
        loop {
            for (state, value, parent, letter) in arrivals.drain(..) {
                let known = &mut at_state[state.index()];
                if known
                    .iter()
                    .any(|&other| self.steps_at_most(&elements[other].value, &value, &rows))
                {
                    continue;
                }
                known.retain(|&other| {
                    let larger = self.steps_at_most(&value, &elements[other].value, &rows);
                    elements[other].dropped |= larger;
                    !larger
                });
                let at = elements.len();
                known.push(at);
                queue.push(Reverse((value.size(), at)));
                elements.push(Element {
                    state,
                    value,
                    parent: Some(parent),
                    letter,
                    dropped: false,
                });
                if state == s {
                    let accepting = accepting_rows(&elements[at].value, &rows);
                    let rejected = prefixes[s.index()]
                        .iter()
                        .find(|(set, _)| set.iter().zip(&accepting).all(|(x, y)| x & y == 0));
                    if let Some((_, prefix)) = rejected {
                        let word = LassoWord::new(
                            self.a.propositions().to_vec(),
                            prefix.clone(),
                            word_of(&elements, at),
                        );
                        return Ok(Answer::Difference(word.shortened()));
                    }
                }
            }
            if elements.len() > limits.elements {
                return Ok(Answer::GivenUp);
            }
            let Some(Reverse((_, at))) = queue.pop() else {
                return Ok(Answer::Included);
            };
            if elements[at].dropped {
                continue;
            }
            let state = elements[at].state;
            for (steps, &letter) in self.steps.iter().zip(&self.letters) {
                budget.check()?;
                let mut next: Option<Steps> = None;
                for edge in self.a.edges(state) {
                    if components.inner(state, edge) && self.a.labels.satisfied(edge.label, letter) {
                        let next = next.get_or_insert_with(|| {
                            self.maximal(elements[at].value.then(steps, &rows), &rows)
                        });
                        arrivals.push((edge.target, next.clone(), at, letter));
                    }
                }
            }
        }
    }

    /// The states of `B` in which it can be when `A` is in `s` infinitely often: only their rows matter.
    fn rows_beside(&self, s: State, prefixes: &Prefixes) -> Vec<usize> {
        let count = self.b.state_count();
        let mut seen = vec![false; self.a.state_count() * count];
        let mut waiting: Vec<(State, usize)> = Vec::new();
        for (set, _) in &prefixes[s.index()] {
            waiting.extend(members(set).map(|state| (s, state)));
        }
        for &(state, other) in &waiting {
            seen[state.index() * count + other] = true;
        }
        while let Some((state, other)) = waiting.pop() {
            for (steps, &letter) in self.steps.iter().zip(&self.letters) {
                for (target, _) in self.a.successors(state, letter) {
                    for next in members(steps.reached(other)) {
                        let place = &mut seen[target.index() * count + next];
                        if !std::mem::replace(place, true) {
                            waiting.push((target, next));
                        }
                    }
                }
            }
        }
        (0..count)
            .filter(|state| seen[s.index() * count + state])
            .collect()
    }
}

/// The rows from which the word, repeated for ever, passes a mark infinitely often.
fn accepting_rows(steps: &Steps, rows: &[usize]) -> Set {
    // What is reached by one or more repetitions, and what through a mark: transitive closure (Warshall).
    let mut closure = steps.clone();
    let words = steps.words;
    for &between in rows {
        let (through, through_marked) = (
            closure.reached(between).to_vec(),
            closure.marked(between).to_vec(),
        );
        for &from in rows {
            if !has(closure.reached(from), between) {
                continue;
            }
            let marked_before = has(closure.marked(from), between);
            let row = &mut closure.rows[2 * from * words..(2 * from + 2) * words];
            for word in 0..words {
                row[word] |= through[word];
                row[words + word] |= if marked_before {
                    through[word]
                } else {
                    through_marked[word]
                };
            }
        }
    }
    let mut good = vec![0; words];
    for &row in rows {
        if has(closure.marked(row), row) {
            insert(&mut good, row);
        }
    }
    let mut accepting = good.clone();
    for &row in rows {
        if closure.reached(row).iter().zip(&good).any(|(x, y)| x & y != 0) {
            insert(&mut accepting, row);
        }
    }
    accepting
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::acceptance::Acceptance;
    use crate::algebra::complement::complement;
    use crate::algebra::product::intersection;
    use crate::ltl::random::Random;
    use crate::random_automaton::RandomAutomaton;

    const GENEROUS: Limits = Limits {
        letters: 64,
        elements: 100_000,
    };

    #[test]
    fn antichains_decide_as_the_complement_does() {
        let budget = Budget::unlimited();
        let mut random = Random::new(7);
        let (mut included, mut different) = (0, 0);
        for round in 0..600 {
            let shape = |states: usize, edges: usize, marked: usize| RandomAutomaton {
                states,
                propositions: 1 + round % 2,
                edges,
                acceptance: (Acceptance::buchi(), 1),
                marked,
            };
            let left = shape(1 + random.below(4), 1 + random.below(2), 40);
            let right = shape(1 + random.below(5), 2 + random.below(4), 30 + random.below(50));
            let a = left.draw(&mut random).expect("small");
            let b = right.draw(&mut random).expect("small");
            let other = complement(&b, &budget).expect("small");
            let expected = intersection(&a, &other).expect("small").0.is_empty();
            match inclusion(&a, &b, GENEROUS, &budget).expect("unlimited") {
                Answer::Included => {
                    assert!(expected, "{a:?}{b:?}");
                    included += 1;
                }
                Answer::Difference(word) => {
                    assert!(
                        !expected && a.accepts(&word) && !b.accepts(&word),
                        "{word}\n{a:?}{b:?}"
                    );
                    different += 1;
                }
                Answer::GivenUp => panic!("small automata stay below the limits"),
            }
        }
        assert!(included > 100 && different > 100, "{included} and {different}");
    }

    #[test]
    fn a_limit_gives_no_answer() {
        let budget = Budget::unlimited();
        let shape = RandomAutomaton {
            states: 12,
            propositions: 2,
            edges: 6,
            acceptance: (Acceptance::buchi(), 1),
            marked: 30,
        };
        let automaton = shape.draw(&mut Random::new(3)).expect("small");
        let limits = Limits {
            letters: 1,
            elements: 10,
        };
        let answer = inclusion(&automaton, &automaton, limits, &budget);
        assert_eq!(answer, Ok(Answer::GivenUp));
    }
}
