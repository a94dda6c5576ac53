//! Printing games.

use crate::read::GameFile;
use std::fmt::Write;

/// A game as it is read.
pub fn print(file: &GameFile) -> String {
    let (game, arena) = (&file.game, file.game.arena());
    let mut text = format!("objective {};\n", file.objective);
    let _ = writeln!(text, "start {};", file.names[file.start.index()]);
    for vertex in arena.vertices() {
        let _ = write!(text, "{} {}", arena.owner(vertex), file.names[vertex.index()]);
        let own = file
            .colours
            .iter()
            .enumerate()
            .filter(|(at, name)| game.colours(vertex).has(*at as u32) && !name.starts_with('!'));
        let own: Vec<&str> = own.map(|(_, name)| name.as_str()).collect();
        if !own.is_empty() {
            let _ = write!(text, " [{}]", own.join(", "));
        }
        for (number, (to, weight)) in game.edges(vertex).enumerate() {
            let before = if number == 0 { ": " } else { ", " };
            let _ = write!(text, "{before}{}", file.names[to.index()]);
            if weight != 0 {
                let _ = write!(text, " ({weight})");
            }
        }
        text.push_str(";\n");
    }
    text
}

#[cfg(test)]
mod tests {
    use crate::read;

    const GAME: &str = "objective streett((granted, requested)) & cobuchi(!bad);\nstart idle;\nodd idle: idle, busy (-3);\neven busy [requested]: grant, busy;\neven grant [granted, bad]: idle (2);\n";

    #[test]
    fn a_game_is_read_as_it_was_printed() {
        let game = read(GAME).expect("correct");
        assert_eq!(super::print(&game), GAME);
    }

    #[test]
    fn what_is_wrong_is_said_where_it_stands() {
        for (wrong, message) in [
            ("even v: v;", "the game has no objective"),
            ("objective energy; even v: w;", "there is no vertex `w`"),
            ("objective inf(a); even v: v;", "no vertex has the colour `a`"),
            (
                "objective energy; even v: ;",
                "expected the name of a successor, found `;`",
            ),
            (
                "objective energy; even v: v; odd v: v;",
                "vertex `v` is defined twice",
            ),
            (
                "objective discounted(2) >= 0; even v: v;",
                "the factor must be between 0 and 1, both excluded",
            ),
            (
                "objective energy; even v: v (99999999999999999999);",
                "a weight is a whole number of 64 bits",
            ),
            (
                "objective energy even v: v;",
                "expected the end of the objective, a `;`, found `even`",
            ),
            (
                "objective wishes(a); even v [a]: v;",
                "there is no objective `wishes` here",
            ),
        ] {
            let problems = read(wrong).expect_err(wrong);
            assert_eq!(problems.0[0].message, message, "{wrong}");
        }
    }
}
