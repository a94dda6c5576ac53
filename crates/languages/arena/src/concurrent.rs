//! Vertices at which both players move at once: `both v: a/b -> w, a/* -> x;`.
//!
//! The actions of a player at a vertex are those that are named there, in the order in which they are. `*` stands for every action for which, with the other player's, nothing is written before.
//! Every pair of actions must lead somewhere.

use crate::read::{File, Leads, Wanted};
use crate::tokens::Tokens;
use entail_game::{Certainty, Choices, Colours, ConcurrentGame, Objective, Player, Vertex};
use entail_source::{Diagnostic, Span};

/// A concurrent game that was read, with the names of its vertices and actions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConcurrentFile {
    /// The game.
    pub game: ConcurrentGame,
    /// The objective as it was written.
    pub objective: String,
    /// Where it starts: the vertex that the file names, or the first.
    pub start: Vertex,
    /// The names of the vertices.
    pub names: Vec<String>,
    /// The names of the colours, those written `!c` last.
    pub colours: Vec<String>,
    /// For each vertex the actions of Even and of Odd. At a vertex of one player the actions are called as the successors, and the other player has one action, [`WAITS`].
    pub actions: Vec<[Vec<String>; 2]>,
}

/// What the action is called of a player whose turn it is not.
pub const WAITS: &str = "-";

impl ConcurrentFile {
    /// The vertex of a name.
    pub fn vertex(&self, name: &str) -> Option<Vertex> {
        let at = self.names.iter().position(|known| known == name)?;
        Some(Vertex(at as u32))
    }

    /// What an action of a player at a vertex is called.
    pub fn action(&self, vertex: Vertex, player: Player, number: u32) -> &str {
        let own = self.actions.get(vertex.index()).map(|own| &own[player.index()]);
        own.and_then(|own| own.get(number as usize))
            .map_or("?", String::as_str)
    }

    /// Whose turn it is at a vertex; nobody's alone where both move at once.
    pub fn owner(&self, vertex: Vertex) -> Option<Player> {
        let waits = |player: Player| self.actions[vertex.index()][player.index()] == [WAITS];
        Player::BOTH.into_iter().find(|player| waits(player.other()))
    }
}

/// A line of the table at a vertex. No action: every one.
pub(crate) struct Move {
    actions: [Option<String>; 2],
    to: String,
    span: Span,
}

/// The moves behind the colon of a vertex.
pub(crate) fn moves(tokens: &mut Tokens<'_>) -> Result<Vec<Move>, Diagnostic> {
    let help =
        "moves are written `even's action/odd's action -> successor`; `*` stands for every other action";
    let mut moves = Vec::new();
    loop {
        let helped = |problem: Diagnostic| problem.with_help(help);
        let even = action(tokens).map_err(helped)?;
        tokens.expect("/").map_err(helped)?;
        let odd = action(tokens).map_err(helped)?;
        tokens.expect("->").map_err(helped)?;
        let (span, to) = tokens.word("the name of a successor").map_err(helped)?;
        moves.push(Move {
            actions: [even, odd],
            to: to.to_owned(),
            span,
        });
        if !tokens.take(",") {
            return Ok(moves);
        }
    }
}

fn action(tokens: &mut Tokens<'_>) -> Result<Option<String>, Diagnostic> {
    if tokens.take("*") {
        return Ok(None);
    }
    let (_, name) = tokens.word("the name of an action, or `*`")?;
    Ok(Some(name.to_owned()))
}

type Built = (ConcurrentGame, Vec<[Vec<String>; 2]>);

/// The game, and the names of the actions.
pub(crate) fn build(file: &File, colours: Vec<Colours>, wanted: &Wanted) -> Result<Built, Diagnostic> {
    let certainty = wanted.certainty.unwrap_or(Certainty::Sure);
    let objective = &wanted.objective;
    if objective.is_about_weights() {
        let message = "objectives about weights are for games in which the players move in turn";
        let problem = Diagnostic::error("game::concurrent", message, wanted.span, "this one");
        return Err(problem.with_help("where both move at once, objectives are about colours"));
    }
    let by_chance = matches!(objective, Objective::Reach(_) | Objective::Stay(_))
        || objective.recurring_colour().is_some();
    if certainty != Certainty::Sure && !by_chance {
        let message = "winning with probability one is decided for reach, stay and buchi with one colour";
        let problem = Diagnostic::error("game::concurrent", message, wanted.span, "this is another");
        return Err(problem.with_help(
            "without `almost` or `limit`, winning surely is decided for every objective about colours",
        ));
    }
    let (mut choices, mut actions) = (Vec::new(), Vec::new());
    for (vertex, name) in file.vertices.iter().zip(&file.names) {
        let (rows, own) = match &vertex.leads {
            Leads::Moves(moves) => table(file, moves, name, vertex.place)?,
            Leads::Edges(owner, edges) => {
                let mut row = Vec::with_capacity(edges.len());
                for (to, span, weight) in edges {
                    if *weight != 0 {
                        let message = "weights are for games in which the players move in turn";
                        return Err(Diagnostic::error("game::concurrent", message, *span, "here")
                            .with_help("leave them out"));
                    }
                    row.push(file.number(to, *span)?);
                }
                let named = edges.iter().map(|(to, _, _)| to.clone()).collect();
                let waits = vec![WAITS.to_owned()];
                match owner {
                    Player::Even => (row.into_iter().map(|to| vec![to]).collect(), [named, waits]),
                    Player::Odd => (vec![row], [waits, named]),
                }
            }
        };
        let no_table = || Diagnostic::error("game::moves", "a player has no action", vertex.place, "here");
        choices.push(Choices::new(&rows).ok_or_else(no_table)?);
        actions.push(own);
    }
    let game = ConcurrentGame::new(choices, colours, objective.clone(), certainty);
    let no_game = || Diagnostic::error("game::arena", "this is no game", wanted.span, "in this file");
    Ok((game.ok_or_else(no_game)?, actions))
}

/// A table has no more pairs of actions.
const MOST_PAIRS: usize = 1 << 24;

type Table = (Vec<Vec<u32>>, [Vec<String>; 2]);

/// The successors of a vertex by Even's and Odd's actions.
fn table(file: &File, moves: &[Move], name: &str, place: Span) -> Result<Table, Diagnostic> {
    let mut names: [Vec<String>; 2] = Default::default();
    for (player, names) in names.iter_mut().enumerate() {
        let mut known = std::collections::HashSet::new();
        for named in moves.iter().filter_map(|one| one.actions[player].as_ref()) {
            if known.insert(named) {
                names.push(named.clone());
            }
        }
        if names.is_empty() {
            names.push("*".to_owned());
        }
    }
    let [even, odd] = &names;
    if even.len().saturating_mul(odd.len()) > MOST_PAIRS {
        let message = format!("vertex `{name}` has more than {MOST_PAIRS} pairs of actions");
        return Err(Diagnostic::error("game::moves", message, place, "here"));
    }
    let mut rows: Vec<Vec<Option<u32>>> = vec![vec![None; odd.len()]; even.len()];
    for one in moves {
        let to = file.number(&one.to, one.span)?;
        let places = |player: usize| match &one.actions[player] {
            None => 0..names[player].len(),
            Some(own) => {
                let at = names[player].iter().position(|known| known == own).unwrap_or(0);
                at..at + 1
            }
        };
        let is_exact = one.actions.iter().all(Option::is_some);
        for row in &mut rows[places(0)] {
            for cell in &mut row[places(1)] {
                if cell.is_some() && is_exact {
                    let message = "this pair of actions leads somewhere already";
                    return Err(Diagnostic::error("game::moves", message, one.span, "here again")
                        .with_help("write lines with `*` after those without"));
                }
                cell.get_or_insert(to);
            }
        }
    }
    let mut filled = Vec::with_capacity(rows.len());
    for (row, even) in rows.iter().zip(even) {
        let missing = row.iter().position(Option::is_none);
        if let Some(at) = missing {
            let message = format!("at vertex `{name}`, the actions {even}/{} lead nowhere", odd[at]);
            let problem = Diagnostic::error("game::moves", message, place, "defined here");
            return Err(problem
                .with_help("every pair of actions needs a successor; `*/* -> v` gives one to all others"));
        }
        filled.push(row.iter().copied().flatten().collect());
    }
    Ok((filled, names))
}
