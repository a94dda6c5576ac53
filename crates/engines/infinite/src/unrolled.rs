//! Paths of growing length as formulas, with what steps define put in its place.
//!
//! A step mostly says what the next value of a variable is: `x' = t`. Then the value of `x` at the next position is the term `t` over this
//! one, not a new constant with an equation, and equal parts of several positions become one term. Only a variable that a step leaves open,
//! or whose value is a sum of several others, has a constant of its own: sums of sums over many positions would make long rows of the
//! tableau out of short ones. The first state is treated the same way where a path begins with an initial one.

use entail_first_order::{Evaluator, FirstOrderSystem, FirstOrderTrace, Interpretation, Op, TermId, Terms};
use entail_smt::definitions_of;
use rustc_hash::FxHashMap;

/// A path whose positions are made when they are needed.
pub(crate) struct Unrolled {
    /// What the variables are at each position.
    states: Vec<Vec<TermId>>,
    inputs: Vec<Vec<TermId>>,
    /// What stands for current variables and inputs at each position.
    present: Vec<FxHashMap<TermId, TermId>>,
    /// What the first state defines, by current variable, dependencies first.
    at_first: Vec<(TermId, TermId)>,
    /// What a step defines, by next variable, dependencies first.
    by_step: Vec<(TermId, TermId)>,
}

/// The definitions of some constants that a formula's conjuncts give.
fn defined(terms: &Terms, formula: TermId, constants: &[TermId]) -> Vec<(TermId, TermId)> {
    definitions_of(terms, &[formula], |constant| constants.contains(&constant))
}

/// Whether a term is a sum of several that are not numbers.
fn is_long_sum(terms: &Terms, term: TermId) -> bool {
    *terms.op(term) == Op::Add
        && (terms.args(term).iter())
            .filter(|&&part| terms.number(part).is_none())
            .count()
            > 1
}

impl Unrolled {
    /// Paths from initial states.
    pub fn from_start(system: &FirstOrderSystem) -> Unrolled {
        let currents: Vec<TermId> = system.variables.iter().map(|variable| variable.current).collect();
        Unrolled {
            at_first: defined(&system.terms, system.init, &currents),
            ..Unrolled::from_anywhere(system)
        }
    }

    /// Paths from any state.
    pub fn from_anywhere(system: &FirstOrderSystem) -> Unrolled {
        let nexts: Vec<TermId> = system.variables.iter().map(|variable| variable.next).collect();
        Unrolled {
            states: Vec::new(),
            inputs: Vec::new(),
            present: Vec::new(),
            at_first: Vec::new(),
            by_step: defined(&system.terms, system.transition, &nexts),
        }
    }

    /// A formula over current variables and inputs at a position that the path has; the first one is made here.
    pub fn at(&mut self, system: &mut FirstOrderSystem, formula: TermId, position: usize) -> TermId {
        if self.states.is_empty() {
            self.extend(system, &mut FxHashMap::default());
        }
        system.terms.substitute(&[formula], &mut self.present[position])[0]
    }

    /// What the step from the last position to a new one requires; the path has a position.
    pub fn step(&mut self, system: &mut FirstOrderSystem) -> TermId {
        let mut map = self.present.last().cloned().unwrap_or_default();
        self.extend(system, &mut map);
        system.terms.substitute(&[system.transition], &mut map)[0]
    }

    /// Adds a position; `map` says what current variables and inputs were at the one before, and afterwards what next variables are.
    fn extend(&mut self, system: &mut FirstOrderSystem, map: &mut FxHashMap<TermId, TermId>) {
        let at = self.states.len();
        let is_first = at == 0;
        let definitions = if is_first { &self.at_first } else { &self.by_step };
        let terms = &mut system.terms;
        let inputs: Vec<TermId> = (system.inputs.iter().enumerate())
            .map(|(index, &input)| terms.constant(&format!("input{index}@{at}"), terms.sort_of(input)))
            .collect();
        if is_first {
            map.extend(system.inputs.iter().copied().zip(inputs.iter().copied()));
        }
        let names: FxHashMap<TermId, &str> = (system.variables.iter())
            .map(|variable| {
                (
                    if is_first { variable.current } else { variable.next },
                    variable.name.as_str(),
                )
            })
            .collect();
        let own = |terms: &mut Terms, variable: TermId| {
            let name = names.get(&variable).copied().unwrap_or_default();
            terms.constant(&format!("{name}@{at}"), terms.sort_of(variable))
        };
        let is_defined: FxHashMap<TermId, TermId> = definitions.iter().copied().collect();
        for variable in &system.variables {
            let variable = if is_first { variable.current } else { variable.next };
            if !is_defined.contains_key(&variable) {
                map.insert(variable, own(terms, variable));
            }
        }
        for &(variable, value) in definitions {
            let image = terms.substitute(&[value], map)[0];
            let image = match is_long_sum(terms, image) {
                true => own(terms, variable),
                false => image,
            };
            map.insert(variable, image);
        }
        let state: Vec<TermId> = (system.variables.iter())
            .map(|variable| {
                map[if is_first {
                    &variable.current
                } else {
                    &variable.next
                }]
            })
            .collect();
        let currents = system.variables.iter().map(|variable| variable.current);
        let now = currents.zip(state.iter().copied());
        let free = system.inputs.iter().copied().zip(inputs.iter().copied());
        self.present.push(now.chain(free).collect());
        self.states.push(state);
        self.inputs.push(inputs);
    }

    /// The path of a model, up to a position.
    pub fn trace(&self, terms: &Terms, model: &Interpretation, length: usize) -> Option<FirstOrderTrace> {
        let mut evaluator = Evaluator::new(terms, model);
        let mut rows = |rows: &[Vec<TermId>]| {
            let row = |row: &Vec<TermId>| row.iter().map(|&term| evaluator.value(term).ok()).collect();
            rows[..=length].iter().map(row).collect::<Option<Vec<_>>>()
        };
        Some(FirstOrderTrace {
            states: rows(&self.states)?,
            inputs: rows(&self.inputs)?,
        })
    }
}
