//! Local variables as constants and as values that runs have say the same; so do end points in circuits and on words.
//!
//! Letters have four bits: two conditions, and two values that the two variables may get. With constants, a variable is read by comparing the other value with it.

use crate::assertions_agree::goal;
use crate::psl::described;
use entail_automata::assertion::{Acceptance, Monitor, frozen};
use entail_budget::Budget;
use entail_evidence::CheckReport;
use entail_logic::{Assertion, Guard, Local, Sequence, over_letters};
use entail_model::Value;
use entail_systems_checker::{
    AssertionWord, LocalReader, Locals, MonitorCircuit, MonitorGate, MonitorGoal, View,
};
use rand::{Rng, SeedableRng, rngs::StdRng};
use std::sync::Arc;

/// Atoms: two conditions; that a value equals the constant of the variable which gets it; that a value equals the other variable.
const EQUAL: usize = 2;
const READS: usize = 4;

/// Which variables may be assigned, and which be read.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Scope {
    free: [bool; 2],
    known: [bool; 2],
}

impl Scope {
    /// After one of two branches.
    fn either(self, other: Scope) -> Scope {
        let both = |left: [bool; 2], right: [bool; 2]| [left[0] && right[0], left[1] && right[1]];
        Scope {
            free: both(self.free, other.free),
            known: both(self.known, other.known),
        }
    }
}

fn guard(random: &mut StdRng, scope: Scope) -> Guard<usize> {
    let read = random.random_range(0..2_usize);
    if scope.known[read] && random.random_bool(0.6) {
        return Guard::Atom(READS + read);
    }
    match random.random_range(0..4) {
        0 => Guard::Constant(true),
        1 => Guard::Atom(1),
        2 => Guard::Atom(0).negated(),
        _ => Guard::Atom(0),
    }
}

/// A sequence, with an assignment behind it now and then.
fn assigned(random: &mut StdRng, body: Sequence<usize>, scope: &mut Scope) -> Sequence<usize> {
    let local = random.random_range(0..2_usize);
    if !scope.free[local] || body.is_nullable() || random.random_bool(0.5) {
        return body;
    }
    scope.free[local] = false;
    scope.known[local] = true;
    Sequence::Assigning {
        body: Arc::new(body),
        local: Local(local as u32),
        value: local as u32,
        equal: EQUAL + local,
    }
}

fn sequence(random: &mut StdRng, depth: u32, scope: &mut Scope) -> Sequence<usize> {
    if depth == 0 {
        let body = Sequence::Guard(guard(random, *scope));
        return assigned(random, body, scope);
    }
    let begin = *scope;
    let left = Arc::new(sequence(random, depth - 1, scope));
    let whole = match random.random_range(0..9) {
        0 => {
            let mut second = begin;
            let right = Arc::new(sequence(random, depth - 1, &mut second));
            *scope = scope.either(second);
            Sequence::Union(left, right)
        }
        1 | 2 => {
            // (What the left side assigns, the right side does not.)
            let mut second = Scope {
                free: scope.free,
                ..begin
            };
            let right = Arc::new(sequence(random, depth - 1, &mut second));
            scope.known = [
                scope.known[0] || second.known[0],
                scope.known[1] || second.known[1],
            ];
            scope.free = second.free;
            match random.random_bool(0.5) {
                true => Sequence::Intersection(left, right),
                false => Sequence::Both(left, right),
            }
        }
        3 => Sequence::FirstMatch(left),
        4 => (*left).clone().after(random.random_range(0..2), None),
        5 => Sequence::Fusion(left, Arc::new(sequence(random, depth - 1, scope))),
        _ => {
            let gap = random.random_range(1..3);
            let right = sequence(random, depth - 1, scope);
            (*left).clone().delayed(1, Some(gap), right)
        }
    };
    assigned(random, whole, scope)
}

fn assertion(random: &mut StdRng, depth: u32, scope: Scope) -> Assertion<usize> {
    let mut inner = scope;
    if depth == 0 {
        let deep = random.random_range(0..3);
        return Assertion::Sequence {
            sequence: Arc::new(sequence(random, deep, &mut inner)),
            strong: random.random_bool(0.5),
        };
    }
    match random.random_range(0..10) {
        0 => assertion(random, depth - 1, scope).negated(),
        1 => assertion(random, depth - 1, scope).and(assertion(random, depth - 1, scope)),
        2 => assertion(random, depth - 1, scope).or(assertion(random, depth - 1, scope)),
        3 => assertion(random, depth - 1, scope).after(random.random_range(1..3), false),
        4 => {
            let left = assertion(random, depth - 1, scope);
            left.until(assertion(random, depth - 1, scope), random.random_bool(0.5))
        }
        5 => assertion(random, depth - 1, scope).always(),
        6 => Assertion::Abort {
            condition: guard(random, scope),
            accept: random.random_bool(0.5),
            body: Arc::new(assertion(random, depth - 1, scope)),
        },
        _ => {
            let antecedent = sequence(random, 2, &mut inner);
            let overlapping = random.random_bool(0.5);
            assertion(random, depth - 1, inner).implied_by(antecedent, overlapping)
        }
    }
}

const NOTHING: Scope = Scope {
    free: [true; 2],
    known: [false; 2],
};

/// A word of letters with two conditions and two values.
struct Word(Vec<[bool; 4]>);

/// All constants.
const CONSTANTS: [[bool; 2]; 4] = [[false, false], [false, true], [true, false], [true, true]];

impl LocalReader for Word {
    fn reads(&self, atom: usize) -> bool {
        atom >= READS
    }

    fn truth(&self, atom: usize, position: usize, locals: &Locals) -> Option<bool> {
        let local = atom - READS;
        let value = locals.get(Local(local as u32))?.as_bool()?;
        // (The other value: 1 is read with variable 0, and 0 with variable 1.)
        Some(self.0[position][2 + (1 - local)] == value)
    }

    fn value(&self, expression: u32, position: usize, _: &Locals) -> Option<Value> {
        Some(Value::Bool(self.0[position][2 + expression as usize]))
    }
}

impl Word {
    /// A word, and the start of its loop.
    fn random(random: &mut StdRng) -> (Word, usize) {
        let length = random.random_range(1..6);
        let letter = |_| std::array::from_fn(|_| random.random_bool(0.5));
        let word = Word((0..length).map(letter).collect());
        (word, random.random_range(0..length))
    }

    /// What an assertion is by definition.
    fn truth(&self, start: usize, asked: &Assertion<usize>) -> bool {
        let plain = self.with_constants([false; 2]);
        let direct = AssertionWord::new(plain, Some(start)).with_locals(self);
        let truth = direct.holds(asked, View::Weak);
        assert!(!direct.is_open(), "{asked:?}");
        truth
    }

    /// Whether an assertion has a truth value under some constants.
    fn is_guessed(&self, start: usize, frozen: &Assertion<usize>, wanted: bool) -> bool {
        CONSTANTS.into_iter().any(|constants| {
            let letters = self.with_constants(constants);
            AssertionWord::new(letters, Some(start)).holds(frozen, View::Weak) == wanted
        })
    }

    /// What atoms are if variables are constants.
    fn with_constants(&self, constants: [bool; 2]) -> Vec<Vec<bool>> {
        let letter = |&[a, b, x, y]: &[bool; 4]| {
            let equal = [x == constants[0], y == constants[1]];
            let reads = [y == constants[0], x == constants[1]];
            vec![a, b, equal[0], equal[1], reads[0], reads[1]]
        };
        self.0.iter().map(letter).collect()
    }
}

fn effort() -> usize {
    let effort = std::env::var("ENTAIL_EFFORT").ok();
    effort.and_then(|text| text.parse().ok()).unwrap_or(1)
}

#[test]
fn variables_are_constants_that_a_search_guesses() {
    let mut random = StdRng::seed_from_u64(1805);
    let (mut compared, mut refused) = (0, 0);
    for _ in 0..1_500 * effort() {
        let depth = random.random_range(0..3);
        let asked = assertion(&mut random, depth, NOTHING);
        if asked.assigned().is_empty() {
            continue;
        }
        for wanted in [false, true] {
            let Ok(frozen) = frozen(&asked, wanted) else {
                refused += 1;
                continue;
            };
            for _ in 0..8 {
                let (word, start) = Word::random(&mut random);
                assert_eq!(
                    word.truth(start, &asked) == wanted,
                    word.is_guessed(start, &frozen, wanted),
                    "{asked:?} {frozen:?} {:?} {start} {wanted}",
                    word.0
                );
                compared += 1;
            }
        }
    }
    assert!(compared > 3_000 && refused > 100, "{compared} {refused}");
}

/// The monitor of an assertion with constants, as the checker takes it.
fn monitor(frozen: &Assertion<usize>, wanted: bool) -> Option<MonitorCircuit> {
    let monitor = match wanted {
        false => Monitor::of_violations(frozen),
        true => Monitor::of_witnesses(frozen),
    };
    let monitor = monitor.ok().filter(|monitor| monitor.registers.len() <= 24)?;
    Some(described(&monitor, goal(&monitor)))
}

#[test]
fn the_checker_follows_monitors_of_assertions_with_variables() {
    let mut random = StdRng::seed_from_u64(1850);
    let budget = Budget::unlimited();
    let mut counts = [0; 2];
    for _ in 0..400 * effort() {
        let depth = random.random_range(0..3);
        let asked = assertion(&mut random, depth, NOTHING);
        if asked.assigned().is_empty() {
            continue;
        }
        for wanted in [false, true] {
            let circuit = frozen(&asked, wanted).ok();
            let Some(circuit) = circuit.and_then(|frozen| monitor(&frozen, wanted)) else {
                continue;
            };
            let report = circuit.sees_all(&asked, wanted, &budget);
            assert!(!report.is_rejected(), "{wanted} {asked:?}: {report:?}");
            counts[usize::from(report.is_accepted())] += 1;
        }
    }
    let [open, accepted] = counts;
    assert!(accepted > 15 * open, "{counts:?}");
}

/// Another assertion: an atom is another one, something comes a letter later, or one of two is enough.
fn damaged(random: &mut StdRng, frozen: &Assertion<usize>) -> Assertion<usize> {
    let mut count = 0_usize;
    frozen.map(&mut |_| count += 1);
    let chosen = random.random_range(0..count.max(1));
    let other = random.random_range(0..READS + 2);
    match random.random_range(0..3) {
        0 => weaker(frozen),
        _ => {
            let mut at = 0;
            frozen.map(&mut |&atom| {
                at += 1;
                if at == chosen + 1 { other } else { atom }
            })
        }
    }
}

/// The assertion with the first of its delays longer, or its first conjunction a disjunction.
fn weaker(frozen: &Assertion<usize>) -> Assertion<usize> {
    match frozen {
        Assertion::Next { count, strong, body } => (**body).clone().after(count + 1, *strong),
        Assertion::Not(inner) => weaker(inner).negated(),
        Assertion::And(left, right) => (**left).clone().or((**right).clone()),
        Assertion::Or(left, right) => (**left).clone().and(weaker(right)),
        Assertion::Until { left, right, strong } => weaker(left).until((**right).clone(), *strong),
        Assertion::Implication {
            antecedent,
            consequent,
        } => weaker(consequent).implied_by((**antecedent).clone(), true),
        other => other.clone(),
    }
}

#[test]
fn a_monitor_of_wrongly_frozen_variables_is_not_accepted() {
    let mut random = StdRng::seed_from_u64(1852);
    let budget = Budget::unlimited();
    let (mut missing, mut rejected) = (0, 0);
    for _ in 0..1_000 * effort() {
        let depth = random.random_range(0..3);
        let asked = assertion(&mut random, depth, NOTHING);
        if asked.assigned().is_empty() {
            continue;
        }
        let wanted = random.random_bool(0.3);
        let Ok(right) = frozen(&asked, wanted) else {
            continue;
        };
        let wrong = damaged(&mut random, &right);
        let misses = (0..60).any(|_| {
            let (word, start) = Word::random(&mut random);
            word.truth(start, &asked) == wanted && !word.is_guessed(start, &wrong, wanted)
        });
        let Some(circuit) = monitor(&wrong, wanted).filter(|_| misses) else {
            continue;
        };
        let report = circuit.sees_all(&asked, wanted, &budget);
        assert!(!report.is_accepted(), "{wanted} {asked:?} {wrong:?}");
        missing += 1;
        rejected += usize::from(report.is_rejected());
    }
    assert!(missing > 60 && rejected * 3 > missing, "{rejected} of {missing}");
}

#[test]
fn end_points_in_circuits_are_where_matches_end() {
    let mut random = StdRng::seed_from_u64(1811);
    let mut compared = 0;
    for _ in 0..150 * effort() {
        let mut scope = Scope {
            free: [false; 2],
            known: [false; 2],
        };
        let sequence = Arc::new(sequence(&mut random, 2, &mut scope));
        // (An atom that is false, of which the monitor does not know that: see `drive_end`.)
        let never = Assertion::guard(Guard::Atom(2)).implied_by((*sequence).clone(), true);
        let Ok(monitor) = Monitor::of_violations(&never.always()) else {
            continue;
        };
        let Acceptance::Reached(signal) = monitor.acceptance else {
            continue;
        };
        assert_eq!(monitor.choices, 0, "{sequence:?}");
        let mut circuit = described(&monitor, MonitorGoal::Reached(signal.0 as usize));
        for gate in &mut circuit.gates {
            if *gate == MonitorGate::Atom(2) {
                *gate = MonitorGate::Constant(false);
            }
        }
        let report = circuit.marks_ends(&sequence, &Budget::unlimited());
        assert_eq!(report, CheckReport::Accepted, "{sequence:?}");
        // By the definition, on a word: from some letter to the last.
        let letters: Vec<Vec<bool>> = (0..6)
            .map(|_| (0..2).map(|_| random.random_bool(0.5)).collect())
            .collect();
        let word = AssertionWord::new(letters.clone(), None);
        let Some(ends) = word.ends(&sequence, false) else {
            panic!("a finite word has one round");
        };
        for (last, ended) in ends.iter().enumerate() {
            let exactly = |first: usize| {
                let part = letters[first..=last].to_vec();
                let all =
                    Sequence::anything().repeated((last - first + 1) as u32, Some((last - first + 1) as u32));
                let asked = Assertion::Sequence {
                    sequence: Arc::new(Sequence::Intersection(sequence.clone(), Arc::new(all))),
                    strong: true,
                };
                AssertionWord::new(part, None).holds(&asked, View::Strong)
            };
            assert_eq!(*ended, (0..=last).any(exactly), "{sequence:?} {letters:?} {last}");
        }
        let wrong = (*sequence).clone().then(Sequence::anything());
        let told = circuit.marks_ends(&Arc::new(wrong), &Budget::unlimited());
        compared += usize::from(matches!(told, CheckReport::Rejected { .. }));
    }
    assert!(compared > 40, "{compared}");
}

/// The atom that is a clock.
const TICK: usize = 6;

/// The same assertion about the ticks of a clock.
fn clocked(assertion: &Assertion<usize>) -> Assertion<usize> {
    let tick = Guard::Atom(TICK);
    let letters = |sequence: &Sequence<usize>| Arc::new(over_letters(sequence, &tick));
    match assertion {
        Assertion::Sequence { sequence, strong } => Assertion::Sequence {
            sequence: letters(sequence),
            strong: *strong,
        },
        Assertion::Not(inner) => clocked(inner).negated(),
        Assertion::And(left, right) => clocked(left).and(clocked(right)),
        Assertion::Or(left, right) => clocked(left).or(clocked(right)),
        Assertion::Implication {
            antecedent,
            consequent,
        } => Assertion::Implication {
            antecedent: letters(antecedent),
            consequent: Arc::new(clocked(consequent)),
        },
        Assertion::Next { count, strong, body } => clocked(body).later(*count, *strong, Some(&tick)),
        Assertion::Until { left, right, strong } => {
            clocked(left).until_tick(clocked(right), *strong, Some(&tick))
        }
        Assertion::Abort {
            condition,
            accept,
            body,
        } => Assertion::Abort {
            condition: condition.and(&tick),
            accept: *accept,
            body: Arc::new(clocked(body)),
        },
    }
}

#[test]
fn variables_under_a_clock_have_the_values_of_its_ticks() {
    let mut random = StdRng::seed_from_u64(1_800);
    let mut truths = [0; 2];
    for _ in 0..1_500 * effort() {
        let depth = random.random_range(0..3);
        let asked = assertion(&mut random, depth, NOTHING);
        if asked.assigned().is_empty() {
            continue;
        }
        let (word, start) = Word::random(&mut random);
        let mut ticks: Vec<bool> = word.0.iter().map(|_| random.random_bool(0.5)).collect();
        // The clock ticks again and again.
        let always = random.random_range(start..ticks.len());
        ticks[always] = true;
        let counted = |letters: &[bool]| letters.iter().filter(|tick| **tick).count();
        let only: Vec<[bool; 4]> = word
            .0
            .iter()
            .zip(&ticks)
            .filter_map(|(letter, &tick)| tick.then_some(*letter))
            .collect();
        let projected = Word(only).truth(counted(&ticks[..start]), &asked);
        let mut letters = word.with_constants([false; 2]);
        for (letter, &tick) in letters.iter_mut().zip(&ticks) {
            letter.push(tick);
        }
        let clocked = clocked(&asked);
        let reader = Ticking(&word);
        let whole = AssertionWord::new(letters, Some(start)).with_locals(&reader);
        let truth = whole.holds(&clocked, View::Weak);
        assert!(!whole.is_open(), "{clocked:?}");
        assert_eq!(truth, projected, "{asked:?} {:?} {ticks:?} {start}", word.0);
        truths[usize::from(truth)] += 1;
    }
    assert!(truths.iter().all(|&count| count > 100 * effort()), "{truths:?}");
}

/// A word with a clock behind its other atoms.
struct Ticking<'w>(&'w Word);

impl LocalReader for Ticking<'_> {
    fn reads(&self, atom: usize) -> bool {
        atom != TICK && self.0.reads(atom)
    }

    fn truth(&self, atom: usize, position: usize, locals: &Locals) -> Option<bool> {
        LocalReader::truth(self.0, atom, position, locals)
    }

    fn value(&self, expression: u32, position: usize, locals: &Locals) -> Option<Value> {
        LocalReader::value(self.0, expression, position, locals)
    }
}
