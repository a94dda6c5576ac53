//! Random values, and random steps where there are too many to list.
//!
//! Values are drawn for one variable after the other, inputs first, each evenly among the values of its sort; a variable whose drawn value is not possible is
//! left open. As soon as few enough steps are left, one of them is taken, each as likely as the others. Where inputs are free and determine the step, all steps are equally
//! likely. Variables are tried in batches, and a batch that is not possible as a whole in halves: the result is the same as one by one, and a design with
//! thousands of inputs costs a few dozen questions.

use entail_explicit::Simulator;
use entail_model::{Sort, Value, VarId, VarKind, Word};
use entail_model::{TermId, TransitionSystem};
use num_bigint::BigUint;
use rand::{Rng, RngCore};

/// So many batches of variables.
const BATCHES: usize = 64;

/// Arrays with more elements are not drawn.
const MOST_ELEMENTS: u64 = 1 << 10;

/// A value of a sort, each as likely as the others; none if there is but one, or the sort is too large to be written out.
pub(crate) fn random_value(sort: &Sort, random: &mut dyn RngCore) -> Option<Value> {
    if let Sort::Array { index, element } = sort {
        let count = index.size().filter(|count| *count <= MOST_ELEMENTS)?;
        let elements = (0..count).map(|_| random_value(element, random));
        return Some(Value::Array(elements.collect::<Option<Vec<_>>>()?.into()));
    }
    if let (None, Some((width, signed))) = (sort.size(), sort.word_shape()) {
        let bytes = usize::try_from(width.div_ceil(8)).ok()?;
        let mut bits = vec![0; bytes];
        random.fill_bytes(&mut bits);
        let excess = width.div_ceil(8) * 8 - width;
        let bits = BigUint::from_bytes_le(&bits) >> excess;
        return Some(Value::Word(Word::new(width, signed, bits)));
    }
    let size = sort.size().filter(|size| *size > 1)?;
    Some(sort.value_at(random.random_range(0..size)))
}

/// What is drawn for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Moment {
    /// An initial state.
    Start,
    /// A step.
    Step,
}

/// Finds a random solution of a system, and whether it was chosen among all; none if there is none.
type Solve<'a, T> = dyn FnMut(&Simulator, &mut dyn RngCore) -> Option<(T, bool)> + 'a;

/// A system in which values are fixed as they are drawn.
pub(crate) struct Drawing<'a, T> {
    system: TransitionSystem,
    moment: Moment,
    solve: &'a mut Solve<'a, T>,
    /// What was found last.
    best: Option<T>,
    /// It was chosen among all.
    is_whole: bool,
}

impl<'a, T> Drawing<'a, T> {
    pub(crate) fn new(
        system: &TransitionSystem,
        moment: Moment,
        solve: &'a mut Solve<'a, T>,
    ) -> Drawing<'a, T> {
        Drawing {
            system: system.clone(),
            moment,
            solve,
            best: None,
            is_whole: false,
        }
    }

    /// Draws values until few enough solutions are left, and takes one of them.
    pub(crate) fn drawn(mut self, random: &mut dyn RngCore) -> Option<T> {
        let is_start = self.moment == Moment::Start;
        let mut open: Vec<(bool, VarId)> = self
            .system
            .variable_ids()
            .map(|id| (self.system.variable(id).kind, id))
            .filter(|(kind, _)| !is_start || *kind != VarKind::Input)
            .filter(|(kind, _)| is_start || *kind != VarKind::Frozen)
            .map(|(kind, id)| (kind != VarKind::Input, id))
            .collect();
        open.sort_by_cached_key(|(is_state, _)| (*is_state, random.next_u64()));
        let size = open.len().div_ceil(BATCHES).max(1);
        for batch in open.chunks(size) {
            let conditions: Vec<TermId> = batch
                .iter()
                .filter_map(|&(is_state, id)| self.condition(is_state, id, random))
                .collect();
            self.fix(&conditions, random);
            if self.is_whole {
                break;
            }
        }
        self.best
    }

    /// "The variable has a value", which is drawn.
    fn condition(&mut self, is_state: bool, id: VarId, random: &mut dyn RngCore) -> Option<TermId> {
        let sort = self.system.variable(id).sort.clone();
        let value = random_value(&sort, random)?;
        let value = self.system.terms.constant(value);
        let variable = match is_state && self.moment == Moment::Step {
            true => self.system.next(id),
            false => self.system.current(id),
        };
        self.system.terms.equal(variable, value).ok()
    }

    /// Adds conditions, in order, each if it is possible together with those before it.
    fn fix(&mut self, conditions: &[TermId], random: &mut dyn RngCore) {
        if conditions.is_empty() || self.is_whole {
            return;
        }
        let before = self.constraints().len();
        self.constraints().extend(conditions);
        let simulator = Simulator::new(&self.system).ok();
        match simulator.and_then(|simulator| (self.solve)(&simulator, random)) {
            Some((found, is_whole)) => {
                self.best = Some(found);
                self.is_whole = is_whole;
            }
            None => {
                self.constraints().truncate(before);
                if conditions.len() > 1 {
                    let (first, second) = conditions.split_at(conditions.len() / 2);
                    self.fix(first, random);
                    self.fix(second, random);
                }
            }
        }
    }

    fn constraints(&mut self) -> &mut Vec<TermId> {
        match self.moment {
            Moment::Start => &mut self.system.init,
            Moment::Step => &mut self.system.transition,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;
    use rand::rngs::StdRng;
    use std::collections::BTreeSet;

    #[test]
    fn values_of_wide_words_and_arrays_are_drawn_over_their_whole_width() {
        let mut random = StdRng::seed_from_u64(1);
        let wide = Sort::word(100);
        let mut seen = [false; 100];
        for _ in 0..200 {
            let Some(Value::Word(word)) = random_value(&wide, &mut random) else {
                panic!("a word");
            };
            assert!(wide.contains(&Value::Word(word.clone())));
            for (position, seen) in seen.iter_mut().enumerate() {
                *seen |= word.bit(position as u32);
            }
        }
        assert!(seen.iter().all(|seen| *seen));
        let array = Sort::Array {
            index: Sort::word(2).into(),
            element: Sort::Bool.into(),
        };
        let drawn: BTreeSet<String> = (0..300)
            .filter_map(|_| random_value(&array, &mut random))
            .map(|value| value.to_string())
            .collect();
        assert_eq!(drawn.len(), 16);
        assert_eq!(random_value(&Sort::range(3, 3), &mut random), None);
    }
}
