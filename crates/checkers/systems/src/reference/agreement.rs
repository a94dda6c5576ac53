//! The parts of the reference and the evaluation of formulas on traces were written apart: here they must agree.

use super::{CheckLimits, Evaluation, Graph, Scope};
use crate::path::{PathEnd, PathWord};
use crate::samples::{Numbered, Random};
use entail_budget::Budget;
use entail_evidence::{DeadEnds, Trace, Truth};
use entail_logic::{Formula, Interval, Unary};
use entail_model::TermId;

/// The truth of a formula in each state; `None` if it is too large for a quick test.
fn truths(
    model: &Numbered,
    formula: &Formula<TermId>,
    dead_ends: DeadEnds,
    only_tableau: bool,
) -> Option<Vec<bool>> {
    let mut atoms = Vec::new();
    formula.for_each_atom(&mut |&atom| atoms.push(atom));
    let mut fairness = model.system.justice.clone();
    fairness.extend(model.system.compassion.iter().flat_map(|&(p, q)| [p, q]));
    let budget = Budget::unlimited();
    let limits = CheckLimits {
        steps: 4_000,
        ..CheckLimits::default()
    };
    let graph_of = |observed: Vec<TermId>| {
        let scope = Scope {
            further: &[],
            observed,
            dead_ends,
            bound: None,
        };
        Graph::build(&model.system, &scope, limits, &budget).expect("small")
    };
    let evaluated = |graph: &Graph| {
        let mut evaluation = Evaluation::new(&model.system, graph, limits, &budget).expect("small");
        evaluation.only_tableau = only_tableau;
        evaluation.states(formula).ok().map(|states| states.to_vec())
    };
    let found = evaluated(&graph_of([atoms.clone(), fairness.clone()].concat()));
    // A graph that is labelled later is the same.
    assert_eq!(
        found,
        evaluated(&graph_of(fairness).observing(&model.system, &atoms))
    );
    found
}

/// A lasso `0 → 1 → … → n-1 → start` (or a path without the closing edge) with three random sets of states.
fn random_lasso(random: &mut Random) -> (Numbered, [TermId; 3], i64, Option<i64>) {
    let length = 1 + random.below(5) as i64;
    let start = (!random.one_in(4)).then(|| random.below(length as usize) as i64);
    let mut edges: Vec<(i64, i64)> = (1..length).map(|state| (state - 1, state)).collect();
    edges.extend(start.map(|start| (length - 1, start)));
    let mut model = Numbered::new(length, &edges);
    let atoms = [0, 1, 2].map(|_| {
        let states: Vec<i64> = (0..length).filter(|_| random.one_in(2)).collect();
        model.set(&states)
    });
    (model, atoms, length, start)
}

#[test]
fn the_tableau_on_a_single_path_agrees_with_evaluation_on_its_word() {
    let (mut ran, mut too_large) = (0, 0);
    for seed in 0..3_000 {
        let mut random = Random::new(seed);
        let (model, atoms, length, start) = random_lasso(&mut random);
        let dead_ends = match start {
            Some(_) => random.policy(),
            None => [DeadEnds::Maximal, DeadEnds::Stutter][random.below(2)],
        };
        let formula = random.path_formula(&atoms, 3);
        let trace = Trace {
            steps: (0..length).map(|state| model.state(state)).collect(),
            loop_start: start.map(|start| start as usize),
        };
        let end = match (start, dead_ends) {
            (Some(start), _) => PathEnd::Loop(start as usize),
            (None, DeadEnds::Maximal) => PathEnd::Ended,
            (None, _) => PathEnd::Stutter,
        };
        let mut word = PathWord::new(&model.system, &trace, end).expect("a lasso");
        let expected = word.holds(&formula);
        let quantified = formula.exists();
        match truths(&model, &quantified, dead_ends, true) {
            Some(found) => assert_eq!(expected, Truth::from(found[0]), "seed {seed}: {quantified:?}"),
            None => too_large += 1,
        }
        ran += 1;
    }
    assert!(
        too_large * 5 < ran,
        "{too_large} of {ran} formulas were too large"
    );
}

#[test]
fn fixpoints_and_the_tableau_agree_on_ctl_with_fairness_and_dead_ends() {
    for seed in 0..1_500 {
        let mut random = Random::new(seed + 77_000);
        let states = 2 + random.below(5) as i64;
        let mut edges = Vec::new();
        for from in 0..states {
            for to in 0..states {
                if random.one_in(3) {
                    edges.push((from, to));
                }
            }
        }
        let mut model = Numbered::new(states, &edges);
        let sets: Vec<TermId> = (0..5)
            .map(|_| {
                let members: Vec<i64> = (0..states).filter(|_| random.one_in(2)).collect();
                model.set(&members)
            })
            .collect();
        if random.one_in(2) {
            model.system.justice.push(sets[2]);
        }
        if random.one_in(3) {
            model.system.compassion.push((sets[3], sets[4]));
        }
        let formula = random.ctl_formula(&sets[..2], 3);
        let dead_ends = random.policy();
        let by_fixpoints = truths(&model, &formula, dead_ends, false);
        if let Some(by_tableau) = truths(&model, &formula, dead_ends, true) {
            assert_eq!(
                by_fixpoints,
                Some(by_tableau),
                "seed {seed} {dead_ends:?} {edges:?} {formula:?}"
            );
        }
    }
}

#[test]
fn a_finite_prefix_decides_only_what_every_continuation_agrees_on() {
    for seed in 0..2_000 {
        let mut random = Random::new(seed + 990_000);
        let (model, atoms, length, start) = random_lasso(&mut random);
        let Some(start) = start else { continue };
        let formula = random.path_formula(&atoms, 3);
        let whole = Trace {
            steps: (0..length).map(|state| model.state(state)).collect(),
            loop_start: Some(start as usize),
        };
        let shown = 1 + random.below(length as usize);
        let prefix = Trace {
            steps: whole.steps[..shown].to_vec(),
            loop_start: None,
        };
        let on = |trace: &Trace, end| {
            PathWord::new(&model.system, trace, end)
                .expect("a path")
                .holds(&formula)
        };
        let full = on(&whole, PathEnd::Loop(start as usize));
        assert_ne!(full, Truth::Unknown);
        for end in [PathEnd::Open, PathEnd::OpenMaximal] {
            let partial = on(&prefix, end);
            assert!(
                partial == Truth::Unknown || partial == full,
                "seed {seed} {formula:?}"
            );
        }
    }
}

#[test]
fn past_operators_settle_only_after_several_rounds_of_a_loop() {
    // One state for ever: `Y Y Y true` is false for three rounds and true from then on.
    let model = Numbered::new(1, &[(0, 0)]);
    let trace = Trace {
        steps: vec![model.state(0)],
        loop_start: Some(0),
    };
    let yesterday = |formula: &Formula<TermId>| Formula::unary(Unary::Yesterday, formula);
    let three_ago = yesterday(&yesterday(&yesterday(&Formula::constant(true))));
    let mut word = PathWord::new(&model.system, &trace, PathEnd::Loop(0)).expect("a lasso");
    assert_eq!(word.holds(&three_ago), Truth::False);
    assert_eq!(word.holds(&three_ago.finally()), Truth::True);
    assert_eq!(word.holds(&three_ago.globally()), Truth::False);
    assert_eq!(word.holds(&three_ago.globally().finally()), Truth::True);
}

#[test]
fn huge_bounds_are_answered_or_unknown_but_never_slow() {
    let mut model = Numbered::new(3, &[(0, 1), (1, 2), (2, 1)]);
    let second = Formula::atom(model.set(&[2]));
    let trace = Trace {
        steps: (0..3).map(|state| model.state(state)).collect(),
        loop_start: Some(1),
    };
    let mut word = PathWord::new(&model.system, &trace, PathEnd::Loop(1)).expect("a lasso");
    let at = |op, from, to| Formula::unary_within(op, Interval::bounded(from, to), &second);
    assert_eq!(
        word.holds(&at(Unary::Finally, 4_000_000_000, 4_000_000_000)),
        Truth::True
    );
    assert_eq!(
        word.holds(&at(Unary::Finally, 3_999_999_999, 3_999_999_999)),
        Truth::False
    );
    assert_eq!(word.holds(&at(Unary::Globally, 3, u32::MAX)), Truth::False);
    let past = at(Unary::Once, 4_000_000_000, 4_000_000_000).finally();
    assert_eq!(word.holds(&past), Truth::Unknown);
}
