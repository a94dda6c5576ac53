//! Inclusion of finite timed words, all states accepting: is every word of the first network one of the second?
//!
//! A word of the first leads the second to a set of states, each with clocks of its own. Such a set, with the state of the first, has a zone of all these clocks (Wang, Sun, Liu, Wang, Li, Liu 2014): a delay lets all of them grow; a step
//! of the first divides the zone by which steps of the same name each state of the second can take. If some part allows none, the word to it is none of the second (`word` finds a run). A set is superfluous if another, with a zone that contains its own,
//! has a subset of its states. States of the second that are equal are one.
//!
//! The search ends if sets do not grow for ever: so in deterministic networks, in event-clock automata (Alur, Fix, Henzinger 1999; all states of the second have equal clocks), and with one clock in the second, where sets are well-quasi-ordered by
//! that (Ouaknine, Worrell 2004). In general inclusion is undecidable, and the search ends by its budget, or when a set has too many states.

use super::{Refusal, Related, constants_of, digital, packed, word};
use crate::constants::Constants;
use crate::predecessor::constrain;
use crate::space::{Constraint, Space};
use entail_budget::Budget;
use entail_clocks::discrete::{ClockConstraint, ClockUpdate, Discrete, Trouble};
use entail_clocks::evidence::Run;
use entail_clocks::pairs::{Correspondence, WordZone};
use entail_clocks::{EdgeId, Fault, Meaning, Network};
use entail_zones::{Bound, Extrapolation, LowerUpper, Zone};
use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;
use std::collections::VecDeque;
use std::rc::Rc;

/// States of the second network in one set, at most.
const MOST_STATES: usize = 24;
/// Parts into which a step divides a zone, at most.
const MOST_PARTS: usize = 20_000;

/// A step of one network, in its own clocks.
pub(super) struct NamedStep {
    /// Its name, by number.
    pub name: usize,
    pub edges: Vec<EdgeId>,
    pub guard: Vec<ClockConstraint>,
    pub updates: Vec<ClockUpdate>,
    /// The invariant of its target.
    pub entering: Vec<ClockConstraint>,
    pub target: Result<usize, Trouble>,
}

/// A discrete state of one network.
pub(super) struct State {
    pub invariant: Vec<ClockConstraint>,
    pub may_delay: bool,
    constants: Vec<LowerUpper>,
}

/// One network with the states that were met.
pub(super) struct Side<'n> {
    pub network: &'n Network,
    is_second: bool,
    pub constants: Constants,
    pub states: IndexMap<Discrete, State, FxBuildHasher>,
    steps: Vec<Option<Rc<[NamedStep]>>>,
}

/// The names of steps of both networks.
pub(super) type Names = IndexMap<String, (), FxBuildHasher>;

impl<'n> Side<'n> {
    pub fn new(network: &'n Network, is_second: bool) -> Result<Side<'n>, Refusal> {
        let Some(constants) = constants_of(network)? else {
            let message = "inclusion is decided where clocks are compared with constants only, and here these grow without end";
            return Err(Refusal::Unsupported(message.to_owned()));
        };
        if !constants.diagonals.is_empty() {
            let message = "inclusion is not decided for networks that compare differences of clocks";
            return Err(Refusal::Unsupported(message.to_owned()));
        }
        if (network.edges.iter()).any(|edge| network.events[edge.event].starts_with('τ')) {
            let message = "inclusion is decided for networks whose steps all have names, and edges without a channel have none";
            return Err(Refusal::Unsupported(message.to_owned()));
        }
        Ok(Side {
            network,
            is_second,
            constants,
            states: IndexMap::default(),
            steps: Vec::new(),
        })
    }

    fn refused(&self, trouble: Trouble) -> Refusal {
        Refusal::Model(self.is_second, trouble)
    }

    /// The number of a state; nothing if its invariant is false whatever the clocks.
    fn number(&mut self, state: Discrete) -> Result<Option<usize>, Refusal> {
        if let Some(known) = self.states.get_index_of(&state) {
            return Ok(Some(known));
        }
        let invariant = Meaning::invariant(self.network, &state).map_err(|trouble| self.refused(trouble))?;
        let Some(invariant) = invariant else {
            return Ok(None);
        };
        let may_delay = self.network.may_delay(&state);
        let own = State {
            invariant,
            may_delay: may_delay.map_err(|trouble| self.refused(trouble))?,
            constants: self.constants.at(state.locations.iter().copied()),
        };
        self.steps.push(None);
        Ok(Some(self.states.insert_full(state, own).0))
    }

    /// The beginnings that meet their invariants.
    pub fn starts(&mut self) -> Result<Vec<usize>, Refusal> {
        let mut found = Vec::new();
        for state in self.network.initial() {
            if let Some(state) = self.number(state)?
                && constrain(
                    &mut Zone::zero(self.network.dimension()),
                    &shifted(&self.states[state].invariant, 0),
                )
            {
                found.push(state);
            }
        }
        Ok(found)
    }

    /// The steps of a state.
    pub fn steps(&mut self, state: usize, names: &mut Names) -> Result<Rc<[NamedStep]>, Refusal> {
        if let Some(known) = &self.steps[state] {
            return Ok(Rc::clone(known));
        }
        let discrete = self.states.get_index(state).expect("a known state").0.clone();
        let moves = self.network.moves(&discrete);
        let mut found = Vec::new();
        for step in moves.map_err(|trouble| self.refused(trouble))? {
            let target = match step.target {
                Err(trouble) => Err(trouble),
                Ok(target) => match self.number(target)? {
                    Some(target) => Ok(target),
                    None => continue,
                },
            };
            found.push(NamedStep {
                name: names.insert_full(self.network.action_name(&step.edges), ()).0,
                edges: step.edges,
                guard: step.guard,
                updates: step.updates,
                entering: step.invariant,
                target,
            });
        }
        let found: Rc<[NamedStep]> = found.into();
        self.steps[state] = Some(Rc::clone(&found));
        Ok(found)
    }

    /// Where a step leads that can be taken from values of a zone, in which the clocks begin behind this one.
    fn target(&self, step: &NamedStep, zone: &Zone, behind: usize) -> Result<usize, Refusal> {
        let target = step.target.map_err(|trouble| self.refused(trouble))?;
        let mut zone = zone.clone();
        for update in moved(&step.updates, behind) {
            if Space::is_negative(&zone, &update) || (update.source == 0 && update.offset < 0) {
                let (fault, span) = (Fault::NegativeClock, Default::default());
                return Err(self.refused(Trouble { fault, span }));
            }
            zone.assign(update.target, update.source, update.offset as i32);
        }
        Ok(target)
    }
}

/// Constraints of clocks that begin behind this one.
fn shifted(all: &[ClockConstraint], behind: usize) -> Vec<Constraint> {
    let clock = |clock: usize| if clock == 0 { 0 } else { clock + behind };
    let one = |one: &ClockConstraint| {
        let bound = Bound::new(one.bound as i32, one.strict);
        (clock(one.left), clock(one.right), bound)
    };
    all.iter().map(one).collect()
}

fn moved(all: &[ClockUpdate], behind: usize) -> impl DoubleEndedIterator<Item = ClockUpdate> {
    let clock = move |clock: usize| if clock == 0 { 0 } else { clock + behind };
    all.iter().map(move |update| ClockUpdate {
        target: clock(update.target),
        source: clock(update.source),
        offset: update.offset,
    })
}

/// The values from which a step can be taken, of clocks that begin behind this one.
fn able(step: &NamedStep, dimension: usize, behind: usize) -> Option<Zone> {
    let mut zone = Zone::universal(dimension);
    let is_able = constrain(&mut zone, &shifted(&step.entering, behind))
        && moved(&step.updates, behind)
            .rev()
            .all(|update| zone.unassign(update.target, update.source, update.offset as i32))
        && constrain(&mut zone, &shifted(&step.guard, behind));
    is_able.then_some(zone)
}

/// A state of the first, states of the second, and the values of all clocks, right after a step.
struct Node {
    first: usize,
    second: Vec<usize>,
    zone: Zone,
    /// The node it comes from, and the edges of the step.
    parent: Option<(usize, Vec<EdgeId>)>,
    /// No other node makes it superfluous.
    is_kept: bool,
}

/// A step of a state of the second: the position of the state, and the step.
type Taken<'s> = (usize, &'s NamedStep);

struct Search<'n> {
    sides: [Side<'n>; 2],
    names: Names,
    nodes: Vec<Node>,
    waiting: VecDeque<usize>,
    /// Kept nodes by the state of the first.
    kept: Vec<Vec<usize>>,
}

/// What was found.
enum Found {
    /// The edges of a word of the first that is none of the second.
    Word(Vec<Vec<EdgeId>>),
    Nothing,
}

/// Decides inclusion.
pub(super) fn decide(networks: [&Network; 2], budget: &Budget) -> Result<Related, Refusal> {
    let mut search = Search {
        sides: [Side::new(networks[0], false)?, Side::new(networks[1], true)?],
        names: Names::default(),
        nodes: Vec::new(),
        waiting: VecDeque::new(),
        kept: Vec::new(),
    };
    let starts = search.sides[0].starts()?;
    let second = search.sides[1].starts()?;
    if second.is_empty()
        && let Some(&first) = starts.first()
    {
        let first = search.sides[0].states.get_index(first).expect("a known state");
        let run = Run {
            first: first.0.locations.clone(),
            steps: Vec::new(),
            rest: entail_clocks::evidence::Time(entail_clocks::Rational::ZERO),
        };
        return Ok(Related {
            correspondence: Correspondence::Excluded { run },
            zones: 0,
        });
    }
    for first in starts {
        let node = Node {
            first,
            zone: Zone::zero(search.dimension(second.len())),
            second: second.clone(),
            parent: None,
            is_kept: true,
        };
        search.store(node);
    }
    let found = match search.run(budget) {
        // Whole times may be enough, and then there are finitely many states.
        Err(Refusal::Spent(reason)) if budget.check().is_ok() => {
            let Search { sides, names, .. } = search;
            return digital::decide(sides, names, &reason, budget);
        }
        found => found?,
    };
    let zones = search.nodes.len();
    let correspondence = match found {
        Found::Nothing => Correspondence::Included {
            words: search.words(),
        },
        Found::Word(edges) => {
            let Search {
                mut sides, mut names, ..
            } = search;
            let Some(run) = word::run(&mut sides, &mut names, &edges, budget)? else {
                let message = "a word was found that has no run in exact time";
                return Err(Refusal::Spent(message.to_owned()));
            };
            Correspondence::Excluded { run }
        }
    };
    Ok(Related {
        correspondence,
        zones,
    })
}

impl Search<'_> {
    /// The number of clocks with so many states of the second.
    fn dimension(&self, states: usize) -> usize {
        1 + self.sides[0].network.clocks.len() + states * self.sides[1].network.clocks.len()
    }

    /// Behind which clock those of a state of the second begin.
    fn behind(&self, state: usize) -> usize {
        self.dimension(state) - 1
    }

    fn run(&mut self, budget: &Budget) -> Result<Found, Refusal> {
        while let Some(node) = self.waiting.pop_front() {
            if !self.nodes[node].is_kept {
                continue;
            }
            if let Found::Word(word) = self.expand(node, budget)? {
                return Ok(Found::Word(word));
            }
        }
        Ok(Found::Nothing)
    }

    /// Adds the nodes that words lead to from this one, or finds a word that is none of the second.
    fn expand(&mut self, node: usize, budget: &Budget) -> Result<Found, Refusal> {
        let (first, second) = (self.nodes[node].first, self.nodes[node].second.clone());
        let steps = self.sides[0].steps(first, &mut self.names)?;
        let mut answers = Vec::new();
        for &state in &second {
            answers.push(self.sides[1].steps(state, &mut self.names)?);
        }
        for (zone, waits) in self.later(node) {
            for step in steps.iter() {
                let dimension = zone.dimension();
                let Some(part) = able(step, dimension, 0).and_then(|able| able.meet(&zone)) else {
                    continue;
                };
                self.sides[0].target(step, &part, 0)?;
                let mut parts: Vec<(Zone, Vec<Taken<'_>>)> = vec![(part, Vec::new())];
                for (position, steps) in answers.iter().enumerate() {
                    let state = &self.sides[1].states[second[position]];
                    if waits && !state.may_delay {
                        continue;
                    }
                    let behind = self.behind(position);
                    for answer in steps.iter().filter(|answer| answer.name == step.name) {
                        budget.check().map_err(|spent| self.spent(&spent.to_string()))?;
                        let Some(mut able) = able(answer, dimension, behind) else {
                            continue;
                        };
                        if !constrain(&mut able, &shifted(&state.invariant, behind)) {
                            continue;
                        }
                        let mut divided = Vec::new();
                        for (zone, taken) in parts {
                            if let Some(both) = zone.meet(&able) {
                                self.sides[1].target(answer, &both, behind)?;
                                let with = [taken.as_slice(), &[(position, answer)]].concat();
                                divided.push((both, with));
                            }
                            let without = zone.without(&able).into_iter();
                            divided.extend(without.map(|zone| (zone, taken.clone())));
                        }
                        parts = divided;
                        if parts.len() > MOST_PARTS {
                            return Err(self.spent("a step divides a zone into too many parts"));
                        }
                    }
                }
                for (zone, taken) in parts {
                    if taken.is_empty() {
                        return Ok(Found::Word(self.path(node, &step.edges)));
                    }
                    let next = self.next(node, step, &zone, &taken)?;
                    self.add(next)?;
                }
            }
        }
        Ok(Found::Nothing)
    }

    fn spent(&self, reason: &str) -> Refusal {
        let most = self.nodes.iter().map(|node| node.second.len()).max();
        Refusal::Spent(format!(
            "{reason}: {} sets with up to {} states of the second network were found; inclusion in a network that is not deterministic is undecidable in general, and this search need not end \
             where the second network has several clocks that its choices set differently",
            self.nodes.len(),
            most.unwrap_or(0)
        ))
    }

    /// What a node becomes by waiting, and whether some time passes for sure. Where a state of the second cannot wait, waiting and not waiting are told apart.
    fn later(&self, node: usize) -> Vec<(Zone, bool)> {
        let node = &self.nodes[node];
        let own = &self.sides[0].states[node.first];
        if !own.may_delay {
            return vec![(node.zone.clone(), false)];
        }
        let mut later = node.zone.clone();
        later.delay();
        let is_urgent = |&state: &usize| !self.sides[1].states[state].may_delay;
        let mut found = Vec::new();
        let tells_apart = node.second.iter().any(is_urgent);
        if tells_apart {
            found.push((node.zone.clone(), false));
            for clock in 1..later.dimension() {
                let least = later.bound(0, clock).constant();
                if !later.constrain(0, clock, Bound::below(least)) {
                    return found;
                }
            }
        }
        if constrain(&mut later, &shifted(&own.invariant, 0)) {
            found.push((later, tells_apart));
        }
        found
    }

    /// The node to which a step of the first leads, with the steps that states of the second take.
    fn next(&self, from: usize, step: &NamedStep, zone: &Zone, taken: &[Taken<'_>]) -> Result<Node, Refusal> {
        let first = self.sides[0].target(step, zone, 0)?;
        let own = self.sides[0].network.clocks.len();
        let others = self.sides[1].network.clocks.len();
        // Where each clock is before the step: a state that takes several steps is there several times.
        let mut sources: Vec<usize> = (0..=own).collect();
        for &(position, _) in taken {
            sources.extend((1..=others).map(|clock| self.behind(position) + clock));
        }
        let mut next = picked(zone, &sources);
        let mut second = Vec::new();
        for update in moved(&step.updates, 0) {
            next.assign(update.target, update.source, update.offset as i32);
        }
        for (number, &(position, answer)) in taken.iter().enumerate() {
            second.push(self.sides[1].target(answer, zone, self.behind(position))?);
            for update in moved(&answer.updates, self.behind(number)) {
                next.assign(update.target, update.source, update.offset as i32);
            }
        }
        let mut constants = self.sides[0].states[first].constants.clone();
        for &state in &second {
            constants.extend(&self.sides[1].states[state].constants[1..]);
        }
        Extrapolation::MPlus.apply(&mut next, &constants);
        if next.is_huge() {
            return Err(self.spent("clock values grow out of range"));
        }
        // One of several equal states is enough.
        let mut distinct: Vec<usize> = Vec::new();
        for number in 0..second.len() {
            let is_equal = |&other: &usize| {
                second[other] == second[number]
                    && (1..=others).all(|clock| {
                        let (one, two) = (self.behind(number) + clock, self.behind(other) + clock);
                        let is_unused = constants[one] == LowerUpper::UNUSED;
                        is_unused
                            || next.bound(one, two) == Bound::ZERO && next.bound(two, one) == Bound::ZERO
                    })
            };
            if !distinct.iter().any(is_equal) {
                distinct.push(number);
            }
        }
        if distinct.len() > MOST_STATES {
            return Err(self.spent("a set has too many states"));
        }
        let mut sources: Vec<usize> = (0..=own).collect();
        for &number in &distinct {
            sources.extend((1..=others).map(|clock| self.behind(number) + clock));
        }
        Ok(Node {
            first,
            zone: picked(&next, &sources),
            second: distinct.iter().map(|&number| second[number]).collect(),
            parent: Some((from, step.edges.clone())),
            is_kept: true,
        })
    }

    /// Adds a node, unless another makes it superfluous.
    fn add(&mut self, node: Node) -> Result<(), Refusal> {
        self.kept.resize_with(self.sides[0].states.len(), Vec::new);
        let kept = &self.kept[node.first];
        if kept.iter().any(|&known| self.covers(&self.nodes[known], &node)) {
            return Ok(());
        }
        let superfluous: Vec<usize> = (kept.iter().copied())
            .filter(|&known| self.covers(&node, &self.nodes[known]))
            .collect();
        for &known in &superfluous {
            self.nodes[known].is_kept = false;
        }
        self.kept[node.first].retain(|known| !superfluous.contains(known));
        self.store(node);
        Ok(())
    }

    fn store(&mut self, node: Node) {
        self.kept.resize_with(self.sides[0].states.len(), Vec::new);
        self.kept[node.first].push(self.nodes.len());
        self.waiting.push_back(self.nodes.len());
        self.nodes.push(node);
    }

    /// Whether each of a node's states of the second is one of another's, so that its zone contains the other's.
    fn covers(&self, node: &Node, other: &Node) -> bool {
        let own = self.sides[0].network.clocks.len();
        let clocks: Vec<usize> = (0..=own).collect();
        let fits = |one: usize, sources: &[usize], with: usize| {
            let mine = node.zone.bound(one, with);
            let theirs = other.zone.bound(sources[one], sources[with]);
            theirs <= mine
        };
        let is_first_within = (0..=own).all(|one| (0..=own).all(|with| fits(one, &clocks, with)));
        is_first_within && self.chosen(node, other, &mut clocks.clone())
    }

    /// Chooses a state of the other node for the next state of a node; `sources` has the other's clocks for those of the states before.
    fn chosen(&self, node: &Node, other: &Node, sources: &mut Vec<usize>) -> bool {
        let others = self.sides[1].network.clocks.len();
        let own = self.sides[0].network.clocks.len();
        let chosen = match others {
            0 => {
                return node.second.iter().all(|state| other.second.contains(state));
            }
            _ => (sources.len() - 1 - own) / others,
        };
        if chosen == node.second.len() {
            return true;
        }
        let before = sources.len();
        for candidate in 0..other.second.len() {
            if other.second[candidate] != node.second[chosen] {
                continue;
            }
            sources.extend((1..=others).map(|clock| self.behind(candidate) + clock));
            let fits = (before..before + others).all(|one| {
                (0..before + others).all(|with| {
                    other.zone.bound(sources[one], sources[with]) <= node.zone.bound(one, with)
                        && other.zone.bound(sources[with], sources[one]) <= node.zone.bound(with, one)
                })
            });
            if fits && self.chosen(node, other, sources) {
                return true;
            }
            sources.truncate(before);
        }
        false
    }

    /// The edges of the word to a node, and of one more step.
    fn path(&self, node: usize, last: &[EdgeId]) -> Vec<Vec<EdgeId>> {
        let mut edges = vec![last.to_vec()];
        let mut at = node;
        while let Some((parent, step)) = &self.nodes[at].parent {
            edges.push(step.clone());
            at = *parent;
        }
        edges.reverse();
        edges
    }

    fn words(&self) -> Vec<WordZone> {
        let discrete = |side: usize, state: usize| {
            let known = self.sides[side].states.get_index(state);
            known.expect("a known state").0.clone()
        };
        let kept = self.nodes.iter().filter(|node| node.is_kept);
        let word = |node: &Node| WordZone {
            first: discrete(0, node.first),
            second: node.second.iter().map(|&state| discrete(1, state)).collect(),
            zone: packed(&node.zone),
        };
        kept.map(word).collect()
    }
}

/// The zone of some clocks of another, in this order; a clock may be there several times.
fn picked(zone: &Zone, sources: &[usize]) -> Zone {
    let cells = (sources.iter()).flat_map(|&left| sources.iter().map(move |&right| zone.bound(left, right)));
    Zone::from_cells(sources.len(), &cells.collect::<Vec<_>>())
}
