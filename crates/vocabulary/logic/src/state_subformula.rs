//! The state subformulas of a path formula: how CTL* is reduced to LTL.
//!
//! A *maximal state subformula* of a path formula is a subformula that is true or false of a state and is not part of a
//! larger such one. Decide each of them (they are CTL* again), replace it by an atom, and what is left is LTL.

use crate::nesting::deep;
use crate::{Formula, Node};

impl<A> Formula<A> {
    /// The maximal state subformulas, each once, left to right. A state formula is its own only one.
    ///
    /// Comparing is structural; the cost is quadratic in the number of distinct ones.
    pub fn maximal_state_subformulas(&self) -> Vec<Formula<A>>
    where
        A: PartialEq,
    {
        let mut found = Vec::new();
        self.for_each_state_subformula(&mut |formula| {
            if !found.contains(formula) {
                found.push(formula.clone());
            }
        });
        found
    }

    /// Calls `visit` on every occurrence of a maximal state subformula, left to right.
    pub fn for_each_state_subformula<'a>(&'a self, visit: &mut impl FnMut(&'a Formula<A>)) {
        if self.is_state_formula() {
            visit(self);
            return;
        }
        for operand in self.operands() {
            deep(|| operand.for_each_state_subformula(visit));
        }
    }

    /// The formula with every maximal state subformula replaced: what `replacement` gives is usually an atom, and then the
    /// result is quantifier-free, an LTL path formula. It is asked at every occurrence; whether equal ones get equal
    /// atoms is its business.
    pub fn replace_state_subformulas<B>(
        &self,
        replacement: &mut impl FnMut(&Formula<A>) -> Formula<B>,
    ) -> Formula<B> {
        if self.is_state_formula() {
            return replacement(self);
        }
        self.replace_below(replacement, Self::replace_state_subformulas)
    }

    /// The formula with every outermost quantified subformula replaced and the propositional parts kept as they are: for
    /// engines that read Boolean structure themselves and need names for `A ψ` and `E ψ` only.
    pub fn replace_quantified_subformulas(
        &self,
        replacement: &mut impl FnMut(&Formula<A>) -> Formula<A>,
    ) -> Formula<A>
    where
        A: Clone,
    {
        match self.node() {
            Node::Quantified(..) => replacement(self),
            Node::Constant(_) | Node::Atom(_) => self.clone(),
            _ => self.replace_below(replacement, Self::replace_quantified_subformulas),
        }
    }

    fn replace_below<B, R>(
        &self,
        replacement: &mut R,
        recurse: fn(&Self, &mut R) -> Formula<B>,
    ) -> Formula<B> {
        let mut below = |operand: &Formula<A>| deep(|| recurse(operand, replacement));
        match self.node() {
            Node::Constant(truth) => Formula::constant(*truth),
            Node::Atom(_) => unreachable!("an atom is a state formula"),
            Node::Not(a) => below(a).not(),
            Node::And(list) => Formula::and(list.iter().map(below).collect::<Vec<_>>()),
            Node::Or(list) => Formula::or(list.iter().map(below).collect::<Vec<_>>()),
            Node::Implies(a, b) => Node::Implies(below(a), below(b)).into(),
            Node::Iff(a, b) => Node::Iff(below(a), below(b)).into(),
            Node::Xor(a, b) => Node::Xor(below(a), below(b)).into(),
            Node::Quantified(quantifier, a) => Node::Quantified(*quantifier, below(a)).into(),
            Node::Unary(op, interval, a) => Node::Unary(*op, *interval, below(a)).into(),
            Node::Binary(op, interval, a, b) => Node::Binary(*op, *interval, below(a), below(b)).into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::Formula;

    fn parse(text: &str) -> Formula<String> {
        crate::parse(text).expect(text)
    }

    #[test]
    fn state_subformulas_are_the_largest_ones_and_come_once() {
        let path = parse("G (p & q -> F (E G r)) & F (E G r)");
        let found: Vec<String> = path
            .maximal_state_subformulas()
            .iter()
            .map(Formula::to_string)
            .collect();
        assert_eq!(found, ["p & q", "EG r"]);
        assert_eq!(parse("AG p").maximal_state_subformulas(), [parse("AG p")]);
    }

    #[test]
    fn replacing_state_subformulas_leaves_linear_time() {
        let path = parse("G (p -> F E X q) & !X (p & A F p)");
        let linear: Formula<String> =
            path.replace_state_subformulas(&mut |state| Formula::atom(format!("<{state}>")));
        assert_eq!(linear.to_string(), "G (<p> -> F <EX q>) & !X (<p & AF p>)");
        let named = path.replace_quantified_subformulas(&mut |_| Formula::atom("n".to_string()));
        assert_eq!(named.to_string(), "G (p -> F n) & !X (p & n)");
    }
}
