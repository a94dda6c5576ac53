//! One form for one array: values of arrays over finite sets of indices.
//!
//! A value of an array is a default and exceptions. Over infinitely many indices that is unique; over finitely many, two of them may be the
//! same function: with both indices excepted a default does not matter. The form that all of them share has the element that
//! stands at most indices as its default, the least of several. An array with fewer exceptions than half of its indices is in that form,
//! so there is something to do only where indices are at most twice as many as the exceptions written.

use crate::{Sort, SortId, Terms, Value};
use num_bigint::BigUint;
use std::collections::BTreeMap;

/// Sets of indices beyond this size never are half excepted.
const LARGEST: u64 = 1 << 32;

impl Terms {
    /// How many values a sort has, if they are few.
    pub fn cardinality(&self, sort: SortId) -> Option<u64> {
        let count = match self.sort(sort) {
            Sort::Bool => 2,
            Sort::Rounding => 5,
            Sort::Word(width) => 1u64.checked_shl(*width).filter(|_| *width < 64)?,
            // All that are no number are one value.
            Sort::Float(format) if format.width() < 64 => {
                let patterns = 1u64 << format.width();
                let not_numbers = (1u64 << format.significand) - 2;
                patterns - not_numbers + 1
            }
            Sort::Array(index, element) => {
                let (indices, elements) = (self.cardinality(*index)?, self.cardinality(*element)?);
                match elements {
                    1 => 1,
                    _ => elements.checked_pow(u32::try_from(indices).ok()?)?,
                }
            }
            Sort::Int | Sort::Real | Sort::Float(_) | Sort::Uninterpreted(_) => return None,
        };
        (count <= LARGEST).then_some(count)
    }

    /// All values of a sort that has few.
    fn values_of(&self, sort: SortId) -> Option<Vec<Value>> {
        let words = |count: u64| (0..count).map(|word| Value::Word(BigUint::from(word)));
        let count = self.cardinality(sort)?;
        Some(match self.sort(sort) {
            Sort::Bool => vec![Value::Bool(false), Value::Bool(true)],
            Sort::Float(format) => {
                let patterns = words(1 << format.width());
                patterns.filter(|word| word.belongs(self, sort)).collect()
            }
            Sort::Array(index, element) => {
                let (indices, elements) = (self.values_of(*index)?, self.values_of(*element)?);
                let number = |rest: &mut u64| {
                    let digit = *rest % elements.len() as u64;
                    *rest /= elements.len() as u64;
                    elements[digit as usize].clone()
                };
                let arrays = (0..count).map(|mut rest| {
                    let exceptions = indices.iter().map(|at| (at.clone(), number(&mut rest)));
                    Value::Array(Box::new(elements[0].clone()), exceptions.collect()).unique(self, sort)
                });
                arrays.collect()
            }
            _ => words(count).collect(),
        })
    }
}

impl Value {
    /// The form that all values share that are the same array of this sort; others are as they were.
    pub fn unique(self, terms: &Terms, sort: SortId) -> Value {
        let (Value::Array(default, exceptions), Sort::Array(index, _)) = (&self, terms.sort(sort)) else {
            return self;
        };
        let few = exceptions.len() as u64 * 2;
        let Some(size) = terms.cardinality(*index).filter(|&size| size <= few) else {
            return self;
        };
        let mut counts: BTreeMap<&Value, u64> = BTreeMap::new();
        for element in exceptions.values() {
            *counts.entry(element).or_default() += 1;
        }
        *counts.entry(default).or_default() += size.saturating_sub(exceptions.len() as u64);
        let most = counts.values().max().copied().unwrap_or(0);
        let common = (counts.iter()).find(|(_, count)| **count == most);
        let common: Value = common.map_or_else(|| (**default).clone(), |(&element, _)| element.clone());
        let mut changed = BTreeMap::new();
        for at in terms.values_of(*index).unwrap_or_default() {
            let element = self.selected(&at);
            if element != common {
                changed.insert(at, element);
            }
        }
        Value::Array(Box::new(common), changed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word(value: u32) -> Value {
        Value::Word(BigUint::from(value))
    }

    #[test]
    fn an_array_has_one_form_however_it_was_written() {
        let mut terms = Terms::new();
        let (bit, pair) = (terms.word_sort(1), terms.word_sort(2));
        for index in [SortId::BOOL, bit, pair] {
            let sort = terms.sort_id(Sort::Array(index, SortId::BOOL));
            let nested = terms.sort_id(Sort::Array(sort, pair));
            let indices = terms.values_of(index).unwrap_or_default();
            let elements = terms.values_of(SortId::BOOL).unwrap_or_default();
            assert_eq!(terms.cardinality(sort), Some(1 << indices.len()));
            let mut forms: std::collections::BTreeSet<Value> = Default::default();
            // Every function, with every default and with the exceptions given in two orders.
            for table in 0..1usize << indices.len() {
                let element = |place: usize| elements[table >> place & 1].clone();
                let mut found = Vec::new();
                for default in &elements {
                    let mut array = Value::Array(Box::new(default.clone()), BTreeMap::new());
                    let mut reversed = array.clone();
                    for place in 0..indices.len() {
                        array = array
                            .stored(indices[place].clone(), element(place))
                            .unique(&terms, sort);
                        let other = indices.len() - 1 - place;
                        reversed =
                            (reversed.stored(indices[other].clone(), element(other))).unique(&terms, sort);
                    }
                    for (place, index) in indices.iter().enumerate() {
                        assert_eq!(array.selected(index), element(place));
                    }
                    found.extend([array, reversed]);
                }
                assert!(found.iter().all(|one| *one == found[0]), "{found:?}");
                forms.insert(found.swap_remove(0));
            }
            assert_eq!(forms.len(), 1 << indices.len());
            let all = terms.values_of(sort).unwrap_or_default();
            assert_eq!(all.into_iter().collect::<std::collections::BTreeSet<_>>(), forms);
            assert_eq!(
                terms.cardinality(nested),
                4u64.checked_pow(1 << indices.len())
                    .filter(|&size| size <= LARGEST)
            );
        }
    }

    #[test]
    fn large_sets_of_indices_leave_arrays_as_they_are() {
        let mut terms = Terms::new();
        let wide = terms.word_sort(64);
        let sort = terms.sort_id(Sort::Array(wide, SortId::INT));
        assert_eq!(terms.cardinality(wide), None);
        assert_eq!(terms.cardinality(sort), None);
        let array = Value::Array(Box::new(word(1)), [(word(3), word(2))].into_iter().collect());
        assert_eq!(array.clone().unique(&terms, sort), array);
    }
}
