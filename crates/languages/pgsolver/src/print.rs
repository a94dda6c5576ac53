//! Printing games and solutions.

use crate::read::PgGame;
use entail_game::{Solution, Vertex};
use std::fmt::Write;

/// A game in PGSolver's format, its header being the highest identifier.
pub fn print_game(game: &PgGame) -> String {
    let mut text = format!("parity {};\n", game.highest_id());
    if let Some(start) = game.start {
        let _ = writeln!(text, "start {};", game.id(start));
    }
    let arena = game.game.arena();
    for vertex in arena.vertices() {
        let (priority, owner) = (game.game.priority(vertex), arena.owner(vertex).index());
        let _ = write!(text, "{} {priority} {owner} ", game.id(vertex));
        for (number, to) in arena.successors(vertex).enumerate() {
            let comma = if number == 0 { "" } else { "," };
            let _ = write!(text, "{comma}{}", game.id(to));
        }
        if let Some(name) = game.name(vertex) {
            let _ = write!(text, " \"{name}\"");
        }
        text.push_str(";\n");
    }
    text
}

/// A solution in PGSolver's format: a line for each vertex about which something is claimed.
pub fn print_solution(game: &PgGame, solution: &Solution) -> String {
    let mut text = format!("paritysol {};\n", game.highest_id());
    for at in 0..solution.len() {
        let vertex = Vertex(at as u32);
        let Some(winner) = solution.winner(vertex) else {
            continue;
        };
        let _ = write!(text, "{} {}", game.id(vertex), winner.index());
        if let Some(to) = solution.choice(vertex) {
            let _ = write!(text, " {}", game.id(to));
        }
        text.push_str(";\n");
    }
    text
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_game_is_read_as_it_was_printed() {
        let text = "parity 70;\nstart 70;\n5 0 0 70 \"the one\";\n70 1 1 5,70;\n";
        let game = crate::read(text.as_bytes()).expect("correct");
        assert_eq!(super::print_game(&game), text);
    }
}
