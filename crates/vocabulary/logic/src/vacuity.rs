//! Which parts of a formula might not matter: replacements that decide it.
//!
//! A part that occurs once in a formula, and positively, may be replaced by false: what results is at least as strong. If it is still
//! true of a model, the part does not affect the formula there: it could be anything (Beer et al. 2001, Kupferman and Vardi 2003). A part that
//! occurs negatively is replaced by true. One further question decides each.
//!
//! [`weakest_replacements`] lists those worth asking, larger parts before the parts inside them: disjuncts, antecedents and what follows from them,
//! operands of temporal operators that are not the formula over again when they are replaced. Below "on some path" nothing is listed: there a
//! part that is not needed is no surprise. Equivalences have no polarity and are left alone.

use crate::nesting::deep;
use crate::{Binary, Formula, Interval, Node, Quantifier, Unary};

/// What a replacement would tell if the formula stayed true.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Told<A> {
    /// The antecedent is never true, so that nothing was asked of what follows from it.
    NoAntecedent(Formula<A>),
    /// The part does not matter: it could as well be the constant.
    Irrelevant(Formula<A>, bool),
}

/// A formula that is at least as strong as another, by a part that was replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replacement<A> {
    /// The formula with the part replaced.
    pub formula: Formula<A>,
    /// What its truth tells.
    pub told: Told<A>,
    /// The replacement of a part around this one, by position in the list: if that tells something, this need not be asked.
    pub inside: Option<usize>,
}

/// The replacements worth asking, at most so many.
pub fn weakest_replacements<A: Clone + PartialEq>(formula: &Formula<A>, most: usize) -> Vec<Replacement<A>> {
    let root = plain(formula);
    let mut search = Search {
        root: &root,
        most,
        found: Vec::new(),
    };
    search.visit(&root, &mut Vec::new(), true, None);
    search.found
}

/// Implications as disjunctions: `!a | b`. A disjunction inside one is part of it.
fn plain<A: Clone>(formula: &Formula<A>) -> Formula<A> {
    match formula.node() {
        Node::Constant(_) | Node::Atom(_) => formula.clone(),
        Node::Implies(left, right) => {
            let (left, right) = (deep(|| plain(left)), deep(|| plain(right)));
            Formula::or([left.not(), right])
        }
        _ => {
            let operands = formula.operands().into_iter();
            formula.with_operands(operands.map(|operand| deep(|| plain(operand))).collect())
        }
    }
}

struct Search<'f, A> {
    root: &'f Formula<A>,
    most: usize,
    found: Vec<Replacement<A>>,
}

impl<A: Clone + PartialEq> Search<'_, A> {
    /// Lists what can be replaced in the part at a path of operands. `positive` is the polarity of the part.
    fn visit(&mut self, part: &Formula<A>, path: &mut Vec<usize>, positive: bool, inside: Option<usize>) {
        if self.found.len() >= self.most {
            return;
        }
        match part.node() {
            Node::Constant(_) | Node::Atom(_) | Node::Iff(..) | Node::Xor(..) => {}
            Node::Not(inner) => self.descend(inner, 0, path, !positive, inside),
            Node::Quantified(quantifier, inner) => {
                let of_all = (*quantifier == Quantifier::Forall) == positive;
                if of_all {
                    self.descend(inner, 0, path, positive, inside);
                }
            }
            Node::Unary(_, _, inner) => self.descend(inner, 0, path, positive, inside),
            // A positive conjunct that is false makes the conjunction false: no news.
            Node::And(parts) if positive => self.descend_all(parts, path, positive, inside),
            Node::Or(parts) if !positive => self.descend_all(parts, path, positive, inside),
            Node::Or(parts) => {
                let inside = self.antecedent(parts, path, inside).or(inside);
                self.each(parts, path, positive, inside);
            }
            Node::And(parts) => {
                let inside = self.refused_antecedent(parts, path, inside).or(inside);
                self.each(parts, path, positive, inside);
            }
            Node::Implies(..) => {}
            Node::Binary(op, _, left, right) => {
                // The operand without which the formula says nothing is not replaced.
                let (first, second) = match (op, positive) {
                    (Binary::Until | Binary::Since, true) => (true, false),
                    (Binary::Release | Binary::Triggered, true) => (true, false),
                    (Binary::WeakUntil, true) => (true, true),
                    (Binary::StrongRelease, false) => (true, true),
                    (Binary::Release | Binary::Triggered, false) => (true, false),
                    (Binary::Until | Binary::Since, false) => (true, false),
                    (Binary::StrongRelease, true) | (Binary::WeakUntil, false) => (false, false),
                };
                for (position, (operand, ask)) in [(left, first), (right, second)].into_iter().enumerate() {
                    let at = match ask {
                        true => self
                            .replace(path, position, (operand, positive), inside)
                            .or(inside),
                        false => inside,
                    };
                    self.descend(operand, position, path, positive, at);
                }
            }
        }
    }

    fn descend(
        &mut self,
        part: &Formula<A>,
        position: usize,
        path: &mut Vec<usize>,
        positive: bool,
        inside: Option<usize>,
    ) {
        path.push(position);
        deep(|| self.visit(part, path, positive, inside));
        path.pop();
    }

    fn descend_all(
        &mut self,
        parts: &[Formula<A>],
        path: &mut Vec<usize>,
        positive: bool,
        inside: Option<usize>,
    ) {
        for (position, part) in parts.iter().enumerate() {
            self.descend(part, position, path, positive, inside);
        }
    }

    /// Each part replaced, then what is inside it.
    fn each(&mut self, parts: &[Formula<A>], path: &mut Vec<usize>, positive: bool, inside: Option<usize>) {
        for (position, part) in parts.iter().enumerate() {
            let at = self.replace(path, position, (part, positive), inside).or(inside);
            self.descend(part, position, path, positive, at);
        }
    }

    /// A disjunction with one negated part is an implication: whether that part is never true is asked first.
    fn antecedent(&mut self, parts: &[Formula<A>], path: &[usize], inside: Option<usize>) -> Option<usize> {
        let mut negated = parts
            .iter()
            .enumerate()
            .filter_map(|(position, part)| match part.node() {
                Node::Not(antecedent) => Some((position, antecedent)),
                _ => None,
            });
        let (position, antecedent) = negated.next()?;
        if negated.next().is_some() {
            return None;
        }
        let others: Vec<usize> = (0..parts.len()).filter(|&other| other != position).collect();
        let told = Told::NoAntecedent(antecedent.clone());
        self.add(path, &others, (false, told), inside)
    }

    /// That a conjunction with one negated part never happens is an implication, too: `!(a & !b)` says that `b` follows from `a`. Circuits are asked so.
    fn refused_antecedent(
        &mut self,
        parts: &[Formula<A>],
        path: &[usize],
        inside: Option<usize>,
    ) -> Option<usize> {
        let is_negated = |part: &Formula<A>| matches!(part.node(), Node::Not(_));
        let (negated, others): (Vec<usize>, Vec<usize>) =
            (0..parts.len()).partition(|&position| is_negated(&parts[position]));
        if negated.len() != 1 || others.is_empty() {
            return None;
        }
        let antecedent = Formula::and(others.iter().map(|&position| parts[position].clone()));
        self.add(path, &negated, (true, Told::NoAntecedent(antecedent)), inside)
    }

    fn replace(
        &mut self,
        path: &[usize],
        at: usize,
        (part, positive): (&Formula<A>, bool),
        inside: Option<usize>,
    ) -> Option<usize> {
        if matches!(part.node(), Node::Constant(_)) {
            return None;
        }
        let told = Told::Irrelevant(part.clone(), !positive);
        self.add(path, &[at], (!positive, told), inside)
    }

    fn add(
        &mut self,
        path: &[usize],
        at: &[usize],
        (with, told): (bool, Told<A>),
        inside: Option<usize>,
    ) -> Option<usize> {
        if self.found.len() >= self.most {
            return None;
        }
        let formula = replaced(self.root, path, at, with);
        // The consequent of an implication with one other part was asked about already, as its antecedent.
        if self.found.iter().any(|known| known.formula == formula) {
            return None;
        }
        self.found.push(Replacement {
            formula,
            told,
            inside,
        });
        Some(self.found.len() - 1)
    }
}

/// The formula with operands of the part at a path replaced by a constant.
fn replaced<A: Clone>(formula: &Formula<A>, path: &[usize], at: &[usize], with: bool) -> Formula<A> {
    let operands = formula.operands().into_iter().enumerate();
    let operands = operands.map(|(position, operand)| match path.split_first() {
        None if at.contains(&position) => Formula::constant(with),
        Some((&next, rest)) if next == position => deep(|| replaced(operand, rest, at, with)),
        _ => operand.clone(),
    });
    folded(formula.with_operands(operands.collect()))
}

/// The formula without the constants of its outermost operator, where that is plain.
fn folded<A: Clone>(formula: Formula<A>) -> Formula<A> {
    let constant = |formula: &Formula<A>| match formula.node() {
        Node::Constant(truth) => Some(*truth),
        _ => None,
    };
    match formula.node() {
        Node::And(parts) if parts.iter().any(|part| constant(part) == Some(false)) => {
            Formula::constant(false)
        }
        Node::And(parts) => Formula::and(parts.iter().filter(|part| constant(part).is_none()).cloned()),
        Node::Or(parts) if parts.iter().any(|part| constant(part) == Some(true)) => Formula::constant(true),
        Node::Or(parts) => Formula::or(parts.iter().filter(|part| constant(part).is_none()).cloned()),
        Node::Unary(Unary::Finally | Unary::Globally, Interval::ALWAYS, inner)
            if constant(inner).is_some() =>
        {
            inner.clone()
        }
        Node::Binary(Binary::Until, Interval::ALWAYS, left, right) => match (constant(left), constant(right))
        {
            (_, Some(truth)) => Formula::constant(truth),
            (Some(false), None) => right.clone(),
            (Some(true), None) => right.finally(),
            (None, None) => formula,
        },
        Node::Binary(Binary::Release, Interval::ALWAYS, left, right) => {
            match (constant(left), constant(right)) {
                (_, Some(truth)) => Formula::constant(truth),
                (Some(true), None) => right.clone(),
                (Some(false), None) => right.globally(),
                (None, None) => formula,
            }
        }
        _ => formula,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse;

    fn told(text: &str) -> Vec<String> {
        let formula = parse(text).expect("a formula");
        weakest_replacements(&formula, 100)
            .into_iter()
            .map(|one| match one.told {
                Told::NoAntecedent(part) => format!("{} tells: never {part}", one.formula),
                Told::Irrelevant(part, with) => format!("{} tells: {part} could be {with}", one.formula),
            })
            .collect()
    }

    #[test]
    fn the_antecedent_of_a_response_is_asked_about_first() {
        let told = told("A G (a -> F b)");
        assert_eq!(told[0], "AG !a tells: never a");
        assert_eq!(told[1], "A G F b tells: !a could be false");
        assert_eq!(told.len(), 2);
    }

    #[test]
    fn a_conjunction_that_never_happens_has_an_antecedent() {
        let told = told("A G !(a & c & !b)");
        assert_eq!(told[0], "AG !(a & c) tells: never a & c");
        assert!(
            told.contains(&"AG !(c & !b) tells: a could be true".to_owned()),
            "{told:?}"
        );
    }

    #[test]
    fn parts_of_antecedents_are_replaced_by_true() {
        let told = told("G (a & c -> b)");
        assert!(
            told.contains(&"G (!c | b) tells: a could be true".to_owned()),
            "{told:?}"
        );
        assert!(
            told.contains(&"G (!a | b) tells: c could be true".to_owned()),
            "{told:?}"
        );
    }

    #[test]
    fn nothing_is_asked_where_a_replacement_says_nothing_new() {
        for text in [
            "G a",
            "A G (a & b)",
            "G F a",
            "E F (a | b)",
            "G (a <-> b)",
            "A F A G a",
        ] {
            assert_eq!(told(text), Vec::<String>::new(), "{text}");
        }
    }

    #[test]
    fn no_more_are_listed_than_asked_for() {
        let formula = parse("G (a | b | c | d | e)").expect("a formula");
        assert_eq!(weakest_replacements(&formula, 3).len(), 3);
    }
}
