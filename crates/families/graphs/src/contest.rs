//! Playing the game of a formula against its winner.

use entail_family::Contest;
use entail_game::{FormulaStrategy, Player};
use entail_logic::mu::{Fixpoint, Modality, Mu, MuNode};
use entail_model::{Lts, StateId};
use std::collections::HashMap;

/// A position: a state, and a node of the formula.
type Position = (u32, u32);

/// A play from an initial state; the user is the player who loses it.
pub(crate) struct FormulaContest<'m> {
    lts: &'m Lts,
    /// The nodes in the order in which they are written, and the numbers of their operands; of a variable, of its fixpoint.
    nodes: Vec<(&'m Mu<String>, Vec<u32>)>,
    choices: HashMap<Position, u32>,
    winner: Player,
    play: Vec<Position>,
}

impl<'m> FormulaContest<'m> {
    pub fn new(
        lts: &'m Lts,
        formula: &'m Mu<String>,
        strategy: &FormulaStrategy,
    ) -> Result<FormulaContest<'m>, String> {
        let choices: HashMap<Position, u32> = (strategy.moves.iter())
            .map(|one| ((one.state, one.node), one.choice))
            .collect();
        let start = (lts.initial().iter())
            .map(|state| (state.index() as u32, 0))
            .find(|position| choices.contains_key(position))
            .ok_or("the strategy does not begin in an initial state")?;
        Ok(FormulaContest {
            lts,
            nodes: numbered(formula),
            choices,
            winner: strategy.winner,
            play: vec![start],
        })
    }

    fn here(&self) -> Position {
        self.play[self.play.len() - 1]
    }

    /// Who moves in a position, and where to; nobody if there is no choice.
    fn moves(&self, (state, number): Position) -> (Option<Player>, Vec<Position>) {
        let (formula, operands) = &self.nodes[number as usize];
        let all = || operands.iter().map(|&operand| (state, operand)).collect();
        match formula.node() {
            MuNode::Constant(_) | MuNode::Literal(..) => (None, Vec::new()),
            MuNode::And(_) => (Some(Player::Odd), all()),
            MuNode::Or(_) => (Some(Player::Even), all()),
            MuNode::Fixpoint(..) | MuNode::Variable(_) => (None, all()),
            MuNode::Modal(modality, actions, _) => {
                let steps = self.lts.steps(StateId::new(state));
                let to = steps
                    .filter(|(label, _)| actions.contains(self.lts.action_name(*label)))
                    .map(|(_, to)| (to.index() as u32, operands[0]));
                let owner = match modality {
                    Modality::Some => Player::Even,
                    Modality::Every => Player::Odd,
                };
                (Some(owner), to.collect())
            }
        }
    }

    fn described(&self, (state, number): Position) -> String {
        format!("state {state}: {}", self.nodes[number as usize].0)
    }
}

/// The nodes of a formula and their operands.
fn numbered(formula: &Mu<String>) -> Vec<(&Mu<String>, Vec<u32>)> {
    let mut nodes: Vec<(&Mu<String>, Vec<u32>)> = Vec::new();
    let mut parents: Vec<Option<usize>> = Vec::new();
    let mut waiting: Vec<(&Mu<String>, Option<usize>)> = vec![(formula, None)];
    while let Some((formula, parent)) = waiting.pop() {
        let number = nodes.len();
        if let Some(parent) = parent {
            let above: &mut (&Mu<String>, Vec<u32>) = &mut nodes[parent];
            above.1.push(number as u32);
        }
        let mut operands = Vec::new();
        if let MuNode::Variable(name) = formula.node() {
            let mut at = parent;
            while let Some(up) = at {
                if matches!(nodes[up].0.node(), MuNode::Fixpoint(_, bound, _) if *bound == *name) {
                    operands.push(up as u32);
                    break;
                }
                at = parents[up];
            }
        }
        nodes.push((formula, operands));
        parents.push(parent);
        waiting.extend(
            formula
                .operands()
                .iter()
                .rev()
                .map(|operand| (operand, Some(number))),
        );
    }
    nodes
}

impl Contest for FormulaContest<'_> {
    fn rules(&self) -> Vec<String> {
        let (you, entail) = match self.winner {
            Player::Even => ("false", "true"),
            Player::Odd => ("true", "false"),
        };
        vec![
            format!("You say that the formula is {you}; Entail says that it is {entail}."),
            "Whoever says true chooses at | and <a>, whoever says false at & and [a]; whoever must move and cannot loses."
                .to_owned(),
            "If the play goes on for ever, the outermost fixpoint that is passed again and again decides: nu is for true, mu for false."
                .to_owned(),
        ]
    }

    fn position(&self) -> Vec<String> {
        let mut lines = vec![self.described(self.here())];
        let before = &self.play[..self.play.len() - 1];
        if let Some(last) = before.iter().rposition(|&position| position == self.here()) {
            let fixpoints =
                before[last..]
                    .iter()
                    .filter_map(|&(_, node)| match self.nodes[node as usize].0.node() {
                        MuNode::Fixpoint(kind, name, _) => Some((node, *kind, name)),
                        _ => None,
                    });
            // Nodes are numbered from outside in.
            if let Some((_, kind, name)) = fixpoints.min_by_key(|(node, ..)| *node) {
                let says = match kind {
                    Fixpoint::Greatest => "true",
                    Fixpoint::Least => "false",
                };
                lines.push(format!(
                    "here again: the outermost fixpoint in between was that of {name}, so if this repeats, whoever says {says} wins"
                ));
            }
        }
        lines
    }

    fn choices(&self) -> Vec<String> {
        let (owner, moves) = self.moves(self.here());
        match owner == Some(self.winner.other()) {
            true => moves.iter().map(|&to| self.described(to)).collect(),
            false => Vec::new(),
        }
    }

    fn choose(&mut self, choice: usize) {
        let (owner, moves) = self.moves(self.here());
        if owner == Some(self.winner.other()) {
            self.play.extend(moves.get(choice));
        }
    }

    fn reply(&mut self) -> Option<String> {
        let (owner, moves) = self.moves(self.here());
        let to = match owner {
            None => *moves.first()?,
            Some(owner) if owner == self.winner => {
                let choice = *self.choices.get(&self.here())?;
                match self.nodes[self.here().1 as usize].0.node() {
                    MuNode::And(_) | MuNode::Or(_) => *moves.get(choice as usize)?,
                    _ => *moves.iter().find(|(state, _)| *state == choice)?,
                }
            }
            Some(_) => return None,
        };
        self.play.push(to);
        let how = if owner.is_none() {
            "the play goes on to"
        } else {
            "Entail goes to"
        };
        Some(format!("{how} {}", self.described(to)))
    }

    fn ending(&self) -> String {
        let truth = match self.winner {
            Player::Even => "true",
            Player::Odd => "false",
        };
        format!(
            "the formula is {truth} in state {}, whatever you do",
            self.play[0].0
        )
    }
}
