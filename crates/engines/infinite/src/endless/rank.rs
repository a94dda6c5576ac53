//! Linear ranks of a path (Podelski, Rybalchenko 2004): a sum of variables that is not negative where the path begins and lower by at least one
//! where it ends, for every path whose steps satisfy the same literals.
//!
//! By Farkas' lemma such a sum exists, over the reals, if and only if multiples of the literals add up to both statements: a linear
//! problem in the factors of the sum and the multiples. Sums of one variable are tried first, since they are the ones that other paths
//! descend by as well.

use crate::Work;
use entail_budget::Spent;
use entail_first_order::{Evaluator, Op, Rational, SortId, TermId, Terms};
use entail_smt::Answer;
use entail_smt::projection::{Sum, difference, term_of};
use rustc_hash::FxHashMap;

/// `sum <= 0`, or an equation.
struct Row {
    sum: Sum,
    is_equation: bool,
}

fn rows(terms: &Terms, literals: &[TermId]) -> Vec<Row> {
    let mut rows = Vec::new();
    for &literal in literals {
        let (atom, is_true) = match terms.op(literal) {
            Op::Not => (terms.args(literal)[0], false),
            _ => (literal, true),
        };
        let args = terms.args(atom);
        match (terms.op(atom), is_true) {
            (Op::Le, true) => rows.push(Row {
                sum: difference(terms, args[0], args[1]),
                is_equation: false,
            }),
            (Op::Le, false) => {
                let mut sum = difference(terms, args[1], args[0]);
                if sum.is_whole(terms) {
                    sum.constant += &Rational::one();
                }
                rows.push(Row {
                    sum,
                    is_equation: false,
                });
            }
            (Op::Eq, true) if terms.sort_of(args[0]).is_arithmetic() => rows.push(Row {
                sum: difference(terms, args[0], args[1]),
                is_equation: true,
            }),
            _ => {}
        }
    }
    rows
}

/// The unknowns of the linear problem, in terms of their own.
struct Problem {
    terms: Terms,
    factors: Vec<TermId>,
    offset: TermId,
}

impl Problem {
    fn unknown(&mut self, name: String) -> TermId {
        self.terms.constant(&name, SortId::REAL)
    }

    fn times(&mut self, factor: &Rational, unknown: TermId) -> TermId {
        let factor = self.terms.numeral(factor.clone(), SortId::REAL);
        self.terms.mul(&[factor, unknown], SortId::REAL)
    }

    /// Multiples of the rows that add up to `wanted + constant <= 0`, where `wanted` gives the factors of columns as unknowns: the conditions.
    fn adds_up(
        &mut self,
        rows: &[Row],
        wanted: &FxHashMap<TermId, Vec<(Rational, TermId)>>,
        constant: TermId,
        name: &str,
    ) -> Vec<TermId> {
        let mut conditions = Vec::new();
        let mut columns: FxHashMap<TermId, Vec<TermId>> = FxHashMap::default();
        let mut constants = Vec::new();
        let zero = self.terms.numeral(Rational::zero(), SortId::REAL);
        for (number, row) in rows.iter().enumerate() {
            let multiple = self.unknown(format!("{name}{number}"));
            if !row.is_equation {
                conditions.push(self.terms.le(zero, multiple));
            }
            for (&column, factor) in &row.sum.factors {
                let part = self.times(factor, multiple);
                columns.entry(column).or_default().push(part);
            }
            constants.push(self.times(&row.sum.constant, multiple));
        }
        for column in wanted.keys() {
            columns.entry(*column).or_default();
        }
        for (column, parts) in columns {
            let sum = self.terms.add(&parts, SortId::REAL);
            let mut goal = Vec::new();
            for (factor, unknown) in wanted.get(&column).into_iter().flatten() {
                goal.push(self.times(factor, *unknown));
            }
            let goal = self.terms.add(&goal, SortId::REAL);
            conditions.push(self.terms.eq(sum, goal));
        }
        // What the rows say is at least as strong.
        let sum = self.terms.add(&constants, SortId::REAL);
        conditions.push(self.terms.le(constant, sum));
        conditions
    }
}

/// A rank over `variables`, whose constants are `first` where the path begins and `last` where it ends; none if the literals have none.
pub(super) fn rank_of(
    terms: &mut Terms,
    literals: &[TermId],
    variables: &[TermId],
    (first, last): (&[TermId], &[TermId]),
    work: &Work<'_>,
) -> Result<Option<TermId>, Spent> {
    let numeric: Vec<usize> = (0..variables.len())
        .filter(|&place| terms.sort_of(variables[place]).is_arithmetic())
        .collect();
    let rows = rows(terms, literals);
    if numeric.is_empty() || rows.is_empty() {
        return Ok(None);
    }
    let mut own = Terms::new();
    let offset = own.constant("offset", SortId::REAL);
    let mut problem = Problem {
        terms: own,
        factors: Vec::new(),
        offset,
    };
    for place in 0..numeric.len() {
        let unknown = problem.unknown(format!("factor{place}"));
        problem.factors.push(unknown);
    }
    let minus = -&Rational::one();
    // -rank(first) <= 0, and rank(last) - rank(first) + 1 <= 0.
    let mut bounded: FxHashMap<TermId, Vec<(Rational, TermId)>> = FxHashMap::default();
    let mut descends: FxHashMap<TermId, Vec<(Rational, TermId)>> = FxHashMap::default();
    for (&place, &factor) in numeric.iter().zip(&problem.factors) {
        bounded
            .entry(first[place])
            .or_default()
            .push((minus.clone(), factor));
        descends
            .entry(first[place])
            .or_default()
            .push((minus.clone(), factor));
        descends
            .entry(last[place])
            .or_default()
            .push((Rational::one(), factor));
    }
    let negated = problem.times(&minus, problem.offset);
    let one = problem.terms.numeral(Rational::one(), SortId::REAL);
    let mut conditions = problem.adds_up(&rows, &bounded, negated, "bounded");
    conditions.extend(problem.adds_up(&rows, &descends, one, "descends"));
    let mut solver = work.solver();
    for condition in conditions {
        solver.assert(&mut problem.terms, condition);
    }
    let zero = problem.terms.numeral(Rational::zero(), SortId::REAL);
    let absent: Vec<TermId> = (problem.factors.clone().into_iter())
        .map(|factor| problem.terms.eq(factor, zero))
        .collect();
    let alone = (0..absent.len()).map(|kept| {
        let others = absent.iter().enumerate().filter(|(place, _)| *place != kept);
        others.map(|(_, &condition)| condition).collect()
    });
    for assumptions in alone.chain([Vec::new()]).collect::<Vec<Vec<TermId>>>() {
        if solver.check(&mut problem.terms, &assumptions, work.budget)? != Answer::Satisfiable {
            continue;
        }
        let Some(model) = solver.model() else { continue };
        let mut evaluator = Evaluator::new(&problem.terms, model);
        let mut value = |unknown: TermId| evaluator.value(unknown).ok()?.as_number().cloned();
        let mut sum = Sum::default();
        for (&place, &factor) in numeric.iter().zip(&problem.factors) {
            match value(factor) {
                Some(factor) if !factor.is_zero() => drop(sum.factors.insert(variables[place], factor)),
                _ => {}
            }
        }
        sum.constant = value(problem.offset).unwrap_or_default();
        if sum.factors.is_empty() {
            continue;
        }
        return Ok(Some(whole(terms, sum)));
    }
    Ok(None)
}

/// A sum in whole numbers, as a term: larger, so that it still descends by one.
fn whole(terms: &mut Terms, mut sum: Sum) -> TermId {
    let mut multiple = Rational::one();
    for factor in sum.factors.values().chain([&sum.constant]) {
        let denominator = factor.denominator_number();
        multiple = &multiple * &(&denominator / &multiple.gcd(&denominator));
    }
    sum.scale(&multiple);
    let sort = if sum.is_whole(terms) {
        SortId::INT
    } else {
        SortId::REAL
    };
    term_of(terms, &sum, sort)
}
