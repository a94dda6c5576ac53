//! Judging a refutation: that no state of any system satisfies a formula.
//!
//! For every set of duties all ways to meet them are gone through here, disjunction by disjunction, and each must be contradictory in itself or have a reply: a modality of the way is picked, and for every action
//! that it allows there is a set that the successor's duties contain. What remains is that every infinite sequence of sets has a trace whose outermost fixpoint seen again and again is a least
//! one. That is decided as the termination of programs by size changes is (Lee, Jones, Ben-Amram 2001; for parities Dax, Hofmann, Lange 2006): the relations between duties along
//! paths are composed until there are no new ones; by Ramsey's theorem it is enough that every relation from a set to itself which is its own square has a duty that leads to itself by an
//! odd priority. No automaton is made deterministic. The relations may be exponentially many; beyond `MOST_RELATIONS` the refutation is left unchecked.

use crate::formula::{Numbered, numbered};
use entail_answer::CheckReport;
use entail_budget::Budget;
use entail_game::{FormulaRefutation, RefutedSet, Reply};
use entail_logic::mu::{Action, Fixpoint, Modality, Mu, MuNode};
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// So many relations are composed at most.
const MOST_RELATIONS: usize = 200_000;

/// Between duties: from, to, and the highest priority on the way.
type Relation = BTreeSet<(u32, u32, u32)>;

/// Whether a refutation proves that a formula without free variables has no model.
pub fn check(formula: &Mu<String>, refutation: &FormulaRefutation, budget: &Budget) -> CheckReport {
    let Some(nodes) = numbered(formula) else {
        return CheckReport::rejected("the formula has free variables");
    };
    let judge = Judge {
        deepest: nodes.iter().map(|node| node.depth).max().unwrap_or(0),
        actions: named(&nodes),
        nodes,
        refutation,
        budget,
    };
    match judge
        .edges()
        .and_then(|edges| judge.every_path_has_a_bad_trace(edges))
    {
        Ok(()) => CheckReport::Accepted,
        Err(report) => report,
    }
}

/// The actions that a formula names.
fn named(nodes: &[Numbered<'_>]) -> Vec<Action> {
    let mut names: Vec<Action> = Vec::new();
    for node in nodes {
        if let MuNode::Modal(_, actions, _) = node.node {
            names.extend_from_slice(actions.names());
        }
    }
    names.sort();
    names.dedup();
    names
}

/// A way to meet duties: what each disjunction comes down to.
type Choices = BTreeMap<u32, u32>;

struct Judge<'a> {
    nodes: Vec<Numbered<'a>>,
    deepest: u32,
    actions: Vec<Action>,
    refutation: &'a FormulaRefutation,
    budget: &'a Budget,
}

impl Judge<'_> {
    /// The priority of passing a node.
    fn priority(&self, node: u32) -> u32 {
        let numbered = &self.nodes[node as usize];
        match numbered.node {
            MuNode::Fixpoint(kind, ..) => {
                2 * (self.deepest - numbered.depth) + 2 + u32::from(*kind == Fixpoint::Least)
            }
            _ => 0,
        }
    }

    fn allows(&self, modality: u32, action: usize) -> bool {
        match (self.nodes[modality as usize].node, self.actions.get(action)) {
            (MuNode::Modal(_, actions, _), Some(name)) => actions.contains(name),
            // An action that no modality names is in the sets that leave some out.
            (MuNode::Modal(_, actions, _), None) => actions.is_complement(),
            _ => false,
        }
    }

    /// The steps between the sets of the refutation, each with how the duties are related. An error if a way has no reply.
    fn edges(&self) -> Result<Vec<(u32, u32, Relation)>, CheckReport> {
        let reject = |what: String| Err(CheckReport::rejected(what));
        let sets = &self.refutation.sets;
        match sets.first() {
            Some(first) if first.duties == [0] => {}
            _ => return reject("it does not begin with the whole formula".to_owned()),
        }
        let mut edges = Vec::new();
        for (number, set) in sets.iter().enumerate() {
            if set.duties.iter().any(|&duty| duty as usize >= self.nodes.len()) {
                return reject(format!("set {number} has a duty that is no part of the formula"));
            }
            // Choices are made for the first disjunction that has none, until there is no such.
            let mut waiting = vec![Choices::new()];
            while let Some(choices) = waiting.pop() {
                if let Err(spent) = self.budget.check() {
                    return Err(CheckReport::unchecked(format!(
                        "the ways of set {number} ({spent})"
                    )));
                }
                let paths = self.paths(set, &choices);
                let undecided = (paths.keys().map(|&(_, to)| to)).find(|to| {
                    matches!(self.nodes[*to as usize].node, MuNode::Or(_)) && !choices.contains_key(to)
                });
                if let Some(undecided) = undecided {
                    for &operand in &self.nodes[undecided as usize].operands {
                        let mut more = choices.clone();
                        more.insert(undecided, operand);
                        waiting.push(more);
                    }
                    continue;
                }
                if self.is_contradictory(&paths) {
                    continue;
                }
                let answered = set
                    .replies
                    .iter()
                    .find_map(|reply| self.answer(&paths, set, reply));
                match answered {
                    Some(next) => edges.extend(
                        next.into_iter()
                            .map(|(to, relation)| (number as u32, to, relation)),
                    ),
                    None => {
                        return reject(format!(
                            "there is a way to meet the duties of set {number} without a reply"
                        ));
                    }
                }
            }
        }
        Ok(edges)
    }

    /// How duties and what they come down to are connected without a step: for each pair the fixpoints that can be outermost in between, both ends included.
    fn paths(&self, set: &RefutedSet, choices: &Choices) -> BTreeMap<(u32, u32), BTreeSet<u32>> {
        let mut paths: BTreeMap<(u32, u32), BTreeSet<u32>> = BTreeMap::new();
        // A node stands for itself as the outermost fixpoint even if it is none; then its priority is 0.
        let mut waiting: Vec<(u32, u32, u32)> = set.duties.iter().map(|&duty| (duty, duty, duty)).collect();
        while let Some((from, to, outermost)) = waiting.pop() {
            if !paths.entry((from, to)).or_default().insert(outermost) {
                continue;
            }
            let node = &self.nodes[to as usize];
            let next: Vec<u32> = match node.node {
                MuNode::Or(_) => choices.get(&to).copied().into_iter().collect(),
                MuNode::Variable(_) => node.binder.into_iter().collect(),
                MuNode::And(_) | MuNode::Fixpoint(..) => node.operands.clone(),
                _ => Vec::new(),
            };
            for next in next {
                let further = match self.priority(next) > self.priority(outermost) {
                    true => next,
                    false => outermost,
                };
                waiting.push((from, next, further));
                // What is come to is connected with itself, for cycles.
                waiting.push((next, next, next));
            }
        }
        paths
    }

    /// Whether literals contradict each other, or a least fixpoint is gone round for ever.
    fn is_contradictory(&self, paths: &BTreeMap<(u32, u32), BTreeSet<u32>>) -> bool {
        let mut literals: BTreeMap<&str, bool> = BTreeMap::new();
        for &(_, to) in paths.keys() {
            match self.nodes[to as usize].node {
                MuNode::Constant(false) => return true,
                MuNode::Literal(name, positive) => {
                    let known = *literals.entry(name).or_insert(*positive);
                    if known != *positive {
                        return true;
                    }
                }
                // Back at a fixpoint from one of its variables, and nothing further out in between.
                MuNode::Variable(_) => {
                    let binder = self.nodes[to as usize].binder.unwrap_or(to);
                    let is_least = matches!(
                        self.nodes[binder as usize].node,
                        MuNode::Fixpoint(Fixpoint::Least, ..)
                    );
                    let round = paths
                        .get(&(binder, to))
                        .is_some_and(|outermost| outermost.contains(&binder));
                    if is_least && round {
                        return true;
                    }
                }
                _ => {}
            }
        }
        false
    }

    /// Where a reply leads in a way, if it fits.
    fn answer(
        &self,
        paths: &BTreeMap<(u32, u32), BTreeSet<u32>>,
        set: &RefutedSet,
        reply: &Reply,
    ) -> Option<Vec<(u32, Relation)>> {
        let has = |&(from, to, outermost): &(u32, u32, Option<u32>)| {
            (paths.get(&(from, to))).is_some_and(|known| match outermost {
                Some(fixpoint) => known.contains(&fixpoint),
                None => known.iter().any(|&node| self.priority(node) == 0),
            })
        };
        let picked = self.nodes.get(reply.picked as usize)?;
        let reached = |modality: u32| paths.keys().any(|&(_, to)| to == modality);
        if !matches!(picked.node, MuNode::Modal(Modality::Some, ..)) || !reached(reply.picked) {
            return None;
        }
        if !reply.traces.iter().all(has) {
            return None;
        }
        let mut next = Vec::new();
        for action in 0..=self.actions.len() {
            if !self.allows(reply.picked, action) {
                continue;
            }
            let to = reply.next.iter().find(|(known, _)| *known as usize == action)?.1;
            let wanted = &self.refutation.sets.get(to as usize)?.duties;
            let mut relation = Relation::new();
            for (&(from, modality), outermost) in paths {
                let MuNode::Modal(kind, ..) = self.nodes[modality as usize].node else {
                    continue;
                };
                let followed =
                    modality == reply.picked || (*kind == Modality::Every && self.allows(modality, action));
                let operand = self.nodes[modality as usize].operands[0];
                if followed && set.duties.contains(&from) && wanted.contains(&operand) {
                    relation.extend(outermost.iter().map(|&node| (from, operand, self.priority(node))));
                }
            }
            let met = |duty: &u32| relation.iter().any(|(_, to, _)| to == duty);
            if !wanted.iter().all(met) {
                return None;
            }
            next.push((to, relation));
        }
        Some(next)
    }

    /// Whether every infinite path has a trace that passes a least fixpoint again and again, and no fixpoint around it.
    fn every_path_has_a_bad_trace(&self, edges: Vec<(u32, u32, Relation)>) -> Result<(), CheckReport> {
        let mut known: HashSet<(u32, u32, Relation)> = edges.iter().cloned().collect();
        let steps: Vec<(u32, u32, Relation)> = known.iter().cloned().collect();
        let mut waiting = steps.clone();
        while let Some((from, middle, first)) = waiting.pop() {
            if let Err(spent) = self.budget.check() {
                return Err(CheckReport::unchecked(format!(
                    "that all its traces are bad ({spent})"
                )));
            }
            if known.len() > MOST_RELATIONS {
                return Err(CheckReport::unchecked(
                    "that all its traces are bad: they are too many",
                ));
            }
            if from == middle && composed(&first, &first) == first {
                let is_bad =
                    |&(one, other, priority): &(u32, u32, u32)| one == other && !priority.is_multiple_of(2);
                if !first.iter().any(is_bad) {
                    return Err(CheckReport::rejected(format!(
                        "set {from} can come again and again without passing a least fixpoint for ever"
                    )));
                }
            }
            for (_, to, second) in steps.iter().filter(|(start, ..)| *start == middle) {
                let longer = (from, *to, composed(&first, second));
                if known.insert(longer.clone()) {
                    waiting.push(longer);
                }
            }
        }
        Ok(())
    }
}

/// One relation after the other.
fn composed(first: &Relation, second: &Relation) -> Relation {
    let mut result = Relation::new();
    for &(from, middle, before) in first {
        for &(_, to, after) in second.range((middle, 0, 0)..=(middle, u32::MAX, u32::MAX)) {
            result.insert((from, to, before.max(after)));
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use entail_logic::mu::parse_mu;

    /// `(mu X. [a]X) & (nu Y. <a>Y)`: nodes 0 and, 1 mu, 2 box, 3 X, 4 nu, 5 diamond, 6 Y.
    fn endless_and_finite() -> (Mu<String>, FormulaRefutation) {
        let formula = parse_mu("(mu X. [a]X) & (nu Y. <a>Y)").expect("a formula");
        let reply = |duties: Vec<u32>, traces| RefutedSet {
            duties,
            replies: vec![Reply {
                traces,
                picked: 5,
                next: vec![(0, 1)],
            }],
        };
        let first = reply(vec![0], vec![(0, 2, Some(1)), (0, 5, Some(4))]);
        let again = reply(vec![3, 6], vec![(3, 2, Some(1)), (6, 5, Some(4))]);
        let refutation = FormulaRefutation {
            sets: vec![first, again],
        };
        (formula, refutation)
    }

    #[test]
    fn no_state_has_only_finite_paths_and_an_infinite_one() {
        let (formula, refutation) = endless_and_finite();
        assert_eq!(
            check(&formula, &refutation, &Budget::unlimited()),
            CheckReport::Accepted
        );
    }

    #[test]
    fn a_refutation_of_a_satisfiable_formula_is_rejected() {
        let (_, refutation) = endless_and_finite();
        for text in [
            "(nu X. [a]X) & (nu Y. <a>Y)",
            "(mu X. [b]X) & (nu Y. <a>Y)",
            "(mu X. [a]X) | (nu Y. <a>Y)",
        ] {
            let formula = parse_mu(text).expect("a formula");
            let report = check(&formula, &refutation, &Budget::unlimited());
            assert!(matches!(report, CheckReport::Rejected { .. }), "{text}: {report}");
        }
    }
}
