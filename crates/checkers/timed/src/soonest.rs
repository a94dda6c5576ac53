//! Games against time: a strategy that wins in time, and states from which the opponent keeps the controller from winning sooner.

use crate::cover::Asking;
use crate::{Objection, game};
use entail_answer::{CheckReport, Verdict};
use entail_budget::Budget;
use entail_clocks::evidence::{CoverNodes, Proof};
use entail_clocks::{Meaning, Network, TimedGame};

/// A time within which the game is to be won, or strictly before which; nothing: there is no limit.
pub type Limit = Option<(i64, bool)>;

/// Hands what the model means, when the game has a limit of time, to whoever asks.
pub type Limited<'m> = dyn Fn(Limit, &mut Asking<'_>) + 'm;

/// How soon a game is won.
pub struct Subject<'a> {
    /// What the model means.
    pub meaning: &'a Limited<'a>,
    /// The game.
    pub game: &'a TimedGame,
    /// The network, with the clock that nothing sets.
    pub network: &'a Network,
}

impl Subject<'_> {
    /// Whether evidence supports a verdict.
    pub fn judge(&self, verdict: Verdict, proof: &Proof, budget: &Budget) -> CheckReport {
        let claimed = match proof {
            Proof::Spoiled { .. } => Verdict::Fails,
            _ => Verdict::Holds,
        };
        match verdict == claimed {
            true => crate::reported(self.is_right(proof, budget)),
            false => CheckReport::rejected("the evidence shows the opposite of the verdict"),
        }
    }

    fn ask(
        &self,
        limit: Limit,
        judge: &dyn Fn(&dyn Meaning) -> Result<(), Objection>,
    ) -> Result<(), Objection> {
        let mut judged = Err("the model has no meaning".into());
        (self.meaning)(limit, &mut |meaning| judged = judge(meaning));
        judged
    }

    fn is_spoiled(&self, limit: Limit, losing: &CoverNodes, budget: &Budget) -> Result<(), Objection> {
        let query = match limit {
            Some((time, strictly)) => self.game.within(time, strictly),
            None => self.game.untimed(),
        };
        self.ask(limit, &|meaning| {
            game::is_spoiled(meaning, self.network, &query, true, losing, budget)
        })
    }

    /// Checks how soon the game is won, or that it is not.
    pub(crate) fn is_right(&self, proof: &Proof, budget: &Budget) -> Result<(), Objection> {
        let soonest = match proof {
            Proof::Soonest { soonest } => soonest,
            Proof::Spoiled { losing } => {
                return self.is_spoiled(self.game.most.map(|most| (most, false)), losing, budget);
            }
            _ => return Err("the evidence is of another kind than the question needs".into()),
        };
        let (within, strictly) = (soonest.within, soonest.strictly);
        if within < 0 || self.game.most.is_some_and(|most| within > most) {
            return Err("the time is beyond its limit".into());
        }
        let query = self.game.within(within, strictly);
        self.ask(Some((within, strictly)), &|meaning| {
            game::is_won(meaning, self.network, &query, true, &soonest.strategy, budget)
        })?;
        match (&soonest.losing, strictly) {
            (Some(losing), false) => self.is_spoiled(Some((within, true)), losing, budget),
            (Some(losing), true) => self.is_spoiled(Some((within - 1, false)), losing, budget),
            (None, false) if within == 0 => Ok(()),
            _ => Err("nothing shows that it takes so long".into()),
        }
    }
}
