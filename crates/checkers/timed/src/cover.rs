//! Whether a cover contains all runs, and what is claimed of it.
//!
//! The claim: every state that is reached is simulated by a state of a node with the same locations and integers, on the same sides of all tracked differences. It holds of the initial
//! states, and a step from a simulated state is simulated again, if the successors of every node are covered by nodes. So it is enough to compute these. For a state that is not to be reached:
//! no node meets it. For what is not to be met again and again: ranks do not grow along steps, so a run stays in one rank in the end, and in no rank can everything be met by nodes
//! that have a step within it.
//!
//! Nodes are judged one by one, so several threads can share the work: each reads the model by a meaning of its own ([`Readings`]) and judges its part of them. What the model says of a discrete state is
//! asked once for the nodes of that state that are judged together: its `Place`.

use crate::matrix::Matrix;
use crate::stored::{Limits, is_simulated, is_within};
use crate::table::{Table, by_threads};
use crate::within::{Within, both, without};
use crate::{Objection, bounds, deadlock, extreme};
use entail_budget::Budget;
use entail_clocks::discrete::{ClockConstraint, Discrete};
use entail_clocks::evidence::{ClockBounds, Cover, CoverNodes, Extreme};
use entail_clocks::{
    ClockName, Comparison, Expression, Formula, LocationId, Meaning, Measure, Move, Network, Query,
};
use std::cell::OnceCell;
use std::collections::HashMap;

/// Whoever asks what the model means.
pub type Asking<'a> = dyn FnMut(&dyn Meaning) + 'a;

/// Hands what the model means to whoever asks. Each thread asks for a meaning of its own.
pub type Readings<'r> = dyn Fn(&mut Asking<'_>) + Sync + 'r;

/// Nodes, and what the model means.
pub(crate) struct Checked<'t> {
    meaning: &'t dyn Meaning,
    table: &'t Table<'t>,
}

/// A discrete state with what the model says of it, as far as its nodes need that.
struct Place {
    discrete: Discrete,
    /// Nothing if the integer part is false: then nothing is in the state.
    invariant: Option<Vec<ClockConstraint>>,
    may_delay: bool,
    stopped: Vec<usize>,
    /// The steps, with where they lead unless that goes wrong.
    moves: Vec<(Move, Option<Target>)>,
}

/// A discrete state that zones arrive at.
pub(crate) struct Target {
    key: Vec<u8>,
    limits: OnceCell<Vec<Limits>>,
}

impl Target {
    pub(crate) fn new(discrete: &Discrete) -> Target {
        let mut key = Vec::new();
        CoverNodes::key(discrete, &mut key);
        Target {
            key,
            limits: OnceCell::new(),
        }
    }
}

/// For each rank: which goals are met by nodes that have a step within it.
type Met = HashMap<u32, Vec<bool>>;

/// Checks that a cover contains all that is reachable, and nothing beyond a value that is claimed to be extreme.
pub fn contains_nothing_beyond(
    meaning: &dyn Meaning,
    network: &Network,
    query: &Query,
    extreme: &Extreme,
    cover: &Cover,
    budget: &Budget,
) -> Result<(), Objection> {
    // The value is compared with the clock that is measured.
    let mut parts = query.formulas().to_vec();
    if let (
        Query::Extreme {
            measure: Measure::Clock(clock),
            ..
        },
        Some(value),
    ) = (query, extreme.value)
    {
        parts.push(Formula::Clock {
            left: clock.clone(),
            right: ClockName::one(0),
            comparison: Comparison::Greater,
            bound: Expression::Constant(value),
        });
    }
    let beyond = Query::Reach(Formula::And(parts), true);
    are_constants_right(network, &beyond, cover)?;
    let table = Table::new(network, cover, &cover.nodes, 1, budget)?;
    let checked = Checked::new(meaning, &table);
    checked.cover_starts()?;
    checked.visit((0, 1), budget, |place, _, zone| {
        match extreme::is_beyond(meaning, query, extreme, &place.discrete, zone)? {
            true => Err("the cover contains a state beyond the value".into()),
            false => checked.successors(place, zone, u32::MAX).map(|_| ()),
        }
    })
}

/// Checks a cover for a query that looks for something that does not exist, with so many threads.
pub fn contains_all_runs(
    readings: &Readings<'_>,
    threads: usize,
    network: &Network,
    query: &Query,
    cover: &Cover,
    budget: &Budget,
) -> Result<(), Objection> {
    are_constants_right(network, query, cover)?;
    let count = cover.nodes.len();
    let threads = threads.clamp(1, count.max(1));
    let table = Table::new(network, cover, &cover.nodes, threads, budget)?;
    // Each thread has every so-and-so-manieth run of nodes of one state.
    let part = |thread: usize| {
        let mut judged = Err("the model has no meaning".into());
        readings(&mut |meaning| {
            let checked = Checked::new(meaning, &table);
            judged = match thread {
                0 => checked.cover_starts(),
                _ => Ok(()),
            }
            .and_then(|()| checked.judge((thread, threads), query, &budget.same_limits()));
        });
        judged
    };
    let mut met = Met::new();
    for part in by_threads(threads, part) {
        for (rank, goals) in part? {
            let all = met.entry(rank).or_insert_with(|| vec![false; goals.len()]);
            all.iter_mut().zip(goals).for_each(|(all, one)| *all |= one);
        }
    }
    match met.values().any(|met| met.iter().all(|&met| met)) {
        true => Err("the ranks of the cover do not exclude what is looked for".into()),
        false => Ok(()),
    }
}

/// Whether constants are large enough, and suit the query.
pub(crate) fn are_constants_right(network: &Network, query: &Query, cover: &Cover) -> Result<(), Objection> {
    if !cover.plain {
        bounds::are_sufficient(network, query, cover)?;
    }
    // Simulation keeps what can be done; what cannot be done is kept by bisimulation only, which equal constants give.
    let is_symmetric = |one: &ClockBounds| one.0 == one.1;
    if query.needs_bisimulation() && !cover.plain && !cover.bounds.iter().flatten().all(is_symmetric) {
        return Err("lower and upper clock constants differ, and deadlocks matter".into());
    }
    Ok(())
}

/// The initial states whose invariants hold.
pub(crate) fn starts(meaning: &dyn Meaning, network: &Network) -> Result<Vec<(Discrete, Matrix)>, Objection> {
    let mut found = Vec::new();
    for discrete in meaning.starts()? {
        let mut zone = Matrix::origin(network.dimension());
        if meaning
            .invariant(&discrete)?
            .is_some_and(|invariant| zone.cut_all(&invariant))
        {
            found.push((discrete, zone));
        }
    }
    Ok(found)
}

/// Checks that no maximal run stays within a condition. The nodes contain all states on runs that stay within it; steps within it lead to smaller ranks, so no such run has infinitely many; and
/// in no node can a run end. Where the condition may begin to hold anywhere, the prelude contains all reachable states, and nodes contain those of its states in which it may.
pub fn contains_no_stay(
    meaning: &dyn Meaning,
    network: &Network,
    query: &Query,
    cover: &Cover,
    budget: &Budget,
) -> Result<(), Objection> {
    are_constants_right(network, query, cover)?;
    let formulas = query.formulas();
    let size = network.dimension();
    let table = Table::new(network, cover, &cover.nodes, 1, budget)?;
    let nodes = Checked::new(meaning, &table);
    if formulas.len() == 1 {
        for (discrete, zone) in starts(meaning, network)? {
            if let Some(within) = Within::of(meaning, formulas, 0, &discrete, size)? {
                nodes.covers_inside(&within, &discrete, &zone)?;
            }
        }
    } else {
        let table = Table::new(network, cover, &cover.prelude, 1, budget)?;
        let prelude = Checked::new(meaning, &table);
        prelude.cover_starts()?;
        prelude.visit((0, 1), budget, |place, _, zone| {
            prelude.successors(place, zone, u32::MAX)?;
            let discrete = &place.discrete;
            let Some(within) = Within::of(meaning, formulas, 0, discrete, size)? else {
                return Ok(());
            };
            for begins in meaning.satisfying(formulas, 1, discrete)? {
                let mut part = zone.clone();
                if part.cut_all(&begins) {
                    nodes.covers_inside(&within, discrete, &part)?;
                }
            }
            Ok(())
        })?;
    }
    for number in 0..cover.nodes.len() {
        budget.check()?;
        nodes.leads_down(formulas, number)?;
    }
    Ok(())
}

/// Checks that a symbolic state has the locations and integers of the model.
pub(crate) fn is_of_model(
    network: &Network,
    locations: &[LocationId],
    integers: &[i64],
) -> Result<(), Objection> {
    let is_location = |(process, &location): (usize, &LocationId)| {
        (network.locations.get(location)).is_some_and(|location| location.process == process)
    };
    let is_one = locations.len() == network.processes.len()
        && integers.len() == network.integers.len()
        && locations.iter().enumerate().all(is_location);
    match is_one {
        true => Ok(()),
        false => Err("a symbolic state is not one of the model".into()),
    }
}

/// Whether some values of a zone satisfy a condition.
pub(crate) fn meets(
    meaning: &dyn Meaning,
    goals: &[Formula],
    goal: usize,
    discrete: &Discrete,
    zone: &Matrix,
) -> Result<bool, Objection> {
    let conjunctions = meaning.satisfying(goals, goal, discrete)?;
    if conjunctions
        .iter()
        .flatten()
        .any(|one| one.about_deadlock().is_some())
    {
        return Ok(!deadlock::parts(meaning, &conjunctions, discrete, zone)?.is_empty());
    }
    let is_met = |one: &Vec<ClockConstraint>| one.is_empty() || zone.clone().cut_all(one);
    Ok(conjunctions.iter().any(is_met))
}

impl<'t> Checked<'t> {
    pub(crate) fn new(meaning: &'t dyn Meaning, table: &'t Table<'t>) -> Checked<'t> {
        Checked { meaning, table }
    }

    /// A node: its discrete state, and its clock values.
    pub(crate) fn node(&self, number: usize) -> (Discrete, Matrix) {
        (
            self.table.nodes.discrete(number),
            self.table.zone(number).matrix(),
        )
    }

    /// Checks that the initial states are covered.
    fn cover_starts(&self) -> Result<(), Objection> {
        for (discrete, zone) in starts(self.meaning, self.table.network)? {
            self.rank_of_cover(&discrete, &zone, u32::MAX)?;
        }
        Ok(())
    }

    /// Checks that every so-and-so-manieth run of nodes does not meet what is not to be reached, and that their successors are covered.
    fn judge(&self, part: (usize, usize), query: &Query, budget: &Budget) -> Result<Met, Objection> {
        let (meaning, goals) = (self.meaning, query.formulas());
        // The marks of an automaton are goals as well.
        let count = match query {
            Query::Linear(asked) => asked.observer.marks as usize,
            _ => goals.len(),
        };
        let mut met = Met::new();
        self.visit(part, budget, |place, rank, zone| {
            let discrete = &place.discrete;
            if let Query::Reach(..) = query
                && meets(meaning, goals, 0, discrete, zone)?
            {
                return Err("the cover contains a state that is looked for".into());
            }
            let stays = self.successors(place, zone, rank)?;
            if stays && matches!(query, Query::Repeat(..) | Query::Linear(_)) {
                let met = met.entry(rank).or_insert_with(|| vec![false; count]);
                for (goal, met) in met.iter_mut().enumerate() {
                    *met = *met || meets(meaning, goals, goal, discrete, zone)?;
                }
            }
            Ok(())
        })?;
        Ok(met)
    }

    /// Hands over the ranks of nodes and their values after any wait, unless there are none, with their discrete states: every run of nodes of one state whose number leaves this rest.
    fn visit(
        &self,
        (rest, count): (usize, usize),
        budget: &Budget,
        mut judge: impl FnMut(&Place, u32, &Matrix) -> Result<(), Objection>,
    ) -> Result<(), Objection> {
        for run in self.table.runs().into_iter().skip(rest).step_by(count) {
            let mut place = None;
            for number in self.table.nodes_of(run) {
                budget.check()?;
                let place = match &mut place {
                    Some(known) => known,
                    unknown => unknown.insert(self.place(self.table.nodes.discrete(number))?),
                };
                if let Some(zone) = self.waited(number, place) {
                    judge(place, self.table.nodes.rank(number), &zone)?;
                }
            }
        }
        Ok(())
    }

    /// What the model says of a discrete state.
    fn place(&self, discrete: Discrete) -> Result<Place, Objection> {
        let meaning = self.meaning;
        let mut place = Place {
            invariant: meaning.invariant(&discrete)?,
            may_delay: false,
            stopped: Vec::new(),
            moves: Vec::new(),
            discrete,
        };
        if place.invariant.is_some() {
            place.may_delay = meaning.may_delay(&place.discrete)?;
            place.stopped = meaning.stopped(&place.discrete)?;
            let with_target = |step: Move| {
                let target = step.target.as_ref().ok().map(Target::new);
                (step, target)
            };
            let moves = meaning.moves(&place.discrete)?;
            place.moves = moves.into_iter().map(with_target).collect();
        }
        Ok(place)
    }

    /// The values of a node, after any wait; nothing if there are none.
    fn waited(&self, number: usize, place: &Place) -> Option<Matrix> {
        let mut zone = self.table.zone(number).matrix();
        let invariant = place.invariant.as_ref()?;
        if !zone.cut_all(invariant) {
            return None;
        }
        if place.may_delay {
            zone.rise_but(&place.stopped);
            if !zone.cut_all(invariant) {
                return None;
            }
        }
        Some(zone)
    }

    /// The parts of a matrix on either side of each cut.
    fn cut_up(&self, matrix: Matrix) -> Vec<Matrix> {
        let mut parts = vec![matrix];
        for &(left, right, bound) in &self.table.cover.cuts {
            let mut finer = Vec::new();
            for part in parts {
                let (mut inside, mut outside) = (part.clone(), part);
                if inside.cut(left, right, i64::from(bound)) {
                    finer.push(inside);
                }
                if outside.cut(right, left, 1 - i64::from(bound)) {
                    finer.push(outside);
                }
            }
            parts = finer;
        }
        parts
    }

    /// Checks that nodes cover what of a zone satisfies a condition; gives the largest rank that is needed, if any is.
    fn covers_inside(
        &self,
        within: &Within,
        discrete: &Discrete,
        zone: &Matrix,
    ) -> Result<Option<u32>, Objection> {
        let mut largest = None;
        for inside in within.inside(zone) {
            for part in self.cut_up(inside) {
                largest = largest.max(Some(self.rank_of_cover(discrete, &part, u32::MAX)?));
            }
        }
        Ok(largest)
    }

    /// Checks that no run can end in a node, and that steps within the condition lead to smaller ranks.
    fn leads_down(&self, formulas: &[Formula], number: usize) -> Result<(), Objection> {
        let (meaning, size) = (self.meaning, self.table.network.dimension());
        let (discrete, rank) = (self.table.nodes.discrete(number), self.table.nodes.rank(number));
        let Some(within) = Within::of(meaning, formulas, 0, &discrete, size)? else {
            return Ok(());
        };
        let mut reached = Vec::new();
        for inside in within.inside(&self.table.zone(number).matrix()) {
            for later in within.later(&inside)? {
                reached.extend(self.cut_up(later));
            }
        }
        let able = deadlock::able(meaning, &discrete, size)?;
        let moves = meaning.moves(&discrete)?;
        for zone in &reached {
            let lasting = within.lasting(zone)?;
            if within.is_endless() && !lasting.is_empty() {
                return Err("a run can wait for ever within the condition".into());
            }
            if !without(lasting, &able)?.is_empty() {
                return Err("a run can end within the condition".into());
            }
            for step in &moves {
                let Some((next, after)) = taken(step, zone)? else {
                    continue;
                };
                let Some(there) = Within::of(meaning, formulas, 0, &next, size)? else {
                    continue;
                };
                let needed = self.covers_inside(&there, &next, &after)?;
                if needed.is_some_and(|needed| needed >= rank) {
                    return Err("ranks do not fall along a step within the condition".into());
                }
            }
        }
        Ok(())
    }

    /// Checks that the successors of a zone are covered by nodes of no larger rank; says whether one of the same rank is needed.
    fn successors(&self, place: &Place, zone: &Matrix, rank: u32) -> Result<bool, Objection> {
        let (mut stays, mut after) = (false, Matrix::origin(zone.size));
        for (step, target) in &place.moves {
            if !take(step, zone, &mut after)? {
                continue;
            }
            // Taking a step that goes wrong is an objection.
            let (Ok(next), Some(target)) = (&step.target, target) else {
                return Err("a step leads nowhere".into());
            };
            stays |= self.rank_of_target((next, target), &after, rank)? == rank;
        }
        Ok(stays)
    }

    /// The largest rank that is needed of the nodes that together contain all values of a zone, smaller ones first; nothing if they do not.
    pub(crate) fn rank_of_union(&self, discrete: &Discrete, zone: Matrix) -> Result<Option<u32>, Objection> {
        let at = |&number: &usize| self.table.nodes.discrete(number) == *discrete;
        let mut nodes: Vec<usize> = (0..self.table.nodes.len()).filter(at).collect();
        nodes.sort_by_key(|&number| self.table.nodes.rank(number));
        let (mut rest, mut largest) = (vec![zone], 0);
        for number in nodes {
            let matrix = self.table.zone(number).matrix();
            if rest.iter().any(|one| both(one, &matrix).is_some()) {
                largest = self.table.nodes.rank(number);
                rest = without(rest, &[matrix])?;
            }
        }
        Ok(rest.is_empty().then_some(largest))
    }

    /// The largest rank among the nodes of least rank that cover the parts of a zone; an objection if one is not covered, or only by larger ranks than `most`.
    pub(crate) fn rank_of_cover(
        &self,
        discrete: &Discrete,
        zone: &Matrix,
        most: u32,
    ) -> Result<u32, Objection> {
        self.rank_of_target((discrete, &Target::new(discrete)), zone, most)
    }

    fn rank_of_target(
        &self,
        target: (&Discrete, &Target),
        zone: &Matrix,
        most: u32,
    ) -> Result<u32, Objection> {
        let tracked = self.table.tracked();
        if tracked.is_empty() {
            return self.rank_of_part(target, zone, &[], most);
        }
        let mut parts = vec![(zone.clone(), Vec::new())];
        for &(left, right, bound) in tracked {
            let mut finer = Vec::new();
            for (part, sides) in parts {
                for side in [true, false] {
                    let mut half = part.clone();
                    let is_left = match side {
                        true => half.cut(left, right, i64::from(bound)),
                        false => half.cut(right, left, 1 - i64::from(bound)),
                    };
                    if is_left {
                        finer.push((half, [sides.as_slice(), &[side]].concat()));
                    }
                }
            }
            parts = finer;
        }
        let mut largest = 0;
        for (part, sides) in parts {
            largest = largest.max(self.rank_of_part(target, &part, &sides, most)?);
        }
        Ok(largest)
    }

    /// The same, of a zone that lies on some sides of the tracked differences.
    fn rank_of_part(
        &self,
        (discrete, target): (&Discrete, &Target),
        part: &Matrix,
        sides: &[bool],
        most: u32,
    ) -> Result<u32, Objection> {
        let limits = || (target.limits).get_or_init(|| self.table.limits(&discrete.locations));
        let is_cover = |node: usize| {
            let large = self.table.zone(node);
            // What contains it simulates it.
            is_within(part, large) || (!self.table.cover.plain && is_simulated(part, large, limits()))
        };
        let mut alike = self.table.alike(&target.key, sides).iter();
        let node = alike.find_map(|&(_, node)| {
            let node = node as usize;
            (is_cover(node) && self.table.is_at(node, &target.key, sides)).then_some(node)
        });
        let rank = self.table.nodes.rank(node.ok_or("a successor is not covered")?);
        match rank > most {
            true => Err("ranks grow along a step".into()),
            false => Ok(rank),
        }
    }
}

/// What a step leads to from a zone; nothing if it cannot be taken.
pub(crate) fn taken(step: &Move, zone: &Matrix) -> Result<Option<(Discrete, Matrix)>, Objection> {
    let mut after = Matrix::origin(zone.size);
    match take(step, zone, &mut after)? {
        true => Ok(Some((step.target.clone()?, after))),
        false => Ok(None),
    }
}

/// Takes a step from a zone, into a place; false if it cannot be taken.
fn take(step: &Move, zone: &Matrix, after: &mut Matrix) -> Result<bool, Objection> {
    after.copy_from(zone);
    if !after.cut_all(&step.guard) {
        return Ok(false);
    }
    if let Err(trouble) = &step.target {
        return Err((*trouble).into());
    }
    for update in &step.updates {
        let may_become_negative =
            update.source != 0 && after.clone().cut(update.source, 0, -2 * update.offset);
        if may_become_negative {
            return Err("a clock may become negative".into());
        }
        after.set(update);
    }
    Ok(after.cut_all(&step.invariant))
}
