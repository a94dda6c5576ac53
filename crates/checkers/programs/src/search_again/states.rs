//! The states at rest of a program (nobody has control) and the steps between them, made by the interpreter.
//!
//! A step between states at rest is what one process does, the partner it meets, and everything that follows while somebody has control. Steps
//! that differ only in what happens on the way are one; under fairness it matters who moved, so there steps of different processes differ.

use super::{MOST_STATES, Undecided};
use crate::processes::Processes;
use crate::steps::has_cycle;
use entail_budget::Budget;
use entail_program::Fault;
use entail_program::Program;
use entail_program::interpret::{State, can_move, moves_within};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// A deterministic sequence may take so many steps; a program with a longer one is too large.
const LONGEST_SEQUENCE: u64 = 1_000_000;

/// A step to a state at rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RestingStep {
    /// Position of the state it leads to.
    pub to: usize,
    /// The processes that move, where that is recorded.
    pub movers: Processes,
}

/// A state at rest with its steps.
#[derive(Debug)]
pub struct Resting {
    /// The state.
    pub state: Rc<State>,
    /// Its steps that do not go wrong.
    pub steps: Vec<RestingStep>,
    /// The processes that can make a step, where that is recorded.
    pub enabled: Processes,
    /// What goes wrong in a step from here.
    pub fault: Option<Fault>,
    /// An atomic sequence that begins here can go on for ever.
    pub diverges: bool,
}

impl Resting {
    /// Whether nobody can move.
    pub fn is_last(&self) -> bool {
        self.steps.is_empty() && self.fault.is_none() && !self.diverges
    }
}

/// All states at rest that can be reached; the first is the initial one.
#[derive(Debug)]
pub struct RestingStates(pub Vec<Resting>);

/// A state inside an atomic sequence: who has control, and who has moved since the state at rest before it.
type Inside = (State, u8, Processes);

impl RestingStates {
    /// Finds them; a fault if there is no initial state. With `with_movers`, records who moves and who can.
    pub fn explore(
        program: &Program,
        with_movers: bool,
        budget: &Budget,
    ) -> Result<Result<RestingStates, Fault>, Undecided> {
        let initial = match State::initial(program) {
            Ok(initial) => Rc::new(initial),
            Err(fault) => return Ok(Err(fault)),
        };
        let mut exploration = Exploration {
            program,
            with_movers,
            budget,
            numbers: HashMap::from([(initial.clone(), 0)]),
            found: vec![initial],
            seen: 0,
        };
        let mut states = Vec::new();
        while let Some(state) = exploration.found.get(states.len()).cloned() {
            states.push(exploration.expand(state)?);
        }
        Ok(Ok(RestingStates(states)))
    }

    /// Why safety does not hold, if it does not: something goes wrong, or somebody stops who must not.
    pub fn danger(&self, program: &Program) -> Option<String> {
        self.0.iter().find_map(|resting| match &resting.fault {
            Some(fault) => Some(fault.to_string()),
            None => (resting.is_last() && !resting.state.is_valid_end(program))
                .then(|| "invalid end state".to_owned()),
        })
    }

    /// Whether some atomic sequence can go on for ever.
    pub fn diverges(&self) -> bool {
        self.0.iter().any(|resting| resting.diverges)
    }
}

struct Exploration<'p> {
    program: &'p Program,
    with_movers: bool,
    budget: &'p Budget,
    numbers: HashMap<Rc<State>, usize>,
    /// The states at rest, those without steps yet at the end.
    found: Vec<Rc<State>>,
    /// Number of states that were looked at, those inside of atomic sequences included.
    seen: usize,
}

impl Exploration<'_> {
    /// The steps of a state at rest.
    fn expand(&mut self, state: Rc<State>) -> Result<Resting, Undecided> {
        let mut resting = Resting {
            state: state.clone(),
            steps: Vec::new(),
            enabled: Processes::default(),
            fault: None,
            diverges: false,
        };
        let mut steps: HashSet<RestingStep> = HashSet::new();
        // The states inside atomic sequences that begin here, and which leads to which.
        let mut numbers: HashMap<Inside, usize> = HashMap::new();
        let mut inside: Vec<Inside> = Vec::new();
        let mut follows: Vec<Vec<usize>> = Vec::new();
        let mut position = None;
        let mut diverges = false;
        loop {
            self.budget.check()?;
            self.seen += 1;
            if self.seen > MOST_STATES {
                return Err(Undecided::TooLarge);
            }
            let (here, control, before) = match position {
                None => ((*state).clone(), None, Processes::default()),
                Some(at) => {
                    let (state, control, movers) = &inside[at];
                    (State::clone(state), Some(*control), *movers)
                }
            };
            let mut successors = Vec::new();
            for found in moves_within(self.program, &here, control, LONGEST_SEQUENCE) {
                let mut movers = before;
                if self.with_movers {
                    movers.add_movers(&found.step);
                    if position.is_none() {
                        resting.enabled.add_movers(&found.step);
                    }
                }
                let after = match found.result {
                    Ok(after) => after,
                    Err(Fault::TooLong(_)) => return Err(Undecided::TooLarge),
                    Err(Fault::Endless) => {
                        diverges = true;
                        continue;
                    }
                    Err(fault) => {
                        resting.fault.get_or_insert(fault);
                        continue;
                    }
                };
                match found
                    .control
                    .filter(|&process| can_move(self.program, &after, process))
                {
                    None => {
                        let to = self.number(after);
                        if steps.insert(RestingStep { to, movers }) {
                            resting.steps.push(RestingStep { to, movers });
                        }
                    }
                    Some(process) => {
                        let next = (after, process, movers);
                        let fresh = inside.len();
                        let number = *numbers.entry(next.clone()).or_insert(fresh);
                        if number == fresh {
                            inside.push(next);
                        }
                        successors.push(number);
                    }
                }
            }
            if position.is_some() {
                follows.push(successors);
            }
            let next = position.map_or(0, |at| at + 1);
            if next == inside.len() {
                break;
            }
            position = Some(next);
        }
        resting.diverges = diverges || has_cycle(&follows);
        Ok(resting)
    }

    fn number(&mut self, state: State) -> usize {
        let state = Rc::new(state);
        let fresh = self.found.len();
        let number = *self.numbers.entry(state.clone()).or_insert(fresh);
        if number == fresh {
            self.found.push(state);
        }
        number
    }
}
