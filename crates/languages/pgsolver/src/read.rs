//! Reading games: one pass over the bytes into flat tables, then the vertices are put in the order of their identifiers, if they are not.

use crate::scanner::Scanner;
use entail_game::{ArenaBuilder, ParityGame, Player, Priority, Vertex};
use entail_source::{Diagnostic, Diagnostics, Span, decode_in_place};

/// A game that was read, with what the file calls its vertices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PgGame {
    /// The game.
    pub game: ParityGame,
    /// The vertex that the file says matters most.
    pub start: Option<Vertex>,
    /// What was strange.
    pub warnings: Vec<Diagnostic>,
    /// The identifiers in ascending order; empty if they are 0, 1, 2 and so on.
    ids: Vec<u64>,
    /// The names one after the other, and where that of each vertex ends; empty if no vertex has a name.
    names: String,
    name_ends: Vec<u32>,
}

impl PgGame {
    /// A game whose vertices have no names and are called by their numbers.
    pub fn plain(game: ParityGame, start: Option<Vertex>) -> PgGame {
        PgGame {
            game,
            start,
            warnings: Vec::new(),
            ids: Vec::new(),
            names: String::new(),
            name_ends: Vec::new(),
        }
    }

    /// A game whose vertices are called by their numbers, and some by names that `name` gives.
    pub fn named<'n>(
        game: ParityGame,
        start: Option<Vertex>,
        name: impl Fn(Vertex) -> Option<&'n str>,
    ) -> PgGame {
        let mut file = PgGame::plain(game, start);
        for vertex in file.game.arena().vertices() {
            file.names.push_str(name(vertex).unwrap_or_default());
            file.name_ends.push(file.names.len() as u32);
        }
        file
    }

    /// The identifier of a vertex.
    pub fn id(&self, vertex: Vertex) -> u64 {
        match self.ids.is_empty() {
            true => vertex.0.into(),
            false => self.ids[vertex.index()],
        }
    }

    /// The vertex of an identifier.
    pub fn vertex(&self, id: u64) -> Option<Vertex> {
        match self.ids.is_empty() {
            true => (id < self.game.arena().vertex_count() as u64).then_some(Vertex(id as u32)),
            false => self.ids.binary_search(&id).ok().map(|at| Vertex(at as u32)),
        }
    }

    /// The highest identifier.
    pub fn highest_id(&self) -> u64 {
        self.id(Vertex(self.game.arena().vertex_count() as u32 - 1))
    }

    /// The name of a vertex, if it has one.
    pub fn name(&self, vertex: Vertex) -> Option<&str> {
        let end = *self.name_ends.get(vertex.index())? as usize;
        let begin = match vertex.index() {
            0 => 0,
            at => self.name_ends[at - 1] as usize,
        };
        (end > begin).then(|| &self.names[begin..end])
    }
}

/// Whether a file that begins like this is a game, for files whose names do not tell.
pub fn looks_like_game(beginning: &[u8]) -> bool {
    let mut scanner = Scanner::new(beginning);
    if scanner.take_word("parity") {
        return scanner.number().is_some() && scanner.take(b';');
    }
    // Identifier, priority, owner, successor, and what can stand behind it.
    let numbers = [(); 4].map(|()| scanner.number());
    let is_vertex = matches!(numbers, [Some(_), Some(_), Some(0 | 1), Some(_)]);
    is_vertex && matches!(scanner.peek(), Some(b',' | b';' | b'"'))
}

const VERTEX: &str = "a vertex is written as identifier, priority, owner (0 or 1), successors and `;`, for example `3 1 0 2,4;`";
const NO_SUCCESSOR: &str = "every vertex needs a successor; where a player is stuck and loses, write an edge to the vertex itself and a priority that the player does not like";

/// The flat tables of the vertices, in the order of the file.
#[derive(Default)]
struct Tables {
    ids: Vec<u64>,
    priorities: Vec<Priority>,
    owners: Vec<Player>,
    /// Where each vertex's successors end.
    ends: Vec<u64>,
    successors: Vec<u32>,
    /// Positions of the names: empty until the first name.
    names: Vec<(u64, u32)>,
    /// Where each vertex stands.
    places: Vec<u64>,
}

/// Reads a game.
pub fn read(bytes: &[u8]) -> Result<PgGame, Diagnostics> {
    read_game(bytes).map_err(|problems| problems.within(&decode_in_place(bytes)))
}

fn read_game(bytes: &[u8]) -> Result<PgGame, Diagnostics> {
    let mut scanner = Scanner::new(bytes);
    let mut warnings = Vec::new();
    let header = header(&mut scanner, "parity")?;
    let start = match scanner.take_word("start") {
        false => None,
        true => {
            let span = scanner.next_span();
            let id = scanner.number().ok_or_else(|| {
                scanner.expected(
                    "pgsolver::start",
                    "the identifier of the start vertex",
                    "write `start 0;`",
                )
            })?;
            end(&mut scanner, "pgsolver::start")?;
            Some((id, span))
        }
    };
    let mut tables = Tables::default();
    while scanner.peek().is_some() {
        vertex(&mut scanner, &mut tables, header)?;
    }
    let Some(&highest) = tables.ids.iter().max() else {
        let end = Span::new(bytes.len(), bytes.len());
        let problem = Diagnostic::error("pgsolver::empty", "there is no vertex", end, "expected a vertex");
        return Err(problem.with_help(VERTEX).into());
    };
    if let Some((promised, span)) = header
        && highest.saturating_add(1) < promised
    {
        let message = format!("the header announces {promised}, and the highest identifier is {highest}");
        warnings.push(
            Diagnostic::warning("pgsolver::header", message, span, "announced here").with_help(
                "the header says the highest identifier, or the number of vertices; is the file complete?",
            ),
        );
    }
    arrange(bytes, tables, start, warnings)
}

/// The header, if there is one: its number and place.
pub(crate) fn header(scanner: &mut Scanner<'_>, word: &str) -> Result<Option<(u64, Span)>, Diagnostics> {
    let begin = scanner.next_span().start;
    if !scanner.take_word(word) {
        return match scanner.peek() {
            Some(byte) if byte.is_ascii_alphabetic() => {
                let what = format!("`{word}` or a number");
                let help = format!("the file begins with `{word} N;` or with a line for a vertex");
                Err(scanner.expected("pgsolver::header", &what, &help).into())
            }
            _ => Ok(None),
        };
    }
    let number = scanner.number().ok_or_else(|| {
        scanner.expected(
            "pgsolver::header",
            "the highest identifier",
            &format!("write `{word} 10;`"),
        )
    })?;
    let span = Span::new(begin, scanner.at);
    end(scanner, "pgsolver::header")?;
    Ok(Some((number, span)))
}

pub(crate) fn end(scanner: &mut Scanner<'_>, code: &'static str) -> Result<(), Diagnostics> {
    match scanner.take(b';') {
        true => Ok(()),
        false => Err(scanner.expected(code, "`;`", "every line ends with `;`").into()),
    }
}

/// The largest priority.
const MOST_PRIORITY: u64 = i32::MAX as u64;

fn vertex(
    scanner: &mut Scanner<'_>,
    tables: &mut Tables,
    header: Option<(u64, Span)>,
) -> Result<(), Diagnostics> {
    let place = scanner.at;
    let span = |scanner: &Scanner<'_>, begin: usize| Span::new(begin, scanner.at);
    let id = scanner
        .number()
        .ok_or_else(|| scanner.expected("pgsolver::vertex", "the identifier of a vertex", VERTEX))?;
    if let Some((highest, header)) = header
        && id > highest
    {
        let message = format!("vertex {id} is beyond the header's {highest}");
        let problem = Diagnostic::error(
            "pgsolver::identifier",
            message,
            span(scanner, place),
            "this vertex",
        )
        .with_label(header, "the header")
        .with_help("the header says the highest identifier, or the number of vertices");
        return Err(problem.into());
    }
    scanner.peek();
    let begin = scanner.at;
    let priority = scanner
        .number()
        .ok_or_else(|| scanner.expected("pgsolver::vertex", "a priority", VERTEX))?;
    if priority > MOST_PRIORITY {
        let message = format!("priorities go up to {MOST_PRIORITY}");
        let problem = Diagnostic::error(
            "pgsolver::priority",
            message,
            span(scanner, begin),
            "this priority",
        );
        return Err(problem
            .with_help("only the order and the parity of priorities matter: use smaller ones")
            .into());
    }
    scanner.peek();
    let begin = scanner.at;
    let owner = scanner
        .number()
        .ok_or_else(|| scanner.expected("pgsolver::vertex", "the owner", VERTEX))?;
    let Some(owner) = Player::numbered(owner) else {
        let message = format!("there is no player {owner}");
        let problem = Diagnostic::error("pgsolver::owner", message, span(scanner, begin), "this owner");
        return Err(problem.with_help("0 is even, 1 is odd").into());
    };
    loop {
        scanner.peek();
        let begin = scanner.at;
        let Some(to) = scanner.number() else {
            let stuck = matches!(scanner.peek(), Some(b';' | b'"'));
            let help = if stuck { NO_SUCCESSOR } else { VERTEX };
            return Err(scanner
                .expected("pgsolver::successor", "a successor", help)
                .into());
        };
        // Identifiers that do not fit are those of no vertex; the message comes when all vertices are known.
        let Ok(to) = u32::try_from(to) else {
            return Err(unknown(to, span(scanner, begin)));
        };
        tables.successors.push(to);
        if !scanner.take(b',') {
            break;
        }
    }
    let position = tables.ids.len();
    if scanner.take(b'"') {
        let begin = scanner.at;
        let Some(length) = scanner.bytes[begin..].iter().position(|&byte| byte == b'"') else {
            let quote = Span::new(begin - 1, begin);
            let problem = Diagnostic::error("pgsolver::name", "the name has no end", quote, "it begins here");
            return Err(problem.with_help("a name stands between two `\"`").into());
        };
        tables.names.resize(position, (0, 0));
        let Ok(size) = u32::try_from(length) else {
            let quote = Span::new(begin - 1, begin);
            return Err(
                Diagnostic::error("pgsolver::name", "the name is too long", quote, "this name").into(),
            );
        };
        tables.names.push((begin as u64, size));
        scanner.at = begin + length + 1;
    }
    end(scanner, "pgsolver::vertex")?;
    tables.places.push(place as u64);
    tables.ids.push(id);
    tables.priorities.push(Priority(priority as u32));
    tables.owners.push(owner);
    tables.ends.push(tables.successors.len() as u64);
    Ok(())
}

fn unknown(id: u64, span: Span) -> Diagnostics {
    let message = format!("there is no vertex {id}");
    Diagnostic::error(
        "pgsolver::successor",
        message,
        span,
        "this successor is not defined in the file",
    )
    .with_help("every successor needs a line of its own; is the file complete?")
    .into()
}

/// The game from its tables: vertices by ascending identifier.
fn arrange(
    bytes: &[u8],
    tables: Tables,
    start: Option<(u64, Span)>,
    warnings: Vec<Diagnostic>,
) -> Result<PgGame, Diagnostics> {
    let count = tables.ids.len();
    let place = |at: usize| {
        let mut scanner = Scanner::new(bytes);
        scanner.at = tables.places[at] as usize;
        scanner.next_span()
    };
    let begin = |at: usize| if at == 0 { 0 } else { tables.ends[at - 1] as usize };
    let in_order = tables.ids.iter().enumerate().all(|(at, &id)| at as u64 == id);
    let mut order: Vec<u32> = (0..count as u32).collect();
    if !in_order {
        order.sort_by_key(|&at| tables.ids[at as usize]);
        let same = |pair: &&[u32]| tables.ids[pair[0] as usize] == tables.ids[pair[1] as usize];
        if let Some(pair) = order.windows(2).find(same) {
            let (first, again) = (pair[0].min(pair[1]) as usize, pair[0].max(pair[1]) as usize);
            let message = format!("vertex {} is defined twice", tables.ids[again]);
            let problem = Diagnostic::error("pgsolver::twice", message, place(again), "the second time")
                .with_label(place(first), "the first time")
                .with_help("remove one of the lines, or give one of the vertices another identifier");
            return Err(problem.into());
        }
    }
    let dense = in_order || tables.ids[order[count - 1] as usize] == count as u64 - 1;
    let ids: Vec<u64> = match dense {
        true => Vec::new(),
        false => order.iter().map(|&at| tables.ids[at as usize]).collect(),
    };
    let vertex_of = |id: u32| match dense {
        true => ((id as usize) < count).then_some(id),
        false => ids.binary_search(&u64::from(id)).ok().map(|at| at as u32),
    };
    let mut arena = ArenaBuilder::with_capacity(count, tables.successors.len());
    let mut row: Vec<u32> = Vec::new();
    for &at in &order {
        let at = at as usize;
        row.clear();
        for &to in &tables.successors[begin(at)..tables.ends[at] as usize] {
            match vertex_of(to) {
                Some(vertex) => row.push(vertex),
                None => return Err(unknown(to.into(), successor_place(bytes, tables.places[at], to))),
            }
        }
        arena.vertex(tables.owners[at], row.iter().copied());
    }
    let arena = arena.finish().map_err(|error| {
        Diagnostic::error(
            "pgsolver::size",
            error.to_string(),
            Span::new(0, 0),
            "in this file",
        )
    })?;
    let priorities = order.iter().map(|&at| tables.priorities[at as usize]).collect();
    let Some(game) = ParityGame::new(arena, priorities) else {
        let whole = Span::new(0, 0);
        return Err(Diagnostic::error(
            "pgsolver::size",
            "vertices without priorities",
            whole,
            "in this file",
        )
        .into());
    };
    let mut read = PgGame {
        game,
        start: None,
        warnings,
        ids,
        names: String::new(),
        name_ends: Vec::new(),
    };
    if !tables.names.is_empty() {
        for &at in &order {
            if let Some(&(begin, length)) = tables.names.get(at as usize) {
                let name = &bytes[begin as usize..begin as usize + length as usize];
                read.names += &String::from_utf8_lossy(name);
            }
            read.name_ends
                .push(u32::try_from(read.names.len()).unwrap_or(u32::MAX));
        }
        if read.names.len() > u32::MAX as usize {
            (read.names, read.name_ends) = (String::new(), Vec::new());
        }
    }
    if let Some((id, span)) = start {
        read.start = Some(read.vertex(id).ok_or_else(|| {
            let message = format!("the start vertex {id} does not exist");
            Diagnostic::error("pgsolver::start", message, span, "no line defines this vertex")
                .with_help("name one of the vertices that follow")
        })?);
    }
    Ok(read)
}

/// Where a vertex names a successor.
fn successor_place(bytes: &[u8], place: u64, successor: u32) -> Span {
    let mut scanner = Scanner::new(bytes);
    scanner.at = place as usize;
    for _ in 0..3 {
        scanner.number();
    }
    loop {
        scanner.peek();
        let begin = scanner.at;
        match scanner.number() {
            Some(id) if id == u64::from(successor) => return Span::new(begin, scanner.at),
            Some(_) if scanner.take(b',') => {}
            _ => return Span::new(begin, begin),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(game: &PgGame) -> Vec<(u32, Player, Vec<u32>)> {
        let arena = game.game.arena();
        let row = |v| (game.game.priority(v).0, arena.owner(v), arena.row(v).to_vec());
        arena.vertices().map(row).collect()
    }

    #[test]
    fn a_game_is_read_with_and_without_header_and_in_any_order() {
        let plain = read(b"0 2 0 0;\n1 3 1 1;\n2 4 1 0,1;").expect("correct");
        let count = read(b"parity 3;\n0 2 0 0;1 3 1 1; 2 4 1 0 , 1 ;").expect("correct");
        let highest = read(b"parity 2; 2 4 1 0,1;\n1 3 1 1;\r\n0 2 0 0;").expect("correct");
        assert_eq!(rows(&plain), rows(&count));
        assert_eq!(rows(&plain), rows(&highest));
        assert!(highest.warnings.is_empty() && count.warnings.is_empty());
        assert_eq!(rows(&plain)[2], (4, Player::Odd, vec![0, 1]));
    }

    #[test]
    fn identifiers_may_have_gaps_and_vertices_names_and_there_may_be_a_start() {
        let text = b"parity 70;\nstart 70;\n5 0 0 70 \"the \xc3\xa4 one\";\n70 1 1 5,70;\n";
        let game = read(text).expect("correct");
        assert_eq!(game.start, Some(Vertex(1)));
        assert_eq!((game.id(Vertex(0)), game.id(Vertex(1))), (5, 70));
        assert_eq!((game.vertex(70), game.vertex(6)), (Some(Vertex(1)), None));
        assert_eq!(
            (game.name(Vertex(0)), game.name(Vertex(1))),
            (Some("the ä one"), None)
        );
        assert_eq!(rows(&game)[1], (1, Player::Odd, vec![0, 1]));
    }

    #[test]
    fn what_is_wrong_is_said_at_its_place() {
        let cases = [
            ("", "pgsolver::empty", 0),
            ("parity 3;", "pgsolver::empty", 9),
            ("paritysol 3; 0 0 0;", "pgsolver::header", 0),
            ("parity x;", "pgsolver::header", 7),
            ("parity 3 0 0 0 0;", "pgsolver::header", 9),
            ("parity 1; start 4; 0 0 0 0;", "pgsolver::start", 16),
            ("0 0 0;", "pgsolver::successor", 5),
            ("0 0 0 \"x\";", "pgsolver::successor", 6),
            ("0 0 2 0;", "pgsolver::owner", 4),
            ("0 0 0 1;", "pgsolver::successor", 6),
            ("0 0 0 0,99999999999;", "pgsolver::successor", 8),
            ("0 2147483648 0 0;", "pgsolver::priority", 2),
            ("0 99999999999999999999999 0 0;", "pgsolver::priority", 2),
            ("0 0 0 0; 0 1 0 0;", "pgsolver::twice", 9),
            ("0 0 0 0", "pgsolver::vertex", 7),
            ("0 0 0 0 \"open;", "pgsolver::name", 8),
            ("parity 0; 0 0 0 0; 1 0 0 0;", "pgsolver::identifier", 19),
            ("-1 0 0 0;", "pgsolver::vertex", 0),
        ];
        for (text, code, place) in cases {
            let Err(Diagnostics(found)) = read(text.as_bytes()) else {
                panic!("{text:?} was accepted");
            };
            assert_eq!((found[0].code, found[0].span().start), (code, place), "{text:?}");
        }
        let short = read(b"parity 9; 0 0 0 0;").expect("a warning only");
        assert_eq!(short.warnings[0].code, "pgsolver::header");
    }

    #[test]
    fn no_cut_and_no_changed_byte_makes_the_reader_panic() {
        let text = b"parity 12; start 3;\n3 0 0 3,12 \"x\";\n12 1 1 3;\n";
        for end in 0..=text.len() {
            let _ = read(&text[..end]);
            let _ = looks_like_game(&text[..end]);
        }
        for at in 0..text.len() {
            for byte in [0, b'9', b';', b',', b'"', b'-', 0xff] {
                let mut changed = text.to_vec();
                changed[at] = byte;
                let _ = read(&changed);
            }
        }
    }

    #[test]
    fn a_game_is_recognised_by_its_beginning() {
        assert!(looks_like_game(b"parity 5;\n0 1"));
        assert!(looks_like_game(b"0 2 0 0;"));
        assert!(looks_like_game(b"\n7 2 1 0,3"));
        assert!(!looks_like_game(b"paritysol 5;"));
        assert!(!looks_like_game(b"des (0,1,2)"));
        assert!(!looks_like_game(b"1 2 3 4;"));
        assert!(!looks_like_game(b""));
    }
}
