//! Evidence that was changed is rejected.

use crate::reference;
use entail_budget::Budget;
use entail_equivalence::compare;
use entail_evidence::equivalence::{
    Comparison, Hml, HmlGraph, HmlNode, Related, Relation, RelationQuery, Unrelated,
};
use entail_model::{Lts, StateId};
use entail_relations_checker::check_comparison;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use reference::{pairs, random_lts, random_shape, related};

/// Two systems and an answer about them.
struct Case {
    first: Lts,
    second: Lts,
    question: RelationQuery,
    comparison: Comparison,
}

impl Case {
    fn accepts(&self, question: RelationQuery, changed: &Comparison) -> bool {
        check_comparison(&self.first, &self.second, question, changed, &Budget::unlimited()).is_ok()
    }

    fn must_reject(&self, changed: &Comparison, why: &str) {
        assert!(
            !self.accepts(self.question, changed),
            "{why}: {:?}\n{changed:?}\n{:?}\n{:?}",
            self.question,
            self.first,
            self.second
        );
    }
}

fn negated(formula: &Hml) -> Hml {
    let mut graph = HmlGraph::new();
    let of = graph.adopt(formula);
    let root = graph.add(HmlNode::Not { of });
    graph.extract(root)
}

/// A pair of blocks of which the first is not at most the second.
fn wrong_pair(case: &Case, relation: Relation, blocks: &[u32]) -> Option<(u32, u32)> {
    let both = case.first.beside(&case.second).unwrap();
    let n = both.state_count();
    let holds = pairs(&both, relation);
    let at = |s: usize, t: usize| (blocks[s], blocks[t]);
    (0..n * n)
        .find(|&place| !holds[place])
        .map(|place| at(place / n, place % n))
}

#[test]
fn changed_evidence_is_rejected() {
    let mut random = StdRng::seed_from_u64(21);
    let mut changes = 0;
    for _ in 0..700 {
        let shape = random_shape(&mut random);
        let (first, second) = (random_lts(&mut random, shape), random_lts(&mut random, shape));
        for relation in Relation::ALL {
            let question = match random.random_range(0..2) {
                0 => RelationQuery::preorder(relation),
                _ => RelationQuery::equivalence(relation),
            };
            let comparison = compare(&first, &second, question, &Budget::unlimited()).unwrap();
            let case = Case {
                first: first.clone(),
                second: second.clone(),
                question,
                comparison,
            };
            changes += change(&case, &mut random);
        }
    }
    assert!(changes > 5_000, "{changes}");
}

/// Tries changes that make the evidence wrong; says how many.
fn change(case: &Case, random: &mut StdRng) -> usize {
    let before = |side| Comparison::Unrelated(side);
    match &case.comparison {
        Comparison::Related(Related::Partition(blocks)) => {
            let (from, to) = (
                random.random_range(0..blocks.len()),
                random.random_range(0..blocks.len()),
            );
            if blocks[from] == blocks[to] {
                return 0;
            }
            // The partition is the coarsest: no two blocks can be one.
            let merged = blocks
                .iter()
                .map(|&block| if block == blocks[from] { blocks[to] } else { block });
            let changed = Comparison::Related(Related::Partition(merged.collect()));
            case.must_reject(&changed, "merged blocks");
            let short = Comparison::Related(Related::Partition(blocks[1..].to_vec()));
            case.must_reject(&short, "a state without a block");
            2
        }
        Comparison::Related(Related::Simulation { blocks, pairs }) => {
            let mut count = 0;
            if let Some(wrong) = wrong_pair(case, case.question.relation, blocks) {
                let mut more = pairs.clone();
                more.push(wrong);
                let changed = Related::Simulation {
                    blocks: blocks.clone(),
                    pairs: more,
                };
                case.must_reject(&Comparison::Related(changed), "a wrong pair");
                count += 1;
            }
            let strong = RelationQuery::equivalence(Relation::Strong);
            let none = Related::Simulation {
                blocks: blocks.clone(),
                pairs: Vec::new(),
            };
            if !related(&case.first, &case.second, strong) && !pairs.is_empty() && case.question.both_ways {
                case.must_reject(&Comparison::Related(none), "no pairs");
                count += 1;
            }
            count
        }
        Comparison::Related(Related::Inclusion { blocks, pairs }) => {
            // What does not simulate may still have the traces; so only states that can do nothing are wrong for sure.
            let both = case.first.beside(&case.second).unwrap();
            let dead = |state: &StateId| both.steps(*state).next().is_none();
            let (Some(end), Some(live)) = (
                both.states().find(dead),
                both.states()
                    .find(|&state| both.steps(state).any(|(action, _)| action.index() > 0)),
            ) else {
                return 0;
            };
            if both.propositions(end) != both.propositions(live) {
                return 0;
            }
            let mut more = pairs.clone();
            more.push((blocks[live.index()], vec![blocks[end.index()]]));
            let changed = Related::Inclusion {
                blocks: blocks.clone(),
                pairs: more,
            };
            case.must_reject(&Comparison::Related(changed), "a wrong pair");
            let mut empty = pairs.clone();
            empty.push((blocks[live.index()], Vec::new()));
            let changed = Related::Inclusion {
                blocks: blocks.clone(),
                pairs: empty,
            };
            case.must_reject(&Comparison::Related(changed), "an empty set");
            2
        }
        Comparison::Unrelated(Unrelated::Formula { formula, holds_in }) => {
            let with = |formula: Hml, holds_in| before(Unrelated::Formula { formula, holds_in });
            case.must_reject(&with(formula.clone(), holds_in.other()), "the other side");
            case.must_reject(&with(negated(formula), *holds_in), "the negation");
            case.must_reject(&with(Hml::new(vec![HmlNode::True]).unwrap(), *holds_in), "true");
            let all = Comparison::Related(Related::Partition(vec![
                0;
                case.first.state_count()
                    + case.second.state_count()
            ]));
            case.must_reject(&all, "everything is the same");
            // A formula is evidence for its own relation and finer ones only.
            let traces = RelationQuery::equivalence(Relation::Trace);
            assert!(!case.accepts(traces, &case.comparison));
            5
        }
        Comparison::Unrelated(Unrelated::Trace { trace, of }) => {
            let with = |trace, of| before(Unrelated::Trace { trace, of });
            case.must_reject(&with(trace.clone(), of.other()), "the other side");
            let mut count = 1;
            if !trace.steps.is_empty() {
                // A shortest one: without the last step the other has it, too.
                let mut shorter = trace.clone();
                shorter.steps.pop();
                case.must_reject(&with(shorter, *of), "a shorter trace");
                let mut other = trace.clone();
                let last = other.steps.len() - 1;
                other.steps[last].action = "nothing of the kind".into();
                case.must_reject(&with(other, *of), "another action");
                count += 2;
            }
            count
        }
    }
}

#[test]
fn saved_evidence_is_read_as_it_was() {
    let mut random = StdRng::seed_from_u64(22);
    for _ in 0..200 {
        let shape = random_shape(&mut random);
        let (first, second) = (random_lts(&mut random, shape), random_lts(&mut random, shape));
        for relation in Relation::ALL {
            let question = RelationQuery::preorder(relation);
            let comparison = compare(&first, &second, question, &Budget::unlimited()).unwrap();
            let text = comparison.to_json(question).to_string();
            let read = Comparison::from_json(&serde_json::from_str(&text).unwrap());
            assert_eq!(read, Ok((question, comparison)));
        }
    }
}
