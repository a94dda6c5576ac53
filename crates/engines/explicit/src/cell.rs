//! Values as machine numbers.
//!
//! Inside the engine every scalar value is one *cell*, an `i64`: truth values are 0 and 1, integers are themselves,
//! words of at most 64 bits are their bits, and each named constant has a number far below every integer a model
//! uses. One numbering for the whole model makes equality of terms of different enumerations a comparison of cells.
//! Wider words and arrays are sequences of cells (limbs, elements), see `layout`.

use crate::Unsupported;
use entail_model::{Sort, TermId, Terms, TransitionSystem, Value, Word};
use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;
use std::sync::Arc;

/// Named constants are numbered upwards from here; integers must stay above [`SMALLEST_INTEGER`].
const FIRST_SYMBOL: i64 = i64::MIN;
const SMALLEST_INTEGER: i64 = i64::MIN + (1 << 40);

/// The numbering of a model's named constants.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cells {
    numbers: HashMap<Arc<str>, i64, FxBuildHasher>,
    names: Vec<Arc<str>>,
}

impl Cells {
    /// Numbers the named constants of the variables' sorts, in order, so that most enumerations are intervals of cells.
    pub fn of(system: &TransitionSystem) -> Result<Cells, Unsupported> {
        let mut cells = Cells::default();
        for variable in system.variables() {
            cells.add_sort(&variable.sort)?;
        }
        Ok(cells)
    }

    /// The same numbering with the constants of further terms added.
    pub fn with_terms(&self, terms: &Terms, cone: &[TermId]) -> Result<Cells, Unsupported> {
        let mut cells = self.clone();
        for &term in cone {
            cells.add_sort(terms.sort(term))?;
        }
        Ok(cells)
    }

    fn add_sort(&mut self, sort: &Sort) -> Result<(), Unsupported> {
        match sort {
            Sort::Enum(values) => {
                for value in values.iter() {
                    match value {
                        Value::Symbol(name) => self.number(name),
                        Value::Int(number) if *number < SMALLEST_INTEGER => return Err(too_small(*number)),
                        _ => {}
                    }
                }
                Ok(())
            }
            Sort::Range { low, .. } if *low < SMALLEST_INTEGER => Err(too_small(*low)),
            Sort::Array { index, element } => {
                self.add_sort(index)?;
                self.add_sort(element)
            }
            _ => Ok(()),
        }
    }

    fn number(&mut self, name: &Arc<str>) {
        let next = FIRST_SYMBOL + self.names.len() as i64;
        let names = &mut self.names;
        self.numbers.entry(Arc::clone(name)).or_insert_with(|| {
            names.push(Arc::clone(name));
            next
        });
    }

    /// The cell of a scalar value; none for wide words, arrays and constants the model does not have.
    pub fn cell(&self, value: &Value) -> Option<i64> {
        match value {
            Value::Bool(truth) => Some(i64::from(*truth)),
            Value::Int(number) => Some(*number),
            Value::Symbol(name) => self.numbers.get(name).copied(),
            Value::Word(word) if word.width() <= 64 => word.to_u64().map(|bits| bits as i64),
            Value::Word(_) | Value::Array(_) => None,
        }
    }

    /// The value of a scalar sort that a cell stands for.
    pub fn value(&self, cell: i64, sort: &Sort) -> Value {
        match sort {
            Sort::Bool => Value::Bool(cell != 0),
            Sort::Word { width, signed } => Value::Word(Word::from_u64(*width, *signed, cell as u64)),
            _ if cell >= SMALLEST_INTEGER => Value::Int(cell),
            _ => match self.names.get((cell - FIRST_SYMBOL) as usize) {
                Some(name) => Value::Symbol(Arc::clone(name)),
                None => Value::Int(cell),
            },
        }
    }
}

fn too_small(number: i64) -> Unsupported {
    Unsupported(format!(
        "the integer {number} is too close to the smallest 64-bit integer"
    ))
}

/// The cells a slot can hold, numbered from 0: positions are what packed states store.
#[derive(Clone, Debug)]
pub(crate) enum Domain {
    /// `low..=low + last`.
    Interval {
        /// The cell at position 0.
        low: i64,
        /// The last position.
        last: u64,
    },
    /// Any list of different cells.
    Listed {
        /// Cells by position.
        cells: Box<[i64]>,
        /// Positions by cell.
        positions: HashMap<i64, u32, FxBuildHasher>,
    },
}

impl Domain {
    /// The domain of a scalar sort.
    pub fn of(sort: &Sort, cells: &Cells) -> Domain {
        match sort {
            Sort::Bool => Domain::Interval { low: 0, last: 1 },
            Sort::Range { low, high } => Domain::Interval {
                low: *low,
                last: high.wrapping_sub(*low) as u64,
            },
            Sort::Enum(values) => {
                let list: Vec<i64> = values.iter().filter_map(|value| cells.cell(value)).collect();
                Domain::listed(list)
            }
            Sort::Word { width, .. } => Domain::bits(*width),
            Sort::Array { .. } => Domain::bits(1),
        }
    }

    /// Every number of so many bits, at most 64.
    pub fn bits(width: u32) -> Domain {
        Domain::Interval {
            low: 0,
            last: u64::MAX >> (64 - width.clamp(1, 64)),
        }
    }

    fn listed(list: Vec<i64>) -> Domain {
        let low = list.first().copied().unwrap_or(0);
        let consecutive = list
            .iter()
            .enumerate()
            .all(|(at, &cell)| cell == low.wrapping_add(at as i64));
        if consecutive {
            return Domain::Interval {
                low,
                last: list.len().saturating_sub(1) as u64,
            };
        }
        let positions = list
            .iter()
            .enumerate()
            .map(|(at, &cell)| (cell, at as u32))
            .collect();
        Domain::Listed {
            cells: list.into(),
            positions,
        }
    }

    /// The last position.
    pub fn last(&self) -> u64 {
        match self {
            Domain::Interval { last, .. } => *last,
            Domain::Listed { cells, .. } => cells.len() as u64 - 1,
        }
    }

    /// Bits that a position takes.
    pub fn width(&self) -> u32 {
        64 - self.last().leading_zeros()
    }

    /// The cell at a position.
    pub fn cell_at(&self, position: u64) -> i64 {
        match self {
            Domain::Interval { low, .. } => low.wrapping_add(position as i64),
            Domain::Listed { cells, .. } => cells[position as usize],
        }
    }

    /// The position of a cell, if it is in the domain.
    pub fn position(&self, cell: i64) -> Option<u64> {
        match self {
            Domain::Interval { low, last } => {
                let position = cell.wrapping_sub(*low) as u64;
                (position <= *last).then_some(position)
            }
            Domain::Listed { positions, .. } => positions.get(&cell).map(|&at| u64::from(at)),
        }
    }

    /// How many values, as a rough number for planning.
    pub fn size_estimate(&self) -> f64 {
        self.last() as f64 + 1.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_and_positions_are_inverse_for_every_kind_of_scalar_sort() {
        let mut system = TransitionSystem::new();
        let sorts = [
            Sort::Bool,
            Sort::range(-2, 3),
            Sort::enumeration([Value::symbol("a"), Value::Int(7), Value::symbol("b")]),
            Sort::enumeration([Value::symbol("b"), Value::symbol("a"), Value::symbol("c")]),
            Sort::word(3),
            Sort::Word {
                width: 64,
                signed: true,
            },
        ];
        for (number, sort) in sorts.iter().enumerate() {
            system.add_variable(format!("x{number}"), sort.clone(), entail_model::VarKind::State);
        }
        let cells = Cells::of(&system).expect("small numbers");
        for sort in &sorts {
            let domain = Domain::of(sort, &cells);
            for position in 0..domain.last().min(20) + 1 {
                let value = sort.value_at(position);
                let cell = cells.cell(&value).expect("a scalar");
                assert_eq!(domain.cell_at(position), cell, "{sort}");
                assert_eq!(domain.position(cell), Some(position));
                assert_eq!(cells.value(cell, sort), value);
            }
        }
    }
}
