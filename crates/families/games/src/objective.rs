//! Games with other objectives than parity: the model and its solver.

use crate::concurrent::ConcurrentModel;
use crate::contest::ArenaContest;
use crate::drawing::key;
use crate::objective_checker::{ObjectiveChecker, Solved};
use crate::objective_contest::ObjectiveRules;
use crate::questions::Questions;
use entail_answer::{Answer, Quantity, Statistics, Verdict};
use entail_arena::{AnyGame, GameFile, colour_names, print, read};
use entail_budget::{Budget, Progress};
use entail_family::{
    Checker, Contest, Converted, Heading, Input, LoadError, Model, ModelError, Options, Session, Turn, Usage,
};
use entail_game::{Objective, ObjectiveProof, Player, Vertex};
use entail_logic::Logic;
use entail_objectives::{mean_value, solve};
use entail_show::{Graph, GraphEdge, GraphNode};
use entail_source::Source;

/// The engine's name.
pub(crate) const ENGINE: &str = "objective";

/// A game with the questions about it.
pub(crate) struct ObjectiveModel {
    source: Source,
    pub file: GameFile,
    pub questions: Questions,
}

/// Reads a game.
pub(crate) fn load(input: &Input<'_>) -> Result<Box<dyn Model>, LoadError> {
    let source = input.text_of_bytes();
    let game = read(source.text()).map_err(|diagnostics| LoadError::invalid(&source, diagnostics))?;
    let file = match game {
        AnyGame::Turns(file) => file,
        AnyGame::Concurrent(file) => return Ok(Box::new(ConcurrentModel::new(source, file))),
    };
    let start = file.start;
    let mut model = ObjectiveModel {
        source,
        file,
        questions: Questions::new(Logic::Game),
    };
    model.ask(start);
    Ok(Box::new(model))
}

impl ObjectiveModel {
    fn ask(&mut self, vertex: Vertex) -> usize {
        let question = format!("{}: {}", self.name(vertex), self.file.objective);
        self.questions.ask(vertex, &question)
    }

    /// What the file calls a vertex.
    pub fn name(&self, vertex: Vertex) -> &str {
        self.file.names.get(vertex.index()).map_or("?", String::as_str)
    }

    /// The colours of a vertex, as the file has them.
    pub fn colours_of(&self, vertex: Vertex) -> Vec<&str> {
        colour_names(&self.file.colours, self.file.game.colours(vertex))
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
        self.questions.headings()
    }

    /// A question is the name of a vertex: does Even win from there?
    fn add_property(&mut self, text: &str, logic: Option<Logic>) -> Result<usize, LoadError> {
        let vertex = self
            .questions
            .read_named(text, logic, |name| self.file.vertex(name))?;
        Ok(self.ask(vertex))
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

    fn contest<'m>(
        &'m self,
        property: usize,
        answer: &Answer,
        _options: &'m Options,
    ) -> Option<Result<Box<dyn Contest + 'm>, String>> {
        let solved = answer.evidence_as::<Solved>()?.clone();
        let start = self.questions.start(property);
        Some(match solved.winner(&self.file, start) {
            Some(winner) => {
                let rules = ObjectiveRules { model: self, solved };
                Ok(Box::new(ArenaContest::new(rules, start, winner)))
            }
            None => Err("the solution says nothing about the start vertex".to_owned()),
        })
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
    /// The arena as a picture.
    pub fn drawing(&self, most: usize) -> Result<Graph, String> {
        let (game, arena) = (&self.file.game, self.file.game.arena());
        if arena.vertex_count() > most {
            return Err(format!("the game has more than {most} vertices"));
        }
        let mut graph = Graph {
            names: ["owner", "colours"].map(String::from).to_vec(),
            ..Graph::default()
        };
        for vertex in arena.vertices() {
            let own = self.colours_of(vertex);
            graph.nodes.push(GraphNode {
                label: vec![
                    self.name(vertex).to_owned(),
                    format!("{} {}", arena.owner(vertex), own.join(" ")),
                ],
                values: vec![arena.owner(vertex).to_string(), own.join(" ")],
                is_initial: vertex == self.questions.start(0),
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
        let (file, start) = (&self.model.file, self.model.questions.start(property));
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
