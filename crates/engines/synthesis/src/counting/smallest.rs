//! Machines with as few states as possible, by SAT (Faymonville, Finkbeiner, Rabe, Tentrup, *Encodings of bounded synthesis*, TACAS 2017; the tool is BoSy).
//!
//! For a number of states and a bound, a formula says that there is a machine and an annotation of it: for each of its states and each state of the automaton of avoided runs, whether a run may be
//! there and how many accepting edges it may have met, at most the bound. Turns and actions stand for letters, so that many signals cost nothing by themselves. The machine's states are
//! tried from one upwards, and with each number growing bounds; the first machine that is found has the fewest states of all whose runs stay within [`most_bound`]. The size of the formula is states
//! squared times turns times the automaton's states, and states times the actions' edges, both times the bound.

use super::antichain::Counts;
use super::avoided::{Avoided, Count};
use super::letters::Letters;
use crate::problem::SynthesisError;
use entail_budget::Budget;
use entail_sat::{Cadical, Lit, SatSolver};

/// Machines with many states are not searched for with a larger bound.
const MOST_BOUND: u32 = 4;
/// Those with one state are, up to this: they often have to wait for what the environment does.
const MOST_BOUND_OF_ONE: u32 = 32;
/// No machine is searched for with more states.
pub(crate) const MOST_STATES: u32 = 40;
/// Formulas with more clauses are not built.
const MOST_CLAUSES: usize = 6_000_000;

/// Where the machine's next state is decided: after a turn of the other player, or after its own turn and the other's action.
struct Place {
    /// What may happen there: the literal that chooses it, and the action.
    ways: Vec<(Lit, u32)>,
    /// A literal for each next state.
    next: Vec<Lit>,
}

/// The largest bound with which a machine of so many states is searched for.
pub(crate) fn most_bound(states: u32) -> u32 {
    (MOST_BOUND_OF_ONE / states.max(1)).max(MOST_BOUND)
}

/// A search for a machine with so many states.
pub(crate) struct Smallest<'a> {
    avoided: &'a Avoided,
    letters: &'a Letters,
    moves_first: bool,
    states: u32,
    bound: u32,
    solver: Cadical,
    clauses: usize,
    /// For each state of the machine and of the automaton, literals that its count is at least 0, 1 and so on.
    counts: Vec<Vec<Vec<Lit>>>,
    /// The places of each state of the machine, by turns, or by turns and actions.
    places: Vec<Vec<Place>>,
    /// Where the machine moves first: for each of its states, a literal for each turn.
    turns: Vec<Vec<Lit>>,
}

impl<'a> Smallest<'a> {
    /// For so many states and this bound.
    pub fn new(
        avoided: &'a Avoided,
        letters: &'a Letters,
        moves_first: bool,
        states: u32,
        bound: u32,
    ) -> Smallest<'a> {
        Smallest {
            avoided,
            letters,
            moves_first,
            states,
            bound,
            solver: Cadical::new(),
            clauses: 0,
            counts: Vec::new(),
            places: Vec::new(),
            turns: Vec::new(),
        }
    }

    /// The annotation of a machine, if there is one.
    pub fn search(mut self, budget: &Budget) -> Result<Option<Vec<Counts>>, SynthesisError> {
        self.declare();
        for &state in &self.avoided.initial {
            match self.counts[0][state as usize].first() {
                Some(&reached) => self.clause(&[reached]),
                // A run begins where none may be.
                None => return Ok(None),
            }
        }
        for state in 0..self.states as usize {
            self.constrain(state, budget)?;
        }
        match self.solver.satisfiable(&[], budget)? {
            true => Ok(Some(self.annotation())),
            false => Ok(None),
        }
    }

    fn fresh(&mut self) -> Lit {
        self.solver.new_var().lit(true)
    }

    /// A literal for each next state.
    fn next_states(&mut self) -> Vec<Lit> {
        (0..self.states).map(|_| self.fresh()).collect()
    }

    fn clause(&mut self, literals: &[Lit]) {
        self.clauses += 1;
        self.solver.add_clause(literals);
    }

    /// The highest count of a state of the automaton; nothing if no run may be there.
    fn highest(&self, state: u32) -> Option<u32> {
        let at = state as usize;
        match (self.avoided.doomed[at], self.avoided.counted[at]) {
            (true, _) => None,
            (false, true) => Some(self.bound),
            (false, false) => Some(0),
        }
    }

    fn declare(&mut self) {
        for _ in 0..self.states {
            let mut of_state = Vec::new();
            for state in 0..self.avoided.states() as u32 {
                let levels = self.highest(state).map_or(0, |highest| highest + 1);
                let literals: Vec<Lit> = (0..levels).map(|_| self.fresh()).collect();
                for pair in literals.windows(2) {
                    self.clause(&[!pair[1], pair[0]]);
                }
                of_state.push(literals);
            }
            self.counts.push(of_state);
            let mut places = Vec::new();
            let mut turns = Vec::new();
            let letters = self.letters;
            for turn in &letters.turns {
                if self.moves_first {
                    let taken = self.fresh();
                    turns.push(taken);
                    for &action in &turn.actions {
                        let next = self.next_states();
                        places.push(Place {
                            ways: vec![(taken, action)],
                            next,
                        });
                    }
                } else {
                    let ways = (turn.relevant.iter()).map(|&at| (self.fresh(), turn.actions[at as usize]));
                    let ways = ways.collect();
                    let next = self.next_states();
                    places.push(Place { ways, next });
                }
            }
            self.places.push(places);
            self.turns.push(turns);
        }
    }

    /// What one state of the machine must do.
    fn constrain(&mut self, state: usize, budget: &Budget) -> Result<(), SynthesisError> {
        if self.moves_first {
            let turns = self.turns[state].clone();
            self.clause(&turns);
        }
        let places = std::mem::take(&mut self.places[state]);
        for (number, place) in places.iter().enumerate() {
            budget.check_now()?;
            if self.clauses > MOST_CLAUSES {
                return Err(SynthesisError::TooLarge(
                    "the formula that asks for a machine is too large",
                ));
            }
            self.clause(&place.next);
            if !self.moves_first {
                let chosen: Vec<Lit> = place.ways.iter().map(|&(chosen, _)| chosen).collect();
                self.clause(&chosen);
            }
            // States are numbered as they are first met from state 0.
            if state == 0 {
                for &late in place.next.iter().skip(number + 2) {
                    self.clause(&[!late]);
                }
            }
            self.lead_on(state, place);
        }
        self.places[state] = places;
        Ok(())
    }

    /// The counts after a place are those of the next state.
    fn lead_on(&mut self, state: usize, place: &Place) {
        let letters = self.letters;
        // What a run has come to after the place: literals as for counts, made where they are needed.
        let mut after: Vec<Vec<Option<Lit>>> = vec![Vec::new(); self.avoided.states()];
        for &(chosen, action) in &place.ways {
            for &(from, to, count) in &letters.actions[action as usize] {
                let levels = self.counts[state][from as usize].clone();
                for (level, &before) in levels.iter().enumerate() {
                    let reached = match count {
                        Count::Fresh if level > 0 => continue,
                        Count::Fresh => 0,
                        Count::Keep => level,
                        Count::Add => level + 1,
                    };
                    let limit = self.highest(to).map(|highest| highest as usize);
                    match limit {
                        Some(limit) if reached <= limit => {
                            let row = &mut after[to as usize];
                            row.resize(row.len().max(reached + 1), None);
                            let known = row[reached];
                            let there = match known {
                                Some(there) => there,
                                None => {
                                    let there = self.fresh();
                                    after[to as usize][reached] = Some(there);
                                    there
                                }
                            };
                            self.clause(&[!before, !chosen, there]);
                        }
                        _ => self.clause(&[!before, !chosen]),
                    }
                }
            }
        }
        for (to, row) in after.iter().enumerate() {
            for (level, there) in row.iter().enumerate() {
                let Some(there) = *there else {
                    continue;
                };
                for (next, &taken) in place.next.iter().enumerate() {
                    let count = self.counts[next][to][level];
                    self.clause(&[!there, !taken, count]);
                }
            }
        }
    }

    /// The counts of each state of the machine that the solver has found; the first is state 0.
    fn annotation(&self) -> Vec<Counts> {
        let is_true = |literal: &&Lit| self.solver.value(**literal) == Some(true);
        let highest = |levels: &Vec<Lit>| levels.iter().take_while(is_true).count() as i8 - 1;
        let of_state = |counts: &Vec<Vec<Lit>>| counts.iter().map(highest).collect();
        self.counts.iter().map(of_state).collect()
    }
}
