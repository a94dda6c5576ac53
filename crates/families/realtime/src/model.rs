//! A network with what is asked about it.

use crate::beside;
use crate::checker::TimedChecker;
use crate::divergent;
use crate::energy::{self, Bounds};
use crate::fastest;
use crate::linear;
use crate::nested;
use crate::pictures;
use crate::query;
use crate::session::TimedSession;
use crate::statistical;
use crate::walk::TimedWalk;
use entail_answer::{Answer, Statistics};
use entail_budget::Budget;
use entail_clocks::pairs::TimedRelation;
use entail_clocks::{Clock, Formula, Network, OutOfRange, Query};
use entail_family::{
    Beside, Checker, Conclusion, Converted, Heading, Input, LoadError, Model, Options, ReadError, Session,
    Turn, Usage, Walk,
};
use entail_logic::Logic;
use entail_source::{Diagnostic, Source, Span};
use entail_uppaal::Translation;
use entail_uppaal_tree::{Property, PropertyKind};
use serde_json::{Map, Value as Json};
use std::any::Any;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A real-time model that has been read.
pub(crate) struct TimedModel {
    pub source: Source,
    pub network: Network,
    headings: Vec<Heading>,
    pub queries: Vec<Query>,
    warnings: Vec<Diagnostic>,
    /// The syntax tree, where the model is UPPAAL's.
    pub uppaal: Option<Uppaal>,
}

/// A network as the options want it.
pub(crate) struct Setting {
    pub network: Network,
    optimal: Option<Optimal>,
    /// The bounds of what runs accumulate, where that is asked.
    energy: Option<Bounds>,
    /// Whether only runs count in which time diverges.
    divergent: bool,
}

/// `--optimal`: what the run to what `E<>` looks for is to have as little of as possible.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Optimal {
    Time,
    Cost,
    Ratio,
}

impl Optimal {
    fn of(options: &Options) -> Option<Optimal> {
        match options.value("optimal") {
            Some("time") => Some(Optimal::Time),
            Some("cost") => Some(Optimal::Cost),
            Some("ratio") => Some(Optimal::Ratio),
            _ => None,
        }
    }
}

impl Setting {
    /// A query as the options want it; the error says why it cannot be asked so.
    pub fn asked<'q>(&self, query: &'q Query) -> Result<Cow<'q, Query>, String> {
        match (&self.energy, self.divergent) {
            (Some(bounds), _) => bounds.asked(query),
            (None, true) => divergent::asked(query),
            (None, false) => Ok(Cow::Borrowed(query)),
        }
    }

    /// The network that a query is about: games against time have a clock that nothing sets, nested questions one for each interval, and beside questions about single runs stands what reads them.
    pub fn network_for(&self, query: &Query) -> Cow<'_, Network> {
        match query {
            Query::Soonest(game) if game.clock >= self.network.dimension() => {
                let mut network = self.network.clone();
                fastest::add_clock(&mut network);
                Cow::Owned(network)
            }
            Query::Branching(asked) => {
                let mut network = self.network.clone();
                let needed = asked.clocks.iter().max().copied().unwrap_or(0);
                while network.clocks.len() < needed {
                    let name = format!("interval {}", network.clocks.len());
                    network.clocks.push(Clock { name });
                }
                Cow::Owned(network)
            }
            Query::Linear(asked) => Cow::Owned(asked.observed(&self.network)),
            _ => Cow::Borrowed(&self.network),
        }
    }

    /// The question how soon or at what cost what a query looks for can be reached, where that is asked.
    pub fn optimal(&self, query: &Query) -> Option<Query> {
        match (self.optimal?, query) {
            (Optimal::Time, query) => fastest::query(&self.network, query),
            (Optimal::Cost, Query::Reach(condition, true)) => Some(Query::Cheapest(condition.clone())),
            // `E[] φ` stays within one condition from the beginning on.
            (Optimal::Ratio, Query::Stay(formulas, true)) if formulas.len() == 1 => {
                Some(Query::LongRun(formulas[0].clone()))
            }
            (Optimal::Cost | Optimal::Ratio, _) => None,
        }
    }
}

/// `--out-of-range disable`
fn disables(options: &Options) -> bool {
    options.value("out-of-range") == Some("disable")
}

/// What is kept of a UPPAAL model.
pub(crate) struct Uppaal {
    pub tree: entail_uppaal_tree::Model,
    /// The queries as they were read, in the order of the model's.
    pub properties: Vec<Property>,
    /// For queries that are made of several conditions: each of them as it is written, nothing for one about the clocks of intervals.
    pub conditions: BTreeMap<usize, Vec<Option<PropertyKind>>>,
}

impl Uppaal {
    /// The conditions of a query that is made of several.
    pub fn conditions_of(&self, property: usize) -> &[Option<PropertyKind>] {
        self.conditions.get(&property).map_or(&[], Vec::as_slice)
    }
}

/// The files of queries that were named.
fn query_files(input: &Input<'_>) -> Result<Vec<Source>, LoadError> {
    let named = ["queries", "properties"]
        .into_iter()
        .flat_map(|option| input.options.values(option));
    let mut found = Vec::new();
    for file in named {
        let unreadable = |reason: String| LoadError::Unreadable {
            path: PathBuf::from(file),
            reason,
        };
        let bytes =
            entail_source::read_file(Path::new(file)).map_err(|error| unreadable(error.to_string()))?;
        let text = String::from_utf8(bytes).map_err(|_| unreadable("it is not a text file".to_owned()))?;
        found.push(Source::new(file, text));
    }
    Ok(found)
}

/// Reads a UPPAAL model with its queries, and those of the files that the options name.
fn load_uppaal(input: &Input<'_>, source: Source) -> Result<TimedModel, LoadError> {
    let parsed = entail_uppaal::parse(&source).map_err(|problems| LoadError::invalid(&source, problems))?;
    let mut warnings = parsed.warnings;
    let mut translation = Translation::new(&parsed.model, input.name)
        .map_err(|problems| LoadError::invalid(&source, problems))?;
    let (mut headings, mut queries, mut properties) = (Vec::new(), Vec::new(), Vec::new());
    for property in parsed.properties {
        match translation.query_after(&property, &properties) {
            Ok(query) => {
                headings.push(Heading::new(
                    property.text.clone(),
                    Logic::Timed,
                    Some(property.span),
                ));
                queries.push(query);
                properties.push(property);
            }
            // A query of the file that cannot be asked, or is about something that is no longer there, does not keep the others from it.
            Err(problem) => {
                let span = problem.span();
                let message = format!("`{}` is passed over: {}", property.text, problem.message);
                warnings.push(Diagnostic::warning(problem.code, message, span, "this query"));
            }
        }
    }
    for list in query_files(input)? {
        let read = entail_uppaal::queries(&list).map_err(|problems| LoadError::invalid(&list, problems))?;
        for property in read {
            let query = translation
                .query_after(&property, &properties)
                .map_err(|problem| LoadError::invalid(&list, problem))?;
            headings.push(Heading::new(property.text.clone(), Logic::Timed, None));
            queries.push(query);
            properties.push(property);
        }
    }
    let network = translation.network().clone();
    Ok(TimedModel {
        source,
        network,
        headings,
        queries,
        warnings,
        uppaal: Some(Uppaal {
            tree: parsed.model,
            properties,
            conditions: BTreeMap::new(),
        }),
    })
}

/// A question about a UPPAAL model that is made of several conditions: a nested one, or one about single runs. With it the conditions, each as it is written.
fn composed_query(
    model: &Source,
    uppaal: &Uppaal,
    text: &str,
) -> Result<(Query, Vec<Option<PropertyKind>>), LoadError> {
    let mut translation = Translation::new(&uppaal.tree, model.name())
        .map_err(|problems| LoadError::invalid(model, problems))?;
    let clocks = translation.network().clocks.len();
    let mut kinds = Vec::new();
    let mut condition = |part: Span| {
        let (formula, kind) = condition_of(&mut translation, text, part)?;
        kinds.push(Some(kind));
        Ok(formula)
    };
    let begun = text.len() - text.trim_start().len();
    let part = Span::new(begun, begun + text.trim().len());
    let wrong = |problem: Diagnostic| LoadError::invalid(&Source::new("query", text), problem);
    if linear::is_linear(text) {
        let query = linear::read(text, part, &mut condition).map_err(wrong)?;
        return Ok((query, kinds));
    }
    let (asked, written) = nested::read(text, part, clocks, &mut condition).map_err(wrong)?;
    let mut conditions = vec![None; asked.conditions.len()];
    for (position, kind) in written.into_iter().zip(kinds) {
        conditions[position] = kind;
    }
    Ok((Query::Branching(asked), conditions))
}

/// A condition on states in a part of a text, and as it is written.
fn condition_of(
    translation: &mut Translation<'_>,
    text: &str,
    part: Span,
) -> Result<(Formula, PropertyKind), Diagnostic> {
    // Behind blanks and `E<>` the condition has its place in the text.
    let written = format!("E<>{}{}", " ".repeat(part.start), &text[part.start..part.end]);
    let moved = |problem: &Diagnostic| {
        let back = |at: usize| at.saturating_sub("E<>".len());
        let start = back(problem.span().start).clamp(part.start, part.end);
        let end = back(problem.span().end).clamp(start, part.end);
        Diagnostic::error(
            problem.code,
            problem.message.clone(),
            Span::new(start, end),
            "here",
        )
    };
    let no_condition = || Diagnostic::error("uppaal::syntax", "this is no condition", part, "here");
    let read = entail_uppaal::queries(&Source::new("query", written.clone()));
    let read = read.map_err(|problems| moved(&problems.0[0]))?;
    let [property] = read.as_slice() else {
        return Err(no_condition());
    };
    match translation.query(property) {
        Ok(Query::Reach(formula, true)) => Ok((formula, property.kind.clone())),
        Ok(_) => Err(no_condition()),
        Err(problem) => Err(moved(&problem)),
    }
}

/// Reads a model, and the queries that the options name.
pub(crate) fn load(input: &Input<'_>) -> Result<Box<dyn Model>, LoadError> {
    let source = input.text()?;
    if input.language.name == "uppaal" {
        for option in ["reach", "liveness", "out-of-range"] {
            if input.options.value(option).is_some() {
                let message = format!("--{option} is about TChecker models; UPPAAL models have queries");
                return Err(Usage(message).into());
            }
        }
        return Ok(Box::new(load_uppaal(input, source)?));
    }
    let read = entail_tchecker::read(&source).map_err(|problems| LoadError::invalid(&source, problems))?;
    let mut model = TimedModel {
        source,
        network: read.network,
        headings: Vec::new(),
        queries: Vec::new(),
        warnings: read.warnings,
        uppaal: None,
    };
    for list in query_files(input)? {
        let mut start = 0;
        for line in list.text().split_inclusive('\n') {
            let text = line.trim();
            if !text.is_empty() && !text.starts_with("//") && !text.starts_with('#') {
                let at = start + line.find(text).unwrap_or(0);
                let read = query::read(list.text(), Span::new(at, at + text.len()), &model.network);
                let query = read.map_err(|problem| LoadError::invalid(&list, problem))?;
                model.add(text.to_owned(), query);
            }
            start += line.len();
        }
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
    /// The network as the options want it.
    pub fn setting(&self, options: &Options) -> Setting {
        let mut network = self.network.clone();
        if disables(options) {
            network.out_of_range = OutOfRange::Disabled;
        }
        let optimal = Optimal::of(options);
        if optimal == Some(Optimal::Time) {
            fastest::add_clock(&mut network);
        }
        Setting {
            network,
            optimal,
            energy: Bounds::of(options),
            divergent: options.has("time-divergent"),
        }
    }

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
        match self.uppaal {
            Some(_) => "uppaal",
            None => "tchecker",
        }
    }

    fn warnings(&self) -> &[Diagnostic] {
        &self.warnings
    }

    fn properties(&self) -> &[Heading] {
        &self.headings
    }

    fn add_property(&mut self, text: &str, logic: Option<Logic>) -> Result<usize, LoadError> {
        if logic.is_some_and(|logic| !matches!(logic, Logic::Timed | Logic::Ltl)) {
            let message = "queries about real-time systems are written `E<> φ`, `A[] φ`, `E[] φ`, `A<> φ`, `φ --> ψ`, `E[]<> φ`, `A<>[] φ`, or as LTL and MITL formulas such as `G (p -> F[0,5] q)`";
            return Err(Usage(message.to_owned()).into());
        }
        if let Some(uppaal) = &mut self.uppaal {
            if nested::is_nested(text) || linear::is_linear(text) {
                let (query, conditions) = composed_query(&self.source, uppaal, text)?;
                uppaal.conditions.insert(uppaal.properties.len(), conditions);
                uppaal.properties.push(Property {
                    text: text.trim().to_owned(),
                    span: Span::default(),
                    kind: PropertyKind::Other("questions of several conditions"),
                    comment: None,
                });
                return Ok(self.add(text.trim().to_owned(), query));
            }
            let source = Source::new("query", text);
            let read =
                entail_uppaal::queries(&source).map_err(|problems| LoadError::invalid(&source, problems))?;
            let [property] = read.as_slice() else {
                let known: Vec<String> = read.iter().map(|one| format!("`{}`", one.text)).collect();
                let message = format!("one query is expected; ask one by one: {}", known.join(", "));
                return Err(Usage(message).into());
            };
            let mut translation = Translation::new(&uppaal.tree, self.source.name())
                .map_err(|problems| LoadError::invalid(&self.source, problems))?;
            let query = translation
                .query_after(property, &uppaal.properties)
                .map_err(|problem| LoadError::invalid(&source, problem))?;
            uppaal.properties.push(property.clone());
            return Ok(self.add(property.text.clone(), query));
        }
        let written = text;
        // A saved property of several labels: each of them is to be met again and again.
        let query = match written.split_once(", []<> ") {
            Some((first, more)) if first.starts_with("E[]<> ") => {
                let all = format!("{},{}", &first["E[]<> ".len()..], more.replace(", []<> ", ","));
                Query::Repeat(self.labels("spec", &all)?, true)
            }
            _ => {
                let begun = text.len() - text.trim_start().len();
                let part = Span::new(begun, begun + text.trim().len());
                query::read(text, part, &self.network)
                    .map_err(|problem| LoadError::invalid(&Source::new("formula", text), problem))?
            }
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

    fn settings(&self, options: &Options) -> Map<String, Json> {
        let mut map = Map::new();
        if disables(options) {
            map.insert("out_of_range".into(), "disable".into());
        }
        if let Some(optimal) = options.value("optimal") {
            map.insert("optimal".into(), optimal.into());
        }
        for option in ["energy", "credit"] {
            if let Some(value) = options.value(option) {
                map.insert(option.into(), value.into());
            }
        }
        if options.has("time-divergent") {
            map.insert("time_divergent".into(), true.into());
        }
        map
    }

    fn options_of(&self, document: &Json) -> Result<Options, ReadError> {
        let mut options = Options::default();
        if document["out_of_range"] == "disable" {
            options.give("out-of-range", "disable");
        }
        for optimal in ["time", "cost", "ratio"] {
            if document["optimal"] == optimal {
                options.give("optimal", optimal);
            }
        }
        for option in ["energy", "credit"] {
            if let Some(value) = document[option].as_str() {
                options.give(option, value);
            }
        }
        if document["time_divergent"] == true {
            options.give("time-divergent", "");
        }
        Ok(options)
    }

    fn schedule(&self, property: usize, _options: &Options, _racing: bool) -> Vec<Turn> {
        let (engine, because) = match self.queries[property] {
            Query::Chance(_) => (statistical::ENGINE, "random runs are asked for"),
            _ => (
                "zones",
                "the only engine that proves something about networks of timed automata",
            ),
        };
        vec![Turn::alone(engine, None, because)]
    }

    fn open<'m>(&'m self, options: &'m Options, _racing: bool) -> Result<Box<dyn Session + 'm>, Usage> {
        energy::may_open(options, self.network.has_costs()).map_err(Usage)?;
        let optimal = Optimal::of(options);
        if matches!(optimal, Some(Optimal::Cost | Optimal::Ratio)) && self.network.has_negative_costs() {
            let message = "--optimal: the model has negative costs, which only questions with --energy allow";
            return Err(Usage(message.to_owned()));
        }
        if optimal == Some(Optimal::Cost) {
            if !self.network.has_costs() {
                let message = "--optimal cost: the model has no costs (`cost' == e` in invariants, `cost += e` on edges)";
                return Err(Usage(message.to_owned()));
            }
            if self.queries.iter().any(Query::mentions_deadlock) {
                return Err(Usage("--optimal cost: `deadlock` cannot be asked for".to_owned()));
            }
        }
        Ok(Box::new(TimedSession::new(self, options)))
    }

    fn checker<'m>(&'m self, options: &'m Options) -> Result<Box<dyn Checker + 'm>, Usage> {
        Ok(Box::new(TimedChecker::new(self, options)))
    }

    fn conclude(
        &self,
        answers: &[(usize, &Answer)],
        options: &Options,
    ) -> Option<Result<Conclusion, String>> {
        pictures::conclude(self, answers, options)
    }

    fn formats(&self) -> &'static [&'static str] {
        match self.uppaal {
            Some(_) => &["tck"],
            None => &["xml"],
        }
    }

    fn write(&self, extension: &str, options: &Options) -> Option<Result<Converted, String>> {
        let network = self.setting(options).network;
        let (mut notes, written) = match (extension, &self.uppaal) {
            ("tck", Some(_)) => {
                let written = entail_tchecker::write(&network);
                (Vec::new(), written.map(|written| (written.text, written.notes)))
            }
            ("xml", None) => {
                let written = entail_uppaal::write(&network);
                (Vec::new(), written.map(|written| (written.text, written.notes)))
            }
            _ => return None,
        };
        if !self.queries.is_empty() {
            notes.push("queries are left out".to_owned());
        }
        Some(written.map(|(text, more)| Converted {
            bytes: text.into_bytes(),
            notes: [notes, more].concat(),
        }))
    }

    fn as_any(&self) -> Option<&dyn Any> {
        Some(self)
    }

    fn beside(&self, other: &dyn Model, relation: &str, budget: &Budget) -> Option<Result<Beside, String>> {
        let relation = TimedRelation::named(relation)?;
        Some(timed(other).and_then(|other| beside::compare([self, other], relation, budget)))
    }

    fn beside_again(
        &self,
        other: &dyn Model,
        relation: &str,
        evidence: &Json,
        budget: &Budget,
    ) -> Option<Result<Beside, String>> {
        let relation = TimedRelation::named(relation)?;
        Some(timed(other).and_then(|other| beside::judge([self, other], relation, evidence, budget)))
    }

    fn walk<'m>(&'m self, options: &'m Options) -> Option<Result<Box<dyn Walk + 'm>, LoadError>> {
        Some(Ok(Box::new(TimedWalk::new(self, options))))
    }
}

/// Another model of this kind.
fn timed(other: &dyn Model) -> Result<&TimedModel, String> {
    let other = other
        .as_any()
        .and_then(|other| other.downcast_ref::<TimedModel>());
    other.ok_or_else(|| "the two are not of the same kind".to_owned())
}
