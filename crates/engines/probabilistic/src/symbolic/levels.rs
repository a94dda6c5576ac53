//! Numeric functions of states, or of pairs of states, by their values: for each value the set on which the function has it, as a decision diagram.
//!
//! This is a multi-terminal diagram (Fujita, McGeer and Yang 1997) cut into one diagram for each leaf. Probabilities of a model are few, so there are few
//! leaves; and the diagrams share nodes with the sets of states, are reordered with them, and stop with the budget. Sums and products cost the product of the
//! numbers of values. Where no set has a state, the function is zero.

use crate::numbers::{Num, Numbers};
use entail_dd::{Bdd, Manager, Result};
use std::collections::BTreeMap;

/// A function: disjoint sets by value. No set is empty.
pub(super) type Levels = BTreeMap<Num, Bdd>;

/// Gives the function a value on a set on which it had none.
pub(super) fn put(levels: &mut Levels, value: Num, set: Bdd) -> Result<()> {
    if set.is_false() {
        return Ok(());
    }
    let whole = match levels.get(&value) {
        Some(known) => known.or(&set)?,
        None => set,
    };
    levels.insert(value, whole);
    Ok(())
}

/// Where the function has a value.
pub(super) fn defined(manager: &Manager, levels: &Levels) -> Result<Bdd> {
    let mut all = manager.zero();
    for set in levels.values() {
        all = all.or(set)?;
    }
    Ok(all)
}

/// The function on a set only.
pub(super) fn within(levels: &Levels, set: &Bdd) -> Result<Levels> {
    let mut found = Levels::new();
    for (value, own) in levels {
        put(&mut found, *value, own.and(set)?)?;
    }
    Ok(found)
}

/// The sum; where one function has no value, the other's.
pub(super) fn sum(manager: &Manager, numbers: &mut Numbers, left: &Levels, right: &Levels) -> Result<Levels> {
    if left.is_empty() {
        return Ok(right.clone());
    }
    let (of_left, of_right) = (defined(manager, left)?, defined(manager, right)?);
    let mut found = Levels::new();
    for (value, set) in left {
        put(&mut found, *value, set.minus(&of_right)?)?;
    }
    for (value, set) in right {
        put(&mut found, *value, set.minus(&of_left)?)?;
    }
    if of_left.is_disjoint_from(&of_right)? {
        return Ok(found);
    }
    for (a, set) in left {
        for (b, other) in right {
            put(&mut found, numbers.add(*a, *b), set.and(other)?)?;
        }
    }
    Ok(found)
}

/// The product, where both have values.
pub(super) fn product(numbers: &mut Numbers, left: &Levels, right: &Levels) -> Result<Levels> {
    let mut found = Levels::new();
    for (a, set) in left {
        for (b, other) in right {
            put(&mut found, numbers.multiply(*a, *b), set.and(other)?)?;
        }
    }
    Ok(found)
}

/// The quotient, where both have values; the divisor has no value zero.
pub(super) fn quotient(numbers: &mut Numbers, left: &Levels, right: &Levels) -> Result<Levels> {
    let mut found = Levels::new();
    for (a, set) in left {
        for (b, other) in right {
            put(&mut found, numbers.divide(*a, *b), set.and(other)?)?;
        }
    }
    Ok(found)
}
