//! Random walks, for systems whose states cannot be exhausted: nothing is kept, so nothing is proved, and what is found is real.
//!
//! A walk begins in a random initial state and takes random steps up to a length; then the next one begins. Where steps have groups, a group is chosen first and then one of its steps, each as likely as
//! the others: otherwise who has many steps would move most of the time. Threads walk by themselves (a swarm: Holzmann, Joshi, Groce, *Swarm verification techniques*, TSE 2011). The same seed gives
//! the same walks on one thread.

use crate::ending::{Cause, Counts, Ending, Violation};
use crate::model::{Explorer, GroupSet, Searchable, Successors};
use crate::options::WalkOptions;
use entail_budget::{Budget, Progress, Snapshot};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// A generator of random numbers (SplitMix64, Steele, Lea, Flood 2014).
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    /// A number below another, which is not 0.
    fn below(&mut self, end: usize) -> usize {
        ((u128::from(self.next()) * end as u128) >> 64) as usize
    }
}

/// Walks at random until something goes wrong or all walks are done. Counted are the states that walks come to, again and again.
pub fn random_walks<M: Searchable>(
    model: &M,
    walks: WalkOptions,
    threads: usize,
    budget: &Budget,
    progress: &dyn Progress,
) -> (Ending<M::Flaw>, Counts) {
    let (begun, steps) = (AtomicU64::new(0), AtomicU64::new(0));
    let stops = AtomicBool::new(false);
    let result: Mutex<Option<Ending<M::Flaw>>> = Mutex::new(None);
    let walk = |budget: &Budget, progress: Option<&dyn Progress>| {
        loop {
            let number = begun.fetch_add(1, Ordering::Relaxed);
            if number >= walks.count || stops.load(Ordering::Relaxed) {
                return;
            }
            let chance = Chance(walks.seed ^ number.wrapping_mul(0xd1b5_4a32_d192_ed03));
            let found = one(model, walks.length, chance, &steps, &stops, budget);
            if let Some(progress) = progress.filter(|_| number.is_multiple_of(16)) {
                progress.report(&Snapshot {
                    phase: "walking at random",
                    states: Some(steps.load(Ordering::Relaxed)),
                    ..Snapshot::default()
                });
            }
            if let Err(ending) = found {
                stops.store(true, Ordering::Relaxed);
                if let Ok(mut result) = result.lock() {
                    // What is found is worth more than why others stopped.
                    if result.is_none() || matches!(ending, Ending::Violation(_)) {
                        *result = Some(ending);
                    }
                }
                return;
            }
        }
    };
    let budgets: Vec<Budget> = (1..threads).map(|_| budget.same_limits()).collect();
    std::thread::scope(|scope| {
        for budget in &budgets {
            // Where there are no more threads, the others do the work.
            let _ = std::thread::Builder::new().spawn_scoped(scope, || walk(budget, None));
        }
        walk(budget, Some(progress));
    });
    let counts = Counts {
        states: steps.load(Ordering::Relaxed),
        transitions: steps.load(Ordering::Relaxed),
        ..Counts::default()
    };
    let ending = result.into_inner().unwrap_or_default();
    (ending.unwrap_or(Ending::Walked(walks)), counts)
}

/// One walk; what it comes to if that ends all.
fn one<M: Searchable>(
    model: &M,
    length: u64,
    mut chance: Chance,
    steps: &AtomicU64,
    stops: &AtomicBool,
    budget: &Budget,
) -> Result<(), Ending<M::Flaw>> {
    let mut explorer = model.explorer(budget);
    let mut out = <M::Explorer<'_> as Explorer>::Successors::default();
    let mut path: Vec<Vec<u8>> = Vec::new();
    explorer.initial(&mut out)?;
    for _ in 0..=length {
        budget.check()?;
        if let Some(flaw) = out.first_flaw() {
            let cause = Cause::Step(flaw.clone());
            return Err(Ending::Violation(Violation { path, cause }));
        }
        if out.is_empty() || stops.load(Ordering::Relaxed) {
            return Ok(());
        }
        let position = choose(&out, &mut chance);
        let state = out.state(position).to_vec();
        steps.fetch_add(1, Ordering::Relaxed);
        let flaw = explorer.inspect(&state);
        path.push(state);
        if let Some(flaw) = flaw {
            let cause = Cause::State(flaw);
            return Err(Ending::Violation(Violation { path, cause }));
        }
        if let Some(state) = path.last() {
            explorer.expand(state, &mut out)?;
            if out.is_empty() && !out.diverges() && !explorer.may_end(state) {
                let cause = Cause::End;
                return Err(Ending::Violation(Violation { path, cause }));
            }
        }
    }
    Ok(())
}

/// A random step of a random group.
fn choose<O: Successors>(out: &O, chance: &mut Chance) -> usize {
    let mut groups = GroupSet::default();
    let (mut count, mut chosen) = (0, 0);
    // Reservoirs of one: of the groups, then of the steps of the group.
    for group in (0..out.len()).map(|position| out.group(position)) {
        if !groups.contains(group) {
            groups.insert(group);
            count += 1;
            if chance.below(count) == 0 {
                chosen = group;
            }
        }
    }
    let (mut count, mut step) = (0, 0);
    for position in (0..out.len()).filter(|&position| out.group(position) == chosen) {
        count += 1;
        if chance.below(count) == 0 {
            step = position;
        }
    }
    step
}
