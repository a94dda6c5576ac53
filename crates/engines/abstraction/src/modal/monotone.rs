//! What is known of a coarse abstraction stays known of a finer one, because hyper-transitions are inherited. Without them it would not.

use super::classes::Classes;
use super::construction::{MaySteps, Wanted, construct};
use super::evaluation::{Modalities, three_valued};
use super::labels::labels;
use entail_budget::Budget;
use entail_evidence::CheckOptions;
use entail_logic::mu::{Mu, parse_mu};
use entail_model::{Abstraction, KripkeBuilder, Observation, StateId, TermId, TransitionSystem};
use entail_symbolic::{StateSpace, SymbolicOptions};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

/// A random structure with propositions `p0`, `p1`, … as a system.
fn random_system(rng: &mut StdRng, propositions: usize) -> TransitionSystem {
    let states = rng.random_range(3..16u32);
    let mut builder = KripkeBuilder::new(states.into());
    builder.initial(StateId::new(0));
    for from in 0..states {
        for _ in 0..rng.random_range(1..4) {
            builder.edge(StateId::new(from), StateId::new(rng.random_range(0..states)));
        }
    }
    for number in 0..propositions {
        let members: Vec<StateId> = (0..states)
            .filter(|_| rng.random_bool(0.5))
            .map(StateId::new)
            .collect();
        builder.proposition(format!("p{number}"), members);
    }
    builder.build().expect("a structure").to_system()
}

fn formulas() -> Vec<Mu<usize>> {
    let texts = [
        "<> p",
        "[] p",
        "mu X. p | <>X",
        "nu X. p & <>X",
        "nu X. (mu Y. p | <>Y) & []X",
        "mu X. (nu Y. !p & <>Y) | []X",
        "nu X. mu Y. (p & <>X) | <>Y",
    ];
    texts
        .map(|text| parse_mu(text).expect(text).map_atoms(&mut |_: &String| 0))
        .to_vec()
}

#[test]
fn what_is_known_stays_known() {
    let mut rng = StdRng::seed_from_u64(21);
    let budget = Budget::unlimited();
    let (mut kept, mut lost_without) = (0, 0);
    for _ in 0..120 {
        let system = random_system(&mut rng, 5);
        let observation = |number: usize| Observation {
            name: system.defines[number].name.clone(),
            term: system.defines[number].term,
        };
        let atoms: Vec<TermId> = vec![system.defines[0].term];
        let settings = SymbolicOptions::default();
        let mut space =
            StateSpace::open(&system, &CheckOptions::default(), &settings, &budget).expect("small");
        let labels = labels(&system, &space, &atoms).expect("small");
        let universe = space.states().clone();
        let first = Abstraction::new([observation(0), observation(1)]);
        let mut classes = Classes::new(&mut space, system.terms.clone(), &first, universe).expect("small");
        let mut coarser = None;
        for next in 2..5 {
            let wanted = |coarser| Wanted {
                relation: MaySteps::Exact,
                must: true,
                stutters: false,
                labels: &labels,
                coarser,
            };
            let coarse = construct(&mut classes, &wanted(coarser.as_ref()), &budget).expect("small");
            let coarse = classes.coarser(coarse);
            classes.observe(observation(next)).expect("small");
            let fine = construct(&mut classes, &wanted(Some(&coarse)), &budget).expect("small");
            let plain = construct(&mut classes, &wanted(None), &budget).expect("small");
            for formula in formulas() {
                let value = |kmts| three_valued(kmts, &formula, Modalities::Both, &budget).expect("closed");
                let (before, after, without) = (value(&coarse.kmts), value(&fine), value(&plain));
                for state in fine.states() {
                    let parent = coarse
                        .parent(&classes.tuples[state.index()])
                        .expect("a coarser state");
                    if let Some(truth) = before.at(parent) {
                        assert_eq!(after.at(state), Some(truth), "{formula}");
                        kept += 1;
                        lost_without += usize::from(without.at(state) != Some(truth));
                    }
                }
            }
            // The same classes again, with what they inherit.
            classes.coarser(fine);
            coarser = Some(coarse);
        }
    }
    assert!(kept > 1000 && lost_without > 0, "{kept} {lost_without}");
}
