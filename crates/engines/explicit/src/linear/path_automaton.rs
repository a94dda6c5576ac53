//! The automaton of a path formula inside CTL*, over state formulas already decided and terms about steps.
//!
//! It is the property automaton of the path formula, read over infinite words. A finite maximal path is the infinite word in which, after its last
//! position, no proposition is true any more, `alive` among them (De Giacomo and Vardi's reduction):
//!
//! ```text
//! X p  ↦  X (alive & p)      weak X p  ↦  X (!alive | p)      p U q  ↦  p U (alive & q)      p R q  ↦  p R (!alive | q)
//! ```
//!
//! Past operators and atoms are only asked at positions that are alive, where they mean what they meant.

use super::path_formula::{Path, PathFormulas, PathId, Strength};
use super::property_automaton::PropertyAutomaton;
use crate::search::explore::ExplorationEnd;
use entail_automata::{LassoWord, Letter, State};
use entail_budget::Budget;
use entail_evidence::Statistics;
use entail_logic::{Binary, Formula, Unary};
use entail_search::cycles::marks::MarkSets;
use rustc_hash::FxHashMap;

/// A proposition of the automaton.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Proposition {
    /// The path has not ended.
    Alive,
    /// An atom of the path formulas.
    Atom(u32),
}

/// Which paths are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reading {
    Infinite,
    /// Finite maximal paths, too.
    AlsoFinite,
}

/// The automaton.
pub(crate) struct PathAutomaton {
    pub formulas: PathFormulas,
    automaton: PropertyAutomaton<Proposition>,
    /// Marks of edges, by number.
    pub mark_sets: MarkSets,
    /// Whether a state accepts every word, and whether it accepts the word of silence.
    universal: Vec<bool>,
    accepts_silence: Vec<bool>,
}

/// A transition: the state it leads to, and its marks by number.
pub(crate) type PathMove = (State, u32);

impl PathAutomaton {
    /// The automaton of a formula.
    pub fn new(
        formulas: PathFormulas,
        root: PathId,
        reading: Reading,
        budget: &Budget,
    ) -> Result<PathAutomaton, ExplorationEnd> {
        let mut words = OverWords {
            formulas: &formulas,
            reading,
            done: FxHashMap::default(),
        };
        let formula = words.formula(root);
        let automaton =
            PropertyAutomaton::new(&formula, budget).map_err(|reason| ExplorationEnd::Unknown {
                reason: format!("the automaton of a path formula: {reason}"),
                statistics: Statistics::default(),
            })?;
        let plain = automaton.automaton();
        let silence = LassoWord::new(plain.propositions().to_vec(), vec![], vec![0]);
        let universal = plain.states().map(|state| plain.accepts_all_from(state));
        let accepts_silence = plain.states().map(|state| plain.accepts_from(&[state], &silence));
        Ok(PathAutomaton {
            universal: universal.collect(),
            accepts_silence: accepts_silence.collect(),
            mark_sets: MarkSets::new(64),
            automaton,
            formulas,
        })
    }

    /// Where every word starts.
    pub fn initial(&self) -> &[State] {
        self.automaton.initial()
    }

    /// How many marks have to be met.
    pub fn mark_count(&self) -> usize {
        self.automaton.mark_count as usize
    }

    /// What the bits of a letter stand for.
    pub fn propositions(&self) -> &[Proposition] {
        &self.automaton.atoms
    }

    /// Whether nothing is required any more: every continuation is accepted.
    pub fn is_satisfied(&self, state: State) -> bool {
        self.universal[state.index()]
    }

    /// The transitions of a state on a letter.
    pub fn moves(&mut self, state: State, letter: Letter) -> Vec<PathMove> {
        let moves = self.automaton.moves(state, letter);
        let numbered = moves
            .iter()
            .map(|&(to, marks)| (to, self.mark_sets.intern(&[marks.0])));
        numbered.collect()
    }

    /// Whether the letter alone satisfies the state: nothing is required of the next position, not even to exist.
    pub fn decides(&mut self, state: State, letter: Letter) -> bool {
        let moves = self.automaton.moves(state, letter);
        moves.iter().any(|&(to, _)| self.universal[to.index()])
    }

    /// Whether a path that ends at a position with this letter is accepted.
    pub fn accepts_end(&mut self, state: State, letter: Letter) -> bool {
        let moves = self.automaton.moves(state, letter);
        moves.iter().any(|&(to, _)| self.accepts_silence[to.index()])
    }
}

/// Path formulas as formulas over infinite words.
struct OverWords<'a> {
    formulas: &'a PathFormulas,
    reading: Reading,
    done: FxHashMap<PathId, Formula<Proposition>>,
}

impl OverWords<'_> {
    fn formula(&mut self, id: PathId) -> Formula<Proposition> {
        if let Some(done) = self.done.get(&id) {
            return done.clone();
        }
        let formula = stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || self.formula_of_node(id));
        self.done.insert(id, formula.clone());
        formula
    }

    /// What must be true at a position that exists.
    fn alive(&self, formula: Formula<Proposition>) -> Formula<Proposition> {
        match self.reading {
            Reading::Infinite => formula,
            Reading::AlsoFinite => Formula::and([Formula::atom(Proposition::Alive), formula]),
        }
    }

    /// What must be true at a position if it exists.
    fn if_alive(&self, formula: Formula<Proposition>) -> Formula<Proposition> {
        match self.reading {
            Reading::Infinite => formula,
            Reading::AlsoFinite => Formula::or([Formula::atom(Proposition::Alive).not(), formula]),
        }
    }

    fn formula_of_node(&mut self, id: PathId) -> Formula<Proposition> {
        match self.formulas.node(id) {
            Path::Constant(truth) => Formula::constant(*truth),
            Path::Literal { atom, positive } => {
                let atom = Formula::atom(Proposition::Atom(*atom));
                if *positive { atom } else { atom.not() }
            }
            Path::And(list) => Formula::and(list.iter().map(|&p| self.formula(p)).collect::<Vec<_>>()),
            Path::Or(list) => Formula::or(list.iter().map(|&p| self.formula(p)).collect::<Vec<_>>()),
            Path::Next(p, strength) => {
                let p = self.formula(*p);
                match strength {
                    Strength::Strong => self.alive(p).next(),
                    Strength::Weak => self.if_alive(p).next(),
                }
            }
            Path::Until(p, q, interval) => {
                let (p, q) = (self.formula(*p), self.formula(*q));
                Formula::binary_within(Binary::Until, *interval, &p, &self.alive(q))
            }
            Path::Release(p, q, interval) => {
                let (p, q) = (self.formula(*p), self.formula(*q));
                Formula::binary_within(Binary::Release, *interval, &p, &self.if_alive(q))
            }
            Path::Yesterday(p, strength) => {
                let p = self.formula(*p);
                match strength {
                    Strength::Strong => Formula::unary(Unary::Yesterday, &p),
                    Strength::Weak => Formula::unary(Unary::WeakYesterday, &p),
                }
            }
            Path::Since(p, q) => {
                let (p, q) = (self.formula(*p), self.formula(*q));
                Formula::binary(Binary::Since, &p, &q)
            }
            Path::Triggered(p, q) => {
                let (p, q) = (self.formula(*p), self.formula(*q));
                Formula::binary(Binary::Triggered, &p, &q)
            }
        }
    }
}
