//! Path formulas with several operators on diagrams: a deterministic automaton reads along.
//!
//! The automaton's state is one variable more. A step of the product is a step of the model, with that variable moved by the label of the state that is entered: the label is a set of
//! states, in which the bits that the step writes are those of the next state. So products are never listed, whatever the number of states is. Where the acceptance condition can be
//! fulfilled almost surely is a fixpoint ([`Space::again_and_again`]); the probability of the formula is the greatest one of getting there, and the least is one minus the greatest of
//! the negation. As in the explicit engine, a product state is a model state with what the automaton has read so far, that state included, and with the marks of the last edge.

use super::asked::unsupported;
use super::encoding::Encoding;
use super::functions::Functions;
use super::levels;
use super::space::Space;
use super::steps::Step;
use crate::check::Trouble;
use crate::linear::deterministic;
use entail_automata::{Automaton, Marks, State};
use entail_budget::Budget;
use entail_dd::Bdd;
use entail_logic::{Binary, Formula, Interval, Unary};
use entail_markov::{Bounds, Expr, Kind, Limit, Network, Optimum, Path, Property};

/// Sets of states that an automaton may look at.
const MOST_SETS: usize = 8;

/// Values of the automaton's variable.
const MOST_VALUES: usize = 1 << 12;

/// An automaton that reads sets of states.
pub(super) struct Reader {
    automaton: Automaton,
    /// The sets, by position; the automaton's propositions are called after the positions.
    sets: Vec<Expr>,
    /// What the variable's values stand for: where the automaton is, and the marks of its last edge. The last value stands for having stopped.
    pub places: Vec<(State, Marks)>,
    /// By value and letter (bit `i` says whether set `i` has the state): the next value.
    moves: Vec<Vec<usize>>,
    /// The value before anything was read.
    begin: usize,
}

/// A formula that diagrams can answer by a product.
pub(super) struct PathQuestion {
    pub reader: Reader,
    /// Whether the automaton is that of the negation, so that the value is one minus its probability.
    pub complemented: bool,
}

impl PathQuestion {
    /// The question for the probability of a path formula, for chains and for the optimum over schedulers.
    pub fn new(kind: Kind, optimum: Optimum, path: &Path, budget: &Budget) -> Result<PathQuestion, Trouble> {
        let mut sets = Vec::new();
        let mut formula = formula(kind, path, &mut sets)?;
        let complemented = kind.has_choices() && optimum == Optimum::Min;
        if complemented {
            formula = formula.not();
        }
        if sets.len() > MOST_SETS {
            return Err(unsupported("a path formula about so many sets of states"));
        }
        let automaton = deterministic(&formula, budget)?;
        Ok(PathQuestion {
            reader: Reader::new(automaton, sets)?,
            complemented,
        })
    }
}

/// Whether a path formula has several operators and is about sets of states without operators of probability, as far as its shape tells.
pub(super) fn is_readable(kind: Kind, path: &Path) -> bool {
    formula(kind, path, &mut Vec::new()).is_ok()
}

/// A path formula over names of sets.
fn formula(kind: Kind, path: &Path, sets: &mut Vec<Expr>) -> Result<Formula<String>, Trouble> {
    let within = |bounds: &Option<Bounds>| interval(kind, bounds.as_ref());
    let mut go = |path: &Path| formula(kind, path, sets);
    Ok(match path {
        Path::State(states) => {
            let Property::Expr(set) = &**states else {
                return Err(unsupported(
                    "a path formula with other things than sets of states",
                ));
            };
            let at = sets.iter().position(|known| known == set).unwrap_or_else(|| {
                sets.push(set.clone());
                sets.len() - 1
            });
            Formula::atom(format!("p{at}"))
        }
        Path::Not(inner) => go(inner)?.not(),
        Path::And(a, b) => Formula::and([go(a)?, go(b)?]),
        Path::Or(a, b) => Formula::or([go(a)?, go(b)?]),
        Path::Implies(a, b) => go(a)?.implies(&go(b)?),
        Path::Iff(a, b) => go(a)?.iff(&go(b)?),
        Path::Next(inner) => go(inner)?.next(),
        Path::Finally(inner, bounds) => Formula::unary_within(Unary::Finally, within(bounds)?, &go(inner)?),
        Path::Globally(inner, bounds) => Formula::unary_within(Unary::Globally, within(bounds)?, &go(inner)?),
        Path::Until(a, b, bounds) => Formula::binary_within(Binary::Until, within(bounds)?, &go(a)?, &go(b)?),
        Path::WeakUntil(a, b, bounds) => {
            Formula::binary_within(Binary::WeakUntil, within(bounds)?, &go(a)?, &go(b)?)
        }
        Path::Release(a, b, bounds) => {
            Formula::binary_within(Binary::Release, within(bounds)?, &go(a)?, &go(b)?)
        }
    })
}

fn interval(kind: Kind, bounds: Option<&Bounds>) -> Result<Interval, Trouble> {
    let Some(bounds) = bounds else {
        return Ok(Interval::ALWAYS);
    };
    if kind.is_timed() || !bounds.is_time() {
        return Err(unsupported("time and reward bounds inside of path formulas"));
    }
    let steps = |limit: &Limit| {
        u32::try_from(limit.value.clone()).map_err(|_| unsupported("so large a number of steps"))
    };
    let from = match &bounds.lower {
        Some(limit) => steps(limit)?.saturating_add(u32::from(limit.strict)),
        None => 0,
    };
    let to = match &bounds.upper {
        Some(limit) if limit.strict => match steps(limit)?.checked_sub(1) {
            Some(last) => Some(last),
            None => return Err(unsupported("an empty interval of steps")),
        },
        Some(limit) => Some(steps(limit)?),
        None => None,
    };
    match to {
        Some(to) if to < from => Err(unsupported("an empty interval of steps")),
        _ => Ok(Interval { from, to }),
    }
}

impl Reader {
    fn new(automaton: Automaton, sets: Vec<Expr>) -> Result<Reader, Trouble> {
        let stopped = (State(automaton.state_count() as u32), Marks::NONE);
        let mut places: Vec<(State, Marks)> = vec![match automaton.initial().first() {
            Some(&initial) => (initial, Marks::NONE),
            None => stopped,
        }];
        let letters = 1u64 << sets.len();
        // The automaton's own letters: its propositions are the sets of these names, in another order.
        let own = |letter: u64| {
            (automaton.propositions().iter().enumerate()).fold(0u64, |own, (bit, name)| {
                let set = name.strip_prefix('p').and_then(|at| at.parse::<u32>().ok());
                own | set.map_or(0, |set| letter >> set & 1) << bit
            })
        };
        let mut moves: Vec<Vec<usize>> = Vec::new();
        while moves.len() < places.len() {
            let (state, _) = places[moves.len()];
            let mut row = Vec::new();
            for letter in 0..letters {
                let next = match state == stopped.0 {
                    true => stopped,
                    false => (automaton.successors(state, own(letter)).next()).unwrap_or(stopped),
                };
                let place = places.iter().position(|&known| known == next);
                row.push(place.unwrap_or_else(|| {
                    places.push(next);
                    places.len() - 1
                }));
            }
            moves.push(row);
            if places.len() > MOST_VALUES {
                return Err(unsupported("a path formula whose automaton is so large"));
            }
        }
        Ok(Reader {
            automaton,
            sets,
            places,
            moves,
            begin: 0,
        })
    }

    /// Number of values of the variable.
    pub fn size(&self) -> usize {
        self.places.len()
    }

    /// The states of each letter that some state has.
    pub fn letters(&self, network: &Network, encoding: &Encoding) -> Result<Vec<(usize, Bdd)>, Trouble> {
        let mut functions = Functions::new(network, encoding);
        let mut found = vec![(0, encoding.valid.clone())];
        for (bit, set) in self.sets.iter().enumerate() {
            let (set, undefined) = functions.truth(set)?;
            if !undefined.and(&encoding.valid)?.is_false() {
                return Err(unsupported("an expression without a value somewhere"));
            }
            let mut finer = Vec::new();
            for (letter, states) in found {
                for (letter, part) in [
                    (letter, states.minus(&set)?),
                    (letter | 1 << bit, states.and(&set)?),
                ] {
                    if !part.is_false() {
                        finer.push((letter, part));
                    }
                }
            }
            found = finer;
        }
        Ok(found)
    }

    /// The product's initial states.
    pub fn initial(
        &self,
        encoding: &Encoding,
        variable: usize,
        letters: &[(usize, Bdd)],
        initial: &Bdd,
    ) -> Result<Bdd, Trouble> {
        let mut found = encoding.manager.zero();
        for (letter, states) in letters {
            let value = self.moves[self.begin][*letter] as i64;
            let here = initial.and(states)?.and(&encoding.is(variable, value)?)?;
            found = found.or(&here)?;
        }
        Ok(found)
    }

    /// How the variable moves, for each letter of the state that is entered.
    pub fn relations(
        &self,
        encoding: &Encoding,
        variable: usize,
        letters: &[(usize, Bdd)],
    ) -> Result<Vec<Bdd>, Trouble> {
        let mut found = Vec::with_capacity(letters.len());
        for (letter, _) in letters {
            let mut moved = encoding.manager.zero();
            for (value, row) in self.moves.iter().enumerate() {
                if let Some(next) = encoding.becomes(variable, row[*letter] as i64)? {
                    moved = moved.or(&encoding.is(variable, value as i64)?.and(&next)?)?;
                }
            }
            found.push(moved);
        }
        Ok(found)
    }

    /// For each way of accepting: the values that never occur at last, and the sets of values one of which each occurs again and again.
    pub fn acceptance(&self) -> Vec<(Vec<usize>, Vec<Vec<usize>>)> {
        let stopped = self.automaton.state_count();
        let values = |wanted: &dyn Fn(State, Marks) -> bool| -> Vec<usize> {
            (self.places.iter().enumerate())
                .filter(|(_, (state, marks))| wanted(*state, *marks))
                .map(|(value, _)| value)
                .collect()
        };
        let ways = self.automaton.acceptance().disjuncts().into_iter();
        ways.map(|(never, again)| {
            let wrong = values(&|state, marks| state.index() >= stopped || !marks.common(never).is_empty());
            let marked = again.iter().map(|mark| values(&|_, marks| marks.has(mark)));
            (wrong, marked.collect())
        })
        .collect()
    }
}

/// A step with which the automaton's variable moves.
pub(super) fn followed(
    encoding: &Encoding,
    step: &mut Step,
    variable: usize,
    letters: &[(usize, Bdd)],
    relations: &[Bdd],
) -> Result<(), Trouble> {
    let mut moves = encoding.manager.zero();
    for ((_, states), moved) in letters.iter().zip(relations) {
        moves = moves.or(&step.entered(states)?.and(moved)?)?;
    }
    let mut rows = levels::Levels::new();
    for (value, set) in &step.rows {
        levels::put(&mut rows, *value, set.and(&moves)?)?;
    }
    step.rows = rows;
    step.relation = step.relation.and(&moves)?;
    step.also_writes(encoding, variable)
}

impl Space<'_> {
    /// The states from which some scheduler stays in `allowed` for ever and almost surely comes to each of some sets again and again.
    ///
    /// Choices are safe that do not leave what is left of `allowed`; a state is left while it has a safe choice, and safe choices lead to each of the sets. When nothing changes any more,
    /// each set is reached almost surely from everywhere, one after the other.
    pub fn again_and_again(&self, allowed: &Bdd, sets: &[Bdd]) -> Result<Bdd, Trouble> {
        let mut left = allowed.clone();
        loop {
            let outside = self.states.minus(&left)?;
            let mut safe = Vec::with_capacity(self.choices.len());
            let mut active = self.encoding.manager.zero();
            for choice in &self.choices {
                let own = (choice.enabled.and(&left)?).minus(&self.may_reach(choice, &outside)?)?;
                active = active.or(&own)?;
                safe.push(own);
            }
            let mut next = active.clone();
            for set in sets {
                let mut found = set.and(&active)?;
                let mut new = found.clone();
                while !new.is_false() {
                    let mut before = self.encoding.manager.zero();
                    for (choice, safe) in self.choices.iter().zip(&safe) {
                        before = before.or(&self.may_reach(choice, &new)?.and(safe)?)?;
                    }
                    new = before.minus(&found)?;
                    found = found.or(&new)?;
                }
                next = next.and(&found)?;
            }
            if next == left {
                return Ok(left);
            }
            left = next;
        }
    }
}
