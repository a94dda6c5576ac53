//! What was written: syntax trees of models and properties, with places.

use entail_markov::{BinaryOp, Optimum, Rational, UnaryOp};
use entail_source::Span;

/// An expression or property with its place.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Ast {
    pub node: Node,
    pub span: Span,
}

/// `min`, `max` or neither, after an operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extremum {
    None,
    Min,
    Max,
    /// `minmin`, `maxmin` and so on, of interval models: over schedulers, and over probabilities.
    Two(Optimum, Optimum),
}

/// What stands between an operator and its brackets.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum RelationalOperator {
    /// `=?`
    Query,
    /// A comparison, by its operator.
    Compare(BinaryOp, Box<Ast>),
}

/// The time bounds of a temporal operator.
#[derive(Clone, Debug, PartialEq, Default)]
pub(crate) struct TimeBounds {
    /// With whether the bound is strict.
    pub lower: Option<(Box<Ast>, bool)>,
    pub upper: Option<(Box<Ast>, bool)>,
    /// The reward that is counted instead of time or steps.
    pub reward: Option<(Option<String>, Span)>,
    /// Further bounds of the same operator.
    pub others: Vec<TimeBounds>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum RewardQuery {
    Path(Box<Ast>),
    Total,
    Cumulative(Box<Ast>),
    Instant(Box<Ast>),
    LongRun,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Temporal {
    Next,
    Finally,
    Globally,
    Until,
    WeakUntil,
    Release,
}

/// How a reward structure is named.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum RewardName {
    /// The first one.
    Default,
    Named(String),
    /// The position, from 1.
    Index(Box<Ast>),
    /// Time itself (Storm's `T` operator).
    Time,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Node {
    Bool(bool),
    Int(i64),
    Real(Rational),
    Name(String),
    Label(String),
    Unary(UnaryOp, Box<Ast>),
    Binary(BinaryOp, Box<Ast>, Box<Ast>),
    If(Box<Ast>, Box<Ast>, Box<Ast>),
    Call(String, Vec<Ast>),
    Temporal(Temporal, Option<TimeBounds>, Vec<Ast>),
    Probability(Extremum, RelationalOperator, Box<Ast>, Vec<OldFilter>),
    Reward(
        RewardName,
        Extremum,
        RelationalOperator,
        RewardQuery,
        Vec<OldFilter>,
    ),
    Steady(Extremum, RelationalOperator, Box<Ast>, Vec<OldFilter>),
    Exists(Box<Ast>),
    ForAll(Box<Ast>),
    Filter(String, Span, Box<Ast>, Option<Box<Ast>>),
    /// `quantile(min B, P>=0.5 [ … ])`: the bounds that are asked for, and the property.
    Quantile(Vec<(String, Span)>, Box<Ast>),
    /// `F a || F b`: under a condition.
    Given(Box<Ast>, Box<Ast>),
}

/// `{states}{min}` at the end of an operator's brackets.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum OldFilter {
    States(Ast),
    Min,
    Max,
}

/// A declared constant.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ConstantAst {
    pub name: String,
    pub sort: entail_markov::Sort,
    pub value: Option<Ast>,
    pub span: Span,
}

/// A name for an expression.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct NamedAst {
    pub name: String,
    pub body: Ast,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum DomainAst {
    Bool,
    Int,
    Range(Box<(Ast, Ast)>),
    Clock,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct VariableAst {
    pub name: String,
    pub domain: DomainAst,
    pub initial: Option<Ast>,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct UpdateAst {
    pub weight: Option<Ast>,
    /// The upper end, if the probability is an interval.
    pub upper: Option<Ast>,
    pub assignments: Vec<(String, Span, Ast)>,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct CommandAst {
    pub action: Option<String>,
    /// `<>` rather than `[]`.
    pub markovian: bool,
    pub guard: Ast,
    pub updates: Vec<UpdateAst>,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ModuleAst {
    pub name: String,
    pub variables: Vec<VariableAst>,
    pub invariant: Option<Ast>,
    pub commands: Vec<CommandAst>,
    /// `module B = A [x=y]`: the module that is copied and the new names.
    pub renames: Option<(String, Vec<(String, String)>)>,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct RewardItemAst {
    /// Nothing for a state's; the name of the action for a step's, empty if it has none.
    pub action: Option<String>,
    pub guard: Ast,
    pub value: Ast,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct RewardsAst {
    pub name: Option<String>,
    pub items: Vec<RewardItemAst>,
    pub span: Span,
}

/// `system … endsystem`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum SystemAst {
    Module(String, Span),
    /// Synchronises on common actions.
    Full(Vec<SystemAst>),
    /// Synchronises on nothing.
    Interleaved(Vec<SystemAst>),
    /// Synchronises on these.
    On(Vec<String>, Box<SystemAst>, Box<SystemAst>),
    Hide(Box<SystemAst>, Vec<String>),
    Rename(Box<SystemAst>, Vec<(String, String)>),
}

/// The kinds of models as they are declared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KindAst {
    Dtmc,
    Ctmc,
    Mdp,
    Ma,
    Pta,
    Refused(&'static str),
}

/// A model file.
#[derive(Clone, Debug, PartialEq, Default)]
pub(crate) struct ModelAst {
    pub kind: Option<(KindAst, Span)>,
    pub constants: Vec<ConstantAst>,
    pub formulas: Vec<NamedAst>,
    pub labels: Vec<NamedAst>,
    pub globals: Vec<VariableAst>,
    pub modules: Vec<ModuleAst>,
    pub rewards: Vec<RewardsAst>,
    pub initial: Option<Ast>,
    pub system: Option<SystemAst>,
}

/// A property of a file, perhaps with a name.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct PropertyAst {
    pub name: Option<String>,
    pub body: Ast,
}

/// A properties file.
#[derive(Clone, Debug, PartialEq, Default)]
pub(crate) struct PropertiesAst {
    pub constants: Vec<ConstantAst>,
    pub formulas: Vec<NamedAst>,
    pub labels: Vec<NamedAst>,
    pub properties: Vec<PropertyAst>,
}
