//! Models with `integer` and `real` variables, arrays over all indices, functions and clocks, as nuXmv reads them, as first-order
//! transition systems.
//!
//! [`read_unbounded`] takes the same syntax tree as the finite reader and gives a [`FirstOrderSystem`]: modules are instantiated
//! (`scopes.rs`), expressions become terms (`lower.rs`, `operators.rs`), statements become the initial condition and the relation
//! (`statements.rs`); clocks and the time that passes are added last (`time.rs`). Ranges and enumerations are integers within their domain; symbolic constants are numbered over the whole model.
//!
//! What NuSMV calls an error when it happens (a value outside a variable's domain, a `case` without a matching branch, a division by
//! zero) sets the variable `model error` for good, and leaves the assigned variable free within its domain. A property is shown together
//! with the absence of errors, and is violated only on a path without one.
//!
//! Properties are invariants (`INVARSPEC p`; `AG p` and `G p` where every path goes on and is fair) and formulas of LTL with past; formulas of
//! CTL whose every quantifier stands at the beginning (`AF p`, `A [p U q]`) are such. The others are named as unsupported.
//!
//! Not read here: processes, and path formulas about continuous time.

mod lower;
mod maps;
mod operators;
mod paths;
mod scopes;
mod statements;
mod time;

use crate::syntax::parse_model;
use entail_first_order::{Claim, FirstOrderSystem, StateVariable, TermId, Terms};
use entail_source::{Diagnostic, Diagnostics, Source, Span};
use rustc_hash::{FxHashMap, FxHashSet};
use scopes::Scopes;

/// A model over unbounded numbers.
#[derive(Debug)]
pub struct UnboundedModel {
    /// The system.
    pub system: FirstOrderSystem,
    /// The properties.
    pub properties: Vec<UnboundedProperty>,
    /// Specifications that were recognised but cannot be checked: their texts and why.
    pub unsupported: Vec<(String, String)>,
    /// What deserves a look.
    pub warnings: Vec<Diagnostic>,
    /// The names of symbolic constants, by variable of the state and by input: what a number stands for.
    pub constants: Vec<Option<FxHashMap<i64, String>>>,
    /// The same for the inputs.
    pub input_constants: Vec<Option<FxHashMap<i64, String>>>,
    /// Names of the inputs.
    pub inputs: Vec<String>,
}

/// An invariant or a path formula.
#[derive(Clone, Debug)]
pub struct UnboundedProperty {
    /// Its name, if it has one.
    pub name: Option<String>,
    /// Its text.
    pub text: String,
    /// Where it stands.
    pub place: Span,
    /// What is to be shown: the formula, and that no error happens.
    pub goal: Claim,
    /// What a path to a violation makes false: the formula, unless an error has happened.
    pub holds_or_error: Claim,
}

/// Reads a model with unbounded variables.
pub fn read_unbounded(source: &Source) -> Result<UnboundedModel, Diagnostics> {
    read_model(source).map_err(|problems| problems.within(source.text()))
}

fn read_model(source: &Source) -> Result<UnboundedModel, Diagnostics> {
    let parsed = parse_model(source)?;
    let mut reader = Reader::new(source, parsed.arena);
    reader.is_timed = parsed.continuous_time.is_some();
    let statements = reader.instantiate(&parsed.modules);
    if reader.problems.is_empty() {
        reader.declare(&parsed.modules);
    }
    match reader.problems.is_empty() {
        true => reader.finish(&statements, &parsed.modules, parsed.warnings),
        false => Err(Diagnostics(reader.problems)),
    }
}

/// Whether a model, by its beginning, has what only this reader takes: variables over all integers or reals, arrays over all indices,
/// functions, clocks.
pub fn looks_unbounded(beginning: &[u8]) -> bool {
    let text = String::from_utf8_lossy(beginning);
    let mut before = String::new();
    for line in text.lines() {
        let line = line.split("--").next().unwrap_or_default();
        let spaced: String = line
            .chars()
            .flat_map(|letter| match letter {
                ':' | ';' | ',' | '(' | ')' | '{' | '}' | '[' | ']' | '=' => vec![' ', letter, ' '],
                _ => vec![letter],
            })
            .collect();
        for word in spaced.split_whitespace() {
            let is_unbounded = matches!(
                (before.as_str(), word),
                (":" | "of", "integer" | "real" | "clock")
                    | ("array", "integer" | "word" | "unsigned" | "signed")
                    | ("@TIME_DOMAIN", "continuous")
                    | (_, "FUN")
            );
            if is_unbounded {
                return true;
            }
            before = word.to_owned();
        }
    }
    false
}

/// What a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Bool,
    Int,
    Real,
    /// A symbolic constant, as its number.
    Symbol,
    Word {
        width: u32,
        signed: bool,
    },
    /// A map from all values of one kind to another's, by its number.
    Map(maps::MapId),
}

/// A term with what it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Typed {
    term: TermId,
    kind: Kind,
}

/// The values that an expression may have: `union`, sets and ranges give several.
#[derive(Clone, Debug)]
enum Choice {
    One(Typed),
    Several(Vec<Choice>),
    Between(i64, i64),
    /// The first one whose condition holds, the last one otherwise.
    Cases(Vec<(TermId, Choice)>),
}

/// The values of a variable.
#[derive(Clone, Debug, PartialEq)]
enum Domain {
    /// All of the sort.
    All,
    Range(i64, i64),
    Values(Vec<i64>),
}

/// A variable that has been declared.
struct Variable {
    name: String,
    kind: Kind,
    domain: Domain,
    current: TermId,
    /// None for an input.
    next: Option<TermId>,
    is_frozen: bool,
    is_clock: bool,
}

/// A mistake was reported.
struct Reported;

struct Reader<'s> {
    source: &'s Source,
    arena: crate::syntax::ast::Arena,
    terms: Terms,
    scopes: Scopes,
    variables: Vec<Variable>,
    /// Numbers of symbolic constants.
    symbols: FxHashMap<String, i64>,
    problems: Vec<Diagnostic>,
    /// Under which conditions the expression at hand is evaluated.
    guards: Vec<TermId>,
    /// Errors met in the expression at hand.
    errors: Vec<TermId>,
    /// How many definitions are being read inside each other.
    depth: usize,
    /// Values of definitions, by their bodies, their scopes, and whether they are about the next state.
    defined: FxHashMap<(crate::syntax::ast::ExprId, scopes::ScopeId, bool), Choice>,
    assigned: FxHashSet<(usize, crate::syntax::ast::AssignKind)>,
    /// What each map is from and to.
    maps: Vec<(Kind, Kind)>,
    is_timed: bool,
    /// The variable `time`, if it is mentioned.
    time: Option<usize>,
}

impl<'s> Reader<'s> {
    fn new(source: &'s Source, arena: crate::syntax::ast::Arena) -> Reader<'s> {
        Reader {
            source,
            arena,
            terms: Terms::new(),
            scopes: Scopes::default(),
            variables: Vec::new(),
            symbols: FxHashMap::default(),
            problems: Vec::new(),
            guards: Vec::new(),
            errors: Vec::new(),
            depth: 0,
            defined: FxHashMap::default(),
            assigned: FxHashSet::default(),
            maps: Vec::new(),
            is_timed: false,
            time: None,
        }
    }

    fn wrong(&mut self, code: &'static str, message: impl Into<String>, span: Span) -> Reported {
        self.problems
            .push(Diagnostic::error(code, message.into(), span, "here"));
        Reported
    }

    fn state_variable(variable: &Variable) -> Option<StateVariable> {
        Some(StateVariable {
            name: variable.name.clone(),
            current: variable.current,
            next: variable.next?,
        })
    }
}
