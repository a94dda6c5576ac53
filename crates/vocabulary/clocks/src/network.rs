//! A network of timed automata as data.

use crate::{Chances, ClockName, Condition, Expression, Formula, ScalarSet, Statement};
use entail_source::Span;

/// A process, by position in [`Network::processes`].
pub type ProcessId = usize;
/// A location, by position in [`Network::locations`]; every location belongs to one process.
pub type LocationId = usize;
/// An edge, by position in [`Network::edges`].
pub type EdgeId = usize;
/// An event, by position in [`Network::events`].
pub type EventId = usize;

/// A clock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clock {
    /// Its name, with the index of an array's element.
    pub name: String,
}

/// A bounded integer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Integer {
    /// Its name, with the index of an array's element.
    pub name: String,
    /// Least value.
    pub low: i64,
    /// Largest value.
    pub high: i64,
    /// First value.
    pub initial: i64,
}

/// A process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Process {
    /// Its name.
    pub name: String,
    /// Its locations.
    pub locations: Vec<LocationId>,
    /// Where it may begin.
    pub initial: Vec<LocationId>,
    /// Its priority: steps of processes with larger numbers come first.
    pub priority: i32,
}

/// A channel over which edges of two or more processes move together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Channel {
    /// Its name, with the index of an array's element.
    pub name: String,
    /// One sender with all receivers that can, instead of exactly one.
    pub broadcast: bool,
    /// Time does not pass while edges can move together over it.
    pub urgent: bool,
    /// Its priority: larger numbers come first; steps without a channel have [`Network::default_priority`].
    pub priority: i32,
}

/// What an edge does with a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// `c!`
    Send,
    /// `c?`
    Receive,
}

/// The channel of an edge: one, or an element of an array of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signal {
    /// The first channel.
    pub base: usize,
    /// Number of channels.
    pub size: usize,
    /// Which of them, before the step; nothing means the first.
    pub index: Option<Expression>,
    /// Whether it sends or receives.
    pub direction: Direction,
}

/// A location of a process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    /// Its name.
    pub name: String,
    /// Its process.
    pub process: ProcessId,
    /// What must hold while the process is there.
    pub invariant: Vec<Condition>,
    /// What a unit of time costs here; the rates of all processes are added. Nothing: it costs nothing.
    pub rate: Option<Expression>,
    /// Time does not pass, and a process in such a location takes part in the next step.
    pub committed: bool,
    /// Time does not pass.
    pub urgent: bool,
    /// Its labels, by position in [`Network::labels`], in ascending order.
    pub labels: Vec<usize>,
    /// Edges that leave it.
    pub outgoing: Vec<EdgeId>,
    /// Where it stands in the text.
    pub span: Span,
}

/// An edge of a process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge {
    /// Its process.
    pub process: ProcessId,
    /// From.
    pub source: LocationId,
    /// To.
    pub target: LocationId,
    /// Its event.
    pub event: EventId,
    /// Its channel, if it has one.
    pub signal: Option<Signal>,
    /// When it can be taken.
    pub guard: Vec<Condition>,
    /// What it does.
    pub action: Vec<Statement>,
    /// Whether the controller chooses when it is taken, in a game; otherwise its opponent does.
    pub controllable: bool,
    /// Where it stands in the text.
    pub span: Span,
}

/// One partner of a synchronisation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Synchroniser {
    /// The process.
    pub process: ProcessId,
    /// The event of its edge.
    pub event: EventId,
    /// Whether the others go without it when it has no such edge.
    pub weak: bool,
}

/// Processes that move together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Synchronisation {
    /// The partners, in the order in which their statements run; each process at most once.
    pub partners: Vec<Synchroniser>,
}

/// What it means when an integer gets a value beyond its range.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OutOfRange {
    /// The model is wrong.
    #[default]
    Fault,
    /// The step cannot be taken.
    Disabled,
}

/// A network of timed automata.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Network {
    /// Its name.
    pub name: String,
    /// The processes.
    pub processes: Vec<Process>,
    /// The locations of all processes.
    pub locations: Vec<Location>,
    /// The edges of all processes.
    pub edges: Vec<Edge>,
    /// Names of the events.
    pub events: Vec<String>,
    /// Names of the labels.
    pub labels: Vec<String>,
    /// The synchronisations.
    pub synchronisations: Vec<Synchronisation>,
    /// The channels.
    pub channels: Vec<Channel>,
    /// The priority of steps without a channel.
    pub default_priority: i32,
    /// The bounded integers.
    pub integers: Vec<Integer>,
    /// The clocks; clock `i + 1` is at position `i`.
    pub clocks: Vec<Clock>,
    /// Largest number of local slots that a statement uses.
    pub local_slots: usize,
    /// What an integer out of its range means.
    pub out_of_range: OutOfRange,
    /// How likely delays and steps are, for random runs.
    pub chances: Chances,
    /// The rows of a Gantt chart, where the author says what it shows.
    pub gantt: Vec<GanttRow>,
    /// Clocks that do not run at some locations.
    pub stopwatches: Vec<Stopwatch>,
    /// Values without order, as the author declares them.
    pub scalars: Vec<ScalarSet>,
}

/// `x' == e` in the invariant of a location: the clock runs there if the value is 1, and stands still if it is 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stopwatch {
    /// The location.
    pub location: LocationId,
    /// The clock.
    pub clock: ClockName,
    /// Its rate.
    pub rate: Expression,
}

/// A row of a Gantt chart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GanttRow {
    /// Its name.
    pub name: String,
    /// Conditions with colours: the first that holds in a state is drawn.
    pub bars: Vec<(Formula, Expression)>,
}

impl Network {
    /// Number of clocks with the reference clock.
    pub fn dimension(&self) -> usize {
        self.clocks.len() + 1
    }

    /// The label of a name.
    pub fn label(&self, name: &str) -> Option<usize> {
        self.labels.iter().position(|label| label == name)
    }

    /// The location of a process, by their names.
    pub fn location(&self, process: &str, location: &str) -> Option<LocationId> {
        let process = self.processes.iter().find(|one| one.name == process)?;
        let is_it = |&&id: &&LocationId| self.locations[id].name == location;
        process.locations.iter().find(is_it).copied()
    }

    /// The name of a clock; the reference clock is `0`.
    pub fn clock_name(&self, clock: usize) -> &str {
        match clock.checked_sub(1) {
            None => "0",
            Some(position) => &self.clocks[position].name,
        }
    }

    /// The ranges of the integers.
    pub fn ranges(&self) -> Vec<(i64, i64)> {
        self.integers.iter().map(|one| (one.low, one.high)).collect()
    }

    /// Whether the controller chooses when a joint edge is taken: it does if all edges are its own.
    pub fn is_controllable(&self, joint: &[EdgeId]) -> bool {
        joint.iter().all(|&edge| self.edges[edge].controllable)
    }

    /// Whether anything costs anything.
    pub fn has_costs(&self) -> bool {
        let costs = |edge: &Edge| edge.action.iter().any(Statement::costs);
        self.locations.iter().any(|location| location.rate.is_some()) || self.edges.iter().any(costs)
    }

    /// Whether some cost is negative, whatever the integers are.
    pub fn has_negative_costs(&self) -> bool {
        let ranges = self.ranges();
        let rate = |location: &Location| {
            let rate = location.rate.as_ref();
            rate.is_some_and(|rate| rate.range(&ranges).1 < 0)
        };
        let costs = |edge: &Edge| edge.action.iter().any(|one| one.costs_less_than_nothing(&ranges));
        self.locations.iter().any(rate) || self.edges.iter().any(costs)
    }

    /// Whether steps have priorities.
    pub fn has_priorities(&self) -> bool {
        let first = self.processes.first().map_or(0, |one| one.priority);
        (self.channels.iter()).any(|channel| channel.priority != self.default_priority)
            || self.processes.iter().any(|process| process.priority != first)
    }

    /// Whether all positions are in range: what readers owe.
    pub fn check(&self) -> Result<(), String> {
        let is_location = |id: LocationId, process: ProcessId| {
            (self.locations.get(id)).is_some_and(|location| location.process == process)
        };
        for (number, process) in self.processes.iter().enumerate() {
            if !(process.locations.iter().chain(&process.initial)).all(|&id| is_location(id, number)) {
                return Err(format!("process {}: a location is not its own", process.name));
            }
        }
        for edge in &self.edges {
            if !is_location(edge.source, edge.process) || !is_location(edge.target, edge.process) {
                return Err("an edge leads to another process".to_owned());
            }
            if let Some(signal) = &edge.signal
                && (signal.size == 0 || signal.base + signal.size > self.channels.len())
            {
                return Err("an edge has an unknown channel".to_owned());
            }
        }
        let known = |one: &Synchroniser| one.process < self.processes.len() && one.event < self.events.len();
        match (self.synchronisations.iter()).all(|one| one.partners.iter().all(known)) {
            true => Ok(()),
            false => Err("a synchronisation names an unknown process or event".to_owned()),
        }
    }
}
