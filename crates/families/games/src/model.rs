//! A game that has been read, and solving it.

use crate::checker::{GameChecker, Solved};
use crate::contest::{ArenaContest, ParityRules};
use crate::drawing::drawing;
use crate::game_formula::graph_and_formula;
use crate::questions::Questions;
use crate::walk::GameWalk;
use entail_answer::{Answer, Statistics, Verdict};
use entail_budget::{Budget, Progress};
use entail_equations::EquationFile;
use entail_family::{
    Checker, Contest, Converted, Heading, Input, LoadError, Model, ModelError, Options, Session, Structure,
    StructureError, Turn, Usage, Walk,
};
use entail_game::{Player, Vertex};
use entail_logic::Logic;
use entail_objectives::equations_of_game;
use entail_parity::{Solver, Threads, solve_on};
use entail_pgsolver::{PgGame, print_game, read};
use entail_show::Graph;
use entail_source::{Diagnostic, Source};

/// A game with the questions about it.
pub struct GameModel {
    source: Source,
    pub(crate) game: PgGame,
    pub(crate) questions: Questions,
}

/// Reads a game.
pub(crate) fn load(input: &Input<'_>) -> Result<Box<dyn Model>, LoadError> {
    let game =
        read(input.bytes).map_err(|diagnostics| LoadError::invalid(&input.text_of_bytes(), diagnostics))?;
    let warned = !game.warnings.is_empty();
    // The text is kept only to point at it: games can be very large.
    let source = if warned {
        input.text_of_bytes()
    } else {
        Source::new(input.name, "")
    };
    let start = game.start.unwrap_or(Vertex(0));
    let mut model = GameModel {
        source,
        game,
        questions: Questions::new(Logic::Parity),
    };
    model.ask(start);
    Ok(Box::new(model))
}

impl GameModel {
    fn ask(&mut self, vertex: Vertex) -> usize {
        let named = self.vertex_name(vertex);
        self.questions.ask(vertex, &named)
    }

    /// What the file calls a vertex.
    pub(crate) fn vertex_name(&self, vertex: Vertex) -> String {
        match self.game.name(vertex) {
            Some(name) => format!("{} \"{name}\"", self.game.id(vertex)),
            None => self.game.id(vertex).to_string(),
        }
    }

    /// The game as a system of equations: a variable for each vertex.
    fn as_equations(&self) -> Result<Converted, String> {
        let name = |vertex| format!("X{}", self.game.id(vertex));
        let built = equations_of_game(&self.game.game, name);
        let (system, numbers) = built.map_err(|error| error.to_string())?;
        let start = numbers[self.questions.start(0).index()];
        Ok(Converted::whole(entail_equations::print(&EquationFile {
            system,
            start,
        })))
    }
}

impl Model for GameModel {
    fn source(&self) -> &Source {
        &self.source
    }

    fn language(&self) -> &'static str {
        "pgsolver"
    }

    fn warnings(&self) -> &[Diagnostic] {
        &self.game.warnings
    }

    fn properties(&self) -> &[Heading] {
        self.questions.headings()
    }

    /// A question is the identifier of a vertex: does Even win from there?
    fn add_property(&mut self, text: &str, logic: Option<Logic>) -> Result<usize, LoadError> {
        let vertex = self.questions.read(text, logic, |asked| {
            let id = asked.split_whitespace().next()?.parse().ok()?;
            self.game.vertex(id)
        })?;
        Ok(self.ask(vertex))
    }

    fn figures(&self) -> Statistics {
        let game = &self.game.game;
        Statistics::default()
            .with("vertices", game.arena().vertex_count() as u64)
            .with("edges", game.arena().edge_count() as u64)
            .with("priorities", game.distinct_priorities() as u64)
    }

    fn schedule(&self, _property: usize, _options: &Options, _racing: bool) -> Vec<Turn> {
        vec![Turn::alone(
            Solver::Auto.name(),
            None,
            "what measuring has found fastest",
        )]
    }

    fn open<'m>(&'m self, options: &'m Options, _racing: bool) -> Result<Box<dyn Session + 'm>, Usage> {
        Ok(Box::new(GameSession {
            threads: Threads::new(options.number("threads").unwrap_or(1) as usize),
            model: self,
            solved: None,
        }))
    }

    fn checker<'m>(&'m self, _options: &'m Options) -> Result<Box<dyn Checker + 'm>, Usage> {
        Ok(Box::new(GameChecker::new(self)))
    }

    fn walk<'m>(&'m self, _options: &'m Options) -> Option<Result<Box<dyn Walk + 'm>, LoadError>> {
        Some(Ok(Box::new(GameWalk::new(self))))
    }

    fn contest<'m>(
        &'m self,
        property: usize,
        answer: &Answer,
        _options: &'m Options,
    ) -> Option<Result<Box<dyn Contest + 'm>, String>> {
        let solved = answer.evidence_as::<Solved>()?;
        let (start, solution) = (self.questions.start(property), solved.0.clone());
        Some(match solution.winner(start) {
            Some(winner) => {
                let rules = ParityRules {
                    model: self,
                    solution,
                };
                Ok(Box::new(ArenaContest::new(rules, start, winner)))
            }
            None => Err("the solution says nothing about the start vertex".to_owned()),
        })
    }

    /// The game as a labelled graph; a note has the formula that is true where Even wins.
    fn structure(&self, _options: &Options, _budget: &Budget) -> Option<Result<Structure, StructureError>> {
        let built = graph_and_formula(&self.game).map(|(lts, formula)| Structure {
            lts,
            notes: vec![format!("even wins from the states that satisfy {formula}")],
        });
        Some(built.map_err(StructureError::NotExplored))
    }

    fn formats(&self) -> &'static [&'static str] {
        &["pg", "gm", "bes"]
    }

    fn write(&self, extension: &str, _options: &Options) -> Option<Result<Converted, String>> {
        match extension {
            "pg" | "gm" => Some(Ok(Converted::whole(print_game(&self.game)))),
            "bes" => Some(self.as_equations()),
            _ => None,
        }
    }

    fn graph(&self, most_states: usize, _budget: &Budget) -> Option<Result<Graph, String>> {
        Some(drawing(self, None, most_states))
    }
}

/// Solves the game once, whatever is asked.
struct GameSession<'m> {
    model: &'m GameModel,
    threads: Threads,
    solved: Option<(Solver, Solved, Statistics)>,
}

impl Session for GameSession<'_> {
    fn check(
        &mut self,
        engine: &str,
        property: usize,
        budget: &Budget,
        _progress: &dyn Progress,
    ) -> Result<Answer, ModelError> {
        let solver = Solver::named(engine).unwrap_or(Solver::Auto);
        if self.solved.as_ref().is_none_or(|(known, ..)| *known != solver) {
            let (solution, effort) = match solve_on(&self.model.game.game, solver, self.threads, budget) {
                Ok(solved) => solved,
                Err(spent) => return Ok(Answer::unknown(spent.to_string())),
            };
            let statistics = Statistics::default()
                .with("preprocessed", effort.preprocessed as u64)
                .with("components", effort.components as u64)
                .with("largest_component", effort.largest as u64);
            self.solved = Some((solver, Solved(solution), statistics));
        }
        let Some((_, solved, statistics)) = &self.solved else {
            return Ok(Answer::unknown("the game was not solved"));
        };
        let verdict = match solved.0.winner(self.model.questions.start(property)) {
            Some(Player::Even) => Verdict::Holds,
            _ => Verdict::Fails,
        };
        Ok(Answer {
            statistics: statistics.clone(),
            ..Answer::complete(verdict, solved.clone()).boxed()
        })
    }
}
