//! Judging a strategy in the game of a formula on a graph.
//!
//! The positions that are claimed to be won are turned into a parity game: in a position of the winner only the claimed move is left, in one of the opponent all moves are, as
//! the formula and the graph have them. Every move must lead to another claimed position. Fixpoints have priorities by how deeply they are nested, outer ones the
//! higher, even for greatest ones; that no cycle is the opponent's is judged as for any parity game. All is derived from formula and graph here.

use crate::parity;
use entail_answer::CheckReport;
use entail_budget::Budget;
use entail_game::{
    ArenaBuilder, FormulaMove, FormulaStrategy, ParityGame, Player, Priority, Solution, Vertex,
};
use entail_logic::mu::{Fixpoint, Modality, Mu, MuNode, MuVar};
use entail_model::{Lts, StateId};
use std::collections::HashMap;

/// A node of the formula, with the numbers of its operands.
pub(crate) struct Numbered<'f> {
    pub node: &'f MuNode<String>,
    pub operands: Vec<u32>,
    /// Of a variable, its fixpoint.
    pub binder: Option<u32>,
    /// Of a fixpoint, how many enclose it.
    pub depth: u32,
}

/// The nodes in the order in which they are written. Nothing if a variable is free.
pub(crate) fn numbered(formula: &Mu<String>) -> Option<Vec<Numbered<'_>>> {
    let mut nodes: Vec<Numbered<'_>> = Vec::new();
    // The formula, the node it is an operand of, and the fixpoints around it.
    let outermost: Vec<(MuVar, u32)> = Vec::new();
    let mut waiting = vec![(formula, None::<usize>, outermost)];
    while let Some((formula, parent, around)) = waiting.pop() {
        let number = nodes.len() as u32;
        if let Some(parent) = parent {
            nodes[parent].operands.push(number);
        }
        let mut inside = around;
        let mut binder = None;
        let depth = inside.len() as u32;
        match formula.node() {
            MuNode::Variable(name) => {
                let innermost = inside.iter().rev().find(|(known, _)| known == name);
                binder = Some(innermost?.1);
            }
            MuNode::Fixpoint(_, name, _) => inside.push((name.clone(), number)),
            _ => {}
        }
        nodes.push(Numbered {
            node: formula.node(),
            operands: Vec::new(),
            binder,
            depth,
        });
        for operand in formula.operands().iter().rev() {
            waiting.push((operand, Some(number as usize), inside.clone()));
        }
    }
    Some(nodes)
}

/// Whether a strategy proves that its winner wins from the given states with the whole formula: Even all of them, Odd at least one.
pub fn check(lts: &Lts, formula: &Mu<String>, strategy: &FormulaStrategy, budget: &Budget) -> CheckReport {
    let Some(nodes) = numbered(formula) else {
        return CheckReport::rejected("the formula has free variables");
    };
    let judge = Judge {
        lts,
        nodes: &nodes,
        deepest: nodes.iter().map(|node| node.depth).max().unwrap_or(0),
        winner: strategy.winner,
    };
    match judge.game(strategy, budget) {
        Ok(game) => {
            let mut claim = Solution::open(game.arena().vertex_count());
            for vertex in game.arena().vertices() {
                let choice = (game.arena().owner(vertex) == strategy.winner)
                    .then(|| game.arena().successors(vertex).next())
                    .flatten();
                claim.claim(vertex, strategy.winner, choice);
            }
            let name = |vertex: Vertex| vertex.to_string();
            parity::check(&game, &claim, &name, budget)
        }
        Err(report) => report,
    }
}

struct Judge<'a> {
    lts: &'a Lts,
    nodes: &'a [Numbered<'a>],
    deepest: u32,
    winner: Player,
}

impl Judge<'_> {
    fn wrong<T>(what: impl Into<String>) -> Result<T, CheckReport> {
        Err(CheckReport::rejected(what.into()))
    }

    /// Who moves in a position, where to, and its priority.
    fn moves(&self, state: u32, number: u32) -> (Player, Vec<(u32, u32)>, u32) {
        let node = &self.nodes[number as usize];
        let all = || node.operands.iter().map(|&operand| (state, operand)).collect();
        let decided = |truth: bool| {
            // Whoever is wrong has to move and cannot.
            let loser = if truth { Player::Odd } else { Player::Even };
            (loser, Vec::new(), 0)
        };
        match node.node {
            MuNode::Constant(truth) => decided(*truth),
            MuNode::Literal(name, positive) => {
                let propositions = self.lts.propositions(StateId::new(state));
                decided(propositions.iter().any(|one| **one == **name) == *positive)
            }
            MuNode::And(_) => (Player::Odd, all(), 0),
            MuNode::Or(_) => (Player::Even, all(), 0),
            MuNode::Modal(modality, actions, _) => {
                let owner = match modality {
                    Modality::Some => Player::Even,
                    Modality::Every => Player::Odd,
                };
                let mut to = Vec::new();
                for (label, next) in self.lts.steps(StateId::new(state)) {
                    if actions.contains(self.lts.action_name(label)) {
                        to.push((next.index() as u32, node.operands[0]));
                    }
                }
                (owner, to, 0)
            }
            MuNode::Fixpoint(kind, _, _) => {
                let outer = 2 * (self.deepest - node.depth) + 2;
                (Player::Even, all(), outer + u32::from(*kind == Fixpoint::Least))
            }
            MuNode::Variable(_) => {
                let binder = node.binder.unwrap_or(0);
                (Player::Even, vec![(state, binder)], 0)
            }
        }
    }

    /// The game on the claimed positions.
    fn game(&self, strategy: &FormulaStrategy, budget: &Budget) -> Result<ParityGame, CheckReport> {
        let mut places: HashMap<(u32, u32), u32> = HashMap::with_capacity(strategy.moves.len());
        for (at, one) in strategy.moves.iter().enumerate() {
            if one.state as usize >= self.lts.state_count() || one.node as usize >= self.nodes.len() {
                return Judge::wrong(format!("there is no position ({}, {})", one.state, one.node));
            }
            if places.insert((one.state, one.node), at as u32).is_some() {
                return Judge::wrong(format!("position ({}, {}) occurs twice", one.state, one.node));
            }
        }
        let claimed = |state: &StateId| places.contains_key(&(state.index() as u32, 0));
        let enough = match self.winner {
            Player::Even => self.lts.initial().iter().all(claimed),
            Player::Odd => self.lts.initial().iter().any(claimed),
        };
        if !enough {
            return Judge::wrong("the strategy does not begin where it should");
        }
        let mut arena = ArenaBuilder::with_capacity(strategy.moves.len() + 1, strategy.moves.len());
        let mut priorities = Vec::with_capacity(strategy.moves.len() + 1);
        // Where the opponent cannot move the winner has won.
        let end = strategy.moves.len() as u32;
        for one in &strategy.moves {
            if let Err(spent) = budget.check() {
                return Err(CheckReport::unchecked(format!("the strategy ({spent})")));
            }
            let (owner, moves, priority) = self.moves(one.state, one.node);
            priorities.push(Priority(priority));
            let place = |to: &(u32, u32)| match places.get(to) {
                Some(&place) => Ok(place),
                None => Judge::wrong(format!(
                    "from state {} at node {} the play goes on to state {} at node {}, about which nothing is said",
                    one.state, one.node, to.0, to.1
                )),
            };
            let is_forced = matches!(
                self.nodes[one.node as usize].node,
                MuNode::Fixpoint(..) | MuNode::Variable(_)
            );
            if is_forced || owner != self.winner {
                let to: Vec<u32> = moves.iter().map(place).collect::<Result<_, _>>()?;
                // A position without a choice belongs to the opponent as well as to anybody.
                match to.is_empty() {
                    true => arena.vertex(self.winner.other(), [end]),
                    false => arena.vertex(self.winner.other(), to),
                };
                continue;
            }
            let chosen = self.chosen(one, &moves);
            let Some(chosen) = chosen else {
                return Judge::wrong(format!(
                    "in state {} at node {} the winner has no such move",
                    one.state, one.node
                ));
            };
            arena.vertex(self.winner, [place(&chosen)?]);
        }
        arena.vertex(self.winner, [end]);
        priorities.push(Priority(self.winner.index() as u32));
        let game = arena
            .finish()
            .ok()
            .and_then(|arena| ParityGame::new(arena, priorities));
        game.ok_or_else(|| CheckReport::unchecked("a strategy with too many positions"))
    }

    /// The move that the winner has chosen, if it is one.
    fn chosen(&self, one: &FormulaMove, moves: &[(u32, u32)]) -> Option<(u32, u32)> {
        match self.nodes[one.node as usize].node {
            MuNode::And(_) | MuNode::Or(_) => moves.get(one.choice as usize).copied(),
            _ => moves.iter().copied().find(|&(state, _)| state == one.choice),
        }
    }
}
