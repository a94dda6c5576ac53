//! The existential abstraction of a system by what is observed of its states (chapter 13, Def. 9), without computing it: implicit predicate
//! abstraction (Tonetta, "Abstract model checking without computing the abstraction", FM 2009).
//!
//! An abstract state is a tuple of values of the observed terms. There is a step from `a` to `b` iff some concrete state with values `a`
//! has a step to one with values `b`. As a system: the observed values are state variables, and the two concrete states are
//! *inputs* of each step. Engines quantify inputs existentially, so this is the exact abstraction, whoever computes with it.
//!
//! Initial conditions cannot read inputs. So the system starts in a state of its own, before everything (`started` is false), and
//! its first step chooses an initial concrete state: position `n` of a path of the model is position `n + 1` here.

use crate::{Sort, SortError, TermId, TransitionSystem, VarId, VarKind};

/// An existential abstraction.
#[derive(Clone, Debug)]
pub struct Existential {
    /// The abstract system. Terms of the concrete one keep their ids in its store; its variables keep their numbers but are inputs.
    pub system: TransitionSystem,
    /// False before the first abstract state, true ever after.
    pub started: VarId,
    /// The variable that holds the value of each observed term.
    pub observed: Vec<VarId>,
}

/// The abstraction of a system by terms about its states. Hazards are left out: whoever asks about the abstraction excludes them first.
pub fn existential_abstraction(
    concrete: &TransitionSystem,
    observed: &[TermId],
) -> Result<Existential, SortError> {
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
    let started = system.add_variable("started", Sort::Bool, VarKind::State);
    let variables: Vec<VarId> = (observed.iter().enumerate())
        .map(|(number, &term)| {
            let sort = system.terms.sort(term).clone();
            system.add_variable(format!("observation {number}"), sort, VarKind::State)
        })
        .collect();

    // The step's conditions, next values read from the copies; of state conditions, both ends.
    let mut roots: Vec<TermId> = concrete.transition.clone();
    roots.extend(&concrete.justice);
    roots.extend(
        concrete
            .compassion
            .iter()
            .flat_map(|&(often, then)| [often, then]),
    );
    let along = system.terms.replace(&roots, |_, variable, next| match next {
        true => after[variable.index()],
        false => None,
    })?;
    let mut states: Vec<TermId> = concrete.init.clone();
    states.extend(concrete.invariant.iter().chain(observed));
    let at_the_end = system
        .terms
        .replace(&states, |_, variable, _| after[variable.index()])?;
    let (steps, fairness) = along.split_at(concrete.transition.len());
    let (init_after, rest) = at_the_end.split_at(concrete.init.len());
    let (invariant_after, observed_after) = rest.split_at(concrete.invariant.len());

    let begun = system.current(started);
    let next_begun = system.next(started);
    let not_begun = system.terms.not(begun);
    system.init.push(not_begun);
    system.transition.push(next_begun);
    for (&variable, (&now, &later)) in variables.iter().zip(observed.iter().zip(observed_after)) {
        let (held, next_held) = (system.current(variable), system.next(variable));
        let same = system.terms.equal(held, now)?;
        let seen = system.terms.implies(begun, same);
        let kept = system.terms.equal(next_held, later)?;
        system.transition.extend([seen, kept]);
        // Before the start nothing is observed: any one value will do.
        let sort = system.terms.sort(now).clone();
        let first = system.terms.constant(sort.value_at(0));
        let blank = system.terms.equal(held, first)?;
        system.init.push(blank);
    }
    for &step in steps.iter().chain(&concrete.invariant) {
        let guarded = system.terms.implies(begun, step);
        system.transition.push(guarded);
    }
    for &start in init_after {
        let guarded = system.terms.implies(not_begun, start);
        system.transition.push(guarded);
    }
    system.transition.extend(invariant_after);
    let (justice, compassion) = fairness.split_at(concrete.justice.len());
    system.justice = justice.to_vec();
    system.compassion = compassion
        .chunks_exact(2)
        .map(|pair| (pair[0], pair[1]))
        .collect();
    Ok(Existential {
        system,
        started,
        observed: variables,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Valuation, Value, evaluate_bool};

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
                let now: Vec<_> = inputs
                    .iter()
                    .cloned()
                    .chain([yes.clone(), yes.clone(), no.clone(), no])
                    .collect();
                let next: Vec<_> = inputs.into_iter().chain([yes, bit(0), bit(1), bit(2)]).collect();
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
