//! Testers against the definitions: on random lasso words, a tester of each kind accepts what the formula says.

use entail_automata::LassoWord;
use entail_automata::ltl::evaluate::holds;
use entail_automata::ltl::random::{Random, random_word};
use entail_automata::ltl::simplify_path::simplify_path;
use entail_automata::tester::{Bit, Condition, Gate, Promises, Tester};
use entail_logic::{Binary, Formula, Interval, Node, Unary};

/// All values of the tester's gates at a position, given the values of its bits.
fn gates(tester: &Tester<String>, word: &LassoWord, position: usize, bits: usize) -> Vec<bool> {
    let mut values: Vec<bool> = Vec::new();
    for gate in tester.gates() {
        values.push(match gate {
            Gate::True => true,
            Gate::Leaf(leaf) => holds(&tester.leaves[*leaf], &suffix(word, position)),
            Gate::Bit(bit) => bits >> bit & 1 == 1,
            Gate::And(a, b) => value(&values, *a) && value(&values, *b),
        });
    }
    values
}

fn value(gates: &[bool], condition: Condition) -> bool {
    gates[condition.gate()] != condition.is_negated()
}

/// One letter is enough: leaves are propositions.
fn suffix(word: &LassoWord, position: usize) -> LassoWord {
    let mut one = word.clone();
    let letter = if position < word.prefix.len() {
        word.prefix[position]
    } else {
        word.cycle[position - word.prefix.len()]
    };
    (one.prefix, one.cycle) = (vec![], vec![letter]);
    one
}

/// Whether the tester has a fair run beside the word: by brute force over all values of its bits.
fn accepts(tester: &Tester<String>, word: &LassoWord) -> bool {
    let (length, codes) = (word.prefix.len() + word.cycle.len(), 1usize << tester.bits.len());
    let values: Vec<Vec<Vec<bool>>> = (0..length)
        .map(|position| {
            (0..codes)
                .map(|bits| gates(tester, word, position, bits))
                .collect()
        })
        .collect();
    let follows = |position: usize| {
        if position + 1 < length {
            position + 1
        } else {
            word.prefix.len()
        }
    };
    let allowed = |position: usize, bits: usize| {
        let here = &values[position][bits];
        tester.always.iter().all(|&condition| value(here, condition))
    };
    let step = |position: usize, from: usize, to: usize| {
        let (here, there) = (&values[position][from], &values[follows(position)][to]);
        let keeps = |(number, bit): (usize, &Bit)| {
            let (now, next) = (from >> number & 1 == 1, to >> number & 1 == 1);
            match *bit {
                Bit::Promise { claim } => match tester.promises {
                    Promises::Exact => now == value(there, claim),
                    Promises::Kept => !now || value(there, claim),
                },
                Bit::Memory { next: condition, .. } => next == value(here, condition),
                Bit::Lasting => !now || next,
            }
        };
        tester.bits.iter().enumerate().all(keeps)
    };
    let starts = |bits: usize| {
        let remembers = |(number, bit): (usize, &Bit)| match *bit {
            Bit::Memory { initially, .. } => (bits >> number & 1 == 1) == initially,
            _ => true,
        };
        tester.bits.iter().enumerate().all(remembers)
            && tester
                .start
                .is_none_or(|condition| value(&values[0][bits], condition))
    };
    let nodes: Vec<(usize, usize)> = (0..length)
        .flat_map(|position| (0..codes).map(move |bits| (position, bits)))
        .filter(|&(position, bits)| allowed(position, bits))
        .collect();
    let reach = |from: &dyn Fn(usize, usize) -> bool| {
        let mut seen: Vec<(usize, usize)> = nodes.iter().copied().filter(|&(p, b)| from(p, b)).collect();
        let mut at = 0;
        while at < seen.len() {
            let (position, bits) = seen[at];
            for &(next, code) in &nodes {
                if next == follows(position) && step(position, bits, code) && !seen.contains(&(next, code)) {
                    seen.push((next, code));
                }
            }
            at += 1;
        }
        seen
    };
    let reached = reach(&|position, bits| position == 0 && starts(bits));
    // A node that reaches itself, and on the way (in its component) a node for every justice.
    reached
        .iter()
        .filter(|(position, _)| *position >= word.prefix.len())
        .any(|&(position, bits)| {
            let after = reach(&|p, b| p == follows(position) && step(position, bits, b));
            let component: Vec<(usize, usize)> = after
                .iter()
                .copied()
                .filter(|&(p, b)| {
                    (p, b) == (position, bits)
                        || reach(&|next, code| next == follows(p) && step(p, b, code))
                            .contains(&(position, bits))
                })
                .collect();
            component.contains(&(position, bits))
                && tester
                    .justice
                    .iter()
                    .all(|&condition| component.iter().any(|&(p, b)| value(&values[p][b], condition)))
        })
}

/// A random formula with past operators and bounds and at most so many temporal operators.
fn random_formula(random: &mut Random, temporal: &mut usize, depth: usize) -> Formula<String> {
    let leaf = depth == 0 || random.below(5) == 0;
    if leaf {
        return Formula::atom(["p", "q"][random.below(2)].to_string());
    }
    let boolean = *temporal == 0 || random.below(5) < 2;
    let mut operand = |random: &mut Random| random_formula(random, temporal, depth - 1);
    if boolean {
        let a = operand(random);
        if random.below(4) == 0 {
            return a.not();
        }
        let b = operand(random);
        return match random.below(5) {
            0 => Node::Iff(a, b).into(),
            1 => Node::Implies(a, b).into(),
            2 => Node::Xor(a, b).into(),
            3 => Formula::or([a, b]),
            _ => Formula::and([a, b]),
        };
    }
    *temporal -= 1;
    let interval = match random.below(8) {
        0 => Interval { from: 1, to: None },
        1 => Interval { from: 0, to: Some(1) },
        _ => Interval::ALWAYS,
    };
    let a = random_formula(random, temporal, depth - 1);
    if random.below(2) == 0 {
        let b = random_formula(random, temporal, depth - 1);
        let ops = [
            Binary::Until,
            Binary::Release,
            Binary::WeakUntil,
            Binary::StrongRelease,
            Binary::Since,
            Binary::Triggered,
        ];
        Formula::binary_within(ops[random.below(ops.len())], interval, &a, &b)
    } else {
        let ops = [
            Unary::Next,
            Unary::Yesterday,
            Unary::WeakYesterday,
            Unary::Finally,
            Unary::Globally,
            Unary::Once,
            Unary::Historically,
        ];
        match ops[random.below(ops.len())] {
            op @ (Unary::Next | Unary::Yesterday | Unary::WeakYesterday) => Formula::unary(op, &a),
            op => Formula::unary_within(op, interval, &a),
        }
    }
}

#[test]
fn testers_of_both_kinds_accept_what_formulas_say() {
    let mut random = Random::new(20);
    let (mut checked, mut kept_checked) = (0, 0);
    for _ in 0..3_000 {
        let formula = random_formula(&mut random, &mut 3, 4);
        let simple = simplify_path(&formula);
        let written_out = formula.expand_bounds(8).expect("bounds are small");
        let exact = Tester::exact(&formula).expect("any formula has one");
        let of_simple = Tester::exact(&simple).expect("any formula has one");
        let kept = Tester::kept(&written_out.positive_normal_form()).expect("in normal form");
        for _ in 0..4 {
            let mut word = random_word(2, 3, &mut random);
            word.propositions = vec!["p".into(), "q".into()];
            let truth = holds(&formula, &word);
            assert_eq!(
                holds(&simple, &word),
                truth,
                "{formula} simplified to {simple} on {word}"
            );
            for (tester, kind) in [(&exact, "exact"), (&of_simple, "simple"), (&kept, "kept")] {
                if tester.bits.len() <= 4 {
                    assert_eq!(accepts(tester, &word), truth, "{kind}: {formula} on {word}");
                    checked += 1;
                    kept_checked += usize::from(kind == "kept");
                }
            }
        }
    }
    assert!(
        checked > 20_000 && kept_checked > 5_000,
        "{checked} {kept_checked}"
    );
}
