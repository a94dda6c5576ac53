//! Inclusion at whole times.
//!
//! If the first network compares clocks by `≤`, `≥` and `==` only, then with each of its words it has one in which every time is rounded up or down, all by the same rule; if the second compares them by `<` and `>` only, then it has each word that it has when
//! it is rounded so (Henzinger, Manna, Pnueli 1992; Ouaknine, Worrell 2003). So words at whole times are enough: a clock is a whole number, up to one more than the largest constant, and the states that the second can be in after a word are a
//! finite set. The search always ends; there may be exponentially many sets, and as many as constants are large.

use super::inclusion::{NamedStep, Names, Side};
use super::{Refusal, Related};
use entail_budget::Budget;
use entail_clocks::discrete::{ClockConstraint, ClockUpdate};
use entail_clocks::evidence::{Run, Step, Time};
use entail_clocks::pairs::{Correspondence, WholeState, WholeWord};
use entail_clocks::{EdgeId, Rational};
use hashbrown::HashMap;
use std::collections::{BTreeSet, VecDeque};

/// A state with whole clock values, the reference clock first.
type Whole = (usize, Vec<i64>);

struct Node {
    first: Whole,
    second: BTreeSet<Whole>,
    /// The node it comes from, and the edges of the step, or nothing for a unit of time.
    parent: Option<(usize, Option<Vec<EdgeId>>)>,
    is_kept: bool,
}

struct Search<'n> {
    sides: [Side<'n>; 2],
    names: Names,
    most: i64,
    nodes: Vec<Node>,
    kept: HashMap<Whole, Vec<usize>>,
    waiting: VecDeque<usize>,
}

/// Whether constraints hold; nothing if one is not of the kind that whole times are enough for: strict ones are those of the second network.
fn hold(all: &[ClockConstraint], clocks: &[i64], is_second: bool) -> Option<bool> {
    let mut holds = true;
    for one in all {
        if one.strict != is_second {
            return None;
        }
        let difference = clocks[one.left] - clocks[one.right];
        holds &= difference < one.bound || (difference == one.bound && !one.strict);
    }
    Some(holds)
}

/// Decides inclusion at whole times, where that is enough; otherwise says why other ways did not do.
pub(super) fn decide(
    sides: [Side<'_>; 2],
    names: Names,
    reason: &str,
    budget: &Budget,
) -> Result<Related, Refusal> {
    let most = sides.iter().map(|side| i64::from(side.constants.most())).max();
    let mut search = Search {
        sides,
        names,
        most: most.unwrap_or(0),
        nodes: Vec::new(),
        kept: HashMap::new(),
        waiting: VecDeque::new(),
    };
    let correspondence = search.run(budget)?;
    match correspondence {
        Some(correspondence) => Ok(Related {
            correspondence,
            zones: search.nodes.len(),
        }),
        None => Err(Refusal::Spent(reason.to_owned())),
    }
}

impl Search<'_> {
    /// What was found; nothing if whole times are not enough.
    fn run(&mut self, budget: &Budget) -> Result<Option<Correspondence>, Refusal> {
        let zeros = |side: &Side<'_>| vec![0; side.network.dimension()];
        let second: BTreeSet<Whole> = (self.sides[1].starts()?.into_iter())
            .map(|state| (state, zeros(&self.sides[1])))
            .collect();
        for first in self.sides[0].starts()? {
            if second.is_empty() {
                let run = Run {
                    first: self.discrete(0, first).locations,
                    steps: Vec::new(),
                    rest: Time(Rational::ZERO),
                };
                return Ok(Some(Correspondence::Excluded { run }));
            }
            let first = (first, zeros(&self.sides[0]));
            self.add(first, second.clone(), None);
        }
        while let Some(node) = self.waiting.pop_front() {
            budget.check()?;
            if !self.nodes[node].is_kept {
                continue;
            }
            let Some(next) = self.next(node)? else {
                return Ok(None);
            };
            for (edges, first, second) in next {
                if second.is_empty() && edges.is_some() {
                    let run = self.word(node, edges);
                    return Ok(Some(Correspondence::Excluded { run }));
                }
                self.add(first, second, Some((node, edges)));
            }
        }
        let most = self.most;
        let words = self.words();
        Ok(Some(Correspondence::Digitized { most, words }))
    }

    /// Adds a node, unless another has a subset of its states.
    fn add(&mut self, first: Whole, second: BTreeSet<Whole>, parent: Option<(usize, Option<Vec<EdgeId>>)>) {
        let number = self.nodes.len();
        let kept = self.kept.entry(first.clone()).or_default();
        if kept
            .iter()
            .any(|&known| self.nodes[known].second.is_subset(&second))
        {
            return;
        }
        for &known in kept.iter() {
            self.nodes[known].is_kept &= !second.is_subset(&self.nodes[known].second);
        }
        kept.retain(|&known| self.nodes[known].is_kept);
        kept.push(number);
        self.nodes.push(Node {
            first,
            second,
            parent,
            is_kept: true,
        });
        self.waiting.push_back(number);
    }

    /// What a unit of time and steps of the first lead to; nothing if whole times are not enough.
    fn next(&mut self, node: usize) -> Result<Option<Vec<Next>>, Refusal> {
        let first = self.nodes[node].first.clone();
        let second: Vec<Whole> = self.nodes[node].second.iter().cloned().collect();
        let mut found = Vec::new();
        let is_patient = |(state, _): &Whole| self.sides[1].states[*state].may_delay;
        if !second.iter().all(is_patient) {
            return Ok(None);
        }
        match self.later(0, &first) {
            None => return Ok(None),
            Some(None) => {}
            Some(Some(first)) => {
                let mut left = BTreeSet::new();
                for one in &second {
                    match self.later(1, one) {
                        None => return Ok(None),
                        Some(later) => left.extend(later),
                    }
                }
                found.push((None, first, left));
            }
        }
        let steps = self.sides[0].steps(first.0, &mut self.names)?;
        for step in steps.iter() {
            let Some(next) = self.after(0, step, &first)? else {
                return Ok(None);
            };
            let Some(next) = next else { continue };
            let mut left = BTreeSet::new();
            for one in &second {
                let answers = self.sides[1].steps(one.0, &mut self.names)?;
                for answer in answers.iter().filter(|answer| answer.name == step.name) {
                    let Some(after) = self.after(1, answer, one)? else {
                        return Ok(None);
                    };
                    left.extend(after);
                }
            }
            found.push((Some(step.edges.clone()), next, left));
        }
        Ok(Some(found))
    }

    /// A state a unit later, if it can wait so long; nothing if whole times are not enough.
    fn later(&self, side: usize, (state, clocks): &Whole) -> Option<Option<Whole>> {
        let known = &self.sides[side].states[*state];
        let mut later = clocks.clone();
        later[1..]
            .iter_mut()
            .for_each(|clock| *clock = (*clock + 1).min(self.most + 1));
        let holds = hold(&known.invariant, &later, side == 1)?;
        Some((known.may_delay && holds).then_some((*state, later)))
    }

    /// A state after a step, if it can be taken; nothing if whole times are not enough.
    fn after(
        &self,
        side: usize,
        step: &NamedStep,
        (_, clocks): &Whole,
    ) -> Result<Option<Option<Whole>>, Refusal> {
        let Some(is_able) = hold(&step.guard, clocks, side == 1) else {
            return Ok(None);
        };
        let mut next = clocks.clone();
        for ClockUpdate {
            target,
            source,
            offset,
        } in &step.updates
        {
            if *source != 0 || *offset < 0 {
                return Ok(None);
            }
            next[*target] = (*offset).min(self.most + 1);
        }
        let Some(enters) = hold(&step.entering, &next, side == 1) else {
            return Ok(None);
        };
        if !is_able || !enters {
            return Ok(Some(None));
        }
        let target = step
            .target
            .map_err(|trouble| Refusal::Model(side == 1, trouble))?;
        Ok(Some(Some((target, next))))
    }

    /// The run to a node, and one more step.
    fn word(&self, node: usize, last: Option<Vec<EdgeId>>) -> Run {
        let mut moves = vec![last];
        let mut at = node;
        while let Some((parent, edges)) = &self.nodes[at].parent {
            moves.push(edges.clone());
            at = *parent;
        }
        let mut run = Run {
            first: self.discrete(0, self.nodes[at].first.0).locations,
            steps: Vec::new(),
            rest: Time(Rational::ZERO),
        };
        let mut waited = 0;
        for edges in moves.into_iter().rev() {
            match edges {
                None => waited += 1,
                Some(edges) => {
                    let delay = Time(Rational::from(std::mem::take(&mut waited)));
                    run.steps.push(Step { delay, edges });
                }
            }
        }
        run
    }

    fn discrete(&self, side: usize, state: usize) -> entail_clocks::discrete::Discrete {
        let known = self.sides[side].states.get_index(state);
        known.expect("a known state").0.clone()
    }

    fn words(&self) -> Vec<WholeWord> {
        let whole = |side: usize, (state, clocks): &Whole| WholeState {
            discrete: self.discrete(side, *state),
            clocks: clocks[1..].to_vec(),
        };
        let kept = self.nodes.iter().filter(|node| node.is_kept);
        let word = |node: &Node| WholeWord {
            first: whole(0, &node.first),
            second: node.second.iter().map(|one| whole(1, one)).collect(),
        };
        kept.map(word).collect()
    }
}

/// The edges of a step, or nothing for a unit of time, and what they lead to.
type Next = (Option<Vec<EdgeId>>, Whole, BTreeSet<Whole>);
