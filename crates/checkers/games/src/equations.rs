//! Judging solutions of Boolean equation systems.
//!
//! The claim says who wins at each position of the system's game, and how. The game is derived from the equations here: a block of equations with the same mark has one priority, twice its distance
//! from the innermost block, and one more if it is least; a play that reaches a constant stays there, and where there is one move it is Even's. That the claim is right is judged as of any parity game.

use crate::parity;
use entail_answer::CheckReport;
use entail_budget::Budget;
use entail_game::{
    ArenaBuilder, BooleanEquations, BooleanNode, ParityGame, Player, Priority, Solution, Vertex,
};

/// Whether the solution of a system is as claimed, and has this value for a variable.
pub fn check(
    system: &BooleanEquations,
    variable: u32,
    value: bool,
    claim: &Solution,
    budget: &Budget,
) -> CheckReport {
    let wanted = if value { Player::Even } else { Player::Odd };
    let known = variable < system.equations().len() as u32 && claim.len() == system.position_count();
    if !known || claim.winner(Vertex(variable)) != Some(wanted) {
        return CheckReport::rejected("the solution says otherwise about the variable");
    }
    let Some(game) = game(system) else {
        return CheckReport::unchecked("a system with too many positions");
    };
    let name = |vertex: Vertex| match system.equations().get(vertex.index()) {
        Some(equation) => equation.name.clone(),
        None => format!("of node {}", vertex.index() - system.equations().len()),
    };
    parity::check(&game, claim, &name, budget)
}

fn game(system: &BooleanEquations) -> Option<ParityGame> {
    let equations = system.equations();
    let is_new = |pair: &[entail_game::BooleanEquation]| pair[0].is_greatest != pair[1].is_greatest;
    let blocks = 1 + equations.windows(2).filter(|pair| is_new(pair)).count() as u32;
    let mut arena = ArenaBuilder::default();
    let mut priorities = Vec::new();
    let mut block = 0;
    for (at, equation) in equations.iter().enumerate() {
        block += u32::from(at > 0 && is_new(&equations[at - 1..=at]));
        let distance = blocks - block;
        priorities.push(Priority(2 * distance + u32::from(!equation.is_greatest)));
        let body = equations.len() as u32 + equation.body;
        arena.vertex(Player::Even, [body]);
    }
    for node in system.nodes() {
        let here = priorities.len() as u32;
        let shifted = |operand: &u32| equations.len() as u32 + operand;
        let mut priority = 0;
        match node {
            BooleanNode::Constant(truth) => {
                priority = u32::from(!truth);
                arena.vertex(Player::Even, [here]);
            }
            BooleanNode::Variable(variable) => {
                arena.vertex(Player::Even, [*variable]);
            }
            BooleanNode::All(operands) => {
                arena.vertex(Player::Odd, operands.iter().map(shifted));
            }
            BooleanNode::Any(operands) => {
                arena.vertex(Player::Even, operands.iter().map(shifted));
            }
        }
        priorities.push(Priority(priority));
    }
    ParityGame::new(arena.finish().ok()?, priorities)
}
