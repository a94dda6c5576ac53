//! Random runs on several threads. The run of a number depends on the seed and the number alone, so what comes of it does not depend on who makes it; results are given in the order of the numbers.

use crate::Stop;
use crate::runs::Runs;
use crate::stage::Stage;
use entail_budget::Budget;
use std::ops::Range;
use std::thread;

/// Runs that are made before anybody looks at them, at most.
const CHUNK: u64 = 1 << 16;

/// Those that make runs, one a thread.
pub(crate) struct Together<'s> {
    workers: Vec<Runs<'s>>,
}

impl<'s> Together<'s> {
    /// So many threads.
    pub fn new(stage: &'s Stage<'s>, seed: u64, threads: usize, budget: &'s Budget) -> Result<Self, Stop> {
        let worker = |_: usize| Runs::new(stage, seed, budget);
        Ok(Together {
            workers: (0..threads.max(1)).map(worker).collect::<Result<_, _>>()?,
        })
    }

    /// One of them.
    pub fn one(&mut self) -> &mut Runs<'s> {
        &mut self.workers[0]
    }

    /// Steps of all runs.
    pub fn steps(&self) -> u64 {
        self.workers.iter().map(Runs::steps).sum()
    }

    /// How many runs are worth being made before anybody looks at them, where each may be the last that is needed.
    pub fn ahead(&self) -> u64 {
        match self.workers.len() {
            1 => 1,
            threads => 64 * threads as u64,
        }
    }

    /// What comes of the runs of these numbers, handed over in their order.
    pub fn each<T: Send>(
        &mut self,
        mut runs: Range<u64>,
        make: impl Fn(&mut Runs<'s>, u64) -> Result<T, Stop> + Sync,
        mut take: impl FnMut(T),
    ) -> Result<(), Stop> {
        if let [alone] = self.workers.as_mut_slice() {
            for run in runs {
                take(make(alone, run)?);
            }
            return Ok(());
        }
        while !runs.is_empty() {
            let part = runs.start..runs.end.min(runs.start + CHUNK);
            runs.start = part.end;
            for made in self.part(part, &make) {
                take(made?);
            }
        }
        Ok(())
    }

    /// The same for a few numbers: each worker has every so-and-so-manieth. A worker stops after what goes wrong.
    fn part<T: Send>(
        &mut self,
        runs: Range<u64>,
        make: &(impl Fn(&mut Runs<'s>, u64) -> Result<T, Stop> + Sync),
    ) -> Vec<Result<T, Stop>> {
        let count = self.workers.len();
        let made: Vec<Vec<Result<T, Stop>>> = thread::scope(|scope| {
            let mut threads = Vec::new();
            for (number, worker) in self.workers.iter_mut().enumerate() {
                let own = runs.clone().skip(number).step_by(count);
                threads.push(scope.spawn(move || {
                    let mut made = Vec::new();
                    for run in own {
                        made.push(make(worker, run));
                        if made.last().is_some_and(Result::is_err) {
                            break;
                        }
                    }
                    made
                }));
            }
            let ended = threads.into_iter().map(|thread| thread.join());
            ended
                .map(|ended| ended.unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
                .collect()
        });
        let mut left: Vec<_> = made.into_iter().map(Vec::into_iter).collect();
        let numbers = 0..(runs.end - runs.start) as usize;
        // Behind what goes wrong there may be gaps: nobody looks there.
        numbers.map_while(|number| left[number % count].next()).collect()
    }
}
