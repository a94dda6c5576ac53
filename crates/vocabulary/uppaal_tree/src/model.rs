//! Models: declarations, templates, the system line, queries.

use crate::{Chance, Expr};
use entail_source::Span;

/// What stands before a type.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Prefix {
    /// `const`
    pub constant: bool,
    /// `urgent`
    pub urgent: bool,
    /// `broadcast`
    pub broadcast: bool,
    /// `meta`
    pub meta: bool,
    /// `hybrid`
    pub hybrid: bool,
}

/// A type as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypeExpr {
    /// Where it stands.
    pub span: Span,
    /// What stands before it.
    pub prefix: Prefix,
    /// What it is.
    pub kind: TypeKind,
}

/// What a type is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TypeKind {
    /// `int`
    Int,
    /// `int[a, b]`
    Range(Box<Expr>, Box<Expr>),
    /// `bool`
    Bool,
    /// `clock`
    Clock,
    /// `chan`
    Channel,
    /// `void`
    Void,
    /// `double`
    Double,
    /// `string`
    Text,
    /// `scalar[n]`
    Scalar(Box<Expr>),
    /// `struct { … }`
    Struct(Vec<(TypeExpr, Declarator)>),
    /// A name.
    Named(String),
}

/// The size of an array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ArraySize {
    /// A number, or the name of a type.
    Expr(Expr),
    /// A type, each value of which is an index.
    Type(TypeExpr),
}

/// A declared name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declarator {
    /// The name.
    pub name: String,
    /// Where it stands.
    pub span: Span,
    /// The sizes of its dimensions.
    pub sizes: Vec<ArraySize>,
    /// Its first value.
    pub initial: Option<Initial>,
}

/// A first value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Initial {
    /// One value.
    Value(Expr),
    /// `{ a, b }`, with the names of fields where they are given.
    List(Vec<(Option<String>, Initial)>, Span),
}

/// A declaration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Declaration {
    /// Variables, constants, clocks, channels.
    Variables(TypeExpr, Vec<Declarator>),
    /// `typedef`
    Types(TypeExpr, Vec<Declarator>),
    /// A function.
    Function(Function),
}

/// A parameter of a template or a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its type.
    pub of: TypeExpr,
    /// Whether it stands for the variable that is given.
    pub by_reference: bool,
    /// Its name and dimensions.
    pub declarator: Declarator,
}

/// A function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// Where its name stands.
    pub span: Span,
    /// The type of its result.
    pub result: TypeExpr,
    /// Its parameters.
    pub parameters: Vec<Parameter>,
    /// What it does.
    pub body: Vec<Statement>,
}

/// A statement with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// Where it stands.
    pub span: Span,
    /// What it is.
    pub kind: StatementKind,
}

/// What a statement is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StatementKind {
    /// Variables or types of a block.
    Declare(Declaration),
    /// `{ … }`
    Block(Vec<Statement>),
    /// An expression that is evaluated for what it does.
    Expr(Expr),
    /// `if`
    If(Expr, Box<Statement>, Option<Box<Statement>>),
    /// `for (a; b; c)`
    For(Vec<Expr>, Vec<Expr>, Vec<Expr>, Box<Statement>),
    /// `for (i : T)`
    Iterate(String, TypeExpr, Box<Statement>),
    /// `while`
    While(Expr, Box<Statement>),
    /// `do … while`
    DoWhile(Box<Statement>, Expr),
    /// `return`
    Return(Option<Expr>),
    /// `assert`
    Assert(Expr),
}

/// A location of a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    /// Its name; made up where the text has none.
    pub name: String,
    /// Whether the text names it.
    pub is_named: bool,
    /// Where it stands.
    pub span: Span,
    /// Its invariant.
    pub invariant: Option<Expr>,
    /// Urgent.
    pub urgent: bool,
    /// Committed.
    pub committed: bool,
    /// The rate at which it is left where no invariant bounds the time: a number, or two whose quotient it is.
    pub exponential: Option<(Expr, Option<Expr>)>,
    /// Its coordinates in the drawing.
    pub at: Option<(i32, i32)>,
}

/// A name that is chosen when an edge is taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Select {
    /// The name.
    pub name: String,
    /// Where it stands.
    pub span: Span,
    /// Its values.
    pub of: TypeExpr,
}

/// A synchronisation of an edge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sync {
    /// The channel.
    pub channel: Expr,
    /// `!` instead of `?`.
    pub sends: bool,
}

/// An edge of a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge {
    /// From, by position.
    pub source: usize,
    /// To, by position.
    pub target: usize,
    /// Where it stands.
    pub span: Span,
    /// Names that are chosen.
    pub selects: Vec<Select>,
    /// When it can be taken.
    pub guard: Option<Expr>,
    /// Its channel.
    pub sync: Option<Sync>,
    /// What it does.
    pub update: Vec<Expr>,
    /// Whether the controller chooses it (games).
    pub controllable: bool,
    /// Where it is one of the ways through a branch point.
    pub branch: Option<Branch>,
    /// The places between its ends that its drawing goes through.
    pub nails: Vec<(i32, i32)>,
}

/// A way through a branch point. The edge that leads to the point and the one that leaves it are one edge of the template, so an edge to a point from which several lead on stands for several.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Branch {
    /// The number of the edge that leads to the point, among those of the template; its ways have it in common.
    pub of: usize,
    /// How likely this way is, compared with the others; 1 where the text does not say.
    pub weight: Option<Expr>,
}

/// A template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
    /// Its name.
    pub name: String,
    /// Where its name stands.
    pub span: Span,
    /// Its parameters.
    pub parameters: Vec<Parameter>,
    /// Its declarations.
    pub declarations: Vec<Declaration>,
    /// Its locations.
    pub locations: Vec<Location>,
    /// Its initial location, by position.
    pub initial: usize,
    /// Its edges.
    pub edges: Vec<Edge>,
}

/// `P(params) = Q(arguments);`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instance {
    /// The new name.
    pub name: String,
    /// Where it stands.
    pub span: Span,
    /// Its parameters.
    pub parameters: Vec<Parameter>,
    /// The template or instance.
    pub of: String,
    /// Where that name stands.
    pub of_span: Span,
    /// The arguments.
    pub arguments: Vec<Expr>,
}

/// An element of a list of channel priorities.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PriorityElement {
    /// A channel, or an array of channels.
    Channel(Expr),
    /// All others, and steps without a channel.
    Default,
}

/// A part of a model, in the order of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Item {
    /// A declaration.
    Declaration(Declaration),
    /// A template.
    Template(Template),
    /// An instantiation.
    Instance(Instance),
    /// Channel priorities: elements with their levels, from 0 up.
    Priorities(Vec<(PriorityElement, i32)>, Span),
    /// Rows of a Gantt chart.
    Gantt(Vec<GanttEntry>),
    /// `before_update { … }`, `after_update { … }`
    Hook(Hook),
}

/// What every step does beside its updates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hook {
    /// Before the updates, instead of after them.
    pub before: bool,
    /// What is done.
    pub update: Vec<Expr>,
    /// Where it stands.
    pub span: Span,
}

/// Rows of a Gantt chart, one for each choice of values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GanttEntry {
    /// The name.
    pub name: String,
    /// Where it stands.
    pub span: Span,
    /// The values of which there is a row each.
    pub selects: Vec<Select>,
    /// What is drawn.
    pub bars: Vec<GanttBar>,
}

/// A part of a row of a Gantt chart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GanttBar {
    /// Values for any of which it may be drawn.
    pub selects: Vec<Select>,
    /// Where it is drawn.
    pub condition: Expr,
    /// Its colour.
    pub colour: Expr,
}

/// A process, or all processes of a template, on the system line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SystemEntry {
    /// The name.
    pub name: String,
    /// Where it stands.
    pub span: Span,
    /// Its priority, from 0 up.
    pub priority: i32,
}

/// What a query asks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PropertyKind {
    /// `E<> p`
    Possibly(Expr),
    /// `A[] p`
    Invariantly(Expr),
    /// `E[] p`
    PotentiallyAlways(Expr),
    /// `A<> p`
    Eventually(Expr),
    /// `p --> q`
    LeadsTo(Expr, Expr),
    /// `sup{p}: e`
    Supremum(Option<Expr>, Vec<Expr>),
    /// `inf{p}: e`
    Infimum(Option<Expr>, Vec<Expr>),
    /// `control: A<> q`, `A[] p`, `A[p U q]`, `A[p W q]`
    Control(Control),
    /// `… under S`: the question is about what is left when the controller plays that strategy.
    Under(Box<PropertyKind>, String),
    /// What random runs are asked for.
    Chance(Box<Chance>),
    /// A query of a kind that is known by name only.
    Other(&'static str),
}

/// What the controller is to achieve.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Control {
    /// The name of the strategy (`strategy S = control: …`).
    pub name: Option<String>,
    /// What is to hold until then; nothing: anything may.
    pub until: Option<Expr>,
    /// What is to be reached.
    pub goal: Option<Expr>,
    /// Whether it must be reached.
    pub must_reach: bool,
    /// `control_t*`: as soon as possible.
    pub soonest: Option<TimeLimit>,
    /// `E<> control: …`: from some state that both sides together can reach.
    pub cooperative: bool,
}

/// What `control_t*(u, g)` says of time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TimeLimit {
    /// The time within which the goal is to be reached, `u`.
    pub most: Option<Expr>,
    /// What is at least needed from a state on, `g`.
    pub reserve: Option<Expr>,
}

/// A query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Property {
    /// Its text.
    pub text: String,
    /// Where it stands.
    pub span: Span,
    /// What it asks.
    pub kind: PropertyKind,
    /// What its author wrote about it.
    pub comment: Option<String>,
}

/// The query that defines a strategy: the last one of that name.
pub fn strategy<'p>(name: &str, properties: &'p [Property]) -> Option<&'p Property> {
    let defines = |property: &&Property| match &property.kind {
        PropertyKind::Control(control) => control.name.as_deref() == Some(name),
        _ => false,
    };
    properties.iter().rev().find(defines)
}

/// A model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Model {
    /// Its parts.
    pub items: Vec<Item>,
    /// The system line.
    pub system: Vec<SystemEntry>,
}
