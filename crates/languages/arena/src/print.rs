//! Printing games.

use crate::concurrent::ConcurrentFile;
use crate::read::GameFile;
use entail_game::{Colours, Player, Vertex};
use std::fmt::Write;

/// The names of the colours of a vertex, without those that are the absence of another.
pub fn colour_names(names: &[String], own: Colours) -> Vec<&str> {
    let all = names.iter().enumerate();
    all.filter(|(at, name)| own.has(*at as u32) && !name.starts_with('!'))
        .map(|(_, name)| name.as_str())
        .collect()
}

/// The first lines of a file.
fn head(objective: &str, start: &str) -> String {
    format!("objective {objective};\nstart {start};\n")
}

/// The beginning of the line of a vertex: whose it is, its name and its colours.
fn vertex_line(text: &mut String, owner: &str, name: &str, colours: &[&str]) {
    let _ = write!(text, "{owner} {name}");
    if !colours.is_empty() {
        let _ = write!(text, " [{}]", colours.join(", "));
    }
}

/// A game as it is read.
pub fn print(file: &GameFile) -> String {
    let (game, arena) = (&file.game, file.game.arena());
    let mut text = head(&file.objective, &file.names[file.start.index()]);
    for vertex in arena.vertices() {
        let owner = arena.owner(vertex).to_string();
        let colours = colour_names(&file.colours, game.colours(vertex));
        vertex_line(&mut text, &owner, &file.names[vertex.index()], &colours);
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

/// A concurrent game as it is read.
pub fn print_concurrent(file: &ConcurrentFile) -> String {
    let game = &file.game;
    let mut text = head(&file.objective, &file.names[file.start.index()]);
    for vertex in game.vertices() {
        let owner = file
            .owner(vertex)
            .map_or("both".to_owned(), |owner| owner.to_string());
        let colours = colour_names(&file.colours, game.colours(vertex));
        vertex_line(&mut text, &owner, &file.names[vertex.index()], &colours);
        let mut before = ": ";
        for even in game.actions(vertex, Player::Even) {
            for odd in game.actions(vertex, Player::Odd) {
                let to = &file.names[game.target(vertex, even, odd).index()];
                let _ = match file.owner(vertex) {
                    Some(_) => write!(text, "{before}{to}"),
                    None => write!(text, "{before}{} -> {to}", pair(file, vertex, even, odd)),
                };
                before = ", ";
            }
        }
        text.push_str(";\n");
    }
    text
}

/// A pair of actions as it is written.
fn pair(file: &ConcurrentFile, vertex: Vertex, even: u32, odd: u32) -> String {
    let (even, odd) = (
        file.action(vertex, Player::Even, even),
        file.action(vertex, Player::Odd, odd),
    );
    format!("{even}/{odd}")
}

#[cfg(test)]
mod tests {
    use crate::{AnyGame, read};

    const CONCURRENT: &str = "objective almost reach(home);\nstart hiding;\nboth hiding: stay/throw -> hiding, stay/wait -> hiding, run/throw -> wet, run/wait -> safe;\neven safe [home]: safe;\nodd wet: wet, hiding;\n";

    #[test]
    fn a_concurrent_game_is_read_as_it_was_printed() {
        let Ok(AnyGame::Concurrent(game)) = read(CONCURRENT) else {
            panic!("a concurrent game");
        };
        assert_eq!(super::print_concurrent(&game), CONCURRENT);
        let short = CONCURRENT.replace("stay/throw -> hiding, stay/wait -> hiding", "stay/* -> hiding");
        let Ok(AnyGame::Concurrent(again)) = read(&short) else {
            panic!("a concurrent game");
        };
        let named =
            |file: &crate::ConcurrentFile| (file.vertex("wet"), file.owner(file.start), file.names.clone());
        assert_eq!(named(&again), named(&game));
    }

    const GAME: &str = "objective streett((granted, requested)) & cobuchi(!bad);\nstart idle;\nodd idle: idle, busy (-3);\neven busy [requested]: grant, busy;\neven grant [granted, bad]: idle (2);\n";

    #[test]
    fn a_game_is_read_as_it_was_printed() {
        let Ok(AnyGame::Turns(game)) = read(GAME) else {
            panic!("a game with turns");
        };
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
                "objective almost parity(a); even v [a]: v;",
                "winning with probability one is decided for reach, stay and buchi with one colour",
            ),
            (
                "objective energy; both v: a/b -> v;",
                "objectives about weights are for games in which the players move in turn",
            ),
            (
                "objective reach(a); both v [a]: a/b -> v, c/d -> v;",
                "at vertex `v`, the actions a/d lead nowhere",
            ),
            (
                "objective reach(a); both v [a]: a/b -> v, a/b -> v;",
                "this pair of actions leads somewhere already",
            ),
            (
                "objective reach(a); both v [a]: a -> v;",
                "expected `/`, found `->`",
            ),
            (
                "objective reach(a); both v [a]: a/b -> v; even w: v (3);",
                "weights are for games in which the players move in turn",
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
