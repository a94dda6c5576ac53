//! All states of a breadth-first search on disk: what is known, level by level.
//!
//! Duplicates are found late (Korf, *Best-first frontier search with delayed duplicate detection*, AAAI 2004; Stern, Dill, *Using magnetic disk instead of main memory in the Murφ verifier*, CAV 1998): the states that a
//! level leads to are gathered in sorted runs, and when the level is done their union goes once along what is known. What is left is the next level.
//!
//! What is known is a list of sorted runs, each at least twice as large as the next: a new level becomes a run, and runs that are not larger than twice their successor are merged with it. So a state is written again a logarithmic
//! number of times, however many levels there are, and a level of few states reads few blocks ([`super::run`]).
//!
//! Beside it the levels are on a tape, one after the other: each is read when it is expanded, and backward to find a path ([`crate::order::breadth_first_disk`]).

use super::run::{Entries, Run, RunReader, RunWriter, Section, SectionWriter, Union};
use super::tape::{Folder, Tape};
use entail_budget::{Budget, Spent};
use std::io::{self, BufRead, Read, Write};

/// So many runs are read at the same time, each with a file of its own.
const MOST_RUNS: usize = 48;

/// The first number of a search on disk that was saved. (Others begin with a number of 32 bits.)
pub const SAVED: u64 = 0x656e_7461_696c_2e64;

/// Why work on files ends early.
#[derive(Debug)]
pub enum Halt {
    File(io::Error),
    Spent(Spent),
}

impl From<io::Error> for Halt {
    fn from(error: io::Error) -> Halt {
        Halt::File(error)
    }
}

impl From<Spent> for Halt {
    fn from(spent: Spent) -> Halt {
        Halt::Spent(spent)
    }
}

/// What is known of a search.
#[derive(Debug)]
pub struct Levels {
    folder: Folder,
    /// All known states.
    known: Vec<Run>,
    tape: Tape,
    sections: Vec<Section>,
    states: u64,
}

impl Levels {
    /// Nothing yet.
    pub fn new(folder: &Folder) -> Levels {
        Levels {
            folder: folder.clone(),
            known: Vec::new(),
            tape: Tape::new(folder),
            sections: Vec::new(),
            states: 0,
        }
    }

    /// How many levels there are.
    pub fn count(&self) -> usize {
        self.sections.len()
    }

    /// How many states there are.
    pub fn states(&self) -> u64 {
        self.states
    }

    /// How many states a level has.
    pub fn width(&self, level: usize) -> u64 {
        self.sections[level].states
    }

    /// Bytes of all that is known, in files and in memory.
    pub fn bytes(&self) -> u64 {
        self.tape.len() + self.known.iter().map(Run::bytes).sum::<u64>()
    }

    /// The states of a level, in order.
    pub fn level(&self, level: usize) -> Entries<'_> {
        Entries::new(&self.tape, self.sections[level])
    }

    /// Adds a level: what is in some of these runs and not known; how many states that are. `take` is given each of them. If there are none, there is no new level.
    pub fn add(
        &mut self,
        mut runs: Vec<Run>,
        budget: &Budget,
        mut take: impl FnMut(&[u8]),
    ) -> Result<u64, Halt> {
        thin_out(&mut runs, &self.folder, budget)?;
        let mut level = SectionWriter::new(&self.tape);
        let mut fresh = RunWriter::new(&self.folder);
        let mut known: Vec<RunReader<'_>> = self.known.iter().map(Run::reader).collect();
        let mut union = Union::new(&runs)?;
        while union.advance()? {
            budget.check()?;
            let state = union.state();
            let mut is_known = false;
            for reader in &mut known {
                if reader.seek(state)? {
                    is_known = true;
                    break;
                }
            }
            if !is_known {
                take(state);
                level.push(&mut self.tape, state)?;
                fresh.push(state)?;
            }
        }
        drop(known);
        let section = level.finish(&mut self.tape)?;
        if section.states > 0 {
            self.sections.push(section);
            self.states += section.states;
            self.remember(fresh.finish()?, budget)?;
        }
        Ok(section.states)
    }

    /// Adds a run to what is known.
    fn remember(&mut self, run: Run, budget: &Budget) -> Result<(), Halt> {
        self.known.push(run);
        while let [.., before, last] = &self.known[..]
            && before.states() <= 2 * last.states()
        {
            let last_two = self.known.split_off(self.known.len() - 2);
            self.known.push(union_of(&last_two, &self.folder, budget)?);
        }
        Ok(())
    }

    /// Writes all levels.
    pub fn save(&self, file: &mut dyn Write) -> io::Result<()> {
        file.write_all(&(self.sections.len() as u64).to_le_bytes())?;
        for section in &self.sections {
            for number in [section.begin, section.end, section.states, section.longest as u64] {
                file.write_all(&number.to_le_bytes())?;
            }
        }
        let mut buffer = vec![0; 1 << 16];
        let mut at = 0;
        while at < self.tape.len() {
            let length = (buffer.len() as u64).min(self.tape.len() - at) as usize;
            self.tape.read(at, &mut buffer[..length])?;
            file.write_all(&buffer[..length])?;
            at += length as u64;
        }
        Ok(())
    }

    /// Reads what was saved.
    pub fn load(folder: &Folder, file: &mut dyn BufRead, budget: &Budget) -> Result<Levels, Halt> {
        let damaged = || io::Error::new(io::ErrorKind::InvalidData, "it is damaged");
        let mut number = || -> io::Result<u64> {
            let mut bytes = [0; 8];
            file.read_exact(&mut bytes)?;
            Ok(u64::from_le_bytes(bytes))
        };
        let mut levels = Levels::new(folder);
        let mut end = 0;
        for _ in 0..number()? {
            let section = Section {
                begin: number()?,
                end: number()?,
                states: number()?,
                longest: usize::try_from(number()?).map_err(|_| damaged())?,
            };
            let is_sound = section.begin == end && section.end >= end && section.longest <= 0xffff;
            if !is_sound {
                return Err(damaged().into());
            }
            end = section.end;
            levels.sections.push(section);
        }
        let mut buffer = Vec::new();
        while levels.tape.len() < end {
            let length = (1 << 16).min(end - levels.tape.len());
            buffer.clear();
            if Read::take(&mut *file, length).read_to_end(&mut buffer)? as u64 != length {
                return Err(damaged().into());
            }
            levels.tape.append(&buffer)?;
        }
        for level in 0..levels.sections.len() {
            let mut run = RunWriter::new(folder);
            let mut entries = levels.level(level);
            let mut before: Option<Vec<u8>> = None;
            while entries.advance()? {
                budget.check()?;
                if before.as_deref().is_some_and(|before| before >= entries.state()) {
                    return Err(damaged().into());
                }
                run.push(entries.state())?;
                before = Some(entries.state().to_vec());
            }
            let run = run.finish()?;
            if run.states() != levels.sections[level].states {
                return Err(damaged().into());
            }
            levels.states += run.states();
            levels.remember(run, budget)?;
        }
        Ok(levels)
    }
}

/// Merges runs until they are few enough to be read at the same time.
pub fn thin_out(runs: &mut Vec<Run>, folder: &Folder, budget: &Budget) -> Result<(), Halt> {
    while runs.len() > MOST_RUNS {
        // The smallest first, which are the cheapest.
        runs.sort_by_key(|run| std::cmp::Reverse(run.states()));
        let some = runs.split_off(runs.len() / 2);
        runs.push(union_of(&some, folder, budget)?);
    }
    Ok(())
}

fn union_of(runs: &[Run], folder: &Folder, budget: &Budget) -> Result<Run, Halt> {
    let mut union = Union::new(runs)?;
    let mut all = RunWriter::new(folder);
    while union.advance()? {
        budget.check()?;
        all.push(union.state())?;
    }
    Ok(all.finish()?)
}
