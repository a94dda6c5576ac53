//! What a user asks about a model.

use crate::mu::Mu;
use crate::{Formula, Logic, Node, Quantifier, Unary};

/// A question about a model whose atoms are of type `A`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Question<A> {
    /// Is the atom true in every reachable state (fair or not)? An atom that uses inputs or next values is asked of every
    /// reachable step.
    Invariant(A),
    /// Is the CTL* state formula true in every initial state, path quantifiers ranging over fair paths?
    Formula(Formula<A>),
    /// What is the length of the shortest path from a state satisfying the first to a state satisfying the second?
    ShortestPath(A, A),
    /// What is the length of the longest path from a state satisfying the first that has not met the second before?
    LongestPath(A, A),
    /// Is the mu-calculus formula (without free variables and actions) true in every initial state? Modalities range over all
    /// steps, fair or not.
    Mu(Mu<A>),
}

impl<A> Question<A> {
    /// The atom whose truth in every reachable state implies a positive answer: that of an invariant and of `A G p`, bounded or not. (The
    /// converse is true of invariants only: a violation of `p` may lie on no path that counts.)
    pub fn implied_by_invariant(&self) -> Option<&A> {
        match self {
            Question::Invariant(atom) => Some(atom),
            Question::Formula(formula) => match formula.node() {
                Node::Quantified(Quantifier::Forall, path) => match path.node() {
                    Node::Unary(Unary::Globally, _, inner) => match inner.node() {
                        Node::Atom(atom) => Some(atom),
                        _ => None,
                    },
                    _ => None,
                },
                _ => None,
            },
            Question::ShortestPath(..) | Question::LongestPath(..) | Question::Mu(_) => None,
        }
    }
}

impl<A: Clone> Question<A> {
    /// All atoms, each once.
    pub fn atoms(&self) -> Vec<A>
    where
        A: Ord,
    {
        let mut atoms = match self {
            Question::Invariant(atom) => vec![atom.clone()],
            Question::Formula(formula) => {
                let mut atoms = Vec::new();
                formula.for_each_atom(&mut |atom| atoms.push(atom.clone()));
                atoms
            }
            Question::Mu(formula) => {
                let mut atoms = Vec::new();
                formula.for_each_atom(&mut |atom| atoms.push(atom.clone()));
                atoms
            }
            Question::ShortestPath(start, goal) | Question::LongestPath(start, goal) => {
                vec![start.clone(), goal.clone()]
            }
        };
        atoms.sort_unstable();
        atoms.dedup();
        atoms
    }

    /// The same question about other atoms.
    pub fn map_atoms<B: Clone>(&self, map: &mut impl FnMut(&A) -> B) -> Question<B> {
        match self {
            Question::Invariant(atom) => Question::Invariant(map(atom)),
            Question::Formula(formula) => Question::Formula(formula.map_atoms(map)),
            Question::ShortestPath(start, goal) => Question::ShortestPath(map(start), map(goal)),
            Question::LongestPath(start, goal) => Question::LongestPath(map(start), map(goal)),
            Question::Mu(formula) => Question::Mu(formula.map_atoms(map)),
        }
    }
}

/// A question with what its author calls it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Property<A> {
    /// Its name, if it has one.
    pub name: Option<String>,
    /// The text as its author wrote it.
    pub text: String,
    /// The logic it was written in.
    pub logic: Logic,
    /// What is asked.
    pub question: Question<A>,
}
