//! Games with other objectives than parity: the model, its solver and its judge.

use crate::drawing::key;
use entail_answer::{Answer, CheckReport, Evidence, Quantity, Statistics, Verdict};
use entail_arena::{GameFile, print, read};
use entail_budget::{Budget, Progress};
use entail_family::{
    Checker, Converted, Heading, Input, LoadError, Model, ModelError, Options, ReadError, Session, Turn,
    Usage,
};
use entail_game::{MeanValue, Objective, ObjectiveProof, Player, Position, Rational, Vertex};
use entail_games_checker::objective;
use entail_logic::Logic;
use entail_objectives::{mean_value, solve};
use entail_show::{Graph, GraphEdge, GraphNode, Prominence, Shown, Table, View};
use entail_source::{Diagnostic, Source, Span};
use serde_json::{Map, Value as Json, json};
use std::any::Any;

/// The engine's name.
pub(crate) const ENGINE: &str = "objective";

/// Strategies with more positions are not listed in reports.
const MOST_LISTED: usize = 100;

/// A game with the questions about it.
pub(crate) struct ObjectiveModel {
    source: Source,
    file: GameFile,
    headings: Vec<Heading>,
    /// For each question, the vertex it is about.
    starts: Vec<Vertex>,
}

/// Reads a game.
pub(crate) fn load(input: &Input<'_>) -> Result<Box<dyn Model>, LoadError> {
    let source = input.text_of_bytes();
    let file = read(source.text()).map_err(|diagnostics| LoadError::invalid(&source, diagnostics))?;
    let start = file.start;
    let mut model = ObjectiveModel {
        source,
        file,
        headings: Vec::new(),
        starts: Vec::new(),
    };
    model.ask(start);
    Ok(Box::new(model))
}

impl ObjectiveModel {
    fn ask(&mut self, vertex: Vertex) -> usize {
        self.headings.push(Heading {
            name: None,
            text: format!(
                "even wins from vertex {}: {}",
                self.name(vertex),
                self.file.objective
            ),
            logic: Logic::Game,
            place: None,
        });
        self.starts.push(vertex);
        self.headings.len() - 1
    }

    fn name(&self, vertex: Vertex) -> &str {
        self.file.names.get(vertex.index()).map_or("?", String::as_str)
    }
}

impl Model for ObjectiveModel {
    fn source(&self) -> &Source {
        &self.source
    }

    fn language(&self) -> &'static str {
        "game"
    }

    fn properties(&self) -> &[Heading] {
        &self.headings
    }

    /// A question is the name of a vertex: does Even win from there?
    fn add_property(&mut self, text: &str, logic: Option<Logic>) -> Result<usize, LoadError> {
        if let Some(other) = logic.filter(|logic| *logic != Logic::Game) {
            return Err(Usage(format!(
                "a question about a game is a vertex, not a formula of {other}"
            ))
            .into());
        }
        let asked = text.trim();
        let asked = asked.strip_prefix("even wins from vertex ").unwrap_or(asked);
        let name = asked.split(':').next().unwrap_or(asked).trim();
        match self.file.vertex(name) {
            Some(vertex) => Ok(self.ask(vertex)),
            None => {
                let whole = Span::new(0, text.len());
                let problem = Diagnostic::error("games::vertex", "there is no such vertex", whole, "here")
                    .with_help("ask with the name of a vertex: does even win from there?");
                Err(LoadError::invalid(&Source::new("question", text), problem))
            }
        }
    }

    fn figures(&self) -> Statistics {
        let arena = self.file.game.arena();
        Statistics::default()
            .with("vertices", arena.vertex_count() as u64)
            .with("edges", arena.edge_count() as u64)
            .with("colours", self.file.colours.len() as u64)
    }

    fn schedule(&self, _property: usize, _options: &Options, _racing: bool) -> Vec<Turn> {
        vec![Turn::alone(ENGINE, None, "the solver of the objective")]
    }

    fn open<'m>(&'m self, _options: &'m Options, _racing: bool) -> Result<Box<dyn Session + 'm>, Usage> {
        Ok(Box::new(ObjectiveSession {
            model: self,
            solved: None,
        }))
    }

    fn checker<'m>(&'m self, _options: &'m Options) -> Result<Box<dyn Checker + 'm>, Usage> {
        Ok(Box::new(ObjectiveChecker { model: self }))
    }

    fn formats(&self) -> &'static [&'static str] {
        &["game"]
    }

    fn write(&self, extension: &str, _options: &Options) -> Option<Result<Converted, String>> {
        self.formats().contains(&extension).then(|| {
            Ok(Converted {
                bytes: print(&self.file).into_bytes(),
                notes: Vec::new(),
            })
        })
    }

    fn graph(&self, most_states: usize, _budget: &Budget) -> Option<Result<Graph, String>> {
        Some(self.drawing(most_states))
    }
}

impl ObjectiveModel {
    fn drawing(&self, most: usize) -> Result<Graph, String> {
        let (game, arena) = (&self.file.game, self.file.game.arena());
        if arena.vertex_count() > most {
            return Err(format!("the game has more than {most} vertices"));
        }
        let mut graph = Graph {
            names: ["owner", "colours"].map(String::from).to_vec(),
            ..Graph::default()
        };
        for vertex in arena.vertices() {
            let own = self.file.colours.iter().enumerate();
            let own = own.filter(|(at, name)| game.colours(vertex).has(*at as u32) && !name.starts_with('!'));
            let own: Vec<&str> = own.map(|(_, name)| name.as_str()).collect();
            graph.nodes.push(GraphNode {
                label: vec![
                    self.name(vertex).to_owned(),
                    format!("{} {}", arena.owner(vertex), own.join(" ")),
                ],
                values: vec![arena.owner(vertex).to_string(), own.join(" ")],
                is_initial: vertex == self.starts[0],
                is_marked: false,
                key: Some(key(vertex)),
            });
            for (to, weight) in game.edges(vertex) {
                let weighted = game.objective.is_about_weights();
                graph.edges.push(GraphEdge {
                    from: vertex.index(),
                    to: to.index(),
                    label: if weighted {
                        weight.to_string()
                    } else {
                        String::new()
                    },
                    is_dashed: false,
                });
            }
        }
        Ok(graph)
    }
}

/// Solves the game once, whatever is asked.
struct ObjectiveSession<'m> {
    model: &'m ObjectiveModel,
    solved: Option<ObjectiveProof>,
}

/// The solution of the whole game, and the value from the vertex that is asked about where it is a mean.
#[derive(Clone, Debug)]
struct Solved {
    proof: ObjectiveProof,
    mean: Option<MeanValue>,
}

impl Evidence for Solved {
    fn kind(&self) -> &'static str {
        "strategies"
    }
}

impl Solved {
    /// Who wins from a vertex.
    fn winner(&self, game: &GameFile, vertex: Vertex) -> Option<Player> {
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
    fn value(&self, vertex: Vertex) -> Option<Rational> {
        match (&self.proof, &self.mean) {
            (ObjectiveProof::Values(values), _) => values.get(vertex.index()).cloned(),
            (_, mean) => mean.as_ref().map(|mean| mean.value.clone()),
        }
    }
}

impl Session for ObjectiveSession<'_> {
    fn check(
        &mut self,
        engine: &str,
        property: usize,
        budget: &Budget,
        _progress: &dyn Progress,
    ) -> Result<Answer, ModelError> {
        if engine != ENGINE {
            return Ok(Answer::unknown(format!(
                "games with this objective are for the engine `{ENGINE}`"
            )));
        }
        let (file, start) = (&self.model.file, self.model.starts[property]);
        let proof = match &self.solved {
            Some(proof) => proof.clone(),
            None => match solve(&file.game, budget) {
                Ok(proof) => self.solved.insert(proof).clone(),
                Err(error) => return Ok(Answer::unknown(error.to_string())),
            },
        };
        let mean = match &file.game.objective {
            // Without its value the answer is still one.
            Objective::MeanPayoff(_) => mean_value(&file.game, start, budget).ok(),
            _ => None,
        };
        let solved = Solved { proof, mean };
        let verdict = match solved.winner(file, start) {
            Some(Player::Even) => Verdict::Holds,
            Some(Player::Odd) => Verdict::Fails,
            None => return Ok(Answer::unknown("the game was not solved")),
        };
        let positions = match &solved.proof {
            ObjectiveProof::Strategies(positions) => positions.len(),
            ObjectiveProof::Values(values) => values.len(),
        };
        Ok(Answer {
            value: solved.value(start).map(Quantity::Exact),
            statistics: Statistics::default().with("positions", positions as u64),
            ..Answer::complete(verdict, solved).boxed()
        })
    }
}

struct ObjectiveChecker<'m> {
    model: &'m ObjectiveModel,
}

fn solved_of(evidence: &dyn Evidence) -> Option<&Solved> {
    let evidence: &dyn Any = evidence;
    evidence.downcast_ref()
}

impl Checker for ObjectiveChecker<'_> {
    fn check(&mut self, property: usize, answer: &Answer, budget: &Budget) -> CheckReport {
        let Some(solved) = answer.evidence_as::<Solved>() else {
            return CheckReport::rejected("there is no evidence");
        };
        let (game, start) = (&self.model.file.game, self.model.starts[property]);
        let claimed = match answer.verdict {
            Verdict::Holds => Player::Even,
            _ => Player::Odd,
        };
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
        if let Some(solved) = solved_of(evidence) {
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
        match solved_of(evidence) {
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
        if let Some(value) = solved.value(self.model.starts[property]) {
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
