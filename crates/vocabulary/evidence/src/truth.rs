//! Kleene's three truth values.
//!
//! A checker that does not know a value says so instead of guessing. `False < Unknown < True`, so that conjunction is the
//! minimum and disjunction the maximum; whatever is `True` or `False` here stays so however the unknown is resolved.

use entail_model::Missing;

/// False, not known, or true.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Truth {
    /// Known to be false.
    False,
    /// Depends on something that is not known.
    Unknown,
    /// Known to be true.
    True,
}

impl Truth {
    /// Both.
    pub fn and(self, other: Truth) -> Truth {
        self.min(other)
    }

    /// The disjunction.
    pub fn or(self, other: Truth) -> Truth {
        self.max(other)
    }

    /// The truth value, if it is known.
    pub fn known(self) -> Option<bool> {
        match self {
            Truth::False => Some(false),
            Truth::Unknown => None,
            Truth::True => Some(true),
        }
    }

    /// Both known and equal; `Unknown` where one is not known.
    pub fn iff(self, other: Truth) -> Truth {
        match (self.known(), other.known()) {
            (Some(left), Some(right)) => Truth::from(left == right),
            _ => Truth::Unknown,
        }
    }
}

impl std::ops::Not for Truth {
    type Output = Truth;

    fn not(self) -> Truth {
        match self {
            Truth::False => Truth::True,
            Truth::Unknown => Truth::Unknown,
            Truth::True => Truth::False,
        }
    }
}

impl From<bool> for Truth {
    fn from(truth: bool) -> Truth {
        if truth { Truth::True } else { Truth::False }
    }
}

impl From<Option<bool>> for Truth {
    fn from(truth: Option<bool>) -> Truth {
        truth.map_or(Truth::Unknown, Truth::from)
    }
}

impl From<Result<bool, Missing>> for Truth {
    fn from(truth: Result<bool, Missing>) -> Truth {
        Truth::from(truth.ok())
    }
}

#[cfg(test)]
mod tests {
    use super::Truth::{self, False, True, Unknown};

    #[test]
    fn what_is_known_does_not_depend_on_the_unknown() {
        assert_eq!(False.and(Unknown), False);
        assert_eq!(True.or(Unknown), True);
        assert_eq!(True.and(Unknown), Unknown);
        assert_eq!(!Unknown, Unknown);
        assert_eq!(Truth::from(None), Unknown);
        assert_eq!(Unknown.iff(Unknown), Unknown);
    }
}
