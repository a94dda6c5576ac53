//! Quotients by decision diagrams against the definition: blocks are the classes of the naive refinement, and steps lead where they should.

use entail_budget::Budget;
use entail_evidence::CheckOptions;
use entail_logic::Logic;
use entail_model::{Kripke, KripkeBuilder, Observation, StateId, TermId, TransitionSystem, Value};
use entail_smv::read;
use entail_source::Source;
use entail_symbolic::{SymbolicOptions, SymbolicQuotient, symbolic_quotient};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use std::collections::{BTreeSet, HashMap};

fn quotient(system: &TransitionSystem, observations: &[Observation]) -> SymbolicQuotient {
    let (options, settings) = (CheckOptions::default(), SymbolicOptions::default());
    symbolic_quotient(system, observations, &options, &settings, &Budget::unlimited()).expect("small")
}

/// The classes of bisimulation, by splitting until nothing changes.
fn classes(kripke: &Kripke, looks: &[Vec<Value>]) -> Vec<usize> {
    let states: Vec<StateId> = kripke.states().collect();
    let mut class: Vec<usize> = vec![0; states.len()];
    loop {
        let mut numbers: HashMap<(usize, Vec<Value>, BTreeSet<usize>), usize> = HashMap::new();
        let next: Vec<usize> = states
            .iter()
            .map(|state| {
                let successors = kripke
                    .successors(*state)
                    .iter()
                    .map(|to| class[to.index()])
                    .collect();
                let count = numbers.len();
                let key = (class[state.index()], looks[state.index()].clone(), successors);
                *numbers.entry(key).or_insert(count)
            })
            .collect();
        let count = |classes: &[usize]| classes.iter().max().map_or(0, |&last| last + 1);
        if count(&next) == count(&class) {
            return next;
        }
        class = next;
    }
}

/// Compares a quotient with the naive classes of the unfolded system.
fn compare(system: &TransitionSystem, observations: &[Observation]) -> usize {
    let found = quotient(system, observations);
    let unfolding = system.unfold(&[], 10_000).expect("small");
    let abstraction = entail_model::Abstraction {
        observations: observations.to_vec(),
    };
    let looks: Vec<Vec<Value>> = unfolding
        .states
        .iter()
        .map(|state| abstraction.observe(system, state).expect("values"))
        .collect();
    let classes = classes(&unfolding.kripke, &looks);
    let count = classes.iter().max().map_or(0, |&last| last + 1);
    assert_eq!(found.lts.state_count(), count);
    assert_eq!(found.states, unfolding.states.len().to_string());
    let block: Vec<usize> = found
        .members
        .iter()
        .map(|member| {
            classes[unfolding
                .states
                .iter()
                .position(|state| state == member)
                .expect("reachable")]
        })
        .collect();
    assert_eq!(
        block.iter().collect::<BTreeSet<_>>().len(),
        count,
        "a member of each class"
    );
    for (number, &class) in block.iter().enumerate() {
        let of_class = || {
            classes
                .iter()
                .enumerate()
                .filter(move |(_, other)| **other == class)
        };
        assert_eq!(found.sizes[number], of_class().count().to_string());
        let some = of_class().next().expect("a class has states").0;
        let expected: BTreeSet<usize> = unfolding
            .kripke
            .successors(StateId::new(some as u32))
            .iter()
            .map(|to| classes[to.index()])
            .collect();
        let id = StateId::new(number as u32);
        let steps: BTreeSet<usize> = found.lts.steps(id).map(|(_, to)| block[to.index()]).collect();
        assert_eq!(steps, expected);
        let initial =
            of_class().any(|(state, _)| unfolding.kripke.initial().contains(&StateId::new(state as u32)));
        assert_eq!(found.lts.initial().contains(&id), initial);
    }
    count
}

#[test]
fn random_structures() {
    let mut rng = StdRng::seed_from_u64(9);
    for _ in 0..150 {
        let states = rng.random_range(1..40u32);
        let mut builder = KripkeBuilder::new(states.into());
        builder.initial(StateId::new(0));
        for from in 0..states {
            for _ in 0..rng.random_range(0..3) {
                builder.edge(StateId::new(from), StateId::new(rng.random_range(0..states)));
            }
        }
        let members: Vec<StateId> = (0..states)
            .filter(|_| rng.random_bool(0.3))
            .map(StateId::new)
            .collect();
        builder.proposition("p", members);
        let system = builder.build().expect("a structure").to_system();
        let observed = Observation {
            name: "p".into(),
            term: system.defines[0].term,
        };
        compare(&system, &[observed]);
    }
}

/// Chapter 13, example 3.
#[test]
fn mutual_exclusion_has_five_classes_by_the_flag_and_eight_with_one_process() {
    let text = include_str!("../../../../../examples/abstraction/mutex.smv");
    let mut model = read(&Source::new("mutex", text)).expect("a model");
    let mut observation = |name: &str| -> Observation {
        let property = model.parse_property(name, Logic::Invariant).expect(name);
        let term: TermId = property.question.atoms()[0];
        Observation {
            name: name.into(),
            term,
        }
    };
    let (flag, trying) = (observation("flag"), observation("T1"));
    assert_eq!(compare(&model.system, std::slice::from_ref(&flag)), 5);
    assert_eq!(
        quotient(&model.system, std::slice::from_ref(&flag))
            .lts
            .transition_count(),
        7
    );
    assert_eq!(compare(&model.system, &[trying, flag]), 8);
    assert_eq!(compare(&model.system, &[]), 1);
}

#[test]
fn many_states_and_few_classes() {
    // Twenty bits that wander as they like, and a counter that is seen.
    let mut text = String::from("MODULE main VAR c : 0..3;\n");
    for bit in 0..20 {
        text += &format!("VAR b{bit} : boolean;\n");
    }
    text += "ASSIGN init(c) := 0; next(c) := (c + 1) mod 4;\n";
    let mut model = read(&Source::new("wide", &text)).expect("a model");
    let property = model
        .parse_property("c = 0", Logic::Invariant)
        .expect("a condition");
    let observed = Observation {
        name: "zero".into(),
        term: property.question.atoms()[0],
    };
    let found = quotient(&model.system, &[observed]);
    assert_eq!(found.states, (4u64 << 20).to_string());
    assert_eq!((found.lts.state_count(), found.lts.transition_count()), (4, 4));
}
