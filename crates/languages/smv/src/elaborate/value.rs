//! What an expression is lowered to.
//!
//! Most expressions are terms. Sets (`{a, b}`, `1..3`, `union`, and choices between them) are kept as trees, because they
//! only ever mean membership: on the right of `:=` or around `in`. The trees live in an arena, so a choice between a
//! hundred thousand sets is dropped without recursion. Arrays are kept as their elements, and the name of an
//! instance, which modules receive as a parameter, only as that: members are found through names, not values.

use entail_model::{Sort, TermId, Terms};
use std::sync::Arc;

/// The value of an expression.
#[derive(Clone, Debug)]
pub(crate) enum Lowered {
    Term(TermId),
    Set(SetId),
    Array(Arc<ArrayValue>),
    Instance,
    /// Something was wrong and has been reported.
    Error,
}

/// A set in a [`Sets`] arena.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SetId(u32);

/// A set of values, possibly depending on the state.
#[derive(Clone, Debug)]
pub(crate) enum SetTree {
    Element(TermId),
    Range(i64, i64),
    Union(Vec<SetId>),
    Choice(TermId, SetId, SetId),
}

/// All sets of a model, each with the kind of its members.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sets(Vec<(SetTree, Kind)>);

impl Sets {
    /// Adds a set; nothing if its members do not go together.
    pub(crate) fn add(&mut self, terms: &Terms, tree: SetTree) -> Option<SetId> {
        let kind = match &tree {
            SetTree::Element(term) => Kind::of_sort(terms.sort(*term)),
            SetTree::Range(..) => Kind::Integer,
            SetTree::Union(members) => {
                let mut kinds = members.iter().map(|&member| self.kind(member));
                let first = kinds.next()?;
                kinds.try_fold(first, Kind::common)?
            }
            SetTree::Choice(_, yes, no) => self.kind(*yes).common(self.kind(*no))?,
        };
        self.0.push((tree, kind));
        Some(SetId(self.0.len() as u32 - 1))
    }

    pub(crate) fn tree(&self, id: SetId) -> &SetTree {
        &self.0[id.0 as usize].0
    }

    pub(crate) fn kind(&self, id: SetId) -> Kind {
        self.0[id.0 as usize].1
    }
}

/// An array by its elements.
#[derive(Clone, Debug)]
pub(crate) struct ArrayValue {
    /// Index of the first element.
    pub low: i64,
    pub elements: Vec<Lowered>,
}

/// The types of the language, as far as its rules tell them apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Boolean,
    Integer,
    Symbolic,
    /// Integers and symbols.
    Mixed,
    Word {
        width: u32,
        signed: bool,
    },
}

impl Kind {
    /// The kind of a term's values.
    pub(crate) fn of_sort(sort: &Sort) -> Kind {
        match sort {
            Sort::Bool => Kind::Boolean,
            Sort::Range { .. } => Kind::Integer,
            Sort::Enum(values) => {
                let integers = values.iter().filter(|value| value.as_int().is_some()).count();
                if integers == values.len() {
                    Kind::Integer
                } else if integers == 0 {
                    Kind::Symbolic
                } else {
                    Kind::Mixed
                }
            }
            Sort::Word { width, signed } => Kind::Word {
                width: *width,
                signed: *signed,
            },
            // Arrays never become terms here.
            Sort::Array { .. } => Kind::Mixed,
        }
    }

    pub(crate) fn is_discrete(self) -> bool {
        matches!(self, Kind::Integer | Kind::Symbolic | Kind::Mixed)
    }

    /// The least kind both convert to.
    pub(crate) fn common(self, other: Kind) -> Option<Kind> {
        if self == other {
            Some(self)
        } else if self.is_discrete() && other.is_discrete() {
            Some(Kind::Mixed)
        } else {
            None
        }
    }

    /// Whether one of the two converts to the other: what `=` and `in` ask.
    pub(crate) fn comparable(self, other: Kind) -> bool {
        self == other
            || (self == Kind::Mixed && other.is_discrete())
            || (other == Kind::Mixed && self.is_discrete())
    }

    /// Whether a value of kind `value` may be assigned to a variable of this kind.
    pub(crate) fn accepts(self, value: Kind) -> bool {
        self == value || (self == Kind::Mixed && value.is_discrete())
    }

    /// As messages name it.
    pub(crate) fn name(self) -> String {
        match self {
            Kind::Boolean => "boolean".to_string(),
            Kind::Integer => "integer".to_string(),
            Kind::Symbolic => "symbolic".to_string(),
            Kind::Mixed => "integer-and-symbolic".to_string(),
            Kind::Word { width, signed } => {
                format!("{} word[{width}]", if signed { "signed" } else { "unsigned" })
            }
        }
    }
}

impl Lowered {
    /// As messages name its type.
    pub(crate) fn type_name(&self, terms: &Terms, sets: &Sets) -> String {
        match self {
            Lowered::Term(term) => Kind::of_sort(terms.sort(*term)).name(),
            Lowered::Set(set) => format!("{}-set", sets.kind(*set).name()),
            Lowered::Array(array) => {
                let high = array.low + array.elements.len() as i64 - 1;
                let element = array
                    .elements
                    .first()
                    .map_or_else(String::new, |element| element.type_name(terms, sets));
                format!("array {}..{high} of {element}", array.low)
            }
            Lowered::Instance => "module instance".to_string(),
            Lowered::Error => "error".to_string(),
        }
    }
}
