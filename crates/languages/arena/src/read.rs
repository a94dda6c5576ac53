//! Items: the objective, where the game starts, vertices.

use crate::concurrent::{self, ConcurrentFile, Move};
use crate::objective::{Palette, Reader};
use crate::tokens::Tokens;
use entail_game::{ArenaBuilder, ArenaError, Certainty, Colours, Objective, ObjectiveGame, Player, Vertex};
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

/// A game of one kind or the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AnyGame {
    /// Every vertex belongs to one player.
    Turns(GameFile),
    /// At some vertices both players move at once, or a certainty is asked for.
    Concurrent(ConcurrentFile),
}

const ITEMS: &str = "a file has `objective …;`, `start NAME;`, and vertices such as `even v [colour]: w, x (3);` or `both v: a/b -> w, a/c -> x;`";

/// What a file says of a vertex.
pub(crate) struct Written {
    pub place: Span,
    colours: Vec<(String, Span)>,
    pub leads: Leads,
}

/// Where a vertex leads.
pub(crate) enum Leads {
    /// Successors, with the weights of the edges, and who chooses.
    Edges(Player, Vec<(String, Span, i64)>),
    /// Pairs of actions.
    Moves(Vec<Move>),
}

#[derive(Default)]
pub(crate) struct File {
    pub names: Vec<String>,
    numbers: HashMap<String, u32>,
    pub vertices: Vec<Written>,
    start: Option<(String, Span)>,
    /// Where the objective stands.
    objective: Option<(usize, Span)>,
}

/// Reads a game.
pub fn read(text: &str) -> Result<AnyGame, Diagnostics> {
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
    let owner = match tokens.peek() {
        Some("even") => Some(Player::Even),
        Some("odd") => Some(Player::Odd),
        Some("both") => None,
        _ => {
            return Err(tokens
                .wrong("`even`, `odd`, `both`, `start` or `objective`")
                .with_help(ITEMS));
        }
    };
    tokens.skip();
    let (place, name) = tokens.word("the name of a vertex")?;
    let fresh = file.names.len() as u32;
    if file.numbers.insert(name.to_owned(), fresh).is_some() {
        let message = format!("vertex `{name}` is defined twice");
        return Err(Diagnostic::error("game::twice", message, place, "here again"));
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
    let leads = match owner {
        Some(owner) => Leads::Edges(owner, edges(tokens)?),
        None => Leads::Moves(concurrent::moves(tokens)?),
    };
    file.vertices.push(Written {
        place,
        colours,
        leads,
    });
    Ok(())
}

/// The successors of a vertex, with the weights of the edges.
fn edges(tokens: &mut Tokens<'_>) -> Result<Vec<(String, Span, i64)>, Diagnostic> {
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
            return Ok(edges);
        }
    }
}

fn build(text: &str, file: File) -> Result<AnyGame, Diagnostic> {
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
    let wanted = wanted(text, begin, span, &mut palette)?;
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
    let start = match &file.start {
        None => Vertex(0),
        Some((name, span)) => Vertex(file.number(name, *span)?),
    };
    let at_once = |vertex: &Written| matches!(vertex.leads, Leads::Moves(_));
    if wanted.certainty.is_some() || file.vertices.iter().any(at_once) {
        let parts = concurrent::build(&file, colours, &wanted)?;
        return Ok(AnyGame::Concurrent(ConcurrentFile {
            game: parts.0,
            actions: parts.1,
            objective: wanted.written,
            start,
            names: file.names,
            colours: palette.names,
        }));
    }
    let game = in_turns(&file, colours, wanted.objective)?;
    Ok(AnyGame::Turns(GameFile {
        game,
        objective: wanted.written,
        start,
        names: file.names,
        colours: palette.names,
    }))
}

/// The game in which every vertex belongs to a player.
fn in_turns(file: &File, colours: Vec<Colours>, objective: Objective) -> Result<ObjectiveGame, Diagnostic> {
    let whole = Span::new(0, 0);
    let mut arena = ArenaBuilder::default();
    let mut weights = Vec::with_capacity(file.vertices.len());
    for vertex in &file.vertices {
        let Leads::Edges(owner, edges) = &vertex.leads else {
            continue;
        };
        let mut row = Vec::with_capacity(edges.len());
        let mut known = HashSet::new();
        for (name, span, _) in edges {
            let to = file.number(name, *span)?;
            if !known.insert(to) {
                let message = format!("there is a second edge to `{name}`");
                let problem = Diagnostic::error("game::edge", message, *span, "here again");
                return Err(
                    problem.with_help("put a vertex in between, so that the two moves can be told apart")
                );
            }
            row.push(to);
        }
        arena.vertex(*owner, row);
        weights.push(edges.iter().map(|(_, _, weight)| *weight).collect());
    }
    let arena = arena.finish().map_err(|error: ArenaError| {
        Diagnostic::error("game::arena", error.to_string(), whole, "in this file").with_help(ITEMS)
    })?;
    let game = ObjectiveGame::new(arena, colours, weights, objective);
    game.ok_or_else(|| Diagnostic::error("game::arena", "this is no game", whole, "in this file"))
}

/// The objective as it was understood.
pub(crate) struct Wanted {
    pub objective: Objective,
    /// How certainly, if the file says so.
    pub certainty: Option<Certainty>,
    pub span: Span,
    written: String,
}

/// The objective, how certain it must be, and how it is written.
fn wanted(text: &str, begin: usize, span: Span, palette: &mut Palette) -> Result<Wanted, Diagnostic> {
    // Places are those of the whole text: what stands before is not looked at.
    let mut tokens = Tokens::between(text, begin, span.end);
    let certainty = match tokens.peek() {
        Some("sure") => Some(Certainty::Sure),
        Some("almost") => Some(Certainty::Almost),
        Some("limit") => Some(Certainty::Limit),
        _ => None,
    };
    if certainty.is_some() {
        tokens.skip();
    }
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
    Ok(Wanted {
        objective,
        certainty,
        span,
        written: words.join(" "),
    })
}

impl File {
    /// The vertex that is called so.
    pub fn number(&self, name: &str, span: Span) -> Result<u32, Diagnostic> {
        let known = self.numbers.get(name).copied();
        known.ok_or_else(|| {
            let message = format!("there is no vertex `{name}`");
            Diagnostic::error("game::vertex", message, span, "here").with_help(ITEMS)
        })
    }
}
