//! Judging a refutation step by step.

use super::cells::check_cells;
use super::equality::contradicts;
use super::inequality::{Inequality, Relation, check_combinations};
use super::polynomial::check_product;
use super::quantifiers::Quantified;
use super::words::{Repeated, refute_again};
use entail_budget::Budget;
use entail_first_order::{
    Atom, Combination, Literal, Op, Refutation, RefutationStep, Rule, Sort, TermId, Terms,
};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// A refutation that was accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checked {
    /// What was claimed without a certificate, if anything was.
    pub unjustified: Option<&'static str>,
    /// How many clauses have reasons of their own.
    pub inputs: usize,
    /// How many clauses were derived.
    pub derived: usize,
}

/// Whether a refutation shows that the formulas have no model together.
pub fn check_refutation(
    terms: &Terms,
    formulas: &[TermId],
    refutation: &Refutation,
    budget: &Budget,
) -> Result<Checked, String> {
    let mut judge = Judge {
        terms,
        asserted: FxHashSet::default(),
        atoms: &refutation.atoms,
        quantified: Quantified::new(terms, formulas),
        budget,
    };
    judge.asserted = formulas.iter().map(|&formula| judge.stripped(formula)).collect();
    let mut checked = Checked {
        unjustified: None,
        inputs: 0,
        derived: 0,
    };
    let mut lemmas: Vec<Vec<(TermId, bool)>> = Vec::new();
    for step in &refutation.steps {
        let RefutationStep::Input { id, clause, rule } = step else {
            continue;
        };
        budget.check_now().map_err(|spent| spent.to_string())?;
        if clause.iter().any(|&literal| judge.atom(literal).is_none()) {
            return Err(format!("clause {id} has a literal without an atom"));
        }
        match rule {
            Rule::Claimed(reason) => checked.unjustified = Some(reason),
            rule => judge
                .input(clause, rule)
                .map_err(|why| format!("clause {id}: {why}"))?,
        }
        checked.inputs += 1;
        if !matches!(
            rule,
            Rule::Claimed(_) | Rule::Asserted(_) | Rule::Chosen | Rule::Connective(_)
        ) {
            lemmas.push(judge.meanings(clause)?);
        }
    }
    if checked.unjustified.is_some() {
        match refute_again(terms, formulas, &lemmas, &half_of(budget)) {
            Repeated::Refuted => {
                checked.unjustified = None;
                return Ok(checked);
            }
            Repeated::Satisfiable => {
                return Err("the formulas and the lemmas have a propositional model".into());
            }
            Repeated::Undecided(_) => {}
        }
    }
    checked.derived = check_derivation(refutation, budget)?;
    Ok(checked)
}

/// Half of what is left of a budget: what is left of a proof without a certificate is still looked at afterwards.
fn half_of(budget: &Budget) -> Budget {
    match budget.time_left() {
        Some(left) => budget.part(left / 2),
        None => budget.same_limits(),
    }
}

/// Whether the empty clause is derived from the inputs; the number of derived clauses.
fn check_derivation(refutation: &Refutation, budget: &Budget) -> Result<usize, String> {
    let mut clauses: FxHashMap<u32, &[Literal]> = FxHashMap::default();
    let mut values: Vec<i8> = vec![0; refutation.atoms.len() + 1];
    let mut is_refuted = false;
    let mut derived = 0;
    for step in &refutation.steps {
        budget.check().map_err(|spent| spent.to_string())?;
        let (id, clause) = match step {
            RefutationStep::Input { id, clause, .. } => (*id, clause),
            RefutationStep::Derived { id, clause, hints } => {
                if !follows(clause, hints, &clauses, &mut values) {
                    return Err(format!("clause {id} does not follow from the clauses named"));
                }
                derived += 1;
                (*id, clause)
            }
        };
        is_refuted |= clause.is_empty();
        clauses.insert(id, clause);
    }
    match is_refuted {
        true => Ok(derived),
        false => Err("the empty clause is not derived".into()),
    }
}

/// Whether a clause follows by unit propagation in the order of the hints.
fn follows(
    clause: &[Literal],
    hints: &[u32],
    clauses: &FxHashMap<u32, &[Literal]>,
    values: &mut [i8],
) -> bool {
    let mut assigned: Vec<usize> = Vec::new();
    let mut assign = |values: &mut [i8], literal: Literal| {
        let place = literal.unsigned_abs() as usize;
        if place < values.len() && values[place] == 0 {
            values[place] = literal.signum() as i8;
            assigned.push(place);
        }
    };
    let value = |values: &[i8], literal: Literal| {
        values
            .get(literal.unsigned_abs() as usize)
            .map_or(0, |&value| i32::from(value) * literal.signum())
    };
    let mut found = false;
    for &literal in clause {
        // A clause with both signs of an atom is true.
        found |= value(values, literal) > 0;
        assign(values, -literal);
    }
    for hint in hints {
        if found {
            break;
        }
        let Some(hint) = clauses.get(hint) else { continue };
        let mut open = hint.iter().filter(|&&literal| value(values, literal) >= 0);
        match (open.next(), open.next()) {
            (None, _) => found = true,
            (Some(&unit), None) if value(values, unit) == 0 => assign(values, unit),
            _ => {}
        }
    }
    for place in assigned {
        values[place] = 0;
    }
    found
}

struct Judge<'a> {
    terms: &'a Terms,
    /// What may be asserted: formulas without their negations, and whether these are of even number.
    asserted: FxHashSet<(TermId, bool)>,
    atoms: &'a [Atom],
    quantified: Quantified<'a>,
    budget: &'a Budget,
}

impl Judge<'_> {
    fn atom(&self, literal: Literal) -> Option<Atom> {
        self.atoms
            .get((literal.unsigned_abs() as usize).checked_sub(1)?)
            .copied()
    }

    /// A formula without its negations, and whether their number is even.
    fn stripped(&self, mut formula: TermId) -> (TermId, bool) {
        let mut is_positive = true;
        while *self.terms.op(formula) == Op::Not {
            formula = self.terms.args(formula)[0];
            is_positive = !is_positive;
        }
        (formula, is_positive)
    }

    /// The formula a literal says is true or false.
    fn meaning(&self, literal: Literal) -> Option<(TermId, bool)> {
        match self.atom(literal)? {
            Atom::Formula(term) => {
                let (term, is_positive) = self.stripped(term);
                Some((term, is_positive == (literal > 0)))
            }
            Atom::Free => None,
        }
    }

    fn meanings(&self, clause: &[Literal]) -> Result<Vec<(TermId, bool)>, String> {
        (clause
            .iter()
            .map(|&literal| self.meaning(literal))
            .collect::<Option<Vec<_>>>())
        .ok_or_else(|| "a literal stands for no formula".into())
    }

    fn input(&self, clause: &[Literal], rule: &Rule) -> Result<(), String> {
        match rule {
            Rule::Asserted(_) => self.asserted(clause),
            Rule::Chosen => match clause {
                &[literal] if literal > 0 && self.atom(literal) == Some(Atom::Free) => Ok(()),
                _ => Err("only a free atom can be chosen".into()),
            },
            Rule::Connective(term) => self.connective(*term, &self.meanings(clause)?),
            Rule::Conditional(term) => self.conditional(*term, &self.meanings(clause)?),
            Rule::Congruence => {
                let negated: Vec<(TermId, bool)> = self
                    .meanings(clause)?
                    .into_iter()
                    .map(|(term, value)| (term, !value))
                    .collect();
                match contradicts(self.terms, &negated) {
                    true => Ok(()),
                    false => Err("the equations do not contradict each other".into()),
                }
            }
            Rule::Linear(combinations) => self.linear(clause, combinations),
            Rule::LinearSplit(literal, below, above) => self.split(clause, *literal, below, above),
            Rule::Quotient(term) => self.quotient(*term, &self.meanings(clause)?),
            Rule::Array(term) => {
                // An equation of two different constants is built as falsehood; it adds nothing to the clause.
                let is_false = |&(atom, value): &(TermId, bool)| match self.terms.op(atom) {
                    Op::True => !value,
                    Op::False => value,
                    _ => false,
                };
                let mut meanings = self.meanings(clause)?;
                meanings.retain(|meaning| !is_false(meaning));
                self.array(*term, &meanings)
            }
            Rule::Product(term, a, b) => check_product(self.terms, *term, (a, b), &self.meanings(clause)?),
            Rule::Cells(margin) => check_cells(self.terms, margin, &self.meanings(clause)?, self.budget),
            Rule::Instance(universal, values) => {
                self.quantified
                    .check_instance(*universal, values, &self.meanings(clause)?)
            }
            Rule::Skolem(universal, constants) => {
                self.quantified
                    .check_skolem(*universal, constants, &self.meanings(clause)?)
            }
            Rule::Claimed(_) => Ok(()),
        }
    }

    fn asserted(&self, clause: &[Literal]) -> Result<(), String> {
        let formulas: Vec<Literal> = (clause.iter().copied())
            .filter(|&literal| !(literal < 0 && self.atom(literal) == Some(Atom::Free)))
            .collect();
        match formulas.as_slice() {
            &[literal] => {
                let meaning = self.meaning(literal);
                match meaning.is_some_and(|meaning| self.asserted.contains(&meaning)) {
                    true => Ok(()),
                    false => Err("this formula was not asserted".into()),
                }
            }
            _ => Err("an assertion is one formula".into()),
        }
    }

    /// Whether falsifying all literals contradicts the meaning of the connective.
    fn connective(&self, term: TermId, clause: &[(TermId, bool)]) -> Result<(), String> {
        let operands: Vec<(TermId, bool)> = self
            .terms
            .args(term)
            .iter()
            .map(|&arg| self.stripped(arg))
            .collect();
        // The values at which the clause is false.
        let mut given: BTreeMap<TermId, bool> = BTreeMap::new();
        for &(atom, is_positive) in clause {
            if given.insert(atom, !is_positive) == Some(is_positive) {
                return Ok(());
            }
        }
        let operand =
            |&(atom, is_positive): &(TermId, bool)| given.get(&atom).map(|&value| value == is_positive);
        let own = given.get(&term).copied();
        let is_impossible = match self.terms.op(term) {
            Op::True => own == Some(false),
            Op::False => own == Some(true),
            op @ (Op::And | Op::Or) => {
                let absorbing = *op == Op::Or;
                let some = operands.iter().any(|one| operand(one) == Some(absorbing));
                let all = operands.iter().all(|one| operand(one) == Some(!absorbing));
                own == Some(!absorbing) && some || own == Some(absorbing) && all
            }
            Op::Eq | Op::Ite => {
                let mut atoms: Vec<TermId> = operands.iter().map(|(atom, _)| *atom).collect();
                atoms.sort_unstable();
                atoms.dedup();
                (0..1u32 << atoms.len()).all(|row| {
                    let value = |(atom, is_positive): (TermId, bool)| {
                        let place = atoms.binary_search(&atom).unwrap_or(0);
                        (row >> place & 1 == 1) == is_positive
                    };
                    let result = match (self.terms.op(term), operands.as_slice()) {
                        (Op::Eq, &[a, b]) => value(a) == value(b),
                        (_, &[c, a, b]) => {
                            if value(c) {
                                value(a)
                            } else {
                                value(b)
                            }
                        }
                        _ => return false,
                    };
                    let fits = atoms.iter().all(|&atom| {
                        given
                            .get(&atom)
                            .is_none_or(|&wanted| wanted == value((atom, true)))
                    });
                    !(fits && own.is_none_or(|wanted| wanted == result))
                })
            }
            _ => false,
        };
        let is_boolean = self
            .terms
            .args(term)
            .iter()
            .all(|&arg| self.terms.sort(self.terms.sort_of(arg)) == &Sort::Bool);
        match is_impossible && is_boolean {
            true => Ok(()),
            false => Err("the clause does not follow from the connective".into()),
        }
    }

    fn is_equation(&self, term: TermId, a: TermId, b: TermId) -> bool {
        *self.terms.op(term) == Op::Eq && (self.terms.args(term) == [a, b] || self.terms.args(term) == [b, a])
    }

    fn conditional(&self, term: TermId, clause: &[(TermId, bool)]) -> Result<(), String> {
        let fault = || "the clause does not say what the conditional equals".to_owned();
        let (Op::Ite, &[condition, then, otherwise]) = (self.terms.op(term), self.terms.args(term)) else {
            return Err(fault());
        };
        let condition = self.stripped(condition);
        let says = |side: TermId, guard: (TermId, bool)| {
            clause.contains(&guard)
                && clause
                    .iter()
                    .any(|&(atom, value)| value && self.is_equation(atom, term, side))
        };
        match says(then, (condition.0, !condition.1)) || says(otherwise, condition) {
            true => Ok(()),
            false => Err(fault()),
        }
    }

    fn premise(&self, clause: &[Literal], literal: Literal) -> Option<Inequality> {
        if !clause.contains(&literal) {
            return None;
        }
        let (term, value) = self.meaning(literal)?;
        Inequality::of_literal(self.terms, term, !value)
    }

    fn linear(&self, clause: &[Literal], combinations: &[Combination]) -> Result<(), String> {
        check_combinations(self.terms, combinations, |literal| self.premise(clause, literal))
    }

    fn split(
        &self,
        clause: &[Literal],
        equation: Literal,
        below: &[Combination],
        above: &[Combination],
    ) -> Result<(), String> {
        let (term, is_true) = self.meaning(equation).ok_or("the split is on no formula")?;
        if !clause.contains(&equation) || !is_true || *self.terms.op(term) != Op::Eq {
            return Err("the split is on no equation of the clause".into());
        }
        let [a, b] = [self.terms.args(term)[0], self.terms.args(term)[1]];
        if !self.terms.sort_of(a).is_arithmetic() {
            return Err("the split is on an equation that is not about numbers".into());
        }
        for (combinations, left, right) in [(below, a, b), (above, b, a)] {
            check_combinations(self.terms, combinations, |literal| match literal == equation {
                true => Some(Inequality::difference(self.terms, left, right, Relation::Below)),
                false => self.premise(clause, literal),
            })?;
        }
        Ok(())
    }

    /// The inequalities that define quotients and floors.
    fn quotient(&self, term: TermId, clause: &[(TermId, bool)]) -> Result<(), String> {
        let &[(atom, value)] = clause else {
            return Err("a definition is one inequality".into());
        };
        let said = Inequality::of_literal(self.terms, atom, value).ok_or("a definition is one inequality")?;
        let allowed =
            super::inequality::definition(self.terms, term).ok_or("this is no quotient or floor")?;
        match allowed.contains(&said.rounded(self.terms)) {
            true => Ok(()),
            false => Err("the inequality is not part of the definition".into()),
        }
    }

    /// Whether an equation says that a write and its base have the same element at an index that differs: another constant, or the negation.
    fn reads_elsewhere(&self, write: TermId, equation: TermId) -> bool {
        let terms = self.terms;
        let (Op::Eq, &[a, b]) = (terms.op(equation), terms.args(equation)) else {
            return false;
        };
        let (Op::Select, Op::Select) = (terms.op(a), terms.op(b)) else {
            return false;
        };
        let ([x, i], [y, j]) = (
            [terms.args(a)[0], terms.args(a)[1]],
            [terms.args(b)[0], terms.args(b)[1]],
        );
        let base = terms.args(write)[0];
        let written = terms.args(write)[1];
        let is_constant = |index: TermId| {
            matches!(
                terms.op(index),
                Op::Number(_) | Op::Word(_) | Op::True | Op::False
            )
        };
        let negates = |a: TermId, b: TermId| *terms.op(a) == Op::Not && terms.args(a)[0] == b;
        let are_constants = i != written && is_constant(i) && is_constant(written);
        let differ = are_constants || negates(i, written) || negates(written, i);
        let are_arrays = (x == write && y == base) || (y == write && x == base);
        are_arrays && i == j && differ
    }

    /// Whether a literal says that two terms are equal: as an equation, or, where one is a truth value, by what it says of the other.
    fn says_equal(&self, (atom, value): (TermId, bool), a: TermId, b: TermId) -> bool {
        let terms = self.terms;
        if let (Op::Eq, &[x, y]) = (terms.op(atom), terms.args(atom))
            && ([x, y] == [a, b] || [x, y] == [b, a])
        {
            return value;
        }
        [(a, b), (b, a)].into_iter().any(|(constant, other)| {
            let wanted = match terms.op(constant) {
                Op::True => true,
                Op::False => false,
                _ => return false,
            };
            let (mut formula, mut is_true) = (other, wanted);
            while *terms.op(formula) == Op::Not {
                formula = terms.args(formula)[0];
                is_true = !is_true;
            }
            (formula, is_true) == (atom, value)
        })
    }

    fn array(&self, term: TermId, clause: &[(TermId, bool)]) -> Result<(), String> {
        let terms = self.terms;
        let args = terms.args(term);
        let select = |read: TermId| match (terms.op(read), terms.args(read)) {
            (Op::Select, &[array, index]) => Some((array, index)),
            _ => None,
        };
        let equation =
            |atom: TermId| (*terms.op(atom) == Op::Eq).then(|| [terms.args(atom)[0], terms.args(atom)[1]]);
        let is_axiom = match (terms.op(term), clause) {
            // Elements that are truth values: the read itself is the formula.
            (Op::Store, &[(atom, value)]) if select(atom) == Some((term, args[1])) => {
                args[2] == terms.bool(value)
            }
            (Op::ConstantArray, &[(atom, value)]) if select(atom).is_some_and(|(array, _)| array == term) => {
                args[0] == terms.bool(value)
            }
            (Op::Store, &[(atom, true)]) if !self.reads_elsewhere(term, atom) => {
                // Reading where it was written.
                equation(atom).is_some_and(|sides| {
                    let holds = |read: TermId, value: TermId| {
                        select(read) == Some((term, args[1])) && value == args[2]
                    };
                    holds(sides[0], sides[1]) || holds(sides[1], sides[0])
                })
            }
            (Op::Store, &[(atom, true)]) if self.reads_elsewhere(term, atom) => true,
            (Op::Store, &[first, second]) => {
                let holds = |same_index: (TermId, bool), same_element: (TermId, bool)| {
                    let (Some(reads), true) = (equation(same_element.0), same_element.1) else {
                        return false;
                    };
                    let (Some((x, i)), Some((y, j))) = (select(reads[0]), select(reads[1])) else {
                        return false;
                    };
                    let arrays = (x == term && y == args[0]) || (y == term && x == args[0]);
                    arrays && i == j && self.says_equal(same_index, args[1], i)
                };
                holds(first, second) || holds(second, first)
            }
            (Op::ConstantArray, &[(atom, true)]) => equation(atom).is_some_and(|sides| {
                let holds = |read: TermId, value: TermId| {
                    select(read).is_some_and(|(array, _)| array == term) && value == args[0]
                };
                holds(sides[0], sides[1]) || holds(sides[1], sides[0])
            }),
            (Op::Eq, &[first, second]) => {
                // Arrays that are not equal differ at their difference.
                let holds = |(same, is_same): (TermId, bool), (reads, are_same): (TermId, bool)| {
                    let Some(sides) = equation(reads) else {
                        return false;
                    };
                    let (Some((x, i)), Some((y, j))) = (select(sides[0]), select(sides[1])) else {
                        return false;
                    };
                    let is_witness = *terms.op(i) == Op::Difference && terms.args(i) == args;
                    same == term
                        && is_same
                        && !are_same
                        && i == j
                        && is_witness
                        && (args == [x, y] || args == [y, x])
                };
                holds(first, second) || holds(second, first)
            }
            _ => false,
        };
        match is_axiom {
            true => Ok(()),
            false => Err("this is no axiom of arrays".into()),
        }
    }
}
