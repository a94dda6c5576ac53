//! Which discrete states fall to which of several searches.

use entail_clocks::Network;
use entail_clocks::discrete::Discrete;
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// Which of how many searches one is, and which discrete states fall to it.
///
/// They fall to searches by the locations of some processes, as in Lerda and Sisto's distributed SPIN (1999): a step that does not move one of these stays with its search.
#[derive(Clone, Debug)]
pub(crate) struct Share {
    pub own: u16,
    pub all: u16,
    /// Whether states that others look after are interpreted as well: what can be done in them matters here, too.
    pub interprets_all: bool,
    /// The places of a state's locations and integers that decide.
    decisive: Arc<[usize]>,
}

impl Share {
    /// There are no others.
    pub fn whole() -> Share {
        Share {
            own: 0,
            all: 1,
            interprets_all: true,
            decisive: Arc::new([]),
        }
    }

    /// One of several. As few processes decide as give each search enough combinations of locations to choose from; if all together do not, integers decide as well.
    pub fn of(network: &Network, own: u16, all: u16, interprets_all: bool) -> Share {
        let mut locations = vec![0_usize; network.processes.len()];
        for location in &network.locations {
            locations[location.process] += 1;
        }
        let enough = COMBINATIONS_A_SEARCH * usize::from(all);
        let gives_enough = |some: &Vec<usize>| {
            let product = |product: usize, &process: &usize| product.saturating_mul(locations[process]);
            some.iter().fold(1, product) >= enough
        };
        let every = |stride: usize| (0..network.processes.len()).step_by(stride).collect();
        let places = network.processes.len() + network.integers.len();
        let decisive = [4, 3, 2, 1].map(every).into_iter().find(gives_enough);
        Share {
            own,
            all,
            interprets_all,
            decisive: decisive.unwrap_or_else(|| (0..places).collect()).into(),
        }
    }

    /// Which search looks after a discrete state.
    pub fn owner(&self, discrete: &Discrete) -> u16 {
        let mut hasher = FxHasher::default();
        let locations = discrete.locations.len();
        for &place in self.decisive.iter() {
            match place.checked_sub(locations) {
                None => discrete.locations[place].hash(&mut hasher),
                Some(integer) => discrete.integers[integer].hash(&mut hasher),
            }
        }
        // The upper half is mixed best.
        ((hasher.finish() >> 32) % u64::from(self.all)) as u16
    }
}

/// So many combinations of locations make shares of about the same size.
const COMBINATIONS_A_SEARCH: usize = 16;
