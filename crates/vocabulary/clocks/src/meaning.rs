//! What a model means, as its states and steps: the seam between a checker and whatever says what a model means.
//!
//! A network says it itself. A language may say it too, from its own text, and then evidence is judged without the translation into a network.

use crate::discrete::{ClockConstraint, ClockUpdate, Discrete, Trouble};
use crate::{EdgeId, Formula, Measure, Measured, Network};

/// A step of a discrete state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Move {
    /// The edges, one of each process that moves, in the order of their actions.
    pub edges: Vec<EdgeId>,
    /// The clock values from which it can be taken, but for the invariant it leads to.
    pub guard: Vec<ClockConstraint>,
    /// What it does to the clocks, in order.
    pub updates: Vec<ClockUpdate>,
    /// The clock part of the invariant of the target.
    pub invariant: Vec<ClockConstraint>,
    /// Where it leads, or what goes wrong.
    pub target: Result<Discrete, Trouble>,
    /// Whether the controller chooses when it is taken, in a game.
    pub controllable: bool,
    /// What it costs.
    pub cost: i64,
}

/// What a model means.
pub trait Meaning {
    /// The discrete initial states, whatever their invariants say.
    fn starts(&self) -> Result<Vec<Discrete>, Trouble>;

    /// The clock part of the invariant of a state; nothing if its integer part is false.
    fn invariant(&self, state: &Discrete) -> Result<Option<Vec<ClockConstraint>>, Trouble>;

    /// Whether time may pass in a state.
    fn may_delay(&self, state: &Discrete) -> Result<bool, Trouble>;

    /// The clocks that stand still while time passes in a state.
    fn stopped(&self, state: &Discrete) -> Result<Vec<usize>, Trouble>;

    /// What a unit of time costs in a state.
    fn rate(&self, state: &Discrete) -> Result<i64, Trouble>;

    /// The steps of a state whose integer guards hold and lead to a state whose integer invariant holds.
    fn moves(&self, state: &Discrete) -> Result<Vec<Move>, Trouble>;

    /// The clock values that satisfy a condition in a state: one of these conjunctions holds. The condition is given by its position in the query.
    fn satisfying(
        &self,
        formulas: &[Formula],
        position: usize,
        state: &Discrete,
    ) -> Result<Vec<Vec<ClockConstraint>>, Trouble>;

    /// What a query measures, in a state.
    fn measure(&self, measure: &Measure, state: &Discrete) -> Result<Measured, Trouble>;
}

impl Meaning for Network {
    fn starts(&self) -> Result<Vec<Discrete>, Trouble> {
        Ok(self.initial())
    }

    fn invariant(&self, state: &Discrete) -> Result<Option<Vec<ClockConstraint>>, Trouble> {
        let mut found = Vec::new();
        Ok(Network::invariant(self, state, &mut found)?.then_some(found))
    }

    fn may_delay(&self, state: &Discrete) -> Result<bool, Trouble> {
        Network::may_delay(self, state)
    }

    fn stopped(&self, state: &Discrete) -> Result<Vec<usize>, Trouble> {
        Network::stopped(self, state)
    }

    fn rate(&self, state: &Discrete) -> Result<i64, Trouble> {
        Network::rate(self, state)
    }

    fn moves(&self, state: &Discrete) -> Result<Vec<Move>, Trouble> {
        let mut found = Vec::new();
        for joint in self.joints(state)? {
            let (mut guard, mut updates, mut invariant) = (joint.side, Vec::new(), Vec::new());
            let mut cost = 0;
            let target = match self.guard(&joint.edges, &state.integers, &mut guard) {
                Ok(false) => continue,
                Err(trouble) => Err(trouble),
                Ok(true) => match self.act_at_cost(&joint.edges, state, &mut updates, &mut cost) {
                    Ok(None) => continue,
                    Err(trouble) => Err(trouble),
                    Ok(Some(next)) => match Network::invariant(self, &next, &mut invariant) {
                        Ok(false) => continue,
                        Err(trouble) => Err(trouble),
                        Ok(true) => Ok(next),
                    },
                },
            };
            found.push(Move {
                controllable: self.is_controllable(&joint.edges),
                cost,
                edges: joint.edges,
                guard,
                updates,
                invariant,
                target,
            });
        }
        Ok(found)
    }

    fn satisfying(
        &self,
        formulas: &[Formula],
        position: usize,
        state: &Discrete,
    ) -> Result<Vec<Vec<ClockConstraint>>, Trouble> {
        Ok(formulas[position].satisfying(self, state)?)
    }

    fn measure(&self, measure: &Measure, state: &Discrete) -> Result<Measured, Trouble> {
        Ok(measure.measured(state)?)
    }
}
