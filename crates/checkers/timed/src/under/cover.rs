//! Covers of what a strategy leaves: closed under its waits and the steps that it leaves.
//!
//! What steps lead to is cut along everything that is compared in the state that they lead to, so that in each piece the strategy says one thing, and a node covers each piece. Values that stand for one another compare alike, now and after any
//! wait: so the strategy says the same of them at every moment.

use super::{Place, Play, inside};
use crate::cover::{Checked, are_constants_right, meets, starts, taken};
use crate::deadlock::MOST_PIECES;
use crate::game::earlier;
use crate::matrix::Matrix;
use crate::table::Table;
use crate::within::{Within, without};
use crate::{Objection, deadlock::everything};
use entail_budget::Budget;
use entail_clocks::discrete::Discrete;
use entail_clocks::evidence::Cover;
use entail_clocks::{ClockName, Comparison, Expression, Formula, Move, Query};

impl<'a> Play<'a> {
    /// Whether the constants of a cover suit the question and all that rules compare.
    fn has_right_constants(&self, cover: &Cover) -> Result<(), Objection> {
        let (_, question) = self.subject.question;
        let goal = self.subject.game.1.formulas()[0].clone();
        let mut all: Vec<Formula> = question.formulas().iter().cloned().chain([goal]).collect();
        all.extend(
            self.compared()
                .into_iter()
                .map(|(left, right, bound)| Formula::Clock {
                    left: ClockName::one(left),
                    right: ClockName::one(right),
                    comparison: Comparison::Equal,
                    bound: Expression::Constant(bound >> 1),
                }),
        );
        let compared = match question.needs_bisimulation() {
            true => Query::Stay(all, true),
            false => Query::Reach(Formula::And(all), true),
        };
        are_constants_right(self.subject.network, &compared, cover)
    }

    /// The steps that are left from values of a place, with what they lead to.
    fn steps(
        &'a self,
        place: &Place<'_>,
        moves: &[Move],
        values: &Matrix,
    ) -> Result<Vec<(Discrete, Matrix)>, Objection> {
        let mut found = Vec::new();
        for step in moves {
            let from = match step.controllable && self.must_win {
                true => inside(&place.allows(&step.edges), values),
                false => vec![values.clone()],
            };
            for values in from {
                let Some((next, after)) = taken(step, &values)? else {
                    continue;
                };
                match step.controllable && !self.must_win {
                    true => {
                        let kept = inside(&self.passes(&next)?, &after);
                        found.extend(kept.into_iter().map(|after| (next.clone(), after)));
                    }
                    false => found.push((next, after)),
                }
            }
        }
        Ok(found)
    }

    /// The pieces of values along all that is compared in their state.
    fn cut(&self, place: &Place<'_>, values: Matrix) -> Result<Vec<Matrix>, Objection> {
        let (meaning, question) = self.subject.question;
        let mut comparisons = place.comparisons.clone();
        if let Query::Stay(formulas, _) = question {
            for one in meaning.satisfying(formulas, 0, &place.discrete)?.iter().flatten() {
                comparisons.push((one.left, one.right, 2 * one.bound + i64::from(!one.strict)));
            }
        }
        comparisons.sort_unstable();
        comparisons.dedup();
        let mut pieces = vec![values];
        for (left, right, bound) in comparisons {
            let mut finer = Vec::new();
            for piece in pieces {
                let (mut one, mut other) = (piece.clone(), piece);
                if one.cut(left, right, bound) {
                    finer.push(one);
                }
                if other.cut(right, left, 1 - bound) {
                    finer.push(other);
                }
            }
            pieces = finer;
            if pieces.len() > MOST_PIECES {
                return Err(Objection::Unchecked("a strategy with very many cases".to_owned()));
            }
        }
        Ok(pieces)
    }

    /// Checks that nodes cover some values, all or those within a condition; gives the largest rank that is needed.
    fn covered(
        &'a self,
        nodes: &Checked<'_>,
        discrete: &Discrete,
        values: &Matrix,
        within: Option<&Within>,
    ) -> Result<Option<u32>, Objection> {
        let place = self.place(discrete)?;
        let parts = match within {
            Some(within) => within.inside(values),
            None => vec![values.clone()],
        };
        let mut largest = None;
        for part in parts {
            for piece in self.cut(&place, part)? {
                let rank = match nodes.rank_of_cover(discrete, &piece, u32::MAX) {
                    Ok(rank) => rank,
                    // Time may lead to them along several ways, one node for each.
                    Err(objection) => nodes.rank_of_union(discrete, piece)?.ok_or(objection)?,
                };
                largest = largest.max(Some(rank));
            }
        }
        Ok(largest)
    }

    /// Checks that a cover contains all that is left, and nothing that is looked for.
    pub(super) fn never_reaches(&'a self, cover: &Cover, budget: &Budget) -> Result<(), Objection> {
        self.has_right_constants(cover)?;
        let table = Table::new(self.subject.network, cover, &cover.nodes, 1, budget)?;
        let (meaning, question) = self.subject.question;
        let visit = |discrete: &Discrete, values: &Matrix| match meets(
            meaning,
            question.formulas(),
            0,
            discrete,
            values,
        )? {
            true => Err("the cover contains a state that is looked for".into()),
            false => Ok(()),
        };
        self.contains_all(&Checked::new(meaning, &table), cover.nodes.len(), budget, visit)
    }

    /// Checks that nodes contain all that is left, and visits everything in them.
    fn contains_all(
        &'a self,
        nodes: &Checked<'_>,
        count: usize,
        budget: &Budget,
        visit: impl Fn(&Discrete, &Matrix) -> Result<(), Objection>,
    ) -> Result<(), Objection> {
        let (meaning, _) = self.subject.question;
        for (discrete, zone) in starts(meaning, self.subject.network)? {
            self.covered(nodes, &discrete, &zone, None)?;
        }
        for number in 0..count {
            budget.check()?;
            let (discrete, values) = nodes.node(number);
            let place = self.place(&discrete)?;
            let moves = meaning.moves(&discrete)?;
            for values in place.later(&values, &[], self.must_win)? {
                for values in self.cut(&place, values)? {
                    visit(&discrete, &values)?;
                    for (next, after) in self.steps(&place, &moves, &values)? {
                        self.covered(nodes, &next, &after, None)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Checks that no maximal run that is left stays within the question's condition.
    pub(super) fn never_stays(&'a self, cover: &Cover, budget: &Budget) -> Result<(), Objection> {
        self.has_right_constants(cover)?;
        let (meaning, question) = self.subject.question;
        let formulas = question.formulas();
        let table = Table::new(self.subject.network, cover, &cover.nodes, 1, budget)?;
        let nodes = Checked::new(meaning, &table);
        let begins = |discrete: &Discrete, values: &Matrix| -> Result<(), Objection> {
            if let Some(within) = Within::of(meaning, formulas, 0, discrete, self.size)? {
                self.covered(&nodes, discrete, values, Some(&within))?;
            }
            Ok(())
        };
        if formulas.len() == 1 {
            for (discrete, zone) in starts(meaning, self.subject.network)? {
                begins(&discrete, &zone)?;
            }
        } else {
            let table = Table::new(self.subject.network, cover, &cover.prelude, 1, budget)?;
            let prelude = Checked::new(meaning, &table);
            self.contains_all(&prelude, cover.prelude.len(), budget, |discrete, values| {
                for conjunction in meaning.satisfying(formulas, 1, discrete)? {
                    let mut part = values.clone();
                    if part.cut_all(&conjunction) {
                        begins(discrete, &part)?;
                    }
                }
                Ok(())
            })?;
        }
        for number in 0..cover.nodes.len() {
            budget.check()?;
            let (discrete, values) = nodes.node(number);
            if let Some(within) = Within::of(meaning, formulas, 0, &discrete, self.size)? {
                let rank = cover.nodes.rank(number);
                self.leads_down(&nodes, &within, (&discrete, &values), rank)?;
            }
        }
        Ok(())
    }

    /// Checks that no run can end within a condition in a node, and that steps within it lead to smaller ranks.
    fn leads_down(
        &'a self,
        nodes: &Checked<'_>,
        within: &Within,
        (discrete, values): (&Discrete, &Matrix),
        rank: u32,
    ) -> Result<(), Objection> {
        let (meaning, question) = self.subject.question;
        let place = self.place(discrete)?;
        let moves = meaning.moves(discrete)?;
        let able = self.able(&place, &moves)?;
        let before = |matrices: &[Matrix]| -> Vec<Matrix> {
            let mut before = matrices.to_vec();
            if place.may_delay {
                before.iter_mut().for_each(Matrix::sink);
            }
            before
        };
        let mut all = Vec::new();
        for values in place.later(values, &within.opposite, self.must_win)? {
            all.extend(self.cut(&place, values)?);
        }
        for values in all {
            if within.is_endless() {
                let lasting = without(vec![values.clone()], &before(&within.opposite))?;
                if !without(lasting, &before(&place.halts))?.is_empty() {
                    return Err("a run can wait for ever within the condition".into());
                }
            }
            if self.can_end(&place, &able, within, &values)? {
                return Err("a run can end within the condition".into());
            }
            for (next, after) in self.steps(&place, &moves, &values)? {
                let Some(there) = Within::of(meaning, question.formulas(), 0, &next, self.size)? else {
                    continue;
                };
                let needed = self.covered(nodes, &next, &after, Some(&there))?;
                if needed.is_some_and(|needed| needed >= rank) {
                    return Err("ranks do not fall along a step within the condition".into());
                }
            }
        }
        Ok(())
    }

    /// Where time passes and some step is left.
    fn able(&'a self, place: &Place<'_>, moves: &[Move]) -> Result<Vec<Matrix>, Objection> {
        let mut found = Vec::new();
        for step in moves {
            let next = step.target.clone()?;
            let into = match step.controllable && !self.must_win {
                true => self.passes(&next)?,
                false => vec![everything(self.size)],
            };
            for into in into {
                let Some(enabled) = earlier(step, &into, &place.invariant) else {
                    continue;
                };
                let enabled = match step.controllable && self.must_win {
                    true => inside(&place.allows(&step.edges), &enabled),
                    false => vec![enabled],
                };
                found.extend(enabled.iter().flat_map(|one| inside(&place.passes, one)));
            }
        }
        Ok(found)
    }

    /// Whether from some values no step is left however long one waits, and the time that is left passes within the condition.
    fn can_end(
        &self,
        place: &Place<'_>,
        able: &[Matrix],
        within: &Within,
        values: &Matrix,
    ) -> Result<bool, Objection> {
        let mut rest = inside(&place.passes, values);
        if self.must_win {
            // Where a step is to be taken in the end, it is.
            let mut ahead = place.halts.clone();
            if place.may_delay {
                ahead.iter_mut().for_each(Matrix::sink);
            }
            rest = without(rest, &ahead)?;
        }
        let passing = Within {
            invariant: place.invariant.clone(),
            may_delay: place.may_delay,
            parts: Vec::new(),
            opposite: place.halts.clone(),
        };
        let left: Vec<Matrix> = (within.opposite.iter())
            .flat_map(|one| inside(&place.passes, one))
            .collect();
        for target in able.iter().chain(&left) {
            if rest.is_empty() {
                return Ok(false);
            }
            rest = without(rest, &passing.earlier(target)?)?;
        }
        Ok(!rest.is_empty())
    }
}
