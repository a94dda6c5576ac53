//! Networks of components with probabilistic guarded commands.
//!
//! A component has commands `[action] guard -> w1: update1 + w2: update2 + …`. Commands without an action happen alone. Commands with an
//! action take part in *synchronisations*: one command of each of some components, together, weights multiplied. The kind of the network
//! says what weights are: probabilities of a choice (DTMC, MDP), rates (CTMC), or the one or the other by command (Markov automata).

use crate::expr::{EvalError, Expr, Sort, Value, VarId};
use crate::interpreter::SemanticError;
use entail_source::Span;

/// The kind of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Discrete-time Markov chain.
    Dtmc,
    /// Continuous-time Markov chain.
    Ctmc,
    /// Markov decision process.
    Mdp,
    /// Markov automaton: probabilistic and exponentially delayed commands.
    Ma,
}

impl Kind {
    /// Its name in the languages.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Dtmc => "dtmc",
            Kind::Ctmc => "ctmc",
            Kind::Mdp => "mdp",
            Kind::Ma => "ma",
        }
    }

    /// Whether a scheduler has choices to make.
    pub fn has_choices(self) -> bool {
        matches!(self, Kind::Mdp | Kind::Ma)
    }

    /// Whether states are left after random times rather than in steps.
    pub fn is_timed(self) -> bool {
        matches!(self, Kind::Ctmc | Kind::Ma)
    }
}

/// The values of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Domain {
    /// True or false.
    Bool,
    /// Integers from the first to the second.
    Range(i64, i64),
    /// All integers.
    Unbounded,
}

impl Domain {
    /// The sort of its values.
    pub fn sort(self) -> Sort {
        match self {
            Domain::Bool => Sort::Bool,
            _ => Sort::Int,
        }
    }

    /// Whether a stored value belongs to it.
    pub fn contains(self, value: i64) -> bool {
        match self {
            Domain::Bool => value == 0 || value == 1,
            Domain::Range(low, high) => low <= value && value <= high,
            Domain::Unbounded => true,
        }
    }
}

/// A variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// Its values.
    pub domain: Domain,
    /// Whether users see it: locations that a translation made a variable of are named otherwise.
    pub hidden: bool,
}

/// An action: a position in [`Network::actions`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ActionId(pub u32);

/// Whether the weights of a command are probabilities or rates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CommandKind {
    /// Probabilities.
    Probabilistic,
    /// Rates.
    Markovian,
}

/// One outcome of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Branch {
    /// Its probability or rate; the lower end, if it is only known to lie in an interval.
    pub weight: Expr,
    /// The upper end, if the probability is only known to lie in an interval.
    pub upper: Option<Expr>,
    /// What changes; all expressions are evaluated before anything changes.
    pub assignments: Vec<(VarId, Expr)>,
    /// What is earned on the way, by reward structure (only languages whose rewards are assigned use this).
    pub rewards: Vec<(usize, Expr)>,
    /// Where it stands.
    pub place: Span,
}

/// A guarded command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    /// The action by which it synchronises.
    pub action: Option<ActionId>,
    /// What the weights are.
    pub kind: CommandKind,
    /// When it can happen.
    pub guard: Expr,
    /// What happens.
    pub branches: Vec<Branch>,
    /// Where it stands.
    pub place: Span,
}

/// A component.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Component {
    /// Its name.
    pub name: String,
    /// Its commands.
    pub commands: Vec<Command>,
}

/// Components that act together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Synchronisation {
    /// Who takes part, with which of its actions; components in increasing order.
    pub parts: Vec<(usize, ActionId)>,
    /// What the joint step is called; nothing if it is hidden.
    pub action: Option<ActionId>,
}

/// A reward of states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StateReward {
    /// In which states.
    pub guard: Expr,
    /// How much for each step, or unit of time, spent there.
    pub value: Expr,
    /// Where it stands.
    pub place: Span,
}

/// A reward of steps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TransitionReward {
    /// Of this action; nothing: of steps without a name.
    pub action: Option<ActionId>,
    /// From which states.
    pub guard: Expr,
    /// How much.
    pub value: Expr,
    /// Where it stands.
    pub place: Span,
}

/// Rewards under a name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RewardStructure {
    /// The name; the first structure of a PRISM model may have none.
    pub name: Option<String>,
    /// Rewards of states.
    pub states: Vec<StateReward>,
    /// Rewards of steps by action.
    pub transitions: Vec<TransitionReward>,
    /// Whether branches of commands earn something of it.
    pub on_branches: bool,
}

/// What a state without a way out means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DeadEnds {
    /// The model stays there for ever.
    #[default]
    Stay,
    /// Time is stopped, which is a mistake of the model (a timelock).
    StopTime,
}

impl DeadEnds {
    /// The mistake that a state without a way out is, if it is one.
    pub fn mistake(self, network: &Network, state: &[i64]) -> Option<SemanticError> {
        (self == DeadEnds::StopTime).then(|| SemanticError {
            message: "timelock: an invariant forbids time to pass, and nothing else can happen".to_owned(),
            place: None,
            state: Some(network.show_state(state)),
            help: Some("enable a command when the invariant ends, or weaken the invariant".to_owned()),
        })
    }
}

/// Where a network begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Initial {
    /// In one state.
    Values(Vec<i64>),
    /// In every state that satisfies this.
    Predicate(Expr, Span),
}

/// A network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Network {
    /// What its weights mean.
    pub kind: Kind,
    /// Its variables: a state is a value for each.
    pub variables: Vec<Variable>,
    /// Its components.
    pub components: Vec<Component>,
    /// The names of actions.
    pub actions: Vec<String>,
    /// Who acts together.
    pub synchronisations: Vec<Synchronisation>,
    /// Where it begins.
    pub initial: Initial,
    /// Named sets of states.
    pub labels: Vec<(String, Expr)>,
    /// Rewards.
    pub rewards: Vec<RewardStructure>,
    /// What a state without a way out means.
    pub dead_ends: DeadEnds,
}

impl From<Network> for std::borrow::Cow<'_, Network> {
    fn from(network: Network) -> Self {
        std::borrow::Cow::Owned(network)
    }
}

impl<'n> From<&'n Network> for std::borrow::Cow<'n, Network> {
    fn from(network: &'n Network) -> Self {
        std::borrow::Cow::Borrowed(network)
    }
}

impl Network {
    /// The sort of a variable.
    pub fn sort_of(&self, var: VarId) -> Sort {
        self.variables[var.index()].domain.sort()
    }

    /// The value of an expression in a state.
    pub fn eval(&self, expr: &Expr, state: &[i64]) -> Result<Value, EvalError> {
        expr.eval(state, &|var| self.sort_of(var))
    }

    /// The sort of an expression.
    pub fn sort(&self, expr: &Expr) -> Result<Sort, EvalError> {
        expr.sort(&|var| self.sort_of(var))
    }

    /// The truth of an expression in a state.
    pub fn holds(&self, expr: &Expr, state: &[i64]) -> Result<bool, EvalError> {
        expr.holds(state, &|var| self.sort_of(var))
    }

    /// Whether some probability is only known to lie in an interval.
    pub fn has_intervals(&self) -> bool {
        let commands = self.components.iter().flat_map(|component| &component.commands);
        commands
            .flat_map(|command| &command.branches)
            .any(|branch| branch.upper.is_some())
    }

    /// The name of a step.
    pub fn action_name(&self, action: Option<ActionId>) -> Option<&str> {
        action.map(|action| self.actions[action.0 as usize].as_str())
    }

    /// A state for people: `s=7, d=1`.
    pub fn show_state(&self, state: &[i64]) -> String {
        let part = |(variable, value): (&Variable, &i64)| match variable.domain {
            Domain::Bool => format!("{}={}", variable.name, *value != 0),
            _ => format!("{}={value}", variable.name),
        };
        let shown: Vec<String> = self.variables.iter().zip(state).map(part).collect();
        shown.join(", ")
    }
}
