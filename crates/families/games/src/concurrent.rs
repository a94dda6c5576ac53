//! Games in which both players move at once: the model and its solver.

use crate::concurrent_checker::{ConcurrentChecker, ConcurrentSolved};
use crate::concurrent_contest::ConcurrentContest;
use crate::drawing::key;
use crate::objective::ENGINE;
use crate::questions::Questions;
use entail_answer::{Answer, Statistics, Verdict};
use entail_arena::{ConcurrentFile, colour_names, print_concurrent};
use entail_budget::{Budget, Progress};
use entail_family::{
    Checker, Contest, Converted, Heading, LoadError, Model, ModelError, Options, Session, Turn, Usage,
};
use entail_game::{ConcurrentProof, Player, Vertex};
use entail_logic::Logic;
use entail_objectives::solve_concurrent;
use entail_show::{Graph, GraphEdge, GraphNode};
use entail_source::Source;

/// A game with the questions about it.
pub(crate) struct ConcurrentModel {
    source: Source,
    pub file: ConcurrentFile,
    pub questions: Questions,
}

impl ConcurrentModel {
    /// The game, with the question that its file asks.
    pub fn new(source: Source, file: ConcurrentFile) -> ConcurrentModel {
        let start = file.start;
        let mut model = ConcurrentModel {
            source,
            file,
            questions: Questions::new(Logic::Game),
        };
        model.ask(start);
        model
    }

    fn ask(&mut self, vertex: Vertex) -> usize {
        let question = format!("{}: {}", self.name(vertex), self.file.objective);
        self.questions.ask(vertex, &question)
    }

    /// What the file calls a vertex.
    pub fn name(&self, vertex: Vertex) -> &str {
        self.file.names.get(vertex.index()).map_or("?", String::as_str)
    }

    /// The edges of a vertex: where they lead, and the pairs of actions that lead there.
    pub fn edges(&self, vertex: Vertex) -> Vec<(Vertex, Vec<String>)> {
        let (game, mut edges) = (&self.file.game, Vec::<(Vertex, Vec<String>)>::new());
        for even in game.actions(vertex, Player::Even) {
            for odd in game.actions(vertex, Player::Odd) {
                let to = game.target(vertex, even, odd);
                let pair = match self.file.owner(vertex) {
                    Some(_) => String::new(),
                    None => {
                        let name = |player, number| self.file.action(vertex, player, number);
                        format!("{}/{}", name(Player::Even, even), name(Player::Odd, odd))
                    }
                };
                match edges.iter_mut().find(|(known, _)| *known == to) {
                    Some((_, pairs)) => pairs.push(pair),
                    None => edges.push((to, vec![pair])),
                }
            }
        }
        edges
    }

    /// The game as a picture.
    pub fn drawing(&self, most: usize) -> Result<Graph, String> {
        let game = &self.file.game;
        if game.vertex_count() > most {
            return Err(format!("the game has more than {most} vertices"));
        }
        let mut graph = Graph {
            names: vec!["colours".to_owned()],
            ..Graph::default()
        };
        for vertex in game.vertices() {
            let own = colour_names(&self.file.colours, game.colours(vertex)).join(" ");
            graph.nodes.push(GraphNode {
                label: vec![self.name(vertex).to_owned(), own.clone()],
                values: vec![own],
                is_initial: vertex == self.questions.start(0),
                is_marked: false,
                key: Some(key(vertex)),
            });
            let edges = self.edges(vertex).into_iter();
            graph.edges.extend(edges.map(|(to, pairs)| GraphEdge {
                from: vertex.index(),
                to: to.index(),
                label: pairs.join(" "),
                is_dashed: false,
            }));
        }
        Ok(graph)
    }
}

impl Model for ConcurrentModel {
    fn source(&self) -> &Source {
        &self.source
    }

    fn language(&self) -> &'static str {
        "game"
    }

    fn properties(&self) -> &[Heading] {
        self.questions.headings()
    }

    /// A question is the name of a vertex: does Even win from there, as certainly as the file asks?
    fn add_property(&mut self, text: &str, logic: Option<Logic>) -> Result<usize, LoadError> {
        let vertex = self
            .questions
            .read_named(text, logic, |name| self.file.vertex(name))?;
        Ok(self.ask(vertex))
    }

    fn figures(&self) -> Statistics {
        let game = &self.file.game;
        let pairs = |vertex| {
            let [even, odd] = Player::BOTH.map(|player| game.actions(vertex, player).len());
            even * odd
        };
        Statistics::default()
            .with("vertices", game.vertex_count() as u64)
            .with(
                "pairs_of_actions",
                game.vertices().map(pairs).sum::<usize>() as u64,
            )
            .with("colours", self.file.colours.len() as u64)
    }

    fn schedule(&self, _property: usize, _options: &Options, _racing: bool) -> Vec<Turn> {
        vec![Turn::alone(ENGINE, None, "the solver of concurrent games")]
    }

    fn open<'m>(&'m self, _options: &'m Options, _racing: bool) -> Result<Box<dyn Session + 'm>, Usage> {
        Ok(Box::new(ConcurrentSession {
            model: self,
            solved: None,
        }))
    }

    fn checker<'m>(&'m self, _options: &'m Options) -> Result<Box<dyn Checker + 'm>, Usage> {
        Ok(Box::new(ConcurrentChecker { model: self }))
    }

    fn contest<'m>(
        &'m self,
        property: usize,
        answer: &Answer,
        _options: &'m Options,
    ) -> Option<Result<Box<dyn Contest + 'm>, String>> {
        let ConcurrentSolved(proof) = answer.evidence_as::<ConcurrentSolved>()?.clone();
        let start = self.questions.start(property);
        Some(match ConcurrentContest::new(self, proof, start) {
            Some(contest) => Ok(Box::new(contest)),
            None => Err("the solution says nothing about the start vertex".to_owned()),
        })
    }

    fn formats(&self) -> &'static [&'static str] {
        &["game"]
    }

    fn write(&self, extension: &str, _options: &Options) -> Option<Result<Converted, String>> {
        let wanted = self.formats().contains(&extension);
        wanted.then(|| Ok(Converted::whole(print_concurrent(&self.file))))
    }

    fn graph(&self, most_states: usize, _budget: &Budget) -> Option<Result<Graph, String>> {
        Some(self.drawing(most_states))
    }
}

/// Solves the game once, whatever is asked.
struct ConcurrentSession<'m> {
    model: &'m ConcurrentModel,
    solved: Option<ConcurrentProof>,
}

impl Session for ConcurrentSession<'_> {
    fn check(
        &mut self,
        engine: &str,
        property: usize,
        budget: &Budget,
        _progress: &dyn Progress,
    ) -> Result<Answer, ModelError> {
        if engine != ENGINE {
            let message = format!("games in which both players move at once are for the engine `{ENGINE}`");
            return Ok(Answer::unknown(message));
        }
        let proof = match &self.solved {
            Some(proof) => proof.clone(),
            None => match solve_concurrent(&self.model.file.game, budget) {
                Ok(proof) => self.solved.insert(proof).clone(),
                Err(error) => return Ok(Answer::unknown(error.to_string())),
            },
        };
        let verdict = match proof.winner(self.model.questions.start(property)) {
            Some(Player::Even) => Verdict::Holds,
            Some(Player::Odd) => Verdict::Fails,
            None => return Ok(Answer::unknown("the game was not solved")),
        };
        let positions = match &proof {
            ConcurrentProof::Strategies(positions) => positions.len(),
            ConcurrentProof::Chances(positions) => positions.len(),
        };
        Ok(Answer {
            statistics: Statistics::default().with("positions", positions as u64),
            ..Answer::complete(verdict, ConcurrentSolved(proof)).boxed()
        })
    }
}
