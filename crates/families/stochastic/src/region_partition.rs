//! Partitions of a region of parameters: where a bound holds, where it is violated everywhere, and what is left open (Quatmann, Dehnert, Jansen, Junges and Katoen 2016).
//!
//! The model is solved at the middle of a box; lifting then tries to show of the whole box what is true there, the bound or its opposite. Boxes for which that fails are cut in
//! two, the largest first, until what is open is at most the wanted share. At every point of a bad part the bound is violated, which is the opposite
//! bound of chains; with choices that would be a game, and there are only good parts.

use crate::region::{MOST_BOXES, Part, Search, centre};
use crate::saved::texts;
use entail_answer::{Answer, Verdict};
use entail_budget::{Budget, Progress};
use entail_markov::{Comparison, Property, Query, Rational, to_float};
use entail_probabilistic::{Lifting, Trouble};
use std::collections::VecDeque;

/// The property that every point must have to violate another, if that has a bound.
pub(crate) fn opposite(asked: &Property) -> Option<Property> {
    let mut found = asked.of_all_initial_states().clone();
    match &mut found {
        Property::Probability { query, .. } | Property::Reward { query, .. } => match query {
            Query::Compare(threshold) => {
                threshold.comparison = match threshold.comparison {
                    Comparison::Lt => Comparison::Ge,
                    Comparison::Le => Comparison::Gt,
                    Comparison::Gt => Comparison::Le,
                    Comparison::Ge => Comparison::Lt,
                };
                Some(found)
            }
            Query::Value => None,
        },
        _ => None,
    }
}

impl Search<'_> {
    /// Divides the region until at most such a share of it is open.
    pub fn divide(
        &mut self,
        open: &Rational,
        budget: &Budget,
        progress: &dyn Progress,
    ) -> Result<Answer, Trouble> {
        let good = Lifting::new(self.parametric, self.asked, crate::checker::MOST_STATES)?;
        let opposite = opposite(self.asked).filter(|_| !self.parametric.network().kind.has_choices());
        let bad = match &opposite {
            Some(opposite) => Some(Lifting::new(self.parametric, opposite, crate::checker::MOST_STATES)?),
            None => None,
        };
        let mut waiting = VecDeque::from([self.region.clone()]);
        let mut bad_share = Rational::ZERO;
        let mut stopped = None;
        while let Some(part) = waiting.pop_front() {
            if &(Rational::ONE - &self.decided - &bad_share) <= open {
                break;
            }
            if self.boxes >= MOST_BOXES {
                stopped = Some(format!("{MOST_BOXES} parts were looked at"));
                break;
            }
            if let Err(spent) = budget.check_now() {
                stopped = Some(spent.to_string());
                break;
            }
            self.boxes += 1;
            let violated = self.violated_at(&centre(&part), budget, progress)?.is_some();
            let tried = match (violated, &bad) {
                (false, _) => Some((&good, true)),
                (true, Some(bad)) => Some((bad, false)),
                (true, None) => None,
            };
            let found = match tried {
                Some((lifting, is_good)) => {
                    self.holds_in(lifting, &part, budget)?.map(|certificate| (certificate, is_good))
                }
                None => None,
            };
            match found {
                Some((certificate, is_good)) => {
                    let own = Part {
                        low: texts(&part.low),
                        high: texts(&part.high),
                        certificate,
                    };
                    let share = self.share(&part);
                    match is_good {
                        true => {
                            self.decided += share;
                            self.proof.parts.push(own);
                        }
                        false => {
                            bad_share += share;
                            self.proof.bad.push(own);
                        }
                    }
                }
                None => waiting.extend(self.halves(&part).into_iter().flatten()),
            }
        }
        let percent = |share: &Rational| to_float(&(share * Rational::from(100u8)));
        let left = Rational::ONE - &self.decided - &bad_share;
        let mut text = format!(
            "good in {:.2} % of the region, bad in {:.2} %, open in {:.2} % ({} and {} parts)",
            percent(&self.decided),
            percent(&bad_share),
            percent(&left),
            self.proof.parts.len(),
            self.proof.bad.len()
        );
        if let Some(stopped) = stopped {
            text = format!("{text}: {stopped}");
        }
        let verdict = match (left.is_zero(), self.proof.bad.is_empty()) {
            (true, true) => Verdict::Holds,
            (_, false) => Verdict::Fails,
            // That the bound holds where nothing is known does not follow.
            (false, true) => return Ok(Answer::unknown(text)),
        };
        let mut answer = self.answer(verdict);
        answer.reason = Some(text);
        Ok(answer)
    }
}
