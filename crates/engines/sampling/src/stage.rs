//! A network laid out for random runs: for each location, what a process can do there on its own, what it can receive, how time passes.
//!
//! Edges that are ways through one branch point are one output or one input: they have their guard and channel in common, and which of them is taken is drawn after the decision for the point.

use crate::Stop;
use entail_clocks::{Condition, Direction, EdgeId, Expression, Network, Ratio};
use rand::Rng;
use rand::rngs::SmallRng;

/// The ways that one decision leaves open: an edge, or those through a branch point with their weights.
#[derive(Debug)]
pub(crate) struct Ways {
    /// The edges; all have the guard and the channel of the first.
    pub edges: Vec<EdgeId>,
    /// The weights; none for a single edge.
    weights: Vec<Ratio>,
}

impl Ways {
    /// Whether there is more than one.
    pub fn is_open(&self) -> bool {
        self.edges.len() > 1
    }

    /// The guard.
    pub fn guard<'n>(&self, network: &'n Network) -> &'n [Condition] {
        &network.edges[self.edges[0]].guard
    }

    /// One of them, by their weights.
    pub fn draw(&self, network: &Network, integers: &[i64], random: &mut SmallRng) -> Result<EdgeId, Stop> {
        if !self.is_open() {
            return Ok(self.edges[0]);
        }
        let told = |fault| Stop::code(fault, network.edges[self.edges[0]].span, &self.edges[..1]);
        let mut sum = 0.0;
        for weight in &self.weights {
            let weight = weight.value(integers).map_err(told)?;
            if !(weight >= 0.0 && weight.is_finite()) {
                let edge = &network.edges[self.edges[0]];
                return Err(Stop::Unknown(format!(
                    "a way through a branch point of {} has the weight {weight}",
                    network.processes[edge.process].name
                )));
            }
            sum += weight;
        }
        let mut rest = random.random::<f64>() * sum;
        let mut last = None;
        for (weight, &edge) in self.weights.iter().zip(&self.edges) {
            let weight = weight.value(integers).map_err(told)?;
            if weight > 0.0 {
                last = Some(edge);
                if rest < weight {
                    break;
                }
                rest -= weight;
            }
        }
        last.ok_or_else(|| {
            let name = &network.processes[network.edges[self.edges[0]].process].name;
            Stop::Unknown(format!(
                "all ways through a branch point of {name} have the weight 0"
            ))
        })
    }
}

/// The rate at which a location is left.
#[derive(Debug)]
pub(crate) enum Rate {
    /// The text gives none.
    Missing,
    /// It is always this.
    Fixed(f64),
    /// It depends on integers.
    Computed(Ratio),
}

/// A location.
#[derive(Debug)]
pub(crate) struct Place {
    /// What a process can do here on its own: steps without a channel, and what it sends.
    pub outputs: Vec<Ways>,
    /// What it can receive.
    pub inputs: Vec<Ways>,
    /// Whether it has an invariant.
    pub has_invariant: bool,
    /// Whether time stops here.
    pub stops: bool,
    /// Whether it is committed.
    pub committed: bool,
    /// Whether something is sent over an urgent channel.
    pub sends_urgently: bool,
    /// The rate.
    pub rate: Rate,
}

/// A network laid out.
#[derive(Debug)]
pub(crate) struct Stage<'n> {
    pub network: &'n Network,
    pub places: Vec<Place>,
    pub has_committed: bool,
    pub has_stops: bool,
}

impl<'n> Stage<'n> {
    /// Lays a network out, or says why random runs of it mean nothing here.
    pub fn new(network: &'n Network) -> Result<Stage<'n>, String> {
        if network.has_priorities() {
            return Err("priorities have no meaning in random runs".to_owned());
        }
        if !network.synchronisations.is_empty() {
            return Err("random runs are for channels, not for lists of synchronisations".to_owned());
        }
        let places: Vec<Place> = (0..network.locations.len())
            .map(|location| place(network, location))
            .collect();
        Ok(Stage {
            network,
            has_committed: places.iter().any(|place| place.committed),
            has_stops: places.iter().any(|place| place.stops || place.sends_urgently),
            places,
        })
    }
}

/// Ways with the branch point that they lead through.
type Pointed = (Option<usize>, Ways);

/// Whether a number is the same in all states.
fn is_constant(number: &Expression) -> bool {
    match number {
        Expression::Constant(_) => true,
        Expression::Real(_, arguments) => arguments.iter().all(is_constant),
        _ => false,
    }
}

fn place(network: &Network, number: usize) -> Place {
    let location = &network.locations[number];
    let (mut outputs, mut inputs): (Vec<Pointed>, Vec<Pointed>) = Default::default();
    let mut sends_urgently = false;
    for &edge in &location.outgoing {
        let one = &network.edges[edge];
        let receives = (one.signal.as_ref()).is_some_and(|signal| signal.direction == Direction::Receive);
        if let Some(signal) = &one.signal
            && !receives
        {
            let channels = &network.channels[signal.base..signal.base + signal.size];
            sends_urgently |= channels.iter().any(|channel| channel.urgent);
        }
        let list = if receives { &mut inputs } else { &mut outputs };
        let branch = network.chances.branch(edge);
        let point = branch.map(|branch| branch.point);
        let known = list
            .iter_mut()
            .find(|(other, _)| other.is_some() && *other == point);
        let weight = branch.map(|branch| branch.weight.clone());
        match known {
            Some((_, ways)) => {
                ways.edges.push(edge);
                ways.weights.extend(weight);
            }
            None => {
                let ways = Ways {
                    edges: vec![edge],
                    weights: weight.into_iter().collect(),
                };
                list.push((point, ways));
            }
        }
    }
    let plain = |list: Vec<Pointed>| list.into_iter().map(|(_, ways)| ways).collect();
    Place {
        outputs: plain(outputs),
        inputs: plain(inputs),
        has_invariant: !location.invariant.is_empty(),
        stops: location.urgent || location.committed,
        committed: location.committed,
        sends_urgently,
        rate: match network.chances.rate(number) {
            None => Rate::Missing,
            Some(ratio) => match (&ratio.number, &ratio.divisor) {
                (number, Expression::Constant(divisor)) if *divisor != 0 && is_constant(number) => {
                    Rate::Fixed(ratio.value(&[]).unwrap_or(0.0))
                }
                _ => Rate::Computed(ratio.clone()),
            },
        },
    }
}
