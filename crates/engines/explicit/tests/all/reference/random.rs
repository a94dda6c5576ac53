//! Random small systems and formulas.

use entail_logic::{Binary, Formula, Interval, Quantifier, Unary};
use entail_model::{Sort, TermId, TransitionSystem, Value, VarId, VarKind};
use rand::Rng;
use rand::rngs::StdRng;
use std::sync::Arc;

/// What a random system has.
#[derive(Clone, Copy)]
pub struct Shape {
    pub inputs: bool,
    pub fairness: bool,
    pub compassion: bool,
    pub wide: bool,
}

fn sort(random: &mut StdRng, wide: bool) -> Sort {
    match random.random_range(0..if wide { 8 } else { 6 }) {
        0 | 1 => Sort::Bool,
        2 => Sort::range(-1, 1),
        3 => Sort::enumeration([Value::symbol("a"), Value::Int(1), Value::symbol("b")]),
        4 => Sort::Word {
            width: 2,
            signed: random.random(),
        },
        5 => Sort::range(0, 3),
        6 => Sort::Array {
            index: Arc::new(Sort::range(0, 1)),
            element: Arc::new(Sort::Bool),
        },
        _ => Sort::enumeration([Value::symbol("b"), Value::symbol("a")]),
    }
}

/// A leaf or a small expression of the variable's family.
fn expression(random: &mut StdRng, system: &mut TransitionSystem, leaves: &[TermId], sort: &Sort) -> TermId {
    let fitting: Vec<TermId> = leaves
        .iter()
        .copied()
        .filter(|&leaf| system.terms.sort(leaf).comparable(sort))
        .collect();
    let leaf = |random: &mut StdRng, system: &mut TransitionSystem| {
        if fitting.is_empty() || random.random_bool(0.3) {
            let value = sort.value_at(random.random_range(0..sort.size().expect("small")));
            if let Value::Array(_) = value {
                return fitting
                    .first()
                    .copied()
                    .unwrap_or_else(|| system.terms.constant(value));
            }
            system.terms.constant(value)
        } else {
            fitting[random.random_range(0..fitting.len())]
        }
    };
    let a = leaf(random, system);
    let b = leaf(random, system);
    let one = system.terms.integer(1);
    let built = match random.random_range(0..8) {
        0 => system.terms.add(a, b),
        1 => system.terms.subtract(a, one),
        2 => {
            let condition = condition(random, system, leaves, 1);
            system.terms.ite(condition, a, b)
        }
        3 => system.terms.bit_xor(a, b),
        4 => system.terms.remainder(a, b),
        _ => Ok(a),
    };
    built.unwrap_or(a)
}

/// A random Boolean term over the leaves.
pub fn condition(
    random: &mut StdRng,
    system: &mut TransitionSystem,
    leaves: &[TermId],
    depth: u32,
) -> TermId {
    if depth == 0 || random.random_bool(0.3) {
        let leaf = leaves[random.random_range(0..leaves.len())];
        let sort = system.terms.sort(leaf).clone();
        if sort == Sort::Bool {
            return if random.random() {
                leaf
            } else {
                system.terms.not(leaf)
            };
        }
        let other = expression(random, system, leaves, &sort);
        let built = match random.random_range(0..3) {
            0 => system.terms.less(leaf, other),
            _ => system.terms.equal(leaf, other),
        };
        return match built {
            Ok(term) => term,
            Err(_) => system.terms.equal(leaf, leaf).expect("comparable"),
        };
    }
    let a = condition(random, system, leaves, depth - 1);
    let b = condition(random, system, leaves, depth - 1);
    match random.random_range(0..6) {
        0 | 1 => system.terms.and([a, b]),
        2 | 3 => system.terms.or([a, b]),
        4 => system.terms.iff(a, b),
        _ => {
            let c = condition(random, system, leaves, depth - 1);
            system.terms.ite(c, a, b).expect("Booleans")
        }
    }
}

/// A random system with few states.
pub fn system(random: &mut StdRng, shape: Shape) -> TransitionSystem {
    let mut system = TransitionSystem::new();
    let count = random.random_range(1..=3);
    let mut variables: Vec<VarId> = Vec::new();
    for number in 0..count {
        let kind = if number > 0 && random.random_bool(0.15) {
            VarKind::Frozen
        } else {
            VarKind::State
        };
        let sort = sort(random, shape.wide);
        variables.push(system.add_variable(format!("x{number}"), sort, kind));
    }
    let inputs: Vec<VarId> = if shape.inputs && random.random_bool(0.7) {
        let sort = if random.random() {
            Sort::Bool
        } else {
            Sort::range(0, 2)
        };
        vec![system.add_variable("i", sort, VarKind::Input)]
    } else {
        Vec::new()
    };
    let now: Vec<TermId> = variables
        .iter()
        .map(|&variable| system.current(variable))
        .collect();
    let mut known = now.clone();
    known.extend(inputs.iter().map(|&input| system.current(input)));
    let mut all = known.clone();
    for &variable in &variables {
        let next = system.next(variable);
        all.push(next);
    }

    for _ in 0..random.random_range(0..=2) {
        let init = condition(random, &mut system, &now, 1);
        system.init.push(init);
    }
    if random.random_bool(0.2) {
        let invariant = condition(random, &mut system, &now, 1);
        system.invariant.push(invariant);
    }
    for &variable in &variables {
        if system.variable(variable).kind == VarKind::Frozen {
            continue;
        }
        let next = system.next(variable);
        let sort = system.variable(variable).sort.clone();
        match random.random_range(0..10) {
            // Assignments, sometimes of one of several values.
            0..=3 => {
                let value = expression(random, &mut system, &known, &sort);
                if let Ok(assignment) = system.terms.equal(next, value) {
                    system.transition.push(assignment);
                }
            }
            4..=6 => {
                let (a, b) = (
                    expression(random, &mut system, &known, &sort),
                    expression(random, &mut system, &known, &sort),
                );
                let c = condition(random, &mut system, &known, 1);
                if let (Ok(a), Ok(b)) = (system.terms.equal(next, a), system.terms.equal(next, b)) {
                    let either = system.terms.or([a, b]);
                    let choice = system.terms.ite(c, either, a).expect("Booleans");
                    system.transition.push(choice);
                }
            }
            _ => {}
        }
    }
    match random.random_range(0..5) {
        // A relation of any shape.
        0 | 1 => {
            let relation = condition(random, &mut system, &all, 3);
            system.transition.push(relation);
        }
        // Guarded disjuncts.
        2 => {
            let disjuncts: Vec<TermId> = (0..random.random_range(2..8))
                .map(|_| {
                    let guard = condition(random, &mut system, &known, 1);
                    let effect = condition(random, &mut system, &all, 1);
                    let more = condition(random, &mut system, &all, 0);
                    system.terms.and([guard, effect, more])
                })
                .collect();
            let relation = system.terms.or(disjuncts);
            system.transition.push(relation);
        }
        _ => {}
    }
    if shape.fairness {
        for _ in 0..random.random_range(0..=2) {
            let leaves = if random.random() { &known } else { &all };
            let justice = condition(random, &mut system, leaves, 1);
            system.justice.push(justice);
        }
    }
    if shape.compassion {
        for _ in 0..random.random_range(0..=2) {
            let p = condition(random, &mut system, &known, 1);
            let leaves = if random.random() { &known } else { &all };
            let q = condition(random, &mut system, leaves, 1);
            system.compassion.push((p, q));
        }
    }
    system
}

/// Atoms over states, or over steps.
pub fn atoms(random: &mut StdRng, system: &mut TransitionSystem, steps: bool) -> Vec<TermId> {
    let state: Vec<VarId> = system.state_variables().collect();
    let inputs: Vec<VarId> = system.input_variables().collect();
    let mut leaves: Vec<TermId> = state.iter().map(|&variable| system.current(variable)).collect();
    if steps {
        for &variable in &state {
            let next = system.next(variable);
            leaves.push(next);
        }
        for &input in &inputs {
            let input = system.current(input);
            leaves.push(input);
        }
    }
    (0..3).map(|_| condition(random, system, &leaves, 1)).collect()
}

fn interval(random: &mut StdRng) -> Interval {
    match random.random_range(0..8) {
        0 => Interval::bounded(0, random.random_range(0..3)),
        1 => {
            let from = random.random_range(0..2);
            Interval::bounded(from, from + random.random_range(0..2))
        }
        2 => Interval { from: 1, to: None },
        _ => Interval::ALWAYS,
    }
}

/// A random path formula with at most so many temporal operators.
pub fn path(
    random: &mut StdRng,
    atoms: &[TermId],
    size: &mut u32,
    past: bool,
    quantifiers: bool,
) -> Formula<TermId> {
    if *size == 0 {
        return literal(random, atoms);
    }
    *size -= 1;
    match random.random_range(0..if past { 13 } else { 9 }) {
        0 => path(random, atoms, size, past, quantifiers).next(),
        1 | 2 => unary(
            random,
            atoms,
            size,
            past,
            quantifiers,
            &[Unary::Finally, Unary::Globally],
        ),
        3 | 4 => {
            let ops = [
                Binary::Until,
                Binary::Release,
                Binary::WeakUntil,
                Binary::StrongRelease,
            ];
            binary(random, atoms, size, past, quantifiers, &ops)
        }
        5..=7 => {
            let a = path(random, atoms, size, past, quantifiers);
            let b = path(random, atoms, size, past, quantifiers);
            connective(random, a, b)
        }
        8 if quantifiers => path(random, atoms, size, past, quantifiers).quantified(if random.random() {
            Quantifier::Forall
        } else {
            Quantifier::Exists
        }),
        8 => path(random, atoms, size, past, quantifiers).not(),
        9 | 10 => {
            let ops = [
                Unary::Yesterday,
                Unary::WeakYesterday,
                Unary::Once,
                Unary::Historically,
            ];
            unary(random, atoms, size, past, quantifiers, &ops)
        }
        _ => binary(
            random,
            atoms,
            size,
            past,
            quantifiers,
            &[Binary::Since, Binary::Triggered],
        ),
    }
}

fn unary(
    random: &mut StdRng,
    atoms: &[TermId],
    size: &mut u32,
    past: bool,
    quantifiers: bool,
    ops: &[Unary],
) -> Formula<TermId> {
    let op = ops[random.random_range(0..ops.len())];
    let bound = match op {
        Unary::Yesterday | Unary::WeakYesterday => Interval::ALWAYS,
        _ => interval(random),
    };
    Formula::unary_within(op, bound, &path(random, atoms, size, past, quantifiers))
}

fn binary(
    random: &mut StdRng,
    atoms: &[TermId],
    size: &mut u32,
    past: bool,
    quantifiers: bool,
    ops: &[Binary],
) -> Formula<TermId> {
    let op = ops[random.random_range(0..ops.len())];
    let a = path(random, atoms, size, past, quantifiers);
    let b = path(random, atoms, size, past, quantifiers);
    Formula::binary_within(op, interval(random), &a, &b)
}

fn connective(random: &mut StdRng, a: Formula<TermId>, b: Formula<TermId>) -> Formula<TermId> {
    match random.random_range(0..6) {
        0 | 1 => Formula::and([a, b]),
        2 | 3 => Formula::or([a, b]),
        4 => a.implies(&b),
        _ => a.iff(&b),
    }
}

fn literal(random: &mut StdRng, atoms: &[TermId]) -> Formula<TermId> {
    let atom = Formula::atom(atoms[random.random_range(0..atoms.len())]);
    if random.random() { atom } else { atom.not() }
}

/// A random CTL formula.
pub fn ctl(random: &mut StdRng, atoms: &[TermId], size: u32) -> Formula<TermId> {
    if size == 0 {
        return literal(random, atoms);
    }
    if random.random_bool(0.35) {
        let (a, b) = (ctl(random, atoms, size - 1), ctl(random, atoms, size / 2));
        let formula = connective(random, a, b);
        return if random.random_bool(0.2) {
            formula.not()
        } else {
            formula
        };
    }
    let p = ctl(random, atoms, size - 1);
    let path = match random.random_range(0..7) {
        0 => p.next(),
        1 | 2 => Formula::unary_within(Unary::Finally, interval(random), &p),
        3 | 4 => Formula::unary_within(Unary::Globally, interval(random), &p),
        _ => {
            let q = ctl(random, atoms, size - 1);
            let ops = [
                Binary::Until,
                Binary::Release,
                Binary::WeakUntil,
                Binary::StrongRelease,
            ];
            Formula::binary_within(ops[random.random_range(0..4)], interval(random), &p, &q)
        }
    };
    path.quantified(if random.random() {
        Quantifier::Forall
    } else {
        Quantifier::Exists
    })
}
