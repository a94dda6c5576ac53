//! Questions about single runs: linear temporal logic, also with intervals of time (MITL), and the automata that read runs.
//!
//! **What a run is read as.** A run is the sequence of the discrete states that it enters, each with the time at which it does: a timed word (the *pointwise* semantics of MITL). `X p` speaks of the next of them;
//! `p U[a,b] q` holds at a position if `q` holds at it or a later one that is entered between `a` and `b` units of time after it, and `p` at all positions from it until then. Between two positions nothing is looked at: what holds there
//! has held since the earlier of them. A run that ends, because it waits for ever or no step is possible any more, is read as if it entered its last state again and again at the moment at which it entered it; without `X`, that is
//! the same as a finite word.
//!
//! **How it is read.** An [`Observer`] is an automaton with clocks that reads each state when it is entered, and accepts what violates a formula. It stands beside the processes of a network as one more ([`Linear::observed`]), whose edges are taken with
//! each step of the others and never alone; that they are is not said by the network, but by those who know the question.

use crate::branching::Interval;
use crate::{
    Clock, ClockName, Comparison, Condition, Edge, EdgeId, Expression, Formula, Location, LocationId,
    Network, Process, Statement,
};
use entail_source::Span;

/// A formula about a run, over the conditions of a [`Linear`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Temporal {
    /// True or false.
    Constant(bool),
    /// A condition on states, by number.
    Condition(usize),
    /// The opposite.
    Not(Box<Temporal>),
    /// All of them.
    And(Vec<Temporal>),
    /// One of them.
    Or(Vec<Temporal>),
    /// In the next state.
    Next(Box<Temporal>),
    /// The second in some state within the interval, and the first in all states from here until then.
    Until(Box<Temporal>, Box<Temporal>, Interval),
}

impl Temporal {
    /// The opposite.
    pub fn negated(self) -> Temporal {
        match self {
            Temporal::Not(inner) => *inner,
            Temporal::Constant(truth) => Temporal::Constant(!truth),
            other => Temporal::Not(Box::new(other)),
        }
    }

    /// `p U q`, within an interval.
    pub fn until(self, to: Temporal, interval: Interval) -> Temporal {
        Temporal::Until(Box::new(self), Box::new(to), interval)
    }

    /// `F p`, within an interval.
    pub fn finally(self, interval: Interval) -> Temporal {
        Temporal::Constant(true).until(self, interval)
    }

    /// `G p`, within an interval.
    pub fn globally(self, interval: Interval) -> Temporal {
        self.negated().finally(interval).negated()
    }

    /// `p R q`, within an interval: the second in every state within it up to the first in which the first holds.
    pub fn release(self, to: Temporal, interval: Interval) -> Temporal {
        self.negated().until(to.negated(), interval).negated()
    }
}

/// Which runs count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Runs {
    /// All maximal ones: with infinitely many steps, however little time they take; or with an end, from which no step is possible however long the network waits, or where it waits for ever.
    #[default]
    Maximal,
    /// Those in which time diverges: with infinitely many steps that take more than any time, or waiting for ever in the end.
    Divergent,
    /// Those of infinitely many steps that take more than any time.
    DivergentSteps,
}

/// A comparison of a clock of an observer, by its number among these.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ClockTest {
    /// The clock.
    pub clock: usize,
    /// Whether it is compared from below (`clock > bound`), or from above.
    pub from_below: bool,
    /// The bound.
    pub bound: i64,
    /// Whether equality is excluded.
    pub strict: bool,
}

impl ClockTest {
    /// Whether a value of the clock passes, given how it compares with the bound.
    pub fn is_passed(&self, ordering: std::cmp::Ordering) -> bool {
        match ordering {
            std::cmp::Ordering::Equal => !self.strict,
            std::cmp::Ordering::Less => !self.from_below,
            std::cmp::Ordering::Greater => self.from_below,
        }
    }
}

/// Conditions with the truth they must have.
pub type Literals = Vec<(usize, bool)>;

/// How an observer reads a state.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ObserverEdge {
    /// Its number among all edges of the observer.
    pub number: usize,
    /// What must hold in the state.
    pub literals: Literals,
    /// What must hold of the observer's clocks when the state is entered.
    pub guard: Vec<ClockTest>,
    /// The clocks that are set to 0 then.
    pub resets: Vec<usize>,
    /// Where it leads.
    pub target: usize,
}

/// A state of an observer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ObserverState {
    /// How it reads the next state.
    pub edges: Vec<ObserverEdge>,
    /// The marks it has.
    pub marks: u64,
    /// What must hold in the last state of a run that may end here: one of these.
    pub ends: Vec<Literals>,
}

/// An automaton that reads runs. It accepts a run that meets each mark again and again, or ends where it may.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Observer {
    /// The states; the first has read nothing.
    pub states: Vec<ObserverState>,
    /// Number of clocks.
    pub clocks: usize,
    /// Number of marks.
    pub marks: u32,
    /// Number of edges.
    pub edges: usize,
}

/// A question about single runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Linear {
    /// Conditions on states, without clocks.
    pub conditions: Vec<Formula>,
    /// What every run is to satisfy.
    pub formula: Temporal,
    /// Whether the question is rather if some run does not.
    pub wanted: bool,
    /// Which runs count.
    pub runs: Runs,
    /// What reads runs, and accepts those that do not satisfy the formula. Whoever judges makes it anew.
    pub observer: Observer,
}

impl Linear {
    /// A network with the observer beside it. Its edges are the last ones, in the order of their numbers; no location lists them among those that leave it.
    pub fn observed(&self, network: &Network) -> Network {
        let observer = &self.observer;
        let mut network = network.clone();
        let first_clock = network.clocks.len() + 1;
        let (process, first) = (network.processes.len(), network.locations.len());
        for number in 1..=observer.clocks {
            let name = format!("observer clock {number}");
            network.clocks.push(Clock { name });
        }
        let event = network.events.len();
        network.events.push("observe".to_owned());
        for (number, state) in observer.states.iter().enumerate() {
            network.locations.push(Location {
                name: number.to_string(),
                process,
                invariant: Vec::new(),
                rate: None,
                committed: false,
                urgent: false,
                labels: Vec::new(),
                outgoing: Vec::new(),
                span: Span::default(),
            });
            for edge in &state.edges {
                let guard = edge.guard.iter().map(|test| Condition::Clock {
                    left: ClockName::one(first_clock + test.clock),
                    right: ClockName::one(0),
                    comparison: match (test.from_below, test.strict) {
                        (true, true) => Comparison::Greater,
                        (true, false) => Comparison::GreaterEqual,
                        (false, true) => Comparison::Less,
                        (false, false) => Comparison::LessEqual,
                    },
                    bound: Expression::Constant(test.bound),
                });
                let action = edge.resets.iter().map(|clock| Statement::Clock {
                    target: ClockName::one(first_clock + clock),
                    source: ClockName::one(0),
                    offset: Expression::Constant(0),
                    span: Span::default(),
                });
                network.edges.push(Edge {
                    process,
                    source: first + number,
                    target: first + edge.target,
                    event,
                    signal: None,
                    guard: guard.collect(),
                    action: action.collect(),
                    controllable: true,
                    span: Span::default(),
                });
            }
        }
        network.processes.push(Process {
            name: "observer".to_owned(),
            locations: (first..network.locations.len()).collect(),
            initial: vec![first],
            priority: network.processes.first().map_or(0, |one| one.priority),
        });
        network
    }

    /// The state of the observer that a location of the observed network stands for.
    pub fn state(&self, observed: &Network, location: LocationId) -> Option<&ObserverState> {
        let first = observed.locations.len().checked_sub(self.observer.states.len())?;
        self.observer.states.get(location.checked_sub(first)?)
    }

    /// The edge of the observed network that an edge of the observer is.
    pub fn edge(&self, observed: &Network, edge: &ObserverEdge) -> EdgeId {
        observed.edges.len().saturating_sub(self.observer.edges) + edge.number
    }
}
