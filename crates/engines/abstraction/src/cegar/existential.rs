//! The existential abstraction of a system by what is observed of its states (chapter 13, Def. 9), without computing it: implicit predicate
//! abstraction (Tonetta, "Abstract model checking without computing the abstraction", FM 2009).
//!
//! An abstract state is a tuple of values of the observed terms. There is a step from `a` to `b` iff some concrete state with values `a`
//! has a step to one with values `b`. As a system: the observed values are state variables, and the two concrete states are
//! *inputs* of each step. Engines quantify inputs existentially, so this is the exact abstraction, whoever computes with it.
//!
//! Initial conditions cannot read inputs. So each concrete variable has a *seed*, a state variable: in the first state the seeds are an
//! initial concrete state with the observed values, and from then on one fixed value that nothing reads. Position `n` of a path of the
//! model is position `n` here, so that formulas with past operators mean the same.
//!
//! The checker of abstract proofs does not know this form: it has one of its own
//! ([`entail_evidence::Abstracted::question`]), and proofs are translated into it.

use entail_evidence::Certificate;
use entail_logic::Question;
use entail_model::{Sort, SortError, TermId, TransitionSystem, VarId, VarKind};

/// An existential abstraction.
#[derive(Clone, Debug)]
pub(super) struct Existential {
    /// The abstract system. Terms of the concrete one keep their ids in its store; its variables keep their numbers but are inputs.
    pub(super) system: TransitionSystem,
    /// The seed of each concrete variable that is part of the state.
    pub(super) seeds: Vec<(VarId, VarId)>,
    /// The variable that holds the value of each observed term.
    pub(super) observed: Vec<VarId>,
}

/// Why there is no predicate abstraction.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum NotObserved {
    /// It reads inputs or next values.
    #[error("it is not about states")]
    NotAboutStates,
    /// It does not fit.
    #[error(transparent)]
    Sort(#[from] SortError),
}

/// The value that a seed has after the first state; arrays have none in particular.
pub(super) fn blank(sort: &Sort) -> Option<entail_model::Value> {
    (!matches!(sort, Sort::Array { .. })).then(|| sort.value_at(0))
}

/// The abstraction of a system by terms about its states. Hazards are left out: whoever asks about the abstraction excludes them first.
pub(super) fn existential_abstraction(
    concrete: &TransitionSystem,
    observed: &[TermId],
) -> Result<Existential, NotObserved> {
    let (current, next) = concrete.terms.support(observed);
    let is_input = |&id: &VarId| concrete.variable(id).kind == VarKind::Input;
    if !next.is_empty() || current.iter().any(is_input) {
        return Err(NotObserved::NotAboutStates);
    }
    let mut system = TransitionSystem::new();
    system.terms = concrete.terms.clone();
    for variable in concrete.variables() {
        system.add_variable(&variable.name, variable.sort.clone(), VarKind::Input);
    }
    // The concrete state after the step; a frozen variable is its own.
    let mut after: Vec<Option<TermId>> = vec![None; concrete.variables().len()];
    for id in concrete.state_variables() {
        let variable = concrete.variable(id);
        if variable.kind == VarKind::State {
            let name = format!("next({})", variable.name);
            let copy = system.add_variable(name, variable.sort.clone(), VarKind::Input);
            after[id.index()] = Some(system.current(copy));
        }
    }
    let mut seeds: Vec<(VarId, VarId)> = Vec::new();
    let mut first: Vec<Option<TermId>> = vec![None; concrete.variables().len()];
    for id in concrete.state_variables() {
        let variable = concrete.variable(id);
        let name = format!("first({})", variable.name);
        let seed = system.add_variable(name, variable.sort.clone(), VarKind::State);
        first[id.index()] = Some(system.current(seed));
        seeds.push((id, seed));
        if let Some(value) = blank(&variable.sort) {
            let (value, next) = (system.terms.constant(value), system.next(seed));
            let forgotten = system.terms.equal(next, value)?;
            system.transition.push(forgotten);
        }
    }
    let variables: Vec<VarId> = (observed.iter().enumerate())
        .map(|(number, &term)| {
            let sort = system.terms.sort(term).clone();
            system.add_variable(format!("observation {number}"), sort, VarKind::State)
        })
        .collect();

    // The first state: an initial one of the model, as it is observed.
    let mut states: Vec<TermId> = concrete.init.clone();
    states.extend(concrete.invariant.iter().chain(observed));
    let begun = (system.terms).replace(&states, |_, variable, _| first[variable.index()])?;
    let (starts, observed_first) = begun.split_at(begun.len() - observed.len());
    system.init.extend(starts);
    // A step: its conditions with next values read from the copies, the invariant at both ends.
    let mut roots: Vec<TermId> = concrete.transition.clone();
    roots.extend(&concrete.justice);
    let pairs = concrete.compassion.iter();
    roots.extend(pairs.flat_map(|&(often, then)| [often, then]));
    let along = system.terms.replace(&roots, |_, variable, next| match next {
        true => after[variable.index()],
        false => None,
    })?;
    let (steps, fairness) = along.split_at(concrete.transition.len());
    system.transition.extend(steps);
    system.transition.extend(&concrete.invariant);
    states.drain(..concrete.init.len());
    let end = (system.terms).replace(&states, |_, variable, _| after[variable.index()])?;
    let (invariant_after, observed_after) = end.split_at(concrete.invariant.len());
    system.transition.extend(invariant_after);
    for (at, &variable) in variables.iter().enumerate() {
        let (held, next_held) = (system.current(variable), system.next(variable));
        let start = system.terms.equal(held, observed_first[at])?;
        let seen = system.terms.equal(held, observed[at])?;
        let kept = system.terms.equal(next_held, observed_after[at])?;
        system.init.push(start);
        system.transition.extend([seen, kept]);
    }
    let (justice, compassion) = fairness.split_at(concrete.justice.len());
    system.justice = justice.to_vec();
    system.compassion = (compassion.chunks_exact(2))
        .map(|pair| (pair[0], pair[1]))
        .collect();
    Ok(Existential {
        system,
        seeds,
        observed: variables,
    })
}

impl Existential {
    /// The question about what is observed, which begins with the question's atoms in their order.
    pub(super) fn question(&mut self, question: &Question<TermId>) -> Question<TermId> {
        let atoms = question.atoms();
        let seen: Vec<TermId> = (self.observed.clone().into_iter())
            .map(|variable| self.system.current(variable))
            .collect();
        question.map_atoms(&mut |atom| atoms.binary_search(atom).map_or(*atom, |at| seen[at]))
    }

    /// A condition on abstract states as one on the concrete states by which they are entered: what is observed is put in for the variables
    /// that hold it. The seeds are the entered state itself, if it is the first, or blank. Variables that are not the abstraction's
    /// (those of a monitor) are numbered on from `further`. None if it cannot be said of concrete states.
    pub(super) fn read_back(
        &self,
        concrete: &TransitionSystem,
        observed: &[TermId],
        certificate: &Certificate,
        further: usize,
    ) -> Option<Certificate> {
        let own = self.system.variables().len();
        let mut terms = concrete.terms.clone();
        let root = terms.import(&certificate.terms, &[certificate.invariant], |variable| variable);
        let (current, _) = terms.support(&root);
        let is_input = |id: &VarId| id.index() < own && self.system.variable(*id).kind == VarKind::Input;
        if current.iter().any(is_input) {
            return None;
        }
        let seed_of = |variable: VarId| {
            let mut seeds = self.seeds.iter();
            seeds.find(|(_, seed)| *seed == variable).map(|(id, _)| *id)
        };
        let reads_seeds = current.iter().any(|&id| seed_of(id).is_some());
        let mut versions = Vec::new();
        let mut lost = false;
        for is_first in [true, false] {
            if !is_first && !reads_seeds {
                break;
            }
            let put_in = terms.replace(&root, |terms, variable, _| {
                if variable.index() >= own {
                    let number = variable.index() - own + further;
                    return Some(terms.current(VarId::new(number as u32), Sort::Bool));
                }
                if let Some(at) = self.observed.iter().position(|other| *other == variable) {
                    return Some(observed[at]);
                }
                let id = seed_of(variable)?;
                let sort = &concrete.variable(id).sort;
                if is_first {
                    return Some(terms.current(id, sort.clone()));
                }
                let value = blank(sort);
                lost |= value.is_none();
                value.map(|value| terms.constant(value))
            });
            versions.extend(put_in.ok()?);
        }
        if lost {
            return None;
        }
        let invariant = terms.or(versions);
        Some(Certificate { terms, invariant })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use entail_model::{Valuation, Value, evaluate_bool};

    /// Grumberg's example: `x := x + 1` with the predicates `x <= 1`, `x > y`, `y = 2`; (0, 0) is (1, 0, 0) and (1, 2) is (1, 0, 1).
    #[test]
    fn successors_of_a_predicate_abstraction() {
        let mut system = TransitionSystem::new();
        let x = system.add_variable("x", Sort::range(0, 5), VarKind::State);
        let y = system.add_variable("y", Sort::range(0, 5), VarKind::State);
        let (now_x, now_y) = (system.current(x), system.current(y));
        let (next_x, next_y) = (system.next(x), system.next(y));
        let one = system.terms.constant(Value::Int(1));
        let two = system.terms.constant(Value::Int(2));
        let more = system.terms.add(now_x, one).expect("integers");
        let grows = system.terms.equal(next_x, more).expect("integers");
        let keeps = system.terms.equal(next_y, now_y).expect("integers");
        system.transition = vec![grows, keeps];
        let above = system.terms.less(one, now_x).expect("integers");
        let small = system.terms.not(above);
        let greater = system.terms.less(now_y, now_x).expect("integers");
        let is_two = system.terms.equal(now_y, two).expect("integers");
        let predicates = [small, greater, is_two];
        let seen = |x: i64, y: i64| {
            let state = [Some(Value::Int(x)), Some(Value::Int(y))];
            predicates
                .map(|term| evaluate_bool(&system.terms, term, Valuation::state(&state)).expect("a value"))
        };
        assert_eq!(seen(0, 0), [true, false, false]);
        assert_eq!(seen(1, 2), [true, false, true]);

        // Steps of the abstraction from (1, 0, 0), by trying all inputs.
        let abstraction = existential_abstraction(&system, &predicates).expect("well-sorted");
        let mut successors = Vec::new();
        let number = |value: i64| Some(Value::Int(value));
        for (x, y, x_after, y_after) in (0..1296).map(|n| (n % 6, n / 6 % 6, n / 36 % 6, n / 216)) {
            for to in 0..8 {
                let bit = |at: u32| Some(Value::Bool(to >> at & 1 == 1));
                let (yes, no) = (Some(Value::Bool(true)), Some(Value::Bool(false)));
                let inputs = [number(x), number(y), number(x_after), number(y_after)];
                // After the inputs come the first values of x and y, forgotten, and then the predicates.
                let forgotten = [blank(&Sort::range(0, 5)), blank(&Sort::range(0, 5))];
                let known: Vec<_> = inputs.into_iter().chain(forgotten).collect();
                let now: Vec<_> = known.iter().cloned().chain([yes, no.clone(), no]).collect();
                let next: Vec<_> = known.into_iter().chain([bit(0), bit(1), bit(2)]).collect();
                let abstract_system = &abstraction.system;
                let allowed = abstract_system.transition.iter().all(|&conjunct| {
                    evaluate_bool(&abstract_system.terms, conjunct, Valuation::step(&now, &next)) == Ok(true)
                });
                if allowed && !successors.contains(&to) {
                    successors.push(to);
                }
            }
        }
        successors.sort_unstable();
        // x in {0, 1}, y >= x, y != 2: x becomes 1 or 2; then (1,0,0), (1,1,0) for (0,0), and (0,1,0), (0,0,0) for x = 1.
        assert_eq!(successors, [0b000, 0b001, 0b010, 0b011]);
    }
}
