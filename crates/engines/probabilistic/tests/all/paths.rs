//! Quantifiers over paths, CTL and beyond, on random small models: the engine beside a search of all short lassos, on which formulas are evaluated by
//! their definition; the checker accepts what is right and rejects the opposite and automata that were changed.

use crate::support;
use entail_answer::{CheckReport, Verdict};
use entail_budget::{Budget, Silent};
use entail_markov::{Certificate, Explicit, Kind, Network, Path, Property, explore};
use entail_probabilistic::{Exactness, Values, Workshop};
use entail_stochastic_checker::check::{Checker, Claim};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use support::{effort, random_network, random_set, settings, state};

fn random_path(random: &mut StdRng, network: &Network, depth: u32) -> Path {
    let leaf = |random: &mut StdRng| state(&random_set(random, network));
    if depth == 0 {
        return leaf(random);
    }
    let one = |random: &mut StdRng| Box::new(random_path(random, network, depth - 1));
    match random.random_range(0..11) {
        0 => Path::Not(one(random)),
        1 => Path::And(one(random), one(random)),
        2 => Path::Or(one(random), one(random)),
        3 => Path::Implies(one(random), one(random)),
        4 => Path::Iff(one(random), one(random)),
        5 => Path::Next(one(random)),
        6 => Path::Until(one(random), one(random), None),
        7 => Path::WeakUntil(one(random), one(random), None),
        8 => Path::Release(one(random), one(random), None),
        9 => Path::Finally(one(random), None),
        _ => Path::Globally(one(random), None),
    }
}

/// A path that comes back: states, and where the last one goes on.
struct Lasso<'l> {
    states: &'l [usize],
    back: usize,
}

impl Lasso<'_> {
    /// At which positions a formula holds, by definition: least and greatest sets of positions.
    fn holds(&self, network: &Network, model: &Explicit, path: &Path) -> Vec<bool> {
        let size = self.states.len();
        let of = |path: &Path| self.holds(network, model, path);
        let next = |at: usize| if at + 1 < size { at + 1 } else { self.back };
        let both = |a: &Path, b: &Path, put: &dyn Fn(bool, bool) -> bool| -> Vec<bool> {
            of(a).into_iter().zip(of(b)).map(|(a, b)| put(a, b)).collect()
        };
        // Solves x = b or (a and next x), from everywhere false or everywhere true.
        let fixed = |a: &[bool], b: &[bool], from: bool| -> Vec<bool> {
            let mut found = vec![from; size];
            for _ in 0..=size {
                found = (0..size).map(|at| b[at] || a[at] && found[next(at)]).collect();
            }
            found
        };
        let (always, never) = (vec![true; size], vec![false; size]);
        match path {
            Path::State(inner) => {
                let Property::Expr(set) = &**inner else {
                    panic!("a set of states")
                };
                let inside = |&at: &usize| network.holds(set, &model.states[at]).expect("a set");
                self.states.iter().map(inside).collect()
            }
            Path::Not(inner) => of(inner).into_iter().map(|inside| !inside).collect(),
            Path::And(a, b) => both(a, b, &|a, b| a && b),
            Path::Or(a, b) => both(a, b, &|a, b| a || b),
            Path::Implies(a, b) => both(a, b, &|a, b| !a || b),
            Path::Iff(a, b) => both(a, b, &|a, b| a == b),
            Path::Next(inner) => {
                let inner = of(inner);
                (0..size).map(|at| inner[next(at)]).collect()
            }
            Path::Finally(goal, None) => fixed(&always, &of(goal), false),
            Path::Globally(stay, None) => fixed(&of(stay), &never, true),
            Path::Until(stay, goal, None) => fixed(&of(stay), &of(goal), false),
            Path::WeakUntil(stay, goal, None) => fixed(&of(stay), &of(goal), true),
            // Until the first holds, the second does: b and (a or next x).
            Path::Release(first, second, None) => {
                let (first, second) = (of(first), of(second));
                let stopped: Vec<bool> = first.iter().zip(&second).map(|(a, b)| *a && *b).collect();
                fixed(&second, &stopped, true)
            }
            _ => panic!("no bounds here"),
        }
    }
}

/// Whether some lasso of at most so many states satisfies a formula.
fn some_lasso(
    network: &Network,
    model: &Explicit,
    path: &Path,
    most: usize,
    so_far: &mut Vec<usize>,
) -> bool {
    let last = so_far[so_far.len() - 1];
    let mut targets: Vec<usize> = (model.rows[last].iter())
        .flat_map(|row| row.targets.iter().map(|(target, _)| *target as usize))
        .collect();
    targets.sort_unstable();
    targets.dedup();
    for target in targets {
        for back in 0..so_far.len() {
            let lasso = Lasso { states: so_far, back };
            if so_far[back] == target && lasso.holds(network, model, path)[0] {
                return true;
            }
        }
        if so_far.len() < most {
            so_far.push(target);
            let found = some_lasso(network, model, path, most, so_far);
            so_far.pop();
            if found {
                return true;
            }
        }
    }
    false
}

/// What the engine says about the initial state, with its certificate; the checker must accept that, and nothing else.
fn decided(network: &Network, checker: &Checker, property: &Property) -> (bool, Certificate) {
    let budget = Budget::unlimited();
    let mut workshop =
        Workshop::new(network, settings(Exactness::WhereCheap), 1000, &budget, &Silent).expect("small");
    let (found, certificate) = workshop.check(property, &budget).expect("decided");
    let Values::Truth(truth) = found else {
        panic!("a truth value was asked for")
    };
    let holds = truth.yes.contains(0);
    let check = |holds: bool, certificate: &Certificate| {
        let verdict = if holds { Verdict::Holds } else { Verdict::Fails };
        checker.check(property, &Claim { verdict, value: None }, certificate, &budget)
    };
    assert_eq!(check(holds, &certificate), CheckReport::Accepted, "{property:?}");
    assert!(check(!holds, &certificate).is_rejected(), "{property:?}");
    (holds, certificate)
}

/// A model with at most three states, so that few states are on all lassos that matter.
fn tiny_network(random: &mut StdRng, kind: Kind) -> (Network, Explicit) {
    loop {
        let network = random_network(random, kind);
        let model = explore(&network, 1000, &Budget::unlimited()).expect("small");
        if model.states.len() <= 3 {
            return (network, model);
        }
    }
}

/// Longer lassos are not looked for.
const MOST: usize = 6;

#[test]
fn some_path_satisfies_a_formula_if_some_short_lasso_does() {
    let mut random = StdRng::seed_from_u64(21);
    let (mut found, mut missed, mut beyond) = (0, 0, 0);
    for round in 0..250 * effort() {
        let kind = [Kind::Dtmc, Kind::Mdp, Kind::Ctmc][round as usize % 3];
        let (network, model) = tiny_network(&mut random, kind);
        let checker = Checker::new(network.clone(), 1000, &Budget::unlimited()).expect("small");
        let path = random_path(&mut random, &network, 2 + (round % 2) as u32);
        beyond += u64::from(!path.is_ctl());
        let (some, _) = decided(&network, &checker, &Property::Exists(path.clone()));
        let negated = Path::Not(Box::new(path.clone()));
        let (all, _) = decided(&network, &checker, &Property::ForAll(negated));
        assert_eq!(some, !all, "round {round}: {path:?}");
        let seen = some_lasso(&network, &model, &path, MOST, &mut vec![0]);
        assert!(some || !seen, "round {round}: a lasso satisfies {path:?}");
        found += u64::from(some);
        missed += u64::from(some && !seen);
    }
    // Formulas of this size need no longer lassos in models of this size.
    assert!(
        missed == 0 && found > 50 && beyond > 50,
        "{found} {missed} {beyond}"
    );
}

#[test]
fn changed_automata_of_quantified_formulas_are_rejected() {
    let mut random = StdRng::seed_from_u64(22);
    let budget = Budget::unlimited();
    let mut changed = 0;
    for round in 0..300 * effort() {
        let kind = [Kind::Dtmc, Kind::Mdp][round as usize % 2];
        let network = random_network(&mut random, kind);
        let checker = Checker::new(network.clone(), 1000, &budget).expect("small");
        let path = random_path(&mut random, &network, 2);
        let property = match random.random_bool(0.5) {
            true => Property::Exists(path),
            false => Property::ForAll(path),
        };
        let (holds, certificate) = decided(&network, &checker, &property);
        let Some(observer) = certificate.observers.first() else {
            continue;
        };
        let mut others = vec![Certificate::default()];
        let mut other = certificate.clone();
        other.observers[0].acceptance = match observer.acceptance.is_empty() {
            true => vec![(0, 0)],
            false => Vec::new(),
        };
        others.push(other);
        let mut other = certificate.clone();
        let at = random.random_range(0..observer.steps.len());
        let letter = random.random_range(0..observer.steps[at].len());
        other.observers[0].steps[at][letter] = match observer.steps[at][letter] {
            None => Some((0, 1)),
            Some(_) => None,
        };
        others.push(other);
        for other in others {
            // A change may leave the language as it is, and then the verdict, too; the opposite is never believed.
            let verdict = if holds { Verdict::Fails } else { Verdict::Holds };
            let claim = Claim { verdict, value: None };
            let report = checker.check(&property, &claim, &other, &budget);
            assert!(report.is_rejected(), "round {round}: {property:?} {report:?}");
            changed += 1;
        }
    }
    assert!(changed > 100, "{changed}");
}
