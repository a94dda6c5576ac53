//! A program together with its watcher, for searches on several threads.

use super::path::steps_between;
use super::watch::{Letter, Watch, WatchStep};
use crate::program::explorer::{ProgramExplorer, ProgramSteps};
use crate::program::reduction::Reducer;
use crate::program::steps::action::Compiled;
use crate::program::steps::space::Space;
use entail_budget::{Budget, Spent};
use entail_program::{Fault, Run};
use entail_search::Searchable;
use entail_search::cycles::linear::Lasso;
use entail_search::cycles::product::{LinearModel, Watcher};
use rustc_hash::FxHashMap;

/// A program and what watches it.
pub struct WatchedProgram<'p> {
    steps: ProgramSteps<'p>,
    watch: &'p Watch,
}

impl<'p> WatchedProgram<'p> {
    pub fn new(compiled: &'p Compiled, reducer: Option<Reducer>, watch: &'p Watch) -> WatchedProgram<'p> {
        WatchedProgram {
            steps: ProgramSteps {
                compiled,
                reducer,
                sleep: None,
                symmetry: None,
            },
            watch,
        }
    }
}

impl Searchable for WatchedProgram<'_> {
    type Flaw = Fault;
    type Explorer<'m>
        = ProgramExplorer<'m>
    where
        Self: 'm;

    fn explorer<'m>(&'m self, budget: &'m Budget) -> ProgramExplorer<'m> {
        self.steps.explorer(budget)
    }
}

impl LinearModel for WatchedProgram<'_> {
    type Watcher<'m>
        = ProgramWatcher<'m>
    where
        Self: 'm;

    fn watcher<'m>(&'m self, budget: &'m Budget) -> ProgramWatcher<'m> {
        ProgramWatcher {
            space: Space::new(self.steps.compiled, budget),
            watch: self.watch,
            known: FxHashMap::default(),
        }
    }

    fn stops_at_flaws(&self) -> bool {
        false
    }

    fn repeats_ends(&self) -> bool {
        self.watch.stutters
    }
}

/// The watcher of one thread.
pub struct ProgramWatcher<'m> {
    space: Space<'m>,
    watch: &'m Watch,
    /// What it does at a place where it sees a letter.
    known: FxHashMap<(u16, u64), Vec<WatchStep>>,
}

impl Watcher for ProgramWatcher<'_> {
    fn initial(&self) -> Vec<u16> {
        self.watch.initial.clone()
    }

    fn marks(&self) -> u32 {
        self.watch.marks
    }

    fn letter(&mut self, state: &[u8]) -> Result<u64, String> {
        let letter = self.watch.letter(&mut self.space, state);
        // Whether that matters depends on the place; the search on one thread can tell.
        letter
            .without_faults()
            .ok_or_else(|| "a condition cannot be evaluated".to_owned())
    }

    fn moves(&mut self, at: u16, letter: u64, out: &mut Vec<WatchStep>) -> Result<(), String> {
        let watch = self.watch;
        let steps = self.known.entry((at, letter)).or_insert_with(|| {
            let steps = watch.steps(Letter::of(letter), at);
            steps.unwrap_or_default()
        });
        out.extend_from_slice(steps);
        Ok(())
    }

    fn places(&self) -> Option<u32> {
        Some(self.watch.places())
    }

    fn is_done(&self, at: u16) -> bool {
        self.watch.is_done(at)
    }
}

/// The run along a path that the watcher accepts.
pub fn run_along(space: &mut Space<'_>, lasso: &Lasso) -> Result<Run, Spent> {
    let mut run = Run::default();
    let mut repeats = false;
    let mut go = |path: &[&Vec<u8>], run: &mut Run| -> Result<(), Spent> {
        for pair in path.windows(2) {
            let steps = steps_between(space, pair[0], pair[1], None)?;
            repeats |= steps.is_empty();
            run.steps.extend(steps);
        }
        Ok(())
    };
    let stem: Vec<&Vec<u8>> = lasso.stem.iter().collect();
    go(&stem, &mut run)?;
    if lasso.round.is_empty() {
        // The watcher may have come to its end while the last state was repeated.
        if repeats {
            run.loop_start = Some(run.steps.len());
        }
    } else {
        run.loop_start = Some(run.steps.len());
        let round: Vec<&Vec<u8>> = stem.last().copied().into_iter().chain(&lasso.round).collect();
        go(&round, &mut run)?;
    }
    Ok(run)
}
