//! Reading models.

use crate::constants::{self, Given};
use crate::experiment::{Experiment, Run};
use crate::explicit_models;
use crate::functions::{self, OpenModel, Opened};
use crate::instances::Together;
use crate::model::{Origin, StochasticModel};
use crate::region::RegionModel;
use crate::region_text;
use entail_family::{Input, LoadError, Model, Usage};
use entail_markov::parametric::Parametric;
use entail_markov::{Event, Expr, Timed, Value, largest_constants};
use entail_prism::{Constants, ModelFile};
use entail_source::{Diagnostic, Source, Span, decode, decode_lossy};
use std::path::{Path, PathBuf};

/// Reads a model, and the properties files that the options name; one for every combination of values where constants have several.
pub(crate) fn load(input: &Input<'_>) -> Result<Box<dyn Model>, LoadError> {
    let source = match input.language.name {
        // An archive is no text; the model's own source is the archive's index.
        "umb" => Source::new(input.name, ""),
        // Comments may have any bytes.
        "prism" => input.lossy_text(),
        _ => input.text()?,
    };
    if input.options.has("partition") && !input.options.has("region") {
        return Err(Usage("--partition divides a region: give one with --region".to_owned()).into());
    }
    let given = constants::given(input.options)?;
    let mut combinations = constants::combinations(&given)?;
    if let Some(text) = input.options.value("region") {
        return load_region(input, &source, combinations, text);
    }
    if let Some(parameters) = input.options.value("parametric") {
        let [constants] = &combinations[..] else {
            return Err(Usage("--parametric goes with one value for each other constant".to_owned()).into());
        };
        return load_open(input, &source, constants, parameters);
    }
    if combinations.len() == 1 {
        let constants = combinations.pop().unwrap_or_default();
        return Ok(Box::new(load_one(input, &source, constants)?));
    }
    let varying: Vec<&Given> = given.iter().filter(|given| given.values.len() > 1).collect();
    let mut runs = Vec::with_capacity(combinations.len());
    for constants in combinations {
        let value = |given: &&Given| {
            let value = &constants[&given.name];
            let number = value.number().map(|number| entail_markov::to_float(&number));
            (given.name.clone(), shown(value), number)
        };
        runs.push(Run {
            constants: varying.iter().map(value).collect(),
            model: load_one(input, &source, constants)?,
        });
    }
    Ok(Box::new(Together(Experiment { runs })))
}

/// Reads a model with constants that are left open.
fn load_region(
    input: &Input<'_>,
    source: &Source,
    combinations: Vec<Constants>,
    text: &str,
) -> Result<Box<dyn Model>, LoadError> {
    let refuse = |message: &str| Err(Usage(message.to_owned()).into());
    if input.options.has("parametric") {
        return refuse("--region and --parametric exclude each other");
    }
    let [constants] = &combinations[..] else {
        return refuse("--region goes with one value for each other constant");
    };
    let text_of_model = ModelText::read(input, source, "--region")?;
    let bounds = region_text::read(text, &|name| text_of_model.no_parameter(name))?;
    is_open(constants, &bounds.parameters, "--region")?;
    let model = opened(input, source, (text_of_model, constants), bounds.parameters)?;
    Ok(Box::new(Together(RegionModel {
        model,
        region: bounds.region,
        text: text.to_owned(),
    })))
}

/// Parameters have no values.
fn is_open(constants: &Constants, parameters: &[String], option: &str) -> Result<(), LoadError> {
    match parameters.iter().find(|name| constants.contains_key(*name)) {
        Some(name) => Err(Usage(format!("--const and {option} both say what {name} is")).into()),
        None => Ok(()),
    }
}

/// A model's text, of which constants can be left open.
enum ModelText {
    Prism(Box<ModelFile>),
    Jani,
}

impl ModelText {
    fn read(input: &Input<'_>, source: &Source, option: &str) -> Result<ModelText, LoadError> {
        match input.language.name {
            "prism" => {
                let file = entail_prism::read_model(source.text());
                let file = file.map_err(|problem| LoadError::invalid(source, problem))?;
                Ok(ModelText::Prism(Box::new(file)))
            }
            "jani" => Ok(ModelText::Jani),
            _ => Err(Usage(format!("{option} is for models in PRISM's language and in JANI")).into()),
        }
    }

    /// Why a name is no parameter, if it is none. What a text in JANI declares is seen when it is read.
    fn no_parameter(&self, name: &str) -> Option<String> {
        match self {
            ModelText::Prism(file) => file.no_parameter(name),
            ModelText::Jani => None,
        }
    }
}

/// A model with constants that are left open.
fn opened(
    input: &Input<'_>,
    source: &Source,
    (text, constants): (ModelText, &Constants),
    parameters: Vec<String>,
) -> Result<StochasticModel, LoadError> {
    let invalid = |problem| LoadError::invalid(source, problem);
    let mut warnings = Vec::new();
    let mut inside = Vec::new();
    let (network, origin) = match text {
        ModelText::Prism(file) => {
            let built = entail_prism::build_open(&file, constants, &parameters).map_err(invalid)?;
            if built.timed.is_some() {
                let message = "parameters in models with clocks are not supported";
                return Err(Usage(message.to_owned()).into());
            }
            warnings = built.warnings;
            (built.network, Origin::Prism(file))
        }
        ModelText::Jani => {
            let read = entail_jani::read_open(source.text(), constants, &parameters).map_err(invalid)?;
            if read.timed.is_some() {
                let message = "parameters in models with clocks are not supported";
                return Err(Usage(message.to_owned()).into());
            }
            inside = read.properties;
            let mut declared = read.network.clone();
            let variables = declared.variables.len() - parameters.len();
            declared.variables.truncate(variables);
            let names = explicit_models::declarations_of_some(&declared)?;
            (read.network, Origin::Explicit("jani", Box::new(names)))
        }
    };
    if let Err(error) = Parametric::new(network.clone(), parameters.len()) {
        let place = error.place.unwrap_or(Span::new(0, 0));
        let mut problem = Diagnostic::error(STRANGE_PLACE, error.message, place, "here");
        problem.help = error.help;
        return Err(invalid(problem));
    }
    let mut model = StochasticModel::new(source.clone(), network, constants.clone(), origin);
    model.warnings = warnings;
    model.parameters = parameters;
    for property in inside {
        model.add_read(property);
    }
    with_properties(input, &mut model)?;
    Ok(model)
}

/// The code of the error that a parameter stands elsewhere than in weights and rewards.
const STRANGE_PLACE: &str = "region::place";

/// Reads a model for functions of parameters. A single one may also decide what happens: then the model is read with each of many values for it.
fn load_open(
    input: &Input<'_>,
    source: &Source,
    constants: &Constants,
    text: &str,
) -> Result<Box<dyn Model>, LoadError> {
    let text_of_model = ModelText::read(input, source, "--parametric")?;
    let parameters = region_text::names(text, &|name| text_of_model.no_parameter(name))?;
    is_open(constants, &parameters, "--parametric")?;
    let opened = match opened(input, source, (text_of_model, constants), parameters.clone()) {
        Ok(model) => Opened::Inside(Box::new(model)),
        Err(LoadError::Invalid { diagnostics, .. })
            if parameters.len() == 1 && diagnostics.0.iter().any(|problem| problem.code == STRANGE_PLACE) =>
        {
            let instance = |value| {
                let mut constants = constants.clone();
                constants.insert(parameters[0].clone(), Value::Real(value));
                load_one(input, source, constants)
            };
            Opened::Instances(
                functions::places()
                    .into_iter()
                    .map(instance)
                    .collect::<Result<_, _>>()?,
            )
        }
        Err(error) => return Err(error),
    };
    Ok(Box::new(Together(OpenModel {
        opened,
        parameters,
        text: text.to_owned(),
    })))
}

/// A value as people write it: decimals where they are short.
fn shown(value: &Value) -> String {
    let decimal = value
        .number()
        .map(|number| entail_markov::to_float(&number).to_string());
    match decimal {
        Some(decimal) if entail_markov::decimal(&decimal) == value.number() => decimal,
        _ => value.to_string(),
    }
}

fn load_one(input: &Input<'_>, source: &Source, constants: Constants) -> Result<StochasticModel, LoadError> {
    let invalid = |problem| LoadError::invalid(source, problem);
    let mut model = match input.language.name {
        "drn" | "tra" | "umb" => explicit_models::load(input, source, constants)?,
        "jani" => {
            let read = entail_jani::read(source.text(), &constants).map_err(invalid)?;
            // JANI has no syntax for questions about clocks outside of models.
            let origin = match read.timed.is_some() {
                true => Origin::Jani,
                false => {
                    let names = explicit_models::declarations_of_some(&read.network)?;
                    Origin::Explicit("jani", Box::new(names))
                }
            };
            let mut model = StochasticModel::new(source.clone(), read.network, constants, origin);
            with_clocks(source, &mut model, read.timed, read.refusal)?;
            for property in read.properties {
                model.add_read(property);
            }
            model
        }
        _ => {
            let file = entail_prism::read_model(source.text()).map_err(invalid)?;
            let built = entail_prism::build(&file, &constants).map_err(invalid)?;
            let mut model = StochasticModel::new(
                source.clone(),
                built.network,
                constants,
                Origin::Prism(Box::new(file)),
            );
            model.warnings = built.warnings;
            with_clocks(source, &mut model, built.timed, built.refusal)?;
            model
        }
    };
    with_properties(input, &mut model)?;
    Ok(model)
}

/// Keeps the network with its clocks. Where integers do not do for them, it must be one that zones and regions can read.
fn with_clocks(
    source: &Source,
    model: &mut StochasticModel,
    timed: Option<Timed>,
    refusal: Option<Diagnostic>,
) -> Result<(), LoadError> {
    let Some(timed) = timed else {
        return Ok(());
    };
    if let Some(refusal) = refusal {
        let nothing = Event::Reach(Expr::truth(), Expr::from(false));
        if largest_constants(&timed, &nothing).is_err() {
            return Err(LoadError::invalid(source, refusal));
        }
        model.refusal = Some(refusal.message);
    }
    model.timed = Some(timed);
    Ok(())
}

/// Adds the properties of files.
fn with_properties(input: &Input<'_>, model: &mut StochasticModel) -> Result<(), LoadError> {
    // PRISM's own collections keep the properties of `m.pm` in `m.pm.props`: names declared there can be used in --spec.
    if input.options.values("properties").is_empty() && input.language.name == "prism" {
        let mut beside = input.path.as_os_str().to_owned();
        beside.push(".props");
        if let Ok(bytes) = std::fs::read(Path::new(&beside))
            && let Ok(text) = decode(bytes)
            && let Ok(file) = entail_prism::read_properties(&text)
        {
            model.know_names(file);
        }
    }
    for path in input.options.values("properties") {
        let bytes = std::fs::read(path).map_err(|error| LoadError::Unreadable {
            path: PathBuf::from(path),
            reason: error.to_string(),
        })?;
        model.add_file(&Source::new(path, decode_lossy(bytes)))?;
    }
    Ok(())
}

pub(crate) fn read_text(path: &Path) -> Result<String, LoadError> {
    let unreadable = |reason: String| LoadError::Unreadable {
        path: path.to_owned(),
        reason,
    };
    let bytes = std::fs::read(path).map_err(|error| unreadable(error.to_string()))?;
    decode(bytes).map_err(|error| unreadable(error.to_string()))
}
