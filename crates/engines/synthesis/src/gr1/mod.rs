//! GR(1): is a specification of steps and of what recurs realizable, and why?
//!
//! The system wins `GF a₁ ∧ … → GF g₁ ∧ …` from the states `νZ. ⋀ⱼ μY. ⋁ᵢ νX. cpre((gⱼ ∧ Z') ∨ Y' ∨ (¬aᵢ ∧ X'))` (Piterman, Pnueli, Sa'ar, *Synthesis of reactive(1) designs*, VMCAI 2006), where goals and
//! assumptions are about steps. No machine is made. The evidence is the fixpoint's own: the layers of the last evaluation where the system wins; where the environment
//! does, the layers of what was lost and for each of them how far the assumptions are.
//!
//! - Sets shrink from one evaluation of `Z` to the next, so that each `X` begins with what it was at the same place before (Browne et al. 1997), and never outside of `Z`.
//! - Goals are taken in turn, each with the newest `Z`. That is enough when all goals in a row leave it as it is.
//! - What a term of the disjunction contributes is computed once and kept as long as its set is the same. Where outputs are chosen last they are removed from each term by itself.
//! - Nothing is looked for any more once the first letter cannot be chosen in `Z`.
//!
//! Where the system may break its steps (`form`), what it wins after that is computed first.

mod form;
mod rules;
mod written;

pub use form::Gr1;

use crate::problem::SynthesisError;
use crate::synthesize::Effort;
use entail_budget::Budget;
use entail_dd::Bdd;
use entail_game::{Gr1Proof, Player};
use rules::{Rules, Steps};
use written::{Ranked, Writer};

/// The answer to a GR(1) problem.
#[derive(Clone, Debug)]
pub struct Gr1Outcome {
    /// Even is the system: it wins if the problem is realizable.
    pub winner: Player,
    /// Why.
    pub proof: Gr1Proof,
    /// What it took: `vertices` are evaluations of the innermost fixpoint.
    pub effort: Effort,
}

/// Decides a GR(1) problem.
pub fn solve_gr1(form: &Gr1, budget: &Budget) -> Result<Gr1Outcome, SynthesisError> {
    let rules = Rules::new(form, budget)?;
    let broken_rules = form.is_forgiving.then(|| rules.broken());
    let broken = match &broken_rules {
        Some(rules) => {
            let steps = Steps::new(rules, None)?;
            let found = Solving::new(&steps, budget).solve(&|_| Ok(false))?;
            Some((steps, found))
        }
        None => None,
    };
    let steps = Steps::new(&rules, broken.as_ref().map(|(_, found)| &found.wins))?;
    let found = Solving::new(&steps, budget).solve(&|wins| Ok(!rules.begins_in(wins)?))?;
    let winner = match rules.begins_in(&found.wins)? {
        true => Player::Even,
        false => Player::Odd,
    };
    let rounds = found.rounds + broken.as_ref().map_or(0, |(_, found)| found.rounds);
    let ranked = found.ranked(winner, &steps, budget)?;
    let broken = match &broken {
        Some((steps, found)) => Some(found.ranked(winner, steps, budget)?),
        None => None,
    };
    let mut writer = Writer::new(&rules);
    let ranks = writer.ranks(&ranked)?;
    let broken = broken.map(|ranked| writer.ranks(&ranked)).transpose()?;
    Ok(Gr1Outcome {
        winner,
        proof: Gr1Proof {
            sets: writer.finish(),
            ranks,
            broken,
        },
        effort: Effort {
            parts: form.recurs.iter().map(Vec::len).sum(),
            vertices: usize::try_from(rounds).unwrap_or(usize::MAX),
            ..Effort::default()
        },
    })
}

/// The fixpoint, with what is needed for evidence.
struct Found {
    /// The states that the system wins, or more if it was enough to know that it does not win the first.
    wins: Bdd,
    /// For each goal the layers of its last evaluation: an assumption, and states.
    layers: Vec<Vec<(usize, Bdd)>>,
    /// Each time that states were lost: the goal, the states before and after.
    lost: Vec<(usize, Bdd, Bdd)>,
    /// Evaluations of the innermost fixpoint.
    rounds: u64,
}

struct Solving<'s> {
    steps: &'s Steps<'s>,
    budget: &'s Budget,
    found: Found,
    /// For each goal, what each `X` of its evaluation was, in order.
    before: Vec<Vec<Bdd>>,
}

impl<'s> Solving<'s> {
    fn new(steps: &'s Steps<'s>, budget: &'s Budget) -> Solving<'s> {
        let goals = steps.rules.goals.len();
        Solving {
            steps,
            budget,
            found: Found {
                wins: steps.rules.manager.one(),
                layers: vec![Vec::new(); goals],
                lost: Vec::new(),
                rounds: 0,
            },
            before: vec![Vec::new(); goals],
        }
    }

    /// The greatest fixpoint; ends early if `is_enough` of what may still be won.
    fn solve(
        mut self,
        is_enough: &dyn Fn(&Bdd) -> Result<bool, SynthesisError>,
    ) -> Result<Found, SynthesisError> {
        let goals = self.before.len();
        let (mut goal, mut unchanged) = (0, 0);
        while unchanged < goals {
            let next = self.reaching(goal)?;
            if next == self.found.wins {
                unchanged += 1;
            } else {
                unchanged = 0;
                let before = std::mem::replace(&mut self.found.wins, next);
                self.found.lost.push((goal, before, self.found.wins.clone()));
                if is_enough(&self.found.wins)? {
                    break;
                }
            }
            goal = (goal + 1) % goals;
        }
        Ok(self.found)
    }

    /// The states from which the system comes to a goal again and again, as far as it stays in what may be won, or keeps an assumption from being met.
    fn reaching(&mut self, goal: usize) -> Result<Bdd, SynthesisError> {
        let steps = self.steps;
        let assumptions = steps.rules.not_assumed.len();
        let wins = self.found.wins.clone();
        self.found.layers[goal].clear();
        let mut good = steps.meeting(goal, &wins)?;
        let mut reached = steps.rules.manager.zero();
        let mut place = 0;
        // Assumptions in a row that have added nothing.
        let mut idle = 0;
        while idle < assumptions {
            let assumption = place % assumptions;
            let first = match self.before[goal].get(place) {
                Some(before) => before.and(&wins)?,
                None => wins.clone(),
            };
            let kept = self.keeping(assumption, &good, first)?;
            match self.before[goal].get_mut(place) {
                Some(before) => *before = kept.clone(),
                None => self.before[goal].push(kept.clone()),
            }
            let fresh = kept.minus(&reached)?;
            if fresh.is_false() {
                idle += 1;
            } else {
                idle = 0;
                reached = reached.or(&kept)?;
                good = good.or(&steps.own(&fresh)?)?;
                self.found.layers[goal].push((assumption, kept));
            }
            place += 1;
        }
        Ok(reached)
    }

    /// The states, of these, from which the system can force good steps or keep an assumption from being met.
    fn keeping(&mut self, assumption: usize, good: &Bdd, first: Bdd) -> Result<Bdd, SynthesisError> {
        let mut kept = first;
        loop {
            self.budget.check_now()?;
            self.found.rounds += 1;
            let steps = good.or(&self.steps.avoiding(assumption, &kept)?)?;
            let next = self.steps.forced(&steps)?.and(&kept)?;
            if next == kept || self.steps.is_always_met(assumption) {
                return Ok(next);
            }
            kept = next;
        }
    }
}

impl Found {
    /// The winner's ranks. Those of the environment are computed again without what earlier evaluations tell: they count steps.
    fn ranked(
        &self,
        winner: Player,
        steps: &Steps<'_>,
        budget: &Budget,
    ) -> Result<Ranked<'_>, SynthesisError> {
        if winner == Player::Even {
            return Ok(Ranked::System(&self.wins, &self.layers));
        }
        let mut layers = Vec::with_capacity(self.lost.len());
        for (goal, before, after) in &self.lost {
            let good = steps.meeting(*goal, before)?.or(&steps.own(after)?)?;
            let mut hunts = Vec::new();
            for assumption in 0..steps.rules.not_assumed.len() {
                let mut hunt = Vec::new();
                let mut open = before.clone();
                while !open.is_subset_of(after)? {
                    budget.check_now()?;
                    let avoiding = good.or(&steps.avoiding(assumption, &open)?)?;
                    let next = steps.forced(&avoiding)?.and(&open)?;
                    if next == open {
                        return Err(SynthesisError::Refused(
                            "the fixpoint of a GR(1) game is none".into(),
                        ));
                    }
                    hunt.push(next.not());
                    open = next;
                }
                hunts.push(hunt);
            }
            layers.push((*goal, after.not(), hunts));
        }
        Ok(Ranked::Environment(layers))
    }
}
