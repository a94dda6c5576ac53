//! Solving: the nested fixpoint of a parity condition, with strategies.
//!
//! With priorities on steps, the states that a player wins are `νX₂ μX₁ νX₀. cpre(⋁ₚ stepsₚ ∧ Xₚ')` (Emerson, Jutla 1991), a set of states for each memory of the condition. A
//! step is chosen well if it leads where the fixpoint's innermost evaluation wanted it to go when the state was found: an approximation of a least fixpoint only grows, and
//! what was chosen for a smaller one stays good, while a greatest fixpoint's last evaluation replaces what earlier ones chose. The other player's game is the same with
//! won and lost, even and odd exchanged.

use super::condition::Memory;
use super::game::Game;
use crate::problem::SynthesisError;
use entail_budget::Budget;
use entail_dd::{Bdd, FunctionId, Substitution, Var};
use entail_game::{FirstMover, Player};
use rustc_hash::FxHashMap;

/// A set of states for each memory.
pub(crate) type Region = Vec<Bdd>;

/// The solver's view of a game for one player.
pub(crate) struct Solving<'g> {
    game: &'g Game,
    memory: &'g Memory,
    player: Player,
    moves_first: bool,
    own: Bdd,
    other: Bdd,
    step: Substitution,
    /// Steps to states that the player has won, and steps to states that are open.
    won: Bdd,
    open: Bdd,
    /// Sets after a step, with the sets they come from, which keeps their numbers valid.
    after: FxHashMap<FunctionId, (Bdd, Bdd)>,
    /// The last evaluation for each memory: what went in, what came out.
    last: Vec<Option<(Vec<Bdd>, Bdd, Bdd)>>,
    /// Greatest fixpoints begin here, or where they ended when all least fixpoints around them were as far before: from one evaluation of an outer fixpoint to the
    /// next all that is inside can only shrink (Browne et al. 1997).
    top: Region,
    saved: FxHashMap<(usize, Vec<u32>), Region>,
    /// How far the least fixpoints around are.
    counters: Vec<u32>,
    keeps_choices: bool,
    budget: &'g Budget,
    /// Evaluations of the innermost function.
    pub rounds: u64,
}

impl<'g> Solving<'g> {
    /// For one of the players.
    pub fn new(
        game: &'g Game,
        memory: &'g Memory,
        player: Player,
        first: FirstMover,
        budget: &'g Budget,
    ) -> Result<Solving<'g>, SynthesisError> {
        let manager = &game.manager;
        let set = |variables: &[Var]| manager.var_set(variables.iter().copied());
        let (inputs, outputs) = (set(&game.inputs)?, set(&game.outputs)?);
        let (own, other) = match player {
            Player::Even => (outputs, inputs),
            Player::Odd => (inputs, outputs),
        };
        let latches = game
            .latches
            .iter()
            .map(|latch| (latch.variable, latch.next.clone()));
        let step = Substitution::new(manager, latches);
        let after = |set: &Bdd| set.substitute(&step);
        let (lost, won) = (after(&game.decided[0])?, after(&game.decided[1])?);
        let open = lost.or(&won)?.not();
        let won = if player == Player::Even { won } else { lost };
        Ok(Solving {
            game,
            memory,
            player,
            moves_first: (player == Player::Even) == (first == FirstMover::Machine),
            own,
            other,
            won,
            open,
            step,
            after: FxHashMap::default(),
            last: vec![None; memory.moves.len()],
            top: vec![manager.one(); memory.moves.len()],
            saved: FxHashMap::default(),
            counters: Vec::new(),
            keeps_choices: false,
            budget,
            rounds: 0,
        })
    }

    /// The states that the player wins.
    pub fn region(&mut self) -> Result<Region, SynthesisError> {
        let mut outer = vec![None; self.memory.highest as usize + 1];
        Ok(self.solve(self.memory.highest as i64, &mut outer)?.0)
    }

    /// The player's choices in the states that it wins, which are known: relations over states and signals; of a player who moves first, without those of the other.
    pub fn choices(&mut self, wins: &Region) -> Result<Region, SynthesisError> {
        self.top = wins.clone();
        self.last.fill(None);
        self.saved.clear();
        self.keeps_choices = true;
        let mut outer = vec![None; self.memory.highest as usize + 1];
        Ok(self.solve(self.memory.highest as i64, &mut outer)?.1)
    }

    fn none(&self) -> Region {
        vec![self.game.manager.zero(); self.top.len()]
    }

    /// The fixpoint for priorities up to this one, those above being given; and the choices.
    fn solve(
        &mut self,
        priority: i64,
        outer: &mut Vec<Option<Region>>,
    ) -> Result<(Region, Region), SynthesisError> {
        let Ok(level) = usize::try_from(priority) else {
            return self.step(outer);
        };
        let good = (level % 2 == 0) == (self.player == Player::Even);
        let place = (level, self.counters.clone());
        let mut current = match (good, self.saved.get(&place)) {
            (true, Some(before)) => before.clone(),
            (true, None) => self.top.clone(),
            (false, _) => self.none(),
        };
        if !good {
            self.counters.push(0);
        }
        let mut kept = self.none();
        loop {
            self.budget.check_now()?;
            outer[level] = Some(current.clone());
            let (next, chosen) = self.solve(priority - 1, outer)?;
            let stable = next == current;
            if self.keeps_choices {
                if good {
                    kept = chosen;
                } else {
                    for (at, choice) in chosen.iter().enumerate() {
                        let fresh = next[at].minus(&current[at])?;
                        kept[at] = kept[at].or(&choice.and(&fresh)?)?;
                    }
                }
            }
            if stable {
                outer[level] = None;
                match good {
                    true => {
                        self.saved.insert(place, current.clone());
                    }
                    false => {
                        self.counters.pop();
                    }
                }
                return Ok((current, kept));
            }
            current = next;
            if let (false, Some(counter)) = (good, self.counters.last_mut()) {
                *counter += 1;
            }
        }
    }

    /// The states from which the player can force a step to where the given regions say for the step's priority.
    fn step(&mut self, outer: &[Option<Region>]) -> Result<(Region, Region), SynthesisError> {
        self.rounds += 1;
        let game = self.game;
        let (mut sets, mut choices) = (Vec::new(), Vec::new());
        for (memory, moves) in self.memory.moves.iter().enumerate() {
            let mut wanted = Vec::with_capacity(moves.len());
            for one in moves {
                if let Some(region) = &outer[one.priority as usize] {
                    wanted.push(region[one.next].clone());
                }
            }
            if let Some((before, set, choice)) = &self.last[memory]
                && *before == wanted
            {
                sets.push(set.clone());
                choices.push(choice.clone());
                continue;
            }
            let mut target = game.manager.zero();
            for (one, region) in moves.iter().zip(&wanted) {
                let region = self.after(region)?;
                target = target.or(&one.steps.and(&region)?)?;
            }
            let target = target.and(&self.open)?.or(&self.won)?;
            let (set, choice) = match self.moves_first {
                true => {
                    let choice = target.forall(&self.other)?;
                    (choice.exists(&self.own)?, choice)
                }
                false => (target.exists(&self.own)?.forall(&self.other)?, target),
            };
            // Outside of what can be won at all nothing needs to be found.
            let set = set.and(&self.top[memory])?;
            self.last[memory] = Some((wanted, set.clone(), choice.clone()));
            sets.push(set);
            choices.push(choice);
        }
        Ok((sets, choices))
    }

    fn after(&mut self, set: &Bdd) -> Result<Bdd, SynthesisError> {
        const MOST_KEPT: usize = 256;
        if let Some((_, known)) = self.after.get(&set.id()) {
            return Ok(known.clone());
        }
        if self.after.len() > MOST_KEPT {
            self.after.clear();
        }
        let after = set.substitute(&self.step)?;
        self.after.insert(set.id(), (set.clone(), after.clone()));
        Ok(after)
    }
}
