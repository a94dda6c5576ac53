//! The check of an answer about two systems.

use crate::inclusion::check_inclusion;
use crate::simulation::check_simulation;
use crate::traces::has_trace;
use crate::{check_partition, states_where};
use entail_budget::Budget;
use entail_evidence::equivalence::{
    Comparison, Hml, HmlNode, Partition, Rejected, Related, Relation, RelationQuery, Side, Unrelated,
};
use entail_model::{Lts, StateId};

/// Whether evidence supports the answer to a question about two systems.
pub fn check_comparison(
    first: &Lts,
    second: &Lts,
    question: RelationQuery,
    comparison: &Comparison,
    budget: &Budget,
) -> Result<(), Rejected> {
    match comparison {
        Comparison::Related(related) => check_related(first, second, question, related, budget),
        Comparison::Unrelated(unrelated) => check_unrelated(first, second, question, unrelated),
    }
}

fn rejected<T>(reason: impl Into<String>) -> Result<T, Rejected> {
    Err(Rejected(reason.into()))
}

fn check_related(
    first: &Lts,
    second: &Lts,
    question: RelationQuery,
    related: &Related,
    budget: &Budget,
) -> Result<(), Rejected> {
    let both = first
        .beside(second)
        .map_err(|error| Rejected(error.to_string()))?;
    let offset = first.state_count();
    let left = first.initial().to_vec();
    let right: Vec<StateId> = (second.initial().iter())
        .map(|state| StateId::new((state.index() + offset) as u32))
        .collect();
    let (Related::Partition(blocks) | Related::Simulation { blocks, .. } | Related::Inclusion { blocks, .. }) =
        related;
    if blocks.iter().any(|&block| block as usize >= both.state_count()) {
        return rejected("a block has a number that is too large");
    }
    let bisimulation = question.relation.respected();
    let partition = Partition::from_keys(blocks);
    check_partition(&both, &partition, bisimulation, budget).map_err(|error| Rejected(error.to_string()))?;
    match (related, question.relation) {
        (Related::Partition(_), relation) if relation.is_bisimulation() => {
            let met = |these: &[StateId], those: &[StateId]| {
                (these.iter()).all(|s| those.iter().any(|t| blocks[s.index()] == blocks[t.index()]))
            };
            match met(&left, &right) && met(&right, &left) {
                true => Ok(()),
                false => {
                    rejected("an initial state is in a block without an initial state of the other system")
                }
            }
        }
        (
            Related::Simulation { blocks, pairs },
            relation @ (Relation::Simulation | Relation::ReadySimulation),
        ) => {
            let ready = relation == Relation::ReadySimulation;
            check_simulation(&both, ready, blocks, pairs, &left, &right)?;
            match question.both_ways {
                true => check_simulation(&both, ready, blocks, pairs, &right, &left),
                false => Ok(()),
            }
        }
        (Related::Inclusion { blocks, pairs }, relation @ (Relation::Trace | Relation::WeakTrace)) => {
            let weak = relation == Relation::WeakTrace;
            check_inclusion(&both, weak, blocks, pairs, &left, &right)?;
            match question.both_ways {
                true => check_inclusion(&both, weak, blocks, pairs, &right, &left),
                false => Ok(()),
            }
        }
        (_, relation) => rejected(format!("this is no evidence for the relation `{relation}`")),
    }
}

fn check_unrelated(
    first: &Lts,
    second: &Lts,
    question: RelationQuery,
    unrelated: &Unrelated,
) -> Result<(), Rejected> {
    let (Unrelated::Formula { holds_in: side, .. } | Unrelated::Trace { of: side, .. }) = unrelated;
    if *side == Side::Second && !question.both_ways && !question.relation.is_bisimulation() {
        return rejected("what only the larger system can do does not tell the two apart");
    }
    let (one, other) = match side {
        Side::First => (first, second),
        Side::Second => (second, first),
    };
    match unrelated {
        Unrelated::Formula { formula, .. } => {
            in_fragment(formula, question.relation)?;
            if states_where(formula, one, one.initial()).is_empty() {
                return rejected(format!(
                    "the formula is true in no initial state of the {side} system"
                ));
            }
            match states_where(formula, other, other.initial()).first() {
                Some(state) => rejected(format!(
                    "the formula is true in the initial state {state} of the {} system, too",
                    side.other()
                )),
                None => Ok(()),
            }
        }
        Unrelated::Trace { trace, .. } => {
            let weak = match question.relation {
                Relation::Trace => false,
                Relation::WeakTrace => true,
                relation => return rejected(format!("a trace says nothing about the relation `{relation}`")),
            };
            if !has_trace(one, weak, trace) {
                return rejected(format!("the {side} system does not have the trace"));
            }
            match has_trace(other, weak, trace) {
                true => rejected(format!("the {} system has the trace, too", side.other())),
                false => Ok(()),
            }
        }
    }
}

/// Whether related states agree on every formula that uses these operators; for simulations: whether the larger state
/// satisfies what the smaller one does.
fn in_fragment(formula: &Hml, relation: Relation) -> Result<(), Rejected> {
    if !formula.is_ordered() {
        return rejected("the formula is not in order: a part comes after what uses it");
    }
    let nodes = formula.nodes();
    let allowed = |node: &HmlNode| match node {
        HmlNode::True | HmlNode::Proposition { .. } | HmlNode::And { .. } => true,
        HmlNode::Not { of } => match (relation, &nodes[*of as usize]) {
            (Relation::Simulation | Relation::ReadySimulation, HmlNode::Proposition { .. }) => true,
            (Relation::ReadySimulation, HmlNode::Some { then, .. }) => {
                matches!(nodes[*then as usize], HmlNode::True)
            }
            (relation, _) => relation.is_bisimulation(),
        },
        HmlNode::Some { .. } => matches!(
            relation,
            Relation::Strong | Relation::Simulation | Relation::ReadySimulation
        ),
        HmlNode::Weak { .. } => relation == Relation::Weak,
        HmlNode::Until { .. } => matches!(relation, Relation::Branching | Relation::DivergenceBranching),
        HmlNode::Forever { .. } => relation == Relation::DivergenceBranching,
    };
    match nodes.iter().all(allowed) && !matches!(relation, Relation::Trace | Relation::WeakTrace) {
        true => Ok(()),
        false => rejected(format!(
            "the relation `{relation}` does not respect such a formula"
        )),
    }
}
