//! The automaton of the paths that violate a property, read letter by letter.
//!
//! `entail-automata` translates the negated path formula to a small generalized Büchi automaton over the atoms of the
//! formula; large formulas are only expanded, since reducing their automata could take longer than the search. Here it is
//! asked for the successors of a state on a letter, which is a set of true atoms: answers are kept, since the same few letters
//! come again and again.

use entail_automata::algebra::remove_fin::to_generalized_buchi;
use entail_automata::translate::pipeline::satisfying_automaton;
use entail_automata::{AutomataError, Automaton, Letter, Marks, State, Translation, translate};
use entail_budget::Budget;
use entail_logic::{Formula, Node};
use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;
use std::rc::Rc;

/// Formulas with more nodes than this, bounds written out, are not worth a small automaton.
const LARGEST_REDUCED: usize = 60;

/// An automaton over terms of a model, or over other atoms.
pub(crate) struct PropertyAutomaton<A> {
    automaton: Automaton,
    /// The atom of each bit of a letter.
    pub atoms: Vec<A>,
    /// The marks that must be seen infinitely often; the first `mark_count` ones.
    pub mark_count: u32,
    moves: HashMap<(State, Letter), Rc<[Move]>, FxBuildHasher>,
}

/// A successor, and the marks seen on the way.
pub(crate) type Move = (State, Marks);

impl<A: Copy + PartialEq> PropertyAutomaton<A> {
    /// The automaton of the paths that satisfy a path formula.
    pub fn new(formula: &Formula<A>, budget: &Budget) -> Result<PropertyAutomaton<A>, AutomataError> {
        let mut atoms: Vec<A> = Vec::new();
        let named = formula.map_atoms(&mut |&wanted| {
            let known = atoms.iter().position(|&atom| atom == wanted);
            let number = known.unwrap_or_else(|| {
                atoms.push(wanted);
                atoms.len() - 1
            });
            format!("a{number}")
        });
        let automaton = if weight(&named) <= LARGEST_REDUCED {
            translate(&named, Translation::default(), budget)?
        } else {
            satisfying_automaton(&named, budget)?
        };
        let automaton = with_dense_marks(to_generalized_buchi(&automaton)?);
        let of_name = |name: &String| {
            let number = name.strip_prefix('a').and_then(|digits| digits.parse().ok());
            number.and_then(|number: usize| atoms.get(number).copied())
        };
        let atoms = automaton.propositions().iter().filter_map(of_name).collect();
        Ok(PropertyAutomaton {
            mark_count: automaton.mark_count(),
            automaton,
            atoms,
            moves: HashMap::default(),
        })
    }

    /// The automaton itself.
    pub fn automaton(&self) -> &Automaton {
        &self.automaton
    }

    /// The initial states.
    pub fn initial(&self) -> &[State] {
        self.automaton.initial()
    }

    /// The successors by a letter: bit `i` says whether atom `i` is true.
    pub fn moves(&mut self, state: State, letter: Letter) -> Rc<[Move]> {
        let automaton = &self.automaton;
        let moves = self.moves.entry((state, letter));
        Rc::clone(moves.or_insert_with(|| automaton.successors(state, letter).collect()))
    }
}

/// The number of nodes, bounded operators written out.
fn weight(formula: &Formula<String>) -> usize {
    let bound = match formula.node() {
        Node::Unary(_, interval, _) | Node::Binary(_, interval, ..) => interval.to.unwrap_or(interval.from),
        _ => 0,
    };
    let operands = formula.operands().into_iter();
    let below: usize = operands
        .map(|operand| stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || weight(operand)))
        .sum();
    1 + bound as usize + below
}

/// The same automaton with marks `0..n`, all of which are required.
fn with_dense_marks(automaton: Automaton) -> Automaton {
    use entail_automata::Acceptance;
    let required = automaton
        .acceptance()
        .as_generalized_buchi()
        .unwrap_or(Marks::NONE);
    if required == Marks::first(automaton.mark_count()) {
        return automaton;
    }
    let wanted: Vec<u32> = required.iter().collect();
    let count = wanted.len() as u32;
    let dense = automaton.with_marks(|marks| {
        let seen = wanted.iter().enumerate().filter(|(_, mark)| marks.has(**mark));
        seen.fold(Marks::NONE, |all, (number, _)| {
            all.with(Marks::one(number as u32))
        })
    });
    dense.with_acceptance(Acceptance::generalized_buchi(count), count)
}
