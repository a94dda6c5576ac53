//! Judging solutions of concurrent games.
//!
//! **Surely.** A position is a vertex with what is remembered. Where Even is said to win, Even's action with every action of Odd leads on; elsewhere every action of Even with Odd's
//! answer to it. Nothing leads from the one kind to the other, and every endless path is Even's, or is not: that is a question about cycles. Odd's answers show that no strategy without
//! dice wins surely, and dice do not help where every play counts.
//!
//! **With dice**, for a goal to be reached or seen again and again. Write `W` for what Even is said to win.
//! - *Wins with rank r*: for each action of Odd, let its *level* be the lowest among Even's listed actions that together with it lead to `W` at a rank below `r`; there is one. An action that leads out of
//!   `W` together with an action of Odd has a level above that of Odd's action. Choosing actions of level `i` with probability of the order `εⁱ`, a step lowers the rank with probability `p` and leaves
//!   `W` with at most `ε·p`, and `ε` may be as small as one likes, smaller at higher ranks. If all levels are 0, nothing leaves `W`, and the goal is reached with probability one. At a goal that must be seen
//!   again, an action stays in `W`.
//! - *Fails at stage k*, almost surely: Odd has an action `b` such that each action of Even either leads to a stage below `k` together with some action of Odd, or leads with `b` to a stage of at most `k`.
//!   If Even's strategy ever gives an action of the first kind a probability, Odd takes what leads below; otherwise the play stays at stage `k` and sees no goal. By induction on `k`, Odd spoils probability one.
//! - *Fails at stage k*, in the limit: Odd has a set of actions such that each action of Even leads to a stage below `k` with some of the set, or to at most `k` with all of it. Choosing evenly among `m`,
//!   Odd loses at most `1 − (1 − v)/m`, where `v < 1` bounds Even's chances below stage `k`.
//! - At a goal that must be seen again each action of Even leads to a lower stage together with some action of Odd. A goal to be reached never fails.

use crate::cycles::Graph;
use crate::plays::{Node, Refuted, numbered, reported, won, wrong};
use entail_answer::CheckReport;
use entail_budget::Budget;
use entail_game::{
    Certainty, ChancePosition, ConcurrentGame, ConcurrentPosition, ConcurrentProof, Objective, Player, Vertex,
};

/// Whether Even wins from a vertex with the certainty that is asked for (`winner` is Even), or does not (Odd), as the proof claims.
pub fn check(
    game: &ConcurrentGame,
    start: Vertex,
    winner: Player,
    proof: &ConcurrentProof,
    budget: &Budget,
) -> CheckReport {
    if proof.winner(start) != Some(winner) {
        return CheckReport::rejected("the proof says otherwise about the start vertex");
    }
    reported(match proof {
        ConcurrentProof::Strategies(positions) => strategies(game, positions, budget),
        ConcurrentProof::Chances(positions) => Chances::judged(game, positions, budget),
    })
}

fn strategies(
    game: &ConcurrentGame,
    positions: &[ConcurrentPosition],
    budget: &Budget,
) -> Result<(), Refuted> {
    // Where Even only wants to stay somewhere and cannot surely, Odd leaves with a fixed probability by choosing evenly among all actions: dice do not help Even.
    if game.certainty != Certainty::Sure && !matches!(game.objective, Objective::Stay(_)) {
        return wrong("strategies without dice say nothing about winning with dice");
    }
    let places = positions
        .iter()
        .map(|position| (position.vertex, position.memory));
    let numbers = numbered(places, game.vertex_count())?;
    let nodes = positions.iter().map(|position| Node {
        vertex: position.vertex,
        colours: game.colours(position.vertex),
        winner: position.winner,
    });
    let nodes: Vec<Node> = nodes.collect();
    let mut graph = Graph::with_capacity(positions.len());
    for (position, node) in positions.iter().zip(&nodes) {
        budget.check()?;
        let targets = targets(game, position)?;
        if node.is_decided(&game.objective) {
            graph.push(Vec::new());
            continue;
        }
        let mut row = Vec::with_capacity(targets.len());
        for to in targets {
            match numbers.get(&(to, position.next)) {
                Some(&next) if positions[next].winner == position.winner => row.push((next, 0)),
                _ => {
                    return wrong(format!(
                        "a play that {} is said to win leaves what {} wins from vertex {} to {to}",
                        position.winner, position.winner, position.vertex
                    ));
                }
            }
        }
        graph.push(row);
    }
    won(&nodes, &graph, &game.objective, budget)
}

/// Where plays go from a position under the action or the answers it names.
fn targets(game: &ConcurrentGame, position: &ConcurrentPosition) -> Result<Vec<Vertex>, Refuted> {
    let vertex = position.vertex;
    let (even, odd) = (
        game.actions(vertex, Player::Even),
        game.actions(vertex, Player::Odd),
    );
    let no_actions = || {
        wrong(format!(
            "the actions at vertex {vertex} are not those of the game"
        ))
    };
    match (position.winner, position.moves.as_slice()) {
        (Player::Even, [own]) if even.contains(own) => {
            Ok(odd.map(|other| game.target(vertex, *own, other)).collect())
        }
        (Player::Odd, answers)
            if answers.len() == even.len() && answers.iter().all(|own| odd.contains(own)) =>
        {
            let pairs = even.zip(answers);
            Ok(pairs
                .map(|(own, &answer)| game.target(vertex, own, answer))
                .collect())
        }
        _ => no_actions(),
    }
}

/// A proof about chances, and the game it is about.
struct Chances<'a> {
    game: &'a ConcurrentGame,
    positions: &'a [ChancePosition],
    goal: u32,
}

impl Chances<'_> {
    fn judged(game: &ConcurrentGame, positions: &[ChancePosition], budget: &Budget) -> Result<(), Refuted> {
        let (goal, again) = match (&game.objective, game.objective.recurring_colour()) {
            (Objective::Reach(colour), _) => (*colour, false),
            (_, Some(colour)) => (colour, true),
            _ => return wrong("chances are for goals to be reached or seen again and again"),
        };
        if game.certainty == Certainty::Sure || positions.len() != game.vertex_count() {
            return wrong("the proof is not one of chances at every vertex");
        }
        let proof = Chances {
            game,
            positions,
            goal,
        };
        for (vertex, position) in game.vertices().zip(positions) {
            budget.check()?;
            let is_right = match (position, proof.is_goal(vertex)) {
                (ChancePosition::Wins { .. }, true) if !again => true,
                (ChancePosition::Wins { levels, .. }, true) => proof.stays(vertex, levels),
                (ChancePosition::Wins { rank, levels }, false) => proof.approaches(vertex, *rank, levels),
                (ChancePosition::Fails { stage, .. }, true) => again && proof.must_fall(vertex, *stage),
                (ChancePosition::Fails { stage, answers }, false) => proof.is_kept(vertex, *stage, answers),
            };
            if !is_right {
                return wrong(match position.winner() {
                    Player::Even => {
                        format!("the actions at vertex {vertex} do not bring Even nearer to the goal")
                    }
                    Player::Odd => format!("the answers at vertex {vertex} do not keep Even from the goal"),
                });
            }
        }
        Ok(())
    }

    fn is_goal(&self, vertex: Vertex) -> bool {
        self.game.colours(vertex).has(self.goal)
    }

    /// The rank of a vertex that Even is said to win: 0 at goals.
    fn rank(&self, vertex: Vertex) -> Option<u32> {
        match &self.positions[vertex.index()] {
            ChancePosition::Wins { rank, .. } => Some(if self.is_goal(vertex) { 0 } else { *rank }),
            ChancePosition::Fails { .. } => None,
        }
    }

    /// Whether Even is said to fail from a vertex at a stage that is at most so high.
    fn fails_by(&self, vertex: Vertex, most: u32) -> bool {
        matches!(&self.positions[vertex.index()], ChancePosition::Fails { stage, .. } if *stage <= most)
    }

    /// Some action that is listed keeps the play where Even wins, and no other is listed.
    fn stays(&self, vertex: Vertex, levels: &[(u32, u32)]) -> bool {
        let mut odd = self.game.actions(vertex, Player::Odd);
        match levels {
            [(even, _)] if self.game.actions(vertex, Player::Even).contains(even) => {
                odd.all(|odd| self.rank(self.game.target(vertex, *even, odd)).is_some())
            }
            _ => false,
        }
    }

    fn approaches(&self, vertex: Vertex, rank: u32, levels: &[(u32, u32)]) -> bool {
        let own = self.game.actions(vertex, Player::Even);
        let is_allowed = |level: u32| level == 0 || self.game.certainty == Certainty::Limit;
        if !levels
            .iter()
            .all(|(even, level)| own.contains(even) && is_allowed(*level))
        {
            return false;
        }
        let mut odd = self.game.actions(vertex, Player::Odd);
        odd.all(|odd| {
            let to = |even: u32| self.rank(self.game.target(vertex, even, odd));
            let nearer = levels
                .iter()
                .filter(|(even, _)| to(*even).is_some_and(|there| there < rank));
            let Some(met) = nearer.map(|(_, level)| *level).min() else {
                return false;
            };
            levels
                .iter()
                .all(|&(even, level)| to(even).is_some() || level > met)
        })
    }

    /// Each action of Even leads to a lower stage together with some action of Odd.
    fn must_fall(&self, vertex: Vertex, stage: u32) -> bool {
        let mut even = self.game.actions(vertex, Player::Even);
        even.all(|even| self.may_fall(vertex, even, stage, self.game.actions(vertex, Player::Odd)))
    }

    /// Whether an action leads to a lower stage together with one of these of Odd.
    fn may_fall(&self, vertex: Vertex, even: u32, stage: u32, mut odd: impl Iterator<Item = u32>) -> bool {
        let below = stage.checked_sub(1);
        let falls =
            |odd: u32| below.is_some_and(|below| self.fails_by(self.game.target(vertex, even, odd), below));
        odd.any(falls)
    }

    fn is_kept(&self, vertex: Vertex, stage: u32, answers: &[u32]) -> bool {
        let all = self.game.actions(vertex, Player::Odd);
        if answers.is_empty() || !answers.iter().all(|odd| all.contains(odd)) {
            return false;
        }
        let mut even = self.game.actions(vertex, Player::Even);
        let stays = |even: u32, odd: &u32| self.fails_by(self.game.target(vertex, even, *odd), stage);
        match (self.game.certainty, answers) {
            (Certainty::Almost, [answer]) => {
                even.all(|even| stays(even, answer) || self.may_fall(vertex, even, stage, all.clone()))
            }
            (Certainty::Limit, _) => even.all(|even| {
                answers.iter().all(|odd| stays(even, odd))
                    || self.may_fall(vertex, even, stage, answers.iter().copied())
            }),
            _ => false,
        }
    }
}
