//! Random Kripke structures: the symbolic form has the same reachable graph, and JSON is read back.

use entail_model::{Kripke, KripkeBuilder, StateId, Value};
use proptest::prelude::*;
use std::collections::BTreeSet;

fn structures() -> impl Strategy<Value = Kripke> {
    (1u32..8).prop_flat_map(|states| {
        let set = prop::collection::vec((0..states).prop_map(StateId::new), 0..5);
        (
            prop::collection::vec((0..states, 0..states), 0..16),
            prop::collection::vec((0..states).prop_map(StateId::new), 1..3),
            prop::collection::vec(set.clone(), 2),
            prop::collection::vec(set.clone(), 0..3),
            prop::collection::vec((set.clone(), set), 0..2),
        )
            .prop_map(move |(edges, initial, labels, justice, compassion)| {
                let mut builder = KripkeBuilder::new(u64::from(states));
                builder.edges(edges);
                for state in initial {
                    builder.initial(state);
                }
                for (name, label) in ["p", "state"].into_iter().zip(labels) {
                    builder.proposition(name, label);
                }
                for set in justice {
                    builder.justice(set);
                }
                for (often, then) in compassion {
                    builder.compassion(often, then);
                }
                builder.build().expect("all states exist")
            })
    })
}

proptest! {
    #[test]
    fn json_is_read_back(kripke in structures()) {
        prop_assert_eq!(Kripke::from_json(&kripke.to_json()).expect("our own text"), kripke);
    }

    #[test]
    fn no_text_makes_the_reader_panic(text in ".{0,80}") {
        let _ = Kripke::from_json(&text);
    }

    #[test]
    fn the_symbolic_form_unfolds_to_the_reachable_part(kripke in structures()) {
        let system = kripke.to_system();
        let propositions: Vec<(&str, _)> = system.defines.iter().map(|define| (&*define.name, define.term)).collect();
        let unfolded = system.unfold(&propositions, 100).expect("a small system");
        let number = |state: StateId| match unfolded.states[state.index()][0] {
            Some(Value::Int(number)) => StateId::new(number as u32),
            _ => panic!("the state variable has a number"),
        };
        let reachable = kripke.reachable();
        let expected: BTreeSet<(StateId, StateId)> =
            kripke.edges().filter(|(from, _)| reachable.contains(from.index())).collect();
        let found: BTreeSet<(StateId, StateId)> =
            unfolded.kripke.edges().map(|(from, to)| (number(from), number(to))).collect();
        prop_assert_eq!(found, expected);
        let initial: BTreeSet<StateId> = unfolded.kripke.initial().iter().map(|&state| number(state)).collect();
        prop_assert_eq!(initial, kripke.initial().iter().copied().collect::<BTreeSet<_>>());
        prop_assert_eq!(unfolded.kripke.state_count(), reachable.count_ones(..));
        for state in unfolded.kripke.states() {
            let original = number(state);
            for (mine, theirs) in kripke.propositions().iter().zip(unfolded.kripke.propositions()) {
                prop_assert_eq!(mine.states[original.index()], theirs.states[state.index()]);
            }
            for (mine, theirs) in kripke.justice().iter().zip(unfolded.kripke.justice()) {
                prop_assert_eq!(mine[original.index()], theirs[state.index()]);
            }
        }
    }
}
