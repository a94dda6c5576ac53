//! What the system must see again and again, as a Zielonka tree over marks that are decision diagrams.
//!
//! A Boolean combination of components. Truths of weak components change finitely often, so they need no mark of their own: in a conjunction with others they force one of these to be
//! rejecting while they are false; in a disjunction, to be accepting while they are true. What is left has parity conditions at its ends, one mark for each priority but the lowest.

use super::component::{Component, Seen};
use crate::problem::SynthesisError;
use entail_automata::algebra::zielonka::ZielonkaTree;
use entail_automata::{Acceptance, AutomataError, Marks};
use entail_budget::Budget;
use entail_dd::{Bdd, Manager};
use rustc_hash::FxHashMap;

/// A Boolean combination of components.
#[derive(Clone, Debug)]
pub(crate) enum Combination {
    Constant(bool),
    /// A component, and whether it is negated.
    Component(usize, bool),
    And(Vec<Combination>),
    Or(Vec<Combination>),
}

impl Combination {
    /// The states in which it is decided to be false, and true.
    pub fn decided(&self, manager: &Manager, components: &[Component]) -> Result<[Bdd; 2], SynthesisError> {
        let (list, conjunction) = match self {
            Combination::Constant(truth) => {
                return Ok([manager.constant(!truth), manager.constant(*truth)]);
            }
            Combination::Component(number, negated) => {
                let [no, yes] = components[*number].decided.clone();
                return Ok(if *negated { [yes, no] } else { [no, yes] });
            }
            Combination::And(list) => (list, true),
            Combination::Or(list) => (list, false),
        };
        let (mut all, mut some) = (manager.one(), manager.zero());
        for one in list {
            let [no, yes] = one.decided(manager, components)?;
            let (for_all, for_some) = if conjunction { (yes, no) } else { (no, yes) };
            all = all.and(&for_all)?;
            some = some.or(&for_some)?;
        }
        Ok(if conjunction { [some, all] } else { [all, some] })
    }
}

/// Whether the condition is taken as it is, or simplified in favour of one side. Pairs of a disjunction, "again and again a, and b only finitely often", make trees large, and come from
/// assumptions of strong fairness.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Relaxation {
    /// As it is.
    Exact,
    /// Without such pairs: a system that wins now wins with them.
    AgainstSystem,
    /// Only "b finitely often" of such a pair: an environment that wins now wins with the whole pair.
    AgainstEnvironment,
}

/// A combination without weak components.
enum Mixed {
    /// The lowest priority, the steps that have each priority, and whether it is negated.
    Parity(u32, Vec<Bdd>, bool),
    And(Vec<Mixed>),
    Or(Vec<Mixed>),
}

enum Folded {
    Weak(Bdd),
    Mixed(Mixed),
}

impl Mixed {
    /// Makes it accepting, or rejecting, as long as something is true.
    fn force(&mut self, when: &Bdd, accepting: bool) -> Result<(), SynthesisError> {
        match self {
            Mixed::Parity(low, priorities, negated) => {
                let even = accepting != *negated;
                let target = usize::from((*low % 2 == 0) != even);
                for (at, steps) in priorities.iter_mut().enumerate() {
                    *steps = match at == target {
                        true => steps.or(when)?,
                        false => steps.minus(when)?,
                    };
                }
                Ok(())
            }
            Mixed::And(list) if !accepting => list[0].force(when, accepting),
            Mixed::Or(list) if accepting => list[0].force(when, accepting),
            Mixed::And(list) | Mixed::Or(list) => {
                list.iter_mut().try_for_each(|one| one.force(when, accepting))
            }
        }
    }

    /// Whether it says that something is seen again and again (true), only finitely often (false), or neither.
    fn recurs(&self) -> Option<bool> {
        match self {
            Mixed::Parity(low, priorities, negated) if priorities.len() == 2 => {
                Some((low % 2 == 1) != *negated)
            }
            _ => None,
        }
    }

    /// An operand of a disjunction, simplified in favour of one side; nothing if it is left out.
    fn relaxed(self, relaxation: Relaxation) -> Option<Mixed> {
        let Mixed::And(mut list) = self else {
            return Some(self);
        };
        let is_pair = (list.iter()).any(|one| one.recurs() == Some(true))
            && list.iter().any(|one| one.recurs() != Some(true));
        match relaxation {
            _ if !is_pair => {}
            Relaxation::Exact => {}
            Relaxation::AgainstSystem => return None,
            Relaxation::AgainstEnvironment => {
                list.retain(|one| one.recurs() != Some(true));
                if list.len() == 1 {
                    return list.pop();
                }
            }
        }
        Some(Mixed::And(list))
    }

    /// The condition over marks; the marks are collected. Equal steps have one mark.
    fn acceptance(&self, marks: &mut Vec<Bdd>) -> Acceptance {
        match self {
            Mixed::Parity(low, priorities, negated) => {
                let mut condition = match low % 2 {
                    0 => Acceptance::True,
                    _ => Acceptance::False,
                };
                for (at, steps) in priorities.iter().enumerate().skip(1) {
                    let known = marks.iter().position(|known| known == steps);
                    let mark = known.unwrap_or_else(|| {
                        marks.push(steps.clone());
                        marks.len() - 1
                    });
                    let mark = u32::try_from(mark).unwrap_or(u32::MAX);
                    condition = match (low + at as u32) % 2 {
                        0 => Acceptance::any([Acceptance::Inf(mark), condition]),
                        _ => Acceptance::all([Acceptance::Fin(mark), condition]),
                    };
                }
                if *negated { condition.dual() } else { condition }
            }
            Mixed::And(list) => {
                Acceptance::all(list.iter().map(|one| one.acceptance(marks)).collect::<Vec<_>>())
            }
            Mixed::Or(list) => {
                Acceptance::any(list.iter().map(|one| one.acceptance(marks)).collect::<Vec<_>>())
            }
        }
    }
}

fn folded(
    combination: &Combination,
    manager: &Manager,
    components: &[Component],
    relaxation: Relaxation,
) -> Result<Folded, SynthesisError> {
    let (list, conjunction) = match combination {
        Combination::Constant(truth) => return Ok(Folded::Weak(manager.constant(*truth))),
        Combination::Component(number, negated) => {
            return Ok(match &components[*number].seen {
                Seen::Weak(truth) if *negated => Folded::Weak(truth.not()),
                Seen::Weak(truth) => Folded::Weak(truth.clone()),
                Seen::Parity(low, priorities) => {
                    Folded::Mixed(Mixed::Parity(*low, priorities.clone(), *negated))
                }
            });
        }
        Combination::And(list) => (list, true),
        Combination::Or(list) => (list, false),
    };
    let mut weak = manager.constant(conjunction);
    let mut mixed = Vec::new();
    for one in list {
        match folded(one, manager, components, relaxation)? {
            Folded::Weak(truth) if conjunction => weak = weak.and(&truth)?,
            Folded::Weak(truth) => weak = weak.or(&truth)?,
            Folded::Mixed(Mixed::And(inner)) if conjunction => mixed.extend(inner),
            Folded::Mixed(Mixed::Or(inner)) if !conjunction => mixed.extend(inner),
            Folded::Mixed(other) => mixed.push(other),
        }
    }
    if !conjunction {
        mixed = mixed
            .into_iter()
            .filter_map(|one| one.relaxed(relaxation))
            .collect();
    }
    if mixed.is_empty() {
        return Ok(Folded::Weak(weak));
    }
    let when = if conjunction { weak.not() } else { weak };
    let mut left = match (mixed.len(), conjunction) {
        (1, _) => mixed.remove(0),
        (_, true) => Mixed::And(mixed),
        (_, false) => Mixed::Or(mixed),
    };
    if !when.is_false() {
        left.force(&when, !conjunction)?;
    }
    Ok(Folded::Mixed(left))
}

/// What is said of conditions that need too much memory.
pub(crate) const TOO_LARGE: SynthesisError =
    SynthesisError::TooLarge("the condition on what is seen again and again needs too much memory");

/// A step of the memory: on these steps of the game, to this memory, with this priority (max even).
#[derive(Clone)]
pub(crate) struct Move {
    pub steps: Bdd,
    pub next: usize,
    pub priority: u32,
}

/// The condition as a parity condition with a memory.
pub(crate) struct Memory {
    /// For each memory, its moves; each step of the game is in exactly one of them.
    pub moves: Vec<Vec<Move>>,
    pub start: usize,
    pub highest: u32,
}

impl Memory {
    /// The memory of a combination, if it has at most so many values. In states that are decided, which are given, it does not matter.
    pub fn new(
        combination: &Combination,
        manager: &Manager,
        components: &[Component],
        decided: &[Bdd; 2],
        relaxation: Relaxation,
        most: usize,
        budget: &Budget,
    ) -> Result<Memory, SynthesisError> {
        let constant = |won: bool| Memory {
            moves: vec![vec![Move {
                steps: manager.one(),
                next: 0,
                priority: u32::from(!won),
            }]],
            start: 0,
            highest: u32::from(!won),
        };
        let mut marks = Vec::new();
        let acceptance = match folded(combination, manager, components, relaxation)? {
            Folded::Weak(truth) => {
                let open = decided[0].or(&decided[1])?.not();
                if open.is_subset_of(&truth)? {
                    return Ok(constant(true));
                }
                if open.is_disjoint_from(&truth)? {
                    return Ok(constant(false));
                }
                marks.push(truth);
                Acceptance::Inf(0)
            }
            Folded::Mixed(mixed) => mixed.acceptance(&mut marks),
        };
        if marks.len() > 64 {
            return Err(TOO_LARGE);
        }
        let tree = match ZielonkaTree::new(&acceptance, Marks::first(marks.len() as u32), budget) {
            Err(AutomataError::NotApplicable(_)) => return Err(TOO_LARGE),
            other => other?,
        };
        if tree.leaf_count() > most {
            return Err(TOO_LARGE);
        }
        let mut numbers: FxHashMap<usize, usize> = FxHashMap::from_iter([(tree.start(), 0)]);
        let mut waiting = vec![tree.start()];
        let mut memory = Memory {
            moves: Vec::new(),
            start: 0,
            highest: 0,
        };
        while let Some(&leaf) = waiting.get(memory.moves.len()) {
            budget.check_now()?;
            let mut moves: Vec<Move> = Vec::new();
            let mut before = manager.zero();
            for (allowed, next, priority) in tree.steps(leaf) {
                let mut steps = manager.one();
                for (at, mark) in marks.iter().enumerate() {
                    if !allowed.has(at as u32) {
                        steps = steps.minus(mark)?;
                    }
                }
                let fresh = steps.minus(&before)?;
                before = steps;
                if fresh.is_false() {
                    continue;
                }
                let count = numbers.len();
                let number = *numbers.entry(next).or_insert_with(|| {
                    waiting.push(next);
                    count
                });
                memory.highest = memory.highest.max(priority);
                moves.push(Move {
                    steps: fresh,
                    next: number,
                    priority,
                });
            }
            memory.moves.push(moves);
        }
        Ok(memory)
    }
}
