//! Questions about single runs: no run violates a formula, or one does.
//!
//! The automaton of the violations is made here, from the formula ([`violations`]); engines are handed it and told nothing else. The product with the model is made here as well ([`Observing`]), from what the model means. That no run is accepted is
//! shown by ranks of a cover, as for what is not to be met again and again, and by looking at each symbolic state for runs that may end in it. A run that is accepted is replayed together with the automaton.

mod interval;
mod tableau;

pub use tableau::{is_observer_of, refused, violations};

use crate::cover::{self, Readings};
use crate::deadlock;
use crate::replay::{self, Exact};
use crate::table::Table;
use crate::within::without;
use crate::{Objection, matrix::Matrix};
use entail_budget::Budget;
use entail_clocks::discrete::{ClockConstraint, ClockUpdate, Discrete, Trouble};
use entail_clocks::evidence::{Cover, Lasso, Proof, Stay};
use entail_clocks::{
    Fault, Formula, Linear, Meaning, Measure, Measured, Move, Network, ObserverEdge, Query, Runs,
};

/// What a model means together with the automaton that reads its runs. The location of the automaton comes last.
pub struct Observing<'o> {
    inner: &'o dyn Meaning,
    asked: &'o Linear,
    /// The network with the automaton.
    network: &'o Network,
}

impl<'o> Observing<'o> {
    /// A model and a question about it.
    pub fn new(inner: &'o dyn Meaning, asked: &'o Linear, network: &'o Network) -> Observing<'o> {
        Observing {
            inner,
            asked,
            network,
        }
    }

    /// The state of the model, and the location of the automaton.
    fn parts(&self, state: &Discrete) -> Result<(Discrete, usize), Trouble> {
        let mut own = state.clone();
        let location = own.locations.pop();
        let location = location.filter(|&location| self.asked.state(self.network, location).is_some());
        Ok((own, location.ok_or(Fault::Overflow)?))
    }

    /// The truth of each condition in a state of the model.
    fn letter(&self, state: &Discrete) -> Result<Vec<bool>, Trouble> {
        let conditions = &self.asked.conditions;
        let truth = |position: usize| {
            let cases = self.inner.satisfying(conditions, position, state)?;
            match cases.iter().all(Vec::is_empty) {
                true => Ok(!cases.is_empty()),
                false => Err(Fault::Cases.into()),
            }
        };
        (0..conditions.len()).map(truth).collect()
    }

    /// The edges of the automaton from a location that read a letter.
    fn readings(&self, location: usize, letter: &[bool]) -> impl Iterator<Item = &'o ObserverEdge> {
        let state = self.asked.state(self.network, location);
        let edges = state.map_or(&[][..], |state| &state.edges);
        let suits = |edge: &&ObserverEdge| edge.literals.iter().all(|&(atom, truth)| letter[atom] == truth);
        edges.iter().filter(suits)
    }

    fn first_location(&self) -> usize {
        self.network.locations.len() - self.asked.observer.states.len()
    }

    fn first_clock(&self) -> usize {
        self.network.dimension() - self.asked.observer.clocks
    }

    fn joined(&self, mut state: Discrete, target: usize) -> Discrete {
        state.locations.push(self.first_location() + target);
        state
    }

    /// Whether a run may end in a state, as far as the formula is concerned.
    fn may_end(&self, state: &Discrete) -> Result<bool, Trouble> {
        let (own, location) = self.parts(state)?;
        let Some(state) = self
            .asked
            .state(self.network, location)
            .filter(|one| !one.ends.is_empty())
        else {
            return Ok(false);
        };
        let letter = self.letter(&own)?;
        let holds = |&(atom, truth): &(usize, bool)| letter[atom] == truth;
        Ok(state.ends.iter().any(|one| one.iter().all(holds)))
    }

    /// Whether time may pass for ever in a state.
    fn is_endless(&self, own: &Discrete) -> Result<bool, Trouble> {
        let is_upper = |one: &ClockConstraint| one.left != 0 && one.right == 0;
        let invariant = self.inner.invariant(own)?;
        Ok(self.inner.may_delay(own)? && invariant.is_some_and(|all| !all.iter().any(is_upper)))
    }
}

impl Meaning for Observing<'_> {
    fn starts(&self) -> Result<Vec<Discrete>, Trouble> {
        let mut found = Vec::new();
        for start in self.inner.starts()? {
            let letter = self.letter(&start)?;
            // All clocks are 0.
            let suits = |edge: &&ObserverEdge| {
                let passes = |bound: i64| 0.cmp(&bound);
                edge.guard.iter().all(|test| test.is_passed(passes(test.bound)))
            };
            for edge in self.readings(self.first_location(), &letter).filter(suits) {
                found.push(self.joined(start.clone(), edge.target));
            }
        }
        Ok(found)
    }

    fn invariant(&self, state: &Discrete) -> Result<Option<Vec<ClockConstraint>>, Trouble> {
        self.inner.invariant(&self.parts(state)?.0)
    }

    fn may_delay(&self, state: &Discrete) -> Result<bool, Trouble> {
        self.inner.may_delay(&self.parts(state)?.0)
    }

    fn stopped(&self, state: &Discrete) -> Result<Vec<usize>, Trouble> {
        self.inner.stopped(&self.parts(state)?.0)
    }

    fn rate(&self, state: &Discrete) -> Result<i64, Trouble> {
        self.inner.rate(&self.parts(state)?.0)
    }

    fn moves(&self, state: &Discrete) -> Result<Vec<Move>, Trouble> {
        let (own, location) = self.parts(state)?;
        let first_clock = self.first_clock();
        let mut found = Vec::new();
        for step in self.inner.moves(&own)? {
            let Ok(target) = &step.target else {
                found.push(step);
                continue;
            };
            let letter = self.letter(target)?;
            for edge in self.readings(location, &letter) {
                let mut both = step.clone();
                both.edges.push(self.asked.edge(self.network, edge));
                both.guard.extend(edge.guard.iter().map(|test| {
                    let clock = first_clock + test.clock;
                    let (left, right) = if test.from_below { (0, clock) } else { (clock, 0) };
                    ClockConstraint {
                        left,
                        right,
                        bound: if test.from_below { -test.bound } else { test.bound },
                        strict: test.strict,
                    }
                }));
                both.updates.extend(edge.resets.iter().map(|clock| ClockUpdate {
                    target: first_clock + clock,
                    source: 0,
                    offset: 0,
                }));
                both.target = Ok(self.joined(target.clone(), edge.target));
                found.push(both);
            }
        }
        Ok(found)
    }

    /// Marks of the automaton, by number.
    fn satisfying(
        &self,
        _: &[Formula],
        position: usize,
        state: &Discrete,
    ) -> Result<Vec<Vec<ClockConstraint>>, Trouble> {
        let (_, location) = self.parts(state)?;
        let state = self.asked.state(self.network, location);
        Ok(
            match state.is_some_and(|state| state.marks >> position & 1 == 1) {
                true => vec![Vec::new()],
                false => Vec::new(),
            },
        )
    }

    fn measure(&self, measure: &Measure, state: &Discrete) -> Result<Measured, Trouble> {
        self.inner.measure(measure, &self.parts(state)?.0)
    }
}

/// Checks evidence about a question about single runs. The network has the automaton beside it; what the model means is asked without it.
pub(crate) fn is_right(
    readings: &Readings<'_>,
    threads: usize,
    network: &Network,
    query: &Query,
    proof: &Proof,
    budget: &Budget,
) -> Result<(), Objection> {
    let Query::Linear(asked) = query else {
        return Err("the question is of another kind".into());
    };
    if !is_observer_of(asked) {
        return Err("the automaton is not the one of the formula".into());
    }
    let observing: &Readings<'_> = &|ask| readings(&mut |inner| ask(&Observing::new(inner, asked, network)));
    match proof {
        Proof::Cover { cover } => {
            cover::contains_all_runs(observing, threads, network, query, cover, budget)?;
            by_meaning(readings, &mut |inner| {
                no_run_ends(&Observing::new(inner, asked, network), cover, budget)
            })
        }
        Proof::Lasso { lasso } => by_meaning(observing, &mut |meaning| {
            let goals = asked.observer.marks as usize;
            replayed(meaning, network, goals, lasso)
        }),
        Proof::Stay { stay } if stay.cycle.is_empty() => by_meaning(readings, &mut |inner| {
            ends(&Observing::new(inner, asked, network), stay)
        }),
        _ => Err("the evidence is of another kind than the question needs".into()),
    }
}

fn replayed(meaning: &dyn Meaning, network: &Network, goals: usize, lasso: &Lasso) -> Result<(), Objection> {
    let goals = vec![Formula::Constant(true); goals];
    replay::repeats(meaning, network, &goals, lasso)
}

/// Judges by what the model means.
fn by_meaning(
    readings: &Readings<'_>,
    judge: &mut dyn FnMut(&dyn Meaning) -> Result<(), Objection>,
) -> Result<(), Objection> {
    let mut judged = Err("the model has no meaning".into());
    readings(&mut |meaning| judged = judge(meaning));
    judged
}

/// Checks that no run that violates the formula ends in a node of a cover.
fn no_run_ends(observing: &Observing<'_>, cover: &Cover, budget: &Budget) -> Result<(), Objection> {
    if observing.asked.runs == Runs::DivergentSteps {
        return Ok(());
    }
    let network = observing.network;
    let table = Table::new(network, cover, &cover.nodes, 1, budget)?;
    for number in 0..cover.nodes.len() {
        budget.check()?;
        let discrete = cover.nodes.discrete(number);
        let (own, _) = observing.parts(&discrete)?;
        let Some(invariant) = observing.inner.invariant(&own)? else {
            continue;
        };
        if !observing.may_end(&discrete)? {
            continue;
        }
        let mut zone: Matrix = table.zone(number).matrix();
        if !zone.cut_all(&invariant) {
            continue;
        }
        if observing.is_endless(&own)? {
            return Err("a run that violates the formula can wait for ever".into());
        }
        if observing.asked.runs == Runs::Divergent {
            continue;
        }
        if observing.inner.may_delay(&own)? {
            zone.rise();
            if !zone.cut_all(&invariant) {
                continue;
            }
        }
        let able = deadlock::able(observing.inner, &own, network.dimension())?;
        if !without(vec![zone], &able)?.is_empty() {
            return Err("a run that violates the formula can end".into());
        }
    }
    Ok(())
}

/// Checks that a run may end, and violates the formula if it does.
fn ends(observing: &Observing<'_>, stay: &Stay) -> Result<(), Objection> {
    let state = replay::end_of(observing, observing.network, &stay.stem)?;
    if !observing.may_end(&state.discrete)? {
        return Err("the run does not violate the formula when it ends".into());
    }
    let (own, _) = observing.parts(&state.discrete)?;
    let is_endless = observing.is_endless(&own)?;
    let own = Exact {
        discrete: own,
        clocks: state.clocks,
    };
    let is_end = match observing.asked.runs {
        Runs::Maximal => is_endless || deadlock::is_one(observing.inner, &own)?,
        Runs::Divergent => is_endless,
        Runs::DivergentSteps => false,
    };
    match is_end {
        true => Ok(()),
        false => Err("the run ends where it may not".into()),
    }
}
