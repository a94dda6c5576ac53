//! Questions about a game: from which vertex does Even win?

use entail_family::{Heading, LoadError, Usage};
use entail_game::Vertex;
use entail_logic::Logic;
use entail_source::{Diagnostic, Source, Span};

/// How a question about a vertex begins when it is written out.
const WINS: &str = "even wins from vertex ";
/// How a question about a variable of an equation system begins.
const IS_TRUE: &str = "the solution has true for ";

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
