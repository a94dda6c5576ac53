//! The syntax tree, in an arena.
//!
//! Expressions are [`ExprId`]s into one vector, children before parents, so dropping a tree is freeing a vector and
//! walking one never needs the machine stack. Chains of `&`, `|` and `+` are single n-ary nodes: generated models hold
//! disjunctions of a hundred thousand terms. Every node knows its depth, and the parser refuses trees deeper than
//! [`MAX_DEPTH`], so that passes that do recurse have a bound.

use super::interner::{Interner, Symbol};
use super::word_literal::WordLiteral;
use entail_source::Span;

/// The deepest expression accepted.
pub const MAX_DEPTH: u32 = 10_000;

/// An expression in the arena.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ExprId(u32);

impl ExprId {
    /// The position in the arena.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A run of expressions in the arena's list pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct List {
    start: u32,
    length: u32,
}

/// A word constant in the arena's pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WordId(u32);

/// Operators with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unary {
    Not,
    Negate,
}

/// Operators with two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Binary {
    Implies,
    Iff,
    Xor,
    Xnor,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Subtract,
    Multiply,
    Divide,
    Modulo,
    ShiftLeft,
    ShiftRight,
    Concat,
    Union,
    In,
}

/// Associative operators with any number of operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Nary {
    And,
    Or,
    Add,
}

/// Built-in functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Function {
    Abs,
    Min,
    Max,
    Bool,
    Word1,
    ToInt,
    Signed,
    Unsigned,
    Extend,
    Resize,
    SizeOf,
    UwConst,
    SwConst,
    Count,
    /// The largest whole number that is not greater.
    Floor,
    /// `READ(array, index)`
    Read,
    /// `WRITE(array, index, element)`
    Write,
    /// `CONSTARRAY(type, element)`
    ConstArray,
}

/// Temporal operators with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TemporalUnary {
    /// Path quantifiers alone (CTL*).
    All,
    Exists,
    /// CTL pairs.
    AX,
    EX,
    AF,
    EF,
    AG,
    EG,
    /// LTL.
    X,
    F,
    G,
    /// Past LTL.
    Y,
    Z,
    H,
    O,
}

/// Unary temporal operators with a bound.
#[allow(clippy::upper_case_acronyms, reason = "the operators are called so")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BoundedUnary {
    ABF,
    EBF,
    ABG,
    EBG,
    F,
    G,
    H,
    O,
}

/// Temporal operators with two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TemporalBinary {
    /// `A [ p U q ]`
    AU,
    /// `E [ p U q ]`
    EU,
    U,
    V,
    S,
    T,
}

/// A type in the arena's pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TypeId(u32);

/// Quantities a `COMPUTE` asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Distance {
    Min,
    Max,
}

/// What an expression is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Expr {
    Bool(bool),
    Number(i64),
    Word(WordId),
    /// A real constant; the text says which.
    Real,
    Name(Symbol),
    SelfRef,
    Dot(ExprId, Symbol),
    Index(ExprId, ExprId),
    BitSelect {
        word: ExprId,
        high: ExprId,
        low: ExprId,
    },
    Unary(Unary, ExprId),
    Binary(Binary, ExprId, ExprId),
    Nary(Nary, List),
    /// `{a, b}`
    Set(List),
    /// `1..3` as a set.
    Range(i64, i64),
    IfThenElse(ExprId, ExprId, ExprId),
    /// Conditions and results, alternating.
    Case(List),
    Next(ExprId),
    Call(Function, List),
    /// A declared function, applied.
    Apply(ExprId, List),
    /// `typeof(x)`, and a type where an expression stands: arguments of `CONSTARRAY` alone.
    TypeOf(ExprId),
    Type(TypeId),
    /// `[[1, 2], [3, 4]]`: only the right side of a define.
    ArrayLiteral(List),
    Temporal(TemporalUnary, ExprId),
    Bounded(BoundedUnary, i64, i64, ExprId),
    TemporalBinary(TemporalBinary, ExprId, ExprId),
    /// `A [ p BU a..b q ]` (the flag: for all paths).
    BoundedUntil {
        all: bool,
        low: i64,
        high: i64,
        left: ExprId,
        right: ExprId,
    },
    /// `MIN [ p , q ]`, `MAX [ p , q ]`
    Compute(Distance, ExprId, ExprId),
}

#[derive(Clone, Copy, Debug)]
struct Node {
    expr: Expr,
    start: u32,
    end: u32,
    depth: u32,
}

/// All expressions of a text.
#[derive(Clone, Debug, Default)]
pub struct Arena {
    nodes: Vec<Node>,
    lists: Vec<ExprId>,
    words: Vec<WordLiteral>,
    types: Vec<TypeExpr>,
    /// The identifiers.
    pub names: Interner,
}

impl Arena {
    /// Adds an expression.
    pub fn add(&mut self, expr: Expr, span: Span) -> ExprId {
        let depth = 1 + self.deepest_child(expr);
        let id = ExprId(self.nodes.len() as u32);
        self.nodes.push(Node {
            expr,
            start: span.start as u32,
            end: span.end as u32,
            depth,
        });
        id
    }

    /// Adds a list of expressions.
    pub fn add_list(&mut self, items: &[ExprId]) -> List {
        let start = self.lists.len() as u32;
        self.lists.extend_from_slice(items);
        List {
            start,
            length: items.len() as u32,
        }
    }

    /// Adds a word constant.
    pub fn add_word(&mut self, word: WordLiteral) -> WordId {
        self.words.push(word);
        WordId(self.words.len() as u32 - 1)
    }

    /// Adds a type.
    pub fn add_type(&mut self, ty: TypeExpr) -> TypeId {
        self.types.push(ty);
        TypeId(self.types.len() as u32 - 1)
    }

    /// A type.
    pub fn type_at(&self, id: TypeId) -> &TypeExpr {
        &self.types[id.0 as usize]
    }

    /// The expression.
    pub fn get(&self, id: ExprId) -> Expr {
        self.nodes[id.index()].expr
    }

    /// Where it stands.
    pub fn span(&self, id: ExprId) -> Span {
        let node = &self.nodes[id.index()];
        Span::new(node.start as usize, node.end as usize)
    }

    /// Widens the place of an expression (to its parentheses).
    pub fn set_span(&mut self, id: ExprId, span: Span) {
        let node = &mut self.nodes[id.index()];
        node.start = span.start as u32;
        node.end = span.end as u32;
    }

    /// How deep it is; a leaf has depth 1.
    pub fn depth(&self, id: ExprId) -> u32 {
        self.nodes[id.index()].depth
    }

    /// The members of a list.
    pub fn list(&self, list: List) -> &[ExprId] {
        &self.lists[list.start as usize..(list.start + list.length) as usize]
    }

    /// A word constant.
    pub fn word(&self, id: WordId) -> &WordLiteral {
        &self.words[id.0 as usize]
    }

    /// The expression at a position.
    pub fn id_at(&self, index: usize) -> ExprId {
        ExprId(index as u32)
    }

    /// How many expressions there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Calls `visit` on each direct child.
    pub fn children(&self, expr: Expr, mut visit: impl FnMut(ExprId)) {
        match expr {
            Expr::Bool(_)
            | Expr::Number(_)
            | Expr::Word(_)
            | Expr::Real
            | Expr::Name(_)
            | Expr::SelfRef
            | Expr::Type(_)
            | Expr::Range(..) => {}
            Expr::TypeOf(inner)
            | Expr::Dot(inner, _)
            | Expr::Unary(_, inner)
            | Expr::Next(inner)
            | Expr::Temporal(_, inner)
            | Expr::Bounded(_, _, _, inner) => visit(inner),
            Expr::Index(left, right)
            | Expr::Binary(_, left, right)
            | Expr::TemporalBinary(_, left, right)
            | Expr::BoundedUntil { left, right, .. }
            | Expr::Compute(_, left, right) => {
                visit(left);
                visit(right);
            }
            Expr::BitSelect { word, high, low } => {
                visit(word);
                visit(high);
                visit(low);
            }
            Expr::IfThenElse(condition, yes, no) => {
                visit(condition);
                visit(yes);
                visit(no);
            }
            Expr::Apply(function, list) => {
                visit(function);
                self.list(list).iter().copied().for_each(visit);
            }
            Expr::Nary(_, list)
            | Expr::Set(list)
            | Expr::Case(list)
            | Expr::Call(_, list)
            | Expr::ArrayLiteral(list) => self.list(list).iter().copied().for_each(visit),
        }
    }

    fn deepest_child(&self, expr: Expr) -> u32 {
        let mut deepest = 0;
        self.children(expr, |child| deepest = deepest.max(self.depth(child)));
        deepest
    }
}

/// A name with its place.
#[derive(Clone, Copy, Debug)]
pub struct Ident {
    /// The name; composite names such as `a.b[3]` are one symbol.
    pub symbol: Symbol,
    /// Where.
    pub span: Span,
}

/// The kinds of variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VarKind {
    State,
    Input,
    Frozen,
}

/// A type as written.
#[derive(Clone, Debug)]
pub struct TypeExpr {
    /// What it is.
    pub kind: TypeKind,
    /// Where.
    pub span: Span,
}

/// The kinds of type.
#[derive(Clone, Debug)]
pub enum TypeKind {
    Boolean,
    /// `lo..hi`, both constant expressions.
    Range(ExprId, ExprId),
    /// `{a, 1, -3}`: names, numbers and Boolean constants.
    Enum(Vec<ExprId>),
    Word {
        signed: bool,
        width: ExprId,
    },
    /// The bounds of each dimension, outermost first, and the element type.
    Array(Vec<(ExprId, ExprId)>, Box<TypeExpr>),
    /// `M(args)`, possibly a process.
    Instance {
        module: Ident,
        arguments: Vec<ExprId>,
        process: bool,
    },
    Integer,
    Real,
    Clock,
    /// An array over all integers or all words of a width: the types of its indices and its elements.
    Map(Box<TypeExpr>, Box<TypeExpr>),
}

/// What an assignment assigns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AssignKind {
    Current,
    Init,
    Next,
}

/// The plain constraint sections.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConstraintKind {
    Init,
    Trans,
    Invar,
    Justice,
}

/// The kinds of specification.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SpecKind {
    Ctl,
    Ltl,
    Invariant,
    Compute,
    /// A formula given on the command line: any of CTL*, past included.
    CtlStar,
}

/// One declaration of a module's body.
#[derive(Clone, Debug)]
pub enum Item {
    Variable {
        kind: VarKind,
        name: Ident,
        ty: TypeExpr,
    },
    Define {
        name: Ident,
        body: ExprId,
    },
    /// A function of which nothing else is known.
    Function {
        name: Ident,
        arguments: Vec<TypeExpr>,
        result: TypeExpr,
    },
    Constants(Vec<Ident>),
    Assign {
        kind: AssignKind,
        target: ExprId,
        value: ExprId,
        span: Span,
    },
    Constraint {
        kind: ConstraintKind,
        expr: ExprId,
    },
    /// Where it holds, time stands still.
    Urgent(ExprId),
    Compassion {
        often: ExprId,
        then: ExprId,
    },
    Spec {
        kind: SpecKind,
        name: Option<Ident>,
        formula: ExprId,
        context: Option<ExprId>,
    },
    /// A property in PSL, which is not read yet.
    Psl {
        span: Span,
    },
    Isa(Ident),
}

/// A module.
#[derive(Clone, Debug)]
pub struct Module {
    /// Its name.
    pub name: Ident,
    /// Its formal parameters.
    pub parameters: Vec<Ident>,
    /// Its body in order.
    pub items: Vec<Item>,
}
