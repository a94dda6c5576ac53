//! Models: automata with locations, composed by synchronisation vectors.

use crate::json::{Json, Node, Read};
use crate::scope::{Function, Local, Scope};
use entail_markov::digital_clocks::{Timing, digital_clocks};
use entail_markov::{
    ActionId, BinaryOp, Branch, Command, CommandKind, Component, DeadEnds, Domain, Expr, Initial, Kind,
    Network, Sort, Synchronisation, Value, VarId, Variable,
};
use entail_source::{Diagnostic, Span};
use std::collections::HashMap;

/// Values that a user gives to constants, by name.
pub type Constants = HashMap<String, Value>;

/// What edges assign to transient variables, branch by branch.
pub(crate) struct Assigned {
    pub component: usize,
    pub command: usize,
    pub branch: usize,
    pub values: Vec<(String, Expr)>,
}

/// A model with what properties need beside the network.
pub(crate) struct Lowered<'j> {
    pub network: Network,
    /// Time passes in steps of its own (clocks).
    pub timed: bool,
    pub scope: Scope<'j>,
    pub assigned: Vec<Assigned>,
    /// Transient variables with their values where nothing is assigned.
    pub defaults: HashMap<String, Expr>,
}

struct Element<'j> {
    automaton: &'j Json,
    name: String,
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
        "pta" | "ta" => (Kind::Mdp, true),
        other => return Err(json.refused(&format!("models of type `{other}` are"))),
    })
}

/// The variable for the location of an automaton, if it has several, and the locations' numbers.
type Places = (Option<VarId>, HashMap<String, i64>);

/// Declares the variables of an automaton, and one for its location.
fn declarations<'j>(lowering: &mut Lowering<'j>, element: &Element<'j>) -> Read<(Local, Places)> {
    functions(element.automaton, &mut lowering.scope)?;
    let mut local = Local::new();
    for variable in element.automaton.elements("variables")? {
        lowering.variable(variable, &element.name, &mut local)?;
    }
    let mut numbers = HashMap::new();
    for location in element.automaton.need("locations")?.list()? {
        numbers.insert(location.name()?.to_owned(), numbers.len() as i64);
    }
    let count = numbers.len() as i64;
    let var = (count > 1).then(|| {
        lowering.declare(Variable {
            name: format!("{}.location", element.name),
            domain: Domain::Range(0, count - 1),
            hidden: false,
        })
    });
    let mut starts = Vec::new();
    for start in element.automaton.need("initial-locations")?.list()? {
        let name = start.text()?;
        starts.push(
            *numbers
                .get(name)
                .ok_or_else(|| start.wrong("the name of a location"))?,
        );
    }
    if let Some(var) = var {
        match starts.as_slice() {
            [only] => lowering.initial.push((var, Some(Expr::from(*only)))),
            _ => lowering.initial.push((var, None)),
        }
    }
    Ok((local, (var, numbers)))
}

/// Lowers a model.
pub(crate) fn lower<'j>(model: &'j Json, given: &Constants) -> Read<Lowered<'j>> {
    let (kind, timed) = kind(model)?;
    let mut scope = Scope::default();
    constants(model, given, &mut scope)?;
    functions(model, &mut scope)?;
    let mut lowering = Lowering {
        kind,
        initial: Vec::new(),
        defaults: HashMap::new(),
        scope,
        timing: Timing::default(),
        written: Vec::new(),
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
    let globals: Vec<&str> = model
        .elements("variables")?
        .iter()
        .map(Json::name)
        .collect::<Read<_>>()?;
    for (at, element) in elements.iter().enumerate() {
        lowering.note_written(element.automaton, at, &globals)?;
    }
    for (at, element) in elements.iter().enumerate() {
        let mut commands = Vec::new();
        for edge in element.automaton.need("edges")?.list()? {
            let command = lowering.edge(
                edge,
                &locals[at],
                &locations[at],
                &mut network,
                (at, commands.len()),
                &mut assigned,
            )?;
            commands.push(command);
        }
        network.components.push(Component {
            name: element.name.clone(),
            commands,
        });
    }
    network.synchronisations = synchronisations(model, &elements, &mut network)?;
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
    if timed {
        network = digital_clocks(network, &lowering.timing).map_err(|error| {
            let place = error.place.unwrap_or_default();
            let problem = Diagnostic::error("jani::clocks", error.message, place, "here");
            match error.help {
                Some(help) => problem.with_help(help),
                None => problem,
            }
        })?;
    }
    Ok(Lowered {
        network,
        timed,
        scope: lowering.scope,
        assigned,
        defaults: lowering.defaults,
    })
}

fn constants(model: &Json, given: &Constants, scope: &mut Scope<'_>) -> Read<()> {
    for constant in model.elements("constants")? {
        let name = constant.name()?;
        let real = constant.get("type").and_then(|sort| sort.text().ok()) == Some("real");
        let value = match (constant.get("value"), given.get(name)) {
            (Some(value), None) => scope.constant(value, &Local::new())?,
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

fn functions<'j>(holder: &'j Json, scope: &mut Scope<'j>) -> Read<()> {
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

/// The automata that are composed, copies with names of their own.
fn elements(model: &Json) -> Read<Vec<Element<'_>>> {
    let automata = model.need("automata")?.list()?;
    let mut found: Vec<Element<'_>> = Vec::new();
    for element in model.need("system")?.need("elements")?.list()? {
        let wanted = element.need("automaton")?;
        let name = wanted.text()?;
        if !element.elements("input-enable")?.is_empty() {
            return Err(element.refused("input-enabling is"));
        }
        let mut chosen = None;
        for automaton in automata {
            if automaton.name()? == name {
                chosen = Some(automaton);
            }
        }
        let automaton = chosen.ok_or_else(|| wanted.wrong("the name of an automaton"))?;
        let copies = found
            .iter()
            .filter(|other| other.name == name || other.name.starts_with(&format!("{name}#")))
            .count();
        found.push(Element {
            automaton,
            name: if copies == 0 {
                name.to_owned()
            } else {
                format!("{name}#{copies}")
            },
        });
    }
    Ok(found)
}

struct Lowering<'j> {
    kind: Kind,
    scope: Scope<'j>,
    /// Initial values; nothing: any value.
    initial: Vec<(VarId, Option<Expr>)>,
    defaults: HashMap<String, Expr>,
    timing: Timing,
    /// Global names that edges with actions assign: the name, the component, the index of the assignment.
    written: Vec<(String, usize, i64)>,
}

impl Lowering<'_> {
    fn declare(&mut self, variable: Variable) -> VarId {
        let var = VarId(self.scope.variables.len() as u32);
        self.scope.names.insert(variable.name.clone(), var);
        self.scope.variables.push(variable);
        var
    }

    fn variable(&mut self, json: &Json, owner: &str, local: &mut Local) -> Read<()> {
        let name = json.name()?;
        let sort = json.need("type")?;
        let (domain, real) = match &sort.node {
            Node::Text(text) => match text.as_str() {
                "bool" => (Domain::Bool, false),
                "int" => (Domain::Unbounded, false),
                "real" => (Domain::Unbounded, true),
                "clock" => {
                    self.timing.clocks.push(VarId(self.scope.variables.len() as u32));
                    (Domain::Unbounded, false)
                }
                other => return Err(sort.refused(&format!("variables of type `{other}` are"))),
            },
            _ if sort.get("kind").and_then(|kind| kind.text().ok()) == Some("bounded") => {
                let bound = |side: &str| -> Read<Option<i64>> {
                    let Some(json) = sort.get(side) else {
                        return Ok(None);
                    };
                    match self.scope.constant(json, local)? {
                        Value::Int(number) => Ok(Some(number)),
                        _ => Err(json.wrong("an integer")),
                    }
                };
                let real = sort.need("base")?.text()? == "real";
                match (bound("lower-bound")?, bound("upper-bound")?) {
                    (Some(low), Some(high)) if low <= high => (Domain::Range(low, high), real),
                    (Some(_), Some(_)) => return Err(sort.wrong("a range that is not empty")),
                    _ => (Domain::Unbounded, real),
                }
            }
            _ => return Err(sort.refused("arrays and datatypes are")),
        };
        let transient = json
            .get("transient")
            .is_some_and(|json| json.node == Node::Bool(true));
        let initial = match json.get("initial-value") {
            Some(value) => Some(self.scope.expr(value, local)?),
            None => None,
        };
        if transient {
            let default = initial.unwrap_or_else(|| match domain {
                Domain::Bool => Expr::from(false),
                _ => Expr::from(0),
            });
            self.defaults.insert(name.to_owned(), default.clone());
            self.scope.transients.insert(name.to_owned(), default);
            return Ok(());
        }
        if real {
            return Err(json.refused("real variables that are not transient are"));
        }
        let full = if owner.is_empty() || !self.scope.names.contains_key(name) {
            name.to_owned()
        } else {
            format!("{owner}.{name}")
        };
        let var = self.declare(Variable {
            name: full,
            domain,
            hidden: false,
        });
        if !owner.is_empty() {
            local.insert(name.to_owned(), Expr::Var(var));
        }
        let clock = self.timing.clocks.last() == Some(&var);
        self.initial.push((
            var,
            if clock {
                Some(initial.unwrap_or_else(|| Expr::from(0)))
            } else {
                initial
            },
        ));
        Ok(())
    }

    fn edge(
        &self,
        edge: &Json,
        local: &Local,
        (location, numbers): &Places,
        network: &mut Network,
        (component, position): (usize, usize),
        assigned: &mut Vec<Assigned>,
    ) -> Read<Command> {
        let place = |name: &Json| -> Read<i64> {
            let found = numbers.get(name.text()?);
            found.copied().ok_or_else(|| name.wrong("the name of a location"))
        };
        let mut guard = match location {
            Some(var) => Expr::binary(
                BinaryOp::Eq,
                Expr::Var(*var),
                Expr::from(place(edge.need("location")?)?),
            ),
            None => Expr::truth(),
        };
        if let Some(written) = edge.get("guard") {
            guard = guard.and(self.scope.expr_of(written.need("exp")?, local, Sort::Bool)?);
        }
        let rate = match edge.get("rate") {
            Some(rate) => Some(self.scope.expr_of(rate.need("exp")?, local, Sort::Real)?),
            None => None,
        };
        let kind = match (self.kind, &rate) {
            (Kind::Ctmc, _) | (Kind::Ma, Some(_)) => CommandKind::Markovian,
            (_, Some(_)) => return Err(edge.wrong("an edge without a rate in a discrete model")),
            _ => CommandKind::Probabilistic,
        };
        let action = match edge.get("action") {
            Some(action) => Some(action_id(network, action.text()?)),
            None => None,
        };
        let mut branches = Vec::new();
        for destination in edge.need("destinations")?.list()? {
            let probability = match destination.get("probability") {
                Some(probability) => self.scope.expr_of(probability.need("exp")?, local, Sort::Real)?,
                None => Expr::from(1),
            };
            let weight = match &rate {
                Some(rate) => Expr::binary(BinaryOp::Mul, rate.clone(), probability),
                None => probability,
            };
            let joint = edge.get("action").is_some().then_some(component);
            let (mut assignments, values) = self.assignments(destination, local, joint)?;
            if let Some(var) = location {
                assignments.push((*var, Expr::from(place(destination.need("location")?)?)));
            }
            if !values.is_empty() {
                assigned.push(Assigned {
                    component,
                    command: position,
                    branch: branches.len(),
                    values,
                });
            }
            branches.push(Branch {
                weight,
                upper: None,
                assignments,
                rewards: Vec::new(),
                place: destination.head(),
            });
        }
        Ok(Command {
            action,
            kind,
            guard,
            branches,
            place: edge.head(),
        })
    }

    /// Notes which global names the edges of a component assign in steps that others may take part in.
    fn note_written(&mut self, automaton: &Json, component: usize, globals: &[&str]) -> Read<()> {
        for edge in automaton.need("edges")?.list()? {
            if edge.get("action").is_none() {
                continue;
            }
            for destination in edge.need("destinations")?.list()? {
                for assignment in destination.elements("assignments")? {
                    let Node::Text(name) = &assignment.need("ref")?.node else {
                        continue;
                    };
                    if globals.contains(&name.as_str()) {
                        self.written.push((name.clone(), component, index_of(assignment)));
                    }
                }
            }
        }
        Ok(())
    }

    /// Refuses a value that reads what another component assigns earlier in the same step.
    fn refuse_handed_over(&self, assignment: &Json, component: usize) -> Read<()> {
        let value = assignment.need("value")?;
        let index = index_of(assignment);
        let handed = |(name, writer, earlier): &&(String, usize, i64)| {
            *writer != component && *earlier < index && mentions(value, name)
        };
        match self.written.iter().find(handed) {
            None => Ok(()),
            Some((name, ..)) => Err(value.refused(&format!(
                "values that one automaton hands to another within a step (`{name}`) are"
            ))),
        }
    }

    /// Assignments in the order of their indices: later ones see what earlier ones assigned.
    #[allow(clippy::type_complexity)]
    fn assignments(
        &self,
        destination: &Json,
        local: &Local,
        component: Option<usize>,
    ) -> Read<(Vec<(VarId, Expr)>, Vec<(String, Expr)>)> {
        let mut ordered: Vec<(i64, &Json)> = Vec::new();
        for assignment in destination.elements("assignments")? {
            if let Some(component) = component {
                self.refuse_handed_over(assignment, component)?;
            }
            ordered.push((index_of(assignment), assignment));
        }
        ordered.sort_by_key(|(index, _)| *index);
        let mut done: Vec<(VarId, Expr)> = Vec::new();
        let mut transients: Vec<(String, Expr)> = Vec::new();
        let mut pending: Vec<(VarId, Expr)> = Vec::new();
        let mut current = ordered.first().map_or(0, |(index, _)| *index);
        // Transient variables that were assigned earlier have these values.
        let mut local = local.clone();
        for (index, assignment) in ordered {
            if index != current {
                merge(&mut done, std::mem::take(&mut pending));
                local.extend(transients.iter().cloned());
                current = index;
            }
            let value = self.scope.expr(assignment.need("value")?, &local)?;
            let before = &done;
            let value = value.substitute(&|var| {
                let known = before.iter().find(|(other, _)| *other == var);
                known.map(|(_, expr)| expr.clone())
            });
            let target = assignment.need("ref")?;
            let Node::Text(name) = &target.node else {
                return Err(target.refused("assignments to elements of arrays are"));
            };
            if self.defaults.contains_key(name) {
                transients.retain(|(known, _)| known != name);
                transients.push((name.clone(), value));
                continue;
            }
            let var = match local.get(name) {
                Some(Expr::Var(var)) => *var,
                _ => *self
                    .scope
                    .names
                    .get(name)
                    .ok_or_else(|| target.wrong("a variable"))?,
            };
            pending.push((var, value));
        }
        merge(&mut done, pending);
        Ok((done, transients))
    }
}

/// The index of an assignment: those with smaller ones come first.
fn index_of(assignment: &Json) -> i64 {
    match assignment.get("index").map(|index| &index.node) {
        Some(Node::Number(text)) => text.parse().unwrap_or(0),
        _ => 0,
    }
}

/// Whether a name stands in an expression.
fn mentions(json: &Json, name: &str) -> bool {
    let mut waiting = vec![json];
    while let Some(json) = waiting.pop() {
        match &json.node {
            Node::Text(text) if text == name => return true,
            Node::Object(members) => waiting.extend(members.iter().map(|(_, value)| value)),
            Node::List(elements) => waiting.extend(elements),
            _ => {}
        }
    }
    false
}

fn merge(done: &mut Vec<(VarId, Expr)>, pending: Vec<(VarId, Expr)>) {
    for (var, expr) in pending {
        done.retain(|(other, _)| *other != var);
        done.push((var, expr));
    }
}

fn action_id(network: &mut Network, name: &str) -> ActionId {
    let known = network.actions.iter().position(|known| known == name);
    let at = known.unwrap_or_else(|| {
        network.actions.push(name.to_owned());
        network.actions.len() - 1
    });
    ActionId(at as u32)
}

/// Transient variables have their default value except in locations that say otherwise.
fn transients(
    lowering: &mut Lowering<'_>,
    elements: &[Element<'_>],
    locals: &[Local],
    locations: &[Places],
) -> Read<()> {
    for (at, element) in elements.iter().enumerate() {
        let (var, numbers) = &locations[at];
        for location in element.automaton.need("locations")?.list()? {
            let here = numbers[location.name()?];
            for value in location.elements("transient-values")? {
                let name = value.need("ref")?.text()?;
                let expr = lowering.scope.expr(value.need("value")?, &locals[at])?;
                let Some(otherwise) = lowering.scope.transients.get(name).cloned() else {
                    return Err(value.wrong("a transient variable"));
                };
                let merged = match var {
                    Some(var) => {
                        let condition = Expr::binary(BinaryOp::Eq, Expr::Var(*var), Expr::from(here));
                        Expr::choose(condition, expr, otherwise)
                    }
                    None => expr,
                };
                lowering.scope.transients.insert(name.to_owned(), merged);
            }
        }
    }
    Ok(())
}

/// Conditions under which time may pass, by location.
fn invariants(
    lowering: &mut Lowering<'_>,
    elements: &[Element<'_>],
    locals: &[Local],
    locations: &[Places],
) -> Read<()> {
    for (at, element) in elements.iter().enumerate() {
        let (var, numbers) = &locations[at];
        for location in element.automaton.need("locations")?.list()? {
            let Some(condition) = location.get("time-progress") else {
                continue;
            };
            let expr = lowering
                .scope
                .expr_of(condition.need("exp")?, &locals[at], Sort::Bool)?;
            let elsewhere = match var {
                Some(var) => {
                    let here = Expr::from(numbers[location.name()?]);
                    Expr::binary(BinaryOp::Ne, Expr::Var(*var), here)
                }
                None => Expr::from(false),
            };
            lowering
                .timing
                .invariants
                .push((elsewhere.or(expr), condition.head()));
        }
    }
    Ok(())
}

fn synchronisations(
    model: &Json,
    elements: &[Element<'_>],
    network: &mut Network,
) -> Read<Vec<Synchronisation>> {
    let mut found = Vec::new();
    let Some(syncs) = model.need("system")?.get("syncs") else {
        // Without vectors every automaton acts for itself.
        for (at, component) in network.components.iter().enumerate() {
            let mut seen = Vec::new();
            for action in component.commands.iter().filter_map(|command| command.action) {
                if !seen.contains(&action) {
                    seen.push(action);
                    found.push(Synchronisation {
                        parts: vec![(at, action)],
                        action: Some(action),
                    });
                }
            }
        }
        return Ok(found);
    };
    for sync in syncs.list()? {
        let names = sync.need("synchronise")?.list()?;
        if names.len() != elements.len() {
            return Err(sync.wrong("one action for each element of the system"));
        }
        let mut parts = Vec::new();
        for (at, name) in names.iter().enumerate() {
            if name.node != Node::Null {
                parts.push((at, action_id(network, name.text()?)));
            }
        }
        let action = match sync.get("result") {
            Some(result) if result.node != Node::Null => Some(action_id(network, result.text()?)),
            _ => None,
        };
        found.push(Synchronisation { parts, action });
    }
    Ok(found)
}

fn initial(
    model: &Json,
    lowering: &Lowering<'_>,
    elements: &[Element<'_>],
    locals: &[Local],
    locations: &[Places],
) -> Read<Initial> {
    let mut predicate = Expr::truth();
    let mut restrict = |holder: &Json, local: &Local| -> Read<()> {
        if let Some(restriction) = holder.get("restrict-initial") {
            let expr = lowering
                .scope
                .expr_of(restriction.need("exp")?, local, Sort::Bool)?;
            predicate = std::mem::replace(&mut predicate, Expr::truth()).and(expr);
        }
        Ok(())
    };
    restrict(model, &Local::new())?;
    for (element, local) in elements.iter().zip(locals) {
        restrict(element.automaton, local)?;
    }
    let mut values = vec![None; lowering.scope.variables.len()];
    for (var, value) in &lowering.initial {
        if let Some(value) = value {
            let stored = value.constant().and_then(Value::stored);
            let stored = stored.ok_or_else(|| model.wrong("a constant initial value"))?;
            let variable = &lowering.scope.variables[var.index()];
            if !variable.domain.contains(stored) {
                let message = format!("{} cannot begin with {stored}", variable.name);
                return Err(Diagnostic::error(
                    "jani::range",
                    message,
                    Span::new(0, 0),
                    "in this model",
                ));
            }
            values[var.index()] = Some(stored);
        }
    }
    if predicate == Expr::truth()
        && let Some(values) = values.iter().copied().collect::<Option<Vec<i64>>>()
    {
        return Ok(Initial::Values(values));
    }
    for (at, value) in values.iter().enumerate() {
        if let Some(value) = value {
            let value = match lowering.scope.variables[at].domain {
                Domain::Bool => Expr::from(*value != 0),
                _ => Expr::from(*value),
            };
            predicate = predicate.and(Expr::binary(BinaryOp::Eq, Expr::Var(VarId(at as u32)), value));
        }
    }
    for (element, (var, numbers)) in elements.iter().zip(locations) {
        let starts = element.automaton.need("initial-locations")?.list()?;
        if let (Some(var), true) = (var, starts.len() > 1) {
            let mut any = Expr::from(false);
            for start in starts {
                any = any.or(Expr::binary(
                    BinaryOp::Eq,
                    Expr::Var(*var),
                    Expr::from(numbers[start.text()?]),
                ));
            }
            predicate = predicate.and(any);
        }
    }
    Ok(Initial::Predicate(predicate, Span::new(0, 0)))
}
