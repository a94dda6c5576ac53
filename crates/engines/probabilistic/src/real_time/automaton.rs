//! A probabilistic timed automaton with its locations laid open: the values of all variables but the clocks, found by a forward search on zones.
//!
//! Zones are extrapolated by the largest constants (Behrmann, Bouyer, Larsen, Pelánek 2006), so that the search ends. Where no differences of clocks are compared, it meets exactly the locations that are reachable;
//! otherwise perhaps more, which costs time and changes no value. Then what it finds wrong (a value outside of its range, a timelock, an invariant that does not hold where a command leads) may
//! lie in an unreachable state, and is a reason to give up rather than a mistake of the model.

use super::conditions::Discrete;
use crate::check::Trouble;
use entail_budget::Budget;
use entail_markov::clock_constraints::LARGEST;
use entail_markov::interpreter::sum_tolerance;
use entail_markov::{
    Branch as Written, DeadEnds, Event, Initial, Network, Rational, SemanticError, Timed, Value, VarId,
    largest_constants,
};
use entail_source::Span;
use entail_zones::{Bound, Extrapolation, Federation, LowerUpper, Zone};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// One outcome of an edge.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Branch {
    pub probability: Rational,
    pub target: usize,
    /// Clocks (from 1 on) with the numbers they are set to.
    pub sets: Vec<(usize, i32)>,
}

impl Branch {
    /// The values of the clocks from which it leads into a zone.
    pub fn before(&self, zone: &Zone) -> Option<Zone> {
        let mut zone = zone.clone();
        let all = (self.sets.iter()).all(|&(clock, value)| zone.unassign(clock, 0, value));
        all.then_some(zone)
    }
}

/// A way out of a location while the clocks are in a zone.
#[derive(Clone, Debug)]
pub(super) struct Edge {
    pub guard: Zone,
    pub branches: Arc<Vec<Branch>>,
}

/// A location.
#[derive(Debug)]
pub(super) struct Location {
    /// Values of all variables, 0 for clocks.
    pub state: Vec<i64>,
    pub invariant: Zone,
    /// No time passes here: the invariant holds for no values of the clocks, and stands for all of them.
    pub urgent: bool,
    pub edges: Vec<Edge>,
    /// Where the first set of the event is met, and where the second.
    pub stay: Federation,
    pub goal: Federation,
    /// The values of the clocks that are reached, up to extrapolation.
    pub reached: Vec<Zone>,
}

impl Location {
    /// The values from which a wait leads into a zone, no moment of it in a bad one. The zone lies in the invariant, which is convex.
    pub fn ahead_of(&self, zone: &Zone, bad: &[Zone]) -> Federation {
        match self.urgent {
            true => Federation::from(zone.clone()).without(bad),
            false => zone.before(bad).meet(&self.invariant),
        }
    }
}

/// An automaton.
#[derive(Debug)]
pub(super) struct Automaton {
    /// Number of clocks and the reference clock.
    pub dimension: usize,
    pub locations: Vec<Location>,
    /// The values of the clocks in the beginning, in location 0.
    pub start: Zone,
    /// Differences of clocks are compared: what is said to be reached is perhaps not.
    pub is_rough: bool,
}

/// Commands that may happen together, before their outcomes are asked for.
struct Offer {
    guards: Federation,
    commands: Vec<(usize, usize)>,
    place: Span,
    branches: Option<Arc<Vec<Branch>>>,
}

struct Found {
    state: Vec<i64>,
    invariant: Zone,
    urgent: bool,
    offers: Vec<Offer>,
    seen: Vec<Zone>,
}

struct Search<'a> {
    network: &'a Network,
    clocks: &'a [VarId],
    timed: &'a Timed,
    numbers: FxHashMap<Vec<i64>, usize>,
    found: Vec<Found>,
    waiting: Vec<(usize, Zone)>,
    constants: Vec<LowerUpper>,
    /// Differences of clocks are compared: the search may meet what is not reachable.
    is_rough: bool,
}

/// Lays open the locations of an automaton for a question.
pub(super) fn automaton(
    timed: &Timed,
    event: &Event,
    limit: usize,
    budget: &Budget,
) -> Result<Automaton, Trouble> {
    let network = &timed.network;
    if network.has_intervals() {
        return Err(Trouble::Unsupported(
            "intervals of probabilities in models with clocks are not supported".to_owned(),
        ));
    }
    let Initial::Values(initial) = &network.initial else {
        return Err(Trouble::Unsupported(
            "a timed model has one initial state".to_owned(),
        ));
    };
    let clocks = timed.timing.clocks.as_slice();
    let (most, is_rough) = largest_constants(timed, event)?;
    let reference = LowerUpper { lower: 0, upper: 0 };
    let constant = |most: i64| LowerUpper {
        lower: most as i32,
        upper: most as i32,
    };
    let mut search = Search {
        network,
        clocks,
        timed,
        numbers: FxHashMap::default(),
        found: Vec::new(),
        waiting: Vec::new(),
        constants: std::iter::once(reference)
            .chain(most.into_iter().map(constant))
            .collect(),
        is_rough,
    };
    let dimension = clocks.len() + 1;
    let mut start = Zone::zero(dimension);
    for (at, clock) in clocks.iter().enumerate() {
        start.assign(at + 1, 0, initial[clock.index()] as i32);
    }
    let mut state = initial.clone();
    clocks.iter().for_each(|clock| state[clock.index()] = 0);
    let first = search.location(state)?;
    search.enter(first, start.clone())?;
    while let Some((at, zone)) = search.waiting.pop() {
        budget.check()?;
        if search.found.len() > limit {
            return Err(Trouble::TooMany(limit));
        }
        search.expand(at, &zone)?;
    }
    let (Event::Reach(stay, goal) | Event::Miss(stay, goal)) = event;
    let mut locations = Vec::with_capacity(search.found.len());
    for found in search.found {
        let discrete = Discrete {
            network,
            clocks,
            state: &found.state,
        };
        let (stay, goal) = (
            discrete.zones(stay, Span::default())?,
            discrete.zones(goal, Span::default())?,
        );
        let edge = |offer: Offer| {
            let guards = offer.guards.zones().to_vec();
            let branches = offer.branches?;
            Some(guards.into_iter().map(move |guard| Edge {
                guard,
                branches: branches.clone(),
            }))
        };
        locations.push(Location {
            edges: found.offers.into_iter().filter_map(edge).flatten().collect(),
            stay: stay.meet(&found.invariant),
            goal: goal.meet(&found.invariant),
            reached: found.seen,
            state: found.state,
            invariant: found.invariant,
            urgent: found.urgent,
        });
    }
    Ok(Automaton {
        dimension,
        locations,
        start,
        is_rough,
    })
}

impl Search<'_> {
    /// A mistake of the model where the search is exact.
    fn mistake(&self, error: SemanticError) -> Trouble {
        match self.is_rough {
            true => Trouble::Undecided(format!("{error}; zones do not tell whether that is reachable")),
            false => Trouble::Model(error),
        }
    }

    /// The number of a location.
    fn location(&mut self, state: Vec<i64>) -> Result<usize, Trouble> {
        if let Some(&known) = self.numbers.get(&state) {
            return Ok(known);
        }
        let discrete = Discrete {
            network: self.network,
            clocks: self.clocks,
            state: &state,
        };
        let mut invariant = Federation::from(Zone::universal(self.clocks.len() + 1));
        for (condition, place) in &self.timed.timing.invariants {
            invariant = invariant.meet_all(
                &discrete
                    .zones(condition, *place)
                    .map_err(|error| self.mistake(error))?,
            );
        }
        let (invariant, urgent) = match invariant.merged().zones() {
            [only] => (only.clone(), false),
            // Conditions are about the passing of time; JANI's urgent locations are written so.
            [] => (Zone::universal(self.clocks.len() + 1), true),
            _ => {
                let message = "an invariant is no conjunction of bounds on clocks";
                return Err(Trouble::Unsupported(self.described(message, &state)));
            }
        };
        let offers = self
            .offers(&discrete, &invariant)
            .map_err(|error| self.mistake(error))?;
        self.found.push(Found {
            state: state.clone(),
            invariant,
            urgent,
            offers,
            seen: Vec::new(),
        });
        self.numbers.insert(state, self.found.len() - 1);
        Ok(self.found.len() - 1)
    }

    fn described(&self, message: &str, state: &[i64]) -> String {
        format!("{message} in ({})", self.shown(state))
    }

    fn shown(&self, state: &[i64]) -> String {
        shown(self.timed, state)
    }

    /// The commands that may happen together, in the order of the reference interpreter.
    fn offers(&self, discrete: &Discrete<'_>, invariant: &Zone) -> Result<Vec<Offer>, SemanticError> {
        let network = self.network;
        let mut guards: Vec<Vec<Federation>> = Vec::with_capacity(network.components.len());
        for component in &network.components {
            let guard = |command: &entail_markov::Command| {
                Ok(discrete.zones(&command.guard, command.place)?.meet(invariant))
            };
            guards.push(
                component
                    .commands
                    .iter()
                    .map(guard)
                    .collect::<Result<_, SemanticError>>()?,
            );
        }
        let mut offers = Vec::new();
        for (at, component) in network.components.iter().enumerate() {
            for (position, command) in component.commands.iter().enumerate() {
                if command.action.is_none() && !guards[at][position].is_empty() {
                    offers.push(Offer {
                        guards: guards[at][position].clone(),
                        commands: vec![(at, position)],
                        place: command.place,
                        branches: None,
                    });
                }
            }
        }
        let everywhere = Federation::from(invariant.clone());
        for synchronisation in &network.synchronisations {
            let mut joint = vec![(everywhere.clone(), Vec::new())];
            for &(at, action) in &synchronisation.parts {
                let commands = network.components[at].commands.iter().enumerate();
                let own: Vec<usize> = (commands.filter(|(_, command)| command.action == Some(action)))
                    .map(|(position, _)| position)
                    .collect();
                let mut longer = Vec::new();
                for (zones, commands) in &joint {
                    for &position in &own {
                        let both = zones.meet_all(&guards[at][position]);
                        if !both.is_empty() {
                            let mut commands: Vec<(usize, usize)> = commands.clone();
                            commands.push((at, position));
                            longer.push((both, commands));
                        }
                    }
                }
                joint = longer;
            }
            offers.extend(
                joint
                    .into_iter()
                    .filter(|(_, commands)| !commands.is_empty())
                    .map(|(guards, commands)| Offer {
                        guards,
                        place: network.components[commands[0].0].commands[commands[0].1].place,
                        commands,
                        branches: None,
                    }),
            );
        }
        Ok(offers)
    }

    /// Notes that a location is entered with some values of the clocks.
    fn enter(&mut self, at: usize, entered: Zone) -> Result<(), Trouble> {
        let found = &self.found[at];
        if !entered.is_within(&found.invariant) {
            let message = "a command leads to where an invariant does not hold";
            return Err(Trouble::Unsupported(self.described(message, &found.state)));
        }
        let mut zone = entered;
        if !found.urgent {
            zone.delay();
        }
        let Some(mut zone) = zone.meet(&found.invariant) else {
            return Ok(());
        };
        Extrapolation::M.apply(&mut zone, &self.constants);
        let found = &mut self.found[at];
        // Extrapolation forgets bounds of invariants that it need not know; they hold all the same.
        let Some(zone) = zone.meet(&found.invariant) else {
            return Ok(());
        };
        if !found.seen.iter().any(|known| zone.is_within(known)) {
            found.seen.retain(|known| !known.is_within(&zone));
            found.seen.push(zone.clone());
            self.waiting.push((at, zone));
        }
        Ok(())
    }

    /// Looks at what can happen in a location while its clocks are in a zone.
    fn expand(&mut self, at: usize, zone: &Zone) -> Result<(), Trouble> {
        if self.network.dead_ends == DeadEnds::StopTime {
            self.exclude_timelock(at, zone)?;
        }
        for offer in 0..self.found[at].offers.len() {
            let enabled = self.found[at].offers[offer].guards.meet(zone);
            if enabled.is_empty() {
                continue;
            }
            let branches = match &self.found[at].offers[offer].branches {
                Some(branches) => branches.clone(),
                None => {
                    let branches = Arc::new(self.branches(at, offer)?);
                    self.found[at].offers[offer].branches = Some(branches.clone());
                    branches
                }
            };
            for branch in branches.iter() {
                for zone in enabled.zones() {
                    let mut next = zone.clone();
                    for &(clock, value) in &branch.sets {
                        next.assign(clock, 0, value);
                    }
                    self.enter(branch.target, next)?;
                }
            }
        }
        Ok(())
    }

    /// A timelock: time cannot pass for ever, and no wait leads to where something else can happen.
    fn exclude_timelock(&self, at: usize, zone: &Zone) -> Result<(), Trouble> {
        let found = &self.found[at];
        let ends = (1..zone.dimension()).any(|clock| !found.invariant.bound(clock, 0).is_none());
        if !ends && !found.urgent {
            return Ok(());
        }
        let guards = found.offers.iter().flat_map(|offer| offer.guards.zones());
        let ahead: Vec<Zone> = guards
            .map(|guard| {
                let mut ahead = guard.clone();
                if !found.urgent {
                    ahead.undelay();
                }
                ahead
            })
            .collect();
        match Federation::from(zone.clone()).without(&ahead).is_empty() {
            true => Ok(()),
            false => {
                let mistake = self.network.dead_ends.mistake(self.network, &found.state);
                let Some(mut error) = mistake else {
                    return Ok(());
                };
                error.state = Some(self.shown(&found.state));
                Err(self.mistake(error))
            }
        }
    }

    /// The outcomes of commands that happen together.
    fn branches(&mut self, at: usize, offer: usize) -> Result<Vec<Branch>, Trouble> {
        let network = self.network;
        let state = self.found[at].state.clone();
        let commands = self.found[at].offers[offer].commands.clone();
        let place = self.found[at].offers[offer].place;
        let mut outcomes = vec![(Rational::ONE, state.clone(), Vec::new())];
        for (component, position) in commands {
            let command = &network.components[component].commands[position];
            let weights = self.weights(command, &state)?;
            let mut next = Vec::new();
            for (so_far, target, sets) in &outcomes {
                for (weight, branch) in weights.iter().zip(&command.branches) {
                    if !weight.is_zero() {
                        let (mut target, mut sets): (Vec<i64>, Vec<(usize, i32)>) =
                            (target.clone(), sets.clone());
                        self.assign(branch, &state, &mut target, &mut sets)?;
                        next.push((so_far * weight, target, sets));
                    }
                }
            }
            outcomes = next;
        }
        let mut branches: Vec<Branch> = Vec::new();
        for (probability, target, mut sets) in outcomes {
            sets.sort_unstable();
            let target = self.location(target)?;
            let same = |known: &&mut Branch| known.target == target && known.sets == sets;
            match branches.iter_mut().find(same) {
                Some(known) => known.probability += probability,
                None => branches.push(Branch {
                    probability,
                    target,
                    sets,
                }),
            }
        }
        if branches.is_empty() {
            let message = "all probabilities of a command are zero";
            let error = SemanticError::new(message, place, self.shown(&state));
            return Err(self.mistake(error));
        }
        Ok(branches)
    }

    /// The probabilities of a command.
    fn weights(&self, command: &entail_markov::Command, state: &[i64]) -> Result<Vec<Rational>, Trouble> {
        let wrong = |message: String, place: Span| {
            self.mistake(SemanticError::new(message, place, self.shown(state)))
        };
        let mut weights = Vec::with_capacity(command.branches.len());
        for branch in &command.branches {
            let value = self.network.eval(&branch.weight, state);
            let value = value.map_err(|error| wrong(error.to_string(), branch.place))?;
            match value.number() {
                Some(number) if number >= Rational::ZERO => weights.push(number),
                _ => return Err(wrong(format!("{value} is no probability"), branch.place)),
            }
        }
        let sum = weights.iter().fold(Rational::ZERO, |sum, weight| sum + weight);
        if !sum.is_one() {
            let off = if sum > Rational::ONE {
                &sum - Rational::ONE
            } else {
                Rational::ONE - &sum
            };
            if off > sum_tolerance() {
                let message = format!("the probabilities of this command sum to {sum}, not to 1");
                return Err(wrong(message, command.place));
            }
            weights.iter_mut().for_each(|weight| *weight /= &sum);
        }
        Ok(weights)
    }

    /// What a branch changes.
    fn assign(
        &self,
        branch: &Written,
        before: &[i64],
        after: &mut [i64],
        sets: &mut Vec<(usize, i32)>,
    ) -> Result<(), Trouble> {
        let network = self.network;
        let wrong =
            |message: String| self.mistake(SemanticError::new(message, branch.place, self.shown(before)));
        for (var, expr) in &branch.assignments {
            let value = network
                .eval(expr, before)
                .map_err(|error| wrong(error.to_string()))?;
            let clock = self.clocks.iter().position(|clock| clock == var);
            match (clock, &value) {
                (Some(clock), Value::Int(value)) if *value >= 0 && *value < LARGEST => {
                    sets.retain(|(known, _)| *known != clock + 1);
                    sets.push((clock + 1, *value as i32));
                }
                (Some(_), _) => return Err(wrong(format!("a clock is set to {value}"))),
                (None, _) => {
                    let variable = &network.variables[var.index()];
                    let stored = value.stored().filter(|stored| variable.domain.contains(*stored));
                    let Some(stored) = stored else {
                        return Err(wrong(format!(
                            "{} becomes {value}, outside of its values",
                            variable.name
                        )));
                    };
                    after[var.index()] = stored;
                }
            }
        }
        Ok(())
    }
}

/// A state without its clocks, for people.
pub(super) fn shown(timed: &Timed, state: &[i64]) -> String {
    let mut parts = Vec::new();
    for (at, (variable, value)) in timed.network.variables.iter().zip(state).enumerate() {
        if !timed.timing.clocks.contains(&VarId(at as u32)) && !variable.hidden {
            parts.push(format!("{}={value}", variable.name));
        }
    }
    parts.join(", ")
}

/// Whether the values of the clocks, multiples of a fraction of 1, lie in a zone.
pub(super) fn contains(zone: &Zone, point: &[i64], unit: i64) -> bool {
    let value = |clock: usize| if clock == 0 { 0 } else { point[clock - 1] };
    let n = zone.dimension();
    (0..n).all(|one| {
        (0..n).all(|other| {
            let bound: Bound = zone.bound(one, other);
            let difference = value(one) - value(other);
            let most = i64::from(bound.constant()) * unit;
            bound.is_none() || difference < most || (difference == most && !bound.is_strict())
        })
    })
}
