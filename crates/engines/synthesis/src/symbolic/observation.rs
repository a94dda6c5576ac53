//! What a specification says without looking further than a bounded number of steps ahead.
//!
//! A subformula built from signals, Boolean operators and `X` alone is an *observation*: its depth is how many steps ahead it looks. `depth` steps later its value
//! is a function of the letter read then and of earlier letters, kept in registers. So the largest observations become propositions of their own, and what is left of
//! the formula is small, however large the propositional parts are: `G (φ(s) -> X ψ(s))` becomes `G q`. An infinite word is accepted or not whether its letters are
//! read at once or with a delay, so that an automaton may read its propositions late.

use entail_logic::{Formula, Interval, Node, Unary};
use rustc_hash::FxHashMap;

/// The observations of a formula.
#[derive(Debug, Default)]
pub(crate) struct Observations {
    /// Each of them, and its depth.
    pub list: Vec<(Formula<String>, u32)>,
    numbers: FxHashMap<Formula<String>, usize>,
    /// Depths by the address of nodes, which live as long as the formula; nothing for what is no observation.
    depths: FxHashMap<usize, Option<u32>>,
}

/// Observations look ahead at most so far; what looks further is left to automata.
const DEEPEST: u32 = 64;

/// Which lists of operands become parts of their own where a formula stands: conjunctions, disjunctions.
#[derive(Clone, Copy)]
struct Splits {
    and: bool,
    or: bool,
}

impl Observations {
    /// The formula with its largest observations replaced by propositions, which are named by their numbers.
    pub fn replaced(&mut self, formula: &Formula<String>) -> Formula<String> {
        self.within(formula, Splits { and: true, or: true })
    }

    fn within(&mut self, formula: &Formula<String>, splits: Splits) -> Formula<String> {
        stacker::maybe_grow(64 << 10, 1 << 20, || self.replace(formula, splits))
    }

    fn replace(&mut self, formula: &Formula<String>, splits: Splits) -> Formula<String> {
        let everything = splits.and && splits.or;
        let inside = match formula.node() {
            Node::Constant(_) => return formula.clone(),
            Node::Not(inner) => {
                let swapped = Splits {
                    and: splits.or,
                    or: splits.and,
                };
                return self.within(inner, swapped).not();
            }
            Node::And(list) if splits.and => return self.list(list, true, splits),
            Node::Or(list) if splits.or => return self.list(list, false, splits),
            Node::Unary(Unary::Globally, ..) if everything => Splits { and: true, or: false },
            Node::Unary(Unary::Finally, ..) if everything => Splits { and: false, or: true },
            Node::Implies(..) | Node::Iff(..) | Node::Xor(..) if everything => splits,
            _ => Splits {
                and: false,
                or: false,
            },
        };
        match (self.depth(formula), formula.node()) {
            (Some(depth), _) => self.proposition(formula, depth),
            (None, Node::And(list)) => self.list(list, true, inside),
            (None, Node::Or(list)) => self.list(list, false, inside),
            (None, _) => {
                let operands = formula.operands();
                let operands = operands.into_iter().map(|one| self.within(one, inside)).collect();
                formula.over(operands)
            }
        }
    }

    /// A conjunction or disjunction. Observations among its operands are one. Where operands become parts of their own, only those of equal depth are: all that is
    /// observed together is observed as late as its deepest part.
    fn list(&mut self, list: &[Formula<String>], conjunction: bool, splits: Splits) -> Formula<String> {
        let join = |parts: Vec<Formula<String>>| match conjunction {
            true => Formula::and(parts),
            false => Formula::or(parts),
        };
        let apart = if conjunction { splits.and } else { splits.or };
        let mut groups: Vec<(u32, Vec<Formula<String>>)> = Vec::new();
        let mut replaced = Vec::new();
        for operand in list {
            match self.depth(operand) {
                Some(depth) => match groups.iter_mut().find(|(known, _)| !apart || *known == depth) {
                    Some((known, group)) => {
                        *known = depth.max(*known);
                        group.push(operand.clone());
                    }
                    None => groups.push((depth, vec![operand.clone()])),
                },
                None => replaced.push(self.within(operand, splits)),
            }
        }
        for (depth, mut group) in groups {
            replaced.push(match group.len() {
                1 => self.within(&group.remove(0), splits),
                _ => self.proposition(&join(group), depth),
            });
        }
        join(replaced)
    }

    fn proposition(&mut self, formula: &Formula<String>, depth: u32) -> Formula<String> {
        let number = match self.numbers.get(formula) {
            Some(&known) => known,
            None => {
                self.list.push((formula.clone(), depth));
                self.numbers.insert(formula.clone(), self.list.len() - 1);
                self.list.len() - 1
            }
        };
        Formula::atom(number.to_string())
    }

    /// How far an observation looks ahead.
    pub fn depth(&mut self, formula: &Formula<String>) -> Option<u32> {
        if let Some(&known) = self.depths.get(&formula.address()) {
            return known;
        }
        let depth = stacker::maybe_grow(64 << 10, 1 << 20, || {
            let step = match formula.node() {
                Node::Constant(_)
                | Node::Atom(_)
                | Node::Not(_)
                | Node::And(_)
                | Node::Or(_)
                | Node::Implies(..)
                | Node::Iff(..)
                | Node::Xor(..) => 0,
                Node::Unary(Unary::Next, interval, _) if *interval == Interval::ALWAYS => 1,
                _ => return None,
            };
            let mut deepest = 0;
            for operand in formula.operands() {
                deepest = deepest.max(self.depth(operand)?);
            }
            (deepest + step <= DEEPEST).then_some(deepest + step)
        });
        self.depths.insert(formula.address(), depth);
        depth
    }
}

/// Says which signals an observation needs how late, when it is evaluated so much late.
pub(crate) fn needs(formula: &Formula<String>, late: u32, visit: &mut dyn FnMut(&str, u32)) {
    let mut seen = rustc_hash::FxHashSet::default();
    let mut waiting = vec![(formula, late)];
    while let Some((formula, late)) = waiting.pop() {
        if !seen.insert((formula.address(), late)) {
            continue;
        }
        match formula.node() {
            Node::Atom(name) => visit(name, late),
            Node::Unary(_, _, inner) => waiting.push((inner, late - 1)),
            _ => waiting.extend(formula.operands().into_iter().map(|operand| (operand, late))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use entail_automata::ltl::syntax::parse_any;

    #[test]
    fn propositional_parts_with_next_become_propositions() {
        let formula = parse_any("G(a -> X b) & G(a & X a -> F (c & X X d)) & (a U X b)").expect("a formula");
        let mut found = Observations::default();
        let left = found.replaced(&formula);
        let texts: Vec<(String, u32)> = found
            .list
            .iter()
            .map(|(one, depth)| (one.to_string(), *depth))
            .collect();
        assert_eq!(left.to_string(), "G 0 & G (1 -> F 2) & 3 U 4", "{texts:?}");
        let depths: Vec<u32> = found.list.iter().map(|(_, depth)| *depth).collect();
        assert_eq!(depths, [1, 1, 2, 0, 1]);
    }

    #[test]
    fn conjunctions_are_split_by_depth() {
        let formula = parse_any("G(a & b & (a -> X X b) & (b -> X X a))").expect("a formula");
        let mut found = Observations::default();
        assert_eq!(found.replaced(&formula).to_string(), "G (0 & 1)");
    }
}
