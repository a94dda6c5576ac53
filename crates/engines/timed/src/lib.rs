//! Timed automata on zones.
//!
//! **Here:** [`Engine`], which decides queries about a network: what is reachable by a covering search ([`cover_search`]), also in local time (`local_time`) or with a table of bits (`bitstate`), what can be met again and again, also by an automaton beside the network (`observe`), by strongly connected
//! components (`repeat`), what maximal runs can avoid by the same on parts of a condition (`stay`), extreme values (`extreme`), least costs (`cheapest`), also per unit of time in the long run (`long_run`), whether accumulated weights stay within bounds (`energy`), games (`game`), also against time (`soonest`), what a strategy leaves (`under`), nested questions (`branching`); the constants that clocks are still compared with ([`constants`]); symbolic successors ([`space`]); concrete runs along symbolic ones ([`concrete`]).
//!
//! **Not here:** what a network means (`entail-clocks`), the zones (`entail-zones`), judging the evidence.
//!
//! **What a caller may rely on:** a run is exact and was not replayed here; a cover lists its constants and zones in full; with a spent budget the answer is unknown.

mod automorphism;
mod bitstate;
mod branching;
mod cells;
mod cheapest;
mod components;
pub mod concrete;
pub mod constants;
mod corner_graph;
mod corners;
pub mod cover_search;
mod cover_together;
mod covering_graph;
pub mod cycle;
mod deadlock;
mod depth_first;
mod energy;
mod extreme;
pub mod facts;
mod game;
mod groups;
mod inexact;
mod kept;
mod keys;
mod local_time;
mod long_run;
mod observe;
mod predecessor;
pub mod relation;
mod repeat;
mod settings;
mod shapes;
mod share;
mod soonest;
pub mod space;
mod stay;
mod stopwatch;
mod symmetric;
mod symmetry;
mod under;
mod waiting;
pub mod zone_store;

pub use settings::{Attempts, Bounds, Covering, Order, Settings, Storage, Time};

use constants::Constants;
use entail_answer::{Answer, Figure, Guarantee, Quantity, Verdict};
use entail_budget::Budget;
use entail_clocks::discrete::{Discrete, Trouble};
use entail_clocks::evidence::{Extreme, Proof, Run, Strategy};
use entail_clocks::{Fault, Network, Query, Rational};
use space::Space;

/// A mistake of the model that was met on the way, with the joint edges that lead to it; the last of them is the one that goes wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelTrouble {
    /// What is wrong, and where.
    pub trouble: Trouble,
    /// How to get there; nothing where the path has no run of its own.
    pub run: Option<Run>,
    /// The joint edge that goes wrong after the run.
    pub edges: Vec<usize>,
}

/// Why a search ended without an answer.
#[derive(Clone, Debug)]
pub enum Stop {
    /// Time or memory is spent, or the question is beyond this engine.
    Unknown(String),
    /// Nothing was found in this share of the states.
    Partial {
        /// An estimate, between 0 and 1.
        coverage: f64,
    },
    /// The model has no meaning.
    Model(Box<ModelTrouble>),
}

impl Stop {
    /// A cost is negative, of a step or of time, in a question that does not allow it.
    fn negative_cost(network: &Network, at: &Discrete, edges: Option<&[usize]>, cost: i64) -> Stop {
        let location = |&&id: &&usize| network.locations[id].rate.is_some();
        let span = match edges.and_then(|edges| edges.first()) {
            Some(&edge) => network.edges[edge].span,
            None => at
                .locations
                .iter()
                .find(location)
                .map_or_else(Default::default, |&id| network.locations[id].span),
        };
        let fault = Fault::Cost(cost);
        Stop::at_start(Trouble { fault, span })
    }

    /// Something goes wrong in an initial state.
    fn at_start(trouble: Trouble) -> Stop {
        Stop::Model(Box::new(ModelTrouble {
            trouble,
            run: None,
            edges: Vec::new(),
        }))
    }
}

impl From<entail_budget::Spent> for Stop {
    fn from(spent: entail_budget::Spent) -> Stop {
        Stop::Unknown(spent.to_string())
    }
}

/// What searches count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Symbolic states that were expanded.
    pub visited: u64,
    /// Symbolic states that are stored in the end.
    pub stored: u64,
    /// Symbolic steps that were computed.
    pub steps: u64,
    /// Discrete states that threads with spaces of their own have met.
    pub elsewhere: u64,
}

/// The value that evidence is about, and what is to be said about it.
fn value_of(extreme: &Extreme) -> (Option<Quantity>, Option<String>) {
    match (extreme.value, &extreme.run) {
        (Some(value), _) => {
            let remark = (!extreme.attained).then(|| "it is approached, and no state has it".to_owned());
            (Some(Quantity::Exact(Rational::from(value))), remark)
        }
        (None, Some(_)) => (Some(Quantity::Infinite), None),
        (None, None) => {
            let remark = "no reachable state satisfies the condition".to_owned();
            (Some(Quantity::Undefined), Some(remark))
        }
    }
}

/// Decides queries about a network.
#[derive(Debug)]
pub struct Engine<'n> {
    network: &'n Network,
    settings: Settings,
}

impl<'n> Engine<'n> {
    /// An engine for a network.
    pub fn new(network: &'n Network, settings: Settings) -> Engine<'n> {
        Engine { network, settings }
    }

    /// Decides a query.
    pub fn check(&self, query: &Query, budget: &Budget) -> Result<Answer<Proof>, Box<ModelTrouble>> {
        match query {
            Query::Under { game, question } => {
                let solved = self.strategy(game, budget)?;
                match &solved.evidence {
                    Some(Proof::Strategy { strategy }) => self.under((game, question), strategy, budget),
                    Some(_) => Ok(Answer::unknown(
                        "the controller does not win the game: there is no strategy",
                    )),
                    None => Ok(solved),
                }
            }
            _ => self.decide(query, false, budget),
        }
    }

    /// Solves a game for a strategy that is played afterwards: one that only has to avoid something is as permissive as possible.
    pub fn strategy(&self, game: &Query, budget: &Budget) -> Result<Answer<Proof>, Box<ModelTrouble>> {
        self.decide(game, true, budget)
    }

    /// Decides a question about what a strategy for a game leaves of the network.
    pub fn under(
        &self,
        (game, question): (&Query, &Query),
        strategy: &Strategy,
        budget: &Budget,
    ) -> Result<Answer<Proof>, Box<ModelTrouble>> {
        let mut counters = Counters::default();
        let asked = (game, question);
        let found = under::decide(self.network, self.exact(), asked, strategy, budget, &mut counters);
        answer(question, found, counters)
    }

    fn decide(
        &self,
        query: &Query,
        permissive: bool,
        budget: &Budget,
    ) -> Result<Answer<Proof>, Box<ModelTrouble>> {
        let constants = match Constants::of(self.network, query, self.settings.bounds) {
            Ok(mut constants) => {
                if query.needs_bisimulation() {
                    constants.make_symmetric();
                }
                constants
            }
            Err(reason) => return Ok(Answer::unknown(reason)),
        };
        if let Some(reason) = stopwatch::refused(self.network, query, &constants) {
            return Ok(Answer::unknown(reason));
        }
        let mut space = Space::new(self.network, query, constants);
        let mut counters = Counters::default();
        let exact = self.exact();
        let found = match query {
            Query::Extreme {
                measure,
                condition,
                up,
            } => {
                let asked = (measure, condition, *up);
                extreme::decide(self.network, exact, asked, budget, &mut counters)
            }
            Query::Reach(..) => self.reach(&mut space, budget, &mut counters),
            Query::Repeat(..) | Query::Linear(_) => repeat::decide(&mut space, exact, budget, &mut counters),
            Query::Stay(..) => stay::decide(&mut space, exact, budget, &mut counters),
            Query::Control { must_win, .. } => {
                let kind = (*must_win, permissive);
                game::decide(&mut space, exact, kind, budget, &mut counters)
            }
            Query::Chance(_) => Err(Stop::Unknown("zones know nothing of probabilities".to_owned())),
            Query::LongRun(within) => long_run::decide(self.network, within, budget, &mut counters),
            Query::Energy(asked) => energy::decide(self.network, asked, budget, &mut counters),
            Query::Cheapest(_) => cheapest::decide(&mut space, exact, budget, &mut counters),
            Query::Soonest(game) => soonest::decide(self.network, exact, game, budget, &mut counters),
            Query::Branching(asked) => branching::decide(&mut space, exact, asked, budget, &mut counters)
                .map(|branching| Proof::Branching { branching }),
            Query::Under { .. } => Err(Stop::Unknown(
                "questions of this kind are not decided here".to_owned(),
            )),
        };
        counters.elsewhere = counters.elsewhere.max(space.len() as u64);
        answer(query, found, counters)
    }

    /// The settings of questions that need zones as they are.
    fn exact(&self) -> Settings {
        Settings {
            storage: Storage::All,
            ..self.settings
        }
    }

    /// Looks for what is reachable, as the settings want it.
    fn reach(&self, space: &mut Space<'_>, budget: &Budget, counters: &mut Counters) -> Result<Proof, Stop> {
        let settings = self.settings;
        match (settings.time, settings.storage) {
            (Time::Local, _) => local_time::reach(space, settings, budget, counters),
            (_, Storage::Bits(bits)) => bitstate::reach(space, settings, bits, budget, counters),
            _ if settings.threads > 1 => cover_together::reach(space, settings, budget, counters),
            _ => symmetric::reach(space, settings, budget, counters),
        }
    }
}

/// The answer that a search has found.
fn answer(
    query: &Query,
    found: Result<Proof, Stop>,
    counters: Counters,
) -> Result<Answer<Proof>, Box<ModelTrouble>> {
    let mut answer = match found {
        Ok(proof) => {
            let verdict = if proof.shows_existence() == query.wants_it() {
                Verdict::Holds
            } else {
                Verdict::Fails
            };
            let (value, remark) = match &proof {
                Proof::Extreme { extreme } => value_of(extreme),
                Proof::Soonest { soonest } if soonest.strictly => {
                    let (most, least) = (soonest.within, soonest.within - 1);
                    let remark = format!("the controller wins before {most}, and not within {least}");
                    (None, Some(remark))
                }
                Proof::Soonest { soonest } => (Some(Quantity::Exact(Rational::from(soonest.within))), None),
                Proof::LongRun { long_run } => match long_run.value() {
                    Some(value) => (Some(Quantity::Exact(value)), None),
                    None => (
                        Some(Quantity::Undefined),
                        Some("in no such run time diverges".to_owned()),
                    ),
                },
                Proof::Energy { sustained } => energy::value_of(query, sustained),
                Proof::Cheapest { cheapest } => {
                    let value = Some(Quantity::Exact(Rational::from(cheapest.cost)));
                    let remark = (!cheapest.attained)
                        .then(|| "runs come as near to it as one likes, and none has it".to_owned());
                    (value, remark)
                }
                _ => (None, None),
            };
            let mut answer = Answer::complete(verdict, proof).with_value(value);
            answer.reason = remark;
            answer
        }
        Err(Stop::Unknown(reason)) => Answer::unknown(reason),
        Err(Stop::Partial { coverage }) => Answer {
            guarantee: Guarantee::Partial { coverage },
            ..Answer::unknown(
                "no such state was seen, but states with the same bits were taken for one another",
            )
        },
        Err(Stop::Model(trouble)) => return Err(trouble),
    };
    for (name, count) in [
        ("zones", counters.stored),
        ("visited", counters.visited),
        ("steps", counters.steps),
        ("discrete_states", counters.elsewhere),
    ] {
        answer.statistics.set(name, Figure::Count(count));
    }
    Ok(answer)
}
