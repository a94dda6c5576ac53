//! The judge of games in which both players move at once: evidence saved, read, checked and shown.

use crate::concurrent::ConcurrentModel;
use entail_answer::{Answer, CheckReport, Evidence, Verdict};
use entail_arena::colour_names;
use entail_budget::Budget;
use entail_family::{Checker, ReadError};
use entail_game::{Certainty, ChancePosition, ConcurrentPosition, ConcurrentProof, Player, Vertex};
use entail_games_checker::concurrent;
use entail_show::{Prominence, Shown, Table, View};
use serde_json::{Map, Value as Json, json};
use std::fmt::Write;

/// Strategies with more positions are not listed in reports.
const MOST_LISTED: usize = 100;
/// Games with more vertices are not drawn.
const MOST_DRAWN: usize = 1_000;

/// The solution of the whole game.
#[derive(Clone, Debug)]
pub(crate) struct ConcurrentSolved(pub ConcurrentProof);

impl Evidence for ConcurrentSolved {
    fn kind(&self) -> &'static str {
        match &self.0 {
            ConcurrentProof::Strategies(_) => "strategies",
            ConcurrentProof::Chances(_) => "mixed-strategies",
        }
    }
}

/// Judges solutions by the game alone.
pub(crate) struct ConcurrentChecker<'m> {
    pub model: &'m ConcurrentModel,
}

impl Checker for ConcurrentChecker<'_> {
    fn check(&mut self, property: usize, answer: &Answer, budget: &Budget) -> CheckReport {
        let Some(solved) = answer.evidence_as::<ConcurrentSolved>() else {
            return CheckReport::rejected("there is no evidence");
        };
        let (start, claimed) = self.model.questions.claim(property, answer);
        concurrent::check(&self.model.file.game, start, claimed, &solved.0, budget)
    }

    fn to_json(&self, _property: usize, evidence: &dyn Evidence) -> Map<String, Json> {
        let mut map = Map::new();
        map.insert("kind".into(), evidence.kind().into());
        if let Some(ConcurrentSolved(proof)) = evidence.data::<ConcurrentSolved>() {
            let vertices = self.model.file.game.vertices();
            let won = vertices.filter(|vertex| proof.winner(*vertex) == Some(Player::Even));
            let names: Vec<&str> = won.map(|vertex| self.model.name(vertex)).collect();
            map.insert("even_wins".into(), names.len().into());
            if self.model.file.game.vertex_count() <= MOST_LISTED {
                map.insert("even".into(), json!(names));
            }
        }
        map
    }

    fn to_saved_json(&self, property: usize, evidence: &dyn Evidence) -> Map<String, Json> {
        let mut map = self.to_json(property, evidence);
        match evidence.data::<ConcurrentSolved>().map(|solved| &solved.0) {
            Some(ConcurrentProof::Strategies(positions)) => {
                let row = |place: &ConcurrentPosition| {
                    let winner = place.winner.index();
                    json!([place.vertex.0, place.memory, winner, place.moves, place.next])
                };
                map.insert("positions".into(), positions.iter().map(row).collect());
            }
            Some(ConcurrentProof::Chances(positions)) => {
                let row = |place: &ChancePosition| match place {
                    ChancePosition::Wins { rank, levels } => json!({"rank": rank, "levels": levels}),
                    ChancePosition::Fails { stage, answers } => json!({"stage": stage, "answers": answers}),
                };
                map.insert("chances".into(), positions.iter().map(row).collect());
            }
            None => {}
        }
        map
    }

    fn evidence_from_json(&self, _property: usize, document: &Json) -> Result<Box<dyn Evidence>, ReadError> {
        let evidence = &document["evidence"];
        let proof = if let Some(rows) = evidence["chances"].as_array() {
            let read = |row: &Json| chance_from_json(row).ok_or("`chances`: this is no position");
            ConcurrentProof::Chances(rows.iter().map(read).collect::<Result<_, _>>()?)
        } else {
            let rows = evidence["positions"].as_array();
            let rows = rows.ok_or("`evidence`: expected `positions` or `chances`")?;
            let read = |row: &Json| position_from_json(row).ok_or("`positions`: this is no position");
            ConcurrentProof::Strategies(rows.iter().map(read).collect::<Result<_, _>>()?)
        };
        Ok(Box::new(ConcurrentSolved(proof)))
    }

    fn show(&self, _property: usize, answer: &Answer) -> Shown {
        let mut shown = Shown::default();
        let Some(ConcurrentSolved(proof)) = answer.evidence_as::<ConcurrentSolved>() else {
            return shown;
        };
        if answer.verdict == Verdict::Fails {
            let note = match self.model.file.game.certainty {
                Certainty::Sure => "Even cannot win surely; that does not mean that Odd can",
                Certainty::Almost => "whatever dice Even throws, Odd wins with some probability",
                Certainty::Limit => "Odd wins with a probability that Even cannot make as small as it likes",
            };
            shown.push(Prominence::Main, View::Notes(vec![note.to_owned()]));
        }
        let (heads, rows) = self.table(proof);
        if rows.len() <= MOST_LISTED {
            let heads = heads.into_iter().map(String::from).collect();
            shown.push(Prominence::Detail, View::Table(Table { heads, rows }));
        }
        if let Ok(graph) = self.model.drawing(MOST_LISTED) {
            shown.push(Prominence::Report, View::Graph(graph));
        }
        shown
    }

    fn export(&self, _property: usize, answer: &Answer, extension: &str) -> Option<Result<String, String>> {
        let ConcurrentSolved(proof) = answer.evidence_as::<ConcurrentSolved>()?;
        match extension {
            "sol" => Some(Ok(self.solution_text(proof))),
            "dot" => Some(self.picture(proof)),
            _ => None,
        }
    }
}

impl ConcurrentChecker<'_> {
    /// The proof in words, a row for each position.
    fn table(&self, proof: &ConcurrentProof) -> (Vec<&'static str>, Vec<Vec<String>>) {
        let name = |vertex: Vertex| self.model.name(vertex).to_owned();
        match proof {
            ConcurrentProof::Strategies(positions) => {
                let row = |place: &ConcurrentPosition| {
                    let (memory, next) = (place.memory.to_string(), place.next.to_string());
                    vec![
                        name(place.vertex),
                        memory,
                        won(place.winner),
                        self.moves(place),
                        next,
                    ]
                };
                let heads = vec!["vertex", "memory", "even", "actions", "memory after"];
                (heads, positions.iter().map(row).collect())
            }
            ConcurrentProof::Chances(positions) => {
                let vertices = self.model.file.game.vertices();
                let row = |(vertex, place): (Vertex, &ChancePosition)| {
                    vec![name(vertex), won(place.winner()), self.dice(vertex, place)]
                };
                let heads = vec!["vertex", "even", "actions"];
                (heads, vertices.zip(positions).map(row).collect())
            }
        }
    }

    /// What is done at a position without dice.
    fn moves(&self, place: &ConcurrentPosition) -> String {
        let name = |player, number| self.model.file.action(place.vertex, player, number);
        match place.winner {
            Player::Even => place.moves.iter().map(|&own| name(Player::Even, own)).collect(),
            Player::Odd => {
                let answers = (0..).zip(&place.moves);
                let pair = |(even, &odd)| format!("{}/{}", name(Player::Even, even), name(Player::Odd, odd));
                answers.map(pair).collect::<Vec<_>>().join(", ")
            }
        }
    }

    /// What is done at a vertex with dice: Even's actions, rarer ones with the power of a small number; or those among which Odd chooses.
    fn dice(&self, vertex: Vertex, place: &ChancePosition) -> String {
        let name = |player, number| self.model.file.action(vertex, player, number).to_owned();
        let actions: Vec<String> = match place {
            ChancePosition::Wins { levels, .. } => levels
                .iter()
                .map(|&(even, level)| match level {
                    0 => name(Player::Even, even),
                    1 => format!("{} (e)", name(Player::Even, even)),
                    _ => format!("{} (e^{level})", name(Player::Even, even)),
                })
                .collect(),
            ChancePosition::Fails { answers, .. } => {
                answers.iter().map(|&odd| name(Player::Odd, odd)).collect()
            }
        };
        actions.join(", ")
    }

    /// The solution as a text: a line for each position.
    fn solution_text(&self, proof: &ConcurrentProof) -> String {
        let (_, rows) = self.table(proof);
        let mut text = String::new();
        for row in rows {
            let _ = writeln!(text, "{};", row.join(" | "));
        }
        text
    }

    /// The solved game for Graphviz: green where Even wins.
    fn picture(&self, proof: &ConcurrentProof) -> Result<String, String> {
        let game = &self.model.file.game;
        if game.vertex_count() > MOST_DRAWN {
            return Err(format!("the game has more than {MOST_DRAWN} vertices"));
        }
        let mut text = String::from("digraph game {\n  node [fontname=monospace, style=filled];\n");
        for vertex in game.vertices() {
            let colours = colour_names(&self.model.file.colours, game.colours(vertex)).join(" ");
            let shape = match self.model.file.owner(vertex) {
                Some(Player::Even) => "diamond",
                Some(Player::Odd) => "box",
                None => "ellipse",
            };
            let fill = match proof.winner(vertex) {
                Some(Player::Even) => "palegreen",
                _ => "lightsalmon",
            };
            let name = self.model.name(vertex);
            let _ = writeln!(
                text,
                "  v{vertex} [label=\"{name}\\n{colours}\", shape={shape}, fillcolor={fill}];"
            );
            for (to, pairs) in self.model.edges(vertex) {
                let _ = writeln!(text, "  v{vertex} -> v{to} [label=\"{}\"];", pairs.join(" "));
            }
        }
        text += "}\n";
        Ok(text)
    }
}

fn won(winner: Player) -> String {
    match winner {
        Player::Even => "wins".to_owned(),
        Player::Odd => "does not".to_owned(),
    }
}

fn number(json: &Json) -> Option<u32> {
    json.as_u64().and_then(|number| u32::try_from(number).ok())
}

fn numbers(json: &Json) -> Option<Vec<u32>> {
    json.as_array()?.iter().map(number).collect()
}

fn position_from_json(row: &Json) -> Option<ConcurrentPosition> {
    Some(ConcurrentPosition {
        vertex: Vertex(number(&row[0])?),
        memory: number(&row[1])?,
        winner: Player::numbered(number(&row[2])?.into())?,
        moves: numbers(&row[3])?,
        next: number(&row[4])?,
    })
}

fn chance_from_json(row: &Json) -> Option<ChancePosition> {
    if let Some(stage) = number(&row["stage"]) {
        let answers = numbers(&row["answers"])?;
        return Some(ChancePosition::Fails { stage, answers });
    }
    let pair = |pair: &Json| Some((number(&pair[0])?, number(&pair[1])?));
    Some(ChancePosition::Wins {
        rank: number(&row["rank"])?,
        levels: row["levels"]
            .as_array()?
            .iter()
            .map(pair)
            .collect::<Option<_>>()?,
    })
}
