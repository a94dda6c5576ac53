//! Walking through a model in exact time: a choice is a joint edge, taken as early as its guard allows.

use crate::model::TimedModel;
use crate::trace::{self, Stop};
use entail_budget::Budget;
use entail_clocks::discrete::ClockConstraint;
use entail_clocks::evidence::{Run, Step, Time};
use entail_clocks::interpreter::{self, State};
use entail_clocks::{Network, Rational};
use entail_family::{Options, Walk};
use entail_show::Shown;
use serde_json::{Value as Json, json};

pub(crate) struct TimedWalk<'m> {
    model: &'m TimedModel,
    network: Network,
    stops: Vec<Stop>,
    offered: Vec<(String, Stop)>,
    trouble: Option<String>,
}

impl<'m> TimedWalk<'m> {
    pub fn new(model: &'m TimedModel, options: &Options) -> TimedWalk<'m> {
        TimedWalk {
            model,
            network: model.setting(options).network,
            stops: Vec::new(),
            offered: Vec::new(),
            trouble: None,
        }
    }

    fn here(&self) -> Option<State> {
        let stop = self.stops.last()?;
        Some(State {
            discrete: stop.discrete.clone(),
            clocks: stop.clocks.clone()?,
        })
    }

    fn run(&self) -> Option<Run> {
        let first = self.stops.first()?;
        let step = |stop: &Stop| Step {
            delay: Time(stop.delay.clone().unwrap_or(Rational::ZERO)),
            edges: stop.edges.clone(),
        };
        Some(Run {
            first: first.discrete.locations.clone(),
            steps: self.stops.iter().skip(1).map(step).collect(),
            rest: Time(Rational::ZERO),
        })
    }

    fn list(&mut self) -> Result<Vec<(String, Stop)>, entail_clocks::discrete::Trouble> {
        let network = &self.network;
        let Some(here) = self.here() else {
            let first = |state: State| {
                let names: Vec<&str> = (state.discrete.locations.iter())
                    .map(|&location| network.locations[location].name.as_str())
                    .collect();
                let stop = Stop {
                    discrete: state.discrete.clone(),
                    clocks: Some(state.clocks),
                    time: Some(Rational::ZERO),
                    delay: None,
                    edges: Vec::new(),
                    level: None,
                };
                (format!("begin in {}", names.join(", ")), stop)
            };
            return Ok(interpreter::initial(network)?.into_iter().map(first).collect());
        };
        let now = self
            .stops
            .last()
            .and_then(|stop| stop.time.clone())
            .unwrap_or(Rational::ZERO);
        let mut found = Vec::new();
        for joint in network.joints(&here.discrete)? {
            let (mut guard, joint) = (joint.side, joint.edges);
            if !network.guard(&joint, &here.discrete.integers, &mut guard)? {
                continue;
            }
            let may_delay = network.may_delay(&here.discrete)?;
            for delay in delays(&here, &guard, may_delay) {
                let Some(later) = interpreter::delay(network, &here, &delay)? else {
                    continue;
                };
                let Some(next) = interpreter::step(network, &later, &joint)? else {
                    continue;
                };
                let edges: Vec<String> = joint
                    .iter()
                    .map(|&edge| trace::edge_text(network, edge))
                    .collect();
                let text = match delay > Rational::ZERO {
                    true => format!("after {delay}: {}", edges.join(", ")),
                    false => edges.join(", "),
                };
                let stop = Stop {
                    discrete: next.discrete,
                    clocks: Some(next.clocks),
                    time: Some(&now + &delay),
                    delay: Some(delay),
                    edges: joint.clone(),
                    level: None,
                };
                found.push((text, stop));
                break;
            }
        }
        Ok(found)
    }
}

/// Delays to try before a step with this guard, the earliest first.
fn delays(here: &State, guard: &[ClockConstraint], may_delay: bool) -> Vec<Rational> {
    let half = Rational::from(1) / Rational::from(2);
    let (mut least, mut strict) = (Rational::ZERO, false);
    for one in guard.iter().filter(|one| one.left == 0) {
        let needed = -Rational::from(one.bound) - &here.clocks[one.right];
        if needed > least || (needed == least && one.strict) {
            (least, strict) = (needed, one.strict);
        }
    }
    if !may_delay {
        return vec![Rational::ZERO];
    }
    match strict {
        false => vec![least],
        true => {
            // A little later than the bound: half of what an upper bound or an invariant leaves, by trial.
            let mut little = half.clone();
            let mut all = Vec::new();
            for _ in 0..12 {
                all.push(&least + &little);
                little *= &half;
            }
            all
        }
    }
}

impl Walk for TimedWalk<'_> {
    fn choices(&mut self, most: usize, _budget: &Budget) -> Vec<String> {
        match self.list() {
            Ok(mut found) => {
                found.truncate(most);
                self.offered = found;
            }
            Err(trouble) => {
                self.trouble = Some(trace::fault_text(&self.network, trouble.fault));
                self.offered.clear();
            }
        }
        self.offered.iter().map(|(text, _)| text.clone()).collect()
    }

    fn take(&mut self, choice: usize) {
        self.stops
            .extend(self.offered.get(choice).map(|(_, stop)| stop.clone()));
    }

    fn back(&mut self, steps: usize) {
        let kept = self.stops.len().saturating_sub(steps).max(1);
        self.stops.truncate(kept);
    }

    fn steps(&self) -> usize {
        self.stops.len().saturating_sub(1)
    }

    fn ending(&self) -> Vec<String> {
        match &self.trouble {
            Some(trouble) => vec![trouble.clone()],
            None => vec!["no edge can be taken, however long the network waits".to_owned()],
        }
    }

    fn has_failed(&self) -> bool {
        self.trouble.is_some()
    }

    fn shown(&self) -> Shown {
        trace::shown(&self.network, &self.model.source, &self.stops, None)
    }

    fn to_json(&self) -> Json {
        json!({"run": self.run(), "trace": trace::json_of(&self.network, &self.stops, None)})
    }

    fn resume(&mut self, document: &Json) -> Result<(), String> {
        let places = [
            &document["run"],
            &document["evidence"]["run"],
            &document["evidence"]["lasso"]["stem"],
            &document["evidence"]["stay"]["stem"],
            &document["evidence"]["extreme"]["run"],
            &document["evidence"]["cheapest"]["run"],
            &document["evidence"]["proof"]["run"],
            &document["evidence"]["proof"]["stay"]["stem"],
            &document["evidence"]["samples"]["witness"],
        ];
        let run = places
            .into_iter()
            .find(|place| place.is_object())
            .ok_or("the file has no run")?;
        let run: Run = serde_json::from_value(run.clone()).map_err(|error| format!("`run`: {error}"))?;
        let edges = self.network.edges.len();
        if run
            .steps
            .iter()
            .flat_map(|step| &step.edges)
            .any(|&edge| edge >= edges)
        {
            return Err("the run is not one of this model".to_owned());
        }
        self.stops = trace::of_run(&self.network, &run).ok_or("the run is not one of this model")?;
        Ok(())
    }
}
