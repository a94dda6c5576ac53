//! Chapter 2, feature 4: the algebra of synchronous and interleaving composition, compared by unfolding.

use entail_model::{
    ComposeError, Composition, Sort, TransitionSystem, Value, VarKind, interleaving_composition,
    synchronous_composition,
};
use std::collections::{BTreeMap, BTreeSet};

type State = BTreeMap<String, Value>;
type Graph = (BTreeSet<State>, BTreeSet<(State, State)>);

/// The reachable graph with states as names and values: independent of the order of the variables.
fn graph(system: &TransitionSystem) -> Graph {
    let unfolding = system.unfold(&[], 10_000).expect("a small system");
    let named = |state: usize| -> State {
        system
            .variables()
            .iter()
            .zip(&unfolding.states[state])
            .filter_map(|(variable, value)| Some((variable.name.to_string(), value.clone()?)))
            .collect()
    };
    let initial = unfolding
        .kripke
        .initial()
        .iter()
        .map(|state| named(state.index()));
    let edges = unfolding
        .kripke
        .edges()
        .map(|(from, to)| (named(from.index()), named(to.index())));
    (initial.collect(), edges.collect())
}

/// `name` counts modulo `size`, by one whenever `gate` (shared) is 0, and sets the gate to `next_gate`.
fn counter(name: &str, size: i64, next_gate: i64) -> TransitionSystem {
    let mut system = TransitionSystem::new();
    let count = system.add_variable(name, Sort::range(0, size - 1), VarKind::State);
    let gate = system.add_variable("gate", Sort::range(0, 1), VarKind::State);
    let (now, after) = (system.current(count), system.next(count));
    let (closed, closed_next) = (system.current(gate), system.next(gate));
    let terms = &mut system.terms;
    let (zero, one, size, next_gate) = (
        terms.integer(0),
        terms.integer(1),
        terms.integer(size),
        terms.integer(next_gate),
    );
    let start = terms.equal(now, zero).expect("integers");
    let sum = terms.add(now, one).expect("integers");
    let wrapped = terms.remainder(sum, size).expect("integers");
    let open = terms.equal(closed, zero).expect("integers");
    let value = terms.ite(open, wrapped, now).expect("integers");
    let step = terms.equal(after, value).expect("integers");
    let toggle = terms.equal(closed_next, next_gate).expect("integers");
    system.init.push(start);
    system.transition.extend([step, toggle]);
    system
}

type Compose = fn(&TransitionSystem, &TransitionSystem) -> Result<Composition, ComposeError>;
const BOTH: [Compose; 2] = [synchronous_composition, interleaving_composition];

#[test]
fn composition_is_commutative_and_associative() {
    let (a, b, c) = (counter("a", 2, 1), counter("b", 3, 0), counter("c", 2, 0));
    for compose in BOTH {
        let together = |left: &TransitionSystem, right: &TransitionSystem| {
            compose(left, right).expect("compatible").system
        };
        assert_eq!(graph(&together(&a, &b)), graph(&together(&b, &a)));
        let left = together(&together(&a, &b), &c);
        let right = together(&a, &together(&b, &c));
        assert_eq!(graph(&left), graph(&right));
    }
}

#[test]
fn a_system_composed_synchronously_with_itself_is_itself() {
    let a = counter("a", 3, 0);
    let twice = synchronous_composition(&a, &a).expect("compatible").system;
    assert_eq!(graph(&a), graph(&twice));
}

#[test]
fn contradicting_components_block_together_and_not_in_turns() {
    let (a, b) = (counter("a", 2, 1), counter("b", 2, 0));
    let (_, together) = graph(&synchronous_composition(&a, &b).expect("compatible").system);
    assert!(
        together.is_empty(),
        "the gate cannot be opened and closed at once"
    );
    let (_, in_turns) = graph(&interleaving_composition(&a, &b).expect("compatible").system);
    assert!(!in_turns.is_empty());
    for (from, to) in &in_turns {
        assert!(
            from["a"] == to["a"] || from["b"] == to["b"],
            "only one counts in a step"
        );
    }
}

#[test]
fn fairness_and_initial_conditions_are_united() {
    let (mut a, mut b) = (counter("a", 2, 0), counter("b", 2, 0));
    for system in [&mut a, &mut b] {
        let truth = system.terms.truth(true);
        system.justice.push(truth);
        system.compassion.push((truth, truth));
    }
    for compose in BOTH {
        let system = compose(&a, &b).expect("compatible").system;
        assert_eq!(
            (system.justice.len(), system.compassion.len(), system.init.len()),
            (2, 2, 2)
        );
    }
}

#[test]
fn a_state_variable_drives_an_input_of_the_same_name() {
    let mut driver = TransitionSystem::new();
    let wire = driver.add_variable("wire", Sort::Bool, VarKind::State);
    let (now, after) = (driver.current(wire), driver.next(wire));
    driver.init.push(now);
    let flip = driver.terms.xor(now, after);
    driver.transition.push(flip);

    let mut listener = TransitionSystem::new();
    let heard = listener.add_variable("heard", Sort::Bool, VarKind::State);
    let input = listener.add_variable("wire", Sort::Bool, VarKind::Input);
    let (input, after) = (listener.current(input), listener.next(heard));
    let copy = listener.terms.iff(input, after);
    listener.transition.push(copy);

    let system = synchronous_composition(&listener, &driver)
        .expect("compatible")
        .system;
    assert_eq!(system.input_variables().count(), 0);
    for (from, to) in graph(&system).1 {
        assert_eq!(from["wire"], to["heard"]);
    }
}

#[test]
fn shared_names_must_agree() {
    let with = |sort: Sort, kind: VarKind| {
        let mut system = TransitionSystem::new();
        system.add_variable("x", sort, kind);
        system
    };
    let boolean = with(Sort::Bool, VarKind::State);
    let numeric = with(Sort::range(0, 1), VarKind::State);
    let frozen = with(Sort::Bool, VarKind::Frozen);
    assert!(matches!(
        synchronous_composition(&boolean, &numeric),
        Err(ComposeError::Sort(_))
    ));
    assert!(matches!(
        synchronous_composition(&boolean, &frozen),
        Err(ComposeError::Kind(_))
    ));
}

#[test]
fn stuttering_can_be_added_and_removed() {
    let mut system = counter("a", 2, 0);
    let before = graph(&system);
    system.allow_stuttering();
    let (initial, edges) = graph(&system);
    assert!(
        initial
            .iter()
            .all(|state| edges.contains(&(state.clone(), state.clone())))
    );
    system.forbid_stuttering();
    let moving: BTreeSet<(State, State)> = before.1.into_iter().filter(|(from, to)| from != to).collect();
    assert!(graph(&system).1.is_subset(&moving));
}
