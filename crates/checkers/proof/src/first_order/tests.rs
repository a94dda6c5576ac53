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
