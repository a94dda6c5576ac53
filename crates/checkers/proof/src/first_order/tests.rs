//! Hand-made refutations, right and damaged.

use super::*;
use entail_budget::Budget;
use entail_first_order::*;

/// A clause with its rule, or with the clauses it follows from.
type Step = (Vec<i32>, Result<Rule, Vec<u32>>);

fn refutation(atoms: Vec<Atom>, steps: Vec<Step>) -> Refutation {
    let steps = steps.into_iter().enumerate().map(|(index, (clause, why))| {
        let (id, clause) = (index as u32 + 1, clause.into());
        match why {
            Ok(rule) => RefutationStep::Input { id, clause, rule },
            Err(hints) => RefutationStep::Derived {
                id,
                clause,
                hints: hints.into(),
            },
        }
    });
    Refutation {
        atoms,
        steps: steps.collect(),
    }
}

fn farkas(factors: &[(i32, i64)]) -> Rule {
    Rule::Linear(vec![Combination {
        literals: factors
            .iter()
            .map(|&(literal, factor)| (literal, Rational::integer(factor)))
            .collect(),
        earlier: Vec::new(),
    }])
}

/// `x <= 1` and `3 <= 2 x`, over the integers or the reals.
fn bounds(sort: SortId, second: i64) -> (Terms, Vec<TermId>) {
    let mut terms = Terms::new();
    let x = terms.constant("x", sort);
    let [one, two, three] = [1, 2, second].map(|value| terms.numeral(Rational::integer(value), sort));
    let double = terms.mul(&[two, x], sort);
    let formulas = vec![terms.le(x, one), terms.le(three, double)];
    (terms, formulas)
}

#[test]
fn inequalities_that_add_up_to_a_contradiction_are_accepted_and_wrong_factors_are_not() {
    let (terms, formulas) = bounds(SortId::INT, 3);
    let atoms: Vec<Atom> = formulas.iter().map(|&one| Atom::Formula(one)).collect();
    let proof_over = |atoms: &[Atom], rule: Rule| {
        refutation(
            atoms.to_vec(),
            vec![
                (vec![1], Ok(Rule::Asserted(0))),
                (vec![2], Ok(Rule::Asserted(1))),
                (vec![-1, -2], Ok(rule)),
                (vec![], Err(vec![1, 2, 3])),
            ],
        )
    };
    let judge = |rule| check_refutation(&terms, &formulas, &proof_over(&atoms, rule), &Budget::unlimited());
    // Over the integers 3 <= 2 x is 2 <= x.
    assert!(judge(farkas(&[(-1, 1), (-2, 1)])).is_ok());
    assert!(judge(farkas(&[(-1, 1)])).is_err());
    assert!(judge(farkas(&[(-1, 1), (-2, 2)])).is_err());
    assert!(judge(farkas(&[(-1, 1), (-2, -1)])).is_err());
    assert!(judge(farkas(&[(1, 1), (-2, 1)])).is_err());
    assert!(judge(Rule::Congruence).is_err());
    let (terms, formulas) = bounds(SortId::REAL, 2);
    let atoms: Vec<Atom> = formulas.iter().map(|&one| Atom::Formula(one)).collect();
    let proof = proof_over(&atoms, farkas(&[(-1, 1), (-2, 1)]));
    assert!(check_refutation(&terms, &formulas, &proof, &Budget::unlimited()).is_err());
}

#[test]
fn a_formula_that_was_not_asserted_or_a_hint_that_is_missing_is_rejected() {
    let mut terms = Terms::new();
    let p = terms.constant("p", SortId::BOOL);
    let not_p = terms.not(p);
    let proof = refutation(
        vec![Atom::Formula(p)],
        vec![
            (vec![1], Ok(Rule::Asserted(0))),
            (vec![-1], Ok(Rule::Asserted(1))),
            (vec![], Err(vec![1, 2])),
        ],
    );
    let budget = Budget::unlimited();
    assert!(check_refutation(&terms, &[p, not_p], &proof, &budget).is_ok());
    assert!(check_refutation(&terms, &[p], &proof, &budget).is_err());
    let mut damaged = proof.clone();
    damaged.steps.pop();
    assert!(check_refutation(&terms, &[p, not_p], &damaged, &budget).is_err());
    let without_hint = refutation(
        vec![Atom::Formula(p)],
        vec![
            (vec![1], Ok(Rule::Asserted(0))),
            (vec![-1], Ok(Rule::Asserted(1))),
            (vec![], Err(vec![1])),
        ],
    );
    assert!(check_refutation(&terms, &[p, not_p], &without_hint, &budget).is_err());
}

#[test]
fn a_free_atom_cannot_be_chosen_false_nor_stand_for_a_formula() {
    let mut terms = Terms::new();
    let p = terms.constant("p", SortId::BOOL);
    let budget = Budget::unlimited();
    let chosen_false = refutation(
        vec![Atom::Formula(p), Atom::Free],
        vec![
            (vec![-2], Ok(Rule::Chosen)),
            (vec![2], Ok(Rule::Chosen)),
            (vec![], Err(vec![1, 2])),
        ],
    );
    assert!(check_refutation(&terms, &[p], &chosen_false, &budget).is_err());
    let formula_chosen = refutation(vec![Atom::Formula(p)], vec![(vec![1], Ok(Rule::Chosen))]);
    assert!(check_refutation(&terms, &[], &formula_chosen, &budget).is_err());
}

/// A universal formula and what follows from it, with the clause given.
fn about_a_universal(
    rule: impl Fn(TermId, &[TermId]) -> Rule,
    shift: i64,
    is_skolem: bool,
) -> Result<Checked, String> {
    let mut terms = Terms::new();
    let x = terms.declare("x", &[], SortId::INT);
    let variable = terms.constant_of(x);
    let other = terms.constant("other", SortId::INT);
    let zero = terms.int(0);
    let body = terms.le(variable, zero);
    let universal = terms.make(Op::Forall(Box::new([x])), &[body], SortId::BOOL);
    let fresh = terms.constant("fresh", SortId::INT);
    let value = terms.int(5);
    let used = terms.le(other, zero);
    let shifted = terms.int(5 + shift);
    let instance = match is_skolem {
        true => terms.le(fresh, zero),
        false => terms.make(Op::Le, &[shifted, zero], SortId::BOOL),
    };
    let atoms = vec![
        Atom::Formula(universal),
        Atom::Formula(instance),
        Atom::Formula(used),
    ];
    let clause = if is_skolem { vec![1, -2] } else { vec![-1, 2] };
    let proof = refutation(
        atoms,
        vec![(clause, Ok(rule(universal, &[value, fresh, other, variable])))],
    );
    // The proof has no empty clause; only its first step is looked at.
    match check_refutation(&terms, &[universal, used], &proof, &Budget::unlimited()) {
        Err(why) if why.contains("empty clause") => Ok(Checked {
            unjustified: None,
            inputs: 1,
            derived: 0,
        }),
        other => other,
    }
}

#[test]
fn witnesses_that_mean_something_else_are_rejected() {
    let skolem = |place: usize| {
        about_a_universal(
            move |formula, known| Rule::Skolem(formula, vec![known[place]]),
            0,
            true,
        )
    };
    assert!(skolem(1).is_ok());
    // A number, a constant of the assertions, the bound variable itself.
    assert!(skolem(0).is_err());
    assert!(skolem(2).is_err());
    assert!(skolem(3).is_err());
    let instance = about_a_universal(|formula, known| Rule::Instance(formula, vec![known[2]]), 0, true);
    assert!(instance.is_err());
}

/// Whether a clause about `x * y` is accepted: literals as differences to a number, at most or at least.
fn about_a_product(point: (i64, i64), last: i64) -> bool {
    let mut terms = Terms::new();
    let (x, y) = (
        terms.constant("x", SortId::REAL),
        terms.constant("y", SortId::REAL),
    );
    let product = terms.mul(&[x, y], SortId::REAL);
    let number = |terms: &mut Terms, value: i64| terms.numeral(Rational::integer(value), SortId::REAL);
    let (two, three) = (number(&mut terms, 2), number(&mut terms, 3));
    // x >= 2 and y >= 3 imply x y >= 3 x + 2 y - 6.
    let (left, right) = (terms.le(two, x), terms.le(three, y));
    let parts = [
        terms.mul(&[three, x], SortId::REAL),
        terms.mul(&[two, y], SortId::REAL),
        number(&mut terms, last),
    ];
    let plane = terms.add(&parts, SortId::REAL);
    let bound = terms.le(plane, product);
    let atoms = vec![Atom::Formula(left), Atom::Formula(right), Atom::Formula(bound)];
    let rule = Rule::Product(product, Rational::integer(point.0), Rational::integer(point.1));
    let proof = refutation(atoms, vec![(vec![-1, -2, 3], Ok(rule))]);
    let judged = check_refutation(&terms, &[], &proof, &Budget::unlimited());
    matches!(judged, Err(why) if why.contains("empty clause"))
}

#[test]
fn tangent_planes_are_accepted_and_wrong_ones_are_not() {
    assert!(about_a_product((2, 3), -6));
    assert!(!about_a_product((2, 3), -5));
    assert!(!about_a_product((3, 2), -6));
    assert!(!about_a_product((0, 0), -6));
}

#[test]
fn what_is_claimed_about_words_is_checked_by_their_bits() {
    for (value, is_right) in [(5u32, true), (4, false)] {
        let mut terms = Terms::new();
        let sort = terms.word_sort(4);
        let x = terms.constant("x", sort);
        let two = terms.word(2u32.into(), 4);
        let double = terms.make(Op::WordMul, &[x, two], sort);
        let number = terms.word(value.into(), 4);
        let formula = terms.eq(double, number);
        let proof = refutation(
            vec![Atom::Formula(formula)],
            vec![
                (vec![1], Ok(Rule::Asserted(0))),
                (vec![], Ok(Rule::Claimed("bits"))),
            ],
        );
        let judged = check_refutation(&terms, &[formula], &proof, &Budget::unlimited());
        match is_right {
            true => assert_eq!(judged.map(|checked| checked.unjustified), Ok(None)),
            false => assert!(judged.is_err(), "twice 2 is 4"),
        }
    }
}

#[test]
fn lemmas_take_part_when_claims_are_checked() {
    // f(x) and f(y) differ in their first bits although x = y: the bits alone do not know that f is a function.
    let mut terms = Terms::new();
    let sort = terms.word_sort(2);
    let (x, y) = (terms.constant("x", sort), terms.constant("y", sort));
    let function = terms.declare("f", &[sort], sort);
    let (fx, fy) = (
        terms.make(Op::Apply(function), &[x], sort),
        terms.make(Op::Apply(function), &[y], sort),
    );
    let same = terms.eq(x, y);
    let (first, second) = (terms.extract(fx, 0, 0), terms.extract(fy, 0, 0));
    let equal_bits = terms.eq(first, second);
    let differ = terms.not(equal_bits);
    let results = terms.eq(fx, fy);
    let formulas = [same, differ];
    let atoms = vec![
        Atom::Formula(same),
        Atom::Formula(equal_bits),
        Atom::Formula(results),
    ];
    let with_lemma = |rule: Option<Rule>| {
        let mut steps = vec![
            (vec![1], Ok(Rule::Asserted(0))),
            (vec![-2], Ok(Rule::Asserted(1))),
        ];
        steps.extend(rule.map(|rule| (vec![-1, 3], Ok(rule))));
        steps.push((vec![], Ok(Rule::Claimed("bits"))));
        let proof = refutation(atoms.clone(), steps);
        check_refutation(&terms, &formulas, &proof, &Budget::unlimited())
    };
    assert_eq!(
        with_lemma(Some(Rule::Congruence)).map(|checked| checked.unjustified),
        Ok(None)
    );
    assert!(with_lemma(None).is_err());
    assert!(with_lemma(Some(Rule::Linear(Vec::new()))).is_err());
}
