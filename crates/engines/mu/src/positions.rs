//! The positions of the game, as far as they are reached.

use crate::MuError;
use crate::nodes::Nodes;
use entail_budget::Budget;
use entail_game::{ArenaBuilder, ParityGame, Player, Priority, Vertex};
use entail_logic::mu::{Modality, MuNode};
use entail_model::{ActionId, Lts, StateId};

/// The vertices at which Even and Odd have won.
const WON: u32 = 0;
const LOST: u32 = 1;
/// No vertex yet.
const NONE: u32 = u32::MAX;

/// What a node is on a graph.
enum Kind {
    /// True, or false.
    Constant(bool),
    /// For each colour of the graph, whether it is true there.
    Literal(Vec<bool>),
    And,
    Or,
    /// A modality over all steps, or those with one of these actions (an action may not occur).
    Modal(Modality, Option<Vec<ActionId>>),
    Fixpoint,
    Variable,
}

impl Kind {
    fn new(formula: &MuNode<String>, lts: &Lts) -> Kind {
        match formula {
            MuNode::Constant(truth) => Kind::Constant(*truth),
            MuNode::Literal(atom, positive) => {
                let has = |colour: &Vec<std::sync::Arc<str>>| colour.iter().any(|one| **one == **atom);
                Kind::Literal(
                    (lts.colours().iter())
                        .map(|colour| has(colour) == *positive)
                        .collect(),
                )
            }
            MuNode::Variable(_) => Kind::Variable,
            MuNode::And(_) => Kind::And,
            MuNode::Or(_) => Kind::Or,
            MuNode::Modal(modality, actions, _) => {
                let known = (0..lts.actions().len() as u32).map(ActionId::new);
                let fitting = known.filter(|&id| actions.contains(lts.action_name(id)));
                Kind::Modal(*modality, (!actions.is_any()).then(|| fitting.collect()))
            }
            MuNode::Fixpoint(..) => Kind::Fixpoint,
        }
    }
}

/// The numbering of positions.
pub(crate) struct Positions<'a> {
    lts: &'a Lts,
    nodes: &'a Nodes<'a>,
    kinds: Vec<Kind>,
    /// For each node the vertex of each state, made when the node is first reached.
    places: Vec<Vec<u32>>,
    /// State and node of each vertex after the first two.
    list: Vec<(u32, u32)>,
}

impl<'a> Positions<'a> {
    pub fn new(lts: &'a Lts, nodes: &'a Nodes<'a>) -> Positions<'a> {
        Positions {
            lts,
            nodes,
            kinds: (nodes.0.iter())
                .map(|node| Kind::new(node.formula, lts))
                .collect(),
            places: vec![Vec::new(); nodes.0.len()],
            list: Vec::new(),
        }
    }

    fn place(&mut self, state: u32, node: u32) -> u32 {
        let row = &mut self.places[node as usize];
        if row.is_empty() {
            row.resize(self.lts.state_count(), NONE);
        }
        if row[state as usize] == NONE {
            row[state as usize] = self.list.len() as u32 + 2;
            self.list.push((state, node));
        }
        row[state as usize]
    }

    /// The vertex of a position that has been reached.
    pub fn vertex_of(&self, state: u32, node: u32) -> Vertex {
        Vertex(self.places[node as usize][state as usize])
    }

    /// The position of a vertex; none of the two at which a play has ended.
    pub fn position(&self, vertex: Vertex) -> Option<(u32, u32)> {
        self.list.get(vertex.index().checked_sub(2)?).copied()
    }

    /// How a move is told: by the number of the operand, or by the state.
    pub fn choice(&self, node: u32, to: Vertex) -> u32 {
        let Some((state, next)) = self.position(to) else {
            return 0;
        };
        match self.kinds[node as usize] {
            Kind::Modal(..) => state,
            _ => (self.nodes.0[node as usize].operands.iter())
                .position(|&operand| operand == next)
                .map_or(0, |at| at as u32),
        }
    }

    /// The game of all positions that can be reached from the initial states.
    pub fn explore(&mut self, budget: &Budget) -> Result<ParityGame, MuError> {
        let nodes = self.nodes;
        let kinds = std::mem::take(&mut self.kinds);
        let mut arena = ArenaBuilder::default();
        arena.vertex(Player::Even, [WON]);
        arena.vertex(Player::Odd, [LOST]);
        let mut priorities = vec![Priority(0), Priority(1)];
        for state in self.lts.initial() {
            self.place(state.index() as u32, 0);
        }
        let mut at = 0;
        let mut row: Vec<u32> = Vec::new();
        while let Some(&(state, number)) = self.list.get(at) {
            budget.check()?;
            if self.list.len() >= (NONE - 2) as usize {
                return Err(MuError::TooLarge);
            }
            at += 1;
            let node = &nodes.0[number as usize];
            row.clear();
            let decided = |truth: bool| if truth { WON } else { LOST };
            let owner = match &kinds[number as usize] {
                Kind::Constant(truth) => {
                    row.push(decided(*truth));
                    Player::Even
                }
                Kind::Literal(truth) => {
                    row.push(decided(truth[self.lts.colour(StateId::new(state)).index()]));
                    Player::Even
                }
                kind @ (Kind::And | Kind::Or | Kind::Fixpoint | Kind::Variable) => {
                    for &operand in &node.operands {
                        row.push(self.place(state, operand));
                    }
                    match kind {
                        Kind::And => Player::Odd,
                        _ => Player::Even,
                    }
                }
                Kind::Modal(modality, actions) => {
                    let lts = self.lts;
                    for (action, to) in lts.steps(StateId::new(state)) {
                        if actions.as_ref().is_none_or(|actions| actions.contains(&action)) {
                            row.push(self.place(to.index() as u32, node.operands[0]));
                        }
                    }
                    let (owner, stuck) = match modality {
                        Modality::Some => (Player::Even, LOST),
                        Modality::Every => (Player::Odd, WON),
                    };
                    if row.is_empty() {
                        row.push(stuck);
                    }
                    owner
                }
            };
            row.sort_unstable();
            row.dedup();
            arena.vertex(owner, row.iter().copied());
            priorities.push(Priority(node.priority));
        }
        self.kinds = kinds;
        let arena = arena.finish().map_err(|_| MuError::TooLarge)?;
        ParityGame::new(arena, priorities).ok_or(MuError::TooLarge)
    }
}
