//! Why a state does not simulate another: a formula without negation, or, for ready simulation, with negation of single actions
//! only, that is true in the state that should be simulated.
//!
//! A pair is wrong because nothing answers a step: all pairs of the step's target and an answer were wrong before. So the formula
//! follows the solver's reasons, and ends where states look different or offer different actions.

use super::solver::{Solver, Wrong};
use crate::formulas::truth::Truth;
use crate::formulas::{drop_superfluous, look, shrink};
use entail_budget::{Budget, Spent};
use entail_evidence::equivalence::{Hml, HmlGraph, HmlId, HmlNode};
use entail_model::{Lts, StateId};
use rustc_hash::FxHashMap;

pub(super) fn formula(
    lts: &Lts,
    solver: &Solver<'_>,
    s: StateId,
    others: &[StateId],
    budget: &Budget,
) -> Result<Hml, Spent> {
    let mut writer = Writer {
        lts,
        solver,
        budget,
        graph: HmlGraph::new(),
        truth: Truth::new(lts),
        known: FxHashMap::default(),
    };
    let formula = writer.exclude(s, others)?;
    let Writer {
        mut graph, mut truth, ..
    } = writer;
    let formula = shrink(&mut graph, &mut truth, formula, s, others, budget)?;
    Ok(graph.extract(formula))
}

struct Writer<'a> {
    lts: &'a Lts,
    solver: &'a Solver<'a>,
    budget: &'a Budget,
    graph: HmlGraph,
    truth: Truth<'a>,
    known: FxHashMap<(StateId, StateId), HmlId>,
}

impl Writer<'_> {
    /// True in `s`, false in all of `others`.
    fn exclude(&mut self, s: StateId, others: &[StateId]) -> Result<HmlId, Spent> {
        let mut chosen: Vec<HmlId> = Vec::new();
        for &other in others {
            self.budget.check()?;
            if !chosen
                .iter()
                .any(|&part| !self.truth.holds(&self.graph, part, other))
            {
                chosen.push(self.separate(s, other)?);
            }
        }
        drop_superfluous(&self.graph, &mut self.truth, &mut chosen, others, self.budget)?;
        Ok(self.graph.add(HmlNode::And { of: chosen }))
    }

    fn separate(&mut self, s: StateId, t: StateId) -> Result<HmlId, Spent> {
        if let Some(&known) = self.known.get(&(s, t)) {
            return Ok(known);
        }
        let formula = match self.solver.why(s, t) {
            Some(Wrong::Step(action, target)) => {
                let answers = self.lts.successors(t, action);
                let then = stacker::maybe_grow(64 << 10, 2 << 20, || self.exclude(target, answers))?;
                let action = self.lts.action_name(action).clone();
                self.graph.add(HmlNode::Some { action, then })
            }
            Some(Wrong::Ready) => self.menu(s, t),
            Some(Wrong::Looks) | None => look(&mut self.graph, self.lts, s, t),
        };
        self.known.insert((s, t), formula);
        Ok(formula)
    }

    /// An action that only one of the two can do.
    fn menu(&mut self, s: StateId, t: StateId) -> HmlId {
        let then = self.graph.add(HmlNode::True);
        let (here, there) = (self.lts.row(s).0, self.lts.row(t).0);
        let more = here.iter().find(|action| !there.contains(action));
        let less = there.iter().find(|action| !here.contains(action));
        let Some(action) = more.or(less) else { return then };
        let action = self.lts.action_name(*action).clone();
        let can = self.graph.add(HmlNode::Some { action, then });
        match more {
            Some(_) => can,
            None => self.graph.add(HmlNode::Not { of: can }),
        }
    }
}
