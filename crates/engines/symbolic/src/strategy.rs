//! One step for each state of a set: where a path is claimed to exist, the step that it takes, as a function of the state.
//!
//! The steps from the set into the target are a relation between the state's bits and those of inputs and next values; taking these one after the other and preferring 1 where
//! it is possible makes it a function (the elimination that solves Boolean equations). Interleaving models do so part by part.

use crate::encoding::Encoding;
use crate::machine::Machine;
use crate::stop::{Attempt, NotComputed};
use crate::witness::lost;
use crate::written::Writer;
use entail_dd::{Bdd, Var};
use entail_model::{Sort, TermId, TransitionSystem, VarId, VarKind};
use rustc_hash::FxHashMap;

/// Relations with more nodes are not made functions.
const LARGEST_RELATION: usize = 100_000;

/// Sorts with more values are not written value by value.
const MOST_VALUES: u64 = 1 << 12;

/// For each input bit and each next bit, the states in which it is 1.
#[derive(Clone, Debug, Default)]
pub(crate) struct Strategy {
    ones: FxHashMap<Var, Bdd>,
}

impl Strategy {
    /// From each state of a set, a step into the target, along a condition if there is one.
    pub fn lead(
        &mut self,
        encoding: &Encoding,
        machine: &Machine,
        (from, into): (&Bdd, &Bdd),
        along: Option<&Bdd>,
    ) -> Attempt<()> {
        let manager = &encoding.manager;
        let mut left = from.clone();
        for part in machine.parts.iter().filter(|part| !part.inputless) {
            if left.is_false() {
                return Ok(());
            }
            let mut steps = part.steps(encoding, &left, into, along, LARGEST_RELATION)?;
            let chosen = encoding.input_bits.iter().copied();
            let chosen: Vec<Var> = chosen
                .chain(part.changed.iter().filter_map(|bit| bit.next))
                .collect();
            let mut ones: Vec<(Var, Bdd)> = Vec::new();
            for (at, &var) in chosen.iter().enumerate() {
                let rest = manager.var_set(chosen[at + 1..].iter().copied())?;
                let with = steps.cofactor(var, true)?;
                let possible = with.exists(&rest)?;
                steps = possible.ite(&with, &steps.cofactor(var, false)?)?;
                ones.push((var, possible));
            }
            let covered = steps;
            left = left.minus(&covered)?;
            let moved = part.changed.iter().map(|bit| bit.current).collect::<Vec<Var>>();
            let kept = encoding
                .state_bits
                .iter()
                .filter(|bit| !moved.contains(&bit.current));
            for bit in kept {
                if let Some(next) = bit.next {
                    ones.push((next, manager.var(bit.current)?));
                }
            }
            for (var, one) in ones {
                let here = one.and(&covered)?;
                let known = self.ones.entry(var).or_insert_with(|| manager.zero());
                *known = known.or(&here)?;
            }
        }
        match left.is_false() {
            true => Ok(()),
            false => Err(lost("a step of a strategy")),
        }
    }

    /// The value of each input and of each state variable after the step; none if some sort cannot be written.
    pub fn written(
        &self,
        system: &TransitionSystem,
        encoding: &Encoding,
        writer: &mut Writer<'_>,
    ) -> Option<Vec<(VarId, TermId)>> {
        let mut values = Vec::new();
        for id in system.variable_ids() {
            let layout = &encoding.layouts[id.index()];
            if layout.kind == VarKind::Frozen {
                continue;
            }
            let mut bits = Vec::new();
            for bit in &layout.bits {
                let var = match layout.kind {
                    VarKind::Input => bit.current,
                    _ => bit.next?,
                };
                bits.push(match self.ones.get(&var) {
                    Some(states) => writer.set(states)?,
                    None => writer.terms.truth(false),
                });
            }
            values.push((id, value_of(writer, &layout.sort, &bits)?));
        }
        Some(values)
    }
}

/// The value of a sort that bits encode, least significant first.
fn value_of(writer: &mut Writer<'_>, sort: &Sort, bits: &[TermId]) -> Option<TermId> {
    let terms = &mut writer.terms;
    match sort {
        Sort::Bool => bits.first().copied(),
        Sort::Word { signed, .. } => {
            let mut word: Option<TermId> = None;
            for &bit in bits {
                let bit = terms.bool_to_word(bit).ok()?;
                word = Some(match word {
                    None => bit,
                    Some(low) => terms.concat(bit, low).ok()?,
                });
            }
            match signed {
                true => terms.reinterpret(word?, true).ok(),
                false => word,
            }
        }
        Sort::Range { .. } | Sort::Enum(_) => {
            let size = sort.size().filter(|&size| size <= MOST_VALUES)?;
            let codes = 0..1u64 << bits.len();
            let mut values: Vec<TermId> = codes
                .map(|code| terms.constant(sort.value_at(code.min(size - 1))))
                .collect();
            for &bit in bits {
                let pairs: Vec<TermId> = std::mem::take(&mut values);
                for pair in pairs.chunks(2) {
                    values.push(terms.ite(bit, *pair.get(1)?, pair[0]).ok()?);
                }
            }
            values.first().copied()
        }
        Sort::Array { .. } => None,
    }
}

/// The relation is too large to be made a function.
pub(crate) fn too_large() -> NotComputed {
    NotComputed::Unsupported("a relation is too large for a strategy".into())
}
