//! Runs that violate a requirement about infinite runs: the emptiness check of the program's product with a watcher.
//!
//! Couvreur's algorithm (`entail-search`). Several marks cost nothing, so weak fairness is two lines: a mark for
//! every process, seen where the process moves or cannot.
//!
//! The product's states are pairs of numbers: of a state of the program's [`Graph`], and of the watcher.

use super::graph::{Graph, Reducing, Trouble};
use super::path::steps_between;
use super::watch::{Unseen, Watch, WatchStep};
use crate::program::reduction::Reducer;
use crate::program::steps::space::Space;
use entail_budget::{Budget, Progress, Snapshot, Spent};
use entail_program::{Fault, Run};
use entail_search::cycles::couvreur::{self, Couvreur, Product};
use entail_search::{Counts, HashIndex, StateNumber, Store, Vacancy};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use std::ops::Range;
use std::rc::Rc;

/// Why nothing is known of a program that may never come out of an atomic sequence.
pub const DIVERGES: &str =
    "an atomic sequence or a d_step can go on for ever, which the property cannot look into";

/// What the search found.
#[derive(Debug)]
pub enum Found {
    /// No run violates the requirement.
    Nothing,
    /// This one does.
    Violation(Run),
    /// It could not be decided.
    Stopped(String),
}

/// Why a search stops early.
enum LassoEnd {
    Spent(Spent),
    Full,
    Fault(Fault),
    Unseen(StateNumber, Unseen),
    TooManyProcesses,
}

impl From<Spent> for LassoEnd {
    fn from(spent: Spent) -> LassoEnd {
        LassoEnd::Spent(spent)
    }
}

impl From<Trouble> for LassoEnd {
    fn from(trouble: Trouble) -> LassoEnd {
        match trouble {
            Trouble::Spent(spent) => LassoEnd::Spent(spent),
            Trouble::Full => LassoEnd::Full,
            Trouble::Fault(fault) => LassoEnd::Fault(fault),
        }
    }
}

/// A step of the product: to which pair, with which marks, and which step of the program it is; none where the last state is repeated.
#[derive(Clone, Copy)]
struct Move {
    to: u32,
    marks: u64,
    step: Option<usize>,
}

type WatchSteps = Result<Rc<[WatchStep]>, Unseen>;

/// Processes get marks behind the watcher's; there is room for so many.
const MOST_FAIR: u32 = 50;

struct Search<'s, 'b, S: Store> {
    graph: Graph<'s, 'b, S>,
    watch: &'s Watch,
    fair: bool,
    index: HashIndex,
    pairs: Vec<(StateNumber, u16)>,
    /// The moves of the pairs on the way of the search, one after the other; and where those of each begin.
    pending: Vec<Move>,
    frames: Vec<usize>,
    entered: u64,
    /// The search itself, when it is over.
    couvreur: Couvreur,
    budget: &'s Budget,
    progress: &'s dyn Progress,
    /// What the watcher does where it sees a letter.
    watch_steps: FxHashMap<(u32, u16), WatchSteps>,
    counts: Counts,
}

/// Looks for a run that violates what the watcher watches for, keeping states in an empty store. Gives the bytes of memory besides.
pub fn search<S: Store>(
    space: &mut Space<'_>,
    reducer: Option<Reducer>,
    store: S,
    watch: &Watch,
    fair: bool,
    budget: &Budget,
    progress: &dyn Progress,
) -> (Found, Counts, u64) {
    let reducing = match reducer {
        Some(reducer) => Reducing::Own(Box::new(reducer)),
        None => Reducing::No,
    };
    let mut search = Search {
        graph: Graph::new(space, reducing, store, fair),
        watch,
        fair,
        index: HashIndex::new(1 << 12),
        pairs: Vec::new(),
        pending: Vec::new(),
        frames: Vec::new(),
        entered: 0,
        couvreur: Couvreur::new(),
        budget,
        progress,
        watch_steps: FxHashMap::default(),
        counts: Counts::default(),
    };
    let found = match search.run() {
        Ok(None) if search.graph.diverges => Found::Stopped(DIVERGES.into()),
        Ok(None) => Found::Nothing,
        Ok(Some(run)) => Found::Violation(run),
        Err(stop) => Found::Stopped(search.explain(stop)),
    };
    search.counts.diverges = search.graph.diverges;
    search.counts.states = search.pairs.len() as u64;
    let pairs = search.pairs.len() * (size_of::<(StateNumber, u16)>() + 4 + 16);
    (found, search.counts, search.graph.bytes() + pairs as u64)
}

impl<S: Store> Search<'_, '_, S> {
    fn explain(&mut self, stop: LassoEnd) -> String {
        let fault = match stop {
            LassoEnd::Spent(spent) => return spent.to_string(),
            LassoEnd::Full => return "there are more states than can be numbered".into(),
            LassoEnd::TooManyProcesses => {
                return format!("fairness is supported for at most {MOST_FAIR} processes");
            }
            LassoEnd::Fault(fault) => Some(fault),
            LassoEnd::Unseen(state, condition) => {
                let state = self.graph.copy(state);
                self.watch.fault(self.graph.space, &state, condition)
            }
        };
        let fault = fault.map_or(String::new(), |fault| format!(": {fault}"));
        format!("the property cannot be evaluated in a reachable state{fault}")
    }

    fn required(&self) -> u64 {
        let own = (1u64 << self.watch.marks) - 1;
        match self.fair {
            true => own | ((1u64 << MOST_FAIR) - 1) << self.watch.marks.min(13),
            false => own,
        }
    }

    fn run(&mut self) -> Result<Option<Run>, LassoEnd> {
        if self.watch.marks > 13 && self.fair {
            return Err(LassoEnd::TooManyProcesses);
        }
        let initial = self.graph.initial()?;
        let mut couvreur = Couvreur::new();
        for &at in &self.watch.initial {
            let first = self.pair(initial, at)?;
            self.pending.clear();
            self.frames.clear();
            let found = couvreur.explore(self, first);
            (self.counts.depth, self.counts.transitions) = (couvreur.depth, couvreur.transitions);
            match found? {
                couvreur::Found::Nothing => {}
                couvreur::Found::End(pair) => {
                    self.couvreur = couvreur;
                    return self.prefix(pair).map(Some);
                }
                couvreur::Found::Cycle | couvreur::Found::Among(_) => {
                    self.couvreur = couvreur;
                    return self.lasso(first).map(Some);
                }
            }
        }
        Ok(None)
    }

    fn find(&self, state: StateNumber, at: u16) -> Result<u32, Vacancy> {
        let pairs = &self.pairs;
        self.index
            .find(hash(state, at), |pair| pairs[pair as usize] == (state, at))
    }

    /// The number of a pair.
    fn pair(&mut self, state: StateNumber, at: u16) -> Result<u32, LassoEnd> {
        match self.find(state, at) {
            Ok(pair) => Ok(pair),
            Err(vacancy) => {
                let pair = u32::try_from(self.pairs.len())
                    .ok()
                    .filter(|&pair| pair < u32::MAX - 1);
                let pair = pair.ok_or(LassoEnd::Full)?;
                self.index.occupy(vacancy, hash(state, at), pair);
                self.pairs.push((state, at));
                Ok(pair)
            }
        }
    }

    /// Adds the steps of a pair.
    fn moves(&mut self, pair: u32, found: &mut Vec<Move>) -> Result<(), LassoEnd> {
        let (state, at) = self.pairs[pair as usize];
        let letter = self.graph.letter(self.watch, state);
        let graph = &self.graph;
        let watch_steps = self
            .watch_steps
            .entry((letter, at))
            .or_insert_with(|| self.watch.steps(graph.spell(letter), at).map(Rc::from));
        let watch_steps = match watch_steps {
            Ok(steps) if steps.is_empty() => return Ok(()),
            Ok(steps) => Rc::clone(steps),
            Err(unseen) => return Err(LassoEnd::Unseen(state, *unseen)),
        };
        let steps = self.graph.steps(state)?;
        if self.fair && self.graph.most_processes > MOST_FAIR as usize {
            return Err(LassoEnd::TooManyProcesses);
        }
        let enabled = self.graph.enabled(state);
        let (fair, marks_before) = (self.fair, self.watch.marks);
        let fairness = |movers: u64| match fair {
            true => ((!enabled | movers) & ((1 << MOST_FAIR) - 1)) << marks_before,
            false => 0,
        };
        for &(target, marks) in &*watch_steps {
            for step in steps.clone() {
                let to = self.pair(self.graph.target(step), target)?;
                let marks = marks | fairness(self.graph.movers(step));
                found.push(Move {
                    to,
                    marks,
                    step: Some(step),
                });
            }
            if self.watch.stutters && self.graph.is_last(state) {
                let to = self.pair(state, target)?;
                let marks = marks | fairness(0);
                found.push(Move {
                    to,
                    marks,
                    step: None,
                });
            }
        }
        Ok(())
    }

    /// A finite run to a pair in which the watcher has come to its end.
    fn prefix(&mut self, goal: u32) -> Result<Run, LassoEnd> {
        let mut run = Run::default();
        let couvreur = std::mem::take(&mut self.couvreur);
        for &at in &self.watch.initial {
            let initial = self.graph.initial()?;
            let first = self.pair(initial, at)?;
            if first == goal {
                return Ok(run);
            }
            let entered = |pair: u32| couvreur.has_entered(pair);
            if let Some(path) = self.path(first, |pair, _| pair == goal, |_| true, entered)? {
                self.follow(first, &path, &mut run)?;
                // The watcher may have come to its end while the last state was repeated.
                if path.iter().any(|taken| taken.step.is_none()) {
                    run.loop_start = Some(run.steps.len());
                }
                return Ok(run);
            }
        }
        Ok(run)
    }

    /// A run into the component that was found and round in it through all marks.
    fn lasso(&mut self, first: u32) -> Result<Run, LassoEnd> {
        let couvreur = std::mem::take(&mut self.couvreur);
        let is_open = |pair: u32| couvreur.is_inside(pair);
        let path = |search: &mut Self, from, wanted: &dyn Fn(u32, u64) -> bool, inside: bool| {
            let allowed = |pair: u32| !inside || couvreur.is_inside(pair);
            search.path(from, wanted, allowed, |pair| couvreur.has_entered(pair))
        };
        let mut run = Run::default();
        let mut start = first;
        if !is_open(first) {
            let path = path(self, first, &|pair, _| is_open(pair), false)?;
            let path = path.unwrap_or_default();
            self.follow(first, &path, &mut run)?;
            start = path.last().map_or(first, |last| last.to);
        }
        run.loop_start = Some(run.steps.len());
        let mut missing = self.required();
        let (mut at, mut moved) = (start, false);
        // A round through all marks, and back.
        while missing != 0 || at != start || !moved {
            let path = match missing {
                0 => path(self, at, &|pair, _| pair == start, true)?,
                _ => path(self, at, &|_, marks| marks & missing != 0, true)?,
            };
            let Some(path) = path else {
                // The component has the marks, so this is not reached; a run without them would be rejected.
                break;
            };
            self.follow(at, &path, &mut run)?;
            for step in path {
                missing &= !step.marks;
                (at, moved) = (step.to, true);
            }
        }
        Ok(run)
    }

    /// The shortest path through pairs of a sort whose last step is wanted.
    fn path(
        &mut self,
        from: u32,
        wanted: impl Fn(u32, u64) -> bool,
        allowed: impl Fn(u32) -> bool,
        entered: impl Fn(u32) -> bool,
    ) -> Result<Option<Vec<Move>>, LassoEnd> {
        let mut reached: FxHashMap<u32, (u32, Move)> = FxHashMap::default();
        let mut queue = VecDeque::from([from]);
        let mut moves = Vec::new();
        while let Some(pair) = queue.pop_front() {
            // What was not entered has nothing behind it that is known.
            if !entered(pair) {
                continue;
            }
            moves.clear();
            self.moves(pair, &mut moves)?;
            for &next in moves.iter().filter(|next| allowed(next.to)) {
                if wanted(next.to, next.marks) {
                    let (mut path, mut at) = (vec![next], pair);
                    while at != from {
                        let (before, step) = reached[&at];
                        path.push(step);
                        at = before;
                    }
                    path.reverse();
                    return Ok(Some(path));
                }
                if next.to != from && !reached.contains_key(&next.to) {
                    reached.insert(next.to, (pair, next));
                    queue.push_back(next.to);
                }
            }
        }
        Ok(None)
    }

    /// Adds the small steps of a path to a run.
    fn follow(&mut self, from: u32, path: &[Move], run: &mut Run) -> Result<(), LassoEnd> {
        let mut at = self.pairs[from as usize].0;
        for next in path {
            let to = self.pairs[next.to as usize].0;
            if let Some(step) = next.step {
                let movers = self.fair.then(|| self.graph.movers(step));
                let graph = &mut self.graph;
                let (from, to) = (graph.copy(at), graph.copy(to));
                run.steps.extend(steps_between(graph.space, &from, &to, movers)?);
            }
            at = to;
        }
        Ok(())
    }
}

impl<S: Store> Product for Search<'_, '_, S> {
    type Stop = LassoEnd;

    fn words(&self) -> usize {
        1
    }

    fn node_count(&self) -> usize {
        self.pairs.len()
    }

    fn enter(&mut self, pair: u32) -> Result<Option<Range<usize>>, LassoEnd> {
        self.budget.check()?;
        if self.watch.is_done(self.pairs[pair as usize].1) {
            return Ok(None);
        }
        self.entered += 1;
        if self.entered.is_multiple_of(8192) {
            self.progress.report(&Snapshot {
                phase: "searching for a violating run",
                depth: Some(self.frames.len() as u64),
                states: Some(self.pairs.len() as u64),
                ..Snapshot::default()
            });
        }
        let first = self.pending.len();
        let mut moves = std::mem::take(&mut self.pending);
        let found = self.moves(pair, &mut moves);
        self.pending = moves;
        found?;
        self.frames.push(first);
        Ok(Some(first..self.pending.len()))
    }

    fn edge(&self, _: u32, edge: usize, marks: &mut [u64]) -> u32 {
        marks[0] |= self.pending[edge].marks;
        self.pending[edge].to
    }

    fn leave(&mut self, pair: u32) {
        let first = self.frames.pop().expect("the pair was entered");
        self.pending.truncate(first);
        self.graph.leave(self.pairs[pair as usize].0);
    }

    fn accepts(&self, met: &[u64]) -> bool {
        met[0] & self.required() == self.required()
    }
}

/// The hash of a pair.
fn hash(state: StateNumber, at: u16) -> u32 {
    let mixed = (u64::from(state.0) << 16 | u64::from(at)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed ^ mixed >> 29)
        .wrapping_mul(0xbf58_476d_1ce4_e5b9)
        .rotate_left(17) as u32
}
