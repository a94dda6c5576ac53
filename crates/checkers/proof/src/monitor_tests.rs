//! The monitor on random lassos: a path that violates a formula can be run with the monitor so that all fairness is met more often than any bound says.
//! The truth of the formula comes from its evaluation on the lasso's word, which knows nothing of monitors. What is tested is the definition in
//! [`entail_evidence::LivenessCertificate`]'s module as well, which whoever makes certificates follows too.

use crate::monitor::Monitor;
use entail_budget::Budget;
use entail_evidence::{Trace, Truth};
use entail_logic::{Binary, Formula, Interval, Unary};
use entail_model::{Sort, TermId, TransitionSystem, Valuation, Value, VarKind, evaluate_bool};
use entail_systems_checker::{CheckLimits, Graph, PathEnd, PathWord};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

/// States `0, 1, …`, each with its successor, the last with `back`; and the condition that the state is one of some.
struct Lasso {
    system: TransitionSystem,
    now: TermId,
    length: i64,
    back: i64,
}

impl Lasso {
    fn new(length: i64, back: i64) -> Lasso {
        let mut system = TransitionSystem::new();
        let variable = system.add_variable("s", Sort::range(0, length - 1), VarKind::State);
        let (now, next) = (system.current(variable), system.next(variable));
        let mut lasso = Lasso {
            system,
            now,
            length,
            back,
        };
        let start = lasso.set(&[0]);
        lasso.system.init.push(start);
        for state in 0..length {
            let here = lasso.set(&[state]);
            let to = if state + 1 < length { state + 1 } else { back };
            let number = lasso.system.terms.integer(to);
            let there = lasso.system.terms.equal(next, number).expect("integers");
            let step = lasso.system.terms.implies(here, there);
            lasso.system.transition.push(step);
        }
        lasso
    }

    fn set(&mut self, states: &[i64]) -> TermId {
        let choices: Vec<TermId> = (states.iter())
            .map(|&state| {
                let number = self.system.terms.integer(state);
                self.system.terms.equal(self.now, number).expect("integers")
            })
            .collect();
        self.system.terms.or(choices)
    }

    fn trace(&self) -> Trace {
        Trace {
            steps: (0..self.length)
                .map(|state| vec![Some(Value::Int(state))])
                .collect(),
            loop_start: Some(self.back as usize),
        }
    }
}

fn formula(rng: &mut StdRng, atoms: &[TermId], depth: u32) -> Formula<TermId> {
    if depth == 0 {
        let atom = Formula::atom(atoms[rng.random_range(0..atoms.len())]);
        return if rng.random_bool(0.3) { atom.not() } else { atom };
    }
    let shallower = rng.random_range(0..depth);
    let (a, b) = (formula(rng, atoms, depth - 1), formula(rng, atoms, shallower));
    let interval = match rng.random_range(0..3) {
        0 => Interval::bounded(rng.random_range(0..2), rng.random_range(0..3)),
        _ => Interval::ALWAYS,
    };
    const UNARY: [Unary; 4] = [Unary::Finally, Unary::Globally, Unary::Once, Unary::Historically];
    const BINARY: [Binary; 6] = [
        Binary::Until,
        Binary::Release,
        Binary::WeakUntil,
        Binary::StrongRelease,
        Binary::Since,
        Binary::Triggered,
    ];
    match rng.random_range(0..7) {
        0 => Formula::and([a, b]),
        1 => Formula::or([a, b]),
        2 => Formula::unary(
            [Unary::Next, Unary::Yesterday, Unary::WeakYesterday][rng.random_range(0..3)],
            &a,
        ),
        3 | 4 => Formula::unary_within(UNARY[rng.random_range(0..4)], interval, &a),
        _ => Formula::binary(BINARY[rng.random_range(0..6)], &a, &b),
    }
}

/// Whether the monitor can be run beyond a bound; none if that is too large for a quick test.
fn can_exceed(system: &TransitionSystem, path: &Formula<TermId>, bound: u64) -> Option<bool> {
    let violation = path
        .expand_bounds(16)
        .expect("small bounds")
        .negated_normal_form();
    let mut monitor = Monitor::new(system.clone());
    monitor.require_at_start(&violation).expect("a path formula");
    monitor.require_fairness();
    let exceeded = monitor.exceeds(bound);
    let limits = CheckLimits {
        states: 4_000,
        steps: 40_000,
        ..CheckLimits::default()
    };
    let graph = Graph::of(&monitor.system, limits, &Budget::unlimited()).ok()?;
    let is_exceeded = |state: &Vec<Option<Value>>| {
        evaluate_bool(&monitor.system.terms, exceeded, Valuation::state(state)) == Ok(true)
    };
    Some(graph.states().iter().any(is_exceeded))
}

#[test]
fn a_violating_path_runs_the_monitor_beyond_every_bound() {
    let (mut violating, mut excluded) = (0, 0);
    for seed in 0..500 {
        let mut rng = StdRng::seed_from_u64(seed);
        let length = rng.random_range(1..=4);
        let mut lasso = Lasso::new(length, rng.random_range(0..length));
        let atoms: Vec<TermId> = (0..4)
            .map(|_| {
                let states: Vec<i64> = (0..length).filter(|_| rng.random_bool(0.5)).collect();
                lasso.set(&states)
            })
            .collect();
        if rng.random_bool(0.3) {
            lasso.system.compassion.push((atoms[2], atoms[3]));
        }
        let path = formula(&mut rng, &atoms[..2], 2);
        let trace = lasso.trace();
        let end = PathEnd::Loop(lasso.back as usize);
        let mut word = PathWord::new(&lasso.system, &trace, end).expect("a lasso");
        let in_loop = |term: TermId| word.term(term)[lasso.back as usize..].contains(&Truth::True);
        let is_fair = (lasso.system.compassion.iter()).all(|&(often, then)| !in_loop(often) || in_loop(then));
        let violates = is_fair && word.holds(&path) == Truth::False;
        let Some(reached) = can_exceed(&lasso.system, &path, 2) else {
            continue;
        };
        if violates {
            assert!(reached, "seed {seed}: {path:?}");
            violating += 1;
        } else {
            excluded += usize::from(!reached);
        }
    }
    assert!(violating > 80 && excluded > 80, "{violating} {excluded}");
}
