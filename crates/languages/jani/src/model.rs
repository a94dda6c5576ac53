//! Models: automata with locations, composed by synchronisation vectors.

use crate::composition::{elements, hands_over, in_all_ways, synchronisations, taken_together};
use crate::edges::{Assigned, Part};
use crate::json::{Json, Read};
use crate::locations::{Places, declarations, invariants, transients};
use crate::scope::{Function, Local, Scope};
use crate::variables::{Lowering, initial};
use entail_markov::digital_clocks::{Timing, digital_clocks};
use entail_markov::{
    Component, DeadEnds, Domain, Expr, Initial, Kind, Network, Rational, SemanticError, Sort, Timed, Value,
    VarId, Variable,
};
use entail_source::Diagnostic;
use std::collections::HashMap;

/// Values that a user gives to constants, by name.
pub type Constants = HashMap<String, Value>;

/// A model with what properties need beside the network.
pub(crate) struct Lowered<'j> {
    pub network: Network,
    /// Time passes in steps of its own (clocks).
    pub timed: bool,
    /// The network with its clocks as they were written.
    pub real: Option<Timed>,
    /// Why whole times do not keep probabilities, if they do not.
    pub refusal: Option<Diagnostic>,
    pub scope: Scope<'j>,
    pub assigned: Vec<Assigned>,
    /// Transient variables with their values where nothing is assigned.
    pub defaults: Local,
}

fn kind(model: &Json) -> Read<(Kind, bool)> {
    let json = model.need("type")?;
    Ok(match json.text()? {
        "dtmc" => (Kind::Dtmc, false),
        "ctmc" => (Kind::Ctmc, false),
        "mdp" | "lts" => (Kind::Mdp, false),
        "ma" => (Kind::Ma, false),
        "ctmdp" => (Kind::Ma, false),
        // Clocks become integers, and the model a decision process.
        // So do those of a stochastic automaton, whose samples are refused unless they are finite distributions.
        "pta" | "ta" | "sta" => (Kind::Mdp, true),
        other => return Err(json.refused(&format!("models of type `{other}` are"))),
    })
}

/// Lowers a model with constants left open. They are variables behind all others: how many there are is found out with values for them.
pub(crate) fn lower_open<'j>(model: &'j Json, given: &Constants, parameters: &[String]) -> Read<Lowered<'j>> {
    let mut open = Open::default();
    if !parameters.is_empty() {
        let mut some = given.clone();
        for name in parameters {
            can_be_open(model, name)?;
            let half = Rational::ONE / Rational::from(2u8);
            some.insert(name.clone(), Value::Real(half));
        }
        let tried = lower(model, &some, &open)?;
        if tried.timed {
            return Err(model.refused("parameters in models with clocks are"));
        }
        open = Open {
            names: parameters,
            first: tried.network.variables.len() as u32,
        };
    }
    lower(model, given, &open)
}

/// Parameters are constants of type real without a value.
fn can_be_open(model: &Json, name: &str) -> Read<()> {
    let wrong = |message: String, at: &Json| {
        Err(Diagnostic::error(
            "jani::parameter",
            message,
            at.head(),
            "no parameter",
        ))
    };
    for constant in model.elements("constants")? {
        if constant.name()? != name {
            continue;
        }
        return match constant.get("type").and_then(|sort| sort.text().ok()) {
            _ if constant.get("value").is_some() => {
                wrong(format!("the constant {name} has a value in the model"), constant)
            }
            Some("real") => Ok(()),
            _ => wrong(
                format!("a parameter is a constant of type real, and {name} is none"),
                constant,
            ),
        };
    }
    wrong(format!("the model has no constant {name}"), model)
}

/// Constants that are left open, and the number that the first one has as a variable.
#[derive(Default)]
struct Open<'p> {
    names: &'p [String],
    first: u32,
}

impl Open<'_> {
    fn variable(&self, name: &str) -> Option<VarId> {
        let at = self.names.iter().position(|own| own == name)?;
        Some(VarId(self.first + at as u32))
    }
}

fn lower<'j>(model: &'j Json, given: &Constants, open: &Open<'_>) -> Read<Lowered<'j>> {
    let (kind, timed) = kind(model)?;
    let mut scope = Scope::default();
    constants(model, given, open, &mut scope)?;
    functions(model, &mut scope)?;
    for datatype in model.elements("datatypes")? {
        scope.datatypes.insert(datatype.name()?.to_owned(), datatype);
    }
    let mut lowering = Lowering {
        kind,
        initial: Vec::new(),
        defaults: Local::new(),
        scope,
        timing: Timing::default(),
        parameters: open.names.len(),
    };
    for variable in model.elements("variables")? {
        lowering.variable(variable, "", &mut Local::new())?;
    }
    let elements = elements(model)?;
    let mut locals = Vec::new();
    let mut locations: Vec<Places> = Vec::new();
    for element in &elements {
        let (local, places) = declarations(&mut lowering, element)?;
        locals.push(local);
        locations.push(places);
    }
    transients(&mut lowering, &elements, &locals, &locations)?;
    invariants(&mut lowering, &elements, &locals, &locations)?;
    for name in open.names {
        let var = VarId(lowering.scope.variables.len() as u32);
        lowering.scope.variables.push(Variable {
            name: name.clone(),
            domain: Domain::Unbounded,
            hidden: true,
        });
        lowering.initial.push((var, Some(Expr::from(0))));
    }
    let mut network = Network {
        kind,
        variables: lowering.scope.variables.clone(),
        components: Vec::new(),
        actions: Vec::new(),
        synchronisations: Vec::new(),
        initial: Initial::Values(Vec::new()),
        labels: Vec::new(),
        rewards: Vec::new(),
        dead_ends: DeadEnds::Stay,
    };
    let mut assigned = Vec::new();
    // While edges are lowered, each variable has a second name, for its value before the step.
    let count = lowering.scope.variables.len();
    lowering.scope.variables.extend_from_within(..);
    let part = |at: usize, edge| Part {
        edge,
        local: &locals[at],
        places: &locations[at],
    };
    for (at, element) in elements.iter().enumerate() {
        let mut commands = Vec::new();
        for edge in element.automaton.need("edges")?.list()? {
            lowering.commands(&[part(at, edge)], &mut network, at, &mut commands, &mut assigned)?;
        }
        network.components.push(Component {
            name: element.name.clone(),
            commands,
        });
    }
    network.synchronisations = synchronisations(model, &elements, &mut network)?;
    // Where values are handed over within a step, the edges that are taken together become commands of a component of their own.
    let globals = model.elements("variables")?.iter().map(Json::name);
    let globals: Vec<&str> = globals.collect::<Read<_>>()?;
    for at in 0..network.synchronisations.len() {
        let parts = network.synchronisations[at].parts.clone();
        let edges = taken_together(&elements, &parts, &network)?;
        if !hands_over(&edges, &globals)? {
            continue;
        }
        let component = network.components.len();
        let mut commands = Vec::new();
        for joint in in_all_ways(&edges) {
            let joint = parts.iter().zip(joint).map(|(&(at, _), edge)| part(at, edge));
            let joint: Vec<Part<'_>> = joint.collect();
            lowering.commands(&joint, &mut network, component, &mut commands, &mut assigned)?;
        }
        let names: Vec<&str> = (parts.iter())
            .map(|&(at, _)| network.components[at].name.as_str())
            .collect();
        network.components.push(Component {
            name: names.join("|"),
            commands,
        });
        // Joint commands have the action of their first edge.
        network.synchronisations[at].parts = vec![(component, parts[0].1)];
    }
    lowering.scope.variables.truncate(count);
    network.initial = initial(model, &lowering, &elements, &locals, &locations)?;
    for (name, expr) in &lowering.scope.transients {
        if lowering.scope.sort(expr, model)? == Sort::Bool {
            network.labels.push((name.clone(), expr.clone()));
        }
    }
    network.labels.sort_by(|a, b| a.0.cmp(&b.0));
    let has_timing = !lowering.timing.clocks.is_empty() || !lowering.timing.invariants.is_empty();
    if has_timing && !timed {
        return Err(model
            .need("type")?
            .wrong("a timed type, for a model with clocks or time-progress conditions,"));
    }
    let (mut real, mut refusal) = (None, None);
    if timed {
        let diagnostic = |error: SemanticError| {
            let place = error.place.unwrap_or_default();
            let problem = Diagnostic::error("jani::clocks", error.message, place, "here");
            match error.help {
                Some(help) => problem.with_help(help),
                None => problem,
            }
        };
        let as_written = network.clone();
        let digital = digital_clocks(network, &lowering.timing).map_err(diagnostic)?;
        (network, refusal) = (digital.network, digital.refusal.map(diagnostic));
        real = Some(Timed {
            network: as_written,
            timing: lowering.timing,
        });
    }
    Ok(Lowered {
        network,
        timed,
        real,
        refusal,
        scope: lowering.scope,
        assigned,
        defaults: lowering.defaults,
    })
}

fn constants(model: &Json, given: &Constants, open: &Open<'_>, scope: &mut Scope<'_>) -> Read<()> {
    for constant in model.elements("constants")? {
        let name = constant.name()?;
        let real = constant.get("type").and_then(|sort| sort.text().ok()) == Some("real");
        if let Some(parameter) = open.variable(name) {
            scope.constants.insert(name.to_owned(), Expr::Var(parameter));
            continue;
        }
        let value = match (constant.get("value"), given.get(name)) {
            (Some(value), None) => {
                let expr = scope.expr(value, &Local::new())?;
                let mut depends = false;
                expr.for_each_variable(&mut |_| depends = true);
                // Computed from what is left open.
                if depends {
                    scope.constants.insert(name.to_owned(), expr);
                    continue;
                }
                scope.constant(value, &Local::new())?
            }
            (None, Some(value)) => value.clone(),
            (Some(_), Some(_)) => {
                let message =
                    format!("the constant {name} has a value in the model and cannot be given another");
                return Err(Diagnostic::error(
                    "jani::constant",
                    message,
                    constant.head(),
                    "defined here",
                ));
            }
            (None, None) => {
                let message = format!("the constant {name} has no value");
                let problem = Diagnostic::error("jani::constant", message, constant.head(), "declared here");
                return Err(problem.with_help(format!("give one with --const {name}=…")));
            }
        };
        let value = match (real, value) {
            (true, Value::Int(number)) => Value::Real(number.into()),
            (_, value) => value,
        };
        scope.constants.insert(name.to_owned(), Expr::Value(value));
    }
    Ok(())
}

/// Notes the functions of a model or an automaton.
pub(crate) fn functions<'j>(holder: &'j Json, scope: &mut Scope<'j>) -> Read<()> {
    for function in holder.elements("functions")? {
        let mut parameters = Vec::new();
        for parameter in function.elements("parameters")? {
            parameters.push(parameter.name()?.to_owned());
        }
        let body = function.need("body")?;
        scope
            .functions
            .insert(function.name()?.to_owned(), Function { parameters, body });
    }
    Ok(())
}
