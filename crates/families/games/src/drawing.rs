//! Drawing a game, and who wins it: boxes are Odd's, as in the field's pictures; a solution colours the regions and thickens the moves.

use crate::model::GameModel;
use entail_game::{Arena, Player, Solution, Vertex};
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

/// A solved game for Graphviz.
pub(crate) struct Picture<'a> {
    pub arena: &'a Arena,
    pub start: Vertex,
    /// What stands in a vertex.
    pub label: &'a dyn Fn(Vertex) -> String,
    /// What stands at an edge.
    pub edge: &'a dyn Fn(Vertex, Vertex) -> String,
    pub winner: &'a dyn Fn(Vertex) -> Option<Player>,
    /// Whether the winner takes an edge.
    pub taken: &'a dyn Fn(Vertex, Vertex) -> bool,
}

impl Picture<'_> {
    /// Diamonds are Even's vertices and boxes Odd's; green is won by Even, red by Odd; thick edges are the winners' moves.
    pub fn print(&self, most: usize) -> Result<String, String> {
        if self.arena.vertex_count() > most {
            return Err(format!("the game has more than {most} vertices"));
        }
        let mut text = String::from("digraph game {\n  node [fontname=monospace, style=filled];\n");
        for vertex in self.arena.vertices() {
            let label = (self.label)(vertex).replace('"', "'");
            let shape = match self.arena.owner(vertex) {
                Player::Even => "diamond",
                Player::Odd => "box",
            };
            let colour = match (self.winner)(vertex) {
                Some(Player::Even) => "palegreen",
                Some(Player::Odd) => "lightsalmon",
                None => "white",
            };
            let start = if vertex == self.start {
                ", peripheries=2"
            } else {
                ""
            };
            let _ = writeln!(
                text,
                "  v{vertex} [label=\"{label}\", shape={shape}, fillcolor={colour}{start}];"
            );
        }
        for vertex in self.arena.vertices() {
            for to in self.arena.successors(vertex) {
                let mut look = Vec::new();
                let label = (self.edge)(vertex, to);
                if !label.is_empty() {
                    look.push(format!("label=\"{label}\""));
                }
                if (self.taken)(vertex, to) {
                    look.push("penwidth=3".to_owned());
                }
                let look = match look.is_empty() {
                    true => String::new(),
                    false => format!(" [{}]", look.join(", ")),
                };
                let _ = writeln!(text, "  v{vertex} -> v{to}{look};");
            }
        }
        text += "}\n";
        Ok(text)
    }
}

/// The solved game for Graphviz.
pub(crate) fn print_dot(model: &GameModel, solution: &Solution, most: usize) -> Result<String, String> {
    let game = &model.game.game;
    let picture = Picture {
        arena: game.arena(),
        start: model.questions.start(0),
        label: &|vertex| match model.game.name(vertex) {
            Some(name) => format!("{} {name}\\n{}", model.game.id(vertex), game.priority(vertex)),
            None => format!("{}\\n{}", model.game.id(vertex), game.priority(vertex)),
        },
        edge: &|_, _| String::new(),
        winner: &|vertex| solution.winner(vertex),
        taken: &|vertex, to| solution.choice(vertex) == Some(to),
    };
    picture.print(most)
}
