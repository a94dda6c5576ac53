//! A network with what is asked about it.

use crate::beside;
use crate::checker::{BoundsChecker, Proof};
use crate::front;
use crate::joint_schedulers;
use crate::scheduler::Induced;
use crate::session::StochasticSession;
use crate::walk::ChainWalk;
use entail_answer::{Answer, Statistics};
use entail_budget::{Budget, Progress};
use entail_family::{
    Beside, Checker, Conclusion, Converted, Heading, LoadError, Model, ModelError, Options, Quotient,
    ReadError, Session, Survey, SurveyWish, Turn, Usage, Walk,
};
use entail_logic::Logic;
use entail_markov::parametric::Parametric;
use entail_markov::{
    Expr, Network, Property, Rational, SemanticError, Sort, Timed, TimedQuestion, VarId, observed_clocks,
};
use entail_prism::{Constants, ModelFile, PropertiesFile};
use entail_probabilistic::Trouble;
use entail_show::View;
use entail_source::{Diagnostic, Diagnostics, Source, Span};
use serde_json::{Map, Value as Json, json};
use std::any::Any;
use std::path::Path;

/// What a model was read from.
pub(crate) enum Origin {
    Prism(Box<ModelFile>),
    Jani,
    /// A file of states and transitions, in the language with this name; properties use the names of a model without commands.
    Explicit(&'static str, Box<ModelFile>),
}

/// A probabilistic model that has been read.
pub(crate) struct StochasticModel {
    source: Source,
    pub network: Network,
    constants: Constants,
    origin: Origin,
    files: Vec<PropertiesFile>,
    headings: Vec<Heading>,
    pub properties: Vec<Property>,
    /// Properties that ask about fair schedulers only, by position.
    pub fair: Vec<usize>,
    unsupported: Vec<(Heading, String)>,
    pub warnings: Vec<Diagnostic>,
    /// The network as it was written, if it has clocks; in `network` these became integers.
    pub timed: Option<Timed>,
    /// Why integers as clocks do not keep the model's probabilities, if they do not.
    pub refusal: Option<String>,
    /// The same for properties, by position.
    refusals: Vec<Option<String>>,
    /// Constants that were left open: the last variables of the network.
    pub parameters: Vec<String>,
}

impl StochasticModel {
    pub fn new(source: Source, network: Network, constants: Constants, origin: Origin) -> StochasticModel {
        StochasticModel {
            source,
            network,
            constants,
            origin,
            files: Vec::new(),
            headings: Vec::new(),
            properties: Vec::new(),
            fair: Vec::new(),
            unsupported: Vec::new(),
            warnings: Vec::new(),
            timed: None,
            refusal: None,
            refusals: Vec::new(),
            parameters: Vec::new(),
        }
    }

    /// This network and that of another model that it is compared with; nothing if there is no such relation.
    fn with<'m>(&'m self, other: &'m dyn Model, relation: &str) -> Option<Result<[&'m Network; 2], String>> {
        if relation != beside::RELATION {
            return None;
        }
        let other = other
            .as_any()
            .and_then(|other| other.downcast_ref::<StochasticModel>());
        Some(match other {
            Some(other) => Ok([&self.network, &other.network]),
            None => Err("the two are not of the same kind".to_owned()),
        })
    }

    /// The model at a point: the parameters have these values, in properties, too.
    pub fn at(&self, parametric: &Parametric, point: &[Rational]) -> StochasticModel {
        let mut properties = self.properties.clone();
        let value = |variable: VarId| Some(Expr::from(point[parametric.parameter(variable)?].clone()));
        for property in &mut properties {
            property.for_each_expression(&mut |expr| *expr = expr.substitute(&value));
        }
        StochasticModel {
            source: self.source.clone(),
            network: parametric.at(point),
            constants: self.constants.clone(),
            // Nothing is asked of it that was not asked before.
            origin: Origin::Jani,
            files: Vec::new(),
            headings: self.headings.clone(),
            properties,
            fair: self.fair.clone(),
            unsupported: Vec::new(),
            warnings: Vec::new(),
            // Parameters are for models without clocks.
            timed: None,
            refusal: None,
            refusals: self.refusals.clone(),
            parameters: Vec::new(),
        }
    }

    /// Adds a property that was read with the model.
    pub fn add_read(&mut self, property: entail_jani::JaniProperty) {
        let heading = Heading {
            name: Some(property.name),
            text: property.text,
            logic: Logic::Probabilistic,
            place: Some(property.place),
        };
        let meaning = property.meaning.and_then(|meaning| {
            let refusal = property.refusal.map(|error| error.message);
            self.admit(&meaning, refusal)?;
            Ok(meaning)
        });
        match meaning {
            Ok(meaning) => {
                self.headings.push(heading);
                self.properties.push(meaning);
            }
            Err(reason) => self.unsupported.push((
                Heading {
                    logic: Logic::Unsupported,
                    ..heading
                },
                reason,
            )),
        }
    }

    /// Names that properties may use although the file's own properties are not asked.
    pub fn know_names(&mut self, file: PropertiesFile) {
        self.files.push(file);
    }

    /// Adds the properties of a file.
    pub fn add_file(&mut self, source: &Source) -> Result<(), LoadError> {
        let file = entail_prism::read_properties(source.text())
            .map_err(|problem| LoadError::invalid(source, problem))?;
        let places = file.places();
        let mut mistakes = Vec::new();
        for (position, place) in places.iter().enumerate() {
            match self.add_one(source, &file, position) {
                Ok(_) => {}
                Err(LoadError::Invalid { diagnostics, .. }) => mistakes.push((place, diagnostics)),
                Err(other) => return Err(other),
            }
        }
        self.files.push(file);
        // A mistake in one property does not prevent the others; in all of them, the file is wrong.
        if !mistakes.is_empty() && mistakes.len() == places.len() {
            let all = mistakes.into_iter().flat_map(|(_, diagnostics)| diagnostics.0);
            return Err(LoadError::invalid(source, Diagnostics(all.collect())));
        }
        for (place, diagnostics) in mistakes {
            let heading = Heading {
                name: place.name.clone(),
                text: one_line(source.slice(place.span)),
                logic: Logic::Unsupported,
                place: None,
            };
            self.unsupported.push((heading, told(source, &diagnostics)));
        }
        Ok(())
    }

    /// An expression for a number, in PRISM's language.
    pub fn number(&self, text: &str) -> Result<Expr, LoadError> {
        let (Origin::Prism(model) | Origin::Explicit(_, model)) = &self.origin else {
            let message = "expressions are for PRISM models: JANI has no syntax for them outside of models";
            return Err(Usage(message.to_owned()).into());
        };
        let source = Source::new("--importance", text);
        let wrong = |problem: Diagnostic| LoadError::invalid(&source, problem);
        let file = entail_prism::read_properties(text).map_err(wrong)?;
        let others: Vec<&PropertiesFile> = self.files.iter().collect();
        let number = match file.places().len() {
            1 => {
                entail_prism::lower_property(model, &self.network, &self.constants, &others, &file, 0)
                    .map_err(wrong)?
                    .0
            }
            _ => return Err(Usage("--importance: one expression is needed".to_owned()).into()),
        };
        match number {
            Property::Expr(expr) if self.network.sort(&expr).is_ok_and(|sort| sort != Sort::Bool) => Ok(expr),
            _ => Err(Usage("--importance: an expression for a number is needed".to_owned()).into()),
        }
    }

    /// Notes why whole times do not keep the value of a property, if they do not; refuses one that nothing else decides.
    fn admit(&mut self, property: &Property, refusal: Option<String>) -> Result<(), String> {
        if let Some(refusal) = refusal.as_ref().or(self.refusal.as_ref()) {
            let asked = self.real_time_question(property);
            asked.map_err(|error| match &self.refusal {
                // What is wrong with the property is said first where that is the matter.
                Some(_) => format!(
                    "{}, and whole times do not do for this model: {refusal}",
                    error.message
                ),
                None => refusal.clone(),
            })?;
        }
        self.refusals.push(refusal);
        Ok(())
    }

    /// The question that a property is in real time.
    pub fn real_time_question(&self, property: &Property) -> Result<TimedQuestion, SemanticError> {
        let Some(timed) = &self.timed else {
            return Err(SemanticError::new(
                "the model has no clocks",
                Span::default(),
                None,
            ));
        };
        let is_time = |structure: usize| observed_clocks::counts_time(&self.network, structure);
        let question = timed.question(property, &is_time)?;
        // What the property says about clocks must have a meaning, too.
        entail_markov::largest_constants(&question.timed, &question.event)?;
        Ok(question)
    }

    /// Why integers as clocks do not keep the value of a property, if they do not.
    pub fn refusal_of(&self, property: usize) -> Option<&str> {
        let own = self.refusals.get(property).and_then(Option::as_ref);
        own.or(self.refusal.as_ref()).map(String::as_str)
    }

    /// An error where something is done with the model's states in which clocks are integers, and that is not what they are.
    fn in_whole_times(&self, what: &str) -> Result<(), String> {
        match &self.refusal {
            Some(reason) => Err(format!("{what} with clocks as integers, and {reason}")),
            None => Ok(()),
        }
    }

    fn add_one(
        &mut self,
        source: &Source,
        file: &PropertiesFile,
        position: usize,
    ) -> Result<usize, LoadError> {
        let (Origin::Prism(model) | Origin::Explicit(_, model)) = &self.origin else {
            let message = "a JANI model with clocks has its properties inside, and answers no others";
            return Err(Usage(message.to_owned()).into());
        };
        let place = file.places().swap_remove(position);
        let others: Vec<&PropertiesFile> = self.files.iter().collect();
        // Only texts in PRISM's language declare parameters.
        let parameters = match self.origin {
            Origin::Prism(_) => self.parameters.as_slice(),
            _ => &[],
        };
        let constants = (&self.constants, parameters);
        let lowered =
            entail_prism::lower_property_open(model, &self.network, constants, &others, file, position);
        let (property, extra) = lowered.map_err(|problem| LoadError::invalid(source, problem))?;
        self.network.rewards.extend(extra);
        let clocks = self.timed.as_ref().map_or(&[][..], |timed| &timed.timing.clocks);
        let observed = observed_clocks::observe(&mut self.network, clocks, &property).err();
        let help = observed.as_ref().and_then(|error| error.help.clone());
        let refusal = observed.map(|error| error.message);
        self.admit(&property, refusal).map_err(|reason| {
            let mut problem = Diagnostic::error("prism::clocks", reason, place.span, "in this property");
            problem.help = help;
            LoadError::invalid(source, problem)
        })?;
        self.headings.push(Heading {
            name: place.name,
            text: one_line(source.slice(place.span)),
            logic: Logic::Probabilistic,
            place: None,
        });
        self.properties.push(property);
        Ok(self.headings.len() - 1)
    }
}

/// A text with single spaces.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Mistakes with their places, in one line.
fn told(source: &Source, diagnostics: &Diagnostics) -> String {
    let one = |problem: &Diagnostic| {
        let (file, problem) = problem.in_file(source);
        let place = file.place(problem.span().start);
        let help = problem
            .help
            .as_ref()
            .map_or(String::new(), |help| format!(" ({help})"));
        format!(
            "{}:{}:{}: {}{help}",
            file.name(),
            place.line,
            place.column,
            problem.message
        )
    };
    let all: Vec<String> = diagnostics.0.iter().map(one).collect();
    all.join("; ")
}

/// A property without the mark `[fair]` or `[nofair]` behind it, and whether it asks about fair schedulers only.
fn without_mark(text: &str) -> (&str, bool) {
    for (mark, fair) in [("[fair]", true), ("[nofair]", false)] {
        if let Some(rest) = text.trim_end().strip_suffix(mark)
            && rest.trim_end().ends_with(']')
        {
            return (rest.trim_end(), fair);
        }
    }
    (text, false)
}

/// An error of the model for people.
pub(crate) fn model_error(error: SemanticError) -> ModelError {
    ModelError {
        message: error.to_string(),
        place: error.place,
        timeline: None,
        help: error.help,
    }
}

impl Model for StochasticModel {
    fn source(&self) -> &Source {
        &self.source
    }

    fn language(&self) -> &'static str {
        match self.origin {
            Origin::Prism(_) => "prism",
            Origin::Jani => "jani",
            Origin::Explicit(language, _) => language,
        }
    }

    fn warnings(&self) -> &[Diagnostic] {
        &self.warnings
    }

    fn properties(&self) -> &[Heading] {
        &self.headings
    }

    fn unsupported(&self) -> Vec<(Heading, String)> {
        self.unsupported.clone()
    }

    fn add_property(&mut self, text: &str, logic: Option<Logic>) -> Result<usize, LoadError> {
        if logic.is_some_and(|logic| logic != Logic::Probabilistic) {
            return Err(Usage(
                "properties of probabilistic systems are written in PRISM's language".to_owned(),
            )
            .into());
        }
        let (text, fair) = without_mark(text);
        let source = Source::new("formula", text);
        let file =
            entail_prism::read_properties(text).map_err(|problem| LoadError::invalid(&source, problem))?;
        if file.places().len() != 1 {
            let message = format!("one property is needed, and there are {}", file.places().len());
            let problem = Diagnostic::error("prism::property", message, Span::new(0, text.len()), "here");
            return Err(LoadError::invalid(&source, problem));
        }
        let at = self.add_one(&source, &file, 0)?;
        if fair {
            self.fair.push(at);
            // Saved evidence is judged by what its text asks.
            self.headings[at].text += " [fair]";
        }
        Ok(at)
    }

    fn figures(&self) -> Statistics {
        Statistics::default()
            .with("variables", self.network.variables.len() as u64)
            .with("components", self.network.components.len() as u64)
    }

    fn settings(&self, options: &Options) -> Map<String, Json> {
        let mut map = Map::new();
        map.insert("model_kind".into(), self.network.kind.name().into());
        if options.has("fair") {
            map.insert("fair".into(), true.into());
        }
        if let Some(parameter) = options.value("parametric") {
            map.insert("parameter".into(), parameter.into());
        }
        if let Some(region) = options.value("region") {
            map.insert("region".into(), region.into());
        }
        let constants = options.parts("const");
        if !constants.is_empty() {
            map.insert("constants".into(), json!(constants));
        }
        map
    }

    fn options_of(&self, document: &Json) -> Result<Options, ReadError> {
        let mut options = Options::default();
        if document["fair"] == true {
            options.give("fair", "");
        }
        if let Some(parameter) = document["parameter"].as_str() {
            options.give("parametric", parameter);
        }
        if let Some(region) = document["region"].as_str() {
            options.give("region", region);
        }
        for constant in document["constants"].as_array().into_iter().flatten() {
            options.give(
                "const",
                constant.as_str().ok_or("`constants`: texts are expected")?,
            );
        }
        Ok(options)
    }

    fn schedule(&self, _property: usize, _options: &Options, _racing: bool) -> Vec<Turn> {
        vec![Turn::alone(
            "adaptive",
            None,
            "explicit states with sound bounds; parts or diagrams where these are too many",
        )]
    }

    fn survey_wish(&self, options: &Options) -> SurveyWish {
        match options.has("samples") {
            true => SurveyWish::Instead,
            false => SurveyWish::None,
        }
    }

    fn survey(
        &self,
        options: &Options,
        budget: &Budget,
        _progress: &dyn Progress,
    ) -> Option<Result<Survey, ModelError>> {
        let found = crate::runs::survey(self, options, budget);
        Some(found.map_err(|trouble| match trouble {
            Trouble::Model(error) => model_error(error),
            other => ModelError {
                message: other.to_string(),
                place: None,
                timeline: None,
                help: None,
            },
        }))
    }

    fn open<'m>(&'m self, options: &'m Options, _racing: bool) -> Result<Box<dyn Session + 'm>, Usage> {
        Ok(Box::new(StochasticSession::new(self, options)?))
    }

    fn checker<'m>(&'m self, options: &'m Options) -> Result<Box<dyn Checker + 'm>, Usage> {
        let threads = crate::session::threads(options)?;
        Ok(Box::new(BoundsChecker::new(self, options.has("fair"), threads)))
    }

    fn check_options(&self, properties: &[usize], options: &Options) -> Result<(), LoadError> {
        let help = "give a constant a range, such as --const N=1:5";
        if options.has("results") {
            return Err(Usage(format!("--results is for experiments: {help}")).into());
        }
        let front = |&at: &usize| matches!(self.properties[at], Property::Multi(_));
        if options.has("plot") && !properties.iter().any(front) {
            let message = format!("--plot is for experiments and for multi(…): {help}");
            return Err(Usage(message).into());
        }
        if options.has("scheduler") && properties.len() != 1 {
            let message = "--scheduler is for one property: name it with --property or --spec";
            return Err(Usage(message.to_owned()).into());
        }
        Ok(())
    }

    fn conclude(
        &self,
        answers: &[(usize, &Answer)],
        options: &Options,
    ) -> Option<Result<Conclusion, String>> {
        if let Some(path) = options.value("plot") {
            let drawn = |(at, answer): &(usize, &Answer)| {
                front::chart(&self.properties[*at], &self.headings[*at], answer)
            };
            return Some(match answers.iter().find_map(drawn) {
                Some(chart) => Ok(Conclusion {
                    pictures: vec![(path.into(), View::Chart(chart))],
                    ..Conclusion::default()
                }),
                None => Err(format!("--plot {path}: no property has a front to be drawn")),
            });
        }
        let path = Path::new(options.value("scheduler")?);
        let (asked, answer) = answers.first()?;
        let proof = answer.evidence_as::<Proof>();
        let asked = &self.properties[*asked];
        if let (Property::Multi(_) | Property::Lexicographic(_), Some(proof)) = (asked, proof) {
            let text = joint_schedulers::text(&self.network, asked, &proof.certificate, path);
            return Some(text.map(|text| Conclusion {
                files: vec![(path.to_owned(), text)],
                ..Conclusion::default()
            }));
        }
        let strategy = proof.and_then(|proof| proof.scheduler.as_ref());
        let Some(strategy) = strategy else {
            let message = format!("no scheduler was found: {} was not written", path.display());
            return Some(Err(message));
        };
        let text = Induced::new(&self.network, strategy).and_then(|induced| induced.text(path));
        Some(text.map(|text| Conclusion {
            files: vec![(path.to_owned(), text)],
            ..Conclusion::default()
        }))
    }

    fn formats(&self) -> &'static [&'static str] {
        &["jani", "drn", "umb", "tra", "sta", "lab", "srew"]
    }

    fn write(&self, extension: &str, _options: &Options) -> Option<Result<Converted, String>> {
        if let Err(reason) = self.in_whole_times("models are written") {
            return Some(Err(reason));
        }
        let budget = Budget::unlimited();
        match extension {
            "drn" => Some(crate::drn::write(&self.network, &budget)),
            "jani" => Some(entail_jani::write(&self.network, "model").map(Converted::whole)),
            "umb" => Some(crate::umb::write(&self.network, &budget)),
            _ => crate::explicit_files::write(&self.network, extension, &budget),
        }
    }

    fn quotient(
        &self,
        extension: &str,
        _options: &Options,
        budget: &Budget,
    ) -> Option<Result<Quotient, String>> {
        if let Err(reason) = self.in_whole_times("states are put together") {
            return Some(Err(reason));
        }
        let known = extension != "jani" && self.formats().contains(&extension);
        known.then(|| crate::quotient::minimised(&self.network, extension, budget))
    }

    fn as_any(&self) -> Option<&dyn Any> {
        Some(self)
    }

    fn beside(&self, other: &dyn Model, relation: &str, budget: &Budget) -> Option<Result<Beside, String>> {
        let networks = self.with(other, relation)?;
        Some(networks.and_then(|networks| beside::compared(networks, budget)))
    }

    fn beside_again(
        &self,
        other: &dyn Model,
        relation: &str,
        evidence: &Json,
        budget: &Budget,
    ) -> Option<Result<Beside, String>> {
        let networks = self.with(other, relation)?;
        Some(networks.and_then(|networks| beside::judged_again(networks, evidence, budget)))
    }

    fn walk<'m>(&'m self, _options: &'m Options) -> Option<Result<Box<dyn Walk + 'm>, LoadError>> {
        if let Err(reason) = self.in_whole_times("walks are made") {
            return Some(Err(Usage(reason).into()));
        }
        Some(Ok(Box::new(ChainWalk::new(&self.network))))
    }
}
