//! CTL under justice and every dead-end policy: the evaluator against a reference that reads the definitions, against the
//! mu-calculus, and against the rewritings of formulas.

use crate::reference;
use entail_fixpoint::{Approximants, CtlEvaluator, GraphAlgebra, Labelled, RegionAlgebra, evaluate};
use entail_logic::mu::Fairness;
use entail_logic::{Binary, Formula, Interval, Node, Paths, Quantifier, Unary, parse};
use proptest::prelude::*;
use reference::{Small, graphs};

type F = Formula<String>;

fn interval() -> impl Strategy<Value = Interval> {
    prop_oneof![
        3 => Just(Interval::ALWAYS),
        1 => (0u32..3, 0u32..4).prop_map(|(from, to)| Interval::bounded(from, to)),
        1 => (0u32..3).prop_map(|from| Interval { from, to: None }),
    ]
}

fn ctl_formulas() -> impl Strategy<Value = F> {
    let leaf = prop_oneof![
        6 => prop::sample::select(vec!["p", "q"]).prop_map(|name| F::atom(name.to_string())),
        1 => any::<bool>().prop_map(F::constant),
    ];
    leaf.prop_recursive(4, 12, 2, |inner| {
        let quantify = |path: F, all: bool| path.quantified(if all { Quantifier::Forall } else { Quantifier::Exists });
        let pair = (inner.clone(), inner.clone());
        prop_oneof![
            1 => inner.clone().prop_map(|a| a.not()),
            1 => pair.clone().prop_map(|(a, b)| F::and([a, b])),
            1 => pair.clone().prop_map(|(a, b)| F::or([a, b])),
            1 => pair.clone().prop_map(|(a, b)| a.implies(&b)),
            1 => pair.clone().prop_map(|(a, b)| a.xor(&b)),
            1 => (inner.clone(), any::<bool>()).prop_map(move |(a, all)| quantify(a, all)),
            1 => (inner.clone(), any::<bool>()).prop_map(move |(a, all)| quantify(a.next(), all)),
            3 => (inner.clone(), interval(), any::<bool>(), any::<bool>()).prop_map(move |(a, within, all, some)| {
                let op = if some { Unary::Finally } else { Unary::Globally };
                quantify(F::unary_within(op, within, &a), all)
            }),
            4 => (pair, interval(), any::<bool>(), 0usize..4).prop_map(move |((a, b), within, all, op)| {
                let op = [Binary::Until, Binary::Release, Binary::WeakUntil, Binary::StrongRelease][op];
                quantify(F::binary_within(op, within, &a, &b), all)
            }),
        ]
    })
}

/// The definitions, read on a graph.
struct Reference<'a> {
    graph: &'a Small,
    paths: Paths,
    justice: &'a [Vec<usize>],
}

impl Reference<'_> {
    fn begins(&self, state: usize) -> bool {
        self.stays(state, |_| true)
    }

    /// Whether a path that counts stays inside for ever, or to its end.
    fn stays(&self, state: usize, inside: impl Fn(usize) -> bool + Copy) -> bool {
        self.graph.fair_cycle(state, inside, self.justice)
            || self.paths == Paths::Maximal && self.graph.ends(state, inside)
    }

    fn truth(&self, formula: &F, state: usize) -> bool {
        let of = |formula: &F| self.truth(formula, state);
        match formula.node() {
            Node::Constant(truth) => *truth,
            Node::Atom(name) => self.graph.has(state, name),
            Node::Not(a) => !of(a),
            Node::And(list) => list.iter().all(of),
            Node::Or(list) => list.iter().any(of),
            Node::Implies(a, b) => !of(a) || of(b),
            Node::Iff(a, b) => of(a) == of(b),
            Node::Xor(a, b) => of(a) != of(b),
            Node::Quantified(Quantifier::Exists, path) => self.exists(path, true, state),
            Node::Quantified(Quantifier::Forall, path) => !self.exists(path, false, state),
            _ => panic!("not CTL"),
        }
    }

    /// Whether on some path that counts the path formula has this truth value.
    fn exists(&self, path: &F, positive: bool, state: usize) -> bool {
        match path.node() {
            Node::Unary(Unary::Next, _, a) => {
                let successors = self.graph.successors(state);
                let step = successors
                    .iter()
                    .any(|&next| self.truth(a, next) == positive && self.begins(next));
                step || !positive && self.paths == Paths::Maximal && successors.is_empty()
            }
            Node::Unary(op, interval, a) => {
                let some = (*op == Unary::Finally) == positive;
                self.follow(
                    state,
                    *interval,
                    some,
                    |_| some,
                    |at| self.truth(a, at) == positive,
                )
            }
            Node::Binary(op, interval, a, b) => {
                let op = if positive { *op } else { op.dual() };
                let a = |at: usize| self.truth(a, at) == positive;
                let b = |at: usize| self.truth(b, at) == positive;
                match op {
                    Binary::Until => self.follow(state, *interval, true, a, b),
                    Binary::Release => self.follow(state, *interval, false, a, b),
                    Binary::StrongRelease => self.follow(state, *interval, true, b, |at| a(at) && b(at)),
                    Binary::WeakUntil => self.follow(state, *interval, false, b, |at| a(at) || b(at)),
                    _ => panic!("not CTL"),
                }
            }
            _ => self.truth(path, state) == positive && self.begins(state),
        }
    }

    /// Whether a path from here meets the goal at some step of the interval with `aside` before, or at every step unless
    /// `aside` before: searched step by step, then (if the interval has no end) on the graph.
    fn follow(
        &self,
        state: usize,
        interval: Interval,
        some: bool,
        aside: impl Fn(usize) -> bool + Copy,
        goal: impl Fn(usize) -> bool + Copy,
    ) -> bool {
        if interval.is_empty() {
            return !some && self.begins(state);
        }
        let later = |interval: Interval| {
            self.graph
                .successors(state)
                .into_iter()
                .any(|next| self.follow(next, interval, some, aside, goal))
        };
        let ends = self.paths == Paths::Maximal && self.graph.successors(state).is_empty();
        let shorter = Interval {
            from: interval.from.saturating_sub(1),
            to: interval.to.map(|to| to.saturating_sub(1)),
        };
        if interval.from > 0 {
            return match some {
                true => aside(state) && later(shorter),
                false => aside(state) && self.begins(state) || ends || later(shorter),
            };
        }
        match (interval.to, some) {
            (Some(0), _) => goal(state) && self.begins(state),
            (Some(_), true) => goal(state) && self.begins(state) || aside(state) && later(shorter),
            (Some(_), false) => goal(state) && (aside(state) && self.begins(state) || ends || later(shorter)),
            (None, true) => {
                let arrives = |from: usize| goal(from) && self.begins(from);
                arrives(state)
                    || self
                        .graph
                        .reach(state, 0, aside)
                        .into_iter()
                        .any(|last| self.graph.successors(last).into_iter().any(arrives))
            }
            (None, false) => {
                let released = |from: usize| goal(from) && aside(from) && self.begins(from);
                self.stays(state, goal) || self.graph.reach(state, 0, goal).into_iter().any(released)
            }
        }
    }
}

fn justice_sets(graph: &Small, count: usize) -> Vec<Vec<usize>> {
    [
        graph.q.clone(),
        (0..graph.states)
            .filter(|state| !graph.p.contains(state))
            .collect(),
    ][..count]
        .to_vec()
}

fn label(algebra: &mut GraphAlgebra, paths: Paths, justice: &[Vec<usize>], formula: &F) -> Vec<usize> {
    let sets = justice
        .iter()
        .map(|set| algebra.region(set.iter().copied()))
        .collect();
    let labelled = CtlEvaluator::new(algebra, paths, sets).label(formula);
    let justice = justice
        .iter()
        .map(|set| algebra.region(set.iter().copied()))
        .collect();
    let mut sparing = CtlEvaluator::new(algebra, paths, justice).without_approximants();
    let region = labelled.as_ref().map(|labelled| &labelled.region);
    assert_eq!(
        sparing
            .label(formula)
            .as_ref()
            .map(|labelled| &labelled.region)
            .ok(),
        region.ok()
    );
    labelled
        .unwrap_or_else(|error| panic!("{formula}: {error}"))
        .region
        .ones()
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn the_evaluator_agrees_with_the_definitions(
        graph in graphs(false), formula in ctl_formulas(), sets in 0usize..3, maximal in any::<bool>()
    ) {
        let paths = if maximal { Paths::Maximal } else { Paths::Infinite };
        let justice = justice_sets(&graph, sets);
        let mut algebra = graph.algebra();
        let found = label(&mut algebra, paths, &justice, &formula);
        let reference = Reference { graph: &graph, paths, justice: &justice };
        let expected: Vec<usize> = (0..graph.states).filter(|&state| reference.truth(&formula, state)).collect();
        prop_assert_eq!(found, expected, "{} {:?}", formula, paths);
    }

    #[test]
    fn the_evaluator_agrees_with_the_mu_calculus_and_the_rewritings(
        graph in graphs(false), formula in ctl_formulas(), sets in 0usize..3
    ) {
        let justice = justice_sets(&graph, sets);
        let mut algebra = graph.algebra();
        let expected = label(&mut algebra, Paths::Infinite, &justice, &formula);

        let conditions = [F::atom("q".to_string()), F::atom("p".to_string()).not()];
        let mu = formula.to_mu(Fairness::Justice(&conditions[..sets])).expect("CTL");
        let found: Vec<usize> = evaluate(&mut algebra, &mu).expect("atoms p and q").region.ones().collect();
        prop_assert_eq!(&found, &expected, "{} as {}", formula, mu);

        let expanded = formula.expand_bounds(10).expect("small bounds");
        for rewritten in [expanded, formula.positive_normal_form(), formula.simplify(Paths::Infinite)] {
            let found = label(&mut algebra, Paths::Infinite, &justice, &rewritten);
            prop_assert_eq!(&found, &expected, "{} as {}", formula, rewritten);
        }
        let simple = formula.simplify(Paths::Maximal);
        prop_assert_eq!(
            label(&mut algebra, Paths::Maximal, &justice, &formula),
            label(&mut algebra, Paths::Maximal, &justice, &simple),
            "{} as {} on maximal paths", formula, simple
        );
    }

    #[test]
    fn total_structures_need_no_fair_states(graph in graphs(true), formula in ctl_formulas()) {
        let mut algebra = graph.algebra();
        let expected = label(&mut algebra, Paths::Infinite, &[], &formula);
        let mu = formula.to_mu(Fairness::Total).expect("CTL");
        let found: Vec<usize> = evaluate(&mut algebra, &mu).expect("atoms p and q").region.ones().collect();
        prop_assert_eq!(&found, &expected, "{} as {}", formula, mu);
        prop_assert_eq!(label(&mut algebra, Paths::Maximal, &[], &formula), expected);
    }

    #[test]
    fn rings_lead_one_step_closer_each(graph in graphs(false)) {
        let mut algebra = graph.algebra();
        let q = algebra.region(graph.q.iter().copied());
        let mut evaluator = CtlEvaluator::new(&mut algebra, Paths::Infinite, vec![q.clone()]);
        let until = evaluator.label(&parse("E [p U q]").expect("a formula")).expect("atoms");
        let Labelled { approximants: Some(Approximants::Until { rings }), region } = until else {
            return Err(TestCaseError::fail("an until has rings"));
        };
        prop_assert_eq!(rings.last(), Some(&region));
        for (inner, outer) in rings.iter().zip(&rings[1..]) {
            for state in outer.difference(inner) {
                prop_assert!(graph.has(state, "p"));
                prop_assert!(graph.successors(state).iter().any(|&next| inner.contains(next)));
            }
        }
        let globally = evaluator.label(&parse("EG p").expect("a formula")).expect("atoms");
        let Some(Approximants::Globally { core, to_justice, .. }) = globally.approximants else {
            return Err(TestCaseError::fail("a globally has a core"));
        };
        // From the core, a step leads into the rings, and the rings lead to the justice set inside the core.
        let rings = &to_justice[0];
        for state in core.ones() {
            prop_assert!(graph.has(state, "p"));
            prop_assert!(graph.successors(state).iter().any(|&next| rings[rings.len() - 1].contains(next)));
        }
        prop_assert!(rings[0].ones().all(|state| core.contains(state) && q.contains(state)));
    }
}

#[test]
fn a_failing_universal_formula_keeps_the_rings_of_its_counterexample() {
    let graph = Small {
        states: 3,
        edges: vec![(0, 1), (1, 2), (2, 2)],
        p: vec![0, 1],
        q: vec![],
    };
    let mut algebra = graph.algebra();
    let mut evaluator = CtlEvaluator::new(&mut algebra, Paths::Infinite, vec![]);
    let formula = parse("AG p").expect("a formula");
    let labelled = evaluator.label(&formula).expect("atom p");
    assert!(labelled.region.is_clear());
    let Some(Approximants::Until { rings }) = labelled.approximants else {
        panic!("the dual of AG is EF");
    };
    let sizes: Vec<usize> = rings.iter().map(|ring| ring.count_ones(..)).collect();
    assert_eq!(sizes, [1, 2, 3]);
    assert!(evaluator.labelled(&formula).is_some());
}

#[test]
fn astronomical_bounds_end_with_the_graph() {
    let graph = Small {
        states: 2,
        edges: vec![(0, 0), (0, 1), (1, 1)],
        p: vec![1],
        q: vec![],
    };
    let mut algebra = graph.algebra();
    for text in ["EBF 0..4000000000 p", "EBF 4000000000..4100000000 p"] {
        let formula = parse(text).expect(text);
        assert_eq!(
            label(&mut algebra, Paths::Infinite, &[], &formula),
            [0, 1],
            "{text}"
        );
    }
}

#[test]
fn what_is_not_ctl_is_refused() {
    let graph = Small {
        states: 1,
        edges: vec![],
        p: vec![],
        q: vec![],
    };
    let mut algebra = graph.algebra();
    assert!(algebra.full().is_ok());
    for text in ["A F G p", "E (F p & F q)", "E Y p", "F p"] {
        let mut evaluator = CtlEvaluator::new(&mut algebra, Paths::Infinite, vec![]);
        assert!(evaluator.label(&parse(text).expect(text)).is_err(), "{text}");
    }
}
