//! Boolean equation systems: the model, its solvers (those of parity games), and the judge of solutions.

use crate::questions::Questions;
use entail_answer::{Answer, CheckReport, Evidence, Statistics, Verdict};
use entail_budget::{Budget, Progress};
use entail_equations::{EquationFile, print, read};
use entail_family::{
    Checker, Converted, Heading, Input, LoadError, Model, ModelError, Options, ReadError, Session, Turn,
    Usage,
};
use entail_game::{Player, Solution, Vertex};
use entail_games_checker::equations;
use entail_logic::Logic;
use entail_objectives::game_of_equations;
use entail_parity::{Solver, Threads, solve_on};
use entail_pgsolver::{PgGame, print_game};
use entail_show::{Prominence, Shown, Table, View};
use entail_source::Source;
use serde_json::{Map, Value as Json, json};

/// Solutions with more variables are not listed in reports.
const MOST_LISTED: usize = 100;

/// A system with the questions about it: a variable, is it true?
struct EquationModel {
    source: Source,
    file: EquationFile,
    questions: Questions,
}

/// Reads a system.
pub(crate) fn load(input: &Input<'_>) -> Result<Box<dyn Model>, LoadError> {
    let source = input.text_of_bytes();
    let file = read(source.text()).map_err(|diagnostics| LoadError::invalid(&source, diagnostics))?;
    let start = file.start;
    let mut model = EquationModel {
        source,
        file,
        questions: Questions::about_variables(Logic::Parity),
    };
    model.ask(Vertex(start));
    Ok(Box::new(model))
}

impl EquationModel {
    fn ask(&mut self, variable: Vertex) -> usize {
        let name = self.name(variable).to_owned();
        self.questions.ask(variable, &name)
    }

    fn name(&self, variable: Vertex) -> &str {
        let equation = self.file.system.equations().get(variable.index());
        equation.map_or("?", |equation| &equation.name)
    }

    fn variables(&self) -> impl Iterator<Item = Vertex> + use<> {
        (0..self.file.system.equations().len() as u32).map(Vertex)
    }
}

impl Model for EquationModel {
    fn source(&self) -> &Source {
        &self.source
    }

    fn language(&self) -> &'static str {
        "bes"
    }

    fn properties(&self) -> &[Heading] {
        self.questions.headings()
    }

    fn add_property(&mut self, text: &str, logic: Option<Logic>) -> Result<usize, LoadError> {
        let variable = self.questions.read(text, logic, |asked| {
            let number = self.file.system.variable(asked.trim())?;
            Some(Vertex(number))
        })?;
        Ok(self.ask(variable))
    }

    fn figures(&self) -> Statistics {
        let system = &self.file.system;
        Statistics::default()
            .with("equations", system.equations().len() as u64)
            .with("nodes", system.nodes().len() as u64)
    }

    fn schedule(&self, _property: usize, _options: &Options, _racing: bool) -> Vec<Turn> {
        let reason = "what measuring has found fastest for parity games";
        vec![Turn::alone(Solver::Auto.name(), None, reason)]
    }

    fn open<'m>(&'m self, options: &'m Options, _racing: bool) -> Result<Box<dyn Session + 'm>, Usage> {
        Ok(Box::new(EquationSession {
            model: self,
            threads: Threads::new(options.number("threads").unwrap_or(1) as usize),
            solved: None,
        }))
    }

    fn checker<'m>(&'m self, _options: &'m Options) -> Result<Box<dyn Checker + 'm>, Usage> {
        Ok(Box::new(EquationChecker { model: self }))
    }

    fn formats(&self) -> &'static [&'static str] {
        &["bes", "pg"]
    }

    fn write(&self, extension: &str, _options: &Options) -> Option<Result<Converted, String>> {
        match extension {
            "bes" => Some(Ok(Converted::whole(print(&self.file)))),
            "pg" => Some(self.as_game()),
            _ => None,
        }
    }
}

impl EquationModel {
    /// The game of the system; vertices of variables have their names.
    fn as_game(&self) -> Result<Converted, String> {
        let game = game_of_equations(&self.file.system).map_err(|error| error.to_string())?;
        let name =
            |vertex: Vertex| (vertex.index() < self.file.system.equations().len()).then(|| self.name(vertex));
        let file = PgGame::named(game, Some(Vertex(self.file.start)), name);
        Ok(Converted::whole(print_game(&file)))
    }
}

/// Solves the system once for each solver, whatever is asked.
struct EquationSession<'m> {
    model: &'m EquationModel,
    threads: Threads,
    solved: Option<(Solver, Values)>,
}

impl Session for EquationSession<'_> {
    fn check(
        &mut self,
        engine: &str,
        property: usize,
        budget: &Budget,
        _progress: &dyn Progress,
    ) -> Result<Answer, ModelError> {
        let solver = Solver::named(engine).unwrap_or(Solver::Auto);
        let values = match &self.solved {
            Some((known, values)) if *known == solver => values.clone(),
            _ => {
                let game = match game_of_equations(&self.model.file.system) {
                    Ok(game) => game,
                    Err(error) => return Ok(Answer::unknown(error.to_string())),
                };
                match solve_on(&game, solver, self.threads, budget) {
                    Ok((solution, _)) => self.solved.insert((solver, Values(solution))).1.clone(),
                    Err(spent) => return Ok(Answer::unknown(spent.to_string())),
                }
            }
        };
        let verdict = match values.0.winner(self.model.questions.start(property)) {
            Some(Player::Even) => Verdict::Holds,
            Some(Player::Odd) => Verdict::Fails,
            None => return Ok(Answer::unknown("the system was not solved")),
        };
        Ok(Answer::complete(verdict, values).boxed())
    }
}

/// The solution: who wins at every position of the system's game.
#[derive(Clone, Debug)]
struct Values(Solution);

impl Evidence for Values {
    fn kind(&self) -> &'static str {
        "solution"
    }
}

fn solution_of(evidence: &dyn Evidence) -> Option<&Solution> {
    evidence.data::<Values>().map(|values| &values.0)
}

/// Judges solutions by the equations alone.
struct EquationChecker<'m> {
    model: &'m EquationModel,
}

impl EquationChecker<'_> {
    fn value(&self, solution: &Solution, variable: Vertex) -> &'static str {
        match solution.winner(variable) {
            Some(Player::Even) => "true",
            Some(Player::Odd) => "false",
            None => "?",
        }
    }
}

impl Checker for EquationChecker<'_> {
    fn check(&mut self, property: usize, answer: &Answer, budget: &Budget) -> CheckReport {
        let Some(Values(solution)) = answer.evidence_as::<Values>() else {
            return CheckReport::rejected("there is no evidence");
        };
        let variable = self.model.questions.start(property).0;
        let value = answer.verdict == Verdict::Holds;
        equations::check(&self.model.file.system, variable, value, solution, budget)
    }

    fn to_json(&self, _property: usize, evidence: &dyn Evidence) -> Map<String, Json> {
        let mut map = Map::new();
        map.insert("kind".into(), evidence.kind().into());
        if let Some(solution) = solution_of(evidence) {
            let is_true = |variable: &Vertex| solution.winner(*variable) == Some(Player::Even);
            map.insert(
                "true".into(),
                self.model.variables().filter(is_true).count().into(),
            );
        }
        map
    }

    /// For each position the winner, and the move where there is one.
    fn to_saved_json(&self, property: usize, evidence: &dyn Evidence) -> Map<String, Json> {
        let mut map = self.to_json(property, evidence);
        if let Some(solution) = solution_of(evidence) {
            let position = |at: u32| {
                let winner = solution.winner(Vertex(at)).map(Player::index);
                json!([winner, solution.choice(Vertex(at)).map(|to| to.0)])
            };
            let positions: Vec<Json> = (0..solution.len() as u32).map(position).collect();
            map.insert("positions".into(), positions.into());
        }
        map
    }

    fn evidence_from_json(&self, _property: usize, document: &Json) -> Result<Box<dyn Evidence>, ReadError> {
        let rows = document["evidence"]["positions"].as_array();
        let rows = rows.ok_or("`evidence`: expected `positions`")?;
        let mut solution = Solution::open(rows.len());
        for (at, row) in (0..).zip(rows) {
            let winner = row[0].as_u64().and_then(Player::numbered);
            let winner = winner.ok_or("`positions`: expected 0 or 1, and a move")?;
            let choice = row[1].as_u64().and_then(|to| u32::try_from(to).ok());
            solution.claim(Vertex(at), winner, choice.map(Vertex));
        }
        Ok(Box::new(Values(solution)))
    }

    fn show(&self, _property: usize, answer: &Answer) -> Shown {
        let mut shown = Shown::default();
        let Some(Values(solution)) = answer.evidence_as::<Values>() else {
            return shown;
        };
        if self.model.file.system.equations().len() <= MOST_LISTED {
            let row = |variable| {
                vec![
                    self.model.name(variable).to_owned(),
                    self.value(solution, variable).to_owned(),
                ]
            };
            let table = Table {
                heads: ["variable", "value"].map(String::from).to_vec(),
                rows: self.model.variables().map(row).collect(),
            };
            shown.push(Prominence::Detail, View::Table(table));
        }
        shown
    }

    /// The values, a line for each variable.
    fn export(&self, _property: usize, answer: &Answer, extension: &str) -> Option<Result<String, String>> {
        let Values(solution) = answer.evidence_as::<Values>()?;
        (extension == "sol").then(|| {
            let line = |variable| {
                format!(
                    "{} = {};\n",
                    self.model.name(variable),
                    self.value(solution, variable)
                )
            };
            Ok(self.model.variables().map(line).collect())
        })
    }
}
