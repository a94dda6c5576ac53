//! A part of the formula as bits, and many invariants as one bit.
//!
//! The states of a part's automaton are numbered in binary; those that decide it for good are one each for true and false. A part whose open states all belong to
//! components in which every run is accepted, or none, is *weak*: its truth on a run is what the state says that the run stays in. Other parts have priorities on their steps.
//! An *invariant* has one open state, in which it is true, and can only become false: a conjunction of them needs one bit for all.

use super::letters::{Latch, Letters};
use crate::part::{Fate, Node, Part, Stay};
use crate::problem::SynthesisError;
use entail_dd::{Bdd, FiniteVar};
use rustc_hash::FxHashMap;

/// What is seen of a component again and again.
#[derive(Clone)]
pub(crate) enum Seen {
    /// Its truth, by the state; it changes finitely often.
    Weak(Bdd),
    /// Its priorities: the lowest, and for each from there on the steps that have it.
    Parity(u32, Vec<Bdd>),
}

/// A component of the game's state.
#[derive(Clone)]
pub(crate) struct Component {
    /// The states in which it is true, and false, whatever follows.
    pub decided: [Bdd; 2],
    pub seen: Seen,
}

/// A part whose propositions are observations.
pub(crate) struct Observer {
    pub part: Part,
    /// What each level of the part's diagrams tests.
    pub tests: Vec<Bdd>,
    /// Its automaton makes its first step after so many steps.
    pub late: u32,
}

impl Observer {
    /// If the part (negated, if so said) is an invariant: the letters that violate it, while it holds.
    pub fn invariant(&self, negated: bool, letters: &Letters) -> Result<Option<Bdd>, SynthesisError> {
        let part = &self.part;
        let open: Vec<usize> = (0..part.roots.len())
            .filter(|&state| part.fate[state] == Fate::Open)
            .collect();
        let [only] = open[..] else {
            return Ok(None);
        };
        let stays = part.stay[part.component[only] as usize] == Stay::Uniform(!negated);
        let reached = part.fate.contains(&Fate::Decided(!negated));
        if only as u32 != part.initial || !stays || reached {
            return Ok(None);
        }
        let fails = self.over_ends(letters, part.roots[only], &|next, _| {
            part.fate[next as usize] == Fate::Decided(negated)
        })?;
        Ok(Some(fails.and(&letters.begun(self.late)?)?))
    }

    /// The letters on which a diagram ends where it is wanted.
    fn over_ends(
        &self,
        letters: &Letters,
        root: u32,
        wanted: &dyn Fn(u32, u32) -> bool,
    ) -> Result<Bdd, SynthesisError> {
        let mut known = FxHashMap::default();
        self.walk(letters, root, wanted, &mut known)
    }

    fn walk(
        &self,
        letters: &Letters,
        at: u32,
        wanted: &dyn Fn(u32, u32) -> bool,
        known: &mut FxHashMap<u32, Bdd>,
    ) -> Result<Bdd, SynthesisError> {
        if let Some(done) = known.get(&at) {
            return Ok(done.clone());
        }
        let function = match self.part.nodes[at as usize] {
            Node::End((next, priority)) => letters.manager.constant(wanted(next, priority)),
            Node::Test(level, low, high) => {
                let low = self.walk(letters, low, wanted, known)?;
                let high = self.walk(letters, high, wanted, known)?;
                self.tests[level as usize].ite(&high, &low)?
            }
        };
        known.insert(at, function.clone());
        Ok(function)
    }

    /// The part as bits.
    pub fn component(
        &self,
        letters: &Letters,
        latches: &mut Vec<Latch>,
    ) -> Result<Component, SynthesisError> {
        let (part, manager) = (&self.part, &letters.manager);
        // Open states first, then one state each for false and true.
        let mut code = vec![0usize; part.roots.len()];
        let mut open = Vec::new();
        for (state, fate) in part.fate.iter().enumerate() {
            if *fate == Fate::Open {
                code[state] = open.len();
                open.push(state);
            }
        }
        let mut size = open.len();
        let mut ends = [None, None];
        for (truth, end) in ends.iter_mut().enumerate() {
            let decided = Fate::Decided(truth == 1);
            if part.fate.contains(&decided) {
                *end = Some(size);
                for state in (0..part.roots.len()).filter(|&state| part.fate[state] == decided) {
                    code[state] = size;
                }
                size += 1;
            }
        }
        let place = FiniteVar::new(manager, size)?;
        let begun = letters.begun(self.late)?;
        let at_open: Vec<Bdd> = (0..open.len())
            .map(|number| place.equals(manager, number))
            .collect::<Result<_, _>>()?;
        for &variable in place.bits() {
            let set = |number: usize| place.code(number).any(|(var, truth)| var == variable && truth);
            let mut next = manager.var(variable)?;
            for (number, &state) in open.iter().enumerate() {
                let step = self.over_ends(letters, part.roots[state], &|to, _| set(code[to as usize]))?;
                next = at_open[number].and(&begun)?.ite(&step, &next)?;
            }
            let first = set(code[part.initial as usize]);
            latches.push(Latch {
                variable,
                first,
                next,
            });
        }
        let at_end = |truth: usize| match ends[truth] {
            Some(number) => place.equals(manager, number),
            None => Ok(manager.zero()),
        };
        let decided = [at_end(0)?, at_end(1)?];
        let stay = |state: usize| part.stay[part.component[state] as usize];
        let mut range: Option<(u32, u32)> = None;
        for &state in &open {
            if let Stay::Mixed(low, high) = stay(state) {
                let (least, most) = range.unwrap_or((low, high));
                range = Some((least.min(low), most.max(high)));
            }
        }
        let Some((low, high)) = range else {
            let mut truth = decided[1].clone();
            for (number, &state) in open.iter().enumerate() {
                if stay(state) == Stay::Uniform(true) {
                    truth = truth.or(&at_open[number])?;
                }
            }
            return Ok(Component {
                decided,
                seen: Seen::Weak(truth),
            });
        };
        // Staying where all runs are alike has the lowest priority of that kind.
        let alike = |truth: bool| low + u32::from((low % 2 == 0) != truth);
        let mut priorities = vec![manager.zero(); (high - low) as usize + 1];
        for truth in [false, true] {
            let place = &mut priorities[(alike(truth) - low) as usize];
            *place = place.or(&decided[usize::from(truth)])?;
        }
        for (number, &state) in open.iter().enumerate() {
            for priority in low..=high {
                let has = |next: u32, seen: u32| {
                    let inside = part.component[next as usize] == part.component[state];
                    let effective = match stay(state) {
                        _ if !inside => low,
                        Stay::Uniform(truth) => alike(truth),
                        Stay::Mixed(..) => seen,
                    };
                    effective == priority
                };
                let step = self.over_ends(letters, part.roots[state], &has)?;
                let here = at_open[number].and(&step)?;
                let place = &mut priorities[(priority - low) as usize];
                *place = place.or(&here)?;
            }
        }
        Ok(Component {
            decided,
            seen: Seen::Parity(low, priorities),
        })
    }
}

/// Many invariants (or, the other way round, many goals that are reached once and for all) as one bit, which is true once one of them is violated (reached).
pub(crate) fn once(
    letters: &Letters,
    happens: &[Bdd],
    truth: bool,
    latches: &mut Vec<Latch>,
) -> Result<Component, SynthesisError> {
    let manager = &letters.manager;
    let variable = manager.new_var()?;
    let bit = manager.var(variable)?;
    let mut next = bit.clone();
    for one in happens {
        next = next.or(one)?;
    }
    latches.push(Latch {
        variable,
        first: false,
        next,
    });
    let never = manager.zero();
    let (decided, now) = match truth {
        true => ([never, bit.clone()], bit),
        false => ([bit.clone(), never], bit.not()),
    };
    Ok(Component {
        decided,
        seen: Seen::Weak(now),
    })
}
