//! From a syntax tree to a network: names resolved, modules copied and renamed, types checked, synchronisations listed.

use crate::ast::*;
use crate::composition::synchronisations;
use crate::expression::Parsed;
use crate::scope::{Constants, Renaming, Scope};
use entail_markov::digital_clocks::{Timing, digital_clocks};
use entail_markov::{
    ActionId, Branch, Command, CommandKind, Component, DeadEnds, Domain, Expr, Initial, Kind, Network,
    Rational, RewardStructure, SemanticError, Sort, StateReward, Timed, TransitionReward, Value, VarId,
    Variable,
};
use entail_source::{Diagnostic, Span};
use std::collections::HashMap;

/// A module after renaming: the syntax it was written in and the names that change.
struct Instance<'a> {
    name: &'a str,
    body: &'a ModuleAst,
    renaming: Renaming,
    span: Span,
}

/// What lowering a model gives: the network, and the scope for properties.
pub(crate) struct Lowered<'a> {
    pub network: Network,
    pub scope: Scope<'a>,
    /// Whether time passes in steps of its own (clocks).
    pub timed: bool,
    /// The network with its clocks as they were written, if it has a notion of time.
    pub real: Option<Timed>,
    /// Why whole times do not keep probabilities, if they do not.
    pub refusal: Option<Diagnostic>,
    pub warnings: Vec<Diagnostic>,
}

/// Lowers a model under values for its undefined constants; some, of type double, may be left open, and become variables behind all others.
pub(crate) fn lower<'a>(
    model: &'a ModelAst,
    given: &'a Constants,
    parameters: &[String],
) -> Parsed<Lowered<'a>> {
    let kind = kind(model)?;
    let timed = is_timed(model)?;
    let mut timing = Timing::default();
    let mut scope = Scope::new(given);
    for constant in &model.constants {
        scope.declare_constant(constant)?;
    }
    for formula in &model.formulas {
        scope.declare_formula(formula)?;
    }
    let instances = instances(model)?;
    let mut initial: Vec<i64> = Vec::new();
    let mut owner: HashMap<VarId, Option<usize>> = HashMap::new();
    for variable in &model.globals {
        if variable.domain == DomainAst::Clock {
            timing.clocks.push(VarId(scope.variables.len() as u32));
        }
        let (var, value) = declare(&mut scope, variable, &Renaming::new())?;
        owner.insert(var, None);
        initial.push(value);
    }
    for (at, instance) in instances.iter().enumerate() {
        for variable in &instance.body.variables {
            if variable.domain == DomainAst::Clock {
                timing.clocks.push(VarId(scope.variables.len() as u32));
            }
            let (var, value) = declare(&mut scope, variable, &instance.renaming)?;
            owner.insert(var, Some(at));
            initial.push(value);
        }
    }
    for parameter in parameters {
        scope.declare_parameter(parameter, Span::new(0, 0))?;
        initial.push(0);
    }
    let mut network = Network {
        kind,
        variables: scope.variables.clone(),
        components: Vec::new(),
        actions: Vec::new(),
        synchronisations: Vec::new(),
        initial: Initial::Values(initial),
        labels: Vec::new(),
        rewards: Vec::new(),
        dead_ends: DeadEnds::Stay,
    };
    for (at, instance) in instances.iter().enumerate() {
        let mut commands = Vec::new();
        for command in &instance.body.commands {
            commands.push(lower_command(
                &scope,
                &mut network,
                instance,
                at,
                &owner,
                command,
            )?);
        }
        network.components.push(Component {
            name: instance.name.to_owned(),
            commands,
        });
    }
    network.synchronisations = synchronisations(&mut network, model.system.as_ref())?;
    describe_states(&mut network, model, &scope)?;
    for rewards in &model.rewards {
        let structure = lower_rewards(&scope, &network, rewards)?;
        network.rewards.push(structure);
    }
    for instance in &instances {
        if let Some(invariant) = &instance.body.invariant {
            let expr = scope.expr_of(invariant, &instance.renaming, Sort::Bool)?;
            timing.invariants.push((expr, invariant.span));
        }
    }
    let (mut real, mut refusal) = (None, None);
    if timed {
        network.dead_ends = DeadEnds::StopTime;
        let as_written = network.clone();
        (network, refusal) = with_digital_clocks(network, &timing)?;
        real = Some(Timed {
            network: as_written,
            timing,
        });
    }
    Ok(Lowered {
        network,
        scope,
        timed,
        real,
        refusal,
        warnings: Vec::new(),
    })
}

/// The initial states that a predicate describes, and the labels.
fn describe_states(network: &mut Network, model: &ModelAst, scope: &Scope<'_>) -> Parsed<()> {
    if let Some(predicate) = &model.initial {
        let declared = (model.globals.iter())
            .chain(model.modules.iter().flat_map(|module| &module.variables))
            .find(|variable| variable.initial.is_some());
        if let Some(variable) = declared {
            let message = "initial values and a description of initial states exclude each other";
            let problem = Diagnostic::error("prism::init", message, predicate.span, "this describes them");
            return Err(problem.with_label(variable.span, "this has an initial value"));
        }
        let expr = scope.expr_of(predicate, &Renaming::new(), Sort::Bool)?;
        network.initial = Initial::Predicate(expr, predicate.span);
    }
    for label in &model.labels {
        if matches!(label.name.as_str(), "init" | "deadlock")
            || network.labels.iter().any(|(name, _)| *name == label.name)
        {
            let message = format!("the label \"{}\" is declared twice", label.name);
            let message = match label.name.as_str() {
                "init" | "deadlock" => format!("the label \"{}\" is given by the language", label.name),
                _ => message,
            };
            return Err(Diagnostic::error("prism::twice", message, label.span, "here"));
        }
        let expr = scope.expr_of(&label.body, &Renaming::new(), Sort::Bool)?;
        network.labels.push((label.name.clone(), expr));
    }
    Ok(())
}

/// The same network with clocks that tick, and why that changes its meaning, if it does.
fn with_digital_clocks(network: Network, timing: &Timing) -> Parsed<(Network, Option<Diagnostic>)> {
    if let Initial::Predicate(_, place) = network.initial {
        let message = "a timed model has one initial state";
        return Err(Diagnostic::error(
            "prism::init",
            message,
            place,
            "this describes several",
        ));
    }
    let diagnostic = |error: SemanticError| {
        let place = error.place.unwrap_or_default();
        let problem = Diagnostic::error("prism::clocks", error.message, place, "here");
        match error.help {
            Some(help) => problem.with_help(help),
            None => problem,
        }
    };
    let digital = digital_clocks(network, timing).map_err(diagnostic)?;
    Ok((digital.network, digital.refusal.map(diagnostic)))
}

/// Whether a model has clocks, which only a `pta` may have.
fn is_timed(model: &ModelAst) -> Parsed<bool> {
    let variables = || {
        model
            .globals
            .iter()
            .chain(model.modules.iter().flat_map(|module| &module.variables))
    };
    let clock = variables().find(|variable| variable.domain == DomainAst::Clock);
    match (model.kind, clock) {
        (Some((KindAst::Pta, _)), _) | (None, Some(_)) => Ok(true),
        (Some(_), Some(clock)) => {
            let message = "clocks are for timed automata (`pta`)";
            Err(Diagnostic::error("prism::clocks", message, clock.span, "a clock"))
        }
        _ => Ok(false),
    }
}

fn kind(model: &ModelAst) -> Parsed<Kind> {
    let markovian = model
        .modules
        .iter()
        .flat_map(|module| &module.commands)
        .find(|command| command.markovian);
    Ok(match model.kind {
        Some((KindAst::Dtmc, _)) => Kind::Dtmc,
        Some((KindAst::Ctmc, _)) => Kind::Ctmc,
        Some((KindAst::Mdp, _)) => Kind::Mdp,
        Some((KindAst::Ma, _)) => Kind::Ma,
        Some((KindAst::Pta, _)) => Kind::Mdp,
        Some((KindAst::Refused(what), span)) => {
            let message = format!("{what} are not supported");
            return Err(Diagnostic::error("prism::refused", message, span, "here"));
        }
        // PRISM detects the kind: clocks make a PTA, which becomes an MDP here; otherwise it is an MDP.
        None if markovian.is_some() => Kind::Ma,
        None => Kind::Mdp,
    })
}

/// The modules, those that are copies with their renamings.
fn instances(model: &ModelAst) -> Parsed<Vec<Instance<'_>>> {
    let mut found: Vec<Instance<'_>> = Vec::new();
    for module in &model.modules {
        if let Some(first) = found.iter().find(|other| other.name == module.name) {
            let message = format!("the module {} is declared twice", module.name);
            let problem = Diagnostic::error("prism::twice", message, module.span, "again here");
            return Err(problem.with_label(first.span, "first here"));
        }
        let (body, renaming) = match &module.renames {
            None => (module, Renaming::new()),
            Some((original, pairs)) => {
                let Some(original) = model.modules.iter().find(|other| other.name == *original) else {
                    let message = format!("there is no module `{original}` to copy");
                    return Err(Diagnostic::error(
                        "prism::module",
                        message,
                        module.span,
                        "in this copy",
                    ));
                };
                if original.renames.is_some() {
                    let message = format!(
                        "{} is a copy itself; copy the module that has commands",
                        original.name
                    );
                    return Err(Diagnostic::error(
                        "prism::module",
                        message,
                        module.span,
                        "in this copy",
                    ));
                }
                let mut renaming = Renaming::new();
                for (old, new) in pairs {
                    if renaming.insert(old.clone(), new.clone()).is_some() {
                        let message = format!("`{old}` is renamed twice");
                        return Err(Diagnostic::error(
                            "prism::module",
                            message,
                            module.span,
                            "in this copy",
                        ));
                    }
                }
                for variable in &original.variables {
                    if !renaming.contains_key(&variable.name) {
                        let message = format!(
                            "the variable {} of {} must be renamed in the copy",
                            variable.name, original.name
                        );
                        let problem =
                            Diagnostic::error("prism::module", message, module.span, "in this copy");
                        return Err(problem.with_label(variable.span, "this variable"));
                    }
                }
                (original, renaming)
            }
        };
        found.push(Instance {
            name: &module.name,
            body,
            renaming,
            span: module.span,
        });
    }
    if found.is_empty() && model.globals.is_empty() {
        let message = "there is no module";
        return Err(Diagnostic::error(
            "prism::module",
            message,
            Span::new(0, 0),
            "in this text",
        ));
    }
    Ok(found)
}

/// Declares a variable and gives its initial value.
fn declare(scope: &mut Scope<'_>, variable: &VariableAst, renaming: &Renaming) -> Parsed<(VarId, i64)> {
    let renamed = |ast: &Ast| rename(ast, renaming);
    let domain = match &variable.domain {
        DomainAst::Bool => Domain::Bool,
        DomainAst::Int | DomainAst::Clock => Domain::Unbounded,
        DomainAst::Range(bounds) => {
            let (low, high) = &**bounds;
            let (from, to) = (
                scope.constant_int(&renamed(low))?,
                scope.constant_int(&renamed(high))?,
            );
            if from > to {
                let message = format!("the range {from}..{to} of {} is empty", variable.name);
                return Err(Diagnostic::error(
                    "prism::range",
                    message,
                    low.span.to(high.span),
                    "here",
                ));
            }
            Domain::Range(from, to)
        }
    };
    let value = match (&variable.initial, domain) {
        (None, Domain::Range(low, _)) => low,
        (None, _) => 0,
        (Some(initial), domain) => {
            let value = scope.constant_value(&renamed(initial))?;
            let stored = match (&value, domain) {
                (Value::Bool(truth), Domain::Bool) => Some(i64::from(*truth)),
                (Value::Int(number), Domain::Range(..) | Domain::Unbounded) => Some(*number),
                _ => None,
            };
            match stored.filter(|stored| domain.contains(*stored)) {
                Some(stored) => stored,
                None => {
                    let message = format!("{} cannot begin with {value}", variable.name);
                    return Err(Diagnostic::error(
                        "prism::range",
                        message,
                        initial.span,
                        "outside of its values",
                    ));
                }
            }
        }
    };
    let name = renaming.get(&variable.name).unwrap_or(&variable.name).clone();
    let var = scope.declare_variable(
        Variable {
            name,
            domain,
            hidden: false,
        },
        variable.span,
    )?;
    Ok((var, value))
}

/// An expression with its names changed, for ranges and initial values of copies.
fn rename(ast: &Ast, renaming: &Renaming) -> Ast {
    let list = |list: &[Ast]| list.iter().map(|ast| rename(ast, renaming)).collect();
    let boxed = |ast: &Ast| Box::new(rename(ast, renaming));
    let node = match &ast.node {
        Node::Name(name) => Node::Name(renaming.get(name).unwrap_or(name).clone()),
        Node::Unary(op, operand) => Node::Unary(*op, boxed(operand)),
        Node::Binary(op, left, right) => Node::Binary(*op, boxed(left), boxed(right)),
        Node::If(condition, yes, no) => Node::If(boxed(condition), boxed(yes), boxed(no)),
        Node::Call(name, arguments) => Node::Call(name.clone(), list(arguments)),
        other => other.clone(),
    };
    Ast { node, span: ast.span }
}

fn action_id(network: &mut Network, name: &str) -> ActionId {
    let known = network.actions.iter().position(|known| known == name);
    let at = known.unwrap_or_else(|| {
        network.actions.push(name.to_owned());
        network.actions.len() - 1
    });
    ActionId(at as u32)
}

fn lower_command(
    scope: &Scope<'_>,
    network: &mut Network,
    instance: &Instance<'_>,
    component: usize,
    owner: &HashMap<VarId, Option<usize>>,
    command: &CommandAst,
) -> Parsed<Command> {
    let renaming = &instance.renaming;
    let name = |name: &String| renaming.get(name).unwrap_or(name).clone();
    let action = command
        .action
        .as_ref()
        .map(|action| action_id(network, &name(action)));
    let kind = match (network.kind, command.markovian) {
        (Kind::Ctmc, _) | (Kind::Ma, true) => CommandKind::Markovian,
        (_, false) => CommandKind::Probabilistic,
        (_, true) => {
            let message = format!(
                "commands with `<>` are for Markov automata, and this is a {}",
                network.kind.name()
            );
            return Err(Diagnostic::error("prism::command", message, command.span, "here"));
        }
    };
    let mut branches = Vec::new();
    for update in &command.updates {
        let weight = match &update.weight {
            Some(weight) => scope.expr_of(weight, renaming, Sort::Real)?,
            None => Expr::from(Rational::ONE),
        };
        let upper = match &update.upper {
            Some(upper) => Some(upper_end(scope, upper, renaming, kind, network.kind)?),
            None => None,
        };
        let mut assignments: Vec<(VarId, Expr)> = Vec::new();
        for (target, span, value) in &update.assignments {
            let target = name(target);
            let Some(var) = scope.variable(&target) else {
                let message = format!("`{target}` is not a variable");
                return Err(Diagnostic::error(
                    "prism::unknown",
                    message,
                    *span,
                    "assigned here",
                ));
            };
            match owner.get(&var) {
                Some(Some(other)) if *other != component => {
                    let message = format!("{target} belongs to another module and cannot be changed here");
                    return Err(Diagnostic::error("prism::owner", message, *span, "here"));
                }
                Some(None) if action.is_some() => {
                    let message =
                        format!("the global variable {target} cannot be changed by a command with an action");
                    let problem = Diagnostic::error("prism::global", message, *span, "here");
                    return Err(
                        problem.with_help("remove the action, or make the variable one of this module")
                    );
                }
                _ => {}
            }
            if assignments.iter().any(|(other, _)| *other == var) {
                let message = format!("{target} is changed twice");
                return Err(Diagnostic::error("prism::twice", message, *span, "again here"));
            }
            let sort = scope.variables[var.index()].domain.sort();
            assignments.push((var, scope.expr_of(value, renaming, sort)?));
        }
        branches.push(Branch {
            weight,
            upper,
            assignments,
            rewards: Vec::new(),
            place: update.span,
        });
    }
    Ok(Command {
        action,
        kind,
        guard: scope.expr_of(&command.guard, renaming, Sort::Bool)?,
        branches,
        place: command.span,
    })
}

/// The upper end of an interval of probabilities: rates are not given so.
fn upper_end(
    scope: &Scope<'_>,
    upper: &Ast,
    renaming: &Renaming,
    weights: CommandKind,
    kind: Kind,
) -> Parsed<Expr> {
    if weights == CommandKind::Markovian || kind.is_timed() {
        let message = format!(
            "intervals are for probabilities, not for the rates of a {}",
            kind.name()
        );
        return Err(Diagnostic::error(
            "prism::interval",
            message,
            upper.span,
            "the upper end",
        ));
    }
    scope.expr_of(upper, renaming, Sort::Real)
}

fn lower_rewards(scope: &Scope<'_>, network: &Network, rewards: &RewardsAst) -> Parsed<RewardStructure> {
    if network
        .rewards
        .iter()
        .any(|other| other.name.is_some() && other.name == rewards.name)
    {
        let message = format!(
            "the rewards \"{}\" are declared twice",
            rewards.name.as_deref().unwrap_or("")
        );
        return Err(Diagnostic::error(
            "prism::twice",
            message,
            rewards.span,
            "again here",
        ));
    }
    let mut structure = RewardStructure {
        name: rewards.name.clone(),
        ..RewardStructure::default()
    };
    let plain = Renaming::new();
    for item in &rewards.items {
        let guard = scope.expr_of(&item.guard, &plain, Sort::Bool)?;
        let value = scope.expr_of(&item.value, &plain, Sort::Real)?;
        match &item.action {
            None => structure.states.push(StateReward {
                guard,
                value,
                place: item.span,
            }),
            Some(name) => {
                let known = network.actions.iter().position(|known| known == name);
                let action = match (name.is_empty(), known) {
                    (true, _) => None,
                    (false, Some(at)) => Some(ActionId(at as u32)),
                    (false, None) => {
                        let message = format!("there is no action `{name}`");
                        return Err(Diagnostic::error(
                            "prism::action",
                            message,
                            item.span,
                            "in this reward",
                        ));
                    }
                };
                structure.transitions.push(TransitionReward {
                    action,
                    guard,
                    value,
                    place: item.span,
                });
            }
        }
    }
    Ok(structure)
}
