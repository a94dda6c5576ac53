//! Solving an operator: which states are open after graph analysis, their rows, and what is computed on these.
//!
//! What is certain, impossible or infinite is found by fixpoints; the rest becomes rows, or is solved on the diagrams if there are too many. Within bounds, and where no goal ends anything, all
//! states that can matter have rows, and sets of states come with them.

use super::numbering::{Numbering, Place};
use super::operator::Operator;
use super::rows::{Earned, Wanted, shell};
use super::{Diagrams, MOST_INITIAL};
use crate::bounded_by_class::Asked as Over;
use crate::check::{Settings, Trouble, Workshop};
use crate::graph::Predecessors;
use entail_budget::Budget;
use entail_dd::Bdd;
use entail_markov::{Bounds, Bracket, Optimum, Rational, RewardKind};
use fixedbitset::FixedBitSet;
use std::borrow::Cow;

/// How far computations over a time may be off where the value is zero.
const ROOM_IN_TIME: f64 = 1e-10;

/// Values in all states: of the open ones by number, and of the others.
pub(super) struct Solution {
    pub numbering: Numbering,
    /// Of the open states, then of the goals, then of what is lost.
    bracket: Bracket,
    pub solved: u64,
    pub sweeps: u64,
}

/// Bounds of the open states and of the two behind them, with how they were found.
struct Solved {
    bracket: Bracket,
    sweeps: u64,
    solved: u64,
}

impl Diagrams<'_> {
    /// Solves an operator; where only initial states matter, nothing is solved if graph analysis has decided about them.
    pub(super) fn solve(
        &mut self,
        operator: &Operator,
        settings: Settings,
        everywhere: bool,
        budget: &Budget,
    ) -> Result<Solution, Trouble> {
        let (open, goal) = self.open(operator)?;
        let decided = !everywhere && self.space.initial.is_disjoint_from(&open)?;
        if open.is_false() || decided {
            let nothing = self.space.encoding.manager.zero();
            let numbering = Numbering::new(&self.space.encoding, &nothing, &goal, &[]);
            return Ok(Solution {
                bracket: self.ends(operator),
                numbering,
                solved: 0,
                sweeps: 0,
            });
        }
        let many = open.count_log2(&self.space.encoding.now()) > (self.most_rows.max(1) as f64).log2();
        if let Operator::Reach {
            optimum,
            bounds: None,
            ..
        } = operator
            && many
        {
            let (hybrid, numbering) = self.space.hybrid(*optimum, &open, &goal, budget)?;
            let (bracket, sweeps) = hybrid.solve(settings.precision, budget)?;
            return Ok(Solution {
                solved: numbering.open_states(),
                numbering,
                bracket,
                sweeps,
            });
        }
        let wanted = Wanted {
            open: &open,
            goal: &goal,
            earned: Earned::Nothing,
            sets: &[],
            timed: false,
        };
        let (numbering, solved) = self.solve_rows(operator, wanted, settings, budget)?;
        Ok(Solution {
            numbering,
            bracket: solved.bracket,
            solved: solved.solved,
            sweeps: solved.sweeps,
        })
    }

    /// The states about which something is to be computed, and the goals among the others; the rest is lost.
    fn open(&self, operator: &Operator) -> Result<(Bdd, Bdd), Trouble> {
        let nothing = self.space.encoding.manager.zero();
        Ok(match operator {
            Operator::Reach {
                optimum,
                stay,
                goal,
                bounds: None,
                ..
            } => {
                let (positive, sure) = self.space.certain(*optimum, stay, goal)?;
                (positive.minus(&sure)?, sure)
            }
            // Within bounds nothing but the goal itself is sure, and with a lower one, or in continuous time, not even that.
            Operator::Reach {
                stay, goal, bounds, ..
            } => {
                let some = self.space.reach_some(stay, goal)?;
                match self.is_until_steps(bounds.as_ref()) {
                    true => (some.minus(goal)?, goal.clone()),
                    false => (some, nothing),
                }
            }
            Operator::Reward { optimum, goal, .. } => {
                let states = &self.space.states;
                let choices = self.space.network.kind.has_choices();
                let finite = match optimum {
                    Optimum::Min if choices => self.space.surely_some(states, goal)?,
                    _ => {
                        let positive = match choices {
                            true => self.space.reach_all(states, goal)?,
                            false => self.space.reach_some(states, goal)?,
                        };
                        self.space.surely_all(states, goal, &positive)?
                    }
                };
                (finite.minus(goal)?, goal.clone())
            }
            Operator::Next { goal, .. } => (self.space.before(goal)?.or(goal)?, nothing),
            Operator::Earned { .. } | Operator::LongRun { .. } => (self.space.states.clone(), nothing),
        })
    }

    /// The values of goals and of what is lost, where nothing is open.
    fn ends(&self, operator: &Operator) -> Bracket {
        match operator {
            Operator::Reward { .. } => Bracket::Exact(vec![Some(Rational::ZERO), None]),
            // Second computations have bounds, though they meet.
            Operator::Reach { bounds: Some(_), .. } => Bracket::Between {
                lower: vec![1.0, 0.0],
                upper: vec![1.0, self.room()],
            },
            _ => Bracket::Exact(vec![Some(Rational::ONE), Some(Rational::ZERO)]),
        }
    }

    /// What a second computation of a bounded operator may find where the value is zero.
    fn room(&self) -> f64 {
        match self.space.network.kind.is_timed() {
            true => ROOM_IN_TIME,
            false => 0.0,
        }
    }

    /// Whether bounds say nothing but how many steps there are at most.
    fn is_until_steps(&self, bounds: Option<&Bounds>) -> bool {
        !self.space.network.kind.is_timed() && !bounds.is_some_and(Bounds::has_lower)
    }

    /// Solves what is open by rows.
    fn solve_rows(
        &mut self,
        operator: &Operator,
        wanted: Wanted<'_>,
        settings: Settings,
        budget: &Budget,
    ) -> Result<(Numbering, Solved), Trouble> {
        let in_time = self.space.network.kind.is_timed();
        // What is wanted lives here from now on.
        let mut wanted: Wanted<'_> = wanted;
        let (by_choices, by_states, sets);
        match operator {
            Operator::Reward { structure, .. } => {
                by_choices = self.space.earned(*structure)?;
                wanted.earned = Earned::ByChoices(&by_choices);
            }
            Operator::Earned {
                structure,
                kind: RewardKind::Instant(_),
                ..
            } => {
                by_states = self.space.earned_in_states(*structure)?;
                wanted.earned = Earned::ByStates(&by_states);
                wanted.timed = in_time;
            }
            Operator::Earned { structure, .. } => {
                by_choices = self.space.earned(*structure)?;
                wanted.earned = Earned::ByChoices(&by_choices);
                wanted.timed = in_time;
            }
            Operator::Reach {
                stay, goal, bounds, ..
            } if bounds.is_some() => {
                if !self.is_until_steps(bounds.as_ref()) {
                    sets = [stay, goal];
                    wanted.sets = &sets;
                    wanted.timed = in_time;
                }
            }
            Operator::Next { goal: set, .. } => {
                sets = [set, set];
                wanted.sets = &sets[..1];
            }
            Operator::LongRun { states: set, .. } => {
                sets = [set, set];
                wanted.sets = &sets[..1];
                wanted.timed = in_time;
            }
            Operator::Reach { .. } => {}
        }
        let room = self.room();
        let reduced = self.space.reduced(wanted, budget)?;
        let (numbering, rewards, sink) = (reduced.numbering, reduced.rewards, reduced.goal);
        let (mut model, mut members) = (reduced.model, reduced.sets.into_iter());
        let mut next_set = || members.next().unwrap_or_default();
        model.initial = self.watched(&numbering);
        let network = shell(model.kind);
        let before = Predecessors::new(&model);
        let mut workshop = Workshop::assembled(Cow::Owned(network), before, model, settings);
        let bracket = match operator {
            Operator::Reward { optimum, .. } => {
                let mut goal = FixedBitSet::with_capacity(workshop.size());
                goal.insert(sink);
                workshop.reward_until(*optimum, &rewards, &goal, budget)?
            }
            Operator::Reach { optimum, bounds, .. } if wanted.sets.is_empty() => {
                let mut goal = FixedBitSet::with_capacity(workshop.size());
                goal.insert(sink);
                workshop.until_within(*optimum, workshop.everywhere(), goal, bounds.as_ref(), budget)?
            }
            Operator::Reach { optimum, bounds, .. } => {
                let (stay, goal) = (next_set(), next_set());
                let bracket = workshop.until_within(*optimum, stay, goal, bounds.as_ref(), budget)?;
                with_room(bracket, sink + 1, room)
            }
            Operator::Next { optimum, .. } => workshop.after_one_step(*optimum, &next_set(), budget)?,
            Operator::LongRun { optimum, .. } => {
                workshop.long_run_probability(*optimum, &next_set(), budget)?
            }
            Operator::Earned {
                optimum,
                kind: RewardKind::Instant(time),
                ..
            } => {
                let rewards = Cow::Owned(rewards);
                workshop.bounded(*optimum, &Over::Instantaneous { rewards, time }, budget)?
            }
            Operator::Earned { optimum, kind, .. } => {
                workshop.rewards = vec![Some(rewards)];
                workshop.reward(*optimum, 0, kind, budget)?
            }
        };
        let solved = Solved {
            bracket,
            sweeps: workshop.sweeps,
            solved: sink as u64,
        };
        Ok((numbering, solved))
    }

    /// The numbers of the open initial states; of none, if these are too many to be told one by one.
    fn watched(&self, numbering: &Numbering) -> Vec<u32> {
        let initial = (self.space.encoding).few_states(&self.space.initial, MOST_INITIAL);
        let number = |state: &Vec<i64>| match numbering.place(state) {
            Place::Open(number) => Some(number as u32),
            _ => None,
        };
        initial.iter().flatten().filter_map(number).collect()
    }
}

/// The bounds with an upper one that is no less than so much in one state.
fn with_room(bracket: Bracket, state: usize, room: f64) -> Bracket {
    match bracket {
        Bracket::Between { lower, mut upper } => {
            upper[state] = upper[state].max(room);
            Bracket::Between { lower, upper }
        }
        exact => exact,
    }
}

impl Solution {
    /// The values at some places.
    pub fn at(&self, places: &[Place]) -> Bracket {
        let last = self.bracket.len();
        let position = |place: &Place| match place {
            Place::Open(number) => *number as usize,
            Place::Goal => last - 2,
            Place::Lost => last - 1,
        };
        match &self.bracket {
            Bracket::Exact(values) => Bracket::Exact(
                places
                    .iter()
                    .map(|place| values[position(place)].clone())
                    .collect(),
            ),
            Bracket::Between { lower, upper } => Bracket::Between {
                lower: places.iter().map(|place| lower[position(place)]).collect(),
                upper: places.iter().map(|place| upper[position(place)]).collect(),
            },
        }
    }
}
