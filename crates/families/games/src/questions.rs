//! Questions about a game: from which vertex does Even win?

use entail_answer::{Answer, Verdict};
use entail_family::{Heading, LoadError, Usage};
use entail_game::{Player, Vertex};
use entail_logic::Logic;
use entail_source::{Diagnostic, Source, Span};

/// How a question about a vertex begins when it is written out.
const WINS: &str = "even wins from vertex ";
/// How a question about a variable of an equation system begins.
const IS_TRUE: &str = "the solution has true for ";

/// Who wins if this is the answer.
pub(crate) fn claimed(verdict: Verdict) -> Player {
    match verdict {
        Verdict::Holds => Player::Even,
        _ => Player::Odd,
    }
}

/// The questions that are asked about one game, in one logic.
pub(crate) struct Questions {
    /// How each begins.
    asks: &'static str,
    logic: Logic,
    headings: Vec<Heading>,
    starts: Vec<Vertex>,
}

impl Questions {
    /// No question yet, about vertices.
    pub fn new(logic: Logic) -> Questions {
        Questions::beginning(WINS, logic)
    }

    /// No question yet, about variables, which have the numbers of vertices.
    pub fn about_variables(logic: Logic) -> Questions {
        Questions::beginning(IS_TRUE, logic)
    }

    fn beginning(asks: &'static str, logic: Logic) -> Questions {
        Questions {
            asks,
            logic,
            headings: Vec::new(),
            starts: Vec::new(),
        }
    }

    /// Asks about a vertex; `named` is what the file calls it, with whatever else belongs into the question.
    pub fn ask(&mut self, vertex: Vertex, named: &str) -> usize {
        self.headings.push(Heading {
            name: None,
            text: format!("{}{named}", self.asks),
            logic: self.logic,
            place: None,
        });
        self.starts.push(vertex);
        self.headings.len() - 1
    }

    /// The questions as properties.
    pub fn headings(&self) -> &[Heading] {
        &self.headings
    }

    /// The vertex that a question is about.
    pub fn start(&self, property: usize) -> Vertex {
        self.starts[property]
    }

    /// The vertex that a question is about, and who wins from there if this is the answer.
    pub fn claim(&self, property: usize, answer: &Answer) -> (Vertex, Player) {
        (self.start(property), claimed(answer.verdict))
    }

    /// The vertex of a question that is a name, perhaps with what is asked of it after a colon.
    pub fn read_named(
        &self,
        text: &str,
        logic: Option<Logic>,
        vertex: impl FnOnce(&str) -> Option<Vertex>,
    ) -> Result<Vertex, LoadError> {
        self.read(text, logic, |asked| {
            vertex(asked.split(':').next().unwrap_or(asked).trim())
        })
    }

    /// The vertex that a question of the user names, found by `vertex`.
    pub fn read(
        &self,
        text: &str,
        logic: Option<Logic>,
        vertex: impl FnOnce(&str) -> Option<Vertex>,
    ) -> Result<Vertex, LoadError> {
        if let Some(other) = logic.filter(|logic| *logic != self.logic) {
            let message = format!("a question here is a vertex or a variable, not a formula of {other}");
            return Err(Usage(message).into());
        }
        let asked = text.trim();
        vertex(asked.strip_prefix(self.asks).unwrap_or(asked)).ok_or_else(|| {
            let whole = Span::new(0, text.len());
            let problem = Diagnostic::error("games::vertex", "there is no such vertex or variable", whole, "here")
                .with_help("ask with a vertex as the file calls it (does even win from there?) or a variable (is it true?)");
            LoadError::invalid(&Source::new("question", text), problem)
        })
    }
}
