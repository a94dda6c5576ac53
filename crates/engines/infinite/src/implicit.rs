//! IC3 with implicit predicate abstraction (Cimatti, Griggio, Mover, Tonetta 2014).
//!
//! Cubes are truth values of predicates over the state: at first the truth variables and the atoms of initial states and property. A path
//! of the abstract system to a violation is unrolled concretely; if it has no model, the atoms of the interpolants between its steps are
//! new predicates, frames and lemmas stay. So are literals of a few backward steps out of the violation, projected along models: they say
//! in the system's own words what the violation needs, and serve where a proof gives no interpolant. Without any new predicate the engine
//! gives up.

use crate::ic3::{Cube, Cubes, Ic3, Stop};
use crate::kind::path_of_length;
use crate::{Found, Work};
use entail_first_order::{
    Copies, Evaluator, FirstOrderSystem, FirstOrderTrace, Interpretation, Op, SortId, TermId, Terms, Value,
};
use entail_smt::projection::canonical;
use entail_smt::{Answer, Interpolated, Strength, interpolate};
use rustc_hash::{FxHashMap, FxHashSet};

/// More atoms of the steps than these are not made predicates at the beginning.
const MOST_GUARDS: usize = 60;

/// So many backward steps are taken for predicates.
const MOST_BACKWARDS: usize = 8;

/// Formulas over the state whose truth the abstraction knows.
#[derive(Default)]
pub(crate) struct Predicates {
    all: Vec<TermId>,
    known: FxHashSet<TermId>,
}

impl Predicates {
    /// Adds the atoms of formulas, those without the excluded constants. How many are new.
    fn add_atoms(&mut self, terms: &mut Terms, formulas: &[TermId], excluded: &FxHashSet<TermId>) -> usize {
        let before = self.all.len();
        for atom in atoms(terms, formulas) {
            let args = terms.args(atom).to_vec();
            let parts = match terms.op(atom) {
                // Both sides of an equation: lemmas may need one of them.
                Op::Eq if terms.sort_of(args[0]).is_arithmetic() => {
                    vec![terms.le(args[0], args[1]), terms.le(args[1], args[0])]
                }
                _ => vec![atom],
            };
            for part in parts {
                let part = canonical(terms, part);
                let is_constant = matches!(terms.op(part), Op::True | Op::False);
                if !is_constant
                    && !terms.cone(&[part]).iter().any(|term| excluded.contains(term))
                    && self.known.insert(part)
                {
                    self.all.push(part);
                }
            }
        }
        self.all.len() - before
    }

    /// The predicates that are true in a model, and the negations of the others.
    pub fn cube(&self, terms: &mut Terms, model: &Interpretation) -> Option<Cube> {
        let mut values = Vec::with_capacity(self.all.len());
        let mut evaluator = Evaluator::new(terms, model);
        for &predicate in &self.all {
            values.push(evaluator.is_true(predicate).ok()?);
        }
        let pairs = self.all.iter().zip(values);
        Some(
            pairs
                .map(|(&predicate, is_true)| if is_true { predicate } else { terms.not(predicate) })
                .collect(),
        )
    }
}

/// The formulas that connectives of these formulas join, conditions of values included.
pub(crate) fn atoms(terms: &Terms, formulas: &[TermId]) -> Vec<TermId> {
    let is_connective = |term: TermId| match terms.op(term) {
        Op::Not | Op::And | Op::Or | Op::Xor | Op::True | Op::False => true,
        Op::Eq | Op::Ite => terms.sort_of(terms.args(term)[1]) == SortId::BOOL,
        Op::Forall(_) => true,
        _ => false,
    };
    let all = terms.cone(formulas).into_iter();
    all.filter(|&term| terms.sort_of(term) == SortId::BOOL && !is_connective(term))
        .collect()
}

/// What a path of the abstract system came to.
enum Refined {
    Real(FirstOrderTrace),
    /// So many new predicates exclude it.
    New(usize),
}

/// Decides an invariant by IC3 over predicates: the atoms of `hints` among the first ones, the others found on the way.
pub fn predicate_abstraction<'a>(
    system: &FirstOrderSystem,
    property: TermId,
    hints: &[TermId],
    work: impl Into<Work<'a>>,
) -> Found {
    let cubes = Cubes::Predicates(Predicates::default());
    let mut engine = Ic3::new(system, property, cubes, work.into());
    let mut seeds = vec![engine.system.init, engine.violation];
    for variable in &engine.system.variables {
        if engine.system.terms.sort_of(variable.current) == SortId::BOOL {
            seeds.push(variable.current);
        }
    }
    seeds.extend(hints);
    engine.learn(&seeds);
    engine.learn_guards();
    loop {
        let stop = match engine.run() {
            Ok(found) => return found,
            Err(Stop::Violation(length)) => engine.refine(property, length),
            Err(stop) => Err(stop),
        };
        match stop {
            Ok(Refined::Real(trace)) => return Found::Fails(trace),
            Ok(Refined::New(0)) => {
                return Found::Unknown(
                    "a path of the abstraction is spurious, and no predicate excludes it".into(),
                );
            }
            Ok(Refined::New(_)) => {}
            Err(Stop::Spent(spent)) => return engine.out_of(spent),
            Err(Stop::Stuck(reason)) => return Found::Unknown(reason),
            Err(Stop::Violation(_)) => return Found::Unknown("a path was found twice".into()),
        }
    }
}

impl Ic3<'_> {
    /// Adds the atoms of formulas over the state as predicates; how many are new.
    fn learn(&mut self, formulas: &[TermId]) -> usize {
        let excluded: FxHashSet<TermId> = self.eliminated.iter().copied().collect();
        match &mut self.cubes {
            Cubes::Predicates(predicates) => {
                predicates.add_atoms(&mut self.system.terms, formulas, &excluded)
            }
            Cubes::Projected => 0,
        }
    }

    /// Adds the atoms of the steps that are about the present state, if they are not too many: what a step depends on is often what an
    /// invariant has to say.
    fn learn_guards(&mut self) {
        let excluded: FxHashSet<TermId> = self.eliminated.iter().copied().collect();
        let terms = &mut self.system.terms;
        let mut guards = atoms(terms, &[self.system.transition]);
        guards.retain(|&guard| !terms.cone(&[guard]).iter().any(|term| excluded.contains(term)));
        if guards.len() <= MOST_GUARDS {
            self.learn(&guards);
        }
    }

    /// Whether a path of this length is real; predicates that exclude it otherwise.
    fn refine(&mut self, property: TermId, length: usize) -> Result<Refined, Stop> {
        // Interpolants exclude all paths of this length; what the violation needs is said by backward steps in the system's own words.
        let mut new = 0;
        for strength in [Strength::Weak, Strength::Strong] {
            match self.refine_with(property, length, strength)? {
                Refined::New(0) => {}
                Refined::New(more) => {
                    new = more;
                    break;
                }
                real => return Ok(real),
            }
        }
        Ok(Refined::New(
            new + self.learn_backwards(length.min(MOST_BACKWARDS))?,
        ))
    }

    /// The same with interpolants of one strength.
    fn refine_with(&mut self, property: TermId, length: usize, strength: Strength) -> Result<Refined, Stop> {
        let mut copies = Copies::default();
        let groups = path_groups(&mut self.system, property, length, &mut copies);
        let budget = self.budget;
        let found = interpolate(&mut self.system.terms, &groups, strength, budget)?;
        self.work.interpolated(&self.system.terms, &groups, &found);
        match found {
            Interpolated::Satisfiable(model) => Ok(Refined::Real(trace_of(
                &self.system.terms,
                &model,
                &copies,
                length,
            ))),
            Interpolated::Interpolants(found) => {
                let mut new = 0;
                for (position, interpolant) in found.into_iter().enumerate() {
                    if let Ok(interpolant) = interpolant {
                        let formula = at_present(&mut self.system, interpolant, position, &copies);
                        new += self.learn(&[formula]);
                    }
                }
                Ok(Refined::New(new))
            }
            Interpolated::Unknown(_) => match path_of_length(&self.system, property, length, &self.work) {
                Some(trace) => Ok(Refined::Real(trace)),
                None => Ok(Refined::New(0)),
            },
        }
    }

    /// Literals of states before the violation, projected step by step, as predicates.
    fn learn_backwards(&mut self, length: usize) -> Result<usize, Stop> {
        let mut new = 0;
        let mut target = vec![self.violation];
        let mut is_first = true;
        for _ in 0..=length {
            // The first question is for a violation, the others for a step into what was found.
            let (assumptions, mut formulas) = match is_first {
                true => (target.clone(), Vec::new()),
                false => (self.primed(&target), vec![self.system.transition]),
            };
            is_first = false;
            let budget = self.budget;
            match self.steps.check(&mut self.system.terms, &assumptions, budget)? {
                Answer::Satisfiable => {}
                _ => break,
            }
            let model = self.steps.model().cloned().unwrap_or_default();
            formulas.extend(&assumptions);
            let Ok(cube) = self.projected(&model, &formulas) else {
                break;
            };
            new += self.learn(&cube);
            target = cube;
        }
        Ok(new)
    }
}

/// The path of a model.
pub(crate) fn trace_of(
    terms: &Terms,
    model: &Interpretation,
    copies: &Copies,
    length: usize,
) -> FirstOrderTrace {
    let value = |&constant: &TermId| match terms.op(constant) {
        Op::Apply(symbol) => model.value(terms, *symbol, &[]),
        _ => Value::Bool(false),
    };
    FirstOrderTrace {
        states: (0..=length)
            .map(|at| copies.states[at].iter().map(value).collect())
            .collect(),
        inputs: (0..=length)
            .map(|at| copies.inputs[at].iter().map(value).collect())
            .collect(),
    }
}

/// Initial states, each step, and the violation at the end of a path, with constants of their own for each position.
fn path_groups(
    system: &mut FirstOrderSystem,
    property: TermId,
    length: usize,
    copies: &mut Copies,
) -> Vec<Vec<TermId>> {
    let (init, transition) = (system.init, system.transition);
    let mut groups = vec![vec![system.at(init, 0, copies)]];
    for at in 0..length {
        groups.push(vec![system.at(transition, at, copies)]);
    }
    let last = system.at(property, length, copies);
    groups.push(vec![system.terms.not(last)]);
    groups
}

/// A formula over the constants of a position, about the present state.
pub(crate) fn at_present(
    system: &mut FirstOrderSystem,
    formula: TermId,
    position: usize,
    copies: &Copies,
) -> TermId {
    let currents = system.variables.iter().map(|variable| variable.current);
    let mut map: FxHashMap<TermId, TermId> = copies.states[position].iter().copied().zip(currents).collect();
    system.terms.substitute(&[formula], &mut map)[0]
}
