//! Independent problems inside of one (Finkbeiner, Geier, Passing, *Specification Decomposition for Reactive Synthesis*, 2021).
//!
//! `A -> (G₁ & G₂)` is `(A -> G₁) & (A -> G₂)`, and a conjunction of formulas without common outputs is realizable iff each of them is: their machines run side by
//! side, and an environment that wins against one of them wins against all. Assumptions with outputs tie everything together that they are assumed for. The
//! formula of the problems' conjunction is equivalent to the one that was given.

use crate::problem::{Goal, Problem};
use entail_logic::{Formula, Node, Unary};

/// Conjunctions are not multiplied out to more formulas than this.
const MOST: usize = 2_000;

/// The problems, at least one; together they have all outputs that matter.
pub fn decompose(problem: &Problem) -> Vec<Problem> {
    let Goal::Formula(formula) = &problem.goal else {
        return vec![problem.clone()];
    };
    let mut conjuncts = Vec::new();
    split(formula, &mut Vec::new(), &mut conjuncts);
    if conjuncts.len() <= 1 || conjuncts.len() > MOST {
        return vec![problem.clone()];
    }
    // Groups of conjuncts that share outputs, by union of their numbers.
    let mut group: Vec<usize> = (0..conjuncts.len()).collect();
    let mut owner: Vec<Option<usize>> = vec![None; problem.outputs.len()];
    let outputs: rustc_hash::FxHashMap<&str, usize> = (problem.outputs.iter().enumerate())
        .map(|(at, name)| (name.as_str(), at))
        .collect();
    let mut used: Vec<Vec<usize>> = Vec::with_capacity(conjuncts.len());
    for conjunct in &conjuncts {
        let mut own = Vec::new();
        let mut note = |formula: &Formula<String>| {
            formula.for_each_atom(&mut |name: &String| own.extend(outputs.get(name.as_str())));
        };
        conjunct.assumed.iter().for_each(&mut note);
        note(&conjunct.wanted);
        own.sort_unstable();
        own.dedup();
        used.push(own);
    }
    for (at, own) in used.iter().enumerate() {
        for &output in own {
            match owner[output] {
                None => owner[output] = Some(at),
                Some(other) => {
                    let (one, other) = (find(&mut group, at), find(&mut group, other));
                    group[one.max(other)] = one.min(other);
                }
            }
        }
    }
    let mut problems: Vec<(usize, Vec<usize>)> = Vec::new();
    for at in 0..conjuncts.len() {
        let root = find(&mut group, at);
        match problems.iter_mut().find(|(known, _)| *known == root) {
            Some((_, members)) => members.push(at),
            None => problems.push((root, vec![at])),
        }
    }
    if problems.len() <= 1 {
        return vec![problem.clone()];
    }
    let made = problems.iter().map(|(_, members)| {
        let mut own: Vec<usize> = members.iter().flat_map(|&at| used[at].iter().copied()).collect();
        own.sort_unstable();
        own.dedup();
        Problem {
            goal: Goal::Formula(together(members.iter().map(|&at| &conjuncts[at]))),
            inputs: problem.inputs.clone(),
            outputs: own.iter().map(|&at| problem.outputs[at].clone()).collect(),
            first: problem.first,
        }
    });
    made.collect()
}

fn find(group: &mut [usize], mut at: usize) -> usize {
    while group[at] != at {
        group[at] = group[group[at]];
        at = group[at];
    }
    at
}

/// Something wanted, under assumptions.
struct Conjunct {
    assumed: Vec<Formula<String>>,
    wanted: Formula<String>,
}

/// Assumptions, and all that is wanted under them.
type Shared<'a> = (&'a [Formula<String>], Vec<Formula<String>>);

/// Conjuncts as one formula; those with the same assumptions share them.
fn together<'a>(conjuncts: impl Iterator<Item = &'a Conjunct>) -> Formula<String> {
    let mut shared: Vec<Shared<'a>> = Vec::new();
    for conjunct in conjuncts {
        match shared
            .iter_mut()
            .find(|(known, _)| *known == &conjunct.assumed[..])
        {
            Some((_, wanted)) => wanted.push(conjunct.wanted.clone()),
            None => shared.push((&conjunct.assumed, vec![conjunct.wanted.clone()])),
        }
    }
    Formula::and(shared.into_iter().map(|(assumed, wanted)| {
        let wanted = Formula::and(wanted);
        assumed
            .iter()
            .rev()
            .fold(wanted, |wanted, one| one.implies(&wanted))
    }))
}

/// Formulas whose conjunction a formula is: conjunctions are taken out of `G`, `X` and of what is implied.
fn apart(formula: &Formula<String>) -> Vec<Formula<String>> {
    stacker::maybe_grow(64 << 10, 1 << 20, || match formula.node() {
        Node::And(list) => list.iter().flat_map(apart).collect(),
        Node::Implies(left, right) => apart(right).iter().map(|one| left.implies(one)).collect(),
        Node::Unary(operator @ (Unary::Globally | Unary::Next), interval, inner) => {
            let within = |one: &Formula<String>| Formula::unary_within(*operator, *interval, one);
            apart(inner).iter().map(within).collect()
        }
        _ => vec![formula.clone()],
    })
}

/// The conjuncts of a formula under assumptions.
fn split(formula: &Formula<String>, assumed: &mut Vec<Formula<String>>, found: &mut Vec<Conjunct>) {
    if found.len() > MOST {
        return;
    }
    match formula.node() {
        Node::And(list) => list.iter().for_each(|one| split(one, assumed, found)),
        Node::Implies(left, right) => {
            assumed.push(left.clone());
            split(right, assumed, found);
            assumed.pop();
        }
        Node::Unary(Unary::Globally, ..) => {
            for one in apart(formula) {
                push(&one, assumed, found);
            }
        }
        _ => push(formula, assumed, found),
    }
}

fn push(formula: &Formula<String>, assumed: &[Formula<String>], found: &mut Vec<Conjunct>) {
    found.push(Conjunct {
        assumed: assumed.to_vec(),
        wanted: formula.clone(),
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use entail_automata::ltl::syntax::parse_any;
    use entail_game::FirstMover;

    fn parts(text: &str, outputs: &[&str]) -> Vec<(String, Vec<String>)> {
        let problem = Problem {
            goal: Goal::Formula(parse_any(text).expect("a formula")),
            inputs: vec!["r".into(), "s".into()],
            outputs: outputs.iter().map(|name| name.to_string()).collect(),
            first: FirstMover::Environment,
        };
        let parts = decompose(&problem).into_iter();
        parts
            .map(|part| match part.goal {
                Goal::Formula(formula) => (formula.to_string(), part.outputs),
                Goal::Automaton(_) => (String::new(), part.outputs),
            })
            .collect()
    }

    #[test]
    fn guarantees_without_common_outputs_are_separate_problems() {
        let found = parts("G F r -> (G (r -> F g) & G (s -> F h))", &["g", "h"]);
        assert_eq!(found.len(), 2, "{found:?}");
        assert_eq!(found[0].1, ["g"]);
        assert_eq!(found[1].0, "G F r -> G (s -> F h)");
    }

    #[test]
    fn common_outputs_keep_guarantees_together_also_in_assumptions() {
        assert_eq!(
            parts("G (r -> F g) & G (s -> F h) & G !(g & h)", &["g", "h"]).len(),
            1
        );
        assert_eq!(
            parts("G F (r & g) -> (G (r -> F g) & G (s -> F h))", &["g", "h"]).len(),
            1
        );
        assert_eq!(parts("G ((r -> g) & (s -> h))", &["g", "h"]).len(), 2);
    }
}
