//! Clauses about arrays and quotients, as instances of axioms.
//!
//! Alethe has no rules for them. The axioms of a theory are true in it, so they can be written beside the formulas that are refuted, as further assertions:
//! reading where and elsewhere than it was written, reading a constant array, what unequal arrays differ in, the bounds of a quotient by a
//! number and of a floor. A clause is then an instance (`forall_inst`), and the proof has no hole there. Only the axioms that are needed are written.

use super::{Printer, not};
use entail_first_order::{Op, SortId, TermId};
use std::fmt::Write;

/// Names of bound variables: no formula has such a symbol.
const NAMES: [&str; 4] = ["?1", "?2", "?3", "?4"];

impl Printer<'_> {
    /// The clause that an instance of an axiom is: the axiom's body is about these values in the order of [`NAMES`]. `instance` is the body with the values put in.
    fn by_axiom(&mut self, body: &str, values: &[TermId], instance: String) -> String {
        let mut variables = String::new();
        for (name, &value) in NAMES.iter().zip(values) {
            let sort = self.terms.print_sort(self.terms.sort_of(value));
            variables += &format!("({name} {sort})");
        }
        let formula = format!("(forall ({variables}) {body})");
        let number = match self.axioms.iter().position(|known| *known == formula) {
            Some(known) => known,
            None => {
                let number = self.axioms.len();
                let _ = writeln!(self.assumptions, "(define-fun @x{number} () Bool {formula})");
                let _ = writeln!(self.assumptions, "(assume x{number} @x{number})");
                self.axioms.push(formula);
                number
            }
        };
        let whole = format!("@x{number}");
        let values: Vec<String> = values.iter().map(|&value| self.term(value)).collect();
        let implied = self.tautology(
            &[format!("(or {} {instance})", not(&whole))],
            "forall_inst",
            &values,
        );
        let either = self.further(&[not(&whole), instance.clone()], "or", &[implied], &[]);
        self.further(&[instance], "resolution", &[either, format!("x{number}")], &[])
    }

    /// An equation with a truth value says that a formula holds, or does not.
    fn said_of_formula(&mut self, name: String, formula: TermId, value: TermId) -> Vec<String> {
        let (formula, value_text) = (self.term(formula), self.term(value));
        match *self.terms.op(value) == Op::True {
            true => {
                let implied = self.further(&[formula, not(&value_text)], "equiv2", &[name], &[]);
                vec![implied, self.tautology(&[value_text], "true", &[])]
            }
            false => {
                let implied = self.further(&[not(&formula), value_text.clone()], "equiv1", &[name], &[]);
                vec![implied, self.tautology(&[not(&value_text)], "false", &[])]
            }
        }
    }

    /// An axiom of arrays about a term.
    pub(super) fn array(&mut self, term: TermId, clause: &[(TermId, bool)]) -> Option<Vec<String>> {
        let terms = self.terms;
        let args = terms.args(term);
        let is_false = |&&(atom, value): &&(TermId, bool)| match terms.op(atom) {
            Op::False => value,
            Op::True => !value,
            _ => false,
        };
        let said: Vec<(TermId, bool)> = clause.iter().filter(|one| !is_false(one)).copied().collect();
        // The index that the write, or the constant array, is read at.
        let reads_of = |array: TermId| {
            let atoms: Vec<TermId> = said.iter().map(|one| one.0).collect();
            let is_read = |&part: &TermId| *terms.op(part) == Op::Select && terms.args(part)[0] == array;
            let direct = atoms
                .iter()
                .flat_map(|&atom| terms.args(atom).iter().copied().chain([atom]));
            direct.into_iter().find(is_read)
        };
        // An equation of the clause, as it stands there.
        let equation_of = |a: TermId, b: TermId| {
            let is_same = |&&(atom, _): &&(TermId, bool)| {
                *terms.op(atom) == Op::Eq && (*terms.args(atom) == [a, b] || *terms.args(atom) == [b, a])
            };
            said.iter().find(is_same).map(|one| one.0)
        };
        match (terms.op(term), args) {
            (Op::Store, &[base, index, element]) => {
                let read = reads_of(term)?;
                let at = terms.args(read)[1];
                if at == index {
                    let body = "(= (select (store ?1 ?2 ?3) ?2) ?3)";
                    return self.read_axiom(body, &[base, index, element], (read, element), &said);
                }
                let same_element = equation_of(read, reads_of(base)?)?;
                let same_index = match (equation_of(index, at), said.len()) {
                    (Some(atom), 2) => self.term(atom),
                    (None, 1) => format!("(= {} {})", self.term(index), self.term(at)),
                    _ => return None,
                };
                let same_element = self.term(same_element);
                let instance = format!("(or {same_index} {same_element})");
                let body = "(or (= ?2 ?4) (= (select (store ?1 ?2 ?3) ?4) (select ?1 ?4)))";
                let name = self.by_axiom(body, &[base, index, element, at], instance);
                let mut parts = vec![self.further(&[same_index.clone(), same_element], "or", &[name], &[])];
                if said.len() == 1 {
                    // The indices are different constants.
                    let simpler = self.tautology(&[format!("(= {same_index} false)")], "evaluate", &[]);
                    let clause = [not(&same_index), "false".to_owned()];
                    parts.push(self.further(&clause, "equiv1", &[simpler], &[]));
                    parts.push(self.tautology(&["(not false)".to_owned()], "false", &[]));
                }
                Some(parts)
            }
            (Op::ConstantArray, &[element]) => {
                let read = reads_of(term)?;
                let sort = terms.print_sort(terms.sort_of(term));
                let body = format!("(= (select ((as const {sort}) ?1) ?2) ?1)");
                self.read_axiom(&body, &[element, terms.args(read)[1]], (read, element), &said)
            }
            (Op::Eq, &[a, b]) => {
                let difference = self.difference(self.witness(a, b, &said)?);
                let &(reads, _) = said.iter().find(|one| one.0 != term)?;
                let body = format!(
                    "(or (= ?1 ?2) (not (= (select ?1 ({difference} ?1 ?2)) (select ?2 ({difference} ?1 ?2)))))"
                );
                let (equal, unequal) = (self.term(term), self.literal((reads, false)));
                let name = self.by_axiom(&body, &[a, b], format!("(or {equal} {unequal})"));
                Some(vec![self.further(&[equal, unequal], "or", &[name], &[])])
            }
            _ => None,
        }
    }

    /// The clause that a read equals an element, or that the read is a formula with that value.
    fn read_axiom(
        &mut self,
        body: &str,
        values: &[TermId],
        (read, element): (TermId, TermId),
        said: &[(TermId, bool)],
    ) -> Option<Vec<String>> {
        let &[(atom, _)] = said else { return None };
        if atom == read {
            let instance = format!("(= {} {})", self.term(read), self.term(element));
            let name = self.by_axiom(body, values, instance);
            return Some(self.said_of_formula(name, read, element));
        }
        let instance = self.term(atom);
        Some(vec![self.by_axiom(body, values, instance)])
    }

    /// The index at which two arrays differ, in a clause that speaks of it.
    fn witness(&self, a: TermId, b: TermId, said: &[(TermId, bool)]) -> Option<TermId> {
        let atoms: Vec<TermId> = said.iter().map(|one| one.0).collect();
        let is_witness =
            |&part: &TermId| *self.terms.op(part) == Op::Difference && self.terms.args(part) == [a, b];
        self.terms.cone(&atoms).into_iter().find(is_witness)
    }

    /// A bound that a quotient by a number, or a floor, has by definition.
    pub(super) fn quotient(&mut self, term: TermId, clause: &[(TermId, bool)]) -> Option<Vec<String>> {
        let terms = self.terms;
        let &[(atom, value)] = clause else { return None };
        let (Op::Le, &[low, high]) = (terms.op(atom), terms.args(atom)) else {
            return None;
        };
        let value_of = terms.args(term)[0];
        let is_integer = terms.sort_of(term) == SortId::INT && *terms.op(term) == Op::IntDiv;
        // What is at most the dividend, or the number whose floor it is; and what that is at most, or less than.
        let whole = match is_integer {
            true => format!("(* {0} (div ?1 {0}))", self.term(terms.args(term)[1])),
            false => "(to_real (to_int ?1))".to_owned(),
        };
        let is_product = |part: TermId| match terms.op(part) {
            Op::Mul => is_integer && *terms.args(part) == [terms.args(term)[1], term],
            Op::ToReal => !is_integer && *terms.args(part) == [term],
            _ => false,
        };
        // The product with a number added.
        let with_number = |part: TermId| match (terms.op(part), terms.args(part)) {
            (Op::Add, &[product, number]) if is_product(product) && terms.number(number).is_some() => {
                Some(number)
            }
            _ => None,
        };
        let body = match value {
            true if is_product(low) && high == value_of => format!("(<= {whole} ?1)"),
            true if low == value_of && is_product(high) => format!("(<= ?1 {whole})"),
            true if low == value_of => {
                let number = with_number(high)?;
                format!("(<= ?1 (+ {whole} {}))", self.term(number))
            }
            false if high == value_of => {
                let number = with_number(low)?;
                format!("(not (<= (+ {whole} {}) ?1))", self.term(number))
            }
            _ => return None,
        };
        let instance = self.literal((atom, value));
        Some(vec![self.by_axiom(&body, &[value_of], instance)])
    }

    /// The axioms that were used, as assertions.
    pub(super) fn axiom_assertions(&self) -> String {
        let assertions = self.axioms.iter().map(|axiom| format!("(assert {axiom})\n"));
        assertions.collect()
    }
}
