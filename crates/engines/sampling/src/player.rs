//! A random run, step by step (UPPAAL SMC's semantics).
//!
//! Each process that can do something on its own draws a moment: uniformly between the earliest at which one of its outputs is open and the last that its invariant allows, or, where that allows any, the
//! earliest plus an exponential time. The one that is first moves, by one of its open outputs; receivers follow. After each step all draw anew, which is the same as going on with what they drew, as
//! long as their states do not change. Where time stops, in urgent and committed locations or because something can be sent over an urgent channel, those concerned move at once.
//!
//! An output whose target violates an invariant is no step: it is drawn again among the others. A process that finds no output open at its moment does nothing; all draw again.
//!
//! What the documentation demands of models is noticed where it is violated in a run: a location that needs a rate and has none, a sender over a channel of two that nobody receives, time that cannot pass
//! although nobody can move, infinitely many steps at once.

use crate::Stop;
use crate::instant::{LONGEST, NEVER, Ticks, from_units, ticks};
use crate::stage::{Place, Rate, Stage, Ways};
use crate::state::{Bound, Course, State};
use entail_clocks::discrete::ClockUpdate;
use entail_clocks::discrete::MOST_CONSTANT;
use entail_clocks::{Comparison, Condition, EdgeId, Fault, LocationId, ProcessId};
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use std::cmp::Ordering;

/// Steps at one moment, and attempts in a row that lead to none, at most.
const MOST_AT_ONCE: u32 = 100_000;

/// What happens next.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Turn {
    /// Somebody moves at once.
    Now,
    /// This process moves after this wait.
    After(Ticks, ProcessId),
    /// Something can be sent over an urgent channel after this wait, and not before.
    Until(Ticks),
    /// Nobody ever moves; time may pass so long.
    Nobody(Ticks),
}

/// A random run.
pub(crate) struct Player<'s> {
    stage: &'s Stage<'s>,
    initial: State,
    pub state: State,
    random: SmallRng,
    /// The edges of the last step.
    pub joint: Vec<EdgeId>,
    /// Steps and attempts since time last passed.
    at_once: u32,
    /// Steps of all runs.
    pub steps: u64,
    updates: Vec<ClockUpdate>,
    ready: Vec<usize>,
    before: State,
}

impl<'s> Player<'s> {
    pub fn new(stage: &'s Stage<'s>) -> Result<Player<'s>, Stop> {
        let network = stage.network;
        let starts = network.initial();
        let [start] = starts.as_slice() else {
            return Err(Stop::Unknown("random runs need one initial state".to_owned()));
        };
        let initial = State {
            locations: start.locations.clone(),
            slots: start.integers.clone(),
            now: 0,
            zero: vec![0; network.dimension()],
            stopped: Vec::new(),
            rates: match network.reals {
                Some(_) => vec![1.0; network.dimension()],
                None => Vec::new(),
            },
        };
        let mut player = Player {
            stage,
            state: initial.clone(),
            initial,
            random: SmallRng::seed_from_u64(0),
            joint: Vec::new(),
            at_once: 0,
            steps: 0,
            updates: Vec::new(),
            ready: Vec::new(),
            before: State::default(),
        };
        player.stop_clocks()?;
        player.initial.stopped.clone_from(&player.state.stopped);
        player.initial.rates.clone_from(&player.state.rates);
        match player.meets_invariants()? {
            true => Ok(player),
            false => Err(Stop::Unknown(
                "the initial state violates an invariant".to_owned(),
            )),
        }
    }

    /// Begins the run of a number.
    pub fn restart(&mut self, seed: u64, run: u64) {
        self.state.clone_from(&self.initial);
        self.at_once = 0;
        // Neighbouring numbers are spread by the generator's own seeding.
        let mixed = (seed ^ run.rotate_left(32)).wrapping_add(run.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        self.random = SmallRng::seed_from_u64(mixed);
        if let Some(reals) = &self.stage.network.reals {
            // Apart from the numbers of the run itself, which stay what they are without it.
            self.state.slots[reals.generator] = (mixed.rotate_left(17) ^ 0x6a09_e667_f3bc_c908).cast_signed();
        }
    }

    fn told(&self, fault: Fault, location: LocationId) -> Stop {
        Stop::code(fault, self.stage.network.locations[location].span, &[])
    }

    fn process_name(&self, process: ProcessId) -> String {
        let network = self.stage.network;
        format!(
            "{}.{}",
            network.processes[process].name, network.locations[self.state.locations[process]].name
        )
    }

    /// The waits after which conditions hold: from the first to the second; nothing if there are none.
    fn window(&mut self, conditions: &[Condition]) -> Result<Option<(Ticks, Ticks)>, Fault> {
        let mut waits = (0, NEVER);
        let open = self.narrow(conditions, &mut waits)? && waits.0 <= waits.1;
        Ok(open.then_some(waits))
    }

    /// Leaves of some waits those after which conditions hold; false if there are none.
    fn narrow(&self, conditions: &[Condition], waits: &mut (Ticks, Ticks)) -> Result<bool, Fault> {
        for condition in conditions {
            match condition {
                Condition::Integer(expression) => {
                    if expression.value(&self.state.slots)? == 0 {
                        return Ok(false);
                    }
                }
                Condition::When(expression, inner) => {
                    if expression.value(&self.state.slots)? != 0 && !self.narrow(inner, waits)? {
                        return Ok(false);
                    }
                }
                Condition::Clock {
                    left,
                    right,
                    comparison,
                    bound,
                } => {
                    let slots = &self.state.slots;
                    let (left, right) = (left.clock(slots)?, right.clock(slots)?);
                    let bound = Bound::of(bound, slots)?;
                    if !self.compared((left, right), *comparison, bound, waits)? {
                        return Ok(false);
                    }
                }
            }
        }
        Ok(true)
    }

    /// Leaves the waits after which a difference of clocks compares so with a bound; false if there are none.
    fn compared(
        &self,
        (left, right): (usize, usize),
        comparison: Comparison,
        bound: Bound,
        waits: &mut (Ticks, Ticks),
    ) -> Result<bool, Fault> {
        if let Bound::Whole(number) = bound
            && number.abs() >= MOST_CONSTANT
        {
            return Err(Fault::LargeConstant(number));
        }
        let below = |pair: (usize, usize), bound: Bound, strict: bool, waits: &mut (Ticks, Ticks)| {
            let later = Ticks::from(strict);
            match self.state.course(self.stage.network, pair.0, pair.1, bound) {
                Course::Grows(wait) => waits.1 = waits.1.min(wait - later),
                Course::Falls(wait) => waits.0 = waits.0.max(wait + later),
                Course::Stays(Ordering::Less) => {}
                Course::Stays(Ordering::Equal) => return !strict,
                Course::Stays(Ordering::Greater) => return false,
            }
            true
        };
        let (pair, turned, opposite) = ((left, right), (right, left), bound.negated());
        Ok(match comparison {
            Comparison::Less => below(pair, bound, true, waits),
            Comparison::LessEqual => below(pair, bound, false, waits),
            Comparison::Greater => below(turned, opposite, true, waits),
            Comparison::GreaterEqual => below(turned, opposite, false, waits),
            // Readers never make the last kind: the complement of a point is no conjunction.
            Comparison::Equal | Comparison::Different => {
                below(pair, bound, false, waits) && below(turned, opposite, false, waits)
            }
        })
    }

    fn is_open(&mut self, conditions: &[Condition]) -> Result<bool, Fault> {
        Ok(self.window(conditions)?.is_some_and(|(first, _)| first == 0))
    }

    fn meets_invariants(&mut self) -> Result<bool, Stop> {
        let stage = self.stage;
        for process in 0..self.state.locations.len() {
            let location = self.state.locations[process];
            if stage.places[location].has_invariant {
                let invariant = &stage.network.locations[location].invariant;
                let open = self.is_open(invariant);
                if !open.map_err(|fault| self.told(fault, location))? {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// Finds out which clocks stand still.
    fn stop_clocks(&mut self) -> Result<(), Stop> {
        let network = self.stage.network;
        self.state.stopped.clear();
        self.state.rates.fill(1.0);
        for one in &network.stopwatches {
            let process = network.locations[one.location].process;
            if self.state.locations[process] != one.location {
                continue;
            }
            if let Some(reals) = &network.reals {
                let told = |fault| Stop::code(fault, network.locations[one.location].span, &[]);
                let clock = one.clock.clock(&self.state.slots).map_err(told)?;
                if reals.flowing[clock - 1] {
                    let rate = one.rate.number(&self.state.slots).map_err(told)?;
                    if !rate.is_finite() {
                        let name = network.clock_name(clock);
                        return Err(Stop::Unknown(format!("the clock {name} runs at the rate {rate}")));
                    }
                    self.state.rates[clock] = rate;
                    continue;
                }
            }
            let read = || -> Result<Option<usize>, Fault> {
                match one.rate.value(&self.state.slots)? {
                    0 => one.clock.clock(&self.state.slots).map(Some),
                    1 => Ok(None),
                    rate => Err(Fault::Rate(rate)),
                }
            };
            let stopped = read().map_err(|fault| self.told(fault, one.location))?;
            self.state.stopped.extend(stopped);
        }
        self.state.stopped.sort_unstable();
        self.state.stopped.dedup();
        Ok(())
    }

    /// Whether some process is in a committed location.
    fn is_committed(&self) -> bool {
        let is = |&location: &LocationId| self.stage.places[location].committed;
        self.stage.has_committed && self.state.locations.iter().any(is)
    }

    /// Whether a process has something to send over an urgent channel that can be sent now.
    fn must_send(&mut self, process: ProcessId) -> Result<bool, Stop> {
        let stage = self.stage;
        let place = &stage.places[self.state.locations[process]];
        if !place.sends_urgently {
            return Ok(false);
        }
        for ways in &place.outputs {
            let edge = ways.edges[0];
            let told = |fault| Stop::code(fault, stage.network.edges[edge].span, &[edge]);
            if stage.network.edges[edge].signal.is_none()
                || !self.is_open(ways.guard(stage.network)).map_err(told)?
            {
                continue;
            }
            let channel = self.channel(edge)?;
            let of = &stage.network.channels[channel];
            if of.urgent && (of.broadcast || !self.receivers(process, channel)?.is_empty()) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// What happens next.
    pub fn turn(&mut self) -> Result<Turn, Stop> {
        let stage = self.stage;
        if stage.has_stops {
            for process in 0..self.state.locations.len() {
                if stage.places[self.state.locations[process]].stops || self.must_send(process)? {
                    return Ok(Turn::Now);
                }
            }
        }
        let (mut best, mut winner, mut ties, mut limit) = (NEVER, None, 0u32, NEVER);
        let mut until = None;
        for process in 0..self.state.locations.len() {
            let location = self.state.locations[process];
            let place = &stage.places[location];
            let mut bound = NEVER;
            if place.has_invariant {
                let invariant = &stage.network.locations[location].invariant;
                let window = self.window(invariant);
                bound = window
                    .map_err(|fault| self.told(fault, location))?
                    .map_or(0, |(_, last)| last);
                limit = limit.min(bound);
            }
            let (first, urgent) = self.earliest(place, bound)?;
            if let Some(wait) = urgent
                && wait < best
            {
                (best, winner, ties) = (wait, None, 0);
                until = Some(wait);
            }
            let Some(first) = first else {
                continue;
            };
            let delay = match bound < NEVER {
                true => self.random.random_range(first..=bound),
                false => match self.exponential(process, place)? {
                    Some(delay) => (first + delay).min(NEVER - 1),
                    None => continue,
                },
            };
            if delay < best {
                (best, winner, ties) = (delay, Some(process), 1);
            } else if delay == best {
                ties += 1;
                if self.random.random_range(0..ties) == 0 {
                    winner = Some(process);
                }
            }
        }
        Ok(match winner {
            Some(process) if best <= limit => Turn::After(best, process),
            None if until == Some(best) && best <= limit => Turn::Until(best),
            _ => Turn::Nobody(limit),
        })
    }

    /// The earliest moment up to a bound at which a process can do something on its own; and the earliest, but now, at which it has to, because it can send over an urgent broadcast channel.
    fn earliest(&mut self, place: &Place, bound: Ticks) -> Result<(Option<Ticks>, Option<Ticks>), Stop> {
        let network = self.stage.network;
        let (mut earliest, mut urgent) = (None, None);
        for ways in &place.outputs {
            let edge = ways.edges[0];
            let window = self.window(ways.guard(network));
            let window = window.map_err(|fault| Stop::code(fault, network.edges[edge].span, &[edge]))?;
            let Some((first, _)) = window.filter(|&(first, _)| first <= bound) else {
                continue;
            };
            // What can be sent urgently is sent at once; here it waits for its receiver.
            if place.sends_urgently && network.edges[edge].signal.is_some() {
                let channel = self.channel(edge)?;
                if network.channels[channel].urgent {
                    if network.channels[channel].broadcast && first > 0 {
                        urgent = Some(urgent.map_or(first, |known: Ticks| known.min(first)));
                    }
                    continue;
                }
            }
            earliest = Some(earliest.map_or(first, |known: Ticks| known.min(first)));
        }
        Ok((earliest, urgent))
    }

    /// An exponential time; nothing where the rate is 0, so that the process stays for ever.
    fn exponential(&mut self, process: ProcessId, place: &Place) -> Result<Option<Ticks>, Stop> {
        let rate = match &place.rate {
            Rate::Fixed(rate) => *rate,
            Rate::Computed(ratio) => {
                let location = self.state.locations[process];
                (ratio.value(&self.state.slots)).map_err(|fault| self.told(fault, location))?
            }
            Rate::Missing => {
                return Err(Stop::Unknown(format!(
                    "{} has neither an invariant that bounds the time nor a rate of exponential",
                    self.process_name(process)
                )));
            }
        };
        if rate > 0.0 && rate.is_finite() {
            let delay = -(1.0 - self.random.random::<f64>()).ln() / rate;
            return Ok(Some(from_units(delay)));
        }
        match rate == 0.0 {
            true => Ok(None),
            false => Err(Stop::Unknown(format!(
                "{} is left at the rate {rate}",
                self.process_name(process)
            ))),
        }
    }

    /// Lets time pass.
    pub fn wait(&mut self, delay: Ticks) -> Result<(), Stop> {
        if delay > 0 {
            self.state.run(self.stage.network, delay);
            self.at_once = 0;
            if self.state.now > LONGEST {
                return Err(Stop::Unknown(
                    "a run takes more than 67108864 units of time".to_owned(),
                ));
            }
        }
        Ok(())
    }

    /// Lets a process move, or somebody who must; false if it finds nothing to do.
    pub fn step(&mut self, turn: Turn) -> Result<bool, Stop> {
        self.at_once += 1;
        if self.at_once > MOST_AT_ONCE {
            return Err(Stop::Unknown(format!(
                "{MOST_AT_ONCE} steps, or attempts at one, happen at the same moment"
            )));
        }
        match turn {
            Turn::After(_, process) => self.move_of(process),
            Turn::Nobody(_) | Turn::Until(_) => Ok(false),
            Turn::Now => {
                let committed = self.is_committed();
                let mut urgent = Vec::new();
                let mut others = Vec::new();
                for process in 0..self.state.locations.len() {
                    let place = &self.stage.places[self.state.locations[process]];
                    let is_concerned = match committed {
                        true => place.committed,
                        false => place.stops || self.must_send(process)?,
                    };
                    if is_concerned { &mut urgent } else { &mut others }.push(process);
                }
                for mut list in [urgent, others] {
                    while !list.is_empty() {
                        let pick = self.random.random_range(0..list.len());
                        if self.move_of(list.swap_remove(pick))? {
                            return Ok(true);
                        }
                    }
                }
                Err(self.stuck())
            }
        }
    }

    /// Time cannot pass, and nobody can move.
    pub fn stuck(&self) -> Stop {
        let names: Vec<String> = (0..self.state.locations.len())
            .map(|process| self.process_name(process))
            .collect();
        Stop::Unknown(format!(
            "time cannot pass, and nobody can move, in {}",
            names.join(", ")
        ))
    }

    /// Lets a process move by one of its open outputs.
    fn move_of(&mut self, process: ProcessId) -> Result<bool, Stop> {
        let stage = self.stage;
        let place = &stage.places[self.state.locations[process]];
        let mut ready = std::mem::take(&mut self.ready);
        ready.clear();
        for (number, ways) in place.outputs.iter().enumerate() {
            let edge = ways.edges[0];
            let open = self.is_open(ways.guard(stage.network));
            if open.map_err(|fault| Stop::code(fault, stage.network.edges[edge].span, &[edge]))? {
                ready.push(number);
            }
        }
        let mut moved = Ok(false);
        while !ready.is_empty() && matches!(moved, Ok(false)) {
            let pick = self.random.random_range(0..ready.len());
            moved = self.take(process, &place.outputs[ready.swap_remove(pick)]);
        }
        self.ready = ready;
        moved
    }

    /// The channel of an edge.
    fn channel(&self, edge: EdgeId) -> Result<usize, Stop> {
        let one = &self.stage.network.edges[edge];
        let told = |fault| Stop::code(fault, one.span, &[edge]);
        let Some(signal) = &one.signal else {
            return Err(Stop::Unknown("an edge without a channel sends".to_owned()));
        };
        let index = match &signal.index {
            None => 0,
            Some(index) => index.value(&self.state.slots).map_err(told)?,
        };
        match usize::try_from(index) {
            Ok(index) if index < signal.size => Ok(signal.base + index),
            _ => Err(told(Fault::Index {
                index,
                size: signal.size,
            })),
        }
    }

    /// The open inputs of all other processes over a channel.
    fn receivers(&mut self, sender: ProcessId, channel: usize) -> Result<Vec<(ProcessId, &'s Ways)>, Stop> {
        let stage: &'s Stage<'s> = self.stage;
        let mut found = Vec::new();
        for process in 0..self.state.locations.len() {
            if process == sender {
                continue;
            }
            for ways in &stage.places[self.state.locations[process]].inputs {
                let edge = ways.edges[0];
                let told = |fault| Stop::code(fault, stage.network.edges[edge].span, &[edge]);
                let signal = &stage.network.edges[edge].signal;
                let may_be = signal
                    .as_ref()
                    .is_some_and(|signal| (signal.base..signal.base + signal.size).contains(&channel));
                // As everywhere, the guard is looked at before the index.
                if may_be
                    && self.is_open(ways.guard(stage.network)).map_err(told)?
                    && self.channel(edge)? == channel
                {
                    found.push((process, ways));
                }
            }
        }
        Ok(found)
    }

    /// Takes an output with its receivers; false if that is no step.
    fn take(&mut self, process: ProcessId, output: &Ways) -> Result<bool, Stop> {
        let stage = self.stage;
        let network = stage.network;
        let committed = self.is_committed();
        let mut has_branches = output.is_open();
        self.joint.clear();
        let first = output.draw(network, &self.state.slots, &mut self.random)?;
        self.joint.push(first);
        if network.edges[first].signal.is_some() {
            let channel = self.channel(first)?;
            let mut receivers = self.receivers(process, channel)?;
            let of = &network.channels[channel];
            if !of.broadcast {
                if receivers.is_empty() {
                    return match of.urgent {
                        true => Ok(false),
                        false => Err(Stop::Unknown(format!(
                            "{} sends over {}, and nobody can receive: in random runs receivers must always be ready, or the channel be a broadcast one",
                            self.process_name(process),
                            of.name
                        ))),
                    };
                }
                if committed && !stage.places[self.state.locations[process]].committed {
                    receivers.retain(|(other, _)| stage.places[self.state.locations[*other]].committed);
                }
                if receivers.is_empty() {
                    return Ok(false);
                }
                let pick = self.random.random_range(0..receivers.len());
                receivers = vec![receivers[pick]];
            }
            let mut at = 0;
            while at < receivers.len() {
                let own = receivers[at..]
                    .iter()
                    .take_while(|(other, _)| *other == receivers[at].0);
                let count = own.count();
                let pick = match count {
                    1 => at,
                    _ => at + self.random.random_range(0..count),
                };
                let ways = receivers[pick].1;
                has_branches |= ways.is_open();
                let edge = ways.draw(network, &self.state.slots, &mut self.random)?;
                self.joint.push(edge);
                at += count;
            }
        }
        let is_committed = |&edge: &EdgeId| stage.places[network.edges[edge].source].committed;
        if committed && !self.joint.iter().any(is_committed) {
            return Ok(false);
        }
        self.act(has_branches)
    }

    /// Runs the actions of the edges; false, and nothing has changed, if that leads out of an invariant.
    fn act(&mut self, has_branches: bool) -> Result<bool, Stop> {
        let network = self.stage.network;
        self.before.clone_from(&self.state);
        self.updates.clear();
        self.state.mirror(network);
        let state = &mut self.state;
        let done = network.act_in_place(
            &self.joint,
            &mut state.locations,
            &mut state.slots,
            &mut self.updates,
            &mut 0,
        );
        let mut stands = done.map_err(|trouble| Stop::Model(trouble, self.joint.clone()))?;
        for update in &self.updates {
            // Clocks that flow have their values in their mirrors.
            if let Some(reals) = &network.reals
                && (reals.flowing[update.target - 1] || update.source > 0 && reals.flowing[update.source - 1])
            {
                continue;
            }
            let zero = state.zero[update.source] - ticks(update.offset);
            if zero > state.now {
                return Err(Stop::code(
                    Fault::NegativeClock,
                    network.edges[self.joint[0]].span,
                    &self.joint,
                ));
            }
            state.zero[update.target] = zero;
        }
        if stands && !network.stopwatches.is_empty() {
            self.stop_clocks()?;
        }
        stands = stands && self.meets_invariants()?;
        if !stands {
            std::mem::swap(&mut self.state, &mut self.before);
            if has_branches {
                let process = network.edges[self.joint[0]].process;
                return Err(Stop::Unknown(format!(
                    "a way through a branch point of {} leads out of an invariant",
                    self.process_name(process)
                )));
            }
            return Ok(false);
        }
        self.steps += 1;
        Ok(true)
    }
}
