//! Random models × random formulas about all paths: refinement against the engines on the model itself, and every piece of evidence
//! against the independent checkers.

use entail_abstraction::{CegarEngine, PredicateEngine};
use entail_budget::{Budget, Silent};
use entail_evidence::{
    CheckOptions, CheckReport, DeadEnds, Engine, Evidence, ModelError, Outcome, Verdict, json,
};
use entail_explicit::Explicit;
use entail_inductive::{InductiveEngine, Method};
use entail_logic::{Binary, Formula, Fragment, Interval, Node, Property, Quantifier, Question, Unary};
use entail_model::{Hazard, Sort, TermId, TransitionSystem, Value, VarKind};
use entail_proof::Refusal;
use entail_symbolic::SymbolicEngine;
use entail_systems_checker::check_outcome;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

fn inner() -> Vec<Box<dyn Engine>> {
    vec![
        Box::new(InductiveEngine::new(Method::Ic3)),
        Box::new(SymbolicEngine::default()),
    ]
}

fn cegar() -> CegarEngine {
    CegarEngine::new(inner())
}

fn predicates() -> PredicateEngine {
    PredicateEngine::new(inner(), cegar())
}

fn pick<T: Clone>(rng: &mut StdRng, list: &[T]) -> T {
    list[rng.random_range(0..list.len())].clone()
}

/// "The leaf has a certain value", or a comparison of two.
fn literal(rng: &mut StdRng, system: &mut TransitionSystem, leaves: &[TermId]) -> TermId {
    let leaf = pick(rng, leaves);
    let sort = system.terms.sort(leaf).clone();
    if sort == Sort::Bool {
        return leaf;
    }
    let others: Vec<TermId> = (leaves.iter().copied())
        .filter(|&other| other != leaf && system.terms.sort(other).comparable(&sort))
        .collect();
    if !others.is_empty() && rng.random_bool(0.3) {
        let other = pick(rng, &others);
        return system.terms.equal(leaf, other).expect("comparable");
    }
    let value = sort.value_at(rng.random_range(0..sort.size().expect("small")));
    let constant = system.terms.constant(value);
    system.terms.equal(leaf, constant).expect("of one sort")
}

fn condition(rng: &mut StdRng, system: &mut TransitionSystem, leaves: &[TermId], depth: u32) -> TermId {
    if depth == 0 || rng.random_bool(0.3) {
        return literal(rng, system, leaves);
    }
    let a = condition(rng, system, leaves, depth - 1);
    let b = condition(rng, system, leaves, depth - 1);
    match rng.random_range(0..4) {
        0 => system.terms.and([a, b]),
        1 => system.terms.or([a, b]),
        2 => system.terms.not(a),
        _ => system.terms.iff(a, b),
    }
}

/// A few variables that mostly follow each other, so that not all of them matter.
fn random_model(rng: &mut StdRng) -> TransitionSystem {
    let sorts = [
        Sort::Bool,
        Sort::Bool,
        Sort::range(0, 2),
        Sort::enumeration([Value::symbol("a"), Value::symbol("b"), Value::symbol("c")]),
        Sort::word(2),
    ];
    let mut system = TransitionSystem::new();
    let (mut now, mut later) = (Vec::new(), Vec::new());
    for number in 0..rng.random_range(2..=5) {
        let kind = if number > 0 && rng.random_bool(0.1) {
            VarKind::Frozen
        } else {
            VarKind::State
        };
        let id = system.add_variable(format!("v{number}"), pick(rng, &sorts), kind);
        now.push(system.current(id));
        if kind == VarKind::State {
            later.push((now[number], system.next(id)));
        }
    }
    let mut readable = now.clone();
    if rng.random_bool(0.4) {
        let id = system.add_variable("i", pick(rng, &sorts), VarKind::Input);
        readable.push(system.current(id));
    }
    for &variable in &now {
        if rng.random_bool(0.7) {
            let sort = system.terms.sort(variable).clone();
            let value = sort.value_at(rng.random_range(0..sort.size().expect("small")));
            let constant = system.terms.constant(value);
            let start = system.terms.equal(variable, constant).expect("of one sort");
            system.init.push(start);
        }
    }
    for &(variable, next) in &later {
        if rng.random_bool(0.85) {
            let guard = condition(rng, &mut system, &readable, 1);
            let sort = system.terms.sort(variable).clone();
            let value = sort.value_at(rng.random_range(0..sort.size().expect("small")));
            let constant = system.terms.constant(value);
            let same: Vec<TermId> = (now.iter().copied())
                .filter(|&other| *system.terms.sort(other) == sort)
                .collect();
            let other = pick(rng, &same);
            let chosen = system.terms.ite(guard, constant, other).expect("of one sort");
            let step = system.terms.equal(next, chosen).expect("of one sort");
            system.transition.push(step);
        }
    }
    if rng.random_bool(0.15) {
        let all: Vec<TermId> = readable
            .iter()
            .copied()
            .chain(later.iter().map(|pair| pair.1))
            .collect();
        let constraint = condition(rng, &mut system, &all, 2);
        system.transition.push(constraint);
    }
    if rng.random_bool(0.1) {
        let constraint = condition(rng, &mut system, &now, 1);
        system.invariant.push(constraint);
    }
    if rng.random_bool(0.2) {
        // Sometimes what no path meets.
        let just = match rng.random_bool(0.15) {
            true => system.terms.truth(false),
            false => condition(rng, &mut system, &readable, 1),
        };
        system.justice.push(just);
    }
    if rng.random_bool(0.1) {
        let place = condition(rng, &mut system, &readable, 0);
        let other = condition(rng, &mut system, &now, 0);
        let condition = system.terms.and([place, other]);
        system.hazards.push(Hazard {
            condition,
            message: "a hazard".into(),
            place: None,
        });
    }
    system
}

/// A path formula; with `nested`, state formulas `A ψ` among its atoms.
fn path_formula(rng: &mut StdRng, atoms: &[TermId], depth: u32, nested: bool) -> Formula<TermId> {
    if depth == 0 {
        let atom = Formula::atom(pick(rng, atoms));
        return if rng.random_bool(0.4) { atom.not() } else { atom };
    }
    let mut inner = || {
        let path = path_formula(rng, atoms, depth - 1, nested);
        if nested && rng.random_bool(0.4) {
            path.forall()
        } else {
            path
        }
    };
    let (a, b) = (inner(), inner());
    match rng.random_range(0..11) {
        8 => {
            let past = [
                Unary::Yesterday,
                Unary::WeakYesterday,
                Unary::Once,
                Unary::Historically,
            ];
            Formula::unary(pick(rng, &past), &a)
        }
        9 => Formula::binary(pick(rng, &[Binary::Since, Binary::Triggered]), &a, &b),
        10 => {
            let bounded = [Unary::Finally, Unary::Globally, Unary::Once, Unary::Historically];
            let interval = Interval::bounded(rng.random_range(0..2), rng.random_range(1..3));
            Formula::unary_within(pick(rng, &bounded), interval, &a)
        }
        0 => a.next(),
        1 | 2 => a.globally(),
        3 => a.finally(),
        4 => a.until(&b),
        5 => a.release(&b),
        6 => Formula::and([a, b]),
        _ => Formula::or([a, b]),
    }
}

/// Has evidence checked as the program does.
fn judged(system: &TransitionSystem, property: &Property<TermId>, outcome: &Outcome) -> CheckReport {
    let budget = Budget::unlimited();
    let options = CheckOptions::default();
    let report = |verdict: Result<(), Refusal>| match verdict {
        Ok(()) => CheckReport::Accepted,
        Err(refusal) => CheckReport::Rejected {
            reason: refusal.to_string(),
        },
    };
    match (&outcome.evidence, &property.question) {
        (Some(Evidence::Abstraction(proof)), question)
            if !matches!(*proof.proof, Evidence::Exhaustive(_)) =>
        {
            match proof.abstraction.question(system, question, DeadEnds::Infinite) {
                Err(report) => report,
                Ok(asked) => {
                    let property = Property {
                        question: asked.question,
                        ..property.clone()
                    };
                    let inner = Outcome::complete(Verdict::Holds, (*proof.proof).clone());
                    judged(&asked.system, &property, &inner)
                }
            }
        }
        (Some(Evidence::Liveness(certificate)), Question::Formula(formula)) => {
            let Node::Quantified(Quantifier::Forall, path) = formula.node() else {
                panic!("k-liveness is for A ψ");
            };
            report(entail_proof::check_liveness(
                system,
                certificate,
                path,
                DeadEnds::Infinite,
                &budget,
            ))
        }
        (Some(Evidence::Invariant(certificate)), Question::Invariant(atom)) => {
            report(entail_proof::check_invariant(system, certificate, *atom, &budget))
        }
        _ => check_outcome(system, property, outcome, &options, &budget),
    }
}

fn property(question: Question<TermId>) -> Property<TermId> {
    Property {
        name: None,
        text: String::new(),
        logic: if matches!(question, Question::Invariant(_)) {
            entail_logic::Logic::Invariant
        } else {
            entail_logic::Logic::CtlStar
        },
        question,
    }
}

fn compare(
    engine: &dyn Engine,
    system: &TransitionSystem,
    property: &Property<TermId>,
    seed: u64,
    seen: &mut [usize; 6],
) {
    let (options, budget) = (CheckOptions::default(), Budget::unlimited());
    let ask = |engine: &dyn Engine| engine.check(system, property, &options, &budget, &Silent);
    let expected: Result<Outcome, ModelError> = ask(&Explicit::default());
    let found = ask(engine);
    match (expected, found) {
        // Predicates are about states, and not everything can be read back.
        (_, Ok(found)) if found.verdict == Verdict::Unknown && engine.name() == "predicates" => {
            assert!(found.reason.is_some(), "seed {seed}");
            seen[5] += 1;
        }
        (Err(expected), Err(found)) => {
            assert_eq!(
                expected.message.contains("initial"),
                found.message.contains("initial"),
                "seed {seed}"
            );
            if let Some(trace) = found.trace {
                let mut harmless = system.clone();
                harmless.hazards.clear();
                assert_eq!(
                    entail_systems_checker::replay(&harmless, &trace, true),
                    Ok(()),
                    "seed {seed}"
                );
            }
            seen[0] += 1;
        }
        (Ok(expected), Ok(found)) => {
            assert_ne!(
                expected.verdict,
                Verdict::Unknown,
                "seed {seed}: {:?}",
                expected.reason
            );
            assert_eq!(
                found.verdict, expected.verdict,
                "seed {seed}: {:?} {:#?}",
                found.reason, found.rounds
            );
            let report = judged(system, property, &found);
            assert!(
                !report.is_rejected(),
                "seed {seed}: {report:?} {:#?}",
                found.evidence
            );
            assert!(!found.rounds.is_empty(), "seed {seed}");
            // Evidence survives being saved.
            let saved = json::save(
                system,
                ("m", "none"),
                property,
                &found,
                DeadEnds::Infinite,
                "cegar",
            );
            let read = json::SavedEvidence::read(&saved).expect("a document");
            let (again, _) = json::resolve(system, property, &read).expect("about this model");
            assert!(
                !judged(system, property, &again).is_rejected(),
                "seed {seed}: {saved}"
            );
            assert_eq!(again.rounds.len(), found.rounds.len());
            seen[match found.verdict {
                Verdict::Holds => 1,
                _ => 2,
            }] += 1;
            seen[3] += usize::from(found.rounds.len() > 1);
            seen[4] += usize::from(matches!(found.evidence, Some(Evidence::Abstraction(_))));
        }
        // A violation and a hazard may both be reachable; engines need not meet the same one first.
        (Ok(outcome), Err(hazard)) if outcome.verdict == Verdict::Fails && !system.hazards.is_empty() => {
            let mut harmless = system.clone();
            harmless.hazards.clear();
            let trace = hazard.trace.expect("a way to the hazard");
            assert_eq!(
                entail_systems_checker::replay(&harmless, &trace, true),
                Ok(()),
                "seed {seed}"
            );
        }
        (Err(_), Ok(found)) if found.verdict == Verdict::Fails && !system.hazards.is_empty() => {
            assert!(!judged(system, property, &found).is_rejected(), "seed {seed}");
        }
        (expected, found) => panic!("seed {seed}: expected {expected:?}, found {found:?}"),
    }
}

fn leaves(system: &mut TransitionSystem, with_inputs: bool) -> Vec<TermId> {
    let ids: Vec<_> = system.variable_ids().collect();
    let is_wanted = |id: &entail_model::VarId| with_inputs || system.variable(*id).kind != VarKind::Input;
    let ids: Vec<_> = ids.into_iter().filter(is_wanted).collect();
    ids.into_iter().map(|id| system.current(id)).collect()
}

fn invariants(engine: &dyn Engine, seeds: u64) -> [usize; 6] {
    let mut seen = [0; 6];
    for seed in 0..seeds {
        let mut rng = StdRng::seed_from_u64(seed);
        let mut system = random_model(&mut rng);
        let leaves = leaves(&mut system, false);
        let atom = condition(&mut rng, &mut system, &leaves, 1);
        let question = property(Question::Invariant(atom));
        compare(engine, &system, &question, seed, &mut seen);
    }
    seen
}

fn linear_time(engine: &dyn Engine, seeds: u64, with_inputs: bool) -> [usize; 6] {
    let mut seen = [0; 6];
    for seed in 0..seeds {
        let mut rng = StdRng::seed_from_u64(seed);
        let mut system = random_model(&mut rng);
        let leaves = leaves(&mut system, with_inputs);
        let atoms = [
            literal(&mut rng, &mut system, &leaves[..1]),
            literal(&mut rng, &mut system, &leaves),
        ];
        let formula = path_formula(&mut rng, &atoms, 2, false).forall();
        let question = property(Question::Formula(formula));
        compare(engine, &system, &question, seed, &mut seen);
    }
    seen
}

fn branching_time(engine: &dyn Engine, seeds: u64) -> [usize; 6] {
    let mut seen = [0; 6];
    for seed in 0..seeds {
        let mut rng = StdRng::seed_from_u64(seed);
        let mut system = random_model(&mut rng);
        let leaves = leaves(&mut system, false);
        let atoms = [
            literal(&mut rng, &mut system, &leaves[..1]),
            literal(&mut rng, &mut system, &leaves),
        ];
        let formula = path_formula(&mut rng, &atoms, 3, true).forall();
        if formula.is_in(Fragment::ActlStar) {
            let question = property(Question::Formula(formula));
            compare(engine, &system, &question, seed, &mut seen);
        }
    }
    seen
}

/// Errors, holds, fails, more than one round, abstract proofs, unknown.
fn all_kinds(seen: [usize; 6], kinds: &[usize]) {
    assert!(kinds.iter().all(|&kind| seen[kind] > 15), "{seen:?}");
}

#[test]
fn localization_of_invariants() {
    all_kinds(invariants(&cegar(), 1500), &[0, 1, 2, 3]);
}

#[test]
fn localization_in_linear_time() {
    all_kinds(linear_time(&cegar(), 600, true), &[0, 1, 2, 3]);
}

#[test]
fn localization_in_branching_time() {
    all_kinds(branching_time(&cegar(), 800), &[0, 1, 2, 3, 4]);
}

#[test]
fn predicates_of_invariants() {
    all_kinds(invariants(&predicates(), 1000), &[0, 1, 2, 3]);
}

#[test]
fn predicates_in_linear_time() {
    all_kinds(linear_time(&predicates(), 300, false), &[1, 2, 3, 4]);
}

#[test]
fn predicates_in_branching_time() {
    all_kinds(branching_time(&predicates(), 500), &[1, 2, 3, 4]);
}
