//! A network with what is asked about it.

use crate::checker::TimedChecker;
use crate::query;
use crate::session::TimedSession;
use crate::walk::TimedWalk;
use entail_answer::Statistics;
use entail_clocks::{Formula, Network, OutOfRange, Query};
use entail_family::{
    Checker, Heading, Input, LoadError, Model, Options, ReadError, Session, Turn, Usage, Walk,
};
use entail_logic::Logic;
use entail_source::{Diagnostic, Source};
use serde_json::{Map, Value as Json};

/// A real-time model that has been read.
pub(crate) struct TimedModel {
    pub source: Source,
    pub network: Network,
    headings: Vec<Heading>,
    pub queries: Vec<Query>,
    warnings: Vec<Diagnostic>,
}

/// Reads a model, and the queries that the options name.
pub(crate) fn load(input: &Input<'_>) -> Result<Box<dyn Model>, LoadError> {
    let source = input.text()?;
    let read = entail_tchecker::read(&source).map_err(|problems| LoadError::invalid(&source, problems))?;
    let mut model = TimedModel {
        source,
        network: read.network,
        headings: Vec::new(),
        queries: Vec::new(),
        warnings: read.warnings,
    };
    if input.options.value("out-of-range") == Some("disable") {
        model.network.out_of_range = OutOfRange::Disabled;
    }
    for labels in input.options.values("reach") {
        let formulas = model.labels("reach", labels)?;
        let text = format!("E<> {}", joined(labels, " && "));
        let goal = if formulas.is_empty() {
            Formula::Constant(true)
        } else {
            Formula::And(formulas)
        };
        model.add(text, Query::Reach(goal, true));
    }
    for labels in input.options.values("liveness") {
        let mut formulas = model.labels("liveness", labels)?;
        if formulas.is_empty() {
            formulas.push(Formula::Constant(true));
        }
        let text = format!("E[]<> {}", joined(labels, ", []<> "));
        model.add(text, Query::Repeat(formulas, true));
    }
    Ok(Box::new(model))
}

fn joined(labels: &str, separator: &str) -> String {
    let names: Vec<&str> = labels
        .split(',')
        .map(str::trim)
        .filter(|name| !name.is_empty())
        .collect();
    match names.is_empty() {
        true => "true".to_owned(),
        false => names.join(separator),
    }
}

impl TimedModel {
    fn labels(&self, option: &str, labels: &str) -> Result<Vec<Formula>, LoadError> {
        query::labels(labels, &self.network).map_err(|name| {
            let known = &self.network.labels;
            let help = match known.is_empty() {
                true => "the model has none".to_owned(),
                false => format!("the model has {}", known[..known.len().min(12)].join(", ")),
            };
            Usage(format!("--{option} {labels}: there is no label `{name}`; {help}")).into()
        })
    }

    fn add(&mut self, text: String, query: Query) -> usize {
        self.headings.push(Heading::new(text, Logic::Timed, None));
        self.queries.push(query);
        self.queries.len() - 1
    }
}

impl Model for TimedModel {
    fn source(&self) -> &Source {
        &self.source
    }

    fn language(&self) -> &'static str {
        "tchecker"
    }

    fn warnings(&self) -> &[Diagnostic] {
        &self.warnings
    }

    fn properties(&self) -> &[Heading] {
        &self.headings
    }

    fn add_property(&mut self, text: &str, logic: Option<Logic>) -> Result<usize, LoadError> {
        if logic.is_some_and(|logic| logic != Logic::Timed) {
            let message =
                "properties of real-time systems are written `E<> φ`, `A[] φ`, `E[]<> φ` or `A<>[] φ`";
            return Err(Usage(message.to_owned()).into());
        }
        let written = text;
        // A saved property of several labels: each of them is to be met again and again.
        let query = match written.split_once(", []<> ") {
            Some((first, more)) if first.starts_with("E[]<> ") => {
                let all = format!("{},{}", &first["E[]<> ".len()..], more.replace(", []<> ", ","));
                Query::Repeat(self.labels("spec", &all)?, true)
            }
            _ => query::read(text, &self.network)
                .map_err(|problem| LoadError::invalid(&Source::new("formula", text), problem))?,
        };
        Ok(self.add(text.trim().to_owned(), query))
    }

    fn figures(&self) -> Statistics {
        Statistics::default()
            .with("processes", self.network.processes.len() as u64)
            .with("locations", self.network.locations.len() as u64)
            .with("edges", self.network.edges.len() as u64)
            .with("clocks", self.network.clocks.len() as u64)
            .with("integers", self.network.integers.len() as u64)
    }

    fn settings(&self, _options: &Options) -> Map<String, Json> {
        let mut map = Map::new();
        if self.network.out_of_range == OutOfRange::Disabled {
            map.insert("out_of_range".into(), "disable".into());
        }
        map
    }

    fn options_of(&self, document: &Json) -> Result<Options, ReadError> {
        let mut options = Options::default();
        if document["out_of_range"] == "disable" {
            options.give("out-of-range", "disable");
        }
        Ok(options)
    }

    fn schedule(&self, _property: usize, _options: &Options, _racing: bool) -> Vec<Turn> {
        vec![Turn::alone(
            "zones",
            None,
            "the only engine for networks of timed automata",
        )]
    }

    fn open<'m>(&'m self, options: &'m Options, _racing: bool) -> Result<Box<dyn Session + 'm>, Usage> {
        Ok(Box::new(TimedSession::new(self, options)))
    }

    fn checker<'m>(&'m self, _options: &'m Options) -> Result<Box<dyn Checker + 'm>, Usage> {
        Ok(Box::new(TimedChecker::new(self)))
    }

    fn walk<'m>(&'m self, _options: &'m Options) -> Option<Result<Box<dyn Walk + 'm>, LoadError>> {
        Some(Ok(Box::new(TimedWalk::new(self))))
    }
}
