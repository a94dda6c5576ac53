//! Bit sets over an explicit graph: the plainest region algebra.
//!
//! The graph keeps predecessors in compressed rows, for all edges together and for each action by itself. `pre` marks the
//! predecessors of the members: linear in the edges into the region. Boolean operations work on machine words.

use crate::RegionAlgebra;
use fixedbitset::FixedBitSet;
use hashbrown::HashMap;

/// A finite graph with optional action labels on its edges; states are numbered from 0.
#[derive(Clone, Debug)]
pub struct Graph {
    states: usize,
    all: Rows,
    actions: HashMap<String, Rows>,
}

/// For each target its sources, one slice of one vector.
#[derive(Clone, Debug)]
struct Rows {
    offsets: Vec<usize>,
    sources: Vec<u32>,
}

impl Rows {
    fn new(states: usize, edges: &[(u32, u32)]) -> Rows {
        let mut offsets = vec![0; states + 1];
        for &(_, to) in edges {
            offsets[to as usize + 1] += 1;
        }
        for state in 0..states {
            offsets[state + 1] += offsets[state];
        }
        let mut place = offsets.clone();
        let mut sources = vec![0; edges.len()];
        for &(from, to) in edges {
            sources[place[to as usize]] = from;
            place[to as usize] += 1;
        }
        Rows { offsets, sources }
    }

    fn pre(&self, region: &FixedBitSet) -> FixedBitSet {
        let mut predecessors = FixedBitSet::with_capacity(region.len());
        for target in region.ones() {
            for &source in &self.sources[self.offsets[target]..self.offsets[target + 1]] {
                predecessors.insert(source as usize);
            }
        }
        predecessors
    }
}

impl Graph {
    /// A graph with so many states and these edges. Edges that mention other states are left out.
    pub fn new(states: usize, edges: impl IntoIterator<Item = (u32, u32)>) -> Graph {
        let known = |&(from, to): &(u32, u32)| (from as usize) < states && (to as usize) < states;
        let edges: Vec<(u32, u32)> = edges.into_iter().filter(known).collect();
        Graph {
            states,
            all: Rows::new(states, &edges),
            actions: HashMap::new(),
        }
    }

    /// A graph whose edges carry an action each.
    pub fn labelled<'a>(states: usize, edges: impl IntoIterator<Item = (u32, &'a str, u32)>) -> Graph {
        let mut by_action: HashMap<String, Vec<(u32, u32)>> = HashMap::new();
        let mut all = Vec::new();
        for (from, action, to) in edges {
            if (from as usize) < states && (to as usize) < states {
                all.push((from, to));
                by_action.entry(action.to_string()).or_default().push((from, to));
            }
        }
        let rows = |(action, edges): (String, Vec<(u32, u32)>)| (action, Rows::new(states, &edges));
        Graph {
            states,
            all: Rows::new(states, &all),
            actions: by_action.into_iter().map(rows).collect(),
        }
    }

    /// Number of states.
    pub fn state_count(&self) -> usize {
        self.states
    }
}

/// The algebra of all sets of states of a graph, with named atoms.
#[derive(Clone, Debug)]
pub struct GraphAlgebra {
    graph: Graph,
    atoms: HashMap<String, FixedBitSet>,
}

/// A formula mentions an atom that the graph does not have.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the graph has no atom `{0}`")]
pub struct UnknownAtom(pub String);

impl GraphAlgebra {
    /// The algebra of a graph, without atoms.
    pub fn new(graph: Graph) -> GraphAlgebra {
        GraphAlgebra {
            graph,
            atoms: HashMap::new(),
        }
    }

    /// Adds an atom that is true in these states (numbers of other states are ignored).
    pub fn with_atom(
        mut self,
        name: impl Into<String>,
        states: impl IntoIterator<Item = usize>,
    ) -> GraphAlgebra {
        let region = self.region(states);
        self.atoms.insert(name.into(), region);
        self
    }

    /// The set of these states.
    pub fn region(&self, states: impl IntoIterator<Item = usize>) -> FixedBitSet {
        let mut region = FixedBitSet::with_capacity(self.graph.states);
        region.extend(states.into_iter().filter(|&state| state < self.graph.states));
        region
    }
}

impl RegionAlgebra for GraphAlgebra {
    type Region = FixedBitSet;
    type Atom = String;
    type State = usize;
    type Error = UnknownAtom;

    fn full(&mut self) -> Result<FixedBitSet, UnknownAtom> {
        let mut region = FixedBitSet::with_capacity(self.graph.states);
        region.insert_range(..);
        Ok(region)
    }

    fn empty(&mut self) -> Result<FixedBitSet, UnknownAtom> {
        Ok(FixedBitSet::with_capacity(self.graph.states))
    }

    fn atom(&mut self, atom: &String) -> Result<FixedBitSet, UnknownAtom> {
        self.atoms
            .get(atom)
            .cloned()
            .ok_or_else(|| UnknownAtom(atom.clone()))
    }

    fn and(&mut self, a: &FixedBitSet, b: &FixedBitSet) -> Result<FixedBitSet, UnknownAtom> {
        let mut result = a.clone();
        result.intersect_with(b);
        Ok(result)
    }

    fn or(&mut self, a: &FixedBitSet, b: &FixedBitSet) -> Result<FixedBitSet, UnknownAtom> {
        let mut result = a.clone();
        result.union_with(b);
        Ok(result)
    }

    fn difference(&mut self, a: &FixedBitSet, b: &FixedBitSet) -> Result<FixedBitSet, UnknownAtom> {
        let mut result = a.clone();
        result.difference_with(b);
        Ok(result)
    }

    fn pre(&mut self, region: &FixedBitSet) -> Result<FixedBitSet, UnknownAtom> {
        Ok(self.graph.all.pre(region))
    }

    fn labelled_pre(
        &mut self,
        action: &str,
        region: &FixedBitSet,
    ) -> Result<Option<FixedBitSet>, UnknownAtom> {
        Ok(self.graph.actions.get(action).map(|rows| rows.pre(region)))
    }

    fn actions(&self) -> Vec<String> {
        self.graph.actions.keys().cloned().collect()
    }

    fn is_empty(&mut self, region: &FixedBitSet) -> Result<bool, UnknownAtom> {
        Ok(region.is_clear())
    }

    fn member(&mut self, state: &usize, region: &FixedBitSet) -> Result<bool, UnknownAtom> {
        Ok(region.contains(*state))
    }

    fn equal(&mut self, a: &FixedBitSet, b: &FixedBitSet) -> Result<bool, UnknownAtom> {
        Ok(a == b)
    }
}
