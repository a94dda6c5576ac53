//! What a UPPAAL model means for a question that is made of several conditions, each judged by its own text.

use entail_clocks::discrete::{ClockConstraint, Discrete, Trouble};
use entail_clocks::{Formula, Meaning, Measure, Measured, Move, Network};
use entail_uppaal_checker::{Asked, Tree};
use entail_uppaal_tree::PropertyKind;

/// A model, and the conditions of a question about it.
pub(crate) struct Parts<'t, 'm> {
    whole: Asked<'t, 'm>,
    /// Each condition as it is written; nothing for one that is about the clocks of intervals.
    conditions: Vec<Option<Asked<'t, 'm>>>,
    network: &'t Network,
}

impl<'t, 'm> Parts<'t, 'm> {
    pub fn new(
        tree: &'t Tree<'m>,
        property: &'m PropertyKind,
        conditions: &'m [Option<PropertyKind>],
        network: &'t Network,
    ) -> Parts<'t, 'm> {
        let asked = |kind: &'m Option<PropertyKind>| kind.as_ref().map(|kind| Asked::new(tree, kind));
        Parts {
            whole: Asked::new(tree, property),
            conditions: conditions.iter().map(asked).collect(),
            network,
        }
    }
}

impl Meaning for Parts<'_, '_> {
    fn starts(&self) -> Result<Vec<Discrete>, Trouble> {
        self.whole.starts()
    }

    fn invariant(&self, state: &Discrete) -> Result<Option<Vec<ClockConstraint>>, Trouble> {
        self.whole.invariant(state)
    }

    fn may_delay(&self, state: &Discrete) -> Result<bool, Trouble> {
        self.whole.may_delay(state)
    }

    fn stopped(&self, state: &Discrete) -> Result<Vec<usize>, Trouble> {
        self.whole.stopped(state)
    }

    fn rate(&self, state: &Discrete) -> Result<i64, Trouble> {
        self.whole.rate(state)
    }

    fn moves(&self, state: &Discrete) -> Result<Vec<Move>, Trouble> {
        self.whole.moves(state)
    }

    fn satisfying(
        &self,
        formulas: &[Formula],
        position: usize,
        state: &Discrete,
    ) -> Result<Vec<Vec<ClockConstraint>>, Trouble> {
        match self.conditions.get(position) {
            None => self.whole.satisfying(formulas, position, state),
            Some(Some(asked)) => asked.satisfying(&[], 0, state),
            Some(None) => Ok(formulas[position].satisfying(self.network, state)?),
        }
    }

    fn measure(&self, measure: &Measure, state: &Discrete) -> Result<Measured, Trouble> {
        self.whole.measure(measure, state)
    }
}
