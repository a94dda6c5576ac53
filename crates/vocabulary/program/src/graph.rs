//! The whole state graph of a small program, made by the interpreter alone: for drawing it, and for checking again what an engine says about it.
//!
//! Breadth first over states at rest. An edge is what one process does, with the partner it meets and everything that follows while somebody
//! has control.

use crate::fault::Fault;
use crate::interpret::{State, can_move, moves_within};
use crate::program::Program;
use crate::run::Step;
use std::collections::{HashMap, HashSet};

/// A step between states at rest.
#[derive(Clone, Debug)]
pub struct GraphEdge {
    /// Position in [`StateGraph::states`].
    pub from: usize,
    /// The small steps, each with the state before it.
    pub steps: Vec<(State, Step)>,
    /// Where it leads, or what goes wrong; [`Fault::Endless`] if it goes on for ever.
    pub to: Result<usize, Fault>,
}

/// The states at rest that can be reached, and the steps between them.
#[derive(Clone, Debug, Default)]
pub struct StateGraph {
    /// The states; the first is the initial one.
    pub states: Vec<State>,
    /// The steps, by the state they begin in.
    pub edges: Vec<GraphEdge>,
    /// Some atomic sequence can go on for ever.
    pub diverges: bool,
}

/// A deterministic sequence may take so many steps; a graph with a longer one is too large.
const LONGEST_SEQUENCE: u64 = 1_000_000;

impl StateGraph {
    /// The graph, if it has no more states than this; the ones inside of atomic sequences count, too. Nothing if it is larger. A fault in
    /// the beginning is an error.
    pub fn explore(program: &Program, most: usize) -> Result<Option<StateGraph>, Fault> {
        let initial = State::initial(program)?;
        let mut numbers: HashMap<State, usize> = HashMap::from([(initial.clone(), 0)]);
        let mut graph = StateGraph {
            states: vec![initial],
            ..StateGraph::default()
        };
        let mut inside = 0;
        let mut from = 0;
        while from < graph.states.len() {
            let mut pending = vec![(graph.states[from].clone(), None, Vec::new())];
            let mut seen: HashSet<(State, u8)> = HashSet::new();
            while let Some((state, control, path)) = pending.pop() {
                let found = moves_within(program, &state, control, LONGEST_SEQUENCE);
                for next in found.into_iter().rev() {
                    let mut steps: Vec<(State, Step)> = path.clone();
                    steps.push((state.clone(), next.step));
                    let to = match next.result {
                        Err(Fault::TooLong(_)) => return Ok(None),
                        Err(fault) => {
                            graph.diverges |= fault == Fault::Endless;
                            Err(fault)
                        }
                        Ok(after) => {
                            let control = next.control.filter(|&process| can_move(program, &after, process));
                            if let Some(process) = control {
                                inside += 1;
                                if seen.insert((after.clone(), process)) {
                                    pending.push((after, control, steps));
                                    continue;
                                }
                                // Two ways to the same state inside need no second look, and a circle has no end.
                                if steps.iter().any(|(before, _)| *before == after) {
                                    let to = Err(Fault::Endless);
                                    graph.edges.push(GraphEdge { from, steps, to });
                                    graph.diverges = true;
                                }
                                continue;
                            }
                            let fresh = graph.states.len();
                            let number = *numbers.entry(after.clone()).or_insert(fresh);
                            if number == fresh {
                                graph.states.push(after);
                            }
                            Ok(number)
                        }
                    };
                    graph.edges.push(GraphEdge { from, steps, to });
                }
                if graph.states.len() + inside > most {
                    return Ok(None);
                }
            }
            from += 1;
        }
        Ok(Some(graph))
    }

    /// Why safety does not hold, if it does not: something goes wrong, or somebody stops who must not.
    pub fn danger(&self, program: &Program) -> Option<String> {
        let mut faults = self.edges.iter().filter_map(|edge| edge.to.as_ref().err());
        let fault = faults.find(|fault| fault.refutes());
        if let Some(fault) = fault {
            return Some(fault.to_string());
        }
        let mut goes_on = vec![false; self.states.len()];
        self.edges.iter().for_each(|edge| goes_on[edge.from] = true);
        let stuck = |(state, goes_on): (&State, bool)| !goes_on && !state.is_valid_end(program);
        let is_stuck = self.states.iter().zip(goes_on).any(stuck);
        is_stuck.then(|| "invalid end state".into())
    }
}
