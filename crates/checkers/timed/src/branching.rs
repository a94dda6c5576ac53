//! Nested questions, evaluated again on the region graph of the network, as far as it is small. Of larger ones it is said that they were not judged.

use crate::Objection;
use entail_clocks::regions::RegionGraph;
use entail_clocks::{Network, Query};

/// Regions, at most.
const MOST_REGIONS: usize = 4000;

/// Checks whether a nested question is answered by yes.
pub fn is_so(network: &Network, query: &Query, holds: bool) -> Result<(), Objection> {
    let Some(graph) = RegionGraph::explore(network, query, MOST_REGIONS)? else {
        let what = format!("a nested question about a model of more than {MOST_REGIONS} regions");
        return Err(Objection::Unchecked(what));
    };
    match graph.exists(query)? == holds {
        true => Ok(()),
        false => Err("the regions of the model say the opposite".into()),
    }
}
