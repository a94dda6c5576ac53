//! Sets of scalars: values without order, by which processes, variables, clocks and channels are indexed, and what a permutation of such values does to a state.
//!
//! Nothing here says that a permutation keeps what a network means: whoever uses one shows that first.

use crate::discrete::Discrete;
use crate::{LocationId, Network};
use std::collections::HashMap;

/// Something that is one of a kind for each scalar, or for each tuple of them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Indexed {
    /// What it is but for the scalars.
    pub kind: usize,
    /// The scalars that it belongs to; none for what a permutation leaves in its place.
    pub by: Vec<usize>,
}

/// A set of values without order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScalarSet {
    /// Number of values; they are 0 and following.
    pub size: usize,
    /// What each process is.
    pub processes: Vec<Indexed>,
    /// What each integer is.
    pub integers: Vec<Indexed>,
    /// What each clock is, by position.
    pub clocks: Vec<Indexed>,
    /// What each channel is.
    pub channels: Vec<Indexed>,
    /// Whether the value of each integer is a scalar.
    pub holds: Vec<bool>,
}

/// What a permutation of scalars does to the parts of a network: where each of them goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Permutation {
    /// Scalars.
    pub values: Vec<usize>,
    /// Processes.
    pub processes: Vec<usize>,
    /// Locations.
    pub locations: Vec<LocationId>,
    /// Integers.
    pub integers: Vec<usize>,
    /// Clocks by number, the reference clock first.
    pub clocks: Vec<usize>,
    /// Channels.
    pub channels: Vec<usize>,
    /// Whether the value of each integer is a scalar.
    pub holds: Vec<bool>,
}

/// Where things go whose scalars are permuted; nothing if one of them has no counterpart. What was added to the network later stays in its place.
fn moved(all: &[Indexed], count: usize, values: &[usize]) -> Option<Vec<usize>> {
    let places: HashMap<&Indexed, usize> = all.iter().zip(0..).collect();
    let goes = |(place, one): (usize, &Indexed)| match one.by.is_empty() {
        true => Some(place),
        false => {
            let by = one.by.iter().map(|&value| values[value]).collect();
            let image = Indexed { kind: one.kind, by };
            places.get(&image).copied()
        }
    };
    let added = (all.len()..count).map(Some);
    all.iter().enumerate().map(goes).chain(added).collect()
}

impl ScalarSet {
    /// What a permutation of the values does to a network; nothing if something has no counterpart.
    pub fn permutation(&self, network: &Network, values: &[usize]) -> Option<Permutation> {
        let processes = moved(&self.processes, network.processes.len(), values)?;
        let mut locations: Vec<LocationId> = (0..network.locations.len()).collect();
        for (process, &image) in network.processes.iter().zip(&processes) {
            let images = &network.processes[image].locations;
            if images.len() != process.locations.len() {
                return None;
            }
            for (&location, &image) in process.locations.iter().zip(images) {
                locations[location] = image;
            }
        }
        let clocks = moved(&self.clocks, network.clocks.len(), values)?;
        Some(Permutation {
            values: values.to_vec(),
            processes,
            locations,
            integers: moved(&self.integers, network.integers.len(), values)?,
            clocks: std::iter::once(0)
                .chain(clocks.iter().map(|&clock| clock + 1))
                .collect(),
            channels: moved(&self.channels, network.channels.len(), values)?,
            holds: (0..network.integers.len())
                .map(|slot| self.holds.get(slot).copied().unwrap_or(false))
                .collect(),
        })
    }

    /// Whether something moves at all when scalars are exchanged.
    pub fn moves_something(&self) -> bool {
        let any = |all: &[Indexed]| all.iter().any(|one| !one.by.is_empty());
        self.size > 1 && (any(&self.processes) || any(&self.integers) || any(&self.clocks))
    }
}

impl Permutation {
    /// The image of a discrete state.
    pub fn discrete(&self, state: &Discrete) -> Discrete {
        let mut image = state.clone();
        for (&process, &location) in self.processes.iter().zip(&state.locations) {
            image.locations[process] = self.locations[location];
        }
        for (slot, &value) in state.integers.iter().enumerate() {
            let is_scalar = self.holds[slot] && (0..self.values.len() as i64).contains(&value);
            image.integers[self.integers[slot]] = match is_scalar {
                true => self.values[value as usize] as i64,
                false => value,
            };
        }
        image
    }

    /// The image of a matrix of clock differences, row by row.
    pub fn matrix<T: Copy>(&self, cells: &[T]) -> Vec<T> {
        let size = self.clocks.len();
        let mut image = cells.to_vec();
        for row in 0..size {
            for column in 0..size {
                image[self.clocks[row] * size + self.clocks[column]] = cells[row * size + column];
            }
        }
        image
    }

    /// Whether it leaves everything in its place.
    pub fn is_identity(&self) -> bool {
        self.values.iter().enumerate().all(|(one, &other)| one == other)
    }
}
