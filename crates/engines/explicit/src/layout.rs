//! Where each variable lives: in the registers of the machine, and in the bits of a packed state.
//!
//! A variable occupies one *slot* (one cell) if its sort is scalar; a word wider than 64 bits has a slot per 64-bit limb,
//! an array a slot per element. The machine's registers begin with the leaves of terms:
//!
//! ```text
//! 0 .. S           state and frozen variables now
//! S .. S+I         inputs
//! S+I .. S+I+S     state variables after the step (frozen ones are read at their place in 0..S)
//! ```
//!
//! A packed state stores the *position* of each slot's cell in its domain, in as few bits as positions take, no field
//! crossing a 64-bit word. Packing and unpacking are one pass over the fields.

use crate::Unsupported;
use crate::cell::{Cells, Domain};
use entail_model::{Sort, TransitionSystem, Value, VarId, VarKind, Word};
use std::ops::Range;

/// A register of the machine.
pub(crate) type Register = u32;

/// Arrays and words with more slots than this are not stored.
const MOST_SLOTS: usize = 1 << 16;

/// A field whose domain is an interval, as packing needs it.
#[derive(Clone, Copy, Debug)]
struct Interval {
    now: Register,
    after: Register,
    word: u32,
    shift: u32,
    low: i64,
    last: u64,
}

#[derive(Debug)]
struct Field {
    now: Register,
    after: Register,
    word: u32,
    shift: u32,
    mask: u64,
    domain: Domain,
}

#[derive(Debug)]
struct Place {
    sort: Sort,
    kind: VarKind,
    /// Number of the first slot: among state slots, or among input slots.
    first: u32,
    count: u32,
}

/// The layout of one system's variables.
#[derive(Debug)]
pub(crate) struct Layout {
    pub cells: Cells,
    places: Vec<Place>,
    fields: Vec<Field>,
    /// Of the fields those whose domains are intervals, and the numbers of the others.
    intervals: Vec<Interval>,
    listed: Vec<u32>,
    inputs: Vec<Domain>,
    words: usize,
    /// Bytes of a packed state that fields reach.
    bytes: usize,
}

impl Layout {
    pub fn of(system: &TransitionSystem) -> Result<Layout, Unsupported> {
        let cells = Cells::of(system)?;
        let mut places = Vec::new();
        let (mut state_domains, mut inputs): (Vec<(Domain, bool)>, Vec<Domain>) = (Vec::new(), Vec::new());
        for variable in system.variables() {
            let mut domains = Vec::new();
            slot_domains(&variable.sort, &cells, &mut domains).map_err(|_| {
                Unsupported(format!(
                    "`{}` is too large to be stored explicitly",
                    variable.name
                ))
            })?;
            let first = match variable.kind {
                VarKind::Input => inputs.len(),
                _ => state_domains.len(),
            } as u32;
            places.push(Place {
                sort: variable.sort.clone(),
                kind: variable.kind,
                first,
                count: domains.len() as u32,
            });
            match variable.kind {
                VarKind::Input => inputs.extend(domains),
                kind => state_domains.extend(
                    domains
                        .into_iter()
                        .map(|domain| (domain, kind == VarKind::Frozen)),
                ),
            }
        }
        let (slots, input_slots) = (state_domains.len() as u32, inputs.len() as u32);
        let (mut word, mut used) = (0u32, 0u32);
        let mut fields = Vec::new();
        for (slot, (domain, frozen)) in state_domains.into_iter().enumerate() {
            let width = domain.width();
            if used + width > 64 {
                word += 1;
                used = 0;
            }
            let now = slot as Register;
            fields.push(Field {
                now,
                after: if frozen { now } else { slots + input_slots + now },
                word,
                // A domain of one value takes no bits; keep the shift in range when the word is full.
                shift: used.min(63),
                mask: if width == 0 { 0 } else { u64::MAX >> (64 - width) },
                domain,
            });
            used += width;
        }
        let interval = |field: &Field| match field.domain {
            Domain::Interval { low, last } => Some(Interval {
                now: field.now,
                after: field.after,
                word: field.word,
                shift: field.shift,
                low,
                last,
            }),
            Domain::Listed { .. } => None,
        };
        let is_listed = |&slot: &u32| interval(&fields[slot as usize]).is_none();
        Ok(Layout {
            cells,
            places,
            intervals: fields.iter().filter_map(interval).collect(),
            listed: (0..fields.len() as u32).filter(is_listed).collect(),
            fields,
            inputs,
            words: word as usize + 1,
            bytes: match cfg!(target_endian = "little") {
                true => word as usize * 8 + used.div_ceil(8) as usize,
                false => (word as usize + 1) * 8,
            },
        })
    }

    /// 64-bit words in a packed state.
    pub fn words(&self) -> usize {
        self.words
    }

    /// A packed state as bytes.
    #[inline]
    pub fn bytes<'p>(&self, packed: &'p [u64]) -> &'p [u8] {
        &bytemuck::cast_slice(packed)[..self.bytes]
    }

    /// The packed state of such bytes.
    #[inline]
    pub fn words_of(&self, state: &[u8], packed: &mut [u64]) {
        if let Some(last) = packed.last_mut() {
            *last = 0;
        }
        bytemuck::cast_slice_mut(packed)[..self.bytes].copy_from_slice(state);
    }

    /// Registers that hold variables: `0..leaves`.
    pub fn leaves(&self) -> usize {
        2 * self.fields.len() + self.inputs.len()
    }

    /// The registers of a variable now.
    pub fn now(&self, variable: VarId) -> Range<Register> {
        let place = &self.places[variable.index()];
        let first = match place.kind {
            VarKind::Input => self.fields.len() as u32 + place.first,
            _ => place.first,
        };
        first..first + place.count
    }

    /// The registers of a variable after the step; inputs have none and give their registers now.
    pub fn after(&self, variable: VarId) -> Range<Register> {
        let place = &self.places[variable.index()];
        match place.kind {
            VarKind::State => {
                let first = (self.fields.len() + self.inputs.len()) as u32 + place.first;
                first..first + place.count
            }
            _ => self.now(variable),
        }
    }

    /// The domain of a leaf register.
    pub fn domain(&self, register: Register) -> &Domain {
        let (slots, register) = (self.fields.len(), register as usize);
        if register < slots {
            &self.fields[register].domain
        } else if register < slots + self.inputs.len() {
            &self.inputs[register - slots]
        } else {
            &self.fields[register - slots - self.inputs.len()].domain
        }
    }

    /// Writes a packed state into the registers of "now".
    pub fn unpack(&self, packed: &[u64], registers: &mut [i64]) {
        for field in &self.fields {
            let position = packed[field.word as usize] >> field.shift & field.mask;
            registers[field.now as usize] = match &field.domain {
                Domain::Interval { low, .. } => low.wrapping_add(position as i64),
                Domain::Listed { cells, .. } => cells[position as usize],
            };
        }
    }

    /// Packs the state after the step. False if a cell is outside its variable's domain.
    #[inline]
    pub fn pack_after(&self, registers: &[i64], packed: &mut [u64]) -> bool {
        self.pack(registers, packed, |field| field.after, |field| field.after)
    }

    /// Packs the state now. False if a cell is outside its variable's domain.
    pub fn pack_now(&self, registers: &[i64], packed: &mut [u64]) -> bool {
        self.pack(registers, packed, |field| field.now, |field| field.now)
    }

    #[inline]
    fn pack(
        &self,
        registers: &[i64],
        packed: &mut [u64],
        of_interval: impl Fn(&Interval) -> Register,
        of_listed: impl Fn(&Field) -> Register,
    ) -> bool {
        packed.fill(0);
        let mut inside = true;
        let registers = &registers[..self.leaves()];
        for field in &self.intervals {
            let position = registers[of_interval(field) as usize].wrapping_sub(field.low) as u64;
            inside &= position <= field.last;
            packed[field.word as usize] |= position.min(field.last) << field.shift;
        }
        for &slot in &self.listed {
            let field = &self.fields[slot as usize];
            match field.domain.position(registers[of_listed(field) as usize]) {
                Some(position) => packed[field.word as usize] |= position << field.shift,
                None => inside = false,
            }
        }
        inside
    }

    /// The value of a variable read from the registers given.
    pub fn value(&self, variable: VarId, at: Range<Register>, registers: &[i64]) -> Value {
        let mut cells = registers[at.start as usize..at.end as usize].iter().copied();
        self.gather(&self.places[variable.index()].sort, &mut cells)
    }

    /// The cells of a value of the variable's sort; none if it is not one.
    pub fn cells_of(&self, variable: VarId, value: &Value) -> Option<Vec<i64>> {
        let sort = &self.places[variable.index()].sort;
        let mut cells = Vec::new();
        (sort.contains(value) && self.scatter(value, &mut cells)).then_some(cells)
    }

    /// The values of all state variables of a packed state; inputs have none.
    pub fn values(&self, packed: &[u64]) -> Vec<Option<Value>> {
        let mut registers = vec![0; self.leaves()];
        self.unpack(packed, &mut registers);
        self.read_values(&registers, false)
    }

    /// The values of all variables now, inputs included or not.
    pub fn read_values(&self, registers: &[i64], inputs: bool) -> Vec<Option<Value>> {
        (0..self.places.len() as u32)
            .map(VarId::new)
            .map(|variable| {
                let wanted = inputs || self.places[variable.index()].kind != VarKind::Input;
                wanted.then(|| self.value(variable, self.now(variable), registers))
            })
            .collect()
    }

    /// Packs a state given as values; none if a state variable has no value of its sort.
    pub fn pack_values(&self, values: &[Option<Value>]) -> Option<Vec<u64>> {
        let mut registers = vec![0; self.leaves()];
        for variable in (0..self.places.len() as u32).map(VarId::new) {
            if self.places[variable.index()].kind != VarKind::Input {
                let cells = self.cells_of(variable, values.get(variable.index())?.as_ref()?)?;
                for (register, cell) in self.now(variable).zip(cells) {
                    registers[register as usize] = cell;
                }
            }
        }
        let mut packed = vec![0; self.words];
        self.pack_now(&registers, &mut packed).then_some(packed)
    }

    fn gather(&self, sort: &Sort, cells: &mut impl Iterator<Item = i64>) -> Value {
        match sort {
            Sort::Array { index, element } => {
                let length = index.size().unwrap_or(0);
                Value::Array((0..length).map(|_| self.gather(element, cells)).collect())
            }
            Sort::Word { width, signed } if *width > 64 => {
                let limbs = width.div_ceil(64);
                let mut word: Option<Word> = None;
                for limb in 0..limbs {
                    let bits = (*width - 64 * limb).min(64);
                    let low = Word::from_u64(bits, false, cells.next().unwrap_or(0) as u64);
                    word = Some(match word {
                        None => low,
                        Some(lower) => low.concat(&lower),
                    });
                }
                Value::Word(
                    word.unwrap_or_else(|| Word::from_u64(*width, *signed, 0))
                        .with_sign(*signed),
                )
            }
            scalar => self.cells.value(cells.next().unwrap_or(0), scalar),
        }
    }

    fn scatter(&self, value: &Value, out: &mut Vec<i64>) -> bool {
        match value {
            Value::Array(elements) => elements.iter().all(|element| self.scatter(element, out)),
            Value::Word(word) if word.width() > 64 => {
                for limb in 0..word.width().div_ceil(64) {
                    let high = (64 * limb + 63).min(word.width() - 1);
                    let bits = word.extract(high, 64 * limb).to_u64().unwrap_or(0);
                    out.push(bits as i64);
                }
                true
            }
            scalar => match self.cells.cell(scalar) {
                Some(cell) => {
                    out.push(cell);
                    true
                }
                None => false,
            },
        }
    }
}

/// Whether terms of the sort are evaluated in one register.
pub(crate) fn is_scalar(sort: &Sort) -> bool {
    match sort {
        Sort::Word { width, .. } => *width <= 64,
        Sort::Array { .. } => false,
        _ => true,
    }
}

fn slot_domains(sort: &Sort, cells: &Cells, out: &mut Vec<Domain>) -> Result<(), ()> {
    if out.len() > MOST_SLOTS {
        return Err(());
    }
    match sort {
        Sort::Array { index, element } => {
            let length = index
                .size()
                .filter(|&length| length <= MOST_SLOTS as u64)
                .ok_or(())?;
            (0..length).try_for_each(|_| slot_domains(element, cells, out))
        }
        Sort::Word { width, .. } if *width > 64 => {
            for limb in 0..width.div_ceil(64) {
                out.push(Domain::bits((*width - 64 * limb).min(64)));
                if out.len() > MOST_SLOTS {
                    return Err(());
                }
            }
            Ok(())
        }
        scalar => {
            out.push(Domain::of(scalar, cells));
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    #[test]
    fn packing_is_inverse_to_unpacking_for_all_sorts() {
        let mut system = TransitionSystem::new();
        let array = Sort::Array {
            index: Arc::new(Sort::range(0, 2)),
            element: Arc::new(Sort::word(70)),
        };
        let sorts = [
            Sort::Bool,
            Sort::word(64),
            Sort::range(-5, 9),
            array,
            Sort::word(130),
            Sort::range(4, 4),
        ];
        for (number, sort) in sorts.iter().enumerate() {
            system.add_variable(format!("x{number}"), sort.clone(), VarKind::State);
        }
        let layout = Layout::of(&system).expect("storable");
        let big =
            |width: u32, shift: u64| Value::Word(Word::from_u64(width, false, 0xdead_beef).shift_left(shift));
        let values = vec![
            Some(Value::Bool(true)),
            Some(big(64, 30)),
            Some(Value::Int(-3)),
            Some(Value::Array([big(70, 38), big(70, 0), big(70, 60)].into())),
            Some(big(130, 99)),
            Some(Value::Int(4)),
        ];
        let packed = layout.pack_values(&values).expect("values of their sorts");
        assert_eq!(layout.values(&packed), values);
    }
}
