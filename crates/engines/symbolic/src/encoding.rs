//! Variables as bits of decision diagrams.
//!
//! A value is its position in its sort, in binary. A state bit has two diagram variables, *current* and *next*, side by
//! side in the order and grouped so that reordering moves them together (chapter 8, §8.3.1). Inputs and frozen variables
//! have one. Positions that stand for no value are excluded by a validity condition, which is a conjunct of the state
//! space (of the relation, for inputs). Arrays have a copy of the element's bits for each index.
//!
//! Further pairs of bits, which belong to no variable of the model, can be added (temporal testers use them).

use crate::stop::{Attempt, NotComputed};
use entail_dd::{Bdd, Manager, Substitution, Var};
use entail_model::{Sort, TransitionSystem, Value, VarId, VarKind, Word};
use num_bigint::BigUint;
use std::cell::RefCell;

/// Most bits a variable may have.
const MAX_WIDTH: usize = 1 << 16;

/// One bit of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Bit {
    pub current: Var,
    /// The copy for the next state; a frozen bit is its own, an input has none.
    pub next: Option<Var>,
}

/// Where a variable of the model lives.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    pub sort: Sort,
    pub kind: VarKind,
    /// Least significant first; arrays element by element.
    pub bits: Vec<Bit>,
}

/// How many bits a value of the sort takes.
pub(crate) fn width_of(sort: &Sort) -> Attempt<usize> {
    let too_wide = || {
        NotComputed::Unsupported(format!(
            "variables of sort {sort} have too many bits for decision diagrams"
        ))
    };
    let width = match sort {
        Sort::Bool => 1,
        Sort::Range { .. } | Sort::Enum(_) => {
            let size = sort.size().ok_or_else(too_wide)?;
            (u64::BITS - (size - 1).leading_zeros()) as usize
        }
        Sort::Word { width, .. } => *width as usize,
        Sort::Array { index, element } => {
            let length = index
                .size()
                .and_then(|size| usize::try_from(size).ok())
                .filter(|&size| size <= MAX_WIDTH)
                .ok_or_else(too_wide)?;
            width_of(element)?.checked_mul(length).ok_or_else(too_wide)?
        }
    };
    if width > MAX_WIDTH {
        return Err(too_wide());
    }
    Ok(width)
}

/// The bits of a system.
pub(crate) struct Encoding {
    pub manager: Manager,
    pub layouts: Vec<Layout>,
    /// Bits of state variables, which change.
    pub state_bits: Vec<Bit>,
    pub frozen_bits: Vec<Var>,
    pub input_bits: Vec<Var>,
    /// Codes of current values that stand for values, one condition a variable.
    pub valid_states: Vec<Bdd>,
    pub valid_inputs: Vec<Bdd>,
    pub to_next: Substitution,
    pub to_current: Substitution,
    groups: RefCell<Vec<Vec<Var>>>,
}

impl Encoding {
    /// Makes the bits in the given order: pairs of a variable and the number of its bit, each once.
    pub fn new(system: &TransitionSystem, manager: Manager, order: &[(VarId, usize)]) -> Attempt<Encoding> {
        let mut bits: Vec<Vec<Option<Bit>>> = Vec::new();
        for variable in system.variables() {
            bits.push(vec![None; width_of(&variable.sort)?]);
        }
        let mut groups = Vec::new();
        for &(id, position) in order {
            let current = manager.new_var()?;
            let next = match system.variable(id).kind {
                VarKind::State => Some(manager.new_var()?),
                VarKind::Frozen => Some(current),
                VarKind::Input => None,
            };
            if let Some(next) = next
                && next != current
            {
                groups.push(vec![current, next]);
            }
            bits[id.index()][position] = Some(Bit { current, next });
        }
        manager.set_groups(&groups)?;
        let mut encoding = Encoding {
            layouts: Vec::new(),
            state_bits: Vec::new(),
            frozen_bits: Vec::new(),
            input_bits: Vec::new(),
            valid_states: Vec::new(),
            valid_inputs: Vec::new(),
            to_next: Substitution::new(&manager, []),
            to_current: Substitution::new(&manager, []),
            manager,
            groups: RefCell::new(groups),
        };
        for (variable, bits) in system.variables().iter().zip(bits) {
            let bits: Vec<Bit> = bits
                .into_iter()
                .map(|bit| bit.expect("an order lists every bit"))
                .collect();
            match variable.kind {
                VarKind::State => encoding.state_bits.extend(&bits),
                VarKind::Frozen => encoding.frozen_bits.extend(bits.iter().map(|bit| bit.current)),
                VarKind::Input => encoding.input_bits.extend(bits.iter().map(|bit| bit.current)),
            }
            let codes: Vec<Var> = bits.iter().map(|bit| bit.current).collect();
            let valid = encoding.valid(&variable.sort, &codes)?;
            if !valid.is_true() {
                match variable.kind {
                    VarKind::Input => encoding.valid_inputs.push(valid),
                    _ => encoding.valid_states.push(valid),
                }
            }
            encoding.layouts.push(Layout {
                sort: variable.sort.clone(),
                kind: variable.kind,
                bits,
            });
        }
        encoding.to_next = encoding.renaming(&encoding.state_bits, true)?;
        encoding.to_current = encoding.renaming(&encoding.state_bits, false)?;
        Ok(encoding)
    }

    /// A further pair of bits, last in the order.
    pub fn add_pair(&self) -> Attempt<Bit> {
        let current = self.manager.new_var()?;
        let next = self.manager.new_var()?;
        let mut groups = self.groups.borrow_mut();
        groups.push(vec![current, next]);
        self.manager.set_groups(&groups)?;
        Ok(Bit {
            current,
            next: Some(next),
        })
    }

    /// The renaming of current bits to next ones, or back.
    pub fn renaming(&self, bits: &[Bit], forward: bool) -> Attempt<Substitution> {
        let pairs = bits.iter().filter_map(|bit| {
            let next = bit.next?;
            Some(if forward {
                (bit.current, next)
            } else {
                (next, bit.current)
            })
        });
        Ok(Substitution::renaming(&self.manager, pairs.collect::<Vec<_>>())?)
    }

    /// The names of all bits from the top of the order down, as in order files: `x`, or `x.3` for bit 3 of a variable with
    /// several. Each pair of current and next bits is named once.
    pub fn order_names(&self, system: &TransitionSystem) -> Vec<String> {
        let mut places = Vec::new();
        for (variable, layout) in system.variables().iter().zip(&self.layouts) {
            for (place, bit) in layout.bits.iter().enumerate() {
                let name = match layout.bits.len() {
                    1 => variable.name.to_string(),
                    _ => format!("{}.{place}", variable.name),
                };
                places.push((self.manager.level(bit.current), name));
            }
        }
        places.sort();
        places.into_iter().map(|(_, name)| name).collect()
    }

    /// The codes (least significant bit first) that stand for values of the sort.
    fn valid(&self, sort: &Sort, codes: &[Var]) -> Attempt<Bdd> {
        let manager = &self.manager;
        match sort {
            Sort::Bool | Sort::Word { .. } => Ok(manager.one()),
            Sort::Range { .. } | Sort::Enum(_) => {
                let last = sort.size().map_or(u64::MAX, |size| size - 1);
                // position <= last, from the least significant bit up.
                let mut valid = manager.one();
                for (place, &bit) in codes.iter().enumerate() {
                    let bit = manager.var(bit)?;
                    valid = if last >> place & 1 == 1 {
                        bit.not().or(&valid)?
                    } else {
                        bit.not().and(&valid)?
                    };
                }
                Ok(valid)
            }
            Sort::Array { element, .. } => {
                let width = width_of(element)?;
                let mut valid = manager.one();
                if width > 0 {
                    for codes in codes.chunks(width) {
                        valid = valid.and(&self.valid(element, codes)?)?;
                    }
                }
                Ok(valid)
            }
        }
    }

    /// The value that bits encode, least significant first. Codes outside the sort do not occur in valid states.
    pub fn decode(sort: &Sort, bits: &[bool]) -> Value {
        match sort {
            Sort::Array { index, element } => {
                let length = index.size().unwrap_or(0) as usize;
                let width = bits.len() / length.max(1);
                let elements =
                    (0..length).map(|at| Encoding::decode(element, &bits[at * width..(at + 1) * width]));
                Value::Array(elements.collect())
            }
            Sort::Word { width, signed } => {
                let mut number = BigUint::default();
                for (place, &bit) in bits.iter().enumerate() {
                    number.set_bit(place as u64, bit);
                }
                Value::Word(Word::new(*width, *signed, number))
            }
            _ => {
                let position = bits
                    .iter()
                    .rev()
                    .fold(0u64, |code, &bit| code << 1 | u64::from(bit));
                let last = sort.size().map_or(u64::MAX, |size| size - 1);
                sort.value_at(position.min(last))
            }
        }
    }
}
