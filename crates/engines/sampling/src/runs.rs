//! Runs from their beginning to their bound: tried for a goal, measured, or recorded.

use crate::Stop;
use crate::curve::Recorder;
use crate::instant::{NEVER, Ticks, ticks, to_rational, to_units};
use crate::player::{Player, Turn};
use crate::stage::Stage;
use crate::state::{Bound, Course, State};
use crate::watch::{self, Seen, Watch};
use entail_budget::Budget;
use entail_clocks::evidence::{Curve, Run, Step, Time};
use entail_clocks::{Extent, Formula, Network, Rational, Reading, Trial};
use entail_source::Span;

/// Steps between two looks at the budget.
const PATIENCE: u64 = 1024;

/// Steps of a run that is kept, at most.
const LONGEST_KEPT: usize = 20_000;

/// What somebody makes of a run: it is shown each state with the wait that follows it, and says whether it has seen enough.
trait Observer {
    fn wait(&mut self, state: &State, steps: u64, wait: Ticks) -> Result<bool, Stop>;

    /// A step is taken after a wait.
    fn step(&mut self, _wait: Ticks, _edges: &[usize]) {}
}

/// Makes runs.
pub(crate) struct Runs<'s> {
    stage: &'s Stage<'s>,
    player: Player<'s>,
    seed: u64,
    budget: &'s Budget,
    since: u64,
}

/// The wait until a run's bound; nothing bounds it where steps do.
fn left(network: &Network, extent: &Extent, state: &State) -> Result<Ticks, Stop> {
    let told = |fault| Stop::code(fault, Span::default(), &[]);
    Ok(match extent {
        Extent::Time(most) => (ticks(*most) - state.now).max(0),
        Extent::Steps(_) => NEVER,
        Extent::Clock(clock, most) => {
            let clock = clock.clock(&state.slots).map_err(told)?;
            match state.course(network, clock, 0, Bound::Whole(*most)) {
                Course::Grows(left) => left.max(-1),
                // A clock that stands still, or falls, bounds nothing.
                Course::Falls(since) if since <= 0 => NEVER,
                Course::Stays(order) if order.is_le() => NEVER,
                Course::Falls(_) | Course::Stays(_) => -1,
            }
        }
    })
}

/// Where a moment of a run lies on the axis of its bound.
pub(crate) fn position(network: &Network, extent: &Extent, state: &State, steps: u64, wait: Ticks) -> f64 {
    match extent {
        Extent::Time(_) => to_units(state.now + wait),
        Extent::Steps(_) => steps as f64,
        Extent::Clock(clock, _) => match clock.clock(&state.slots) {
            Ok(clock) => state.distance(network, clock, 0, wait),
            Err(_) => 0.0,
        },
    }
}

impl<'s> Runs<'s> {
    pub fn new(stage: &'s Stage<'s>, seed: u64, budget: &'s Budget) -> Result<Runs<'s>, Stop> {
        Ok(Runs {
            stage,
            player: Player::new(stage)?,
            seed,
            budget,
            since: 0,
        })
    }

    /// Steps of all runs.
    pub fn steps(&self) -> u64 {
        self.player.steps
    }

    /// Makes the run of a number, for an observer.
    fn play(&mut self, run: u64, extent: &Extent, observer: &mut dyn Observer) -> Result<(), Stop> {
        let player = &mut self.player;
        player.restart(self.seed, run);
        let most = match extent {
            Extent::Steps(most) => *most,
            _ => u64::MAX,
        };
        let mut steps = 0;
        // A failed attempt takes time but is no step: what the observer is told of the next one has its wait, too.
        let mut waited = 0;
        loop {
            self.since += 1;
            if self.since >= PATIENCE {
                self.since = 0;
                self.budget.check()?;
            }
            let left = left(self.stage.network, extent, &player.state)?;
            if left < 0 {
                return Ok(());
            }
            if steps == most {
                observer.wait(&player.state, steps, 0)?;
                return Ok(());
            }
            let turn = player.turn()?;
            let wait = match turn {
                Turn::Now => 0,
                Turn::After(wait, _) | Turn::Until(wait) => wait,
                Turn::Nobody(limit) => limit,
            };
            if observer.wait(&player.state, steps, wait.min(left))? || wait > left {
                return Ok(());
            }
            if matches!(turn, Turn::Nobody(_)) {
                return match wait == NEVER || wait == left {
                    true => Ok(()),
                    false => Err(player.stuck()),
                };
            }
            player.wait(wait)?;
            waited += wait;
            if player.step(turn)? {
                steps += 1;
                observer.step(waited, &player.joint);
                waited = 0;
            }
        }
    }

    /// Where on its axis a run meets the goal of a trial; nothing if it does not.
    pub fn attempt(&mut self, run: u64, trial: &Trial) -> Result<Option<f64>, Stop> {
        let mut attempt = Attempt {
            watch: Watch::new(self.stage.network, trial),
            network: self.stage.network,
            extent: &trial.extent,
            met: None,
            kept: None,
        };
        self.play(run, &trial.extent, &mut attempt)?;
        Ok(attempt.met)
    }

    /// The same run up to its goal, to be replayed; nothing if it does not meet it, or is very long.
    pub fn replayable(&mut self, run: u64, trial: &Trial) -> Result<Option<Run>, Stop> {
        // A run through floating-point numbers is not exact enough to be replayed.
        if self.stage.network.reals.is_some() {
            return Ok(None);
        }
        let mut attempt = Attempt {
            watch: Watch::new(self.stage.network, trial),
            network: self.stage.network,
            extent: &trial.extent,
            met: None,
            kept: Some((Vec::new(), 0)),
        };
        self.play(run, &trial.extent, &mut attempt)?;
        let (Some(_), Some((steps, rest))) = (attempt.met, attempt.kept) else {
            return Ok(None);
        };
        let initial = self.stage.network.initial();
        Ok((steps.len() <= LONGEST_KEPT).then(|| Run {
            first: initial.into_iter().next().map_or(Vec::new(), |one| one.locations),
            steps,
            rest: Time(rational(rest)),
        }))
    }

    /// The largest or least value of a reading on a run.
    pub fn measure(&mut self, run: u64, extent: &Extent, of: &Reading, largest: bool) -> Result<f64, Stop> {
        let mut measured = Measured {
            network: self.stage.network,
            of,
            least: f64::INFINITY,
            largest: f64::NEG_INFINITY,
        };
        self.play(run, extent, &mut measured)?;
        Ok(if largest { measured.largest } else { measured.least })
    }

    /// Readings over a run, and whether it meets a condition, if one is given.
    pub fn record(
        &mut self,
        run: u64,
        extent: &Extent,
        of: &[(String, Reading)],
        only: Option<&Formula>,
    ) -> Result<(Vec<Curve>, bool), Stop> {
        let anything = Formula::Constant(true);
        let mut recorded = Recorded {
            network: self.stage.network,
            of,
            extent,
            recorders: (of.iter())
                .map(|(name, reading)| Recorder::new(run, name, reading))
                .collect(),
            watch: only.map(|only| Watch::until(self.stage.network, &anything, only)),
            met: false,
        };
        self.play(run, extent, &mut recorded)?;
        let curves = recorded.recorders.into_iter().map(Recorder::into_curve).collect();
        Ok((curves, recorded.met || only.is_none()))
    }
}

fn rational(wait: Ticks) -> Rational {
    to_rational(wait)
}

struct Attempt<'q> {
    watch: Watch<'q>,
    network: &'q Network,
    extent: &'q Extent,
    met: Option<f64>,
    /// The steps so far, and the wait after them up to the goal, where they are kept.
    kept: Option<(Vec<Step>, Ticks)>,
}

impl Observer for Attempt<'_> {
    fn wait(&mut self, state: &State, steps: u64, wait: Ticks) -> Result<bool, Stop> {
        match self.watch.during(state, wait)? {
            Seen::Goal(after) => {
                self.met = Some(position(self.network, self.extent, state, steps, after));
                if let Some((_, rest)) = &mut self.kept {
                    *rest += after;
                }
                Ok(true)
            }
            Seen::Lost => Ok(true),
            Seen::Nothing => {
                // Until a step is told, what was waited for nothing adds up.
                if let Some((_, rest)) = &mut self.kept {
                    *rest += wait;
                }
                Ok(false)
            }
        }
    }

    fn step(&mut self, wait: Ticks, edges: &[usize]) {
        if let Some((steps, rest)) = &mut self.kept
            && steps.len() <= LONGEST_KEPT
        {
            steps.push(Step {
                delay: Time(rational(wait)),
                edges: edges.to_vec(),
            });
            *rest = 0;
        }
    }
}

struct Measured<'q> {
    network: &'q Network,
    of: &'q Reading,
    least: f64,
    largest: f64,
}

impl Observer for Measured<'_> {
    fn wait(&mut self, state: &State, _: u64, wait: Ticks) -> Result<bool, Stop> {
        // Where nobody ever moves and nothing bounds the time, clocks have no largest value.
        let wait = if wait == NEVER { 0 } else { wait };
        let (least, largest) = watch::extremes(self.network, self.of, state, wait)?;
        self.least = self.least.min(least);
        self.largest = self.largest.max(largest);
        Ok(false)
    }
}

struct Recorded<'q> {
    network: &'q Network,
    of: &'q [(String, Reading)],
    extent: &'q Extent,
    recorders: Vec<Recorder>,
    watch: Option<Watch<'q>>,
    met: bool,
}

impl Observer for Recorded<'_> {
    fn wait(&mut self, state: &State, steps: u64, wait: Ticks) -> Result<bool, Stop> {
        if let Some(watch) = &mut self.watch
            && !self.met
        {
            self.met = matches!(watch.during(state, wait)?, Seen::Goal(_));
        }
        let wait = if wait == NEVER { 0 } else { wait };
        let from = position(self.network, self.extent, state, steps, 0);
        let to = position(self.network, self.extent, state, steps, wait);
        for ((_, reading), recorder) in self.of.iter().zip(&mut self.recorders) {
            recorder.point(from, watch::value(self.network, reading, state, 0)?);
            if to > from {
                recorder.point(to, watch::value(self.network, reading, state, wait)?);
            }
        }
        Ok(false)
    }
}
