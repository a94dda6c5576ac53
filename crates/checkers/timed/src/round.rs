//! Cycles of runs that stay within a condition, for a whole zone at once.
//!
//! Backwards around the cycle, the values from which it leads into its zone are computed; they must contain the zone. Which steps there are, and how long one may wait before them, is said by whoever asks: all that the model has, or what a strategy leaves of it.

use crate::Objection;
use crate::deadlock::MOST_PIECES;
use crate::matrix::Matrix;
use crate::replay::Exact;
use crate::within::{Within, without};
use entail_clocks::discrete::Discrete;
use entail_clocks::evidence::Stay;
use entail_clocks::{Formula, Meaning, Move};

/// What a step, and a wait, of a cycle lead back to.
pub(crate) trait Back {
    /// The values of a state from which one of these ways leads into some values of the next.
    fn before_step(
        &self,
        state: &Discrete,
        ways: &[Move],
        next: &Discrete,
        into: &[Matrix],
    ) -> Result<Vec<Matrix>, Objection>;

    /// The values of a state from which waiting within a condition leads into a part of it.
    fn before_wait(&self, state: &Discrete, within: &Within, part: &Matrix)
    -> Result<Vec<Matrix>, Objection>;
}

/// Whether a cycle leads from all of its zone back into it, within the first of some conditions.
pub(crate) fn goes_round(
    back: &dyn Back,
    meaning: &dyn Meaning,
    formulas: &[Formula],
    head: &Exact,
    stay: &Stay,
) -> Result<(), Objection> {
    let size = head.clocks.len();
    let zone = Matrix::read(size, &stay.zone).ok_or("the zone of the cycle is empty or malformed")?;
    if !zone.contains(&head.clocks) {
        return Err("the stem does not end in the zone of the cycle".into());
    }
    if stay.cycle.iter().all(Vec::is_empty) {
        return Err("the cycle has no step".into());
    }
    let within = |discrete: &Discrete| -> Result<Within, Objection> {
        let within = Within::of(meaning, formulas, 0, discrete, size)?;
        within.ok_or_else(|| "an invariant of the cycle is false".into())
    };
    let mut here = head.discrete.clone();
    // Each round: where it begins, and the ways to take its step; none for a wait.
    let mut rounds = Vec::new();
    for edges in &stay.cycle {
        let before = here.clone();
        let mut ways = None;
        if !edges.is_empty() {
            let moves = meaning.moves(&here)?;
            let own: Vec<Move> = moves.into_iter().filter(|one| one.edges == *edges).collect();
            let way = own.first().ok_or("the cycle takes a step that does not exist")?;
            here = way.target.clone()?;
            ways = Some(own);
        }
        rounds.push((before, ways));
    }
    if here != head.discrete {
        return Err("the cycle does not close".into());
    }
    let mut into = within(&here)?.inside(&zone);
    for (state, ways) in rounds.iter().rev() {
        let within = within(state)?;
        let before = match ways {
            None => into,
            Some(ways) => back.before_step(state, ways, &here, &into)?,
        };
        into = Vec::new();
        for part in before.iter().flat_map(|values| within.inside(values)) {
            // The values in which a round begins satisfy the condition themselves.
            let earlier = back.before_wait(state, &within, &part)?;
            into.extend(earlier.iter().flat_map(|values| within.inside(values)));
        }
        if into.len() > MOST_PIECES {
            return Err(Objection::Unchecked("a cycle through very many cases".to_owned()));
        }
        here.clone_from(state);
    }
    match without(vec![zone], &into)?.is_empty() {
        true => Ok(()),
        false => Err("the cycle does not lead from all of its zone back into it".into()),
    }
}
