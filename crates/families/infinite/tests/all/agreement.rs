//! Random formulas of each theory: models are evaluated, refutations judged, and small integer formulas compared with trying all values.

use entail_budget::Budget;
use entail_first_order::{
    Evaluator, Interpretation, Op, Rational, Refutation, Sort, SortId, TermId, Terms, Value,
};
use entail_proof::first_order::{check_refutation, replaced};
use entail_smt::{
    Answer, Definitions, Interpolated, Solver, Strength, decide, interpolate, projected_interpolant,
};
use std::time::Duration;

/// A small generator of random numbers, seeded.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (self.0 >> 33) % limit
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Theory {
    Integers,
    Reals,
    /// Reals with products.
    Polynomials,
    Functions,
    Arrays,
    Words,
    /// Words so wide that products and quotients are abstracted first, of small values.
    WideWords,
}

struct Maker {
    terms: Terms,
    random: Random,
    theory: Theory,
    values: Vec<TermId>,
    booleans: Vec<TermId>,
    function: Option<entail_first_order::SymbolId>,
    arrays: Vec<TermId>,
    sort: SortId,
}

impl Maker {
    fn new(theory: Theory, seed: u64) -> Maker {
        let mut terms = Terms::new();
        let sort = match theory {
            Theory::Reals | Theory::Polynomials | Theory::Functions | Theory::Arrays => SortId::REAL,
            Theory::Words => terms.word_sort(3),
            Theory::WideWords => terms.word_sort(14),
            _ => SortId::INT,
        };
        let values = ["x", "y", "z"].map(|name| terms.constant(name, sort)).to_vec();
        let booleans = ["p", "q"].map(|name| terms.constant(name, SortId::BOOL)).to_vec();
        let function = (theory == Theory::Functions).then(|| terms.declare("f", &[sort], sort));
        let mut arrays = Vec::new();
        if theory == Theory::Arrays {
            let array = terms.sort_id(Sort::Array(sort, sort));
            arrays = ["a", "b"].map(|name| terms.constant(name, array)).to_vec();
        }
        Maker {
            terms,
            random: Random(seed),
            theory,
            values,
            booleans,
            function,
            arrays,
            sort,
        }
    }

    fn array(&mut self, depth: u32) -> TermId {
        let at = self.random.below(self.arrays.len() as u64) as usize;
        if depth == 0 || self.random.below(2) == 0 {
            return self.arrays[at];
        }
        let (base, index, element) = (
            self.array(depth - 1),
            self.value(depth - 1),
            self.value(depth - 1),
        );
        self.terms.store(base, index, element)
    }

    fn value(&mut self, depth: u32) -> TermId {
        let at = self.random.below(self.values.len() as u64) as usize;
        if depth == 0 {
            return match (self.random.below(4), self.theory) {
                (0, Theory::Words | Theory::WideWords) => {
                    let width = self.terms.width(self.values[0]);
                    self.terms.word(self.random.below(8).into(), width)
                }
                (0, _) => self
                    .terms
                    .numeral(Rational::integer(self.random.below(5) as i64 - 1), self.sort),
                _ => self.values[at],
            };
        }
        let kind = self.random.below(6);
        let (a, b) = (self.value(depth - 1), self.value(depth - 1));
        match (self.theory, kind) {
            (_, 0) => {
                let condition = self.formula(depth - 1);
                self.terms.ite(condition, a, b)
            }
            (Theory::Words | Theory::WideWords, _) => {
                let ops = [
                    Op::WordAdd,
                    Op::WordMul,
                    Op::WordDivide,
                    Op::WordRemainder,
                    Op::ShiftLeft,
                    Op::ShiftRightSigned,
                    Op::WordXor,
                ];
                let op = ops[self.random.below(ops.len() as u64) as usize].clone();
                self.terms.word_binary(op, a, b)
            }
            (_, 1 | 2) => self.terms.add(&[a, b], self.sort),
            (Theory::Integers, 3) => {
                let divisor = self.terms.int([2, 3, -2][self.random.below(3) as usize]);
                if self.random.below(2) == 0 {
                    self.terms.int_div(a, divisor)
                } else {
                    self.terms.modulo(a, divisor)
                }
            }
            (Theory::Polynomials, 3 | 4) => self.terms.mul(&[a, b], self.sort),
            (Theory::Functions, 3 | 4) => {
                let symbol = self.function.expect("the theory has a function");
                self.terms.make(Op::Apply(symbol), &[a], self.sort)
            }
            (Theory::Arrays, 3 | 4) => {
                let array = self.array(depth - 1);
                self.terms.select(array, a)
            }
            _ => {
                let factor = self
                    .terms
                    .numeral(Rational::integer(self.random.below(7) as i64 - 3), self.sort);
                self.terms.mul(&[factor, a], self.sort)
            }
        }
    }

    fn formula(&mut self, depth: u32) -> TermId {
        if depth == 0 {
            let (a, b) = (self.value(1), self.value(1));
            return match (self.random.below(5), self.theory) {
                (0, _) => self.booleans[self.random.below(2) as usize],
                (1, _) => self.terms.eq(a, b),
                (2, Theory::Arrays) => {
                    let (a, b) = (self.array(1), self.array(1));
                    self.terms.eq(a, b)
                }
                (2, Theory::Words | Theory::WideWords) => self.terms.word_less_signed(a, b),
                (_, Theory::Words | Theory::WideWords) => self.terms.word_less(a, b),
                (2, _) => self.terms.lt(a, b),
                _ => self.terms.le(a, b),
            };
        }
        let (a, b) = (self.formula(depth - 1), self.formula(depth - 1));
        match self.random.below(6) {
            0 => self.terms.not(a),
            1 | 2 => self.terms.and(&[a, b]),
            3 => self.terms.or(&[a, b]),
            4 => self.terms.eq(a, b),
            _ => {
                let c = self.formula(0);
                self.terms.ite(c, a, b)
            }
        }
    }
}

fn effort() -> u64 {
    std::env::var("ENTAIL_EFFORT")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(1)
}

/// Solves and judges, as they are and after preparation; whether the formulas are satisfiable, if that was decided.
fn judged(terms: &mut Terms, formulas: &[TermId], name: &str) -> Option<bool> {
    // Nearly all are decided at once; with products, some would take for ever.
    let budget = || Budget::unlimited().with_timeout(Some(Duration::from_secs(1)));
    let asserted: Vec<String> = formulas
        .iter()
        .map(|&formula| format!("(assert {})", terms.print(formula)))
        .collect();
    let name = format!("{name}\n{}", asserted.join("\n"));
    let decision = decide(terms, formulas, &budget()).ok()?;
    let pairs = |round: &Definitions| round.iter().map(|one| (one.constant, one.value)).collect();
    let rounds: Vec<Vec<(TermId, TermId)>> = decision.definitions.iter().map(pairs).collect();
    let refuted = replaced(terms, formulas, &rounds).expect("definitions are conjuncts");
    let refutation = decision.refutation.as_ref();
    let prepared = judge(
        terms,
        formulas,
        (&decision.answer, decision.model.as_ref()),
        (&refuted, refutation),
        &name,
    );
    let mut solver = Solver::new(true);
    for &formula in formulas {
        solver.assert(terms, formula);
    }
    let answer = solver.check(terms, &[], &budget()).ok()?;
    let plain = judge(
        terms,
        formulas,
        (&answer, solver.model()),
        (formulas, solver.refutation()),
        &name,
    );
    if let (Some(first), Some(second)) = (prepared, plain) {
        assert_eq!(first, second, "{name}");
    }
    plain.or(prepared)
}

/// Judges an answer by its model or by its proof about formulas that follow.
fn judge(
    terms: &Terms,
    formulas: &[TermId],
    (answer, model): (&Answer, Option<&Interpretation>),
    (refuted, refutation): (&[TermId], Option<&Refutation>),
    name: &str,
) -> Option<bool> {
    match answer {
        Answer::Unknown(_) => None,
        Answer::Satisfiable => {
            let model = model.expect("there is a model");
            assert!(model.is_well_sorted(terms), "{name}");
            let mut evaluator = Evaluator::new(terms, model);
            for &formula in formulas {
                assert_eq!(
                    evaluator.is_true(formula),
                    Ok(true),
                    "{name}: {}",
                    terms.print(formula)
                );
            }
            Some(true)
        }
        Answer::Unsatisfiable => {
            let refutation = refutation.expect("there is a proof");
            if let Err(why) = check_refutation(terms, refuted, refutation, &Budget::unlimited()) {
                panic!("{name}: {why}");
            }
            crate::alethe::judge(terms, refuted, refutation, name);
            Some(false)
        }
    }
}

fn try_theory(theory: Theory, count: u64) {
    let mut answers = [0, 0, 0];
    for seed in 0..count * effort() {
        let mut maker = Maker::new(theory, seed * 77 + 5);
        let formulas: Vec<TermId> = (0..1 + seed % 4).map(|_| maker.formula(2)).collect();
        let answer = judged(&mut maker.terms, &formulas, &format!("seed {seed}"));
        answers[answer.map_or(2, usize::from)] += 1;
    }
    assert!(
        answers[0] > 0 && answers[1] > 0,
        "answers are of one kind: {answers:?}"
    );
    assert!(
        answers[2] * 10 < answers[0] + answers[1],
        "too many are unknown: {answers:?}"
    );
}

#[test]
fn random_formulas_over_the_reals_have_models_that_evaluate_or_proofs_that_are_accepted() {
    try_theory(Theory::Reals, 1500);
}

#[test]
fn random_formulas_with_products_have_models_that_evaluate_or_proofs_that_are_accepted() {
    try_theory(Theory::Polynomials, 120);
}

#[test]
fn random_formulas_with_functions_have_models_that_evaluate_or_proofs_that_are_accepted() {
    try_theory(Theory::Functions, 1500);
}

#[test]
fn random_formulas_with_arrays_have_models_that_evaluate_or_proofs_that_are_accepted() {
    try_theory(Theory::Arrays, 800);
}

#[test]
fn random_formulas_over_words_agree_with_trying_all_values() {
    against_all_values(Theory::Words, 300, 0..8);
}

#[test]
fn random_formulas_over_wide_words_agree_with_trying_all_small_values() {
    against_all_values(Theory::WideWords, 120, 0..5);
}

#[test]
fn random_formulas_over_bounded_integers_agree_with_trying_all_values() {
    against_all_values(Theory::Integers, 800, -1..4);
}

fn against_all_values(theory: Theory, count: u64, range: std::ops::Range<i64>) {
    for seed in 0..count * effort() {
        let mut maker = Maker::new(theory, seed * 31 + 7);
        let mut formulas: Vec<TermId> = (0..1 + seed % 4).map(|_| maker.formula(2)).collect();
        if theory == Theory::Integers {
            for value in maker.values.clone() {
                let (least, most) = (maker.terms.int(range.start), maker.terms.int(range.end - 1));
                formulas.push(maker.terms.le(least, value));
                formulas.push(maker.terms.le(value, most));
            }
        }
        if theory == Theory::WideWords {
            for value in maker.values.clone() {
                let most = maker.terms.word((range.end as u64).into(), 14);
                formulas.push(maker.terms.word_less(value, most));
            }
        }
        // Something that a constant is defined by, to be replaced.
        if seed % 3 == 0 {
            let value = maker.value(1);
            let constant = maker.values[0];
            formulas.push(maker.terms.eq(constant, value));
        }
        let answer = judged(&mut maker.terms, &formulas, &format!("seed {seed}"));
        assert_eq!(
            answer,
            Some(has_model(&maker, &formulas, range.clone())),
            "seed {seed}"
        );
    }
}

fn has_model(maker: &Maker, formulas: &[TermId], range: std::ops::Range<i64>) -> bool {
    let symbol = |term: TermId| match maker.terms.op(term) {
        Op::Apply(symbol) => *symbol,
        _ => unreachable!("constants are applications"),
    };
    let number = |value: i64| match maker.theory {
        Theory::Words | Theory::WideWords => Value::Word((value as u64).into()),
        _ => Value::Number(Rational::integer(value)),
    };
    let all: Vec<i64> = range.collect();
    let count = all.len();
    for place in 0..count * count * count {
        let (x, y, z) = (
            all[place % count],
            all[place / count % count],
            all[place / count / count],
        );
        for bits in 0..4 {
            let mut meaning = Interpretation::default();
            for (&term, value) in maker.values.iter().zip([x, y, z]) {
                meaning.set(symbol(term), number(value));
            }
            for (index, &term) in maker.booleans.iter().enumerate() {
                meaning.set(symbol(term), Value::Bool(bits >> index & 1 == 1));
            }
            let mut evaluator = Evaluator::new(&maker.terms, &meaning);
            if formulas
                .iter()
                .all(|&formula| evaluator.is_true(formula) == Ok(true))
            {
                return true;
            }
        }
    }
    false
}

#[test]
fn a_constant_is_replaced_only_by_what_a_conjunct_says_it_equals() {
    let mut terms = Terms::new();
    let [x, y] = ["x", "y"].map(|name| terms.constant(name, SortId::INT));
    let (one, two) = (terms.int(1), terms.int(2));
    let sum = terms.add(&[y, one], SortId::INT);
    let (first, second) = (terms.eq(x, sum), terms.le(x, two));
    let both = terms.and(&[first, second]);
    let found = replaced(&mut terms, &[both], &[vec![(x, sum)]]).expect("it is a conjunct");
    let wanted = terms.le(sum, two);
    assert!(found.contains(&wanted));
    assert!(replaced(&mut terms, &[both], &[vec![(x, y)]]).is_err());
    assert!(replaced(&mut terms, &[second], &[vec![(x, sum)]]).is_err());
    let either = terms.or(&[first, second]);
    assert!(replaced(&mut terms, &[either], &[vec![(x, sum)]]).is_err());
}

#[test]
fn a_damaged_refutation_is_rejected() {
    use entail_first_order::RefutationStep;
    let budget = Budget::unlimited();
    let mut damaged = 0;
    for seed in 0..200 {
        let mut maker = Maker::new(Theory::Reals, seed * 13 + 1);
        let formulas: Vec<TermId> = (0..4).map(|_| maker.formula(2)).collect();
        let mut solver = Solver::new(true);
        for &formula in &formulas {
            solver.assert(&mut maker.terms, formula);
        }
        if !matches!(
            solver.check(&mut maker.terms, &[], &budget),
            Ok(Answer::Unsatisfiable)
        ) {
            continue;
        }
        let refutation = solver.refutation().expect("there is a proof");
        let mut without_end = refutation.clone();
        without_end
            .steps
            .retain(|step| !matches!(step, RefutationStep::Derived { clause, .. } if clause.is_empty()));
        assert!(check_refutation(&maker.terms, &formulas, &without_end, &budget).is_err());
        assert!(check_refutation(&maker.terms, &formulas[..0], refutation, &budget).is_err());
        damaged += 1;
    }
    assert!(damaged > 5);
}

fn symbols(terms: &Terms, formulas: &[TermId]) -> std::collections::BTreeSet<usize> {
    let symbol = |term: TermId| match terms.op(term) {
        Op::Apply(symbol) => Some(symbol.index()),
        _ => None,
    };
    terms.cone(formulas).into_iter().filter_map(symbol).collect()
}

/// Cuts random formulas that have no model, and judges each interpolant: it follows, it contradicts, it speaks of what both sides do.
fn try_interpolants(theory: Theory, count: u64) {
    let budget = Budget::unlimited();
    let (mut found, mut projected, mut missing) = (0, 0, 0);
    for seed in 0..count * effort() {
        let mut maker = Maker::new(theory, seed * 91 + 3);
        // The sides share one number and one truth value; the others belong to one of them.
        let own = maker.values.clone();
        let others = ["u", "v"].map(|name| maker.terms.constant(name, maker.sort));
        let p = maker.booleans.clone();
        let q = maker.terms.constant("r", SortId::BOOL);
        let mut groups: Vec<Vec<TermId>> = Vec::new();
        for side in 0..3 {
            (maker.values, maker.booleans) = match side {
                0 => (vec![own[0], own[1], own[1]], vec![p[0], p[1]]),
                1 => (vec![own[1], own[2], own[2]], vec![p[0], p[0]]),
                _ => (vec![own[2], others[0], others[1]], vec![p[0], q]),
            };
            groups.push((0..3).map(|_| maker.formula(1)).collect());
        }
        let terms = &mut maker.terms;
        let strength = [Strength::Strong, Strength::Weak][seed as usize % 2];
        let Interpolated::Interpolants(interpolants) =
            interpolate(terms, &groups, strength, &budget).expect("there is no limit")
        else {
            continue;
        };
        for (position, interpolant) in interpolants.into_iter().enumerate() {
            let (left, right) = (groups[..=position].concat(), groups[position + 1..].concat());
            let without_proof =
                || projected_interpolant(terms, &left, &right, &budget).expect("there is no limit");
            let is_from_proof = interpolant.is_ok();
            let Some(interpolant) = interpolant.ok().or_else(without_proof) else {
                missing += 1;
                continue;
            };
            found += 1;
            projected += usize::from(!is_from_proof);
            let name = format!("seed {seed}, cut {position}: {}", terms.print(interpolant));
            for side in [&left, &right] {
                let shared = symbols(terms, &[interpolant]).is_subset(&symbols(terms, side));
                assert!(shared, "{name}: vocabulary");
            }
            let not = terms.not(interpolant);
            let follows = [left, vec![not]].concat();
            assert_eq!(
                judged(terms, &follows, &name),
                Some(false),
                "{name}: it does not follow"
            );
            let rest = [vec![interpolant], right].concat();
            assert_eq!(
                judged(terms, &rest, &name),
                Some(false),
                "{name}: it contradicts nothing"
            );
        }
    }
    assert!(
        found > 10 && missing * 3 < found,
        "{theory:?}: {found} found, {projected} of them by projection, {missing} missing"
    );
    println!("{theory:?}: {found} found, {projected} of them by projection, {missing} missing");
}

#[test]
fn interpolants_follow_from_one_side_contradict_the_other_and_use_shared_symbols() {
    try_interpolants(Theory::Reals, 400);
    try_interpolants(Theory::Integers, 200);
    try_interpolants(Theory::Functions, 400);
    try_interpolants(Theory::Words, 60);
    try_interpolants(Theory::Arrays, 100);
}
