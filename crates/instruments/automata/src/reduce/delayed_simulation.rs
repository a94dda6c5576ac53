//! Delayed simulation of Büchi automata, with lookahead (Etessami, Wilke and Schuller 2005; Mayr and Clemente 2013).
//!
//! Spoiler moves in `s`, Duplicator answers in `t` by the same letter. When Spoiler sees the mark and Duplicator does not, a debt is
//! open, until Duplicator sees the mark himself; `t` *delayed-simulates* `s` if Duplicator can go on for ever and pay every debt. That is
//! coarser than direct simulation, which allows no debts, and still implies inclusion of languages. With *lookahead* `k` Duplicator may wait with his answer
//! until Spoiler has made up to `k` moves, and then answer all of them.
//!
//! Merging states that simulate each other (for lookahead: in the transitive closure) preserves the language, if a class keeps the
//! edges of all its members. The theorem is about marks on states; a mark on an edge is one on a copy of the target, and the copies of equivalent
//! states with the same mark are equivalent, so every run of our quotient is one of theirs. It does not hold for several marks; and
//! cutting edges that have a better sibling would be wrong here.
//!
//! Duplicator's wins are `νZ μY`: from a debt he must get to paying it in finitely many steps. Pairs are rows of bits, letters are classes that no label tells
//! apart, at most 64 of them; otherwise, above [`LARGEST_DELAYED`] states, and where Spoiler has too many ways to move, nothing is reduced.

use crate::acceptance::Marks;
use crate::automaton::{Automaton, State};
use crate::error::Result;
use crate::letter_classes::letter_classes;
use crate::reduce::simulation::SimulationRelation;
use entail_budget::Budget;

/// Above this number of states the game is not solved.
pub const LARGEST_DELAYED: usize = 448;

/// The most sequences of moves, over all pairs, for which a game is solved.
const MOST_EFFORT: f64 = 1e8;

/// How far Duplicator looks ahead, one after the other.
const LOOKAHEADS: [usize; 3] = [1, 2, 4];

/// A set of states.
type Set = [u64; LARGEST_DELAYED / 64];

fn meets(set: &Set, row: &[u64]) -> bool {
    set.iter().zip(row).any(|(x, y)| x & y != 0)
}

/// Where Duplicator may be, by whether he is in debt.
#[derive(Clone, Copy, Default)]
struct Places {
    without: Set,
    with: Set,
}

impl Places {
    fn add(&mut self, state: usize, debt: bool) {
        let set = if debt { &mut self.with } else { &mut self.without };
        set[state / 64] |= 1 << (state % 64);
    }
}

/// The pairs from which Duplicator wins, by whether he is in debt.
struct Wins {
    without: SimulationRelation,
    with: SimulationRelation,
}

struct Game {
    size: usize,
    letters: usize,
    /// By state and letter: where each edge leads, and whether it is marked.
    moves: Vec<Vec<(u32, bool)>>,
    lookahead: usize,
}

impl Game {
    /// None if the automaton has too many letters or states, or more than one mark, or if the game would take too long.
    fn new(automaton: &Automaton, lookahead: usize, budget: &Budget) -> Result<Option<Game>> {
        let Some(marks) = automaton.acceptance().as_generalized_buchi() else {
            return Ok(None);
        };
        if automaton.state_count() > LARGEST_DELAYED || marks.0.count_ones() > 1 {
            return Ok(None);
        }
        let Some(letters) = letter_classes(&[automaton], 64, budget)? else {
            return Ok(None);
        };
        let mut moves = Vec::new();
        for state in automaton.states() {
            for &letter in &letters {
                let successors = automaton.successors(state, letter);
                moves.push(
                    successors
                        .map(|(target, seen)| (target.0, marks.subset(seen)))
                        .collect(),
                );
            }
        }
        let game = Game {
            size: automaton.state_count(),
            letters: letters.len(),
            moves,
            lookahead,
        };
        Ok((game.effort() <= MOST_EFFORT).then_some(game))
    }

    /// How many sequences of moves Spoiler has, from all pairs.
    fn effort(&self) -> f64 {
        let size = self.size as f64;
        let moves: usize = self.moves.iter().map(Vec::len).sum();
        size * size * (moves as f64 / size).powi(self.lookahead as i32)
    }

    fn moves(&self, state: usize, letter: usize) -> &[(u32, bool)] {
        &self.moves[state * self.letters + letter]
    }

    /// Where Duplicator can go by a letter, when Spoiler does or does not see the mark.
    fn follow(&self, places: &Places, letter: usize, marked: bool) -> Places {
        let mut next = Places::default();
        for (set, debt) in [(&places.without, false), (&places.with, true)] {
            for (word, bits) in set.iter().enumerate() {
                let mut rest = *bits;
                while rest != 0 {
                    let state = word * 64 + rest.trailing_zeros() as usize;
                    rest &= rest - 1;
                    for &(target, pays) in self.moves(state, letter) {
                        next.add(target as usize, !pays && (debt || marked));
                    }
                }
            }
        }
        next
    }

    /// Whether Duplicator, who may be in any of these places, can answer whatever Spoiler does next within so many moves.
    fn answers(&self, s: usize, places: &Places, wins: &Wins, lookahead: usize) -> bool {
        (0..self.letters).all(|letter| {
            let mut next: [Option<Places>; 2] = [None, None];
            self.moves(s, letter).iter().all(|&(target, marked)| {
                let next =
                    next[usize::from(marked)].get_or_insert_with(|| self.follow(places, letter, marked));
                let target = target as usize;
                meets(&next.without, wins.without.row(target))
                    || meets(&next.with, wins.with.row(target))
                    || (lookahead > 1 && self.answers(target, next, wins, lookahead - 1))
            })
        })
    }

    fn wins_from(&self, s: usize, t: usize, debt: bool, wins: &Wins) -> bool {
        let mut places = Places::default();
        places.add(t, debt);
        self.answers(s, &places, wins, self.lookahead)
    }

    /// The pairs from which Duplicator wins without a debt: a greatest fixpoint.
    fn solve(&self, budget: &Budget) -> Result<SimulationRelation> {
        let mut wins = Wins {
            without: SimulationRelation::new(self.size, |_, _| true),
            with: SimulationRelation::new(self.size, |_, _| false),
        };
        loop {
            self.pay_debts(&mut wins, budget)?;
            let mut changed = false;
            // While pairs are removed, those with a debt are only an upper bound: what is removed because of them is removed rightly.
            loop {
                let mut removed = false;
                for s in 0..self.size {
                    for t in 0..self.size {
                        budget.check()?;
                        if wins.without.has(s, t) && !self.wins_from(s, t, false, &wins) {
                            wins.without.remove(s, t);
                            removed = true;
                        }
                    }
                }
                changed |= removed;
                if !removed {
                    break;
                }
            }
            if !changed {
                return Ok(wins.without);
            }
        }
    }

    /// The pairs from which Duplicator can pay a debt, and end in a pair that is good without one: a least fixpoint.
    fn pay_debts(&self, wins: &mut Wins, budget: &Budget) -> Result<()> {
        wins.with = SimulationRelation::new(self.size, |_, _| false);
        loop {
            let mut added = false;
            for s in 0..self.size {
                for t in 0..self.size {
                    budget.check()?;
                    // With a debt Duplicator wins only where he would win without.
                    if wins.without.has(s, t) && !wins.with.has(s, t) && self.wins_from(s, t, true, wins) {
                        wins.with.add(s, t);
                        added = true;
                    }
                }
            }
            if !added {
                return Ok(());
            }
        }
    }
}

/// Which states delayed-simulate which others, if that can be told.
pub(crate) fn delayed_simulation(
    automaton: &Automaton,
    lookahead: usize,
    budget: &Budget,
) -> Result<Option<SimulationRelation>> {
    let Some(game) = Game::new(automaton, lookahead, budget)? else {
        return Ok(None);
    };
    let mut relation = game.solve(budget)?;
    if lookahead > 1 {
        relation.close();
    }
    Ok(Some(relation))
}

impl Automaton {
    /// Every reduction there is for a Büchi automaton, the quotient by delayed simulation included.
    pub fn reduce_buchi(&mut self, state_based: bool, budget: &Budget) -> Result<()> {
        self.reduce_as(state_based, budget)?;
        for lookahead in LOOKAHEADS {
            loop {
                let before = self.state_count();
                self.reduce_delayed(lookahead, state_based, budget)?;
                if self.state_count() == before {
                    break;
                }
                self.reduce_as(state_based, budget)?;
            }
        }
        Ok(())
    }

    /// Merges states of a Büchi automaton that delayed-simulate each other; with `state_based`, acceptance stays on states.
    pub fn reduce_delayed(&mut self, lookahead: usize, state_based: bool, budget: &Budget) -> Result<()> {
        let Some(relation) = delayed_simulation(self, lookahead, budget)? else {
            return Ok(());
        };
        let size = self.state_count();
        let mut class = vec![u32::MAX; size];
        let mut count = 0;
        for s in 0..size {
            if class[s] == u32::MAX {
                for (t, own) in class.iter_mut().enumerate().skip(s) {
                    if relation.has(s, t) && relation.has(t, s) {
                        *own = count;
                    }
                }
                count += 1;
            }
        }
        if count as usize == size {
            return Ok(());
        }
        let old = std::mem::replace(&mut self.edges, vec![Vec::new(); count as usize]);
        let mut accepting = vec![Marks::NONE; count as usize];
        for (state, list) in old.into_iter().enumerate() {
            for edge in list {
                let source = State(class[state]);
                accepting[source.index()] = accepting[source.index()].with(edge.marks);
                self.add_edge(source, edge.label, State(class[edge.target.index()]), edge.marks);
            }
        }
        if state_based {
            for (list, marks) in self.edges.iter_mut().zip(accepting) {
                list.iter_mut().for_each(|edge| edge.marks = marks);
            }
        }
        self.initial = self
            .initial
            .iter()
            .map(|state| State(class[state.index()]))
            .collect();
        self.initial.sort_unstable();
        self.initial.dedup();
        self.merge_edges();
        self.remove_unreachable();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::acceptance::Acceptance;
    use crate::algebra::complement::complement;
    use crate::algebra::product::intersection;
    use crate::ltl::random::Random;
    use crate::random_automaton::RandomAutomaton;
    use crate::reduce::degeneralize::{Placement, degeneralize};
    use crate::reduce::simulation::direct_simulation;

    fn same_language(a: &Automaton, b: &Automaton, budget: &Budget) -> bool {
        let disjoint = |x: &Automaton, y: &Automaton| {
            let outside = complement(y, budget).expect("small");
            intersection(x, &outside).expect("small").0.is_empty()
        };
        disjoint(a, b) && disjoint(b, a)
    }

    #[test]
    fn quotients_keep_the_language_and_are_sometimes_smaller_than_by_direct_simulation() {
        let budget = Budget::unlimited();
        let mut random = Random::new(11);
        let (mut merged, mut beyond_direct) = (0, 0);
        for round in 0..3_000 {
            let shape = RandomAutomaton {
                states: 2 + random.below(5),
                propositions: 1,
                edges: 1 + random.below(3),
                acceptance: (Acceptance::buchi(), 1),
                marked: 20 + random.below(60),
            };
            let mut automaton = shape.draw(&mut random).expect("small");
            let (state_based, lookahead) = (round % 2 == 0, 1 + round % 3);
            if state_based {
                automaton = degeneralize(&automaton, Placement::States, &budget).expect("small");
            }
            let delayed = delayed_simulation(&automaton, lookahead, &budget)
                .expect("small")
                .expect("one mark");
            let direct = direct_simulation(&mut automaton.clone(), &budget).expect("small");
            for s in 0..automaton.state_count() {
                for t in 0..automaton.state_count() {
                    assert!(!direct.has(s, t) || delayed.has(s, t), "direct is finer");
                }
            }
            let mut reduced = automaton.clone();
            reduced
                .reduce_delayed(lookahead, state_based, &budget)
                .expect("small");
            assert!(!state_based || reduced.is_state_based());
            if reduced.state_count() < automaton.state_count() {
                merged += 1;
                assert!(
                    same_language(&automaton, &reduced, &budget),
                    "{automaton:?} became {reduced:?}"
                );
            }
            let mut first = automaton.clone();
            first.reduce_as(state_based, &budget).expect("small");
            let before = first.state_count();
            first
                .reduce_delayed(lookahead, state_based, &budget)
                .expect("small");
            if first.state_count() < before {
                beyond_direct += 1;
                assert!(same_language(&automaton, &first, &budget), "{automaton:?}");
            }
        }
        assert!(merged > 200 && beyond_direct > 20, "{merged} and {beyond_direct}");
    }

    #[test]
    fn more_than_one_mark_is_left_alone() {
        let shape = RandomAutomaton {
            states: 6,
            propositions: 1,
            edges: 3,
            acceptance: (Acceptance::generalized_buchi(2), 2),
            marked: 50,
        };
        let automaton = shape.draw(&mut Random::new(1)).expect("small");
        let answer = delayed_simulation(&automaton, 1, &Budget::unlimited()).expect("unlimited");
        assert!(answer.is_none());
    }
}
