//! An automaton with the formulas that are asked about its words.

use crate::checker::{WordChecker, WordEvidence};
use entail_answer::{Answer, Statistics, Verdict};
use entail_automata::algebra::product::intersection;
use entail_automata::alternating::Alternating;
use entail_automata::formats::{hoa_reader, never_claim};
use entail_automata::ltl::syntax::parse_any;
use entail_automata::{AutomataError, Automaton, Translation, translate};
use entail_budget::{Budget, Progress};
use entail_family::{Checker, Heading, Input, LoadError, Model, ModelError, Options, Session, Turn, Usage};
use entail_logic::{Formula, Logic};
use entail_source::{Diagnostic, Source, Span};

/// A set of words that has been read.
pub struct WordModel {
    source: Source,
    language: &'static str,
    pub(crate) automaton: Automaton,
    headings: Vec<Heading>,
    pub(crate) formulas: Vec<Formula<String>>,
}

/// Reads an automaton, or a formula whose words are meant.
pub(crate) fn load(input: &Input<'_>) -> Result<Box<dyn Model>, LoadError> {
    let source = input.text()?;
    let automaton = match input.language.name {
        "ltl" => {
            let formula = parse_any(source.text().trim())
                .map_err(|diagnostics| LoadError::invalid(&source, diagnostics))?;
            translate(&formula, Translation::default(), input.budget)
        }
        _ => read_automaton(&source)?.remove_alternation(input.budget),
    };
    let automaton = automaton.map_err(|error| refused(&source, error))?;
    Ok(Box::new(WordModel {
        source,
        language: input.language.name,
        automaton,
        headings: Vec::new(),
        formulas: Vec::new(),
    }))
}

fn read_automaton(source: &Source) -> Result<Alternating, LoadError> {
    let text = source.text();
    let read = match text.trim_start().starts_with("never") {
        true => never_claim::read_never_claim(text).map(|claim| Alternating::from(&claim)),
        false => hoa_reader::read_alternating(text),
    };
    read.map_err(|diagnostics| LoadError::invalid(source, diagnostics))
}

fn refused(source: &Source, error: AutomataError) -> LoadError {
    match error {
        AutomataError::Spent(spent) => LoadError::Spent(spent),
        other => {
            let whole = Span::new(0, source.text().len());
            let problem = Diagnostic::error("words::refused", other.to_string(), whole, "in this file");
            LoadError::invalid(source, problem)
        }
    }
}

impl Model for WordModel {
    fn source(&self) -> &Source {
        &self.source
    }

    fn language(&self) -> &'static str {
        self.language
    }

    fn properties(&self) -> &[Heading] {
        &self.headings
    }

    fn add_property(&mut self, text: &str, logic: Option<Logic>) -> Result<usize, LoadError> {
        if let Some(other) = logic.filter(|logic| *logic != Logic::Ltl) {
            return Err(Usage(format!("properties of words are written in LTL, not in {other}")).into());
        }
        let source = Source::new("formula", text);
        let formula = parse_any(text).map_err(|diagnostics| LoadError::invalid(&source, diagnostics))?;
        self.formulas.push(formula);
        self.headings.push(Heading {
            name: None,
            text: text.to_owned(),
            logic: Logic::Ltl,
            place: None,
        });
        Ok(self.headings.len() - 1)
    }

    fn figures(&self) -> Statistics {
        Statistics::default()
            .with("states", self.automaton.state_count() as u64)
            .with("edges", self.automaton.edge_count() as u64)
    }

    fn schedule(&self, _property: usize, _options: &Options, _racing: bool) -> Vec<Turn> {
        vec![Turn::alone("automata", None, "words are accepted by automata")]
    }

    fn open<'m>(&'m self, _options: &'m Options, _racing: bool) -> Result<Box<dyn Session + 'm>, Usage> {
        Ok(Box::new(WordSession { model: self }))
    }

    fn checker<'m>(&'m self, _options: &'m Options) -> Result<Box<dyn Checker + 'm>, Usage> {
        Ok(Box::new(WordChecker { model: self }))
    }
}

struct WordSession<'m> {
    model: &'m WordModel,
}

impl WordSession<'_> {
    fn decide(&self, property: usize, budget: &Budget) -> Result<Answer, AutomataError> {
        let violation = self.model.formulas[property].not();
        let violating = translate(&violation, Translation::default(), budget)?;
        let product = intersection(&self.model.automaton, &violating)?.0;
        let mut answer = match product.accepted_word() {
            Some(word) => Answer::complete(Verdict::Fails, WordEvidence::word(&word)),
            None => {
                let states = product.state_count() as u64;
                Answer::complete(Verdict::Holds, WordEvidence::Exhaustive { states })
            }
        };
        answer
            .statistics
            .set_count("states", product.state_count() as u64);
        Ok(answer.boxed())
    }
}

impl Session for WordSession<'_> {
    fn check(
        &mut self,
        _engine: &str,
        property: usize,
        budget: &Budget,
        _progress: &dyn Progress,
    ) -> Result<Answer, ModelError> {
        let decided = self.decide(property, budget);
        Ok(decided.unwrap_or_else(|error| Answer::unknown(error.to_string())))
    }
}
