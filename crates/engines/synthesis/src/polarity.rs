//! Signals that occur with one polarity only (Renkin, Schlehuber-Caissier, Duret-Lutz, Pommellet, *Dissecting ltlsynt*, 2022).
//!
//! If a formula is the more often true the more often an output is, the system loses nothing by holding the output true; if it is the more often true the less often, false. For inputs the environment does the
//! opposite. Such signals get their value and are gone, which may leave others with one polarity, and so on. A machine of either player for what is left wins the whole, whatever
//! the other does with signals that were fixed for it: that can only make the formula better for the winner. Signals that do not occur are fixed as false.

use crate::problem::{Goal, Problem};
use entail_logic::{Formula, Node, Paths};
use rustc_hash::{FxHashMap, FxHashSet};

/// A problem without signals whose value is clear.
#[derive(Clone)]
pub struct Simplified {
    /// What is left.
    pub problem: Problem,
    /// The signals that have a value now, with it.
    pub fixed: Vec<(String, bool)>,
}

/// Fixes all signals with one polarity.
pub fn simplify(problem: &Problem) -> Simplified {
    let mut left = Simplified {
        problem: problem.clone(),
        fixed: Vec::new(),
    };
    while let Goal::Formula(formula) = &left.problem.goal {
        let found = polarities(formula);
        let mut values: FxHashMap<String, bool> = FxHashMap::default();
        // What the player who decides a signal wants of the formula.
        for (names, truth) in [(&left.problem.inputs, false), (&left.problem.outputs, true)] {
            for name in names {
                match found.get(name) {
                    None => values.insert(name.clone(), false),
                    Some([true, false]) => values.insert(name.clone(), truth),
                    Some([false, true]) => values.insert(name.clone(), !truth),
                    Some(_) => None,
                };
            }
        }
        if values.is_empty() {
            break;
        }
        let formula = formula.expand_atoms(&mut |name: &String| match values.get(name) {
            Some(&value) => Formula::constant(value),
            None => Formula::atom(name.clone()),
        });
        left.problem.goal = Goal::Formula(formula.simplify(Paths::Infinite));
        left.problem.inputs.retain(|name| !values.contains_key(name));
        left.problem.outputs.retain(|name| !values.contains_key(name));
        let mut values: Vec<(String, bool)> = values.into_iter().collect();
        values.sort();
        left.fixed.extend(values);
    }
    left
}

/// For each proposition, whether it occurs positively, and negatively.
fn polarities(formula: &Formula<String>) -> FxHashMap<String, [bool; 2]> {
    let mut found: FxHashMap<String, [bool; 2]> = FxHashMap::default();
    // Formulas share parts: each is looked at once for each sign.
    let mut seen: FxHashSet<(usize, bool)> = FxHashSet::default();
    let mut waiting: Vec<(&Formula<String>, bool)> = vec![(formula, true)];
    while let Some((formula, sign)) = waiting.pop() {
        if !seen.insert((formula.address(), sign)) {
            continue;
        }
        match formula.node() {
            Node::Constant(_) => {}
            Node::Atom(name) => found.entry(name.clone()).or_default()[usize::from(!sign)] = true,
            Node::Not(inner) => waiting.push((inner, !sign)),
            Node::Implies(left, right) => waiting.extend([(left, !sign), (right, sign)]),
            Node::Iff(left, right) | Node::Xor(left, right) => {
                waiting.extend([(left, true), (left, false), (right, true), (right, false)]);
            }
            _ => waiting.extend(formula.operands().into_iter().map(|operand| (operand, sign))),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use entail_automata::ltl::syntax::parse_any;
    use entail_game::FirstMover;

    #[test]
    fn requests_that_only_oblige_are_always_made_and_harmless_outputs_are_fixed() {
        let problem = Problem {
            goal: Goal::Formula(
                parse_any("G (r -> F g) & G !(g & h) & G (s <-> h) & (h W k)").expect("a formula"),
            ),
            inputs: ["r", "s", "t"].map(String::from).to_vec(),
            outputs: ["g", "h", "k"].map(String::from).to_vec(),
            first: FirstMover::Environment,
        };
        let left = simplify(&problem);
        let fixed = [("k", true), ("r", true), ("t", false)].map(|(name, value)| (name.to_owned(), value));
        assert_eq!(left.fixed, fixed);
        assert_eq!(left.problem.inputs, ["s"]);
        assert_eq!(left.problem.outputs, ["g", "h"]);
    }
}
