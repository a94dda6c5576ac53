//! Drawing a game, and who wins it: boxes are Odd's, as in the field's pictures; a solution colours the regions and thickens the moves.

use crate::model::GameModel;
use entail_game::{Player, Solution, Vertex};
use entail_show::{Graph, GraphEdge, GraphNode, StateKey};
use std::fmt::Write;

/// Identifies a vertex in drawings and walks.
pub(crate) fn key(vertex: Vertex) -> StateKey {
    StateKey(vertex.0.into())
}

/// The game as a graph, marked where Odd wins; its edges are dashed where a winner does not take them.
pub(crate) fn drawing(model: &GameModel, solution: Option<&Solution>, most: usize) -> Result<Graph, String> {
    let (game, arena) = (&model.game.game, model.game.game.arena());
    if arena.vertex_count() > most {
        return Err(format!("the game has more than {most} vertices"));
    }
    let mut graph = Graph {
        names: ["owner", "priority", "winner"].map(String::from).to_vec(),
        ..Graph::default()
    };
    for vertex in arena.vertices() {
        let winner = solution.and_then(|solution| solution.winner(vertex));
        let priority = game.priority(vertex).to_string();
        let word = winner.map_or(String::new(), |winner| winner.to_string());
        graph.nodes.push(GraphNode {
            label: vec![
                model.vertex_name(vertex),
                format!("priority {priority}, {}", arena.owner(vertex)),
            ],
            values: vec![arena.owner(vertex).to_string(), priority, word],
            is_initial: vertex == model.questions.start(0),
            is_marked: winner == Some(Player::Odd),
            key: Some(key(vertex)),
        });
        let choice = solution.and_then(|solution| solution.choice(vertex));
        for to in arena.successors(vertex) {
            graph.edges.push(GraphEdge {
                from: vertex.index(),
                to: to.index(),
                label: String::new(),
                is_dashed: choice.is_some_and(|choice| choice != to),
            });
        }
    }
    Ok(graph)
}

/// The solved game for Graphviz: diamonds are Even's vertices and boxes Odd's; green is won by Even, red by Odd; thick edges are the winners' moves.
pub(crate) fn print_dot(model: &GameModel, solution: &Solution, most: usize) -> Result<String, String> {
    let (game, arena) = (&model.game.game, model.game.game.arena());
    if arena.vertex_count() > most {
        return Err(format!("the game has more than {most} vertices"));
    }
    let mut text = String::from("digraph game {\n  node [fontname=monospace, style=filled];\n");
    for vertex in arena.vertices() {
        let label = match model.game.name(vertex) {
            Some(name) => format!("{} {name}\\n{}", model.game.id(vertex), game.priority(vertex)),
            None => format!("{}\\n{}", model.game.id(vertex), game.priority(vertex)),
        };
        let label = label.replace('"', "'");
        let shape = match arena.owner(vertex) {
            Player::Even => "diamond",
            Player::Odd => "box",
        };
        let colour = match solution.winner(vertex) {
            Some(Player::Even) => "palegreen",
            Some(Player::Odd) => "lightsalmon",
            None => "white",
        };
        let start = if vertex == model.questions.start(0) {
            ", peripheries=2"
        } else {
            ""
        };
        let _ = writeln!(
            text,
            "  v{vertex} [label=\"{label}\", shape={shape}, fillcolor={colour}{start}];"
        );
    }
    for vertex in arena.vertices() {
        for to in arena.successors(vertex) {
            let thick = if solution.choice(vertex) == Some(to) {
                " [penwidth=3]"
            } else {
                ""
            };
            let _ = writeln!(text, "  v{vertex} -> v{to}{thick};");
        }
    }
    text += "}\n";
    Ok(text)
}
