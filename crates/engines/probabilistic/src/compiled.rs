//! A network compiled for exploring: guards and updates as code, constant weights interned, weights that depend on the state evaluated by the
//! reference evaluator once for each combination of values of the variables they mention.

use crate::bytecode::Stopped;
use crate::condition::{Condition, Update};
use crate::numbers::{Num, Numbers};
use crate::packing::Layout;
use crate::selection::Group;
use crate::sparse::NONE;
use entail_markov::{Branch, CommandKind, Expr, Network, Rational, VarId};
use rustc_hash::FxHashMap;

/// A number that depends on the state.
pub(crate) enum Weight {
    Constant(Num),
    Computed(Computed),
}

/// An expression with what is known of its values.
pub(crate) struct Computed {
    expr: Expr,
    variables: Vec<VarId>,
    known: FxHashMap<Vec<i64>, Num>,
    key: Vec<i64>,
}

impl Weight {
    pub fn new(expr: &Expr, numbers: &mut Numbers) -> Weight {
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

    pub fn value(&mut self, network: &Network, state: &[i64], numbers: &mut Numbers) -> Result<Num, Stopped> {
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

pub(crate) struct CompiledBranch {
    pub weight: Weight,
    /// The upper end, if the weight is the lower end of an interval.
    pub upper: Option<Weight>,
    pub update: Update,
    pub rewards: Vec<(usize, Weight)>,
}

pub(crate) struct CompiledCommand {
    pub kind: CommandKind,
    pub guard: Condition,
    pub branches: Vec<CompiledBranch>,
    /// The weights, if they are constant probabilities that sum to 1.
    pub constant: Option<Vec<Num>>,
    /// Whether branches earn something.
    pub earns: bool,
    /// Whether some of the weights are intervals.
    pub uncertain: bool,
}

/// The reward of a step by action.
pub(crate) struct StepReward {
    pub structure: usize,
    pub action: u32,
    pub guard: Condition,
    pub value: Weight,
}

pub(crate) struct Compiled {
    /// By component and position.
    pub commands: Vec<Vec<CompiledCommand>>,
    /// Commands of a component that share an action, or have none.
    pub groups: Vec<Group>,
    /// The group of commands without an action, by component.
    pub alone: Vec<usize>,
    /// For each synchronisation: component and group of each part.
    pub joint: Vec<Vec<(usize, usize)>>,
    pub step_rewards: Vec<StepReward>,
    pub earns: Vec<bool>,
}

pub(crate) fn compile(network: &Network, layout: &Layout, numbers: &mut Numbers) -> Compiled {
    let branch = |branch: &Branch, numbers: &mut Numbers| CompiledBranch {
        weight: Weight::new(&branch.weight, numbers),
        upper: (branch.upper.as_ref()).map(|upper| Weight::new(upper, numbers)),
        update: Update::new(network, layout, &branch.assignments),
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
            let uncertain = branches.iter().any(|branch| branch.upper.is_some());
            let constant = (branches.iter())
                .map(|branch| match branch.weight {
                    Weight::Constant(number) if numbers.exact(number) >= &Rational::ZERO => Some(number),
                    _ => None,
                })
                .collect::<Option<Vec<Num>>>()
                .filter(|weights| {
                    let sum =
                        (weights.iter()).fold(Rational::ZERO, |sum, &weight| sum + numbers.exact(weight));
                    command.kind == CommandKind::Probabilistic && sum == Rational::ONE && !uncertain
                });
            own.push(CompiledCommand {
                kind: command.kind,
                guard: Condition::new(network, layout, &command.guard),
                branches,
                constant,
                earns: command.branches.iter().any(|branch| !branch.rewards.is_empty()),
                uncertain,
            });
        }
        commands.push(own);
    }
    let mut groups = Vec::new();
    let mut group = |component: usize, action| {
        groups.push(Group::new(network, component, action));
        groups.len() - 1
    };
    let alone = (0..network.components.len()).map(|at| group(at, None)).collect();
    let mut joint = Vec::new();
    for synchronisation in &network.synchronisations {
        let parts = synchronisation.parts.iter();
        joint.push(parts.map(|&(at, action)| (at, group(at, Some(action)))).collect());
    }
    let mut earns = vec![false; network.rewards.len()];
    let mut step_rewards = Vec::new();
    for (structure, rewards) in network.rewards.iter().enumerate() {
        earns[structure] = rewards.on_branches || !rewards.transitions.is_empty();
        for item in &rewards.transitions {
            step_rewards.push(StepReward {
                structure,
                action: item.action.map_or(NONE, |action| action.0),
                guard: Condition::new(network, layout, &item.guard),
                value: Weight::new(&item.value, numbers),
            });
        }
    }
    Compiled {
        commands,
        groups,
        alone,
        joint,
        step_rewards,
        earns,
    }
}
