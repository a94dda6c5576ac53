//! Judging solutions of games, and writing and reading them.

use crate::drawing::{drawing, print_dot};
use crate::model::GameModel;
use entail_answer::{Answer, CheckReport, Evidence, Verdict};
use entail_budget::Budget;
use entail_family::{Checker, Claim, ReadError};
use entail_game::{Player, Solution, Vertex};
use entail_games_checker::parity;
use entail_pgsolver::{looks_like_solution, print_solution, read_solution};
use entail_show::{Prominence, Shown, Table, View};
use entail_source::Source;
use serde_json::{Map, Value as Json, json};

/// A solution of the whole game.
#[derive(Clone, Debug)]
pub(crate) struct Solved(pub Solution);

impl Evidence for Solved {
    fn kind(&self) -> &'static str {
        "solution"
    }
}

/// Regions and strategies of games with more vertices are not listed in reports.
const MOST_LISTED: usize = 100;
/// Games with more vertices are not drawn.
const MOST_DRAWN: usize = 1_000;

/// Judges solutions.
pub(crate) struct GameChecker<'m> {
    model: &'m GameModel,
    /// The solution that was judged last, and what came of it: several questions are answered by one solution.
    judged: Option<(Solution, CheckReport)>,
}

impl<'m> GameChecker<'m> {
    pub fn new(model: &'m GameModel) -> GameChecker<'m> {
        GameChecker { model, judged: None }
    }
}

fn solution_of(evidence: &dyn Evidence) -> Option<&Solution> {
    evidence.data::<Solved>().map(|solved| &solved.0)
}

impl Checker for GameChecker<'_> {
    fn check(&mut self, property: usize, answer: &Answer, budget: &Budget) -> CheckReport {
        let Some(Solved(solution)) = answer.evidence_as::<Solved>() else {
            return CheckReport::rejected("there is no evidence");
        };
        let (start, claimed) = self.model.questions.claim(property, answer);
        if start.index() >= solution.len() || solution.winner(start) != Some(claimed) {
            return CheckReport::rejected("the solution says otherwise about the start vertex");
        }
        if let Some((known, report)) = &self.judged
            && known == solution
        {
            return report.clone();
        }
        let name = |v: Vertex| self.model.game.id(v).to_string();
        let report = parity::check(&self.model.game.game, solution, &name, budget);
        self.judged = Some((solution.clone(), report.clone()));
        report
    }

    fn to_json(&self, _property: usize, evidence: &dyn Evidence) -> Map<String, Json> {
        let mut map = Map::new();
        map.insert("kind".into(), evidence.kind().into());
        if let Some(solution) = solution_of(evidence) {
            for player in Player::BOTH {
                map.insert(format!("{player}_wins"), solution.count(player).into());
            }
            if solution.len() <= MOST_LISTED {
                let numbers =
                    |player| -> Vec<u64> { solution.region(player).map(|v| self.model.game.id(v)).collect() };
                map.insert("even".into(), json!(numbers(Player::Even)));
                map.insert("odd".into(), json!(numbers(Player::Odd)));
            }
        }
        map
    }

    /// The solution as PGSolver writes it: shorter than JSON would be, and the same reader reads it.
    fn to_saved_json(&self, property: usize, evidence: &dyn Evidence) -> Map<String, Json> {
        let mut map = self.to_json(property, evidence);
        if let Some(solution) = solution_of(evidence) {
            map.insert(
                "solution".into(),
                print_solution(&self.model.game, solution).into(),
            );
        }
        map
    }

    fn evidence_from_json(&self, _property: usize, document: &Json) -> Result<Box<dyn Evidence>, ReadError> {
        let text = document["evidence"]["solution"]
            .as_str()
            .ok_or("`evidence`: expected a `solution`, a text in PGSolver's format")?;
        let solution = read_solution(text.as_bytes(), &self.model.game)
            .map_err(|diagnostics| ReadError::NotEvidence(format!("`solution`: {diagnostics}")))?;
        Ok(Box::new(Solved(solution)))
    }

    fn show(&self, _property: usize, answer: &Answer) -> Shown {
        let mut shown = Shown::default();
        let Some(Solved(solution)) = answer.evidence_as::<Solved>() else {
            return shown;
        };
        let counts = Player::BOTH.map(|player| format!("{player} wins {}", solution.count(player)));
        let line = format!("{} of {} vertices", counts.join(", "), solution.len());
        shown.push(Prominence::Detail, View::Notes(vec![line]));
        if solution.len() <= MOST_LISTED {
            let rows = (0..solution.len() as u32).map(|at| {
                let vertex = Vertex(at);
                let winner = solution
                    .winner(vertex)
                    .map_or(String::new(), |winner| winner.to_string());
                let step = solution
                    .choice(vertex)
                    .map_or(String::new(), |to| self.model.vertex_name(to));
                vec![self.model.vertex_name(vertex), winner, step]
            });
            let table = Table {
                heads: ["vertex", "winner", "move"].map(String::from).to_vec(),
                rows: rows.collect(),
            };
            shown.push(Prominence::Detail, View::Table(table));
        }
        if let Ok(graph) = drawing(self.model, Some(solution), MOST_LISTED) {
            shown.push(Prominence::Report, View::Graph(graph));
        }
        shown
    }

    fn export(&self, _property: usize, answer: &Answer, extension: &str) -> Option<Result<String, String>> {
        let Solved(solution) = answer.evidence_as::<Solved>()?;
        match extension {
            "sol" => Some(Ok(print_solution(&self.model.game, solution))),
            "dot" => Some(print_dot(self.model, solution, MOST_DRAWN)),
            _ => None,
        }
    }

    fn import(&self, text: &str) -> Option<Result<Vec<Claim>, ReadError>> {
        if !looks_like_solution(text.as_bytes()) {
            return None;
        }
        let read = read_solution(text.as_bytes(), &self.model.game);
        Some(
            read.map_err(|diagnostics| placed(text, &diagnostics))
                .map(|solution| {
                    let verdict = match solution.winner(self.model.questions.start(0)) {
                        Some(Player::Even) => Verdict::Holds,
                        Some(Player::Odd) => Verdict::Fails,
                        None => Verdict::Unknown,
                    };
                    let answer = Answer::complete(verdict, Solved(solution)).boxed();
                    vec![Claim { property: 0, answer }]
                }),
        )
    }
}

/// What is wrong with a solution, with line and column.
fn placed(text: &str, diagnostics: &entail_source::Diagnostics) -> ReadError {
    let source = Source::new("solution", text);
    let lines = diagnostics.0.iter().map(|problem| {
        let place = source.place(problem.span().start);
        format!(
            "line {}, column {}: {}",
            place.line, place.column, problem.message
        )
    });
    ReadError::NotEvidence(lines.collect::<Vec<_>>().join("; "))
}
