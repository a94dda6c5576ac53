//! Clauses about connectives, conditionals and instances, by the tautologies that Alethe has for them.

use super::{Printer, not};
use entail_first_order::{Op, SymbolId, TermId};
use rustc_hash::{FxHashMap, FxHashSet};

impl Printer<'_> {
    /// What the connective of a formula means for its operands.
    pub(super) fn connective(&mut self, term: TermId, clause: &[(TermId, bool)]) -> Option<Vec<String>> {
        let args = self.terms.args(term).to_vec();
        if !args.iter().all(|&arg| self.is_boolean(arg)) {
            return None;
        }
        let own = clause.iter().find(|one| one.0 == term)?.1;
        let whole = self.term(term);
        let texts: Vec<String> = args.iter().map(|&arg| self.term(arg)).collect();
        let negated: Vec<String> = texts.iter().map(|text| not(text)).collect();
        // Which literal an operand is in the clause: itself, its negation, or none.
        let said: Vec<Option<bool>> = (args.iter())
            .map(|&arg| {
                let (atom, is_positive) = self.stripped(arg);
                let literal = clause.iter().find(|one| one.0 == atom && atom != term)?;
                Some(literal.1 == is_positive)
            })
            .collect();
        let own_text = match own {
            true => whole,
            false => not(&whole),
        };
        let with = |rest: &[String]| [std::slice::from_ref(&own_text), rest].concat();
        let name = match (self.terms.op(term), own) {
            (Op::True, true) => self.tautology(&with(&[]), "true", &[]),
            (Op::False, false) => self.tautology(&with(&[]), "false", &[]),
            (Op::And, true) => self.tautology(&with(&negated), "and_neg", &[]),
            (Op::Or, false) => self.tautology(&with(&texts), "or_pos", &[]),
            (Op::And, false) => {
                let place = said.iter().position(|&said| said == Some(true))?;
                self.tautology(&with(&texts[place..=place]), "and_pos", &[place.to_string()])
            }
            (Op::Or, true) => {
                let place = said.iter().position(|&said| said == Some(false))?;
                self.tautology(&with(&negated[place..=place]), "or_neg", &[place.to_string()])
            }
            (Op::Eq, _) => {
                let pick = |place: usize, positive: bool| match positive {
                    true => texts[place].clone(),
                    false => negated[place].clone(),
                };
                let (a, b) = (said[0]?, said[1]?);
                let rule = match (own, a, b) {
                    (false, true, false) => "equiv_pos1",
                    (false, false, true) => "equiv_pos2",
                    (true, false, false) => "equiv_neg1",
                    (true, true, true) => "equiv_neg2",
                    _ => return None,
                };
                self.tautology(&with(&[pick(0, a), pick(1, b)]), rule, &[])
            }
            (Op::Ite, _) => return Some(self.boolean_conditional(own, &with, &texts, &negated, said[0])),
            _ => return None,
        };
        Some(vec![name])
    }

    /// What a conditional formula means: by its condition, or both ways where the clause does not speak of that.
    fn boolean_conditional(
        &mut self,
        own: bool,
        with: &dyn Fn(&[String]) -> Vec<String>,
        texts: &[String],
        negated: &[String],
        condition: Option<bool>,
    ) -> Vec<String> {
        let (first, second) = match own {
            false => ("ite_pos1", "ite_pos2"),
            true => ("ite_neg1", "ite_neg2"),
        };
        let branches = match own {
            false => texts,
            true => negated,
        };
        let mut found = Vec::new();
        if condition != Some(false) {
            let clause = with(&[texts[0].clone(), branches[2].clone()]);
            found.push(self.tautology(&clause, first, &[]));
        }
        if condition != Some(true) {
            let clause = with(&[negated[0].clone(), branches[1].clone()]);
            found.push(self.tautology(&clause, second, &[]));
        }
        found
    }

    /// What a conditional term equals. Alethe says it of a formula in which the term occurs: here that the term equals itself.
    pub(super) fn conditional(&mut self, term: TermId, clause: &[(TermId, bool)]) -> Option<Vec<String>> {
        let &[condition, then, otherwise] = self.terms.args(term) else {
            return None;
        };
        let (atom, is_positive) = self.stripped(condition);
        let holds = clause.iter().find(|one| one.0 == atom)?.1 == is_positive;
        let whole = self.term(term);
        let condition = self.term(condition);
        let equation = |printer: &mut Self, side: TermId| {
            let (a, b) = (printer.term(term.min(side)), printer.term(term.max(side)));
            format!("(= {a} {b})")
        };
        let [then, otherwise] = [then, otherwise].map(|side| equation(self, side));
        let same = format!("(= {whole} {whole})");
        let choice = format!("(ite {condition} {then} {otherwise})");
        let both = format!("(and {same} {choice})");
        let reflexive = self.tautology(std::slice::from_ref(&same), "eq_reflexive", &[]);
        let intro = self.tautology(&[format!("(= {same} {both})")], "ite_intro", &[]);
        let implied = self.further(&[not(&same), both.clone()], "equiv1", &[intro], &[]);
        let both = self.further(&[both], "resolution", &[implied, reflexive], &[]);
        let choice = self.further(&[choice], "and", &[both], &["1".to_owned()]);
        let name = match holds {
            true => self.further(&[condition, otherwise], "ite1", &[choice], &[]),
            false => self.further(&[not(&condition), then], "ite2", &[choice], &[]),
        };
        Some(vec![name])
    }

    /// An instance of a universal formula follows from it, if it is its body as it stands with the values in place: building it may have simplified it.
    pub(super) fn instance(
        &mut self,
        universal: TermId,
        values: &[TermId],
        clause: &[(TermId, bool)],
    ) -> Option<Vec<String>> {
        let &instance = clause.iter().find(|one| one.0 != universal)?;
        let (Op::Forall(bound), &[body]) = (self.terms.op(universal), self.terms.args(universal)) else {
            return None;
        };
        let values_of: FxHashMap<SymbolId, TermId> =
            bound.iter().copied().zip(values.iter().copied()).collect();
        let (body, is_positive) = self.stripped(body);
        if is_positive != instance.1 || !self.is_put_in_place(body, instance.0, &values_of) {
            return None;
        }
        let (whole, instance) = (self.term(universal), self.literal(instance));
        let values: Vec<String> = values.iter().map(|&value| self.term(value)).collect();
        let parts = [not(&whole), instance];
        let implied = format!("(or {} {})", parts[0], parts[1]);
        let name = self.tautology(&[implied], "forall_inst", &values);
        Some(vec![self.further(&parts, "or", &[name], &[])])
    }

    /// Whether a term is another with values in place of symbols, part by part.
    fn is_put_in_place(&self, body: TermId, instance: TermId, values: &FxHashMap<SymbolId, TermId>) -> bool {
        let mut open = vec![(body, instance)];
        let mut seen = FxHashSet::default();
        while let Some((from, to)) = open.pop() {
            if !seen.insert((from, to)) {
                continue;
            }
            let (parts, others) = (self.terms.args(from), self.terms.args(to));
            let value = match self.terms.op(from) {
                Op::Apply(symbol) if parts.is_empty() => values.get(symbol),
                Op::Forall(_) => return false,
                _ => None,
            };
            let is_same = match value {
                Some(&value) => value == to,
                None => self.terms.op(from) == self.terms.op(to) && parts.len() == others.len(),
            };
            if !is_same {
                return false;
            }
            if value.is_none() {
                open.extend(parts.iter().copied().zip(others.iter().copied()));
            }
        }
        true
    }
}
