//! A step along an edge of an assertion graph as a trajectory assertion.
//!
//! What is claimed about an edge follows from an assertion about two times: the antecedent says what the edge drives and, of the registers whose value the set of its beginning tells, which that is; the
//! consequent says what the edge demands, and one step later what the set of its end tells of registers. What is known with three values is so in every Boolean run, so what is seen of that assertion is shown of the edge. Registers that
//! the sets leave open are X and no variables, so the diagrams are about symbolic variables only: a memory is read by an index here, too.

use super::conditions::as_conditions;
use super::fixpoint::Claimed;
use super::refute::unseen;
use crate::induction::Refusal;
use entail_budget::Budget;
use entail_trajectories::{
    Assertion, AssertionGraph, ConditionId, Drive, Fixpoint, GraphEdge, Method, Netlist, NodeId,
    Specification, StateSet,
};
use rustc_hash::FxHashSet;

/// The functions of a fixpoint as conditions beside those of its specification.
pub(super) struct StepAssertions {
    specification: Specification,
    functions: Vec<ConditionId>,
    /// The complements, at the same positions.
    complements: Vec<ConditionId>,
}

/// A register after the step, or a node within it.
type Place = (NodeId, u32);

impl StepAssertions {
    /// Nothing if the functions are none.
    pub(super) fn new(specification: &Specification, fixpoint: &Fixpoint) -> Option<StepAssertions> {
        let variables = specification.variables();
        let mut specification = specification.clone();
        let conditions = &mut specification.conditions;
        let functions = as_conditions(conditions, &fixpoint.functions, variables)?;
        let complements = functions.iter().map(|&one| conditions.not(one)).collect();
        Some(StepAssertions {
            complements,
            specification,
            functions,
        })
    }

    /// What a set tells of registers, where it has states: one that cannot be 0 is 1, one that cannot be 1 is 0.
    fn told(&self, set: &StateSet, time: u32) -> Vec<Drive> {
        let drives = set.registers.iter().flat_map(|&(node, high, low)| {
            let drive = |guard: u32, value: bool| Drive {
                node: NodeId(node),
                time,
                guard: self.complements[guard as usize],
                value: ConditionId::constant(value),
            };
            [drive(low, true), drive(high, false)]
        });
        drives.filter(|drive| drive.guard != ConditionId::FALSE).collect()
    }

    /// The parts of what is claimed about an edge that three values and small diagrams do not show.
    pub(super) fn unseen(
        &self,
        netlist: &Netlist,
        graph: &AssertionGraph,
        edge: &GraphEdge,
        reached: &[StateSet],
        budget: &Budget,
    ) -> Result<Vec<Claimed>, Refusal> {
        let (from, to) = (&reached[edge.from as usize], &reached[edge.to as usize]);
        let mut specification = self.specification.clone();
        let conditions = &mut specification.conditions;
        let alive = self.functions[from.alive as usize];
        let mut demanded = self.told(to, 1);
        // That the end has states is a part of the claim by itself, so what it tells is asked where it has some.
        for drive in &mut demanded {
            drive.guard = conditions.and(drive.guard, self.functions[to.alive as usize]);
        }
        demanded.extend(&edge.consequent);
        let assertion = Assertion {
            name: graph.name.clone(),
            text: String::new(),
            place: graph.place,
            assumption: conditions.and(graph.assumption, alive),
            antecedent: [self.told(from, 0).as_slice(), &edge.antecedent].concat(),
            consequent: demanded,
            is_indexed: false,
            relation: None,
            method: Method::Simulation,
        };
        let open: FxHashSet<Place> = unseen(netlist, &specification, &assertion, budget)?
            .iter()
            .map(|drive| (drive.node, drive.time))
            .collect();
        let registers = to.registers.iter();
        let registers = registers.filter(|&&(node, ..)| open.contains(&(NodeId(node), 1)));
        let nodes = edge.consequent.iter();
        let nodes = nodes.filter(|drive| open.contains(&(drive.node, drive.time)));
        Ok([Claimed::Alive(to.alive)]
            .into_iter()
            .chain(registers.map(|&(node, high, low)| Claimed::Inside(node, high, low)))
            .chain(nodes.map(|&drive| Claimed::Demanded(drive)))
            .collect())
    }
}
