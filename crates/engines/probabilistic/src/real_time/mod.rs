//! Probabilistic timed automata in real time.
//!
//! [`in_real_time`] answers a question by backward reachability on zones (`backward`); missing a set of states is reaching one from which it can be missed for ever while time goes on (`diverging`), found on the same
//! zones. [`certified`] makes a certificate of the values: what they are in every state of the region graph, which the checker builds from the network by itself.

mod automaton;
mod backward;
mod conditions;
mod diverging;
mod stopping;

use crate::brackets::complement;
use crate::check::{Settings, Trouble, Values, Workshop};
use crate::generate::Extent;
use automaton::automaton;
pub use backward::SymbolicValues;
use backward::{Backward, Sets};
use entail_budget::{Budget, Progress};
use entail_markov::{
    Bracket, Certificate, Event, Initial, Property, Rational, Regions, Timed, TimedQuestion,
};
use entail_zones::Federation;
pub use stopping::can_stop_time;

/// Locations beyond which zones are given up.
const MOST_LOCATIONS: usize = 300_000;

/// What zones tell about a question.
pub struct RealTime {
    /// Bounds on the probability of the event.
    pub event: (Rational, Rational),
    /// The values of all symbolic states.
    pub values: SymbolicValues,
    /// Number of locations.
    pub locations: usize,
}

/// The greatest probability of an event, by backward reachability.
pub fn in_real_time(
    question: &TimedQuestion,
    settings: Settings,
    budget: &Budget,
) -> Result<RealTime, Trouble> {
    let timed = match &question.event {
        Event::Reach(..) => question.timed.clone(),
        Event::Miss(..) => question.timed.with_pulse().0,
    };
    let automaton = automaton(&timed, &question.event, MOST_LOCATIONS, budget)?;
    let stay: Vec<Federation> = automaton
        .locations
        .iter()
        .map(|location| location.stay.clone())
        .collect();
    let goal: Vec<Federation> = automaton
        .locations
        .iter()
        .map(|location| location.goal.clone())
        .collect();
    let sets = match question.event {
        Event::Reach(..) => Sets { stay, goal },
        Event::Miss(..) => {
            let between = stay.iter().zip(&goal);
            let between: Vec<Federation> = between
                .map(|(stay, goal)| stay.without(goal.zones()).merged())
                .collect();
            let mut missed = diverging::staying(&automaton, &between, budget)?;
            for ((missed, location), (stay, goal)) in missed
                .iter_mut()
                .zip(&automaton.locations)
                .zip(stay.iter().zip(&goal))
            {
                let neither = Federation::from(location.invariant.clone());
                missed.add_all(neither.without(stay.zones()).without(goal.zones()));
                *missed = std::mem::take(missed).merged();
            }
            Sets {
                stay: between,
                goal: missed,
            }
        }
    };
    let values = Backward::search(&automaton, &sets, budget)?.solve(settings, budget)?;
    let Initial::Values(initial) = &timed.network.initial else {
        return Err(Trouble::Unsupported(
            "a timed model has one initial state".to_owned(),
        ));
    };
    let point: Vec<i64> = timed
        .timing
        .clocks
        .iter()
        .map(|clock| initial[clock.index()])
        .collect();
    let event = values.at(&automaton.locations[0].state, &point, 1);
    let Some(event) = event else {
        return Err(Trouble::Undecided(
            "the values of the initial state are not known".to_owned(),
        ));
    };
    Ok(RealTime {
        event,
        locations: automaton.locations.len(),
        values,
    })
}

/// A state, without its clocks, from which time cannot go on for ever, whatever a scheduler does; nothing if there is none that is reachable, or zones do not tell.
pub fn trap(timed: &Timed, budget: &Budget) -> Result<Option<String>, Trouble> {
    diverging::trap(timed, budget)
}

/// The answer of the region graph, with its certificate. Exact values of zones are the certificate of an event that is reached, where no differences of clocks are compared (a point of a region does not tell those of large values); otherwise the graph is solved.
pub fn certified(
    regions: &Regions,
    question: &TimedQuestion,
    found: Option<&RealTime>,
    settings: Settings,
    extent: impl Into<Extent>,
    budget: &Budget,
    progress: &dyn Progress,
) -> Result<(Values, Certificate, usize), Trouble> {
    let mut workshop = Workshop::new(&regions.network, settings, extent, budget, progress)?;
    let states = workshop.model.states();
    let is_reached = matches!(question.event, Event::Reach(..)) && !regions.has_differences;
    if let Some(found) = found.filter(|found| is_reached && found.values.is_exact()) {
        let width = question.timed.network.variables.len();
        let mut values = Vec::with_capacity(states);
        let mut state = Vec::new();
        for at in 0..states {
            budget.check()?;
            workshop.model.store.read(at, &mut state);
            let (point, unit) = regions.point(&state);
            let mut location = state[..width].to_vec();
            regions
                .clocks()
                .iter()
                .for_each(|clock| location[clock.index()] = 0);
            let Some((low, _)) = found.values.at(&location, &point, unit) else {
                return Err(Trouble::Undecided(
                    "zones and regions reach different locations".to_owned(),
                ));
            };
            values.push(Some(low));
        }
        let bracket = Bracket::Exact(values);
        // The property is the probability of the event, or one minus that.
        let values = match &regions.property {
            Property::Probability { query, .. } => workshop.answer(query, bracket.clone())?,
            _ => Values::Numbers(complement(bracket.clone())),
        };
        let certificate = Certificate {
            brackets: vec![bracket],
            ..Certificate::default()
        };
        return Ok((values, certificate, states));
    }
    let (values, certificate) = workshop.check(&regions.property, budget)?;
    Ok((values, certificate, states))
}
