//! The handbook's systems: mutual exclusion (chapter 13) and CCS (chapter 32).

use entail_budget::Budget;
use entail_equivalence::{Bisimulation, Partition, bisimulation};
use entail_model::{Kripke, KripkeBuilder, Lts, LtsBuilder, StateId};
use std::sync::Arc;

fn partition(lts: &Lts, relation: Bisimulation) -> Partition {
    bisimulation(lts, relation, &Budget::unlimited()).unwrap()
}

/// Chapter 13, example 1: two processes with a flag; states s1 to s8 are 0 to 7.
fn mutex() -> Kripke {
    let mut builder = KripkeBuilder::new(8);
    builder.edges([
        (0, 1),
        (0, 2),
        (1, 3),
        (1, 4),
        (2, 4),
        (2, 5),
        (3, 0),
        (3, 6),
        (4, 6),
        (4, 7),
        (5, 0),
        (5, 7),
        (6, 2),
        (7, 1),
    ]);
    builder.initial(StateId::new(0));
    let states = |list: &[u32]| list.iter().map(|&state| StateId::new(state)).collect::<Vec<_>>();
    builder.proposition("F0", states(&[0, 1, 2, 4]));
    builder.proposition("T1", states(&[1, 4, 7]));
    builder.build().unwrap()
}

fn observing(names: &[&str]) -> Lts {
    let names: Vec<Arc<str>> = names.iter().map(|&name| Arc::from(name)).collect();
    Lts::from_kripke(&mutex(), Some(&names)).unwrap()
}

#[test]
fn chapter_13_example_3_the_quotient_for_the_flag_has_five_classes() {
    let lts = observing(&["F0"]);
    let classes = partition(&lts, Bisimulation::Strong);
    assert_eq!(classes.blocks(), [0, 1, 1, 2, 3, 2, 4, 4]);
    let quotient = classes.quotient(&lts, Bisimulation::Strong).unwrap();
    let edges: Vec<(usize, usize)> = (quotient.transitions())
        .map(|step| (step.from.index(), step.to.index()))
        .collect();
    // a1→a2; a2→a3, a4; a3→a5; a4→a1, a5; a5→a2, with a3 = 3 and a4 = 2 here.
    assert_eq!(edges, [(0, 1), (1, 2), (1, 3), (2, 0), (2, 4), (3, 4), (4, 1)]);
}

#[test]
fn chapter_13_example_3_observing_one_process_too_leaves_all_states_apart() {
    let lts = observing(&["F0", "T1"]);
    let classes = partition(&lts, Bisimulation::Strong);
    assert_eq!(classes.block_count(), 8);
}

/// Terms as trees of (action, subterm); the states of several terms side by side, equal subterms shared.
struct Ccs {
    builder: LtsBuilder,
    known: Vec<(String, StateId)>,
}

impl Ccs {
    fn new() -> Ccs {
        Ccs {
            builder: LtsBuilder::new(0),
            known: Vec::new(),
        }
    }

    /// The state of a sum such as `a.b.0+tau.0`; parentheses may stand behind a dot.
    fn term(&mut self, text: &str) -> StateId {
        let text = text
            .strip_prefix('(')
            .and_then(|inner| inner.strip_suffix(')'))
            .unwrap_or(text);
        if let Some((_, state)) = self.known.iter().find(|(known, _)| known == text) {
            return *state;
        }
        let state = self.builder.add_state();
        self.known.push((text.to_owned(), state));
        if text != "0" {
            let mut depth = 0;
            for summand in text.split(|c: char| {
                depth += i32::from(c == '(') - i32::from(c == ')');
                c == '+' && depth == 0
            }) {
                let (action, rest) = summand.split_once('.').expect("an action prefix");
                let action = self.builder.action(action);
                let to = self.term(rest);
                self.builder.transition(state, action, to);
            }
        }
        state
    }
}

/// Whether two terms are equivalent.
fn equivalent(left: &str, right: &str, relation: Bisimulation) -> bool {
    let mut ccs = Ccs::new();
    let (left, right) = (ccs.term(left), ccs.term(right));
    partition(&ccs.builder.build().unwrap(), relation).same(left, right)
}

#[test]
fn chapter_32_items_1_and_2_choice_is_idempotent_but_does_not_distribute() {
    assert!(equivalent("a.b.0+a.b.0", "a.b.0", Bisimulation::Strong));
    for relation in Bisimulation::ALL {
        assert!(!equivalent("a.(b.0+c.0)", "a.b.0+a.c.0", relation), "{relation}");
    }
}

#[test]
fn chapter_32_items_3_and_4_hidden_steps() {
    assert!(!equivalent("a.tau.b.0", "a.b.0", Bisimulation::Strong));
    for relation in &Bisimulation::ALL[1..] {
        assert!(equivalent("a.tau.b.0", "a.b.0", *relation), "{relation}");
        assert!(equivalent("tau.a.0", "a.0", *relation), "{relation}");
        assert!(!equivalent("tau.a.0+b.0", "a.0+b.0", *relation), "{relation}");
    }
}

#[test]
fn weak_is_coarser_than_branching() {
    // The third law of tau: a.(P + tau.Q) + a.Q = a.(P + tau.Q).
    let (left, right) = ("a.(b.0+tau.c.0)+a.c.0", "a.(b.0+tau.c.0)");
    assert!(equivalent(left, right, Bisimulation::Weak));
    assert!(equivalent(left, right, Bisimulation::DivergenceWeak));
    assert!(!equivalent(left, right, Bisimulation::Branching));
}

#[test]
fn chapter_32_item_9_six_terms_in_six_blocks() {
    let mut ccs = Ccs::new();
    for term in ["a.(b.0+c.0)", "a.b.0+a.c.0"] {
        ccs.term(term);
    }
    let lts = ccs.builder.build().unwrap();
    assert_eq!(lts.state_count(), 6);
    assert_eq!(partition(&lts, Bisimulation::Strong).block_count(), 6);
}

#[test]
fn stuttering_that_goes_on_for_ever_is_seen_or_not() {
    // p p p … against p, end: blind to divergence they are the same.
    let mut builder = KripkeBuilder::new(3);
    builder.edges([(0, 0), (1, 2)]);
    builder.initial(StateId::new(0)).initial(StateId::new(1));
    builder.proposition("p", (0..3).map(StateId::new));
    let lts = Lts::from_kripke(&builder.build().unwrap(), None).unwrap();
    assert_eq!(partition(&lts, Bisimulation::Branching).block_count(), 1);
    assert_eq!(
        partition(&lts, Bisimulation::DivergenceBranching).blocks(),
        [0, 1, 1]
    );
}
