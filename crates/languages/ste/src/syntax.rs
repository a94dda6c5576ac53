//! The syntax tree of a specification.

use entail_source::Span;
use entail_trajectories::Satisfaction;

/// An expression.
#[derive(Clone, Debug)]
pub(crate) struct Expression {
    pub(crate) span: Span,
    pub(crate) kind: ExpressionKind,
}

#[derive(Clone, Debug)]
pub(crate) enum ExpressionKind {
    Number(u64),
    Bits(Vec<Option<bool>>),
    Name(String),
    Unary(&'static str, Box<Expression>),
    Binary(&'static str, Box<Expression>, Box<Expression>),
    Choice(Box<[Expression; 3]>),
    /// Parts, the highest first.
    Concatenation(Vec<Expression>),
    /// `e[upper:lower]`; for `e[i]` both are the same.
    Part(Box<Expression>, Box<Expression>, Box<Expression>),
}

/// Nodes of a circuit.
#[derive(Clone, Debug)]
pub(crate) enum Nodes {
    /// A signal with positions: in a memory, in a word.
    Signal {
        name: String,
        span: Span,
        positions: Vec<(Expression, Expression)>,
    },
    /// Several, the highest first.
    Concatenation(Vec<Nodes>),
}

/// A trajectory formula.
#[derive(Clone, Debug)]
pub(crate) enum Formula {
    True,
    /// `nodes is value`
    Is(Nodes, Expression),
    /// A formula that was given a name.
    Named(String, Span),
    And(Vec<Formula>),
    /// `guard -> formula`
    When(Expression, Box<Formula>),
    /// `N formula`, so many times
    Next(Expression, Box<Formula>),
    /// `formula from a to b`: at all times from a on, before b.
    During(Box<Formula>, Expression, Expression),
    /// One after the other.
    Then(Box<Formula>, Box<Formula>),
    /// `all i in a..b: formula`
    All {
        variable: String,
        range: Box<[Expression; 2]>,
        body: Box<Formula>,
    },
}

/// What a text says, in order.
#[derive(Clone, Debug)]
pub(crate) enum Item {
    Variable {
        name: String,
        span: Span,
        width: u32,
    },
    Let(String, Span, Expression),
    Trajectory(String, Span, Formula),
    Assume(Expression),
    Weaken {
        nodes: Nodes,
        during: Option<(Expression, Expression)>,
        when: Option<Expression>,
    },
    Assert {
        name: String,
        span: Span,
        is_indexed: bool,
        assumption: Option<Expression>,
        antecedent: Formula,
        consequent: Formula,
        /// From the assumption to the end.
        text: Span,
        method: Box<MethodText>,
    },
    Graph(GraphText),
    /// `signal name = nodes at time`
    Signal(String, Span, Nodes, Expression),
    Relation(RelationText),
}

/// How an assertion is to be decided.
#[derive(Clone, Debug)]
pub(crate) enum MethodText {
    Simulation,
    Rules(ProofText),
    /// The relation between indices and variables.
    Index(Expression),
}

/// How rules are written.
pub(crate) const RULES: &str = "rules are `reflexivity (A)`, `shift K (…)`, `substitution x = e in (…)`, `conjunction (…, …)`, `cases (…, …)`, `transitivity (…, …)`, and `(A => C by …)`";

/// A proof by rules.
#[derive(Clone, Debug)]
pub(crate) enum ProofText {
    Premise(String, Span),
    Reflexivity(Formula),
    Shift(Expression, Box<ProofText>),
    Substitution(Vec<(String, Span, Expression)>, Box<ProofText>),
    /// A rule that takes any number of proofs, by its name.
    List(&'static str, Vec<ProofText>),
    Consequence(Box<StatementText>, Box<ProofText>),
}

/// An assertion within a proof.
#[derive(Clone, Debug)]
pub(crate) struct StatementText {
    pub(crate) assumption: Option<Expression>,
    pub(crate) antecedent: Formula,
    pub(crate) consequent: Formula,
}

/// An edge of an assertion graph.
#[derive(Clone, Debug)]
pub(crate) struct EdgeText {
    pub(crate) from: String,
    pub(crate) to: String,
    pub(crate) span: Span,
    pub(crate) is_fair: bool,
    pub(crate) antecedent: Formula,
    pub(crate) consequent: Formula,
}

/// An assertion graph.
#[derive(Clone, Debug)]
pub(crate) struct GraphText {
    pub(crate) name: String,
    pub(crate) span: Span,
    pub(crate) satisfaction: Satisfaction,
    pub(crate) assumption: Option<Expression>,
    pub(crate) edges: Vec<EdgeText>,
    /// From `graph` to the closing bracket.
    pub(crate) text: Span,
}

/// What is demanded of values at several nodes and times together.
#[derive(Clone, Debug)]
pub(crate) struct RelationText {
    pub(crate) name: String,
    pub(crate) span: Span,
    pub(crate) assumption: Option<Expression>,
    pub(crate) antecedent: Formula,
    pub(crate) demanded: Expression,
    pub(crate) text: Span,
}

/// A specification that has been parsed; what its names mean depends on a netlist.
#[derive(Clone, Debug, Default)]
pub struct SpecificationText {
    /// The file of the circuit that it names, if it does, and where.
    pub circuit: Option<(String, Span)>,
    pub(crate) items: Vec<Item>,
}
