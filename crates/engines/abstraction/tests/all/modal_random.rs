//! Random models, observations and formulas: abstract models against the definition, abstract verdicts against the model's own, and every
//! piece of evidence against the independent checker.

use entail_abstraction::{
    AbstractEngine, AbstractOptions, MaySteps, Modalities, Mode, Splitting, States, abstract_model,
    modal_simulation, three_valued,
};
use entail_budget::{Budget, Silent};
use entail_evidence::{CheckOptions, CheckReport, DeadEnds, Engine, Evidence, Outcome, Verdict, json};
use entail_explicit::Explicit;
use entail_logic::mu::{Fixpoint, Mu, MuVar};
use entail_logic::{Binary, Formula, Property, Question, Unary};
use entail_model::{Abstraction, Kmts, Observation, Sort, StateId, TermId, TransitionSystem, Value, VarKind};
use entail_symbolic::SymbolicEngine;
use entail_systems_checker::check_outcome;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use std::collections::HashMap;

fn pick<T: Clone>(rng: &mut StdRng, list: &[T]) -> T {
    list[rng.random_range(0..list.len())].clone()
}

fn literal(rng: &mut StdRng, system: &mut TransitionSystem, leaves: &[TermId]) -> TermId {
    let leaf = pick(rng, leaves);
    let sort = system.terms.sort(leaf).clone();
    if sort == Sort::Bool {
        return leaf;
    }
    let value = sort.value_at(rng.random_range(0..sort.size().expect("small")));
    let constant = system.terms.constant(value);
    match sort {
        Sort::Range { .. } if rng.random_bool(0.5) => system.terms.less(leaf, constant).expect("integers"),
        _ => system.terms.equal(leaf, constant).expect("of one sort"),
    }
}

fn condition(rng: &mut StdRng, system: &mut TransitionSystem, leaves: &[TermId], depth: u32) -> TermId {
    if depth == 0 || rng.random_bool(0.3) {
        return literal(rng, system, leaves);
    }
    let a = condition(rng, system, leaves, depth - 1);
    let b = condition(rng, system, leaves, depth - 1);
    match rng.random_range(0..3) {
        0 => system.terms.and([a, b]),
        1 => system.terms.or([a, b]),
        _ => system.terms.not(a),
    }
}

struct Sample {
    system: TransitionSystem,
    /// Current values of state variables.
    now: Vec<TermId>,
}

fn random_model(rng: &mut StdRng, fair: bool) -> Sample {
    let sorts = [
        Sort::Bool,
        Sort::range(-1, 2),
        Sort::enumeration([Value::symbol("a"), Value::symbol("b"), Value::symbol("c")]),
        Sort::word(2),
    ];
    let mut system = TransitionSystem::new();
    let (mut now, mut later) = (Vec::new(), Vec::new());
    for number in 0..rng.random_range(2..=4) {
        let frozen = number > 0 && rng.random_bool(0.1);
        let kind = if frozen { VarKind::Frozen } else { VarKind::State };
        let id = system.add_variable(format!("v{number}"), pick(rng, &sorts), kind);
        now.push(system.current(id));
        if !frozen {
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
            let start = literal(rng, &mut system, &[variable]);
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
    if rng.random_bool(0.3) {
        let all: Vec<TermId> = readable
            .iter()
            .copied()
            .chain(later.iter().map(|pair| pair.1))
            .collect();
        let constraint = condition(rng, &mut system, &all, 2);
        system.transition.push(constraint);
    }
    if rng.random_bool(0.15) {
        let constraint = condition(rng, &mut system, &now, 1);
        system.invariant.push(constraint);
    }
    if fair && rng.random_bool(0.4) {
        let just = condition(rng, &mut system, &readable, 1);
        system.justice.push(just);
    }
    if fair && rng.random_bool(0.1) {
        let pair = (0..2)
            .map(|_| condition(rng, &mut system, &now, 1))
            .collect::<Vec<_>>();
        system.compassion.push((pair[0], pair[1]));
    }
    Sample { system, now }
}

fn random_abstraction(rng: &mut StdRng, sample: &mut Sample) -> Abstraction {
    let mut abstraction = Abstraction::default();
    for number in 0..rng.random_range(0..=3) {
        let term = match rng.random_bool(0.3) {
            true => pick(rng, &sample.now),
            false => condition(rng, &mut sample.system, &sample.now, 1),
        };
        abstraction.add(Observation {
            name: format!("o{number}").into(),
            term,
        });
    }
    abstraction
}

/// Random CTL over some atoms.
fn ctl(rng: &mut StdRng, atoms: &[TermId], depth: u32) -> Formula<TermId> {
    if depth == 0 {
        let atom = Formula::atom(pick(rng, atoms));
        return if rng.random_bool(0.5) { atom } else { atom.not() };
    }
    let a = ctl(rng, atoms, depth - 1);
    if rng.random_bool(0.3) {
        let b = ctl(rng, atoms, depth - 1);
        return match rng.random_range(0..4) {
            0 => Formula::and([a, b]),
            1 => Formula::or([a, b]),
            2 => a.iff(&b),
            _ => a.not(),
        };
    }
    let path = match rng.random_range(0..6) {
        0 => a.next(),
        1 => a.finally(),
        2 => a.globally(),
        3 => a.until(&ctl(rng, atoms, depth - 1)),
        4 => a.release(&ctl(rng, atoms, depth - 1)),
        _ => Formula::binary(Binary::WeakUntil, &a, &ctl(rng, atoms, depth - 1)),
    };
    if rng.random_bool(0.5) {
        path.forall()
    } else {
        path.exists()
    }
}

/// Random path formulas without quantifiers.
fn ltl(rng: &mut StdRng, atoms: &[TermId], depth: u32) -> Formula<TermId> {
    if depth == 0 {
        let atom = Formula::atom(pick(rng, atoms));
        return if rng.random_bool(0.5) { atom } else { atom.not() };
    }
    let a = ltl(rng, atoms, depth - 1);
    match rng.random_range(0..8) {
        0 => Formula::and([a, ltl(rng, atoms, depth - 1)]),
        1 => a.implies(&ltl(rng, atoms, depth - 1)),
        2 => a.next(),
        3 => a.finally(),
        4 => a.globally(),
        5 => a.until(&ltl(rng, atoms, depth - 1)),
        6 => a.release(&ltl(rng, atoms, depth - 1)),
        _ => Formula::unary(
            pick(rng, &[Unary::Once, Unary::Historically, Unary::Yesterday]),
            &a,
        ),
    }
}

/// Random formulas of the mu-calculus with up to two nested fixpoints.
fn mu(rng: &mut StdRng, atoms: usize, depth: u32, variables: &mut Vec<MuVar>) -> Mu<usize> {
    if depth == 0 || rng.random_bool(0.15) {
        if !variables.is_empty() && rng.random_bool(0.5) {
            return Mu::variable(&pick(rng, variables));
        }
        let atom = rng.random_range(0..atoms);
        return match rng.random_bool(0.5) {
            true => Mu::atom(atom),
            false => Mu::negated_atom(atom),
        };
    }
    match rng.random_range(0..6) {
        0 => Mu::and([
            mu(rng, atoms, depth - 1, variables),
            mu(rng, atoms, depth - 1, variables),
        ]),
        1 => Mu::or([
            mu(rng, atoms, depth - 1, variables),
            mu(rng, atoms, depth - 1, variables),
        ]),
        2 => mu(rng, atoms, depth - 1, variables).some_next(),
        3 => mu(rng, atoms, depth - 1, variables).every_next(),
        kind => {
            let variable = MuVar::new(format!("X{}", variables.len()));
            variables.push(variable.clone());
            let body = mu(rng, atoms, depth - 1, variables);
            variables.pop();
            let fixpoint = if kind == 4 {
                Fixpoint::Least
            } else {
                Fixpoint::Greatest
            };
            body.fixpoint(fixpoint, &variable)
        }
    }
}

fn options(abstraction: Abstraction) -> AbstractOptions {
    AbstractOptions {
        abstraction,
        refine: false,
        ..AbstractOptions::default()
    }
}

/// The abstract model by the definition: the concrete structure is unfolded first. Also the class of each concrete state.
fn by_definition(
    system: &TransitionSystem,
    abstraction: &Abstraction,
    atoms: &[TermId],
) -> Option<(Kmts, Vec<Vec<Value>>, Kmts)> {
    let names: Vec<String> = atoms.iter().map(|atom| atom.index().to_string()).collect();
    let propositions: Vec<(&str, TermId)> = names
        .iter()
        .map(String::as_str)
        .zip(atoms.iter().copied())
        .collect();
    let unfolding = system.unfold(&propositions, 10_000).ok()?;
    let mut numbers: HashMap<Vec<Value>, u32> = HashMap::new();
    let mut tuples = Vec::new();
    let mut classes = Vec::new();
    for state in &unfolding.states {
        let tuple = abstraction.observe(system, state).expect("states have values");
        let number = *numbers.entry(tuple.clone()).or_insert_with(|| {
            tuples.push(tuple);
            tuples.len() as u32 - 1
        });
        classes.push(number);
    }
    Some((
        Kmts::of_partition(&unfolding.kripke, &classes),
        tuples,
        Kmts::of_kripke(&unfolding.kripke),
    ))
}

/// The same system with states in another order: `order[old] = new`.
fn renumbered(kmts: &Kmts, order: &[u32]) -> Kmts {
    let id = |state: &StateId| StateId::new(order[state.index()]);
    let mut builder = entail_model::KmtsBuilder::new(kmts.state_count());
    for state in kmts.initial() {
        builder.initial(id(state));
    }
    for state in kmts.states() {
        for to in kmts.may(state) {
            builder.may(id(&state), id(to));
        }
        for targets in kmts.must(state) {
            builder.must(id(&state), targets.iter().map(id));
        }
    }
    for known in kmts.propositions() {
        let states = |set: &entail_model::StateSet| -> Vec<StateId> {
            set.ones().map(|state| id(&StateId::new(state as u32))).collect()
        };
        builder.proposition(&*known.name, states(&known.holds), states(&known.fails));
    }
    builder.build().expect("consistent")
}

#[test]
fn abstract_models_are_those_of_the_definition() {
    let mut rng = StdRng::seed_from_u64(13);
    let budget = Budget::unlimited();
    let mut compared = 0;
    for _ in 0..400 {
        let mut sample = random_model(&mut rng, false);
        let abstraction = random_abstraction(&mut rng, &mut sample);
        let mut atoms: Vec<TermId> = (0..2)
            .map(|_| condition(&mut rng, &mut sample.system, &sample.now, 1))
            .collect();
        atoms.retain(|&atom| sample.system.terms.as_truth(atom).is_none());
        atoms.dedup();
        let system = &sample.system;
        let Some((expected, tuples, concrete)) = by_definition(system, &abstraction, &atoms) else {
            continue;
        };
        let reachable = AbstractOptions {
            states: States::Reachable,
            ..options(abstraction.clone())
        };
        let check = CheckOptions::default();
        let made = abstract_model(system, &atoms, &reachable, &check, &budget).expect("small");
        let order: Vec<u32> = tuples
            .iter()
            .map(|tuple| {
                made.classes
                    .iter()
                    .position(|class| class == tuple)
                    .expect("each class is met") as u32
            })
            .collect();
        assert_eq!(made.kmts, renumbered(&expected, &order));

        // All states, and the approximated relation: coarser, and still true of the model.
        let all =
            abstract_model(system, &atoms, &options(abstraction.clone()), &check, &budget).expect("small");
        let approximated = AbstractOptions {
            relation: MaySteps::Approximated,
            ..options(abstraction)
        };
        let coarse = abstract_model(system, &atoms, &approximated, &check, &budget).expect("small");
        let tells_truth = |left: &Kmts, right: &Kmts| {
            modal_simulation(left, right, &budget)
                .expect("no limit")
                .is_some()
        };
        assert!(tells_truth(&concrete, &made.kmts));
        assert!(tells_truth(&made.kmts, &all.kmts));
        assert!(tells_truth(&all.kmts, &coarse.kmts));
        assert!(coarse.kmts.may_count() >= all.kmts.may_count());
        compared += 1;
    }
    assert!(compared > 250, "{compared}");
}

#[test]
fn three_valued_answers_never_contradict_the_model() {
    let mut rng = StdRng::seed_from_u64(14);
    let budget = Budget::unlimited();
    let (mut known, mut unknown) = (0, 0);
    for _ in 0..300 {
        let mut sample = random_model(&mut rng, false);
        let abstraction = random_abstraction(&mut rng, &mut sample);
        let atoms: Vec<TermId> = vec![condition(&mut rng, &mut sample.system, &sample.now, 1)];
        if sample.system.terms.as_truth(atoms[0]).is_some() {
            continue;
        }
        let Some((coarse, tuples, concrete)) = by_definition(&sample.system, &abstraction, &atoms) else {
            continue;
        };
        let unfolding = sample.system.unfold(&[], 10_000).expect("unfolded before");
        for _ in 0..6 {
            let formula = mu(&mut rng, 1, 4, &mut Vec::new());
            let abstracted = three_valued(&coarse, &formula, Modalities::Both, &budget).expect("closed");
            let must = three_valued(&coarse, &formula, Modalities::MustOnly, &budget).expect("closed");
            let exact = three_valued(&concrete, &formula, Modalities::Both, &budget).expect("closed");
            for (number, state) in unfolding.states.iter().enumerate() {
                let tuple = abstraction
                    .observe(&sample.system, state)
                    .expect("states have values");
                let class = tuples.iter().position(|other| *other == tuple).expect("a class");
                let truth = exact.at(StateId::new(number as u32));
                assert!(truth.is_some(), "everything is known of the concrete structure");
                for answer in [&abstracted, &must] {
                    match answer.at(StateId::new(class as u32)) {
                        Some(answer) => {
                            assert_eq!(Some(answer), truth, "{formula}");
                            known += 1;
                        }
                        None => unknown += 1,
                    }
                }
            }
        }
    }
    assert!(known > 1000 && unknown > 1000, "{known} {unknown}");
}

fn asked(question: Question<TermId>, logic: entail_logic::Logic) -> Property<TermId> {
    Property {
        name: None,
        text: "random".into(),
        logic,
        question,
    }
}

/// Checks that the evidence of an outcome is accepted, also after it was saved and read again.
fn accept(system: &TransitionSystem, property: &Property<TermId>, outcome: &Outcome, check: &CheckOptions) {
    let budget = Budget::unlimited();
    let report = check_outcome(system, property, outcome, check, &budget);
    assert_eq!(
        report,
        CheckReport::Accepted,
        "{property:?} {:?}",
        outcome.verdict
    );
    let document = json::document(
        system,
        ("random", "smv"),
        property,
        outcome,
        check.dead_ends,
        "abstract",
    );
    let saved = json::SavedEvidence::read(&document.to_string()).expect("readable");
    let (read, _) = json::resolve(system, property, &saved).expect("about the same model");
    assert_eq!(
        check_outcome(system, property, &read, check, &budget),
        CheckReport::Accepted
    );
}

#[test]
fn verdicts_are_those_of_the_model() {
    let mut rng = StdRng::seed_from_u64(15);
    let budget = Budget::unlimited();
    let mut decided = [0; 3];
    for round in 0..400 {
        let mut sample = random_model(&mut rng, true);
        if round % 5 != 2 {
            sample.system.compassion.clear();
        }
        let abstraction = random_abstraction(&mut rng, &mut sample);
        let atoms: Vec<TermId> = (0..2)
            .map(|_| literal(&mut rng, &mut sample.system, &sample.now))
            .collect();
        let system = &sample.system;
        let property = match round % 5 {
            0 => asked(Question::Invariant(atoms[0]), entail_logic::Logic::Invariant),
            2 if !system.has_fairness() && rng.random_bool(0.3) => asked(
                Question::Formula(ltl(&mut rng, &atoms, 3).exists()),
                entail_logic::Logic::CtlStar,
            ),
            2 => asked(
                Question::Formula(ltl(&mut rng, &atoms, 3).forall()),
                entail_logic::Logic::Ltl,
            ),
            1 => {
                let formula = mu(&mut rng, 2, 4, &mut Vec::new());
                asked(
                    Question::Mu(formula.map_atoms(&mut |&at| atoms[at])),
                    entail_logic::Logic::Mu,
                )
            }
            _ => asked(
                Question::Formula(ctl(&mut rng, &atoms, 2)),
                entail_logic::Logic::Ctl,
            ),
        };
        let check = CheckOptions {
            dead_ends: pick(
                &mut rng,
                &[DeadEnds::Infinite, DeadEnds::Infinite, DeadEnds::Stutter],
            ),
            ..CheckOptions::default()
        };
        let expected: Result<Outcome, _> = match &property.question {
            Question::Mu(_) => SymbolicEngine::default().check(system, &property, &check, &budget, &Silent),
            _ => Explicit::default().check(system, &property, &check, &budget, &Silent),
        };
        let Ok(expected) = expected else {
            continue;
        };
        assert_ne!(expected.verdict, Verdict::Unknown);
        for mode in [Mode::May, Mode::Must, Mode::ThreeValued] {
            for refine in [false, true] {
                let engine = AbstractEngine {
                    options: AbstractOptions {
                        mode,
                        refine,
                        relation: pick(&mut rng, &[MaySteps::Exact, MaySteps::Approximated]),
                        states: pick(&mut rng, &[States::All, States::Reachable]),
                        splitting: pick(&mut rng, &[Splitting::All, Splitting::One]),
                        ..options(abstraction.clone())
                    },
                };
                let outcome = engine
                    .check(system, &property, &check, &budget, &Silent)
                    .expect("a meaning");
                if outcome.verdict != Verdict::Unknown {
                    assert_eq!(outcome.verdict, expected.verdict, "{mode:?} {property:?}");
                    assert!(matches!(outcome.evidence, Some(Evidence::Modal(_))));
                    accept(system, &property, &outcome, &check);
                    decided[usize::from(refine)] += 1;
                } else {
                    assert!(outcome.reason.is_some());
                    let justice_on_steps = system.justice.iter().any(|&term| {
                        let (current, _) = system.terms.support(&[term]);
                        current
                            .iter()
                            .any(|&id| system.variable(id).kind == VarKind::Input)
                    });
                    // With refinement everything is decided, unless a justice condition is about inputs.
                    assert!(
                        !refine || mode != Mode::ThreeValued || justice_on_steps,
                        "{:?} {property:?}",
                        outcome.reason
                    );
                    decided[2] += 1;
                }
            }
        }
    }
    assert!(decided.iter().all(|&count| count > 150), "{decided:?}");
}
