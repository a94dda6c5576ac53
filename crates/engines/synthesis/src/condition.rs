//! What must be seen again and again while all parts stay in their components.
//!
//! Parts that are uniform there are true or false for the rest of such a run, and are put into the skeleton; what is left is a condition over the priorities
//! of the others. Its Zielonka tree turns it into parity. Where nothing is left, the run is won or lost as it is.

use crate::part::{Part, Stay};
use crate::problem::SynthesisError;
use crate::skeleton::{Skeleton, Truth};
use entail_automata::algebra::zielonka::ZielonkaTree;
use entail_automata::{Acceptance, Marks};
use entail_budget::Budget;

/// A condition.
pub(crate) enum Condition {
    /// Staying is won, or lost.
    Constant(bool),
    /// The tree, and for each part that matters the first of its marks and the priority that has none.
    Tree(Box<ZielonkaTree>, Vec<(usize, u32, u32)>),
}

impl Condition {
    /// The condition for parts in these components; nothing where a part has been forgotten.
    pub fn new(
        skeleton: &Skeleton,
        parts: &[Part],
        components: &[Option<u32>],
        budget: &Budget,
    ) -> Result<Condition, SynthesisError> {
        let stay = |part: u32| {
            let component = components[part as usize]?;
            Some(parts[part as usize].stay[component as usize])
        };
        let truth = |part: u32| match stay(part) {
            Some(Stay::Uniform(accepting)) => Truth::Known(accepting),
            _ => Truth::Open,
        };
        let left = skeleton.simplified(&truth);
        if let Skeleton::Constant(won) = left {
            return Ok(Condition::Constant(won));
        }
        let mut used: Vec<u32> = Vec::new();
        left.for_each_part(&mut |part| used.push(part));
        used.sort_unstable();
        used.dedup();
        let mut slots = Vec::new();
        let mut marks = 0;
        for part in used {
            if let Some(Stay::Mixed(low, high)) = stay(part) {
                slots.push((part as usize, marks, low));
                marks += high - low;
            }
        }
        if marks > 64 {
            return Err(SynthesisError::TooLarge(
                "more than 64 priorities have to be watched at once",
            ));
        }
        let of_part = |part: u32| -> Acceptance {
            let slot = slots.iter().find(|(known, ..)| *known == part as usize);
            let (Some(&(_, first, low)), Some(Stay::Mixed(_, high))) = (slot, stay(part)) else {
                return Acceptance::False;
            };
            let mut condition = if low % 2 == 0 {
                Acceptance::True
            } else {
                Acceptance::False
            };
            for priority in low + 1..=high {
                let mark = first + priority - low - 1;
                condition = match priority % 2 {
                    0 => Acceptance::any([Acceptance::Inf(mark), condition]),
                    _ => Acceptance::all([Acceptance::Fin(mark), condition]),
                };
            }
            condition
        };
        let acceptance = acceptance(&left, &of_part);
        let tree = ZielonkaTree::new(&acceptance, Marks::first(marks), budget)?;
        Ok(Condition::Tree(Box::new(tree), slots))
    }

    /// The memory with which counting begins.
    pub fn start(&self) -> u32 {
        match self {
            Condition::Constant(_) => 0,
            Condition::Tree(tree, _) => tree.start() as u32,
        }
    }

    /// The memory after a step, and its priority; `priority` is that of a part's automaton.
    pub fn step(&self, memory: u32, priority: &dyn Fn(usize) -> u32) -> (u32, u32) {
        match self {
            Condition::Constant(won) => (0, u32::from(!won)),
            Condition::Tree(tree, slots) => {
                let mut marks = Marks(0);
                for &(part, first, low) in slots {
                    let seen = priority(part);
                    if seen > low {
                        marks = marks.with(Marks::one(first + seen - low - 1));
                    }
                }
                let (memory, priority) = tree.step(memory as usize, marks);
                (memory as u32, priority)
            }
        }
    }
}

fn acceptance(skeleton: &Skeleton, of_part: &dyn Fn(u32) -> Acceptance) -> Acceptance {
    match skeleton {
        Skeleton::Constant(true) => Acceptance::True,
        Skeleton::Constant(false) => Acceptance::False,
        Skeleton::Part(part, false) => of_part(*part),
        Skeleton::Part(part, true) => of_part(*part).dual(),
        Skeleton::And(list) => Acceptance::all(list.iter().map(|one| acceptance(one, of_part))),
        Skeleton::Or(list) => Acceptance::any(list.iter().map(|one| acceptance(one, of_part))),
    }
}
