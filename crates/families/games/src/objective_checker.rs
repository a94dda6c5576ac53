//! The judge of games with other objectives than parity: evidence saved, read, checked and shown.

use crate::drawing::Picture;
use crate::objective::ObjectiveModel;
use entail_answer::{Answer, CheckReport, Evidence, Quantity};
use entail_arena::GameFile;
use entail_budget::Budget;
use entail_family::{Checker, ReadError};
use entail_game::{MeanValue, Objective, ObjectiveProof, Player, Position, Rational, Vertex};
use entail_games_checker::objective;
use entail_show::{Prominence, Shown, Table, View};
use serde_json::{Map, Value as Json, json};

/// Strategies with more positions are not listed in reports.
const MOST_LISTED: usize = 100;
/// Games with more vertices are not drawn.
const MOST_DRAWN: usize = 1_000;

/// The solution of the whole game, and the value from the vertex that is asked about where it is a mean.
#[derive(Clone, Debug)]
pub(crate) struct Solved {
    pub proof: ObjectiveProof,
    pub mean: Option<MeanValue>,
}

impl Evidence for Solved {
    fn kind(&self) -> &'static str {
        "strategies"
    }
}

impl Solved {
    /// Who wins from a vertex.
    pub fn winner(&self, game: &GameFile, vertex: Vertex) -> Option<Player> {
        match (&self.proof, &game.game.objective) {
            (ObjectiveProof::Strategies(positions), _) => positions
                .iter()
                .find(|position| position.vertex == vertex && position.memory == 0)
                .map(|position| position.winner),
            (ObjectiveProof::Values(values), Objective::Discounted { at_least, .. }) => {
                let good = values.get(vertex.index())? >= at_least;
                Some(if good { Player::Even } else { Player::Odd })
            }
            _ => None,
        }
    }

    /// The value of a vertex.
    pub fn value(&self, vertex: Vertex) -> Option<Rational> {
        match (&self.proof, &self.mean) {
            (ObjectiveProof::Values(values), _) => values.get(vertex.index()).cloned(),
            (_, mean) => mean.as_ref().map(|mean| mean.value.clone()),
        }
    }
}

/// Judges solutions by the arena and the objective alone.
pub(crate) struct ObjectiveChecker<'m> {
    pub model: &'m ObjectiveModel,
}

impl Checker for ObjectiveChecker<'_> {
    fn check(&mut self, property: usize, answer: &Answer, budget: &Budget) -> CheckReport {
        let Some(solved) = answer.evidence_as::<Solved>() else {
            return CheckReport::rejected("there is no evidence");
        };
        let game = &self.model.file.game;
        let (start, claimed) = self.model.questions.claim(property, answer);
        let report = objective::check(game, start, claimed, &solved.proof, budget);
        if report != CheckReport::Accepted {
            return report;
        }
        if answer.value != solved.value(start).map(Quantity::Exact) {
            return CheckReport::rejected("the value is not that of the evidence");
        }
        match &solved.mean {
            Some(mean) => objective::check_mean_value(game, start, mean, budget),
            None => report,
        }
    }

    fn to_json(&self, _property: usize, evidence: &dyn Evidence) -> Map<String, Json> {
        let mut map = Map::new();
        map.insert("kind".into(), evidence.kind().into());
        if let Some(solved) = evidence.data::<Solved>() {
            for player in Player::BOTH {
                let arena = self.model.file.game.arena();
                let won = |vertex: &Vertex| solved.winner(&self.model.file, *vertex) == Some(player);
                let names: Vec<&str> = arena.vertices().filter(won).map(|v| self.model.name(v)).collect();
                map.insert(format!("{player}_wins"), names.len().into());
                if arena.vertex_count() <= MOST_LISTED {
                    map.insert(player.to_string(), json!(names));
                }
            }
        }
        map
    }

    fn to_saved_json(&self, property: usize, evidence: &dyn Evidence) -> Map<String, Json> {
        let mut map = self.to_json(property, evidence);
        match evidence.data::<Solved>() {
            None => {}
            Some(solved) => {
                match &solved.proof {
                    ObjectiveProof::Strategies(positions) => {
                        let rows: Vec<Json> = positions.iter().map(position_to_json).collect();
                        map.insert("positions".into(), rows.into());
                    }
                    ObjectiveProof::Values(values) => {
                        let texts: Vec<String> = values.iter().map(Rational::to_string).collect();
                        map.insert("values".into(), json!(texts));
                    }
                }
                if let Some(mean) = &solved.mean {
                    let moves = |list: &[(Vertex, Vertex)]| -> Vec<[u32; 2]> {
                        list.iter().map(|(from, to)| [from.0, to.0]).collect()
                    };
                    let (even, odd) = (moves(&mean.even), moves(&mean.odd));
                    let mean = json!({"value": mean.value.to_string(), "even": even, "odd": odd});
                    map.insert("mean".into(), mean);
                }
            }
        }
        map
    }

    fn evidence_from_json(&self, _property: usize, document: &Json) -> Result<Box<dyn Evidence>, ReadError> {
        let evidence = &document["evidence"];
        let number = |json: &Json| -> Result<Rational, ReadError> {
            let text = json.as_str().and_then(|text| text.parse().ok());
            text.ok_or_else(|| "expected an exact number as text".into())
        };
        let proof = if let Some(values) = evidence["values"].as_array() {
            ObjectiveProof::Values(values.iter().map(number).collect::<Result<_, _>>()?)
        } else {
            let rows = evidence["positions"]
                .as_array()
                .ok_or("`evidence`: expected `positions` or `values`")?;
            let read = |row: &Json| position_from_json(row).ok_or("`positions`: this is no position");
            ObjectiveProof::Strategies(rows.iter().map(read).collect::<Result<_, _>>()?)
        };
        let mean = match &evidence["mean"] {
            Json::Null => None,
            mean => Some(MeanValue {
                value: number(&mean["value"])?,
                even: moves_from_json(&mean["even"]).ok_or("`even`: expected pairs of vertices")?,
                odd: moves_from_json(&mean["odd"]).ok_or("`odd`: expected pairs of vertices")?,
            }),
        };
        Ok(Box::new(Solved { proof, mean }))
    }

    fn show(&self, property: usize, answer: &Answer) -> Shown {
        let mut shown = Shown::default();
        let Some(solved) = answer.evidence_as::<Solved>() else {
            return shown;
        };
        if let Some(value) = solved.value(self.model.questions.start(property)) {
            shown.push(
                Prominence::Main,
                View::Notes(vec![format!("the value is {value}")]),
            );
        }
        let name = |vertex: Vertex| self.model.name(vertex).to_owned();
        let (heads, rows): (Vec<&str>, Vec<Vec<String>>) = match &solved.proof {
            ObjectiveProof::Strategies(positions) => (
                vec!["vertex", "memory", "winner", "move", "memory after"],
                (positions.iter())
                    .map(|position| {
                        vec![
                            name(position.vertex),
                            position.memory.to_string(),
                            position.winner.to_string(),
                            position.choice.map_or(String::new(), name),
                            position.next.to_string(),
                        ]
                    })
                    .collect(),
            ),
            ObjectiveProof::Values(values) => (
                vec!["vertex", "value"],
                (self.model.file.names.iter().zip(values))
                    .map(|(name, value)| vec![name.clone(), value.to_string()])
                    .collect(),
            ),
        };
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
        let solved = answer.evidence_as::<Solved>()?;
        match extension {
            "sol" => Some(Ok(self.solution_text(solved))),
            "dot" => Some(self.picture(solved)),
            _ => None,
        }
    }
}

impl ObjectiveChecker<'_> {
    /// The solution as a text: a line for each vertex, or for each vertex and memory, with the winner's move.
    fn solution_text(&self, solved: &Solved) -> String {
        let mut text = String::new();
        match &solved.proof {
            ObjectiveProof::Strategies(positions) => {
                for position in positions {
                    let winner = position.winner;
                    text += &format!(
                        "{} {}: {winner}",
                        self.model.name(position.vertex),
                        position.memory
                    );
                    if let Some(to) = position.choice {
                        text += &format!(" goes to {}", self.model.name(to));
                    }
                    text += &format!(", then {};\n", position.next);
                }
            }
            ObjectiveProof::Values(values) => {
                for (vertex, value) in self.model.file.game.arena().vertices().zip(values) {
                    text += &format!("{}: {value};\n", self.model.name(vertex));
                }
            }
        }
        text
    }

    /// The solved game for Graphviz; moves are those of some memory.
    fn picture(&self, solved: &Solved) -> Result<String, String> {
        let game = &self.model.file.game;
        let picture = Picture {
            arena: game.arena(),
            start: self.model.questions.start(0),
            label: &|vertex| match self.model.colours_of(vertex) {
                colours if colours.is_empty() => self.model.name(vertex).to_owned(),
                colours => format!("{}\\n{}", self.model.name(vertex), colours.join(" ")),
            },
            edge: &|from, to| match game.objective.is_about_weights() {
                true => (game.edges(from).find(|(target, _)| *target == to))
                    .map_or(String::new(), |(_, weight)| weight.to_string()),
                false => String::new(),
            },
            winner: &|vertex| solved.winner(&self.model.file, vertex),
            taken: &|from, to| match &solved.proof {
                ObjectiveProof::Strategies(positions) => {
                    (positions.iter()).any(|position| position.vertex == from && position.choice == Some(to))
                }
                ObjectiveProof::Values(_) => false,
            },
        };
        picture.print(MOST_DRAWN)
    }
}

fn position_to_json(position: &Position) -> Json {
    json!([
        position.vertex.0,
        position.memory,
        position.winner.index(),
        position.choice.map(|to| to.0),
        position.next
    ])
}

fn position_from_json(row: &Json) -> Option<Position> {
    let number = |at: usize| {
        row.get(at)?
            .as_u64()
            .and_then(|number| u32::try_from(number).ok())
    };
    Some(Position {
        vertex: Vertex(number(0)?),
        memory: number(1)?,
        winner: Player::numbered(number(2)?.into())?,
        choice: match row.get(3)? {
            Json::Null => None,
            _ => Some(Vertex(number(3)?)),
        },
        next: number(4)?,
    })
}

fn moves_from_json(list: &Json) -> Option<Vec<(Vertex, Vertex)>> {
    let vertex = |json: &Json| {
        json.as_u64()
            .and_then(|number| u32::try_from(number).ok())
            .map(Vertex)
    };
    let pair = |pair: &Json| Some((vertex(pair.get(0)?)?, vertex(pair.get(1)?)?));
    list.as_array()?.iter().map(pair).collect()
}
