//! A path of the abstract model along which a formula about all paths is not known to be true.
//!
//! The path goes from a state where the formula is not known to be true to one where the same can be said of a literal, or round a loop inside a
//! least fixpoint (what should happen never does). It is for people to read: whether the model has such a path is another question.

use super::annotation::{Annotated, Shape, annotate};
use super::evaluation::Modalities;
use entail_budget::{Budget, Spent};
use entail_fixpoint::EvaluateError;
use entail_logic::mu::{Fixpoint, Modality, Mu};
use entail_model::{Kmts, StateId};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// Abstract states one after the other, and where the last goes back to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AbstractPath {
    /// The states.
    pub states: Vec<StateId>,
    /// The position the path goes on from after the last state, if it is endless.
    pub loop_start: Option<usize>,
}

/// A subformula in a state.
type Place = (usize, StateId);

/// A path from the state on which the formula is not known to be true.
pub fn doubtful_path(
    kmts: &Kmts,
    formula: &Mu<usize>,
    modalities: Modalities,
    state: StateId,
    budget: &Budget,
) -> Result<AbstractPath, EvaluateError<Spent>> {
    let annotated = annotate(kmts, formula, modalities, budget)?;
    let search = Search {
        kmts,
        annotated: &annotated,
    };
    let start = (annotated.root, state);
    let mut came_from: FxHashMap<Place, Option<Place>> = FxHashMap::from_iter([(start, None)]);
    let mut queue = VecDeque::from([start]);
    while let Some(place) = queue.pop_front() {
        budget.check().map_err(EvaluateError::Region)?;
        let shape = &annotated.nodes[place.0].shape;
        let never_happens = matches!(shape, Shape::Fixpoint(Fixpoint::Least, _));
        let next = search.next(place);
        if never_happens || next.is_empty() {
            let mut way = vec![place];
            while let Some(Some(before)) = came_from.get(&way[way.len() - 1]) {
                way.push(*before);
            }
            way.reverse();
            return Ok(search.walk(way));
        }
        for place_after in next {
            came_from.entry(place_after).or_insert_with(|| {
                queue.push_back(place_after);
                Some(place)
            });
        }
    }
    Ok(AbstractPath {
        states: vec![state],
        loop_start: None,
    })
}

struct Search<'s> {
    kmts: &'s Kmts,
    annotated: &'s Annotated,
}

impl Search<'_> {
    /// Where the doubt may come from.
    fn next(&self, (node, state): Place) -> Vec<Place> {
        let nodes = &self.annotated.nodes;
        let doubtful = |node: usize, state: StateId| nodes[node].known.at(state) != Some(true);
        match &nodes[node].shape {
            Shape::Constant | Shape::Proposition(_) => Vec::new(),
            Shape::And(operands) => {
                let doubtful = operands.iter().filter(|&&operand| doubtful(operand, state));
                doubtful.map(|&operand| (operand, state)).collect()
            }
            // All operands are doubtful; what happens later is told by the last one that is no literal.
            Shape::Or(operands) => {
                let lasting = |operand: &&usize| !matches!(nodes[**operand].shape, Shape::Proposition(_));
                let told = operands.iter().rev().find(lasting).or(operands.last());
                told.map(|&operand| (operand, state)).into_iter().collect()
            }
            Shape::Fixpoint(_, operand) | Shape::Variable(operand) => vec![(*operand, state)],
            Shape::Modal(Modality::Every, operand) => {
                let targets = self.kmts.may(state).iter().filter(|&&to| doubtful(*operand, to));
                targets.map(|&to| (*operand, to)).collect()
            }
            // What no successor is known to do is shown by nothing less than all of them.
            Shape::Modal(Modality::Some, _) => Vec::new(),
        }
    }

    /// Goes on as long as there is somewhere to go that has not been seen.
    fn walk(&self, mut way: Vec<Place>) -> AbstractPath {
        let steps_before = |way: &[Place]| {
            let modal = |place: &&Place| matches!(self.annotated.nodes[place.0].shape, Shape::Modal(..));
            way.iter().filter(modal).count()
        };
        let mut loop_start = None;
        while let Some(&next) = self.next(way[way.len() - 1]).first() {
            if let Some(seen) = way.iter().position(|&place| place == next) {
                loop_start = Some(steps_before(&way[..seen]));
                break;
            }
            way.push(next);
        }
        let mut states = vec![way[0].1];
        for pair in way.windows(2) {
            if matches!(self.annotated.nodes[pair[0].0].shape, Shape::Modal(..)) {
                states.push(pair[1].1);
            }
        }
        AbstractPath { states, loop_start }
    }
}
