//! The greatest probability of reaching a set of states of a probabilistic timed automaton, by backward reachability (Kwiatkowska, Norman, Sproston and Wang 2007).
//!
//! A symbolic state is a location with a zone. From those of the goal, predecessors are formed: the values from which a wait that leaves the first set nowhere leads into the zone, then the values before an outcome
//! of an edge. Outcomes of one edge may lead to the goal from different zones, so for each edge the zones of different outcomes are intersected as well. In every symbolic state an edge whose guard contains its zone is a choice;
//! each of its outcomes goes on in the best of the symbolic states that it may come to from everywhere in the zone. The value of a state is the greatest value of a symbolic state that a wait leads to.
//!
//! No extrapolation is needed: backwards, bounds of zones come from finitely many, also with strict bounds and with differences of clocks. The number of symbolic states can be exponential in the clocks, and grows with the
//! outcomes of edges.

use super::automaton::{Automaton, Branch, Edge, contains};
use crate::check::{Settings, Trouble, Workshop};
use crate::graph::Predecessors;
use crate::numbers::Numbers;
use crate::sparse::Sparse;
use entail_budget::Budget;
use entail_markov::{Bracket, Kind, Network, Optimum, Rational};
use entail_zones::{Federation, Zone};
use fixedbitset::FixedBitSet;
use rustc_hash::FxHashMap;
use std::borrow::Cow;

/// Symbolic states beyond which the search gives up.
const MOST: usize = 200_000;

/// A location with a zone.
struct Symbolic {
    location: usize,
    zone: Zone,
    /// The values from which a wait leads into the zone.
    ahead: Vec<Zone>,
    goal: bool,
}

/// For an edge and one of its outcomes: zones from which the outcome leads to where a wait reaches a symbolic state.
type Ways = Vec<Vec<(Zone, u32)>>;

/// Zones of an edge with the outcomes that they are good for, a bit each.
type Family = FxHashMap<Zone, u64>;

pub(super) struct Backward<'a> {
    automaton: &'a Automaton,
    /// Where neither set of the event is met, by location.
    bad: Vec<Vec<Zone>>,
    /// Edges that lead to a location: location, edge, outcome.
    into: Vec<Vec<(usize, usize, usize)>>,
    states: Vec<Symbolic>,
    numbers: FxHashMap<(usize, Zone), u32>,
    /// By location and edge.
    ways: Vec<Vec<Ways>>,
    families: Vec<Vec<Family>>,
}

/// What backward reachability finds.
pub struct SymbolicValues {
    locations: FxHashMap<Vec<i64>, usize>,
    /// By location: zones from which a wait leads to a symbolic state, with its number.
    ahead: Vec<Vec<(Zone, u32)>>,
    bracket: Bracket,
    /// Number of symbolic states.
    pub states: usize,
}

/// `stay U goal`, by location.
pub(super) struct Sets {
    pub stay: Vec<Federation>,
    pub goal: Vec<Federation>,
}

impl Sets {
    /// Where neither holds, by location.
    pub fn bad(&self, automaton: &Automaton) -> Vec<Vec<Zone>> {
        let both = self.stay.iter().zip(&self.goal).zip(&automaton.locations);
        both.map(|((stay, goal), location)| {
            let neither = Federation::from(location.invariant.clone())
                .without(stay.zones())
                .without(goal.zones());
            neither.merged().zones().to_vec()
        })
        .collect()
    }
}

impl<'a> Backward<'a> {
    /// All symbolic states.
    pub fn search(automaton: &'a Automaton, sets: &Sets, budget: &Budget) -> Result<Backward<'a>, Trouble> {
        let count = automaton.locations.len();
        let mut into = vec![Vec::new(); count];
        for (from, location) in automaton.locations.iter().enumerate() {
            for (at, edge) in location.edges.iter().enumerate() {
                if edge.branches.len() > 64 {
                    return Err(Trouble::Unsupported(
                        "commands with more than 64 outcomes are not supported by zones".to_owned(),
                    ));
                }
                for (outcome, branch) in edge.branches.iter().enumerate() {
                    into[branch.target].push((from, at, outcome));
                }
            }
        }
        let per_edge = |edge: &Edge| edge.branches.iter().map(|_| Vec::new()).collect();
        let mut search = Backward {
            automaton,
            bad: sets.bad(automaton),
            into,
            states: Vec::new(),
            numbers: FxHashMap::default(),
            ways: (automaton.locations.iter())
                .map(|location| location.edges.iter().map(per_edge).collect())
                .collect(),
            families: (automaton.locations.iter())
                .map(|location| location.edges.iter().map(|_| Family::default()).collect())
                .collect(),
        };
        for (location, goal) in sets.goal.iter().enumerate() {
            for zone in goal.zones() {
                search.add(location, zone.clone(), true);
            }
        }
        let mut next = 0;
        while next < search.states.len() {
            budget.check()?;
            if search.states.len() > MOST {
                return Err(Trouble::TooMany(MOST));
            }
            search.expand(next as u32, budget)?;
            next += 1;
        }
        Ok(search)
    }

    /// The number of a symbolic state.
    fn add(&mut self, location: usize, zone: Zone, goal: bool) -> u32 {
        if let Some(&known) = self.numbers.get(&(location, zone.clone())) {
            return known;
        }
        let ahead = self.automaton.locations[location].ahead_of(&zone, &self.bad[location]);
        let number = self.states.len() as u32;
        self.numbers.insert((location, zone.clone()), number);
        self.states.push(Symbolic {
            location,
            zone,
            ahead: ahead.zones().to_vec(),
            goal,
        });
        number
    }

    /// Forms the predecessors of a symbolic state.
    fn expand(&mut self, number: u32, budget: &Budget) -> Result<(), Trouble> {
        let state = &self.states[number as usize];
        let ahead = state.ahead.clone();
        for at in 0..self.into[state.location].len() {
            let (from, edge, outcome) = self.into[self.states[number as usize].location][at];
            let automaton = self.automaton;
            let location = &automaton.locations[from];
            let branch: &Branch = &location.edges[edge].branches[outcome];
            for zone in &ahead {
                budget.check()?;
                let before = branch
                    .before(zone)
                    .and_then(|zone| zone.meet(&location.edges[edge].guard));
                let Some(before) = before else {
                    continue;
                };
                let ways = &mut self.ways[from][edge][outcome];
                if ways.iter().any(|(known, to)| *to == number && *known == before) {
                    continue;
                }
                ways.push((before.clone(), number));
                self.join(from, edge, before, 1 << outcome);
                if self.states.len() > MOST {
                    return Err(Trouble::TooMany(MOST));
                }
            }
        }
        Ok(())
    }

    /// Adds a zone to those of an edge, with its intersections with zones of other outcomes.
    fn join(&mut self, from: usize, edge: usize, zone: Zone, outcome: u64) {
        let family = &self.families[from][edge];
        let known = |zone: &Zone, mask: u64| family.get(zone).is_some_and(|known| known & mask == mask);
        if known(&zone, outcome) {
            return;
        }
        let mut new = vec![(zone.clone(), outcome)];
        for (other, mask) in family {
            if mask & !outcome != 0
                && let Some(both) = other.meet(&zone)
                && !known(&both, mask | outcome)
            {
                new.push((both, mask | outcome));
            }
        }
        for (zone, mask) in new {
            *self.families[from][edge].entry(zone.clone()).or_insert(0) |= mask;
            self.add(from, zone, false);
        }
    }

    /// The decision process of symbolic states, solved.
    pub fn solve(self, settings: Settings, budget: &Budget) -> Result<SymbolicValues, Trouble> {
        let network = bare();
        let mut model = Sparse::empty(Kind::Mdp, &network);
        let mut process = Process {
            best: FxHashMap::default(),
            lists: Vec::new(),
            states: self.states.len() as u32,
        };
        for (at, state) in self.states.iter().enumerate() {
            budget.check()?;
            let edges = self.automaton.locations[state.location].edges.iter().enumerate();
            for (edge, written) in edges {
                if state.goal || !state.zone.is_within(&written.guard) {
                    continue;
                }
                let ways = &self.ways[state.location][edge];
                if let Some(row) = self.row(&state.zone, written, ways, &mut process) {
                    for (target, probability) in row {
                        let probability = model.numbers.intern(probability);
                        model.targets.push(target);
                        model.values.push(probability);
                    }
                    end_choice(&mut model);
                }
            }
            end_state(&mut model, at as u32);
        }
        // States in which the best of several symbolic states is chosen.
        let mut at = 0;
        while at < process.lists.len() {
            for &target in &process.lists[at] {
                model.targets.push(target);
                model.values.push(Numbers::ONE);
                end_choice(&mut model);
            }
            end_state(&mut model, process.states + at as u32);
            at += 1;
        }
        // Behind all others, one without a way to the goal.
        let lost = model.states() as u32;
        for target in &mut model.targets {
            if *target == LOST {
                *target = lost;
            }
        }
        end_state(&mut model, lost);
        let size = model.states();
        model.deadlocks = FixedBitSet::with_capacity(size);
        model.unexplored = FixedBitSet::with_capacity(size);
        let mut goal = FixedBitSet::with_capacity(size);
        goal.extend(
            self.states
                .iter()
                .enumerate()
                .filter(|(_, state)| state.goal)
                .map(|(at, _)| at),
        );
        // Those in which the automaton may begin are to be known as precisely as asked for.
        for (at, state) in self.states.iter().enumerate() {
            let begins = |zone: &Zone| self.automaton.start.is_within(zone);
            if state.location == 0 && state.ahead.iter().any(begins) {
                model.initial.push(at as u32);
            }
        }
        let before = Predecessors::new(&model);
        let mut workshop = Workshop::assembled(Cow::Owned(network), before, model, settings);
        let everywhere = workshop.everywhere();
        let bracket = workshop.until_bracket(Optimum::Max, &everywhere, &goal, budget)?;
        let mut ahead = vec![Vec::new(); self.automaton.locations.len()];
        for (at, state) in self.states.iter().enumerate() {
            ahead[state.location].extend(state.ahead.iter().map(|zone| (zone.clone(), at as u32)));
        }
        let locations = self.automaton.locations.iter().enumerate();
        Ok(SymbolicValues {
            locations: locations
                .map(|(at, location)| (location.state.clone(), at))
                .collect(),
            ahead,
            bracket,
            states: self.states.len(),
        })
    }

    /// The choice that an edge is in a zone; nothing if no outcome leads to the goal.
    fn row(
        &self,
        zone: &Zone,
        edge: &Edge,
        ways: &Ways,
        process: &mut Process,
    ) -> Option<Vec<(u32, Rational)>> {
        let mut row: Vec<(u32, Rational)> = Vec::with_capacity(edge.branches.len());
        let mut leads = false;
        for (branch, ways) in edge.branches.iter().zip(ways) {
            let mut targets: Vec<u32> = (ways.iter())
                .filter(|(before, _)| zone.is_within(before))
                .map(|(_, target)| *target)
                .collect();
            targets.sort_unstable();
            targets.dedup();
            let target = match targets[..] {
                [] => LOST,
                [only] => only,
                _ => process.best_of(self.least(targets)),
            };
            leads |= target != LOST;
            match row.iter_mut().find(|(known, _)| *known == target) {
                Some((_, probability)) => *probability += &branch.probability,
                None => row.push((target, branch.probability.clone())),
            }
        }
        leads.then_some(row)
    }

    /// Without symbolic states of which a part is there too: in the part all choices of the whole remain.
    fn least(&self, targets: Vec<u32>) -> Vec<u32> {
        if let Some(&goal) = targets.iter().find(|&&target| self.states[target as usize].goal) {
            return vec![goal];
        }
        let zone = |target: &u32| &self.states[*target as usize].zone;
        let is_least = |target: &&u32| {
            !(targets.iter()).any(|other| {
                other != *target && zone(other) != zone(target) && zone(other).is_within(zone(target))
            })
        };
        targets.iter().filter(is_least).copied().collect()
    }
}

/// The target without a way to the goal, until it has a number.
const LOST: u32 = u32::MAX;

/// States that stand for the best of several others.
struct Process {
    best: FxHashMap<Vec<u32>, u32>,
    lists: Vec<Vec<u32>>,
    states: u32,
}

impl Process {
    fn best_of(&mut self, targets: Vec<u32>) -> u32 {
        if let [only] = targets[..] {
            return only;
        }
        if let Some(&known) = self.best.get(&targets) {
            return known;
        }
        let number = self.states + self.lists.len() as u32;
        self.lists.push(targets.clone());
        self.best.insert(targets, number);
        number
    }
}

fn end_choice(model: &mut Sparse) {
    model.rows.push(model.targets.len() as u32);
    model.actions.push(0);
}

/// Ends a state; one without choices rests.
fn end_state(model: &mut Sparse, state: u32) {
    let last = model.choices.last().copied().unwrap_or(0);
    if last as usize == model.rows.len() - 1 {
        model.targets.push(state);
        model.values.push(Numbers::ONE);
        end_choice(model);
    }
    model.choices.push(model.rows.len() as u32 - 1);
}

/// A network without anything, for a process that is given by its rows.
fn bare() -> Network {
    Network {
        kind: Kind::Mdp,
        variables: Vec::new(),
        components: Vec::new(),
        actions: Vec::new(),
        synchronisations: Vec::new(),
        initial: entail_markov::Initial::Values(Vec::new()),
        labels: Vec::new(),
        rewards: Vec::new(),
        dead_ends: entail_markov::DeadEnds::Stay,
    }
}

impl SymbolicValues {
    /// Bounds on the probability in a state: its variables without clocks (0 in their place), and the values of the clocks as multiples of a fraction of 1. Nothing if the location is not known.
    pub fn at(&self, state: &[i64], point: &[i64], unit: i64) -> Option<(Rational, Rational)> {
        let &location = self.locations.get(state)?;
        let (mut low, mut high) = (Rational::ZERO, Rational::ZERO);
        for (zone, number) in &self.ahead[location] {
            if !contains(zone, point, unit) {
                continue;
            }
            let at = *number as usize;
            low = low.max(self.bracket.lower(at)?);
            high = high.max(self.bracket.upper(at)?);
        }
        Some((low, high))
    }

    /// Whether the values are the exact ones.
    pub fn is_exact(&self) -> bool {
        matches!(self.bracket, Bracket::Exact(_))
    }
}
