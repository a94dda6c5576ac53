//! Exploring a network: guards, weights and updates compiled, states packed, probabilities interned.
//!
//! The order of choices and targets is that of the reference interpreter (`entail_markov::interpreter`), so that states get the same numbers.
//! Weights that depend on the state are evaluated by the reference evaluator once for each combination of values of the variables they
//! mention. When anything goes wrong in a state, the reference interpreter is asked for the error.

use crate::bytecode::{Code, Stopped};
use crate::numbers::{Num, Numbers};
use crate::packing::StateStore;
use crate::sparse::{NONE, Sparse};
use entail_budget::{Budget, Progress, Snapshot};
use entail_markov::interpreter::{self, ExploreError};
use entail_markov::{Branch, CommandKind, Domain, Expr, Kind, Network, Rational, SemanticError, VarId};
use fixedbitset::FixedBitSet;
use rustc_hash::FxHashMap;

/// Choices with more outcomes than this are merged by hashing.
const MANY: usize = 24;

/// A number that depends on the state.
enum Weight {
    Constant(Num),
    Computed(Computed),
}

/// An expression with what is known of its values.
struct Computed {
    expr: Expr,
    variables: Vec<VarId>,
    known: FxHashMap<Vec<i64>, Num>,
    key: Vec<i64>,
}

impl Weight {
    fn new(expr: &Expr, numbers: &mut Numbers) -> Weight {
        if let Some(number) = expr.constant().and_then(|value| value.number()) {
            return Weight::Constant(numbers.intern(number));
        }
        let mut variables = Vec::new();
        expr.for_each_variable(&mut |var| {
            if !variables.contains(&var) {
                variables.push(var);
            }
        });
        Weight::Computed(Computed {
            expr: expr.clone(),
            variables,
            known: FxHashMap::default(),
            key: Vec::new(),
        })
    }

    fn value(&mut self, network: &Network, state: &[i64], numbers: &mut Numbers) -> Result<Num, Stopped> {
        let computed = match self {
            Weight::Constant(number) => return Ok(*number),
            Weight::Computed(computed) => computed,
        };
        computed.key.clear();
        computed
            .key
            .extend(computed.variables.iter().map(|var| state[var.index()]));
        if let Some(&known) = computed.known.get(&computed.key) {
            return Ok(known);
        }
        let value = network.eval(&computed.expr, state).map_err(|_| Stopped)?;
        let number = numbers.intern(value.number().ok_or(Stopped)?);
        computed.known.insert(computed.key.clone(), number);
        Ok(number)
    }
}

struct CompiledBranch {
    weight: Weight,
    assignments: Vec<(u32, Code, Domain)>,
    rewards: Vec<(usize, Weight)>,
}

struct CompiledCommand {
    kind: CommandKind,
    guard: Code,
    branches: Vec<CompiledBranch>,
    /// Whether the weights are constant probabilities that sum to 1.
    sums_to_one: bool,
}

/// The reward of a step by action.
struct StepReward {
    structure: usize,
    action: u32,
    guard: Code,
    value: Weight,
}

struct Compiled {
    /// By component and position.
    commands: Vec<Vec<CompiledCommand>>,
    /// Positions of commands without an action, by component.
    alone: Vec<Vec<u32>>,
    /// For each synchronisation: the positions of commands of each part.
    joint: Vec<Vec<(usize, Vec<u32>)>>,
    step_rewards: Vec<StepReward>,
    earns: Vec<bool>,
}

fn compile(network: &Network, numbers: &mut Numbers) -> Compiled {
    let branch = |branch: &Branch, numbers: &mut Numbers| CompiledBranch {
        weight: Weight::new(&branch.weight, numbers),
        assignments: (branch.assignments.iter())
            .map(|(var, expr)| {
                (
                    var.0,
                    Code::new(network, expr),
                    network.variables[var.index()].domain,
                )
            })
            .collect(),
        rewards: (branch.rewards.iter())
            .map(|(structure, expr)| (*structure, Weight::new(expr, numbers)))
            .collect(),
    };
    let mut commands = Vec::new();
    for component in &network.components {
        let mut own = Vec::new();
        for command in &component.commands {
            let branches: Vec<CompiledBranch> = command
                .branches
                .iter()
                .map(|written| branch(written, numbers))
                .collect();
            let sum = branches
                .iter()
                .try_fold(Rational::ZERO, |sum, branch| match branch.weight {
                    Weight::Constant(number) => Some(sum + numbers.exact(number)),
                    Weight::Computed(_) => None,
                });
            own.push(CompiledCommand {
                kind: command.kind,
                guard: Code::new(network, &command.guard),
                branches,
                sums_to_one: sum == Some(Rational::ONE),
            });
        }
        commands.push(own);
    }
    let positions = |component: usize, action| {
        let commands = network.components[component].commands.iter().enumerate();
        commands
            .filter(|(_, command)| command.action == action)
            .map(|(at, _)| at as u32)
            .collect::<Vec<u32>>()
    };
    let mut earns = vec![false; network.rewards.len()];
    let mut step_rewards = Vec::new();
    for (structure, rewards) in network.rewards.iter().enumerate() {
        earns[structure] = rewards.on_branches || !rewards.transitions.is_empty();
        for item in &rewards.transitions {
            step_rewards.push(StepReward {
                structure,
                action: item.action.map_or(NONE, |action| action.0),
                guard: Code::new(network, &item.guard),
                value: Weight::new(&item.value, numbers),
            });
        }
    }
    Compiled {
        commands,
        alone: (0..network.components.len())
            .map(|at| positions(at, None))
            .collect(),
        joint: (network.synchronisations.iter())
            .map(|joint| {
                joint
                    .parts
                    .iter()
                    .map(|&(at, action)| (at, positions(at, Some(action))))
                    .collect()
            })
            .collect(),
        step_rewards,
        earns,
    }
}

/// One choice while a state is expanded: transitions by target, in the order of first mention.
#[derive(Default)]
struct OpenChoice {
    action: u32,
    markovian: bool,
    targets: Vec<(u32, Num)>,
    weight: Num2,
    rewards: Vec<Num>,
}

/// A number that begins as zero.
#[derive(Clone, Copy)]
struct Num2(Num);

impl Default for Num2 {
    fn default() -> Num2 {
        Num2(Numbers::ZERO)
    }
}

/// Explores a network, at most so many states.
pub fn generate(
    network: &Network,
    limit: usize,
    budget: &Budget,
    progress: &dyn Progress,
) -> Result<Sparse, ExploreError> {
    let mut numbers = Numbers::default();
    let compiled = compile(network, &mut numbers);
    let mut store = StateStore::new(network);
    let mut packed = vec![0u64; store.width()];
    let mut initial = Vec::new();
    for state in interpreter::initial_states(network, limit, budget)? {
        initial.push(store.intern(&state, &mut packed));
    }
    let structures = network.rewards.len();
    let mut explorer = Explorer {
        network,
        compiled,
        numbers,
        store,
        packed,
        stack: Vec::new(),
        targets: Vec::new(),
        mixed: vec![false; structures],
        sums: FxHashMap::default(),
    };
    let mut sparse = Parts {
        choices: vec![0],
        rows: vec![0],
        step_rewards: vec![Vec::new(); structures],
        ..Parts::default()
    };
    let mut state = Vec::new();
    let mut at = 0usize;
    while at < explorer.store.len() {
        budget.check()?;
        if explorer.store.len() > limit {
            return Err(ExploreError::TooMany(limit));
        }
        if at.is_multiple_of(65_536) {
            budget.check_now()?;
            progress.report(&Snapshot {
                phase: "exploring",
                ..Snapshot::default()
            });
        }
        explorer.store.read(at, &mut state);
        let choices = match explorer.expand(&state) {
            Ok(choices) => choices,
            Err(Stopped) => return Err(explain(network, &state).into()),
        };
        let mut any = false;
        for group in grouped(network.kind, choices) {
            any |= explorer.close(group, network.kind, &mut sparse);
        }
        if !any {
            if let Some(mistake) = network.dead_ends.mistake(network, &state) {
                return Err(mistake.into());
            }
            sparse.deadlocks.push(at as u32);
            sparse.targets.push(at as u32);
            sparse.values.push(Numbers::ONE);
            sparse.rows.push(sparse.targets.len() as u32);
            sparse.actions.push(NONE);
            sparse.rates.push(if network.kind.is_timed() {
                Numbers::ONE
            } else {
                Num(NONE)
            });
            for rewards in &mut sparse.step_rewards {
                rewards.push(Numbers::ZERO);
            }
        }
        sparse.choices.push((sparse.rows.len() - 1) as u32);
        if sparse.targets.len() >= NONE as usize {
            return Err(ExploreError::TooMany(at));
        }
        at += 1;
    }
    let mut deadlocks = FixedBitSet::with_capacity(at);
    for state in sparse.deadlocks {
        deadlocks.insert(state as usize);
    }
    let earns = explorer.compiled.earns.clone();
    let step_rewards = sparse.step_rewards.into_iter().zip(earns);
    let mut model = Sparse {
        kind: network.kind,
        choices: sparse.choices,
        rows: sparse.rows,
        targets: sparse.targets,
        values: sparse.values,
        rates: if network.kind.is_timed() {
            sparse.rates
        } else {
            Vec::new()
        },
        actions: if network.kind.has_choices() {
            sparse.actions
        } else {
            Vec::new()
        },
        initial,
        deadlocks,
        step_rewards: step_rewards
            .map(|(rewards, earns)| if earns { rewards } else { Vec::new() })
            .collect(),
        mixed_rewards: explorer.mixed,
        numbers: explorer.numbers,
        store: explorer.store,
    };
    model.store.finish();
    Ok(model)
}

/// The error in a state, by the reference interpreter.
fn explain(network: &Network, state: &[i64]) -> SemanticError {
    match interpreter::choices(network, state) {
        Err(error) => error,
        Ok(_) => {
            for structure in 0..network.rewards.len() {
                for action in (0..network.actions.len())
                    .map(|at| Some(entail_markov::ActionId(at as u32)))
                    .chain([None])
                {
                    if let Err(error) = interpreter::step_reward(network, structure, state, action) {
                        return error;
                    }
                }
            }
            SemanticError {
                message: "a step cannot be computed".to_owned(),
                place: None,
                state: Some(network.show_state(state)),
                help: None,
            }
        }
    }
}

#[derive(Default)]
struct Parts {
    choices: Vec<u32>,
    rows: Vec<u32>,
    targets: Vec<u32>,
    values: Vec<Num>,
    rates: Vec<Num>,
    actions: Vec<u32>,
    deadlocks: Vec<u32>,
    step_rewards: Vec<Vec<Num>>,
}

fn grouped(kind: Kind, choices: Vec<OpenChoice>) -> Vec<Vec<OpenChoice>> {
    match kind {
        _ if choices.is_empty() => Vec::new(),
        Kind::Dtmc | Kind::Ctmc => vec![choices],
        // Expanding has left either delayed or immediate choices.
        Kind::Ma if choices[0].markovian => vec![choices],
        Kind::Mdp | Kind::Ma => choices.into_iter().map(|choice| vec![choice]).collect(),
    }
}

struct Explorer<'n> {
    network: &'n Network,
    compiled: Compiled,
    numbers: Numbers,
    store: StateStore,
    packed: Vec<u64>,
    stack: Vec<i64>,
    /// A scratch list of partial targets: weight and state.
    targets: Vec<(Num, Vec<i64>)>,
    /// Structures that earn differently on different outcomes of one choice.
    mixed: Vec<bool>,
    /// Weights of probabilistic commands whose sum was checked, with the scaled weights.
    sums: FxHashMap<Vec<Num>, Vec<Num>>,
}

impl Explorer<'_> {
    fn enabled(&mut self, component: usize, position: u32, state: &[i64]) -> Result<bool, Stopped> {
        let command = &self.compiled.commands[component][position as usize];
        Ok(command.guard.run(self.network, state, &mut self.stack)? != 0)
    }

    fn expand(&mut self, state: &[i64]) -> Result<Vec<OpenChoice>, Stopped> {
        let mut combinations: Vec<(u32, Vec<(usize, u32)>)> = Vec::new();
        for component in 0..self.compiled.alone.len() {
            for at in 0..self.compiled.alone[component].len() {
                let position = self.compiled.alone[component][at];
                if self.enabled(component, position, state)? {
                    combinations.push((NONE, vec![(component, position)]));
                }
            }
        }
        for joint in 0..self.compiled.joint.len() {
            let parts = self.compiled.joint[joint].len();
            let mut ready: Vec<Vec<(usize, u32)>> = Vec::with_capacity(parts);
            for part in 0..parts {
                let component = self.compiled.joint[joint][part].0;
                let mut own = Vec::new();
                for at in 0..self.compiled.joint[joint][part].1.len() {
                    let position = self.compiled.joint[joint][part].1[at];
                    if self.enabled(component, position, state)? {
                        own.push((component, position));
                    }
                }
                if own.is_empty() {
                    break;
                }
                ready.push(own);
            }
            if ready.len() < parts || parts == 0 {
                continue;
            }
            let action = self.network.synchronisations[joint]
                .action
                .map_or(NONE, |action| action.0);
            let mut at = vec![0; parts];
            loop {
                combinations.push((action, at.iter().zip(&ready).map(|(&at, own)| own[at]).collect()));
                let Some(next) = (0..parts).rev().find(|&part| at[part] + 1 < ready[part].len()) else {
                    break;
                };
                at[next] += 1;
                at[next + 1..].fill(0);
            }
        }
        // Maximal progress: where something happens at once, delays do not matter, and their targets are not reached.
        if self.network.kind == Kind::Ma {
            let delayed = |(_, commands): &(u32, Vec<(usize, u32)>)| {
                let markovian = |&(component, position): &(usize, u32)| {
                    self.compiled.commands[component][position as usize].kind == CommandKind::Markovian
                };
                commands.iter().any(markovian)
            };
            if !combinations.iter().all(delayed) {
                let kept: Vec<_> = combinations
                    .iter()
                    .filter(|combination| !delayed(combination))
                    .cloned()
                    .collect();
                combinations = kept;
            }
        }
        let step = |(action, commands): (u32, Vec<(usize, u32)>)| self.step(state, action, &commands);
        combinations.into_iter().map(step).collect()
    }

    /// The weights of a command in a state; those of probabilities are checked and scaled.
    fn weights(&mut self, component: usize, position: u32, state: &[i64]) -> Result<Vec<Num>, Stopped> {
        let command = &mut self.compiled.commands[component][position as usize];
        let mut weights = Vec::with_capacity(command.branches.len());
        for branch in &mut command.branches {
            let weight = branch.weight.value(self.network, state, &mut self.numbers)?;
            if self.numbers.float(weight) < 0.0 {
                return Err(Stopped);
            }
            weights.push(weight);
        }
        if command.kind == CommandKind::Markovian || command.sums_to_one {
            return Ok(weights);
        }
        if let Some(scaled) = self.sums.get(&weights) {
            return Ok(scaled.clone());
        }
        let sum = weights
            .iter()
            .fold(Rational::ZERO, |sum, &weight| sum + self.numbers.exact(weight));
        let off = if sum < Rational::ONE {
            Rational::ONE - &sum
        } else {
            &sum - Rational::ONE
        };
        if off > interpreter::sum_tolerance() {
            return Err(Stopped);
        }
        let sum = self.numbers.intern(sum);
        let scaled: Vec<Num> = weights
            .iter()
            .map(|&weight| self.numbers.divide(weight, sum))
            .collect();
        self.sums.insert(weights, scaled.clone());
        Ok(scaled)
    }

    /// The joint step of some commands.
    fn step(&mut self, state: &[i64], action: u32, commands: &[(usize, u32)]) -> Result<OpenChoice, Stopped> {
        let structures = self.network.rewards.len();
        let mut choice = OpenChoice {
            action,
            ..OpenChoice::default()
        };
        let mut partial = std::mem::take(&mut self.targets);
        partial.clear();
        partial.push((Numbers::ONE, state.to_vec()));
        let mut branch_rewards = vec![Numbers::ZERO; structures];
        let mut total = Numbers::ONE;
        for &(component, position) in commands {
            let weights = self.weights(component, position, state)?;
            let command = &mut self.compiled.commands[component][position as usize];
            choice.markovian |= command.kind == CommandKind::Markovian;
            let sum = weights
                .iter()
                .fold(Numbers::ZERO, |sum, &weight| self.numbers.add(sum, weight));
            if command.branches.len() == 1 && weights[0] != Numbers::ZERO {
                for (weight, target) in &mut partial {
                    *weight = self.numbers.multiply(*weight, weights[0]);
                    assign(self.network, &command.branches[0], state, target, &mut self.stack)?;
                }
            } else {
                let mut next = Vec::with_capacity(partial.len() * weights.len());
                for (so_far, target) in &partial {
                    for (&weight, branch) in weights.iter().zip(&command.branches) {
                        if weight == Numbers::ZERO {
                            continue;
                        }
                        let mut target = target.clone();
                        assign(self.network, branch, state, &mut target, &mut self.stack)?;
                        next.push((self.numbers.multiply(*so_far, weight), target));
                    }
                }
                partial = next;
            }
            let outcomes = weights.iter().filter(|&&weight| weight != Numbers::ZERO).count();
            let mut first: Vec<(usize, Num, usize)> = Vec::new();
            for (&weight, branch) in weights.iter().zip(&mut command.branches) {
                for (structure, value) in &mut branch.rewards {
                    let value = value.value(self.network, state, &mut self.numbers)?;
                    if weight != Numbers::ZERO {
                        match first.iter_mut().find(|(known, ..)| known == structure) {
                            Some((_, known, count)) if *known == value => *count += 1,
                            Some((_, _, count)) => *count = usize::MAX / 2,
                            None => first.push((*structure, value, 1)),
                        }
                    }
                    if sum != Numbers::ZERO {
                        let share = self.numbers.multiply(value, weight);
                        let share = self.numbers.divide(share, sum);
                        branch_rewards[*structure] = self.numbers.add(branch_rewards[*structure], share);
                    }
                }
            }
            for (structure, value, count) in first {
                self.mixed[structure] |= value != Numbers::ZERO && count != outcomes;
            }
            total = self.numbers.multiply(total, sum);
        }
        choice.weight.0 = total;
        let many = partial.len() > MANY;
        let mut positions: FxHashMap<u32, usize> = FxHashMap::default();
        for (weight, target) in &partial {
            let number = self.store.intern(target, &mut self.packed);
            let known = match many {
                true => positions.get(&number).copied(),
                false => choice.targets.iter().position(|(known, _)| *known == number),
            };
            match known {
                Some(at) => choice.targets[at].1 = self.numbers.add(choice.targets[at].1, *weight),
                None => {
                    if many {
                        positions.insert(number, choice.targets.len());
                    }
                    choice.targets.push((number, *weight));
                }
            }
        }
        self.targets = partial;
        choice.rewards = (branch_rewards.into_iter())
            .map(|reward| self.numbers.multiply(reward, total))
            .collect();
        for item in &mut self.compiled.step_rewards {
            if item.action == action && item.guard.run(self.network, state, &mut self.stack)? != 0 {
                let value = item.value.value(self.network, state, &mut self.numbers)?;
                let earned = self.numbers.multiply(value, choice.weight.0);
                choice.rewards[item.structure] = self.numbers.add(choice.rewards[item.structure], earned);
            }
        }
        Ok(choice)
    }

    /// Writes the row that choices make together; false if all their weights are zero.
    fn close(&mut self, group: Vec<OpenChoice>, kind: Kind, sparse: &mut Parts) -> bool {
        let total = group.iter().fold(Numbers::ZERO, |sum, choice| {
            self.numbers.add(sum, choice.weight.0)
        });
        if total == Numbers::ZERO {
            return false;
        }
        let markovian = group.iter().any(|choice| choice.markovian);
        let structures = self.network.rewards.len();
        let mut rewards = vec![Numbers::ZERO; structures];
        let action = if kind.has_choices() && !markovian {
            group[0].action
        } else {
            NONE
        };
        let mut merged: Vec<(u32, Num)> = Vec::new();
        let single = group.len() == 1;
        let mut positions: FxHashMap<u32, usize> = FxHashMap::default();
        let mut shares: Option<Vec<Num>> = None;
        for choice in group {
            if !single {
                let own: Vec<Num> = match choice.weight.0 {
                    Numbers::ZERO => continue,
                    weight => choice
                        .rewards
                        .iter()
                        .map(|&reward| self.numbers.divide(reward, weight))
                        .collect(),
                };
                match &shares {
                    None => shares = Some(own),
                    Some(known) => {
                        for (structure, (a, b)) in known.iter().zip(&own).enumerate() {
                            self.mixed[structure] |= a != b;
                        }
                    }
                }
            }
            for (sum, reward) in rewards.iter_mut().zip(&choice.rewards) {
                *sum = self.numbers.add(*sum, *reward);
            }
            if single {
                merged = choice.targets;
                break;
            }
            for (target, weight) in choice.targets {
                match positions.get(&target) {
                    Some(&at) => merged[at].1 = self.numbers.add(merged[at].1, weight),
                    None => {
                        positions.insert(target, merged.len());
                        merged.push((target, weight));
                    }
                }
            }
        }
        for (target, weight) in merged {
            sparse.targets.push(target);
            sparse.values.push(self.numbers.divide(weight, total));
        }
        sparse.rows.push(sparse.targets.len() as u32);
        sparse.actions.push(action);
        sparse.rates.push(if markovian { total } else { Num(NONE) });
        for (structure, sum) in rewards.into_iter().enumerate() {
            let reward = self.numbers.divide(sum, total);
            sparse.step_rewards[structure].push(reward);
        }
        true
    }
}

fn assign(
    network: &Network,
    branch: &CompiledBranch,
    before: &[i64],
    after: &mut [i64],
    stack: &mut Vec<i64>,
) -> Result<(), Stopped> {
    for (var, code, domain) in &branch.assignments {
        let value = code.run(network, before, stack)?;
        if !domain.contains(value) {
            return Err(Stopped);
        }
        after[*var as usize] = value;
    }
    Ok(())
}
