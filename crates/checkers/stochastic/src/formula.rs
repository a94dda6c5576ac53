//! Linear-time formulas over numbered sets, and the automata that they are said to be.
//!
//! A formula in negation normal form is expanded letter by letter into what must hold next and which untils were put off (Gerth et al. 1995).
//! An observer is right if no word is accepted by it and satisfies the negation, and none is rejected and satisfies the formula: both products
//! are searched for cycles on which the marks are as the acceptance condition wants and every until is fulfilled again and again.

use crate::components::strongly_connected;
use entail_budget::{Budget, Spent};
use entail_markov::Observer;
use std::collections::{BTreeSet, HashMap};

/// A formula over numbered sets.
#[derive(Clone, Debug)]
pub(crate) enum Linear {
    Set(usize),
    Not(Box<Linear>),
    And(Box<Linear>, Box<Linear>),
    Or(Box<Linear>, Box<Linear>),
    Iff(Box<Linear>, Box<Linear>),
    Next(Box<Linear>),
    Until(Box<Linear>, Box<Linear>),
    Release(Box<Linear>, Box<Linear>),
    True,
}

/// A formula in negation normal form; operands by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Node {
    True,
    False,
    In(usize, bool),
    And(u32, u32),
    Or(u32, u32),
    Next(u32),
    Until(u32, u32),
    Release(u32, u32),
}

#[derive(Default)]
struct Arena {
    nodes: Vec<Node>,
    numbers: HashMap<Node, u32>,
}

/// More edges than this are not searched.
const MOST_EDGES: usize = 3_000_000;

/// What comes of comparing an observer with a formula.
pub(crate) enum Comparison {
    Same,
    Different(&'static str),
    TooLarge,
}

impl Arena {
    fn make(&mut self, node: Node) -> u32 {
        *self.numbers.entry(node).or_insert_with(|| {
            self.nodes.push(node);
            (self.nodes.len() - 1) as u32
        })
    }

    /// The formula, or its negation, with negations at sets only.
    fn normal(&mut self, formula: &Linear, positive: bool) -> u32 {
        let node = match formula {
            Linear::True if positive => Node::True,
            Linear::True => Node::False,
            Linear::Set(set) => Node::In(*set, positive),
            Linear::Not(inner) => return self.normal(inner, !positive),
            Linear::And(a, b) | Linear::Or(a, b) => {
                let both = matches!(formula, Linear::And(..)) == positive;
                let (a, b) = (self.normal(a, positive), self.normal(b, positive));
                if both { Node::And(a, b) } else { Node::Or(a, b) }
            }
            Linear::Iff(a, b) => {
                let (a_yes, a_no) = (self.normal(a, true), self.normal(a, false));
                let (b_yes, b_no) = (self.normal(b, positive), self.normal(b, !positive));
                let (first, second) = (
                    self.make(Node::And(a_yes, b_yes)),
                    self.make(Node::And(a_no, b_no)),
                );
                Node::Or(first, second)
            }
            Linear::Next(inner) => Node::Next(self.normal(inner, positive)),
            Linear::Until(a, b) | Linear::Release(a, b) => {
                let until = matches!(formula, Linear::Until(..)) == positive;
                let (a, b) = (self.normal(a, positive), self.normal(b, positive));
                if until {
                    Node::Until(a, b)
                } else {
                    Node::Release(a, b)
                }
            }
        };
        self.make(node)
    }

    /// What must hold next for each way to fulfil `pending` with a letter, and which untils are put off.
    fn expand(&self, pending: &[u32], letter: usize, found: &mut Vec<(BTreeSet<u32>, BTreeSet<u32>)>) {
        let mut waiting = vec![(pending.to_vec(), BTreeSet::new(), BTreeSet::new())];
        while let Some((mut pending, mut next, mut put_off)) = waiting.pop() {
            let Some(formula) = pending.pop() else {
                found.push((next, put_off));
                continue;
            };
            match self.nodes[formula as usize] {
                Node::True => {}
                Node::False => continue,
                Node::In(set, wanted) => {
                    if (letter >> set & 1 == 1) != wanted {
                        continue;
                    }
                }
                Node::And(a, b) => pending.extend([a, b]),
                Node::Or(a, b) => {
                    let mut other = pending.clone();
                    other.push(b);
                    waiting.push((other, next.clone(), put_off.clone()));
                    pending.push(a);
                }
                Node::Next(inner) => {
                    next.insert(inner);
                }
                Node::Until(a, b) => {
                    let mut done = pending.clone();
                    done.push(b);
                    waiting.push((done, next.clone(), put_off.clone()));
                    pending.push(a);
                    next.insert(formula);
                    put_off.insert(formula);
                }
                Node::Release(a, b) => {
                    let mut done = pending.clone();
                    done.extend([a, b]);
                    waiting.push((done, next.clone(), put_off.clone()));
                    pending.push(b);
                    next.insert(formula);
                }
            }
            waiting.push((pending, next, put_off));
        }
    }
}

/// An edge of the product of an observer with a formula.
struct Edge {
    from: u32,
    to: u32,
    marks: u64,
    put_off: u64,
    /// The observer has no run any more.
    lost: bool,
}

/// Whether an observer accepts exactly the words that satisfy a formula.
pub(crate) fn compare(observer: &Observer, formula: &Linear, budget: &Budget) -> Result<Comparison, Spent> {
    if !is_well_formed(observer) {
        return Ok(Comparison::Different("the automaton is malformed"));
    }
    let Some(rejecting) = complement(&observer.acceptance) else {
        return Ok(Comparison::TooLarge);
    };
    match meets(observer, formula, false, &observer.acceptance, false, budget)? {
        None => return Ok(Comparison::TooLarge),
        Some(true) => {
            return Ok(Comparison::Different(
                "the automaton accepts a word that the formula rejects",
            ));
        }
        Some(false) => {}
    }
    Ok(match meets(observer, formula, true, &rejecting, true, budget)? {
        None => Comparison::TooLarge,
        Some(true) => Comparison::Different("the automaton rejects a word that the formula accepts"),
        Some(false) => Comparison::Same,
    })
}

fn is_well_formed(observer: &Observer) -> bool {
    let states = observer.steps.len();
    (observer.initial as usize) < states
        && observer.sets < 20
        && (observer.steps.iter()).all(|steps| {
            steps.len() == 1 << observer.sets
                && steps.iter().flatten().all(|(next, _)| (*next as usize) < states)
        })
}

/// The states of a well-formed observer from which every word is accepted.
pub(crate) fn universal(observer: &Observer, budget: &Budget) -> Result<Option<Vec<bool>>, Spent> {
    let Some(rejecting) = complement(&observer.acceptance).filter(|_| is_well_formed(observer)) else {
        return Ok(None);
    };
    let mut found = Vec::new();
    for state in 0..observer.steps.len() {
        let from = Observer {
            initial: state as u32,
            ..observer.clone()
        };
        match meets(&from, &Linear::True, true, &rejecting, true, budget)? {
            None => return Ok(None),
            Some(rejects) => found.push(!rejects),
        }
    }
    Ok(Some(found))
}

/// The condition that is met exactly when this one is not; nothing if it is too large.
fn complement(acceptance: &[(u64, u64)]) -> Option<Vec<(u64, u64)>> {
    let mut result: Vec<(u64, u64)> = vec![(0, 0)];
    for &(never, again) in acceptance {
        let mut next = BTreeSet::new();
        for &(own_never, own_again) in &result {
            for mark in (0..64).map(|bit| 1u64 << bit) {
                if never & mark != 0 && own_never & mark == 0 {
                    next.insert((own_never, own_again | mark));
                }
                if again & mark != 0 && own_again & mark == 0 {
                    next.insert((own_never | mark, own_again));
                }
            }
        }
        result = next.into_iter().collect();
        if result.len() > 5000 {
            return None;
        }
    }
    Some(result)
}

/// Whether some word satisfies the formula (or its negation) and has a run that meets one of the conditions, or, if `lost` counts, no run.
fn meets(
    observer: &Observer,
    formula: &Linear,
    positive: bool,
    conditions: &[(u64, u64)],
    lost_counts: bool,
    budget: &Budget,
) -> Result<Option<bool>, Spent> {
    let mut arena = Arena::default();
    let root = arena.normal(formula, positive);
    let untils: Vec<u32> = (0..arena.nodes.len() as u32)
        .filter(|&at| matches!(arena.nodes[at as usize], Node::Until(..)))
        .collect();
    if untils.len() > 60 {
        return Ok(None);
    }
    const LOST: u32 = u32::MAX;
    let mut numbers: HashMap<(u32, Vec<u32>), u32> = HashMap::new();
    let mut nodes = vec![(observer.initial, vec![root])];
    numbers.insert(nodes[0].clone(), 0);
    // For what is pending and a letter: what is pending next, and which untils were put off.
    type Ways = Vec<(Vec<u32>, u64)>;
    let mut expansions: HashMap<(Vec<u32>, usize), Ways> = HashMap::new();
    let mut edges: Vec<Edge> = Vec::new();
    let mut at = 0;
    while at < nodes.len() {
        let (state, pending) = nodes[at].clone();
        for letter in 0..1usize << observer.sets {
            budget.check()?;
            let step = match state {
                LOST => None,
                state => observer.steps[state as usize][letter],
            };
            if step.is_none() && !lost_counts {
                continue;
            }
            let (next_state, marks) = step.unwrap_or((LOST, 0));
            let ways = expansions.entry((pending.clone(), letter)).or_insert_with(|| {
                let mut found = Vec::new();
                arena.expand(&pending, letter, &mut found);
                let plain = |(next, put_off): (BTreeSet<u32>, BTreeSet<u32>)| {
                    let bits = (untils.iter().enumerate())
                        .filter(|(_, until)| put_off.contains(until))
                        .fold(0u64, |bits, (at, _)| bits | 1 << at);
                    (next.into_iter().collect::<Vec<u32>>(), bits)
                };
                let mut ways: Ways = found.into_iter().map(plain).collect();
                ways.sort();
                ways.dedup();
                ways
            });
            for (next, put_off) in ways.iter() {
                let key = (next_state, next.clone());
                let to = *numbers.entry(key).or_insert_with_key(|key| {
                    nodes.push(key.clone());
                    (nodes.len() - 1) as u32
                });
                edges.push(Edge {
                    from: at as u32,
                    to,
                    marks,
                    put_off: *put_off,
                    lost: next_state == LOST,
                });
            }
            if edges.len() > MOST_EDGES {
                return Ok(None);
            }
        }
        at += 1;
    }
    let every = (1u64 << untils.len()) - 1;
    let cycle = |keep: &dyn Fn(&Edge) -> bool, again: u64| -> Result<bool, Spent> {
        let mut graph: Vec<Vec<u32>> = vec![Vec::new(); nodes.len()];
        for edge in edges.iter().filter(|edge| keep(edge)) {
            graph[edge.from as usize].push(edge.to);
        }
        let component = strongly_connected(&graph, budget)?;
        let mut seen: HashMap<u32, (u64, u64)> = HashMap::new();
        for edge in edges.iter().filter(|edge| keep(edge)) {
            if component[edge.from as usize] == component[edge.to as usize] {
                let own = seen.entry(component[edge.from as usize]).or_insert((0, 0));
                own.0 |= edge.marks;
                own.1 |= !edge.put_off & every;
            }
        }
        Ok(seen
            .values()
            .any(|&(marks, fulfilled)| marks & again == again && fulfilled == every))
    };
    for &(never, again) in conditions {
        if cycle(&|edge| !edge.lost && edge.marks & never == 0, again)? {
            return Ok(Some(true));
        }
    }
    Ok(Some(lost_counts && cycle(&|edge| edge.lost, 0)?))
}
