//! Runs that a strategy leaves, in exact time, and cycles of such runs, for a whole zone at once.
//!
//! Along one line of time what the strategy says changes only where a bound of a rule is met; so it is enough to look at these moments and at one between each two of them.

use super::{Place, Play, after_some_wait, behind, inside};
use crate::Objection;
use crate::game::earlier;
use crate::matrix::{FREE, Matrix};
use crate::replay::{Exact, beginning, meet};
use crate::round::{Back, goes_round};
use crate::stay::{Until, delays, holds_while_waiting, satisfies};
use crate::within::{Within, both, without};
use entail_clocks::discrete::Discrete;
use entail_clocks::evidence::{Run, Stay};
use entail_clocks::{EdgeId, Move, Rational};

/// A run on its way: where its last step led, and how long it has waited since.
struct Walk {
    since_step: Exact,
    waited: Rational,
    now: Exact,
}

fn copy(state: &Exact) -> Exact {
    Exact {
        discrete: state.discrete.clone(),
        clocks: state.clocks.clone(),
    }
}

/// Clock values after a wait.
fn waited(clocks: &[Rational], delay: &Rational) -> Vec<Rational> {
    let later = |(clock, value): (usize, &Rational)| match clock {
        0 => value.clone(),
        _ => value + delay,
    };
    clocks.iter().enumerate().map(later).collect()
}

fn is_in(matrices: &[Matrix], clocks: &[Rational]) -> bool {
    matrices.iter().any(|one| one.contains(clocks))
}

/// The delays up to a last one, or without end, at which bounds of matrices are met, and one between each two.
fn moments<'m>(
    matrices: impl Iterator<Item = &'m Matrix>,
    clocks: &[Rational],
    last: Option<&Rational>,
) -> Vec<Rational> {
    let mut all = vec![Rational::ZERO];
    for matrix in matrices {
        for (clock, value) in clocks.iter().enumerate().skip(1) {
            let (upper, lower) = (matrix.at(clock, 0), matrix.at(0, clock));
            let bounds = [(upper < FREE).then_some(upper >> 1), Some(-(lower >> 1))];
            all.extend(
                bounds
                    .into_iter()
                    .flatten()
                    .map(|bound| Rational::from(bound) - value),
            );
        }
    }
    all.extend(last.cloned());
    all.retain(|one| *one >= Rational::ZERO && last.is_none_or(|last| one <= last));
    all.sort();
    all.dedup();
    let two = Rational::from(2);
    let middles: Vec<Rational> = all.windows(2).map(|pair| (&pair[0] + &pair[1]) / &two).collect();
    if last.is_none() {
        all.extend(all.last().map(|one| one + Rational::from(1)));
    }
    all.extend(middles);
    all.sort();
    all
}

impl<'a> Play<'a> {
    /// Whether the strategy leaves a wait.
    fn leaves_wait(&self, place: &Place<'_>, clocks: &[Rational], delay: &Rational) -> bool {
        let pieces = place.takes.iter().flat_map(|taken| &taken.pieces);
        let moments = moments(pieces.chain(&place.halts), clocks, Some(delay));
        let at = |delay: &Rational| waited(clocks, delay);
        let Some(first) = moments.iter().position(|one| is_in(&place.halts, &at(one))) else {
            return true;
        };
        if !self.must_win {
            return false;
        }
        // Moments and those between them alternate: an odd one stands for an interval without a first moment.
        match first % 2 {
            0 => first + 1 == moments.len(),
            _ => {
                let holds = |pieces: &[Matrix]| moments[first..].iter().all(|one| is_in(pieces, &at(one)));
                place.takes.iter().any(|taken| holds(&taken.pieces))
            }
        }
    }

    /// Whether the strategy leaves a step of the model that was found possible.
    fn leaves_step(
        &'a self,
        place: &Place<'_>,
        clocks: &[Rational],
        step: &Move,
        after: &Exact,
    ) -> Result<bool, Objection> {
        Ok(match (step.controllable, self.must_win) {
            (_, false) => is_in(&self.passes(&after.discrete)?, &after.clocks),
            (true, true) => is_in(&place.allows(&step.edges), clocks),
            (false, true) => true,
        })
    }

    fn begun(&'a self, run: &Run) -> Result<Walk, Objection> {
        let (meaning, _) = self.subject.question;
        let state = beginning(meaning, self.subject.network, run)?;
        if !self.must_win && !is_in(&self.passes(&state.discrete)?, &state.clocks) {
            return Err("the run does not begin where the strategy does".into());
        }
        Ok(Walk {
            since_step: copy(&state),
            waited: Rational::ZERO,
            now: state,
        })
    }

    fn wait(&'a self, walk: &mut Walk, delay: &Rational) -> Result<(), Objection> {
        let (meaning, _) = self.subject.question;
        if !walk.now.wait(meaning, delay)? {
            return Err("time may not pass so long".into());
        }
        walk.waited += delay;
        let place = self.place(&walk.since_step.discrete)?;
        match self.leaves_wait(&place, &walk.since_step.clocks, &walk.waited) {
            true => Ok(()),
            false => Err("the strategy does not let time pass so long".into()),
        }
    }

    fn step(&'a self, walk: &mut Walk, edges: &[EdgeId]) -> Result<(), Objection> {
        let (meaning, _) = self.subject.question;
        let place = self.place(&walk.now.discrete)?;
        let before = walk.now.clocks.clone();
        let moves = meaning.moves(&walk.now.discrete)?;
        let is_it = |one: &&Move| one.edges == edges && meet(&before, &one.guard);
        let step = moves.iter().find(is_it).ok_or("a step is not enabled")?;
        if !walk.now.step(meaning, edges)? {
            return Err("a step is not enabled".into());
        }
        if !self.leaves_step(&place, &before, step, &walk.now)? {
            return Err("the strategy does not leave a step of the run".into());
        }
        walk.since_step = copy(&walk.now);
        walk.waited = Rational::ZERO;
        Ok(())
    }

    /// Whether a run is left, and ends in a state that is looked for.
    pub(super) fn reaches(&'a self, run: &Run) -> Result<(), Objection> {
        let (meaning, question) = self.subject.question;
        let mut walk = self.begun(run)?;
        for step in &run.steps {
            self.wait(&mut walk, &step.delay.0)?;
            self.step(&mut walk, &step.edges)?;
        }
        self.wait(&mut walk, &run.rest.0)?;
        match satisfies(meaning, question.formulas(), 0, &walk.now)? {
            true => Ok(()),
            false => Err("the run does not end in a state that is looked for".into()),
        }
    }

    /// Whether a run is left, is maximal among those, and stays within the condition from the claimed point on.
    pub(super) fn stays(&'a self, stay: &Stay) -> Result<(), Objection> {
        let (meaning, question) = self.subject.question;
        let formulas = question.formulas();
        let run = &stay.stem;
        let mut walk = self.begun(run)?;
        if stay.since > run.steps.len() || (formulas.len() == 1 && stay.since != 0) {
            return Err("the condition begins to hold where it may not".into());
        }
        let steps = run
            .steps
            .iter()
            .map(|step| (&step.delay.0, step.edges.as_slice()));
        for (number, (delay, edges)) in steps.chain([(&run.rest.0, &[][..])]).enumerate() {
            let is_begun = number >= stay.since;
            if number == stay.since && formulas.len() > 1 && !satisfies(meaning, formulas, 1, &walk.now)? {
                return Err("the run does not satisfy the condition with which it is to begin".into());
            }
            let until = Until::Delay(delay.clone());
            let is_wait = *delay >= Rational::ZERO;
            if is_begun && is_wait && !holds_while_waiting(meaning, formulas, &walk.now, until)?.0 {
                return Err("the condition ceases to hold during a wait".into());
            }
            self.wait(&mut walk, delay)?;
            if edges.is_empty() {
                continue;
            }
            self.step(&mut walk, edges)?;
            if is_begun && !satisfies(meaning, formulas, 0, &walk.now)? {
                return Err("the condition ceases to hold at a step".into());
            }
        }
        if !satisfies(meaning, formulas, 0, &walk.now)? {
            return Err("the condition does not hold at the end".into());
        }
        match stay.cycle.is_empty() {
            true => self.ends(&walk.now),
            false => {
                let (meaning, question) = self.subject.question;
                goes_round(&Left(self), meaning, question.formulas(), &walk.now, stay)
            }
        }
    }

    /// Whether a run may end in a state: time passes for ever, or no step is left any more, and the condition holds till then.
    fn ends(&'a self, state: &Exact) -> Result<(), Objection> {
        let (meaning, question) = self.subject.question;
        let place = self.place(&state.discrete)?;
        let still_possible = "the run ends where a step is possible and time does not pass for ever";
        if is_in(&place.halts, &state.clocks) {
            return Err(still_possible.into());
        }
        let within = Within::of(meaning, question.formulas(), 0, &state.discrete, self.size)?;
        let within = within.ok_or("an invariant is false")?;
        let moves = meaning.moves(&state.discrete)?;
        let mut enabled = Vec::new();
        for step in &moves {
            step.target.clone()?;
            enabled.extend(earlier(step, &super::everything(self.size), &place.invariant));
        }
        let last = match place.may_delay {
            true => {
                delays(state, &place.invariant)
                    .ok_or("an invariant is false")?
                    .most
            }
            false => Some((Rational::ZERO, false)),
        };
        let bounds = (place.halts.iter()).chain(&within.parts).chain(&within.opposite);
        let end = last.as_ref().map(|(end, _)| end);
        let mut is_step_left = false;
        for delay in moments(bounds.chain(&enabled), &state.clocks, end) {
            if last
                .as_ref()
                .is_some_and(|(end, excluded)| *excluded && delay == *end)
            {
                break;
            }
            let mut later = copy(state);
            if !later.wait(meaning, &delay)? {
                return Err("an invariant is false".into());
            }
            if is_in(&place.halts, &later.clocks) {
                // Time does not pass any further: a step is taken here, or was before.
                is_step_left |= self.must_win;
                return match is_step_left {
                    true => Err(still_possible.into()),
                    false => Ok(()),
                };
            }
            if !satisfies(meaning, question.formulas(), 0, &later)? {
                return Err("the condition ceases to hold after the end of the run".into());
            }
            for step in moves.iter().filter(|step| meet(&later.clocks, &step.guard)) {
                let mut after = copy(&later);
                if after.step(meaning, &step.edges)? {
                    is_step_left |= self.leaves_step(&place, &later.clocks, step, &after)?;
                }
            }
        }
        match last.is_none() || !is_step_left {
            true => Ok(()),
            false => Err(still_possible.into()),
        }
    }
}

/// The steps and waits that a strategy leaves.
struct Left<'a>(&'a Play<'a>);

impl Back for Left<'_> {
    fn before_step(
        &self,
        state: &Discrete,
        ways: &[Move],
        next: &Discrete,
        into: &[Matrix],
    ) -> Result<Vec<Matrix>, Objection> {
        let (play, place) = (self.0, self.0.place(state)?);
        let mut found = Vec::new();
        let targets: Vec<Matrix> = match play.must_win {
            true => into.to_vec(),
            false => {
                let kept = play.passes(next)?;
                into.iter().flat_map(|one| inside(&kept, one)).collect()
            }
        };
        for way in ways {
            for values in (targets.iter()).filter_map(|target| earlier(way, target, &place.invariant)) {
                match way.controllable && play.must_win {
                    true => found.extend(inside(&place.allows(&way.edges), &values)),
                    false => found.push(values),
                }
            }
        }
        Ok(found)
    }

    fn before_wait(
        &self,
        state: &Discrete,
        within: &Within,
        part: &Matrix,
    ) -> Result<Vec<Matrix>, Objection> {
        let place = self.0.place(state)?;
        place.before_wait(part, &within.opposite, self.0.must_win)
    }
}

impl Place<'_> {
    /// The values from which a wait that is left leads to others without coming into what is outside.
    fn before_wait(
        &self,
        values: &Matrix,
        outside: &[Matrix],
        must_win: bool,
    ) -> Result<Vec<Matrix>, Objection> {
        let mut found = Vec::new();
        if must_win {
            found = inside(&self.halts, values);
        }
        let passing = Within {
            invariant: self.invariant.clone(),
            may_delay: self.may_delay,
            parts: Vec::new(),
            opposite: self.halts.iter().chain(outside).cloned().collect(),
        };
        for values in inside(&self.passes, values) {
            found.extend(passing.earlier(&values)?);
        }
        if !must_win || !self.may_delay {
            return Ok(found);
        }
        for taken in &self.takes {
            for piece in &taken.pieces {
                let own: Vec<Matrix> = both(piece, values).into_iter().collect();
                let first = without(vec![piece.clone()], &[after_some_wait(piece)])?;
                for end in own.iter().flat_map(|own| inside(&first, own)) {
                    found.extend(self.waits_for(&end, &self.halts, outside, true)?);
                }
                let others = without(self.halts.clone(), std::slice::from_ref(piece))?;
                for end in without(own, &behind(&first))? {
                    found.extend(self.waits_for(&end, &others, outside, false)?);
                }
            }
        }
        Ok(found)
    }

    /// The values where time passes from which it leads to others without meeting a halt on the way; at the end itself only if that is no matter of `strictly`.
    fn waits_for(
        &self,
        end: &Matrix,
        halts: &[Matrix],
        outside: &[Matrix],
        strictly: bool,
    ) -> Result<Vec<Matrix>, Objection> {
        let mut down = end.clone();
        down.sink();
        let mut way = down.clone();
        if strictly {
            for clock in 1..way.size {
                let most = way.at(clock, 0);
                if most < FREE {
                    way.cut(clock, 0, most & !1);
                }
            }
        }
        let Some(down) = both(&down, &self.whole) else {
            return Ok(Vec::new());
        };
        let mut before = inside(halts, &way);
        before.extend(inside(outside, &way));
        before.iter_mut().for_each(Matrix::sink);
        without(inside(&self.passes, &down), &before)
    }
}
