//! Boolean equation systems as parity games, and back.
//!
//! A variable is a vertex that leads to its right-hand side; nodes have the lowest priority, and the priorities of variables grow outwards, by one where the mark changes (Mader 1997). In the other
//! direction a vertex is a variable whose right-hand side lists its successors, `|` for Even and `&` for Odd, and priorities become blocks, the highest outermost. Both are linear.

use crate::NotSolved;
use entail_game::{
    ArenaBuilder, BooleanEquation, BooleanEquations, BooleanNode, ParityGame, Player, Priority, Vertex,
};

/// The game whose positions are those of a system: from a variable Even wins iff it is true.
pub fn game_of_equations(system: &BooleanEquations) -> Result<ParityGame, NotSolved> {
    let (equations, nodes) = (system.equations(), system.nodes());
    let mut arena = ArenaBuilder::with_capacity(system.position_count(), 2 * system.position_count());
    let mut priorities = vec![Priority(0); system.position_count()];
    let mut level = 0;
    for (number, equation) in equations.iter().enumerate().rev() {
        level += u32::from((level % 2 == 0) != equation.is_greatest);
        priorities[number] = Priority(level);
    }
    for equation in equations {
        arena.vertex(Player::Even, [system.node_position(equation.body).0]);
    }
    for (number, node) in (0..).zip(nodes) {
        let owner = system.node_owner(number);
        let here = system.node_position(number);
        match node {
            BooleanNode::Constant(truth) => {
                priorities[here.index()] = Priority(u32::from(!truth));
                arena.vertex(owner, [here.0])
            }
            BooleanNode::Variable(variable) => arena.vertex(owner, [*variable]),
            BooleanNode::All(operands) | BooleanNode::Any(operands) => arena.vertex(
                owner,
                operands.iter().map(|&operand| system.node_position(operand).0),
            ),
        };
    }
    let game = arena
        .finish()
        .ok()
        .and_then(|arena| ParityGame::new(arena, priorities));
    game.ok_or_else(|| NotSolved::TooLarge("the system has too many positions".into()))
}

/// A system with a variable for each vertex, called by `name`, which is true iff Even wins from it, and the numbers of the equations by vertex.
pub fn equations_of_game(
    game: &ParityGame,
    name: impl Fn(Vertex) -> String,
) -> Result<(BooleanEquations, Vec<u32>), NotSolved> {
    let arena = game.arena();
    let mut order: Vec<Vertex> = arena.vertices().collect();
    order.sort_by_key(|&vertex| std::cmp::Reverse(game.priority(vertex)));
    let mut numbers = vec![0; order.len()];
    for (number, vertex) in (0..).zip(&order) {
        numbers[vertex.index()] = number;
    }
    let (mut nodes, mut equations) = (Vec::new(), Vec::new());
    for &vertex in &order {
        let first = nodes.len() as u32;
        nodes.extend(
            arena
                .row(vertex)
                .iter()
                .map(|&to| BooleanNode::Variable(numbers[to as usize])),
        );
        let operands: Vec<u32> = (first..nodes.len() as u32).collect();
        if operands.len() > 1 {
            nodes.push(match arena.owner(vertex) {
                Player::Even => BooleanNode::Any(operands),
                Player::Odd => BooleanNode::All(operands),
            });
        }
        equations.push(BooleanEquation {
            name: name(vertex),
            is_greatest: game.priority(vertex).player() == Player::Even,
            body: nodes.len() as u32 - 1,
        });
    }
    let system = BooleanEquations::new(nodes, equations);
    let system = system.ok_or_else(|| NotSolved::TooLarge("the game has too many edges".into()))?;
    Ok((system, numbers))
}
