//! Concurrent games.
//!
//! **Surely.** Even wins surely if and only if Even wins when Odd is told Even's action before choosing: a game with turns, which the other solvers know. A vertex of it is a vertex of the game,
//! or one with an action of Even, which has the same colours.
//!
//! **Almost surely and in the limit** (de Alfaro, Henzinger, Kupferman, *Concurrent reachability games*, FOCS 1998; with Büchi goals de Alfaro and Henzinger, LICS 2000):
//! `νY. μX. goal ∪ mixed(Y, X)`, where at a vertex of `mixed(Y, X)` Even has a mix of actions that makes for `X` whatever Odd does and does not leave `Y`, or, in the limit, leaves it
//! with a probability of a smaller order than the one of entering `X`. At a Büchi goal the play must go on in `Y`. What has left `Y` in a round has the round as its stage.
//! Where Even wants to stay, a strategy with dice is no better than one without, so that is asked surely.
//!
//! Cost: a round is linear in the pairs of actions times the actions of one vertex, and there are at most as many rounds as vertices.

use crate::{NotSolved, solve};
use entail_budget::Budget;
use entail_game::{
    ArenaBuilder, Certainty, ChancePosition, ConcurrentGame, ConcurrentPosition, ConcurrentProof, Objective,
    ObjectiveGame, ObjectiveProof, Player, Position, Vertex,
};
use rustc_hash::FxHashMap;

/// Solves a concurrent game.
pub fn solve_concurrent(game: &ConcurrentGame, budget: &Budget) -> Result<ConcurrentProof, NotSolved> {
    match (&game.objective, game.certainty) {
        (_, Certainty::Sure) | (Objective::Stay(_), _) => surely(game, budget),
        _ => by_chance(game, budget),
    }
}

/// The game in which Odd is told Even's action.
struct Told {
    game: ObjectiveGame,
    /// For each vertex where its own with an action begin.
    begins: Vec<u32>,
}

impl Told {
    fn new(game: &ConcurrentGame) -> Result<Told, NotSolved> {
        let too_large = || NotSolved::TooLarge("the game has too many actions".into());
        let mut begins = Vec::with_capacity(game.vertex_count());
        let mut next = u32::try_from(game.vertex_count()).map_err(|_| too_large())?;
        let mut arena = ArenaBuilder::default();
        let mut colours: Vec<_> = game.vertices().map(|vertex| game.colours(vertex)).collect();
        for vertex in game.vertices() {
            let own = game.actions(vertex, Player::Even).len() as u32;
            begins.push(next);
            let end = next.checked_add(own).ok_or_else(too_large)?;
            arena.vertex(Player::Even, next..end);
            next = end;
        }
        let mut rows: Vec<usize> = begins
            .iter()
            .enumerate()
            .map(|(at, begin)| (begins.get(at + 1).unwrap_or(&next) - begin) as usize)
            .collect();
        for vertex in game.vertices() {
            for even in game.actions(vertex, Player::Even) {
                let mut row: Vec<u32> = game
                    .actions(vertex, Player::Odd)
                    .map(|odd| game.target(vertex, even, odd).0)
                    .collect();
                row.sort_unstable();
                row.dedup();
                rows.push(row.len());
                arena.vertex(Player::Odd, row);
                colours.push(game.colours(vertex));
            }
        }
        let weights = rows.iter().map(|&edges| vec![0; edges]).collect();
        let told = arena
            .finish()
            .ok()
            .and_then(|arena| ObjectiveGame::new(arena, colours, weights, game.objective.clone()));
        Ok(Told {
            game: told.ok_or_else(too_large)?,
            begins,
        })
    }
}

/// Who wins surely, and how Odd answers each action elsewhere.
fn surely(game: &ConcurrentGame, budget: &Budget) -> Result<ConcurrentProof, NotSolved> {
    let told = Told::new(game)?;
    let not_solved = || NotSolved::TooLarge("a position was not solved".into());
    let ObjectiveProof::Strategies(positions) = solve(&told.game, budget)? else {
        return Err(not_solved());
    };
    let places: FxHashMap<(Vertex, u32), &Position> = positions
        .iter()
        .map(|position| ((position.vertex, position.memory), position))
        .collect();
    let mut solved = Vec::new();
    for position in positions
        .iter()
        .filter(|place| place.vertex.index() < game.vertex_count())
    {
        budget.check()?;
        let vertex = position.vertex;
        let begin = told.begins[vertex.index()];
        let with = |even: u32| places.get(&(Vertex(begin + even), position.next)).copied();
        let (moves, after) = match position.winner {
            Player::Even => {
                let action = position.choice.ok_or_else(not_solved)?.0 - begin;
                (vec![action], with(action).ok_or_else(not_solved)?.next)
            }
            Player::Odd => {
                let mut answers = Vec::new();
                let mut after = position.next;
                for even in game.actions(vertex, Player::Even) {
                    let place = with(even).ok_or_else(not_solved)?;
                    let mut odd = game.actions(vertex, Player::Odd);
                    let answer = odd.find(|&odd| Some(game.target(vertex, even, odd)) == place.choice);
                    answers.push(answer.ok_or_else(not_solved)?);
                    after = place.next;
                }
                (answers, after)
            }
        };
        solved.push(ConcurrentPosition {
            vertex,
            memory: position.memory,
            winner: position.winner,
            moves,
            next: after,
        });
    }
    Ok(ConcurrentProof::Strategies(solved))
}

/// Who wins with dice.
fn by_chance(game: &ConcurrentGame, budget: &Budget) -> Result<ConcurrentProof, NotSolved> {
    let (goal, again) = match (&game.objective, game.objective.recurring_colour()) {
        (Objective::Reach(colour), _) => (*colour, false),
        (_, Some(colour)) => (colour, true),
        _ => {
            let message = "winning with probability one is decided for reach, stay and buchi with one colour";
            return Err(NotSolved::TooLarge(message.into()));
        }
    };
    let goals: Vec<bool> = game
        .vertices()
        .map(|vertex| game.colours(vertex).has(goal))
        .collect();
    let mut before: Vec<Vec<Vertex>> = vec![Vec::new(); game.vertex_count()];
    for vertex in game.vertices() {
        for even in game.actions(vertex, Player::Even) {
            for odd in game.actions(vertex, Player::Odd) {
                before[game.target(vertex, even, odd).index()].push(vertex);
            }
        }
    }
    let rounds = Rounds {
        game,
        goals,
        again,
        before,
    };
    let mut found: Vec<Option<ChancePosition>> = vec![None; game.vertex_count()];
    for stage in 1.. {
        let inside: Vec<bool> = found.iter().map(Option::is_none).collect();
        let won = rounds.round(&inside, budget)?;
        let reached: Vec<bool> = won.iter().map(Option::is_some).collect();
        if reached == inside {
            let positions = found.into_iter().zip(won).filter_map(|(lost, won)| lost.or(won));
            return Ok(ConcurrentProof::Chances(positions.collect()));
        }
        for vertex in game
            .vertices()
            .filter(|v| inside[v.index()] && !reached[v.index()])
        {
            budget.check()?;
            let answers = match rounds.goals[vertex.index()] {
                // Whatever Even does, some action leads out.
                true => game.actions(vertex, Player::Odd).collect(),
                false => rounds.mixed(vertex, &inside, &reached).err().unwrap_or_default(),
            };
            found[vertex.index()] = Some(ChancePosition::Fails { stage, answers });
        }
    }
    Err(NotSolved::TooLarge("the game has too many vertices".into()))
}

/// What the rounds of the outer fixpoint have in common.
struct Rounds<'g> {
    game: &'g ConcurrentGame,
    goals: Vec<bool>,
    /// Whether the goal must be seen again and again.
    again: bool,
    before: Vec<Vec<Vertex>>,
}

impl Rounds<'_> {
    /// The inner fixpoint: from where Even makes for the goal without leaving what is inside.
    fn round(&self, inside: &[bool], budget: &Budget) -> Result<Vec<Option<ChancePosition>>, NotSolved> {
        let game = self.game;
        let mut won: Vec<Option<ChancePosition>> = vec![None; game.vertex_count()];
        let mut reached = vec![false; game.vertex_count()];
        let mut layer: Vec<Vertex> = Vec::new();
        for vertex in game
            .vertices()
            .filter(|v| self.goals[v.index()] && inside[v.index()])
        {
            let levels = match self.again {
                true => match self.keeping(vertex, inside) {
                    Some(action) => vec![(action, 0)],
                    None => continue,
                },
                false => Vec::new(),
            };
            won[vertex.index()] = Some(ChancePosition::Wins { rank: 0, levels });
            layer.push(vertex);
        }
        for rank in 1.. {
            if layer.is_empty() {
                break;
            }
            layer.iter().for_each(|vertex| reached[vertex.index()] = true);
            let mut next = Vec::new();
            for &to in &layer {
                for &vertex in &self.before[to.index()] {
                    budget.check()?;
                    let at = vertex.index();
                    if won[at].is_some() || self.goals[at] || !inside[at] {
                        continue;
                    }
                    if let Ok(levels) = self.mixed(vertex, inside, &reached) {
                        won[at] = Some(ChancePosition::Wins { rank, levels });
                        next.push(vertex);
                    }
                }
            }
            layer = next;
        }
        Ok(won)
    }

    /// An action of Even after which the play is surely inside.
    fn keeping(&self, vertex: Vertex, inside: &[bool]) -> Option<u32> {
        let (game, stays) = (self.game, |to: Vertex| inside[to.index()]);
        let keeps = |even: &u32| {
            let mut odd = game.actions(vertex, Player::Odd);
            odd.all(|odd| stays(game.target(vertex, *even, odd)))
        };
        game.actions(vertex, Player::Even).find(keeps)
    }

    /// Even's actions with their levels, if they make for what is reached; otherwise the actions of Odd against which there is nothing. An action may be chosen if the actions of Odd that
    /// would make it leave are met already by actions of lower levels, which are chosen far more often.
    fn mixed(&self, vertex: Vertex, inside: &[bool], reached: &[bool]) -> Result<Vec<(u32, u32)>, Vec<u32>> {
        let (game, certainty) = (self.game, self.game.certainty);
        let mut open: Vec<u32> = game.actions(vertex, Player::Odd).collect();
        let mut chosen: Vec<(u32, u32)> = Vec::new();
        for level in 0.. {
            let allowed = |even: u32| {
                open.iter()
                    .all(|&odd| inside[game.target(vertex, even, odd).index()])
            };
            let fresh: Vec<(u32, u32)> = game
                .actions(vertex, Player::Even)
                .filter(|even| chosen.iter().all(|(known, _)| known != even) && allowed(*even))
                .map(|even| (even, level))
                .collect();
            chosen.extend(&fresh);
            let known = open.len();
            let enters = |even: u32, odd: u32| reached[game.target(vertex, even, odd).index()];
            open.retain(|&odd| !chosen.iter().any(|&(even, _)| enters(even, odd)));
            if open.is_empty() {
                return Ok(chosen);
            }
            if open.len() == known || certainty == Certainty::Almost {
                break;
            }
        }
        // To spoil probability one a single action is enough; to stay away from it, Odd throws dice too.
        open.truncate(if certainty == Certainty::Almost {
            1
        } else {
            open.len()
        });
        Err(open)
    }
}
