//! The checker's own abstractions on random models: they are what they are meant to be, and nothing holds of them that does not hold of the
//! model. Formulas have past and bounded operators.

use crate::reference::{CheckLimits, Evaluation, Graph, NotRechecked, Scope};
use crate::samples::{Numbered, Random};
use entail_budget::Budget;
use entail_evidence::{Abstracted, DeadEnds, Predicates};
use entail_logic::{Formula, Question};
use entail_model::{Kept, Sort, TermId, TransitionSystem, VarKind};

/// How many times the usual number of cases is tried: `ENTAIL_EFFORT`, 1 without it.
fn effort() -> u64 {
    let wanted = std::env::var("ENTAIL_EFFORT").ok();
    wanted.and_then(|factor| factor.parse().ok()).unwrap_or(1)
}

/// Whether a formula holds in all initial states; `None` if it is too large for a quick test.
fn holds(system: &TransitionSystem, formula: &Formula<TermId>) -> Option<bool> {
    let mut observed = Vec::new();
    formula.for_each_atom(&mut |&atom| observed.push(atom));
    observed.extend(&system.justice);
    observed.extend(system.compassion.iter().flat_map(|&(p, q)| [p, q]));
    let scope = Scope {
        further: &[],
        observed,
        dead_ends: DeadEnds::Infinite,
        bound: None,
    };
    let budget = Budget::unlimited();
    let limits = CheckLimits {
        steps: 6_000,
        ..CheckLimits::default()
    };
    let decided = || -> Result<bool, NotRechecked> {
        let graph = Graph::build(system, &scope, limits, &budget)?;
        let truths = Evaluation::new(system, &graph, limits, &budget)?.states(formula)?;
        Ok((0..graph.initial_states()).all(|state| truths[state]))
    };
    decided().ok()
}

fn random_edges(random: &mut Random, states: i64) -> Vec<(i64, i64)> {
    let pairs = (0..states).flat_map(|from| (0..states).map(move |to| (from, to)));
    let mut edges: Vec<(i64, i64)> = pairs.filter(|_| random.one_in(3)).collect();
    // Mostly every state has a successor.
    for state in 0..states {
        if !random.one_in(5) {
            edges.push((state, random.below(states as usize) as i64));
        }
    }
    edges
}

fn asked(abstraction: &Abstracted, system: &TransitionSystem, formula: &Formula<TermId>) -> Option<bool> {
    let question = Question::Formula(formula.clone());
    let asked = abstraction
        .question(system, &question, DeadEnds::Infinite)
        .unwrap_or_else(|report| panic!("{report}"));
    match &asked.question {
        Question::Formula(formula) => holds(&asked.system, formula),
        _ => None,
    }
}

#[test]
fn what_is_observed_decides_like_the_quotient_by_it() {
    let (mut compared, mut coarser) = (0, 0);
    for seed in 0..400 * effort() {
        let mut random = Random::new(seed + 5_000);
        let states = 2 + random.below(5) as i64;
        let edges = random_edges(&mut random, states);
        let mut model = Numbered::new(states, &edges);
        let members: Vec<Vec<i64>> = (0..3)
            .map(|_| (0..states).filter(|_| random.one_in(2)).collect())
            .collect();
        let sets: Vec<TermId> = members.iter().map(|set| model.set(set)).collect();
        let just = random.one_in(3);
        if just {
            model.system.justice.push(sets[1]);
        }
        let formula = random.path_formula(&sets[..2], 3).forall();
        if formula.is_propositional() || model.system.terms.as_truth(sets[0]).is_some() {
            continue;
        }

        // States that look alike are one state of the quotient, numbered by the first of them.
        let mut seen = sets[..2].to_vec();
        seen.extend(random.one_in(2).then_some(sets[2]));
        let looks = |state: i64| -> Vec<bool> {
            (members.iter().take(seen.len()))
                .map(|set| set.contains(&state))
                .collect()
        };
        let class = |state: i64| {
            let alike = (0..states).find(|&other| looks(other) == looks(state));
            alike.unwrap_or(state)
        };
        let between: Vec<(i64, i64)> = edges.iter().map(|&(from, to)| (class(from), class(to))).collect();
        let mut quotient = Numbered::new(states, &between);
        let images: Vec<TermId> = members.iter().map(|set| quotient.set(set)).collect();
        if just {
            quotient.system.justice.push(images[1]);
        }
        // Atoms may be equal as terms; they are told apart by position, so each is renamed as the first that is equal.
        let renamed = formula.map_atoms(&mut |atom| {
            let at = sets.iter().position(|set| set == atom).expect("one of the sets");
            images[at]
        });
        let start = class(0);
        quotient.system.init = vec![quotient.set(&[start])];

        let mut observed = Predicates {
            terms: model.system.terms.clone(),
            list: seen.clone(),
        };
        observed
            .list
            .retain(|set| model.system.terms.as_truth(*set).is_none());
        let abstraction = Abstracted::Observed(observed);
        // The formula may not read an atom; it is observed all the same, as the quotient has it.
        let (Some(by_observation), Some(by_quotient), Some(of_model)) = (
            asked(&abstraction, &model.system, &formula),
            holds(&quotient.system, &renamed),
            holds(&model.system, &formula),
        ) else {
            continue;
        };
        assert_eq!(
            by_observation, by_quotient,
            "seed {seed}: {edges:?} {members:?} {formula:?}"
        );
        assert!(
            of_model || !by_observation,
            "seed {seed}: {edges:?} {members:?} {formula:?}"
        );
        compared += 1;
        coarser += usize::from(of_model && !by_observation);
    }
    assert!(compared > 180 && coarser >= 5, "{compared} {coarser}");
}

/// A few truth values that follow each other.
fn random_system(random: &mut Random) -> (TransitionSystem, Vec<TermId>) {
    let mut system = TransitionSystem::new();
    let ids: Vec<_> = (0..4)
        .map(|number| system.add_variable(format!("x{number}"), Sort::Bool, VarKind::State))
        .collect();
    let now: Vec<TermId> = ids.iter().map(|&id| system.current(id)).collect();
    for &id in &ids {
        let next = system.next(id);
        let pick = |random: &mut Random| now[random.below(now.len())];
        let (a, b) = (pick(random), pick(random));
        let value = match random.below(4) {
            0 => system.terms.and([a, b]),
            1 => system.terms.xor(a, b),
            2 => system.terms.not(a),
            _ => a,
        };
        if !random.one_in(6) {
            let step = system.terms.iff(next, value);
            system.transition.push(step);
        }
        if !random.one_in(3) {
            let start = if random.one_in(2) {
                pick(random)
            } else {
                system.terms.not(a)
            };
            system.init.push(start);
        }
    }
    if random.one_in(5) {
        let kept = system.terms.or([now[0], now[3]]);
        system.invariant.push(kept);
    }
    if random.one_in(3) {
        system.justice.push(now[random.below(4)]);
    }
    (system, now)
}

#[test]
fn leaving_conjuncts_out_only_adds_paths_and_unremembered_variables_change_nothing() {
    let (mut compared, mut weaker) = (0, 0);
    for seed in 0..300 * effort() {
        let mut random = Random::new(seed + 91_000);
        let (system, now) = random_system(&mut random);
        let formula = random.path_formula(&now[..2], 3).forall();
        if formula.is_propositional() {
            continue;
        }
        let mut some = |count: usize| (0..count).filter(|_| !random.one_in(3)).collect::<Vec<usize>>();
        let kept = Kept {
            init: some(system.init.len()),
            invariant: some(system.invariant.len()),
            transition: some(system.transition.len()),
        };
        let chosen = |list: &[TermId], kept: &[usize]| kept.iter().map(|&at| list[at]).collect::<Vec<_>>();
        let mut all_remembered = system.clone();
        all_remembered.init = chosen(&system.init, &kept.init);
        all_remembered.invariant = chosen(&system.invariant, &kept.invariant);
        all_remembered.transition = chosen(&system.transition, &kept.transition);
        let (Some(weakened), Some(same), Some(of_model)) = (
            asked(&Abstracted::Weakened(kept.clone()), &system, &formula),
            holds(&all_remembered, &formula),
            holds(&system, &formula),
        ) else {
            continue;
        };
        assert_eq!(weakened, same, "seed {seed}: {kept:?} {formula:?}");
        assert!(of_model || !weakened, "seed {seed}: {kept:?} {formula:?}");
        compared += 1;
        weaker += usize::from(of_model && !weakened);
    }
    assert!(compared > 120 && weaker > 5, "{compared} {weaker}");
}
