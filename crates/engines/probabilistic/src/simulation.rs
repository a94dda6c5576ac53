//! Random runs of a model from start to end, and what is seen on the way: where they end, what they reach, what they earn, how long they are.
//!
//! A run ends in a state that it cannot leave, or after so many steps. What a step earns is the average over its targets, so that means are those of the model and
//! their errors are those of these sums. Where there are choices, somebody must say how they are made: a scheduler's choices are not random.

use crate::check::Trouble;
use entail_budget::Budget;
use entail_markov::interpreter;
use entail_markov::{Network, Row, Unfolding, to_float};
use entail_statistics::mean::Numbers;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use rustc_hash::FxHashMap;

/// More states than this are not kept at a time.
const MOST_KEPT: usize = 1_000_000;

/// Initial states at most.
const MOST_INITIAL: usize = 10_000;

/// How choices are made.
#[derive(Clone, Debug)]
pub enum Choosing {
    /// All choices of a state are equally likely.
    Uniform,
    /// By state: the position of the choice.
    Table(FxHashMap<Vec<i64>, u32>),
}

impl Choosing {
    /// The choices that are taken in a state.
    pub(crate) fn among<'r>(&self, network: &Network, state: &[i64], rows: &'r [Row]) -> Result<&'r [Row], Trouble> {
        match self {
            Choosing::Uniform => Ok(rows),
            Choosing::Table(_) if rows.len() == 1 => Ok(rows),
            Choosing::Table(table) => {
                let own = table.get(state).and_then(|&at| rows.get(at as usize));
                own.map(std::slice::from_ref).ok_or_else(|| {
                    let state = network.show_state(state);
                    Trouble::Undecided(format!("the scheduler does not say what to do in state ({state})"))
                })
            }
        }
    }
}

/// What is simulated.
#[derive(Clone, Debug)]
pub struct Simulation {
    /// So many runs.
    pub runs: u64,
    /// Where random numbers begin.
    pub seed: u64,
    /// A run is stopped after so many steps.
    pub longest: u64,
    /// How choices are made; nothing: there must be none.
    pub choosing: Option<Choosing>,
}

/// What was seen.
#[derive(Clone, Debug, Default)]
pub struct Simulated {
    /// How many runs came to an end before they were stopped.
    pub ended: u64,
    /// Steps of a run.
    pub steps: Numbers,
    /// The time that a run takes, in continuous time.
    pub time: Numbers,
    /// The states in which runs ended that came to an end, with the numbers of those runs.
    pub ends: Vec<(Vec<i64>, u64)>,
    /// The runs that reached each label of the model, in its order.
    pub reached: Vec<u64>,
    /// What a run earns, by reward structure.
    pub rewards: Vec<Numbers>,
}

/// A state as it is met in runs.
struct Place {
    /// Targets with the summed probabilities up to each, and the number of the choice.
    outcomes: Vec<(f64, u32, u32)>,
    /// The exit rates of the choices.
    rates: Vec<Option<f64>>,
    /// What the choices earn, by structure.
    earned: Vec<Vec<f64>>,
    /// What being there earns, by structure.
    there: Vec<f64>,
    labels: Vec<bool>,
    is_end: bool,
}

struct Runs<'n> {
    network: &'n Network,
    choosing: Option<&'n Choosing>,
    unfolding: Unfolding<'n>,
    places: FxHashMap<u32, Place>,
}

/// Runs a model at random.
pub fn simulate(network: &Network, simulation: &Simulation, budget: &Budget) -> Result<Simulated, Trouble> {
    if network.has_intervals() {
        return Err(Trouble::Unsupported("probabilities in intervals are not random".to_owned()));
    }
    let initial = interpreter::initial_states(network, MOST_INITIAL, budget)?;
    let mut random = StdRng::seed_from_u64(simulation.seed);
    let mut runs = Runs {
        network,
        choosing: simulation.choosing.as_ref(),
        unfolding: Unfolding::new(network),
        places: FxHashMap::default(),
    };
    let mut found = Simulated {
        reached: vec![0; network.labels.len()],
        rewards: vec![Numbers::default(); network.rewards.len()],
        ..Simulated::default()
    };
    let mut ends: FxHashMap<Vec<i64>, u64> = FxHashMap::default();
    for _ in 0..simulation.runs {
        let from = match &initial[..] {
            [] => return Err(Trouble::Undecided("the model has no initial state".to_owned())),
            [only] => only,
            many => &many[random.random_range(0..many.len())],
        };
        runs.run(from, simulation, &mut random, &mut found, &mut ends, budget)?;
    }
    found.ends = ends.into_iter().collect();
    found.ends.sort_unstable_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    Ok(found)
}

impl Runs<'_> {
    #[allow(clippy::too_many_arguments)]
    fn run(
        &mut self,
        from: &[i64],
        simulation: &Simulation,
        random: &mut StdRng,
        found: &mut Simulated,
        ends: &mut FxHashMap<Vec<i64>, u64>,
        budget: &Budget,
    ) -> Result<(), Trouble> {
        if self.unfolding.states() > MOST_KEPT {
            self.unfolding = Unfolding::new(self.network);
            self.places.clear();
        }
        let mut at = self.unfolding.number(from);
        let (mut steps, mut time) = (0u64, 0.0);
        let mut earned = vec![0.0; self.network.rewards.len()];
        let mut seen = vec![false; self.network.labels.len()];
        loop {
            budget.check()?;
            let place = match self.places.get(&at) {
                Some(known) => known,
                None => {
                    let place = self.place(at)?;
                    self.places.entry(at).or_insert(place)
                }
            };
            seen.iter_mut().zip(&place.labels).for_each(|(seen, &here)| *seen |= here);
            if place.is_end {
                found.ended += 1;
                *ends.entry(self.unfolding.state(at).to_vec()).or_insert(0) += 1;
                break;
            }
            if steps >= simulation.longest {
                break;
            }
            let total = place.outcomes.last().map_or(0.0, |outcome| outcome.0);
            let pick = random.random::<f64>() * total;
            let position = place.outcomes.partition_point(|outcome| outcome.0 <= pick);
            let (_, choice, target) = place.outcomes[position.min(place.outcomes.len() - 1)];
            let stay = match place.rates[choice as usize] {
                Some(rate) => -(1.0 - random.random::<f64>()).ln() / rate,
                None if self.network.kind.is_timed() => 0.0,
                None => 1.0,
            };
            for ((sum, there), step) in earned.iter_mut().zip(&place.there).zip(&place.earned[choice as usize]) {
                *sum += there * stay + step;
            }
            time += stay;
            steps += 1;
            at = target;
        }
        found.steps.add(steps as f64);
        found.time.add(time);
        for (mean, sum) in found.rewards.iter_mut().zip(earned) {
            mean.add(sum);
        }
        for (count, _) in found.reached.iter_mut().zip(seen).filter(|(_, seen)| *seen) {
            *count += 1;
        }
        Ok(())
    }

    fn place(&mut self, at: u32) -> Result<Place, Trouble> {
        let network = self.network;
        let state = self.unfolding.state(at).to_vec();
        let rows = self.unfolding.rows(at)?;
        let rows = match self.choosing {
            _ if rows.len() == 1 => rows,
            Some(choosing) => choosing.among(network, &state, rows)?,
            None => {
                let message = "the model has choices: say how they are made, by --choices uniform or a scheduler's file";
                return Err(Trouble::Unsupported(message.to_owned()));
            }
        };
        let mut outcomes = Vec::new();
        let mut sum = 0.0;
        for (choice, row) in rows.iter().enumerate() {
            for (target, probability) in &row.targets {
                sum += to_float(probability);
                outcomes.push((sum, choice as u32, *target));
            }
        }
        let is_end = outcomes.iter().all(|outcome| outcome.2 == at);
        let rates = rows.iter().map(|row| row.rate.as_ref().map(to_float)).collect();
        let earned = rows.iter().map(|row| row.rewards.iter().map(to_float).collect()).collect();
        let nowhere = entail_source::Span::new(0, 0);
        let label = |(_, states): &(String, entail_markov::Expr)| interpreter::truth(network, states, &state, nowhere);
        let there = |structure| interpreter::state_reward(network, structure, &state).map(|value| to_float(&value));
        Ok(Place {
            outcomes,
            rates,
            earned,
            there: (0..network.rewards.len()).map(there).collect::<Result<_, _>>()?,
            labels: network.labels.iter().map(label).collect::<Result<_, _>>()?,
            is_end,
        })
    }
}
