//! Reading solutions.

use crate::read::{PgGame, end, header};
use crate::scanner::Scanner;
use entail_game::{Player, Solution, Vertex};
use entail_source::{Diagnostic, Diagnostics, Span, decode_in_place};

/// Whether a text is meant as a solution.
pub fn looks_like_solution(text: &[u8]) -> bool {
    let mut scanner = Scanner::new(text);
    scanner.take_word("paritysol")
}

const LINE: &str = "a line is written as identifier, winner (0 or 1), the winner's move where the vertex is the winner's, and `;`";

/// Reads a solution of a game. It may be silent about vertices.
pub fn read_solution(bytes: &[u8], game: &PgGame) -> Result<Solution, Diagnostics> {
    read_claims(bytes, game).map_err(|problems| problems.within(&decode_in_place(bytes)))
}

fn read_claims(bytes: &[u8], game: &PgGame) -> Result<Solution, Diagnostics> {
    let mut scanner = Scanner::new(bytes);
    header(&mut scanner, "paritysol")?;
    let mut solution = Solution::open(game.game.arena().vertex_count());
    while scanner.peek().is_some() {
        let begin = scanner.at;
        let vertex = known(&mut scanner, game, "the identifier of a vertex")?;
        let span = Span::new(begin, scanner.at);
        if solution.winner(vertex).is_some() {
            let message = format!("there are two lines for vertex {}", game.id(vertex));
            let problem = Diagnostic::error("pgsolver::twice", message, span, "the second");
            return Err(problem.with_help("each vertex has one line").into());
        }
        let winner_span = scanner.next_span();
        let winner = scanner
            .number()
            .ok_or_else(|| scanner.expected("pgsolver::winner", "the winner", LINE))?;
        let Some(winner) = Player::numbered(winner) else {
            let message = format!("there is no player {winner}");
            let problem = Diagnostic::error("pgsolver::winner", message, winner_span, "this winner");
            return Err(problem.with_help("0 is even, 1 is odd").into());
        };
        let choice = match scanner.peek() {
            Some(byte) if byte.is_ascii_digit() => Some(known(&mut scanner, game, "a move")?),
            _ => None,
        };
        end(&mut scanner, "pgsolver::solution")?;
        solution.claim(vertex, winner, choice);
    }
    Ok(solution)
}

fn known(scanner: &mut Scanner<'_>, game: &PgGame, what: &str) -> Result<Vertex, Diagnostics> {
    let span = scanner.next_span();
    let id = scanner
        .number()
        .ok_or_else(|| scanner.expected("pgsolver::solution", what, LINE))?;
    game.vertex(id).ok_or_else(|| {
        let problem = Diagnostic::error(
            "pgsolver::unknown",
            format!("the game has no vertex {id}"),
            span,
            "this vertex",
        );
        problem.with_help("is this a solution of this game?").into()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::print_solution;

    fn game() -> PgGame {
        crate::read(b"parity 9; 0 2 0 0; 5 3 1 5; 9 4 1 0,5;").expect("correct")
    }

    #[test]
    fn a_solution_is_read_as_it_was_printed() {
        let text = "paritysol 9;\n0 0 0;\n5 1 5;\n9 1 5;\n";
        let solution = read_solution(text.as_bytes(), &game()).expect("correct");
        assert_eq!(solution.choice(Vertex(2)), Some(Vertex(1)));
        assert_eq!(print_solution(&game(), &solution), text);
        let without_header = read_solution(b"5 1; 0 0 0;", &game()).expect("correct");
        assert_eq!(
            (without_header.count(Player::Odd), without_header.is_total()),
            (1, false)
        );
    }

    #[test]
    fn what_is_wrong_is_said_at_its_place() {
        let cases = [
            ("paritysol;", "pgsolver::header", 9),
            ("paritysol 9; 1 0 0;", "pgsolver::unknown", 13),
            ("paritysol 9; 0 0 1;", "pgsolver::unknown", 17),
            ("paritysol 9; 0 2 0;", "pgsolver::winner", 15),
            ("paritysol 9; 0;", "pgsolver::winner", 14),
            ("paritysol 9; 0 0 0; 0 0 0;", "pgsolver::twice", 20),
            ("paritysol 9; 0 0 0", "pgsolver::solution", 18),
            ("paritysol 9; x", "pgsolver::solution", 13),
        ];
        for (text, code, place) in cases {
            let Err(Diagnostics(found)) = read_solution(text.as_bytes(), &game()) else {
                panic!("{text:?} was accepted");
            };
            assert_eq!((found[0].code, found[0].span().start), (code, place), "{text:?}");
        }
        assert!(looks_like_solution(b" paritysol 4;") && !looks_like_solution(b"parity 4;"));
    }
}
