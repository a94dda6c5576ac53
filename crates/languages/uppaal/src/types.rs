//! Types after all names are resolved, and how values of them lie in memory.

use std::rc::Rc;

/// Kinds of memory: integers, clocks, channels.
pub(crate) const INTEGERS: usize = 0;
pub(crate) const CLOCKS: usize = 1;
pub(crate) const CHANNELS: usize = 2;

/// A type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Type {
    Int {
        low: i64,
        high: i64,
    },
    Bool,
    /// A set of values without order: its number and size.
    Scalar {
        set: usize,
        size: i64,
    },
    Clock,
    Channel {
        urgent: bool,
        broadcast: bool,
    },
    Void,
    /// A floating-point number.
    Double,
    /// A floating-point number that is left out: it has no memory, what is done to it is dropped.
    Ignored,
    /// A clock with any derivative, which no condition may depend on: it has no memory, and what is done to it is left out.
    Hybrid,
    /// Elements, their number, the index of the first, and the set of scalars that it is indexed by.
    Array(Rc<Type>, usize, i64, Option<usize>),
    Struct(Rc<Vec<(String, Type)>>),
}

/// The range of `int`.
pub(crate) const PLAIN: Type = Type::Int {
    low: -32768,
    high: 32767,
};

impl Type {
    /// How much of each kind of memory it takes; nothing if that is too much.
    pub fn sizes(&self) -> Option<[usize; 3]> {
        let mut sizes = [0; 3];
        match self {
            Type::Int { .. } | Type::Bool | Type::Scalar { .. } | Type::Double => sizes[INTEGERS] = 1,
            Type::Clock => sizes[CLOCKS] = 1,
            Type::Channel { .. } => sizes[CHANNELS] = 1,
            Type::Void | Type::Hybrid | Type::Ignored => {}
            Type::Array(of, count, ..) => {
                for (size, one) in sizes.iter_mut().zip(of.sizes()?) {
                    *size = one.checked_mul(*count).filter(|size| *size <= 1 << 20)?;
                }
            }
            Type::Struct(fields) => {
                for (_, field) in fields.iter() {
                    for (size, one) in sizes.iter_mut().zip(field.sizes()?) {
                        *size += one;
                    }
                }
            }
        }
        Some(sizes)
    }

    /// The least and largest value of an integer type.
    pub fn range(&self) -> Option<(i64, i64)> {
        match self {
            Type::Int { low, high } => Some((*low, *high)),
            Type::Bool => Some((0, 1)),
            Type::Scalar { size, .. } => Some((0, size - 1)),
            _ => None,
        }
    }

    /// Whether it is a floating-point number, known or not.
    pub fn is_real(&self) -> bool {
        matches!(self, Type::Double | Type::Ignored)
    }

    /// Whether anything in it is left out.
    pub fn leaves_out(&self) -> bool {
        match self {
            Type::Array(of, ..) => of.leaves_out(),
            Type::Struct(fields) => fields.iter().any(|(_, field)| field.leaves_out()),
            of => matches!(of, Type::Ignored | Type::Hybrid),
        }
    }

    /// Whether it is one integer.
    pub fn is_integer(&self) -> bool {
        self.range().is_some()
    }

    /// The ranges of all integers in it, in order.
    pub fn leaves(&self, found: &mut Vec<(i64, i64)>) {
        match self {
            Type::Array(of, count, ..) => (0..*count).for_each(|_| of.leaves(found)),
            Type::Struct(fields) => fields.iter().for_each(|(_, field)| field.leaves(found)),
            // As it is stored.
            Type::Double => found.push((i64::MIN, i64::MAX)),
            other => found.extend(other.range()),
        }
    }

    /// The names of all elements of a kind in it, behind a name.
    pub fn names(&self, name: &str, kind: usize, found: &mut Vec<String>) {
        match self {
            Type::Array(of, count, low, _) => {
                (*low..*low + *count as i64)
                    .for_each(|index| of.names(&format!("{name}[{index}]"), kind, found));
            }
            Type::Struct(fields) => {
                let each = |(field, of): &(String, Type)| of.names(&format!("{name}.{field}"), kind, found);
                fields.iter().for_each(each);
            }
            other => {
                let own = match other {
                    Type::Clock => CLOCKS,
                    Type::Channel { .. } => CHANNELS,
                    Type::Void | Type::Hybrid | Type::Ignored => return,
                    _ => INTEGERS,
                };
                if own == kind {
                    found.push(name.to_owned());
                }
            }
        }
    }

    /// The kind of the channels in it.
    pub fn channel(&self) -> Option<(bool, bool)> {
        match self {
            Type::Channel { urgent, broadcast } => Some((*urgent, *broadcast)),
            Type::Array(of, ..) => of.channel(),
            Type::Struct(fields) => fields.iter().find_map(|(_, field)| field.channel()),
            _ => None,
        }
    }

    /// What a message calls it.
    pub fn name(&self) -> &'static str {
        match self {
            Type::Int { .. } => "an integer",
            Type::Bool => "a truth value",
            Type::Scalar { .. } => "a scalar",
            Type::Clock => "a clock",
            Type::Channel { .. } => "a channel",
            Type::Void => "nothing",
            Type::Double | Type::Ignored => "a floating-point number",
            Type::Hybrid => "a hybrid clock, which conditions of the model must not depend on",
            Type::Array(..) => "an array",
            Type::Struct(_) => "a record",
        }
    }
}
