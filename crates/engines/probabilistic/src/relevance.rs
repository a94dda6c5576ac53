//! Variables that make no difference to a property, left out before exploring.
//!
//! A variable matters if the property or its rewards mention it, if a guard or a weight does, or if it is assigned to one that matters. A component
//! that only watches is an exception: if it assigns nothing that matters, its guards mention nothing that matters, and of its commands for an
//! action exactly one is enabled whatever the values (a clock that stops at a deadline), it never blocks others and never chooses.
//! What is left out must not hide a mistake: an assignment whose value could leave the variable's range keeps the variable. All this is decided
//! by trying the values of the few variables that are mentioned together.

use entail_markov::{
    BoundedBy, Bounds, Command, CommandKind, Domain, Expr, Initial, Network, Path, Property, Rational,
    RewardKind, RewardStructure, VarId,
};

/// At most so many combinations of values are tried.
const MOST_COMBINATIONS: u64 = 200_000;

/// The network without what makes no difference to a property; nothing if everything does.
pub fn without_irrelevant(network: &Network, property: &Property) -> Option<Network> {
    let Initial::Values(_) = &network.initial else {
        return None;
    };
    let mut asked = Asked {
        matters: vec![false; network.variables.len()],
        structures: vec![false; network.rewards.len()],
    };
    asked.property(property);
    for (structure, used) in network.rewards.iter().zip(asked.structures.clone()) {
        if used {
            asked.structure(structure);
        }
    }
    let Asked {
        mut matters,
        structures,
    } = asked;
    // Branches earn for structures too.
    let mut passive = vec![true; network.components.len()];
    loop {
        let before = (matters.clone(), passive.clone());
        for (at, component) in network.components.iter().enumerate() {
            passive[at] = passive[at] && only_watches(network, &component.commands, &matters);
            for command in &component.commands {
                if !passive[at] {
                    note(&command.guard, &mut matters);
                }
                for branch in &command.branches {
                    if !passive[at] {
                        note(&branch.weight, &mut matters);
                        branch.upper.iter().for_each(|upper| note(upper, &mut matters));
                    }
                    for (structure, value) in &branch.rewards {
                        if structures[*structure] {
                            note(value, &mut matters);
                        }
                    }
                    for (var, value) in &branch.assignments {
                        let domain = network.variables[var.index()].domain;
                        if !matters[var.index()] && !stays_inside(network, &command.guard, value, domain) {
                            matters[var.index()] = true;
                        }
                        if matters[var.index()] {
                            note(value, &mut matters);
                        }
                    }
                }
            }
        }
        if before == (matters.clone(), passive.clone()) {
            break;
        }
    }
    if matters.iter().all(|&matters| matters) {
        return None;
    }
    Some(reduced(network, &matters, &structures, &passive))
}

fn reduced(network: &Network, matters: &[bool], structures: &[bool], passive: &[bool]) -> Network {
    let mut reduced = network.clone();
    let Initial::Values(initial) = &network.initial else {
        return reduced;
    };
    for (at, variable) in reduced.variables.iter_mut().enumerate() {
        if !matters[at] && variable.domain != Domain::Bool {
            variable.domain = Domain::Range(initial[at], initial[at]);
        }
    }
    for (structure, &used) in reduced.rewards.iter_mut().zip(structures) {
        if !used {
            *structure = RewardStructure {
                name: structure.name.clone(),
                ..RewardStructure::default()
            };
        }
    }
    for (component, &passive) in reduced.components.iter_mut().zip(passive) {
        let mut seen = Vec::new();
        component.commands.retain_mut(|command| {
            for branch in &mut command.branches {
                branch.assignments.retain(|(var, _)| matters[var.index()]);
                branch.rewards.retain(|(structure, _)| structures[*structure]);
            }
            if !passive {
                return true;
            }
            // One command for each action, always enabled.
            let first = !seen.contains(&command.action);
            seen.push(command.action);
            command.guard = Expr::truth();
            first
        });
    }
    reduced
}

fn note(expr: &Expr, matters: &mut [bool]) {
    expr.for_each_variable(&mut |var| matters[var.index()] = true);
}

/// The variables of some expressions, once each.
fn variables<'e>(exprs: impl IntoIterator<Item = &'e Expr>) -> Vec<VarId> {
    let mut found = Vec::new();
    for expr in exprs {
        expr.for_each_variable(&mut |var| {
            if !found.contains(&var) {
                found.push(var);
            }
        });
    }
    found
}

/// Calls `test` with every combination of values of some variables (the others are zero) until it fails; false then, or if there are too many.
fn for_all(network: &Network, variables: &[VarId], test: &mut dyn FnMut(&[i64]) -> bool) -> bool {
    let mut ranges = Vec::new();
    let mut count = 1u64;
    for var in variables {
        let (low, high) = match network.variables[var.index()].domain {
            Domain::Bool => (0, 1),
            Domain::Range(low, high) => (low, high),
            Domain::Unbounded => return false,
        };
        let Some(size) = high
            .checked_sub(low)
            .and_then(|span| u64::try_from(span).ok()?.checked_add(1))
        else {
            return false;
        };
        count = count.saturating_mul(size);
        ranges.push((low, high));
    }
    if count > MOST_COMBINATIONS {
        return false;
    }
    let mut state = vec![0i64; network.variables.len()];
    for (var, range) in variables.iter().zip(&ranges) {
        state[var.index()] = range.0;
    }
    loop {
        if !test(&state) {
            return false;
        }
        let next = (variables.iter().zip(&ranges)).position(|(var, range)| state[var.index()] < range.1);
        let Some(next) = next else {
            return true;
        };
        state[variables[next].index()] += 1;
        for (var, range) in variables.iter().zip(&ranges).take(next) {
            state[var.index()] = range.0;
        }
    }
}

/// Whether a value assigned under a guard is always one of a domain; guards that mention many further variables are not looked at.
fn stays_inside(network: &Network, guard: &Expr, value: &Expr, domain: Domain) -> bool {
    let inside = |state: &[i64]| {
        let value = network.eval(value, state).ok().and_then(|value| value.stored());
        value.is_some_and(|value| domain.contains(value))
    };
    if for_all(network, &variables([value]), &mut |state| inside(state)) {
        return true;
    }
    for_all(network, &variables([value, guard]), &mut |state| {
        network.holds(guard, state) == Ok(false) || inside(state)
    })
}

/// Whether the commands of a component only watch: see above.
fn only_watches(network: &Network, commands: &[Command], matters: &[bool]) -> bool {
    let harmless = |command: &Command| {
        let free = |expr: &Expr| variables([expr]).iter().all(|var| !matters[var.index()]);
        command.action.is_some()
            && free(&command.guard)
            && command.branches.len() == 1
            && command.branches[0]
                .weight
                .constant()
                .and_then(|weight| weight.number())
                == Some(Rational::ONE)
            && command.branches[0].rewards.is_empty()
            && command.branches[0]
                .assignments
                .iter()
                .all(|(var, _)| !matters[var.index()])
    };
    // In a Markov automaton the kind of a command decides whether a step takes time.
    let same_kind = |command: &Command| command.kind == commands[0].kind;
    if commands.is_empty()
        || !commands
            .iter()
            .all(|command| harmless(command) && same_kind(command))
    {
        return false;
    }
    if network.kind == entail_markov::Kind::Ma && commands[0].kind == CommandKind::Markovian {
        return false;
    }
    let mut actions: Vec<_> = commands.iter().map(|command| command.action).collect();
    actions.sort();
    actions.dedup();
    actions.iter().all(|action| {
        let own = || commands.iter().filter(|command| command.action == *action);
        let mentioned = variables(own().map(|command| &command.guard));
        for_all(network, &mentioned, &mut |state| {
            own()
                .filter(|command| network.holds(&command.guard, state) != Ok(false))
                .count()
                == 1
        })
    })
}

/// What a property mentions.
struct Asked {
    matters: Vec<bool>,
    structures: Vec<bool>,
}

impl Asked {
    fn structure(&mut self, structure: &RewardStructure) {
        for item in &structure.states {
            note(&item.guard, &mut self.matters);
            note(&item.value, &mut self.matters);
        }
        for item in &structure.transitions {
            note(&item.guard, &mut self.matters);
            note(&item.value, &mut self.matters);
        }
    }

    fn bounds(&mut self, bounds: Option<&Bounds>) {
        for bounds in bounds.into_iter().flat_map(Bounds::all) {
            if let BoundedBy::Reward(structure) = bounds.by {
                self.structures[structure] = true;
            }
        }
    }

    fn path(&mut self, path: &Path) {
        match path {
            Path::State(property) => self.property(property),
            Path::Not(inner) | Path::Next(inner) => self.path(inner),
            Path::And(a, b) | Path::Or(a, b) | Path::Implies(a, b) | Path::Iff(a, b) => {
                self.path(a);
                self.path(b);
            }
            Path::Until(a, b, bounds) | Path::WeakUntil(a, b, bounds) | Path::Release(a, b, bounds) => {
                self.path(a);
                self.path(b);
                self.bounds(bounds.as_ref());
            }
            Path::Finally(inner, bounds) | Path::Globally(inner, bounds) => {
                self.path(inner);
                self.bounds(bounds.as_ref());
            }
        }
    }

    fn property(&mut self, property: &Property) {
        match property {
            Property::Expr(expr) => note(expr, &mut self.matters),
            Property::Init | Property::Deadlock | Property::Unexplored => {}
            Property::Unary(_, operand) => self.property(operand),
            Property::Binary(_, a, b) => {
                self.property(a);
                self.property(b);
            }
            Property::If(condition, yes, no) => {
                for part in [condition, yes, no] {
                    self.property(part);
                }
            }
            Property::Probability { path, .. } | Property::Exists(path) | Property::ForAll(path) => {
                self.path(path)
            }
            Property::Reward { structure, kind, .. } => {
                self.structures[*structure] = true;
                if let RewardKind::Reach(path) = kind {
                    self.path(path);
                }
            }
            Property::SteadyState { states, .. } => self.property(states),
            // Filters range over states, so that all of a state counts.
            Property::Filter { .. } => self.matters.fill(true),
            Property::Multi(parts) | Property::Lexicographic(parts) => {
                parts.iter().for_each(|part| self.property(part))
            }
            Property::Robust(inner) | Property::Quantile { property: inner, .. } => self.property(inner),
            Property::Conditional { event, condition, .. } => {
                self.property(event);
                self.property(condition);
            }
        }
    }
}
