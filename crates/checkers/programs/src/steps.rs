//! The steps between states at rest (nobody has control), for passes over sets of states: one state at a time, with the checker's fast interpreter ([`crate::tape`]).
//!
//! A step between states at rest is what one process does, the partner it meets, and everything that follows while somebody has control. The states on the way are followed here and forgotten.

use crate::processes::Processes;
use crate::tape::{Eye, Moves, Row, can_move, evaluate, moves};
use entail_budget::{Budget, Spent};
use entail_program::state_bytes::encode;
use entail_program::{Expression, Fault, Program, State};
use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

/// A deterministic sequence may take so many steps; what takes more is left unchecked.
const LONGEST_SEQUENCE: u64 = 1_000_000;

/// Atomic sequences through more states than this are left unchecked.
const MOST_INSIDE: usize = 1_000_000;

/// Why evidence was not accepted.
#[derive(Debug)]
pub enum Obstacle {
    /// It does not show what it should show.
    Wrong(String),
    /// This is not known.
    Unknown(String),
}

impl From<Spent> for Obstacle {
    fn from(spent: Spent) -> Obstacle {
        Obstacle::Unknown(spent.to_string())
    }
}

/// That something is wrong with the evidence.
pub fn wrong<T>(reason: impl Into<String>) -> Result<T, Obstacle> {
    Err(Obstacle::Wrong(reason.into()))
}

/// The steps of a state at rest.
#[derive(Debug, Default)]
pub struct Found {
    bytes: Vec<u8>,
    ends: Vec<End>,
    /// The processes that can make a first small step, where that is asked for.
    pub enabled: Processes,
    /// What goes wrong in a step.
    pub fault: Option<Fault>,
    /// An atomic sequence that begins here can go on for ever.
    pub diverges: bool,
    /// Nobody could move before `timeout` was true.
    pub timed_out: bool,
}

/// The end of a step.
#[derive(Clone, Copy, Debug)]
struct End {
    /// Where the bytes of its state end.
    at: usize,
    /// Who began it.
    by: u8,
    /// Who moved on the way.
    movers: Processes,
}

/// A state that a step leads to.
#[derive(Clone, Copy, Debug)]
pub struct Reached<'f> {
    /// Its bytes.
    pub state: &'f [u8],
    /// Who began the step.
    pub by: u8,
    /// Who moves on the way, where that is asked for.
    pub movers: Processes,
}

impl Found {
    fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
        self.enabled = Processes::default();
        self.fault = None;
        self.diverges = false;
        self.timed_out = false;
    }

    /// Whether nobody can move.
    pub fn is_last(&self) -> bool {
        self.ends.is_empty() && self.fault.is_none() && !self.diverges
    }

    /// The states that the steps lead to. States may be there twice.
    pub fn states(&self) -> impl Iterator<Item = Reached<'_>> {
        let begins = std::iter::once(0).chain(self.ends.iter().map(|end| end.at));
        begins.zip(&self.ends).map(|(begin, end)| Reached {
            state: &self.bytes[begin..end.at],
            by: end.by,
            movers: end.movers,
        })
    }
}

/// A state at rest and what can be asked about it.
pub struct Stepper<'p> {
    program: &'p Program,
    row: Row,
    moves: Moves,
}

/// A state inside an atomic sequence: who has control, who began the step, and who has moved since the state at rest before it.
type Inside = (Row, u8, u8, Processes);

impl<'p> Stepper<'p> {
    /// At no state yet. The program must not compute with variables that are no part of the state.
    pub fn new(program: &'p Program) -> Stepper<'p> {
        Stepper {
            program,
            row: Row::default(),
            moves: Moves::default(),
        }
    }

    /// The bytes of the initial state.
    pub fn initial(&mut self) -> Result<Vec<u8>, Obstacle> {
        match State::initial(self.program) {
            Ok(initial) => {
                let mut bytes = Vec::new();
                encode(self.program, &initial, &mut bytes);
                Ok(bytes)
            }
            Err(fault) => wrong(fault.to_string()),
        }
    }

    /// Goes to the state with these bytes.
    pub fn enter(&mut self, bytes: &[u8]) -> Result<(), Obstacle> {
        match self.row.read(self.program, bytes) {
            Some(()) => Ok(()),
            None => wrong("the set has something that is no state of the program"),
        }
    }

    /// The state.
    pub fn row(&self) -> &Row {
        &self.row
    }

    /// The value of a condition, as nobody in particular sees it.
    pub fn condition(&self, condition: &Expression) -> Result<bool, Fault> {
        let eye = Eye {
            program: self.program,
            process: usize::MAX,
            timeout: false,
            longest: u64::MAX,
        };
        evaluate(&eye, &self.row, condition).map(|value| value != 0)
    }

    /// Whether some process is at an accepting location.
    pub fn is_accepting(&self) -> bool {
        self.row
            .locations(self.program)
            .any(|location| location.is_accepting)
    }

    /// Whether every process may stay where it is for ever.
    pub fn is_valid_end(&self) -> bool {
        let wanted = self.program.ends_when.as_ref();
        self.row.locations(self.program).all(|location| location.is_end)
            && wanted.is_none_or(|wanted| !matches!(self.condition(wanted), Ok(false)))
    }

    /// The steps of the state; with `with_movers`, who moves in them and who can.
    pub fn steps(&mut self, with_movers: bool, out: &mut Found, budget: &Budget) -> Result<(), Obstacle> {
        out.clear();
        let mut inside: Vec<Inside> = Vec::new();
        let row = std::mem::take(&mut self.row);
        let followed = self.follow((&row, None, Processes::default()), with_movers, out, &mut inside);
        self.row = row;
        followed?;
        out.timed_out = self.moves.timed_out;
        if inside.is_empty() {
            return Ok(());
        }
        // The states inside atomic sequences that begin here, and which leads to which.
        let mut found: IndexSet<Inside, FxBuildHasher> = inside.drain(..).collect();
        let mut follows: Vec<Vec<usize>> = Vec::new();
        while let Some((row, control, by, movers)) = found.get_index(follows.len()) {
            budget.check()?;
            if found.len() > MOST_INSIDE {
                return Err(Obstacle::Unknown("an atomic sequence is too long".into()));
            }
            self.follow(
                (row, Some((*control, *by)), *movers),
                with_movers,
                out,
                &mut inside,
            )?;
            follows.push(inside.drain(..).map(|next| found.insert_full(next).0).collect());
        }
        out.diverges |= has_cycle(&follows);
        Ok(())
    }

    /// The small steps of a state at rest, or of one inside an atomic sequence, in which somebody has control, somebody began, and somebody has moved before: those to states at rest are added to `out`, the others to `inside`.
    fn follow(
        &mut self,
        (row, inside_of, before): (&Row, Option<(u8, u8)>, Processes),
        with_movers: bool,
        out: &mut Found,
        inside: &mut Vec<Inside>,
    ) -> Result<(), Obstacle> {
        let control = inside_of.map(|(control, _)| control);
        moves(self.program, row, control, LONGEST_SEQUENCE, &mut self.moves);
        for found in &self.moves.list {
            let by = inside_of.map_or(found.process, |(_, by)| by);
            let mut movers = before;
            if with_movers {
                for process in std::iter::once(found.process).chain(found.receiver) {
                    movers.add(process);
                    if control.is_none() {
                        out.enabled.add(process);
                    }
                }
            }
            let after = match &found.result {
                Ok(after) => self.moves.row(*after),
                Err(Fault::Endless) => {
                    out.diverges = true;
                    continue;
                }
                Err(fault @ Fault::TooLong(_)) => return Err(Obstacle::Unknown(fault.to_string())),
                Err(fault) => {
                    out.fault.get_or_insert_with(|| fault.clone());
                    continue;
                }
            };
            let control = found
                .control
                .filter(|&process| can_move(self.program, after, process));
            match control {
                Some(process) => inside.push((after.clone(), process, by, movers)),
                None => {
                    after.write(self.program, &mut out.bytes);
                    let at = out.bytes.len();
                    out.ends.push(End { at, by, movers });
                }
            }
        }
        Ok(())
    }
}

/// Whether a graph has a cycle: nodes that nothing leads to are taken away until there are none.
pub fn has_cycle(follows: &[Vec<usize>]) -> bool {
    let mut incoming = vec![0usize; follows.len()];
    for &to in follows.iter().flatten() {
        incoming[to] += 1;
    }
    let mut free: Vec<usize> = (0..follows.len()).filter(|&node| incoming[node] == 0).collect();
    let mut taken = 0;
    while let Some(node) = free.pop() {
        taken += 1;
        for &to in &follows[node] {
            incoming[to] -= 1;
            if incoming[to] == 0 {
                free.push(to);
            }
        }
    }
    taken < follows.len()
}
