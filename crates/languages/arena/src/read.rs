//! Items: the objective, where the game starts, vertices.

use crate::objective::{Palette, Reader};
use crate::tokens::Tokens;
use entail_game::{ArenaBuilder, ArenaError, Colours, Objective, ObjectiveGame, Player, Vertex};
use entail_source::{Diagnostic, Diagnostics, Span};
use std::collections::{HashMap, HashSet};

/// A game that was read, with the names of its vertices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameFile {
    /// The game.
    pub game: ObjectiveGame,
    /// The objective as it was written.
    pub objective: String,
    /// Where it starts: the vertex that the file names, or the first.
    pub start: Vertex,
    /// The names of the vertices.
    pub names: Vec<String>,
    /// The names of the colours, those written `!c` last.
    pub colours: Vec<String>,
}

impl GameFile {
    /// The vertex of a name.
    pub fn vertex(&self, name: &str) -> Option<Vertex> {
        let at = self.names.iter().position(|known| known == name)?;
        Some(Vertex(at as u32))
    }
}

const ITEMS: &str =
    "a file has `objective …;`, `start NAME;`, and vertices such as `even v [colour]: w, x (3);`";

/// What a file says of a vertex.
struct Written {
    owner: Player,
    colours: Vec<(String, Span)>,
    edges: Vec<(String, Span, i64)>,
}

#[derive(Default)]
struct File {
    names: Vec<String>,
    numbers: HashMap<String, u32>,
    vertices: Vec<Written>,
    start: Option<(String, Span)>,
    /// Where the objective stands.
    objective: Option<(usize, Span)>,
}

/// Reads a game.
pub fn read(text: &str) -> Result<GameFile, Diagnostics> {
    items(text)
        .and_then(|file| build(text, file))
        .map_err(Diagnostics::from)
}

fn items(text: &str) -> Result<File, Diagnostic> {
    let mut tokens = Tokens::new(text);
    let mut file = File::default();
    while !tokens.is_over() {
        let here = tokens.here();
        if tokens.take("objective") {
            let begin = tokens.here();
            while !tokens.is_over() && tokens.peek() != Some(";") {
                tokens.skip();
            }
            let span = Span::new(begin.start, tokens.here().start);
            if file.objective.replace((begin.start, span)).is_some() {
                return Err(Diagnostic::error(
                    "game::objective",
                    "there is a second objective",
                    here,
                    "here",
                )
                .with_help("join them with `&`"));
            }
        } else if tokens.take("start") {
            let (span, name) = tokens.word("the name of a vertex")?;
            if file.start.replace((name.to_owned(), span)).is_some() {
                return Err(Diagnostic::error(
                    "game::start",
                    "there is a second start",
                    here,
                    "here",
                ));
            }
        } else {
            vertex(&mut tokens, &mut file)?;
        }
        tokens.expect(";").map_err(|problem| problem.with_help(ITEMS))?;
    }
    Ok(file)
}

fn vertex(tokens: &mut Tokens<'_>, file: &mut File) -> Result<(), Diagnostic> {
    let owner = match (tokens.take("even"), tokens.take("odd")) {
        (true, _) => Player::Even,
        (_, true) => Player::Odd,
        _ => {
            return Err(tokens
                .wrong("`even`, `odd`, `start` or `objective`")
                .with_help(ITEMS));
        }
    };
    let (span, name) = tokens.word("the name of a vertex")?;
    let fresh = file.names.len() as u32;
    if file.numbers.insert(name.to_owned(), fresh).is_some() {
        let message = format!("vertex `{name}` is defined twice");
        return Err(Diagnostic::error("game::twice", message, span, "here again"));
    }
    file.names.push(name.to_owned());
    let mut colours = Vec::new();
    if tokens.take("[") && !tokens.take("]") {
        loop {
            let (span, colour) = tokens.word("the name of a colour")?;
            colours.push((colour.to_owned(), span));
            if !tokens.take(",") {
                break;
            }
        }
        tokens.expect("]")?;
    }
    tokens.expect(":").map_err(|problem| problem.with_help(ITEMS))?;
    let mut edges = Vec::new();
    loop {
        let (span, to) = tokens.word("the name of a successor").map_err(|problem| {
            problem
                .with_help("every vertex needs a successor; where a play should end, write the vertex itself")
        })?;
        let mut weight = 0;
        if tokens.take("(") {
            let negative = tokens.take("-");
            let (span, word) = tokens.word("a weight")?;
            let number: Option<i64> = format!("{}{word}", if negative { "-" } else { "" }).parse().ok();
            weight = number.ok_or_else(|| {
                let problem = Diagnostic::error(
                    "game::weight",
                    "a weight is a whole number of 64 bits",
                    span,
                    "here",
                );
                problem.with_help("multiply all weights and the threshold by a common denominator")
            })?;
            tokens.expect(")")?;
        }
        edges.push((to.to_owned(), span, weight));
        if !tokens.take(",") {
            break;
        }
    }
    file.vertices.push(Written {
        owner,
        colours,
        edges,
    });
    Ok(())
}

fn build(text: &str, file: File) -> Result<GameFile, Diagnostic> {
    let whole = Span::new(0, 0);
    let Some((begin, span)) = file.objective else {
        return Err(Diagnostic::error(
            "game::objective",
            "the game has no objective",
            whole,
            "in this file",
        )
        .with_help(ITEMS));
    };
    let mut palette = Palette::default();
    let mut colours = Vec::with_capacity(file.vertices.len());
    for vertex in &file.vertices {
        let mut own = Colours::default();
        for (name, span) in &vertex.colours {
            own.0 |= 1 << palette.colour(name, *span)?;
        }
        colours.push(own);
    }
    let given = palette.names.len();
    let (objective, written) = objective(text, begin, span, &mut palette)?;
    if let Some(stranger) = (given..palette.names.len()).find(|&at| !palette.names[at].starts_with('!')) {
        let name = &palette.names[stranger];
        let message = format!("no vertex has the colour `{name}`");
        return Err(
            Diagnostic::error("game::colour", message, span, "the objective names it")
                .with_help("colours stand in brackets behind the name of a vertex"),
        );
    }
    for &(own, of) in &palette.absences {
        for colours in &mut colours {
            colours.0 |= u64::from(!colours.has(of)) << own;
        }
    }
    let mut arena = ArenaBuilder::default();
    let mut weights = Vec::with_capacity(file.vertices.len());
    for vertex in &file.vertices {
        let mut row = Vec::with_capacity(vertex.edges.len());
        let mut known = HashSet::new();
        for (name, span, _) in &vertex.edges {
            let to = file
                .numbers
                .get(name)
                .copied()
                .ok_or_else(|| strange(name, *span))?;
            if !known.insert(to) {
                let message = format!("there is a second edge to `{name}`");
                let problem = Diagnostic::error("game::edge", message, *span, "here again");
                return Err(
                    problem.with_help("put a vertex in between, so that the two moves can be told apart")
                );
            }
            row.push(to);
        }
        arena.vertex(vertex.owner, row);
        weights.push(vertex.edges.iter().map(|(_, _, weight)| *weight).collect());
    }
    let start = match &file.start {
        None => 0,
        Some((name, span)) => file
            .numbers
            .get(name)
            .copied()
            .ok_or_else(|| strange(name, *span))?,
    };
    let arena = arena.finish().map_err(|error: ArenaError| {
        Diagnostic::error("game::arena", error.to_string(), whole, "in this file").with_help(ITEMS)
    })?;
    let game = ObjectiveGame::new(arena, colours, weights, objective);
    let game =
        game.ok_or_else(|| Diagnostic::error("game::arena", "this is no game", whole, "in this file"))?;
    Ok(GameFile {
        game,
        objective: written,
        start: Vertex(start),
        names: file.names,
        colours: palette.names,
    })
}

/// The objective, and how it is written.
fn objective(
    text: &str,
    begin: usize,
    span: Span,
    palette: &mut Palette,
) -> Result<(Objective, String), Diagnostic> {
    // Places are those of the whole text: what stands before is not looked at.
    let mut tokens = Tokens::between(text, begin, span.end);
    let mut reader = Reader {
        tokens: &mut tokens,
        palette,
        depth: 0,
    };
    let objective = reader.objective()?;
    if !tokens.is_over() {
        return Err(tokens.wrong("the end of the objective, a `;`"));
    }
    let words: Vec<&str> = text[span.start..span.end].split_whitespace().collect();
    Ok((objective, words.join(" ")))
}

fn strange(name: &str, span: Span) -> Diagnostic {
    let message = format!("there is no vertex `{name}`");
    Diagnostic::error("game::vertex", message, span, "here").with_help(ITEMS)
}
