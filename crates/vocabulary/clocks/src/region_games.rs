//! Games on the region graph, from the definition: the reference that games on zones are compared with.
//!
//! In a region the controller chooses a later region of the same line of time at which it takes one of its steps, or waits to the end of the line. In every region that is passed, and in the
//! last one, its opponent may take a step before it. At the end of a bounded line of time something has to happen: the opponent takes a step if it can; if only the controller could, the
//! controller may not wait so long; if nobody can, the run ends there.

use crate::Formula;
use crate::discrete::Trouble;
use crate::regions::RegionGraph;

impl RegionGraph<'_> {
    /// Whether the controller has a strategy from every initial region.
    pub(crate) fn controls(&self, formulas: &[Formula], must_win: bool) -> Result<bool, Trouble> {
        let (mut goal, mut lost) = (Vec::new(), Vec::new());
        for region in 0..self.len() {
            let is_goal = self.satisfies(region, &formulas[0])?;
            goal.push(is_goal);
            lost.push(!is_goal && self.satisfies(region, &formulas[1])?);
        }
        // Winning regions grow from nothing, or shrink from everything.
        let mut wins: Vec<bool> = vec![!must_win; self.len()];
        loop {
            let before = wins.clone();
            for (region, wins) in wins.iter_mut().enumerate() {
                *wins = self.wins_in_one_move(region, &goal, &lost, &before, must_win);
            }
            if wins == before {
                return Ok((0..self.len()).all(|region| !self.initial[region] || wins[region]));
            }
        }
    }

    /// Whether a wait and a step lead from a region into the winning ones, whatever the opponent does.
    fn wins_in_one_move(
        &self,
        region: usize,
        goal: &[bool],
        lost: &[bool],
        wins: &[bool],
        must_win: bool,
    ) -> bool {
        let mut here = region;
        loop {
            if goal[here] {
                return true;
            }
            if lost[here] || self.opposing[here].iter().any(|&next| !wins[next]) {
                return false;
            }
            if self.own[here].iter().any(|&next| wins[next]) {
                return true;
            }
            match self.delays[here] {
                Some(next) if next != here => here = next,
                // Time goes on for ever.
                Some(_) => return !must_win,
                None if !self.opposing[here].is_empty() => return true,
                None => return !must_win && self.own[here].is_empty(),
            }
        }
    }
}
