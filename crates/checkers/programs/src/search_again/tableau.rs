//! A formula of linear temporal logic as a watcher, by the tableau construction (Clarke, Grumberg, Hamaguchi, *Another look at LTL model
//! checking*, CAV 1994).
//!
//! Formulas are brought to atoms, constants, `!`, `&`, `|`, `X` and `U`. For every `X f` there is a guess whether `f` is true in the
//! next state, and for every `f U g` whether it is. A position is a valuation of the guesses, as a set of bits; together with the
//! atoms it gives the truth of all subformulas: `f U g` is true if `g` is, or `f` is and the guess says so. A step is possible
//! if the guesses of the position before are what is true after it. A mark for every `f U g` sees to it that `g` comes: it is seen where `f U g`
//! is false or `g` is true.

use super::Undecided;
use super::states::RestingStates;
use super::watcher::{Watcher, condition};
use entail_logic::{Binary, Formula, Node, Unary};
use entail_program::Program;
use std::collections::HashMap;
use std::rc::Rc;

/// Formulas with more guesses, or larger ones, are not supported.
const MOST_GUESSES: usize = 12;
const LARGEST_FORMULA: usize = 5_000;

/// Position of a subformula in [`Tableau::parts`].
type Part = usize;

/// A subformula; operands come before it.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Operator {
    Constant(bool),
    /// Position among the conditions of the program.
    Atom(usize),
    Not(Part),
    And(Vec<Part>),
    Or(Vec<Part>),
    Next(Part),
    Until(Part, Part),
}

/// What is true in a state where the atoms have certain values, for every valuation of the guesses.
#[derive(Debug)]
struct Letter {
    /// For every set of guesses that were made in the state before: the valuations that fulfil them.
    fulfilling: HashMap<u64, Vec<u64>>,
    /// The valuations with which the whole formula is true.
    beginnings: Vec<u64>,
    /// For every valuation, the marks that are seen.
    seen: Vec<Vec<bool>>,
}

/// The tableau of a formula, over the states of a program.
pub struct Tableau<'p> {
    program: &'p Program,
    states: &'p RestingStates,
    parts: Vec<Operator>,
    whole: Part,
    /// The parts whose truth in the next state is guessed, by bit of the valuation; and whose guess each is.
    guessed: Vec<Part>,
    guess_of: HashMap<Part, usize>,
    /// The letters, by the values of the atoms; and by state, once they are asked for.
    letters: HashMap<Vec<bool>, Rc<Letter>>,
    by_state: Vec<Option<Rc<Letter>>>,
}

impl<'p> Tableau<'p> {
    /// The tableau that accepts the runs on which a formula is true.
    pub fn new(
        program: &'p Program,
        states: &'p RestingStates,
        formula: &Formula<usize>,
    ) -> Result<Tableau<'p>, Undecided> {
        let mut tableau = Tableau {
            program,
            states,
            parts: Vec::new(),
            whole: 0,
            guessed: Vec::new(),
            guess_of: HashMap::new(),
            letters: HashMap::new(),
            by_state: vec![None; states.0.len()],
        };
        if formula.size() > LARGEST_FORMULA {
            return Err(Undecided::Unsupported("formulas of this size"));
        }
        tableau.whole = tableau.part_of(formula)?;
        if tableau.guessed.len() > MOST_GUESSES {
            return Err(Undecided::Unsupported("formulas with so many temporal operators"));
        }
        Ok(tableau)
    }

    /// The part that is this operator; equal operators are one part.
    fn part(&mut self, operator: Operator) -> Part {
        if let Some(known) = self.parts.iter().position(|other| *other == operator) {
            return known;
        }
        let part = self.parts.len();
        let guessed = match operator {
            Operator::Next(operand) => Some(operand),
            Operator::Until(..) => Some(part),
            _ => None,
        };
        self.parts.push(operator);
        if let Some(guessed) = guessed {
            self.guess_of.insert(part, self.guessed.len());
            self.guessed.push(guessed);
        }
        part
    }

    fn not(&mut self, operand: Part) -> Part {
        self.part(Operator::Not(operand))
    }

    /// `left U right`
    fn until(&mut self, left: Part, right: Part) -> Part {
        self.part(Operator::Until(left, right))
    }

    fn part_of(&mut self, formula: &Formula<usize>) -> Result<Part, Undecided> {
        let parts = |tableau: &mut Self, operands: &[Formula<usize>]| {
            let parts = operands.iter().map(|operand| tableau.part_of(operand));
            parts.collect::<Result<Vec<Part>, Undecided>>()
        };
        Ok(match formula.node() {
            Node::Constant(truth) => self.part(Operator::Constant(*truth)),
            Node::Atom(atom) => self.part(Operator::Atom(*atom)),
            Node::Not(operand) => {
                let operand = self.part_of(operand)?;
                self.not(operand)
            }
            Node::And(operands) => {
                let operands = parts(self, operands)?;
                self.part(Operator::And(operands))
            }
            Node::Or(operands) => {
                let operands = parts(self, operands)?;
                self.part(Operator::Or(operands))
            }
            Node::Implies(left, right) => {
                let (left, right) = (self.part_of(left)?, self.part_of(right)?);
                let left = self.not(left);
                self.part(Operator::Or(vec![left, right]))
            }
            Node::Iff(left, right) => {
                let differ = self.exactly_one(left, right)?;
                self.not(differ)
            }
            Node::Xor(left, right) => self.exactly_one(left, right)?,
            Node::Unary(operator, interval, operand) if interval.is_always() => {
                let operand = self.part_of(operand)?;
                let always = self.part(Operator::Constant(true));
                match operator {
                    Unary::Next => self.part(Operator::Next(operand)),
                    Unary::Finally => self.until(always, operand),
                    Unary::Globally => {
                        let broken = self.not(operand);
                        let broken = self.until(always, broken);
                        self.not(broken)
                    }
                    _ => return Err(Undecided::Unsupported("past operators")),
                }
            }
            Node::Binary(operator, interval, left, right) if interval.is_always() => {
                let (left, right) = (self.part_of(left)?, self.part_of(right)?);
                match operator {
                    Binary::Until => self.until(left, right),
                    // `left` must not be followed by a state with neither, before `right`.
                    Binary::WeakUntil => {
                        let (no_left, no_right) = (self.not(left), self.not(right));
                        let neither = self.part(Operator::And(vec![no_left, no_right]));
                        let broken = self.until(no_right, neither);
                        self.not(broken)
                    }
                    Binary::Release => {
                        let (no_left, no_right) = (self.not(left), self.not(right));
                        let broken = self.until(no_left, no_right);
                        self.not(broken)
                    }
                    Binary::StrongRelease => {
                        let both = self.part(Operator::And(vec![left, right]));
                        self.until(right, both)
                    }
                    Binary::Since | Binary::Triggered => {
                        return Err(Undecided::Unsupported("past operators"));
                    }
                }
            }
            Node::Unary(..) | Node::Binary(..) => return Err(Undecided::Unsupported("bounded operators")),
            Node::Quantified(..) => return Err(Undecided::Unsupported("path quantifiers")),
        })
    }

    fn exactly_one(&mut self, left: &Formula<usize>, right: &Formula<usize>) -> Result<Part, Undecided> {
        let (left, right) = (self.part_of(left)?, self.part_of(right)?);
        let (no_left, no_right) = (self.not(left), self.not(right));
        let first = self.part(Operator::And(vec![left, no_right]));
        let second = self.part(Operator::And(vec![no_left, right]));
        Ok(self.part(Operator::Or(vec![first, second])))
    }

    /// The truth of all parts, given the values of the conditions that are atoms and the guesses.
    fn truth(&self, atoms: &HashMap<usize, bool>, guesses: u64) -> Vec<bool> {
        let mut truth: Vec<bool> = Vec::with_capacity(self.parts.len());
        for (part, operator) in self.parts.iter().enumerate() {
            let guess = || {
                self.guess_of
                    .get(&part)
                    .is_some_and(|bit| guesses >> bit & 1 == 1)
            };
            let value = match operator {
                Operator::Constant(value) => *value,
                Operator::Atom(atom) => atoms.get(atom).copied().unwrap_or(false),
                Operator::Not(operand) => !truth[*operand],
                Operator::And(operands) => operands.iter().all(|&operand| truth[operand]),
                Operator::Or(operands) => operands.iter().any(|&operand| truth[operand]),
                Operator::Next(_) => guess(),
                Operator::Until(left, right) => truth[*right] || truth[*left] && guess(),
            };
            truth.push(value);
        }
        truth
    }

    fn letter(&mut self, state: usize) -> Result<Rc<Letter>, Undecided> {
        if let Some(letter) = &self.by_state[state] {
            return Ok(letter.clone());
        }
        let mut atoms = HashMap::new();
        let mut values = Vec::new();
        for operator in &self.parts {
            if let Operator::Atom(atom) = operator {
                let expression = self.program.conditions.get(*atom);
                let expression = expression.ok_or(Undecided::Unsupported("unknown conditions"))?;
                let value = condition(self.program, self.states, expression, state)?;
                atoms.insert(*atom, value);
                values.push(value);
            }
        }
        let letter = match self.letters.get(&values) {
            Some(letter) => letter.clone(),
            None => {
                let letter = Rc::new(self.spell(&atoms));
                self.letters.insert(values, letter.clone());
                letter
            }
        };
        self.by_state[state] = Some(letter.clone());
        Ok(letter)
    }

    fn spell(&self, atoms: &HashMap<usize, bool>) -> Letter {
        let mut letter = Letter {
            fulfilling: HashMap::new(),
            beginnings: Vec::new(),
            seen: Vec::new(),
        };
        for guesses in 0..1u64 << self.guessed.len() {
            let truth = self.truth(atoms, guesses);
            let fulfilled = (self.guessed.iter().enumerate())
                .map(|(bit, &part)| u64::from(truth[part]) << bit)
                .sum();
            letter.fulfilling.entry(fulfilled).or_default().push(guesses);
            if truth[self.whole] {
                letter.beginnings.push(guesses);
            }
            let seen = self
                .parts
                .iter()
                .enumerate()
                .filter_map(|(part, operator)| match operator {
                    Operator::Until(_, right) => Some(!truth[part] || truth[*right]),
                    _ => None,
                });
            letter.seen.push(seen.collect());
        }
        letter
    }
}

impl Watcher for Tableau<'_> {
    fn begin(&mut self, state: usize) -> Result<Vec<u64>, Undecided> {
        Ok(self.letter(state)?.beginnings.clone())
    }

    fn next(&mut self, at: u64, _from: usize, to: usize) -> Result<Vec<u64>, Undecided> {
        let letter = self.letter(to)?;
        Ok(letter.fulfilling.get(&at).cloned().unwrap_or_default())
    }

    fn marks(&self) -> usize {
        let is_until = |operator: &&Operator| matches!(operator, Operator::Until(..));
        self.parts.iter().filter(is_until).count()
    }

    fn seen(&mut self, at: u64, state: usize) -> Result<Vec<bool>, Undecided> {
        Ok(self.letter(state)?.seen[at as usize].clone())
    }
}
